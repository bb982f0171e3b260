// RUN: mlc-opt %s -p unroll-and-jam --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'unroll-and-jam{unroll=1,4}' --split-input-file | filecheck %s --check-prefix=FOUR

// Two neighbours along %k take 4 columns of x, not 6, and one row of weights, not two. Of the conditions only those of
// the outer columns are left: %k - 1 of the second neighbour is never negative.
// CHECK-LABEL: mlc_loop.kernel @depthwise(
// CHECK-SAME:    why "2 neighbours at once: 3.5 loads each, not 6" {
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (8, 28, 128) {
// CHECK:           %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT:      %[[LEFT:.*]] = mlc_loop.index [%j * 2 - 1] : i64
// CHECK-NEXT:      %[[HAS_LEFT:.*]] = arith.cmpi sge, %[[LEFT]], %[[ZERO]] : i64
// CHECK-NEXT:      %[[A:.*]] = mlc_loop.load %x[%i, %j * 2 - 1, %k] if %[[HAS_LEFT]] : memref<8x56x128xbf16>
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.load %x[%i, %j * 2, %k] : memref<8x56x128xbf16>
// CHECK:           arith.select %[[HAS_LEFT]], %[[A]]
// CHECK-NOT:       arith.select
// CHECK:           mlc_loop.load %w[0, %k]
// CHECK:           mlc_loop.load %x[%i, %j * 2 + 1, %k] : memref<8x56x128xbf16>
// CHECK:           mlc_loop.load %w[1, %k]
// CHECK:           %[[HAS_RIGHT:.*]] = arith.cmpi slt
// CHECK:           mlc_loop.load %x[%i, %j * 2 + 2, %k] if %[[HAS_RIGHT]]
// CHECK:           mlc_loop.load %w[2, %k]
// CHECK-NOT:       mlc_loop.load
// CHECK:           mlc_loop.store %{{.*}}, %out[%i, %j * 2, %k] : memref<8x56x128xf32>
// CHECK-NEXT:      mlc_loop.store %{{.*}}, %out[%i, %j * 2 + 1, %k] : memref<8x56x128xf32>
// CHECK-NEXT:    }
mlc_loop.kernel @depthwise(%x: memref<8x56x128xbf16>, %w: memref<3x128xbf16>, %out: memref<8x56x128xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel (%i, %k, %l) = 0 to (8, 56, 128) {
    %none = arith.constant 0.0 : bf16
    %zero = arith.constant 0 : i64
    %left = mlc_loop.index [%k - 1] : i64
    %has_left = arith.cmpi sge, %left, %zero : i64
    %x0 = mlc_loop.load %x[%i, %k - 1, %l] if %has_left : memref<8x56x128xbf16>
    %m0 = arith.select %has_left, %x0, %none : bf16
    %f0 = arith.extf %m0 : bf16 to f32
    %w0 = mlc_loop.load %w[0, %l] : memref<3x128xbf16>
    %g0 = arith.extf %w0 : bf16 to f32
    %p0 = arith.mulf %f0, %g0 : f32
    %x1 = mlc_loop.load %x[%i, %k, %l] : memref<8x56x128xbf16>
    %f1 = arith.extf %x1 : bf16 to f32
    %w1 = mlc_loop.load %w[1, %l] : memref<3x128xbf16>
    %g1 = arith.extf %w1 : bf16 to f32
    %p1 = arith.mulf %f1, %g1 : f32
    %s1 = arith.addf %p0, %p1 : f32
    %right = mlc_loop.index [%k - 55] : i64
    %has_right = arith.cmpi slt, %right, %zero : i64
    %x2 = mlc_loop.load %x[%i, %k + 1, %l] if %has_right : memref<8x56x128xbf16>
    %m2 = arith.select %has_right, %x2, %none : bf16
    %f2 = arith.extf %m2 : bf16 to f32
    %w2 = mlc_loop.load %w[2, %l] : memref<3x128xbf16>
    %g2 = arith.extf %w2 : bf16 to f32
    %p2 = arith.mulf %f2, %g2 : f32
    %s2 = arith.addf %s1, %p2 : f32
    mlc_loop.store %s2, %out[%i, %k, %l] : memref<8x56x128xf32>
  }
}

// -----

// Along two axes: four results of a window of 2 x 2 load 9 elements, not 16.
// CHECK-LABEL: mlc_loop.kernel @window(
// CHECK-SAME:    why "2 x 2 neighbours at once: 2.25 loads each, not 4" {
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (4, 8, 64) {
// CHECK-COUNT-9:   mlc_loop.load
// CHECK-NOT:       mlc_loop.load
// CHECK-COUNT-4:   mlc_loop.store
mlc_loop.kernel @window(%x: memref<9x17x64xf32>, %out: memref<8x16x64xf32>) schedule <unroll = 2 by 2> {
  mlc_loop.parallel (%j, %k, %l) = 0 to (8, 16, 64) {
    %a = mlc_loop.load %x[%j, %k, %l] : memref<9x17x64xf32>
    %b = mlc_loop.load %x[%j, %k + 1, %l] : memref<9x17x64xf32>
    %c = mlc_loop.load %x[%j + 1, %k, %l] : memref<9x17x64xf32>
    %d = mlc_loop.load %x[%j + 1, %k + 1, %l] : memref<9x17x64xf32>
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %s = arith.addf %ab, %cd : f32
    mlc_loop.store %s, %out[%j, %k, %l] : memref<8x16x64xf32>
  }
}

// -----

// Images channels-first: columns are contiguous, so that neighbours are those along %j. Both results of each are stored.
// CHECK-LABEL: mlc_loop.kernel @two_results(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (16, 14, 56) {
// CHECK-COUNT-5:   mlc_loop.load
// CHECK-NOT:       mlc_loop.load
// CHECK:           mlc_loop.store %{{.*}}, %sum[%i, %j * 4, %k]
// CHECK-NEXT:      mlc_loop.store %{{.*}}, %sum[%i, %j * 4 + 1, %k]
// CHECK-NEXT:      mlc_loop.store %{{.*}}, %sum[%i, %j * 4 + 2, %k]
// CHECK-NEXT:      mlc_loop.store %{{.*}}, %sum[%i, %j * 4 + 3, %k]
// CHECK:           mlc_loop.store %{{.*}}, %max[%i, %j * 4, %k]
mlc_loop.kernel @two_results(%x: memref<16x57x56xf32>, %sum: memref<16x56x56xf32>, %max: memref<16x56x56xf32>) schedule <unroll = 1 by 4> {
  mlc_loop.parallel (%i, %j, %k) = 0 to (16, 56, 56) {
    %a = mlc_loop.load %x[%i, %j, %k] : memref<16x57x56xf32>
    %b = mlc_loop.load %x[%i, %j + 1, %k] : memref<16x57x56xf32>
    %s = arith.addf %a, %b : f32
    mlc_loop.store %s, %sum[%i, %j, %k] : memref<16x56x56xf32>
    %m = arith.maximumf %a, %b : f32
    mlc_loop.store %m, %max[%i, %j, %k] : memref<16x56x56xf32>
  }
}

// -----

// What is updated in place is loaded for each result, as often as that says: a store may come between.
// CHECK-LABEL: mlc_loop.kernel @in_place(
// CHECK:           mlc_loop.load %y[%i * 2, %j]
// CHECK:           mlc_loop.load %y[%i * 2 + 1, %j]
// CHECK:           mlc_loop.store %{{.*}}, %y[%i * 2, %j]
// CHECK:           mlc_loop.load %y[%i * 2, %j]
mlc_loop.kernel @in_place(%x: memref<9x64xf32>, %y: memref<8x64xf32>, %z: memref<8x64xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<9x64xf32>
    %b = mlc_loop.load %x[%i + 1, %j] : memref<9x64xf32>
    %s = arith.addf %a, %b : f32
    %old = mlc_loop.load %y[%i, %j] : memref<8x64xf32>
    %new = arith.addf %old, %s : f32
    mlc_loop.store %new, %y[%i, %j] : memref<8x64xf32>
    %again = mlc_loop.load %y[%i, %j] : memref<8x64xf32>
    mlc_loop.store %again, %z[%i, %j] : memref<8x64xf32>
  }
}

// -----

// Places that are data are looked up for each result.
// CHECK-LABEL: mlc_loop.kernel @looked_up(
// CHECK-COUNT-2:   mlc_loop.indirect_index
// CHECK-COUNT-2:   mlc_loop.load %table
// CHECK-COUNT-2:   mlc_loop.store
mlc_loop.kernel @looked_up(%place: memref<8xi64>, %table: memref<50x64xf32>, %out: memref<8x64xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %p = mlc_loop.load %place[%i] : memref<8xi64>
    %g = mlc_loop.indirect_index %p below 50 : i64
    %v = mlc_loop.load %table[%g, %j] : memref<50x64xf32>
    mlc_loop.store %v, %out[%i, %j] : memref<8x64xf32>
  }
}

// -----

// Neighbours that differ along an axis of which the place knows nothing look it up once.
// CHECK-LABEL: mlc_loop.kernel @looked_up_once(
// CHECK:           mlc_loop.indirect_index
// CHECK-NOT:       mlc_loop.indirect_index
// CHECK:           mlc_loop.load %table
// CHECK-NOT:       mlc_loop.load %table
// CHECK-COUNT-2:   mlc_loop.store
mlc_loop.kernel @looked_up_once(%place: memref<4xi64>, %table: memref<50x64xf32>, %x: memref<8x64xf32>, %out: memref<4x8x64xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel (%i, %j, %k) = 0 to (4, 8, 64) {
    %p = mlc_loop.load %place[%i] : memref<4xi64>
    %g = mlc_loop.indirect_index %p below 50 : i64
    %v = mlc_loop.load %table[%g, %k] : memref<50x64xf32>
    %a = mlc_loop.load %x[%j, %k] : memref<8x64xf32>
    %s = arith.addf %v, %a : f32
    mlc_loop.store %s, %out[%i, %j, %k] : memref<4x8x64xf32>
  }
}

// -----

// A field that asks for one result at once is carried out as well.
// CHECK-LABEL: mlc_loop.kernel @alone(%x: memref<9x64xf32>, %out: memref<8x64xf32>) {
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
mlc_loop.kernel @alone(%x: memref<9x64xf32>, %out: memref<8x64xf32>) schedule <unroll = 1 by 1> {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<9x64xf32>
    %b = mlc_loop.load %x[%i + 1, %j] : memref<9x64xf32>
    %s = arith.addf %a, %b : f32
    mlc_loop.store %s, %out[%i, %j] : memref<8x64xf32>
  }
}

// -----

// By itself the pass leaves small kernels alone, which take no longer than a launch; with `unroll` it does not predict.
// CHECK-LABEL: mlc_loop.kernel @small(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
// FOUR-LABEL:  mlc_loop.kernel @small(
// FOUR-NEXT:     mlc_loop.parallel (%i, %j) = 0 to (2, 64) {
// FOUR-COUNT-5:    mlc_loop.load
mlc_loop.kernel @small(%x: memref<9x64xf32>, %out: memref<8x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<9x64xf32>
    %b = mlc_loop.load %x[%i + 1, %j] : memref<9x64xf32>
    %s = arith.addf %a, %b : f32
    mlc_loop.store %s, %out[%i, %j] : memref<8x64xf32>
  }
}

// -----

// Where neighbours share nothing of what is elsewhere for each, weights alone are no reason.
// CHECK-LABEL: mlc_loop.kernel @scaled(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (8192, 4096) {
mlc_loop.kernel @scaled(%x: memref<8192x4096xf32>, %w: memref<4096xf32>, %out: memref<8192x4096xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8192, 4096) {
    %a = mlc_loop.load %x[%i, %j] : memref<8192x4096xf32>
    %b = mlc_loop.load %w[%j] : memref<4096xf32>
    %s = arith.mulf %a, %b : f32
    mlc_loop.store %s, %out[%i, %j] : memref<8192x4096xf32>
  }
}

// -----

// Memory bounds a window of two rows: the pass leaves it alone.
// CHECK-LABEL: mlc_loop.kernel @two_rows(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (8192, 4096) {
mlc_loop.kernel @two_rows(%x: memref<8193x4096xf32>, %out: memref<8192x4096xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8192, 4096) {
    %a = mlc_loop.load %x[%i, %j] : memref<8193x4096xf32>
    %b = mlc_loop.load %x[%i + 1, %j] : memref<8193x4096xf32>
    %s = arith.addf %a, %b : f32
    mlc_loop.store %s, %out[%i, %j] : memref<8192x4096xf32>
  }
}

// -----

// Sizes with names are left alone.
// CHECK-LABEL: mlc_loop.kernel @named(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (N, 64) {
mlc_loop.kernel @named(%x: memref<?x64xf32, strided<[?, 1]>, {sizes = ["N", "64"], strides = ["64", "1"]}>, %out: memref<?x64xf32, strided<[?, 1]>, {sizes = ["N", "64"], strides = ["64", "1"]}>) {
  mlc_loop.parallel (%i, %j) = 0 to (N, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<?x64xf32, strided<[?, 1]>, {sizes = ["N", "64"], strides = ["64", "1"]}>
    mlc_loop.store %a, %out[%i, %j] : memref<?x64xf32, strided<[?, 1]>, {sizes = ["N", "64"], strides = ["64", "1"]}>
  }
}

// -----

// Heads that are turned by one angle: its sine and cosine are most of what four of them compute. A bias that they share is
// one load for each, which is little.
// CHECK-LABEL: mlc_loop.kernel @turned_heads(
// CHECK-SAME:    why "4 neighbours at once: 1.25 loads each, not 2"
// CHECK:           math.sin
// CHECK-NOT:       math.sin
// CHECK-COUNT-4:   mlc_loop.store
mlc_loop.kernel @turned_heads(%x: memref<16384x4x64xbf16>, %a: memref<16384x64xbf16>, %out: memref<16384x4x64xbf16>) {
  mlc_loop.parallel (%i, %k, %l) = 0 to (16384, 4, 64) {
    %v = mlc_loop.load %x[%i, %k, %l] : memref<16384x4x64xbf16>
    %h = mlc_loop.load %a[%i, %l] : memref<16384x64xbf16>
    %t = arith.extf %h : bf16 to f32
    %s = math.sin %t : f32
    %c = math.cos %t : f32
    %p = math.powf %s, %c : f32
    %q = math.powf %p, %t : f32
    %w = arith.extf %v : bf16 to f32
    %m = arith.mulf %w, %q : f32
    %n = arith.truncf %m : f32 to bf16
    mlc_loop.store %n, %out[%i, %k, %l] : memref<16384x4x64xbf16>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @keeps_biased_heads(
// CHECK-NOT:     neighbours
mlc_loop.kernel @keeps_biased_heads(%x: memref<16384x4x64xbf16>, %a: memref<16384x64xbf16>, %out: memref<16384x4x64xbf16>) {
  mlc_loop.parallel (%i, %k, %l) = 0 to (16384, 4, 64) {
    %v = mlc_loop.load %x[%i, %k, %l] : memref<16384x4x64xbf16>
    %t = mlc_loop.load %a[%i, %l] : memref<16384x64xbf16>
    %m = arith.addf %v, %t : bf16
    mlc_loop.store %m, %out[%i, %k, %l] : memref<16384x4x64xbf16>
  }
}
