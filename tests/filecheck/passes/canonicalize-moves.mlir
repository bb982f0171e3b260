// RUN: mlc-opt %s -p canonicalize --split-input-file | filecheck %s

// The permutations before and after the arithmetic are inverse: both go, and the constant has the other shape.
// CHECK-LABEL: @cancel_through_elementwise(
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.constant 2.000000e+00 : tensor<4x8x2xf32>
// CHECK-NEXT:    %[[M:.*]] = mlc_tensor.mul %x, %[[C]] : tensor<4x8x2xf32>
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.add %[[M]], %y : tensor<4x8x2xf32>
// CHECK-NEXT:    %[[H:.*]] = mlc_tensor.cast %[[A]]
// CHECK-NEXT:    func.return %[[H]] : tensor<4x8x2xf16>
func.func @cancel_through_elementwise(%x: tensor<4x8x2xf32>, %y: tensor<4x8x2xf32>) -> tensor<4x8x2xf16> {
  %p = mlc_tensor.permute %x [2, 0, 1] : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
  %q = mlc_tensor.permute %y [2, 0, 1] : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
  %c = mlc_tensor.constant 2.0 : tensor<2x4x8xf32>
  %m = mlc_tensor.mul %p, %c : tensor<2x4x8xf32>
  %a = mlc_tensor.add %m, %q : tensor<2x4x8xf32>
  %h = mlc_tensor.cast %a : tensor<2x4x8xf32> -> tensor<2x4x8xf16>
  %r = mlc_tensor.permute %h [1, 2, 0] : tensor<2x4x8xf16> -> tensor<4x8x2xf16>
  func.return %r : tensor<4x8x2xf16>
}

// -----

// Reshapes likewise, of named sizes too.
// CHECK-LABEL: @cancel_reshapes(
// CHECK-NEXT:    %[[E:.*]] = mlc_tensor.exp %x
// CHECK-NEXT:    func.return %[[E]]
func.func @cancel_reshapes(%x: tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xf32, ["N", "8"]> {
  %f = mlc_tensor.reshape %x : tensor<?x8xf32, ["N", "8"]> -> tensor<?xf32, ["N * 8"]>
  %e = mlc_tensor.exp %f : tensor<?xf32, ["N * 8"]>
  %r = mlc_tensor.reshape %e : tensor<?xf32, ["N * 8"]> -> tensor<?x8xf32, ["N", "8"]>
  func.return %r : tensor<?x8xf32, ["N", "8"]>
}

// -----

// Not where the arithmetic is read twice, and would be done twice; nor where another view would be left.
// CHECK-LABEL: @keeps_views_that_stay(
// CHECK-COUNT-2: mlc_tensor.permute
// CHECK:         mlc_tensor.exp
// CHECK:         mlc_tensor.permute
// CHECK:         mlc_tensor.add
// CHECK:         mlc_tensor.permute
func.func @keeps_views_that_stay(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>)
    -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %p = mlc_tensor.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %u = mlc_tensor.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %e = mlc_tensor.exp %p : tensor<8x4xf32>
  %r = mlc_tensor.permute %e [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %a = mlc_tensor.add %u, %y : tensor<8x4xf32>
  %s = mlc_tensor.permute %a [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  func.return %e, %r, %s : tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The greatest of equal elements is one of them, whatever their number.
// CHECK-LABEL: @reduce_repeated(
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.reshape %x : tensor<4x8xf32> -> tensor<1x4x8xf32>
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.reduce max %[[S]] dims [2] : tensor<1x4x8xf32> -> tensor<1x4x1xf32>
// CHECK-NEXT:    func.return %[[R]] : tensor<1x4x1xf32>
func.func @reduce_repeated(%x: tensor<4x8xf32>) -> tensor<1x4x1xf32> {
  %b = mlc_tensor.broadcast %x : tensor<4x8xf32> -> tensor<?x4x8xf32, ["N", "4", "8"]>
  %r = mlc_tensor.reduce max %b dims [0, 2] : tensor<?x4x8xf32, ["N", "4", "8"]> -> tensor<1x4x1xf32>
  func.return %r : tensor<1x4x1xf32>
}

// -----

// A sum of n equal elements is n times one: rounded once, as the sum is. Sums of integers may be taken in part.
// CHECK-LABEL: @sum_repeated(
// CHECK-NEXT:    %[[N:.*]] = mlc_tensor.constant 5.000000e+00 : tensor<4x1xf32>
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.mul %x, %[[N]] : tensor<4x1xf32>
// CHECK:         %[[S:.*]] = mlc_tensor.reduce add %{{.*}} dims [1]
// CHECK-NEXT:    %[[M:.*]] = mlc_tensor.constant 3 : tensor<1x1xi32>
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.mul %[[S]], %[[M]] : tensor<1x1xi32>
// CHECK-NEXT:    func.return %[[A]], %[[B]]
func.func @sum_repeated(%x: tensor<4x1xf32>, %i: tensor<8xi32>) -> (tensor<4x1xf32>, tensor<1x1xi32>) {
  %b = mlc_tensor.broadcast %x : tensor<4x1xf32> -> tensor<4x5xf32>
  %r = mlc_tensor.reduce add %b dims [1] : tensor<4x5xf32> -> tensor<4x1xf32>
  %c = mlc_tensor.broadcast %i : tensor<8xi32> -> tensor<3x8xi32>
  %s = mlc_tensor.reduce add %c dims [0, 1] : tensor<3x8xi32> -> tensor<1x1xi32>
  func.return %r, %s : tensor<4x1xf32>, tensor<1x1xi32>
}

// -----

// Not a sum of f64, nor of f16 where n is no f16, nor one that has more to add, nor a product, nor of unknown size.
// CHECK-LABEL: @keeps_sums(
// CHECK-NOT:     mlc_tensor.mul
// CHECK-COUNT-5: mlc_tensor.reduce
func.func @keeps_sums(%x: tensor<1xf64>, %h: tensor<1xf16>, %y: tensor<2x1xf32>, %z: tensor<1xf32>)
    -> (tensor<1xf64>, tensor<1xf16>, tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %a = mlc_tensor.broadcast %x : tensor<1xf64> -> tensor<5xf64>
  %b = mlc_tensor.reduce add %a dims [0] : tensor<5xf64> -> tensor<1xf64>
  %c = mlc_tensor.broadcast %h : tensor<1xf16> -> tensor<2049xf16>
  %d = mlc_tensor.reduce add %c dims [0] : tensor<2049xf16> -> tensor<1xf16>
  %e = mlc_tensor.broadcast %y : tensor<2x1xf32> -> tensor<2x5xf32>
  %f = mlc_tensor.reduce add %e dims [0, 1] : tensor<2x5xf32> -> tensor<1x1xf32>
  %g = mlc_tensor.broadcast %z : tensor<1xf32> -> tensor<5xf32>
  %i = mlc_tensor.reduce mul %g dims [0] : tensor<5xf32> -> tensor<1xf32>
  %j = mlc_tensor.broadcast %z : tensor<1xf32> -> tensor<?xf32, ["N"]>
  %k = mlc_tensor.reduce add %j dims [0] : tensor<?xf32, ["N"]> -> tensor<1xf32>
  func.return %b, %d, %f, %i, %k : tensor<1xf64>, tensor<1xf16>, tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>
}

// -----

// Pieces that lie side by side are one piece, and all pieces are the whole.
// CHECK-LABEL: @join_slices_in_cat(
// CHECK-SAME:    %[[X:[a-z]+]]: tensor<4x9xf32>
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.slice %[[X]] [0, 1] step [1, 2] : tensor<4x9xf32> -> tensor<4x3xf32>
// CHECK-NEXT:    func.return %[[X]], %[[S]]
func.func @join_slices_in_cat(%x: tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x3xf32>) {
  %a = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x9xf32> -> tensor<4x2xf32>
  %b = mlc_tensor.slice %x [0, 2] step [1, 1] : tensor<4x9xf32> -> tensor<4x3xf32>
  %c = mlc_tensor.slice %x [0, 5] step [1, 1] : tensor<4x9xf32> -> tensor<4x4xf32>
  %r = mlc_tensor.cat %a, %b, %c dim 1 : (tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<4x9xf32>
  %d = mlc_tensor.slice %x [0, 1] step [1, 2] : tensor<4x9xf32> -> tensor<4x2xf32>
  %e = mlc_tensor.slice %x [0, 5] step [1, 2] : tensor<4x9xf32> -> tensor<4x1xf32>
  %s = mlc_tensor.cat %d, %e dim 1 : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  func.return %r, %s : tensor<4x9xf32>, tensor<4x3xf32>
}

// -----

// Not with a gap, not in another order, not of different rows, not of another tensor.
// CHECK-LABEL: @keeps_other_pieces(
// CHECK-COUNT-4: mlc_tensor.cat
func.func @keeps_other_pieces(%x: tensor<4x9xf32>, %y: tensor<4x9xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %a = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x9xf32> -> tensor<2x2xf32>
  %b = mlc_tensor.slice %x [0, 3] step [1, 1] : tensor<4x9xf32> -> tensor<2x2xf32>
  %c = mlc_tensor.slice %x [1, 2] step [1, 1] : tensor<4x9xf32> -> tensor<2x2xf32>
  %d = mlc_tensor.slice %y [0, 2] step [1, 1] : tensor<4x9xf32> -> tensor<2x2xf32>
  %e = mlc_tensor.cat %a, %b dim 1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %f = mlc_tensor.cat %b, %a dim 1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %g = mlc_tensor.cat %a, %c dim 1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %h = mlc_tensor.cat %a, %d dim 1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  func.return %e, %f, %g, %h : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Fewer of the same: where the cut starts does not matter.
// CHECK-LABEL: @slice_of_broadcast(
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.broadcast %x : tensor<1x8xf32> -> tensor<2x8xf32>
// CHECK-NEXT:    func.return %[[B]]
func.func @slice_of_broadcast(%x: tensor<1x8xf32>) -> tensor<2x8xf32> {
  %b = mlc_tensor.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %s = mlc_tensor.slice %b [2, 0] step [-1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
  func.return %s : tensor<2x8xf32>
}

// -----

// A cut through what is not repeated stays.
// CHECK-LABEL: @keeps_slice_of_columns(
// CHECK:         mlc_tensor.slice
func.func @keeps_slice_of_columns(%x: tensor<1x8xf32>) -> tensor<2x4xf32> {
  %b = mlc_tensor.broadcast %x : tensor<1x8xf32> -> tensor<4x8xf32>
  %s = mlc_tensor.slice %b [0, 0] step [1, 1] : tensor<4x8xf32> -> tensor<2x4xf32>
  func.return %s : tensor<2x4xf32>
}

// -----

// The padding is cut off again: all of it, and some of x.
// CHECK-LABEL: @slice_of_pad(
// CHECK-SAME:    %[[X:[a-z]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.slice %[[X]] [1] step [2] : tensor<8xf32> -> tensor<3xf32>
// CHECK-NEXT:    func.return %[[X]], %[[S]]
func.func @slice_of_pad(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
  %p = mlc_tensor.pad %x low [2] value 0.0 : f32 : tensor<8xf32> -> tensor<12xf32>
  %r = mlc_tensor.slice %p [2] step [1] : tensor<12xf32> -> tensor<8xf32>
  %s = mlc_tensor.slice %p [3] step [2] : tensor<12xf32> -> tensor<3xf32>
  func.return %r, %s : tensor<8xf32>, tensor<3xf32>
}

// -----

// One element of padding is enough.
// CHECK-LABEL: @keeps_padding(
// CHECK:         mlc_tensor.pad
// CHECK-NEXT:    mlc_tensor.slice
// CHECK-NEXT:    mlc_tensor.slice
func.func @keeps_padding(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = mlc_tensor.pad %x low [2] value 0.0 : f32 : tensor<8xf32> -> tensor<12xf32>
  %r = mlc_tensor.slice %p [1] step [1] : tensor<12xf32> -> tensor<4xf32>
  %s = mlc_tensor.slice %p [7] step [1] : tensor<12xf32> -> tensor<4xf32>
  func.return %r, %s : tensor<4xf32>, tensor<4xf32>
}
