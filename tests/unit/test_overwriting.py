"""Results in the memory of what a kernel reads last, and what says that this is safe."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
import torch
from torch import Tensor

from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import is_injective
from tests.unit.generated_kernels import DEVICES, compiled

A, B, N = variable("a", 30), variable("b", 4), variable("n")


@pytest.mark.parametrize(
    "expr, names",
    [
        (A, [A]),
        (A * 4 + B, [A, B]),
        (A + B * 30 + 7, [A, B]),
        (A % 6 + (A // 6) * 6 * 4 + B * 6, [A, B]),
        (A % 3 + (A // 3 % 5) * 3 + (A // 15) * 90, [A]),
        (integer(3), [variable("one", 1)]),
        (variable("i", N), [variable("i", N)]),
        (variable("i", N) * 4 + variable("b", 4), [variable("i", N), variable("b", 4)]),
    ],
    ids=str,
)
def test_one_value_for_each_choice(expr: IndexExpr, names: list[IndexExpr]) -> None:
    assert is_injective(expr, names)


@pytest.mark.parametrize(
    "expr, names",
    [
        (A * 3 + B, [A, B]),
        (A % 6, [A]),
        (A // 6, [A]),
        (A % 6 + (A // 6) * 5, [A]),
        (A * 4, [A, B]),
        (A * 4 + variable("i", N), [A, variable("i", N)]),
        (variable("i", N) * N + variable("j", N), [variable("i", N), variable("j", N)]),  # so it is, but not by numbers
    ],
    ids=str,
)
def test_perhaps_several(expr: IndexExpr, names: list[IndexExpr]) -> None:
    assert not is_injective(expr, names)


def test_drawn_expressions_have_as_many_values_as_choices() -> None:
    draw, found = random.Random(7), 0
    for _ in range(400):
        sizes = {name: draw.randint(1, 12) for name in "ab"}
        a, b = (variable(name, size) for name, size in sizes.items())
        divisor, names = draw.randint(2, 6), draw.choice([[a], [b], [a, b]])
        parts = draw.sample([a, b, a % divisor, a // divisor, b // divisor, b % divisor], draw.randint(1, 4))
        expr = sum((part * draw.choice([1, 2, divisor, 7, 12, 24, 60]) for part in parts), integer(draw.randint(0, 3)))
        if is_injective(expr, names):
            found += 1
            seen: dict[int, tuple[int, ...]] = {}
            for values in product(*(range(sizes[name]) for name in "ab")):
                chosen = dict(zip("ab", values, strict=True))
                choice = tuple(name.evaluate(chosen) for name in names)
                assert seen.setdefault(expr.evaluate(chosen), choice) == choice
    assert found > 50


def gelu_backward(gradient: Tensor, weight: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """The gradient behind a gelu goes into one more product, and is summed for a bias."""
    inner = torch.ops.aten.gelu_backward.default((gradient @ weight).float(), x.float()).to(x.dtype)
    return inner @ weight.mT, inner.float().sum(0)


@pytest.mark.parametrize("rows, columns", [(640, 256), (773, 192), (3000, 64)])
@pytest.mark.parametrize("where", DEVICES)
def test_columns_are_summed_while_they_are_stored(where: tuple[str, str | None], rows: int, columns: int) -> None:
    """Over the product that the kernel reads: it is stored where it was, by the same thread."""
    device, cpu = where
    given = [torch.randn(shape).to(device, torch.bfloat16) for shape in ((rows, 32), (32, columns), (rows, columns))]
    sources: list[str] = []
    found = compiled(gelu_backward, sources, cpu=cpu, products="library")(*given)
    (launch,) = re.findall(r"\]\(mm, .*?\)", sources[0])
    assert launch.count("mm") == 2, launch
    exact = gelu_backward(*(x.double() for x in given))
    for ours, eager, right in zip(found, gelu_backward(*given), exact, strict=True):
        error, allowed = ((y.double() - right).norm() for y in (ours, eager))
        assert error <= 1.5 * allowed
