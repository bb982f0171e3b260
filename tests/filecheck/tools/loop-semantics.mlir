// RUN: mlc-opt %s -p 'decompose,fuse,tensor-to-loop,approximate,unroll-columns{most=2},linearize-axes,tile-transpose,persistent-rows,partition-rows{online=true part=2},online-reduction,split-reduction,split-scan,pad-columns,peel-alignment{shortest=1 fewest=1 vector=2},last-block,schedule' --verify-semantics 2>&1 | filecheck %s
// RUN: mlc-opt %s -p decompose,fuse,tensor-to-loop,linearize-axes,schedule --run 2>&1 | filecheck %s --check-prefix=GIVES

// The interpreter runs every kernel: all passes on loops are checked, and none is said to be wrong.
// CHECK-NOT: is not checked
// CHECK-NOT: error
// GIVES-LABEL: @looks_up
// GIVES:         result 0 : memref<3x4xf32>
// GIVES-LABEL: @scatters
// GIVES:         result 0 : memref<5x4xf32>
// GIVES-LABEL: @scans
// GIVES:         result 1 : memref<3x5xi64>
// GIVES-LABEL: @draws
// GIVES:         result 0 : memref<4x8xi32>
// GIVES-LABEL: @gelu
// GIVES:         result 0 : memref<4x8xbf16>

// Rows of a table, at places that are data.
func.func @looks_up(%t: tensor<5x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %n = mlc_tensor.constant 5 : tensor<3xi64>
  %r = mlc_tensor.remainder %i, %n : tensor<3xi64>
  %c = mlc_tensor.reshape %r : tensor<3xi64> -> tensor<3x1xi64>
  %rows = mlc_tensor.broadcast %c : tensor<3x1xi64> -> tensor<3x4xi64>
  %columns = mlc_tensor.iota dim 1 : tensor<3x4xi64>
  %g = mlc_tensor.gather %t[%rows, %columns] : tensor<5x4xf32>, (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xf32>
  %e = mlc_tensor.neg %g : tensor<3x4xf32>
  func.return %e : tensor<3x4xf32>
}

// Updates that meet in one place.
func.func @scatters(%t: tensor<5x4xf32>, %i: tensor<3x4xi64>, %u: tensor<3x4xf32>) -> tensor<5x4xf32> {
  %n = mlc_tensor.constant 5 : tensor<3x4xi64>
  %rows = mlc_tensor.remainder %i, %n : tensor<3x4xi64>
  %columns = mlc_tensor.iota dim 1 : tensor<3x4xi64>
  %s = mlc_tensor.scatter add %t[%rows, %columns], %u : tensor<5x4xf32>, (tensor<3x4xi64>, tensor<3x4xi64>), tensor<3x4xf32>
  func.return %s : tensor<5x4xf32>
}

// Sums and places of the greatest so far, of a named number of columns too.
func.func @scans(%x: tensor<3x5xf32>, %y: tensor<3x?xf32, ["3", "N"]>) -> (tensor<3x5xf32>, tensor<3x5xi64>, tensor<3x?xf32, ["3", "N"]>) {
  %s = mlc_tensor.scan add %x dim 1 : tensor<3x5xf32> -> tensor<3x5xf32>
  %m = mlc_tensor.scan argmax %x dim 1 : tensor<3x5xf32> -> tensor<3x5xi64>
  %t = mlc_tensor.scan logaddexp %y dim 1 : tensor<3x?xf32, ["3", "N"]> -> tensor<3x?xf32, ["3", "N"]>
  func.return %s, %m, %t : tensor<3x5xf32>, tensor<3x5xi64>, tensor<3x?xf32, ["3", "N"]>
}

// Bits by their places.
func.func @draws(%seeds: tensor<2xi64>) -> tensor<4x8xi32> {
  %b = mlc_tensor.random %seeds[1] word 2 : tensor<2xi64> -> tensor<4x8xi32>
  %n = mlc_tensor.not %b : tensor<4x8xi32>
  func.return %n : tensor<4x8xi32>
}

// 1 + erf, by a short polynomial.
func.func @gelu(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %g = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<4x8xbf16>) -> (tensor<4x8xbf16>)
  func.return %g : tensor<4x8xbf16>
}

// In parts, its sums are rounded otherwise.
func.func @scans_far(%x: tensor<3x40xf32>) -> tensor<3x40xf32> {
  %y = mlc_tensor.scan add %x dim 1 : tensor<3x40xf32> -> tensor<3x40xf32>
  func.return %y : tensor<3x40xf32>
}
