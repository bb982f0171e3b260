"""The points that kernels visit: rows p and columns r of a tensor, and where outputs lie among them."""

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
    """The points of one kernel: a tensor's elements, split into rows and reduced columns."""

    shape: Shape
    reduced: tuple[int, ...] = ()
    order: IndexExpr | None = None
    """Which row comes at p, where rows come in another order than their own."""

    @cached_property
    def parallel(self) -> tuple[int, ...]:
        return tuple(d for d in range(len(self.shape)) if d not in self.reduced)

    @cached_property
    def rows(self) -> IndexExpr:
        return product(self.shape[d] for d in self.parallel)

    @cached_property
    def columns(self) -> IndexExpr:
        return product(self.shape[d] for d in self.reduced)

    @cached_property
    def p(self) -> IndexExpr:
        return variable("p", self.rows)

    @cached_property
    def at(self) -> IndexExpr:
        """The row that comes at p."""
        return self.p if self.order is None else self.order

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
        """The index of the row at p, where reduced dimensions have size 1."""
        index = [integer(0)] * len(self.shape)
        sizes = tuple(self.shape[d] for d in self.parallel)
        for dim, i in zip(self.parallel, delinearize(self.at, sizes), strict=True):
            index[dim] = i
        return tuple(index)


@lru_cache(maxsize=4096)
def points(shape: Shape, reduced: tuple[int, ...] = (), order: IndexExpr | None = None) -> Domain:
    """The points of a tensor of `shape`; the same object each time, which has found its point and row."""
    return Domain(shape, reduced, order)


def domain_of(reduce: ReduceOp | ScanOp, order: IndexExpr | None = None) -> Domain:
    """The points that a reduction or a scan visits, row after row or in another order."""
    return points(shape_of(reduce.input.type), reduce.reduced, order)


@dataclass(frozen=True)
class TransposedDomain:
    """The points of a reduction over the rows of `main`, said in its p and r."""

    own: Domain
    main: Domain

    def transposed_index(self, index: Index) -> Index:
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
        return self.transposed_index(self.own.point)

    @property
    def row(self) -> Index:
        """The index of the result, which has one element for each r."""
        return self.transposed_index(self.own.row)

    @property
    def position(self) -> IndexExpr:
        return linearize(self.point, self.own.shape)


def transposed(reduce: ReduceOp | ScanOp, main: Domain) -> TransposedDomain:
    """The points that `reduce` visits, where it is over the rows of a kernel that walks `main`."""
    return TransposedDomain(domain_of(reduce), main)


def row_major_index(domain: Domain, shape: Shape) -> tuple[Index, bool] | None:
    """Which element of an output of `shape` belongs to the point (p, r), and whether r has a say in it.

    One element a row, or one a point, in row-major order; None where its elements are neither as many.
    """
    if shape == domain.shape:
        return domain.point, domain.columns.constant != 1
    count = product(shape)
    if count == domain.rows:
        return delinearize(domain.at, shape), False
    if count == product(domain.shape):
        return delinearize(domain.position, shape), domain.columns.constant != 1
    return None
