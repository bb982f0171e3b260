"""library-calls: composites that PyTorch's library computes better as a unit become calls of it.

Attention: a library kernel keeps the scores on chip, ours would write L * S of them to memory. It holds
them in float32 where a program in 16-bit floats rounds each, so it is no less accurate; its products
take the same operands and round the weights to the same type. Left alone are

- float32 and float64: library kernels may split float32 products into shorter ones, and do not take float64;
- masks other than the causal one: a row with every score hidden is NaN in the formula, and 0 in the library. But where
  rows are too few for a kernel of ours, as in decoding, the library is called and such rows become NaN behind it. There
  is one difference: a mask is added, so a hidden score that is NaN or infinite makes its row NaN;
- soft-capped scores and scores hidden by a number that is not -inf, which no library op has;
- dropout where somebody else needs the numbers that were drawn for it, as a backward pass does: the library draws
  others. Nor is it called on a CPU, which has no kernel for it, beside a mask, or at a rate that flash attention, which
  compares 8 random bits, is far from: it drops 0.1016 of the weights for 0.1, and scales those that are left for 0.1.

With `fast-math` the first (float32 only) and the second are called as well, without dropout.

PyTorch takes its own attention apart where none of its fused kernels takes the operands as they are: groups of
heads beside a mask or in float32, say. Nobody else writes weights that are `safe`: 0 where every score of a row is
hidden. So attention with `safe` weights becomes PyTorch's call again, in float32 and with masks too, and in 16 bits
where its operands were widened from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

from xdsl.dialects.builtin import BFloat16Type, Float64Type, FloatAttr, ModuleOp, f64
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.types import Shape, element_type, is_bool, is_half, shape_of, tensor_type
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_dialects.tensor.composites import cast, scaled_dot_product_attention
from mlc_dialects.tensor.elementwise import EqOp, MaximumOp, NotOp, SelectOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_support.index_expr import integer, product
from mlc_support.index_maps import assumed
from mlc_support.rewriting import Observer, Rule, RulePass, rule_of
from passes.common.device import Device, Processor, ProcessorPass
from passes.common.product_tiling import LEAST
from passes.tensor.attention_call import attention_call, fits_head, takes_as_given
from passes.tensor.dropped_weights import drawn_rate, drop_unread, read_seeds
from passes.tensor.matching import number
from passes.tensor.online_products.costs import fits

_NOT_CALLED = {"softcap", "hidden"}
_LOWEST = -(2.0**126)
"""The lowest number of a bfloat16 mask that kernels are given, beside -inf."""


def call_attention(processor: Processor, op: CompositeOp) -> SSAValue | None:
    """Attention over 16-bit floats, without a mask or with the causal one, is the library's, with its dropout"""
    return _plain_attention(op, processor)


def call_attention_without_blocks(processor: Processor, op: CompositeOp) -> SSAValue | None:
    """Attention is the library's where no kernel of ours has blocks for it, or the width of heads is not known"""
    if not isinstance(op, scaled_dot_product_attention):
        return None
    (rows, depth), (keys, columns) = (shape_of(op.inputs[k].type)[-2:] for k in (0, 2))
    known = depth.constant is not None and assumed(rows) >= LEAST and fits(assumed(keys), columns.constant)
    return None if known else _plain_attention(op, processor)


def call_safe_attention(processor: Processor, op: CompositeOp) -> SSAValue | None:
    """Attention that PyTorch took apart, for want of a kernel for its operands as they were, is the library's"""
    if not op.values.get("safe") or isinstance(element_type(op.inputs[0].type), Float64Type):
        return None
    half = _narrowed_all(op.inputs[:3])
    if half is None or not _is_narrowed(op.outputs[0], element_type(half[0].type)):
        return _attention(op, processor)
    masks = [v if _is_choice(v) else narrowed(v) for v in op.inputs[3:]]
    known = [v for v in masks if v is not None]
    return _attention(op, processor, [*half, *known]) if len(known) == len(masks) else None


def call_attention_of_few_rows(processor: Processor, op: CompositeOp) -> SSAValue | None:
    """Attention of few rows over 16-bit floats under a mask is the library's, and NaN where the mask hides all keys"""
    if not isinstance(op, scaled_dot_product_attention) or len(op.inputs) != 4 or op.values.get("safe"):
        return None
    query, key, value, mask = op.inputs
    rows, keys = (shape_of(v.type)[-2].constant for v in (query, key))
    element, shape = element_type(query.type), shape_of(op.outputs[0].type)
    mask = _as_narrow(mask, element)
    if not is_half(element) or rows is None or rows >= LEAST or keys == 0 or mask is None:
        return None
    result = _attention(op, processor, [query, key, value, mask])
    if result is None:
        return None
    hidden = BroadcastOp(_hides_every_key(mask, bool(op.values.get("hides", 0))), shape).result
    return SelectOp(hidden, ConstantOp.splat(nan, shape, element_type(result.type)), result).result


def call_masked_attention(processor: Processor, op: CompositeOp) -> SSAValue | None:
    """Attention is the library's, save float64: rows with every score hidden become 0"""
    return None if isinstance(element_type(op.inputs[0].type), Float64Type) else _attention(op, processor)


def _plain_attention(op: CompositeOp, processor: Processor) -> SSAValue | None:
    """The call of attention without a mask, or with the causal one; there may be dropout."""
    drops = "dropout" in op.values
    if not is_half(element_type(op.inputs[0].type)) or len(op.inputs) != 3 + drops:
        return None
    if not drops:
        return _attention(op, processor)
    one_width = shape_of(op.inputs[0].type)[-1] == shape_of(op.inputs[2].type)[-1]
    rate = drawn_rate(op) if one_width and isinstance(processor, Device) else None
    return None if rate is None else _attention(op, processor, op.inputs[:3], rate)


def _attention(
    op: CompositeOp, processor: Processor, given: Sequence[SSAValue] = (), dropout: float | None = None
) -> SSAValue | None:
    """The call, of the operands `given` if there are any: narrower ones, or those without what `dropout`, a rate that
    the library draws by, stands for. None where no fused kernel takes them.
    """
    values, inputs = op.values, given or op.inputs
    if not isinstance(op, scaled_dot_product_attention) or _NOT_CALLED & values.keys():
        return None
    if "dropout" in values and dropout is None:
        return None
    query, _, value, *masks = inputs
    causal, shape = bool(values.get("causal", 0)), shape_of(op.outputs[0].type)
    if not _has_kernel(query, value, bool(masks), processor):
        return None
    if masks and (causal or not _fits_four(shape_of(masks[0].type), shape)):
        return None  # the library takes one or the other
    operands = [_shaped(v, _four(shape_of(v.type))) for v in inputs[:3]]
    operands += [_mask(_of_kernels(v), bool(values.get("hides", 0)), query) for v in masks]
    result = tensor_type(_four(shape), element_type(query.type))
    scale = FloatAttr(float(str(values["scale"])), f64)
    call = attention_call(operands, result, scale, processor, causal=causal, dropout=dropout or 0.0)
    return cast(_shaped(call.outputs[0], shape), element_type(op.outputs[0].type))


def _has_kernel(query: SSAValue, value: SSAValue, masked: bool, processor: Processor) -> bool:
    """True where a fused kernel takes heads of these widths."""
    width = shape_of(query.type)[-1]
    same = shape_of(value.type)[-1] == width
    return fits_head(width) and (same or takes_as_given(query, value, masked, processor))


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


def _fits_four(mask: Shape, shape: Shape) -> bool:
    """True for a mask of operands of `shape` that still is one where these have four dimensions."""
    return len(mask) <= (4 if len(shape) == 4 else 3)


def _of_kernels(mask: SSAValue) -> SSAValue:
    """A mask of two or four dimensions, as kernels take them."""
    shape = shape_of(mask.type)
    return mask if len(shape) == 2 else _shaped(mask, (*[integer(1)] * (4 - len(shape)), *shape))


def _mask(mask: SSAValue, hides: bool, query: SSAValue) -> SSAValue:
    """What is added to scores, in the type of the query: -inf for what a boolean mask hides.

    Of booleans PyTorch makes numbers itself, but -65504 for cuDNN, under which a row without keys is their mean.
    """
    element = element_type(query.type)
    if not is_bool(element_type(mask.type)):
        return cast(mask, element)
    kept, hidden = (ConstantOp.splat(v, shape_of(mask.type), element).result for v in (0.0, -inf))
    return SelectOp(mask, *((hidden, kept) if hides else (kept, hidden))).result


def _as_narrow(mask: SSAValue, element: Attribute) -> SSAValue | None:
    """A boolean mask, or one of numbers of the type `element`, which may be far below 0; None where it has more digits.

    Fused kernels multiply numbers by log2 e, which the lowest of bfloat16 do not survive: a row of nothing but those
    counts its keys alike, and would be one without keys.
    """
    if _is_choice(mask):
        return mask
    numbers = narrowed(mask)
    if numbers is None or element_type(numbers.type) != element:
        return None
    if not isinstance(element, BFloat16Type):
        return numbers
    lowest, hidden = (ConstantOp.splat(v, shape_of(numbers.type), element).result for v in (_LOWEST, -inf))
    return SelectOp(EqOp(numbers, hidden), hidden, MaximumOp(numbers, lowest)).result


def _hides_every_key(mask: SSAValue, hides: bool) -> SSAValue:
    """True for rows of which the mask hides every key, in the mask's own shape but for the keys."""
    last = [len(shape_of(mask.type)) - 1]
    if is_bool(element_type(mask.type)):
        return ReduceOp("and", mask, last).result if hides else NotOp(ReduceOp("or", mask, last)).result
    most = ReduceOp("max", mask, last).result
    return EqOp(most, ConstantOp.splat(-inf, shape_of(most.type), element_type(most.type))).result


@dataclass(frozen=True)
class LibraryCallsPass(ProcessorPass, RulePass):
    """Call PyTorch's library for composites that it computes better as a unit."""

    name = "library-calls"

    fast_math: bool = False
    """Also where the library rounds otherwise or gives 0 for rows of attention with every score hidden."""

    generated: bool = False
    """Leave attention to `fuse-products`, where that can take it."""

    few_rows: bool = True
    """Call masked attention of rows too few for `fuse-products`. Gradients of the call are not always those of the
    formula: PyTorch's kernels count each key of a row whole that numbers far below 0 hide."""

    def rules(self) -> tuple[Rule, ...]:
        """Those that run."""
        plain = call_attention_without_blocks if self.generated else call_attention
        exact = [rule_of(function, self.processor) for function in (plain, call_safe_attention)]
        if self.fast_math:
            return (*exact, rule_of(call_masked_attention, self.processor, inexact=True))
        return (*exact, rule_of(call_attention_of_few_rows, self.processor)) if self.few_rows else tuple(exact)

    def rewrite(self, module: ModuleOp, observer: Observer | None = None) -> Counter[str]:
        """Applies the rules. Seeds that no kernel needs any more, since the library draws its own, are not drawn."""
        draws = read_seeds(module)
        counts = super().rewrite(module, observer)
        drop_unread(draws)
        return counts
