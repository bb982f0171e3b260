"""What a kernel does, apart from its tiling: the loops over its columns, what each loads, stores and computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import byte_size, is_float
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    KernelOp,
    LastBlockOp,
    LoadOp,
    LocalOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    ScratchOp,
    SerialOp,
)
from mlc_support.errors import MlcError
from mlc_support.index_maps import assumed
from mlc_support.locations import location_of
from mlc_support.walks import walk
from passes.common.device import ASYNC_COPY_BYTES
from passes.common.liveness import most_alive
from passes.loop.analysis.axes import Axes, addressed, axes_among
from passes.loop.analysis.coalescing import Access, accesses, has_scan
from passes.loop.analysis.instructions import FREE, instructions, words_of
from passes.loop.analysis.periodic import unchanged
from passes.loop.analysis.value_numbers import expression
from passes.loop.schedule.moved import Block
from passes.loop.schedule.synchronisation import Synchronisation
from passes.loop.schedule.traffic import Traffic

MANY = 1_000_000
"""How many rows there are at least where their number is not known: what is small is quick with any schedule."""


CHEAP = (*FREE, arith.ExtFOp)
"""What is computed again rather than kept in a register, if it is of what is kept."""


@dataclass(frozen=True)
class Combiner:
    """What a kind of reduction costs."""

    instructions: int = 1
    """For each element that it takes in."""
    values: int = 1
    """Numbers that it combines across lanes."""
    carried: float = 1
    """Words that it carries along for each element of a block."""


COMBINERS = {
    "softmax": Combiner(8, 2, 2),
    "welford": Combiner(6, 3, 2),
    "argmax": Combiner(8, 2, 2),
    "argmin": Combiner(8, 2, 2),
}
"""Kinds that cost more than a sum."""


@dataclass(frozen=True)
class Hoisted:
    """What of a body all rounds of a persistent loop have in common: it leaves the loop."""

    loads: frozenset[Traffic] = frozenset()
    instructions: float = 0
    """For each element."""
    lookups: int = 0
    """How many of its loads wait for one another."""
    words: float = 0
    """32-bit words of each element that registers hold from round to round."""


@dataclass(frozen=True)
class Body:
    """What one iteration does: of a loop over columns, or of the rows alone (`loop` is None)."""

    loop: LoopOp | None
    columns: int
    """Iterations for each row."""
    traffic: tuple[Traffic, ...]
    instructions: float
    """Of the arithmetic units, for each element."""
    repeated: float
    """Those that compute what an earlier body has computed of the same loads: none where registers hold the block."""
    values_made: frozenset[int]
    """What it computes, by meaning."""
    values_used: frozenset[int]
    """What earlier bodies have computed and it needs for what is new: registers hold it until then."""
    reductions: tuple[str, ...]
    values: int
    """Words that reductions and scans combine across lanes."""
    carried: float
    """Bytes that reductions carry along for each element of a block."""
    is_ordered: bool
    """True if iterations have an order: a scan."""
    accumulators: int
    """Values that a persistent program adds up for each column."""
    lookups: int
    """How many loads wait for one another, one after the other, before the last is asked for, in each round."""
    rounds: int
    """How often a program goes through it, block after block: once but for what is in a persistent loop."""
    alive: float
    """32-bit words of floats that it holds at once of each element, op by op."""
    hoisted: Hoisted
    """What a persistent loop does in front of its rounds."""

    @cached_property
    def shapes(self) -> tuple[Traffic, ...]:
        """One access of each shape, the first: lanes take all of a shape alike."""
        return tuple({t.shape: t for t in reversed(self.traffic)}.values())[::-1]

    @cached_property
    def forms(self) -> dict[Traffic, Traffic]:
        """Of each access the first that takes the same instructions: alike in its shape and mask, and load or store."""
        first: dict[object, Traffic] = {}
        return {t: first.setdefault((t.shape, t.alike, t.is_load), t) for t in self.traffic}

    @cached_property
    def _blocks(self) -> dict[tuple[int, int, bool], Block]:
        """The blocks that have been asked for."""
        return {}

    def block(self, rows: int, columns: int, within_lines: bool) -> Block:
        """A block of so many rows and columns: one for programs of any number of warps."""
        size = rows, columns, within_lines
        if size not in self._blocks:
            self._blocks[size] = Block(self.traffic, rows, columns, self.columns, within_lines)
        return self._blocks[size]

    @property
    def loads_are_wide(self) -> bool:
        """True if lanes load enough at once for asynchronous copies to shared memory."""
        return all(t.is_aligned or t.bytes >= ASYNC_COPY_BYTES for t in self.traffic if t.is_load)

    @property
    def reduces_across_lanes_each_step(self) -> bool:
        """True if the lanes of a program combine what they have at every step of a loop over blocks."""
        return self.is_ordered or "softmax" in self.reductions


@dataclass(frozen=True)
class Workload:
    """A kernel as the model of time sees it."""

    rows: int
    bodies: tuple[Body, ...]
    rounds: int
    """Of the persistent loop over rows; 1 without one."""
    rows_at_once: int
    """Rows that a persistent program takes in a round; 1 without a persistent loop."""
    between: Synchronisation
    is_tile: bool = False
    """True if programs share the columns, which are parallel as rows are."""
    overlap: int | None = None
    """So many rows have whole blocks of their own, of which the last may overlap the one before; None if none do."""

    @cached_property
    def loaded_again(self) -> frozenset[Traffic]:
        """The loads of places that other loads, too, are of: of another body, or of the same."""
        loads = [t for body in self.bodies for t in body.traffic if t.is_load]
        counts = Counter(t.place for t in loads)
        return frozenset(t for t in loads if counts[t.place] > 1)

    @cached_property
    def has_columns(self) -> bool:
        """True if there are loops over columns."""
        return any(body.loop is not None for body in self.bodies)

    @property
    def moved(self) -> list[Traffic]:
        """What is loaded or stored for each row and column."""
        every = [t for body in self.bodies for t in body.traffic]
        return [t for t in every if t.moves_rows and (t.moves_columns or not self.has_columns)]

    @cached_property
    def accumulates(self) -> bool:
        """True if a persistent loop adds up what all its rows give."""
        return any(body.accumulators for body in self.bodies)

    @property
    def reduces_across_lanes(self) -> bool:
        """True if the lanes of a program combine what they have."""
        return any(body.reductions or body.is_ordered for body in self.bodies)


def workload(kernel: KernelOp) -> Workload:
    """What `kernel` does. Named sizes count as `mlc_support.index_maps.assumed` has them.

    Raises `MlcError` for a kernel with `mlc_loop.scratch`, which GPUs do not have.
    """
    for scratch in walk(kernel):
        if isinstance(scratch, ScratchOp):
            raise MlcError(
                f"schedule: kernel {kernel.sym_name.data} has mlc_loop.scratch, memory of a CPU",
                location=location_of(scratch),
                hint="run the pipeline `cpu`, or leave out the pass `keep-in-scratch`",
            )
    outer = kernel.rows
    serial = next((op for op in outer.loops if isinstance(op, SerialOp)), None)
    columns = _column_loops(outer)
    at_once, rounds = (1, 1) if serial is None else _rounds(serial)
    return Workload(
        rows=_row_count(outer),
        bodies=_bodies(kernel, serial, columns, rounds),
        rounds=rounds,
        rows_at_once=at_once,
        between=Synchronisation.of(kernel),
        is_tile=serial is None and _are_parallel(columns),
        overlap=None if outer.overlap is None else outer.overlap.value.data,
    )


def _bodies(kernel: KernelOp, serial: SerialOp | None, columns: Sequence[LoopOp], rounds: int) -> tuple[Body, ...]:
    """What is done for each row, and in each loop over columns."""
    outer, addresses = kernel.rows, list(addressed(kernel))
    rows: LoopOp = outer if serial is None else serial
    axes = {loop: axes_among(addresses, (loop,)) for loop in (rows, *columns)}
    same = set[Operation]() if serial is None or serial.rounds is None else unchanged(serial, serial.stride)
    reader = _Reader(list(accesses(kernel)), rows, axes, frozenset(same), set(), {})
    bodies = [reader.body(None, (outer,) if serial is None else (outer, serial), rounds)]
    for loop in columns:
        bodies.append(reader.body(loop, (loop,), rounds if loop.parent_op() is rows else 1))
    return tuple(bodies)


def _row_count(outer: LoopOp) -> int:
    """How many rows there are, or MANY at least if that is not known."""
    size = outer.size.constant
    return max(MANY, assumed(outer.size)) if size is None else size


def _are_parallel(columns: Sequence[LoopOp]) -> bool:
    """True if there are loops over columns, which nothing keeps from running at once."""
    return bool(columns) and not any(isinstance(loop, ReduceOp) or has_scan(loop) for loop in columns)


def _column_loops(outer: LoopOp) -> list[ParallelOp | ReduceOp]:
    """The loops over columns that every program runs."""
    return [op for op in walk(outer) if isinstance(op, ParallelOp | ReduceOp) and _is_own(op, outer)]


def _rounds(serial: SerialOp) -> tuple[int, int]:
    """Rows that a persistent program takes at once, and how often it does."""
    return serial.block_size, -(-assumed(serial.size) // serial.stride)


def _is_own(loop: LoopOp, outer: LoopOp) -> bool:
    """True for loops inside `outer` that every program runs, not the last-arriving block alone."""
    parent = loop.parent_op()
    while parent is not None and parent is not outer:
        if isinstance(parent, LastBlockOp):
            return False
        parent = parent.parent_op()
    return loop is not outer


@dataclass(frozen=True)
class _Reader:
    """Reads the bodies of a kernel's loops."""

    found: Sequence[Access]
    rows: LoopOp
    axes: Mapping[LoopOp, Axes | None]
    same: frozenset[Operation]
    """What is the same in all rounds of a persistent loop."""
    computed: set[int]
    """What bodies before have computed."""
    places: dict[Hashable, int]
    """Numbers of what they access."""

    def body(self, loop: LoopOp | None, parents: Sequence[LoopOp], rounds: int) -> Body:
        """What stands right in `parents`: in `loop`, or around all loops over columns."""
        ops = [op for parent in parents for op in parent.body.block.ops]
        parts = loop.parts if isinstance(loop, ReduceOp) else []
        combiners = [COMBINERS.get(kind, Combiner()) for kind, _, _ in parts]
        words = [words_of(value) for _, value, _ in parts]
        is_scan = loop is not None and has_scan(loop)
        repeated, made, used = self._repeated(ops)
        traffic = self._traffic(loop, ops)
        return Body(
            loop,
            columns=1 if loop is None else assumed(loop.size),
            traffic=traffic,
            instructions=sum(map(instructions, ops))
            + sum(c.instructions * n for c, n in zip(combiners, words, strict=True)),
            repeated=sum(map(instructions, repeated)),
            values_made=made,
            values_used=used,
            reductions=tuple(kind for kind, _, _ in parts),
            values=sum(c.values * n for c, n in zip(combiners, words, strict=True)) + is_scan,
            carried=sum(4 * c.carried * n for c, n in zip(combiners, words, strict=True)),
            is_ordered=is_scan,
            accumulators=sum(isinstance(op, AccumulateOp) for op in ops),
            lookups=_lookups(self._apart(ops)[0]),
            rounds=rounds,
            alive=_words_alive(ops),
            hoisted=self._hoisted(ops, traffic, repeated),
        )

    def _apart(self, ops: Sequence[Operation]) -> tuple[list[Operation], list[Operation]]:
        """Of the ops of a body, those of each round of a persistent loop, and those that are the same in all rounds."""
        return [op for op in ops if op not in self.same], [op for op in ops if op in self.same]

    def _hoisted(self, ops: Sequence[Operation], traffic: Sequence[Traffic], repeated: set[Operation]) -> Hoisted:
        """What of a body is the same in all rounds; what is `repeated`, another body computes."""
        own, same = self._apart(ops)
        used = {v for op in own for v in op.operands}
        kept = [v for op in same if isinstance(op, LoadOp) or not isinstance(op, CHEAP) for v in op.results]
        return Hoisted(
            frozenset(t for t in traffic if t.access.op in self.same),
            sum(map(instructions, {*same} - repeated)),
            _lookups(same),
            sum(max(2, byte_size(v.type)) for v in used.intersection(kept)) / 4,
        )

    def _repeated(self, ops: Sequence[Operation]) -> tuple[set[Operation], frozenset[int], frozenset[int]]:
        """The `ops` whose values are known from a body before; what is computed, and used of those."""
        known: dict[SSAValue, int] = {}
        costly: set[SSAValue] = set()
        again, used = set[Operation](), set[int]()
        for op in ops:
            value = hash(expression(op, known)) if op.results and not op.regions else None
            if value in self.computed:
                again.add(op)
            else:
                used |= {known[v] for v in op.operands if v in costly} & self.computed
            if value is not None:
                known |= dict.fromkeys(op.results, value)
                costly.update(() if isinstance(op, CHEAP) else (r for r in op.results if is_float(r.type)))
        made = frozenset(known.values())
        self.computed.update(made)
        return again, made, frozenset(used)

    def _traffic(self, loop: LoopOp | None, ops: Sequence[Operation]) -> tuple[Traffic, ...]:
        """The loads and stores among `ops`, but for those of registers."""
        members = set(ops)
        own = [a for a in self.found if a.op in members and not isinstance(a.op.buffer.owner, LocalOp)]
        return tuple(Traffic.of(access, self.rows, loop, self.axes, self.places) for access in own)


def _lookups(ops: Sequence[Operation]) -> int:
    """The most loads of which each waits for the one before, among `ops` in their order."""
    depths: dict[SSAValue, int] = {}
    for op in ops:
        if not op.regions:
            depth = isinstance(op, LoadOp) + max((depths.get(value, 0) for value in op.operands), default=0)
            depths |= dict.fromkeys(op.results, depth)
    return max(depths.values(), default=0)


def _words_alive(ops: Sequence[Operation]) -> float:
    """32-bit words of floats that straight code holds at once, at the most, for each element; 16 bits share a word."""
    place = {op: k for k, op in enumerate(ops)}
    lives = [
        (k, max((place.get(use.operation, k) for use in value.uses), default=k), byte_size(value.type))
        for k, op in enumerate(ops)
        for value in op.results
        if is_float(value.type) and not isinstance(op, arith.ConstantOp)
    ]
    return most_alive(lives, len(ops)) / 4
