"""The iteration domain of a kernel: its axes, and the tensor index at each of their points.

Each dimension of the iterated tensor that has more places than one is an axis. The parallel axes, over which programs
run, come first; reductions and scans go along the others. For a reduction of a 64 x 256 x 56 x 56 tensor over
dimensions 0, 2 and 3 they are

    parallel i < 256, reduced j < 64, k < 56, l < 56, and the element at (i, j, k, l) is [j, i, k, l]

A row is a point of the parallel axes and a column one of the reduced axes; both are numbered in row-major order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from mlc_dialects.common.index_syntax import axis_names
from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import delinearize, linearize

Index = tuple[IndexExpr, ...]


@dataclass(frozen=True)
class Axis:
    """One axis of a domain; along `reduced` ones reductions and scans go."""

    name: str
    extent: IndexExpr
    kind: Literal["parallel", "reduced"]

    @property
    def unknown(self) -> str:
        """What index expressions call the index along the axis. No size is called so."""
        return f"%{self.name}"

    @property
    def index(self) -> IndexExpr:
        """The index along the axis."""
        return variable(self.unknown, self.extent)


@dataclass(frozen=True)
class Order:
    """Rows visited in another order than row-major: along parallel axes of other extents than the dimensions."""

    sizes: Shape
    """The extents of the parallel axes."""
    row: IndexExpr
    """The number of the row that is visited at a point of them."""


@dataclass(frozen=True)
class Domain:
    """The points of one kernel: the elements of a tensor of `shape`, whose `reduced` dimensions reductions combine."""

    shape: Shape
    reduced: tuple[int, ...] = ()
    order: Order | None = None

    @cached_property
    def parallel(self) -> tuple[int, ...]:
        """The dimensions that are not reduced."""
        return tuple(d for d in range(len(self.shape)) if d not in self.reduced)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The parallel axes, then the reduced ones."""
        return (*self.parallel_axes, *self.reduced_axes)

    @cached_property
    def parallel_axes(self) -> tuple[Axis, ...]:
        long = self._long(self.parallel) if self.order is None else self.order.sizes
        return tuple(Axis(n, e, "parallel") for n, e in zip(axis_names(0, len(long)), long, strict=True))

    @cached_property
    def reduced_axes(self) -> tuple[Axis, ...]:
        long = self._long(self.reduced)
        names = axis_names(max(1, len(self.parallel_axes)), len(long))  # the loop over one row has a name too
        return tuple(Axis(n, e, "reduced") for n, e in zip(names, long, strict=True))

    def _long(self, dimensions: Iterable[int]) -> list[IndexExpr]:
        """The sizes of those dimensions that are axes."""
        return [size for d in dimensions if (size := self.shape[d]).constant != 1]

    @cached_property
    def rows(self) -> IndexExpr:
        """The number of rows."""
        return product(self.shape[d] for d in self.parallel)

    @cached_property
    def columns(self) -> IndexExpr:
        """The number of columns of a row."""
        return product(self.shape[d] for d in self.reduced)

    @cached_property
    def row_number(self) -> IndexExpr:
        """The row that is visited at the point of the axes."""
        return _number(self.parallel_axes) if self.order is None else self.order.row

    @cached_property
    def column_number(self) -> IndexExpr:
        """The column at the point of the axes."""
        return _number(self.reduced_axes)

    @cached_property
    def row(self) -> Index:
        """The index of the visited row into `shape` with all reduced dimensions of size 1."""
        return tuple(i if d in self.parallel else integer(0) for d, i in enumerate(self.point))

    @cached_property
    def point(self) -> Index:
        """The index into `shape` at the point of the axes."""
        if self.order is not None:
            return self.point_at(self.order.row, self.column_number)
        own = iter(self.axes)
        index = [integer(0)] * len(self.shape)
        for d in (*self.parallel, *self.reduced):
            if self.shape[d].constant != 1:
                index[d] = next(own).index
        return tuple(index)

    @cached_property
    def position(self) -> IndexExpr:
        """The row-major position in a tensor of `shape` at the point of the axes."""
        return linearize(self.point, self.shape)

    def point_at(self, row: IndexExpr, column: IndexExpr) -> Index:
        """The index into `shape` of a point by the numbers of its row and column."""
        index = [integer(0)] * len(self.shape)
        for dimensions, number in ((self.parallel, row), (self.reduced, column)):
            sizes = tuple(self.shape[d] for d in dimensions)
            for dimension, i in zip(dimensions, delinearize(number, sizes), strict=True):
                index[dimension] = i
        return tuple(index)


def _number(axes: Sequence[Axis]) -> IndexExpr:
    """The row-major number of a point of `axes`."""
    return linearize(tuple(axis.index for axis in axes), tuple(axis.extent for axis in axes))


@lru_cache(maxsize=4096)
def points(shape: Shape, reduced: tuple[int, ...] = (), order: Order | None = None) -> Domain:
    """The domain of a tensor of `shape`. Cached: the same object each time, with its properties computed once."""
    return Domain(shape, reduced, order)


def domain_of(reduce: ReduceOp | ScanOp) -> Domain:
    """The domain of a reduction or a scan; its rows are visited in row-major order."""
    return points(shape_of(reduce.input.type), reduce.reduced)


@dataclass(frozen=True)
class PlacedDomain:
    """The domain of a reduction or scan as a kernel of the domain `main` visits it: by number of row and column.

    A `transposed` one goes over the rows of `main`: its rows are the columns of `main`, and its columns the rows.
    """

    own: Domain
    main: Domain
    transposed: bool = False

    @property
    def counts(self) -> tuple[IndexExpr, IndexExpr]:
        """The number of rows and that of columns of the own domain that `main` visits as its rows and columns."""
        own = self.own
        return (own.columns, own.rows) if self.transposed else (own.rows, own.columns)

    @cached_property
    def _numbers(self) -> tuple[IndexExpr, IndexExpr]:
        """The own row and column at a point of the axes of `main`."""
        row, column = self.main.row_number, self.main.column_number
        return (column, row) if self.transposed else (row, column)

    @cached_property
    def point(self) -> Index:
        """The index of the element that is reduced at a point of the axes of `main`."""
        own, main = self.own, self.main
        same = not self.transposed and (own.shape, own.reduced) == (main.shape, main.reduced)
        return main.point if same else own.point_at(*self._numbers)

    @cached_property
    def row(self) -> Index:
        """The index of the result that it is reduced to: 0 along the reduced dimensions."""
        return tuple(i if d in self.own.parallel else integer(0) for d, i in enumerate(self.point))

    @cached_property
    def position(self) -> IndexExpr:
        """The row-major position of the element."""
        return linearize(self.point, self.own.shape)


@lru_cache(maxsize=4096)
def _placed(own: Domain, main: Domain, transposed: bool) -> PlacedDomain:
    return PlacedDomain(own, main, transposed)


def placed(reduce: ReduceOp | ScanOp, main: Domain, transposed: bool = False) -> PlacedDomain:
    """The domain of `reduce` in a kernel of the domain `main`, over whose rows it goes if it is `transposed`."""
    return _placed(domain_of(reduce), main, transposed)


def row_indices(domain: Domain, number: IndexExpr) -> dict[str, IndexExpr]:
    """The indices along the parallel axes of `domain`, by name, at the point of this number."""
    axes = domain.parallel_axes
    indices = delinearize(number, tuple(axis.extent for axis in axes))
    return {axis.unknown: i for axis, i in zip(axes, indices, strict=True)}


def in_order(domain: Domain, row: IndexExpr, sizes: Shape) -> tuple[Domain, dict[str, IndexExpr]]:
    """`domain` with other rows visited: at each point the `row` that its axes tell, along axes of extents `sizes`.

    Also the indices along its axes, by name, over those of the new domain.
    """
    axes = [Axis(n, e, "parallel") for n, e in zip(axis_names(0, len(sizes)), sizes, strict=True)]
    places = row_indices(domain, _number(axes))
    ordered = points(domain.shape, domain.reduced, Order(sizes, row.substitute(places)))
    columns = zip(domain.reduced_axes, ordered.reduced_axes, strict=True)
    return ordered, places | {old.unknown: new.index for old, new in columns}


def row_major_index(domain: Domain, shape: Shape) -> tuple[Index, bool] | None:
    """The element of an output of `shape` at a point, in row-major order, and whether it depends on the column.

    An output has one element for each row, or one for each point; None where its size is neither.
    """
    if shape == domain.shape:
        return domain.point, domain.columns.constant != 1
    count = product(shape)
    if count == domain.rows:
        return delinearize(domain.row_number, shape), False
    if count == product(domain.shape):
        return delinearize(domain.position, shape), domain.columns.constant != 1
    return None
