"""Machine code for the CPU: eager's numbers for every kind of kernel, its errors, its threads and its files."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import mlc_compiler
from mlc_compiler.execution.executable import Executable
from mlc_compiler.execution.target import TRITON, target_for
from mlc_compiler.options import CompilerOptions
from mlc_support.errors import MlcError

machine_code = pytest.importorskip("mlc_compiler.cpu.machine_code")

FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
TOLERANCE = {torch.float32: 2e-6, torch.bfloat16: 2e-2, torch.float16: 2e-3, torch.float64: 1e-12}


def compiled(function: Callable[..., Any], seen: list[Executable] | None = None, **options: Any) -> Callable[..., Any]:
    def observe(_: Any, executable: Executable) -> None:
        if seen is not None:
            seen.append(executable)

    def backend(gm: Any, inputs: Any) -> Any:
        return mlc_compiler.compile_graph_module(gm, inputs, observe=observe, options={"cpu": "native"})

    torch._dynamo.reset()
    return torch.compile(function, backend=backend, **options)


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """Loops are shared out, as many workers as test at once."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def draw(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 100, shape, generator=generator).to(dtype)


def check(function: Callable[..., Any], *inputs: Tensor, **options: Any) -> None:
    """Eager's numbers, strides and types; of a float the error is that of its type, against float64."""
    found, eager = compiled(function, **options)(*inputs), function(*inputs)
    exact = function(*(x.double() if x.is_floating_point() else x for x in inputs))
    triples = zip(*(y if isinstance(y, tuple) else (y,) for y in (found, eager, exact)), strict=True)
    for ours, theirs, right in triples:
        assert ours.dtype == theirs.dtype
        steps = zip(ours.stride(), theirs.stride(), ours.shape, strict=True)
        assert all(a == b or size == 1 for a, b, size in steps) or not ours.numel()
        if ours.dtype.is_floating_point:
            close = TOLERANCE[ours.dtype]
            torch.testing.assert_close(ours.double(), right.double(), rtol=close, atol=close, equal_nan=True)
        else:
            assert torch.equal(ours, theirs)


ROWS: dict[str, Callable[[Tensor], Any]] = {
    "softmax": lambda x: torch.softmax(x, -1),
    "softmax of columns": lambda x: torch.softmax(x, 0),
    "layer norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "mean and variance": lambda x: (x.mean(0), x.var(-1)),
    "max and its place": lambda x: (x.max(-1).values, x.argmax(-1), x.argmin(0)),
    "running sum": lambda x: (x.cumsum(-1) / 30, x.cumsum(0) / 30),
    "running max": lambda x: x.cummax(-1)[1],
    "all": lambda x: (x.abs().amax(), (x * x).mean()),
    "pointwise": lambda x: (F.gelu(x), F.silu(x) * 2, torch.where(x > 0, x, -x)),
    "turned": lambda x: (x.t().contiguous(), (x.t() + 1).contiguous()),
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("shape", [(5, 7), (70, 130), (1, 20000), (20000, 3)], ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_rows_and_columns(name: str, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    """Odd sizes, one long row and one long column: lanes, tiles and parts have ends."""
    check(ROWS[name], draw(shape, dtype))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("dtype", [*FLOATS, torch.int8, torch.int64, torch.bool], ids=str)
@pytest.mark.parametrize("shape", [(16, 16), (33, 70), (3, 40, 50), (2, 3, 17, 19)], ids=str)
def test_transposed(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    """Squares of every size of element, read and written, with what they leave at the edges."""
    x = draw(shape, dtype)
    check(lambda x: x.transpose(-1, -2).contiguous(), x)
    turned = x.transpose(-1, -2).contiguous().transpose(-1, -2)
    check(lambda x, y: (x == y, x.transpose(-1, -2).contiguous()), x, turned)


@pytest.mark.parametrize("shape", [(5, 7), (70, 130), (3, 20000)], ids=str)
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_of_scans(shape: tuple[int, ...], axis: int) -> None:
    """A scan in the loop of a reduction goes on from one run of its sum to the next."""
    check(lambda x: (x.cummax(axis).values.amax(axis), x.cummin(axis).values.sum(axis)), draw(shape, torch.float32))
    check(lambda x: x.cumsum(axis).argmax(axis), draw(shape, torch.int64))


def test_special_values() -> None:
    """NaN is the largest and the smallest, the first of several is found, and -0.0 keeps its sign."""
    x = torch.tensor([[1.0, float("nan"), 3.0, float("nan")], [float("-inf"), float("inf"), -0.0, 0.0]] * 9)
    check(lambda x: (x.amax(-1), x.argmax(-1), x.argmin(-1), x.cummin(-1)[0]), x)
    zero = compiled(lambda x: x * 1.0)(torch.tensor([-0.0, 0.0]))
    assert torch.equal(torch.signbit(zero), torch.tensor([True, False]))


@pytest.mark.parametrize("shape", [(16,), (2, 48), (2, 3, 2, 8)], ids=str)
def test_pieces_that_divide(shape: tuple[int, ...]) -> None:
    """Each piece of a concatenation divides by zeros where it is not: that must not load what is not there."""

    def both(x: Tensor, y: Tensor) -> Tensor:
        rest = torch.remainder(x, y)
        return torch.cat([rest, rest], 0).to(torch.int32)

    check(both, draw(shape, torch.bool), 1 + draw(shape[1:] or shape, torch.int32))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64], ids=str)
def test_no_quotient_ends_the_process(dtype: torch.dtype) -> None:
    """By zero, or the least number by -1: a processor traps. Others in the same vector are right."""
    least = torch.iinfo(dtype).min
    x, y = (torch.tensor(values * 9, dtype=dtype) for values in ([7, -7, least, 5, -9], [2, 2, -1, 0, 4]))
    quotient, rest = compiled(lambda x, y: (torch.div(x, y, rounding_mode="floor"), torch.remainder(x, y)))(x, y)
    assert quotient[:5].tolist()[:3] == [3, -4, least] and quotient[4] == -3
    assert rest[:5].tolist()[:3] == [1, 1, 0] and rest[4] == 3


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0)], ids=str)
def test_no_elements(shape: tuple[int, ...]) -> None:
    x = torch.empty(shape)
    check(lambda x: (x + 1, x.sum(0), x.sum(-1)), x)


def test_sums_keep_digits() -> None:
    """A million terms: the error is that of eager, which adds in a tree."""
    x = torch.rand(1 << 20, generator=torch.Generator().manual_seed(1)) + 1
    right = x.double().sum()
    for shape in ((-1,), (1, -1), (-1, 1)):
        found = compiled(lambda x: x.sum())(x.view(shape))
        assert abs(found.double() - right) / right < 2e-7
    columns = compiled(lambda x: x.sum(0))(x.view(-1, 2))
    torch.testing.assert_close(columns.double(), x.double().view(-1, 2).sum(0), rtol=2e-7, atol=0)


@pytest.mark.parametrize("axis", [0, -1])
def test_sums_err_no_more_than_those_of_eager(axis: int) -> None:
    """Some thousand terms a sum, of which many are in one partial sum."""
    x = torch.randn(4096, 4096, generator=torch.Generator().manual_seed(1))
    right = x.double().sum(axis)
    ours, theirs = (float((sums.double() - right).norm()) for sums in (compiled(lambda x: x.sum(axis))(x), x.sum(axis)))
    assert ours < 1.25 * theirs


def test_sums_of_what_is_looked_up_keep_digits() -> None:
    """Loops that are no vectors add as exactly."""
    table, places = draw((1000,), torch.float32).abs(), draw((16, 30000), torch.int64)
    check(lambda x, i: x[i].sum(-1), table, places)
    check(lambda x: F.pad(x, (3, 5)).sum(-1), draw((16, 30000), torch.float32).abs())


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(threads: int) -> None:
    """The same bits, and PyTorch's own number of threads afterwards."""
    before = torch.get_num_threads()
    x = torch.randn(700, 900)
    run = compiled(lambda x: (torch.softmax(x, -1), x.sum(0), x.sum(), F.gelu(x), x.t().contiguous()))
    first = run(x)
    try:
        torch.set_num_threads(threads)
        assert all(torch.equal(a, b) for a, b in zip(run(x), first, strict=True))
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


def normed(x: Tensor, g: Tensor) -> tuple[Tensor, ...]:
    """What the backward pass of a norm computes: a result of each row, and two of all rows."""
    g = g * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1)
    return g - g.mean(-1, keepdim=True), (g * x).sum(tuple(range(x.dim() - 1))), x.amax(tuple(range(x.dim() - 1)))


@pytest.mark.parametrize("shape", [(1031, 96), (4, 257, 40), (64, 1)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
def test_sums_over_rows_beside_rows(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    check(normed, draw(shape, dtype), draw(shape, dtype) + 1)


@pytest.mark.parametrize("dynamic", [False, True])
def test_gradients_of_a_norm_do_not_depend_on_threads(dynamic: bool) -> None:
    """Runs of rows add up apart, of so many rows as a name says as well; infinities and NaN stay in their columns."""
    x, weight = (draw(shape, torch.float32).requires_grad_() for shape in ((2003, 100), (100,)))
    special = draw((2003, 100), torch.float32)
    special[5, 7], special[1999, 8], special[77, 9] = float("inf"), float("nan"), -0.0
    seen: list[Executable] = []

    def function(x: Tensor, weight: Tensor) -> Tensor:
        return F.gelu(F.layer_norm(x, (100,), weight))

    def gradients(run: Callable[..., Tensor]) -> list[Tensor]:
        return [g for grad in (special, x) for g in torch.autograd.grad(run(x, weight), (x, weight), grad)][1:]

    results = {}
    run = compiled(function, seen, dynamic=dynamic)
    for threads in (2, 1, 3):
        torch.set_num_threads(threads)
        results[threads] = gradients(run)  # but for the first: eager adds up an infinite row in another order
    assert any("sum.share" in executable.source for executable in seen)
    for threads in (1, 3):
        torch.testing.assert_close(results[threads], results[2], rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(results[2], gradients(function), rtol=1e-4, atol=1e-4, equal_nan=True)


def test_sizes_may_vary() -> None:
    """One compile for all sizes."""
    seen: list[Executable] = []
    run = compiled(lambda x: torch.softmax(x, -1) + x.sum(0), seen, dynamic=True)
    for rows, columns in ((3, 5), (64, 100), (257, 31)):
        x = torch.randn(rows, columns)
        torch.testing.assert_close(run(x), torch.softmax(x, -1) + x.sum(0))
    assert len(seen) == 1


def test_an_index_outside_is_an_error() -> None:
    table, places = torch.randn(50, 16), torch.randint(0, 50, (7, 9))
    run = compiled(lambda t, i: F.embedding(i, t) * 2)
    torch.testing.assert_close(run(table, places), F.embedding(places, table) * 2)
    with pytest.raises(IndexError, match="out of range"):
        run(table, places + 50)


def test_what_scatters_adds() -> None:
    """Several rows to one place."""
    x, places = torch.randn(500, 8), torch.randint(0, 20, (500,))
    check(lambda x, i: torch.zeros(20, 8, dtype=x.dtype).index_add(0, i, x) / 5, x, places)


def test_random_numbers_are_those_of_the_interpreter() -> None:
    """One stream of Philox for every target."""
    x, found = torch.ones(1000), list[Tensor]()
    for way in ("native", "interpret"):
        torch._dynamo.reset()
        backend = partial(mlc_compiler.compile_graph_module, options={"cpu": way})
        torch.manual_seed(3)
        found.append(torch.compile(lambda x: F.dropout(x, 0.3), backend=backend)(x))
    assert torch.equal(*found) and 0.2 < (found[0] == 0).float().mean() < 0.4


def test_training() -> None:
    """Forward and backward of a small model, and the running statistics of a norm."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5))
    twin = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5))
    twin.load_state_dict(model.state_dict())
    x, t = torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,))
    F.cross_entropy(compiled(model)(x), t).backward()
    F.cross_entropy(twin(x), t).backward()
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(model.state_dict(), twin.state_dict())


@pytest.mark.parametrize("channels, groups", [(32, 8), (24, 24), (30, 5), (6, 3)])
def test_groups_of_few_channels(channels: int, groups: int) -> None:
    """Channels that lie side by side run together, whatever their groups."""
    x = draw((3, channels, 9, 11), torch.float32).to(memory_format=torch.channels_last)
    w, b, g = draw((channels,), torch.float32), draw((channels,), torch.float32), torch.randn_like(x)

    def gradients(x: Tensor, w: Tensor, b: Tensor, g: Tensor) -> tuple[Tensor, ...]:
        y = F.silu(F.group_norm(x, groups, w, b)) * g
        return y, *torch.autograd.grad(y.sum(), (x, w, b))

    leaves = [v.detach().requires_grad_() for v in (x, w, b)]
    found = compiled(gradients)(*leaves, g)
    exact = gradients(*(v.detach().double().requires_grad_() for v in leaves), g.double())
    for ours, right in zip(found, exact, strict=True):
        torch.testing.assert_close(ours.double(), right, rtol=1e-4, atol=1e-4)


def test_a_kernel_may_be_called_like_a_function_of_c() -> None:
    check(lambda x: x**2.5, torch.rand(40) + 0.5)


def test_generated_code_finds_its_support_functions() -> None:
    """No function of the IR rounds a double to half: LLVM's code generator calls for it."""
    code = machine_code.MachineCode(
        "define void @round(ptr %x, ptr %y) {\n  %d = load double, ptr %x\n  %h = fptrunc double %d to half\n"
        "  store half %h, ptr %y\n  ret void\n}\n"
    )
    x, y = torch.tensor(1.0 + 2**-11 + 2**-40, dtype=torch.float64), torch.zeros((), dtype=torch.float16)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("round"))(x.data_ptr(), y.data_ptr())
    assert y.item() == 1.0 + 2**-10


def test_object_code_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second compile optimises nothing; a file that was damaged is made again."""
    optimised: list[Any] = []
    optimise = machine_code._optimise
    monkeypatch.setattr(machine_code, "_optimise", lambda *given: (optimised.append(given), optimise(*given)))
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))
    x = torch.randn(30, 40)

    def twice() -> int:
        torch.testing.assert_close(compiled(lambda x: torch.softmax(x, -1))(x), torch.softmax(x, -1))
        return len(optimised)

    assert twice() == 1 and twice() == 1
    (kept,) = tmp_path.glob("*.o")
    kept.write_bytes(kept.read_bytes()[:-100])
    assert twice() == 2


def test_column_sums_in_place_need_no_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM compares no addresses where a result may replace its operand: they would be equal, and code be scalar."""
    optimised: list[str] = []
    optimise = machine_code._optimise

    def observed(module: Any, *given: Any) -> None:
        optimise(module, *given)
        optimised.append(str(module))

    monkeypatch.setattr(machine_code, "_optimise", observed)
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))
    x = torch.randn(1024, 512, requires_grad=True)
    layer = nn.Linear(512, 512)
    compiled(lambda x: F.gelu(layer(x)))(x).square().mean().backward()
    (backward,) = [text for text in optimised if "exp" in text]
    assert " x float>" in backward and ".check" not in backward and "memcheck" not in backward


def test_which_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option, else the environment, else machine code."""
    cpu = torch.device("cpu")
    assert target_for(torch.device("cuda"), CompilerOptions(cpu="native")) is TRITON
    assert target_for(cpu, CompilerOptions(cpu="interpret")) is TRITON
    monkeypatch.setenv("MLC_CPU", "interpret")
    assert target_for(cpu, CompilerOptions()) is TRITON
    assert target_for(cpu, CompilerOptions(cpu="native")).level == "cpu"
    monkeypatch.delenv("MLC_CPU")
    assert target_for(cpu, CompilerOptions()).level == "cpu"
    monkeypatch.setenv("MLC_CPU", "quickly")
    with pytest.raises(MlcError, match="MLC_CPU=quickly"):
        target_for(cpu, CompilerOptions())
