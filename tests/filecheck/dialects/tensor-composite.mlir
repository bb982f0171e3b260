// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt - | filecheck %s

// Composite ops: operands, attributes, types, and how the program spelled it.

// CHECK-LABEL: func.func @activations(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %g = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    %t = mlc_tensor.gelu(%x) {approximate = "tanh"} : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    %s = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return %g, %t, %s : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @activations(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %g = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xf32>) -> (tensor<8xf32>)
  %t = mlc_tensor.gelu(%x) {approximate = "tanh"} : (tensor<8xf32>) -> (tensor<8xf32>)
  %s = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %g, %t, %s : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @spelled(%x: tensor<8xbf16>) -> tensor<8xbf16> {
// CHECK-NEXT:    %s = mlc_tensor.silu(%x) : (tensor<8xbf16>) -> (tensor<8xbf16>) spelled (%a : tensor<8xbf16>) {
// CHECK-NEXT:      %b = mlc_tensor.sigmoid %a : tensor<8xbf16>
// CHECK-NEXT:      %c = mlc_tensor.mul %a, %b : tensor<8xbf16>
// CHECK-NEXT:      mlc_tensor.yield %c : tensor<8xbf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : tensor<8xbf16>
// CHECK-NEXT:  }
func.func @spelled(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %s = mlc_tensor.silu(%x) : (tensor<8xbf16>) -> (tensor<8xbf16>) spelled (%a : tensor<8xbf16>) {
    %b = mlc_tensor.sigmoid %a : tensor<8xbf16>
    %c = mlc_tensor.mul %a, %b : tensor<8xbf16>
    mlc_tensor.yield %c : tensor<8xbf16>
  }
  func.return %s : tensor<8xbf16>
}

// CHECK-LABEL: func.func @softmaxes(%x: tensor<?x8xbf16, ["N", "8"]>) -> (tensor<?x8xbf16, ["N", "8"]>, tensor<?x8xbf16, ["N", "8"]>) {
// CHECK-NEXT:    %s = mlc_tensor.softmax(%x) {dim = 1 : i64} : (tensor<?x8xbf16, ["N", "8"]>) -> (tensor<?x8xbf16, ["N", "8"]>)
// CHECK-NEXT:    %l = mlc_tensor.log_softmax(%x) {dim = 0 : i64} : (tensor<?x8xbf16, ["N", "8"]>) -> (tensor<?x8xbf16, ["N", "8"]>)
// CHECK-NEXT:    func.return %s, %l : tensor<?x8xbf16, ["N", "8"]>, tensor<?x8xbf16, ["N", "8"]>
// CHECK-NEXT:  }
func.func @softmaxes(%x: tensor<?x8xbf16, ["N", "8"]>) -> (tensor<?x8xbf16, ["N", "8"]>, tensor<?x8xbf16, ["N", "8"]>) {
  %s = mlc_tensor.softmax(%x) {dim = 1 : i64} : (tensor<?x8xbf16, ["N", "8"]>) -> (tensor<?x8xbf16, ["N", "8"]>)
  %l = mlc_tensor.log_softmax(%x) {dim = 0 : i64} : (tensor<?x8xbf16, ["N", "8"]>) -> (tensor<?x8xbf16, ["N", "8"]>)
  func.return %s, %l : tensor<?x8xbf16, ["N", "8"]>, tensor<?x8xbf16, ["N", "8"]>
}

// The first results of several, as many as are wanted.
// CHECK-LABEL: func.func @norms(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x8xbf16>) {
// CHECK-NEXT:    %y, %m = mlc_tensor.layer_norm(%x, %w, %w) {dims = [1 : i64], eps = 1.000000e-05 : f64} : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x1xf32>)
// CHECK-NEXT:    %r = mlc_tensor.rms_norm(%x) {dims = [1 : i64], eps = 1.000000e-06 : f64} : (tensor<4x8xbf16>) -> (tensor<4x8xbf16>)
// CHECK-NEXT:    func.return %y, %m, %r : tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x8xbf16>
// CHECK-NEXT:  }
func.func @norms(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x8xbf16>) {
  %y, %m = mlc_tensor.layer_norm(%x, %w, %w) {dims = [1 : i64], eps = 1.000000e-05 : f64} : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x1xf32>)
  %r = mlc_tensor.rms_norm(%x) {dims = [1 : i64], eps = 1.000000e-06 : f64} : (tensor<4x8xbf16>) -> (tensor<4x8xbf16>)
  func.return %y, %m, %r : tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x8xbf16>
}

// CHECK-LABEL: func.func @attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %m: tensor<4x6xi1>, %c: tensor<4x16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>) {
// CHECK-NEXT:    %r = mlc_tensor.rotary_embedding(%q, %c, %c) : (tensor<2x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    %a = mlc_tensor.scaled_dot_product_attention(%r, %k, %k, %m) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<4x6xi1>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    %b = mlc_tensor.scaled_dot_product_attention(%r, %k, %k) {causal = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %a, %b : tensor<2x4x16xf32>, tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %m: tensor<4x6xi1>, %c: tensor<4x16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>) {
  %r = mlc_tensor.rotary_embedding(%q, %c, %c) : (tensor<2x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<2x4x16xf32>)
  %a = mlc_tensor.scaled_dot_product_attention(%r, %k, %k, %m) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<4x6xi1>) -> (tensor<2x4x16xf32>)
  %b = mlc_tensor.scaled_dot_product_attention(%r, %k, %k) {causal = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>)
  func.return %a, %b : tensor<2x4x16xf32>, tensor<2x4x16xf32>
}
