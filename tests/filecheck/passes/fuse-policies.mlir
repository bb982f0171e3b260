// RUN: mlc-opt %s -p 'fuse{policy=none}' | filecheck %s --check-prefix=NONE
// RUN: mlc-opt %s -p 'fuse{policy=pointwise}' | filecheck %s --check-prefix=POINTWISE
// RUN: not mlc-opt %s -p 'fuse{policy=best}' 2>&1 | filecheck %s --check-prefix=BAD

// NONE-LABEL: @softmax(
// NONE-COUNT-5: mlc_tensor.fusion {{.*}} why "a single op"
// NONE:         mlc.refused = ["with {{.*}}: the policy fuses nothing"
// NONE-NOT:   mlc_tensor.fusion

// POINTWISE-LABEL: @softmax(
// POINTWISE:         mlc_tensor.fusion {{.*}} kind "reduction" why "a single op"
// POINTWISE:         mlc_tensor.fusion {{.*}} kind "pointwise" why "saves {{.*}}mlc.refused = ["with m: the policy keeps reductions apart"]
// POINTWISE-NEXT:      mlc_tensor.broadcast
// POINTWISE-NEXT:      mlc_tensor.sub
// POINTWISE-NEXT:      mlc_tensor.exp
// POINTWISE:         mlc_tensor.fusion {{.*}} kind "reduction" why "a single op"

// BAD:      error: fuse: no policy 'best'
// BAD-NEXT:   policies are mlc, pointwise, none

func.func @softmax(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<8x1xf32> -> tensor<8x4xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<8x4xf32>
  %e = mlc_tensor.exp %d : tensor<8x4xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<8x1xf32> -> tensor<8x4xf32>
  %q = mlc_tensor.div %e, %sb : tensor<8x4xf32>
  func.return %q : tensor<8x4xf32>
}
