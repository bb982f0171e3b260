"""Index expressions as LLVM integers of 64 bits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from llvmlite import ir

from lowering.loop_to_llvm.types import I64
from mlc_support.index_expr import IndexExpr, Quotient, Remainder, Var


def index_value(builder: ir.IRBuilder, expr: IndexExpr, names: Mapping[str, ir.Value]) -> ir.Value:
    """The value of `expr`, whose variables are `names`. Nothing overflows: these are places in memory."""
    total: ir.Value | None = None
    for monomial, coefficient in expr.terms:
        factors = [_atom(builder, atom, names) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.append(ir.Constant(I64, coefficient))
        term = reduce(lambda x, y: builder.mul(x, y, flags=("nsw",)), factors)
        total = term if total is None else builder.add(total, term, flags=("nsw",))
    return ir.Constant(I64, 0) if total is None else total


def _atom(builder: ir.IRBuilder, atom: Var | Quotient | Remainder, names: Mapping[str, ir.Value]) -> ir.Value:
    if isinstance(atom, Var):
        return names[atom.name]
    dividend = index_value(builder, atom.dividend, names)
    divisor = index_value(builder, atom.divisor, names)
    if atom.dividend.has_no_negative_part():
        return builder.udiv(dividend, divisor) if isinstance(atom, Quotient) else builder.urem(dividend, divisor)
    rest = builder.srem(dividend, divisor)
    below = builder.icmp_signed("<", rest, ir.Constant(I64, 0))
    if isinstance(atom, Remainder):
        return builder.select(below, builder.add(rest, divisor), rest)
    quotient = builder.sdiv(dividend, divisor)
    return builder.select(below, builder.sub(quotient, ir.Constant(I64, 1)), quotient)
