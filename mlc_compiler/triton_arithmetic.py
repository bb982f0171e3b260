# pyright: basic, reportAssignmentType=false, reportArgumentType=false
# Triton types these functions by what they are called with.
"""Arithmetic of float32 blocks in fewer instructions, or branches, than Triton's and libdevice's.

Kernels call it through `triton_library`. With a branch a lane computes its elements one after another; without one the
device computes each while it waits for the others.
"""

import math

import triton
import triton.language as tl
from triton.language.extra import libdevice

from mlc_support.elementary_fits import (
    ERF_FAR,
    ERF_FAR_END,
    ERF_NEAR,
    ERF_NEAR_END,
    ERF_NEAR_FIRST,
    TANH_NEAR,
    TANH_NEAR_END,
)


@triton.jit
def rounded_to_bfloat16(x):
    """A float32 block as a cast to bfloat16 and back gives it, by one instruction.

    It rounds two numbers to a pair of bfloat16s; where the lower one is 0 the pair is the float32 of the upper one.
    A cast of one number compiles to an instruction of a quarter of the rate.
    """
    pair = tl.inline_asm_elementwise(
        "cvt.rn.bf16x2.f32 $0, $1, 0f00000000;", "=r,f", [x], dtype=tl.int32, is_pure=True, pack=1
    )
    return pair.to(tl.float32, bitcast=True)


@triton.jit
def reciprocal(x):
    """1 / x of a float32 block, within one unit in the last place; 0 where it is below the normal numbers."""
    return tl.inline_asm_elementwise("rcp.approx.ftz.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def inverse(x):
    """1 / x of a float32 block, rounded to nearest, by one step of Newton's method.

    Of all float32 numbers, ten have an inverse that is a unit off; it is below the normal numbers. Unlike `tl.div_rn`
    this has no branch. The residual is NaN or infinite where x or 1 / x is 0 or infinite.
    """
    near = tl.inline_asm_elementwise("rcp.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    residual = tl.fma(x * -1.0, near, tl.full(x.shape, 1.0, tl.float32))
    return tl.where(tl.abs(residual) < 1.0, tl.fma(near, residual, near), near)


_TANH_NEAR: tl.constexpr = tl.constexpr(TANH_NEAR)
_TANH_NEAR_END: tl.constexpr = tl.constexpr(TANH_NEAR_END)
_ERF_NEAR: tl.constexpr = tl.constexpr(ERF_NEAR)
_ERF_NEAR_FIRST: tl.constexpr = tl.constexpr(ERF_NEAR_FIRST)
_ERF_NEAR_END: tl.constexpr = tl.constexpr(ERF_NEAR_END)
_ERF_FAR: tl.constexpr = tl.constexpr(ERF_FAR)
_ERF_FAR_END: tl.constexpr = tl.constexpr(ERF_FAR_END)
_TWICE_LOG2_E: tl.constexpr = tl.constexpr(2 * math.log2(math.e))


@triton.jit
def _polynomial(x, COEFFICIENTS: tl.constexpr, DEGREE: tl.constexpr):
    """c0 + c1 * x + c2 * x**2 + ... of a float32 block, by Horner's rule."""
    total = tl.full(x.shape, COEFFICIENTS[DEGREE], tl.float32)
    for k in tl.static_range(DEGREE):  # pyright: ignore[reportGeneralTypeIssues]
        total = tl.fma(total, x, tl.full(x.shape, COEFFICIENTS[DEGREE - 1 - k], tl.float32))
    return total


@triton.jit
def tanh(x):
    """The hyperbolic tangent of a float32 block, within two units in the last place.

    As libdevice's, but without its branches.
    """
    size = tl.abs(x)
    square = x * x
    near = tl.fma(size * square, _polynomial(square, _TANH_NEAR, 5), size)
    rest = reciprocal(tl.exp2(size * _TWICE_LOG2_E) + 1.0)
    far = tl.fma(rest, tl.full(x.shape, -2.0, tl.float32), tl.full(x.shape, 1.0, tl.float32))
    return libdevice.copysign(tl.where(size < _TANH_NEAR_END, near, far), x)


@triton.jit
def erf(x):
    """The error function of a float32 block, within two units in the last place, without branches."""
    size = tl.abs(x)
    first = tl.full(x.shape, _ERF_NEAR_FIRST, tl.float32)
    near = tl.fma(size, first, size * _polynomial(x * x, _ERF_NEAR, 6))
    within = tl.minimum(size, _ERF_FAR_END, propagate_nan=tl.PropagateNan.ALL)
    far = 1.0 - tl.exp2(_polynomial(within, _ERF_FAR, 5))
    return libdevice.copysign(tl.where(size < _ERF_NEAR_END, near, far), x)


_TOGETHER: tl.constexpr = tl.constexpr(4)
"""Quotients that have one branch: the device computes each while it waits for the others."""
_NAMES = ("q", "x", "scale", "r", "t")
_USUAL = """
    mul.f32 y{0}, {x}, {scale};
    mul.f32 p{0}, y{0}, {r};
    fma.rn.f32 e, p{0}, {t}, y{0};
    fma.rn.f32 q{0}, e, {r}, p{0};
    abs.f32 e, q{0};
    setp.eq.f32 is_next, {x}, 0f00000000;
    setp.ge.or.f32 is_next, e, 0f0D800000, is_next;       // 2**-100
    setp.lt.and.f32 is_next, e, 0f7F800000, is_next;      // infinity
    and.pred is_usual, is_usual, is_next;"""
_ANY = """
    abs.f32 e, p{0};
    setp.lt.f32 is_small, e, 0f0D800000;                  // 2**-100
    selp.f32 lift, 0f5D800000, 0f3F800000, is_small;      // 2**60, or 1
    selp.f32 lower, 0f21800000, 0f3F800000, is_small;     // 2**-60, or 1
    mul.f32 y{0}, {x}, lift;
    mul.f32 y{0}, y{0}, {scale};
    mul.f32 q{0}, y{0}, {r};
    mul.f32 q{0}, q{0}, lower;
    min.f32 q{0}, q{0}, 0f7F7FFFFF;                       // the largest number
    max.f32 q{0}, q{0}, 0fFF7FFFFF;
    mul.f32 e, q{0}, lift;
    fma.rn.f32 e, e, {t}, y{0};
    mul.f32 y{0}, e, {r};
    fma.rn.f32 e, y{0}, {t}, e;
    fma.rn.f32 y{0}, e, {r}, y{0};
    fma.rn.f32 q{0}, y{0}, lower, q{0};
    abs.f32 e, e;
    setp.lt.f32 is_finite, e, 0f7F800000;
    selp.f32 q{0}, q{0}, p{0}, is_finite;"""
_DONE = """
    mov.f32 {q}, q{0};"""


def _for_each(lines: str) -> str:
    """The assembly of all quotients that have one branch; operand k of quotient j is number k * `_TOGETHER` + j."""
    count = _TOGETHER.value
    numbers = ({name: f"${k * count + j}" for k, name in enumerate(_NAMES)} for j in range(count))
    return "".join(lines.format(j, **operands) for j, operands in enumerate(numbers))


_QUOTIENTS: tl.constexpr = tl.constexpr(f"""{{
    .reg .pred is_usual, is_next, is_small, is_finite;
    .reg .f32 e, lift, lower, y<{_TOGETHER.value}>, p<{_TOGETHER.value}>, q<{_TOGETHER.value}>;
    setp.eq.f32 is_usual, 0f00000000, 0f00000000;
{_for_each(_USUAL)}
    @is_usual bra DONE;
{_for_each(_ANY)}
DONE:{_for_each(_DONE)}
}}""")
_QUOTIENT_OPERANDS: tl.constexpr = tl.constexpr(
    ",".join([*["=f"] * _TOGETHER.value, *["f"] * (len(_NAMES) - 1) * _TOGETHER.value])
)


@triton.jit
def quotient(x, d):
    """x / d of a float32 block, rounded to nearest for all x and d, where many x share a d: a reciprocal for each d.

    d is a number, or a block that is broadcast to x. `tl.div_rn` takes eleven instructions, but a hundred where x is 0,
    as behind a mask, or the quotient below the normal numbers; this takes nine, and thirty where the quotient is small.

    With t = -d * 2**n in (1/4, 1/2] and r = 1 / t rounded: p = y * r is next to y / t, the residual e = y - p * t is
    exact, and p + e * r rounded once is y / t rounded to nearest (Markstein, "Computation of elementary functions on
    the IBM RISC System/6000 processor", 1990). Here y is x * 2**n. t and r are negative: then an exact quotient's e * r
    is -0, which keeps the sign of a zero.

    Quotients below 2**-100 are computed from 2**60 times x, so that the residual is exact down to the last of the
    numbers below the normal ones. There p + e / t may be halfway between two of them, so that e / t is rounded to
    nearest before. Where p overflows, the quotient need not: p is bounded then. Where a residual is not finite, p is
    what division gives: of infinities and NaN, by 0, and what is too large.
    """
    size = tl.abs(d)
    exponent = 252 - (size.to(tl.int32, bitcast=True) >> 23)
    power = (tl.maximum(exponent, 1) << 23).to(tl.float32, bitcast=True)
    scale = tl.where(d < 0, power, power * -1.0)
    t = d * scale
    operands = [x, scale, tl.div_rn(1.0, t), t * -1.0]
    return tl.inline_asm_elementwise(
        _QUOTIENTS, _QUOTIENT_OPERANDS, operands, dtype=tl.float32, is_pure=True, pack=_TOGETHER
    )
