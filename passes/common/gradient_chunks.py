"""How many rows of a weight's gradient are computed at once, where it takes the memory of what it is computed from."""

from __future__ import annotations

from passes.common.device import Processor
from passes.common.product_tiling import LEAST

LARGER = 8
"""So many times the elements of the operand, at least, does the result of a layer have that this is done for."""


def classes_at_once(tokens: int, width: int, classes: int, element_bytes: int, processor: Processor) -> int | None:
    """The rows of a gradient [classes, width] to compute at once; None where one product for all is better.

    Each multiprocessor computes two blocks at once then, whose sums take half of its registers. A chunk takes memory
    beside the rest, as much as its logits. It should be less than what is saved: the smaller of logits and gradient.
    """
    blocks = 2 * processor.multiprocessors * (processor.registers_per_multiprocessor // 2)
    chunk = -(-blocks // (width * LEAST)) * LEAST
    saved = (classes * min(tokens, width) - chunk * tokens) * element_bytes
    is_large = classes >= LARGER * width and tokens >= LEAST and saved >= processor.l2_bytes
    return chunk if is_large and chunk < classes else None
