"""Polynomials: sums of products of unknowns, each product with an integer coefficient other than 0.

    3 * x * y - 2 is (((x, y), 3), ((), -2))

The unknowns of a product and the products of a sum are in the order of `key`, and no product is there twice,
so equal polynomials are equal tuples.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TypeVar


class Unknown:
    """What a polynomial is in. Equal ones have equal text; their place in the order and their hash are found once."""

    @cached_property
    def key(self) -> tuple[int, str]:
        """Those of a lower rank come first, then by text."""
        return (self.rank, str(self))

    @property
    def rank(self) -> int:
        return 1

    @cached_property
    def fingerprint(self) -> int:
        """The hash of text and kind."""
        return hash((type(self), str(self)))

    def __hash__(self) -> int:
        return self.fingerprint


U = TypeVar("U", bound=Unknown)
Monomial = tuple[U, ...]
Term = tuple[Monomial[U], int]
Terms = tuple[Term[U], ...]


def collect(terms: Iterable[Term[U]]) -> Terms[U]:
    """The sum of `terms`, of which some may be of one product."""
    total: dict[Monomial[U], int] = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, 0) + coefficient
    return tuple(sorted(((m, c) for m, c in total.items() if c), key=_term_key))


def _term_key(term: Term[Unknown]) -> tuple[bool, int, list[tuple[int, str]]]:
    """Products of many unknowns come first, the constant last."""
    return (not term[0], -len(term[0]), [u.key for u in term[0]])


def expand(left: Terms[U], right: Terms[U]) -> Terms[U]:
    """left * right, multiplied out."""
    return collect((tuple(sorted((*m, *n), key=lambda u: u.key)), c * d) for m, c in left for n, d in right)


def scale(terms: Terms[U], factor: int) -> Terms[U]:
    """terms * factor"""
    return tuple((m, c * factor) for m, c in terms) if factor else ()


def scale_down(terms: Terms[U], factor: int) -> Terms[U]:
    """terms / factor, which divides every coefficient."""
    return tuple((m, c // factor) for m, c in terms)


def without(monomial: Monomial[U], factor: Monomial[U]) -> Monomial[U] | None:
    """monomial / factor, or None where it does not divide."""
    left = list(monomial)
    for unknown in factor:
        if unknown not in left:
            return None
        left.remove(unknown)
    return tuple(left)


def remove(terms: Terms[U], *parts: Terms[U]) -> Terms[U] | None:
    """`terms` less `parts`, or None unless each of their terms is one of `terms`."""
    left = dict(terms)
    for part in parts:
        for monomial, coefficient in part:
            if left.pop(monomial, None) != coefficient:
                return None
    return tuple(left.items())


def text_of(terms: Terms[Unknown]) -> str:
    """x * y * 3 - 2"""
    match terms:
        case ():
            return "0"
        case (((unknown,), 1),):
            return str(unknown)
        case _:
            text = ""
    for monomial, coefficient in terms:
        factors = [in_parentheses(str(u)) for u in monomial]
        if abs(coefficient) != 1 or not monomial:
            factors.append(str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        joined = " * ".join(factors)
        text += f" {sign} {joined}" if text else (f"-{joined}" if coefficient < 0 else joined)
    return text


def in_parentheses(text: str) -> str:
    """`text` as an operand of something that binds it closer than what is in it."""
    return f"({text})" if " " in text or text.startswith("-") else text
