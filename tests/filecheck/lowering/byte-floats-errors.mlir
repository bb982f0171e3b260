// RUN: not mlc-opt %s -p schedule,loop-to-triton -t triton 2>&1 | filecheck %s

// CHECK:      error: triton: no device casts f8E5M2 as PyTorch does
// CHECK-NEXT:   --> {{.*}}byte-floats-errors.mlir:9:5
// CHECK:        run byte-floats before
mlc_loop.kernel @widened(%x: memref<64xf8E5M2>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf8E5M2>
    %b = arith.extf %a : f8E5M2 to f32
    mlc_loop.store %b, %out[%i] : memref<64xf32>
  }
}
