// RUN: mlc-translate %s --from stablehlo --to tensor | filecheck %s

// Reductions keep their dimensions here, calls of private functions are inlined, a product has the form of a matmul, and
// a gather one index for each dimension, moved inside.
// CHECK-LABEL: func.func @main(%x: tensor<4x6xf32>, %w: tensor<3x6xf32>, %rows: tensor<2xi32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<2x6xf32>, tensor<4xi32>) {
// CHECK-NEXT:    %sum = mlc_tensor.reduce add %x dims [1] : tensor<4x6xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %reshape = mlc_tensor.reshape %sum : tensor<4x1xf32> -> tensor<4xf32>
// CHECK-NEXT:    %permute = mlc_tensor.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-NEXT:    %matmul = mlc_tensor.matmul %w, %permute : tensor<3x6xf32>, tensor<6x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT:    %cst = mlc_tensor.constant 0.000000e+00 : tensor<f32>
// CHECK-NEXT:    %broadcast = mlc_tensor.broadcast %cst : tensor<f32> -> tensor<3x4xf32>
// CHECK-NEXT:    %maximum = mlc_tensor.maximum %matmul, %broadcast : tensor<3x4xf32>
// CHECK-NEXT:    %reshape_1 = mlc_tensor.reshape %rows : tensor<2xi32> -> tensor<2x1xi32>
// CHECK-NEXT:    %reshape_2 = mlc_tensor.reshape %reshape_1 : tensor<2x1xi32> -> tensor<2xi32>
// CHECK-NEXT:    %cast = mlc_tensor.cast %reshape_2 : tensor<2xi32> -> tensor<2xi64>
// CHECK-NEXT:    %constant = mlc_tensor.constant 0 : tensor<2xi64>
// CHECK-NEXT:    %maximum_1 = mlc_tensor.maximum %cast, %constant : tensor<2xi64>
// CHECK-NEXT:    %constant_1 = mlc_tensor.constant 3 : tensor<2xi64>
// CHECK-NEXT:    %minimum = mlc_tensor.minimum %maximum_1, %constant_1 : tensor<2xi64>
// CHECK-NEXT:    %reshape_3 = mlc_tensor.reshape %minimum : tensor<2xi64> -> tensor<2x1xi64>
// CHECK-NEXT:    %broadcast_1 = mlc_tensor.broadcast %reshape_3 : tensor<2x1xi64> -> tensor<2x6xi64>
// CHECK-NEXT:    %iota = mlc_tensor.iota dim 1 : tensor<2x6xi64>
// CHECK-NEXT:    %gather = mlc_tensor.gather %x[%broadcast_1, %iota] : tensor<4x6xf32>, (tensor<2x6xi64>, tensor<2x6xi64>) -> tensor<2x6xf32>
// CHECK-NEXT:    %argmax = mlc_tensor.reduce argmax %x dims [1] : tensor<4x6xf32> -> tensor<4x1xi64>
// CHECK-NEXT:    %cast_1 = mlc_tensor.cast %argmax : tensor<4x1xi64> -> tensor<4x1xi32>
// CHECK-NEXT:    %reshape_4 = mlc_tensor.reshape %cast_1 : tensor<4x1xi32> -> tensor<4xi32>
// CHECK-NEXT:    func.return %reshape, %maximum, %gather, %reshape_4 : tensor<4xf32>, tensor<3x4xf32>, tensor<2x6xf32>, tensor<4xi32>
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4x6xf32>, %w: tensor<3x6xf32>, %rows: tensor<2xi32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<2x6xf32>, tensor<4xi32>) {
    %start = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x6xf32>, tensor<4x6xf32>) -> tensor<3x4xf32>
    %2 = call @relu(%1) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %3 = stablehlo.reshape %rows : (tensor<2xi32>) -> tensor<2x1xi32>
    %4 = "stablehlo.gather"(%x, %3) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<2x1xi32>) -> tensor<2x6xf32>
    %5 = call @argmax(%x) : (tensor<4x6xf32>) -> tensor<4xi32>
    return %0, %2, %4, %5 : tensor<4xf32>, tensor<3x4xf32>, tensor<2x6xf32>, tensor<4xi32>
  }
  func.func private @relu(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<3x4xf32>
    return %1 : tensor<3x4xf32>
  }
  func.func private @argmax(%arg0: tensor<4x6xf32>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x6xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<4xi32>
  }
}
