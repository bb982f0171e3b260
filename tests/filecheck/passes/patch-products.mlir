// RUN: mlc-opt %s -p patch-products | filecheck %s

// Convolutions of patches that cover a picture, and those that are left to the library.

// CHECK-LABEL: func.func @pictures(
// CHECK-NEXT:    %y = mlc_tensor.reshape %x : tensor<2x3x8x12xbf16> -> tensor<2x3x2x4x3x4xbf16>
// CHECK-NEXT:    %y_1 = mlc_tensor.permute %y [0, 2, 4, 1, 3, 5] : tensor<2x3x2x4x3x4xbf16> -> tensor<2x2x3x3x4x4xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.reshape %y_1 : tensor<2x2x3x3x4x4xbf16> -> tensor<12x48xbf16>
// CHECK-NEXT:    %y_3 = mlc_tensor.reshape %w : tensor<16x3x4x4xbf16> -> tensor<16x48xbf16>
// CHECK-NEXT:    %y_4 = mlc_tensor.permute %y_3 [1, 0] : tensor<16x48xbf16> -> tensor<48x16xbf16>
// CHECK-NEXT:    %y_5 = mlc_tensor.matmul %y_2, %y_4 : tensor<12x48xbf16>, tensor<48x16xbf16> -> tensor<12x16xbf16>
// CHECK-NEXT:    %y_6 = mlc_tensor.reshape %y_5 : tensor<12x16xbf16> -> tensor<2x2x3x16xbf16>
// CHECK-NEXT:    %y_7 = mlc_tensor.permute %y_6 [0, 3, 1, 2] : tensor<2x2x3x16xbf16> -> tensor<2x16x2x3xbf16>
// CHECK-NEXT:    func.return %y_7 : tensor<2x16x2x3xbf16>
func.func @pictures(%x: tensor<2x3x8x12xbf16>, %w: tensor<16x3x4x4xbf16>) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x12xbf16>, tensor<16x3x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// However many pictures; what kernels compute of the picture is computed on the way.
// CHECK-LABEL: func.func @computed(
// CHECK:         mlc_tensor.matmul {{.*}} : tensor<?x48xbf16, ["N * 6", "48"]>, tensor<48x16xbf16> -> tensor<?x16xbf16, ["N * 6", "16"]>
func.func @computed(%x: tensor<?x3x8x12xf32, ["N", "3", "8", "12"]>, %mean: tensor<3xf32>, %w: tensor<16x3x4x4xf32>) -> tensor<?x16x2x3xbf16, ["N", "16", "2", "3"]> {
  %c = mlc_tensor.reshape %mean : tensor<3xf32> -> tensor<3x1x1xf32>
  %m = mlc_tensor.broadcast %c : tensor<3x1x1xf32> -> tensor<?x3x8x12xf32, ["N", "3", "8", "12"]>
  %d = mlc_tensor.sub %x, %m : tensor<?x3x8x12xf32, ["N", "3", "8", "12"]>
  %h = mlc_tensor.cast %d : tensor<?x3x8x12xf32, ["N", "3", "8", "12"]> -> tensor<?x3x8x12xbf16, ["N", "3", "8", "12"]>
  %v = mlc_tensor.cast %w : tensor<16x3x4x4xf32> -> tensor<16x3x4x4xbf16>
  %y = mlc_tensor.extern "aten.convolution.default"(%h, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<?x3x8x12xbf16, ["N", "3", "8", "12"]>, tensor<16x3x4x4xbf16>) -> (tensor<?x16x2x3xbf16, ["N", "16", "2", "3"]>)
  func.return %y : tensor<?x16x2x3xbf16, ["N", "16", "2", "3"]>
}

// Of sound and of films as well.
// CHECK-LABEL: func.func @sound(
// CHECK:         mlc_tensor.matmul {{.*}} : tensor<8x16xf16>, tensor<16x8xf16> -> tensor<8x8xf16>
func.func @sound(%x: tensor<2x1x64xf16>, %w: tensor<8x1x16xf16>) -> tensor<2x8x4xf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [16], [0], [1], false, [0], 1] : (tensor<2x1x64xf16>, tensor<8x1x16xf16>) -> (tensor<2x8x4xf16>)
  func.return %y : tensor<2x8x4xf16>
}

// CHECK-LABEL: func.func @films(
// CHECK:         %y_1 = mlc_tensor.permute %y [0, 2, 4, 6, 1, 3, 5, 7] : tensor<1x3x2x2x2x4x2x4xbf16> -> tensor<1x2x2x2x3x2x4x4xbf16>
// CHECK:         mlc_tensor.matmul {{.*}} : tensor<8x96xbf16>, tensor<96x8xbf16> -> tensor<8x8xbf16>
func.func @films(%x: tensor<1x3x4x8x8xbf16>, %w: tensor<8x3x2x4x4xbf16>) -> tensor<1x8x2x2x2xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [2, 4, 4], [0, 0, 0], [1, 1, 1], false, [0, 0, 0], 1] : (tensor<1x3x4x8x8xbf16>, tensor<8x3x2x4x4xbf16>) -> (tensor<1x8x2x2x2xbf16>)
  func.return %y : tensor<1x8x2x2x2xbf16>
}

// Patches overlap.
// CHECK-LABEL: func.func @keeps_overlapping(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @keeps_overlapping(%x: tensor<2x3x8x10xbf16>, %w: tensor<16x3x4x4xbf16>) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 3], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x10xbf16>, tensor<16x3x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// Some places are in no patch.
// CHECK-LABEL: func.func @gaps(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @gaps(%x: tensor<2x3x12x12xbf16>, %w: tensor<16x3x4x4xbf16>) -> tensor<2x16x2x2xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [8, 8], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x12x12xbf16>, tensor<16x3x4x4xbf16>) -> (tensor<2x16x2x2xbf16>)
  func.return %y : tensor<2x16x2x2xbf16>
}

// The last columns are in none.
// CHECK-LABEL: func.func @rest(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @rest(%x: tensor<2x3x8x13xbf16>, %w: tensor<16x3x4x4xbf16>) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x13xbf16>, tensor<16x3x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// There is a border.
// CHECK-LABEL: func.func @bordered(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @bordered(%x: tensor<2x3x6x10xbf16>, %w: tensor<16x3x4x4xbf16>) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x3x6x10xbf16>, tensor<16x3x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// Places are skipped.
// CHECK-LABEL: func.func @dilated(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @dilated(%x: tensor<2x3x10x12xbf16>, %w: tensor<16x3x2x4xbf16>) -> tensor<2x16x4x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [2, 4], [0, 0], [2, 1], false, [0, 0], 1] : (tensor<2x3x10x12xbf16>, tensor<16x3x2x4xbf16>) -> (tensor<2x16x4x3xbf16>)
  func.return %y : tensor<2x16x4x3xbf16>
}

// In the other direction.
// CHECK-LABEL: func.func @transposed(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @transposed(%x: tensor<2x3x8x12xbf16>, %w: tensor<3x16x4x4xbf16>) -> tensor<2x16x32x48xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], true, [0, 0], 1] : (tensor<2x3x8x12xbf16>, tensor<3x16x4x4xbf16>) -> (tensor<2x16x32x48xbf16>)
  func.return %y : tensor<2x16x32x48xbf16>
}

// In groups.
// CHECK-LABEL: func.func @grouped(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @grouped(%x: tensor<2x4x8x12xbf16>, %w: tensor<16x2x4x4xbf16>) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 2] : (tensor<2x4x8x12xbf16>, tensor<16x2x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// One place a side is a product for the library too.
// CHECK-LABEL: func.func @one_place(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @one_place(%x: tensor<2x3x8x12xbf16>, %w: tensor<16x3x1x1xbf16>) -> tensor<2x16x8x12xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x12xbf16>, tensor<16x3x1x1xbf16>) -> (tensor<2x16x8x12xbf16>)
  func.return %y : tensor<2x16x8x12xbf16>
}

// In TF32, if the user allows it.
// CHECK-LABEL: func.func @float32(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @float32(%x: tensor<2x3x8x12xf32>, %w: tensor<16x3x4x4xf32>) -> tensor<2x16x2x3xf32> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x12xf32>, tensor<16x3x4x4xf32>) -> (tensor<2x16x2x3xf32>)
  func.return %y : tensor<2x16x2x3xf32>
}

// Rows of the product would begin between vectors.
// CHECK-LABEL: func.func @unaligned(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @unaligned(%x: tensor<2x3x8x12xbf16>, %w: tensor<16x3x2x2xbf16>) -> tensor<2x16x4x6xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [2, 2], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x12xbf16>, tensor<16x3x2x2xbf16>) -> (tensor<2x16x4x6xbf16>)
  func.return %y : tensor<2x16x4x6xbf16>
}

// It lies channels last: the library reads it as it is.
// CHECK-LABEL: func.func @channels_last(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @channels_last(%x: tensor<2x3x8x12xbf16> {mlc.strides = ["288", "1", "36", "3"]}, %w: tensor<16x3x4x4xbf16>) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x12xbf16>, tensor<16x3x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// So do weights.
// CHECK-LABEL: func.func @weights_last(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @weights_last(%x: tensor<2x3x8x12xbf16>, %w: tensor<16x3x4x4xbf16> {mlc.strides = ["48", "1", "12", "3"]}) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x12xbf16>, tensor<16x3x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// Channels are innermost where it comes from.
// CHECK-LABEL: func.func @permuted(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @permuted(%x: tensor<2x8x8x12xbf16>, %w: tensor<16x8x4x4xbf16>, %l: tensor<2x8x12x8xbf16>) -> tensor<2x16x2x3xbf16> {
  %p = mlc_tensor.permute %l [0, 3, 1, 2] : tensor<2x8x12x8xbf16> -> tensor<2x8x8x12xbf16>
  %y = mlc_tensor.extern "aten.convolution.default"(%p, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x8x8x12xbf16>, tensor<16x8x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// Another convolution computes it, which may give it channels last.
// CHECK-LABEL: func.func @inner(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @inner(%x: tensor<2x8x8x12xbf16>, %w: tensor<16x8x4x4xbf16>, %v: tensor<8x8x3x3xbf16>) -> tensor<2x16x2x3xbf16> {
  %p = mlc_tensor.extern "aten.convolution.default"(%x, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [1, 1], [1, 1], [1, 1], false, [0, 0], 1] : (tensor<2x8x8x12xbf16>, tensor<8x8x3x3xbf16>) -> (tensor<2x8x8x12xbf16>)
  %r = mlc_tensor.abs %p : tensor<2x8x8x12xbf16>
  %y = mlc_tensor.extern "aten.convolution.default"(%r, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x8x8x12xbf16>, tensor<16x8x4x4xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}

// Only calls read the result, and the library may add the bias on its way.
// CHECK-LABEL: func.func @biased(
// CHECK:         mlc_tensor.extern "aten.convolution.default"
func.func @biased(%x: tensor<2x3x8x12xbf16>, %w: tensor<16x3x4x4xbf16>, %b: tensor<16xbf16>) -> tensor<2x16x2x3xbf16> {
  %y = mlc_tensor.extern "aten.convolution.default"(%x, %w, %b) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, [4, 4], [0, 0], [1, 1], false, [0, 0], 1] : (tensor<2x3x8x12xbf16>, tensor<16x3x4x4xbf16>, tensor<16xbf16>) -> (tensor<2x16x2x3xbf16>)
  func.return %y : tensor<2x16x2x3xbf16>
}
