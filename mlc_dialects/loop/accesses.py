"""Which buffers are loaded and stored, in a kernel, a loop or any other op."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc_dialects.loop.memory import LoadOp, StoreOp
from mlc_support.walks import walk


def loaded_in(root: Operation) -> set[SSAValue]:
    """The buffers that `root`, or an op inside it, loads from."""
    return {op.buffer for op in walk(root) if isinstance(op, LoadOp)}


def stored_in(root: Operation) -> set[SSAValue]:
    """The buffers that `root`, or an op inside it, stores to."""
    return {op.buffer for op in walk(root) if isinstance(op, StoreOp)}
