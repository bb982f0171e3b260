"""Which instructions need which, while they are joined.

A spanning tree of the uses answers most questions by two comparisons: who lies below another in it needs that one,
and goes on doing so whatever is joined. All others are asked of the order in which instructions run.
"""

from __future__ import annotations

from dataclasses import dataclass

from passes.fusion.order import Node, Order
from passes.fusion.xla_graph import Instruction, XlaGraph


@dataclass(eq=False)
class _Place(Node):
    """An instruction in the order and in the tree."""

    enter: int = 0
    leave: int = 0


class Paths:
    """The uses between the instructions of a graph."""

    def __init__(self, graph: XlaGraph):
        ordered = sorted(graph.instructions, key=lambda i: graph.position[i.root])
        self._places = {instruction: _Place() for instruction in ordered}
        self._order = Order(list(self._places.values()))
        children: dict[_Place, list[_Place]] = {place: [] for place in self._places.values()}
        latest: dict[_Place, _Place] = {}
        for instruction, place in self._places.items():
            for user in graph.users_of(instruction):
                self._order.connect(place, self._places[user])
                latest[self._places[user]] = place
        for place, parent in latest.items():
            children[parent].append(place)
        _number([place for place in children if place not in latest], children)

    def between(self, a: Instruction, b: Instruction) -> bool:
        """True if one of the two needs the other."""
        first, second = self._places[a], self._places[b]
        if first.label > second.label:
            first, second = second, first
        below = first.enter <= second.enter < first.leave
        return below or second in first.feeds or self._order.obstacle(first, second) is not None

    def around(self, a: Instruction, b: Instruction) -> bool:
        """True if one of the two needs the other by way of a third."""
        return self._order.obstacle(self._places[a], self._places[b]) is not None

    def join(self, kept: Instruction, gone: Instruction) -> None:
        """`kept` stands for both from now on."""
        self._order.join(self._places[kept], self._places.pop(gone))


def _number(roots: list[_Place], children: dict[_Place, list[_Place]]) -> None:
    """Gives every place the interval of what lies below it."""
    count = 0
    todo = [(place, False) for place in reversed(roots)]
    while todo:
        place, done = todo.pop()
        if done:
            place.leave = count
            continue
        place.enter = count
        count += 1
        todo.append((place, True))
        todo += [(child, False) for child in reversed(children[place])]
