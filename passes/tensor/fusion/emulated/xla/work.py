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

from mlc_dialects.common.types import element_type, with_element
from mlc_dialects.tensor.ops import ConstantOp, ReduceOp
from mlc_dialects.tensor.views import SliceOp
from passes.tensor.fusion.emulated.xla.ops import flops_of, sizes, type_sizes

TILED, WHOLE = 1, 2
"""Needed for the tile; needed for whole rows. The sum is both."""
Need = tuple[Operation, int, Attribute | None]
"""An op, what it is needed for, and the type of the part that a slice leaves of its result."""
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
    parts: dict[SSAValue, Attribute] = field(default_factory=dict[SSAValue, Attribute])
    """Values in memory of which a slice reads a part, to the type of that."""
    smaller: Work | None = field(default=None, repr=False)
    """What was needed and read before, if this one is a trial."""

    @staticmethod
    def of(roots: Iterable[Operation], ops: Collection[Operation], reads_of: ReadsOf) -> Work:
        """What computing `ops` for the results of `roots` takes."""
        work = Work()
        work.need([(op, TILED, None) for op in roots], (ops,), reads_of)
        return work

    def trial(self) -> Work:
        """One that can grow while this one stays."""
        counts = self.reductions, self.elements, self.columns
        return Work({}, {}, Counter(self.loads), dict(self.flops), *counts, dict(self.parts), self)

    def with_producer(self, root: Operation, producer: Work, inside: Collection[Operation]) -> Work | None:
        """A trial with all that `producer` computes for the result of `root`; None if the two have more in common.

        As far as whole rows are wanted, all of it is needed for whole rows. Nothing is followed op by op.
        """
        if root.results[0] in self.parts:
            return None
        apart = all(op not in self.needed and (op is root or not self._loads(op)) for op in producer.needed)
        if not apart or any(value.owner in inside for value in producer.reads):
            return None
        trial = self.trial()
        wanted = trial._read(root.results[0], 0)
        trial.elements, trial.columns = max(self.elements, producer.elements), max(self.columns, producer.columns)
        trial.reductions += producer.reductions
        trial._add_flops(producer, wanted)
        for value, kinds in producer.reads.items():
            if kinds:
                trial._read(value, (kinds if wanted & TILED else 0) | (wanted & WHOLE), producer.parts.get(value))
        return trial

    def _add_flops(self, producer: Work, wanted: int) -> None:
        """Those of a producer of which the tile or whole rows are wanted."""
        for elements, (tiled, whole, once) in producer.flops.items():
            before = self.flops.get(elements, (0.0, 0.0, 0.0))
            more = (tiled if wanted & TILED else 0.0, once if wanted & WHOLE else whole, once)
            self.flops[elements] = (before[0] + more[0], before[1] + more[1], before[2] + more[2])

    def _loads(self, op: Operation) -> bool:
        return any(self.reads.get(result, 0) for result in op.results)

    def take(self, ops: Collection[Operation], inside: Collection[Operation], reads_of: ReadsOf) -> Work:
        """This one with `ops` computed as well as `inside`, where they are needed."""
        found: list[Need] = []
        for op in ops:
            for result in op.results:
                part = self.parts.pop(result, None)
                kinds = self._read(result, 0, part)
                found += [(op, kind, part) for kind in (TILED, WHOLE) if kinds & kind]
        self.need(found, (ops, inside), reads_of)
        return self

    def need(self, todo: list[Need], inside: Iterable[Collection[Operation]], reads_of: ReadsOf) -> None:
        """Counts these ops and all that they are computed from, as far as that is `inside`."""
        while todo:
            op, kind, part = todo.pop()
            known = self.needed.get(op, self.smaller.needed.get(op, 0) if self.smaller else 0)
            if known & kind:
                continue
            self.needed[op] = known | kind
            self._count(op, kind, known != 0, part)
            inner = WHOLE if isinstance(op, ReduceOp) else kind
            part = part or (op.result.type if isinstance(op, SliceOp) else None)
            for value in reads_of(op):
                owner = value.owner
                if isinstance(owner, Operation) and any(owner in ops for ops in inside):
                    todo.append((owner, inner, part))
                else:
                    self._read(value, inner, part)

    def _read(self, value: SSAValue, kind: int, part: Attribute | None = None) -> int:
        """Reads the value for one thing more, or for 0 no longer; gives what it was read for."""
        if isinstance(value.owner, ConstantOp):
            return 0
        known = self.reads.get(value, self.smaller.reads.get(value, 0) if self.smaller else 0)
        kinds = known | kind if kind else 0
        if kinds != known:
            self.reads[value] = kinds
            if part is not None and kinds:
                self.parts.setdefault(value, with_element(part, element_type(value.type)))
            type_ = self.parts.get(value, value.type if part is None else part)
            self.loads[type_, known] -= known != 0
            self.loads[type_, kinds] += kinds != 0
        return known

    def _count(self, op: Operation, kind: int, again: bool, part: Attribute | None) -> None:
        for value in (*op.results, *(() if isinstance(op, SliceOp) else op.operands)):
            shape = sizes(value) if part is None else type_sizes(part)
            self.elements = max(self.elements, prod(shape))
            self.columns = max(self.columns, shape[-1] if shape else 1)
        if isinstance(op, ReduceOp):
            self.reductions += not again
            return
        each = flops_of(op) / prod(sizes(op.results[0]))
        elements = prod(sizes(op.results[0]) if part is None else type_sizes(part))
        tiled, whole, once = self.flops.get(elements, (0.0, 0.0, 0.0))
        self.flops[elements] = (
            tiled + each * (kind == TILED),
            whole + each * (kind == WHOLE),
            once + each * (not again),
        )
