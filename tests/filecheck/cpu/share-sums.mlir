// RUN: mlc-opt %s -p share-sums --split-input-file | filecheck %s

// Sums over all rows beside a result of each row: 64 runs of rows add up apart, and who reads the sums adds up the runs.
// CHECK-LABEL: mlc_loop.kernel @rows(
// CHECK-SAME:    %t_out: memref<64x1x128xf32>
// CHECK-NEXT:    mlc_loop.parallel %[[P:.*]] = 0 to 4099 shares 64 {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add %{{.*}} = 0 to 128 -> f32 {
// CHECK:           mlc_loop.store %{{.*}}, %y[%[[P]], %[[R:.*]]] :
// CHECK-NEXT:      mlc_loop.accumulate add %{{.*}}, %t_out[(%[[P]] * 64) floordiv 4099, 0, %[[R]]] : memref<64x1x128xf32>
// CHECK-LABEL: mlc_loop.kernel @finish(
// CHECK:           mlc_loop.reduce add %[[I:.*]] = 0 to 64 -> f32 {
// CHECK-NEXT:        mlc_loop.load %t[%[[I]], 0, %{{.*}}] : memref<64x1x128xf32>
// CHECK:           math.exp
// CHECK-LABEL: @main
// CHECK:         mlc_loop.alloc : memref<64x1x128xf32>
mlc_loop.kernel @rows(%x: memref<4099x128xf32>, %y: memref<4099x128xf32>, %t_out: memref<1x128xf32>) {
  mlc_loop.parallel %p = 0 to 4099 {
    %s = mlc_loop.reduce add %r = 0 to 128 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4099x128xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 128 {
      %v = mlc_loop.load %x[%p, %r] : memref<4099x128xf32>
      %m = arith.mulf %v, %s : f32
      mlc_loop.store %m, %y[%p, %r] : memref<4099x128xf32>
      mlc_loop.accumulate add %m, %t_out[0, %r] : memref<1x128xf32>
    }
  }
}
mlc_loop.kernel @finish(%t: memref<1x128xf32>, %e: memref<1x128xf32>) {
  mlc_loop.parallel %p = 0 to 128 {
    %v = mlc_loop.load %t[0, %p] : memref<1x128xf32>
    %w = math.exp %v : f32
    mlc_loop.store %w, %e[0, %p] : memref<1x128xf32>
  }
}
func.func @main(%x: memref<4099x128xf32>, %y: memref<4099x128xf32>, %e: memref<1x128xf32>) {
  %t = mlc_loop.alloc : memref<1x128xf32>
  mlc_loop.launch @rows(%x, %y, %t) : memref<4099x128xf32>, memref<4099x128xf32>, memref<1x128xf32>
  mlc_loop.launch @finish(%t, %e) : memref<1x128xf32>, memref<1x128xf32>
  func.return
}

// -----

// Rows over two axes, and a size with a name: the run is that of the row-major number. Parts of 16 rows at least.
// CHECK-LABEL: mlc_loop.kernel @named(
// CHECK:         mlc_loop.parallel (%[[I:.*]], %[[J:.*]]) = 0 to (N, 8) shares 64 {
// CHECK:           mlc_loop.accumulate max %{{.*}}, %t_out[(%[[I]] * 512 + %[[J]] * 64) floordiv (N * 8), %{{.*}}]
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK:         mlc_loop.parallel %[[P:.*]] = 0 to 96 shares 6 {
// CHECK:           mlc_loop.accumulate add %{{.*}}, %t_out[%[[P]] floordiv 16, %{{.*}}]
mlc_loop.kernel @named(%x: memref<?x8x768xf32, strided<[6144, 768, 1]>, {sizes = ["N", "8", "768"], strides = ["6144", "768", "1"]}>, %t_out: memref<768xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (N, 8) {
    mlc_loop.parallel %r = 0 to 768 {
      %v = mlc_loop.load %x[%i, %j, %r] : memref<?x8x768xf32, strided<[6144, 768, 1]>, {sizes = ["N", "8", "768"], strides = ["6144", "768", "1"]}>
      mlc_loop.accumulate max %v, %t_out[%r] : memref<768xf32>
    }
  }
}
mlc_loop.kernel @few(%x: memref<96x1024xf32>, %t_out: memref<1024xf32>) {
  mlc_loop.parallel %p = 0 to 96 {
    mlc_loop.parallel %r = 0 to 1024 {
      %v = mlc_loop.load %x[%p, %r] : memref<96x1024xf32>
      mlc_loop.accumulate add %v, %t_out[%r] : memref<1024xf32>
    }
  }
}

// -----

// One thread has all: too few points, rows that lie side by side in memory and run as lanes, and what scatters as well.
// CHECK-NOT:     shares
mlc_loop.kernel @small(%x: memref<31x64xf32>, %t_out: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 31 {
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<31x64xf32>
      mlc_loop.accumulate add %v, %t_out[%r] : memref<64xf32>
    }
  }
}
mlc_loop.kernel @across(%x: memref<128x4096xf32>, %t_out: memref<128xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 128 {
      %v = mlc_loop.load %x[%r, %p] : memref<128x4096xf32>
      mlc_loop.accumulate add %v, %t_out[%r] : memref<128xf32>
    }
  }
}
mlc_loop.kernel @scatters(%x: memref<4096x128xf32>, %y: memref<128xf32>, %t_out: memref<128xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 128 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x128xf32>
      mlc_loop.atomic add %v, %y[%r] : memref<128xf32>
      mlc_loop.accumulate add %v, %t_out[%r] : memref<128xf32>
    }
  }
}
