"""Python callables, modules and exported programs to `mlc_tensor`."""

from __future__ import annotations

import inspect
import linecache
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.export import Dim, ExportedProgram, export
from torch.export.graph_signature import InputKind, OutputKind, TensorArgument
from torch.fx import GraphModule, Interpreter, Node
from torch.fx.traceback import preserve_node_meta, set_stack_trace
from torch.overrides import TorchFunctionMode

from lowering.fx_to_tensor.decompositions.leftovers import take_apart
from lowering.fx_to_tensor.decompositions.table import decompositions
from lowering.fx_to_tensor.graph import import_graph
from lowering.fx_to_tensor.imported import Imported
from lowering.fx_to_tensor.source_names import identifier, is_internal
from mlc_support.errors import MlcError

Dynamic = Sequence[Mapping[int, str] | None]
"""For each example input, the dimensions that are dynamic and their names: `[{0: "N"}]`."""

_LIFTED = (InputKind.PARAMETER, InputKind.BUFFER)


def import_callable(
    function: Callable[..., Any],
    example_inputs: Sequence[Any],
    *,
    name: str | None = None,
    dynamic: Dynamic | None = None,
) -> Imported:
    """A function, `nn.Module` or symbolically traced GraphModule on inputs like these.

    Parameters and buffers become `constants`, after the inputs. Sizes that share a name in
    `dynamic` are equal. Raises MlcError where `torch.export` cannot trace the function.
    """
    program = export_callable(function, example_inputs, dynamic)
    names = _parameter_names(function, len(example_inputs))
    return _import(program, name or _name_of(function), names, dynamic)


def export_callable(
    function: Callable[..., Any], example_inputs: Sequence[Any], dynamic: Dynamic | None = None
) -> ExportedProgram:
    """`torch.export` of a function or module on inputs like these. MlcError where it cannot be traced."""
    try:
        return export(_Traced(function), tuple(example_inputs), dynamic_shapes=_shapes(dynamic), strict=False)
    except MlcError:
        raise
    except Exception as error:
        raise MlcError(f"torch.export cannot trace {_name_of(function)}: {_first_line(error)}") from error


def import_exported(program: ExportedProgram, name: str = "main") -> Imported:
    """An exported program; its parameters, buffers and constants follow the user's inputs.

    Buffers and inputs that the program mutates are written by `aten.copy_` at its end.
    """
    return _import(program, name, None, None)


def _import(program: ExportedProgram, name: str, names: Sequence[str] | None, dynamic: Dynamic | None) -> Imported:
    table = decompositions()
    with warnings.catch_warnings():
        # PyTorch copies the program's tree specifications, whose class it has itself deprecated.
        warnings.filterwarnings("ignore", r"`isinstance\(treespec, LeafSpec\)` is deprecated", FutureWarning)
        program = program.run_decompositions(table)
    gm = program.graph_module
    take_apart(gm.graph, table)
    _inline_constants(program)
    user, lifted = _arrange_inputs(program)
    _write_mutations(program)
    inputs = [*(names or [n.name for n in user]), *(_target_name(program, n) for n in lifted)]
    sizes = _size_names(user, dynamic)
    imported = import_graph(gm, identifier(name), inputs, sizes)
    tensors = tuple(_lifted_tensor(program, n) for n in lifted)
    spec = program.call_spec.out_spec
    return replace(imported, constants=(*tensors, *imported.constants), spec=spec)


def _inline_constants(program: ExportedProgram) -> None:
    """Turns placeholders of constant tensors back into attributes, which may be small constants."""
    gm = program.graph_module
    by_name = {n.name: n for n in gm.graph.nodes}
    for spec in program.graph_signature.input_specs:
        if spec.kind != InputKind.CONSTANT_TENSOR:
            continue
        node = by_name[spec.arg.name]
        setattr(gm, node.name, _lifted_tensor(program, node))
        with gm.graph.inserting_before(node):
            attribute = gm.graph.create_node("get_attr", node.name)
        attribute.meta = dict(node.meta)
        node.replace_all_uses_with(attribute)
        gm.graph.erase_node(node)


def _arrange_inputs(program: ExportedProgram) -> tuple[list[Node], list[Node]]:
    """Moves the placeholders of the user's inputs before those of lifted tensors."""
    graph = program.graph_module.graph
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    kinds = {spec.arg.name: spec.kind for spec in program.graph_signature.input_specs}
    user = [n for n in placeholders if kinds[n.name] == InputKind.USER_INPUT]
    lifted = [n for n in placeholders if kinds[n.name] in _LIFTED]
    if len(user) + len(lifted) != len(placeholders):
        raise MlcError("programs that take tokens or script objects cannot be compiled")
    root = graph._root  # pyright: ignore[reportPrivateUsage]
    for node in reversed((*user, *lifted)):
        root.append(node)
    return user, lifted


def _write_mutations(program: ExportedProgram) -> None:
    """Turns outputs that are new values of buffers or inputs into `aten.copy_` at the end."""
    graph = program.graph_module.graph
    output = next(iter(reversed(graph.nodes)))
    by_name = {n.name: n for n in graph.nodes}
    signature = program.graph_signature
    buffers = {s.target: s.arg.name for s in signature.input_specs if s.target is not None}
    kept: list[Any] = []
    for value, spec in zip(output.args[0], signature.output_specs, strict=True):
        if spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION):
            assert spec.target is not None and isinstance(spec.arg, TensorArgument)
            place = by_name[buffers.get(spec.target, spec.target)]
            with graph.inserting_before(output):
                copy = graph.call_function(torch.ops.aten.copy_.default, (place, value))
                copy.meta["val"] = place.meta["val"]
        else:
            kept.append(value)
    output.args = (tuple(kept),)


def _target_name(program: ExportedProgram, node: Node) -> str:
    target = next(s.target for s in program.graph_signature.input_specs if s.arg.name == node.name)
    return identifier((target or node.name).removeprefix("module."))


def _lifted_tensor(program: ExportedProgram, node: Node) -> torch.Tensor:
    target = next(s.target for s in program.graph_signature.input_specs if s.arg.name == node.name)
    assert target is not None
    state: Mapping[str, Any] = {**program.constants, **program.state_dict}
    return state[target]


def _size_names(user: Sequence[Node], dynamic: Dynamic | None) -> dict[str, str]:
    """Symbol to the user's name of it."""
    names: dict[str, str] = {}
    for node, dims in zip(user, dynamic or [], strict=False):
        for dim, name in (dims or {}).items():
            size = node.meta["val"].shape[dim]
            if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                names[str(size.node.expr)] = name
    return names


def _shapes(dynamic: Dynamic | None) -> Any:
    """The `dynamic_shapes` argument of export, for a module that takes `*args`.

    Not one `Dim` a name: export would refuse a function that needs, say, three rows.
    """
    if dynamic is None:
        return None
    return (tuple(dict.fromkeys(dims or (), Dim.DYNAMIC) or None for dims in dynamic),)


def _parameter_names(function: Callable[..., Any], count: int) -> list[str] | None:
    """The names of the first `count` positional parameters; None where inputs are nested."""
    called = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        parameters = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        return None
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names[:count] if len(names) >= count else None


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


class _Traced(torch.nn.Module):
    """What export gets: a function or module whose nodes keep the user's lines.

    Export itself records only frames of `forward`. A GraphModule is run node by node, so
    that the traces its nodes have survive.
    """

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.module = function

    def forward(self, *args: Any) -> Any:
        if isinstance(self.module, GraphModule):
            with preserve_node_meta():
                return Interpreter(self.module).run(*args)
        with preserve_node_meta(), _Lines():
            return self.module(*args)


class _Lines(TorchFunctionMode):
    """Notes the user's line before each torch function, for the nodes it adds."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        frame = sys._getframe(1)
        while frame is not None and is_internal(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None:
            file, line = frame.f_code.co_filename, frame.f_lineno
            text = linecache.getline(file, line).strip()
            set_stack_trace([f'  File "{file}", line {line}, in {frame.f_code.co_name}\n    {text}\n'])
        return func(*args, **(kwargs or {}))
