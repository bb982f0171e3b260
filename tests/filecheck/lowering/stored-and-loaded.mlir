// RUN: not mlc-opt %s -p schedule,loop-to-triton 2>&1 | filecheck %s

// CHECK:      error: loop-to-triton: kernel overwritten loads x after it has stored to it
// CHECK-NEXT:   --> {{.*}}stored-and-loaded.mlir:14:7
// CHECK:        load it before the store, or in a kernel of its own
mlc_loop.kernel @overwritten(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    mlc_loop.parallel %j = 0 to 1024 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      mlc_loop.store %e, %x[%i, %j] : memref<64x1024xf32>
    }
    %s = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<64xf32>
  }
}
