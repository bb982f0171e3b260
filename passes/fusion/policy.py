"""What a fusion policy is asked and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.ir import Operation, SSAValue

from mlc_dialects.iteration import Iteration
from mlc_dialects.tensor_ops import ReduceOp
from mlc_support.index_maps import assumed
from passes.fusion.decision import human_bytes, value_bytes

ROWS_SIDE_BY_SIDE = 64
"""How many rows a program takes when it reduces down the columns of memory."""


@dataclass(frozen=True)
class Verdict:
    """Fuse or not, and always why."""

    fuse: bool
    why: str


@dataclass(frozen=True)
class Candidate:
    """Two groups that could become one kernel: `shared` are the values that would stay in registers."""

    ops: Sequence[Operation]
    iteration: Iteration
    inputs: Sequence[SSAValue]
    outputs: Sequence[SSAValue]
    shared: Sequence[SSAValue]
    siblings: bool
    """True if neither feeds the other: they only read the same values."""


class FusionPolicy(Protocol):
    """Judges profit; legality has been checked."""

    def judge(self, candidate: Candidate) -> Verdict: ...


@dataclass(frozen=True)
class NoFusion:
    """Every computed op is its own kernel."""

    def judge(self, candidate: Candidate) -> Verdict:
        return Verdict(False, "the policy fuses nothing")


@dataclass(frozen=True)
class PointwiseOnly:
    """Joins elementwise ops, and keeps every reduction apart."""

    def judge(self, candidate: Candidate) -> Verdict:
        if any(isinstance(op, ReduceOp) for op in candidate.ops):
            return Verdict(False, "the policy keeps reductions apart")
        return Verdict(True, saved(candidate))


@dataclass(frozen=True)
class MlcPolicy:
    """Fuses what saves traffic, unless too few programs would be left to fill the device."""

    max_ops: int = 512
    max_buffers: int = 64
    min_programs: int = 132
    """A kernel that needs its reductions' results for whole rows has one program a row, or one for
    64 rows that lie side by side in memory: at least this many (the H200 has 132 multiprocessors)."""
    short_row: int = 4096
    """Rows of up to this many elements are quick enough that few programs do no harm."""

    def judge(self, candidate: Candidate) -> Verdict:
        if len(candidate.ops) > self.max_ops:
            return Verdict(False, f"{len(candidate.ops)} ops are more than {self.max_ops} in one kernel")
        buffers = len(candidate.inputs) + len(candidate.outputs)
        if buffers > self.max_buffers:
            return Verdict(False, f"{buffers} inputs and outputs are more than {self.max_buffers}")
        domain = candidate.iteration.domain
        rows, columns = assumed(domain.rows), assumed(domain.columns)
        side_by_side = _reduces_across(candidate)
        programs = -(-rows // ROWS_SIDE_BY_SIDE) if side_by_side else rows
        few = programs < self.min_programs and columns > self.short_row
        if few and not _can_be_split(candidate) and _needs_whole_rows(candidate):
            return Verdict(False, f"loses parallelism: {rows} rows of {columns} would run as {programs} programs")
        return Verdict(True, saved(candidate))


POLICIES: dict[str, type[FusionPolicy]] = {"mlc": MlcPolicy, "pointwise": PointwiseOnly, "none": NoFusion}


def saved(candidate: Candidate) -> str:
    """What the merge keeps out of memory, for people."""
    total = sum(value_bytes(v) for v in candidate.shared)
    if candidate.siblings:
        return f"reads {len(candidate.shared)} shared input(s) once, not twice: saves {human_bytes(total)}"
    return f"keeps {len(candidate.shared)} intermediate(s) of {human_bytes(total)} in registers"


def _reduces_across(candidate: Candidate) -> bool:
    """True if the innermost axis of what is reduced is kept: its elements lie a row apart in memory."""
    domain = candidate.iteration.domain
    return len(domain.shape) - 1 not in domain.reduced


def _can_be_split(candidate: Candidate) -> bool:
    """True if split-reduction can cut long rows into parts: sizes are known, and no reduction counts positions."""
    domain = candidate.iteration.domain
    known = domain.rows.constant is not None and domain.columns.constant is not None
    return known and not any(isinstance(op, ReduceOp) and op.kind.data.startswith("arg") for op in candidate.ops)


def _needs_whole_rows(candidate: Candidate) -> bool:
    """True if something is computed for every column out of a reduction over the columns."""
    reduced: set[SSAValue] = set()
    for op in candidate.ops:
        if isinstance(op, ReduceOp):
            reduced.add(op.result)
    return any(_depends_on(v, reduced) for v in candidate.iteration.full) or any(
        isinstance(op, ReduceOp) and _depends_on(op.input, reduced) for op in candidate.ops
    )


def _depends_on(value: SSAValue, roots: set[SSAValue]) -> bool:
    seen: set[SSAValue] = set()
    work = [value]
    while work:
        current = work.pop()
        if current in roots:
            return True
        if current not in seen and isinstance(current.owner, Operation):
            seen.add(current)
            work.extend(current.owner.operands)
    return False
