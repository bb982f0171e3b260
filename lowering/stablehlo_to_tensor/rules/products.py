"""Products of StableHLO: of matrices, and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, SSAValue

from lowering.stablehlo_to_tensor.emitter import Emitter, Outside, element, fields, result_shape, rule, shape
from lowering.stablehlo_to_tensor.rules.reduce import edge_padding
from lowering.stablehlo_to_tensor.rules.views import padded, reversed_along
from lowering.stablehlo_to_tensor.syntax import HloOp
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import BY_TYPE, is_float, storage, tensor_type
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.ops import MatmulOp, ReduceOp


@rule("dot_general")
def dot_general(e: Emitter, op: HloOp, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    numbers = fields(op, "dot_dimension_numbers")
    batching = [numbers.get(f"{side}_batching_dimensions", []) for side in ("lhs", "rhs")]
    contracting = [numbers.get(f"{side}_contracting_dimensions", []) for side in ("lhs", "rhs")]
    return _product(e, op, (lhs, rhs), batching, contracting)


@rule("dot")
def dot(e: Emitter, op: HloOp, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return _product(e, op, (lhs, rhs), ([], []), ([len(shape(lhs)) - 1], [0]))


def _product(
    e: Emitter,
    op: HloOp,
    operands: tuple[SSAValue, SSAValue],
    batching: Sequence[Sequence[int]],
    contracting: Sequence[Sequence[int]],
) -> SSAValue:
    """[batch..., m, k] times [batch..., k, n]; the free dimensions of each side are folded into one."""
    wanted = element(op.results[0])
    lhs, rhs = _elements(e, operands, wanted)
    free = [
        [d for d in range(len(shape(v))) if d not in (*batch, *inner)]
        for v, batch, inner in zip((lhs, rhs), batching, contracting, strict=True)
    ]
    batch = [shape(lhs)[d] for d in batching[0]]
    m, n = ([shape(v)[d] for d in dims] for v, dims in zip((lhs, rhs), free, strict=True))
    k = prod(shape(lhs)[d] for d in contracting[0])
    lhs = e.reshape(e.permute(lhs, [*batching[0], *free[0], *contracting[0]]), [*batch, prod(m), k])
    rhs = e.reshape(e.permute(rhs, [*batching[1], *contracting[1], *free[1]]), [*batch, k, prod(n)])
    result = e.op(MatmulOp(lhs, rhs)) if is_float(element(lhs)) else _of_integers(e, lhs, rhs)
    return e.cast(e.reshape(result, [*batch, *m, *n]), wanted)


def _elements(e: Emitter, operands: Sequence[SSAValue], wanted: Attribute) -> list[SSAValue]:
    """The operands in the wider of their types and the result's: products are summed there at least."""
    types = [*map(element, operands), wanted]
    if len({is_float(t) for t in types}) > 1:
        raise Outside("a product of integers and floats")
    widest = max(types, key=lambda t: BY_TYPE[t].bytes)
    halves = {t for t in types if BY_TYPE[t].bytes == BY_TYPE[widest].bytes}
    if len(halves) > 1:
        raise Outside(f"a product of {' and '.join(map(str, types))}")
    return [e.cast(v, widest) for v in operands]


def _of_integers(e: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Each pair of elements multiplied, and the products summed: no library multiplies matrices of integers."""
    *batch, m, k = shape(lhs)
    n = shape(rhs)[-1]
    whole = [*batch, m, k, n]
    pairs = [
        e.broadcast(e.reshape(lhs, [*batch, m, k, 1]), whole),
        e.broadcast(e.reshape(rhs, [*batch, 1, k, n]), whole),
    ]
    truths = element(lhs) == i1
    products = e.apply("and" if truths else "mul", *pairs)
    return e.reshape(e.op(ReduceOp("or" if truths else "add", products, [len(batch) + 1])), [*batch, m, n])


@rule("convolution")
def convolution(e: Emitter, op: HloOp, x: SSAValue, weight: SSAValue) -> SSAValue:
    """PyTorch's convolution, of [N, C, ...] with [O, I, ...]; what it lacks is done before: gaps, reversal, edges."""
    stated = op.stated
    pictures, filters, results = _layout(stated)
    rank = len(pictures) - 2
    if stated.get("batch_group_count", 1) != 1:
        raise Outside("a convolution with batch_group_count")
    if not rank or not is_float(element(x)):
        raise Outside("a convolution of integers, or without a spatial dimension")
    wanted = element(op.results[0])
    x, weight = _elements(e, (x, weight), wanted)
    x, weight = e.permute(x, pictures), e.permute(weight, filters)
    strides, gaps, spaced = (
        stated.get(name) or [1] * rank for name in ("window_strides", "lhs_dilation", "rhs_dilation")
    )
    back = stated.get("window_reversal") or [False] * rank
    weight = reversed_along(e, weight, [d + 2 for d, b in enumerate(back) if b])
    edges = edge_padding(stated.get("padding"), rank)
    padding = [low for low, _ in edges]
    if any(low != high or low < 0 for low, high in edges) or any(n != 1 for n in gaps):
        zero = scalar_attribute(0, storage(element(x)))
        low, high = ([0, 0, *(edge[side] for edge in edges)] for side in (0, 1))
        x, padding = padded(e, x, zero, low, high, [0, 0, *(n - 1 for n in gaps)]), [0] * rank
    sizes = [result_shape(op)[d] for d in results]
    arguments = _arguments(strides, padding, spaced, stated.get("feature_group_count", 1))
    call = ExternOp("aten.convolution.default", [x, weight], [tensor_type(sizes, element(x))], arguments)
    return e.cast(e.permute(e.op(call), [results.index(d) for d in range(rank + 2)]), wanted)


def _layout(stated: dict[str, Any]) -> tuple[list[int], list[int], list[int]]:
    """The orders that take the input to [N, C, ...], the filter to [O, I, ...], and the result to [N, O, ...]."""
    numbers = stated.get("dimension_numbers")
    if not isinstance(numbers, list) or len(numbers) != 3:
        raise Outside("a convolution that states no dimension_numbers")
    spatial = range(len(numbers[0]) - 2)
    outer = (("b", "f"), ("o", "i"), ("b", "f"))
    pictures, filters, results = (
        [p.index(n) for n in (*names, *spatial)] for p, names in zip(numbers, outer, strict=True)
    )
    return pictures, filters, results


def _arguments(stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int) -> list[Attribute]:
    """Of aten.convolution: input, weight, bias, stride, padding, dilation, transposed, output_padding, groups."""
    lists = [ArrayAttr([IntegerAttr(n, i64) for n in numbers]) for numbers in (stride, padding, dilation)]
    nothing = ArrayAttr([IntegerAttr(0, i64)] * len(stride))
    operands = [OperandAttr(StringAttr(str(i))) for i in range(2)]
    return [*operands, UnitAttr(), *lists, IntegerAttr(0, i1), nothing, IntegerAttr(groups, i64)]
