"""Launches of compiled kernels by one call of C: what Triton works out at each launch is worked out once here.

    launcher = Launcher(kernel, pointers=2, sizes=1, options={"num_warps": 4})
    launcher[(64,)](x, out, n, num_warps=4)

The second line is what host programs say, and means the same with the `@triton.jit` function itself. Launches with
pointers aligned to 16 bytes give machine code, which was compiled beforehand (`Pending`), to PyTorch's static launcher.
Where there is none yet, as of kernels with sizes, the first launch on a device goes through Triton, which compiles for
arguments like these: sizes that are multiples of 16 or not. Launches of unaligned pointers, and all on the CPU, go
through Triton each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from mlc_runtime.cubins import Cubin, LoadedFunction
from mlc_runtime.dependent_launch import launch_dependent
from mlc_runtime.descriptors import ALIGNMENT, MEMORY_ALIGNMENT, descriptor_memory

Grid = tuple[int, ...]
Key = int | tuple[int, ...]
"""Of launches that share a kernel: the device, and for each size 0 if it is a multiple of 16, else 1."""
MOST_GRIDS = 256
"""Grids whose launches are remembered; sizes that are named make ever new ones."""


@dataclass(frozen=True)
class Driver:
    """The calls of C that launches are made of."""

    start: Callable[..., None]
    """(function, x, y, z, warps, shared bytes, types, arguments, stream): see `torch._C._StaticCudaLauncher`."""
    start_dependent: Callable[..., None]
    """The same for kernels that wait for the launches before: see `mlc_runtime.dependent_launch`."""
    stream: Callable[[int], int]
    """The current stream of a device."""
    device: Callable[[], int]
    """The current device."""
    load: Callable[[Cubin, int], LoadedFunction]
    """Machine code on a device. RuntimeError where that fails."""

    @staticmethod
    def found() -> Driver | None:
        """PyTorch's; None where it has none."""
        launcher = getattr(torch._C, "_StaticCudaLauncher", None)
        start = getattr(launcher, "_launch_kernel", None)
        if start is None or torch.version.hip is not None:
            return None
        stream, device = torch._C._cuda_getCurrentRawStream, torch._C._cuda_getDevice
        return Driver(start, launch_dependent, stream, device, lambda cubin, device: cubin.load(launcher, device))


@dataclass(frozen=True)
class Loaded:
    """A compiled kernel on a device."""

    owner: Any
    """What unloads the kernel when it goes: Triton's object, or ours."""
    function: int
    """The driver's handle."""
    warps: int
    shared: int
    """Bytes of shared memory of a block."""
    types: str
    """One letter an argument: O for a pointer, l for an int64; two pointers to scratch memory come last."""
    scratch: int = 0
    """Bytes of memory for each program, in which it makes tensor descriptors."""

    @staticmethod
    def of(cubin: Cubin, function: int, owner: Any, pointers: int, sizes: int = 0) -> Loaded:
        """Machine code on a device, which takes so many pointers and sizes."""
        types = "O" * pointers + "l" * sizes + "OO"
        return Loaded(owner, function, cubin.warps, cubin.shared, types, cubin.scratch)


def cubin_of(compiled: Any, multiples: frozenset[int] | None = None) -> Cubin | None:
    """What Triton has compiled, of pointers and int64; None if the static launcher cannot launch it.

    Nor if it counts on another argument than those at the positions `multiples` being a multiple of 16.
    """
    try:
        source, metadata = compiled.src, compiled.metadata
        known = all(kind.startswith("*") or kind == "i64" for kind in source.signature.values())
        alone = (metadata.num_ctas, metadata.launch_cooperative_grid) == (1, False)
        plain = metadata.profile_scratch_size == 0 and metadata.global_scratch_align <= MEMORY_ALIGNMENT
        facts = [(place[0], fact) for place, told in source.attrs.items() for fact in told]
        counted = all(fact == ["tt.divisibility", ALIGNMENT] for _, fact in facts)
        counted &= multiples is None or all(place in multiples for place, _ in facts)
        files = [Path(path) for name, path in compiled.metadata_group.items() if name.endswith(".cubin")]
        scratch = metadata.global_scratch_size
    except (AttributeError, KeyError, TypeError, IndexError):  # another version of Triton
        return None
    if not (known and alone and plain and counted and files) or source.constants:
        return None
    return Cubin(files[0], metadata.name, metadata.num_warps, metadata.shared, scratch)


class Launcher(dict[Grid, Callable[..., None]]):
    """A kernel as host programs launch it; `launcher[grid]` is found in a dictionary."""

    def __init__(
        self,
        kernel: Any,
        pointers: int,
        sizes: int,
        options: Mapping[str, Any],
        driver: Driver | None = None,
    ) -> None:
        """`kernel` is launched through Triton; it takes `pointers` tensors, then `sizes` integers (int64).

        `options` are those of every launch, such as the number of warps. `driver` is PyTorch's unless it is given.
        """
        super().__init__()
        self.kernel = kernel
        self._options = dict(options)
        self._pointers, self._sizes = pointers, sizes
        self._driver = Driver.found() if driver is None else driver
        self._loaded: dict[Key, Loaded | None] = {}
        self._make = _launch_maker(pointers, sizes, tuple(options))

    def __missing__(self, grid: Grid) -> Callable[..., None]:
        if self._driver is None or not 0 < math.prod(grid) < 2**31:
            return self.kernel[grid]
        if len(self) >= MOST_GRIDS:
            self.clear()
        through_triton = partial(self._through_triton, self._driver, grid)
        start, stream = self._driver.start, self._driver.stream
        if self._options.get("launch_pdl"):
            start = self._driver.start_dependent
        calls = self._loaded.get, through_triton, start, stream, descriptor_memory
        launch = self[grid] = self._make(*calls, *(*grid, 1, 1)[:3])
        return launch

    def take(self, cubin: Cubin, device: int) -> None:
        """Launches with aligned pointers on a device run this machine code, and none goes through Triton.

        It is that of a kernel without sizes. RuntimeError where it cannot be loaded.
        """
        if self._driver is not None:
            function = self._driver.load(cubin, device)
            self._loaded[device] = Loaded.of(cubin, function.handle, function, self._pointers)

    def _through_triton(self, driver: Driver, grid: Grid, key: Key, aligned: bool, *arguments: Any) -> None:
        """A launch as Triton does it; if its pointers are aligned its kernel is for the launches to come."""
        compiled = self.kernel[grid](*arguments, **self._options)
        device, *rests = key if isinstance(key, tuple) else (key,)
        if aligned and key not in self._loaded and device >= 0 and device == driver.device():
            sizes = (self._pointers + k for k, rest in enumerate(rests) if rest == 0)
            cubin = cubin_of(compiled, frozenset((*range(self._pointers), *sizes)))
            function = getattr(compiled, "function", None)
            if cubin is None or not isinstance(function, int):
                self._loaded[key] = None
            else:
                self._loaded[key] = Loaded.of(cubin, function, compiled, self._pointers, self._sizes)


def _launch_maker(pointers: int, sizes: int, options: tuple[str, ...]) -> Callable[..., Callable[..., None]]:
    """Makes the launches of one grid for kernels of so many arguments: Python for that number, without a loop."""
    tensors, numbers = [f"t{k}" for k in range(pointers)], [f"n{k}" for k in range(sizes)]
    addresses = [f"p{k}" for k in range(pointers)]
    given = ", ".join((*tensors, *numbers))
    given_values = ", ".join((*addresses, *numbers))
    key = ", ".join(("device", *(f"{n} & {ALIGNMENT - 1} and 1" for n in numbers)))
    low = f"({' | '.join(addresses)}) & {ALIGNMENT - 1}"
    text = f"""
def make(loaded, through_triton, start, stream, descriptor_memory, x, y, z):
    def launch({", ".join((*tensors, *numbers, *(["*"] if options else []), *options))}):
        {"; ".join(f"{p} = {t}.data_ptr()" for p, t in zip(addresses, tensors, strict=True))}
        device = t0.get_device()
        key = {key}
        kernel = loaded(key)
        if kernel is None or {low}:
            through_triton(key, {low} == 0, {given})
            return
        memory = descriptor_memory(kernel.scratch * x * y * z) if kernel.scratch else None
        start(kernel.function, x, y, z, kernel.warps, kernel.shared, kernel.types,
              ({given_values}, 0 if memory is None else memory.data_ptr(), 0), stream(device))
    return launch
"""
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["make"]
