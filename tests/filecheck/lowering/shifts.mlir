// RUN: mlc-opt %s -p fuse,tensor-to-loop --split-input-file | filecheck %s

// A shift by a number of bits that the type has needs no check.
// CHECK-LABEL: mlc_loop.kernel @shr(
// CHECK-NOT: arith.cmpi
// CHECK: %[[BITS:[a-z]+]] = arith.constant 31 : i32
// CHECK-NOT: arith.cmpi
// CHECK: arith.shrsi %{{[a-z_0-9]+}}, %[[BITS]] : i32
// CHECK-NOT: arith.cmpi
// CHECK-LABEL: func.func @known_bits(
func.func @known_bits(%x: tensor<8xi32>) -> tensor<8xi32> {
  %c = mlc_tensor.constant 31 : tensor<8xi32>
  %r = mlc_tensor.shr %x, %c : tensor<8xi32>
  func.return %r : tensor<8xi32>
}

// -----

// Beyond that hardware does what it likes: 32 and -1 are compared.
// CHECK-LABEL: mlc_loop.kernel @shl(
// CHECK: arith.cmpi
func.func @too_many_bits(%x: tensor<8xi32>) -> tensor<8xi32> {
  %c = mlc_tensor.constant 32 : tensor<8xi32>
  %r = mlc_tensor.shl %x, %c : tensor<8xi32>
  func.return %r : tensor<8xi32>
}

// -----

// CHECK-LABEL: mlc_loop.kernel @shr(
// CHECK: arith.cmpi
func.func @negative_bits(%x: tensor<8xi32>) -> tensor<8xi32> {
  %c = mlc_tensor.constant -1 : tensor<8xi32>
  %r = mlc_tensor.shr %x, %c : tensor<8xi32>
  func.return %r : tensor<8xi32>
}
