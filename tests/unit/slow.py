"""Parameters of tests of which `make test` runs some, and `make test-all` each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def slow(case: Any) -> ParameterSet:
    """A case, of one value or a tuple of several, that `make test` leaves out."""
    known = case if isinstance(case, ParameterSet) else pytest.param(*(case if isinstance(case, tuple) else (case,)))
    return known._replace(marks=(*known.marks, pytest.mark.slow))


def one_in(count: int, *axes: Iterable[Any]) -> Sequence[Any]:
    """The cases, or all combinations of several axes: the first, and one in `count` after it, are quick.

    With a count that divides the length of no axis, the quick ones go through every value of every axis.
    """
    cases = [*axes[0]] if len(axes) == 1 else [*product(*axes)]
    return [case if place % count == 0 else slow(case) for place, case in enumerate(cases)]


def slow_unless(quick: Callable[[Any], bool], cases: Iterable[Any]) -> Sequence[Any]:
    """The cases of which those are quick of which `quick` is true."""
    return [case if quick(case) else slow(case) for case in cases]
