// RUN: mlc-opt %s -p 'layout{tf32=true},canonicalize,dce' | filecheck %s

// Which convolutions the pass knows.

// In TF32 by tensor cores, as 16-bit floats are.
// CHECK-LABEL: func.func @float32(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xf32> -> tensor<2x8x8x16xf32>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 1] : tensor<32x16x3x3xf32> -> tensor<32x3x3x16xf32>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 172.0 kB of copies, 49.2 kB at the boundary"} : (tensor<2x8x8x16xf32>, tensor<32x3x3x16xf32>) -> (tensor<2x8x8x32xf32>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x32xf32> -> tensor<2x32x8x8xf32>
// CHECK-NEXT:    func.return %y_1 : tensor<2x32x8x8xf32>
func.func @float32(%x: tensor<2x16x8x8xf32>, %w: tensor<32x16x3x3xf32> {mlc.frozen}) -> tensor<2x32x8x8xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xf32>, tensor<32x16x3x3xf32>) -> (tensor<2x32x8x8xf32>)
  func.return %y : tensor<2x32x8x8xf32>
}

// A picture of one row; sound that lies channels last stays so.
// CHECK-LABEL: func.func @one_dimension(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 1] : tensor<2x16x64xbf16> -> tensor<2x64x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.reshape %0 : tensor<2x64x16xbf16> -> tensor<2x1x64x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 1] : tensor<32x16x3xbf16> -> tensor<32x3x16xbf16>
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %1 : tensor<32x3x16xbf16> -> tensor<32x1x3x16xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.extern "aten.convolution.default"(%y, %y_1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 2 : i64], [0 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 53.2 kB of copies, 8.2 kB at the boundary"} : (tensor<2x1x64x16xbf16>, tensor<32x1x3x16xbf16>) -> (tensor<2x1x32x32xbf16>)
// CHECK-NEXT:    %y_3 = mlc_tensor.reshape %y_2 : tensor<2x1x32x32xbf16> -> tensor<2x32x32xbf16>
// CHECK-NEXT:    %y_4 = mlc_tensor.permute %y_3 [0, 2, 1] : tensor<2x32x32xbf16> -> tensor<2x32x32xbf16>
// CHECK-NEXT:    func.return %y_4 : tensor<2x32x32xbf16>
func.func @one_dimension(%x: tensor<2x16x64xbf16> {mlc.strides = ["1024", "1", "16"]}, %w: tensor<32x16x3xbf16> {mlc.frozen}) -> tensor<2x32x32xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [2], [1], [1], false, [0], 1] {mlc.operand_strides = [["1024", "1", "16"], unit]} : (tensor<2x16x64xbf16>, tensor<32x16x3xbf16>) -> (tensor<2x32x32xbf16>)
  func.return %y : tensor<2x32x32xbf16>
}

// It pays as it does for pictures.
// CHECK-LABEL: func.func @one_dimension_alone(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 1] : tensor<2x16x64xbf16> -> tensor<2x64x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.reshape %0 : tensor<2x64x16xbf16> -> tensor<2x1x64x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 1] : tensor<32x16x3xbf16> -> tensor<32x3x16xbf16>
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %1 : tensor<32x3x16xbf16> -> tensor<32x1x3x16xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.extern "aten.convolution.default"(%y, %y_1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 2 : i64], [0 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 45.1 kB of copies, 22.5 kB at the boundary"} : (tensor<2x1x64x16xbf16>, tensor<32x1x3x16xbf16>) -> (tensor<2x1x32x32xbf16>)
// CHECK-NEXT:    %y_3 = mlc_tensor.reshape %y_2 : tensor<2x1x32x32xbf16> -> tensor<2x32x32xbf16>
// CHECK-NEXT:    %y_4 = mlc_tensor.permute %y_3 [0, 2, 1] : tensor<2x32x32xbf16> -> tensor<2x32x32xbf16>
// CHECK-NEXT:    func.return %y_4 : tensor<2x32x32xbf16>
// CHECK-NEXT:  }
func.func @one_dimension_alone(%x: tensor<2x16x64xbf16>, %w: tensor<32x16x3xbf16>) -> tensor<2x32x32xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [2], [1], [1], false, [0], 1] : (tensor<2x16x64xbf16>, tensor<32x16x3xbf16>) -> (tensor<2x32x32xbf16>)
  func.return %y : tensor<2x32x32xbf16>
}

// The other direction.
// CHECK-LABEL: func.func @one_dimension_transposed(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 1] : tensor<2x16x32xbf16> -> tensor<2x32x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.reshape %0 : tensor<2x32x16xbf16> -> tensor<2x1x32x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 1] : tensor<16x32x4xbf16> -> tensor<16x4x32xbf16>
// CHECK-NEXT:    %y_1 = mlc_tensor.reshape %1 : tensor<16x4x32xbf16> -> tensor<16x1x4x32xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.extern "aten.convolution.default"(%y, %y_1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 2 : i64], [0 : i64, 1 : i64], [1 : i64, 1 : i64], true, [0 : i64, 1 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 57.9 kB of copies, 20.7 kB at the boundary"} : (tensor<2x1x32x16xbf16>, tensor<16x1x4x32xbf16>) -> (tensor<2x1x65x32xbf16>)
// CHECK-NEXT:    %y_3 = mlc_tensor.reshape %y_2 : tensor<2x1x65x32xbf16> -> tensor<2x65x32xbf16>
// CHECK-NEXT:    %y_4 = mlc_tensor.permute %y_3 [0, 2, 1] : tensor<2x65x32xbf16> -> tensor<2x32x65xbf16>
// CHECK-NEXT:    func.return %y_4 : tensor<2x32x65xbf16>
func.func @one_dimension_transposed(%x: tensor<2x16x32xbf16>, %w: tensor<16x32x4xbf16> {mlc.frozen}) -> tensor<2x32x65xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [2], [1], [1], true, [1], 1] : (tensor<2x16x32xbf16>, tensor<16x32x4xbf16>) -> (tensor<2x32x65xbf16>)
  func.return %y : tensor<2x32x65xbf16>
}

// Three dimensions.
// CHECK-LABEL: func.func @volumes(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 4, 1] : tensor<2x16x4x8x8xbf16> -> tensor<2x4x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %w [0, 2, 3, 4, 1] : tensor<32x16x3x3x3xbf16> -> tensor<32x3x3x3x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64, 1 : i64], [1 : i64, 1 : i64, 1 : i64], [1 : i64, 1 : i64, 1 : i64], false, [0 : i64, 0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "1 convolution saves conversions worth 307.2 kB of copies, 98.3 kB at the boundary"} : (tensor<2x4x8x8x16xbf16>, tensor<32x3x3x3x16xbf16>) -> (tensor<2x4x8x8x32xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 4, 1, 2, 3] : tensor<2x4x8x8x32xbf16> -> tensor<2x32x4x8x8xbf16>
// CHECK-NEXT:    func.return %y_1 : tensor<2x32x4x8x8xbf16>
func.func @volumes(%x: tensor<2x16x4x8x8xbf16>, %w: tensor<32x16x3x3x3xbf16> {mlc.frozen}) -> tensor<2x32x4x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1, 1], [1, 1, 1], [1, 1, 1], false, [0, 0, 0], 1] : (tensor<2x16x4x8x8xbf16>, tensor<32x16x3x3x3xbf16>) -> (tensor<2x32x4x8x8xbf16>)
  func.return %y : tensor<2x32x4x8x8xbf16>
}

// A convolution of groups of two channels between two others: it keeps channels first, and what it reads and gives is converted twice.
// CHECK-LABEL: func.func @groups(
// CHECK-NEXT:    %a = mlc_tensor.extern "aten.convolution.default"(%x, %u) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_first = "1 convolution saves conversions worth 0 B of copies, 16.4 kB at the boundary"} : (tensor<2x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<2x16x8x8xbf16>)
// CHECK-NEXT:    %b = mlc_tensor.extern "aten.convolution.default"(%a, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 8 : i64] {mlc.channels_first = "the library takes less time with such groups of channels channels first"} : (tensor<2x16x8x8xbf16>, tensor<16x2x3x3xbf16>) -> (tensor<2x16x8x8xbf16>)
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%b, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_first = "1 convolution saves conversions worth 0 B of copies, 16.4 kB at the boundary"} : (tensor<2x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<2x16x8x8xbf16>)
// CHECK-NEXT:    func.return %y : tensor<2x16x8x8xbf16>
// CHECK-NEXT:  }
func.func @groups(%x: tensor<2x16x8x8xbf16>, %u: tensor<16x16x1x1xbf16> {mlc.frozen}, %w: tensor<16x2x3x3xbf16> {mlc.frozen}, %v: tensor<16x16x1x1xbf16> {mlc.frozen}) -> tensor<2x16x8x8xbf16> {
  %a = mlc_tensor.extern "aten.convolution.default"(%x, %u) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<2x16x8x8xbf16>)
  %b = mlc_tensor.extern "aten.convolution.default"(%a, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 8] : (tensor<2x16x8x8xbf16>, tensor<16x2x3x3xbf16>) -> (tensor<2x16x8x8xbf16>)
  %y = mlc_tensor.extern "aten.convolution.default"(%b, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<2x16x8x8xbf16>)
  func.return %y : tensor<2x16x8x8xbf16>
}

// Groups of one channel go along with their neighbours.
// CHECK-LABEL: func.func @one_channel_a_group(
// CHECK-NEXT:    %0 = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x16x8x8xbf16> -> tensor<2x8x8x16xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.reshape %u : tensor<16x16x1x1xbf16> -> tensor<16x1x1x16xbf16>
// CHECK-NEXT:    %a = mlc_tensor.extern "aten.convolution.default"(%0, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "3 convolutions save conversions worth 33.9 kB of copies, 16.4 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<16x1x1x16xbf16>) -> (tensor<2x8x8x16xbf16>)
// CHECK-NEXT:    %2 = mlc_tensor.reshape %w : tensor<16x1x3x3xbf16> -> tensor<16x3x3x1xbf16>
// CHECK-NEXT:    %b = mlc_tensor.extern "aten.convolution.default"(%a, %2) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 16 : i64] {mlc.channels_last = "3 convolutions save conversions worth 33.9 kB of copies, 16.4 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<16x3x3x1xbf16>) -> (tensor<2x8x8x16xbf16>)
// CHECK-NEXT:    %3 = mlc_tensor.reshape %v : tensor<16x16x1x1xbf16> -> tensor<16x1x1x16xbf16>
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%b, %3) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1 : i64, 1 : i64], [0 : i64, 0 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] {mlc.channels_last = "3 convolutions save conversions worth 33.9 kB of copies, 16.4 kB at the boundary"} : (tensor<2x8x8x16xbf16>, tensor<16x1x1x16xbf16>) -> (tensor<2x8x8x16xbf16>)
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 3, 1, 2] : tensor<2x8x8x16xbf16> -> tensor<2x16x8x8xbf16>
// CHECK-NEXT:    func.return %y_1 : tensor<2x16x8x8xbf16>
func.func @one_channel_a_group(%x: tensor<2x16x8x8xbf16>, %u: tensor<16x16x1x1xbf16> {mlc.frozen}, %w: tensor<16x1x3x3xbf16> {mlc.frozen}, %v: tensor<16x16x1x1xbf16> {mlc.frozen}) -> tensor<2x16x8x8xbf16> {
  %a = mlc_tensor.extern "aten.convolution.default"(%x, %u) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<2x16x8x8xbf16>)
  %b = mlc_tensor.extern "aten.convolution.default"(%a, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 16] : (tensor<2x16x8x8xbf16>, tensor<16x1x3x3xbf16>) -> (tensor<2x16x8x8xbf16>)
  %y = mlc_tensor.extern "aten.convolution.default"(%b, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x16x8x8xbf16>, tensor<16x16x1x1xbf16>) -> (tensor<2x16x8x8xbf16>)
  func.return %y : tensor<2x16x8x8xbf16>
}

// Groups of four channels, with as many in the result, go along too; those that give more than they take do not, nor
// those of one place a side.
// CHECK-LABEL: func.func @four_channels_a_group(
// CHECK:         "aten.convolution.default"(%{{.*}} 8 : i64] {mlc.channels_last
// CHECK-LABEL: func.func @more_than_they_take(
// CHECK:         "aten.convolution.default"(%{{.*}} 8 : i64] {mlc.channels_first
func.func @four_channels_a_group(%x: tensor<2x32x8x8xbf16>, %w: tensor<32x4x3x3xbf16> {mlc.frozen}) -> tensor<2x32x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 8] : (tensor<2x32x8x8xbf16>, tensor<32x4x3x3xbf16>) -> (tensor<2x32x8x8xbf16>)
  func.return %y : tensor<2x32x8x8xbf16>
}

func.func @more_than_they_take(%x: tensor<2x32x8x8xbf16>, %w: tensor<64x4x3x3xbf16> {mlc.frozen}) -> tensor<2x64x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 8] : (tensor<2x32x8x8xbf16>, tensor<64x4x3x3xbf16>) -> (tensor<2x64x8x8xbf16>)
  func.return %y : tensor<2x64x8x8xbf16>
}

// CHECK-LABEL: func.func @one_place_in_groups(
// CHECK:         "aten.convolution.default"(%{{.*}} 4 : i64] {mlc.channels_first = "the library
func.func @one_place_in_groups(%x: tensor<2x16x8x8xbf16>, %w: tensor<16x4x1x1xbf16> {mlc.frozen}) -> tensor<2x16x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 4] : (tensor<2x16x8x8xbf16>, tensor<16x4x1x1xbf16>) -> (tensor<2x16x8x8xbf16>)
  func.return %y : tensor<2x16x8x8xbf16>
}

// Volumes in groups of several channels go along where a group gives as many as it takes; those of one do not.
// CHECK-LABEL: func.func @volumes_in_groups(
// CHECK:         "aten.convolution.default"(%{{.*}} 4 : i64] {mlc.channels_last
// CHECK-LABEL: func.func @volumes_in_groups_that_give_fewer(
// CHECK:         "aten.convolution.default"(%{{.*}} 4 : i64] {mlc.channels_first = "the library
// CHECK-LABEL: func.func @volumes_by_channel(
// CHECK:         "aten.convolution.default"(%{{.*}} 16 : i64] {mlc.channels_first = "the library
func.func @volumes_in_groups(%x: tensor<2x16x4x8x8xbf16>, %w: tensor<16x4x3x3x3xbf16> {mlc.frozen}) -> tensor<2x16x4x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1, 1], [1, 1, 1], [1, 1, 1], false, [0, 0, 0], 4] : (tensor<2x16x4x8x8xbf16>, tensor<16x4x3x3x3xbf16>) -> (tensor<2x16x4x8x8xbf16>)
  func.return %y : tensor<2x16x4x8x8xbf16>
}
func.func @volumes_in_groups_that_give_fewer(%x: tensor<2x16x4x8x8xbf16>, %w: tensor<8x4x3x3x3xbf16> {mlc.frozen}) -> tensor<2x8x4x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1, 1], [1, 1, 1], [1, 1, 1], false, [0, 0, 0], 4] : (tensor<2x16x4x8x8xbf16>, tensor<8x4x3x3x3xbf16>) -> (tensor<2x8x4x8x8xbf16>)
  func.return %y : tensor<2x8x4x8x8xbf16>
}
func.func @volumes_by_channel(%x: tensor<2x16x4x8x8xbf16>, %w: tensor<16x1x3x3x3xbf16> {mlc.frozen}) -> tensor<2x16x4x8x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1, 1], [1, 1, 1], [1, 1, 1], false, [0, 0, 0], 16] : (tensor<2x16x4x8x8xbf16>, tensor<16x1x3x3x3xbf16>) -> (tensor<2x16x4x8x8xbf16>)
  func.return %y : tensor<2x16x4x8x8xbf16>
}

// The gradients of a convolution: of its input and its weight, from what it was given and what its result is given.
// CHECK-LABEL: func.func @gradients(
// CHECK:         mlc_tensor.extern "aten.convolution_backward.default"(%{{.*}}) args [{{.*}}] {mlc.channels_last = "1 convolution saves {{.*}}"} : (tensor<2x8x8x32xbf16>, tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>) -> (tensor<2x8x8x16xbf16>, tensor<32x3x3x16xbf16>, tensor<32xbf16>)
func.func @gradients(%g: tensor<2x32x8x8xbf16>, %x: tensor<2x16x8x8xbf16> {mlc.strides = ["1024", "1", "128", "16"]}, %w: tensor<32x16x3x3xbf16> {mlc.frozen}) -> (tensor<2x16x8x8xbf16> {mlc.any_layout}, tensor<32x16x3x3xbf16> {mlc.any_layout}, tensor<32xbf16>) {
  %dx, %dw, %db = mlc_tensor.extern "aten.convolution_backward.default"(%g, %x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [32], [1, 1], [1, 1], [1, 1], false, [0, 0], 1, [true, true, true]] : (tensor<2x32x8x8xbf16>, tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>) -> (tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>, tensor<32xbf16>)
  func.return %dx, %dw, %db : tensor<2x16x8x8xbf16>, tensor<32x16x3x3xbf16>, tensor<32xbf16>
}

// Groups of two channels, whose gradients the library computes channels first.
// CHECK-LABEL: func.func @gradients_of_groups(
// CHECK:         mlc_tensor.extern "aten.convolution_backward.default"(%g, %x, %w) {{.*}}mlc.channels_first = "the library takes less time
func.func @gradients_of_groups(%g: tensor<2x16x8x8xbf16>, %x: tensor<2x16x8x8xbf16>, %w: tensor<16x2x3x3xbf16>) -> tensor<16x2x3x3xbf16> {
  %dx, %dw, %db = mlc_tensor.extern "aten.convolution_backward.default"(%g, %x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [16], [1, 1], [1, 1], [1, 1], false, [0, 0], 8, [false, true, false]] : (tensor<2x16x8x8xbf16>, tensor<2x16x8x8xbf16>, tensor<16x2x3x3xbf16>) -> (none, tensor<16x2x3x3xbf16>, none)
  func.return %dw : tensor<16x2x3x3xbf16>
}
