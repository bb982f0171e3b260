"""lane-order: neighbouring lanes access neighbouring places, also where Triton cannot tell which those are.

    mlc_triton.store %out[%p * 49 + (%r floordiv 49) * 18816 + (%r mod 49)] = %x           %p: 32 x 1, %r: 1 x 64
 -> mlc_triton.store %out[%p * 49 + (%r floordiv 49) * 18816 + (%r mod 49)] = %x along 1

Triton lets neighbouring lanes take what it knows to be contiguous. It knows so in powers of two: of a remainder by an
odd number nothing, and nothing where neighbours are two elements apart. Where it knows nothing of both, Triton
3.6 takes the first, and Triton 3.9 the last. A store as above then moves a sector of 32 bytes for each element.

The rules of what Triton knows are those of its axis analysis (AxisInfo.cpp).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import byte_size
from mlc_dialects.triton.dialect import LoadOp, StoreOp
from mlc_dialects.triton.types import block_element, block_shape
from mlc_support.index_expr import Atom, IndexExpr, Quotient, Var, integer
from mlc_support.index_maps import PROBES, usual_step
from mlc_support.walks import walk
from passes.common.device import SECTOR_BYTES
from passes.triton.lane_indices import AXES, LaneIndices, UnknownIndexError


@dataclass(frozen=True)
class LaneOrderPass(ModulePass):
    """Marks loads and stores of blocks with the dimension along which memory lies closest, where Triton cannot tell."""

    name = "lane-order"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for access in walk(op):
            if isinstance(access, LoadOp | StoreOp):
                axis = _untold(access)
                access.along = None if axis is None else IntegerAttr(axis, i64)


def _untold(access: LoadOp | StoreOp) -> int | None:
    """The dimension of the block along which neighbours share sectors; None if there is none, or if Triton knows it."""
    block = (access.result if isinstance(access, LoadOp) else access.value).type
    (offset,) = index_exprs(access.index)
    if len(block_shape(block)) != 2 or min(block_shape(block)) == 1 or _is_one_operand(offset):
        return None
    try:
        offset = LaneIndices().substituted(offset, access.indices)
    except UnknownIndexError:
        return None
    axis = _nearest(offset, SECTOR_BYTES // byte_size(block_element(block)))
    return None if axis is None or (abs(_step(offset, AXES[axis]) or 0) == 1 and _is_told(offset, AXES[axis])) else axis


def _nearest(offset: IndexExpr, limit: int) -> int | None:
    """The dimension along which neighbours lie closest, less than `limit` elements apart; None where two are alike.

    Nor is there one where neighbours along a dimension are one element: lanes may be in any order there.
    """
    steps = {axis: abs(step) for axis, name in enumerate(AXES) if (step := _step(offset, name)) is not None}
    near = sorted((step, axis) for axis, step in steps.items() if step < limit)
    if not near or near[0][0] == 0 or [step for step, _ in near].count(near[0][0]) > 1:
        return None
    return near[0][1]


def _is_one_operand(offset: IndexExpr) -> bool:
    """True if the address is an operand as it is: what is said of it would be said to all that use it."""
    match offset.terms:
        case (((Var(),), 1),):
            return True
        case _:
            return False


def _step(offset: IndexExpr, axis: str) -> int | None:
    """How far apart neighbours along an axis usually are, in elements; None if that is not known."""
    start = {v.name: integer(0) for v in offset.variables()}
    return usual_step(offset, [start | {axis: integer(k)} for k in range(PROBES)])


def _is_told(offset: IndexExpr, axis: str) -> bool:
    """True if Triton may know pairs of neighbours along an axis of which the steps are 1."""
    return _step_in_pairs(offset, axis) == 1


def _step_in_pairs(expr: IndexExpr, axis: str) -> int | None:
    """How far the second of each pair of neighbours along an axis is from the first; None if Triton does not know.

    A quotient by an even number is the same for both, as far as numbers tell that pairs begin at multiples of two.
    """
    total = 0
    for monomial, coefficient in expr.terms:
        steps = [_step_of(atom, axis) for atom in monomial]
        if None in steps or (len(steps) > 1 and any(steps)):
            return None
        total += coefficient * sum(step or 0 for step in steps)
    return total


def _step_of(atom: Atom, axis: str) -> int | None:
    """The same of a variable, a quotient or a remainder."""
    if isinstance(atom, Var):
        return int(atom.name == axis)
    step, divisor = _step_in_pairs(atom.dividend, axis), atom.divisor.constant
    begins = sum(c for m, c in atom.dividend.terms if not m)
    if step == 0:
        return 0
    if step != 1 or divisor is None or divisor % 2 or begins % 2:
        return None
    return 0 if isinstance(atom, Quotient) else 1
