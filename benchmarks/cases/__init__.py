"""The memory-bound cases: small functions of the kinds that a model's time goes to.

`MICRO` are single operations and short chains, `REGIONS` are shaped like what fusion finds in vision and language
models, forward and backward, and `AWKWARD` have sizes and layouts that no tile divides.
"""

from __future__ import annotations

from benchmarks.cases import awkward, losses, movement, norms, pointwise, reductions, regions, regions_backward

MICRO = (*pointwise.CASES, *norms.CASES, *reductions.CASES, *losses.CASES, *movement.CASES)
REGIONS = (*regions.CASES, *regions_backward.CASES)
AWKWARD = awkward.CASES
CASES = (*MICRO, *REGIONS, *AWKWARD)
