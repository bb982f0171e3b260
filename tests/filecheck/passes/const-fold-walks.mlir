// RUN: mlc-opt %s -p const-fold,dce --split-input-file | filecheck %s

// Nearest neighbours at twice the size: rows and columns are repeated.
// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %y = mlc_tensor.reshape %x : tensor<5x3x4xf32> -> tensor<5x3x1x4x1xf32>
// CHECK-NEXT:    %y_1 = mlc_tensor.broadcast %y : tensor<5x3x1x4x1xf32> -> tensor<5x3x2x4x2xf32>
// CHECK-NEXT:    %y_2 = mlc_tensor.reshape %y_1 : tensor<5x3x2x4x2xf32> -> tensor<5x6x8xf32>
// CHECK-NEXT:    func.return %y_2
func.func @twice(%x: tensor<5x3x4xf32>) -> tensor<5x6x8xf32> {
  %h = mlc_tensor.iota dim 0 : tensor<6xi64>
  %hf = mlc_tensor.cast %h : tensor<6xi64> -> tensor<6xf32>
  %half = mlc_tensor.constant 0.5 : tensor<6xf32>
  %hm = mlc_tensor.mul %hf, %half : tensor<6xf32>
  %hi = mlc_tensor.cast %hm : tensor<6xf32> -> tensor<6xi64>
  %hr = mlc_tensor.reshape %hi : tensor<6xi64> -> tensor<6x1xi64>
  %i1 = mlc_tensor.broadcast %hr : tensor<6x1xi64> -> tensor<5x6x8xi64>
  %w = mlc_tensor.iota dim 0 : tensor<8xi64>
  %two = mlc_tensor.constant 2 : tensor<8xi64>
  %wi = mlc_tensor.floordiv %w, %two : tensor<8xi64>
  %i2 = mlc_tensor.broadcast %wi : tensor<8xi64> -> tensor<5x6x8xi64>
  %i0 = mlc_tensor.iota dim 0 : tensor<5x6x8xi64>
  %y = mlc_tensor.gather %x[%i0, %i1, %i2] : tensor<5x3x4xf32>, (tensor<5x6x8xi64>, tensor<5x6x8xi64>, tensor<5x6x8xi64>) -> tensor<5x6x8xf32>
  func.return %y : tensor<5x6x8xf32>
}

// -----

// Every third place, the last first; a dimension of any size stays whole.
// CHECK-LABEL: func.func @thirds(
// CHECK-NEXT:    %y = mlc_tensor.slice %x [0, 7] step [1, -3] :
// CHECK-NEXT:    func.return %y
func.func @thirds(%x: tensor<?x10xf32, ["N", "10"]>) -> tensor<?x3xf32, ["N", "3"]> {
  %i = mlc_tensor.iota dim 0 : tensor<3xi64>
  %m = mlc_tensor.constant -3 : tensor<3xi64>
  %a = mlc_tensor.constant 7 : tensor<3xi64>
  %s = mlc_tensor.mul %i, %m : tensor<3xi64>
  %t = mlc_tensor.add %s, %a : tensor<3xi64>
  %c = mlc_tensor.broadcast %t : tensor<3xi64> -> tensor<?x3xi64, ["N", "3"]>
  %r = mlc_tensor.iota dim 0 : tensor<?x3xi64, ["N", "3"]>
  %y = mlc_tensor.gather %x[%r, %c] : tensor<?x10xf32, ["N", "10"]>, (tensor<?x3xi64, ["N", "3"]>, tensor<?x3xi64, ["N", "3"]>) -> tensor<?x3xf32, ["N", "3"]>
  func.return %y : tensor<?x3xf32, ["N", "3"]>
}

// -----

// Places that are data, no walk, or outside, where reading them is an error, stay a gather.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: mlc_tensor.gather
func.func @others(%x: tensor<4xf32>, %d: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = mlc_tensor.gather %x[%d] : tensor<4xf32>, (tensor<4xi64>) -> tensor<4xf32>
  %i = mlc_tensor.iota dim 0 : tensor<4xi64>
  %q = mlc_tensor.mul %i, %i : tensor<4xi64>
  %n = mlc_tensor.constant 4 : tensor<4xi64>
  %m = mlc_tensor.remainder %q, %n : tensor<4xi64>
  %z = mlc_tensor.gather %x[%m] : tensor<4xf32>, (tensor<4xi64>) -> tensor<4xf32>
  %one = mlc_tensor.constant 1 : tensor<4xi64>
  %o = mlc_tensor.add %i, %one : tensor<4xi64>
  %w = mlc_tensor.gather %x[%o] : tensor<4xf32>, (tensor<4xi64>) -> tensor<4xf32>
  func.return %y, %z, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
