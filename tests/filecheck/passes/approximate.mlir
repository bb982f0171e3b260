// RUN: mlc-opt %s -p approximate | filecheck %s

// All of the row's exp ends in bfloat16: both through the sum and through the product.
// CHECK-LABEL: @rounds_to_bfloat16(
// CHECK:         math.exp {{%.*}} fastmath<afn> : f32
// CHECK:         math.exp {{%.*}} fastmath<afn> : f32
mlc_loop.kernel @rounds_to_bfloat16(%x: memref<8x64xf32>, %out: memref<8x64xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      %q = arith.divf %e, %s : f32
      %h = arith.truncf %q : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
    }
  }
}

// The sum is stored in float32 as well: its exp stays exact, the other one need not.
// CHECK-LABEL: @stores_the_sum_too(
// CHECK:         math.exp {{%[^ ]*}} : f32
// CHECK:         math.exp {{%.*}} fastmath<afn> : f32
mlc_loop.kernel @stores_the_sum_too(%x: memref<8x64xf32>, %out: memref<8x64xbf16>, %sum: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %sum[%p] : memref<8xf32>
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      %q = arith.divf %e, %s : f32
      %h = arith.truncf %q : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
    }
  }
}

// A comparison could turn a small difference into another answer.
// CHECK-LABEL: @decides_by_the_value(
// CHECK:         math.exp {{%[^ ]*}} : f32
mlc_loop.kernel @decides_by_the_value(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %e = math.exp %v : f32
    %one = arith.constant 1.0 : f32
    %c = arith.cmpf olt, %e, %one : f32
    %m = arith.select %c, %e, %one : f32
    %h = arith.truncf %m : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}
