"""Frozen parameters: which inputs of a graph they are, and that nobody changes them afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.fx import GraphModule, Node
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, UnitAttr
from xdsl.ir import SSAValue

from lowering.fx_to_tensor.imported import Imported
from mlc_dialects.common.annotations import FROZEN, argument_entries
from mlc_dialects.tensor.calls import ExternOp, is_impure
from mlc_support.errors import MlcError


@dataclass(frozen=True)
class Parameters:
    """The parameters and buffers of Dynamo's graph: by the position of their input, and by their name in the module."""

    by_position: Mapping[int, torch.Tensor] = field(default_factory=dict[int, torch.Tensor])
    by_name: Mapping[str, torch.Tensor] = field(default_factory=dict[str, torch.Tensor])

    def among(self, placeholders: Sequence[Node], graph: str) -> dict[int, torch.Tensor]:
        """Those that inputs of AOTAutograd's graph are. MlcError for a graph that gradients need."""
        if (self.by_position or self.by_name) and graph != "inference":
            raise MlcError(
                "freeze: gradients are wanted, and frozen parameters have none",
                hint="call the compiled model under torch.no_grad(), or compile it without freeze",
            )
        found = {i: self._tensor(node) for i, node in enumerate(placeholders)}
        return {i: tensor for i, tensor in found.items() if tensor is not None}

    def _tensor(self, node: Node) -> torch.Tensor | None:
        description: Any = node.meta.get("desc")
        kind = type(description).__name__
        if kind == "PlainAOTInput":
            return self.by_position.get(description.idx)
        return self.by_name.get(description.target) if kind in ("ParamAOTInput", "BufferAOTInput") else None


def parameters_of(gm: GraphModule, example_inputs: Sequence[Any]) -> Parameters:
    """The parameters and buffers that Dynamo made inputs of the graph, or left in the module."""
    placeholders = [n for n in gm.graph.nodes if n.op == "placeholder"]
    by_position = {
        i: value
        for i, (node, value) in enumerate(zip(placeholders, example_inputs, strict=True))
        if isinstance(value, torch.Tensor) and _is_static(node, value)
    }
    return Parameters(by_position, {**dict(gm.named_parameters()), **dict(gm.named_buffers())})


def _is_static(node: Node, value: torch.Tensor) -> bool:
    """True for what Dynamo found in a module: it marks parameters and buffers so that addresses stay."""
    marked = "_dynamo_static_input_type" in node.meta.get("tensor_dict", {})
    return isinstance(value, torch.nn.Parameter) or marked


def unwritten(imported: Imported, tensors: Mapping[int, torch.Tensor]) -> dict[int, torch.Tensor]:
    """Those of `tensors`, by the position of their argument, that the program itself does not write."""
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    return {i: tensor for i, tensor in tensors.items() if not is_written(function.body.block.args[i])}


def with_constants(imported: Imported, tensors: Mapping[int, torch.Tensor]) -> Imported:
    """`imported` with the arguments at these positions as constants, before those it has."""
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    block = function.body.block
    if not tensors:
        return imported
    count = len(block.args) - len(imported.constants)
    order = [*(i for i in range(count) if i not in tensors), *tensors, *range(count, len(block.args))]
    entries = argument_entries(function)
    old = [*block.args]
    for position in order:
        new = block.insert_arg(old[position].type, len(block.args))
        new.name_hint, new.location = old[position].name_hint, old[position].location
        old[position].replace_all_uses_with(new)
    for argument in old:
        block.erase_arg(argument)
    function.arg_attrs = ArrayAttr([DictionaryAttr(entries[i]) for i in order])
    _retype(function)
    return replace(imported, constants=(*tensors.values(), *imported.constants))


def mark_frozen(function: func.FuncOp, constants: Sequence[torch.Tensor]) -> list[bool]:
    """Marks the arguments that take `constants`, save those that the program writes; says which it marked."""
    arguments = function.body.block.args
    first, entries = len(arguments) - len(constants), argument_entries(function)
    marks = [not is_written(argument) for argument in arguments[first:]]
    for entry, mark in zip(entries[first:], marks, strict=True):
        entry |= {FROZEN: UnitAttr()} if mark else {}
    function.arg_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])
    return marks


def is_written(value: SSAValue) -> bool:
    """True if a call with effects reads `value`, or a view of it."""
    users = [use.operation for use in value.uses]
    views = [r for op in users if not isinstance(op, ExternOp) and len(op.operands) == 1 for r in op.results]
    return any(map(is_impure, users)) or any(is_written(v) for v in views)


def _retype(function: func.FuncOp) -> None:
    inputs, outputs = [a.type for a in function.body.block.args], [*function.function_type.outputs]
    function.function_type = FunctionType.from_lists(inputs, outputs)


@dataclass(frozen=True)
class Watched:
    """The frozen inputs of one graph, with the versions they had when their values were used."""

    tensors: Mapping[int, torch.Tensor]
    versions: Mapping[int, int]
    names: Mapping[int, str]

    @staticmethod
    def of(tensors: Mapping[int, torch.Tensor], names: Sequence[str]) -> Watched:
        """As they are now."""
        versions = {i: _version(t) for i, t in tensors.items()}
        return Watched(tensors, versions, {i: names[i] for i in tensors})

    def others(self, inputs: Sequence[Any]) -> list[Any]:
        """The inputs that are not frozen. MlcError if a frozen one is another tensor or was written."""
        for position, tensor in self.tensors.items():
            given = inputs[position]
            if given is not tensor or _version(tensor) != self.versions[position]:
                raise MlcError(
                    f"freeze: {self.names[position]} has changed since the model was compiled",
                    hint="call torch._dynamo.reset() to compile again, or compile without freeze",
                )
        return [value for i, value in enumerate(inputs) if i not in self.tensors]


def _version(tensor: torch.Tensor) -> int:
    """How often the tensor was written; inference tensors do not count."""
    return 0 if tensor.is_inference() else tensor._version
