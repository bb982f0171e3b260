"""A fixed part of torch's op database, run by XLA and PyTorch: `python -m tests.conformance.exports` tries all."""

from __future__ import annotations

import numpy as np
import pytest

from lowering.export.stablehlo_functions import FUNCTIONS
from tests.conformance.exports import LEFT, REFUSED, RIGHT, check, difference

OPS = (
    "remainder", "nn.functional.gelu", "argmin", "softmax", "cat", "matmul", "gather", "scatter_reduce.amin",
    "nn.functional.max_pool2d", "uniform",
)  # fmt: skip


@pytest.mark.parametrize("op", OPS)
def test_xla_computes_the_same(op: str) -> None:
    pytest.importorskip("jaxlib", reason="needs the compare extra")
    outcome = check(op, "float32", 1)
    assert (outcome.status, outcome.detail) == (RIGHT, "")


@pytest.mark.parametrize("op", [*OPS, "randint", "fft.ifft", "nn.functional.embedding_bag"])
def test_pytorch_computes_the_same(op: str) -> None:
    """Random numbers of tensors without dimensions too, complex results, and calls that are PyTorch's own."""
    outcome = check(op, "float32", 2, "aten")
    assert (outcome.status, outcome.detail) == (RIGHT, "")


RELAX = ("std_mean.unbiased", "nn.functional.conv_transpose2d", "randn_like", "special.ndtri")


@pytest.mark.parametrize("op", [*OPS, *RELAX])
def test_tvm_computes_the_same(op: str) -> None:
    """A quotient by 0 too, more at the end than a stride, random numbers without dimensions, and a formula of ours."""
    pytest.importorskip("tvm", reason="needs the compare extra")
    outcome = check(op, "float32", 2, "relax")
    assert (outcome.status, outcome.detail) == (RIGHT, "")


def test_what_is_refused_and_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """These need no XLA."""
    monkeypatch.delitem(FUNCTIONS, "sin")
    assert check("sin", "float32", 1).status == REFUSED
    assert check("linalg.svd", "float32", 1).status == LEFT


def test_a_difference_is_seen() -> None:
    ones = np.ones(3, np.float32)
    assert difference([ones], [ones]) == ""
    assert difference([ones + 1e-3], [ones]).startswith("result 0 at [0] is 1.001")
    assert "float64" in difference([ones.astype(np.float64)], [ones])
    assert difference([], [ones]) == "0 results, the interpreter has 1"
    assert difference([np.array([np.nan], np.float32)], [np.array([np.nan], np.float32)]) == ""
