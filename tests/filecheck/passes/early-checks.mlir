// RUN: mlc-opt %s -p early-checks | filecheck %s

// The second index does not wait for the check of the first, nor the loads behind one check for the other check. What is
// looked up by what was looked up comes after all of these. What leads to no check keeps its place.
// CHECK-LABEL: mlc_triton.kernel @lookups(
// CHECK:         %i = mlc_triton.load %p[%r]
// CHECK-NEXT:    %j = mlc_triton.load %q[%r]
// CHECK-NEXT:    %a = mlc_triton.checked %i below 64
// CHECK-NEXT:    %h = arith.addi %j, %j
// CHECK-NEXT:    %b = mlc_triton.checked %h below 64
// CHECK-NEXT:    %k = mlc_triton.load %p[%a]
// CHECK-NEXT:    %c = mlc_triton.checked %k below 64
// CHECK-NEXT:    %v = mlc_triton.load %x[%c]
// CHECK-NEXT:    %w = mlc_triton.load %x[%b]
// CHECK-NEXT:    %s = arith.addf %v, %w
// CHECK-NEXT:    %z = mlc_triton.load %x[%r]
// CHECK-NEXT:    %t = arith.addf %s, %z
// CHECK-NEXT:    mlc_triton.store
mlc_triton.kernel @lookups(%p: !mlc_triton.ptr<i64>, %q: !mlc_triton.ptr<i64>, %x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 2 {
  %r = mlc_triton.arange : tensor<64xi32>
  %i = mlc_triton.load %p[%r] : (!mlc_triton.ptr<i64>, tensor<64xi32>) -> tensor<64xi64>
  %a = mlc_triton.checked %i below 64 : (tensor<64xi64>)
  %k = mlc_triton.load %p[%a] : (!mlc_triton.ptr<i64>, tensor<64xi64>) -> tensor<64xi64>
  %c = mlc_triton.checked %k below 64 : (tensor<64xi64>)
  %v = mlc_triton.load %x[%c] : (!mlc_triton.ptr<f32>, tensor<64xi64>) -> tensor<64xf32>
  %j = mlc_triton.load %q[%r] : (!mlc_triton.ptr<i64>, tensor<64xi32>) -> tensor<64xi64>
  %h = arith.addi %j, %j : tensor<64xi64>
  %b = mlc_triton.checked %h below 64 : (tensor<64xi64>)
  %w = mlc_triton.load %x[%b] : (!mlc_triton.ptr<f32>, tensor<64xi64>) -> tensor<64xf32>
  %s = arith.addf %v, %w : tensor<64xf32>
  %z = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  %t = arith.addf %s, %z : tensor<64xf32>
  mlc_triton.store %out[%r] = %t : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}

// Loads stay behind stores, and without checks the order is kept.
// CHECK-LABEL: mlc_triton.kernel @stores(
// CHECK:         mlc_triton.checked %i below 64
// CHECK-NEXT:    mlc_triton.store %out[%a]
// CHECK-NEXT:    %j = mlc_triton.load %p[%r + 64]
// CHECK-NEXT:    %s = arith.addi %j, %j
// CHECK-NEXT:    %k = mlc_triton.load %p[%r + 128]
mlc_triton.kernel @stores(%p: !mlc_triton.ptr<i64>, %out: !mlc_triton.ptr<i64>) grid [1] sizes [] num_warps 2 {
  %r = mlc_triton.arange : tensor<64xi32>
  %i = mlc_triton.load %p[%r] : (!mlc_triton.ptr<i64>, tensor<64xi32>) -> tensor<64xi64>
  %a = mlc_triton.checked %i below 64 : (tensor<64xi64>)
  mlc_triton.store %out[%a] = %i : (!mlc_triton.ptr<i64>, tensor<64xi64>, tensor<64xi64>)
  %j = mlc_triton.load %p[%r + 64] : (!mlc_triton.ptr<i64>, tensor<64xi32>) -> tensor<64xi64>
  %s = arith.addi %j, %j : tensor<64xi64>
  %k = mlc_triton.load %p[%r + 128] : (!mlc_triton.ptr<i64>, tensor<64xi32>) -> tensor<64xi64>
  %t = arith.addi %s, %k : tensor<64xi64>
  mlc_triton.store %out[%r] = %t : (!mlc_triton.ptr<i64>, tensor<64xi64>, tensor<64xi32>)
}
