"""Functions of jax, imported and run by the oracle, give what jax gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="needs the compare extra")

from lowering.interpreter.run import run  # noqa: E402
from mlc_compiler import CompilerOptions, compile_imported, from_jax  # noqa: E402
from mlc_support.errors import MlcError  # noqa: E402
from mlc_support.verification import verify_module  # noqa: E402
from tests.unit.jax_functions import OTHERS, PRINTED, SPECIAL, mlp_gradient, real  # noqa: E402


@pytest.mark.parametrize("name", [*PRINTED, *OTHERS])
def test_the_oracle_agrees_with_jax(name: str) -> None:
    function, *args = {**PRINTED, **OTHERS}[name]
    module = from_jax(function, *args).module
    verify_module(module)
    found = run(module, [np.asarray(a) for a in jax.tree.leaves(args)])
    wanted = [np.asarray(w) for w in jax.tree.leaves(jax.jit(function)(*args))]
    for new, old in zip(found, wanted, strict=True):
        assert new.dtype == old.dtype and new.shape == old.shape
        np.testing.assert_allclose(new, old, rtol=2e-5, atol=2e-6)


def test_a_function_of_jax_is_compiled() -> None:
    """Its kernels run on tensors of PyTorch."""
    import torch

    args = PRINTED["mlp_gradient"][1:]
    compiled = compile_imported(from_jax(mlp_gradient, *args), CompilerOptions(cpu="interpret"))
    found = compiled(*map(torch.from_numpy, args))
    for new, old in zip(found, mlp_gradient(*args), strict=True):
        np.testing.assert_allclose(new.numpy(), np.asarray(old), rtol=2e-5, atol=2e-6)


def test_inputs_have_the_names_of_parameters() -> None:
    def function(params: Any, x: Any) -> Any:
        return x @ params["w"] + params["b"]

    module = from_jax(function, {"w": real(6, 3), "b": real(3)}, real(4, 6)).module
    assert "@main(%params_b: tensor<3xf32>, %params_w: tensor<6x3xf32>, %x: tensor<4x6xf32>)" in str(module)


def test_an_unused_input_stays() -> None:
    module = from_jax(lambda x, unused: x + 1, real(3), real(4)).module
    assert len(run(module, [real(3), real(4)])) == 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: jax.numpy.sort(x), r"stablehlo.sort cannot be imported"),
        (lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y * 2, x), r"stablehlo.while cannot be imported"),
        (lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y, x) @ x[:2], "jax cannot trace <lambda>: dot_general"),
        (lambda x: jax.lax.complex(x, x), "stablehlo.complex cannot be imported"),
    ],
)
def test_what_is_outside_is_named(function: Any, message: str) -> None:
    with pytest.raises(MlcError, match=message):
        from_jax(function, SPECIAL)


def test_kernels_name_the_lines_of_python() -> None:
    def function(x: Any) -> Any:
        return jax.numpy.sin(x)  # this line

    assert "return jax.numpy.sin(x)  # this line" in compile_imported(from_jax(function, real(4))).source
