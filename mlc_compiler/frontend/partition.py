"""The cut of a joint graph into forward and backward: what the forward keeps, and what the backward computes again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.fx import Graph, GraphModule

from mlc_compiler.frontend.library_attention import Simplify, call_attention
from mlc_compiler.frontend.random_graph import gather_seeds, recompute_free
from mlc_compiler.frontend.recomputed_scores import Pays, recompute_scores
from mlc_compiler.frontend.softmax_shift import drop_shifts
from mlc_compiler.frontend.split_joins import split_joins


def partition(
    joint: GraphModule,
    inputs: Sequence[Any],
    *,
    simplify: Simplify | None = None,
    scores_pay: Pays | None = None,
    **options: Any,
) -> tuple[GraphModule, GraphModule]:
    """Forward and backward by least memory kept between them; random numbers are made in both.

    Attention that `simplify` makes a call of becomes one, with gradients. Scores of other attention are computed again
    where `scores_pay` says so; what a program joins to them is computed beside them. By default none of it is done.
    """
    gather_seeds(joint.graph)
    _drop_detach(joint.graph)
    if scores_pay is not None:
        drop_shifts(joint.graph)
        split_joins(joint.graph)
    recompute_free(joint.graph)
    if simplify is not None:
        call_attention(joint.graph, simplify)
    if scores_pay is not None:
        recompute_scores(joint.graph, scores_pay)
    return min_cut_rematerialization_partition(joint, inputs, **options)


def _drop_detach(graph: Graph) -> None:
    """Lets what reads a detached tensor read the tensor itself: in a graph that is derived already they are the same.

    The partitioner would keep each detached tensor, whatever else it can be computed from. The graph's results stay.
    """
    for node in graph.find_nodes(op="call_function", target=torch.ops.aten.detach.default):
        node.replace_all_uses_with(node.args[0], delete_user_cb=lambda user: user.op != "output")
        if not node.users:
            graph.erase_node(node)
