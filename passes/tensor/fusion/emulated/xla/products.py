"""Products of XLA: split along the inner size where that gives more programs, and fused with cheap neighbours."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp
from mlc_dialects.tensor.views import BroadcastOp
from passes.tensor.fusion.decision import value_bytes
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import Instruction
from passes.tensor.fusion.emulated.xla.ops import is_splat, sizes

MAX_PARAMETERS = 4
"""Values that one operand of a product may be computed from."""


def fuse_products(graph: XlaGraph) -> None:
    """Each product becomes one kernel with what feeds it, or two where it is split."""
    for instruction in [i for i in graph.instructions if i.kind == "matmul"]:
        op = instruction.root
        assert isinstance(op, MatmulOp)
        for value in (op.lhs, op.rhs):
            _take_operand(graph, instruction, value)
        if splits(op):
            _take_repeated(graph, instruction)
            graph.finish_later(instruction, "loop").why.append("split-k: adds up the parts of a product")
        else:
            _take_users(graph, instruction)


def splits(op: MatmulOp) -> bool:
    """True where the inner size is long beside the result: more programs if it is cut."""
    *_, m, k = sizes(op.lhs)
    n = sizes(op.rhs)[-1]
    return k >= 128 and m * n <= 512 * k


def _take_operand(graph: XlaGraph, product: Instruction, value: SSAValue) -> None:
    """Copies the pointwise ops before an operand into the product, as long as they read little more than they write."""
    parameters = 1
    while isinstance(owner := value.owner, ElementwiseOp | CastOp) and value in product.reads:
        definer, full = graph.definer[value], _full_operands(owner)
        if _reads_more(owner) or definer.ops.keys() != {owner}:
            graph.note(definer, product, "gemm-fusion: it would read more than it writes")
            return
        parameters += sum(not is_splat(v) for v in owner.operands) - 1
        if parameters > MAX_PARAMETERS:
            return
        graph.note(definer, product, "gemm-fusion: computed on the way into the product")
        graph.copy_into(definer, product)
        if not graph.users_of(definer) and not graph.escapes(definer):
            graph.remove(definer)
        if not full:
            return
        value = full[0]


def _full_operands(op: Operation) -> list[SSAValue]:
    """The operands that hold as many elements as the result."""
    return [v for v in dict.fromkeys(op.operands) if not (is_splat(v) or isinstance(v.owner, BroadcastOp))]


def _reads_more(op: Operation) -> bool:
    """True if a pointwise op may read more bytes than it writes."""
    others = [v for v in dict.fromkeys(op.operands) if not (is_splat(v) or _is_argument(v))]
    return max(len(others), len(_full_operands(op))) > 1 or any(isinstance(v.owner, BroadcastOp) for v in others)


def _is_argument(value: SSAValue) -> bool:
    """True for an argument of the function, broadcast or not."""
    owner = value.owner
    return _is_argument(owner.input) if isinstance(owner, BroadcastOp) else not isinstance(owner, Operation)


def _source_bytes(value: SSAValue) -> int:
    """What reading an operand costs: a broadcast costs its source, a constant nothing."""
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return 0
    return _source_bytes(owner.input) if isinstance(owner, BroadcastOp) else value_bytes(value)


def _take_repeated(graph: XlaGraph, product: Instruction) -> None:
    """What is broadcast is repeated inside the product."""
    for value in list(product.reads):
        definer = graph.definer.get(value)
        if definer is not None and isinstance(definer.root, BroadcastOp) and len(definer.ops) == 1:
            graph.copy_into(definer, product)
            if not graph.users_of(definer) and not graph.escapes(definer):
                graph.remove(definer)


def _take_users(graph: XlaGraph, product: Instruction) -> None:
    """Follows the only reader of the result, while it adds no tensor of the result's size."""
    while True:
        users = graph.users_of(product)
        _take_repeated(graph, product)
        if len(users) != 1 or graph.escapes(product) or len(users[0].ops) != 1:
            return
        user = users[0]
        op, value = user.root, graph.value(product)
        if not isinstance(op, ElementwiseOp | CastOp) or graph.views.get((op, value)):
            return
        if any(v != value and _source_bytes(v) * 4 > value_bytes(value) for v in op.operands):
            graph.note(product, user, "gemm-fusion: what follows reads another large tensor")
            return
        graph.note(product, user, "gemm-fusion: computed on the way out of the product")
        graph.copy_into(product, user)
        graph.remove(product)
        user.kind = "matmul"
        product = user
