// RUN: mlc-opt %s -p unroll-columns --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'unroll-columns{most=2}' --split-input-file | filecheck %s --check-prefix=TWO

// Two branches are added: each lane adds both of its row, which is one of 6 x 64 now.
// CHECK-LABEL: mlc_loop.kernel @branches(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 384 {
// CHECK-NEXT:      %[[A:.*]] = mlc_loop.load %x[%p floordiv 64, 0, %p mod 64] : memref<6x2x64xf32>
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.load %x[%p floordiv 64, 1, %p mod 64] : memref<6x2x64xf32>
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      mlc_loop.store %[[S]], %y[%p floordiv 64, %p mod 64] : memref<6x64xf32>
// TWO-LABEL:   mlc_loop.kernel @branches(
// TWO-NOT:       mlc_loop.reduce
mlc_loop.kernel @branches(%x: memref<6x2x64xf32>, %y: memref<6x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (6, 64) {
    %s = mlc_loop.reduce add %k = 0 to 2 -> f32 {
      %v = mlc_loop.load %x[%i, %k, %j] : memref<6x2x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%i, %j] : memref<6x64xf32>
  }
}

// -----

// All loops of a row are unrolled, those that store as well; two reductions of one loop each have their own chain.
// CHECK-LABEL: mlc_loop.kernel @shares(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 {
// CHECK-NOT:       mlc_loop.reduce
// CHECK-COUNT-2:   arith.maximumf
// CHECK-COUNT-3:   mlc_loop.store
// TWO-LABEL:   mlc_loop.kernel @shares(
// TWO:           mlc_loop.reduce add, max
mlc_loop.kernel @shares(%x: memref<3x64xf32>, %y: memref<3x64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s, %m = mlc_loop.reduce add, max %k = 0 to 3 -> f32, f32 {
      %v = mlc_loop.load %x[%k, %i] : memref<3x64xf32>
      mlc_loop.yield %v, %v : f32, f32
    }
    mlc_loop.parallel %k = 0 to 3 {
      %v = mlc_loop.load %x[%k, %i] : memref<3x64xf32>
      %d = arith.subf %v, %m : f32
      %q = arith.divf %d, %s : f32
      mlc_loop.store %q, %y[%k, %i] : memref<3x64xf32>
    }
  }
}

// -----

// Integers, and booleans.
// CHECK-LABEL: mlc_loop.kernel @any(
// CHECK:           arith.muli
// CHECK:           arith.ori
mlc_loop.kernel @any(%x: memref<2x64xi64>, %b: memref<2x64xi1>, %y: memref<64xi64>, %z: memref<64xi1>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s, %m = mlc_loop.reduce mul, or %k = 0 to 2 -> i64, i1 {
      %v = mlc_loop.load %x[%k, %i] : memref<2x64xi64>
      %w = mlc_loop.load %b[%k, %i] : memref<2x64xi1>
      mlc_loop.yield %v, %w : i64, i1
    }
    mlc_loop.store %s, %y[%i] : memref<64xi64>
    mlc_loop.store %m, %z[%i] : memref<64xi1>
  }
}

// -----

// Columns that are contiguous: lanes load several at once.
// CHECK-LABEL: mlc_loop.kernel @contiguous(
// CHECK:           mlc_loop.reduce add
mlc_loop.kernel @contiguous(%x: memref<64x4xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %k = 0 to 4 -> f32 {
      %v = mlc_loop.load %x[%i, %k] : memref<64x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%i] : memref<64xf32>
  }
}

// -----

// The place of the greatest, sums so far, more columns than 8, and a schedule by hand.
// CHECK-LABEL: mlc_loop.kernel @place(
// CHECK:           mlc_loop.reduce argmax
mlc_loop.kernel @place(%x: memref<4x64xf32>, %y: memref<64xi64>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce argmax %k = 0 to 4 -> i64 {
      %v = mlc_loop.load %x[%k, %i] : memref<4x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%i] : memref<64xi64>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @nine(
// CHECK:           mlc_loop.reduce add
mlc_loop.kernel @nine(%x: memref<9x64xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %k = 0 to 9 -> f32 {
      %v = mlc_loop.load %x[%k, %i] : memref<9x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%i] : memref<64xf32>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @by_hand(
// CHECK:           mlc_loop.reduce add
mlc_loop.kernel @by_hand(%x: memref<4x64xf32>, %y: memref<64xf32>) schedule <rows = 8, columns = 4, warps = 1> {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %k = 0 to 4 -> f32 {
      %v = mlc_loop.load %x[%k, %i] : memref<4x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%i] : memref<64xf32>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @sums_so_far(
// CHECK:           mlc_loop.scan
mlc_loop.kernel @sums_so_far(%x: memref<4x64xf32>, %y: memref<4x64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    mlc_loop.parallel %k = 0 to 4 {
      %v = mlc_loop.load %x[%k, %i] : memref<4x64xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      mlc_loop.store %s, %y[%k, %i] : memref<4x64xf32>
    }
  }
}
