// RUN: mlc-opt %s -t llvm | filecheck %s

// A share is a run of rows, one after the other, which adds up in memory of its own: threads share the shares. The loop
// over columns is parallel, for each column has a sum of its own; those around it are not.
// CHECK-LABEL: @"rows.rows"(
// CHECK:         %[[BEGIN:.*]] = udiv i64 %{{.*}}, 6
// CHECK:         %[[END:.*]] = udiv i64 %{{.*}}, 6
// CHECK:         %[[ROW:.*]] = phi  i64 [%[[BEGIN]], %{{.*}}]
// CHECK-NEXT:    icmp slt i64 %[[ROW]], %[[END]]
// CHECK:         load float, {{.*}} !llvm.access.group ![[COLUMN:[0-9]+]]
// CHECK:         load float, {{.*}} !llvm.access.group ![[COLUMN]]
// CHECK:         store float {{.*}} !llvm.access.group ![[COLUMN]]
// CHECK:         !llvm.loop
// CHECK-NOT:     !llvm.loop
// CHECK-LABEL: @"kernel.rows"(
// CHECK:         call void @"GOMP_parallel"
mlc_loop.kernel @rows(%x: memref<100x1024xf32>, %t: memref<6x1024xf32>) {
  mlc_loop.parallel %p = 0 to 100 shares 6 {
    mlc_loop.parallel %r = 0 to 1024 {
      %v = mlc_loop.load %x[%p, %r] : memref<100x1024xf32>
      mlc_loop.accumulate add %v, %t[(%p * 6) floordiv 100, %r] : memref<6x1024xf32>
    }
  }
}

// Without shares one thread has all rows. Columns that two by two add up in one place depend on each other.
// CHECK-LABEL: @"pairs.rows"(
// CHECK-NOT:     access.group
// CHECK-LABEL: @"kernel.pairs"(
// CHECK-NOT:     GOMP_parallel
// CHECK:         ret void
mlc_loop.kernel @pairs(%x: memref<100x1024xf32>, %t: memref<512xf32>) {
  mlc_loop.parallel %p = 0 to 100 {
    mlc_loop.parallel %r = 0 to 1024 {
      %v = mlc_loop.load %x[%p, %r] : memref<100x1024xf32>
      mlc_loop.accumulate add %v, %t[%r floordiv 2] : memref<512xf32>
    }
  }
}
