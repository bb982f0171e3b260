// torch 2.13

// case: column scale f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>, %c: tensor<8192x1xf32>) -> tensor<8192x8192xf32> {
    %broadcast = mlc_tensor.broadcast %c : tensor<8192x1xf32> -> tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %x, %broadcast : tensor<8192x8192xf32>
    func.return %mul : tensor<8192x8192xf32>
  }
}


// case: channel scale and shift bf16
builtin.module {
  func.func @case(%x: tensor<64x256x56x56xbf16>, %s: tensor<256xbf16>, %b: tensor<256xbf16>) -> tensor<64x256x56x56xbf16> {
    %unsqueeze = mlc_tensor.reshape %s : tensor<256xbf16> -> tensor<256x1xbf16>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<256x1xbf16> -> tensor<256x1x1xbf16>
    %broadcast = mlc_tensor.broadcast %unsqueeze_1 : tensor<256x1x1xbf16> -> tensor<64x256x56x56xbf16>
    %mul = mlc_tensor.mul %x, %broadcast : tensor<64x256x56x56xbf16>
    %unsqueeze_2 = mlc_tensor.reshape %b : tensor<256xbf16> -> tensor<256x1xbf16>
    %unsqueeze_3 = mlc_tensor.reshape %unsqueeze_2 : tensor<256x1xbf16> -> tensor<256x1x1xbf16>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_3 : tensor<256x1x1xbf16> -> tensor<64x256x56x56xbf16>
    %add = mlc_tensor.add %mul, %broadcast_1 : tensor<64x256x56x56xbf16>
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<64x256x56x56xbf16>
    %relu = mlc_tensor.maximum %add, %constant : tensor<64x256x56x56xbf16>
    func.return %relu : tensor<64x256x56x56xbf16>
  }
}


// case: outer difference bf16
builtin.module {
  func.func @case(%x: tensor<16384xbf16>, %y: tensor<16384xbf16>) -> tensor<16384x16384xbf16> {
    %unsqueeze = mlc_tensor.reshape %x : tensor<16384xbf16> -> tensor<16384x1xbf16>
    %broadcast = mlc_tensor.broadcast %unsqueeze : tensor<16384x1xbf16> -> tensor<16384x16384xbf16>
    %broadcast_1 = mlc_tensor.broadcast %y : tensor<16384xbf16> -> tensor<16384x16384xbf16>
    %sub = mlc_tensor.sub %broadcast, %broadcast_1 : tensor<16384x16384xbf16>
    %abs = mlc_tensor.abs %sub : tensor<16384x16384xbf16>
    func.return %abs : tensor<16384x16384xbf16>
  }
}


// case: attention bias and mask bf16
builtin.module {
  func.func @case(%s: tensor<8x16x1024x1024xbf16>, %bias: tensor<16x1024x1024xbf16>, %mask: tensor<8x1024xi1>) -> tensor<8x16x1024x1024xbf16> {
    %unsqueeze = mlc_tensor.reshape %mask : tensor<8x1024xi1> -> tensor<8x1x1024xi1>
    %unsqueeze_1 = mlc_tensor.reshape %unsqueeze : tensor<8x1x1024xi1> -> tensor<8x1x1x1024xi1>
    %constant = mlc_tensor.constant 1.250000e-01 : tensor<8x16x1024x1024xbf16>
    %mul = mlc_tensor.mul %s, %constant : tensor<8x16x1024x1024xbf16>
    %broadcast = mlc_tensor.broadcast %bias : tensor<16x1024x1024xbf16> -> tensor<8x16x1024x1024xbf16>
    %add = mlc_tensor.add %mul, %broadcast : tensor<8x16x1024x1024xbf16>
    %broadcast_1 = mlc_tensor.broadcast %unsqueeze_1 : tensor<8x1x1x1024xi1> -> tensor<8x16x1024x1024xi1>
    %constant_1 = mlc_tensor.constant -9.984000e+03 : tensor<8x16x1024x1024xbf16>
    %where = mlc_tensor.select %broadcast_1, %add, %constant_1 : tensor<8x16x1024x1024xbf16>
    func.return %where : tensor<8x16x1024x1024xbf16>
  }
}
