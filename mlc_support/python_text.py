"""Names, comments and expressions of a program in generated Python: what it says can never become a statement.

IR files come from strangers. A name that is no identifier is refused, a comment is one line, and an expression is one
of a small grammar:

    expr ::= number | string | None | name | torch.word | math.word | objects[number]
           | expr operator expr | operator expr | expr if expr else expr | function(expr, ..., word=expr)
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from functools import lru_cache

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_FUNCTIONS = re.compile(r"min|max|abs|int|float|bool|round|complex|math\.[a-z]\w*|torch\.device|torch\._?sym_\w+")
_CALLEE = re.compile(r"objects\[\d+\]|[A-Za-z_]\w*(\.\w+){1,2}", re.ASCII)
_SPECIAL = re.compile(r"(^|\.)__(?!i?(and|or|xor|lshift|rshift)__)")
_BEYOND_NUMBERS = frozenset({"operator.attrgetter", "operator.methodcaller", "operator.call", "aten.from_file"})
"""What runs methods by name, or opens files."""
NAMESPACES = frozenset(
    {"aten", "prims", "quantized", "torchvision", "higher_order", "operator", "math", "mlc", "objects"}
)
"""Of the operators that a file of IR may call."""
_PLAIN = (
    ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.keyword,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def is_identifier(name: str) -> bool:
    """True for a name that generated Python can define: of ASCII, since Python folds other letters together."""
    return _IDENTIFIER.fullmatch(name) is not None and not keyword.iskeyword(name)


def comment(text: str) -> str:
    """`text` as one line: what is not printable, ends of lines among it, is a blank."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def quoted(text: str) -> str:
    """`text` as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)


def is_callee(name: str) -> bool:
    """True for what a call may name: an operator with its overload, or one of a module of pure functions."""
    known = _CALLEE.fullmatch(name) and not _SPECIAL.search(name)
    return bool(known) and ".".join(name.split(".")[:2]) not in _BEYOND_NUMBERS


@lru_cache(maxsize=4096)
def is_expression(text: str) -> bool:
    """True for an expression of the grammar above: it computes a number, a type or a device, and does nothing else."""
    if "#" in text or not text.isprintable():
        return False
    try:
        tree = ast.parse(text, mode="eval")
        return _is_harmless(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _is_harmless(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return value is None or isinstance(value, int | float | str)
        case ast.Attribute(value=ast.Name(id="torch" | "math"), attr=name):
            return not name.startswith("_")
        case ast.Subscript(value=ast.Name(id="objects"), slice=ast.Constant(value=int())):
            return True
        case ast.Call(func=function, args=arguments, keywords=keywords):
            known = _FUNCTIONS.fullmatch(ast.unparse(function))
            return known is not None and all(map(_is_harmless, (*arguments, *keywords)))
        case _:
            return isinstance(node, _PLAIN) and all(map(_is_harmless, ast.iter_child_nodes(node)))
