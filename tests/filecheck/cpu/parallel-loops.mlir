// RUN: mlc-opt %s -t llvm | filecheck %s

// Each parallel loop names the group of its own accesses, in every kernel of a module: LLVM checks no addresses then,
// and makes vectors even where a result replaces an operand.
// CHECK-LABEL: @"first.rows"(
// CHECK:         load float, {{.*}} !llvm.access.group ![[A:[0-9]+]]
// CHECK:         store float {{.*}} !llvm.access.group ![[A]]
// CHECK:         br label %"head", !llvm.loop ![[FIRST:[0-9]+]]
mlc_loop.kernel @first(%x: memref<1000xf32>, %y: memref<1000xf32>) {
  mlc_loop.parallel %i = 0 to 1000 {
    %a = mlc_loop.load %x[%i] : memref<1000xf32>
    mlc_loop.store %a, %y[%i] : memref<1000xf32>
  }
}

// CHECK-LABEL: @"second.rows"(
// CHECK:         load float, {{.*}} !llvm.access.group ![[B:[0-9]+]]
// CHECK:         store float {{.*}} !llvm.access.group ![[B]]
// CHECK:         br label %"head", !llvm.loop ![[SECOND:[0-9]+]]
mlc_loop.kernel @second(%x: memref<1000xf32>, %y: memref<1000xf32>) {
  mlc_loop.parallel %i = 0 to 1000 {
    %a = mlc_loop.load %x[%i] : memref<1000xf32>
    %b = arith.negf %a : f32
    mlc_loop.store %b, %y[%i] : memref<1000xf32>
  }
}

// All accesses of the inner loop are those of the outer one as well; a row's own memory is that of the inner one alone.
// CHECK-LABEL: @"nested.rows"(
// CHECK:         load float, {{.*}} !llvm.access.group ![[BOTH:[0-9]+]]
// CHECK:         store float {{.*}} !llvm.access.group ![[INNER:[0-9]+]]
// CHECK:         load float, {{.*}} !llvm.access.group ![[LATER:[0-9]+]]
// CHECK:         store float {{.*}} !llvm.access.group ![[STORED:[0-9]+]]
mlc_loop.kernel @nested(%x: memref<100x10xf32>, %y: memref<100x10xf32>) {
  mlc_loop.parallel %i = 0 to 100 {
    %kept = mlc_loop.scratch : memref<10xf32>
    mlc_loop.parallel %j = 0 to 10 {
      %a = mlc_loop.load %x[%i, %j] : memref<100x10xf32>
      mlc_loop.store %a, %kept[%j] : memref<10xf32>
    }
    mlc_loop.parallel %j = 0 to 10 {
      %a = mlc_loop.load %kept[-%j + 9] : memref<10xf32>
      mlc_loop.store %a, %y[%i, %j] : memref<100x10xf32>
    }
  }
}

// CHECK:      ![[A]] = distinct !{}
// CHECK-NEXT: ![[PA:[0-9]+]] = !{ !"llvm.loop.parallel_accesses", ![[A]] }
// CHECK-NEXT: ![[FIRST]] = !{ ![[FIRST]], ![[PA]] }
// CHECK-NEXT: ![[B]] = distinct !{}
// CHECK-NEXT: ![[PB:[0-9]+]] = !{ !"llvm.loop.parallel_accesses", ![[B]] }
// CHECK-NEXT: ![[SECOND]] = !{ ![[SECOND]], ![[PB]] }
// CHECK:      ![[ROWS:[0-9]+]] = distinct !{}
// CHECK-NEXT: ![[INNER]] = distinct !{}
// CHECK-NEXT: ![[BOTH]] = !{ ![[ROWS]], ![[INNER]] }
// CHECK:      ![[LATER]] = distinct !{}
// CHECK-NEXT: ![[STORED]] = !{ ![[ROWS]], ![[LATER]] }
