"""A fusion policy: what is legal is checked before it is asked, and each verdict has its reason."""

from __future__ import annotations

from dataclasses import dataclass

from mlc_dialects.iteration.iterate import is_free
from passes.tensor.fusion.policy import Candidate, FusionPolicy, Verdict, saved


@dataclass(frozen=True)
class Pairs(FusionPolicy):
    """Kernels of two computed ops at most."""

    def judge(self, candidate: Candidate) -> Verdict:
        computed = sum(not is_free(op) for op in candidate.ops)
        if computed > 2:
            return Verdict(False, f"{computed} ops are more than a pair")
        return Verdict(True, saved(candidate))
