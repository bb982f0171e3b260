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


// case: softmax f16 16000x4097
builtin.module {
  func.func @case(%x: tensor<16000x4097xf16>) -> tensor<16000x4097xf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<16000x4097xf16> -> tensor<16000x4097xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<16000x4097xf32>
    %exp = mlc_tensor.exp %sub : tensor<16000x4097xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<16000x4097xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<16000x4097xf32> -> tensor<16000x4097xf16>
    func.return %_to_copy_1 : tensor<16000x4097xf16>
  }
}


// case: layer norm bf16 4096x50257
builtin.module {
  func.func @case(%x: tensor<4096x50257xbf16>, %w: tensor<50257xbf16>, %b: tensor<50257xbf16>) -> tensor<4096x50257xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<4096x50257xbf16> -> tensor<4096x50257xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<4096x50257xf32> -> tensor<4096x1xf32>
    %constant = mlc_tensor.constant 5.025700e+04 : tensor<4096x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<4096x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<4096x1xf32> -> tensor<4096x50257xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<4096x50257xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<4096x50257xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<4096x50257xf32> -> tensor<4096x1xf32>
    %constant_1 = mlc_tensor.constant 5.025700e+04 : tensor<4096x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<4096x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<4096x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<4096x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<4096x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<4096x1xf32> -> tensor<4096x50257xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<4096x50257xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<4096x1xf32> -> tensor<4096x50257xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<4096x50257xf32>
    %cast = mlc_tensor.cast %w : tensor<50257xbf16> -> tensor<50257xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<50257xf32> -> tensor<4096x50257xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<4096x50257xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<50257xbf16> -> tensor<50257xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<50257xf32> -> tensor<4096x50257xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<4096x50257xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<4096x50257xf32> -> tensor<4096x50257xbf16>
    func.return %_to_copy_1 : tensor<4096x50257xbf16>
  }
}


// case: rms norm + residual bf16 2048x50257
builtin.module {
  func.func @case(%x: tensor<2048x50257xbf16>, %r: tensor<2048x50257xbf16>, %w: tensor<50257xbf16>) -> (tensor<2048x50257xbf16>, tensor<2048x50257xbf16>) {
    %h = mlc_tensor.add %x, %r : tensor<2048x50257xbf16>
    %_to_copy = mlc_tensor.cast %h : tensor<2048x50257xbf16> -> tensor<2048x50257xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<2048x50257xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<2048x50257xf32> -> tensor<2048x1xf32>
    %constant = mlc_tensor.constant 5.025700e+04 : tensor<2048x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<2048x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<2048x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<2048x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<2048x1xf32>
    %broadcast = mlc_tensor.broadcast %rsqrt : tensor<2048x1xf32> -> tensor<2048x50257xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<2048x50257xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<2048x50257xf32> -> tensor<2048x50257xbf16>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<50257xbf16> -> tensor<2048x50257xbf16>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<2048x50257xbf16>
    func.return %h, %mul_1 : tensor<2048x50257xbf16>, tensor<2048x50257xbf16>
  }
}


// case: layer norm backward bf16 16000x4097
builtin.module {
  func.func @case(%dy: tensor<16000x4097xbf16>, %x: tensor<16000x4097xbf16>, %w: tensor<4097xbf16>) -> (tensor<16000x4097xbf16>, tensor<4097xbf16>, tensor<4097xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<16000x4097xbf16> -> tensor<16000x4097xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %constant = mlc_tensor.constant 4.097000e+03 : tensor<16000x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<16000x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %constant_1 = mlc_tensor.constant 4.097000e+03 : tensor<16000x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<16000x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<16000x4097xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<16000x4097xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %constant_2 = mlc_tensor.constant 4.097000e+03 : tensor<16000x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<16000x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<16000x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<16000x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<16000x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<16000x4097xbf16> -> tensor<16000x4097xf32>
    %_to_copy_2 = mlc_tensor.cast %x : tensor<16000x4097xbf16> -> tensor<16000x4097xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<4097xbf16> -> tensor<4097xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<16000x4097xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<16000x4097xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<4097xf32> -> tensor<16000x4097xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<16000x4097xf32>
    %constant_4 = mlc_tensor.constant 4.097000e+03 : tensor<16000x4097xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<16000x4097xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<16000x4097xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<16000x4097xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<16000x4097xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<16000x4097xf32>
    %constant_5 = mlc_tensor.constant 4.097000e+03 : tensor<16000x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<16000x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<16000x4097xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<16000x4097xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<16000x4097xf32> -> tensor<1x4097xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x4097xf32> -> tensor<4097xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<16000x4097xf32> -> tensor<1x4097xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x4097xf32> -> tensor<4097xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<16000x4097xf32> -> tensor<16000x4097xbf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<4097xf32> -> tensor<4097xbf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<4097xf32> -> tensor<4097xbf16>
    func.return %_to_copy_4, %_to_copy_5, %_to_copy_6 : tensor<16000x4097xbf16>, tensor<4097xbf16>, tensor<4097xbf16>
  }
}


// case: layer norm backward bf16 2048x50257
builtin.module {
  func.func @case(%dy: tensor<2048x50257xbf16>, %x: tensor<2048x50257xbf16>, %w: tensor<50257xbf16>) -> (tensor<2048x50257xbf16>, tensor<50257xbf16>, tensor<50257xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<2048x50257xbf16> -> tensor<2048x50257xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<2048x50257xf32> -> tensor<2048x1xf32>
    %constant = mlc_tensor.constant 5.025700e+04 : tensor<2048x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<2048x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<2048x50257xf32> -> tensor<2048x1xf32>
    %constant_1 = mlc_tensor.constant 5.025700e+04 : tensor<2048x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<2048x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<2048x1xf32> -> tensor<2048x50257xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<2048x50257xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<2048x50257xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<2048x50257xf32> -> tensor<2048x1xf32>
    %constant_2 = mlc_tensor.constant 5.025700e+04 : tensor<2048x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<2048x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<2048x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<2048x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<2048x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<2048x50257xbf16> -> tensor<2048x50257xf32>
    %_to_copy_2 = mlc_tensor.cast %x : tensor<2048x50257xbf16> -> tensor<2048x50257xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<50257xbf16> -> tensor<50257xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<2048x1xf32> -> tensor<2048x50257xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<2048x50257xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<2048x1xf32> -> tensor<2048x50257xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<2048x50257xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<50257xf32> -> tensor<2048x50257xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<2048x50257xf32>
    %constant_4 = mlc_tensor.constant 5.025700e+04 : tensor<2048x50257xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<2048x50257xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<2048x50257xf32> -> tensor<2048x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<2048x50257xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<2048x50257xf32> -> tensor<2048x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<2048x1xf32> -> tensor<2048x50257xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<2048x50257xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<2048x1xf32> -> tensor<2048x50257xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<2048x50257xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<2048x50257xf32>
    %constant_5 = mlc_tensor.constant 5.025700e+04 : tensor<2048x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<2048x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<2048x1xf32> -> tensor<2048x50257xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<2048x50257xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<2048x50257xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<2048x50257xf32> -> tensor<1x50257xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x50257xf32> -> tensor<50257xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<2048x50257xf32> -> tensor<1x50257xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x50257xf32> -> tensor<50257xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<2048x50257xf32> -> tensor<2048x50257xbf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<50257xf32> -> tensor<50257xbf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<50257xf32> -> tensor<50257xbf16>
    func.return %_to_copy_4, %_to_copy_5, %_to_copy_6 : tensor<2048x50257xbf16>, tensor<50257xbf16>, tensor<50257xbf16>
  }
}


// case: rms norm backward f32 20000x1000
builtin.module {
  func.func @case(%dy: tensor<20000x1000xf32>, %x: tensor<20000x1000xf32>, %w: tensor<1000xf32>) -> (tensor<20000x1000xf32>, tensor<1000xf32>) {
    %square = mlc_tensor.mul %x, %x : tensor<20000x1000xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<20000x1000xf32> -> tensor<20000x1xf32>
    %constant = mlc_tensor.constant 1.000000e+03 : tensor<20000x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<20000x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<20000x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<20000x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<20000x1xf32>
    %broadcast = mlc_tensor.broadcast %rstd : tensor<20000x1xf32> -> tensor<20000x1000xf32>
    %mul = mlc_tensor.mul %x, %broadcast : tensor<20000x1000xf32>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<1000xf32> -> tensor<20000x1000xf32>
    %mul_1 = mlc_tensor.mul %dy, %broadcast_1 : tensor<20000x1000xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %mul : tensor<20000x1000xf32>
    %reduce_1 = mlc_tensor.reduce add %mul_2 dims [1] : tensor<20000x1000xf32> -> tensor<20000x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+03 : tensor<20000x1xf32>
    %mean_1 = mlc_tensor.div %reduce_1, %constant_2 : tensor<20000x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %mean_1 : tensor<20000x1xf32> -> tensor<20000x1000xf32>
    %mul_3 = mlc_tensor.mul %mul, %broadcast_2 : tensor<20000x1000xf32>
    %sub = mlc_tensor.sub %mul_1, %mul_3 : tensor<20000x1000xf32>
    %broadcast_3 = mlc_tensor.broadcast %rstd : tensor<20000x1xf32> -> tensor<20000x1000xf32>
    %dx = mlc_tensor.mul %broadcast_3, %sub : tensor<20000x1000xf32>
    %mul_4 = mlc_tensor.mul %dy, %mul : tensor<20000x1000xf32>
    %reduce_2 = mlc_tensor.reduce add %mul_4 dims [0] : tensor<20000x1000xf32> -> tensor<1x1000xf32>
    %sum = mlc_tensor.reshape %reduce_2 : tensor<1x1000xf32> -> tensor<1000xf32>
    func.return %dx, %sum : tensor<20000x1000xf32>, tensor<1000xf32>
  }
}


// case: batch norm training + relu f32 33x100x57x57
builtin.module {
  func.func @case(%x: tensor<33x100x57x57xf32>) -> tensor<33x100x57x57xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0, 2, 3] : tensor<33x100x57x57xf32> -> tensor<1x100x1x1xf32>
    %constant = mlc_tensor.constant 1.072170e+05 : tensor<1x100x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1x100x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1x100x1x1xf32> -> tensor<33x100x57x57xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<33x100x57x57xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<33x100x57x57xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<33x100x57x57xf32> -> tensor<1x100x1x1xf32>
    %constant_1 = mlc_tensor.constant 1.072170e+05 : tensor<1x100x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x100x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1x100x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1x100x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1x100x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1x100x1x1xf32> -> tensor<33x100x57x57xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<33x100x57x57xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1x100x1x1xf32> -> tensor<33x100x57x57xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<33x100x57x57xf32>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<33x100x57x57xf32>
    %relu = mlc_tensor.maximum %mul_1, %constant_3 : tensor<33x100x57x57xf32>
    func.return %relu : tensor<33x100x57x57xf32>
  }
}


// case: group norm + silu f16 31x96x55x55
builtin.module {
  func.func @case(%x: tensor<31x96x55x55xf16>) -> tensor<31x96x55x55xf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<31x96x55x55xf16> -> tensor<31x96x55x55xf32>
    %view = mlc_tensor.reshape %_to_copy : tensor<31x96x55x55xf32> -> tensor<31x6x16x3025xf32>
    %reduce = mlc_tensor.reduce add %view dims [2, 3] : tensor<31x6x16x3025xf32> -> tensor<31x6x1x1xf32>
    %constant = mlc_tensor.constant 4.840000e+04 : tensor<31x6x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<31x6x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<31x6x1x1xf32> -> tensor<31x6x16x3025xf32>
    %sub = mlc_tensor.sub %view, %broadcast : tensor<31x6x16x3025xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<31x6x16x3025xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [2, 3] : tensor<31x6x16x3025xf32> -> tensor<31x6x1x1xf32>
    %constant_1 = mlc_tensor.constant 4.840000e+04 : tensor<31x6x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<31x6x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<31x6x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<31x6x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<31x6x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<31x6x1x1xf32> -> tensor<31x6x16x3025xf32>
    %sub_1 = mlc_tensor.sub %view, %broadcast_1 : tensor<31x6x16x3025xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<31x6x1x1xf32> -> tensor<31x6x16x3025xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<31x6x16x3025xf32>
    %view_1 = mlc_tensor.reshape %mul_1 : tensor<31x6x16x3025xf32> -> tensor<31x96x55x55xf32>
    %_to_copy_1 = mlc_tensor.cast %view_1 : tensor<31x96x55x55xf32> -> tensor<31x96x55x55xf16>
    %_to_copy_2 = mlc_tensor.cast %_to_copy_1 : tensor<31x96x55x55xf16> -> tensor<31x96x55x55xf32>
    %sigmoid = mlc_tensor.sigmoid %_to_copy_2 : tensor<31x96x55x55xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_2, %sigmoid : tensor<31x96x55x55xf32>
    %_to_copy_3 = mlc_tensor.cast %mul_2 : tensor<31x96x55x55xf32> -> tensor<31x96x55x55xf16>
    func.return %_to_copy_3 : tensor<31x96x55x55xf16>
  }
}


// case: argmax bf16 4096x50257
builtin.module {
  func.func @case(%x: tensor<4096x50257xbf16>) -> tensor<4096xi64> {
    %reduce = mlc_tensor.reduce argmax %x dims [1] : tensor<4096x50257xbf16> -> tensor<4096x1xi64>
    %argmax = mlc_tensor.reshape %reduce : tensor<4096x1xi64> -> tensor<4096xi64>
    func.return %argmax : tensor<4096xi64>
  }
}


// case: row max and sum f32 50000x1000
builtin.module {
  func.func @case(%x: tensor<50000x1000xf32>) -> (tensor<50000xf32>, tensor<50000xf32>) {
    %reduce = mlc_tensor.reduce max %x dims [1] : tensor<50000x1000xf32> -> tensor<50000x1xf32>
    %amax = mlc_tensor.reshape %reduce : tensor<50000x1xf32> -> tensor<50000xf32>
    %reduce_1 = mlc_tensor.reduce add %x dims [1] : tensor<50000x1000xf32> -> tensor<50000x1xf32>
    %sum = mlc_tensor.reshape %reduce_1 : tensor<50000x1xf32> -> tensor<50000xf32>
    func.return %amax, %sum : tensor<50000xf32>, tensor<50000xf32>
  }
}


// case: variance of rows f16 16000x4097
builtin.module {
  func.func @case(%x: tensor<16000x4097xf16>) -> tensor<16000xf32> {
    %_to_copy = mlc_tensor.cast %x : tensor<16000x4097xf16> -> tensor<16000x4097xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %constant = mlc_tensor.constant 4.097000e+03 : tensor<16000x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<16000x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<16000x1xf32> -> tensor<16000x4097xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<16000x4097xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<16000x4097xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %constant_1 = mlc_tensor.constant 4.096000e+03 : tensor<16000x1xf32>
    %div_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<16000x1xf32>
    %var = mlc_tensor.reshape %div_1 : tensor<16000x1xf32> -> tensor<16000xf32>
    func.return %var : tensor<16000xf32>
  }
}


// case: sums of rows and of columns f32 16000x4097
builtin.module {
  func.func @case(%x: tensor<16000x4097xf32>, %y: tensor<16000x4097xf32>) -> (tensor<4097xf32>, tensor<16000xf32>) {
    %product = mlc_tensor.mul %x, %y : tensor<16000x4097xf32>
    %reduce = mlc_tensor.reduce add %product dims [0] : tensor<16000x4097xf32> -> tensor<1x4097xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x4097xf32> -> tensor<4097xf32>
    %reduce_1 = mlc_tensor.reduce add %product dims [1] : tensor<16000x4097xf32> -> tensor<16000x1xf32>
    %sum_1 = mlc_tensor.reshape %reduce_1 : tensor<16000x1xf32> -> tensor<16000xf32>
    func.return %sum, %sum_1 : tensor<4097xf32>, tensor<16000xf32>
  }
}


// case: bias gradient bf16 50000x1000
builtin.module {
  func.func @case(%dy: tensor<50000x1000xbf16>) -> tensor<1000xbf16> {
    %cast = mlc_tensor.cast %dy : tensor<50000x1000xbf16> -> tensor<50000x1000xf32>
    %reduce = mlc_tensor.reduce add %cast dims [0] : tensor<50000x1000xf32> -> tensor<1x1000xf32>
    %cast_1 = mlc_tensor.cast %reduce : tensor<1x1000xf32> -> tensor<1x1000xbf16>
    %sum = mlc_tensor.reshape %cast_1 : tensor<1x1000xbf16> -> tensor<1000xbf16>
    func.return %sum : tensor<1000xbf16>
  }
}


// case: variance of columns f32 50000x1000
builtin.module {
  func.func @case(%x: tensor<50000x1000xf32>) -> tensor<1000xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0] : tensor<50000x1000xf32> -> tensor<1x1000xf32>
    %constant = mlc_tensor.constant 5.000000e+04 : tensor<1x1000xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<1x1000xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<1x1000xf32> -> tensor<50000x1000xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<50000x1000xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<50000x1000xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0] : tensor<50000x1000xf32> -> tensor<1x1000xf32>
    %constant_1 = mlc_tensor.constant 4.999900e+04 : tensor<1x1000xf32>
    %div_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x1000xf32>
    %var = mlc_tensor.reshape %div_1 : tensor<1x1000xf32> -> tensor<1000xf32>
    func.return %var : tensor<1000xf32>
  }
}


// case: variance of columns bf16 1300x50257
builtin.module {
  func.func @case(%x: tensor<1300x50257xbf16>) -> tensor<50257xf32> {
    %_to_copy = mlc_tensor.cast %x : tensor<1300x50257xbf16> -> tensor<1300x50257xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [0] : tensor<1300x50257xf32> -> tensor<1x50257xf32>
    %constant = mlc_tensor.constant 1.300000e+03 : tensor<1x50257xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<1x50257xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<1x50257xf32> -> tensor<1300x50257xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<1300x50257xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<1300x50257xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0] : tensor<1300x50257xf32> -> tensor<1x50257xf32>
    %constant_1 = mlc_tensor.constant 1.299000e+03 : tensor<1x50257xf32>
    %div_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x50257xf32>
    %var = mlc_tensor.reshape %div_1 : tensor<1x50257xf32> -> tensor<50257xf32>
    func.return %var : tensor<50257xf32>
  }
}


// case: softmax of the middle axis f32 333x1000x257
builtin.module {
  func.func @case(%x: tensor<333x1000x257xf32>) -> tensor<333x1000x257xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<333x1000x257xf32> -> tensor<333x1x257xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<333x1x257xf32> -> tensor<333x1000x257xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<333x1000x257xf32>
    %exp = mlc_tensor.exp %sub : tensor<333x1000x257xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<333x1000x257xf32> -> tensor<333x1x257xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<333x1x257xf32> -> tensor<333x1000x257xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<333x1000x257xf32>
    func.return %div : tensor<333x1000x257xf32>
  }
}


// case: mean over height and width bf16 64x333x57x57
builtin.module {
  func.func @case(%x: tensor<64x333x57x57xbf16>) -> tensor<64x333xbf16> {
    %cast = mlc_tensor.cast %x : tensor<64x333x57x57xbf16> -> tensor<64x333x57x57xf32>
    %reduce = mlc_tensor.reduce add %cast dims [2, 3] : tensor<64x333x57x57xf32> -> tensor<64x333x1x1xf32>
    %constant = mlc_tensor.constant 3.249000e+03 : tensor<64x333x1x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<64x333x1x1xf32>
    %cast_1 = mlc_tensor.cast %div : tensor<64x333x1x1xf32> -> tensor<64x333x1x1xbf16>
    %mean = mlc_tensor.reshape %cast_1 : tensor<64x333x1x1xbf16> -> tensor<64x333xbf16>
    func.return %mean : tensor<64x333xbf16>
  }
}


// case: cumsum bf16 16000x4097
builtin.module {
  func.func @case(%x: tensor<16000x4097xbf16>) -> tensor<16000x4097xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<16000x4097xbf16> -> tensor<16000x4097xf32>
    %cumsum = mlc_tensor.scan add %_to_copy dim 1 : tensor<16000x4097xf32> -> tensor<16000x4097xf32>
    %_to_copy_1 = mlc_tensor.cast %cumsum : tensor<16000x4097xf32> -> tensor<16000x4097xbf16>
    func.return %_to_copy_1 : tensor<16000x4097xbf16>
  }
}


// case: cumsum of 3 rows f32
builtin.module {
  func.func @case(%x: tensor<3x20000003xf32>) -> tensor<3x20000003xf32> {
    %cumsum = mlc_tensor.scan add %x dim 1 : tensor<3x20000003xf32> -> tensor<3x20000003xf32>
    func.return %cumsum : tensor<3x20000003xf32>
  }
}


// case: bias + gelu f16 60001x1001
builtin.module {
  func.func @case(%x: tensor<60001x1001xf16>, %b: tensor<1001xf16>) -> tensor<60001x1001xf16> {
    %broadcast = mlc_tensor.broadcast %b : tensor<1001xf16> -> tensor<60001x1001xf16>
    %add = mlc_tensor.add %x, %broadcast : tensor<60001x1001xf16>
    %_to_copy = mlc_tensor.cast %add : tensor<60001x1001xf16> -> tensor<60001x1001xf32>
    %constant = mlc_tensor.constant 5.000000e-01 : tensor<60001x1001xf32>
    %mul = mlc_tensor.mul %_to_copy, %constant : tensor<60001x1001xf32>
    %constant_1 = mlc_tensor.constant 0.707106769 : tensor<60001x1001xf32>
    %mul_1 = mlc_tensor.mul %_to_copy, %constant_1 : tensor<60001x1001xf32>
    %erf = mlc_tensor.erf %mul_1 : tensor<60001x1001xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<60001x1001xf32>
    %add_1 = mlc_tensor.add %erf, %constant_2 : tensor<60001x1001xf32>
    %mul_2 = mlc_tensor.mul %mul, %add_1 : tensor<60001x1001xf32>
    %_to_copy_1 = mlc_tensor.cast %mul_2 : tensor<60001x1001xf32> -> tensor<60001x1001xf16>
    func.return %_to_copy_1 : tensor<60001x1001xf16>
  }
}


// case: bias of images f32 3x4097x60x60
builtin.module {
  func.func @case(%x: tensor<3x4097x60x60xf32>, %b: tensor<4097xf32>) -> tensor<3x4097x60x60xf32> {
    %unsqueeze = mlc_tensor.reshape %b : tensor<4097xf32> -> tensor<4097x1xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<4097x1xf32> -> tensor<4097x1x1xf32>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<4097x1x1xf32> -> tensor<3x4097x60x60xf32>
    %add = mlc_tensor.add %x, %broadcast : tensor<3x4097x60x60xf32>
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<3x4097x60x60xf32>
    %relu = mlc_tensor.maximum %add, %constant : tensor<3x4097x60x60xf32>
    func.return %relu : tensor<3x4097x60x60xf32>
  }
}


// case: transpose f32 4097x10007
builtin.module {
  func.func @case(%x: tensor<4097x10007xf32>) -> tensor<10007x4097xf32> {
    %t = mlc_tensor.permute %x [1, 0] : tensor<4097x10007xf32> -> tensor<10007x4097xf32>
    func.return %t : tensor<10007x4097xf32>
  }
}


// case: transposed add bf16 50257x1000
builtin.module {
  func.func @case(%x: tensor<50257x1000xbf16>, %y: tensor<1000x50257xbf16>) -> (tensor<1000x50257xbf16> {mlc.strides = ["1", "1000"]}) {
    %t = mlc_tensor.permute %x [1, 0] : tensor<50257x1000xbf16> -> tensor<1000x50257xbf16>
    %add = mlc_tensor.add %t, %y : tensor<1000x50257xbf16>
    func.return %add : tensor<1000x50257xbf16>
  }
}


// case: embedding bf16 of 1001 columns
builtin.module {
  func.func @case(%tokens: tensor<130001xi64>, %table: tensor<50257x1001xbf16>) -> tensor<130001x1001xbf16> {
    %reshape = mlc_tensor.reshape %tokens : tensor<130001xi64> -> tensor<130001x1xi64>
    %broadcast = mlc_tensor.broadcast %reshape : tensor<130001x1xi64> -> tensor<130001x1001xi64>
    %iota = mlc_tensor.iota dim 1 : tensor<130001x1001xi64>
    %embedding = mlc_tensor.gather %table[%broadcast, %iota] : tensor<50257x1001xbf16>, (tensor<130001x1001xi64>, tensor<130001x1001xi64>) -> tensor<130001x1001xbf16>
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<130001x1001xbf16>
    %mul = mlc_tensor.mul %embedding, %constant : tensor<130001x1001xbf16>
    func.return %mul : tensor<130001x1001xbf16>
  }
}


// case: rotary q and k of 80 columns bf16
builtin.module {
  func.func @case(%q: tensor<3x33x4097x80xbf16>, %k: tensor<3x11x4097x80xbf16>, %cos: tensor<4097x80xbf16>, %sin: tensor<4097x80xbf16>) -> (tensor<3x33x4097x80xbf16>, tensor<3x11x4097x80xbf16>) {
    %broadcast = mlc_tensor.broadcast %cos : tensor<4097x80xbf16> -> tensor<3x33x4097x80xbf16>
    %mul = mlc_tensor.mul %q, %broadcast : tensor<3x33x4097x80xbf16>
    %slice = mlc_tensor.slice %q [0, 0, 0, 40] step [1, 1, 1, 1] : tensor<3x33x4097x80xbf16> -> tensor<3x33x4097x40xbf16>
    %neg = mlc_tensor.neg %slice : tensor<3x33x4097x40xbf16>
    %slice_1 = mlc_tensor.slice %q [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x33x4097x80xbf16> -> tensor<3x33x4097x40xbf16>
    %cat = mlc_tensor.cat %neg, %slice_1 dim 3 : (tensor<3x33x4097x40xbf16>, tensor<3x33x4097x40xbf16>) -> tensor<3x33x4097x80xbf16>
    %broadcast_1 = mlc_tensor.broadcast %sin : tensor<4097x80xbf16> -> tensor<3x33x4097x80xbf16>
    %mul_1 = mlc_tensor.mul %cat, %broadcast_1 : tensor<3x33x4097x80xbf16>
    %add = mlc_tensor.add %mul, %mul_1 : tensor<3x33x4097x80xbf16>
    %broadcast_2 = mlc_tensor.broadcast %cos : tensor<4097x80xbf16> -> tensor<3x11x4097x80xbf16>
    %mul_2 = mlc_tensor.mul %k, %broadcast_2 : tensor<3x11x4097x80xbf16>
    %slice_2 = mlc_tensor.slice %k [0, 0, 0, 40] step [1, 1, 1, 1] : tensor<3x11x4097x80xbf16> -> tensor<3x11x4097x40xbf16>
    %neg_1 = mlc_tensor.neg %slice_2 : tensor<3x11x4097x40xbf16>
    %slice_3 = mlc_tensor.slice %k [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x11x4097x80xbf16> -> tensor<3x11x4097x40xbf16>
    %cat_1 = mlc_tensor.cat %neg_1, %slice_3 dim 3 : (tensor<3x11x4097x40xbf16>, tensor<3x11x4097x40xbf16>) -> tensor<3x11x4097x80xbf16>
    %broadcast_3 = mlc_tensor.broadcast %sin : tensor<4097x80xbf16> -> tensor<3x11x4097x80xbf16>
    %mul_3 = mlc_tensor.mul %cat_1, %broadcast_3 : tensor<3x11x4097x80xbf16>
    %add_1 = mlc_tensor.add %mul_2, %mul_3 : tensor<3x11x4097x80xbf16>
    func.return %add, %add_1 : tensor<3x33x4097x80xbf16>, tensor<3x11x4097x80xbf16>
  }
}


// case: rms norm of a slice bf16
builtin.module {
  func.func @case(%x: tensor<32768x4000xbf16> {mlc.strides = ["4003", "1"]}, %w: tensor<4000xbf16>) -> tensor<32768x4000xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<32768x4000xbf16> -> tensor<32768x4000xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<32768x4000xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<32768x4000xf32> -> tensor<32768x1xf32>
    %constant = mlc_tensor.constant 4.000000e+03 : tensor<32768x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<32768x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<32768x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<32768x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<32768x1xf32>
    %broadcast = mlc_tensor.broadcast %rsqrt : tensor<32768x1xf32> -> tensor<32768x4000xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<32768x4000xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<32768x4000xf32> -> tensor<32768x4000xbf16>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<4000xbf16> -> tensor<32768x4000xbf16>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<32768x4000xbf16>
    func.return %mul_1 : tensor<32768x4000xbf16>
  }
}


// case: sum of columns of every third column f32
builtin.module {
  func.func @case(%x: tensor<16384x2000xf32> {mlc.strides = ["6000", "3"]}) -> tensor<2000xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0] : tensor<16384x2000xf32> -> tensor<1x2000xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x2000xf32> -> tensor<2000xf32>
    func.return %sum : tensor<2000xf32>
  }
}


// case: softmax of the last of 7 axes f32
builtin.module {
  func.func @case(%x: tensor<8x6x16x10x32x12x64xf32>) -> tensor<8x6x16x10x32x12x64xf32> {
    %amax = mlc_tensor.reduce max %x dims [6] : tensor<8x6x16x10x32x12x64xf32> -> tensor<8x6x16x10x32x12x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<8x6x16x10x32x12x1xf32> -> tensor<8x6x16x10x32x12x64xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<8x6x16x10x32x12x64xf32>
    %exp = mlc_tensor.exp %sub : tensor<8x6x16x10x32x12x64xf32>
    %sum = mlc_tensor.reduce add %exp dims [6] : tensor<8x6x16x10x32x12x64xf32> -> tensor<8x6x16x10x32x12x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<8x6x16x10x32x12x1xf32> -> tensor<8x6x16x10x32x12x64xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<8x6x16x10x32x12x64xf32>
    func.return %div : tensor<8x6x16x10x32x12x64xf32>
  }
}
