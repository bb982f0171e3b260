"""What functions and calls say beside their types: strides, named sizes, shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import CallMethodKey
from torch.utils._pytree import tree_flatten_with_path
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute

from lowering.fx_to_tensor.sizes import Sizes
from lowering.fx_to_tensor.targets import returns_alias
from mlc_dialects.common.annotations import ALIAS, OPERAND_STRIDES, STRIDES, SYMBOLS, VIEW


def call_attributes(target: Any, results: Sequence[Any], operands: Sequence[Any], sizes: Sizes) -> dict[str, Attribute]:
    """The attributes of a call of `target`, results and operands as FX's metadata has them."""
    found: dict[str, Attribute] = {}
    strides = _per_value([_strides(v, sizes) for v in results])
    operand_strides = _per_value([_strides(v, sizes) for v in operands])
    symbols = [StringAttr(_symbol(v, sizes)) for v in results]
    if strides is not None:
        found[STRIDES] = strides
    if operand_strides is not None:
        found[OPERAND_STRIDES] = operand_strides
    if any(s.data for s in symbols):
        found[SYMBOLS] = ArrayAttr(symbols)
    if returns_alias(target):
        found[VIEW] = UnitAttr()
    return found


def told_dimensions(val: Any, bindings: Mapping[Any, tuple[Any, ...]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """For each tensor or number in `val` the dimensions that `bindings` (FX's "unbacked_bindings") say the call tells.

    A binding is the path of a symbol in `val`: that of a tensor, the method `size`, a dimension.
    """
    places, _ = tree_flatten_with_path(val)
    known = [{path[len(at) + 1].idx for path in bindings.values() if _is_size_of(path, at)} for at, _ in places]
    return ArrayAttr([ArrayAttr([IntegerAttr(d, i64) for d in sorted(dims)]) for dims in known])


def _is_size_of(path: tuple[Any, ...], tensor: tuple[Any, ...]) -> bool:
    """True for the path of a size of the tensor at the path `tensor`."""
    rest = path[len(tensor) :]
    return path[: len(tensor)] == tensor and len(rest) > 1 and rest[0] == CallMethodKey("size")


def own_layout(leaf: Any, type_: Attribute, known: Any, sizes: Sizes) -> Any:
    """The tensor whose strides a result of `type_` has: that of its node, else what is `known` of the value.

    Nodes of several layouts, as `x` and `x.contiguous()`, are one value.
    """
    own = leaf.meta.get("val") if isinstance(leaf, Node) else None
    if isinstance(own, torch.Tensor) and isinstance(known, torch.Tensor) and own.dtype == known.dtype:
        return own if sizes.type(own) == type_ else known
    return known


def result_attributes(fake: Any, alias: bool, sizes: Sizes) -> DictionaryAttr:
    """The attributes of a result of the function."""
    strides = _strides(fake, sizes)
    shared: dict[str, Attribute] = {ALIAS: UnitAttr()} if alias else {}
    return DictionaryAttr(({STRIDES: strides} if strides is not None else {}) | shared)


def attribute_list(entries: Sequence[DictionaryAttr]) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of all arguments or results; None where there are none."""
    return ArrayAttr(entries) if any(e.data for e in entries) else None


def _symbol(number: Any, sizes: Sizes) -> str:
    """The name of a number that a call gives, or an expression in it; an empty string if nothing names it.

    A check may have said what the number is. A truth value is Eq(u0, 1): Python counts it as the number u0.
    """
    if isinstance(number, torch.SymInt):
        return str(sizes.expr(number))
    if not isinstance(number, torch.SymFloat | torch.SymBool):
        return ""
    expr = number.node.expr
    named = expr.lhs if expr.is_Relational and expr.rel_op == "==" and expr.rhs == 1 else expr
    return sizes.name(named) if named.is_Symbol else str(named) if named.is_Float else ""


def _strides(fake: Any, sizes: Sizes) -> Attribute | None:
    return sizes.strides(fake) if isinstance(fake, torch.Tensor) else None


def _per_value(strides: Sequence[Attribute | None]) -> ArrayAttr[Attribute] | None:
    """One entry a value, unit where row-major; None when all are."""
    return ArrayAttr([s or UnitAttr() for s in strides]) if any(s is not None for s in strides) else None
