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

// -----

// Images that are stored as such: height and width are one plane, and taking 3136 apart into 56 x 56 divides nothing more.
// CHECK-LABEL: mlc_loop.kernel @images(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8 {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add %r = 0 to 65536 -> f32 {
// CHECK:             mlc_loop.load %x[%r floordiv 4096, %p, (%r mod 4096) floordiv 56, (%r mod 4096) mod 56] if
mlc_loop.kernel @images(%x: memref<16x8x56x56xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 50176 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 3136, %p, (%r floordiv 56) mod 56, %r mod 56] : memref<16x8x56x56xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
  }
}

// -----

// A tile divides what it has to: nothing is reduced, and nothing is padded.
// CHECK-LABEL: mlc_loop.kernel @tile(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 256 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 25088 {
// CHECK-NOT:         arith.cmpi
mlc_loop.kernel @tile(%x: memref<8x256x3136xf32>, %out: memref<25088x256xf32>) {
  mlc_loop.parallel %p = 0 to 256 {
    mlc_loop.parallel %r = 0 to 25088 {
      %v = mlc_loop.load %x[%r floordiv 3136, %p, %r mod 3136] : memref<8x256x3136xf32>
      mlc_loop.store %v, %out[%r, %p] : memref<25088x256xf32>
    }
  }
}

// -----

// Registers hold a row of 12544 columns whole: lanes past its end would only be more.
// CHECK-LABEL: mlc_loop.kernel @held(
// CHECK:           mlc_loop.reduce add %r = 0 to 12544
// CHECK-NOT:       arith.cmpi
mlc_loop.kernel @held(%x: memref<256x8x49xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 12544 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 49, %p, %r mod 49] : memref<256x8x49xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xf32>
  }
}

// -----

// Where the largest of a row stands is a column's number, which padding would change.
// CHECK-LABEL: mlc_loop.kernel @place(
// CHECK:           mlc_loop.reduce argmax %r = 0 to 50176
mlc_loop.kernel @place(%x: memref<16x8x3136xf32>, %out: memref<8xi64>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce argmax %r = 0 to 50176 -> i64 {
      %v = mlc_loop.load %x[%r floordiv 3136, %p, %r mod 3136] : memref<16x8x3136xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<8xi64>
  }
}
