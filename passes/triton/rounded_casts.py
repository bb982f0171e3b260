"""rounded-casts: a block that is rounded to bfloat16 and used in float32 stays in float32 registers.

    %n = cast %x : f32 -> bf16
    %w = cast %n : bf16 -> f32
 -> %w = rounded %x : f32

Both give the same numbers. A cast of single elements occupies the unit of exp and reciprocals, at a quarter of the rate
of the units for sums; stores round two elements by one instruction. Casts around sums or products of bfloat16 that are
rounded again stay: the device computes those in bfloat16, two at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, isfinite

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type, Float32Type, FloatAttr, ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.triton.dialect import BroadcastOp, CastOp, FullOp, RoundedOp
from mlc_dialects.triton.types import block_element
from mlc_support.walks import walk
from passes.common.device import DevicePass


@dataclass(frozen=True)
class RoundedCastsPass(DevicePass):
    """Replaces casts of float32 blocks to bfloat16 and back, on devices that round pairs by one instruction."""

    name = "rounded-casts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if "bf16x2-convert" not in self.target.features:
            return
        for back in [inner for inner in walk(op) if isinstance(inner, CastOp)]:
            there = back.input.owner
            if isinstance(there, CastOp) and _round_trip(there, back) and not _in_pairs(there.input.owner):
                _replace(there, back)


def _replace(there: CastOp, back: CastOp) -> None:
    """Replaces a round trip by `rounded` in all readers, except those computed in bfloat16."""
    readers = [use for use in back.result.uses if not _in_pairs(use.operation)]
    if not readers:
        return
    rounded = RoundedOp(there.input)
    Rewriter.insert_op(rounded, InsertPoint.before(back))
    rounded.result.name_hint = back.result.name_hint
    for use in readers:
        use.operation.operands[use.index] = rounded.result
    for cast in (back, there):
        if not cast.result.uses:
            Rewriter.erase_op(cast)


def _round_trip(there: CastOp, back: CastOp) -> bool:
    """True for a block of float32 that is cast to bfloat16 and back."""
    types = [block_element(value.type) for value in (there.input, there.result, back.result)]
    kinds = (Float32Type, BFloat16Type, Float32Type)
    return isinstance(there.input.type, TensorType) and all(map(isinstance, types, kinds))


def _in_pairs(op: object) -> bool:
    """True for a sum or product of two bfloat16 that is rounded again: the device computes it for pairs."""
    if not isinstance(op, arith.AddfOp | arith.SubfOp | arith.MulfOp):
        return False
    users = [use.operation for use in op.result.uses]
    return all(map(_is_narrow, op.operands)) and bool(users) and all(map(_narrows, users))


def _is_narrow(value: SSAValue) -> bool:
    """True for float32 values that are exact in bfloat16: widened ones, and some constants."""
    match value.owner:
        case CastOp():
            return isinstance(block_element(value.owner.input.type), BFloat16Type)
        case BroadcastOp():
            return _is_narrow(value.owner.input)
        case FullOp() if isinstance(value.owner.value, FloatAttr):
            return _has_few_digits(value.owner.value.value.data)
        case _:
            return False


def _has_few_digits(number: float) -> bool:
    """True if the number has at most eight significant bits."""
    mantissa = frexp(number)[0] * 2**8
    return mantissa == int(mantissa) if isfinite(number) else True


def _narrows(user: Operation) -> bool:
    return isinstance(user, CastOp) and isinstance(block_element(user.result.type), BFloat16Type)
