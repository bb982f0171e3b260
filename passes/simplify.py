"""simplify: less work for the same result, by algebra that canonical spelling does not need.

The canonical rules of algebra run along, so that what one rule leaves another meets in its
usual form. Rules that change a result for some value run only with `fast-math`.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc_support.rewriting import Rule, RulePass
from passes.canonical_algebra import ALGEBRA
from passes.simplify_bits import BITS
from passes.simplify_fast import FAST
from passes.simplify_integers import INTEGERS
from passes.simplify_order import ORDER
from passes.simplify_powers import POWERS
from passes.simplify_select import SELECTS
from passes.simplify_signs import SIGNS

EXACT = (*SIGNS, *INTEGERS, *BITS, *ORDER, *SELECTS, *POWERS)
"""Rules of this pass that keep every bit of every result."""


@dataclass(frozen=True)
class SimplifyPass(RulePass):
    """Apply algebraic rules until none fires."""

    name = "simplify"

    fast_math: bool = False
    """Also rules that are wrong for NaN, infinities or -0.0, or that round otherwise."""

    def rules(self) -> tuple[Rule, ...]:
        """Those that run, in order: of two that fit, the exact one wins."""
        return (*ALGEBRA, *EXACT, *FAST) if self.fast_math else (*ALGEBRA, *EXACT)
