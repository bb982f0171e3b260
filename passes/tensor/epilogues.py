"""What follows a product or a convolution elementwise, and could be computed by the kernel that computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.views import CatOp, PermuteOp, ReshapeOp, RollOp, SliceOp
from passes.common.device import Device
from passes.tensor.fusion.decision import value_bytes

MOVES = (SliceOp, CatOp, RollOp)
"""What gives elements at other places."""
RANDOM = 140
"""Operations of a random number (Philox)."""


@dataclass(frozen=True)
class Epilogue:
    """What the kernel that computes a value can do besides, in the place of a kernel that reads it."""

    spared_us: float = 0.0
    """Microseconds of that kernel's launch, and of the traffic of the value, which is not read; nor is it written if
    nobody else reads it."""
    work: int = 0
    """Operations for each element."""


def epilogue_of(value: SSAValue, device: Device) -> Epilogue:
    """The elementwise ops that read `value`, unless they need what a reduction or a call computes from it."""
    found = _following(value)
    joined = [op for op, ready in found.items() if ready]
    if not joined or any(_comes_by(v, value, MOVES) for op in found for v in op.operands):
        return Epilogue()  # a kernel behind reads other elements, and these again: rotary positions, say
    size, all_join = value_bytes(value), all(op in joined for op in _readers(value))
    traffic = 2 * size if all_join else size
    drawn = _drawn_for([v for op in joined for v in op.operands])
    work = sum(op.FUNCTION.flops for op in joined) + RANDOM * drawn
    return Epilogue(device.launch_us + device.traffic_us(traffic, size), work)


def _following(value: SSAValue) -> dict[ElementwiseOp, bool]:
    """The elementwise ops that read `value`, or what others of them compute from nothing else that depends on it.

    True stands for one of those others: all that it reads is there when `value` is.
    """
    found: dict[ElementwiseOp, bool] = {}
    work = [value]
    while work:
        for op in _readers(work.pop()):
            if isinstance(op, ElementwiseOp) and op not in found:
                found[op] = not any(_comes_by(v, value, Operation) for v in op.operands)
                work += op.results if found[op] else ()
    return found


def _drawn_for(values: Sequence[SSAValue]) -> int:
    """How many random numbers these values are computed of, elementwise."""
    found: dict[SSAValue, None] = {}
    work = list(values)
    while work:
        value = work.pop()
        if value not in found:
            found[value] = None
            work += value.owner.operands if isinstance(value.owner, ElementwiseOp | CastOp) else ()
    return sum(isinstance(value.owner, RandomOp) for value in found)


def _readers(value: SSAValue) -> list[Operation]:
    """The ops that read `value`, or a view or cast of it, once each."""
    found: dict[Operation, None] = {}
    work = [value]
    while work:
        for use in work.pop().uses:
            op = use.operation
            if isinstance(op, CastOp | PermuteOp | ReshapeOp):
                work.append(op.result)
            else:
                found[op] = None
    return list(found)


def _comes_by(value: SSAValue, source: SSAValue, kinds: type[Operation] | tuple[type[Operation], ...]) -> bool:
    """True if `value` is computed from `source` by way of ops of these kinds, and of elementwise ones besides."""
    seen: set[tuple[SSAValue, bool]] = set()
    work = [(value, False)]
    while work:
        current, through = work.pop()
        if current == source and through:
            return True
        op = current.owner
        if (current, through) in seen or current == source or not isinstance(op, Operation):
            continue
        seen.add((current, through))
        plain = isinstance(op, ElementwiseOp | CastOp | PermuteOp | ReshapeOp)
        work += [(v, through or not plain) for v in op.operands] if plain or isinstance(op, kinds) else []
    return False
