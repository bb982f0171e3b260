"""The plan for a simplified block, translated to the ops of the program that the block is a copy of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from xdsl.ir import Block, Operation

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.ops import ReduceOp
from passes.tensor.fusion.decision import Decision, Group
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import Instruction
from passes.tensor.fusion.emulated.xla.ops import readers
from passes.tensor.fusion.emulated.xla.simplified import Simplified

Verdict = tuple[str, float | None]
Verdicts = dict[tuple[Operation, Operation], Verdict]


class Translated:
    """The kernels and the verdicts, in ops of the program."""

    def __init__(self, block: Block, simple: Simplified, graph: XlaGraph):
        self._graph = graph
        self._sources = simple.sources
        self._free = {op for op in block.ops if is_free(op)}
        self._position = {op: i for i, op in enumerate(block.ops)}
        self._instructions = sorted(graph.instructions, key=lambda i: graph.position[i.root])
        self._computed = {i: {simple.sources[op] for op in i.ops} for i in self._instructions}
        self._homes: dict[Operation, set[Instruction]] = {}
        for instruction, ops in self._computed.items():
            for op in ops:
                self._homes.setdefault(op, set()).add(instruction)
        reductions = Counter(simple.sources[op] for op in graph.position if isinstance(op, ReduceOp))
        self._twice = {op for op, count in reductions.items() if count > 1}
        """Reductions that XLA does in two."""
        self._last = {simple.sources[op]: op for op in graph.position}
        """Op of the program to the last that XLA makes of it."""
        self._read: dict[Operation, set[Operation]] = {}
        self._add_dropped(list(block.ops))

    def _add_dropped(self, ops: list[Operation]) -> None:
        """What XLA has simplified away belongs to what reads it, or else to what it reads."""
        dropped = [op for op in ops if op.results and op not in self._free and op not in self._homes]
        for op in reversed(dropped):
            self._join(op, _behind(op, self._free))
        for op in dropped:
            if op not in self._homes:
                self._join(op, _before(op, self._free))

    def _join(self, op: Operation, others: set[Operation]) -> None:
        homes = set[Instruction]().union(*(self._homes.get(other, ()) for other in others if other not in self._free))
        if homes:
            self._homes[op] = homes
            for instruction in homes:
                self._computed[instruction].add(op)

    def groups(self) -> Iterator[Group]:
        """The kernels. Views are named where a kernel computes nothing else."""
        held = Counter(op for ops in self._computed.values() for op in ops)
        split = {self._sources[op] for op in self._graph.split} | self._twice
        for instruction in self._instructions:
            every = sorted(self._computed[instruction], key=self._position.__getitem__)
            ops = self._named(instruction, every)
            again = tuple(op for op in ops if held[op] > 1 and op not in split)
            why = "; ".join(dict.fromkeys(instruction.why)) or "no fusion was allowed or paid"
            begun = tuple(dict.fromkeys(self._sources[op] for op in self._begun(instruction)))
            yield Group(ops, instruction.kind, why, again, begun)

    def _named(self, instruction: Instruction, every: list[Operation]) -> tuple[Operation, ...]:
        """What is computed, and a view that is made of it; all views where nothing is computed."""
        computed = [op for op in every if op not in self._free]
        made = {self._sources[root] for root in instruction.roots}
        return tuple(op for op in every if op not in self._free or not computed or (op in made and op is every[-1]))

    def _begun(self, instruction: Instruction) -> Iterator[Operation]:
        """The reductions of which the instruction does not make the results."""
        yield from instruction.begins
        for op in instruction.reductions:
            source = self._sources[op]
            if source in self._twice and self._last[source] not in instruction.ops:
                yield op

    def decisions(self) -> Iterator[Decision]:
        """What was said of every two ops of which one reads the other."""
        verdicts: dict[tuple[Operation, Operation], Verdict] = {}
        for (producer, consumer), verdict in self._graph.verdicts.items():
            verdicts[self._sources[producer], self._sources[consumer]] = verdict
        for consumer in self._position:
            if consumer in self._free or not consumer.results:
                continue
            before = sorted(self._before(consumer), key=self._position.__getitem__)
            for producer in before:
                if producer not in self._free:
                    ways = [op for op in before if op in self._free and producer in self._before(op)]
                    yield self._decision(producer, consumer, ways, verdicts)

    def _before(self, op: Operation) -> set[Operation]:
        if op not in self._read:
            self._read[op] = _before(op, self._free)
        return self._read[op]

    def _decision(
        self, producer: Operation, consumer: Operation, views: list[Operation], verdicts: Verdicts
    ) -> Decision:
        """Of two ops with views between: of the step where they are kept apart, if they are."""
        together = self._are_together(producer, consumer)
        steps = [(a, b) for a in (producer, *views) for b in (*views, consumer) if a is not b]
        apart = [step for step in steps if together or not self._are_together(*step)]
        found = [verdicts[step] for step in (*apart, *((a, a) for a, _ in apart)) if step in verdicts]
        why, saves_us = found[0] if found else ("priority-fusion: never the next to fuse", None)
        return Decision(producer, consumer, together, why, saves_us)

    def _are_together(self, a: Operation, b: Operation) -> bool:
        return bool(self._homes.get(a, set()) & self._homes.get(b, set()))


def _before(op: Operation, free: set[Operation]) -> set[Operation]:
    """The ops that it reads, views looked through."""
    return _reached(op, free, lambda op: [v.owner for v in op.operands if isinstance(v.owner, Operation)])


def _behind(op: Operation, free: set[Operation]) -> set[Operation]:
    """The ops that read it, views looked through."""
    return _reached(op, free, readers)


def _reached(
    op: Operation, free: set[Operation], neighbours: Callable[[Operation], Iterable[Operation]]
) -> set[Operation]:
    found = set[Operation]()
    work = [*neighbours(op)]
    while work:
        other = work.pop()
        if other not in found:
            found.add(other)
            if other in free:
                work += neighbours(other)
    return found
