"""The memory-bound cases: small functions of the kinds that a model's time goes to.

`MICRO` are single operations and short chains, `REGIONS` are shaped like what fusion finds in vision and language
models, forward and backward, `AWKWARD` have sizes and layouts that no tile divides, `LAYOUTS` read channels-last,
transposed and sliced inputs, `DECODING` multiply matrices by one vector, `CONTRACTIONS` by matrices, `CHAINS` are calls
of the library with what follows them, and `ATTENTION` are products that follow each other.
"""

from __future__ import annotations

from benchmarks.cases import (
    attention,
    awkward,
    chains,
    contractions,
    decoding,
    layouts,
    losses,
    movement,
    norms,
    pointwise,
    reductions,
    regions,
    regions_backward,
)

MICRO = (*pointwise.CASES, *norms.CASES, *reductions.CASES, *losses.CASES, *movement.CASES)
REGIONS = (*regions.CASES, *regions_backward.CASES)
AWKWARD = awkward.CASES
LAYOUTS = layouts.CASES
DECODING = decoding.CASES
CONTRACTIONS = contractions.CASES
CHAINS = chains.CASES
ATTENTION = attention.CASES
PINNED = (*MICRO, *REGIONS, *AWKWARD)
"""Cases whose generated kernels `tests/golden` holds."""
CASES = (*PINNED, *LAYOUTS, *DECODING, *CONTRACTIONS, *CHAINS, *ATTENTION)
