// RUN: mlc-opt %s -p recompose | filecheck %s

// Attention, by the softmax in it, and rotary embedding.

// The scores scaled by 1 / sqrt(16).
// CHECK-LABEL: func.func @attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// Divided by sqrt(16) * 1.5.
// CHECK-LABEL: func.func @attention_that_divides(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.16666666666666666 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>) spelled (%q_1 : tensor<2x4x16xf32>, %k_1 : tensor<2x6x16xf32>, %v_1 : tensor<2x6x16xf32>) {
// CHECK-NEXT:      %t = mlc_tensor.permute %k_1 [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT:      %a = mlc_tensor.matmul %q_1, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT:      %c = mlc_tensor.constant 6.000000e+00 : tensor<2x4x6xf32>
// CHECK-NEXT:      %s = mlc_tensor.div %a, %c : tensor<2x4x6xf32>
// CHECK-NEXT:      %p = mlc_tensor.softmax(%s) {dim = 2 : i64} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
// CHECK-NEXT:      %r_1 = mlc_tensor.matmul %p, %v_1 : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<2x4x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention_that_divides(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 6.0 : tensor<2x4x6xf32>
  %s = mlc_tensor.div %a, %c : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// The query scaled, before the product.
// CHECK-LABEL: func.func @attention_of_scaled_query(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>) spelled (%q_1 : tensor<2x4x16xf32>, %k_1 : tensor<2x6x16xf32>, %v_1 : tensor<2x6x16xf32>) {
// CHECK-NEXT:      %c = mlc_tensor.constant 2.500000e-01 : tensor<2x4x16xf32>
// CHECK-NEXT:      %qs = mlc_tensor.mul %q_1, %c : tensor<2x4x16xf32>
// CHECK-NEXT:      %t = mlc_tensor.permute %k_1 [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT:      %a = mlc_tensor.matmul %qs, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT:      %p = mlc_tensor.softmax(%a) {dim = 2 : i64} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
// CHECK-NEXT:      %r_1 = mlc_tensor.matmul %p, %v_1 : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<2x4x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention_of_scaled_query(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x16xf32>
  %qs = mlc_tensor.mul %c, %q : tensor<2x4x16xf32>
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %qs, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%a) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// No scale is a scale of 1.
// CHECK-LABEL: func.func @attention_unscaled(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 1.000000e+00 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>) spelled (%q_1 : tensor<2x4x16xf32>, %k_1 : tensor<2x6x16xf32>, %v_1 : tensor<2x6x16xf32>) {
// CHECK-NEXT:      %t = mlc_tensor.permute %k_1 [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT:      %a = mlc_tensor.matmul %q_1, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT:      %p = mlc_tensor.softmax(%a) {dim = 2 : i64} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
// CHECK-NEXT:      %r_1 = mlc_tensor.matmul %p, %v_1 : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<2x4x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention_unscaled(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%a) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// A mask that is added, one for all batches.
// CHECK-LABEL: func.func @attention_with_bias(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<4x6xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<4x6xf32>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention_with_bias(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<4x6xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x6xf32> -> tensor<2x4x6xf32>
  %sm = mlc_tensor.add %mb, %s : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%sm) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// -inf where the mask is false.
// CHECK-LABEL: func.func @attention_with_mask(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<4x6xi1>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<4x6xi1>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention_with_mask(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<4x6xi1>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %inf = mlc_tensor.constant 0xff800000 : tensor<2x4x6xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x6xi1> -> tensor<2x4x6xi1>
  %sm = mlc_tensor.select %mb, %s, %inf : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%sm) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// -inf where the mask is true.
// CHECK-LABEL: func.func @attention_that_hides(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<4x6xi1>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hides = 1 : i64, scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<4x6xi1>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @attention_that_hides(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<4x6xi1>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %inf = mlc_tensor.constant 0xff800000 : tensor<2x4x6xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x6xi1> -> tensor<2x4x6xi1>
  %sm = mlc_tensor.select %mb, %inf, %s : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%sm) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// Keys after the query are hidden: s > l is not s <= l.
// CHECK-LABEL: func.func @causal_attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {causal = 1 : i64, scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>) spelled (%q_1 : tensor<2x4x16xf32>, %k_1 : tensor<2x6x16xf32>, %v_1 : tensor<2x6x16xf32>) {
// CHECK-NEXT:      %t = mlc_tensor.permute %k_1 [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT:      %a = mlc_tensor.matmul %q_1, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT:      %c = mlc_tensor.constant 2.500000e-01 : tensor<2x4x6xf32>
// CHECK-NEXT:      %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
// CHECK-NEXT:      %i = mlc_tensor.iota dim 0 : tensor<4x6xi64>
// CHECK-NEXT:      %j = mlc_tensor.iota dim 1 : tensor<4x6xi64>
// CHECK-NEXT:      %m = mlc_tensor.lt %i, %j : tensor<4x6xi64>
// CHECK-NEXT:      %inf = mlc_tensor.constant 0xff800000 : tensor<2x4x6xf32>
// CHECK-NEXT:      %mb = mlc_tensor.broadcast %m : tensor<4x6xi1> -> tensor<2x4x6xi1>
// CHECK-NEXT:      %sm = mlc_tensor.select %mb, %inf, %s : tensor<2x4x6xf32>
// CHECK-NEXT:      %p = mlc_tensor.softmax(%sm) {dim = 2 : i64} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
// CHECK-NEXT:      %r_1 = mlc_tensor.matmul %p, %v_1 : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<2x4x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @causal_attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %i = mlc_tensor.iota dim 0 : tensor<4x6xi64>
  %j = mlc_tensor.iota dim 1 : tensor<4x6xi64>
  %m = mlc_tensor.lt %i, %j : tensor<4x6xi64>
  %inf = mlc_tensor.constant 0xff800000 : tensor<2x4x6xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x6xi1> -> tensor<2x4x6xi1>
  %sm = mlc_tensor.select %mb, %inf, %s : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%sm) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// 30 * tanh(s / 30), then the causal mask: the spelling is the meaning's own.
// CHECK-LABEL: func.func @soft_capped_attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {causal = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @soft_capped_attention(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %h = mlc_tensor.constant 3.0e+01 : tensor<2x4x6xf32>
  %d = mlc_tensor.div %s, %h : tensor<2x4x6xf32>
  %th = mlc_tensor.tanh %d : tensor<2x4x6xf32>
  %sc = mlc_tensor.mul %th, %h : tensor<2x4x6xf32>
  %i = mlc_tensor.iota dim 0 : tensor<4x6xi64>
  %j = mlc_tensor.iota dim 1 : tensor<4x6xi64>
  %m = mlc_tensor.le %j, %i : tensor<4x6xi64>
  %inf = mlc_tensor.constant 0xff800000 : tensor<2x4x6xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x6xi1> -> tensor<2x4x6xi1>
  %sm = mlc_tensor.select %mb, %sc, %inf : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%sm) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// s < l hides the query's own key: a mask, but not the causal one.
// CHECK-LABEL: func.func @keeps_shifted_mask(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %i = mlc_tensor.iota dim 0 : tensor<4x6xi64>
// CHECK-NEXT:    %j = mlc_tensor.iota dim 1 : tensor<4x6xi64>
// CHECK-NEXT:    %m = mlc_tensor.lt %j, %i : tensor<4x6xi64>
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<4x6xi1>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @keeps_shifted_mask(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %i = mlc_tensor.iota dim 0 : tensor<4x6xi64>
  %j = mlc_tensor.iota dim 1 : tensor<4x6xi64>
  %m = mlc_tensor.lt %j, %i : tensor<4x6xi64>
  %inf = mlc_tensor.constant 0xff800000 : tensor<2x4x6xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x6xi1> -> tensor<2x4x6xi1>
  %sm = mlc_tensor.select %mb, %s, %inf : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%sm) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// In bfloat16 the products and the softmax round: kept in the region.
// CHECK-LABEL: func.func @attention_of_bfloat16(%q: tensor<2x4x16xbf16>, %k: tensor<2x6x16xbf16>, %v: tensor<2x6x16xbf16>) -> tensor<2x4x16xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x4x16xbf16>, tensor<2x6x16xbf16>, tensor<2x6x16xbf16>) -> (tensor<2x4x16xbf16>) spelled (%q_1 : tensor<2x4x16xbf16>, %k_1 : tensor<2x6x16xbf16>, %v_1 : tensor<2x6x16xbf16>) {
// CHECK-NEXT:      %t = mlc_tensor.permute %k_1 [0, 2, 1] : tensor<2x6x16xbf16> -> tensor<2x16x6xbf16>
// CHECK-NEXT:      %a = mlc_tensor.matmul %q_1, %t : tensor<2x4x16xbf16>, tensor<2x16x6xbf16> -> tensor<2x4x6xbf16>
// CHECK-NEXT:      %c = mlc_tensor.constant 2.500000e-01 : tensor<2x4x6xbf16>
// CHECK-NEXT:      %s = mlc_tensor.mul %a, %c : tensor<2x4x6xbf16>
// CHECK-NEXT:      %p = mlc_tensor.softmax(%s) {dim = 2 : i64} : (tensor<2x4x6xbf16>) -> (tensor<2x4x6xbf16>)
// CHECK-NEXT:      %r_1 = mlc_tensor.matmul %p, %v_1 : tensor<2x4x6xbf16>, tensor<2x6x16xbf16> -> tensor<2x4x16xbf16>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<2x4x16xbf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<2x4x16xbf16>
// CHECK-NEXT:  }
func.func @attention_of_bfloat16(%q: tensor<2x4x16xbf16>, %k: tensor<2x6x16xbf16>, %v: tensor<2x6x16xbf16>) -> tensor<2x4x16xbf16> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xbf16> -> tensor<2x16x6xbf16>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xbf16>, tensor<2x16x6xbf16> -> tensor<2x4x6xbf16>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xbf16>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xbf16>
  %p = mlc_tensor.softmax(%s) {dim = 2} : (tensor<2x4x6xbf16>) -> (tensor<2x4x6xbf16>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xbf16>, tensor<2x6x16xbf16> -> tensor<2x4x16xbf16>
  func.return %r : tensor<2x4x16xbf16>
}

// The scores are a result too.
// CHECK-LABEL: func.func @keeps_shared_scores(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x6xf32>) {
// CHECK-NEXT:    %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT:    %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT:    %c = mlc_tensor.constant 2.500000e-01 : tensor<2x4x6xf32>
// CHECK-NEXT:    %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
// CHECK-NEXT:    %p = mlc_tensor.softmax(%s) {dim = 2 : i64} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
// CHECK-NEXT:    %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT:    func.return %r, %s : tensor<2x4x16xf32>, tensor<2x4x6xf32>
// CHECK-NEXT:  }
func.func @keeps_shared_scores(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x6xf32>) {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r, %s : tensor<2x4x16xf32>, tensor<2x4x6xf32>
}

// Over the queries instead of the keys.
// CHECK-LABEL: func.func @keeps_wrong_softmax(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT:    %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT:    %c = mlc_tensor.constant 2.500000e-01 : tensor<2x4x6xf32>
// CHECK-NEXT:    %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
// CHECK-NEXT:    %p = mlc_tensor.softmax(%s) {dim = 1 : i64} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
// CHECK-NEXT:    %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @keeps_wrong_softmax(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 1} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// 20 * tanh(q @ k / 120) caps at 20 what has the scale 1 / 6.
// CHECK-LABEL: func.func @soft_cap_of_other_scale(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.16666666666666666 : f64, softcap = 2.000000e+01 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>) -> (tensor<2x4x16xf32>) spelled (%q_1 : tensor<2x4x16xf32>, %k_1 : tensor<2x6x16xf32>, %v_1 : tensor<2x6x16xf32>) {
// CHECK-NEXT:      %t = mlc_tensor.permute %k_1 [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
// CHECK-NEXT:      %a = mlc_tensor.matmul %q_1, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT:      %c = mlc_tensor.constant 2.500000e-01 : tensor<2x4x6xf32>
// CHECK-NEXT:      %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
// CHECK-NEXT:      %h = mlc_tensor.constant 3.000000e+01 : tensor<2x4x6xf32>
// CHECK-NEXT:      %h2 = mlc_tensor.constant 2.000000e+01 : tensor<2x4x6xf32>
// CHECK-NEXT:      %d = mlc_tensor.div %s, %h : tensor<2x4x6xf32>
// CHECK-NEXT:      %th = mlc_tensor.tanh %d : tensor<2x4x6xf32>
// CHECK-NEXT:      %sc = mlc_tensor.mul %th, %h2 : tensor<2x4x6xf32>
// CHECK-NEXT:      %p = mlc_tensor.softmax(%sc) {dim = 2 : i64} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
// CHECK-NEXT:      %r_1 = mlc_tensor.matmul %p, %v_1 : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<2x4x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @soft_cap_of_other_scale(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %h = mlc_tensor.constant 3.0e+01 : tensor<2x4x6xf32>
  %h2 = mlc_tensor.constant 2.0e+01 : tensor<2x4x6xf32>
  %d = mlc_tensor.div %s, %h : tensor<2x4x6xf32>
  %th = mlc_tensor.tanh %d : tensor<2x4x6xf32>
  %sc = mlc_tensor.mul %th, %h2 : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%sc) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// Products over two batch dimensions, joined for `aten.bmm`.
// CHECK-LABEL: func.func @attention_of_heads(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:    %o = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:    func.return %o : tensor<2x3x4x16xf32>
// CHECK-NEXT:  }
func.func @attention_of_heads(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x3x4x6xf32>
  %t = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x6x16xf32> -> tensor<2x3x16x6xf32>
  %qf = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %tf = mlc_tensor.reshape %t : tensor<2x3x16x6xf32> -> tensor<6x16x6xf32>
  %af = mlc_tensor.matmul %qf, %tf : tensor<6x4x16xf32>, tensor<6x16x6xf32> -> tensor<6x4x6xf32>
  %a = mlc_tensor.reshape %af : tensor<6x4x6xf32> -> tensor<2x3x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x3x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 3} : (tensor<2x3x4x6xf32>) -> (tensor<2x3x4x6xf32>)
  %pf = mlc_tensor.reshape %p : tensor<2x3x4x6xf32> -> tensor<6x4x6xf32>
  %vf = mlc_tensor.reshape %v : tensor<2x3x6x16xf32> -> tensor<6x6x16xf32>
  %of = mlc_tensor.matmul %pf, %vf : tensor<6x4x6xf32>, tensor<6x6x16xf32> -> tensor<6x4x16xf32>
  %o = mlc_tensor.reshape %of : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %o : tensor<2x3x4x16xf32>
}

// x * cos + cat(-x2, x1) * sin
// CHECK-LABEL: func.func @rotary_embedding(%x: tensor<2x4x8xf32>, %cos: tensor<4x8xf32>, %sin: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.rotary_embedding(%x, %cos, %sin) : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<2x4x8xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8xf32>
// CHECK-NEXT:  }
func.func @rotary_embedding(%x: tensor<2x4x8xf32>, %cos: tensor<4x8xf32>, %sin: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %a = mlc_tensor.slice %x [0, 0, 0] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %b = mlc_tensor.slice %x [0, 0, 4] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %n = mlc_tensor.neg %b : tensor<2x4x4xf32>
  %t = mlc_tensor.cat %n, %a dim 2 : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x8xf32>
  %cb = mlc_tensor.broadcast %cos : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %sb = mlc_tensor.broadcast %sin : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %xc = mlc_tensor.mul %x, %cb : tensor<2x4x8xf32>
  %ts = mlc_tensor.mul %t, %sb : tensor<2x4x8xf32>
  %r = mlc_tensor.add %ts, %xc : tensor<2x4x8xf32>
  func.return %r : tensor<2x4x8xf32>
}

// cat(x2, -x1) turns the other way.
// CHECK-LABEL: func.func @keeps_wrong_rotation(%x: tensor<2x4x8xf32>, %cos: tensor<4x8xf32>, %sin: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.slice %x [0, 0, 0] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
// CHECK-NEXT:    %b = mlc_tensor.slice %x [0, 0, 4] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
// CHECK-NEXT:    %n = mlc_tensor.neg %a : tensor<2x4x4xf32>
// CHECK-NEXT:    %t = mlc_tensor.cat %b, %n dim 2 : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:    %cb = mlc_tensor.broadcast %cos : tensor<4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %sin : tensor<4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT:    %xc = mlc_tensor.mul %x, %cb : tensor<2x4x8xf32>
// CHECK-NEXT:    %ts = mlc_tensor.mul %t, %sb : tensor<2x4x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.add %ts, %xc : tensor<2x4x8xf32>
// CHECK-NEXT:    func.return %r : tensor<2x4x8xf32>
// CHECK-NEXT:  }
func.func @keeps_wrong_rotation(%x: tensor<2x4x8xf32>, %cos: tensor<4x8xf32>, %sin: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %a = mlc_tensor.slice %x [0, 0, 0] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %b = mlc_tensor.slice %x [0, 0, 4] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %n = mlc_tensor.neg %a : tensor<2x4x4xf32>
  %t = mlc_tensor.cat %b, %n dim 2 : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x8xf32>
  %cb = mlc_tensor.broadcast %cos : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %sb = mlc_tensor.broadcast %sin : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %xc = mlc_tensor.mul %x, %cb : tensor<2x4x8xf32>
  %ts = mlc_tensor.mul %t, %sb : tensor<2x4x8xf32>
  %r = mlc_tensor.add %ts, %xc : tensor<2x4x8xf32>
  func.return %r : tensor<2x4x8xf32>
}
