"""Kernels of one graph are compiled together, once, and only for a GPU."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp, TensorType

from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.kernels import compilation
from mlc_compiler.kernels.cache import keep_source
from mlc_compiler.kernels.compilation import Compilation, Pending, compile_together, machine_code_of
from mlc_compiler.kernels.launcher import Launcher
from mlc_compiler.kernels.manifest import compile_costs, kernel_entry, manifest_of
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.triton.dialect import ForOp, KernelOp
from mlc_runtime.cubins import Cubin


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
        made = Compilation(kernel_entry(kernel), Path("none.py"), None)
        assert set(made.dtypes) == {torch.float32} and len(made.dtypes) == len(kernel.pointers)
        assert made.entry.options["num_warps"] == kernel.warps.value.data


@pytest.mark.parametrize("function", [two_kernels, looks_up, sums_columns])
def test_launches_say_what_is_compiled(function: Any) -> None:
    """Else a kernel would be compiled again as it is launched."""
    module = lowered(function)
    for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
        options = kernel_entry(kernel).options
        told = ", ".join(f"{name}={value}" for name, value in options.items())
        assert f", {told})" in module_source(module)
        assert ("debug" in options) == (function is looks_up) and ("maxnreg" in options) == (function is sums_columns)


@dataclass
class Taker:
    """A launcher that remembers what it was given."""

    taken: list[tuple[Cubin, int]] = field(default_factory=list[tuple[Cubin, int]])
    error: str = ""

    def take(self, cubin: Cubin, device: int) -> None:
        """As a launcher does."""
        if self.error:
            raise RuntimeError(self.error)
        self.taken.append((cubin, device))


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device of compute capability 9.0 that is not asked for anything else."""
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (9, 0))


def pending(function: Any = two_kernels) -> tuple[Pending, dict[str, Taker]]:
    """The kernels of a function, whose file is in the cache."""
    module = lowered(function)
    kernels = manifest_of(module).kernels
    takers = {kernel.name: Taker() for kernel in kernels}
    return Pending(keep_source(module_source(module)), kernels, takers), takers  # pyright: ignore[reportArgumentType]


@pytest.mark.usefixtures("gpu")
def test_launchers_are_given_machine_code(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", compilation.log.name)  # why a kernel is left to its launch
    waiting, takers = pending()
    waiting.compile()
    for name, taker in takers.items():
        assert len(taker.taken) == 1, caplog.text
        ((cubin, device),) = taker.taken
        assert device == 1 and cubin.name == name and cubin.path.read_bytes()[1:4] == b"ELF"


@pytest.mark.usefixtures("gpu")
def test_what_cannot_be_compiled_or_loaded_is_left_to_its_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, takers = pending()
    first, *others = takers
    takers[first].error = "no room"
    waiting.compile()
    assert not takers[first].taken and all(takers[name].taken for name in others)

    def refuse(*_: Any) -> None:
        raise ValueError("refused")

    monkeypatch.setattr(compilation, "machine_code", refuse)
    waiting, takers = pending()
    waiting.compile()
    assert not any(taker.taken for taker in takers.values())


@pytest.mark.usefixtures("gpu")
def test_workers_compile_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """They begin as soon as they are ready, and compile each kernel once, on however many devices it runs."""
    jobs: list[str] = []
    ready = iter([False, True])

    def in_worker(function: Any, kernel: Any, path: Any, wanted: int) -> Any:
        assert function is machine_code_of and wanted == 90
        jobs.append(kernel.name)
        future: Future[Any] = Future()
        future.set_result(Cubin(path, kernel.name, 4, 0))
        return future

    monkeypatch.setattr(compilation, "FEW", 1)
    monkeypatch.setattr(compilation, "in_worker", in_worker)
    monkeypatch.setattr(compilation, "workers_ready", lambda: next(ready))
    waiting, takers = pending()
    for there_is in (False, True):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there_is=there_is: there_is)
        waiting.start({name: k for k, name in enumerate(takers)})
    assert not jobs, "not ready"
    waiting.compile()
    waiting.compile()
    assert jobs == [*takers][::-1], "what costs most first"
    assert all(len(taker.taken) == 2 for taker in takers.values())


@pytest.mark.usefixtures("gpu")
def test_threads_compile_a_few_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "workers_ready", lambda: pytest.fail("asked for"))
    waiting, takers = pending()
    waiting.start(dict.fromkeys(takers, 1))
    waiting.compile()
    assert all(taker.taken for taker in takers.values())


def test_a_program_from_disk_starts_no_workers(monkeypatch: pytest.MonkeyPatch, gpu: None) -> None:
    """Triton's cache has its kernels."""
    monkeypatch.setattr(compilation, "workers_ready", lambda: pytest.fail("asked for"))
    waiting, takers = pending()
    waiting.compile()
    assert all(taker.taken for taker in takers.values())


def running_sum(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(1)


def test_kernels_whose_programs_wait_keep_their_warps() -> None:
    """More warps might leave room for fewer programs at once, and those that others wait for would not begin."""
    module = import_callable(running_sum, [torch.empty(1, 1 << 22)]).module
    waits = manifest_of(lower_to(module, "triton", CompilerOptions(device="h200"))).kernels
    assert [kernel.may_widen for kernel in waits] == [False]
    assert all(kernel.may_widen for kernel in manifest_of(lowered()).kernels)


def test_what_holds_more_values_or_has_more_ops_takes_longer_to_compile() -> None:
    module = lowered()
    for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
        ops = len(list(kernel.walk()))
        assert compile_costs(module)[kernel.sym_name.data] == max(1, values_held(kernel), ops // 6)


def values_held(kernel: KernelOp) -> int:
    """The values of its largest block that a thread has."""
    blocks = [result.type for op in kernel.walk() for result in op.results if isinstance(result.type, TensorType)]
    return max(prod(block.get_shape()) for block in blocks) // (32 * kernel.warps.value.data)


@pytest.mark.parametrize(("depth", "unrolled"), [(512, True), (4096, False)])
def test_ptxas_unrolls_products_of_few_steps(depth: int, unrolled: bool) -> None:
    def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.relu(x @ y)

    inputs = [torch.empty(512, depth, dtype=torch.bfloat16), torch.empty(depth, 1024, dtype=torch.bfloat16)]
    options = CompilerOptions(device="h200", products="generated")
    module = lower_to(import_callable(product, inputs).module, "triton", options)
    assert isinstance(module, ModuleOp)
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    (loop,) = [op for op in kernel.walk() if isinstance(op, ForOp)]
    steps = depth // loop.step.value.data if unrolled else 1
    assert compile_costs(module) == {kernel.sym_name.data: values_held(kernel) * steps}


def test_a_worker_loads_no_pass() -> None:
    """The first kernel of each worker waits for what it imports."""
    code = (
        "import sys, mlc_compiler.kernels.compilation\n"
        "print([name for name in ('passes', 'lowering', 'mlc_compiler.pipeline') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_kernels_with_sizes_wait_for_their_launch() -> None:
    module = lowered(torch.relu, [{0: "N"}])
    assert Pending(Path("none.py"), manifest_of(module).kernels, {})._kernels == []


def test_an_executable_on_the_cpu_compiles_nothing() -> None:
    x = torch.rand(64, 64)
    (found,) = compile_imported(import_callable(two_kernels, [x]))(x)
    torch.testing.assert_close(found, two_kernels(x))


@pytest.mark.gpu
def test_on_a_gpu_launches_find_their_kernels() -> None:
    x = torch.rand(2048, 2048, device="cuda")
    executable = compile_imported(import_callable(two_kernels, [x]))
    executable.pending.compile()
    launchers = [k for k in executable.host.__globals__.values() if isinstance(k, Launcher)]
    device = torch.cuda.current_device()
    assert launchers and all(launcher._loaded[device] is not None for launcher in launchers)
    torch.testing.assert_close(executable(x)[0], two_kernels(x))
    assert not any(launcher.kernel.compiled.device_caches for launcher in launchers), "none went through Triton"


@pytest.mark.gpu
def test_what_is_compiled_beforehand_is_what_launches_look_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is compiled beforehand has the name in Triton's cache that a launch through Triton looks for."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    x = torch.rand(2048, 2048, device="cuda")
    executable = compile_imported(import_callable(two_kernels, [x]))
    executable.pending.compile()
    before = {path.name for path in tmp_path.rglob("*.cubin")}
    kernels = [(k, executable.host.__globals__[k.name].kernel.compiled) for k in executable.pending._kernels]
    made = compile_together([Compilation(k, executable.path, function) for k, function in kernels])
    assert before and not any(isinstance(kernel, Exception) for kernel in made)
    assert {path.name for path in tmp_path.rglob("*.cubin")} == before
    assert len([*tmp_path.rglob("*.cubin")]) == len(kernels)
