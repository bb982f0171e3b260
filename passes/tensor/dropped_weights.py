"""Dropout of attention as a program writes it: what it keeps of the weights, and how often it drops one.

Kept is what has (random bits of a seed, 24 of them) < n: each weight is dropped with probability 1 - n / 2^24.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.annotations import SEEDS
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_dialects.tensor.random import CHANCE_DIGITS, RandomOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp
from mlc_support.walks import walk
from passes.tensor.matching import made_by, number

_DECIMALS = 7
"""Of a probability: as many as those digits tell."""
_LEVELS = 256
"""Flash attention compares 8 random bits."""
_EXACTNESS = 32
"""What it drops, and what it keeps, may be off by one part in so many: 0.1016 will do for 0.1, 0.0117 not for 0.01."""


def drawn_rate(op: CompositeOp) -> float | None:
    """The probability with which attention with dropout drops a weight, where any other draw would do.

    None where others may need the same numbers (what is dropped is read elsewhere, the seed is an argument, or it is
    given to a backward pass), and where weights that are kept are not scaled for this probability.
    """
    kept, scale = op.inputs[-1], float(str(op.values["dropout"]))
    rows, keys = (shape_of(op.inputs[k].type) for k in (0, 1))
    count = _count(kept) if shape_of(kept.type) == (*rows[:-1], keys[-2]) else None
    if count is None or abs(scale * count - 2**CHANCE_DIGITS) > scale + 4:  # the count is rounded, and so is the scale
        return None
    rate = round(1 - count / 2**CHANCE_DIGITS, _DECIMALS)
    return rate if _is_near(rate) else None


def _is_near(rate: float) -> bool:
    """True for a probability that flash attention comes near enough to: it keeps a weight where 8 random bits are at
    most 255 times the probability to keep it, rounded down.
    """
    kept = (int((_LEVELS - 1) * (1 - rate)) + 1) / _LEVELS
    return abs(kept + rate - 1) * _EXACTNESS <= min(rate, 1 - rate)


def _count(kept: SSAValue) -> int | None:
    """How many of 2^24 random numbers keep a weight; None where they are not drawn for `kept` alone."""
    drawn = _of_view(kept)
    compared = made_by(drawn, ew.LtOp)
    masked = made_by(compared[0], ew.AndOp) if compared else None
    shifted = made_by(masked[0], ew.ELEMENTWISE["shr"]) if masked else None
    if compared is None or masked is None or shifted is None:
        return None
    limit, mask, shift = (number(values[1]) for values in (compared, masked, shifted))
    bits = _of_view(shifted[0])
    known = (
        (mask, shift) == (2**CHANCE_DIGITS - 1, 32 - CHANCE_DIGITS)
        and isinstance(limit, int)
        and 0 < limit < 2**CHANCE_DIGITS
    )
    alone = all(_has_one_reader(v) for v in (kept, drawn, compared[0], masked[0], shifted[0], bits))
    return limit if known and alone and _is_own_draw(bits) else None  # pyright: ignore[reportReturnType]


def _of_view(value: SSAValue) -> SSAValue:
    """What `value` shows in another order: numbers drawn for each element may be in any."""
    while isinstance(value.owner, ReshapeOp | PermuteOp) and _has_one_reader(value):
        value = value.owner.input
    return value


def _readers(value: SSAValue) -> set[Operation]:
    """The ops of the program that read `value`; what a rule built and threw away is none."""
    return {use.operation for use in value.uses if use.operation.parent is not None}


def _has_one_reader(value: SSAValue) -> bool:
    return len(_readers(value)) == 1


def _is_own_draw(bits: SSAValue) -> bool:
    """True for bits of a seed that the function draws, and that nothing else is made of."""
    made = bits.owner
    if not isinstance(made, RandomOp) or not _is_seeds(made.seeds.owner):
        return False
    readers = _readers(made.seeds)
    same = [op for op in readers if not isinstance(op, RandomOp) or op.index == made.index]
    return same == [made]


def _is_seeds(op: object) -> bool:
    return isinstance(op, ExternOp) and op.callee.data == SEEDS


def read_seeds(module: ModuleOp) -> list[Operation]:
    """The calls that draw seeds which something reads."""
    return [op for op in walk(module) if _is_seeds(op) and any(r.uses for r in op.results)]


def drop_unread(draws: Sequence[Operation]) -> None:
    """Erases those of `draws` that nobody reads any more."""
    for op in draws:
        if not any(r.uses for r in op.results):
            op.detach()
            op.erase()
