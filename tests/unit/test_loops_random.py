"""On random graphs the way to loops, and the passes on loops, keep the reference interpreter's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from lowering.tensor_to_loop.lower import TensorToLoopPass
from mlc_dialects.common.annotations import STRIDES
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.types import shape_of
from mlc_support.index_expr import product
from passes.common.dce import DcePass
from passes.loop.approximate import ApproximatePass
from passes.loop.narrow_integers import NarrowIntegersPass
from passes.loop.reduction.online_reduction import OnlineReductionPass
from passes.loop.reduction.split_reduction import SplitReductionPass
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.memory_order import MemoryOrderPass
from passes.loop.restructure.pad_columns import PadColumnsPass
from passes.loop.restructure.peel_alignment import PeelAlignmentPass
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.restructure.unroll_and_jam import UnrollAndJamPass
from passes.loop.restructure.unroll_columns import UnrollColumnsPass
from passes.loop.schedule.partition import PartitionRowsPass
from passes.loop.schedule.schedule import SchedulePass
from passes.tensor.canonicalize.canonicalize import CanonicalizePass
from passes.tensor.fusion.fuse import FusePass
from passes.tensor.simplify.simplify import SimplifyPass
from tests.unit.random_graphs import WHOLE, Draw, Graph, graphs
from tests.unit.test_passes_random import RANDOM, check

TENSORS = ((), (CanonicalizePass(), SimplifyPass()))
POLICIES = ("mlc", "mlc", "none", "pointwise", "xla", "tvm", "inductor")


@dataclass(frozen=True)
class InTurn(ModulePass):
    """Several passes as one."""

    name = "in-turn"
    steps: tuple[ModulePass, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for step in self.steps:
            step.apply(ctx, op)


LOOPS: tuple[ModulePass, ...] = (
    ApproximatePass(),
    TileTransposePass(tile="stored"),
    InTurn((PartitionRowsPass(online=True), OnlineReductionPass())),
    PadColumnsPass(),
    NarrowIntegersPass(),
    DcePass(),
)


@RANDOM
@given(graphs(plain=True), st.sampled_from(TENSORS), st.sampled_from(POLICIES), st.permutations(LOOPS))
def test_loops_keep_the_answer(
    graph: Graph, before: Sequence[ModulePass], policy: str, loops: list[ModulePass]
) -> None:
    """Fused, lowered and scheduled; what takes sums in another order has a test of its own."""
    check(graph, [*before, FusePass(policy), TensorToLoopPass(), LinearizeAxesPass(), *loops, SchedulePass()])


REORDERING = (
    UnrollColumnsPass(most=3),
    PersistentRowsPass(programs=3, block=1),
    InTurn((PartitionRowsPass(part=1), SplitReductionPass())),
    PeelAlignmentPass(shortest=1, fewest=1, vector=2),
)


@RANDOM
@given(graphs(plain=True, elements=WHOLE), st.permutations((*LOOPS, *REORDERING)))
def test_sums_in_another_order_are_the_same(graph: Graph, loops: list[ModulePass]) -> None:
    """Of integers: every pass on loops, in any order."""
    check(graph, [FusePass(), TensorToLoopPass(), LinearizeAxesPass(), *loops, SchedulePass()])


@st.composite
def strided_graphs(draw: Draw) -> Graph:
    """A random graph of integers whose arguments and results lie in memory in any order of their axes."""
    graph = draw(graphs(plain=True, elements=WHOLE))
    (function,) = (op for op in graph.module.ops if isinstance(op, func.FuncOp))
    type_ = function.function_type
    function.arg_attrs, function.res_attrs = (
        ArrayAttr([DictionaryAttr({STRIDES: any_strides(draw, t)}) for t in types])
        for types in (type_.inputs, type_.outputs)
    )
    return graph


def any_strides(draw: Draw, type_: Attribute) -> Attribute:
    """Those of memory without gaps, where the axes have any order."""
    shape = shape_of(type_)
    order = draw(st.permutations(range(len(shape))))
    strides = {axis: product(shape[d] for d in order[place + 1 :]) for place, axis in enumerate(order)}
    return index_attribute([strides[axis] for axis in range(len(shape))])


@RANDOM
@given(strided_graphs(), st.sampled_from(POLICIES), st.permutations((*LOOPS, *REORDERING)))
def test_any_memory_order_keeps_the_answer(graph: Graph, policy: str, loops: list[ModulePass]) -> None:
    """Loops in the order of memory, and every pass behind that, in any order."""
    check(graph, [FusePass(policy), TensorToLoopPass(), MemoryOrderPass(), LinearizeAxesPass(), *loops, SchedulePass()])


NEIGHBOURS = ((1, 2), (1, 3), (2, 1), (2, 2))


@RANDOM
@given(strided_graphs(), st.sampled_from(POLICIES), st.sampled_from(NEIGHBOURS))
def test_neighbours_keep_the_answer(graph: Graph, policy: str, unroll: tuple[int, int]) -> None:
    """Several results in one iteration, wherever that is legal."""
    jam = UnrollAndJamPass(unroll=unroll)
    check(graph, [FusePass(policy), TensorToLoopPass(), MemoryOrderPass(), jam, LinearizeAxesPass(), SchedulePass()])
