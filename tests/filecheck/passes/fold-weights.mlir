// RUN: mlc-opt %s -p fold-weights,canonicalize,dce | filecheck %s

// Frozen scales and shifts in the weights before them.

// CHECK-LABEL: func.func @fold_into_convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}, %t: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x6x6xf32> {
// CHECK-NEXT:    %ys = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1x1xf32>
// CHECK-NEXT:    %ys_1 = mlc_tensor.broadcast %ys : tensor<4x1x1x1xf32> -> tensor<4x3x3x3xf32>
// CHECK-NEXT:    %ys_2 = mlc_tensor.mul %w, %ys_1 : tensor<4x3x3x3xf32>
// CHECK-NEXT:    %r = mlc_tensor.neg %t : tensor<4xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.extern "aten.convolution.default"(%x, %ys_2, %r) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> (tensor<2x4x6x6xf32>)
// CHECK-NEXT:    func.return %r_1 : tensor<2x4x6x6xf32>
// CHECK-NEXT:  }
func.func @fold_into_convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}, %t: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x6x6xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x4x6x6xf32>)
  %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
  %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x6x6xf32>
  %ys = mlc_tensor.mul %y, %sb : tensor<2x4x6x6xf32>
  %tr = mlc_tensor.reshape %t : tensor<4xf32> -> tensor<4x1x1xf32>
  %tb = mlc_tensor.broadcast %tr : tensor<4x1x1xf32> -> tensor<2x4x6x6xf32>
  %r = mlc_tensor.sub %ys, %tb : tensor<2x4x6x6xf32>
  func.return %r : tensor<2x4x6x6xf32>
}

// A bias is scaled too; 16-bit weights are scaled in float32 and rounded once.
// CHECK-LABEL: func.func @fold_into_convolution_of_bfloat16(%x: tensor<2x3x8x8xbf16>, %w: tensor<4x3x3x3xbf16> {mlc.frozen}, %b: tensor<4xbf16> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x6x6xf32> {
// CHECK-NEXT:    %r = mlc_tensor.cast %w : tensor<4x3x3x3xbf16> -> tensor<4x3x3x3xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1x1xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.broadcast %r_1 : tensor<4x1x1x1xf32> -> tensor<4x3x3x3xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.mul %r, %r_2 : tensor<4x3x3x3xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.cast %r_3 : tensor<4x3x3x3xf32> -> tensor<4x3x3x3xbf16>
// CHECK-NEXT:    %r_5 = mlc_tensor.cast %b : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT:    %r_6 = mlc_tensor.mul %r_5, %s : tensor<4xf32>
// CHECK-NEXT:    %r_7 = mlc_tensor.cast %r_6 : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT:    %r_8 = mlc_tensor.extern "aten.convolution.default"(%x, %r_4, %r_7) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x3x8x8xbf16>, tensor<4x3x3x3xbf16>, tensor<4xbf16>) -> (tensor<2x4x6x6xbf16>)
// CHECK-NEXT:    %r_9 = mlc_tensor.cast %r_8 : tensor<2x4x6x6xbf16> -> tensor<2x4x6x6xf32>
// CHECK-NEXT:    func.return %r_9 : tensor<2x4x6x6xf32>
// CHECK-NEXT:  }
func.func @fold_into_convolution_of_bfloat16(%x: tensor<2x3x8x8xbf16>, %w: tensor<4x3x3x3xbf16> {mlc.frozen}, %b: tensor<4xbf16> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x6x6xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x8xbf16>, tensor<4x3x3x3xbf16>, tensor<4xbf16>) -> (tensor<2x4x6x6xbf16>)
  %f = mlc_tensor.cast %y : tensor<2x4x6x6xbf16> -> tensor<2x4x6x6xf32>
  %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
  %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x6x6xf32>
  %r = mlc_tensor.mul %f, %sb : tensor<2x4x6x6xf32>
  func.return %r : tensor<2x4x6x6xf32>
}

// Nothing is known of weights that are not frozen.
// CHECK-LABEL: func.func @keeps_variable_weights(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %s: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x6x6xf32> {
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x4x6x6xf32>)
// CHECK-NEXT:    %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x6x6xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %y, %sb : tensor<2x4x6x6xf32>
// CHECK-NEXT:    func.return %r : tensor<2x4x6x6xf32>
// CHECK-NEXT:  }
func.func @keeps_variable_weights(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %s: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x6x6xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x4x6x6xf32>)
  %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
  %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x6x6xf32>
  %r = mlc_tensor.mul %y, %sb : tensor<2x4x6x6xf32>
  func.return %r : tensor<2x4x6x6xf32>
}

// The unscaled convolution is a result too.
// CHECK-LABEL: func.func @keeps_shared_convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) {
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x4x6x6xf32>)
// CHECK-NEXT:    %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x6x6xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %y, %sb : tensor<2x4x6x6xf32>
// CHECK-NEXT:    func.return %r, %y : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>
// CHECK-NEXT:  }
func.func @keeps_shared_convolution(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x4x6x6xf32>)
  %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
  %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x6x6xf32>
  %r = mlc_tensor.mul %y, %sb : tensor<2x4x6x6xf32>
  func.return %r, %y : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>
}

// One number a column of the picture is none a channel.
// CHECK-LABEL: func.func @keeps_other_dimension(%x: tensor<2x3x8x8xf32>, %w: tensor<6x3x3x3xf32> {mlc.frozen}, %s: tensor<6xf32> {mlc.frozen}) -> tensor<2x6x6x6xf32> {
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x3x8x8xf32>, tensor<6x3x3x3xf32>) -> (tensor<2x6x6x6xf32>)
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %s : tensor<6xf32> -> tensor<2x6x6x6xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %y, %sb : tensor<2x6x6x6xf32>
// CHECK-NEXT:    func.return %r : tensor<2x6x6x6xf32>
// CHECK-NEXT:  }
func.func @keeps_other_dimension(%x: tensor<2x3x8x8xf32>, %w: tensor<6x3x3x3xf32> {mlc.frozen}, %s: tensor<6xf32> {mlc.frozen}) -> tensor<2x6x6x6xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x8xf32>, tensor<6x3x3x3xf32>) -> (tensor<2x6x6x6xf32>)
  %sb = mlc_tensor.broadcast %s : tensor<6xf32> -> tensor<2x6x6x6xf32>
  %r = mlc_tensor.mul %y, %sb : tensor<2x6x6x6xf32>
  func.return %r : tensor<2x6x6x6xf32>
}

// A transposed convolution has its channels elsewhere.
// CHECK-LABEL: func.func @keeps_transposed(%x: tensor<2x4x6x6xf32>, %w: tensor<4x4x3x3xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x8x8xf32> {
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], true, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x4x6x6xf32>, tensor<4x4x3x3xf32>) -> (tensor<2x4x8x8xf32>)
// CHECK-NEXT:    %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x8x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %y, %sb : tensor<2x4x8x8xf32>
// CHECK-NEXT:    func.return %r : tensor<2x4x8x8xf32>
// CHECK-NEXT:  }
func.func @keeps_transposed(%x: tensor<2x4x6x6xf32>, %w: tensor<4x4x3x3xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> tensor<2x4x8x8xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], true, [0, 0], 1] : (tensor<2x4x6x6xf32>, tensor<4x4x3x3xf32>) -> (tensor<2x4x8x8xf32>)
  %sr = mlc_tensor.reshape %s : tensor<4xf32> -> tensor<4x1x1xf32>
  %sb = mlc_tensor.broadcast %sr : tensor<4x1x1xf32> -> tensor<2x4x8x8xf32>
  %r = mlc_tensor.mul %y, %sb : tensor<2x4x8x8xf32>
  func.return %r : tensor<2x4x8x8xf32>
}

// ((x @ w + b) - m) * s, as batch norm after a linear layer: the scale in the weight, one shift.
// CHECK-LABEL: func.func @fold_into_matmul(%x: tensor<8x16xf32>, %w: tensor<16x4xf32> {mlc.frozen}, %b: tensor<4xf32> {mlc.frozen}, %m: tensor<4xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> tensor<8x4xf32> {
// CHECK-NEXT:    %d = mlc_tensor.sub %b, %m : tensor<4xf32>
// CHECK-NEXT:    %r = mlc_tensor.broadcast %s : tensor<4xf32> -> tensor<16x4xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.mul %w, %r : tensor<16x4xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.matmul %x, %r_1 : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.mul %d, %s : tensor<4xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.broadcast %r_3 : tensor<4xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    %r_5 = mlc_tensor.add %r_2, %r_4 : tensor<8x4xf32>
// CHECK-NEXT:    func.return %r_5 : tensor<8x4xf32>
// CHECK-NEXT:  }
func.func @fold_into_matmul(%x: tensor<8x16xf32>, %w: tensor<16x4xf32> {mlc.frozen}, %b: tensor<4xf32> {mlc.frozen}, %m: tensor<4xf32> {mlc.frozen}, %s: tensor<4xf32> {mlc.frozen}) -> tensor<8x4xf32> {
  %y = mlc_tensor.matmul %x, %w : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
  %bb = mlc_tensor.broadcast %b : tensor<4xf32> -> tensor<8x4xf32>
  %yb = mlc_tensor.add %bb, %y : tensor<8x4xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4xf32> -> tensor<8x4xf32>
  %d = mlc_tensor.sub %yb, %mb : tensor<8x4xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4xf32> -> tensor<8x4xf32>
  %r = mlc_tensor.mul %d, %sb : tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}

// One number a row.
// CHECK-LABEL: func.func @keeps_row_scale(%x: tensor<8x16xf32>, %w: tensor<16x4xf32> {mlc.frozen}, %s: tensor<8x1xf32> {mlc.frozen}) -> tensor<8x4xf32> {
// CHECK-NEXT:    %y = mlc_tensor.matmul %x, %w : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %s : tensor<8x1xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %y, %sb : tensor<8x4xf32>
// CHECK-NEXT:    func.return %r : tensor<8x4xf32>
// CHECK-NEXT:  }
func.func @keeps_row_scale(%x: tensor<8x16xf32>, %w: tensor<16x4xf32> {mlc.frozen}, %s: tensor<8x1xf32> {mlc.frozen}) -> tensor<8x4xf32> {
  %y = mlc_tensor.matmul %x, %w : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
  %sb = mlc_tensor.broadcast %s : tensor<8x1xf32> -> tensor<8x4xf32>
  %r = mlc_tensor.mul %y, %sb : tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}

// A bias that another call may change stays apart from one that is frozen.
// CHECK-LABEL: func.func @keeps_variable_shift(
// CHECK:         %[[Y:.*]] = mlc_tensor.matmul
// CHECK:         %[[A:.*]] = mlc_tensor.add %[[Y]], %{{.*}} : tensor<8x4xf32>
// CHECK:         mlc_tensor.add %[[A]], %{{.*}} : tensor<8x4xf32>
func.func @keeps_variable_shift(%x: tensor<8x16xf32>, %w: tensor<16x4xf32> {mlc.frozen}, %b: tensor<4xf32> {mlc.frozen}, %t: tensor<4xf32>) -> tensor<8x4xf32> {
  %y = mlc_tensor.matmul %x, %w : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
  %bb = mlc_tensor.broadcast %b : tensor<4xf32> -> tensor<8x4xf32>
  %a = mlc_tensor.add %y, %bb : tensor<8x4xf32>
  %tb = mlc_tensor.broadcast %t : tensor<4xf32> -> tensor<8x4xf32>
  %r = mlc_tensor.add %a, %tb : tensor<8x4xf32>
  func.return %r : tensor<8x4xf32>
}
