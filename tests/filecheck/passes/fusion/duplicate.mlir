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

// What would take longer to compute than to move is computed once.
// CHECK-LABEL: @costly(
// CHECK:         mlc_tensor.fusion {{.*}} -> (tensor<512x1024xf32>, tensor<512x1xf32>)
// CHECK:         mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.tanh
func.func @costly(%x: tensor<512x1024xf32>, %w: tensor<1x1024xf32>) -> tensor<512x1024xf32> {
  %f = mlc_tensor.tanh %x : tensor<512x1024xf32>
  %i = mlc_tensor.tanh %f : tensor<512x1024xf32>
  %j = mlc_tensor.tanh %i : tensor<512x1024xf32>
  %k = mlc_tensor.tanh %j : tensor<512x1024xf32>
  %l = mlc_tensor.tanh %k : tensor<512x1024xf32>
  %g = mlc_tensor.tanh %l : tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %g dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %m = mlc_tensor.matmul %s, %w : tensor<512x1xf32>, tensor<1x1024xf32> -> tensor<512x1024xf32>
  %q = mlc_tensor.div %g, %m : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}

// -----

// A library call needs the value in memory: its other readers may as well read it, as large as what it is made of.
// CHECK-LABEL: @stored_anyway(
// CHECK:         %[[F:.*]], %{{.*}} = mlc_tensor.fusion
// CHECK:         mlc_tensor.matmul %[[F]]
// CHECK:         mlc_tensor.fusion {{.*}} = %[[F]] :
// CHECK-NOT:       mlc_tensor.abs
func.func @stored_anyway(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %f = mlc_tensor.abs %x : tensor<512x512xf32>
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

// -----

// The difference and its root were stored for the last kernel, with the row's results. It reads the rows again instead
// and one number of each row: a cheapest cut. The sum stays where it is needed.
// CHECK-LABEL: @row_numbers(
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<4096x1024xf32>) -> (tensor<4096x1xf32>, tensor<4096x1024xf32>)
// CHECK:         mlc_tensor.matmul
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<4096x1024xf32>, %{{.*}} : tensor<4096x1xf32>, %{{.*}} : tensor<4096x1024xf32>) -> (tensor<4096x1024xf32>)
// CHECK-SAME:    computes 2 op(s) again
// CHECK-NOT:     mlc_tensor.fusion
func.func @row_numbers(%x: tensor<4096x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<4096x1024xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<4096x1024xf32> -> tensor<4096x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<4096x1xf32> -> tensor<4096x1024xf32>
  %d = mlc_tensor.sub %x, %b : tensor<4096x1024xf32>
  %a = mlc_tensor.abs %d : tensor<4096x1024xf32>
  %n = mlc_tensor.neg %a : tensor<4096x1024xf32>
  %m = mlc_tensor.matmul %n, %w : tensor<4096x1024xf32>, tensor<1024x1024xf32> -> tensor<4096x1024xf32>
  %q = mlc_tensor.mul %a, %m : tensor<4096x1024xf32>
  %r = mlc_tensor.add %q, %d : tensor<4096x1024xf32>
  func.return %r : tensor<4096x1024xf32>
}

// -----

// A sum that only a later kernel needs moves there: nothing is stored for it but what the product reads.
// CHECK-LABEL: @sum_moves(
// CHECK:         %[[E:.*]] = mlc_tensor.fusion (%{{.*}} = %x : tensor<4096x1024xf32>) -> (tensor<4096x1024xf32>)
// CHECK:         mlc_tensor.matmul %[[E]]
// CHECK:         mlc_tensor.fusion (%{{.*}} = %[[E]] : tensor<4096x1024xf32>, %{{.*}} : tensor<4096x1024xf32>) -> (tensor<4096x1024xf32>)
// CHECK:           mlc_tensor.reduce add
// CHECK-NOT:     mlc_tensor.fusion
func.func @sum_moves(%x: tensor<4096x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<4096x1024xf32> {
  %e = mlc_tensor.exp %x : tensor<4096x1024xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4096x1024xf32> -> tensor<4096x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<4096x1xf32> -> tensor<4096x1024xf32>
  %d = mlc_tensor.sub %e, %b : tensor<4096x1024xf32>
  %m = mlc_tensor.matmul %e, %w : tensor<4096x1024xf32>, tensor<1024x1024xf32> -> tensor<4096x1024xf32>
  %r = mlc_tensor.mul %d, %m : tensor<4096x1024xf32>
  func.return %r : tensor<4096x1024xf32>
}

// -----

// After the copy of the absolute value nothing stands between the sum of all and the largest of each row.
// CHECK-LABEL: @merges_after_copying(
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<512x512xf32>) -> (tensor<1x1xf32>)
// CHECK:         mlc_tensor.fusion (%{{.*}} = %x : tensor<512x512xf32>, %{{.*}} : tensor<1x1xf32>) -> (tensor<512x1xf32>, tensor<512x512xf32>)
// CHECK-NOT:     mlc_tensor.fusion
func.func @merges_after_copying(%x: tensor<512x512xf32>) -> (tensor<512x1xf32>, tensor<512x512xf32>) {
  %a = mlc_tensor.abs %x : tensor<512x512xf32>
  %s = mlc_tensor.reduce max %a dims [0, 1] : tensor<512x512xf32> -> tensor<1x1xf32>
  %r = mlc_tensor.reduce max %a dims [1] : tensor<512x512xf32> -> tensor<512x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<1x1xf32> -> tensor<512x512xf32>
  %c = mlc_tensor.broadcast %r : tensor<512x1xf32> -> tensor<512x512xf32>
  %d = mlc_tensor.div %a, %b : tensor<512x512xf32>
  %q = mlc_tensor.sub %d, %c : tensor<512x512xf32>
  func.return %r, %q : tensor<512x1xf32>, tensor<512x512xf32>
}
