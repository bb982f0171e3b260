"""The error of results against float64, computed in pieces so that memory holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import torch

from benchmarks.case import Case
from benchmarks.timing import tensors

PIECE_BYTES = 2**31
"""float64 inputs that are computed with at once, where a case can be cut."""


@dataclass(frozen=True)
class Units:
    """The least parts that a case can be cut into: rows of its first axis, heads of attention."""

    case: Case
    inputs: Sequence[torch.Tensor]

    @property
    def count(self) -> int:
        """How many there are; one for a case that cannot be cut."""
        case = self.case
        return min((self.inputs[k].shape[case.axis] for k in case.rows), default=1)

    @property
    def affordable(self) -> int:
        """How many have inputs of `PIECE_BYTES` in float64."""
        unit_bytes = sum(8 * self.inputs[k].numel() // self.count for k in self.case.rows)
        return max(1, min(self.count, PIECE_BYTES // max(1, unit_bytes)))

    def cut(self, x: torch.Tensor, piece: range) -> torch.Tensor:
        """The part of an input or output that belongs to a piece."""
        if not self.case.rows:
            return x
        each = x.shape[self.case.axis] // self.count
        return x.narrow(self.case.axis, piece.start * each, len(piece) * each)

    def cut_inputs(self, piece: range) -> list[torch.Tensor]:
        """The inputs of a piece; those that it shares with the others are whole."""
        upstream = len(self.case.args)
        rows = {*self.case.rows, upstream}
        return [self.cut(x, piece) if k in rows else x for k, x in enumerate(self.inputs)]

    def pieces(self, step: int) -> Iterator[range]:
        """All units, `step` at a time."""
        return (range(k, min(k + step, self.count)) for k in range(0, self.count, step))


def errors(case: Case, inputs: Sequence[torch.Tensor], results: Mapping[str, object]) -> dict[str, float]:
    """For each result the greatest, over its tensors, of the norm of its error over the norm of the exact value.

    Elements that are NaN or infinite in both alike are no error; in one of the two they make it infinite. Pieces that
    do not fit in memory are halved, and a single unit that does not is computed in float32.
    So does a result of other tensors than the function gives, by their number or their shapes.
    """
    units = Units(case, inputs)
    halves = (units.affordable >> k for k in range(units.affordable.bit_length()))
    why = ""
    for step, dtype in (*((h, torch.float64) for h in halves), (1, torch.float32)):
        try:
            return _errors(units, step, dtype, results)
        except torch.OutOfMemoryError as error:
            why = str(error)
        torch.cuda.empty_cache()
    raise torch.OutOfMemoryError(why)


def _errors(units: Units, step: int, dtype: torch.dtype, results: Mapping[str, object]) -> dict[str, float]:
    """The same, with a reference in `dtype` that is computed for so many units at once."""
    sums: dict[str, list[list[float]]] = {}
    for piece in units.pieces(step):
        wide = (x.to(dtype) if x.is_floating_point() else x for x in units.cut_inputs(piece))
        exact = tensors(units.case.call(*wide))
        for name, result in results.items():
            parts = [units.cut(t, piece) for t in tensors(result)]
            found = [[inf, 0.0] for _ in exact]
            if [p.shape for p in parts] == [e.shape for e in exact]:
                found = [_squares(p, e) for p, e in zip(parts, exact, strict=True)]
            before = sums.setdefault(name, [[0.0, 0.0] for _ in exact])
            sums[name] = [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(before, found, strict=True)]
    return {name: max((off / max(norm, 1e-300)) ** 0.5 for off, norm in pairs) for name, pairs in sums.items()}


def _squares(value: torch.Tensor, exact: torch.Tensor) -> list[float]:
    """Sums of squares: of the differences, and of the exact value."""
    v, e = value.double(), exact.double()
    alike = (v == e) | (v.isnan() & e.isnan())
    off = torch.where(alike, 0, v - e).nan_to_num(nan=float("inf"))
    finite = torch.where(e.isfinite(), e, 0)
    return [float(off.square().sum()), float(finite.square().sum())]
