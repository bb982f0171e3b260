"""masked-loads: what lanes beyond a mask have is loaded, not selected.

    %x = load p mask %m                    0 where m is false
    %w = cast %x                           read by nothing else
    %y = where %m, %w, -inf
 -> %x = load p mask %m other -inf
    %y = cast %x

A load fills the lanes that it leaves out a register at a time; a select looks at every element.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, isinf

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, FloatAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.mlc_triton import CastOp, FullOp, LoadOp, WhereOp
from mlc_dialects.triton_types import block_element
from mlc_dialects.types import is_float


@dataclass(frozen=True)
class MaskedLoadsPass(ModulePass):
    """Gives loads the value that a select by their own mask would give the lanes beyond it."""

    name = "masked-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for where in [inner for inner in op.walk() if isinstance(inner, WhereOp)]:
            load, number = _loaded(where.on_true), _number(where.on_false)
            if load is None or load.mask is not where.condition or number is None:
                continue
            element = block_element(load.result.type)
            if isinstance(element, AnyFloat):
                load.other = FloatAttr(number, element) if number else None
                Rewriter.replace_op(where, [], [where.on_true])


def _loaded(value: SSAValue) -> LoadOp | None:
    """The load that `value` is, or is widened from, if nothing else reads it."""
    while value.has_one_use():
        match value.owner:
            case CastOp() if is_float(block_element(value.type)):
                value = value.owner.operands[0]
            case LoadOp():
                return value.owner
            case _:
                return None
    return None


def _number(value: SSAValue) -> float | None:
    """A number that every float type has, of a constant block: 0 or an infinity."""
    constant = value.owner.value if isinstance(value.owner, FullOp) else None
    number = constant.value.data if isinstance(constant, FloatAttr) else None
    exact = number is not None and (isinf(number) or (number == 0 and copysign(1, number) == 1))
    return number if exact else None
