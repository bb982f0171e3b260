"""What a kernel of products computes again for each score, instead of reading it from memory."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.iteration.iterate import is_cheap, is_free
from passes.tensor.fusion.decision import value_bytes

MOST_OPS = 24
"""Of what is computed again for one value, constants and views included."""
SHARE = 8
"""What a value is computed from has at most one part in so many of its bytes."""


def is_computed_again(value: SSAValue) -> bool:
    """True for what is free in every kernel, and for cheap arithmetic on much less than it: slopes times distances."""
    op = value.owner
    return isinstance(op, Operation) and (is_free(op) or (is_cheap(op) and _reads_little(value)))


def _reads_little(value: SSAValue) -> bool:
    """True if all that `value` is computed from, through cheap and free ops, is small beside it."""
    found, work, read = {value}, [value], 0
    while work and len(found) <= MOST_OPS:
        current = work.pop()
        op = current.owner
        if isinstance(op, Operation) and (is_free(op) or is_cheap(op)):
            work += [v for v in op.operands if v not in found]
            found.update(op.operands)
        else:
            read += value_bytes(current)
    return not work and SHARE * read <= value_bytes(value)
