"""What the emulated cost model of XLA takes for a fusion."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from passes.tensor.fusion.emulated.xla.cost import exec_us
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from tests.unit.test_exports import module_of


def _behind_tanh(op: str) -> float:
    """Microseconds of an op with the tanh that it reads inside: the operations of it decide."""
    wide = "tensor<4096x4096xf32>"
    module = module_of(
        f"func.func @f(%x: {wide}) -> {wide} {{\n"
        f"  %t = mlc_tensor.tanh %x : {wide}\n  %r = mlc_tensor.{op} : {wide}\n  func.return %r : {wide}\n}}"
    )
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    graph = XlaGraph(function.body.block, max_operands=96)
    producer, user = graph.instructions
    return exec_us(graph, user, producer)


def test_a_square_computes_its_producer_twice_as_long_as_it_is_no_fusion() -> None:
    assert 1.9 < _behind_tanh("mul %t, %t") / _behind_tanh("mul %t, %x") < 2.1
