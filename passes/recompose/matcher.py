"""Matches a program against a pattern.

`strictly`: the same ops on the same operands, in either order where an op commutes: every bit is equal.
`loosely`: equal but for rounding. Products and sums may be ordered, grouped and scaled otherwise,
division by a number is multiplication, roots are powers, casts between floats and broadcasts are
not seen, numbers agree to 2 units in the last place of the result's type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TypeVar

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float64Type
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.traits import Commutative

from mlc_dialects import elementwise as ew
from mlc_dialects.composite_op import CompositeOp
from mlc_dialects.domains import Index
from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.tensor_ops import ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor_views import BroadcastOp, CatOp, ViewOp
from mlc_dialects.types import element_type, is_bool, is_float, shape_of
from mlc_support.index_expr import integer, variable
from passes.recompose.nodes import (
    Factor,
    Node,
    Term,
    adds_ones,
    constant,
    core,
    layers,
    made,
    products,
    sums,
    threshold,
    type_of,
)
from passes.recompose.pattern import AFFINE, ANYTHING, EXACTLY, Pattern

NodeT = TypeVar("NodeT", bound=Node)
_SUMS = (ew.AddOp, ew.SubOp)
_ROOTS = (ew.SqrtOp, ew.RsqrtOp, ew.PowOp)
_WIDEST = 8
"""Factors or terms that a pattern may have."""
_STEPS = 4000
"""Comparisons after which a match is given up: no pattern needs a tenth of them."""


@dataclass(frozen=True)
class Bindings:
    """What the pattern's operands and numbers stand for."""

    operands: Mapping[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    numbers: Mapping[SSAValue, float] = field(default_factory=dict[SSAValue, float])


@dataclass(frozen=True)
class _Product:
    """A product of the pattern, taken apart as far as it goes: number, open numbers, factors."""

    scale: float
    holes: list[Factor]
    factors: list[Factor]
    degree: float
    """What the sizes of the factors' exponents add up to."""


class Matcher:
    """Compares values with those of one pattern; what it learns of the pattern it keeps."""

    def __init__(self, pattern: Pattern):
        self.pattern = pattern
        fits = pattern.site.fits
        self._fits = {p: fits[min(i, len(fits) - 1)] for i, p in enumerate(pattern.operands)}
        self._holes = pattern.holes
        self._left = _STEPS
        self._tolerance = 0.0
        self._parts: dict[tuple[type[Operation], ...], list[tuple[Operation, str]]] = {}
        self._products: dict[SSAValue, _Product] = {}
        self._sums: dict[SSAValue, tuple[float, list[Term], list[Term]]] = {}

    def strictly(self, pattern: SSAValue, value: SSAValue, known: Bindings) -> Bindings | None:
        """The bindings under which `value` is `pattern` bit for bit."""
        return next(self._same(pattern, value, known), None)

    def loosely(self, pattern: SSAValue, value: SSAValue, known: Bindings) -> Bindings | None:
        """The bindings under which `value` is `pattern` up to rounding."""
        return self._loosely(pattern, value, known, element_type(value.type))

    def _loosely(self, pattern: SSAValue, value: SSAValue, known: Bindings, element: Attribute) -> Bindings | None:
        self._tolerance = 2 * _last_place(element)
        self._left = _STEPS
        return next(self._match(pattern, value, known), None)

    def has(self, anchor: Operation, known: dict[str, bool]) -> bool:
        """True if `anchor`, with what it is computed from, is part of the pattern.

        Patterns of one composite share such parts: `known` holds what others have found of `anchor`.
        """
        kinds = _ROOTS if isinstance(anchor, _ROOTS) else (type(anchor),)
        if kinds not in self._parts:
            ops = [op for op in self.pattern.function.body.block.ops if isinstance(op, kinds)]
            manner = f"{self.pattern.is_reference} {element_type(self.pattern.results[0].type)}"
            self._parts[kinds] = [(op, f"{manner} {self._text(op.results[0])}") for op in ops]
        for op, text in self._parts[kinds]:
            if text not in known:
                known[text] = self._begins(op, anchor)
            if known[text]:
                return True
        return False

    def _begins(self, op: Operation, anchor: Operation) -> bool:
        """True if `anchor` is `op` of the pattern."""
        p, value = op.results[0], anchor.results[0]
        if self.pattern.is_reference and self.strictly(p, value, Bindings()) is not None:
            return True
        if isinstance(op, _ROOTS):  # which root it is may differ where the rest of the pattern makes up for it
            p, value = op.operands[0], anchor.operands[0]
        return self._loosely(p, value, Bindings(), element_type(self.pattern.results[0].type)) is not None

    def _text(self, value: SSAValue) -> str:
        """All that decides what `value` of the pattern matches."""
        if isinstance(value, BlockArgument):
            return f"{self._holes.get(value, value.index)} {self._fits.get(value)} {value.type}"
        op = value.owner
        assert isinstance(op, Operation)
        operands = ", ".join(self._text(v) for v in op.operands)
        return f"{op.name} {op.properties} ({operands}) {value.type}"

    # Bit for bit

    def _same(self, p: SSAValue, s: SSAValue, known: Bindings) -> Iterator[Bindings]:
        if p in self._fits:
            if p.type == s.type:
                narrow = _before_broadcast(s) if self._fits[p] == ANYTHING else s
                if known.operands.get(p, narrow) == narrow:
                    yield replace(known, operands={**known.operands, p: narrow})
            return
        hole = _spread_hole(p, self._holes) if self._holes else None
        if hole is not None:
            if p.type == s.type and isinstance(s.owner, ConstantOp) and (found := constant(s)) is not None:
                yield from self._number(hole, found, known, 0.0)
            return
        a, b = p.owner, s.owner
        if not isinstance(a, Operation) or not isinstance(b, Operation) or type(a) is not type(b) or p.type != s.type:
            return
        if a.properties != b.properties or len(a.operands) != len(b.operands) or _is_spelled(b):
            return
        for operands in _orders(a, tuple(b.operands)):
            yield from self._all_same([*zip(a.operands, operands, strict=True)], known)

    def _all_same(self, pairs: Sequence[tuple[SSAValue, SSAValue]], known: Bindings) -> Iterator[Bindings]:
        if not pairs:
            yield known
            return
        for found in self._same(*pairs[0], known):
            yield from self._all_same(pairs[1:], found)

    # Up to rounding

    def _match(self, p: SSAValue, s: Node, known: Bindings, ratio: float = 1.0) -> Iterator[Bindings]:
        """s == ratio * p"""
        self._left -= 1
        if self._left < 0:
            return
        inner, filling = core(p), constant(p)
        assert isinstance(inner, SSAValue)
        if inner in self._fits and ratio == 1.0:
            yield from self._bind(inner, s, known)
            return
        if filling is not None:
            found = constant(s)
            yield from [known] if found is not None and self._close(found, ratio * filling) else []
            return
        if not is_float(element_type(inner.type)):
            yield from self._atom(inner, s, known)
            return
        wanted = self._pattern_product(inner)
        for found, parts in products(s, len(wanted.factors), wanted.degree):
            if len(parts) != len(wanted.factors):
                continue
            scaled = self._scaled(found / (ratio * wanted.scale), wanted.holes, known)
            if scaled is not None:
                yield from self._assign_factors(wanted.factors, parts, scaled)

    def _scaled(self, rest: float, holes: Sequence[Factor], known: Bindings) -> Bindings | None:
        """The product of the open numbers is `rest`; all but one are known by now."""
        unknown: list[tuple[SSAValue, float]] = []
        for hole, exponent in holes:
            assert isinstance(hole, SSAValue)
            number = known.numbers.get(hole)
            if number is None:
                unknown.append((hole, exponent))
            elif number > 0:
                rest /= number**exponent
            else:
                return None
        if not unknown:
            return known if self._close(rest, 1.0) else None
        (hole, exponent), more = unknown[0], unknown[1:]
        if more or rest == 0 or (rest < 0 and abs(exponent) != 1):
            return None
        return next(self._number(hole, rest ** (1 / exponent), known, self._tolerance), None)

    def _pattern_product(self, p: SSAValue) -> _Product:
        if p not in self._products:
            *_, (scale, parts) = products(p, _WIDEST)
            holes = [(core(n), e) for n, e in parts if core(n) in self._holes]
            factors = [(n, e) for n, e in parts if core(n) not in self._holes]
            factors.sort(key=lambda f: core(f[0]) in self._fits)
            self._products[p] = _Product(scale, holes, factors, float(sum(abs(e) for _, e in factors)))
        return self._products[p]

    def _pattern_sum(self, p: SSAValue) -> tuple[float, list[Term], list[Term]]:
        """The pattern's sum, taken apart as far as it goes: number, open numbers, terms."""
        if p not in self._sums:
            *_, (total, terms) = sums(p, _WIDEST)
            holes = [t for t in terms if core(t[1]) in self._holes]
            rigid = sorted((t for t in terms if t not in holes), key=lambda t: core(t[1]) in self._fits)
            self._sums[p] = total, holes, rigid
        return self._sums[p]

    def _assign_factors(self, wanted: list[Factor], given: list[Factor], known: Bindings) -> Iterator[Bindings]:
        if not wanted:
            yield known
            return
        node, exponent = wanted[0]
        for position, (value, power) in enumerate(given):
            if power == exponent and isinstance(node, SSAValue):
                for found in self._atom_or_operand(node, value, known):
                    yield from self._assign_factors(wanted[1:], [*given[:position], *given[position + 1 :]], found)

    def _atom_or_operand(self, p: SSAValue, s: Node, known: Bindings) -> Iterator[Bindings]:
        inner = core(p)
        assert isinstance(inner, SSAValue)
        yield from self._bind(inner, s, known) if inner in self._fits else self._atom(inner, s, known)

    def _atom(self, p: SSAValue, value: Node, known: Bindings) -> Iterator[Bindings]:
        """An op that is no product."""
        self._left -= 1
        s, a = core(value), p.owner
        b, operands = made(s)
        if self._left < 0 or not isinstance(a, Operation) or b is None:
            return
        if isinstance(a, _SUMS):
            yield from self._sum(p, s, known)
            return
        if type(a) is not type(b) or a.properties != b.properties or len(a.operands) != len(operands):
            return
        if isinstance(a, ew.SelectOp):
            yield from self._select(a, operands, known)
        elif _agree(a, b, operands):
            for order in _orders(a, operands):
                yield from self._all(list(zip(a.operands, order, strict=True)), known)

    def _all(self, pairs: Sequence[tuple[SSAValue, Node]], known: Bindings) -> Iterator[Bindings]:
        if not pairs:
            yield known
            return
        for found in self._match(*pairs[0], known):
            yield from self._all(pairs[1:], found)

    def _sum(self, p: SSAValue, s: Node, known: Bindings) -> Iterator[Bindings]:
        total, holes, rigid = self._pattern_sum(p)
        for found, parts in sums(s, len(rigid)):
            if len(parts) != len(rigid):
                continue
            if len(holes) == 1 and holes[0][0] == 1 and isinstance(hole := core(holes[0][1]), SSAValue):
                ways = self._number(hole, found - total, known, self._tolerance)
            else:
                ways = iter([known] if not holes and self._close(found, total) else [])
            for way in ways:
                yield from self._assign_terms(rigid, parts, way)

    def _assign_terms(self, wanted: list[Term], given: list[Term], known: Bindings) -> Iterator[Bindings]:
        if not wanted:
            yield known
            return
        sign, node = wanted[0]
        for position, (other, value) in enumerate(given):
            if isinstance(node, SSAValue):
                for found in self._match(node, value, known, float(sign * other)):
                    yield from self._assign_terms(wanted[1:], [*given[:position], *given[position + 1 :]], found)

    def _select(self, p: Operation, given: Sequence[Node], known: Bindings) -> Iterator[Bindings]:
        """where(c, x, y), or where(not c, y, x) for a comparison of positions."""
        condition, x, y = p.operands
        index: Index = tuple(variable(f"i{d}", n) for d, n in enumerate(shape_of(condition.type)))
        wanted = threshold(condition, index)
        if wanted is None:
            yield from self._all(list(zip(p.operands, given, strict=True)), known)
            return
        if shape_of(type_of(given[0])) != shape_of(condition.type):
            return
        found = threshold(given[0], index)
        if found is not None and found == wanted:
            yield from self._all([(x, given[1]), (y, given[2])], known)
        elif found is not None and found + wanted == integer(-1):
            yield from self._all([(x, given[2]), (y, given[1])], known)

    def _bind(self, p: SSAValue, s: Node, known: Bindings) -> Iterator[Bindings]:
        """The innermost layer of `s` that fits the operand `p`."""
        wanted = [v for v in layers(s) if isinstance(v, SSAValue) and self._fit(p, v)]
        if not wanted:
            return
        value = wanted[-1]
        before = known.operands.get(p)
        if before is None:
            yield replace(known, operands={**known.operands, p: value})
        elif before == value or (core(before) == core(value) and shape_of(before.type) == shape_of(value.type)):
            yield known

    def _fit(self, p: SSAValue, value: SSAValue) -> bool:
        fit, element = self._fits[p], element_type(value.type)
        if fit == EXACTLY:
            return p.type == value.type
        if is_bool(element) != is_bool(element_type(p.type)) or not (is_float(element) or is_bool(element)):
            return False
        if fit == AFFINE:
            return adds_ones(shape_of(p.type), shape_of(value.type)) or adds_ones(
                shape_of(value.type), shape_of(p.type)
            )
        assert fit == ANYTHING
        return constant(value) is None

    def _number(self, hole: SSAValue, found: float, known: Bindings, tolerance: float) -> Iterator[Bindings]:
        before = known.numbers.get(hole)
        if before is None:
            yield replace(known, numbers={**known.numbers, hole: found})
        elif abs(before - found) <= tolerance * abs(before):
            yield known

    def _close(self, found: float, wanted: float) -> bool:
        if found == wanted or not isfinite(found - wanted):
            return found == wanted  # nothing finite is near an infinity
        return abs(found - wanted) <= self._tolerance * max(abs(wanted), abs(found))


def _spread_hole(value: SSAValue, holes: Mapping[SSAValue, str]) -> SSAValue | None:
    """The open number that fills `value`."""
    inner = core(value)
    return inner if isinstance(inner, SSAValue) and inner in holes else None


def _before_broadcast(value: SSAValue) -> SSAValue:
    """What was repeated to `value`: a composite whose meaning repeats it again takes that."""
    return _before_broadcast(value.owner.input) if isinstance(value.owner, BroadcastOp) else value


def _orders(op: Operation, operands: Sequence[NodeT]) -> Iterator[Sequence[NodeT]]:
    yield operands
    if isinstance(op, ElementwiseOp) and op.has_trait(Commutative):
        yield operands[::-1]


def _agree(wanted: Operation, found: Operation, operands: Sequence[Node]) -> bool:
    """Reductions and views go between the same shapes; products of matrices round in the same type."""
    pairs = list(zip(wanted.operands, operands, strict=True))
    if isinstance(wanted, MatmulOp):
        return all(element_type(a.type) == element_type(type_of(b)) for a, b in pairs)
    if isinstance(wanted, ReduceOp):
        return all(shape_of(a.type) == shape_of(type_of(b)) for a, b in pairs)
    if isinstance(wanted, ViewOp | CatOp | IotaOp | SizeOp):
        return shape_of(wanted.results[0].type) == shape_of(found.results[0].type)
    return True


def _is_spelled(op: Operation) -> bool:
    return isinstance(op, CompositeOp) and bool(op.spelling.blocks)


def _last_place(element: Attribute) -> float:
    """The distance from 1 to the next number of the type."""
    digits: dict[type[Attribute], int] = {BFloat16Type: 7, Float16Type: 10, Float64Type: 52}
    return 2.0 ** -digits.get(type(element), 23)
