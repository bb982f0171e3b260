"""Instructions of XLA as its fusion passes see them: each a set of `mlc_tensor` ops with one root, or several."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, SliceOp, ViewOp
from passes.tensor.fusion.emulated.xla.instruction import (
    REGROUPED,
    ROOT,
    ROWS_MERGED,
    ROWS_MOVED,
    Instruction,
    Kinds,
    Places,
    Reads,
    Traits,
    inlined,
)
from passes.tensor.fusion.emulated.xla.layout import transposed_ops
from passes.tensor.fusion.emulated.xla.ops import (
    SIGNIFICANT,
    fits_a_tile,
    flops_of,
    is_number,
    is_row_reduction,
    is_split,
    merges_rows,
    mixes,
    reduced_size,
    sizes,
    split_size,
)
from passes.tensor.fusion.emulated.xla.simplification import SCANNED, is_transpose, keeps_rows, operands_of
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
        self.views: dict[tuple[Operation, SSAValue], Kinds] = {}
        """Reader and value to the kinds of views between."""
        self._kinds: dict[SSAValue, dict[SSAValue, Kinds]] = {}
        self.escaping: set[SSAValue] = set()
        self.reshaped: set[SSAValue] = set()
        """Results of the function that only a bitcast separates from it."""
        self._flat: set[SSAValue] = set()
        """Values that are computed without their sizes of 1: reductions, and what is computed from them alone."""
        self.users: dict[SSAValue, dict[Instruction, None]] = {}
        self.transposed = transposed_ops(ops, block.last_op)
        """Ops whose results are column-major."""
        for op in ops:
            self._add(op, op is block.last_op)
        self._drop_unread()
        self.definer: dict[SSAValue, Instruction] = {r: i for i in self.instructions for r in i.root.results}
        for first in [i for i in self.instructions if isinstance(i.root, ReduceOp) and is_split(i.root)]:
            self._divide(first.root)
            self.finish_later(first, "input")  # the tree reduction: the first makes partial results

    def _divide(self, op: Operation) -> None:
        """Notes that the first step of a split reduction reads its parts, which are padded to equal sizes."""
        assert isinstance(op, ReduceOp)
        parts, each = split_size(op)
        shape = sizes(op.input)
        target = (*shape[: min(op.reduced)], parts, each, *shape[max(op.reduced) + 1 :])
        for value in self.reads_of(op):
            source = sizes(value) if prod(sizes(value)) == prod(shape) else shape
            divided = PadOp if parts * each != reduced_size(op) else REGROUPED if mixes(source, target) else ReshapeOp
            self.views[op, value] = self.views.get((op, value), Kinds()) | {divided}

    def _add(self, op: Operation, last: bool) -> None:
        found = self._sources(op)
        if self._is_seen_through(op, found):
            own = _kinds_of_view(op)
            self._kinds[op.results[0]] = {root: kinds | own for root, kinds in found.items()}
            return
        for root, kinds in found.items():
            self.views[op, root] = kinds
            self._readers.setdefault(root, []).append(op)
        if last or not op.results:
            self.escaping |= found.keys()
            self.reshaped |= {v for v, kinds in found.items() if ReshapeOp in kinds or v in self._flat}
            return
        self._reads[op] = dict.fromkeys(found)
        if 1 in sizes(op.results[0]) and _is_flat(op, found, self._flat):
            self._flat |= set(op.results)
        if not isinstance(op, ConstantOp):
            reads = {value: self._places(op, value, kinds) for value, kinds in found.items()}
            self.insert(self._single(op, _kind(op), reads, flops_of(op)))

    def _is_seen_through(self, op: Operation, found: dict[SSAValue, Kinds]) -> bool:
        """True for what no instruction computes: views that move nothing, and what is known at compile time."""
        if isinstance(op, ReshapeOp):
            return True
        if isinstance(op, PermuteOp):
            return not is_transpose(op)
        if isinstance(op, ConstantOp):
            return False
        return not found and isinstance(op, ViewOp | ElementwiseOp | CastOp)

    def _places(self, op: Operation, value: SSAValue, kinds: Kinds) -> Places:
        """How one op uses a value: element by element, unless it reduces or something stands between."""
        count, given = prod(sizes(op.results[0])), max(1, prod(sizes(value)))
        if isinstance(op, CatOp):
            parts = [prod(sizes(v)) / given for v in op.operands if value in self.roots(v)]
            return {object(): sum(min(1.0, part) for part in parts)}
        if isinstance(op, GatherOp):
            return {object(): count / given if value is op.input else 1.0}
        if isinstance(op, BroadcastOp):
            return {object(): count / given}
        if isinstance(op, ScanOp):
            return {object(): float(sizes(op.input)[op.axis])}
        if isinstance(op, SliceOp):
            return {object(): min(1.0, count / given)}
        if not isinstance(op, ElementwiseOp | CastOp):
            return {object(): 1.0}
        return {object(): 1.0} if kinds - {PermuteOp} else {ROOT: 1.0}

    def _drop_unread(self) -> None:
        """Indices of what moves as a window are not computed."""
        for instruction in reversed(list(self.instructions)):
            results = instruction.root.results
            if is_free(instruction.root) and not any(self.users.get(r) or r in self.escaping for r in results):
                self.remove(instruction)

    def roots(self, value: SSAValue) -> dict[SSAValue, Kinds]:
        """What is read where a value is, views looked through, and the kinds of those views."""
        return self._kinds.get(value, {value: Kinds()})

    def _sources(self, op: Operation) -> dict[SSAValue, Kinds]:
        """What `op` reads, views looked through, and the kinds of those views."""
        found: dict[SSAValue, Kinds] = {}
        for value in operands_of(op):
            for root, kinds in self.roots(value).items():
                found[root] = found.get(root, Kinds()) | kinds
        return found

    def _single(self, op: Operation, kind: str, reads: Reads, flops: float = 0.0) -> Instruction:
        reductions = {op: None} if isinstance(op, ReduceOp) else {}
        seen = Kinds().union(*(self.views.get((op, v), Kinds()) for v in self.reads_of(op)))
        turns = isinstance(op, PermuteOp) and not keeps_rows(op)
        traits = Traits(
            reduces=any(reduced_size(r) >= SIGNIFICANT for r in reductions),
            moves=turns or any(self.is_moved(op, v) for v in self.reads_of(op)),
            unary=isinstance(op, ElementwiseOp | CastOp) and len(self.reads_of(op)) == 1 and len(op.operands) == 1,
            untiled=isinstance(op, GatherOp) or any(map(_is_untiled, reductions)),
            rows=frozenset(sizes(r.input) for r in reductions if is_row_reduction(r)),
            views=seen | ({type(op)} if isinstance(op, ViewOp | CatOp) else frozenset()),
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
        kinds = self.views.get((reader, value), Kinds())
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
        return self.kinds_of(self.value(producer), consumer)

    def kinds_of(self, value: SSAValue, consumer: Instruction) -> Kinds:
        """The views between a value and its readers in the consumer."""
        return Kinds().union(*(self.views.get((op, value), Kinds()) for op in self.readers_in(value, consumer)))


def _is_flat(op: Operation, read: Iterable[SSAValue], flat: set[SSAValue]) -> bool:
    """True for reductions, and for pointwise ops of nothing but values that are flat."""
    others = [v for v in read if not is_number(v)]
    pointwise = isinstance(op, ElementwiseOp | CastOp) and bool(others)
    return isinstance(op, ReduceOp) or (pointwise and all(v in flat for v in others))


def _kinds_of_view(op: Operation) -> Kinds:
    """The kind of a view; a permutation that leaves the last dimension where it is moves no more than a reshape."""
    if isinstance(op, PermuteOp) and keeps_rows(op):
        return Kinds({ReshapeOp, ROWS_MOVED})
    if not isinstance(op, ReshapeOp):
        return Kinds({type(op)})
    mixed = {REGROUPED} if mixes(sizes(op.input), sizes(op.result)) else set[str]()
    merged = {ROWS_MERGED} if merges_rows(sizes(op.input), sizes(op.result)) else set[str]()
    return Kinds({ReshapeOp, *mixed, *merged})


def _kind(op: Operation) -> str:
    """The kind of the instruction that an op is by itself."""
    if isinstance(op, MatmulOp):
        return "matmul"
    if isinstance(op, ReduceOp):
        return "input" if reduced_size(op) >= SIGNIFICANT else "loop"
    if isinstance(op, ScatterOp):
        return "scatter"
    if isinstance(op, ScanOp) and sizes(op.input)[op.axis] > SCANNED:
        return "extern"
    views = ScanOp | GatherOp | ViewOp | CatOp | IotaOp | ConstantOp
    return "loop" if isinstance(op, ElementwiseOp | CastOp | views) else "extern"


def _is_untiled(op: ReduceOp) -> bool:
    """True if a reduction goes over columns of more than a tile, or of parts that are more."""
    shape = sizes(op.input)
    if is_row_reduction(op):
        return False
    return not fits_a_tile((split_size(op)[1], *shape[max(op.reduced) + 1 :]) if is_split(op) else shape)
