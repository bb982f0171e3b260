"""canonicalize: one spelling for each program, by rules that are exact for every value.

Identities go, neighbouring views, casts and reductions become one, constants stand on the
right. Later passes need not know the other spellings, but stay correct when they meet them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc_support.rewriting import apply_rules
from passes.canonical_algebra import ALGEBRA
from passes.canonical_reductions import CASTS, REDUCTIONS
from passes.canonical_views import VIEWS
from passes.const_fold import fold_splat_view

RULES = (*ALGEBRA, *VIEWS, fold_splat_view, *CASTS, *REDUCTIONS)


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Apply the canonical rules until none fires."""

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite everywhere in the module."""
        apply_rules(op, RULES)
