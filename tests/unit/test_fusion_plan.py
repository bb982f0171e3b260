"""What a plan says of a block: kernels, bytes, names."""

from __future__ import annotations

from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from mlc_support.parsing import parse_module
from passes.tensor.fusion.plan import Group, Plan, op_names, plan
from tools.universe import dialect_factories

SOFTMAX = """
func.func @f(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<512x1xf32> -> tensor<512x1024xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<512x1024xf32>
  %e = mlc_tensor.exp %d : tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<512x1xf32> -> tensor<512x1024xf32>
  %q = mlc_tensor.div %e, %sb : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}
"""
ROW, ALL = 512 * 4, 512 * 1024 * 4


def block_of(text: str) -> Block:
    """The body of the first function of a module in text."""
    context = Context()
    for name, factory in dialect_factories().items():
        context.register_dialect(name, factory)
    context.register_dialect("func", lambda: func.Func)
    module = cast(ModuleOp, parse_module(context, text.encode(), "test.mlir"))
    function = next(iter(module.ops))
    assert isinstance(function, func.FuncOp)
    return function.body.block


def named(block: Block) -> dict[str, Operation]:
    return {name: op for op, name in op_names(block.ops).items()}


def test_one_kernel_reads_and_writes_once() -> None:
    found = plan(block_of(SOFTMAX), "mlc")
    assert (found.kernels, found.total_bytes, found.recomputed) == (1, 2 * ALL, 0)
    assert [d.fuse for d in found.decisions] == [True] * 5


def test_apart_every_intermediate_is_written_and_read() -> None:
    found = plan(block_of(SOFTMAX), "none")
    assert found.kernels == 5
    assert found.total_bytes == (ALL + ROW) + (2 * ALL + ROW) + 2 * ALL + (ALL + ROW) + (2 * ALL + ROW)


def test_a_recomputed_op_is_written_by_none_that_holds_it() -> None:
    block = block_of(SOFTMAX)
    op = named(block)
    groups = (
        Group((op["m"],), "reduction", ""),
        Group((op["d"], op["e"], op["s"]), "reduction", "", duplicated=(op["d"], op["e"])),
        Group((op["d"], op["e"], op["q"]), "loop", "", duplicated=(op["d"], op["e"])),
    )
    found = Plan("test", groups)
    assert found.recomputed == 2
    assert [found.bytes(g) for g in groups] == [ALL + ROW, ALL + ROW + ROW, 2 * ALL + ROW + ROW]
    assert found.together(op["e"], op["q"]) and not found.together(op["s"], op["q"])


def test_partial_results_pass_through_memory() -> None:
    block = block_of(SOFTMAX)
    op = named(block)
    begin = Group((op["d"], op["e"], op["s"]), "reduction", "", partial=(op["s"],))
    finish = Group((op["s"], op["q"]), "reduction", "")
    found = Plan("test", (Group((op["m"],), "reduction", ""), begin, finish))
    assert [v.name_hint for v in found.outputs(begin)] == ["s", "e"]
    assert [v.name_hint for v in found.inputs(finish)] == ["s", "e"]


LOOKED_UP = """func.func @main(%table: tensor<1000x8xf32>, %i: tensor<4xi64>, %x: tensor<4x12xf32>) -> tensor<4x8xf32> {
  %i1 = mlc_tensor.reshape %i : tensor<4xi64> -> tensor<4x1xi64>
  %rows = mlc_tensor.broadcast %i1 : tensor<4x1xi64> -> tensor<4x8xi64>
  %columns = mlc_tensor.iota dim 1 : tensor<4x8xi64>
  %g = mlc_tensor.gather %table[%rows, %columns]
    : tensor<1000x8xf32>, (tensor<4x8xi64>, tensor<4x8xi64>) -> tensor<4x8xf32>
  %a = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x12xf32> -> tensor<4x8xf32>
  %b = mlc_tensor.slice %x [0, 4] step [1, 1] : tensor<4x12xf32> -> tensor<4x8xf32>
  %s = mlc_tensor.add %g, %a : tensor<4x8xf32>
  %r = mlc_tensor.mul %s, %b : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}"""


def test_bytes_of_slices_and_of_rows_that_are_looked_up() -> None:
    """A kernel reads the rows of a table that it looks up, and of a value no more than its slices, nor than all."""
    block = block_of(LOOKED_UP)
    op, (table, index, x) = named(block), block.args
    apart = Plan("test", (Group((op["s"],), "loop", ""), Group((op["r"],), "loop", "")))
    first, second = apart.groups
    assert apart.reads(first) == {table: 4 * 8 * 4, index: 4 * 8, x: 4 * 8 * 4}
    assert apart.reads(second) == {op["s"].results[0]: 4 * 8 * 4, x: 4 * 8 * 4}
    both = Plan("test", (Group((op["s"], op["r"]), "loop", ""),))
    assert both.reads(both.groups[0])[x] == 4 * 12 * 4
    assert both.total_bytes == 4 * 8 * 4 + 4 * 8 + 4 * 12 * 4 + 4 * 8 * 4


def test_names_are_unique() -> None:
    ops = list(block_of(SOFTMAX).ops)
    names = op_names([*ops[:3], ops[0].clone(), *ops[3:]])
    assert len(set(names.values())) == len(names)
    assert names[ops[0]] == "m" and names[ops[-1]] == "return.0"
