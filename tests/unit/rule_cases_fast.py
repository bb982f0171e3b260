"""The instances of the rules that run only under fast-math; see `tests.unit.rule_cases`."""

# ruff: noqa: E501
from __future__ import annotations

from tests.unit.rule_cases import Case, k, o

FAST_CASES = {
    "fast_multiply_by_zero": (Case(lambda x: o.mul(x, k(0, x)), "f"),),
    "fast_add_zero": (Case(lambda x: o.add(x, k(0, x)), "f"),),
    "fast_subtract_from_zero": (Case(lambda x: o.sub(k(0, x), x), "f"),),
    "fast_subtract_itself": (Case(lambda x: o.sub(x, x), "f"),),
    "fast_divide_by_itself": (Case(lambda x: o.div(x, x), "f"),),
    "fast_divide_zero": (Case(lambda x: o.div(k(0, x), x), "f"),),
    "fast_negate_difference": (Case(lambda x, y: o.neg(o.sub(x, y)), "f"),),
    "fast_join_constants": (
        Case(lambda x: o.add(o.add(x, k(0.3, x)), k(0.7, x)), "f"), Case(lambda x: o.mul(o.mul(x, k(0.3, x)), k(0.7, x)), "f"),
    ),
    "fast_divide_by_constant": (Case(lambda x: o.div(x, k(3, x)), "f"),),
    "fast_take_factor_out": (
        Case(lambda x, y, z: o.add(o.mul(x, z), o.mul(y, z)), "f"), Case(lambda x, y, z: o.sub(o.mul(z, x), o.mul(z, y)), "f"),
    ),
    "fast_take_divisor_out": (Case(lambda x, y, z: o.add(o.div(x, z), o.div(y, z)), "f"),),
    "fast_cancel_sum": (Case(lambda x, y: o.sub(o.add(x, y), y), "f"),),
    "fast_cancel_difference": (Case(lambda x, y: o.add(o.sub(x, y), y), "f"),),
    "fast_cancel_factor": (Case(lambda x, y: o.div(o.mul(x, y), y), "f"),),
    "fast_cancel_divisor": (Case(lambda x, y: o.mul(o.div(x, y), y), "f"),),
    "fast_divide_by_quotient": (Case(lambda x, y: o.div(k(1, x), o.div(x, y)), "f"),),
    "fast_divide_twice": (Case(lambda x, y, z: o.div(o.div(x, y), z), "f"),),
    "fast_multiply_by_reciprocal": (Case(lambda x, y: o.mul(x, o.div(k(1, y), y)), "f"),),
    "fast_inverse_function": (
        Case(lambda x: o.exp(o.log(x)), "f"), Case(lambda x: o.log(o.exp(x)), "f"), Case(lambda x: o.log2(o.exp2(x)), "f"),
        Case(lambda x: o.exp2(o.log2(x)), "f"), Case(lambda x: o.expm1(o.log1p(x)), "f"), Case(lambda x: o.log1p(o.expm1(x)), "f"),
    ),
    "fast_square_of_root": (Case(lambda x: (lambda a: o.mul(a, a))(o.sqrt(x)), "f"),),
    "fast_root_of_square": (Case(lambda x: o.sqrt(o.mul(x, x)), "f"),),
    "fast_power_of_half": (Case(lambda x: o.pow(x, k(0.5, x)), "f"),),
    "fast_power_of_minus_half": (Case(lambda x: o.pow(x, k(-0.5, x)), "f"),),
    "fast_power_of_three": (Case(lambda x: o.pow(x, k(3, x)), "f"),),
    "fast_power_of_minus_two": (Case(lambda x: o.pow(x, k(-2, x)), "f"),),
    "fast_reciprocal_of_root": (Case(lambda x: o.div(k(1, x), o.sqrt(x)), "h"),),
    "fast_divide_by_root": (Case(lambda x, y: o.div(x, o.sqrt(y)), "f"),),
    "fast_sigmoid": (Case(lambda x: o.div(k(1, x), o.add(o.exp(o.neg(x)), k(1, x))), "h"),),
    "fast_expm1": (Case(lambda x: o.add(o.exp(x), k(-1, x)), "f"),),
    "fast_log1p": (Case(lambda x: o.log(o.add(x, k(1, x))), "f"),),
    "fast_product_of_exponentials": (Case(lambda x, y: o.mul(o.exp(x), o.exp(y)), "f"),),
    "fast_reciprocal_of_exponential": (Case(lambda x: o.div(k(1, x), o.exp(x)), "f"),),
    "fast_absorb_order": (Case(lambda x, y: o.maximum(x, o.minimum(x, y)), "f"),),
    "fast_select_extreme": (Case(lambda x, y: o.select(o.lt(x, y), x, y), "f"), Case(lambda x, y: o.select(o.gt(x, y), x, y), "f")),
    "fast_select_magnitude": (Case(lambda x: o.select(o.lt(x, k(0, x)), o.neg(x), x), "f"),),
    "fast_select_equals": (Case(lambda x, y: o.select(o.eq(x, y), x, y), "f"),),
    "fast_negate_comparison": (Case(lambda x, y: o.not_(o.lt(x, y)), "f"), Case(lambda x, y: o.not_(o.ge(x, y)), "f")),
    "fast_sum_of_negations": (Case(lambda x, y: o.sub(o.neg(x), y), "f"),),
}  # fmt: skip
