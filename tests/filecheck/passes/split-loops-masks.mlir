// RUN: mlc-opt %s -p split-loops,dce | filecheck %s

// 15 whole steps need no mask; the last one keeps it, and goes on from what they gave.
// CHECK-LABEL: mlc_triton.kernel @sum(
// CHECK:         %acc = "mlc_triton.for"(%t, %{{.*}}, %{{.*}}) <{extent = "d0", step = 64 : i64
// CHECK:           %a = mlc_triton.load %x[%r] evict "last" : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
// CHECK-NEXT:      %b = arith.addf %sum, %a
// CHECK-NEXT:      mlc_triton.yield %b
// CHECK:         "mlc_triton.for"(%acc, %{{.*}}, %{{.*}}) <{extent = "d0", step = 64 : i64
// CHECK:           %m = mlc_triton.mask %r_1 < 1000
// CHECK-NEXT:      %a_1 = mlc_triton.load %x[%r_1] mask %m evict "last"
// CHECK:           mlc_triton.where %m
mlc_triton.kernel @sum(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %lane = mlc_triton.arange : tensor<64xi32>
  %t = mlc_triton.full 0.0 : f32 : tensor<64xf32>
  %acc = "mlc_triton.for"(%t) <{extent = "1000", step = 64 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%s: i32, %sum: tensor<64xf32>):
    %r = mlc_triton.index [%s + %lane] : (i32, tensor<64xi32>) -> tensor<64xi32>
    %m = mlc_triton.mask %r < 1000 : (tensor<64xi32>) -> tensor<64xi1>
    %a = mlc_triton.load %x[%r] mask %m evict "last" : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
    %b = arith.addf %sum, %a : tensor<64xf32>
    %c = mlc_triton.where %m, %b, %sum : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
    mlc_triton.yield %c : tensor<64xf32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  mlc_triton.store %out[%lane] = %acc : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}

// Backwards the step that is not whole is the first. Rows may be masked as well, and by a mask of their own.
// CHECK-LABEL: mlc_triton.kernel @backwards(
// CHECK:         "mlc_triton.for"
// CHECK:           mlc_triton.store %out[%r] = %{{.*}} mask
// CHECK:         "mlc_triton.for"
// CHECK:           mlc_triton.store %out[%r_1] = %v : (!mlc_triton.ptr<f32>, tensor<1x64xf32>, tensor<1x64xi32>)
// CHECK:           mlc_triton.store %out[%r_1] = %v mask %rows
mlc_triton.kernel @backwards(%out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %lane = mlc_triton.arange : tensor<1x64xi32>
  %row = mlc_triton.arange : tensor<8x1xi32>
  %v = mlc_triton.full 1.0 : f32 : tensor<1x64xf32>
  %rows = mlc_triton.mask %row < 5 : (tensor<8x1xi32>) -> tensor<8x1xi1>
  "mlc_triton.for"() <{extent = "1000", step = 64 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%s: i32):
    %r = mlc_triton.index [-%s + 960 + %lane] : (i32, tensor<1x64xi32>) -> tensor<1x64xi32>
    %m = mlc_triton.mask %r < 1000 : (tensor<1x64xi32>) -> tensor<1x64xi1>
    mlc_triton.store %out[%r] = %v mask %m : (!mlc_triton.ptr<f32>, tensor<1x64xf32>, tensor<1x64xi32>, tensor<1x64xi1>)
    mlc_triton.store %out[%r] = %v mask %rows : (!mlc_triton.ptr<f32>, tensor<1x64xf32>, tensor<1x64xi32>, tensor<8x1xi1>)
    mlc_triton.yield
  }) : () -> ()
}

// Not where loads are pipelined, where steps are few or all whole, or where lanes beyond the loop's end are not what
// the mask takes out.
// CHECK-LABEL: mlc_triton.kernel @keeps_loops(
// CHECK-COUNT-4: "mlc_triton.for"
// CHECK-NOT:     "mlc_triton.for"
mlc_triton.kernel @keeps_loops(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %lane = mlc_triton.arange : tensor<64xi32>
  "mlc_triton.for"() <{extent = "1000", step = 64 : i64, stages = 3 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%s: i32):
    %r = mlc_triton.index [%s + %lane] : (i32, tensor<64xi32>) -> tensor<64xi32>
    %m = mlc_triton.mask %r < 1000 : (tensor<64xi32>) -> tensor<64xi1>
    %a = mlc_triton.load %x[%r] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
    mlc_triton.store %out[%r] = %a mask %m : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi1>)
    mlc_triton.yield
  }) : () -> ()
  "mlc_triton.for"() <{extent = "250", step = 64 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%s: i32):
    %r = mlc_triton.index [%s + %lane] : (i32, tensor<64xi32>) -> tensor<64xi32>
    %m = mlc_triton.mask %r < 250 : (tensor<64xi32>) -> tensor<64xi1>
    %a = mlc_triton.load %x[%r] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
    mlc_triton.store %out[%r] = %a mask %m : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi1>)
    mlc_triton.yield
  }) : () -> ()
  "mlc_triton.for"() <{extent = "1024", step = 64 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%s: i32):
    %r = mlc_triton.index [%s + %lane] : (i32, tensor<64xi32>) -> tensor<64xi32>
    %m = mlc_triton.mask %r < 1000 : (tensor<64xi32>) -> tensor<64xi1>
    %a = mlc_triton.load %x[%r] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
    mlc_triton.store %out[%r] = %a mask %m : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi1>)
    mlc_triton.yield
  }) : () -> ()
  "mlc_triton.for"() <{extent = "1000", step = 64 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%s: i32):
    %r = mlc_triton.index [(%s + %lane) mod 512] : (i32, tensor<64xi32>) -> tensor<64xi32>
    %m = mlc_triton.mask %r < 500 : (tensor<64xi32>) -> tensor<64xi1>
    %a = mlc_triton.load %x[%r] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
    mlc_triton.store %out[%r] = %a mask %m : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi1>)
    mlc_triton.yield
  }) : () -> ()
}
