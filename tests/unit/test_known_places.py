"""Gathers whose places are known when compiling: as views they give what eager gives, in every memory order."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.pipeline import lower_to
from tests.unit.test_end_to_end import DEVICES


def skipped(x: Tensor) -> Tensor:
    """The step of a U-Net: what a mask hides lies beyond the repeated channels."""
    return torch.cat([F.interpolate(x, scale_factor=2.0), torch.ones(x.shape[0], 3, 2 * x.shape[2], 2 * x.shape[3])], 1)


VIEWS: dict[str, Callable[[Tensor], Tensor]] = {
    "twice": lambda x: F.interpolate(x, scale_factor=2.0),
    "three times": lambda x: F.interpolate(x, scale_factor=(1.0, 3.0)),
    "exact": lambda x: F.interpolate(x, scale_factor=4.0, mode="nearest-exact"),
    "half": lambda x: F.interpolate(x, scale_factor=0.5),
    "backwards": lambda x: x[:, torch.arange(5, -1, -2)],
    "repeated and stepped": lambda x: x[:, :, 2 * (torch.arange(6) // 3)[:, None], torch.arange(1, 8, 2)],
    "the last place": lambda x: x[:, torch.full((1,), 5)],
}
GATHERS: dict[str, Callable[[Tensor], Tensor]] = {
    "five halves": lambda x: F.interpolate(x, scale_factor=2.5),
    "squares": lambda x: x[:, :, torch.arange(3) ** 2],
    "again and again": lambda x: x[:, torch.arange(9) % 3],
    "diagonal": lambda x: x[:, torch.arange(6), torch.arange(6)],
}


def agrees(function: Callable[[Tensor], Tensor], x: Tensor) -> str:
    """Compares with eager, and gives the program before kernels are lowered to loops."""
    imported = import_callable(function, [x])
    program = str(lower_to(imported.module.clone(), "fused"))
    torch.testing.assert_close(compile_imported(imported)(x)[0], function(x), rtol=0, atol=0)
    return program


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [*VIEWS, *GATHERS])
@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last])
def test_as_eager(name: str, order: torch.memory_format) -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 6, 8, 10).to(memory_format=order)
    program = agrees({**VIEWS, **GATHERS}[name], x)
    assert ("mlc_tensor.gather" in program) == (name in GATHERS)


@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last])
def test_beside_what_a_mask_hides(order: torch.memory_format) -> None:
    """In memory order still: no element of one channel is written far from the next."""
    x = torch.randn(2, 6, 8, 10).to(memory_format=order)
    assert "mlc_tensor.gather" not in agrees(skipped, x)


def again(x: Tensor) -> Tensor:
    """A gather whose index along the channels counts them."""
    return x[:, :, torch.arange(90) % 8]


JOINED: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "behind": lambda x, y: torch.cat([y, again(x)], 1),
    "between": lambda x, y: torch.cat([y, again(x), y], 1),
    "padded": lambda x, y: F.pad(again(x), (0, 0, 0, 0, 3, 1)) + y.sum(),
    "summed": lambda x, y: torch.cat([y, again(x)], 1).sum((0, 2, 3)),
}


@pytest.mark.parametrize("name", JOINED)
def test_counts_behind_an_offset_are_not_checked(name: str) -> None:
    """There the index is that of the joined tensor, less what is joined before. Sums of small integers are exact."""
    x, y = (torch.randint(-8, 9, shape).float() for shape in ((2, 6, 8, 10), (2, 4, 90, 10)))
    imported = import_callable(JOINED[name], [x, y])
    assert "checked" not in str(lower_to(imported.module.clone(), "triton"))
    torch.testing.assert_close(compile_imported(imported)(x, y)[0], JOINED[name](x, y), rtol=0, atol=0)


def test_counts_of_a_program_behind_an_offset_are_not_checked() -> None:
    """They would count from the end where they are negative, and are too many to see one by one that none is."""

    def looked_up(x: Tensor, y: Tensor, i: Tensor) -> Tensor:
        rows, columns = (torch.arange(n).view(shape).expand(600, 450) for n, shape in ((600, (-1, 1)), (450, (1, -1))))
        return torch.cat([y, x[rows, columns, i.expand(600, 450)]])

    x, y, inside = torch.randn(600, 450, 3), torch.randn(2, 450), torch.arange(450) % 6 - 3
    imported = import_callable(looked_up, [x, y, inside])
    checked = re.findall(r"mlc_triton.checked .* below (\d+)", str(lower_to(imported.module.clone(), "triton")))
    assert {*checked} == {"3"}
    run = compile_imported(imported)
    torch.testing.assert_close(run(x, y, inside)[0], looked_up(x, y, inside), rtol=0, atol=0)
    with pytest.raises(IndexError):
        run(x, y, inside + 1)


def test_data_behind_an_offset_is_checked() -> None:
    def looked_up(x: Tensor, i: Tensor) -> Tensor:
        return torch.cat([x, x[i]])

    x, inside = torch.randn(5, 3), torch.tensor([4, 0, 2])
    imported = import_callable(looked_up, [x, inside])
    assert "checked" in str(lower_to(imported.module.clone(), "triton"))
    run = compile_imported(imported)
    torch.testing.assert_close(run(x, inside)[0], looked_up(x, inside), rtol=0, atol=0)
    with pytest.raises(IndexError):
        run(x, inside + 1)


def test_gradients_of_pooled_channels() -> None:
    """Those of a part of the channels, joined with those of the others (Res2Net)."""

    def loss(x: Tensor) -> Tensor:
        kept, pooled = x.split(3, 1)
        return kept.square().sum() + F.avg_pool2d(pooled, 3, 2, 1).square().sum()

    def gradient(function: Callable[[Tensor], Tensor]) -> Tensor:
        leaf = x.clone().requires_grad_()
        function(leaf).backward()
        assert leaf.grad is not None
        return leaf.grad

    torch.manual_seed(0)
    x = torch.randn(2, 6, 8, 10)
    torch.compiler.reset()
    torch.testing.assert_close(gradient(torch.compile(loss, backend=compile_graph_module)), gradient(loss))


def test_outside_is_an_error() -> None:
    imported = import_callable(lambda x: x[torch.arange(4) + 1], [torch.randn(4)])
    with pytest.raises(IndexError):
        compile_imported(imported)(torch.randn(4))


@pytest.mark.parametrize("device", DEVICES)
def test_of_floats_that_are_no_numbers(device: str) -> None:
    x = torch.tensor([[float("nan"), -0.0], [float("inf"), 1.0]], device=device)[None]
    torch.testing.assert_close(
        torch.compile(lambda x: F.interpolate(x, scale_factor=2.0), backend=compile_graph_module)(x),
        F.interpolate(x, scale_factor=2.0),
        rtol=0,
        atol=0,
        equal_nan=True,
    )


JOINED_LOOKUPS: dict[str, Callable[..., Tensor]] = {
    "words": lambda t, i, j: torch.cat([F.embedding(i, t), F.embedding(j, t)]),
    "rows": lambda t, i, j: torch.cat([(t + 1)[i], t[j]]),
    "padded": lambda t, i, j: F.pad(t[i], (0, 0, 30, 40)) + j.sum(),
}


@pytest.mark.parametrize("cpu", ["native", "interpret"])
@pytest.mark.parametrize("name", JOINED_LOOKUPS)
def test_what_is_looked_up_in_a_small_table_behind_an_offset(name: str, cpu: str) -> None:
    """An element of the table exists wherever the kernel is; the number that says which of them does not."""
    table, i, j = torch.randn(4, 3), torch.randint(0, 4, (50,)), torch.randint(0, 4, (70,))
    beside = torch.full((700,), 1 << 40)
    beside[300:350], beside[400:470] = i, j  # what lies before and behind them is no index
    arguments = table, beside[300:350], beside[400:470]
    torch.compiler.reset()
    found = torch.compile(JOINED_LOOKUPS[name], backend="mlc", options={"cpu": cpu})(*arguments)
    torch.testing.assert_close(found, JOINED_LOOKUPS[name](*arguments))
