"""Random PyTorch programs against eager: FUZZ_GRAPHS of them (50; `make fuzz` tries 2,000)."""

from __future__ import annotations

import os

import pytest
import torch
from hypothesis import HealthCheck, given, note, seed, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from lowering.fx_to_tensor import import_graph
from lowering.fx_to_tensor.decompositions.table import decompositions
from mlc_compiler.execution.executable import compile_imported
from tests.unit.random_programs import Program, program

GRAPHS = int(os.environ.get("FUZZ_GRAPHS", "50"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))
ROUNDING = {torch.float64: 1e-10, torch.float32: 4e-5, torch.float16: 2e-2, torch.bfloat16: 1e-1}
"""Relative to the largest number of the program: errors of its sums, and one rounding where they meet an edge."""
TABLE = decompositions()


def compiled(target: Program) -> list[torch.Tensor]:
    """What the program's executable gives, through import and every pass."""
    with FakeTensorMode() as mode:
        fakes = [mode.from_tensor(x) for x in target.inputs]
        graph = make_fx(target, TABLE)(*fakes)
    return compile_imported(import_graph(graph))(*target.inputs)


def problem(found: torch.Tensor, wanted: torch.Tensor, target: Program) -> str | None:
    """What is wrong with a result, or None."""
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return f"{found.dtype} {list(found.shape)}, eager has {wanted.dtype} {list(wanted.shape)}"
    if not wanted.dtype.is_floating_point:
        return None if torch.equal(found, wanted) else f"{found}\neager has {wanted}"
    rounding = max(ROUNDING[d] for d in target.dtypes()) * target.largest
    close = torch.isclose(found, wanted, rtol=0, atol=rounding, equal_nan=True)
    return None if bool(close.all()) else f"{found[~close]}\neager has {wanted[~close]}, may be off by {rounding}"


@pytest.mark.slow
@seed(SEED)
@settings(
    max_examples=GRAPHS,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.integers(0, 2**40), st.integers(1, 40))
def test_random_programs_do_as_eager_does(number: int, count: int) -> None:
    target = program(number, count)
    note(f"program({number}, {count}), FUZZ_SEED={SEED}\n{target}")
    wanted = target(*target.inputs)
    for position, (ours, theirs) in enumerate(zip(compiled(target), wanted, strict=True)):
        wrong = problem(ours, theirs, target)
        assert wrong is None, f"result {position}: {wrong}"
