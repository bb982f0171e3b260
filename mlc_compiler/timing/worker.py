"""What the workers share: a program runs once beside the reference, and is then timed.

Request: {"inputs": [[shape, dtype]], "device": "cuda" or "cpu", "results": file of the reference's results or null,
"writes": true for the reference itself}, and what a worker builds its program of. Answer: {"us", "off", "device"}.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from mlc_compiler.timing.clock import measure
from mlc_compiler.timing.results import numbers, worst

Run = Callable[..., Sequence[torch.Tensor]]


def inputs_of(request: dict[str, Any]) -> list[torch.Tensor]:
    """The inputs of a program, the same numbers in every process."""
    return [
        numbers(shape, getattr(torch, dtype), seed, request["device"])
        for seed, (shape, dtype) in enumerate(request["inputs"])
    ]


def timed(run: Run, request: dict[str, Any]) -> dict[str, Any]:
    """Microseconds of a call, and the share of elements that are not as the reference has them.

    The first call is compared: programs may write into their arguments. Without a reference nothing is.
    """
    inputs, device = inputs_of(request), request["device"]
    found = _compared(run(*inputs), request)
    if device == "cuda":
        measure(lambda: run(*inputs), device)  # a GPU that was idle runs at a lower clock for a while
    seconds = measure(lambda: run(*inputs), device).seconds
    where = f"{torch.cuda.get_device_name()}, L2 cache flushed" if device == "cuda" else "this CPU, by wall time"
    return {"us": 1e6 * seconds, "off": found, "device": f"{where}: the median of calls"}


def _compared(values: Sequence[torch.Tensor], request: dict[str, Any]) -> float | None:
    """The share of elements that are off; None without a reference."""
    if request["results"] is None:
        return None
    file = Path(request["results"])
    if request.get("writes"):
        torch.save([v.cpu() for v in values], file)
    return worst(values, [v.to(request["device"]) for v in torch.load(file)]) if file.is_file() else None
