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
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, UnitAttr
from xdsl.passes import ModulePass

from lowering.interpreter.run import run, run_values
from mlc_dialects.common.annotations import FROZEN
from mlc_dialects.common.types import shape_of
from mlc_dialects.semantics.numerics import same_bits
from mlc_support.verification import verify_module
from passes.common.cse import CsePass
from passes.common.dce import DcePass
from passes.tensor.bind_sizes import bind_sizes
from passes.tensor.canonicalize.canonicalize import CanonicalizePass
from passes.tensor.const_fold import ConstFoldPass
from passes.tensor.decompose import DecomposePass
from passes.tensor.fold_weights import FoldWeightsPass
from passes.tensor.freeze import SUFFIX, FreezePass
from passes.tensor.fusion.fuse import FusePass
from passes.tensor.fusion.plan import EMULATED
from passes.tensor.fusion.policy import POLICIES
from passes.tensor.layout.layout import LayoutPass
from passes.tensor.library_calls import LibraryCallsPass
from passes.tensor.recompose.recompose import RecomposePass
from passes.tensor.simplify.simplify import SimplifyPass
from tests.unit.random_graphs import Graph, graphs
from tools.semantics import close

PASSES: tuple[ModulePass, ...] = (
    ConstFoldPass(), CsePass(), DcePass(), CanonicalizePass(), SimplifyPass(), RecomposePass(), DecomposePass(),
    RecomposePass(keep=True), LayoutPass(), FoldWeightsPass(), LibraryCallsPass(), FreezePass(),
    *(FusePass(policy) for policy in sorted({*POLICIES, *EMULATED})),
)  # fmt: skip
"""Those of the last two lines do nothing to most graphs: nothing here is frozen, and few have a convolution."""
WITH_FROZEN = ("fold-weights", "freeze")
"""Those that do something where inputs are frozen: one rounds otherwise, the other is what is tested."""
RANDOM = settings(
    max_examples=int(os.environ.get("MLC_RANDOM_EXAMPLES", "80")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def check(graph: Graph, passes: Sequence[ModulePass]) -> None:
    """`passes` in order give a valid module with the same results: bit for bit, but for those that say otherwise."""
    verify_module(graph.module)
    expected = run_values(graph.module, graph.inputs)
    module = graph.module.clone()
    for step in passes:
        step.apply(Context(), module)
        verify_module(module)
        found = run_values(module, graph.inputs)
        alike = close if getattr(step, "rounds_otherwise", False) else same_bits
        for position, (new, old) in enumerate(zip(found, expected, strict=True)):
            assert alike(new, old), (
                f"{step.name} changes result {position}:\n{old.array}\nbecomes\n{new.array}\n{module}"
            )
        expected = found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("step", PASSES, ids=str)
def test_pass_keeps_the_answer(step: ModulePass) -> None:
    """One pass alone."""

    @RANDOM
    @given(graphs(calls=True))
    def every_graph(graph: Graph) -> None:
        check(graph, [step])

    every_graph()


@RANDOM
@given(graphs(calls=True), st.lists(st.sampled_from(PASSES), min_size=2, max_size=5))
def test_pipelines_keep_the_answer(graph: Graph, pipeline: list[ModulePass]) -> None:
    """Several passes, in any order."""
    check(graph, pipeline)


@RANDOM
@given(
    graphs(calls=True),
    st.lists(st.sampled_from([p for p in PASSES if p.name not in WITH_FROZEN]), max_size=3),
    st.data(),
)
def test_frozen_inputs_keep_the_answer(graph: Graph, before: list[ModulePass], data: st.DataObject) -> None:
    """What depends on some of the inputs alone is computed first, by a function of its own. Parameters have numbers."""
    (function,) = (op for op in graph.module.ops if isinstance(op, func.FuncOp))
    types = function.function_type.inputs.data
    marked = [all(s.constant is not None for s in shape_of(t)) and data.draw(st.booleans()) for t in types]
    entries = [DictionaryAttr({FROZEN: UnitAttr()} if mark else {}) for mark in marked]
    function.arg_attrs = ArrayAttr(entries)
    expected = run_values(graph.module, graph.inputs)
    for step in (*before, FreezePass()):
        step.apply(Context(), graph.module)
    verify_module(graph.module)
    given_once, given_each = ([x for x, mark in zip(graph.inputs, marked, strict=True) if mark == m] for m in (1, 0))
    if given_once:
        given_each += run(graph.module, given_once, "main" + SUFFIX)
    found = run_values(graph.module, given_each, "main")
    assert all(same_bits(x, y) for x, y in zip(found, expected, strict=True))


@RANDOM
@given(graphs(calls=True), st.sampled_from(PASSES))
def test_numbers_for_names_keep_the_answer(graph: Graph, step: ModulePass) -> None:
    """A graph whose sizes have names, before and after a pass."""
    for passes in ((), (step,)):
        module = graph.module.clone()
        for first in passes:
            first.apply(Context(), module)
        bind_sizes(module, graph.sizes)
        verify_module(module)
        check(Graph(module, graph.inputs), [CanonicalizePass()])
        found, expected = (run_values(m, graph.inputs) for m in (module, graph.module))
        assert all(same_bits(x, y) for x, y in zip(found, expected, strict=True))


@RANDOM
@given(graphs(max_ops=15, calls=True), st.sampled_from(PASSES))
def test_a_second_run_changes_nothing(graph: Graph, step: ModulePass) -> None:
    """A pass has done all it can the first time."""
    step.apply(Context(), graph.module)
    once = str(graph.module)
    step.apply(Context(), graph.module)
    assert str(graph.module) == once
