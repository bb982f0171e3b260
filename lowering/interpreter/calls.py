"""What calls of PyTorch's library mean, for the reference interpreter: those that passes rewrite."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Attribute

from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.common.types import is_float
from mlc_dialects.semantics.numerics import Array, Value, accumulator, cast, value_of
from mlc_dialects.tensor.calls import ExternOp, OperandAttr, channels_first, channels_last

Meaning = Callable[[ExternOp, Sequence[Value]], Value | None]


def call(op: ExternOp, operands: Sequence[Value]) -> list[Value] | None:
    """The results of a call; None for one that only PyTorch can run."""
    meaning = _MEANINGS.get(op.callee.data)
    turns = CHANNELS_LAST in op.attributes
    result = meaning(op, [_turned(v, channels_first) if turns else v for v in operands]) if meaning else None
    if result is None:
        return None
    return [_turned(result, channels_last) if turns else result]


def _turned(value: Value, order: Callable[[int], list[int]]) -> Value:
    rank = len(value.shape)
    return value.with_array(value.array.transpose(order(rank))) if rank >= 4 else value


def _convolution(op: ExternOp, operands: Sequence[Value]) -> Value | None:
    """Of floats, forwards: x [N, G * C, ...], weight [G * O, C, ...]; summed as products of matrices are."""
    places, element = op.argument_list(), operands[0].element
    x, weight, bias = (operands[p.index].array if isinstance(p, OperandAttr) else None for p in places[:3])
    stride, padding, dilation, (transposed,), _, (groups,) = map(_integers, places[3:])
    if x is None or weight is None or transposed or not is_float(element):
        return None
    with np.errstate(all="ignore"):
        total = convolved(x.astype(np.float64), weight.astype(np.float64), stride, padding, dilation, groups)
        if bias is not None:
            total += bias.astype(np.float64).reshape(-1, *[1] * len(stride))
    return cast(value_of(total, accumulator(element)), element)


def convolved(
    x: Array, weight: Array, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int
) -> Array:
    """sum over c, k of x[n, c, stride * i + dilation * k - padding] * weight[o, c, k], c among the channels of o"""
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    kernel = weight.shape[2:]
    sizes = [
        (size - d * (k - 1) - 1) // s + 1
        for size, k, s, d in zip(padded.shape[2:], kernel, stride, dilation, strict=True)
    ]
    batch, channels, outputs = x.shape[0], weight.shape[1], weight.shape[0] // groups
    pictures = padded.reshape(batch, groups, channels, *padded.shape[2:])
    filters = weight.reshape(groups, outputs, channels, *kernel)
    total = np.zeros((batch, groups, outputs, *sizes))
    for place in np.ndindex(*kernel):
        window = [slice(d * k, d * k + s * n, s) for k, n, s, d in zip(place, sizes, stride, dilation, strict=True)]
        total += np.einsum("ngc...,goc->ngo...", pictures[(..., *window)], filters[(..., *place)])
    return total.reshape(batch, groups * outputs, *sizes)


def _integers(attribute: Attribute) -> tuple[int, ...]:
    """A number, or a list of them."""
    entries = attribute.data if isinstance(attribute, ArrayAttr) else [attribute]
    return tuple(e.value.data for e in entries if isinstance(e, IntegerAttr))


_MEANINGS: dict[str, Meaning] = {"aten.convolution.default": _convolution}
