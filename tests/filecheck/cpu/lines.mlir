// RUN: mlc-opt %s -t llvm | filecheck %s

// A comment says where ops come from, once for those of one line.
// CHECK-LABEL: @"gate.rows"(
// CHECK:         load float
// CHECK-NOT:     load
// CHECK:         ; model.py:3
// CHECK-NEXT:    fneg float
// CHECK-NEXT:    fmul float
// CHECK-NOT:     ; model.py:3
// CHECK:         ; model.py:5
// CHECK:         store float
mlc_loop.kernel @gate(%x: memref<1000xf32>, %y: memref<1000xf32>) {
  mlc_loop.parallel %i = 0 to 1000 {
    %a = mlc_loop.load %x[%i] : memref<1000xf32>
    %b = arith.negf %a : f32 loc("/home/me/model.py":3:0)
    %c = arith.mulf %b, %a : f32 loc("/home/me/model.py":3:8)
    mlc_loop.store %c, %y[%i] : memref<1000xf32> loc("/home/me/model.py":5:0)
  }
}
