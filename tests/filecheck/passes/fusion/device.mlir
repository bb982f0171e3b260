// RUN: mlc-opt %s -p 'fuse{device=a100}' | filecheck %s --check-prefix=A100
// RUN: mlc-opt %s -p 'fuse{device=h200}' | filecheck %s --check-prefix=H200
// RUN: mlc-opt %s -p 'fuse{device=cpu}' | filecheck %s --check-prefix=CPU

// Two kernels need the tangent of a tangent. An A100 computes it again where the result would go through device memory, and
// fetches it where L2 still holds it; an H200, with more arithmetic for each byte even of L2, computes both again.
// A100-LABEL: @small(
// A100:         mlc_tensor.fusion {{.*}} -> (tensor<512x1024xf32>, tensor<512x1xf32>)
// A100:         mlc_tensor.matmul
// A100-NOT:     mlc_tensor.tanh
// A100-LABEL: @large(
// A100:         mlc_tensor.fusion {{.*}} -> (tensor<32768x1xf32>)
// A100-NEXT:      mlc_tensor.tanh
// A100:         mlc_tensor.matmul
// A100:           mlc_tensor.tanh

// A CPU has little arithmetic for each byte: it computes both once.
// CPU-LABEL: @small(
// CPU:         mlc_tensor.fusion {{.*}} -> (tensor<512x1024xf32>, tensor<512x1xf32>)
// CPU:         mlc_tensor.matmul
// CPU-NOT:     mlc_tensor.tanh
// CPU-LABEL: @large(
// CPU:         mlc_tensor.fusion {{.*}} -> (tensor<32768x1024xf32>, tensor<32768x1xf32>)
// CPU:         mlc_tensor.matmul
// CPU-NOT:     mlc_tensor.tanh

// H200-LABEL: @small(
// H200:         mlc_tensor.fusion {{.*}} -> (tensor<512x1xf32>)
// H200-NEXT:      mlc_tensor.tanh
// H200:         mlc_tensor.matmul
// H200:           mlc_tensor.tanh
func.func @small(%x: tensor<512x1024xf32>, %w: tensor<1x1024xf32>) -> tensor<512x1024xf32> {
  %g = mlc_tensor.tanh %x : tensor<512x1024xf32>
  %f = mlc_tensor.tanh %g : tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %f dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %m = mlc_tensor.matmul %s, %w : tensor<512x1xf32>, tensor<1x1024xf32> -> tensor<512x1024xf32>
  %q = mlc_tensor.div %f, %m : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}
func.func @large(%x: tensor<32768x1024xf32>, %w: tensor<1x1024xf32>) -> tensor<32768x1024xf32> {
  %g = mlc_tensor.tanh %x : tensor<32768x1024xf32>
  %f = mlc_tensor.tanh %g : tensor<32768x1024xf32>
  %s = mlc_tensor.reduce add %f dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
  %m = mlc_tensor.matmul %s, %w : tensor<32768x1xf32>, tensor<1x1024xf32> -> tensor<32768x1024xf32>
  %q = mlc_tensor.div %f, %m : tensor<32768x1024xf32>
  func.return %q : tensor<32768x1024xf32>
}
