// RUN: not mlc-opt %s -p schedule 2>&1 | filecheck %s

// CHECK: error: schedule: kernel nested has mlc_loop.scratch, memory of a CPU
mlc_loop.kernel @nested(%x: memref<100x10xf32>, %y: memref<100x10xf32>) {
  mlc_loop.parallel %i = 0 to 100 {
    %kept = mlc_loop.scratch : memref<10xf32>
    mlc_loop.parallel %j = 0 to 10 {
      %a = mlc_loop.load %x[%i, %j] : memref<100x10xf32>
      mlc_loop.store %a, %kept[%j] : memref<10xf32>
    }
    mlc_loop.parallel %j_1 = 0 to 10 {
      %a_1 = mlc_loop.load %kept[-%j_1 + 9] : memref<10xf32>
      mlc_loop.store %a_1, %y[%i, %j_1] : memref<100x10xf32>
    }
  }
}
