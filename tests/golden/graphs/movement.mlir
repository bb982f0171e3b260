// torch 2.13

// case: transpose f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %t = mlc_tensor.permute %x [1, 0] : tensor<8192x8192xf32> -> tensor<8192x8192xf32>
    func.return %t : tensor<8192x8192xf32>
  }
}


// case: transposed add f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>, %y: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32> {mlc.strides = ["1", "8192"]}) {
    %t = mlc_tensor.permute %x [1, 0] : tensor<8192x8192xf32> -> tensor<8192x8192xf32>
    %add = mlc_tensor.add %t, %y : tensor<8192x8192xf32>
    func.return %add : tensor<8192x8192xf32>
  }
}


// case: transpose + relu f16
builtin.module {
  func.func @case(%x: tensor<64x1024x2048xf16>) -> tensor<64x2048x1024xf16> {
    %transpose = mlc_tensor.permute %x [0, 2, 1] : tensor<64x1024x2048xf16> -> tensor<64x2048x1024xf16>
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<64x2048x1024xf16>
    %relu = mlc_tensor.maximum %transpose, %constant : tensor<64x2048x1024xf16>
    func.return %relu : tensor<64x2048x1024xf16>
  }
}


// case: heads to rows bf16
builtin.module {
  func.func @case(%x: tensor<32x32x2048x128xbf16>) -> tensor<32x2048x4096xbf16> {
    %transpose = mlc_tensor.permute %x [0, 2, 1, 3] : tensor<32x32x2048x128xbf16> -> tensor<32x2048x32x128xbf16>
    %_unsafe_view = mlc_tensor.reshape %transpose : tensor<32x2048x32x128xbf16> -> tensor<32x2048x4096xbf16>
    func.return %_unsafe_view : tensor<32x2048x4096xbf16>
  }
}


// case: channels to the end bf16
builtin.module {
  func.func @case(%x: tensor<64x256x56x56xbf16>) -> tensor<64x56x56x256xbf16> {
    %permute = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<64x256x56x56xbf16> -> tensor<64x56x56x256xbf16>
    func.return %permute : tensor<64x56x56x256xbf16>
  }
}


// case: concatenate 3 f32
builtin.module {
  func.func @case(%x: tensor<8192x4096xf32>, %y: tensor<8192x2048xf32>, %z: tensor<8192x1024xf32>) -> tensor<8192x7168xf32> {
    %cat = mlc_tensor.cat %x, %y, %z dim 1 : (tensor<8192x4096xf32>, tensor<8192x2048xf32>, tensor<8192x1024xf32>) -> tensor<8192x7168xf32>
    func.return %cat : tensor<8192x7168xf32>
  }
}


// case: pad and relu f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8194x8200xf32> {
    %constant_pad_nd = mlc_tensor.pad %x low [2, 3] value 0.000000e+00 : f32 : tensor<8192x8192xf32> -> tensor<8194x8200xf32>
    %constant = mlc_tensor.constant 0.000000e+00 : tensor<8194x8200xf32>
    %relu = mlc_tensor.maximum %constant_pad_nd, %constant : tensor<8194x8200xf32>
    func.return %relu : tensor<8194x8200xf32>
  }
}


// case: slice and scale f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x4096xf32> {
    %slice = mlc_tensor.slice %x [0, 0] step [1, 2] : tensor<8192x8192xf32> -> tensor<8192x4096xf32>
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<8192x4096xf32>
    %mul = mlc_tensor.mul %slice, %constant : tensor<8192x4096xf32>
    func.return %mul : tensor<8192x4096xf32>
  }
}


// case: roll f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %roll = mlc_tensor.roll %x [8187, 3] : tensor<8192x8192xf32> -> tensor<8192x8192xf32>
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<8192x8192xf32>
    %add = mlc_tensor.add %roll, %constant : tensor<8192x8192xf32>
    func.return %add : tensor<8192x8192xf32>
  }
}


// case: flip and add bf16
builtin.module {
  func.func @case(%x: tensor<65536x2048xbf16>) -> tensor<65536x2048xbf16> {
    %flip = mlc_tensor.slice %x [0, 2047] step [1, -1] : tensor<65536x2048xbf16> -> tensor<65536x2048xbf16>
    %add = mlc_tensor.add %x, %flip : tensor<65536x2048xbf16>
    func.return %add : tensor<65536x2048xbf16>
  }
}


// case: channel shuffle bf16
builtin.module {
  func.func @case(%x: tensor<64x256x56x56xbf16>) -> tensor<64x256x56x56xbf16> {
    %view = mlc_tensor.reshape %x : tensor<64x256x56x56xbf16> -> tensor<64x8x32x56x56xbf16>
    %transpose = mlc_tensor.permute %view [0, 2, 1, 3, 4] : tensor<64x8x32x56x56xbf16> -> tensor<64x32x8x56x56xbf16>
    %_unsafe_view = mlc_tensor.reshape %transpose : tensor<64x32x8x56x56xbf16> -> tensor<64x256x56x56xbf16>
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<64x256x56x56xbf16>
    %mul = mlc_tensor.mul %_unsafe_view, %constant : tensor<64x256x56x56xbf16>
    func.return %mul : tensor<64x256x56x56xbf16>
  }
}


// case: repeat key heads bf16
builtin.module {
  func.func @case(%k: tensor<8x8x4096x128xbf16>) -> tensor<8x32x4096x128xbf16> {
    %unsqueeze = mlc_tensor.reshape %k : tensor<8x8x4096x128xbf16> -> tensor<8x8x1x4096x128xbf16>
    %expand = mlc_tensor.broadcast %unsqueeze : tensor<8x8x1x4096x128xbf16> -> tensor<8x8x4x4096x128xbf16>
    %_unsafe_view = mlc_tensor.reshape %expand : tensor<8x8x4x4096x128xbf16> -> tensor<8x32x4096x128xbf16>
    func.return %_unsafe_view : tensor<8x32x4096x128xbf16>
  }
}


// case: rotary q and k bf16
builtin.module {
  func.func @case(%q: tensor<4x32x4096x128xbf16>, %k: tensor<4x8x4096x128xbf16>, %cos: tensor<4096x128xbf16>, %sin: tensor<4096x128xbf16>) -> (tensor<4x32x4096x128xbf16>, tensor<4x8x4096x128xbf16>) {
    %broadcast = mlc_tensor.broadcast %cos : tensor<4096x128xbf16> -> tensor<4x32x4096x128xbf16>
    %mul = mlc_tensor.mul %q, %broadcast : tensor<4x32x4096x128xbf16>
    %slice = mlc_tensor.slice %q [0, 0, 0, 64] step [1, 1, 1, 1] : tensor<4x32x4096x128xbf16> -> tensor<4x32x4096x64xbf16>
    %neg = mlc_tensor.neg %slice : tensor<4x32x4096x64xbf16>
    %slice_1 = mlc_tensor.slice %q [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<4x32x4096x128xbf16> -> tensor<4x32x4096x64xbf16>
    %cat = mlc_tensor.cat %neg, %slice_1 dim 3 : (tensor<4x32x4096x64xbf16>, tensor<4x32x4096x64xbf16>) -> tensor<4x32x4096x128xbf16>
    %broadcast_1 = mlc_tensor.broadcast %sin : tensor<4096x128xbf16> -> tensor<4x32x4096x128xbf16>
    %mul_1 = mlc_tensor.mul %cat, %broadcast_1 : tensor<4x32x4096x128xbf16>
    %add = mlc_tensor.add %mul, %mul_1 : tensor<4x32x4096x128xbf16>
    %broadcast_2 = mlc_tensor.broadcast %cos : tensor<4096x128xbf16> -> tensor<4x8x4096x128xbf16>
    %mul_2 = mlc_tensor.mul %k, %broadcast_2 : tensor<4x8x4096x128xbf16>
    %slice_2 = mlc_tensor.slice %k [0, 0, 0, 64] step [1, 1, 1, 1] : tensor<4x8x4096x128xbf16> -> tensor<4x8x4096x64xbf16>
    %neg_1 = mlc_tensor.neg %slice_2 : tensor<4x8x4096x64xbf16>
    %slice_3 = mlc_tensor.slice %k [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<4x8x4096x128xbf16> -> tensor<4x8x4096x64xbf16>
    %cat_1 = mlc_tensor.cat %neg_1, %slice_3 dim 3 : (tensor<4x8x4096x64xbf16>, tensor<4x8x4096x64xbf16>) -> tensor<4x8x4096x128xbf16>
    %broadcast_3 = mlc_tensor.broadcast %sin : tensor<4096x128xbf16> -> tensor<4x8x4096x128xbf16>
    %mul_3 = mlc_tensor.mul %cat_1, %broadcast_3 : tensor<4x8x4096x128xbf16>
    %add_1 = mlc_tensor.add %mul_2, %mul_3 : tensor<4x8x4096x128xbf16>
    func.return %add, %add_1 : tensor<4x32x4096x128xbf16>, tensor<4x8x4096x128xbf16>
  }
}


// case: rotary q and k f32
builtin.module {
  func.func @case(%q: tensor<2x32x4096x128xf32>, %k: tensor<2x32x4096x128xf32>, %cos: tensor<4096x128xf32>, %sin: tensor<4096x128xf32>) -> (tensor<2x32x4096x128xf32>, tensor<2x32x4096x128xf32>) {
    %broadcast = mlc_tensor.broadcast %cos : tensor<4096x128xf32> -> tensor<2x32x4096x128xf32>
    %mul = mlc_tensor.mul %q, %broadcast : tensor<2x32x4096x128xf32>
    %slice = mlc_tensor.slice %q [0, 0, 0, 64] step [1, 1, 1, 1] : tensor<2x32x4096x128xf32> -> tensor<2x32x4096x64xf32>
    %neg = mlc_tensor.neg %slice : tensor<2x32x4096x64xf32>
    %slice_1 = mlc_tensor.slice %q [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x32x4096x128xf32> -> tensor<2x32x4096x64xf32>
    %cat = mlc_tensor.cat %neg, %slice_1 dim 3 : (tensor<2x32x4096x64xf32>, tensor<2x32x4096x64xf32>) -> tensor<2x32x4096x128xf32>
    %broadcast_1 = mlc_tensor.broadcast %sin : tensor<4096x128xf32> -> tensor<2x32x4096x128xf32>
    %mul_1 = mlc_tensor.mul %cat, %broadcast_1 : tensor<2x32x4096x128xf32>
    %add = mlc_tensor.add %mul, %mul_1 : tensor<2x32x4096x128xf32>
    %broadcast_2 = mlc_tensor.broadcast %cos : tensor<4096x128xf32> -> tensor<2x32x4096x128xf32>
    %mul_2 = mlc_tensor.mul %k, %broadcast_2 : tensor<2x32x4096x128xf32>
    %slice_2 = mlc_tensor.slice %k [0, 0, 0, 64] step [1, 1, 1, 1] : tensor<2x32x4096x128xf32> -> tensor<2x32x4096x64xf32>
    %neg_1 = mlc_tensor.neg %slice_2 : tensor<2x32x4096x64xf32>
    %slice_3 = mlc_tensor.slice %k [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x32x4096x128xf32> -> tensor<2x32x4096x64xf32>
    %cat_1 = mlc_tensor.cat %neg_1, %slice_3 dim 3 : (tensor<2x32x4096x64xf32>, tensor<2x32x4096x64xf32>) -> tensor<2x32x4096x128xf32>
    %broadcast_3 = mlc_tensor.broadcast %sin : tensor<4096x128xf32> -> tensor<2x32x4096x128xf32>
    %mul_3 = mlc_tensor.mul %cat_1, %broadcast_3 : tensor<2x32x4096x128xf32>
    %add_1 = mlc_tensor.add %mul_2, %mul_3 : tensor<2x32x4096x128xf32>
    func.return %add, %add_1 : tensor<2x32x4096x128xf32>, tensor<2x32x4096x128xf32>
  }
}
