// RUN: mlc-opt %s -p canonicalize --split-input-file | filecheck %s

// Views that move nothing go.
// CHECK-LABEL: func.func @identities(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    func.return %x : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @identities(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = mlc_tensor.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %b = mlc_tensor.broadcast %a : tensor<4x8xf32> -> tensor<4x8xf32>
  %c = mlc_tensor.permute %b [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.slice %c [0, 0] step [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %e = mlc_tensor.pad %d low [0, 0] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x8xf32>
  %f = mlc_tensor.cat %e dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %f : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @identities_of_named_sizes(%x: tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xf32, ["N", "8"]> {
// CHECK-NEXT:    func.return %x : tensor<?x8xf32, ["N", "8"]>
// CHECK-NEXT:  }
func.func @identities_of_named_sizes(%x: tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xf32, ["N", "8"]> {
  %a = mlc_tensor.reshape %x : tensor<?x8xf32, ["N", "8"]> -> tensor<?xf32, ["N * 8"]>
  %b = mlc_tensor.reshape %a : tensor<?xf32, ["N * 8"]> -> tensor<?x8xf32, ["N", "8"]>
  %c = mlc_tensor.slice %b [0, 0] step [1, 1] : tensor<?x8xf32, ["N", "8"]> -> tensor<?x8xf32, ["N", "8"]>
  func.return %c : tensor<?x8xf32, ["N", "8"]>
}

// Views that do move: another order, a step backwards, another place.
// CHECK-LABEL: func.func @keeps_moves(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<8x4xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.permute %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:    %b = mlc_tensor.slice %x [3, 0] step [-1, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT:    %c = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT:    %d = mlc_tensor.pad %x low [0, 0] value 0.000000e+00 : f32 : tensor<4x4xf32> -> tensor<5x4xf32>
// CHECK-NEXT:    %e = mlc_tensor.cat %x, %x dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    func.return %a, %b, %c, %d, %e : tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<8x4xf32>
// CHECK-NEXT:  }
func.func @keeps_moves(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<8x4xf32>) {
  %a = mlc_tensor.permute %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %b = mlc_tensor.slice %x [3, 0] step [-1, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
  %c = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x4xf32> -> tensor<3x4xf32>
  %d = mlc_tensor.pad %x low [0, 0] value 0.000000e+00 : f32 : tensor<4x4xf32> -> tensor<5x4xf32>
  %e = mlc_tensor.cat %x, %x dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  func.return %a, %b, %c, %d, %e : tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<8x4xf32>
}

// Backwards over a single element moves nothing.
// CHECK-LABEL: func.func @slices_of_one(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
// CHECK-NEXT:    func.return %x : tensor<1x4xf32>
// CHECK-NEXT:  }
func.func @slices_of_one(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %a = mlc_tensor.slice %x [0, 0] step [-1, 1] : tensor<1x4xf32> -> tensor<1x4xf32>
  func.return %a : tensor<1x4xf32>
}

// Two views of one kind are one. The inner one stays where something else uses it.
// CHECK-LABEL: func.func @compose_reshapes(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<2x16xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
// CHECK-NEXT:    %b = mlc_tensor.reshape %x : tensor<4x8xf32> -> tensor<2x16xf32>
// CHECK-NEXT:    func.return %a, %b : tensor<32xf32>, tensor<2x16xf32>
// CHECK-NEXT:  }
func.func @compose_reshapes(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<2x16xf32>) {
  %a = mlc_tensor.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %b = mlc_tensor.reshape %a : tensor<32xf32> -> tensor<2x16xf32>
  func.return %a, %b : tensor<32xf32>, tensor<2x16xf32>
}

// CHECK-LABEL: func.func @compose_permutes(%x: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>, tensor<2x3x4xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.permute %x [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT:    func.return %b, %x : tensor<4x3x2xf32>, tensor<2x3x4xf32>
// CHECK-NEXT:  }
func.func @compose_permutes(%x: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>, tensor<2x3x4xf32>) {
  %a = mlc_tensor.permute %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %b = mlc_tensor.permute %a [1, 0, 2] : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  %c = mlc_tensor.permute %b [2, 1, 0] : tensor<4x3x2xf32> -> tensor<2x3x4xf32>
  func.return %b, %c : tensor<4x3x2xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @compose_broadcasts(%x: tensor<4x1xf32>) -> tensor<2x4x8xf32> {
// CHECK-NEXT:    %b = mlc_tensor.broadcast %x : tensor<4x1xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:    func.return %b : tensor<2x4x8xf32>
// CHECK-NEXT:  }
func.func @compose_broadcasts(%x: tensor<4x1xf32>) -> tensor<2x4x8xf32> {
  %a = mlc_tensor.broadcast %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %b = mlc_tensor.broadcast %a : tensor<4x8xf32> -> tensor<2x4x8xf32>
  func.return %b : tensor<2x4x8xf32>
}

// x[1::2][1::3] == x[3::6]; x[::-1][::-1] == x
// CHECK-LABEL: func.func @compose_slices(%x: tensor<20xf32>) -> (tensor<3xf32>, tensor<20xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.slice %x [3] step [6] : tensor<20xf32> -> tensor<3xf32>
// CHECK-NEXT:    func.return %b, %x : tensor<3xf32>, tensor<20xf32>
// CHECK-NEXT:  }
func.func @compose_slices(%x: tensor<20xf32>) -> (tensor<3xf32>, tensor<20xf32>) {
  %a = mlc_tensor.slice %x [1] step [2] : tensor<20xf32> -> tensor<10xf32>
  %b = mlc_tensor.slice %a [1] step [3] : tensor<10xf32> -> tensor<3xf32>
  %c = mlc_tensor.slice %x [19] step [-1] : tensor<20xf32> -> tensor<20xf32>
  %d = mlc_tensor.slice %c [19] step [-1] : tensor<20xf32> -> tensor<20xf32>
  func.return %b, %d : tensor<3xf32>, tensor<20xf32>
}

// CHECK-LABEL: func.func @compose_slices_of_named_sizes(%x: tensor<?xf32, ["N"]>) -> tensor<1xf32> {
// CHECK-NEXT:    %b = mlc_tensor.slice %x [0] step [1] : tensor<?xf32, ["N"]> -> tensor<1xf32>
// CHECK-NEXT:    func.return %b : tensor<1xf32>
// CHECK-NEXT:  }
func.func @compose_slices_of_named_sizes(%x: tensor<?xf32, ["N"]>) -> tensor<1xf32> {
  %a = mlc_tensor.slice %x [N - 1] step [-1] : tensor<?xf32, ["N"]> -> tensor<?xf32, ["N"]>
  %b = mlc_tensor.slice %a [N - 1] step [1] : tensor<?xf32, ["N"]> -> tensor<1xf32>
  func.return %b : tensor<1xf32>
}

// CHECK-LABEL: func.func @compose_pads(%x: tensor<4xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %b = mlc_tensor.pad %x low [3] value 0.000000e+00 : f32 : tensor<4xf32> -> tensor<8xf32>
// CHECK-NEXT:    func.return %b : tensor<8xf32>
// CHECK-NEXT:  }
func.func @compose_pads(%x: tensor<4xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.pad %x low [1] value 0.0 : f32 : tensor<4xf32> -> tensor<6xf32>
  %b = mlc_tensor.pad %a low [2] value 0.0 : f32 : tensor<6xf32> -> tensor<8xf32>
  func.return %b : tensor<8xf32>
}

// 0.0 and -0.0 are two values.
// CHECK-LABEL: func.func @keeps_pads_of_two_values(%x: tensor<4xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.pad %x low [1] value -0.000000e+00 : f32 : tensor<4xf32> -> tensor<6xf32>
// CHECK-NEXT:    %b = mlc_tensor.pad %a low [2] value 0.000000e+00 : f32 : tensor<6xf32> -> tensor<8xf32>
// CHECK-NEXT:    func.return %b : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_pads_of_two_values(%x: tensor<4xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.pad %x low [1] value -0.000000e+00 : f32 : tensor<4xf32> -> tensor<6xf32>
  %b = mlc_tensor.pad %a low [2] value 0.000000e+00 : f32 : tensor<6xf32> -> tensor<8xf32>
  func.return %b : tensor<8xf32>
}

// cat(cat(x, y), z) == cat(x, y, z); empty inputs go.
// CHECK-LABEL: func.func @flatten_cat(%x: tensor<4x2xf32>, %y: tensor<0x2xf32>) -> tensor<12x2xf32> {
// CHECK-NEXT:    %b = mlc_tensor.cat %x, %x, %x dim 0 : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<12x2xf32>
// CHECK-NEXT:    func.return %b : tensor<12x2xf32>
// CHECK-NEXT:  }
func.func @flatten_cat(%x: tensor<4x2xf32>, %y: tensor<0x2xf32>) -> tensor<12x2xf32> {
  %a = mlc_tensor.cat %x, %y, %x dim 0 : (tensor<4x2xf32>, tensor<0x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %b = mlc_tensor.cat %a, %x dim 0 : (tensor<8x2xf32>, tensor<4x2xf32>) -> tensor<12x2xf32>
  func.return %b : tensor<12x2xf32>
}

// Along another dimension, or with another use of the inner one, it stays.
// CHECK-LABEL: func.func @keeps_cats(%x: tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<4x6xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.cat %x, %x dim 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
// CHECK-NEXT:    %b = mlc_tensor.cat %a, %a dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    %c = mlc_tensor.cat %a, %x dim 1 : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    func.return %a, %b, %c : tensor<4x4xf32>, tensor<8x4xf32>, tensor<4x6xf32>
// CHECK-NEXT:  }
func.func @keeps_cats(%x: tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<4x6xf32>) {
  %a = mlc_tensor.cat %x, %x dim 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %b = mlc_tensor.cat %a, %a dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %c = mlc_tensor.cat %a, %x dim 1 : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x6xf32>
  func.return %a, %b, %c : tensor<4x4xf32>, tensor<8x4xf32>, tensor<4x6xf32>
}

// A part of a cat that lies in one input is a part of that input.
// CHECK-LABEL: func.func @slice_of_cat(%x: tensor<4xf32>, %y: tensor<6xf32>) -> (tensor<2xf32>, tensor<6xf32>, tensor<3xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.slice %x [1] step [2] : tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT:    %d = mlc_tensor.slice %y [5] step [-2] : tensor<6xf32> -> tensor<3xf32>
// CHECK-NEXT:    func.return %b, %y, %d : tensor<2xf32>, tensor<6xf32>, tensor<3xf32>
// CHECK-NEXT:  }
func.func @slice_of_cat(%x: tensor<4xf32>, %y: tensor<6xf32>) -> (tensor<2xf32>, tensor<6xf32>, tensor<3xf32>) {
  %a = mlc_tensor.cat %x, %y dim 0 : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %b = mlc_tensor.slice %a [1] step [2] : tensor<10xf32> -> tensor<2xf32>
  %c = mlc_tensor.slice %a [4] step [1] : tensor<10xf32> -> tensor<6xf32>
  %d = mlc_tensor.slice %a [9] step [-2] : tensor<10xf32> -> tensor<3xf32>
  func.return %b, %c, %d : tensor<2xf32>, tensor<6xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @slice_of_cat_of_named_sizes(%x: tensor<?xf32, ["N"]>, %y: tensor<?xf32, ["M"]>) -> tensor<?xf32, ["M"]> {
// CHECK-NEXT:    func.return %y : tensor<?xf32, ["M"]>
// CHECK-NEXT:  }
func.func @slice_of_cat_of_named_sizes(%x: tensor<?xf32, ["N"]>, %y: tensor<?xf32, ["M"]>) -> tensor<?xf32, ["M"]> {
  %a = mlc_tensor.cat %x, %y dim 0 : (tensor<?xf32, ["N"]>, tensor<?xf32, ["M"]>) -> tensor<?xf32, ["M + N"]>
  %b = mlc_tensor.slice %a [N] step [1] : tensor<?xf32, ["M + N"]> -> tensor<?xf32, ["M"]>
  func.return %b : tensor<?xf32, ["M"]>
}

// Parts of both inputs.
// CHECK-LABEL: func.func @keeps_slice_across_cat(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<2xf32> {
// CHECK-NEXT:    %a = mlc_tensor.cat %x, %y dim 0 : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
// CHECK-NEXT:    %b = mlc_tensor.slice %a [3] step [1] : tensor<10xf32> -> tensor<2xf32>
// CHECK-NEXT:    func.return %b : tensor<2xf32>
// CHECK-NEXT:  }
func.func @keeps_slice_across_cat(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<2xf32> {
  %a = mlc_tensor.cat %x, %y dim 0 : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %b = mlc_tensor.slice %a [3] step [1] : tensor<10xf32> -> tensor<2xf32>
  func.return %b : tensor<2xf32>
}

// Moving dimensions of size 1 keeps the order of elements: a reshape.
// CHECK-LABEL: func.func @permute_to_reshape(%x: tensor<4x1x8xf32>) -> tensor<1x4x8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.reshape %x : tensor<4x1x8xf32> -> tensor<1x4x8xf32>
// CHECK-NEXT:    func.return %a : tensor<1x4x8xf32>
// CHECK-NEXT:  }
func.func @permute_to_reshape(%x: tensor<4x1x8xf32>) -> tensor<1x4x8xf32> {
  %a = mlc_tensor.permute %x [1, 0, 2] : tensor<4x1x8xf32> -> tensor<1x4x8xf32>
  func.return %a : tensor<1x4x8xf32>
}

// A size that has a name may not be 1.
// CHECK-LABEL: func.func @keeps_permute_of_named_size(%x: tensor<4x?xf32, ["4", "N"]>) -> tensor<?x4xf32, ["N", "4"]> {
// CHECK-NEXT:    %a = mlc_tensor.permute %x [1, 0] : tensor<4x?xf32, ["4", "N"]> -> tensor<?x4xf32, ["N", "4"]>
// CHECK-NEXT:    func.return %a : tensor<?x4xf32, ["N", "4"]>
// CHECK-NEXT:  }
func.func @keeps_permute_of_named_size(%x: tensor<4x?xf32, ["4", "N"]>) -> tensor<?x4xf32, ["N", "4"]> {
  %a = mlc_tensor.permute %x [1, 0] : tensor<4x?xf32, ["4", "N"]> -> tensor<?x4xf32, ["N", "4"]>
  func.return %a : tensor<?x4xf32, ["N", "4"]>
}

// Adding dimensions of size 1 is a reshape, and a broadcast adds them by itself.
// CHECK-LABEL: func.func @broadcast_to_reshape(%x: tensor<8xf32>) -> (tensor<1x1x8xf32>, tensor<2x4x8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.reshape %x : tensor<8xf32> -> tensor<1x1x8xf32>
// CHECK-NEXT:    %b = mlc_tensor.broadcast %x : tensor<8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:    func.return %a, %b : tensor<1x1x8xf32>, tensor<2x4x8xf32>
// CHECK-NEXT:  }
func.func @broadcast_to_reshape(%x: tensor<8xf32>) -> (tensor<1x1x8xf32>, tensor<2x4x8xf32>) {
  %a = mlc_tensor.broadcast %x : tensor<8xf32> -> tensor<1x1x8xf32>
  %b = mlc_tensor.broadcast %a : tensor<1x1x8xf32> -> tensor<2x4x8xf32>
  func.return %a, %b : tensor<1x1x8xf32>, tensor<2x4x8xf32>
}

// A dimension of size 1 behind is not one in front.
// CHECK-LABEL: func.func @keeps_column_broadcast(%x: tensor<8xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT:    %a = mlc_tensor.reshape %x : tensor<8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    %b = mlc_tensor.broadcast %a : tensor<8x1xf32> -> tensor<8x4xf32>
// CHECK-NEXT:    func.return %b : tensor<8x4xf32>
// CHECK-NEXT:  }
func.func @keeps_column_broadcast(%x: tensor<8xf32>) -> tensor<8x4xf32> {
  %a = mlc_tensor.reshape %x : tensor<8xf32> -> tensor<8x1xf32>
  %b = mlc_tensor.broadcast %a : tensor<8x1xf32> -> tensor<8x4xf32>
  func.return %b : tensor<8x4xf32>
}

// Equal elements stay equal wherever they move; NaN around NaN is NaN.
// CHECK-LABEL: func.func @splats() -> (tensor<4x8xf32>, tensor<10xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.constant 0x7fc00000 : tensor<4x8xf32>
// CHECK-NEXT:    %c = mlc_tensor.constant 0x7fc00000 : tensor<10xf32>
// CHECK-NEXT:    func.return %b, %c : tensor<4x8xf32>, tensor<10xf32>
// CHECK-NEXT:  }
func.func @splats() -> (tensor<4x8xf32>, tensor<10xf32>) {
  %a = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %b = mlc_tensor.broadcast %a : tensor<8xf32> -> tensor<4x8xf32>
  %c = mlc_tensor.pad %a low [1] value 0x7fc00000 : f32 : tensor<8xf32> -> tensor<10xf32>
  func.return %b, %c : tensor<4x8xf32>, tensor<10xf32>
}

// CHECK-LABEL: func.func @keeps_pad_of_other_splat() -> tensor<10xf32> {
// CHECK-NEXT:    %a = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.pad %a low [1] value -0.000000e+00 : f32 : tensor<8xf32> -> tensor<10xf32>
// CHECK-NEXT:    func.return %c : tensor<10xf32>
// CHECK-NEXT:  }
func.func @keeps_pad_of_other_splat() -> tensor<10xf32> {
  %a = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %c = mlc_tensor.pad %a low [1] value -0.000000e+00 : f32 : tensor<8xf32> -> tensor<10xf32>
  func.return %c : tensor<10xf32>
}
