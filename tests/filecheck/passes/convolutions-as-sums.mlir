// RUN: mlc-opt %s -p convolutions-as-sums{choose=all} --split-input-file | filecheck %s
// RUN: mlc-opt %s -p convolutions-as-sums --split-input-file | filecheck %s --check-prefix=QUICKER

// CHECK-LABEL: func.func @padded(
// CHECK-NEXT:    %y = mlc_tensor.pad %x low [0, 1, 2, 0] value 0.000000e+00 : bf16 : tensor<2x6x5x32xbf16> -> tensor<2x7x9x32xbf16>
// CHECK-NEXT:    %[[N:.*]] = mlc_tensor.iota dim 0 : tensor<2x3x5x3x3x32xi64>
// CHECK-NEXT:    %[[I:.*]] = mlc_tensor.iota dim 1
// CHECK-NEXT:    %[[TWO:.*]] = mlc_tensor.constant 2
// CHECK-NEXT:    %[[STEP:.*]] = mlc_tensor.mul %[[I]], %[[TWO]]
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.iota dim 3
// CHECK-NEXT:    %[[ROW:.*]] = mlc_tensor.add %[[STEP]], %[[A]]
// CHECK-NEXT:    %[[J:.*]] = mlc_tensor.iota dim 2
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.iota dim 4
// CHECK-NEXT:    %[[TWO:.*]] = mlc_tensor.constant 2
// CHECK-NEXT:    %[[APART:.*]] = mlc_tensor.mul %[[B]], %[[TWO]]
// CHECK-NEXT:    %[[COLUMN:.*]] = mlc_tensor.add %[[J]], %[[APART]]
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.iota dim 5
// CHECK-NEXT:    %[[WINDOW:.*]] = mlc_tensor.gather %y[%[[N]], %[[ROW]], %[[COLUMN]], %[[C]]]
// CHECK:         %[[X:.*]] = mlc_tensor.cast {{.*}} : tensor<2x3x5x1x3x3x32x16xbf16> -> tensor<2x3x5x1x3x3x32x16xf32>
// CHECK:         %[[W:.*]] = mlc_tensor.cast {{.*}} : tensor<2x3x5x1x3x3x32x16xbf16> -> tensor<2x3x5x1x3x3x32x16xf32>
// CHECK-NEXT:    %[[TERMS:.*]] = mlc_tensor.mul %[[X]], %[[W]]
// CHECK-NEXT:    %[[SUM:.*]] = mlc_tensor.reduce add %[[TERMS]] dims [4, 5, 6]
// CHECK-NEXT:    %[[ALL:.*]] = mlc_tensor.reshape %[[SUM]] : tensor<2x3x5x1x1x1x1x16xf32> -> tensor<2x3x5x16xf32>
// CHECK:         %[[BIASED:.*]] = mlc_tensor.add %[[ALL]],
// CHECK-NEXT:    mlc_tensor.cast %[[BIASED]] : tensor<2x3x5x16xf32> -> tensor<2x3x5x16xbf16>
// The window at each place of the result, and beyond the edge zeros; summed in float32, with the bias, and rounded once.
func.func @padded(%x: tensor<2x6x5x32xbf16>, %w: tensor<16x3x3x32xbf16>, %b: tensor<16xbf16>) -> tensor<2x3x5x16xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [2, 1], [1, 2], [1, 2], false, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<2x6x5x32xbf16>, tensor<16x3x3x32xbf16>, tensor<16xbf16>) -> (tensor<2x3x5x16xbf16>)
  func.return %y : tensor<2x3x5x16xbf16>
}

// -----

// CHECK-LABEL: func.func @one_place(
// CHECK-NOT:     mlc_tensor.gather
// CHECK:         %[[COPY:.*]] = mlc_tensor.cast %w : tensor<16x1x1x32xbf16> -> tensor<16x1x1x32xbf16>
// CHECK-NEXT:    mlc_tensor.reshape %[[COPY]]
// CHECK:         mlc_tensor.reduce add {{.*}} dims [4, 5, 6]
// One place: a product of matrices, of which no window is taken. Weights that lie otherwise are copied first.
func.func @one_place(%x: tensor<2x6x5x32xbf16>, %v: tensor<32x16xbf16>) -> tensor<2x6x5x16xbf16> {
  %t = mlc_tensor.permute %v [1, 0] : tensor<32x16xbf16> -> tensor<16x32xbf16>
  %w = mlc_tensor.reshape %t : tensor<16x32xbf16> -> tensor<16x1x1x32xbf16>
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<2x6x5x32xbf16>, tensor<16x1x1x32xbf16>) -> (tensor<2x6x5x16xbf16>)
  func.return %y : tensor<2x6x5x16xbf16>
}

// -----

// CHECK-LABEL: func.func @groups(
// CHECK:         mlc_tensor.gather
// CHECK:         mlc_tensor.permute {{.*}} [0, 1, 2, 5, 3, 4, 6] : tensor<2x4x3x3x3x3x16xbf16> -> tensor<2x4x3x3x3x3x16xbf16>
// CHECK-NOT:     mlc_tensor.select
// CHECK:         mlc_tensor.reduce add {{.*}} dims [4, 5, 6] : tensor<2x4x3x3x3x3x16x16xf32> -> tensor<2x4x3x3x1x1x1x16xf32>
// Each of three groups is a product of a batch.
func.func @groups(%x: tensor<2x6x5x48xbf16>, %w: tensor<48x3x3x16xbf16>) -> tensor<2x4x3x48xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 3] {mlc.channels_last = "here"} : (tensor<2x6x5x48xbf16>, tensor<48x3x3x16xbf16>) -> (tensor<2x4x3x48xbf16>)
  func.return %y : tensor<2x4x3x48xbf16>
}

// -----

// QUICKER-LABEL: func.func @groups_in_vain(
// QUICKER-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w)
// QUICKER-NOT:     mlc_tensor.extern
// QUICKER:         func.return %y, %z
// The library computes groups of so many channels as quickly; for groups of no power of two it changes the layout.
func.func @groups_in_vain(%x: tensor<16x56x56x256xbf16>, %w: tensor<256x3x3x128xbf16>, %u: tensor<16x56x56x240xbf16>, %v: tensor<240x3x3x24xbf16>) -> (tensor<16x56x56x256xbf16>, tensor<16x56x56x240xbf16>) {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 2] {mlc.channels_last = "here"} : (tensor<16x56x56x256xbf16>, tensor<256x3x3x128xbf16>) -> (tensor<16x56x56x256xbf16>)
  %z = mlc_tensor.extern "aten.convolution.default"(%u, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 10] {mlc.channels_last = "here"} : (tensor<16x56x56x240xbf16>, tensor<240x3x3x24xbf16>) -> (tensor<16x56x56x240xbf16>)
  func.return %y, %z : tensor<16x56x56x256xbf16>, tensor<16x56x56x240xbf16>
}

// -----

// QUICKER-LABEL: func.func @alone(
// QUICKER-NEXT:    %y = mlc_tensor.extern "aten.convolution.default"(%x, %w)
// QUICKER-NOT:     mlc_tensor.extern
// QUICKER:         mlc_tensor.reduce add
// QUICKER:         func.return %y, %r
// By itself the library is quicker; a kernel behind it, which would read its result, takes longer than the difference.
func.func @alone(%x: tensor<32x56x56x64xbf16>, %w: tensor<256x1x1x64xbf16>) -> (tensor<32x56x56x256xbf16>, tensor<32x56x56x256xbf16>) {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<32x56x56x64xbf16>, tensor<256x1x1x64xbf16>) -> (tensor<32x56x56x256xbf16>)
  %z = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<32x56x56x64xbf16>, tensor<256x1x1x64xbf16>) -> (tensor<32x56x56x256xbf16>)
  %r = mlc_tensor.exp %z : tensor<32x56x56x256xbf16>
  func.return %y, %r : tensor<32x56x56x256xbf16>, tensor<32x56x56x256xbf16>
}

// -----

// Patches that do not overlap take the library long, with 4 x 4 places as with 2 x 2, whatever follows.
// QUICKER-LABEL: func.func @patches(
// QUICKER-NOT:     mlc_tensor.extern
// QUICKER:         mlc_tensor.reduce add
// QUICKER:         func.return
func.func @patches(%x: tensor<16x64x64x64xbf16>, %w: tensor<64x4x4x64xbf16>) -> tensor<16x16x16x64xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<16x64x64x64xbf16>, tensor<64x4x4x64xbf16>) -> (tensor<16x16x16x64xbf16>)
  func.return %y : tensor<16x16x16x64xbf16>
}

// -----

// Each channel by itself: a product and a fused sum for each place, in straight code.
// CHECK-LABEL: func.func @depthwise(
// CHECK-NEXT:    %y = mlc_tensor.pad %x low [0, 1, 0, 0]
// CHECK:         mlc_tensor.slice
// CHECK:         %[[P:.*]] = mlc_tensor.mul
// CHECK-NOT:     mlc_tensor.mul
// CHECK:         %[[Q:.*]] = mlc_tensor.fma {{.*}}, %[[P]]
// CHECK:         %[[R:.*]] = mlc_tensor.fma {{.*}}, %[[Q]]
// CHECK-NOT:     mlc_tensor.fma
// CHECK:         %[[WIDE:.*]] = mlc_tensor.cast %b : tensor<8xbf16> -> tensor<8xf32>
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.broadcast %[[WIDE]]
// CHECK-NEXT:    mlc_tensor.add %[[R]], %[[B]]
func.func @depthwise(%x: tensor<2x6x5x8xbf16>, %w: tensor<8x3x1x1xbf16>, %b: tensor<8xbf16>) -> tensor<2x6x5x8xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [1, 1], [1, 0], [1, 1], false, [0, 0], 8] {mlc.channels_last = "here"} : (tensor<2x6x5x8xbf16>, tensor<8x3x1x1xbf16>, tensor<8xbf16>) -> (tensor<2x6x5x8xbf16>)
  func.return %y : tensor<2x6x5x8xbf16>
}

// -----

// CHECK-LABEL: func.func @keeps_library(
// CHECK-NEXT:    %a = mlc_tensor.extern "aten.convolution.default"
// CHECK-NEXT:    %b = mlc_tensor.extern "aten.convolution.default"
// CHECK-NEXT:    %c = mlc_tensor.extern "aten.convolution.default"
// CHECK-NEXT:    %d = mlc_tensor.extern "aten.convolution.default"
// CHECK-NEXT:    %e = mlc_tensor.extern "aten.convolution.default"
// CHECK-NOT:     mlc_tensor.reduce
// Channels first, float32, groups of fewer channels than tensor cores multiply, transposed, channels that are no whole
// vectors.
func.func @keeps_library(%x: tensor<2x32x6x5xbf16>, %f: tensor<2x6x5x32xf32>, %l: tensor<2x6x5x32xbf16>, %o: tensor<2x6x5x33xbf16>, %w: tensor<32x32x3x3xbf16>, %v: tensor<32x3x3x32xf32>, %g: tensor<32x3x3x8xbf16>, %t: tensor<32x3x3x32xbf16>, %p: tensor<32x3x3x33xbf16>) -> (tensor<2x32x4x3xbf16>, tensor<2x4x3x32xf32>, tensor<2x4x3x32xbf16>, tensor<2x8x7x32xbf16>, tensor<2x4x3x32xbf16>) {
  %a = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x32x6x5xbf16>, tensor<32x32x3x3xbf16>) -> (tensor<2x32x4x3xbf16>)
  %b = mlc_tensor.extern "aten.convolution.default"(%f, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<2x6x5x32xf32>, tensor<32x3x3x32xf32>) -> (tensor<2x4x3x32xf32>)
  %c = mlc_tensor.extern "aten.convolution.default"(%l, %g) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 4] {mlc.channels_last = "here"} : (tensor<2x6x5x32xbf16>, tensor<32x3x3x8xbf16>) -> (tensor<2x4x3x32xbf16>)
  %d = mlc_tensor.extern "aten.convolution.default"(%l, %t) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], true, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<2x6x5x32xbf16>, tensor<32x3x3x32xbf16>) -> (tensor<2x8x7x32xbf16>)
  %e = mlc_tensor.extern "aten.convolution.default"(%o, %p) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] {mlc.channels_last = "here"} : (tensor<2x6x5x33xbf16>, tensor<32x3x3x33xbf16>) -> (tensor<2x4x3x32xbf16>)
  func.return %a, %b, %c, %d, %e : tensor<2x32x4x3xbf16>, tensor<2x4x3x32xf32>, tensor<2x4x3x32xbf16>, tensor<2x8x7x32xbf16>, tensor<2x4x3x32xbf16>
}
