// RUN: mlc-opt %s -p layout,canonicalize,dce | filecheck %s

// Channels last: conversions where a component begins and ends, nowhere between.

// Frozen weights are converted once, so that one convolution pays.
// CHECK-LABEL: func.func @single(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 24.6 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %y_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @single(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  func.return %y : tensor<2x32x8x8xbf16>
}

// The library takes twice as long as kernels of ours to convert all three.
// CHECK-LABEL: func.func @alone(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 43.0 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %y_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @alone(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16>) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  func.return %y : tensor<2x32x8x8xbf16>
}

// Of one place a side: a product of matrices for each picture, which needs no conversion.
// CHECK-LABEL: func.func @keeps_one_place(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_first = "1 convolution saves conversions worth 0 B of copies, 12.3 kB at the boundary"} : (tensor<2x16x8x8xbf16>, tensor<32x16x1x1xbf16>) -> (tensor<2x32x8x8xbf16>)
// CHECK-NEXT:    %z = mlc_tensor.exp %y : tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %z : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @keeps_one_place(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x1x1xbf16>) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x1x1xbf16>) -> (tensor<2x32x8x8xbf16>)
  %z = mlc_tensor.exp %y : tensor<2x32x8x8xbf16>
  func.return %z : tensor<2x32x8x8xbf16>
}

// The same of pictures that lie channels last: they stay so.
// CHECK-LABEL: func.func @one_place_last(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.reshape %w : tensor<32x16x1x1xbf16> -> tensor<32x1x1x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 8.2 kB of copies, 0 B at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x1x1x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %y_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @one_place_last(%x: tensor<2x16x8x8xbf16> {mlc.strides = ["1024", "1", "128", "16"]}, %w: tensor<32x16x1x1xbf16>) -> (tensor<2x32x8x8xbf16> {mlc.strides = ["2048", "1", "256", "32"]}) {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x1x1xbf16>) -> (tensor<2x32x8x8xbf16>)
  func.return %y : tensor<2x32x8x8xbf16>
}

// What follows reads channels last and writes channels first: the conversion of the result is part of its kernel.
// CHECK-LABEL: func.func @converted_by_a_kernel(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %e = mlc_tensor.exp %0 : tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%e, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 24.6 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %z = mlc_tensor.exp %y : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %z_1 = mlc_tensor.permute %z [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %z_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @converted_by_a_kernel(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16>) -> tensor<2x32x8x8xbf16> {
  %e = mlc_tensor.exp %x : tensor<2x16x8x8xbf16>
  %y = mlc_tensor.extern "aten.convolution.default"(%e, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %z = mlc_tensor.exp %y : tensor<2x32x8x8xbf16>
  func.return %z : tensor<2x32x8x8xbf16>
}

// The caller has channels last in memory and wants it so: only the weight moves.
// CHECK-LABEL: func.func @lies_last(%x: tensor<2x16x8x8xbf16> {mlc.strides = ["1024", "1", "128", "16"]}, %w: tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16> {mlc.strides = ["2048", "1", "256", "32"]}) {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 94.2 kB of copies, 18.4 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %y_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @lies_last(%x: tensor<2x16x8x8xbf16> {mlc.strides = ["1024", "1", "128", "16"]}, %w: tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16> {mlc.strides = ["2048", "1", "256", "32"]}) {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  func.return %y : tensor<2x32x8x8xbf16>
}

// convolution, bias, relu, convolution: two pictures and two weights are converted.
// CHECK-LABEL: func.func @chain(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16>, %v: tensor<32x32x3x3xbf16>, %b: tensor<32xbf16>) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 225.3 kB of copies, 79.9 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %2 = mlc_tensor.broadcast %b : tensor<32xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %a = mlc_tensor.add %y, %2 : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %3 = mlc_tensor.constant 0.000000e+00 : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %r = mlc_tensor.maximum %a, %3 : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %4 = mlc_tensor.permute %v [0, 2, 3, 1] : tensor<32x32x3x3xbf16> -> tensor<32x3x3x32xbf16>
// CHECK-NEXT:    %z = mlc_tensor.extern "aten.convolution.default"(%r, %4) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 225.3 kB of copies, 79.9 kB at the boundary"} : (tensor<2x8x8x32xbf16>, tensor<32x3x3x32xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %z_1 = mlc_tensor.permute %z [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %z_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @chain(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16>, %v: tensor<32x32x3x3xbf16>, %b: tensor<32xbf16>) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %zero = mlc_tensor.constant 0.0 : tensor<2x32x8x8xbf16>
  %br = mlc_tensor.reshape %b : tensor<32xbf16> -> tensor<32x1x1xbf16>
  %bb = mlc_tensor.broadcast %br : tensor<32x1x1xbf16> -> tensor<2x32x8x8xbf16>
  %a = mlc_tensor.add %y, %bb : tensor<2x32x8x8xbf16>
  %r = mlc_tensor.maximum %a, %zero : tensor<2x32x8x8xbf16>
  %z = mlc_tensor.extern "aten.convolution.default"(%r, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x32x8x8xbf16>, tensor<32x32x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  func.return %z : tensor<2x32x8x8xbf16>
}

// A residual is converted once for both who read it.
// CHECK-LABEL: func.func @residual(%x: tensor<2x32x8x8xbf16>, %w: tensor<32x32x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x32x8x8xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x32x3x3xbf16> -> tensor<32x3x3x32xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 139.3 kB of copies, 20.5 kB at the boundary"} : (tensor<2x8x8x32xbf16>, tensor<32x3x3x32xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %r = mlc_tensor.add %y, %0 : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.permute %r [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %r_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @residual(%x: tensor<2x32x8x8xbf16>, %w: tensor<32x32x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x32x8x8xbf16>, tensor<32x32x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %r = mlc_tensor.add %y, %x : tensor<2x32x8x8xbf16>
  func.return %r : tensor<2x32x8x8xbf16>
}

// Channels are joined along the last dimension.
// CHECK-LABEL: func.func @concat(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}, %v: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x64x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 172.0 kB of copies, 16.4 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %2 = mlc_tensor.permute %v [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %z = mlc_tensor.extern "aten.convolution.default"(%0, %2) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 172.0 kB of copies, 16.4 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %c = mlc_tensor.cat %y, %z dim 3 : (tensor<2x8x8x32xbf16>, tensor<2x8x8x32xbf16>) -> tensor<2x8x8x64xbf16>
// CHECK-NEXT:    %c_1 = mlc_tensor.permute %c [0, 3, 1, 2] : tensor<2x8x8x64xbf16> -> tensor<2x64x8x8xbf16>
// CHECK-NEXT:    func.return %c_1 : tensor<2x64x8x8xbf16>
// CHECK-NEXT:  }
func.func @concat(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}, %v: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x64x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %z = mlc_tensor.extern "aten.convolution.default"(%x, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %c = mlc_tensor.cat %y, %z dim 1 : (tensor<2x32x8x8xbf16>, tensor<2x32x8x8xbf16>) -> tensor<2x64x8x8xbf16>
  func.return %c : tensor<2x64x8x8xbf16>
}

// Pooling and the sum over the picture take it as it is; what leaves has one element a channel.
// CHECK-LABEL: func.func @pool_and_reduce(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 8.2 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %p, %i = mlc_tensor.extern "aten.max_pool2d_with_indices.default"(%y) args [#mlc_tensor.operand<"0">, [2 : i64, 2 : i64], [2 : i64, 2 : i64{{\]\]}} {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 8.2 kB at the boundary"} : (tensor<2x8x8x32xbf16>) -> (tensor<2x4x4x32xbf16>, tensor<2x4x4x32xi64>)
// CHECK-NEXT:    %f = mlc_tensor.cast %p : tensor<2x4x4x32xbf16> -> tensor<2x4x4x32xf32>
// CHECK-NEXT:    %s = mlc_tensor.reduce add %f dims [1, 2] : tensor<2x4x4x32xf32> -> tensor<2x1x1x32xf32>
// CHECK-NEXT:    %h = mlc_tensor.cast %s : tensor<2x1x1x32xf32> -> tensor<2x1x1x32xbf16>
// CHECK-NEXT:    %r = mlc_tensor.reshape %h : tensor<2x1x1x32xbf16> -> tensor<2x32xbf16>
// CHECK-NEXT:    func.return %r : tensor<2x32xbf16>
// CHECK-NEXT:  }
func.func @pool_and_reduce(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %p, %i = mlc_tensor.extern "aten.max_pool2d_with_indices.default"(%y) args [#mlc_tensor.operand<"0">, [2, 2], [2, 2]] : (tensor<2x32x8x8xbf16>) -> (tensor<2x32x4x4xbf16>, tensor<2x32x4x4xi64>)
  %f = mlc_tensor.cast %p : tensor<2x32x4x4xbf16> -> tensor<2x32x4x4xf32>
  %s = mlc_tensor.reduce add %f dims [2, 3] : tensor<2x32x4x4xf32> -> tensor<2x32x1x1xf32>
  %h = mlc_tensor.cast %s : tensor<2x32x1x1xf32> -> tensor<2x32x1x1xbf16>
  %r = mlc_tensor.reshape %h : tensor<2x32x1x1xbf16> -> tensor<2x32xbf16>
  func.return %r : tensor<2x32xbf16>
}

// A reduction over channels is one over the last dimension.
// CHECK-LABEL: func.func @channel_mean(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x1x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 8.2 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %s = mlc_tensor.reduce max %y dims [3] : tensor<2x8x8x32xbf16> -> tensor<2x8x8x1xbf16>
// CHECK-NEXT:    %s_1 = mlc_tensor.reshape %s : tensor<2x8x8x1xbf16> -> tensor<2x1x8x8xbf16>
// CHECK-NEXT:    func.return %s_1 : tensor<2x1x8x8xbf16>
// CHECK-NEXT:  }
func.func @channel_mean(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x1x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %s = mlc_tensor.reduce max %y dims [1] : tensor<2x32x8x8xbf16> -> tensor<2x1x8x8xbf16>
  func.return %s : tensor<2x1x8x8xbf16>
}

// An op of one picture before a convolution goes along.
// CHECK-LABEL: func.func @pad_and_slice(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x4xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %p = mlc_tensor.pad %0 low [0, 1, 1, 0] value 0.000000e+00 : bf16 : tensor<2x8x8x16xbf16> -> tensor<2x10x10x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%p, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 95.2 kB of copies, 16.4 kB at the boundary"} : (tensor<2x10x10x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %s = mlc_tensor.slice %y [0, 0, 1, 0] step [1, 1, 2, 1] : tensor<2x8x8x32xbf16> -> tensor<2x8x4x32xbf16>
// CHECK-NEXT:    %s_1 = mlc_tensor.permute %s [0, 3, 1, 2] : tensor<2x8x4x32xbf16> -> tensor<2x32x8x4xbf16>
// CHECK-NEXT:    func.return %s_1 : tensor<2x32x8x4xbf16>
// CHECK-NEXT:  }
func.func @pad_and_slice(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x4xbf16> {
  %p = mlc_tensor.pad %x low [0, 0, 1, 1] value 0.0 : bf16 : tensor<2x16x8x8xbf16> -> tensor<2x16x10x10xbf16>
  %y = mlc_tensor.extern "aten.convolution.default"(%p, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x16x10x10xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %s = mlc_tensor.slice %y [0, 0, 0, 1] step [1, 1, 1, 2] : tensor<2x32x8x8xbf16> -> tensor<2x32x8x4xbf16>
  func.return %s : tensor<2x32x8x4xbf16>
}

// A rotation begins where it did, in another dimension.
// CHECK-LABEL: func.func @rolled(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
// CHECK-NEXT:    %s = mlc_tensor.roll %y [0, 0, 5, 1] : tensor<2x8x8x32xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    mlc_tensor.permute %s [0, 3, 1, 2]
func.func @rolled(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %s = mlc_tensor.roll %y [0, 1, 0, 5] : tensor<2x32x8x8xbf16> -> tensor<2x32x8x8xbf16>
  func.return %s : tensor<2x32x8x8xbf16>
}

// float32 convolutions run channels first as well.
// CHECK-LABEL: func.func @keeps_float32(%x: tensor<2x16x8x8xf32>, %w: tensor<32x16x3x3xf32> {mlc.frozen}) -> tensor<2x32x8x8xf32> {
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_first = "1 convolution saves conversions worth 0 B of copies, 49.2 kB at the boundary"} : (tensor<2x16x8x8xf32>, tensor<32x16x3x3xf32>) -> (tensor<2x32x8x8xf32>)
// CHECK-NEXT:    func.return %y : tensor<2x32x8x8xf32>
// CHECK-NEXT:  }
func.func @keeps_float32(%x: tensor<2x16x8x8xf32>, %w: tensor<32x16x3x3xf32> {mlc.frozen}) -> tensor<2x32x8x8xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xf32>, tensor<32x16x3x3xf32>) -> (tensor<2x32x8x8xf32>)
  func.return %y : tensor<2x32x8x8xf32>
}

// No convolution, no change.
// CHECK-LABEL: func.func @keeps_pictures(%x: tensor<2x16x8x8xbf16>) -> tensor<2x16x8x8xbf16> {
// CHECK-NEXT:    %e = mlc_tensor.exp %x : tensor<2x16x8x8xbf16>
// CHECK-NEXT:    func.return %e : tensor<2x16x8x8xbf16>
// CHECK-NEXT:  }
func.func @keeps_pictures(%x: tensor<2x16x8x8xbf16>) -> tensor<2x16x8x8xbf16> {
  %e = mlc_tensor.exp %x : tensor<2x16x8x8xbf16>
  func.return %e : tensor<2x16x8x8xbf16>
}
