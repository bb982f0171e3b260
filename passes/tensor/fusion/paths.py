"""Which kernels need which, while kernels are joined.

A spanning tree of the uses answers most questions by two comparisons: who lies below another in it needs that one,
and goes on doing so whatever is joined. All others are asked of an order in which the kernels can run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from passes.tensor.fusion.order import Node, Order

NEAR = 16
"""How many kernels are asked where they stand in the tree before the order is searched."""

KernelT = TypeVar("KernelT")


@dataclass(eq=False)
class _Place(Node):
    """A kernel in the order and in the tree."""

    enter: int = 0
    leave: int = 0


class Paths(Generic[KernelT]):
    """The uses between kernels: `kernels` stand in an order in which they can run, `users_of` gives who reads one."""

    def __init__(self, kernels: Sequence[KernelT], users_of: Callable[[KernelT], Iterable[KernelT]]):
        self._places = {kernel: _Place() for kernel in kernels}
        self._order = Order(list(self._places.values()))
        children: dict[_Place, list[_Place]] = {place: [] for place in self._places.values()}
        latest: dict[_Place, _Place] = {}
        for kernel, place in self._places.items():
            for user in users_of(kernel):
                if user is not kernel:
                    self._order.connect(place, self._places[user])
                    latest[self._places[user]] = place
        for place, parent in latest.items():
            children[parent].append(place)
        _number([place for place in children if place not in latest], children)

    def reaches(self, a: KernelT, b: KernelT) -> bool:
        """True if `b` needs `a`, directly or through others."""
        first, second = self._places[a], self._places[b]
        return first.label < second.label and self._leads(first, second)

    def connects(self, a: KernelT, b: KernelT) -> bool:
        """True if one of the two needs the other."""
        one, two = self._places[a], self._places[b]
        return self._leads(one, two) if one.label < two.label else self._leads(two, one)

    def _leads(self, first: _Place, second: _Place) -> bool:
        if first.enter <= second.enter < first.leave or second in first.feeds:
            return True
        return _lead([first], second) or self._order.obstacle(first, second) is not None

    def around(self, a: KernelT, b: KernelT) -> bool:
        """True if one of the two needs the other by way of a third."""
        first, second = self._places[a], self._places[b]
        if first.label > second.label:
            first, second = second, first
        others = [node for node in first.feeds if node is not second]
        return _lead(others[:NEAR], second) or self._order.obstacle(first, second) is not None

    def join(self, kept: KernelT, gone: KernelT) -> None:
        """`kept` stands for both from now on."""
        self._order.join(self._places[kept], self._places.pop(gone))


def _lead(ways: list[Node], second: _Place) -> bool:
    """True if a few steps from these come to one that `second` lies below in the tree."""
    seen = set(ways)
    for node in ways:
        assert isinstance(node, _Place)
        if node.enter <= second.enter < node.leave:
            return True
        if len(ways) < NEAR:
            new = [n for n in node.feeds if n.label < second.label and n not in seen]
            seen.update(new)
            ways += new
    return False


def _number(roots: Sequence[_Place], children: dict[_Place, list[_Place]]) -> None:
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
