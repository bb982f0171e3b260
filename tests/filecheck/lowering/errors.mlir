// RUN: not mlc-opt %s -p tensor-to-loop --split-input-file 2>&1 | filecheck %s
// RUN: not mlc-opt %S/inputs/unscheduled.mlir.in -p loop-to-triton 2>&1 | filecheck %s --check-prefix=SCHEDULE
// RUN: not mlc-opt %S/inputs/unscheduled.mlir.in -t triton 2>&1 | filecheck %s --check-prefix=LEVEL

// SCHEDULE:      error: loop-to-triton: kernel k has no schedule
// SCHEDULE:        run the pass `schedule` before it
// LEVEL:         error: triton: cannot print mlc_loop.kernel
// LEVEL:           lower it first

// A group that was formed by hand and is no kernel.
// CHECK: error: tensor-to-loop: one kernel cannot compute this group: reductions differ: 8 rows of 4 beside 1 rows of 32
func.func @two_domains(%x: tensor<8x4xf32>) -> (tensor<8x1xf32>, tensor<1x1xf32>) {
  %s, %t = mlc_tensor.fusion (%a = %x : tensor<8x4xf32>) -> (tensor<8x1xf32>, tensor<1x1xf32>) kind "mine" why "wrong" {
    %u = mlc_tensor.reduce add %a dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
    %v = mlc_tensor.reduce add %a dims [0, 1] : tensor<8x4xf32> -> tensor<1x1xf32>
    mlc_tensor.yield %u, %v : tensor<8x1xf32>, tensor<1x1xf32>
  }
  func.return %s, %t : tensor<8x1xf32>, tensor<1x1xf32>
}

// -----

// CHECK: error: tensor-to-loop: no lowering for arith.constant
func.func @foreign() -> f32 {
  %c = arith.constant 1.0 : f32
  func.return %c : f32
}

// -----

// CHECK: error: tensor-to-loop: a size cannot be called p: generated kernels use that name
func.func @named_p(%x: tensor<?xf32, ["p"]>) -> tensor<?xf32, ["p"]> {
  %e = mlc_tensor.exp %x : tensor<?xf32, ["p"]>
  func.return %e : tensor<?xf32, ["p"]>
}
