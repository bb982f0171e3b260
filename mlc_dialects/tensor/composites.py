"""The composite ops of `mlc_tensor`: each function below is the op's one meaning, in plain ops.

16-bit floats are computed in float32 and rounded once at the end, as PyTorch's own kernels do;
products of matrices take their operands in the type they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.types import element_type, is_bool, is_half, shape_of, with_element, with_shape
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.composite_op import COMPOSITES, CompositeOp, Number, composite
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import integer, product

Masking = Callable[[SSAValue], SSAValue]

ROOT_HALF = 0.5**0.5
TANH_SCALE = (2 / 3.141592653589793) ** 0.5
CUBIC = 0.044715


def cast(x: SSAValue, element: Attribute) -> SSAValue:
    """`x` in another element type."""
    return x if element_type(x.type) == element else CastOp(x, element).result


def wide(x: SSAValue) -> SSAValue:
    """`x` in the type that formulas are computed in: float32 for 16-bit floats."""
    return cast(x, f32) if is_half(element_type(x.type)) else x


def spread(x: SSAValue, like: SSAValue) -> SSAValue:
    """`x` repeated to the shape of `like`, in its element type."""
    moved = cast(x, element_type(like.type)) if not is_bool(element_type(x.type)) else x
    return moved if shape_of(moved.type) == shape_of(like.type) else BroadcastOp(moved, shape_of(like.type)).result


def full(number: Number, like: SSAValue) -> SSAValue:
    """A tensor like `like`, filled with a number."""
    if isinstance(number, SSAValue):
        return spread(number, like)
    return ConstantOp.splat(number, shape_of(like.type), element_type(like.type)).result


def _mul(x: SSAValue, y: SSAValue | Number) -> SSAValue:
    return ew.MulOp(x, _operand(y, x)).result


def _add(x: SSAValue, y: SSAValue | Number) -> SSAValue:
    return ew.AddOp(x, _operand(y, x)).result


def _operand(y: SSAValue | Number, like: SSAValue) -> SSAValue:
    return spread(y, like) if isinstance(y, SSAValue) else full(y, like)


def _mean(x: SSAValue, dims: Sequence[int]) -> SSAValue:
    if not dims:
        raise ValueError("a mean is over one dimension or more")
    total = ReduceOp("add", x, sorted(dims)).result
    count = product(shape_of(x.type)[d] for d in dims)
    if count.constant is not None:
        return ew.DivOp(total, full(float(count.constant), total)).result
    return ew.DivOp(total, spread(SizeOp(count).result, total)).result


@composite("gelu", lambda x, *, approximate: _gelu_factored(x, approximate))
def gelu(x: SSAValue, *, approximate: str) -> SSAValue:
    """x / 2 * (1 + erf(x / sqrt 2)); approximate "tanh": x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x ** 3)))"""
    y = wide(x)
    if approximate == "tanh":
        cube = _mul(_mul(_mul(y, y), y), CUBIC)
        inner = ew.ELEMENTWISE["tanh"](_mul(_add(y, cube), TANH_SCALE)).result
    elif approximate == "none":
        inner = ew.ELEMENTWISE["erf"](_mul(y, ROOT_HALF)).result
    else:
        raise ValueError(f'approximate is "none" or "tanh", not {approximate!r}')
    return cast(_mul(_mul(y, 0.5), _add(inner, 1.0)), element_type(x.type))


def _gelu_factored(x: SSAValue, approximate: str) -> SSAValue:
    """tanh(sqrt(2 / pi) * x * (1 + 0.044715 x ** 2))"""
    y = wide(x)
    if approximate != "tanh":
        raise ValueError("only the approximation has factors")
    argument = _mul(_mul(y, _add(_mul(_mul(y, y), CUBIC), 1.0)), TANH_SCALE)
    return cast(_mul(_mul(y, 0.5), _add(ew.ELEMENTWISE["tanh"](argument).result, 1.0)), element_type(x.type))


def _silu_quotient(x: SSAValue) -> SSAValue:
    """x / (1 + e ** -x)"""
    y = wide(x)
    decay = ew.ExpOp(ew.NegOp(y).result).result
    return cast(ew.DivOp(y, _add(decay, 1.0)).result, element_type(x.type))


@composite("silu", _silu_quotient)
def silu(x: SSAValue) -> SSAValue:
    """x * sigmoid(x)"""
    y = wide(x)
    return cast(_mul(y, ew.SigmoidOp(y).result), element_type(x.type))


def _shifted(x: SSAValue, dim: int) -> SSAValue:
    """x - max x along `dim`."""
    return ew.SubOp(x, spread(ReduceOp("max", x, [dim]).result, x)).result


@composite("softmax")
def softmax(x: SSAValue, *, dim: int) -> SSAValue:
    """e ** (x - max x) / sum of e ** (x - max x), along `dim`"""
    powers = ew.ExpOp(_shifted(wide(x), dim)).result
    total = ReduceOp("add", powers, [dim]).result
    return cast(ew.DivOp(powers, spread(total, powers)).result, element_type(x.type))


@composite("log_softmax")
def log_softmax(x: SSAValue, *, dim: int) -> SSAValue:
    """(x - max x) - log(sum of e ** (x - max x)), along `dim`"""
    shifted = _shifted(wide(x), dim)
    total = ReduceOp("add", ew.ExpOp(shifted).result, [dim]).result
    return cast(ew.SubOp(shifted, spread(ew.LogOp(total).result, shifted)).result, element_type(x.type))


def _affine(y: SSAValue, weight: SSAValue | None, bias: SSAValue | None) -> SSAValue:
    scaled = y if weight is None else _mul(y, weight)
    return scaled if bias is None else _add(scaled, bias)


@composite("layer_norm")
def layer_norm(
    x: SSAValue, weight: SSAValue | None = None, bias: SSAValue | None = None, *, dims: tuple[int, ...], eps: Number
) -> tuple[SSAValue, ...]:
    """(x - mean) * rstd * weight + bias, with mean of x and rstd = rsqrt(mean of (x - mean) ** 2 + eps) over `dims`

    Gives the mean and rstd as well, which a backward pass reads.
    """
    y = wide(x)
    mean = _mean(y, dims)
    centered = ew.SubOp(y, spread(mean, y)).result
    variance = _mean(_mul(centered, centered), dims)
    rstd = ew.RsqrtOp(_add(variance, eps)).result
    result = _affine(_mul(centered, rstd), weight, bias)
    return cast(result, element_type(x.type)), mean, rstd


@composite("rms_norm")
def rms_norm(
    x: SSAValue, weight: SSAValue | None = None, *, dims: tuple[int, ...], eps: Number
) -> tuple[SSAValue, ...]:
    """x * rstd * weight, with rstd = rsqrt(mean of x ** 2 + eps) over `dims`; gives rstd as well"""
    y = wide(x)
    rstd = ew.RsqrtOp(_add(_mean(_mul(y, y), dims), eps)).result
    return cast(_affine(_mul(y, rstd), weight, None), element_type(x.type)), rstd


@dataclass(frozen=True)
class _Scores:
    """How attention treats its scores: numbers, masks, and what dropout keeps of the weights."""

    scale: Number
    causal: int
    hides: int
    hidden: Number
    softcap: Number | None
    dropout: Number | None
    mask: SSAValue | None
    kept: SSAValue | None
    safe: int

    @staticmethod
    def of(operands: Sequence[SSAValue], scale: Number, causal: int, hides: int, hidden: Number,
           softcap: Number | None, dropout: Number | None, safe: int) -> _Scores:  # fmt: skip
        """The last operand is what dropout keeps, where there is dropout."""
        masks, kept = (operands, None) if dropout is None else (operands[:-1], operands[-1:])
        if len(masks) > 1 or (kept is not None and not kept):
            raise ValueError("takes a mask, and with dropout which weights it keeps")
        mask = masks[0] if masks else None
        return _Scores(scale, causal, hides, hidden, softcap, dropout, mask, kept[0] if kept else None, safe)

    def attend(self, query: SSAValue, key: SSAValue, value: SSAValue, masked: Masking) -> SSAValue:
        """kept(softmax(masked(softcap(scale * query @ key.T)))) @ value * dropout"""
        rank = len(shape_of(query.type))
        turned = PermuteOp(key, [*range(rank - 2), rank - 1, rank - 2]).result
        scores = _mul(wide(MatmulOp(query, turned).result), self.scale)
        if self.softcap is not None:
            capped = ew.ELEMENTWISE["tanh"](ew.DivOp(scores, full(self.softcap, scores)).result).result
            scores = _mul(capped, self.softcap)
        scores = masked(scores)
        weights = softmax([scores], {"dim": rank - 1}).outputs[0]
        if self.safe:
            hidden = ReduceOp("and", ew.EqOp(scores, full(-inf, scores)).result, [rank - 1]).result
            weights = ew.SelectOp(spread(hidden, weights), full(0.0, weights), weights).result
        if self.kept is None or self.dropout is None:
            return MatmulOp(cast(weights, element_type(value.type)), value).result
        weights = ew.MulOp(weights, cast(spread(self.kept, weights), element_type(weights.type))).result
        result = MatmulOp(cast(weights, element_type(value.type)), value).result
        return cast(_mul(wide(result), self.dropout), element_type(value.type))

    def masked(self, scores: SSAValue) -> SSAValue:
        """The scores under the mask."""
        if self.mask is None:
            return scores
        if not is_bool(element_type(self.mask.type)):
            return _add(scores, self.mask)
        nothing = full(self.hidden, scores)
        kept, lost = (nothing, scores) if self.hides else (scores, nothing)
        return ew.SelectOp(spread(self.mask, scores), kept, lost).result

    def before(self, scores: SSAValue) -> SSAValue:
        """The scores of keys that are not after the query, under the causal mask if there is one."""
        if not self.causal:
            return scores
        kept = spread(_keys_before(scores), scores)
        return ew.SelectOp(kept, scores, full(self.hidden, scores)).result


def _keys_before(scores: SSAValue) -> SSAValue:
    """True where the key's position is not after the query's."""
    place = with_shape(with_element(scores.type, i64), shape_of(scores.type)[-2:])
    return ew.GeOp(IotaOp(0, place).result, IotaOp(1, place).result).result


def _attention_with_added_mask(
    query: SSAValue, key: SSAValue, value: SSAValue, *masks: SSAValue, scale: Number, causal: int = 0,
    hides: int = 0, hidden: Number = -inf, softcap: Number | None = None, dropout: Number | None = None, safe: int = 0,
) -> SSAValue:  # fmt: skip
    """The same where `hidden` is added to scores that the causal mask hides."""
    form = _Scores.of(masks, scale, causal, hides, hidden, softcap, dropout, safe)

    def masked(scores: SSAValue) -> SSAValue:
        place = ConstantOp.splat(0.0, shape_of(scores.type)[-2:], element_type(scores.type)).result
        hidden = ew.SelectOp(_keys_before(scores), place, full(form.hidden, place)).result
        return form.masked(_add(scores, hidden))

    if not causal:
        raise ValueError("there is no causal mask to add")
    return form.attend(query, key, value, masked)


def _attention_with_mask_first(
    query: SSAValue, key: SSAValue, value: SSAValue, *masks: SSAValue, scale: Number, causal: int = 0,
    hides: int = 0, hidden: Number = -inf, softcap: Number | None = None, dropout: Number | None = None, safe: int = 0,
) -> SSAValue:  # fmt: skip
    """The same where the causal mask comes after a bias, as ALiBi has it; a bias of +inf or NaN may be hidden."""
    form = _Scores.of(masks, scale, causal, hides, hidden, softcap, dropout, safe)
    if not causal or form.mask is None:
        raise ValueError("there are no two masks")
    return form.attend(query, key, value, lambda scores: form.before(form.masked(scores)))


@composite("scaled_dot_product_attention", _attention_with_added_mask, _attention_with_mask_first)
def scaled_dot_product_attention(
    query: SSAValue, key: SSAValue, value: SSAValue, *masks: SSAValue, scale: Number, causal: int = 0,
    hides: int = 0, hidden: Number = -inf, softcap: Number | None = None, dropout: Number | None = None, safe: int = 0,
) -> SSAValue:  # fmt: skip
    """softmax(mask(scale * query @ key.T)) @ value; query is [..., L, E], key [..., S, E], value [..., S, F]

    A float mask is added. Where a boolean one is false the score is `hidden`, with `hides` where it is true;
    `causal` keeps the keys s <= l. `softcap` c makes a score s of the scaled product c * tanh(s / c),
    before masks. With `safe` a row with every score at -inf has weights of 0, as in PyTorch's op. With `dropout` d
    the last operand says which weights are kept, and those count d times: the random numbers are made outside, so
    that whoever needs them again makes the same.
    """
    form = _Scores.of(masks, scale, causal, hides, hidden, softcap, dropout, safe)
    return form.attend(query, key, value, lambda scores: form.masked(form.before(scores)))


@composite("rotary_embedding")
def rotary_embedding(x: SSAValue, cos: SSAValue, sin: SSAValue, *, pairs: int = 0) -> SSAValue:
    """x * cos + joined(-x2, x1) * sin, for x = joined(x1, x2)

    Joined are the two halves of the last dimension, with `pairs` its even and its odd elements. Tables of
    half as many columns count for both: joined(x1 * cos - x2 * sin, x2 * cos + x1 * sin).
    """
    shape = shape_of(x.type)
    size = shape[-1].constant
    if size is None or size % 2:
        raise ValueError("the last dimension is a known even number")
    half, leading = (*shape[:-1], integer(size // 2)), [0] * (len(shape) - 1)
    starts, step = ((0, 1), 2) if pairs else ((0, size // 2), 1)
    first, second = (SliceOp(x, [*leading, s], [*[1] * len(leading), step], half).result for s in starts)
    if shape_of(cos.type)[-1] != half[-1]:
        turned = _joined(ew.NegOp(second).result, first, bool(pairs))
        return _add(_mul(x, cos), _mul(turned, sin))
    left = ew.SubOp(_mul(first, cos), _mul(second, sin)).result
    return _joined(left, _add(_mul(second, cos), _mul(first, sin)), bool(pairs))


def _joined(first: SSAValue, second: SSAValue, pairs: bool) -> SSAValue:
    """The two one after the other along the last dimension, or element by element in turn."""
    shape = shape_of(first.type)
    if not pairs:
        return CatOp([first, second], len(shape) - 1).result
    columns = [ReshapeOp(v, [*shape, 1]).result for v in (first, second)]
    return ReshapeOp(CatOp(columns, len(shape)), [*shape[:-1], shape[-1] * 2]).result


OPS: tuple[type[CompositeOp], ...] = tuple(COMPOSITES.values())
