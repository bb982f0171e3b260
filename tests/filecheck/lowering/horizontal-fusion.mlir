// RUN: mlc-opt %s -p fuse,cse,tensor-to-loop,linearize-axes,schedule,loop-to-triton,cse,dce,horizontal-fusion -t triton | filecheck %s

// Two kernels of other sizes share a launch, and what their programs read; names stay apart.
// CHECK-LABEL: def both(arguments):
// CHECK:           [(((N + 1023) // 1024) + 12,)](x, e, y, m, N, num_warps=8, enable_fp_fusion=False)
// CHECK-NEXT:      return (e, m,)
// CHECK:       @triton.jit
// CHECK-NEXT:  def abs_and_mul(x_ptr, e_out_ptr, y_ptr, m_out_ptr, N: tl.int64):
// CHECK-NEXT:      program = tl.program_id(0).to(tl.int64)
// CHECK-NEXT:      if program < (N + 1023) // 1024:
// CHECK-NEXT:          lanes = tl.arange(0, 1024).to(tl.int64)
// CHECK-NEXT:          p = program * 1024 + lanes
// CHECK-NEXT:          mask = p < N
// CHECK-NEXT:          x = tl.load(x_ptr + p, mask=mask, other=0)
// CHECK-NEXT:          tl.store(e_out_ptr + p, tl.abs(x), mask=mask)  # horizontal-fusion.mlir:{{[0-9]+}}
// CHECK-NEXT:      else:
// CHECK-NEXT:          lanes_1 = tl.arange(0, 256)
// CHECK-NEXT:          p_1 = (-((N + 1023) // 1024) + program).to(tl.int32) * 256 + lanes_1
// CHECK-NEXT:          mask_1 = p_1 < 3000
// CHECK-NEXT:          y = tl.load(y_ptr + p_1, mask=mask_1, other=0)
// CHECK-NEXT:          tl.store(m_out_ptr + p_1, y * y, mask=mask_1)
func.func @both(%x: tensor<?xf32, ["N"]>, %y: tensor<3000xf32>) -> (tensor<?xf32, ["N"]>, tensor<3000xf32>) {
  %e = mlc_tensor.abs %x : tensor<?xf32, ["N"]>
  %m = mlc_tensor.mul %y, %y : tensor<3000xf32>
  func.return %e, %m : tensor<?xf32, ["N"]>, tensor<3000xf32>
}
