"""Products that follow each other, mapped to blocks of rows and steps along the keys.

    for b, i, n:  m, s, o = softmax x, weighted v over j,   x = f(sum over k of q[b, i, k] * k[b, j, k])
 -> for b, program 1: for p, program 0: for r: the same over blocks of j,   x = f(q[b, p] @ k[b].T)

    for b, i, j: s = sum over a of f(sum over k of q[a, b, i, k] * k[a, b, j, k])
 -> for b, program 2: for p, program 0: for r, program 1: the same of blocks,   f(q[a, b, p] @ k[a, b, r].T)

A program holds what is summed for its rows in registers, and all columns of it, or a block of those. The fields `rows`,
`depth`, `warps` and `stages` of a schedule are obeyed; else the tiling of the least predicted time is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i64

from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.common.reduction_kinds import WEIGHTED
from mlc_dialects.loop.dialect import KernelOp, ParallelOp, ReduceOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.locations import location_of
from passes.common.device import Device
from passes.common.online_tiling import OnlineSizes, OnlineTiling, best_online_tiling, predicted_us, width_of
from passes.loop.analysis.kernel_rewriter import LoopCopy, index_of
from passes.loop.analysis.online_products import BatchSum, OnlineProducts
from passes.loop.analysis.registers import index_bits
from passes.loop.analysis.visible_keys import ROW, keys_that_count, visible_keys

FIELDS = ("rows", "depth", "warps", "stages")
"""Of a schedule."""


def tiled_online(kernel: KernelOp, found: OnlineProducts, device: Device) -> KernelOp:
    """The kernel with a loop over the batch, in it one over blocks of rows, perhaps columns, and in that the keys."""
    tiling, why = _tiling(kernel, found.sizes, device)
    new, loops, keys = _nested(kernel, {"b": found.batch, "p": found.rows, "r": found.columns})
    _map_outer(loops, tiling, found, device)
    whole = found.sizes.is_whole
    keys.set_mapping(block=tiling.depth, stages=tiling.stages if whole else 1)
    keys.dot = UnitAttr() if found.columns else None
    _check_span(keys)
    _limit(keys, loops["p"])
    _multiply_blocks(keys, stages=1 if whole else tiling.stages)
    return _scheduled(new, tiling, why)


def tiled_sum(kernel: KernelOp, found: BatchSum, device: Device) -> KernelOp:
    """The kernel with loops over what is left of the batch, and over blocks of rows and columns; in these the sum."""
    tiling, why = _tiling(kernel, found.sizes, device)
    sides, places = found.sides, grid_places(found.sizes.batch > device.grid_limits[2])
    new, loops, total = _nested(kernel, {"b": sides.batch, "p": sides.rows, "r": sides.columns})
    for name, loop in loops.items():
        loop.set_mapping(program=places[name], block={"p": tiling.rows, "r": tiling.depth}.get(name))
    total.set_mapping(stages=tiling.stages)
    _multiply_blocks(total, stages=1)
    return _scheduled(new, tiling, why)


def grid_places(batch_first: bool) -> dict[str, int]:
    """The axes of the grid that loops over the batch, rows and columns have; programs along axis 0 run first."""
    return {name: place for place, name in enumerate("bpr" if batch_first else "prb")}


def _nested(kernel: KernelOp, axes: Mapping[str, tuple[int, ...]]) -> tuple[KernelOp, dict[str, ParallelOp], ReduceOp]:
    """The kernel with a loop for each group of its axes, these loops by name, and the one that reduces inside."""
    copy = LoopCopy(kernel, kernel.sym_name.data)
    loops = copy.nest_along(kernel.rows, {name: own for name, own in axes.items() if own or name == "p"})
    block = next(reversed(loops.values())).body.block
    for op in kernel.rows.body.block.ops:
        copy.op(op, block)
    new, _ = copy.finish()
    (inside,) = (op for op in block.ops if isinstance(op, ReduceOp))
    return new, loops, inside


def _multiply_blocks(loop: ReduceOp, stages: int) -> None:
    """Tensor cores multiply blocks for the scores in `loop`."""
    for scores in loop.loops:
        assert isinstance(scores, ReduceOp)
        scores.set_mapping(block=width_of(scores.size.constant or 1), stages=stages)
        scores.dot = UnitAttr()


def _scheduled(kernel: KernelOp, tiling: OnlineTiling, why: str) -> KernelOp:
    """The mapped kernel, with the rest of its schedule."""
    kernel.warps, kernel.index_bits = IntegerAttr(tiling.warps, i64), IntegerAttr(index_bits(kernel), i64)
    kernel.carried_out(*FIELDS)
    kernel.why = StringAttr(why)
    return kernel


def _map_outer(loops: Mapping[str, ParallelOp], tiling: OnlineTiling, found: OnlineProducts, device: Device) -> None:
    """Programs have a block of rows of one of the batch, and all columns."""
    batch = loops["b"].size.constant if "b" in loops else 1
    many = batch is None or batch > device.grid_limits[1]
    if "b" in loops:
        loops["b"].set_mapping(program=0 if many else 1)
    loops["p"].set_mapping(program=1 if many else 0, block=tiling.rows)
    if "r" in loops:
        loops["r"].set_mapping(block=found.sizes.held)


def _check_span(keys: ReduceOp) -> None:
    """MlcError where a span of keys is not one of whole steps."""
    bounds = () if keys.span is None else index_exprs(keys.span)
    if any((bound % keys.block_size).constant != 0 for bound in bounds):
        raise MlcError(
            f"tile-products: a span of keys does not go by steps of {keys.block_size}",
            location_of(keys),
            "ask for a smaller `depth`, or for parts that are a multiple of it",
        )


def _limit(keys: ReduceOp, rows: ParallelOp) -> None:
    """Leaves out keys that a mask hides from all rows of a block; where the last rows see most they go first."""
    seen = _visible(keys, rows)
    if seen is None:
        return
    first, end = seen
    near, before = index_of(seen, {ROW: rows.index})[0], len(keys.near)
    keys.visible = index_attribute([e.substitute({ROW: variable(operand_name(before))}) for e in seen])
    keys.operands = [*keys.near, *near]
    rows.backwards = UnitAttr() if first.constant is not None and end.constant is None else None


def _visible(keys: ReduceOp, rows: ParallelOp) -> tuple[IndexExpr, IndexExpr] | None:
    """The bounds of the keys of which something is more than what a mask hides; None where there are none."""
    kinds, size, many = {kind for kind, _, _ in keys.parts}, keys.size.constant, rows.size.constant
    if kinds <= {"softmax", WEIGHTED}:
        seen = [visible_keys(x, rows.index, keys.index, keys.size) for kind, x, _ in keys.parts if kind == "softmax"]
        return seen[0] if len(seen) == 1 else None
    if size is None or many is None:
        return None
    seen = [keys_that_count(x, rows.index, keys.index, many, size) for _, x, _ in keys.parts]
    return seen[0] if kinds == {"add"} and all(one == seen[0] for one in seen) else None


def _tiling(kernel: KernelOp, sizes: OnlineSizes, device: Device) -> tuple[OnlineTiling, str]:
    """The tiling that the kernel's schedule asks for, what is missing from the best one; and why it is taken."""
    best = best_online_tiling(sizes, device)
    if best is None:
        raise MlcError(
            f"tile-products: no block of {sizes.rows} x {sizes.keys} scores fits {device.name}",
            location_of(kernel),
            'compile with products="library"',
        )
    tiling = replace(best, **kernel.decided_numbers(*FIELDS))
    us = predicted_us(tiling, sizes, device)
    return tiling, f"blocks of {tiling} on tensor cores, scores in registers; {us:.1f} us predicted"
