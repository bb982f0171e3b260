"""Every random op that kernels draw has the distribution it should, by tests of goodness of fit; seeds are fixed.

Continuous ones by Kolmogorov and Smirnov, discrete ones by Pearson's chi-square, at a probability of 0.001 to fail
a right distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import NormalDist

import pytest
import torch
import torch.nn.functional as F
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor.decompositions.random_ops import Draw
from tests.unit.test_random import DEVICES, compiled, externs

Function = Callable[[torch.Tensor], torch.Tensor]
pytestmark = pytest.mark.usefixtures("machine_code")

NORMAL = NormalDist()
NATIVE = {"mlc.seeds.default", "aten.copy_.default"}
"""The calls of PyTorch that a graph of native random ops may hold."""


def drawn(function: Function, x: torch.Tensor, seed: int = 5) -> torch.Tensor:
    """What the compiled function draws; kernels draw all of it."""
    modules: list[ModuleOp] = []
    torch._dynamo.reset()
    torch.manual_seed(seed)
    sample = compiled(function, modules)(x)
    assert set(externs(modules[0])) <= NATIVE
    return sample.cpu()


def kolmogorov(sample: torch.Tensor, distribution: Callable[[float], float]) -> float:
    """The largest distance between the sample's distribution and the given one, times sqrt(n)."""
    ordered = sorted(sample.double().flatten().tolist())
    n = len(ordered)
    expected = [distribution(v) for v in ordered]
    gaps = (max((i + 1) / n - e, e - i / n) for i, e in enumerate(expected))
    return max(gaps) * math.sqrt(n)


def chi_square(counts: torch.Tensor, probabilities: Sequence[float]) -> float:
    """Pearson's statistic of counts whose chances are given, as a standard normal deviate (Wilson and Hilferty)."""
    expected = torch.tensor(probabilities, dtype=torch.float64) * counts.sum()
    assert len(counts) == len(expected) and bool((expected > 5).all())
    freedom = len(counts) - 1
    statistic = float(((counts - expected) ** 2 / expected).sum())
    spread = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


def assert_fits(sample: torch.Tensor, distribution: Callable[[float], float]) -> None:
    assert kolmogorov(sample, distribution) < 1.95


def assert_counts(values: torch.Tensor, probabilities: Sequence[float]) -> None:
    """`values` are 0, 1, ... with these probabilities."""
    assert chi_square(torch.bincount(values.flatten(), minlength=len(probabilities)), probabilities) < 3.09


def test_the_tests_reject_a_wrong_distribution() -> None:
    """Of a low third that comes twice as often, and of a deviation that is 20% too large."""
    torch.manual_seed(0)
    with pytest.raises(AssertionError):
        assert_counts(torch.randint(4, (6400,)) % 3, [1 / 3] * 3)
    with pytest.raises(AssertionError):
        assert_fits(torch.randn(6400) * 1.2, NORMAL.cdf)


def exponential(rate: float) -> Callable[[float], float]:
    return lambda v: 1 - math.exp(-rate * v)


CONTINUOUS: dict[str, tuple[Function, Callable[[float], float]]] = {
    "rand": (lambda x: torch.rand(x.shape, dtype=x.dtype, device=x.device), lambda v: v),
    "rand_like": (torch.rand_like, lambda v: v),
    "randn": (lambda x: torch.randn(x.shape, dtype=x.dtype, device=x.device), NORMAL.cdf),
    "randn_like": (torch.randn_like, NORMAL.cdf),
    "uniform": (lambda x: torch.empty_like(x).uniform_(-1, 3), lambda v: (v + 1) / 4),
    "normal": (lambda x: torch.normal(x * 0 + 2, 3.0), lambda v: NORMAL.cdf((v - 2) / 3)),
    "normal_of_tensors": (lambda x: torch.normal(x + 2, x + 3), lambda v: NORMAL.cdf((v - 2) / 3)),
    "normal_of_deviations": (lambda x: torch.normal(2.0, x + 3), lambda v: NORMAL.cdf((v - 2) / 3)),
    "normal_of_numbers": (
        lambda x: torch.normal(2.0, 3.0, x.shape, dtype=x.dtype, device=x.device),
        lambda v: NORMAL.cdf((v - 2) / 3),
    ),
    "normal_": (lambda x: torch.empty_like(x).normal_(2, 3), lambda v: NORMAL.cdf((v - 2) / 3)),
    "exponential": (lambda x: torch.empty_like(x).exponential_(2), exponential(2)),
    "cauchy": (lambda x: torch.empty_like(x).cauchy_(1, 2), lambda v: math.atan((v - 1) / 2) / math.pi + 0.5),
    "log_normal": (lambda x: torch.empty_like(x).log_normal_(0, 1), lambda v: NORMAL.cdf(math.log(v))),
    "rrelu": (lambda x: F.rrelu(x - 1, 0.25, 0.75, training=True), lambda v: (v + 0.75) * 2),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str, dtype: torch.dtype, device: str) -> None:
    function, distribution = CONTINUOUS[name]
    sample = drawn(function, torch.zeros(64, 100, dtype=dtype, device=device))
    assert sample.dtype == dtype and bool(sample.isfinite().all())
    assert_fits(sample, distribution)


@pytest.mark.parametrize("device", DEVICES)
def test_halves_are_normal(device: str) -> None:
    assert_fits(drawn(torch.randn_like, torch.zeros(64, 100, dtype=torch.bfloat16, device=device)), NORMAL.cdf)


@pytest.mark.parametrize("bounds", [(1.0, 2.0), (-3.0, -1.0), (0.0, 3.0)], ids=str)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64], ids=str)
def test_uniform_numbers_stay_in_their_interval(dtype: torch.dtype, bounds: tuple[float, float]) -> None:
    """Low may come, high may not, though rounding would reach it; each eighth is as likely as the others."""
    low, high = bounds
    sample = drawn(lambda x: torch.empty_like(x).uniform_(low, high), torch.zeros(300, 100, dtype=dtype))
    assert sample.dtype == dtype and bool((sample >= low).all()) and bool((sample < high).all())
    if dtype != torch.bfloat16:
        assert_counts(((sample.double() - low) * (8 / (high - low))).long(), [1 / 8] * 8)


def test_rounding_up_to_the_end_of_an_interval() -> None:
    """The largest of 24 random bits is 1 - 2^-24, and 1 more than that is 2 in float32."""
    last = Draw([1], torch.device("cpu"))
    last.bits = lambda word: torch.tensor([-1], dtype=torch.int32)  # pyright: ignore[reportAttributeAccessIssue]
    for dtype in (torch.bfloat16, torch.float16, torch.float32, torch.float64):
        assert last.between(1.0, 2.0, dtype).item() < 2


@pytest.mark.parametrize("bits", [0, -1])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64], ids=str)
def test_no_draw_makes_infinity(dtype: torch.dtype, bits: int) -> None:
    """The least and the largest random bits: what divides by an exponential number divides by no zero."""
    end = Draw([1], torch.device("cpu"))
    end.bits = lambda word: torch.tensor([bits], dtype=torch.int32)  # pyright: ignore[reportAttributeAccessIssue]
    assert 0 < end.inner(0, dtype).item() < 1
    assert 0 < end.exponential(dtype).item() < 50 and bool(end.normal(dtype).isfinite())


COUNTS = [1, 2, 3, 10, 1000, 2**16, 2**31 + 1, 3 * 2**30, 2**32, 2**32 + 1, 3 * 2**40, 3 * 2**61, 2**63, 2**64 - 1]


@pytest.mark.parametrize("low", [0, -7, -(2**63)])
@pytest.mark.parametrize("count", COUNTS)
def test_integers_are_the_upper_part_of_a_product(count: int, low: int) -> None:
    """low + floor(count x), x of 32 bits for a power of two, of 64 for a count below 2^32, else of 96: to the bit."""
    high = low + count
    if high > 2**63 - 1:
        pytest.skip("is no range of int64")
    torch.manual_seed(1)
    draw = Draw([500], torch.device("cpu"))
    words = [[w & 0xFFFFFFFF for w in draw.bits(k).tolist()] for k in range(3)]
    n = 1 if 2**32 % count == 0 else 2 if count < 2**32 or 2**64 % count == 0 else 3
    numbers = (sum(w << (32 * (n - 1 - k)) for k, w in enumerate(row[:n])) for row in zip(*words, strict=True))
    assert draw.integer(low, high).tolist() == [low + ((x * count) >> (32 * n)) for x in numbers]


RANGES = [(0, 3), (1, 7), (-5, 1000), (0, 3 * 2**30), (-(2**40), 2**41), (0, 3 * 2**61), (-(2**63), 2**63 - 1)]


def assert_even(sample: torch.Tensor, low: int, high: int) -> None:
    """Each part of the range, and each remainder by 3, comes as often as it should."""
    numbers, count = [v - low for v in sample.flatten().tolist()], high - low
    assert min(numbers) >= 0 and max(numbers) < count
    parts = min(count, 12)
    starts = [-(-count * k // parts) for k in range(parts + 1)]
    found = torch.tensor([v * parts // count for v in numbers])
    assert_counts(found, [(end - start) / count for start, end in pairwise(starts)])
    remainders = [(count - 1 - r) // 3 + 1 for r in range(3)]
    assert_counts(torch.tensor([v % 3 for v in numbers]), [r / count for r in remainders])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("low, high", RANGES, ids=str)
def test_randint(low: int, high: int, device: str) -> None:
    sample = drawn(lambda x: torch.randint(low, high, x.shape, device=x.device), torch.zeros(64, 100, device=device))
    assert_even(sample, low, high)


@pytest.mark.parametrize("device", DEVICES)
def test_randint_of_numbers_not_known(device: str) -> None:
    """The bounds are arguments of the function, or the size of another input; one function draws for all."""
    x, modules = torch.zeros(64, 100, device=device), list[ModuleOp]()
    run = compiled(lambda x, low, high: torch.randint(low, high, x.shape, device=x.device), modules, dynamic=True)
    torch._dynamo.reset()
    torch.manual_seed(2)
    for low, high in RANGES[:-1]:
        assert_even(run(x, low, high).cpu(), low, high)
    below = compiled(lambda x, y: torch.randint(y.shape[0], x.shape, device=x.device), modules, dynamic=True)
    for n in (5, 6, 7):
        assert_even(below(x, torch.zeros(n, device=device)).cpu(), 0, n)


DISCRETE: dict[str, tuple[Function, list[float]]] = {
    "bernoulli": (lambda x: torch.bernoulli(x + 0.2), [0.8, 0.2]),
    "bernoulli_p": (lambda x: torch.empty_like(x).bernoulli_(0.3), [0.7, 0.3]),
    "bernoulli_of_tensor": (lambda x: torch.empty_like(x).bernoulli_(x + 0.9), [0.1, 0.9]),
    "dropout": (lambda x: (F.dropout(x + 1, 0.3) != 0), [0.3, 0.7]),
    "alpha_dropout": (lambda x: F.alpha_dropout(x + 3, 0.4, training=True) > 0, [0.4, 0.6]),
    "randint_like": (lambda x: torch.randint_like(x, 5), [0.2] * 5),
    "randint_like_low": (lambda x: torch.randint_like(x, -1, 5) + 1, [1 / 6] * 6),
    
    "geometric": (lambda x: torch.empty_like(x).geometric_(0.4).clamp(max=8) - 1,
                  [*(0.4 * 0.6**k for k in range(7)), 0.6**7]),
}  # fmt: skip


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name: str, device: str) -> None:
    function, probabilities = DISCRETE[name]
    assert_counts(drawn(function, torch.zeros(64, 100, device=device)).long(), probabilities)


def test_feature_dropout_drops_whole_planes() -> None:
    sample = drawn(lambda x: F.dropout2d(x + 1, 0.3), torch.zeros(40, 40, 2, 3)).flatten(2)
    assert bool((sample == sample[..., :1]).all())
    assert_counts((sample[..., 0] != 0).long(), [0.3, 0.7])


@pytest.mark.parametrize("device", DEVICES)
def test_permutations(device: str) -> None:
    """PyTorch's own kernel draws them."""
    torch.manual_seed(0)
    run = compiled(lambda x: torch.randperm(4, device=x.device))
    orders = torch.stack([run(torch.zeros(1, device=device)).cpu() for _ in range(600)])
    assert bool((orders.sort(1).values == torch.arange(4)).all())
    assert_counts(orders[:, 0] * 4 + orders[:, 1] - (orders[:, 1] > orders[:, 0]).long() - orders[:, 0], [1 / 12] * 12)
