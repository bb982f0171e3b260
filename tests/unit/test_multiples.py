"""Sizes that guards say are multiples: what is divided cancels, masks go, loads are wide, and answers stay right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sympy
import torch
from torch.utils._sympy.functions import FloorDiv, Mod
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from lowering.fx_to_tensor.sizes import Sizes
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.kernels.aot import Resources, compile_kernel
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor.calls import ExternOp
from mlc_runtime.host import parts
from mlc_support.index_maps import Line, without_common_factors
from mlc_support.index_parse import parse

Function = Callable[..., Any]
S: Any = sympy.Symbol("s0", integer=True, positive=True)
T: Any = sympy.Symbol("s1", integer=True, positive=True)


def compiled(function: Function, seen: list[tuple[ModuleOp, Executable]], **options: Any) -> Function:
    """`torch.compile` of `function`, what is compiled noted in `seen`."""
    torch._dynamo.reset()

    def backend(gm: torch.fx.GraphModule, inputs: Any) -> Function:
        return compile_graph_module(gm, inputs, observe=lambda module, executable: seen.append((module, executable)))

    return torch.compile(function, backend=backend, fullgraph=True, **options)


@pytest.fixture(autouse=True)
def numbers_are_constants() -> Iterator[None]:
    """Else Dynamo makes a symbol of the number that a function here divides by."""
    with torch._dynamo.config.patch(specialize_int=True):
        yield


def multiples_of(count: int, function: Function) -> Function:
    """`function` of a tensor whose columns are checked to be a multiple of `count`."""

    def checked(x: torch.Tensor) -> Any:
        torch._check(x.shape[1] % count == 0)
        return function(x)

    return checked


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def pointwise(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x * 2 + 1)


# What the importer makes of guards


def floor(size: Any, divisor: int) -> Any:
    return FloorDiv(size, divisor)


def zero(remainder: Any) -> Any:
    return sympy.Eq(remainder, 0)


@pytest.mark.parametrize(
    ("facts", "size"),
    [
        ([], "s0"),
        ([zero(Mod(S, 16))], "s0_16s * 16"),
        ([zero(Mod(S, 6)), zero(Mod(S, 4))], "s0_12s * 12"),
        ([zero(Mod(6 * S, 16))], "s0_8s * 8"),
        ([zero(Mod(floor(S, 4), 4)), zero(Mod(S, 4))], "s0_16s * 16"),
        ([zero(Mod(S * T, 8 * T))], "s0_8s * 8"),
        ([zero(Mod(S + 16, 8))], "s0_8s * 8"),
        ([sympy.Eq(S * T, 4 * T * floor(S, 4))], "s0_4s * 4"),
        ([sympy.Eq(4 * S, 8 * floor(S, 2))], "s0_2s * 2"),
        ([zero(Mod(S * T, 8))], "s0"),
        ([zero(Mod(S + 1, 8))], "s0"),
        ([sympy.Eq(Mod(S, 8), 4)], "s0_4s * 4"),
        ([sympy.Eq(Mod(S, 8), 3)], "s0"),
        ([sympy.Eq(floor(S + 1, 2), S - floor(S + 1, 2))], "s0_2s * 2"),
        ([sympy.Eq(S, 4 * floor(S, 4) + 1)], "s0"),
        ([sympy.Eq(S, 4 * floor(T, 4))], "s0"),
        ([zero(Mod(S, T))], "s0"),
        ([zero(Mod(T, 8))], "s0"),
        ([sympy.Eq(S, sympy.Max(T, 8))], "s0"),
    ],
)
def test_what_a_guard_says_of_a_size(facts: list[Any], size: str) -> None:
    assert str(Sizes(equalities=facts).expr(S)) == size


def test_what_divides_cancels() -> None:
    sizes = Sizes({"s0": "N"}, [zero(Mod(S, 16))])
    assert str(sizes.expr(floor(S, 4))) == "N_16s * 4"
    assert str(sizes.expr(FloorDiv(S * T, 16 * T))) == "N_16s"
    assert str(sizes.expr(Mod(S + 3, 16))) == "3"
    assert eval(sizes.text(S + floor(S, 4)), {"N_16s": 3}) == 60


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("N", Line("N", 1, 0)),
        ("N * 16", Line("N", 16, 0)),
        ("N * 4 + 1", Line("N", 4, 1)),
        ("5", None),
        ("N * M", None),
        ("N * N", None),
        ("N + M", None),
        ("N floordiv 2", None),
    ],
)
def test_what_a_dimension_tells_of_a_size(text: str, line: Line | None) -> None:
    assert Line.of(parse(text)) == line


def test_common_factors() -> None:
    found = without_common_factors(parse("M * N * 2 + M * 4"), parse("M * 8"))
    assert [str(e) for e in found] == ["N * 2 + 4", "8"]
    kept = without_common_factors(parse("M * N + 4"), parse("M * 8"))
    assert [str(e) for e in kept] == ["M * N + 4", "M * 8"]


def test_a_size_that_is_no_multiple() -> None:
    assert parts(48, 16) == 3
    with pytest.raises(RuntimeError, match="a size is 30, .* multiple of 16"):
        parts(30, 16)


# Numbers


@pytest.mark.parametrize("function", [softmax, pointwise])
@pytest.mark.parametrize("count", [16, 1024])
def test_answers_are_right_at_every_multiple(function: Function, count: int) -> None:
    seen: list[tuple[ModuleOp, Executable]] = []
    run = compiled(multiples_of(count, function), seen, dynamic=True)
    for rows, columns in ((5, count), (1, 3 * count), (7, 2 * count)):
        x = torch.randn(rows, columns)
        torch.testing.assert_close(run(x), function(x))
    (_, executable) = seen[0]
    assert f"_{count}s * {count}" in executable.source and len(seen) <= 2
    with pytest.raises(RuntimeError):
        run(torch.randn(3, count + 1))


def test_a_branch_on_divisibility_compiles_both_ways() -> None:
    def branches(x: torch.Tensor) -> torch.Tensor:
        return softmax(x) if x.shape[1] % 8 == 0 else pointwise(x)

    seen: list[tuple[ModuleOp, Executable]] = []
    run = compiled(branches, seen, dynamic=True)
    for columns in (16, 17, 40, 23):
        x = torch.randn(3, columns)
        torch.testing.assert_close(run(x), branches(x))
    assert len(seen) == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.view(x.shape[0], -1, 8).softmax(-1),
        lambda x: x.view(x.shape[0], 4, x.shape[1] // 4).transpose(0, 1).softmax(-1),
        lambda x: x.unflatten(1, (-1, 2)).sum(-1) + x[:, ::2],
    ],
    ids=["groups of 8", "4 heads", "pairs"],
)
def test_parts_of_a_dimension_are_views(function: Function) -> None:
    """The guard of a view that splits a dynamic dimension is enough: no call of PyTorch."""
    seen: list[tuple[ModuleOp, Executable]] = []
    run = compiled(function, seen, dynamic=True)
    for rows, columns in ((3, 64), (5, 48), (2, 160)):
        x = torch.randn(rows, columns)
        torch.testing.assert_close(run(x), function(x))
    assert not [op for module, _ in seen for op in module.walk() if isinstance(op, ExternOp)]


def test_gradients_of_parts() -> None:
    def heads(x: torch.Tensor) -> torch.Tensor:
        return (x.view(x.shape[0], 4, x.shape[1] // 4).softmax(-1) * x.unflatten(1, (4, -1))).sum()

    run = compiled(heads, [], dynamic=True)
    for columns in (64, 48):
        ours, theirs = (torch.linspace(-1, 1, 3 * columns).view(3, columns).requires_grad_() for _ in range(2))
        run(ours).backward()
        heads(theirs).backward()
        torch.testing.assert_close(ours.grad, theirs.grad)


def test_sizes_known_late() -> None:
    def found(x: torch.Tensor) -> torch.Tensor:
        places = torch.nonzero(x)
        torch._check(places.shape[0] % 4 == 0)
        return (places * 3).sum(1).view(-1, 4).float().softmax(-1)

    x = torch.tensor([[1, 0, 1, 1], [1, 0, 0, 0]])
    seen: list[tuple[ModuleOp, Executable]] = []
    run = compiled(found, seen)
    with torch._dynamo.config.patch(capture_scalar_outputs=True, capture_dynamic_output_shape_ops=True):
        torch.testing.assert_close(run(x), found(x))
        assert "_4s = parts(" in seen[0][1].source
        with pytest.raises(RuntimeError, match="a size is 3"):
            run(x * torch.tensor([1, 1, 1, 0]))


def test_exported_programs_check_what_they_count_on() -> None:
    """No guard of Dynamo stands before them: the host program refuses other sizes."""
    graph = import_callable(multiples_of(16, softmax), [torch.randn(4, 32)], dynamic=[{0: "M", 1: "N"}])
    executable = compile_imported(graph)
    x = torch.randn(3, 80)
    torch.testing.assert_close(executable(x)[0], softmax(x))
    with pytest.raises(RuntimeError, match="a size is 30"):
        executable(torch.randn(3, 30))


def test_an_expression_reads_a_number_that_no_tensor_has() -> None:
    """Only an assertion speaks of the closure's number: the host program knows it all the same."""
    with torch._dynamo.config.patch(specialize_int=False):
        run = compiled(multiples_of(16, softmax), [], dynamic=True)
        for columns in (32, 80):
            x = torch.randn(3, columns)
            torch.testing.assert_close(run(x), softmax(x))


# Kernels


def resources(function: Function, columns: int, path: Path) -> tuple[str, Resources]:
    """The source of the one kernel for bfloat16 of M x N, and what it uses on sm_90."""
    x = torch.randn(6, columns).bfloat16()
    module = lower_to(import_callable(function, [x], dynamic=[{0: "M", 1: "N"}]).module, "triton")
    assert isinstance(module, ModuleOp)
    path.write_text(module_source(module))
    (request,) = kernel_requests(module, path)
    return path.read_text().partition("@triton.jit")[2], compile_kernel(request)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("function", [softmax, pointwise])
def test_loads_are_wide_where_columns_are_a_known_multiple(function: Function, tmp_path: Path) -> None:
    _, known = resources(multiples_of(16, function), 32, tmp_path / "known.py")
    assert known.vector_loads == known.loads and known.vector_stores == known.stores
    _, plain = resources(function, 32, tmp_path / "plain.py")
    assert plain.vector_loads == 0 and plain.loads > known.loads


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("function", "count"), [(softmax, 8192), (pointwise, 8192)])
def test_masks_go_where_blocks_divide_the_columns(function: Function, count: int, tmp_path: Path) -> None:
    assert "mask" in resources(multiples_of(16, function), 16, tmp_path / "some.py")[0]
    source, known = resources(multiples_of(count, function), count, tmp_path / "whole.py")
    assert "mask" not in source and known.vector_loads == known.loads


def test_without_a_check_nothing_is_known() -> None:
    graph = import_callable(softmax, [torch.randn(4, 32)], dynamic=[{0: "M", 1: "N"}])
    assert 'tensor<?x?xf32, ["M", "N"]>' in str(graph.module)
