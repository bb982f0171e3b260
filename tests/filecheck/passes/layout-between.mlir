// RUN: mlc-opt %s -p layout,canonicalize,dce | filecheck %s

// What lies between two convolutions: everything but the boundary is channels last.

// A pool reads each channel at its own place: the positions along the picture move, the count of the channels is last.
// CHECK-LABEL: func.func @pool(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}, %v: tensor<16x32x3x3xbf16> {mlc.frozen}) -> tensor<2x16x4x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 147.5 kB of copies, 12.3 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %i = mlc_tensor.iota dim 0 : tensor<4x1xi64>
// CHECK-NEXT:    %two = mlc_tensor.constant 2 : tensor<4x1xi64>
// CHECK-NEXT:    %i2 = mlc_tensor.mul %i, %two : tensor<4x1xi64>
// CHECK-NEXT:    %2 = mlc_tensor.iota dim 0 : tensor<2x4x8x32xi64>
// CHECK-NEXT:    %3 = mlc_tensor.iota dim 3 : tensor<2x4x8x32xi64>
// CHECK-NEXT:    %4 = mlc_tensor.reshape %i2 : tensor<4x1xi64> -> tensor<1x4x1x1xi64>
// CHECK-NEXT:    %5 = mlc_tensor.broadcast %4 : tensor<1x4x1x1xi64> -> tensor<2x4x8x32xi64>
// CHECK-NEXT:    %6 = mlc_tensor.iota dim 2 : tensor<2x4x8x32xi64>
// CHECK-NEXT:    %a = mlc_tensor.gather %y[%2, %5, %6, %3] : tensor<2x8x8x32xbf16>, (tensor<2x4x8x32xi64>, tensor<2x4x8x32xi64>, tensor<2x4x8x32xi64>, tensor<2x4x8x32xi64>) -> tensor<2x4x8x32xbf16>
// CHECK-NEXT:    %b = mlc_tensor.slice %y [0, 1, 0, 0] step [1, 2, 1, 1] : tensor<2x8x8x32xbf16> -> tensor<2x4x8x32xbf16>
// CHECK-NEXT:    %p = mlc_tensor.maximum %a, %b : tensor<2x4x8x32xbf16>
// CHECK-NEXT:    %7 = mlc_tensor.permute %v [0, 2, 3, 1] : tensor<16x32x3x3xbf16> -> tensor<16x3x3x32xbf16>
// CHECK-NEXT:    %z = mlc_tensor.extern "aten.convolution.default"(%p, %7) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 147.5 kB of copies, 12.3 kB at the boundary"} : (tensor<2x4x8x32xbf16>, tensor<16x3x3x32xbf16>) -> (tensor<2x4x8x16xbf16>)
// CHECK-NEXT:    %z_1 = mlc_tensor.permute %z [0, 3, 1, 2] : tensor<2x4x8x16xbf16> -> tensor<2x16x4x8xbf16>
// CHECK-NEXT:    func.return %z_1 : tensor<2x16x4x8xbf16>
// CHECK-NEXT:  }
func.func @pool(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}, %v: tensor<16x32x3x3xbf16> {mlc.frozen}) -> tensor<2x16x4x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %n = mlc_tensor.iota dim 0 : tensor<2x32x4x8xi64>
  %c = mlc_tensor.iota dim 1 : tensor<2x32x4x8xi64>
  %k = mlc_tensor.iota dim 3 : tensor<2x32x4x8xi64>
  %i = mlc_tensor.iota dim 0 : tensor<4x1xi64>
  %two = mlc_tensor.constant 2 : tensor<4x1xi64>
  %i2 = mlc_tensor.mul %i, %two : tensor<4x1xi64>
  %h = mlc_tensor.broadcast %i2 : tensor<4x1xi64> -> tensor<2x32x4x8xi64>
  %a = mlc_tensor.gather %y[%n, %c, %h, %k] : tensor<2x32x8x8xbf16>, (tensor<2x32x4x8xi64>, tensor<2x32x4x8xi64>, tensor<2x32x4x8xi64>, tensor<2x32x4x8xi64>) -> tensor<2x32x4x8xbf16>
  %b = mlc_tensor.slice %y [0, 0, 1, 0] step [1, 1, 2, 1] : tensor<2x32x8x8xbf16> -> tensor<2x32x4x8xbf16>
  %p = mlc_tensor.maximum %a, %b : tensor<2x32x4x8xbf16>
  %z = mlc_tensor.extern "aten.convolution.default"(%p, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x32x4x8xbf16>, tensor<16x32x3x3xbf16>) -> (tensor<2x16x4x8xbf16>)
  func.return %z : tensor<2x16x4x8xbf16>
}

// A window of its own dimensions, joined and reduced: the channels are behind all of them.
// CHECK-LABEL: func.func @window(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x1x1xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 8.2 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %2 = mlc_tensor.iota dim 0 : tensor<2x1x1x8x8x32xi64>
// CHECK-NEXT:    %3 = mlc_tensor.iota dim 5 : tensor<2x1x1x8x8x32xi64>
// CHECK-NEXT:    %4 = mlc_tensor.iota dim 3 : tensor<2x1x1x8x8x32xi64>
// CHECK-NEXT:    %5 = mlc_tensor.iota dim 4 : tensor<2x1x1x8x8x32xi64>
// CHECK-NEXT:    %a = mlc_tensor.gather %y[%2, %4, %5, %3] : tensor<2x8x8x32xbf16>, (tensor<2x1x1x8x8x32xi64>, tensor<2x1x1x8x8x32xi64>, tensor<2x1x1x8x8x32xi64>, tensor<2x1x1x8x8x32xi64>) -> tensor<2x1x1x8x8x32xbf16>
// CHECK-NEXT:    %f = mlc_tensor.reshape %a : tensor<2x1x1x8x8x32xbf16> -> tensor<2x1x1x64x32xbf16>
// CHECK-NEXT:    %s = mlc_tensor.reduce max %f dims [3] : tensor<2x1x1x64x32xbf16> -> tensor<2x1x1x1x32xbf16>
// CHECK-NEXT:    %r = mlc_tensor.reshape %s : tensor<2x1x1x1x32xbf16> -> tensor<2x32x1x1xbf16>
// CHECK-NEXT:    func.return %r : tensor<2x32x1x1xbf16>
// CHECK-NEXT:  }
func.func @window(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x1x1xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %n = mlc_tensor.iota dim 0 : tensor<2x32x1x1x8x8xi64>
  %c = mlc_tensor.iota dim 1 : tensor<2x32x1x1x8x8xi64>
  %h = mlc_tensor.iota dim 4 : tensor<2x32x1x1x8x8xi64>
  %k = mlc_tensor.iota dim 5 : tensor<2x32x1x1x8x8xi64>
  %a = mlc_tensor.gather %y[%n, %c, %h, %k] : tensor<2x32x8x8xbf16>, (tensor<2x32x1x1x8x8xi64>, tensor<2x32x1x1x8x8xi64>, tensor<2x32x1x1x8x8xi64>, tensor<2x32x1x1x8x8xi64>) -> tensor<2x32x1x1x8x8xbf16>
  %f = mlc_tensor.reshape %a : tensor<2x32x1x1x8x8xbf16> -> tensor<2x32x1x1x64xbf16>
  %s = mlc_tensor.reduce max %f dims [4] : tensor<2x32x1x1x64xbf16> -> tensor<2x32x1x1x1xbf16>
  %r = mlc_tensor.reshape %s : tensor<2x32x1x1x1xbf16> -> tensor<2x32x1x1xbf16>
  func.return %r : tensor<2x32x1x1xbf16>
}

// Which channel a point reads is data here: the gather takes the picture as it was.
// CHECK-LABEL: func.func @keeps_gather_of_channels(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}, %c: tensor<2x32x8x8xi64>) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 12.3 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    %n = mlc_tensor.iota dim 0 : tensor<2x32x8x8xi64>
// CHECK-NEXT:    %h = mlc_tensor.iota dim 2 : tensor<2x32x8x8xi64>
// CHECK-NEXT:    %k = mlc_tensor.iota dim 3 : tensor<2x32x8x8xi64>
// CHECK-NEXT:    %a = mlc_tensor.gather %y_1[%n, %c, %h, %k] : tensor<2x32x8x8xbf16>, (tensor<2x32x8x8xi64>, tensor<2x32x8x8xi64>, tensor<2x32x8x8xi64>, tensor<2x32x8x8xi64>) -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %a : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @keeps_gather_of_channels(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}, %c: tensor<2x32x8x8xi64>) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %n = mlc_tensor.iota dim 0 : tensor<2x32x8x8xi64>
  %h = mlc_tensor.iota dim 2 : tensor<2x32x8x8xi64>
  %k = mlc_tensor.iota dim 3 : tensor<2x32x8x8xi64>
  %a = mlc_tensor.gather %y[%n, %c, %h, %k] : tensor<2x32x8x8xbf16>, (tensor<2x32x8x8xi64>, tensor<2x32x8x8xi64>, tensor<2x32x8x8xi64>, tensor<2x32x8x8xi64>) -> tensor<2x32x8x8xbf16>
  func.return %a : tensor<2x32x8x8xbf16>
}

// Groups of channels stay together under a reshape that joins the picture.
// CHECK-LABEL: func.func @groups(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 12.3 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %g = mlc_tensor.reshape %y : tensor<2x8x8x32xbf16> -> tensor<2x64x4x8xbf16>
// CHECK-NEXT:    %m = mlc_tensor.reduce max %g dims [1, 3] : tensor<2x64x4x8xbf16> -> tensor<2x1x4x1xbf16>
// CHECK-NEXT:    %b = mlc_tensor.broadcast %m : tensor<2x1x4x1xbf16> -> tensor<2x64x4x8xbf16>
// CHECK-NEXT:    %d = mlc_tensor.sub %g, %b : tensor<2x64x4x8xbf16>
// CHECK-NEXT:    %r = mlc_tensor.reshape %d : tensor<2x64x4x8xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.permute %r [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %r_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @groups(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %g = mlc_tensor.reshape %y : tensor<2x32x8x8xbf16> -> tensor<2x4x8x64xbf16>
  %m = mlc_tensor.reduce max %g dims [2, 3] : tensor<2x4x8x64xbf16> -> tensor<2x4x1x1xbf16>
  %b = mlc_tensor.broadcast %m : tensor<2x4x1x1xbf16> -> tensor<2x4x8x64xbf16>
  %d = mlc_tensor.sub %g, %b : tensor<2x4x8x64xbf16>
  %r = mlc_tensor.reshape %d : tensor<2x4x8x64xbf16> -> tensor<2x32x8x8xbf16>
  func.return %r : tensor<2x32x8x8xbf16>
}

// This reshape mixes channels with the picture: it ends the component.
// CHECK-LABEL: func.func @keeps_mixed_channels(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x4x512xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 12.3 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    %g = mlc_tensor.reshape %y_1 : tensor<2x32x8x8xbf16> -> tensor<2x4x512xbf16>
// CHECK-NEXT:    %e = mlc_tensor.exp %g : tensor<2x4x512xbf16>
// CHECK-NEXT:    func.return %e : tensor<2x4x512xbf16>
// CHECK-NEXT:  }
func.func @keeps_mixed_channels(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x4x512xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %g = mlc_tensor.reshape %y : tensor<2x32x8x8xbf16> -> tensor<2x4x512xbf16>
  %e = mlc_tensor.exp %g : tensor<2x4x512xbf16>
  func.return %e : tensor<2x4x512xbf16>
}

// A gate for each channel, and one for each point: repeated from fewer elements, channels last as well.
// CHECK-LABEL: func.func @gates(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 12.3 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %m = mlc_tensor.reduce max %y dims [1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x1x1x32xbf16>
// CHECK-NEXT:    %b = mlc_tensor.broadcast %m : tensor<2x1x1x32xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %p = mlc_tensor.mul %y, %b : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %s = mlc_tensor.reduce max %p dims [3] : tensor<2x8x8x32xbf16> -> tensor<2x8x8x1xbf16>
// CHECK-NEXT:    %c = mlc_tensor.broadcast %s : tensor<2x8x8x1xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %q = mlc_tensor.mul %p, %c : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %q_1 = mlc_tensor.permute %q [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %q_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @gates(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %m = mlc_tensor.reduce max %y dims [2, 3] : tensor<2x32x8x8xbf16> -> tensor<2x32x1x1xbf16>
  %b = mlc_tensor.broadcast %m : tensor<2x32x1x1xbf16> -> tensor<2x32x8x8xbf16>
  %p = mlc_tensor.mul %y, %b : tensor<2x32x8x8xbf16>
  %s = mlc_tensor.reduce max %p dims [1] : tensor<2x32x8x8xbf16> -> tensor<2x1x8x8xbf16>
  %c = mlc_tensor.broadcast %s : tensor<2x1x8x8xbf16> -> tensor<2x32x8x8xbf16>
  %q = mlc_tensor.mul %p, %c : tensor<2x32x8x8xbf16>
  func.return %q : tensor<2x32x8x8xbf16>
}

// A scan and a search along one dimension follow it.
// CHECK-LABEL: func.func @scan_and_search(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x1x8x8xi64> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 8.2 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %s = mlc_tensor.scan max %y dim 1 : tensor<2x8x8x32xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %a = mlc_tensor.reduce argmax %s dims [3] : tensor<2x8x8x32xbf16> -> tensor<2x8x8x1xi64>
// CHECK-NEXT:    %a_1 = mlc_tensor.reshape %a : tensor<2x8x8x1xi64> -> tensor<2x1x8x8xi64>
// CHECK-NEXT:    func.return %a_1 : tensor<2x1x8x8xi64>
// CHECK-NEXT:  }
func.func @scan_and_search(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x1x8x8xi64> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %s = mlc_tensor.scan max %y dim 2 : tensor<2x32x8x8xbf16> -> tensor<2x32x8x8xbf16>
  %a = mlc_tensor.reduce argmax %s dims [1] : tensor<2x32x8x8xbf16> -> tensor<2x1x8x8xi64>
  func.return %a : tensor<2x1x8x8xi64>
}

// A position within channels and rows together counts in their order.
// CHECK-LABEL: func.func @keeps_search_of_two_dims(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x1x1x8xi64> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 12.3 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    %a = mlc_tensor.reduce argmax %y_1 dims [1, 2] : tensor<2x32x8x8xbf16> -> tensor<2x1x1x8xi64>
// CHECK-NEXT:    func.return %a : tensor<2x1x1x8xi64>
// CHECK-NEXT:  }
func.func @keeps_search_of_two_dims(%x: tensor<2x16x8x8xbf16>, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> tensor<2x1x1x8xi64> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %a = mlc_tensor.reduce argmax %y dims [1, 2] : tensor<2x32x8x8xbf16> -> tensor<2x1x1x8xi64>
  func.return %a : tensor<2x1x1x8xi64>
}

// What the program itself permutes to channels last costs nothing at the boundary: both cancel.
// CHECK-LABEL: func.func @meets_permutations(%x: tensor<2x8x8x16xbf16>, %w: tensor<32x16x3x3xbf16>) -> tensor<2x64x32xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xbf16> -> tensor<32x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %0) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 86.0 kB of copies, 18.4 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %f = mlc_tensor.reshape %y : tensor<2x8x8x32xbf16> -> tensor<2x64x32xbf16>
// CHECK-NEXT:    func.return %f : tensor<2x64x32xbf16>
// CHECK-NEXT:  }
func.func @meets_permutations(%x: tensor<2x8x8x16xbf16>, %w: tensor<32x16x3x3xbf16>) -> tensor<2x64x32xbf16> {
  %t = mlc_tensor.permute %x [0, 3, 1, 2] : tensor<2x8x8x16xbf16> -> tensor<2x16x8x8xbf16>
  %y = mlc_tensor.extern "aten.convolution.default"(%t, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %f = mlc_tensor.reshape %y : tensor<2x32x8x8xbf16> -> tensor<2x32x64xbf16>
  %r = mlc_tensor.permute %f [0, 2, 1] : tensor<2x32x64xbf16> -> tensor<2x64x32xbf16>
  func.return %r : tensor<2x64x32xbf16>
}

// Two convolutions of one picture, not connected otherwise: it is converted once for both.
// CHECK-LABEL: func.func @shared_picture(%x: tensor<2x64x8x8xbf16>, %w: tensor<16x64x3x3xbf16> {mlc.frozen}, %v: tensor<16x64x3x3xbf16> {mlc.frozen}) -> (tensor<2x16x8x8xbf16>, tensor<2x16x8x8xbf16>) {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x64x8x8xbf16> -> tensor<2x8x8x64xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<16x64x3x3xbf16> -> tensor<16x3x3x64xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 311.3 kB of copies, 49.2 kB at the boundary"} : (tensor<2x8x8x64xbf16>, tensor<16x3x3x64xbf16>) -> (tensor<2x8x8x16xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x16xbf16> -> tensor<2x16x8x8xbf16>
// CHECK-NEXT:    %2 = mlc_tensor.permute %v [0, 2, 3, 1] : tensor<16x64x3x3xbf16> -> tensor<16x3x3x64xbf16>
// CHECK-NEXT:    %z = mlc_tensor.extern "aten.convolution.default"(%0, %2) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 311.3 kB of copies, 49.2 kB at the boundary"} : (tensor<2x8x8x64xbf16>, tensor<16x3x3x64xbf16>) -> (tensor<2x8x8x16xbf16>)
// CHECK-NEXT:    %z_1 = mlc_tensor.permute %z [0, 3, 1, 2] : tensor<2x8x8x16xbf16> -> tensor<2x16x8x8xbf16>
// CHECK-NEXT:    func.return %y_1, %z_1 : tensor<2x16x8x8xbf16>, tensor<2x16x8x8xbf16>
// CHECK-NEXT:  }
func.func @shared_picture(%x: tensor<2x64x8x8xbf16>, %w: tensor<16x64x3x3xbf16> {mlc.frozen}, %v: tensor<16x64x3x3xbf16> {mlc.frozen}) -> (tensor<2x16x8x8xbf16>, tensor<2x16x8x8xbf16>) {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x64x8x8xbf16>, tensor<16x64x3x3xbf16>) -> (tensor<2x16x8x8xbf16>)
  %z = mlc_tensor.extern "aten.convolution.default"(%x, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x64x8x8xbf16>, tensor<16x64x3x3xbf16>) -> (tensor<2x16x8x8xbf16>)
  func.return %y, %z : tensor<2x16x8x8xbf16>, tensor<2x16x8x8xbf16>
}

// The sum of one branch with what another computes from its convolution and an argument: one component.
// CHECK-LABEL: func.func @branches_that_meet(%x: tensor<2x32x8x8xbf16>, %p: tensor<2x32x8x8xbf16>, %w: tensor<32x32x3x3xbf16> {mlc.frozen}, %v: tensor<32x32x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x32x8x8xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x32x3x3xbf16> -> tensor<32x3x3x32xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 278.5 kB of copies, 36.9 kB at the boundary"} : (tensor<2x8x8x32xbf16>, tensor<32x3x3x32xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %2 = mlc_tensor.permute %p [0, 2, 3, 1] : tensor<2x32x8x8xbf16> -> tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %3 = mlc_tensor.permute %v [0, 2, 3, 1] : tensor<32x32x3x3xbf16> -> tensor<32x3x3x32xbf16>
// CHECK-NEXT:    %z = mlc_tensor.extern "aten.convolution.default"(%2, %3) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "2 convolutions save conversions worth 278.5 kB of copies, 36.9 kB at the boundary"} : (tensor<2x8x8x32xbf16>, tensor<32x3x3x32xbf16>) -> (tensor<2x8x8x32xbf16>)
// CHECK-NEXT:    %m = mlc_tensor.add %z, %2 : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %r = mlc_tensor.mul %y, %m : tensor<2x8x8x32xbf16>
// CHECK-NEXT:    %r_1 = mlc_tensor.permute %r [0, 3, 1, 2] : tensor<2x8x8x32xbf16> -> tensor<2x32x8x8xbf16>
// CHECK-NEXT:    func.return %r_1 : tensor<2x32x8x8xbf16>
// CHECK-NEXT:  }
func.func @branches_that_meet(%x: tensor<2x32x8x8xbf16>, %p: tensor<2x32x8x8xbf16>, %w: tensor<32x32x3x3xbf16> {mlc.frozen}, %v: tensor<32x32x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x32x8x8xbf16>, tensor<32x32x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %z = mlc_tensor.extern "aten.convolution.default"(%p, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x32x8x8xbf16>, tensor<32x32x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  %m = mlc_tensor.add %z, %p : tensor<2x32x8x8xbf16>
  %r = mlc_tensor.mul %y, %m : tensor<2x32x8x8xbf16>
  func.return %r : tensor<2x32x8x8xbf16>
}

// One small convolution beside two large pictures: the conversions would move more than they save.
// CHECK-LABEL: func.func @keeps_when_it_costs_more(%x: tensor<2x4x8x8xbf16>, %big: tensor<2x256x8x8xbf16>, %w: tensor<8x4x3x3xbf16> {mlc.frozen}) -> tensor<2x264x8x8xbf16> {
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_first = "1 convolution saves conversions worth 14.6 kB of copies, 68.6 kB at the boundary"} : (tensor<2x4x8x8xbf16>, tensor<8x4x3x3xbf16>) -> (tensor<2x8x8x8xbf16>)
// CHECK-NEXT:    %c = mlc_tensor.cat %y, %big dim 1 : (tensor<2x8x8x8xbf16>, tensor<2x256x8x8xbf16>) -> tensor<2x264x8x8xbf16>
// CHECK-NEXT:    func.return %c : tensor<2x264x8x8xbf16>
// CHECK-NEXT:  }
func.func @keeps_when_it_costs_more(%x: tensor<2x4x8x8xbf16>, %big: tensor<2x256x8x8xbf16>, %w: tensor<8x4x3x3xbf16> {mlc.frozen}) -> tensor<2x264x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x4x8x8xbf16>, tensor<8x4x3x3xbf16>) -> (tensor<2x8x8x8xbf16>)
  %c = mlc_tensor.cat %y, %big dim 1 : (tensor<2x8x8x8xbf16>, tensor<2x256x8x8xbf16>) -> tensor<2x264x8x8xbf16>
  func.return %c : tensor<2x264x8x8xbf16>
}

// A bias that differs at each point is converted too, and counts.
// CHECK-LABEL: func.func @keeps_with_a_bias_of_each_point(%x: tensor<1x16x8x8xbf16>, %b: tensor<1x16x8x8xbf16>, %w: tensor<16x16x1x1xbf16> {mlc.frozen}) -> tensor<1x16x8x8xbf16> {
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_first = "1 convolution saves conversions worth 0 B of copies, 6.1 kB at the boundary"} : (tensor<1x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<1x16x8x8xbf16>)
// CHECK-NEXT:    %s = mlc_tensor.add %y, %b : tensor<1x16x8x8xbf16>
// CHECK-NEXT:    func.return %s : tensor<1x16x8x8xbf16>
// CHECK-NEXT:  }
func.func @keeps_with_a_bias_of_each_point(%x: tensor<1x16x8x8xbf16>, %b: tensor<1x16x8x8xbf16>, %w: tensor<16x16x1x1xbf16> {mlc.frozen}) -> tensor<1x16x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<1x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<1x16x8x8xbf16>)
  %s = mlc_tensor.add %y, %b : tensor<1x16x8x8xbf16>
  func.return %s : tensor<1x16x8x8xbf16>
}
