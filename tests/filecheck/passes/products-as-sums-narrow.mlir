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

// Many rows use each weight often; others read the wide weights as well; these are as wide in memory; a scale for each
// group of rows has sums along two axes.
// CHECK-LABEL: func.func @keeps_library(
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.reduce
func.func @keeps_library(%x: tensor<4x4096xbf16>, %r: tensor<512x4096xbf16>, %w: tensor<4096x4096xi8>, %u: tensor<4096x4096xbf16>, %s: tensor<32x1x4096xbf16>) -> (tensor<512x4096xbf16>, tensor<4x4096xbf16>, tensor<4x4096xbf16>, tensor<4x4096xbf16>) {
  %c = mlc_tensor.cast %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %y = mlc_tensor.matmul %r, %c : tensor<512x4096xbf16>, tensor<4096x4096xbf16> -> tensor<512x4096xbf16>
  %z = mlc_tensor.matmul %x, %c : tensor<4x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4x4096xbf16>
  %n = mlc_tensor.neg %u : tensor<4096x4096xbf16>
  %v = mlc_tensor.matmul %x, %n : tensor<4x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4x4096xbf16>
  %g = mlc_tensor.reshape %w : tensor<4096x4096xi8> -> tensor<32x128x4096xi8>
  %h = mlc_tensor.cast %g : tensor<32x128x4096xi8> -> tensor<32x128x4096xbf16>
  %b = mlc_tensor.broadcast %s : tensor<32x1x4096xbf16> -> tensor<32x128x4096xbf16>
  %m = mlc_tensor.mul %h, %b : tensor<32x128x4096xbf16>
  %q = mlc_tensor.reshape %m : tensor<32x128x4096xbf16> -> tensor<4096x4096xbf16>
  %t = mlc_tensor.matmul %x, %q : tensor<4x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4x4096xbf16>
  func.return %y, %z, %v, %t : tensor<512x4096xbf16>, tensor<4x4096xbf16>, tensor<4x4096xbf16>, tensor<4x4096xbf16>
}
