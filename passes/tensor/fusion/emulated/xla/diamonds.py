"""Normalisation diamonds: x and something reduced from x along its rows, met again by a pointwise op.

Each becomes a Triton fusion before anything else is fused. Follows softmax_rewriter_triton.cc.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, ReshapeOp
from passes.tensor.fusion.emulated.xla.algebra import simplified_operands
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import Instruction
from passes.tensor.fusion.emulated.xla.ops import is_row_reduction, is_splat, merges_rows, sizes


def fuse_diamonds(graph: XlaGraph) -> None:
    """Turns every diamond whose ops are still apart into a Triton fusion."""
    found = [(i, ops) for i in graph.instructions if len(i.ops) == 1 and (ops := diamond(i.root)) is not None]
    for root, ops in reversed(found):
        if any(op in graph.transposed for op in ops):
            continue
        members = [graph.definer[op.results[0]] for op in ops if op is not root.root and op.results[0] in graph.definer]
        if all(m in graph.instructions and len(m.ops) == 1 for m in members):
            _fuse(graph, root, members)


def _fuse(graph: XlaGraph, root: Instruction, members: list[Instruction]) -> None:
    for member in sorted(members, key=lambda m: graph.position[m.root], reverse=True):
        graph.note(member, root, "triton-softmax: a normalisation diamond")
        graph.copy_into(member, root)
        if not graph.users_of(member) and not graph.escapes(member):
            graph.remove(member)
    root.kind = "triton"
    root.why.append("triton-softmax: a normalisation diamond")


def diamond(root: Operation) -> list[Operation] | None:
    """The ops of the diamond that ends in `root`, its producer left out; None if there is none."""
    if not isinstance(root, ElementwiseOp) or len(root.operands) != 2:
        return None
    ops: list[Operation] = [root]
    reduce = _row_reduction(root.operands[1], ops)
    if reduce is None or _is_inverse(root) or _reduces_more(reduce):
        return None
    ops.append(reduce)
    producer, other = reduce.input, simplified_operands(root)[0]
    while is_trivial(producer.owner, root if other is not root.operands[0] else None):
        ops.append(_op(producer))
        producer = _main_operand(_op(producer))
    if other is not producer and not _once(_owner(other)) and other is root.operands[0]:
        return None
    while other is not producer:
        if not is_trivial(other.owner):
            return None
        ops.append(_op(other))
        other = _main_operand(_op(other))
    return list(dict.fromkeys(ops))


def _row_reduction(value: SSAValue, ops: list[Operation]) -> ReduceOp | None:
    """The reduction of rows that `value` broadcasts, if nobody else reads it; adds the ops between to `ops`."""
    broadcast = _follow(value, BroadcastOp, ops)
    if not isinstance(broadcast, BroadcastOp) or not _once(broadcast):
        return None
    ops.append(broadcast)
    reduce = _follow(broadcast.input, ReduceOp, ops)
    return reduce if isinstance(reduce, ReduceOp) and is_row_reduction(reduce) and _once(reduce) else None


def _follow(value: SSAValue, kind: type[Operation], ops: list[Operation]) -> Operation | None:
    """The op of that kind that trivial ops lead from to `value`."""
    while not isinstance(value.owner, kind):
        if not is_trivial(value.owner):
            return None
        ops.append(_op(value))
        value = _main_operand(_op(value))
    return value.owner


def _is_inverse(root: ElementwiseOp) -> bool:
    """sigmoid(x) / y == 1 / ((1 + exp(-x)) * y): nothing of x is met again."""
    owner = root.operands[0].owner
    return root.FUNCTION.name == "div" and isinstance(owner, ElementwiseOp) and owner.FUNCTION.name == "sigmoid"


def _reduces_more(reduce: ReduceOp) -> bool:
    """True if what is reduced is a reshape whose rows are of several dimensions: those are reduced instead."""
    view = reduce.input.owner
    return isinstance(view, ReshapeOp) and merges_rows(sizes(view.input), sizes(view.result))


def is_trivial(op: object, beside: Operation | None = None) -> bool:
    """True for a pointwise op or a reshape with one reader and one operand that is no constant: it moves no memory.

    A reader that is `beside` does not count.
    """
    if not isinstance(op, ElementwiseOp | CastOp | ReshapeOp) or not _once(op, beside):
        return False
    operands = list(dict.fromkeys(op.operands))
    return len(operands) == 1 or (len(op.operands) == 2 and sum(_is_splat(v) for v in operands) == 1)


def _is_splat(value: SSAValue) -> bool:
    """A constant, or an argument of one element, everywhere the same."""
    owner = value.owner
    return is_splat(value) or (isinstance(owner, BroadcastOp) and not isinstance(owner.input.owner, Operation))


def _main_operand(op: Operation) -> SSAValue:
    return next((v for v in op.operands if not _is_splat(v)), op.operands[0])


def _once(op: Operation | None, beside: Operation | None = None) -> bool:
    return op is not None and len({u.operation for u in op.results[0].uses} - {beside}) == 1


def _owner(value: SSAValue) -> Operation | None:
    return value.owner if isinstance(value.owner, Operation) else None


def _op(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner
