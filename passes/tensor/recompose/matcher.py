"""Matches a program against a pattern.

`strictly`: the same ops on the same operands, in either order where an op commutes: every bit is equal.
`loosely`: equal but for rounding. Products and sums may be ordered, grouped and scaled otherwise,
division by a number is multiplication, roots are powers, casts between floats and broadcasts are
not seen, numbers agree to 2 units in the last place of the result's type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from mlc_dialects.common.types import element_type, is_float, shape_of
from mlc_dialects.iteration.domain import Index
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.ops import ConstantOp
from mlc_support.index_expr import integer, variable
from passes.tensor.recompose.anatomy import Anatomy
from passes.tensor.recompose.looks import (
    ROOTS,
    agree,
    before_broadcast,
    is_spelled,
    last_place,
    orders,
    part,
    same_type,
)  # fmt: skip
from passes.tensor.recompose.nodes import (
    PRODUCTS,
    Factor,
    Moved,
    Node,
    Term,
    constant,
    core,
    layers,
    made,
    products,
    sums,
    threshold,
    type_of,
)
from passes.tensor.recompose.pattern import ANYTHING, Pattern

_SUMS = (ew.AddOp, ew.SubOp)
_FLEXIBLE = PRODUCTS | {*_SUMS, ConstantOp}
"""Ops that there are other spellings for."""
_STEPS = 4000
"""Comparisons after which a match is given up: no pattern needs a tenth of them."""


@dataclass(frozen=True)
class Bindings:
    """What a pattern's operands, by position, and its open numbers, by name, stand for."""

    operands: Mapping[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    numbers: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Start:
    """A part of a pattern that the program has: the value of either, what that binds, whether bit for bit."""

    pattern: SSAValue
    value: SSAValue
    bindings: Bindings
    exact: bool


class Matcher:
    """Compares values with those of one pattern; what it learns of the pattern it keeps."""

    def __init__(self, pattern: Pattern):
        self.pattern = pattern
        self._apart = Anatomy(pattern)
        self._fits, self._holes, self._filled = self._apart.fits, self._apart.holes, self._apart.filled
        self._start: Start | None = None
        self._left = _STEPS
        self._tolerance = 0.0
        self._parts: dict[tuple[type[Operation], ...], list[tuple[Operation, str]]] = {}

    def whole(self, value: SSAValue, start: Start) -> tuple[Bindings, bool] | None:
        """The bindings under which `value` is the pattern's result, and whether bit for bit; not to look at `start`."""
        self._start, result = start, self.pattern.results[0]
        exact = self.strictly(result, value, start.bindings) if start.exact else None
        found = exact or self.loosely(result, value, start.bindings)
        self._start = None
        return found and (found, exact is not None)

    def strictly(self, pattern: SSAValue, value: SSAValue, known: Bindings) -> Bindings | None:
        """The bindings under which `value` is `pattern` bit for bit."""
        return next(self._same(pattern, value, known), None)

    def loosely(self, pattern: SSAValue, value: SSAValue, known: Bindings) -> Bindings | None:
        """The bindings under which `value` is `pattern` up to rounding."""
        return self._loosely(pattern, value, known, element_type(value.type))

    def _loosely(self, pattern: SSAValue, value: SSAValue, known: Bindings, element: Attribute) -> Bindings | None:
        self._tolerance = 2 * last_place(element)
        self._left = _STEPS
        return next(self._match(pattern, value, known), None)

    def begun(self, anchor: Operation, known: dict[str, Start | None]) -> Start | None:
        """Where `anchor`, with what it is computed from, is part of the pattern.

        Patterns of one composite share such parts: `known` holds what others have found of `anchor`.
        """
        kinds = ROOTS if isinstance(anchor, ROOTS) else (type(anchor),)
        if kinds not in self._parts:
            ops = [op for op in self.pattern.function.body.block.ops if isinstance(op, kinds)]
            manner = f"{self.pattern.is_reference} {element_type(self.pattern.results[0].type)}"
            self._parts[kinds] = [(op, f"{manner} {self._apart.text(op.results[0])}") for op in ops]
        for op, text in self._parts[kinds]:
            if text not in known:
                known[text] = self._begins(op, anchor)
            if (found := known[text]) is not None:
                return Start(part(op), found.value, found.bindings, found.exact)
        return None

    def _begins(self, op: Operation, anchor: Operation) -> Start | None:
        """Where `anchor` is `op` of the pattern."""
        exact = self.strictly(op.results[0], anchor.results[0], Bindings()) if self.pattern.is_reference else None
        p, value, element = part(op), part(anchor), element_type(self.pattern.results[0].type)
        bindings = exact or self._loosely(p, value, Bindings(), element)
        return Start(p, value, bindings, exact is not None) if bindings is not None else None

    # Bit for bit

    def _same(self, p: SSAValue, s: SSAValue, known: Bindings) -> Iterator[Bindings]:
        if self._is_start(p, s):
            yield known
        elif isinstance(p, BlockArgument) and p in self._fits:
            yield from self._same_operand(p, s, known)
        elif (hole := self._filled.get(p)) is not None:
            if same_type(p, s) and isinstance(s.owner, ConstantOp) and (found := constant(s)) is not None:
                yield from self._number(hole, found, known, 0.0)
        elif isinstance(p, OpResult) and isinstance(s, OpResult) and same_type(p, s):
            yield from self._same_op(p.op, s.op, known)

    def _same_operand(self, p: BlockArgument, s: SSAValue, known: Bindings) -> Iterator[Bindings]:
        """The operand `p` is `s`, or what `s` broadcasts where that does not matter."""
        if same_type(p, s):
            narrow = before_broadcast(s) if self._fits[p] == ANYTHING else s
            if known.operands.get(p.index, narrow) == narrow:
                yield Bindings({**known.operands, p.index: narrow}, known.numbers)

    def _same_op(self, a: Operation, b: Operation, known: Bindings) -> Iterator[Bindings]:
        """The same op on the same operands, in either order where it commutes."""
        if type(a) is not type(b) or a.properties != b.properties or len(a.operands) != len(b.operands):
            return
        if is_spelled(b):
            return
        for operands in orders(a, tuple(b.operands)):
            pairs = [*zip(a.operands, operands, strict=True)]
            if all([self._alike(x, y) for x, y in pairs]):
                yield from self._all_same(pairs, known)

    def _alike(self, p: SSAValue, s: SSAValue) -> bool:
        """False where one look tells that `s` is not `p`: as many trials end here as go on."""
        return (type(p.owner) is type(s.owner) or p in self._fits or p in self._filled) and same_type(p, s)

    def _all_same(self, pairs: Sequence[tuple[SSAValue, SSAValue]], known: Bindings) -> Iterator[Bindings]:
        if not pairs:
            yield known
            return
        for found in self._same(*pairs[0], known):
            yield from self._all_same(pairs[1:], found)

    def _is_start(self, p: SSAValue, s: Node) -> bool:
        return self._start is not None and p is self._start.pattern and s is self._start.value

    # Up to rounding

    def _match(self, p: SSAValue, s: Node, known: Bindings, ratio: float = 1.0) -> Iterator[Bindings]:
        """s == ratio * p"""
        self._left -= 1
        if self._left < 0:
            return
        inner = core(p)
        assert not isinstance(inner, Moved)
        if inner in self._fits and ratio == 1.0:
            yield from self._bind(inner, s, known)
            return
        if (filling := constant(inner)) is not None:
            found = constant(s)
            yield from [known] if found is not None and self._close(found, ratio * filling) else []
            return
        if not is_float(element_type(inner.type)):
            yield from self._atom(inner, s, known)
            return
        wanted = self._apart.product(inner)
        for found, parts in products(s, len(wanted.factors), wanted.degree):
            if len(parts) != len(wanted.factors):
                continue
            if len(parts) > 1 and not self._may_be_factors(wanted.factors, parts):
                continue
            scaled = self._scaled(found / (ratio * wanted.scale), wanted.holes, known)
            if scaled is not None:
                yield from self._assign_factors(wanted.factors, parts, scaled)

    def _scaled(self, rest: float, holes: Sequence[Factor], known: Bindings) -> Bindings | None:
        """The product of the open numbers is `rest`; all but one are known by now."""
        unknown: list[tuple[SSAValue, float]] = []
        for hole, exponent in holes:
            assert not isinstance(hole, Moved)
            number = known.numbers.get(self._holes[hole])
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

    def _may_be_factors(self, wanted: list[Factor], given: list[Factor]) -> bool:
        """False where one look at each tells that a factor of the pattern is not among those of the program."""
        return all(any(e == power and self._may_be(n, v) for v, power in given) for n, e in wanted)

    def _may_be(self, p: Node, s: Node) -> bool:
        assert not isinstance(p, Moved)
        if p in self._fits:
            return self._fitting(p, s) is not None
        return type(p.owner) in _SUMS or type(p.owner) is type(made(core(s))[0])

    def _may_hold(self, p: SSAValue, s: Node) -> bool:
        """False where one look tells that `s` is not `p`, which may be an operand, a number, a product or a sum."""
        inner = core(p)
        if not isinstance(inner, OpResult) or type(inner.op) in _FLEXIBLE:
            return True
        found = made(core(s))[0]
        return type(found) is type(inner.op) or type(found) in _FLEXIBLE

    def _assign_factors(self, wanted: list[Factor], given: list[Factor], known: Bindings) -> Iterator[Bindings]:
        if not wanted:
            yield known
            return
        node, exponent = wanted[0]
        for position, (value, power) in enumerate(given):
            if power == exponent and not isinstance(node, Moved):
                ways = self._bind(node, value, known) if node in self._fits else self._atom(node, value, known)
                for found in ways:
                    yield from self._assign_factors(wanted[1:], [*given[:position], *given[position + 1 :]], found)

    def _atom(self, p: SSAValue, value: Node, known: Bindings) -> Iterator[Bindings]:
        """An op that is no product."""
        self._left -= 1
        s = core(value)
        if self._is_start(p, s):
            yield known
            return
        b, operands = made(s)
        if self._left < 0 or not isinstance(p, OpResult) or b is None:
            return
        a = p.op
        if type(a) in _SUMS:
            yield from self._sum(p, s, known)
            return
        if type(a) is not type(b) or a.properties != b.properties or len(a.operands) != len(operands):
            return
        if isinstance(a, ew.SelectOp):
            yield from self._select(a, operands, known)
        elif agree(a, b, operands):
            yield from self._any_order(a, operands, known)

    def _any_order(self, op: Operation, given: Sequence[Node], known: Bindings) -> Iterator[Bindings]:
        """The operands of `op` are `given`, in either order where it commutes."""
        for order in orders(op, given):
            pairs = list(zip(op.operands, order, strict=True))
            if all([self._may_hold(x, y) for x, y in pairs]):
                yield from self._all(pairs, known)

    def _all(self, pairs: Sequence[tuple[SSAValue, Node]], known: Bindings) -> Iterator[Bindings]:
        if not pairs:
            yield known
            return
        for found in self._match(*pairs[0], known):
            yield from self._all(pairs[1:], found)

    def _sum(self, p: SSAValue, s: Node, known: Bindings) -> Iterator[Bindings]:
        total, holes, rigid = self._apart.sum(p)
        for found, parts in sums(s, len(rigid)):
            if len(parts) != len(rigid):
                continue
            if len(holes) == 1 and holes[0][0] == 1 and not isinstance(hole := holes[0][1], Moved):
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
            if not isinstance(node, Moved):
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
        value = self._fitting(p, s)
        if value is None or not isinstance(p, BlockArgument):
            return
        before = known.operands.get(p.index)
        if before is None:
            yield Bindings({**known.operands, p.index: value}, known.numbers)
        elif before == value or (core(before) == core(value) and shape_of(before.type) == shape_of(value.type)):
            yield known

    def _fitting(self, p: SSAValue, s: Node) -> SSAValue | None:
        return next((v for v in reversed(layers(s)) if not isinstance(v, Moved) and self._apart.may_be(p, v)), None)

    def _number(self, hole: SSAValue, found: float, known: Bindings, tolerance: float) -> Iterator[Bindings]:
        name = self._holes[hole]
        before = known.numbers.get(name)
        if before is None:
            yield Bindings(known.operands, {**known.numbers, name: found})
        elif abs(before - found) <= tolerance * abs(before):
            yield known

    def _close(self, found: float, wanted: float) -> bool:
        if found == wanted or not isfinite(found - wanted):
            return found == wanted  # nothing finite is near an infinity
        return abs(found - wanted) <= self._tolerance * max(abs(wanted), abs(found))
