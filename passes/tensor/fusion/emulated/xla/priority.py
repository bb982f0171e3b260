"""Priority fusion: a producer goes into all of its users or into none; what saves most goes first."""

from __future__ import annotations

import heapq
from itertools import combinations
from math import prod

from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.views import CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp
from mlc_dialects.tensor.windows import windows
from passes.tensor.fusion.emulated.xla.cost import saved_us
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import REGROUPED, ROWS_MERGED, Instruction, Kinds
from passes.tensor.fusion.emulated.xla.ops import mixes

BITCASTS = Kinds({ReshapeOp, REGROUPED, ROWS_MERGED})
"""Views that are none in memory."""
MOVES = Kinds({RollOp, PadOp, CatOp})
"""Views that tiles of whole rows cannot follow."""


def fuse_by_priority(graph: XlaGraph) -> None:
    """Fuses until no producer is left whose fusion is allowed and saves time."""
    queue = _Queue(graph)
    for instruction in list(graph.instructions):
        queue.enter(instruction)
    while (producer := queue.next()) is not None:
        users, bitcasts = graph.readers_of(producer)
        saved = saved_us(graph, producer)
        why = f"priority-fusion: saves {saved:.2f} us in {len(users)} user(s)"
        touched: dict[Instruction, None] = dict.fromkeys(users)
        for user in users:
            graph.note(producer, user, why, saved)
            kind = "triton" if "triton" in (producer.kind, user.kind) else fused_kind(graph, producer, user)
            graph.copy_into(producer, user)
            user.kind = kind
            user.why.append("priority-fusion")
        if not bitcasts:
            graph.remove(producer)
        for user in users:
            touched |= {graph.definer[v]: None for v in user.reads if v in graph.definer}
        for instruction in touched:
            queue.enter(instruction)


class _Queue:
    """Producers by what their fusion saves; an entry that has become old is passed over."""

    def __init__(self, graph: XlaGraph):
        self._graph = graph
        self._heap: list[tuple[float, int, Instruction]] = []
        self._priority: dict[Instruction, float] = {}

    def enter(self, producer: Instruction) -> None:
        """Judges the producer anew."""
        self._priority.pop(producer, None)
        if producer not in self._graph.instructions or self._refused(producer):
            return
        saved = saved_us(self._graph, producer)
        if saved < 0:
            self._graph.note(producer, None, f"priority-fusion: would lose {-saved:.2f} us", saved)
            return
        self._priority[producer] = saved
        heapq.heappush(self._heap, (-saved, -self._graph.position[producer.root], producer))

    def next(self) -> Instruction | None:
        """The best producer that may still be fused."""
        while self._heap:
            key, _, producer = heapq.heappop(self._heap)
            if self._priority.get(producer) == -key and producer in self._graph.instructions:
                del self._priority[producer]
                if not self._refused(producer):
                    return producer
        return None

    def _refused(self, producer: Instruction) -> bool:
        why = refusal(self._graph, producer)
        if why is not None:
            self._graph.note(producer, None, f"priority-fusion: {why}")
        return why is not None


def refusal(graph: XlaGraph, producer: Instruction) -> str | None:
    """Why the producer cannot go into all of its users; None if it can."""
    users, bitcasts = graph.readers_of(producer)
    if not producer.is_fusible:
        return "the producer is not fusible"
    if graph.is_result(producer):
        return "not fusing into the output of the root instruction"
    if not users:
        return "not fusing because there are only bitcast users" if bitcasts else "no users to fuse"
    if producer.begins.keys() & set(producer.roots):
        return "partial results are read by their own second step alone"
    return next((why for u in users if (why := _pair_refusal(graph, producer, u)) is not None), None)


def _pair_refusal(graph: XlaGraph, producer: Instruction, user: Instruction) -> str | None:
    if not user.is_fusible:
        return "the consumer is not fusible"
    if "triton" in (producer.kind, user.kind):
        if producer.kind != "triton" and _reads_elements(producer):
            return "the fusion would read elements that are looked up one by one, a transaction for each"
        return _triton_refusal(producer, user, graph.kinds_between(producer, user))
    return _emitter_refusal(graph, producer, user) or _budget_refusal(graph, producer, user)


def _emitter_refusal(graph: XlaGraph, producer: Instruction, user: Instruction) -> str | None:
    """Reductions, transposes and scatters have emitters of their own."""
    if producer.traits.reduces and user.traits.reduces:
        return "both the producer and the consumer contain a reduce"
    if producer.kind == "input" and fused_kind(graph, producer, user) == "loop":
        return "fusion into output of a reduce fusion would create a loop fusion"
    if producer.traits.moves and isinstance(producer.root, PermuteOp):
        readers = graph.readers_in(graph.value(producer), user)
        if not all(isinstance(op, ElementwiseOp | CastOp | ReduceOp | SliceOp) for op in readers):
            return "the fusion would read a transpose again and again, a sector for each element"
    return _scatter_refusal(graph, producer, user)


def _budget_refusal(graph: XlaGraph, producer: Instruction, user: Instruction) -> str | None:
    operands = len(producer.reads) + len(user.reads) - 1 + 1
    if operands > graph.max_operands:
        return f"{operands} operands and outputs are more than {graph.max_operands}"
    return None


def _scatter_refusal(graph: XlaGraph, producer: Instruction, user: Instruction) -> str | None:
    """A scatter writes in place: what it writes into is not computed inside, and nothing follows it."""
    if producer.kind == "scatter":
        return "a scatter has no elements of its own"
    if user.kind != "scatter":
        return None
    into = graph.roots(user.root.operands[0])
    if graph.value(producer) in into:
        return "do not fuse into the in-place operand of scatter"
    return "it uses the in-place operand of a scatter" if any(v in into for v in producer.reads) else None


def _reads_elements(producer: Instruction) -> bool:
    """True if it reads the result of a gather of single elements, whose last dimension XLA has made 1."""
    return any(isinstance(v.owner, GatherOp) and not windows(v.owner).of for v in producer.reads)


def _triton_refusal(producer: Instruction, user: Instruction, between: Kinds) -> str | None:
    """Tiles of whole rows must do for all ops."""
    both = producer.traits | user.traits
    inside = between.union(*(i.traits.views for i in (producer, user) if i.kind != "triton"))
    if REGROUPED in inside:
        return "fusion can not be tiled with SymbolicTileAnalysis: Bailing out on reshape"
    if ROWS_MERGED in inside and both.rows:
        return "fusion can not be tiled with SymbolicTileAnalysis: rows of several dimensions"
    if both.views & MOVES:
        return "fusion can not be tiled with SymbolicTileAnalysis: a view that moves elements"
    if both.untiled:
        return "fusion can not be tiled with SymbolicTileAnalysis: no valid tilings found"
    if any(a[-1] != b[-1] or prod(a) != prod(b) or mixes(a, b) for a, b in combinations(both.rows, 2)):
        return "fusion can not be tiled with SymbolicTileAnalysis: rows of different shapes"
    return None


def fused_kind(graph: XlaGraph, producer: Instruction, user: Instruction) -> str:
    """The emitter of the fusion of two: a reduction keeps its own behind a chain of unary ops."""
    if user.kind in ("input", "scatter"):
        return user.kind
    if producer.kind == "input" and _is_epilogue(graph, producer, user):
        return "input"
    return user.kind if user.kind != "input" else "loop"


def _is_epilogue(graph: XlaGraph, producer: Instruction, user: Instruction) -> bool:
    return user.traits.unary and graph.kinds_between(producer, user) <= BITCASTS
