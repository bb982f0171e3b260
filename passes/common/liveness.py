"""What is alive at once, at the most: of values while a region runs op by op, or of bytes while a kernel does.

Fusion counts values before there are blocks (`values_alive` in `passes.tensor.fusion.policy`: no group may hold
more than fit), and horizontal fusion counts bytes of blocks when all is placed (`passes.triton.live_bytes`: kernels of
one launch have their registers in common).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate


def most_alive(lives: Iterable[tuple[int, int, int]], steps: int) -> int:
    """The greatest weight alive in one of `steps`, of what lives from step `first` to step `last` and weighs `weight`.

    `lives` are (first, last, weight), both steps included.
    """
    change = [0] * (steps + 1)
    for first, last, weight in lives:
        change[first] += weight
        change[last + 1] -= weight
    return max(accumulate(change))
