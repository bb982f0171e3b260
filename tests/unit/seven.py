"""The seven functions by which the fusion of compilers is compared, and their kernels."""

from __future__ import annotations

import functools
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.pipeline import lower_to
from tools.mlc_translate import import_target

KERNELS = {
    "chain": {"xla": 1, "inductor": 1, "tvm": 1},
    "softmax": {"xla": 1, "inductor": 1, "tvm": 4},
    "layer_norm": {"xla": 1, "inductor": 1, "tvm": 4},
    "gelu_linear": {"xla": 2, "inductor": 2, "tvm": 1},
    "div_sum": {"xla": 3, "inductor": 3, "tvm": 2},
    "sin_cos": {"xla": 2, "inductor": 1, "tvm": 2},
    "mse": {"xla": 3, "inductor": 2, "tvm": 2},
}
"""Kernels at 512 x 1024 float32 by jaxlib 0.10.2, torch 2.13 and apache-tvm 0.27."""

FILE = Path(__file__).parents[2] / "examples" / "compare.py"
X = "512x1024xf32"
ARGUMENTS = {
    "layer_norm": f"{X},1024xf32,1024xf32",
    "gelu_linear": f"{X},1024x2048xf32,2048xf32",
    "mse": f"{X},{X}",
}


@functools.cache
def _imported(name: str) -> ModuleOp:
    module = import_target(f"{FILE}:{name}", ARGUMENTS.get(name, X)).module
    lowered = lower_to(module, "simplified")
    assert isinstance(lowered, ModuleOp)
    return lowered


def seven(name: str) -> ModuleOp:
    """One of the functions, simplified, ready to be fused."""
    return _imported(name).clone()
