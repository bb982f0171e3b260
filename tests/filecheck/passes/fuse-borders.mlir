// RUN: mlc-opt %s -p fuse | filecheck %s
// RUN: mlc-opt %s -p 'fuse{policy=xla}' | filecheck %s
// RUN: mlc-opt %s -p 'fuse{policy=tvm}' | filecheck %s
// RUN: mlc-opt %s -p 'fuse{policy=inductor}' | filecheck %s

// What the policies count may be nothing at all.

// A kernel of no elements takes no time, and is one block.
// CHECK-LABEL: @no_elements(
// CHECK-NEXT:    mlc_tensor.fusion
// CHECK:           mlc_tensor.abs
// CHECK:           mlc_tensor.neg
func.func @no_elements(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %a = mlc_tensor.abs %x : tensor<0x3xf32>
  %b = mlc_tensor.neg %a : tensor<0x3xf32>
  func.return %b : tensor<0x3xf32>
}

// Nor is a reduction to no elements cut into parts.
// CHECK-LABEL: @no_rows(
// CHECK:         mlc_tensor.reduce add
func.func @no_rows(%x: tensor<0x40xf32>) -> tensor<0x1xf32> {
  %a = mlc_tensor.reduce add %x dims [1] : tensor<0x40xf32> -> tensor<0x1xf32>
  func.return %a : tensor<0x1xf32>
}

// What nobody reads has no use for a copy of a value that it shares with others.
// CHECK-LABEL: @nobody_reads(
// CHECK:         func.return %x
func.func @nobody_reads(%x: tensor<4xi64>, %i: tensor<i64>, %u: tensor<i64>) -> tensor<4xi64> {
  %a = mlc_tensor.abs %x : tensor<4xi64>
  %s = mlc_tensor.scan add %a dim 0 : tensor<4xi64> -> tensor<4xi64>
  %c = mlc_tensor.scatter max %a[%i], %u : tensor<4xi64>, (tensor<i64>), tensor<i64>
  func.return %x : tensor<4xi64>
}
