"""The cases: small functions of the kinds that a model's time goes to.

`MICRO` are single operations and short chains, `REGIONS` are shaped like what fusion finds in vision and language
models, forward and backward, `AWKWARD` have sizes and layouts that no tile divides, `LAYOUTS` read channels-last,
transposed and sliced inputs, `RESAMPLED` are images of another size, `DECODING` multiply matrices by one vector,
`CONTRACTIONS` by matrices, `PACKED` by weights of 8 and 4 bits, `CHAINS` are calls of the library with what follows
them, `ATTENTION` are products that follow each other, `LAST_LAYER` are products and a loss, and `CONVOLUTIONS` are
blocks of networks. `GRADIENTS` are those of `CONTRACTIONS` and of the last three with their backward.
"""

from __future__ import annotations

from benchmarks.cases import (
    attention,
    awkward,
    chains,
    contractions,
    convolutions,
    decoding,
    last_layer,
    layouts,
    losses,
    movement,
    norms,
    packed,
    pointwise,
    reductions,
    regions,
    regions_backward,
    resampled,
)

MICRO = (*pointwise.CASES, *norms.CASES, *reductions.CASES, *losses.CASES, *movement.CASES)
REGIONS = (*regions.CASES, *regions_backward.CASES)
AWKWARD = awkward.CASES
LAYOUTS = layouts.CASES
RESAMPLED = resampled.CASES
DECODING = decoding.CASES
CONTRACTIONS = contractions.CASES
PACKED = packed.CASES
CHAINS = chains.CASES
ATTENTION = attention.CASES
LAST_LAYER = last_layer.CASES
CONVOLUTIONS = convolutions.CASES
GRADIENTS = (*contractions.BACKWARD, *attention.BACKWARD, *last_layer.BACKWARD, *convolutions.BACKWARD)
PINNED = (*MICRO, *REGIONS, *AWKWARD)
"""Cases whose generated kernels `tests/golden` holds."""
CASES = (
    *(*PINNED, *LAYOUTS, *RESAMPLED, *DECODING, *CONTRACTIONS, *PACKED),
    *(*CHAINS, *ATTENTION, *LAST_LAYER, *CONVOLUTIONS, *GRADIENTS),
)
