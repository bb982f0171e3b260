"""The strings that stand under the fields of a class: Python throws them away, and people want to read them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")


def field_docs(cls: type) -> Iterator[tuple[str, str]]:
    """The name of each field of `cls` that has a string under it, and the string on one line."""
    try:
        source = textwrap.dedent(inspect.getsource(cls))
    except (OSError, TypeError):  # a class without a file
        return
    (made,) = ast.parse(source).body
    body = made.body if isinstance(made, ast.ClassDef) else []
    for field, text in pairwise(body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(told))):
                yield name, " ".join(told.split())
            case _:
                continue


def shown_by_help(cls: type[T]) -> type[T]:
    """Puts the strings under the fields of `cls` into its docstring, which `help` shows."""
    told = (
        textwrap.fill(f"{name}: {text}", 100, subsequent_indent="    ", break_on_hyphens=False)
        for name, text in field_docs(cls)
    )
    cls.__doc__ = "\n\n".join([inspect.getdoc(cls) or "", "\n".join(told)])
    return cls
