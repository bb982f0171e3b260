// RUN: mlc-opt %s -p shifted-sums{held=64} --split-input-file | filecheck %s

// The mean of the first 64 columns, 0 if that is not finite, is near the mean of all 96.
// CHECK-LABEL: mlc_loop.kernel @variance(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 2 {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %j = 0 to 64 -> f32 {
// CHECK-NEXT:        %[[X:.*]] = mlc_loop.load %x[%q, %j]
// CHECK-NEXT:        mlc_loop.yield %[[X]] : f32
// CHECK:           %[[B:.*]] = arith.constant 1.562500e-02 : f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[S]], %[[B]]
// CHECK:           %[[A:.*]] = math.absf %[[M]]
// CHECK:           %[[F:.*]] = arith.cmpf olt, %[[A]],
// CHECK:           %[[K:.*]] = arith.select %[[F]], %[[M]],
// CHECK-NEXT:      %[[D:.*]], %[[E:.*]], %m = mlc_loop.reduce add, add, max %k = 0 to 96 -> f32, f32, f32 {
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%q, %k]
// CHECK-NEXT:        %[[L:.*]] = arith.subf %[[V]], %[[K]]
// CHECK-NEXT:        %[[Q:.*]] = arith.mulf %[[L]], %[[L]]
// CHECK-NEXT:        mlc_loop.yield %[[L]], %[[Q]], %[[V]]
// CHECK:           %[[N:.*]] = arith.constant 9.600000e+01 : f32
// CHECK:           %t = math.fma %[[N]], %[[K]], %[[D]]
// CHECK-NEXT:      %[[H:.*]] = arith.divf %[[D]], %[[N]]
// CHECK-NEXT:      %[[G:.*]] = arith.mulf %[[D]], %[[H]]
// CHECK-NEXT:      %[[R:.*]] = arith.subf %[[E]], %[[G]]
// CHECK-NEXT:      %q_1 = arith.maximumf %[[R]],
// CHECK-NEXT:      mlc_loop.publish %t in
// CHECK-NEXT:      mlc_loop.publish %q_1 in
mlc_loop.kernel @variance(%x: memref<2x96xf32>, %out: memref<2xf32>, %told: memref<7xi64>) {
  mlc_loop.parallel %q = 0 to 2 {
    %t, %q_1, %m = mlc_loop.reduce welford, max %k = 0 to 96 -> f32, f32, f32 {
      %v = mlc_loop.load %x[%q, %k] : memref<2x96xf32>
      mlc_loop.yield %v, %v : f32, f32
    }
    mlc_loop.publish %t in %told[%q + 1] : f32, memref<7xi64>
    mlc_loop.publish %q_1 in %told[%q + 3] : f32, memref<7xi64>
    mlc_loop.publish %m in %told[%q + 5] : f32, memref<7xi64>
    %s = mlc_loop.reduce add %i = 0 to 2 -> f32 {
      %a = mlc_loop.await %told[%i + 3] : memref<7xi64> -> f32
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %out[%q] : memref<2xf32>
  }
}

// -----

// Registers hold 64 columns.
// CHECK-LABEL: mlc_loop.kernel @held(
// CHECK:           mlc_loop.reduce welford, max
mlc_loop.kernel @held(%x: memref<2x64xf32>, %out: memref<2xf32>, %told: memref<7xi64>) {
  mlc_loop.parallel %q = 0 to 2 {
    %t, %q_1, %m = mlc_loop.reduce welford, max %k = 0 to 64 -> f32, f32, f32 {
      %v = mlc_loop.load %x[%q, %k] : memref<2x64xf32>
      mlc_loop.yield %v, %v : f32, f32
    }
    mlc_loop.publish %t in %told[%q + 1] : f32, memref<7xi64>
    mlc_loop.publish %q_1 in %told[%q + 3] : f32, memref<7xi64>
    mlc_loop.publish %m in %told[%q + 5] : f32, memref<7xi64>
    %s = mlc_loop.reduce add %i = 0 to 2 -> f32 {
      %a = mlc_loop.await %told[%i + 3] : memref<7xi64> -> f32
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %out[%q] : memref<2xf32>
  }
}

// -----

// But not planes, which are read block by block: no more columns than a plane has, and a power of two.
// CHECK-LABEL: mlc_loop.kernel @planes(
// CHECK:           mlc_loop.reduce add %j = 0 to 16 -> f32
// CHECK-NEXT:        mlc_loop.load %x[0, %q, %j]
// CHECK:           mlc_loop.reduce add, add, max %k = 0 to 40
mlc_loop.kernel @planes(%x: memref<2x2x20xf32>, %out: memref<2xf32>, %told: memref<7xi64>) {
  mlc_loop.parallel %q = 0 to 2 {
    %t, %q_1, %m = mlc_loop.reduce welford, max %k = 0 to 40 -> f32, f32, f32 {
      %v = mlc_loop.load %x[%k floordiv 20, %q, %k mod 20] : memref<2x2x20xf32>
      mlc_loop.yield %v, %v : f32, f32
    }
    mlc_loop.publish %t in %told[%q + 1] : f32, memref<7xi64>
    mlc_loop.publish %q_1 in %told[%q + 3] : f32, memref<7xi64>
    mlc_loop.publish %m in %told[%q + 5] : f32, memref<7xi64>
    %s = mlc_loop.reduce add %i = 0 to 2 -> f32 {
      %a = mlc_loop.await %told[%i + 3] : memref<7xi64> -> f32
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %out[%q] : memref<2xf32>
  }
}

// -----

// A condition leaves columns out, so that their number is not known.
// CHECK-LABEL: mlc_loop.kernel @some(
// CHECK:           mlc_loop.reduce welford, max
mlc_loop.kernel @some(%x: memref<2x96xf32>, %out: memref<2xf32>, %told: memref<7xi64>) {
  mlc_loop.parallel %q = 0 to 2 {
    %t, %q_1, %m = mlc_loop.reduce welford, max %k = 0 to 96 -> f32, f32, f32 {
      %v = mlc_loop.load %x[%q, %k] : memref<2x96xf32>
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf ogt, %v, %zero : f32
      mlc_loop.yield if %c %v, %v : f32, f32
    }
    mlc_loop.publish %t in %told[%q + 1] : f32, memref<7xi64>
    mlc_loop.publish %q_1 in %told[%q + 3] : f32, memref<7xi64>
    mlc_loop.publish %m in %told[%q + 5] : f32, memref<7xi64>
    %s = mlc_loop.reduce add %i = 0 to 2 -> f32 {
      %a = mlc_loop.await %told[%i + 3] : memref<7xi64> -> f32
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %out[%q] : memref<2xf32>
  }
}

// -----

// Programs that await nothing have room for accumulators.
// CHECK-LABEL: mlc_loop.kernel @alone(
// CHECK:           mlc_loop.reduce welford
mlc_loop.kernel @alone(%x: memref<2x96xf32>, %out: memref<2xf32>) {
  mlc_loop.parallel %q = 0 to 2 {
    %t, %q_1 = mlc_loop.reduce welford %k = 0 to 96 -> f32, f32 {
      %v = mlc_loop.load %x[%q, %k] : memref<2x96xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %q_1, %out[%q] : memref<2xf32>
  }
}
