"""approximate: the quicker form of a function, where the result's type cannot show the difference.

A value that is only ever rounded to bfloat16 or float16 loses 2**-9 or 2**-12 of itself: forms whose relative error is
below 2**-17 make no difference that counts. What decides a comparison, becomes a whole number or an index, or is stored
in 32 bits stays as it is, and so does what a coarse form would spoil near its zero: log near 1 (the hardware's lg2 has
an absolute error), erf and tanh near 0, unless a power is all that is made of them. Division stays rounded to nearest,
save where a rule says otherwise: `div.full` gives 0 for divisors above 2**126.

The hardware's ex2 has a relative error below 2**-22, and e ** x = ex2(x * log2 e) one of |x| * 2**-24 more, from the
rounding of the product: 2**-17 at the ends of the range, where |x| is 104.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.scalar_builder import APPROXIMATE, LOG2_E, RECIPROCAL, Scalars, fma
from mlc_dialects.loop.dialect import ParallelOp, ReduceOp
from mlc_dialects.loop.products import depends_on
from mlc_support.rewriting import Rule, RulePass, rule
from passes.loop.analysis.precision import (
    alike,
    all_round_to_half,
    is_added,
    is_power,
    is_summed_for_log,
    number_of,
    rounds_beside_one,
    rounds_to_half,
)  # fmt: skip

LOG2_ERFC = (
    -1.6280514001846313, -0.9171446561813354, -0.15234556794166565, 0.03390232101082802,
    -0.005273743532598019, 0.0005196124548092484, -2.8340891731204465e-05, 6.395181344487355e-07,
)  # fmt: skip
"""log2(erfc(a)) = a * (c0 + c1 * a + ...), fitted to 0 <= a <= 9.3 by weighted least squares (Lawson's iteration)."""
LOG2_ERFC_FINE = (
    -1.6279125213623047, -0.9183710217475891, -0.14863741397857666, 0.028442591428756714,
    -0.0007590720197185874, -0.0017223679460585117, 0.0006584243383258581, -0.000128842904814519,
    1.4535082300426438e-05, -8.870295005181106e-07, 2.258665787735481e-08,
)  # fmt: skip
"""The same as finely as float32 computes it."""
OGT = 2
"""The number of the predicate "ordered and greater than" in `arith.cmpf`."""
ERFC_IS_ZERO = 10.2
"""From here on erfc, by that polynomial, is below half of the least float32."""


@dataclass(frozen=True)
class ApproximatePass(RulePass):
    """Replaces functions by quicker ones of sufficient accuracy."""

    name = "approximate"
    rounds_otherwise: ClassVar[bool] = True

    def rules(self) -> tuple[Rule, ...]:
        """Those that run, in order."""
        formulas = (one_plus_erf, tanh_by_one_more, one_plus_tanh, slope_of_tanh)
        sigmoids = (sigmoid_of_half, times_sigmoid, mish_of_half)
        return (
            exp_of_half,
            exp2_of_half,
            exp_under_log,
            *formulas,
            *sigmoids,
            tanh_under_exp,
            divide_by_row,
            divide_by_constant,
            join_factors,
        )


@rule
def exp_of_half(op: math.ExpOp) -> Operation | None:
    """half(e ** x) == half(ex2(x * log2 e))"""
    return _coarse_exp(op) if _is_plain(op) and rounds_to_half(op.result) else None


@rule
def exp2_of_half(op: math.Exp2Op) -> Operation | None:
    """half(2 ** x) == half(ex2(x))"""
    plain = not op.fastmath.data and op.result.type == f32
    return math.Exp2Op(op.operand, APPROXIMATE) if plain and rounds_to_half(op.result) else None


@rule
def exp_under_log(op: math.ExpOp) -> Operation | None:
    """log(sum(e ** x)) == log(sum(ex2(x * log2 e)))

    The terms' relative errors, 2**-22 + |x| * 2**-24, are an absolute error of the logarithm. Small terms weigh little:
    it stays below 2**-20, a unit in the last place of a logarithm above 8, and far below once many terms average.
    """
    return _coarse_exp(op) if _is_plain(op) and is_summed_for_log(op.result) else None


@rule
def one_plus_erf(op: arith.AddfOp) -> SSAValue | None:
    """1 + erf(x) == erfc(-x), which is 2 ** p(|x|) for negative x, and 2 - 2 ** p(|x|)

    The relative error is below 2**-17 for x > -2; the absolute error is below 2**-26 for x <= -2, where the sum of a
    rounded erf is further off. Exactly 0 for -inf, 1 for 0, 2 for inf. Where sums of the result could cancel, p is
    finer, and the relative error for x > -2 below 2**-20: what float32 leaves of 1 + erf(x).
    """
    x = _one_plus_erf_argument(op)
    if x is None or not rounds_to_half(op.result):
        return None
    coefficients = LOG2_ERFC if rounds_to_half(op.result, sums=False) else LOG2_ERFC_FINE
    s = Scalars(lambda _: None)
    one_side = s.op(arith.MinimumfOp(s.op(math.AbsFOp(x)), s.constant(ERFC_IS_ZERO, f32)))
    power = s.constant(coefficients[-1], f32)
    for coefficient in reversed(coefficients[:-1]):
        power = s.op(fma(power, one_side, s.constant(coefficient, f32)))
    tail = math.Exp2Op(s.op(arith.MulfOp(power, one_side)), APPROXIMATE).result
    rest = s.op(arith.SubfOp(s.constant(2.0, f32), tail))
    return s.select(s.compare("lt", x, s.constant(0.0, f32)), tail, rest)


@rule
def tanh_by_one_more(op: math.TanhOp) -> SSAValue | None:
    """tanh(x) == p - 1, p = 2 / (1 + e ** (-2 * x)), where 1 + tanh(x) and 1 - tanh(x) ** 2 are all that is made of it

    The relative error of p is below 2**-17; it is 0 below 2**-125, where the sum of a rounded tanh is 0 from 2**-25 on.
    Its absolute error is below 2**-22: sums of it show no more than those of a rounded tanh, also if 1 - tanh(x) ** 2
    is added to. That alone is made of -|x|: p is the smaller of 1 + tanh(x) and 1 - tanh(x) then, and precise.
    """
    made = _made_with_one(op.result) if not op.fastmath.data and op.result.type == f32 else None
    if made is None:
        return None
    sums, slopes = made
    if not all(map(rounds_to_half, (*sums, *slopes))) or (sums and not all(map(is_added, slopes))):
        return None
    s, x = Scalars(lambda _: None), op.operand
    if not sums:
        x = s.op(arith.NegfOp(s.op(math.AbsFOp(x))))
    decay = math.Exp2Op(s.op(arith.MulfOp(x, s.constant(-2 * LOG2_E, f32))), APPROXIMATE).result
    total = s.op(arith.AddfOp(s.constant(1.0, f32), decay))
    one_more = arith.DivfOp(s.constant(2.0, f32), total, RECIPROCAL).result
    return s.op(arith.SubfOp(one_more, s.constant(1.0, f32)))


@rule
def one_plus_tanh(op: arith.AddfOp) -> SSAValue | None:
    """1 + (p - 1) == p, where p - 1 is a tanh"""
    less = _less_one(op)
    return None if less is None else _one_more(less)


@rule
def slope_of_tanh(op: arith.SubfOp) -> SSAValue | None:
    """1 - (p - 1) ** 2 == p * (2 - p), where p - 1 is a tanh"""
    root = _root_in(op)
    one_more = None if root is None else _one_more(root)
    if one_more is None:
        return None
    s = Scalars(lambda _: None)
    return s.op(arith.MulfOp(one_more, s.op(arith.SubfOp(s.constant(2.0, f32), one_more))))


@rule
def sigmoid_of_half(op: arith.DivfOp) -> Operation | None:
    """half(1 / (1 + e ** -x)) == half(c / (c + ex2(-x * log2 e - 2))), c = 2 ** -2

    The scale keeps the divisor below 2**126 wherever e ** -x is finite. The relative error is below 2**-17, and the
    absolute error below 2**-23: that of 1 minus it is as that of a rounded sigmoid.
    """
    x = _sigmoid_argument(op)
    if x is None or not rounds_beside_one(op.result) or _product(op) is not None:
        return None
    return arith.DivfOp(_quarter(), _quarter_and_decay(x), RECIPROCAL)


@rule
def times_sigmoid(op: arith.MulfOp) -> Operation | None:
    """half(y / (1 + e ** -x)) == half(c * y / (c + ex2(-x * log2 e - 2))), c = 2 ** -2

    The product is not made of a sigmoid that is too small to be a normal number, which the device takes for 0.
    """
    for sigmoid, y in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        owner = sigmoid.owner
        if isinstance(owner, arith.DivfOp) and _product(owner) is op and rounds_to_half(op.result, sums=False):
            x = _sigmoid_argument(owner)
            if x is not None:
                scaled = arith.MulfOp(y, _quarter())
                return arith.DivfOp(scaled, _quarter_and_decay(x), RECIPROCAL)
    return None


@rule
def mish_of_half(op: arith.MulfOp) -> SSAValue | None:
    """half(x * tanh(log(1 + e ** x))) == half((x * w) * ((w + 2c) / (w * (w + 2c) + 2c * c))), w = c * e ** x

    tanh(log(1 + u)) is (u * u + 2 * u) / (u * u + 2 * u + 2). c = 2 ** 12 keeps w a normal number as long as the result
    is one. From 20 on the result is x. The relative error is below 2**-17.
    """
    found = _mish_argument(op)
    if found is None or not rounds_to_half(op.result, sums=False):
        return None
    x, beyond = found
    s = Scalars(lambda _: None)
    w = math.Exp2Op(s.op(fma(x, s.constant(LOG2_E, f32), s.constant(12.0, f32))), APPROXIMATE).result
    more = s.op(arith.AddfOp(w, s.constant(2.0**13, f32)))
    ratio = arith.DivfOp(more, s.op(fma(w, more, s.constant(2.0**25, f32))), RECIPROCAL).result
    return s.select(beyond, x, s.op(arith.MulfOp(s.op(arith.MulfOp(x, w)), ratio)))


@rule
def tanh_under_exp(op: math.TanhOp) -> SSAValue | None:
    """half(e ** (c * tanh(x))) == half(e ** (c * (1 - 2 / (1 + ex2(x * 2 * log2 e)))))

    The absolute error is below 2**-22. c may be MOST_CAP, as where scores of attention are capped: then that of the
    power is below 2**-16, and so is the relative error of what exp makes of it.
    """
    if op.fastmath.data or op.result.type != f32 or not all(is_power(other.results[0]) for other in alike(op)):
        return None
    s = Scalars(lambda _: None)
    one = s.constant(1.0, f32)
    growth = math.Exp2Op(s.op(arith.MulfOp(op.operand, s.constant(2 * LOG2_E, f32))), APPROXIMATE).result
    rest = arith.DivfOp(one, s.op(arith.AddfOp(one, growth)), RECIPROCAL).result
    return s.op(fma(rest, s.constant(-2.0, f32), one))


@rule
def divide_by_row(op: arith.DivfOp) -> SSAValue | None:
    """half(x / s) == half((x * c) * (1 / (s * c))) for a divisor that all columns share, or all rows of scores

    c is 2 ** 24 where |s| < 2 ** -100, else 1: then 1 / (s * c) is finite wherever s is not 0, and x * c is infinite
    only where x / s is. The relative error is below 2**-22.
    """
    if op.fastmath.data or op.result.type != f32 or not _is_shared(op.rhs, op) or not rounds_to_half(op.result):
        return None
    s = Scalars(lambda _: None)
    is_small = s.compare("lt", s.op(math.AbsFOp(op.rhs)), s.constant(2.0**-100, f32))
    scale = s.select(is_small, s.constant(2.0**24, f32), s.constant(1.0, f32))
    inverse = s.op(arith.DivfOp(s.constant(1.0, f32), s.op(arith.MulfOp(op.rhs, scale))))
    return s.op(arith.MulfOp(s.op(arith.MulfOp(op.lhs, scale)), inverse))


@rule
def divide_by_constant(op: arith.DivfOp) -> Operation | None:
    """half(x / c) == half(x * (1 / c))

    The relative error is below 2**-23. 1 / c is a normal number.
    """
    constant = number_of(op.rhs)
    if op.fastmath.data or op.result.type != f32 or constant is None or not all_round_to_half(op):
        return None
    if not 2.0**-126 <= abs(constant) <= 2.0**126:
        return None
    return arith.MulfOp(op.lhs, Scalars(lambda _: None).constant(1 / constant, f32))


@rule
def join_factors(op: arith.MulfOp) -> Operation | None:
    """half((x * a) * b) == half(x * (a * b))

    The relative error is below 2**-23. |a| is at most 1, so that x * a is infinite only where x is; a * b is a normal
    number.
    """
    inner, b = op.lhs.owner, number_of(op.rhs)
    if not isinstance(inner, arith.MulfOp) or b is None or op.result.type != f32 or not all_round_to_half(op):
        return None
    a = number_of(inner.rhs)
    if a is None or abs(a) > 1 or not abs(a * b) >= 2.0**-126:
        return None
    return arith.MulfOp(inner.lhs, Scalars(lambda _: None).constant(a * b, f32))


def _made_with_one(tanh: SSAValue) -> tuple[list[SSAValue], list[SSAValue]] | None:
    """What is made of a tanh, where all of it is 1 + tanh(x), or 1 - tanh(x) ** 2; else None."""
    sums, slopes = list[SSAValue](), list[SSAValue]()
    for user in {use.operation for use in tanh.uses}:
        readers = [use.operation for result in user.results for use in result.uses]
        if isinstance(user, arith.AddfOp) and _less_one(user) is tanh:
            sums.append(user.result)
        elif readers and all(_root_in(reader) is tanh for reader in readers):
            slopes += (reader.results[0] for reader in readers)
        else:
            return None
    return sums, slopes


def _root_in(op: Operation) -> SSAValue | None:
    """x of 1 - x * x."""
    square = op.rhs.owner if isinstance(op, arith.SubfOp) and _is_number(op.lhs, 1.0) else None
    return square.lhs if isinstance(square, arith.MulfOp) and square.lhs is square.rhs else None


def _one_more(value: SSAValue) -> SSAValue | None:
    """p of p - 1, as `tanh_by_one_more` makes it."""
    less = value.owner
    if not isinstance(less, arith.SubfOp) or not _is_number(less.rhs, 1.0):
        return None
    quotient = less.lhs.owner
    made = isinstance(quotient, arith.DivfOp) and quotient.fastmath == RECIPROCAL and _is_number(quotient.lhs, 2.0)
    return less.lhs if made else None


def _quarter() -> SSAValue:
    return arith.ConstantOp(FloatAttr(0.25, f32)).result


def _quarter_and_decay(x: SSAValue) -> SSAValue:
    """(1 + e ** -x) / 4"""
    s = Scalars(lambda _: None)
    power = s.op(fma(x, s.constant(-LOG2_E, f32), s.constant(-2.0, f32)))
    return s.op(arith.AddfOp(_quarter(), math.Exp2Op(power, APPROXIMATE).result))


def _sigmoid_argument(op: arith.DivfOp) -> SSAValue | None:
    """x of 1 / (1 + e ** -x) in float32."""
    total = op.rhs.owner
    if op.result.type != f32 or not _is_number(op.lhs, 1.0) or not isinstance(total, arith.AddfOp):
        return None
    decay = _less_one(total)
    exp = None if decay is None else decay.owner
    negative = exp.operand.owner if isinstance(exp, math.ExpOp) else None
    return negative.operand if isinstance(negative, arith.NegfOp) else None


def _product(op: arith.DivfOp) -> arith.MulfOp | None:
    """The product of which a quotient is a factor, and nothing else."""
    users = [use.operation for use in op.result.uses]
    return users[0] if len(users) == 1 and isinstance(users[0], arith.MulfOp) else None


def _mish_argument(op: arith.MulfOp) -> tuple[SSAValue, SSAValue] | None:
    """x of x * tanh(softplus(x)) in float32, and whether softplus takes it for x itself: above 20."""
    for x, called in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        tanh = called.owner
        select = tanh.operand.owner if isinstance(tanh, math.TanhOp) and x.type == f32 else None
        if isinstance(select, arith.SelectOp) and select.lhs is x and _is_above(select.cond, x, 20.0):
            log = select.rhs.owner
            exp = log.operand.owner if isinstance(log, math.Log1pOp) else None
            if isinstance(exp, math.ExpOp) and exp.operand is x:
                return x, select.cond
    return None


def _is_above(test: SSAValue, x: SSAValue, number: float) -> bool:
    """True for x > number."""
    op = test.owner
    if not isinstance(op, arith.CmpfOp) or op.predicate.value.data != OGT:
        return False
    return op.lhs is x and _is_number(op.rhs, number)


def _is_number(value: SSAValue, number: float) -> bool:
    """True for that constant of float32."""
    return isinstance(value.owner, arith.ConstantOp) and value.owner.value == FloatAttr(number, f32)


def _is_shared(value: SSAValue, reader: arith.DivfOp) -> bool:
    """True for a computed value that is the same for all columns of the loop that reads it, or for all its rows.

    The latter where scores are computed in that loop: they come in blocks of rows and columns.
    """
    owner, loop = value.owner, reader.parent_op()
    if not isinstance(owner, Operation) or isinstance(owner, arith.ConstantOp):
        return False
    if owner.parent is not reader.parent:
        return True
    if not isinstance(loop, ReduceOp) or not loop.loops or not isinstance(loop.parent_op(), ParallelOp):
        return False
    rows = loop.parent_op().indices  # pyright: ignore
    return any(depends_on(reader.lhs, row) and not depends_on(value, row) for row in rows)


def _is_plain(op: math.ExpOp) -> bool:
    """True for an exp of float32 that is still to be rounded well."""
    return not op.fastmath.data and op.result.type == f32


def _coarse_exp(op: math.ExpOp) -> Operation:
    return math.ExpOp(op.operand, APPROXIMATE)


def _one_plus_erf_argument(op: arith.AddfOp) -> SSAValue | None:
    """x of 1 + erf(x) or erf(x) + 1 in float32, where nobody else reads erf(x)."""
    erf = _less_one(op)
    return erf.owner.operand if erf is not None and isinstance(erf.owner, math.ErfOp) and erf.has_one_use() else None


def _less_one(op: arith.AddfOp) -> SSAValue | None:
    """x of 1 + x or x + 1 in float32."""
    if _is_number(op.lhs, 1.0):
        return op.rhs
    return op.lhs if _is_number(op.rhs, 1.0) else None
