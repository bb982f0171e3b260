"""Loop peeling: the one step of a loop that is not whole becomes a loop of its own, and the others need no mask.

    for %s in range(0, 1000, 64):            for %s in range(0, 960, 64):
      %m = mask %s + %lane < 1000              %x = load %p[...]
      %x = load %p[...] mask %m         ->     %y = add %acc, %x
      %y = where %m, add %acc, %x, %acc      for %s in range(960, 1000, 64):  as before

Without a mask an element takes fewer instructions, and ptxas unrolls the loop: more loads are on their way at once. A
loop that walks backwards has that step first.

Loops whose loads are pipelined stay: the next step is on its way while one is computed, up to the last. So do short
ones, and loops of products, whose masks cost little beside these.

Source: Wolfe, "High Performance Compilers for Parallel Computing" (1996), loop peeling.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.triton.dialect import DotOp, ForOp, FullOp, MaskOp
from mlc_support.index_expr import IndexExpr, Var
from mlc_support.index_parse import parse
from passes.triton.lane_indices import LaneIndices, UnknownIndexError
from passes.triton.loop_parts import part_of

FEWEST_STEPS = 4
"""Loops of fewer whole steps are not worth having their code twice."""


def peel_remainder(loop: ForOp) -> list[ForOp]:
    """Takes the step that is not whole out of a loop over blocks, if masks are all true in the others.

    Returns the loops that are left.
    """
    extent, step = parse(loop.extent.data).constant, loop.step.value.data
    if extent is None or extent % step == 0 or extent // step < FEWEST_STEPS or not _is_plain(loop):
        return [loop]
    last = extent // step * step
    if masks := _never_false(loop, range(0, last, step)):
        return _cut(loop, (0, last, extent), masks, whole=0)
    if masks := _never_false(loop, range(step, extent, step)):
        return _cut(loop, (0, step, extent), masks, whole=step)
    return [loop]


def _is_plain(loop: ForOp) -> bool:
    """True for a loop from 0 on, whose steps follow each other, without loops or products in it."""
    if loop.start is not None or any(isinstance(op, ForOp | DotOp) for op in loop.body.block.ops):
        return False
    return loop.stages is None and loop.unrolled is None and loop.flattened is None


def _never_false(loop: ForOp, starts: range) -> list[SSAValue]:
    """The masks that are true for all lanes in the steps that begin at `starts`."""
    return [op.result for op in loop.body.block.ops if isinstance(op, MaskOp) and _is_true(op, loop, starts)]


def _is_true(mask: MaskOp, loop: ForOp, starts: range) -> bool:
    """True if each index of a mask is linear in the loop's variable and the lanes, and below its bound."""
    lanes = LaneIndices()
    variable = str(lanes.of(loop.body.block.args[0]))
    try:
        indices = [lanes.of(index) for index in mask.indices]
    except UnknownIndexError:
        return False
    ends = {variable: (starts[0], starts[-1])}
    return all(_is_below(i, limit.constant, ends) for i, limit in zip(indices, index_exprs(mask.limits), strict=True))


def _is_below(index: IndexExpr, limit: int | None, ends: dict[str, tuple[int, int]]) -> bool:
    """True if a linear `index` is below `limit` where each variable is at one of its `ends`, and so in between."""
    lanes = {
        v.name: v.extent.constant if v.extent is not None else None for v in index.variables() if v.name not in ends
    }
    if limit is None or None in lanes.values() or not _is_linear(index):
        return False
    ends = ends | {name: (0, size - 1) for name, size in lanes.items() if size is not None}
    return all(index.evaluate(dict(zip(ends, at, strict=True))) < limit for at in product(*ends.values()))


def _is_linear(index: IndexExpr) -> bool:
    """True for a sum of variables, each times a number."""
    return all(len(monomial) <= 1 and all(isinstance(a, Var) for a in monomial) for monomial, _ in index.terms)


def _cut(loop: ForOp, places: Sequence[int], masks: Sequence[SSAValue], whole: int) -> list[ForOp]:
    """Two loops for one, between the `places`; in that from `whole` on no lane is masked, and it alone loads ahead."""
    index = loop.body.block.args[0].type
    bounds = [FullOp(IntegerAttr(place, index), index) for place in places]  # pyright: ignore
    for bound in bounds:
        Rewriter.insert_op(bound, InsertPoint.before(loop))
    carried, parts = list(loop.initial), list[ForOp]()
    for place, (start, stop) in zip(places, pairwise(bounds), strict=False):
        known = dict.fromkeys(masks, True) if place == whole else {}
        part = part_of(loop, carried, start.result, stop.result, known)
        part.prefetched = loop.prefetched if place == whole else None
        carried = list(part.outputs)
        parts.append(part)
    Rewriter.replace_op(loop, [], carried)
    return parts
