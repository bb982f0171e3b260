"""masked-loads: a select by the mask of a load becomes the load's value for masked lanes.

    %x = load p mask %m                    0 where m is false
    %w = cast %x                           read by nothing else
    %y = where %m, %w, -inf
 -> %x = load p mask %m other -inf
    %y = cast %x

A load fills its masked lanes one register at a time; a select takes an instruction an element. A select by a part of
the load's mask vanishes where the load already gives its value: here 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, isinf

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.types import is_float
from mlc_dialects.triton.dialect import BroadcastOp, CastOp, FullOp, LoadOp, MaskOp, WhereOp
from mlc_dialects.triton.types import block_element
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.walks import walk


@dataclass(frozen=True)
class MaskedLoadsPass(ModulePass):
    """Moves the value of a select by the mask of a load into the load."""

    name = "masked-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for where in [inner for inner in walk(op) if isinstance(inner, WhereOp)]:
            load, number = _loaded(where.on_true), _number(where.on_false)
            if load is not None and number is not None and _is_given(load, number, where):
                Rewriter.replace_op(where, [], [where.on_true])


def _is_given(load: LoadOp, number: float, where: WhereOp) -> bool:
    """True if `load` gives `number` where the select does. Sets the load's `other` if only the select reads it."""
    element = block_element(load.result.type)
    if load.mask is None or not isinstance(element, AnyFloat):
        return False
    if number == (load.other.value.data if isinstance(load.other, FloatAttr) else 0):
        return _bounds(where.condition) <= _bounds(load.mask)
    if _bounds(load.mask) != _bounds(where.condition) or not _is_read_once(where.on_true):
        return False
    load.other = FloatAttr(number, element) if number else None
    return True


def _loaded(value: SSAValue) -> LoadOp | None:
    """The load of which `value` is the result, perhaps widened."""
    while isinstance(value.owner, CastOp) and is_float(block_element(value.type)):
        value = value.owner.operands[0]
    return value.owner if isinstance(value.owner, LoadOp) else None


def _is_read_once(value: SSAValue) -> bool:
    """True if `value`, and what it is widened from, have one reader."""
    return value.has_one_use() and (not isinstance(value.owner, CastOp) or _is_read_once(value.owner.operands[0]))


def _bounds(mask: SSAValue) -> set[object]:
    """The conditions that make up `mask`: indices below their limits, or other masks."""
    match mask.owner:
        case BroadcastOp():
            return _bounds(mask.owner.input)
        case arith.AndIOp():
            return _bounds(mask.owner.lhs) | _bounds(mask.owner.rhs)
        case MaskOp():
            limits = zip(mask.owner.indices, index_exprs(mask.owner.limits), strict=True)
            return {(index, *_resolved(limit, mask.owner.bounds)) for index, limit in limits}
        case _:
            return {mask}


def _resolved(limit: IndexExpr, bounds: Sequence[SSAValue]) -> tuple[IndexExpr, tuple[SSAValue, ...]]:
    """A limit as an expression over only the bounds that it uses, and these."""
    names = {v.name for v in limit.variables()}
    used = [k for k in range(len(bounds)) if operand_name(k) in names]
    renamed = {operand_name(k): variable(operand_name(n)) for n, k in enumerate(used)}
    return limit.substitute(renamed), tuple(bounds[k] for k in used)


def _number(value: SSAValue) -> float | None:
    """The constant of a block if every float type has it: 0 or an infinity."""
    if isinstance(value.owner, BroadcastOp):
        return _number(value.owner.input)
    constant = value.owner.value if isinstance(value.owner, FullOp) else None
    number = constant.value.data if isinstance(constant, FloatAttr) else None
    exact = number is not None and (isinf(number) or (number == 0 and copysign(1, number) == 1))
    return number if exact else None
