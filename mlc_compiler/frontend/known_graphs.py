"""Known graphs: what Dynamo gives is compiled already, so that AOTAutograd need not trace it again.

AOTAutograd takes most of the time until a first result where the program of a graph is on disk. So a graph of
inference is also kept by what Dynamo gives: its ops with their arguments and lines, how its inputs lie in memory, and
the state of PyTorch that tracing reads. Dynamo calls its program itself, which takes less time a call. Left to
AOTAutograd are graphs for which it does more than trace: those that write their inputs, give views of them, or change a
global state; gradients, subclasses of tensors, sizes that vary, and ops whose meaning another process need not share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._functorch import config as functorch_config
from torch._guards import TracingContext
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule, Node
from torch.overrides import _get_current_function_mode_stack  # pyright: ignore[reportPrivateUsage]
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack  # pyright: ignore[reportPrivateUsage]

from lowering.fx_to_tensor.source_names import input_name
from mlc_compiler.execution.executable import Executable, load_program
from mlc_compiler.execution.target import target_for
from mlc_compiler.frontend.cuda_graphs import INFERENCE, CudaGraphs, Runner, static_inputs
from mlc_compiler.kernels.programs import compiler_text, is_kept, read_data, read_program, write_data
from mlc_compiler.logs import log_of, show_output
from mlc_compiler.options import CompilerOptions
from mlc_compiler.stopwatch import Stopwatch
from mlc_runtime.outputs import ResultOutput

log = log_of("cache")
FUNCTIONS = ("torch.functional", "torch.nn.functional")
"""Modules whose functions are traced into; all of them belong to PyTorch's version."""
COMPILED = ("torch", "torch._C", "_operator", "math")
"""Modules, and those inside of them, whose functions are no Python."""
OPERATORS = ("aten", "prims")
_STATIC = "_dynamo_static_input_type"
"""What Dynamo calls whether the address of an input stays: CUDA graphs read it there."""
FLAGS = ("flash", "mem_efficient", "math", "cudnn")
PLAIN_OUTPUTS = ("non_alias", "unsafe_view_alias", "custom_function_view")
"""What AOTAutograd calls outputs that it hands on as they are."""


class _Unknown(Exception):
    """Why a graph is left to AOTAutograd."""


@dataclass
class KnownGraph:
    """A graph of Dynamo that may be kept."""

    graph: GraphModule
    key: str
    device: torch.device
    """Of its first tensor that is not on the CPU."""
    options: CompilerOptions
    program: Callable[..., Any] | None = None
    """As Dynamo calls it, once it is kept; None while AOTAutograd may have something to do around it."""

    @staticmethod
    def of(gm: GraphModule, options: CompilerOptions) -> KnownGraph | None:
        """The graph by its key; None for one that is left to AOTAutograd."""
        if not is_kept(options):
            return None
        try:
            lines = [_line(node) for node in gm.graph.nodes]
            device = _device([n.meta["example_value"].device for n in gm.graph.find_nodes(op="placeholder")])
            level = target_for(device, options).level
            text = "\n".join((compiler_text(options, device, level), _state(), *lines))
        except _Unknown as why:
            log.info("the graph is traced by AOTAutograd: %s", why)
            return None
        return KnownGraph(gm, hashlib.sha256(text.encode()).hexdigest(), device, options)

    @property
    def inputs(self) -> int:
        """How many there are."""
        return len(self.graph.graph.find_nodes(op="placeholder"))

    def load(self, watch: Stopwatch) -> Callable[..., Any] | None:
        """The program of the graph as Dynamo calls it; None where no process has kept one."""
        with watch.during("cache"):
            data = read_data(self.key, _entry)
            generated = None if data is None else read_program(data.program)
        if data is None or generated is None:
            return None
        log.info("%s: the program of an equal graph of Dynamo is used", INFERENCE)
        recorded = self.options.cuda_graphs
        found = load_program(generated, INFERENCE, self.options, self.device, data.outputs, recorded, watch)
        show_output(INFERENCE, found.path, found.source)
        if not recorded:
            return _as_called(found.run)
        graphs = CudaGraphs(self.device.index)
        return _as_called(graphs.replayed(self.graph, INFERENCE, found.run, range(self.inputs), (), data.static))

    def keep(self, executable: Executable, name: str, recorded: bool) -> None:
        """Keeps what a program was compiled from, where AOTAutograd has only traced it."""
        imported = executable.imported
        outputs = [o.index for o in imported.outputs if isinstance(o, ResultOutput)]
        whole = len(outputs) == len(imported.outputs) and not (imported.objects or imported.constants)
        same = imported.device == self.device and recorded == self.options.cuda_graphs
        if name == INFERENCE and executable.key is not None and whole and same and _is_only_traced(self.inputs):
            static = [*static_inputs()] if recorded else []
            write_data(self.key, {"program": executable.key, "outputs": outputs, "static": static})
            self.program = None if recorded else _as_called(executable.run)


@dataclass(frozen=True)
class _Entry:
    """What is kept of a graph."""

    program: str
    outputs: tuple[ResultOutput, ...]
    static: tuple[int, ...]
    """The inputs whose addresses stay, of a program that is recorded."""


def _entry(data: Any) -> _Entry:
    outputs = tuple(ResultOutput(int(k)) for k in data["outputs"])
    return _Entry(str(data["program"]), outputs, tuple(int(k) for k in data["static"]))


def _as_called(program: Runner) -> Callable[..., Any]:
    """A program as Dynamo calls it, which does not look into it."""

    def call(*arguments: Any) -> Sequence[Any]:
        return program([*arguments])

    return torch.compiler.disable(call, reason="compiled by mlc")  # pyright: ignore


def _is_only_traced(inputs: int) -> bool:
    """True if nothing is to be done around the graph that is being compiled."""
    context = TracingContext.try_get()
    known: Any = None if context is None else context.fw_metadata
    if known is None or len(known.input_info) != inputs:
        return False
    parts = (*known.subclass_inp_meta, *known.subclass_fw_graph_out_meta)
    return (
        all(type(part).__name__ == "PlainTensorMeta" for part in parts)
        and all(output.output_type.name in PLAIN_OUTPUTS for output in known.output_info)
        and not any(i.mutates_data or i.mutates_metadata or i.mutates_storage_metadata for i in known.input_info)
        and known.grad_enabled_mutation is None
        and not (known.tokens or known.num_intermediate_bases or known.is_rng_op_functionalized)
    )


def _device(devices: Sequence[torch.device]) -> torch.device:
    """Where the kernels of a graph with inputs on `devices` run."""
    return next((d for d in devices if d.type not in ("cpu", "meta")), torch.device("cpu"))


def _line(node: Node) -> str:
    """What a node computes of what, and where the user wrote it."""
    if node.meta.get("custom") or _varies(node.meta.get("example_value")):
        raise _Unknown(f"{node.name} is annotated, or its size varies")
    match node.op:
        case "placeholder":
            what = f"{input_name(node)} {_form(node)} {node.meta.get('tensor_dict', {}).get(_STATIC)}"
        case "call_function":
            what = _function(node.target)
        case "call_method":
            _form(node.args[0])
            what = str(node.target)
        case "output":
            what = "output"
        case _:
            raise _Unknown(f"{node.name} is an attribute of the module")
    return f"{node.name} = {node.op} {what} {_text(node.args)} {_text(node.kwargs)}  {node.meta.get('stack_trace')!r}"


def _form(node: Any) -> str:
    """The type of a tensor, and how it lies in memory."""
    value = node.meta.get("example_value") if isinstance(node, Node) else None
    if type(value) is not FakeTensor or value.layout is not torch.strided or value.is_conj() or value.is_neg():
        raise _Unknown(f"{node} is no plain tensor")
    sizes = [*value.shape, *value.stride(), value.storage_offset()]
    if not all(type(size) is int for size in sizes):
        raise _Unknown(f"sizes of {node} vary")
    return f"{value.dtype} {sizes} {value.device} {value.requires_grad}"


def _varies(value: Any) -> bool:
    """True for a number that only a call tells, and a tensor with such sizes."""
    return isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool) or (
        isinstance(value, FakeTensor) and bool(value._has_symbolic_sizes_strides)
    )


def _function(target: Any) -> str:
    """The name of a function that means the same in every process with this PyTorch."""
    module, name = str(getattr(target, "__module__", None)), getattr(target, "__qualname__", "")
    if isinstance(target, OpOverload) and target.namespace in OPERATORS:
        return str(target)
    compiled = type(target) is type(len) and any(f"{module}.".startswith(f"{known}.") for known in COMPILED)
    if compiled or (module in FUNCTIONS and not name.startswith("_")):
        return f"{module}.{name}"
    raise _Unknown(f"{module}.{name or target}")


def _text(value: Any) -> str:
    """An argument; numbers to the last bit."""
    match value:
        case Node():
            return value.name
        case tuple() | list():
            return f"{type(value).__name__}({', '.join(map(_text, value))})"
        case dict():
            return f"dict({', '.join(_pairs(value))})"
        case slice():
            return f"slice({_text(value.start)}, {_text(value.stop)}, {_text(value.step)})"
        case None | bool() | int() | float() | complex() | str():
            return repr(value)
        case torch.dtype() | torch.device() | torch.layout() | torch.memory_format():
            return repr(value)
        case _ if value is ...:
            return "..."
        case _:
            raise _Unknown(f"an argument is a {type(value).__name__}")


def _pairs(value: Mapping[Any, Any]) -> Iterator[str]:
    return (f"{_text(key)}: {_text(entry)}" for key, entry in value.items())


def _state() -> str:
    """What tracing and decompositions read of PyTorch's state."""
    if torch._C._is_any_autocast_enabled():  # pyright: ignore
        raise _Unknown("autocast is on")
    if _get_current_function_mode_stack() or _get_current_dispatch_mode_stack():
        raise _Unknown("a mode is on")
    context = TracingContext.try_get()
    if context is None or context.fakify_first_call:
        raise _Unknown("it is not from Dynamo, or a part of a graph of Dynamo")
    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    state = (
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.get_default_dtype(),
        torch.are_deterministic_algorithms_enabled(),
        [part.fp32_precision for part in (cuda.matmul, cudnn.conv, torch.backends.mkldnn.matmul)],  # pyright: ignore
        [getattr(cuda, f"{flag}_sdp_enabled")() for flag in FLAGS],
        (cudnn.enabled, torch.backends.mkldnn.enabled),  # pyright: ignore
        sorted(functorch_config.save_config_portable().items()),  # pyright: ignore
    )
    return repr(state)
