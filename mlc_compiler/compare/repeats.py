"""Equal layers: runs of a sequence that stand there several times in a row."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.tensor.random import RandomOp
from passes.tensor.fusion.plan import Group


@dataclass(frozen=True)
class Run:
    """`period` entries from `start` on, `count` times in a row; one for what is not repeated."""

    start: int
    period: int
    count: int


def runs(keys: Sequence[Hashable], least: int = 3) -> Iterator[Run]:
    """The whole sequence as runs, in order. A repetition counts where it saves `least` entries.

    The repetition that saves most is taken first, then those before and behind it.
    """
    numbers: dict[Hashable, int] = {}
    yield from _runs(np.array([numbers.setdefault(key, len(numbers)) for key in keys]), 0, least)


def _runs(ids: np.ndarray, offset: int, least: int) -> Iterator[Run]:
    if not len(ids):
        return
    best = _best(ids)
    if best is None or best.period * (best.count - 1) < least:
        yield Run(offset, len(ids), 1)
        return
    end = best.start + best.period * best.count
    yield from _runs(ids[: best.start], offset, least)
    yield Run(offset + best.start, best.period, best.count)
    yield from _runs(ids[end:], offset + end, least)


def _best(ids: np.ndarray) -> Run | None:
    """The repetition that saves most entries; of equal ones that of the shortest period, and the first."""
    best: Run | None = None
    for period in range(1, len(ids) // 2 + 1):
        if best is not None and len(ids) - period <= best.period * (best.count - 1):
            break  # not even all of the sequence would save more
        equal = np.concatenate([[False], ids[:-period] == ids[period:], [False]])
        edges = np.flatnonzero(equal[1:] != equal[:-1])  # where stretches of equal entries begin and end, in turn
        starts, lengths = edges[::2], edges[1::2] - edges[::2]
        if not len(starts) or lengths.max() < period:
            continue
        longest = int(np.argmax(lengths // period))
        count = int(lengths[longest]) // period + 1
        if best is None or period * (count - 1) > best.period * (best.count - 1):
            best = Run(int(starts[longest]), period, count)
    return best


def kernel_key(group: Group) -> Hashable:
    """Equal for kernels that compute the same, on values of the same types."""
    places: dict[SSAValue, int] = {}

    def place(value: SSAValue) -> tuple[int, Hashable]:
        inside = not isinstance(value.owner, Block) and value.owner in members
        return places.setdefault(value, len(places)), None if inside else value.type

    members = set(group.ops)
    ops = tuple((op_key(op), tuple(map(place, op.operands)), _results(op, places)) for op in group.ops)
    return group.kind, ops, tuple(op in group.partial for op in group.ops)


def _results(op: Operation, places: dict[SSAValue, int]) -> Hashable:
    return tuple((places.setdefault(r, len(places)), r.type) for r in op.results)


def op_key(op: Operation) -> Hashable:
    """Equal for ops of one kind, with the same attributes and types; which seed random bits have does not count."""
    types = tuple(v.type for v in op.operands), tuple(v.type for v in op.results)
    ignored = {"index"} if isinstance(op, RandomOp) else ()
    return op.name, tuple((k, op.properties[k]) for k in sorted(op.properties) if k not in ignored), types
