// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Constants keep NaN, the infinities of f8E5M2, and -0.0; others are rounded to the type.
// CHECK-LABEL: @constants(
// CHECK-NEXT:    mlc_tensor.constant 0x7f : tensor<2xf8E4M3FN>
// CHECK-NEXT:    mlc_tensor.constant -0.000000e+00 : tensor<2xf8E4M3FN>
// CHECK-NEXT:    mlc_tensor.constant 1.125000e+00 : tensor<2xf8E4M3FN>
// CHECK-NEXT:    mlc_tensor.constant 0x7c : tensor<2xf8E5M2>
// CHECK-NEXT:    mlc_tensor.constant 0xfc : tensor<2xf8E5M2>
// CHECK-NEXT:    mlc_tensor.constant dense<[1.000000e+00, 5.734400e+04]> : tensor<2xf8E5M2>
func.func @constants() {
  %a = mlc_tensor.constant 0x7F : tensor<2xf8E4M3FN>
  %b = mlc_tensor.constant -0.0 : tensor<2xf8E4M3FN>
  %c = mlc_tensor.constant 1.1 : tensor<2xf8E4M3FN>
  %d = mlc_tensor.constant 0x7C : tensor<2xf8E5M2>
  %e = mlc_tensor.constant 0xFC : tensor<2xf8E5M2>
  %f = mlc_tensor.constant dense<[1.0, 57344.0]> : tensor<2xf8E5M2>
  func.return
}

// CHECK-LABEL: @moves(
// CHECK-NEXT:    mlc_tensor.cast %x : tensor<4x8xbf16> -> tensor<4x8xf8E4M3FN>
// CHECK-NEXT:    mlc_tensor.select %c, %{{.*}}, %y : tensor<4x8xf8E4M3FN>
// CHECK-NEXT:    mlc_tensor.permute
// CHECK-NEXT:    mlc_tensor.cast %{{.*}} : tensor<8x4xf8E4M3FN> -> tensor<8x4xf8E5M2>
func.func @moves(%x: tensor<4x8xbf16>, %c: tensor<4x8xi1>, %y: tensor<4x8xf8E4M3FN>) -> tensor<8x4xf8E5M2> {
  %q = mlc_tensor.cast %x : tensor<4x8xbf16> -> tensor<4x8xf8E4M3FN>
  %s = mlc_tensor.select %c, %q, %y : tensor<4x8xf8E4M3FN>
  %t = mlc_tensor.permute %s [1, 0] : tensor<4x8xf8E4M3FN> -> tensor<8x4xf8E4M3FN>
  %r = mlc_tensor.cast %t : tensor<8x4xf8E4M3FN> -> tensor<8x4xf8E5M2>
  func.return %r : tensor<8x4xf8E5M2>
}
