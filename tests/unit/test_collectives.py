"""Several processes, on gloo or NCCL: compiled programs give what eager gives, collectives keep their order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.multiprocessing
from torch import Tensor

from lowering.fx_to_tensor import import_callable
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.host import CallOp
from mlc_dialects.tensor.calls import ExternOp
from tests.unit.distributed_steps import ALL, work


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The results of two processes."""
    return run(2, tmp_path_factory.mktemp("two"))


def run(count: int, folder: Path, device: str = "cpu") -> list[dict[str, Any]]:
    """The results of each of `count` processes."""
    options = {"cpu": "native"} if device == "cpu" else {}
    torch.multiprocessing.spawn(work, (count, str(folder), device, options), nprocs=count)
    return [torch.load(folder / f"{rank}.pt", weights_only=True, map_location="cpu") for rank in range(count)]


def check(found: list[dict[str, Any]], step: str) -> None:
    for results in found:
        wanted, ours = results[step]
        assert wanted and all(w.abs().sum() > 0 for w in wanted)
        torch.testing.assert_close([*ours], [*wanted])


@pytest.mark.slow
@pytest.mark.parametrize("step", ALL)
def test_two_processes(step: str, of_two: list[dict[str, Any]]) -> None:
    check(of_two, step)


@pytest.mark.slow
def test_four_processes(tmp_path: Path) -> None:
    found = run(4, tmp_path)
    for step in ALL:
        check(found, step)


@pytest.mark.gpu
def test_two_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    # Multicast through NVLink, which not every machine has, is not what is tested.
    monkeypatch.setenv("NCCL_NVLS_ENABLE", "0")
    found = run(2, tmp_path, "cuda")
    for step in ALL:
        check(found, step)


def out_of_order(x: Tensor) -> tuple[Tensor, Tensor]:
    """Of three collectives the first is waited for last."""
    ops = torch.ops._c10d_functional
    gathered = ops.all_gather_into_tensor(x.exp(), 2, "0")
    total = ops.wait_tensor(ops.all_reduce(x, "sum", "0"))
    part = ops.wait_tensor(ops.reduce_scatter_tensor(total.cos(), "sum", 2, "0"))
    return part * 2, ops.wait_tensor(gathered).tanh()


@pytest.mark.parametrize("level", ["simplified", "fused", "cpu", "triton"])
def test_collectives_keep_the_order_of_the_program(level: str) -> None:
    module = import_callable(out_of_order, (torch.ones(4, 2),)).module
    lower_to(module, level)
    names = [op.callee.data for op in module.walk() if isinstance(op, ExternOp | CallOp)]
    assert [name for name in names if "wait_tensor" not in name] == [
        "_c10d_functional.all_gather_into_tensor.default",
        "_c10d_functional.all_reduce.default",
        "_c10d_functional.reduce_scatter_tensor.default",
    ]
