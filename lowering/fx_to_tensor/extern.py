"""Calls of PyTorch ops as data: Python arguments to attributes, and back again.

`encode` and `callee_name` write what `decode` and `resolve` read. Objects with no text of
their own (graphs of higher-order ops, generators) stand in a side table as `objects[i]`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._ops import HigherOrderOperator, OpOverload
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.tensor.calls import OperandAttr, PythonAttr, SizeAttr
from mlc_dialects.tensor.views import viewed
from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse

_NAMED = (torch.dtype, torch.layout, torch.memory_format)
_MODULES = {"_operator": "operator", "operator": "operator", "math": "math"}


class Overwritten:
    """Which arguments copies have overwritten: who names one behind the first of them means what it held before."""

    def __init__(self) -> None:
        self._first: dict[SSAValue, Operation] = {}

    def since(self, value: SSAValue) -> Operation | None:
        """The first copy into the argument that `value` is, or is a view of; None if there was none."""
        return self._first.get(viewed(value))

    def add(self, copy: Operation) -> None:
        """Notes a copy, the first operand of which is overwritten."""
        self._first.setdefault(viewed(copy.operands[0]), copy)


class Encoder:
    """Turns the arguments of one call into attributes; tensors join `operands`."""

    def __init__(self, objects: list[Any]):
        self.operands: list[SSAValue] = []
        self._objects = objects

    def encode(self, value: Any) -> Attribute:
        """The attribute that stands for a Python argument."""
        match value:
            case None:
                return UnitAttr()
            case SSAValue():
                return self._operand(value)
            case IndexExpr():
                constant = value.constant
                return SizeAttr(StringAttr(str(value))) if constant is None else self.encode(constant)
            case bool():
                return IntegerAttr(int(value), i1)
            case int() if -(2**63) <= value < 2**63:
                return IntegerAttr(value, i64)
            case float():
                return FloatAttr(value, f64)
            case str():
                return StringAttr(value)
            case list() | tuple() if type(value) is not torch.Size:
                return ArrayAttr([self.encode(v) for v in value])
            case dict() if all(isinstance(k, str) for k in value):
                return DictionaryAttr({k: self.encode(v) for k, v in value.items()})
            case _:
                return PythonAttr(StringAttr(self._text(value)))

    def _operand(self, value: SSAValue) -> OperandAttr:
        if value not in self.operands:
            self.operands.append(value)
        return OperandAttr(StringAttr(str(self.operands.index(value))))

    def _text(self, value: Any) -> str:
        """Python that evaluates to `value`."""
        if isinstance(value, _NAMED):
            return str(value)
        if isinstance(value, torch.device):
            return f"torch.{value!r}"
        if isinstance(value, complex):
            return f'complex("{value}")'  # NaN, infinities and -0.0 included
        if isinstance(value, int):
            return repr(value)
        return object_name(value, self._objects)


def object_name(value: Any, objects: list[Any]) -> str:
    """`objects[i]`, where the side table has or now gets `value`."""
    for position, known in enumerate(objects):
        if known is value:
            return f"objects[{position}]"
    objects.append(value)
    return f"objects[{len(objects) - 1}]"


def callee_name(target: Any, objects: list[Any]) -> str:
    """The name of a call's target: `aten.cumsum.default`, `higher_order.cond`, `operator.mul`."""
    if isinstance(target, OpOverload):
        return str(target)
    if isinstance(target, HigherOrderOperator) and hasattr(torch.ops.higher_order, target.__name__):
        return f"higher_order.{target.__name__}"
    module = _MODULES.get(getattr(target, "__module__", ""))
    if module is not None:
        return f"{module}.{target.__name__}"
    return object_name(target, objects)


def resolve(callee: str, objects: Sequence[Any] = ()) -> Callable[..., Any]:
    """The Python function that `callee_name` named (`mlc.eval` aside)."""
    namespace, _, rest = callee.partition(".")
    if callee.startswith("objects["):
        return objects[int(callee[len("objects[") : -1])]
    if namespace in ("operator", "math"):
        return getattr(operator if namespace == "operator" else math, rest)
    found: Any = getattr(torch.ops, namespace)
    for part in rest.split("."):
        found = getattr(found, part)
    return found


def evaluate_sizes(text: str, sizes: Mapping[str, int]) -> Any:
    """What the call `mlc.eval` of `text` gives under these sizes."""
    return eval(text, {"math": math, "torch": torch, **sizes})


def decode(attribute: Attribute, operands: Sequence[Any], sizes: Mapping[str, int], objects: Sequence[Any] = ()) -> Any:
    """The Python argument an attribute stands for, given operand values and named sizes."""
    match attribute:
        case OperandAttr():
            return operands[attribute.index]
        case SizeAttr():
            return parse(attribute.expression.data).evaluate(sizes)
        case PythonAttr():
            return eval(attribute.text.data, {"torch": torch, "objects": objects})
        case UnitAttr():
            return None
        case IntegerAttr():
            return bool(attribute.value.data) if attribute.type == i1 else attribute.value.data
        case FloatAttr():
            return attribute.value.data
        case StringAttr():
            return attribute.data
        case ArrayAttr():
            return [decode(a, operands, sizes, objects) for a in attribute.data]
        case DictionaryAttr():
            return {k: decode(a, operands, sizes, objects) for k, a in attribute.data.items()}
        case _:
            raise ValueError(f"no Python argument is written {attribute}")
