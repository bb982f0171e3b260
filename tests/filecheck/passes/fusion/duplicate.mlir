// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s

// The cast is read by two kernels that cannot be one: both read the half-size input and cast again.
// CHECK-LABEL: @cast_for_two(
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<512x1024xbf16>) -> (tensor<512x1xf32>)
// CHECK-NEXT:      mlc_tensor.cast
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<512x1024xbf16>
// CHECK-SAME:    computes 1 op(s) again instead of reading them
// CHECK-NEXT:      mlc_tensor.cast
func.func @cast_for_two(%x: tensor<512x1024xbf16>, %w: tensor<1x1024xf32>) -> tensor<512x1024xf32> {
  %f = mlc_tensor.cast %x : tensor<512x1024xbf16> -> tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %f dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %m = mlc_tensor.matmul %s, %w : tensor<512x1xf32>, tensor<1x1024xf32> -> tensor<512x1024xf32>
  %q = mlc_tensor.div %f, %m : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}

// -----

// What is costly is computed once.
// CHECK-LABEL: @costly(
// CHECK:         mlc_tensor.fusion {{.*}} -> (tensor<512x1024xf32>, tensor<512x1xf32>)
// CHECK:         mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.tanh
func.func @costly(%x: tensor<512x1024xf32>, %w: tensor<1x1024xf32>) -> tensor<512x1024xf32> {
  %f = mlc_tensor.tanh %x : tensor<512x1024xf32>
  %g = mlc_tensor.tanh %f : tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %g dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %m = mlc_tensor.matmul %s, %w : tensor<512x1xf32>, tensor<1x1024xf32> -> tensor<512x1024xf32>
  %q = mlc_tensor.div %g, %m : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}

// -----

// A library call needs the value in memory: its other readers may as well read it.
// CHECK-LABEL: @stored_anyway(
// CHECK:         %[[F:.*]], %{{.*}} = mlc_tensor.fusion
// CHECK:         mlc_tensor.matmul %[[F]]
// CHECK:         mlc_tensor.fusion {{.*}} = %[[F]] :
// CHECK-NOT:       mlc_tensor.cast
func.func @stored_anyway(%x: tensor<512x512xbf16>) -> tensor<512x512xf32> {
  %f = mlc_tensor.cast %x : tensor<512x512xbf16> -> tensor<512x512xf32>
  %s = mlc_tensor.reduce add %f dims [1] : tensor<512x512xf32> -> tensor<512x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<512x1xf32> -> tensor<512x512xf32>
  %m = mlc_tensor.matmul %f, %b : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %q = mlc_tensor.div %f, %m : tensor<512x512xf32>
  func.return %q : tensor<512x512xf32>
}

// -----

// The input may have been written in between.
// CHECK-LABEL: @written_between(
// CHECK:         mlc_tensor.fusion {{.*}} -> (tensor<512x1024xf32>, tensor<512x1xf32>)
// CHECK:         mlc_tensor.extern "aten.zero_.default"
// CHECK-NOT:     mlc_tensor.cast
func.func @written_between(%x: tensor<512x1024xbf16>, %w: tensor<1x1024xf32>) -> tensor<512x1024xf32> {
  %f = mlc_tensor.cast %x : tensor<512x1024xbf16> -> tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %f dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %m = mlc_tensor.matmul %s, %w : tensor<512x1xf32>, tensor<1x1024xf32> -> tensor<512x1024xf32>
  %z = mlc_tensor.extern "aten.zero_.default"(%x) impure : (tensor<512x1024xbf16>) -> (tensor<512x1024xbf16>)
  %q = mlc_tensor.div %f, %m : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}
