"""Integer expressions over named variables: the sizes of tensors and the index maps of loads.

    expr := integer | variable | expr + expr | expr - expr | expr * expr
          | expr floordiv expr | expr mod expr

An expression is kept as a polynomial whose unknowns ("atoms") are variables,
quotients and remainders, so equal expressions are equal objects and sums cancel
by themselves. A variable with an `extent` lies in [0, extent) (a loop index); one
without is the size of a dynamic dimension and is at least 1. Affine maps would do for
static shapes; sizes such as `N * M`, which xDSL's affine expressions refuse, would not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from math import gcd

from mlc_support.polynomials import (
    Term,
    Terms,
    Unknown,
    collect,
    expand,
    in_parentheses,
    remove,
    scale,
    scale_down,
    text_of,
    without,
)


@dataclass(frozen=True, eq=True)
class Var(Unknown):
    """A named integer: a loop index in [0, extent), or a size >= 1 when `extent` is None."""

    name: str
    extent: IndexExpr | None = None
    __hash__ = Unknown.__hash__

    @property
    def rank(self) -> int:
        """Sizes come first."""
        return 0 if self.extent is None else 1

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=True)
class Quotient(Unknown):
    """floor(dividend / divisor), divisor > 0."""

    dividend: IndexExpr
    divisor: IndexExpr
    __hash__ = Unknown.__hash__

    def __str__(self) -> str:
        return _operation(self.dividend, "floordiv", self.divisor)


@dataclass(frozen=True, eq=True)
class Remainder(Unknown):
    """dividend - divisor * floor(dividend / divisor), divisor > 0: in [0, divisor)."""

    dividend: IndexExpr
    divisor: IndexExpr
    __hash__ = Unknown.__hash__

    def __str__(self) -> str:
        return _operation(self.dividend, "mod", self.divisor)


Atom = Var | Quotient | Remainder


@dataclass(frozen=True)
class IndexExpr:
    """A polynomial in atoms; `terms` holds (product of atoms, coefficient), as `polynomials` has them."""

    terms: Terms[Atom]

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    def __hash__(self) -> int:
        return self._hash

    @property
    def constant(self) -> int | None:
        """The value, when no variable is in it; else None."""
        if not self.terms:
            return 0
        (monomial, coefficient) = self.terms[0]
        return coefficient if len(self.terms) == 1 and not monomial else None

    def variables(self) -> frozenset[Var]:
        """Every variable read, also inside quotients and remainders."""
        return self._variables

    @cached_property
    def _variables(self) -> frozenset[Var]:
        atoms = (atom for monomial, _ in self.terms for atom in monomial)
        inside = ({a} if isinstance(a, Var) else a.dividend.variables() | a.divisor.variables() for a in atoms)
        return frozenset[Var]().union(*inside)

    def substitute(self, values: Mapping[str, IndexExpr]) -> IndexExpr:
        """The expression with every variable named in `values` replaced, simplified again."""
        if all(v.name not in values for v in self.variables()):
            return self
        total = integer(0)
        for monomial, coefficient in self.terms:
            product = integer(coefficient)
            for atom in monomial:
                product = product * _substitute_atom(atom, values)
            total = total + product
        return total

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The integer it stands for. KeyError names a variable that `values` lacks."""
        total = 0
        for monomial, coefficient in self.terms:
            product = coefficient
            for atom in monomial:
                # Not in place: the numbers may be arrays, of shapes that broadcast.
                product = product * _evaluate_atom(atom, values)
            total = total + product
        return total

    def upper_bound(self) -> IndexExpr:
        """An expression over sizes alone that is never below this one, which `has_no_negative_part`."""
        total = integer(0)
        for monomial, coefficient in self.terms:
            total = total + coefficient * product(_atom_bound(a) for a in monomial)
        return total

    def has_no_negative_part(self) -> bool:
        """True if the expression only adds and multiplies what is never negative."""
        return all(
            c > 0 and all(not isinstance(a, Quotient) or a.dividend.has_no_negative_part() for a in m)
            for m, c in self.terms
        )

    def is_non_negative(self) -> bool:
        """True only if provably >= 0: with every size written as 1 + s nothing in it is negative."""
        if self.has_no_negative_part():
            return True
        sizes = {v.name: variable(v.name) + 1 for v in self.variables() if v.extent is None}
        return bool(sizes) and self.substitute(sizes).has_no_negative_part()

    def is_below(self, limit: IndexExpr) -> bool:
        """True only if provably 0 <= self < limit."""
        return self.has_no_negative_part() and (limit - self.upper_bound() - 1).is_non_negative()

    def __add__(self, other: IndexExpr | int) -> IndexExpr:
        other = _lift(other)
        if not self.terms or not other.terms:
            return self if not other.terms else other
        return _recombine(IndexExpr(collect([*self.terms, *other.terms])))

    def __radd__(self, other: int) -> IndexExpr:
        return _lift(other) + self

    def __neg__(self) -> IndexExpr:
        return _scaled(self, -1)

    def __sub__(self, other: IndexExpr | int) -> IndexExpr:
        return self + -_lift(other)

    def __rsub__(self, other: int) -> IndexExpr:
        return _lift(other) + -self

    def __mul__(self, other: IndexExpr | int) -> IndexExpr:
        other = _lift(other)
        if (factor := other.constant) is not None:
            return _scaled(self, factor)
        if (factor := self.constant) is not None:
            return _scaled(other, factor)
        return _recombine(IndexExpr(expand(self.terms, other.terms)))

    def __rmul__(self, other: int) -> IndexExpr:
        return self * other

    def __floordiv__(self, other: IndexExpr | int) -> IndexExpr:
        divisor = _lift(other)
        whole, rest = _divide_upwards(self, divisor)
        return whole + _quotient(rest, divisor)

    def __mod__(self, other: IndexExpr | int) -> IndexExpr:
        divisor = _lift(other)
        return _remainder(_divide_upwards(self, divisor)[1], divisor)

    def __str__(self) -> str:
        return text_of(self.terms)


@lru_cache(maxsize=4096)
def integer(value: int) -> IndexExpr:
    """The constant `value`."""
    return IndexExpr((((), value),)) if value else IndexExpr(())


def variable(name: str, extent: IndexExpr | int | None = None) -> IndexExpr:
    """A loop index in [0, extent), or a size when `extent` is None."""
    bound = None if extent is None else _lift(extent)
    if bound is not None and bound.constant == 1:
        return integer(0)
    return _of_atom(Var(name, bound))


def product(factors: Iterable[IndexExpr]) -> IndexExpr:
    """The product of `factors`; 1 for none."""
    return _product(tuple(factors))


@lru_cache(maxsize=4096)
def _product(factors: tuple[IndexExpr, ...]) -> IndexExpr:
    return reduce(lambda a, b: a * b, factors, integer(1))


def _scaled(expr: IndexExpr, factor: int) -> IndexExpr:
    return expr if factor == 1 else IndexExpr(scale(expr.terms, factor))


def _operation(dividend: IndexExpr, sign: str, divisor: IndexExpr) -> str:
    return f"{in_parentheses(str(dividend))} {sign} {in_parentheses(str(divisor))}"


def _lift(value: IndexExpr | int) -> IndexExpr:
    return integer(value) if isinstance(value, int) else value


def _substitute_atom(atom: Atom, values: Mapping[str, IndexExpr]) -> IndexExpr:
    if isinstance(atom, Var):
        return values[atom.name] if atom.name in values else _of_atom(atom)
    dividend, divisor = atom.dividend.substitute(values), atom.divisor.substitute(values)
    return dividend // divisor if isinstance(atom, Quotient) else dividend % divisor


def _evaluate_atom(atom: Atom, values: Mapping[str, int]) -> int:
    if isinstance(atom, Var):
        return values[atom.name]
    dividend, divisor = atom.dividend.evaluate(values), atom.divisor.evaluate(values)
    if type(divisor) is int and divisor == 0:  # it may be an array; see `evaluate`
        return 0  # a place in a dimension without elements, where nothing is read
    return dividend // divisor if isinstance(atom, Quotient) else dividend % divisor


def _atom_bound(atom: Atom) -> IndexExpr:
    """The largest value of `atom`, over sizes alone."""
    if isinstance(atom, Var):
        return _of_atom(atom) if atom.extent is None else atom.extent - 1
    if isinstance(atom, Remainder):
        return atom.divisor - 1
    bound = atom.dividend.upper_bound()
    if atom.divisor.constant is not None:
        return bound // atom.divisor
    # (q * d + r) floordiv d is q + r floordiv d, which is at most r, and at most -1 for negative r.
    whole, rest = _divide(bound, atom.divisor)
    return bound if rest.constant is None else whole + max(rest.constant, -1)


def _divide(expr: IndexExpr, divisor: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
    """(whole, rest) with expr == whole * divisor + rest; `rest` takes what does not divide."""
    if len(divisor.terms) != 1:
        return (integer(1), integer(0)) if expr == divisor else (integer(0), expr)
    (factor, size) = divisor.terms[0]
    whole: list[Term[Atom]] = []
    rest: list[Term[Atom]] = []
    for monomial, coefficient in expr.terms:
        left = without(monomial, factor)
        if left is None or size <= 0:
            rest.append((monomial, coefficient))
            continue
        if not left and not monomial:
            quotient, remainder = divmod(coefficient, size)
            whole.append((left, quotient))
            rest.append((monomial, remainder))
        elif coefficient % size == 0:
            whole.append((left, coefficient // size))
        else:
            rest.append((monomial, coefficient))
    return IndexExpr(collect(whole)), IndexExpr(collect(rest))


@lru_cache(maxsize=1 << 14)
def _divide_upwards(expr: IndexExpr, divisor: IndexExpr) -> tuple[IndexExpr, IndexExpr]:
    """As `_divide`, with a rest that is never negative where `expr` is not: kernels divide towards zero.

    (9 - p) mod 5 with p < 10 stays what it is: 4 - p would be negative, and 9 - p is not.
    """
    whole, rest = _divide(expr, divisor)
    if rest.has_no_negative_part():
        return whole, rest
    negated = IndexExpr(tuple((m, -c) for m, c in rest.terms if c < 0))
    most, size = negated.upper_bound().constant, divisor.constant
    if most is None or size is None or size <= 0:
        return integer(0), expr
    least = sum(c for m, c in rest.terms if not m and c > 0) - most
    lifts = max(0, -(least // size))
    return whole - lifts, rest + lifts * size


@lru_cache(maxsize=1 << 14)
def _quotient(expr: IndexExpr, divisor: IndexExpr) -> IndexExpr:
    """expr floordiv divisor, where no term of `expr` divides."""
    if expr.is_below(divisor):
        return integer(0)
    for unit, high, _ in _splits(expr, divisor):
        # (a * u + r) floordiv (b * u) == a floordiv b, for 0 <= r < u
        return high // IndexExpr(scale_down(divisor.terms, unit))
    added = sum(c for m, c in expr.terms if not m)
    atom = _single_atom(IndexExpr(expr.terms[:-1]) if added else expr)
    if isinstance(atom, Quotient):
        # (x floordiv a + c) floordiv b == (x + a * c) floordiv (a * b), for a constant c
        return (atom.dividend + atom.divisor * added) // (atom.divisor * divisor)
    if isinstance(atom, Remainder) and not added:
        # (x mod (a * b)) floordiv b == (x floordiv b) mod a
        outer, rest = _divide(atom.divisor, divisor)
        if rest.constant == 0:
            return (atom.dividend // divisor) % outer
    return _of_atom(Quotient(expr, divisor))


@lru_cache(maxsize=1 << 14)
def _remainder(expr: IndexExpr, divisor: IndexExpr) -> IndexExpr:
    """expr mod divisor, where no term of `expr` divides."""
    if expr.is_below(divisor):
        return expr
    for unit, high, low in _splits(expr, divisor):
        # (a * u + r) mod (b * u) == (a mod b) * u + r, for 0 <= r < u
        return (high % IndexExpr(scale_down(divisor.terms, unit))) * unit + low
    atom = _single_atom(expr)
    if isinstance(atom, Remainder) and _divide(atom.divisor, divisor)[1].constant == 0:
        return atom.dividend % divisor  # (x mod (a * b)) mod b == x mod b
    for atom, coefficient in ((m[0], c) for m, c in expr.terms if len(m) == 1):
        if isinstance(atom, Remainder) and _is_needless(atom, coefficient, divisor):
            # (c * (x mod a) + y) mod b == (c * x + y) mod b, where b divides c * a
            return (expr + (atom.dividend - _of_atom(atom)) * coefficient) % divisor
    return _of_atom(Remainder(expr, divisor))


def _is_needless(atom: Remainder, coefficient: int, divisor: IndexExpr) -> bool:
    """True if `divisor` divides all that `atom` takes away. 8 * (p mod 8) stays: 8 * p may not fit where p does."""
    x = _single_atom(atom.dividend)
    unit = (x.divisor.constant if isinstance(x, Quotient) else None) or 1
    whole = _divide(atom.divisor * coefficient, divisor)[1].constant == 0
    return whole and 0 < coefficient <= unit and atom.dividend.has_no_negative_part()


def _splits(expr: IndexExpr, divisor: IndexExpr) -> Iterable[tuple[int, IndexExpr, IndexExpr]]:
    """Each (unit, high, low) with expr == high * unit + low, 0 <= low < unit, divisor a multiple of unit."""
    size = divisor.constant
    if size is None:
        return
    for unit in sorted({gcd(c, size) for _, c in expr.terms} - {1}, reverse=True):
        high = IndexExpr(tuple((m, c // unit) for m, c in expr.terms if c % unit == 0))
        low = IndexExpr(tuple((m, c) for m, c in expr.terms if c % unit))
        if low.is_below(integer(unit)):
            yield unit, high, low


def _single_atom(expr: IndexExpr) -> Atom | None:
    if len(expr.terms) == 1 and expr.terms[0][1] == 1 and len(expr.terms[0][0]) == 1:
        return expr.terms[0][0][0]
    return None


def _recombine(expr: IndexExpr) -> IndexExpr:
    """Joins quotients with remainders: (x floordiv a) * a + x mod a == x."""
    for monomial, coefficient in expr.terms:
        for position, atom in enumerate(monomial):
            if not isinstance(atom, Var):
                factor = IndexExpr(((monomial[:position] + monomial[position + 1 :], coefficient),))
                join = _join if isinstance(atom, Remainder) else _join_carry
                joined = join(expr, atom, factor)  # pyright: ignore[reportArgumentType]
                if joined is not None:
                    return joined
    return expr


def _join_carry(expr: IndexExpr, carry: Quotient, factor: IndexExpr) -> IndexExpr | None:
    """`expr` with (x floordiv a + (x mod a + y) floordiv a) * factor made ((x + y) floordiv a) * factor."""
    own = expand(_of_atom(carry).terms, factor.terms)
    for low in [m[0] for m, c in carry.dividend.terms if len(m) == c == 1 and len(expr.terms) > 1]:
        if isinstance(low, Remainder) and low.divisor == carry.divisor and low.dividend.has_no_negative_part():
            rest = remove(expr.terms, own, expand((low.dividend // low.divisor).terms, factor.terms))
            if rest is not None:
                return IndexExpr(rest) + (carry.dividend - _of_atom(low) + low.dividend) // carry.divisor * factor
    return None


def _join(expr: IndexExpr, low: Remainder, factor: IndexExpr) -> IndexExpr | None:
    """`expr` with factor * (x mod a) and its partner, whose factor is a times as large, made one."""
    partner = expand(factor.terms, low.divisor.terms)
    lower = expand(_of_atom(low).terms, factor.terms)
    whole = low.dividend // low.divisor
    rest = remove(expr.terms, lower, expand(whole.terms, partner))
    if rest is not None and whole.terms:
        return IndexExpr(rest) + low.dividend * factor
    for high in dict.fromkeys(a for m, _ in expr.terms for a in m if isinstance(a, Remainder)):
        more = remove(high.dividend.terms, whole.terms) if whole.terms and high != low else None
        if more is not None:
            # ((y + x floordiv a) mod b) * a + x mod a == (y * a + x) mod (a * b)
            rest = remove(expr.terms, lower, expand(_of_atom(high).terms, partner))
            if rest is not None:
                joined = IndexExpr(more) * low.divisor + low.dividend
                return IndexExpr(rest) + (joined % (low.divisor * high.divisor)) * factor
    return None


def _of_atom(atom: Atom) -> IndexExpr:
    return IndexExpr((((atom,), 1),))
