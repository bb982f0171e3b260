"""The fusion strategy of XLA's GPU compiler, emulated on `mlc_tensor`.

In XLA's order: products take what feeds and follows them cheaply; normalisation diamonds become Triton
fusions; priority fusion copies each producer into all of its users or none, the best first; and
multi-output fusion joins what reads the same or keeps a producer's result beside the consumer's.
Follows xla/backends/gpu/transforms: gemm_fusion, softmax_rewriter_triton, priority_fusion,
multi_output_fusion, and xla/service/gpu/gpu_fusible.cc.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Block, Operation

from passes.tensor.fusion.decision import Decision, Group, Plan
from passes.tensor.fusion.emulated.xla.diamonds import fuse_diamonds
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import Instruction
from passes.tensor.fusion.emulated.xla.multi_output import fuse_multi_output
from passes.tensor.fusion.emulated.xla.priority import fuse_by_priority
from passes.tensor.fusion.emulated.xla.products import fuse_products


@dataclass(frozen=True)
class XlaOptions:
    """The passes, each of which may be left out."""

    products: bool = True
    diamonds: bool = True
    priority: bool = True
    multi_output: bool = True
    max_operands: int = 96
    """Most operands and results of one fusion."""


def plan_xla(block: Block, options: XlaOptions | None = None) -> Plan:
    """The kernels that XLA makes of `block` for a GPU."""
    options = options or XlaOptions()
    graph = XlaGraph(block, options.max_operands)
    if options.products:
        fuse_products(graph)
    if options.diamonds:
        fuse_diamonds(graph)
    if options.priority:
        fuse_by_priority(graph)
    if options.multi_output:
        fuse_multi_output(graph)
    return Plan("xla", tuple(_groups(graph)), tuple(_decisions(graph)))


def _groups(graph: XlaGraph) -> Iterator[Group]:
    computed = {i: {*i.ops, *graph.undone(i)} for i in graph.instructions}
    held = Counter(op for ops in computed.values() for op in ops)
    for instruction in sorted(graph.instructions, key=lambda i: graph.position[i.root]):
        ops = tuple(sorted(computed[instruction], key=graph.position.__getitem__))
        again = tuple(op for op in ops if held[op] > 1 and op not in graph.split)
        why = "; ".join(dict.fromkeys(instruction.why)) or "no fusion was allowed or paid"
        yield Group(ops, instruction.kind, why, again, tuple(instruction.begins))


def _decisions(graph: XlaGraph) -> Iterator[Decision]:
    homes: dict[Operation, list[Instruction]] = {}
    for instruction in graph.instructions:
        for op in instruction.ops:
            homes.setdefault(op, []).append(instruction)
    for producer, consumer in graph.edges():
        together = any(i in homes.get(producer, ()) for i in homes.get(consumer, ()))
        verdict = graph.verdicts.get((producer, consumer)) or graph.verdicts.get((producer, producer))
        why, saves_us = verdict or ("priority-fusion: never the next to fuse", None)
        yield Decision(producer, consumer, together, why, saves_us)
