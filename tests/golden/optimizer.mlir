// torch 2.13

// case: adamw step f32
builtin.module {
  func.func @case(%p: tensor<8192x8192xf32>, %g: tensor<8192x8192xf32>, %m: tensor<8192x8192xf32>, %v: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>) {
    %constant = mlc_tensor.constant 9.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %m, %constant : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-01 : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %g, %constant_1 : tensor<8192x8192xf32>
    %m_1 = mlc_tensor.add %mul, %mul_1 : tensor<8192x8192xf32>
    %constant_2 = mlc_tensor.constant 9.990000e-01 : tensor<8192x8192xf32>
    %mul_2 = mlc_tensor.mul %v, %constant_2 : tensor<8192x8192xf32>
    %mul_3 = mlc_tensor.mul %g, %g : tensor<8192x8192xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_4 = mlc_tensor.mul %mul_3, %constant_3 : tensor<8192x8192xf32>
    %v_1 = mlc_tensor.add %mul_2, %mul_4 : tensor<8192x8192xf32>
    %constant_4 = mlc_tensor.constant 0.65132153 : tensor<8192x8192xf32>
    %div = mlc_tensor.div %m_1, %constant_4 : tensor<8192x8192xf32>
    %constant_5 = mlc_tensor.constant 0.00995511934 : tensor<8192x8192xf32>
    %div_1 = mlc_tensor.div %v_1, %constant_5 : tensor<8192x8192xf32>
    %sqrt = mlc_tensor.sqrt %div_1 : tensor<8192x8192xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-08 : tensor<8192x8192xf32>
    %add = mlc_tensor.add %sqrt, %constant_6 : tensor<8192x8192xf32>
    %step = mlc_tensor.div %div, %add : tensor<8192x8192xf32>
    %constant_7 = mlc_tensor.constant 9.999900e-01 : tensor<8192x8192xf32>
    %mul_5 = mlc_tensor.mul %p, %constant_7 : tensor<8192x8192xf32>
    %constant_8 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_6 = mlc_tensor.mul %step, %constant_8 : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %mul_5, %mul_6 : tensor<8192x8192xf32>
    func.return %sub, %m_1, %v_1 : tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>
  }
}


// case: adamw step, bf16 gradients
builtin.module {
  func.func @case(%p: tensor<8192x8192xf32>, %g: tensor<8192x8192xbf16>, %m: tensor<8192x8192xf32>, %v: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>) {
    %d = mlc_tensor.cast %g : tensor<8192x8192xbf16> -> tensor<8192x8192xf32>
    %constant = mlc_tensor.constant 9.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %m, %constant : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-01 : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %d, %constant_1 : tensor<8192x8192xf32>
    %m_1 = mlc_tensor.add %mul, %mul_1 : tensor<8192x8192xf32>
    %constant_2 = mlc_tensor.constant 9.990000e-01 : tensor<8192x8192xf32>
    %mul_2 = mlc_tensor.mul %v, %constant_2 : tensor<8192x8192xf32>
    %mul_3 = mlc_tensor.mul %d, %d : tensor<8192x8192xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_4 = mlc_tensor.mul %mul_3, %constant_3 : tensor<8192x8192xf32>
    %v_1 = mlc_tensor.add %mul_2, %mul_4 : tensor<8192x8192xf32>
    %constant_4 = mlc_tensor.constant 0.65132153 : tensor<8192x8192xf32>
    %div = mlc_tensor.div %m_1, %constant_4 : tensor<8192x8192xf32>
    %constant_5 = mlc_tensor.constant 0.00995511934 : tensor<8192x8192xf32>
    %div_1 = mlc_tensor.div %v_1, %constant_5 : tensor<8192x8192xf32>
    %sqrt = mlc_tensor.sqrt %div_1 : tensor<8192x8192xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-08 : tensor<8192x8192xf32>
    %add = mlc_tensor.add %sqrt, %constant_6 : tensor<8192x8192xf32>
    %step = mlc_tensor.div %div, %add : tensor<8192x8192xf32>
    %constant_7 = mlc_tensor.constant 9.999900e-01 : tensor<8192x8192xf32>
    %mul_5 = mlc_tensor.mul %p, %constant_7 : tensor<8192x8192xf32>
    %constant_8 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_6 = mlc_tensor.mul %step, %constant_8 : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %mul_5, %mul_6 : tensor<8192x8192xf32>
    func.return %sub, %m_1, %v_1 : tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>
  }
}


// case: momentum step f32
builtin.module {
  func.func @case(%p: tensor<8192x8192xf32>, %g: tensor<8192x8192xf32>, %m: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>) {
    %constant = mlc_tensor.constant 9.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %m, %constant : tensor<8192x8192xf32>
    %m_1 = mlc_tensor.add %mul, %g : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-02 : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %m_1, %constant_1 : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %p, %mul_1 : tensor<8192x8192xf32>
    func.return %sub, %m_1 : tensor<8192x8192xf32>, tensor<8192x8192xf32>
  }
}
