"""What a fusion policy is asked and what it answers."""

from __future__ import annotations

import abc
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import byte_size, element_type
from mlc_dialects.iteration.domain import Domain, Index, row_major_index
from mlc_dialects.iteration.iterate import Iteration
from mlc_dialects.tensor.gather_scatter import ScatterOp, points_of
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp
from mlc_support import plugins
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer
from mlc_support.index_maps import assumed
from mlc_support.parsing import nearest
from mlc_support.powers import power_of_two
from mlc_support.python_files import SEPARATOR, load_python
from passes.common.device import H200, SECTOR_BYTES, Processor
from passes.common.liveness import most_alive
from passes.common.partial_results import partial_results_refusal
from passes.tensor.fusion.decision import elements_of, human_bytes, op_flops, value_bytes
from passes.tensor.fusion.loads import (
    behind,
    computed_again,
    is_reduced_alone,
    read_in_two_orders,
    unpacked_in,
    unshared_windows,
)
from passes.tensor.strides import strides_of

ROWS_SIDE_BY_SIDE = 64
"""How many rows a program takes when it reduces down the columns of memory."""

ROWS_WRITTEN_ACROSS = SECTOR_BYTES // 4
"""How many rows a program takes at least that writes elements of one row far apart: whole sectors of memory."""

ELEMENTS_A_THREAD = 4
"""The least that a thread computes at once: a vector load."""


@dataclass(frozen=True)
class Verdict:
    """Fuse or not, and always why."""

    fuse: bool
    why: str


@dataclass(frozen=True)
class Candidate:
    """Two groups that could become one kernel: `shared` are the values that would stay in registers."""

    ops: Sequence[Operation]
    """In program order."""
    iteration: Iteration
    inputs: Sequence[SSAValue]
    outputs: Sequence[SSAValue]
    shared: Sequence[SSAValue]
    siblings: bool
    """True if neither feeds the other: they only read the same values."""
    alive: int = 1
    """At most so many results are held at once."""
    meets: bool = True
    """False of siblings that never read the same element at one point."""

    @property
    def moved(self) -> tuple[SSAValue, ...]:
        """What the kernel loads and stores, but for the terms of sums, which stay in registers once it sums them."""
        return (*self.inputs, *(v for v in self.outputs if not is_reduced_alone(v)))


@dataclass(frozen=True)
class FusionPolicy(abc.ABC):
    """Judges profit on one device, a GPU or a CPU; legality has been checked."""

    device: Processor = H200
    duplicates: ClassVar[bool] = False
    """Whether kernels recompute cheap values that others would have to store for them."""
    weighs_orders: ClassVar[bool] = False
    """Whether groups are formed in several orders, of which the one whose kernels take the least time stays."""

    @abc.abstractmethod
    def judge(self, candidate: Candidate) -> Verdict:
        """Whether to make one kernel of the candidate."""

    def kernel_us(self, kernel: Candidate) -> float:
        """Microseconds that one kernel takes by its launch and its traffic."""
        traffic = sum(value_bytes(v) for v in (*kernel.inputs, *kernel.outputs))
        return self.saved_us(traffic)

    def busy_us(self, ops: Iterable[Operation], moved: Iterable[SSAValue], more: int = 0) -> float:
        """Microseconds of a kernel: its launch, and what it moves or computes, whichever takes longer.

        `more` float32 operations are computed besides those of `ops`, each element of which is computed once.
        """
        size = sum(map(value_bytes, moved))
        arithmetic = self.device.arithmetic_us(more + sum(map(op_flops, ops)))
        return self.device.launch_us + max(self.device.traffic_us(size, size), arithmetic)

    def saved_us(self, traffic: int) -> float:
        """Microseconds that one kernel and `traffic` bytes less take."""
        return self.device.launch_us + 1e6 * traffic / self.device.bandwidth


@dataclass(frozen=True)
class NoFusion(FusionPolicy):
    """Every computed op is its own kernel."""

    def judge(self, candidate: Candidate) -> Verdict:
        return Verdict(False, "the policy fuses nothing")


@dataclass(frozen=True)
class PointwiseOnly(FusionPolicy):
    """Joins elementwise ops, and keeps every reduction apart."""

    def judge(self, candidate: Candidate) -> Verdict:
        if any(isinstance(op, ReduceOp) for op in candidate.ops):
            return Verdict(False, "the policy keeps reductions apart")
        return Verdict(True, saved(candidate))


@dataclass(frozen=True)
class MlcPolicy(FusionPolicy):
    """Fuses what saves traffic, unless too few programs would be left to fill the device.

    A kernel that needs its reductions' results for whole rows has one program a row, or one for 64 rows that
    lie side by side in memory: the device wants at least one for each of its cores.
    """

    duplicates: ClassVar[bool] = True
    weighs_orders: ClassVar[bool] = True
    short_row: int = 4096
    """Rows of up to this many elements are quick enough that few programs do no harm."""

    @property
    def held_elements(self) -> int:
        """What a program that walks rows may hold: three quarters of the registers of a multiprocessor.

        A few values for each column, of which lanes hold a power of two, and each sum over the rows.
        """
        return 3 * self.device.registers_per_multiprocessor // 4

    def judge(self, candidate: Candidate) -> Verdict:
        if candidate.siblings and 4 * _largest(candidate.shared) < _largest((*candidate.inputs, *candidate.outputs)):
            return Verdict(False, "what the two share is small beside what they move")
        lost = None if candidate.meets else read_in_two_orders(candidate.iteration, candidate.shared)
        lost = lost or self._spilled(candidate) or _picks_pieces(candidate) or self._lost_parallelism(candidate)
        lost = lost or self._lost_across(candidate) or self._repeated(candidate)
        lost = lost or unshared_windows(candidate.ops, candidate.iteration, self.device)
        return Verdict(lost is None, lost or saved(candidate))

    def _spilled(self, candidate: Candidate) -> str | None:
        columns, sums = candidate.iteration.domain.columns, len(candidate.iteration.over_rows)
        if not sums or (columns.constant and power_of_two(columns.constant) * (sums + 3) <= self.held_elements):
            return None
        return f"the registers do not hold {sums} row(s) of sums beside a row of {columns}"

    def _repeated(self, candidate: Candidate) -> str | None:
        """Why what few elements hold should not be computed for every element that reads it.

        The sines of positions, say, that all heads share: the kernels apart take less than its arithmetic.
        """
        small = [v for v in candidate.shared if not candidate.siblings and _is_small(v, candidate)]
        computing = {v: _computing(v, candidate.ops) for v in small}
        values = [v for v, ops in computing.items() if not any(isinstance(op, ReduceOp | ScanOp) for op in ops)]
        if not values:
            return None
        points = points_of_kernel(candidate.iteration)
        unpacked, moved = [*unpacked_in(candidate.ops, candidate.inputs)], candidate.moved
        again = computed_again({v: computing[v] for v in values}, points, unpacked)
        ops = set(candidate.ops).difference(*(u.multiplying for u in unpacked))
        apart_us = self.device.launch_us + self.busy_us(ops, (*moved, *values, *values))
        if self.busy_us(ops, moved, again) <= apart_us:
            return None
        many = points // max(1, *map(elements_of, values))
        return f"would compute {values[0].name_hint or 'a value'} {many} times for each of its elements"

    def kernel_us(self, kernel: Candidate) -> float:
        again = self._read_again(kernel)
        return super().kernel_us(kernel) + (self.saved_us(again) if again else 0)

    def _lost_parallelism(self, candidate: Candidate) -> str | None:
        if not self._waits_for_few_rows(candidate) or _can_be_split(candidate):
            return None
        domain = candidate.iteration.domain
        rows, columns = assumed(domain.rows), assumed(domain.columns)
        return f"loses parallelism: {rows} rows of {columns} would run as {self._programs(candidate)} programs"

    def _lost_across(self, candidate: Candidate) -> str | None:
        """Why what a row's reduction is needed for should not be written across the rows.

        Programs then take rows side by side, to write whole sectors. If fewer than the device has cores are left, the
        kernel takes longer by as much; where there is one row alone, each element moves a sector. No longer than the
        two apart is what the kernel may take.
        """
        domain, over_rows = candidate.iteration.domain, _written_across(candidate)
        if ROWS_WRITTEN_ACROSS * assumed(domain.columns) <= 2 * self.short_row or not over_rows:
            return None
        moved, programs = (*candidate.inputs, *candidate.outputs), -(-assumed(domain.rows) // ROWS_WRITTEN_ACROSS)
        if domain.rows.constant == 1:
            sectors = sum(value_bytes(v) * SECTOR_BYTES // byte_size(element_type(v.type)) for v in over_rows)
            traffic = sectors + sum(value_bytes(v) for v in moved if v not in over_rows)
            busy_us = self.device.traffic_us(traffic, traffic)
        else:
            waves = max(1.0, self.device.multiprocessors / programs)
            busy_us = (self.busy_us((), moved) - self.device.launch_us) * waves
        if busy_us <= self.busy_us((), (*moved, *candidate.shared, *candidate.shared)):
            return None
        if domain.rows.constant == 1:
            return f"parts of the one row would write each element in {SECTOR_BYTES} bytes of its own"
        return f"loses parallelism: {programs} programs would write across {domain.rows} rows"

    def _read_again(self, candidate: Candidate) -> int:
        """The bytes that a kernel reads another time for each reduction in parts that what follows waits for."""
        if not self._waits_for_few_rows(candidate):
            return 0
        return _reductions_waited_for(candidate) * sum(map(value_bytes, candidate.inputs))

    def _waits_for_few_rows(self, candidate: Candidate) -> bool:
        """True if few programs would walk long rows for something that needs a row's reduction.

        What can be cut into parts is: another kernel then reads the rows again.
        """
        few = self._programs(candidate) < self.device.multiprocessors
        return few and assumed(candidate.iteration.domain.columns) > self.short_row and _needs_whole_rows(candidate)

    @staticmethod
    def _programs(candidate: Candidate) -> int:
        rows = assumed(candidate.iteration.domain.rows)
        return -(-rows // ROWS_SIDE_BY_SIDE) if _reduces_across(candidate) else rows


POLICIES: dict[str, type[FusionPolicy]] = {"mlc": MlcPolicy, "pointwise": PointwiseOnly, "none": NoFusion}


def policy_named(name: str) -> type[FusionPolicy] | None:
    """The policy of mlc, a plug-in or `FILE.py:NAME`; None where there is none, `MlcError` where its code fails."""
    if name in POLICIES:
        return POLICIES[name]
    if SEPARATOR in name:
        return _of_file(name)
    point = plugins.added(plugins.POLICIES).get(name)
    return point and plugins.loaded(point, _is_policy, "a subclass of FusionPolicy")


def _of_file(spec: str) -> type[FusionPolicy]:
    """The subclass of FusionPolicy that a file of the user's defines."""
    path, _, name = spec.rpartition(":")
    try:
        module = load_python(Path(path))
    except MlcError:
        raise
    except Exception as error:  # what a user's file raises may be anything
        raise MlcError(f"importing {path} failed: {type(error).__name__}: {error}") from error
    found = getattr(module, name, None)
    if found is None or not _is_policy(found):
        own = [n for n, v in vars(module).items() if _is_policy(v) and v.__module__ == module.__name__]
        hint = nearest(name, own) or f"it has {', '.join(own) or 'none'}"
        raise MlcError(f"{path} has no fusion policy {name!r}, a subclass of FusionPolicy", None, hint)
    return found


def _is_policy(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, FusionPolicy)


def saved(candidate: Candidate) -> str:
    """What the merge keeps out of memory, for people."""
    total = sum(value_bytes(v) for v in candidate.shared)
    if candidate.siblings:
        return f"reads {len(candidate.shared)} shared input(s) once, not twice: saves {human_bytes(total)}"
    return f"keeps {len(candidate.shared)} intermediate(s) of {human_bytes(total)} in registers"


def _picks_pieces(candidate: Candidate) -> str | None:
    """Why rows that are read in another order than they lie in would each take a part of what memory moves at once."""
    domain = candidate.iteration.domain
    if domain.order is None:
        return None
    widest = max((byte_size(element_type(v.type)) for v in candidate.inputs), default=0)
    row = assumed(domain.columns) * widest
    if row >= SECTOR_BYTES:
        return None
    return f"rows of {row} bytes, read in another order: memory moves {SECTOR_BYTES} at once"


def _reduces_across(candidate: Candidate) -> bool:
    """True if the innermost axis of what is reduced is kept: its elements lie a row apart in memory."""
    domain = candidate.iteration.domain
    return len(domain.shape) - 1 not in domain.reduced


def _can_be_split(candidate: Candidate) -> bool:
    """True if split-reduction can cut long rows into parts."""
    domain = candidate.iteration.domain
    kinds = (op.kind.data for op in candidate.ops if isinstance(op, ReduceOp))
    return partial_results_refusal(domain.rows, domain.columns, kinds) is None


def _written_across(candidate: Candidate) -> list[SSAValue]:
    """What a kernel with reductions writes so that neighbours of a row do not lie side by side.

    Of one row alone, which has no others beside it, what is read so as well. What is scattered goes where data says.
    """
    domain, iteration = candidate.iteration.domain, candidate.iteration
    if not domain.reduced:
        return []
    places = [(v, iteration.stores[v]) for v in iteration.full if not isinstance(v.owner, ScatterOp)]
    if domain.rows.constant == 1:
        places += [(v, index) for v, indices in iteration.reads.items() for index in indices]
    return [v for v, index in places if _is_across(v, index, domain)]


def _is_across(value: SSAValue, index: Index, domain: Domain) -> bool:
    """True unless the elements of `value` lie in memory as the points of the domain follow each other."""
    own = row_major_index(domain, points_of(value))
    if own is None or not own[1] or own[0] == index:
        return False
    return sum((i * step for i, step in zip(index, strides_of(value), strict=True)), integer(0)) != domain.position


def _needs_whole_rows(candidate: Candidate) -> bool:
    """True if something is computed for every column out of a reduction over the columns."""
    return _reductions_waited_for(candidate) > 0


def _reductions_waited_for(candidate: Candidate) -> int:
    """Of how many reductions, each from that before it, something is computed for every column at most."""
    found: dict[SSAValue, int] = dict.fromkeys(candidate.inputs, 0)
    full = [*candidate.iteration.full, *(op.input for op in candidate.ops if isinstance(op, ReduceOp))]
    work: list[SSAValue] = list(full)
    while work:
        value = work[-1]
        operands = value.owner.operands if value not in found and isinstance(value.owner, Operation) else ()
        missing = [v for v in operands if v not in found]
        if missing:
            work += missing
            continue
        depth = max((found[v] for v in operands), default=0) + isinstance(value.owner, ReduceOp)
        found.setdefault(value, depth)
        work.pop()
    return max((found[v] for v in full), default=0)


def _is_small(value: SSAValue, candidate: Candidate) -> bool:
    """True if a kernel visits each element of `value` several times: not what has one element a row."""
    domain, count = candidate.iteration.domain, elements_of(value)
    as_many_as_rows = domain.columns.constant != 1 and count == assumed(domain.rows)
    is_small = 2 * count <= points_of_kernel(candidate.iteration)
    return is_small and not (as_many_as_rows and not _is_along_columns(value, candidate))


def _is_along_columns(value: SSAValue, candidate: Candidate) -> bool:
    """True if columns of a row have elements of `value` of their own: it is repeated along others than those."""
    domain, loaded = candidate.iteration.domain, set(candidate.inputs)
    inputs = [op.input for op in candidate.ops if isinstance(op, ReduceOp)]
    for op in [v.owner for v in behind(inputs, loaded)]:
        if isinstance(op, BroadcastOp) and op.shape == domain.shape and len(op.input_shape) == len(op.shape):
            own = any(op.input_shape[d].constant != 1 for d in domain.reduced)
            if own and value in behind([op.input], loaded):
                return True
    return False


def points_of_kernel(iteration: Iteration) -> int:
    """How many points a kernel visits."""
    return assumed(iteration.domain.rows) * assumed(iteration.domain.columns)


def _computing(value: SSAValue, ops: Collection[Operation]) -> set[Operation]:
    """Those of `ops` that `value` is computed by."""
    found: set[Operation] = set()
    work, own = [value], set(ops)
    while work:
        owner = work.pop().owner
        if isinstance(owner, Operation) and owner in own and owner not in found:
            found.add(owner)
            work.extend(owner.operands)
    return found


def _largest(values: Iterable[SSAValue]) -> int:
    """The bytes of the largest value."""
    return max(value_bytes(v) for v in values)


def values_alive(ops: Sequence[Operation], readers: Callable[[SSAValue], Sequence[Operation]]) -> int:
    """How many results are held at once, at most, when `ops` run in program order, as `readers` of values stand."""
    place = {op: i for i, op in enumerate(ops)}
    lives = (
        (i, next((place[r] for r in reversed(readers(result)) if r in place), i), 1)
        for i, op in enumerate(ops)
        for result in op.results
    )
    return most_alive(lives, len(ops))
