"""Programs of one launch that take turns, since they await each other, on a machine that runs one at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextvars import copy_context
from typing import Any

from greenlet import getcurrent, greenlet

AT_ONCE = 64
"""How many programs wait before they are gone on with: more than await each other, on a GPU as well."""
MOST_ROUNDS = 100
"""Rounds in which no program ends, after which none ever will."""


def leave() -> None:
    """Called by a program that waits: the others take their turns."""
    parent = getcurrent().parent
    assert parent is not None, "only a program of `run_in_turns` may wait"
    parent.switch()


def run_in_turns(program: Callable[[], Any], places: Iterable[Any], enter: Callable[[Any], None]) -> None:
    """Runs a program for each of `places`, `enter(place)` called whenever it is its turn.

    RuntimeError if all that are left wait for ever.
    """
    waiting: deque[tuple[Any, greenlet]] = deque()

    def turn(place: Any, task: greenlet) -> bool:
        """True if the program has ended."""
        enter(place)
        task.switch()
        if not task.dead:
            waiting.append((place, task))
        return task.dead

    def one_round() -> bool:
        """True if a program has ended."""
        return any([turn(*waiting.popleft()) for _ in range(len(waiting))])

    for place in places:
        task = greenlet(program)
        task.gr_context = copy_context()  # numpy keeps there what it warns of
        turn(place, task)
        if len(waiting) >= AT_ONCE:
            one_round()
    rounds = 0
    while waiting:
        rounds = 0 if one_round() else rounds + 1
        if rounds > MOST_ROUNDS:
            raise RuntimeError(f"{len(waiting)} programs await what none of them tells")
