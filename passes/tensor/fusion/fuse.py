"""fuse: groups ops into kernels, each a `mlc_tensor.fusion` that says why it was formed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from mlc_dialects.tensor.calls import ONLINE, FusionOp
from passes.tensor.fusion.build import build
from passes.tensor.fusion.decision import Decision, Plan, op_names, op_place
from passes.tensor.fusion.follow import followed
from passes.tensor.fusion.graph import FusionGraph
from passes.tensor.fusion.merging import merged
from passes.tensor.fusion.plan import EMULATED, Knobs, check, judge, plan, plan_of


@dataclass(frozen=True)
class FusePass(ModulePass):
    """Groups the ops of every function into kernels.

    What is legal is the same for every policy. The plans of xla, tvm and inductor are built as far as one loop nest can
    be: a group that cannot be one kernel is split, and says why, and a product of matrices is a kernel of its own.
    """

    name = "fuse"
    policy: str = "mlc"
    """What judges which fusions pay: mlc, pointwise, none, or one of a plug-in; or the emulated rules of xla, tvm or
    inductor."""
    explain: bool = False
    """Print a remark for every kernel, every fusion and every refusal, with its reason, on stderr."""
    device: str = "h200"
    """The device that times are predicted for: a GPU, or `cpu`."""
    max_depth: int = 256
    """tvm: most ops of one group."""
    max_fusion_size: int = 64
    """inductor: most buffers of one kernel."""
    max_operands: int = 96
    """xla: most operands and results of one fusion."""
    skip: tuple[str, ...] = ()
    """Phases of xla, tvm or inductor to leave out."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        knobs = Knobs(self.device, self.max_depth, self.max_fusion_size, self.max_operands, self.skip)
        check(self.policy, knobs)
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                self._fuse(function.sym_name.data, function.body.block, knobs)

    def _fuse(self, name: str, block: Block, knobs: Knobs) -> None:
        if any(isinstance(op, FusionOp) and op.kind.data != ONLINE for op in block.ops):
            return
        build(self._units(name, block, knobs), block)

    def _units(self, name: str, block: Block, knobs: Knobs) -> FusionGraph:
        """The groups of `block`, explained if that is asked for."""
        if self.policy not in EMULATED:
            graph = merged(block, judge(self.policy, self.device))
            self._explain(name, block, plan_of(graph, self.policy))
            return graph
        wanted = plan(block, self.policy, knobs)
        self._explain(name, block, wanted)
        return followed(block, wanted)

    def _explain(self, name: str, block: Block, plan: Plan) -> None:
        for line in remarks(name, block, plan) if self.explain else ():
            print(line, file=sys.stderr)


def remarks(function: str, block: Block, plan: Plan) -> Iterator[str]:
    """Every kernel of a plan, and every verdict with its reason, keyed to places in the program."""
    names = op_names(block.ops)
    head = f"{function}: {plan.strategy}: {plan.kernels} kernels, {plan.recomputed} ops computed again"
    yield f"remark: {head}"
    for group in plan.groups:
        yield f"remark: {plan.strategy}: kernel {group.kind} ({', '.join(names[op] for op in group.ops)}): {group.why}"
    for decision in plan.decisions:
        yield _remark(plan.strategy, decision, names[decision.producer], names[decision.consumer])


def _remark(strategy: str, decision: Decision, producer: str, consumer: str) -> str:
    place = op_place(decision.consumer)
    text = f"fuses {producer} with {consumer}" if decision.fuse else f"keeps {producer} and {consumer} apart"
    saved = f" ({decision.saves_us:.2f} us saved)" if decision.saves_us is not None else ""
    return f"{place}{': ' if place else ''}remark: {strategy}: {text}: {decision.why}{saved}"
