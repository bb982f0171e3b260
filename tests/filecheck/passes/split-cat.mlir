// RUN: mlc-opt %s -p split-cat --split-input-file | filecheck %s
// RUN: mlc-opt %s -p split-cat,fuse-products --split-input-file | filecheck %s --check-prefix=FUSED

// A sink that is joined to the scores and cut off behind the softmax: the maximum and the sum are those of both pieces.
// CHECK-LABEL: func.func @sink(
// CHECK:         %[[S:.*]] = mlc_tensor.matmul
// CHECK-NEXT:    %[[M:.*]] = mlc_tensor.reduce max %[[S]] dims [1] : tensor<64x48xf32> -> tensor<64x1xf32>
// CHECK-NEXT:    %[[MT:.*]] = mlc_tensor.maximum %[[M]], %sink : tensor<64x1xf32>
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.broadcast %[[MT]] : tensor<64x1xf32> -> tensor<64x48xf32>
// CHECK-NEXT:    mlc_tensor.sub %[[S]], %[[B]] : tensor<64x48xf32>
// CHECK-NEXT:    mlc_tensor.broadcast %[[MT]] : tensor<64x1xf32> -> tensor<64x1xf32>
// CHECK-NEXT:    mlc_tensor.sub %sink, %{{.*}} : tensor<64x1xf32>
// CHECK-NEXT:    %[[E:.*]] = mlc_tensor.exp %{{.*}} : tensor<64x48xf32>
// CHECK-NEXT:    %[[ES:.*]] = mlc_tensor.exp %{{.*}} : tensor<64x1xf32>
// CHECK-NEXT:    %[[L:.*]] = mlc_tensor.reduce add %[[E]] dims [1] : tensor<64x48xf32> -> tensor<64x1xf32>
// CHECK-NEXT:    mlc_tensor.add %[[L]], %[[ES]] : tensor<64x1xf32>
// CHECK-NOT:     mlc_tensor.cat
// CHECK-NOT:     mlc_tensor.slice
// CHECK:         mlc_tensor.matmul %{{.*}}, %v
// FUSED-LABEL: func.func @sink(
// FUSED-NEXT:    mlc_tensor.fusion
// FUSED-NOT:     mlc_tensor.matmul
func.func @sink(%q: tensor<64x32xf32>, %k: tensor<32x48xf32>, %v: tensor<48x32xf32>, %sink: tensor<64x1xf32>) -> tensor<64x32xf32> {
  %s = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  %c = mlc_tensor.cat %s, %sink dim 1 : (tensor<64x48xf32>, tensor<64x1xf32>) -> tensor<64x49xf32>
  %m = mlc_tensor.reduce max %c dims [1] : tensor<64x49xf32> -> tensor<64x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<64x1xf32> -> tensor<64x49xf32>
  %d = mlc_tensor.sub %c, %mb : tensor<64x49xf32>
  %e = mlc_tensor.exp %d : tensor<64x49xf32>
  %l = mlc_tensor.reduce add %e dims [1] : tensor<64x49xf32> -> tensor<64x1xf32>
  %lb = mlc_tensor.broadcast %l : tensor<64x1xf32> -> tensor<64x49xf32>
  %p = mlc_tensor.div %e, %lb : tensor<64x49xf32>
  %w = mlc_tensor.slice %p [0, 0] step [1, 1] : tensor<64x49xf32> -> tensor<64x48xf32>
  %o = mlc_tensor.matmul %w, %v : tensor<64x48xf32>, tensor<48x32xf32> -> tensor<64x32xf32>
  func.return %o : tensor<64x32xf32>
}

// -----

// Factors for each row may have fewer dimensions than the joined values.
// CHECK-LABEL: func.func @factors(
// CHECK-NOT:     mlc_tensor.cat
// CHECK:         mlc_tensor.broadcast %f : tensor<64x1xf32> -> tensor<2x64x48xf32>
// CHECK:         mlc_tensor.broadcast %f : tensor<64x1xf32> -> tensor<2x64x1xf32>
// FUSED-LABEL: func.func @factors(
func.func @factors(%q: tensor<2x64x32xf32>, %k: tensor<2x32x48xf32>, %sink: tensor<2x64x1xf32>, %f: tensor<64x1xf32>) -> tensor<2x64x1xf32> {
  %s = mlc_tensor.matmul %q, %k : tensor<2x64x32xf32>, tensor<2x32x48xf32> -> tensor<2x64x48xf32>
  %c = mlc_tensor.cat %s, %sink dim 2 : (tensor<2x64x48xf32>, tensor<2x64x1xf32>) -> tensor<2x64x49xf32>
  %fb = mlc_tensor.broadcast %f : tensor<64x1xf32> -> tensor<2x64x49xf32>
  %d = mlc_tensor.mul %c, %fb : tensor<2x64x49xf32>
  %m = mlc_tensor.reduce max %d dims [2] : tensor<2x64x49xf32> -> tensor<2x64x1xf32>
  func.return %m : tensor<2x64x1xf32>
}

// -----

// Pieces that someone needs together stay so: a slice of both, a reduction along another axis, a result.
// CHECK-LABEL: func.func @together(
// FUSED-LABEL: func.func @together(
// CHECK-COUNT-3: mlc_tensor.cat
func.func @together(%q: tensor<64x32xf32>, %k: tensor<32x48xf32>, %sink: tensor<64x1xf32>) -> (tensor<64x40xf32>, tensor<1x49xf32>, tensor<64x49xf32>) {
  %s = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  %c = mlc_tensor.cat %s, %sink dim 1 : (tensor<64x48xf32>, tensor<64x1xf32>) -> tensor<64x49xf32>
  %w = mlc_tensor.slice %c [0, 9] step [1, 1] : tensor<64x49xf32> -> tensor<64x40xf32>
  %t = mlc_tensor.exp %s : tensor<64x48xf32>
  %d = mlc_tensor.cat %t, %sink dim 1 : (tensor<64x48xf32>, tensor<64x1xf32>) -> tensor<64x49xf32>
  %m = mlc_tensor.reduce add %d dims [0] : tensor<64x49xf32> -> tensor<1x49xf32>
  %u = mlc_tensor.sin %s : tensor<64x48xf32>
  %f = mlc_tensor.cat %u, %sink dim 1 : (tensor<64x48xf32>, tensor<64x1xf32>) -> tensor<64x49xf32>
  func.return %w, %m, %f : tensor<64x40xf32>, tensor<1x49xf32>, tensor<64x49xf32>
}

// -----

// What is no product stays joined: a kernel reads both pieces in one loop.
// CHECK-LABEL: func.func @no_scores(
// CHECK:         mlc_tensor.cat
func.func @no_scores(%s: tensor<64x48xf32>, %t: tensor<64x16xf32>) -> tensor<64x1xf32> {
  %c = mlc_tensor.cat %s, %t dim 1 : (tensor<64x48xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
  %m = mlc_tensor.reduce max %c dims [1] : tensor<64x64xf32> -> tensor<64x1xf32>
  func.return %m : tensor<64x1xf32>
}
