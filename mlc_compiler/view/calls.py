"""Ops that a library computes, and why."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc_compiler.frontend.explain import library_ops
from mlc_compiler.view.snapshot import Spots, SpotTable


@dataclass(frozen=True)
class LibraryCall:
    """Calls of one function for one reason, from these spots."""

    callee: str
    why: str
    count: int
    spots: Spots


def library_calls(module: ModuleOp, table: SpotTable) -> list[LibraryCall]:
    """The ops of a module of tensors that a library computes, the most frequent first."""
    found: dict[tuple[str, str], list[Operation]] = {}
    for op, told in library_ops(module).items():
        found.setdefault(told, []).append(op)
    calls = [
        LibraryCall(callee, why, len(ops), tuple(dict.fromkeys(s for op in ops for s in table.of(op.location))))
        for (callee, why), ops in found.items()
    ]
    return sorted(calls, key=lambda call: (-call.count, call.callee))
