"""What generated programs call the functions and kernels of a module."""

from __future__ import annotations

import keyword

from xdsl.dialects import func
from xdsl.ir import Operation

from mlc_dialects.common.index_syntax import RESERVED
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from mlc_support.python_text import is_identifier


def host_name(function: func.FuncOp) -> str:
    """What the Python function of `function` is called: its own name, unless that is taken."""
    name = function.sym_name.data
    return f"{name}_" if name in RESERVED or keyword.iskeyword(name) else python_name(function, name)


def python_name(op: Operation, name: str) -> str:
    """The name of `op` in Python. MlcError if it can be none: what a program calls things must not become code."""
    if is_identifier(name):
        return name
    hint = "letters of ASCII, digits and _, and no word of Python"
    raise MlcError(f"{op.name}: {name!r} cannot be a name in Python", location_of(op), hint)
