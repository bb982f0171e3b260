"""What a kernel should read, where it may compute the rest: a cheapest vertex cut.

A kernel wants some values. Each of them it reads, at a cost, or computes from its operands, of which the same
is true; some values can only be read. The cheapest set of values to read separates what is wanted from what can
only be read, and is found by a greatest flow (Ford and Fulkerson, 1956), as min-cut rematerialization does for
what a backward pass keeps of a forward pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

from xdsl.ir import SSAValue

State = tuple[SSAValue, bool]
"""A value and whether its cost has been paid on the way: each value is passed once for each unit of its cost."""


def cheapest_reads(
    wanted: Sequence[SSAValue],
    operands: Callable[[SSAValue], Sequence[SSAValue] | None],
    cost: Callable[[SSAValue], int],
) -> list[SSAValue]:
    """The values to read, together the cheapest; of equal ones those that leave the least to compute.

    `operands` of a value that can only be read are None. Costs are not negative.
    """
    flow = _Flow(cache(operands), cache(cost))
    for value in wanted:
        while (path := flow.path(value)) is not None:
            flow.push(path)
    return flow.cut()


class _Flow:
    """A flow from the wanted values to those that can only be read."""

    def __init__(self, operands: Callable[[SSAValue], Sequence[SSAValue] | None], cost: Callable[[SSAValue], int]):
        self._operands = operands
        self._cost = cost
        self._through: dict[SSAValue, int] = {}
        self._along: dict[SSAValue, Counter[SSAValue]] = {}
        """Operand to the values computed from it, with what flows from them to it."""
        self._closed: dict[State, None] = {}
        """What can be reached and leads on to nothing: no way from elsewhere meets it any more."""

    def path(self, wanted: SSAValue) -> list[State] | None:
        """A shortest way from one wanted value on which more can flow; None if no more can from there."""
        reached: dict[State, State | None] = {} if (wanted, False) in self._closed else {(wanted, False): None}
        queue = list(reached)
        for state in queue:
            if state[1] and self._operands(state[0]) is None:
                return _back(state, reached)
            for following in self._steps(state):
                if following not in reached and following not in self._closed:
                    reached[following] = state
                    queue.append(following)
        self._closed |= dict.fromkeys(reached)
        return None

    def _steps(self, state: State) -> Sequence[State]:
        value, paid = state
        if paid:
            back = [(value, False)] if self._through.get(value) else []
            return [(operand, False) for operand in self._operands(value) or ()] + back
        on = [(value, True)] if self._through.get(value, 0) < self._cost(value) else []
        return on + [(user, True) for user, amount in self._along.get(value, {}).items() if amount]

    def push(self, path: Sequence[State]) -> None:
        """Lets as much more flow along `path` as it can take."""
        steps = list(pairwise(path))
        amount = min(room for a, b in steps if (room := self._room(a, b)) is not None)
        for (one, paid), (two, _) in steps:
            if one is two:
                self._through[one] = self._through.get(one, 0) + (-amount if paid else amount)
            elif paid:
                self._along.setdefault(two, Counter())[one] += amount
            else:
                self._along[one][two] -= amount

    def _room(self, a: State, b: State) -> int | None:
        """How much more can flow; None for any amount."""
        (one, paid), (two, _) = a, b
        if one is two:
            through = self._through.get(one, 0)
            return through if paid else self._cost(one) - through
        return None if paid else self._along[one][two]

    def cut(self) -> list[SSAValue]:
        """The values that can be reached and not passed, when no more can flow."""
        return [v for v, paid in self._closed if not paid and (v, True) not in self._closed]


def _back(state: State, reached: Mapping[State, State | None]) -> list[State]:
    """The way on which `state` was reached."""
    path, last = [state], reached[state]
    while last is not None:
        path.append(last)
        last = reached[last]
    return path[::-1]
