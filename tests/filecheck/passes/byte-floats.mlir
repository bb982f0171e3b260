// RUN: mlc-opt %s -p byte-floats --split-input-file | filecheck %s
// RUN: mlc-opt %s -p byte-floats{device=a100} --split-input-file | filecheck %s --check-prefix OLDER

// A byte is the upper half of a float16, on every device.
// CHECK-LABEL: mlc_loop.kernel @widens_e5m2(
// CHECK:           %[[B:.*]] = mlc_loop.load %x[%p] : memref<8xf8E5M2>
// CHECK-NEXT:      %[[I:.*]] = arith.bitcast %[[B]] : f8E5M2 to i8
// CHECK-NEXT:      %[[W:.*]] = arith.extsi %[[I]] : i8 to i16
// CHECK-NEXT:      %[[C:.*]] = arith.constant 8 : i16
// CHECK-NEXT:      %[[S:.*]] = arith.shli %[[W]], %[[C]] : i16
// CHECK-NEXT:      %[[H:.*]] = arith.bitcast %[[S]] : i16 to f16
// CHECK-NEXT:      %[[F:.*]] = arith.extf %[[H]] : f16 to f32
// CHECK-NEXT:      mlc_loop.store %[[F]], %y[%p] : memref<8xf32>
mlc_loop.kernel @widens_e5m2(%x: memref<8xf8E5M2>, %y: memref<8xf32>) {
  mlc_loop.parallel (%p) = 0 to (8) {
    %b = mlc_loop.load %x[%p] : memref<8xf8E5M2>
    %w = arith.extf %b : f8E5M2 to f32
    mlc_loop.store %w, %y[%p] : memref<8xf32>
  }
}

// -----

// Casts of f8E4M3FN are instructions from sm_89 on. Before, NaN is what would be 480.
// CHECK-LABEL: mlc_loop.kernel @casts_e4m3(
// CHECK:           %[[B:.*]] = mlc_loop.load
// CHECK-NEXT:      %[[W:.*]] = arith.extf %[[B]] : f8E4M3FN to f32
// CHECK-NEXT:      mlc_loop.store %[[W]]
// CHECK-NEXT:      %[[N:.*]] = arith.truncf %[[W]] : f32 to f8E4M3FN
// CHECK-NEXT:      mlc_loop.store %[[N]]
// OLDER-LABEL: mlc_loop.kernel @casts_e4m3(
// OLDER-NOT:       f8E4M3FN to f32
// OLDER:           %[[LIMIT:.*]] = arith.constant 4.800000e+02 : f32
// OLDER-NEXT:      %[[BEYOND:.*]] = arith.cmpf oeq, %{{.*}}, %[[LIMIT]] : f32
// OLDER:           %{{.*}} = arith.select %[[BEYOND]],
// OLDER:           %[[LARGEST:.*]] = arith.constant 126 : i32
// OLDER-NEXT:      %{{.*}} = arith.minsi %{{.*}}, %[[LARGEST]] : i32
// OLDER-NOT:       f32 to f8E4M3FN
// OLDER:           %[[N:.*]] = arith.bitcast %{{.*}} : i8 to f8E4M3FN
// OLDER-NEXT:      mlc_loop.store %[[N]]
mlc_loop.kernel @casts_e4m3(%x: memref<8xf8E4M3FN>, %y: memref<8xf32>, %z: memref<8xf8E4M3FN>) {
  mlc_loop.parallel (%p) = 0 to (8) {
    %b = mlc_loop.load %x[%p] : memref<8xf8E4M3FN>
    %w = arith.extf %b : f8E4M3FN to f32
    mlc_loop.store %w, %y[%p] : memref<8xf32>
    %n = arith.truncf %w : f32 to f8E4M3FN
    mlc_loop.store %n, %z[%p] : memref<8xf8E4M3FN>
  }
}

// -----

// Beyond the largest f8E5M2 is infinity, where instructions saturate: arithmetic on every device.
// CHECK-LABEL: mlc_loop.kernel @narrows_e5m2(
// CHECK-NOT:       arith.truncf
// CHECK:           %[[INFINITY:.*]] = arith.constant 124 : i32
// CHECK-NEXT:      %{{.*}} = arith.minsi %{{.*}}, %[[INFINITY]] : i32
// CHECK:           %[[N:.*]] = arith.bitcast %{{.*}} : i8 to f8E5M2
mlc_loop.kernel @narrows_e5m2(%x: memref<8xf32>, %y: memref<8xf8E5M2>) {
  mlc_loop.parallel (%p) = 0 to (8) {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %n = arith.truncf %v : f32 to f8E5M2
    mlc_loop.store %n, %y[%p] : memref<8xf8E5M2>
  }
}

// -----

// Bytes that are moved or chosen, and other floats, stay as they are.
// CHECK-LABEL: mlc_loop.kernel @keeps_the_rest(
// CHECK-NOT:       bitcast
// OLDER-LABEL: mlc_loop.kernel @keeps_the_rest(
// OLDER-NOT:       bitcast
mlc_loop.kernel @keeps_the_rest(%x: memref<8xf8E4M3FN>, %c: memref<8xi1>, %h: memref<8xbf16>, %y: memref<8xf8E4M3FN>, %z: memref<8xf16>) {
  mlc_loop.parallel (%p) = 0 to (8) {
    %b = mlc_loop.load %x[%p] : memref<8xf8E4M3FN>
    %t = mlc_loop.load %c[%p] : memref<8xi1>
    %k = arith.constant 1.0 : f8E4M3FN
    %s = arith.select %t, %b, %k : f8E4M3FN
    mlc_loop.store %s, %y[%p] : memref<8xf8E4M3FN>
    %v = mlc_loop.load %h[%p] : memref<8xbf16>
    %w = arith.extf %v : bf16 to f32
    %n = arith.truncf %w : f32 to f16
    mlc_loop.store %n, %z[%p] : memref<8xf16>
  }
}
