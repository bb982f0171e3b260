"""The groups of a function: sets of ops that one kernel will compute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.iteration import Iteration, Refusal, is_compute, is_free, iterate
from mlc_dialects.tensor_calls import ExternOp
from mlc_dialects.tensor_ops import ConstantOp, IotaOp, SizeOp
from mlc_dialects.tensor_views import CatOp, PadOp
from mlc_dialects.types import element_type, is_native
from passes.fusion.decision import Decision


@dataclass(eq=False)
class Unit:
    """What runs as one: a group of ops that one kernel computes, or a single other op."""

    ops: list[Operation]
    rank: int
    """The place in an order of all units in which each follows what it reads."""
    fusible: bool
    merged: list[str] = field(default_factory=list[str])
    """Why each merge was made."""
    refused: list[str] = field(default_factory=list[str])
    """Why the merges that were considered and not made were not."""


class FusionGraph:
    """The units of one block and what connects them.

    Free ops (views, constants) need no kernel: each group that reads one makes its own copy,
    so an edge leads from a computed value through any chain of free ops to its readers.
    """

    def __init__(self, block: Block):
        ops = list(block.ops)
        self.position = {op: i for i, op in enumerate(ops)}
        self.unit_of = {op: Unit([op], i, is_computed_in_kernel(op)) for i, op in enumerate(ops)}
        self._order: list[Unit | None] = [self.unit_of[op] for op in ops]
        self._roots: dict[SSAValue, tuple[SSAValue, ...]] = {}
        self._readers: dict[SSAValue, list[Operation]] = {}
        for op in ops:
            if not self.is_transparent(op):
                for root in self.roots_of(op):
                    self._readers.setdefault(root, []).append(op)
        self._impure = [op for op in ops if is_impure(op)]
        self._follows = self._order_effects(ops)
        self.decisions: list[Decision] = []

    def _order_effects(self, ops: list[Operation]) -> dict[Operation, list[Operation]]:
        """Op to those that must stay behind it.

        An impure call is followed by the next one; it may write what it reads, so it stays between
        the readers of that before it and those after it.
        """
        follows: dict[Operation, list[Operation]] = {}
        for op, following in zip(self._impure, self._impure[1:], strict=False):
            follows.setdefault(op, []).append(following)
        for op in self._impure:
            for reader in {r for root in self.roots_of(op) for r in self.readers(root)} - {op}:
                first, second = sorted((reader, op), key=self.position.__getitem__)
                follows.setdefault(first, []).append(second)
        return follows

    def needs(self, free: Operation) -> list[Operation]:
        """What must stand before a free op: its operands, and earlier calls that may write what it reads."""
        owners = [v.owner for v in free.operands if isinstance(v.owner, Operation)]
        roots = set(self.roots_of(free))
        before = (op for op in self._impure if self.position[op] < self.position[free])
        return owners + [op for op in before if roots & set(self.roots_of(op))]

    @property
    def units(self) -> list[Unit]:
        """Every unit, in an order in which each follows what it reads."""
        return [unit for unit in self._order if unit is not None]

    def is_transparent(self, op: Operation) -> bool:
        """True for free ops, which readers look through."""
        return is_free(op) and not self.unit_of[op].fusible

    def roots_of(self, op: Operation) -> tuple[SSAValue, ...]:
        """The values `op` reads once free ops are looked through: computed, or from outside."""
        return tuple(dict.fromkeys(r for operand in op.operands for r in self._roots_of_value(operand)))

    def _roots_of_value(self, value: SSAValue) -> tuple[SSAValue, ...]:
        if value not in self._roots:
            owner = value.owner
            free = isinstance(owner, Operation) and self.is_transparent(owner)
            self._roots[value] = self.roots_of(owner) if free and isinstance(owner, Operation) else (value,)
        return self._roots[value]

    def readers(self, value: SSAValue) -> list[Operation]:
        """The ops that read `value`, through free ops too."""
        return self._readers.get(value, [])

    def inputs(self, ops: Iterable[Operation]) -> list[SSAValue]:
        """The values that `ops` read and do not compute."""
        inside = set(ops)
        roots = dict.fromkeys(r for op in ops for r in self.roots_of(op))
        return [r for r in roots if r.owner not in inside]

    def outputs(self, ops: Iterable[Operation]) -> list[SSAValue]:
        """The results of `ops` that something else reads, in program order."""
        ordered = sorted(ops, key=self.position.__getitem__)
        inside = set(ordered)
        return [r for op in ordered for r in op.results if any(u not in inside for u in self.readers(r))]

    def cone(self, ops: Iterable[Operation]) -> set[Operation]:
        """`ops` and the free ops they read."""
        found = set(ops)
        work = [v for op in found for v in op.operands]
        while work:
            owner = work.pop().owner
            if isinstance(owner, Operation) and owner not in found and self.is_transparent(owner):
                found.add(owner)
                work.extend(owner.operands)
        return found

    def iteration(self, ops: Iterable[Operation]) -> Iteration | Refusal:
        """How one kernel computes `ops`, or why it cannot."""
        ordered = list(ops)
        cone = sorted(self.cone(ordered), key=self.position.__getitem__)
        return iterate(dict.fromkeys(cone), self.outputs(ordered) or list(ordered[-1].results))

    def makes_cycle(self, a: Unit, b: Unit) -> bool:
        """True if something outside reads one of the two and feeds the other: no order would do."""
        return any(u is a or u is b for u in self._reachable(a, b))

    def _reachable(self, a: Unit, b: Unit) -> set[Unit]:
        """Units outside that need a or b, ranked no later than both; a or b themselves if they do."""
        limit = max(a.rank, b.rank)
        seen: set[Unit] = set()
        work = [u for unit in (a, b) for u in self._next(unit) if u is not a and u is not b]
        while work:
            unit = work.pop()
            if unit not in seen and unit.rank <= limit:
                seen.add(unit)
                work.extend(self._next(unit))
        return seen

    def _next(self, unit: Unit) -> Iterator[Unit]:
        for op in unit.ops:
            for result in op.results:
                for reader in self.readers(result):
                    yield self.unit_of[reader]
            for follower in self._follows.get(op, ()):
                yield self.unit_of[follower]

    def merge(self, a: Unit, b: Unit, why: str) -> Unit:
        """Makes two units one, and moves what needs it behind it."""
        low, high = sorted((a.rank, b.rank))
        later = self._reachable(a, b)
        between = [u for u in self._order[low : high + 1] if u is not None and u is not a and u is not b]
        ops = sorted([*a.ops, *b.ops], key=self.position.__getitem__)
        unit = Unit(ops, low, True, [*a.merged, *b.merged, why], [*a.refused, *b.refused])
        ordered = [*(u for u in between if u not in later), unit, *(u for u in between if u in later)]
        holes = [None] * (high + 1 - low - len(ordered))
        for rank, member in enumerate([*ordered, *holes], low):
            self._order[rank] = member
            if member is not None:
                member.rank = rank
        for op in ops:
            self.unit_of[op] = unit
        return unit


def is_computed_in_kernel(op: Operation) -> bool:
    """True for ops that need a kernel: computed ones, and made-up tensors that other code reads."""
    types = [v.type for v in (*op.operands, *op.results)]
    if not types or not all(isinstance(t, TensorType) and is_native(element_type(t)) for t in types):
        return False
    if is_compute(op):
        return True
    made = is_free(op) and isinstance(op, CatOp | PadOp | ConstantOp | IotaOp | SizeOp)
    return made and any(not (is_compute(u.operation) or is_free(u.operation)) for u in op.results[0].uses)


def is_impure(op: Operation) -> bool:
    """True for calls that change memory or draw random numbers: their order stays."""
    return isinstance(op, ExternOp) and op.impure is not None
