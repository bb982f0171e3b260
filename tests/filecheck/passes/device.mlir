// RUN: mlc-opt %s -p 'fuse,tensor-to-loop,linearize-axes,persistent-rows{device=h200}' | filecheck %s --check-prefix=H200
// RUN: mlc-opt %s -p 'fuse,tensor-to-loop,linearize-axes,persistent-rows{device=a100}' | filecheck %s --check-prefix=A100
// RUN: mlc-opt %s -p 'fuse,tensor-to-loop,linearize-axes,persistent-rows' | filecheck %s --check-prefix=H200
// RUN: not mlc-opt %s -p 'fuse,tensor-to-loop,linearize-axes,persistent-rows{device=b3}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// Four programs for each multiprocessor, of which an H200 has 132, an A100 108. Without an option passes take an H200.
// H200: mlc_loop.parallel %i = 0 to 528
// A100: mlc_loop.parallel %i = 0 to 432
// UNKNOWN: no device 'b3'
// UNKNOWN-NEXT: devices are h200, h100, a100, rtx4090, generic
func.func @both(%x: tensor<16384x1024xf32>) -> (tensor<16384x1xf32>, tensor<1x1024xf32>) {
  %r = mlc_tensor.reduce add %x dims [1] : tensor<16384x1024xf32> -> tensor<16384x1xf32>
  %c = mlc_tensor.reduce add %x dims [0] : tensor<16384x1024xf32> -> tensor<1x1024xf32>
  func.return %r, %c : tensor<16384x1xf32>, tensor<1x1024xf32>
}
