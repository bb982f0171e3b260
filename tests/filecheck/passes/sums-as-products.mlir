// RUN: mlc-opt %s -p 'sums-as-products{terms=1}' --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'sums-as-products{rounded=true terms=1}' --split-input-file | filecheck %s --check-prefix=ROUNDED
// RUN: mlc-opt %s -p 'sums-as-products{terms=262145}' --split-input-file | filecheck %s --check-prefix=TERMS

// Rows of the one, columns of the other, and terms that both have.
// CHECK-LABEL: @rows_and_columns(
// CHECK:         %[[T:.*]] = mlc_tensor.permute %{{.*}} [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
// CHECK:         mlc_tensor.matmul %{{.*}}, %{{.*}} : tensor<32x128xf32>, tensor<128x64xf32> -> tensor<32x64xf32>
// CHECK-NOT:     mlc_tensor.reduce
// CHECK:         func.return %{{.*}} : tensor<32x64x1xf32>

// Nor are fewer terms than asked for, 32 * 64 * 128 here.
// TERMS-LABEL:    @rows_and_columns(
// TERMS:          mlc_tensor.reduce add

// What TF32 may round is no product.
// ROUNDED-LABEL:  @rows_and_columns(
// ROUNDED:         mlc_tensor.reduce add
func.func @rows_and_columns(%x: tensor<32x1x128xf32>, %y: tensor<64x128xf32>) -> tensor<32x64x1xf32> {
  %a = mlc_tensor.broadcast %x : tensor<32x1x128xf32> -> tensor<32x64x128xf32>
  %b = mlc_tensor.broadcast %y : tensor<64x128xf32> -> tensor<32x64x128xf32>
  %m = mlc_tensor.mul %a, %b : tensor<32x64x128xf32>
  %s = mlc_tensor.reduce add %m dims [2] : tensor<32x64x128xf32> -> tensor<32x64x1xf32>
  func.return %s : tensor<32x64x1xf32>
}

// -----

// Dimensions in any order, several of each kind, and one that both have before those that are summed. float64 is no
// matter of TF32.
// CHECK-LABEL: @any_order(
// CHECK-DAG:     %[[X:.*]] = mlc_tensor.reshape %{{.*}} -> tensor<5x48x36xf64>
// CHECK-DAG:     %[[Y:.*]] = mlc_tensor.reshape %{{.*}} -> tensor<5x36x40xf64>
// CHECK:         %[[P:.*]] = mlc_tensor.matmul %[[X]], %[[Y]]
// CHECK:         %[[S:.*]] = mlc_tensor.reshape %[[P]] : tensor<5x48x40xf64> -> tensor<5x6x8x40xf64>
// CHECK:         %[[T:.*]] = mlc_tensor.permute %[[S]] [1, 0, 3, 2] : tensor<5x6x8x40xf64> -> tensor<6x5x40x8xf64>
// CHECK:         mlc_tensor.reshape %[[T]] : tensor<6x5x40x8xf64> -> tensor<1x6x5x40x1x8xf64>
// ROUNDED-LABEL:  @any_order(
// ROUNDED:         mlc_tensor.matmul
func.func @any_order(%x: tensor<9x6x5x1x4x8xf64>, %y: tensor<9x1x5x40x4x1xf64>) -> tensor<1x6x5x40x1x8xf64> {
  %a = mlc_tensor.broadcast %x : tensor<9x6x5x1x4x8xf64> -> tensor<9x6x5x40x4x8xf64>
  %b = mlc_tensor.broadcast %y : tensor<9x1x5x40x4x1xf64> -> tensor<9x6x5x40x4x8xf64>
  %m = mlc_tensor.mul %a, %b : tensor<9x6x5x40x4x8xf64>
  %s = mlc_tensor.reduce add %m dims [0, 4] : tensor<9x6x5x40x4x8xf64> -> tensor<1x6x5x40x1x8xf64>
  func.return %s : tensor<1x6x5x40x1x8xf64>
}

// -----

// Sizes that are known at run time are taken to be large.
// CHECK-LABEL: @named_sizes(
// CHECK:         mlc_tensor.matmul
func.func @named_sizes(%x: tensor<?x1x64xf32, ["N", "1", "64"]>, %y: tensor<1x48x64xf32>) -> tensor<?x48x1xf32, ["N", "48", "1"]> {
  %a = mlc_tensor.broadcast %x : tensor<?x1x64xf32, ["N", "1", "64"]> -> tensor<?x48x64xf32, ["N", "48", "64"]>
  %b = mlc_tensor.broadcast %y : tensor<1x48x64xf32> -> tensor<?x48x64xf32, ["N", "48", "64"]>
  %m = mlc_tensor.mul %a, %b : tensor<?x48x64xf32, ["N", "48", "64"]>
  %s = mlc_tensor.reduce add %m dims [2] : tensor<?x48x64xf32, ["N", "48", "64"]> -> tensor<?x48x1xf32, ["N", "48", "1"]>
  func.return %s : tensor<?x48x1xf32, ["N", "48", "1"]>
}

// -----

// Few columns use each element too seldom.
// CHECK-LABEL: @keeps_few_columns(
// CHECK:         mlc_tensor.reduce add
func.func @keeps_few_columns(%x: tensor<512x1x128xf32>, %y: tensor<1x16x128xf32>) -> tensor<512x16x1xf32> {
  %a = mlc_tensor.broadcast %x : tensor<512x1x128xf32> -> tensor<512x16x128xf32>
  %b = mlc_tensor.broadcast %y : tensor<1x16x128xf32> -> tensor<512x16x128xf32>
  %m = mlc_tensor.mul %a, %b : tensor<512x16x128xf32>
  %s = mlc_tensor.reduce add %m dims [2] : tensor<512x16x128xf32> -> tensor<512x16x1xf32>
  func.return %s : tensor<512x16x1xf32>
}

// -----

// The products themselves are wanted, too.
// CHECK-LABEL: @keeps_products_that_are_used(
// CHECK:         mlc_tensor.reduce add
func.func @keeps_products_that_are_used(%x: tensor<32x1x128xf32>, %y: tensor<64x128xf32>) -> (tensor<32x64x128xf32>, tensor<32x64x1xf32>) {
  %a = mlc_tensor.broadcast %x : tensor<32x1x128xf32> -> tensor<32x64x128xf32>
  %b = mlc_tensor.broadcast %y : tensor<64x128xf32> -> tensor<32x64x128xf32>
  %m = mlc_tensor.mul %a, %b : tensor<32x64x128xf32>
  %s = mlc_tensor.reduce add %m dims [2] : tensor<32x64x128xf32> -> tensor<32x64x1xf32>
  func.return %m, %s : tensor<32x64x128xf32>, tensor<32x64x1xf32>
}

// -----

// Products of 16 bits are rounded before they are added; a maximum is no sum; neither is a sum that one factor lacks.
// CHECK-LABEL: @keeps_what_is_no_product(
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         func.return
func.func @keeps_what_is_no_product(%x: tensor<32x1x128xf16>, %y: tensor<64x128xf16>, %z: tensor<32x1x1xf32>, %w: tensor<64x128xf32>) -> (tensor<32x64x1xf16>, tensor<32x64x1xf32>, tensor<32x64x1xf32>) {
  %a = mlc_tensor.broadcast %x : tensor<32x1x128xf16> -> tensor<32x64x128xf16>
  %b = mlc_tensor.broadcast %y : tensor<64x128xf16> -> tensor<32x64x128xf16>
  %m = mlc_tensor.mul %a, %b : tensor<32x64x128xf16>
  %s = mlc_tensor.reduce add %m dims [2] : tensor<32x64x128xf16> -> tensor<32x64x1xf16>
  %c = mlc_tensor.broadcast %z : tensor<32x1x1xf32> -> tensor<32x64x128xf32>
  %d = mlc_tensor.broadcast %w : tensor<64x128xf32> -> tensor<32x64x128xf32>
  %n = mlc_tensor.mul %c, %d : tensor<32x64x128xf32>
  %t = mlc_tensor.reduce add %n dims [2] : tensor<32x64x128xf32> -> tensor<32x64x1xf32>
  %o = mlc_tensor.mul %d, %d : tensor<32x64x128xf32>
  %u = mlc_tensor.reduce max %o dims [2] : tensor<32x64x128xf32> -> tensor<32x64x1xf32>
  func.return %s, %t, %u : tensor<32x64x1xf16>, tensor<32x64x1xf32>, tensor<32x64x1xf32>
}
