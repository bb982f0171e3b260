"""How many rows of a weight's gradient are computed at once, where it takes the memory of what it is computed from."""

from __future__ import annotations

from passes.common.device import WIDEST_BYTES, Device, Processor
from passes.common.product_tiling import LEAST

LARGER = 4
"""So many times as large as its operand is, at least, the result of a layer that this is done for."""


def classes_at_once(tokens: int, width: int, classes: int, element_bytes: int, processor: Processor) -> int | None:
    """The rows of a gradient [classes, width] to compute at once; None where one product for all is better.

    Each multiprocessor computes two blocks at once then, whose sums take half of its registers. A chunk takes memory
    beside the rest, as much as its logits. That is to be less than what is saved, the smaller of logits and gradient,
    by more than the cache holds. Not where rows of as many elements as there are tokens, or of the width, would begin
    between vectors, which products are slow to load; and never on a CPU, whose kernels read rows of classes faster.
    """
    aligned = tokens * element_bytes % WIDEST_BYTES == 0 and width * element_bytes % WIDEST_BYTES == 0
    if not isinstance(processor, Device) or not aligned or classes < LARGER * width:
        return None
    blocks = 2 * processor.multiprocessors * (processor.registers_per_multiprocessor // 2)
    chunk = -(-blocks // (width * LEAST)) * LEAST
    saved = (classes * min(tokens, width) - chunk * tokens) * element_bytes
    return chunk if saved >= processor.l2_bytes and chunk < classes else None
