"""8-bit floats: bit for bit as eager casts and moves them, on every path of compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from lowering.fx_to_tensor import call
from tests.unit.generated_kernels import ARCHITECTURES, adds_parts, ahead_of_time, compiled

E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
FORMATS = (E4M3, E5M2)
PATHS = {
    "instructions": ("cpu", {"cpu": "interpret", "device": "h200"}),
    "arithmetic": ("cpu", {"cpu": "interpret", "device": "a100"}),
    "llvm": ("cpu", {}),
    "gpu": ("cuda", {}),
    "gpu, arithmetic": ("cuda", {"device": "a100"}),
}
"""Where tensors lie, and the options that casts are compiled with."""
EDGES = (
    0.0, -0.0, float("inf"), -float("inf"), float("nan"), 447.0, 448.0, 463.9, 464.0, 464.1, 465.0, 480.0, 1e9,
    57344.0, 61439.0, 61439.996, 61440.0, 61441.0, 65504.0, 3.4e38, 2**-6, 2**-7, 2**-9, 2**-10, 2**-10 + 2**-33,
    3 * 2**-10, 2**-14, 2**-16, 2**-17, 2**-17 + 2**-40, 1e-30, 1e-44, 1.0625, 1.0625 + 2**-23, 1.125, 1.1875,
)  # fmt: skip


@pytest.fixture(params=[pytest.param(n, marks=pytest.mark.gpu if n.startswith("gpu") else ()) for n in PATHS])
def path(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """A device and options."""
    return PATHS[request.param]


def same(found: torch.Tensor, wanted: torch.Tensor) -> None:
    """Every bit, any NaN being one."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.stride() == wanted.stride() or not wanted.numel()
    if not wanted.is_floating_point():
        assert torch.equal(found, wanted)
        return
    found, wanted = found.double(), wanted.double()
    assert torch.equal(found.isnan(), wanted.isnan())
    known = ~wanted.isnan()
    assert torch.equal(found[known].view(torch.int64), wanted[known].view(torch.int64))


def check(function: Callable[..., Any], *inputs: Any, path: tuple[str, dict[str, Any]], calls: int = 0) -> str:
    """`function` compiled gives what it gives eagerly; the source."""
    device, options = path
    given, sources = [x.to(device) for x in inputs], list[str]()
    same(compiled(function, sources, **options)(*given), function(*given))
    assert "".join(sources).count("torch.ops.aten") == calls
    return "".join(sources)


def all_bytes(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(256).to(torch.uint8).view(dtype)


def all_halves(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(65536, dtype=torch.int32).to(torch.int16).view(dtype)


def edges(dtype: torch.dtype) -> torch.Tensor:
    positive = torch.tensor(EDGES, dtype=torch.float64)
    return torch.cat([positive, -positive]).to(dtype)


@pytest.mark.parametrize("source", FORMATS)
def test_every_byte_widens_exactly(source: torch.dtype, path: Any) -> None:
    floats = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
    for target in (*floats, torch.bool, E5M2 if source == E4M3 else E4M3):
        check(lambda x, target=target: x.to(target), all_bytes(source), path=path)
    finite = all_bytes(source)[all_bytes(source).float().abs() < 100]
    for target in (torch.int8, torch.int32, torch.int64):
        check(lambda x, target=target: x.to(target), finite, path=path)


@pytest.mark.parametrize("target", FORMATS)
def test_every_half_narrows_as_in_eager(target: torch.dtype, path: Any) -> None:
    for source in (torch.bfloat16, torch.float16):
        check(lambda x: x.to(target), all_halves(source), path=path)


@pytest.mark.parametrize("target", FORMATS)
def test_edges_and_any_bits_narrow_as_in_eager(target: torch.dtype, path: Any) -> None:
    bits = torch.randint(-(2**31), 2**31, (50000,), generator=torch.Generator().manual_seed(0)).to(torch.int32)
    check(lambda x: x.to(target), torch.cat([edges(torch.float32), bits.view(torch.float32)]), path=path)
    check(lambda x: x.to(target), torch.cat([edges(torch.float64), bits.double() / 2**22]), path=path)


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", [torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64])
def test_integers_narrow_as_in_eager(source: torch.dtype, target: torch.dtype, path: Any) -> None:
    numbers = torch.tensor([0, 1, 2, 17, 25, 100, 127, -1, -17, 200, 464, 465, 1000, 61439, 61440, 2**30 + 1])
    check(lambda x: x.to(target), numbers.to(source), path=path)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (5, 7)])
def test_shapes_and_layouts(shape: tuple[int, ...], path: Any) -> None:
    x = torch.randn(shape)
    check(lambda x: x.to(E4M3), x, path=path)
    check(lambda x: x.float() * 2, x.to(E4M3), path=path)
    if x.ndim == 2:
        check(lambda x: x.t().to(E4M3), x, path=path)
        check(lambda x: (x.t()[1:, ::2].float() + 1).contiguous(), x.to(E5M2), path=path)


def _moved(x: torch.Tensor) -> torch.Tensor:
    y = torch.cat([x, x.flip(0)])
    return torch.nn.functional.pad(y, (1, 2), value=2.5)


MOVES: dict[str, Callable[..., torch.Tensor]] = {
    "cat, flip, pad": _moved,
    "transposed copy": lambda x: x.t().contiguous(),
    "where": lambda x: torch.where(x.float() > 0, x, x.t().reshape(x.shape)),
    "where of a number": lambda x: torch.where(x.float() > 0, x, torch.full_like(x, -1.1)),
    "index": lambda x: x[torch.tensor([2, 0, 2], device=x.device)],
    "index_select": lambda x: x.index_select(1, torch.tensor([2, 0], device=x.device)),
    "embedding": lambda x: torch.nn.functional.embedding(torch.tensor([2, 0, 2], device=x.device), x),
    "index_put": lambda x: x.clone().index_put_((torch.tensor([2, 0], device=x.device),), x[:2]),
    "slice_scatter": lambda x: torch.slice_scatter(x, x[:2], 0, 1, 3),
    "select_scatter": lambda x: torch.select_scatter(x, x[0], 0, 1),
    "repeat": lambda x: x.repeat(2, 2),
    "expand": lambda x: x[:1].expand(4, 6).clone(),
    "stack": lambda x: torch.stack([x, x]),
    "full": lambda x: torch.full((3,), 1.1, dtype=x.dtype, device=x.device),
    "zeros": lambda x: torch.zeros_like(x),
    "fill": lambda x: x.clone().fill_(1.2),
    "copy": lambda x: torch.zeros_like(x).copy_(x.float() * 2),
    "any": lambda x: (x.to(torch.bool)).any(0),
}


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", MOVES)
def test_kernels_move_and_choose(name: str, dtype: torch.dtype, path: Any) -> None:
    check(MOVES[name], (torch.randn(4, 6) * 100).to(dtype), path=path)


CALLS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "mul": lambda x: x * x,
    "abs": lambda x: x.abs(),
    "eq": lambda x: x == x.flip(0),
    "isnan": lambda x: x.isnan(),
    "sum of float32": lambda x: x.sum(dtype=torch.float32),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_eager_computes_besides_stays_a_call(name: str) -> None:
    check(CALLS[name], (torch.randn(4, 6) * 100).to(E4M3), path=PATHS["instructions"], calls=1)


REFUSED: dict[str, Callable[[torch.Tensor], Any]] = {
    "add": lambda x: x + x,
    "neg": lambda x: -x,
    "lt": lambda x: x < x,
    "sum": lambda x: x.sum(),
    "amax": lambda x: x.amax(0),
    "relu": lambda x: x.relu(),
    "clamp": lambda x: x.clamp(-1, 1),
    "logical_not": lambda x: x.logical_not(),
    "gather": lambda x: x.gather(0, torch.zeros(1, 6, dtype=torch.long)),
    "sort": lambda x: x.sort()[0],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_eager_refuses_is_refused(name: str) -> None:
    x = torch.randn(4, 6).to(E4M3)
    for function in (REFUSED[name], compiled(REFUSED[name], [], cpu="interpret")):
        with pytest.raises(Exception):  # noqa: B017
            function(x)


def test_numbers_beyond_the_largest_are_nan_as_in_older_pytorch(monkeypatch: pytest.MonkeyPatch, path: Any) -> None:
    monkeypatch.setattr(call, "SATURATES", False)
    device, options = path
    x = edges(torch.float32).to(device)
    found = compiled(lambda x: x.to(E4M3), [], **options)(x).float()
    assert torch.equal(found.isnan(), ~(x.abs() <= 464))
    same(found[~found.isnan()], x[x.abs() <= 464].to(E4M3).float())


# What this is for.


def quantised_norm(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = x.float() * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6) * w
    s = h.abs().amax(-1, keepdim=True) / 448
    return (h / s).clamp(-448, 448).to(E4M3), s


def quantised_product(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    h = torch.nn.functional.silu(x.float()) * y
    s = h.abs().amax(-1, keepdim=True) / 448
    return (h / s).clamp(-448, 448).to(E4M3), s


def scaled_product(x: torch.Tensor, w: torch.Tensor, s: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    h = torch.relu(x).float()
    scale = h.abs().amax() / 448
    q = (h / scale).clamp(-448, 448).to(E4M3)
    return torch.tanh(torch.ops.aten._scaled_mm(q, w.t(), scale_a=scale, scale_b=s, out_dtype=torch.bfloat16)) + r


def unpacked(x: torch.Tensor, w: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.linear(x, w.to(x.dtype) * s[:, None])


BF16 = torch.bfloat16
ROWS = ((512, 4096), BF16)


def neighbours(found: torch.Tensor, wanted: torch.Tensor) -> None:
    """Bytes that are equal, but for a few next to each other: sums and exponentials differ in their last bits."""
    codes = [torch.where(b < 128, b, 128 - b) for b in (t.view(torch.uint8).to(torch.int16) for t in (found, wanted))]
    distance = (codes[0] - codes[1]).abs()
    assert distance.max() <= 1 and distance.float().mean() < 2e-3


@pytest.mark.parametrize("function", [quantised_norm, quantised_product])
def test_dynamic_quantisation_is_one_kernel(function: Callable[..., Any], path: Any) -> None:
    device, options = path
    x, other = torch.randn(48, 256, device=device), torch.rand(256, device=device) + 0.5
    sources: list[str] = []
    (found, scale), (wanted, scales) = compiled(function, sources, **options)(x, other), function(x, other)
    assert_close(scale, scales, rtol=1e-5, atol=0)
    neighbours(found, wanted)
    assert "@triton.jit" not in sources[0] or sources[0].count("@triton.jit") == 1


def test_the_library_multiplies_what_one_kernel_quantised(path: Any) -> None:
    """Everything before and behind the call is fused; on GPUs from sm_89 on."""
    device, options = path
    x, r = torch.randn(32, 64, device=device).to(BF16), torch.randn(32, 48, device=device).to(BF16)
    w, s = torch.randn(48, 64, device=device).to(E4M3), torch.tensor(0.1, device=device)
    sources: list[str] = []
    found = compiled(scaled_product, sources, **options)(x, w, s, r)
    assert_close(found, scaled_product(x, w, s, r), rtol=2e-2, atol=2e-2)
    assert sources[0].count("_scaled_mm") >= 1 and "to_copy" not in sources[0].split("@triton.jit")[-1]


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("rows", [1, 16, 48])
def test_packed_weights_are_unpacked_where_they_are_multiplied(rows: int, dtype: torch.dtype, path: Any) -> None:
    device, options = path
    x, s = torch.randn(rows, 256, device=device).to(BF16), torch.rand(64, device=device).to(BF16)
    w = (torch.randn(64, 256, device=device) * 4).to(dtype)
    found = compiled(unpacked, [], **options)(x, w, s)
    assert_close(found, unpacked(x, w, s), rtol=2e-2, atol=1e-1)


@pytest.mark.parametrize(("device", "capability"), [*ARCHITECTURES, ("rtx4090", 89)])
@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (quantised_norm, [ROWS, ((4096,), BF16)]),
        (quantised_product, [ROWS, ROWS]),
        (unpacked, [((1, 4096), BF16), ((4096, 4096), E4M3), ((4096,), BF16)]),
        (unpacked, [((16, 4096), BF16), ((4096, 4096), E4M3), ((4096,), BF16)]),
        (unpacked, [((64, 4096), BF16), ((4096, 4096), E5M2), ((4096,), BF16)]),
        (lambda x: x.t().to(E5M2), [ROWS]),
        (lambda x: torch.where(x.float() > 0, x, x.t().reshape(x.shape)), [((512, 4096), E4M3)]),
    ],
)
def test_one_kernel_compiles_for_every_architecture(
    function: Callable[..., Any], shapes: Any, device: str, capability: int
) -> None:
    """Before sm_89 Triton refuses even pointers to f8E4M3FN. Parts of long sums are added up by one more."""
    source, resources = ahead_of_time(function, shapes, device, capability)
    assert len(resources) == 1 + adds_parts(source) and not any(used.spill_bytes for used in resources)
    assert ("float8e4nv" in source) == (capability >= 89 and ".to(tl.float8e4nv" in source)
