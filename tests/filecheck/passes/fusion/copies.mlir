// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s

// The result of the rows is 16 bits wide and turned for the caller. The copy saves more than the merges that make
// the scale of a row, and waits for them nevertheless: what it reads is then the whole, 16 bits wide. To write it across a few long rows would leave cores idle.
// CHECK-LABEL: @turned(
// CHECK:         %[[Y:.*]] = mlc_tensor.fusion (%{{.*}} = %x : tensor<64x16384xf32>) -> (tensor<64x16384xbf16>)
// CHECK:         mlc_tensor.fusion (%{{.*}} = %[[Y]] : tensor<64x16384xbf16>) -> (tensor<16384x64xbf16>)
// CHECK-NEXT:      mlc_tensor.permute
// CHECK-NEXT:      mlc_tensor.cast
// CHECK-NOT:     mlc_tensor.fusion
func.func @turned(%x: tensor<64x16384xf32>) -> tensor<16384x64xbf16> {
  %e = mlc_tensor.exp %x : tensor<64x16384xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<64x16384xf32> -> tensor<64x1xf32>
  %r = mlc_tensor.rsqrt %s : tensor<64x1xf32>
  %b = mlc_tensor.broadcast %r : tensor<64x1xf32> -> tensor<64x16384xf32>
  %q = mlc_tensor.mul %e, %b : tensor<64x16384xf32>
  %y = mlc_tensor.cast %q : tensor<64x16384xf32> -> tensor<64x16384xbf16>
  %t = mlc_tensor.permute %y [1, 0] : tensor<64x16384xbf16> -> tensor<16384x64xbf16>
  %c = mlc_tensor.cast %t : tensor<16384x64xbf16> -> tensor<16384x64xbf16>
  func.return %c : tensor<16384x64xbf16>
}

// -----

// The transpose of whole rows: the kernel that holds them writes it, and nothing is copied.
// CHECK-LABEL: @turned_by_the_rows(
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<4096x256xf32>) -> (tensor<256x4096xf32>)
// CHECK:           mlc_tensor.permute
// CHECK-NOT:     mlc_tensor.fusion
func.func @turned_by_the_rows(%x: tensor<4096x256xf32>) -> tensor<256x4096xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<4096x256xf32> -> tensor<4096x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<4096x1xf32> -> tensor<4096x256xf32>
  %q = mlc_tensor.div %x, %b : tensor<4096x256xf32>
  %t = mlc_tensor.permute %q [1, 0] : tensor<4096x256xf32> -> tensor<256x4096xf32>
  %e = mlc_tensor.exp %t : tensor<256x4096xf32>
  func.return %e : tensor<256x4096xf32>
}

// -----

// Three parts of one sum, each in an order of its own: one kernel writes them.
// CHECK-LABEL: @heads(
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<16x3x8x4xf32>, %{{.*}} = %v : tensor<3x8x4xf32>) -> (tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>)
// CHECK-NOT:     mlc_tensor.fusion
func.func @heads(%x: tensor<16x3x8x4xf32>, %v: tensor<3x8x4xf32>) -> (tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>) {
  %w = mlc_tensor.broadcast %v : tensor<3x8x4xf32> -> tensor<16x3x8x4xf32>
  %a = mlc_tensor.add %x, %w : tensor<16x3x8x4xf32>
  %p = mlc_tensor.permute %a [1, 2, 0, 3] : tensor<16x3x8x4xf32> -> tensor<3x8x16x4xf32>
  %q = mlc_tensor.slice %p [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x8x16x4xf32> -> tensor<1x8x16x4xf32>
  %k = mlc_tensor.slice %p [1, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x8x16x4xf32> -> tensor<1x8x16x4xf32>
  %u = mlc_tensor.slice %p [2, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x8x16x4xf32> -> tensor<1x8x16x4xf32>
  %qc = mlc_tensor.cast %q : tensor<1x8x16x4xf32> -> tensor<1x8x16x4xf32>
  %kc = mlc_tensor.cast %k : tensor<1x8x16x4xf32> -> tensor<1x8x16x4xf32>
  %uc = mlc_tensor.cast %u : tensor<1x8x16x4xf32> -> tensor<1x8x16x4xf32>
  func.return %qc, %kc, %uc : tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>
}
