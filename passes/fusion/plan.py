"""plan: the kernels that a strategy would make of a block, without changing it."""

from __future__ import annotations

from xdsl.ir import Block

from mlc_dialects.tensor_calls import ExternOp
from mlc_dialects.tensor_ops import MatmulOp
from mlc_support.errors import MlcError
from passes.fusion.build import kind_of, why
from passes.fusion.decision import Decision, Group, Plan, human_bytes, op_names, op_place, value_bytes
from passes.fusion.fuse import merged
from passes.fusion.graph import FusionGraph, Unit
from passes.fusion.policy import POLICIES

__all__ = ["STRATEGIES", "Decision", "Group", "Plan", "human_bytes", "op_names", "op_place", "plan", "value_bytes"]

STRATEGIES = tuple(POLICIES)
"""The strategies that `plan` knows."""


def plan(block: Block, policy: str = "mlc") -> Plan:
    """What `policy` makes of `block`, a block of `mlc_tensor` ops that has not been fused; it is left as it is.

    Raises MlcError for a policy that is none of STRATEGIES.
    """
    if policy not in STRATEGIES:
        raise MlcError(f"fuse: no policy {policy!r}", hint=f"policies are {', '.join(STRATEGIES)}")
    graph = merged(block, POLICIES[policy]())
    groups = tuple(group for unit in graph.units if (group := _group(graph, unit)) is not None)
    return Plan(policy, groups, tuple(graph.decisions))


def _group(graph: FusionGraph, unit: Unit) -> Group | None:
    """The unit as a group; None for what needs no kernel."""
    if unit.fusible:
        return Group(tuple(unit.ops), kind_of(unit), why(unit, graph.outputs(unit)))
    if isinstance(unit.ops[0], MatmulOp):
        return Group(tuple(unit.ops), "matmul", "a library product")
    if isinstance(unit.ops[0], ExternOp):
        return Group(tuple(unit.ops), "extern", "a call of PyTorch")
    return None
