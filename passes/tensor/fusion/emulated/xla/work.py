"""What a program of a Triton fusion computes and reads: for its tile of the result, and for whole rows.

What a reduction reads is needed for whole rows, and so is all that it is computed from. A fusion grows by what one
of its producers needs: nothing is counted anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.tensor.ops import ReduceOp
from passes.tensor.fusion.emulated.xla.ops import flops_of, sizes

TILED, WHOLE = 1, 2
"""Needed for the tile; needed for whole rows. The sum is both."""
Need = tuple[Operation, int]
ReadsOf = Callable[[Operation], Iterable[SSAValue]]


@dataclass
class Work:
    """The work of one fusion, or what it would be with more ops inside."""

    needed: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Op to what it is needed for."""
    reads: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """Value in memory to what it is needed for; 0 where it no longer is."""
    loads: Counter[tuple[Attribute, int]] = field(default_factory=Counter[tuple[Attribute, int]])
    """How many values of one type are read for the same."""
    flops: dict[int, tuple[float, float, float]] = field(default_factory=dict[int, tuple[float, float, float]])
    """By the elements of the results: operations on each for the tile, for whole rows, and where the two are one."""
    reductions: int = 0
    elements: int = 1
    """Of the largest value."""
    columns: int = 1
    """The longest row."""
    smaller: Work | None = field(default=None, repr=False)
    """What was needed and read before, if this one is a trial."""

    @staticmethod
    def of(roots: Iterable[Operation], ops: Collection[Operation], reads_of: ReadsOf) -> Work:
        """What computing `ops` for the results of `roots` takes."""
        work = Work()
        work.widen(ops)
        work.need([(op, TILED) for op in roots], (ops,), reads_of)
        return work

    def trial(self) -> Work:
        """One that can grow while this one stays."""
        counts = self.reductions, self.elements, self.columns
        return Work({}, {}, Counter(self.loads), dict(self.flops), *counts, self)

    def with_producer(self, root: Operation, producer: Work, inside: Collection[Operation]) -> Work | None:
        """A trial with all that `producer` computes for the result of `root`; None if the two have more in common.

        As far as whole rows are wanted, all of it is needed for whole rows. Nothing is followed op by op.
        """
        apart = all(op not in self.needed and (op is root or not self._loads(op)) for op in producer.needed)
        if not apart or any(value.owner in inside for value in producer.reads):
            return None
        trial = self.trial()
        wanted = trial._read(root.results[0], 0)
        trial.elements, trial.columns = max(self.elements, producer.elements), max(self.columns, producer.columns)
        trial.reductions += producer.reductions
        for elements, (tiled, whole, once) in producer.flops.items():
            before = self.flops.get(elements, (0.0, 0.0, 0.0))
            more = (tiled if wanted & TILED else 0.0, once if wanted & WHOLE else whole, once)
            trial.flops[elements] = (before[0] + more[0], before[1] + more[1], before[2] + more[2])
        for value, kinds in producer.reads.items():
            if kinds:
                trial._read(value, (kinds if wanted & TILED else 0) | (wanted & WHOLE))
        return trial

    def _loads(self, op: Operation) -> bool:
        return any(self.reads.get(result, 0) for result in op.results)

    def take(self, ops: Collection[Operation], inside: Collection[Operation], reads_of: ReadsOf) -> Work:
        """This one with `ops` computed as well as `inside`, where they are needed."""
        self.widen(ops)
        found: list[Need] = []
        for op in ops:
            for result in op.results:
                kinds = self._read(result, 0)
                found += [(op, kind) for kind in (TILED, WHOLE) if kinds & kind]
        self.need(found, (ops, inside), reads_of)
        return self

    def widen(self, ops: Iterable[Operation]) -> None:
        """The largest shapes are those of these ops too."""
        for op in ops:
            for value in (*op.results, *op.operands):
                shape = sizes(value)
                self.elements = max(self.elements, prod(shape))
                self.columns = max(self.columns, shape[-1] if shape else 1)

    def need(self, todo: list[Need], inside: Iterable[Collection[Operation]], reads_of: ReadsOf) -> None:
        """Counts these ops and all that they are computed from, as far as that is `inside`."""
        while todo:
            op, kind = todo.pop()
            known = self.needed.get(op, self.smaller.needed.get(op, 0) if self.smaller else 0)
            if known & kind:
                continue
            self.needed[op] = known | kind
            self._count(op, kind, known != 0)
            inner = WHOLE if isinstance(op, ReduceOp) else kind
            for value in reads_of(op):
                owner = value.owner
                if isinstance(owner, Operation) and any(owner in ops for ops in inside):
                    todo.append((owner, inner))
                else:
                    self._read(value, inner)

    def _read(self, value: SSAValue, kind: int) -> int:
        """Reads the value for one thing more, or for 0 no longer; gives what it was read for."""
        known = self.reads.get(value, self.smaller.reads.get(value, 0) if self.smaller else 0)
        kinds = known | kind if kind else 0
        if kinds != known:
            self.reads[value] = kinds
            self.loads[value.type, known] -= known != 0
            self.loads[value.type, kinds] += kinds != 0
        return known

    def _count(self, op: Operation, kind: int, again: bool) -> None:
        if isinstance(op, ReduceOp):
            self.reductions += not again
            return
        elements = prod(sizes(op.results[0]))
        each = flops_of(op) / elements
        tiled, whole, once = self.flops.get(elements, (0.0, 0.0, 0.0))
        self.flops[elements] = (
            tiled + each * (kind == TILED),
            whole + each * (kind == WHOLE),
            once + each * (not again),
        )
