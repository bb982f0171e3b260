// RUN: mlc-opt %s -p recompose | filecheck %s

// Activations: gelu, its tanh form, silu. A bare op is the program bit for bit, a region keeps what rounds otherwise.

// x / 2 * (1 + erf(x / sqrt 2)), as the reference has it.
// CHECK-LABEL: func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %a = mlc_tensor.mul %x, %half : tensor<8xf32>
  %b = mlc_tensor.mul %x, %root : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// Operands of + and * in any order: the same bits.
// CHECK-LABEL: func.func @gelu_commuted(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @gelu_commuted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %b = mlc_tensor.mul %root, %x : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %one, %c : tensor<8xf32>
  %a = mlc_tensor.mul %half, %x : tensor<8xf32>
  %r = mlc_tensor.mul %d, %a : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// x * (1 + erf(x / sqrt 2)) * 0.5: other grouping, and a division. The region gives these ops back.
// CHECK-LABEL: func.func @gelu_reassociated(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xf32>) -> (tensor<8xf32>) spelled (%x_1 : tensor<8xf32>) {
// CHECK-NEXT:      %half = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:      %root = mlc_tensor.constant 1.41421354 : tensor<8xf32>
// CHECK-NEXT:      %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:      %b = mlc_tensor.div %x_1, %root : tensor<8xf32>
// CHECK-NEXT:      %c = mlc_tensor.erf %b : tensor<8xf32>
// CHECK-NEXT:      %d = mlc_tensor.add %c, %one : tensor<8xf32>
// CHECK-NEXT:      %e = mlc_tensor.mul %x_1, %d : tensor<8xf32>
// CHECK-NEXT:      %r_1 = mlc_tensor.mul %e, %half : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @gelu_reassociated(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 1.41421354 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %b = mlc_tensor.div %x, %root : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %e = mlc_tensor.mul %x, %d : tensor<8xf32>
  %r = mlc_tensor.mul %e, %half : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// Computed in float32 and rounded once, as PyTorch's own gelu of bfloat16.
// CHECK-LABEL: func.func @gelu_of_bfloat16(%x: tensor<8xbf16>) -> tensor<8xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xbf16>) -> (tensor<8xbf16>)
// CHECK-NEXT:    func.return %r : tensor<8xbf16>
// CHECK-NEXT:  }
func.func @gelu_of_bfloat16(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %w = mlc_tensor.cast %x : tensor<8xbf16> -> tensor<8xf32>
  %a = mlc_tensor.mul %w, %half : tensor<8xf32>
  %b = mlc_tensor.mul %w, %root : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %e = mlc_tensor.mul %a, %d : tensor<8xf32>
  %r = mlc_tensor.cast %e : tensor<8xf32> -> tensor<8xbf16>
  func.return %r : tensor<8xbf16>
}

// Written in bfloat16, every step rounds.
// CHECK-LABEL: func.func @gelu_that_rounds(%x: tensor<8xbf16>) -> tensor<8xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xbf16>) -> (tensor<8xbf16>) spelled (%x_1 : tensor<8xbf16>) {
// CHECK-NEXT:      %half = mlc_tensor.constant 5.000000e-01 : tensor<8xbf16>
// CHECK-NEXT:      %root = mlc_tensor.constant 7.070310e-01 : tensor<8xbf16>
// CHECK-NEXT:      %one = mlc_tensor.constant 1.000000e+00 : tensor<8xbf16>
// CHECK-NEXT:      %a = mlc_tensor.mul %x_1, %half : tensor<8xbf16>
// CHECK-NEXT:      %b = mlc_tensor.mul %x_1, %root : tensor<8xbf16>
// CHECK-NEXT:      %c = mlc_tensor.erf %b : tensor<8xbf16>
// CHECK-NEXT:      %d = mlc_tensor.add %c, %one : tensor<8xbf16>
// CHECK-NEXT:      %r_1 = mlc_tensor.mul %a, %d : tensor<8xbf16>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<8xbf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<8xbf16>
// CHECK-NEXT:  }
func.func @gelu_that_rounds(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xbf16>
  %root = mlc_tensor.constant 0.70703125 : tensor<8xbf16>
  %one = mlc_tensor.constant 1.0 : tensor<8xbf16>
  %a = mlc_tensor.mul %x, %half : tensor<8xbf16>
  %b = mlc_tensor.mul %x, %root : tensor<8xbf16>
  %c = mlc_tensor.erf %b : tensor<8xbf16>
  %d = mlc_tensor.add %c, %one : tensor<8xbf16>
  %r = mlc_tensor.mul %a, %d : tensor<8xbf16>
  func.return %r : tensor<8xbf16>
}

// The operand may be a product itself.
// CHECK-LABEL: func.func @gelu_of_product(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %p = mlc_tensor.mul %x, %y : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.gelu(%p) {approximate = "none"} : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @gelu_of_product(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %p = mlc_tensor.mul %x, %y : tensor<8xf32>
  %a = mlc_tensor.mul %p, %half : tensor<8xf32>
  %b = mlc_tensor.mul %p, %root : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// 0.7 is not 1 / sqrt 2.
// CHECK-LABEL: func.func @keeps_wrong_scale(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %half = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %root = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %a = mlc_tensor.mul %x, %half : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.mul %x, %root : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.erf %b : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.add %c, %one : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %a, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_wrong_scale(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 0.7 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %a = mlc_tensor.mul %x, %half : tensor<8xf32>
  %b = mlc_tensor.mul %x, %root : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// x / 2 * (1 + erf(y / sqrt 2)) is a gate of two tensors.
// CHECK-LABEL: func.func @keeps_other_operand(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %half = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
// CHECK-NEXT:    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %a = mlc_tensor.mul %x, %half : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.mul %y, %root : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.erf %b : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.add %c, %one : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %a, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_other_operand(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %a = mlc_tensor.mul %x, %half : tensor<8xf32>
  %b = mlc_tensor.mul %y, %root : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// Someone else reads erf(x / sqrt 2), which gelu does not give.
// CHECK-LABEL: func.func @keeps_shared_value(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %half = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
// CHECK-NEXT:    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %a = mlc_tensor.mul %x, %half : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.mul %x, %root : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.erf %b : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.add %c, %one : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %a, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %r, %c : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_shared_value(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %root = mlc_tensor.constant 0.707106769 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %a = mlc_tensor.mul %x, %half : tensor<8xf32>
  %b = mlc_tensor.mul %x, %root : tensor<8xf32>
  %c = mlc_tensor.erf %b : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r, %c : tensor<8xf32>, tensor<8xf32>
}

// The tanh form.
// CHECK-LABEL: func.func @gelu_tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.gelu(%x) {approximate = "tanh"} : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @gelu_tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %cubic = mlc_tensor.constant 4.471500e-02 : tensor<8xf32>
  %scale = mlc_tensor.constant 0.797884583 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %s = mlc_tensor.mul %x, %x : tensor<8xf32>
  %t = mlc_tensor.mul %s, %x : tensor<8xf32>
  %u = mlc_tensor.mul %t, %cubic : tensor<8xf32>
  %v = mlc_tensor.add %x, %u : tensor<8xf32>
  %w = mlc_tensor.mul %v, %scale : tensor<8xf32>
  %c = mlc_tensor.tanh %w : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %a = mlc_tensor.mul %x, %half : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// x / 2 * (1 + tanh(0.79788 * x * (1 + 0.044715 * x * x)))
// CHECK-LABEL: func.func @gelu_tanh_factored(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.gelu(%x) {approximate = "tanh"} : (tensor<8xf32>) -> (tensor<8xf32>) spelled (%x_1 : tensor<8xf32>) {
// CHECK-NEXT:      %half = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:      %cubic = mlc_tensor.constant 4.471500e-02 : tensor<8xf32>
// CHECK-NEXT:      %scale = mlc_tensor.constant 0.797884583 : tensor<8xf32>
// CHECK-NEXT:      %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:      %s = mlc_tensor.mul %x_1, %cubic : tensor<8xf32>
// CHECK-NEXT:      %t = mlc_tensor.mul %s, %x_1 : tensor<8xf32>
// CHECK-NEXT:      %u = mlc_tensor.add %t, %one : tensor<8xf32>
// CHECK-NEXT:      %v = mlc_tensor.mul %x_1, %scale : tensor<8xf32>
// CHECK-NEXT:      %w = mlc_tensor.mul %v, %u : tensor<8xf32>
// CHECK-NEXT:      %c = mlc_tensor.tanh %w : tensor<8xf32>
// CHECK-NEXT:      %d = mlc_tensor.add %c, %one : tensor<8xf32>
// CHECK-NEXT:      %a = mlc_tensor.mul %x_1, %half : tensor<8xf32>
// CHECK-NEXT:      %r_1 = mlc_tensor.mul %a, %d : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @gelu_tanh_factored(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %cubic = mlc_tensor.constant 4.471500e-02 : tensor<8xf32>
  %scale = mlc_tensor.constant 0.797884583 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %s = mlc_tensor.mul %cubic, %x : tensor<8xf32>
  %t = mlc_tensor.mul %s, %x : tensor<8xf32>
  %u = mlc_tensor.add %one, %t : tensor<8xf32>
  %v = mlc_tensor.mul %scale, %x : tensor<8xf32>
  %w = mlc_tensor.mul %v, %u : tensor<8xf32>
  %c = mlc_tensor.tanh %w : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %a = mlc_tensor.mul %x, %half : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// 0.04 is not 0.044715.
// CHECK-LABEL: func.func @keeps_wrong_cubic(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %half = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %cubic = mlc_tensor.constant 4.000000e-02 : tensor<8xf32>
// CHECK-NEXT:    %scale = mlc_tensor.constant 0.797884583 : tensor<8xf32>
// CHECK-NEXT:    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %s = mlc_tensor.mul %x, %x : tensor<8xf32>
// CHECK-NEXT:    %t = mlc_tensor.mul %s, %x : tensor<8xf32>
// CHECK-NEXT:    %u = mlc_tensor.mul %t, %cubic : tensor<8xf32>
// CHECK-NEXT:    %v = mlc_tensor.add %x, %u : tensor<8xf32>
// CHECK-NEXT:    %w = mlc_tensor.mul %v, %scale : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.tanh %w : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.add %c, %one : tensor<8xf32>
// CHECK-NEXT:    %a = mlc_tensor.mul %x, %half : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %a, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_wrong_cubic(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = mlc_tensor.constant 5.0e-01 : tensor<8xf32>
  %cubic = mlc_tensor.constant 4.0e-02 : tensor<8xf32>
  %scale = mlc_tensor.constant 0.797884583 : tensor<8xf32>
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %s = mlc_tensor.mul %x, %x : tensor<8xf32>
  %t = mlc_tensor.mul %s, %x : tensor<8xf32>
  %u = mlc_tensor.mul %t, %cubic : tensor<8xf32>
  %v = mlc_tensor.add %x, %u : tensor<8xf32>
  %w = mlc_tensor.mul %v, %scale : tensor<8xf32>
  %c = mlc_tensor.tanh %w : tensor<8xf32>
  %d = mlc_tensor.add %c, %one : tensor<8xf32>
  %a = mlc_tensor.mul %x, %half : tensor<8xf32>
  %r = mlc_tensor.mul %a, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// x * sigmoid(x)
// CHECK-LABEL: func.func @silu(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @silu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = mlc_tensor.sigmoid %x : tensor<8xf32>
  %r = mlc_tensor.mul %s, %x : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// x / (1 + e ** -x)
// CHECK-LABEL: func.func @silu_quotient(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf32>) spelled (%x_1 : tensor<8xf32>) {
// CHECK-NEXT:      %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:      %n = mlc_tensor.neg %x_1 : tensor<8xf32>
// CHECK-NEXT:      %e = mlc_tensor.exp %n : tensor<8xf32>
// CHECK-NEXT:      %d = mlc_tensor.add %e, %one : tensor<8xf32>
// CHECK-NEXT:      %r_1 = mlc_tensor.div %x_1, %d : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @silu_quotient(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %n = mlc_tensor.neg %x : tensor<8xf32>
  %e = mlc_tensor.exp %n : tensor<8xf32>
  %d = mlc_tensor.add %one, %e : tensor<8xf32>
  %r = mlc_tensor.div %x, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// x / (1 + e ** x) has another sign.
// CHECK-LABEL: func.func @keeps_mirrored_silu(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %e = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.add %e, %one : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.div %x, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_mirrored_silu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = mlc_tensor.constant 1.0 : tensor<8xf32>
  %e = mlc_tensor.exp %x : tensor<8xf32>
  %d = mlc_tensor.add %one, %e : tensor<8xf32>
  %r = mlc_tensor.div %x, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}
