"""Whether a value is computed from another, and by way of what."""

from __future__ import annotations

from functools import cached_property

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp

LAID_OUT = (PermuteOp, ReshapeOp)
"""Views that give all elements."""
ELEMENTWISE = (ElementwiseOp, CastOp, *LAID_OUT)
"""What gives an element of each element, in place."""
Kinds = type[Operation] | tuple[type[Operation], ...]


class Descendants:
    """The values that are computed from `source`."""

    def __init__(self, source: SSAValue):
        self.source = source

    @cached_property
    def _before(self) -> set[SSAValue]:
        """What the source is computed from: no descendant is among it."""
        found, work = set[SSAValue](), [self.source]
        while work:
            op = work.pop().owner
            if isinstance(op, Operation):
                new = [v for v in op.operands if v not in found]
                found.update(new)
                work += new
        return found

    def has(self, value: SSAValue, kinds: Kinds, through: Kinds | None = None) -> bool:
        """True if `value` is computed from the source by way of ops of these kinds, and of elementwise ones besides.

        One of them is of the kinds `through`: where these are not given, any that is not elementwise.
        """
        seen: set[tuple[SSAValue, bool]] = set()
        work = [(value, False)]
        while work:
            current, passed = work.pop()
            op = current.owner
            if current == self.source:
                if passed:
                    return True
            elif (current, passed) not in seen and current not in self._before and isinstance(op, Operation):
                seen.add((current, passed))
                plain = isinstance(op, ELEMENTWISE)
                passes = passed or (not plain if through is None else isinstance(op, through))
                work += [(v, passes) for v in op.operands] if plain or isinstance(op, kinds) else []
        return False
