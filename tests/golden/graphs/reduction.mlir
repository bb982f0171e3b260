// torch 2.13

// case: sum of all f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<f32> {
    %reduce = mlc_tensor.reduce add %x dims [0, 1] : tensor<8192x8192xf32> -> tensor<1x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x1xf32> -> tensor<f32>
    func.return %sum : tensor<f32>
  }
}


// case: sum of rows f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<8192x8192xf32> -> tensor<8192x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<8192x1xf32> -> tensor<8192xf32>
    func.return %sum : tensor<8192xf32>
  }
}


// case: sum of long rows f32 64x4194304
builtin.module {
  func.func @case(%x: tensor<64x4194304xf32>) -> tensor<64xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<64x4194304xf32> -> tensor<64x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<64x1xf32> -> tensor<64xf32>
    func.return %sum : tensor<64xf32>
  }
}


// case: sum of short rows f32 4194304x32
builtin.module {
  func.func @case(%x: tensor<4194304x32xf32>) -> tensor<4194304xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<4194304x32xf32> -> tensor<4194304x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<4194304x1xf32> -> tensor<4194304xf32>
    func.return %sum : tensor<4194304xf32>
  }
}


// case: sum of columns f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0] : tensor<8192x8192xf32> -> tensor<1x8192xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x8192xf32> -> tensor<8192xf32>
    func.return %sum : tensor<8192xf32>
  }
}


// case: sum of columns bf16
builtin.module {
  func.func @case(%x: tensor<65536x4096xbf16>) -> tensor<4096xbf16> {
    %cast = mlc_tensor.cast %x : tensor<65536x4096xbf16> -> tensor<65536x4096xf32>
    %reduce = mlc_tensor.reduce add %cast dims [0] : tensor<65536x4096xf32> -> tensor<1x4096xf32>
    %cast_1 = mlc_tensor.cast %reduce : tensor<1x4096xf32> -> tensor<1x4096xbf16>
    %sum = mlc_tensor.reshape %cast_1 : tensor<1x4096xbf16> -> tensor<4096xbf16>
    func.return %sum : tensor<4096xbf16>
  }
}


// case: sum of the middle axis f32
builtin.module {
  func.func @case(%x: tensor<256x1024x512xf32>) -> tensor<256x512xf32> {
    %reduce = mlc_tensor.reduce add %x dims [1] : tensor<256x1024x512xf32> -> tensor<256x1x512xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<256x1x512xf32> -> tensor<256x512xf32>
    func.return %sum : tensor<256x512xf32>
  }
}


// case: mean over height and width bf16
builtin.module {
  func.func @case(%x: tensor<128x512x28x28xbf16>) -> tensor<128x512xbf16> {
    %cast = mlc_tensor.cast %x : tensor<128x512x28x28xbf16> -> tensor<128x512x28x28xf32>
    %reduce = mlc_tensor.reduce add %cast dims [2, 3] : tensor<128x512x28x28xf32> -> tensor<128x512x1x1xf32>
    %constant = mlc_tensor.constant 7.840000e+02 : tensor<128x512x1x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<128x512x1x1xf32>
    %cast_1 = mlc_tensor.cast %div : tensor<128x512x1x1xf32> -> tensor<128x512x1x1xbf16>
    %mean = mlc_tensor.reshape %cast_1 : tensor<128x512x1x1xbf16> -> tensor<128x512xbf16>
    func.return %mean : tensor<128x512xbf16>
  }
}


// case: mean((x-t)^2) f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>, %t: tensor<8192x8192xf32>) -> tensor<f32> {
    %sub = mlc_tensor.sub %x, %t : tensor<8192x8192xf32>
    %pow = mlc_tensor.mul %sub, %sub : tensor<8192x8192xf32>
    %reduce = mlc_tensor.reduce add %pow dims [0, 1] : tensor<8192x8192xf32> -> tensor<1x1xf32>
    %constant = mlc_tensor.constant 0x4C800000 : tensor<1x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<1x1xf32>
    %mean = mlc_tensor.reshape %div : tensor<1x1xf32> -> tensor<f32>
    func.return %mean : tensor<f32>
  }
}


// case: amax and mean f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> (tensor<f32>, tensor<f32>) {
    %abs = mlc_tensor.abs %x : tensor<8192x8192xf32>
    %reduce = mlc_tensor.reduce max %abs dims [0, 1] : tensor<8192x8192xf32> -> tensor<1x1xf32>
    %amax = mlc_tensor.reshape %reduce : tensor<1x1xf32> -> tensor<f32>
    %reduce_1 = mlc_tensor.reduce add %x dims [0, 1] : tensor<8192x8192xf32> -> tensor<1x1xf32>
    %constant = mlc_tensor.constant 0x4C800000 : tensor<1x1xf32>
    %div = mlc_tensor.div %reduce_1, %constant : tensor<1x1xf32>
    %mean = mlc_tensor.reshape %div : tensor<1x1xf32> -> tensor<f32>
    func.return %amax, %mean : tensor<f32>, tensor<f32>
  }
}


// case: row max and sum f32
builtin.module {
  func.func @case(%x: tensor<65536x2048xf32>) -> (tensor<65536xf32>, tensor<65536xf32>) {
    %reduce = mlc_tensor.reduce max %x dims [1] : tensor<65536x2048xf32> -> tensor<65536x1xf32>
    %amax = mlc_tensor.reshape %reduce : tensor<65536x1xf32> -> tensor<65536xf32>
    %reduce_1 = mlc_tensor.reduce add %x dims [1] : tensor<65536x2048xf32> -> tensor<65536x1xf32>
    %sum = mlc_tensor.reshape %reduce_1 : tensor<65536x1xf32> -> tensor<65536xf32>
    func.return %amax, %sum : tensor<65536xf32>, tensor<65536xf32>
  }
}


// case: variance of rows bf16
builtin.module {
  func.func @case(%x: tensor<65536x4096xbf16>) -> tensor<65536xf32> {
    %_to_copy = mlc_tensor.cast %x : tensor<65536x4096xbf16> -> tensor<65536x4096xf32>
    %reduce = mlc_tensor.reduce add %_to_copy dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %constant = mlc_tensor.constant 4.096000e+03 : tensor<65536x1xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<65536x4096xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<65536x4096xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %constant_1 = mlc_tensor.constant 4.095000e+03 : tensor<65536x1xf32>
    %div_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<65536x1xf32>
    %var = mlc_tensor.reshape %div_1 : tensor<65536x1xf32> -> tensor<65536xf32>
    func.return %var : tensor<65536xf32>
  }
}


// case: variance of columns f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0] : tensor<8192x8192xf32> -> tensor<1x8192xf32>
    %constant = mlc_tensor.constant 8.192000e+03 : tensor<1x8192xf32>
    %div = mlc_tensor.div %reduce, %constant : tensor<1x8192xf32>
    %broadcast = mlc_tensor.broadcast %div : tensor<1x8192xf32> -> tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %sub, %sub : tensor<8192x8192xf32>
    %reduce_1 = mlc_tensor.reduce add %mul dims [0] : tensor<8192x8192xf32> -> tensor<1x8192xf32>
    %constant_1 = mlc_tensor.constant 8.191000e+03 : tensor<1x8192xf32>
    %div_1 = mlc_tensor.div %reduce_1, %constant_1 : tensor<1x8192xf32>
    %var = mlc_tensor.reshape %div_1 : tensor<1x8192xf32> -> tensor<8192xf32>
    func.return %var : tensor<8192xf32>
  }
}


// case: norm of all f16
builtin.module {
  func.func @case(%x: tensor<65536x4096xf16>) -> tensor<f32> {
    %_to_copy = mlc_tensor.cast %x : tensor<65536x4096xf16> -> tensor<65536x4096xf32>
    %pow = mlc_tensor.mul %_to_copy, %_to_copy : tensor<65536x4096xf32>
    %reduce = mlc_tensor.reduce add %pow dims [0, 1] : tensor<65536x4096xf32> -> tensor<1x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x1xf32> -> tensor<f32>
    %pow_1 = mlc_tensor.sqrt %sum : tensor<f32>
    func.return %pow_1 : tensor<f32>
  }
}


// case: logsumexp bf16 16384x16384
builtin.module {
  func.func @case(%x: tensor<16384x16384xbf16>) -> tensor<16384xf32> {
    %_to_copy = mlc_tensor.cast %x : tensor<16384x16384xbf16> -> tensor<16384x16384xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<16384x16384xf32> -> tensor<16384x1xf32>
    %abs = mlc_tensor.abs %amax : tensor<16384x1xf32>
    %constant = mlc_tensor.constant 0x7f800000 : tensor<16384x1xf32>
    %eq = mlc_tensor.eq %abs, %constant : tensor<16384x1xf32>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<16384x1xf32>
    %masked_fill = mlc_tensor.select %eq, %constant_1, %amax : tensor<16384x1xf32>
    %squeeze = mlc_tensor.reshape %masked_fill : tensor<16384x1xf32> -> tensor<16384xf32>
    %broadcast = mlc_tensor.broadcast %masked_fill : tensor<16384x1xf32> -> tensor<16384x16384xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<16384x16384xf32>
    %exp = mlc_tensor.exp %sub : tensor<16384x16384xf32>
    %reduce = mlc_tensor.reduce add %exp dims [1] : tensor<16384x16384xf32> -> tensor<16384x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<16384x1xf32> -> tensor<16384xf32>
    %log = mlc_tensor.log %sum : tensor<16384xf32>
    %add = mlc_tensor.add %log, %squeeze : tensor<16384xf32>
    func.return %add : tensor<16384xf32>
  }
}


// case: x / x.sum() f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %reduce = mlc_tensor.reduce add %x dims [0, 1] : tensor<8192x8192xf32> -> tensor<1x1xf32>
    %sum = mlc_tensor.reshape %reduce : tensor<1x1xf32> -> tensor<f32>
    %broadcast = mlc_tensor.broadcast %sum : tensor<f32> -> tensor<8192x8192xf32>
    %div = mlc_tensor.div %x, %broadcast : tensor<8192x8192xf32>
    func.return %div : tensor<8192x8192xf32>
  }
}


// case: argmax of rows f32
builtin.module {
  func.func @case(%x: tensor<65536x2048xf32>) -> tensor<65536xi64> {
    %reduce = mlc_tensor.reduce argmax %x dims [1] : tensor<65536x2048xf32> -> tensor<65536x1xi64>
    %argmax = mlc_tensor.reshape %reduce : tensor<65536x1xi64> -> tensor<65536xi64>
    func.return %argmax : tensor<65536xi64>
  }
}


// case: count above 1 f16
builtin.module {
  func.func @case(%x: tensor<32768x8192xf16>) -> tensor<32768xi64> {
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<32768x8192xf16>
    %gt = mlc_tensor.gt %x, %constant : tensor<32768x8192xf16>
    %cast = mlc_tensor.cast %gt : tensor<32768x8192xi1> -> tensor<32768x8192xi64>
    %reduce = mlc_tensor.reduce add %cast dims [1] : tensor<32768x8192xi64> -> tensor<32768x1xi64>
    %sum = mlc_tensor.reshape %reduce : tensor<32768x1xi64> -> tensor<32768xi64>
    func.return %sum : tensor<32768xi64>
  }
}


// case: bias gradient bf16
builtin.module {
  func.func @case(%dy: tensor<64x1024x4096xbf16>) -> tensor<4096xbf16> {
    %cast = mlc_tensor.cast %dy : tensor<64x1024x4096xbf16> -> tensor<64x1024x4096xf32>
    %reduce = mlc_tensor.reduce add %cast dims [0, 1] : tensor<64x1024x4096xf32> -> tensor<1x1x4096xf32>
    %cast_1 = mlc_tensor.cast %reduce : tensor<1x1x4096xf32> -> tensor<1x1x4096xbf16>
    %sum = mlc_tensor.reshape %cast_1 : tensor<1x1x4096xbf16> -> tensor<4096xbf16>
    func.return %sum : tensor<4096xbf16>
  }
}
