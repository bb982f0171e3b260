"""What the importer asks of a node's target and of a value of the host."""

from __future__ import annotations

from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from xdsl.dialects.builtin import IndexType, NoneType, f64, i1
from xdsl.ir import Attribute

_SIZE_OPS = (
    torch.ops.aten.sym_size,
    torch.ops.aten.sym_stride,
    torch.ops.aten.sym_numel,
    torch.ops.aten.sym_storage_offset,
)


def is_integer(val: Any) -> bool:
    return isinstance(val, int | torch.SymInt) and not isinstance(val, bool)


def is_operator(target: Any) -> bool:
    """True if the target computes sizes from sizes: Python's operators, sym_size and the like."""
    if isinstance(target, OpOverload):
        return target.overloadpacket in _SIZE_OPS
    return not isinstance(target, HigherOrderOperator)


def scalar_type(val: Any) -> Attribute:
    """The type of a value of the host that is not a tensor."""
    if isinstance(val, bool | torch.SymBool):
        return i1
    if is_integer(val):
        return IndexType()
    return f64 if isinstance(val, float | torch.SymFloat) else NoneType()


def is_impure(target: Any, val: Any) -> bool:
    """True if a call may not be dropped, repeated or moved."""
    if not isinstance(target, OpOverload):
        return isinstance(target, HigherOrderOperator)
    random = torch.Tag.nondeterministic_seeded in target.tags
    return target._schema.is_mutable or random or val is None


def returns_alias(target: Any) -> bool:
    """True if a result may share memory with an operand."""
    returns = target._schema.returns if isinstance(target, OpOverload) else []
    return any(r.alias_info is not None for r in returns)
