// RUN: mlc-opt %s -p layout,canonicalize,dce,freeze | filecheck %s

// A frozen weight is converted in the function that runs once; the program takes it as it needs it.
// CHECK-LABEL: func.func @converts_once(%x: tensor<2x16x8x8xbf16>, %0: tensor<32x3x3x16xbf16>) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %1 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%1, %0) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 24.6 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %y_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
// CHECK-LABEL: func.func @converts_once_weights(%w: tensor<32x16x3x3xbf16>) -> (tensor<32x3x3x16xbf16>) {
// CHECK-NEXT:    %0 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    func.return %0 : tensor<32x3x3x16xbf16>
// CHECK-NEXT:  }
func.func @converts_once(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  func.return %y : tensor<2x32x8x8xbf16>
}
