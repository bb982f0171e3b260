// RUN: mlc-opt %s -p fuse,tensor-to-loop | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop,linearize-axes,schedule --verify-semantics

// What is made of a constant that lies in memory, since it is returned, is computed by the kernel that fills
// the buffer for the scatter.
// CHECK-LABEL: mlc_loop.kernel @constant(
// CHECK-LABEL: mlc_loop.kernel @neg(
// CHECK:         mlc_loop.load %two
// CHECK:         arith.subi
// CHECK-LABEL: mlc_loop.kernel @neg_scatter(
// CHECK:         mlc_loop.atomic add
func.func @main(%u: tensor<4xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %two = mlc_tensor.constant 2 : tensor<8xi32>
  %into = mlc_tensor.neg %two : tensor<8xi32>
  %i = mlc_tensor.iota dim 0 : tensor<4xi64>
  %s = mlc_tensor.scatter add %into[%i], %u : tensor<8xi32>, (tensor<4xi64>), tensor<4xi32>
  func.return %two, %s : tensor<8xi32>, tensor<8xi32>
}
