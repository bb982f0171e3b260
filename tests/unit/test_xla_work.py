"""The work of an emulated Triton fusion: taken as a sum of two, it is what following every op gives."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from benchmarks.fusion_corpus import generated
from passes.tensor.fusion.emulated.xla.diamonds import fuse_diamonds
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.priority import fuse_by_priority
from passes.tensor.fusion.emulated.xla.strategy import plan_xla
from passes.tensor.fusion.emulated.xla.work import Work
from tests.unit.test_exports import module_of


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


def test_nested_views_are_walked_once() -> None:
    """A value has 2^60 ways through 60 concatenations of itself with itself."""
    one, two = "tensor<4x1xf32>", "tensor<4x2xf32>"
    lines = [f"  %c0 = mlc_tensor.exp %x : {one}"]
    for k in range(60):
        lines.append(f"  %p{k} = mlc_tensor.cat %c{k}, %c{k} dim 1 : ({one}, {one}) -> {two}")
        lines.append(f"  %c{k + 1} = mlc_tensor.slice %p{k} [0, 0] step [1, 1] : {two} -> {one}")
    lines.append(f"  %e = mlc_tensor.abs %c60 : {one}\n  func.return %e : {one}")
    module = module_of(f"func.func @f(%x: {one}) -> {one} {{\n" + "\n".join(lines) + "\n}")
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    assert plan_xla(function.body.block).kernels == 1
