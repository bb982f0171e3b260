"""`torch.compile(backend=mlc)`: ops that PyTorch runs, sizes known late, mutation, dynamic shapes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_support.errors import MlcError

pytestmark = pytest.mark.usefixtures("machine_code")

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def randn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)))


def compiled(function: Callable[..., Any], seen: list[Executable], **options: Any) -> Callable[..., Any]:
    """`function` compiled by mlc, whole, with no memory of earlier compilations."""
    torch._dynamo.reset()
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    return torch.compile(function, backend=backend, fullgraph=True, **options)


def skip_unless_torch_traces(function: Callable[..., Any], arguments: list[torch.Tensor]) -> None:
    """Skips what PyTorch itself cannot compile whole here: 2.11 loses the size of a slice that a CUDA number cuts."""
    torch._dynamo.reset()
    try:
        torch.compile(function, backend="aot_eager", fullgraph=True)(*arguments)
    except Exception as error:
        pytest.skip(f"PyTorch cannot trace it: {type(error).__name__}")


CASES: dict[str, tuple[Callable[..., Any], tuple[torch.Tensor, ...]]] = {
    "cumsum": (lambda x: x.cumsum(0) * 2, (randn(5, 6),)),
    "topk": (lambda x: torch.topk(x * 2, 3), (randn(5, 6),)),
    "sort": (lambda x: [v + 1 for v in torch.sort(x)], (randn(5, 6),)),
    "embedding": (lambda i, w: F.embedding(i, w) + 1, (torch.tensor([1, 2, 0]), randn(4, 6))),
    "convolution": (lambda x, w: F.conv2d(x, w).relu(), (randn(2, 3, 8, 8), randn(4, 3, 3, 3))),
    "channels last": (
        lambda x, w: F.conv2d(x, w).relu(),
        (randn(2, 3, 8, 8).to(memory_format=torch.channels_last), randn(4, 3, 3, 3)),
    ),
    "max pool": (lambda x: F.max_pool2d(x, 2) * 2, (randn(2, 3, 8, 8),)),
    "batch norm": (lambda x: F.batch_norm(x, None, None, training=True), (randn(4, 3, 8, 8),)),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v) + 1, (randn(1, 2, 8, 16),) * 3),
    "complex": (lambda x: (torch.view_as_complex(x) * 2).abs() + 1, (randn(5, 2),)),
    "as_strided": (lambda x: (x * 2).t().as_strided((3, 4), (2, 1), 1) + 1, (randn(6, 5),)),
    "nonzero": (lambda x: torch.nonzero(x > 0) * 2, (randn(5, 6),)),
    "boolean index": (lambda x: x[x > 0] + 1, (randn(5, 6),)),
    "item": (lambda x: x * x.sum().item(), (randn(5, 6),)),
    "unbind": (lambda x: sum(x.unbind(0)), (randn(4, 3),)),
    "expanded output": (lambda x: (x + 1).expand(4, 3), (randn(1, 3),)),
    "integers": (lambda x: (x // 3, x % 5, x * 2, x.sum()), (torch.arange(-10, 10),)),
    "bytes": (lambda x: x + 3, (torch.arange(250, 256).to(torch.uint8),)),
    "empty": (lambda x: (x * 2, x.sum(0)), (torch.empty(0, 3),)),
    "strided operand of a call": (
        lambda i, w, o: F.embedding_bag(i, w, o, mode="sum"),
        (torch.tensor([1, 9, 2, 9, 0, 9])[::2], randn(4, 6), torch.tensor([0, 2])),
    ),
    "checked inverse": (lambda x: torch.linalg.inv(x + 3 * torch.eye(4, device=x.device)), (randn(4, 4),)),
    "slice from a tensor": (lambda x, i: torch.narrow(x, 0, i, 2) * 2, (randn(5, 3), torch.tensor(1))),
    "pieces from a tensor": (lambda x, i: torch.tensor_split(x, i), (randn(5, 3), torch.tensor([1, 3]))),
    "strided clone": (lambda x: x.clone(), (randn(6, 5)[::2, ::2],)),
    "double": (lambda x: x.softmax(-1), (randn(4, 7).double(),)),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CASES)
@torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True)
def test_what_mlc_does_not_compute_itself_still_runs(name: str, device: str) -> None:
    function, inputs = CASES[name]
    arguments = [x.to(device) for x in inputs]
    if name in ("slice from a tensor", "pieces from a tensor"):
        skip_unless_torch_traces(function, arguments)
    seen: list[Executable] = []
    found = compiled(function, seen)(*arguments)
    expected = function(*arguments)
    tolerance = {"rtol": 1e-3, "atol": 1e-3} if device == "cuda" and name == "convolution" else {}
    torch.testing.assert_close(found, expected, **tolerance)
    leaves, wanted = torch.utils._pytree.tree_leaves(found), torch.utils._pytree.tree_leaves(expected)
    assert [x.stride() for x in leaves] == [x.stride() for x in wanted]
    assert seen, "nothing was compiled"


@pytest.mark.parametrize("device", DEVICES)
def test_in_place_updates_reach_the_input(device: str) -> None:
    def step(x: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        x.sub_(gradient * 0.1)
        return x * 2

    ours, theirs = randn(4, 5).to(device), randn(4, 5).to(device)
    gradient = randn(4, 5, 1)[..., 0].to(device)
    torch.testing.assert_close(compiled(step, [])(ours, gradient), step(theirs, gradient))
    torch.testing.assert_close(ours, theirs)


def _old_value(x: torch.Tensor) -> Any:
    old = x.clone()
    x.add_(1)
    return old


def _old_view(x: torch.Tensor) -> Any:
    old = x.clone().t()
    x.add_(1)
    return old, old + 1


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", [_old_value, _old_view])
def test_a_copy_keeps_its_value(function: Callable[..., Any], device: str) -> None:
    ours, theirs = randn(4, 5).to(device), randn(4, 5).to(device)
    torch.testing.assert_close(compiled(function, [])(ours), function(theirs))
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("device", DEVICES)
def test_results_share_memory_only_where_eager_ones_do(device: str) -> None:
    x = randn(4, 5).to(device)
    copy, total, again, view = compiled(lambda x: (x.clone(), x + 1, (x + 1).clone(), x.t()), [])(x)
    addresses = [t.untyped_storage().data_ptr() for t in (x, copy, total, again)]
    assert len(set(addresses)) == len(addresses)
    assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


@pytest.mark.parametrize("device", DEVICES)
def test_one_compilation_serves_many_sizes(device: str) -> None:
    def normalise(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        joined = torch.cat([x, y], dim=0)
        return torch.softmax(joined, dim=-1), joined.mean(dim=0) * x.shape[0], x.shape[0] + 1

    seen: list[Executable] = []
    run = compiled(normalise, seen, dynamic=True)
    for rows, columns in [(5, 9), (9, 33), (33, 100), (2, 5000), (64, 7)]:
        x, y = randn(rows, columns).to(device), randn(rows + 3, columns).to(device)
        torch.testing.assert_close(run(x, y), normalise(x, y))
    assert len(seen) == 1


@pytest.mark.parametrize("device", DEVICES)
def test_random_numbers_come_from_torch(device: str) -> None:
    def drop(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, 0.5) * 2

    x = torch.ones(1000, device=device)
    run = compiled(drop, [])
    torch.manual_seed(3)
    first = run(x)
    torch.manual_seed(3)
    second = run(x)
    assert torch.equal(first, second)
    assert 300 < int((first == 0).sum()) < 700
    assert set(first.unique().tolist()) == {0.0, 4.0}


def test_an_unknown_option_is_named() -> None:
    torch._dynamo.reset()
    run = torch.compile(lambda x: x + 1, backend=compile_graph_module, options={"polcy": "none"})
    with pytest.raises(Exception, match=r"did you mean `policy`") as raised:
        run(torch.ones(3))
    causes = [raised.value, raised.value.__cause__]
    assert any(isinstance(cause, MlcError) or "MlcError" in str(cause) for cause in causes)


def test_a_kernel_writes_what_an_argument_becomes() -> None:
    """The running mean of a batch norm: no call of PyTorch, old and new values in order."""
    norm, reference = (torch.nn.BatchNorm1d(6) for _ in range(2))
    compiled = torch.compile(norm, backend=compile_graph_module, fullgraph=True)
    x = torch.randn(9, 6)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), reference(x))
    torch.testing.assert_close(norm.running_mean, reference.running_mean)
    torch.testing.assert_close(norm.running_var, reference.running_var)


def test_an_argument_that_becomes_its_own_transpose() -> None:
    """What is written lies in the memory that is read: not a matter for one kernel."""

    def transposed(x: torch.Tensor) -> torch.Tensor:
        x.copy_(x.t().clone())
        return x + 1

    x = torch.randn(70, 70)
    wanted = x.t().clone()
    result = torch.compile(transposed, backend=compile_graph_module, fullgraph=True)(x)
    torch.testing.assert_close(x, wanted)
    torch.testing.assert_close(result, wanted + 1)


@pytest.mark.parametrize("scales", [{}, {"beta": 0.5, "alpha": 2.0}], ids=str)
@pytest.mark.parametrize("device", DEVICES)
def test_a_bias_is_added_before_the_product_is_rounded(device: str, scales: dict[str, float]) -> None:
    """In bfloat16, as eager does: no larger an error than the library's."""
    bias, x, w = (randn(64, 64).bfloat16().to(device) + k for k in range(3))
    found = compiled(lambda b, x, w: torch.addmm(b, x, w, **scales), [])(bias, x, w)
    wanted = torch.addmm(bias, x, w, **scales)
    exact = torch.addmm(bias.double(), x.double(), w.double(), **scales)
    ours, theirs = ((v.double() - exact).abs().mean() for v in (found, wanted))
    assert ours <= 1.01 * theirs


@pytest.mark.parametrize("device", DEVICES)
def test_fifty_sizes_take_at_most_two_compilations(device: str) -> None:
    """The first size is taken as fixed; the second makes sizes symbols, which serve all others."""
    seen: list[Executable] = []
    torch._dynamo.reset()

    def normalise(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x * 2 + y, dim=-1) - x.mean(0)

    run = compiled(normalise, seen)
    for k in range(50):
        rows, columns = 3 + 7 * k % 41, 5 + 13 * k % 97
        x, y = randn(rows, columns).to(device), randn(rows, columns).to(device)
        torch.testing.assert_close(run(x, y), normalise(x, y))
    assert len(seen) <= 2


def test_equal_sizes_are_one_symbol() -> None:
    """x and y have the same dynamic shape: their sum needs one kernel with two sizes, not four."""
    imported = import_callable(
        lambda x, y: torch.relu(x) + y, [randn(6, 8), randn(6, 8)], dynamic=[{0: "N", 1: "M"}, {0: "N", 1: "M"}]
    )
    text = str(imported.module)
    assert text.count('["N", "M"]') >= 4 and "extern" not in text
