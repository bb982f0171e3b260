"""Instructions of XLA as its fusion passes see them: each a set of `mlc_tensor` ops with one root, or several."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, SliceOp, ViewOp
from mlc_dialects.tensor.windows import windows
from passes.tensor.fusion.emulated.xla.instruction import ROOT, Instruction, Kinds, Places, Reads, Traits, inlined
from passes.tensor.fusion.emulated.xla.layout import transposed_ops
from passes.tensor.fusion.emulated.xla.ops import (
    SIGNIFICANT,
    fits_a_tile,
    flops_of,
    is_row_reduction,
    is_split,
    reduced_size,
    sizes,
)
from passes.tensor.fusion.emulated.xla.simplification import (
    adds_nothing,
    is_iota,
    is_kernel,
    is_result,
    keeps_rows,
    owners,
    restored,
    simplified_operands,
    unreshaped,
)
from passes.tensor.fusion.emulated.xla.work import Work


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
        self.dropped: set[Operation] = set()
        """Casts that XLA does not compute: they give back a value, or nobody reads them any more."""
        self._given_back: dict[Operation | Block, list[Operation]] = {}
        """Who defines a value, to the results of the function that are casts which give it back."""
        for op in ops:
            self._add(op, op is block.last_op)
        self._drop_unread()
        self.definer: dict[SSAValue, Instruction] = {r: i for i in self.instructions for r in i.root.results}
        for first in [i for i in self.instructions if isinstance(i.root, ReduceOp) and is_split(i.root)]:
            self.finish_later(first, "input")  # the tree reduction: the first makes partial results

    def _add(self, op: Operation, last: bool) -> None:
        found = self._sources(op)
        own = self._seen_through(op, found)
        if own is not None:
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
            reads = {value: self._places(op, value, kinds) for value, kinds in found.items()}
            self.insert(self._single(op, _kind(op), reads, flops_of(op)))

    def _seen_through(self, op: Operation, found: dict[SSAValue, Kinds]) -> dict[SSAValue, Kinds] | None:
        """What is read where a result of `op` is, which itself reads what was `found`; None if `op` is computed."""
        same = restored(op)
        if same is not None and not _is_copied(op, same):
            self.dropped.add(op)
            if is_result(op):
                self._given_back.setdefault(same.owner, []).append(op)
            return self._roots(same)
        if adds_nothing(op):
            return found
        if is_kernel(op):
            return None
        kind = _kind_of_view(op)
        return {root: kinds | {kind} for root, kinds in found.items()}

    def _places(self, op: Operation, value: SSAValue, kinds: Kinds) -> Places:
        """How one op uses a value: element by element, unless it reduces or something stands between."""
        count, given = prod(sizes(op.results[0])), max(1, prod(sizes(value)))
        if isinstance(op, CatOp):
            parts = [prod(sizes(v)) / given for v in op.operands if value in self._roots(v)]
            return {object(): sum(min(1.0, part) for part in parts)}
        if isinstance(op, GatherOp):
            return {object(): count / given if value is op.input else 1.0}
        if not isinstance(op, ElementwiseOp | CastOp):
            return {object(): 1.0}
        often = count / given if kinds & {BroadcastOp, SliceOp} else 1.0
        often = often if BroadcastOp in kinds else min(1.0, often)
        return {object(): often} if kinds - {PermuteOp} else {ROOT: 1.0}

    def _drop_unread(self) -> None:
        """Casts go that nobody reads any more."""
        for instruction in reversed(list(self.instructions)):
            value = self.value(instruction)
            if isinstance(instruction.root, CastOp) and not self.users.get(value) and value not in self.escaping:
                self.remove(instruction)
                self.dropped.add(instruction.root)

    def undone(self, instruction: Instruction) -> set[Operation]:
        """The casts that XLA leaves out of what the instruction computes, and of results that it gives."""
        seen = set[Operation]()
        queue = [op for root in instruction.roots for op in self._given_back.get(root, ())]
        queue += owners(v for op in instruction.ops for v in op.operands)
        while queue:
            op = queue.pop()
            if op not in seen and (op in self.dropped or is_free(op)):
                seen.add(op)
                queue += owners(op.operands)
        return seen & self.dropped

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
        reductions = {op: None} if isinstance(op, ReduceOp) else {}
        traits = Traits(
            reduces=any(reduced_size(r) >= SIGNIFICANT for r in reductions),
            moves=isinstance(op, PermuteOp) or any(self.is_moved(op, v) for v in self.reads_of(op)),
            unary=isinstance(op, ElementwiseOp | CastOp) and len(self.reads_of(op)) == 1 and len(op.operands) == 1,
            untiled=isinstance(op, GatherOp) or any(map(_is_untiled, reductions)),
            rows=frozenset(sizes(r.input) for r in reductions if is_row_reduction(r)),
            views=Kinds().union(*(self.views.get((op, v), Kinds()) for v in self.reads_of(op))),
        )
        return Instruction([op], {op: None}, kind, reads, traits, reductions, flops)

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

    def is_looked_up(self, value: SSAValue, consumer: Instruction) -> bool:
        """True if a gather of the consumer takes single elements of the value by indices that are computed."""
        gathers = [op for op in self.readers_in(value, consumer) if isinstance(op, GatherOp)]
        apart = (op for op in gathers if not windows(op).of and not all(map(is_iota, op.indices)))
        return any(value in self._roots(op.input) for op in apart)

    def kinds_between(self, producer: Instruction, consumer: Instruction) -> Kinds:
        """The views between a producer's result and its readers in the consumer."""
        value = self.value(producer)
        return Kinds().union(*(self.views.get((op, value), Kinds()) for op in self.readers_in(value, consumer)))


def _is_copied(op: Operation, value: SSAValue) -> bool:
    """True if the function returns what `op` gives, and that does not lie in memory as it is."""
    owner = unreshaped(value).owner
    return isinstance(owner, Operation) and is_free(owner) and is_result(op)


def _kind_of_view(op: Operation) -> type[Operation]:
    """The kind of a free op.

    A gather of windows repeats them. A permutation that leaves the last dimension where it is moves no more than a
    reshape.
    """
    if isinstance(op, GatherOp):
        return BroadcastOp
    return ReshapeOp if isinstance(op, PermuteOp) and keeps_rows(op) else type(op)


def _kind(op: Operation) -> str:
    """The kind of the instruction that an op is by itself."""
    if isinstance(op, MatmulOp):
        return "matmul"
    if isinstance(op, ReduceOp):
        return "input" if reduced_size(op) >= SIGNIFICANT else "loop"
    return "loop" if isinstance(op, ElementwiseOp | CastOp | GatherOp | ViewOp | CatOp) else "extern"


def _is_untiled(op: ReduceOp) -> bool:
    """True if a reduction goes over columns of more than a tile, by one kernel."""
    return not (is_row_reduction(op) or is_split(op) or fits_a_tile(sizes(op.input)))
