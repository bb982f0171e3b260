"""Instructions of XLA as its fusion passes see them: each a set of `mlc_tensor` ops with one root, or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp, ViewOp
from passes.tensor.fusion.emulated.xla.layout import transposed_ops
from passes.tensor.fusion.emulated.xla.ops import (
    SIGNIFICANT,
    adds_nothing,
    fits_a_tile,
    flops_of,
    is_row_reduction,
    is_split,
    reduced_size,
    simplified_operands,
    sizes,
)
from passes.tensor.fusion.emulated.xla.work import Work

ROOT = object()
"""The place of what a kernel computes once for each element of its result."""
Places = dict[object, float]
"""Places in a kernel that use a value, to how often each uses an element of it."""
Reads = dict[SSAValue, Places]


Kinds = frozenset[type[Operation]]


@dataclass(frozen=True)
class Traits:
    """What is asked of all the ops of an instruction."""

    reduces: bool = False
    """A reduction of note is among them."""
    moves: bool = False
    """One of them transposes memory."""
    unary: bool = True
    """All are pointwise ops of one operand."""
    untiled: bool = False
    """One is a reduction that no tile holds."""
    rows: frozenset[tuple[int, ...]] = frozenset()
    """The shapes whose rows are reduced."""
    views: Kinds = frozenset()
    """The views on what they read."""

    def __or__(self, other: Traits) -> Traits:
        return Traits(
            self.reduces or other.reduces,
            self.moves or other.moves,
            self.unary and other.unary,
            self.untiled or other.untiled,
            self.rows | other.rows,
            self.views | other.views,
        )


@dataclass(eq=False)
class Instruction:
    """A fusion or a single instruction."""

    roots: list[Operation]
    ops: dict[Operation, None]
    kind: str
    """loop, input (a reduction), transpose, triton, matmul or extern."""
    reads: Reads
    """The values read from memory, and how often each element of them is."""
    traits: Traits
    reductions: dict[ReduceOp, None] = field(default_factory=dict[ReduceOp, None])
    """Those of `ops`."""
    flops: float = 0.0
    """Of the whole instruction, what it computes repeatedly counted as often."""
    begins: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """What it computes in part, for another to finish."""
    finishes: dict[Operation, None] = field(default_factory=dict[Operation, None])
    is_fusion: bool = False
    why: list[str] = field(default_factory=list[str])

    @property
    def root(self) -> Operation:
        return self.roots[0]

    @property
    def is_fusible(self) -> bool:
        """True for what priority fusion and multi-output fusion may touch at all."""
        return self.kind not in ("matmul", "extern")

    def take(self, other: Instruction) -> None:
        """Its ops are inside as well."""
        self.ops |= other.ops
        self.reductions |= other.reductions
        self.traits |= other.traits
        self.finishes |= other.finishes
        self.is_fusion = True


class XlaGraph:
    """The instructions of a block. A value has one instruction that defines it, and its users by name."""

    def __init__(self, block: Block, max_operands: int):
        self.max_operands = max_operands
        ops = list(block.ops)
        self.position = {op: i for i, op in enumerate(ops)}
        self.times: dict[Instruction, float] = {}
        """Microseconds of instructions as they stand."""
        self.split: set[Operation] = set()
        """Reductions and products that two kernels share."""
        self.verdicts: dict[tuple[Operation, Operation], tuple[str, float | None]] = {}
        self.instructions: dict[Instruction, None] = {}
        self._works: dict[Instruction, Work] = {}
        self._finishers: dict[Operation, dict[Instruction, None]] = {}
        """Who finishes what another instruction begins."""
        self._readers: dict[SSAValue, list[Operation]] = {}
        self._reads: dict[Operation, dict[SSAValue, None]] = {}
        self.views: dict[tuple[Operation, SSAValue], frozenset[type[Operation]]] = {}
        """Reader and value to the kinds of views between."""
        self._kinds: dict[SSAValue, dict[SSAValue, frozenset[type[Operation]]]] = {}
        self.escaping: set[SSAValue] = set()
        self.reshaped: set[SSAValue] = set()
        """Results of the function that only a bitcast separates from it."""
        self.users: dict[SSAValue, dict[Instruction, None]] = {}
        self.transposed = transposed_ops(ops, block.last_op)
        """Ops whose results are column-major."""
        for op in ops:
            self._add(op, op is block.last_op)
        self.definer: dict[SSAValue, Instruction] = {r: i for i in self.instructions for r in i.root.results}
        for first in [i for i in self.instructions if isinstance(i.root, ReduceOp) and is_split(i.root)]:
            self.finish_later(first, "input")  # the tree reduction: the first makes partial results

    def _add(self, op: Operation, last: bool) -> None:
        found = self._sources(op)
        if is_free(op) or adds_nothing(op):
            own = {root: kinds | self._kind_of_view(op, root) for root, kinds in found.items()}
            self._kinds |= dict.fromkeys(op.results, own)
            return
        for root, kinds in found.items():
            self.views[op, root] = kinds
            self._readers.setdefault(root, []).append(op)
        if last or not op.results:
            self.escaping |= found.keys()
            self.reshaped |= {v for v, kinds in found.items() if ReshapeOp in kinds or 1 in sizes(v)}
            return
        self._reads[op] = dict.fromkeys(found)
        if not isinstance(op, ConstantOp):
            reads = {value: _places(op, value, kinds) for value, kinds in found.items()}
            self.insert(self._single(op, _kind(op), reads, flops_of(op)))

    def _kind_of_view(self, op: Operation, root: SSAValue) -> Kinds:
        """How a free op looks at a value: a gather at its operand, but not at its indices."""
        if isinstance(op, GatherOp):
            return Kinds({GatherOp} if root in self._roots(op.input) else ())
        return Kinds({type(op)})

    def _roots(self, value: SSAValue) -> dict[SSAValue, Kinds]:
        """What is read where a value is, views looked through, and the kinds of those views."""
        return self._kinds.get(value, {value: Kinds()})

    def _sources(self, op: Operation) -> dict[SSAValue, frozenset[type[Operation]]]:
        """What `op` reads, views looked through, and the kinds of those views."""
        found: dict[SSAValue, frozenset[type[Operation]]] = {}
        for value in simplified_operands(op):
            for root, kinds in self._roots(value).items():
                found[root] = found.get(root, frozenset()) | kinds
        return found

    def _single(self, op: Operation, kind: str, reads: Reads, flops: float = 0.0) -> Instruction:
        reduction = op if isinstance(op, ReduceOp) else None
        is_row = reduction is not None and is_row_reduction(reduction)
        traits = Traits(
            reduces=reduction is not None and reduced_size(reduction) >= SIGNIFICANT,
            moves=any(self.is_moved(op, v) for v in self.reads_of(op)),
            unary=isinstance(op, ElementwiseOp | CastOp) and len(self.reads_of(op)) == 1 and len(op.operands) == 1,
            untiled=reduction is not None and _is_untiled(reduction),
            rows=frozenset({sizes(reduction.input)} if reduction is not None and is_row else ()),
            views=Kinds().union(*(self.views.get((op, v), Kinds()) for v in self.reads_of(op))),
        )
        return Instruction([op], {op: None}, kind, reads, traits, {reduction: None} if reduction else {}, flops)

    def finish_later(self, first: Instruction, kind: str) -> Instruction:
        """Lets another instruction finish what `first` then only begins."""
        op = first.root
        self.split.add(op)
        users = self.users.pop(op.results[0], {})
        second = self._single(op, kind, {})
        second.finishes[op] = None
        self._finishers[op] = {second: None}
        first.begins[op] = None
        self.instructions[second] = None
        self.users[op.results[0]] = users
        self.definer[op.results[0]] = second
        return second

    def insert(self, instruction: Instruction) -> None:
        """Enters the instruction and what it uses."""
        self.instructions[instruction] = None
        for value in instruction.reads:
            self.users.setdefault(value, {})[instruction] = None

    def remove(self, instruction: Instruction) -> None:
        """Takes the instruction out; its results have no users any more, or another definer."""
        del self.instructions[instruction]
        for value in instruction.reads:
            self.users[value].pop(instruction, None)
        for op in instruction.finishes:
            self._finishers[op].pop(instruction, None)
        self.forget(instruction)

    def forget(self, instruction: Instruction) -> None:
        """What was found out about the instruction no longer holds."""
        self.times.pop(instruction, None)
        self._works.pop(instruction, None)

    def work(self, instruction: Instruction) -> Work:
        """What a Triton program of the instruction computes."""
        if instruction not in self._works:
            self._works[instruction] = Work.of(instruction.roots, instruction.ops, self.reads_of)
        return self._works[instruction]

    def value(self, instruction: Instruction) -> SSAValue:
        """The result of an instruction with one root."""
        return instruction.root.results[0]

    def is_moved(self, reader: Operation, value: SSAValue) -> bool:
        """True if a transpose between the two is one of memory, and no mere view."""
        kinds = self.views.get((reader, value), frozenset())
        if BroadcastOp in kinds or not isinstance(reader, ElementwiseOp | CastOp):
            return False
        turned = (reader in self.transposed) != (value.owner in self.transposed)
        return turned != (PermuteOp in kinds)

    def is_column_major(self, value: SSAValue) -> bool:
        """True if a value, views looked through, lies the other way round."""
        turned = False
        while isinstance(value.owner, ViewOp):
            turned ^= isinstance(value.owner, PermuteOp)
            value = value.owner.input
        return turned ^ (value.owner in self.transposed)

    def users_of(self, instruction: Instruction) -> list[Instruction]:
        """Who reads any of its results."""
        if all(op in instruction.begins for op in instruction.roots):
            return list(dict.fromkeys(i for op in instruction.begins for i in self._finishers.get(op, ())))
        return list(dict.fromkeys(u for op in instruction.roots for r in op.results for u in self.users.get(r, ())))

    def escapes(self, instruction: Instruction) -> bool:
        """True if the function returns a result of it."""
        done = (op for op in instruction.roots if op not in instruction.begins)
        return any(r in self.escaping for op in done for r in op.results)

    def readers_of(self, instruction: Instruction) -> tuple[list[Instruction], int]:
        """Its users but bitcasts, and how many of these there are: a split product, a result without sizes of 1."""
        users = self.users_of(instruction)
        others = [u for u in users if not (u.kind == "matmul" and u.begins)]
        done = (op for op in instruction.roots if op not in instruction.begins)
        returned = any(r in self.reshaped for op in done for r in op.results)
        return others, len(users) - len(others) + returned

    def is_result(self, instruction: Instruction) -> bool:
        """True if the function returns a result of it as it stands."""
        done = (op for op in instruction.roots if op not in instruction.begins)
        return any(r in self.escaping and r not in self.reshaped for op in done for r in op.results)

    def reads_of(self, op: Operation) -> dict[SSAValue, None]:
        """The values an op reads, views looked through."""
        return self._reads.get(op, {})

    def readers(self, value: SSAValue) -> list[Operation]:
        """The ops that read the value, views looked through."""
        return self._readers.get(value, [])

    def copy_into(self, producer: Instruction, consumer: Instruction) -> None:
        """The consumer computes the producer's ops itself, and reads what they read."""
        value = self.value(producer)
        self.times.pop(consumer, None)
        if consumer in self._works:
            self._works[consumer].take(producer.ops, consumer.ops, self.reads_of)
        consumer.flops += producer.flops * sum(consumer.reads.get(value, {}).values())
        consumer.begins |= {op: None for op in producer.begins if op is not consumer.root}
        consumer.reads = inlined(producer, value, consumer)
        consumer.take(producer)
        self.users[value].pop(consumer, None)
        for read in producer.reads:
            self.users.setdefault(read, {})[consumer] = None
        self.finish(consumer)

    def finish(self, instruction: Instruction) -> None:
        """Notes what the instruction finishes."""
        for op in instruction.finishes:
            self._finishers[op][instruction] = None

    def edges(self) -> Iterator[tuple[Operation, Operation]]:
        """Computed ops and their computed readers."""
        for op in self._reads:
            roots = dict.fromkeys(root for value in op.operands for root in self._kinds.get(value, {value: None}))
            yield from ((root.owner, op) for root in roots if isinstance(root.owner, Operation))

    def note(
        self, producer: Instruction, consumer: Instruction | None, why: str, saves_us: float | None = None
    ) -> None:
        """Remembers a verdict: on one consumer, or on the producer whoever reads it."""
        root = producer.root
        if consumer is None:
            self.verdicts[root, root] = (why, saves_us)
            return
        for op in self.readers_in(root.results[0], consumer):
            self.verdicts[root, op] = (why, saves_us)

    def readers_in(self, value: SSAValue, instruction: Instruction) -> list[Operation]:
        """The ops of the instruction that read the value, views looked through."""
        found = self.readers(value)
        if len(found) <= len(instruction.ops):
            return [op for op in found if op in instruction.ops]
        return [op for op in instruction.ops if value in self.reads_of(op)]

    def kinds_between(self, producer: Instruction, consumer: Instruction) -> Kinds:
        """The views between a producer's result and its readers in the consumer."""
        value = self.value(producer)
        return Kinds().union(*(self.views.get((op, value), Kinds()) for op in self.readers_in(value, consumer)))


def _kind(op: Operation) -> str:
    """The kind of the instruction that an op is by itself."""
    if isinstance(op, MatmulOp):
        return "matmul"
    if isinstance(op, ReduceOp):
        return "input" if reduced_size(op) >= SIGNIFICANT else "loop"
    return "loop" if isinstance(op, ElementwiseOp | CastOp) else "extern"


def _is_untiled(op: ReduceOp) -> bool:
    """True if a reduction goes over columns of more than a tile, by one kernel."""
    return not (is_row_reduction(op) or is_split(op) or fits_a_tile(sizes(op.input)))


def inlined(producer: Instruction, value: SSAValue, consumer: Instruction) -> Reads:
    """What the consumer reads once it computes `value`, the producer's result, itself.

    What the producer reads at the place of its result is read wherever the consumer uses that; two uses at
    one place are one. Any other place of the producer becomes one of the consumer.
    """
    reads = dict(consumer.reads)
    used = reads.pop(value, {ROOT: 1.0})
    often = sum(used.values())
    again: dict[object, object] = {}
    for read, places in producer.reads.items():
        found = reads[read] = dict(reads.get(read, {}))
        for place, times in places.items():
            found |= used if place is ROOT else {again.setdefault(place, object()): times * often}
    return reads


def _places(op: Operation, value: SSAValue, kinds: frozenset[type[Operation]]) -> Places:
    """How one op uses a value: element by element, unless it reduces or something stands between."""
    if not isinstance(op, ElementwiseOp | CastOp):
        return {object(): 1.0}
    often = prod(sizes(op.results[0])) / max(1, prod(sizes(value))) if BroadcastOp in kinds else 1.0
    return {object(): often} if kinds - {PermuteOp} else {ROOT: 1.0}
