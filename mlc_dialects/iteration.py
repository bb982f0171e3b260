"""How a group of tensor ops is iterated by one kernel.

A kernel visits points (p, r): p is one of `rows` parallel positions, r one of `columns` positions
that its reductions combine; without a reduction columns is 1. Every value of the group is read at
an index that is a function of (p, r), found by walking from the outputs to their operands. The one
rule: a reduction's result is read only at the row p where it was computed. Then softmax, layer
norm and their like are one kernel, and what cannot be is refused with the index that shows why.

Beside reductions over the columns there may be reductions over the rows of the same points (column
sums beside row results, as in the backward of a norm). Their results are known when all rows are
done: what is computed from them, the late values, has one element a column and nothing else reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Operation, SSAValue

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.tensor_ops import CastOp, ConstantOp, IotaOp, ReduceOp, SizeOp
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


def domain_of(reduce: ReduceOp) -> Domain:
    """The points that `reduce` visits."""
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
    across: list[ReduceOp] = field(default_factory=list[ReduceOp])
    """The reductions over the rows, where others are over the columns."""
    late: set[SSAValue] = field(default_factory=set[SSAValue])
    """The results of `across` and all that is computed from them: known when all rows are done."""


def iterate(ops: Collection[Operation], outputs: Sequence[SSAValue]) -> Iteration | Refusal:
    """How one kernel computes `outputs` with `ops`, or why it cannot."""
    reductions = [op for op in ops if isinstance(op, ReduceOp)]
    across: list[ReduceOp] = []
    if reductions:
        domain = _main_domain(reductions)
        across = [op for op in reductions if not _same(domain_of(op), domain)]
        for other in across:
            if other.kind.data.startswith("arg"):
                return Refusal(f"{other.kind.data} over the rows beside reductions over the columns")
            if not _same(turned(other, domain), domain):
                return _unlike(domain, domain_of(other))
    else:
        domain = Domain(shape_of(max(outputs, key=_element_count).type))
    iteration = Iteration(domain, {}, across=across, late=_computed_from([op.result for op in across], ops))
    for output in outputs:
        refusal = _place(iteration, output)
        if refusal is not None:
            return refusal
    return _walk(ops, reductions, iteration) or iteration


@dataclass(frozen=True)
class TurnedDomain:
    """The points of a reduction over the rows of `main`, said in its p and r."""

    own: Domain
    main: Domain

    def say(self, index: Index) -> Index:
        """An index in the reduction's own p and r, in those of the kernel: its rows are the kernel's columns."""
        turn = {"p": self.main.r, "r": self.main.p}
        return tuple(i.substitute(turn) for i in index)

    @property
    def rows(self) -> IndexExpr:
        return self.own.columns

    @property
    def columns(self) -> IndexExpr:
        return self.own.rows

    @property
    def point(self) -> Index:
        """The index of what is reduced at (p, r)."""
        return self.say(self.own.point)

    @property
    def row(self) -> Index:
        """The index of the result, which has one element for each r."""
        return self.say(self.own.row)

    @property
    def position(self) -> IndexExpr:
        return linearize(self.point, self.own.shape)


def turned(reduce: ReduceOp, main: Domain) -> TurnedDomain:
    """The points that `reduce` visits, where it is over the rows of a kernel that walks `main`."""
    return TurnedDomain(domain_of(reduce), main)


def sources(op: Operation, index: Index) -> Iterator[tuple[SSAValue, Index]]:
    """The operands' elements that the result's element `index` needs; not for reductions."""
    if isinstance(op, ElementwiseOp | CastOp):
        for operand in op.operands:
            yield operand, index
    elif isinstance(op, ViewOp):
        yield op.input, op.source_index(index)
    elif isinstance(op, CatOp):
        for operand, offset in zip(op.inputs, op.offsets(), strict=False):
            moved = list(index)
            moved[op.axis] = moved[op.axis] - offset
            yield operand, tuple(moved)


def is_free(op: Operation) -> bool:
    """True for ops that compute nothing: any kernel that needs their result makes it on the fly."""
    if isinstance(op, ConstantOp):
        return op.splat_value is not None
    return isinstance(op, ViewOp | CatOp | IotaOp | SizeOp)


def is_compute(op: Operation) -> bool:
    """True for ops that kernels compute."""
    return isinstance(op, ElementwiseOp | CastOp | ReduceOp)


def _element_count(value: SSAValue) -> int:
    count = product(shape_of(value.type))
    return assumed(count)


def _main_domain(reductions: Sequence[ReduceOp]) -> Domain:
    """The domain of the first reduction that takes in the innermost axis, which lies side by side in memory."""
    domains = [domain_of(op) for op in reductions]
    return next((d for d in domains if _innermost(d) in d.reduced), domains[0])


def _innermost(domain: Domain) -> int:
    long = [d for d, size in enumerate(domain.shape) if size.constant != 1]
    return long[-1] if long else 0


def _same(a: Domain | TurnedDomain, b: Domain) -> bool:
    """True if both walk the same elements at every (p, r)."""
    return (a.rows, a.columns) == (b.rows, b.columns) and a.position == b.position


def _unlike(a: Domain, b: Domain) -> Refusal:
    if (a.rows, a.columns) != (b.rows, b.columns):
        return Refusal(f"reductions differ: {a.rows} rows of {a.columns} beside {b.rows} rows of {b.columns}")
    return Refusal(f"reductions walk different axes: at (p, r) {a.position} beside {b.position}")


def _computed_from(values: Sequence[SSAValue], ops: Collection[Operation]) -> set[SSAValue]:
    """`values` and the results of those of `ops`, which are in order, that need one of them."""
    found = set(values)
    for op in ops if found else ():
        if not found.isdisjoint(op.operands):
            found.update(op.results)
    return found


def _place(iteration: Iteration, output: SSAValue) -> Refusal | None:
    """Finds the index of `output` at (p, r), by its number of elements."""
    domain, shape = iteration.domain, shape_of(output.type)
    if output in iteration.late:
        if product(shape) != domain.columns:
            return Refusal(f"{output.type} needs a sum over all rows before its own rows can be computed")
        iteration.stores[output] = delinearize(domain.r, shape)
        return None
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


def _walk(ops: Collection[Operation], reductions: Sequence[ReduceOp], iteration: Iteration) -> Refusal | None:
    """Follows every output to its operands; a Refusal where a reduction is read off its row."""
    seen: dict[SSAValue, set[Index]] = {}
    work = list(iteration.stores.items())
    for reduce in reductions:
        if reduce.input in iteration.late:
            return Refusal("reduces what is known only when all rows are done")
        across = reduce in iteration.across
        work.append((reduce.input, (turned(reduce, iteration.domain) if across else domain_of(reduce)).point))
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
            own = turned(op, iteration.domain) if op in iteration.across else domain_of(op)
            if index != own.row:
                place = ", ".join(str(i) for i in index)
                return Refusal(f"reads the reduction at [{place}], not at its own row p")
        elif len(known) > VISITS_PER_VALUE and not is_free(op):
            return Refusal(f"would compute {op.name} at more than {VISITS_PER_VALUE} places")
        else:
            work.extend(sources(op, index))
    return None
