"""simplify: less work for the same result, by algebra that canonical spelling does not need.

The canonical rules of algebra run along, so that what one rule leaves another meets in its
usual form. Rules that change a result for some value run only with `fast-math`.
"""

from __future__ import annotations

from dataclasses import dataclass

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

    def rules(self) -> tuple[Rule, ...]:
        """Those that run, in order: of two that fit, the exact one wins."""
        return (*ALGEBRA, *EXACT, *FAST) if self.fast_math else (*ALGEBRA, *EXACT)
