"""Lengths of the parts that rows are cut into, so that about so many programs work on them."""

from __future__ import annotations

from mlc_support.powers import power_of_two

EVEN = 128
"""Columns of which parts have whole multiples, where rows lie side by side."""
MASKED = 0.9
"""The speed of parts of which the last is shorter: each column is compared with its end. Parts of one length are 1."""


def part_length(columns: int, most: int, planes: set[int], unit: int | None = None) -> int:
    """The length of up to `most` parts: of whole planes if possible, else even.

    Else multiples of `unit`, or powers of two.
    """
    even = [n for n in range(most, most // 4, -1) if columns % n == 0]
    in_planes = [n for n in even if all(columns // n % size == 0 for size in planes)]
    count = next(iter(in_planes if planes and in_planes else [n for n in even if n > most // 2]), None)
    if count is not None:
        return columns // count
    length = -(-columns // most)
    return power_of_two(length) if unit is None else -(-length // unit) * unit


def balanced_length(columns: int, most: int, programs: int, multiprocessors: int) -> int:
    """The length of about `most` parts, each of `programs` programs, that keeps the multiprocessors busiest.

    All of them work for most of the time where their number divides that of the programs, or where there are many.
    Parts that are all of one length need no masks.
    """

    def at_work(length: int) -> float:
        total = programs * -(-columns // length)
        busy = total / (-(-total // multiprocessors) * multiprocessors) * columns / (-(-columns // length) * length)
        return busy * (MASKED if columns % length else 1)

    counts = range(most // 2 + 1, most + 1)
    lengths = {-(-columns // (count * EVEN)) * EVEN for count in counts}
    lengths |= {columns // count for count in counts if columns % count == 0}
    return max([part_length(columns, most, set(), EVEN), *sorted(lengths)], key=at_work)
