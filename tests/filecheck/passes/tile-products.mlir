// RUN: mlc-opt %s -p tile-products --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'tile-products{device=rtx4090}' --split-input-file | filecheck %s --check-prefix=SMALL

// A linear layer: blocks of the result, with what follows the sum on them. Tensor descriptors load the factors, in a
// persistent loop. A small GPU has none, and less shared memory.
// CHECK-LABEL: mlc_loop.kernel @linear(
// CHECK-SAME:    warps 8 index 32 why "blocks of 128 x 256 x 64 on tensor cores; {{.*}} us predicted"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 128 group 8 persistent 132 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 4096 program 1 block 256 slices 2 {
// CHECK-NEXT:        %s = mlc_loop.reduce add dot %k = 0 to 4096 block 64 stages {{[34]}} -> f32 {
// CHECK-NEXT:          %a = mlc_loop.load %x[%p, %k] described : memref<4096x4096xbf16>
// CHECK-NEXT:          %b = mlc_loop.load %w[%k, %r] described : memref<4096x4096xbf16>
// CHECK:               mlc_loop.yield
// CHECK:             %v = mlc_loop.load %bias[%r] : memref<4096xf32>
// CHECK-NEXT:        %t = arith.addf %s, %v : f32
// CHECK-NEXT:        mlc_loop.store %t, %o[%p, %r] : memref<4096x4096xf32>
// SMALL-LABEL: mlc_loop.kernel @linear(
// SMALL-NOT:         persistent
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

// Both factors depend on the batch: programs of one product follow each other.
// CHECK-LABEL: mlc_loop.kernel @batch(
// CHECK-NEXT:    mlc_loop.parallel %b = 0 to 3 program 2 {
// CHECK-NEXT:      mlc_loop.parallel %p = 0 to 64 program 0 block {{[0-9]+}}
// CHECK-NEXT:        mlc_loop.parallel %r = 0 to 64 program 1 block {{[0-9]+}}
// CHECK-NEXT:          %s = mlc_loop.reduce add dot %k = 0 to 64
// CHECK-NEXT:            mlc_loop.load %x[%b, %p, %k]
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

// -----

// The batch lies within rows, as groups of channels do: programs of a block of rows follow each other.
// CHECK-LABEL: mlc_loop.kernel @within(
// CHECK-NEXT:    mlc_loop.parallel %b = 0 to 3 program 0 {
// CHECK-NEXT:      mlc_loop.parallel %p = 0 to 64 program 1 block {{[0-9]+}}
// CHECK-NEXT:        mlc_loop.parallel %r = 0 to 16 program 2 block 16
// CHECK-NEXT:          %s = mlc_loop.reduce add dot %k = 0 to 32
// CHECK:             mlc_loop.store %s, %o[%p, %b, %r]
mlc_loop.kernel @within(%x: memref<64x3x32xbf16>, %w: memref<3x32x16xbf16>, %o: memref<64x3x16xf32>) {
  mlc_loop.parallel (%i, %g, %j) = 0 to (64, 3, 16) {
    %s = mlc_loop.reduce add %k = 0 to 32 -> f32 {
      %a = mlc_loop.load %x[%i, %g, %k] : memref<64x3x32xbf16>
      %b = mlc_loop.load %w[%g, %k, %j] : memref<3x32x16xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%i, %g, %j] : memref<64x3x16xf32>
  }
}

// -----

// No products of blocks: both depend on all axes of the kernel; float32 would lose bits.
// CHECK-LABEL: mlc_loop.kernel @elementwise(
// CHECK-NOT:     dot
mlc_loop.kernel @elementwise(%x: memref<64x64x64xbf16>, %w: memref<64x64x64xbf16>, %o: memref<64x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (64, 64) {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%i, %j, %k] : memref<64x64x64xbf16>
      %b = mlc_loop.load %w[%i, %k, %j] : memref<64x64x64xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%i, %j] : memref<64x64xf32>
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
// Fewer rows than a block has: it is not full.
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8 program 0 block 16 {
// CHECK:             mlc_loop.reduce add dot %k = 0 to 64
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

// -----

// Products that follow each other: programs for each head and block of rows, keys in steps, and all columns at once.
// Keys behind the row are hidden: they are skipped, and the rows that see most go first.
// CHECK-LABEL: mlc_loop.kernel @attention(
// CHECK-SAME:    warps 4 index 32 why "blocks of {{.*}} rows x {{.*}} keys on tensor cores, scores in registers; {{.*}} us predicted"
// CHECK-NEXT:    mlc_loop.parallel %b = 0 to 32 program 1 {
// CHECK-NEXT:      mlc_loop.parallel %p = 0 to 1000 program 0 block {{[0-9]+}} backwards {
// CHECK-NEXT:        mlc_loop.parallel %r = 0 to 80 block 128 {
// CHECK:               mlc_loop.reduce softmax, weighted approx dot %n = 0 to 1000 block {{[0-9]+}} stages {{[0-9]}} visible [0, %p + 1] -> f32, f32, f32 {
// CHECK-NEXT:            %x = mlc_loop.reduce add dot %d = 0 to 64 block 64 -> f32 {
// CHECK-NEXT:              mlc_loop.load %q[%b floordiv 8, %b mod 8, %p, %d]
// CHECK-NEXT:              mlc_loop.load %k[%b floordiv 8, (%b floordiv 4) mod 2, %n, %d]
// CHECK:               mlc_loop.store %{{.*}}, %o[%b floordiv 8, %b mod 8, %p, %r]
mlc_loop.kernel @attention(%q: memref<4x8x1000x64xbf16>, %k: memref<4x2x1000x64xbf16>, %v: memref<4x2x1000x80xbf16>, %o: memref<4x8x1000x80xbf16>) {
  mlc_loop.parallel (%i, %h, %j, %c) = 0 to (4, 8, 1000, 80) {
    %least = arith.constant 0xff800000 : f32
    %row = mlc_loop.index [%j] : i64
    %m, %l, %s = mlc_loop.reduce softmax, weighted approx %n = 0 to 1000 -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 64 -> f32 {
        %a = mlc_loop.load %q[%i, %h, %j, %d] : memref<4x8x1000x64xbf16>
        %b = mlc_loop.load %k[%i, %h floordiv 4, %n, %d] : memref<4x2x1000x64xbf16>
        %af = arith.extf %a : bf16 to f32
        %bf = arith.extf %b : bf16 to f32
        %t = arith.mulf %af, %bf : f32
        mlc_loop.yield %t : f32
      }
      %key = mlc_loop.index [%n] : i64
      %hidden = arith.cmpi slt, %row, %key : i64
      %y = arith.select %hidden, %least, %x : f32
      %w = mlc_loop.load %v[%i, %h floordiv 4, %n, %c] : memref<4x2x1000x80xbf16>
      %wf = arith.extf %w : bf16 to f32
      mlc_loop.yield %y, %wf : f32, f32
    }
    %r = arith.divf %s, %l : f32
    %t = arith.truncf %r : f32 to bf16
    mlc_loop.store %t, %o[%i, %h, %j, %c] : memref<4x8x1000x80xbf16>
  }
}

// -----

// A tiling by hand. Keys that do not depend on the group of heads: rows of all of them share blocks. A window.
// CHECK-LABEL: mlc_loop.kernel @window_by_hand(
// CHECK-SAME:    warps 4 index 32 why "blocks of 32 rows x 32 keys on tensor cores
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 128 program 0 block 32 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 32 block 32 {
// CHECK:             mlc_loop.reduce softmax, weighted dot %n = 0 to 96 block 32 stages 2 -> f32, f32, f32 {
mlc_loop.kernel @window_by_hand(%q: memref<2x64x32xf16>, %k: memref<96x32xf16>, %v: memref<96x32xf16>, %o: memref<2x64x32xf32>) schedule <rows = 32, depth = 32, warps = 4, stages = 2> {
  mlc_loop.parallel (%g, %j, %c) = 0 to (2, 64, 32) {
    %least = arith.constant 0xff800000 : f32
    %m, %l, %s = mlc_loop.reduce softmax, weighted %n = 0 to 96 -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%g, %j, %d] : memref<2x64x32xf16>
        %b = mlc_loop.load %k[%n, %d] : memref<96x32xf16>
        %af = arith.extf %a : f16 to f32
        %bf = arith.extf %b : f16 to f32
        %t = arith.mulf %af, %bf : f32
        mlc_loop.yield %t : f32
      }
      %apart = mlc_loop.index [%j - %n] : i64
      %far = arith.constant 9 : i64
      %near = arith.cmpi slt, %apart, %far : i64
      %y = arith.select %near, %x, %least : f32
      %w = mlc_loop.load %v[%n, %c] : memref<96x32xf16>
      %wf = arith.extf %w : f16 to f32
      mlc_loop.yield %y, %wf : f32, f32
    }
    mlc_loop.store %s, %o[%g, %j, %c] : memref<2x64x32xf32>
  }
}

// -----

// Rows of one axis alone have a window that grows with them.
// CHECK-LABEL: mlc_loop.kernel @window(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 program 0 block {{[0-9]+}} {
// CHECK:             mlc_loop.reduce softmax, weighted dot %n = 0 to 96 {{.*}} visible [%p - 8, 96] -> f32, f32, f32 {
mlc_loop.kernel @window(%q: memref<64x32xf16>, %k: memref<96x32xf16>, %v: memref<96x32xf16>, %o: memref<64x32xf32>) {
  mlc_loop.parallel (%j, %c) = 0 to (64, 32) {
    %least = arith.constant 0xff800000 : f32
    %m, %l, %s = mlc_loop.reduce softmax, weighted %n = 0 to 96 -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%j, %d] : memref<64x32xf16>
        %b = mlc_loop.load %k[%n, %d] : memref<96x32xf16>
        %af = arith.extf %a : f16 to f32
        %bf = arith.extf %b : f16 to f32
        %t = arith.mulf %af, %bf : f32
        mlc_loop.yield %t : f32
      }
      %apart = mlc_loop.index [%j - %n] : i64
      %far = arith.constant 9 : i64
      %near = arith.cmpi slt, %apart, %far : i64
      %y = arith.select %near, %x, %least : f32
      %w = mlc_loop.load %v[%n, %c] : memref<96x32xf16>
      %wf = arith.extf %w : f16 to f32
      mlc_loop.yield %y, %wf : f32, f32
    }
    mlc_loop.store %s, %o[%j, %c] : memref<64x32xf32>
  }
}

// -----

// Sizes that a call tells: programs along the second axis of a grid are limited, and there may be many heads.
// CHECK-LABEL: mlc_loop.kernel @named(
// CHECK-SAME:    warps 4 index 64
// CHECK-NEXT:    mlc_loop.parallel %b = 0 to B program 0 {
// CHECK-NEXT:      mlc_loop.parallel %p = 0 to N program 1 block {{[0-9]+}} backwards {
// CHECK-NEXT:        mlc_loop.parallel %r = 0 to 64 block 64 {
// CHECK:               mlc_loop.reduce softmax, weighted dot %n = 0 to M block {{[0-9]+}} stages {{[0-9]}} visible [0, %p + 1] -> f32, f32, f32 {
mlc_loop.kernel @named(%q: memref<?x?x64xbf16, ["B", "N", "64"]>, %k: memref<?x?x64xbf16, ["B", "M", "64"]>, %v: memref<?x?x64xbf16, ["B", "M", "64"]>, %o: memref<?x?x64xbf16, ["B", "N", "64"]>) {
  mlc_loop.parallel (%h, %j, %c) = 0 to (B, N, 64) {
    %least = arith.constant 0xff800000 : f32
    %row = mlc_loop.index [%j] : i64
    %m, %l, %s = mlc_loop.reduce softmax, weighted %n = 0 to M -> f32, f32, f32 {
      %x = mlc_loop.reduce add %d = 0 to 64 -> f32 {
        %a = mlc_loop.load %q[%h, %j, %d] : memref<?x?x64xbf16, ["B", "N", "64"]>
        %b = mlc_loop.load %k[%h, %n, %d] : memref<?x?x64xbf16, ["B", "M", "64"]>
        %af = arith.extf %a : bf16 to f32
        %bf = arith.extf %b : bf16 to f32
        %t = arith.mulf %af, %bf : f32
        mlc_loop.yield %t : f32
      }
      %key = mlc_loop.index [%n] : i64
      %hidden = arith.cmpi slt, %row, %key : i64
      %y = arith.select %hidden, %least, %x : f32
      %w = mlc_loop.load %v[%h, %n, %c] : memref<?x?x64xbf16, ["B", "M", "64"]>
      %wf = arith.extf %w : bf16 to f32
      mlc_loop.yield %y, %wf : f32, f32
    }
    %r = arith.divf %s, %l : f32
    %t = arith.truncf %r : f32 to bf16
    mlc_loop.store %t, %o[%h, %j, %c] : memref<?x?x64xbf16, ["B", "N", "64"]>
  }
}

// -----

// Factors of float32 that may be rounded to TF32: an element has twice the bytes, steps along the sum are half as deep.
// CHECK-LABEL: mlc_loop.kernel @tf32(
// CHECK-SAME:    warps 8 index 32 why "blocks of 128 x 128 x 32 on tensor cores; {{.*}} us predicted"
// CHECK:             %s = mlc_loop.reduce add tf32 dot %k = 0 to 4096 block 32 stages {{[34]}} -> f32 {
mlc_loop.kernel @tf32(%x: memref<4096x4096xf32>, %w: memref<4096x4096xf32>, %o: memref<4096x4096xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (4096, 4096) {
    %s = mlc_loop.reduce add tf32 %k = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<4096x4096xf32>
      %b = mlc_loop.load %w[%k, %j] : memref<4096x4096xf32>
      %m = arith.mulf %a, %b : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%i, %j] : memref<4096x4096xf32>
  }
}

// -----

// A convolution: the three axes that are summed become one. A step takes channels of one place of the window, so that a
// block of channels divides their number.
// CHECK-LABEL: mlc_loop.kernel @convolution(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 200704 program 0 block 128 group 8 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 64 program 1 block 64 {
// CHECK-NEXT:        %s = mlc_loop.reduce add dot %k = 0 to 864 block 32 stages {{.*}} -> f32 {
// CHECK-NEXT:          %a = mlc_loop.load %x[%p floordiv 3136, ((%p floordiv 56) mod 56) + (%k floordiv 288), ((%k floordiv 96) mod 3) + (%p mod 56), %k mod 96]
// CHECK-NEXT:          %b = mlc_loop.load %w[%r, %k floordiv 288, (%k floordiv 96) mod 3, %k mod 96]
// CHECK:             mlc_loop.store %s, %o[%p floordiv 3136, (%p floordiv 56) mod 56, %p mod 56, %r]
mlc_loop.kernel @convolution(%x: memref<64x58x58x96xbf16>, %w: memref<64x3x3x96xbf16>, %o: memref<64x56x56x64xf32>) {
  mlc_loop.parallel (%n, %i, %j, %k) = 0 to (64, 56, 56, 64) {
    %s = mlc_loop.reduce add (%u, %v, %c) = 0 to (3, 3, 96) -> f32 {
      %a = mlc_loop.load %x[%n, %i + %u, %j + %v, %c] : memref<64x58x58x96xbf16>
      %b = mlc_loop.load %w[%k, %u, %v, %c] : memref<64x3x3x96xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%n, %i, %j, %k] : memref<64x56x56x64xf32>
  }
}

// -----

// Descriptors by hand. Rows of both factors are of what is summed; some of the columns of wider ones begin at a multiple
// of 16 bytes.
// CHECK-LABEL: mlc_loop.kernel @described(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 150 program 0 block 32 persistent 10 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 80 program 1 block 64 slices 2 {
// CHECK-NEXT:        mlc_loop.reduce add dot %k = 0 to 64 block 32 stages 3
// CHECK-NEXT:          mlc_loop.load %x[%p floordiv 50, %p mod 50, %k + 8] described
// CHECK-NEXT:          mlc_loop.load %w[%r, %k] described
mlc_loop.kernel @described(%x: memref<3x50x128xf16>, %w: memref<80x64xf16>, %o: memref<3x50x80xf32>) schedule <rows = 32, columns = 64, depth = 32, group = 1, descriptors = true, warps = 4, stages = 3> {
  mlc_loop.parallel (%h, %i, %j) = 0 to (3, 50, 80) {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%h, %i, %k + 8] : memref<3x50x128xf16>
      %b = mlc_loop.load %w[%j, %k] : memref<80x64xf16>
      %af = arith.extf %a : f16 to f32
      %bf = arith.extf %b : f16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%h, %i, %j] : memref<3x50x80xf32>
  }
}

// -----

// No descriptor tells: rows that begin between multiples of 16 bytes; rows of which every second is left out of a batch;
// and what is computed.
// CHECK-LABEL: mlc_loop.kernel @odd_rows(
// CHECK-NOT:     described
// CHECK-LABEL: mlc_loop.kernel @gaps(
// CHECK-NOT:     described
// CHECK-LABEL: mlc_loop.kernel @computed(
// CHECK-NOT:     described
mlc_loop.kernel @odd_rows(%x: memref<8192x4098xbf16>, %w: memref<4098x4096xbf16>, %o: memref<8192x4096xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8192, 4096) {
    %s = mlc_loop.reduce add %k = 0 to 4098 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<8192x4098xbf16>
      %b = mlc_loop.load %w[%k, %j] : memref<4098x4096xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%i, %j] : memref<8192x4096xf32>
  }
}
mlc_loop.kernel @gaps(%x: memref<128x65x4096xbf16>, %w: memref<4096x4096xbf16>, %o: memref<128x64x4096xf32>) {
  mlc_loop.parallel (%h, %i, %j) = 0 to (128, 64, 4096) {
    %s = mlc_loop.reduce add %k = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%h, %i, %k] : memref<128x65x4096xbf16>
      %b = mlc_loop.load %w[%k, %j] : memref<4096x4096xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%h, %i, %j] : memref<128x64x4096xf32>
  }
}
mlc_loop.kernel @computed(%x: memref<8192x4096xbf16>, %w: memref<4096x4096xbf16>, %o: memref<8192x4096xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8192, 4096) {
    %s = mlc_loop.reduce add %k = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<8192x4096xbf16>
      %n = arith.negf %a : bf16
      %b = mlc_loop.load %w[%k, %j] : memref<4096x4096xbf16>
      %af = arith.extf %n : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    mlc_loop.store %s, %o[%i, %j] : memref<8192x4096xf32>
  }
}

// -----

// The gradient of a function of another tensor: with descriptors it is computed for one half of the columns after the
// other, so that a lane has registers for it. Without, 8 warps hold a smaller block, and addresses.
// CHECK-LABEL: mlc_loop.kernel @beside(
// CHECK:           mlc_loop.parallel %r = 0 to 3072 program 1 block {{[0-9]+}} slices 2 {
// SMALL-LABEL: mlc_loop.kernel @beside(
// SMALL-SAME:    warps 8 index 32 why "blocks of 128 x 128 x
mlc_loop.kernel @beside(%x: memref<8192x768xbf16>, %w: memref<768x3072xbf16>, %y: memref<8192x3072xf32>, %o: memref<8192x3072xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8192, 3072) {
    %s = mlc_loop.reduce add %k = 0 to 768 -> f32 {
      %a = mlc_loop.load %x[%i, %k] : memref<8192x768xbf16>
      %b = mlc_loop.load %w[%k, %j] : memref<768x3072xbf16>
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %b : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    %u = mlc_loop.load %y[%i, %j] : memref<8192x3072xf32>
    %t = math.tanh %u : f32
    %g = arith.mulf %s, %t : f32
    mlc_loop.store %g, %o[%i, %j] : memref<8192x3072xf32>
  }
}

// -----

// A single row is no axis of a kernel. Where bytes hold several columns each, a loop over rows is made for it.
// CHECK-LABEL: mlc_loop.kernel @one_row(
// CHECK-SAME:    why "blocks of 16 x {{.*}} on tensor cores; {{.*}} us predicted"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1 program 0 block 16 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 4096 program 1 block {{[0-9]+}} {
// CHECK-NEXT:        %s = mlc_loop.reduce add dot %k = 0 to 4096 block {{[0-9]+}} stages {{[34]}} -> f32 {
// CHECK-NEXT:          %a = mlc_loop.load %x[%k] : memref<4096xbf16>
// CHECK-NEXT:          %b = mlc_loop.load %w[%k, %r floordiv 2] : memref<4096x2048xi8>
// CHECK:             mlc_loop.store %t, %o[%r] : memref<4096xbf16>
mlc_loop.kernel @one_row(%x: memref<4096xbf16>, %w: memref<4096x2048xi8>, %o: memref<4096xbf16>) {
  mlc_loop.parallel %i = 0 to 4096 {
    %s = mlc_loop.reduce add %k = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%k] : memref<4096xbf16>
      %b = mlc_loop.load %w[%k, %i floordiv 2] : memref<4096x2048xi8>
      %c = arith.sitofp %b : i8 to bf16
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %c : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    %t = arith.truncf %s : f32 to bf16
    mlc_loop.store %t, %o[%i] : memref<4096xbf16>
  }
}

// -----

// Bytes of one column each: a sum of vectors, which reads memory as quickly.
// CHECK-LABEL: mlc_loop.kernel @keeps_one_row(
// CHECK-NOT:     dot
mlc_loop.kernel @keeps_one_row(%x: memref<4096xbf16>, %w: memref<4096x4096xi8>, %o: memref<4096xbf16>) {
  mlc_loop.parallel %i = 0 to 4096 {
    %s = mlc_loop.reduce add %k = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%k] : memref<4096xbf16>
      %b = mlc_loop.load %w[%k, %i] : memref<4096x4096xi8>
      %c = arith.sitofp %b : i8 to bf16
      %af = arith.extf %a : bf16 to f32
      %bf = arith.extf %c : bf16 to f32
      %m = arith.mulf %af, %bf : f32
      mlc_loop.yield %m : f32
    }
    %t = arith.truncf %s : f32 to bf16
    mlc_loop.store %t, %o[%i] : memref<4096xbf16>
  }
}
