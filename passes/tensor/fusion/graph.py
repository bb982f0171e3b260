"""The groups of a function: sets of ops that one kernel will compute."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_native, shape_of
from mlc_dialects.iteration.domain import points
from mlc_dialects.iteration.iterate import Iteration, Refusal, is_compute, is_counted, is_free, iterate
from mlc_dialects.tensor.calls import is_impure
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.views import CatOp, PadOp
from passes.tensor.fusion.decision import Decision, value_bytes
from passes.tensor.fusion.order import Node, Order
from passes.tensor.fusion.policy import values_alive
from passes.tensor.fusion.told_sizes import ToldSizes

Known = dict[tuple[tuple[Operation, ...], tuple[SSAValue, ...]], Iteration | Refusal]
"""How kernels run, or why they cannot, by the ops they compute and the values they store."""


@dataclass(eq=False)
class Unit(Node):
    """What runs as one: a group of ops that one kernel computes, or a single other op."""

    ops: list[Operation] = field(default_factory=list[Operation])
    """In program order."""
    fusible: bool = False
    copies: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """Ops of other units that this one computes again instead of reading their results."""
    reads: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The values that come from outside, and how many of the ops read each."""
    writes: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The results that others read, and how many ops outside read each."""
    iteration: Iteration | Refusal | None = None
    alive: int = 1
    """At most so many results are held at once."""
    version: int = 0
    """Counts the merges, so that what was found out before one is known to be old."""
    merged: list[str] = field(default_factory=list[str])
    """Why each merge was made."""
    refused: list[str] = field(default_factory=list[str])
    """Why the merges that were considered and not made were not."""


class FusionGraph:
    """The units of one block and what connects them.

    Free ops (views, constants) need no kernel: each group that reads one makes its own copy,
    so an edge leads from a computed value through any chain of free ops to its readers.
    """

    def __init__(self, block: Block, known: Known | None = None):
        """Each op by itself. What kernels of this block are like may be `known` from another graph of it."""
        ops = list(block.ops)
        self.position = {op: i for i, op in enumerate(ops)}
        self.unit_of = {op: Unit(ops=[op], fusible=is_computed_in_kernel(op)) for op in ops}
        self.order = Order(list(self.unit_of.values()))
        self.decisions: dict[tuple[Operation, Operation], Decision] = {}
        """The verdict on each edge, and on the siblings that were tried."""
        self._transparent = {op for op, unit in self.unit_of.items() if not unit.fusible and is_free(op)}
        self._copied_in: dict[Operation, list[Unit]] = {}
        self._roots: dict[SSAValue, tuple[SSAValue, ...]] = {}
        self._roots_of: dict[Operation, tuple[SSAValue, ...]] = {}
        self._readers: dict[SSAValue, list[Operation]] = {}
        self._bytes: dict[SSAValue, int] = {}
        self.known: Known = {} if known is None else known
        for op in ops:
            self._find_roots(op)
        self.effects = Effects(self, ToldSizes(block))
        for op in ops:
            self._connect(op)
        self._behind: dict[Operation, list[Operation]] = {}
        for first, second in self.effects.pairs():
            self._behind.setdefault(second, []).append(first)
            self.order.connect(self.unit_of[first], self.unit_of[second])

    def _find_roots(self, op: Operation) -> None:
        roots = tuple(dict.fromkeys(r for v in op.operands for r in self._roots.get(v, (v,))))
        self._roots_of[op] = roots
        if self.is_transparent(op):
            self._roots |= dict.fromkeys(op.results, roots)
        else:
            for root in roots:
                self._readers.setdefault(root, []).append(op)

    def _connect(self, op: Operation) -> None:
        """Tells the order whom the op needs, and its unit what it reads and writes."""
        unit = self.unit_of[op]
        if not self.is_transparent(op):
            unit.reads = dict.fromkeys(self.roots_of(op), 1)
            unit.writes = {r: len(self.readers(r)) for r in op.results if self.readers(r)}
        for value in op.operands if self.is_transparent(op) else self.roots_of(op):
            if isinstance(value.owner, Operation):
                self.order.connect(self.unit_of[value.owner], unit)

    @property
    def units(self) -> list[Unit]:
        """Every unit, in an order in which each follows what it reads."""
        return [unit for unit in self.order if isinstance(unit, Unit) and unit.ops]

    def is_transparent(self, op: Operation) -> bool:
        """True for free ops, which readers look through."""
        return op in self._transparent

    def roots_of(self, op: Operation) -> tuple[SSAValue, ...]:
        """The values `op` reads once free ops are looked through: computed, or from outside."""
        return self._roots_of[op]

    def bytes(self, value: SSAValue) -> int:
        """The size of a value in memory."""
        if value not in self._bytes:
            self._bytes[value] = value_bytes(value)
        return self._bytes[value]

    def readers(self, value: SSAValue) -> list[Operation]:
        """The ops that read `value`, through free ops too, in program order."""
        return self._readers.get(value, [])

    def computes(self, unit: Unit, value: SSAValue) -> bool:
        """True if the unit's kernel has `value` in registers."""
        owner = value.owner
        return isinstance(owner, Operation) and (self.unit_of[owner] is unit or owner in unit.copies)

    def homes(self, op: Operation) -> Iterable[Unit]:
        """The units that compute `op`, the one that may store its result first."""
        copied = self._copied_in.get(op)
        return (self.unit_of[op], *copied) if copied else (self.unit_of[op],)

    def members(self, unit: Unit) -> list[Operation]:
        """What the unit's kernel computes, in program order, free ops left out."""
        if not unit.copies:
            return unit.ops
        return sorted([*unit.ops, *unit.copies], key=self.position.__getitem__)

    def inputs(self, unit: Unit) -> list[SSAValue]:
        """The values that the unit reads and does not compute."""
        members = self.members(unit)
        inside = set(members)
        return list(dict.fromkeys(r for op in members for r in self.roots_of(op) if r.owner not in inside))

    def outputs(self, unit: Unit) -> list[SSAValue]:
        """The results of the unit's own ops that something else reads, in program order."""
        return [r for op in unit.ops for r in op.results if r in unit.writes]

    def loaders(self, value: SSAValue) -> list[Unit]:
        """The units that take `value` from memory."""
        found = dict.fromkeys(unit for reader in self.readers(value) for unit in self.homes(reader))
        return [unit for unit in found if not self.computes(unit, value)]

    def is_computed_twice(self, op: Operation) -> bool:
        """True if more than one kernel computes the op."""
        return bool(self._copied_in.get(op))

    def copy_into(self, ops: Iterable[Operation], unit: Unit) -> None:
        """Lets the unit's kernel compute `ops` again; `refresh` it when all has been copied."""
        for op in ops:
            if self.unit_of[op] is not unit and op not in unit.copies:
                unit.copies[op] = None
                self._copied_in.setdefault(op, []).append(unit)

    def hand_over(self, op: Operation) -> Unit:
        """Takes an op that its unit no longer needs out of it; the first that computes it again now owns it."""
        heir = min(self._copied_in[op], key=lambda unit: unit.label)
        self._forget_copy(op, heir)
        self.unit_of[op].ops.remove(op)
        self.unit_of[op] = heir
        insort(heir.ops, op, key=self.position.__getitem__)
        return heir

    def _forget_copy(self, op: Operation, unit: Unit) -> None:
        del unit.copies[op]
        self._copied_in[op].remove(unit)

    def refresh(self, units: Iterable[Unit]) -> None:
        """Finds out anew what units read, write and need, after ops have moved; what has none left computes nothing."""
        for unit in units:
            for op in () if unit.ops else list(unit.copies):
                self._forget_copy(op, unit)
            members = self.members(unit)
            inside = set(members)
            unit.reads = dict(Counter(r for op in members for r in self.roots_of(op) if r.owner not in inside))
            unit.iteration = None
            unit.alive = values_alive(members, self.readers)
            unit.version += 1
            self.order.disconnect(unit)
            needs = [r.owner for r in unit.reads if isinstance(r.owner, Operation)]
            needs += [first for op in members for first in self._behind.get(op, ())]
            for op in needs:
                self.order.connect(self.unit_of[op], unit)
        for unit in units:
            self.count_readers(unit)

    def count_readers(self, unit: Unit) -> None:
        """Finds out anew which results of the unit others read, and how many ops do."""
        counts = {r: self._count(r) for op in unit.ops for r in op.results}
        unit.writes = {r: count for r, count in counts.items() if count}

    def _count(self, value: SSAValue) -> int:
        """How many ops read `value` from memory, in each unit that computes them."""
        assert isinstance(value.owner, Operation)
        inside = self.homes(value.owner)
        return sum(unit not in inside for reader in self.readers(value) for unit in self.homes(reader))

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

    def iterate(self, ops: Collection[Operation], outputs: Sequence[SSAValue]) -> Iteration | Refusal:
        """How one kernel computes `outputs` with `ops` and free ops, or why it cannot; found once for each question."""
        question = tuple(ops), tuple(outputs)
        if question not in self.known:
            self.known[question] = self._iterate(*question)
        return self.known[question]

    def _iterate(self, ops: Collection[Operation], outputs: Sequence[SSAValue]) -> Iteration | Refusal:
        cone = dict.fromkeys(sorted(self.cone(ops), key=self.position.__getitem__))
        found = iterate(cone, outputs)
        before = found.before if isinstance(found, Iteration) else ()
        if any(is_compute(v.owner) for v in before if isinstance(v.owner, Operation) and v.owner in cone):
            return Refusal("what is scattered into must be in memory before the kernel that scatters")
        return found

    def iteration(self, unit: Unit) -> Iteration | Refusal:
        """How the unit's kernel runs."""
        if unit.iteration is None:
            alone = len(unit.ops) == 1 and not unit.copies
            one = self._elementwise(unit.ops[0]) if alone else None
            outputs = list(unit.writes) or list(unit.ops[-1].results)
            unit.iteration = one or self.iterate(self.members(unit), outputs)
        return unit.iteration

    def _elementwise(self, op: Operation) -> Iteration | None:
        """How a kernel runs that computes one op element by element, its operands as they are in memory."""
        free = any(isinstance(v.owner, Operation) and self.is_transparent(v.owner) for v in op.operands)
        if free or not isinstance(op, ElementwiseOp | CastOp):
            return None
        domain = points(shape_of(op.results[0].type))
        reads = {v: [domain.point] for v in op.operands}
        return Iteration(domain, {op.results[0]: domain.point}, reads=reads)

    @staticmethod
    def by_degree(a: Unit, b: Unit) -> tuple[Unit, Unit]:
        """The two, the one with more neighbours first: it stays when they are joined."""
        return (a, b) if len(a.needs) + len(a.feeds) >= len(b.needs) + len(b.feeds) else (b, a)

    def merge(self, a: Unit, b: Unit, iteration: Iteration, why: str) -> Unit:
        """Makes two units one, between which nothing stands."""
        kept, gone = self.by_degree(a, b)
        obstacle = self.order.join(kept, gone)
        assert obstacle is None, obstacle
        reads, writes = self.joined_interface(kept, gone)
        sources = [v.owner for v in (*kept.reads, *gone.reads)] if kept.copies or gone.copies else []
        kept.reads, kept.writes, kept.iteration = reads, writes, iteration
        copies = [*kept.copies, *gone.copies]
        for op in list(gone.copies):
            self._forget_copy(op, gone)
        for op in gone.ops:
            self.unit_of[op] = kept
        kept.ops = self._in_order(kept.ops, gone.ops)
        self._share_copies(kept, copies)
        for unit in {self.unit_of[op] for op in sources if isinstance(op, Operation)} - {kept}:
            self.count_readers(unit)
        kept.merged += [*gone.merged, why]
        kept.refused += gone.refused
        kept.version += 1
        gone.version = -1
        return kept

    def joined_interface(self, a: Unit, b: Unit) -> tuple[dict[SSAValue, int], dict[SSAValue, int]]:
        """What the two as one would read and write, and how many ops read each."""
        if a.copies or b.copies:
            return self._interface_with_copies(a, b)
        reads, writes = dict(a.reads), {**a.writes, **b.writes}
        for value, count in b.reads.items():
            reads[value] = reads.get(value, 0) + count
        for value in [v for v in writes if v in reads]:
            writes[value] -= reads.pop(value)
            if writes[value] == 0:
                del writes[value]
        return reads, writes

    def _interface_with_copies(self, a: Unit, b: Unit) -> tuple[dict[SSAValue, int], dict[SSAValue, int]]:
        """The same, where what one computes again the other may compute too, or read."""
        members = dict.fromkeys((*a.ops, *b.ops, *a.copies, *b.copies))
        reads = Counter(r for op in members for r in self.roots_of(op) if r.owner not in members)
        writes = {**a.writes, **b.writes}
        for value in writes:
            writes[value] -= a.reads.get(value, 0) + b.reads.get(value, 0)
        return dict(reads), {value: count for value, count in writes.items() if count}

    def _share_copies(self, kept: Unit, copies: Iterable[Operation]) -> None:
        """What either of two units copied, their union copies, unless it owns it."""
        for op in copies:
            if self.unit_of[op] is kept and op in kept.copies:
                self._forget_copy(op, kept)
            elif self.unit_of[op] is not kept and op not in kept.copies:
                self.copy_into([op], kept)

    def _in_order(self, a: list[Operation], b: list[Operation]) -> list[Operation]:
        """The two lists, each in program order, as one: the ops of the shorter go where they belong in the longer."""
        few, many = (a, b) if len(a) <= len(b) else (b, a)
        for op in few:
            insort(many, op, key=self.position.__getitem__)
        return many


class Effects:
    """The order that calls force upon a block, by side effects and by the sizes that they tell."""

    def __init__(self, graph: FusionGraph, sizes: ToldSizes):
        self._graph, self._sizes = graph, sizes
        self._impure = [op for op in graph.position if is_impure(op)]
        self._touching: dict[SSAValue, list[Operation]] = {}
        for op in self._impure:
            for root in graph.roots_of(op):
                self._touching.setdefault(root, []).append(op)

    def pairs(self) -> Iterator[tuple[Operation, Operation]]:
        """Pairs of ops of which the second stays behind the first.

        An impure call is followed by the next one; it may write what it reads, so it stays between
        the readers of that before it and those after it. Who names a size, or looks through a free op that
        does, follows the call that tells it.
        """
        position = self._graph.position
        yield from pairwise(self._impure)
        for root, calls in self._touching.items():
            for call in calls:
                for reader in self._graph.readers(root):
                    if reader is not call:
                        yield (reader, call) if position[reader] < position[call] else (call, reader)
        for op in position if self._sizes else ():
            for teller in set[Operation]().union(*map(self._sizes.tellers, self._graph.cone([op]))):
                yield teller, op

    def touches(self, value: SSAValue) -> bool:
        """True if a call that may write reads `value`: later it may hold something else."""
        return value in self._touching

    def needs(self, free: Operation) -> set[Operation]:
        """What must stand before a free op: its operands, calls that tell its sizes or may write what it reads."""
        position = self._graph.position
        owners = {v.owner for v in free.operands if isinstance(v.owner, Operation)}
        calls = (op for root in self._graph.roots_of(free) for op in self._touching.get(root, ()))
        return owners | self._sizes.tellers(free) | {op for op in calls if position[op] < position[free]}


def is_computed_in_kernel(op: Operation) -> bool:
    """True for ops that need a kernel: computed ones, and made-up tensors that other code reads."""
    types = [v.type for v in (*op.operands, *op.results)]
    if not types or not all(isinstance(t, TensorType) and is_native(element_type(t)) for t in types):
        return False
    if is_compute(op):
        return True
    made = is_counted(op) or isinstance(op, CatOp | PadOp | GatherOp | ConstantOp | IotaOp | SizeOp | RandomOp)
    made = made and is_free(op)
    return made and any(not (is_compute(u.operation) or is_free(u.operation)) for u in op.results[0].uses)
