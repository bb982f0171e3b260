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
from mlc_compiler.pipeline import lower_to
from mlc_dialects.triton.dialect import KernelOp


def two_kernels(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(torch.relu(x) @ x)


def looks_up(x: torch.Tensor) -> torch.Tensor:
    return x[(x[0] * 9).long()]


def sums_columns(x: torch.Tensor) -> torch.Tensor:
    return x.repeat(40, 1).sum(0)


def lowered(function: Any = two_kernels, dynamic: Any = None) -> Any:
    return lower_to(import_callable(function, [torch.randn(64, 64)], dynamic=dynamic).module, "triton")


def test_compilations_are_what_launches_ask_for() -> None:
    kernels = [op for op in lowered().ops if isinstance(op, KernelOp)]
    for kernel in kernels:
        made = Compilation.of(kernel, None)
        assert set(made.dtypes) == {torch.float32} and len(made.dtypes) == len(kernel.pointers)
        assert made.options["num_warps"] == kernel.warps.value.data


@pytest.mark.parametrize("function", [two_kernels, looks_up, sums_columns])
def test_launches_say_what_is_compiled(function: Any) -> None:
    """Else a kernel would be compiled again as it is launched."""
    module = lowered(function)
    for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
        options = Compilation.of(kernel, None).options
        told = ", ".join(f"{name}={value}" for name, value in options.items())
        assert f", {told})" in module_source(module)
        assert ("debug" in options) == (function is looks_up) and ("maxnreg" in options) == (function is sums_columns)


def test_only_the_first_call_on_a_gpu_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnGpu(torch.Tensor):
        is_cuda = True

    calls: list[int] = []
    monkeypatch.setattr(compilation, "compile_together", lambda left: calls.append(len(left)))
    module = lowered()
    count = sum(isinstance(op, KernelOp) for op in module.ops)
    pending = Pending(module, dict.fromkeys(op.sym_name.data for op in module.ops if isinstance(op, KernelOp)))
    pending.run([torch.zeros(3), 7])
    assert calls == []
    on_gpu = torch.zeros(3).as_subclass(OnGpu)
    pending.run([on_gpu])
    pending.run([on_gpu])
    assert calls == [count] and count > 1


def test_kernels_with_sizes_wait_for_their_launch() -> None:
    module = lowered(torch.relu, [{0: "N"}])
    assert Pending(module, {})._left == []


def test_an_executable_on_the_cpu_compiles_nothing() -> None:
    x = torch.rand(64, 64)
    (found,) = compile_imported(import_callable(two_kernels, [x]))(x)
    torch.testing.assert_close(found, two_kernels(x))


@pytest.mark.gpu
def test_on_a_gpu_launches_find_their_kernels() -> None:
    x = torch.rand(2048, 2048, device="cuda")
    executable = compile_imported(import_callable(two_kernels, [x]))
    executable.pending.run([x])
    functions = [k.compiled for k in executable.host.__globals__.values() if hasattr(k, "interpreted")]
    device = torch.cuda.current_device()
    before = [len(f.device_caches[device][0]) for f in functions]
    assert all(n == 1 for n in before)
    torch.testing.assert_close(executable(x)[0], two_kernels(x))
    assert [len(f.device_caches[device][0]) for f in functions] == before, "no kernel was compiled a second time"
