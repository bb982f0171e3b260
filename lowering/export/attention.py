"""The formulas of calls of attention, and of their gradients.

Attention that drops weights draws seeds, which are one more input of what is exported; who keeps what the gradient
reads keeps the library's own seed, and has no formula then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.ir import SSAValue

from lowering.export.opened import ATTENTION, is_pure
from mlc_dialects.common.annotations import SEEDS
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import (
    Shape,
    element_type,
    is_bool,
    is_native,
    shape_of,
    storage,
    tensor_type,
    with_element,
    with_shape,
)
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.arguments import Arguments
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.composite_op import Parameter, results_of
from mlc_dialects.tensor.composites import cast, full, scaled_dot_product_attention, spread, wide
from mlc_dialects.tensor.ops import ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.random import CHANCE_DIGITS, RandomOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import integer

PREFIX = "aten._scaled_dot_product_"
PICKED = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
OPERANDS = ("query", "key", "value")
_BIASED = (*OPERANDS, "attn_bias", "compute_log_sumexp", "dropout_p", "is_causal")
KEPT = {
    "flash_attention_for_cpu": (*OPERANDS, "dropout_p", "is_causal"),
    "flash_attention": (*OPERANDS, "dropout_p", "is_causal"),
    "efficient_attention": _BIASED,
    "cudnn_attention": _BIASED,
    "fused_attention_overrideable": (*OPERANDS, "attn_bias", "dropout_p", "is_causal"),
}
"""PyTorch's kernels that keep what the gradient reads, and their parameters."""
_SAVED, _SEED, _LENGTHS = ("out", "logsumexp"), ("philox_seed", "philox_offset"), ("cum_q", "cum_k", "max_q", "max_k")
_GIVEN, _HOW = ("grad_out", *OPERANDS), ("dropout_p", "is_causal")
GRADIENT = {
    "flash_attention_for_cpu": (*_GIVEN, *_SAVED, *_HOW),
    "flash_attention": (*_GIVEN, *_SAVED, *_LENGTHS, *_HOW),
    "efficient_attention": (*_GIVEN, "attn_bias", *_SAVED, *_SEED, "dropout_p", "grad_input_mask", "is_causal"),
    "cudnn_attention": (*_GIVEN, *_SAVED, *_SEED, "attn_bias", *_LENGTHS, *_HOW),
}
"""Kernel to the parameters of its gradient."""
PARAMETERS = {
    ATTENTION: PICKED,
    **{f"{PREFIX}{kernel}.default": names for kernel, names in KEPT.items()},
    **{f"{PREFIX}{kernel}_backward.default": names for kernel, names in GRADIENT.items()},
}
"""Callee to the names of its parameters."""


def drops(op: ExternOp) -> bool:
    """True for a call of attention, or of its gradient, that drops weights."""
    names = PARAMETERS.get(op.callee.data)
    return names is not None and bool(Arguments(op, names).number("dropout_p"))


def refusal(op: ExternOp) -> str:
    """Why a call of attention has no formula, where it is for what it drops; else empty."""
    return "it drops weights by numbers that the library draws and keeps" if drops(op) else ""


def attention(op: ExternOp) -> list[SSAValue] | None:
    """dropped(softmax(scale * query @ key.T + mask)) @ value."""
    given = Arguments(op, PICKED)
    if drops(op):
        return _dropping_attention(given)
    operands = _of_equal_heads(given.values(*OPERANDS), grouped=bool(given.number("enable_gqa")))
    if operands is None:
        return None
    mask, scale = given.value("attn_mask"), _scale(given, operands[0])
    if scale is None:
        return None
    parameters: dict[str, Parameter] = {"scale": scale}
    parameters |= {"causal": 1} if given.number("is_causal") else {}
    parameters |= {"safe": 1} if mask is not None else {}  # PyTorch weighs a row that is hidden whole with 0
    masked = [*operands, *([mask] if mask is not None else [])]
    return [results_of(scaled_dot_product_attention.MEANING, masked, parameters)[0]]


def _dropping_attention(given: Arguments) -> list[SSAValue] | None:
    """The same, each weight dropped with a probability below 1."""
    scores, rate = _Scores.of(given, grouped=bool(given.number("enable_gqa"))), given.number("dropout_p")
    if scores is None or not 0 < rate < 1:
        return None
    weights, _ = scores.weights()
    return [scores.weighted(_dropped(weights, rate))]


def _dropped(x: SSAValue, rate: float) -> SSAValue:
    """`x`, floats, each element 0 with this probability and else divided by that of the other case."""
    seeds = ExternOp(SEEDS, [], [tensor_type([1], i64)], [IntegerAttr(1, i64)], impure=True).outputs[0]
    bits = RandomOp(seeds, 0, 0, with_element(x.type, i32)).result
    digits = ew.ELEMENTWISE["shr"](bits, full(32 - CHANCE_DIGITS, bits)).results[0]
    drawn = ew.AndOp(digits, full(2**CHANCE_DIGITS - 1, bits)).result
    kept = ew.LtOp(drawn, full(round((1 - rate) * 2**CHANCE_DIGITS), drawn)).result
    scaled = ew.MulOp(x, full(1 / (1 - rate), x)).result
    return ew.SelectOp(kept, scaled, full(0.0, x)).result


def kept_attention(op: ExternOp) -> list[SSAValue | None] | None:
    """The same, and the logarithm of the sum of each row's powers, which the gradient reads.

    Other results speak of what was dropped: they are 0, since nothing is.
    """
    scores = _Scores.of(Arguments(op, KEPT[_kernel(op)]))
    if scores is None or not is_pure(op):
        return None
    weights, logarithm = scores.weights()
    return [scores.weighted(weights), _fitted(logarithm, shape_of(op.results[1].type)), *map(_nothing, op.results[2:])]


def _kernel(op: ExternOp) -> str:
    """`flash_attention` of `aten._scaled_dot_product_flash_attention_backward.default`"""
    return op.callee.data.removeprefix(PREFIX).removesuffix(".default").removesuffix("_backward")


def _fitted(logarithm: SSAValue, shape: Shape) -> SSAValue:
    """The logarithms [..., L, 1] in the shape that a kernel keeps them in: L may be rounded up."""
    found = shape_of(logarithm.type)
    if len(shape) != len(found):
        logarithm = ReshapeOp(logarithm, found[:-1]).result
    if shape in (found, found[:-1]):
        return logarithm
    return PadOp(
        logarithm, [0] * len(shape), shape, scalar_attribute(0.0, storage(element_type(logarithm.type)))
    ).result


def _nothing(result: SSAValue) -> SSAValue | None:
    """Zeros, where somebody reads a result that is a tensor."""
    if not result.uses or not isinstance(result.type, TensorType) or not is_native(element_type(result.type)):
        return None
    return ConstantOp.splat(0, shape_of(result.type), element_type(result.type)).result


def gradients(op: ExternOp) -> list[SSAValue | None] | None:
    """Those of query, key and value: the weights are computed again, from the kept logarithms."""
    given = Arguments(op, GRADIENT[_kernel(op)])
    scores, others = _Scores.of(given), given.values("grad_out", "out", "logsumexp")
    if scores is None or others is None or given.number("dropout_p"):
        return None
    gradient, out, logarithm = others
    spelled = scores.scores()
    column = _column(logarithm, shape_of(spelled.type))
    weights = scores.safe(spelled, ew.ExpOp(ew.SubOp(spelled, spread(column, spelled)).result).result)
    element, rank = element_type(scores.query.type), len(shape_of(out.type))
    of_weights = wide(MatmulOp(gradient, _turned(scores.value)).result)
    owed = ReduceOp("add", ew.MulOp(wide(gradient), wide(out)).result, [rank - 1]).result
    of_scores = ew.MulOp(weights, ew.SubOp(of_weights, spread(owed, of_weights)).result).result
    scaled = cast(ew.MulOp(of_scores, full(scores.scale, of_scores)).result, element)
    return [
        MatmulOp(scaled, scores.key).result,
        MatmulOp(_turned(scaled), scores.query).result,
        MatmulOp(_turned(cast(weights, element)), gradient).result,
        *[None] * (len(op.results) - len(OPERANDS)),
    ]


def _column(logarithm: SSAValue, scores: Shape) -> SSAValue:
    """The kept logarithms, one for each row of the scores."""
    kept, rows = shape_of(logarithm.type), scores[:-1]
    if len(kept) == len(rows) and kept != rows:
        logarithm = SliceOp(logarithm, [0] * len(rows), [1] * len(rows), rows).result
    return ReshapeOp(logarithm, [*rows, 1]).result


@dataclass(frozen=True)
class _Scores:
    """What the scores of attention are made of."""

    query: SSAValue
    key: SSAValue
    value: SSAValue
    scale: float
    mask: SSAValue | None
    causal: bool

    @staticmethod
    def of(given: Arguments, grouped: bool = False) -> _Scores | None:
        """Of a call; None for operands that have no formula."""
        operands = _of_equal_heads(given.values(*OPERANDS), grouped)
        scale = None if operands is None else _scale(given, operands[0])
        if operands is None or scale is None:
            return None
        query, key, value = operands
        masks = [m for m in map(given.value, ("attn_mask", "attn_bias")) if m is not None]
        mask = masks[0] if masks else None
        return _Scores(query, key, value, scale, mask, bool(given.number("is_causal")))

    def scores(self) -> SSAValue:
        """scale * query @ key.T, at -inf where a key is hidden; in float32 for 16-bit floats."""
        product = wide(MatmulOp(self.query, _turned(self.key)).result)
        found = ew.MulOp(product, full(self.scale, product)).result
        if self.causal:
            place = with_shape(with_element(found.type, i64), shape_of(found.type)[-2:])
            before = ew.GeOp(IotaOp(0, place).result, IotaOp(1, place).result).result
            found = self._hidden(found, before)
        if self.mask is None:
            return found
        if is_bool(element_type(self.mask.type)):
            return self._hidden(found, self.mask)
        return ew.AddOp(found, spread(self.mask, found)).result

    def weights(self) -> tuple[SSAValue, SSAValue]:
        """The softmax of the scores, and the logarithm of the sum of each row's powers; both as wide as the scores."""
        spelled = self.scores()
        last = [len(shape_of(spelled.type)) - 1]
        peak = ReduceOp("max", spelled, last).result
        powers = ew.ExpOp(ew.SubOp(spelled, spread(peak, spelled)).result).result
        total = ReduceOp("add", powers, last).result
        weights = self.safe(spelled, ew.DivOp(powers, spread(total, powers)).result)
        return weights, ew.AddOp(peak, ew.LogOp(total).result).result

    def weighted(self, weights: SSAValue) -> SSAValue:
        """weights @ value"""
        return MatmulOp(cast(weights, element_type(self.value.type)), self.value).result

    def safe(self, scores: SSAValue, weights: SSAValue) -> SSAValue:
        """Weights of 0 where the mask hides: a row that it hides whole has no others."""
        if self.mask is None:
            return weights
        hidden = ew.EqOp(scores, full(-inf, scores)).result
        return ew.SelectOp(hidden, full(0.0, weights), weights).result

    def _hidden(self, scores: SSAValue, kept: SSAValue) -> SSAValue:
        return ew.SelectOp(spread(kept, scores), scores, full(-inf, scores)).result


def _scale(given: Arguments, query: SSAValue) -> float | None:
    """What the scores count; None where only the running program tells."""
    width = shape_of(query.type)[-1].constant
    if given.has("scale"):
        return given.number("scale")
    return width**-0.5 if width else None


def _of_equal_heads(operands: list[SSAValue] | None, grouped: bool = False) -> list[SSAValue] | None:
    """query, key and value, the last two repeated for each head of a group; None where their batches differ."""
    if operands is None:
        return None
    query, *others = operands
    batch = shape_of(query.type)[:-2]
    if all(shape_of(v.type)[:-2] == batch for v in others):
        return operands
    if not grouped or not all(_divide(shape_of(v.type)[:-2], batch) for v in others):
        return None
    return [query, *(_repeated(v, batch) for v in others)]


def _divide(batch: Shape, wanted: Shape) -> bool:
    """True if heads of `batch` may each be repeated to be those that are wanted."""
    heads, many = (b[-1].constant if b else None for b in (batch, wanted))
    return batch[:-1] == wanted[:-1] and bool(heads) and many is not None and many % (heads or 1) == 0


def _repeated(x: SSAValue, batch: Shape) -> SSAValue:
    """`x` [..., H, S, E] with each of its heads as often as `batch` has heads for it, one after the other."""
    shape, many = shape_of(x.type), batch[-1]
    times = many // shape[-3]
    apart = ReshapeOp(x, [*shape[:-2], integer(1), *shape[-2:]]).result
    repeated = BroadcastOp(apart, [*shape[:-2], times, *shape[-2:]]).result
    return ReshapeOp(repeated, [*shape[:-3], many, *shape[-2:]]).result


def _turned(x: SSAValue) -> SSAValue:
    """The last two dimensions the other way around."""
    rank = len(shape_of(x.type))
    return PermuteOp(x, [*range(rank - 2), rank - 1, rank - 2]).result


FORMULAS: dict[str, Callable[[ExternOp], Sequence[SSAValue | None] | None]] = {
    ATTENTION: attention,
    **{f"{PREFIX}{kernel}.default": kept_attention for kernel in KEPT},
    **{f"{PREFIX}{kernel}_backward.default": gradients for kernel in GRADIENT},
}
"""Call to what builds its results."""
