"""The cut of a joint graph into forward and backward: what the forward keeps, and what the backward computes again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._functorch import config
from torch._functorch.compile_utils import fx_graph_cse
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._ops import OpOverload
from torch.fx import Graph, GraphModule, Node

from mlc_compiler.frontend.gradients_in_place import Chunk, place_gradients
from mlc_compiler.frontend.library_attention import Simplify, call_attention
from mlc_compiler.frontend.random_graph import gather_seeds, keep_draws, recompute_free
from mlc_compiler.frontend.recomputed_scores import Pays, recompute_scores
from mlc_compiler.frontend.softmax_shift import drop_shifts
from mlc_compiler.frontend.split_joins import split_joins


def partition(
    joint: GraphModule,
    inputs: Sequence[Any],
    *,
    simplify: Simplify | None = None,
    scores_pay: Pays | None = None,
    chunk: Chunk | None = None,
    **options: Any,
) -> tuple[GraphModule, GraphModule]:
    """Forward and backward by least memory kept between them; random numbers are made in both, from kept seeds.

    Attention that `simplify` makes a call of becomes one, with gradients. Scores of other attention are computed again
    where `scores_pay` says so; what a program joins to them is computed beside them. Gradients of weights lie in the
    memory of the layer's result, where `chunk` says so. By default none of it is done.
    """
    gather_seeds(joint.graph)
    _drop_detach(joint.graph)
    if scores_pay is not None:
        drop_shifts(joint.graph)
        split_joins(joint.graph)
    recompute_free(joint.graph)
    if simplify is not None:
        call_attention(joint.graph, simplify)
        keep_draws(joint.graph)  # those of the calls, too
    if scores_pay is not None:
        recompute_scores(joint.graph, scores_pay)
    if chunk is not None:
        place_gradients(joint.graph, chunk)
    with config.patch(cse=config.cse and not _merges_draws(joint.graph)):
        return min_cut_rematerialization_partition(joint, inputs, **options)


def _merges_draws(graph: Graph) -> bool:
    """True if attention is dropped from twice with equal operands: the partitioner would take both for one draw."""
    count = sum(map(_drops, graph.nodes))
    return count > 1 and sum(map(_drops, fx_graph_cse(graph).nodes)) < count


def _drops(node: Node) -> bool:
    """True for a call of PyTorch's attention with dropout."""
    if not isinstance(node.target, OpOverload) or torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    names = [argument.name for argument in node.target._schema.arguments]
    return bool({**dict(zip(names, node.args, strict=False)), **node.kwargs}.get("dropout_p"))


def _drop_detach(graph: Graph) -> None:
    """Lets what reads a detached tensor read the tensor itself: in a graph that is derived already they are the same.

    The partitioner would keep each detached tensor, whatever else it can be computed from. The graph's results stay.
    """
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.detach.default):
        node.replace_all_uses_with(node.args[0], delete_user_cb=lambda user: user.op != "output")
        if not node.users:
            graph.erase_node(node)
