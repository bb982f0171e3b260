// RUN: mlc-opt %s -p canonicalize --split-input-file | filecheck %s

// A cast to a wider type loses nothing: f32 -> f64 -> f32 is x, f16 -> f32 -> bf16 is f16 -> bf16.
// CHECK-LABEL: func.func @drop_exact_step(%x: tensor<4xf32>, %h: tensor<4xf16>, %b: tensor<4xi1>, %i: tensor<4xi16>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xi1>, tensor<4xi64>, tensor<4xi32>) {
// CHECK-NEXT:    %e = mlc_tensor.cast %h : tensor<4xf16> -> tensor<4xbf16>
// CHECK-NEXT:    %k = mlc_tensor.cast %i : tensor<4xi16> -> tensor<4xi64>
// CHECK-NEXT:    %m = mlc_tensor.cast %i : tensor<4xi16> -> tensor<4xi32>
// CHECK-NEXT:    func.return %x, %e, %b, %k, %m : tensor<4xf32>, tensor<4xbf16>, tensor<4xi1>, tensor<4xi64>, tensor<4xi32>
// CHECK-NEXT:  }
func.func @drop_exact_step(%x: tensor<4xf32>, %h: tensor<4xf16>, %b: tensor<4xi1>, %i: tensor<4xi16>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xi1>, tensor<4xi64>, tensor<4xi32>) {
  %a = mlc_tensor.cast %x : tensor<4xf32> -> tensor<4xf64>
  %c = mlc_tensor.cast %a : tensor<4xf64> -> tensor<4xf32>
  %d = mlc_tensor.cast %h : tensor<4xf16> -> tensor<4xf32>
  %e = mlc_tensor.cast %d : tensor<4xf32> -> tensor<4xbf16>
  %f = mlc_tensor.cast %b : tensor<4xi1> -> tensor<4xbf16>
  %g = mlc_tensor.cast %f : tensor<4xbf16> -> tensor<4xi1>
  %j = mlc_tensor.cast %i : tensor<4xi16> -> tensor<4xi32>
  %k = mlc_tensor.cast %j : tensor<4xi32> -> tensor<4xi64>
  %l = mlc_tensor.cast %i : tensor<4xi16> -> tensor<4xf32>
  %m = mlc_tensor.cast %l : tensor<4xf32> -> tensor<4xi32>
  func.return %c, %e, %g, %k, %m : tensor<4xf32>, tensor<4xbf16>, tensor<4xi1>, tensor<4xi64>, tensor<4xi32>
}

// bf16 rounds f32, f16 has not the range of bf16 nor bf16 the digits of f16, f32 rounds i32.
// CHECK-LABEL: func.func @keeps_rounding(%x: tensor<4xf32>, %h: tensor<4xf16>, %b: tensor<4xbf16>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf64>) {
// CHECK-NEXT:    %a = mlc_tensor.cast %x : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT:    %c = mlc_tensor.cast %a : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT:    %d = mlc_tensor.cast %h : tensor<4xf16> -> tensor<4xbf16>
// CHECK-NEXT:    %e = mlc_tensor.cast %d : tensor<4xbf16> -> tensor<4xf16>
// CHECK-NEXT:    %f = mlc_tensor.cast %b : tensor<4xbf16> -> tensor<4xf16>
// CHECK-NEXT:    %g = mlc_tensor.cast %f : tensor<4xf16> -> tensor<4xbf16>
// CHECK-NEXT:    %j = mlc_tensor.cast %i : tensor<4xi32> -> tensor<4xf32>
// CHECK-NEXT:    %k = mlc_tensor.cast %j : tensor<4xf32> -> tensor<4xf64>
// CHECK-NEXT:    func.return %c, %e, %g, %k : tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf64>
// CHECK-NEXT:  }
func.func @keeps_rounding(%x: tensor<4xf32>, %h: tensor<4xf16>, %b: tensor<4xbf16>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf64>) {
  %a = mlc_tensor.cast %x : tensor<4xf32> -> tensor<4xbf16>
  %c = mlc_tensor.cast %a : tensor<4xbf16> -> tensor<4xf32>
  %d = mlc_tensor.cast %h : tensor<4xf16> -> tensor<4xbf16>
  %e = mlc_tensor.cast %d : tensor<4xbf16> -> tensor<4xf16>
  %f = mlc_tensor.cast %b : tensor<4xbf16> -> tensor<4xf16>
  %g = mlc_tensor.cast %f : tensor<4xf16> -> tensor<4xbf16>
  %j = mlc_tensor.cast %i : tensor<4xi32> -> tensor<4xf32>
  %k = mlc_tensor.cast %j : tensor<4xf32> -> tensor<4xf64>
  func.return %c, %e, %g, %k : tensor<4xf32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf64>
}

// x in its own type.
// CHECK-LABEL: func.func @drop_identity_cast(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    func.return %x : tensor<4xf32>
// CHECK-NEXT:  }
func.func @drop_identity_cast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = mlc_tensor.cast %x : tensor<4xf32> -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// Integers wrap: only the bits that are left matter.
// CHECK-LABEL: func.func @drop_wrapping_step(%x: tensor<4xi64>, %y: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi32>) {
// CHECK-NEXT:    %b = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi8>
// CHECK-NEXT:    func.return %b, %y : tensor<4xi8>, tensor<4xi32>
// CHECK-NEXT:  }
func.func @drop_wrapping_step(%x: tensor<4xi64>, %y: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi32>) {
  %a = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi32>
  %b = mlc_tensor.cast %a : tensor<4xi32> -> tensor<4xi8>
  %c = mlc_tensor.cast %y : tensor<4xi32> -> tensor<4xi64>
  %d = mlc_tensor.cast %c : tensor<4xi64> -> tensor<4xi32>
  func.return %b, %d : tensor<4xi8>, tensor<4xi32>
}

// Bits that are gone do not come back; truth is not the lowest bit; 255 is not -1;
// 300 in f32 saturates into i8, and in i16 it wraps.
// CHECK-LABEL: func.func @keeps_lost_bits(%x: tensor<4xi64>, %u: tensor<4xi8>, %i: tensor<4xi16>) -> (tensor<4xi64>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xi8>) {
// CHECK-NEXT:    %a = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi32>
// CHECK-NEXT:    %b = mlc_tensor.cast %a : tensor<4xi32> -> tensor<4xi64>
// CHECK-NEXT:    %c = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi1>
// CHECK-NEXT:    %d = mlc_tensor.cast %c : tensor<4xi1> -> tensor<4xi32>
// CHECK-NEXT:    %e = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi8>
// CHECK-NEXT:    %f = mlc_tensor.cast %e : tensor<4xi8> -> tensor<4xi1>
// CHECK-NEXT:    %g = mlc_tensor.cast %u : tensor<4xi8> -> tensor<4xui8>
// CHECK-NEXT:    %h = mlc_tensor.cast %g : tensor<4xui8> -> tensor<4xi32>
// CHECK-NEXT:    %j = mlc_tensor.cast %i : tensor<4xi16> -> tensor<4xf32>
// CHECK-NEXT:    %k = mlc_tensor.cast %j : tensor<4xf32> -> tensor<4xi8>
// CHECK-NEXT:    func.return %b, %d, %f, %h, %k : tensor<4xi64>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xi8>
// CHECK-NEXT:  }
func.func @keeps_lost_bits(%x: tensor<4xi64>, %u: tensor<4xi8>, %i: tensor<4xi16>) -> (tensor<4xi64>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xi8>) {
  %a = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi32>
  %b = mlc_tensor.cast %a : tensor<4xi32> -> tensor<4xi64>
  %c = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi1>
  %d = mlc_tensor.cast %c : tensor<4xi1> -> tensor<4xi32>
  %e = mlc_tensor.cast %x : tensor<4xi64> -> tensor<4xi8>
  %f = mlc_tensor.cast %e : tensor<4xi8> -> tensor<4xi1>
  %g = mlc_tensor.cast %u : tensor<4xi8> -> tensor<4xui8>
  %h = mlc_tensor.cast %g : tensor<4xui8> -> tensor<4xi32>
  %j = mlc_tensor.cast %i : tensor<4xi16> -> tensor<4xf32>
  %k = mlc_tensor.cast %j : tensor<4xf32> -> tensor<4xi8>
  func.return %b, %d, %f, %h, %k : tensor<4xi64>, tensor<4xi32>, tensor<4xi1>, tensor<4xi32>, tensor<4xi8>
}

// The wide value stays where something else uses it.
// CHECK-LABEL: func.func @multi_use(%h: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
// CHECK-NEXT:    %a = mlc_tensor.cast %h : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT:    func.return %a, %h : tensor<4xf32>, tensor<4xbf16>
// CHECK-NEXT:  }
func.func @multi_use(%h: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
  %a = mlc_tensor.cast %h : tensor<4xbf16> -> tensor<4xf32>
  %b = mlc_tensor.cast %a : tensor<4xf32> -> tensor<4xbf16>
  func.return %a, %b : tensor<4xf32>, tensor<4xbf16>
}

// Nothing to reduce: dimensions of size 1.
// CHECK-LABEL: func.func @drop_single_reduction(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>, tensor<4x1xi64>) {
// CHECK-NEXT:    %c = mlc_tensor.reduce mul %x dims [0] : tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    %d = mlc_tensor.constant 0 : tensor<4x1xi64>
// CHECK-NEXT:    func.return %x, %x, %c, %d : tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>, tensor<4x1xi64>
// CHECK-NEXT:  }
func.func @drop_single_reduction(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>, tensor<4x1xi64>) {
  %a = mlc_tensor.reduce add %x dims [1] : tensor<4x1xf32> -> tensor<4x1xf32>
  %b = mlc_tensor.reduce max %x dims [1] : tensor<4x1xf32> -> tensor<4x1xf32>
  %c = mlc_tensor.reduce mul %x dims [0, 1] : tensor<4x1xf32> -> tensor<1x1xf32>
  %d = mlc_tensor.reduce argmax %x dims [1] : tensor<4x1xf32> -> tensor<4x1xi64>
  func.return %a, %b, %c, %d : tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>, tensor<4x1xi64>
}

// A size that has a name may not be 1, and an empty one has nothing.
// CHECK-LABEL: func.func @keeps_reductions(%x: tensor<?x0xf32, ["N", "0"]>) -> (tensor<1x0xf32>, tensor<?x1xf32, ["N", "1"]>) {
// CHECK-NEXT:    %a = mlc_tensor.reduce add %x dims [0] : tensor<?x0xf32, ["N", "0"]> -> tensor<1x0xf32>
// CHECK-NEXT:    %b = mlc_tensor.reduce max %x dims [1] : tensor<?x0xf32, ["N", "0"]> -> tensor<?x1xf32, ["N", "1"]>
// CHECK-NEXT:    func.return %a, %b : tensor<1x0xf32>, tensor<?x1xf32, ["N", "1"]>
// CHECK-NEXT:  }
func.func @keeps_reductions(%x: tensor<?x0xf32, ["N", "0"]>) -> (tensor<1x0xf32>, tensor<?x1xf32, ["N", "1"]>) {
  %a = mlc_tensor.reduce add %x dims [0] : tensor<?x0xf32, ["N", "0"]> -> tensor<1x0xf32>
  %b = mlc_tensor.reduce max %x dims [1] : tensor<?x0xf32, ["N", "0"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %a, %b : tensor<1x0xf32>, tensor<?x1xf32, ["N", "1"]>
}

// The maximum of maxima; sums of integers wrap in any order.
// CHECK-LABEL: func.func @join_reductions(%x: tensor<2x4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<2x1x1xf32>, tensor<1x1xi32>) {
// CHECK-NEXT:    %b = mlc_tensor.reduce max %x dims [1, 2] : tensor<2x4x8xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT:    %d = mlc_tensor.reduce add %i dims [0, 1] : tensor<4x8xi32> -> tensor<1x1xi32>
// CHECK-NEXT:    func.return %b, %d : tensor<2x1x1xf32>, tensor<1x1xi32>
// CHECK-NEXT:  }
func.func @join_reductions(%x: tensor<2x4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<2x1x1xf32>, tensor<1x1xi32>) {
  %a = mlc_tensor.reduce max %x dims [2] : tensor<2x4x8xf32> -> tensor<2x4x1xf32>
  %b = mlc_tensor.reduce max %a dims [1] : tensor<2x4x1xf32> -> tensor<2x1x1xf32>
  %c = mlc_tensor.reduce add %i dims [0] : tensor<4x8xi32> -> tensor<1x8xi32>
  %d = mlc_tensor.reduce add %c dims [1] : tensor<1x8xi32> -> tensor<1x1xi32>
  func.return %b, %d : tensor<2x1x1xf32>, tensor<1x1xi32>
}

// Float sums round between; kinds differ; a reduction with another use would be done twice.
// CHECK-LABEL: func.func @keeps_two_reductions(%x: tensor<4x8xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %b = mlc_tensor.reduce add %a dims [0] : tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    %c = mlc_tensor.reduce max %a dims [0] : tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    %d = mlc_tensor.reduce min %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %e = mlc_tensor.reduce min %d dims [0] : tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    func.return %b, %c, %d, %e : tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>
// CHECK-NEXT:  }
func.func @keeps_two_reductions(%x: tensor<4x8xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>) {
  %a = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %b = mlc_tensor.reduce add %a dims [0] : tensor<4x1xf32> -> tensor<1x1xf32>
  %c = mlc_tensor.reduce max %a dims [0] : tensor<4x1xf32> -> tensor<1x1xf32>
  %d = mlc_tensor.reduce min %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %e = mlc_tensor.reduce min %d dims [0] : tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %b, %c, %d, %e : tensor<1x1xf32>, tensor<1x1xf32>, tensor<4x1xf32>, tensor<1x1xf32>
}
