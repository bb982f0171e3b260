"""The iteration domain of a kernel: the points (p, r) that it visits, and the tensor index at each.

p counts the rows, over which programs run in parallel; r counts the columns of a row, which reductions combine. For a
reduction of a 64 x 56 x 56 x 256 tensor over dimensions 1 and 2 there are 64 * 256 rows of 56 * 56 columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import delinearize, linearize

Index = tuple[IndexExpr, ...]


@dataclass(frozen=True)
class Domain:
    """The points of one kernel: the elements of a tensor of `shape`, its `reduced` dimensions being the columns."""

    shape: Shape
    reduced: tuple[int, ...] = ()
    order: IndexExpr | None = None
    """The row that is visited at p, if the rows are visited in another order than row-major."""

    @cached_property
    def parallel(self) -> tuple[int, ...]:
        """The dimensions that are not reduced."""
        return tuple(d for d in range(len(self.shape)) if d not in self.reduced)

    @cached_property
    def rows(self) -> IndexExpr:
        """The number of rows."""
        return product(self.shape[d] for d in self.parallel)

    @cached_property
    def columns(self) -> IndexExpr:
        """The number of columns of a row."""
        return product(self.shape[d] for d in self.reduced)

    @cached_property
    def p(self) -> IndexExpr:
        return variable("p", self.rows)

    @cached_property
    def at(self) -> IndexExpr:
        """The row that is visited at p."""
        return self.p if self.order is None else self.order

    @cached_property
    def r(self) -> IndexExpr:
        return variable("r", self.columns)

    @cached_property
    def point(self) -> Index:
        """The index into `shape` at (p, r)."""
        index = list(self.row)
        sizes = tuple(self.shape[d] for d in self.reduced)
        for dim, i in zip(self.reduced, delinearize(self.r, sizes), strict=True):
            index[dim] = i
        return tuple(index)

    @cached_property
    def position(self) -> IndexExpr:
        """The row-major position in a tensor of `shape` at (p, r)."""
        return linearize(self.point, self.shape)

    @cached_property
    def row(self) -> Index:
        """The index of the row at p into `shape` with all reduced dimensions of size 1."""
        index = [integer(0)] * len(self.shape)
        sizes = tuple(self.shape[d] for d in self.parallel)
        for dim, i in zip(self.parallel, delinearize(self.at, sizes), strict=True):
            index[dim] = i
        return tuple(index)


@lru_cache(maxsize=4096)
def points(shape: Shape, reduced: tuple[int, ...] = (), order: IndexExpr | None = None) -> Domain:
    """The domain of a tensor of `shape`. Cached: the same object each time, with its properties computed once."""
    return Domain(shape, reduced, order)


def domain_of(reduce: ReduceOp | ScanOp, order: IndexExpr | None = None) -> Domain:
    """The domain of a reduction or a scan; its rows are visited in `order`, by default row-major."""
    return points(shape_of(reduce.input.type), reduce.reduced, order)


@dataclass(frozen=True)
class TransposedDomain:
    """The domain of a reduction over the rows of the kernel domain `main`, expressed in the p and r of `main`."""

    own: Domain
    main: Domain

    def transposed_index(self, index: Index) -> Index:
        """An index in the reduction's own p and r, expressed in those of `main`: p and r change places."""
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
        """The index of the reduced element at (p, r)."""
        return self.transposed_index(self.own.point)

    @property
    def row(self) -> Index:
        """The index of the result: one element for each r."""
        return self.transposed_index(self.own.row)

    @property
    def position(self) -> IndexExpr:
        return linearize(self.point, self.own.shape)


def transposed(reduce: ReduceOp | ScanOp, main: Domain) -> TransposedDomain:
    """The domain of `reduce`, which reduces over the rows of a kernel with the domain `main`."""
    return TransposedDomain(domain_of(reduce), main)


def row_major_index(domain: Domain, shape: Shape) -> tuple[Index, bool] | None:
    """The element of an output of `shape` that belongs to (p, r) in row-major order, and whether it depends on r.

    An output has one element for each row, or one for each point; None where its size is neither.
    """
    if shape == domain.shape:
        return domain.point, domain.columns.constant != 1
    count = product(shape)
    if count == domain.rows:
        return delinearize(domain.at, shape), False
    if count == product(domain.shape):
        return delinearize(domain.position, shape), domain.columns.constant != 1
    return None
