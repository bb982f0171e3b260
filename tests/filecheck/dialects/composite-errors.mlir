// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: results are tensor<8xf16> and must be tensor<8xf32>
func.func @wrong_result(%x: tensor<8xf32>) -> tensor<8xf16> {
  %r = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf16>)
  func.return %r : tensor<8xf16>
}

// -----

// CHECK: missing a required {{.*}}'dim'
func.func @no_dim(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.softmax(%x) : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %r : tensor<8xf32>
}

// -----

// CHECK: approximate is "none" or "tanh", not 'sine'
func.func @wrong_form(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.gelu(%x) {approximate = "sine"} : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %r : tensor<8xf32>
}

// -----

// CHECK: the last dimension is a known even number
func.func @odd_rotation(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = mlc_tensor.rotary_embedding(%x, %x, %x) : (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) -> (tensor<4x5xf32>)
  func.return %r : tensor<4x5xf32>
}

// -----

// CHECK: the region must yield values of the result types
func.func @wrong_region(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf32>) spelled (%a : tensor<8xf32>) {
    mlc_tensor.yield %a, %a : tensor<8xf32>, tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}
