"""What the importer asks of a node's target and of a value of the host."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch.fx import Node
from xdsl.dialects.builtin import IndexType, NoneType, f64, i1
from xdsl.ir import Attribute

from mlc_dialects.tensor.collectives import is_collective_name

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


def tells_offset(node: Node) -> bool:
    """True for a call that names where in its memory a tensor begins, which no shape tells."""
    val = node.meta.get("val")
    named = isinstance(val, torch.SymInt) and val.node.expr.is_Symbol
    return named and node.target is torch.ops.aten.sym_storage_offset.default


def is_token(node: Node) -> bool:
    """True for an input that only orders calls with effects: AOTAutograd traces a tensor and passes None."""
    return bool(node.users) and all(
        user.target is torch.ops.higher_order.with_effects and user.args[0] is node for user in node.users
    )


def is_impure(target: Any, val: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """True if a call may not be dropped, repeated or moved."""
    if not isinstance(target, OpOverload):
        return isinstance(target, HigherOrderOperator)
    random = torch.Tag.nondeterministic_seeded in target.tags and not _drops_nothing(target, args, keywords)
    collective = is_collective_name(target.namespace, target._schema.name.partition("::")[2])
    return target._schema.is_mutable or random or collective or val is None


def _drops_nothing(target: OpOverload, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """True for attention without dropout, which draws no random numbers."""
    defaults = {a.name: a.default_value for a in target._schema.arguments}
    given = {**defaults, **dict(zip(defaults, args, strict=False)), **keywords}
    return given.get("dropout_p") == 0


def returns_alias(target: Any) -> bool:
    """True if a result may share memory with an operand."""
    returns = target._schema.returns if isinstance(target, OpOverload) else []
    return any(r.alias_info is not None for r in returns)


def aliasing(results: Sequence[Any]) -> list[bool]:
    """For each returned node, whether it shares memory with an input or an earlier one in the graph itself."""
    seen: set[Any] = set()
    found: list[bool] = []
    for result in results:
        root = _root(result)
        found.append(isinstance(root, Node) and (root.op != "call_function" or root in seen))
        seen.add(root)
    return found


def _root(node: Any) -> Any:
    """The node whose memory `node` looks at."""
    while isinstance(node, Node) and node.op == "call_function" and node.args:
        if node.target is not operator.getitem and not returns_alias(node.target):
            break
        container = node.args[0]
        if node.target is operator.getitem and isinstance(container, Node) and not returns_alias(container.target):
            break
        node = container
    return node
