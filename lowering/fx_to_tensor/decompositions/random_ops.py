"""Random ops as formulas of random bits, for graphs: torch.ops.mlc.seeds and torch.ops.mlc.random_bits.

`seeds` draws from torch's generator, so that torch.manual_seed decides; everything after it is
pure, so that a backward graph computes a mask again from the seed instead of keeping the mask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from mlc_dialects.common import philox
from mlc_dialects.tensor.random import CHANCE_DIGITS
from mlc_runtime.seeds import LIBRARY

aten = torch.ops.aten

LIBRARY.define("random_bits(Tensor seeds, int index, SymInt[] size, int word) -> Tensor")


def _random_bits(seeds: Tensor, index: int, size: Sequence[int], word: int) -> Tensor:
    """The same numbers as kernels make, for whoever runs the graph without them."""
    positions = torch.arange(math.prod(size)).numpy()
    bits = philox.random_bits(int(seeds[index]), positions, word)
    return torch.from_numpy(bits).reshape(list(size)).to(seeds.device)


LIBRARY.impl("random_bits", _random_bits, "CompositeExplicitAutograd")


def _fake_seeds(count: int, device: torch.device) -> Tensor:
    return torch.empty([count], dtype=torch.int64, device=device)


def _fake_bits(seeds: Tensor, index: int, size: Sequence[int], word: int) -> Tensor:
    return seeds.new_empty(size, dtype=torch.int32)


torch.library.register_fake("mlc::seeds", _fake_seeds, lib=LIBRARY)
torch.library.register_fake("mlc::random_bits", _fake_bits, lib=LIBRARY)
SEEDS, BITS = torch.ops.mlc.seeds.default, torch.ops.mlc.random_bits.default


class Draw:
    """The random words of one call: each element has its own."""

    def __init__(self, size: Sequence[Any], device: torch.device):
        self._size, self._seeds = size, torch.ops.mlc.seeds(1, device)

    def bits(self, word: int) -> Tensor:
        """int32, every value equally likely."""
        return torch.ops.mlc.random_bits(self._seeds, 0, self._size, word)

    def below(self, dtype: torch.dtype) -> Tensor:
        """Multiples of 2^-n in [0, 1), n the digits of `dtype`: rounding never reaches 1."""
        if dtype == torch.float64:
            high, low = ((self.bits(w) >> 5) & 0x7FFFFFF for w in (0, 1))
            return (high.to(dtype) * 2.0**26 + (low >> 1).to(dtype)) * 2.0**-53
        digits = {torch.float16: 11, torch.bfloat16: 8}.get(dtype, 24)
        whole = (self.bits(0) >> (32 - digits)) & (2**digits - 1)
        return (whole.to(torch.float32) * 2.0**-digits).to(dtype)

    def chance(self, p: float) -> Tensor:
        """True with probability p, to the nearest 2^-24."""
        return self._whole() < round(p * 2**CHANCE_DIGITS)

    def _whole(self, word: int = 0) -> Tensor:
        """int32 in [0, 2^24)."""
        return (self.bits(word) >> (32 - CHANCE_DIGITS)) & (2**CHANCE_DIGITS - 1)

    def between(self, low: float, high: float, dtype: torch.dtype) -> Tensor:
        """In [low, high). What rounds up to high is low, whose own numbers are rounded from one side alone."""
        value = (self.below(_wide(dtype)) * (high - low) + low).to(dtype)
        return torch.where(value < high, value, low)

    def inner(self, half: int, dtype: torch.dtype) -> Tensor:
        """In (0, 1), the same towards both ends, so that any logarithm can be taken and none is 0.

        Odd multiples of 2^-24, or of 2^-53 for float64; halves 0 and 1 of the words are independent.
        """
        high = self.bits(2 * half)
        if dtype != torch.float64:
            return (((high >> 8) & 0xFFFFFF) | 1).to(torch.float32) * 2.0**-24
        low = (self.bits(2 * half + 1) >> 5) & 0x7FFFFFF | 1
        return (((high >> 6) & 0x3FFFFFF).to(dtype) * 2.0**27 + low.to(dtype)) * 2.0**-53

    def exponential(self, dtype: torch.dtype) -> Tensor:
        """Of mean 1, never 0."""
        return -torch.log(self.inner(0, dtype))

    def normal(self, dtype: torch.dtype) -> Tensor:
        """Of mean 0 and deviation 1: Box and Muller's transform of two uniform numbers."""
        return torch.sqrt(2 * self.exponential(dtype)) * torch.cos((2 * math.pi) * self.inner(1, dtype))

    def integer(self, low: Any, high: Any) -> Tensor:
        """int64 in [low, high): low + floor((high - low) x), x a multiple of 2^-32n in [0, 1).

        n is the number of 32-bit words that leaves no set of results a probability off by more than
        2^-32: the error is below (high - low) / 2^32n, and 0 for powers of two.
        """
        count = high - low
        product: Any = 0
        for word in reversed(range(_words(count))):
            product = _carried(product, self.bits(word).to(torch.int64) & _LOW, count)
        return product + low


_LOW = 2**32 - 1


def _words(count: Any) -> int:
    """How many random words choose one of `count` numbers; a count that is not known may be any."""
    if not isinstance(count, int):
        return 3
    return next(n for n in (1, 2, 3) if 2 ** (32 * n) % count == 0 or count < 2 ** (32 * (n - 1)))


def _carried(carry: Any, word: Tensor, count: Any) -> Tensor:
    """floor((carry + word * count) / 2^32), unsigned: word is below 2^32 and carry below count, which is below 2^64."""
    if isinstance(count, int) and count < 2**32:
        return _upper(carry + word * count)
    upper, lower = count // 2**32 % 2**32, count % 2**32
    return _upper(carry) + word * upper + _upper((carry & _LOW) + word * lower)


def _upper(number: Any) -> Any:
    """floor(number / 2^32) of an unsigned number in an int64."""
    return (number >> 32) & _LOW


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _as(like: Tensor, values: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """`values` in the type and the memory layout of `like`."""
    values = values.to(dtype or like.dtype)
    if like.is_contiguous():
        return values
    return aten.copy(torch.empty_like(like, dtype=values.dtype), values)


def _drawn(like: Tensor, formula: Callable[[Draw], Tensor]) -> Any:
    """One number for each element of `like`; complex ones, of which each has two, are PyTorch's."""
    return NotImplemented if like.is_complex() else _as(like, formula(Draw(like.shape, like.device)))


def _made(formula: Callable[[Draw, torch.dtype], Tensor]) -> Callable[..., Any]:
    """rand and randn: (size, dtype, device)."""

    def call(
        size: Sequence[Any],
        *,
        dtype: torch.dtype | None = None,
        layout: Any = None,
        device: torch.device | None = None,
        pin_memory: bool | None = None,
    ) -> Any:
        wanted = dtype or torch.get_default_dtype()
        if not wanted.is_floating_point or layout not in (None, torch.strided):
            return NotImplemented
        return formula(Draw(size, torch.device(device or "cpu")), wanted).to(wanted)

    return call


def _alike(formula: Callable[[Draw, torch.dtype], Tensor]) -> Callable[..., Any]:
    """rand_like and randn_like."""

    def call(self: Tensor, *, dtype: torch.dtype | None = None, device: Any = None, **others: Any) -> Any:
        wanted = dtype or self.dtype
        layout = others.get("memory_format")
        if not wanted.is_floating_point or layout not in (None, torch.preserve_format):
            return NotImplemented
        draw = Draw(self.shape, torch.device(device or self.device))
        return _as(self, formula(draw, wanted), wanted)

    return call


def _uniform_of(draw: Draw, dtype: torch.dtype) -> Tensor:
    return draw.below(dtype)


def _normal_of(draw: Draw, dtype: torch.dtype) -> Tensor:
    return draw.normal(dtype)


def _randint_low(
    low: Any, high: Any, size: Sequence[Any], *, dtype: Any = None, device: Any = None, **_: Any
) -> Tensor:
    return Draw(size, torch.device(device or "cpu")).integer(low, high).to(dtype or torch.int64)


def _randint(high: Any, size: Sequence[Any], **options: Any) -> Tensor:
    return _randint_low(0, high, size, **options)


def _randint_like_low(self: Tensor, low: Any, high: Any, *, dtype: Any = None, device: Any = None, **_: Any) -> Tensor:
    draw = Draw(self.shape, torch.device(device or self.device))
    return _as(self, draw.integer(low, high), dtype or self.dtype)


def _randint_like(self: Tensor, high: Any, **options: Any) -> Tensor:
    return _randint_like_low(self, 0, high, **options)


def _bernoulli_p(self: Tensor, p: float = 0.5, generator: Any = None) -> Any:
    return NotImplemented if generator else _drawn(self, lambda d: d.chance(p))


def _bernoulli(self: Tensor, *, generator: Any = None) -> Any:
    return NotImplemented if generator else _drawn(self, lambda d: d.below(_wide(self.dtype)) < self)


def _bernoulli_tensor(self: Tensor, p: Tensor, generator: Any = None) -> Any:
    return NotImplemented if generator else _drawn(self, lambda d: d.below(_wide(p.dtype)) < p)


def _native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """(input with each element dropped with probability p and the others scaled, what is kept)"""
    if train is False or p == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(input), torch.zeros_like(input, dtype=torch.bool)
    kept = _as(input, Draw(input.shape, input.device).chance(1 - p), torch.bool)
    return input * kept * (1 / (1 - p)), kept


def _uniform(x: Tensor, low: float = 0.0, high: float = 1.0, generator: Any = None) -> Any:
    return NotImplemented if generator or low > high else _drawn(x, lambda d: d.between(low, high, x.dtype))


def _exponential(self: Tensor, lambd: float = 1.0, generator: Any = None) -> Any:
    return NotImplemented if generator else _drawn(self, lambda d: d.exponential(self.dtype) / lambd)


def _cauchy(self: Tensor, median: float = 0.0, sigma: float = 1.0, generator: Any = None) -> Any:
    def formula(draw: Draw) -> Tensor:
        return median + sigma * torch.tan(math.pi * (draw.inner(0, self.dtype) - 0.5))

    return NotImplemented if generator else _drawn(self, formula)


def _geometric(self: Tensor, p: float, generator: Any = None) -> Any:
    def formula(draw: Draw) -> Tensor:
        return torch.ceil(draw.exponential(self.dtype) / -math.log1p(-p))

    return NotImplemented if generator or p >= 1 else _drawn(self, formula)


def _log_normal(self: Tensor, mean: float = 1.0, std: float = 2.0, generator: Any = None) -> Any:
    return NotImplemented if generator else _drawn(self, lambda d: torch.exp(mean + std * d.normal(self.dtype)))


def _normal_functional(self: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    return NotImplemented if generator else _drawn(self, lambda d: mean + std * d.normal(self.dtype))


def _normal_of_tensors(mean: Any, std: Any = 1.0, *, generator: Any = None) -> Any:
    """One number for each pair of a mean and a deviation, one of which may be a number."""
    if generator:
        return NotImplemented
    tensors = [v for v in (mean, std) if isinstance(v, Tensor)]
    size = torch.broadcast_shapes(*(t.shape for t in tensors))
    draw = Draw(size, tensors[0].device)
    return (mean + std * draw.normal(tensors[0].dtype)).to(tensors[0].dtype)


def _normal_of_numbers(
    mean: float,
    std: float,
    size: Sequence[Any],
    *,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    **_: Any,
) -> Any:
    if generator:
        return NotImplemented
    wanted = dtype or torch.get_default_dtype()
    return (mean + std * Draw(size, torch.device(device or "cpu")).normal(wanted)).to(wanted)


def _rrelu(
    self: Tensor,
    noise: Tensor,
    lower: float = 0.125,
    upper: float = 1 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """(leaky relu of random slopes, the slopes)"""
    if generator:
        return NotImplemented
    if not training:
        return torch.where(self > 0, self, self * ((lower + upper) / 2)), noise.clone()
    slope = _as(self, Draw(self.shape, self.device).below(torch.float32) * (upper - lower) + lower)
    slope = torch.where(self <= 0, slope, 1)
    return self * slope, slope


def _table() -> dict[Any, Callable[..., Any]]:
    named: dict[str, Callable[..., Any]] = {
        "rand.default": _made(_uniform_of), "randn.default": _made(_normal_of),
        "rand_like.default": _alike(_uniform_of), "randn_like.default": _alike(_normal_of),
        "randint.default": _randint, "randint.low": _randint_low,
        "randint_like.default": _randint_like, "randint_like.low_dtype": _randint_like_low,
        "bernoulli.default": _bernoulli, "bernoulli.p": _bernoulli_p,
        "bernoulli.Tensor": _bernoulli_tensor, "native_dropout.default": _native_dropout,
        "uniform.default": _uniform, "exponential.default": _exponential, "cauchy.default": _cauchy,
        "geometric.default": _geometric, "log_normal.default": _log_normal,
        "normal_functional.default": _normal_functional, "normal.Tensor_Tensor": _normal_of_tensors,
        "normal.Tensor_float": _normal_of_tensors, "normal.float_Tensor": _normal_of_tensors,
        "normal.float_float": _normal_of_numbers, "rrelu_with_noise_functional.default": _rrelu,
    }  # fmt: skip
    return {_overload(name): function for name, function in named.items()}


def _overload(name: str) -> Any:
    base, overload = name.split(".")
    return getattr(getattr(aten, base), overload)


TABLE = _table()
"""Op to its formula."""
