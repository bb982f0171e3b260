"""Rules for norms that are quicker to import whole than to trace by their decompositions, op by op.

Each step is that of PyTorch's decomposition. See `WITHOUT_GRADIENTS` in `decompositions/table.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from lowering.fx_to_tensor.call import Call, rule, wide
from lowering.fx_to_tensor.rules.reduce import finished, variance_and_mean
from lowering.fx_to_tensor.sizes import element_of
from mlc_dialects.common.types import shape_of


@rule("_native_batch_norm_legit_no_training.default")
def _batch_norm(
    call: Call,
    x: SSAValue,
    weight: SSAValue | None,
    bias: SSAValue | None,
    mean: SSAValue,
    variance: SSAValue,
    momentum: float,
    eps: float,
) -> Sequence[SSAValue]:
    """(x - mean) / sqrt(variance + eps) * weight + bias, and the running statistics that it is given."""
    element, channels = wide(call.element), (call.shape[1],)

    def beside_x(value: SSAValue | None) -> SSAValue | None:
        return None if value is None else call.reshape(value, (*channels, *(1 for _ in call.shape[2:])))

    mean = call.cast(mean, element)
    shifted = call.apply("add", variance, eps, element=element, shape=channels)
    deviation = call.apply("sqrt", shifted, element=element, shape=channels)
    inverse = call.apply("div", 1.0, deviation, element=element, shape=channels)
    result = _scaled(call, x, beside_x(mean), beside_x(inverse), beside_x(weight), beside_x(bias))
    # On a CPU the statistics have no elements.
    saved = [
        call.cast(value, element_of(out.dtype)) if out.numel() else call.full(0, (0,), element_of(out.dtype))
        for value, out in zip((mean, inverse), call.outs[1:], strict=True)
    ]
    return [result, *saved]


@rule("native_layer_norm.default")
def _layer_norm(
    call: Call,
    x: SSAValue,
    normalized_shape: Sequence[int],
    weight: SSAValue | None,
    bias: SSAValue | None,
    eps: float,
) -> Sequence[SSAValue]:
    """(x - mean) / sqrt(variance + eps) * weight + bias of the last dimensions; mean and inverse deviation."""
    element, rank = wide(call.element), len(call.shape)
    value = call.cast(x, element)
    variance, mean = variance_and_mean(call, value, range(rank - len(normalized_shape), rank), 0)
    kept = shape_of(mean.type)
    shifted = call.apply("add", variance, eps, element=element, shape=kept)
    inverse = call.apply("rsqrt", shifted, element=element, shape=kept)
    result = _scaled(call, value, mean, inverse, weight, bias)
    return [result, finished(call, mean, 1), finished(call, inverse, 2)]


def _scaled(
    call: Call,
    x: SSAValue,
    mean: SSAValue | None,
    inverse: SSAValue | None,
    weight: SSAValue | None,
    bias: SSAValue | None,
) -> SSAValue:
    """(x - mean) * inverse * weight + bias, rounded once at the end; what is None is left out."""
    result = x
    for name, value in (("sub", mean), ("mul", inverse), ("mul", weight), ("add", bias)):
        if value is not None:
            result = call.apply(name, result, value, element=wide(call.element))
    return call.cast(result, call.element)
