"""Quotients by what a row shares, against division: to the last bit, wherever operands are hardest or strangest."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import reduce

import numpy as np
import pytest
import torch

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import compile_imported
from tests.unit.changed_rules import changed, missing

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
Function = Callable[..., torch.Tensor]
COLUMNS = 1024
HUGE = 2.0**100


def bounded(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    """Shows every bit of a quotient from 2**23 on, and the sign of a zero."""
    return torch.round(x / s).clamp(-HUGE, HUGE)


def to_bytes(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return torch.round(x / s).clamp(-128, 127).to(torch.int8)


def with_zero_point(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return (torch.round(x / s) + 3).clamp(0, 255).to(torch.int32)


def truncated(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return (x / s).clamp(-1e9, 1e9).to(torch.int32)


def plus_half(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return torch.floor(x / s + 0.5).clamp(-128, 127)


def times(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return torch.round(x / s * 127).clamp(-127, 127).to(torch.int8)


def in_bfloat16(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return torch.round((x / s).bfloat16()).clamp(-128, 127)


def fake(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return (x / s).clamp(-8, 7).round() * s


def edges(generator: np.random.Generator, *shape: int) -> torch.Tensor:
    """float32s of all exponents and, every other one, of the first and last; every other mantissa is all but 0 or 1."""
    exponents = generator.integers(0, 256, shape)
    outer = generator.choice([0, 1, 2, 126, 127, 128, 253, 254, 255], shape)
    mantissas = generator.integers(0, 2**23, shape)
    few = generator.choice([0, 1, 2, 2**22, 2**23 - 2, 2**23 - 1], shape)
    pick = generator.integers(0, 4, shape)
    bits = np.where(pick & 1, outer, exponents) << 23 | np.where(pick & 2, few, mantissas)
    signs = generator.integers(0, 2, shape) << 31
    return torch.from_numpy((bits | signs).astype(np.uint32).view(np.float32))


def near_midpoints(generator: np.random.Generator, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Operands whose quotients come as close to the middle of two float32s as any: x * 2**j - m * d is -31 to 31.

    m has 25 bits, and is odd; so is d. Quotients are from 2**23 to 2**60 and more.
    """
    d = generator.integers(2**22, 2**23, (rows, 1)) * 2 + 1
    distance = np.arange(-31, 32, 2)
    found = np.full((rows, COLUMNS), np.nan)
    for place, bits in enumerate((24, 25)):
        inverse = np.array([[pow(int(v), -1, 2**bits)] for v in d[:, 0]])
        m = (-distance * inverse) % 2**bits
        m += np.where(m < 2**24, 2**24, 0)
        x = (m * d + distance) >> bits
        found[:, place * 32 : place * 32 + 32] = np.where((x >= 2**23) & (x < 2**24), x, 2**23)
    found[:, 64:] = np.tile(found[:, :64], COLUMNS // 64 - 1)
    scale = 2.0 ** generator.integers(24, 60, found.shape) * generator.choice([-1, 1], found.shape)
    return torch.from_numpy((found * scale).astype(np.float32)), torch.from_numpy(d.astype(np.float32))


def agree(function: Function, device: str, *inputs: torch.Tensor) -> None:
    """The compiled function inverts divisors, and gives what eager does, bit for bit but for NaN's."""
    there = [x.to(device) for x in inputs]
    compiled = compile_imported(import_callable(function, there))
    assert "tl.fma" in compiled.source or "lib.quotient" in compiled.source
    (found,) = (y.cpu() for y in compiled(*there))
    expected = function(*inputs)
    assert torch.equal(found.isnan(), expected.isnan())
    differ = (found.nan_to_num() != expected.nan_to_num()) | (found.signbit() != expected.signbit()) & ~found.isnan()
    places = [tuple(place) for place in differ.nonzero()[:8].tolist()]
    assert not places, [(place, found[place].item(), expected[place].item()) for place in places]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function", [bounded, to_bytes, with_zero_point, truncated, plus_half, times, in_bfloat16, fake]
)
def test_operands_of_all_sizes(function: Function, device: str) -> None:
    """NaN, infinities, both zeros and denormals among them, on both sides."""
    generator = np.random.default_rng(1)
    x, s = edges(generator, 96, COLUMNS), edges(generator, 96, 1)
    if function in (with_zero_point, truncated):  # NaN is no integer
        x, s = x.nan_to_num(1.0, HUGE, -HUGE), torch.where(s.isfinite() & (s != 0), s, torch.tensor(3.0))
    agree(function, device, x, s)


@pytest.mark.parametrize("device", DEVICES)
def test_quotients_near_midpoints(device: str) -> None:
    """Where an error of a millionth of a unit in the last place would show."""
    x, d = near_midpoints(np.random.default_rng(2), 96)
    generator = np.random.default_rng(3)
    agree(bounded, device, x, d * torch.from_numpy(generator.choice([-1, 1, 2.0**-30, 2.0**-20], (96, 1))).float())


@pytest.mark.parametrize("device", DEVICES)
def test_divisors_of_one_scale(device: str) -> None:
    """Made of the row, of which no more is known; made of it with a least number; a constant; one for all rows."""
    rows = 2.0 ** torch.linspace(0, -140, 64)[:, None]
    x = torch.randn(64, COLUMNS, generator=torch.Generator().manual_seed(4)) * rows
    agree(lambda x: bounded(x, x.abs().amax(-1, keepdim=True) / 127), device, x)
    agree(lambda x: bounded(x, x.abs().amax(-1, keepdim=True).clamp_min(1e-6) / 127), device, x)
    agree(lambda x: bounded(x, torch.full((), 0.1)), device, x)
    agree(bounded, device, x, torch.tensor([[0.3]]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("columns", [COLUMNS, COLUMNS - 24])
@pytest.mark.parametrize("device", DEVICES)
def test_divisors_that_cover_their_rows(device: str, columns: int) -> None:
    """Made of the greatest of the row, be it 0, tiny, the last number or none; with a least number or without."""
    generator = np.random.default_rng(5)
    x = (
        torch.randn(64, columns, generator=torch.Generator().manual_seed(5))
        * 2.0 ** torch.linspace(-149, 127, 64)[:, None]
    )
    x[::7] = edges(generator, 10, columns)
    x[0], x[1], x[2, 1:], x[3, ::2] = 0.0, -0.0, 0.0, -0.0
    for row, value in ((4, float("inf")), (5, -float("inf")), (6, float("nan")), (8, 3.4e38), (9, 1e-45)):
        x[row, row] = value
    for least in (1e-6, 0.0):
        agree(lambda x, least=least: bounded(x, x.abs().amax(-1, keepdim=True).clamp_min(least) / 127), device, x)
        agree(lambda x, least=least: bounded(x, x.abs().amax(-1, keepdim=True).clamp_min(least) * 0.5), device, x)
    agree(lambda x: bounded(x, x.amax(-1, keepdim=True).clamp_min(1e-6)), device, x)  # not the greatest size


@pytest.mark.parametrize("device", DEVICES)
def test_divisors_above_all_reciprocals(device: str) -> None:
    """1 / s would be no normal number. 2**126 / s is 1/2 and hardly more than half a unit: 1 when rounded twice."""
    s = torch.tensor([[2.0**127], [2.0**126]]).view(torch.int32) - torch.arange(1, 9, dtype=torch.int32)[:, None, None]
    s = s.view(torch.float32).reshape(16, 1)
    bits = torch.tensor(2.0**126).view(torch.int32) + torch.arange(COLUMNS, dtype=torch.int32) % 16 - 8
    x = bits.view(torch.float32).expand(16, COLUMNS).contiguous()
    agree(lambda x, s: bounded(x, s.clamp_min(1e-6)), device, x, s)
    agree(lambda x, s: bounded(x, s.clamp_min(1e-6) / 0.75), device, x, s)


STEPS: dict[str, Callable[[torch.Tensor, float], torch.Tensor]] = {
    "add": lambda q, c: q + c,
    "sub": lambda q, c: q - c,
    "mul": lambda q, c: q * abs(c),
    "min": lambda q, c: q.clamp(max=c),
    "max": lambda q, c: q.clamp(min=c),
    "bf16": lambda q, _: q.bfloat16().float(),
    "f16": lambda q, _: q.half().float(),
    "trunc": lambda q, _: torch.trunc(q),
    "floor": lambda q, _: torch.floor(q),
    "ceil": lambda q, _: torch.ceil(q),
    "round": lambda q, _: torch.round(q),
}
NUMBERS = (0.5, 0.0, 1.0, 3.0, -0.5, 1e-3, 1e-20, 1e20, 2.0**-8, 255.0)


def chain(generator: random.Random) -> Function:
    """What might be made of a quotient: mostly it is rounded and bounded, sometimes in another order."""
    steps = [(generator.choice([*STEPS]), generator.choice(NUMBERS)) for _ in range(generator.choice([0, 1, 2]))]
    steps += [("round", 0.0), ("min", generator.choice([7.0, 1e20])), ("max", generator.choice([0.0, -128.0]))]
    if generator.random() < 0.5:
        generator.shuffle(steps)

    def function(x: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
        return reduce(lambda q, step: STEPS[step[0]](q, step[1]), steps, x / s)

    return function


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(int(os.environ.get("MLC_RANDOM_EXAMPLES", "8"))))
def test_whatever_is_made_of_a_quotient(seed: int) -> None:
    """The same as of division, where quotients are about what tells the two apart, and where they are anything."""
    generator = np.random.default_rng(seed)
    x, s = edges(generator, 32, COLUMNS), edges(generator, 32, 1)
    s[:16] = torch.from_numpy(generator.uniform(1, 2, (16, 1)) * 2.0 ** generator.integers(-126, 127, (16, 1)))
    outer = [2.0**k for k in (-40, -37, -36, -35, -34, -10, -1, 22, 64, 126, 127)] + [1.5, 2.5, 3.4e38, 1e-30]
    about = (torch.from_numpy(generator.choice(outer, x.shape)) * s).float().view(torch.int32)
    about = (about + torch.from_numpy(generator.integers(-3, 4, x.shape, dtype=np.int32))).view(torch.float32)
    x = torch.where(torch.from_numpy(generator.random(x.shape) < 0.5), x, about)
    imported = [import_callable(chain(random.Random(seed)), [x, s]) for _ in range(2)]
    (found,) = compile_imported(imported[0])(x, s)
    with changed({"whole_quotient": missing}):
        (expected,) = compile_imported(imported[1])(x, s)
    assert torch.equal(found.isnan(), expected.isnan())
    same = (found.view(torch.int32) == expected.view(torch.int32)) | found.isnan()
    assert same.all(), (~same).nonzero()[:8].tolist()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "function", [torch.div, lambda x, s: x / s.reshape(1, -1)[:, :1], lambda x, s: (x + 0.0) / 6.0]
)
def test_quotients_of_all_bits(function: Function, device: str) -> None:
    """What is not rounded shows each bit: the smallest numbers, both zeros, infinities and NaN among them."""
    generator = np.random.default_rng(6)
    x, s = edges(generator, 96, COLUMNS), edges(generator, 96, 1)
    agree(function, device, x, s)
    agree(function, device, x[:16], x[:16, :1])
    agree(function, device, x * 2.0**-100, (s.view(torch.int32) & 0x807FFFFF | 0x3F800000).view(torch.float32))


@pytest.mark.parametrize("device", DEVICES)
def test_quotients_halfway_between_the_smallest_numbers(device: str) -> None:
    """Below the normal numbers a quotient may lie halfway between two of them: it is rounded to the even one."""
    generator = np.random.default_rng(7)
    d = torch.from_numpy(generator.integers(1, 2**12, (64, 1)) * 2.0 ** generator.integers(0, 8, (64, 1))).float()
    halves = torch.from_numpy(generator.integers(0, 2**11, (64, COLUMNS)) + 0.5) * 2.0**-149
    near = torch.from_numpy(generator.integers(-1, 2, (64, COLUMNS)) * 2.0**-149)
    agree(torch.div, device, (halves * d.double() + near).float(), d)


def test_few_quotients_of_a_divisor_are_divided() -> None:
    x, s = torch.randn(8, COLUMNS), torch.rand(8, COLUMNS)
    source = compile_imported(import_callable(torch.div, [x, s])).source
    assert "lib.quotient" not in source and "tl.div_rn" in source
