"""Scalar ops of `arith`, `math` and `mlc_loop` as LLVM instructions, one rule an op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from llvmlite import ir
from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation

from lowering.loop_to_llvm.elementary import FUNCTIONS, call, intrinsic
from lowering.loop_to_llvm.types import DOUBLE, FLOAT, HALF, I16, I32, I64, constant, is_bfloat, llvm_type
from mlc_dialects.common.libdevice import LibdeviceOp
from mlc_dialects.common.philox import KEY_STEPS, MULTIPLIERS, ROUNDS
from mlc_dialects.loop.random import RandomOp
from mlc_support.errors import MlcError
from mlc_support.locations import location_of

Rule = Callable[[ir.IRBuilder, Any, Sequence[ir.Value]], ir.Value]


def scalar(builder: ir.IRBuilder, op: Operation, operands: Sequence[ir.Value]) -> ir.Value:
    """The result of a scalar op. MlcError for one that has no rule."""
    if isinstance(op, arith.ConstantOp):
        return constant(cast(Any, op.value), op.result.type)
    rule = RULES.get(type(op))
    if rule is None:
        raise MlcError(f"llvm: cannot lower {op.name}", location=location_of(op))
    return rule(builder, op, operands)


def widened(builder: ir.IRBuilder, value: ir.Value, element: Attribute) -> ir.Value:
    """16-bit floats as float32, in which they are computed; others as they are."""
    if is_bfloat(element):
        bits = builder.shl(builder.zext(value, I32), ir.Constant(I32, 16))
        return builder.bitcast(bits, FLOAT)
    return builder.fpext(value, FLOAT) if value.type == HALF else value


def narrowed(builder: ir.IRBuilder, value: ir.Value, element: Attribute) -> ir.Value:
    """A float32 rounded to `element`, to nearest, ties to even; others as they are."""
    if is_bfloat(element):
        bits = builder.bitcast(value, I32)
        odd = builder.and_(builder.lshr(bits, ir.Constant(I32, 16)), ir.Constant(I32, 1))
        rounded = builder.add(bits, builder.add(odd, ir.Constant(I32, 0x7FFF)))
        kept = builder.lshr(rounded, ir.Constant(I32, 16))
        nan = builder.fcmp_unordered("uno", value, value)
        return builder.trunc(builder.select(nan, ir.Constant(I32, 0x7FC0), kept), I16)
    return builder.fptrunc(value, HALF) if llvm_type(element) == HALF else value


def _float(name: str) -> Rule:
    """An instruction on floats."""

    def rule(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
        element = op.results[0].type
        wide = [widened(builder, v, element) for v in operands]
        return narrowed(builder, getattr(builder, name)(*wide), element)

    return rule


def _integer(name: str) -> Rule:
    return lambda builder, op, operands: getattr(builder, name)(*operands)


def _function(name: str) -> Rule:
    """An elementary function."""

    def rule(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
        element = op.results[0].type
        return narrowed(builder, call(builder, name, [widened(builder, v, element) for v in operands]), element)

    return rule


def _intrinsic(name: str) -> Rule:
    """An intrinsic of LLVM, which has a vector form."""

    def rule(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
        element = op.results[0].type
        wide = [widened(builder, v, element) for v in operands]
        return narrowed(builder, intrinsic(builder, name, wide), element)

    return rule


def _extreme(name: str) -> Rule:
    return lambda builder, op, operands: intrinsic(builder, name, operands)


def _absolute(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    (x,) = operands
    return builder.select(builder.icmp_signed("<", x, ir.Constant(x.type, 0)), builder.neg(x), x)


_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


def _compare_integers(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    if predicate in ("eq", "ne"):
        return builder.icmp_unsigned(_SIGNS[predicate], *operands)
    compare = builder.icmp_unsigned if predicate[0] == "u" else builder.icmp_signed
    return compare(_SIGNS[predicate[1:]], *operands)


def _compare_floats(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    if predicate in ("true", "false"):
        return ir.Constant(ir.IntType(1), predicate == "true")
    wide = [widened(builder, v, op.lhs.type) for v in operands]
    if predicate in ("ord", "uno"):
        return (builder.fcmp_ordered if predicate == "ord" else builder.fcmp_unordered)(predicate, *wide)
    compare = builder.fcmp_ordered if predicate[0] == "o" else builder.fcmp_unordered
    return compare(_SIGNS[predicate[1:]], *wide)


def _extended(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    wide = widened(builder, operands[0], op.input.type)
    target = llvm_type(op.result.type)
    return wide if wide.type == target else builder.fpext(wide, target)


def _truncated(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    (x,), target = operands, op.result.type
    if llvm_type(target) == FLOAT:
        return builder.fptrunc(x, FLOAT)
    single = builder.fptrunc(x, FLOAT) if x.type == DOUBLE else x
    return narrowed(builder, single, target)


def _from_integer(name: str) -> Rule:
    def rule(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
        element = op.result.type
        target = FLOAT if is_bfloat(element) or llvm_type(element) == HALF else llvm_type(element)
        return narrowed(builder, getattr(builder, name)(operands[0], target), element)

    return rule


def _to_integer(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    """To the nearest that there is, and NaN to 0: the plain instruction has no meaning out of range."""
    wide, target = widened(builder, operands[0], op.input.type), llvm_type(op.result.type)
    through = target if target.width >= 32 else I32
    number = intrinsic(builder, f"llvm.fptosi.sat.i{through.width}", [wide], through)
    return number if through == target else builder.trunc(number, target)


def _resized(name: str) -> Rule:
    def rule(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
        return getattr(builder, name)(operands[0], llvm_type(op.result.type))

    return rule


def _divided(name: str) -> Rule:
    """A quotient or a remainder; by 1 where it would be undefined: by 0, or the least number by -1.

    Lanes divide that nobody reads, as those of the other pieces of a concatenation, by whatever they have. LLVM takes
    what is undefined for impossible, and would load without asking whether the element is there.
    """

    def rule(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
        dividend, divisor = operands
        number = partial(ir.Constant, divisor.type)
        overflows = builder.and_(
            builder.icmp_signed("==", divisor, number(-1)),
            builder.icmp_signed("==", dividend, number(-(1 << (divisor.type.width - 1)))),
        )
        undefined = builder.or_(builder.icmp_signed("==", divisor, number(0)), overflows)
        return getattr(builder, name)(dividend, builder.select(undefined, number(1), divisor))

    return rule


def _index_cast(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    (x,), target = operands, llvm_type(op.result.type)
    if x.type == target:
        return x
    return builder.trunc(x, target) if x.type.width > target.width else builder.sext(x, target)


def _bitcast(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    return builder.bitcast(operands[0], llvm_type(op.result.type))


def _selected(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    return builder.select(*operands)


def _negated(builder: ir.IRBuilder, op: Any, operands: Sequence[ir.Value]) -> ir.Value:
    (x,) = operands
    return builder.xor(x, ir.Constant(I16, 0x8000)) if is_bfloat(op.result.type) else builder.fneg(x)


def _library(builder: ir.IRBuilder, op: LibdeviceOp, operands: Sequence[ir.Value]) -> ir.Value:
    return _function(op.function.data)(builder, op, operands)


def _random(builder: ir.IRBuilder, op: RandomOp, operands: Sequence[ir.Value]) -> ir.Value:
    """A word of Philox 4x32-10, as `mlc_dialects.common.philox` has it."""

    def halves(x: ir.Value) -> tuple[ir.Value, ir.Value]:
        return builder.trunc(x, I32), builder.trunc(builder.lshr(x, ir.Constant(I64, 32)), I32)

    keys, counter = [*halves(operands[0])], [*halves(operands[1]), ir.Constant(I32, 0), ir.Constant(I32, 0)]
    for _ in range(ROUNDS):
        first, second = (
            halves(builder.mul(ir.Constant(I64, m), builder.zext(counter[k], I64)))
            for m, k in zip(MULTIPLIERS, (0, 2), strict=True)
        )
        counter = [
            builder.xor(builder.xor(second[1], counter[1]), keys[0]),
            second[0],
            builder.xor(builder.xor(first[1], counter[3]), keys[1]),
            first[0],
        ]
        keys = [builder.add(k, ir.Constant(I32, step)) for k, step in zip(keys, KEY_STEPS, strict=True)]
    return counter[op.word.value.data]


RULES: dict[type[Operation], Rule] = {
    arith.AddfOp: _float("fadd"), arith.SubfOp: _float("fsub"), arith.MulfOp: _float("fmul"),
    arith.DivfOp: _float("fdiv"), arith.NegfOp: _negated,
    arith.MaximumfOp: _intrinsic("llvm.maximum"), arith.MinimumfOp: _intrinsic("llvm.minimum"),
    arith.MaxnumfOp: _intrinsic("llvm.maxnum"), arith.MinnumfOp: _intrinsic("llvm.minnum"),
    arith.AddiOp: _integer("add"), arith.SubiOp: _integer("sub"), arith.MuliOp: _integer("mul"),
    arith.DivSIOp: _divided("sdiv"), arith.RemSIOp: _divided("srem"), arith.AndIOp: _integer("and_"),
    arith.OrIOp: _integer("or_"), arith.XOrIOp: _integer("xor"), arith.ShLIOp: _integer("shl"),
    arith.ShRSIOp: _integer("ashr"), arith.MaxSIOp: _extreme("llvm.smax"), arith.MinSIOp: _extreme("llvm.smin"),
    arith.CmpiOp: _compare_integers, arith.CmpfOp: _compare_floats, arith.SelectOp: _selected,
    arith.BitcastOp: _bitcast,
    arith.ExtFOp: _extended, arith.TruncFOp: _truncated, arith.SIToFPOp: _from_integer("sitofp"),
    arith.UIToFPOp: _from_integer("uitofp"), arith.FPToSIOp: _to_integer, arith.TruncIOp: _resized("trunc"),
    arith.ExtSIOp: _resized("sext"), arith.ExtUIOp: _resized("zext"), arith.IndexCastOp: _index_cast,
    math.AbsIOp: _absolute, math.AbsFOp: _intrinsic("llvm.fabs"), math.CeilOp: _intrinsic("llvm.ceil"),
    math.FloorOp: _intrinsic("llvm.floor"), math.TruncOp: _intrinsic("llvm.trunc"),
    math.RoundEvenOp: _intrinsic("llvm.roundeven"), math.SqrtOp: _intrinsic("llvm.sqrt"),
    math.CopySignOp: _intrinsic("llvm.copysign"), math.FmaOp: _intrinsic("llvm.fma"),
    LibdeviceOp: _library, RandomOp: _random,
} | {op: _function(name) for op, name in FUNCTIONS.items()}  # fmt: skip
