"""Times of the strategies that can run here: our own policies and Inductor, on a CUDA device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import triton.testing
from xdsl.dialects.builtin import TensorType

from lowering.export.aten import aten_source
from lowering.fx_to_tensor.imported import Imported, ResultOutput
from mlc_compiler.compare.comparison import Comparison, Strategy
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.aten_graph import graph_module
from mlc_compiler.options import CompilerOptions
from mlc_dialects.common.types import BY_TYPE
from mlc_support.errors import MlcError
from passes.tensor.fusion.plan import EMULATED


def measured(comparison: Comparison) -> Comparison:
    """The comparison with times: the median of calls, the L2 cache flushed before each, in microseconds.

    A row with turned knobs, an emulation, or a compiler that cannot run here has none. MlcError where
    there is no CUDA device, or sizes have no number.
    """
    if not torch.cuda.is_available():
        raise MlcError("--measure needs a CUDA device", None, "leave it out: times are predicted then")
    inputs = [_example(a.type, seed) for seed, a in enumerate(comparison.block.args)]
    rows = tuple(replace(row, measured_us=_time(comparison, row, inputs)) for row in comparison.rows)
    return replace(comparison, rows=rows)


def _time(comparison: Comparison, row: Strategy, inputs: list[torch.Tensor]) -> float | None:
    run = runner(comparison, row)
    if run is None:
        return None
    milliseconds: Any = triton.testing.do_bench(lambda: run(*inputs), warmup=30, rep=150, return_mode="median")
    return 1e3 * float(milliseconds)


def runner(comparison: Comparison, row: Strategy) -> Callable[..., Any] | None:
    """What a row's strategy runs for the graph, on CUDA tensors; None where it cannot run here."""
    if row.knobs or not row.real:
        return None
    if row.policy not in EMULATED:
        outputs = tuple(ResultOutput(k) for k in range(len(comparison.function.function_type.outputs)))
        options = CompilerOptions(policy=row.policy, canonicalize=False)
        return compile_imported(Imported(comparison.module.clone(), outputs=outputs), options)
    if row.name == "inductor":
        return torch.compile(graph_module(aten_source(comparison.module), "cuda"))
    return None


def _example(type_: Any, seed: int) -> torch.Tensor:
    """Numbers for one argument, on the device."""
    assert isinstance(type_, TensorType)
    generator = torch.Generator().manual_seed(seed)
    dtype = getattr(torch, BY_TYPE[type_.element_type].torch_name)
    shape = type_.get_shape()
    if any(size < 0 for size in shape):
        raise MlcError("--measure needs numbers for all sizes", None, "give them: --shapes N=512")
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator).to("cuda", dtype)
    return torch.randint(0, 2, shape, generator=generator).to("cuda", dtype)
