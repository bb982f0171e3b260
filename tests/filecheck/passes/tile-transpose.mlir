// RUN: mlc-opt %s -p tile-transpose,schedule --split-input-file | filecheck %s

// x runs along its rows, which are columns of the result: both get whole lines out of a tile.
// CHECK-LABEL: mlc_loop.kernel @transpose(
// CHECK-SAME:    schedule "tiles of 64 x 64: memory runs along both axes"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 96 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 80 program 1 block 64 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%p, %r] : memref<96x80xf32>
// CHECK-NEXT:        mlc_loop.store %v, %out[%r, %p] : memref<80x96xf32>
mlc_loop.kernel @transpose(%x: memref<96x80xf32>, %out: memref<80x96xf32>) {
  mlc_loop.parallel %p = 0 to 7680 {
    %v = mlc_loop.load %x[%p mod 96, %p floordiv 96] : memref<96x80xf32>
    mlc_loop.store %v, %out[%p floordiv 96, %p mod 96] : memref<80x96xf32>
  }
}

// -----

// Both run along the last axis: the flat loop stays.
// CHECK-LABEL: mlc_loop.kernel @same_lines(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 7680 program 0 block 1024 {
mlc_loop.kernel @same_lines(%x: memref<96x80xf32>, %out: memref<96x80xf32>) {
  mlc_loop.parallel %p = 0 to 7680 {
    %v = mlc_loop.load %x[%p floordiv 80, %p mod 80] : memref<96x80xf32>
    mlc_loop.store %v, %out[%p floordiv 80, %p mod 80] : memref<96x80xf32>
  }
}

// -----

// An axis of 8 fills no line.
// CHECK-LABEL: mlc_loop.kernel @short_axis(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 768 program 0 block 1024 {
mlc_loop.kernel @short_axis(%x: memref<96x8xf32>, %out: memref<8x96xf32>) {
  mlc_loop.parallel %p = 0 to 768 {
    %v = mlc_loop.load %x[%p mod 96, %p floordiv 96] : memref<96x8xf32>
    mlc_loop.store %v, %out[%p floordiv 96, %p mod 96] : memref<8x96xf32>
  }
}

// -----

// A named size could be anything: left alone.
// CHECK-LABEL: mlc_loop.kernel @dynamic(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N * 96 program 0 block 1024 {
mlc_loop.kernel @dynamic(%x: memref<?x96xf32, {sizes = ["N", "96"], strides = ["96", "1"]}>, %out: memref<96x?xf32, {sizes = ["96", "N"], strides = ["N", "1"]}>) {
  mlc_loop.parallel %p = 0 to N * 96 {
    %v = mlc_loop.load %x[%p mod N, %p floordiv N] : memref<?x96xf32, {sizes = ["N", "96"], strides = ["96", "1"]}>
    mlc_loop.store %v, %out[%p floordiv N, %p mod N] : memref<96x?xf32, {sizes = ["96", "N"], strides = ["N", "1"]}>
  }
}
