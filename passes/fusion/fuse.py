"""fuse: groups ops into kernels, each a `mlc_tensor.fusion` that says why it was formed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.iteration import Refusal
from mlc_dialects.tensor_calls import FusionOp, YieldOp
from mlc_dialects.tensor_ops import ReduceOp
from mlc_support.errors import MlcError
from passes.fusion.decision import Decision, human_bytes, value_bytes
from passes.fusion.graph import FusionGraph, Unit
from passes.fusion.policy import POLICIES, Candidate, FusionPolicy, Verdict


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
    if any(isinstance(op, FusionOp) for op in block.ops):
        return
    build(merged(block, policy), block)


def merged(block: Block, policy: FusionPolicy) -> FusionGraph:
    """The units of `block` after every merge that `policy` wants."""
    graph = FusionGraph(block)
    merge_producers(graph, policy)
    merge_siblings(graph, policy)
    return graph


def merge_producers(graph: FusionGraph, policy: FusionPolicy) -> None:
    """Joins each group with the groups that feed it, in program order."""
    for op in list(graph.position):
        if not graph.unit_of[op].fusible:
            continue
        for root in graph.roots_of(op):
            producer = graph.unit_of.get(root.owner) if isinstance(root.owner, Operation) else None
            consumer = graph.unit_of[op]
            if producer is not None and producer.fusible and producer is not consumer:
                assert isinstance(root.owner, Operation)
                try_merge(graph, policy, producer, consumer, (root.owner, op), siblings=False)


def merge_siblings(graph: FusionGraph, policy: FusionPolicy) -> None:
    """Joins groups that read the same value over the same points."""
    values = dict.fromkeys(v for unit in graph.units for v in graph.inputs(unit.ops) if unit.fusible)
    for value in values:
        units = dict.fromkeys(graph.unit_of[r] for r in graph.readers(value))
        fusible = [u for u in units if u.fusible]
        for first, second in pairwise(fusible):
            a, b = graph.unit_of[first.ops[0]], graph.unit_of[second.ops[0]]
            if a is not b and all(value in graph.inputs(u.ops) for u in (a, b)):
                readers = graph.readers(value)
                pair = (next(r for r in readers if r in a.ops), next(r for r in readers if r in b.ops))
                try_merge(graph, policy, a, b, pair, siblings=True)


def try_merge(
    graph: FusionGraph, policy: FusionPolicy, a: Unit, b: Unit, pair: tuple[Operation, Operation], siblings: bool
) -> None:
    """Merges `a` and `b`, which `pair` connects, if that is legal and `policy` wants it; else notes why not."""
    verdict = _judge(graph, policy, a, b, siblings)
    graph.decisions.append(Decision(*pair, verdict.fuse, verdict.why))
    if verdict.fuse:
        graph.merge(a, b, verdict.why)
    else:
        b.refused.append(f"with {_describe(a)}: {verdict.why}")


def _judge(graph: FusionGraph, policy: FusionPolicy, a: Unit, b: Unit, siblings: bool) -> Verdict:
    ops = [*a.ops, *b.ops]
    iteration = graph.iteration(ops)
    if isinstance(iteration, Refusal):
        return Verdict(False, iteration.why)
    if graph.makes_cycle(a, b):
        return Verdict(False, "another kernel must run between the two")
    inputs = graph.inputs(ops)
    outputs = graph.outputs(ops)
    if siblings:
        shared = [v for v in graph.inputs(a.ops) if v in set(graph.inputs(b.ops))]
        own = max(value_bytes(v) for v in (*inputs, *outputs))
        if 4 * max(value_bytes(v) for v in shared) < own:
            return Verdict(False, "what the two share is small beside what they move")
    else:
        shared = [v for v in graph.outputs(a.ops) if v not in outputs and v in set(graph.inputs(b.ops))]
        if not shared:
            shared = [v for v in graph.inputs(b.ops) if v.owner in a.ops]
    return policy.judge(Candidate(ops, iteration, inputs, outputs, shared, siblings))


def build(graph: FusionGraph, block: Block) -> None:
    """Rewrites `block` unit by unit, groups becoming fusions."""
    terminator = block.last_op
    assert terminator is not None
    current: dict[SSAValue, SSAValue] = {}
    free = {op: graph.needs(op) for op in graph.position if graph.is_transparent(op)}
    missing = set(graph.position)
    for unit in graph.units:
        _place_free(free, missing, terminator)
        op = unit.ops[0]
        if unit.fusible:
            _build_fusion(graph, unit, terminator, current)
        elif op is not terminator and not graph.is_transparent(op):
            _move_before(op, terminator)
        if not graph.is_transparent(op):
            missing.difference_update(unit.ops)
    _erase_originals(graph)


def _place_free(free: dict[Operation, list[Operation]], missing: set[Operation], place: Operation) -> None:
    """Moves the free ops that miss nothing they need in front of `place`: as early as may be."""
    for op, needs in list(free.items()):
        if missing.isdisjoint(needs):
            _move_before(op, place)
            missing.discard(op)
            del free[op]


def _move_before(op: Operation, place: Operation) -> None:
    op.detach()
    assert place.parent is not None
    place.parent.insert_op_before(op, place)


def _erase_originals(graph: FusionGraph) -> None:
    """Removes the ops that fusions have copied, and free ops that nothing reads any more."""
    computed = [op for op, unit in graph.unit_of.items() if unit.fusible]
    for op in computed:
        op.detach()
        op.drop_all_references()
    for op in reversed(graph.position):
        if graph.is_transparent(op) and not any(r.uses for r in op.results):
            Rewriter.erase_op(op)
    for op in computed:
        op.erase(drop_references=False)


def _build_fusion(graph: FusionGraph, unit: Unit, before: Operation, current: dict[SSAValue, SSAValue]) -> None:
    """Puts the fusion of `unit` in front of `before`; `current` maps results to the fusions' that replaced them."""
    outputs = graph.outputs(unit.ops)
    if not outputs:
        return
    inputs = [current.get(v, v) for v in graph.inputs(unit.ops)]
    body = _body(graph, unit, inputs, outputs)
    fusion = FusionOp(inputs, [v.type for v in outputs], kind_of(unit), why(unit, outputs), Region(body))
    if unit.refused:
        fusion.attributes["mlc.refused"] = ArrayAttr([StringAttr(r) for r in dict.fromkeys(unit.refused)])
    fusion.location = unit.ops[-1].location
    assert before.parent is not None
    before.parent.insert_op_before(fusion, before)
    for value, result in zip(outputs, fusion.outputs, strict=True):
        result.name_hint = value.name_hint
        value.replace_all_uses_with(result)
        current[value] = result


def _body(graph: FusionGraph, unit: Unit, inputs: list[SSAValue], outputs: list[SSAValue]) -> Block:
    """The unit's ops and its own copies of the free ops they read, reading block arguments."""
    body = Block(arg_types=[v.type for v in inputs])
    mapping: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for value, argument in zip(inputs, body.args, strict=True):
        argument.name_hint = value.name_hint
    for op in sorted(graph.cone(unit.ops), key=graph.position.__getitem__):
        clone = op.clone(mapping)
        for result, copied in zip(op.results, clone.results, strict=True):
            copied.name_hint = result.name_hint
        body.add_op(clone)
    body.add_op(YieldOp([mapping[v] for v in outputs]))
    return body


def kind_of(unit: Unit) -> str:
    """The label of the unit's kernel."""
    return "reduction" if any(isinstance(op, ReduceOp) for op in unit.ops) else "pointwise"


def why(unit: Unit, outputs: list[SSAValue]) -> str:
    """The reason of the whole group: the traffic that its inner values would have been."""
    if len(unit.ops) == 1:
        return "a single op"
    inner = [r for op in unit.ops for r in op.results if r not in outputs]
    total = 2 * sum(value_bytes(v) for v in inner)
    text = f"saves {human_bytes(total)}: {len(inner)} intermediates, each written and read, stay in registers"
    siblings = sum("shared input" in reason for reason in unit.merged)
    return text + (f"; {siblings} sibling(s) read their input once" if siblings else "")


def _describe(unit: Unit) -> str:
    """The group by its last op's result."""
    last = unit.ops[-1]
    return last.results[0].name_hint or last.name
