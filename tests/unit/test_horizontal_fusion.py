"""Kernels that share a launch: their numbers, how many launches are left, and what the joined kernel uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from xdsl.dialects.builtin import ModuleOp

from benchmarks.cases.movement import rotary
from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.kernels.aot import Resources, compile_kernel
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from tests.golden_kernels import committed, read
from tests.unit.test_end_to_end import DEVICES

SHAPES = [
    (64, 33),
    (7,),
    (128, 64),
    (1,),
    (31, 17, 3),
    (0, 4),
    (),
    (64,),
    (1000,),
    (5, 5),
    (300, 2),
    (4096,),
    (3, 1025),
]


def scaled(*xs: Tensor) -> list[Tensor]:
    return [x * 2 + 1 for x in xs]


def adamw(*given: Tensor) -> list[Tensor]:
    """New parameters and averages for parameters, gradients, averages of gradients and of their squares."""
    count = len(given) // 4
    results: list[Tensor] = []
    for p, g, m, v in zip(*(given[k * count : (k + 1) * count] for k in range(4)), strict=True):
        m = m * 0.9 + g * 0.1
        v = v * 0.999 + g * g * 0.001
        results += [p * 0.9999 - 1e-3 * (m / 0.271) / ((v / 0.002997).sqrt() + 1e-8), m, v]
    return results


def unlike(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, ...]:
    """Elements, rows, columns, tiles, and a sum that the last program adds up."""
    return x.exp(), y.sum(1), z.t().contiguous() + 1, z.sum(0), (y * y).sum(), z.softmax(1)


def in_turn(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Updates what is read before and after."""
    before = (x * 3).flip(0)
    x.add_(1)
    return before, x.sum(0), y * 2


CASES = [
    pytest.param(rotary, [(2, 6, 17, 16), (2, 2, 17, 16), (17, 16), (17, 16)], 1, id="rotary-of-grouped-heads"),
    pytest.param(rotary, [(2, 6, 17, 16), (2, 6, 17, 16), (17, 16), (17, 16)], 1, id="rotary-of-equal-heads"),
    pytest.param(scaled, SHAPES, 1, id="any-sizes"),
    pytest.param(scaled, [(n,) for n in range(2, 82)], 2, id="more-than-fit"),
    pytest.param(adamw, SHAPES * 4, 1, id="adamw"),
    pytest.param(unlike, [(33, 5), (650, 300), (70, 90)], 2, id="unlike"),
    pytest.param(in_turn, [(40, 30), (7,)], None, id="in-turn"),
]


def compiled(
    function: Callable[..., Any], inputs: Sequence[Tensor], dynamic: bool | None = None
) -> tuple[Executable, list[Tensor]]:
    """The executable of a function and what it gives."""
    torch._dynamo.reset()
    seen: list[Executable] = []
    backend = partial(
        compile_graph_module,
        options=CompilerOptions(verify=True),
        observe=lambda _, executable: seen.append(executable),
    )
    results = torch.compile(function, backend=backend, fullgraph=True, dynamic=dynamic)(*inputs)
    return seen[-1], list(results)


def launches(executable: Executable) -> int:
    return len(re.findall(r"^    \w+\[\(", executable.source, re.MULTILINE))


def drawn(shapes: Sequence[tuple[int, ...]], device: str) -> list[Tensor]:
    """Positive numbers, as averages of squares are."""
    generator = torch.Generator().manual_seed(len(shapes))
    return [(torch.rand(shape, generator=generator) + 0.1).to(device) for shape in shapes]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function, shapes, count", CASES)
def test_as_eager(function: Callable[..., Any], shapes: list[tuple[int, ...]], count: int | None, device: str) -> None:
    given = drawn(shapes, device)
    executable, found = compiled(function, [x.clone() for x in given])
    copies = [x.clone() for x in given]
    for got, wanted in zip(found, function(*copies), strict=True):
        torch.testing.assert_close(got, wanted)
    assert count is None or launches(executable) == count, executable.source


@pytest.mark.parametrize("device", DEVICES)
def test_sizes_that_vary(device: str) -> None:
    """The number of programs, and where those of each kernel begin, are computed at each call."""
    torch._dynamo.reset()
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    function = torch.compile(scaled, backend=backend, fullgraph=True, dynamic=True)
    for shapes in ([(5000, 3), (7, 5), (11, 1025)], [(2, 9), (4000, 12), (6, 700)]):
        given = drawn(shapes, device)
        for got, wanted in zip(function(*given), scaled(*given), strict=True):
            torch.testing.assert_close(got, wanted)
    assert len(seen) == 1 and launches(seen[0]) == 1, seen[0].source


OPTIMIZERS = {
    "adamw": partial(torch.optim.AdamW, lr=1e-2),
    "adam": partial(torch.optim.Adam, lr=1e-2, weight_decay=0.1, amsgrad=True),
    "sgd": partial(torch.optim.SGD, lr=1e-2, momentum=0.9, nesterov=True),
    "rmsprop": partial(torch.optim.RMSprop, lr=1e-2, centered=True),
}


def stepped(make: Callable[..., torch.optim.Optimizer], device: str, steps: int, compile_with: Any) -> list[Tensor]:
    """Parameters after some steps with the same gradients; the first step, which makes states, is eager."""
    parameters = [torch.nn.Parameter(x) for x in drawn(SHAPES[:5], device)]
    for p in parameters:
        p.grad = p.detach().flip(0) * 0.1
    optimizer = make(parameters)
    optimizer.step()
    step = torch.compile(optimizer.step, backend=compile_with) if compile_with is not None else optimizer.step
    for _ in range(steps):
        step()
    return [p.detach() for p in parameters]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name, foreach", [("adamw", False), *((name, True) for name in OPTIMIZERS)])
def test_optimizers_of_torch(name: str, foreach: bool, device: str) -> None:
    """As eager, in few launches however many parameters there are: new counts, new values, and these copied back."""
    torch._dynamo.reset()
    capturable = {"capturable": True} if device == "cuda" and name.startswith("adam") else {}
    make = partial(OPTIMIZERS[name], foreach=foreach, **capturable)
    seen: list[Executable] = []
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    found, wanted = stepped(make, device, 2, backend), stepped(make, device, 2, None)
    for got, want in zip(found, wanted, strict=True):
        torch.testing.assert_close(got, want, rtol=2e-6, atol=1e-6)
    assert sum(map(launches, seen)) <= 4 and "torch.ops.aten._foreach" not in seen[-1].source, seen[-1].source


def test_updates_in_place() -> None:
    """What a kernel updates another reads before or after, as written."""
    given = drawn([(40, 30), (7,)], "cpu")
    ours, eager = [x.clone() for x in given], [x.clone() for x in given]
    found = compiled(in_turn, ours)[1]
    for got, wanted in zip([*found, *ours], [*in_turn(*eager), *eager], strict=True):
        torch.testing.assert_close(got, wanted)


def test_other_policies_keep_their_kernels_apart() -> None:
    """They are compared by the kernels that they make."""
    imported = import_callable(scaled, [torch.ones(4), torch.ones(5)])
    module = lower_to(imported.module, "triton", CompilerOptions(policy="pointwise"))
    assert isinstance(module, ModuleOp) and module_source(module).count("@triton.jit") == 2


def test_no_more_registers_than_the_greediest() -> None:
    """Compiled for sm_90, which needs no GPU: what is joined costs no occupancy, spills nothing and loads as wide."""
    used: list[list[Resources]] = []
    for policy in ("mlc", "pointwise"):
        module = lower_to(
            read(committed()["movement"]["rotary q and k bf16"]), "triton", CompilerOptions(policy=policy)
        )
        assert isinstance(module, ModuleOp)
        path = write_source(module_source(module))
        used.append([compile_kernel(request) for request in kernel_requests(module, path)])
    (joined,), apart = used
    assert len(apart) == 2
    assert joined.registers <= max(r.registers for r in apart) and not joined.spill_bytes
    assert joined.loads == joined.vector_loads == sum(r.loads for r in apart)
