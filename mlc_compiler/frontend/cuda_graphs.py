"""CUDA graphs: what a program launches is recorded and replayed, by PyTorch's CUDA graph trees.

Their rules hold (torch.compiler_cudagraph_trees in PyTorch's documents): each set of sizes is recorded once, in its
second call; parameters keep their addresses, and other inputs are copied to where the recording reads them; a program
that writes an input is replayed if that is a parameter, or the result of another recording; a result lives until the
next step; random numbers go on from the state of the generator.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from importlib import import_module
from typing import Any

import torch
from torch._dynamo.backends.cudagraphs import find_input_mutations, get_stack_traces
from torch._guards import CompileContext, TracingContext
from torch._inductor.cudagraph_utils import get_placeholder_info, log_cudagraph_skip_and_bump_counter
from torch._inductor.utils import count_tangents, get_first_incompatible_cudagraph_node
from torch.fx import GraphModule, Node

Runner = Callable[[list[Any]], Sequence[Any]]
"""It takes the list of the inputs of a graph, which it may empty, and gives the flat outputs."""
BACKWARD, INFERENCE = "backward", "inference"


class CudaGraphs:
    """Of one compiled function: its forward and its backward pass are recorded together, or neither is."""

    def __init__(self, device: int | None = None) -> None:
        self._device = device
        """The GPU of a forward pass that is recorded."""

    def takes(self, graph: GraphModule, kind: str) -> bool:
        """True if `graph`, the "forward", "backward" or "inference" of the function, can be recorded.

        Else PyTorch's log of CUDA graphs says why, once for a function.
        """
        if kind == BACKWARD and self._device is None:
            return False
        why = _refusal(graph)
        if why is not None:
            log_cudagraph_skip_and_bump_counter(f"skipping cudagraphs due to {why}")
        elif kind != BACKWARD:
            self._device = next(device.index for _, device in _devices(graph))
        return why is None

    def recorded(
        self, graph: GraphModule, kind: str, run: Runner, positions: Sequence[int], constants: Sequence[Any]
    ) -> Runner:
        """`run` as a replay of its own launches.

        It takes the inputs of `graph` at `positions`, and reads `constants`, whose addresses stay.
        """
        static, written = {*_static_inputs(graph, kind)}, find_input_mutations(graph.graph)
        return self.replayed(graph, kind, run, positions, constants, static, written)

    def replayed(
        self,
        graph: GraphModule,
        kind: str,
        run: Runner,
        positions: Sequence[int],
        constants: Sequence[Any],
        static: Collection[int],
        written: Collection[int] = (),
    ) -> Runner:
        """`recorded`, of a graph whose inputs at `static` keep their addresses, and that writes those at `written`."""
        placeholders, compiled = get_placeholder_info(graph.graph), CompileContext.current_compile_id()
        options = {
            "device_index": self._device,
            "stack_traces": get_stack_traces(graph),
            "is_backward": kind == BACKWARD,
            "is_inference": kind == INFERENCE,
            "constants": tuple(constants),
            "placeholders": [placeholders[p] for p in positions],
            "mutated_input_idxs": tuple(k for k, p in enumerate(positions) if p in written),
            "compile_id": compiled,
        }
        fixed = [k for k, p in enumerate(positions) if p in static]
        of_thread = threading.local()  # as the trees are

        def replay(inputs: list[Any]) -> Sequence[Any]:
            made = getattr(of_thread, "made", None)
            if made is None:
                made = of_thread.made = _trees().cudagraphify_impl(run, inputs, fixed, **options)
            return made(inputs)

        return replay

    def beside(self, kind: str, run: Runner) -> Runner:
        """`run`, which is not recorded, of a function whose other pass may be: the trees must know of a backward."""
        device = self._device
        if kind != BACKWARD or device is None:
            return run

        def announced(inputs: list[Any]) -> Sequence[Any]:
            manager = _trees().get_manager(device, create_if_none_exists=False)
            if manager is not None:
                manager.set_to_running_backward()
            return run(inputs)

        return announced


_TREES = "torch._inductor.cudagraph_trees"


def _trees() -> Any:
    """PyTorch's module, which takes half a second to load."""
    return import_module(_TREES)


def reset() -> None:
    """Lets go of all recordings and their memory, as `torch.compiler.reset()` asks of backends."""
    if _TREES in sys.modules:
        _trees().reset_cudagraph_trees()


def _refusal(graph: GraphModule) -> str | None:
    """Why the launches of `graph` cannot be recorded; None if they can."""
    devices = [*_devices(graph)]
    first = next((device for _, device in devices if device.type == "cuda"), None)
    if first is None:
        return "no tensor on a GPU"
    other = next(((node, device) for node, device in devices if device != first), None)
    if other is not None:
        return f"{other[0].name} on {other[1]} beside tensors on {first}{_line(other[0])}"
    unsafe = get_first_incompatible_cudagraph_node(graph)
    return None if unsafe is None else f"incompatible op {unsafe.name}{_line(unsafe)}"


def _devices(graph: GraphModule) -> Iterator[tuple[Node, torch.device]]:
    """The nodes of tensors, and the devices of those."""
    for node in graph.graph.nodes:
        values = node.meta.get("val")
        for value in values if isinstance(values, tuple | list) else (values,):
            if isinstance(value, torch.Tensor) and value.device.type != "meta":
                yield node, value.device


def _line(node: Node) -> str:
    """Where in the user's program `node`, or what reads it, comes from."""
    traces = (n.meta.get("stack_trace") for n in (node, *node.users))
    trace = next((t for t in traces if t), None)
    return "" if trace is None else f". Found from:\n{trace}"


def _static_inputs(graph: GraphModule, kind: str) -> Sequence[int]:
    """The inputs whose addresses stay: parameters and buffers, and what a forward keeps for its backward."""
    return range(count_tangents(graph)) if kind == BACKWARD else static_inputs()


def static_inputs() -> Sequence[int]:
    """The inputs of the graph that is being compiled, forward or inference, whose addresses stay."""
    context = TracingContext.try_get()
    known = None if context is None else context.fw_metadata
    return [] if known is None else known.static_input_indices
