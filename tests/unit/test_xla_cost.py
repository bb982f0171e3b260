"""What the emulation of XLA simplifies before it fuses, and what its cost model takes for a fusion."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from passes.tensor.fusion.emulated.xla.cost import exec_us
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.simplified import Simplified
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


def _reshapes_behind(readers: int) -> int:
    """How many of so many ops that read one reshape compute before it once the block is simplified."""
    flat, wide = "tensor<64xf32>", "tensor<8x8xf32>"
    lines = [f"  %s = mlc_tensor.reshape %x : {flat} -> {wide}", f"  %r0 = mlc_tensor.exp %s : {wide}"]
    lines += [f"  %r{k} = mlc_tensor.abs %s : {wide}" for k in range(1, readers)]
    results, types = ", ".join(f"%r{k}" for k in range(readers)), ", ".join([wide] * readers)
    text = "\n".join([*lines, f"  func.return {results} : {types}"])
    (function,) = module_of(f"func.func @f(%x: {flat}) -> ({types}) {{\n{text}\n}}").ops
    assert isinstance(function, FuncOp)
    block = Simplified.of(function.body.block).block
    return sum(isinstance(op, ElementwiseOp) and op.operands[0] is block.args[0] for op in block.ops)


def test_a_reshape_moves_behind_all_of_its_readers_unless_they_are_many() -> None:
    assert _reshapes_behind(3) == 3
    assert _reshapes_behind(100) == 0
