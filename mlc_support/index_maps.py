"""Index maps between a tensor's elements and their row-major positions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from mlc_support.index_expr import IndexExpr, Var, integer, product

ASSUMED_SIZE = 1024
"""What a named size counts as where a number is needed to compare costs."""


def assumed(expr: IndexExpr) -> int:
    """The value of `expr` with every named size ASSUMED_SIZE."""
    return expr.evaluate({v.name: ASSUMED_SIZE for v in expr.variables()})


def divided_names(expr: IndexExpr) -> frozenset[str]:
    """The variables of `expr` that stand inside a quotient or a remainder."""
    atoms = [atom for monomial, _ in expr.terms for atom in monomial if not isinstance(atom, Var)]
    return frozenset(v.name for atom in atoms for part in (atom.dividend, atom.divisor) for v in part.variables())


def divisions(expr: IndexExpr, name: str) -> int:
    """How many quotients and remainders of `expr`, one inside another counted as one, a variable stands in."""
    atoms = {atom for monomial, _ in expr.terms for atom in monomial if not isinstance(atom, Var)}
    return sum(any(v.name == name for v in a.dividend.variables() | a.divisor.variables()) for a in atoms)


def divided_by(expr: IndexExpr, names: Collection[str]) -> set[int]:
    """The constants by which `expr` divides what any of `names` stands in."""
    atoms = [atom for monomial, _ in expr.terms for atom in monomial if not isinstance(atom, Var)]
    found = {d for a in atoms if any(v.name in names for v in a.dividend.variables()) and (d := a.divisor.constant)}
    return found.union(*(divided_by(atom.dividend, names) for atom in atoms))


def divided_bounds(expr: IndexExpr) -> Iterator[IndexExpr]:
    """For each quotient and remainder in `expr`, however deep, what its dividend never exceeds, over sizes alone."""
    for monomial, _ in expr.terms:
        for atom in monomial:
            if not isinstance(atom, Var):
                added = IndexExpr(tuple((m, c) for m, c in atom.dividend.terms if c > 0))
                yield added.upper_bound()
                yield from divided_bounds(atom.dividend)


@lru_cache(maxsize=4096)
def linearize(indices: tuple[IndexExpr, ...], shape: tuple[IndexExpr, ...]) -> IndexExpr:
    """The row-major position of the element `indices` in a tensor of `shape`."""
    position = integer(0)
    for index, size in zip(indices, shape, strict=True):
        position = position * size + index
    return position


@lru_cache(maxsize=4096)
def delinearize(position: IndexExpr, shape: tuple[IndexExpr, ...]) -> tuple[IndexExpr, ...]:
    """The indices of the element at row-major `position` of a tensor of `shape`."""
    indices: list[IndexExpr] = []
    for dim in range(len(shape)):
        inner = product(shape[dim + 1 :])
        index = position // inner
        indices.append(index if dim == 0 else index % shape[dim])
    if shape and shape[0].constant == 1:
        indices[0] = integer(0)
    return tuple(indices)


def row_major_strides(shape: Sequence[IndexExpr]) -> tuple[IndexExpr, ...]:
    """Strides, in elements, of a contiguous tensor of `shape`."""
    return tuple(product(shape[dim + 1 :]) for dim in range(len(shape)))
