// RUN: mlc-opt %s -p pad-products,dce | filecheck %s

// Gradients of a last layer: rows of the factor begin at odd elements, which is as slow for kernels of ours as for the
// library. It is padded once for both.
// CHECK-LABEL: func.func @gradients(
// CHECK:         %[[G:.*]] = mlc_tensor.pad %g
// CHECK-NOT:     mlc_tensor.pad %g
// CHECK:         mlc_tensor.matmul %{{.*}}, %h : tensor<50264x16384xbf16>, tensor<16384x768xbf16>
// CHECK-NOT:     mlc_tensor.pad %g
// CHECK:         mlc_tensor.matmul %[[G]], %{{.*}} : tensor<16384x50264xbf16>, tensor<50264x768xbf16>
func.func @gradients(%g: tensor<16384x50257xbf16>, %h: tensor<16384x768xbf16>, %w: tensor<50257x768xbf16>) -> (tensor<50257x768xbf16>, tensor<16384x768xbf16>) {
  %t = mlc_tensor.permute %g [1, 0] : tensor<16384x50257xbf16> -> tensor<50257x16384xbf16>
  %dw = mlc_tensor.matmul %t, %h : tensor<50257x16384xbf16>, tensor<16384x768xbf16> -> tensor<50257x768xbf16>
  %dx = mlc_tensor.matmul %g, %w : tensor<16384x50257xbf16>, tensor<50257x768xbf16> -> tensor<16384x768xbf16>
  func.return %dw, %dx : tensor<50257x768xbf16>, tensor<16384x768xbf16>
}

// Where the result alone has such rows, and few of them, a kernel of ours stores them as they lie.
// CHECK-LABEL: func.func @words(
// CHECK-NOT:     mlc_tensor.pad
func.func @words(%h: tensor<256x768xbf16>, %w: tensor<50257x768xbf16>) -> tensor<256x50257xbf16> {
  %t = mlc_tensor.permute %w [1, 0] : tensor<50257x768xbf16> -> tensor<768x50257xbf16>
  %y = mlc_tensor.matmul %h, %t : tensor<256x768xbf16>, tensor<768x50257xbf16> -> tensor<256x50257xbf16>
  func.return %y : tensor<256x50257xbf16>
}
