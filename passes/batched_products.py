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
    if not all(_is_joined(v, batch) for v in inner.operands):
        return None
    return MatmulOp(*(_split(v, len(batch)) for v in inner.operands))


def _is_joined(value: SSAValue, batch: Shape) -> bool:
    """True if a reshape made the one batch dimension of `value` out of `batch`; a permutation may follow it."""
    op = value.owner
    if isinstance(op, PermuteOp) and list(op.order) == [0, 2, 1]:
        return _is_joined(op.input, batch)
    return isinstance(op, ReshapeOp) and op.input_shape == (*batch, *op.shape[-2:])


def _split(value: SSAValue, count: int) -> SSAValue:
    """`value` as it was before its batch dimensions, `count` of them, were joined."""
    op = value.owner
    if isinstance(op, PermuteOp):
        return PermuteOp(_split(op.input, count), [*range(count), count + 1, count]).result
    assert isinstance(op, ReshapeOp)
    return op.input


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
