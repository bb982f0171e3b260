// torch 2.13

// case: relu(x*2 + 1) f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %x, %constant : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<8192x8192xf32>
    %add = mlc_tensor.add %mul, %constant_1 : tensor<8192x8192xf32>
    %constant_2 = mlc_tensor.constant 0.000000e+00 : tensor<8192x8192xf32>
    %relu = mlc_tensor.maximum %add, %constant_2 : tensor<8192x8192xf32>
    func.return %relu : tensor<8192x8192xf32>
  }
}


// case: relu(x*2 + bias) f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>, %b: tensor<8192xf32>) -> tensor<8192x8192xf32> {
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %x, %constant : tensor<8192x8192xf32>
    %broadcast = mlc_tensor.broadcast %b : tensor<8192xf32> -> tensor<8192x8192xf32>
    %add = mlc_tensor.add %mul, %broadcast : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<8192x8192xf32>
    %relu = mlc_tensor.maximum %add, %constant_1 : tensor<8192x8192xf32>
    func.return %relu : tensor<8192x8192xf32>
  }
}


// case: gelu by hand f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %constant = mlc_tensor.constant 5.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %x, %constant : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 0.707106769 : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %x, %constant_1 : tensor<8192x8192xf32>
    %erf = mlc_tensor.erf %mul_1 : tensor<8192x8192xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<8192x8192xf32>
    %add = mlc_tensor.add %erf, %constant_2 : tensor<8192x8192xf32>
    %mul_2 = mlc_tensor.mul %mul, %add : tensor<8192x8192xf32>
    func.return %mul_2 : tensor<8192x8192xf32>
  }
}


// case: silu(x*1.5) - x/4 f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %constant = mlc_tensor.constant 1.500000e+00 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %x, %constant : tensor<8192x8192xf32>
    %sigmoid = mlc_tensor.sigmoid %mul : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %mul, %sigmoid : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 4.000000e+00 : tensor<8192x8192xf32>
    %div = mlc_tensor.div %x, %constant_1 : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %mul_1, %div : tensor<8192x8192xf32>
    func.return %sub : tensor<8192x8192xf32>
  }
}


// case: (x + y) * 0.5 f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>, %y: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %add = mlc_tensor.add %x, %y : tensor<8192x8192xf32>
    %constant = mlc_tensor.constant 5.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %add, %constant : tensor<8192x8192xf32>
    func.return %mul : tensor<8192x8192xf32>
  }
}


// case: sin and cos f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>) {
    %sin = mlc_tensor.sin %x : tensor<8192x8192xf32>
    %cos = mlc_tensor.cos %x : tensor<8192x8192xf32>
    func.return %sin, %cos : tensor<8192x8192xf32>, tensor<8192x8192xf32>
  }
}


// case: tanh(a*x + y) * x f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>, %y: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %constant = mlc_tensor.constant 7.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %x, %constant : tensor<8192x8192xf32>
    %add = mlc_tensor.add %mul, %y : tensor<8192x8192xf32>
    %tanh = mlc_tensor.tanh %add : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %tanh, %x : tensor<8192x8192xf32>
    func.return %mul_1 : tensor<8192x8192xf32>
  }
}


// case: relu(x*2 + 1) * x bf16
builtin.module {
  func.func @case(%x: tensor<65536x4096xbf16>) -> tensor<65536x4096xbf16> {
    %constant = mlc_tensor.constant 2.000000e+00 : tensor<65536x4096xbf16>
    %mul = mlc_tensor.mul %x, %constant : tensor<65536x4096xbf16>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<65536x4096xbf16>
    %add = mlc_tensor.add %mul, %constant_1 : tensor<65536x4096xbf16>
    %constant_2 = mlc_tensor.constant 0.000000e+00 : tensor<65536x4096xbf16>
    %relu = mlc_tensor.maximum %add, %constant_2 : tensor<65536x4096xbf16>
    %mul_1 = mlc_tensor.mul %relu, %x : tensor<65536x4096xbf16>
    func.return %mul_1 : tensor<65536x4096xbf16>
  }
}


// case: bias + erf-gelu bf16
builtin.module {
  func.func @case(%x: tensor<16384x16384xbf16>, %b: tensor<16384xbf16>) -> tensor<16384x16384xbf16> {
    %broadcast = mlc_tensor.broadcast %b : tensor<16384xbf16> -> tensor<16384x16384xbf16>
    %add = mlc_tensor.add %x, %broadcast : tensor<16384x16384xbf16>
    %_to_copy = mlc_tensor.cast %add : tensor<16384x16384xbf16> -> tensor<16384x16384xf32>
    %constant = mlc_tensor.constant 5.000000e-01 : tensor<16384x16384xf32>
    %mul = mlc_tensor.mul %_to_copy, %constant : tensor<16384x16384xf32>
    %constant_1 = mlc_tensor.constant 0.707106769 : tensor<16384x16384xf32>
    %mul_1 = mlc_tensor.mul %_to_copy, %constant_1 : tensor<16384x16384xf32>
    %erf = mlc_tensor.erf %mul_1 : tensor<16384x16384xf32>
    %constant_2 = mlc_tensor.constant 1.000000e+00 : tensor<16384x16384xf32>
    %add_1 = mlc_tensor.add %erf, %constant_2 : tensor<16384x16384xf32>
    %mul_2 = mlc_tensor.mul %mul, %add_1 : tensor<16384x16384xf32>
    %_to_copy_1 = mlc_tensor.cast %mul_2 : tensor<16384x16384xf32> -> tensor<16384x16384xbf16>
    func.return %_to_copy_1 : tensor<16384x16384xbf16>
  }
}


// case: bias + tanh-gelu bf16
builtin.module {
  func.func @case(%x: tensor<16384x16384xbf16>, %b: tensor<16384xbf16>) -> tensor<16384x16384xbf16> {
    %broadcast = mlc_tensor.broadcast %b : tensor<16384xbf16> -> tensor<16384x16384xbf16>
    %add = mlc_tensor.add %x, %broadcast : tensor<16384x16384xbf16>
    %_to_copy = mlc_tensor.cast %add : tensor<16384x16384xbf16> -> tensor<16384x16384xf32>
    %mul = mlc_tensor.mul %_to_copy, %_to_copy : tensor<16384x16384xf32>
    %mul_1 = mlc_tensor.mul %mul, %_to_copy : tensor<16384x16384xf32>
    %constant = mlc_tensor.constant 4.471500e-02 : tensor<16384x16384xf32>
    %mul_2 = mlc_tensor.mul %mul_1, %constant : tensor<16384x16384xf32>
    %add_1 = mlc_tensor.add %_to_copy, %mul_2 : tensor<16384x16384xf32>
    %constant_1 = mlc_tensor.constant 0.797884583 : tensor<16384x16384xf32>
    %mul_3 = mlc_tensor.mul %add_1, %constant_1 : tensor<16384x16384xf32>
    %constant_2 = mlc_tensor.constant 5.000000e-01 : tensor<16384x16384xf32>
    %mul_4 = mlc_tensor.mul %_to_copy, %constant_2 : tensor<16384x16384xf32>
    %tanh = mlc_tensor.tanh %mul_3 : tensor<16384x16384xf32>
    %constant_3 = mlc_tensor.constant 1.000000e+00 : tensor<16384x16384xf32>
    %add_2 = mlc_tensor.add %tanh, %constant_3 : tensor<16384x16384xf32>
    %mul_5 = mlc_tensor.mul %mul_4, %add_2 : tensor<16384x16384xf32>
    %_to_copy_1 = mlc_tensor.cast %mul_5 : tensor<16384x16384xf32> -> tensor<16384x16384xbf16>
    func.return %_to_copy_1 : tensor<16384x16384xbf16>
  }
}


// case: swiglu bf16
builtin.module {
  func.func @case(%x: tensor<16384x11008xbf16>, %g: tensor<16384x11008xbf16>) -> tensor<16384x11008xbf16> {
    %_to_copy = mlc_tensor.cast %g : tensor<16384x11008xbf16> -> tensor<16384x11008xf32>
    %sigmoid = mlc_tensor.sigmoid %_to_copy : tensor<16384x11008xf32>
    %mul = mlc_tensor.mul %_to_copy, %sigmoid : tensor<16384x11008xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<16384x11008xf32> -> tensor<16384x11008xbf16>
    %mul_1 = mlc_tensor.mul %_to_copy_1, %x : tensor<16384x11008xbf16>
    func.return %mul_1 : tensor<16384x11008xbf16>
  }
}


// case: swiglu backward bf16
builtin.module {
  func.func @case(%dy: tensor<8192x11008xbf16>, %x: tensor<8192x11008xbf16>, %g: tensor<8192x11008xbf16>) -> (tensor<8192x11008xbf16>, tensor<8192x11008xbf16>) {
    %s = mlc_tensor.sigmoid %g : tensor<8192x11008xbf16>
    %mul = mlc_tensor.mul %dy, %g : tensor<8192x11008xbf16>
    %mul_1 = mlc_tensor.mul %mul, %s : tensor<8192x11008xbf16>
    %mul_2 = mlc_tensor.mul %dy, %x : tensor<8192x11008xbf16>
    %mul_3 = mlc_tensor.mul %mul_2, %s : tensor<8192x11008xbf16>
    %constant = mlc_tensor.constant 1.000000e+00 : tensor<8192x11008xbf16>
    %rsub = mlc_tensor.sub %constant, %s : tensor<8192x11008xbf16>
    %mul_4 = mlc_tensor.mul %g, %rsub : tensor<8192x11008xbf16>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<8192x11008xbf16>
    %add = mlc_tensor.add %mul_4, %constant_1 : tensor<8192x11008xbf16>
    %mul_5 = mlc_tensor.mul %mul_3, %add : tensor<8192x11008xbf16>
    func.return %mul_1, %mul_5 : tensor<8192x11008xbf16>, tensor<8192x11008xbf16>
  }
}


// case: gelu backward bf16
builtin.module {
  func.func @case(%dy: tensor<16384x16384xbf16>, %x: tensor<16384x16384xbf16>) -> tensor<16384x16384xbf16> {
    %_to_copy = mlc_tensor.cast %dy : tensor<16384x16384xbf16> -> tensor<16384x16384xf32>
    %_to_copy_1 = mlc_tensor.cast %x : tensor<16384x16384xbf16> -> tensor<16384x16384xf32>
    %constant = mlc_tensor.constant 0.707106769 : tensor<16384x16384xf32>
    %mul = mlc_tensor.mul %_to_copy_1, %constant : tensor<16384x16384xf32>
    %erf = mlc_tensor.erf %mul : tensor<16384x16384xf32>
    %constant_1 = mlc_tensor.constant 1.000000e+00 : tensor<16384x16384xf32>
    %add = mlc_tensor.add %erf, %constant_1 : tensor<16384x16384xf32>
    %constant_2 = mlc_tensor.constant 5.000000e-01 : tensor<16384x16384xf32>
    %mul_1 = mlc_tensor.mul %add, %constant_2 : tensor<16384x16384xf32>
    %mul_2 = mlc_tensor.mul %_to_copy_1, %_to_copy_1 : tensor<16384x16384xf32>
    %constant_3 = mlc_tensor.constant -5.000000e-01 : tensor<16384x16384xf32>
    %mul_3 = mlc_tensor.mul %mul_2, %constant_3 : tensor<16384x16384xf32>
    %exp = mlc_tensor.exp %mul_3 : tensor<16384x16384xf32>
    %constant_4 = mlc_tensor.constant 0.398942292 : tensor<16384x16384xf32>
    %mul_4 = mlc_tensor.mul %exp, %constant_4 : tensor<16384x16384xf32>
    %mul_5 = mlc_tensor.mul %_to_copy_1, %mul_4 : tensor<16384x16384xf32>
    %add_1 = mlc_tensor.add %mul_1, %mul_5 : tensor<16384x16384xf32>
    %mul_6 = mlc_tensor.mul %_to_copy, %add_1 : tensor<16384x16384xf32>
    %_to_copy_2 = mlc_tensor.cast %mul_6 : tensor<16384x16384xf32> -> tensor<16384x16384xbf16>
    func.return %_to_copy_2 : tensor<16384x16384xbf16>
  }
}


// case: mish f16
builtin.module {
  func.func @case(%input: tensor<65536x4096xf16>) -> tensor<65536x4096xf16> {
    %_to_copy = mlc_tensor.cast %input : tensor<65536x4096xf16> -> tensor<65536x4096xf32>
    %exp = mlc_tensor.exp %_to_copy : tensor<65536x4096xf32>
    %log1p = mlc_tensor.log1p %exp : tensor<65536x4096xf32>
    %constant = mlc_tensor.constant 2.000000e+01 : tensor<65536x4096xf32>
    %gt = mlc_tensor.gt %_to_copy, %constant : tensor<65536x4096xf32>
    %where = mlc_tensor.select %gt, %_to_copy, %log1p : tensor<65536x4096xf32>
    %tanh = mlc_tensor.tanh %where : tensor<65536x4096xf32>
    %mul = mlc_tensor.mul %_to_copy, %tanh : tensor<65536x4096xf32>
    %_to_copy_1 = mlc_tensor.cast %mul : tensor<65536x4096xf32> -> tensor<65536x4096xf16>
    func.return %_to_copy_1 : tensor<65536x4096xf16>
  }
}


// case: log1p(x*x) ** 0.5 f32
builtin.module {
  func.func @case(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
    %mul = mlc_tensor.mul %x, %x : tensor<8192x8192xf32>
    %log1p = mlc_tensor.log1p %mul : tensor<8192x8192xf32>
    %sqrt = mlc_tensor.sqrt %log1p : tensor<8192x8192xf32>
    func.return %sqrt : tensor<8192x8192xf32>
  }
}


// case: masked scale f16
builtin.module {
  func.func @case(%x: tensor<65536x4096xf16>, %m: tensor<65536x4096xi1>) -> tensor<65536x4096xf16> {
    %constant = mlc_tensor.constant 1.250000e+00 : tensor<65536x4096xf16>
    %mul = mlc_tensor.mul %x, %constant : tensor<65536x4096xf16>
    %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<65536x4096xf16>
    %where = mlc_tensor.select %m, %mul, %constant_1 : tensor<65536x4096xf16>
    func.return %where : tensor<65536x4096xf16>
  }
}
