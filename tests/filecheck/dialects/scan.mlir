// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s
// RUN: not mlc-opt %s --split-input-file --print-op-generic 2>&1 | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @kinds(
// CHECK-NEXT:    mlc_tensor.scan add %x dim 1 : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    mlc_tensor.scan logaddexp %x dim 0 : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT:    mlc_tensor.scan argmax %x dim 1 : tensor<2x3xf32> -> tensor<2x3xi64>
// GENERIC:       "mlc_tensor.scan"(%x) <{kind = "add", dim = 1 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @kinds(%x: tensor<2x3xf32>) -> tensor<2x3xi64> {
  %s = mlc_tensor.scan add %x dim 1 : tensor<2x3xf32> -> tensor<2x3xf32>
  %l = mlc_tensor.scan logaddexp %x dim 0 : tensor<2x3xf32> -> tensor<2x3xf32>
  %a = mlc_tensor.scan argmax %x dim 1 : tensor<2x3xf32> -> tensor<2x3xi64>
  func.return %a : tensor<2x3xi64>
}

// -----

// CHECK: mlc_tensor.scan: 'and' is not a scan: one of add, mul, max, min, logaddexp, argmax, argmin
func.func @f(%x: tensor<4xi32>) {
  "mlc_tensor.scan"(%x) <{kind = "and", dim = 0 : i64}> : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

// CHECK: mlc_tensor.scan: logaddexp has no meaning for elements of type i32
func.func @f(%x: tensor<4xi32>) {
  "mlc_tensor.scan"(%x) <{kind = "logaddexp", dim = 0 : i64}> : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

// CHECK: mlc_tensor.scan: dimension 1 is not one of tensor<4xi32>
func.func @f(%x: tensor<4xi32>) {
  "mlc_tensor.scan"(%x) <{kind = "add", dim = 1 : i64}> : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

// CHECK: mlc_tensor.scan: result is tensor<4xi32> and must be tensor<4xi64>
func.func @f(%x: tensor<4xi32>) {
  "mlc_tensor.scan"(%x) <{kind = "argmin", dim = 0 : i64}> : (tensor<4xi32>) -> tensor<4xi32>
  func.return
}

// -----

// CHECK: mlc_loop.scan: must be in a loop, directly: it combines the iterations
func.func @f(%x: f32) {
  %s = mlc_loop.scan "add" %x : f32 -> f32
  func.return
}

// -----

// CHECK: mlc_triton.combine: argmax takes 4 value(s), found 2
func.func @f(%x: f32) {
  %s = "mlc_triton.combine"(%x, %x) <{kind = "argmax"}> : (f32, f32) -> f32
  func.return
}
