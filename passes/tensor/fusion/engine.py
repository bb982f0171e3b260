"""The engine: it knows what is legal, takes the best merge first, and notes every verdict.

All candidates (a group and one that reads it, or two that read the same value) stand in one queue by
the memory traffic that merging them would save. An entry names two ops and means the groups they are in
when its turn comes. A merge enters the neighbours of the smaller group anew, for they may now share more
with the larger; an entry that has come to save less goes back to its place. What pays is for the policy
to say.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from xdsl.ir import Operation, SSAValue

from mlc_dialects.iteration.iterate import Iteration, Refusal
from passes.tensor.fusion.decision import Decision
from passes.tensor.fusion.graph import FusionGraph, Unit
from passes.tensor.fusion.joined import joined
from passes.tensor.fusion.policy import ELEMENTS_A_THREAD, Candidate, FusionPolicy, values_alive

NEIGHBOURS = 32
"""How many readers of one value a group looks at for candidates, and the farthest sibling."""
SIBLINGS = 4
"""How many siblings on either side, in program order, a group is tried with."""
MAX_OPS = 512
"""Ops of one kernel: what a compiler takes in seconds."""
MAX_BUFFERS = 64
"""Inputs and outputs of one kernel: pointers that registers hold."""
ATTEMPTS = 8
"""How often a refused pair is judged again as its groups grow."""

Pair = tuple[Operation, Operation]
Entry = tuple[int, int, int, Operation, Operation]


class Engine:
    """One run of one policy over one graph. What concerns the ops of `last` waits until nothing else is left."""

    def __init__(self, graph: FusionGraph, policy: FusionPolicy, last: Collection[Operation] = ()):
        self.graph = graph
        self.policy = policy
        self._waits = {graph.unit_of[op] for op in last}
        self._waiting: list[Entry] = []
        self._queue: list[Entry] = []
        self._attempts: Counter[Pair] = Counter()
        self._judged: set[tuple[Unit, int, Unit, int]] = set()
        self._verdicts: dict[Pair, Decision] = {}
        self._count = 0
        self._merges = 0

    def run(self, units: Iterable[Unit] | None = None) -> bool:
        """Merges `units`, or all there are, with neighbours until nothing that is left pays; True if any merged."""
        before = self._merges
        for unit in self.graph.units if units is None else units:
            if unit.fusible:
                first = self.graph.position[unit.ops[0]]
                for other in self._neighbours(unit):
                    if units is not None or self.graph.position[other.ops[0]] > first:
                        self._enter(unit, other)
        self._take_all()
        return self._merges > before

    def finish(self) -> bool:
        """Merges what waited until nothing else was left; True if any merged."""
        before = self._merges
        self._waits, self._queue, self._waiting = set(), self._waiting, []
        heapq.heapify(self._queue)
        self._take_all()
        return self._merges > before

    def _take_all(self) -> None:
        """Tries every pair of the queue, the best first."""
        while self._queue:
            key, _, _, first, second = heapq.heappop(self._queue)
            a, b = self.graph.unit_of[first], self.graph.unit_of[second]
            if a is b or (a, a.version, b, b.version) in self._judged:
                continue
            saved = self.saved_bytes(a, b)
            if self._queue and -saved > max(key, self._queue[0][0]):
                self._push(a, b, saved)
                continue
            self._judged.add((a, a.version, b, b.version))
            found = self._pair(a, b)
            if found is not None:
                self._try(a, b, *found, saved)

    def saved_bytes(self, a: Unit, b: Unit) -> int:
        """The traffic that merging saves: what both read is read once, what one reads of the other not at all."""
        if a.copies or b.copies:
            return self._saved_with_copies(a, b)
        few, many = (a.reads, b.reads) if len(a.reads) <= len(b.reads) else (b.reads, a.reads)
        saved = sum(self.graph.bytes(v) for v in few if v in many)
        for producer, consumer in ((a, b), (b, a)):
            for value, readers in producer.writes.items():
                count = consumer.reads.get(value, 0)
                saved += (count > 0) * self.graph.bytes(value) + (count == readers) * self.graph.bytes(value)
        return saved

    def _saved_with_copies(self, a: Unit, b: Unit) -> int:
        """The same, where one may compute again what the other reads of a third, which need not store it then."""
        reads, writes = self.graph.joined_interface(a, b)
        apart = sum(self.graph.bytes(v) for unit in (a, b) for v in (*unit.reads, *unit.writes))
        saved = apart - sum(self.graph.bytes(v) for v in (*reads, *writes))
        for value in {*a.reads, *b.reads} - reads.keys():
            owner = self.graph.unit_of[value.owner] if isinstance(value.owner, Operation) else a
            if owner is not a and owner is not b:
                count = a.reads.get(value, 0) + b.reads.get(value, 0)
                saved += (owner.writes.get(value) == count) * self.graph.bytes(value)
        return saved

    def _enter(self, a: Unit, b: Unit) -> None:
        self._push(a, b, self.saved_bytes(a, b))

    def _push(self, a: Unit, b: Unit, saved: int) -> None:
        """Queues the pair, the best first, equals in program order; or lets it wait."""
        first, second = a.ops[0], b.ops[0]
        if self.graph.position[first] > self.graph.position[second]:
            first, second = second, first
        self._count += 1
        entry = (-saved, self.graph.position[second], self._count, first, second)
        if a in self._waits or b in self._waits:
            self._waiting.append(entry)
        else:
            heapq.heappush(self._queue, entry)

    def _neighbours(self, unit: Unit) -> dict[Unit, None]:
        """The groups that the unit reads, that read it, and that read what it reads nearby."""
        found: dict[Unit, None] = {}
        for value in unit.writes:
            for reader in self.graph.readers(value)[:NEIGHBOURS]:
                found |= dict.fromkeys(self.graph.homes(reader))
        for value in unit.reads:
            if isinstance(value.owner, Operation):
                found[self.graph.unit_of[value.owner]] = None
            found |= dict.fromkeys(self._siblings(unit, value))
        found.pop(unit, None)
        return {u: None for u in found if u.fusible}

    def _siblings(self, unit: Unit, value: SSAValue) -> Iterator[Unit]:
        """Other readers of `value`, the nearest on either side."""
        readers = self.graph.readers(value)
        place = bisect_left(readers, self.graph.position[unit.ops[0]], key=self.graph.position.__getitem__)
        for side in (readers[place : place + NEIGHBOURS], readers[max(0, place - NEIGHBOURS) : place][::-1]):
            units: dict[Unit, None] = {}
            for reader in side:
                units |= dict.fromkeys(self.graph.homes(reader))
                if len(units) > SIBLINGS:  # one of them may be the unit itself
                    break
            units.pop(unit, None)
            yield from list(units)[:SIBLINGS]

    def _try(self, a: Unit, b: Unit, pair: Pair, siblings: bool, saved: int) -> None:
        """Merges the two if that is legal and wanted; else notes why not."""
        if self._attempts[pair] >= ATTEMPTS:
            return
        self._attempts[pair] += 1
        saves_us = self.policy.saved_us(saved)
        refusal = self._merge(a, b, pair, siblings, saves_us)
        if refusal is not None:
            self._verdicts[pair] = Decision(*pair, False, refusal, saves_us)
            b.refused.append(f"with {_describe(a)}: {refusal}")

    def _merge(self, a: Unit, b: Unit, pair: Pair, siblings: bool, saves_us: float) -> str | None:
        """Joins the two; or says why not. What is legal comes first, then what the policy wants."""
        candidate = self._candidate(a, b, pair, siblings)
        if isinstance(candidate, str):
            return candidate
        verdict = self.policy.judge(candidate)
        if not verdict.fuse:
            return verdict.why
        _, gone = self.graph.by_degree(a, b)
        neighbours = self._neighbours(gone)
        merged = self.graph.merge(a, b, candidate.iteration, verdict.why)
        merged.alive = candidate.alive
        self._merges += 1
        self._verdicts[pair] = Decision(*pair, True, verdict.why, saves_us)
        for other in neighbours:
            if other is not merged:
                self._enter(merged, other)
        return None

    def _pair(self, a: Unit, b: Unit) -> tuple[Pair, bool] | None:
        """Two ops that connect the units, and whether they are siblings only; None if nothing connects the two now."""
        for producer, consumer in ((a, b), (b, a)):
            for value in producer.writes:
                if value in consumer.reads:
                    assert isinstance(value.owner, Operation)
                    return (value.owner, self._reader(value, consumer)), False
        shared = next((v for v in a.reads if v in b.reads), None)
        return None if shared is None else ((self._reader(shared, a), self._reader(shared, b)), True)

    def _reader(self, value: SSAValue, unit: Unit) -> Operation:
        """The first of the unit's ops that reads `value`."""
        readers, position = self.graph.readers(value), self.graph.position
        first = min(unit.ops[0], *unit.copies, key=position.__getitem__) if unit.copies else unit.ops[0]
        place = bisect_left(readers, position[first], key=position.__getitem__)
        return next(r for r in readers[place:] if self.graph.unit_of[r] is unit or r in unit.copies)

    def _candidate(self, a: Unit, b: Unit, pair: Pair, siblings: bool) -> Candidate | str:
        """The two as one kernel, or why that is not legal: what takes longest to find out comes last."""
        reads, writes = self.graph.joined_interface(a, b)
        if len(a.ops) + len(b.ops) > MAX_OPS:
            return f"{len(a.ops) + len(b.ops)} ops are more than {MAX_OPS} in one kernel"
        if len(reads) + len(writes) > MAX_BUFFERS:
            return f"{len(reads) + len(writes)} inputs and outputs are more than {MAX_BUFFERS}"
        obstacle = self.graph.order.obstacle(a, b)
        if obstacle is not None:
            self._attempts[pair] -= 1  # what lies between the two may join either
            return obstacle
        iteration = self._iteration(a, b, list(writes))
        if isinstance(iteration, Refusal):
            return iteration.why
        ops = sorted({*a.ops, *b.ops, *a.copies, *b.copies}, key=self.graph.position.__getitem__)
        alive, limit = a.alive + b.alive, self.policy.device.registers_per_thread // ELEMENTS_A_THREAD
        if alive > limit:
            alive = values_alive(ops, self.graph.readers)
        if alive > limit:
            return f"registers would spill: {alive} values are alive at once"
        shared = [v for v in a.reads if v in b.reads] if siblings else self._inner(a, b, writes)
        meets = not siblings or self._meet(a, b, shared, iteration)
        meets = meets or self._meet(a, b, shared, self._walked(a, b, writes))
        return Candidate(ops, iteration, list(reads), list(writes), shared, siblings, alive, meets)

    def _meet(self, a: Unit, b: Unit, shared: Iterable[SSAValue], both: Iteration | Refusal) -> bool:
        """True unless the two read all that they share at other places: another half, say."""
        found = (self.graph.iteration(a), self.graph.iteration(b), both)
        one, two, joint = (f.reads if isinstance(f, Iteration) else None for f in found)
        if one is None or two is None or joint is None:
            return True
        return any(len(joint.get(v, ())) < len(one.get(v, ())) + len(two.get(v, ())) for v in shared)

    @staticmethod
    def _inner(a: Unit, b: Unit, writes: dict[SSAValue, int]) -> list[SSAValue]:
        """What one hands to the other: in registers alone if it can be, else beside the copy in memory."""
        passed = [v for p, c in ((a, b), (b, a)) for v in p.writes if v in c.reads]
        return [v for v in passed if v not in writes] or passed

    def _iteration(self, a: Unit, b: Unit, outputs: list[SSAValue]) -> Iteration | Refusal:
        """How one kernel computes both: from how each does alone, or else by a walk over all ops."""
        if not (a.copies or b.copies) and isinstance(one := self.graph.iteration(a), Iteration):
            two = self.graph.iteration(b)
            found = joined(one, two, outputs) if isinstance(two, Iteration) else None
            if found is not None:
                return found
        return self._walked(a, b, outputs)

    def _walked(self, a: Unit, b: Unit, outputs: Iterable[SSAValue]) -> Iteration | Refusal:
        """How one kernel computes both, each output where it reads what the others do, if there is such a place."""
        members = dict.fromkeys((*a.ops, *b.ops, *a.copies, *b.copies))
        ops = sorted(members, key=self.graph.position.__getitem__)
        written = set(outputs)
        ordered = [r for op in ops for r in op.results if r in written]
        return self.graph.iterate(ops, ordered or list(ops[-1].results))

    def decisions(self) -> Iterator[Decision]:
        """One verdict for every edge, and for the siblings that were tried."""
        refusals: dict[tuple[Unit, Unit], str] = {}
        for (first, second), decision in self._verdicts.items():
            if not decision.fuse:
                a, b = self.graph.unit_of[first], self.graph.unit_of[second]
                refusals[a, b] = refusals[b, a] = decision.why
        edges = dict.fromkeys(self._edges())
        for pair in (*edges, *(p for p in self._verdicts if p not in edges)):
            yield self._decision(pair, refusals)

    def _edges(self) -> Iterator[Pair]:
        """Every producer and consumer that kernels compute."""
        for op in self.graph.position:
            for value in self.graph.roots_of(op) if self.graph.unit_of[op].fusible else ():
                owner = value.owner
                if isinstance(owner, Operation) and self.graph.unit_of[owner].fusible:
                    yield owner, op

    def _decision(self, pair: Pair, refusals: dict[tuple[Unit, Unit], str]) -> Decision:
        """What became of two ops, whichever ops of their groups decided it."""
        units = self.graph.unit_of[pair[0]], self.graph.unit_of[pair[1]]
        decision = self._verdicts.get(pair)
        together = units[0] is units[1]
        if decision is not None and decision.fuse == together:
            return decision
        why = "other ops of the two brought their groups together" if together else refusals.get(units)
        saves_us = decision.saves_us if decision else None
        return Decision(*pair, together, why or "the groups of the two were never the best to join", saves_us)


def _describe(unit: Unit) -> str:
    """The group by its last op's result."""
    last = unit.ops[-1]
    return last.results[0].name_hint or last.name
