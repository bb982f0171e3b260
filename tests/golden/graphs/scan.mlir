// torch 2.13

// case: cumsum f32 65536x1024
builtin.module {
  func.func @case(%x: tensor<65536x1024xf32>) -> tensor<65536x1024xf32> {
    %cumsum = mlc_tensor.scan add %x dim 1 : tensor<65536x1024xf32> -> tensor<65536x1024xf32>
    func.return %cumsum : tensor<65536x1024xf32>
  }
}


// case: cumsum bf16 16384x8192
builtin.module {
  func.func @case(%x: tensor<16384x8192xbf16>) -> tensor<16384x8192xbf16> {
    %_to_copy = mlc_tensor.cast %x : tensor<16384x8192xbf16> -> tensor<16384x8192xf32>
    %cumsum = mlc_tensor.scan add %_to_copy dim 1 : tensor<16384x8192xf32> -> tensor<16384x8192xf32>
    %_to_copy_1 = mlc_tensor.cast %cumsum : tensor<16384x8192xf32> -> tensor<16384x8192xbf16>
    func.return %_to_copy_1 : tensor<16384x8192xbf16>
  }
}


// case: cumsum f32 64x1048576
builtin.module {
  func.func @case(%x: tensor<64x1048576xf32>) -> tensor<64x1048576xf32> {
    %cumsum = mlc_tensor.scan add %x dim 1 : tensor<64x1048576xf32> -> tensor<64x1048576xf32>
    func.return %cumsum : tensor<64x1048576xf32>
  }
}


// case: cumsum of columns f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %cumsum = mlc_tensor.scan add %x dim 0 : tensor<8192x8192xf32> -> tensor<8192x8192xf32>
    func.return %cumsum : tensor<8192x8192xf32>
  }
}


// case: exclusive cumsum of a mask f32
builtin.module {
  func.func @case(%x: tensor<32768x2048xf32>) -> tensor<32768x2048xf32> {
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<32768x2048xf32>
    %gt = mlc_tensor.gt %x, %constant : tensor<32768x2048xf32>
    %_to_copy = mlc_tensor.cast %gt : tensor<32768x2048xi1> -> tensor<32768x2048xf32>
    %cumsum = mlc_tensor.scan add %_to_copy dim 1 : tensor<32768x2048xf32> -> tensor<32768x2048xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<32768x2048xf32>
    %sub = mlc_tensor.sub %cumsum, %constant_1 : tensor<32768x2048xf32>
    func.return %sub : tensor<32768x2048xf32>
  }
}
