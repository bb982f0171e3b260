"""Groups of a block as a policy wants them: the engine's merges, in the order that turns out best."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from xdsl.ir import Block, Operation

from mlc_dialects.iteration.domain import domain_of
from mlc_dialects.iteration.iterate import Refusal
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_support.index_expr import IndexExpr
from passes.tensor.fusion.decision import Decision
from passes.tensor.fusion.duplicate import duplicate
from passes.tensor.fusion.engine import Engine
from passes.tensor.fusion.graph import FusionGraph, Known, Unit
from passes.tensor.fusion.policy import Candidate, FusionPolicy

ORDERS = 2
"""How many domains of reductions are tried as the one whose kernels form first."""
ROUNDS = 4
"""How often kernels copy and merge again at most."""
MAX_OPS = 1024
"""Ops of a block that is grouped more than once: half a second an order."""


def merged(block: Block, policy: FusionPolicy) -> FusionGraph:
    """The units of `block` after every merge that `policy` wants.

    What only copies, a cast to the type it has, waits for all else: the value that it moves is whole by then.
    A policy that weighs costs tries several orders: the best merge first, and the best first with the reductions
    of all but one domain left for last, lest a sum of columns takes the ops of its rows' kernel away.
    """
    copies = [op for op in block.ops if isinstance(op, CastOp) and op.input.type == op.result.type]
    known: Known = {}
    graphs = [_merged(FusionGraph(block, known), policy, [*last, *copies]) for last in ([], *_set_aside(block, policy))]
    return min(graphs, key=lambda graph: _us(graph, policy)) if len(graphs) > 1 else graphs[0]


def _merged(graph: FusionGraph, policy: FusionPolicy, last: Collection[Operation]) -> FusionGraph:
    """The units after merges and copies by turns: what is computed again may let more merge, and the reverse."""
    engine = Engine(graph, policy, last)
    engine.run()
    notes = _copies(graph, engine, policy, last)
    if engine.finish():
        notes |= _copies(graph, engine, policy, ())
    graph.decisions = {(d.producer, d.consumer): d for d in engine.decisions()} | notes
    return graph


def _copies(
    graph: FusionGraph, engine: Engine, policy: FusionPolicy, waiting: Collection[Operation]
) -> dict[tuple[Operation, Operation], Decision]:
    """Lets kernels compute again what they read, and merges what that allows; says what and why."""
    notes: dict[tuple[Operation, Operation], Decision] = {}
    for _ in range(ROUNDS if policy.duplicates else 0):
        changed, found = duplicate(graph, policy, waiting)
        notes |= {(d.producer, d.consumer): d for d in found}
        if not changed or not engine.run(changed):
            break
    return notes


def _set_aside(block: Block, policy: FusionPolicy) -> list[list[Operation]]:
    """For each of the commonest domains of reductions, the reductions over others."""
    domains: dict[tuple[IndexExpr, IndexExpr], list[Operation]] = {}
    ops = list(islice(block.ops, MAX_OPS + 1)) if policy.weighs_orders else []
    for op in ops:
        if isinstance(op, ReduceOp):
            domain = domain_of(op)
            domains.setdefault((domain.rows, domain.columns), []).append(op)
    if len(domains) < 2 or len(ops) > MAX_OPS:
        return []
    commonest = sorted(domains, key=lambda d: -len(domains[d]))[:ORDERS]
    return [[op for d, ops in domains.items() if d != kept for op in ops] for kept in commonest]


def _us(graph: FusionGraph, policy: FusionPolicy) -> float:
    """What all kernels take, one after the other."""
    return sum(policy.kernel_us(kernel) for unit in graph.units if (kernel := _kernel(graph, unit)) is not None)


def _kernel(graph: FusionGraph, unit: Unit) -> Candidate | None:
    """The unit as the policy sees kernels; None for what needs none."""
    outputs = graph.outputs(unit) if unit.fusible else []
    if not outputs:
        return None
    members = graph.members(unit)
    iteration = graph.iterate(members, outputs)
    if isinstance(iteration, Refusal):
        return None  # a single op that the lowering takes apart
    return Candidate(members, iteration, graph.inputs(unit), outputs, (), siblings=False)
