"""simplify: less work for the same result, by algebra that canonical spelling does not need.

The canonical rules of algebra run along, so that what one rule leaves another meets in its
usual form. Rules that change a result for some value run only with `fast-math`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc_support import plugins
from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from mlc_support.rewriting import Rule, RulePass
from passes.tensor.canonicalize.algebra import ALGEBRA
from passes.tensor.simplify.bits import BITS
from passes.tensor.simplify.fast_math import FAST
from passes.tensor.simplify.integers import INTEGERS
from passes.tensor.simplify.order import ORDER
from passes.tensor.simplify.powers import POWERS
from passes.tensor.simplify.select import SELECTS
from passes.tensor.simplify.signs import SIGNS

EXACT = (*SIGNS, *INTEGERS, *BITS, *ORDER, *SELECTS, *POWERS)
"""Rules of this pass that keep every bit of every result."""


@dataclass(frozen=True)
class SimplifyPass(RulePass):
    """Apply algebraic rules until none fires."""

    name = "simplify"

    fast_math: bool = False
    """Also rules that are wrong for NaN, infinities or -0.0, or that round otherwise."""
    extra_rules: tuple[str, ...] = ()
    """Sets of rules of plug-ins to apply as well, by name."""

    def rules(self) -> tuple[Rule, ...]:
        """Those that run, in order: of two that fit, the exact one wins."""
        exact = (*ALGEBRA, *EXACT)
        added = tuple(
            rule for name in self.extra_rules for rule in added_rules(name) if self.fast_math or not rule.inexact
        )
        return (*exact, *added, *FAST) if self.fast_math else (*exact, *added)


def added_rules(name: str) -> Sequence[Rule]:
    """The rules that a plug-in calls `name`. Raises `MlcError` where there is none, or where its package fails."""
    points = plugins.added(plugins.RULES)
    if name not in points:
        known = f"plug-ins have {', '.join(points)}" if points else "no plug-in has rules"
        raise MlcError(f"simplify: no set of rules {name!r}", None, nearest(name, points) or known)
    return plugins.loaded(points[name], _are_rules, "a sequence of rules (`@rule`)")


def _are_rules(found: object) -> bool:
    return isinstance(found, Sequence) and all(isinstance(rule, Rule) for rule in found)
