"""Philox 4x32-10: 128 random bits of a 64-bit key and a counter.

J. Salmon, M. Moraes, R. Dror and D. Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
Kernels compute the same function: `philox` of mlc_compiler.triton_library.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WORDS = 4
ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
LOW = 0xFFFFFFFF

Array = np.ndarray[Any, np.dtype[Any]]


def random_bits(seed: Array | int, positions: Array, word: int) -> Array:
    """Word `word` of each position (int64) under the key `seed` (int64), as int32; the two broadcast."""
    place, key = positions.astype(np.uint64), np.asarray(seed, np.int64).astype(np.uint64)
    counter = [place & np.uint64(LOW), place >> np.uint64(32), np.zeros_like(place), np.zeros_like(place)]
    keys = [key & np.uint64(LOW), key >> np.uint64(32)]
    for _ in range(ROUNDS):
        first, second = (np.uint64(m) * counter[k] for m, k in zip(MULTIPLIERS, (0, 2), strict=True))
        high = [second >> np.uint64(32), first >> np.uint64(32)]
        counter = [
            high[0] ^ counter[1] ^ keys[0],
            second & np.uint64(LOW),
            high[1] ^ counter[3] ^ keys[1],
            first & np.uint64(LOW),
        ]
        keys = [(k + np.uint64(step)) & np.uint64(LOW) for k, step in zip(keys, KEY_STEPS, strict=True)]
    return counter[word].astype(np.uint32).view(np.int32)
