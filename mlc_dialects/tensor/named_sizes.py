"""Which named sizes an op reads, and which a call tells: names that order ops as operands do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Operation

from mlc_dialects.common.annotations import EVALUATE, OPERAND_STRIDES, STRIDES, SYMBOLS, listed_strides
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.calls import ExternOp, sizes_in
from mlc_dialects.tensor.ops import SizeOp
from mlc_dialects.tensor.views import RollOp, SliceOp
from mlc_support.index_expr import IndexExpr
from mlc_support.index_maps import Line
from mlc_support.index_parse import parse


def names_read(text: str) -> set[str]:
    """The names in a Python expression."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def sizes_read(op: Operation) -> set[str]:
    """The named sizes in the types and attributes of `op`."""
    names = {v.name for size in _sizes_of(op) for v in size.variables()}
    if isinstance(op, ExternOp) and op.callee.data == EVALUATE:
        (text,) = op.argument_list()
        assert isinstance(text, StringAttr)
        names |= names_read(text.data)
    return names


def _sizes_of(op: Operation) -> Iterator[IndexExpr]:
    for value in (*op.operands, *op.results):
        if isinstance(value.type, TensorType):
            yield from shape_of(value.type)
    match op:
        case SliceOp() | RollOp():
            yield from index_exprs(op.starts)
        case SizeOp():
            yield op.expr
        case ExternOp():
            yield from (parse(s.expression.data) for s in sizes_in(op.arguments, op.keywords))
            for key, values in ((STRIDES, op.results), (OPERAND_STRIDES, op.operands)):
                for position in range(len(values)):
                    yield from listed_strides(op, key, position) or ()
        case _:
            pass


def size_called(symbol: Attribute | None) -> IndexExpr | None:
    """The size that a number called `symbol` is; None if it is an expression in floats, or has no name."""
    try:
        return parse(symbol.data) if isinstance(symbol, StringAttr) and symbol.data else None
    except ValueError:
        return None


def sizes_told(call: ExternOp) -> set[str]:
    """The named sizes that become known with the results of a call."""
    symbols = call.attributes.get(SYMBOLS)
    told = [size_called(s) for s in symbols.data] if isinstance(symbols, ArrayAttr) else []
    told += [size for r in call.results if isinstance(r.type, TensorType) for size in shape_of(r.type)]
    return {line.name for size in told if size is not None and (line := Line.of(size)) is not None}
