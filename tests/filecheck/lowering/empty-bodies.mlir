// RUN: mlc-opt %s -t triton | filecheck %s

// What stores nothing still has a body, as Python wants.
// CHECK-LABEL: def nothing(x_ptr):
// CHECK-NEXT:      pass
mlc_triton.kernel @nothing(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
}

// Loops and branches as well; what a loop carries is its body.
// CHECK-LABEL: def nothing_inside(x_ptr):
// CHECK-NEXT:      pid = tl.program_id(0)
// CHECK-NEXT:      for i in range(0, 8, 4):
// CHECK-NEXT:          pass
// CHECK-NEXT:      acc = tl.full((), 1.0, tl.float32)
// CHECK-NEXT:      for j in range(0, 8, 4):
// CHECK-NEXT:          acc = acc
// CHECK-NEXT:      if pid < 3:
// CHECK-NEXT:          pass
// CHECK-NEXT:      else:
// CHECK-NEXT:          pass
mlc_triton.kernel @nothing_inside(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %pid = mlc_triton.program_id 0 : i32
  %whole = mlc_triton.mask %pid < 3 : (i32) -> i1
  "mlc_triton.for"() <{extent = "8", step = 4 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%i: i32):
    mlc_triton.yield
  }) : () -> ()
  %one = mlc_triton.full 1.0 : f32 : f32
  %last = "mlc_triton.for"(%one) <{extent = "8", step = 4 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%j: i32, %acc: f32):
    mlc_triton.yield %acc : f32
  }) : (f32) -> f32
  scf.if %whole {
  } else {
  }
}
