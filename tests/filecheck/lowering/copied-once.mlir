// RUN: mlc-opt %s -p fused | filecheck %s

// Two products read the same values, of which strides cannot tell how they lie: one copy serves both, also where the
// gradient of an attention is stacked, and canonicalize spells the second product anew, behind the first cse.

// CHECK-LABEL: func.func @gradients
// CHECK:       %[[copy:.*]] = mlc_tensor.fusion
// CHECK:         mlc_tensor.yield %{{.*}} : tensor<196x64x96xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  mlc_tensor.matmul %[[copy]], %w
// CHECK-NOT:   mlc_tensor.fusion
// CHECK:       mlc_tensor.matmul %{{.*}}, %[[copy]]
func.func @gradients(
  %x: tensor<12544x96xf32>, %b: tensor<96x96xf32>, %w: tensor<196x96x64xf32>,
  %q: tensor<4x1x49x64x64xf32>, %k: tensor<4x1x49x64x96xf32>
) -> (tensor<196x64x64xf32>, tensor<2x4x1x49x64x96xf32>) {
  %y = mlc_tensor.matmul %x, %b : tensor<12544x96xf32>, tensor<96x96xf32> -> tensor<12544x96xf32>
  %0 = mlc_tensor.reshape %y : tensor<12544x96xf32> -> tensor<4x64x49x96xf32>
  %1 = mlc_tensor.permute %0 [0, 2, 1, 3] : tensor<4x64x49x96xf32> -> tensor<4x49x64x96xf32>
  %2 = mlc_tensor.reshape %1 : tensor<4x49x64x96xf32> -> tensor<196x64x96xf32>
  %3 = mlc_tensor.matmul %2, %w : tensor<196x64x96xf32>, tensor<196x96x64xf32> -> tensor<196x64x64xf32>
  %4 = mlc_tensor.reshape %q : tensor<4x1x49x64x64xf32> -> tensor<196x64x64xf32>
  %5 = mlc_tensor.permute %4 [0, 2, 1] : tensor<196x64x64xf32> -> tensor<196x64x64xf32>
  %6 = mlc_tensor.matmul %5, %2 : tensor<196x64x64xf32>, tensor<196x64x96xf32> -> tensor<196x64x96xf32>
  %7 = mlc_tensor.reshape %6 : tensor<196x64x96xf32> -> tensor<1x4x1x49x64x96xf32>
  %8 = mlc_tensor.reshape %k : tensor<4x1x49x64x96xf32> -> tensor<1x4x1x49x64x96xf32>
  %9 = mlc_tensor.cat %7, %8 dim 0 : (tensor<1x4x1x49x64x96xf32>, tensor<1x4x1x49x64x96xf32>) -> tensor<2x4x1x49x64x96xf32>
  func.return %3, %9 : tensor<196x64x64xf32>, tensor<2x4x1x49x64x96xf32>
}
