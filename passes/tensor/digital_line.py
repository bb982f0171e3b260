"""Digital lines: integers that are those below a straight line, between two ends.

    0, 0, 0, 1, 1, 2, 2, 3               (3 * i) // 7
    0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2      max(i // 3 - 1, 0): the first number stands more often than a line has it

So go the rows of a small image that an enlarged one is made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
FREE = 1 << 40
"""Beyond all that a line reaches."""


@dataclass(frozen=True)
class DigitalLine:
    """The integers `(factor * i + offset) // divisor` for i = 0, 1, 2, ..., by a positive divisor.

    If it is `clamped`, those that lie beyond the least or the greatest number are that number.
    """

    factor: int
    offset: int
    divisor: int
    clamped: bool = False


def digital_line(numbers: Integers) -> DigitalLine | None:
    """The line of two or more numbers of less than 40 bits, clamped where it has to be; None if they have none."""
    found = _line_between(numbers, numbers + 1)
    if found is not None:
        return DigitalLine(*found)
    lower = np.where(numbers == numbers.min(), -FREE, numbers)
    upper = np.where(numbers == numbers.max(), FREE, numbers + 1)
    found = _line_between(lower, upper)
    return None if found is None else DigitalLine(*found, clamped=True)


def _line_between(lower: Integers, upper: Integers) -> tuple[int, int, int] | None:
    """Factor, offset and divisor of a line with `lower[i] <= line(i) < upper[i]` that has the smallest divisor.

    Two places that are d apart bound the slope: what the line rises from one to the other is more than
    `lower[i + d] - upper[i]`, and less than `upper[i + d] - lower[i]`. Where all these bounds leave a slope there is an
    offset for it as well (Helly's theorem: intervals that meet in pairs have a point in common).
    """
    apart = range(1, len(lower))
    least = max(Fraction(int((lower[d:] - upper[:-d]).max()), d) for d in apart)
    most = min(Fraction(int((upper[d:] - lower[:-d]).min()), d) for d in apart)
    if least >= most:
        return None
    slope = _simplest_between(least, most)
    offset = (slope.denominator * lower - slope.numerator * np.arange(len(lower))).max()
    return slope.numerator, int(offset), slope.denominator


def _simplest_between(least: Fraction, most: Fraction) -> Fraction:
    """The fraction with the smallest denominator that lies between two others, and is neither."""
    whole = least.numerator // least.denominator
    if whole + 1 < most:
        return Fraction(whole + 1)
    rest, limit = least - whole, most - whole
    if not rest:  # between 0 and a limit of at most 1
        return whole + Fraction(1, limit.denominator // limit.numerator + 1)
    return whole + 1 / _simplest_between(1 / limit, 1 / rest)
