// RUN: mlc-opt %s -p 'fuse{policy=xla}' --verify-semantics | filecheck %s

// What two groups of a plan compute, each kernel computes: nothing is handed over in memory.
// CHECK-LABEL: @each_group_has_its_own_copy(
// CHECK-NEXT:    mlc_tensor.fusion (%{{.*}} = %x : tensor<512x1024xf32>) -> (tensor<512x1xf32>) kind "reduction"
// CHECK-NEXT:      mlc_tensor.abs
// CHECK-NEXT:      mlc_tensor.reduce add {{.*}} dims [1]
// CHECK-NEXT:      mlc_tensor.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    mlc_tensor.fusion (%{{.*}} = %x : tensor<512x1024xf32>) -> (tensor<1x1024xf32>) kind "reduction"
// CHECK-NEXT:      mlc_tensor.abs
// CHECK-NEXT:      mlc_tensor.reduce add {{.*}} dims [0]
func.func @each_group_has_its_own_copy(%x: tensor<512x1024xf32>) -> (tensor<512x1xf32>, tensor<1x1024xf32>) {
  %c = mlc_tensor.abs %x : tensor<512x1024xf32>
  %r = mlc_tensor.reduce add %c dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %s = mlc_tensor.reduce add %c dims [0] : tensor<512x1024xf32> -> tensor<1x1024xf32>
  func.return %r, %s : tensor<512x1xf32>, tensor<1x1024xf32>
}

// A copy of a copy, and of the view between them.
// CHECK-LABEL: @through_views(
// CHECK-NEXT:    mlc_tensor.fusion (%{{.*}} = %x : tensor<512x1xf32>) -> (tensor<512x1xf32>)
// CHECK-NEXT:      mlc_tensor.abs
// CHECK-NEXT:      mlc_tensor.broadcast
// CHECK-NEXT:      mlc_tensor.neg
// CHECK-NEXT:      mlc_tensor.reduce add {{.*}} dims [1]
// CHECK-NEXT:      mlc_tensor.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    mlc_tensor.fusion (%{{.*}} = %x : tensor<512x1xf32>) -> (tensor<1x1024xf32>)
// CHECK-NEXT:      mlc_tensor.abs
// CHECK-NEXT:      mlc_tensor.broadcast
// CHECK-NEXT:      mlc_tensor.neg
// CHECK-NEXT:      mlc_tensor.reduce add {{.*}} dims [0]
func.func @through_views(%x: tensor<512x1xf32>) -> (tensor<512x1xf32>, tensor<1x1024xf32>) {
  %c = mlc_tensor.abs %x : tensor<512x1xf32>
  %b = mlc_tensor.broadcast %c : tensor<512x1xf32> -> tensor<512x1024xf32>
  %m = mlc_tensor.neg %b : tensor<512x1024xf32>
  %r = mlc_tensor.reduce add %m dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %s = mlc_tensor.reduce add %m dims [0] : tensor<512x1024xf32> -> tensor<1x1024xf32>
  func.return %r, %s : tensor<512x1xf32>, tensor<1x1024xf32>
}
