"""StableHLO of edge values, random bits, convolutions, attention and updates, as XLA runs it on the CPU."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from lowering.export.aten import aten_source
from lowering.export.program import Program
from lowering.export.relax import relax_source
from lowering.export.stablehlo import stablehlo_text
from lowering.interpreter.run import run
from mlc_dialects.semantics.numerics import Array
from mlc_support.errors import MlcError
from tests.unit.test_exports import agree, module_of, run_aten, run_relax, run_stablehlo

pytest.importorskip("jaxlib", reason="needs the compare extra")


def binary(name: str, element: str) -> str:
    type_ = f"tensor<64x{element}>"
    return f"""func.func @main(%x: {type_}, %y: {type_}) -> {type_} {{
  %r = mlc_tensor.{name} %x, %y : {type_}
  func.return %r : {type_}
}}"""


def pairs(values: list[Any], dtype: Any) -> list[Array]:
    """Each of eight values beside each."""
    x, y = np.meshgrid(np.array(values, dtype), np.array(values, dtype))
    return [x.ravel(), y.ravel()]


@pytest.mark.parametrize("name", ["fmax", "fmin", "hypot"])
def test_edges_of_extremes(name: str) -> None:
    module = module_of(binary(name, "f32"))
    inputs = pairs([0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e30, -3e-30], np.float32)
    both(module, inputs)


def test_the_sign_of_zero_is_copied() -> None:
    both(module_of(binary("copysign", "f32")), pairs([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, 1e30, -3e-30], np.float32))


def both(module: ModuleOp, inputs: list[Array]) -> None:
    """XLA computes what our interpreter does, and so does TVM where it is installed; of zeros the sign as well."""
    expected = run(module, inputs)
    found = [run_stablehlo(stablehlo_text(module), inputs)]
    if importlib.util.find_spec("tvm") is not None:
        found.append(run_relax(relax_source(module), inputs))
    for results in found:
        agree(results, expected)
        assert all(np.array_equal(np.signbit(a), np.signbit(b)) for a, b in zip(results, expected, strict=True)
                   if not np.isnan(b).any())  # fmt: skip


@pytest.mark.parametrize("name", ["shl", "shr"])
def test_shifts_beyond_the_bits(name: str) -> None:
    module = module_of(binary(name, "i32"))
    both(module, pairs([0, 1, -1, 31, 32, -32, 2**31 - 1, -(2**31)], np.int32))


@pytest.mark.parametrize("kind", ["max", "logaddexp"])
def test_scans_of_infinities_and_nan(kind: str) -> None:
    module = module_of(f"""func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {{
  %r = mlc_tensor.scan {kind} %x dim 1 : tensor<2x4xf32> -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}}""")
    both(module, [np.array([[-np.inf, -np.inf, 1.0, 3.0], [2.0, np.inf, np.nan, 0.0]], np.float32)])


@pytest.mark.parametrize("kind", ["argmax", "argmin"])
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_scans_for_positions(kind: str, element: str) -> None:
    """Of equals the last, of NaNs too."""
    module = module_of(f"""func.func @main(%x: tensor<3x5x{element}>) -> tensor<3x5xi64> {{
  %r = mlc_tensor.scan {kind} %x dim 1 : tensor<3x5x{element}> -> tensor<3x5xi64>
  func.return %r : tensor<3x5xi64>
}}""")
    floats = [[-np.inf, -np.inf, 1, 1, np.inf], [2, np.nan, 3, np.nan, 0], [np.inf, np.inf, -0.0, 0.0, -np.inf]]
    integers = [[-(2**31), -(2**31), 1, 1, 0], [2**31 - 1, 3, 3, 2, 2], [1, 2, 1, 2, 1]]
    inputs = [np.array(floats, np.float32) if element == "f32" else np.array(integers, np.int32)]
    both(module, inputs)
    agree(run_aten(aten_source(module), inputs), run(module, inputs))


@pytest.mark.parametrize(("index", "word"), [(0, 0), (1, 3)])
def test_random_bits_are_those_of_the_seed(index: int, word: int) -> None:
    module = module_of(f"""func.func @main(%s: tensor<2xi64>) -> tensor<5x7xi32> {{
  %r = mlc_tensor.random %s[{index}] word {word} : tensor<2xi64> -> tensor<5x7xi32>
  func.return %r : tensor<5x7xi32>
}}""")
    inputs = [np.array([-3, 2**61 + 12345], np.int64)]
    (found,), (expected,) = run_stablehlo(stablehlo_text(module), inputs), run(module, inputs)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(run_aten(aten_source(module), inputs)[0], expected)
    if importlib.util.find_spec("tvm") is not None:
        np.testing.assert_array_equal(run_relax(relax_source(module), inputs)[0], expected)
    assert len(np.unique(found)) > 30


SEEDED = """func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64] impure : () -> (tensor<1xi64>)
  %b = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3xi32>
  %r = mlc_tensor.xor %x, %b : tensor<2x3xi32>
  func.return %r : tensor<2x3xi32>
}"""


def test_seeds_are_inputs() -> None:
    """A program with a seed of its own draws as the same one that is given it."""
    text = stablehlo_text(module_of(SEEDED))
    x, seed = np.arange(6, dtype=np.int32).reshape(2, 3), np.array([42], np.int64)
    drawn = module_of(
        SEEDED.replace("%x: tensor<2x3xi32>", "%x: tensor<2x3xi32>, %seeds: tensor<1xi64>").replace(
            '  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64] impure : () -> (tensor<1xi64>)\n', ""
        )
    )
    agree(run_stablehlo(text, [x, seed]), run(drawn, [x, seed]))


def test_seeds_may_be_results() -> None:
    """A forward pass keeps them for its backward pass."""
    text = SEEDED.replace("-> tensor<2x3xi32> {", "-> (tensor<2x3xi32>, tensor<1xi64>) {").replace(
        "return %r : tensor<2x3xi32>", "return %r, %seeds : tensor<2x3xi32>, tensor<1xi64>"
    )
    x, seed = np.arange(6, dtype=np.int32).reshape(2, 3), np.array([42], np.int64)
    module = module_of(text)
    expected = run_stablehlo(stablehlo_text(module_of(SEEDED)), [x, seed])
    found = [run_stablehlo(stablehlo_text(module), [x, seed]), run_aten(aten_source(module), [x, seed])]
    if importlib.util.find_spec("tvm") is not None:
        found.append(run_relax(relax_source(module), [x, seed]))
    for results in found:
        agree(results, [*expected, seed])


CONVOLUTIONS = {
    "plain": ("3x9x8", "4x3x3x2", "[1 : i64, 1 : i64]", "[0 : i64, 0 : i64]", "[1 : i64, 1 : i64]", 1, "7x7"),
    "strided": ("3x9x8", "4x3x3x2", "[2 : i64, 1 : i64]", "[1 : i64, 2 : i64]", "[1 : i64, 3 : i64]", 1, "5x9"),
    "grouped": ("4x9x8", "4x2x3x3", "[1 : i64, 2 : i64]", "[1 : i64, 1 : i64]", "[1 : i64, 1 : i64]", 2, "9x4"),
}


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str, bias: bool) -> None:
    x, weight, stride, padding, dilation, groups, result = CONVOLUTIONS[name]
    third = '#mlc_tensor.operand<"2">' if bias else "unit"
    operands, types = ("%x, %w, %b", ", tensor<4xf32>") if bias else ("%x, %w", "")
    module = module_of(f"""func.func @main(%x: tensor<2x{x}xf32>, %w: tensor<{weight}xf32>, %b: tensor<4xf32>) -> tensor<2x4x{result}xf32> {{
  %r = mlc_tensor.extern "aten.convolution.default"({operands}) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, {third}, {stride}, {padding}, {dilation}, false, [0 : i64, 0 : i64], {groups} : i64] : (tensor<2x{x}xf32>, tensor<{weight}xf32>{types}) -> (tensor<2x4x{result}xf32>)
  func.return %r : tensor<2x4x{result}xf32>
}}""")  # noqa: E501
    generator = np.random.default_rng(0)
    inputs = [generator.normal(size=[int(n) for n in s.split("x")]).astype(np.float32) for s in (f"2x{x}", weight, "4")]
    (expected,) = run(module, inputs)
    exported = [run_stablehlo(stablehlo_text(module), inputs), run_aten(aten_source(module), inputs)]
    if importlib.util.find_spec("tvm") is not None:
        exported.append(run_relax(relax_source(module), inputs))
    for (found,) in exported:
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def attention(rest: str, mask: str = "", dropout: str = "0.000000e+00") -> str:
    operand, type_ = (", %m", f", {mask}") if mask else ("", "")
    return f"""func.func @main(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>{", %m: " + mask if mask else ""}) -> tensor<2x4x8x16xf32> {{
  %attended = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v{operand}) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, {'#mlc_tensor.operand<"3">' if mask else "unit"}, {dropout} : f64, {rest}] impure : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>{type_}) -> (tensor<2x4x8x16xf32>)
  func.return %attended : tensor<2x4x8x16xf32>
}}"""  # noqa: E501


@pytest.mark.parametrize(
    ("rest", "mask"),
    [("false", ""), ("true", ""), ("false", "tensor<2x4x8x8xf32>"), ("false", "tensor<2x4x8x8xi1>")],
    ids=["plain", "causal", "added", "hiding"],
)
def test_attention_without_dropout(rest: str, mask: str) -> None:
    """StableHLO has its formula, aten the call; each op of the formula bears the name of the call."""
    module, before = module_of(attention(rest, mask)), attention(rest, mask)
    generator = np.random.default_rng(1)
    inputs = [generator.normal(size=(2, 4, 8, 16)).astype(np.float32) for _ in range(3)]
    if mask:
        values = generator.normal(size=(2, 4, 8, 8)).astype(np.float32)
        kept = (values > -0.5) & (np.arange(8) != 3)[:, None]  # nobody is seen by the fourth
        inputs.append(kept if "i1" in mask else values)
    q, k, v, *m = map(torch.from_numpy, inputs)
    expected = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, m[0] if m else None, is_causal=rest == "true"
    ).numpy()
    text = stablehlo_text(module)
    assert str(module) == str(module_of(before)), "the export changes the program"
    assert set(re.findall(r'loc\("(.*?)"\)', text)) == {"attended"}
    for found in (run_stablehlo(text, inputs)[0], run_aten(aten_source(module), inputs)[0]):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert "attended__1" in relax_source(module)


def test_attention_with_dropout_is_refused_by_name() -> None:
    module = module_of(attention("false", dropout="1.000000e-01"))
    for export in (stablehlo_text, relax_source, aten_source):
        with pytest.raises(MlcError, match=r"has no export to \w+ \(aten.scaled_dot_product_attention.default\)"):
            export(module)


UPDATE = """func.func @main(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %n = mlc_tensor.add %x, %s : tensor<4xf32>
  %c = mlc_tensor.extern "aten.copy_.default"(%s, %n) impure : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  %r = mlc_tensor.mul %c, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}"""


def test_updates_of_arguments_are_results() -> None:
    x, s = np.array([1, 2, -3, 4], np.float32), np.array([0.5, 1, 2, -8], np.float32)
    module = module_of(UPDATE)
    assert len(Program(module, "StableHLO").results) == 2
    expected = [(x + s) * x, x + s]
    agree(run_stablehlo(stablehlo_text(module), [x, s]), expected)
    agree(run_aten(aten_source(module), [x, s]), expected)
