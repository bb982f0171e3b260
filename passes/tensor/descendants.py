"""Whether a value is computed from another, and by way of what; and what is computed for some ops alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp

SAME = (CastOp, PermuteOp, ReshapeOp)
"""What gives all elements as they are: views and casts."""
ELEMENTWISE = (ElementwiseOp, *SAME)
"""What gives an element of each element, in place."""
VIEWS = (BroadcastOp, PermuteOp, ReshapeOp)
"""Views that give all elements, or repeat them."""
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


def source_of(value: SSAValue, views: tuple[type[Operation], ...] = (*SAME, BroadcastOp)) -> SSAValue:
    """What `value` is a view or a cast of."""
    while isinstance(op := value.owner, views):
        value = op.operands[0]
    return value


def computed_alone(
    ops: Collection[Operation], kinds: tuple[type[Operation], ...], known: Collection[SSAValue] = ()
) -> tuple[set[Operation], dict[SSAValue, None]]:
    """`ops` with those of `kinds` that compute operands for these alone, and what all of them read of memory.

    That is neither what is `known`, nor what each kernel computes for itself; views are looked through.
    """
    inside, read = set(ops), dict[SSAValue, None]()
    work = _unknown(ops, known)
    while work:
        current = work.pop()
        op = current.owner
        if isinstance(op, kinds) and inside.issuperset(use.operation for use in current.uses):
            inside.add(op)
            read.pop(current, None)
            work += _unknown([op], known)
        elif isinstance(op, VIEWS):
            work += _unknown([op], known)
        elif isinstance(op, Block) or not is_free(op):
            read[current] = None
    return inside, read


def _unknown(ops: Iterable[Operation], known: Collection[SSAValue]) -> list[SSAValue]:
    return [v for op in ops for v in op.operands if v not in known]
