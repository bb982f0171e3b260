"""What calls of PyTorch give, and what host programs expect of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from lowering.fx_to_tensor.extern import Encoder, decode
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_runtime.host import with_layout

pytestmark = pytest.mark.usefixtures("machine_code")
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled by mlc, whole, with no memory of earlier compilations."""
    torch._dynamo.reset()
    return torch.compile(function, backend=compile_graph_module, fullgraph=True)


@pytest.mark.parametrize("device", DEVICES)
def test_unused_results_may_have_any_shape(device: str) -> None:
    """The places that unique_consecutive was not asked for have the shape of x as traced, and no element in truth."""
    x = torch.tensor([[1, 1, 2], [2, 3, 3]], device=device)
    assert torch.equal(compiled(torch.unique_consecutive)(x), torch.tensor([1, 2, 3], device=device))
    weight, index = torch.randn(7, 4, device=device), torch.tensor([1, 2, 4, 1], device=device)
    found = compiled(torch.nn.functional.embedding_bag)(index, weight, torch.tensor([0, 3], device=device))
    torch.testing.assert_close(found, torch.stack([weight[[1, 2, 4]].mean(0), weight[1]]))


def test_size_of_a_result_that_nobody_reads() -> None:
    """The call stays for the size that it alone tells."""
    patch = {"capture_dynamic_output_shape_ops": True, "capture_scalar_outputs": True}
    with torch._dynamo.config.patch(patch):
        function = compiled(lambda x: x.nonzero().shape[0] + 1)
        assert [function(torch.tensor(v)) for v in ([1, 0, 2], [0, 0, 7])] == [3, 2]


@pytest.mark.parametrize("number", [True, False, 5, -3, 2.5])
def test_a_number_that_a_call_tells_has_a_name(number: float) -> None:
    """What is computed with it, or only asserted of it, reads it by that name."""

    def function(x: torch.Tensor, y: torch.Tensor) -> Any:
        return x.item(), y * x.item(), y + x.item() * 2 if x.dtype != torch.bool else y

    x, y = torch.tensor(number), torch.arange(3.0)
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        torch.testing.assert_close(compiled(function)(x, y), function(x, y))


def checked_count(check: Callable[[Any, torch.Tensor], bool], rest: Callable[[torch.Tensor], Any]) -> Any:
    """A function that checks how many elements of x are not 0, then does the rest with their places."""

    def function(x: torch.Tensor) -> Any:
        found = x.nonzero()
        torch._check(check(found.shape[0], x))
        return rest(found)

    return function


def checked_sum(check: Callable[[Any], bool], kind: torch.dtype = torch.int64) -> Any:
    def function(x: torch.Tensor) -> Any:
        total = x.to(kind).sum().item()
        torch._check(check(total))
        return x * total

    return function


def checked_unique(x: torch.Tensor) -> Any:
    values, places, counts = torch.unique(x, return_inverse=True, return_counts=True)
    torch._check(values.shape[0] == 3)
    return values, places, counts


CHECKS: dict[str, tuple[Callable[[torch.Tensor], Any], list[float], list[float]]] = {
    "a number, returned": (checked_count(lambda n, x: n == 3, lambda y: y), [1, 2, 0, 3], [1, 0, 0, 0]),
    "a number, computed with": (checked_count(lambda n, x: n == 3, lambda y: y + 1), [1, 2, 0, 3], [1, 0, 0, 0]),
    "a size of an argument": (checked_count(lambda n, x: n == x.shape[0], lambda y: y * 2), [1, 2, 3], [1, 0, 3]),
    "a multiple": (checked_count(lambda n, x: n % 2 == 0, lambda y: y.reshape(-1, 2)), [1, 2, 0], [1, 2, 3]),
    "an upper bound": (checked_count(lambda n, x: n <= 2, lambda y: y), [1, 2, 0], [1, 2, 3]),
    "a lower bound": (checked_count(lambda n, x: n >= 2, lambda y: y), [1, 2, 0], [1, 0, 0]),
    "a difference": (checked_count(lambda n, x: n != 1, lambda y: y), [1, 2, 0], [1, 0, 0]),
    "one of several results": (checked_unique, [1, 2, 3, 3], [1, 2, 3, 4]),
    "an integer": (checked_sum(lambda n: n == 3), [1, 2], [1, 1]),
    "a float": (checked_sum(lambda n: n == 3, torch.float64), [1, 2], [1, 1]),
    "a bound of an integer": (checked_sum(lambda n: n <= 3), [1, 2], [2, 2]),
}


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CHECKS)
def test_a_check_that_does_not_hold_raises(name: str, device: str, dynamic: bool | None) -> None:
    """`torch._check` of what only a call tells: PyTorch writes some into shapes, and drops the assertion."""
    function, good, bad = CHECKS[name]
    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        run = torch.compile(function, backend=compile_graph_module, fullgraph=True, dynamic=dynamic)
        x = torch.tensor(good, device=device)
        torch.testing.assert_close(run(x), function(x))
        with pytest.raises(RuntimeError, match="check|assertion"):
            run(torch.tensor(bad, device=device))


SPLITS: dict[str, Callable[..., Any]] = {
    "views and a scan": lambda x, n: [f(part) for f, part in zip(CUT, x.split(n.tolist()), strict=True)],
    "sums": lambda x, n: [part.sum(0) for part in torch.split_with_sizes(x, n.tolist())],
    "joined again": lambda x, n: torch.cat([part * 2 for part in x.split(n.tolist(), dim=1)][::-1], dim=1) + x,
}
CUT: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    lambda x: x.t() @ x, lambda x: x.reshape(-1), lambda x: x.cumsum(0),
)  # fmt: skip


def test_parts_of_sizes_that_a_tensor_holds() -> None:
    """Several compiled functions side by side, each called with several sizes: views begin where a call tells."""
    x = torch.randn(12, 12)
    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        functions = {name: torch.compile(f, backend=compile_graph_module, fullgraph=True) for name, f in SPLITS.items()}
        for sizes in ([3, 4, 5], [1, 9, 2]):
            for name, function in functions.items():
                n = torch.tensor(sizes)
                torch.testing.assert_close(function(x, n), SPLITS[name](x, n))


STRIDES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "of the result": lambda x: x[..., : x.shape[-1] // 2] * 2,
    "of an operand": lambda x: torch.linalg.vector_norm(torch.roll(x[..., : x.shape[-1] // 2] * 2, 1, -1), dim=-1),
    "of what the backward reads": lambda x: torch.sigmoid(x[..., : x.shape[-1] // 2]) * x.sum(),
    "beside a kernel called max": lambda x: x.amax(-1, keepdim=True) - x[..., : x.shape[-1] // 2],
}


@pytest.mark.parametrize("name", STRIDES)
def test_strides_that_no_index_expression_says(name: str) -> None:
    """PyTorch writes the greater of 1 and half the columns: a call tells it before anything is laid out by it."""
    torch._dynamo.reset()
    run = torch.compile(STRIDES[name], backend=compile_graph_module, fullgraph=True, dynamic=True)
    for columns in (6, 9):
        ours, theirs = (torch.linspace(-1, 1, 5 * columns).view(5, columns).requires_grad_() for _ in range(2))
        found, wanted = run(ours), STRIDES[name](theirs)
        torch.testing.assert_close(found, wanted)
        assert found.stride() == wanted.stride()
        found.square().sum().backward()
        wanted.square().sum().backward()
        torch.testing.assert_close(ours.grad, theirs.grad)


def test_a_tensor_written_to_itself_stays() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        x.copy_(x.clone())
        return x + 1

    x = torch.arange(1.0, 4.0)
    assert torch.equal(compiled(function)(x), torch.arange(2.0, 5.0))
    assert torch.equal(x, torch.arange(1.0, 4.0))


def shares(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


FOREIGN: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "clone": lambda x: torch.view_as_complex(x.clone(memory_format=torch.contiguous_format)),
    "preserving clone": lambda x: torch.view_as_complex(x.clone()),
    "contiguous": lambda x: torch.view_as_complex(x.contiguous()),
    "transposed": lambda x: torch.view_as_complex(x.contiguous()).t(),
    "sliced": lambda x: torch.view_as_complex(x.clone(memory_format=torch.contiguous_format))[1:, ::2],
    "bytes": lambda x: x.contiguous().view(torch.uint8).view(torch.float8_e8m0fnu),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", FOREIGN)
def test_copies_that_are_seen_as_what_no_kernel_loads(name: str, device: str) -> None:
    """A view of a copy of an argument: memory and strides as eager's. The argument is strided or is not."""
    base = torch.randn(2, 6, 5, device=device)
    for x in (base.permute(2, 1, 0), base.permute(2, 1, 0).contiguous(), base.permute(1, 2, 0)[::2, 1:]):
        if name == "preserving clone" and x.clone().stride(-1) != 1:
            continue
        found, wanted = compiled(FOREIGN[name])(x), FOREIGN[name](x)
        assert found.stride() == wanted.stride() and found.dtype == wanted.dtype
        assert shares(found, x) == shares(wanted, x)
        torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


def test_layout_with_repeated_elements() -> None:
    """A copy with stride 0 is filled from the first element along that dimension."""
    x = torch.arange(6.0).reshape(2, 1, 3).expand(2, 4, 3)
    copy = with_layout(x, (2, 4, 3), (6, 0, 2))
    assert copy.stride() == (6, 0, 2)
    assert torch.equal(copy, x)


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_without_a_device_are_where_eager_has_them(device: str) -> None:
    """No tensor argument tells the device; the graph does."""
    found = compiled(lambda: (torch.arange(5), torch.linspace(0, 1, 3), torch.ones(2, 2) * 3))()
    assert [str(t.device) for t in found] == ["cpu"] * 3
    assert torch.equal(found[0], torch.arange(5))
    (here,) = compiled(lambda: (torch.arange(5, device=device) + 1,))()
    assert here.device.type == device
    assert torch.equal(here.cpu(), torch.arange(1, 6))


@pytest.mark.gpu
def test_a_number_on_the_host_comes_first() -> None:
    """The first tensor argument is not on the device that kernels run on."""
    scale, x = torch.tensor(3.0), torch.arange(1.0, 9.0, device="cuda")
    found = compiled(lambda scale, x: scale * x)(scale, x)
    assert torch.equal(found, 3 * x)


@pytest.mark.parametrize("number", [complex("nan+1j"), complex("inf-infj"), complex("-0-0j"), 1.5 - 2j])
def test_complex_numbers_are_read_back(number: complex) -> None:
    """Also those that Python does not print as it reads them."""
    found = decode(Encoder([]).encode(number), (), {})
    assert str(found) == str(number)
