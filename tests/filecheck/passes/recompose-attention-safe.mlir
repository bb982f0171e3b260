// RUN: mlc-opt %s -p canonicalize,recompose | filecheck %s

// PyTorch's attention as it takes it apart: the scale on both sides, in float32, 0 for rows with every score hidden.

// A boolean mask, added as 0 and -inf.
// CHECK-LABEL: func.func @masked(
// CHECK:         %cast_2 = mlc_tensor.select %m, %cast, %cast_1 : tensor<2x1x8x8xf32>
// CHECK-NEXT:    mlc_tensor.scaled_dot_product_attention(%_to_copy, %_to_copy_1, %_to_copy_2, %cast_2) {safe = 1 : i64, scale = 2.500000e-01 : f64}
func.func @masked(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %m: tensor<2x1x8x8xi1>) -> tensor<2x4x8x16xbf16> {
  %scalar_tensor = mlc_tensor.constant 0xff80 : tensor<bf16>
  %scalar_tensor_1 = mlc_tensor.constant 0.000000e+00 : tensor<bf16>
  %broadcast = mlc_tensor.broadcast %scalar_tensor_1 : tensor<bf16> -> tensor<2x1x8x8xbf16>
  %broadcast_1 = mlc_tensor.broadcast %scalar_tensor : tensor<bf16> -> tensor<2x1x8x8xbf16>
  %where = mlc_tensor.select %m, %broadcast, %broadcast_1 : tensor<2x1x8x8xbf16>
  %_to_copy = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_1 = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_2 = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %constant = mlc_tensor.constant 5.000000e-01 : tensor<2x4x8x16xf32>
  %mul = mlc_tensor.mul %_to_copy, %constant : tensor<2x4x8x16xf32>
  %transpose = mlc_tensor.permute %_to_copy_1 [0, 1, 3, 2] : tensor<2x4x8x16xf32> -> tensor<2x4x16x8xf32>
  %constant_1 = mlc_tensor.constant 5.000000e-01 : tensor<2x4x16x8xf32>
  %mul_1 = mlc_tensor.mul %transpose, %constant_1 : tensor<2x4x16x8xf32>
  %view = mlc_tensor.reshape %mul : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %view_1 = mlc_tensor.reshape %mul_1 : tensor<2x4x16x8xf32> -> tensor<8x16x8xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<8x8x16xf32>, tensor<8x16x8xf32> -> tensor<8x8x8xf32>
  %_unsafe_view = mlc_tensor.reshape %bmm : tensor<8x8x8xf32> -> tensor<2x4x8x8xf32>
  %cast = mlc_tensor.cast %where : tensor<2x1x8x8xbf16> -> tensor<2x1x8x8xf32>
  %broadcast_2 = mlc_tensor.broadcast %cast : tensor<2x1x8x8xf32> -> tensor<2x4x8x8xf32>
  %add = mlc_tensor.add %_unsafe_view, %broadcast_2 : tensor<2x4x8x8xf32>
  %amax = mlc_tensor.reduce max %add dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_3 = mlc_tensor.broadcast %amax : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %sub = mlc_tensor.sub %add, %broadcast_3 : tensor<2x4x8x8xf32>
  %exp = mlc_tensor.exp %sub : tensor<2x4x8x8xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_4 = mlc_tensor.broadcast %sum : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %div = mlc_tensor.div %exp, %broadcast_4 : tensor<2x4x8x8xf32>
  %constant_2 = mlc_tensor.constant 0xff800000 : tensor<2x4x8x8xf32>
  %eq = mlc_tensor.eq %add, %constant_2 : tensor<2x4x8x8xf32>
  %all = mlc_tensor.reduce and %eq dims [3] : tensor<2x4x8x8xi1> -> tensor<2x4x8x1xi1>
  %zeros_like = mlc_tensor.constant 0.000000e+00 : tensor<2x4x8x8xf32>
  %broadcast_5 = mlc_tensor.broadcast %all : tensor<2x4x8x1xi1> -> tensor<2x4x8x8xi1>
  %where_1 = mlc_tensor.select %broadcast_5, %zeros_like, %div : tensor<2x4x8x8xf32>
  %_to_copy_3 = mlc_tensor.cast %where_1 : tensor<2x4x8x8xf32> -> tensor<2x4x8x8xbf16>
  %view_2 = mlc_tensor.reshape %where_1 : tensor<2x4x8x8xf32> -> tensor<8x8x8xf32>
  %view_3 = mlc_tensor.reshape %_to_copy_2 : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_2, %view_3 : tensor<8x8x8xf32>, tensor<8x8x16xf32> -> tensor<8x8x16xf32>
  %_unsafe_view_1 = mlc_tensor.reshape %bmm_1 : tensor<8x8x16xf32> -> tensor<2x4x8x16xf32>
  %_to_copy_4 = mlc_tensor.cast %_unsafe_view_1 : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %_to_copy_4 : tensor<2x4x8x16xbf16>
}

// No mask.
// CHECK-LABEL: func.func @bare(
// CHECK:         mlc_tensor.scaled_dot_product_attention(%_to_copy, %_to_copy_1, %_to_copy_2) {safe = 1 : i64, scale = 2.500000e-01 : f64}
func.func @bare(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %_to_copy = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_1 = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_2 = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %constant = mlc_tensor.constant 5.000000e-01 : tensor<2x4x8x16xf32>
  %mul = mlc_tensor.mul %_to_copy, %constant : tensor<2x4x8x16xf32>
  %transpose = mlc_tensor.permute %_to_copy_1 [0, 1, 3, 2] : tensor<2x4x8x16xf32> -> tensor<2x4x16x8xf32>
  %constant_3 = mlc_tensor.constant 5.000000e-01 : tensor<2x4x16x8xf32>
  %mul_1 = mlc_tensor.mul %transpose, %constant_3 : tensor<2x4x16x8xf32>
  %view = mlc_tensor.reshape %mul : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %view_1 = mlc_tensor.reshape %mul_1 : tensor<2x4x16x8xf32> -> tensor<8x16x8xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<8x8x16xf32>, tensor<8x16x8xf32> -> tensor<8x8x8xf32>
  %_unsafe_view = mlc_tensor.reshape %bmm : tensor<8x8x8xf32> -> tensor<2x4x8x8xf32>
  %amax = mlc_tensor.reduce max %_unsafe_view dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_3 = mlc_tensor.broadcast %amax : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %sub_1 = mlc_tensor.sub %_unsafe_view, %broadcast_3 : tensor<2x4x8x8xf32>
  %exp = mlc_tensor.exp %sub_1 : tensor<2x4x8x8xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_4 = mlc_tensor.broadcast %sum : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %div = mlc_tensor.div %exp, %broadcast_4 : tensor<2x4x8x8xf32>
  %constant_4 = mlc_tensor.constant 0xff800000 : tensor<2x4x8x8xf32>
  %eq = mlc_tensor.eq %_unsafe_view, %constant_4 : tensor<2x4x8x8xf32>
  %all = mlc_tensor.reduce and %eq dims [3] : tensor<2x4x8x8xi1> -> tensor<2x4x8x1xi1>
  %zeros_like = mlc_tensor.constant 0.000000e+00 : tensor<2x4x8x8xf32>
  %broadcast_5 = mlc_tensor.broadcast %all : tensor<2x4x8x1xi1> -> tensor<2x4x8x8xi1>
  %where_1 = mlc_tensor.select %broadcast_5, %zeros_like, %div : tensor<2x4x8x8xf32>
  %_to_copy_3 = mlc_tensor.cast %where_1 : tensor<2x4x8x8xf32> -> tensor<2x4x8x8xbf16>
  %view_2 = mlc_tensor.reshape %where_1 : tensor<2x4x8x8xf32> -> tensor<8x8x8xf32>
  %view_3 = mlc_tensor.reshape %_to_copy_2 : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_2, %view_3 : tensor<8x8x8xf32>, tensor<8x8x16xf32> -> tensor<8x8x16xf32>
  %_unsafe_view_1 = mlc_tensor.reshape %bmm_1 : tensor<8x8x16xf32> -> tensor<2x4x8x16xf32>
  %_to_copy_4 = mlc_tensor.cast %_unsafe_view_1 : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %_to_copy_4 : tensor<2x4x8x16xbf16>
}

// The causal mask, added as well.
// CHECK-LABEL: func.func @causal(
// CHECK:         mlc_tensor.scaled_dot_product_attention(%_to_copy, %_to_copy_1, %_to_copy_2) {causal = 1 : i64, safe = 1 : i64, scale = 2.500000e-01 : f64}
func.func @causal(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>) -> tensor<2x4x8x16xbf16> {
  %_to_copy = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_1 = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_2 = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %constant = mlc_tensor.constant 5.000000e-01 : tensor<2x4x8x16xf32>
  %mul = mlc_tensor.mul %_to_copy, %constant : tensor<2x4x8x16xf32>
  %ones = mlc_tensor.constant true : tensor<8x8xi1>
  %iota = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %iota_1 = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %sub = mlc_tensor.sub %iota_1, %iota : tensor<8x8xi64>
  %constant_1 = mlc_tensor.constant 0 : tensor<8x8xi64>
  %le = mlc_tensor.le %sub, %constant_1 : tensor<8x8xi64>
  %constant_2 = mlc_tensor.constant false : tensor<8x8xi1>
  %tril = mlc_tensor.select %le, %ones, %constant_2 : tensor<8x8xi1>
  %scalar_tensor = mlc_tensor.constant 0xff800000 : tensor<f32>
  %scalar_tensor_1 = mlc_tensor.constant 0.000000e+00 : tensor<f32>
  %broadcast = mlc_tensor.broadcast %scalar_tensor_1 : tensor<f32> -> tensor<8x8xf32>
  %broadcast_1 = mlc_tensor.broadcast %scalar_tensor : tensor<f32> -> tensor<8x8xf32>
  %where = mlc_tensor.select %tril, %broadcast, %broadcast_1 : tensor<8x8xf32>
  %transpose = mlc_tensor.permute %_to_copy_1 [0, 1, 3, 2] : tensor<2x4x8x16xf32> -> tensor<2x4x16x8xf32>
  %constant_3 = mlc_tensor.constant 5.000000e-01 : tensor<2x4x16x8xf32>
  %mul_1 = mlc_tensor.mul %transpose, %constant_3 : tensor<2x4x16x8xf32>
  %view = mlc_tensor.reshape %mul : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %view_1 = mlc_tensor.reshape %mul_1 : tensor<2x4x16x8xf32> -> tensor<8x16x8xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<8x8x16xf32>, tensor<8x16x8xf32> -> tensor<8x8x8xf32>
  %_unsafe_view = mlc_tensor.reshape %bmm : tensor<8x8x8xf32> -> tensor<2x4x8x8xf32>
  %broadcast_2 = mlc_tensor.broadcast %where : tensor<8x8xf32> -> tensor<2x4x8x8xf32>
  %add = mlc_tensor.add %_unsafe_view, %broadcast_2 : tensor<2x4x8x8xf32>
  %amax = mlc_tensor.reduce max %add dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_3 = mlc_tensor.broadcast %amax : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %sub_1 = mlc_tensor.sub %add, %broadcast_3 : tensor<2x4x8x8xf32>
  %exp = mlc_tensor.exp %sub_1 : tensor<2x4x8x8xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_4 = mlc_tensor.broadcast %sum : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %div = mlc_tensor.div %exp, %broadcast_4 : tensor<2x4x8x8xf32>
  %constant_4 = mlc_tensor.constant 0xff800000 : tensor<2x4x8x8xf32>
  %eq = mlc_tensor.eq %add, %constant_4 : tensor<2x4x8x8xf32>
  %all = mlc_tensor.reduce and %eq dims [3] : tensor<2x4x8x8xi1> -> tensor<2x4x8x1xi1>
  %zeros_like = mlc_tensor.constant 0.000000e+00 : tensor<2x4x8x8xf32>
  %broadcast_5 = mlc_tensor.broadcast %all : tensor<2x4x8x1xi1> -> tensor<2x4x8x8xi1>
  %where_1 = mlc_tensor.select %broadcast_5, %zeros_like, %div : tensor<2x4x8x8xf32>
  %_to_copy_3 = mlc_tensor.cast %where_1 : tensor<2x4x8x8xf32> -> tensor<2x4x8x8xbf16>
  %view_2 = mlc_tensor.reshape %where_1 : tensor<2x4x8x8xf32> -> tensor<8x8x8xf32>
  %view_3 = mlc_tensor.reshape %_to_copy_2 : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_2, %view_3 : tensor<8x8x8xf32>, tensor<8x8x16xf32> -> tensor<8x8x16xf32>
  %_unsafe_view_1 = mlc_tensor.reshape %bmm_1 : tensor<8x8x16xf32> -> tensor<2x4x8x16xf32>
  %_to_copy_4 = mlc_tensor.cast %_unsafe_view_1 : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %_to_copy_4 : tensor<2x4x8x16xbf16>
}

// Rows with any score hidden are 0: that is another function.
// CHECK-LABEL: func.func @hides_other_rows(
// CHECK-NOT:     mlc_tensor.scaled_dot_product_attention
// CHECK:         func.return
func.func @hides_other_rows(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>, %v: tensor<2x4x8x16xbf16>, %m: tensor<2x1x8x8xi1>) -> tensor<2x4x8x16xbf16> {
  %scalar_tensor = mlc_tensor.constant 0xff80 : tensor<bf16>
  %scalar_tensor_1 = mlc_tensor.constant 0.000000e+00 : tensor<bf16>
  %broadcast = mlc_tensor.broadcast %scalar_tensor_1 : tensor<bf16> -> tensor<2x1x8x8xbf16>
  %broadcast_1 = mlc_tensor.broadcast %scalar_tensor : tensor<bf16> -> tensor<2x1x8x8xbf16>
  %where = mlc_tensor.select %m, %broadcast, %broadcast_1 : tensor<2x1x8x8xbf16>
  %_to_copy = mlc_tensor.cast %q : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_1 = mlc_tensor.cast %k : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %_to_copy_2 = mlc_tensor.cast %v : tensor<2x4x8x16xbf16> -> tensor<2x4x8x16xf32>
  %constant = mlc_tensor.constant 5.000000e-01 : tensor<2x4x8x16xf32>
  %mul = mlc_tensor.mul %_to_copy, %constant : tensor<2x4x8x16xf32>
  %transpose = mlc_tensor.permute %_to_copy_1 [0, 1, 3, 2] : tensor<2x4x8x16xf32> -> tensor<2x4x16x8xf32>
  %constant_1 = mlc_tensor.constant 5.000000e-01 : tensor<2x4x16x8xf32>
  %mul_1 = mlc_tensor.mul %transpose, %constant_1 : tensor<2x4x16x8xf32>
  %view = mlc_tensor.reshape %mul : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %view_1 = mlc_tensor.reshape %mul_1 : tensor<2x4x16x8xf32> -> tensor<8x16x8xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<8x8x16xf32>, tensor<8x16x8xf32> -> tensor<8x8x8xf32>
  %_unsafe_view = mlc_tensor.reshape %bmm : tensor<8x8x8xf32> -> tensor<2x4x8x8xf32>
  %cast = mlc_tensor.cast %where : tensor<2x1x8x8xbf16> -> tensor<2x1x8x8xf32>
  %broadcast_2 = mlc_tensor.broadcast %cast : tensor<2x1x8x8xf32> -> tensor<2x4x8x8xf32>
  %add = mlc_tensor.add %_unsafe_view, %broadcast_2 : tensor<2x4x8x8xf32>
  %amax = mlc_tensor.reduce max %add dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_3 = mlc_tensor.broadcast %amax : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %sub = mlc_tensor.sub %add, %broadcast_3 : tensor<2x4x8x8xf32>
  %exp = mlc_tensor.exp %sub : tensor<2x4x8x8xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x4x8x8xf32> -> tensor<2x4x8x1xf32>
  %broadcast_4 = mlc_tensor.broadcast %sum : tensor<2x4x8x1xf32> -> tensor<2x4x8x8xf32>
  %div = mlc_tensor.div %exp, %broadcast_4 : tensor<2x4x8x8xf32>
  %constant_2 = mlc_tensor.constant 0xff800000 : tensor<2x4x8x8xf32>
  %eq = mlc_tensor.eq %add, %constant_2 : tensor<2x4x8x8xf32>
  %all = mlc_tensor.reduce or %eq dims [3] : tensor<2x4x8x8xi1> -> tensor<2x4x8x1xi1>
  %zeros_like = mlc_tensor.constant 0.000000e+00 : tensor<2x4x8x8xf32>
  %broadcast_5 = mlc_tensor.broadcast %all : tensor<2x4x8x1xi1> -> tensor<2x4x8x8xi1>
  %where_1 = mlc_tensor.select %broadcast_5, %zeros_like, %div : tensor<2x4x8x8xf32>
  %_to_copy_3 = mlc_tensor.cast %where_1 : tensor<2x4x8x8xf32> -> tensor<2x4x8x8xbf16>
  %view_2 = mlc_tensor.reshape %where_1 : tensor<2x4x8x8xf32> -> tensor<8x8x8xf32>
  %view_3 = mlc_tensor.reshape %_to_copy_2 : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_2, %view_3 : tensor<8x8x8xf32>, tensor<8x8x16xf32> -> tensor<8x8x16xf32>
  %_unsafe_view_1 = mlc_tensor.reshape %bmm_1 : tensor<8x8x16xf32> -> tensor<2x4x8x16xf32>
  %_to_copy_4 = mlc_tensor.cast %_unsafe_view_1 : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xbf16>
  func.return %_to_copy_4 : tensor<2x4x8x16xbf16>
}
