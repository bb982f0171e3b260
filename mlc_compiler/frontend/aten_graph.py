"""mlc_tensor as an FX graph of aten ops: what Inductor and PyTorch's own tools read."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from lowering.export.python_lines import op_of

SOURCE = "mlc_source"
"""The key of a node's meta under which the name of its op stands."""


class _Calls:
    """Stands for `torch` while the source runs: a call of an op is a node of the graph and not a result."""

    def __init__(self, target: Any, record: Callable[..., fx.Node]):
        self._target, self._record = target, record

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        is_constant = isinstance(found, torch.dtype | torch.layout | torch.memory_format)
        return found if is_constant else _Calls(found, self._record)

    def __call__(self, *args: Any, **kwargs: Any) -> fx.Node:
        return self._record(self._target, args, kwargs)


def graph_module(source: str, device: str) -> fx.GraphModule:
    """The `main` of an aten source (`lowering.export.aten`) as a graph, its tensors made on `device`.

    A node's name is that of its op, and so is its meta[SOURCE], which helpers of the op carry as well.
    """
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    graph = fx.Graph()
    current = ""

    def record(target: Any, args: Any, kwargs: Any) -> fx.Node:
        node = graph.create_node("call_function", target, args, kwargs, name=current or None)
        node.meta[SOURCE] = current
        return node

    calls: Any = _Calls(torch, record)
    scope: dict[str, Any] = {"torch": calls, "aten": calls.ops.aten, "device": torch.device(device)}
    for argument in function.args.args:
        scope[argument.arg] = graph.placeholder(argument.arg)
    for statement in function.body:
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            assert isinstance(target, ast.Name)
            current = op_of(target.id)
            if isinstance(part := statement.value, ast.Subscript):  # one of several results of a call
                several, position = ast.unparse(part.value), ast.literal_eval(part.slice)
                scope[target.id] = record(operator.getitem, (scope[several], position), {})
                continue
            scope[target.id] = eval(compile(ast.Expression(statement.value), "<aten>", "eval"), scope)
        elif isinstance(statement, ast.Return) and statement.value is not None:
            graph.output(eval(compile(ast.Expression(statement.value), "<aten>", "eval"), scope))
    return fx.GraphModule(torch.nn.Module(), graph)
