"""Builds functions of scalars out of upstream `arith` and `math` ops.

A `ScalarRule` gets a `Scalars` and the operands, and returns the result. Operands are
scalars of native types; 16-bit floats have been widened to f32 before it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import copysign, inf
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f32, i1
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.byte_floats import BYTE_FLOATS
from mlc_dialects.common.libdevice import LibdeviceOp
from mlc_dialects.common.types import is_bool, is_byte_float, is_float

APPROXIMATE = FastMathFlagsAttr([FastMathFlag.APPROX_FUNC])
"""The upstream flag `fastmath<afn>`: the hardware's coarser form of a function will do."""
RECIPROCAL = FastMathFlagsAttr([FastMathFlag.ALLOW_RECIP])
"""The upstream flag `fastmath<arcp>`: a quotient may be the product with the divisor's reciprocal, rounded twice.

The reciprocal may be off by one unit in the last place, and be 0 where it is below the normal numbers.
"""
LOG2_E = 1.4426950408889634


def fma(a: SSAValue, b: SSAValue, c: SSAValue) -> math.FmaOp:
    """a * b + c, rounded once. (xDSL's constructor of this op takes no flags.)"""
    flags = {"fastmath": FastMathFlagsAttr("none")}
    return math.FmaOp.create(operands=[a, b, c], result_types=[a.type], properties=flags)


class Scalars:
    """Emits scalar ops in order; `insert` puts each where the caller wants it."""

    def __init__(self, insert: Callable[[Operation], object]):
        self._insert = insert

    def op(self, op: Operation) -> SSAValue:
        """Emits `op` and returns its result."""
        self._insert(op)
        return op.results[0]

    def constant(self, value: float, type_: Attribute) -> SSAValue:
        return self.op(arith.ConstantOp(scalar_attribute(value, type_)))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`predicate` is lt, le, gt, ge, eq or ne: ordered for floats (false on NaN), save ne."""
        if is_float(a.type):
            return self.op(arith.CmpfOp(a, b, "une" if predicate == "ne" else f"o{predicate}"))
        if predicate in ("eq", "ne"):
            return self.op(arith.CmpiOp(a, b, predicate))
        return self.op(arith.CmpiOp(a, b, f"{'u' if is_bool(a.type) else 's'}{predicate}"))

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.op(arith.SelectOp(condition, a, b))

    def not_(self, a: SSAValue) -> SSAValue:
        """Every bit of `a` flipped."""
        return self.op(arith.XOrIOp(a, self.constant(-1, a.type)))

    def convert(self, a: SSAValue, to: Any, unsigned_from: bool = False) -> SSAValue:
        """`a` in the type `to`: rounded to nearest even, truncated towards zero, or wrapped.

        A boolean counts as 0 or 1; anything but zero, NaN included, becomes true. 8-bit floats go through float32.
        """
        source = a.type
        if source == to:
            return a
        if is_bool(to) and not is_byte_float(source):
            return self.compare("ne", a, self.constant(0, source))
        unsigned = unsigned_from or is_bool(source)
        if is_float(source) and is_float(to):
            if is_byte_float(source) != is_byte_float(to) and f32 not in (source, to):
                return self.convert(self.convert(a, f32), to)
            wider = _bits(to) > _bits(source)
            if _bits(to) == _bits(source):
                return self.convert(self.convert(a, f32), to)
            return self.op(arith.ExtFOp(a, to) if wider else arith.TruncFOp(a, to))
        if is_byte_float(source) or is_byte_float(to):
            return self.convert(self.convert(a, f32, unsigned), to)
        if is_float(source):
            return self.op(arith.FPToSIOp(a, to))
        if is_float(to):
            return self.op(arith.UIToFPOp(a, to) if unsigned else arith.SIToFPOp(a, to))
        if _bits(to) < _bits(source):
            return self.op(arith.TruncIOp(a, to))
        if _bits(to) == _bits(source):
            return a
        return self.op(arith.ExtUIOp(a, to) if unsigned else arith.ExtSIOp(a, to))


def scalar_attribute(value: float, type_: Any) -> IntegerAttr | FloatAttr:
    """`value` as an attribute of the scalar type `type_`: rounded, infinite beyond its range; integers wrap."""
    return _scalar_attribute(value, value == 0 and copysign(1, value), type_)


@lru_cache(maxsize=4096)
def _scalar_attribute(value: float, sign: float, type_: Any) -> IntegerAttr | FloatAttr:
    """`sign` keeps the two zeros, which are equal, apart in the cache."""
    if is_byte_float(type_):
        bound = BYTE_FLOATS[type_].bound
        return FloatAttr(min(max(float(value), -bound), bound), type_)
    if is_float(type_):
        try:
            return FloatAttr(float(value), type_)
        except OverflowError:
            return FloatAttr(copysign(inf, value), type_)
    assert isinstance(type_, IntegerType)
    if type_ == i1:
        return IntegerAttr(1 if value else 0, i1)
    return IntegerAttr(int(value), type_, truncate_bits=True)


@dataclass(frozen=True)
class ByKind:
    """The rule that is one op, chosen by the kind of the last operand's element."""

    f: Callable[..., Operation] | None = None
    i: Callable[..., Operation] | None = None
    b: Callable[..., Operation] | None = None

    def __call__(self, scalars: Scalars, args: Sequence[SSAValue]) -> SSAValue:
        element = args[-1].type
        chosen = self.b if is_bool(element) else self.f if is_float(element) else self.i
        assert chosen is not None, f"no scalar rule for {element}"
        return scalars.op(chosen(*args))

    def ops(self) -> list[type[Operation]]:
        """The classes of the ops it builds."""
        return [c for c in (self.f, self.i, self.b) if isinstance(c, type) and issubclass(c, Operation)]


@dataclass(frozen=True)
class Libdevice:
    """The rule that calls CUDA's device function `name`."""

    name: str

    def __call__(self, scalars: Scalars, args: Sequence[SSAValue]) -> SSAValue:
        return scalars.op(LibdeviceOp(self.name, args))


def by_kind(
    f: Callable[..., Operation] | None = None,
    i: Callable[..., Operation] | None = None,
    b: Callable[..., Operation] | None = None,
) -> ByKind:
    """The rule that is op `f` for floats, `i` for integers and `b` for booleans."""
    return ByKind(f, i, b)


def libdevice(name: str) -> Libdevice:
    """The rule that calls CUDA's device function `name`."""
    return Libdevice(name)


def comparison(predicate: str) -> Callable[[Scalars, Sequence[SSAValue]], SSAValue]:
    """The rule of a comparison."""
    return lambda scalars, args: scalars.compare(predicate, args[0], args[1])


def _bits(type_: Any) -> int:
    return type_.bitwidth
