"""Operations of ops, and the time that products take by the rate that their type has."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import Float64Type, bf16, f16, f32

from lowering.interpreter.run import find_function
from mlc_compiler.compare.comparison import compare
from mlc_compiler.compare.cost import product_rate
from mlc_compiler.compare.operations import Operations, operations
from mlc_compiler.peers import xla_worker
from mlc_compiler.peers.hlo import Instruction
from passes.common.device import A100, H200
from tests.unit.test_exports import module_of

Q, B = "tensor<2x4x64x16xbf16>", "tensor<2x4x64x64xbf16>"
PICTURE, WEIGHT, PRODUCT = "tensor<1x3x8x8xf32>", "tensor<4x3x3x3xf32>", "tensor<1x4x6x6xf32>"
CONVOLUTION = """args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0],
  1] : """
SCORES = 2 * 4 * 64 * 64 * 16 * 2
"""Multiply-adds, as two operations, of one product of attention."""


def of(call: str, inputs: list[str]) -> Operations:
    """The operations of one op, a call or another, of inputs of these types."""
    arguments = ", ".join(f"%a{k}: {t}" for k, t in enumerate(inputs))
    module = module_of(f"func.func @f({arguments}) {{\n  {call}\n  func.return\n}}")
    (function,) = module.ops
    return operations(next(iter(function.walk(region_first=True))))


def extern(name: str, inputs: list[str], outputs: list[str], arguments: str = ": ") -> Operations:
    operands = ", ".join(f"%a{k}" for k in range(len(inputs)))
    results = ", ".join(f"%r{k}" for k in range(len(outputs)))
    types = f"({', '.join(inputs)}) -> ({', '.join(outputs)})"
    return of(f'{results} = mlc_tensor.extern "aten.{name}.default"({operands}) {arguments}{types}', inputs)


def test_products() -> None:
    found = of("%r = mlc_tensor.matmul %a0, %a1 : tensor<8x32xbf16>, tensor<32x16xbf16> -> tensor<8x16xbf16>", [
        "tensor<8x32xbf16>", "tensor<32x16xbf16>"])  # fmt: skip
    assert found == Operations(2 * 8 * 32 * 16, bf16)
    found = extern("addmm", ["tensor<16xf16>", "tensor<8x32xf16>", "tensor<32x16xf16>"], ["tensor<8x16xf16>"])
    assert found == Operations(2 * 8 * 32 * 16, f16)


def test_a_fusion_counts_what_is_in_it() -> None:
    """The product apart, in the type of its operands."""
    module = module_of("""func.func @f(%a0: tensor<8x32xbf16>, %a1: tensor<32x16xbf16>) -> tensor<8x16xbf16> {
  %r = mlc_tensor.fusion (%x = %a0 : tensor<8x32xbf16>, %y = %a1 : tensor<32x16xbf16>)
      -> (tensor<8x16xbf16>) kind "online" why "" {
    %p = mlc_tensor.matmul %x, %y : tensor<8x32xbf16>, tensor<32x16xbf16> -> tensor<8x16xbf16>
    %n = mlc_tensor.add %p, %p : tensor<8x16xbf16>
    mlc_tensor.yield %n : tensor<8x16xbf16>
  }
  func.return %r : tensor<8x16xbf16>
}""")
    fusion = find_function(module).body.block.first_op
    assert fusion is not None and operations(fusion) == Operations(2 * 8 * 32 * 16, bf16, 8 * 16, 2 * 8 * 16)


@pytest.mark.parametrize("name", ["scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu"])
def test_attention(name: str) -> None:
    assert extern(name, [Q, Q, Q], [Q]) == Operations(2 * SCORES, bf16)


def test_attention_with_a_mask_and_backward() -> None:
    assert extern("scaled_dot_product_attention", [Q, Q, Q, B], [Q]).products == 2 * SCORES
    backward = extern("_scaled_dot_product_flash_attention_for_cpu_backward", [Q] * 4, [Q] * 3)
    assert backward.products == 5 * SCORES


def test_one_tensor_may_be_query_key_and_value() -> None:
    places = 'args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"0">, #mlc_tensor.operand<"0">] : '
    assert extern("scaled_dot_product_attention", [Q], [Q], places).products == 2 * SCORES


def test_grouped_heads() -> None:
    """Every query meets every key of its own group: as many products as without groups."""
    few = "tensor<2x2x64x16xbf16>"
    assert extern("scaled_dot_product_attention", [Q, few, few], [Q]).products == 2 * SCORES


def test_a_convolution() -> None:
    found = extern("convolution", [PICTURE, WEIGHT], [PRODUCT], CONVOLUTION)
    assert found == Operations(2 * 4 * 6 * 6 * 3 * 3 * 3, f32)


def test_other_calls_count_what_they_give() -> None:
    assert extern("cummax", ["tensor<8x4xf32>"], ["tensor<8x4xf32>", "tensor<8x4xi64>"]) == Operations(
        others=64, instructions=64
    )
    found = of("%r = mlc_tensor.exp %a0 : tensor<8x4xf32>", ["tensor<8x4xf32>"])
    assert (found.others, found.instructions) == (8 * 32, 8 * 32)


def test_the_rate_of_products() -> None:
    assert product_rate(bf16, H200) == product_rate(f16, H200) == 0.75 * 989e12
    assert product_rate(f32, H200) == product_rate(Float64Type(), H200) == product_rate(None, H200) == 0.75 * H200.flops
    assert product_rate(bf16, A100) == 0.75 * 312e12


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_a_product_takes_its_rate(dtype: str) -> None:
    """4096^3 in bfloat16 is memory, launch and 0.19 ms of tensor cores; in float32 it takes 3.1 ms."""
    t = f"tensor<4096x4096x{dtype}>"
    text = f"func.func @f(%x: {t}, %y: {t}) -> {t} {{\n  %r = mlc_tensor.matmul %x, %y : {t}, {t} -> {t}\n"
    comparison = compare("product", module_of(f"{text}  func.return %r : {t}\n}}"), ("none",), ())
    rate = 0.75 * (60e12 if dtype == "f32" else 989e12)
    assert comparison.predicted_us(comparison.rows[0]) == pytest.approx(1e6 * 2 * 4096**3 / rate + 2.0)


@pytest.mark.parametrize(
    ("opcode", "attributes", "kind"),
    [
        ("fusion", '(%a), kind=kCustom, calls=%c, backend_config={"operation_queue_id":"0","fusion_backend_config":'
         '{"kind":"__triton","block_level_fusion_config":{"num_warps":"4"}},"x":"gemm"}', "triton"),
        ("fusion", '(%a), kind=kCustom, backend_config={"fusion_backend_config": {"kind":"__triton_gemm",'
         '"triton_gemm_config":{"block_m":"64"}}}', "triton_gemm"),
        ("fusion", '(%a), kind=kLoop, calls=%fused_gemm', "loop"),
        ("custom-call", '(%a), custom_call_target="__cublas$gemm"', "__cublas$gemm"),
        ("dot", "(%a, %b), lhs_contracting_dims={1}", "dot"),
    ],
)  # fmt: skip
def test_xla_names_its_kernels(opcode: str, attributes: str, kind: str) -> None:
    """By the field that says it: "gemm" anywhere else, in a name or a configuration, says nothing."""
    assert xla_worker._kind(Instruction("i", opcode, attributes, None)) == kind
