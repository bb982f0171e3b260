"""Walks over graphs of values, which visit each item once however many paths lead to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def meets(start: Item, step: Callable[[Item], bool | Iterable[Item]]) -> bool:
    """True if a walk from `start` meets an item of which `step` is true; else that gives the items to go on with."""
    seen: set[Item] = set()
    work = [start]
    while work:
        item = work.pop()
        if item in seen:
            continue
        seen.add(item)
        found = step(item)
        if found is True:
            return True
        work += found or ()
    return False
