// torch 2.13

// case: dropout f32
builtin.module {
  func.func @case(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure {mlc.why = "no rule makes kernels of it"} : () -> (tensor<1xi64>)
    %random_bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<4096x4096xi32>
    %constant = mlc_tensor.constant 8 : tensor<4096x4096xi32>
    %rshift = mlc_tensor.shr %random_bits, %constant : tensor<4096x4096xi32>
    %constant_1 = mlc_tensor.constant 16777215 : tensor<4096x4096xi32>
    %bitwise_and = mlc_tensor.and %rshift, %constant_1 : tensor<4096x4096xi32>
    %constant_2 = mlc_tensor.constant 15099494 : tensor<4096x4096xi32>
    %lt = mlc_tensor.lt %bitwise_and, %constant_2 : tensor<4096x4096xi32>
    %cast = mlc_tensor.cast %lt : tensor<4096x4096xi1> -> tensor<4096x4096xf32>
    %mul = mlc_tensor.mul %x, %cast : tensor<4096x4096xf32>
    %constant_3 = mlc_tensor.constant 1.11111116 : tensor<4096x4096xf32>
    %mul_1 = mlc_tensor.mul %mul, %constant_3 : tensor<4096x4096xf32>
    func.return %mul_1 : tensor<4096x4096xf32>
  }
}


// case: index_add f32
builtin.module {
  func.func @case(%x: tensor<131072x1024xf32>, %at: tensor<131072xi64>) -> tensor<32000x1024xf32> {
    %zeros = mlc_tensor.constant 0.000000e+00 : tensor<32000x1024xf32>
    %reshape = mlc_tensor.reshape %at : tensor<131072xi64> -> tensor<131072x1xi64>
    %broadcast = mlc_tensor.broadcast %reshape : tensor<131072x1xi64> -> tensor<131072x1024xi64>
    %iota = mlc_tensor.iota dim 1 : tensor<131072x1024xi64>
    %index_add = mlc_tensor.scatter add %zeros[%broadcast, %iota], %x : tensor<32000x1024xf32>, (tensor<131072x1024xi64>, tensor<131072x1024xi64>), tensor<131072x1024xf32>
    func.return %index_add : tensor<32000x1024xf32>
  }
}
