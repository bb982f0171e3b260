// RUN: mlc-opt %s -p map-lanes --split-input-file | filecheck %s

// Columns are summed: 64 neighbours at a time, which share lines of memory.
// CHECK-LABEL: @columns(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 1000 lanes 64 {
mlc_loop.kernel @columns(%x: memref<500x1000xf32>, %y: memref<1000xf32>) {
  mlc_loop.parallel %i = 0 to 1000 {
    %s = mlc_loop.reduce add %j = 0 to 500 -> f32 {
      %a = mlc_loop.load %x[%j, %i] : memref<500x1000xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<1000xf32>
  }
}

// -----

// Rows follow memory, and one number a row does not outweigh them.
// CHECK-LABEL: @rows(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 1000 {
// CHECK-NEXT:      mlc_loop.reduce add
mlc_loop.kernel @rows(%x: memref<1000x500xf32>, %w: memref<1000xf64>, %v: memref<1000xf64>, %y: memref<1000xf32>) {
  mlc_loop.parallel %i = 0 to 1000 {
    %s = mlc_loop.reduce add %j = 0 to 500 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<1000x500xf32>
      mlc_loop.yield %a : f32
    }
    %b = mlc_loop.load %w[%i] : memref<1000xf64>
    mlc_loop.store %b, %v[%i] : memref<1000xf64>
    mlc_loop.store %s, %y[%i] : memref<1000xf32>
  }
}

// -----

// A search along memory is two loops that LLVM vectorises; along rows that run together it stays.
// CHECK-LABEL: @searched(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 1000 {
// CHECK-NEXT:      %[[M:.*]] = mlc_loop.reduce max %{{.*}} = 0 to 500 -> f32
// CHECK:           mlc_loop.reduce min %{{.*}} = 0 to 500 -> i64
// CHECK:             arith.cmpf oeq, %{{.*}}, %[[M]]
mlc_loop.kernel @searched(%x: memref<1000x500xf32>, %y: memref<1000xi64>) {
  mlc_loop.parallel %i = 0 to 1000 {
    %s = mlc_loop.reduce argmax %j = 0 to 500 -> i64 {
      %a = mlc_loop.load %x[%i, %j] : memref<1000x500xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<1000xi64>
  }
}

// CHECK-LABEL: @searched_across(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 1000 lanes 64 {
// CHECK-NEXT:      mlc_loop.reduce argmax
mlc_loop.kernel @searched_across(%x: memref<500x1000xf32>, %y: memref<1000xi64>) {
  mlc_loop.parallel %i = 0 to 1000 {
    %s = mlc_loop.reduce argmax %j = 0 to 500 -> i64 {
      %a = mlc_loop.load %x[%j, %i] : memref<500x1000xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<1000xi64>
  }
}

// -----

// One buffer is contiguous along %i, the other along %j: tiles of both.
// CHECK-LABEL: @transposed(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (300, 200) tile 0 {
mlc_loop.kernel @transposed(%x: memref<200x300xf32>, %y: memref<300x200xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (300, 200) {
    %a = mlc_loop.load %x[%j, %i] : memref<200x300xf32>
    mlc_loop.store %a, %y[%i, %j] : memref<300x200xf32>
  }
}

// Of three axes the one that memory follows.
// CHECK-LABEL: @channels(
// CHECK-NEXT:    mlc_loop.parallel (%n, %c, %p) = 0 to (8, 64, 3136) tile 1 {
mlc_loop.kernel @channels(%x: memref<8x3136x64xf32>, %y: memref<8x64x3136xf32>) {
  mlc_loop.parallel (%n, %c, %p) = 0 to (8, 64, 3136) {
    %a = mlc_loop.load %x[%n, %p, %c] : memref<8x3136x64xf32>
    mlc_loop.store %a, %y[%n, %c, %p] : memref<8x64x3136xf32>
  }
}

// Three columns are no side of a tile; what is loaded under a condition, or broadcast, is not transposed.
// CHECK-LABEL: @narrow(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (300, 3) {
mlc_loop.kernel @narrow(%x: memref<3x300xf32>, %y: memref<300x3xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (300, 3) {
    %a = mlc_loop.load %x[%j, %i] : memref<3x300xf32>
    mlc_loop.store %a, %y[%i, %j] : memref<300x3xf32>
  }
}

// CHECK-LABEL: @conditional(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (300, 200) {
mlc_loop.kernel @conditional(%x: memref<200x300xf32>, %m: memref<300x200xi1>, %b: memref<300xf32>, %y: memref<300x200xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (300, 200) {
    %c = mlc_loop.load %m[%i, %j] : memref<300x200xi1>
    %a = mlc_loop.load %x[%j, %i] if %c : memref<200x300xf32>
    %d = mlc_loop.load %b[%i] : memref<300xf32>
    %e = arith.addf %a, %d : f32
    mlc_loop.store %e, %y[%i, %j] : memref<300x200xf32>
  }
}

// -----

// Groups of 4 channels each: the 32 channels of a place lie side by side, so that they run together.
// CHECK-LABEL: @groups(
// CHECK-NEXT:    mlc_loop.parallel (%row0, %row1) = 0 to (16, 32) lanes 64 {
// CHECK-NEXT:      mlc_loop.load %m[%row0, %row1 floordiv 4] :
// CHECK-NEXT:      mlc_loop.reduce add
// CHECK-NEXT:        mlc_loop.load %x[%row0, %{{.*}}, %row1] :
mlc_loop.kernel @groups(%x: memref<16x196x32xf32>, %m: memref<16x8xf32>, %y: memref<16x32xf32>) {
  mlc_loop.parallel (%i, %g, %c) = 0 to (16, 8, 4) {
    %a = mlc_loop.load %m[%i, %g] : memref<16x8xf32>
    %s = mlc_loop.reduce add %j = 0 to 196 -> f32 {
      %v = mlc_loop.load %x[%i, %j, %g * 4 + %c] : memref<16x196x32xf32>
      %d = arith.subf %v, %a : f32
      mlc_loop.yield %d : f32
    }
    mlc_loop.store %s, %y[%i, %g * 4 + %c] : memref<16x32xf32>
  }
}

// -----

// Short rows that lie apart stay: memory does not go on along the axis before.
// CHECK-LABEL: @apart(
// CHECK-NEXT:    mlc_loop.parallel (%i, %c) = 0 to (16, 4) lanes 64 {
mlc_loop.kernel @apart(%x: memref<16x196x4xf32>, %y: memref<16x4xf32>) {
  mlc_loop.parallel (%i, %c) = 0 to (16, 4) {
    %s = mlc_loop.reduce add %j = 0 to 196 -> f32 {
      %v = mlc_loop.load %x[%i, %j, %c] : memref<16x196x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%i, %c] : memref<16x4xf32>
  }
}

// -----

// A vector of channels is enough.
// CHECK-LABEL: @wide(
// CHECK-NEXT:    mlc_loop.parallel (%g, %c) = 0 to (8, 16) lanes 64 {
mlc_loop.kernel @wide(%x: memref<196x128xf32>, %y: memref<128xf32>) {
  mlc_loop.parallel (%g, %c) = 0 to (8, 16) {
    %s = mlc_loop.reduce add %j = 0 to 196 -> f32 {
      %v = mlc_loop.load %x[%j, %g * 16 + %c] : memref<196x128xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%g * 16 + %c] : memref<128xf32>
  }
}
