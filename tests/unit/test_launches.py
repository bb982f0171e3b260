"""How many kernels the benchmark's best-known functions take."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.host import LaunchOp
from tests.golden_kernels import committed, read

GRAPHS = committed()
LAUNCHES = {
    "softmax: softmax bf16 65536x4096": 1,
    "softmax: log_softmax f32 16384x8192": 1,
    "norm: layer norm bf16 65536x4096": 1,
    "norm: rms norm + residual bf16": 1,
    "norm: group norm + silu bf16": 1,
    "loss: cross entropy bf16 8192x128256": 1,
    "optimizer: adamw step f32": 1,
    "reduction: sum of all f32": 1,
    "reduction: sum of columns bf16": 1,
    "reduction: variance of columns f32": 1,
    "reduction: amax and mean f32": 1,
    "movement: roll f32": 1,
    "movement: rotary q and k bf16": 1,
    "movement: rotary q and k f32": 1,
    "regions: window partition bf16 64x64x64x128": 1,
    "regions: window reverse + residual bf16 64x64x64x128": 1,
    "norm: layer norm backward bf16 16384x4096": 2,
    "norm: rms norm backward bf16 16384x4096": 2,
    "norm: batch norm training + relu bf16": 2,
    "reduction: x / x.sum() f32": 2,
    "scan: cumsum f32 64x1048576": 2,
}


@pytest.mark.parametrize("case", LAUNCHES)
def test_launches(case: str) -> None:
    """No more than there were."""
    family, name = case.split(": ", 1)
    module = lower_to(read(GRAPHS[family][name]), "triton")
    assert isinstance(module, ModuleOp)
    assert sum(isinstance(op, LaunchOp) for op in module.walk()) <= LAUNCHES[case]
