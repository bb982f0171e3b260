"""Which keys a mask leaves: bounds of the loop over them, from the comparison of indices that hides scores.

x[i, j] = j > i + 2 ? -inf : s[i, j]      the keys j < i + 3 of row i may be seen, and no others
w[i, j] = exp(x[i, j] - m[i]) * g[i, j]   the same: all others are 0
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import IndexOp
from mlc_dialects.loop.products import depends_on
from mlc_support.index_expr import IndexExpr, Var, integer, variable
from passes.loop.analysis.precision import number_of

ROW, KEY = "row", "key"
"""What expressions call the indices."""
_NEGATED = {0: 1, 1: 0, 2: 5, 3: 4, 4: 3, 5: 2}
"""The predicates of `arith.cmpi` eq, ne, slt, sle, sgt, sge, and what holds where they do not."""
_TURNED = {0: 0, 2: 4, 3: 5, 4: 2, 5: 3}
"""The predicate for swapped operands."""

_ABOVE = {0: 1, 2: 0, 3: 1}
"""How far behind x the keys end that are equal to, below, or at most x."""
_BELOW = {0: 0, 4: 1, 5: 0}
"""How far behind x the keys begin that are equal to, above, or at least x."""


@dataclass(frozen=True)
class Bound:
    """Where a score may be seen, the key is at least `limit`, or below it if `upper`; it grows with `ROW`."""

    limit: IndexExpr
    upper: bool
    less: tuple[SSAValue, ...] = ()
    """What is subtracted from -inf before that becomes 0."""


def visible_keys(x: SSAValue, row: SSAValue, key: SSAValue, keys: IndexExpr) -> tuple[IndexExpr, IndexExpr] | None:
    """The first key of a row whose score x is not -inf, and the first behind the last, at the index `ROW`.

    Bounds: between them scores may be -inf too. None where the mask does not tell any.
    """
    return _range(list(_bounds(x, {row: variable(ROW), key: variable(KEY)})), keys)


def keys_that_count(
    x: SSAValue, row: SSAValue, key: SSAValue, rows: int, keys: int
) -> tuple[IndexExpr, IndexExpr] | None:
    """The same of a term x of a sum: others are 0, or NaN.

    An exponential of -inf - c is 0 as long as c is not -inf, as it is where a softmax sees nothing. None if by the
    bounds it might see nothing somewhere. Where scores are NaN, or something else hides all that the bounds leave, the
    keys outside them are not given NaN.
    """
    bounds = list(_bounds_of_term(x, {row: variable(ROW), key: variable(KEY)}))
    found = _range(bounds, integer(keys))
    if found is None:
        return None
    less = [c for b in bounds for c in b.less]
    blind = (any(depends_on(c, row) for c in less) and not _see_all(found, rows, keys)) or (
        any(depends_on(c, key) for c in less) and not _are_seen(found, rows, keys)
    )
    return None if blind else found


def _see_all(found: tuple[IndexExpr, IndexExpr], rows: int, keys: int) -> bool:
    """True if each row sees a key: bounds are linear, so that the first row and the last one tell."""
    return all(max(first, 0) < min(end, keys) for first, end in _at(found, (0, rows - 1)))


def _are_seen(found: tuple[IndexExpr, IndexExpr], rows: int, keys: int) -> bool:
    """True if a row sees each key: no row begins behind the end of the one before, nor the first one behind 0."""
    places = _at(found, (0, min(1, rows - 1), max(rows - 2, 0), rows - 1))
    joined = all(after[0] <= before[1] for before, after in (places[:2], places[2:]))
    full = all(first < end for first, end in places)
    return joined and full and places[0][0] <= 0 and places[-1][1] >= keys


def _at(found: tuple[IndexExpr, IndexExpr], rows: Sequence[int]) -> list[tuple[int, int]]:
    """The bounds at `rows`."""
    found_at: list[tuple[int, int]] = []
    for row in rows:
        first, end = (bound.substitute({ROW: integer(row)}).constant for bound in found)
        assert first is not None and end is not None, "bounds are linear in the row"
        found_at.append((first, end))
    return found_at


def _range(bounds: Sequence[Bound], keys: IndexExpr) -> tuple[IndexExpr, IndexExpr] | None:
    """The tightest bounds of either side; None if there is none."""
    lower = _tightest([b.limit for b in bounds if not b.upper], greatest=True)
    upper = _tightest([b.limit for b in bounds if b.upper], greatest=False)
    if lower is None and upper is None:
        return None
    return lower or integer(0), upper or keys


def _bounds_of_term(x: SSAValue, names: Mapping[SSAValue, IndexExpr]) -> Iterator[Bound]:
    """What must hold where x is neither 0 nor NaN."""
    op = x.owner
    match op:
        case arith.SelectOp():
            for value, other, truth in ((op.lhs, op.rhs, False), (op.rhs, op.lhs, True)):
                if number_of(value) == 0:
                    yield from _holding(op.cond, truth, names)
                    yield from _bounds_of_term(other, names)
        case arith.MulfOp():
            yield from _bounds_of_term(op.lhs, names)
            yield from _bounds_of_term(op.rhs, names)
        case arith.AddfOp() | arith.SubfOp():
            others = {(str(b.limit), b.upper): b.less for b in _bounds_of_term(op.rhs, names)}
            for b in _bounds_of_term(op.lhs, names):
                if (str(b.limit), b.upper) in others:
                    yield replace(b, less=(*b.less, *others[str(b.limit), b.upper]))
        case arith.DivfOp() | arith.NegfOp() | arith.ExtFOp() | arith.TruncFOp():
            yield from _bounds_of_term(op.operands[0], names)
        case math.ExpOp() | math.Exp2Op():
            yield from _bounds_of_difference(op.operand, names)
        case _:
            pass


def _bounds_of_difference(x: SSAValue, names: Mapping[SSAValue, IndexExpr]) -> Iterator[Bound]:
    """What must hold where x - c, or a positive multiple of it, is neither -inf nor NaN."""
    op = x.owner
    match op:
        case arith.SubfOp():
            yield from (replace(b, less=(*b.less, op.rhs)) for b in _bounds_of_difference(op.lhs, names))
        case arith.MulfOp() if (number_of(op.rhs) or 0) > 0:
            yield from _bounds_of_difference(op.lhs, names)
        case _:
            yield from _bounds(x, names)


def _bounds(x: SSAValue, names: Mapping[SSAValue, IndexExpr]) -> Iterator[Bound]:
    """What must hold where x is not -inf."""
    op = x.owner
    match op:
        case arith.SelectOp():
            for value, other, truth in ((op.lhs, op.rhs, False), (op.rhs, op.lhs, True)):
                if number_of(value) == -inf:
                    yield from _holding(op.cond, truth, names)
                    yield from _bounds(other, names)
        case arith.AddfOp():
            yield from _bounds(op.lhs, names)
            yield from _bounds(op.rhs, names)
        case arith.ExtFOp():
            yield from _bounds(op.input, names)
        case _:
            pass


def _holding(condition: SSAValue, truth: bool, names: Mapping[SSAValue, IndexExpr]) -> Iterator[Bound]:
    """The bounds that follow from `condition` being true, or false."""
    op = condition.owner
    match op:
        case arith.AndIOp() if truth:
            yield from (b for v in op.operands for b in _holding(v, True, names))
        case arith.OrIOp() if not truth:
            yield from (b for v in op.operands for b in _holding(v, False, names))
        case arith.XOrIOp() if _number(op.rhs) in (1, -1):
            yield from _holding(op.lhs, not truth, names)
        case arith.CmpiOp() if op.predicate.value.data in _NEGATED:
            number = op.predicate.value.data
            yield from _compared(number if truth else _NEGATED[number], op.lhs, op.rhs, names)
        case _:
            pass


def _compared(number: int, lhs: SSAValue, rhs: SSAValue, names: Mapping[SSAValue, IndexExpr]) -> Iterator[Bound]:
    """The bounds that follow from a comparison of what is linear in the key."""
    left, right = _linear(lhs, names), _linear(rhs, names)
    if left is None or right is None or number not in _TURNED:
        return
    difference = left - right
    rest = difference.substitute({KEY: integer(0)})
    factor = (difference - rest).substitute({KEY: integer(1)}).constant
    limit, number = (-rest, number) if factor == 1 else (rest, _TURNED[number])
    if factor not in (1, -1) or not _grows(limit):
        return
    if number in _ABOVE:
        yield Bound(limit + _ABOVE[number], upper=True)
    if number in _BELOW:
        yield Bound(limit + _BELOW[number], upper=False)


def _grows(limit: IndexExpr) -> bool:
    """True if a limit is linear in the row, and does not fall with it."""
    slope = (limit.substitute({ROW: integer(1)}) - limit.substitute({ROW: integer(0)})).constant
    return slope is not None and slope >= 0 and all(not m or _is_row(m) for m, _ in limit.terms)


def _is_row(monomial: tuple[object, ...]) -> bool:
    return len(monomial) == 1 and isinstance(monomial[0], Var) and monomial[0].name == ROW


def _linear(value: SSAValue, names: Mapping[SSAValue, IndexExpr]) -> IndexExpr | None:
    """An integer as an expression over the row and the key; None where it is none."""
    op = value.owner
    match op:
        case IndexOp() if all(v in names for v in op.indices):
            given = {operand_name(k): names[v] for k, v in enumerate(op.indices)}
            return index_exprs(op.index)[0].substitute(given)
        case arith.ConstantOp() if (number := _number(value)) is not None:
            return integer(number)
        case arith.AddiOp() | arith.SubiOp():
            a, b = _linear(op.lhs, names), _linear(op.rhs, names)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, arith.AddiOp) else a - b
        case _:
            return None


def _number(value: SSAValue) -> int | None:
    op = value.owner
    attribute = op.value if isinstance(op, arith.ConstantOp) else None
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def _tightest(limits: list[IndexExpr], greatest: bool) -> IndexExpr | None:
    """The greatest or the least of the limits, where they differ by a number; else the first of them."""
    best = limits[0] if limits else None
    for limit in limits[1:]:
        assert best is not None
        apart = (limit - best).constant
        if apart is not None and (apart > 0) == greatest:
            best = limit
    return best
