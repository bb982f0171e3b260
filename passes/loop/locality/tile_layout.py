"""tile-layout: what the rows of a tile have in common is loaded in the layout of the tile.

    %w = mlc_loop.load %weight[%r] : memref<256xbf16>              blocks of 8 rows and 256 columns, 8 warps
 -> %w = mlc_loop.load %weight[%r] each_row : memref<256xbf16>

Triton lays out each load by its own number of elements. A tile of 8 x 256 elements of 16 bits gives each lane 8
neighbours of a row, each warp one row. The 256 weights give each lane one: they would go to the tile's layout through
shared memory, with a barrier for each load, and a reduction that took over their layout would meet across all warps.
Loaded for each row they are laid out as the tile is. L1 serves the warps.

    %w = mlc_loop.load %weight[%r]                                64 rows and columns, 2 warps, contiguous across rows
 -> %w = mlc_loop.load %weight[%r] as_vector

A tile that is contiguous across its rows gives each lane 8 neighbours of a column. 64 weights would give each of 64
lanes one column, and the tile would take over that layout: all 64 rows of it, and 64 sums, in each lane. Loaded as a
vector of one dimension they go to the tile's layout, and not the other way around. So are weights of which each lane
needs more rows than it should load them for.

    %t = mlc_loop.load %sums[%r]                                  16 x 256 elements of 16 bits at once, 8 warps
 -> %t = mlc_loop.load %sums[%r] by_column

A persistent loop adds up for each of its 16 rows, of which each warp has two. Behind it warps add up what they have of
256 columns. Triton 3.6 has them write to shared memory so that all lanes of a warp meet in one bank, and read likewise.
The rows are first brought to a layout where one warp has all of a column, through shared memory without conflicts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import SSAValue

from mlc_dialects.loop.dialect import KernelOp, LoadOp, LocalOp, ReduceOp, SerialOp
from mlc_dialects.triton.types import LANES
from mlc_support.walks import meets, walk
from passes.common.device import Device, DevicePass
from passes.loop.schedule.blocks import Share, lies_otherwise, shares_of, summed_by_column, wants_each_row
from passes.loop.schedule.mapping import tiling_of
from passes.loop.schedule.workload import workload

EACH_ROW, AS_VECTOR = "each_row", "as_vector"


@dataclass(frozen=True)
class TileLayoutPass(DevicePass):
    """Marks loads of row vectors that would otherwise change their layout through shared memory, and sums over rows.

    Nothing is marked where the vector has elements for a part of the lanes alone: then all have it at once. Nor is what
    tensor cores multiply, as a scale of weights: blocks of factors have other rows.
    """

    name = "tile-layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is not None:
                if _has_tiles(kernel):
                    _mark(kernel, self.target)
                elif any(isinstance(loop, SerialOp) for loop in kernel.rows.loops):
                    _mark_sums(kernel, self.target)


def _has_tiles(kernel: KernelOp) -> bool:
    """True if a program holds several rows, and of a loop over columns one for each lane at least."""
    assert kernel.warps is not None
    lanes = LANES * kernel.warps.value.data
    return kernel.rows.block_size > 1 and any(loop.block_size >= lanes for loop in kernel.rows.loops)


def _is_factor(load: LoadOp) -> bool:
    """True if factors of products of blocks are computed from what is loaded."""

    def step(value: SSAValue) -> bool | Iterable[SSAValue]:
        users = [use.operation for use in value.uses]
        around = [op.parent_op() for op in users]
        return any(isinstance(op, ReduceOp) and op.dot is not None for op in around) or [
            r for op in users for r in op.results
        ]

    return meets(load.result, step)


def _mark(kernel: KernelOp, device: Device) -> None:
    """Marks the loads of one kernel: alike where they load the same, for what is computed from one is not repeated."""
    wanted: dict[LoadOp, set[str]] = {}
    equal: dict[Hashable, set[str]] = {}
    for share in shares_of(workload(kernel), tiling_of(kernel), device):
        for t in share.body.traffic:
            if isinstance(load := t.access.op, LoadOp) and not _is_factor(load):
                wanted[load] = equal.setdefault(_place(share, load), set())
                wanted[load] |= {EACH_ROW} if wants_each_row(share, t) else set()
                wanted[load] |= {AS_VECTOR} if lies_otherwise(share, t) else set()
    for load, marks in wanted.items():
        load.each_row = UnitAttr() if EACH_ROW in marks else None
        load.as_vector = UnitAttr() if marks == {AS_VECTOR} else None


def _place(share: Share, load: LoadOp) -> Hashable:
    """Equal for loads of the same in loops that hold their columns at once, and so are no loops in the end."""
    if share.body.loop is None or share.steps > 1:
        return load
    along = tuple(share.body.loop.indices)
    return load.buffer, load.index, tuple(along.index(v) if v in along else v for v in load.indices)


def _mark_sums(kernel: KernelOp, device: Device) -> None:
    """Marks the reads of what a persistent loop adds up, where warps have other rows of the same columns."""
    shared = any(summed_by_column(share) for share in shares_of(workload(kernel), tiling_of(kernel), device))
    for op in walk(kernel):
        if isinstance(op, LoadOp) and isinstance(op.buffer.owner, LocalOp):
            op.by_column = UnitAttr() if shared else None
