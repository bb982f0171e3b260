// torch 2.13

// case: softmax bf16 65536x4096
builtin.module {
  func.func @case(%x: tensor<65536x4096xbf16>) -> tensor<65536x4096xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<65536x4096xbf16> -> tensor<65536x4096xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<65536x4096xf32>
    %exp = mlc_tensor.exp %sub : tensor<65536x4096xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<65536x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<65536x4096xf32> -> tensor<65536x4096xbf16>
    func.return %_to_copy_1 : tensor<65536x4096xbf16>
  }
}


// case: softmax bf16 8192x32768
builtin.module {
  func.func @case(%x: tensor<8192x32768xbf16>) -> tensor<8192x32768xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<8192x32768xbf16> -> tensor<8192x32768xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<8192x32768xf32> -> tensor<8192x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<8192x1xf32> -> tensor<8192x32768xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<8192x32768xf32>
    %exp = mlc_tensor.exp %sub : tensor<8192x32768xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<8192x32768xf32> -> tensor<8192x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<8192x1xf32> -> tensor<8192x32768xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<8192x32768xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<8192x32768xf32> -> tensor<8192x32768xbf16>
    func.return %_to_copy_1 : tensor<8192x32768xbf16>
  }
}


// case: softmax bf16 2048x131072
builtin.module {
  func.func @case(%x: tensor<2048x131072xbf16>) -> tensor<2048x131072xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<2048x131072xbf16> -> tensor<2048x131072xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<2048x131072xf32> -> tensor<2048x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<2048x1xf32> -> tensor<2048x131072xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<2048x131072xf32>
    %exp = mlc_tensor.exp %sub : tensor<2048x131072xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<2048x131072xf32> -> tensor<2048x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<2048x1xf32> -> tensor<2048x131072xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<2048x131072xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<2048x131072xf32> -> tensor<2048x131072xbf16>
    func.return %_to_copy_1 : tensor<2048x131072xbf16>
  }
}


// case: softmax f32 512x262144
builtin.module {
  func.func @case(%x: tensor<512x262144xf32>) -> tensor<512x262144xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<512x262144xf32> -> tensor<512x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<512x1xf32> -> tensor<512x262144xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<512x262144xf32>
    %exp = mlc_tensor.exp %sub : tensor<512x262144xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<512x262144xf32> -> tensor<512x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<512x1xf32> -> tensor<512x262144xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<512x262144xf32>
    func.return %div : tensor<512x262144xf32>
  }
}


// case: softmax f32 65536x1024
builtin.module {
  func.func @case(%x: tensor<65536x1024xf32>) -> tensor<65536x1024xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<65536x1024xf32> -> tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<65536x1024xf32>
    %exp = mlc_tensor.exp %sub : tensor<65536x1024xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<65536x1024xf32> -> tensor<65536x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<65536x1xf32> -> tensor<65536x1024xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<65536x1024xf32>
    func.return %div : tensor<65536x1024xf32>
  }
}


// case: softmax f16 262144x512
builtin.module {
  func.func @case(%x: tensor<262144x512xf16>) -> tensor<262144x512xf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<262144x512xf16> -> tensor<262144x512xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<262144x512xf32> -> tensor<262144x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<262144x1xf32> -> tensor<262144x512xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<262144x512xf32>
    %exp = mlc_tensor.exp %sub : tensor<262144x512xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<262144x512xf32> -> tensor<262144x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<262144x1xf32> -> tensor<262144x512xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<262144x512xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<262144x512xf32> -> tensor<262144x512xf16>
    func.return %_to_copy_1 : tensor<262144x512xf16>
  }
}


// case: softmax bf16 2097152x64
builtin.module {
  func.func @case(%x: tensor<2097152x64xbf16>) -> tensor<2097152x64xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<2097152x64xbf16> -> tensor<2097152x64xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [1] : tensor<2097152x64xf32> -> tensor<2097152x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<2097152x1xf32> -> tensor<2097152x64xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<2097152x64xf32>
    %exp = mlc_tensor.exp %sub : tensor<2097152x64xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<2097152x64xf32> -> tensor<2097152x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<2097152x1xf32> -> tensor<2097152x64xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<2097152x64xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<2097152x64xf32> -> tensor<2097152x64xbf16>
    func.return %_to_copy_1 : tensor<2097152x64xbf16>
  }
}


// case: softmax of columns f16 4096x65536
builtin.module {
  func.func @case(%x: tensor<4096x65536xf16>) -> tensor<4096x65536xf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<4096x65536xf16> -> tensor<4096x65536xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [0] : tensor<4096x65536xf32> -> tensor<1x65536xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<1x65536xf32> -> tensor<4096x65536xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<4096x65536xf32>
    %exp = mlc_tensor.exp %sub : tensor<4096x65536xf32>
    %sum = mlc_tensor.reduce add %exp dims [0] : tensor<4096x65536xf32> -> tensor<1x65536xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<1x65536xf32> -> tensor<4096x65536xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<4096x65536xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<4096x65536xf32> -> tensor<4096x65536xf16>
    func.return %_to_copy_1 : tensor<4096x65536xf16>
  }
}


// case: softmax of the middle axis f32
builtin.module {
  func.func @case(%x: tensor<256x1024x512xf32>) -> tensor<256x1024x512xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<256x1024x512xf32> -> tensor<256x1x512xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<256x1x512xf32> -> tensor<256x1024x512xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<256x1024x512xf32>
    %exp = mlc_tensor.exp %sub : tensor<256x1024x512xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<256x1024x512xf32> -> tensor<256x1x512xf32>
    %broadcast_1 = mlc_tensor.broadcast %sum : tensor<256x1x512xf32> -> tensor<256x1024x512xf32>
    %div = mlc_tensor.div %exp, %broadcast_1 : tensor<256x1024x512xf32>
    func.return %div : tensor<256x1024x512xf32>
  }
}


// case: log_softmax f32 16384x8192
builtin.module {
  func.func @case(%x: tensor<16384x8192xf32>) -> tensor<16384x8192xf32> {
    %amax = mlc_tensor.reduce max %x dims [1] : tensor<16384x8192xf32> -> tensor<16384x1xf32>
    %broadcast = mlc_tensor.broadcast %amax : tensor<16384x1xf32> -> tensor<16384x8192xf32>
    %sub = mlc_tensor.sub %x, %broadcast : tensor<16384x8192xf32>
    %exp = mlc_tensor.exp %sub : tensor<16384x8192xf32>
    %sum = mlc_tensor.reduce add %exp dims [1] : tensor<16384x8192xf32> -> tensor<16384x1xf32>
    %log = mlc_tensor.log %sum : tensor<16384x1xf32>
    %broadcast_1 = mlc_tensor.broadcast %log : tensor<16384x1xf32> -> tensor<16384x8192xf32>
    %sub_1 = mlc_tensor.sub %sub, %broadcast_1 : tensor<16384x8192xf32>
    func.return %sub_1 : tensor<16384x8192xf32>
  }
}


// case: causal softmax bf16 64x2048x2048
builtin.module {
  func.func @case(%scores: tensor<64x2048x2048xbf16>) -> tensor<64x2048x2048xbf16> {
    %places = mlc_tensor.iota dim 0 : tensor<2048xi64>
    %unsqueeze = mlc_tensor.reshape %places : tensor<2048xi64> -> tensor<2048x1xi64>
    %broadcast = mlc_tensor.broadcast %unsqueeze : tensor<2048x1xi64> -> tensor<2048x2048xi64>
    %broadcast_1 = mlc_tensor.broadcast %places : tensor<2048xi64> -> tensor<2048x2048xi64>
    %hidden = mlc_tensor.lt %broadcast, %broadcast_1 : tensor<2048x2048xi64>
    %constant = mlc_tensor.constant 1.250000e-01 : tensor<64x2048x2048xbf16>
    %mul = mlc_tensor.mul %scores, %constant : tensor<64x2048x2048xbf16>
    %broadcast_2 = mlc_tensor.broadcast %hidden : tensor<2048x2048xi1> -> tensor<64x2048x2048xi1>
    %constant_1 = mlc_tensor.constant 0xff80 : tensor<64x2048x2048xbf16>
    %where = mlc_tensor.select %broadcast_2, %constant_1, %mul : tensor<64x2048x2048xbf16>
    %_to_copy = mlc_tensor.cast %where : tensor<64x2048x2048xbf16> -> tensor<64x2048x2048xf32>
    %amax = mlc_tensor.reduce max %_to_copy dims [2] : tensor<64x2048x2048xf32> -> tensor<64x2048x1xf32>
    %broadcast_3 = mlc_tensor.broadcast %amax : tensor<64x2048x1xf32> -> tensor<64x2048x2048xf32>
    %sub = mlc_tensor.sub %_to_copy, %broadcast_3 : tensor<64x2048x2048xf32>
    %exp = mlc_tensor.exp %sub : tensor<64x2048x2048xf32>
    %sum = mlc_tensor.reduce add %exp dims [2] : tensor<64x2048x2048xf32> -> tensor<64x2048x1xf32>
    %broadcast_4 = mlc_tensor.broadcast %sum : tensor<64x2048x1xf32> -> tensor<64x2048x2048xf32>
    %div = mlc_tensor.div %exp, %broadcast_4 : tensor<64x2048x2048xf32>
    %_to_copy_1 = mlc_tensor.cast %div : tensor<64x2048x2048xf32> -> tensor<64x2048x2048xbf16>
    func.return %_to_copy_1 : tensor<64x2048x2048xbf16>
  }
}


// case: softmax backward bf16 65536x4096
builtin.module {
  func.func @case(%dy: tensor<65536x4096xbf16>, %y: tensor<65536x4096xbf16>) -> tensor<65536x4096xbf16> {
    %_to_copy = mlc_tensor.cast %dy : tensor<65536x4096xbf16> -> tensor<65536x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %y : tensor<65536x4096xbf16> -> tensor<65536x4096xf32>
    %mul = mlc_tensor.mul %_to_copy, %_to_copy_1 : tensor<65536x4096xf32>
    %sum = mlc_tensor.reduce add %mul dims [1] : tensor<65536x4096xf32> -> tensor<65536x1xf32>
    %broadcast = mlc_tensor.broadcast %sum : tensor<65536x1xf32> -> tensor<65536x4096xf32>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %broadcast : tensor<65536x4096xf32>
    %sub = mlc_tensor.sub %mul, %mul_1 : tensor<65536x4096xf32>
    %_to_copy_2 = mlc_tensor.cast %sub : tensor<65536x4096xf32> -> tensor<65536x4096xbf16>
    func.return %_to_copy_2 : tensor<65536x4096xbf16>
  }
}
