// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s

// A size that a call tells is known behind it: no view and no kernel that names it stands before.
// CHECK-LABEL: @view(
// CHECK:         mlc_tensor.extern "aten._local_scalar_dense.default"
// CHECK-NEXT:    mlc_tensor.slice %x [u0, 0]
func.func @view(%x: tensor<9x4xf32>, %n: tensor<i64>) -> tensor<4x4xf32> {
  %k = mlc_tensor.extern "aten._local_scalar_dense.default"(%n) {mlc.symbols = ["u0"]} : (tensor<i64>) -> (index)
  %s = mlc_tensor.slice %x [u0, 0] step [1, 1] : tensor<9x4xf32> -> tensor<4x4xf32>
  func.return %s : tensor<4x4xf32>
}

// -----

// The kernel that reads the slice begins at u0 itself, though no shape of its own says so.
// CHECK-LABEL: @kernel(
// CHECK-NOT:     mlc_tensor.slice
// CHECK:         mlc_tensor.extern "aten._local_scalar_dense.default"
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.slice {{.*}} [u0, 0]
func.func @kernel(%x: tensor<9x4xf32>, %n: tensor<i64>) -> (tensor<9x4xf32>, tensor<4x4xf32>) {
  %e = mlc_tensor.exp %x : tensor<9x4xf32>
  %k = mlc_tensor.extern "aten._local_scalar_dense.default"(%n) {mlc.symbols = ["u0"]} : (tensor<i64>) -> (index)
  %s = mlc_tensor.slice %e [u0, 0] step [1, 1] : tensor<9x4xf32> -> tensor<4x4xf32>
  %t = mlc_tensor.tanh %s : tensor<4x4xf32>
  func.return %e, %t : tensor<9x4xf32>, tensor<4x4xf32>
}

// -----

// What is fused with work from before the call runs behind it.
// CHECK-LABEL: @sums(
// CHECK-NEXT:    mlc_tensor.extern "aten._local_scalar_dense.default"
// CHECK-NEXT:    mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
func.func @sums(%x: tensor<9x4xf32>, %n: tensor<i64>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  %e = mlc_tensor.exp %x : tensor<9x4xf32>
  %k = mlc_tensor.extern "aten._local_scalar_dense.default"(%n) {mlc.symbols = ["u0"]} : (tensor<i64>) -> (index)
  %u = mlc_tensor.size [u0] : tensor<i64>
  %f = mlc_tensor.cast %u : tensor<i64> -> tensor<f32>
  %b = mlc_tensor.broadcast %f : tensor<f32> -> tensor<9x4xf32>
  %t = mlc_tensor.mul %e, %b : tensor<9x4xf32>
  func.return %e, %t : tensor<9x4xf32>, tensor<9x4xf32>
}

// -----

// Where the call needs the one and the other needs the call, they are two kernels.
// CHECK-LABEL: @both_sides(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.exp
// CHECK:         mlc_tensor.extern "aten._local_scalar_dense.default"
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.slice {{.*}} [u0, 0]
func.func @both_sides(%x: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  %e = mlc_tensor.exp %x : tensor<9x4xf32>
  %k = mlc_tensor.extern "aten.count_nonzero.default"(%e) : (tensor<9x4xf32>) -> (tensor<i64>)
  %n = mlc_tensor.extern "aten._local_scalar_dense.default"(%k) {mlc.symbols = ["u0"]} : (tensor<i64>) -> (index)
  %s = mlc_tensor.slice %x [u0, 0] step [1, 1] : tensor<9x4xf32> -> tensor<1x4xf32>
  %b = mlc_tensor.broadcast %s : tensor<1x4xf32> -> tensor<9x4xf32>
  %t = mlc_tensor.mul %e, %b : tensor<9x4xf32>
  func.return %e, %t : tensor<9x4xf32>, tensor<9x4xf32>
}

// -----

// A call also tells a size by the shape of its result; one that an argument has is known from the start.
// CHECK-LABEL: @shapes(
// CHECK-NEXT:    mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<9x4xf32> -> tensor<?x4xf32, ["N", "4"]>
// CHECK:         mlc_tensor.extern "aten.nonzero.default"
// CHECK-NEXT:    mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<9x4xf32> -> tensor<?x4xf32, ["u0", "4"]>
func.func @shapes(%x: tensor<9x4xf32>, %y: tensor<?xf32, ["N"]>) -> (tensor<?x4xf32, ["u0", "4"]>, tensor<?x4xf32, ["N", "4"]>) {
  %i = mlc_tensor.extern "aten.nonzero.default"(%y) : (tensor<?xf32, ["N"]>) -> (tensor<?x1xi64, ["u0", "1"]>)
  %c = mlc_tensor.extern "aten.cos.default"(%y) : (tensor<?xf32, ["N"]>) -> (tensor<?xf32, ["N"]>)
  %s = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<9x4xf32> -> tensor<?x4xf32, ["u0", "4"]>
  %t = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<9x4xf32> -> tensor<?x4xf32, ["N", "4"]>
  func.return %s, %t : tensor<?x4xf32, ["u0", "4"]>, tensor<?x4xf32, ["N", "4"]>
}
