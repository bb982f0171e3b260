// RUN: mlc-opt %s -p fused,tensor-to-loop --split-input-file | filecheck %s

// The mean of a channel is inside of its buffer wherever the kernel is. All places of the window share it; what the
// border leaves out of x is not read.
// CHECK-LABEL: mlc_loop.kernel @
// CHECK:         mlc_loop.load %x[{{.*}}] if %{{.*}} : memref<64x48xf32>
// CHECK-NEXT:    %[[M:.*]] = mlc_loop.load %mean[%{{[^ ]*}}] : memref<48xf32>
// CHECK:         arith.subf %{{.*}}, %[[M]]
// CHECK:         mlc_loop.load %x[{{.*}}] : memref<64x48xf32>
// CHECK:         arith.subf %{{.*}}, %[[M]]
// CHECK-NOT:     mlc_loop.load %mean
func.func @few(%x: tensor<64x48xf32>, %mean: tensor<48xf32>) -> tensor<64x48xf32> {
  %b = mlc_tensor.broadcast %mean : tensor<48xf32> -> tensor<64x48xf32>
  %d = mlc_tensor.sub %x, %b : tensor<64x48xf32>
  %p = mlc_tensor.pad %d low [1, 0] value 0.0 : f32 : tensor<64x48xf32> -> tensor<65x48xf32>
  %one = mlc_tensor.slice %p [0, 0] step [1, 1] : tensor<65x48xf32> -> tensor<64x48xf32>
  %two = mlc_tensor.slice %p [1, 0] step [1, 1] : tensor<65x48xf32> -> tensor<64x48xf32>
  %s = mlc_tensor.add %one, %two : tensor<64x48xf32>
  func.return %s : tensor<64x48xf32>
}

// -----

// Other elements of a buffer as large as x, of which those at the border would be read for nothing.
// CHECK-LABEL: mlc_loop.kernel @
// CHECK:         mlc_loop.load %w[{{.*}}] if %{{.*}} : memref<64x48xf32>
func.func @keeps_many(%x: tensor<64x48xf32>, %w: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %h = mlc_tensor.slice %w [0, 0] step [1, 1] : tensor<64x48xf32> -> tensor<32x48xf32>
  %t = mlc_tensor.slice %x [32, 0] step [1, 1] : tensor<64x48xf32> -> tensor<32x48xf32>
  %c = mlc_tensor.cat %h, %t dim 0 : (tensor<32x48xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  func.return %c : tensor<64x48xf32>
}

// -----

// Beyond the end of the first part there are no elements.
// CHECK-LABEL: mlc_loop.kernel @
// CHECK:         mlc_loop.load %b[{{.*}}] if %{{.*}} : memref<8xf32>
// CHECK:         mlc_loop.load %a[{{.*}}] if %{{.*}} : memref<8xf32>
func.func @keeps_ends(%x: tensor<64x16xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<64x16xf32> {
  %c = mlc_tensor.cat %a, %b dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %r = mlc_tensor.broadcast %c : tensor<16xf32> -> tensor<64x16xf32>
  %s = mlc_tensor.add %x, %r : tensor<64x16xf32>
  func.return %s : tensor<64x16xf32>
}
