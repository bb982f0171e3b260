"""What a loop computes and a later one uses takes registers: rows that would spill are read in blocks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.fusion_corpus import seeded
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernels.aot import compile_kernel
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to


@pytest.mark.parametrize("seed", [261, 268, 77])
def test_many_values_between_reductions(seed: int) -> None:
    """Ten and more values of rows are needed behind reductions of them, beside transposed results."""
    graph = seeded(seed, 1 << 24)
    module = lower_to(graph.module.clone(), "triton", CompilerOptions(canonicalize=False, device="h200"))
    for request in kernel_requests(module, write_source(module_source(module))):  # pyright: ignore[reportArgumentType]
        assert compile_kernel(replace(request, capability=90)).spill_bytes == 0
