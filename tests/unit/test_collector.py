"""The garbage collector rests while a module is compiled, and runs again afterwards."""

from __future__ import annotations

import gc
from functools import partial

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.pipeline import lower_to
from mlc_support.collector import collector_paused
from passes.tensor.canonicalize.canonicalize import CanonicalizePass


def test_it_rests_inside_and_runs_again() -> None:
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_runs_again_after_an_error() -> None:
    with pytest.raises(ValueError), collector_paused():
        raise ValueError
    assert gc.isenabled()


def test_who_has_turned_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_rests_while_the_compiler_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def apply(self: CanonicalizePass, ctx: Context, op: ModuleOp) -> None:
        seen.append(gc.isenabled())

    monkeypatch.setattr(CanonicalizePass, "apply", apply)
    lower_to(ModuleOp([]), "simplified")
    assert seen
    assert not any(seen)
    assert gc.isenabled()


def test_it_rests_while_a_function_is_compiled() -> None:
    """From AOTAutograd to the program, in both directions; and it runs when the function does."""
    seen: list[bool] = []

    def observe(*_: object) -> None:
        seen.append(gc.isenabled())

    compiled = torch.compile(lambda x: torch.relu(x) * 2, backend=partial(compile_graph_module, observe=observe))
    x = torch.randn(8, requires_grad=True)
    compiled(x).sum().backward()
    assert seen == [False, False]
    assert gc.isenabled()
