"""`--generate-checks`: the input as a FileCheck test of what the passes make of it.

A RUN line heads the file, and CHECK lines stand above the function whose result they pin; what the file had of either
before is replaced, and other comments stay. Values get names, so that the test does not depend on those of the printer.
Read what it writes: the checks say what the compiler does, not what it should do.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import SymbolOpInterface

_OURS = re.compile(r"^\s*//\s*(RUN:|CHECK(-[A-Z]+(-[0-9]+)?)?:)")
_VALUE = re.compile(r"%([A-Za-z0-9_$.-]+)")
_SPECIAL = re.compile(r"\[\[+|\{\{+")


def with_checks(pieces: Sequence[tuple[str, ModuleOp]], arguments: Sequence[str]) -> str:
    """The test of `pieces`, each a text and what the passes made of it; `arguments` are those of `mlc-opt`."""
    head = f"// RUN: mlc-opt %s {shlex.join(arguments)}".rstrip() + " | filecheck %s\n\n"
    return head + "\n// -----\n\n".join(_piece(text, module) for text, module in pieces)


def _piece(text: str, module: ModuleOp) -> str:
    """The text of one module, with the checks of each function above it."""
    lines = [line for line in text.strip("\n").splitlines() if not _OURS.match(line)]
    places = {name: k for k, line in reversed(list(enumerate(lines))) for name in _defined(line)}
    above: dict[int, list[str]] = {}
    waiting: list[str] = []
    for op in module.ops:
        waiting += _checks(op)
        place = places.get(_symbol(op))
        if place is not None:
            above.setdefault(place, []).extend(waiting)
            waiting = []
    shown = [line for k, line in enumerate(lines) for line in (*above.get(k, ()), line)]
    return "\n".join([*shown, *waiting]).strip("\n") + "\n"


def _defined(line: str) -> Iterator[str]:
    """The symbol that a line of IR begins to define."""
    match = re.match(r"""\s*[\w."]+\s.*?@"?([\w$.-]+)""", line)
    if match and not line.lstrip().startswith(("//", "%")):
        yield match[1]


def _symbol(op: Operation) -> str:
    trait = op.get_trait(SymbolOpInterface)
    name = trait.get_sym_attr_name(op) if trait else None
    return name.data if name else ""


def _checks(op: Operation) -> Iterator[str]:
    """The lines that pin the text of one op of a module."""
    first, *rest = str(op).splitlines()
    names: dict[str, str] = {}
    label, parenthesis, arguments = first.partition("(")
    if _symbol(op) and parenthesis and "%" not in label:
        yield f"// CHECK-LABEL: {label}("
        yield f"// CHECK-SAME:    {_pattern(arguments, names)}"
    else:
        yield f"// CHECK: {_pattern(first, names)}"
    yield from (f"// CHECK-NEXT:  {_pattern(line, names)}" for line in rest)


def _pattern(line: str, names: dict[str, str]) -> str:
    """A line with its values named: where one comes first it is defined. `[[` and `{{` stand for themselves."""
    escaped = _SPECIAL.sub(lambda match: "{{" + "".join(f"\\{c}" for c in match[0]) + "}}", line.rstrip())
    return _VALUE.sub(lambda match: _variable(match[1], names), escaped)


def _variable(value: str, names: dict[str, str]) -> str:
    if value in names:
        return f"%[[{names[value]}]]"
    wanted = re.sub(r"\W", "_", value if not value[0].isdigit() else f"V{value}").upper()
    while wanted in names.values():
        wanted += "_"
    names[value] = wanted
    return f"%[[{wanted}:[A-Za-z0-9_]+]]"
