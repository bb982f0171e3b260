"""The work of an emulated Triton fusion: taken as a sum of two, it is what following every op gives."""

from __future__ import annotations

from benchmarks.fusion_corpus import generated
from passes.tensor.fusion.emulated.xla.diamonds import fuse_diamonds
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.priority import fuse_by_priority
from passes.tensor.fusion.emulated.xla.work import Work


def _told(work: Work) -> tuple[object, ...]:
    """What the cost model reads."""
    loads = {key: count for key, count in work.loads.items() if count}
    return work.elements, work.columns, work.reductions, work.flops, loads


def _compared(graph: XlaGraph) -> int:
    """How many producers and users were summed up and found to be right."""
    count = 0
    for user in [i for i in graph.instructions if i.is_fusible]:
        work = graph.work(user)
        for producer in [graph.definer[v] for v in user.reads if v in graph.definer]:
            if len(producer.roots) > 1 or not producer.is_fusible:
                continue
            summed = work.with_producer(producer.root, graph.work(producer), user.ops)
            if summed is not None:
                count += 1
                assert _told(summed) == _told(work.trial().take(producer.ops, user.ops, graph.reads_of))
    return count


def test_the_sum_is_what_following_every_op_gives() -> None:
    counts = [0, 0, 0]
    for generated_graph in generated(40):
        graph = XlaGraph(generated_graph.block, max_operands=96)
        counts[0] += _compared(graph)
        fuse_diamonds(graph)
        counts[1] += _compared(graph)
        fuse_by_priority(graph)
        counts[2] += _compared(graph)
    assert min(counts) > 20
