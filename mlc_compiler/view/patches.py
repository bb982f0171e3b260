"""What changed between two texts, as the lines to take out and to put in."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

Patch = list[tuple[int, int, list[str]]]
"""Of each change: the first line in the old text, how many lines go, and the lines that come."""


def patch(before: Sequence[str], after: Sequence[str]) -> Patch:
    """The changes that lead from one text to the other, in order."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old or not new:
        return [(head, len(old), [*new])] if old or new else []
    codes = SequenceMatcher(None, old, new).get_opcodes()
    return [(head + i, j - i, [*new[k:m]]) for tag, i, j, k, m in codes if tag != "equal"]


def patched(before: Sequence[str], changes: Patch) -> list[str]:
    """The text after `changes`."""
    lines = [*before]
    for start, removed, added in reversed(changes):
        lines[start : start + removed] = added
    return lines


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    """How many lines two texts begin with together."""
    count = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        count += 1
    return count
