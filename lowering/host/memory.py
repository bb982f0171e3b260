"""Who sees the memory of a host program's values: kernels, and the caller."""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import func
from xdsl.ir import SSAValue

from mlc_dialects.loop.host import (
    ConstantOp,
    LaunchOp,
    may_overwrite,
    whole_buffer,
    with_views,
)


def is_launched(buffer: SSAValue) -> bool:
    """True if a kernel is given the memory of `buffer`, or of a view of it."""
    return any(isinstance(use.operation, LaunchOp) for v in with_views(buffer) for use in v.uses)


def shared_results(function: func.FuncOp) -> set[SSAValue]:
    """The results whose memory others may see too: that of an argument, of a call's result, of another result.

    PyTorch counts the writes to such memory, and refuses a gradient whose tensors were written since.
    """
    returned = [v for op in function.body.block.ops if isinstance(op, func.ReturnOp) for v in op.operands]
    roots = Counter(map(whole_buffer, returned))
    return {v for v in returned if roots[whole_buffer(v)] > 1 or not _is_own(function, whole_buffer(v))}


def _is_own(function: func.FuncOp, root: SSAValue) -> bool:
    """True if nobody but the host program sees the memory of a buffer, unless it returns it."""
    return isinstance(root.owner, ConstantOp) or may_overwrite(function, root)
