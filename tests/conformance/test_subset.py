"""A fixed part of torch's op database on every run of the tests; `make conformance` tries all of it."""

from __future__ import annotations

import pytest
import torch

from tests.conformance.check import EXTERN, NATIVE, Task, check
from tests.conformance.table import markdown

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]

NATIVELY = (
    "add", "sub", "mul", "div.floor_rounding", "remainder", "exp", "log1p", "sigmoid", "nn.functional.gelu", "where",
    "clamp", "sum", "mean", "var", "amax", "argmin", "all", "softmax", "nn.functional.layer_norm", "cat", "permute",
    "flip", "expand", "tril", "matmul", "gather", "scatter_add", "scatter_reduce.amax", "diagonal_scatter", "unfold",
    "nn.functional.embedding", "nn.functional.max_pool2d", "nn.functional.avg_pool2d", "as_strided",
)  # fmt: skip
"""Ops that mlc computes itself."""

THROUGH_PYTORCH = (
    "cumsum", "sort", "topk", "index_put", "nonzero", "nn.functional.conv2d",
    "linalg.svd", "fft.rfft", "einsum", "narrow",
)  # fmt: skip
"""Ops that it leaves to PyTorch, in part at least."""


def verify(task: Task, *statuses: str) -> None:
    outcome = check(task)
    assert outcome.status in statuses, f"{outcome.status}: {outcome.detail} {', '.join(outcome.externs)}"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", NATIVELY)
def test_native(op: str, device: str) -> None:
    verify(Task(op, "float32", device, samples=2), NATIVE)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", THROUGH_PYTORCH)
def test_through_pytorch(op: str, device: str) -> None:
    verify(Task(op, "float32", device, samples=2), NATIVE, EXTERN)


@pytest.mark.parametrize("dtype", ["bfloat16", "int64", "bool", "complex64"])
@pytest.mark.parametrize("op", ["add", "sum", "where"])
def test_types(op: str, dtype: str) -> None:
    verify(Task(op, dtype, samples=2), NATIVE, EXTERN)


@pytest.mark.parametrize("op", ["mul", "softmax", "nn.functional.layer_norm", "cat", "sum"])
def test_gradients(op: str) -> None:
    verify(Task(op, "float32", samples=2, backward=True), NATIVE, EXTERN)


def test_one_node_graphs_give_the_same_outcome() -> None:
    verify(Task("exp", "float32", samples=2, mode="direct"), NATIVE)


def test_the_table_names_every_op() -> None:
    outcomes = [check(Task(op, "bool", samples=1)) for op in ("logical_and", "exp2", "linalg.svd")]
    page = markdown(outcomes, "title")
    assert all(f"`{o.op}`" in page for o in outcomes)
    assert f"eager has no kernel for {torch.bool}" in page
