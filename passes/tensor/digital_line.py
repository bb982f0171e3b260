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
MOST_DIVISOR, MOST_CUTS = 1 << 19, 64
"""Of a line that is worth its division, and that is found."""


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
    `lower[i + d] - upper[i]`, and less than `upper[i + d] - lower[i]`. A slope for which no offset fits breaks such a
    bound, and that is the next to count with (a cutting plane).
    """
    places, whole = np.arange(len(lower)), len(lower) - 1
    least, most = (Fraction(int(rise), whole) for rise in (lower[-1] - upper[0], upper[-1] - lower[0]))
    for _ in range(MOST_CUTS):
        if least >= most:
            return None
        slope = _simplest_between(least, most)
        if slope.denominator > MOST_DIVISOR:
            return None
        above, under = (slope.denominator * ends - slope.numerator * places for ends in (lower, upper))
        highest, lowest = int(above.argmax()), int(under.argmin())
        if above[highest] < under[lowest]:
            return slope.numerator, int(above[highest]), slope.denominator
        bound = Fraction(int(upper[lowest] - lower[highest]), lowest - highest)
        least, most = (least, min(most, bound)) if lowest > highest else (max(least, bound), most)
    return None


def _simplest_between(least: Fraction, most: Fraction) -> Fraction:
    """The fraction with the smallest denominator that lies between two others, and is neither."""
    whole = least.numerator // least.denominator
    if whole + 1 < most:
        return Fraction(whole + 1)
    rest, limit = least - whole, most - whole
    if not rest:  # between 0 and a limit of at most 1
        return whole + Fraction(1, limit.denominator // limit.numerator + 1)
    return whole + 1 / _simplest_between(1 / limit, 1 / rest)
