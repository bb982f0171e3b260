"""On random graphs the way to loops, and the passes on loops, keep the reference interpreter's answer."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from xdsl.passes import ModulePass

from lowering.tensor_to_loop import TensorToLoopPass
from passes.approximate import ApproximatePass
from passes.canonicalize import CanonicalizePass
from passes.fusion.fuse import FusePass
from passes.online_reduction import OnlineReductionPass
from passes.schedule import SchedulePass
from passes.simplify import SimplifyPass
from passes.tile_transpose import TileTransposePass
from tests.unit.random_graphs import Graph, graphs
from tests.unit.test_passes_random import RANDOM, check

TENSORS = ((), (CanonicalizePass(), SimplifyPass()))
LOOPS = (ApproximatePass(), TileTransposePass(), OnlineReductionPass(longest=1, deepest=1))


@RANDOM
@given(graphs(plain=True), st.sampled_from(TENSORS), st.permutations(LOOPS))
def test_loops_keep_the_answer(graph: Graph, before: Sequence[ModulePass], loops: list[ModulePass]) -> None:
    """Fused, lowered and scheduled; splits of rows change last bits and have a test of their own."""
    check(graph, [*before, FusePass(), TensorToLoopPass(), *loops, SchedulePass()])
