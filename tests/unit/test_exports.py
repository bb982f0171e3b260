"""What the exports say, run by the compiler they are written for, is what our interpreter computes."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.export.aten import aten_source
from lowering.export.formulas import opening
from lowering.export.program import Program
from lowering.export.relax import relax_source
from lowering.export.relax_functions import FUNCTIONS as RELAX_FUNCTIONS
from lowering.export.special import FORMULAS
from lowering.export.stablehlo import stablehlo_text
from lowering.export.stablehlo_functions import FUNCTIONS as STABLEHLO_FUNCTIONS
from lowering.interpreter.run import find_function, run
from mlc_dialects.common.types import element_type
from mlc_dialects.semantics.numerics import Array
from mlc_dialects.tensor.elementwise import OPS
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from tests.unit.export_cases import CASES, INDEXED, numbers
from tools.universe import dialect_factories

ALL_CASES = {**CASES, **INDEXED}


def module_of(text: str) -> ModuleOp:
    """The module that `text` is."""
    context = Context()
    for name, factory in dialect_factories().items():
        context.register_dialect(name, factory)
    context.register_dialect("func", lambda: func.Func)
    return cast(ModuleOp, parse_module(context, text.encode(), "test.mlir"))


def inputs_of(module: ModuleOp) -> list[Array]:
    """Numbers for the arguments."""
    types: list[Any] = [a.type for a in find_function(module).body.block.args]
    return [numbers(t.get_shape(), str(element_type(t)), seed) for seed, t in enumerate(types)]


def run_aten(source: str, inputs: list[Array]) -> list[Array]:
    """The results of `main` of an aten source, on the CPU."""
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    results = namespace["main"](*map(torch.from_numpy, inputs), device="cpu")
    return list(map(array_of, results))


def array_of(tensor: torch.Tensor) -> Array:
    """Its numbers, those of bfloat16 in float32."""
    plain = tensor.detach().resolve_conj().resolve_neg()
    return (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()


def run_stablehlo(text: str, inputs: list[Array]) -> list[Array]:
    """The results of `main`, by XLA on the CPU."""
    import jax
    from jax._src.interpreters import mlir as jax_mlir
    from jaxlib import _jax
    from jaxlib.mlir import ir

    device = jax.devices("cpu")[0]
    with jax_mlir.make_ir_context(), jax.enable_x64(True):
        module = ir.Module.parse(text)
        executable = device.client.compile_and_load(module, _jax.DeviceList((device,)), _jax.CompileOptions())
        return [np.asarray(r) for r in executable.execute([jax.device_put(i, device) for i in inputs])]


def run_relax(source: str, inputs: list[Array]) -> list[Array]:
    """The results of `main`, by TVM on the CPU."""
    import tvm
    import tvm.relax

    built = tvm.compile(tvm.script.from_source(source), target="llvm")
    machine = tvm.relax.VirtualMachine(built, tvm.cpu())
    found = machine["main"](*(tvm.runtime.tensor(i) for i in inputs))
    return [r.numpy() for r in ([found] if hasattr(found, "numpy") else found)]


def agree(found: list[Array], expected: list[Array]) -> None:
    """Equal types, shapes and numbers, but for a few last bits of elementary functions."""
    for new, old in zip(found, expected, strict=True):
        assert new.dtype == old.dtype and new.shape == old.shape
        rtol = 2e-3 if old.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(new, old, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("name", ALL_CASES)
def test_aten_computes_the_same(name: str) -> None:
    module = module_of(ALL_CASES[name])
    inputs = inputs_of(module)
    agree(run_aten(aten_source(module), inputs), run(module, inputs))


@pytest.mark.parametrize("name", ALL_CASES)
def test_stablehlo_computes_the_same(name: str) -> None:
    module = module_of(ALL_CASES[name])
    pytest.importorskip("jaxlib", reason="needs the compare extra")
    inputs = inputs_of(module)
    agree(run_stablehlo(stablehlo_text(module), inputs), run(module, inputs))


@pytest.mark.parametrize("name", CASES)
def test_relax_is_understood(name: str) -> None:
    """TVM reads it and legalizes it."""
    module = module_of(CASES[name])
    tvm = pytest.importorskip("tvm", reason="needs the compare extra")
    relaxed = tvm.script.from_source(relax_source(module))
    assert tvm.relax.transform.LegalizeOps()(relaxed)


@pytest.mark.parametrize(
    "name",
    [
        *("every", "any", "max", "sum", "implicit-broadcast", "slice-backwards", "roll"),
        *("div-by-zero", "fmod-by-zero", "remainder-by-zero"),
        *(f"{name}-f32" for name in FORMULAS),
        *("acos-f16", "sinh-f16", "eq-i1", "le-i1"),
        *("shl-i32", "shr-i32", "fmax-f32", "fmin-f32", "hypot-f32", "copysign-f32"),
        *INDEXED,
    ],
)
def test_relax_computes_the_same(name: str) -> None:
    """By TVM's own executable, on the CPU."""
    pytest.importorskip("tvm", reason="needs the compare extra")
    module = module_of(ALL_CASES[name])
    inputs = inputs_of(module)
    agree(run_relax(relax_source(module), inputs), run(module, inputs))


def test_what_the_languages_lack_has_a_formula() -> None:
    names = {op.FUNCTION.name for op in OPS}
    assert names - RELAX_FUNCTIONS.keys() == FORMULAS.keys()
    assert names - STABLEHLO_FUNCTIONS.keys() == {"erfcx", "ndtri"}


def test_a_function_without_export_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RELAX_FUNCTIONS, "sin")
    with pytest.raises(MlcError, match=r"mlc_tensor\.sin has no export to Relax: Relax has no such function"):
        relax_source(module_of(CASES["sin-f32"]))


TORCH = {
    "erfcx": torch.special.erfcx, "erfinv": torch.erfinv, "lgamma": torch.lgamma, "ndtri": torch.special.ndtri,
}  # fmt: skip
EDGES = [
    0.0,
    -0.0,
    1e-30,
    1e-6,
    0.02425,
    0.49,
    0.5,
    0.51,
    0.75,
    0.999999,
    1.0,
    1.5,
    2.0,
    3.7,
    30.0,
    1e30,
    np.inf,
    np.nan,
]


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_of_special_functions(name: str, element: str) -> None:
    """At the ends of their domains and beyond, as PyTorch has them; -0 is 0 to the quantiles."""
    module = module_of(f"""func.func @main(%x: tensor<?x{element}, ["N"]>) -> tensor<?x{element}, ["N"]> {{
  %r = mlc_tensor.{name} %x : tensor<?x{element}, ["N"]>
  func.return %r : tensor<?x{element}, ["N"]>
}}""")
    program = Program(module, "a language", opened=opening(()))
    assert not any(isinstance(op, ElementwiseOp) and op.FUNCTION.name in FORMULAS for op in program.ops)
    x = torch.tensor([*EDGES, *(-v for v in EDGES), -2.5, -7.25, -2.0], dtype=getattr(torch, f"float{element[1:]}"))
    opened = program.function.parent_op()
    assert isinstance(opened, ModuleOp)
    (found,) = run(opened, [x.numpy()])
    wanted = TORCH[name](x).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if element == "f32" else 1e-9, atol=1e-9)


DYNAMIC = """func.func @main(%x: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]> {
  %r = mlc_tensor.exp %x : tensor<?xf32, ["N"]>
  func.return %r : tensor<?xf32, ["N"]>
}"""
FUSED = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "" {
    %e = mlc_tensor.exp %a : tensor<8xf32>
    mlc_tensor.yield %e : tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}"""
DRAWN = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.extern "aten.bernoulli.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %r : tensor<8xf32>
}"""


@pytest.mark.parametrize("export", [stablehlo_text, relax_source, aten_source])
@pytest.mark.parametrize(
    ("text", "message"),
    [(DYNAMIC, "has the dynamic size N"), (DRAWN, "extern has no export")],
    ids=["dynamic", "impure"],
)
def test_what_has_no_export_is_named(export: Any, text: str, message: str) -> None:
    with pytest.raises(MlcError, match=message):
        export(module_of(text))


@pytest.mark.parametrize("export", [stablehlo_text, relax_source, aten_source])
def test_a_fusion_is_the_ops_of_its_region(export: Any) -> None:
    """Under the name of the fusion, which stays as it was in the program itself."""
    module = module_of(FUSED)
    whole = module_of(
        FUSED[: FUSED.index("  %r")]
        + """  %r = mlc_tensor.exp %x : tensor<8xf32>
  func.return %r : tensor<8xf32>
}"""
    )
    assert export(module) == export(whole)
    assert str(module) == str(module_of(FUSED))


def test_calls_of_pytorch_stand_in_aten() -> None:
    text = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = mlc_tensor.extern "aten.cumsum.default"(%x) args [#mlc_tensor.operand<"0">, 1 : i64] : (tensor<4x6xf32>) -> (tensor<4x6xf32>)
  func.return %r : tensor<4x6xf32>
}"""  # noqa: E501
    (found,) = run_aten(aten_source(module_of(text)), [np.ones((4, 6), np.float32)])
    np.testing.assert_array_equal(found[0], np.arange(1, 7, dtype=np.float32))
