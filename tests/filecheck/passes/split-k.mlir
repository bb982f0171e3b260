// RUN: mlc-opt %s -p split-k --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'split-k,tile-products' --split-input-file | filecheck %s --check-prefix=TILED

// A long sum for few rows and columns: parts of 512 terms for programs of their own, and a kernel that adds them up and
// does what follows. Parts are a batch of products.
// CHECK-LABEL: mlc_loop.kernel @linear_parts(%x: memref<4x8192xbf16>, %w: memref<512x8192xbf16>, %s: memref<16x4x512xf32>) {
// CHECK-NEXT:    mlc_loop.parallel (%[[T:.*]], %[[I:.*]], %[[J:.*]]) = 0 to (16, 4, 512) {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %[[K:.*]] = 0 to 512 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%[[I]], %[[T]] * 512 + %[[K]]]
// CHECK-NEXT:        mlc_loop.load %w[%[[J]], %[[T]] * 512 + %[[K]]]
// CHECK:           mlc_loop.store %[[S]], %s[%[[T]], %[[I]], %[[J]]]
// CHECK-LABEL: mlc_loop.kernel @linear(%c: memref<512xbf16>, %out: memref<4x512xbf16>, %s: memref<16x4x512xf32>) {
// CHECK-NEXT:    mlc_loop.parallel (%[[I:.*]], %[[J:.*]]) = 0 to (4, 512) {
// CHECK-NEXT:      %[[SUM:.*]] = mlc_loop.reduce add %[[T:.*]] = 0 to 16 -> f32 {
// CHECK-NEXT:        mlc_loop.load %s[%[[T]], %[[I]], %[[J]]]
// CHECK:           arith.addf %[[SUM]]
// CHECK:           mlc_loop.store %{{.*}}, %out[%[[I]], %[[J]]]
// CHECK-LABEL: func.func @main(
// CHECK:         mlc_loop.launch @linear_parts(%x, %w, %s)
// CHECK-NEXT:    mlc_loop.launch @linear(%c, %out, %s)
// CHECK-NEXT:    mlc_loop.free %s
// TILED-LABEL: mlc_loop.kernel @linear_parts(
// TILED-NEXT:    mlc_loop.parallel %{{.*}} = 0 to 16 program 2 {
// TILED-NEXT:      mlc_loop.parallel %p = 0 to 4 program 0 block 16 {
// TILED-NEXT:        mlc_loop.parallel %r = 0 to 512 program 1 block
// TILED-NEXT:          mlc_loop.reduce add dot %{{.*}} = 0 to 512 block
mlc_loop.kernel @linear(%x: memref<4x8192xbf16>, %w: memref<512x8192xbf16>, %c: memref<512xbf16>, %out: memref<4x512xbf16>) {
  mlc_loop.parallel (%i, %j) = 0 to (4, 512) {
    %s = mlc_loop.reduce add %k = 0 to 8192 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<4x8192xbf16>
      %b = mlc_loop.load %w[%j, %k] : memref<512x8192xbf16>
      %a32 = arith.extf %a : bf16 to f32
      %b32 = arith.extf %b : bf16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      mlc_loop.yield %ab : f32
    }
    %d = mlc_loop.load %c[%j] : memref<512xbf16>
    %d32 = arith.extf %d : bf16 to f32
    %t = arith.addf %s, %d32 : f32
    %y = arith.truncf %t : f32 to bf16
    mlc_loop.store %y, %out[%i, %j] : memref<4x512xbf16>
  }
}
func.func @main(%x: memref<4x8192xbf16>, %w: memref<512x8192xbf16>, %c: memref<512xbf16>) -> memref<4x512xbf16> {
  %out = mlc_loop.alloc : memref<4x512xbf16>
  mlc_loop.launch @linear(%x, %w, %c, %out) : memref<4x8192xbf16>, memref<512x8192xbf16>, memref<512xbf16>, memref<4x512xbf16>
  func.return %out : memref<4x512xbf16>
}

// -----

// Two products that share a factor, in parts of as many terms as the schedule asks for. How they are tiled is for the
// kernel of the parts.
// CHECK-LABEL: mlc_loop.kernel @gates_parts(
// CHECK-SAME:    %s: memref<2x32x64xf32>, %t: memref<2x32x64xf32>) schedule <rows = 32, depth = 64> {
// CHECK:           %{{.*}}, %{{.*}} = mlc_loop.reduce add, add %{{.*}} = 0 to 128 -> f32, f32 {
// CHECK-LABEL: mlc_loop.kernel @gates(
// CHECK-NOT:     schedule
// CHECK:           %[[A:.*]], %[[B:.*]] = mlc_loop.reduce add, add %{{.*}} = 0 to 2 -> f32, f32 {
// CHECK:           arith.mulf %[[A]], %[[B]]
mlc_loop.kernel @gates(%x: memref<32x256xbf16>, %w: memref<256x64xbf16>, %v: memref<256x64xbf16>, %out: memref<32x64xf32>) schedule <part = 128, rows = 32, depth = 64> {
  mlc_loop.parallel (%i, %j) = 0 to (32, 64) {
    %s, %t = mlc_loop.reduce add, add %k = 0 to 256 -> f32, f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<32x256xbf16>
      %b = mlc_loop.load %w[%k, %j] : memref<256x64xbf16>
      %c = mlc_loop.load %v[%k, %j] : memref<256x64xbf16>
      %a32 = arith.extf %a : bf16 to f32
      %b32 = arith.extf %b : bf16 to f32
      %c32 = arith.extf %c : bf16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      %ac = arith.mulf %a32, %c32 : f32
      mlc_loop.yield %ab, %ac : f32, f32
    }
    %y = arith.mulf %s, %t : f32
    mlc_loop.store %y, %out[%i, %j] : memref<32x64xf32>
  }
}

// -----

// Of two axes that are summed the outer one is cut, if there are so many parts of it.
// CHECK-LABEL: mlc_loop.kernel @two_axes_parts(
// CHECK:           mlc_loop.reduce add (%[[K:.*]], %[[L:.*]]) = 0 to (4, 20) -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%{{.*}}, %{{.*}} * 4 + %[[K]], %[[L]]]
// CHECK-LABEL: mlc_loop.kernel @cut_within_parts(
// CHECK:           mlc_loop.reduce add %[[K:.*]] = 0 to 64 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%{{.*}}, (%{{.*}} * 64 + %[[K]]) floordiv 20, (%{{.*}} * 64 + %[[K]]) mod 20]
mlc_loop.kernel @two_axes(%x: memref<32x16x20xbf16>, %w: memref<16x20x64xbf16>, %out: memref<32x64xf32>) schedule <part = 80> {
  mlc_loop.parallel (%i, %j) = 0 to (32, 64) {
    %s = mlc_loop.reduce add (%k, %l) = 0 to (16, 20) -> f32 {
      %a = mlc_loop.load %x[%i, %k, %l] : memref<32x16x20xbf16>
      %b = mlc_loop.load %w[%k, %l, %j] : memref<16x20x64xbf16>
      %a32 = arith.extf %a : bf16 to f32
      %b32 = arith.extf %b : bf16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      mlc_loop.yield %ab : f32
    }
    mlc_loop.store %s, %out[%i, %j] : memref<32x64xf32>
  }
}
mlc_loop.kernel @cut_within(%x: memref<32x16x20xbf16>, %w: memref<16x20x64xbf16>, %out: memref<32x64xf32>) schedule <part = 64> {
  mlc_loop.parallel (%i, %j) = 0 to (32, 64) {
    %s = mlc_loop.reduce add (%k, %l) = 0 to (16, 20) -> f32 {
      %a = mlc_loop.load %x[%i, %k, %l] : memref<32x16x20xbf16>
      %b = mlc_loop.load %w[%k, %l, %j] : memref<16x20x64xbf16>
      %a32 = arith.extf %a : bf16 to f32
      %b32 = arith.extf %b : bf16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      mlc_loop.yield %ab : f32
    }
    mlc_loop.store %s, %out[%i, %j] : memref<32x64xf32>
  }
}

// -----

// Many rows and columns keep the device busy. Programs that unpack weights of 8 bits share a multiprocessor: while one
// waits, another computes.
// CHECK-LABEL: mlc_loop.kernel @busy(
// CHECK-LABEL: mlc_loop.kernel @unpacked_parts(
// CHECK:         arith.sitofp
// CHECK-LABEL: mlc_loop.kernel @unpacked(
// CHECK-NOT:     arith.sitofp
mlc_loop.kernel @busy(%x: memref<4096x8192xbf16>, %w: memref<4096x8192xbf16>, %out: memref<4096x4096xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (4096, 4096) {
    %s = mlc_loop.reduce add %k = 0 to 8192 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<4096x8192xbf16>
      %b = mlc_loop.load %w[%j, %k] : memref<4096x8192xbf16>
      %a32 = arith.extf %a : bf16 to f32
      %b32 = arith.extf %b : bf16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      mlc_loop.yield %ab : f32
    }
    mlc_loop.store %s, %out[%i, %j] : memref<4096x4096xf32>
  }
}
mlc_loop.kernel @unpacked(%x: memref<4x8192xbf16>, %w: memref<512x8192xi8>, %out: memref<4x512xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (4, 512) {
    %s = mlc_loop.reduce add %k = 0 to 8192 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<4x8192xbf16>
      %b = mlc_loop.load %w[%j, %k] : memref<512x8192xi8>
      %c = arith.sitofp %b : i8 to bf16
      %a32 = arith.extf %a : bf16 to f32
      %b32 = arith.extf %c : bf16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      mlc_loop.yield %ab : f32
    }
    mlc_loop.store %s, %out[%i, %j] : memref<4x512xf32>
  }
}
