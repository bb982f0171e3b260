// RUN: mlc-opt %s -p tile-products --split-input-file | filecheck %s

// What a mask makes 0 adds nothing: blocks of such keys alone are skipped.
// CHECK-LABEL: mlc_loop.kernel @zeros(
// CHECK:             mlc_loop.reduce add dot %j = 0 to {{[0-9]+}} block {{[0-9]+}} stages {{[0-9]}} visible [%p, 64] -> f32 {
mlc_loop.kernel @zeros(%q: memref<64x32xf16>, %k: memref<64x32xf16>, %m: memref<64xf32>, %g: memref<64x32xf16>, %o: memref<64x32xf32>) {
  mlc_loop.parallel (%i, %n) = 0 to (64, 32) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %row = mlc_loop.index [%i] : i64
    %t = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %c] : memref<64x32xf16>
        %b = mlc_loop.load %k[%j, %c] : memref<64x32xf16>
        %aw = arith.extf %a : f16 to f32
        %bw = arith.extf %b : f16 to f32
        %ab = arith.mulf %aw, %bw : f32
        mlc_loop.yield %ab : f32
      }
      %key = mlc_loop.index [%j] : i64
      %before = arith.cmpi slt, %key, %row : i64
      %w = arith.select %before, %zero, %s : f32
      %y = mlc_loop.load %g[%j, %n] : memref<64x32xf16>
      %yw = arith.extf %y : f16 to f32
      %wy = arith.mulf %w, %yw : f32
      mlc_loop.yield %wy : f32
    }
    mlc_loop.store %t, %o[%i, %n] : memref<64x32xf32>
  }
}

// -----

// exp(-inf - c) is 0, if c is the maximum of a key that some row sees: each key is seen by the row of its number.
// CHECK-LABEL: mlc_loop.kernel @exponentials(
// CHECK:             mlc_loop.reduce add dot %j = 0 to {{[0-9]+}} block {{[0-9]+}} stages {{[0-9]}} visible [%p, 64] -> f32 {
mlc_loop.kernel @exponentials(%q: memref<64x32xf16>, %k: memref<64x32xf16>, %m: memref<64xf32>, %g: memref<64x32xf16>, %o: memref<64x32xf32>) {
  mlc_loop.parallel (%i, %n) = 0 to (64, 32) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %row = mlc_loop.index [%i] : i64
    %t = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %c] : memref<64x32xf16>
        %b = mlc_loop.load %k[%j, %c] : memref<64x32xf16>
        %aw = arith.extf %a : f16 to f32
        %bw = arith.extf %b : f16 to f32
        %ab = arith.mulf %aw, %bw : f32
        mlc_loop.yield %ab : f32
      }
      %key = mlc_loop.index [%j] : i64
      %before = arith.cmpi slt, %key, %row : i64
      %x = arith.select %before, %least, %s : f32
      %c0 = mlc_loop.load %m[%j] : memref<64xf32>
      %d = arith.subf %x, %c0 : f32
      %w = math.exp %d : f32
      %y = mlc_loop.load %g[%j, %n] : memref<64x32xf16>
      %yw = arith.extf %y : f16 to f32
      %wy = arith.mulf %w, %yw : f32
      mlc_loop.yield %wy : f32
    }
    mlc_loop.store %t, %o[%i, %n] : memref<64x32xf32>
  }
}

// -----

// The maximum may be that of a row: each row sees a key.
// CHECK-LABEL: mlc_loop.kernel @of_rows(
// CHECK:             mlc_loop.reduce add dot %j = 0 to {{[0-9]+}} block {{[0-9]+}} stages {{[0-9]}} visible [%p, 64] -> f32 {
mlc_loop.kernel @of_rows(%q: memref<64x32xf16>, %k: memref<64x32xf16>, %m: memref<64xf32>, %g: memref<64x32xf16>, %o: memref<64x32xf32>) {
  mlc_loop.parallel (%i, %n) = 0 to (64, 32) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %row = mlc_loop.index [%i] : i64
    %t = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %c] : memref<64x32xf16>
        %b = mlc_loop.load %k[%j, %c] : memref<64x32xf16>
        %aw = arith.extf %a : f16 to f32
        %bw = arith.extf %b : f16 to f32
        %ab = arith.mulf %aw, %bw : f32
        mlc_loop.yield %ab : f32
      }
      %key = mlc_loop.index [%j] : i64
      %before = arith.cmpi slt, %key, %row : i64
      %x = arith.select %before, %least, %s : f32
      %c0 = mlc_loop.load %m[%i] : memref<64xf32>
      %d = arith.subf %x, %c0 : f32
      %w = math.exp %d : f32
      %y = mlc_loop.load %g[%j, %n] : memref<64x32xf16>
      %yw = arith.extf %y : f16 to f32
      %wy = arith.mulf %w, %yw : f32
      mlc_loop.yield %wy : f32
    }
    mlc_loop.store %t, %o[%i, %n] : memref<64x32xf32>
  }
}

// -----

// No row sees the first five keys: their maximum is -inf, and what is subtracted from it NaN.
// CHECK-LABEL: mlc_loop.kernel @unseen(
// CHECK:             mlc_loop.reduce add dot %j = 0 to {{[0-9]+}} block {{[0-9]+}} stages {{[0-9]}} -> f32 {
mlc_loop.kernel @unseen(%q: memref<64x32xf16>, %k: memref<64x32xf16>, %m: memref<64xf32>, %g: memref<64x32xf16>, %o: memref<64x32xf32>) {
  mlc_loop.parallel (%i, %n) = 0 to (64, 32) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %row = mlc_loop.index [%i] : i64
    %t = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %c] : memref<64x32xf16>
        %b = mlc_loop.load %k[%j, %c] : memref<64x32xf16>
        %aw = arith.extf %a : f16 to f32
        %bw = arith.extf %b : f16 to f32
        %ab = arith.mulf %aw, %bw : f32
        mlc_loop.yield %ab : f32
      }
      %key = mlc_loop.index [%j] : i64
      %before = arith.cmpi slt, %key, %row : i64
      %far = arith.constant 5 : i64
      %later = arith.addi %row, %far : i64
      %hidden = arith.cmpi slt, %key, %later : i64
      %x = arith.select %hidden, %least, %s : f32
      %c0 = mlc_loop.load %m[%j] : memref<64xf32>
      %d = arith.subf %x, %c0 : f32
      %w = math.exp %d : f32
      %y = mlc_loop.load %g[%j, %n] : memref<64x32xf16>
      %yw = arith.extf %y : f16 to f32
      %wy = arith.mulf %w, %yw : f32
      mlc_loop.yield %wy : f32
    }
    mlc_loop.store %t, %o[%i, %n] : memref<64x32xf32>
  }
}

// -----

// A difference is 0 where both sides are.
// CHECK-LABEL: mlc_loop.kernel @differences(
// CHECK:             mlc_loop.reduce add dot %j = 0 to {{[0-9]+}} block {{[0-9]+}} stages {{[0-9]}} visible [%p, 64] -> f32 {
mlc_loop.kernel @differences(%q: memref<64x32xf16>, %k: memref<64x32xf16>, %m: memref<64xf32>, %g: memref<64x32xf16>, %o: memref<64x32xf32>) {
  mlc_loop.parallel (%i, %n) = 0 to (64, 32) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %row = mlc_loop.index [%i] : i64
    %t = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %c] : memref<64x32xf16>
        %b = mlc_loop.load %k[%j, %c] : memref<64x32xf16>
        %aw = arith.extf %a : f16 to f32
        %bw = arith.extf %b : f16 to f32
        %ab = arith.mulf %aw, %bw : f32
        mlc_loop.yield %ab : f32
      }
      %key = mlc_loop.index [%j] : i64
      %before = arith.cmpi slt, %key, %row : i64
      %w0 = arith.select %before, %zero, %s : f32
      %c1 = mlc_loop.load %m[%i] : memref<64xf32>
      %w1 = arith.mulf %w0, %c1 : f32
      %w = arith.subf %w1, %w0 : f32
      %y = mlc_loop.load %g[%j, %n] : memref<64x32xf16>
      %yw = arith.extf %y : f16 to f32
      %wy = arith.mulf %w, %yw : f32
      mlc_loop.yield %wy : f32
    }
    mlc_loop.store %t, %o[%i, %n] : memref<64x32xf32>
  }
}

// -----

// One side alone says nothing.
// CHECK-LABEL: mlc_loop.kernel @one_side(
// CHECK:             mlc_loop.reduce add dot %j = 0 to {{[0-9]+}} block {{[0-9]+}} stages {{[0-9]}} -> f32 {
mlc_loop.kernel @one_side(%q: memref<64x32xf16>, %k: memref<64x32xf16>, %m: memref<64xf32>, %g: memref<64x32xf16>, %o: memref<64x32xf32>) {
  mlc_loop.parallel (%i, %n) = 0 to (64, 32) {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %row = mlc_loop.index [%i] : i64
    %t = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %c] : memref<64x32xf16>
        %b = mlc_loop.load %k[%j, %c] : memref<64x32xf16>
        %aw = arith.extf %a : f16 to f32
        %bw = arith.extf %b : f16 to f32
        %ab = arith.mulf %aw, %bw : f32
        mlc_loop.yield %ab : f32
      }
      %key = mlc_loop.index [%j] : i64
      %before = arith.cmpi slt, %key, %row : i64
      %w0 = arith.select %before, %zero, %s : f32
      %w = arith.subf %s, %w0 : f32
      %y = mlc_loop.load %g[%j, %n] : memref<64x32xf16>
      %yw = arith.extf %y : f16 to f32
      %wy = arith.mulf %w, %yw : f32
      mlc_loop.yield %wy : f32
    }
    mlc_loop.store %t, %o[%i, %n] : memref<64x32xf32>
  }
}

// -----

// Scores of a batch are added up, one of the batch after the other: a program has a block of rows and one of keys.
// CHECK-LABEL: mlc_loop.kernel @of_a_batch(
// CHECK:       mlc_loop.parallel %b = 0 to 2 program 2 {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 256 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 192 program 1 block 64 {
// CHECK:             mlc_loop.reduce add %a = 0 to 4 stages 3 -> f32 {
// CHECK-NEXT:          mlc_loop.reduce add dot %c = 0 to 32 block 32 -> f32 {
// CHECK:               mlc_loop.load %m[%a, %b, %p] : memref<4x2x256xf32>
// CHECK:             mlc_loop.store %{{.*}}, %o[%b, %p, %r] : memref<2x256x192xf32>
mlc_loop.kernel @of_a_batch(%q: memref<4x2x256x32xf16>, %k: memref<4x2x192x32xf16>, %m: memref<4x2x256xf32>, %o: memref<2x256x192xf32>) schedule <rows = 64, depth = 64, warps = 4, stages = 3> {
  mlc_loop.parallel (%h, %i, %j) = 0 to (2, 256, 192) {
    %t = mlc_loop.reduce add %a = 0 to 4 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 32 -> f32 {
        %x = mlc_loop.load %q[%a, %h, %i, %c] : memref<4x2x256x32xf16>
        %y = mlc_loop.load %k[%a, %h, %j, %c] : memref<4x2x192x32xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        mlc_loop.yield %xy : f32
      }
      %c0 = mlc_loop.load %m[%a, %h, %i] : memref<4x2x256xf32>
      %d = arith.subf %s, %c0 : f32
      %w = math.exp %d : f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %t, %o[%h, %i, %j] : memref<2x256x192xf32>
  }
}

// -----

// More of the batch than programs along the third axis of a grid: it takes the first one.
// CHECK-LABEL: mlc_loop.kernel @large_batch(
// CHECK:       mlc_loop.parallel %b = 0 to 70000 program 0 {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 program 1 block 64 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 64 program 2 block 64 {
mlc_loop.kernel @large_batch(%q: memref<70000x4x64x16xf16>, %k: memref<70000x4x64x16xf16>, %o: memref<70000x64x64xf32>) schedule <rows = 64, depth = 64, warps = 4, stages = 2> {
  mlc_loop.parallel (%h, %i, %j) = 0 to (70000, 64, 64) {
    %t = mlc_loop.reduce add %a = 0 to 4 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 16 -> f32 {
        %x = mlc_loop.load %q[%h, %a, %i, %c] : memref<70000x4x64x16xf16>
        %y = mlc_loop.load %k[%h, %a, %j, %c] : memref<70000x4x64x16xf16>
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        mlc_loop.yield %xy : f32
      }
      %w = math.exp %s : f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %t, %o[%h, %i, %j] : memref<70000x64x64xf32>
  }
}

// -----

// Values of a batch that are multiplied by something with rows and keys both are no product of blocks.
// CHECK-LABEL: mlc_loop.kernel @no_factors(
// CHECK-NOT:     dot
mlc_loop.kernel @no_factors(%q: memref<4x64x64x16xf32>, %k: memref<4x64x16xf32>, %o: memref<64x64xf32>) schedule <online = false> {
  mlc_loop.parallel (%i, %j) = 0 to (64, 64) {
    %t = mlc_loop.reduce add %a = 0 to 4 -> f32 {
      %s = mlc_loop.reduce add %c = 0 to 16 -> f32 {
        %x = mlc_loop.load %q[%a, %i, %j, %c] : memref<4x64x64x16xf32>
        %y = mlc_loop.load %k[%a, %j, %c] : memref<4x64x16xf32>
        %xy = arith.mulf %x, %y : f32
        mlc_loop.yield %xy : f32
      }
      %w = math.exp %s : f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %t, %o[%i, %j] : memref<64x64xf32>
  }
}
