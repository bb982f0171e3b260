"""plan: the kernels that a strategy would make of a block, without changing it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block

from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.ops import MatmulOp
from mlc_support import plugins
from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from passes.common.device import processor_named
from passes.tensor.fusion.build import kind_of, why
from passes.tensor.fusion.decision import Decision, Group, Plan, human_bytes, op_names, op_place, value_bytes
from passes.tensor.fusion.emulated.inductor.strategy import InductorOptions, plan_inductor
from passes.tensor.fusion.emulated.tvm import TvmOptions, plan_tvm
from passes.tensor.fusion.emulated.xla.strategy import XlaOptions, plan_xla
from passes.tensor.fusion.graph import FusionGraph, Unit
from passes.tensor.fusion.merging import merged
from passes.tensor.fusion.policy import POLICIES, FusionPolicy, policy_named

__all__ = [
    "EMULATED", "STRATEGIES", "Decision", "Group", "Knobs", "Plan", "human_bytes", "judge", "op_names", "op_place",
    "plan", "strategies", "value_bytes",
]  # fmt: skip

EMULATED = ("xla", "tvm", "inductor")
"""The strategies of other compilers."""
STRATEGIES = (*POLICIES, *EMULATED)
"""The strategies that `plan` knows without plug-ins."""
PHASES = {
    "xla": ("products", "diamonds", "priority", "multi-output"),
    "tvm": ("phase-0", "phase-1"),
    "inductor": ("horizontal", "reorder"),
}
"""What of a strategy may be left out."""


@dataclass(frozen=True)
class Knobs:
    """What may be turned: each strategy takes what it has."""

    device: str = "h200"
    max_depth: int = 256
    """tvm: most ops of one group."""
    max_fusion_size: int = 64
    """inductor: most buffers of one kernel."""
    max_operands: int = 96
    """xla: most operands and results of one fusion."""
    skip: tuple[str, ...] = ()
    """Phases to leave out, of PHASES."""


def plan(block: Block, policy: str = "mlc", knobs: Knobs | None = None) -> Plan:
    """What `policy` makes of `block`, a block of `mlc_tensor` ops that has not been fused; it is left as it is.

    Raises MlcError for a policy, a device or a phase that does not exist.
    """
    knobs = knobs or Knobs()
    check(policy, knobs)
    if policy == "xla":
        off = {phase.replace("-", "_"): phase not in knobs.skip for phase in PHASES["xla"]}
        return plan_xla(block, XlaOptions(**off, max_operands=knobs.max_operands))
    if policy == "tvm":
        phases = tuple(phase for phase in (0, 1) if f"phase-{phase}" not in knobs.skip)
        return plan_tvm(block, TvmOptions(knobs.max_depth, phases))
    if policy == "inductor":
        on = {phase: phase not in knobs.skip for phase in PHASES["inductor"]}
        return plan_inductor(block, InductorOptions(knobs.max_fusion_size, **on))
    graph = merged(block, judge(policy, knobs.device))
    return plan_of(graph, policy)


def strategies() -> tuple[str, ...]:
    """The names of all strategies, those of plug-ins last."""
    return tuple(dict.fromkeys((*STRATEGIES, *plugins.added(plugins.POLICIES))))


def judge(policy: str, device: str) -> FusionPolicy:
    """The policy of this name, of mlc or of a plug-in, for a device. Raises MlcError where there is none."""
    check(policy, Knobs(device))
    found = policy_named(policy)
    assert found is not None, f"{policy} is emulated: it is planned, not asked"
    return found(processor_named(device))


def plan_of(graph: FusionGraph, policy: str) -> Plan:
    """What the units of a graph are as a plan."""
    groups = tuple(group for unit in graph.units if (group := _group(graph, unit)) is not None)
    return Plan(policy, groups, tuple(graph.decisions.values()))


def check(policy: str, knobs: Knobs) -> None:
    """MlcError for a policy, a device or a phase that does not exist."""
    if policy not in EMULATED and policy_named(policy) is None:
        raise MlcError(f"fuse: no policy {policy!r}", hint=f"policies are {', '.join(strategies())}")
    processor_named(knobs.device)
    known = PHASES.get(policy, ())
    for phase in knobs.skip:
        if phase not in known:
            hint = nearest(phase, known) or (f"phases are {', '.join(known)}" if known else "it has none to skip")
            raise MlcError(f"fuse: policy {policy} has no phase {phase!r}", hint=hint)


def _group(graph: FusionGraph, unit: Unit) -> Group | None:
    """The unit as a group; None for what needs no kernel."""
    if unit.fusible:
        members = tuple(graph.members(unit))
        if not members:
            return None
        again = tuple(op for op in members if graph.is_computed_twice(op))
        return Group(members, kind_of(unit), why(unit, graph.outputs(unit)), again)
    if isinstance(unit.ops[0], MatmulOp):
        return Group(tuple(unit.ops), "matmul", "a library product")
    if isinstance(unit.ops[0], ExternOp):
        return Group(tuple(unit.ops), "extern", "a call of PyTorch")
    return None
