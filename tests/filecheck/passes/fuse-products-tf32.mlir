// RUN: mlc-opt %s -p 'fuse-products{tf32=true}' | filecheck %s
// RUN: mlc-opt %s -p 'fuse-products{tf32=true},dce,tensor-to-loop,online-reduction,tile-products' | filecheck %s --check-prefix=LOOP
// RUN: mlc-opt %s -p fuse-products,dce,tensor-to-loop,online-reduction,tile-products | filecheck %s --check-prefix=EXACT

// Attention in float32: both products may be rounded to TF32, and so say their sums; that of the weights is exact.
// CHECK-LABEL: func.func @attention(
// CHECK:           mlc_tensor.reduce add tf32 %{{.*}} dims [2] : tensor<2x64x32x48xf32> -> tensor<2x64x1x48xf32>
// CHECK:           mlc_tensor.reduce max %
// CHECK:           mlc_tensor.reduce add %{{.*}} dims [2] : tensor<2x64x48xf32> -> tensor<2x64x1xf32>
// CHECK:           mlc_tensor.reduce add tf32 %{{.*}} dims [2] : tensor<2x64x48x32xf32> -> tensor<2x64x1x32xf32>
// LOOP:          mlc_loop.reduce softmax, weighted tf32 dot %{{.*}} -> f32, f32, f32 {
// LOOP:            mlc_loop.reduce add tf32 dot %
// EXACT:         mlc_loop.reduce softmax, weighted dot %{{.*}} -> f32, f32, f32 {
// EXACT:           mlc_loop.reduce add dot %
func.func @attention(%q: tensor<2x64x32xf32>, %k: tensor<2x32x48xf32>, %v: tensor<2x48x32xf32>) -> tensor<2x64x32xf32> {
  %s = mlc_tensor.matmul %q, %k : tensor<2x64x32xf32>, tensor<2x32x48xf32> -> tensor<2x64x48xf32>
  %m = mlc_tensor.reduce max %s dims [2] : tensor<2x64x48xf32> -> tensor<2x64x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<2x64x1xf32> -> tensor<2x64x48xf32>
  %d = mlc_tensor.sub %s, %mb : tensor<2x64x48xf32>
  %e = mlc_tensor.exp %d : tensor<2x64x48xf32>
  %l = mlc_tensor.reduce add %e dims [2] : tensor<2x64x48xf32> -> tensor<2x64x1xf32>
  %lb = mlc_tensor.broadcast %l : tensor<2x64x1xf32> -> tensor<2x64x48xf32>
  %p = mlc_tensor.div %e, %lb : tensor<2x64x48xf32>
  %o = mlc_tensor.matmul %p, %v : tensor<2x64x48xf32>, tensor<2x48x32xf32> -> tensor<2x64x32xf32>
  func.return %o : tensor<2x64x32xf32>
}
