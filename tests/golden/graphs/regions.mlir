// torch 2.13

// case: batch norm + relu forward bf16 64x64x112x112
builtin.module {
  func.func @case(%x: tensor<64x64x112x112xbf16>, %w: tensor<64xf32>, %b: tensor<64xf32>, %mean: tensor<64xf32>, %var: tensor<64xf32>) -> (tensor<64x64x112x112xbf16>, tensor<64xbf16>, tensor<64xbf16>, tensor<64xf32>, tensor<64xf32>) {
    %_to_copy = mlc_tensor.cast %x : tensor<64x64x112x112xbf16> -> tensor<64x64x112x112xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [0, 2, 3] : tensor<64x64x112x112xf32> -> tensor<1x64x1x1xf32>
    %constant = mlc_tensor.constant 8.028160e+05 : tensor<1x64x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1x64x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1x64x1x1xf32> -> tensor<64x64x112x112xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<64x64x112x112xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<64x64x112x112xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<64x64x112x112xf32> -> tensor<1x64x1x1xf32>
    %constant_1 = mlc_tensor.constant 8.028160e+05 : tensor<1x64x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x64x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1x64x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1x64x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1x64x1x1xf32>
    %cast = mlc_tensor.cast %x : tensor<64x64x112x112xbf16> -> tensor<64x64x112x112xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1x64x1x1xf32> -> tensor<64x64x112x112xf32>
    %sub_1 = mlc_tensor.sub %cast, %broadcast_1 : tensor<64x64x112x112xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1x64x1x1xf32> -> tensor<64x64x112x112xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<64x64x112x112xf32>
    %squeeze = mlc_tensor.reshape %getitem : tensor<1x64x1x1xf32> -> tensor<64xf32>
    %squeeze_1 = mlc_tensor.reshape %rsqrt : tensor<1x64x1x1xf32> -> tensor<64xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-01 : tensor<64xf32>
    %mul_2 = mlc_tensor.mul %squeeze, %constant_3 : tensor<64xf32>
    %constant_4 = mlc_tensor.constant 9.000000e-01 : tensor<64xf32>
    %mul_3 = mlc_tensor.mul %mean, %constant_4 : tensor<64xf32>
    %add_1 = mlc_tensor.add %mul_2, %mul_3 : tensor<64xf32>
    %squeeze_2 = mlc_tensor.reshape %getitem_1 : tensor<1x64x1x1xf32> -> tensor<64xf32>
    %constant_5 = mlc_tensor.constant 1.00000119 : tensor<64xf32>
    %mul_4 = mlc_tensor.mul %squeeze_2, %constant_5 : tensor<64xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-01 : tensor<64xf32>
    %mul_5 = mlc_tensor.mul %mul_4, %constant_6 : tensor<64xf32>
    %constant_7 = mlc_tensor.constant 9.000000e-01 : tensor<64xf32>
    %mul_6 = mlc_tensor.mul %var, %constant_7 : tensor<64xf32>
    %add_2 = mlc_tensor.add %mul_5, %mul_6 : tensor<64xf32>
    %unsqueeze = mlc_tensor.reshape %w : tensor<64xf32> -> tensor<64x1xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<64x1xf32> -> tensor<64x1x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_1 : tensor<64x1x1xf32> -> tensor<64x64x112x112xf32>
    %mul_7 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<64x64x112x112xf32>
    %unsqueeze_2 = mlc_tensor.reshape %b : tensor<64xf32> -> tensor<64x1xf32>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<64x1xf32> -> tensor<64x1x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %unsqueeze_3 : tensor<64x1x1xf32> -> tensor<64x64x112x112xf32>
    %add_3 = mlc_tensor.add %mul_7, %broadcast_4 : tensor<64x64x112x112xf32>
    %_to_copy_1 = mlc_tensor.cast %squeeze : tensor<64xf32> -> tensor<64xbf16>
    %_to_copy_2 = mlc_tensor.cast %squeeze_1 : tensor<64xf32> -> tensor<64xbf16>
    %_to_copy_3 = mlc_tensor.cast %add_3 : tensor<64x64x112x112xf32> -> tensor<64x64x112x112xbf16>
    %constant_8 = mlc_tensor.constant 0.000000e+00 : tensor<64x64x112x112xbf16>
    %relu = mlc_tensor.maximum %_to_copy_3, %constant_8 : tensor<64x64x112x112xbf16>
    func.return %relu, %_to_copy_1, %_to_copy_2, %add_1, %add_2 : tensor<64x64x112x112xbf16>, tensor<64xbf16>, tensor<64xbf16>, tensor<64xf32>, tensor<64xf32>
  }
}


// case: batch norm + relu forward f32 64x256x56x56
builtin.module {
  func.func @case(%x: tensor<64x256x56x56xf32>, %w: tensor<256xf32>, %b: tensor<256xf32>, %mean: tensor<256xf32>, %var: tensor<256xf32>) -> (tensor<64x256x56x56xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
    %reduce = mlc_tensor.reduce add %x dims [0, 2, 3] : tensor<64x256x56x56xf32> -> tensor<1x256x1x1xf32>
    %constant = mlc_tensor.constant 2.007040e+05 : tensor<1x256x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1x256x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<64x256x56x56xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<64x256x56x56xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<64x256x56x56xf32> -> tensor<1x256x1x1xf32>
    %constant_1 = mlc_tensor.constant 2.007040e+05 : tensor<1x256x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x256x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1x256x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1x256x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1x256x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<64x256x56x56xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<64x256x56x56xf32>
    %squeeze = mlc_tensor.reshape %getitem : tensor<1x256x1x1xf32> -> tensor<256xf32>
    %squeeze_1 = mlc_tensor.reshape %rsqrt : tensor<1x256x1x1xf32> -> tensor<256xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-01 : tensor<256xf32>
    %mul_2 = mlc_tensor.mul %squeeze, %constant_3 : tensor<256xf32>
    %constant_4 = mlc_tensor.constant 9.000000e-01 : tensor<256xf32>
    %mul_3 = mlc_tensor.mul %mean, %constant_4 : tensor<256xf32>
    %add_1 = mlc_tensor.add %mul_2, %mul_3 : tensor<256xf32>
    %squeeze_2 = mlc_tensor.reshape %getitem_1 : tensor<1x256x1x1xf32> -> tensor<256xf32>
    %constant_5 = mlc_tensor.constant 1.00000501 : tensor<256xf32>
    %mul_4 = mlc_tensor.mul %squeeze_2, %constant_5 : tensor<256xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-01 : tensor<256xf32>
    %mul_5 = mlc_tensor.mul %mul_4, %constant_6 : tensor<256xf32>
    %constant_7 = mlc_tensor.constant 9.000000e-01 : tensor<256xf32>
    %mul_6 = mlc_tensor.mul %var, %constant_7 : tensor<256xf32>
    %add_2 = mlc_tensor.add %mul_5, %mul_6 : tensor<256xf32>
    %unsqueeze = mlc_tensor.reshape %w : tensor<256xf32> -> tensor<256x1xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<256x1xf32> -> tensor<256x1x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_1 : tensor<256x1x1xf32> -> tensor<64x256x56x56xf32>
    %mul_7 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<64x256x56x56xf32>
    %unsqueeze_2 = mlc_tensor.reshape %b : tensor<256xf32> -> tensor<256x1xf32>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<256x1xf32> -> tensor<256x1x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %unsqueeze_3 : tensor<256x1x1xf32> -> tensor<64x256x56x56xf32>
    %add_3 = mlc_tensor.add %mul_7, %broadcast_4 : tensor<64x256x56x56xf32>
    %constant_8 = mlc_tensor.constant 0.000000e+00 : tensor<64x256x56x56xf32>
    %relu = mlc_tensor.maximum %add_3, %constant_8 : tensor<64x256x56x56xf32>
    func.return %relu, %squeeze, %squeeze_1, %add_1, %add_2 : tensor<64x256x56x56xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
  }
}


// case: batch norm + relu forward f16 256x2048x7x7
builtin.module {
  func.func @case(%x: tensor<256x2048x7x7xf16>, %w: tensor<2048xf32>, %b: tensor<2048xf32>, %mean: tensor<2048xf32>, %var: tensor<2048xf32>) -> (tensor<256x2048x7x7xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf32>, tensor<2048xf32>) {
    %_to_copy = mlc_tensor.cast %x : tensor<256x2048x7x7xf16> -> tensor<256x2048x7x7xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [0, 2, 3] : tensor<256x2048x7x7xf32> -> tensor<1x2048x1x1xf32>
    %constant = mlc_tensor.constant 1.254400e+04 : tensor<1x2048x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1x2048x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<256x2048x7x7xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<256x2048x7x7xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<256x2048x7x7xf32> -> tensor<1x2048x1x1xf32>
    %constant_1 = mlc_tensor.constant 1.254400e+04 : tensor<1x2048x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x2048x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1x2048x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1x2048x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1x2048x1x1xf32>
    %cast = mlc_tensor.cast %x : tensor<256x2048x7x7xf16> -> tensor<256x2048x7x7xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %sub_1 = mlc_tensor.sub %cast, %broadcast_1 : tensor<256x2048x7x7xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<256x2048x7x7xf32>
    %squeeze = mlc_tensor.reshape %getitem : tensor<1x2048x1x1xf32> -> tensor<2048xf32>
    %squeeze_1 = mlc_tensor.reshape %rsqrt : tensor<1x2048x1x1xf32> -> tensor<2048xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-01 : tensor<2048xf32>
    %mul_2 = mlc_tensor.mul %squeeze, %constant_3 : tensor<2048xf32>
    %constant_4 = mlc_tensor.constant 9.000000e-01 : tensor<2048xf32>
    %mul_3 = mlc_tensor.mul %mean, %constant_4 : tensor<2048xf32>
    %add_1 = mlc_tensor.add %mul_2, %mul_3 : tensor<2048xf32>
    %squeeze_2 = mlc_tensor.reshape %getitem_1 : tensor<1x2048x1x1xf32> -> tensor<2048xf32>
    %constant_5 = mlc_tensor.constant 1.00007975 : tensor<2048xf32>
    %mul_4 = mlc_tensor.mul %squeeze_2, %constant_5 : tensor<2048xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-01 : tensor<2048xf32>
    %mul_5 = mlc_tensor.mul %mul_4, %constant_6 : tensor<2048xf32>
    %constant_7 = mlc_tensor.constant 9.000000e-01 : tensor<2048xf32>
    %mul_6 = mlc_tensor.mul %var, %constant_7 : tensor<2048xf32>
    %add_2 = mlc_tensor.add %mul_5, %mul_6 : tensor<2048xf32>
    %unsqueeze = mlc_tensor.reshape %w : tensor<2048xf32> -> tensor<2048x1xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<2048x1xf32> -> tensor<2048x1x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_1 : tensor<2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %mul_7 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<256x2048x7x7xf32>
    %unsqueeze_2 = mlc_tensor.reshape %b : tensor<2048xf32> -> tensor<2048x1xf32>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<2048x1xf32> -> tensor<2048x1x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %unsqueeze_3 : tensor<2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %add_3 = mlc_tensor.add %mul_7, %broadcast_4 : tensor<256x2048x7x7xf32>
    %_to_copy_1 = mlc_tensor.cast %squeeze : tensor<2048xf32> -> tensor<2048xf16>
    %_to_copy_2 = mlc_tensor.cast %squeeze_1 : tensor<2048xf32> -> tensor<2048xf16>
    %_to_copy_3 = mlc_tensor.cast %add_3 : tensor<256x2048x7x7xf32> -> tensor<256x2048x7x7xf16>
    %constant_8 = mlc_tensor.constant 0.000000e+00 : tensor<256x2048x7x7xf16>
    %relu = mlc_tensor.maximum %_to_copy_3, %constant_8 : tensor<256x2048x7x7xf16>
    func.return %relu, %_to_copy_1, %_to_copy_2, %add_1, %add_2 : tensor<256x2048x7x7xf16>, tensor<2048xf16>, tensor<2048xf16>, tensor<2048xf32>, tensor<2048xf32>
  }
}


// case: batch norm + add + relu bf16 256x512x28x28
builtin.module {
  func.func @case(%x: tensor<256x512x28x28xbf16>, %r: tensor<256x512x28x28xbf16>, %w: tensor<512xbf16>, %b: tensor<512xbf16>) -> tensor<256x512x28x28xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<256x512x28x28xbf16> -> tensor<256x512x28x28xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [0, 2, 3] : tensor<256x512x28x28xf32> -> tensor<1x512x1x1xf32>
    %constant = mlc_tensor.constant 2.007040e+05 : tensor<1x512x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1x512x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1x512x1x1xf32> -> tensor<256x512x28x28xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<256x512x28x28xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<256x512x28x28xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<256x512x28x28xf32> -> tensor<1x512x1x1xf32>
    %constant_1 = mlc_tensor.constant 2.007040e+05 : tensor<1x512x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x512x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1x512x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1x512x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1x512x1x1xf32>
    %cast = mlc_tensor.cast %x : tensor<256x512x28x28xbf16> -> tensor<256x512x28x28xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1x512x1x1xf32> -> tensor<256x512x28x28xf32>
    %sub_1 = mlc_tensor.sub %cast, %broadcast_1 : tensor<256x512x28x28xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1x512x1x1xf32> -> tensor<256x512x28x28xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<256x512x28x28xf32>
    %unsqueeze = mlc_tensor.reshape %w : tensor<512xbf16> -> tensor<512x1xbf16>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<512x1xbf16> -> tensor<512x1x1xbf16>
    %cast_1 = mlc_tensor.cast %unsqueeze_1 : tensor<512x1x1xbf16> -> tensor<512x1x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast_1 : tensor<512x1x1xf32> -> tensor<256x512x28x28xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<256x512x28x28xf32>
    %unsqueeze_2 = mlc_tensor.reshape %b : tensor<512xbf16> -> tensor<512x1xbf16>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<512x1xbf16> -> tensor<512x1x1xbf16>
    %cast_2 = mlc_tensor.cast %unsqueeze_3 : tensor<512x1x1xbf16> -> tensor<512x1x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_2 : tensor<512x1x1xf32> -> tensor<256x512x28x28xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<256x512x28x28xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<256x512x28x28xf32> -> tensor<256x512x28x28xbf16>
    %add_2 = mlc_tensor.add %_to_copy_1, %r : tensor<256x512x28x28xbf16>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<256x512x28x28xbf16>
    %relu = mlc_tensor.maximum %add_2, %constant_3 : tensor<256x512x28x28xbf16>
    func.return %relu : tensor<256x512x28x28xbf16>
  }
}


// case: dropout + residual + layer norm bf16 32768x1024
builtin.module {
  func.func @case(%x: tensor<32768x1024xbf16>, %keep: tensor<32768x1024xi1>, %r: tensor<32768x1024xbf16>, %w: tensor<1024xbf16>, %b: tensor<1024xbf16>) -> (tensor<32768x1024xbf16>, tensor<32768x1024xbf16>) {
    %cast = mlc_tensor.cast %x : tensor<32768x1024xbf16> -> tensor<32768x1024xf32>
    %constant = mlc_tensor.constant 1.11111116 : tensor<32768x1024xf32>
    %mul = mlc_tensor.mul %cast, %constant : tensor<32768x1024xf32>
    %mul_1 = mlc_tensor.cast %mul : tensor<32768x1024xf32> -> tensor<32768x1024xbf16>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<32768x1024xbf16>
    %where = mlc_tensor.select %keep, %mul_1, %constant_1 : tensor<32768x1024xbf16>
    %h = mlc_tensor.add %where, %r : tensor<32768x1024xbf16>
    %_to_copy = mlc_tensor.cast %h : tensor<32768x1024xbf16> -> tensor<32768x1024xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
    %constant_2 = mlc_tensor.constant 1.024000e+03 : tensor<32768x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant_2 : tensor<32768x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<32768x1024xf32>
    %mul_2 = mlc_tensor.mul %sub, %sub : tensor<32768x1024xf32>
    %reduce_1 = mlc_tensor.reduce add %mul_2 dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
    %constant_3 = mlc_tensor.constant 1.024000e+03 : tensor<32768x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_3 : tensor<32768x1xf32>
    %constant_4 = mlc_tensor.constant 1.000000e-05 : tensor<32768x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_4 : tensor<32768x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<32768x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<32768x1024xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %mul_3 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<32768x1024xf32>
    %cast_1 = mlc_tensor.cast %w : tensor<1024xbf16> -> tensor<1024xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast_1 : tensor<1024xf32> -> tensor<32768x1024xf32>
    %mul_4 = mlc_tensor.mul %mul_3, %broadcast_3 : tensor<32768x1024xf32>
    %cast_2 = mlc_tensor.cast %b : tensor<1024xbf16> -> tensor<1024xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_2 : tensor<1024xf32> -> tensor<32768x1024xf32>
    %add_1 = mlc_tensor.add %mul_4, %broadcast_4 : tensor<32768x1024xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<32768x1024xf32> -> tensor<32768x1024xbf16>
    func.return %h, %_to_copy_1 : tensor<32768x1024xbf16>, tensor<32768x1024xbf16>
  }
}


// case: masked softmax + dropout f16
builtin.module {
  func.func @case(%scores: tensor<16x16x1024x1024xf16>, %mask: tensor<16x1024xi1>, %keep: tensor<16x16x1024x1024xi1>) -> tensor<16x16x1024x1024xf16> {
    %unsqueeze = mlc_tensor.reshape %mask : tensor<16x1024xi1> -> tensor<16x1x1024xi1>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<16x1x1024xi1> -> tensor<16x1x1x1024xi1>
    %constant = mlc_tensor.constant 1.250000e-01 : tensor<16x16x1024x1024xf16>
    %mul = mlc_tensor.mul %scores, %constant : tensor<16x16x1024x1024xf16>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<16x1x1x1024xi1> -> tensor<16x16x1024x1024xi1>
    %constant_1 = mlc_tensor.constant -1.000000e+04 : tensor<16x16x1024x1024xf16>
    %where = mlc_tensor.select %broadcast, %mul, %constant_1 : tensor<16x16x1024x1024xf16>
    %_to_copy = mlc_tensor.cast %where : tensor<16x16x1024x1024xf16> -> tensor<16x16x1024x1024xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [3] : tensor<16x16x1024x1024xf32> -> tensor<16x16x1024x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %amax : tensor<16x16x1024x1xf32> -> tensor<16x16x1024x1024xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<16x16x1024x1024xf32>
    %exp = mlc_tensor.exp %sub : tensor<16x16x1024x1024xf32>
    %sum = mlc_tensor.reduce add %exp dims [3] : tensor<16x16x1024x1024xf32> -> tensor<16x16x1024x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %sum : tensor<16x16x1024x1xf32> -> tensor<16x16x1024x1024xf32>
    %div = mlc_tensor.div %exp, %broadcast_2 : tensor<16x16x1024x1024xf32>
    %p = mlc_tensor.cast %div : tensor<16x16x1024x1024xf32> -> tensor<16x16x1024x1024xf16>
    %cast = mlc_tensor.cast %p : tensor<16x16x1024x1024xf16> -> tensor<16x16x1024x1024xf32>
    %constant_2 = mlc_tensor.constant 1.11111116 : tensor<16x16x1024x1024xf32>
    %mul_1 = mlc_tensor.mul %cast, %constant_2 : tensor<16x16x1024x1024xf32>
    %mul_2 = mlc_tensor.cast %mul_1 : tensor<16x16x1024x1024xf32> -> tensor<16x16x1024x1024xf16>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<16x16x1024x1024xf16>
    %where_1 = mlc_tensor.select %keep, %mul_2, %constant_3 : tensor<16x16x1024x1024xf16>
    func.return %where_1 : tensor<16x16x1024x1024xf16>
  }
}


// case: squeeze-excite + residual bf16 64x256x56x56
builtin.module {
  func.func @case(%x: tensor<64x256x56x56xbf16>, %s: tensor<64x256xbf16>, %r: tensor<64x256x56x56xbf16>) -> tensor<64x256x56x56xbf16> {
    %sigmoid = mlc_tensor.sigmoid %s : tensor<64x256xbf16>
    %unsqueeze = mlc_tensor.reshape %sigmoid : tensor<64x256xbf16> -> tensor<64x256x1xbf16>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<64x256x1xbf16> -> tensor<64x256x1x1xbf16>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<64x256x1x1xbf16> -> tensor<64x256x56x56xbf16>
    %mul = mlc_tensor.mul %x, %broadcast : tensor<64x256x56x56xbf16>
    %add = mlc_tensor.add %mul, %r : tensor<64x256x56x56xbf16>
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<64x256x56x56xbf16>
    %relu = mlc_tensor.maximum %add, %constant : tensor<64x256x56x56xbf16>
    func.return %relu : tensor<64x256x56x56xbf16>
  }
}


// case: silu + squeeze f16 128x288x28x28
builtin.module {
  func.func @case(%x: tensor<128x288x28x28xf16>) -> (tensor<128x288x28x28xf16>, tensor<128x288xf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<128x288x28x28xf16> -> tensor<128x288x28x28xf32>
    %sigmoid = mlc_tensor.sigmoid %_to_copy : tensor<128x288x28x28xf32>
    %mul = mlc_tensor.mul %_to_copy, %sigmoid : tensor<128x288x28x28xf32>
    %y = mlc_tensor.cast %mul : tensor<128x288x28x28xf32> -> tensor<128x288x28x28xf16>
    %cast = mlc_tensor.cast %y : tensor<128x288x28x28xf16> -> tensor<128x288x28x28xf32>
    %reduce = mlc_tensor.reduce add %cast dims [2, 3] : tensor<128x288x28x28xf32> -> tensor<128x288x1x1xf32>
    %constant = mlc_tensor.constant 7.840000e+02 : tensor<128x288x1x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<128x288x1x1xf32>
    %cast_1 = mlc_tensor.cast %div : tensor<128x288x1x1xf32> -> tensor<128x288x1x1xf16>
    %mean = mlc_tensor.reshape %cast_1 : tensor<128x288x1x1xf16> -> tensor<128x288xf16>
    func.return %y, %mean : tensor<128x288x28x28xf16>, tensor<128x288xf16>
  }
}


// case: window partition bf16 64x64x64x128
builtin.module {
  func.func @case(%x: tensor<64x64x64x128xbf16>, %w: tensor<128xbf16>, %b: tensor<128xbf16>) -> tensor<4096x64x128xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<64x64x64x128xbf16> -> tensor<64x64x64x128xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [3] : tensor<64x64x64x128xf32> -> tensor<64x64x64x1xf32>
    %constant = mlc_tensor.constant 1.280000e+02 : tensor<64x64x64x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<64x64x64x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<64x64x64x1xf32> -> tensor<64x64x64x128xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<64x64x64x128xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<64x64x64x128xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [3] : tensor<64x64x64x128xf32> -> tensor<64x64x64x1xf32>
    %constant_1 = mlc_tensor.constant 1.280000e+02 : tensor<64x64x64x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<64x64x64x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<64x64x64x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<64x64x64x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<64x64x64x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<64x64x64x1xf32> -> tensor<64x64x64x128xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<64x64x64x128xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<64x64x64x1xf32> -> tensor<64x64x64x128xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<64x64x64x128xf32>
    %cast = mlc_tensor.cast %w : tensor<128xbf16> -> tensor<128xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<128xf32> -> tensor<64x64x64x128xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<64x64x64x128xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<128xbf16> -> tensor<128xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<128xf32> -> tensor<64x64x64x128xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<64x64x64x128xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<64x64x64x128xf32> -> tensor<64x64x64x128xbf16>
    %y = mlc_tensor.roll %_to_copy_1 [0, 4, 4, 0] : tensor<64x64x64x128xbf16> -> tensor<64x64x64x128xbf16>
    %view = mlc_tensor.reshape %y : tensor<64x64x64x128xbf16> -> tensor<64x8x8x8x8x128xbf16>
    %permute = mlc_tensor.permute %view [0, 1, 3, 2, 4, 5] : tensor<64x8x8x8x8x128xbf16> -> tensor<64x8x8x8x8x128xbf16>
    %_unsafe_view = mlc_tensor.reshape %permute : tensor<64x8x8x8x8x128xbf16> -> tensor<4096x64x128xbf16>
    func.return %_unsafe_view : tensor<4096x64x128xbf16>
  }
}


// case: window reverse + residual bf16 64x64x64x128
builtin.module {
  func.func @case(%y: tensor<64x64x64x128xbf16>, %r: tensor<64x64x64x128xbf16>) -> tensor<64x64x64x128xbf16> {
    %view = mlc_tensor.reshape %y : tensor<64x64x64x128xbf16> -> tensor<64x8x8x8x8x128xbf16>
    %permute = mlc_tensor.permute %view [0, 1, 3, 2, 4, 5] : tensor<64x8x8x8x8x128xbf16> -> tensor<64x8x8x8x8x128xbf16>
    %x = mlc_tensor.reshape %permute : tensor<64x8x8x8x8x128xbf16> -> tensor<64x64x64x128xbf16>
    %roll = mlc_tensor.roll %x [0, 60, 60, 0] : tensor<64x64x64x128xbf16> -> tensor<64x64x64x128xbf16>
    %add = mlc_tensor.add %roll, %r : tensor<64x64x64x128xbf16>
    func.return %add : tensor<64x64x64x128xbf16>
  }
}


// case: patch merging f16 64x64x64x192
builtin.module {
  func.func @case(%x: tensor<64x64x64x192xf16>, %w: tensor<4x192xf16>, %b: tensor<4x192xf16>) -> tensor<64x32x32x768xf16> {
    %slice = mlc_tensor.slice %x [0, 0, 0, 0] step [1, 2, 1, 1] : tensor<64x64x64x192xf16> -> tensor<64x32x64x192xf16>
    %slice_1 = mlc_tensor.slice %slice [0, 0, 0, 0] step [1, 1, 2, 1] : tensor<64x32x64x192xf16> -> tensor<64x32x32x192xf16>
    %slice_2 = mlc_tensor.slice %x [0, 1, 0, 0] step [1, 2, 1, 1] : tensor<64x64x64x192xf16> -> tensor<64x32x64x192xf16>
    %slice_3 = mlc_tensor.slice %slice_2 [0, 0, 0, 0] step [1, 1, 2, 1] : tensor<64x32x64x192xf16> -> tensor<64x32x32x192xf16>
    %slice_4 = mlc_tensor.slice %x [0, 0, 0, 0] step [1, 2, 1, 1] : tensor<64x64x64x192xf16> -> tensor<64x32x64x192xf16>
    %slice_5 = mlc_tensor.slice %slice_4 [0, 0, 1, 0] step [1, 1, 2, 1] : tensor<64x32x64x192xf16> -> tensor<64x32x32x192xf16>
    %slice_6 = mlc_tensor.slice %x [0, 1, 0, 0] step [1, 2, 1, 1] : tensor<64x64x64x192xf16> -> tensor<64x32x64x192xf16>
    %corners = mlc_tensor.slice %slice_6 [0, 0, 1, 0] step [1, 1, 2, 1] : tensor<64x32x64x192xf16> -> tensor<64x32x32x192xf16>
    %cat = mlc_tensor.cat %slice_1, %slice_3, %slice_5, %corners dim 3 : (tensor<64x32x32x192xf16>, tensor<64x32x32x192xf16>, tensor<64x32x32x192xf16>, tensor<64x32x32x192xf16>) -> tensor<64x32x32x768xf16>
    %view = mlc_tensor.reshape %w : tensor<4x192xf16> -> tensor<768xf16>
    %view_1 = mlc_tensor.reshape %b : tensor<4x192xf16> -> tensor<768xf16>
    %_to_copy = mlc_tensor.cast %cat : tensor<64x32x32x768xf16> -> tensor<64x32x32x768xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [3] : tensor<64x32x32x768xf32> -> tensor<64x32x32x1xf32>
    %constant = mlc_tensor.constant 7.680000e+02 : tensor<64x32x32x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<64x32x32x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<64x32x32x1xf32> -> tensor<64x32x32x768xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<64x32x32x768xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<64x32x32x768xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [3] : tensor<64x32x32x768xf32> -> tensor<64x32x32x1xf32>
    %constant_1 = mlc_tensor.constant 7.680000e+02 : tensor<64x32x32x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<64x32x32x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<64x32x32x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<64x32x32x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<64x32x32x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<64x32x32x1xf32> -> tensor<64x32x32x768xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<64x32x32x768xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<64x32x32x1xf32> -> tensor<64x32x32x768xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<64x32x32x768xf32>
    %cast = mlc_tensor.cast %view : tensor<768xf16> -> tensor<768xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<768xf32> -> tensor<64x32x32x768xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<64x32x32x768xf32>
    %cast_1 = mlc_tensor.cast %view_1 : tensor<768xf16> -> tensor<768xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<768xf32> -> tensor<64x32x32x768xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<64x32x32x768xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<64x32x32x768xf32> -> tensor<64x32x32x768xf16>
    func.return %_to_copy_1 : tensor<64x32x32x768xf16>
  }
}


// case: concatenate 2 + norm + relu bf16
builtin.module {
  func.func @case(%args: tensor<64x256x28x28xbf16>, %args_1: tensor<64x32x28x28xbf16>, %args_2: tensor<288xbf16>, %args_3: tensor<288xbf16>, %args_4: tensor<288xbf16>, %args_5: tensor<288xbf16>) -> tensor<64x288x28x28xbf16> {
    %cat = mlc_tensor.cat %args, %args_1 dim 1 : (tensor<64x256x28x28xbf16>, tensor<64x32x28x28xbf16>) -> tensor<64x288x28x28xbf16>
    %_to_copy = mlc_tensor.cast %args_2 : tensor<288xbf16> -> tensor<288xf32>
    %_to_copy_1 = mlc_tensor.cast %args_3 : tensor<288xbf16> -> tensor<288xf32>
    %constant = mlc_tensor.constant 1.000000e-05 : tensor<288xf32>
    %add = mlc_tensor.add %_to_copy_1, %constant : tensor<288xf32>
    %sqrt = mlc_tensor.sqrt %add : tensor<288xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<288xf32>
    %reciprocal = mlc_tensor.div %constant_1, %sqrt : tensor<288xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<288xf32>
    %mul = mlc_tensor.mul %reciprocal, %constant_2 : tensor<288xf32>
    %unsqueeze = mlc_tensor.reshape %_to_copy : tensor<288xf32> -> tensor<288x1xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<288x1xf32> -> tensor<288x1x1xf32>
    %unsqueeze_2 = mlc_tensor.reshape %mul : tensor<288xf32> -> tensor<288x1xf32>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<288x1xf32> -> tensor<288x1x1xf32>
    %cast = mlc_tensor.cast %cat : tensor<64x288x28x28xbf16> -> tensor<64x288x28x28xf32>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<288x1x1xf32> -> tensor<64x288x28x28xf32>
    %sub = mlc_tensor.sub %cast, %broadcast : tensor<64x288x28x28xf32>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_3 : tensor<288x1x1xf32> -> tensor<64x288x28x28xf32>
    %mul_1 = mlc_tensor.mul %sub, %broadcast_1 : tensor<64x288x28x28xf32>
    %unsqueeze_4 = mlc_tensor.reshape %args_4 : tensor<288xbf16> -> tensor<288x1xbf16>
    %unsqueeze_5 = mlc_tensor.reshape %unsqueeze_4 : tensor<288x1xbf16> -> tensor<288x1x1xbf16>
    %cast_1 = mlc_tensor.cast %unsqueeze_5 : tensor<288x1x1xbf16> -> tensor<288x1x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %cast_1 : tensor<288x1x1xf32> -> tensor<64x288x28x28xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_2 : tensor<64x288x28x28xf32>
    %unsqueeze_6 = mlc_tensor.reshape %args_5 : tensor<288xbf16> -> tensor<288x1xbf16>
    %unsqueeze_7 = mlc_tensor.reshape %unsqueeze_6 : tensor<288x1xbf16> -> tensor<288x1x1xbf16>
    %cast_2 = mlc_tensor.cast %unsqueeze_7 : tensor<288x1x1xbf16> -> tensor<288x1x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast_2 : tensor<288x1x1xf32> -> tensor<64x288x28x28xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_3 : tensor<64x288x28x28xf32>
    %_to_copy_2 = mlc_tensor.cast %add_1 : tensor<64x288x28x28xf32> -> tensor<64x288x28x28xbf16>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<64x288x28x28xbf16>
    %relu = mlc_tensor.maximum %_to_copy_2, %constant_3 : tensor<64x288x28x28xbf16>
    func.return %relu : tensor<64x288x28x28xbf16>
  }
}


// case: concatenate 4 + norm + relu f32
builtin.module {
  func.func @case(%args: tensor<64x128x28x28xf32>, %args_1: tensor<64x32x28x28xf32>, %args_2: tensor<64x32x28x28xf32>, %args_3: tensor<64x32x28x28xf32>, %args_4: tensor<224xf32>, %args_5: tensor<224xf32>, %args_6: tensor<224xf32>, %args_7: tensor<224xf32>) -> tensor<64x224x28x28xf32> {
    %cat = mlc_tensor.cat %args, %args_1, %args_2, %args_3 dim 1 : (tensor<64x128x28x28xf32>, tensor<64x32x28x28xf32>, tensor<64x32x28x28xf32>, tensor<64x32x28x28xf32>) -> tensor<64x224x28x28xf32>
    %constant = mlc_tensor.constant 1.000000e-05 : tensor<224xf32>
    %add = mlc_tensor.add %args_5, %constant : tensor<224xf32>
    %sqrt = mlc_tensor.sqrt %add : tensor<224xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<224xf32>
    %reciprocal = mlc_tensor.div %constant_1, %sqrt : tensor<224xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<224xf32>
    %mul = mlc_tensor.mul %reciprocal, %constant_2 : tensor<224xf32>
    %unsqueeze = mlc_tensor.reshape %args_4 : tensor<224xf32> -> tensor<224x1xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<224x1xf32> -> tensor<224x1x1xf32>
    %unsqueeze_2 = mlc_tensor.reshape %mul : tensor<224xf32> -> tensor<224x1xf32>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<224x1xf32> -> tensor<224x1x1xf32>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<224x1x1xf32> -> tensor<64x224x28x28xf32>
    %sub = mlc_tensor.sub %cat, %broadcast : tensor<64x224x28x28xf32>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_3 : tensor<224x1x1xf32> -> tensor<64x224x28x28xf32>
    %mul_1 = mlc_tensor.mul %sub, %broadcast_1 : tensor<64x224x28x28xf32>
    %unsqueeze_4 = mlc_tensor.reshape %args_6 : tensor<224xf32> -> tensor<224x1xf32>
    %unsqueeze_5 = mlc_tensor.reshape %unsqueeze_4 : tensor<224x1xf32> -> tensor<224x1x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %unsqueeze_5 : tensor<224x1x1xf32> -> tensor<64x224x28x28xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_2 : tensor<64x224x28x28xf32>
    %unsqueeze_6 = mlc_tensor.reshape %args_7 : tensor<224xf32> -> tensor<224x1xf32>
    %unsqueeze_7 = mlc_tensor.reshape %unsqueeze_6 : tensor<224x1xf32> -> tensor<224x1x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_7 : tensor<224x1x1xf32> -> tensor<64x224x28x28xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_3 : tensor<64x224x28x28xf32>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<64x224x28x28xf32>
    %relu = mlc_tensor.maximum %add_1, %constant_3 : tensor<64x224x28x28xf32>
    func.return %relu : tensor<64x224x28x28xf32>
  }
}


// case: concatenate 8 columns bf16
builtin.module {
  func.func @case(%args: tensor<32768x64xbf16>, %args_1: tensor<32768x128xbf16>, %args_2: tensor<32768x256xbf16>, %args_3: tensor<32768x512xbf16>, %args_4: tensor<32768x64xbf16>, %args_5: tensor<32768x128xbf16>, %args_6: tensor<32768x256xbf16>, %args_7: tensor<32768x512xbf16>) -> tensor<32768x1920xbf16> {
    %cat = mlc_tensor.cat %args, %args_1, %args_2, %args_3, %args_4, %args_5, %args_6, %args_7 dim 1 : (tensor<32768x64xbf16>, tensor<32768x128xbf16>, tensor<32768x256xbf16>, tensor<32768x512xbf16>, tensor<32768x64xbf16>, tensor<32768x128xbf16>, tensor<32768x256xbf16>, tensor<32768x512xbf16>) -> tensor<32768x1920xbf16>
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<32768x1920xbf16>
    %relu = mlc_tensor.maximum %cat, %constant : tensor<32768x1920xbf16>
    func.return %relu : tensor<32768x1920xbf16>
  }
}


// case: embedding + position + norm bf16
builtin.module {
  func.func @case(%tokens: tensor<64x512xi64>, %table: tensor<30522x768xbf16>, %position: tensor<512x768xbf16>, %w: tensor<768xbf16>, %b: tensor<768xbf16>) -> tensor<64x512x768xbf16> {
    %reshape = mlc_tensor.reshape %tokens : tensor<64x512xi64> -> tensor<64x512x1xi64>
    %broadcast = mlc_tensor.broadcast %reshape : tensor<64x512x1xi64> -> tensor<64x512x768xi64>
    %iota = mlc_tensor.iota dim 2 : tensor<64x512x768xi64>
    %embedding = mlc_tensor.gather %table[%broadcast, %iota] : tensor<30522x768xbf16>, (tensor<64x512x768xi64>, tensor<64x512x768xi64>) -> tensor<64x512x768xbf16>
    %broadcast_1 = mlc_tensor.broadcast %position : tensor<512x768xbf16> -> tensor<64x512x768xbf16>
    %add = mlc_tensor.add %embedding, %broadcast_1 : tensor<64x512x768xbf16>
    %_to_copy = mlc_tensor.cast %add : tensor<64x512x768xbf16> -> tensor<64x512x768xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [2] : tensor<64x512x768xf32> -> tensor<64x512x1xf32>
    %constant = mlc_tensor.constant 7.680000e+02 : tensor<64x512x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<64x512x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %getitem : tensor<64x512x1xf32> -> tensor<64x512x768xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast_2 : tensor<64x512x768xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<64x512x768xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [2] : tensor<64x512x768xf32> -> tensor<64x512x1xf32>
    %constant_1 = mlc_tensor.constant 7.680000e+02 : tensor<64x512x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<64x512x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<64x512x1xf32>
    %add_1 = mlc_tensor.add %getitem_1, %constant_2 : tensor<64x512x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add_1 : tensor<64x512x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %getitem : tensor<64x512x1xf32> -> tensor<64x512x768xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_3 : tensor<64x512x768xf32>
    %broadcast_4 = mlc_tensor.broadcast %rsqrt : tensor<64x512x1xf32> -> tensor<64x512x768xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_4 : tensor<64x512x768xf32>
    %cast = mlc_tensor.cast %w : tensor<768xbf16> -> tensor<768xf32>
    %broadcast_5 = mlc_tensor.broadcast %cast : tensor<768xf32> -> tensor<64x512x768xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_5 : tensor<64x512x768xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<768xbf16> -> tensor<768xf32>
    %broadcast_6 = mlc_tensor.broadcast %cast_1 : tensor<768xf32> -> tensor<64x512x768xf32>
    %add_2 = mlc_tensor.add %mul_2, %broadcast_6 : tensor<64x512x768xf32>
    %_to_copy_1 = mlc_tensor.cast %add_2 : tensor<64x512x768xf32> -> tensor<64x512x768xbf16>
    func.return %_to_copy_1 : tensor<64x512x768xbf16>
  }
}


// case: bias + qkv to heads bf16 16x2048x3072
builtin.module {
  func.func @case(%x: tensor<16x2048x3x16x64xbf16>, %bias: tensor<3x16x64xbf16>) -> (tensor<16x16x2048x64xbf16>, tensor<16x16x2048x64xbf16>, tensor<16x16x2048x64xbf16>) {
    %broadcast = mlc_tensor.broadcast %bias : tensor<3x16x64xbf16> -> tensor<16x2048x3x16x64xbf16>
    %add = mlc_tensor.add %x, %broadcast : tensor<16x2048x3x16x64xbf16>
    %parts = mlc_tensor.permute %add [2, 0, 3, 1, 4] : tensor<16x2048x3x16x64xbf16> -> tensor<3x16x16x2048x64xbf16>
    %slice = mlc_tensor.slice %parts [0, 0, 0, 0, 0] step [1, 1, 1, 1, 1] : tensor<3x16x16x2048x64xbf16> -> tensor<1x16x16x2048x64xbf16>
    %slice_1 = mlc_tensor.slice %parts [1, 0, 0, 0, 0] step [1, 1, 1, 1, 1] : tensor<3x16x16x2048x64xbf16> -> tensor<1x16x16x2048x64xbf16>
    %slice_2 = mlc_tensor.slice %parts [2, 0, 0, 0, 0] step [1, 1, 1, 1, 1] : tensor<3x16x16x2048x64xbf16> -> tensor<1x16x16x2048x64xbf16>
    %getitem = mlc_tensor.reshape %slice : tensor<1x16x16x2048x64xbf16> -> tensor<16x16x2048x64xbf16>
    %getitem_1 = mlc_tensor.reshape %slice_1 : tensor<1x16x16x2048x64xbf16> -> tensor<16x16x2048x64xbf16>
    %getitem_2 = mlc_tensor.reshape %slice_2 : tensor<1x16x16x2048x64xbf16> -> tensor<16x16x2048x64xbf16>
    func.return %getitem, %getitem_1, %getitem_2 : tensor<16x16x2048x64xbf16>, tensor<16x16x2048x64xbf16>, tensor<16x16x2048x64xbf16>
  }
}


// case: geglu f16 8192x10240
builtin.module {
  func.func @case(%x: tensor<8192x10240xf16>, %b: tensor<10240xf16>) -> tensor<8192x5120xf16> {
    %broadcast = mlc_tensor.broadcast %b : tensor<10240xf16> -> tensor<8192x10240xf16>
    %add = mlc_tensor.add %x, %broadcast : tensor<8192x10240xf16>
    %getitem = mlc_tensor.slice %add [0, 0] step [1, 1] : tensor<8192x10240xf16> -> tensor<8192x5120xf16>
    %getitem_1 = mlc_tensor.slice %add [0, 5120] step [1, 1] : tensor<8192x10240xf16> -> tensor<8192x5120xf16>
    %_to_copy = mlc_tensor.cast %getitem_1 : tensor<8192x5120xf16> -> tensor<8192x5120xf32>
    %constant = mlc_tensor.constant 5.000000e-01 : tensor<8192x5120xf32>
    %mul = mlc_tensor.mul %_to_copy, %constant : tensor<8192x5120xf32>
    %constant_1 = mlc_tensor.constant 0.707106769 : tensor<8192x5120xf32>
    %mul_1 = mlc_tensor.mul %_to_copy, %constant_1 : tensor<8192x5120xf32>
    %erf = mlc_tensor.erf %mul_1 : tensor<8192x5120xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<8192x5120xf32>
    %add_1 = mlc_tensor.add %erf, %constant_2 : tensor<8192x5120xf32>
    %mul_2 = mlc_tensor.mul %mul, %add_1 : tensor<8192x5120xf32>
    %_to_copy_1 = mlc_tensor.cast %mul_2 : tensor<8192x5120xf32> -> tensor<8192x5120xf16>
    %mul_3 = mlc_tensor.mul %getitem, %_to_copy_1 : tensor<8192x5120xf16>
    func.return %mul_3 : tensor<8192x5120xf16>
  }
}


// case: group norm + silu f16 16x320x64x64
builtin.module {
  func.func @case(%x: tensor<16x320x64x64xf16>) -> tensor<16x320x64x64xf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<16x320x64x64xf16> -> tensor<16x320x64x64xf32>
    %view = mlc_tensor.reshape %_to_copy : tensor<16x320x64x64xf32> -> tensor<16x20x16x4096xf32>
    %reduce = mlc_tensor.reduce add %view dims [2, 3] : tensor<16x20x16x4096xf32> -> tensor<16x20x1x1xf32>
    %constant = mlc_tensor.constant 6.553600e+04 : tensor<16x20x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<16x20x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<16x20x1x1xf32> -> tensor<16x20x16x4096xf32>
    %sub = mlc_tensor.sub %view, %broadcast : tensor<16x20x16x4096xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<16x20x16x4096xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [2, 3] : tensor<16x20x16x4096xf32> -> tensor<16x20x1x1xf32>
    %constant_1 = mlc_tensor.constant 6.553600e+04 : tensor<16x20x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<16x20x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<16x20x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<16x20x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<16x20x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<16x20x1x1xf32> -> tensor<16x20x16x4096xf32>
    %sub_1 = mlc_tensor.sub %view, %broadcast_1 : tensor<16x20x16x4096xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<16x20x1x1xf32> -> tensor<16x20x16x4096xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<16x20x16x4096xf32>
    %view_1 = mlc_tensor.reshape %mul_1 : tensor<16x20x16x4096xf32> -> tensor<16x320x64x64xf32>
    %_to_copy_1 = mlc_tensor.cast %view_1 : tensor<16x320x64x64xf32> -> tensor<16x320x64x64xf16>
    %_to_copy_2 = mlc_tensor.cast %_to_copy_1 : tensor<16x320x64x64xf16> -> tensor<16x320x64x64xf32>
    %sigmoid = mlc_tensor.sigmoid %_to_copy_2 : tensor<16x320x64x64xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_2, %sigmoid : tensor<16x320x64x64xf32>
    %_to_copy_3 = mlc_tensor.cast %mul_2 : tensor<16x320x64x64xf32> -> tensor<16x320x64x64xf16>
    func.return %_to_copy_3 : tensor<16x320x64x64xf16>
  }
}


// case: modulated layer norm bf16 64x1024x1152
builtin.module {
  func.func @case(%x: tensor<64x1024x1152xbf16>, %shift: tensor<64x1152xbf16>, %scale: tensor<64x1152xbf16>) -> tensor<64x1024x1152xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<64x1024x1152xbf16> -> tensor<64x1024x1152xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [2] : tensor<64x1024x1152xf32> -> tensor<64x1024x1xf32>
    %constant = mlc_tensor.constant 1.152000e+03 : tensor<64x1024x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<64x1024x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<64x1024x1xf32> -> tensor<64x1024x1152xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<64x1024x1152xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<64x1024x1152xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [2] : tensor<64x1024x1152xf32> -> tensor<64x1024x1xf32>
    %constant_1 = mlc_tensor.constant 1.152000e+03 : tensor<64x1024x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<64x1024x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<64x1024x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<64x1024x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<64x1024x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<64x1024x1xf32> -> tensor<64x1024x1152xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<64x1024x1152xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<64x1024x1xf32> -> tensor<64x1024x1152xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<64x1024x1152xf32>
    %_to_copy_1 = mlc_tensor.cast %mul_1 : tensor<64x1024x1152xf32> -> tensor<64x1024x1152xbf16>
    %unsqueeze = mlc_tensor.reshape %scale : tensor<64x1152xbf16> -> tensor<64x1x1152xbf16>
    %constant_3 = mlc_tensor.constant 1.000000e+00 : tensor<64x1x1152xbf16>
    %add_1 = mlc_tensor.add %unsqueeze, %constant_3 : tensor<64x1x1152xbf16>
    %broadcast_3 = mlc_tensor.broadcast %add_1 : tensor<64x1x1152xbf16> -> tensor<64x1024x1152xbf16>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<64x1024x1152xbf16>
    %unsqueeze_1 = mlc_tensor.reshape %shift : tensor<64x1152xbf16> -> tensor<64x1x1152xbf16>
    %broadcast_4 = mlc_tensor.broadcast %unsqueeze_1 : tensor<64x1x1152xbf16> -> tensor<64x1024x1152xbf16>
    %add_2 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<64x1024x1152xbf16>
    func.return %add_2 : tensor<64x1024x1152xbf16>
  }
}


// case: rms norm + 8-bit rows bf16 16384x8192
builtin.module {
  func.func @case(%x: tensor<16384x8192xbf16>, %w: tensor<8192xbf16>) -> (tensor<16384x8192xi8>, tensor<16384x1xf32>) {
    %_to_copy = mlc_tensor.cast %x : tensor<16384x8192xbf16> -> tensor<16384x8192xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<16384x8192xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<16384x8192xf32> -> tensor<16384x1xf32>
    %constant = mlc_tensor.constant 8.192000e+03 : tensor<16384x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<16384x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<16384x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<16384x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<16384x1xf32>
    %broadcast = mlc_tensor.broadcast %rsqrt : tensor<16384x1xf32> -> tensor<16384x8192xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<16384x8192xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<16384x8192xf32> -> tensor<16384x8192xbf16>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<8192xbf16> -> tensor<16384x8192xbf16>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<16384x8192xbf16>
    %_to_copy_2 = mlc_tensor.cast %mul_1 : tensor<16384x8192xbf16> -> tensor<16384x8192xf32>
    %abs = mlc_tensor.abs %_to_copy_2 : tensor<16384x8192xf32>
    %amax = mlc_tensor.reduce max %abs dims [1] : tensor<16384x8192xf32> -> tensor<16384x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-06 : tensor<16384x1xf32>
    %clamp_min = mlc_tensor.maximum %amax, %constant_2 : tensor<16384x1xf32>
    %constant_3 = mlc_tensor.constant 1.270000e+02 : tensor<16384x1xf32>
    %scale = mlc_tensor.div %clamp_min, %constant_3 : tensor<16384x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %scale : tensor<16384x1xf32> -> tensor<16384x8192xf32>
    %div = mlc_tensor.div %_to_copy_2, %broadcast_2 : tensor<16384x8192xf32>
    %round = mlc_tensor.round %div : tensor<16384x8192xf32>
    %_to_copy_3 = mlc_tensor.cast %round : tensor<16384x8192xf32> -> tensor<16384x8192xi8>
    func.return %_to_copy_3, %scale : tensor<16384x8192xi8>, tensor<16384x1xf32>
  }
}


// case: batch norm + relu backward bf16 64x256x56x56
builtin.module {
  func.func @case(%dy: tensor<64x256x56x56xbf16>, %y: tensor<64x256x56x56xbf16>, %x: tensor<64x256x56x56xbf16>, %w: tensor<256xf32>, %mean: tensor<256xf32>, %rstd: tensor<256xf32>) -> (tensor<64x256x56x56xbf16>, tensor<256xf32>, tensor<256xf32>) {
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<64x256x56x56xbf16>
    %gt = mlc_tensor.gt %y, %constant : tensor<64x256x56x56xbf16>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<64x256x56x56xbf16>
    %g = mlc_tensor.select %gt, %dy, %constant_1 : tensor<64x256x56x56xbf16>
    %_to_copy = mlc_tensor.cast %g : tensor<64x256x56x56xbf16> -> tensor<64x256x56x56xf32>
    %_to_copy_1 = mlc_tensor.cast %x : tensor<64x256x56x56xbf16> -> tensor<64x256x56x56xf32>
    %unsqueeze = mlc_tensor.reshape %mean : tensor<256xf32> -> tensor<1x256xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<1x256xf32> -> tensor<1x256x1xf32>
    %unsqueeze_2 = mlc_tensor.reshape %unsqueeze_1 : tensor<1x256x1xf32> -> tensor<1x256x1x1xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [0, 2, 3] : tensor<64x256x56x56xf32> -> tensor<1x256x1x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x256x1x1xf32> -> tensor<256xf32>
    %broadcast = mlc_tensor.broadcast %unsqueeze_2 : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub = mlc_tensor.sub %_to_copy_1, %broadcast : tensor<64x256x56x56xf32>
    %mul = mlc_tensor.mul %_to_copy, %sub : tensor<64x256x56x56xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<64x256x56x56xf32> -> tensor<1x256x1x1xf32>
    %sum_1 = mlc_tensor.reshape %reduce_1 : tensor<1x256x1x1xf32> -> tensor<256xf32>
    %constant_2 = mlc_tensor.constant 4.98246163e-06 : tensor<256xf32>
    %mul_1 = mlc_tensor.mul %sum, %constant_2 : tensor<256xf32>
    %unsqueeze_3 = mlc_tensor.reshape %mul_1 : tensor<256xf32> -> tensor<1x256xf32>
    %unsqueeze_4 = mlc_tensor.reshape %unsqueeze_3 : tensor<1x256xf32> -> tensor<1x256x1xf32>
    %unsqueeze_5 = mlc_tensor.reshape %unsqueeze_4 : tensor<1x256x1xf32> -> tensor<1x256x1x1xf32>
    %constant_3 = mlc_tensor.constant 4.98246163e-06 : tensor<256xf32>
    %mul_2 = mlc_tensor.mul %sum_1, %constant_3 : tensor<256xf32>
    %mul_3 = mlc_tensor.mul %rstd, %rstd : tensor<256xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_3 : tensor<256xf32>
    %unsqueeze_6 = mlc_tensor.reshape %mul_4 : tensor<256xf32> -> tensor<1x256xf32>
    %unsqueeze_7 = mlc_tensor.reshape %unsqueeze_6 : tensor<1x256xf32> -> tensor<1x256x1xf32>
    %unsqueeze_8 = mlc_tensor.reshape %unsqueeze_7 : tensor<1x256x1xf32> -> tensor<1x256x1x1xf32>
    %mul_5 = mlc_tensor.mul %rstd, %w : tensor<256xf32>
    %unsqueeze_9 = mlc_tensor.reshape %mul_5 : tensor<256xf32> -> tensor<1x256xf32>
    %unsqueeze_10 = mlc_tensor.reshape %unsqueeze_9 : tensor<1x256xf32> -> tensor<1x256x1xf32>
    %unsqueeze_11 = mlc_tensor.reshape %unsqueeze_10 : tensor<1x256x1xf32> -> tensor<1x256x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_2 : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_1, %broadcast_1 : tensor<64x256x56x56xf32>
    %broadcast_2 = mlc_tensor.broadcast %unsqueeze_8 : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %mul_6 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<64x256x56x56xf32>
    %sub_2 = mlc_tensor.sub %_to_copy, %mul_6 : tensor<64x256x56x56xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_5 : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %broadcast_3 : tensor<64x256x56x56xf32>
    %broadcast_4 = mlc_tensor.broadcast %unsqueeze_11 : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %mul_7 = mlc_tensor.mul %sub_3, %broadcast_4 : tensor<64x256x56x56xf32>
    %mul_8 = mlc_tensor.mul %sum_1, %rstd : tensor<256xf32>
    %_to_copy_2 = mlc_tensor.cast %mul_7 : tensor<64x256x56x56xf32> -> tensor<64x256x56x56xbf16>
    func.return %_to_copy_2, %mul_8, %sum : tensor<64x256x56x56xbf16>, tensor<256xf32>, tensor<256xf32>
  }
}


// case: batch norm + relu backward f16 128x512x28x28
builtin.module {
  func.func @case(%dy: tensor<128x512x28x28xf16>, %y: tensor<128x512x28x28xf16>, %x: tensor<128x512x28x28xf16>, %w: tensor<512xf32>, %mean: tensor<512xf32>, %rstd: tensor<512xf32>) -> (tensor<128x512x28x28xf16>, tensor<512xf32>, tensor<512xf32>) {
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<128x512x28x28xf16>
    %gt = mlc_tensor.gt %y, %constant : tensor<128x512x28x28xf16>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<128x512x28x28xf16>
    %g = mlc_tensor.select %gt, %dy, %constant_1 : tensor<128x512x28x28xf16>
    %_to_copy = mlc_tensor.cast %g : tensor<128x512x28x28xf16> -> tensor<128x512x28x28xf32>
    %_to_copy_1 = mlc_tensor.cast %x : tensor<128x512x28x28xf16> -> tensor<128x512x28x28xf32>
    %unsqueeze = mlc_tensor.reshape %mean : tensor<512xf32> -> tensor<1x512xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<1x512xf32> -> tensor<1x512x1xf32>
    %unsqueeze_2 = mlc_tensor.reshape %unsqueeze_1 : tensor<1x512x1xf32> -> tensor<1x512x1x1xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [0, 2, 3] : tensor<128x512x28x28xf32> -> tensor<1x512x1x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x512x1x1xf32> -> tensor<512xf32>
    %broadcast = mlc_tensor.broadcast %unsqueeze_2 : tensor<1x512x1x1xf32> -> tensor<128x512x28x28xf32>
    %sub = mlc_tensor.sub %_to_copy_1, %broadcast : tensor<128x512x28x28xf32>
    %mul = mlc_tensor.mul %_to_copy, %sub : tensor<128x512x28x28xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<128x512x28x28xf32> -> tensor<1x512x1x1xf32>
    %sum_1 = mlc_tensor.reshape %reduce_1 : tensor<1x512x1x1xf32> -> tensor<512xf32>
    %constant_2 = mlc_tensor.constant 9.96492327e-06 : tensor<512xf32>
    %mul_1 = mlc_tensor.mul %sum, %constant_2 : tensor<512xf32>
    %unsqueeze_3 = mlc_tensor.reshape %mul_1 : tensor<512xf32> -> tensor<1x512xf32>
    %unsqueeze_4 = mlc_tensor.reshape %unsqueeze_3 : tensor<1x512xf32> -> tensor<1x512x1xf32>
    %unsqueeze_5 = mlc_tensor.reshape %unsqueeze_4 : tensor<1x512x1xf32> -> tensor<1x512x1x1xf32>
    %constant_3 = mlc_tensor.constant 9.96492327e-06 : tensor<512xf32>
    %mul_2 = mlc_tensor.mul %sum_1, %constant_3 : tensor<512xf32>
    %mul_3 = mlc_tensor.mul %rstd, %rstd : tensor<512xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_3 : tensor<512xf32>
    %unsqueeze_6 = mlc_tensor.reshape %mul_4 : tensor<512xf32> -> tensor<1x512xf32>
    %unsqueeze_7 = mlc_tensor.reshape %unsqueeze_6 : tensor<1x512xf32> -> tensor<1x512x1xf32>
    %unsqueeze_8 = mlc_tensor.reshape %unsqueeze_7 : tensor<1x512x1xf32> -> tensor<1x512x1x1xf32>
    %mul_5 = mlc_tensor.mul %rstd, %w : tensor<512xf32>
    %unsqueeze_9 = mlc_tensor.reshape %mul_5 : tensor<512xf32> -> tensor<1x512xf32>
    %unsqueeze_10 = mlc_tensor.reshape %unsqueeze_9 : tensor<1x512xf32> -> tensor<1x512x1xf32>
    %unsqueeze_11 = mlc_tensor.reshape %unsqueeze_10 : tensor<1x512x1xf32> -> tensor<1x512x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_2 : tensor<1x512x1x1xf32> -> tensor<128x512x28x28xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_1, %broadcast_1 : tensor<128x512x28x28xf32>
    %broadcast_2 = mlc_tensor.broadcast %unsqueeze_8 : tensor<1x512x1x1xf32> -> tensor<128x512x28x28xf32>
    %mul_6 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<128x512x28x28xf32>
    %sub_2 = mlc_tensor.sub %_to_copy, %mul_6 : tensor<128x512x28x28xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_5 : tensor<1x512x1x1xf32> -> tensor<128x512x28x28xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %broadcast_3 : tensor<128x512x28x28xf32>
    %broadcast_4 = mlc_tensor.broadcast %unsqueeze_11 : tensor<1x512x1x1xf32> -> tensor<128x512x28x28xf32>
    %mul_7 = mlc_tensor.mul %sub_3, %broadcast_4 : tensor<128x512x28x28xf32>
    %mul_8 = mlc_tensor.mul %sum_1, %rstd : tensor<512xf32>
    %_to_copy_2 = mlc_tensor.cast %mul_7 : tensor<128x512x28x28xf32> -> tensor<128x512x28x28xf16>
    func.return %_to_copy_2, %mul_8, %sum : tensor<128x512x28x28xf16>, tensor<512xf32>, tensor<512xf32>
  }
}


// case: batch norm + relu backward f32 256x2048x7x7
builtin.module {
  func.func @case(%dy: tensor<256x2048x7x7xf32>, %y: tensor<256x2048x7x7xf32>, %x: tensor<256x2048x7x7xf32>, %w: tensor<2048xf32>, %mean: tensor<2048xf32>, %rstd: tensor<2048xf32>) -> (tensor<256x2048x7x7xf32>, tensor<2048xf32>, tensor<2048xf32>) {
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<256x2048x7x7xf32>
    %gt = mlc_tensor.gt %y, %constant : tensor<256x2048x7x7xf32>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<256x2048x7x7xf32>
    %g = mlc_tensor.select %gt, %dy, %constant_1 : tensor<256x2048x7x7xf32>
    %unsqueeze = mlc_tensor.reshape %mean : tensor<2048xf32> -> tensor<1x2048xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<1x2048xf32> -> tensor<1x2048x1xf32>
    %unsqueeze_2 = mlc_tensor.reshape %unsqueeze_1 : tensor<1x2048x1xf32> -> tensor<1x2048x1x1xf32>
    %reduce = mlc_tensor.reduce add %g dims [0, 2, 3] : tensor<256x2048x7x7xf32> -> tensor<1x2048x1x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x2048x1x1xf32> -> tensor<2048xf32>
    %broadcast = mlc_tensor.broadcast %unsqueeze_2 : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<256x2048x7x7xf32>
    %mul = mlc_tensor.mul %g, %sub : tensor<256x2048x7x7xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<256x2048x7x7xf32> -> tensor<1x2048x1x1xf32>
    %sum_1 = mlc_tensor.reshape %reduce_1 : tensor<1x2048x1x1xf32> -> tensor<2048xf32>
    %constant_2 = mlc_tensor.constant 7.97193861e-05 : tensor<2048xf32>
    %mul_1 = mlc_tensor.mul %sum, %constant_2 : tensor<2048xf32>
    %unsqueeze_3 = mlc_tensor.reshape %mul_1 : tensor<2048xf32> -> tensor<1x2048xf32>
    %unsqueeze_4 = mlc_tensor.reshape %unsqueeze_3 : tensor<1x2048xf32> -> tensor<1x2048x1xf32>
    %unsqueeze_5 = mlc_tensor.reshape %unsqueeze_4 : tensor<1x2048x1xf32> -> tensor<1x2048x1x1xf32>
    %constant_3 = mlc_tensor.constant 7.97193861e-05 : tensor<2048xf32>
    %mul_2 = mlc_tensor.mul %sum_1, %constant_3 : tensor<2048xf32>
    %mul_3 = mlc_tensor.mul %rstd, %rstd : tensor<2048xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_3 : tensor<2048xf32>
    %unsqueeze_6 = mlc_tensor.reshape %mul_4 : tensor<2048xf32> -> tensor<1x2048xf32>
    %unsqueeze_7 = mlc_tensor.reshape %unsqueeze_6 : tensor<1x2048xf32> -> tensor<1x2048x1xf32>
    %unsqueeze_8 = mlc_tensor.reshape %unsqueeze_7 : tensor<1x2048x1xf32> -> tensor<1x2048x1x1xf32>
    %mul_5 = mlc_tensor.mul %rstd, %w : tensor<2048xf32>
    %unsqueeze_9 = mlc_tensor.reshape %mul_5 : tensor<2048xf32> -> tensor<1x2048xf32>
    %unsqueeze_10 = mlc_tensor.reshape %unsqueeze_9 : tensor<1x2048xf32> -> tensor<1x2048x1xf32>
    %unsqueeze_11 = mlc_tensor.reshape %unsqueeze_10 : tensor<1x2048x1xf32> -> tensor<1x2048x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_2 : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<256x2048x7x7xf32>
    %broadcast_2 = mlc_tensor.broadcast %unsqueeze_8 : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %mul_6 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<256x2048x7x7xf32>
    %sub_2 = mlc_tensor.sub %g, %mul_6 : tensor<256x2048x7x7xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_5 : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %broadcast_3 : tensor<256x2048x7x7xf32>
    %broadcast_4 = mlc_tensor.broadcast %unsqueeze_11 : tensor<1x2048x1x1xf32> -> tensor<256x2048x7x7xf32>
    %mul_7 = mlc_tensor.mul %sub_3, %broadcast_4 : tensor<256x2048x7x7xf32>
    %mul_8 = mlc_tensor.mul %sum_1, %rstd : tensor<2048xf32>
    func.return %mul_7, %mul_8, %sum : tensor<256x2048x7x7xf32>, tensor<2048xf32>, tensor<2048xf32>
  }
}


// case: layer norm backward bf16 1024x4096
builtin.module {
  func.func @case(%dy: tensor<1024x4096xbf16>, %x: tensor<1024x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<1024x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<1024x4096xbf16> -> tensor<1024x4096xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<1024x4096xf32> -> tensor<1024x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<1024x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<1024x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<1024x4096xf32> -> tensor<1024x1xf32>
    %constant_1 = mlc_tensor.constant 4.096000e+03 : tensor<1024x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<1024x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<1024x1xf32> -> tensor<1024x4096xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<1024x4096xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<1024x4096xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<1024x4096xf32> -> tensor<1024x1xf32>
    %constant_2 = mlc_tensor.constant 4.096000e+03 : tensor<1024x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<1024x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<1024x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<1024x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<1024x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<1024x4096xbf16> -> tensor<1024x4096xf32>
    %_to_copy_2 = mlc_tensor.cast %x : tensor<1024x4096xbf16> -> tensor<1024x4096xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<1024x1xf32> -> tensor<1024x4096xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<1024x4096xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<1024x1xf32> -> tensor<1024x4096xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<1024x4096xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<4096xf32> -> tensor<1024x4096xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<1024x4096xf32>
    %constant_4 = mlc_tensor.constant 4.096000e+03 : tensor<1024x4096xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<1024x4096xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<1024x4096xf32> -> tensor<1024x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<1024x4096xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<1024x4096xf32> -> tensor<1024x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<1024x1xf32> -> tensor<1024x4096xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<1024x4096xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<1024x1xf32> -> tensor<1024x4096xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<1024x4096xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<1024x4096xf32>
    %constant_5 = mlc_tensor.constant 4.096000e+03 : tensor<1024x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<1024x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<1024x1xf32> -> tensor<1024x4096xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<1024x4096xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<1024x4096xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<1024x4096xf32> -> tensor<1x4096xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x4096xf32> -> tensor<4096xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<1024x4096xf32> -> tensor<1x4096xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x4096xf32> -> tensor<4096xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<1024x4096xf32> -> tensor<1024x4096xbf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<4096xf32> -> tensor<4096xbf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<4096xf32> -> tensor<4096xbf16>
    func.return %_to_copy_4, %_to_copy_5, %_to_copy_6 : tensor<1024x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  }
}


// case: layer norm backward bf16 65536x1024
builtin.module {
  func.func @case(%dy: tensor<65536x1024xbf16>, %x: tensor<65536x1024xbf16>, %w: tensor<1024xbf16>) -> (tensor<65536x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<65536x1024xbf16> -> tensor<65536x1024xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<65536x1024xf32> -> tensor<65536x1xf32>
    %constant = mlc_tensor.constant 1.024000e+03 : tensor<65536x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<65536x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<65536x1024xf32> -> tensor<65536x1xf32>
    %constant_1 = mlc_tensor.constant 1.024000e+03 : tensor<65536x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<65536x1024xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<65536x1024xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<65536x1024xf32> -> tensor<65536x1xf32>
    %constant_2 = mlc_tensor.constant 1.024000e+03 : tensor<65536x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<65536x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<65536x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<65536x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<65536x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<65536x1024xbf16> -> tensor<65536x1024xf32>
    %_to_copy_2 = mlc_tensor.cast %x : tensor<65536x1024xbf16> -> tensor<65536x1024xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<1024xbf16> -> tensor<1024xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<65536x1024xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<65536x1024xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<1024xf32> -> tensor<65536x1024xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<65536x1024xf32>
    %constant_4 = mlc_tensor.constant 1.024000e+03 : tensor<65536x1024xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<65536x1024xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<65536x1024xf32> -> tensor<65536x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<65536x1024xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<65536x1024xf32> -> tensor<65536x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<65536x1024xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<65536x1024xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<65536x1024xf32>
    %constant_5 = mlc_tensor.constant 1.024000e+03 : tensor<65536x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<65536x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<65536x1024xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<65536x1024xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<65536x1024xf32> -> tensor<1x1024xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x1024xf32> -> tensor<1024xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<65536x1024xf32> -> tensor<1x1024xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x1024xf32> -> tensor<1024xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<65536x1024xf32> -> tensor<65536x1024xbf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<1024xf32> -> tensor<1024xbf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<1024xf32> -> tensor<1024xbf16>
    func.return %_to_copy_4, %_to_copy_5, %_to_copy_6 : tensor<65536x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>
  }
}


// case: layer norm backward f32 32768x768
builtin.module {
  func.func @case(%dy: tensor<32768x768xf32>, %x: tensor<32768x768xf32>, %w: tensor<768xf32>) -> (tensor<32768x768xf32>, tensor<768xf32>, tensor<768xf32>) {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<32768x768xf32> -> tensor<32768x1xf32>
    %constant = mlc_tensor.constant 7.680000e+02 : tensor<32768x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<32768x1xf32>
    %reduce_1 = mlc_tensor.reduce add %x dims [1] : tensor<32768x768xf32> -> tensor<32768x1xf32>
    %constant_1 = mlc_tensor.constant 7.680000e+02 : tensor<32768x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<32768x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<32768x1xf32> -> tensor<32768x768xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<32768x768xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<32768x768xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<32768x768xf32> -> tensor<32768x1xf32>
    %constant_2 = mlc_tensor.constant 7.680000e+02 : tensor<32768x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<32768x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<32768x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<32768x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<32768x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<32768x1xf32> -> tensor<32768x768xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<32768x768xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<32768x1xf32> -> tensor<32768x768xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<32768x768xf32>
    %broadcast_3 = mlc_tensor.broadcast %w : tensor<768xf32> -> tensor<32768x768xf32>
    %mul_2 = mlc_tensor.mul %dy, %broadcast_3 : tensor<32768x768xf32>
    %constant_4 = mlc_tensor.constant 7.680000e+02 : tensor<32768x768xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<32768x768xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<32768x768xf32> -> tensor<32768x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<32768x768xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<32768x768xf32> -> tensor<32768x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<32768x1xf32> -> tensor<32768x768xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<32768x768xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<32768x1xf32> -> tensor<32768x768xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<32768x768xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<32768x768xf32>
    %constant_5 = mlc_tensor.constant 7.680000e+02 : tensor<32768x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<32768x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<32768x1xf32> -> tensor<32768x768xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<32768x768xf32>
    %mul_7 = mlc_tensor.mul %dy, %mul_1 : tensor<32768x768xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<32768x768xf32> -> tensor<1x768xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x768xf32> -> tensor<768xf32>
    %reduce_4 = mlc_tensor.reduce add %dy dims [0] : tensor<32768x768xf32> -> tensor<1x768xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x768xf32> -> tensor<768xf32>
    func.return %mul_6, %sum_2, %sum_3 : tensor<32768x768xf32>, tensor<768xf32>, tensor<768xf32>
  }
}


// case: layer norm backward f16 4096x8192
builtin.module {
  func.func @case(%dy: tensor<4096x8192xf16>, %x: tensor<4096x8192xf16>, %w: tensor<8192xf16>) -> (tensor<4096x8192xf16>, tensor<8192xf16>, tensor<8192xf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<4096x8192xf16> -> tensor<4096x8192xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<4096x8192xf32> -> tensor<4096x1xf32>
    %constant = mlc_tensor.constant 8.192000e+03 : tensor<4096x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<4096x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<4096x8192xf32> -> tensor<4096x1xf32>
    %constant_1 = mlc_tensor.constant 8.192000e+03 : tensor<4096x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<4096x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<4096x1xf32> -> tensor<4096x8192xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<4096x8192xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<4096x8192xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<4096x8192xf32> -> tensor<4096x1xf32>
    %constant_2 = mlc_tensor.constant 8.192000e+03 : tensor<4096x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<4096x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<4096x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<4096x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<4096x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<4096x8192xf16> -> tensor<4096x8192xf32>
    %_to_copy_2 = mlc_tensor.cast %x : tensor<4096x8192xf16> -> tensor<4096x8192xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<8192xf16> -> tensor<8192xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<4096x1xf32> -> tensor<4096x8192xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<4096x8192xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<4096x1xf32> -> tensor<4096x8192xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<4096x8192xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<8192xf32> -> tensor<4096x8192xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<4096x8192xf32>
    %constant_4 = mlc_tensor.constant 8.192000e+03 : tensor<4096x8192xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<4096x8192xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<4096x8192xf32> -> tensor<4096x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<4096x8192xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<4096x8192xf32> -> tensor<4096x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<4096x1xf32> -> tensor<4096x8192xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<4096x8192xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<4096x1xf32> -> tensor<4096x8192xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<4096x8192xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<4096x8192xf32>
    %constant_5 = mlc_tensor.constant 8.192000e+03 : tensor<4096x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<4096x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<4096x1xf32> -> tensor<4096x8192xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<4096x8192xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<4096x8192xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<4096x8192xf32> -> tensor<1x8192xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x8192xf32> -> tensor<8192xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<4096x8192xf32> -> tensor<1x8192xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x8192xf32> -> tensor<8192xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<4096x8192xf32> -> tensor<4096x8192xf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<8192xf32> -> tensor<8192xf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<8192xf32> -> tensor<8192xf16>
    func.return %_to_copy_4, %_to_copy_5, %_to_copy_6 : tensor<4096x8192xf16>, tensor<8192xf16>, tensor<8192xf16>
  }
}


// case: rms norm backward bf16 2048x4096
builtin.module {
  func.func @case(%dy: tensor<2048x4096xbf16>, %x: tensor<2048x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<2048x4096xbf16>, tensor<4096xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<2048x4096xbf16> -> tensor<2048x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<2048x4096xbf16> -> tensor<2048x4096xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<2048x4096xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<2048x4096xf32> -> tensor<2048x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<2048x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<2048x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<2048x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<2048x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<2048x1xf32>
    %broadcast = mlc_tensor.broadcast %rstd : tensor<2048x1xf32> -> tensor<2048x4096xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<2048x4096xf32>
    %cast = mlc_tensor.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_1 = mlc_tensor.broadcast %cast : tensor<4096xf32> -> tensor<2048x4096xf32>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<2048x4096xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %mul : tensor<2048x4096xf32>
    %reduce_1 = mlc_tensor.reduce add %mul_2 dims [1] : tensor<2048x4096xf32> -> tensor<2048x1xf32>
    %constant_2 = mlc_tensor.constant 4.096000e+03 : tensor<2048x1xf32>
    %mean_1 = mlc_tensor.div %reduce_1, %constant_2 : tensor<2048x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %mean_1 : tensor<2048x1xf32> -> tensor<2048x4096xf32>
    %mul_3 = mlc_tensor.mul %mul, %broadcast_2 : tensor<2048x4096xf32>
    %sub = mlc_tensor.sub %mul_1, %mul_3 : tensor<2048x4096xf32>
    %broadcast_3 = mlc_tensor.broadcast %rstd : tensor<2048x1xf32> -> tensor<2048x4096xf32>
    %dx = mlc_tensor.mul %broadcast_3, %sub : tensor<2048x4096xf32>
    %_to_copy_2 = mlc_tensor.cast %dx : tensor<2048x4096xf32> -> tensor<2048x4096xbf16>
    %mul_4 = mlc_tensor.mul %_to_copy_1, %mul : tensor<2048x4096xf32>
    %reduce_2 = mlc_tensor.reduce add %mul_4 dims [0] : tensor<2048x4096xf32> -> tensor<1x4096xf32>
    %sum = mlc_tensor.reshape %reduce_2 : tensor<1x4096xf32> -> tensor<4096xf32>
    %_to_copy_3 = mlc_tensor.cast %sum : tensor<4096xf32> -> tensor<4096xbf16>
    func.return %_to_copy_2, %_to_copy_3 : tensor<2048x4096xbf16>, tensor<4096xbf16>
  }
}


// case: rms norm backward f32 65536x2048
builtin.module {
  func.func @case(%dy: tensor<65536x2048xf32>, %x: tensor<65536x2048xf32>, %w: tensor<2048xf32>) -> (tensor<65536x2048xf32>, tensor<2048xf32>) {
    %square = mlc_tensor.mul %x, %x : tensor<65536x2048xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<65536x2048xf32> -> tensor<65536x1xf32>
    %constant = mlc_tensor.constant 2.048000e+03 : tensor<65536x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<65536x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<65536x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<65536x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %rstd : tensor<65536x1xf32> -> tensor<65536x2048xf32>
    %mul = mlc_tensor.mul %x, %broadcast : tensor<65536x2048xf32>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<2048xf32> -> tensor<65536x2048xf32>
    %mul_1 = mlc_tensor.mul %dy, %broadcast_1 : tensor<65536x2048xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %mul : tensor<65536x2048xf32>
    %reduce_1 = mlc_tensor.reduce add %mul_2 dims [1] : tensor<65536x2048xf32> -> tensor<65536x1xf32>
    %constant_2 = mlc_tensor.constant 2.048000e+03 : tensor<65536x1xf32>
    %mean_1 = mlc_tensor.div %reduce_1, %constant_2 : tensor<65536x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %mean_1 : tensor<65536x1xf32> -> tensor<65536x2048xf32>
    %mul_3 = mlc_tensor.mul %mul, %broadcast_2 : tensor<65536x2048xf32>
    %sub = mlc_tensor.sub %mul_1, %mul_3 : tensor<65536x2048xf32>
    %broadcast_3 = mlc_tensor.broadcast %rstd : tensor<65536x1xf32> -> tensor<65536x2048xf32>
    %dx = mlc_tensor.mul %broadcast_3, %sub : tensor<65536x2048xf32>
    %mul_4 = mlc_tensor.mul %dy, %mul : tensor<65536x2048xf32>
    %reduce_2 = mlc_tensor.reduce add %mul_4 dims [0] : tensor<65536x2048xf32> -> tensor<1x2048xf32>
    %sum = mlc_tensor.reshape %reduce_2 : tensor<1x2048xf32> -> tensor<2048xf32>
    func.return %dx, %sum : tensor<65536x2048xf32>, tensor<2048xf32>
  }
}


// case: rms norm + residual backward bf16 16384x5120
builtin.module {
  func.func @case(%dy: tensor<16384x5120xbf16>, %dh: tensor<16384x5120xbf16>, %h: tensor<16384x5120xbf16>, %w: tensor<5120xbf16>) -> (tensor<16384x5120xbf16>, tensor<5120xbf16>) {
    %_to_copy = mlc_tensor.cast %h : tensor<16384x5120xbf16> -> tensor<16384x5120xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<16384x5120xbf16> -> tensor<16384x5120xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<16384x5120xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<16384x5120xf32> -> tensor<16384x1xf32>
    %constant = mlc_tensor.constant 5.120000e+03 : tensor<16384x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<16384x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<16384x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<16384x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<16384x1xf32>
    %broadcast = mlc_tensor.broadcast %rstd : tensor<16384x1xf32> -> tensor<16384x5120xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<16384x5120xf32>
    %cast = mlc_tensor.cast %w : tensor<5120xbf16> -> tensor<5120xf32>
    %broadcast_1 = mlc_tensor.broadcast %cast : tensor<5120xf32> -> tensor<16384x5120xf32>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<16384x5120xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %mul : tensor<16384x5120xf32>
    %reduce_1 = mlc_tensor.reduce add %mul_2 dims [1] : tensor<16384x5120xf32> -> tensor<16384x1xf32>
    %constant_2 = mlc_tensor.constant 5.120000e+03 : tensor<16384x1xf32>
    %mean_1 = mlc_tensor.div %reduce_1, %constant_2 : tensor<16384x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %mean_1 : tensor<16384x1xf32> -> tensor<16384x5120xf32>
    %mul_3 = mlc_tensor.mul %mul, %broadcast_2 : tensor<16384x5120xf32>
    %sub = mlc_tensor.sub %mul_1, %mul_3 : tensor<16384x5120xf32>
    %broadcast_3 = mlc_tensor.broadcast %rstd : tensor<16384x1xf32> -> tensor<16384x5120xf32>
    %dx = mlc_tensor.mul %broadcast_3, %sub : tensor<16384x5120xf32>
    %_to_copy_2 = mlc_tensor.cast %dx : tensor<16384x5120xf32> -> tensor<16384x5120xbf16>
    %mul_4 = mlc_tensor.mul %_to_copy_1, %mul : tensor<16384x5120xf32>
    %reduce_2 = mlc_tensor.reduce add %mul_4 dims [0] : tensor<16384x5120xf32> -> tensor<1x5120xf32>
    %sum = mlc_tensor.reshape %reduce_2 : tensor<1x5120xf32> -> tensor<5120xf32>
    %_to_copy_3 = mlc_tensor.cast %sum : tensor<5120xf32> -> tensor<5120xbf16>
    %add_1 = mlc_tensor.add %_to_copy_2, %dh : tensor<16384x5120xbf16>
    func.return %add_1, %_to_copy_3 : tensor<16384x5120xbf16>, tensor<5120xbf16>
  }
}


// case: dropout + residual + norm backward bf16 32768x1024
builtin.module {
  func.func @case(%dy: tensor<32768x1024xbf16>, %dh: tensor<32768x1024xbf16>, %h: tensor<32768x1024xbf16>, %keep: tensor<32768x1024xi1>, %w: tensor<1024xbf16>) -> (tensor<32768x1024xbf16>, tensor<32768x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>) {
    %_to_copy = mlc_tensor.cast %h : tensor<32768x1024xbf16> -> tensor<32768x1024xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
    %constant = mlc_tensor.constant 1.024000e+03 : tensor<32768x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<32768x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
    %constant_1 = mlc_tensor.constant 1.024000e+03 : tensor<32768x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<32768x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<32768x1024xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<32768x1024xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
    %constant_2 = mlc_tensor.constant 1.024000e+03 : tensor<32768x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<32768x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<32768x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<32768x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<32768x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<32768x1024xbf16> -> tensor<32768x1024xf32>
    %_to_copy_2 = mlc_tensor.cast %h : tensor<32768x1024xbf16> -> tensor<32768x1024xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<1024xbf16> -> tensor<1024xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<32768x1024xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<32768x1024xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<1024xf32> -> tensor<32768x1024xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<32768x1024xf32>
    %constant_4 = mlc_tensor.constant 1.024000e+03 : tensor<32768x1024xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<32768x1024xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<32768x1024xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<32768x1024xf32> -> tensor<32768x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<32768x1024xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<32768x1024xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<32768x1024xf32>
    %constant_5 = mlc_tensor.constant 1.024000e+03 : tensor<32768x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<32768x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<32768x1xf32> -> tensor<32768x1024xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<32768x1024xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<32768x1024xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<32768x1024xf32> -> tensor<1x1024xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x1024xf32> -> tensor<1024xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<32768x1024xf32> -> tensor<1x1024xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x1024xf32> -> tensor<1024xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<32768x1024xf32> -> tensor<32768x1024xbf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<1024xf32> -> tensor<1024xbf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<1024xf32> -> tensor<1024xbf16>
    %total = mlc_tensor.add %_to_copy_4, %dh : tensor<32768x1024xbf16>
    %cast = mlc_tensor.cast %total : tensor<32768x1024xbf16> -> tensor<32768x1024xf32>
    %constant_6 = mlc_tensor.constant 1.11111116 : tensor<32768x1024xf32>
    %mul_8 = mlc_tensor.mul %cast, %constant_6 : tensor<32768x1024xf32>
    %mul_9 = mlc_tensor.cast %mul_8 : tensor<32768x1024xf32> -> tensor<32768x1024xbf16>
    %constant_7 = mlc_tensor.constant 0.000000e+00 : tensor<32768x1024xbf16>
    %where = mlc_tensor.select %keep, %mul_9, %constant_7 : tensor<32768x1024xbf16>
    func.return %total, %where, %_to_copy_5, %_to_copy_6 : tensor<32768x1024xbf16>, tensor<32768x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>
  }
}


// case: group norm backward bf16 32x256x64x64
builtin.module {
  func.func @case(%dy: tensor<32x256x64x64xbf16>, %x: tensor<32x256x64x64xbf16>, %w: tensor<256xbf16>) -> (tensor<32x256x64x64xbf16>, tensor<256xbf16>, tensor<256xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<32x256x64x64xbf16> -> tensor<32x256x64x64xf32>
    %f = mlc_tensor.reshape %_to_copy : tensor<32x256x64x64xf32> -> tensor<32x16x65536xf32>
    %reduce = mlc_tensor.reduce add %f dims [2] : tensor<32x16x65536xf32> -> tensor<32x16x1xf32>
    %constant = mlc_tensor.constant 6.553600e+04 : tensor<32x16x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<32x16x1xf32>
    %mean = mlc_tensor.reshape %div : tensor<32x16x1xf32> -> tensor<32x16xf32>
    %reduce_1 = mlc_tensor.reduce add %f dims [2] : tensor<32x16x65536xf32> -> tensor<32x16x1xf32>
    %constant_1 = mlc_tensor.constant 6.553600e+04 : tensor<32x16x1xf32>
    %div_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<32x16x1xf32>
    %broadcast = mlc_tensor.broadcast %div_1 : tensor<32x16x1xf32> -> tensor<32x16x65536xf32>
    %sub = mlc_tensor.sub %f, %broadcast : tensor<32x16x65536xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<32x16x65536xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [2] : tensor<32x16x65536xf32> -> tensor<32x16x1xf32>
    %constant_2 = mlc_tensor.constant 6.553600e+04 : tensor<32x16x1xf32>
    %div_2 = mlc_tensor.div %reduce_2, %constant_2 : tensor<32x16x1xf32>
    %var = mlc_tensor.reshape %div_2 : tensor<32x16x1xf32> -> tensor<32x16xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<32x16xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<32x16xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<32x16xf32>
    %_to_copy_1 = mlc_tensor.cast %mean : tensor<32x16xf32> -> tensor<32x16xbf16>
    %args = mlc_tensor.cast %rstd : tensor<32x16xf32> -> tensor<32x16xbf16>
    %_to_copy_2 = mlc_tensor.cast %dy : tensor<32x256x64x64xbf16> -> tensor<32x256x64x64xf32>
    %_to_copy_3 = mlc_tensor.cast %x : tensor<32x256x64x64xbf16> -> tensor<32x256x64x64xf32>
    %_to_copy_4 = mlc_tensor.cast %_to_copy_1 : tensor<32x16xbf16> -> tensor<32x16xf32>
    %_to_copy_5 = mlc_tensor.cast %args : tensor<32x16xbf16> -> tensor<32x16xf32>
    %_to_copy_6 = mlc_tensor.cast %w : tensor<256xbf16> -> tensor<256xf32>
    %mul_1 = mlc_tensor.mul %_to_copy_2, %_to_copy_3 : tensor<32x256x64x64xf32>
    %view = mlc_tensor.reshape %mul_1 : tensor<32x256x64x64xf32> -> tensor<32x256x4096xf32>
    %reduce_3 = mlc_tensor.reduce add %view dims [2] : tensor<32x256x4096xf32> -> tensor<32x256x1xf32>
    %sum = mlc_tensor.reshape %reduce_3 : tensor<32x256x1xf32> -> tensor<32x256xf32>
    %view_1 = mlc_tensor.reshape %_to_copy_2 : tensor<32x256x64x64xf32> -> tensor<32x256x4096xf32>
    %reduce_4 = mlc_tensor.reduce add %view_1 dims [2] : tensor<32x256x4096xf32> -> tensor<32x256x1xf32>
    %sum_1 = mlc_tensor.reshape %reduce_4 : tensor<32x256x1xf32> -> tensor<32x256xf32>
    %unsqueeze = mlc_tensor.reshape %_to_copy_6 : tensor<256xf32> -> tensor<1x256xf32>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze : tensor<1x256xf32> -> tensor<32x256xf32>
    %mul_2 = mlc_tensor.mul %sum, %broadcast_1 : tensor<32x256xf32>
    %view_2 = mlc_tensor.reshape %mul_2 : tensor<32x256xf32> -> tensor<32x16x16xf32>
    %reduce_5 = mlc_tensor.reduce add %view_2 dims [2] : tensor<32x16x16xf32> -> tensor<32x16x1xf32>
    %sum_2 = mlc_tensor.reshape %reduce_5 : tensor<32x16x1xf32> -> tensor<32x16xf32>
    %unsqueeze_1 = mlc_tensor.reshape %_to_copy_6 : tensor<256xf32> -> tensor<1x256xf32>
    %broadcast_2 = mlc_tensor.broadcast %unsqueeze_1 : tensor<1x256xf32> -> tensor<32x256xf32>
    %mul_3 = mlc_tensor.mul %sum_1, %broadcast_2 : tensor<32x256xf32>
    %view_3 = mlc_tensor.reshape %mul_3 : tensor<32x256xf32> -> tensor<32x16x16xf32>
    %reduce_6 = mlc_tensor.reduce add %view_3 dims [2] : tensor<32x16x16xf32> -> tensor<32x16x1xf32>
    %sum_3 = mlc_tensor.reshape %reduce_6 : tensor<32x16x1xf32> -> tensor<32x16xf32>
    %unsqueeze_2 = mlc_tensor.reshape %_to_copy_5 : tensor<32x16xf32> -> tensor<32x16x1xf32>
    %view_4 = mlc_tensor.reshape %_to_copy_6 : tensor<256xf32> -> tensor<1x16x16xf32>
    %broadcast_3 = mlc_tensor.broadcast %unsqueeze_2 : tensor<32x16x1xf32> -> tensor<32x16x16xf32>
    %broadcast_4 = mlc_tensor.broadcast %view_4 : tensor<1x16x16xf32> -> tensor<32x16x16xf32>
    %mul_4 = mlc_tensor.mul %broadcast_3, %broadcast_4 : tensor<32x16x16xf32>
    %mul_5 = mlc_tensor.mul %sum_3, %_to_copy_4 : tensor<32x16xf32>
    %sub_1 = mlc_tensor.sub %mul_5, %sum_2 : tensor<32x16xf32>
    %mul_6 = mlc_tensor.mul %sub_1, %_to_copy_5 : tensor<32x16xf32>
    %mul_7 = mlc_tensor.mul %mul_6, %_to_copy_5 : tensor<32x16xf32>
    %mul_8 = mlc_tensor.mul %mul_7, %_to_copy_5 : tensor<32x16xf32>
    %constant_4 = mlc_tensor.constant 1.52587891e-05 : tensor<32x16xf32>
    %mul_9 = mlc_tensor.mul %mul_8, %constant_4 : tensor<32x16xf32>
    %neg = mlc_tensor.neg %mul_9 : tensor<32x16xf32>
    %mul_10 = mlc_tensor.mul %neg, %_to_copy_4 : tensor<32x16xf32>
    %mul_11 = mlc_tensor.mul %sum_3, %_to_copy_5 : tensor<32x16xf32>
    %constant_5 = mlc_tensor.constant 1.52587891e-05 : tensor<32x16xf32>
    %mul_12 = mlc_tensor.mul %mul_11, %constant_5 : tensor<32x16xf32>
    %sub_2 = mlc_tensor.sub %mul_10, %mul_12 : tensor<32x16xf32>
    %unsqueeze_3 = mlc_tensor.reshape %mul_4 : tensor<32x16x16xf32> -> tensor<32x16x16x1xf32>
    %unsqueeze_4 = mlc_tensor.reshape %mul_9 : tensor<32x16xf32> -> tensor<32x16x1xf32>
    %unsqueeze_5 = mlc_tensor.reshape %unsqueeze_4 : tensor<32x16x1xf32> -> tensor<32x16x1x1xf32>
    %unsqueeze_6 = mlc_tensor.reshape %sub_2 : tensor<32x16xf32> -> tensor<32x16x1xf32>
    %unsqueeze_7 = mlc_tensor.reshape %unsqueeze_6 : tensor<32x16x1xf32> -> tensor<32x16x1x1xf32>
    %view_5 = mlc_tensor.reshape %_to_copy_2 : tensor<32x256x64x64xf32> -> tensor<32x16x16x4096xf32>
    %broadcast_5 = mlc_tensor.broadcast %unsqueeze_3 : tensor<32x16x16x1xf32> -> tensor<32x16x16x4096xf32>
    %mul_13 = mlc_tensor.mul %view_5, %broadcast_5 : tensor<32x16x16x4096xf32>
    %view_6 = mlc_tensor.reshape %_to_copy_3 : tensor<32x256x64x64xf32> -> tensor<32x16x16x4096xf32>
    %broadcast_6 = mlc_tensor.broadcast %unsqueeze_5 : tensor<32x16x1x1xf32> -> tensor<32x16x16x4096xf32>
    %mul_14 = mlc_tensor.mul %view_6, %broadcast_6 : tensor<32x16x16x4096xf32>
    %add_1 = mlc_tensor.add %mul_13, %mul_14 : tensor<32x16x16x4096xf32>
    %broadcast_7 = mlc_tensor.broadcast %unsqueeze_7 : tensor<32x16x1x1xf32> -> tensor<32x16x16x4096xf32>
    %add_2 = mlc_tensor.add %add_1, %broadcast_7 : tensor<32x16x16x4096xf32>
    %view_7 = mlc_tensor.reshape %add_2 : tensor<32x16x16x4096xf32> -> tensor<32x256x64x64xf32>
    %view_8 = mlc_tensor.reshape %sum : tensor<32x256xf32> -> tensor<32x16x16xf32>
    %view_9 = mlc_tensor.reshape %sum_1 : tensor<32x256xf32> -> tensor<32x16x16xf32>
    %unsqueeze_8 = mlc_tensor.reshape %_to_copy_4 : tensor<32x16xf32> -> tensor<32x16x1xf32>
    %broadcast_8 = mlc_tensor.broadcast %unsqueeze_8 : tensor<32x16x1xf32> -> tensor<32x16x16xf32>
    %mul_15 = mlc_tensor.mul %view_9, %broadcast_8 : tensor<32x16x16xf32>
    %sub_3 = mlc_tensor.sub %view_8, %mul_15 : tensor<32x16x16xf32>
    %unsqueeze_9 = mlc_tensor.reshape %_to_copy_5 : tensor<32x16xf32> -> tensor<32x16x1xf32>
    %broadcast_9 = mlc_tensor.broadcast %unsqueeze_9 : tensor<32x16x1xf32> -> tensor<32x16x16xf32>
    %mul_16 = mlc_tensor.mul %sub_3, %broadcast_9 : tensor<32x16x16xf32>
    %reduce_7 = mlc_tensor.reduce add %mul_16 dims [0] : tensor<32x16x16xf32> -> tensor<1x16x16xf32>
    %sum_4 = mlc_tensor.reshape %reduce_7 : tensor<1x16x16xf32> -> tensor<16x16xf32>
    %view_10 = mlc_tensor.reshape %sum_4 : tensor<16x16xf32> -> tensor<256xf32>
    %reduce_8 = mlc_tensor.reduce add %sum_1 dims [0] : tensor<32x256xf32> -> tensor<1x256xf32>
    %sum_5 = mlc_tensor.reshape %reduce_8 : tensor<1x256xf32> -> tensor<256xf32>
    %_to_copy_7 = mlc_tensor.cast %view_7 : tensor<32x256x64x64xf32> -> tensor<32x256x64x64xbf16>
    %_to_copy_8 = mlc_tensor.cast %view_10 : tensor<256xf32> -> tensor<256xbf16>
    %_to_copy_9 = mlc_tensor.cast %sum_5 : tensor<256xf32> -> tensor<256xbf16>
    func.return %_to_copy_7, %_to_copy_8, %_to_copy_9 : tensor<32x256x64x64xbf16>, tensor<256xbf16>, tensor<256xbf16>
  }
}


// case: bias gradient bf16 16384x12288
builtin.module {
  func.func @case(%dy: tensor<16384x12288xbf16>) -> tensor<12288xbf16> {
    %cast = mlc_tensor.cast %dy : tensor<16384x12288xbf16> -> tensor<16384x12288xf32>
    %reduce = mlc_tensor.reduce add %cast dims [0] : tensor<16384x12288xf32> -> tensor<1x12288xf32>
    %cast_1 = mlc_tensor.cast %reduce : tensor<1x12288xf32> -> tensor<1x12288xbf16>
    %sum = mlc_tensor.reshape %cast_1 : tensor<1x12288xbf16> -> tensor<12288xbf16>
    func.return %sum : tensor<12288xbf16>
  }
}


// case: bias gradient of images f16 64x256x56x56
builtin.module {
  func.func @case(%dy: tensor<64x256x56x56xf16>) -> tensor<256xf16> {
    %cast = mlc_tensor.cast %dy : tensor<64x256x56x56xf16> -> tensor<64x256x56x56xf32>
    %reduce = mlc_tensor.reduce add %cast dims [0, 2, 3] : tensor<64x256x56x56xf32> -> tensor<1x256x1x1xf32>
    %cast_1 = mlc_tensor.cast %reduce : tensor<1x256x1x1xf32> -> tensor<1x256x1x1xf16>
    %sum = mlc_tensor.reshape %cast_1 : tensor<1x256x1x1xf16> -> tensor<256xf16>
    func.return %sum : tensor<256xf16>
  }
}


// case: gelu + bias gradient bf16 8192x16384
builtin.module {
  func.func @case(%dy: tensor<8192x16384xbf16>, %x: tensor<8192x16384xbf16>) -> (tensor<8192x16384xbf16>, tensor<16384xbf16>) {
    %_to_copy = mlc_tensor.cast %dy : tensor<8192x16384xbf16> -> tensor<8192x16384xf32>
    %_to_copy_1 = mlc_tensor.cast %x : tensor<8192x16384xbf16> -> tensor<8192x16384xf32>
    %constant = mlc_tensor.constant 0.707106769 : tensor<8192x16384xf32>
    %mul = mlc_tensor.mul %_to_copy_1, %constant : tensor<8192x16384xf32>
    %erf = mlc_tensor.erf %mul : tensor<8192x16384xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<8192x16384xf32>
    %add = mlc_tensor.add %erf, %constant_1 : tensor<8192x16384xf32>
    %constant_2 = mlc_tensor.constant 5.000000e-01 : tensor<8192x16384xf32>
    %mul_1 = mlc_tensor.mul %add, %constant_2 : tensor<8192x16384xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %_to_copy_1 : tensor<8192x16384xf32>
    %constant_3 = mlc_tensor.constant -5.000000e-01 : tensor<8192x16384xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_3 : tensor<8192x16384xf32>
    %exp = mlc_tensor.exp %mul_3 : tensor<8192x16384xf32>
    %constant_4 = mlc_tensor.constant 0.398942292 : tensor<8192x16384xf32>
    %mul_4 = mlc_tensor.mul %exp, %constant_4 : tensor<8192x16384xf32>
    %mul_5 = mlc_tensor.mul %_to_copy_1, %mul_4 : tensor<8192x16384xf32>
    %add_1 = mlc_tensor.add %mul_1, %mul_5 : tensor<8192x16384xf32>
    %mul_6 = mlc_tensor.mul %_to_copy, %add_1 : tensor<8192x16384xf32>
    %dx = mlc_tensor.cast %mul_6 : tensor<8192x16384xf32> -> tensor<8192x16384xbf16>
    %cast = mlc_tensor.cast %dx : tensor<8192x16384xbf16> -> tensor<8192x16384xf32>
    %reduce = mlc_tensor.reduce add %cast dims [0] : tensor<8192x16384xf32> -> tensor<1x16384xf32>
    %cast_1 = mlc_tensor.cast %reduce : tensor<1x16384xf32> -> tensor<1x16384xbf16>
    %sum = mlc_tensor.reshape %cast_1 : tensor<1x16384xbf16> -> tensor<16384xbf16>
    func.return %dx, %sum : tensor<8192x16384xbf16>, tensor<16384xbf16>
  }
}


// case: masked softmax backward bf16
builtin.module {
  func.func @case(%dy: tensor<16x16x1024x1024xbf16>, %p: tensor<16x16x1024x1024xbf16>, %mask: tensor<16x1024xi1>) -> tensor<16x16x1024x1024xbf16> {
    %_to_copy = mlc_tensor.cast %p : tensor<16x16x1024x1024xbf16> -> tensor<16x16x1024x1024xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<16x16x1024x1024xbf16> -> tensor<16x16x1024x1024xf32>
    %mul = mlc_tensor.mul %_to_copy, %_to_copy_1 : tensor<16x16x1024x1024xf32>
    %sum = mlc_tensor.reduce add %mul dims [3] : tensor<16x16x1024x1024xf32> -> tensor<16x16x1024x1xf32>
    %broadcast = mlc_tensor.broadcast %sum : tensor<16x16x1024x1xf32> -> tensor<16x16x1024x1024xf32>
    %sub = mlc_tensor.sub %_to_copy_1, %broadcast : tensor<16x16x1024x1024xf32>
    %ds = mlc_tensor.mul %_to_copy, %sub : tensor<16x16x1024x1024xf32>
    %unsqueeze = mlc_tensor.reshape %mask : tensor<16x1024xi1> -> tensor<16x1x1024xi1>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<16x1x1024xi1> -> tensor<16x1x1x1024xi1>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_1 : tensor<16x1x1x1024xi1> -> tensor<16x16x1024x1024xi1>
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<16x16x1024x1024xf32>
    %where = mlc_tensor.select %broadcast_1, %ds, %constant : tensor<16x16x1024x1024xf32>
    %constant_1 = mlc_tensor.constant 1.250000e-01 : tensor<16x16x1024x1024xf32>
    %mul_1 = mlc_tensor.mul %where, %constant_1 : tensor<16x16x1024x1024xf32>
    %_to_copy_2 = mlc_tensor.cast %mul_1 : tensor<16x16x1024x1024xf32> -> tensor<16x16x1024x1024xbf16>
    func.return %_to_copy_2 : tensor<16x16x1024x1024xbf16>
  }
}


// case: squeeze-excite backward bf16 64x256x56x56
builtin.module {
  func.func @case(%dy: tensor<64x256x56x56xbf16>, %x: tensor<64x256x56x56xbf16>, %s: tensor<64x256xbf16>) -> (tensor<64x256x56x56xbf16>, tensor<64x256xbf16>) {
    %gate = mlc_tensor.sigmoid %s : tensor<64x256xbf16>
    %_to_copy = mlc_tensor.cast %dy : tensor<64x256x56x56xbf16> -> tensor<64x256x56x56xf32>
    %_to_copy_1 = mlc_tensor.cast %x : tensor<64x256x56x56xbf16> -> tensor<64x256x56x56xf32>
    %mul = mlc_tensor.mul %_to_copy, %_to_copy_1 : tensor<64x256x56x56xf32>
    %reduce = mlc_tensor.reduce add %mul dims [2, 3] : tensor<64x256x56x56xf32> -> tensor<64x256x1x1xf32>
    %ds = mlc_tensor.reshape %reduce : tensor<64x256x1x1xf32> -> tensor<64x256xf32>
    %unsqueeze = mlc_tensor.reshape %gate : tensor<64x256xbf16> -> tensor<64x256x1xbf16>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<64x256x1xbf16> -> tensor<64x256x1x1xbf16>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<64x256x1x1xbf16> -> tensor<64x256x56x56xbf16>
    %mul_1 = mlc_tensor.mul %dy, %broadcast : tensor<64x256x56x56xbf16>
    %cast = mlc_tensor.cast %gate : tensor<64x256xbf16> -> tensor<64x256xf32>
    %mul_2 = mlc_tensor.mul %ds, %cast : tensor<64x256xf32>
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<64x256xbf16>
    %rsub = mlc_tensor.sub %constant, %gate : tensor<64x256xbf16>
    %cast_1 = mlc_tensor.cast %rsub : tensor<64x256xbf16> -> tensor<64x256xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %cast_1 : tensor<64x256xf32>
    %_to_copy_2 = mlc_tensor.cast %mul_3 : tensor<64x256xf32> -> tensor<64x256xbf16>
    func.return %mul_1, %_to_copy_2 : tensor<64x256x56x56xbf16>, tensor<64x256xbf16>
  }
}


// case: rotary backward bf16 8x32x2048x128
builtin.module {
  func.func @case(%dy: tensor<8x32x2048x128xbf16>, %cos: tensor<2048x128xbf16>, %sin: tensor<2048x128xbf16>) -> tensor<8x32x2048x128xbf16> {
    %broadcast = mlc_tensor.broadcast %sin : tensor<2048x128xbf16> -> tensor<8x32x2048x128xbf16>
    %g = mlc_tensor.mul %dy, %broadcast : tensor<8x32x2048x128xbf16>
    %broadcast_1 = mlc_tensor.broadcast %cos : tensor<2048x128xbf16> -> tensor<8x32x2048x128xbf16>
    %mul = mlc_tensor.mul %dy, %broadcast_1 : tensor<8x32x2048x128xbf16>
    %slice = mlc_tensor.slice %g [0, 0, 0, 64] step [1, 1, 1, 1] : tensor<8x32x2048x128xbf16> -> tensor<8x32x2048x64xbf16>
    %slice_1 = mlc_tensor.slice %g [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<8x32x2048x128xbf16> -> tensor<8x32x2048x64xbf16>
    %neg = mlc_tensor.neg %slice_1 : tensor<8x32x2048x64xbf16>
    %cat = mlc_tensor.cat %slice, %neg dim 3 : (tensor<8x32x2048x64xbf16>, tensor<8x32x2048x64xbf16>) -> tensor<8x32x2048x128xbf16>
    %add = mlc_tensor.add %mul, %cat : tensor<8x32x2048x128xbf16>
    func.return %add : tensor<8x32x2048x128xbf16>
  }
}


// case: layer scale backward bf16 64x1024x1024
builtin.module {
  func.func @case(%dy: tensor<64x1024x1024xbf16>, %x: tensor<64x1024x1024xbf16>, %gamma: tensor<1024xbf16>) -> (tensor<64x1024x1024xbf16>, tensor<1024xbf16>) {
    %broadcast = mlc_tensor.broadcast %gamma : tensor<1024xbf16> -> tensor<64x1024x1024xbf16>
    %mul = mlc_tensor.mul %dy, %broadcast : tensor<64x1024x1024xbf16>
    %_to_copy = mlc_tensor.cast %dy : tensor<64x1024x1024xbf16> -> tensor<64x1024x1024xf32>
    %_to_copy_1 = mlc_tensor.cast %x : tensor<64x1024x1024xbf16> -> tensor<64x1024x1024xf32>
    %mul_1 = mlc_tensor.mul %_to_copy, %_to_copy_1 : tensor<64x1024x1024xf32>
    %reduce = mlc_tensor.reduce add %mul_1 dims [0, 1] : tensor<64x1024x1024xf32> -> tensor<1x1x1024xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x1x1024xf32> -> tensor<1024xf32>
    %_to_copy_2 = mlc_tensor.cast %sum : tensor<1024xf32> -> tensor<1024xbf16>
    func.return %mul, %_to_copy_2 : tensor<64x1024x1024xbf16>, tensor<1024xbf16>
  }
}


// case: clip gradients bf16 16384x4096
builtin.module {
  func.func @case(%g: tensor<16384x4096xbf16>) -> (tensor<16384x4096xbf16>, tensor<f32>) {
    %_to_copy = mlc_tensor.cast %g : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
    %pow = mlc_tensor.mul %_to_copy, %_to_copy : tensor<16384x4096xf32>
    %reduce = mlc_tensor.reduce add %pow dims [0, 1] : tensor<16384x4096xf32> -> tensor<1x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x1xf32> -> tensor<f32>
    %norm = mlc_tensor.sqrt %sum : tensor<f32>
    %constant = mlc_tensor.constant 1.000000e-06 : tensor<f32>
    %add = mlc_tensor.add %norm, %constant : tensor<f32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<f32>
    %reciprocal = mlc_tensor.div %constant_1, %add : tensor<f32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<f32>
    %mul = mlc_tensor.mul %reciprocal, %constant_2 : tensor<f32>
    %constant_3 = mlc_tensor.constant 1.000000e+00 : tensor<f32>
    %clamp_max = mlc_tensor.minimum %mul, %constant_3 : tensor<f32>
    %cast = mlc_tensor.cast %clamp_max : tensor<f32> -> tensor<bf16>
    %broadcast = mlc_tensor.broadcast %cast : tensor<bf16> -> tensor<16384x4096xbf16>
    %mul_1 = mlc_tensor.mul %g, %broadcast : tensor<16384x4096xbf16>
    func.return %mul_1, %norm : tensor<16384x4096xbf16>, tensor<f32>
  }
}
