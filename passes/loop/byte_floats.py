"""byte-floats: casts of 8-bit floats that no instruction does are arithmetic on bits.

    %w = arith.extf %b : f8E5M2 to f32
 -> %i = arith.bitcast %b : f8E5M2 to i8        a byte is the upper half of a float16
    %s = arith.shli (arith.extsi %i : i8 to i16), 8
    %w = arith.extf (arith.bitcast %s : i16 to f16) : f16 to f32

Kernels hold these floats as bytes, so nothing else asks whether a device knows the types. From sm_89 on GPUs convert to
and from f8E4M3FN, and saturate as PyTorch does. To f8E5M2 they saturate as well, where PyTorch gives infinity.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f8E4M3FN, f8E5M2, f16, f32, i8, i16, i32
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.byte_floats import BYTE_FLOATS, NAN
from mlc_dialects.common.scalar_builder import Scalars
from mlc_support.rewriting import Rule, RulePass, rule
from passes.common.device import Device, ProcessorPass

DIGITS, LEAST = 23, -126
"""Of float32: bits of the significand that are stored, and the exponent of the smallest normal number."""


@dataclass(frozen=True)
class ByteFloatsPass(ProcessorPass, RulePass):
    """Writes casts of 8-bit floats that the device has no instruction for as arithmetic."""

    name = "byte-floats"

    def rules(self) -> tuple[Rule, ...]:
        """Those that run, in order."""
        converts = isinstance(self.processor, Device) and "fp8-convert" in self.processor.features
        e5m2 = (widen_e5m2, narrow_e5m2)
        return e5m2 if converts else (*e5m2, widen_e4m3, narrow_e4m3)


@rule
def widen_e5m2(op: arith.ExtFOp) -> SSAValue | None:
    """float32(b) == float32(b as the upper byte of a float16)"""
    s = Scalars(lambda _: None)
    return s.convert(_upper(op.input, 8, s), op.result.type) if op.input.type == f8E5M2 else None


@rule
def widen_e4m3(op: arith.ExtFOp) -> SSAValue | None:
    """float32(b) == 2**8 * float32(b as sign and upper bits of a float16, whose exponent is biased by 8 more)

    Save NaN, where that gives 480.
    """
    if op.input.type != f8E4M3FN:
        return None
    s = Scalars(lambda _: None)
    value = s.op(arith.MulfOp(_upper(op.input, 7, s), s.constant(256.0, f32)))
    beyond = s.compare("eq", s.op(math.AbsFOp(value)), s.constant(480.0, f32))
    return s.convert(s.select(beyond, s.constant(float("nan"), f32), value), op.result.type)


@rule
def narrow_e5m2(op: arith.TruncFOp) -> SSAValue | None:
    """f8E5M2(x) == the upper bits of float32 x, rounded and biased by less"""
    return _narrowed(op.input, f8E5M2) if op.result.type == f8E5M2 else None


@rule
def narrow_e4m3(op: arith.TruncFOp) -> SSAValue | None:
    """f8E4M3FN(x) == the upper bits of float32 x, rounded and biased by less"""
    return _narrowed(op.input, f8E4M3FN) if op.result.type == f8E4M3FN else None


def _upper(byte: SSAValue, shift: int, s: Scalars) -> SSAValue:
    """The sign of a byte and its other bits, `shift` places higher, as a float16 in float32."""
    wide = s.op(arith.ExtSIOp(s.op(arith.BitcastOp(byte, i8)), i16))
    bits = s.op(arith.ShLIOp(wide, s.constant(shift, i16)))
    if shift < 8:  # below the sign lie copies of it
        bits = s.op(arith.AndIOp(bits, s.constant(-0x8000 | 0x7F << shift, i16)))
    return s.convert(s.op(arith.BitcastOp(bits, f16)), f32)


def _narrowed(value: SSAValue, element: Attribute) -> SSAValue:
    """The bits of a float32 as those of an 8-bit float, to nearest, ties to even."""
    s, format = Scalars(lambda _: None), BYTE_FLOATS[element]
    x = s.convert(value, f32)
    dropped = DIGITS - format.digits
    magnitude = s.op(math.AbsFOp(x))
    bits = s.op(arith.BitcastOp(magnitude, i32))
    odd = s.op(arith.AndIOp(s.op(arith.ShRSIOp(bits, s.constant(dropped, i32))), s.constant(1, i32)))
    bias = (LEAST - format.least << DIGITS) + (1 << dropped - 1) - 1
    raised = s.op(arith.AddiOp(s.op(arith.AddiOp(bits, s.constant(bias, i32))), odd))
    normal = s.op(arith.ShRSIOp(raised, s.constant(dropped, i32)))
    normal = s.op(arith.MinSIOp(normal, s.constant(format.overflow, i32)))
    # A sum with this number has its last place where subnormal numbers have theirs.
    rounder = format.step * (1 << DIGITS)
    shifted = s.op(arith.BitcastOp(s.op(arith.AddfOp(magnitude, s.constant(rounder, f32))), i32))
    subnormal = s.op(arith.SubiOp(shifted, s.constant(_bits(rounder), i32)))
    least = s.constant(2.0**format.least, f32)
    code = s.select(s.compare("lt", magnitude, least), subnormal, normal)
    code = s.select(s.compare("ne", x, x), s.constant(NAN, i32), code)
    sign = s.op(
        arith.AndIOp(s.op(arith.ShRSIOp(s.op(arith.BitcastOp(x, i32)), s.constant(24, i32))), s.constant(0x80, i32))
    )
    byte = s.op(arith.TruncIOp(s.op(arith.OrIOp(code, sign)), i8))
    return s.op(arith.BitcastOp(byte, element))


def _bits(power: float) -> int:
    """The bits of a power of two as a float32."""
    return frexp(power)[1] - LEAST << DIGITS
