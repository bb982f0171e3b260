"""What data-dependent indices promise beside values: errors, determinism, index expressions where they are known."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from lowering.fx_to_tensor import import_callable
from lowering.interpreter.run import run
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.gather_scatter import ScatterOp
from mlc_support.errors import MlcError

OUTSIDE: dict[str, Callable[..., Any]] = {
    "rows": lambda x, i: x[i] + 1,
    "embedding": lambda x, i: F.embedding(i, x).sum(1),
    "along": lambda x, i: torch.gather(x, 0, i[:, None]),
    "added": lambda x, i: x.index_add(0, i, x[:4]),
    "put": lambda x, i: x.index_put((i,), x[:4]),
    "scattered once": lambda x, i: x.scatter(0, i[None, :4], x[:1, :4] * 2),
    "classes": lambda x, i: F.cross_entropy(x[:4], i),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("wrong", [9, -10, 2**40])
def test_an_index_outside_is_an_error(name: str, wrong: int) -> None:
    """As in eager, and no memory but the operands' is touched."""
    x, index = torch.randn(9, 9), torch.tensor([0, 8, wrong, 1])
    executable = compile_imported(import_callable(OUTSIDE[name], [x, torch.tensor([0, 8, 2, 1])]))
    with pytest.raises(IndexError, match=r"index out of range: test_indexing.py"):
        executable(x, index)


@pytest.mark.gpu
def test_an_index_outside_stops_a_gpu() -> None:
    """In a process of its own, whose CUDA context is lost."""
    program = (
        "import torch; from mlc_compiler.frontend.backend import compile_graph_module as backend\n"
        "rows = torch.compile(lambda x, i: x[i] + 1, backend=backend)\n"
        "x = torch.randn(9, 9, device='cuda')\n"
        "rows(x, torch.tensor([0, 8, -9], device='cuda')); torch.cuda.synchronize(); print('inside')\n"
        "rows(x, torch.tensor([0, 8, 9], device='cuda')); torch.cuda.synchronize(); print('outside')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "inside" in done.stdout and "outside" not in done.stdout, done.stderr
    assert "index out of range" in done.stdout + done.stderr


def test_masked_lanes_are_not_checked() -> None:
    """Lanes past the end, and places that a pad covers, compute any index."""
    x = torch.randn(9)

    def shifted(x: torch.Tensor) -> torch.Tensor:
        place = torch.arange(5, device=x.device) * 2
        return F.pad(x[torch.where(place > 100, place, place)], (3, 3))

    executable = compile_imported(import_callable(shifted, [x]))
    torch.testing.assert_close(executable(x)[0], shifted(x))


def test_the_oracle_refuses_an_index_outside() -> None:
    x, index = torch.randn(9, 3), torch.tensor([0, 8])
    module = import_callable(lambda x, i: F.embedding(i, x), [x, index]).module
    run(module, [x.numpy(), index.numpy()])
    with pytest.raises(MlcError, match="an index is outside dimension 0, of size 9"):
        run(module, [x.numpy(), (index + 1).numpy()])


def externs(function: Callable[..., Any], *args: torch.Tensor) -> list[str]:
    module = import_callable(function, list(args)).module
    return [op.callee.data for op in module.walk() if isinstance(op, ExternOp)]


def test_deterministic_algorithms_scatter_through_pytorch() -> None:
    """Sums of floats in no order are left to PyTorch; sums of integers are the same in any."""
    x, index = torch.randn(9, 3), torch.tensor([0, 8])

    def add(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        return x.index_add(0, i, x[:2])

    assert externs(add, x, index) == []
    torch.use_deterministic_algorithms(True)
    try:
        assert externs(add, x, index) == ["aten.index_add.default"]
        assert externs(add, x.long(), index) == []
    finally:
        torch.use_deterministic_algorithms(False)


def source(function: Callable[..., Any], *args: torch.Tensor) -> str:
    text = lower_to(import_callable(function, list(args)).module, "source", CompilerOptions())
    assert isinstance(text, str)
    return text


def test_counted_coordinates_need_no_check() -> None:
    """What iotas compute is an index expression: no lookup, no assertion."""
    x = torch.randn(9, 8)
    text = source(lambda x: x[torch.arange(4, device=x.device) * 2 + 1] + 1, x)
    assert "checked" not in text and "debug=True" not in text
    assert "tl.load(x_ptr" in text


PLACES = [([-2], 0), ([1, 2], 0), ([1, 1], 0), ([1, 1, 2, 2], 0), ([1, 2, 2], 1), ([2, 1], 1)]


@pytest.mark.parametrize(("places", "scatters"), PLACES)
def test_what_is_added_to_zeros_at_known_places_has_zeros_around_it(places: list[int], scatters: int) -> None:
    """As the gradient of x[:, [2]]. -0 becomes 0, to which it is added. Places that meet are summed; those that meet
    now and then, or go back, are scattered.
    """

    def added(given: torch.Tensor) -> torch.Tensor:
        zeros = given.new_zeros(3, 4, 5)
        return torch.ops.aten.index_put(zeros, [None, torch.tensor(places)], given, accumulate=True)

    given = torch.randn(3, len(places), 5)
    given[0, 0, :4] = torch.tensor([-0.0, 0.0, torch.inf, torch.nan])
    imported = import_callable(added, (given,))
    lower_to(simplified := imported.module.clone(), "simplified")
    assert sum(isinstance(op, ScatterOp) for op in simplified.walk()) == scatters
    (found,), wanted = compile_imported(imported)(given), added(given)
    assert torch.equal(found.nan_to_num(7.0), wanted.nan_to_num(7.0))
    assert torch.equal(found.signbit(), wanted.signbit())


def test_other_kernels_do_not_debug() -> None:
    text = source(lambda x: x + 1, torch.randn(9))
    assert "debug=True" not in text


def test_gradient_of_the_greatest_of_what_is_looked_up() -> None:
    """A scatter beside the sums that it needs: where it writes is data, however the sums go."""
    places = torch.randint(0, 16, (5, 4), generator=torch.Generator().manual_seed(0))

    def greatest(x: torch.Tensor) -> torch.Tensor:
        return (x[:, places] * 2).permute(1, 0, 2).amax(2)

    x = torch.randn(16, 16, requires_grad=True)
    found, wanted = (
        torch.autograd.grad(function(x).square().sum(), x)[0]
        for function in (torch.compile(greatest, backend=compile_graph_module), greatest)
    )
    torch.testing.assert_close(found, wanted)


def test_gradient_of_looked_up_rows_beside_their_sums() -> None:
    """A scatter of sums that are read in the order of its updates, and what was summed, from one kernel."""
    places = torch.randint(0, 5, (8, 5), generator=torch.Generator().manual_seed(0))

    def margins(x: torch.Tensor) -> torch.Tensor:
        return F.multilabel_margin_loss(x, places) + (x.softmax(1) * torch.arange(5.0)).sum()

    x = torch.randn(8, 5, requires_grad=True)
    torch.compiler.reset()
    found, wanted = (
        torch.autograd.grad(torch.compile(margins, backend=backend, options=options)(x), x)[0]
        for backend, options in (("mlc", {"cpu": "interpret"}), ("aot_eager", None))
    )
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("rows", [4, 64])
def test_sums_of_what_each_row_looks_up(rows: int) -> None:
    """Neighbours read one row, each a place of its own."""
    x, places = torch.randn(rows, 16), torch.randint(0, 16, (rows, 16))

    def mean(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return x.gather(1, places).mean()

    torch.compiler.reset()
    found = torch.compile(mean, backend="mlc", options={"cpu": "interpret"})(x, places)
    torch.testing.assert_close(found, mean(x, places))
