"""map-lanes: which iterations of a kernel run together on a CPU, by the memory that is contiguous along each axis.

    for i < 1000: for j < 4096: sum x[j, i]        64 neighbours i together: each line of memory is read once, whole
 -> for i < 1000 lanes 64
    for (i, j) < (512, 768): y[i, j] = x[j, i]     squares of i and j: what is contiguous along i is transposed
 -> for (i, j) < (512, 768) tile 0

Kernels whose loops inside, or whose last axis, follow memory stay as they are: LLVM vectorises those loops, argmax once
it is a max and a search.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.contiguity import crossing, is_contiguous
from mlc_dialects.loop.dialect import KernelOp, LoadOp, LoopOp, ParallelOp, StoreOp
from mlc_support.cpu import CPU
from mlc_support.index_maps import assumed
from mlc_support.walks import walk
from passes.loop.analysis.axis_change import NewAxes, change_axes
from passes.loop.reduction.two_pass_argmax import take_all_apart

ROW = "row"
"""What merged axes are called, with a number."""


@dataclass(frozen=True)
class MapLanesPass(ModulePass):
    """Sets `lanes` or `tile` of outer loops, where memory is contiguous along an axis that is not the innermost."""

    name = "map-lanes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                rows = kernel.rows
                if rows.loops and follows_rows(kernel):
                    _merge_short_axes(kernel)
                    rows.lanes = IntegerAttr(CPU.lanes, i64)
                elif rows.loops:
                    _search_in_two_passes(kernel)
                else:
                    axis = _crossing_axis(rows)
                    rows.tile = None if axis is None else IntegerAttr(axis, i64)


def follows_rows(kernel: KernelOp) -> bool:
    """True if more bytes are read and written in the order of the rows than in that of the loops inside them."""
    along_rows, along_columns = _bytes_along(kernel)
    return along_rows > along_columns


def _bytes_along(kernel: KernelOp) -> tuple[int, int]:
    """Bytes that a row moves which are contiguous along the last axis of the rows, and of the loop that they are in."""
    along_rows = along_columns = 0
    for op in walk(kernel):
        inside = op.parent_op()
        if isinstance(op, LoadOp | StoreOp) and isinstance(inside, LoopOp):
            count = 1 if inside is kernel.rows else assumed(inside.size)
            moved = count * byte_size(buffer_element(op.buffer.type))
            along_rows += moved * is_contiguous(op, kernel.rows.indices[-1])
            along_columns += moved * (inside is not kernel.rows and is_contiguous(op, inside.indices[-1]))
    return along_rows, along_columns


def _merge_short_axes(kernel: KernelOp) -> None:
    """Makes one axis of the last two rows axes while the last is no vector long and memory goes on along the other.

    So for the groups of a group norm and their few channels, which lie side by side.
    """
    while len(sizes := kernel.rows.sizes) > 1 and assumed(sizes[-1]) < CPU.vector_lanes:
        wider = kernel.clone()
        merge = (*sizes[:-2], sizes[-2] * sizes[-1])
        axes = NewAxes(tuple(f"{ROW}{k}" for k in range(len(merge))), merge)
        change_axes(wider, {wider.rows: axes})
        if _bytes_along(wider)[0] < _bytes_along(kernel)[0]:
            return
        change_axes(kernel, {kernel.rows: axes})


def _search_in_two_passes(kernel: KernelOp) -> None:
    """Takes argmax and argmin apart, along one axis of known size."""
    loops = kernel.rows.loops
    if all(len(loop.indices) == 1 and loop.size.constant is not None for loop in loops):
        take_all_apart(kernel)


def _crossing_axis(rows: ParallelOp) -> int | None:
    """The axis that most crossing bytes follow; None without any, or where a side is short of a tile."""
    moved = {
        axis: sum(byte_size(buffer_element(op.buffer.type)) for op in crossing(rows, axis))
        for axis in range(len(rows.indices) - 1)
        if min(assumed(rows.sizes[axis]), assumed(rows.sizes[-1])) >= CPU.vector_lanes
    }
    most = max(moved, key=moved.__getitem__, default=None)
    return most if most is not None and moved[most] else None
