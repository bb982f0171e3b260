"""The pipeline with another pass in the place of one of its own."""

from __future__ import annotations

from contextlib import AbstractContextManager
from unittest.mock import patch

from xdsl.passes import ModulePass

from mlc_compiler import pipeline


def behind_the_schedule(step: ModulePass) -> AbstractContextManager[object]:
    """While it is open, `step` runs instead of the pass of its kind among those that follow the schedule."""
    own = pipeline.after_schedule
    return patch.object(
        pipeline, "after_schedule", lambda d: tuple(step if isinstance(p, type(step)) else p for p in own(d))
    )
