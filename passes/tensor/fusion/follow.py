"""Builds what a plan has decided: groups that may compute the same op, each with its own copy of it.

A group whose kernel is no single loop nest is split; the reasons are the engine's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.iteration.iterate import is_free
from passes.tensor.fusion.decision import Plan
from passes.tensor.fusion.graph import FusionGraph
from passes.tensor.fusion.merging import merged
from passes.tensor.fusion.policy import Candidate, FusionPolicy, Verdict


@dataclass(frozen=True)
class Follow(FusionPolicy):
    """Joins the ops that have a group of the plan in common."""

    plan: Plan = field(default_factory=lambda: Plan("none", ()))
    homes: Mapping[Operation, tuple[int, ...]] = field(default_factory=dict[Operation, tuple[int, ...]])
    """Op to the positions of its groups: several only where one kernel begins what another finishes."""

    def judge(self, candidate: Candidate) -> Verdict:
        common = set[int].intersection(*(set(self.homes.get(op, ())) for op in candidate.ops))
        if not common:
            return Verdict(False, f"{self.plan.strategy} computes the two in different kernels")
        return Verdict(True, self.plan.groups[min(common)].why)


def followed(block: Block, plan: Plan) -> FusionGraph:
    """The units of `block` as near to the groups of `plan` as is legal; `block` gets a copy of what two compute."""
    return merged(block, Follow(plan=plan, homes=separated(block, plan)))


def separated(block: Block, plan: Plan) -> dict[Operation, tuple[int, ...]]:
    """Copies in `block` what several groups compute, so that each has its own; gives every op its groups.

    The first group keeps the op that was there, and what others than these groups read is its. Reductions of which
    one group computes a part are not copied.
    """
    partial = {op for group in plan.groups for op in group.partial}
    homes = {op: where if op in partial else where[:1] for op, where in plan.groups_of.items()}
    copied = {op: where[1:] for op, where in plan.groups_of.items() if len(where) > 1 and op not in partial}
    owns: dict[int, dict[SSAValue, SSAValue]] = {}
    for op in list(block.ops) if copied else ():
        own = homes.get(op, ())
        for group in copied.get(op, ()):
            homes[_copy(op, owns.setdefault(group, {}))] = (group,)
        for group in own:  # last: the copies need the operands that were there
            for position, value in enumerate(op.operands):
                op.operands[position] = _own(value, owns.get(group, {}))
    return homes


def _own(value: SSAValue, owns: dict[SSAValue, SSAValue]) -> SSAValue:
    """The value as one group has it: its copy, or a view of its copy."""
    op = value.owner
    viewed = op.operands if value not in owns and isinstance(op, Operation) and is_free(op) else ()
    if isinstance(op, Operation) and any(_own(v, owns) is not v for v in viewed):
        _copy(op, owns)
    return owns.get(value, value)


def _copy(op: Operation, owns: dict[SSAValue, SSAValue]) -> Operation:
    """A copy of `op`, behind it, for the group that `owns` speaks of."""
    for value in op.operands:
        _own(value, owns)
    copy = op.clone(owns)
    block = op.parent
    assert block is not None
    block.insert_op_after(copy, op)
    return copy
