// RUN: mlc-opt %s -p library-calls,canonicalize | filecheck %s

// Attention that PyTorch took apart.

// PyTorch widened the operands, hid no row of NaN, and rounded the result: nothing but its own formula does.
// CHECK-LABEL: func.func @call_safe(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @call_safe(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw) {scale = 0.25 : f64, safe = 1} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %n : tensor<2x4x8x16xbf16>
}

// 0 and -inf are numbers of any float.
// CHECK-LABEL: func.func @call_safe_masked(
// CHECK-NEXT:    %zero = mlc_tensor.constant 0.000000e+00 : tensor<8x8xf32>
// CHECK-NEXT:    %inf = mlc_tensor.constant 0xff800000 : tensor<8x8xf32>
// CHECK-NEXT:    %w = mlc_tensor.select %m, %zero, %inf : tensor<8x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.cast %w : tensor<8x8xf32> -> tensor<8x8xbf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %r) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<8x8xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r_1 : tensor<2x4x8x16xbf16>
func.func @call_safe_masked(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %m: tensor<8x8xi1>) -> tensor<2x4x8x16xbf16> {
  %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xf32>
  %inf = mlc_tensor.constant 0xff800000 : tensor<8x8xf32>
  %w = mlc_tensor.select %m, %zero, %inf : tensor<8x8xf32>
  %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw, %w) {scale = 0.25 : f64, safe = 1} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>)
  %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %n : tensor<2x4x8x16xbf16>
}

// In float32 as it was called.
// CHECK-LABEL: func.func @call_safe_float32(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%qw, %kw, %vw, %m) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"512", "16", "64", "1"{{\]\]}}} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xf32>
func.func @call_safe_float32(%qw: tensor<2x4x8x16xf32>, %kw: tensor<2x4x8x16xf32>, %vw: tensor<2x4x8x16xf32>, %m: tensor<8x8xf32>) -> tensor<2x4x8x16xf32> {
  %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw, %m) {scale = 0.25 : f64, safe = 1} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>)
  func.return %r : tensor<2x4x8x16xf32>
}

// Who reads the result in float32 gets it in float32.
// CHECK-LABEL: func.func @call_safe_wide_result(
// CHECK-NEXT:    %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%qw, %kw, %vw) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"512", "16", "64", "1"{{\]\]}}} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xf32>
func.func @call_safe_wide_result(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xf32> {
  %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw) {scale = 0.25 : f64, safe = 1} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  func.return %r : tensor<2x4x8x16xf32>
}

// A mask of more digits than the operands have.
// CHECK-LABEL: func.func @keeps_wide_mask(
// CHECK-NEXT:    %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw, %m) {scale = 2.500000e-01 : f64, safe = 1 : i64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>)
// CHECK-NEXT:    %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
// CHECK-NEXT:    func.return %n : tensor<2x4x8x16xbf16>
func.func @keeps_wide_mask(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %m: tensor<8x8xf32>) -> tensor<2x4x8x16xbf16> {
  %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw, %m) {scale = 0.25 : f64, safe = 1} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>)
  %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %n : tensor<2x4x8x16xbf16>
}

// Widened by the program itself: it wants the digits.
// CHECK-LABEL: func.func @keeps_unsafe(
// CHECK-NEXT:    %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw) {scale = 2.500000e-01 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
// CHECK-NEXT:    %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
// CHECK-NEXT:    func.return %n : tensor<2x4x8x16xbf16>
func.func @keeps_unsafe(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw) {scale = 0.25 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
  %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %n : tensor<2x4x8x16xbf16>
}

// The numbers are drawn already.
// CHECK-LABEL: func.func @keeps_safe_dropout(
// CHECK-NEXT:    %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw, %d) {scale = 2.500000e-01 : f64, safe = 1 : i64, dropout = 2.000000e+00 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x8xi1>) -> (tensor<2x4x8x16xf32>)
// CHECK-NEXT:    %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
// CHECK-NEXT:    func.return %n : tensor<2x4x8x16xbf16>
func.func @keeps_safe_dropout(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %d: tensor<2x4x8x8xi1>) -> tensor<2x4x8x16xbf16> {
  %qw = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %kw = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %vw = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %r = mlc_tensor.scaled_dot_product_attention(%qw, %kw, %vw, %d) {scale = 0.25 : f64, safe = 1, dropout = 2.0 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x8xi1>) -> (tensor<2x4x8x16xf32>)
  %n = mlc_tensor.cast %r : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %n : tensor<2x4x8x16xbf16>
}
