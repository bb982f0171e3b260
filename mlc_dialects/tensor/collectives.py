"""Which calls are functional collectives of PyTorch: they begin a transfer between processes, or wait for one."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.ir import Operation

from mlc_dialects.tensor.calls import ExternOp

NAMESPACE = "_c10d_functional"
WAIT = "wait_tensor"
IN_PLACE = {f"{NAMESPACE}.{name}.default": f"{NAMESPACE}.{name}_.default" for name in ("all_reduce", "broadcast")}
"""Collectives whose result is as large as their operand, and the same that write it there. The others copy it first."""


def is_collective_name(namespace: str, name: str) -> bool:
    """True for an op that begins a transfer and writes none of its operands; all processes must agree on the order."""
    return namespace == NAMESPACE and name != WAIT and not name.endswith("_")


def is_collective(op: Operation) -> TypeGuard[ExternOp]:
    """True for a call that begins a transfer and writes none of its operands."""
    return isinstance(op, ExternOp) and is_collective_name(*_parts(op))


def is_wait(op: Operation) -> TypeGuard[ExternOp]:
    """True for a call that waits until a transfer has ended, and gives its result."""
    return isinstance(op, ExternOp) and _parts(op) == (NAMESPACE, WAIT)


def _parts(op: ExternOp) -> tuple[str, str]:
    namespace, _, rest = op.callee.data.partition(".")
    return namespace, rest.partition(".")[0]
