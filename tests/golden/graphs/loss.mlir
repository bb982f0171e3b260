// torch 2.13

// case: cross entropy bf16 8192x32000
builtin.module {
  func.func @case(%logits: tensor<8192x32000xbf16>, %target: tensor<8192xi64>) -> tensor<f32> {
    %_to_copy = mlc_tensor.cast %logits : tensor<8192x32000xbf16> -> tensor<8192x32000xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<8192x32000xf32> -> tensor<8192x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<8192x1xf32> -> tensor<8192x32000xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<8192x32000xf32>
    %exp = mlc_tensor.exp %sub : tensor<8192x32000xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<8192x32000xf32> -> tensor<8192x1xf32>
    %log = mlc_tensor.log %sum : tensor<8192x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %log : tensor<8192x1xf32> -> tensor<8192x32000xf32>
    %sub_1 = mlc_tensor.sub %sub, %broadcast_1 : tensor<8192x32000xf32>
    %constant = mlc_tensor.constant -100 : tensor<8192xi64>
    %ne = mlc_tensor.ne %target, %constant : tensor<8192xi64>
    %constant_1 = mlc_tensor.constant 0 : tensor<8192xi64>
    %where = mlc_tensor.select %ne, %target, %constant_1 : tensor<8192xi64>
    %unsqueeze = mlc_tensor.reshape %where : tensor<8192xi64> -> tensor<8192x1xi64>
    %iota = mlc_tensor.iota dim 0 : tensor<8192x1xi64>
    %gather = mlc_tensor.gather %sub_1[%iota, %unsqueeze] : tensor<8192x32000xf32>, (tensor<8192x1xi64>, tensor<8192x1xi64>) -> tensor<8192x1xf32>
    %squeeze = mlc_tensor.reshape %gather : tensor<8192x1xf32> -> tensor<8192xf32>
    %ones_like = mlc_tensor.constant 1.000000e+00 : tensor<8192xf32>
    %constant_2 = mlc_tensor.constant 0.000000e+00 : tensor<8192xf32>
    %where_1 = mlc_tensor.select %ne, %ones_like, %constant_2 : tensor<8192xf32>
    %neg = mlc_tensor.neg %where_1 : tensor<8192xf32>
    %mul = mlc_tensor.mul %neg, %squeeze : tensor<8192xf32>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<8192xf32>
    %where_2 = mlc_tensor.select %ne, %mul, %constant_3 : tensor<8192xf32>
    %reduce = mlc_tensor.reduce add %where_1 dims [0] : tensor<8192xf32> -> tensor<1xf32>
    %sum_1 = mlc_tensor.reshape %reduce : tensor<1xf32> -> tensor<f32>
    %reduce_1 = mlc_tensor.reduce add %where_2 dims [0] : tensor<8192xf32> -> tensor<1xf32>
    %sum_2 = mlc_tensor.reshape %reduce_1 : tensor<1xf32> -> tensor<f32>
    %div = mlc_tensor.div %sum_2, %sum_1 : tensor<f32>
    func.return %div : tensor<f32>
  }
}


// case: cross entropy bf16 8192x128256
builtin.module {
  func.func @case(%logits: tensor<8192x128256xbf16>, %target: tensor<8192xi64>) -> tensor<f32> {
    %_to_copy = mlc_tensor.cast %logits : tensor<8192x128256xbf16> -> tensor<8192x128256xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<8192x128256xf32> -> tensor<8192x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<8192x1xf32> -> tensor<8192x128256xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<8192x128256xf32>
    %exp = mlc_tensor.exp %sub : tensor<8192x128256xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<8192x128256xf32> -> tensor<8192x1xf32>
    %log = mlc_tensor.log %sum : tensor<8192x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %log : tensor<8192x1xf32> -> tensor<8192x128256xf32>
    %sub_1 = mlc_tensor.sub %sub, %broadcast_1 : tensor<8192x128256xf32>
    %constant = mlc_tensor.constant -100 : tensor<8192xi64>
    %ne = mlc_tensor.ne %target, %constant : tensor<8192xi64>
    %constant_1 = mlc_tensor.constant 0 : tensor<8192xi64>
    %where = mlc_tensor.select %ne, %target, %constant_1 : tensor<8192xi64>
    %unsqueeze = mlc_tensor.reshape %where : tensor<8192xi64> -> tensor<8192x1xi64>
    %iota = mlc_tensor.iota dim 0 : tensor<8192x1xi64>
    %gather = mlc_tensor.gather %sub_1[%iota, %unsqueeze] : tensor<8192x128256xf32>, (tensor<8192x1xi64>, tensor<8192x1xi64>) -> tensor<8192x1xf32>
    %squeeze = mlc_tensor.reshape %gather : tensor<8192x1xf32> -> tensor<8192xf32>
    %ones_like = mlc_tensor.constant 1.000000e+00 : tensor<8192xf32>
    %constant_2 = mlc_tensor.constant 0.000000e+00 : tensor<8192xf32>
    %where_1 = mlc_tensor.select %ne, %ones_like, %constant_2 : tensor<8192xf32>
    %neg = mlc_tensor.neg %where_1 : tensor<8192xf32>
    %mul = mlc_tensor.mul %neg, %squeeze : tensor<8192xf32>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<8192xf32>
    %where_2 = mlc_tensor.select %ne, %mul, %constant_3 : tensor<8192xf32>
    %reduce = mlc_tensor.reduce add %where_1 dims [0] : tensor<8192xf32> -> tensor<1xf32>
    %sum_1 = mlc_tensor.reshape %reduce : tensor<1xf32> -> tensor<f32>
    %reduce_1 = mlc_tensor.reduce add %where_2 dims [0] : tensor<8192xf32> -> tensor<1xf32>
    %sum_2 = mlc_tensor.reshape %reduce_1 : tensor<1xf32> -> tensor<f32>
    %div = mlc_tensor.div %sum_2, %sum_1 : tensor<f32>
    func.return %div : tensor<f32>
  }
}


// case: cross entropy backward bf16 8192x32000
builtin.module {
  func.func @case(%logits: tensor<8192x32000xbf16>, %target: tensor<8192xi64>) -> tensor<8192x32000xbf16> {
    %_to_copy = mlc_tensor.cast %logits : tensor<8192x32000xbf16> -> tensor<8192x32000xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<8192x32000xf32> -> tensor<8192x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<8192x1xf32> -> tensor<8192x32000xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<8192x32000xf32>
    %exp = mlc_tensor.exp %sub : tensor<8192x32000xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<8192x32000xf32> -> tensor<8192x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<8192x1xf32> -> tensor<8192x32000xf32>
    %p = mlc_tensor.div %exp, %broadcast_1 : tensor<8192x32000xf32>
    %unsqueeze = mlc_tensor.reshape %target : tensor<8192xi64> -> tensor<8192x1xi64>
    %iota = mlc_tensor.iota dim 0 : tensor<32000xi64>
    %broadcast_2 = mlc_tensor.broadcast %unsqueeze : tensor<8192x1xi64> -> tensor<8192x32000xi64>
    %broadcast_3 = mlc_tensor.broadcast %iota : tensor<32000xi64> -> tensor<8192x32000xi64>
    %hit = mlc_tensor.eq %broadcast_2, %broadcast_3 : tensor<8192x32000xi64>
    %_to_copy_1 = mlc_tensor.cast %hit : tensor<8192x32000xi1> -> tensor<8192x32000xf32>
    %sub_1 = mlc_tensor.sub %p, %_to_copy_1 : tensor<8192x32000xf32>
    %constant = mlc_tensor.constant 8.192000e+03 : tensor<8192x32000xf32>
    %div = mlc_tensor.div %sub_1, %constant : tensor<8192x32000xf32>
    %_to_copy_2 = mlc_tensor.cast %div : tensor<8192x32000xf32> -> tensor<8192x32000xbf16>
    func.return %_to_copy_2 : tensor<8192x32000xbf16>
  }
}


// case: binary cross entropy f32
builtin.module {
  func.func @case(%input: tensor<8192x8192xf32>, %target: tensor<8192x8192xf32>) -> tensor<f32> {
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<8192x8192xf32>
    %rsub = mlc_tensor.sub %constant, %target : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %rsub, %input : tensor<8192x8192xf32>
    %new_zeros = mlc_tensor.constant 0.000000e+00 : tensor<f32>
    %broadcast = mlc_tensor.broadcast %new_zeros : tensor<f32> -> tensor<8192x8192xf32>
    %minimum = mlc_tensor.minimum %broadcast, %input : tensor<8192x8192xf32>
    %abs = mlc_tensor.abs %input : tensor<8192x8192xf32>
    %neg = mlc_tensor.neg %abs : tensor<8192x8192xf32>
    %exp = mlc_tensor.exp %neg : tensor<8192x8192xf32>
    %log1p = mlc_tensor.log1p %exp : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %minimum, %log1p : tensor<8192x8192xf32>
    %sub_1 = mlc_tensor.sub %mul, %sub : tensor<8192x8192xf32>
    %reduce = mlc_tensor.reduce add %sub_1 dims [0, 1] : tensor<8192x8192xf32> -> tensor<1x1xf32>
    %constant_1 = mlc_tensor.constant 0x4C800000 : tensor<1x1xf32>
    %div = mlc_tensor.div %reduce, %constant_1 : tensor<1x1xf32>
    %mean = mlc_tensor.reshape %div : tensor<1x1xf32> -> tensor<f32>
    func.return %mean : tensor<f32>
  }
}


// case: smooth l1 f32
builtin.module {
  func.func @case(%input: tensor<8192x8192xf32>, %target: tensor<8192x8192xf32>) -> tensor<f32> {
    %sub = mlc_tensor.sub %input, %target : tensor<8192x8192xf32>
    %abs = mlc_tensor.abs %sub : tensor<8192x8192xf32>
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<8192x8192xf32>
    %lt = mlc_tensor.lt %abs, %constant : tensor<8192x8192xf32>
    %pow = mlc_tensor.mul %abs, %abs : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 5.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %pow, %constant_1 : tensor<8192x8192xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<8192x8192xf32>
    %div = mlc_tensor.div %mul, %constant_2 : tensor<8192x8192xf32>
    %constant_3 = mlc_tensor.constant 5.000000e-01 : tensor<8192x8192xf32>
    %sub_1 = mlc_tensor.sub %abs, %constant_3 : tensor<8192x8192xf32>
    %where = mlc_tensor.select %lt, %div, %sub_1 : tensor<8192x8192xf32>
    %reduce = mlc_tensor.reduce add %where dims [0, 1] : tensor<8192x8192xf32> -> tensor<1x1xf32>
    %constant_4 = mlc_tensor.constant 0x4C800000 : tensor<1x1xf32>
    %div_1 = mlc_tensor.div %reduce, %constant_4 : tensor<1x1xf32>
    %mean = mlc_tensor.reshape %div_1 : tensor<1x1xf32> -> tensor<f32>
    func.return %mean : tensor<f32>
  }
}


// case: kl divergence f32 16384x4096
builtin.module {
  func.func @case(%x: tensor<16384x4096xf32>, %y: tensor<16384x4096xf32>) -> tensor<f32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<16384x4096xf32>
    %exp = mlc_tensor.exp %sub : tensor<16384x4096xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %log = mlc_tensor.log %sum : tensor<16384x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %log : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %sub_1 = mlc_tensor.sub %sub, %broadcast_1 : tensor<16384x4096xf32>
    %amax_1 = mlc_tensor.reduce max %y dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %amax_1 : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %sub_2 = mlc_tensor.sub %y, %broadcast_2 : tensor<16384x4096xf32>
    %exp_1 = mlc_tensor.exp %sub_2 : tensor<16384x4096xf32>
    %sum_1 = mlc_tensor.reduce add %exp_1 dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %log_1 = mlc_tensor.log %sum_1 : tensor<16384x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %log_1 : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %broadcast_3 : tensor<16384x4096xf32>
    %sub_4 = mlc_tensor.sub %sub_3, %sub_1 : tensor<16384x4096xf32>
    %exp_2 = mlc_tensor.exp %sub_3 : tensor<16384x4096xf32>
    %mul = mlc_tensor.mul %exp_2, %sub_4 : tensor<16384x4096xf32>
    %reduce = mlc_tensor.reduce add %mul dims [0, 1] : tensor<16384x4096xf32> -> tensor<1x1xf32>
    %sum_2 = mlc_tensor.reshape %reduce : tensor<1x1xf32> -> tensor<f32>
    %constant = mlc_tensor.constant 1.638400e+04 : tensor<f32>
    %div = mlc_tensor.div %sum_2, %constant : tensor<f32>
    func.return %div : tensor<f32>
  }
}
