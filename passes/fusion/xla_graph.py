"""Instructions of XLA as its fusion passes see them: each a set of `mlc_tensor` ops with one root, or several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.iteration import is_free
from mlc_dialects.tensor_ops import CastOp, ConstantOp, MatmulOp, ReduceOp
from mlc_dialects.tensor_views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, SliceOp, ViewOp
from mlc_dialects.types import shape_of
from mlc_support.index_maps import assumed
from passes.fusion.decision import value_bytes
from passes.fusion.xla_layout import transposed_ops

RACE_FREE = 16384
"""A row longer than this is reduced in two steps: 1024 threads of 16 elements."""
FLOPS = {
    "div": 21, "pow": 510, "exp": 82, "exp2": 82, "expm1": 190, "log": 166, "log2": 166, "log10": 166, "log1p": 229,
    "sqrt": 77, "rsqrt": 77, "sin": 958, "cos": 978, "tanh": 467, "atan": 434, "atan2": 434, "sigmoid": 110,
}  # fmt: skip
"""Of one element, as the model counts them on this device."""
OTHER_FLOPS = 5
SIGNIFICANT = 16
"""A reduction of fewer elements is emitted like any pointwise op."""


ROOT = object()
"""The place of what a kernel computes once for each element of its result."""
Places = dict[object, float]
"""Places in a kernel that use a value, to how often each uses an element of it."""
Reads = dict[SSAValue, Places]


@dataclass(eq=False)
class Instruction:
    """A fusion or a single instruction."""

    roots: list[Operation]
    ops: dict[Operation, None]
    kind: str
    """loop, input (a reduction), transpose, triton, matmul or extern."""
    reads: Reads
    """The values read from memory, and how often each element of them is."""
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

    def reduces(self) -> bool:
        """True if a reduction of note is inside."""
        return any(isinstance(op, ReduceOp) and reduced_size(op) >= SIGNIFICANT for op in self.ops)


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
        self._roots: dict[SSAValue, dict[SSAValue, None]] = {}
        self._reads: dict[Operation, dict[SSAValue, None]] = {}
        self.views: dict[tuple[Operation, SSAValue], frozenset[type[Operation]]] = {}
        """Reader and value to the kinds of views between."""
        self._kinds: dict[SSAValue, dict[SSAValue, frozenset[type[Operation]]]] = {}
        self.escaping: set[SSAValue] = set()
        self.reshaped: set[SSAValue] = set()
        """Results of the function that only a bitcast separates from it."""
        self.users: dict[SSAValue, dict[Instruction, None]] = {}
        for op in ops:
            self._add(op, op is block.last_op)
        self.definer: dict[SSAValue, Instruction] = {r: i for i in self.instructions for r in i.root.results}
        for op in [op for op in ops if isinstance(op, ReduceOp) and is_split(op)]:
            self._split_reduction(op)
        self.transposed = transposed_ops(ops, block.last_op)
        """Ops whose results are column-major."""

    def _add(self, op: Operation, last: bool) -> None:
        found: dict[SSAValue, frozenset[type[Operation]]] = {}
        for value in simplified_operands(op):
            for root, kinds in self._kinds.get(value, {value: frozenset[type[Operation]]()}).items():
                found[root] = found.get(root, frozenset()) | kinds
        if is_free(op):
            own = {root: kinds | {type(op)} for root, kinds in found.items()}
            self._kinds |= dict.fromkeys(op.results, own)
            return
        for root, kinds in found.items():
            self.views[op, root] = kinds
        if last or not op.results:
            self.escaping |= found.keys()
            self.reshaped |= {v for v, kinds in found.items() if ReshapeOp in kinds or 1 in sizes(v)}
            return
        self._reads[op] = dict.fromkeys(found)
        if isinstance(op, ConstantOp):
            return
        kind = "matmul" if isinstance(op, MatmulOp) else "input" if isinstance(op, ReduceOp) else "loop"
        if not isinstance(op, MatmulOp | ReduceOp | ElementwiseOp | CastOp):
            kind = "extern"
        if isinstance(op, ReduceOp) and reduced_size(op) < SIGNIFICANT:
            kind = "loop"
        reads = {value: _places(op, value, kinds) for value, kinds in found.items()}
        self.insert(Instruction([op], {op: None}, kind, reads, flops_of(op)))

    def _split_reduction(self, op: ReduceOp) -> None:
        """The tree reduction: a first kernel makes partial results, a second one the result."""
        (first,) = (i for i in self.instructions if i.root is op)
        self.finish_later(first, "input")

    def finish_later(self, first: Instruction, kind: str) -> Instruction:
        """Lets another instruction finish what `first` then only begins."""
        op = first.root
        self.split.add(op)
        users = self.users.pop(op.results[0], {})
        second = Instruction([op], {op: None}, kind, {}, finishes={op: None})
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

    def moves(self, instruction: Instruction) -> bool:
        """True if the instruction transposes memory."""
        return any(self.is_moved(op, v) for op in instruction.ops for v in self.reads_of(op))

    def users_of(self, instruction: Instruction) -> list[Instruction]:
        """Who reads any of its results."""
        if all(op in instruction.begins for op in instruction.roots):
            return [i for i in self.instructions if i.finishes.keys() & instruction.begins.keys()]
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

    def copy_into(self, producer: Instruction, consumer: Instruction) -> None:
        """The consumer computes the producer's ops itself, and reads what they read."""
        value = self.value(producer)
        self.times.pop(consumer, None)
        consumer.flops += producer.flops * sum(consumer.reads.get(value, {}).values())
        consumer.ops |= producer.ops
        consumer.begins |= {op: None for op in producer.begins if op is not consumer.root}
        consumer.finishes |= producer.finishes
        consumer.reads = inlined(producer, value, consumer)
        self.users[value].pop(consumer, None)
        for read in producer.reads:
            self.users.setdefault(read, {})[consumer] = None
        consumer.is_fusion = True

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
        for op in consumer.ops:
            if root.results[0] in self.reads_of(op):
                self.verdicts[root, op] = (why, saves_us)

    def kinds_between(self, producer: Instruction, consumer: Instruction) -> frozenset[type[Operation]]:
        """The views between a producer's result and its readers in the consumer."""
        value = self.value(producer)
        found = (self.views.get((op, value), frozenset()) for op in consumer.ops)
        return frozenset[type[Operation]]().union(*found)

    def inner_views(self, instruction: Instruction) -> frozenset[type[Operation]]:
        """The views inside an instruction, those on what it reads included."""
        found = (k for op in instruction.ops for v in self.reads_of(op) if (k := self.views.get((op, v))))
        return frozenset[type[Operation]]().union(*found)


def inlined(producer: Instruction, value: SSAValue, consumer: Instruction) -> Reads:
    """What the consumer reads once it computes `value`, the producer's result, itself.

    What the producer reads at the place of its result is read wherever the consumer uses that; two uses at
    one place are one. Any other place of the producer becomes one of the consumer.
    """
    reads = {v: dict(places) for v, places in consumer.reads.items()}
    used = reads.pop(value, {ROOT: 1.0})
    often = sum(used.values())
    again: dict[object, object] = {}
    for read, places in producer.reads.items():
        found = reads.setdefault(read, {})
        for place, times in places.items():
            found |= used if place is ROOT else {again.setdefault(place, object()): times * often}
    return reads


def _places(op: Operation, value: SSAValue, kinds: frozenset[type[Operation]]) -> Places:
    """How one op uses a value: element by element, unless it reduces or something stands between."""
    if not isinstance(op, ElementwiseOp | CastOp):
        return {object(): 1.0}
    often = prod(sizes(op.results[0])) / max(1, prod(sizes(value))) if BroadcastOp in kinds else 1.0
    return {object(): often} if kinds - {PermuteOp} else {ROOT: 1.0}


def flops_of(op: Operation) -> float:
    """Of the whole op."""
    if isinstance(op, ReduceOp):
        return float(OTHER_FLOPS * (prod(sizes(op.input)) - prod(sizes(op.results[0]))))
    each = FLOPS.get(op.FUNCTION.name, OTHER_FLOPS) if isinstance(op, ElementwiseOp) else OTHER_FLOPS
    return float(each * prod(sizes(op.results[0])))


def simplified_operands(op: Operation) -> list[SSAValue]:
    """What an op reads once XLA has simplified it, where others still read what it no longer does.

    (a / b) / c == a / (b * c), 1 / (1 + e) being the sigmoid; (x * constant) * broadcast == x * (constant * broadcast)
    """
    operands = list(op.operands)
    inner = operands[0].owner if operands else None
    if not isinstance(op, ElementwiseOp) or not isinstance(inner, ElementwiseOp) or len(readers(inner)) < 2:
        return operands
    names = op.FUNCTION.name, inner.FUNCTION.name
    if names == ("div", "div"):
        return [*inner.operands, *operands[1:]]
    scaled = names == ("mul", "mul") and isinstance(operands[1].owner, BroadcastOp) and not is_splat(operands[1])
    kept = [v for v in inner.operands if not is_splat(v)]
    return [*kept, *operands[1:]] if scaled and len(kept) == 1 else operands


def readers(op: Operation) -> set[Operation]:
    """The ops that read its results, views included."""
    return {use.operation for result in op.results for use in result.uses}


def sizes(value: SSAValue) -> tuple[int, ...]:
    """The shape in numbers."""
    return tuple(assumed(s) for s in shape_of(value.type))


def reduced_size(op: ReduceOp) -> int:
    """How many elements make one."""
    shape = sizes(op.input)
    return prod(shape[d] for d in op.reduced)


def is_row_reduction(op: ReduceOp) -> bool:
    """True if the last dimension alone is reduced."""
    return op.reduced == (len(sizes(op.input)) - 1,)


def is_split(op: ReduceOp) -> bool:
    """True for a reduction that the tree reduction rewriter cuts in two."""
    inner = len(sizes(op.input)) - 1 in op.reduced
    return reduced_size(op) > (RACE_FREE if inner else 4096)


def is_splat(value: SSAValue) -> bool:
    """True for a constant, broadcast or not."""
    owner = value.owner
    while isinstance(owner, BroadcastOp | ReshapeOp | PermuteOp):
        owner = owner.input.owner
    return isinstance(owner, ConstantOp)


def bytes_in(values: Iterable[SSAValue]) -> int:
    return sum(value_bytes(v) for v in values)


MOVES: frozenset[type[Operation]] = frozenset({SliceOp, PadOp, CatOp})
__all__ = ["MOVES", "Instruction", "ViewOp", "XlaGraph", "bytes_in", "is_row_reduction", "is_splat", "is_split"]
