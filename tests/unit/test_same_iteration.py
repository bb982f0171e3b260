"""Which values of two loops over the same columns are equal."""

from __future__ import annotations

from xdsl.dialects.arith import ExtFOp, TruncFOp

from mlc_dialects.loop.dialect import KernelOp, LoadOp, ReduceOp
from passes.loop.reduction.same_iteration import SameIteration
from tests.unit.test_loop_oracle import module_of

KERNEL = """
mlc_loop.kernel @two(%x: memref<8x64xf32>, %a: memref<8xf64>, %b: memref<8xf64>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %h = arith.truncf %v : f32 to f16
      %w = arith.extf %h : f16 to f64
      mlc_loop.yield %w : f64
    }
    %t = mlc_loop.reduce add %r = 0 to 64 -> f64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %h = arith.truncf %v : f32 to bf16
      %k = arith.truncf %v : f32 to f16
      %w = arith.extf %h : bf16 to f64
      %u = arith.extf %k : f16 to f64
      %z = arith.addf %w, %u : f64
      mlc_loop.yield %z : f64
    }
    mlc_loop.store %s, %a[%p] : memref<8xf64>
    mlc_loop.store %t, %b[%p] : memref<8xf64>
  }
}
"""


def test_casts_to_different_types_are_different() -> None:
    module = module_of(KERNEL)
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    first, second = (op for op in kernel.walk() if isinstance(op, ReduceOp))
    same = SameIteration(first, second)
    load, narrow, wide = (op.results[0] for op in first.walk() if isinstance(op, LoadOp | TruncFOp | ExtFOp))
    again, other, alike, from_other, from_alike = (
        op.results[0] for op in second.walk() if isinstance(op, LoadOp | TruncFOp | ExtFOp)
    )
    assert same.equal(load, again) and same.equal(narrow, alike) and same.equal(wide, from_alike)
    assert not same.equal(narrow, other) and not same.equal(wide, from_other)
