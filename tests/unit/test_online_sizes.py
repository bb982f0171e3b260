"""Products that follow each other, of sizes that only a call tells: one program for all of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor

from lowering.fx_to_tensor import import_callable
from lowering.fx_to_tensor.front_doors import Dynamic
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.options import CompilerOptions
from tests.unit.generated_kernels import DEVICES, compiled
from tests.unit.test_online_products import FUSED, SCORES, Results, inputs


@pytest.mark.sampled(4)
@pytest.mark.parametrize("named", [(2,), (0, 2)], ids=["lengths", "batch and lengths"])
@pytest.mark.parametrize("where", DEVICES)
def test_sizes_known_at_run_time(where: tuple[str, str | None], named: tuple[int, ...], subtests: Any) -> None:
    """One program for any number of queries and keys, also fewer than a block has."""
    device, cpu = where
    functions, sources = list(FUSED.values()), list[str]()

    def every(queries: list[Tensor], k: Tensor, v: Tensor) -> list[Tensor]:
        return [function(q, k, v) for function, q in zip(functions, queries, strict=True)]

    run = compiled(every, sources, dynamic=None, cpu=cpu)
    for rows, keys in ((16, 40), (70, 150), (33, 9)):
        q, *others = inputs(device, torch.bfloat16, rows, keys)
        given = [q * (1 + n / 8) for n in range(len(functions))], *others
        for tensor, dim in product((*given[0], *others), named):
            torch._dynamo.mark_dynamic(tensor, dim)
        exact = every([q.double() for q in given[0]], *(x.double() for x in others))
        for name, *three in zip(FUSED, run(*given), every(*given), exact, strict=True):
            with subtests.test(f"{name}, {rows} queries, {keys} keys"):
                Results(*three).check()
    (source,) = sources
    assert "ops.aten" not in source and source.count("tl.program_id(0)") >= len(FUSED)


@pytest.mark.parametrize(
    "name", ["plain", "capped", "window", "slopes", "sinks alone", "einsum", "dropped", "no softmax"]
)
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_no_keys_at_run_time(device: str, name: str) -> None:
    """A sum of nothing is 0, although the sum that it is divided by is 0 too: an exported program may be given that."""
    lengths: Dynamic = [{2: rows} for rows in ("N", "M", "M")]
    imported = import_callable(FUSED[name], inputs(device, torch.bfloat16, 16, 40), dynamic=lengths)
    run = compile_imported(imported, CompilerOptions(products="generated", cpu="interpret", device="h200"))
    assert SCORES in run.source
    for rows, keys in ((16, 0), (3, 7)):
        given = inputs(device, torch.bfloat16, rows, keys)
        Results(run(*given)[0], FUSED[name](*given), FUSED[name](*(x.double() for x in given))).check()
    assert run(*inputs(device, torch.bfloat16, 0, 40))[0].shape == (2, 2, 0, 16)
