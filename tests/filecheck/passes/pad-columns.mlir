// RUN: mlc-opt %s -p pad-columns --split-input-file | filecheck %s

// The columns of a row run over 16 planes of 3136 elements: planes of 4096 divide any block.
// CHECK-LABEL: mlc_loop.kernel @planes(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8 {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add %r = 0 to 65536 -> f32 {
// CHECK-NEXT:        %[[BEYOND:.*]] = mlc_loop.index [(%r mod 4096) - 3136] : i64
// CHECK:             %[[INSIDE:.*]] = arith.cmpi slt, %[[BEYOND]]
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%r floordiv 4096, %p, %r mod 4096] if %[[INSIDE]]
// CHECK-NEXT:        mlc_loop.yield if %[[INSIDE]] %[[V]] : f32
mlc_loop.kernel @planes(%x: memref<16x8x3136xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 50176 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 3136, %p, %r mod 3136] : memref<16x8x3136xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
  }
}

// -----

// Planes of a power of two divide blocks already.
// CHECK-LABEL: mlc_loop.kernel @power_of_two(
// CHECK:           mlc_loop.reduce add %r = 0 to 65536
// CHECK-NOT:       arith.cmpi
mlc_loop.kernel @power_of_two(%x: memref<16x8x4096xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 65536 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 4096, %p, %r mod 4096] : memref<16x8x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
  }
}

// -----

// A row that is one line of memory is not divided.
// CHECK-LABEL: mlc_loop.kernel @line(
// CHECK:           mlc_loop.reduce add %r = 0 to 3136
mlc_loop.kernel @line(%x: memref<8x3136xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 3136 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x3136xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
  }
}
