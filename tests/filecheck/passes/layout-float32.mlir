// RUN: mlc-opt %s -p layout,canonicalize,dce | filecheck %s

// PyTorch may not round to TF32.
// CHECK-LABEL: func.func @float32(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_first = "1 convolution saves conversions worth 0 B of copies, 49.2 kB at the boundary"} : (tensor<2x16x8x8xf32>, tensor<32x16x3x3xf32>) -> (tensor<2x32x8x8xf32>)
// CHECK-NEXT:    func.return %y : tensor<2x32x8x8xf32>
func.func @float32(%x: tensor<2x16x8x8xf32>, %w: tensor<32x16x3x3xf32> {mlc.frozen}) -> tensor<2x32x8x8xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xf32>, tensor<32x16x3x3xf32>) -> (tensor<2x32x8x8xf32>)
  func.return %y : tensor<2x32x8x8xf32>
}
