// RUN: mlc-opt %s -p prove-indices --split-input-file | filecheck %s

// CHECK-LABEL: mlc_loop.kernel @inside(
// CHECK:         mlc_loop.indirect_index %{{.*}} below 50 unchecked : i64
mlc_loop.kernel @inside(%x: memref<50xf32>, %y: memref<200xf32>) {
  mlc_loop.parallel %p = 0 to 200 {
    %i = mlc_loop.index [%p floordiv 3] : i64
    %last = arith.constant 49 : i64
    %j = arith.minsi %i, %last : i64
    %g = mlc_loop.indirect_index %j below 50 : i64
    %v = mlc_loop.load %x[%g] : memref<50xf32>
    mlc_loop.store %v, %y[%p] : memref<200xf32>
  }
}

// -----

// One beyond the end, one below 0, one that is read, and a size that may be less.
// CHECK-LABEL: mlc_loop.kernel @keeps_checks(
// CHECK-NOT:     unchecked
mlc_loop.kernel @keeps_checks(%x: memref<50xf32>, %n: memref<?xf32>, %r: memref<200xi64>, %y: memref<200xf32>) {
  mlc_loop.parallel %p = 0 to 200 {
    %i = mlc_loop.index [%p] : i64
    %last = arith.constant 50 : i64
    %j = arith.minsi %i, %last : i64
    %g = mlc_loop.indirect_index %j below 50 : i64
    %one = arith.constant 1 : i64
    %forty = arith.constant 40 : i64
    %k = arith.minsi %i, %forty : i64
    %l = arith.subi %k, %one : i64
    %h = mlc_loop.indirect_index %l below 50 : i64
    %m = mlc_loop.load %r[%p] : memref<200xi64>
    %q = mlc_loop.indirect_index %m below 50 : i64
    %a = mlc_loop.load %x[%g] : memref<50xf32>
    %b = mlc_loop.load %x[%h] : memref<50xf32>
    %c = mlc_loop.load %x[%q] : memref<50xf32>
    %d = arith.addf %a, %b : f32
    %e = arith.addf %d, %c : f32
    mlc_loop.store %e, %y[%p] : memref<200xf32>
  }
}
