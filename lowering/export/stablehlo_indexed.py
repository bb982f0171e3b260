"""StableHLO of the ops whose indices are data, of scans, and of random bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerType, Signedness, TensorType, i32, i64
from xdsl.ir import Operation

from lowering.export.program import Program
from lowering.export.stablehlo_writer import Val, Writer, array, body, region
from mlc_dialects.common.philox import KEY_STEPS, LOW, MULTIPLIERS, ROUNDS
from mlc_dialects.common.types import is_float, tensor_type
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.windows import Windows, windows

COMBINE = {"add": "add", "mul": "multiply", "max": "maximum", "min": "minimum", "and": "and", "or": "or"}
"""Kind of reduction, scan or scatter to the op of StableHLO that combines two elements."""
UI64 = IntegerType(64, Signedness.UNSIGNED)


def _result(op: Operation) -> TensorType[Any]:
    type_ = op.results[0].type
    assert isinstance(type_, TensorType)
    return type_


def combiner(kind: str, type_: TensorType[Any]) -> str:
    """The region that combines two scalars of `type_`."""
    return body(type_, lambda w, a, b: w.op(COMBINE[kind], [a, b]))


def gather(program: Program, writer: Writer, op: GatherOp, operands: Sequence[Val]) -> Val:
    """A window for each point, of the dimensions that indices leave as they are; of none, one element."""
    x, *indices = operands
    sizes, points, found = program.sizes(op.input), program.sizes(op.result), windows(op)
    if not found.indexed:
        dims = array(list(found.of.values()))
        return writer.op("broadcast_in_dim", [x], _result(op), f"broadcast_dimensions = {dims}")
    left = [points[d] for d in found.points]
    numbers = f"offset_dims = {list(found.of.values())}, " if found.of else ""
    numbers += f"collapsed_slice_dims = {list(found.indexed)}, start_index_map = {list(found.indexed)}"
    slices = array([size if k in found.of else 1 for k, size in enumerate(sizes)])
    stated = f"dimension_numbers = #stablehlo.gather<{numbers}, index_vector_dim = {len(left)}>, slice_sizes = {slices}"
    places = [_first_of_windows(writer, indices[k], found, left) for k in found.indexed]
    return writer.op("gather", [x, _places(writer, places, left)], _result(op), f"{stated}, indices_are_sorted = false")


def _first_of_windows(writer: Writer, index: Val, found: Windows, left: Sequence[int]) -> Val:
    """An index, which is the same all along the windows, once for each."""
    if not found.of:
        return index
    ends = [1 if d in found.of.values() else n for d, n in enumerate(index.type.get_shape())]
    begins, steps = [0] * len(ends), [1] * len(ends)
    bounds = f"start_indices = {array(begins)}, limit_indices = {array(ends)}, strides = {array(steps)}"
    first = writer.op("slice", [index], tensor_type(ends, index.element), bounds)
    return writer.op("reshape", [first], tensor_type(left, index.element))


def scatter(program: Program, writer: Writer, op: ScatterOp, operands: Sequence[Val]) -> Val:
    """One update for each point; a single number is a vector of one."""
    kind, (into, *indices, updates) = op.kind.data, operands
    points = program.sizes(op.updates)
    if not indices:
        into = writer.op("reshape", [into], tensor_type([1], into.element))
        indices = [writer.splat(0, tensor_type(points, i64))]
    dims = list(range(len(indices)))
    scalar = tensor_type([], into.element)
    combined = body(scalar, lambda w, a, b: b) if kind == "set" else combiner(kind, scalar)
    numbers = f"inserted_window_dims = {dims}, scatter_dims_to_operand_dims = {dims}, index_vector_dim = {len(points)}"
    stated = (
        f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, indices_are_sorted = false, unique_indices = false"
    )
    value = writer.op("scatter", [into, _places(writer, indices, points), updates], into.type, stated, combined)
    return value if op.indices else writer.op("reshape", [value], _result(op))


def _places(writer: Writer, indices: Sequence[Val], points: Sequence[int]) -> Val:
    """The indices of each point as one vector, along a last dimension."""
    column = [*points, 1]
    wide = [writer.op("convert", [i], writer.like(i, i64)) if i.element != i64 else i for i in indices]
    parts = [writer.op("reshape", [i], tensor_type(column, i64)) for i in wide]
    if len(parts) == 1:
        return parts[0]
    whole = tensor_type([*points, len(parts)], i64)
    return writer.op("concatenate", parts, whole, f"dimension = {len(points)} : i64")


def scan(program: Program, writer: Writer, op: ScanOp, operands: Sequence[Val]) -> Val:
    """A window that ends in each element and reaches back to the first: what jax makes of cumulative ops."""
    kind, (x,), sizes = op.kind.data, operands, program.sizes(op.input)
    if not sizes[op.axis]:
        return writer.constant("0", _result(op)) if kind.startswith("arg") else x
    scalar = tensor_type([], x.element)
    window = [n if d == op.axis else 1 for d, n in enumerate(sizes)]
    low = [[n - 1, 0] for n in window]
    padding = f"padding = dense<{low}> : tensor<{len(sizes)}x2xi64>"
    stated = f"window_dimensions = {array(window)}, {padding}"
    start = writer.identity("max" if kind == "logaddexp" else kind, x.element)
    if kind.startswith("arg"):
        places = writer.op("iota", [], _result(op), f"iota_dimension = {op.axis} : i64")
        before = writer.constant("-1", tensor_type([], i64))
        combined = extreme_of_pairs(scalar, kind, last=True)
        types = x.type, _result(op)
        return writer.several("reduce_window", [x, places, start, before], types, stated, combined)[1]
    combined = body(scalar, _logaddexp) if kind == "logaddexp" else combiner(kind, scalar)
    return writer.op("reduce_window", [x, start], _result(op), stated, combined)


def extreme_of_pairs(type_: TensorType[Any], kind: str, last: bool = False) -> str:
    """The region that keeps the greater or lesser of two (element, position) pairs: NaN before all, and of equals the
    first or the last, whichever way around they come.
    """
    place = tensor_type([], i64)
    a, i, b, j = (Val(f"%${n}", t) for n, t in (("a", type_), ("i", place), ("b", type_), ("j", place)))

    def build(w: Writer) -> list[Val]:
        beats = w.compare("GT" if kind == "argmax" else "LT", a, b)
        alike = w.compare("EQ", a, b)
        if is_float(a.element):
            nans = [w.compare("NE", v, v) for v in (a, b)]
            beats = w.op("or", [beats, w.op("and", [nans[0], w.op("not", [nans[1]])])])
            alike = w.op("or", [alike, w.op("and", nans)])
        chosen = w.op("or", [beats, w.op("and", [alike, w.compare("GT" if last else "LT", i, j)])])
        return [w.select(chosen, a, b), w.select(chosen, i, j)]

    return region([a, i, b, j], build)


def _logaddexp(w: Writer, a: Val, b: Val) -> Val:
    """max + log1p(exp(-|a - b|)); equal operands, infinite ones too, differ by 0."""
    apart = w.op("negate", [w.op("abs", [w.op("subtract", [a, b])])])
    apart = w.select(w.compare("EQ", a, b), w.splat(0, a.type), apart)
    return w.op("add", [w.op("maximum", [a, b]), w.op("log_plus_one", [w.op("exponential", [apart])])])


def random(program: Program, writer: Writer, op: RandomOp, operands: Sequence[Val]) -> Val:
    """The rounds of Philox 4x32-10 over each element's row-major position, in unsigned words of 64 bits."""
    sizes, index = program.sizes(op.result), op.index.value.data
    wide = tensor_type(sizes, UI64)
    bounds = f"start_indices = {array([index])}, limit_indices = {array([index + 1])}, strides = {array([1])}"
    seed = writer.op("slice", operands, tensor_type([1], i64), bounds)
    seed = writer.op("convert", [writer.op("reshape", [seed], tensor_type([], i64))], tensor_type([], UI64))
    key = writer.op("broadcast_in_dim", [seed], wide, f"broadcast_dimensions = {array([])}")
    place, zero = _positions(writer, sizes), writer.splat(0, wide)
    words = [_low(writer, place), _high(writer, place), zero, zero]
    keys = [_low(writer, key), _high(writer, key)]
    for _ in range(ROUNDS):
        first, second = (
            writer.op("multiply", [writer.splat(m, wide), words[k]]) for m, k in zip(MULTIPLIERS, (0, 2), strict=True)
        )
        mixed = [writer.op("xor", [_high(writer, p), words[k]]) for p, k in ((second, 1), (first, 3))]
        mixed = [writer.op("xor", [m, k]) for m, k in zip(mixed, keys, strict=True)]
        words = [mixed[0], _low(writer, second), mixed[1], _low(writer, first)]
        keys = [
            _low(writer, writer.op("add", [k, writer.splat(s, wide)])) for k, s in zip(keys, KEY_STEPS, strict=True)
        ]
    narrow = writer.op("convert", [words[op.word.value.data]], tensor_type(sizes, IntegerType(32, UI64.signedness)))
    return writer.op("bitcast_convert", [narrow], tensor_type(sizes, i32))


def _positions(writer: Writer, sizes: Sequence[int]) -> Val:
    """Each element's row-major position."""
    count = 1
    for size in sizes:
        count *= size
    flat = writer.op("iota", [], tensor_type([count], UI64), "iota_dimension = 0 : i64")
    return writer.op("reshape", [flat], tensor_type(sizes, UI64))


def _low(writer: Writer, x: Val) -> Val:
    return writer.op("and", [x, writer.splat(LOW, x.type)])


def _high(writer: Writer, x: Val) -> Val:
    return writer.op("shift_right_logical", [x, writer.splat(32, x.type)])
