// RUN: mlc-translate %s --from stablehlo --to tensor | filecheck %s

// A convolution is PyTorch's, with channels first; a mask selects a padding that is data; windows are slices.
// CHECK-LABEL: func.func @main(%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x4xf32>, %v: tensor<f32>) -> (tensor<2x5x5x4xf32>, tensor<2x11x9x3xf32>, tensor<2x4x9x3xf32>) {
// CHECK-NEXT:    %permute = mlc_tensor.permute %x [0, 3, 1, 2] : tensor<2x9x9x3xf32> -> tensor<2x3x9x9xf32>
// CHECK-NEXT:    %permute_1 = mlc_tensor.permute %w [3, 2, 0, 1] : tensor<3x3x3x4xf32> -> tensor<4x3x3x3xf32>
// CHECK-NEXT:    %extern = mlc_tensor.extern "aten.convolution.default"(%permute, %permute_1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, unit, [2 : i64, 2 : i64], [1 : i64, 1 : i64], [1 : i64, 1 : i64], false, [0 : i64, 0 : i64], 1 : i64] : (tensor<2x3x9x9xf32>, tensor<4x3x3x3xf32>) -> (tensor<2x4x5x5xf32>)
// CHECK-NEXT:    %permute_2 = mlc_tensor.permute %extern [0, 2, 3, 1] : tensor<2x4x5x5xf32> -> tensor<2x5x5x4xf32>
// CHECK-NEXT:    %constant = mlc_tensor.constant true : tensor<2x9x9x3xi1>
// CHECK-NEXT:    %pad = mlc_tensor.pad %constant low [0, 2, 0, 0] value false : tensor<2x9x9x3xi1> -> tensor<2x11x9x3xi1>
// CHECK-NEXT:    %pad_1 = mlc_tensor.pad %x low [0, 2, 0, 0] value 0.000000e+00 : f32 : tensor<2x9x9x3xf32> -> tensor<2x11x9x3xf32>
// CHECK-NEXT:    %broadcast = mlc_tensor.broadcast %v : tensor<f32> -> tensor<2x11x9x3xf32>
// CHECK-NEXT:    %select = mlc_tensor.select %pad, %pad_1, %broadcast : tensor<2x11x9x3xf32>
// CHECK-NEXT:    %slice = mlc_tensor.slice %x [0, 0, 0, 0] step [1, 2, 1, 1] : tensor<2x9x9x3xf32> -> tensor<2x4x9x3xf32>
// CHECK-NEXT:    %slice_1 = mlc_tensor.slice %x [0, 1, 0, 0] step [1, 2, 1, 1] : tensor<2x9x9x3xf32> -> tensor<2x4x9x3xf32>
// CHECK-NEXT:    %maximum = mlc_tensor.maximum %slice, %slice_1 : tensor<2x4x9x3xf32>
// CHECK-NEXT:    func.return %permute_2, %select, %maximum : tensor<2x5x5x4xf32>, tensor<2x11x9x3xf32>, tensor<2x4x9x3xf32>
func.func public @main(%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x4xf32>, %v: tensor<f32>) -> (tensor<2x5x5x4xf32>, tensor<2x11x9x3xf32>, tensor<2x4x9x3xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x5x4xf32>
  %1 = stablehlo.pad %x, %v, low = [0, 2, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x9x9x3xf32>, tensor<f32>) -> tensor<2x11x9x3xf32>
  %start = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 1, 2, 1, 1>, window_strides = array<i64: 1, 2, 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x9x9x3xf32>, tensor<f32>) -> tensor<2x4x9x3xf32>
  return %0, %1, %2 : tensor<2x5x5x4xf32>, tensor<2x11x9x3xf32>, tensor<2x4x9x3xf32>
}
