// RUN: mlc-opt %s -p tile-products --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'tile-products{device=rtx4090}' --split-input-file | filecheck %s --check-prefix=SMALL

// A linear layer: blocks of the result, with what follows the sum on them. A small GPU has less shared memory.
// CHECK-LABEL: mlc_loop.kernel @linear(
// CHECK-SAME:    warps 8 index 32 why "blocks of 128 x 256 x 64 on tensor cores; {{.*}} us predicted"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 128 group 8 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 4096 program 1 block 256 {
// CHECK-NEXT:        %s = mlc_loop.reduce add dot %k = 0 to 4096 block 64 stages 4 -> f32 {
// CHECK-NEXT:          %a = mlc_loop.load %x[%p, %k] : memref<4096x4096xbf16>
// CHECK-NEXT:          %b = mlc_loop.load %w[%k, %r] : memref<4096x4096xbf16>
// CHECK:               mlc_loop.yield
// CHECK:             %v = mlc_loop.load %bias[%r] : memref<4096xf32>
// CHECK-NEXT:        %t = arith.addf %s, %v : f32
// CHECK-NEXT:        mlc_loop.store %t, %o[%p, %r] : memref<4096x4096xf32>
// SMALL-LABEL: mlc_loop.kernel @linear(
// SMALL:             mlc_loop.reduce add dot %k = 0 to 4096 block 32 stages 4 -> f32 {
mlc_loop.kernel @linear(%x: memref<4096x4096xbf16>, %w: memref<4096x4096xbf16>, %bias: memref<4096xf32>, %o: memref<4096x4096xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (4096, 4096) {
    %s = mlc_loop.reduce add %k = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<4096x4096xbf16>
      %b = mlc_loop.load %w[%k, %j] : memref<4096x4096xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    %v = mlc_loop.load %bias[%j] : memref<4096xf32>
    %t = arith.addf %s, %v : f32
    mlc_loop.store %t, %o[%i, %j] : memref<4096x4096xf32>
  }
}

// -----

// A tiling written by hand; two axes of rows are one, and the second factor may come first.
// CHECK-LABEL: mlc_loop.kernel @by_hand(
// CHECK-SAME:    warps 4 index 32 why "blocks of 32 x 16 x 64 on tensor cores
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 96 program 0 block 32 group 3 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 80 program 1 block 16 {
// CHECK-NEXT:        %s = mlc_loop.reduce add dot %k = 0 to 64 block 64 stages 2 -> f32 {
// CHECK:               mlc_loop.load %x[%p floordiv 48, %p mod 48, %k] : memref<2x48x64xf16>
// CHECK:             mlc_loop.store %s, %o[%p floordiv 48, %p mod 48, %r] : memref<2x48x80xf32>
mlc_loop.kernel @by_hand(%x: memref<2x48x64xf16>, %w: memref<80x64xf16>, %o: memref<2x48x80xf32>) schedule <rows = 32, columns = 16, depth = 64, warps = 4, stages = 2> {
  mlc_loop.parallel (%h, %i, %j) = 0 to (2, 48, 80) {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %b = mlc_loop.load %w[%j, %k] : memref<80x64xf16>
      %a = mlc_loop.load %x[%h, %i, %k] : memref<2x48x64xf16>
      %bf = arith.extf %b : f16 to f32
      %af = arith.extf %a : f16 to f32
      %m = arith.mulf %bf, %af : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%h, %i, %j] : memref<2x48x80xf32>
  }
}

// -----

// No products of blocks: both factors depend on the batch; float32 would lose bits; a block has 16 rows.
// CHECK-LABEL: mlc_loop.kernel @batch(
// CHECK-NOT:     dot
mlc_loop.kernel @batch(%x: memref<3x64x64xbf16>, %w: memref<3x64x64xbf16>, %o: memref<3x64x64xf32>) {
  mlc_loop.parallel (%h, %i, %j) = 0 to (3, 64, 64) {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%h, %i, %k] : memref<3x64x64xbf16>
      %b = mlc_loop.load %w[%h, %k, %j] : memref<3x64x64xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%h, %i, %j] : memref<3x64x64xf32>
  }
}
// CHECK-LABEL: mlc_loop.kernel @float32(
// CHECK-NOT:     dot
mlc_loop.kernel @float32(%x: memref<64x64xf32>, %w: memref<64x64xf32>, %o: memref<64x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (64, 64) {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<64x64xf32>
      %b = mlc_loop.load %w[%k, %j] : memref<64x64xf32>
      %m = arith.mulf %a, %b : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%i, %j] : memref<64x64xf32>
  }
}
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK-NOT:     dot
mlc_loop.kernel @few(%x: memref<8x64xbf16>, %w: memref<64x64xbf16>, %o: memref<8x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<8x64xbf16>
      %b = mlc_loop.load %w[%k, %j] : memref<64x64xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%i, %j] : memref<8x64xf32>
  }
}
