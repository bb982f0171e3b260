// RUN: mlc-opt %s -p schedule,loop-to-triton -t triton | filecheck %s

// The bits of a float as an integer.
// CHECK-LABEL: def bits(
// CHECK:           b = a.to(tl.int32, bitcast=True)
mlc_loop.kernel @bits(%x: memref<64xf32>, %out: memref<64xi32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %b = arith.bitcast %a : f32 to i32
    mlc_loop.store %b, %out[%i] : memref<64xi32>
  }
}
