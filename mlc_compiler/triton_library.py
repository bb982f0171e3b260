# pyright: basic, reportAssignmentType=false, reportArgumentType=false
# Triton types these functions by what they are called with.
"""Device helpers that generated Triton kernels call: the combiners of `tl.reduce` and `tl.associative_scan`.

Generated kernels import this module as `lib`, with the arithmetic of `triton_arithmetic`. Triton's own `tl.max`,
`tl.min`, `tl.argmax` and `tl.argmin` drop NaN; PyTorch's keep it, so the helpers here do too.
"""

import triton
import triton.language as tl

from mlc_compiler.triton_arithmetic import erf, inverse, quotient, reciprocal, rounded_to_bfloat16, tanh  # noqa: F401


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
def epoch(cell, programs: tl.constexpr):
    """The mark of the words that this launch of so many programs publishes, and no other.

    `cell` counts the programs that are done, of all launches. Each launch finds those of the launches before it, and
    less than `programs` of its own: this one is not done. A thread does not wait for the load before it needs the mark.
    """
    return (tl.load(cell, volatile=True) // programs + 1) << 32


@triton.jit
def done(cell):
    """Counts this program as done. The barrier orders the load of the epoch by all of its threads before the add."""
    tl.debug_barrier()
    tl.atomic_add(cell, 1, sem="relaxed")


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

    No wait lasts for ever if those have smaller ids and await none but such as have smaller ones; or if the ids of all
    that await each other are consecutive, and as many programs run at once: a GPU starts programs in the order of their
    ids, on which the scans of NVIDIA's CUB rely too (cub/agent/agent_scan.cuh).
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
