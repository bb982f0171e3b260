"""Host programs as programs of a graph: with its constants, its outputs, and a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import torch

from mlc_runtime.host import index_of
from mlc_runtime.manifest import HostEntry
from mlc_runtime.outputs import ConstantOutput, OutputSpec, ResultOutput, SizeOutput

Program = Callable[[list[Any]], Sequence[Any]]
"""It takes the list of its arguments, which it empties, and gives its results."""
Place = Callable[[list[Any]], int]
"""The index of the GPU that a program with these arguments runs on; negative for the CPU."""
CPU = -1


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
