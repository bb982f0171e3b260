// RUN: not mlc-opt %s -p split-k,tile-products --split-input-file 2>&1 | filecheck %s

// CHECK: error: split-k: N keys are no known number of parts of 512
mlc_loop.kernel @decode(%q: memref<32x128xbf16>, %k: memref<8x?x128xbf16, strided<[?, 128, 1]>, {sizes = ["8", "N", "128"], strides = ["N * 128", "128", "1"]}>, %v: memref<8x?x128xbf16, strided<[?, 128, 1]>, {sizes = ["8", "N", "128"], strides = ["N * 128", "128", "1"]}>, %out: memref<32x128xbf16>) schedule <part = 512> {
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

// -----

// CHECK: error: tile-products: a span of keys does not go by steps of 128
mlc_loop.kernel @decode(%q: memref<32x128xbf16>, %k: memref<8x4000x128xbf16>, %v: memref<8x4000x128xbf16>, %out: memref<32x128xbf16>) schedule <part = 192, depth = 128> {
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

// CHECK: error: split-k: sums of 256 terms are no whole number of parts of 96
mlc_loop.kernel @product(%x: memref<32x256xbf16>, %w: memref<256x64xbf16>, %out: memref<32x64xf32>) schedule <part = 96> {
  mlc_loop.parallel (%i, %j) = 0 to (32, 64) {
    %s = mlc_loop.reduce add %k = 0 to 256 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<32x256xbf16>
      %b = mlc_loop.load %w[%k, %j] : memref<256x64xbf16>
      %a32 = arith.extf %a : bf16 to f32
      %b32 = arith.extf %b : bf16 to f32
      %ab = arith.mulf %a32, %b32 : f32
      mlc_loop.yield %ab : f32
    }
    mlc_loop.store %s, %out[%i, %j] : memref<32x64xf32>
  }
}
