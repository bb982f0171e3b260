"""The arguments of a call of PyTorch as Python text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    NoneAttr,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, Operation

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.tensor.calls import OperandAttr, PythonAttr, SizeAttr
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr
from mlc_support.locations import location_of
from mlc_support.python_text import is_expression

BINDINGS = {
    **{f"aten.{name}.default": f"torch.{name}" for name in ("mm", "bmm", "addmm", "baddbmm")},
    "mlc.linear_gradients.default": "linear_gradients",
}
"""Functions that programs call without PyTorch's dispatcher.

Those of PyTorch have one overload, and save a detour through Python. Ours gives a result in the memory of an operand,
which PyTorch warns of.
"""
_OPERAND = re.compile(r"\bd(\d+)\b")


def callee_text(callee: str) -> str:
    """The function that the call of `callee` calls."""
    plain = callee.split(".")[0] in ("operator", "math") or callee.startswith("objects[")
    return callee if plain else BINDINGS.get(callee, f"torch.ops.{callee}")


def argument_text(attribute: Attribute, op: Operation, operands: Sequence[str]) -> str:
    """One entry of the argument list of the call `op`, whose operands are written as `operands`."""
    match attribute:
        case OperandAttr():
            return operands[attribute.index]
        case PythonAttr():
            return attribute.text.data
        case SizeAttr():
            return python_text(index_exprs(ArrayAttr([attribute.expression]))[0])
        case UnitAttr() | NoneAttr():
            return "None"
        case ArrayAttr():
            return f"[{', '.join(argument_text(a, op, operands) for a in attribute.data)}]"
        case DictionaryAttr():
            items = (f"{k!r}: {argument_text(a, op, operands)}" for k, a in attribute.data.items())
            return f"{{{', '.join(items)}}}"
        case StringAttr():
            return repr(attribute.data)
        case FloatAttr():
            number = attribute.value.data
            return repr(number) if abs(number) < float("inf") else f'float("{number}")'
        case IntegerAttr():
            is_truth = attribute.type == i1
            return str(bool(attribute.value.data)) if is_truth else str(attribute.value.data)
        case _:
            raise MlcError(f"{op.name}: cannot print the argument {attribute}", location=location_of(op))


def python_text(expr: IndexExpr) -> str:
    """An index expression in Python's operators."""
    return str(expr).replace("floordiv", "//").replace(" mod ", " % ")


def index_text(expr: str, operands: Sequence[str], op: Operation) -> str:
    """The text of an index expression with `operands` for d0, d1, ...; MlcError of `op` where it is none."""
    python = expr.replace("floordiv", "//").replace(" mod ", " % ")
    if (
        {*python} & {*"\"'"}
        or not is_expression(python)
        or any(int(k) >= len(operands) for k in _OPERAND.findall(python))
    ):
        raise MlcError(f"not an index expression over {len(operands)} operands: {expr!r}", location_of(op))
    return _OPERAND.sub(lambda m: operands[int(m[1])], python)


def tuple_text(exprs: Sequence[IndexExpr]) -> str:
    """Index expressions as a tuple in Python."""
    texts = [python_text(e) for e in exprs]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
