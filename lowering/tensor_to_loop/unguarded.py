"""What a kernel may compute wherever it is: then it is computed once, not for each of several conditions.

    pad((x - mean[c]) * scale[c]) at nine places of a window    mean and scale are loaded once a channel, x nine times

Inside of a pad or a concatenation nothing is read beyond the ends of what is padded or joined, and what is computed
there is discarded elsewhere. Loads that stay inside anyway need no such guard, and without one they are alike.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import shape_of
from mlc_dialects.iteration.domain import Index
from mlc_dialects.iteration.iterate import ELEMENT_BY_ELEMENT, sources
from mlc_dialects.tensor.ops import ConstantOp, SizeOp
from mlc_dialects.tensor.views import CatOp, PadOp, ViewOp
from mlc_support.index_expr import product
from mlc_support.index_maps import assumed

SHARING = 16
"""Points of a kernel that share an element which is loaded without a guard, at least: it moves next to nothing more."""


@dataclass(frozen=True)
class Unguarded:
    """Tells what needs no guard in a kernel of `ops` at so many points."""

    ops: Collection[Operation]
    points: int
    indirect: Container[str]
    """The names of coordinates that are read: to read them takes a guard of its own."""
    _known: dict[tuple[SSAValue, Index], bool] = field(default_factory=dict[tuple[SSAValue, Index], bool])

    def holds(self, value: SSAValue, index: Index) -> bool:
        """True if `value[index]` is computed from few elements alone, all of which exist wherever the kernel is."""
        found = self._known.get((value, index))
        if found is None:
            found = self._known[value, index] = self._find(value, index)
        return found

    def _find(self, value: SSAValue, index: Index) -> bool:
        op = value.owner
        if not isinstance(op, Operation) or op not in self.ops:
            shape = shape_of(value.type)
            few = SHARING * assumed(product(shape)) <= self.points
            is_told = not any(v.name in self.indirect for place in index for v in place.variables())
            return few and is_told and all(place.is_below(size) for place, size in zip(index, shape, strict=True))
        if isinstance(op, ConstantOp | SizeOp):
            return True
        is_plain = isinstance(op, ELEMENT_BY_ELEMENT) or (isinstance(op, ViewOp) and not isinstance(op, PadOp | CatOp))
        return is_plain and all(self.holds(operand, place) for operand, place in sources(op, index))
