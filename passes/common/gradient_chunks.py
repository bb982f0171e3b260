"""How many rows of a weight's gradient are computed at once, where it takes the memory of what it is computed from."""

from __future__ import annotations

from passes.common.device import WIDEST_BYTES, Device, Processor

LARGER = 4
"""So many times as large as its operand is, at least, the result of a layer that this is done for."""
TALLEST = 256
"""Rows of the library's blocks, or a multiple of theirs: of other chunks the last blocks are a wave of their own.

Chunks of 2048 rows are 7 % faster than of 2112, on an H200 with a width of 4096.
"""


def classes_at_once(tokens: int, width: int, classes: int, element_bytes: int, processor: Processor) -> int | None:
    """The rows of a gradient [classes, width] to compute at once; None where one product for all is better.

    Each multiprocessor computes at most two blocks then, whose sums take half of its registers. A chunk takes memory
    beside the rest, as much as its logits. That is to be less than what is saved, the smaller of logits and gradient,
    by more than the cache holds. Not where rows of as many elements as there are tokens, or of the width, would begin
    between vectors, which products are slow to load; and never on a CPU, whose kernels read rows of classes faster.
    """
    aligned = tokens * element_bytes % WIDEST_BYTES == 0 and width * element_bytes % WIDEST_BYTES == 0
    if not isinstance(processor, Device) or not aligned or classes < LARGER * width:
        return None
    blocks = 2 * processor.multiprocessors * (processor.registers_per_multiprocessor // 2)
    chunk = max(1, blocks // (width * TALLEST)) * TALLEST
    saved = (classes * min(tokens, width) - chunk * tokens) * element_bytes
    return chunk if saved >= processor.l2_bytes and chunk < classes else None
