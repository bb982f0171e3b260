// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s

// Sines of positions, which 64 heads share: their arithmetic would take longer 64 times than a kernel of their own.
// CHECK-LABEL: func.func @positions(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.sin
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:       mlc_tensor.sin
// CHECK:           mlc_tensor.mul
func.func @positions(%angle: tensor<2048x128xbf16>, %x: tensor<64x2048x128xbf16>) -> tensor<64x2048x128xbf16> {
  %s = mlc_tensor.sin %angle : tensor<2048x128xbf16>
  %r = mlc_tensor.reshape %s : tensor<2048x128xbf16> -> tensor<1x2048x128xbf16>
  %b = mlc_tensor.broadcast %r : tensor<1x2048x128xbf16> -> tensor<64x2048x128xbf16>
  %y = mlc_tensor.mul %x, %b : tensor<64x2048x128xbf16>
  func.return %y : tensor<64x2048x128xbf16>
}

// -----

// An addition hides behind memory, however often; so does a sine whose kernel moves little, where a launch takes longer.
// CHECK-LABEL: func.func @cheap(
// CHECK-COUNT-1: mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
// CHECK:         func.return
func.func @cheap(%angle: tensor<2048x128xf32>, %x: tensor<64x2048x128xf32>) -> tensor<64x2048x128xf32> {
  %s = mlc_tensor.add %angle, %angle : tensor<2048x128xf32>
  %r = mlc_tensor.reshape %s : tensor<2048x128xf32> -> tensor<1x2048x128xf32>
  %b = mlc_tensor.broadcast %r : tensor<1x2048x128xf32> -> tensor<64x2048x128xf32>
  %y = mlc_tensor.mul %x, %b : tensor<64x2048x128xf32>
  func.return %y : tensor<64x2048x128xf32>
}

// -----

// CHECK-LABEL: func.func @few_heads(
// CHECK-COUNT-1: mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
// CHECK:         func.return
func.func @few_heads(%angle: tensor<64x64xf32>, %x: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %s = mlc_tensor.sin %angle : tensor<64x64xf32>
  %r = mlc_tensor.reshape %s : tensor<64x64xf32> -> tensor<1x64x64xf32>
  %b = mlc_tensor.broadcast %r : tensor<1x64x64xf32> -> tensor<4x64x64xf32>
  %y = mlc_tensor.mul %x, %b : tensor<4x64x64xf32>
  func.return %y : tensor<4x64x64xf32>
}

// -----

// The sine of a row's sum is computed once a row.
// CHECK-LABEL: func.func @of_a_row(
// CHECK-COUNT-1: mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
// CHECK:         func.return
func.func @of_a_row(%x: tensor<65536x2048xf32>) -> tensor<65536x2048xf32> {
  %m = mlc_tensor.reduce add %x dims [1] : tensor<65536x2048xf32> -> tensor<65536x1xf32>
  %s = mlc_tensor.sin %m : tensor<65536x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<65536x1xf32> -> tensor<65536x2048xf32>
  %y = mlc_tensor.mul %x, %b : tensor<65536x2048xf32>
  func.return %y : tensor<65536x2048xf32>
}

// -----

// Nor do two kernels that read what a third stores compute its sines again.
// CHECK-LABEL: func.func @two_readers(
// CHECK-COUNT-1: mlc_tensor.sin
// CHECK-NOT:     mlc_tensor.sin
// CHECK:         func.return
func.func @two_readers(%angle: tensor<2048x128xbf16>, %x: tensor<64x2048x128xbf16>, %z: tensor<32x128x2048xbf16>) -> (tensor<64x2048x128xbf16>, tensor<32x128x2048xbf16>) {
  %s = mlc_tensor.sin %angle : tensor<2048x128xbf16>
  %r = mlc_tensor.reshape %s : tensor<2048x128xbf16> -> tensor<1x2048x128xbf16>
  %b = mlc_tensor.broadcast %r : tensor<1x2048x128xbf16> -> tensor<64x2048x128xbf16>
  %y = mlc_tensor.mul %x, %b : tensor<64x2048x128xbf16>
  %t = mlc_tensor.permute %s [1, 0] : tensor<2048x128xbf16> -> tensor<128x2048xbf16>
  %q = mlc_tensor.reshape %t : tensor<128x2048xbf16> -> tensor<1x128x2048xbf16>
  %c = mlc_tensor.broadcast %q : tensor<1x128x2048xbf16> -> tensor<32x128x2048xbf16>
  %w = mlc_tensor.mul %z, %c : tensor<32x128x2048xbf16>
  func.return %y, %w : tensor<64x2048x128xbf16>, tensor<32x128x2048xbf16>
}
