"""What is said on stderr of passes: which rules fire where, how many ops are left, how long it took."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlc_support.locations import location_of
from mlc_support.rewriting import Rule
from mlc_support.verification import op_name
from tools.instruments import Instrument
from tools.universe import level_of

_MADE_BY = {"tensor": "mlc-translate", "loop": "tensor-to-loop", "triton": "loop-to-triton"}


@dataclass
class Rules(Instrument):
    """Counts the firings of rules and the ops that each pass leaves; with `trace`, names each firing's place."""

    stream: TextIO
    trace: bool
    statistics: bool
    counts: Counter[str] = field(default_factory=Counter[str])
    ops: int = 0

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        self.counts.clear()
        self.ops = _count(module)

    def fired(self, step: ModulePass, rule: Rule, op: Operation) -> None:
        self.counts[rule.name] += 1
        if self.trace:
            self._say(f"{step.name}: {rule.name}: {op.name} at {_place(op)}: {rule.identity.splitlines()[0]}")

    def after(self, step: ModulePass, module: ModuleOp) -> None:
        if self.statistics:
            self._say(f"{step.name}: {self.ops} ops -> {_count(module)} ops, {self.counts.total()} rewrites")
        for rule, count in sorted(self.counts.items(), key=lambda item: (-item[1], item[0])):
            self._say(f"{step.name}: {count:6} {rule}")

    def _say(self, line: str) -> None:
        print(line, file=self.stream)


@dataclass
class Clock(Instrument):
    """Seconds of each pass, without the checks around it."""

    stream: TextIO
    start: float = 0.0

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        self.start = time.perf_counter()

    def ran(self, step: ModulePass) -> None:
        print(f"{step.name}: {time.perf_counter() - self.start:.6f} s", file=self.stream)


@dataclass
class OtherLevel(Instrument):
    """Says which of the passes that a user names found no op of their level, and so had nothing to do."""

    stream: TextIO
    asked: frozenset[str]
    idle: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        level = level_of(step.name) if step.name in self.asked else None
        if level in _MADE_BY and module.body.block.first_op is not None and not _has_ops(module, f"mlc_{level}."):
            self.idle.setdefault(level, []).append(step.name)

    def finish(self) -> None:
        for level, names in self.idle.items():
            listed = ", ".join(dict.fromkeys(names))
            print(f"note: {listed} found no ops of mlc_{level}: {_MADE_BY[level]} makes them", file=self.stream)


def _has_ops(module: ModuleOp, prefix: str) -> bool:
    return any(op_name(op).startswith(prefix) for op in module.walk())


def _count(module: ModuleOp) -> int:
    """Ops inside the module."""
    return sum(1 for _ in module.walk()) - 1


def _place(op: Operation) -> str:
    """Where the op came from, as far as it is known."""
    found = location_of(op)
    return "an unknown place" if found is None else str(found)
