"""early-checks on an index that a long chain of ops leads to."""

from __future__ import annotations

from xdsl.context import Context

from mlc_dialects.triton.dialect import CheckedOp, LoadOp
from mlc_support.walks import walk
from passes.triton.early_checks import EarlyChecksPass
from tools.graphs import parsed

ADDED = 3000
"""More ops, each of what the one before gives, than Python nests calls."""
ADDITIONS = "".join(f"  %i{k + 1} = arith.addi %i{k}, %i{k} : tensor<64xi64>\n" for k in range(ADDED))
KERNEL = f"""
mlc_triton.kernel @lookup(%p: !mlc_triton.ptr<i64>, %x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>)
    grid [1] sizes [] num_warps 2 {{
  %r = mlc_triton.arange : tensor<64xi32>
  %other = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  %i0 = mlc_triton.load %p[%r] : (!mlc_triton.ptr<i64>, tensor<64xi32>) -> tensor<64xi64>
{ADDITIONS}
  %a = mlc_triton.checked %i{ADDED} below 64 : (tensor<64xi64>)
  %v = mlc_triton.load %x[%a] : (!mlc_triton.ptr<f32>, tensor<64xi64>) -> tensor<64xf32>
  %s = arith.addf %v, %other : tensor<64xf32>
  mlc_triton.store %out[%r] = %s : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}}
"""


def test_an_index_may_be_made_by_many_ops() -> None:
    """The check, the chain and the load it begins with come before the load that leads to no check."""
    module = parsed(KERNEL, "lookup.mlir")
    EarlyChecksPass().apply(Context(), module)
    module.verify()
    found = [op for op in walk(module) if isinstance(op, LoadOp | CheckedOp)]
    names = [op.results[0].name_hint for op in found]
    assert names == ["i0", "a", "other", "v"]
