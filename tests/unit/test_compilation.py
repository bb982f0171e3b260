"""Kernels of one graph are compiled together, once, and only for a GPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.kernels import compilation
from mlc_compiler.kernels.compilation import Compilation, Pending
from mlc_compiler.kernels.launcher import Launcher
from mlc_compiler.kernels.manifest import kernel_entry, manifest_of
from mlc_compiler.pipeline import lower_to
from mlc_dialects.triton.dialect import KernelOp


def two_kernels(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(torch.tanh(x) @ x)


def looks_up(x: torch.Tensor) -> torch.Tensor:
    return x[(x[0] * 9).long()]


def sums_columns(x: torch.Tensor) -> torch.Tensor:
    return x.repeat(40, 1).sum(0)


def lowered(function: Any = two_kernels, dynamic: Any = None) -> Any:
    return lower_to(import_callable(function, [torch.randn(64, 64)], dynamic=dynamic).module, "triton")


def test_compilations_are_what_launches_ask_for() -> None:
    kernels = [op for op in lowered().ops if isinstance(op, KernelOp)]
    for kernel in kernels:
        made = Compilation.of(kernel_entry(kernel), None)
        assert set(made.dtypes) == {torch.float32} and len(made.dtypes) == len(kernel.pointers)
        assert made.options["num_warps"] == kernel.warps.value.data


@pytest.mark.parametrize("function", [two_kernels, looks_up, sums_columns])
def test_launches_say_what_is_compiled(function: Any) -> None:
    """Else a kernel would be compiled again as it is launched."""
    module = lowered(function)
    for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
        options = Compilation.of(kernel_entry(kernel), None).options
        told = ", ".join(f"{name}={value}" for name, value in options.items())
        assert f", {told})" in module_source(module)
        assert ("debug" in options) == (function is looks_up) and ("maxnreg" in options) == (function is sums_columns)


def test_kernels_are_compiled_together_unless_one_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(compilation, "compile_together", lambda kernels: calls.append(len(kernels)))
    for function in (two_kernels, torch.relu):
        module = lowered(function)
        names = [op.sym_name.data for op in module.ops if isinstance(op, KernelOp)]
        Pending(manifest_of(module).kernels, dict.fromkeys(names)).compile()
    assert calls == [2]


def test_kernels_with_sizes_wait_for_their_launch() -> None:
    module = lowered(torch.relu, [{0: "N"}])
    assert Pending(manifest_of(module).kernels, {})._kernels == []


def test_an_executable_on_the_cpu_compiles_nothing() -> None:
    x = torch.rand(64, 64)
    (found,) = compile_imported(import_callable(two_kernels, [x]))(x)
    torch.testing.assert_close(found, two_kernels(x))


@pytest.mark.gpu
def test_on_a_gpu_launches_find_their_kernels() -> None:
    x = torch.rand(2048, 2048, device="cuda")
    executable = compile_imported(import_callable(two_kernels, [x]))
    executable.pending.compile()
    functions = [k.kernel.compiled for k in executable.host.__globals__.values() if isinstance(k, Launcher)]
    device = torch.cuda.current_device()
    before = [len(f.device_caches[device][0]) for f in functions]
    assert all(n == 1 for n in before)
    torch.testing.assert_close(executable(x)[0], two_kernels(x))
    assert [len(f.device_caches[device][0]) for f in functions] == before, "no kernel was compiled a second time"
