"""tile-products: matrix products go by blocks of rows and columns, which tensor cores multiply.

    for i, j: out[i, j] = f(sum over k of a[i, k] * b[k, j])
 -> for p, program 0: for r, program 1: out[p, r] = f(sum over blocks of k of a[p, k] @ b[k, r])

Of a batch each program computes a block of one product. Programs of neighbours in memory run next to each other: those
of one block of rows, where the batch lies within rows (the groups of a convolution), else those of one of the batch.

Several axes that are summed become one, of which a step takes a part of the innermost: the channels of one place of a
convolution's window. What fusion has added stays in the kernel: what follows is computed on the block of the result
while registers hold it, what converts a factor on the way to tensor cores. Factors are 16-bit floats, which are
multiplied exactly and added in float32; or float32 where the loop is `tf32`, and they may be rounded for it.

Products that follow each other are in one loop over the keys, which `online-reduction` has made (`tile_online`).

The fields `rows`, `columns`, `depth`, `warps`, `stages` and `group` of a schedule are obeyed; else the tiling
of the least predicted time is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.dialect import KernelOp, LoadOp, ParallelOp, ReduceOp
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from passes.common.device import Device, DevicePass
from passes.common.product_tiling import (
    LEAST,
    WGMMA,
    ProductTiling,
    Sizes,
    best_tiling,
    blocks_of_group,
    predicted_us,
)
from passes.loop.analysis.axis_change import NewAxes, change_axes
from passes.loop.analysis.contraction import Contraction, contraction_of
from passes.loop.analysis.kernel_rewriter import LoopCopy
from passes.loop.analysis.online_products import batch_sum_of, nested_loop, online_products_of
from passes.loop.analysis.registers import index_bits
from passes.loop.schedule.tile_online import grid_places, tiled_online, tiled_sum

FIELDS = ("rows", "columns", "depth", "warps", "stages", "group", "descriptors")
"""Of a schedule."""
SUMMED = "k"
"""The name of the one axis that those which are summed become."""


@dataclass(frozen=True)
class TileProductsPass(DevicePass):
    """Maps contractions to blocks that tensor cores multiply."""

    name = "tile-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            contraction, online, total = contraction_of(kernel), online_products_of(kernel), batch_sum_of(kernel)
            if contraction is not None:
                tiling = _tiling(kernel, contraction.sizes, self.target)
                if tiling is not None:
                    new = tiled(kernel, contraction, self.target, *tiling)
                    alone = _is_uncapped(tiling[0], contraction.sizes, self.target)
                    new.resident = IntegerAttr(1, i64) if alone else None
                    Rewriter.replace_op(kernel, new, [])
            elif online is not None:
                Rewriter.replace_op(kernel, tiled_online(kernel, online, self.target), [])
            elif total is not None:
                Rewriter.replace_op(kernel, tiled_sum(kernel, total, self.target), [])
            elif kernel.decided("online") is None and nested_loop(kernel) is not None:
                raise MlcError(
                    f"tile-products: @{kernel.sym_name.data} is no product that others follow along one axis",
                    location_of(kernel),
                    'compile with products="library"',
                )


def _tiling(kernel: KernelOp, sizes: Sizes, device: Device) -> tuple[ProductTiling, str] | None:
    """The tiling that the kernel's schedule asks for, what is missing from the best one; and why it is taken."""
    best = best_tiling(sizes, device)
    if best is None:
        return None
    given = kernel.decided_numbers(*FIELDS)
    rows = given.get("rows", best.rows)
    tiling = replace(best, **({"group": blocks_of_group(sizes.m, rows)} | given))
    us = predicted_us(tiling, sizes, device)
    return tiling, f"blocks of {tiling} on tensor cores; {us:.1f} us predicted"


def _is_uncapped(tiling: ProductTiling, sizes: Sizes, device: Device) -> bool:
    """True where ptxas would spill to save registers that no other program takes.

    So it does with results of float32, where there is no room for a second block, and before wgmma with several
    products of blocks of 16 rows (sm_80).
    """
    narrow = device.capability < WGMMA and tiling.rows == LEAST and sizes.products > 1
    return narrow or (sizes.element_bytes == 4 and tiling.resident(sizes, device) == 1)


def tiled(kernel: KernelOp, contraction: Contraction, device: Device, tiling: ProductTiling, why: str) -> KernelOp:
    """The kernel with loops over the batch, over blocks of rows and over blocks of columns, and in these the sum."""
    old, summed = kernel.rows, contraction.loop
    if len(summed.indices) > 1:
        change_axes(kernel, {summed: NewAxes((SUMMED,), (summed.size,))})
    copy = LoopCopy(kernel, kernel.sym_name.data)
    outer, inner = _nest(copy, old, contraction, tiling, device)
    for op in old.body.block.ops:
        copy.op(op, inner.body.block)
    found, _ = copy.finish()
    (sums,) = (loop for loop in inner.loops if isinstance(loop, ReduceOp))
    outer.group = IntegerAttr(tiling.group, i64) if tiling.group > 1 else None
    sums.set_mapping(block=tiling.depth, stages=tiling.stages)
    sums.dot = UnitAttr()
    slices = tiling.slices(contraction.sizes, device)
    inner.slices = IntegerAttr(slices, i64) if slices > 1 else None
    if tiling.descriptors:
        outer.persistent = IntegerAttr(tiling.programs(contraction.sizes, device), i64)
        for load in (op for op in sums.body.block.ops if isinstance(op, LoadOp)):
            load.described = UnitAttr()
    found.warps, found.index_bits = IntegerAttr(tiling.warps, i64), IntegerAttr(index_bits(found), i64)
    found.carried_out(*FIELDS)
    found.why = StringAttr(why)
    return found


def _nest(
    copy: LoopCopy, old: ParallelOp, contraction: Contraction, tiling: ProductTiling, device: Device
) -> tuple[ParallelOp, ParallelOp]:
    """The loops over blocks of rows and of columns, in one over the batch if there is one; programs compute a block.

    A single row, which is no axis of the kernel, has a loop, too.
    """
    sides, places = contraction.sides, _places(contraction, tiling, device)
    axes = {"b": sides.batch, "p": sides.rows, "r": sides.columns}
    loops = copy.nest_along(old, {name: own for name, own in axes.items() if own or name == "p"})
    for name, loop in loops.items():
        loop.set_mapping(program=places[name], block={"p": tiling.rows, "r": tiling.columns}.get(name))
    return loops["p"], loops["r"]


def _places(contraction: Contraction, tiling: ProductTiling, device: Device) -> dict[str, int]:
    """The axes of the grid that the loops have: programs of neighbours in memory run next to each other."""
    sides, sizes = contraction.sides, contraction.sizes
    within = bool(sides.batch and sides.rows) and max(sides.batch) > max(sides.rows)
    rows = -(-sizes.m // tiling.rows)
    batch_first = rows <= device.grid_limits[1] if within else sizes.batch > device.grid_limits[2]
    return grid_places(batch_first)
