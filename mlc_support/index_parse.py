"""Reads index expressions from text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable


class IndexSyntaxError(MlcError, ValueError):
    """A text that is no index expression."""


@lru_cache(maxsize=4096)
def parse(text: str, variables: Callable[[str], IndexExpr] = variable) -> IndexExpr:
    """Reads what `str(IndexExpr)` writes; `variables` gives the meaning of a name.

    Raises IndexSyntaxError for anything else.
    """
    return _plain(text) if variables is variable else _read(text, variables)


@lru_cache(maxsize=1 << 14)
def _plain(text: str) -> IndexExpr:
    """Each text is read once: passes read the same ones many times."""
    return _read(text, variable)


def _read(text: str, variables: Callable[[str], IndexExpr]) -> IndexExpr:
    try:
        tree = ast.parse(text.replace(" floordiv ", " // ").replace(" mod ", " % "), mode="eval")
        return _from_ast(tree.body, variables, text)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise IndexSyntaxError(f"not an index expression: {text!r}") from error


_BINARY: dict[type[ast.operator], Callable[[IndexExpr, IndexExpr], IndexExpr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


def _from_ast(node: ast.expr, variables: Callable[[str], IndexExpr], text: str) -> IndexExpr:
    match node:
        case ast.Constant(value=int(value)):
            return integer(value)
        case ast.Name(id=name):
            return variables(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_from_ast(operand, variables, text)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            combine = _BINARY[type(op)]
            return combine(_from_ast(left, variables, text), _from_ast(right, variables, text))
        case _:
            raise IndexSyntaxError(f"not an index expression: {text!r}")
