"""On random graphs every pass, alone and in any order, keeps the reference interpreter's answer.

MLC_RANDOM_EXAMPLES sets how many graphs each test sees.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.passes import ModulePass

from lowering.oracle import run_values
from mlc_dialects.numerics import same_bits
from mlc_support.verification import verify_module
from passes.canonicalize import CanonicalizePass
from passes.const_fold import ConstFoldPass
from passes.cse import CsePass
from passes.dce import DcePass
from passes.decompose import DecomposePass
from passes.recompose.recompose import RecomposePass
from passes.simplify import SimplifyPass
from tests.unit.random_graphs import Graph, graphs

PASSES = (
    ConstFoldPass(), CsePass(), DcePass(), CanonicalizePass(), SimplifyPass(), RecomposePass(), DecomposePass(),
)  # fmt: skip
RANDOM = settings(
    max_examples=int(os.environ.get("MLC_RANDOM_EXAMPLES", "150")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def check(graph: Graph, passes: Sequence[ModulePass]) -> None:
    """`passes` in order give a valid module with the same results, bit for bit."""
    verify_module(graph.module)
    expected = run_values(graph.module, graph.inputs)
    module = graph.module.clone()
    for step in passes:
        step.apply(Context(), module)
        verify_module(module)
        found = run_values(module, graph.inputs)
        for position, (new, old) in enumerate(zip(found, expected, strict=True)):
            assert same_bits(new, old), (
                f"{step.name} changes result {position}:\n{old.array}\nbecomes\n{new.array}\n{module}"
            )


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
def test_pass_keeps_the_answer(step: ModulePass) -> None:
    """One pass alone."""

    @RANDOM
    @given(graphs())
    def every_graph(graph: Graph) -> None:
        check(graph, [step])

    every_graph()


@RANDOM
@given(graphs(), st.lists(st.sampled_from(PASSES), min_size=2, max_size=5))
def test_pipelines_keep_the_answer(graph: Graph, pipeline: list[ModulePass]) -> None:
    """Several passes, in any order."""
    check(graph, pipeline)


@RANDOM
@given(graphs(max_ops=15), st.sampled_from(PASSES))
def test_a_second_run_changes_nothing(graph: Graph, step: ModulePass) -> None:
    """A pass has done all it can the first time."""
    step.apply(Context(), graph.module)
    once = str(graph.module)
    step.apply(Context(), graph.module)
    assert str(graph.module) == once
