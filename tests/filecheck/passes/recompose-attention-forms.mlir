// RUN: mlc-opt %s -p 'recompose{fast-math=true}' | filecheck %s

// Attention as models spell it, and rotary embeddings of pairs.

// Keys come as [batch, keys, heads, columns]: one permutation puts heads first and transposes.
// CHECK-LABEL: func.func @permuted_keys(%q: tensor<2x3x4x16xf32>, %k: tensor<2x6x3x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:    %a = mlc_tensor.permute %k [0, 2, 1, 3] : tensor<2x6x3x16xf32> -> tensor<2x3x6x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %a, %v) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xf32>
// CHECK-NEXT:  }
func.func @permuted_keys(%q: tensor<2x3x4x16xf32>, %k: tensor<2x6x3x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 3, 1] : tensor<2x6x3x16xf32> -> tensor<2x3x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x3x4x16xf32>, tensor<2x3x16x6xf32> -> tensor<2x3x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x3x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x3x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 3} : (tensor<2x3x4x6xf32>) -> (tensor<2x3x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x3x4x6xf32>, tensor<2x3x6x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r : tensor<2x3x4x16xf32>
}

// All heads share the keys.
// CHECK-LABEL: func.func @shared_keys(%q: tensor<2x3x4x16xf32>, %k: tensor<2x1x6x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
// CHECK-NEXT:    %a = mlc_tensor.broadcast %k : tensor<2x1x6x16xf32> -> tensor<2x3x6x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %a, %v) {scale = 2.500000e-01 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>) -> (tensor<2x3x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x3x4x16xf32>
// CHECK-NEXT:  }
func.func @shared_keys(%q: tensor<2x3x4x16xf32>, %k: tensor<2x1x6x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x1x6x16xf32> -> tensor<2x1x16x6xf32>
  %tb = mlc_tensor.broadcast %t : tensor<2x1x16x6xf32> -> tensor<2x3x16x6xf32>
  %a = mlc_tensor.matmul %q, %tb : tensor<2x3x4x16xf32>, tensor<2x3x16x6xf32> -> tensor<2x3x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x3x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x3x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 3} : (tensor<2x3x4x6xf32>) -> (tensor<2x3x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x3x4x6xf32>, tensor<2x3x6x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r : tensor<2x3x4x16xf32>
}

// Dropout of the weights: which are kept is an operand.
// CHECK-LABEL: func.func @dropout(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %kept: tensor<2x4x6xi1>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 2.500000e-01 : f64, dropout = 2.000000e+00 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<2x4x6xi1>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @dropout(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %kept: tensor<2x4x6xi1>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%s) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %m = mlc_tensor.cast %kept : tensor<2x4x6xi1> -> tensor<2x4x6xf32>
  %d = mlc_tensor.mul %p, %m : tensor<2x4x6xf32>
  %two = mlc_tensor.constant 2.0 : tensor<2x4x6xf32>
  %e = mlc_tensor.mul %d, %two : tensor<2x4x6xf32>
  %r = mlc_tensor.matmul %e, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// Hidden scores are a number, which is not -inf however large it is.
// CHECK-LABEL: func.func @hidden_by_a_number(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<2x4x6xi1>) -> tensor<2x4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64, hidden = -1.000000e+09 : f64} : (tensor<2x4x16xf32>, tensor<2x6x16xf32>, tensor<2x6x16xf32>, tensor<2x4x6xi1>) -> (tensor<2x4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x16xf32>
// CHECK-NEXT:  }
func.func @hidden_by_a_number(%q: tensor<2x4x16xf32>, %k: tensor<2x6x16xf32>, %v: tensor<2x6x16xf32>, %m: tensor<2x4x6xi1>) -> tensor<2x4x16xf32> {
  %t = mlc_tensor.permute %k [0, 2, 1] : tensor<2x6x16xf32> -> tensor<2x16x6xf32>
  %a = mlc_tensor.matmul %q, %t : tensor<2x4x16xf32>, tensor<2x16x6xf32> -> tensor<2x4x6xf32>
  %c = mlc_tensor.constant 2.5e-01 : tensor<2x4x6xf32>
  %s = mlc_tensor.mul %a, %c : tensor<2x4x6xf32>
  %n = mlc_tensor.constant -1.0e+9 : tensor<2x4x6xf32>
  %h = mlc_tensor.select %m, %s, %n : tensor<2x4x6xf32>
  %p = mlc_tensor.softmax(%h) {dim = 2} : (tensor<2x4x6xf32>) -> (tensor<2x4x6xf32>)
  %r = mlc_tensor.matmul %p, %v : tensor<2x4x6xf32>, tensor<2x6x16xf32> -> tensor<2x4x16xf32>
  func.return %r : tensor<2x4x16xf32>
}

// The even and the odd columns turn together.
// CHECK-LABEL: func.func @pairs(%x: tensor<2x4x8xf32>, %cos: tensor<4x8xf32>, %sin: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.rotary_embedding(%x, %cos, %sin) {pairs = 1 : i64} : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<2x4x8xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8xf32>
// CHECK-NEXT:  }
func.func @pairs(%x: tensor<2x4x8xf32>, %cos: tensor<4x8xf32>, %sin: tensor<4x8xf32>) -> tensor<2x4x8xf32> {
  %a = mlc_tensor.slice %x [0, 0, 0] step [1, 1, 2] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %b = mlc_tensor.slice %x [0, 0, 1] step [1, 1, 2] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %n = mlc_tensor.neg %b : tensor<2x4x4xf32>
  %nr = mlc_tensor.reshape %n : tensor<2x4x4xf32> -> tensor<2x4x4x1xf32>
  %ar = mlc_tensor.reshape %a : tensor<2x4x4xf32> -> tensor<2x4x4x1xf32>
  %c = mlc_tensor.cat %nr, %ar dim 3 : (tensor<2x4x4x1xf32>, tensor<2x4x4x1xf32>) -> tensor<2x4x4x2xf32>
  %t = mlc_tensor.reshape %c : tensor<2x4x4x2xf32> -> tensor<2x4x8xf32>
  %cb = mlc_tensor.broadcast %cos : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %sb = mlc_tensor.broadcast %sin : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %xc = mlc_tensor.mul %x, %cb : tensor<2x4x8xf32>
  %ts = mlc_tensor.mul %t, %sb : tensor<2x4x8xf32>
  %r = mlc_tensor.add %xc, %ts : tensor<2x4x8xf32>
  func.return %r : tensor<2x4x8xf32>
}

// Tables of half the width, for halves.
// CHECK-LABEL: func.func @half_tables(%x: tensor<2x4x8xf32>, %cos: tensor<4x4xf32>, %sin: tensor<4x4xf32>) -> tensor<2x4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.rotary_embedding(%x, %cos, %sin) : (tensor<2x4x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<2x4x8xf32>)
// CHECK-NEXT:    func.return %r : tensor<2x4x8xf32>
// CHECK-NEXT:  }
func.func @half_tables(%x: tensor<2x4x8xf32>, %cos: tensor<4x4xf32>, %sin: tensor<4x4xf32>) -> tensor<2x4x8xf32> {
  %a = mlc_tensor.slice %x [0, 0, 0] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %b = mlc_tensor.slice %x [0, 0, 4] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %cb = mlc_tensor.broadcast %cos : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %sb = mlc_tensor.broadcast %sin : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %ac = mlc_tensor.mul %a, %cb : tensor<2x4x4xf32>
  %bs = mlc_tensor.mul %b, %sb : tensor<2x4x4xf32>
  %bc = mlc_tensor.mul %b, %cb : tensor<2x4x4xf32>
  %as = mlc_tensor.mul %a, %sb : tensor<2x4x4xf32>
  %l = mlc_tensor.sub %ac, %bs : tensor<2x4x4xf32>
  %h = mlc_tensor.add %bc, %as : tensor<2x4x4xf32>
  %r = mlc_tensor.cat %l, %h dim 2 : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x8xf32>
  func.return %r : tensor<2x4x8xf32>
}

// The second row of the turn has the other sign: no rotation.
// CHECK-LABEL: func.func @keeps_reflection(%x: tensor<2x4x8xf32>, %cos: tensor<4x4xf32>, %sin: tensor<4x4xf32>) -> tensor<2x4x8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.slice %x [0, 0, 0] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
// CHECK-NEXT:    %b = mlc_tensor.slice %x [0, 0, 4] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
// CHECK-NEXT:    %cb = mlc_tensor.broadcast %cos : tensor<4x4xf32> -> tensor<2x4x4xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %sin : tensor<4x4xf32> -> tensor<2x4x4xf32>
// CHECK-NEXT:    %ac = mlc_tensor.mul %a, %cb : tensor<2x4x4xf32>
// CHECK-NEXT:    %bs = mlc_tensor.mul %b, %sb : tensor<2x4x4xf32>
// CHECK-NEXT:    %bc = mlc_tensor.mul %b, %cb : tensor<2x4x4xf32>
// CHECK-NEXT:    %as = mlc_tensor.mul %a, %sb : tensor<2x4x4xf32>
// CHECK-NEXT:    %l = mlc_tensor.sub %ac, %bs : tensor<2x4x4xf32>
// CHECK-NEXT:    %h = mlc_tensor.sub %bc, %as : tensor<2x4x4xf32>
// CHECK-NEXT:    %r = mlc_tensor.cat %l, %h dim 2 : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT:    func.return %r : tensor<2x4x8xf32>
// CHECK-NEXT:  }
func.func @keeps_reflection(%x: tensor<2x4x8xf32>, %cos: tensor<4x4xf32>, %sin: tensor<4x4xf32>) -> tensor<2x4x8xf32> {
  %a = mlc_tensor.slice %x [0, 0, 0] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %b = mlc_tensor.slice %x [0, 0, 4] step [1, 1, 1] : tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %cb = mlc_tensor.broadcast %cos : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %sb = mlc_tensor.broadcast %sin : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %ac = mlc_tensor.mul %a, %cb : tensor<2x4x4xf32>
  %bs = mlc_tensor.mul %b, %sb : tensor<2x4x4xf32>
  %bc = mlc_tensor.mul %b, %cb : tensor<2x4x4xf32>
  %as = mlc_tensor.mul %a, %sb : tensor<2x4x4xf32>
  %l = mlc_tensor.sub %ac, %bs : tensor<2x4x4xf32>
  %h = mlc_tensor.sub %bc, %as : tensor<2x4x4xf32>
  %r = mlc_tensor.cat %l, %h dim 2 : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x8xf32>
  func.return %r : tensor<2x4x8xf32>
}
