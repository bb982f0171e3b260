"""Products of matrices by generated kernels: the numbers of float64, one kernel with all that is fused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.context import Context

from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to, steps_to
from mlc_dialects.loop.dialect import KernelOp
from passes.common.device import device_named
from passes.common.product_tiling import Blocks
from passes.loop.analysis.contraction import contraction_of
from passes.loop.schedule.tile_products import TileProductsPass
from tests.unit.generated_kernels import ARCHITECTURES, DEVICES, ahead_of_time, compiled


@dataclass(frozen=True)
class Case:
    """A function of x [m, k], w [k, n], v [k, n], its transpose [n, k], a bias [n] and a residual [m, n]."""

    function: Callable[..., Any]
    kernels: int = 1
    dots: int = 1


CASES = {
    "bare": Case(lambda x, w, v, t, b, r: x @ w),
    "transposed weight": Case(lambda x, w, v, t, b, r: x @ t.t()),
    "transposed input": Case(lambda x, w, v, t, b, r: w.t() @ x.t()),
    "linear, gelu": Case(lambda x, w, v, t, b, r: F.gelu(F.linear(x, t, b))),
    "residual": Case(lambda x, w, v, t, b, r: torch.relu(x @ w) + r),
    "gates": Case(lambda x, w, v, t, b, r: F.silu(x @ w) * (x @ v), dots=2),
    "activation before": Case(lambda x, w, v, t, b, r: F.silu(x) @ w),
    "both factors computed": Case(lambda x, w, v, t, b, r: (x * 2.0) @ (w * b)),
    "sliced": Case(lambda x, w, v, t, b, r: x[:, 1:] @ w[1:]),
    "weights of 8 bits": Case(lambda x, w, v, t, b, r: x @ (w.clamp(-1, 1) * 8).to(torch.int8).to(x.dtype)),
    "another order": Case(lambda x, w, v, t, b, r: (x @ w).t().contiguous(), kernels=2),
    "row sums behind": Case(lambda x, w, v, t, b, r: (x @ w).sum(-1)),
    "two layers": Case(lambda x, w, v, t, b, r: torch.relu(x @ w) @ t, dots=2),
}


def inputs(device: str, dtype: torch.dtype, m: int, k: int, n: int) -> list[Tensor]:
    torch.manual_seed(0)
    shapes = ((m, k), (k, n), (k, n), (n, k), (n,), (m, n))
    scales = (1.0, k**-0.5, k**-0.5, k**-0.5, 1.0, 1.0)
    return [(torch.randn(shape, device=device) * s).to(dtype) for shape, s in zip(shapes, scales, strict=True)]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("sizes", [(64, 64, 64), (50, 70, 90), (2, 70, 40)], ids=str)
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_numbers(name: str, where: tuple[str, str | None], sizes: tuple[int, int, int]) -> None:
    device, cpu = where
    case, given = CASES[name], inputs(device, torch.bfloat16, *sizes)
    sources: list[str] = []
    found = compiled(case.function, sources, cpu=cpu)(*given)
    eager = case.function(*given)
    assert (found.shape, found.dtype, found.stride()) == (eager.shape, eager.dtype, eager.stride())
    (source,) = sources
    assert "ops.aten" not in source
    assert (source.count("@triton.jit"), source.count("tl.dot(")) == (case.kernels, case.dots)
    exact = case.function(*(x.double() for x in given))
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, eager))
    assert error <= 1.5 * allowed + 1e-3


@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", ["bare", "transposed weight", "linear, gelu", "residual", "gates"])
def test_few_columns(name: str, where: tuple[str, str | None]) -> None:
    """As those that give tokens to experts: of a block most columns are none."""
    device, cpu = where
    given, sources = inputs(device, torch.bfloat16, 40, 70, 3), list[str]()
    found = compiled(CASES[name].function, sources, cpu=cpu)(*given)
    assert sources[0].count("tl.dot(") == CASES[name].dots and "ops.aten" not in sources[0]
    torch.testing.assert_close(found, CASES[name].function(*given), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("where", DEVICES)
def test_half_precision(where: tuple[str, str | None]) -> None:
    device, cpu = where
    x, w, *_ = inputs(device, torch.float16, 33, 40, 48)
    torch.testing.assert_close(compiled(torch.matmul, [], cpu=cpu)(x, w), x @ w, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("where", DEVICES)
def test_what_is_beyond_the_end_counts_nothing(where: tuple[str, str | None]) -> None:
    """k is no multiple of a block: neither factor's neighbours in memory are multiplied, NaN among them."""
    device, cpu = where
    wide = torch.full((40, 80), torch.nan, device=device, dtype=torch.bfloat16)
    wide[:, :50] = 1.0
    tall = torch.full((80, 48), torch.inf, device=device, dtype=torch.bfloat16)
    tall[:50] = 0.5
    found = compiled(torch.matmul, [], cpu=cpu)(wide[:, :50], tall[:50])
    assert found.unique().tolist() == [25.0]


@pytest.mark.parametrize("where", DEVICES)
def test_infinities_and_nan(where: tuple[str, str | None]) -> None:
    device, cpu = where
    x, w, *_ = inputs(device, torch.bfloat16, 32, 32, 32)
    x[1, 2], x[3, 4], w[5, 6] = torch.inf, torch.nan, -torch.inf
    found, eager = compiled(torch.matmul, [], cpu=cpu)(x, w), x @ w
    assert torch.equal(found.isnan(), eager.isnan()) and torch.equal(found.isinf(), eager.isinf())


@pytest.mark.parametrize(
    "dtype, m, n", [(torch.float32, 64, 64), (torch.bfloat16, 8, 8), (torch.bfloat16, 64, 1), (torch.int32, 64, 64)]
)
def test_what_stays_with_the_library(dtype: torch.dtype, m: int, n: int) -> None:
    sources: list[str] = []
    x, w = torch.ones(m, 64, dtype=dtype), torch.ones(64, n, dtype=dtype)
    assert torch.equal(compiled(torch.matmul, sources, cpu="interpret")(x, w), x @ w)
    assert "tl.dot(" not in sources[0]


BATCHES: dict[str, Callable[..., Any]] = {
    "bare": lambda x, w, b: x @ w,
    "transposed": lambda x, w, b: w.mT @ x.mT,
    "two dimensions": lambda x, w, b: x.unflatten(0, (3, 2)) @ w.unflatten(0, (3, 2)),
    "heads between rows": lambda x, w, b: x.transpose(0, 1).contiguous().transpose(0, 1) @ w,
    "results between rows": lambda x, w, b: (x @ w).transpose(0, 1).contiguous(),
    "one factor for all": lambda x, w, b: x @ w[:1],
    "one factor for some": lambda x, w, b: x.unflatten(0, (3, 2)) @ w.unflatten(0, (3, 2))[:, :1],
    "gelu": lambda x, w, b: F.gelu(torch.baddbmm(b[:, None], x, w)),
    "gates": lambda x, w, b: F.silu(x @ w) * (x @ w.flip(0)),
    "residual": lambda x, w, b: torch.relu(x @ w) + b[:, None],
    "cast before": lambda x, w, b: x.float().mul(2).to(x.dtype) @ w,
    "row sums behind": lambda x, w, b: (x @ w).sum(-1),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("sizes", [(64, 64, 64), (50, 70, 90)], ids=str)
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", BATCHES)
def test_batches(name: str, where: tuple[str, str | None], sizes: tuple[int, int, int]) -> None:
    (device, cpu), (m, k, n), function = where, sizes, BATCHES[name]
    torch.manual_seed(1)
    shapes = ((6, m, k), (6, k, n), (6, n))
    given = [torch.randn(shape, device=device).bfloat16() for shape in shapes]
    sources: list[str] = []
    found, eager = compiled(function, sources, cpu=cpu)(*given), function(*given)
    assert (found.shape, found.dtype, found.stride()) == (eager.shape, eager.dtype, eager.stride())
    assert "ops.aten" not in sources[0] and "tl.dot(" in sources[0]
    exact = function(*(x.double() for x in given))
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, eager))
    assert error <= 1.5 * allowed + 1e-3


@pytest.mark.parametrize("where", DEVICES)
def test_no_batch_is_no_product(where: tuple[str, str | None]) -> None:
    device, cpu = where
    x = torch.ones(0, 32, 32, device=device).bfloat16()
    assert compiled(torch.bmm, [], cpu=cpu)(x, x).shape == (0, 32, 32)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("batch, m, k, n", [(96, 197, 64, 197), (8, 4096, 1024, 3584), (65, 1000, 80, 72)])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_batches_spill_no_register(batch: int, m: int, k: int, n: int, device: str, capability: int) -> None:
    shapes = [((batch, m, k), torch.bfloat16), ((batch, k, n), torch.bfloat16)]
    source, kernels = ahead_of_time(lambda x, w: F.silu(x @ w), shapes, device, capability)
    assert "tl.dot(" in source and all(used.spill_bytes == 0 for used in kernels)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rows, columns", [(256, 50257), (16384, 30522), (16384, 50304)])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_no_register_is_spilled(device: str, capability: int, rows: int, columns: int) -> None:
    """Nor where rows of the result begin anywhere, so that a lane stores one element, or two, at a time."""
    shapes = [((rows, 768), torch.bfloat16), ((columns, 768), torch.bfloat16)]
    _, (used,) = ahead_of_time(lambda x, w: x @ w.t(), shapes, device, capability)
    assert (used.spill_bytes, used.stack_bytes) == (0, 0)


@pytest.mark.parametrize("function", [torch.ops.aten.gelu_backward, lambda a, x: a * torch.tanh(x.float())])
@pytest.mark.parametrize("m, k, n", [(12544, 384, 1536), (8192, 768, 3072)])
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_what_is_computed_beside_a_sum_has_registers(
    function: Callable[..., Any], m: int, k: int, n: int, device: str, capability: int
) -> None:
    """A derivative is computed of what is loaded for all sums of a lane, and waits for them."""
    shapes = [((m, k), torch.bfloat16), ((k, n), torch.bfloat16), ((m, n), torch.bfloat16)]
    source, (used,) = ahead_of_time(lambda a, w, x: function(a @ w, x), shapes, device, capability)
    assert "tl.dot(" in source and used.spill_bytes == 0


PROLOGUES: dict[str, Callable[..., Any]] = {
    "two parts of rows": lambda x, y, z, w: torch.cat((x, y), 1) @ w,
    "three parts of rows": lambda x, y, z, w: torch.cat((x, y, z, x), 1)[:, : w.shape[0]] @ w,
    "sum": lambda x, y, z, w: (x + y * z) @ w[: x.shape[1]],
    "cast": lambda x, y, z, w: x.float().mul(2).bfloat16() @ w[: x.shape[1]],
    "wide part": lambda x, y, z, w: (x + y.float()).bfloat16() @ w[: x.shape[1]],
    "both": lambda x, y, z, w: torch.relu(x) @ torch.relu(w[: x.shape[1]]),
    "two products": lambda x, y, z, w: (x + y) @ w[: x.shape[1]] + torch.relu((x + z) @ w[: x.shape[1]]),
}
"""Of x, y, z [m, k] and w [2 k, n]: factors that are computed of what several loads give."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("columns", [256, 1024])
@pytest.mark.parametrize("name", PROLOGUES)
@pytest.mark.parametrize("device, capability", ARCHITECTURES)
def test_shared_memory_holds_all_parts_of_factors(name: str, device: str, capability: int, columns: int) -> None:
    """Every load of a step waits there, the several parts of a factor beside each other."""
    shapes = [*[((16384, 512), torch.bfloat16)] * 3, ((1024, columns), torch.bfloat16)]
    source, used = ahead_of_time(PROLOGUES[name], shapes, device, capability)
    assert "tl.dot(" in source
    assert all(u.shared_bytes <= device_named(device).shared_per_block and u.spill_bytes == 0 for u in used)


@pytest.mark.parametrize(
    "prologue, rows",
    [
        (lambda x, y, s, t: x, Blocks(2)),
        (lambda x, y, s, t: torch.relu(x), Blocks(0, 2, 2)),
        (lambda x, y, s, t: x + y, Blocks(0, 4, 2)),
        (lambda x, y, s, t: (torch.cat((x, y), 1)[:, 256:768] * s[:, None] * t).bfloat16(), Blocks(0, 4, 2)),
    ],
)
def test_only_blocks_wait_in_shared_memory(prologue: Callable[..., Any], rows: Blocks) -> None:
    """A scale of each row, or of each summed element, is no block."""
    shapes = [((16384, 512), torch.bfloat16)] * 2 + [((16384,), torch.float32), ((512,), torch.float32)]
    with FakeTensorMode():
        given = [torch.empty(shape, dtype=dtype) for shape, dtype in [*shapes, ((512, 16), torch.bfloat16)]]
        module = import_callable(lambda x, y, s, t, w: prologue(x, y, s, t) @ w, given).module
    for step in steps_to("loop", CompilerOptions(products="generated", device="h200")):
        if step.name == TileProductsPass.name:
            break
        step.apply(Context(), module)
    (found,) = [c for op in module.ops if isinstance(op, KernelOp) and (c := contraction_of(op)) is not None]
    assert found.sizes.waiting == (rows, Blocks(2))


def test_gradients() -> None:
    torch.manual_seed(0)
    x, w = (torch.randn(48, 48, dtype=torch.bfloat16, requires_grad=True) for _ in range(2))
    function = lambda x, w: torch.relu(x @ w).float().sum()  # noqa: E731
    compiled(function, [], cpu="interpret")(x, w).backward()
    found = [x.grad, w.grad]
    x.grad = w.grad = None
    function(x, w).backward()
    for mine, wanted in zip(found, [x.grad, w.grad], strict=True):
        torch.testing.assert_close(mine, wanted, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("n", [4096, 2048])
def test_what_stands_before_large_products_is_computed_once(n: int) -> None:
    """Also where there are as many columns as are summed, so that x has as many elements as the result."""
    with FakeTensorMode():
        x, w = torch.empty(8192, 4096, dtype=torch.bfloat16), torch.empty(4096, n, dtype=torch.bfloat16)
        module = import_callable(lambda x, w: torch.relu(F.gelu(x) @ w), (x, w)).module
    text = str(lower_to(module, "fused", CompilerOptions(products="generated", device="h200")))
    assert text.count("mlc_tensor.fusion") == 2


def test_a_product_and_what_follows_are_one_kernel_where_that_is_quicker() -> None:
    """Few columns: the library's result would be written and read again. Of a large product the library is quicker."""

    def kernels(m: int, k: int, n: int) -> tuple[int, int]:
        with FakeTensorMode():
            x, w, b = (torch.empty(s, dtype=torch.bfloat16) for s in ((m, k), (n, k), (n,)))
            module = import_callable(lambda x, w, b: F.gelu(F.linear(x, w, b)), (x, w, b)).module
        text = str(lower_to(module, "fused", CompilerOptions(device="h200")))
        return text.count("mlc_tensor.fusion"), text.count("aten.addmm")

    assert kernels(24385, 128, 64) == (1, 0)
    assert kernels(8192, 4096, 16384) == (1, 1)
