// RUN: mlc-opt %s -p exchange-halves,dce | filecheck %s

// The gradient of a rotary embedding. Both halves are read at once, and one of them is taken. A sum with +0.0 is no -0.0.
// CHECK-LABEL: func.func @sum_of_exchanged_parts(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
// CHECK-NEXT:    %[[I:.*]] = mlc_tensor.iota dim 1 : tensor<4x64xi64>
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.constant 32 : tensor<4x64xi64>
// CHECK-NEXT:    %[[L:.*]] = mlc_tensor.lt %[[I]], %[[C]]
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.roll %x [0, 32] : tensor<4x64xf32> -> tensor<4x64xf32>
// CHECK-NEXT:    %[[N:.*]] = mlc_tensor.neg %[[R]]
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.select %[[L]], %[[R]], %[[N]]
// CHECK-NEXT:    %[[Z:.*]] = mlc_tensor.constant 0.000000e+00
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.add %[[S]], %[[Z]]
// CHECK-NEXT:    func.return %[[A]]
func.func @sum_of_exchanged_parts(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %a = mlc_tensor.slice %x [0, 32] step [1, 1] : tensor<4x64xf32> -> tensor<4x32xf32>
  %b = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x64xf32> -> tensor<4x32xf32>
  %n = mlc_tensor.neg %b : tensor<4x32xf32>
  %p = mlc_tensor.pad %n low [0, 32] value 0.0 : f32 : tensor<4x32xf32> -> tensor<4x64xf32>
  %q = mlc_tensor.pad %a low [0, 0] value 0.0 : f32 : tensor<4x32xf32> -> tensor<4x64xf32>
  %c = mlc_tensor.add %p, %q : tensor<4x64xf32>
  func.return %c : tensor<4x64xf32>
}

// Of a part of the columns, whose pieces are not halves, with zeros around them. What is done with both is done with all.
// CHECK-LABEL: func.func @sum_of_exchanged_casts(%x: tensor<4x64xbf16>) -> tensor<4x30xf32> {
// CHECK-NEXT:    %[[P:.*]] = mlc_tensor.slice %x [0, 10] step [1, 1] : tensor<4x64xbf16> -> tensor<4x20xbf16>
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.roll %[[P]] [0, 12] : tensor<4x20xbf16> -> tensor<4x20xbf16>
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[R]] : tensor<4x20xbf16> -> tensor<4x20xf32>
// CHECK-NEXT:    %[[Z:.*]] = mlc_tensor.constant 0.000000e+00
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.add %[[C]], %[[Z]]
// CHECK-NEXT:    mlc_tensor.pad %[[A]] low [0, 3] value 0.000000e+00 : f32 : tensor<4x20xf32> -> tensor<4x30xf32>
func.func @sum_of_exchanged_casts(%x: tensor<4x64xbf16>) -> tensor<4x30xf32> {
  %a = mlc_tensor.slice %x [0, 22] step [1, 1] : tensor<4x64xbf16> -> tensor<4x8xbf16>
  %b = mlc_tensor.slice %x [0, 10] step [1, 1] : tensor<4x64xbf16> -> tensor<4x12xbf16>
  %d = mlc_tensor.cast %a : tensor<4x8xbf16> -> tensor<4x8xf32>
  %e = mlc_tensor.cast %b : tensor<4x12xbf16> -> tensor<4x12xf32>
  %p = mlc_tensor.pad %d low [0, 3] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x30xf32>
  %q = mlc_tensor.pad %e low [0, 11] value 0.0 : f32 : tensor<4x12xf32> -> tensor<4x30xf32>
  %c = mlc_tensor.add %p, %q : tensor<4x30xf32>
  func.return %c : tensor<4x30xf32>
}

// In order, with a gap between them or in the tensor, of two tensors, behind more arithmetic, with another filling, moved
// along two dimensions.
// CHECK-LABEL: func.func @keeps_other_sums(
// CHECK-NOT:     mlc_tensor.roll
func.func @keeps_other_sums(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<4x4xf32>)
    -> (tensor<8xf32>, tensor<9xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x4xf32>) {
  %a = mlc_tensor.slice %x [4] step [1] : tensor<8xf32> -> tensor<4xf32>
  %b = mlc_tensor.slice %x [0] step [1] : tensor<8xf32> -> tensor<4xf32>
  %d = mlc_tensor.slice %x [0] step [1] : tensor<8xf32> -> tensor<3xf32>
  %e = mlc_tensor.slice %y [0] step [1] : tensor<8xf32> -> tensor<4xf32>
  %g = mlc_tensor.exp %b : tensor<4xf32>
  %a0 = mlc_tensor.pad %a low [0] value 0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %a4 = mlc_tensor.pad %a low [4] value 0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %b0 = mlc_tensor.pad %b low [0] value 0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %b4 = mlc_tensor.pad %b low [4] value 0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %a9 = mlc_tensor.pad %a low [0] value 0.0 : f32 : tensor<4xf32> -> tensor<9xf32>
  %b9 = mlc_tensor.pad %b low [5] value 0.0 : f32 : tensor<4xf32> -> tensor<9xf32>
  %d4 = mlc_tensor.pad %d low [4] value 0.0 : f32 : tensor<3xf32> -> tensor<8xf32>
  %e4 = mlc_tensor.pad %e low [4] value 0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %g4 = mlc_tensor.pad %g low [4] value 0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %m4 = mlc_tensor.pad %b low [4] value -0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %o4 = mlc_tensor.pad %b low [4] value 1.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  %u = mlc_tensor.slice %z [2, 2] step [1, 1] : tensor<4x4xf32> -> tensor<2x2xf32>
  %v = mlc_tensor.slice %z [0, 0] step [1, 1] : tensor<4x4xf32> -> tensor<2x2xf32>
  %u0 = mlc_tensor.pad %u low [0, 0] value 0.0 : f32 : tensor<2x2xf32> -> tensor<4x4xf32>
  %v2 = mlc_tensor.pad %v low [2, 2] value 0.0 : f32 : tensor<2x2xf32> -> tensor<4x4xf32>
  %p = mlc_tensor.add %b0, %a4 : tensor<8xf32>
  %q = mlc_tensor.add %a9, %b9 : tensor<9xf32>
  %r = mlc_tensor.add %a0, %d4 : tensor<8xf32>
  %s = mlc_tensor.add %a0, %e4 : tensor<8xf32>
  %t = mlc_tensor.add %a0, %g4 : tensor<8xf32>
  %n = mlc_tensor.add %a0, %m4 : tensor<8xf32>
  %o = mlc_tensor.add %a0, %o4 : tensor<8xf32>
  %w = mlc_tensor.add %u0, %v2 : tensor<4x4xf32>
  func.return %p, %q, %r, %s, %t, %n, %o, %w : tensor<8xf32>, tensor<9xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x4xf32>
}

// -----

// Both parts are of a tensor that is turned round: so is what is rolled.
// CHECK-LABEL: func.func @turned(
// CHECK:         %[[T:.*]] = mlc_tensor.slice %x [7] step [-1] : tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT:    mlc_tensor.roll %[[T]] [3]
func.func @turned(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.slice %x [7] step [-1] : tensor<8xf32> -> tensor<3xf32>
  %b = mlc_tensor.slice %x [4] step [-1] : tensor<8xf32> -> tensor<5xf32>
  %a5 = mlc_tensor.pad %a low [5] value 0.0 : f32 : tensor<3xf32> -> tensor<8xf32>
  %b0 = mlc_tensor.pad %b low [0] value 0.0 : f32 : tensor<5xf32> -> tensor<8xf32>
  %s = mlc_tensor.add %a5, %b0 : tensor<8xf32>
  func.return %s : tensor<8xf32>
}
