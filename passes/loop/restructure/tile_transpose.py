"""tile-transpose: a flat loop over elements becomes two where memory runs along two different axes.

    for p: out[p] = f(x[p mod N, p floordiv N])       neighbours of p lie N apart in x
 -> for p, r: out[r, p] = f(x[p, r])                  tiles of p and r touch whole lines of both

The rows take the axes along which the result is contiguous, the columns the axis along which a transposed
read is. All other axes go before one of the two. Axes that lie next to each other everywhere count as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.buffers import buffer_shape
from mlc_dialects.common.index_syntax import operand_name
from mlc_dialects.common.types import Shape
from mlc_dialects.loop.dialect import KernelOp, LoopOp, ParallelOp, StoreOp
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import delinearize, linearize
from passes.common.device import WIDEST_BYTES
from passes.loop.analysis.coalescing import PROBES, Access, accesses, usual_step
from passes.loop.analysis.kernel_rewriter import LoopCopy

Sizes = tuple[int, ...]
"""The extents of the axes that a kernel walks, all known."""


@dataclass(frozen=True)
class TileTransposePass(ModulePass):
    """Splits the loop of pointwise kernels that read or write across the grain.

    Lines shorter than `shortest` elements, and kernels of unknown size, are left alone. Columns take `most_columns` at
    most, for which a grid has programs along its second axis; side by side `tile` of them are a block.
    """

    name = "tile-transpose"
    shortest: int = 8
    tile: int = 64
    most_columns: int = 1 << 20

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            split = self._split(kernel)
            if split is not None:
                Rewriter.replace_op(kernel, split_axes(kernel, *split), [])

    def _split(self, kernel: KernelOp) -> tuple[Sizes, list[int], list[int]] | None:
        """The shape that the kernel walks, and which of its axes rows and columns run over; None to leave it."""
        outer = kernel.rows
        every = list(accesses(kernel))
        found = [a for a in every if len(a.loops) == 1 and not a.looks_up]
        stores = [a for a in found if isinstance(a.op, StoreOp)]
        if any(isinstance(op, LoopOp) for op in outer.body.block.ops) or not stores:
            return None
        shape = _sizes(buffer_shape(stores[0].op.buffer.type))
        if not shape or prod(shape) != outer.size.constant:
            return None
        shape = collapsed(found, shape)
        steps = {access: axis_steps(access, shape) for access in found}
        first = _heaviest(found, steps, shape)
        # What is the same along a line is read once a line; of places to look up a tile reads many before it waits,
        # unless lines begin anywhere, so that only a flat loop has wide stores.
        whole = first is not None and shape[first] * stores[0].element_bytes % WIDEST_BYTES == 0
        along = (1,) if whole and any(a.looks_up for a in every) else (0, 1)
        across = [a for a in found if first is not None and steps[a][first] not in along]
        second = _heaviest(across, steps, shape)
        if first is None or second is None:
            return None
        run = _run(list(steps.values()), first, second, shape)
        if min(_count(shape, run), shape[second]) < self.shortest:
            return None
        rest = [d for d in range(len(shape)) if d not in run and d != second]
        if shape[second] % self.tile == 0 and _count(shape, [*rest, second]) <= self.most_columns:
            return shape, run, [*rest, second]  # neighbouring programs write neighbouring lines
        if shape[second] > self.most_columns:
            return shape, [*rest, second], run
        return shape, [*rest, *run], [second]


def _count(shape: Sizes, axes: Sequence[int]) -> int:
    """How many places the axes have together."""
    return prod(shape[d] for d in axes)


def _sizes(shape: Shape) -> Sizes | None:
    """The numbers of `shape`; None if one is unknown or there are no elements."""
    found = tuple(size.constant for size in shape)
    return None if None in found or 0 in found else found  # pyright: ignore[reportReturnType]


def axis_steps(access: Access, shape: Sizes) -> Sizes:
    """How far the access moves in memory, in elements, from the first place along each axis of `shape` to the next."""
    name, sizes = operand_name(0), tuple(map(integer, shape))
    strides = [
        linearize(tuple(integer(int(d == axis)) for d in range(len(shape))), sizes) for axis in range(len(shape))
    ]
    walks = [
        [{name: stride * k} for k in range(max(2, min(PROBES, size)))]
        for stride, size in zip(strides, shape, strict=True)
    ]
    return tuple(usual_step(access.offset, places) or 0 for places in walks)


def collapsed(found: Sequence[Access], shape: Sizes) -> Sizes:
    """`shape` with axes joined that lie next to each other in all of `found`; axes of size 1 are left out."""
    steps = [axis_steps(access, shape) for access in found]
    kept: list[int] = []
    last: int | None = None
    for axis in (d for d in range(len(shape)) if shape[d] > 1):
        if last is not None and all(s[last] == s[axis] * shape[axis] for s in steps):
            kept[-1] *= shape[axis]
        else:
            kept.append(shape[axis])
        last = axis
    return tuple(kept)


def line_axis(steps: Sizes, shape: Sizes) -> int | None:
    """The axis along which neighbours lie side by side in memory; None for none."""
    return next((d for d in reversed(range(len(shape))) if shape[d] > 1 and steps[d] == 1), None)


def _heaviest(found: Sequence[Access], steps: Mapping[Access, Sizes], shape: Sizes) -> int | None:
    """The axis along which most bytes of `found` lie side by side; what is written counts twice."""
    weights: dict[int, int] = {}
    for access in found:
        axis = line_axis(steps[access], shape)
        if axis is not None:
            moved = prod(n for n, step in zip(shape, steps[access], strict=True) if step)
            weight = moved * access.element_bytes * (2 if isinstance(access.op, StoreOp) else 1)
            weights[axis] = weights.get(axis, 0) + weight
    return max(weights, key=lambda d: (weights[d], d), default=None)


def _run(steps: Sequence[Sizes], first: int, second: int, shape: Sizes) -> list[int]:
    """The axes that end in `first`, `second` not among them, along which contiguous accesses go on without a gap."""
    run, length = [first], shape[first]
    while run[0] > 0 and run[0] - 1 != second and all(s[run[0] - 1] == length for s in steps if s[first] == 1):
        run.insert(0, run[0] - 1)
        length *= shape[run[0]]
    return run


def split_axes(kernel: KernelOp, shape: Sizes, rows: Sequence[int], columns: Sequence[int]) -> KernelOp:
    """`kernel` with its flat loop over `shape` split into one over the axes `rows` and one over `columns`."""
    old = kernel.rows
    copy = LoopCopy(kernel, kernel.sym_name.data)
    row_loop, column_loop = copy.outer(integer(_count(shape, rows)), "p"), ParallelOp(integer(_count(shape, columns)))
    column_loop.index.name_hint, column_loop.location = "r", old.location
    row_loop.body.block.add_op(column_loop)
    index: dict[int, IndexExpr] = {}
    for name, axes, loop in (("p", rows, row_loop), ("r", columns, column_loop)):
        places = delinearize(variable(name, loop.size), tuple(integer(shape[d]) for d in axes))
        index |= dict(zip(axes, places, strict=True))
    position = linearize(tuple(index[d] for d in range(len(shape))), tuple(map(integer, shape)))
    copy.bind(old.index, position, {"p": row_loop.index, "r": column_loop.index})
    for op in old.body.block.ops:
        copy.op(op, column_loop.body.block)
    return copy.finish()[0]
