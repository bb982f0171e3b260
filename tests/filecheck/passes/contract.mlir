// RUN: mlc-opt %s -p contract | filecheck %s

// One rounding for a product and a sum, in a kernel whose results are coarser anyhow.
// CHECK-LABEL: mlc_loop.kernel @rounded(
// CHECK:           %[[A:.*]] = math.fma %v, %v, %two : f32
// CHECK:           %[[MINUS:.*]] = arith.negf %[[A]] : f32
// CHECK-NEXT:      %[[B:.*]] = math.fma %v, %two, %[[MINUS]] : f32
// CHECK:           %[[OTHER:.*]] = arith.negf %v : f32
// CHECK-NEXT:      %[[C:.*]] = math.fma %[[OTHER]], %[[B]], %two : f32
// CHECK:           %shared = arith.mulf %[[C]], %v : f32
// CHECK-NEXT:      %d = arith.addf %shared, %two : f32
// CHECK-NEXT:      %e = arith.subf %d, %shared : f32
mlc_loop.kernel @rounded(%x: memref<64xf32>, %out: memref<64xf32>) attributes {"mlc.rounded"} {
  mlc_loop.parallel %i = 0 to 64 {
    %v = mlc_loop.load %x[%i] : memref<64xf32>
    %two = arith.constant 2.0 : f32
    %square = arith.mulf %v, %v : f32
    %a = arith.addf %two, %square : f32
    %twice = arith.mulf %v, %two : f32
    %b = arith.subf %twice, %a : f32
    %m = arith.mulf %v, %b : f32
    %c = arith.subf %two, %m : f32
    %shared = arith.mulf %c, %v : f32
    %d = arith.addf %shared, %two : f32
    %e = arith.subf %d, %shared : f32
    mlc_loop.store %e, %out[%i] : memref<64xf32>
  }
}

// Elsewhere each is rounded as PyTorch's kernels round it.
// CHECK-LABEL: mlc_loop.kernel @keeps_what_is_exact(
// CHECK-NOT:     math.fma
mlc_loop.kernel @keeps_what_is_exact(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %v = mlc_loop.load %x[%i] : memref<64xf32>
    %square = arith.mulf %v, %v : f32
    %a = arith.addf %v, %square : f32
    %twice = arith.mulf %a, %v : f32
    %b = arith.subf %twice, %v : f32
    mlc_loop.store %b, %out[%i] : memref<64xf32>
  }
}
