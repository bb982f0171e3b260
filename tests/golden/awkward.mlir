// torch 2.13

// case: softmax f32 50000x1000
builtin.module {
  func.func @case(%x: tensor<50000x1000xf32>) -> tensor<50000x1000xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<50000x1000xf32> -> tensor<50000x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<50000x1xf32> -> tensor<50000x1000xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<50000x1000xf32>
    %exp = mlc_tensor.exp %sub : tensor<50000x1000xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<50000x1000xf32> -> tensor<50000x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<50000x1xf32> -> tensor<50000x1000xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<50000x1000xf32>
    func.return %div : tensor<50000x1000xf32>
  }
}


// case: softmax bf16 50000x1000
builtin.module {
  func.func @case(%x: tensor<50000x1000xbf16>) -> tensor<50000x1000xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<50000x1000xbf16> -> tensor<50000x1000xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<50000x1000xf32> -> tensor<50000x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<50000x1xf32> -> tensor<50000x1000xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<50000x1000xf32>
    %exp = mlc_tensor.exp %sub : tensor<50000x1000xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<50000x1000xf32> -> tensor<50000x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<50000x1xf32> -> tensor<50000x1000xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<50000x1000xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<50000x1000xf32> -> tensor<50000x1000xbf16>
    func.return %_to_copy_1 : tensor<50000x1000xbf16>
  }
}


// case: layer norm bf16 16000x4097
builtin.module {
  func.func @case(%x: tensor<16000x4097xbf16>, %w: tensor<4097xbf16>, %b: tensor<4097xbf16>) -> tensor<16000x4097xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<16000x4097xbf16> -> tensor<16000x4097xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %constant = mlc_tensor.constant 4.097000e+03 : tensor<16000x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<16000x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<16000x4097xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<16000x4097xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %constant_1 = mlc_tensor.constant 4.097000e+03 : tensor<16000x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<16000x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<16000x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<16000x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<16000x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<16000x4097xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<16000x4097xf32>
    %cast = mlc_tensor.cast %w : tensor<4097xbf16> -> tensor<4097xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<4097xf32> -> tensor<16000x4097xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<16000x4097xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<4097xbf16> -> tensor<4097xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<4097xf32> -> tensor<16000x4097xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<16000x4097xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<16000x4097xf32> -> tensor<16000x4097xbf16>
    func.return %_to_copy_1 : tensor<16000x4097xbf16>
  }
}


// case: rms norm f16 50001x1000
builtin.module {
  func.func @case(%x: tensor<50001x1000xf16>, %w: tensor<1000xf16>) -> tensor<50001x1000xf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<50001x1000xf16> -> tensor<50001x1000xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<50001x1000xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<50001x1000xf32> -> tensor<50001x1xf32>
    %constant = mlc_tensor.constant 1.000000e+03 : tensor<50001x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<50001x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<50001x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<50001x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<50001x1xf32>
    %broadcast = mlc_tensor.broadcast %rsqrt : tensor<50001x1xf32> -> tensor<50001x1000xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<50001x1000xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<50001x1000xf32> -> tensor<50001x1000xf16>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<1000xf16> -> tensor<50001x1000xf16>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<50001x1000xf16>
    func.return %mul_1 : tensor<50001x1000xf16>
  }
}


// case: layer norm backward bf16 10000x1000
builtin.module {
  func.func @case(%dy: tensor<10000x1000xbf16>, %x: tensor<10000x1000xbf16>, %w: tensor<1000xbf16>) -> (tensor<10000x1000xbf16>, tensor<1000xbf16>, tensor<1000xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<10000x1000xbf16> -> tensor<10000x1000xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<10000x1000xf32> -> tensor<10000x1xf32>
    %constant = mlc_tensor.constant 1.000000e+03 : tensor<10000x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<10000x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<10000x1000xf32> -> tensor<10000x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+03 : tensor<10000x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<10000x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<10000x1xf32> -> tensor<10000x1000xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<10000x1000xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<10000x1000xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<10000x1000xf32> -> tensor<10000x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+03 : tensor<10000x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<10000x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<10000x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<10000x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<10000x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<10000x1000xbf16> -> tensor<10000x1000xf32>
    %_to_copy_2 = mlc_tensor.cast %x : tensor<10000x1000xbf16> -> tensor<10000x1000xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<1000xbf16> -> tensor<1000xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<10000x1xf32> -> tensor<10000x1000xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<10000x1000xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<10000x1xf32> -> tensor<10000x1000xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<10000x1000xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<1000xf32> -> tensor<10000x1000xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<10000x1000xf32>
    %constant_4 = mlc_tensor.constant 1.000000e+03 : tensor<10000x1000xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<10000x1000xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<10000x1000xf32> -> tensor<10000x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<10000x1000xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<10000x1000xf32> -> tensor<10000x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<10000x1xf32> -> tensor<10000x1000xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<10000x1000xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<10000x1xf32> -> tensor<10000x1000xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<10000x1000xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<10000x1000xf32>
    %constant_5 = mlc_tensor.constant 1.000000e+03 : tensor<10000x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<10000x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<10000x1xf32> -> tensor<10000x1000xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<10000x1000xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<10000x1000xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<10000x1000xf32> -> tensor<1x1000xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x1000xf32> -> tensor<1000xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<10000x1000xf32> -> tensor<1x1000xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x1000xf32> -> tensor<1000xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<10000x1000xf32> -> tensor<10000x1000xbf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<1000xf32> -> tensor<1000xbf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<1000xf32> -> tensor<1000xbf16>
    func.return %_to_copy_4, %_to_copy_5, %_to_copy_6 : tensor<10000x1000xbf16>, tensor<1000xbf16>, tensor<1000xbf16>
  }
}


// case: log_softmax bf16 4096x50257
builtin.module {
  func.func @case(%x: tensor<4096x50257xbf16>) -> tensor<4096x50257xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<4096x50257xbf16> -> tensor<4096x50257xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<4096x50257xf32> -> tensor<4096x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<4096x1xf32> -> tensor<4096x50257xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<4096x50257xf32>
    %exp = mlc_tensor.exp %sub : tensor<4096x50257xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<4096x50257xf32> -> tensor<4096x1xf32>
    %log = mlc_tensor.log %sum : tensor<4096x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %log : tensor<4096x1xf32> -> tensor<4096x50257xf32>
    %sub_1 = mlc_tensor.sub %sub, %broadcast_1 : tensor<4096x50257xf32>
    %_to_copy_1 = mlc_tensor.cast %sub_1 : tensor<4096x50257xf32> -> tensor<4096x50257xbf16>
    func.return %_to_copy_1 : tensor<4096x50257xbf16>
  }
}


// case: cross entropy bf16 4096x50257
builtin.module {
  func.func @case(%logits: tensor<4096x50257xbf16>, %target: tensor<4096xi64>) -> tensor<f32> {
    %_to_copy = mlc_tensor.cast %logits : tensor<4096x50257xbf16> -> tensor<4096x50257xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<4096x50257xf32> -> tensor<4096x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<4096x1xf32> -> tensor<4096x50257xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<4096x50257xf32>
    %exp = mlc_tensor.exp %sub : tensor<4096x50257xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<4096x50257xf32> -> tensor<4096x1xf32>
    %log = mlc_tensor.log %sum : tensor<4096x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %log : tensor<4096x1xf32> -> tensor<4096x50257xf32>
    %sub_1 = mlc_tensor.sub %sub, %broadcast_1 : tensor<4096x50257xf32>
    %constant = mlc_tensor.constant -100 : tensor<4096xi64>
    %ne = mlc_tensor.ne %target, %constant : tensor<4096xi64>
    %constant_1 = mlc_tensor.constant 0 : tensor<4096xi64>
    %where = mlc_tensor.select %ne, %target, %constant_1 : tensor<4096xi64>
    %unsqueeze = mlc_tensor.reshape %where : tensor<4096xi64> -> tensor<4096x1xi64>
    %iota = mlc_tensor.iota dim 0 : tensor<4096x1xi64>
    %gather = mlc_tensor.gather %sub_1[%iota, %unsqueeze] : tensor<4096x50257xf32>, (tensor<4096x1xi64>, tensor<4096x1xi64>) -> tensor<4096x1xf32>
    %squeeze = mlc_tensor.reshape %gather : tensor<4096x1xf32> -> tensor<4096xf32>
    %ones_like = mlc_tensor.constant 1.000000e+00 : tensor<4096xf32>
    %constant_2 = mlc_tensor.constant 0.000000e+00 : tensor<4096xf32>
    %where_1 = mlc_tensor.select %ne, %ones_like, %constant_2 : tensor<4096xf32>
    %neg = mlc_tensor.neg %where_1 : tensor<4096xf32>
    %mul = mlc_tensor.mul %neg, %squeeze : tensor<4096xf32>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<4096xf32>
    %where_2 = mlc_tensor.select %ne, %mul, %constant_3 : tensor<4096xf32>
    %reduce = mlc_tensor.reduce add %where_1 dims [0] : tensor<4096xf32> -> tensor<1xf32>
    %sum_1 = mlc_tensor.reshape %reduce : tensor<1xf32> -> tensor<f32>
    %reduce_1 = mlc_tensor.reduce add %where_2 dims [0] : tensor<4096xf32> -> tensor<1xf32>
    %sum_2 = mlc_tensor.reshape %reduce_1 : tensor<1xf32> -> tensor<f32>
    %div = mlc_tensor.div %sum_2, %sum_1 : tensor<f32>
    func.return %div : tensor<f32>
  }
}


// case: x*y + 1 f32 16000x4097
builtin.module {
  func.func @case(%x: tensor<16000x4097xf32>, %y: tensor<16000x4097xf32>) -> tensor<16000x4097xf32> {
    %mul = mlc_tensor.mul %x, %y : tensor<16000x4097xf32>
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<16000x4097xf32>
    %add = mlc_tensor.add %mul, %constant : tensor<16000x4097xf32>
    func.return %add : tensor<16000x4097xf32>
  }
}


// case: sum of columns f32 4097x10007
builtin.module {
  func.func @case(%x: tensor<4097x10007xf32>) -> tensor<10007xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0] : tensor<4097x10007xf32> -> tensor<1x10007xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x10007xf32> -> tensor<10007xf32>
    func.return %sum : tensor<10007xf32>
  }
}


// case: sum of 3 rows f32
builtin.module {
  func.func @case(%x: tensor<3x20000003xf32>) -> tensor<3xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<3x20000003xf32> -> tensor<3x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<3x1xf32> -> tensor<3xf32>
    func.return %sum : tensor<3xf32>
  }
}


// case: softmax of 3 rows f32
builtin.module {
  func.func @case(%x: tensor<3x20000003xf32>) -> tensor<3x20000003xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<3x20000003xf32> -> tensor<3x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<3x1xf32> -> tensor<3x20000003xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<3x20000003xf32>
    %exp = mlc_tensor.exp %sub : tensor<3x20000003xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<3x20000003xf32> -> tensor<3x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<3x1xf32> -> tensor<3x20000003xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<3x20000003xf32>
    func.return %div : tensor<3x20000003xf32>
  }
}


// case: cumsum f32 20000x1000
builtin.module {
  func.func @case(%x: tensor<20000x1000xf32>) -> tensor<20000x1000xf32> {
    %cumsum = mlc_tensor.scan add %x dim 1 : tensor<20000x1000xf32> -> tensor<20000x1000xf32>
    func.return %cumsum : tensor<20000x1000xf32>
  }
}


// case: concatenate 1000 and 4097 columns bf16
builtin.module {
  func.func @case(%x: tensor<20000x1000xbf16>, %y: tensor<20000x4097xbf16>) -> tensor<20000x5097xbf16> {
    %cat = mlc_tensor.cat %x, %y dim 1 : (tensor<20000x1000xbf16>, tensor<20000x4097xbf16>) -> tensor<20000x5097xbf16>
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<20000x5097xbf16>
    %mul = mlc_tensor.mul %cat, %constant : tensor<20000x5097xbf16>
    func.return %mul : tensor<20000x5097xbf16>
  }
}


// case: permute 7 axes f32
builtin.module {
  func.func @case(%x: tensor<8x6x16x10x32x12x64xf32>) -> tensor<8x16x32x64x6x10x12xf32> {
    %permute = mlc_tensor.permute %x [0, 2, 4, 6, 1, 3, 5] : tensor<8x6x16x10x32x12x64xf32> -> tensor<8x16x32x64x6x10x12xf32>
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<8x16x32x64x6x10x12xf32>
    %add = mlc_tensor.add %permute, %constant : tensor<8x16x32x64x6x10x12xf32>
    func.return %add : tensor<8x16x32x64x6x10x12xf32>
  }
}


// case: sum of 3 of 7 axes f32
builtin.module {
  func.func @case(%x: tensor<8x6x16x10x32x12x64xf32>) -> tensor<8x16x32x64xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1, 3, 5] : tensor<8x6x16x10x32x12x64xf32> -> tensor<8x1x16x1x32x1x64xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<8x1x16x1x32x1x64xf32> -> tensor<8x16x32x64xf32>
    func.return %sum : tensor<8x16x32x64xf32>
  }
}


// case: softmax of every other column f32
builtin.module {
  func.func @case(%x: tensor<32768x2048xf32> {mlc.strides = ["4096", "2"]}) -> tensor<32768x2048xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<32768x2048xf32> -> tensor<32768x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<32768x1xf32> -> tensor<32768x2048xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<32768x2048xf32>
    %exp = mlc_tensor.exp %sub : tensor<32768x2048xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<32768x2048xf32> -> tensor<32768x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<32768x1xf32> -> tensor<32768x2048xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<32768x2048xf32>
    func.return %div : tensor<32768x2048xf32>
  }
}


// case: layer norm of a transposed input bf16
builtin.module {
  func.func @case(%x: tensor<32768x4096xbf16> {mlc.strides = ["1", "32768"]}, %w: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<32768x4096xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<32768x4096xbf16> -> tensor<32768x4096xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<32768x4096xf32> -> tensor<32768x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<32768x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<32768x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<32768x1xf32> -> tensor<32768x4096xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<32768x4096xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<32768x4096xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<32768x4096xf32> -> tensor<32768x1xf32>
    %constant_1 = mlc_tensor.constant 4.096000e+03 : tensor<32768x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<32768x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<32768x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<32768x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<32768x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<32768x1xf32> -> tensor<32768x4096xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<32768x4096xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<32768x1xf32> -> tensor<32768x4096xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<32768x4096xf32>
    %cast = mlc_tensor.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<4096xf32> -> tensor<32768x4096xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<32768x4096xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<4096xf32> -> tensor<32768x4096xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<32768x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<32768x4096xf32> -> tensor<32768x4096xbf16>
    func.return %_to_copy_1 : tensor<32768x4096xbf16>
  }
}


// case: broadcast rows and columns f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32> {mlc.strides = ["1", "0"]}, %y: tensor<8192x8192xf32> {mlc.strides = ["0", "1"]}) -> tensor<8192x8192xf32> {
    %mul = mlc_tensor.mul %x, %y : tensor<8192x8192xf32>
    %add = mlc_tensor.add %mul, %x : tensor<8192x8192xf32>
    func.return %add : tensor<8192x8192xf32>
  }
}
