"""transposed-loads: a factor of products that is loaded again the other way round is the transpose of the first.

    %k = load p[%j * 64 + %d]         %j: 1 x 64,  %d: 64 x 1
    %s = dot %q, %k
    %again = load p[%j2 * 64 + %d2]   %j2: 64 x 1, %d2: 1 x 64
    %o = dot %w, %again
 -> %again = transpose %k

Gradients of attention multiply by keys and by their transpose. Tensor cores take either from one copy in shared memory,
which is loaded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.triton.dialect import BroadcastOp, DotOp, KernelOp, LoadOp, MaskOp, TransposeOp
from mlc_dialects.triton.types import block_shape
from mlc_support.index_expr import IndexExpr
from mlc_support.walks import walk
from passes.triton.lane_indices import AXES, LaneIndices, UnknownIndexError


@dataclass(frozen=True)
class TransposedLoadsPass(ModulePass):
    """Makes transposes of loads of factors that another load has already, with rows and columns exchanged."""

    name = "transposed-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                _share({load.parent for load in walk(kernel) if isinstance(load, LoadOp) and load.parent is not None})


def _share(blocks: set[Block]) -> None:
    for block in blocks:
        known: dict[object, LoadOp] = {}
        for load in [op for op in block.ops if isinstance(op, LoadOp) and _is_factor(op)]:
            try:
                first = known.setdefault(_read(load, AXES), load)
                other = known.get(_read(load, AXES[::-1]), load)
            except UnknownIndexError:
                continue
            if first is load and other is not load:
                transpose = TransposeOp(other.result)
                transpose.location, transpose.result.name_hint = load.location, load.result.name_hint
                Rewriter.replace_op(load, transpose)


def _is_factor(load: LoadOp) -> bool:
    """True if products alone read the block, which has two dimensions."""
    uses = [*load.result.uses]
    wide = sum(size > 1 for size in block_shape(load.result.type)) == 2
    return wide and bool(uses) and all(isinstance(u.operation, DotOp) and u.index < 2 for u in uses)


def _read(load: LoadOp, axes: Sequence[str]) -> object:
    """What the lane at a place of the block loads, with the two coordinates of the place called `axes`."""
    (index,), lanes = index_exprs(load.index), LaneIndices(axes)
    return load.pointer, lanes.substituted(index, load.indices), _conditions(load.mask, lanes), load.other


def _conditions(mask: SSAValue | None, lanes: LaneIndices) -> frozenset[tuple[IndexExpr, IndexExpr]]:
    """The indices that a mask compares with their bounds."""
    match None if mask is None else mask.owner:
        case None:
            return frozenset()
        case BroadcastOp() as op:
            return _conditions(op.input, lanes)
        case arith.AndIOp() as op:
            return _conditions(op.lhs, lanes) | _conditions(op.rhs, lanes)
        case MaskOp() as op:
            limits = (lanes.substituted(e, op.bounds) for e in index_exprs(op.limits))
            return frozenset(zip(map(lanes.of, op.indices), limits, strict=True))
        case _:
            raise UnknownIndexError
