"""Random graphs through the whole pipeline, on Triton's interpreter, against the reference interpreter."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lowering.fx_to_tensor.imported import Imported, ResultOutput
from lowering.interpreter.run import find_function, run_values
from mlc_compiler import pipeline
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.options import CompilerOptions
from mlc_dialects.common.types import BY_TYPE
from mlc_dialects.semantics.numerics import Value
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.random_graphs import Graph, graphs
from tests.unit.small_blocks import SmallBlocksPass

RANDOM = settings(
    max_examples=60,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
OPTIONS = st.builds(
    CompilerOptions,
    policy=st.sampled_from(("mlc", "mlc", "pointwise", "none")),
    canonicalize=st.booleans(),
    verify=st.just(True),
)

SCHEDULES = {"usual": SchedulePass, "small": SmallBlocksPass}


def compiled(graph: Graph, options: CompilerOptions) -> list[torch.Tensor]:
    """What the graph's executable gives."""
    function = find_function(graph.module)
    count = len(function.function_type.outputs.data)
    imported = Imported(graph.module.clone(), outputs=tuple(ResultOutput(i) for i in range(count)))
    inputs = [
        torch.from_numpy(np.array(array)).to(getattr(torch, BY_TYPE[argument.type.element_type].torch_name))
        for array, argument in zip(graph.inputs, function.body.block.args, strict=True)
    ]
    return compile_imported(imported, options)(*inputs)


def difference(found: torch.Tensor, expected: Value) -> str | None:
    """What is wrong with a result, or None: integers are exact, floats differ by rounding."""
    wanted = torch.from_numpy(np.array(expected.array)).to(found.dtype)
    if found.shape != wanted.shape:
        return f"shape {tuple(found.shape)}, not {tuple(wanted.shape)}"
    if not found.dtype.is_floating_point:
        return None if torch.equal(found, wanted) else "values"
    rounding = {torch.float16: 4e-3, torch.bfloat16: 3e-2}.get(found.dtype, 1e-4)
    close = torch.isclose(found, wanted, rtol=rounding, atol=rounding, equal_nan=True)
    return None if bool(close.all()) else "values"


@RANDOM
@given(graphs(max_ops=15, plain=True), OPTIONS, st.sampled_from(sorted(SCHEDULES)))
def test_random_graphs_run_as_the_oracle_says(graph: Graph, options: CompilerOptions, blocks: str) -> None:
    """The pipeline, whatever its policy and its blocks, keeps the meaning."""
    expected = run_values(graph.module, graph.inputs)
    with patch.object(pipeline, "SchedulePass", SCHEDULES[blocks]):
        found = compiled(graph, options)
    for position, (new, old) in enumerate(zip(found, expected, strict=True)):
        problem = difference(new, old)
        assert problem is None, f"result {position}: {problem}\n{new}\ninstead of\n{old.array}"
