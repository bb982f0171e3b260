// torch 2.13

// case: embedding bf16
builtin.module {
  func.func @case(%tokens: tensor<128x1024xi64>, %table: tensor<32000x1024xbf16>) -> tensor<128x1024x1024xbf16> {
    %reshape = mlc_tensor.reshape %tokens : tensor<128x1024xi64> -> tensor<128x1024x1xi64>
    %broadcast = mlc_tensor.broadcast %reshape : tensor<128x1024x1xi64> -> tensor<128x1024x1024xi64>
    %iota = mlc_tensor.iota dim 2 : tensor<128x1024x1024xi64>
    %embedding = mlc_tensor.gather %table[%broadcast, %iota] : tensor<32000x1024xbf16>, (tensor<128x1024x1024xi64>, tensor<128x1024x1024xi64>) -> tensor<128x1024x1024xbf16>
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<128x1024x1024xbf16>
    %mul = mlc_tensor.mul %embedding, %constant : tensor<128x1024x1024xbf16>
    func.return %mul : tensor<128x1024x1024xbf16>
  }
}


// case: embedding + layer norm bf16
builtin.module {
  func.func @case(%tokens: tensor<128x1024xi64>, %table: tensor<32000x1024xbf16>, %w: tensor<1024xbf16>, %b: tensor<1024xbf16>) -> tensor<128x1024x1024xbf16> {
    %reshape = mlc_tensor.reshape %tokens : tensor<128x1024xi64> -> tensor<128x1024x1xi64>
    %broadcast = mlc_tensor.broadcast %reshape : tensor<128x1024x1xi64> -> tensor<128x1024x1024xi64>
    %iota = mlc_tensor.iota dim 2 : tensor<128x1024x1024xi64>
    %embedding = mlc_tensor.gather %table[%broadcast, %iota] : tensor<32000x1024xbf16>, (tensor<128x1024x1024xi64>, tensor<128x1024x1024xi64>) -> tensor<128x1024x1024xbf16>
    %_to_copy = mlc_tensor.cast %embedding : tensor<128x1024x1024xbf16> -> tensor<128x1024x1024xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [2] : tensor<128x1024x1024xf32> -> tensor<128x1024x1xf32>
    %constant = mlc_tensor.constant 1.024000e+03 : tensor<128x1024x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<128x1024x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<128x1024x1xf32> -> tensor<128x1024x1024xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<128x1024x1024xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<128x1024x1024xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [2] : tensor<128x1024x1024xf32> -> tensor<128x1024x1xf32>
    %constant_1 = mlc_tensor.constant 1.024000e+03 : tensor<128x1024x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<128x1024x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<128x1024x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<128x1024x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<128x1024x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %getitem : tensor<128x1024x1xf32> -> tensor<128x1024x1024xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_2 : tensor<128x1024x1024xf32>
    %broadcast_3 = mlc_tensor.broadcast %rsqrt : tensor<128x1024x1xf32> -> tensor<128x1024x1024xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_3 : tensor<128x1024x1024xf32>
    %cast = mlc_tensor.cast %w : tensor<1024xbf16> -> tensor<1024xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast : tensor<1024xf32> -> tensor<128x1024x1024xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<128x1024x1024xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<1024xbf16> -> tensor<1024xf32>
    %broadcast_5 = mlc_tensor.broadcast %cast_1 : tensor<1024xf32> -> tensor<128x1024x1024xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_5 : tensor<128x1024x1024xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<128x1024x1024xf32> -> tensor<128x1024x1024xbf16>
    func.return %_to_copy_1 : tensor<128x1024x1024xbf16>
  }
}


// case: permute rows bf16
builtin.module {
  func.func @case(%x: tensor<65536x2048xbf16>, %order: tensor<65536xi64>, %gate: tensor<65536xbf16>) -> tensor<65536x2048xbf16> {
    %constant = mlc_tensor.constant 0 : tensor<65536xi64>
    %lt = mlc_tensor.lt %order, %constant : tensor<65536xi64>
    %constant_1 = mlc_tensor.constant 65536 : tensor<65536xi64>
    %add = mlc_tensor.add %order, %constant_1 : tensor<65536xi64>
    %select = mlc_tensor.select %lt, %add, %order : tensor<65536xi64>
    %reshape = mlc_tensor.reshape %select : tensor<65536xi64> -> tensor<65536x1xi64>
    %broadcast = mlc_tensor.broadcast %reshape : tensor<65536x1xi64> -> tensor<65536x2048xi64>
    %iota = mlc_tensor.iota dim 1 : tensor<65536x2048xi64>
    %index = mlc_tensor.gather %x[%broadcast, %iota] : tensor<65536x2048xbf16>, (tensor<65536x2048xi64>, tensor<65536x2048xi64>) -> tensor<65536x2048xbf16>
    %unsqueeze = mlc_tensor.reshape %gate : tensor<65536xbf16> -> tensor<65536x1xbf16>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze : tensor<65536x1xbf16> -> tensor<65536x2048xbf16>
    %mul = mlc_tensor.mul %index, %broadcast_1 : tensor<65536x2048xbf16>
    func.return %mul : tensor<65536x2048xbf16>
  }
}


// case: take along columns f32
builtin.module {
  func.func @case(%x: tensor<8192x2048xf32>, %i: tensor<8192x2048xi64>) -> tensor<8192x2048xf32> {
    %iota = mlc_tensor.iota dim 0 : tensor<8192x2048xi64>
    %gather = mlc_tensor.gather %x[%iota, %i] : tensor<8192x2048xf32>, (tensor<8192x2048xi64>, tensor<8192x2048xi64>) -> tensor<8192x2048xf32>
    func.return %gather : tensor<8192x2048xf32>
  }
}
