// torch 2.13

// case: layer norm bf16 65536x4096
builtin.module {
  func.func @case(%x: tensor<65536x4096xbf16>, %w: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<65536x4096xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<65536x4096xbf16> -> tensor<65536x4096xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<65536x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<65536x4096xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<65536x4096xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %constant_1 = mlc_tensor.constant 4.096000e+03 : tensor<65536x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<65536x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<65536x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<65536x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<65536x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<65536x4096xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<65536x4096xf32>
    %cast = mlc_tensor.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<4096xf32> -> tensor<65536x4096xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<65536x4096xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<4096xf32> -> tensor<65536x4096xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<65536x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<65536x4096xf32> -> tensor<65536x4096xbf16>
    func.return %_to_copy_1 : tensor<65536x4096xbf16>
  }
}


// case: layer norm f32 131072x768
builtin.module {
  func.func @case(%x: tensor<131072x768xf32>, %w: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<131072x768xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<131072x768xf32> -> tensor<131072x1xf32>
    %constant = mlc_tensor.constant 7.680000e+02 : tensor<131072x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<131072x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<131072x1xf32> -> tensor<131072x768xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<131072x768xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<131072x768xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<131072x768xf32> -> tensor<131072x1xf32>
    %constant_1 = mlc_tensor.constant 7.680000e+02 : tensor<131072x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<131072x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<131072x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<131072x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<131072x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<131072x1xf32> -> tensor<131072x768xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<131072x768xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<131072x1xf32> -> tensor<131072x768xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<131072x768xf32>
    %broadcast_3 = mlc_tensor.broadcast %w : tensor<768xf32> -> tensor<131072x768xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<131072x768xf32>
    %broadcast_4 = mlc_tensor.broadcast %b : tensor<768xf32> -> tensor<131072x768xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<131072x768xf32>
    func.return %add_1 : tensor<131072x768xf32>
  }
}


// case: layer norm f32 1048576x64
builtin.module {
  func.func @case(%x: tensor<1048576x64xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<1048576x64xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<1048576x64xf32> -> tensor<1048576x1xf32>
    %constant = mlc_tensor.constant 6.400000e+01 : tensor<1048576x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1048576x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1048576x1xf32> -> tensor<1048576x64xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<1048576x64xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<1048576x64xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<1048576x64xf32> -> tensor<1048576x1xf32>
    %constant_1 = mlc_tensor.constant 6.400000e+01 : tensor<1048576x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1048576x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1048576x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1048576x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1048576x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1048576x1xf32> -> tensor<1048576x64xf32>
    %sub_1 = mlc_tensor.sub %x, %broadcast_1 : tensor<1048576x64xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1048576x1xf32> -> tensor<1048576x64xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<1048576x64xf32>
    %broadcast_3 = mlc_tensor.broadcast %w : tensor<64xf32> -> tensor<1048576x64xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<1048576x64xf32>
    %broadcast_4 = mlc_tensor.broadcast %b : tensor<64xf32> -> tensor<1048576x64xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<1048576x64xf32>
    func.return %add_1 : tensor<1048576x64xf32>
  }
}


// case: layer norm f16 8192x16384
builtin.module {
  func.func @case(%x: tensor<8192x16384xf16>, %w: tensor<16384xf16>, %b: tensor<16384xf16>) -> tensor<8192x16384xf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<8192x16384xf16> -> tensor<8192x16384xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<8192x16384xf32> -> tensor<8192x1xf32>
    %constant = mlc_tensor.constant 1.638400e+04 : tensor<8192x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<8192x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<8192x1xf32> -> tensor<8192x16384xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<8192x16384xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<8192x16384xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<8192x16384xf32> -> tensor<8192x1xf32>
    %constant_1 = mlc_tensor.constant 1.638400e+04 : tensor<8192x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<8192x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<8192x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<8192x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<8192x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<8192x1xf32> -> tensor<8192x16384xf32>
    %sub_1 = mlc_tensor.sub %_to_copy, %broadcast_1 : tensor<8192x16384xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<8192x1xf32> -> tensor<8192x16384xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<8192x16384xf32>
    %cast = mlc_tensor.cast %w : tensor<16384xf16> -> tensor<16384xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<16384xf32> -> tensor<8192x16384xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<8192x16384xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<16384xf16> -> tensor<16384xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<16384xf32> -> tensor<8192x16384xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<8192x16384xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<8192x16384xf32> -> tensor<8192x16384xf16>
    func.return %_to_copy_1 : tensor<8192x16384xf16>
  }
}


// case: layer norm + residual f16
builtin.module {
  func.func @case(%x: tensor<32768x4096xf16>, %r: tensor<32768x4096xf16>, %w: tensor<4096xf16>, %b: tensor<4096xf16>) -> (tensor<32768x4096xf16>, tensor<32768x4096xf16>) {
    %h = mlc_tensor.add %x, %r : tensor<32768x4096xf16>
    %_to_copy = mlc_tensor.cast %h : tensor<32768x4096xf16> -> tensor<32768x4096xf32>
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
    %cast = mlc_tensor.cast %w : tensor<4096xf16> -> tensor<4096xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast : tensor<4096xf32> -> tensor<32768x4096xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_3 : tensor<32768x4096xf32>
    %cast_1 = mlc_tensor.cast %b : tensor<4096xf16> -> tensor<4096xf32>
    %broadcast_4 = mlc_tensor.broadcast %cast_1 : tensor<4096xf32> -> tensor<32768x4096xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_4 : tensor<32768x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %add_1 : tensor<32768x4096xf32> -> tensor<32768x4096xf16>
    func.return %h, %_to_copy_1 : tensor<32768x4096xf16>, tensor<32768x4096xf16>
  }
}


// case: rms norm bf16 65536x4096
builtin.module {
  func.func @case(%x: tensor<65536x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<65536x4096xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<65536x4096xbf16> -> tensor<65536x4096xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<65536x4096xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<65536x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<65536x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<65536x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<65536x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %rsqrt : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<65536x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<65536x4096xf32> -> tensor<65536x4096xbf16>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<4096xbf16> -> tensor<65536x4096xbf16>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<65536x4096xbf16>
    func.return %mul_1 : tensor<65536x4096xbf16>
  }
}


// case: rms norm f32 8192x16384
builtin.module {
  func.func @case(%x: tensor<8192x16384xf32>, %w: tensor<16384xf32>) -> tensor<8192x16384xf32> {
    %square = mlc_tensor.mul %x, %x : tensor<8192x16384xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<8192x16384xf32> -> tensor<8192x1xf32>
    %constant = mlc_tensor.constant 1.638400e+04 : tensor<8192x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<8192x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<8192x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<8192x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<8192x1xf32>
    %broadcast = mlc_tensor.broadcast %rsqrt : tensor<8192x1xf32> -> tensor<8192x16384xf32>
    %mul = mlc_tensor.mul %x, %broadcast : tensor<8192x16384xf32>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<16384xf32> -> tensor<8192x16384xf32>
    %mul_1 = mlc_tensor.mul %mul, %broadcast_1 : tensor<8192x16384xf32>
    func.return %mul_1 : tensor<8192x16384xf32>
  }
}


// case: rms norm + residual bf16
builtin.module {
  func.func @case(%x: tensor<32768x4096xbf16>, %r: tensor<32768x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<32768x4096xbf16>, tensor<32768x4096xbf16>) {
    %h = mlc_tensor.add %x, %r : tensor<32768x4096xbf16>
    %_to_copy = mlc_tensor.cast %h : tensor<32768x4096xbf16> -> tensor<32768x4096xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<32768x4096xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<32768x4096xf32> -> tensor<32768x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<32768x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<32768x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<32768x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<32768x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<32768x1xf32>
    %broadcast = mlc_tensor.broadcast %rsqrt : tensor<32768x1xf32> -> tensor<32768x4096xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<32768x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<32768x4096xf32> -> tensor<32768x4096xbf16>
    %broadcast_1 = mlc_tensor.broadcast %w : tensor<4096xbf16> -> tensor<32768x4096xbf16>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<32768x4096xbf16>
    func.return %h, %mul_1 : tensor<32768x4096xbf16>, tensor<32768x4096xbf16>
  }
}


// case: normalize bf16 262144x1024
builtin.module {
  func.func @case(%x: tensor<262144x1024xbf16>) -> tensor<262144x1024xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<262144x1024xbf16> -> tensor<262144x1024xf32>
    %pow = mlc_tensor.mul %_to_copy, %_to_copy : tensor<262144x1024xf32>
    %sum = mlc_tensor.reduce add %pow dims [1] : tensor<262144x1024xf32> -> tensor<262144x1xf32>
    %pow_1 = mlc_tensor.sqrt %sum : tensor<262144x1xf32>
    %_to_copy_1 = mlc_tensor.cast %pow_1 : tensor<262144x1xf32> -> tensor<262144x1xbf16>
    %constant = mlc_tensor.constant 1.001870e-12 : tensor<262144x1xbf16>
    %clamp_min = mlc_tensor.maximum %_to_copy_1, %constant : tensor<262144x1xbf16>
    %expand = mlc_tensor.broadcast %clamp_min : tensor<262144x1xbf16> -> tensor<262144x1024xbf16>
    %div = mlc_tensor.div %x, %expand : tensor<262144x1024xbf16>
    func.return %div : tensor<262144x1024xbf16>
  }
}


// case: group norm + silu bf16
builtin.module {
  func.func @case(%x: tensor<32x512x64x64xbf16>) -> tensor<32x512x64x64xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<32x512x64x64xbf16> -> tensor<32x512x64x64xf32>
    %view = mlc_tensor.reshape %_to_copy : tensor<32x512x64x64xf32> -> tensor<32x32x16x4096xf32>
    %reduce = mlc_tensor.reduce add %view dims [2, 3] : tensor<32x32x16x4096xf32> -> tensor<32x32x1x1xf32>
    %constant = mlc_tensor.constant 6.553600e+04 : tensor<32x32x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<32x32x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<32x32x1x1xf32> -> tensor<32x32x16x4096xf32>
    %sub = mlc_tensor.sub %view, %broadcast : tensor<32x32x16x4096xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<32x32x16x4096xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [2, 3] : tensor<32x32x16x4096xf32> -> tensor<32x32x1x1xf32>
    %constant_1 = mlc_tensor.constant 6.553600e+04 : tensor<32x32x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<32x32x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<32x32x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<32x32x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<32x32x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<32x32x1x1xf32> -> tensor<32x32x16x4096xf32>
    %sub_1 = mlc_tensor.sub %view, %broadcast_1 : tensor<32x32x16x4096xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<32x32x1x1xf32> -> tensor<32x32x16x4096xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<32x32x16x4096xf32>
    %view_1 = mlc_tensor.reshape %mul_1 : tensor<32x32x16x4096xf32> -> tensor<32x512x64x64xf32>
    %_to_copy_1 = mlc_tensor.cast %view_1 : tensor<32x512x64x64xf32> -> tensor<32x512x64x64xbf16>
    %_to_copy_2 = mlc_tensor.cast %_to_copy_1 : tensor<32x512x64x64xbf16> -> tensor<32x512x64x64xf32>
    %sigmoid = mlc_tensor.sigmoid %_to_copy_2 : tensor<32x512x64x64xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_2, %sigmoid : tensor<32x512x64x64xf32>
    %_to_copy_3 = mlc_tensor.cast %mul_2 : tensor<32x512x64x64xf32> -> tensor<32x512x64x64xbf16>
    func.return %_to_copy_3 : tensor<32x512x64x64xbf16>
  }
}


// case: instance norm f32
builtin.module {
  func.func @case(%x: tensor<32x128x128x128xf32>) -> tensor<32x128x128x128xf32> {
    %view = mlc_tensor.reshape %x : tensor<32x128x128x128xf32> -> tensor<1x4096x128x128xf32>
    %reduce = mlc_tensor.reduce add %view dims [0, 2, 3] : tensor<1x4096x128x128xf32> -> tensor<1x4096x1x1xf32>
    %constant = mlc_tensor.constant 1.638400e+04 : tensor<1x4096x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1x4096x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1x4096x1x1xf32> -> tensor<1x4096x128x128xf32>
    %sub = mlc_tensor.sub %view, %broadcast : tensor<1x4096x128x128xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<1x4096x128x128xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<1x4096x128x128xf32> -> tensor<1x4096x1x1xf32>
    %constant_1 = mlc_tensor.constant 1.638400e+04 : tensor<1x4096x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x4096x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1x4096x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1x4096x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1x4096x1x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1x4096x1x1xf32> -> tensor<1x4096x128x128xf32>
    %sub_1 = mlc_tensor.sub %view, %broadcast_1 : tensor<1x4096x128x128xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1x4096x1x1xf32> -> tensor<1x4096x128x128xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<1x4096x128x128xf32>
    %view_1 = mlc_tensor.reshape %mul_1 : tensor<1x4096x128x128xf32> -> tensor<32x128x128x128xf32>
    func.return %view_1 : tensor<32x128x128x128xf32>
  }
}


// case: batch norm inference + relu bf16
builtin.module {
  func.func @case(%x: tensor<64x256x56x56xbf16>, %mean: tensor<256xbf16>, %var: tensor<256xbf16>, %w: tensor<256xbf16>, %b: tensor<256xbf16>) -> tensor<64x256x56x56xbf16> {
    %_to_copy = mlc_tensor.cast %mean : tensor<256xbf16> -> tensor<256xf32>
    %_to_copy_1 = mlc_tensor.cast %var : tensor<256xbf16> -> tensor<256xf32>
    %constant = mlc_tensor.constant 1.000000e-05 : tensor<256xf32>
    %add = mlc_tensor.add %_to_copy_1, %constant : tensor<256xf32>
    %sqrt = mlc_tensor.sqrt %add : tensor<256xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<256xf32>
    %reciprocal = mlc_tensor.div %constant_1, %sqrt : tensor<256xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<256xf32>
    %mul = mlc_tensor.mul %reciprocal, %constant_2 : tensor<256xf32>
    %unsqueeze = mlc_tensor.reshape %_to_copy : tensor<256xf32> -> tensor<256x1xf32>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<256x1xf32> -> tensor<256x1x1xf32>
    %unsqueeze_2 = mlc_tensor.reshape %mul : tensor<256xf32> -> tensor<256x1xf32>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<256x1xf32> -> tensor<256x1x1xf32>
    %cast = mlc_tensor.cast %x : tensor<64x256x56x56xbf16> -> tensor<64x256x56x56xf32>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub = mlc_tensor.sub %cast, %broadcast : tensor<64x256x56x56xf32>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_3 : tensor<256x1x1xf32> -> tensor<64x256x56x56xf32>
    %mul_1 = mlc_tensor.mul %sub, %broadcast_1 : tensor<64x256x56x56xf32>
    %unsqueeze_4 = mlc_tensor.reshape %w : tensor<256xbf16> -> tensor<256x1xbf16>
    %unsqueeze_5 = mlc_tensor.reshape %unsqueeze_4 : tensor<256x1xbf16> -> tensor<256x1x1xbf16>
    %cast_1 = mlc_tensor.cast %unsqueeze_5 : tensor<256x1x1xbf16> -> tensor<256x1x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %cast_1 : tensor<256x1x1xf32> -> tensor<64x256x56x56xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %broadcast_2 : tensor<64x256x56x56xf32>
    %unsqueeze_6 = mlc_tensor.reshape %b : tensor<256xbf16> -> tensor<256x1xbf16>
    %unsqueeze_7 = mlc_tensor.reshape %unsqueeze_6 : tensor<256x1xbf16> -> tensor<256x1x1xbf16>
    %cast_2 = mlc_tensor.cast %unsqueeze_7 : tensor<256x1x1xbf16> -> tensor<256x1x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %cast_2 : tensor<256x1x1xf32> -> tensor<64x256x56x56xf32>
    %add_1 = mlc_tensor.add %mul_2, %broadcast_3 : tensor<64x256x56x56xf32>
    %_to_copy_2 = mlc_tensor.cast %add_1 : tensor<64x256x56x56xf32> -> tensor<64x256x56x56xbf16>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<64x256x56x56xbf16>
    %relu = mlc_tensor.maximum %_to_copy_2, %constant_3 : tensor<64x256x56x56xbf16>
    func.return %relu : tensor<64x256x56x56xbf16>
  }
}


// case: batch norm training + relu bf16
builtin.module {
  func.func @case(%x: tensor<64x256x56x56xbf16>) -> tensor<64x256x56x56xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<64x256x56x56xbf16> -> tensor<64x256x56x56xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [0, 2, 3] : tensor<64x256x56x56xf32> -> tensor<1x256x1x1xf32>
    %constant = mlc_tensor.constant 2.007040e+05 : tensor<1x256x1x1xf32>
    %getitem = mlc_tensor.div %reduce, %constant : tensor<1x256x1x1xf32>
    %broadcast = mlc_tensor.broadcast %getitem : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<64x256x56x56xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<64x256x56x56xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0, 2, 3] : tensor<64x256x56x56xf32> -> tensor<1x256x1x1xf32>
    %constant_1 = mlc_tensor.constant 2.007040e+05 : tensor<1x256x1x1xf32>
    %getitem_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x256x1x1xf32>
    %constant_2 = mlc_tensor.constant 1.000000e-05 : tensor<1x256x1x1xf32>
    %add = mlc_tensor.add %getitem_1, %constant_2 : tensor<1x256x1x1xf32>
    %rsqrt = mlc_tensor.rsqrt %add : tensor<1x256x1x1xf32>
    %cast = mlc_tensor.cast %x : tensor<64x256x56x56xbf16> -> tensor<64x256x56x56xf32>
    %broadcast_1 = mlc_tensor.broadcast %getitem : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %sub_1 = mlc_tensor.sub %cast, %broadcast_1 : tensor<64x256x56x56xf32>
    %broadcast_2 = mlc_tensor.broadcast %rsqrt : tensor<1x256x1x1xf32> -> tensor<64x256x56x56xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<64x256x56x56xf32>
    %_to_copy_1 = mlc_tensor.cast %mul_1 : tensor<64x256x56x56xf32> -> tensor<64x256x56x56xbf16>
    %constant_3 = mlc_tensor.constant 0.000000e+00 : tensor<64x256x56x56xbf16>
    %relu = mlc_tensor.maximum %_to_copy_1, %constant_3 : tensor<64x256x56x56xbf16>
    func.return %relu : tensor<64x256x56x56xbf16>
  }
}


// case: layer norm backward bf16 16384x4096
builtin.module {
  func.func @case(%dy: tensor<16384x4096xbf16>, %x: tensor<16384x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<16384x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<16384x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<16384x1xf32>
    %reduce_1 = mlc_tensor.reduce add %_to_copy dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %constant_1 = mlc_tensor.constant 4.096000e+03 : tensor<16384x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant_1 : tensor<16384x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<16384x4096xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<16384x4096xf32>
    %reduce_2 = mlc_tensor.reduce add %mul dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %constant_2 = mlc_tensor.constant 4.096000e+03 : tensor<16384x1xf32>
    %var = mlc_tensor.div %reduce_2, %constant_2 : tensor<16384x1xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-05 : tensor<16384x1xf32>
    %add = mlc_tensor.add %var, %constant_3 : tensor<16384x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<16384x1xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
    %_to_copy_2 = mlc_tensor.cast %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
    %_to_copy_3 = mlc_tensor.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_1 = mlc_tensor.broadcast %mean : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %sub_1 = mlc_tensor.sub %_to_copy_2, %broadcast_1 : tensor<16384x4096xf32>
    %broadcast_2 = mlc_tensor.broadcast %rstd : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %mul_1 = mlc_tensor.mul %sub_1, %broadcast_2 : tensor<16384x4096xf32>
    %broadcast_3 = mlc_tensor.broadcast %_to_copy_3 : tensor<4096xf32> -> tensor<16384x4096xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %broadcast_3 : tensor<16384x4096xf32>
    %constant_4 = mlc_tensor.constant 4.096000e+03 : tensor<16384x4096xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_4 : tensor<16384x4096xf32>
    %sum = mlc_tensor.reduce add %mul_2 dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %mul_4 = mlc_tensor.mul %mul_2, %mul_1 : tensor<16384x4096xf32>
    %sum_1 = mlc_tensor.reduce add %mul_4 dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum_1 : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %mul_5 = mlc_tensor.mul %mul_1, %broadcast_4 : tensor<16384x4096xf32>
    %broadcast_5 = mlc_tensor.broadcast %sum : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %sub_2 = mlc_tensor.sub %mul_3, %broadcast_5 : tensor<16384x4096xf32>
    %sub_3 = mlc_tensor.sub %sub_2, %mul_5 : tensor<16384x4096xf32>
    %constant_5 = mlc_tensor.constant 4.096000e+03 : tensor<16384x1xf32>
    %div_1 = mlc_tensor.div %rstd, %constant_5 : tensor<16384x1xf32>
    %broadcast_6 = mlc_tensor.broadcast %div_1 : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %mul_6 = mlc_tensor.mul %broadcast_6, %sub_3 : tensor<16384x4096xf32>
    %mul_7 = mlc_tensor.mul %_to_copy_1, %mul_1 : tensor<16384x4096xf32>
    %reduce_3 = mlc_tensor.reduce add %mul_7 dims [0] : tensor<16384x4096xf32> -> tensor<1x4096xf32>
    %sum_2 = mlc_tensor.reshape %reduce_3 : tensor<1x4096xf32> -> tensor<4096xf32>
    %reduce_4 = mlc_tensor.reduce add %_to_copy_1 dims [0] : tensor<16384x4096xf32> -> tensor<1x4096xf32>
    %sum_3 = mlc_tensor.reshape %reduce_4 : tensor<1x4096xf32> -> tensor<4096xf32>
    %_to_copy_4 = mlc_tensor.cast %mul_6 : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
    %_to_copy_5 = mlc_tensor.cast %sum_2 : tensor<4096xf32> -> tensor<4096xbf16>
    %_to_copy_6 = mlc_tensor.cast %sum_3 : tensor<4096xf32> -> tensor<4096xbf16>
    func.return %_to_copy_4, %_to_copy_5, %_to_copy_6 : tensor<16384x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  }
}


// case: rms norm backward bf16 16384x4096
builtin.module {
  func.func @case(%dy: tensor<16384x4096xbf16>, %x: tensor<16384x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<16384x4096xbf16>, tensor<4096xbf16>) {
    %_to_copy = mlc_tensor.cast %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %dy : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
    %square = mlc_tensor.mul %_to_copy, %_to_copy : tensor<16384x4096xf32>
    %reduce = mlc_tensor.reduce add %square dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<16384x1xf32>
    %mean = mlc_tensor.div %reduce, %constant : tensor<16384x1xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-06 : tensor<16384x1xf32>
    %add = mlc_tensor.add %mean, %constant_1 : tensor<16384x1xf32>
    %rstd = mlc_tensor.rsqrt %add : tensor<16384x1xf32>
    %broadcast = mlc_tensor.broadcast %rstd : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %mul = mlc_tensor.mul %_to_copy, %broadcast : tensor<16384x4096xf32>
    %cast = mlc_tensor.cast %w : tensor<4096xbf16> -> tensor<4096xf32>
    %broadcast_1 = mlc_tensor.broadcast %cast : tensor<4096xf32> -> tensor<16384x4096xf32>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast_1 : tensor<16384x4096xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %mul : tensor<16384x4096xf32>
    %reduce_1 = mlc_tensor.reduce add %mul_2 dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xf32>
    %constant_2 = mlc_tensor.constant 4.096000e+03 : tensor<16384x1xf32>
    %mean_1 = mlc_tensor.div %reduce_1, %constant_2 : tensor<16384x1xf32>
    %broadcast_2 = mlc_tensor.broadcast %mean_1 : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %mul_3 = mlc_tensor.mul %mul, %broadcast_2 : tensor<16384x4096xf32>
    %sub = mlc_tensor.sub %mul_1, %mul_3 : tensor<16384x4096xf32>
    %broadcast_3 = mlc_tensor.broadcast %rstd : tensor<16384x1xf32> -> tensor<16384x4096xf32>
    %dx = mlc_tensor.mul %broadcast_3, %sub : tensor<16384x4096xf32>
    %_to_copy_2 = mlc_tensor.cast %dx : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
    %mul_4 = mlc_tensor.mul %_to_copy_1, %mul : tensor<16384x4096xf32>
    %reduce_2 = mlc_tensor.reduce add %mul_4 dims [0] : tensor<16384x4096xf32> -> tensor<1x4096xf32>
    %sum = mlc_tensor.reshape %reduce_2 : tensor<1x4096xf32> -> tensor<4096xf32>
    %_to_copy_3 = mlc_tensor.cast %sum : tensor<4096xf32> -> tensor<4096xbf16>
    func.return %_to_copy_2, %_to_copy_3 : tensor<16384x4096xbf16>, tensor<4096xbf16>
  }
}
