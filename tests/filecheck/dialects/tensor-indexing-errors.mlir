// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: error: mlc_tensor.gather: 1 indices for 2 dimensions: one each, iota for a whole one
func.func @f(%t: tensor<5x6xf32>, %i: tensor<3xi64>) {
  %g = mlc_tensor.gather %t[%i] : tensor<5x6xf32>, (tensor<3xi64>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.gather: the index tensor<3xi64> must have the shape 4
func.func @f(%t: tensor<5xf32>, %i: tensor<3xi64>) {
  %g = mlc_tensor.gather %t[%i] : tensor<5xf32>, (tensor<3xi64>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.gather: indices are signed integers, not i1
func.func @f(%t: tensor<5xf32>, %i: tensor<3xi1>) {
  %g = mlc_tensor.gather %t[%i] : tensor<5xf32>, (tensor<3xi1>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.gather: changes the element type: tensor<5xf32> to tensor<3xf16>
func.func @f(%t: tensor<5xf32>, %i: tensor<3xi64>) {
  %g = mlc_tensor.gather %t[%i] : tensor<5xf32>, (tensor<3xi64>) -> tensor<3xf16>
  func.return
}

// -----

// CHECK: error: mlc_tensor.scatter: 'mean' is no way to scatter: one of set, add, max, min
func.func @f(%t: tensor<5xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) {
  %g = mlc_tensor.scatter mean %t[%i], %u : tensor<5xf32>, (tensor<3xi64>), tensor<3xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.scatter: scatters tensor<3xf16> into tensor<5xf32>
func.func @f(%t: tensor<5xf32>, %i: tensor<3xi64>, %u: tensor<3xf16>) {
  %g = mlc_tensor.scatter add %t[%i], %u : tensor<5xf32>, (tensor<3xi64>), tensor<3xf16>
  func.return
}

// -----

// CHECK: error: mlc_tensor.scatter: add has no meaning for elements of type i1
func.func @f(%t: tensor<5xi1>, %i: tensor<3xi64>, %u: tensor<3xi1>) {
  %g = mlc_tensor.scatter add %t[%i], %u : tensor<5xi1>, (tensor<3xi64>), tensor<3xi1>
  func.return
}
