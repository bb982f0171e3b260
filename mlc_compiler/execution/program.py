"""Host programs as they are called: with a list that they empty, on the device of their tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from operator import itemgetter
from typing import Any, NamedTuple

import torch
from torch.profiler import record_function
from triton import knobs

from lowering.fx_to_tensor.imported import ConstantOutput, OutputSpec, ResultOutput, SizeOutput
from mlc_compiler.kernels.manifest import HostEntry, KernelEntry
from mlc_compiler.runtime import current_device, index_of

Program = Callable[[list[Any]], Sequence[Any]]
"""It takes the list of its arguments, which it empties, and gives its results."""
Place = Callable[[list[Any]], int]
"""The index of the GPU that a program with these arguments runs on; negative for the CPU."""
CPU = -1


class Kinds(NamedTuple):
    """One host program with each kind of launches."""

    direct: Program
    through_triton: Program
    """Its launches call the hooks of Triton."""
    named: Program
    """Its launches are called by the user's lines in a profile of PyTorch."""


def placed(kinds: Kinds, place: Place, compile_kernels: Callable[[], None]) -> Program:
    """A program whose current device is that of its tensors, and which records no gradients.

    Launches are direct where nobody listens to them. Before the first call on a device `compile_kernels` runs there.
    """
    ready, direct = {CPU}, kinds.direct

    def run(arguments: list[Any]) -> Sequence[Any]:
        device = place(arguments)
        if device in ready and (device < 0 or (device == current_device() and not hooked())) and not profiled():
            if not torch.is_grad_enabled():
                return direct(arguments)
            with torch.no_grad():
                return direct(arguments)
        with torch.no_grad(), _on(device):
            if device not in ready:
                compile_kernels()
                ready.add(device)
            if device >= 0 and hooked():
                return kinds.through_triton(arguments)
            return kinds.named(arguments) if profiled() else direct(arguments)

    return run


def hooked() -> bool:
    """True while somebody listens to Triton's launches, as its profiler does."""
    runtime = knobs.runtime
    enter, leave = runtime.launch_enter_hook, runtime.launch_exit_hook
    return bool(getattr(enter, "calls", enter) or getattr(leave, "calls", leave))


profiled: Callable[[], bool] = torch.autograd._profiler_enabled  # pyright: ignore[reportPrivateImportUsage]
"""True while PyTorch's profiler records."""


class Named:
    """A kernel whose launches are called `name` in a profile."""

    def __init__(self, kernel: Any, name: str):
        self._kernel, self._name = kernel, name

    @staticmethod
    def of(kernels: Mapping[str, Any], entries: Iterable[KernelEntry]) -> dict[str, Named]:
        """Kernels by the names of their functions, each called by its lines and that name."""
        return {entry.name: Named(kernels[entry.name], shown_name(entry)) for entry in entries}

    def __getitem__(self, grid: tuple[int, ...]) -> Named:
        return Named(self._kernel[grid], self._name)

    def __call__(self, *arguments: Any, **options: Any) -> None:
        with record_function(self._name):
            self._kernel(*arguments, **options)


def shown_name(kernel: KernelEntry) -> str:
    """The first of its lines, how many there are more, and its own name."""
    more = f" and {len(kernel.lines) - 1} more" if len(kernel.lines) > 1 else ""
    return f"{kernel.lines[0]}{more} [{kernel.name}]" if kernel.lines else kernel.name


def _on(device: int) -> AbstractContextManager[Any]:
    return torch.cuda.device(device) if device >= 0 else nullcontext()


def place_of(host: HostEntry, constants: Sequence[torch.Tensor]) -> Place:
    """Where a host program runs whose last arguments are `constants`: as its text has it."""
    if host.device is not None:
        return _fixed(torch.device(host.device))
    if not host.tensors:
        return _fixed(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    first, inputs = host.tensors[0], host.arguments - len(constants)
    if first >= inputs:
        return _fixed(constants[first - inputs].device)
    return lambda given: given[first].get_device()


def _fixed(device: torch.device) -> Place:
    return (lambda _: index_of(device)) if device.type == "cuda" else lambda _: CPU


def graph_program(
    host: Program,
    constants: Sequence[torch.Tensor],
    outputs: Sequence[OutputSpec],
    bind: Callable[[Sequence[Any]], Mapping[str, int]],
) -> Program:
    """`host` as a program of the inputs of a graph, whose constants come last, that gives the graph's outputs.

    `bind` tells the named sizes of the inputs.
    """
    others = [o for o in outputs if not isinstance(o, ResultOutput)]
    behind = iter(range(-len(others), 0))
    places = [o.index if isinstance(o, ResultOutput) else next(behind) for o in outputs]
    pick = itemgetter(*places) if len(places) > 1 else lambda values: [values[p] for p in places]
    sized = any(isinstance(o, SizeOutput) for o in others)

    def with_constants(inputs: list[Any]) -> Sequence[Any]:
        inputs += constants
        return host(inputs)

    program = with_constants if constants else host

    def with_outputs(inputs: list[Any]) -> Sequence[Any]:
        sizes = bind(inputs) if sized else {}
        results = program(inputs)
        return pick((*results, *(_value(o, sizes) for o in others)))

    return program if places == [*range(len(places))] else with_outputs


def _value(output: SizeOutput | ConstantOutput, sizes: Mapping[str, int]) -> Any:
    return output.expression.evaluate(sizes) if isinstance(output, SizeOutput) else output.value
