"""An order of nodes in which each follows what it needs, kept while nodes are joined.

Nodes stand in a linked list and carry labels that ascend along it, so "before" is one comparison and a
node moves without touching the others (Dietz and Sleator, 1987). Joining two nodes moves only what lies
between them and depends on one of them (Pearce and Kelly, 2006), found by searching from both ends at
once: the cost is that of the smaller side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

GAP = 1 << 32
"""Distance of neighbouring labels when all are spread anew."""
PATIENCE = 4096
"""How many nodes between the two are looked at before they count as too far apart."""


@dataclass(eq=False)
class Node:
    """A node of the order and of the graph that it follows."""

    label: int = 0
    before: Node | None = field(default=None, repr=False)
    after: Node | None = field(default=None, repr=False)
    needs: dict[Node, None] = field(default_factory=dict["Node", None], repr=False)
    feeds: dict[Node, None] = field(default_factory=dict["Node", None], repr=False)


NodeT = TypeVar("NodeT", bound=Node)


class Order:
    """The list. Edges are told by `connect`; `obstacle` asks whether two may be joined, `join` does it."""

    def __init__(self, nodes: Sequence[Node]):
        self._head = Node(0)
        last = self._head
        for position, node in enumerate(nodes, 1):
            last.after, node.before, node.label = node, last, position * GAP
            last = node

    def __iter__(self) -> Iterator[Node]:
        node = self._head.after
        while node is not None:
            yield node
            node = node.after

    @staticmethod
    def connect(producer: Node, consumer: Node) -> None:
        """`consumer` stays behind `producer`."""
        if producer is not consumer:
            producer.feeds[consumer] = None
            consumer.needs[producer] = None

    @staticmethod
    def disconnect(consumer: Node) -> None:
        """Nothing needs to stand before `consumer` any more."""
        for node in consumer.needs:
            del node.feeds[consumer]
        consumer.needs.clear()

    def join(self, kept: NodeT, gone: NodeT) -> str | None:
        """Lets `kept` stand for both; says why not where something between them stops it."""
        first, second = (kept, gone) if kept.label < gone.label else (gone, kept)
        found = _between(first, second)
        if isinstance(found, str):
            return found
        forward, moved = found
        for node in sorted(moved, key=lambda n: n.label, reverse=forward):
            self._remove(node)
            self._insert(node, second if forward else first.before)
        place = second if forward else first
        if place is gone:
            self._remove(kept)
            self._insert(kept, gone)
        self._remove(gone)
        for node in gone.needs:
            del node.feeds[gone]
            self.connect(node, kept)
        for node in gone.feeds:
            del node.needs[gone]
            self.connect(kept, node)
        return None

    @staticmethod
    def obstacle(a: Node, b: Node) -> str | None:
        """Why the two cannot be one node: something outside needs one and feeds the other."""
        first, second = (a, b) if a.label < b.label else (b, a)
        found = _between(first, second)
        return found if isinstance(found, str) else None

    @staticmethod
    def _remove(node: Node) -> None:
        assert node.before is not None
        node.before.after = node.after
        if node.after is not None:
            node.after.before = node.before

    def _insert(self, node: Node, place: Node | None) -> None:
        """Puts `node` behind `place`."""
        assert place is not None
        following = place.after
        label = place.label + GAP if following is None else (place.label + following.label) // 2
        if label == place.label:
            self._spread()
            self._insert(node, place)
            return
        node.label, node.before, node.after = label, place, following
        place.after = node
        if following is not None:
            following.before = node

    def _spread(self) -> None:
        for position, node in enumerate(self, 1):
            node.label = position * GAP


class Search:
    """A search of nodes from `start`, which does not count, along `edges`."""

    def __init__(self, start: Node, edges: Callable[[Node], Iterable[Node]]):
        self._edges = edges
        self.found = set(edges(start))
        self.todo = list(self.found)
        """Those found whose own edges have not been followed."""

    def step(self) -> list[Node]:
        """Follows the edges of one node; what was not known before."""
        new = [n for n in self._edges(self.todo.pop()) if n not in self.found]
        self.found.update(new)
        self.todo += new
        return new


def _between(first: Node, second: Node) -> tuple[bool, set[Node]] | str:
    """What must move so that the two can stand together; or why they cannot.

    (True, nodes): these depend on `first` and stand before `second`; (False, nodes): `second` depends
    on these and they stand behind `first`. Whichever of the two searches ends first.
    """
    low, high = first.label, second.label
    ahead = Search(first, lambda node: (n for n in node.feeds if n.label < high))
    behind = Search(second, lambda node: (n for n in node.needs if n.label > low))
    met = not ahead.found.isdisjoint(behind.found)
    for _ in range(PATIENCE):
        if met:
            return "another kernel must run between the two"
        if not ahead.todo or not behind.todo:
            return (True, ahead.found) if not ahead.todo else (False, behind.found)
        met = not behind.found.isdisjoint(ahead.step())
        met = not ahead.found.isdisjoint(behind.step()) or met
    return f"more than {PATIENCE} kernels lie between the two"
