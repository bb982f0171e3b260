"""Batch norm in training writes its running statistics where it computes them: eager's numbers, and no kernel beside.

However its rows are cut, over one program or several, in kernels one after another or with flags, each statistic is
updated once a call.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.host import AllocOp, FlagsOp, LaunchOp
from mlc_dialects.triton.dialect import KernelOp
from passes.loop.schedule.partition import PartitionRowsPass
from tests.unit.test_end_to_end import DEVICES

NORMS: dict[int, type[nn.Module]] = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}
LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
SHAPES = [(256, 24), (8, 24, 50), (8, 8, 14, 14), (3, 32, 13, 11), (2, 10, 33, 17), (4, 8, 6, 7, 8)]
PARTITIONS: dict[str, dict[str, Any]] = {
    "chosen": {},
    "fission": {"fission": "behind"},
    "parts": {"part": 64},
    "parts and fission": {"part": 64, "fission": "behind"},
    "flags": {"part": 64, "exchange": "flags"},
}


def batch_norm(shape: tuple[int, ...], dtype: torch.dtype, last: bool, device: str) -> tuple[nn.Module, Tensor]:
    """A norm whose statistics are not those it starts with, and its input."""
    generator = torch.Generator().manual_seed(3)
    norm = NORMS[len(shape)](shape[1])
    for value in (*norm.parameters(), norm.running_mean, norm.running_var):
        assert isinstance(value, Tensor)
        value.data.copy_(torch.rand(shape[1], generator=generator) + 0.5)
    x = (2 * torch.randn(shape, generator=generator) + 1).to(device, dtype)
    return norm.to(device), x.contiguous(memory_format=LAST[len(shape)]) if last and len(shape) in LAST else x


LAYOUTS = [(shape, last) for shape in SHAPES for last in (False, True) if not last or len(shape) in LAST]
CASES = [
    *((partition, torch.float32) for partition in PARTITIONS),
    ("chosen", torch.bfloat16),
]


@pytest.mark.sampled(11)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("partition, dtype", CASES, ids=str)
@pytest.mark.parametrize("shape, last", LAYOUTS, ids=str)
def test_statistics_are_updated_once(
    shape: tuple[int, ...],
    last: bool,
    partition: str,
    dtype: torch.dtype,
    device: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if partition != "chosen":
        given = PARTITIONS[partition]
        monkeypatch.setattr("mlc_compiler.pipeline.PartitionRowsPass", lambda **_: PartitionRowsPass(**given))
    norm, x = batch_norm(shape, dtype, last, device)
    eager = copy.deepcopy(norm)
    sources: list[str] = []

    def observe(module: ModuleOp, executable: Executable) -> None:
        sources.append(executable.source)

    torch._dynamo.reset()
    compiled = torch.compile(
        norm,
        backend=partial(compile_graph_module, observe=observe, options=CompilerOptions(verify=True)),
        dynamic=False,
    )
    close = 2e-5 if dtype == torch.float32 else 2e-2
    for _ in range(2):
        torch.testing.assert_close(compiled(x), eager(x), rtol=close, atol=close)
    for name, buffer in eager.named_buffers():
        torch.testing.assert_close(norm.get_buffer(name), buffer, rtol=2e-5, atol=1e-6)
    assert "def cast" not in sources[0], "statistics are copied"


def lowered(norm: nn.Module, x: Tensor, monkeypatch: pytest.MonkeyPatch) -> ModuleOp:
    """The host program of the forward on an H200; nothing is run."""
    found: list[ModuleOp] = []

    def stop(imported: Any, *_: Any, **__: Any) -> None:
        module = lower_to(imported.module, "triton", CompilerOptions(device="h200"))
        assert isinstance(module, ModuleOp)
        found.append(module)
        raise StopIteration

    monkeypatch.setattr("mlc_compiler.frontend.backend.compile_imported", stop)
    torch._dynamo.reset()
    with pytest.raises(Exception, match="StopIteration"):
        torch.compile(norm, backend=compile_graph_module, dynamic=False)(x)
    return found[0]


def splits(module: ModuleOp) -> set[str]:
    """The ways in which rows are split: what the names of kernels end in."""
    names = [op.sym_name.data for op in module.walk() if isinstance(op, KernelOp)]
    return {end for end in ("_parts", "_rows") if any(name.endswith(end) for name in names)}


LARGE = [((n, c, h, w), last) for n, c, h, w in ((64, 64, 56, 56), (64, 96, 28, 28)) for last in (False, True)]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
@pytest.mark.parametrize("shape, last", [*LAYOUTS, *LARGE], ids=str)
def test_statistics_cost_no_launch_and_no_buffer(
    shape: tuple[int, ...], last: bool, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as the same norm without running statistics has.

    No kernel joins one whose blocks wait for flags: there the number of batches, which is no statistic, has its own.
    Where the model of time splits the rows of one otherwise than those of the other, it is about launches alone.
    """
    norm, x = batch_norm(shape, dtype, last, "cpu")
    plain = copy.deepcopy(norm)
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        setattr(plain, name, None)
    tracked, bare = (lowered(n, x, monkeypatch) for n in (norm, plain))
    alone = any(isinstance(op, FlagsOp) for op in bare.walk())
    for kind, more in ((LaunchOp, alone), (AllocOp, False)):
        count, least = (sum(isinstance(op, kind) for op in m.walk()) for m in (tracked, bare))
        if kind is AllocOp and splits(tracked) != splits(bare):
            continue
        assert count == least + more, f"{kind.name}: {count}, {least} without statistics"
