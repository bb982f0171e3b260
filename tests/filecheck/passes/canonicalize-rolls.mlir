// RUN: mlc-opt %s -p canonicalize,dce | filecheck %s

// cat(x[a:], x[:a]) == x rolled to begin at a; so is torch.roll(x, 2, 1).
// CHECK-LABEL: func.func @cat_to_roll(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
// CHECK-NEXT:    %c = mlc_tensor.roll %x [0, 4] : tensor<4x6xf32> -> tensor<4x6xf32>
// CHECK-NEXT:    func.return %c : tensor<4x6xf32>
// CHECK-NEXT:  }
func.func @cat_to_roll(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a = mlc_tensor.slice %x [0, 4] step [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
  %b = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x6xf32> -> tensor<4x4xf32>
  %c = mlc_tensor.cat %a, %b dim 1 : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<4x6xf32>
  func.return %c : tensor<4x6xf32>
}

// Along two dimensions, and where a part in the middle is two slices: one roll. The slices may have other readers.
// CHECK-LABEL: func.func @cats_to_one_roll(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<1x6xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.slice %x [3, 0] step [1, 1] : tensor<4x6xf32> -> tensor<1x6xf32>
// CHECK-NEXT:    %g = mlc_tensor.roll %x [3, 2] : tensor<4x6xf32> -> tensor<4x6xf32>
// CHECK-NEXT:    func.return %g, %a : tensor<4x6xf32>, tensor<1x6xf32>
// CHECK-NEXT:  }
func.func @cats_to_one_roll(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<1x6xf32>) {
  %a = mlc_tensor.slice %x [3, 0] step [1, 1] : tensor<4x6xf32> -> tensor<1x6xf32>
  %b = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x6xf32> -> tensor<3x6xf32>
  %c = mlc_tensor.cat %a, %b dim 0 : (tensor<1x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %d = mlc_tensor.slice %c [0, 2] step [1, 1] : tensor<4x6xf32> -> tensor<4x1xf32>
  %e = mlc_tensor.slice %c [0, 3] step [1, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %f = mlc_tensor.slice %c [0, 0] step [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
  %g = mlc_tensor.cat %d, %e, %f dim 1 : (tensor<4x1xf32>, tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x6xf32>
  func.return %g, %a : tensor<4x6xf32>, tensor<1x6xf32>
}

// The slices say that N is large enough.
// CHECK-LABEL: func.func @cat_to_roll_of_named_sizes(%x: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]> {
// CHECK-NEXT:    %c = mlc_tensor.roll %x [2] : tensor<?xf32, ["N"]> -> tensor<?xf32, ["N"]>
// CHECK-NEXT:    func.return %c : tensor<?xf32, ["N"]>
// CHECK-NEXT:  }
func.func @cat_to_roll_of_named_sizes(%x: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]> {
  %a = mlc_tensor.slice %x [2] step [1] : tensor<?xf32, ["N"]> -> tensor<?xf32, ["N - 2"]>
  %b = mlc_tensor.slice %x [0] step [1] : tensor<?xf32, ["N"]> -> tensor<2xf32>
  %c = mlc_tensor.cat %a, %b dim 0 : (tensor<?xf32, ["N - 2"]>, tensor<2xf32>) -> tensor<?xf32, ["N"]>
  func.return %c : tensor<?xf32, ["N"]>
}

// One element is missing, and another comes twice.
// CHECK-LABEL: func.func @keeps_cat_of_parts(
// CHECK:         mlc_tensor.cat
func.func @keeps_cat_of_parts(%x: tensor<6xf32>) -> tensor<5xf32> {
  %a = mlc_tensor.slice %x [4] step [1] : tensor<6xf32> -> tensor<2xf32>
  %b = mlc_tensor.slice %x [0] step [1] : tensor<6xf32> -> tensor<3xf32>
  %c = mlc_tensor.cat %a, %b dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  func.return %c : tensor<5xf32>
}

// As many elements, and not the same ones.
// CHECK-LABEL: func.func @keeps_cat_of_overlapping_parts(
// CHECK:         mlc_tensor.cat
func.func @keeps_cat_of_overlapping_parts(%x: tensor<6xf32>) -> tensor<6xf32> {
  %a = mlc_tensor.slice %x [3] step [1] : tensor<6xf32> -> tensor<2xf32>
  %b = mlc_tensor.slice %x [0] step [1] : tensor<6xf32> -> tensor<4xf32>
  %c = mlc_tensor.cat %a, %b dim 0 : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
  func.return %c : tensor<6xf32>
}

// CHECK-LABEL: func.func @keeps_cat_of_two_values(
// CHECK:         mlc_tensor.cat
func.func @keeps_cat_of_two_values(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %a = mlc_tensor.slice %x [4] step [1] : tensor<6xf32> -> tensor<2xf32>
  %b = mlc_tensor.slice %y [0] step [1] : tensor<6xf32> -> tensor<4xf32>
  %c = mlc_tensor.cat %a, %b dim 0 : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
  func.return %c : tensor<6xf32>
}

// Backwards, and along another dimension than the one that is cut.
// CHECK-LABEL: func.func @keeps_other_cats(
// CHECK:         mlc_tensor.cat
// CHECK:         mlc_tensor.cat
func.func @keeps_other_cats(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<2x8xf32>) {
  %a = mlc_tensor.slice %x [3, 0] step [-1, 1] : tensor<4x4xf32> -> tensor<2x4xf32>
  %b = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x4xf32> -> tensor<2x4xf32>
  %c = mlc_tensor.cat %a, %b dim 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %d = mlc_tensor.slice %x [2, 0] step [1, 1] : tensor<4x4xf32> -> tensor<2x4xf32>
  %e = mlc_tensor.cat %d, %b dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  func.return %c, %e : tensor<4x4xf32>, tensor<2x8xf32>
}

// The parts lie in the middle of another dimension.
// CHECK-LABEL: func.func @keeps_cat_of_cut_rows(
// CHECK:         mlc_tensor.cat
func.func @keeps_cat_of_cut_rows(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
  %a = mlc_tensor.slice %x [1, 4] step [1, 1] : tensor<4x6xf32> -> tensor<2x2xf32>
  %b = mlc_tensor.slice %x [1, 0] step [1, 1] : tensor<4x6xf32> -> tensor<2x4xf32>
  %c = mlc_tensor.cat %a, %b dim 1 : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
  func.return %c : tensor<2x6xf32>
}

// Rolled there and back, by nothing, where there is one element, and where all are equal.
// CHECK-LABEL: func.func @rolls_that_move_nothing(%x: tensor<5x1xf32>) -> (tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x1xf32>) {
// CHECK-NEXT:    %e = mlc_tensor.constant 1.000000e+00 : tensor<5x1xf32>
// CHECK-NEXT:    func.return %x, %x, %e : tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x1xf32>
// CHECK-NEXT:  }
func.func @rolls_that_move_nothing(%x: tensor<5x1xf32>) -> (tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x1xf32>) {
  %a = mlc_tensor.roll %x [3, 0] : tensor<5x1xf32> -> tensor<5x1xf32>
  %b = mlc_tensor.roll %a [2, 0] : tensor<5x1xf32> -> tensor<5x1xf32>
  %d = mlc_tensor.roll %x [0, 0] : tensor<5x1xf32> -> tensor<5x1xf32>
  %c = mlc_tensor.constant 1.0 : tensor<5x1xf32>
  %e = mlc_tensor.roll %c [4, 0] : tensor<5x1xf32> -> tensor<5x1xf32>
  func.return %b, %d, %e : tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x1xf32>
}

// CHECK-LABEL: func.func @compose_rolls(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
// CHECK-NEXT:    %b = mlc_tensor.roll %x [2, 6] : tensor<5x7xf32> -> tensor<5x7xf32>
// CHECK-NEXT:    func.return %b : tensor<5x7xf32>
// CHECK-NEXT:  }
func.func @compose_rolls(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %a = mlc_tensor.roll %x [3, 6] : tensor<5x7xf32> -> tensor<5x7xf32>
  %b = mlc_tensor.roll %a [4, 0] : tensor<5x7xf32> -> tensor<5x7xf32>
  func.return %b : tensor<5x7xf32>
}

// Before the end of x, and behind it; backwards too.
// CHECK-LABEL: func.func @slice_of_roll(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.slice %x [5] step [1] : tensor<8xf32> -> tensor<3xf32>
// CHECK-NEXT:    %c = mlc_tensor.slice %x [3] step [-2] : tensor<8xf32> -> tensor<2xf32>
// CHECK-NEXT:    func.return %b, %c : tensor<3xf32>, tensor<2xf32>
// CHECK-NEXT:  }
func.func @slice_of_roll(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %a = mlc_tensor.roll %x [5] : tensor<8xf32> -> tensor<8xf32>
  %b = mlc_tensor.slice %a [0] step [1] : tensor<8xf32> -> tensor<3xf32>
  %c = mlc_tensor.slice %a [6] step [-2] : tensor<8xf32> -> tensor<2xf32>
  func.return %b, %c : tensor<3xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @keeps_slice_of_roll_on_both_sides(
// CHECK-NEXT:    %a = mlc_tensor.roll
// CHECK-NEXT:    %b = mlc_tensor.slice %a
func.func @keeps_slice_of_roll_on_both_sides(%x: tensor<8xf32>) -> tensor<4xf32> {
  %a = mlc_tensor.roll %x [5] : tensor<8xf32> -> tensor<8xf32>
  %b = mlc_tensor.slice %a [0] step [1] : tensor<8xf32> -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
