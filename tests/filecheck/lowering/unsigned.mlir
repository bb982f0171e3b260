// RUN: mlc-opt %s -p fuse,tensor-to-loop | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop,linearize-axes,schedule --verify-semantics

// Scalars in kernels have no sign: what depends on one is computed in i32, and wrapped once.
// CHECK-LABEL: mlc_loop.kernel @
// CHECK:         %[[X:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT:    %[[Y:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT:    arith.cmpi slt, %[[X]], %[[Y]] : i32
// CHECK:         %[[M:.*]] = arith.maxsi %{{.*}} : i32
// CHECK-NEXT:    arith.trunci %[[M]] : i32 to i8
func.func @elementwise(%x: tensor<64xui8>, %y: tensor<64xui8>) -> (tensor<64xi1>, tensor<64xui8>, tensor<64xui8>) {
  %a = mlc_tensor.lt %x, %y : tensor<64xui8>
  %b = mlc_tensor.maximum %x, %y : tensor<64xui8>
  %c = mlc_tensor.sub %x, %y : tensor<64xui8>
  func.return %a, %b, %c : tensor<64xi1>, tensor<64xui8>, tensor<64xui8>
}

// The greatest and its place need the order; a sum wraps, whatever the sign.
// CHECK-LABEL: mlc_loop.kernel @
// CHECK:         %[[R:.*]], %{{.*}}, %{{.*}} = mlc_loop.reduce max, argmin, add %{{.*}} -> i32, i64, i8 {
// CHECK:         arith.trunci %[[R]] : i32 to i8
func.func @reductions(%x: tensor<4x64xui8>) -> (tensor<4x1xui8>, tensor<4x1xi64>, tensor<4x1xui8>) {
  %a = mlc_tensor.reduce max %x dims [1] : tensor<4x64xui8> -> tensor<4x1xui8>
  %b = mlc_tensor.reduce argmin %x dims [1] : tensor<4x64xui8> -> tensor<4x1xi64>
  %c = mlc_tensor.reduce add %x dims [1] : tensor<4x64xui8> -> tensor<4x1xui8>
  func.return %a, %b, %c : tensor<4x1xui8>, tensor<4x1xi64>, tensor<4x1xui8>
}

// So do the extremes of a scan, whose place is counted in i64 anyway.
// CHECK-LABEL: mlc_loop.kernel @cumargmax(
// CHECK:         mlc_loop.scan "argmax" %{{.*}} : i32 -> i64
// CHECK-LABEL: mlc_loop.kernel @cummin_cumsum(
// CHECK:         %[[W:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT:    %[[S:.*]] = mlc_loop.scan "min" %[[W]] : i32 -> i32
// CHECK-NEXT:    arith.trunci %[[S]] : i32 to i8
// CHECK:         mlc_loop.scan "add" %{{.*}} : i8 -> i8
func.func @scans(%x: tensor<4x64xui8>) -> (tensor<4x64xui8>, tensor<4x64xi64>, tensor<4x64xui8>) {
  %a = mlc_tensor.scan min %x dim 1 : tensor<4x64xui8> -> tensor<4x64xui8>
  %b = mlc_tensor.scan argmax %x dim 1 : tensor<4x64xui8> -> tensor<4x64xi64>
  %c = mlc_tensor.scan add %x dim 1 : tensor<4x64xui8> -> tensor<4x64xui8>
  func.return %a, %b, %c : tensor<4x64xui8>, tensor<4x64xi64>, tensor<4x64xui8>
}
