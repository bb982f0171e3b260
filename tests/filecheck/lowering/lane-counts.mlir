// RUN: mlc-opt %s -p 'pad-columns,schedule,loop-to-triton,triton-licm,cse,dce' --split-input-file | filecheck %s

// Planes of 3136 in blocks of 4096: the same lanes count in every block, so that lanes sum up what they meet, and those
// that do not count are left out at the end. Each that does counts one column a block: nobody counts.
// CHECK-LABEL: mlc_triton.kernel @planes(
// CHECK:         %[[IN:.*]] = mlc_triton.cmp "lt"
// CHECK:         "mlc_triton.for"(%{{.*}}, %{{.*}}) <{
// CHECK-NOT:       mlc_triton.where
// CHECK:           mlc_triton.yield %{{.*}}, %{{.*}} : tensor<4096xf32>, tensor<4096xf32>
// CHECK:         mlc_triton.where %[[IN]], %{{.*}} : tensor<4096xi1>
// CHECK:         mlc_triton.reduce "add"
mlc_loop.kernel @planes(%x: memref<16x8x3136xf32>, %out: memref<8xf32>, %sq: memref<8xf32>) schedule <rows = 1, columns = 4096, warps = 8, stages = 5> {
  mlc_loop.parallel %p = 0 to 8 {
    %s, %q = mlc_loop.reduce welford %r = 0 to 50176 -> f32, f32 {
      %v = mlc_loop.load %x[%r floordiv 3136, %p, %r mod 3136] : memref<16x8x3136xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
    mlc_loop.store %q, %sq[%p] : memref<8xf32>
  }
}

// -----

// What a row counts depends on the row too, and ends inside of it: lanes count.
// CHECK-LABEL: mlc_triton.kernel @ends(
// CHECK:         "mlc_triton.for"(%{{.*}}, %{{.*}}, %{{.*}}) <{
// CHECK:           mlc_triton.where %inside
// CHECK:           mlc_triton.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor
mlc_loop.kernel @ends(%x: memref<500000xf32>, %out: memref<8xf32>, %sq: memref<8xf32>) schedule <rows = 1, columns = 4096, warps = 16, stages = 3> {
  mlc_loop.parallel %p = 0 to 8 {
    %s, %q = mlc_loop.reduce welford %r = 0 to 65536 -> f32, f32 {
      %beyond = mlc_loop.index [(%p * 65536) + %r - 500000] : i64
      %zero = arith.constant 0 : i64
      %inside = arith.cmpi slt, %beyond, %zero : i64
      %v = mlc_loop.load %x[(%p * 65536) + %r] if %inside : memref<500000xf32>
      mlc_loop.yield if %inside %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
    mlc_loop.store %q, %sq[%p] : memref<8xf32>
  }
}

// -----

// The last block is not full: lanes are left out of that one, and had one column in each of the others.
// CHECK-LABEL: mlc_triton.kernel @tail(
// CHECK:         "mlc_triton.for"(%{{.*}}, %{{.*}}) <{
// CHECK:           mlc_triton.where %mask
// CHECK:           mlc_triton.yield %{{.*}}, %{{.*}} : tensor<8192xf32>, tensor<8192xf32>
// CHECK:         mlc_triton.index [(-%r + 58192) floordiv 8192]
mlc_loop.kernel @tail(%x: memref<8x50001xf32>, %out: memref<8xf32>, %sq: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s, %q = mlc_loop.reduce welford %r = 0 to 50001 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x50001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
    mlc_loop.store %q, %sq[%p] : memref<8xf32>
  }
}
