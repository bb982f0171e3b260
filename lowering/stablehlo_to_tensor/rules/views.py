"""Constants, and the ops of StableHLO that only move elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, i1
from xdsl.ir import SSAValue

from lowering.stablehlo_to_tensor.emitter import Emitter, Outside, element, known_scalar, result_shape, rule, shape
from lowering.stablehlo_to_tensor.syntax import HloOp
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import storage, tensor_type
from mlc_dialects.semantics.numerics import dense_value, splat_attribute
from mlc_dialects.tensor.ops import ConstantOp
from mlc_dialects.tensor.views import CatOp, PadOp


@rule("constant")
def constant(e: Emitter, op: HloOp) -> SSAValue:
    value = op.stated["value"]
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise Outside("a constant that is not dense<...>")
    sizes, type_ = result_shape(op), element(op.results[0])
    elements = dense_value(value)
    flat = elements.array.ravel()
    if not flat.size:
        return e.constant(scalar_attribute(0, storage(type_)), sizes, type_)
    if flat.tobytes() == flat[:1].tobytes() * flat.size:  # -0.0 is not 0.0, and NaN is NaN
        return e.constant(splat_attribute(elements.with_array(flat[:1])), sizes, type_)
    return e.op(ConstantOp(value, tensor_type(sizes, type_)))


@rule("iota")
def iota(e: Emitter, op: HloOp) -> SSAValue:
    return e.iota(op.stated["iota_dimension"], result_shape(op), element(op.results[0]))


@rule("broadcast_in_dim")
def broadcast_in_dim(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    dims: Sequence[int] = op.stated.get("broadcast_dimensions", [])
    order = sorted(range(len(dims)), key=lambda d: dims[d])
    return e.along(e.permute(x, order), sorted(dims), result_shape(op))


@rule("reshape")
def reshape(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    return e.reshape(x, result_shape(op))


@rule("transpose")
def transpose(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    return e.permute(x, op.stated["permutation"])


@rule("slice")
def slice_(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    stated = op.stated
    return e.slice(x, stated["start_indices"], result_shape(op), stated["strides"])


@rule("reverse")
def reverse(e: Emitter, op: HloOp, x: SSAValue) -> SSAValue:
    return reversed_along(e, x, op.stated["dimensions"])


def reversed_along(e: Emitter, x: SSAValue, dims: Sequence[int]) -> SSAValue:
    """The elements in reverse order along `dims`."""
    sizes = shape(x)
    if 0 in sizes or not dims:
        return x
    back = [d in dims for d in range(len(sizes))]
    starts = [n - 1 if b else 0 for n, b in zip(sizes, back, strict=True)]
    return e.slice(x, starts, sizes, [-1 if b else 1 for b in back])


@rule("concatenate")
def concatenate(e: Emitter, op: HloOp, *operands: SSAValue) -> SSAValue:
    return operands[0] if len(operands) == 1 else e.op(CatOp(operands, op.stated["dimension"]))


@rule("pad")
def pad(e: Emitter, op: HloOp, x: SSAValue, value: SSAValue) -> SSAValue:
    """Where the value is known only when it runs, a mask padded likewise selects it."""
    stated = op.stated
    lows, highs, gaps = (stated[f"{k}"] for k in ("edge_padding_low", "edge_padding_high", "interior_padding"))
    number = known_scalar(value)
    if number is not None:
        return padded(e, x, number, lows, highs, gaps)
    inside = padded(e, e.constant(IntegerAttr(1, 1), shape(x), i1), IntegerAttr(0, 1), lows, highs, gaps)
    around = padded(e, x, scalar_attribute(0, storage(element(x))), lows, highs, gaps)
    return e.apply("select", inside, around, e.broadcast(value, shape(around)))


def padded(
    e: Emitter, x: SSAValue, value: object, lows: Sequence[int], highs: Sequence[int], gaps: Sequence[int]
) -> SSAValue:
    """`gaps` elements of `value` between neighbours, then as many around; a negative number takes elements away."""
    for dim, gap in enumerate(gaps):
        if gap and shape(x)[dim] > 1:
            x = _spread(e, x, value, dim, gap)
    sizes = shape(x)
    low, high = ([max(n, 0) for n in edge] for edge in (lows, highs))
    whole = [n + before + after for n, before, after in zip(sizes, low, high, strict=True)]
    if whole != sizes:
        x = _pad(e, x, value, low, whole)
    starts = [max(-n, 0) for n in lows]
    kept = [n - s - max(-h, 0) for n, s, h in zip(whole, starts, highs, strict=True)]
    return e.slice(x, starts, kept, [1] * len(kept))


def _spread(e: Emitter, x: SSAValue, value: object, dim: int, gap: int) -> SSAValue:
    """`gap` elements of `value` after each along `dim`, save the last: a column of them, folded into the rows."""
    sizes = shape(x)
    column = [*sizes[: dim + 1], 1, *sizes[dim + 1 :]]
    wide = [*sizes[: dim + 1], 1 + gap, *sizes[dim + 1 :]]
    x = _pad(e, e.reshape(x, column), value, [0] * len(wide), wide)
    x = e.reshape(x, [*sizes[:dim], sizes[dim] * (1 + gap), *sizes[dim + 1 :]])
    kept = [*sizes[:dim], (sizes[dim] - 1) * (1 + gap) + 1, *sizes[dim + 1 :]]
    return e.slice(x, [0] * len(kept), kept, [1] * len(kept))


def _pad(e: Emitter, x: SSAValue, value: object, low: Sequence[int], sizes: Sequence[int]) -> SSAValue:
    return e.op(PadOp(x, low, sizes, value))  # pyright: ignore[reportArgumentType]


@rule("optimization_barrier")
def optimization_barrier(e: Emitter, op: HloOp, *operands: SSAValue) -> Sequence[SSAValue]:
    """The operands: what it keeps apart is for a compiler to know."""
    return operands
