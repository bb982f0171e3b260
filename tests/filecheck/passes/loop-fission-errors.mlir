// RUN: not mlc-opt %s -p loop-fission 2>&1 | filecheck %s
// RUN: sed 's/= behind/= ahead/' %s | not mlc-opt -p loop-fission 2>&1 | filecheck %s --check-prefix=AHEAD

// CHECK: error: loop-fission: the schedule of sums asks for it, but it has no reductions, or no loops that only compute and store
// AHEAD: error: loop-fission: the schedule of sums asks for it, but no loop of its reductions stores what depends on none of them
mlc_loop.kernel @sums(%x: memref<64x4096xf32>, %out: memref<64xf32>) schedule <fission = behind> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<64xf32>
  }
}
