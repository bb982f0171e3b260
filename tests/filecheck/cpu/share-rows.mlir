// RUN: mlc-opt %s -p tensor-to-loop,memory-order,share-rows --split-input-file | filecheck %s

// One row is cut into parts, for threads.
// CHECK-LABEL: mlc_loop.kernel @sum_parts(
// CHECK-NEXT:    mlc_loop.parallel %[[I:.*]] = 0 to 64 {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %[[J:.*]] = 0 to 16384 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%[[I]] * 16384 + %[[J]]]
// CHECK:           mlc_loop.store %[[S]], %partial[0, %[[I]]]
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-NEXT:    mlc_loop.parallel %{{.*}} = 0 to 1 {
// CHECK-NEXT:      mlc_loop.reduce add %{{.*}} = 0 to 64 -> f32 {
func.func @one(%x: tensor<1048576xf32>) -> tensor<1xf32> {
  %s = mlc_tensor.reduce add %x dims [0] : tensor<1048576xf32> -> tensor<1xf32>
  func.return %s : tensor<1xf32>
}

// -----

// Few columns, side by side in memory: each part has them all.
// CHECK-LABEL: mlc_loop.kernel @sum_parts(
// CHECK-NEXT:    mlc_loop.parallel (%[[P:.*]], %[[I:.*]]) = 0 to (64, 48) {
// CHECK-NEXT:      mlc_loop.reduce add %[[J:.*]] = 0 to 1024 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%[[P]] * 1024 + %[[J]], %[[I]]]
func.func @columns(%x: tensor<65536x48xf32>) -> tensor<1x48xf32> {
  %s = mlc_tensor.reduce add %x dims [0] : tensor<65536x48xf32> -> tensor<1x48xf32>
  func.return %s : tensor<1x48xf32>
}

// -----

// Rows enough, or too short, stay whole.
// CHECK:       func.return
// CHECK-LABEL: builtin.module
// CHECK-NOT:     _parts
func.func @many(%x: tensor<64x16384xf32>) -> tensor<64x1xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<64x16384xf32> -> tensor<64x1xf32>
  func.return %s : tensor<64x1xf32>
}

func.func @short(%x: tensor<4096xf32>) -> tensor<1xf32> {
  %s = mlc_tensor.reduce add %x dims [0] : tensor<4096xf32> -> tensor<1xf32>
  func.return %s : tensor<1xf32>
}
