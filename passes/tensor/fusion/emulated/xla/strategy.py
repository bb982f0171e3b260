"""The fusion strategy of XLA's GPU compiler, emulated on `mlc_tensor`.

In XLA's order: products take what feeds and follows them cheaply; normalisation diamonds become Triton
fusions; priority fusion copies each producer into all of its users or none, the best first; and
multi-output fusion joins what reads the same or keeps a producer's result beside the consumer's.
Follows xla/backends/gpu/transforms: gemm_fusion, softmax_rewriter_triton, priority_fusion,
multi_output_fusion, and xla/service/gpu/gpu_fusible.cc.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block

from passes.tensor.fusion.decision import Plan
from passes.tensor.fusion.emulated.xla.diamonds import fuse_diamonds
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.multi_output import fuse_multi_output
from passes.tensor.fusion.emulated.xla.priority import fuse_by_priority
from passes.tensor.fusion.emulated.xla.products import fuse_products
from passes.tensor.fusion.emulated.xla.simplified import Simplified
from passes.tensor.fusion.emulated.xla.translated import Translated


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
    simple = Simplified.of(block)
    graph = XlaGraph(simple.block, options.max_operands)
    if options.products:
        fuse_products(graph)
    if options.diamonds:
        fuse_diamonds(graph)
    if options.priority:
        fuse_by_priority(graph)
    if options.multi_output:
        fuse_multi_output(graph)
    translated = Translated(block, simple, graph)
    return Plan("xla", tuple(translated.groups()), tuple(translated.decisions()))
