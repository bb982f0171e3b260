// RUN: mlc-opt %s -p 'const-fold{max-bytes=64},dce' | filecheck %s

// Gathers and scans of constants.

// CHECK-LABEL: func.func @gather() -> tensor<4xf32> {
// CHECK-NEXT:    %g = mlc_tensor.constant dense<[3.500000e+00, 1.500000e+00, 3.500000e+00, 2.500000e+00]> : tensor<4xf32>
// CHECK-NEXT:    func.return %g : tensor<4xf32>
// CHECK-NEXT:  }
func.func @gather() -> tensor<4xf32> {
  %x = mlc_tensor.constant dense<[1.5, 2.5, 3.5]> : tensor<3xf32>
  %i = mlc_tensor.constant dense<[2, 0, 2, 1]> : tensor<4xi64>
  %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<4xi64>) -> tensor<4xf32>
  func.return %g : tensor<4xf32>
}

// Rows of a table: the columns are counted, not constants.
// CHECK-LABEL: func.func @embedding() -> tensor<2x2xf32> {
// CHECK-NEXT:    %g = mlc_tensor.constant dense<{{\[\[}}5.000000e+00, 6.000000e+00], [3.000000e+00, 4.000000e+00{{\]\]}}> : tensor<2x2xf32>
// CHECK-NEXT:    func.return %g : tensor<2x2xf32>
// CHECK-NEXT:  }
func.func @embedding() -> tensor<2x2xf32> {
  %x = mlc_tensor.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = mlc_tensor.constant dense<[[2], [1]]> : tensor<2x1xi64>
  %r = mlc_tensor.broadcast %i : tensor<2x1xi64> -> tensor<2x2xi64>
  %n = mlc_tensor.iota dim 0 : tensor<2xi64>
  %c = mlc_tensor.broadcast %n : tensor<2xi64> -> tensor<2x2xi64>
  %g = mlc_tensor.gather %x[%r, %c] : tensor<3x2xf32>, (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xf32>
  func.return %g : tensor<2x2xf32>
}

// Equal elements wherever they are read, but a place that is data may be outside.
// CHECK-LABEL: func.func @keeps_places_that_are_data(%i: tensor<4xi64>) -> tensor<4xf32> {
// CHECK-NEXT:    %x = mlc_tensor.constant 1.500000e+00 : tensor<3xf32>
// CHECK-NEXT:    %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<4xi64>) -> tensor<4xf32>
// CHECK-NEXT:    func.return %g : tensor<4xf32>
// CHECK-NEXT:  }
func.func @keeps_places_that_are_data(%i: tensor<4xi64>) -> tensor<4xf32> {
  %x = mlc_tensor.constant 1.5 : tensor<3xf32>
  %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<4xi64>) -> tensor<4xf32>
  func.return %g : tensor<4xf32>
}

// Place 3 of 3 is an error when the program runs.
// CHECK-LABEL: func.func @keeps_place_outside() -> tensor<2xf32> {
// CHECK-NEXT:    %x = mlc_tensor.constant dense<[1.500000e+00, 2.500000e+00, 3.500000e+00]> : tensor<3xf32>
// CHECK-NEXT:    %i = mlc_tensor.constant dense<[1, 3]> : tensor<2xi64>
// CHECK-NEXT:    %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<2xi64>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %g : tensor<2xf32>
// CHECK-NEXT:  }
func.func @keeps_place_outside() -> tensor<2xf32> {
  %x = mlc_tensor.constant dense<[1.5, 2.5, 3.5]> : tensor<3xf32>
  %i = mlc_tensor.constant dense<[1, 3]> : tensor<2xi64>
  %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<2xi64>) -> tensor<2xf32>
  func.return %g : tensor<2xf32>
}

// So is a negative one.
// CHECK-LABEL: func.func @keeps_negative_place() -> tensor<2xf32> {
// CHECK-NEXT:    %x = mlc_tensor.constant dense<[1.500000e+00, 2.500000e+00, 3.500000e+00]> : tensor<3xf32>
// CHECK-NEXT:    %i = mlc_tensor.constant dense<[1, -1]> : tensor<2xi64>
// CHECK-NEXT:    %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<2xi64>) -> tensor<2xf32>
// CHECK-NEXT:    func.return %g : tensor<2xf32>
// CHECK-NEXT:  }
func.func @keeps_negative_place() -> tensor<2xf32> {
  %x = mlc_tensor.constant dense<[1.5, 2.5, 3.5]> : tensor<3xf32>
  %i = mlc_tensor.constant dense<[1, -1]> : tensor<2xi64>
  %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<2xi64>) -> tensor<2xf32>
  func.return %g : tensor<2xf32>
}

// 17 floats are 68 bytes.
// CHECK-LABEL: func.func @keeps_large_gather() -> tensor<17xf32> {
// CHECK-NEXT:    %x = mlc_tensor.constant dense<[1.500000e+00, 2.500000e+00, 3.500000e+00]> : tensor<3xf32>
// CHECK-NEXT:    %i = mlc_tensor.constant dense<[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]> : tensor<17xi64>
// CHECK-NEXT:    %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<17xi64>) -> tensor<17xf32>
// CHECK-NEXT:    func.return %g : tensor<17xf32>
// CHECK-NEXT:  }
func.func @keeps_large_gather() -> tensor<17xf32> {
  %x = mlc_tensor.constant dense<[1.5, 2.5, 3.5]> : tensor<3xf32>
  %i = mlc_tensor.constant dense<[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]> : tensor<17xi64>
  %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<17xi64>) -> tensor<17xf32>
  func.return %g : tensor<17xf32>
}

// A table that is an argument is not known.
// CHECK-LABEL: func.func @keeps_argument(%x: tensor<3xf32>) -> tensor<3xf32> {
// CHECK-NEXT:    %i = mlc_tensor.constant dense<[1, 0, 0]> : tensor<3xi64>
// CHECK-NEXT:    %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<3xi64>) -> tensor<3xf32>
// CHECK-NEXT:    func.return %g : tensor<3xf32>
// CHECK-NEXT:  }
func.func @keeps_argument(%x: tensor<3xf32>) -> tensor<3xf32> {
  %i = mlc_tensor.constant dense<[1, 0, 0]> : tensor<3xi64>
  %g = mlc_tensor.gather %x[%i] : tensor<3xf32>, (tensor<3xi64>) -> tensor<3xf32>
  func.return %g : tensor<3xf32>
}

// Sums of integers wrap, sums of floats here are exact.
// CHECK-LABEL: func.func @scans() -> (tensor<3xi8>, tensor<3xf32>, tensor<3xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.constant dense<[100, -56, 44]> : tensor<3xi8>
// CHECK-NEXT:    %b = mlc_tensor.constant dense<[1.500000e+00, 4.000000e+00, 5.000000e-01]> : tensor<3xf32>
// CHECK-NEXT:    %c = mlc_tensor.constant dense<[4.000000e+00, 9.000000e+00, 9.000000e+00]> : tensor<3xf32>
// CHECK-NEXT:    func.return %a, %b, %c : tensor<3xi8>, tensor<3xf32>, tensor<3xf32>
// CHECK-NEXT:  }
func.func @scans() -> (tensor<3xi8>, tensor<3xf32>, tensor<3xf32>) {
  %x = mlc_tensor.constant dense<[100, 100, 100]> : tensor<3xi8>
  %y = mlc_tensor.constant dense<[1.5, 2.5, -3.5]> : tensor<3xf32>
  %z = mlc_tensor.constant dense<[4.0, 9.0, 1.0]> : tensor<3xf32>
  %a = mlc_tensor.scan add %x dim 0 : tensor<3xi8> -> tensor<3xi8>
  %b = mlc_tensor.scan add %y dim 0 : tensor<3xf32> -> tensor<3xf32>
  %c = mlc_tensor.scan max %z dim 0 : tensor<3xf32> -> tensor<3xf32>
  func.return %a, %b, %c : tensor<3xi8>, tensor<3xf32>, tensor<3xf32>
}

// These sums round, in an order that the kernel chooses; so do products, and sums of exponentials.
// CHECK-LABEL: func.func @keeps_rounding_scans() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
// CHECK-NEXT:    %x = mlc_tensor.constant dense<[1.000000e-01, 0x4B800000, 3.000000e-01]> : tensor<3xf32>
// CHECK-NEXT:    %a = mlc_tensor.scan add %x dim 0 : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT:    %b = mlc_tensor.scan mul %x dim 0 : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT:    %c = mlc_tensor.scan logaddexp %x dim 0 : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT:    func.return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
// CHECK-NEXT:  }
func.func @keeps_rounding_scans() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = mlc_tensor.constant dense<[0.1, 16777216.0, 0.3]> : tensor<3xf32>
  %a = mlc_tensor.scan add %x dim 0 : tensor<3xf32> -> tensor<3xf32>
  %b = mlc_tensor.scan mul %x dim 0 : tensor<3xf32> -> tensor<3xf32>
  %c = mlc_tensor.scan logaddexp %x dim 0 : tensor<3xf32> -> tensor<3xf32>
  func.return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
