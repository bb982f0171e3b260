// RUN: mlc-opt %s -p library-calls | filecheck %s

// Attention under a mask, of rows too few for a kernel of ours.

// Keys are in the shape of the mask when it is asked whether all are hidden.
// CHECK-LABEL: func.func @call_attention_of_few_rows(
// CHECK-NEXT:    %r = mlc_tensor.reduce and %m dims [3] : tensor<2x1x1x6xi1> -> tensor<2x1x1x1xi1>
// CHECK-NEXT:    %r_1 = mlc_tensor.broadcast %r : tensor<2x1x1x1xi1> -> tensor<2x3x4x16xi1>
// CHECK-NEXT:    %r_2 = mlc_tensor.constant 0x7fc0 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:    %r_3 = mlc_tensor.constant 0xff80 : tensor<2x1x1x6xbf16>
// CHECK-NEXT:    %r_4 = mlc_tensor.constant 0.000000e+00 : tensor<2x1x1x6xbf16>
// CHECK-NEXT:    %r_5 = mlc_tensor.select %m, %r_3, %r_4 : tensor<2x1x1x6xbf16>
// CHECK-NEXT:    %r_6 = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %r_5) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x1x1x6xbf16>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    %r_7 = mlc_tensor.select %r_1, %r_2, %r_6 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:    func.return %r_7 : tensor<2x3x4x16xbf16>
func.func @call_attention_of_few_rows(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<2x1x1x6xi1>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hides = 1, scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x1x1x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// A mask that says what is kept, of one batch: kernels take two dimensions or four.
// CHECK-LABEL: func.func @call_attention_of_few_rows_kept(
// CHECK-NEXT:    %r = mlc_tensor.reduce or %m dims [2] : tensor<3x1x6xi1> -> tensor<3x1x1xi1>
// CHECK-NEXT:    %r_1 = mlc_tensor.not %r : tensor<3x1x1xi1>
// CHECK-NEXT:    %r_2 = mlc_tensor.broadcast %r_1 : tensor<3x1x1xi1> -> tensor<2x3x4x16xi1>
// CHECK-NEXT:    %r_3 = mlc_tensor.constant 0x7fc0 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:    %r_4 = mlc_tensor.reshape %m : tensor<3x1x6xi1> -> tensor<1x3x1x6xi1>
// CHECK-NEXT:    %r_5 = mlc_tensor.constant 0.000000e+00 : tensor<1x3x1x6xbf16>
// CHECK-NEXT:    %r_6 = mlc_tensor.constant 0xff80 : tensor<1x3x1x6xbf16>
// CHECK-NEXT:    %r_7 = mlc_tensor.select %r_4, %r_5, %r_6 : tensor<1x3x1x6xbf16>
// CHECK-NEXT:    %r_8 = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %r_7) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<1x3x1x6xbf16>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    %r_9 = mlc_tensor.select %r_2, %r_3, %r_8 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:    func.return %r_9 : tensor<2x3x4x16xbf16>
func.func @call_attention_of_few_rows_kept(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<3x1x6xi1>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<3x1x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// What is added; the lowest numbers of bfloat16 hide nothing where there is nothing else.
// CHECK-LABEL: func.func @call_attention_of_few_rows_added(
// CHECK-NEXT:    %r = mlc_tensor.constant 0xff80 : tensor<4x6xbf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.eq %m, %r : tensor<4x6xbf16>
// CHECK-NEXT:    %r_2 = mlc_tensor.constant -8.507060e+37 : tensor<4x6xbf16>
// CHECK-NEXT:    %r_3 = mlc_tensor.maximum %m, %r_2 : tensor<4x6xbf16>
// CHECK-NEXT:    %r_4 = mlc_tensor.select %r_1, %r, %r_3 : tensor<4x6xbf16>
// CHECK-NEXT:    %r_5 = mlc_tensor.reduce max %r_4 dims [1] : tensor<4x6xbf16> -> tensor<4x1xbf16>
// CHECK-NEXT:    %r_6 = mlc_tensor.constant 0xff80 : tensor<4x1xbf16>
// CHECK-NEXT:    %r_7 = mlc_tensor.eq %r_5, %r_6 : tensor<4x1xbf16>
// CHECK-NEXT:    %r_8 = mlc_tensor.broadcast %r_7 : tensor<4x1xi1> -> tensor<2x3x4x16xi1>
// CHECK-NEXT:    %r_9 = mlc_tensor.constant 0x7fc0 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:    %r_10 = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %r_4) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xbf16>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    %r_11 = mlc_tensor.select %r_8, %r_9, %r_10 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:    func.return %r_11 : tensor<2x3x4x16xbf16>
func.func @call_attention_of_few_rows_added(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<4x6xbf16>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xbf16>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Those of float16 are not so low. Numbers that were widened are as they were.
// CHECK-LABEL: func.func @call_attention_of_few_rows_widened(
// CHECK-NEXT:    %r = mlc_tensor.reduce max %m dims [1] : tensor<4x6xf16> -> tensor<4x1xf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.constant 0xfc00 : tensor<4x1xf16>
// CHECK-NEXT:    %r_2 = mlc_tensor.eq %r, %r_1 : tensor<4x1xf16>
// CHECK-NEXT:    %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x1xi1> -> tensor<2x3x4x16xi1>
// CHECK-NEXT:    %r_4 = mlc_tensor.constant 0x7e00 : tensor<2x3x4x16xf16>
// CHECK-NEXT:    %r_5 = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v, %m) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, #mlc_tensor.operand<"3">, 0.000000e+00 : f64, false] kwargs {scale = 2.500000e-01 : f64} {mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}} : (tensor<2x3x4x16xf16>, tensor<2x3x6x16xf16>, tensor<2x3x6x16xf16>, tensor<4x6xf16>) -> (tensor<2x3x4x16xf16>)
// CHECK-NEXT:    %r_6 = mlc_tensor.select %r_3, %r_4, %r_5 : tensor<2x3x4x16xf16>
// CHECK-NEXT:    func.return %r_6 : tensor<2x3x4x16xf16>
func.func @call_attention_of_few_rows_widened(%q: tensor<2x3x4x16xf16>, %k: tensor<2x3x6x16xf16>, %v: tensor<2x3x6x16xf16>, %m: tensor<4x6xf16>) -> tensor<2x3x4x16xf16> {
  %w = mlc_tensor.cast %m : tensor<4x6xf16> -> tensor<4x6xf32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %w) {scale = 0.25 : f64} : (tensor<2x3x4x16xf16>, tensor<2x3x6x16xf16>, tensor<2x3x6x16xf16>, tensor<4x6xf32>) -> (tensor<2x3x4x16xf16>)
  func.return %r : tensor<2x3x4x16xf16>
}

// More digits than the operands have.
// CHECK-LABEL: func.func @keeps_wide_numbers(
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xf32>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xbf16>
func.func @keeps_wide_numbers(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<4x6xf32>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xf32>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// float32 products may be split into shorter ones.
// CHECK-LABEL: func.func @keeps_few_rows_of_float32(
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>, tensor<4x6xi1>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xf32>
func.func @keeps_few_rows_of_float32(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x16xf32>, %m: tensor<4x6xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>, tensor<4x6xi1>) -> (tensor<2x3x4x16xf32>)
  func.return %r : tensor<2x3x4x16xf32>
}

// A kernel of ours takes as many rows.
// CHECK-LABEL: func.func @keeps_more_rows(
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} : (tensor<2x3x16x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<16x6xi1>) -> (tensor<2x3x16x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x16x16xbf16>
func.func @keeps_more_rows(%q: tensor<2x3x16x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<16x6xi1>) -> tensor<2x3x16x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x3x16x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<16x6xi1>) -> (tensor<2x3x16x16xbf16>)
  func.return %r : tensor<2x3x16x16xbf16>
}

// Another number than -inf hides.
// CHECK-LABEL: func.func @keeps_hidden_by_number(
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hidden = -1.000000e+04 : f64, scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xi1>) -> (tensor<2x3x4x16xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xbf16>
func.func @keeps_hidden_by_number(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<4x6xi1>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hidden = -1.0e+04 : f64, scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}
