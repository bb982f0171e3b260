"""The fusion strategy of TVM Relax (FuseOps), emulated on `mlc_tensor`.

Every op has a pattern; a node is joined with its immediate post-dominator, and with all that lies on
the paths between, where the patterns on the way allow. Three phases: products with what follows them
and pointwise ops, then views, then what feeds tuples, which `mlc_tensor` has none of. Follows
src/relax/transform/fuse_ops.cc and src/relax/analysis/graph_partitioner.cc.

What is computed from constants alone has been folded before (FoldConstant). `gather_nd` has no pattern and stays alone;
its indices are put together by a concatenation, an injective op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.views import BroadcastOp, ViewOp
from passes.tensor.fusion.decision import Decision, Group, Plan


class Pattern(IntEnum):
    """How an op's result depends on its operands; a later pattern is harder to fuse."""

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_EWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


@dataclass(frozen=True)
class TvmOptions:
    """The knobs of FuseOps."""

    max_depth: int = 256
    """Most ops of one group."""
    phases: tuple[int, ...] = (0, 1)


@dataclass(eq=False)
class Node:
    """An op, its place in the post-dominator tree, and the group it is in."""

    op: Operation
    pattern: Pattern
    escapes: bool
    """Its result leaves the function, so that nothing can be fused behind it."""
    is_places: bool = False
    """It is the concatenation of the indices of `op`, a gather."""
    feeds: list[Node] = field(default_factory=list["Node"], repr=False)
    parent: Node | None = field(default=None, repr=False)
    """The immediate post-dominator: all paths from the node run through it."""
    depth: int = 1
    way: Pattern = Pattern.ELEMWISE
    """The hardest pattern on the edges towards `parent`."""
    root: Node | None = field(default=None, repr=False)
    """The next node on the way to the one that stands for the group."""
    group_pattern: Pattern = Pattern.ELEMWISE
    anchored: bool = False
    size: int = 1

    def find(self) -> Node:
        """The node that stands for the group."""
        found = self
        while found.root is not None:
            found = found.root
        node = self
        while node.root is not None:
            node.root, node = found, node.root
        return found


def plan_tvm(block: Block, options: TvmOptions | None = None) -> Plan:
    """The kernels that TVM's FuseOps makes of `block`."""
    partition = _Partition(block, options or TvmOptions())
    partition.run()
    members: dict[Node, list[Node]] = {}
    for node in partition.nodes:
        members.setdefault(node.find(), []).append(node)
    groups = tuple(_group(root, _ops(nodes)) for root, nodes in members.items())
    return Plan("tvm", groups, tuple(partition.decisions()))


def _ops(nodes: list[Node]) -> list[Operation]:
    """What a group computes; one that only puts the places of a gather together belongs to the gather."""
    only_places = all(node.is_places or isinstance(node.op, ViewOp) for node in nodes)
    return [node.op for node in nodes if only_places or not node.is_places]


def _group(root: Node, ops: list[Operation]) -> Group:
    kind = next((k for k, t in (("matmul", MatmulOp), ("extern", ExternOp)) if isinstance(ops[0], t)), None)
    if len(ops) > 1 or kind is None:
        kind = root.group_pattern.name.lower()
    return Group(tuple(ops), kind, "a single op" if len(ops) == 1 else f"joined at their post-dominators: {kind}")


class _Partition:
    """One run over one block."""

    def __init__(self, block: Block, options: TvmOptions):
        self.options = options
        self.nodes: list[Node] = []
        self.reasons: dict[Node, tuple[bool, str]] = {}
        self.node_of: dict[Operation, Node] = {}
        self.folded = _folded(block)
        for op in block.ops:
            if op is not block.last_op and op not in self.folded and not _is_written_inline(op):
                self._add(op, any(u.operation is block.last_op for r in op.results for u in r.uses))
        for node in reversed(self.nodes):
            _find_parent(node)

    def _add(self, op: Operation, escapes: bool) -> None:
        """The node of an op, behind that of its places if it is a gather whose indices are no constants."""
        node = Node(op, pattern_of(op), escapes)
        node.group_pattern = node.pattern
        node.anchored = node.pattern == Pattern.OUT_EWISE_FUSABLE
        made = [(node, op.operands)]
        if isinstance(op, GatherOp) and not all(_is_constant(i.owner, self.folded) for i in op.indices):
            places = Node(op, Pattern.INJECTIVE, False, is_places=True, feeds=[node], group_pattern=Pattern.INJECTIVE)
            made = [(places, op.indices), (node, [op.input])]
        for each, values in made:
            self.nodes.append(each)
            for producer in _producers(op, values):
                if producer not in self.folded:
                    self.node_of[producer].feeds.append(each)
        self.node_of[op] = node

    def run(self) -> None:
        """Joins nodes with their post-dominators, phase by phase."""
        for phase in (0, 1):
            for node in self.nodes:
                if phase in self.options.phases:
                    self._try(node, phase)

    def _try(self, node: Node, phase: int) -> None:
        parent = node.parent
        if parent is None or node.pattern == Pattern.OPAQUE:
            why = "its result leaves the function" if node.escapes else "no op post-dominates it"
            self._note(node, False, why if parent is None else "an opaque op is never fused")
            return
        ways = _between(node, parent)
        if node.find() is parent.find():
            return
        if parent.find().size + sum(n.find().size for n in ways) > self.options.max_depth:
            self._note(node, False, f"more than max-depth = {self.options.max_depth} ops")
        elif self._wants(node, parent, phase):
            for each in ways:
                _merge(each, parent)
            self._note(node, True, f"phase {phase}: {_title(node.pattern)} into {_title(parent.pattern)}")

    def _wants(self, node: Node, parent: Node, phase: int) -> bool:
        """The rule of the node's pattern; notes why not."""
        kind = node.group_pattern
        if kind == Pattern.OUT_EWISE_FUSABLE and phase == 0:
            if node.way != Pattern.ELEMWISE:
                return self._note(node, False, f"what follows it is {_title(node.way)}, not elemwise")
            return self._path(node, parent, lambda pattern, sink: pattern <= Pattern.BROADCAST)
        if kind <= Pattern.BROADCAST:
            if node.way > Pattern.COMM_REDUCE:
                return self._note(
                    node, False, f"into {_title(node.way)}: only a product's results are fused, not its operands"
                )
            return self._path(node, parent, _pointwise_path)
        if kind == Pattern.INJECTIVE and phase == 1:
            return self._path(node, parent, lambda pattern, sink: pattern <= Pattern.INJECTIVE)
        if kind == Pattern.COMM_REDUCE:
            return self._note(node, False, "a reduction is the last op of its group")
        return False

    def _path(self, node: Node, parent: Node, allowed: Callable[[Pattern, bool], bool]) -> bool:
        """True if every group on the ways from `node` to `parent` is `allowed`."""
        for each in (*_between(node, parent)[1:], parent):
            pattern = each.find().group_pattern
            if not allowed(pattern, each is parent):
                where = "ends in" if each is parent else "passes"
                return self._note(
                    node, False, f"{_title(node.pattern)}: the way to the post-dominator {where} {_title(pattern)}"
                )
        return True

    def _note(self, node: Node, fuse: bool, why: str) -> bool:
        self.reasons[node] = (fuse, why)
        return False

    def decisions(self) -> Iterator[Decision]:
        """A verdict for every edge."""
        for node in self.nodes:
            _, why = self.reasons.get(node, (False, "TVM fuses a producer only into its post-dominator"))
            for reader in dict.fromkeys(reader for reader in node.feeds if reader.op is not node.op):
                together = node.find() is reader.find()
                if together and not self.reasons.get(node, (False, ""))[0]:
                    yield Decision(node.op, reader.op, True, "both lie on the way to a post-dominator")
                else:
                    yield Decision(node.op, reader.op, together, why)


def _pointwise_path(pattern: Pattern, sink: bool) -> bool:
    """Pointwise ops and views may lie on the way, which ends in one, a reduction or a product's group."""
    return pattern <= (Pattern.OUT_EWISE_FUSABLE if sink else Pattern.INJECTIVE)


def pattern_of(op: Operation) -> Pattern:
    """The pattern that TVM reads off the op's loop nest."""
    match op:
        case ElementwiseOp() | CastOp() | ConstantOp() | SizeOp():
            return Pattern.ELEMWISE
        case BroadcastOp():
            return Pattern.BROADCAST
        case ReduceOp():
            return Pattern.COMM_REDUCE
        case MatmulOp():
            return Pattern.OUT_EWISE_FUSABLE
        case _ if is_free(op) and not isinstance(op, GatherOp):
            return Pattern.INJECTIVE
        case _:
            return Pattern.OPAQUE


def _is_written_inline(op: Operation) -> bool:
    """True for a broadcast or a constant that its readers, elementwise ops, broadcast themselves."""
    made = isinstance(op, BroadcastOp) or _is_splat(op)
    return made and all(op in _broadcast_by_reader(u.operation) for u in op.results[0].uses)


def _broadcast_by_reader(reader: Operation) -> list[Operation]:
    """The operands that an elementwise op broadcasts itself: another one has its whole shape."""
    if not isinstance(reader, ElementwiseOp):
        return []
    owners = [v.owner for v in reader.operands]
    made = [o for o in owners if isinstance(o, BroadcastOp) or (isinstance(o, Operation) and _is_splat(o))]
    return made if len(made) < len(owners) else []


def _is_splat(op: Operation) -> bool:
    return isinstance(op, SizeOp) or (isinstance(op, ConstantOp) and op.splat_value is not None)


def _folded(block: Block) -> set[Operation]:
    """What is computed from constants alone, and the constants that nothing else reads."""
    found = set[Operation]()
    for op in block.ops:
        is_computed = bool(op.operands) and isinstance(op, ElementwiseOp | CastOp | ViewOp)
        if isinstance(op, IotaOp) or (is_computed and all(_is_constant(v.owner, found) for v in op.operands)):
            found.add(op)
    for op in block.ops:
        if isinstance(op, ConstantOp) and all(use.operation in found for use in op.results[0].uses):
            found.add(op)
    return found


def _is_constant(owner: Operation | Block, folded: set[Operation]) -> bool:
    return owner in folded or isinstance(owner, ConstantOp)


def _producers(op: Operation, values: Iterable[SSAValue]) -> Iterator[Operation]:
    """The ops that compute `values`, operands of `op`; inline ones are looked through."""
    inline = _broadcast_by_reader(op)
    for value in values:
        owner = value.owner
        if isinstance(owner, Operation) and (owner in inline or _is_written_inline(owner)):
            yield from (v.owner for v in owner.operands if isinstance(v.owner, Operation) and not _is_splat(v.owner))
        elif isinstance(owner, Operation):
            yield owner


def _find_parent(node: Node) -> None:
    """The immediate post-dominator: the least common ancestor of all readers."""
    if node.escapes or not node.feeds:
        node.way = Pattern.OPAQUE if node.escapes else Pattern.ELEMWISE
        return
    parent: Node | None = node.feeds[0]
    way = node.feeds[0].pattern
    for reader in node.feeds[1:]:
        parent, way = _common(parent, reader, way)
        way = max(way, reader.pattern)
    node.parent, node.way = parent, way
    node.depth = parent.depth + 1 if parent else 1


def _common(a: Node | None, b: Node | None, way: Pattern) -> tuple[Node | None, Pattern]:
    """The least common ancestor, and the hardest pattern on the ways to it."""
    while a is not b and a is not None and b is not None:
        lower = [n for n in (a, b) if n.depth == max(a.depth, b.depth)]
        way = max(way, *(n.way for n in lower))
        a = a.parent if a in lower else a
        b = b.parent if b in lower else b
    return (a if a is b else None), way


def _between(node: Node, sink: Node) -> list[Node]:
    """`node` and everything on its ways to `sink`."""
    found = dict.fromkeys([node])
    work = [node]
    while work:
        for reader in work.pop().feeds:
            if reader is not sink and reader not in found:
                found[reader] = None
                work.append(reader)
    return list(found)


def _merge(node: Node, sink: Node) -> None:
    child, parent = node.find(), sink.find()
    if child is parent:
        return
    child.root = parent
    parent.size += child.size
    if child.anchored:
        parent.anchored = True
        parent.group_pattern = max(child.group_pattern, parent.group_pattern)


def _title(pattern: Pattern) -> str:
    return pattern.name.lower().replace("_", "-")
