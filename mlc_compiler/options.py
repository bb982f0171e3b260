"""The options of the whole compiler."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mlc_support.errors import MlcError
from mlc_support.parsing import nearest

CANDIDATES = {
    "default": 1,
    "reduce-overhead": 1,
    "max-autotune": 12,
    "max-autotune-no-cudagraphs": 12,
}
"""Schedules to time for each kernel, by the mode of `torch.compile`."""


@dataclass(frozen=True)
class CompilerOptions:
    """What a caller may choose; `torch.compile(..., options={...})` sets the fields by name."""

    policy: str = "mlc"
    """The fusion policy: mlc, pointwise or none."""
    device: str | None = None
    """The device to compile for: h200, h100, a100, rtx4090 or generic; None is the GPU of this machine."""
    canonicalize: bool = True
    """Simplify graphs before fusion. Off, results are the same and slower; kernels are written no less well."""
    fast_math: bool = False
    """Simplify also by rules that are wrong for NaN, infinities or -0.0, or that round otherwise."""
    freeze: bool = False
    """Parameters and buffers never change: what depends on them alone is computed once, when the program is
    compiled, and batch norm goes into the weights before it (inexact by reassociation). No gradients."""
    verify: bool = False
    """Check the IR after every pass, not only what each stage may leave."""
    explain: bool = False
    """Say on stderr which ops PyTorch runs itself, how often, where, and why."""
    mode: str = "default"
    """How long to look for schedules, as `torch.compile(..., mode=...)`: "default" times none, nor does
    "reduce-overhead"; "max-autotune" times `CANDIDATES` of each kernel."""
    dynamic: bool | None = None
    """Whether sizes may vary between calls; None leaves it to torch.compile."""

    def __post_init__(self) -> None:
        if self.mode not in CANDIDATES:
            raise MlcError(f"no mode {self.mode!r}", hint=f"modes are {', '.join(CANDIDATES)}")

    @property
    def candidates(self) -> int:
        """How many schedules of a kernel are timed on the GPU; one is not timed at all."""
        return CANDIDATES[self.mode]

    @staticmethod
    def of(given: dict[str, Any] | None) -> CompilerOptions:
        """The options a user wrote; MlcError names one that does not exist."""
        known = {f.name for f in fields(CompilerOptions)}
        for name in given or {}:
            if name not in known:
                hint = nearest(name, known) or f"options are {', '.join(sorted(known))}"
                raise MlcError(f"no compiler option {name!r}", hint=hint)
        return CompilerOptions(**(given or {}))
