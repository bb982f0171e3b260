"""A region of a real program as a case of the benchmark: PyTorch's ops, and inputs with the strides that it met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_aggregate
from xdsl.dialects import func

from benchmarks.case import Arg, Case
from benchmarks.regions import Region, numbers, strides_of
from lowering.export.aten import aten_source
from mlc_compiler.frontend.aten_graph import graph_module
from mlc_dialects.common.types import BY_TYPE, Shape, element_type, shape_of

FLOATS = (torch.float16, torch.bfloat16, torch.float32)
ROOTS = ("rsqrt", "sqrt", "log", "log2", "log1p", "pow")
"""Functions that are NaN for about half of all normal numbers."""


def case_of(region: Region, device: str) -> Case:
    """The region as a function of tensors on `device`; MlcError where PyTorch has no op for a part of it.

    Integers are small enough to be an index into any dimension of the inputs and of the results. Floats are positive
    where the region takes a root or a logarithm.
    """
    module = region.module()
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    types = [a.type for a in function.body.block.args]
    shapes = [numbers(shape_of(t)) for t in types]
    returned = [numbers(shape_of(t)) for t in function.function_type.outputs]
    high = min((n for shape in (*shapes, *returned) for n in shape if n > 1), default=2)
    positive = any(op.name.removeprefix("mlc_tensor.") in ROOTS for op in function.body.walk())
    arguments, results = strides_of(function)
    args = tuple(
        strided(shape, numbers(steps), getattr(torch, BY_TYPE[element_type(t)].torch_name), high, positive)
        for t, shape, steps in zip(types, shapes, arguments, strict=True)
    )
    return Case(region.kind, region.name, function_of(aten_source(module), results, device), args)


def strided(shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype, high: int, positive: bool) -> Arg:
    """A tensor with these strides; elements that share an address are equal."""
    extent = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) if all(shape) else 0
    view = partial(torch.as_strided, size=tuple(shape), stride=tuple(strides))
    return Arg((extent,), dtype, high, positive=positive, view=view)


def function_of(source: str, results: Sequence[Shape], device: str) -> Callable[..., tuple[torch.Tensor, ...]]:
    """The `main` of an aten source, its results with these strides; float64 inputs are computed with as such."""
    graph, wide = graph_module(source, device), in_float64(graph_module(source, device))
    orders = [order_of(numbers(strides)) for strides in results]

    def region(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values = (wide if any(x.dtype == torch.float64 for x in inputs) else graph)(*inputs)
        return tuple(ordered(v, order) for v, order in zip(values, orders, strict=True))

    return region


def order_of(strides: Sequence[int]) -> list[int]:
    """The dimensions from the greatest stride to the least."""
    return sorted(range(len(strides)), key=lambda d: -strides[d])


def ordered(value: torch.Tensor, order: list[int]) -> torch.Tensor:
    """The same numbers, dense, the last dimension of `order` contiguous."""
    back = [order.index(d) for d in range(len(order))]
    return value.permute(order).contiguous().permute(back)


def in_float64(graph: fx.GraphModule) -> fx.GraphModule:
    """The graph with float64 where it names another type of floats; it is changed."""

    def widened(value: Any) -> Any:
        return torch.float64 if isinstance(value, torch.dtype) and value in FLOATS else value

    for node in graph.graph.nodes:
        node.args, node.kwargs = map_aggregate(node.args, widened), map_aggregate(node.kwargs, widened)
    graph.recompile()
    return graph
