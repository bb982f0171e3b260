// RUN: not mlc-opt %s -p schedule,loop-to-triton -t triton 2>&1 | filecheck %s

// CHECK:      error: triton: math.cbrt has no form in Triton
// CHECK-NEXT:   --> {{.*}}no-form-in-triton.mlir:9:5
// CHECK:        use ops that loop-to-triton makes, of arith, math and mlc_triton
mlc_loop.kernel @root(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %b = math.cbrt %a : f32
    mlc_loop.store %b, %out[%i] : memref<64xf32>
  }
}
