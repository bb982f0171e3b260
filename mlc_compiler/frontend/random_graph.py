"""Random numbers in graphs that AOTAutograd has traced: one draw of seeds a graph, masks computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

import torch
from torch._ops import OpOverload
from torch.fx import Graph, Node
from torch.utils.checkpoint import CheckpointPolicy

from lowering.fx_to_tensor.decompositions.random_ops import BITS, SEEDS
from mlc_compiler.frontend.pointwise import CREATIONS, is_pointwise

_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


def gather_seeds(graph: Graph) -> None:
    """One call that draws the seeds of all random ops of a device, in the order they were drawn in."""
    drawn: defaultdict[torch.device, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        if node.target is SEEDS:
            drawn[node.args[1]].append(node)
    for device, nodes in drawn.items():
        if len(nodes) > 1:
            _join(graph, device, nodes)


def _join(graph: Graph, device: torch.device, nodes: Sequence[Node]) -> None:
    with graph.inserting_before(nodes[0]):
        joined = graph.call_function(SEEDS, (sum(n.args[0] for n in nodes), device))  # pyright: ignore
    fake = nodes[0].meta["val"]
    with fake.fake_mode:
        joined.meta = {**nodes[0].meta, "val": fake.new_empty([joined.args[0]])}
    first = 0
    for node in nodes:
        for user in list(node.users):
            user.args = (joined, first + user.args[1], *user.args[2:])  # pyright: ignore
        first += node.args[0]  # pyright: ignore[reportOperatorIssue]
        graph.erase_node(node)


def recompute_free(graph: Graph) -> None:
    """Marks what is computed from numbers and seeds alone for the backward to compute again: masks, and noise.

    Kernels compute it in registers; seeds alone are kept. A mask that the backward read from memory would not say that
    blocks of scores are hidden.
    """
    keep_draws(graph)
    free: set[Node] = set()
    for node in graph.nodes:
        inputs = [n for n in node.all_input_nodes if not _is_size(n) and n.target is not SEEDS]
        computed = node.target in CREATIONS or is_pointwise(node)
        if computed and node.meta.get("recompute") not in _KEPT and all(n in free for n in inputs):
            free.add(node)
            node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE


def keep_draws(graph: Graph) -> None:
    """Marks what is drawn from a generator as kept, in a checkpoint too: drawn again, it would be another."""
    for node in graph.nodes:
        target = node.target
        if isinstance(target, OpOverload) and torch.Tag.nondeterministic_seeded in target.tags:
            node.meta["recompute"] = CheckpointPolicy.MUST_SAVE


def own_draws(graph: Graph, members: Collection[Node]) -> list[Node]:
    """The random bits among `members` whose seeds the graph draws for them alone."""
    drawn: defaultdict[tuple[Node, int], list[Node]] = defaultdict(list)
    for node in graph.find_nodes(op="call_function", target=BITS):
        drawn[node.args[0], node.args[1]].append(node)  # pyright: ignore[reportArgumentType]
    return [n for (seeds, _), (n, *others) in drawn.items() if seeds.target is SEEDS and n in members and not others]


def draw_anew(bits: Node) -> None:
    """Gives random bits a seed that is drawn where they are made."""
    seeds, graph = bits.args[0], bits.graph
    assert isinstance(seeds, Node)
    fake = seeds.meta["val"]
    with graph.inserting_before(bits), fake.fake_mode:
        drawn = graph.call_function(SEEDS, (1, fake.device))
        drawn.meta = {**seeds.meta, "val": fake.new_empty([1])}
    bits.args = (drawn, 0, *bits.args[2:])


def drop_unread_seeds(graph: Graph) -> None:
    """Erases draws of seeds of which nothing is made any more."""
    for node in graph.find_nodes(op="call_function", target=SEEDS):
        if not node.users:
            graph.erase_node(node)


def _is_size(node: Node) -> bool:
    return isinstance(node.meta.get("val"), int | torch.SymInt)
