"""Factors of products loaded by tensor descriptors, in a persistent loop over blocks of the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import export
from xdsl.ir import SSAValue

import mlc_runtime
from lowering.fx_to_tensor import import_callable
from mlc_compiler.ahead.folder import compile_folder
from mlc_compiler.kernels.programs import SWITCH
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.dialect import KernelOp, LoadOp
from mlc_dialects.loop.matrices import Matrix, matrix_of
from mlc_runtime import cubins
from mlc_runtime.descriptors import ALIGNMENT, aligned_buffers
from mlc_runtime.folder import MANIFEST
from mlc_runtime.manifest import KernelEntry
from mlc_support.index_expr import IndexExpr
from passes.common.device import DEVICES as GPUS
from passes.common.device import Device
from passes.common.product_tiling import ProductTiling, Sizes, best_tiling, blocks_of_group
from passes.loop.schedule import tile_products
from tests.unit.generated_kernels import DEVICES, ahead_of_time, compiled

BF16, F16 = torch.bfloat16, torch.float16
MAKES = "tl.make_tensor_descriptor("


@pytest.fixture(params=[32, 64])
def forced(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Descriptors wherever they can be, in small blocks: factors are oblong, or square."""

    def tiling(sizes: Sizes, device: Device) -> ProductTiling | None:
        if not sizes.described:
            return best_tiling(sizes, device)
        return ProductTiling(64, 64, request.param, 4, 3, blocks_of_group(sizes.m, 64), descriptors=True)

    monkeypatch.setattr(tile_products, "best_tiling", tiling)
    monkeypatch.setenv(SWITCH, "0")


def random(*shape: int, device: str, dtype: torch.dtype = BF16) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(device, dtype)


CASES: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "rows by rows": (lambda x, w: x @ w.t(), ((130, 200), (72, 200))),
    "rows by columns": (lambda x, w: x @ w, ((64, 96), (96, 128))),
    "columns by rows": (lambda x, w: x.t() @ w.t(), ((200, 136), (72, 200))),
    "columns by columns": (lambda x, w: x.t() @ w, ((200, 136), (200, 72))),
    "several axes of rows": (lambda x, w: x @ w, ((3, 50, 200), (200, 72))),
    "a part of wider rows": (lambda x, w: x[:, 8:208] @ w.t(), ((130, 400), (72, 200))),
    "rows further down": (lambda x, w: x[30:] @ w.t(), ((130, 200), (72, 200))),
    "what follows": (lambda x, w, b, r: F.gelu(F.linear(x, w, b)) + r, ((130, 200), (72, 200), (72,), (130, 72))),
    "a result of odd rows": (lambda x, w: x @ w.t(), ((70, 96), (77, 96))),
    "gates": (lambda x, w, v: F.silu(x @ w.t()) * (x @ v.t()), ((130, 200), (72, 200), (72, 200))),
    "more blocks than programs": (lambda x, w: x @ w.t(), ((1100, 72), (1000, 72))),
}


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("where", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_numbers(name: str, where: tuple[str, str | None]) -> None:
    (device, cpu), (function, shapes) = where, CASES[name]
    given = [random(*shape, device=device) for shape in shapes]
    sources: list[str] = []
    found = compiled(function, sources, cpu=cpu)(*given)
    eager, exact = function(*given), function(*(x.double() for x in given))
    (source,) = sources
    assert source.count(MAKES) == source.count("tl.dot(") + 1 and "flatten=True" in source
    error, allowed = ((y.double() - exact).abs().max().item() for y in (found, eager))
    assert error <= 1.5 * allowed + 1e-3


@pytest.mark.parametrize("where", DEVICES)
def test_the_more_is_computed_beside_a_product_the_narrower_are_slices(
    where: tuple[str, str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    device, cpu = where
    tiling = ProductTiling(128, 128, 32, 4, 3, descriptors=True)
    monkeypatch.setattr(tile_products, "best_tiling", lambda sizes, device: tiling)
    monkeypatch.setenv(SWITCH, "0")
    given = [random(*shape, device=device) for shape in ((130, 72), (136, 72), (130, 136), (130, 136))]
    for count, function in (
        (1, lambda x, w, r, q: x @ w.t() + r + q),
        (1, lambda x, w, r, q: x @ w.t() * torch.tanh(r)),
        (3, lambda x, w, r, q: x @ w.t() * torch.tanh(r.float()) * torch.sigmoid(q.float())),
    ):
        sources: list[str] = []
        found, exact = compiled(function, sources, cpu=cpu)(*given), function(*(x.double() for x in given))
        assert sources[0].count("lib.halves(") == count
        error, allowed = ((y.double() - exact).abs().max().item() for y in (found, function(*given)))
        assert error <= 1.5 * allowed + 1e-3


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("where", DEVICES)
def test_what_is_beyond_the_ends_counts_nothing(where: tuple[str, str | None]) -> None:
    device, cpu = where
    wide = torch.full((120, 96), torch.nan, device=device, dtype=BF16)
    wide[:100, :72] = 1.0
    tall = torch.full((90, 80), torch.inf, device=device, dtype=BF16)
    tall[:72, :48] = 0.5
    sources: list[str] = []
    found = compiled(torch.matmul, sources, cpu=cpu)(wide[:100, :72], tall[:72, :48])
    assert MAKES in sources[0] and found.unique().tolist() == [36.0]


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("where", DEVICES)
def test_infinities_and_nan(where: tuple[str, str | None]) -> None:
    device, cpu = where
    x, w = random(64, 72, device=device, dtype=F16), random(72, 64, device=device, dtype=F16)
    x[1, 2], x[3, 4], w[5, 6] = torch.inf, torch.nan, -torch.inf
    sources: list[str] = []
    found, eager = compiled(torch.matmul, sources, cpu=cpu)(x, w), x @ w
    assert MAKES in sources[0]
    assert torch.equal(found.isnan(), eager.isnan()) and torch.equal(found.isinf(), eager.isinf())


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("where", DEVICES)
def test_tensors_that_begin_anywhere(where: tuple[str, str | None]) -> None:
    """Descriptors need multiples of 16 bytes: the compiled function is called with others, and again with such."""
    device, cpu = where
    w, sources = random(72, 80, device=device), list[str]()
    function = compiled(lambda x, w: x @ w.t(), sources, cpu=cpu)
    for first in (0, 3, 8, 1, 0):
        x = random(70 * 80 + 8, device=device)[first : first + 70 * 80].view(70, 80)
        torch.testing.assert_close(function(x, w), x @ w.t(), rtol=2e-2, atol=0.1)
    assert len(sources) == 1 and MAKES in sources[0]


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: x[:, 1:65] @ w[:64],  # begins between multiples of 16 bytes
        lambda x, w: x[:, ::2] @ w[:64],  # no neighbours along either axis
        lambda x, w: torch.relu(x) @ w,  # computed where it is multiplied
        lambda x, w: x[:64, :64].as_strided((60, 8), (1, 1)).float().bfloat16() @ w[:8],  # rows overlap
        lambda x, w: x.float() @ w.float(),
    ],
)
def test_what_no_descriptor_tells(function: Callable[..., Tensor]) -> None:
    x, w = random(64, 128, device="cpu"), random(128, 64, device="cpu")
    sources: list[str] = []
    torch.testing.assert_close(compiled(function, sources, cpu="interpret")(x, w), function(x, w), rtol=2e-2, atol=0.2)
    assert MAKES not in sources[0]


@pytest.mark.parametrize("rows, columns, depth", [(8192, 4096, 4096), (16384, 50257, 768), (16384, 30522, 768)])
def test_large_products_are_loaded_by_the_copy_engine(rows: int, columns: int, depth: int) -> None:
    """In a grid no larger than runs at once, and without a spill, also where rows of the result begin anywhere."""
    shapes = [((rows, depth), BF16), ((columns, depth), BF16)]
    source, (used,) = ahead_of_time(lambda x, w: x @ w.t(), shapes, "h200", 90)
    assert source.count(MAKES) == 2 and (used.spill_bytes, used.stack_bytes) == (0, 0)
    assert used.shared_bytes <= GPUS["h200"].shared_per_block
    source, _ = ahead_of_time(lambda x, w: x @ w.t(), shapes, "a100", 80)
    assert MAKES not in source


FOLLOWING: dict[str, tuple[Callable[..., Any], tuple[torch.dtype, ...]]] = {
    "nothing": (lambda x, w: x @ w.t(), ()),
    "float32": (lambda x, w: (x @ w.t()).float() * 2, ()),
    "a residual": (lambda x, w, r: x @ w.t() + r, (BF16,)),
    "a residual of float32": (lambda x, w, r: x @ w.t() + r, (torch.float32,)),
    "the gradient of gelu": (lambda x, w, r: torch.ops.aten.gelu_backward(x @ w.t(), r), (BF16,)),
    "two residuals": (lambda x, w, r, q: x @ w.t() * r + q, (BF16, BF16)),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rows, columns, depth", [(8192, 4096, 4096), (25088, 1536, 768)])
@pytest.mark.parametrize("name", FOLLOWING)
def test_shared_memory_and_registers_are_enough(name: str, rows: int, columns: int, depth: int) -> None:
    """Results are laid out anew in shared memory while factors of the next block wait there."""
    function, more = FOLLOWING[name]
    shapes = [((rows, depth), BF16), ((columns, depth), BF16), *(((rows, columns), dtype) for dtype in more)]
    source, (used,) = ahead_of_time(function, shapes, "h200", 90)
    assert source.count(MAKES) == 2 and (used.spill_bytes, used.stack_bytes) == (0, 0)
    assert used.shared_bytes <= GPUS["h200"].shared_per_block


def test_random_numbers_beside_a_product_spill_nothing() -> None:
    """The columns are computed in eight slices: a generator has four words for each element."""
    shapes = [((8192, 4096), BF16), ((4096, 4096), BF16), ((8192, 4096), BF16)]
    source, (used,) = ahead_of_time(lambda x, w, r: r + F.dropout(x @ w.t(), 0.1), shapes, "h200", 90)
    assert source.count("lib.halves(") == 7 and (used.spill_bytes, used.stack_bytes) == (0, 0)


def test_small_products_are_not() -> None:
    """To make descriptors takes longer than they spare."""
    h200 = GPUS["h200"]
    small, large = (best_tiling(Sizes(m, m, m, row_step=m, described=True), h200) for m in (256, 8192))
    assert small is not None and large is not None and (small.descriptors, large.descriptors) == (False, True)
    assert large.programs(Sizes(8192, 8192, 8192), h200) <= 2 * h200.multiprocessors


def matrices(function: Callable[..., Tensor], *shapes: Sequence[int]) -> list[Matrix | None]:
    """The factors of a product, as `matrix_of` sees them: the rows first."""
    with FakeTensorMode():
        imported = import_callable(function, [torch.empty(*shape, dtype=BF16) for shape in shapes])
    lower_to(imported.module, "loop", CompilerOptions(products="generated", device="h200"))
    (kernel,) = (op for op in imported.module.walk() if isinstance(op, KernelOp))
    loads = [op for op in kernel.walk() if isinstance(op, LoadOp)]
    outer, inner = kernel.rows, kernel.rows.loops[0]
    (summed,) = inner.loops
    axes: list[tuple[SSAValue, IndexExpr]] = [(loop.index, loop.size) for loop in (outer, inner, summed)]
    return [matrix_of(load, [axes[k]], [axes[2]]) for k, load in enumerate(loads)]


def test_matrices() -> None:
    assert matrices(lambda x, w: x @ w, (64, 128), (128, 64)) == [
        Matrix(0, 64, 128, 128, False),
        Matrix(0, 128, 64, 64, True),
    ]
    assert matrices(lambda x, w: x[:, 8:72] @ w, (64, 128), (64, 64)) == [
        Matrix(8, 64, 64, 128, False),
        Matrix(0, 64, 64, 64, True),
    ]
    assert matrices(lambda x, w: x.t() @ w.t(), (128, 64), (64, 128)) == [
        Matrix(0, 128, 64, 64, True),
        Matrix(0, 64, 128, 128, False),
    ]


def test_copies_have_the_elements_where_they_were() -> None:
    base = torch.arange(100.0, dtype=BF16)
    x, even = base[3:83].view(8, 10)[:, :6], base[:80].view(8, 10)
    assert x.data_ptr() % ALIGNMENT and even.data_ptr() % ALIGNMENT == 0
    found = aligned_buffers([x, even, 7], [0, 1])
    assert found[0].data_ptr() % ALIGNMENT == 0 and found[1:] == [even, 7] and found[1] is even
    assert torch.equal(found[0].as_strided(x.shape, x.stride()), x)
    assert aligned_buffers([x], ())[0] is x


@pytest.mark.usefixtures("forced")
@pytest.mark.gpu
def test_ahead_of_time_on_a_gpu(tmp_path: Path) -> None:
    theirs = nn.Sequential(nn.Linear(80, 72, bias=False), nn.ReLU()).to("cuda", BF16).eval()
    x = random(70 * 80 + 8, device="cuda")
    folder, options = tmp_path / "m", CompilerOptions(products="generated")
    compile_folder(export(theirs, (x[:5600].view(70, 80),)), folder, options)
    ours = mlc_runtime.load(folder)
    assert '"described": [\n' in (folder / MANIFEST).read_text()
    for first in (0, 3, 8):
        given = x[first : first + 5600].view(70, 80)
        torch.testing.assert_close(ours(given), theirs(given), rtol=2e-2, atol=0.1)


def test_a_launch_of_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets memory for the descriptors of each program, and an aligned copy of what is described."""
    asked: list[int] = []
    scratch = SimpleNamespace(data_ptr=lambda: 4096)
    monkeypatch.setattr(cubins, "current_device", lambda: 0)
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda device: 77, raising=False)
    monkeypatch.setattr(cubins, "descriptor_memory", lambda size: asked.append(size) or scratch)
    launches: list[Any] = []
    launcher = SimpleNamespace(_load_kernel=lambda *_: (7, 0, 0), _launch_kernel=lambda *given: launches.append(given))
    entry = KernelEntry("k", ("float32", "float32"), 0, {"num_warps": 8}, False, described=(0,))
    kinds = [cubins.Cubin(Path("k.cubin"), "k", 8, 512, scratch=256) for _ in range(2)]
    x = torch.zeros(64)
    cubins.CubinKernel(entry, *kinds, launcher=launcher)[(5, 2)](x[1:], x, num_warps=8)
    ((_, *_, types, (copy, own, memory, none), _),) = launches
    assert asked == [2560] and types == "OOOO" and (own, memory, none) == (x.data_ptr(), 4096, 0)
    assert copy % ALIGNMENT == 0 and copy != x.data_ptr()
