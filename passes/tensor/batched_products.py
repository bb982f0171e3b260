"""Products of matrices over several batch dimensions, as formulas have them, and over one, as libraries take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.tensor.ops import MatmulOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_support.index_expr import product
from mlc_support.rewriting import rule

DimT = TypeVar("DimT")


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
    return MatmulOp(*(_split(v, batch) for v in inner.operands))


def _is_joined(value: SSAValue, batch: Shape) -> bool:
    """True if a reshape made the one batch dimension of `value` out of several; a permutation may follow it."""
    op = value.owner
    if isinstance(op, PermuteOp) and list(op.order) == [0, 2, 1]:
        return _is_joined(op.input, batch)
    if not isinstance(op, ReshapeOp) or op.input_shape[-2:] != op.shape[-2:] or len(op.input_shape) <= 3:
        return False
    return product(op.shape[:-2]) == product(batch)


def _split(value: SSAValue, batch: Shape) -> SSAValue:
    """`value` with the batch dimensions `batch` instead of the joined one."""
    op, count = value.owner, len(batch)
    if isinstance(op, PermuteOp):
        return PermuteOp(_split(op.input, batch), [*range(count), count + 1, count]).result
    assert isinstance(op, ReshapeOp)
    whole = (*batch, *op.shape[-2:])
    return op.input if op.input_shape == whole else ReshapeOp(op.input, whole).result


@rule
def permute_without_ones(op: ReshapeOp) -> Operation | None:
    """reshape(permute(reshape(x))) without the dimensions of size 1 that the inner reshape adds, as einsum does"""
    inner = op.input.owner
    if not isinstance(inner, PermuteOp) or not isinstance(inner.input.owner, ReshapeOp):
        return None
    kept = [d for d, size in enumerate(inner.input_shape) if size.constant != 1]
    if len(kept) == len(inner.order):
        return None
    small = ReshapeOp(inner.input.owner.input, [inner.input_shape[d] for d in kept])
    return ReshapeOp(PermuteOp(small, [kept.index(d) for d in inner.order if d in kept]), op.shape)


@rule
def split_transpose(op: MatmulOp) -> Operation | None:
    """x @ permute(y) == x @ transpose(permute'(y)), of the last two dimensions: scores are queries @ transposed keys"""
    turned = _before_transpose(op.rhs)
    if turned is None or (isinstance(op.rhs.owner, PermuteOp) and op.rhs.owner.input == turned):
        return None
    return MatmulOp(op.lhs, PermuteOp(turned, _exchanged(range(len(shape_of(turned.type))))))


def _before_transpose(value: SSAValue) -> SSAValue | None:
    """What `value` is the transpose of, in its last two dimensions; None where nothing transposes it."""
    op = value.owner
    if isinstance(op, BroadcastOp) and len(op.shape) == len(op.input_shape):
        inner = _before_transpose(op.input)
        return BroadcastOp(inner, _exchanged(op.shape)).result if inner is not None else None
    if not isinstance(op, PermuteOp) or len(op.order) < 3 or op.order[-2] < op.order[-1]:
        return None
    order = _exchanged(op.order)
    return op.input if order == sorted(order) else PermuteOp(op.input, order).result


def _exchanged(dims: Sequence[DimT]) -> list[DimT]:
    """The last two change places."""
    *others, row, column = dims
    return [*others, column, row]


@rule
def join_batches(op: MatmulOp) -> Operation | None:
    """x @ y == reshape(reshape(x) @ reshape(y)), with one batch dimension: the form that `aten.bmm` takes"""
    shape = shape_of(op.result.type)
    if len(shape) <= 3:
        return None
    flat = [ReshapeOp(v, [product(shape[:-2]), *shape_of(v.type)[-2:]]).result for v in op.operands]
    return ReshapeOp(MatmulOp(*flat), shape)


MERGE_BATCHES = (merge_batches, permute_without_ones)
SPLIT_TRANSPOSES = (split_transpose,)
JOIN_BATCHES = (join_batches,)
