"""Products of matrices compiled to kernels of ours for an H200, which run here or are interpreted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.dialects.builtin import ModuleOp

import mlc_compiler
from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernels.aot import Resources, compile_kernel
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to

ARCHITECTURES = [("h200", 90), ("a100", 80)]
"""A device, and the compute capability that kernels for it are compiled for."""

DEVICES = [("cpu", "interpret"), pytest.param(("cuda", None), marks=pytest.mark.gpu)]
"""Where tensors lie, and the option `cpu` that runs the kernels there."""


def compiled(
    function: Callable[..., Any], sources: list[str], dynamic: bool | None = False, **options: Any
) -> Callable[..., Any]:
    """`function` compiled, by default for the sizes at hand; the sources of its kernels come to `sources`.

    `dynamic` is that of `torch.compile`: with None sizes are named that are marked so.
    """
    torch._dynamo.reset()

    def backend(gm: Any, examples: Any) -> Any:
        chosen = {"products": "generated", "device": "h200", **options}
        return mlc_compiler.compile_graph_module(
            gm, examples, options=chosen, observe=lambda _, e: sources.append(e.source)
        )

    return torch.compile(function, backend=backend, dynamic=dynamic)


def ahead_of_time(
    function: Callable[..., Any],
    shapes: Sequence[tuple[tuple[int, ...], torch.dtype]],
    device: str,
    capability: int,
    memory_format: torch.memory_format = torch.contiguous_format,
) -> tuple[str, list[Resources]]:
    """The kernels of `function` for tensors of these shapes and types, and what each takes of a GPU.

    Pictures lie in `memory_format`.
    """
    with FakeTensorMode():
        given = [torch.empty(shape, dtype=dtype) for shape, dtype in shapes]
        given = [x.contiguous(memory_format=memory_format) if x.ndim == 4 else x for x in given]
        imported = import_callable(function, given)
    return compiled_ahead(
        lower_to(imported.module, "triton", CompilerOptions(products="generated", device=device)), capability
    )


def compiled_ahead(module: ModuleOp | str, capability: int) -> tuple[str, list[Resources]]:
    """The kernels of a module of `mlc_triton`, and what each takes of a GPU."""
    assert isinstance(module, ModuleOp)
    source = module_source(module)
    requests = kernel_requests(module, write_source(source))
    return source, [compile_kernel(replace(request, capability=capability)) for request in requests]


def adds_parts(source: str) -> bool:
    """True if a kernel adds up the parts of sums that programs share (split-K)."""
    return "_parts[(" in source
