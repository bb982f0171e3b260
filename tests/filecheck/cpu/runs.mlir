// RUN: mlc-opt %s -t llvm | filecheck %s

// A long sum is added in runs of 1024 values. The loop over runs is not unrolled: its runs would be read in turn, pages
// apart, and memory is read ahead only in its order.
// CHECK-LABEL: define internal void @"long.rows"(
// CHECK:         fadd reassoc float
// CHECK:         br label %"head.2"
// CHECK:         fadd double
// CHECK:         br label %"head.1", !llvm.loop ![[RUNS:[0-9]+]]
mlc_loop.kernel @long(%x: memref<10x4096xf32>, %y: memref<10xf32>) {
  mlc_loop.parallel %i = 0 to 10 {
    %s = mlc_loop.reduce add %j = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<10x4096xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<10xf32>
  }
}

// A short sum is one run, and LLVM may do with it what it likes.
// CHECK-LABEL: define internal void @"short.rows"(
// CHECK-NOT:     double
// CHECK:         fadd reassoc float
// CHECK-NOT:     llvm.loop
// CHECK:         br label %"head.1"
mlc_loop.kernel @short(%x: memref<10x512xf32>, %y: memref<10xf32>) {
  mlc_loop.parallel %i = 0 to 10 {
    %s = mlc_loop.reduce add %j = 0 to 512 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<10x512xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<10xf32>
  }
}

// CHECK:      ![[NO:[0-9]+]] = !{ !"llvm.loop.unroll.disable" }
// CHECK-NEXT: ![[RUNS]] = !{ ![[RUNS]], ![[NO]] }
