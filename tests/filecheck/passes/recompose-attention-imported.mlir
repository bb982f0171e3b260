// RUN: mlc-opt %s -p 'recompose{fast-math=true}' | filecheck %s

// Attention as PyTorch's functions come out of the importer.

// einsum makes products of it with dimensions of size 1 that permutations move.
// CHECK-LABEL: func.func @einsum_attention(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:     %view = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:     func.return %view : tensor<2x3x4x16xf32>
// CHECK-NEXT:   }
func.func @einsum_attention(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  %permute = mlc_tensor.reshape %k : tensor<2x3x4x16xf32> -> tensor<2x3x1x4x16xf32>
  %view = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %permute_1 = mlc_tensor.permute %permute [0, 1, 4, 3, 2] : tensor<2x3x1x4x16xf32> -> tensor<2x3x16x4x1xf32>
  %view_1 = mlc_tensor.reshape %permute_1 : tensor<2x3x16x4x1xf32> -> tensor<6x16x4xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %view_2 = mlc_tensor.reshape %bmm : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %constant = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %s = mlc_tensor.mul %view_2, %constant : tensor<2x3x4x4xf32>
  %amax = mlc_tensor.reduce max %s dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast = mlc_tensor.broadcast %amax : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %sub = mlc_tensor.sub %s, %broadcast : tensor<2x3x4x4xf32>
  %exp = mlc_tensor.exp %sub : tensor<2x3x4x4xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_1 = mlc_tensor.broadcast %sum : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %div = mlc_tensor.div %exp, %broadcast_1 : tensor<2x3x4x4xf32>
  %view_3 = mlc_tensor.reshape %div : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %view_4 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_3, %view_4 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %view_5 = mlc_tensor.reshape %bmm_1 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %view_5 : tensor<2x3x4x16xf32>
}

// A bias that is added before the causal mask, as ALiBi has it.
// CHECK-LABEL: func.func @bias_before_causal(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %bias: tensor<3x4x4xf32>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:     %view = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %bias) {causal = 1 : i64, scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<3x4x4xf32>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:     func.return %view : tensor<2x3x4x16xf32>
// CHECK-NEXT:   }
func.func @bias_before_causal(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %bias: tensor<3x4x4xf32>) -> tensor<2x3x4x16xf32> {
  %transpose = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %view = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %view_1 = mlc_tensor.reshape %transpose : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %view_2 = mlc_tensor.reshape %bmm : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %constant = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %mul = mlc_tensor.mul %view_2, %constant : tensor<2x3x4x4xf32>
  %broadcast = mlc_tensor.broadcast %bias : tensor<3x4x4xf32> -> tensor<2x3x4x4xf32>
  %s = mlc_tensor.add %mul, %broadcast : tensor<2x3x4x4xf32>
  %iota = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %iota_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %sub = mlc_tensor.sub %iota_1, %iota : tensor<4x4xi64>
  %constant_1 = mlc_tensor.constant 0 : tensor<4x4xi64>
  %bitwise_not = mlc_tensor.gt %sub, %constant_1 : tensor<4x4xi64>
  %broadcast_1 = mlc_tensor.broadcast %bitwise_not : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %constant_2 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %masked_fill = mlc_tensor.select %broadcast_1, %constant_2, %s : tensor<2x3x4x4xf32>
  %amax = mlc_tensor.reduce max %masked_fill dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_2 = mlc_tensor.broadcast %amax : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %sub_1 = mlc_tensor.sub %masked_fill, %broadcast_2 : tensor<2x3x4x4xf32>
  %exp = mlc_tensor.exp %sub_1 : tensor<2x3x4x4xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_3 = mlc_tensor.broadcast %sum : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %div = mlc_tensor.div %exp, %broadcast_3 : tensor<2x3x4x4xf32>
  %view_3 = mlc_tensor.reshape %div : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %view_4 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_3, %view_4 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %view_5 = mlc_tensor.reshape %bmm_1 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %view_5 : tensor<2x3x4x16xf32>
}

// Scores hidden where a mask is true, by a number that is not -inf.
// CHECK-LABEL: func.func @hidden_by_mask(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<4x4xi1>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:     %view = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hides = 1 : i64, scale = 2.500000e-01 : f64, hidden = -1.000000e+09 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<4x4xi1>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:     func.return %view : tensor<2x3x4x16xf32>
// CHECK-NEXT:   }
func.func @hidden_by_mask(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<4x4xi1>) -> tensor<2x3x4x16xf32> {
  %transpose = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %view = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %view_1 = mlc_tensor.reshape %transpose : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %view_2 = mlc_tensor.reshape %bmm : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %constant = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %s = mlc_tensor.mul %view_2, %constant : tensor<2x3x4x4xf32>
  %broadcast = mlc_tensor.broadcast %m : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %constant_1 = mlc_tensor.constant -1.000000e+09 : tensor<2x3x4x4xf32>
  %masked_fill = mlc_tensor.select %broadcast, %constant_1, %s : tensor<2x3x4x4xf32>
  %amax = mlc_tensor.reduce max %masked_fill dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_1 = mlc_tensor.broadcast %amax : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %sub = mlc_tensor.sub %masked_fill, %broadcast_1 : tensor<2x3x4x4xf32>
  %exp = mlc_tensor.exp %sub : tensor<2x3x4x4xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_2 = mlc_tensor.broadcast %sum : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %div = mlc_tensor.div %exp, %broadcast_2 : tensor<2x3x4x4xf32>
  %view_3 = mlc_tensor.reshape %div : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %view_4 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_3, %view_4 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %view_5 = mlc_tensor.reshape %bmm_1 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %view_5 : tensor<2x3x4x16xf32>
}

// The same where the mask says which scores do not count.
// CHECK-LABEL: func.func @hidden_and_dropped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<4x4xi1>, %keep: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:     %view = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m, %keep) {hides = 1 : i64, scale = 2.500000e-01 : f64, dropout = 1.250000e+00 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<4x4xi1>, tensor<2x3x4x4xi1>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:     func.return %view : tensor<2x3x4x16xf32>
// CHECK-NEXT:   }
func.func @hidden_and_dropped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<4x4xi1>, %keep: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %transpose = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %view = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %view_1 = mlc_tensor.reshape %transpose : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %view_2 = mlc_tensor.reshape %bmm : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %constant = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %s = mlc_tensor.mul %view_2, %constant : tensor<2x3x4x4xf32>
  %broadcast = mlc_tensor.broadcast %m : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %constant_1 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %masked_fill = mlc_tensor.select %broadcast, %constant_1, %s : tensor<2x3x4x4xf32>
  %amax = mlc_tensor.reduce max %masked_fill dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_1 = mlc_tensor.broadcast %amax : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %sub = mlc_tensor.sub %masked_fill, %broadcast_1 : tensor<2x3x4x4xf32>
  %exp = mlc_tensor.exp %sub : tensor<2x3x4x4xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_2 = mlc_tensor.broadcast %sum : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %p = mlc_tensor.div %exp, %broadcast_2 : tensor<2x3x4x4xf32>
  %cast = mlc_tensor.cast %keep : tensor<2x3x4x4xi1> -> tensor<2x3x4x4xf32>
  %mul = mlc_tensor.mul %p, %cast : tensor<2x3x4x4xf32>
  %constant_2 = mlc_tensor.constant 1.250000e+00 : tensor<2x3x4x4xf32>
  %mul_1 = mlc_tensor.mul %mul, %constant_2 : tensor<2x3x4x4xf32>
  %view_3 = mlc_tensor.reshape %mul_1 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %view_4 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_3, %view_4 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %view_5 = mlc_tensor.reshape %bmm_1 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %view_5 : tensor<2x3x4x16xf32>
}

// A mask of the scores that count, and what dropout keeps of the weights.
// CHECK-LABEL: func.func @kept_and_dropped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<4x4xi1>, %keep: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:     %view = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m, %keep) {scale = 2.500000e-01 : f64, dropout = 1.250000e+00 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<2x3x4x16xf32>, tensor<4x4xi1>, tensor<2x3x4x4xi1>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:     func.return %view : tensor<2x3x4x16xf32>
// CHECK-NEXT:   }
func.func @kept_and_dropped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<4x4xi1>, %keep: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %transpose = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %view = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %view_1 = mlc_tensor.reshape %transpose : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %bmm = mlc_tensor.matmul %view, %view_1 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %view_2 = mlc_tensor.reshape %bmm : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %constant = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %s = mlc_tensor.mul %view_2, %constant : tensor<2x3x4x4xf32>
  %broadcast = mlc_tensor.broadcast %m : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %constant_1 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %where = mlc_tensor.select %broadcast, %s, %constant_1 : tensor<2x3x4x4xf32>
  %amax = mlc_tensor.reduce max %where dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_1 = mlc_tensor.broadcast %amax : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %sub = mlc_tensor.sub %where, %broadcast_1 : tensor<2x3x4x4xf32>
  %exp = mlc_tensor.exp %sub : tensor<2x3x4x4xf32>
  %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %broadcast_2 = mlc_tensor.broadcast %sum : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %p = mlc_tensor.div %exp, %broadcast_2 : tensor<2x3x4x4xf32>
  %cast = mlc_tensor.cast %keep : tensor<2x3x4x4xi1> -> tensor<2x3x4x4xf32>
  %mul = mlc_tensor.mul %p, %cast : tensor<2x3x4x4xf32>
  %constant_2 = mlc_tensor.constant 1.250000e+00 : tensor<2x3x4x4xf32>
  %mul_1 = mlc_tensor.mul %mul, %constant_2 : tensor<2x3x4x4xf32>
  %view_3 = mlc_tensor.reshape %mul_1 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %view_4 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %bmm_1 = mlc_tensor.matmul %view_3, %view_4 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %view_5 = mlc_tensor.reshape %bmm_1 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %view_5 : tensor<2x3x4x16xf32>
}
