"""What `mlc-opt` says on stderr about the rules of a pass: where they fire, how often, to what end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TextIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlc_support.locations import location_of
from mlc_support.rewriting import Rule, RulePass


@dataclass
class Watch:
    """Runs one pass and reports on it."""

    name: str
    stream: TextIO
    trace: bool
    statistics: bool
    counts: Counter[str] = field(default_factory=Counter)

    def run(self, step: ModulePass, ctx: Context, module: ModuleOp) -> None:
        """Apply `step`; passes that are no `RulePass` have op counts alone."""
        if not (self.trace or self.statistics):
            step.apply(ctx, module)
            return
        before = _count(module)
        if isinstance(step, RulePass):
            step.rewrite(module, self._fired)
        else:
            step.apply(ctx, module)
        self._report(before, _count(module))

    def _fired(self, rule: Rule, op: Operation) -> None:
        """Called before each replacement."""
        self.counts[rule.name] += 1
        if self.trace:
            self._say(f"{self.name}: {rule.name}: {op.name} at {_place(op)}: {rule.identity.splitlines()[0]}")

    def _report(self, before: int, after: int) -> None:
        if self.statistics:
            self._say(f"{self.name}: {before} ops -> {after} ops, {self.counts.total()} rewrites")
        for rule, count in sorted(self.counts.items(), key=lambda item: (-item[1], item[0])):
            self._say(f"{self.name}: {count:6} {rule}")

    def _say(self, line: str) -> None:
        print(line, file=self.stream)


def _count(module: ModuleOp) -> int:
    """Ops inside the module."""
    return sum(1 for _ in module.walk()) - 1


def _place(op: Operation) -> str:
    """Where the op came from, as far as it is known."""
    found = location_of(op)
    return "an unknown place" if found is None else str(found)
