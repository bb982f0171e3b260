// RUN: mlc-opt %s -p 'library-calls{generated=true}' | filecheck %s

// Attention that kernels of ours compute is no call.

// No kernel of ours has blocks for four rows: the library computes it.
// CHECK-LABEL: func.func @call_attention_without_blocks(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xbf16>
// CHECK-NEXT:  }
func.func @call_attention_without_blocks(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Here one has: fuse-products makes it.
// CHECK-LABEL: func.func @keeps_attention_with_blocks(%q: tensor<2x3x16x16xbf16>, %k: tensor<2x3x32x16xbf16>, %v: tensor<2x3x32x16xbf16>) -> tensor<2x3x16x16xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x3x16x16xbf16>, tensor<2x3x32x16xbf16>, tensor<2x3x32x16xbf16>) -> (tensor<2x3x16x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x16x16xbf16>
// CHECK-NEXT:  }
func.func @keeps_attention_with_blocks(%q: tensor<2x3x16x16xbf16>, %k: tensor<2x3x32x16xbf16>, %v: tensor<2x3x32x16xbf16>) -> tensor<2x3x16x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x16x16xbf16>, tensor<2x3x32x16xbf16>, tensor<2x3x32x16xbf16>) -> (tensor<2x3x16x16xbf16>)
  func.return %r : tensor<2x3x16x16xbf16>
}

// A layer norm has three operands as well.
// CHECK-LABEL: func.func @keeps_what_is_no_attention(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>, %b: tensor<8xbf16>) -> tensor<4x8xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.layer_norm(%x, %w, %b) {dims = [1 : i64], eps = 1.000000e-05 : f64} : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>)
// CHECK-NEXT:    func.return %r : tensor<4x8xbf16>
// CHECK-NEXT:  }
func.func @keeps_what_is_no_attention(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>, %b: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %r = mlc_tensor.layer_norm(%x, %w, %b) {dims = [1], eps = 1.0e-05 : f64} : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>)
  func.return %r : tensor<4x8xbf16>
}
