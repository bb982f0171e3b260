"""fuse: groups ops into kernels, each a `mlc_tensor.fusion` that says why it was formed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from mlc_dialects.tensor_calls import FusionOp
from mlc_support.errors import MlcError
from passes.fusion.build import build
from passes.fusion.engine import Engine
from passes.fusion.graph import FusionGraph
from passes.fusion.policy import POLICIES, FusionPolicy


@dataclass(frozen=True)
class FusePass(ModulePass):
    """Groups the ops of every function into kernels.

    `policy` judges what pays: mlc, pointwise or none. What is legal is the same for all.
    """

    name = "fuse"
    policy: str = "mlc"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.policy not in POLICIES:
            raise MlcError(f"fuse: no policy {self.policy!r}", hint=f"policies are {', '.join(POLICIES)}")
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                fuse_block(function.body.block, POLICIES[self.policy]())


def fuse_block(block: Block, policy: FusionPolicy) -> None:
    """Replaces the computed ops of `block` by fusions, as `policy` groups them."""
    if not any(isinstance(op, FusionOp) for op in block.ops):
        build(merged(block, policy), block)


def merged(block: Block, policy: FusionPolicy) -> FusionGraph:
    """The units of `block` after every merge that `policy` wants."""
    graph = FusionGraph(block)
    Engine(graph, policy).run()
    return graph
