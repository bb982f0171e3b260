"""An instruction of XLA as its fusion passes see it: a set of `mlc_tensor` ops with one root, or several."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.ops import ReduceOp

ROOT = object()
"""The place of what a kernel computes once for each element of its result."""
Places = dict[object, float]
"""Places in a kernel that use a value, to how often each uses an element of it."""
Reads = dict[SSAValue, Places]


Kinds = frozenset[object]
"""Classes of views, and what is said of reshapes and transposes."""
REGROUPED, ROWS_MERGED, ROWS_MOVED = "regrouped", "rows merged", "rows moved"
"""A reshape makes several dimensions of several others, or the last one of several; a transpose moves whole rows."""


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
    """One is a gather, or a reduction that no tile holds."""
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
