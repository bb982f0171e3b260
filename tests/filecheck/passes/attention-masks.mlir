// RUN: mlc-opt %s -p attention-masks,dce | filecheck %s

// Masks of PyTorch's fused attention that need not be.

// No token is padding: the result alone is read, and PyTorch chooses a kernel again.
// CHECK-LABEL: func.func @zeros(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @zeros(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure {mlc.strides = [["512", "16", "64", "1"], unit, unit, unit]} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// What comes later is hidden.
// CHECK-LABEL: func.func @causal(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, true] {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @causal(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %inf = mlc_tensor.constant 0xff80 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %inf : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// The same said of what is hidden.
// CHECK-LABEL: func.func @causal_the_other_way(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, true] {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @causal_the_other_way(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.lt %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %inf = mlc_tensor.constant 0xff80 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %inf, %zero : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// A backward pass reads what this kernel leaves for it: the kernel stays.
// CHECK-LABEL: func.func @kept_for_backward(
// CHECK-NEXT:    %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, true] kwargs {is_causal = true} impure {mlc.strides = {{\[\[}}"512", "16", "64", "1"], unit, unit, unit], mlc.operand_strides = {{\[\[}}"512", "16", "64", "1"], unit, unit]} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
// CHECK-NEXT:    func.return %r, %l : tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>
func.func @kept_for_backward(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>) {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %inf = mlc_tensor.constant 0xff80 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %inf : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, true] impure {mlc.strides = [["512", "16", "64", "1"], unit, unit, unit], mlc.operand_strides = [["512", "16", "64", "1"], unit, unit, ["64", "0", "8", "1"]]} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r, %l : tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>
}

// Dropout draws the numbers of this kernel.
// CHECK-LABEL: func.func @dropout(
// CHECK-NEXT:    %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, false, 1.000000e-01 : f64, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @dropout(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false, 1.000000e-01 : f64] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// So it does where PyTorch picks the kernel: the call stays impure.
// CHECK-LABEL: func.func @dropout_picked(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 1.000000e-01 : f64, false] kwargs {scale = 2.500000e-01 : f64} impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @dropout_picked(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xbf16>
  %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 1.000000e-01 : f64, false] kwargs {scale = 2.500000e-01 : f64} impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// The backward pass, which has no mask either.
// CHECK-LABEL: func.func @backward(
// CHECK-NEXT:    %r, %dk, %dv, %db = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention_backward.default"(%g, %q, %k, %v, %out, %l, %s, %o) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, unit, #mlc_tensor.operand<"4">, #mlc_tensor.operand<"5">, #mlc_tensor.operand<"6">, #mlc_tensor.operand<"7">, 0.000000e+00 : f64, [true, true, true, false], true] : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, none)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @backward(%g: tensor<2x4x8x16xbf16>, %q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %out: tensor<2x4x8x16xbf16>, %l: tensor<2x4x32xf32>, %s: tensor<i64>, %o: tensor<i64>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %inf = mlc_tensor.constant 0xff80 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %inf : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %dk, %dv, %db = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention_backward.default"(%g, %q, %k, %v, %mask, %out, %l, %s, %o) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, #mlc_tensor.operand<"4">, #mlc_tensor.operand<"5">, #mlc_tensor.operand<"6">, #mlc_tensor.operand<"7">, #mlc_tensor.operand<"8">, 0.000000e+00 : f64, [true, true, true, false]] : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, none)
  func.return %r : tensor<2x4x8x16xbf16>
}

// Causal as well: the mask adds nothing.
// CHECK-LABEL: func.func @cudnn_backward(
// CHECK-NEXT:    %r, %dk, %dv = mlc_tensor.extern "aten._scaled_dot_product_cudnn_attention_backward.default"(%g, %q, %k, %v, %out, %l, %s, %o) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, #mlc_tensor.operand<"4">, #mlc_tensor.operand<"5">, #mlc_tensor.operand<"6">, #mlc_tensor.operand<"7">, unit, unit, unit, 8 : i64, 8 : i64, 0.000000e+00 : f64, true] kwargs {scale = 2.500000e-01 : f64} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @cudnn_backward(%g: tensor<2x4x8x16xbf16>, %q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %out: tensor<2x4x8x16xbf16>, %l: tensor<2x4x32xf32>, %s: tensor<i64>, %o: tensor<i64>) -> tensor<2x4x8x16xbf16> {
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xbf16>
  %r, %dk, %dv = mlc_tensor.extern "aten._scaled_dot_product_cudnn_attention_backward.default"(%g, %q, %k, %v, %out, %l, %s, %o, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, #mlc_tensor.operand<"4">, #mlc_tensor.operand<"5">, #mlc_tensor.operand<"6">, #mlc_tensor.operand<"7">, #mlc_tensor.operand<"8">, unit, unit, 8, 8, 0.000000e+00 : f64, true] kwargs {scale = 2.500000e-01 : f64} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// The kernel of the CPU takes the mask by name.
// CHECK-LABEL: func.func @cpu(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @cpu(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xbf16>
  %r, %l = mlc_tensor.extern "aten._scaled_dot_product_flash_attention_for_cpu.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">] kwargs {attn_mask = #mlc_tensor.operand<"3">, scale = 2.500000e-01 : f64} impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// Heads of keys that count for several of the queries' are not written again.
// CHECK-LABEL: func.func @grouped(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k0, %v0) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] kwargs {enable_gqa = true} {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8x16xbf16>
func.func @grouped(%q: tensor<2x4x8x16xbf16>, %k0: tensor<2x2x8x16xbf16>, %v0: tensor<2x2x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %k1 = mlc_tensor.reshape %k0 : tensor<2x2x8x16xbf16> -> tensor<2x2x1x8x16xbf16>
  %k2 = mlc_tensor.broadcast %k1 : tensor<2x2x1x8x16xbf16> -> tensor<2x2x2x8x16xbf16>
  %k = mlc_tensor.reshape %k2 : tensor<2x2x2x8x16xbf16> -> tensor<2x4x8x16xbf16>
  %v1 = mlc_tensor.reshape %v0 : tensor<2x2x8x16xbf16> -> tensor<2x2x1x8x16xbf16>
  %v2 = mlc_tensor.broadcast %v1 : tensor<2x2x1x8x16xbf16> -> tensor<2x2x2x8x16xbf16>
  %v = mlc_tensor.reshape %v2 : tensor<2x2x2x8x16xbf16> -> tensor<2x4x8x16xbf16>
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// No kernel for float32 takes them so.
// CHECK-LABEL: func.func @grouped_float32(
// CHECK:         %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] {mlc.strides = {{\[\[}}"512", "16", "64", "1"{{\]\]}}} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>)
func.func @grouped_float32(%q: tensor<2x4x8x16xf32>, %k0: tensor<2x2x8x16xf32>, %v0: tensor<2x2x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %k1 = mlc_tensor.reshape %k0 : tensor<2x2x8x16xf32> -> tensor<2x2x1x8x16xf32>
  %k2 = mlc_tensor.broadcast %k1 : tensor<2x2x1x8x16xf32> -> tensor<2x2x2x8x16xf32>
  %k = mlc_tensor.reshape %k2 : tensor<2x2x2x8x16xf32> -> tensor<2x4x8x16xf32>
  %v1 = mlc_tensor.reshape %v0 : tensor<2x2x8x16xf32> -> tensor<2x2x1x8x16xf32>
  %v2 = mlc_tensor.broadcast %v1 : tensor<2x2x1x8x16xf32> -> tensor<2x2x2x8x16xf32>
  %v = mlc_tensor.reshape %v2 : tensor<2x2x2x8x16xf32> -> tensor<2x4x8x16xf32>
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xf32>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xf32>
}

// Heads 0, 1, 0, 1 are not 0, 0, 1, 1.
// CHECK-LABEL: func.func @repeated_in_another_order(
// CHECK:         %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false] {mlc.strides = {{\[\[}}"512", "128", "16", "1"{{\]\]}}} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>)
func.func @repeated_in_another_order(%q: tensor<2x4x8x16xbf16>, %k0: tensor<2x2x8x16xbf16>, %v0: tensor<2x2x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %k1 = mlc_tensor.reshape %k0 : tensor<2x2x8x16xbf16> -> tensor<2x1x2x8x16xbf16>
  %k2 = mlc_tensor.broadcast %k1 : tensor<2x1x2x8x16xbf16> -> tensor<2x2x2x8x16xbf16>
  %k = mlc_tensor.reshape %k2 : tensor<2x2x2x8x16xbf16> -> tensor<2x4x8x16xbf16>
  %v1 = mlc_tensor.reshape %v0 : tensor<2x2x8x16xbf16> -> tensor<2x1x2x8x16xbf16>
  %v2 = mlc_tensor.broadcast %v1 : tensor<2x1x2x8x16xbf16> -> tensor<2x2x2x8x16xbf16>
  %v = mlc_tensor.reshape %v2 : tensor<2x2x2x8x16xbf16> -> tensor<2x4x8x16xbf16>
  %mask = mlc_tensor.constant 0.0 : tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// What the caller gives may hide anything.
// CHECK-LABEL: func.func @given(
// CHECK:         %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
func.func @given(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %mask: tensor<2x4x8x8xbf16>) -> tensor<2x4x8x16xbf16> {
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// The next key is seen as well.
// CHECK-LABEL: func.func @window(
// CHECK:         %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
func.func @window(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %one = mlc_tensor.constant 1 : tensor<8x8xi64>
  %next = mlc_tensor.add %i, %one : tensor<8x8xi64>
  %kept = mlc_tensor.ge %next, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %inf = mlc_tensor.constant 0xff80 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %inf : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// A large number hides less than -inf where all is hidden.
// CHECK-LABEL: func.func @finite(
// CHECK:         %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
func.func @finite(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %inf = mlc_tensor.constant -1.0e+04 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %inf : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// What comes earlier is hidden.
// CHECK-LABEL: func.func @earlier(
// CHECK:         %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
func.func @earlier(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.le %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %inf = mlc_tensor.constant 0xff80 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %inf : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// Ones change nothing either, but that is not told here.
// CHECK-LABEL: func.func @ones(
// CHECK:         %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
func.func @ones(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %mask = mlc_tensor.constant 1.0 : tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// With fewer queries than keys kernels do not agree which corner counts.
// CHECK-LABEL: func.func @fewer_queries(
// CHECK:         %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x5x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x5x8xbf16>) -> (tensor<2x4x5x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
func.func @fewer_queries(%q: tensor<2x4x5x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x5x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<5x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<5x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<5x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<5x8xbf16>
  %inf = mlc_tensor.constant 0xff80 : tensor<5x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %inf : tensor<5x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<5x8xbf16> -> tensor<2x4x5x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x5x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x5x8xbf16>) -> (tensor<2x4x5x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x5x16xbf16>
}

// PyTorch's number for -inf where cuDNN is given booleans: -65504, which bfloat16 rounds to -65536.
// CHECK-LABEL: func.func @cudnn(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, true]
func.func @cudnn(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %low = mlc_tensor.constant -65536.0 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %low : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %c, %d, %m, %n, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_cudnn_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// Elsewhere it is a number like others.
// CHECK-LABEL: func.func @a_number(
// CHECK:         "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask)
func.func @a_number(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %zero = mlc_tensor.constant 0.0 : tensor<8x8xbf16>
  %low = mlc_tensor.constant -65536.0 : tensor<8x8xbf16>
  %where = mlc_tensor.select %kept, %zero, %low : tensor<8x8xbf16>
  %mask = mlc_tensor.broadcast %where : tensor<8x8xbf16> -> tensor<2x4x8x8xbf16>
  %r, %l, %s, %o = mlc_tensor.extern "aten._scaled_dot_product_efficient_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, false] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x8xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x32xf32>, tensor<i64>, tensor<i64>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// Attention that was recomposed has a mask of booleans, which are true where a score is kept.
// CHECK-LABEL: func.func @booleans(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, true] kwargs {scale = 2.500000e-01 : f64}
// CHECK-NEXT:    %t = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 0.000000e+00 : f64, false]
func.func @booleans(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %all = mlc_tensor.constant true : tensor<8x8xi1>
  %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %kept) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.0 : f64, false] kwargs {scale = 0.25 : f64} : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xi1>) -> (tensor<2x4x8x16xf32>)
  %t = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %all) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.0 : f64, false] : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xi1>) -> (tensor<2x4x8x16xf32>)
  func.return %r, %t : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>
}

// Booleans as numbers are added: a score more by 1 is no score kept.
// CHECK-LABEL: func.func @added_booleans(
// CHECK:         "aten.scaled_dot_product_attention.default"(%q, %k, %v, %mask)
func.func @added_booleans(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %kept = mlc_tensor.ge %i, %j : tensor<8x8xi64>
  %mask = mlc_tensor.cast %kept : tensor<8x8xi1> -> tensor<8x8xf32>
  %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %mask) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.0 : f64, false] : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>)
  func.return %r : tensor<2x4x8x16xf32>
}

// Without a mask, too, PyTorch chooses again, and takes what it is given as it lies: the graph's kernel was picked for
// a copy of the query.
// CHECK-LABEL: func.func @no_mask(
// CHECK:         %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%p, %k, %v) {{.*}}true] kwargs {scale = 1.000000e+00 : f64} {mlc.strides = {{\[\[}}"512", "16", "64", "1"{{\]\]}}}
func.func @no_mask(%q: tensor<2x8x4x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %p = mlc_tensor.permute %q [0, 2, 1, 3] : tensor<2x8x4x16xbf16> -> tensor<2x4x8x16xbf16>
  %r, %l = mlc_tensor.extern "aten._scaled_dot_product_flash_attention.default"(%p, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, 0.0 : f64, true] kwargs {scale = 1.0 : f64} {mlc.operand_strides = [["512", "128", "16", "1"], ["512", "128", "16", "1"], ["512", "128", "16", "1"]]} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// A backward pass wants what this kernel keeps for it.
// CHECK-LABEL: func.func @no_mask_kept(
// CHECK:         "aten._scaled_dot_product_flash_attention.default"(%q, %k, %v)
func.func @no_mask_kept(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>) {
  %r, %l = mlc_tensor.extern "aten._scaled_dot_product_flash_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">] : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  func.return %r, %l : tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>
}

// Nor does what drops weights change.
// CHECK-LABEL: func.func @no_mask_dropped(
// CHECK:         "aten._scaled_dot_product_flash_attention.default"(%q, %k, %v)
func.func @no_mask_dropped(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %r, %l = mlc_tensor.extern "aten._scaled_dot_product_flash_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, 0.1 : f64] impure : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> (tensor<2x4x8x16xbf16>, tensor<2x4x8xf32>)
  func.return %r : tensor<2x4x8x16xbf16>
}
