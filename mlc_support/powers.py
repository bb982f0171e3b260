"""Powers of two: the sizes that blocks have. The power mean: how long several parts take that run beside each other."""

from __future__ import annotations

from collections.abc import Iterable


def power_of_two(size: int | None) -> int:
    """The least power of two that is not below `size`, 1 at least; a large one for an unknown size."""
    return 1 << 30 if size is None else 1 << max(0, size - 1).bit_length()


def holds_little_more(size: int, block: int, parts: int) -> bool:
    """True if blocks of `block` that hold `size` hold no more beyond it than one part of it in `parts`."""
    return parts * (-size % block) <= size


def power_of_two_up_to(size: int) -> int:
    """The greatest power of two that is not above `size`; 0 for 0."""
    return 1 << size.bit_length() >> 1


def power_mean(times: Iterable[float], exponent: float) -> float:
    """The longest, and a little more where others are about as long."""
    return sum(us**exponent for us in times) ** (1 / exponent)
