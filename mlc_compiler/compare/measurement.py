"""What the clock says of one strategy's program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlc_compiler.peers.client import Answer, Failure
from mlc_compiler.timing.results import MOST_OFF


@dataclass(frozen=True)
class Measurement:
    """The time of a strategy, or why it has none."""

    us: float | None = None
    """The median of its calls, microseconds; None where it did not run."""
    why: str = ""
    """Why it did not run, or was not compared; else empty."""
    off: float | None = None
    """The share of elements of a result that are not as mlc has them; None where that is not known."""
    kernels: int | None = None
    """How many kernels the groups were built as, where mlc built them."""
    device: str = ""
    """What it ran on, and how that was timed."""

    @property
    def wrong(self) -> bool:
        """True if it computes something else than mlc: its time tells nothing."""
        return (self.off or 0.0) > MOST_OFF

    @staticmethod
    def of(answer: Answer) -> Measurement:
        """What a worker's answer says."""
        if isinstance(answer, Failure):
            return Measurement(why=answer.why)
        found: Mapping[str, Any] = answer
        return Measurement(found["us"], "", found["off"], found.get("kernels"), found["device"])

    def remark(self, groups: int) -> str:
        """What must be known beside the time of a strategy with so many groups of its own; empty if nothing."""
        if self.us is None:
            return f"not measured: {self.why}"
        if self.wrong:
            return f"wrong: {self.off:.1%} of the elements of a result are not as mlc has them"
        if self.kernels is not None and self.kernels > groups:
            return f"measured as {self.kernels} kernels for {groups} groups: no single loop nest computes some of them"
        return "" if self.off is not None else f"its results were not compared: {self.why or 'those of mlc failed'}"
