"""The instances of the exact rules; see `tests.unit.rule_cases`."""

# ruff: noqa: E501
from __future__ import annotations

from xdsl.dialects.builtin import f16, f32, i8, i32

from tests.unit.rule_cases import NAN, Case, cast, k, limit, o

CANONICAL = {
    "constant_right": (Case(lambda x: o.add(k(3, x), x), "fi"), Case(lambda x: o.and_(k(1, x), x), "ib")),
    "mirror_comparison": (Case(lambda x: o.lt(k(3, x), x), "fib"), Case(lambda x: o.ge(k(3, x), x), "fib")),
    "drop_unit": (
        Case(lambda x: o.mul(x, k(1, x)), "fi"), Case(lambda x: o.sub(x, k(0.0, x)), "fi"),
        Case(lambda x: o.add(x, k(-0.0, x)), "fi"), Case(lambda x: o.div(x, k(1, x)), "f"),
        Case(lambda x: o.pow(x, k(1, x)), "f"), Case(lambda x: o.floordiv(x, k(1, x)), "i"),
    ),
    "absorb": (
        Case(lambda x: o.mul(x, k(0, x)), "i"), Case(lambda x: o.and_(x, k(0, x)), "ib"),
        Case(lambda x: o.or_(x, k(-1, x)), "ib"),
    ),
    "drop_idempotent": (
        Case(lambda x: o.maximum(x, x), "fi"), Case(lambda x: o.and_(x, x), "ib"), Case(lambda x: o.abs(o.abs(x)), "fi"),
        Case(lambda x: o.floor(o.floor(x)), "f"), Case(lambda x: o.sign(o.sign(x)), "fi"),
    ),
    "cancel_involution": (Case(lambda x: o.neg(o.neg(x)), "fi"), Case(lambda x: o.not_(o.not_(x)), "ib")),
    "cancel_with_itself": (Case(lambda x: o.sub(x, x), "i"), Case(lambda x: o.xor(x, x), "ib")),
    "compare_with_itself": (Case(lambda x: (o.le(x, x), o.lt(x, x), o.ne(x, x)), "ib"),),
    "order_comparison": (Case(lambda x, y: (o.gt(x, y), o.ge(x, y)), "fib"),),
    "subtract_constant": (
        Case(lambda x: o.sub(x, k(3, x)), "fi"), Case(lambda x: o.sub(x, k(-0.0, x)), "f"),
    ),
    "negate_comparison": (
        Case(lambda x, y: o.not_(o.eq(x, y)), "fib"), Case(lambda x, y: (o.not_(o.lt(x, y)), o.not_(o.le(x, y))), "ib"),
    ),
    "compare_with_truth": (Case(lambda x: (o.eq(x, k(1, x)), o.ne(x, k(1, x)), o.eq(x, k(0, x))), "b"),),
    "select_constant": (Case(lambda p, x, y: o.select(k(1, p), x, y), "fib8"), Case(lambda p, x, y: o.select(k(0, p), x, y), "fib8")),
    "select_equal": (Case(lambda p, x: o.select(p, x, x), "fib8"),),
    "select_negated": (Case(lambda p, x, y: o.select(o.not_(p), x, y), "fib8"),),
    "select_truth": (Case(lambda p, x: (o.select(p, k(1, x), k(0, x)), o.select(p, k(0, x), k(1, x))), "b"),),
    "select_same_condition": (
        Case(lambda p, x, y, z: o.select(p, o.select(p, x, y), z), "fib8"),
        Case(lambda p, x, y, z: o.select(p, x, o.select(p, y, z)), "fib8"),
    ),
}  # fmt: skip

SIGNS = {
    "negate_by_factor": (Case(lambda x: o.mul(x, k(-1, x)), "fi"), Case(lambda x: o.div(x, k(-1, x)), "f")),
    "negate_by_difference": (Case(lambda x: o.sub(k(-0.0, x), x), "fi"),),
    "add_negated": (Case(lambda x, y: o.add(x, o.neg(y)), "fi"), Case(lambda x, y: o.add(o.neg(y), x), "fi")),
    "subtract_negated": (Case(lambda x, y: o.sub(x, o.neg(y)), "fi"),),
    "negation_into_constant": (
        Case(lambda x: o.mul(o.neg(x), k(3, x)), "fi"), Case(lambda x: o.div(o.neg(x), k(3, x)), "f"),
        Case(lambda x: o.div(k(3, x), o.neg(x)), "f"),
    ),
    "negation_out_of_product": (
        Case(lambda x, y: o.mul(o.neg(x), y), "fi"), Case(lambda x, y: o.mul(o.neg(x), o.neg(y)), "fi"),
        Case(lambda x, y: o.div(x, o.neg(y)), "f"),
    ),
    "negate_scaled": (
        Case(lambda x: o.neg(o.mul(x, k(3, x))), "fi"), Case(lambda x: o.neg(o.div(x, k(3, x))), "f"),
        Case(lambda x: o.neg(o.div(k(3, x), x)), "f"),
    ),
    "abs_of_negation": (Case(lambda x: o.abs(o.neg(x)), "fs"),),
    "abs_of_copysign": (Case(lambda x, y: o.abs(o.copysign(x, y)), "f"),),
    "abs_of_non_negative": (
        Case(lambda x: o.abs(o.exp(x)), "f"), Case(lambda x: o.abs(o.mul(x, x)), "f"), Case(lambda x: o.abs(o.cosh(x)), "f"),
        Case(lambda x: o.abs(o.exp2(x)), "f"), Case(lambda x: o.abs(o.sigmoid(x)), "f"),
    ),
    "abs_of_unsigned": (Case(lambda x: o.abs(x), "u"),),
    "square_of_abs": (Case(lambda x: (lambda a: o.mul(a, a))(o.abs(x)), "fi"),),
    "negation_out_of_odd": tuple(
        Case(lambda x, f=f: getattr(o, f)(o.neg(x)), "f")
        for f in ("trunc", "round", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf")
    ),
    "negation_into_even": (Case(lambda x: (o.cos(o.neg(x)), o.cosh(o.neg(x)), o.cos(o.abs(x))), "f"),),
    "mirror_rounding": (Case(lambda x: o.neg(o.floor(o.neg(x))), "f"), Case(lambda x: o.neg(o.ceil(o.neg(x))), "f")),
    "copysign_of_sign": (Case(lambda x, y: (o.copysign(o.neg(x), y), o.copysign(o.abs(x), y)), "f"),),
    "copysign_of_constant": (Case(lambda x: (o.copysign(x, k(2, x)), o.copysign(x, k(-0.0, x))), "f"),),
}  # fmt: skip

INTEGERS = {
    "join_constants": (
        Case(lambda x: o.add(o.add(x, k(3, x)), k(5, x)), "i"), Case(lambda x: o.mul(o.mul(x, k(3, x)), k(5, x)), "i"),
    ),
    "constant_minus_sum": (Case(lambda x: o.sub(k(3, x), o.add(x, k(5, x))), "i"),),
    "constant_minus_difference": (Case(lambda x: o.sub(k(3, x), o.sub(k(5, x), x)), "i"),),
    "difference_plus_constant": (Case(lambda x: o.add(o.sub(k(3, x), x), k(5, x)), "i"),),
    "double": (Case(lambda x: o.add(x, x), "fi"),),
    "add_multiples": (
        Case(lambda x: o.add(o.mul(x, k(3, x)), o.mul(x, k(5, x))), "i"), Case(lambda x: o.sub(o.mul(x, k(3, x)), x), "i"),
        Case(lambda x: o.sub(x, o.mul(x, k(3, x))), "i"),
    ),
    "take_factor_out": (
        Case(lambda x, y, z: o.add(o.mul(x, z), o.mul(y, z)), "i"), Case(lambda x, y, z: o.sub(o.mul(z, x), o.mul(y, z)), "i"),
    ),
    "subtract_part_of_sum": (Case(lambda x, y: (o.sub(o.add(x, y), y), o.sub(o.add(x, y), x)), "i"),),
    "add_what_was_subtracted": (Case(lambda x, y: (o.add(o.sub(x, y), y), o.add(y, o.sub(x, y))), "i"),),
    "subtract_difference": (Case(lambda x, y: o.sub(x, o.sub(x, y)), "i"),),
    "subtract_sum_from_part": (Case(lambda x, y: (o.sub(x, o.add(x, y)), o.sub(x, o.add(y, x))), "i"),),
    "subtract_start_of_difference": (Case(lambda x, y: o.sub(o.sub(x, y), x), "i"),),
    "negate_difference": (Case(lambda x, y: o.neg(o.sub(x, y)), "i"),),
    "negate_sum_with_constant": (Case(lambda x: o.neg(o.add(x, k(3, x))), "i"),),
    "subtract_from_negated": (Case(lambda x, y: o.sub(o.neg(x), y), "i"),),
    "complement_plus_one": (Case(lambda x: o.add(o.not_(x), k(1, x)), "i"),),
    "negate_complement": (Case(lambda x: o.neg(o.not_(x)), "i"),),
    "complement_of_negation": (Case(lambda x: o.not_(o.neg(x)), "i"),),
    "complement_of_sum": (Case(lambda x: o.not_(o.add(x, k(3, x))), "i"),),
    "add_complement": (Case(lambda x: (o.add(x, o.not_(x)), o.add(o.not_(x), x)), "i"),),
    "remainder_of_one": (Case(lambda x: (o.remainder(x, k(1, x)), o.fmod(x, k(1, x))), "i"),),
    "remainder_by_power_of_two": (Case(lambda x: o.remainder(x, k(8, x)), "i"), Case(lambda x: o.remainder(x, k(64, x)), "i")),
    "repeated_remainder": (
        Case(lambda x: (lambda c: o.remainder(o.remainder(x, c), c))(k(7, x)), "i"),
        Case(lambda x: (lambda c: o.remainder(o.remainder(x, c), c))(k(-7, x)), "i"),
        Case(lambda x: (lambda c: o.fmod(o.fmod(x, c), c))(k(7, x)), "i"),
        Case(lambda x, y: o.fmod(o.fmod(x, y), y), "f"),
    ),
    "join_floor_divisions": (Case(lambda x: o.floordiv(o.floordiv(x, k(3, x)), k(5, x)), "i"),),
}  # fmt: skip

BITS = {
    "meet_complement": (
        Case(lambda x: o.and_(x, o.not_(x)), "ib"), Case(lambda x: o.or_(o.not_(x), x), "ib"), Case(lambda x: o.xor(x, o.not_(x)), "ib"),
    ),
    "absorb_bits": (Case(lambda x, y: o.and_(x, o.or_(y, x)), "ib"), Case(lambda x, y: o.or_(o.and_(x, y), x), "ib")),
    "absorb_complement": (
        Case(lambda x, y: o.and_(x, o.or_(o.not_(x), y)), "ib"), Case(lambda x, y: o.or_(o.and_(y, o.not_(x)), x), "ib"),
    ),
    "drop_repeated": (
        Case(lambda x, y: o.maximum(x, o.maximum(x, y)), "fi"), Case(lambda x, y: o.minimum(o.minimum(y, x), x), "fi"),
        Case(lambda x, y: o.and_(x, o.and_(x, y)), "ib"), Case(lambda x, y: o.or_(o.or_(x, y), y), "ib"),
    ),
    "join_bit_constants": (
        Case(lambda x: o.maximum(o.maximum(x, k(3, x)), k(5, x)), "fi"), Case(lambda x: o.minimum(o.minimum(x, k(-0.0, x)), k(0.0, x)), "fi"),
        Case(lambda x: o.and_(o.and_(x, k(7, x)), k(13, x)), "ib"), Case(lambda x: o.or_(o.or_(x, k(2, x)), k(5, x)), "ib"),
        Case(lambda x: o.xor(o.xor(x, k(3, x)), k(6, x)), "ib"), Case(lambda x: o.maximum(o.maximum(x, k(-0.0, x)), k(0.0, x)), "f"),
    ),
    "join_complements": (
        Case(lambda x, y: o.and_(o.not_(x), o.not_(y)), "ib"), Case(lambda x, y: o.or_(o.not_(x), o.not_(y)), "ib"),
    ),
    "flip_bits": (Case(lambda x: o.xor(x, k(-1, x)), "ib"),),
    "cancel_xor": (Case(lambda x, y: (o.xor(o.xor(x, y), y), o.xor(x, o.xor(x, y))), "ib"),),
    "complement_out_of_xor": (Case(lambda x, y: (o.xor(o.not_(x), y), o.xor(x, o.not_(y))), "ib"),),
    "join_cases": (
        Case(lambda x, y: (lambda a: (o.or_(a, o.and_(x, o.not_(y))), a))(o.and_(x, y)), "ib"),
        Case(lambda x, y: o.or_(o.and_(x, y), o.and_(x, o.not_(y))), "ib"), Case(lambda x, y: o.and_(o.or_(o.not_(y), x), o.or_(x, y)), "ib"),
    ),
    "take_common_bits_out": (
        Case(lambda x, y, z: o.or_(o.and_(x, y), o.and_(z, x)), "ib"), Case(lambda x, y, z: o.and_(o.or_(x, y), o.or_(x, z)), "ib"),
    ),
}  # fmt: skip

ORDER = {
    "absorb_order": (Case(lambda x, y: o.maximum(x, o.minimum(y, x)), "i"), Case(lambda x, y: o.minimum(o.maximum(x, y), x), "i")),
    "drop_weakest_bound": (Case(lambda x: o.maximum(x, limit(x, False)), "fi"), Case(lambda x: o.minimum(x, limit(x, True)), "fi")),
    "strongest_bound": (Case(lambda x: o.maximum(x, limit(x, True)), "i"), Case(lambda x: o.minimum(x, limit(x, False)), "i")),
    "empty_clamp": (
        Case(lambda x: o.minimum(o.maximum(x, k(5, x)), k(3, x)), "i"), Case(lambda x: o.maximum(o.minimum(x, k(3, x)), k(5, x)), "i"),
    ),
    "clamp_low_first": (
        Case(lambda x: o.maximum(o.minimum(x, k(5, x)), k(3, x)), "fi"), Case(lambda x: o.maximum(o.minimum(x, k(0.0, x)), k(-0.0, x)), "fi"),
    ),
    "extreme_of_negations": (
        Case(lambda x, y: o.maximum(o.neg(x), o.neg(y)), "f"), Case(lambda x, y: o.minimum(o.neg(x), o.neg(y)), "f"),
    ),
    "extreme_of_opposites": (Case(lambda x: o.maximum(x, o.neg(x)), "fs"), Case(lambda x: o.minimum(o.neg(x), x), "fs")),
    "bound_below_range": (Case(lambda x: (o.maximum(o.exp(x), k(0.0, x)), o.maximum(o.abs(x), k(-2, x))), "f"),),
    "absorb_nan": tuple(
        Case(lambda x, f=f: (getattr(o, f)(x, k(NAN, x)), getattr(o, f)(k(NAN, x), x)), "f")
        for f in ("add", "sub", "mul", "div", "maximum", "minimum", "fmod", "atan2")
    ),
    "compare_with_nan": (Case(lambda x: (o.lt(x, k(NAN, x)), o.ne(x, k(NAN, x)), o.ge(k(NAN, x), x)), "f"),),
    "compare_with_limit": (
        Case(lambda x: (o.lt(x, limit(x, False)), o.ge(x, limit(x, False))), "i"),
        Case(lambda x: (o.gt(x, limit(x, True)), o.le(x, limit(x, True))), "i"),
    ),
    "compare_negations": (
        Case(lambda x, y: (o.lt(o.neg(x), o.neg(y)), o.ge(o.neg(x), o.neg(y))), "f"), Case(lambda x: o.le(o.neg(x), k(3, x)), "f"),
        Case(lambda x, y: (o.eq(o.neg(x), o.neg(y)), o.ne(o.neg(x), k(3, x))), "fi"),
    ),
    "compare_complements": (Case(lambda x, y: (o.lt(o.not_(x), o.not_(y)), o.le(o.not_(x), k(1, x)), o.eq(o.not_(x), k(1, x))), "ib"),),
    "compare_difference": (Case(lambda x, y: (o.lt(o.sub(x, y), k(0.0, x)), o.gt(o.sub(x, y), k(-0.0, x))), "f"),),
    "equal_difference": (Case(lambda x, y: o.eq(o.sub(x, y), k(0, x)), "i"), Case(lambda x, y: o.ne(o.xor(x, y), k(0, x)), "ib")),
    "equal_shifted": (Case(lambda x: o.eq(o.add(x, k(3, x)), k(1, x)), "i"), Case(lambda x: o.ne(o.xor(x, k(1, x)), k(1, x)), "ib")),
    "abs_is_zero": (Case(lambda x: (o.eq(o.abs(x), k(0.0, x)), o.ne(o.abs(x), k(-0.0, x))), "fi"),),
    "compare_below_range": (Case(lambda x: (o.lt(o.abs(x), k(0.0, x)), o.lt(o.exp(x), k(-1, x))), "f"),),
    "differs_from_itself": (Case(lambda x: o.ne(x, x), "f"),),
    "nan_of_function": tuple(
        Case(lambda x, f=f: o.isnan(getattr(o, f)(x)), "f")
        for f in (
            "neg", "abs", "floor", "ceil", "trunc", "round", "exp", "exp2", "expm1", "sigmoid",
            "atan", "sinh", "cosh", "tanh", "asinh", "erf", "erfc",
        )
    ),
    "infinity_of_function": tuple(
        Case(lambda x, f=f: o.isinf(getattr(o, f)(x)), "f") for f in ("neg", "abs", "floor", "ceil", "trunc", "round")
    ),
    "nan_of_integer": (Case(lambda x: (o.isnan(cast(x, f16)), o.isnan(cast(x, f32))), "ib"),),
    "join_comparisons": (
        Case(lambda x, y: (o.or_(o.lt(x, y), o.eq(x, y)), o.or_(o.eq(x, y), o.gt(x, y)), o.and_(o.le(x, y), o.ge(x, y))), "fib"),
        Case(lambda x, y: (o.and_(o.le(x, y), o.ne(x, y)), o.and_(o.ne(x, y), o.ge(x, y))), "fib"),
        Case(lambda x, y: (o.and_(o.le(x, y), o.le(y, x)), o.or_(o.eq(y, x), o.lt(x, y))), "fib"),
    ),
}  # fmt: skip

SELECTS = {
    "select_extreme": (
        Case(lambda x, y: o.select(o.lt(x, y), x, y), "i"), Case(lambda x, y: o.select(o.le(x, y), y, x), "i"),
        Case(lambda x, y: o.select(o.gt(x, y), x, y), "i"), Case(lambda x, y: o.select(o.ge(x, y), y, x), "i"),
    ),
    "select_magnitude": (
        Case(lambda x: o.select(o.lt(x, k(0, x)), o.neg(x), x), "s"), Case(lambda x: o.select(o.ge(x, k(0, x)), x, o.neg(x)), "s"),
    ),
    "select_equals": (
        Case(lambda x, y: o.select(o.eq(x, y), x, y), "ib"), Case(lambda x, y: o.select(o.ne(y, x), x, y), "ib"),
    ),
    "select_shared_else": (Case(lambda p, q, x, y: o.select(p, o.select(q, x, y), y), "fib8"),),
    "select_shared_then": (Case(lambda p, q, x, y: o.select(p, x, o.select(q, x, y)), "fib8"),),
    "select_to_logic": (
        Case(lambda p, x: (o.select(p, x, k(0, x)), o.select(p, k(1, x), x)), "b"), Case(lambda p, x: (o.select(p, x, p), o.select(p, p, x)), "b"),
    ),
    "select_to_negated_logic": (Case(lambda p, x: (o.select(p, k(0, x), x), o.select(p, x, k(1, x))), "b"),),
    "select_number_of_truth": (Case(lambda p, x: (o.select(p, k(1, x), k(0, x)), o.select(p, k(0, x), k(1, x))), "fi8"),),
    "cast_of_select": (
        Case(lambda p, x: cast(o.select(p, k(3, x), k(7, x)), i8), "fib8"), Case(lambda p, x: cast(o.select(p, k(3, x), k(0, x)), f16), "fib8"),
    ),
    "function_of_choice": (
        Case(lambda p, x, y: o.select(p, o.exp(x), o.exp(y)), "f"), Case(lambda p, x, y: o.select(p, o.neg(x), o.neg(y)), "fi"),
        Case(lambda p, x, y: o.select(p, o.not_(x), o.not_(y)), "ib"),
    ),
    "compare_number_of_truth": (
        Case(lambda p: (o.ne(cast(p, i32), k(0, cast(p, i32))), o.eq(cast(p, f32), k(0, cast(p, f32)))), "fib8"),
        Case(lambda p: (o.lt(cast(p, f16), k(0.5, cast(p, f16))), o.gt(cast(p, i8), k(-1, cast(p, i8))), o.le(cast(p, f32), k(NAN, cast(p, f32)))), "fib"),
    ),
    "multiply_by_truth": (Case(lambda p, x: (o.mul(x, cast(p, x)), o.mul(cast(p, x), x)), "i"),),
}  # fmt: skip

POWERS = {
    "power_of_two": (Case(lambda x: o.pow(x, k(2, x)), "f"),),
    "power_of_minus_one": (Case(lambda x: o.pow(x, k(-1, x)), "f"),),
    "power_of_zero": (Case(lambda x: (o.pow(x, k(0.0, x)), o.pow(x, k(-0.0, x))), "f"),),
    "power_of_one": (Case(lambda x: o.pow(k(1, x), x), "f"),),
    "divide_by_power_of_two": (
        Case(lambda x: (o.div(x, k(8, x)), o.div(x, k(-0.25, x)), o.div(x, k(2**14, x))), "f"), Case(lambda x: o.div(x, k(2.0**-10, x)), "f"),
    ),
    "join_growing_scales": (Case(lambda x: (o.mul(o.mul(x, k(4, x)), k(-8, x)), o.mul(o.mul(x, k(-128, x)), k(128, x))), "f"),),
    "round_integral": (
        Case(lambda x: (o.floor(o.ceil(x)), o.trunc(o.sign(x)), o.ceil(o.trunc(x)), o.round(o.floor(x)), o.trunc(o.round(x))), "f"),
    ),
    "reciprocal_of_root": (Case(lambda x: o.div(k(1, x), o.sqrt(x)), "w"),),
    "recognise_sigmoid": (
        Case(lambda x: o.div(k(1, x), o.add(o.exp(o.neg(x)), k(1, x))), "w"), Case(lambda x: o.div(k(1, x), o.add(k(1, x), o.exp(o.neg(x)))), "w"),
    ),
    "modulus_sign": (Case(lambda x, y: (o.fmod(x, o.neg(y)), o.fmod(x, o.abs(y))), "f"),),
}  # fmt: skip

EXACT_CASES = CANONICAL | SIGNS | INTEGERS | BITS | ORDER | SELECTS | POWERS
