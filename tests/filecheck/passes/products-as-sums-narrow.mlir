// RUN: mlc-opt %s -p products-as-sums --split-input-file | filecheck %s

// Weights of 8 bits for a few rows: a kernel of ours widens them as it loads them, the library would read them widened.
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [1] : tensor<4x4096x4096xf32> -> tensor<4x1x4096xf32>
func.func @few_rows(%x: tensor<4x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<1x4096xbf16>) -> tensor<4x4096xbf16> {
  %c = mlc_tensor.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %b = mlc_tensor.broadcast %s : tensor<1x4096xbf16> -> tensor<4096x4096xbf16>
  %m = mlc_tensor.mul %c, %b : tensor<4096x4096xbf16>
  %y = mlc_tensor.matmul %x, %m : tensor<4x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4x4096xbf16>
  func.return %y : tensor<4x4096xbf16>
}

// -----

// One row, also where sums run across the rows of memory.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
func.func @one_row(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<1x4096xbf16> {
  %c = mlc_tensor.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %y = mlc_tensor.matmul %x, %c : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  func.return %y : tensor<1x4096xbf16>
}

// -----

// Weights of 4 bits, two in a byte, with a scale for each group of 128; and up to a block of rows.
// CHECK-LABEL: func.func @four_bits(
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [1] : tensor<64x4096x4096xf32> -> tensor<64x1x4096xf32>
func.func @four_bits(%x: tensor<64x4096xbf16>, %w: tensor<4096x2048xui8>, %s: tensor<4096x32x1xbf16>) -> tensor<64x4096xbf16> {
  %low = mlc_tensor.constant 15 : tensor<4096x2048xui8>
  %four = mlc_tensor.constant 4 : tensor<4096x2048xui8>
  %a = mlc_tensor.and %w, %low : tensor<4096x2048xui8>
  %b = mlc_tensor.shr %w, %four : tensor<4096x2048xui8>
  %a1 = mlc_tensor.reshape %a : tensor<4096x2048xui8> -> tensor<4096x2048x1xui8>
  %b1 = mlc_tensor.reshape %b : tensor<4096x2048xui8> -> tensor<4096x2048x1xui8>
  %c = mlc_tensor.cat %a1, %b1 dim 2 : (tensor<4096x2048x1xui8>, tensor<4096x2048x1xui8>) -> tensor<4096x2048x2xui8>
  %g = mlc_tensor.reshape %c : tensor<4096x2048x2xui8> -> tensor<4096x32x128xui8>
  %f = mlc_tensor.cast %g : tensor<4096x32x128xui8> -> tensor<4096x32x128xbf16>
  %t = mlc_tensor.broadcast %s : tensor<4096x32x1xbf16> -> tensor<4096x32x128xbf16>
  %m = mlc_tensor.mul %f, %t : tensor<4096x32x128xbf16>
  %q = mlc_tensor.reshape %m : tensor<4096x32x128xbf16> -> tensor<4096x4096xbf16>
  %p = mlc_tensor.permute %q [1, 0] : tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  %y = mlc_tensor.matmul %x, %p : tensor<64x4096xbf16>, tensor<4096x4096xbf16> -> tensor<64x4096xbf16>
  func.return %y : tensor<64x4096xbf16>
}

// -----

// Many rows would unpack each weight often; others read the wide weights as well; these are as wide in memory.
// CHECK-LABEL: func.func @keeps_library(
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.reduce
func.func @keeps_library(%x: tensor<4x4096xbf16>, %r: tensor<1024x4096xbf16>, %w: tensor<4096x4096xi8>, %u: tensor<4096x4096xbf16>) -> (tensor<1024x4096xbf16>, tensor<4x4096xbf16>, tensor<4x4096xbf16>, tensor<1024x4096xbf16>) {
  %c = mlc_tensor.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %y = mlc_tensor.matmul %r, %c : tensor<1024x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1024x4096xbf16>
  %z = mlc_tensor.matmul %x, %c : tensor<4x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4x4096xbf16>
  %n = mlc_tensor.neg %u : tensor<4096x4096xbf16>
  %v = mlc_tensor.matmul %x, %n : tensor<4x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4x4096xbf16>
  %d = mlc_tensor.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %t = mlc_tensor.matmul %r, %d : tensor<1024x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1024x4096xbf16>
  func.return %y, %z, %v, %t : tensor<1024x4096xbf16>, tensor<4x4096xbf16>, tensor<4x4096xbf16>, tensor<1024x4096xbf16>
}

// -----

// Two weights of neighbouring outputs in a byte: also one row is a product of matrices, and no sum of vectors.
// CHECK-LABEL: func.func @two_outputs(
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [1] : tensor<1x4096x4096xf32> -> tensor<1x1x4096xf32>
func.func @two_outputs(%x: tensor<1x4096xbf16>, %w: tensor<4096x2048xui8>) -> tensor<1x4096xbf16> {
  %mask = mlc_tensor.constant 15 : tensor<4096x2048xui8>
  %bits = mlc_tensor.constant 4 : tensor<4096x2048xui8>
  %low = mlc_tensor.and %w, %mask : tensor<4096x2048xui8>
  %high = mlc_tensor.shr %w, %bits : tensor<4096x2048xui8>
  %l = mlc_tensor.reshape %low : tensor<4096x2048xui8> -> tensor<4096x2048x1xui8>
  %h = mlc_tensor.reshape %high : tensor<4096x2048xui8> -> tensor<4096x2048x1xui8>
  %pairs = mlc_tensor.cat %l, %h dim 2 : (tensor<4096x2048x1xui8>, tensor<4096x2048x1xui8>) -> tensor<4096x2048x2xui8>
  %q = mlc_tensor.reshape %pairs : tensor<4096x2048x2xui8> -> tensor<4096x4096xui8>
  %v = mlc_tensor.cast %q : tensor<4096x4096xui8> -> tensor<4096x4096xbf16>
  %y = mlc_tensor.matmul %x, %v : tensor<1x4096xbf16>, tensor<4096x4096xbf16> -> tensor<1x4096xbf16>
  func.return %y : tensor<1x4096xbf16>
}
