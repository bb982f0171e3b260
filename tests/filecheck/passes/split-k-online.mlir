// RUN: mlc-opt %s -p split-k --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'split-k,tile-products' --split-input-file | filecheck %s --check-prefix=TILED

// One query looks at 4000 keys: 8 parts of 512, for programs of their own, and a kernel that combines them. The last
// part ends with the keys. Four heads that share keys are rows of one block.
// CHECK-LABEL: mlc_loop.kernel @decode_parts(
// CHECK-SAME:    %m: memref<8x8x4xf32>, %s: memref<8x8x4xf32>, %o: memref<8x8x4x128xf32>)
// CHECK-NEXT:    mlc_loop.parallel (%[[T:.*]], %[[G:.*]], %[[H:.*]], %[[N:.*]]) = 0 to (8, 8, 4, 128) {
// CHECK-NEXT:      %[[M:.*]], %[[S:.*]], %[[O:.*]] = mlc_loop.reduce softmax, weighted approx %[[J:.*]] = 0 to 4000 span [%[[T]] * 512, %[[T]] * 512 + 512] -> f32, f32, f32 {
// CHECK:             mlc_loop.load %q[%[[G]] * 4 + %[[H]], %
// CHECK-NEXT:        mlc_loop.load %k[%[[G]], %[[J]], %
// CHECK:           mlc_loop.store %[[M]], %m[%[[T]], %[[G]], %[[H]]]
// CHECK-NEXT:      mlc_loop.store %[[S]], %s[%[[T]], %[[G]], %[[H]]]
// CHECK-NEXT:      mlc_loop.store %[[O]], %o[%[[T]], %[[G]], %[[H]], %[[N]]]
// CHECK-LABEL: mlc_loop.kernel @decode(
// CHECK-NEXT:    mlc_loop.parallel (%[[G:.*]], %[[H:.*]], %[[N:.*]]) = 0 to (8, 4, 128) {
// CHECK-NEXT:      %[[MOST:.*]] = mlc_loop.reduce max %{{.*}} = 0 to 8 -> f32 {
// CHECK:           %[[SUM:.*]], %[[SUMS:.*]] = mlc_loop.reduce add, add %{{.*}} = 0 to 8 -> f32, f32 {
// CHECK:           arith.divf %[[SUMS]], %[[SUM]]
// CHECK-LABEL: func.func @main(
// CHECK:         mlc_loop.launch @decode_parts(%q, %k, %v, %m, %s, %o)
// CHECK-NEXT:    mlc_loop.launch @decode(%out, %m, %s, %o)
// TILED-LABEL: mlc_loop.kernel @decode_parts(
// TILED-NEXT:    mlc_loop.parallel %[[B:.*]] = 0 to 64 program 1 {
// TILED-NEXT:      mlc_loop.parallel %p = 0 to 4 program 0 block 16 {
// TILED-NEXT:        mlc_loop.parallel %r = 0 to 128 block 128 {
// TILED-NEXT:          mlc_loop.reduce softmax, weighted approx dot %{{.*}} = 0 to 4000 block 128 stages 3 span [(%[[B]] floordiv 8) * 512, (%[[B]] floordiv 8) * 512 + 512]
mlc_loop.kernel @decode(%q: memref<32x128xbf16>, %k: memref<8x4000x128xbf16>, %v: memref<8x4000x128xbf16>, %out: memref<32x128xbf16>) {
  mlc_loop.parallel (%h, %n) = 0 to (32, 128) {
    %m, %s, %o = mlc_loop.reduce softmax, weighted approx %j = 0 to 4000 -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 128 -> f32 {
        %a = mlc_loop.load %q[%h, %d] : memref<32x128xbf16>
        %b = mlc_loop.load %k[%h floordiv 4, %j, %d] : memref<8x4000x128xbf16>
        %a32 = arith.extf %a : bf16 to f32
        %b32 = arith.extf %b : bf16 to f32
        %ab = arith.mulf %a32, %b32 : f32
        mlc_loop.yield %ab : f32
      }
      %c = mlc_loop.load %v[%h floordiv 4, %j, %n] : memref<8x4000x128xbf16>
      %c32 = arith.extf %c : bf16 to f32
      mlc_loop.yield %x, %c32 : f32, f32
    }
    %y = arith.divf %o, %s : f32
    %z = arith.truncf %y : f32 to bf16
    mlc_loop.store %z, %out[%h, %n] : memref<32x128xbf16>
  }
}
func.func @main(%q: memref<32x128xbf16>, %k: memref<8x4000x128xbf16>, %v: memref<8x4000x128xbf16>) -> memref<32x128xbf16> {
  %out = mlc_loop.alloc : memref<32x128xbf16>
  mlc_loop.launch @decode(%q, %k, %v, %out) : memref<32x128xbf16>, memref<8x4000x128xbf16>, memref<8x4000x128xbf16>, memref<32x128xbf16>
  func.return %out : memref<32x128xbf16>
}

// -----

// A schedule asks for parts of 1024 keys, and how they are tiled.
// CHECK-LABEL: mlc_loop.kernel @asked_parts(
// CHECK-SAME:    schedule <rows = 16, depth = 64>
// CHECK:           span [%{{.*}} * 1024, %{{.*}} * 1024 + 1024]
// CHECK-LABEL: mlc_loop.kernel @asked(
// CHECK-NOT:     schedule
mlc_loop.kernel @asked(%q: memref<32x128xbf16>, %k: memref<8x4000x128xbf16>, %v: memref<8x4000x128xbf16>, %out: memref<32x128xbf16>) schedule <part = 1024, rows = 16, depth = 64> {
  mlc_loop.parallel (%h, %n) = 0 to (32, 128) {
    %m, %s, %o = mlc_loop.reduce softmax, weighted approx %j = 0 to 4000 -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 128 -> f32 {
        %a = mlc_loop.load %q[%h, %d] : memref<32x128xbf16>
        %b = mlc_loop.load %k[%h floordiv 4, %j, %d] : memref<8x4000x128xbf16>
        %a32 = arith.extf %a : bf16 to f32
        %b32 = arith.extf %b : bf16 to f32
        %ab = arith.mulf %a32, %b32 : f32
        mlc_loop.yield %ab : f32
      }
      %c = mlc_loop.load %v[%h floordiv 4, %j, %n] : memref<8x4000x128xbf16>
      %c32 = arith.extf %c : bf16 to f32
      mlc_loop.yield %x, %c32 : f32, f32
    }
    %y = arith.divf %o, %s : f32
    %z = arith.truncf %y : f32 to bf16
    mlc_loop.store %z, %out[%h, %n] : memref<32x128xbf16>
  }
}

// -----

// Rows enough keep the device busy.
// CHECK-LABEL: mlc_loop.kernel @many(
// CHECK-NOT:     span
mlc_loop.kernel @many(%q: memref<4096x128xbf16>, %k: memref<1x4000x128xbf16>, %v: memref<1x4000x128xbf16>, %out: memref<4096x128xbf16>) {
  mlc_loop.parallel (%h, %n) = 0 to (4096, 128) {
    %m, %s, %o = mlc_loop.reduce softmax, weighted approx %j = 0 to 4000 -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 128 -> f32 {
        %a = mlc_loop.load %q[%h, %d] : memref<4096x128xbf16>
        %b = mlc_loop.load %k[0, %j, %d] : memref<1x4000x128xbf16>
        %a32 = arith.extf %a : bf16 to f32
        %b32 = arith.extf %b : bf16 to f32
        %ab = arith.mulf %a32, %b32 : f32
        mlc_loop.yield %ab : f32
      }
      %c = mlc_loop.load %v[0, %j, %n] : memref<1x4000x128xbf16>
      %c32 = arith.extf %c : bf16 to f32
      mlc_loop.yield %x, %c32 : f32, f32
    }
    %y = arith.divf %o, %s : f32
    %z = arith.truncf %y : f32 to bf16
    mlc_loop.store %z, %out[%h, %n] : memref<4096x128xbf16>
  }
}

// -----

// Of so many keys as a name says there is a fixed number of parts, each of whole steps.
// CHECK-LABEL: mlc_loop.kernel @named_parts(
// CHECK:         mlc_loop.parallel (%[[T:.*]], %{{.*}}, %{{.*}}, %{{.*}}) = 0 to (4, 8, 4, 128) {
// CHECK:           0 to N span [%[[T]] * ((N + 1023) floordiv 1024) * 256, %[[T]] * ((N + 1023) floordiv 1024) * 256 + ((N + 1023) floordiv 1024) * 256]
mlc_loop.kernel @named(%q: memref<32x128xbf16>, %k: memref<8x?x128xbf16, strided<[?, 128, 1]>, {sizes = ["8", "N", "128"], strides = ["N * 128", "128", "1"]}>, %v: memref<8x?x128xbf16, strided<[?, 128, 1]>, {sizes = ["8", "N", "128"], strides = ["N * 128", "128", "1"]}>, %out: memref<32x128xbf16>) {
  mlc_loop.parallel (%h, %n) = 0 to (32, 128) {
    %m, %s, %o = mlc_loop.reduce softmax, weighted approx %j = 0 to N -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 128 -> f32 {
        %a = mlc_loop.load %q[%h, %d] : memref<32x128xbf16>
        %b = mlc_loop.load %k[%h floordiv 4, %j, %d] : memref<8x?x128xbf16, strided<[?, 128, 1]>, {sizes = ["8", "N", "128"], strides = ["N * 128", "128", "1"]}>
        %a32 = arith.extf %a : bf16 to f32
        %b32 = arith.extf %b : bf16 to f32
        %ab = arith.mulf %a32, %b32 : f32
        mlc_loop.yield %ab : f32
      }
      %c = mlc_loop.load %v[%h floordiv 4, %j, %n] : memref<8x?x128xbf16, strided<[?, 128, 1]>, {sizes = ["8", "N", "128"], strides = ["N * 128", "128", "1"]}>
      %c32 = arith.extf %c : bf16 to f32
      mlc_loop.yield %x, %c32 : f32, f32
    }
    %y = arith.divf %o, %s : f32
    %z = arith.truncf %y : f32 to bf16
    mlc_loop.store %z, %out[%h, %n] : memref<32x128xbf16>
  }
}
