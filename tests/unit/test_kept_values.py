"""What a loop computes and a later one uses takes registers: rows that would spill are read in blocks."""

from __future__ import annotations

import pytest

from benchmarks.fusion_corpus import seeded
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from tests.unit.generated_kernels import compiled_ahead


@pytest.mark.parametrize("seed", [261, 268, 77])
def test_many_values_between_reductions(seed: int) -> None:
    """Ten and more values of rows are needed behind reductions of them, beside transposed results."""
    graph = seeded(seed, 1 << 24)
    module = lower_to(graph.module.clone(), "triton", CompilerOptions(canonicalize=False, device="h200"))
    _, kernels = compiled_ahead(module, 90)
    assert kernels and all(used.spill_bytes == 0 for used in kernels)
