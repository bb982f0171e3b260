"""Products of matrices over several batch dimensions, as formulas have them, and over one, as libraries take them."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor_ops import MatmulOp
from mlc_dialects.tensor_views import PermuteOp, ReshapeOp
from mlc_dialects.types import Shape, shape_of
from mlc_support.index_expr import product
from mlc_support.rewriting import rule


@rule
def merge_batches(op: ReshapeOp) -> Operation | None:
    """reshape(reshape(x) @ reshape(y)) == x @ y, where the reshapes join and split batch dimensions alone"""
    inner = op.input.owner
    if not isinstance(inner, MatmulOp) or not op.input.has_one_use() or len(op.shape) <= len(op.input_shape):
        return None
    batch = op.shape[:-2]
    if op.shape[-2:] != op.input_shape[-2:] or len(op.input_shape) != 3:
        return None
    operands = [_split(v, batch) for v in inner.operands]
    return MatmulOp(*operands) if all(v is not None for v in operands) else None  # pyright: ignore[reportArgumentType]


def _split(value: SSAValue, batch: Shape) -> SSAValue | None:
    """`value` with its one batch dimension as `batch`, where a reshape had joined it."""
    op = value.owner
    wanted = (*batch, *shape_of(value.type)[-2:])
    if isinstance(op, ReshapeOp) and op.input_shape == wanted:
        return op.input
    if isinstance(op, PermuteOp) and list(op.order) == [0, 2, 1]:
        inner = _split(op.input, batch)
        rank = len(wanted)
        return None if inner is None else PermuteOp(inner, [*range(rank - 2), rank - 1, rank - 2]).result
    return None


@rule
def join_batches(op: MatmulOp) -> Operation | None:
    """x @ y == reshape(reshape(x) @ reshape(y)), with one batch dimension: the form that `aten.bmm` takes"""
    shape = shape_of(op.result.type)
    if len(shape) <= 3:
        return None
    flat = [ReshapeOp(v, [product(shape[:-2]), *shape_of(v.type)[-2:]]).result for v in op.operands]
    return ReshapeOp(MatmulOp(*flat), shape)


MERGE_BATCHES = (merge_batches,)
JOIN_BATCHES = (join_batches,)
