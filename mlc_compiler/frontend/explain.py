"""Which ops of a graph PyTorch runs, and why: what `explain` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from mlc_dialects.common.annotations import EVALUATE, KERNEL, SEEDS, WHY
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.ops import MatmulOp
from mlc_support.locations import places
from mlc_support.walks import walk

HELPERS = (SEEDS, EVALUATE)
"""Calls that belong to native ops: the seeds of random numbers, and sizes that only a call can tell."""
PRODUCT = "a product of matrices is the library's"


@dataclass(frozen=True)
class Foreign:
    """Calls of one op of a library for one reason, at the user's lines that make them."""

    callee: str
    why: str
    count: int
    lines: tuple[str, ...]


def foreign_calls(module: ModuleOp) -> list[Foreign]:
    """The ops of an imported module that PyTorch runs, the most frequent first."""
    return grouped({op: (op.callee.data, reason_for(op)) for op in foreign_ops(module)})


def library_ops(module: ModuleOp) -> dict[Operation, tuple[str, str]]:
    """The ops of a module of tensors that a library computes, products of matrices too: the callee, and why."""
    found: dict[Operation, tuple[str, str]] = {}
    found |= {op: (op.name, PRODUCT) for op in walk(module) if isinstance(op, MatmulOp)}
    return found | {op: (op.callee.data, reason_for(op)) for op in foreign_ops(module)}


def grouped(calls: Mapping[Operation, tuple[str, str]]) -> list[Foreign]:
    """Ops by callee and reason, the most frequent first."""
    found: dict[tuple[str, str], list[Operation]] = {}
    for op, told in calls.items():
        found.setdefault(told, []).append(op)
    foreign = [Foreign(callee, why, len(ops), _lines(ops)) for (callee, why), ops in found.items()]
    return sorted(foreign, key=lambda c: (-c.count, c.callee))


def explanation(module: ModuleOp) -> str:
    """`foreign_calls` for people: one line an op, and below it the user's lines."""
    calls = foreign_calls(module)
    if not calls:
        return "every op is native\n"
    lines = [f"{sum(c.count for c in calls)} call(s) of PyTorch's own kernels:"]
    for call in calls:
        lines.append(f"{call.count:4} x {call.callee}: {call.why}")
        lines += [f"         {line}" for line in call.lines]
    return "\n".join(lines) + "\n"


def foreign_ops(module: ModuleOp) -> Iterator[ExternOp]:
    """The calls of PyTorch in an imported module, without helpers and without what a kernel does."""
    for op in walk(module):
        if isinstance(op, ExternOp) and op.callee.data not in HELPERS and KERNEL not in op.attributes:
            yield op


def reason_for(op: ExternOp) -> str:
    """Why PyTorch runs it."""
    reason = op.attributes.get(WHY)
    return reason.data if isinstance(reason, StringAttr) else "the module calls it"


def _lines(ops: list[Operation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for op in ops for text in _places(op)))


def _places(op: Operation) -> Iterator[str]:
    for place in places(op.location):
        yield f"{place.file}:{place.line}" + (f"  {place.source}" if place.source else "")
