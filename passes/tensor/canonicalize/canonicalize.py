"""canonicalize: one spelling for each program, by rules that are exact for every value.

Identities go, neighbouring views, casts and reductions become one, constants stand on the
right. Later passes need not know the other spellings, but stay correct when they meet them.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc_support.rewriting import Rule, RulePass
from passes.tensor.canonicalize.algebra import ALGEBRA
from passes.tensor.canonicalize.moves import MOVES
from passes.tensor.canonicalize.reductions import CASTS, REDUCTIONS
from passes.tensor.canonicalize.views import VIEWS
from passes.tensor.const_fold import fold_splat_view

RULES = (*ALGEBRA, *VIEWS, fold_splat_view, *MOVES, *CASTS, *REDUCTIONS)


@dataclass(frozen=True)
class CanonicalizePass(RulePass):
    """Apply the canonical rules until none fires."""

    name = "canonicalize"

    def rules(self) -> tuple[Rule, ...]:
        """The canonical rules."""
        return RULES
