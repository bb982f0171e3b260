"""Products of matrices compiled to kernels of ours for an H200, which run here or are interpreted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import mlc_compiler

DEVICES = [("cpu", "interpret"), pytest.param(("cuda", None), marks=pytest.mark.gpu)]
"""Where tensors lie, and the option `cpu` that runs the kernels there."""


def compiled(function: Callable[..., Any], sources: list[str], **options: Any) -> Callable[..., Any]:
    """`function` compiled; the sources of its kernels come to `sources`."""
    torch._dynamo.reset()

    def backend(gm: Any, examples: Any) -> Any:
        chosen = {"products": "generated", "device": "h200", **options}
        return mlc_compiler.compile_graph_module(
            gm, examples, options=chosen, observe=lambda _, e: sources.append(e.source)
        )

    return torch.compile(function, backend=backend)
