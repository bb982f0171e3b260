// RUN: not mlc-opt %s -p loop-to-triton 2>&1 | filecheck %s

// Rows that are no parts have nothing to be peeled.
// CHECK: error: loop-to-triton: the rows have no parts of which the last is shorter, to be peeled
// CHECK:   leave out `peeled`, or `tail` of the schedule
mlc_loop.kernel @k(%x: memref<40x64xf32>, %out: memref<40xf32>) warps 4 index 32 {
  mlc_loop.parallel %i = 0 to 40 program 0 block 1 peeled {
    %s = mlc_loop.reduce add %j = 0 to 64 block 64 -> f32 {
      %v = mlc_loop.load %x[%i, %j] : memref<40x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%i] : memref<40xf32>
  }
}
