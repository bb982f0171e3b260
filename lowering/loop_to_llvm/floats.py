"""Arithmetic of float32 or float64 in LLVM IR, in which formulas are written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from llvmlite import ir

from lowering.loop_to_llvm.types import FLOAT, I32, I64

Number = float | ir.Value
"""A constant, or a value."""


def called(builder: ir.IRBuilder, name: str, kind: ir.FunctionType, operands: Sequence[ir.Value]) -> ir.Value:
    """A call of the function `name`, which the module declares once."""
    known = builder.module.globals.get(name)
    return builder.call(ir.Function(builder.module, kind, name) if known is None else known, operands)


def intrinsic(
    builder: ir.IRBuilder, name: str, operands: Sequence[ir.Value], result: ir.Type | None = None
) -> ir.Value:
    """LLVM's intrinsic `name` of scalars of one type, which gives the same type unless `result` is another."""
    kind = operands[0].type
    kinds = [kind] * len(operands)
    return called(builder, f"{name}.{kind.intrinsic_name}", ir.FunctionType(result or kind, kinds), operands)


class Floats:
    """Arithmetic of floats of type `kind`, with numbers of Python among the operands."""

    def __init__(self, builder: ir.IRBuilder, kind: ir.Type):
        self.builder, self.kind = builder, kind
        self.integer = I32 if kind == FLOAT else I64
        """The type of the bits of a float."""
        self.digits = 23 if kind == FLOAT else 52
        self._bias = 127 if kind == FLOAT else 1023
        self._magic = 1.5 * 2.0**self.digits
        """What is added to it is rounded to an integer, which the low bits hold."""

    def of(self, number: Number) -> ir.Value:
        """A constant."""
        return ir.Constant(self.kind, float(number)) if isinstance(number, int | float) else number

    def whole(self, number: int) -> ir.Constant:
        """An integer constant as wide as the floats."""
        return ir.Constant(self.integer, number)

    def add(self, x: Number, y: Number) -> ir.Value:
        return self.builder.fadd(self.of(x), self.of(y))

    def sub(self, x: Number, y: Number) -> ir.Value:
        return self.builder.fsub(self.of(x), self.of(y))

    def mul(self, x: Number, y: Number) -> ir.Value:
        return self.builder.fmul(self.of(x), self.of(y))

    def div(self, x: Number, y: Number) -> ir.Value:
        return self.builder.fdiv(self.of(x), self.of(y))

    def fma(self, x: Number, y: Number, z: Number) -> ir.Value:
        """x * y + z, rounded once."""
        return intrinsic(self.builder, "llvm.fma", [self.of(v) for v in (x, y, z)])

    def neg(self, x: ir.Value) -> ir.Value:
        return self.builder.fneg(x)

    def abs(self, x: ir.Value) -> ir.Value:
        return intrinsic(self.builder, "llvm.fabs", [x])

    def sqrt(self, x: ir.Value) -> ir.Value:
        return intrinsic(self.builder, "llvm.sqrt", [x])

    def floor(self, x: ir.Value) -> ir.Value:
        return intrinsic(self.builder, "llvm.floor", [x])

    def with_sign(self, size: ir.Value, sign: ir.Value) -> ir.Value:
        """The magnitude of `size` with the sign of `sign`."""
        return intrinsic(self.builder, "llvm.copysign", [size, sign])

    def polynomial(self, x: ir.Value, coefficients: Sequence[Number]) -> ir.Value:
        """The sum of coefficients[k] * x^k."""
        first, *rest = reversed(coefficients)
        return reduce(lambda total, c: self.fma(total, x, c), rest, self.of(first))

    # Conditions.

    def compare(self, x: ir.Value, sign: str, y: Number) -> ir.Value:
        """True where x stands in that relation to y, which no NaN does."""
        return self.builder.fcmp_ordered(sign, x, self.of(y))

    def select(self, condition: ir.Value, then: Number, other: Number) -> ir.Value:
        return self.builder.select(condition, self.of(then), self.of(other))

    def where(self, x: ir.Value, sign: str, y: Number, then: Number, other: Number) -> ir.Value:
        """`then` where x stands in that relation to y, which no NaN does, and `other` elsewhere."""
        return self.select(self.compare(x, sign, y), then, other)

    def bounded(self, x: ir.Value, low: float, high: float) -> ir.Value:
        """The nearest number from `low` to `high`; NaN stays."""
        x = self.where(x, "<", low, low, x)
        return self.where(x, ">", high, high, x)

    def is_negative(self, x: ir.Value) -> ir.Value:
        """True where the sign bit is set, that of -0 too."""
        return self.builder.icmp_signed("<", self.bits(x), self.whole(0))

    # Bits.

    def bits(self, x: ir.Value) -> ir.Value:
        return self.builder.bitcast(x, self.integer)

    def from_bits(self, bits: ir.Value) -> ir.Value:
        return self.builder.bitcast(bits, self.kind)

    def has_bit(self, number: ir.Value, bit: int) -> ir.Value:
        """True where an integer as wide as the floats has that power of two in it."""
        return self.builder.icmp_signed("!=", self.builder.and_(number, self.whole(bit)), self.whole(0))

    def power_of_two(self, exponent: ir.Value) -> ir.Value:
        """2^exponent for integers whose power is a normal number."""
        biased = self.builder.add(exponent, self.whole(self._bias))
        return self.from_bits(self.builder.shl(biased, self.whole(self.digits)))

    def times_power(self, x: ir.Value, exponent: ir.Value) -> ir.Value:
        """x * 2^exponent for normal x whose product is a normal number."""
        return self.from_bits(self.builder.add(self.bits(x), self.builder.shl(exponent, self.whole(self.digits))))

    def rounded(self, x: ir.Value, factor: float = 1.0) -> tuple[ir.Value, ir.Value]:
        """The nearest integer to x * factor, as a float and as an integer, below 2^22, or 2^51 in float64."""
        shifted = self.fma(x, factor, self._magic)
        return self.sub(shifted, self._magic), self.builder.sub(self.bits(shifted), self.bits(self.of(self._magic)))

    def logarithm_at_ends(self, x: ir.Value, found: ir.Value) -> ir.Value:
        """The logarithm of x, which is `found` between 0 and inf: NaN of NaN and of what is negative."""
        found = self.where(x, "==", float("inf"), x, found)
        found = self.where(x, "==", 0.0, float("-inf"), found)
        return self.where(x, ">=", 0.0, found, float("nan"))
