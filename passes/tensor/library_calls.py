"""library-calls: composites that PyTorch's library computes better as a unit become calls of it.

Attention: a library kernel keeps the scores on chip, ours would write L * S of them to memory. It holds
them in float32 where a program in 16-bit floats rounds each, so it is no less accurate; its products
take the same operands and round the weights to the same type. Left alone are

- float32 and float64: library kernels may split float32 products into shorter ones, and do not take float64;
- masks other than the causal one: a row with every score hidden is NaN in the formula, and 0 in the library;
- soft-capped scores and scores hidden by a number that is not -inf, which no library op has;
- dropout, for which the library draws other numbers.

With `fast-math` the first (float32 only) and the second are called as well.

PyTorch takes its own attention apart where none of its fused kernels takes the operands as they are: groups of
heads beside a mask or in float32, say. Nobody else writes weights that are `safe`: 0 where every score of a row is
hidden. So attention with `safe` weights becomes PyTorch's call again, in float32 and with masks too, and in 16 bits
where its operands were widened from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from xdsl.dialects.builtin import Float64Type, FloatAttr, f64
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.types import Shape, element_type, is_bool, is_half, shape_of, tensor_type
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_dialects.tensor.composites import cast, scaled_dot_product_attention
from mlc_dialects.tensor.elementwise import NotOp, SelectOp
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_support.index_expr import product
from mlc_support.rewriting import Rule, RulePass, rule
from passes.tensor.attention_call import attention_call, fits_head
from passes.tensor.matching import number
from passes.tensor.online_products.costs import fits

_NOT_CALLED = {"softcap", "dropout", "hidden"}


@rule
def call_attention(op: CompositeOp) -> SSAValue | None:
    """Attention over 16-bit floats, without a mask or with the causal one, is the library's"""
    return _plain_attention(op)


@rule
def call_attention_without_blocks(op: CompositeOp) -> SSAValue | None:
    """Attention is the library's where sizes are not known, or no kernel of ours has blocks for them"""
    if not isinstance(op, scaled_dot_product_attention):
        return None
    if None in [product(shape_of(v.type)).constant for v in op.inputs]:
        return _plain_attention(op)
    (rows, _), (keys, columns) = (shape_of(op.inputs[k].type)[-2:] for k in (0, 2))
    return None if fits(rows.constant, keys.constant, columns.constant) else _plain_attention(op)


@rule
def call_safe_attention(op: CompositeOp) -> SSAValue | None:
    """Attention that PyTorch took apart, for want of a kernel for its operands as they were, is the library's"""
    if not op.values.get("safe") or isinstance(element_type(op.inputs[0].type), Float64Type):
        return None
    half = _narrowed_all(op.inputs[:3])
    if half is None or not _is_narrowed(op.outputs[0], element_type(half[0].type)):
        return _attention(op)
    masks = [v if _is_choice(v) else narrowed(v) for v in op.inputs[3:]]
    known = [v for v in masks if v is not None]
    return _attention(op, [*half, *known]) if len(known) == len(masks) else None


@rule(inexact=True)
def call_masked_attention(op: CompositeOp) -> SSAValue | None:
    """Attention is the library's, save float64: rows with every score hidden become 0"""
    return None if isinstance(element_type(op.inputs[0].type), Float64Type) else _attention(op)


def _plain_attention(op: CompositeOp) -> SSAValue | None:
    plain = len(op.inputs) == 3 and is_half(element_type(op.inputs[0].type))
    return _attention(op) if plain else None


def _attention(op: CompositeOp, given: Sequence[SSAValue] = ()) -> SSAValue | None:
    """The call, of the narrower operands `given` if there are any; None where no fused kernel takes them."""
    values, inputs = op.values, given or op.inputs
    if not isinstance(op, scaled_dot_product_attention) or _NOT_CALLED & values.keys():
        return None
    head, causal = shape_of(inputs[0].type)[-1], bool(values.get("causal", 0))
    same_head = shape_of(inputs[2].type)[-1] == head
    if not same_head or not fits_head(head):
        return None
    if causal and len(inputs) == 4:
        return None  # the library takes one or the other
    operands = [_shaped(v, _four(shape_of(v.type))) for v in inputs[:3]]
    operands += [_mask(v, bool(values.get("hides", 0)), operands[0]) for v in inputs[3:]]
    shape, element = shape_of(op.outputs[0].type), element_type(op.outputs[0].type)
    result = tensor_type(_four(shape), element_type(operands[0].type))
    call = attention_call(operands, result, FloatAttr(float(str(values["scale"])), f64), causal=causal)
    return cast(_shaped(call.outputs[0], shape), element)


def _narrowed_all(values: Sequence[SSAValue]) -> list[SSAValue] | None:
    """`values` in the one type of 16 bits that all of them were widened from; None if there is none."""
    found = [v for v in map(narrowed, values) if v is not None]
    types = {element_type(v.type) for v in found}
    return found if len(found) == len(values) and len(types) == 1 else None


def narrowed(value: SSAValue) -> SSAValue | None:
    """`value` in the 16 bits that it was widened from, through views; None if it was not."""
    op, element = value.owner, element_type(value.type)
    if is_half(element):
        return value
    match op:
        case CastOp() if is_half(element_type(op.input.type)):
            return op.input
        case ReshapeOp() | BroadcastOp() if (inner := narrowed(op.input)) is not None:
            return type(op)(inner, op.shape).result
        case PermuteOp() if (inner := narrowed(op.input)) is not None:
            return PermuteOp(inner, op.order).result
        case _:
            return None


def _is_choice(mask: SSAValue) -> bool:
    """True for booleans, and for a choice of 0 and -inf, which all floats have."""
    op = mask.owner
    if isinstance(op, SelectOp):
        return all(number(v) in (0, -inf) for v in op.operands[1:])
    return is_bool(element_type(mask.type))


def _is_narrowed(value: SSAValue, element: Attribute) -> bool:
    """True if all who read `value` round it to `element`, through views."""
    ops = [use.operation for use in value.uses]
    return all(
        element_type(op.result.type) == element if isinstance(op, CastOp)
        else isinstance(op, ReshapeOp | PermuteOp) and _is_narrowed(op.result, element)
        for op in ops
    )  # fmt: skip


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

    generated: bool = False
    """Leave attention to `fuse-products`, where that can take it."""

    def rules(self) -> tuple[Rule, ...]:
        """Those that run."""
        exact = (call_attention_without_blocks if self.generated else call_attention, call_safe_attention)
        return (*exact, call_masked_attention) if self.fast_math else exact
