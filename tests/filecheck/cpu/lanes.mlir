// RUN: mlc-opt %s -t llvm | filecheck %s

// All columns run together: one code path, with a number of lanes that LLVM knows. What a lane has so far is its own, in
// the loop over lanes, and what loops around share.
// CHECK-LABEL: define internal void @"few.rows"(
// CHECK:         icmp slt i64 %{{.*}}, 4
// CHECK-NOT:     icmp uge
// CHECK:         load float, float* %{{.*}}, !llvm.access.group ![[LANES:[0-9]+]]
// CHECK:         store float %{{.*}}, float* %{{.*}}, !llvm.access.group ![[LANES]]
// CHECK-NOT:     icmp uge
// CHECK:       define void @"kernel.few"(
mlc_loop.kernel @few(%x: memref<1000x4xf32>, %y: memref<4xf32>) {
  mlc_loop.parallel %i = 0 to 4 lanes 64 {
    %s = mlc_loop.reduce max %j = 0 to 1000 -> f32 {
      %a = mlc_loop.load %x[%j, %i] : memref<1000x4xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<4xf32>
  }
}

// All tiles are whole.
// CHECK-LABEL: define internal void @"whole.rows"(
// CHECK:         icmp slt i64 %{{.*}}, 64
// CHECK-NOT:     icmp uge
// CHECK:       define void @"kernel.whole"(
mlc_loop.kernel @whole(%x: memref<1000x128xf32>, %y: memref<128xf32>) {
  mlc_loop.parallel %i = 0 to 128 lanes 64 {
    %s = mlc_loop.reduce max %j = 0 to 1000 -> f32 {
      %a = mlc_loop.load %x[%j, %i] : memref<1000x128xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<128xf32>
  }
}

// The last tile has two lanes: whole tiles have a path of their own.
// CHECK-LABEL: define internal void @"both.rows"(
// CHECK:         %[[LEFT:.*]] = sub i64 130, %{{.*}}
// CHECK:         icmp uge i64 %[[LEFT]], 64
// CHECK:         icmp slt i64 %{{.*}}, 64
// CHECK:         icmp slt i64 %{{.*}}, %[[LEFT]]
// CHECK:       define void @"kernel.both"(
mlc_loop.kernel @both(%x: memref<1000x130xf32>, %y: memref<130xf32>) {
  mlc_loop.parallel %i = 0 to 130 lanes 64 {
    %s = mlc_loop.reduce max %j = 0 to 1000 -> f32 {
      %a = mlc_loop.load %x[%j, %i] : memref<1000x130xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %y[%i] : memref<130xf32>
  }
}

// CHECK: ![[LANES]] = distinct !{}
