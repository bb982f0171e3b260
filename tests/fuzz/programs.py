"""Programs to start from: what the FileCheck tests hold, a function or kernel each, at every level."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.triton.dialect import KernelOp as TritonKernelOp
from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from tools.universe import context

FOLDER = Path(__file__).parents[1] / "filecheck"
_MARKER = re.compile(r"(?m)^[ \t]*// -----[ \t\r]*$")
_LARGEST = 200
"""Ops of a program: a thousand cost a second a pass."""


@cache
def texts() -> tuple[str, ...]:
    """The pieces of all files, valid ones and others."""
    return tuple(piece for path in sorted(FOLDER.rglob("*.mlir")) for piece in _MARKER.split(path.read_text("utf-8")))


@cache
def programs() -> tuple[ModuleOp, ...]:
    """The functions and kernels of the valid pieces, each alone; a program of several whole as well."""
    return tuple(module for text in texts() for module in _programs(text))


def _programs(text: str) -> list[ModuleOp]:
    try:
        module = parse_module(context(), text)
        verify_module(module)
    except MlcError:
        return []
    kinds = (func.FuncOp, KernelOp, TritonKernelOp)
    alone = [ModuleOp([op.clone()]) for op in module.ops if isinstance(op, kinds)]
    several = len(alone) > 1 and any(not isinstance(op, func.FuncOp) for op in module.ops)
    return [m for m in (*alone, *([module] if several else [])) if _is_small(m)]


def _is_small(module: ModuleOp) -> bool:
    try:
        verify_module(module)
    except MlcError:  # a launch whose kernel is another piece
        return False
    return sum(1 for _ in module.walk()) < _LARGEST
