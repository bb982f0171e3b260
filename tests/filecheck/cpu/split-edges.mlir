// RUN: mlc-opt %s -p split-edges --split-input-file | filecheck %s
// RUN: mlc-opt %s -p split-edges --split-input-file --verify-semantics

// The first column has no neighbour before it; the condition on the row stays.
// CHECK-LABEL: mlc_loop.kernel @neighbours(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 16 {
// CHECK-NEXT:      mlc_loop.parallel %j = 0 to 1 {
// CHECK:             mlc_loop.load %x[%i, %j - 1] if %{{.*}} : memref<16x32xf32>
// CHECK:           mlc_loop.parallel %[[J:.*]] = 0 to 31 {
// CHECK:             %[[R:.*]] = mlc_loop.index [%i] : i64
// CHECK:             %[[C:.*]] = arith.cmpi sge, %[[R]]
// CHECK:             %[[A:.*]] = mlc_loop.load %x[%i, %[[J]] + 1] : memref<16x32xf32>
// CHECK-NEXT:        %[[B:.*]] = mlc_loop.load %x[%i, %[[J]]] : memref<16x32xf32>
// CHECK-NEXT:        %[[U:.*]] = mlc_loop.load %x[%i - 1, %[[J]]] if %[[C]] : memref<16x32xf32>
// CHECK:             mlc_loop.store %{{.*}}, %y[%i, %[[J]] + 1] : memref<16x32xf32>
// CHECK-NOT:       mlc_loop.parallel
mlc_loop.kernel @neighbours(%x: memref<16x32xf32>, %y: memref<16x32xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (16, 32) {
    %zero = arith.constant 0 : i64
    %row = mlc_loop.index [%i] : i64
    %one = arith.constant 1 : i64
    %above = arith.cmpi sge, %row, %one : i64
    %column = mlc_loop.index [%j - 1] : i64
    %left = arith.cmpi sge, %column, %zero : i64
    %both = arith.andi %above, %left : i1
    %a = mlc_loop.load %x[%i, %j] : memref<16x32xf32>
    %b = mlc_loop.load %x[%i, %j - 1] if %left : memref<16x32xf32>
    %u = mlc_loop.load %x[%i - 1, %j - 1] if %both : memref<16x32xf32>
    %m = arith.maximumf %a, %b : f32
    %n = arith.maximumf %m, %u : f32
    mlc_loop.store %n, %y[%i, %j] : memref<16x32xf32>
  }
}
func.func @main(%x: memref<16x32xf32>) -> memref<16x32xf32> {
  %y = mlc_loop.alloc : memref<16x32xf32>
  mlc_loop.launch @neighbours(%x, %y) : memref<16x32xf32>, memref<16x32xf32>
  func.return %y : memref<16x32xf32>
}

// -----

// Both edges, of an axis behind which each pixel is two.
// CHECK-LABEL: mlc_loop.kernel @doubled(
// CHECK-NEXT:    mlc_loop.parallel %r = 0 to 3 {
// CHECK-NEXT:      mlc_loop.parallel (%i, %j) = 0 to (1, 2) {
// CHECK:           mlc_loop.parallel (%[[I:.*]], %[[J:.*]]) = 0 to (13, 2) {
// CHECK-NEXT:        %[[A:.*]] = mlc_loop.load %x[%r, %[[I]] + (%[[J]] floordiv 2)] : memref<3x16xf32>
// CHECK-NEXT:        mlc_loop.store %[[A]], %y[%r, %[[I]] * 2 + %[[J]] + 2] : memref<3x32xf32>
// CHECK:           mlc_loop.parallel (%[[K:.*]], %[[L:.*]]) = 0 to (2, 2) {
// CHECK:             mlc_loop.load %x[%r, %[[K]] + (%[[L]] floordiv 2) + 13] if %{{.*}} : memref<3x16xf32>
mlc_loop.kernel @doubled(%x: memref<3x16xf32>, %y: memref<3x32xf32>) {
  mlc_loop.parallel (%r, %i, %j) = 0 to (3, 16, 2) {
    %zero = arith.constant 0 : i64
    %last = arith.constant 12 : i64
    %place = mlc_loop.index [%i + %j floordiv 2 - 1] : i64
    %low = arith.cmpi sge, %place, %zero : i64
    %high = arith.cmpi sle, %place, %last : i64
    %inside = arith.andi %low, %high : i1
    %a = mlc_loop.load %x[%r, %i + %j floordiv 2 - 1] if %inside : memref<3x16xf32>
    mlc_loop.store %a, %y[%r, %i * 2 + %j] : memref<3x32xf32>
  }
}
func.func @main(%x: memref<3x16xf32>) -> memref<3x32xf32> {
  %y = mlc_loop.alloc : memref<3x32xf32>
  mlc_loop.launch @doubled(%x, %y) : memref<3x16xf32>, memref<3x32xf32>
  func.return %y : memref<3x32xf32>
}

// -----

// Nothing to split: conditions on data, on another axis, on less than half of the columns, and none at all; an axis alone, which threads share.
// CHECK-COUNT-5: mlc_loop.parallel
// CHECK-NOT: mlc_loop.parallel
mlc_loop.kernel @data(%x: memref<16x32xf32>, %c: memref<16x32xi1>, %y: memref<16x32xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (16, 32) {
    %b = mlc_loop.load %c[%i, %j] : memref<16x32xi1>
    %a = mlc_loop.load %x[%i, %j] if %b : memref<16x32xf32>
    mlc_loop.store %a, %y[%i, %j] : memref<16x32xf32>
  }
}
mlc_loop.kernel @rows(%x: memref<16x32xf32>, %y: memref<16x32xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (16, 32) {
    %one = arith.constant 1 : i64
    %row = mlc_loop.index [%i] : i64
    %above = arith.cmpi sge, %row, %one : i64
    %a = mlc_loop.load %x[%i - 1, %j] if %above : memref<16x32xf32>
    mlc_loop.store %a, %y[%i, %j] : memref<16x32xf32>
  }
}
mlc_loop.kernel @few(%x: memref<16x32xf32>, %y: memref<16x32xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (16, 32) {
    %twenty = arith.constant 20 : i64
    %column = mlc_loop.index [%j] : i64
    %right = arith.cmpi sge, %column, %twenty : i64
    %a = mlc_loop.load %x[%i, %j - 20] if %right : memref<16x32xf32>
    mlc_loop.store %a, %y[%i, %j] : memref<16x32xf32>
  }
}
mlc_loop.kernel @always(%x: memref<16x32xf32>, %y: memref<16x32xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (16, 32) {
    %zero = arith.constant 0 : i64
    %column = mlc_loop.index [%j] : i64
    %inside = arith.cmpi sge, %column, %zero : i64
    %a = mlc_loop.load %x[%i, %j] if %inside : memref<16x32xf32>
    mlc_loop.store %a, %y[%i, %j] : memref<16x32xf32>
  }
}
mlc_loop.kernel @alone(%x: memref<32xf32>, %y: memref<32xf32>) {
  mlc_loop.parallel %j = 0 to 32 {
    %one = arith.constant 1 : i64
    %column = mlc_loop.index [%j] : i64
    %inside = arith.cmpi sge, %column, %one : i64
    %a = mlc_loop.load %x[%j - 1] if %inside : memref<32xf32>
    mlc_loop.store %a, %y[%j] : memref<32xf32>
  }
}
