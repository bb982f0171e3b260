"""Whether one kernel can compute a group of tensor ops, and how it iterates.

A kernel visits the points of its axes: parallel ones, and those that its reductions combine (none without a
reduction). Each value of the group is computed at an index that is a function of the axes' indices, found by following
operands from the outputs. One rule decides: the result of a reduction is read only at the row, the point of the
parallel axes, where it was computed, and that of a scan only at its own point. So softmax or layer norm is one kernel,
and a group that is none is refused with the offending index.

A gather is read like a view, at indices that are partly data (`indirect`). A scatter visits the points of its updates,
and its target must be in memory before the kernel starts.

Besides reductions over columns there may be reductions over the rows of the same points, such as the weight gradient in
the backward of a norm. Their results are known only after all rows. Values computed from them are `late`: they have one
element for each column, and no other value of the kernel may read them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import Shape, element_type, is_float, shape_of
from mlc_dialects.iteration.domain import (
    Domain,
    Index,
    Order,
    PlacedDomain,
    domain_of,
    in_order,
    placed,
    points,
    row_major_index,
)
from mlc_dialects.iteration.indirect_index import IndirectIndices
from mlc_dialects.iteration.output_placement import output_index_maps
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp, points_of
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, RollOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer, product
from mlc_support.index_maps import assumed, delinearize, linearize

DEEPEST_COUNT = 16
"""The longest chain of integer arithmetic, in ops, that is recomputed instead of read from memory."""
CHEAP = 8
"""The most flops that one float function in such a chain may cost."""
ELEMENT_BY_ELEMENT = (ElementwiseOp, CastOp)
NO_KERNEL = 1 << 30
Element = tuple[SSAValue, Index]
VISITS_PER_VALUE = 8
"""The most indices at which one value may be computed before a group is refused for recomputation.

Views and casts may be at any number: a cast takes less than the load of what it converts.
"""


@dataclass(frozen=True)
class Refusal:
    """Why a group cannot be one kernel."""

    why: str
    row: IndexExpr | None = None
    """The row whose reduction is read, if the parallel axes alone tell it and it is not the own one."""
    inside: bool = False
    """True if the operands of a reduction are the reason: then the order of outputs does not matter."""


@dataclass
class Iteration:
    """The domain of a group's kernel, and the index at which each output is written."""

    domain: Domain
    stores: dict[SSAValue, Index]
    """Each output's index at the point of the axes; that of an output with one element a row has no reduced axis."""
    full: set[SSAValue] = field(default_factory=set[SSAValue])
    """The outputs with one element for each point, not only for each row."""
    reads: dict[SSAValue, list[Index]] = field(default_factory=dict[SSAValue, list[Index]])
    """The values from outside the group, each with all indices at which it is read."""
    indirect: IndirectIndices = field(default_factory=IndirectIndices)
    """The coordinates that are read from index tensors."""
    before: set[SSAValue] = field(default_factory=set[SSAValue])
    """The values that must be in memory before the kernel starts: the targets of scatters."""
    over_rows: list[ReduceOp] = field(default_factory=list[ReduceOp])
    """The reductions over the rows, where others are over the columns."""
    late: set[SSAValue] = field(default_factory=set[SSAValue])
    """The results of `over_rows` and all that is computed from them: known after all rows."""

    def own(self, op: ReduceOp | ScanOp) -> PlacedDomain:
        """The domain of a reduction or scan at the points of the kernel's axes."""
        return placed(op, self.domain, transposed=op in self.over_rows)


def iterate(ops: Collection[Operation], outputs: Sequence[SSAValue]) -> Iteration | Refusal:
    """How one kernel computes `outputs` with `ops`, or why it cannot."""
    reductions = [op for op in ops if isinstance(op, ReduceOp | ScanOp)]
    scans = [op for op in reductions if isinstance(op, ScanOp)]
    over_rows: list[ReduceOp] = []
    if reductions:
        domain = _main_domain(scans or reductions)
        others = [op for op in reductions if not _same(placed(op, domain))]
        if others and scans:
            return _unlike(domain, others[0])
        over_rows = [op for op in others if isinstance(op, ReduceOp)]
        for other in over_rows:
            if other.kind.data.startswith("arg"):
                return Refusal(f"{other.kind.data} over the rows beside reductions over the columns")
            if not _same(placed(other, domain, transposed=True)):
                return _unlike(domain, other)
    else:
        domain = points(points_of(max(outputs, key=_element_count)))
    late = _computed_from([op.result for op in over_rows], ops)

    def written(places: Mapping[SSAValue, Index]) -> Iteration | Refusal:
        return _placed(
            ops,
            outputs,
            reductions,
            places,
            Iteration(domain, {}, over_rows=over_rows, late=late, indirect=IndirectIndices(ops)),
        )

    found = written({})
    if _loads(found) == 0 or (reductions and _innermost(domain) not in domain.reduced):
        return found
    if isinstance(found, Refusal) and found.inside and found.row is None:
        return found
    if not any(isinstance(op, PermuteOp) for op in ops):
        return found
    places = output_index_maps(ops, outputs, [op for op in reductions if op not in over_rows], domain)
    again = written({v: index for v, index in places.items() if v not in late}) if places else found
    return again if isinstance(again, Iteration) and _loads(again) < _loads(found) else found


def _loads(found: Iteration | Refusal) -> int:
    """The number of repeated reads of the same values at a point; more than any real number for a Refusal."""
    if isinstance(found, Refusal):
        return NO_KERNEL
    return sum(len(indices) - 1 for indices in found.reads.values())


def _placed(
    ops: Collection[Operation],
    outputs: Sequence[SSAValue],
    reductions: Sequence[ReduceOp | ScanOp],
    places: Mapping[SSAValue, Index],
    iteration: Iteration,
) -> Iteration | Refusal:
    """The iteration with its outputs written at `places`, by default in row-major order."""
    for output in outputs:
        refusal = _place(iteration, output, places.get(output))
        if refusal is not None:
            return refusal
    refusal = _walk(ops, reductions, iteration)
    if (
        refusal is not None
        and refusal.row is not None
        and not iteration.over_rows
        and not any(isinstance(op, ScanOp) for op in ops)
    ):
        return _in_order(refusal.row, ops, reductions, iteration) or refusal
    return refusal or iteration


def _in_order(
    row: IndexExpr, ops: Collection[Operation], reductions: Sequence[ReduceOp | ScanOp], plain: Iteration
) -> Iteration | None:
    """The kernel with its rows visited in the order in which its outputs read reductions; None if that fails.

    They read `row`, over the axes of `plain`. Outputs that read no reduction off its row keep their own order: then all
    rows must be visited. The columns must be coalesced in memory: then any order of rows is as fast.
    """
    domain = plain.domain
    if _innermost(domain) not in domain.reduced:
        return None
    in_own_order: list[SSAValue] = []
    for output, index in plain.stores.items():
        alone = replace(plain, stores={output: index}, reads={}, before=set(), indirect=IndirectIndices(ops))
        if _walk(ops, (), alone) is None:
            in_own_order.append(output)
    if in_own_order and not _reads_every_row(ops, reductions):
        return None
    along = _row_sizes(domain, [v for v in plain.stores if v not in in_own_order])
    visited, places = in_order(domain, row, along)
    stores = {v: tuple(i.substitute(places) for i in index) for v, index in plain.stores.items()}
    for _ in range(2):  # along the new axes the row may be found in other words
        ordered = replace(plain, domain=visited, stores=dict(stores))
        ordered.reads, ordered.before, ordered.indirect = {}, set(), IndirectIndices(ops)
        for output in in_own_order:
            _place(ordered, output)
        refusal = _walk(ops, reductions, ordered)
        if refusal is None:
            return ordered
        if refusal.row is not None:
            visited = points(domain.shape, domain.reduced, Order(along, refusal.row))
    return None


def _row_sizes(domain: Domain, outputs: Sequence[SSAValue]) -> Shape:
    """The sizes of the outer dimensions, with an element a row, of one of `outputs` that has them; else the extents."""
    for shape in map(points_of, outputs):
        for count in range(len(shape) + 1):
            if product(shape[:count]) == domain.rows:
                return tuple(size for size in shape[:count] if size.constant != 1)
    return tuple(axis.extent for axis in domain.parallel_axes)


def _reads_every_row(ops: Collection[Operation], reductions: Sequence[Operation]) -> bool:
    """True if no element of the reductions' results is dropped on the way to the outputs."""
    made = _computed_from([result for op in reductions for result in op.results], ops)
    whole = (ElementwiseOp, CastOp, ReduceOp, BroadcastOp, ReshapeOp, PermuteOp, RollOp, ScatterOp)
    return all(isinstance(op, whole) for op in ops if not made.isdisjoint(op.results))


def reached(op: CatOp, index: Index) -> range:
    """Which inputs the element `index` of the result may be of: all of them, unless its place tells."""
    place, ends = index[op.axis], op.offsets()[1:-1]
    first = sum((place - end).is_non_negative() for end in ends)
    return range(first, next((k for k, end in enumerate(ends) if place.is_below(end)), len(ends)) + 1)


def sources(op: Operation, index: Index) -> Iterator[tuple[SSAValue, Index]]:
    """The elements of operands that the result's element `index` is computed from; not for reductions."""
    if isinstance(op, ELEMENT_BY_ELEMENT):
        for operand in op.operands:
            yield operand, index
    elif isinstance(op, ViewOp):
        yield op.input, op.source_index(index)
    elif isinstance(op, RandomOp):
        yield op.seeds, (integer(op.index.value.data),)
    elif isinstance(op, CatOp):
        for operand, offset in [(op.inputs[k], op.offsets()[k]) for k in reached(op, index)]:
            moved, alone = list(index), shape_of(operand.type)[op.axis].constant == 1
            moved[op.axis] = integer(0) if alone else moved[op.axis] - offset
            yield operand, tuple(moved)


def is_free(op: Operation) -> bool:
    """True for views, iotas, random bits and the like: each kernel that needs them computes them itself."""
    if isinstance(op, ConstantOp):
        return op.splat_value is not None
    return isinstance(op, ViewOp | CatOp | GatherOp | IotaOp | SizeOp | RandomOp) or is_counted(op)


def is_counted(op: Operation) -> bool:
    """True for cheap arithmetic on iotas, sizes and constants alone: recomputing it is faster than reading it.

    Examples are coordinates, triangular masks and windows. Chains of more than DEEPEST_COUNT ops do not count.
    """
    if not is_cheap(op):
        return False
    level: set[Operation] = {op}
    for _ in range(DEEPEST_COUNT):
        below = {v.owner for o in level for v in o.operands}
        level.clear()
        for owner in below:
            if isinstance(owner, Operation) and (isinstance(owner, ViewOp) or is_cheap(owner)):
                level.add(owner)
            elif not isinstance(owner, IotaOp | SizeOp | ConstantOp) or not is_free(owner):
                return False
        if not level:
            return True
    return False


def is_cheap(op: Operation) -> bool:
    """True for integer arithmetic, casts, and float functions of little cost."""
    if isinstance(op, ElementwiseOp):
        return op.FUNCTION.flops <= CHEAP or not is_float(element_type(op.results[0].type))
    return isinstance(op, CastOp)


def is_compute(op: Operation) -> bool:
    """True for ops that a kernel computes, unlike free ones."""
    return isinstance(op, ElementwiseOp | CastOp | ReduceOp | ScanOp | ScatterOp) and not is_counted(op)


def _element_count(value: SSAValue) -> int:
    count = product(points_of(value))
    return assumed(count)


def _main_domain(reductions: Sequence[ReduceOp | ScanOp]) -> Domain:
    """The domain of the first reduction over the innermost axis, which is contiguous in memory; else of the first."""
    domains = [domain_of(op) for op in reductions]
    return next((d for d in domains if _innermost(d) in d.reduced), domains[0])


def _innermost(domain: Domain) -> int:
    long = [d for d, size in enumerate(domain.shape) if size.constant != 1]
    return long[-1] if long else 0


def _same(own: PlacedDomain) -> bool:
    """True if the reduction and the kernel visit the same element at each point."""
    main = own.main
    return own.counts == (main.rows, main.columns) and own.position == main.position


def _unlike(main: Domain, op: ReduceOp | ScanOp) -> Refusal:
    own = domain_of(op)
    if (main.rows, main.columns) != (own.rows, own.columns):
        return Refusal(f"reductions differ: {main.rows} rows of {main.columns} beside {own.rows} rows of {own.columns}")
    axes = ", ".join(axis.unknown for axis in main.axes)
    there = placed(op, main).position
    return Refusal(f"reductions walk different axes: at ({axes}) element {main.position} beside {there}")


def _computed_from(values: Sequence[SSAValue], ops: Collection[Operation]) -> set[SSAValue]:
    """`values` and the results of `ops` (in program order) that depend on them."""
    found = set(values)
    for op in ops if found else ():
        if not found.isdisjoint(op.operands):
            found.update(op.results)
    return found


def _place(iteration: Iteration, output: SSAValue, natural: Index | None = None) -> Refusal | None:
    """Sets the index of `output` at a point: `natural`, or else the row-major one. A Refusal if there is none."""
    domain, shape = iteration.domain, points_of(output)
    if output in iteration.late:
        if product(shape) != domain.columns:
            return Refusal(f"{output.type} needs a sum over all rows before its own rows can be computed")
        iteration.stores[output] = delinearize(domain.column_number, shape)
        return None
    found = row_major_index(domain, shape)
    if found is not None and natural is not None:
        found = natural, found[1]
    if found is None:
        return Refusal(f"{output.type} has neither {domain.rows} elements nor {product(domain.shape)}")
    iteration.stores[output], full = found
    if full:
        iteration.full.add(output)
    return None


def _walk(ops: Collection[Operation], reductions: Sequence[ReduceOp | ScanOp], iteration: Iteration) -> Refusal | None:
    """Follows all outputs and reductions to their operands; a Refusal if a reduction is read off its row."""
    outputs: list[Element] = []
    for output, index in iteration.stores.items():
        op = output.owner
        if isinstance(op, ScatterOp) and op in ops:
            iteration.before |= set(_roots(op.into, ops))
            outputs += [(op.updates, index), *iteration.indirect.needs(iteration.indirect.coordinates(op, index))]
        else:
            outputs.append((output, index))
    reduced: list[Element] = []
    for reduce in reductions:
        if reduce.input in iteration.late:
            return Refusal("reduces what is known only when all rows are done")
        reduced.append((reduce.input, iteration.own(reduce).point))
    seen: dict[SSAValue, set[Index]] = {}
    refusal = _follow(reduced, ops, iteration, seen)
    return replace(refusal, inside=True) if refusal else _follow(outputs, ops, iteration, seen)


def _follow(
    work: list[Element], ops: Collection[Operation], iteration: Iteration, seen: dict[SSAValue, set[Index]]
) -> Refusal | None:
    """Follows elements to what they are computed from, except what was `seen` already."""
    while work:
        value, index = work.pop()
        known = seen.setdefault(value, set())
        count = len(known)
        known.add(index)
        if len(known) == count:
            continue
        op = value.owner
        if op not in ops or not isinstance(op, Operation):
            iteration.reads.setdefault(value, []).append(index)
        elif isinstance(op, ReduceOp):
            own = iteration.own(op).row
            if index != own:
                row = linearize(index, shape_of(op.result.type))
                alone = {axis.unknown for axis in iteration.domain.parallel_axes} >= _indices(row) > set()
                why = f"reads the reduction at {_text(index)}, not at its own {_text(own)}"
                return Refusal(why, row if alone else None)
        elif isinstance(op, ScatterOp):
            return Refusal("reads what it scatters, which is complete when the kernel has ended")
        elif isinstance(op, ScanOp):
            own = iteration.own(op).point
            if index != own:
                return Refusal(f"reads the scan at {_text(index)}, not at {_text(own)}, where it is computed")
        elif len(known) > VISITS_PER_VALUE and (refusal := repeated_at(op)) is not None:
            return refusal
        elif isinstance(op, GatherOp):
            read = iteration.indirect.coordinates(op, index)
            work += [(op.input, read), *iteration.indirect.needs(read)]
        else:
            work.extend(sources(op, index))
    return None


def repeated_at(op: Operation) -> Refusal | None:
    """Why an op is not computed at more than VISITS_PER_VALUE places; None for what costs nothing."""
    free = is_free(op) or isinstance(op, CastOp)
    return None if free else Refusal(f"would compute {op.name} at more than {VISITS_PER_VALUE} places")


def _indices(expr: IndexExpr) -> set[str]:
    """The names of axes and of indirect indices in `expr`."""
    return {v.name for v in expr.variables() if v.extent is not None}


def _text(index: Index) -> str:
    return f"[{', '.join(map(str, index))}]"


def _roots(value: SSAValue, ops: Collection[Operation]) -> Iterator[SSAValue]:
    """The values that `value` is computed from by free ops of the group."""
    op = value.owner
    if isinstance(op, Operation) and op in ops and is_free(op):
        for operand in op.operands:
            yield from _roots(operand, ops)
    else:
        yield value
