"""Attention that drops weights, as StableHLO and Relax: by the bits of a seed, which is one more input."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from lowering.export.aten import aten_source
from lowering.export.formulas import opening
from lowering.export.opened import seeds_as_arguments
from lowering.export.program import Program
from lowering.export.relax import relax_source
from lowering.export.stablehlo import stablehlo_text
from lowering.interpreter.run import run
from mlc_dialects.semantics.numerics import Array
from mlc_support.errors import MlcError
from tests.unit.test_exports import module_of, run_relax, run_stablehlo

S = 64
ALL, HALF = f"tensor<2x4x{S}x{S}xf32>", f"tensor<2x2x{S}x{S}xf32>"
ALIKE = np.full((2, 4, S, S), 0.5, np.float32)
UNIT = np.broadcast_to(np.eye(S, dtype=np.float32), (2, 4, S, S)).copy()


def attention(rate: float, causal: bool = False, heads: str = ALL, more: str = "") -> ModuleOp:
    """A call of attention that drops weights."""
    operands = ", ".join(f'#mlc_tensor.operand<"{k}">' for k in range(3))
    given = f"args [{operands}, unit, {rate:e} : f64, {str(causal).lower()}]{more} impure"
    return module_of(f"""func.func @main(%q: {ALL}, %k: {heads}, %v: {heads}) -> {ALL} {{
      %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) {given}
        : ({ALL}, {heads}, {heads}) -> ({ALL})
      func.return %r : {ALL}
    }}""")


def opened(module: ModuleOp) -> ModuleOp:
    """What is exported, as a module whose last argument is the seed."""
    function = Program(module, "a language", opened=opening(())).function
    seeds_as_arguments(function.body.block)
    function.update_function_type()
    found = function.parent_op()
    assert isinstance(found, ModuleOp)
    return found


def weights(module: ModuleOp, seed: int = 7) -> Array:
    """The weights of alike keys: the values are unit vectors."""
    (found,) = run(opened(module), [ALIKE, ALIKE, UNIT, np.array([seed])])
    return found


def test_weights_are_dropped_and_the_others_scaled() -> None:
    found = weights(attention(0.25))
    assert set(np.unique(found).round(6)) == {np.float32(0), np.float32(1 / S / 0.75).round(6)}
    assert abs((found == 0).mean() - 0.25) < 0.01
    assert not np.array_equal(found == 0, weights(attention(0.25), seed=8) == 0)


def test_what_is_hidden_is_no_weight() -> None:
    found = weights(attention(0.5, causal=True))
    assert (found[..., ~np.tri(S, dtype=bool)] == 0).all() and abs((found[..., -1, :] == 0).mean() - 0.5) < 0.05


def test_heads_of_groups_drop_for_themselves() -> None:
    module = attention(0.5, heads=HALF, more=" kwargs {enable_gqa = true}")
    (found,) = run(opened(module), [ALIKE, ALIKE[:, :2], UNIT[:, :2], np.array([7])])
    assert not np.array_equal(found[:, 0], found[:, 1]) and abs((found == 0).mean() - 0.5) < 0.01


def test_xla_and_tvm_drop_the_same() -> None:
    pytest.importorskip("jaxlib", reason="needs the compare extra")
    pytest.importorskip("tvm", reason="needs the compare extra")
    module, inputs = attention(0.25), [ALIKE, ALIKE, UNIT, np.array([7])]
    expected = weights(module)
    for (found,) in (run_stablehlo(stablehlo_text(module), inputs), run_relax(relax_source(module), inputs)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_inductor_is_given_the_call() -> None:
    text = aten_source(attention(0.25), attention_draws=True)
    assert "scaled_dot_product_attention.default(q, k, v, None, 0.25, False)" in text
    with pytest.raises(MlcError, match="draws random numbers"):
        aten_source(attention(0.25))


KEPT = f"""func.func @main(%q: {ALL}, %k: {ALL}, %v: {ALL}) -> {ALL} {{
  %r, %l = mlc_tensor.extern "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v)
    args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, 2.5e-01 : f64, false] impure
    : ({ALL}, {ALL}, {ALL}) -> ({ALL}, tensor<2x4x{S}xf32>)
  func.return %r : {ALL}
}}"""


@pytest.mark.parametrize("export", [stablehlo_text, relax_source])
@pytest.mark.parametrize("module", [lambda: module_of(KEPT), lambda: attention(1.0)])
def test_others_say_why_they_are_not_exported(export: object, module: object) -> None:
    """The gradient would read the library's seed; of what drops all, no weight is left to scale."""
    with pytest.raises(MlcError, match="it drops weights by numbers that the library draws and keeps"):
        export(module())  # pyright: ignore[reportCallIssue]


def test_pytorch_scales_alike() -> None:
    q = torch.full((1, 1, S, S), 0.5)
    found = torch.nn.functional.scaled_dot_product_attention(q, q, torch.eye(S)[None, None], dropout_p=0.25)
    assert torch.unique(found).allclose(torch.tensor([0, 1 / S / 0.75]), atol=1e-6)
