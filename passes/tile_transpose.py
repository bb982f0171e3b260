"""tile-transpose: a flat loop over elements becomes two where memory runs along two different axes.

    for p: out[p] = f(x[p mod N, p floordiv N])       neighbours of p lie N apart in x
 -> for p, r: out[r, p] = f(x[p, r])                  tiles of p and r touch whole lines of both

The inner loop takes the axis along which a transposed read is contiguous, the outer one all others,
with the axis along which the result is contiguous innermost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.buffers import buffer_shape
from mlc_dialects.index_syntax import operand_name
from mlc_dialects.mlc_loop import KernelOp, LoopOp, ParallelOp, StoreOp
from mlc_dialects.types import Shape
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import delinearize, linearize
from passes.loop_access import Access, accesses
from passes.loop_copy import LoopCopy


@dataclass(frozen=True)
class TileTransposePass(ModulePass):
    """Splits the loop of pointwise kernels that read or write across the grain.

    Axes shorter than `shortest`, and kernels of unknown size, are left alone.
    """

    name = "tile-transpose"
    shortest: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            axes = self._axes(kernel)
            if axes is not None:
                tiled = split_axes(kernel, *axes)
                tiled.location = kernel.location
                op.body.block.insert_op_before(tiled, kernel)
                Rewriter.erase_op(kernel)

    def _axes(self, kernel: KernelOp) -> tuple[Shape, int, int] | None:
        """The shape that the kernel walks, the axis of its result's lines and that of a read's; None to leave it."""
        outer = kernel.rows
        found = list(accesses(kernel))
        stores = [a for a in found if isinstance(a.op, StoreOp)]
        if any(isinstance(op, LoopOp) for op in outer.body.block.ops) or not stores:
            return None
        shape = buffer_shape(stores[0].op.buffer.type)
        if any(s.constant is None or s.constant == 0 for s in shape) or product(shape) != outer.size:
            return None
        weights: dict[int, int] = {}
        for access in found:
            axis = line_axis(access, shape)
            if axis is not None:
                weights[axis] = weights.get(axis, 0) + access.element_bytes * (2 if access in stores else 1)
        long = [d for d in weights if (shape[d].constant or 0) >= self.shortest]
        if len(long) < 2:
            return None
        first, second = sorted(long, key=lambda d: (-weights[d], -d))[:2]
        return shape, first, second


def line_axis(access: Access, shape: Shape) -> int | None:
    """The axis of `shape` along which the access's neighbours lie side by side in memory; None for none."""
    if len(access.loops) != 1 or access.looks_up:
        return None
    name = operand_name(0)
    start = access.offset.substitute({name: integer(0)})
    for axis in reversed(range(len(shape))):
        if shape[axis].constant == 1:
            continue
        place = linearize(tuple(integer(int(d == axis)) for d in range(len(shape))), shape)
        if (access.offset.substitute({name: place}) - start).constant == 1:
            return axis
    return None


def split_axes(kernel: KernelOp, shape: Shape, inner: int, outer: int) -> KernelOp:
    """`kernel` with its flat loop over `shape` split: rows end in the axis `inner`, columns are the axis `outer`."""
    old = kernel.rows
    rows = [d for d in range(len(shape)) if d not in (inner, outer)] + [inner]
    copy = LoopCopy(kernel, kernel.sym_name.data)
    row_loop = ParallelOp(product(shape[d] for d in rows))
    column_loop = ParallelOp(shape[outer])
    row_loop.index.name_hint, column_loop.index.name_hint = "p", "r"
    copy.block.add_op(row_loop)
    row_loop.body.block.add_op(column_loop)
    position = _position(shape, rows, outer, row_loop.size, column_loop.size)
    copy.bind(old.index, position, {"p": row_loop.index, "r": column_loop.index})
    for op in old.body.block.ops:
        copy.op(op, column_loop.body.block)
    return copy.finish()[0]


def _position(shape: Shape, rows: Sequence[int], outer: int, p: IndexExpr, r: IndexExpr) -> IndexExpr:
    """The old flat index at (p, r), whose extents are given."""
    index = [integer(0)] * len(shape)
    for axis, i in zip(rows, delinearize(variable("p", p), tuple(shape[d] for d in rows)), strict=True):
        index[axis] = i
    index[outer] = variable("r", r)
    return linearize(tuple(index), shape)
