"""What fusion finds out of two kernels by their iterations is what following every value through every op tells."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.iteration.iterate import Iteration, Refusal, iterate
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.views import ViewOp
from passes.tensor.fusion.joined import joined

Function = Callable[[Tensor], Tensor]


def window(size: int, before: Function) -> Function:
    """The sum over a window of `size` squared places of what `before` computes."""

    def function(x: Tensor) -> Tensor:
        y, total = before(x), torch.zeros(())
        for i in range(size):
            for j in range(size):
                total = total + y[..., i : i + 16, j : j + 16] * (i - j + 0.5)
        return total

    return function


def rolled(count: int, before: Function) -> Function:
    """The sum of what `before` computes at `count` places, each as many as there are: one loop could have both."""

    def function(x: Tensor) -> Tensor:
        y, total = before(x), torch.zeros(())
        for k in range(count):
            total = total + y.roll(k + 1, -1) * (k + 0.5)
        return total

    return function


TANH = "would compute mlc_tensor.tanh at more than 8 places"
PROGRAMS: dict[str, tuple[Function, str | None]] = {
    "nine places": (rolled(9, torch.tanh), TANH),
    "nine places, of casts": (rolled(9, lambda x: torch.tanh(x).half().float()), TANH),
    "eight places": (rolled(8, torch.tanh), None),
    "casts alone": (rolled(9, lambda x: x.half().float()), None),
    "a window": (window(3, torch.tanh), TANH),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_ways_agree(name: str) -> None:
    """Of what is computed before a window, and of the window: where the short way tells, so does the long one."""
    function, refusal = PROGRAMS[name]
    imported = import_callable(function, [torch.randn(2, 8, 18, 18)])
    module = lower_to(imported.module, "simplified", CompilerOptions(device="h200"))
    assert isinstance(module, ModuleOp)
    (main,) = (op for op in module.ops if isinstance(op, FuncOp))
    *ops, end = main.body.block.ops
    first = next(k for k, op in enumerate(ops) if isinstance(op, ViewOp))
    before, behind = ops[:first], ops[first:]
    made, outputs = (
        [op.results[0] for op in before if any(u.operation in behind for u in op.results[0].uses)],
        end.operands,
    )
    one, two, whole = iterate(before, made), iterate(behind, outputs), iterate(ops, outputs)
    assert isinstance(one, Iteration)
    assert isinstance(two, Iteration)
    found = joined(one, two, list(outputs))
    assert (whole.why if isinstance(whole, Refusal) else None) == refusal
    if isinstance(found, Refusal):
        assert isinstance(whole, Refusal) and found.why == whole.why
    else:
        assert found is None or isinstance(whole, Iteration)
    assert isinstance(found, Refusal) is (refusal is not None and name != "a window")  # whose points are fewer
    assert CastOp in map(type, before) or "cast" not in name
