"""StableHLO of calls of PyTorch's library: convolutions and sorting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import SSAValue

from lowering.export.attention import refusal
from lowering.export.program import Program
from lowering.export.sorting import Sorting
from lowering.export.stablehlo_writer import Val, Writer, array, region
from mlc_dialects.common.types import is_float, tensor_type
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.convolution import Convolution

Call = Callable[[Program, Writer, ExternOp, Sequence[Val]], Val | list[Val]]


def convolution(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> Val:
    """A convolution; the bias is added to its result."""
    found = Convolution.of(op)
    x, weight, *bias = operands
    spatial, last = range(len(found.stride)), found.channels_last
    form = ", ".join(map(str, spatial))
    picture, kernel = (f"b, {form}, f", f"o, {form}, i") if last else (f"b, f, {form}", f"o, i, {form}")
    strides = f"window_strides = {array(found.stride)}"
    edges = [[p, p] for p in found.padding]
    if found.transposed:
        sizes = [program.sizes(op.inputs[1])[d] for d in found.spatial]
        weight = _turned(writer, weight, found)
        strides = f"lhs_dilation = {array(found.stride)}"
        edges = [[d * (n - 1) - p for p in (low, low - more)] for d, n, low, more in _edges(found, sizes)]
    stated = (
        f"{strides}, padding = dense<{edges}> : tensor<{len(spatial)}x2xi64>, rhs_dilation = {array(found.dilation)}, "
        f"dimension_numbers = #stablehlo.conv<[{picture}]x[{kernel}]->[{picture}]>, "
        f"feature_group_count = {found.groups} : i64, batch_group_count = 1 : i64"
    )
    result = _type(op.results[0])
    product = writer.op("convolution", [x, weight], result, stated)
    if not bias:
        return product
    wide = writer.op("broadcast_in_dim", bias, result, f"broadcast_dimensions = {array([found.channels])}")
    return writer.op("add", [product, wide])


def _edges(found: Convolution, sizes: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    return zip(found.dilation, sizes, found.padding, found.more, strict=True)


def _turned(writer: Writer, weight: Val, found: Convolution) -> Val:
    """The weight of a transposed convolution [G * C, O, ...] as that of another one, [G * O, C, ...], backwards."""
    backwards = writer.op("reverse", [weight], weight.type, f"dimensions = {array(found.spatial)}")
    sizes, groups, place = weight.type.get_shape(), found.groups, found.channels
    apart = [groups, sizes[0] // groups, *sizes[1:]]
    order = list(range(len(apart)))
    order[1], order[place + 1] = place + 1, 1
    turned = [apart[d] for d in order]
    value = writer.op("reshape", [backwards], tensor_type(apart, weight.element))
    value = writer.op("transpose", [value], tensor_type(turned, weight.element), f"permutation = {array(order)}")
    return writer.op("reshape", [value], tensor_type([groups * turned[1], *turned[2:]], weight.element))


def sort(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> list[Val]:
    """The elements along a dimension in order, and where each stood; equal ones stay in order."""
    return _sorted(writer, operands[0], Sorting.of(op))


def topk(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> list[Val]:
    """The first few of the elements in order."""
    given, types = Sorting.of(op), [_type(r) for r in op.results]
    found = _sorted(writer, operands[0], given)
    if not found[0].type.get_shape():
        return found
    starts, ends = [0] * found[0].type.get_num_dims(), types[0].get_shape()
    bounds = f"start_indices = {array(starts)}, limit_indices = {array(ends)}, strides = {array([1] * len(ends))}"
    return [writer.op("slice", [v], type_, bounds) for v, type_ in zip(found, types, strict=True)]


def _sorted(writer: Writer, x: Val, given: Sorting) -> list[Val]:
    """All elements in order, and where each stood."""
    places = writer.like(x, i64)
    if not x.type.get_shape():
        return [x, writer.splat(0, places)]
    stood = writer.op("iota", [], places, f"iota_dimension = {given.dim} : i64")
    stated = f"dimension = {given.dim} : i64, is_stable = true"
    return writer.several("sort", [x, stood], (x.type, places), stated, _before(x, given.descending))


def _before(x: Val, descending: bool) -> str:
    """The region that tells whether the first of two elements comes before the second: NaN counts as the greatest."""
    scalars = tensor_type([], x.element), tensor_type([], i64)
    a, b, i, j = (Val(f"%${n}", scalars[n in "ij"]) for n in "abij")

    def build(w: Writer) -> list[Val]:
        less, more = (b, a) if descending else (a, b)
        before = w.compare("LT", less, more)
        if not is_float(x.element):
            return [before]
        apart = w.op("and", [w.compare("EQ", less, less), w.compare("NE", more, more)])
        return [w.op("or", [before, apart])]

    return region([a, b, i, j], build)


def _type(value: SSAValue) -> TensorType[Any]:
    assert isinstance(value.type, TensorType)
    return value.type


CALLS: dict[str, Call] = {
    "aten.convolution.default": convolution,
    "aten.sort.default": sort,
    "aten.sort.stable": sort,
    "aten.topk.default": topk,
}
"""The callee to what writes it."""


def call(program: Program, writer: Writer, op: ExternOp, operands: Sequence[Val]) -> Val | list[Val]:
    """A call by its callee. MlcError names one that has no export."""
    callee = op.callee.data
    if callee not in CALLS:
        program.refuse(op, refusal(op))
    return CALLS[callee](program, writer, op, operands)
