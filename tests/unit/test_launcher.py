"""Launches of compiled kernels without Triton in between, on a driver that is made up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.kernels import launcher as launcher_module
from mlc_compiler.kernels.aot import Request, machine_code
from mlc_compiler.kernels.launcher import MOST_GRIDS, Driver, Launcher, Loaded, cubin_of
from mlc_runtime.cubins import Cubin, LoadedFunction

SOURCE = """
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, N: tl.int64):
    p = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out_ptr + p, tl.load(x_ptr + p, mask=p < N) * 2, mask=p < N)
"""
OPTIONS = {"num_warps": 4, "enable_fp_fusion": False}


@dataclass
class Tensor:
    """What a launch asks of a tensor."""

    address: int
    device: int = 0

    def data_ptr(self) -> int:
        """Its address in bytes."""
        return self.address

    def get_device(self) -> int:
        """Its GPU; -1 for the CPU."""
        return self.device


@dataclass
class Gpus:
    """Two GPUs: what was started on them, and what Triton was asked to launch."""

    current: int = 0
    started: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    dependent: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    through_triton: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    loaded: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    compiled: Callable[..., Any] = lambda *arguments: None

    @property
    def driver(self) -> Driver:
        """Its calls."""
        start, start_dependent = (lambda *call: self.started.append(call)), (lambda *call: self.dependent.append(call))
        return Driver(start, start_dependent, lambda device: 700 + device, lambda: self.current, self._load)

    def _load(self, cubin: Cubin, device: int) -> LoadedFunction:
        self.loaded.append((cubin, device))
        return LoadedFunction(90 + device)

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., Any]:
        """A launch through Triton."""

        def launch(*arguments: Any, **options: Any) -> Any:
            self.through_triton.append((grid, arguments, options))
            return self.compiled(*arguments)

        return launch

    def launcher(self, pointers: int, sizes: int = 0, **more: int) -> Launcher:
        """A kernel here."""
        return Launcher(self, pointers, sizes, OPTIONS | more, self.driver)


def compiled(*arguments: Any, **changed: Any) -> Any:
    """What Triton has of a kernel that was launched with these arguments, its handle the number of the device."""
    divisible = [[["tt.divisibility", 16]] if a % 16 == 0 else [] for a in map(_number, arguments)]
    source = SimpleNamespace(
        signature={f"a{k}": "i64" if isinstance(a, int) else "*fp32" for k, a in enumerate(arguments)},
        constants={},
        attrs={(k,): facts for k, facts in enumerate(divisible)},
    )
    metadata = dict.fromkeys(("global_scratch_size", "global_scratch_align", "profile_scratch_size"), 0)
    metadata |= {"num_ctas": 1, "launch_cooperative_grid": False, "launch_pdl": False, "num_warps": 4, "shared": 512}
    metadata |= {"name": "kernel"}
    handle, files = 40 + arguments[0].device, {"kernel.ptx": "cache/kernel.ptx", "kernel.cubin": "cache/kernel.cubin"}
    found = SimpleNamespace(src=source, metadata=SimpleNamespace(**metadata), metadata_group=files, function=handle)
    for name, value in changed.items():
        setattr(found.metadata if name in metadata else source if hasattr(source, name) else found, name, value)
    return found


def _number(argument: Any) -> int:
    return argument if isinstance(argument, int) else argument.address


def test_the_second_launch_is_one_call_of_the_driver() -> None:
    gpus = Gpus(compiled=compiled)
    launcher = gpus.launcher(2)
    x, out = Tensor(1024), Tensor(2048)
    launcher[(8, 3)](x, out, **OPTIONS)
    assert gpus.through_triton == [((8, 3), (x, out), OPTIONS)] and not gpus.started
    launcher[(8, 3)](out, x, **OPTIONS)
    launcher[(5,)](x, x, **OPTIONS)
    assert len(gpus.through_triton) == 1
    assert gpus.started == [
        (40, 8, 3, 1, 4, 512, "OOOO", (2048, 1024, 0, 0), 700),
        (40, 5, 1, 1, 4, 512, "OOOO", (1024, 1024, 0, 0), 700),
    ]


def test_kernels_that_wait_are_launched_while_others_end() -> None:
    gpus = Gpus(compiled=lambda *arguments: compiled(*arguments, launch_pdl=True))
    launcher, x, options = gpus.launcher(1, launch_pdl=True), Tensor(1024), OPTIONS | {"launch_pdl": True}
    for _ in range(2):
        launcher[(8,)](x, **options)
    assert gpus.through_triton == [((8,), (x,), options)], "Triton launches it so, too"
    assert gpus.dependent == [(40, 8, 1, 1, 4, 512, "OOO", (1024, 0, 0), 700)] and not gpus.started


def test_unaligned_pointers_are_for_triton() -> None:
    gpus = Gpus(compiled=compiled)
    launcher = gpus.launcher(2)
    aligned, other = Tensor(1024), Tensor(1032)
    for _ in range(2):
        launcher[(8,)](aligned, other, **OPTIONS)
    assert len(gpus.through_triton) == 2
    launcher[(8,)](aligned, aligned, **OPTIONS)
    launcher[(8,)](other, aligned, **OPTIONS)
    assert len(gpus.through_triton) == 4 and not gpus.started
    launcher[(8,)](aligned, aligned, **OPTIONS)
    assert len(gpus.through_triton) == 4 and len(gpus.started) == 1


def test_sizes_that_are_multiples_have_a_kernel_of_their_own() -> None:
    gpus = Gpus(compiled=lambda *arguments: compiled(*arguments, function=arguments[1]))
    launcher = gpus.launcher(1, 1)
    x = Tensor(1024)
    for size in (64, 63, 1, 128, 0, 65):
        launcher[(size + 1,)](x, size, **OPTIONS)
    assert [arguments for _, arguments, _ in gpus.through_triton] == [(x, 64), (x, 63)]
    assert [(call[0], call[1], call[-2]) for call in gpus.started] == [
        (63, 2, (1024, 1, 0, 0)),
        (64, 129, (1024, 128, 0, 0)),
        (64, 1, (1024, 0, 0, 0)),
        (63, 66, (1024, 65, 0, 0)),
    ]


def test_each_device_has_a_kernel_and_a_stream_of_its_own() -> None:
    gpus = Gpus(compiled=compiled)
    launcher = gpus.launcher(1)
    for device in (0, 1, 0, 1):
        gpus.current = device
        launcher[(8,)](Tensor(1024, device), **OPTIONS)
    assert len(gpus.through_triton) == 2
    assert [(call[0], call[-1]) for call in gpus.started] == [(40, 700), (41, 701)]


def test_what_triton_launched_elsewhere_is_not_remembered() -> None:
    gpus = Gpus(compiled=compiled, current=1)
    launcher = gpus.launcher(1)
    for _ in range(2):
        launcher[(8,)](Tensor(1024, 0), **OPTIONS)
    assert len(gpus.through_triton) == 2 and not gpus.started


@pytest.mark.parametrize("grid", [(0,), (4, 0), (2**16, 2**16)])
def test_grids_that_are_empty_or_huge_are_for_triton(grid: tuple[int, ...]) -> None:
    gpus = Gpus(compiled=compiled)
    launcher = gpus.launcher(1)
    for _ in range(3):
        launcher[grid](Tensor(1024), **OPTIONS)
    assert len(gpus.through_triton) == 3 and not gpus.started


def test_few_grids_are_remembered() -> None:
    launcher = Gpus(compiled=compiled).launcher(1)
    for blocks in range(1, 4 * MOST_GRIDS):
        launcher[(blocks,)](Tensor(1024), **OPTIONS)
    assert 0 < len(launcher) <= MOST_GRIDS


def test_tensors_on_the_cpu_are_for_triton() -> None:
    gpus = Gpus()
    launcher = gpus.launcher(1)
    for _ in range(2):
        launcher[(8,)](Tensor(1024, -1), **OPTIONS)
    assert len(gpus.through_triton) == 2 and not gpus.started


@pytest.mark.parametrize(
    "changed",
    [
        {"num_ctas": 2},
        {"launch_cooperative_grid": True},
        {"global_scratch_align": 1024},
        {"profile_scratch_size": 64},
        {"constants": {(1,): 1}},
        {"signature": {"a0": "tensordesc<fp32[64]>"}},
        {"attrs": {(0,): [["tt.divisibility", 32]]}},
        {"attrs": {(1,): [["tt.divisibility", 16]]}},
        {"function": None},
        {"metadata_group": {"kernel.hsaco": "cache/kernel.hsaco"}},
    ],
    ids=str,
)
def test_unusual_kernels_are_for_triton(changed: dict[str, Any]) -> None:
    assert cubin_of(compiled(Tensor(1024)), frozenset({0})) is not None
    unloaded = changed == {"function": None}
    assert (cubin_of(compiled(Tensor(1024), **changed), frozenset({0})) is not None) == unloaded
    gpus = Gpus(compiled=lambda *arguments: compiled(*arguments, **changed))
    launcher = gpus.launcher(1)
    for _ in range(2):
        launcher[(8,)](Tensor(1024), **OPTIONS)
    assert len(gpus.through_triton) == 2 and not gpus.started


def test_kernels_that_make_descriptors_have_memory_for_each_program(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(launcher_module, "descriptor_memory", lambda size: asked.append(size) or Tensor(4096))
    gpus = Gpus(compiled=lambda *arguments: compiled(*arguments, global_scratch_size=256, global_scratch_align=128))
    launcher = gpus.launcher(1)
    for _ in range(2):
        launcher[(8, 3)](Tensor(1024), **OPTIONS)
    assert asked == [256 * 24] and gpus.started[0][-2] == (1024, 4096, 0)


@pytest.mark.parametrize("compiled", [None, SimpleNamespace(), SimpleNamespace(src=None, metadata=None)])
def test_a_triton_that_is_not_understood_launches_itself(compiled: Any) -> None:
    assert cubin_of(compiled, frozenset({0})) is None


def test_machine_code_that_is_given_is_launched_from_the_first_time_on() -> None:
    gpus = Gpus()
    launcher, x = gpus.launcher(2), Tensor(1024)
    code = Cubin(Path("kernel.cubin"), "kernel", 8, 256)
    launcher.take(code, 0)
    launcher[(5,)](x, x, **OPTIONS)
    assert gpus.loaded == [(code, 0)] and not gpus.through_triton
    assert gpus.started == [(90, 5, 1, 1, 8, 256, "OOOO", (1024, 1024, 0, 0), 700)]
    launcher[(5,)](x, Tensor(1032), **OPTIONS)
    launcher[(5,)](Tensor(1024, device=1), Tensor(1024, device=1), **OPTIONS)
    assert len(gpus.through_triton) == 2 and len(gpus.started) == 1, "of other alignment, or another device"


def test_what_triton_compiles_is_understood(tmp_path: Path) -> None:
    """For a GPU that need not be there, so that nothing has loaded it."""
    path = tmp_path / "scale.py"
    path.write_text(SOURCE)
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "N": "i64"}
    made = machine_code(Request(str(path), "scale", signature, aligned=("x_ptr", "out_ptr", "N")))
    found = cubin_of(made, frozenset({0, 1, 2}))
    assert found is not None and (found.name, found.warps, found.shared) == ("scale", 4, made.metadata.shared)
    assert found.path.read_bytes() == made.asm["cubin"]
    loaded = Loaded.of(found, 7, made, pointers=2, sizes=1)
    assert (loaded.function, loaded.warps, loaded.shared, loaded.types) == (7, 4, found.shared, "OOlOO")
    assert cubin_of(made, frozenset({0, 1})) is None, "it counts on a size that is a multiple of 16"


def test_arguments_have_their_type_and_device() -> None:
    """Kernels are bound to both; who calls without guards is told."""
    executable = compile_imported(import_callable(torch.relu, [torch.randn(8)]))
    with pytest.raises(ValueError, match=r"expected a tensor of torch.float32 on cpu, found torch.float64 on cpu"):
        executable(torch.randn(8, dtype=torch.float64))
    with pytest.raises(ValueError, match=r"expected a tensor of shape \(8,\), found \(9,\)"):
        executable(torch.randn(9))


@pytest.mark.gpu
def test_on_a_gpu_later_launches_go_past_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(1000, device="cuda")
    executable = compile_imported(import_callable(torch.relu, [x]))
    (launcher,) = (k for k in executable.host.__globals__.values() if isinstance(k, Launcher))
    torch.testing.assert_close(executable(x)[0], torch.relu(x), rtol=0, atol=0)
    asked: list[Any] = []
    kernel = launcher.kernel
    monkeypatch.setattr(launcher, "kernel", object())
    for y in (x, -x, torch.randn(1000, device="cuda")):
        torch.testing.assert_close(executable(y)[0], torch.relu(y), rtol=0, atol=0)

    class Noted:
        def __getitem__(self, grid: Any) -> Any:
            asked.append(grid)
            return kernel[grid]

    monkeypatch.setattr(launcher, "kernel", Noted())
    unaligned = torch.randn(1001, device="cuda")[1:]
    torch.testing.assert_close(executable(unaligned)[0], torch.relu(unaligned), rtol=0, atol=0)
    assert len(asked) == 1


@pytest.mark.gpu
def test_on_a_gpu_sizes_may_vary() -> None:
    named = import_callable(lambda x: torch.softmax(x, 1) + 1, [torch.randn(4, 8)], dynamic=[{0: "N", 1: "M"}])
    executable = compile_imported(named)
    for _ in range(2):
        for n in (1, 3, 16):
            for m in (64, 1000, 1, 4096, 63, 100_001):
                x = torch.randn(n, m, device="cuda")
                torch.testing.assert_close(executable(x)[0], torch.softmax(x, 1) + 1)
