"""split-loops: a loop is cut where a comparison with its index becomes the same for all lanes (index-set splitting).

    for %j = 0 to %end step 64 {                     %i: rows of the program, which begin at %s
      %x = where %i < %j + lanes, -inf, %s
    }
 -> for %j = 0 to %middle step 64 { %x = %s }        no row is before a key there
    for %j = %middle to %end step 64 { ... }         as before

Attention compares every pair of a row and a key, and nearly all blocks of such pairs are wholly visible. The
instructions for each pair count, and the code is worth having twice. Of loops without products the step that is not
whole is cut off (peeled_steps.py), and marked ones load for the next iteration (prefetched_loads.py).

Source: Wolfe, "High Performance Compilers for Parallel Computing" (1996), index set splitting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.index_syntax import index_attribute, operand_name
from mlc_dialects.triton.dialect import BroadcastOp, CompareOp, DotOp, ForOp, FullOp, IndexOp, WhereOp
from mlc_support.index_expr import IndexExpr, Var, integer, variable
from mlc_support.index_parse import parse
from mlc_support.walks import walk
from passes.triton.lane_indices import AXES, LaneIndices, UnknownIndexError
from passes.triton.loop_parts import constant_truth, part_of
from passes.triton.peeled_steps import peel_remainder
from passes.triton.prefetched_loads import prefetch_loads


@dataclass(frozen=True)
class Known:
    """A comparison that is `truth` for all lanes of iterations from `place` on, or of those up to it."""

    op: CompareOp
    truth: bool
    place: IndexExpr
    from_on: bool


@dataclass(frozen=True)
class SplitLoopsPass(ModulePass):
    """Cuts loops where comparisons with their index, or masks, become the same for all lanes; pipelines marked ones."""

    name = "split-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [inner for inner in walk(op) if isinstance(inner, ForOp)]:
            if any(isinstance(inner, DotOp) for inner in loop.body.block.ops):
                _split(loop)
                continue
            for part in peel_remainder(loop):
                if part.prefetched is not None:
                    prefetch_loads(part)


def _split(loop: ForOp) -> None:
    """Cuts a loop if it compares its index."""
    lanes = LaneIndices()
    compared = [op for op in loop.body.block.ops if isinstance(op, CompareOp)]
    known = [k for k in (_known(op, loop, lanes) for op in compared) if k is not None]
    if known:
        _cut(loop, lanes, known)


def _cut(loop: ForOp, lanes: LaneIndices, known: list[Known]) -> None:
    """Two or three loops for one: those before and behind the middle only if a comparison is not known there."""
    bounds = _Bounds(loop, lanes)
    first = bounds.rounded_up([k.place for k in known if k.from_on])
    end = bounds.rounded_down([k.place for k in known if not k.from_on], first)
    middle = bounds.start if first is None else first
    carried = list(loop.initial)
    for start, stop in pairwise(place for place in (bounds.start, first, end, bounds.end) if place is not None):
        truths: dict[SSAValue, bool] = {k.op.result: k.truth for k in known} if start is middle else {}
        carried = list(part_of(loop, carried, start, stop, truths).outputs)
    Rewriter.replace_op(loop, [], carried)


class _Bounds:
    """Where the parts of a loop begin and end, as scalars before it."""

    def __init__(self, loop: ForOp, lanes: LaneIndices):
        self._loop, self._scalars = loop, lanes.scalars
        self._type, self._step = loop.body.block.args[0].type, loop.step.value.data
        self.start = loop.start or self._scalar(integer(0))
        self._first = lanes.of(self.start)
        extent = parse(loop.extent.data)
        given = {operand_name(k): lanes.of(v) for k, v in enumerate(loop.bounds)}
        self.end = self._scalar(extent.substitute(given))

    def rounded_up(self, places: list[IndexExpr]) -> SSAValue | None:
        """The first iteration from all of `places` on, at most the end; None for no places."""
        if not places:
            return None
        ahead = self._most([integer(0), *(p - self._first for p in places)])
        steps = (variable(operand_name(0)) + (self._step - 1)) // self._step
        return self._at_most_end(steps * self._step, ahead, "middle")

    def rounded_down(self, places: list[IndexExpr], least: SSAValue | None) -> SSAValue | None:
        """The first iteration behind any of `places`, from `least` to the end; None for no places."""
        if not places:
            return None
        # Iterations begin at multiples of the step: those that begin up to a place end one step behind it.
        ahead = self._scalar(places[0] - self._first + self._step)
        for place in places[1:]:
            ahead = self._add(arith.MinSIOp(ahead, self._scalar(place - self._first + self._step)))
        ahead = self._add(arith.MaxSIOp(ahead, self._scalar(integer(0))))
        found = self._at_most_end(variable(operand_name(0)) // self._step * self._step, ahead, "behind")
        return found if least is None else self._add(arith.MaxSIOp(found, least))

    def _at_most_end(self, ahead: IndexExpr, value: SSAValue, name: str) -> SSAValue:
        """The start plus an expression in `value`, at most the end."""
        place = self._add(
            IndexOp([value, self.start], index_attribute([ahead + variable(operand_name(1))]), self._type)
        )
        found = self._add(arith.MinSIOp(place, self.end))
        found.name_hint = name
        return found

    def _most(self, exprs: list[IndexExpr]) -> SSAValue:
        found = self._scalar(exprs[0])
        for expr in exprs[1:]:
            found = self._add(arith.MaxSIOp(found, self._scalar(expr)))
        return found

    def _scalar(self, expr: IndexExpr) -> SSAValue:
        """An expression over the scalars of `lanes`."""
        if expr.constant is not None:
            return self._add(FullOp(IntegerAttr(expr.constant, self._type), self._type))  # pyright: ignore
        names = sorted({v.name for v in expr.variables()})
        renamed = {name: variable(operand_name(k)) for k, name in enumerate(names)}
        given = [self._scalars[name] for name in names]
        return self._add(IndexOp(given, index_attribute([expr.substitute(renamed)]), self._type))

    def _add(self, op: Operation) -> SSAValue:
        Rewriter.insert_op(op, InsertPoint.before(self._loop))
        return op.results[0]


def _known(op: CompareOp, loop: ForOp, lanes: LaneIndices) -> Known | None:
    """Where the comparison is what leaves the values that it selects from; None where it does not tell."""
    truth = _wanted(op.result)
    try:
        difference = lanes.of(op.lhs) - lanes.of(op.rhs)
    except UnknownIndexError:
        return None
    below = _below_zero(op.predicate.data, difference)
    parts = None if below is None else _parts(below, loop, lanes)
    if truth is None or parts is None:
        return None
    factor, rest, least, most = parts
    # True where factor * j + rest + most < 0, false where factor * j + rest + least >= 0.
    place = -factor * (rest + most) + (1 if factor < 0 else -1) if truth else -factor * (rest + least)
    return Known(op, truth, place, (factor < 0) == truth)


def _below_zero(predicate: str, difference: IndexExpr) -> IndexExpr | None:
    """What is below 0 where a comparison of integers, of that difference, is true."""
    match predicate:
        case "lt":
            return difference
        case "le":
            return difference - 1
        case "gt":
            return -difference
        case "ge":
            return -difference - 1
        case _:
            return None


def _parts(expr: IndexExpr, loop: ForOp, lanes: LaneIndices) -> tuple[int, IndexExpr, int, int] | None:
    """The factor of the loop's index, 1 or -1, what does not vary in the loop, and the bounds of what lanes add."""
    index = str(lanes.of(loop.body.block.args[0]))
    factor, rest, least, most = 0, integer(0), 0, 0
    for monomial, coefficient in expr.terms:
        term = IndexExpr(((monomial, coefficient),))
        names = {v.name for v in term.variables()}
        if not names & {index, *AXES}:
            rest = rest + term
            if not all(_is_outside(lanes.scalars[name], loop) for name in names):
                return None
        elif len(monomial) != 1 or not isinstance(atom := monomial[0], Var):  # pyright: ignore
            return None
        elif atom.name == index:
            factor = coefficient
        else:
            far = coefficient * ((atom.extent.constant if atom.extent is not None else None) or 0)
            edge = far - coefficient if far else 0
            least, most = least + min(0, edge), most + max(0, edge)
    return (factor, rest, least, most) if factor in (1, -1) else None


def _is_outside(value: SSAValue, loop: ForOp) -> bool:
    """True for a scalar that is computed before the loop."""
    return value.owner is not loop.body.block and getattr(value.owner, "parent", None) is not loop.body.block


def _wanted(condition: SSAValue) -> bool | None:
    """The truth of `condition` with which selects do not give a constant; None if they do with either, or none is."""
    found = set(_wanted_by(condition))
    return next(iter(found)) if len(found) == 1 else None


def _wanted_by(condition: SSAValue) -> Iterator[bool | None]:
    for op in (use.operation for use in condition.uses):
        match op:
            case WhereOp() if op.condition is condition and _is_number(op.on_true) != _is_number(op.on_false):
                yield not _is_number(op.on_true)
            case arith.AndIOp() | arith.OrIOp() | BroadcastOp():
                yield from _wanted_by(op.results[0])
            case arith.XOrIOp() if (flips := constant_truth(op.rhs)) is not None:
                yield from (None if t is None else t != flips for t in _wanted_by(op.result))
            case _:
                yield None


def _is_number(value: SSAValue) -> bool:
    """True for a constant, or a block of one."""
    return isinstance(value.owner, FullOp) or (isinstance(value.owner, BroadcastOp) and _is_number(value.owner.input))
