// RUN: mlc-opt %s -p const-fold,dce --split-input-file | filecheck %s

// Rows of an image of 14, for one of 64, by half pixels: the first stands more often than a line has it.
// CHECK-LABEL: func.func @enlarged(
// CHECK-DAG:     %[[I:.*]] = mlc_tensor.iota dim 0 : tensor<64xi64>
// CHECK-DAG:     %[[SEVEN:.*]] = mlc_tensor.constant 7 : tensor<64xi64>
// CHECK:         %[[M:.*]] = mlc_tensor.mul %[[I]], %[[SEVEN]] : tensor<64xi64>
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.constant 19 : tensor<64xi64>
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.add %[[M]], %[[B]] : tensor<64xi64>
// CHECK-NEXT:    %[[D:.*]] = mlc_tensor.constant 32 : tensor<64xi64>
// CHECK-NEXT:    %[[Q:.*]] = mlc_tensor.floordiv %[[A]], %[[D]] : tensor<64xi64>
// CHECK-NEXT:    %[[ONE:.*]] = mlc_tensor.constant 1 : tensor<64xi64>
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.sub %[[Q]], %[[ONE]] : tensor<64xi64>
// CHECK:         %[[L:.*]] = mlc_tensor.maximum %[[S]], %{{.*}} : tensor<64xi64>
// CHECK:         %[[H:.*]] = mlc_tensor.minimum %[[L]], %{{.*}} : tensor<64xi64>
// CHECK-NOT:     mlc_tensor.cast
func.func @enlarged() -> tensor<64xi64> {
  %i = mlc_tensor.iota dim 0 : tensor<64xi64>
  %f = mlc_tensor.cast %i : tensor<64xi64> -> tensor<64xf32>
  %half = mlc_tensor.constant 0.5 : tensor<64xf32>
  %c = mlc_tensor.add %f, %half : tensor<64xf32>
  %scale = mlc_tensor.constant 0.21875 : tensor<64xf32>
  %s = mlc_tensor.mul %c, %scale : tensor<64xf32>
  %e = mlc_tensor.sub %s, %half : tensor<64xf32>
  %zero = mlc_tensor.constant 0.0 : tensor<64xf32>
  %m = mlc_tensor.maximum %e, %zero : tensor<64xf32>
  %r = mlc_tensor.cast %m : tensor<64xf32> -> tensor<64xi64>
  func.return %r : tensor<64xi64>
}

// -----

// An index that a line needs no ends for becomes that line: the least of two is no index expression.
// CHECK-LABEL: func.func @index(
// CHECK-DAG:     %[[TWO:.*]] = mlc_tensor.constant 2 : tensor<7xi64>
// CHECK-DAG:     %[[FIVE:.*]] = mlc_tensor.constant 5 : tensor<7xi64>
// CHECK:         %[[Q:.*]] = mlc_tensor.floordiv %{{.*}}, %{{.*}} : tensor<7xi64>
// CHECK-NOT:     mlc_tensor.minimum
// CHECK:         mlc_tensor.gather
func.func @index(%x: tensor<4xf32>) -> tensor<7xf32> {
  %i = mlc_tensor.iota dim 0 : tensor<7xi64>
  %two = mlc_tensor.constant 2 : tensor<7xi64>
  %h = mlc_tensor.floordiv %i, %two : tensor<7xi64>
  %one = mlc_tensor.constant 1 : tensor<7xi64>
  %n = mlc_tensor.add %h, %one : tensor<7xi64>
  %three = mlc_tensor.constant 3 : tensor<7xi64>
  %m = mlc_tensor.minimum %n, %three : tensor<7xi64>
  %y = mlc_tensor.gather %x[%m] : tensor<4xf32>, (tensor<7xi64>) -> tensor<7xf32>
  func.return %y : tensor<7xf32>
}

// -----

// Steps of a logarithm depend on who computes it; squares lie on no line; a data scale is not known.
// CHECK-LABEL: func.func @keeps_casts(
// CHECK-COUNT-3: mlc_tensor.cast %{{.*}} : tensor<9xf32> -> tensor<9xi64>
func.func @keeps_casts(%x: tensor<9xf32>) -> (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>) {
  %i = mlc_tensor.iota dim 0 : tensor<9xi64>
  %f = mlc_tensor.cast %i : tensor<9xi64> -> tensor<9xf32>
  %one = mlc_tensor.constant 1.0 : tensor<9xf32>
  %p = mlc_tensor.add %f, %one : tensor<9xf32>
  %l = mlc_tensor.log %p : tensor<9xf32>
  %a = mlc_tensor.cast %l : tensor<9xf32> -> tensor<9xi64>
  %s = mlc_tensor.mul %p, %p : tensor<9xf32>
  %b = mlc_tensor.cast %s : tensor<9xf32> -> tensor<9xi64>
  %d = mlc_tensor.mul %p, %x : tensor<9xf32>
  %c = mlc_tensor.cast %d : tensor<9xf32> -> tensor<9xi64>
  func.return %a, %b, %c : tensor<9xi64>, tensor<9xi64>, tensor<9xi64>
}

// -----

// Indices that need ends, that go back, or that lie outside.
// CHECK-LABEL: func.func @keeps_indices(
// CHECK-NOT:     mlc_tensor.floordiv
func.func @keeps_indices(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<2xf32>) {
  %i = mlc_tensor.iota dim 0 : tensor<8xi64>
  %three = mlc_tensor.constant 3 : tensor<8xi64>
  %m = mlc_tensor.minimum %i, %three : tensor<8xi64>
  %a = mlc_tensor.gather %x[%m] : tensor<4xf32>, (tensor<8xi64>) -> tensor<8xf32>
  %d = mlc_tensor.constant dense<[3, 2, 2, 1]> : tensor<4xi64>
  %b = mlc_tensor.gather %x[%d] : tensor<4xf32>, (tensor<4xi64>) -> tensor<4xf32>
  %o = mlc_tensor.constant dense<[2, 5]> : tensor<2xi64>
  %c = mlc_tensor.gather %x[%o] : tensor<4xf32>, (tensor<2xi64>) -> tensor<2xf32>
  func.return %a, %b, %c : tensor<8xf32>, tensor<4xf32>, tensor<2xf32>
}
