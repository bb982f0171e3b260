// RUN: mlc-opt %s -p convolution-bias | filecheck %s

// Biases that a kernel adds on its way, and those that stay in the call.

// The kernel of what follows adds it.
// CHECK-LABEL: func.func @followed(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.strides = {{\[\[}}"288", "1", "48", "8"{{\]\]}}, mlc.operand_strides = {{\[\[}}"144", "1", "24", "4"], unit]} : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %b : tensor<8xbf16> -> tensor<8x1x1xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.broadcast %y_1 : tensor<8x1x1xbf16> -> tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %y_3 = mlc_tensor.add %y, %y_2 : tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y_3 : tensor<2x8x6x6xbf16>
// CHECK-NEXT:    func.return %r : tensor<2x8x6x6xbf16>
func.func @followed(%x: tensor<2x4x6x6xbf16>, %w: tensor<8x4x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<2x8x6x6xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] {mlc.strides = [["288", "1", "48", "8"]], mlc.operand_strides = [["144", "1", "24", "4"], unit, unit]} : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
  %r = mlc_tensor.sigmoid %y : tensor<2x8x6x6xbf16>
  func.return %r : tensor<2x8x6x6xbf16>
}

// In three dimensions.
// CHECK-LABEL: func.func @volume(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64, 1 : i64], [1 : i64, 1 : i64, 1 : i64], [1 : i64, 1 : i64, 1 : i64], false, [0 : i64, 0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x5x6x6xbf16>, tensor<8x4x3x3x3xbf16>) -> (tensor<2x8x5x6x6xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %b : tensor<8xbf16> -> tensor<8x1x1x1xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.broadcast %y_1 : tensor<8x1x1x1xbf16> -> tensor<2x8x5x6x6xbf16>
// CHECK-NEXT:    %y_3 = mlc_tensor.add %y, %y_2 : tensor<2x8x5x6x6xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y_3 : tensor<2x8x5x6x6xbf16>
// CHECK-NEXT:    func.return %r : tensor<2x8x5x6x6xbf16>
func.func @volume(%x: tensor<2x4x5x6x6xbf16>, %w: tensor<8x4x3x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<2x8x5x6x6xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1, 1], [1, 1, 1], [1, 1, 1], false, [0, 0, 0], 1] : (tensor<2x4x5x6x6xbf16>, tensor<8x4x3x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x5x6x6xbf16>)
  %r = mlc_tensor.sigmoid %y : tensor<2x8x5x6x6xbf16>
  func.return %r : tensor<2x8x5x6x6xbf16>
}

// In the other direction.
// CHECK-LABEL: func.func @transposed(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], true, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x6x6xbf16>, tensor<4x8x3x3xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %b : tensor<8xbf16> -> tensor<8x1x1xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.broadcast %y_1 : tensor<8x1x1xbf16> -> tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %y_3 = mlc_tensor.add %y, %y_2 : tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y_3 : tensor<2x8x6x6xbf16>
// CHECK-NEXT:    func.return %r : tensor<2x8x6x6xbf16>
func.func @transposed(%x: tensor<2x4x6x6xbf16>, %w: tensor<4x8x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<2x8x6x6xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 1], [1, 1], true, [0, 0], 1] : (tensor<2x4x6x6xbf16>, tensor<4x8x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
  %r = mlc_tensor.sigmoid %y : tensor<2x8x6x6xbf16>
  func.return %r : tensor<2x8x6x6xbf16>
}

// A backward pass reads the sum as well: the kernel writes both.
// CHECK-LABEL: func.func @returned_too(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %b : tensor<8xbf16> -> tensor<8x1x1xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.broadcast %y_1 : tensor<8x1x1xbf16> -> tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %y_3 = mlc_tensor.add %y, %y_2 : tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y_3 : tensor<2x8x6x6xbf16>
// CHECK-NEXT:    func.return %r, %y_3 : tensor<2x8x6x6xbf16>, tensor<2x8x6x6xbf16>
func.func @returned_too(%x: tensor<2x4x6x6xbf16>, %w: tensor<8x4x3x3xbf16>, %b: tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>, tensor<2x8x6x6xbf16>) {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
  %r = mlc_tensor.sigmoid %y : tensor<2x8x6x6xbf16>
  func.return %r, %y : tensor<2x8x6x6xbf16>, tensor<2x8x6x6xbf16>
}

// Views do not matter.
// CHECK-LABEL: func.func @behind_a_view(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %b : tensor<8xbf16> -> tensor<8x1x1xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.broadcast %y_1 : tensor<8x1x1xbf16> -> tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %y_3 = mlc_tensor.add %y, %y_2 : tensor<2x8x6x6xbf16>
// CHECK-NEXT:    %p = mlc_tensor.permute %y_3 [0, 2, 3, 1] : tensor<2x8x6x6xbf16> -> tensor<2x6x6x8xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %p : tensor<2x6x6x8xbf16>
// CHECK-NEXT:    func.return %r : tensor<2x6x6x8xbf16>
func.func @behind_a_view(%x: tensor<2x4x6x6xbf16>, %w: tensor<8x4x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<2x6x6x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
  %p = mlc_tensor.permute %y [0, 2, 3, 1] : tensor<2x8x6x6xbf16> -> tensor<2x6x6x8xbf16>
  %r = mlc_tensor.sigmoid %p : tensor<2x6x6x8xbf16>
  func.return %r : tensor<2x6x6x8xbf16>
}

// Nothing follows.
// CHECK-LABEL: func.func @keeps_returned(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    func.return %y : tensor<2x8x6x6xbf16>
func.func @keeps_returned(%x: tensor<2x4x6x6xbf16>, %w: tensor<8x4x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<2x8x6x6xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
  func.return %y : tensor<2x8x6x6xbf16>
}

// A call follows.
// CHECK-LABEL: func.func @keeps_called(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.celu.default"(%y) : (tensor<2x8x6x6xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    func.return %r : tensor<2x8x6x6xbf16>
func.func @keeps_called(%x: tensor<2x4x6x6xbf16>, %w: tensor<8x4x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<2x8x6x6xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
  %r = mlc_tensor.extern "aten.celu.default"(%y) : (tensor<2x8x6x6xbf16>) -> (tensor<2x8x6x6xbf16>)
  func.return %r : tensor<2x8x6x6xbf16>
}

// The caller gets a view.
// CHECK-LABEL: func.func @keeps_returned_as_view(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
// CHECK-NEXT:    %p = mlc_tensor.permute %y [0, 2, 3, 1] : tensor<2x8x6x6xbf16> -> tensor<2x6x6x8xbf16>
// CHECK-NEXT:    func.return %p : tensor<2x6x6x8xbf16>
func.func @keeps_returned_as_view(%x: tensor<2x4x6x6xbf16>, %w: tensor<8x4x3x3xbf16>, %b: tensor<8xbf16>) -> tensor<2x6x6x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x4x6x6xbf16>, tensor<8x4x3x3xbf16>, tensor<8xbf16>) -> (tensor<2x8x6x6xbf16>)
  %p = mlc_tensor.permute %y [0, 2, 3, 1] : tensor<2x8x6x6xbf16> -> tensor<2x6x6x8xbf16>
  func.return %p : tensor<2x6x6x8xbf16>
}
