"""Reading IR text: the bits of floats, places, and one clear error for anything else."""

import math
import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import get_all_dialects, test
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    ModuleOp,
    TensorType,
)

from mlc_support.errors import Location, MlcError
from mlc_support.locations import location_of
from mlc_support.parsing import parse_module

FLOATS = [Float16Type(), BFloat16Type(), Float32Type(), Float64Type()]


def context() -> Context:
    ctx = Context()
    for name, factory in get_all_dialects().items():
        ctx.register_dialect(name, factory)
    return ctx


CTX = context()


def round_trip(attribute):
    """An attribute, printed and read again."""
    text = str(ModuleOp([test.TestOp.create(attributes={"a": attribute})]))
    op = next(iter(parse_module(CTX, text).body.block.ops))
    return op.attributes["a"]


def same(left: float, right: float) -> bool:
    """Equal bits, save that one NaN is as good as another."""
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return struct.pack("<d", left) == struct.pack("<d", right)


def from_bits(bits: int, type: AnyFloat) -> float:
    size = type.compile_time_size
    return type.unpack((bits % 256**size).to_bytes(size, "little"), 1)[0]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4), st.sampled_from(FLOATS))
def test_every_float_survives_text(patterns: list[int], type: AnyFloat) -> None:
    values = [from_bits(bits, type) for bits in patterns]
    dense = DenseIntOrFPElementsAttr.from_list(TensorType(type, [len(values)]), values)
    splat = DenseIntOrFPElementsAttr.from_list(TensorType(type, [3]), [values[0]] * 3)
    assert all(map(same, round_trip(dense).get_values(), values))
    assert all(same(value, values[0]) for value in round_trip(splat).get_values())
    assert same(round_trip(FloatAttr(values[0], type)).value.data, values[0])
    array = DenseArrayBase.from_list(type, values)
    assert all(map(same, round_trip(array).get_values(), values))


@pytest.mark.parametrize("type", FLOATS, ids=str)
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 0.0, -0.0, 1.0, 1e-7])
def test_special_floats_survive_text(type: AnyFloat, value: float) -> None:
    expected = type.unpack(type.pack((value,)), 1)[0] if abs(value) < 60000 or math.isinf(value) else value
    dense = DenseIntOrFPElementsAttr.from_list(TensorType(type, [2]), [value, 1.0])
    read = round_trip(dense).get_values()
    assert same(read[0], expected)
    assert read[1] == 1.0


def test_complex_numbers_take_bits_too() -> None:
    type = TensorType(ComplexType(Float32Type()), [2])
    values = [(math.inf, 1.0), (0.5, -math.inf)]
    assert list(round_trip(DenseIntOrFPElementsAttr.from_list(type, values)).get_values()) == values


def test_ops_stand_where_their_text_does() -> None:
    module = parse_module(CTX, '"test.op"() : () -> ()\n  "test.op"() : () -> ()', "f.mlir", first_line=10)
    places = [location_of(op) for op in module.body.block.ops]
    assert places == [Location("f.mlir", 10, 1), Location("f.mlir", 11, 3)]


def test_a_location_in_the_text_wins() -> None:
    module = parse_module(CTX, '"test.op"() : () -> () loc("model.py":41:0)', "f.mlir")
    assert location_of(next(iter(module.body.block.ops))) == Location("model.py", 41)


def test_no_text_is_an_empty_module() -> None:
    assert not parse_module(CTX, "// nothing\n").body.block.ops


ADD = "func.func @f(%x: f32) {\n  %y = arith.addf %x, %x : f32\n  func.return\n}"


@pytest.mark.parametrize(
    ("text", "message", "line", "column", "hint"),
    [
        (ADD.replace("addf", "adf"), "unknown operation `arith.adf`", 2, 8, "did you mean `arith.addf`?"),
        (ADD.replace("arith.", "arit."), "unknown dialect `arit`", 2, 8, "did you mean `arith`?"),
        (ADD.replace("%x, %x", "%x, %q"), "%q is used but never defined", 2, 23, None),
        (ADD.replace(" : f32\n", " f32\n"), "expected ':'", 2, 26, None),
        (ADD.removesuffix("}"), "expected an operation or `}`", 4, 1, None),
        (ADD + "}", "expected an operation, found `}`", 4, 2, None),
        ("func.func @f(%x: tensor<-1x4xf32>) { func.return }", "negative dimension", 1, 25, "0 or more"),
        ("func.func @f(%x: memref<4x-1xf32>) { func.return }", "negative dimension", 1, 27, "0 or more"),
        ("func.func @f(%x: vector<-4xf32>) { func.return }", "negative dimension", 1, 25, "0 or more"),
        ('"test.op"() {a = dense<0x1FFFF> : tensor<2xbf16>} : () -> ()', "more bits than bf16", 1, 24, None),
        ('"test.op"() {a = dense<-0xFF> : tensor<2xf32>} : () -> ()', "no leading minus", 1, 24, None),
        ('"test.op"() {a = 1.0e20 : f16} : () -> ()', "out of range", 1, 30, None),
        ('"test.op"() {a = 1 : i16777216} : () -> ()', "an integer type has 16777215 bits at most", 1, 22, None),
        ('"test', "a string is not closed", 1, 1, None),
        ("foo", "unknown operation `foo`", 1, 1, "dialect.operation"),
    ],
)
def test_a_mistake_is_named_and_placed(text: str, message: str, line: int, column: int, hint: str | None) -> None:
    with pytest.raises(MlcError) as caught:
        parse_module(CTX, text, "f.mlir")
    place = caught.value.location
    assert message in caught.value.message
    assert isinstance(place, Location)
    assert (place.file, place.line, place.column) == ("f.mlir", line, column)
    assert hint is None or (caught.value.hint is not None and hint in caught.value.hint)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(MlcError, match="not UTF-8"):
        parse_module(CTX, b"\xff\xfe")


def test_an_unclosed_string_takes_no_time() -> None:
    with pytest.raises(MlcError, match="not closed"):
        parse_module(CTX, '"test.op"() {a = "' + "long " * 1000 + "} : () -> ()")


def test_a_mistyped_size_does_not_fill_memory() -> None:
    with pytest.raises(MlcError, match="too large"):
        parse_module(CTX, '"test.op"() {a = dense<1.0> : tensor<99999999999xf32>} : () -> ()')


def test_damaged_text_never_escapes_as_another_exception() -> None:
    chooser = random.Random(0)
    text = ADD + '\n"test.op"() {a = dense<[0xFF800000, 1.0]> : tensor<2xf32>, b = array<i8: 1>} : () -> ()'
    for _ in range(300):
        start = chooser.randrange(len(text))
        damaged = text[:start] + chooser.choice(["", "-", "<", "{", "%", '"', "9" * 30, "x"]) + text[start + 1 :]
        try:
            parse_module(CTX, damaged)
        except MlcError as error:
            assert error.location is not None
