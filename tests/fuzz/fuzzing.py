"""How long a fuzzer runs: FUZZ_SECONDS of new examples each, from FUZZ_SEED on; else a few, the same every time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))
ROUND = 200
"""Examples between two looks at the clock."""


def fuzz(check: Callable[..., None], *drawn: SearchStrategy[Any], examples: int) -> None:
    """Runs `check` on `examples` of what is `drawn`, or for FUZZ_SECONDS; a failure is shrunk and raised."""
    usual = settings(
        max_examples=ROUND if SECONDS else examples,
        deadline=None,
        database=None,
        suppress_health_check=[*HealthCheck],  # pyright: ignore[reportArgumentType]
    )
    end, number = time.monotonic() + SECONDS, SEED
    while True:
        seed(number)(usual(given(*drawn)(check)))()
        number += 1
        if time.monotonic() >= end:
            return
