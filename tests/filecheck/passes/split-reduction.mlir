// RUN: mlc-opt %s -p split-reduction --split-input-file | filecheck %s

// One row of a million columns: 977 programs reduce 1024 columns each, then one adds up what they found.
// What is computed from the sum moves to the second kernel.
// CHECK-LABEL: mlc_loop.kernel @mean_parts(
// CHECK-SAME:    %partial: memref<1x977xf32>
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 977 {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %k = 0 to 1024 -> f32 {
// CHECK-NEXT:        %[[BEYOND:.*]] = mlc_loop.index [%q * 1024 + %k - 1000000] : i64
// CHECK:             %[[INSIDE:.*]] = arith.cmpi slt, %[[BEYOND]]
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%q * 1024 + %k] if %[[INSIDE]]
// CHECK:             arith.select %[[INSIDE]], %[[V]]
// CHECK:           mlc_loop.store %[[S]], %partial[0, %q]
// CHECK-LABEL: mlc_loop.kernel @mean(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1 {
// CHECK-NEXT:      mlc_loop.reduce add %i = 0 to 977 -> f32 {
// CHECK:           arith.divf
// CHECK-LABEL: @main
// CHECK:         mlc_loop.launch @mean_parts
// CHECK-NEXT:    mlc_loop.launch @mean
// CHECK-NEXT:    mlc_loop.free
mlc_loop.kernel @mean(%x: memref<1000000xf32>, %out: memref<1xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 1000000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 1.0e+06 : f32
    %m = arith.divf %s, %n : f32
    mlc_loop.store %m, %out[0] : memref<1xf32>
  }
}
func.func @main(%x: memref<1000000xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @mean(%x, %out) : memref<1000000xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}

// -----

// Rows lie side by side in memory: neighbouring programs keep neighbouring rows of one part.
// CHECK-LABEL: mlc_loop.kernel @columns_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 65536 {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add %k = 0 to 16 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%k + (%q floordiv 1024) * 16, %q mod 1024]
mlc_loop.kernel @columns(%x: memref<1024x1024xf32>, %out: memref<1024xf32>) {
  mlc_loop.parallel %p = 0 to 1024 {
    %s = mlc_loop.reduce add %r = 0 to 1024 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1024x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1024xf32>
  }
}

// -----

// Enough rows already.
// CHECK-LABEL: mlc_loop.kernel @many_rows(
// CHECK-NOT:     _parts
mlc_loop.kernel @many_rows(%x: memref<4096x4096xf32>, %out: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// Every column needs the finished sum: two kernels could not share the row.
// CHECK-LABEL: mlc_loop.kernel @normalise(
// CHECK-NOT:     _parts
mlc_loop.kernel @normalise(%x: memref<1000000xf32>, %out: memref<1000000xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 1000000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1000000 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      %q = arith.divf %v, %s : f32
      mlc_loop.store %q, %out[%r] : memref<1000000xf32>
    }
  }
}

// -----

// The position of an argmax would have to be mended for each part: left whole.
// CHECK-LABEL: mlc_loop.kernel @position(
// CHECK-NOT:     _parts
mlc_loop.kernel @position(%x: memref<1000000xf32>, %out: memref<1xi64>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce argmax %r = 0 to 1000000 -> i64 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xi64>
  }
}
