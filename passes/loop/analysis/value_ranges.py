"""Interval analysis of the integers of a kernel: between what numbers each value lies, whatever is loaded.

    %p in 0 to 4096, %j in 0 to 4096        %d = index [%p] - index [%j]        -4095 <= %d <= 4095

What may leave its type wraps, and has the range of its type; so has what nothing is known of, such as a load.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import IndexOp, IndirectIndexOp, KernelOp, LoopOp
from mlc_support.index_expr import IndexExpr, Quotient, Remainder, Var
from mlc_support.walks import walk

Transfer = Callable[[Sequence["Range"]], "Range"]
INDEX_BITS = 64
"""Loop indices and sizes are computed as exactly as this many bits hold."""


@dataclass(frozen=True)
class Range:
    """The integers from `low` to `high`, both included."""

    low: int
    high: int

    def is_within(self, other: Range) -> bool:
        """True if all of it lies in `other`."""
        return other.low <= self.low and self.high <= other.high

    def joined(self, other: Range) -> Range:
        """The least range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))


def signed(bits: int) -> Range:
    """The integers of two's complement."""
    return Range(-(1 << bits - 1), (1 << bits - 1) - 1)


INT32 = signed(32)
ANY = signed(INDEX_BITS)
SIZE = Range(1, ANY.high)
"""What a named size may be."""


def value_ranges(kernel: KernelOp) -> dict[SSAValue, Range]:
    """The range of each integer, and of each index, that a kernel computes."""
    known: dict[SSAValue, Range] = {}
    for op in walk(kernel):
        match op:
            case LoopOp():
                known |= {i: _below(size) for i, size in zip(op.indices, op.sizes, strict=True)}
            case IndirectIndexOp():
                known[op.result] = _below(op.size)
            case _:
                pass
        for result in op.results:
            if isinstance(result.type, IntegerType):
                known[result] = _result_range(op, result.type, known)
    return known


def expression_range(expr: IndexExpr, names: Mapping[str, Range]) -> Range:
    """The range of an index expression over `names`; other variables are sizes."""
    total = Range(0, 0)
    for monomial, coefficient in expr.terms:
        factors = [Range(coefficient, coefficient), *(_atom_range(atom, names) for atom in monomial)]
        total = _corners(operator.add, total, reduce(lambda a, b: _corners(operator.mul, a, b), factors))
    return total


def _atom_range(atom: Var | Quotient | Remainder, names: Mapping[str, Range]) -> Range:
    if isinstance(atom, Var):
        return names.get(atom.name, SIZE)
    dividend, divisor = expression_range(atom.dividend, names), expression_range(atom.divisor, names)
    if divisor.low < 1:
        return ANY
    if isinstance(atom, Quotient):
        return _corners(operator.floordiv, dividend, divisor)
    below = Range(0, divisor.high - 1)
    return dividend if dividend.is_within(Range(0, divisor.low - 1)) else below


def _result_range(op: Operation, type_: IntegerType, known: Mapping[SSAValue, Range]) -> Range:
    """The range of the integer that `op` gives, by the ranges of its operands."""
    everything = signed(type_.width.data)
    match op:
        case IndexOp():
            names = {operand_name(k): known.get(v, ANY) for k, v in enumerate(op.indices)}
            found = expression_range(index_exprs(op.index)[0], names)
        case arith.ConstantOp(value=IntegerAttr() as number):
            found = Range(number.value.data, number.value.data)
        case arith.SelectOp():
            found = _known(op.lhs, known).joined(_known(op.rhs, known))
        case arith.ExtUIOp():
            found = _unsigned(op.input, known)
        case _ if type(op) in _TRANSFERS:
            found = _TRANSFERS[type(op)]([_known(v, known) for v in op.operands])
        case _:
            return everything
    return found if found.is_within(everything) else everything


def _known(value: SSAValue, known: Mapping[SSAValue, Range]) -> Range:
    return known.get(value) or _of_type(value.type)


def _of_type(type_: Attribute) -> Range:
    return signed(type_.width.data) if isinstance(type_, IntegerType) else ANY


def _unsigned(value: SSAValue, known: Mapping[SSAValue, Range]) -> Range:
    """The range of what the bits of a value say without a sign."""
    found = _known(value, known)
    return found if found.low >= 0 else Range(0, _of_type(value.type).high * 2 + 1)


def _below(size: IndexExpr) -> Range:
    """The range of an index of a dimension."""
    return Range(0, max(0, expression_range(size, {}).high - 1))


def _corners(f: Callable[[int, int], int], a: Range, b: Range) -> Range:
    """The range of a function that grows or falls in each argument for any value of the other."""
    ends = [f(x, y) for x, y in product((a.low, a.high), (b.low, b.high))]
    return Range(min(ends), max(ends))


def _towards_zero(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _quotient(ranges: Sequence[Range]) -> Range:
    """x / y, rounded towards zero."""
    dividend, divisor = ranges
    return ANY if divisor.low <= 0 <= divisor.high else _corners(_towards_zero, dividend, divisor)


def _rest(ranges: Sequence[Range]) -> Range:
    """x - y * (x / y): less than y, no more than x, and of the sign of x."""
    dividend, divisor = ranges
    if divisor.low <= 0 <= divisor.high:
        return ANY
    most = max(-divisor.low, divisor.high) - 1
    return Range(max(min(dividend.low, 0), -most), min(max(dividend.high, 0), most))


def _bits(ranges: Sequence[Range]) -> Range:
    """Any function of bits: as many as either has, and a sign where one has."""
    ends = [end for r in ranges for end in (r.low, r.high)]
    most = (1 << max((end if end >= 0 else ~end).bit_length() for end in ends)) - 1
    return Range(0 if min(ends) >= 0 else ~most, most)


def _common_bits(ranges: Sequence[Range]) -> Range:
    """x & y: what is not negative has no bits that the other could add."""
    positive = [r.high for r in ranges if r.low >= 0]
    return Range(0, min(positive)) if positive else _bits(ranges)


def _shifted(f: Callable[[int, int], int]) -> Transfer:
    """A shift by fewer bits than a word of 32 has; anything else is not told."""
    return lambda r: _corners(f, *r) if r[1].is_within(Range(0, 31)) else ANY


def _magnitude(ranges: Sequence[Range]) -> Range:
    (x,) = ranges
    least = 0 if x.low <= 0 <= x.high else min(abs(x.low), abs(x.high))
    return Range(least, max(abs(x.low), abs(x.high)))


_TRANSFERS: Mapping[type[Operation], Transfer] = {
    arith.AddiOp: lambda r: _corners(operator.add, *r),
    arith.SubiOp: lambda r: _corners(operator.sub, *r),
    arith.MuliOp: lambda r: _corners(operator.mul, *r),
    arith.MaxSIOp: lambda r: _corners(max, *r),
    arith.MinSIOp: lambda r: _corners(min, *r),
    arith.DivSIOp: _quotient,
    arith.RemSIOp: _rest,
    arith.AndIOp: _common_bits,
    arith.OrIOp: _bits,
    arith.XOrIOp: _bits,
    arith.ShLIOp: _shifted(operator.lshift),
    arith.ShRSIOp: _shifted(operator.rshift),
    math.AbsIOp: _magnitude,
    arith.ExtSIOp: lambda r: r[0],
    arith.TruncIOp: lambda r: r[0],
}
"""The range of a result, before it wraps, from those of the operands."""
