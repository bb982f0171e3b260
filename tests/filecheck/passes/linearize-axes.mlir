// RUN: mlc-opt %s -p linearize-axes --split-input-file | filecheck %s

// Rows of several axes, and columns of several: one of each, and addresses that divide.
// CHECK-LABEL: mlc_loop.kernel @statistics(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 12 {
// CHECK-NEXT:      %s = mlc_loop.reduce add %r = 0 to 35 -> f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%p floordiv 4, %r floordiv 7, %p mod 4, %r mod 7] : memref<3x5x4x7xf32>
// CHECK-NEXT:        mlc_loop.yield %v : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      mlc_loop.parallel %r_1 = 0 to 35 {
// CHECK-NEXT:        %q = mlc_loop.index [(%p floordiv 4) * 140 + (%p mod 4) * 7 + (%r_1 floordiv 7) * 28 + (%r_1 mod 7)] : i64
// CHECK:             mlc_loop.store %s, %out[%p floordiv 4, %r_1 floordiv 7, %p mod 4, %r_1 mod 7] if %c : memref<3x5x4x7xf32>
mlc_loop.kernel @statistics(%x: memref<3x5x4x7xf32>, %out: memref<3x5x4x7xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (3, 4) {
    %s = mlc_loop.reduce add (%k, %l) = 0 to (5, 7) -> f32 {
      %v = mlc_loop.load %x[%i, %k, %j, %l] : memref<3x5x4x7xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel (%k, %l) = 0 to (5, 7) {
      %q = mlc_loop.index [%i * 140 + %k * 28 + %j * 7 + %l] : i64
      %n = arith.constant 100 : i64
      %c = arith.cmpi slt, %q, %n : i64
      mlc_loop.store %s, %out[%i, %k, %j, %l] if %c : memref<3x5x4x7xf32>
    }
  }
}

// -----

// A place that is computed from all axes is one number again.
// CHECK-LABEL: mlc_loop.kernel @positions(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to H * W * 8 {
// CHECK-NEXT:      %i = mlc_loop.index [%p] : i64
// CHECK-NEXT:      mlc_loop.store %i, %out[%p] : memref<?xi64, {sizes = ["H * W * 8"], strides = ["1"]}>
mlc_loop.kernel @positions(%out: memref<?xi64, {sizes = ["H * W * 8"], strides = ["1"]}>) {
  mlc_loop.parallel (%a, %b, %c) = 0 to (H, 8, W) {
    %i = mlc_loop.index [%a * 8 * W + %b * W + %c] : i64
    mlc_loop.store %i, %out[(%a * 8 + %b) * W + %c] : memref<?xi64, {sizes = ["H * W * 8"], strides = ["1"]}>
  }
}

// -----

// Accumulators, atomics, and indices that are data; an axis of one place is nowhere.
// CHECK-LABEL: mlc_loop.kernel @scatter(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 12 {
// CHECK-NEXT:      %n = mlc_loop.load %at[%p floordiv 4] : memref<3xi64>
// CHECK-NEXT:      %k = mlc_loop.indirect_index %n below 1 : i64
// CHECK-NEXT:      %v = mlc_loop.load %x[%p floordiv 4, 0, %p mod 4]
// CHECK-NEXT:      mlc_loop.atomic add %v, %out[%k, %p mod 4]
// CHECK-NEXT:      mlc_loop.accumulate add %v, %sum[%p mod 4]
mlc_loop.kernel @scatter(%at: memref<3xi64>, %x: memref<3x1x4xf32>, %out: memref<1x4xf32>, %sum: memref<4xf32>) {
  mlc_loop.parallel (%i, %j, %l) = 0 to (3, 1, 4) {
    %n = mlc_loop.load %at[%i] : memref<3xi64>
    %k = mlc_loop.indirect_index %n below 1 : i64
    %v = mlc_loop.load %x[%i, %j, %l] : memref<3x1x4xf32>
    mlc_loop.atomic add %v, %out[%k, %l] : memref<1x4xf32>
    mlc_loop.accumulate add %v, %sum[%l] : memref<4xf32>
  }
}

// -----

// One axis stays as it is but for its name.
// CHECK-LABEL: mlc_loop.kernel @flat(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 12 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%p floordiv 4, %p mod 4]
mlc_loop.kernel @flat(%x: memref<3x4xf32>) {
  mlc_loop.parallel %i = 0 to 12 {
    %v = mlc_loop.load %x[%i floordiv 4, %i mod 4] : memref<3x4xf32>
    mlc_loop.store %v, %x[%i floordiv 4, %i mod 4] : memref<3x4xf32>
  }
}

// -----

// No places at all.
// CHECK-LABEL: mlc_loop.kernel @empty(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 0 -> f32 {
mlc_loop.kernel @empty(%x: memref<4x0x3xf32>, %out: memref<4xf32>) {
  mlc_loop.parallel %i = 0 to 4 {
    %s = mlc_loop.reduce add (%j, %k) = 0 to (0, 3) -> f32 {
      %v = mlc_loop.load %x[%i, %j, %k] : memref<4x0x3xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%i] : memref<4xf32>
  }
}

// -----

// Kernels that have a schedule are done.
// CHECK-LABEL: mlc_loop.kernel @scheduled(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 512 program 0 block 128 {
mlc_loop.kernel @scheduled(%x: memref<512xf32>) warps 4 index 32 {
  mlc_loop.parallel %q = 0 to 512 program 0 block 128 {
    %v = mlc_loop.load %x[%q] : memref<512xf32>
    mlc_loop.store %v, %x[%q] : memref<512xf32>
  }
}
