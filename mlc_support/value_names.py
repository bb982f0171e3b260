"""One name for every value of a block: a Python identifier, used by whoever speaks of ops by name."""

from __future__ import annotations

import re
from collections.abc import Collection
from keyword import iskeyword

from xdsl.ir import Block, Operation, SSAValue


def value_names(block: Block, reserved: Collection[str] = ()) -> dict[SSAValue, str]:
    """Each argument and result of `block` with its name, in program order.

    A value has the name it is printed with, or that of its op (`sub` for `mlc_tensor.sub`); equal
    names are counted, `sub`, `sub_1`. Names in `reserved` are not given out.
    """
    used = set(reserved)
    names: dict[SSAValue, str] = {}
    counts: dict[str, int] = {}
    for value in (*block.args, *(r for op in block.ops for r in op.results)):
        base = identifier(value.name_hint or _default(value))
        name = base
        while name in used:
            counts[base] = counts.get(base, 0) + 1
            name = f"{base}_{counts[base]}"
        used.add(name)
        names[value] = name
    return names


def name_of(op: Operation, names: dict[SSAValue, str]) -> str:
    """The name of an op: its first result's, or the op's own where it has none."""
    return names[op.results[0]] if op.results else short_name(op)


def short_name(op: Operation) -> str:
    """`sub` for `mlc_tensor.sub`."""
    return op.name.rpartition(".")[2]


def identifier(text: str) -> str:
    """`text` as a Python identifier: what it cannot hold becomes an underscore."""
    plain = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"_{plain}" if not plain or plain[0].isdigit() or iskeyword(plain) else plain


def _default(value: SSAValue) -> str:
    return short_name(value.owner) if isinstance(value.owner, Operation) else "arg"
