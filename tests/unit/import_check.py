"""The check of importer tests: import, verify, run on the oracle, compare with eager."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import Imported, import_callable
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.verification import verify_module
from tests.unit.torch_oracle import Oracle


def externs(module: ModuleOp) -> list[str]:
    """The callees of the extern calls of a module, in order."""
    return [op.callee.data for op in module.walk() if isinstance(op, ExternOp)]


def expect(imported: Imported, inputs: list[Any], expected: Any, tolerance: float | None = None) -> None:
    """Running `imported` on `inputs` gives `expected`: values, types, shapes and structure."""
    verify_module(imported.module)
    found = Oracle(imported)(*inputs)
    wanted = tree_leaves(expected)
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        if isinstance(theirs, torch.Tensor):
            close = {} if tolerance is None else {"atol": tolerance, "rtol": tolerance}
            torch.testing.assert_close(ours, theirs, equal_nan=True, **close)
        else:
            assert ours == theirs


def check(
    function: Callable[..., Any],
    *inputs: Any,
    extern: list[str] | None = None,
    tolerance: float | None = None,
    **options: Any,
) -> Imported:
    """`function` imports with exactly the calls `extern` (none by default) and computes what eager does."""
    imported = import_callable(function, inputs, **options)
    assert externs(imported.module) == (extern or []), str(imported.module)
    expected = function(*tree_map(lambda v: v.clone() if isinstance(v, torch.Tensor) else v, inputs))
    expect(imported, list(inputs), expected, tolerance)
    return imported


def check_all(functions: dict[str, Callable[..., Any]], *inputs: Any, tolerance: float | None = None) -> None:
    """`check` of many functions of the same inputs, in one graph; a failure names the first wrong one."""

    def together(*args: Any) -> dict[str, Any]:
        return {name: function(*args) for name, function in functions.items()}

    imported = import_callable(together, inputs)
    assert not externs(imported.module), str(imported.module)
    verify_module(imported.module)
    found = imported.rebuild(Oracle(imported)(*inputs))
    close = {} if tolerance is None else {"atol": tolerance, "rtol": tolerance}
    for name, function in functions.items():
        for ours, theirs in zip(tree_leaves(found[name]), tree_leaves(function(*inputs)), strict=True):
            assert isinstance(theirs, torch.Tensor) or ours == theirs
            if isinstance(theirs, torch.Tensor):
                message = partial("{}: {}".format, name)
                torch.testing.assert_close(ours, theirs, equal_nan=True, msg=message, **close)
