// RUN: mlc-opt %s -p const-fold,dce --split-input-file | filecheck %s

// Nearest neighbours at twice the size: rows and columns are repeated.
// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %y = mlc_tensor.reshape %x : tensor<5x3x4xf32> -> tensor<5x3x1x4x1xf32>
// CHECK-NEXT:    %y_1 = mlc_tensor.broadcast %y : tensor<5x3x1x4x1xf32> -> tensor<5x3x2x4x2xf32>
// CHECK-NEXT:    %y_2 = mlc_tensor.reshape %y_1 : tensor<5x3x2x4x2xf32> -> tensor<5x6x8xf32>
// CHECK-NEXT:    func.return %y_2
func.func @twice(%x: tensor<5x3x4xf32>) -> tensor<5x6x8xf32> {
  %h = mlc_tensor.iota dim 0 : tensor<6xi64>
  %hf = mlc_tensor.cast %h : tensor<6xi64> -> tensor<6xf32>
  %half = mlc_tensor.constant 0.5 : tensor<6xf32>
  %hm = mlc_tensor.mul %hf, %half : tensor<6xf32>
  %hi = mlc_tensor.cast %hm : tensor<6xf32> -> tensor<6xi64>
  %hr = mlc_tensor.reshape %hi : tensor<6xi64> -> tensor<6x1xi64>
  %i1 = mlc_tensor.broadcast %hr : tensor<6x1xi64> -> tensor<5x6x8xi64>
  %w = mlc_tensor.iota dim 0 : tensor<8xi64>
  %two = mlc_tensor.constant 2 : tensor<8xi64>
  %wi = mlc_tensor.floordiv %w, %two : tensor<8xi64>
  %i2 = mlc_tensor.broadcast %wi : tensor<8xi64> -> tensor<5x6x8xi64>
  %i0 = mlc_tensor.iota dim 0 : tensor<5x6x8xi64>
  %y = mlc_tensor.gather %x[%i0, %i1, %i2] : tensor<5x3x4xf32>, (tensor<5x6x8xi64>, tensor<5x6x8xi64>, tensor<5x6x8xi64>) -> tensor<5x6x8xf32>
  func.return %y : tensor<5x6x8xf32>
}

// -----

// Every third place, the last first; a dimension of any size stays whole.
// CHECK-LABEL: func.func @thirds(
// CHECK-NEXT:    %y = mlc_tensor.slice %x [0, 7] step [1, -3] :
// CHECK-NEXT:    func.return %y
func.func @thirds(%x: tensor<?x10xf32, ["N", "10"]>) -> tensor<?x3xf32, ["N", "3"]> {
  %i = mlc_tensor.iota dim 0 : tensor<3xi64>
  %m = mlc_tensor.constant -3 : tensor<3xi64>
  %a = mlc_tensor.constant 7 : tensor<3xi64>
  %s = mlc_tensor.mul %i, %m : tensor<3xi64>
  %t = mlc_tensor.add %s, %a : tensor<3xi64>
  %c = mlc_tensor.broadcast %t : tensor<3xi64> -> tensor<?x3xi64, ["N", "3"]>
  %r = mlc_tensor.iota dim 0 : tensor<?x3xi64, ["N", "3"]>
  %y = mlc_tensor.gather %x[%r, %c] : tensor<?x10xf32, ["N", "10"]>, (tensor<?x3xi64, ["N", "3"]>, tensor<?x3xi64, ["N", "3"]>) -> tensor<?x3xf32, ["N", "3"]>
  func.return %y : tensor<?x3xf32, ["N", "3"]>
}

// -----

// Places that are data, no walk, or outside, where reading them is an error, stay a gather.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: mlc_tensor.gather
func.func @others(%x: tensor<4xf32>, %d: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = mlc_tensor.gather %x[%d] : tensor<4xf32>, (tensor<4xi64>) -> tensor<4xf32>
  %i = mlc_tensor.iota dim 0 : tensor<4xi64>
  %q = mlc_tensor.mul %i, %i : tensor<4xi64>
  %n = mlc_tensor.constant 4 : tensor<4xi64>
  %m = mlc_tensor.remainder %q, %n : tensor<4xi64>
  %z = mlc_tensor.gather %x[%m] : tensor<4xf32>, (tensor<4xi64>) -> tensor<4xf32>
  %one = mlc_tensor.constant 1 : tensor<4xi64>
  %o = mlc_tensor.add %i, %one : tensor<4xi64>
  %w = mlc_tensor.gather %x[%o] : tensor<4xf32>, (tensor<4xi64>) -> tensor<4xf32>
  func.return %y, %z, %w : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The gradient of one of 14 heads: zeros around it. -0 becomes 0, as where it is added to 0.
// CHECK-LABEL: func.func @a_head(
// CHECK-NEXT:    %[[Z:.*]] = mlc_tensor.constant 0.000000e+00 : tensor<?x1x4xf32, ["N", "1", "4"]>
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.add %u, %[[Z]]
// CHECK-NEXT:    %[[P:.*]] = mlc_tensor.pad %[[S]] low [0, 12, 0] value 0.000000e+00 : f32 : tensor<?x1x4xf32, ["N", "1", "4"]> -> tensor<?x14x4xf32, ["N", "14", "4"]>
// CHECK-NEXT:    func.return %[[P]]
func.func @a_head(%u: tensor<?x1x4xf32, ["N", "1", "4"]>) -> tensor<?x14x4xf32, ["N", "14", "4"]> {
  %z = mlc_tensor.constant 0.0 : tensor<?x14x4xf32, ["N", "14", "4"]>
  %i = mlc_tensor.iota dim 0 : tensor<?x1x4xi64, ["N", "1", "4"]>
  %h = mlc_tensor.constant 12 : tensor<?x1x4xi64, ["N", "1", "4"]>
  %j = mlc_tensor.iota dim 2 : tensor<?x1x4xi64, ["N", "1", "4"]>
  %y = mlc_tensor.scatter add %z[%i, %h, %j], %u : tensor<?x14x4xf32, ["N", "14", "4"]>, (tensor<?x1x4xi64, ["N", "1", "4"]>, tensor<?x1x4xi64, ["N", "1", "4"]>, tensor<?x1x4xi64, ["N", "1", "4"]>), tensor<?x1x4xf32, ["N", "1", "4"]>
  func.return %y : tensor<?x14x4xf32, ["N", "14", "4"]>
}

// -----

// What is set keeps its bits. Places may begin anywhere.
// CHECK-LABEL: func.func @a_part(
// CHECK-NEXT:    %[[P:.*]] = mlc_tensor.pad %u low [2] value 1.500000e+00 : f32 : tensor<3xf32> -> tensor<9xf32>
// CHECK-NEXT:    func.return %[[P]]
func.func @a_part(%u: tensor<3xf32>) -> tensor<9xf32> {
  %c = mlc_tensor.constant 1.5 : tensor<9xf32>
  %i = mlc_tensor.iota dim 0 : tensor<3xi64>
  %two = mlc_tensor.constant 2 : tensor<3xi64>
  %p = mlc_tensor.add %i, %two : tensor<3xi64>
  %y = mlc_tensor.scatter set %c[%p], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  func.return %y : tensor<9xf32>
}

// -----

// What is added at one place, or at places that stand twice, are sums; narrow floats are added as float32.
// CHECK-LABEL: func.func @sums(
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.reshape %u : tensor<6xbf16> -> tensor<3x2xbf16>
// CHECK-NEXT:    %[[W:.*]] = mlc_tensor.cast %[[A]] : tensor<3x2xbf16> -> tensor<3x2xf32>
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.reduce add %[[W]] dims [1] : tensor<3x2xf32> -> tensor<3x1xf32>
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.reshape %[[S]] : tensor<3x1xf32> -> tensor<3xf32>
// CHECK-NEXT:    %[[N:.*]] = mlc_tensor.cast %[[R]] : tensor<3xf32> -> tensor<3xbf16>
// CHECK-NEXT:    %[[Z:.*]] = mlc_tensor.constant 0.000000e+00 : tensor<3xbf16>
// CHECK-NEXT:    %[[P:.*]] = mlc_tensor.add %[[N]], %[[Z]] : tensor<3xbf16>
// CHECK-NEXT:    %{{.*}} = mlc_tensor.pad %[[P]] low [1] value 0.000000e+00 : bf16 : tensor<3xbf16> -> tensor<9xbf16>
func.func @sums(%u: tensor<6xbf16>) -> tensor<9xbf16> {
  %c = mlc_tensor.constant 0.0 : tensor<9xbf16>
  %i = mlc_tensor.iota dim 0 : tensor<6xi64>
  %one = mlc_tensor.constant 1 : tensor<6xi64>
  %two = mlc_tensor.constant 2 : tensor<6xi64>
  %h = mlc_tensor.floordiv %i, %two : tensor<6xi64>
  %p = mlc_tensor.add %h, %one : tensor<6xi64>
  %y = mlc_tensor.scatter add %c[%p], %u : tensor<9xbf16>, (tensor<6xi64>), tensor<6xbf16>
  func.return %y : tensor<9xbf16>
}

// -----

// What is set where places meet is one of them; and there is no sum of the greatest.
// CHECK-LABEL: func.func @keeps_what_meets(
// CHECK-COUNT-2: mlc_tensor.scatter
func.func @keeps_what_meets(%u: tensor<3xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %c = mlc_tensor.constant 0.0 : tensor<9xf32>
  %one = mlc_tensor.constant 1 : tensor<3xi64>
  %a = mlc_tensor.scatter set %c[%one], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  %b = mlc_tensor.scatter max %c[%one], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  func.return %a, %b : tensor<9xf32>, tensor<9xf32>
}

// -----

// Places that are data, that lie apart or go backwards, or outside; what is scattered into other than equal
// elements; and other ways to combine.
// CHECK-LABEL: func.func @keeps_other_scatters(
// CHECK-COUNT-6: mlc_tensor.scatter
// CHECK-NOT:     mlc_tensor.pad
func.func @keeps_other_scatters(%u: tensor<3xf32>, %d: tensor<3xi64>, %x: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  %c = mlc_tensor.constant 0.0 : tensor<9xf32>
  %a = mlc_tensor.scatter add %c[%d], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  %i = mlc_tensor.iota dim 0 : tensor<3xi64>
  %two = mlc_tensor.constant 2 : tensor<3xi64>
  %t = mlc_tensor.mul %i, %two : tensor<3xi64>
  %e = mlc_tensor.scatter add %c[%t], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  %r = mlc_tensor.sub %two, %i : tensor<3xi64>
  %f = mlc_tensor.scatter add %c[%r], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  %seven = mlc_tensor.constant 7 : tensor<3xi64>
  %o = mlc_tensor.add %i, %seven : tensor<3xi64>
  %g = mlc_tensor.scatter set %c[%o], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  %h = mlc_tensor.scatter add %x[%i], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  %m = mlc_tensor.scatter max %c[%i], %u : tensor<9xf32>, (tensor<3xi64>), tensor<3xf32>
  func.return %a, %e, %f, %g, %h, %m : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}
