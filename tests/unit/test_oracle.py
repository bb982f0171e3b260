"""The reference interpreter against PyTorch's eager CPU ops, and on what only it decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp, bf16, f8E4M3FN, f8E5M2, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.dialects.func import Func
from xdsl.ir import Attribute

from lowering.host.named_sizes import bind_sizes
from lowering.interpreter.run import run, run_values
from mlc_dialects.common.types import BY_TYPE, is_float, tensor_type, ui8
from mlc_dialects.semantics.numerics import Array, elementwise, reduce, value_of
from mlc_dialects.tensor.dialect import MlcTensor
from mlc_dialects.tensor.elementwise import OPS, SelectOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_support.errors import MlcError
from mlc_support.index_parse import parse as parse_index
from mlc_support.parsing import parse_module

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.25, 1e-3, 60000.0, 1e30, -1e30,
    1e-40, float("inf"), -float("inf"), float("nan"),
]  # fmt: skip
INTEGERS = [0, 1, -1, 2, -2, 3, 7, -8, 100, -100, 127, -128]
TORCH = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
    "floordiv": torch.floor_divide, "pow": torch.pow,
    "truncdiv": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "fma": lambda x, y, z: (x.double() * y + z).to(x.dtype),
}  # fmt: skip
UNSURE = ("fmod", "remainder", "copysign")
"""PyTorch's vector code is off where the quotient is huge, and copies the signs of NaNs it made itself."""
NO_HALVES = ("erfcx", "ndtri")
"""PyTorch has them for float32 and float64 only."""
DIVISIONS = ("floordiv", "truncdiv", "fmod", "remainder")


def module_of(text: str) -> ModuleOp:
    """The module in `text`."""
    context = Context()
    for dialect in (Builtin, Func, MlcTensor):
        context.load_dialect(dialect)
    module = parse_module(context, text)
    module.verify()
    return module


def to_torch(array: Array, element: Attribute) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(getattr(torch, BY_TYPE[element].torch_name))


def from_torch(tensor: torch.Tensor) -> Array:
    return (tensor.float() if tensor.is_floating_point() and tensor.itemsize <= 2 else tensor).numpy()


def torch_function(op: type[ElementwiseOp]) -> Any:
    """The function of PyTorch that an op of the table means."""
    name = op.FUNCTION.name
    if name in TORCH:
        return TORCH[name]
    base, _, overload = op.FUNCTION.aten[0].partition(".")
    return getattr(getattr(torch.ops.aten, base), overload)


def cases() -> list[Any]:
    """Every op of the table with every element type it takes, but ui8."""
    kinds = {"8": (f8E4M3FN,), "f": (f32, f16, bf16, f64), "i": (i32, i64, i8, i16), "b": (i1,)}
    return [
        pytest.param(op, element, id=f"{op.FUNCTION.name}-{element}")
        for op in OPS
        if op is not SelectOp
        for kind in op.FUNCTION.kinds
        for element in kinds[kind]
    ]


@pytest.mark.parametrize(("op", "element"), cases())
def test_elementwise_is_what_torch_computes(op: type[ElementwiseOp], element: Attribute) -> None:
    """On every pair of special values: the same NaNs and infinities, and numbers to a few roundings."""
    numbers = SPECIAL if is_float(element) else INTEGERS if element != i1 else [0, 1]
    grid = np.meshgrid(*[np.array(numbers)] * op.FUNCTION.arity)
    values = [value_of(g.reshape(-1), element) for g in grid]
    if op.FUNCTION.name in DIVISIONS and not is_float(element):
        defined = (values[1].array != 0) & (values[1].array != -1)
        values = [value_of(v.array[defined], element) for v in values]
    if op.FUNCTION.name in UNSURE:
        sizes = [np.abs(v.array.astype(np.float64)) for v in values]
        plain = [(s == 0) | ((s >= 0.1) & (s <= 1e5)) for s in sizes]
        values = [value_of(v.array[plain[0] & plain[1]], element) for v in values]
    found = elementwise(op.FUNCTION, values, i1 if op.FUNCTION.predicate else element)
    operands = [to_torch(v.array, element) for v in values]
    if op.FUNCTION.name in NO_HALVES and element in (f16, bf16):
        wanted = from_torch(torch_function(op)(*[x.float() for x in operands]).to(operands[0].dtype))
    else:
        wanted = from_torch(torch_function(op)(*operands))
    if not is_float(element) or op.FUNCTION.predicate:
        np.testing.assert_array_equal(found.array, wanted)
        return
    tolerance = {f32: 2e-6, f64: 1e-13, f16: 2e-3, bf16: 1.6e-2}[element]
    tiny = {f32: 1e-37, f64: 1e-300, f16: 1.2e-7, bf16: 1e-37}[element]
    shown = f"{[v.array for v in values]}"
    np.testing.assert_allclose(
        found.array.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=tiny, err_msg=shown
    )


@pytest.mark.parametrize("source", [i1, ui8, i8, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32, f64], ids=str)
@pytest.mark.parametrize("target", [i1, ui8, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32, f64], ids=str)
def test_cast_is_what_torch_computes(source: Attribute, target: Attribute) -> None:
    """Exactly, where the answer is defined: no float outside the integer's range."""
    numbers = [
        *SPECIAL,
        0.1,
        1.00390625,
        1.01171875,
        65519.0,
        65520.0,
        3.3e38,
        -3.9,
        126.9,
        464,
        465,
        61439,
        61440,
        2**-10,
        2**-17,
    ]
    if not is_float(source):
        numbers = [*INTEGERS, 255, 256, 65536 + 3, 2**24 + 1, 2**31 - 1, 2**40 + 1]
    value = value_of(np.array(numbers), source)
    if is_float(source) and not is_float(target) and target != i1:
        kept = np.abs(value.array) <= (0.9 if target == ui8 else 100)
        value = value_of(value.array[kept], source)
    found = value_of(value.array, target).array
    given = to_torch(value.array, source)
    if target == f8E4M3FN:  # as PyTorch does from 2.13 on
        given = given.float().clamp(-448, 448)
    wanted = from_torch(given.to(getattr(torch, BY_TYPE[target].torch_name)))
    np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64))


@pytest.mark.parametrize("element", [f32, bf16, f16, i32, i64], ids=str)
@pytest.mark.parametrize("kind", ["add", "mul", "max", "min", "argmax", "argmin"])
def test_reductions_are_what_torch_computes(kind: str, element: Attribute) -> None:
    """Along a dimension in the middle, with NaN and ties."""
    numbers = np.resize([1, 2, -3, 2, 0, 1, 5, -1, 2, 5, 1], (2, 5, 3)).astype(np.float64)
    if is_float(element):
        numbers[0, 2, 1] = np.nan
    value = value_of(numbers, element)
    tensor = to_torch(value.array, element)
    names = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}
    wanted = getattr(torch, names.get(kind, kind))(tensor, dim=1, keepdim=True).to(torch.float64)
    found = reduce(kind, value, [1])
    np.testing.assert_array_equal(found.array.astype(np.float64), wanted.numpy())


@pytest.mark.parametrize("element", [i8, ui8, i64], ids=str)
@pytest.mark.parametrize("side", ["shl", "shr"])
def test_shifts_by_more_than_the_width(side: str, element: Attribute) -> None:
    """Nothing is left of a number, or its sign."""
    x, count = (value_of(np.array(v), element).array for v in np.meshgrid([255, -128, 7], [7, 8, 9, 63, 64, 127, -1]))
    function = torch.bitwise_left_shift if side == "shl" else torch.bitwise_right_shift
    op = next(o for o in OPS if o.FUNCTION.name == side)
    found = elementwise(op.FUNCTION, [value_of(x, element), value_of(count, element)], element)
    assert np.array_equal(found.array, from_torch(function(to_torch(x, element), to_torch(count, element))))


def test_argmax_over_several_dimensions_counts_row_major() -> None:
    """The position is among the reduced elements only."""
    array = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)
    found = reduce("argmax", value_of(array, f32), [0, 2]).array
    wanted = np.argmax(array.transpose(1, 0, 2).reshape(4, 15), axis=1).reshape(1, 4, 1)
    np.testing.assert_array_equal(found, wanted)


def test_a_tensor_without_dimensions_is_looked_into_by_no_index() -> None:
    """Every point of a gather reads its only element, every update of a scatter meets it."""
    module = module_of("""
func.func @main(%x: tensor<i64>, %u: tensor<3xi64>) -> (tensor<2xi64>, tensor<i64>) {
  %g = mlc_tensor.gather %x[] : tensor<i64>, () -> tensor<2xi64>
  %s = mlc_tensor.scatter add %x[], %u : tensor<i64>, (), tensor<3xi64>
  func.return %g, %s : tensor<2xi64>, tensor<i64>
}""")
    gathered, total = run(module, [np.array(5), np.array([1, 2, 3])])
    assert gathered.tolist() == [5, 5]
    assert total.tolist() == 11


def test_empty_reductions_give_identities() -> None:
    """As the docstring of ReduceOp lists them."""
    empty = np.zeros((2, 0))
    wanted = {("add", f32): 0, ("mul", i32): 1, ("max", bf16): -np.inf, ("min", f32): np.inf,
              ("max", i8): -128, ("min", i8): 127, ("and", i64): -1, ("and", i1): 1, ("or", i32): 0}  # fmt: skip
    for (kind, element), number in wanted.items():
        assert reduce(kind, value_of(empty, element), [1]).array.tolist() == [[number], [number]]


def test_half_arithmetic_rounds_once_per_op() -> None:
    """1 + 2**-9 is not a bfloat16: the sum rounds at once, and again at the next op."""
    one, small = value_of(1.0, bf16), value_of(2.0**-9, bf16)
    add = next(o for o in OPS if o.FUNCTION.name == "add").FUNCTION
    once = elementwise(add, [one, small], bf16)
    assert once.array == 1.0
    assert elementwise(add, [once, small], bf16).array == 1.0


def test_matmul_of_halves_sums_in_float32() -> None:
    """Sums that float16 could not hold on the way."""
    text = """func.func @main(%a: tensor<2x3x8xbf16>, %b: tensor<2x8x4xbf16>) -> tensor<2x3x4xbf16> {
      %c = mlc_tensor.matmul %a, %b : tensor<2x3x8xbf16>, tensor<2x8x4xbf16> -> tensor<2x3x4xbf16>
      func.return %c : tensor<2x3x4xbf16>
    }"""
    a, b = torch.randn(2, 3, 8).bfloat16(), torch.randn(2, 8, 4).bfloat16()
    found = run(module_of(text), [a.float().numpy(), b.float().numpy()])[0]
    np.testing.assert_array_equal(found, (a.float() @ b.float()).bfloat16().float().numpy())


NAMED = """func.func @main(%x: tensor<?x?xf32, ["N * 2", "M"]>, %y: tensor<?xf32, ["N"]>)
    -> (tensor<?x?xf32, ["M", "N"]>, tensor<i64>) {
  %s = mlc_tensor.slice %x [N, 0] step [1, 1] : tensor<?x?xf32, ["N * 2", "M"]> -> tensor<?x?xf32, ["N", "M"]>
  %p = mlc_tensor.permute %s [1, 0] : tensor<?x?xf32, ["N", "M"]> -> tensor<?x?xf32, ["M", "N"]>
  %b = mlc_tensor.broadcast %y : tensor<?xf32, ["N"]> -> tensor<?x?xf32, ["M", "N"]>
  %r = mlc_tensor.add %p, %b : tensor<?x?xf32, ["M", "N"]>
  %n = mlc_tensor.size [N * 2 + M] : tensor<i64>
  func.return %r, %n : tensor<?x?xf32, ["M", "N"]>, tensor<i64>
}"""


def test_named_sizes_come_from_the_inputs() -> None:
    """In slices, broadcasts and as values."""
    x, y = np.arange(12, dtype=np.float32).reshape(6, 2), np.arange(3, dtype=np.float32)
    result, size = run(module_of(NAMED), [x, y])
    np.testing.assert_array_equal(result, x[3:].T + y)
    assert size == 8


@pytest.mark.parametrize(("shapes", "message"), [
    (((5, 2), (3,)), "a size is 5 and must be N"),
    (((6, 2), (4,)), "a size is 6 and must be N"),
    (((6,), (3,)), "has shape"),
])  # fmt: skip
def test_shapes_that_contradict_the_types_are_errors(shapes: Any, message: str) -> None:
    """The error names the size."""
    with pytest.raises(MlcError, match=message):
        run(module_of(NAMED), [np.zeros(s, np.float32) for s in shapes])


def test_sizes_in_one_unknown_are_solved() -> None:
    """N * 4 + 1 == 13 says that N is 3."""
    assert bind_sizes([tensor_type([parse_index("N * 4 + 1")], f32)], [(13,)]) == {"N": 3}


def test_fusions_run_and_calls_do_not() -> None:
    """A region is a function of its arguments; a call of PyTorch is an error that says so."""
    text = """func.func @main(%x: tensor<3xbf16>) -> tensor<3xbf16> {
      %r = mlc_tensor.fusion (%a = %x : tensor<3xbf16>) -> (tensor<3xbf16>) kind "pointwise" why "test" {
        %e = mlc_tensor.neg %a : tensor<3xbf16>
        mlc_tensor.yield %e : tensor<3xbf16>
      }
      func.return %r : tensor<3xbf16>
    }
    func.func @calls(%x: tensor<3xf32>) -> tensor<3xf32> {
      %r = mlc_tensor.extern "aten.cumsum.default"(%x) : (tensor<3xf32>) -> (tensor<3xf32>)
      func.return %r : tensor<3xf32>
    }"""
    value = run_values(module_of(text), [[1.0, 2.0, 0.1]], "main")[0]
    assert value.element == bf16 and value.array.tolist() == [-1.0, -2.0, -0.10009765625]
    with pytest.raises(MlcError, match="cannot run aten"):
        run(module_of(text), [np.zeros(3)], "calls")
    with pytest.raises(MlcError, match="which function"):
        run(module_of(text), [np.zeros(3)])
