// RUN: mlc-opt %s -p tensor-to-loop | filecheck %s
// RUN: mlc-opt %s -p tensor-to-loop,linearize-axes | filecheck %s --check-prefix=FLAT
// RUN: mlc-opt %s -p tensor-to-loop,linearize-axes,schedule --verify-semantics

// Two dimensions of one name: p floordiv N lies below N, since p lies below N * N.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (N, N) {
// CHECK:           mlc_loop.store %{{.*}}, %{{.*}}[0, %i, %j]
// FLAT-LABEL: mlc_loop.kernel @sum(
// FLAT:         mlc_loop.store %{{.*}}, %{{.*}}[0, %p floordiv N, %p mod N]
func.func @squares(%x: tensor<2x?x?xf32, ["2", "N", "N"]>) -> tensor<1x?x?xf32, ["1", "N", "N"]> {
  %a = mlc_tensor.reduce add %x dims [0] : tensor<2x?x?xf32, ["2", "N", "N"]> -> tensor<1x?x?xf32, ["1", "N", "N"]>
  func.return %a : tensor<1x?x?xf32, ["1", "N", "N"]>
}

// What has no elements is computed by no kernel: there is no place to write it to.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT:    mlc_loop.alloc : memref<1x0x0xi1>
// CHECK-NEXT:    func.return
func.func @nothing(%x: tensor<2x0x0xi1>) -> tensor<1x0x0xi1> {
  %a = mlc_tensor.reduce and %x dims [0] : tensor<2x0x0xi1> -> tensor<1x0x0xi1>
  func.return %a : tensor<1x0x0xi1>
}

// Sums over the rows that nobody reads take no second kernel, and no part in the first.
// CHECK-LABEL: mlc_loop.kernel @sum_1(
// CHECK-NOT:     mlc_loop.accumulate
// CHECK-LABEL: func.func @unread(
func.func @unread(%x: tensor<8x4xf32>) -> tensor<8x1xf32> {
  %r = mlc_tensor.fusion (%a = %x : tensor<8x4xf32>) -> (tensor<8x1xf32>) kind "reduction" why "for a test" {
    %s = mlc_tensor.reduce add %a dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
    %t = mlc_tensor.reduce add %a dims [0] : tensor<8x4xf32> -> tensor<1x4xf32>
    mlc_tensor.yield %s : tensor<8x1xf32>
  }
  func.return %r : tensor<8x1xf32>
}

// No updates: what they would have gone to is copied as it is, also where it is a view.
// CHECK-LABEL: func.func @no_updates(
// CHECK:         mlc_loop.launch
// CHECK-NEXT:    func.return
func.func @no_updates(%x: tensor<4xf32>, %u: tensor<0xf32>, %i: tensor<0xi64>) -> tensor<2xf32> {
  %r = mlc_tensor.fusion (%a = %x : tensor<4xf32>, %b = %i : tensor<0xi64>, %c = %u : tensor<0xf32>) -> (tensor<2xf32>) kind "pointwise" why "for a test" {
    %v = mlc_tensor.slice %a [0] step [2] : tensor<4xf32> -> tensor<2xf32>
    %s = mlc_tensor.scatter add %v[%b], %c : tensor<2xf32>, (tensor<0xi64>), tensor<0xf32>
    mlc_tensor.yield %s : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// A size known as a multiple divides without rest: the heads of a row are a view.
// CHECK-LABEL: mlc_loop.kernel @sum_2(
// CHECK-SAME:    %heads: memref<?x4x?xf32, {sizes = ["M", "4", "N"], strides = ["N * 4", "N", "1"]}>
// CHECK-LABEL: func.func @heads(
// CHECK-NEXT:    mlc_loop.view %x offset ["0"] : memref<?x?xf32, {sizes = ["M", "N * 4"], strides = ["N * 4", "1"]}>
func.func @heads(%x: tensor<?x?xf32, ["M", "N * 4"]>) -> tensor<?x4x1xf32, ["M", "4", "1"]> {
  %heads = mlc_tensor.reshape %x : tensor<?x?xf32, ["M", "N * 4"]> -> tensor<?x4x?xf32, ["M", "4", "N"]>
  %s = mlc_tensor.reduce add %heads dims [2] : tensor<?x4x?xf32, ["M", "4", "N"]> -> tensor<?x4x1xf32, ["M", "4", "1"]>
  func.return %s : tensor<?x4x1xf32, ["M", "4", "1"]>
}
