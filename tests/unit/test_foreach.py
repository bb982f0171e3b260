"""Ops on lists of tensors, taken apart: what each overload gives is what PyTorch's own gives."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._ops import OpOverload

from lowering.fx_to_tensor import import_callable
from lowering.fx_to_tensor.decompositions.foreach import TABLE
from mlc_dialects.tensor.calls import ExternOp

aten = torch.ops.aten
pytestmark = pytest.mark.usefixtures("machine_code")

SHAPES = [(3, 4), (5,), (), (0, 2)]


def argument(kind: str, name: str, number: int) -> Any:
    """A value for an argument of the type `kind`: tensors and numbers between 0 and 1."""
    generator = torch.Generator().manual_seed(number)
    if kind == "List[Tensor]":
        return [torch.rand(shape, generator=generator) * 0.8 + 0.1 for shape in SHAPES]
    if kind == "List[number]":
        return [0.3 + 0.1 * k for k in range(len(SHAPES))]
    if kind == "Tensor":
        return torch.tensor(0.7)
    return 2 if name in ("ord", "exponent") else None if "dtype" in name else 0.6 if kind == "number" else False


def arguments(op: OpOverload) -> list[Any]:
    """Values for the positional arguments of an overload."""
    found = [a for a in op._schema.arguments if not a.kwarg_only]
    return [argument(str(a.type), a.name, k) for k, a in enumerate(found)]


def test_all_overloads_of_the_common_ones() -> None:
    names = {str(op).removeprefix("aten._foreach_") for op in TABLE}
    assert {"add.Scalar", "add.List", "add.ScalarList", "add.Tensor", "addcmul.Scalar", "sqrt.default"} <= names
    assert {"lerp.Scalar", "pow.ScalarAndTensor", "norm.Scalar", "addcdiv.ScalarList", "maximum.List"} <= names
    assert "addcmul.Tensor" not in names


@pytest.mark.parametrize("op", TABLE, ids=str)
def test_as_pytorch_has_it(op: OpOverload) -> None:
    given = arguments(op)
    for got, wanted in zip(TABLE[op](*given), op(*given), strict=True):
        torch.testing.assert_close(got, wanted, equal_nan=True)


def test_keywords() -> None:
    """A factor by keyword reaches each sum."""
    xs, ys = argument("List[Tensor]", "x", 0), argument("List[Tensor]", "y", 1)
    op = aten._foreach_sub.List
    for got, wanted in zip(TABLE[op](xs, ys, alpha=3), op(xs, ys, alpha=3), strict=True):
        torch.testing.assert_close(got, wanted)


def test_nothing_is_left_to_pytorch() -> None:
    """Imported they are native ops."""
    xs = argument("List[Tensor]", "x", 0)
    imported = import_callable(lambda *given: aten._foreach_add(aten._foreach_sqrt(given), given, alpha=2), xs)
    assert not any(isinstance(op, ExternOp) for op in imported.module.walk())
