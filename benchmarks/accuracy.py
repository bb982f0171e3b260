"""The error of results against float64, computed in pieces so that memory holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch

from benchmarks.case import Case
from benchmarks.timing import tensors

PIECE_BYTES = 2**31
"""float64 inputs that are computed with at once, where a case can be cut."""


def errors(case: Case, inputs: Sequence[torch.Tensor], results: Mapping[str, object]) -> dict[str, float]:
    """For each result the greatest, over its tensors, of the norm of its error over the norm of the exact value.

    Elements that are NaN or infinite in both alike are no error; in one of the two they make it infinite.
    Raises ValueError where a result has other tensors than the function gives.
    """
    sums: dict[str, list[list[float]]] = {}
    for piece in pieces(case, inputs):
        cut = [x[piece] if k in case.rows else x for k, x in enumerate(inputs)]
        exact = tensors(case.function(*(x.double() if x.is_floating_point() else x for x in cut)))
        for name, result in results.items():
            parts = [t[piece] if case.rows else t for t in tensors(result)]
            if [p.shape for p in parts] != [e.shape for e in exact]:
                raise ValueError(f"{case.name}: {name} gives {len(parts)} tensors of other shapes than the function")
            found = [_squares(p, e) for p, e in zip(parts, exact, strict=True)]
            before = sums.setdefault(name, [[0.0, 0.0] for _ in exact])
            sums[name] = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(before, found, strict=True)]
    return {name: max((off / max(norm, 1e-300)) ** 0.5 for off, norm in pairs) for name, pairs in sums.items()}


def pieces(case: Case, inputs: Sequence[torch.Tensor]) -> Iterator[slice]:
    """Parts of the first axis; one part for a case that cannot be cut."""
    if not case.rows:
        yield slice(None)
        return
    rows = inputs[case.rows[0]].shape[0]
    row_bytes = sum(8 * inputs[k].numel() // rows for k in case.rows)
    step = max(1, PIECE_BYTES // max(1, row_bytes))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def _squares(value: torch.Tensor, exact: torch.Tensor) -> list[float]:
    """Sums of squares: of the differences, and of the exact value."""
    v, e = value.double(), exact.double()
    alike = (v == e) | (v.isnan() & e.isnan())
    off = torch.where(alike, 0, v - e).nan_to_num(nan=float("inf"))
    finite = torch.where(e.isfinite(), e, 0)
    return [float(off.square().sum()), float(finite.square().sum())]
