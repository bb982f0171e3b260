// RUN: mlc-opt %s -p library-calls{fast-math=true} | filecheck %s

// Attention as a call of PyTorch's.

// [batch, heads, rows, columns] already; the result lies as fused kernels write it.
// CHECK-LABEL: func.func @call_attention(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xbf16>
// CHECK-NEXT:  }
func.func @call_attention(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// One batch dimension is the heads'.
// CHECK-LABEL: func.func @call_attention_causal(%q: tensor<3x4x16xf16>, %k: tensor<3x6x16xf16>, %v: tensor<3x6x16xf16>) -> tensor<3x4x16xf16> {
// CHECK-NEXT:    %r = mlc_tensor.reshape %q : tensor<3x4x16xf16> -> tensor<1x3x4x16xf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.reshape %k : tensor<3x6x16xf16> -> tensor<1x3x6x16xf16>
// CHECK-NEXT:    %r_2 = mlc_tensor.reshape %v : tensor<3x6x16xf16> -> tensor<1x3x6x16xf16>
// CHECK-NEXT:    %r_3 = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%r, %r_1, %r_2) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, true] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<1x3x4x16xf16>, tensor<1x3x6x16xf16>, tensor<1x3x6x16xf16>) -> (tensor<1x3x4x16xf16>)
// CHECK-NEXT:    %r_4 = mlc_tensor.reshape %r_3 : tensor<1x3x4x16xf16> -> tensor<3x4x16xf16>
// CHECK-NEXT:    func.return %r_4 : tensor<3x4x16xf16>
// CHECK-NEXT:  }
func.func @call_attention_causal(%q: tensor<3x4x16xf16>, %k: tensor<3x6x16xf16>, %v: tensor<3x6x16xf16>) -> tensor<3x4x16xf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64, causal = 1} : (tensor<3x4x16xf16>, tensor<3x6x16xf16>, tensor<3x6x16xf16>) -> (tensor<3x4x16xf16>)
  func.return %r : tensor<3x4x16xf16>
}

// A row that the mask hides is NaN here and 0 there.
// CHECK-LABEL: func.func @call_masked_attention(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<4x6xi1>) -> tensor<2x3x4x16xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.constant 0xff80 : tensor<4x6xbf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.constant 0.000000e+00 : tensor<4x6xbf16>
// CHECK-NEXT:    %r_2 = mlc_tensor.select %m, %r, %r_1 : tensor<4x6xbf16>
// CHECK-NEXT:    %r_3 = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %r_2) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xbf16>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    func.return %r_3 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:  }
func.func @call_masked_attention(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<4x6xi1>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hides = 1, scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// float32 products may be split into shorter ones there.
// CHECK-LABEL: func.func @call_masked_attention_float32(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x16xf32>, %m: tensor<4x6xf32>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %m) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "16", "48", "1"{{\]\]}}} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>, tensor<4x6xf32>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xf32>
// CHECK-NEXT:  }
func.func @call_masked_attention_float32(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x16xf32>, %m: tensor<4x6xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>, tensor<4x6xf32>) -> (tensor<2x3x4x16xf32>)
  func.return %r : tensor<2x3x4x16xf32>
}

// No library op caps scores.
// CHECK-LABEL: func.func @keeps_soft_cap(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xbf16>
// CHECK-NEXT:  }
func.func @keeps_soft_cap(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64, softcap = 3.0e+01 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Fused kernels take heads of a multiple of 8 elements.
// CHECK-LABEL: func.func @keeps_odd_heads(%q: tensor<2x3x4x10xbf16>, %k: tensor<2x3x6x10xbf16>, %v: tensor<2x3x6x10xbf16>) -> tensor<2x3x4x10xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x10xbf16>, tensor<2x3x6x10xbf16>, tensor<2x3x6x10xbf16>) -> (tensor<2x3x4x10xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x10xbf16>
// CHECK-NEXT:  }
func.func @keeps_odd_heads(%q: tensor<2x3x4x10xbf16>, %k: tensor<2x3x6x10xbf16>, %v: tensor<2x3x6x10xbf16>) -> tensor<2x3x4x10xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x10xbf16>, tensor<2x3x6x10xbf16>, tensor<2x3x6x10xbf16>) -> (tensor<2x3x4x10xbf16>)
  func.return %r : tensor<2x3x4x10xbf16>
}

// They take no float64.
// CHECK-LABEL: func.func @keeps_float64(%q: tensor<2x3x4x16xf64>, %k: tensor<2x3x6x16xf64>, %v: tensor<2x3x6x16xf64>) -> tensor<2x3x4x16xf64> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xf64>, tensor<2x3x6x16xf64>, tensor<2x3x6x16xf64>) -> (tensor<2x3x4x16xf64>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xf64>
// CHECK-NEXT:  }
func.func @keeps_float64(%q: tensor<2x3x4x16xf64>, %k: tensor<2x3x6x16xf64>, %v: tensor<2x3x6x16xf64>) -> tensor<2x3x4x16xf64> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xf64>, tensor<2x3x6x16xf64>, tensor<2x3x6x16xf64>) -> (tensor<2x3x4x16xf64>)
  func.return %r : tensor<2x3x4x16xf64>
}
