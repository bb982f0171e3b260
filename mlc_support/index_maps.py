"""Index maps between a tensor's elements and their row-major positions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import gcd

from mlc_support.index_expr import IndexExpr, Quotient, Remainder, Var, integer, product, variable

ASSUMED_SIZE = 1024
"""What a named size counts as where a number is needed to compare costs."""

PROBES = 4
"""Neighbours that tell how an access walks: of their distances, two are alike where one begins again."""


def assumed(expr: IndexExpr) -> int:
    """The value of `expr` with every named size ASSUMED_SIZE."""
    return expr.evaluate({v.name: ASSUMED_SIZE for v in expr.variables()})


@dataclass(frozen=True)
class Line:
    """The expression name * factor + rest in one named size: what a dimension of a tensor tells of it."""

    name: str
    factor: int
    rest: int

    @staticmethod
    def of(expr: IndexExpr) -> Line | None:
        """`expr` as such; None if it reads other sizes, or its one size otherwise."""
        match [(m, c) for m, c in expr.terms if m]:
            case [((Var(name=name),), factor)]:
                return Line(name, factor, sum(c for m, c in expr.terms if not m))
            case _:
                return None

    @property
    def is_plain(self) -> bool:
        """True for the name alone."""
        return (self.factor, self.rest) == (1, 0)


def without_common_factors(dividend: IndexExpr, divisor: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
    """Both without the sizes that each product in them has: M * N and M * 8 are N and 8."""
    for size in dividend.variables() & divisor.variables():
        factor = variable(size.name)
        while all(size in monomial for expr in (dividend, divisor) for monomial, _ in expr.terms):
            dividend, divisor = dividend // factor, divisor // factor
    return dividend, divisor


def known_divisors(left: IndexExpr, right: IndexExpr) -> Iterator[tuple[IndexExpr, IndexExpr]]:
    """Each (x - r, c) of which left == right says that c divides it: x mod c == r, or (x floordiv c) * c == x - r."""
    left, right = without_common_factors(left, right)
    rest = _primitive(left - right)
    atoms = {atom for monomial, _ in rest.terms for atom in monomial if not isinstance(atom, Var)}
    for atom in sorted(atoms, key=str):
        exact = atom.dividend % atom.divisor
        if isinstance(atom, Quotient):
            exact = atom.dividend - atom.dividend // atom.divisor * atom.divisor
        for left_over in ((exact - rest).constant, (exact + rest).constant):
            if left_over is not None:
                yield without_common_factors(atom.dividend - left_over, atom.divisor)


def _primitive(expr: IndexExpr) -> IndexExpr:
    """`expr` without the constant that all its terms have as a factor."""
    common = gcd(*(c for _, c in expr.terms)) or 1
    return IndexExpr(tuple((m, c // common) for m, c in expr.terms))


def divided_names(expr: IndexExpr) -> frozenset[str]:
    """The variables of `expr` that stand inside a quotient or a remainder."""
    atoms = [atom for monomial, _ in expr.terms for atom in monomial if not isinstance(atom, Var)]
    return frozenset(v.name for atom in atoms for part in (atom.dividend, atom.divisor) for v in part.variables())


def divisions(expr: IndexExpr, *names: str) -> int:
    """How many quotients and remainders of `expr`, one inside another counted as one, all of the variables stand in."""
    atoms = {atom for monomial, _ in expr.terms for atom in monomial if not isinstance(atom, Var)}
    return sum({v.name for v in a.dividend.variables() | a.divisor.variables()} >= {*names} for a in atoms)


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


def usual_step(offset: IndexExpr, places: Sequence[Mapping[str, IndexExpr]]) -> int | None:
    """How far `offset` moves from one of `places` to the next; None if that is not known.

    Most often, where it divides: what was rolled goes on from its end at its begin.
    """
    found = [offset.substitute(place) for place in (places if divided_names(offset) else places[:2])]
    steps = [(after - before).constant for before, after in pairwise(found)]
    return max(steps, key=steps.count, default=None)


def is_injective(expr: IndexExpr, variables: Iterable[IndexExpr]) -> bool:
    """True if `expr` has one value for one choice of the variables alone, as far as its terms are digits of a number.

    Each term is an atom times a weight, which is more than all smaller terms come to: numbers have to bound those.
    """
    weights = {IndexExpr(((monomial, 1),)): weight for monomial, weight in expr.terms if monomial}
    reached: int | None = 0
    for digit, weight in sorted(weights.items(), key=lambda item: item[1]):
        if reached is None or weight <= reached or not digit.has_no_negative_part():
            return False
        bound = digit.upper_bound().constant
        reached = None if bound is None else reached + weight * bound
    return all(_is_told(name, weights) for name in variables)


def _is_told(expr: IndexExpr, digits: Collection[IndexExpr]) -> bool:
    """True if the digits, some of which may be remainders and quotients, say what `expr` is."""
    if expr.constant is not None or expr in digits:
        return True
    atoms = [atom for digit in digits for monomial, _ in digit.terms for atom in monomial]
    divisors = [
        a.divisor for a in atoms if isinstance(a, Remainder) and a.dividend == expr and expr % a.divisor in digits
    ]
    return any(_is_told(expr // divisor, digits) for divisor in divisors)


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


def blocks_of_reshape(
    source: tuple[IndexExpr, ...], target: tuple[IndexExpr, ...]
) -> list[tuple[tuple[IndexExpr, ...], tuple[IndexExpr, ...], int]]:
    """Sizes of two shapes in blocks with equally many elements, as many as there are; and where each is in `target`.

    (4, 8, N, 64) and (32, N, 8, 8):  (4, 8) and (32), (N) and (N), (64) and (8, 8)
    """
    starts = {product(source[d:]): d for d in reversed(range(len(source)))}
    cuts = {s: d for d in reversed(range(len(target))) if (s := starts.get(product(target[d:]))) is not None}
    begins = [(0, 0), *sorted((s, t) for s, t in cuts.items() if s and t)]
    ends = [*begins[1:], (len(source), len(target))]
    return [(source[s:s_end], target[t:t_end], t) for (s, t), (s_end, t_end) in zip(begins, ends, strict=True)]


def row_major_strides(shape: Sequence[IndexExpr]) -> tuple[IndexExpr, ...]:
    """Strides, in elements, of a contiguous tensor of `shape`."""
    return tuple(product(shape[dim + 1 :]) for dim in range(len(shape)))


def reshaped_strides(
    shape: Sequence[IndexExpr], strides: Sequence[IndexExpr], target: Sequence[IndexExpr]
) -> tuple[IndexExpr, ...] | None:
    """Strides that read memory of (shape, strides) as `target` in the same order, or None.

    Dimensions are merged while each stride is the next one's extent, as a row-major block is,
    and every block must hold whole dimensions of the target (numpy's rule for reshape without copy).
    """
    blocks = _blocks(shape, strides)
    result: list[IndexExpr] = []
    position = len(target) - 1
    for size, stride in reversed(blocks):
        filled, current = integer(1), stride
        while filled != size:
            if position < 0 or (filled * target[position]).constant == 0:
                return None
            result.append(current)
            filled, current = filled * target[position], current * target[position]
            position -= 1
            if filled.constant is not None and size.constant is not None and filled.constant > size.constant:
                return None
    while position >= 0 and target[position].constant == 1:
        result.append(integer(1))
        position -= 1
    return tuple(reversed(result)) if position < 0 else None


def _blocks(shape: Sequence[IndexExpr], strides: Sequence[IndexExpr]) -> list[tuple[IndexExpr, IndexExpr]]:
    """(size, innermost stride) of the longest runs of dimensions that are row-major among themselves."""
    blocks: list[tuple[IndexExpr, IndexExpr]] = []
    for size, stride in zip(shape, strides, strict=True):
        if size.constant == 1:
            continue
        if blocks and blocks[-1][1] == size * stride:
            blocks[-1] = (blocks[-1][0] * size, stride)
        else:
            blocks.append((size, stride))
    return blocks if product(s for s, _ in blocks).constant != 0 else [(integer(0), integer(1))]


def constants(exprs: Iterable[IndexExpr]) -> list[int] | None:
    """The numbers that expressions are; None if one of them is none."""
    found = [expr.constant for expr in exprs]
    numbers = [number for number in found if number is not None]
    return numbers if len(numbers) == len(found) else None
