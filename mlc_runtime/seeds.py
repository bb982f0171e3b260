"""The operator `mlc::seeds`, by which host programs draw the seeds of random numbers."""

from __future__ import annotations

import torch
from torch.library import Library

LIBRARY = Library("mlc", "DEF")
LIBRARY.define("seeds(int count, Device device) -> Tensor", tags=(torch.Tag.nondeterministic_seeded,))


def _seeds(count: int, device: torch.device) -> torch.Tensor:
    return torch.randint(2**63 - 1, [count], device=device)


LIBRARY.impl("seeds", _seeds, "BackendSelect")
