"""Recomputing cheap values in the kernels that read them, where that moves fewer bytes than storing them.

A cast, a bias or a normalised row that another kernel needs is often cheaper to compute there as well: that kernel
then reads what the value is computed from, which may be smaller (one number a row) or be read anyway, and nobody
writes it. What a kernel should read instead is a cheapest cut through the ops of the kernel that stores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from math import inf

from xdsl.ir import Operation, SSAValue

from mlc_dialects.iteration.iterate import Iteration, Refusal
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_support.index_maps import assumed
from passes.tensor.fusion.cut import cheapest_reads
from passes.tensor.fusion.decision import Decision, elements_of, op_flops
from passes.tensor.fusion.graph import FusionGraph, Unit
from passes.tensor.fusion.joined import joined
from passes.tensor.fusion.loads import unshared_windows
from passes.tensor.fusion.policy import ELEMENTS_A_THREAD, Candidate, FusionPolicy, points_of_kernel, values_alive

MAX_OPS = 48
"""How many ops a kernel may compute again: what it does beside its own work should stay readable."""
MAX_READERS = 16
"""With more readers than this a kernel stores its results: too much would be computed again."""
MAX_HOMES = 3
"""Of how many other kernels a kernel does work again: in a long chain each would do that of all before it."""
UNNOTICED = 0.05
"""The share of a time by which predictions are wrong anyway: below it, what moves fewer bytes is better."""
LOAD = 8
"""What a load costs next to an addition, with its address and its mask."""
NEVER = 1 << 62
"""The cost of reading what a call may have overwritten by then."""


@dataclass(frozen=True)
class Reading:
    """What one kernel would read and compute, so as not to load the values it loads from another."""

    reader: Unit
    loaded: tuple[SSAValue, ...]
    """What it loads now."""
    reads: tuple[SSAValue, ...]
    """What it would read: some of `loaded`, and what the rest is computed from."""
    ops: tuple[Operation, ...]
    """What it would compute."""
    places: int = 1
    """At how many places of the result, where it reads more than one element of what it loads."""
    repeats: int = 1
    """How often it computes each element, where several of its own need it."""

    @property
    def flops(self) -> int:
        """What computing again costs, the loads of what it is computed from included."""
        loads = LOAD * max(map(elements_of, self.loaded)) * sum(v not in self.loaded for v in self.reads)
        return self.places * (self.repeats * sum(map(op_flops, self.ops)) + loads)


@dataclass(frozen=True)
class Copy:
    """Readers of one kernel's results that compute some of these themselves."""

    graph: FusionGraph
    home: Unit
    readings: tuple[Reading, ...]

    @cached_property
    def stored(self) -> dict[SSAValue, None]:
        """What the home stores then."""
        gone = {r.reader: set(r.loaded) - set(r.reads) for r in self.readings}
        kept = {v: None for v in self.home.writes if any(v not in gone.get(unit, ()) for unit in self.graph.loaders(v))}
        return kept | {v: None for r in self.readings for v in r.reads if self.graph.computes(self.home, v)}

    @cached_property
    def left(self) -> set[Operation]:
        """The ops of the home that it still needs, those whose results nobody reads among them: they stay its own."""
        found: set[Operation] = set()
        unread = (r for op in self.home.ops for r in op.results if not self.graph.readers(r))
        work = [*self.stored, *unread]
        while work:
            value = work.pop()
            owner = value.owner
            if isinstance(owner, Operation) and owner not in found and self.graph.computes(self.home, value):
                found.add(owner)
                work.extend(self.graph.roots_of(owner))
        return found

    @cached_property
    def needed(self) -> dict[SSAValue, None]:
        """What the home reads then."""
        roots = (r for op in self.left for r in self.graph.roots_of(op))
        return dict.fromkeys(r for r in roots if not self.graph.computes(self.home, r))

    @cached_property
    def saved(self) -> int:
        """Bytes less that are moved."""
        now = sum(map(self.graph.bytes, (*self.home.reads, *self.home.writes)))
        then = sum(map(self.graph.bytes, (*self.needed, *self.stored)))
        for reading in self.readings:
            held = reading.reader.reads
            now += sum(map(self.graph.bytes, reading.loaded))
            then += sum(self.graph.bytes(v) for v in reading.reads if v in reading.loaded or v not in held)
        return now - then

    def pays(self, policy: FusionPolicy) -> bool:
        """True if all kernels together take no longer, or so little that nobody can tell.

        What is computed again hides behind what is moved, until the arithmetic takes longer than the traffic.
        """
        now, then = (sum(times) for times in zip(*self._us(policy), strict=True))
        return then <= now * (1 + UNNOTICED)

    def _us(self, policy: FusionPolicy) -> Iterator[tuple[float, float]]:
        """What each kernel takes, now and then."""
        graph, home = self.graph, self.home
        ops, reads, writes = graph.members(home), home.reads, home.writes
        now = policy.busy_us(ops, (*reads, *writes))
        yield now, policy.busy_us(self.left, (*self.needed, *self.stored)) if self.left else 0.0
        for r in self.readings:
            ops, reads, writes = graph.members(r.reader), r.reader.reads, r.reader.writes
            then = dict.fromkeys((*(v for v in reads if v not in r.loaded), *r.reads))
            yield policy.busy_us(ops, (*reads, *writes)), policy.busy_us(ops, (*then, *writes), r.flops)

    def is_legal(self, policy: FusionPolicy) -> bool:
        """True if each kernel can be one loop nest, and has registers for it."""
        reductions = [op for r in self.readings for op in r.ops if isinstance(op, ReduceOp)]
        if len(set(reductions)) < len(reductions) or not self.left.isdisjoint(reductions):
            return False
        if self.stored and not _fits(self.graph, sorted(self.left, key=self.graph.position.__getitem__), self.stored):
            return False
        return all(self._takes(r, policy) for r in self.readings)

    def _takes(self, reading: Reading, policy: FusionPolicy) -> bool:
        outputs = self.graph.outputs(reading.reader)
        members = dict.fromkeys((*self.graph.members(reading.reader), *reading.ops))
        ops = sorted(members, key=self.graph.position.__getitem__)
        alive = values_alive(ops, self.graph.readers)
        if not outputs or alive > policy.device.registers_per_thread // ELEMENTS_A_THREAD:
            return False
        known = self._iterations[reading.reader]
        iteration = self.graph.iterate(ops, outputs) if known is None else known
        if isinstance(iteration, Refusal) or unshared_windows(ops, iteration, policy.device) is not None:
            return False
        if known is not None or not any(isinstance(op, ReduceOp) for op in reading.ops):
            return True
        inputs = dict.fromkeys((*(v for v in reading.reader.reads if v not in reading.loaded), *reading.reads))
        return policy.judge(Candidate(ops, iteration, list(inputs), outputs, reading.loaded, False, alive)).fuse

    @cached_property
    def _iterations(self) -> dict[Unit, Iteration | Refusal | None]:
        """How each reader, which has one reading, runs then: as `_joined` says."""
        return {reading.reader: self._joined(reading) for reading in self.readings}

    def _joined(self, reading: Reading) -> Iteration | Refusal | None:
        """How the reader runs then, where that follows from how it runs now; None where it takes all ops to tell."""
        reader, dropped = reading.reader, [v for v in reading.loaded if v not in reading.reads]
        apart = reader.copies.keys().isdisjoint(reading.ops)
        if not apart or any(isinstance(op, ReduceOp) for op in reading.ops):
            return None
        ops = sorted(reading.ops, key=self.graph.position.__getitem__)
        one, two = self.graph.iteration(reader), self.graph.iterate(ops, dropped)
        if isinstance(one, Refusal) or isinstance(two, Refusal):
            return None
        return joined(one, two, self.graph.outputs(reader))

    def make(self) -> list[Unit]:
        """Lets the readers compute; gives the units that have changed."""
        known = self._iterations  # while the graph is what it was
        changed: dict[Unit, None] = {self.home: None}
        before = dict.fromkeys(self.graph.members(self.home))
        for reading in self.readings:
            self.graph.copy_into(reading.ops, reading.reader)
            changed[reading.reader] = None
        changed |= dict.fromkeys(self._hand_over(reversed(before)))
        self.graph.refresh(changed)
        for reader, iteration in known.items():
            if isinstance(iteration, Iteration) and list(reader.writes) == list(iteration.stores):
                reader.iteration = iteration
        sources = {v.owner for unit in changed for v in unit.reads}
        for unit in {self.graph.unit_of[op] for op in sources if isinstance(op, Operation)} - changed.keys():
            self.graph.count_readers(unit)
        return [unit for unit in changed if unit.ops]

    def _hand_over(self, ops: Iterable[Operation]) -> Iterator[Unit]:
        """Gives up those of `ops` that the home no longer needs and others compute too; the units that own them now."""
        for op in ops:
            if op not in self.left and self.graph.unit_of[op] is self.home and self.graph.is_computed_twice(op):
                yield self.graph.hand_over(op)


def duplicate(
    graph: FusionGraph, policy: FusionPolicy, waiting: Collection[Operation] = ()
) -> tuple[list[Unit], list[Decision]]:
    """Lets kernels recompute what they read where that saves traffic and is legal: what changed, and why.

    What is `waiting` stays where it is.
    """
    changed: dict[Unit, None] = {}
    notes: list[Decision] = []
    for home in graph.units[::-1]:
        before = inf
        while home.fusible and (moved := _moved(graph, home)) < before:  # it is not, where a copy has saved nothing
            before = moved
            if (copy := _best(graph, home, policy, waiting)) is None:
                break
            notes += _notes(policy, copy)
            changed |= dict.fromkeys(copy.make())
    return [unit for unit in changed if unit.ops], notes


def _moved(graph: FusionGraph, home: Unit) -> int:
    """The bytes that `home` loads and stores, and that others load of what it stores."""
    loads = sum(graph.bytes(v) * (1 + len(graph.loaders(v))) for v in home.writes)
    return loads + sum(map(graph.bytes, home.reads))


def _best(graph: FusionGraph, home: Unit, policy: FusionPolicy, waiting: Collection[Operation]) -> Copy | None:
    """The copy that saves most of all there are of what `home` stores: for all its readers together, or for one."""
    loaders = {v: graph.loaders(v) for v in home.writes}
    readers = dict.fromkeys(chain.from_iterable(loaders.values()))
    if not 0 < len(readers) <= MAX_READERS or home in readers:
        return None
    able = _able(readers)
    copies: dict[Copy, None] = {}
    for again, together in product(_again(graph, home, waiting), (False, True) if len(readers) > 1 else (False,)):
        cuts = (Cut(graph, home, unit, loaders, together, again) for unit in able)
        copies |= dict.fromkeys(_copies(graph, home, cuts, together))
    paying = sorted((c for c in copies if c.saved > 0), key=lambda c: -c.saved)
    return next((c for c in paying if c.pays(policy) and c.is_legal(policy)), None)


def _able(readers: Iterable[Unit]) -> list[Unit]:
    """The readers that can compute something themselves; a kernel that stores nothing is none."""
    return [unit for unit in readers if unit.fusible and unit.writes]


def _again(graph: FusionGraph, home: Unit, waiting: Collection[Operation]) -> Iterable[frozenset[Operation]]:
    """The ops of `home` that readers may compute again: casts alone, what is cheap, or reductions not `waiting` too.

    The cheapest values to read may be far up, and take too much to compute: reading what a cast has widened takes
    none.
    """
    ops = graph.members(home)
    casts = frozenset(op for op in ops if isinstance(op, CastOp))
    cheap = frozenset(op for op in ops if isinstance(op, ElementwiseOp))
    reductions = frozenset(op for op in home.ops if isinstance(op, ReduceOp) and op not in waiting)
    return dict.fromkeys((casts | cheap | reductions, casts | cheap, casts))


def _copies(graph: FusionGraph, home: Unit, cuts: Iterable[Cut], together: bool) -> list[Copy]:
    """The copies that `cuts` of one kernel make: into all its readers `together`, or into one each."""
    found = [reading for cut in cuts if (reading := cut.reading()) is not None]
    groups = [tuple(found)] if together else [(reading,) for reading in found]
    return [Copy(graph, home, readings) for readings in groups]


@dataclass(frozen=True)
class Cut:
    """The fewest bytes that `reader` could read instead of what it loads from `home`.

    Not storing a value counts if nobody else loads it; or if all do without it `together`, for each a part.
    The reader computes nothing `again` but those ops.
    """

    graph: FusionGraph
    home: Unit
    reader: Unit
    loaders: Mapping[SSAValue, Sequence[Unit]]
    together: bool
    again: frozenset[Operation]

    def reading(self) -> Reading | None:
        """What the reader reads then; None if it does by now, or would compute too much."""
        if len({self.graph.unit_of[op] for op in self.reader.copies} | {self.home}) > MAX_HOMES:
            return None
        loaded = tuple(v for v, units in self.loaders.items() if self.reader in units)
        if all(self._operands(v) is None for v in loaded):
            return None
        reads = tuple(cheapest_reads(loaded, self._operands, self._cost))
        ops = tuple(_between(self.graph, loaded, reads))
        if not ops or len(ops) > MAX_OPS:
            return None
        dropped = [v for v in loaded if v not in reads]
        places = _places(self.graph.iteration(self.reader), dropped)
        if places > 1:  # joined kernels keep their places; those of all ops together may be fewer
            whole = self.graph.iterate(self.graph.members(self.reader), self.graph.outputs(self.reader))
            places = _places(whole, dropped)
        return Reading(self.reader, loaded, reads, ops, places, _repeats(self.graph.iteration(self.reader), dropped))

    def _operands(self, value: SSAValue) -> Sequence[SSAValue] | None:
        owner = value.owner
        if not isinstance(owner, Operation) or not self.graph.computes(self.home, value):
            return None
        return self.graph.roots_of(owner) if owner in self.again else None

    def _cost(self, value: SSAValue) -> int:
        """The bytes that reading the value adds."""
        size, loaders = self.graph.bytes(value), self.loaders.get(value, ())
        if self.reader in loaders:
            return size + (size // len(loaders) if self.together or len(loaders) == 1 else 0)
        if self.graph.effects.touches(value):
            return NEVER
        if value in self.reader.reads or self.graph.computes(self.reader, value):
            return 0
        return size if loaders or not self.graph.computes(self.home, value) else 2 * size


def _places(iteration: Iteration | Refusal, values: Iterable[SSAValue]) -> int:
    """At how many places a kernel reads one of `values` at most."""
    reads = iteration.reads if isinstance(iteration, Iteration) else {}
    return max((len(reads.get(v, ())) for v in values), default=1)


def _repeats(iteration: Iteration | Refusal, values: Iterable[SSAValue]) -> int:
    """How often a kernel would compute each element of one of `values` at most: once a row, or once a point."""
    if isinstance(iteration, Refusal):
        return 1
    rows, points = assumed(iteration.domain.rows), points_of_kernel(iteration)
    along = {axis.unknown for axis in iteration.domain.reduced_axes}
    found = 1
    for value in values:
        names = {v.name for index in iteration.reads.get(value, ()) for i in index for v in i.variables()}
        count = rows if along.isdisjoint(names) and along else points
        found = max(found, count // max(1, elements_of(value)))
    return found


def _between(graph: FusionGraph, wanted: Iterable[SSAValue], reads: Iterable[SSAValue]) -> Iterable[Operation]:
    """The ops that compute `wanted` out of `reads`."""
    found: dict[Operation, None] = {}
    known, work = set(reads), list(wanted)
    while work:
        value = work.pop()
        if value not in known:
            known.add(value)
            assert isinstance(value.owner, Operation)
            found[value.owner] = None
            work.extend(graph.roots_of(value.owner))
    return found


def _fits(graph: FusionGraph, ops: Sequence[Operation], outputs: Iterable[SSAValue]) -> bool:
    """True if one kernel can compute `outputs` with `ops`."""
    return not isinstance(graph.iterate(ops, list(outputs)), Refusal)


def _notes(policy: FusionPolicy, copy: Copy) -> Iterator[Decision]:
    """One verdict for each value that a kernel computes itself from now on."""
    saves_us = policy.saved_us(copy.saved)
    why = f"computed again in {len(copy.readings)} kernel(s): moves {copy.saved} bytes less than storing it"
    for reading in copy.readings:
        for value in reading.loaded:
            if value not in reading.reads:
                assert isinstance(value.owner, Operation)
                readers = copy.graph.readers(value)
                for reader in readers:
                    if reading.reader in copy.graph.homes(reader):
                        yield Decision(value.owner, reader, True, why, saves_us)
