// RUN: mlc-opt %s -p shifted-variance --split-input-file | filecheck %s

// A number near the mean, of as many columns as a warp has lanes; distances from it, and their squares, of all columns.
// CHECK-LABEL: mlc_loop.kernel @looped(
// CHECK-SAME:    why "looped; {{.+}}" {
// CHECK:         %[[NEAR:.*]], %[[SQUARES:.*]] = mlc_loop.reduce add, add %j = 0 to 32 block 32 -> f32, f32 {
// CHECK-NEXT:      %[[X:.*]] = mlc_loop.load %x[%p, (%j floordiv 2) * 1024 + (%j mod 2)]
// CHECK-NEXT:      %[[XX:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:      mlc_loop.yield %[[X]], %[[XX]]
// CHECK:         %[[ZERO:.*]] = arith.constant 0.0
// CHECK:         %[[SHARE:.*]] = arith.constant 3.125000e-02
// CHECK:         %[[MEAN:.*]] = arith.mulf %[[NEAR]], %[[SHARE]]
// CHECK:         %[[OF_MEAN:.*]] = arith.mulf %[[MEAN]],
// CHECK:         %[[IS_NEAR:.*]] = arith.cmpf olt, %[[OF_MEAN]], %[[SQUARES]]
// CHECK:         %[[FAR:.*]] = arith.select %[[IS_NEAR]], %[[ZERO]], %[[MEAN]]
// CHECK:         %[[FINITE:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}}
// CHECK:         %pivot = arith.select %[[FINITE]], %[[FAR]], %[[ZERO]]
// CHECK:         %[[D:.*]], %[[E:.*]] = mlc_loop.reduce add, add %r = 0 to 16384 block 4096 -> f32, f32 {
// CHECK-NEXT:      %[[Y:.*]] = mlc_loop.load %x[%p, %r]
// CHECK-NEXT:      %[[DISTANCE:.*]] = arith.subf %[[Y]], %pivot
// CHECK-NEXT:      %[[SQUARE:.*]] = arith.mulf %[[DISTANCE]], %[[DISTANCE]]
// CHECK-NEXT:      mlc_loop.yield %[[DISTANCE]], %[[SQUARE]]
// CHECK:         %t = math.fma %{{.*}}, %pivot, %[[D]]
// CHECK:         arith.divf %[[D]], %{{.*}}
// CHECK:         %q = arith.maximumf
// CHECK:         mlc_loop.store %t, %t_out[%p]
// CHECK:         mlc_loop.store %q, %q_out[%p]
mlc_loop.kernel @looped(%x: memref<8x16384xf32>, %t_out: memref<8xf32>, %q_out: memref<8xf32>) warps 16 index 32 why "looped" {
  mlc_loop.parallel %p = 0 to 8 program 0 block 1 {
    %t, %q = mlc_loop.reduce welford %r = 0 to 16384 block 4096 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x16384xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %t, %t_out[%p] : memref<8xf32>
    mlc_loop.store %q, %q_out[%p] : memref<8xf32>
  }
}

// -----

// A row that is held whole, whose lanes have all columns when they need the mean.
// CHECK-LABEL: mlc_loop.kernel @held(
// CHECK:         mlc_loop.reduce welford %r = 0 to 4096 block 4096
mlc_loop.kernel @held(%x: memref<8x4096xf32>, %t_out: memref<8xf32>, %q_out: memref<8xf32>) warps 16 index 32 why "looped" {
  mlc_loop.parallel %p = 0 to 8 program 0 block 1 {
    %t, %q = mlc_loop.reduce welford %r = 0 to 4096 block 4096 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %t, %t_out[%p] : memref<8xf32>
    mlc_loop.store %q, %q_out[%p] : memref<8xf32>
  }
}

// -----

// Columns that a condition leaves out may be all that K is made of.
// CHECK-LABEL: mlc_loop.kernel @some(
// CHECK:         mlc_loop.reduce welford %r = 0 to 16384 block 4096
mlc_loop.kernel @some(%x: memref<8x16384xf32>, %t_out: memref<8xf32>, %q_out: memref<8xf32>) warps 16 index 32 why "looped" {
  mlc_loop.parallel %p = 0 to 8 program 0 block 1 {
    %t, %q = mlc_loop.reduce welford %r = 0 to 16384 block 4096 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x16384xf32>
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf ogt, %v, %zero : f32
      mlc_loop.yield if %c %v : f32
    }
    mlc_loop.store %t, %t_out[%p] : memref<8xf32>
    mlc_loop.store %q, %q_out[%p] : memref<8xf32>
  }
}

// -----

// Rows side by side, whose columns lie far from each other.
// CHECK-LABEL: mlc_loop.kernel @beside(
// CHECK:         mlc_loop.reduce welford %r = 0 to 16384 block 4096
mlc_loop.kernel @beside(%x: memref<8x16384xf32>, %t_out: memref<8xf32>, %q_out: memref<8xf32>) warps 16 index 32 why "looped" {
  mlc_loop.parallel %p = 0 to 8 program 0 block 8 {
    %t, %q = mlc_loop.reduce welford %r = 0 to 16384 block 4096 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x16384xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %t, %t_out[%p] : memref<8xf32>
    mlc_loop.store %q, %q_out[%p] : memref<8xf32>
  }
}
