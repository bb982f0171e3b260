"""The fusion strategy of TorchInductor, emulated on `mlc_tensor`.

Buffers (`inductor_nodes`) are joined in rounds: all pairs that share a buffer are sorted by score
(both or neither reductions, bytes shared, nearness) and joined greedily; a last round may also
change the order of pointwise loops. Follows torch/_inductor/scheduler.py, choices.py and codegen/simd.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, permutations

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.tensor.ops import MatmulOp, ReduceOp
from mlc_dialects.tensor.views import viewed
from mlc_support.index_expr import integer, variable
from passes.tensor.fusion.decision import Decision, Group, Plan
from passes.tensor.fusion.emulated.inductor.nodes import Buffer, Dep, Lowering, dep_bytes
from passes.tensor.fusion.paths import Paths

ROUNDS = 10
PAIRWISE = 64
"""How many nodes behind a node are tried as partners, of those that use the same buffer."""
THRESHOLD = 10
"""Fewer shared bytes are no reason to join two that do not feed each other."""
DISTANCE = 64
"""Nodes further apart stay apart: a tensor in between would live long."""
MIXED_POINTS, MIXED_ROWS, MIXED_COLUMNS = 5 << 20, 4096, 16 << 10
"""Sums down columns join reductions of rows of the same tensor, from so many elements and rows on, up to so many
columns, where there are twice as many rows as columns (MixOrderReduction)."""


@dataclass(frozen=True)
class InductorOptions:
    """The knobs of the scheduler."""

    max_fusion_size: int = 64
    """Most buffers of one kernel."""
    horizontal: bool = True
    """Join nodes that only read the same."""
    reorder: bool = True
    """The last round, which changes the order of loops."""


Accesses = tuple[frozenset[Dep], frozenset[Dep]]


@dataclass(eq=False)
class Kernel:
    """Buffers that one kernel computes."""

    parts: list[Buffer]
    points: int
    reduced: int
    accesses: dict[tuple[int, int], Accesses] = field(default_factory=dict[tuple[int, int], "Accesses"])
    """Loads and stores by the loops that they are seen from."""
    is_mixed: bool = False
    """It reduces rows, and sums down columns as well."""

    @property
    def is_reduction(self) -> bool:
        return any(b.is_reduction for b in self.parts)

    @property
    def read(self) -> set[SSAValue]:
        """What it loads."""
        return {value for part in self.parts for value, _ in part.reads}

    @property
    def is_extern(self) -> bool:
        return self.parts[0].kind == "extern"

    @property
    def span(self) -> tuple[int, int]:
        """Where its first and last buffer stand in program order."""
        return self.parts[0].order, self.parts[-1].order


def plan_inductor(block: Block, options: InductorOptions | None = None) -> Plan:
    """The kernels that TorchInductor's scheduler makes of `block`."""
    lowering = Lowering(block)
    scheduler = _Scheduler(lowering, lowering.run(), options or InductorOptions())
    scheduler.run()
    return Plan("inductor", tuple(scheduler.groups()), tuple(scheduler.decisions()))


class _Scheduler:
    def __init__(self, lowering: Lowering, buffers: list[Buffer], options: InductorOptions):
        self.lowering = lowering
        self.options = options
        self.buffers = buffers
        self.kernels = dict.fromkeys(Kernel([b], b.points, b.reduced) for b in buffers)
        self.of = {b: k for b, k in zip(buffers, self.kernels, strict=True)}
        self.refused: dict[tuple[Buffer, Buffer], str] = {}
        self.joined: dict[tuple[Buffer, Buffer], str] = {}
        self._deps: dict[tuple[Buffer, int, int], Accesses] = {}
        self._bytes: dict[Dep, int] = {}
        self._paths = self._uses()

    def _uses(self) -> Paths[Kernel]:
        """Who reads what others write before."""
        writers: dict[SSAValue, list[Kernel]] = {}
        users: dict[Kernel, dict[Kernel, None]] = {kernel: {} for kernel in self.kernels}
        for kernel in self.kernels:
            for value, _ in kernel.parts[0].reads:
                for writer in writers.get(value, ()):
                    users[writer][kernel] = None
            for value, _ in kernel.parts[0].writes:
                writers.setdefault(value, []).append(kernel)
        return Paths(list(self.kernels), users.__getitem__)

    def run(self) -> None:
        """Rounds until nothing changes, then one that may reorder loops."""
        for _ in range(ROUNDS):
            before = len(self.kernels)
            self._mix_orders()
            self._round(reorder=False)
            if len(self.kernels) in (before, 1):
                break
        if self.options.reorder:
            self._round(reorder=True)

    def _mix_orders(self) -> None:
        """Sums down columns are taken in by a kernel that reduces the rows of what they read."""
        for a, b in list(self._pairs()):
            a, b = self.of[a.parts[0]], self.of[b.parts[0]]
            if a is b or self._paths.around(a, b):
                continue
            rows = next((k for k, columns in ((a, b), (b, a)) if self._is_mixed(k, columns)), None)
            if rows is not None:
                domain = rows.points, rows.reduced
                self._join(a, b)
                b.points, b.reduced, b.is_mixed = *domain, True

    def _is_mixed(self, rows: Kernel, columns: Kernel) -> bool:
        """True if `columns` only begins sums down the columns whose rows the other kernel reduces."""
        apart = not self._paths.reaches(rows, columns) and not self._paths.reaches(columns, rows)
        whole = rows.reduced, rows.points
        return apart and _reduces_many_rows(rows) and _begins_sums(columns, whole) and bool(rows.read & columns.read)

    def _round(self, reorder: bool) -> None:
        found = [(a, b) for a, b in self._pairs() if self._refusal(a, b, reorder) is None]
        found.sort(key=lambda pair: self._score(*pair), reverse=True)
        for a, b in found:
            a, b = self.of[a.parts[0]], self.of[b.parts[0]]
            if a is not b and self._refusal(a, b, reorder) is None and not self._paths.around(a, b):
                self._join(a, b)

    def _pairs(self) -> Iterator[tuple[Kernel, Kernel]]:
        """Kernels that use the same buffer, in program order."""
        users: dict[SSAValue, dict[Kernel, None]] = {}
        for kernel in self.kernels:
            for buffer in kernel.parts:
                for value, _ in (*buffer.reads, *buffer.writes):
                    if not kernel.is_extern:
                        users.setdefault(value, {})[kernel] = None
        seen: set[tuple[Kernel, Kernel]] = set()
        for kernels in users.values():
            ordered = sorted(kernels, key=lambda k: k.span)
            for place, a in enumerate(ordered):
                for b in ordered[place + 1 : place + 1 + PAIRWISE]:
                    if (a, b) not in seen:
                        seen.add((a, b))
                        yield a, b

    def _score(self, a: Kernel, b: Kernel) -> tuple[int, int, int]:
        shared = self._shared(a, b)
        (a_first, a_last), (b_first, b_last) = a.span, b.span
        near = -max(abs(a_first - b_last), abs(b_first - a_last))
        return int(a.is_reduction == b.is_reduction and shared > 0), shared, near

    def _shared(self, a: Kernel, b: Kernel) -> int:
        """Bytes of the loads and stores that both make alike."""
        points, reduced = self._domain(a, b)
        (loads, stores), (others, more) = (self._accesses(k, points, reduced) for k in (a, b))
        alike = (loads & others) | (loads & more) | (stores & others) | (stores & more)
        return sum(self._dep_bytes(dep) for dep in alike)

    def _dep_bytes(self, dep: Dep) -> int:
        if dep not in self._bytes:
            self._bytes[dep] = dep_bytes(dep)
        return self._bytes[dep]

    @staticmethod
    def _domain(a: Kernel, b: Kernel) -> tuple[int, int]:
        """The loops that one kernel of both would have."""
        reduction = next((k for k in (a, b) if k.is_reduction), a)
        return reduction.points, reduction.reduced

    def _accesses(self, kernel: Kernel, points: int, reduced: int) -> Accesses:
        """Loads and stores by p and r of those loops."""
        if (points, reduced) not in kernel.accesses:
            pairs = [self._part_accesses(b, points, reduced) for b in kernel.parts]
            both = (frozenset[Dep]().union(*(pair[k] for pair in pairs)) for k in (0, 1))
            kernel.accesses[points, reduced] = next(both), next(both)
        return kernel.accesses[points, reduced]

    def _part_accesses(self, buffer: Buffer, points: int, reduced: int) -> Accesses:
        key = (buffer, points, reduced)
        if key not in self._deps:
            p, r = variable("p", integer(points)), variable("r", integer(reduced))
            place = p * reduced + r if buffer.points == points * reduced else p
            names = {} if buffer.is_reduction or buffer.points not in (points, points * reduced) else {"t": place}
            self._deps[key] = (
                frozenset((v, i.substitute(names)) for v, i in buffer.reads),
                frozenset((v, i.substitute(names)) for v, i in buffer.writes),
            )
        return self._deps[key]

    def _refusal(self, a: Kernel, b: Kernel, reorder: bool) -> str | None:
        """Why the two cannot be one kernel; None if they can."""
        why = self._why_not(a, b, reorder)
        if why is not None:
            for x in (a.parts[0], a.parts[-1]):
                for y in (b.parts[0], b.parts[-1]):
                    self.refused[x, y] = why
        return why

    def _why_not(self, a: Kernel, b: Kernel, reorder: bool) -> str | None:
        if a.is_extern or b.is_extern:
            return "a library call is not fused"
        if self._paths.reaches(b, a):
            return "the second must go before the first"
        shared = self._shared(a, b)
        if shared < THRESHOLD and reorder:
            shared = max(shared, self._reorder(a, b))
        if shared == 0:
            return "no shared data"
        if len(a.parts) + len(b.parts) > self.options.max_fusion_size:
            return f"exceeds max-fusion-size = {self.options.max_fusion_size}"
        if self._paths.reaches(a, b):
            return self._vertical_refusal(a, b)
        return self._horizontal_refusal(a, b, shared)

    def _vertical_refusal(self, a: Kernel, b: Kernel) -> str | None:
        """Why `b` cannot be one kernel with `a`, which it needs."""
        if b.is_mixed:
            return "what reduces rows and columns takes in nothing in front of it"
        if not self._reads_what_is_written(a, b):
            return "memory deps did not match"
        if self._paths.around(a, b):
            return "intermediate nodes between the two"
        return self._loops_differ(a, b)

    def _horizontal_refusal(self, a: Kernel, b: Kernel, shared: int) -> str | None:
        """Why two kernels that do not need each other, with so many bytes `shared`, cannot be one."""
        if not self.options.horizontal:
            return "horizontal fusion is off"
        if shared < THRESHOLD:
            return f"{shared} shared bytes are fewer than {THRESHOLD}"
        if -self._score(a, b)[2] > DISTANCE:
            return "nodes are too far away"
        return self._loops_differ(a, b)

    @staticmethod
    def _loops_differ(a: Kernel, b: Kernel) -> str | None:
        """simd.py: the numbers of points and of reduced points must agree."""
        if a.is_reduction and b.is_reduction:
            same = (a.points, a.reduced) == (b.points, b.reduced)
            return None if same else f"numel/rnumel mismatch (reduce) {a.points}, {b.points}, {a.reduced}, {b.reduced}"
        if not a.is_reduction and not b.is_reduction:
            return None if a.points == b.points else f"numel mismatch {a.points}, {b.points}"
        reduction, other = (a, b) if a.is_reduction else (b, a)
        if other.points in (reduction.points, reduction.points * reduction.reduced):
            return None
        return "nodes numel/rnumel incompatibility"

    def _reads_what_is_written(self, a: Kernel, b: Kernel) -> bool:
        """True if `b` reads each result of `a` where the same iteration of the loops has just made it."""
        domain = self._domain(a, b)
        written = self._accesses(a, *domain)[1]
        names = {v for v, _ in written}
        return all(dep in written for dep in self._accesses(b, *domain)[0] if dep[0] in names)

    def _join(self, a: Kernel, b: Kernel) -> None:
        """`b` takes in what `a` computes."""
        score = self._score(a, b)
        for x in a.parts:
            for y in b.parts:
                self.joined[x, y] = f"scheduler: {score[1]} bytes shared"
        b.points, b.reduced = self._domain(a, b)
        b.is_mixed |= a.is_mixed
        b.parts = sorted([*a.parts, *b.parts], key=lambda p: p.order)
        b.accesses.clear()
        for buffer in a.parts:
            self.of[buffer] = b
        self._paths.join(b, a)
        del self.kernels[a]

    def _reorder(self, a: Kernel, b: Kernel) -> int:
        """Gives the pointwise one of the two the loop order of the other; the bytes they then share."""
        movable = next((k for k in (a, b) if not k.is_reduction), None)
        if movable is None or len({b.shape for b in movable.parts}) != 1:
            return -1
        other = b if movable is a else a
        if not {movable.points} & {other.points * other.reduced, other.points}:
            return -1
        if self._strides_differ(movable, other):
            return -1
        old, best = movable.parts, -1
        for order in list(permutations(range(len(old[0].shape))))[1:]:
            new = [self.lowering.pointwise(part.op, order) for part in old]
            trial = Kernel(new, movable.points, movable.reduced)
            best = self._shared(trial, other)
            if best >= THRESHOLD:
                self._take_accesses(movable, new)
                return best
        return -1

    def _strides_differ(self, movable: Kernel, other: Kernel) -> bool:
        """True if a reduction of `other` has loops of other strides: no order makes them those of `movable`."""
        steps = self.lowering.steps(movable.parts[0])
        return any(part.is_reduction and self.lowering.steps(part) != steps for part in other.parts)

    def _take_accesses(self, kernel: Kernel, parts: Sequence[Buffer]) -> None:
        """Lets `kernel` read and write as `parts` do, its own in another loop order."""
        for own, moved in zip(kernel.parts, parts, strict=True):
            own.reads, own.writes = moved.reads, moved.writes
            for key in kernel.accesses:
                self._deps.pop((own, *key), None)
        kernel.accesses.clear()

    def groups(self) -> Iterator[Group]:
        """The kernels as groups, in program order."""
        distinct = ({op for part in kernel.parts for op in part.ops} for kernel in self.kernels)
        held = Counter(chain.from_iterable(distinct))
        halves = {part.op for part in self.buffers if part.kind == "partial"}
        for kernel in sorted(self.kernels, key=lambda k: k.span):
            ordered = self._in_order(kernel)
            begun = tuple(part.op for part in kernel.parts if part.kind == "partial")
            again = tuple(op for op in ordered if held[op] > 1 and op not in halves)
            yield Group(ordered, _kind(kernel), self._in_memory(kernel), again, begun)

    def _in_order(self, kernel: Kernel) -> tuple[Operation, ...]:
        """The ops of `kernel` in program order."""
        ops = {op for part in kernel.parts for op in part.ops}
        return tuple(sorted(ops, key=self.lowering.position.__getitem__))

    def _in_memory(self, kernel: Kernel) -> str:
        """Why each result of `kernel` goes to memory."""
        reasons = dict.fromkeys(self.lowering.realized[part.op.results[0]] for part in kernel.parts)
        return f"in memory: {'; '.join(reasons)}"

    def decisions(self) -> Iterator[Decision]:
        """A verdict for every edge between computed ops."""
        home: dict[Operation, list[Buffer]] = {}
        for buffer in self.buffers:
            for op in buffer.ops:
                home.setdefault(op, []).append(buffer)
        for op, buffers in home.items():
            for value in dict.fromkeys(self._computed(op)):
                producer = value.owner
                if isinstance(producer, Operation) and producer in home:
                    yield self._decision(producer, op, home[producer], buffers)

    def _computed(self, op: Operation) -> Iterator[SSAValue]:
        """What the op reads, views looked through."""
        for value in op.operands:
            yield viewed(value)

    def _decision(self, producer: Operation, consumer: Operation, ours: list[Buffer], theirs: list[Buffer]) -> Decision:
        if set(ours) & set(theirs):
            return Decision(producer, consumer, True, "inlined into its reader")
        pairs = [(a, b) for a in ours for b in theirs]
        for a, b in pairs:
            if self.of[a] is self.of[b]:
                return Decision(producer, consumer, True, self.joined.get((a, b), "scheduler: joined through others"))
        for a, b in pairs:
            for x in self.of[a].parts:
                for y in self.of[b].parts:
                    if (x, y) in self.refused:
                        return Decision(producer, consumer, False, f"scheduler: {self.refused[x, y]}")
        return Decision(producer, consumer, False, "scheduler: the two share no buffer")


def _reduces_many_rows(kernel: Kernel) -> bool:
    """True for reductions of so many rows that to read them once more would come from memory."""
    is_large = kernel.points * kernel.reduced >= MIXED_POINTS and kernel.reduced <= MIXED_COLUMNS
    return kernel.is_reduction and is_large and kernel.points >= max(MIXED_ROWS, 2 * kernel.reduced)


def _begins_sums(kernel: Kernel, whole: tuple[int, int]) -> bool:
    """True if all its reductions are the first halves of sums of so many points and reduced points."""
    halves = [part for part in kernel.parts if part.is_reduction]
    return bool(halves) and all(part.kind == "partial" and part.whole == whole and _sums_up(part.op) for part in halves)


def _sums_up(op: Operation) -> bool:
    return isinstance(op, ReduceOp) and op.kind.data in ("add", "mul")


def _kind(kernel: Kernel) -> str:
    if kernel.is_extern:
        return "matmul" if isinstance(kernel.parts[0].op, MatmulOp) else "extern"
    return "reduction" if kernel.is_reduction else "pointwise"
