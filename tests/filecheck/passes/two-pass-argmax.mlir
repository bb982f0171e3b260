// RUN: mlc-opt %s -p two-pass-argmax --split-input-file | filecheck %s

// The extreme first, then the first place that has it, or the first NaN; what else the loop gives stays in the first.
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 3 {
// CHECK-NEXT:      %[[M:.*]], %s = mlc_loop.reduce max, add %r = 0 to 600000 -> f32, f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%p, %r]
// CHECK-NEXT:        mlc_loop.yield %v, %v : f32, f32
// CHECK:           %at = mlc_loop.reduce min %r_1 = 0 to 600000 -> i64 {
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%p, %r_1]
// CHECK-NEXT:        %[[I:.*]] = mlc_loop.index [%r_1] : i64
// CHECK-NEXT:        %[[N:.*]] = arith.constant 600000 : i64
// CHECK-NEXT:        %[[T:.*]] = arith.cmpf oeq, %[[V]], %[[M]] : f32
// CHECK-NEXT:        %[[NAN:.*]] = arith.cmpf une, %[[V]], %[[V]] : f32
// CHECK-NEXT:        %[[E:.*]] = arith.ori %[[T]], %[[NAN]] : i1
// CHECK-NEXT:        %[[S:.*]] = arith.select %[[E]], %[[I]], %[[N]] : i64
// CHECK-NEXT:        mlc_loop.yield %[[S]] : i64
// CHECK:           mlc_loop.store %at, %out[%p]
// CHECK-NEXT:      mlc_loop.store %s, %sums[%p]
mlc_loop.kernel @few(%x: memref<3x600000xf32>, %out: memref<3xi64>, %sums: memref<3xf32>) schedule <part = 9375> {
  mlc_loop.parallel %p = 0 to 3 {
    %at, %s = mlc_loop.reduce argmax, add %r = 0 to 600000 -> i64, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x600000xf32>
      mlc_loop.yield %v, %v : f32, f32
    }
    mlc_loop.store %at, %out[%p] : memref<3xi64>
    mlc_loop.store %s, %sums[%p] : memref<3xf32>
  }
}

// -----

// Integers have no NaN. Columns that do not count have no place either.
// CHECK-LABEL: mlc_loop.kernel @integers(
// CHECK:           mlc_loop.reduce min %r = 0 to 600000 -> i32 {
// CHECK:             mlc_loop.yield if %c %v : i32
// CHECK:           mlc_loop.reduce min %r_1 = 0 to 600000 -> i64 {
// CHECK:             arith.cmpi eq
// CHECK-NEXT:        arith.select
// CHECK-NEXT:        mlc_loop.yield if %{{.*}} %{{.*}} : i64
mlc_loop.kernel @integers(%x: memref<3x600000xi32>, %out: memref<3xi64>) schedule <part = 9375> {
  mlc_loop.parallel %p = 0 to 3 {
    %at = mlc_loop.reduce argmin %r = 0 to 600000 -> i64 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x600000xi32>
      %z = arith.constant 0 : i32
      %c = arith.cmpi sgt, %v, %z : i32
      mlc_loop.yield if %c %v : i32
    }
    mlc_loop.store %at, %out[%p] : memref<3xi64>
  }
}

// -----

// Of booleans there is no greatest number to compare with.
// CHECK-LABEL: mlc_loop.kernel @booleans(
// CHECK:           mlc_loop.reduce argmax
mlc_loop.kernel @booleans(%x: memref<3x600000xi1>, %out: memref<3xi64>) schedule <part = 9375> {
  mlc_loop.parallel %p = 0 to 3 {
    %at = mlc_loop.reduce argmax %r = 0 to 600000 -> i64 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x600000xi1>
      mlc_loop.yield %v : i1
    }
    mlc_loop.store %at, %out[%p] : memref<3xi64>
  }
}
