"""Into how many parts rows are cut, and how long those are, so that the last wave of blocks keeps the device busy."""

from __future__ import annotations

from dataclasses import dataclass

from mlc_support.powers import power_of_two

EVEN = 128
"""Columns of which parts have whole multiples, where rows lie side by side."""
BALANCED = 0.85
"""What share of the time all multiprocessors should be at work."""


@dataclass(frozen=True)
class Grid:
    """The blocks that a whole kernel runs as, the `busy` that fill the device once, and those `wanted` of its parts."""

    blocks: int
    busy: int
    wanted: int
    shortest: int
    """The fewest columns of a part."""

    def fills_device(self, few_will_do: bool) -> bool:
        """True if there are enough blocks and their last wave fills the device; `few_will_do` are always enough."""
        return (few_will_do or self.blocks >= self.busy) and fills(self.blocks, self.busy)


def fills(programs: int, busy: int) -> bool:
    """True unless the last wave of `busy` programs leaves a quarter of all the time's room empty."""
    return share_taken(programs, busy) >= 0.75


def share_taken(programs: int, busy: int) -> float:
    """What share of all the time's room waves of `busy` programs take, the last of which may not be whole."""
    return programs / (-(-programs // busy) * busy) if programs else 1.0


def even_parts(columns: int, most: int, planes: set[int], unit: int | None = None) -> tuple[int, int]:
    """How many parts, up to `most`, and their length: of whole planes if possible, else even.

    Else multiples of `unit`, or powers of two.
    """
    even = [n for n in range(most, most // 4, -1) if columns % n == 0]
    in_planes = [n for n in even if all(columns // n % size == 0 for size in planes)]
    count = next(iter(in_planes if planes and in_planes else [n for n in even if n > most // 2]), None)
    if count is not None:
        return count, columns // count
    length = -(-columns // most)
    length = power_of_two(length) if unit is None else -(-length // unit) * unit
    return -(-columns // length), length


def balanced_parts(columns: int, most: int, programs: int, multiprocessors: int) -> tuple[int, int]:
    """How many parts, up to `most`, each of `programs` programs, and their length.

    Even ones, unless all multiprocessors would be at work for less than BALANCED of the time: some have a program more.
    """

    def at_work(parts: tuple[int, int]) -> float:
        count, length = parts
        return share_taken(programs * count, multiprocessors) * columns / (count * length)

    even = even_parts(columns, most, set(), EVEN)
    if at_work(even) >= BALANCED:
        return even
    lengths = {-(-columns // (count * EVEN)) * EVEN for count in range(most // 2 + 1, most + 1)}
    return max([even, *((-(-columns // length), length) for length in sorted(lengths))], key=at_work)
