// torch 2.13

// case: relu(x*2 + bias)
builtin.module {
  func.func @case(%x: tensor<256x192xf32>, %bias: tensor<192xf32>) -> tensor<256x192xf32> {
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<256x192xf32>
    %mul = mlc_tensor.mul %x, %constant : tensor<256x192xf32>
    %broadcast = mlc_tensor.broadcast %bias : tensor<192xf32> -> tensor<256x192xf32>
    %add = mlc_tensor.add %mul, %broadcast : tensor<256x192xf32>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<256x192xf32>
    %relu = mlc_tensor.maximum %add, %constant_1 : tensor<256x192xf32>
    func.return %relu : tensor<256x192xf32>
  }
}


// case: x / x.sum()
builtin.module {
  func.func @case(%x: tensor<256x192xf32>) -> tensor<256x192xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0, 1] : tensor<256x192xf32> -> tensor<1x1xf32>
    %total = mlc_tensor.reshape %reduce : tensor<1x1xf32> -> tensor<f32>
    %broadcast = mlc_tensor.broadcast %total : tensor<f32> -> tensor<256x192xf32>
    %div = mlc_tensor.div %x, %broadcast : tensor<256x192xf32>
    func.return %div : tensor<256x192xf32>
  }
}


// case: softmax
builtin.module {
  func.func @case(%x: tensor<256x192xf32>) -> tensor<256x192xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<256x192xf32> -> tensor<256x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<256x1xf32> -> tensor<256x192xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<256x192xf32>
    %exp = mlc_tensor.exp %sub : tensor<256x192xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<256x192xf32> -> tensor<256x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<256x1xf32> -> tensor<256x192xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<256x192xf32>
    func.return %div : tensor<256x192xf32>
  }
}


// case: layer norm
builtin.module {
  func.func @case(%x: tensor<256x192xf32>, %weight: tensor<192xf32>, %bias: tensor<192xf32>) -> tensor<256x192xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<256x192xf32> -> tensor<256x1xf32>
    %constant = mlc_tensor.constant 1.920000e+02 : tensor<256x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<256x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<256x1xf32> -> tensor<256x192xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<256x192xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<256x192xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<256x192xf32> -> tensor<256x1xf32>
    %constant_1 = mlc_tensor.constant 1.920000e+02 : tensor<256x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<256x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<256x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<256x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<256x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<256x1xf32> -> tensor<256x192xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<256x192xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<256x1xf32> -> tensor<256x192xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<256x192xf32>
    %broadcast_3 = mlc_tensor.broadcast %weight : tensor<192xf32> -> tensor<256x192xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<256x192xf32>
    %broadcast_4 = mlc_tensor.broadcast %bias : tensor<192xf32> -> tensor<256x192xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<256x192xf32>
    func.return %add_1 : tensor<256x192xf32>
  }
}


// case: gelu(x @ W + b)
builtin.module {
  func.func @case(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
    %mm = mlc_tensor.matmul %x, %w : tensor<64x96xf32>, tensor<96x128xf32> -> tensor<64x128xf32>
    %broadcast = mlc_tensor.broadcast %b : tensor<128xf32> -> tensor<64x128xf32>
    %h = mlc_tensor.add %mm, %broadcast : tensor<64x128xf32>
    %constant = mlc_tensor.constant 5.000000e-01 : tensor<64x128xf32>
    %mul = mlc_tensor.mul %h, %constant : tensor<64x128xf32>
    %constant_1 = mlc_tensor.constant 0.707106769 : tensor<64x128xf32>
    %mul_1 = mlc_tensor.mul %h, %constant_1 : tensor<64x128xf32>
    %erf = mlc_tensor.erf %mul_1 : tensor<64x128xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<64x128xf32>
    %add = mlc_tensor.add %erf, %constant_2 : tensor<64x128xf32>
    %mul_2 = mlc_tensor.mul %mul, %add : tensor<64x128xf32>
    func.return %mul_2 : tensor<64x128xf32>
  }
}


// case: mean((x - t)^2)
builtin.module {
  func.func @case(%x: tensor<256x192xf32>, %target: tensor<256x192xf32>) -> tensor<f32> {
    %sub = mlc_tensor.sub %x, %target : tensor<256x192xf32>
    %pow = mlc_tensor.mul %sub, %sub : tensor<256x192xf32>
    %reduce = mlc_tensor.reduce add %pow dims [0, 1] : tensor<256x192xf32> -> tensor<1x1xf32>
    %constant = mlc_tensor.constant 4.915200e+04 : tensor<1x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<1x1xf32>
    %mean = mlc_tensor.reshape %div : tensor<1x1xf32> -> tensor<f32>
    func.return %mean : tensor<f32>
  }
}


// case: sin and cos
builtin.module {
  func.func @case(%x: tensor<256x192xf32>) -> (tensor<256x192xf32>, tensor<256x192xf32>) {
    %sin = mlc_tensor.sin %x : tensor<256x192xf32>
    %cos = mlc_tensor.cos %x : tensor<256x192xf32>
    func.return %sin, %cos : tensor<256x192xf32>, tensor<256x192xf32>
  }
}


// case: gelu by hand
builtin.module {
  func.func @case(%x: tensor<256x192xf32>) -> tensor<256x192xf32> {
    %constant = mlc_tensor.constant 0.707106769 : tensor<256x192xf32>
    %mul = mlc_tensor.mul %x, %constant : tensor<256x192xf32>
    %erf = mlc_tensor.erf %mul : tensor<256x192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<256x192xf32>
    %add = mlc_tensor.add %erf, %constant_1 : tensor<256x192xf32>
    %constant_2 = mlc_tensor.constant 5.000000e-01 : tensor<256x192xf32>
    %cdf = mlc_tensor.mul %add, %constant_2 : tensor<256x192xf32>
    %mul_1 = mlc_tensor.mul %x, %cdf : tensor<256x192xf32>
    func.return %mul_1 : tensor<256x192xf32>
  }
}


// case: RMS norm
builtin.module {
  func.func @case(%x: tensor<256x192xf32>, %weight: tensor<192xf32>) -> tensor<256x192xf32> {
    %mul = mlc_tensor.mul %x, %x : tensor<256x192xf32>
    %reduce = mlc_tensor.reduce add %mul dims [1] : tensor<256x192xf32> -> tensor<256x1xf32>
    %constant = mlc_tensor.constant 1.920000e+02 : tensor<256x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<256x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<256x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<256x1xf32>
    %scale = mlc_tensor.rsqrt %add : tensor<256x1xf32>
    %broadcast = mlc_tensor.broadcast %scale : tensor<256x1xf32> -> tensor<256x192xf32>
    %mul_1 = mlc_tensor.mul %x, %broadcast : tensor<256x192xf32>
    %broadcast_1 = mlc_tensor.broadcast %weight : tensor<192xf32> -> tensor<256x192xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_1 : tensor<256x192xf32>
    func.return %mul_2 : tensor<256x192xf32>
  }
}


// case: SwiGLU
builtin.module {
  func.func @case(%x: tensor<256x192xf32>, %gate: tensor<256x192xf32>) -> tensor<256x192xf32> {
    %sigmoid = mlc_tensor.sigmoid %gate : tensor<256x192xf32>
    %mul = mlc_tensor.mul %gate, %sigmoid : tensor<256x192xf32>
    %mul_1 = mlc_tensor.mul %mul, %x : tensor<256x192xf32>
    func.return %mul_1 : tensor<256x192xf32>
  }
}


// case: transformer block
builtin.module {
  func.func @Block(%x: tensor<2x32x64xf32>, %norm1_weight: tensor<64xf32>, %norm1_bias: tensor<64xf32>, %qkv_weight: tensor<192x64xf32>, %qkv_bias: tensor<192xf32>, %out_weight: tensor<64x64xf32>, %out_bias: tensor<64xf32>, %norm2_weight: tensor<64xf32>, %norm2_bias: tensor<64xf32>, %up_weight: tensor<256x64xf32>, %up_bias: tensor<256xf32>, %down_weight: tensor<64x256xf32>, %down_bias: tensor<64xf32>) -> tensor<2x32x64xf32> {
    %reduce = mlc_tensor.reduce add %x dims [2] : tensor<2x32x64xf32> -> tensor<2x32x1xf32>
    %constant = mlc_tensor.constant 6.400000e+01 : tensor<2x32x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<2x32x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<2x32x64xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<2x32x64xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [2] : tensor<2x32x64xf32> -> tensor<2x32x1xf32>
    %constant_1 = mlc_tensor.constant 6.400000e+01 : tensor<2x32x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<2x32x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<2x32x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<2x32x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<2x32x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<2x32x64xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<2x32x64xf32>
    %broadcast_3 = mlc_tensor.broadcast %norm1_weight : tensor<64xf32> -> tensor<2x32x64xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<2x32x64xf32>
    %broadcast_4 = mlc_tensor.broadcast %norm1_bias : tensor<64xf32> -> tensor<2x32x64xf32>
    %x_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<2x32x64xf32>
    %view = mlc_tensor.reshape %x_1 : tensor<2x32x64xf32> -> tensor<64x64xf32>
    %t = mlc_tensor.permute %qkv_weight [1, 0] : tensor<192x64xf32> -> tensor<64x192xf32>
    %matmul = mlc_tensor.matmul %view, %t : tensor<64x64xf32>, tensor<64x192xf32> -> tensor<64x192xf32>
    %broadcast_5 = mlc_tensor.broadcast %qkv_bias : tensor<192xf32> -> tensor<64x192xf32>
    %addmm = mlc_tensor.add %matmul, %broadcast_5 : tensor<64x192xf32>
    %view_1 = mlc_tensor.reshape %addmm : tensor<64x192xf32> -> tensor<2x32x192xf32>
    %getitem_2 = mlc_tensor.slice %view_1 [0, 0, 0] step [1, 1, 1] : tensor<2x32x192xf32> -> tensor<2x32x64xf32>
    %getitem_3 = mlc_tensor.slice %view_1 [0, 0, 64] step [1, 1, 1] : tensor<2x32x192xf32> -> tensor<2x32x64xf32>
    %getitem_4 = mlc_tensor.slice %view_1 [0, 0, 128] step [1, 1, 1] : tensor<2x32x192xf32> -> tensor<2x32x64xf32>
    %view_2 = mlc_tensor.reshape %getitem_2 : tensor<2x32x64xf32> -> tensor<2x32x4x16xf32>
    %transpose = mlc_tensor.permute %view_2 [0, 2, 1, 3] : tensor<2x32x4x16xf32> -> tensor<2x4x32x16xf32>
    %view_3 = mlc_tensor.reshape %getitem_3 : tensor<2x32x64xf32> -> tensor<2x32x4x16xf32>
    %transpose_1 = mlc_tensor.permute %view_3 [0, 2, 1, 3] : tensor<2x32x4x16xf32> -> tensor<2x4x32x16xf32>
    %view_4 = mlc_tensor.reshape %getitem_4 : tensor<2x32x64xf32> -> tensor<2x32x4x16xf32>
    %transpose_2 = mlc_tensor.permute %view_4 [0, 2, 1, 3] : tensor<2x32x4x16xf32> -> tensor<2x4x32x16xf32>
    %transpose_3 = mlc_tensor.permute %transpose_1 [0, 1, 3, 2] : tensor<2x4x32x16xf32> -> tensor<2x4x16x32xf32>
    %_unsafe_view = mlc_tensor.reshape %transpose : tensor<2x4x32x16xf32> -> tensor<8x32x16xf32>
    %_unsafe_view_1 = mlc_tensor.reshape %transpose_3 : tensor<2x4x16x32xf32> -> tensor<8x16x32xf32>
    %bmm = mlc_tensor.matmul %_unsafe_view, %_unsafe_view_1 : tensor<8x32x16xf32>, tensor<8x16x32xf32> -> tensor<8x32x32xf32>
    %view_5 = mlc_tensor.reshape %bmm : tensor<8x32x32xf32> -> tensor<2x4x32x32xf32>
    %constant_3 = mlc_tensor.constant 2.500000e-01 : tensor<2x4x32x32xf32>
    %scores = mlc_tensor.mul %view_5, %constant_3 : tensor<2x4x32x32xf32>
    %ones = mlc_tensor.constant true : tensor<32x32xi1>
    %iota = mlc_tensor.iota dim 0 : tensor<32x32xi64>
    %iota_1 = mlc_tensor.iota dim 1 : tensor<32x32xi64>
    %sub_2 = mlc_tensor.sub %iota_1, %iota : tensor<32x32xi64>
    %constant_4 = mlc_tensor.constant 0 : tensor<32x32xi64>
    %le = mlc_tensor.le %sub_2, %constant_4 : tensor<32x32xi64>
    %constant_5 = mlc_tensor.constant false : tensor<32x32xi1>
    %mask = mlc_tensor.select %le, %ones, %constant_5 : tensor<32x32xi1>
    %bitwise_not = mlc_tensor.not %mask : tensor<32x32xi1>
    %broadcast_6 = mlc_tensor.broadcast %bitwise_not : tensor<32x32xi1> -> tensor<2x4x32x32xi1>
    %constant_6 = mlc_tensor.constant 0xff800000 : tensor<2x4x32x32xf32>
    %masked_fill = mlc_tensor.select %broadcast_6, %constant_6, %scores : tensor<2x4x32x32xf32>
    %amax = mlc_tensor.reduce max %masked_fill dims [3] : tensor<2x4x32x32xf32> -> tensor<2x4x32x1xf32>
    %broadcast_7 = mlc_tensor.broadcast %amax : tensor<2x4x32x1xf32> -> tensor<2x4x32x32xf32>
    %sub_3 = mlc_tensor.sub %masked_fill, %broadcast_7 : tensor<2x4x32x32xf32>
    %exp = mlc_tensor.exp %sub_3 : tensor<2x4x32x32xf32>
    %sum = mlc_tensor.reduce add %exp dims [3] : tensor<2x4x32x32xf32> -> tensor<2x4x32x1xf32>
    %broadcast_8 = mlc_tensor.broadcast %sum : tensor<2x4x32x1xf32> -> tensor<2x4x32x32xf32>
    %weights = mlc_tensor.div %exp, %broadcast_8 : tensor<2x4x32x32xf32>
    %view_6 = mlc_tensor.reshape %weights : tensor<2x4x32x32xf32> -> tensor<8x32x32xf32>
    %_unsafe_view_2 = mlc_tensor.reshape %transpose_2 : tensor<2x4x32x16xf32> -> tensor<8x32x16xf32>
    %bmm_1 = mlc_tensor.matmul %view_6, %_unsafe_view_2 : tensor<8x32x32xf32>, tensor<8x32x16xf32> -> tensor<8x32x16xf32>
    %view_7 = mlc_tensor.reshape %bmm_1 : tensor<8x32x16xf32> -> tensor<2x4x32x16xf32>
    %transpose_4 = mlc_tensor.permute %view_7 [0, 2, 1, 3] : tensor<2x4x32x16xf32> -> tensor<2x32x4x16xf32>
    %_unsafe_view_3 = mlc_tensor.reshape %transpose_4 : tensor<2x32x4x16xf32> -> tensor<2x32x64xf32>
    %view_8 = mlc_tensor.reshape %_unsafe_view_3 : tensor<2x32x64xf32> -> tensor<64x64xf32>
    %t_1 = mlc_tensor.permute %out_weight [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    %matmul_1 = mlc_tensor.matmul %view_8, %t_1 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %broadcast_9 = mlc_tensor.broadcast %out_bias : tensor<64xf32> -> tensor<64x64xf32>
    %addmm_1 = mlc_tensor.add %matmul_1, %broadcast_9 : tensor<64x64xf32>
    %view_9 = mlc_tensor.reshape %addmm_1 : tensor<64x64xf32> -> tensor<2x32x64xf32>
    %x_2 = mlc_tensor.add %x, %view_9 : tensor<2x32x64xf32>
    %reduce_2 = mlc_tensor.reduce add %x_2 dims [2] : tensor<2x32x64xf32> -> tensor<2x32x1xf32>
    %constant_7 = mlc_tensor.constant 6.400000e+01 : tensor<2x32x1xf32>
    %getitem_5 = mlc_tensor.div %reduce_2, %constant_7 : tensor<2x32x1xf32>
    %broadcast_10 = mlc_tensor.broadcast %getitem_5 : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
    %sub_4 = mlc_tensor.sub %x_2, %broadcast_10 : tensor<2x32x64xf32>
    %mul_3 = mlc_tensor.mul %sub_4, %sub_4 : tensor<2x32x64xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_3 dims [2] : tensor<2x32x64xf32> -> tensor<2x32x1xf32>
    %constant_8 = mlc_tensor.constant 6.400000e+01 : tensor<2x32x1xf32>
    %getitem_6 = mlc_tensor.div %reduce_3, %constant_8 : tensor<2x32x1xf32>
    %constant_9 = mlc_tensor.constant 1.000000e-05 : tensor<2x32x1xf32>
    %add_1 = mlc_tensor.add %getitem_6, %constant_9 : tensor<2x32x1xf32>
    %rsqrt_1 = mlc_tensor.rsqrt %add_1 : tensor<2x32x1xf32>
    %broadcast_11 = mlc_tensor.broadcast %getitem_5 : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
    %sub_5 = mlc_tensor.sub %x_2, %broadcast_11 : tensor<2x32x64xf32>
    %broadcast_12 = mlc_tensor.broadcast %rsqrt_1 : tensor<2x32x1xf32> -> tensor<2x32x64xf32>
    %mul_4 = mlc_tensor.mul %sub_5, %broadcast_12 : tensor<2x32x64xf32>
    %broadcast_13 = mlc_tensor.broadcast %norm2_weight : tensor<64xf32> -> tensor<2x32x64xf32>
    %mul_5 = mlc_tensor.mul %mul_4, %broadcast_13 : tensor<2x32x64xf32>
    %broadcast_14 = mlc_tensor.broadcast %norm2_bias : tensor<64xf32> -> tensor<2x32x64xf32>
    %add_2 = mlc_tensor.add %mul_5, %broadcast_14 : tensor<2x32x64xf32>
    %view_10 = mlc_tensor.reshape %add_2 : tensor<2x32x64xf32> -> tensor<64x64xf32>
    %t_2 = mlc_tensor.permute %up_weight [1, 0] : tensor<256x64xf32> -> tensor<64x256xf32>
    %matmul_2 = mlc_tensor.matmul %view_10, %t_2 : tensor<64x64xf32>, tensor<64x256xf32> -> tensor<64x256xf32>
    %broadcast_15 = mlc_tensor.broadcast %up_bias : tensor<256xf32> -> tensor<64x256xf32>
    %addmm_2 = mlc_tensor.add %matmul_2, %broadcast_15 : tensor<64x256xf32>
    %view_11 = mlc_tensor.reshape %addmm_2 : tensor<64x256xf32> -> tensor<2x32x256xf32>
    %mul_6 = mlc_tensor.mul %view_11, %view_11 : tensor<2x32x256xf32>
    %mul_7 = mlc_tensor.mul %mul_6, %view_11 : tensor<2x32x256xf32>
    %constant_10 = mlc_tensor.constant 4.471500e-02 : tensor<2x32x256xf32>
    %mul_8 = mlc_tensor.mul %mul_7, %constant_10 : tensor<2x32x256xf32>
    %add_3 = mlc_tensor.add %view_11, %mul_8 : tensor<2x32x256xf32>
    %constant_11 = mlc_tensor.constant 0.797884583 : tensor<2x32x256xf32>
    %mul_9 = mlc_tensor.mul %add_3, %constant_11 : tensor<2x32x256xf32>
    %constant_12 = mlc_tensor.constant 5.000000e-01 : tensor<2x32x256xf32>
    %mul_10 = mlc_tensor.mul %view_11, %constant_12 : tensor<2x32x256xf32>
    %tanh = mlc_tensor.tanh %mul_9 : tensor<2x32x256xf32>
    %constant_13 = mlc_tensor.constant 1.000000e+00 : tensor<2x32x256xf32>
    %add_4 = mlc_tensor.add %tanh, %constant_13 : tensor<2x32x256xf32>
    %mul_11 = mlc_tensor.mul %mul_10, %add_4 : tensor<2x32x256xf32>
    %view_12 = mlc_tensor.reshape %mul_11 : tensor<2x32x256xf32> -> tensor<64x256xf32>
    %t_3 = mlc_tensor.permute %down_weight [1, 0] : tensor<64x256xf32> -> tensor<256x64xf32>
    %matmul_3 = mlc_tensor.matmul %view_12, %t_3 : tensor<64x256xf32>, tensor<256x64xf32> -> tensor<64x64xf32>
    %broadcast_16 = mlc_tensor.broadcast %down_bias : tensor<64xf32> -> tensor<64x64xf32>
    %addmm_3 = mlc_tensor.add %matmul_3, %broadcast_16 : tensor<64x64xf32>
    %view_13 = mlc_tensor.reshape %addmm_3 : tensor<64x64xf32> -> tensor<2x32x64xf32>
    %add_5 = mlc_tensor.add %x_2, %view_13 : tensor<2x32x64xf32>
    func.return %add_5 : tensor<2x32x64xf32>
  }
}
