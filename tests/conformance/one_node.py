"""A call of an op as a graph of one node, with Dynamo left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._pytree import TreeSpec, tree_flatten, tree_unflatten

from tests.conformance.samples import Sample


@dataclass(frozen=True)
class OneNode:
    """The graph, the tensors it takes, and the structure of what it gives, known once it was traced."""

    graph: GraphModule
    inputs: Sequence[torch.Tensor]
    _structure: list[TreeSpec]

    @staticmethod
    def of(sample: Sample) -> OneNode:
        flat, spec = tree_flatten((sample.args, sample.kwargs))
        places = [i for i, leaf in enumerate(flat) if isinstance(leaf, torch.Tensor)]
        structure: list[TreeSpec] = []

        def function(*tensors: torch.Tensor) -> tuple[Any, ...]:
            leaves = list(flat)
            for place, tensor in zip(places, tensors, strict=True):
                leaves[place] = tensor
            args, kwargs = tree_unflatten(leaves, spec)
            results, form = tree_flatten(sample.function(*args, **kwargs))
            structure[:] = [form]
            return tuple(results)

        graph = Graph()
        node = graph.call_function(function, tuple(graph.placeholder(f"x{i}") for i in range(len(places))))
        graph.output(node)
        return OneNode(GraphModule(torch.nn.Module(), graph), [flat[p] for p in places], structure)

    def result(self, flat: Sequence[Any]) -> Any:
        """What the op gives, out of the outputs of the graph."""
        return tree_unflatten(list(flat), self._structure[0])


def fake_mode() -> FakeTensorMode:
    """Fake tensors under which sizes that the data decide get names."""
    shapes = ShapeEnv(allow_scalar_outputs=True, allow_dynamic_output_shape_ops=True)
    return FakeTensorMode(shape_env=shapes, allow_non_fake_inputs=True)
