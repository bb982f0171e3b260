"""library-calls: composites that PyTorch's library computes better as a unit become calls of it.

Attention: a library kernel keeps the scores on chip, ours would write L * S of them to memory. It holds
them in float32 where a program in 16-bit floats rounds each, so it is no less accurate; its products
take the same operands and round the weights to the same type. Left alone are

- float32 and float64: library kernels may split float32 products into shorter ones, and do not take float64;
- masks other than the causal one: a row with every score hidden is NaN in the formula, and 0 in the library;
- soft-capped scores and scores hidden by a number that is not -inf, which no library op has;
- dropout, for which the library draws other numbers.

With `fast-math` the first (float32 only) and the second are called as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import Float64Type, FloatAttr, f64
from xdsl.ir import SSAValue

from mlc_dialects.common.types import Shape, element_type, is_bool, is_half, shape_of, tensor_type
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_dialects.tensor.composites import cast, scaled_dot_product_attention
from mlc_dialects.tensor.elementwise import NotOp
from mlc_dialects.tensor.views import ReshapeOp
from mlc_support.index_expr import product
from mlc_support.rewriting import Rule, RulePass, rule
from passes.tensor.attention_call import attention_call, fits_head

_NOT_CALLED = {"softcap", "dropout", "hidden"}


@rule
def call_attention(op: CompositeOp) -> SSAValue | None:
    """Attention over 16-bit floats, without a mask or with the causal one, is the library's"""
    plain = len(op.inputs) == 3 and is_half(element_type(op.inputs[0].type))
    return _attention(op) if plain else None


@rule(inexact=True)
def call_masked_attention(op: CompositeOp) -> SSAValue | None:
    """Attention is the library's, save float64: rows with every score hidden become 0"""
    return None if isinstance(element_type(op.inputs[0].type), Float64Type) else _attention(op)


def _attention(op: CompositeOp) -> SSAValue | None:
    """The call; None where no fused kernel takes these operands."""
    values = op.values
    if not isinstance(op, scaled_dot_product_attention) or _NOT_CALLED & values.keys():
        return None
    head, causal = shape_of(op.inputs[0].type)[-1], bool(values.get("causal", 0))
    same_head = shape_of(op.inputs[2].type)[-1] == head
    if not same_head or not fits_head(head):
        return None
    if causal and len(op.inputs) == 4:
        return None  # the library takes one or the other
    operands = [_shaped(v, _four(shape_of(v.type))) for v in op.inputs[:3]]
    operands += [_mask(v, bool(values.get("hides", 0)), operands[0]) for v in op.inputs[3:]]
    result = tensor_type(_four(shape_of(op.outputs[0].type)), element_type(op.outputs[0].type))
    call = attention_call(operands, result, FloatAttr(float(str(values["scale"])), f64), causal=causal)
    return _shaped(call.outputs[0], shape_of(op.outputs[0].type))


def _shaped(value: SSAValue, shape: Shape) -> SSAValue:
    return value if shape_of(value.type) == shape else ReshapeOp(value, shape).result


def _four(shape: Shape) -> Shape:
    """[batch, heads, rows, columns]"""
    batch = shape[:-2]
    return (product(batch[:-1]), batch[-1], *shape[-2:])


def _mask(mask: SSAValue, hides: bool, query: SSAValue) -> SSAValue:
    """True where the score is kept, or what is added to it in the type of the query."""
    if not is_bool(element_type(mask.type)):
        return cast(mask, element_type(query.type))
    return NotOp(mask).result if hides else mask


@dataclass(frozen=True)
class LibraryCallsPass(RulePass):
    """Call PyTorch's library for composites that it computes better as a unit."""

    name = "library-calls"

    fast_math: bool = False
    """Also where the library rounds otherwise or gives 0 for rows of attention with every score hidden."""

    def rules(self) -> tuple[Rule, ...]:
        """Those that run."""
        return (call_attention, call_masked_attention) if self.fast_math else (call_attention,)
