"""How a group of tensor ops is iterated by one kernel.

A kernel visits points (p, r): p is one of `rows` parallel positions, r one of `columns` positions
that its reductions combine; without a reduction columns is 1. Every value of the group is read at
an index that is a function of (p, r), found by walking from the outputs to their operands. The one
rule: a reduction's result is read only at the row p where it was computed, a scan's only at its
own (p, r), the columns taken in order. Then softmax, layer
norm and their like are one kernel, and what cannot be is refused with the index that shows why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Operation, SSAValue

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.tensor_ops import CastOp, ConstantOp, IotaOp, ReduceOp, SizeOp
from mlc_dialects.tensor_random import RandomOp
from mlc_dialects.tensor_scan import ScanOp
from mlc_dialects.tensor_views import CatOp, ViewOp
from mlc_dialects.types import Shape, shape_of
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import assumed, delinearize, linearize

Index = tuple[IndexExpr, ...]
VISITS_PER_VALUE = 8
"""At how many different indices one value may be computed before a group counts as recomputing."""


@dataclass(frozen=True)
class Domain:
    """The points of one kernel: a tensor's elements, split into rows and reduced columns."""

    shape: Shape
    reduced: tuple[int, ...] = ()

    @cached_property
    def kept(self) -> tuple[int, ...]:
        return tuple(d for d in range(len(self.shape)) if d not in self.reduced)

    @cached_property
    def rows(self) -> IndexExpr:
        return product(self.shape[d] for d in self.kept)

    @cached_property
    def columns(self) -> IndexExpr:
        return product(self.shape[d] for d in self.reduced)

    @cached_property
    def p(self) -> IndexExpr:
        return variable("p", self.rows)

    @cached_property
    def r(self) -> IndexExpr:
        return variable("r", self.columns)

    @cached_property
    def point(self) -> Index:
        """The index into `shape` of the point (p, r)."""
        index = list(self.row)
        sizes = tuple(self.shape[d] for d in self.reduced)
        for dim, i in zip(self.reduced, delinearize(self.r, sizes), strict=True):
            index[dim] = i
        return tuple(index)

    @cached_property
    def position(self) -> IndexExpr:
        """The row-major position of the point (p, r) in a tensor of `shape`."""
        return linearize(self.point, self.shape)

    @cached_property
    def row(self) -> Index:
        """The index of row p where reduced dimensions have size 1."""
        index = [integer(0)] * len(self.shape)
        sizes = tuple(self.shape[d] for d in self.kept)
        for dim, i in zip(self.kept, delinearize(self.p, sizes), strict=True):
            index[dim] = i
        return tuple(index)


def domain_of(reduce: ReduceOp | ScanOp) -> Domain:
    """The points that a reduction or a scan visits."""
    return Domain(shape_of(reduce.input.type), reduce.reduced)


@dataclass(frozen=True)
class Refusal:
    """Why a group cannot be one kernel."""

    why: str


@dataclass
class Iteration:
    """The points of a group's kernel and where each output is written."""

    domain: Domain
    stores: dict[SSAValue, Index]
    """Output to the index it has at (p, r); a row's output has no r in it."""
    full: set[SSAValue] = field(default_factory=set[SSAValue])
    """The outputs that have an element for every (p, r), not only for every p."""
    reads: dict[SSAValue, list[Index]] = field(default_factory=dict[SSAValue, list[Index]])
    """Values from outside the group, with every index they are read at."""


def iterate(ops: Collection[Operation], outputs: Sequence[SSAValue]) -> Iteration | Refusal:
    """How one kernel computes `outputs` with `ops`, or why it cannot."""
    reductions = [op for op in ops if isinstance(op, ReduceOp | ScanOp)]
    if reductions:
        domain = _common_domain(reductions)
        if isinstance(domain, Refusal):
            return domain
    else:
        domain = Domain(shape_of(max(outputs, key=_element_count).type))
    iteration = Iteration(domain, {})
    for output in outputs:
        refusal = _place(iteration, output)
        if refusal is not None:
            return refusal
    return _walk(ops, reductions, iteration) or iteration


def sources(op: Operation, index: Index) -> Iterator[tuple[SSAValue, Index]]:
    """The operands' elements that the result's element `index` needs; not for reductions."""
    if isinstance(op, ElementwiseOp | CastOp):
        for operand in op.operands:
            yield operand, index
    elif isinstance(op, ViewOp):
        yield op.input, op.source_index(index)
    elif isinstance(op, RandomOp):
        yield op.seeds, (integer(op.index.value.data),)
    elif isinstance(op, CatOp):
        for operand, offset in zip(op.inputs, op.offsets(), strict=False):
            moved = list(index)
            moved[op.axis] = moved[op.axis] - offset
            yield operand, tuple(moved)


def is_free(op: Operation) -> bool:
    """True for ops that compute nothing, or random bits: any kernel that needs their result makes it on the fly."""
    if isinstance(op, ConstantOp):
        return op.splat_value is not None
    return isinstance(op, ViewOp | CatOp | IotaOp | SizeOp | RandomOp)


def is_compute(op: Operation) -> bool:
    """True for ops that kernels compute."""
    return isinstance(op, ElementwiseOp | CastOp | ReduceOp | ScanOp)


def _element_count(value: SSAValue) -> int:
    count = product(shape_of(value.type))
    return assumed(count)


def _common_domain(reductions: Sequence[ReduceOp | ScanOp]) -> Domain | Refusal:
    first = domain_of(reductions[0])
    for other in reductions[1:]:
        domain = domain_of(other)
        if (domain.rows, domain.columns) != (first.rows, first.columns):
            return Refusal(
                f"reductions differ: {first.rows} rows of {first.columns} beside {domain.rows} rows of {domain.columns}"
            )
        if domain.position != first.position:
            return Refusal(f"reductions walk different axes: at (p, r) {first.position} beside {domain.position}")
    return first


def _place(iteration: Iteration, output: SSAValue) -> Refusal | None:
    """Finds the index of `output` at (p, r), by its number of elements."""
    domain, shape = iteration.domain, shape_of(output.type)
    if shape == domain.shape:
        iteration.stores[output] = domain.point
    elif product(shape) == domain.rows:
        iteration.stores[output] = delinearize(domain.p, shape)
        return None
    elif product(shape) == product(domain.shape):
        iteration.stores[output] = delinearize(domain.position, shape)
    else:
        return Refusal(f"{output.type} has neither {domain.rows} elements nor {product(domain.shape)}")
    if domain.columns.constant != 1:
        iteration.full.add(output)
    return None


def _walk(ops: Collection[Operation], reductions: Sequence[ReduceOp | ScanOp], iteration: Iteration) -> Refusal | None:
    """Follows every output to its operands; a Refusal where a reduction is read off its row."""
    seen: dict[SSAValue, set[Index]] = {}
    work = list(iteration.stores.items())
    work += [(reduce.input, domain_of(reduce).point) for reduce in reductions]
    while work:
        value, index = work.pop()
        known = seen.setdefault(value, set())
        if index in known:
            continue
        known.add(index)
        op = value.owner
        if op not in ops or not isinstance(op, Operation):
            iteration.reads.setdefault(value, []).append(index)
        elif isinstance(op, ReduceOp):
            if index != domain_of(op).row:
                place = ", ".join(str(i) for i in index)
                return Refusal(f"reads the reduction at [{place}], not at its own row p")
        elif isinstance(op, ScanOp):
            if index != domain_of(op).point:
                place = ", ".join(str(i) for i in index)
                return Refusal(f"reads the scan at [{place}], not at the point it is computed at")
        elif len(known) > VISITS_PER_VALUE and not is_free(op):
            return Refusal(f"would compute {op.name} at more than {VISITS_PER_VALUE} places")
        else:
            work.extend(sources(op, index))
    return None
