"""Multi-output fusion: readers of one value, then producers beside their consumers, from the results back."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.views import CatOp, PermuteOp
from passes.tensor.fusion.emulated.xla.cost import saved_beside_us
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import ROWS_MOVED, Instruction
from passes.tensor.fusion.emulated.xla.ops import sizes
from passes.tensor.fusion.paths import Paths

MAX_REDUCTIONS = 8
"""More reductions in one fusion would spill."""


def fuse_multi_output(graph: XlaGraph) -> None:
    """Siblings first, then the producer with one of its users, in reverse program order."""
    order = sorted(graph.instructions, key=lambda i: graph.position[i.root])
    paths = Paths(order, graph.users_of)
    order.reverse()
    values: list[tuple[SSAValue, Instruction | None]] = []
    for instruction in order:
        values.append((graph.value(instruction), instruction))
    arguments = [v for v in graph.users if v not in graph.definer]
    values += [(v, None) for v in arguments]
    for value, producer in values:
        if producer is not None and producer not in graph.instructions:
            continue
        if producer is None or producer.kind != "triton":
            _fuse_siblings(graph, paths, value)
        if producer is not None and producer in graph.instructions:
            _fuse_with_user(graph, paths, producer)


def _fuse_siblings(graph: XlaGraph, paths: Paths[Instruction], value: SSAValue) -> None:
    if prod(sizes(value)) == 1:
        return
    users = sorted((u for u in graph.users.get(value, ()) if _is_candidate(u)), key=lambda u: graph.position[u.root])
    users.sort(key=lambda u: 2 if len(u.roots) > 1 else int(_is_fusion(u)), reverse=True)
    place = 0
    while place < len(users):
        kept = users[place]
        place += 1
        if not _is_fusion(kept):
            continue
        reading = set(graph.readers(kept.root.results[0]))
        for other in users[place:]:
            why = _sibling_refusal(graph, paths, kept, other)
            if why is None:
                _join(graph, paths, kept, other, "multi-output-fusion: siblings")
                users.remove(other)
            elif kept.is_fusion and other.root in reading:
                graph.verdicts.setdefault((kept.root, other.root), (f"multi-output-fusion: {why}", None))


def _is_fusion(instruction: Instruction) -> bool:
    """True for what is wrapped as a fusion by then: a reduction is, be it alone."""
    return instruction.is_fusion or instruction.kind == "input"


def _is_candidate(instruction: Instruction) -> bool:
    return instruction.kind in ("loop", "input", "transpose")


def _sibling_refusal(graph: XlaGraph, paths: Paths[Instruction], a: Instruction, b: Instruction) -> str | None:
    if paths.connects(a, b):
        return "the siblings are connected"
    if CatOp in a.traits.views | b.traits.views:
        return "one has a concatenation"
    return _shape_refusal(graph, a, b) or _budget_refusal(graph, a, b)


def _shape_refusal(graph: XlaGraph, a: Instruction, b: Instruction) -> str | None:
    """Roots share one loop: reductions need equal inputs and dimensions, others equal shapes."""
    one, two = hero(a), hero(b)
    if isinstance(one, ReduceOp) and isinstance(two, ReduceOp):
        return None if _same_tiles(graph, one, two) else "tiled reductions with different shapes"
    for op, other in ((one, b), (two, a)):
        if isinstance(op, ReduceOp) and other.traits.moves:
            return "MOF-fusion of a transpose and a reduction"
    return None if _points(one) == _points(two) else "different loop shapes"


def _same_tiles(graph: XlaGraph, one: ReduceOp, two: ReduceOp) -> bool:
    """True if two reductions go through inputs of one shape and order in the same way."""
    same = sizes(one.input) == sizes(two.input) and one.reduced == two.reduced
    return same and graph.is_column_major(one.input) == graph.is_column_major(two.input)


def _points(op: Operation) -> int:
    """The points of the loop that an op gives its fusion."""
    return prod(sizes(op.input if isinstance(op, ReduceOp) else op.results[0]))


def hero(instruction: Instruction):
    """The op that gives the fusion its loop: a reduction among the roots, else the first root."""
    reductions = instruction.reductions if instruction.kind == "input" else {}
    return next(iter(reductions), instruction.root)


def _budget_refusal(graph: XlaGraph, a: Instruction, b: Instruction) -> str | None:
    reductions = len(a.reductions) + len(b.reductions)
    if reductions > MAX_REDUCTIONS:
        return f"over {MAX_REDUCTIONS} unnested reductions in fusion"
    operands = len(a.reads | b.reads) + len(a.roots) + len(b.roots)
    return (
        f"{operands} operands and outputs are more than {graph.max_operands}" if operands > graph.max_operands else None
    )


def _fuse_with_user(graph: XlaGraph, paths: Paths[Instruction], producer: Instruction) -> None:
    """The producer computes its result in the fusion of one user as well, and writes it for the others."""
    users = graph.users_of(producer)
    if producer.kind != "loop" or len(producer.roots) > 1 or not users:
        return
    if (why := _producer_refusal(producer)) is not None:
        graph.note(producer, None, f"multi-output-fusion: producer {why}")
        return
    if len(users) == 1 and len(users[0].roots) == 1 and not graph.escapes(producer):
        return
    fit: list[Instruction] = []
    for user in users:
        why = _user_refusal(graph, paths, producer, user)
        if why is None:
            fit.append(user)
        else:
            graph.note(producer, user, f"multi-output-fusion: {why}")
    if fit:
        best = max(fit, key=lambda u: 2 if len(u.roots) > 1 else int(u.is_fusion))
        graph.note(producer, best, "multi-output-fusion: beside its consumer", saved_beside_us(graph, producer, best))
        _join(graph, paths, best, producer, "multi-output-fusion: producer and consumer")


def _producer_refusal(producer: Instruction) -> str | None:
    if producer.traits.moves or any(isinstance(op, PermuteOp) for op in producer.ops):
        return "is physically transposing"
    lone = not producer.is_fusion and ROWS_MOVED not in producer.traits.views
    return "has a concatenation" if not lone and CatOp in producer.traits.views else None


def _user_refusal(graph: XlaGraph, paths: Paths[Instruction], producer: Instruction, user: Instruction) -> str | None:
    if not _is_candidate(user):
        return "consumer not eligible as multi-output fusion root"
    why = _shape_refusal(graph, producer, user)
    if why is not None:
        return why
    if paths.around(producer, user):
        return "would introduce a cycle when fused"
    if saved_beside_us(graph, producer, user) < 0:
        return "will execute slower if fused"
    return _budget_refusal(graph, producer, user)


def _join(graph: XlaGraph, paths: Paths[Instruction], kept: Instruction, gone: Instruction, why: str) -> None:
    """Both become one instruction with all their results."""
    paths.join(kept, gone)
    graph.remove(gone)
    graph.forget(kept)
    reads = {v: kept.reads.get(v, {}) | gone.reads.get(v, {}) for v in kept.reads | gone.reads}
    kept.flops += gone.flops
    for value in kept.reads:
        graph.users[value].pop(kept, None)
    kept.roots += gone.roots
    kept.begins |= gone.begins
    kept.take(gone)
    graph.finish(kept)
    kept.reads = {
        v: places for v, places in reads.items() if not (v.owner in kept.roots and v.owner not in kept.begins)
    }
    for value in kept.reads:
        graph.users.setdefault(value, {})[kept] = None
    for op in gone.roots:
        for result in op.results:
            if op not in gone.begins:
                graph.definer[result] = kept
    kept.kind = "input" if "input" in (kept.kind, gone.kind) else kept.kind
    kept.why += [*gone.why, why]
