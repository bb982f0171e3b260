# pyright: basic, reportAssignmentType=false, reportArgumentType=false
# Triton types these functions by what they are called with.
"""Device helpers that generated Triton kernels call: the combiners of `tl.reduce` and `tl.associative_scan`.

Generated kernels import this module as `lib`. Triton's own `tl.max`, `tl.min`, `tl.argmax` and `tl.argmin` drop NaN;
PyTorch's keep it, so the helpers here do too.
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
def checked(index, size, place: tl.constexpr, mask=None):
    """`index`, which must lie in [0, size) where `mask` is true: else the kernel stops and names `place`."""
    tl.device_assert((index >= 0) & (index < size), place, mask)
    return index


@triton.jit
def atomic_max_nan(pointer, value, mask):
    """The larger of what `pointer` has and `value`, where `mask` is true; NaN wins, if it is positive in memory.

    The bits of positive floats are ordered as signed integers are, those of negative ones as unsigned, backwards.
    """
    single: tl.constexpr = value.dtype == tl.float32
    signed: tl.constexpr = tl.int32 if single else tl.int64
    unsigned: tl.constexpr = tl.uint32 if single else tl.uint64
    nan: tl.constexpr = 0x7FC00000 if single else 0x7FF8000000000000
    bits = tl.where(value != value, nan, value.to(signed, bitcast=True))
    above, below = mask & (bits >= 0), mask & (bits < 0)
    tl.atomic_max(pointer.to(tl.pointer_type(signed), bitcast=True), bits, mask=above, sem="relaxed")
    backwards = bits.to(unsigned, bitcast=True)
    tl.atomic_min(pointer.to(tl.pointer_type(unsigned), bitcast=True), backwards, mask=below, sem="relaxed")


@triton.jit
def by_column(x):
    """`x` in another layout: lanes of one warp have all rows of a column.

    Triton lays out what is loaded by its addresses. Of this load no lane takes part, and each keeps what is `x` there.
    """
    place = tl.arange(0, x.shape[1])[None, :] * x.shape[0] + tl.arange(0, x.shape[0])[:, None]
    nowhere = tl.full((), 0, tl.int64).to(tl.pointer_type(x.dtype))
    return tl.load(nowhere + place, mask=(place < 0) & (tl.program_id(0) < 0), other=x)


@triton.jit
def halves(x):
    """The left and the right half of a block of two dimensions; each lane has its part of both."""
    parts = tl.reshape(x, (x.shape[0], 2, x.shape[1] // 2))
    return tl.split(tl.permute(parts, (0, 2, 1)))


@triton.jit
def repeated(x, AXIS: tl.constexpr, COUNT: tl.constexpr):
    """Each element of a block COUNT times in a row along AXIS; each lane repeats those that it has."""
    wide = tl.expand_dims(x, AXIS + 1)
    if len(x.shape) == 1:
        return tl.reshape(tl.broadcast_to(wide, (x.shape[0], COUNT)), (x.shape[0] * COUNT,))
    elif AXIS == 0:
        return tl.reshape(tl.broadcast_to(wide, (x.shape[0], COUNT, x.shape[1])), (x.shape[0] * COUNT, x.shape[1]))
    else:
        return tl.reshape(tl.broadcast_to(wide, (x.shape[0], x.shape[1], COUNT)), (x.shape[0], x.shape[1] * COUNT))


@triton.jit
def interleaved(x, y, AXIS: tl.constexpr):
    """The elements of two blocks in turns along AXIS; each lane takes those that it has."""
    pairs = tl.join(x, y)
    if len(x.shape) == 1:
        return tl.reshape(pairs, (x.shape[0] * 2,))
    elif AXIS == 0:
        return tl.reshape(tl.permute(pairs, (0, 2, 1)), (x.shape[0] * 2, x.shape[1]))
    else:
        return tl.reshape(pairs, (x.shape[0], x.shape[1] * 2))


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
    this has no branch: with one, a lane computes its elements one after another. The residual is NaN or infinite where
    x or 1 / x is 0 or infinite.
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

    As libdevice's, but without its branches, with which a lane computes its elements one after another.
    """
    size = tl.abs(x)
    square = x * x
    near = tl.fma(size * square, _polynomial(square, _TANH_NEAR, 5), size)
    rest = reciprocal(tl.exp2(size * _TWICE_LOG2_E) + 1.0)
    far = tl.fma(rest, tl.full(x.shape, -2.0, tl.float32), tl.full(x.shape, 1.0, tl.float32))
    return libdevice.copysign(tl.where(size < _TANH_NEAR_END, near, far), x)


@triton.jit
def erf(x):
    """The error function of a float32 block, within two units in the last place; without branches, as `tanh`."""
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


@triton.jit
def is_last(counter, count):
    """True in the last of `count` programs to come here, which then sees all that they stored before; resets `counter`.

    The barrier orders the stores of all threads of a program before the add of one of them, which releases them; the
    last program's add acquires what it read from, directly or through the adds between, and the barrier with which
    Triton hands its result to all threads orders their loads after it. Barriers, releases and acquires at the scope
    of the device add up to causality order (PTX ISA, "Memory Consistency Model"), and it reaches plain loads; so does
    the sample threadFenceReduction of CUDA. What follows runs in a fixed order: results do not depend on who is last.
    """
    tl.debug_barrier()
    last = tl.atomic_add(counter, 1, sem="acq_rel") == count - 1
    tl.store(counter, 0, mask=last)
    return last


@triton.jit
def ticket(cell, programs):
    """How many programs of this launch have started before this one, and the mark of the launch's words.

    Programs may start in any order of their ids; whoever has a smaller ticket has started. `cell` counts tickets in its
    lower half and launches in the upper, where a word has its mark: the last of `programs` makes the next launch's.
    """
    taken = tl.atomic_add(cell, 1, sem="relaxed")
    number = taken.to(tl.int32)
    tl.atomic_add(cell, (1 << 32) - programs, mask=number == programs - 1, sem="relaxed")
    return number, ((taken >> 32) + 1) << 32


@triton.jit
def publish(word, value, mark, condition=None):
    """Tells `value` to those who await it: in the lower half of one word, or in those of two if it has 64 bits.

    Whoever finds the mark in the upper half of a word has read the lower half with it, so that no fence is needed.
    """
    wide: tl.constexpr = value.dtype.primitive_bitwidth == 64
    bits = value.to(tl.int64 if wide else tl.int32, bitcast=True).to(tl.int64)
    tl.atomic_xchg(word, mark | (bits & 0xFFFFFFFF), mask=condition, sem="relaxed")
    if wide:
        tl.atomic_xchg(word + 1, mark | ((bits >> 32) & 0xFFFFFFFF), mask=condition, sem="relaxed")


@triton.jit
def pause():
    """What a program does before it looks again: nothing, where others run beside it."""


@triton.jit
def _awaited_words(words, mask, mark):
    """`words` once all of them where `mask` is true have the mark of this launch.

    Where there are more threads than words, several threads load the same word, and some may see it before others do.
    Within a warp the maximum is of what its own threads saw. Across warps it may be of what others saw: then all of
    them load once more, behind its barrier, and see what any of them has seen.
    """
    found = tl.load(words, mask=mask, other=0, volatile=True)
    while tl.max((mask & ((found >> 32) != (mark >> 32))).to(tl.int32)) != 0:
        pause()
        found = tl.load(words, mask=mask, other=0, volatile=True)
    if found.numel > 32:
        again = tl.load(words, mask=mask, other=0, volatile=True)
        found = tl.where(mask, again, found)  # Triton 3.6 fails where nothing reads what a loop gives
    return found


@triton.jit
def awaited(words, mask, mark, dtype: tl.constexpr):
    """The values of type `dtype` that other programs publish at `words`, where `mask` is true.

    No wait lasts for ever if those have smaller tickets, so that they have started, and wait for none but such as
    started before them; or if all that await each other have tickets next to each other, and run at once.
    """
    bits = _awaited_words(words, mask, mark)
    if dtype.primitive_bitwidth == 64:  # pyright: ignore[reportAttributeAccessIssue]
        bits = (_awaited_words(words + 1, mask, mark) << 32) | (bits & 0xFFFFFFFF)
    else:
        bits = bits.to(tl.int32)
    return bits.to(dtype, bitcast=True)


@triton.jit
def add(x, y):
    """x + y"""
    return x + y


@triton.jit
def mul(x, y):
    """x * y"""
    return x * y


@triton.jit
def max_nan(x, y):
    """max(x, y); NaN when either is NaN.

    Of 16 bits by comparisons: where it knows that two numbers are -inf, ptxas 12.8 takes inf for the larger one.
    """
    if tl.constexpr(x.dtype.primitive_bitwidth) == 16:
        zero = (x.to(tl.int16, bitcast=True) & y.to(tl.int16, bitcast=True)).to(
            x.dtype, bitcast=True
        )  # +0 of +0 and -0
        return tl.where(x == y, zero, tl.where((x > y) | (x != x), x, y))
    else:
        return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def min_nan(x, y):
    """min(x, y); NaN when either is NaN."""
    return tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL).to(x.dtype)


@triton.jit
def logical_or(x, y):
    """x or y, of two i1 values (Triton reduces them as single bits, so `|` is exact)."""
    return x | y


@triton.jit
def logical_and(x, y):
    """x and y, of two i1 values."""
    return x & y


@triton.jit
def bitwise_or(x, y):
    """x | y, of two integers."""
    return x | y


@triton.jit
def bitwise_and(x, y):
    """x & y, of two integers."""
    return x & y


@triton.jit
def bitwise_xor(x, y):
    """x ^ y, of two integers."""
    return x ^ y


@triton.jit
def latest_max(x, y):
    """y, the later one, where it is not less than x; NaN when either is NaN, as `torch.cummax`."""
    return tl.where((y >= x) | (y != y), y, x)


@triton.jit
def latest_min(x, y):
    """y, the later one, where it is not greater than x; NaN when either is NaN, as `torch.cummin`."""
    return tl.where((y <= x) | (y != y), y, x)


@triton.jit
def latest_argmax(value_x, index_x, value_y, index_y):
    """The (value, index) pair of `latest_max`."""
    later = (value_y >= value_x) | (value_y != value_y)
    return tl.where(later, value_y, value_x), tl.where(later, index_y, index_x)


@triton.jit
def latest_argmin(value_x, index_x, value_y, index_y):
    """The (value, index) pair of `latest_min`."""
    later = (value_y <= value_x) | (value_y != value_y)
    return tl.where(later, value_y, value_x), tl.where(later, index_y, index_x)


@triton.jit
def logaddexp(x, y):
    """log(exp(x) + exp(y)), finite where the result is; equal infinities stay."""
    greater = max_nan(x, y)
    distance = tl.where(x == y, 0.0, -tl.abs(x - y)).to(x.dtype)
    return greater + tl.log(1.0 + tl.exp(distance))


@triton.jit
def philox(seed, position, WORD: tl.constexpr):
    """Word WORD of Philox 4x32-10 (Salmon et al., SC 2011) of a 64-bit key and counter, as int32.

    `mlc_dialects.common.philox` is the same function.
    """
    place = position.to(tl.int64)
    key = seed.to(tl.int64)
    c0, c1 = place.to(tl.uint32), (place >> 32).to(tl.uint32)
    c2, c3 = tl.zeros_like(c0), tl.zeros_like(c0)
    k0, k1 = key.to(tl.uint32), (key >> 32).to(tl.uint32)
    for _ in tl.static_range(10):  # pyright: ignore[reportGeneralTypeIssues]
        a, b = c0, c2
        c0 = tl.umulhi(b, tl.full((), 0xCD9E8D57, tl.uint32)) ^ c1 ^ k0
        c2 = tl.umulhi(a, tl.full((), 0xD2511F53, tl.uint32)) ^ c3 ^ k1
        c1 = b * tl.full((), 0xCD9E8D57, tl.uint32)
        c3 = a * tl.full((), 0xD2511F53, tl.uint32)
        k0 += tl.full((), 0x9E3779B9, tl.uint32)
        k1 += tl.full((), 0xBB67AE85, tl.uint32)
    result = c0 if WORD == 0 else c1 if WORD == 1 else c2 if WORD == 2 else c3
    return result.to(tl.int32, bitcast=True)
