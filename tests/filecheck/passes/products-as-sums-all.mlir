// RUN: mlc-opt %s -p products-as-sums{choose=all} --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'products-as-sums{choose=all tf32=true}' --split-input-file | filecheck %s --check-prefix=TF32

// Small ones are ours where all are asked for.
// CHECK-LABEL: func.func @small(
// CHECK-NEXT:    %y = mlc_tensor.reshape %x : tensor<32x16xbf16> -> tensor<32x16x1xbf16>
// CHECK-NEXT:    %y_1 = mlc_tensor.broadcast %y : tensor<32x16x1xbf16> -> tensor<32x16x48xbf16>
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         mlc_tensor.reduce add {{.*}} dims [1] : tensor<32x16x48xf32> -> tensor<32x1x48xf32>
func.func @small(%x: tensor<32x16xbf16>, %w: tensor<16x48xbf16>) -> tensor<32x48xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<32x16xbf16>, tensor<16x48xbf16> -> tensor<32x48xbf16>
  func.return %y : tensor<32x48xbf16>
}

// -----

// Tensor cores multiply blocks of 16 rows or columns at least, of which some may be none; float32 is for the library.
// With TF32 those of float32 matrices are sums that say so; others are as they were.
// TF32-LABEL: func.func @small(
// TF32:         mlc_tensor.reduce add %{{.*}} dims [1] : tensor<32x16x48xf32> -> tensor<32x1x48xf32>
// TF32-LABEL: func.func @keeps_library(
// TF32:         mlc_tensor.matmul
// TF32-NOT:     mlc_tensor.matmul
// TF32:         mlc_tensor.reduce add tf32 %{{.*}} dims [1] : tensor<16x16x16xf32> -> tensor<16x1x16xf32>
// CHECK-LABEL: func.func @keeps_library(
// CHECK-NEXT:    %y = mlc_tensor.matmul %x, %w : tensor<2x64xbf16>, tensor<64x8xbf16> -> tensor<2x8xbf16>
// CHECK-NEXT:    %u = mlc_tensor.matmul %f, %f : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
func.func @keeps_library(%x: tensor<2x64xbf16>, %w: tensor<64x8xbf16>, %f: tensor<16x16xf32>) -> (tensor<2x8xbf16>, tensor<16x16xf32>) {
  %y = mlc_tensor.matmul %x, %w : tensor<2x64xbf16>, tensor<64x8xbf16> -> tensor<2x8xbf16>
  %u = mlc_tensor.matmul %f, %f : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  func.return %y, %u : tensor<2x8xbf16>, tensor<16x16xf32>
}

// -----

// Of few rows a block is not full.
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         mlc_tensor.reduce add {{.*}} dims [1] : tensor<2x64x96xf32> -> tensor<2x1x96xf32>
func.func @few_rows(%x: tensor<2x64xbf16>, %w: tensor<64x96xbf16>) -> tensor<2x96xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<2x64xbf16>, tensor<64x96xbf16> -> tensor<2x96xbf16>
  func.return %y : tensor<2x96xbf16>
}

// -----

// Each product of a batch is a sum along the same dimension.
// CHECK-LABEL: func.func @batch(
// CHECK-NEXT:    %y = mlc_tensor.reshape %x : tensor<3x16x32xbf16> -> tensor<3x16x32x1xbf16>
// CHECK-NEXT:    %y_1 = mlc_tensor.broadcast %y : tensor<3x16x32x1xbf16> -> tensor<3x16x32x48xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.cast %y_1 : tensor<3x16x32x48xbf16> -> tensor<3x16x32x48xf32>
// CHECK-NEXT:    %y_3 = mlc_tensor.reshape %w : tensor<3x32x48xbf16> -> tensor<3x1x32x48xbf16>
// CHECK-NEXT:    %y_4 = mlc_tensor.broadcast %y_3 : tensor<3x1x32x48xbf16> -> tensor<3x16x32x48xbf16>
// CHECK:         mlc_tensor.reduce add {{.*}} dims [2] : tensor<3x16x32x48xf32> -> tensor<3x16x1x48xf32>
// CHECK:         mlc_tensor.reshape {{.*}} : tensor<3x16x1x48xf32> -> tensor<3x16x48xf32>
// CHECK-NOT:     mlc_tensor.matmul
func.func @batch(%x: tensor<3x16x32xbf16>, %w: tensor<3x32x48xbf16>) -> tensor<3x16x48xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<3x16x32xbf16>, tensor<3x32x48xbf16> -> tensor<3x16x48xbf16>
  func.return %y : tensor<3x16x48xbf16>
}

// -----

// No product at all, and one of sizes that are not known, are the library's.
// CHECK-LABEL: func.func @keeps_batch(
// CHECK-COUNT-2: mlc_tensor.matmul
func.func @keeps_batch(%x: tensor<0x16x16xbf16>, %s: tensor<?x16x16xbf16, ["N", "16", "16"]>) -> (tensor<0x16x16xbf16>, tensor<?x16x16xbf16, ["N", "16", "16"]>) {
  %y = mlc_tensor.matmul %x, %x : tensor<0x16x16xbf16>, tensor<0x16x16xbf16> -> tensor<0x16x16xbf16>
  %z = mlc_tensor.matmul %s, %s : tensor<?x16x16xbf16, ["N", "16", "16"]>, tensor<?x16x16xbf16, ["N", "16", "16"]> -> tensor<?x16x16xbf16, ["N", "16", "16"]>
  func.return %y, %z : tensor<0x16x16xbf16>, tensor<?x16x16xbf16, ["N", "16", "16"]>
}
