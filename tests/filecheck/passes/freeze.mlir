// RUN: mlc-opt %s -p freeze | filecheck %s

// What depends on frozen parameters alone, in a function of its own.

// Computed once: the sum, the root, and the copy in another type. The broadcast stays.
// CHECK-LABEL: func.func @splits(%x: tensor<4x8xbf16>, %h: tensor<8xbf16>) -> tensor<4x8xbf16> {
// CHECK-NEXT:    %b = mlc_tensor.broadcast %h : tensor<8xbf16> -> tensor<4x8xbf16>
// CHECK-NEXT:    %r = mlc_tensor.mul %x, %b : tensor<4x8xbf16>
// CHECK-NEXT:    func.return %r : tensor<4x8xbf16>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func @splits_weights(%v: tensor<8xf32>, %w: tensor<8xf32>) -> (tensor<8xbf16>) {
// CHECK-NEXT:    %eps = mlc_tensor.constant 1.000000e-05 : tensor<8xf32>
// CHECK-NEXT:    %a = mlc_tensor.add %v, %eps : tensor<8xf32>
// CHECK-NEXT:    %s = mlc_tensor.rsqrt %a : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.mul %s, %w : tensor<8xf32>
// CHECK-NEXT:    %h = mlc_tensor.cast %c : tensor<8xf32> -> tensor<8xbf16>
// CHECK-NEXT:    func.return %h : tensor<8xbf16>
// CHECK-NEXT:  }
func.func @splits(%x: tensor<4x8xbf16>, %v: tensor<8xf32> {mlc.frozen}, %w: tensor<8xf32> {mlc.frozen}) -> tensor<4x8xbf16> {
  %eps = mlc_tensor.constant 1.0e-05 : tensor<8xf32>
  %a = mlc_tensor.add %v, %eps : tensor<8xf32>
  %s = mlc_tensor.rsqrt %a : tensor<8xf32>
  %c = mlc_tensor.mul %s, %w : tensor<8xf32>
  %h = mlc_tensor.cast %c : tensor<8xf32> -> tensor<8xbf16>
  %b = mlc_tensor.broadcast %h : tensor<8xbf16> -> tensor<4x8xbf16>
  %r = mlc_tensor.mul %x, %b : tensor<4x8xbf16>
  func.return %r : tensor<4x8xbf16>
}

// A view of a parameter costs nothing: the product reads it as it lies. Strides go along.
// CHECK-LABEL: func.func @keeps_view(%x: tensor<4x8xf32>, %w: tensor<16x8xf32> {mlc.strides = ["1", "16"]}) -> tensor<4x16xf32> {
// CHECK-NEXT:    %t = mlc_tensor.permute %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.matmul %x, %t : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
// CHECK-NEXT:    func.return %r : tensor<4x16xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func @keeps_view_weights(%w: tensor<16x8xf32> {mlc.strides = ["1", "16"]}) -> (tensor<16x8xf32> {mlc.strides = ["1", "16"], mlc.alias}) {
// CHECK-NEXT:    func.return %w : tensor<16x8xf32>
// CHECK-NEXT:  }
func.func @keeps_view(%x: tensor<4x8xf32>, %w: tensor<16x8xf32> {mlc.frozen, mlc.strides = ["1", "16"]}) -> tensor<4x16xf32> {
  %t = mlc_tensor.permute %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %r = mlc_tensor.matmul %x, %t : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  func.return %r : tensor<4x16xf32>
}

// A call that takes it transposed reads the parameter as it lies: memory of its own would be transposed back each time.
// CHECK-LABEL: func.func @keeps_view_for_call(%x: tensor<4x8xf32>, %b: tensor<16xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
// CHECK-NEXT:    %t = mlc_tensor.permute %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.addmm.default"(%b, %x, %t) {mlc.operand_strides = [unit, unit, ["1", "8"]]}
// CHECK-NEXT:    func.return %r : tensor<4x16xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func @keeps_view_for_call_weights(%w: tensor<16x8xf32>) -> (tensor<16x8xf32> {mlc.alias}) {
func.func @keeps_view_for_call(%x: tensor<4x8xf32>, %b: tensor<16xf32>, %w: tensor<16x8xf32> {mlc.frozen}) -> tensor<4x16xf32> {
  %t = mlc_tensor.permute %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %r = mlc_tensor.extern "aten.addmm.default"(%b, %x, %t) {mlc.operand_strides = [unit, unit, ["1", "8"]]} : (tensor<16xf32>, tensor<4x8xf32>, tensor<8x16xf32>) -> (tensor<4x16xf32>)
  func.return %r : tensor<4x16xf32>
}

// A call may need memory of its own for it.
// CHECK-LABEL: func.func @makes_view_for_call(%x: tensor<4x8xf32>, %t: tensor<8x16xf32>) -> tensor<4x16xf32> {
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.special.default"(%x, %t) : (tensor<4x8xf32>, tensor<8x16xf32>) -> (tensor<4x16xf32>)
// CHECK-NEXT:    func.return %r : tensor<4x16xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func @makes_view_for_call_weights(%w: tensor<16x8xf32>) -> (tensor<8x16xf32>) {
// CHECK-NEXT:    %t = mlc_tensor.permute %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
// CHECK-NEXT:    func.return %t : tensor<8x16xf32>
// CHECK-NEXT:  }
func.func @makes_view_for_call(%x: tensor<4x8xf32>, %w: tensor<16x8xf32> {mlc.frozen}) -> tensor<4x16xf32> {
  %t = mlc_tensor.permute %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %r = mlc_tensor.extern "aten.special.default"(%x, %t) : (tensor<4x8xf32>, tensor<8x16xf32>) -> (tensor<4x16xf32>)
  func.return %r : tensor<4x16xf32>
}

// Random numbers are drawn at each call.
// CHECK-LABEL: func.func @keeps_random(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %d = mlc_tensor.extern "aten.bernoulli.default"(%w) impure : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    %r = mlc_tensor.mul %x, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func @keeps_random_weights(%w: tensor<8xf32>) -> (tensor<8xf32> {mlc.alias}) {
// CHECK-NEXT:    func.return %w : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_random(%x: tensor<8xf32>, %w: tensor<8xf32> {mlc.frozen}) -> tensor<8xf32> {
  %d = mlc_tensor.extern "aten.bernoulli.default"(%w) impure : (tensor<8xf32>) -> (tensor<8xf32>)
  %r = mlc_tensor.mul %x, %d : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// No parameter is frozen.
// CHECK-LABEL: func.func @keeps_whole(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %e = mlc_tensor.exp %w : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %x, %e : tensor<8xf32>
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_whole(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %e = mlc_tensor.exp %w : tensor<8xf32>
  %r = mlc_tensor.mul %x, %e : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// An embedding of constant places in a frozen table is computed once, of places that are data in every call.
// CHECK-LABEL: func.func @embedding(%i: tensor<2xi64>, %w: tensor<3x2xf32>, %g: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT:    %c = mlc_tensor.iota dim 1 : tensor<2x2xi64>
// CHECK-NEXT:    %ir = mlc_tensor.reshape %i : tensor<2xi64> -> tensor<2x1xi64>
// CHECK-NEXT:    %ib = mlc_tensor.broadcast %ir : tensor<2x1xi64> -> tensor<2x2xi64>
// CHECK-NEXT:    %h = mlc_tensor.gather %w[%ib, %c] : tensor<3x2xf32>, (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xf32>
// CHECK-NEXT:    func.return %g, %h : tensor<2x2xf32>, tensor<2x2xf32>
// CHECK-NEXT:  }
// CHECK-LABEL: func.func @embedding_weights(%w: tensor<3x2xf32>) -> (tensor<3x2xf32> {mlc.alias}, tensor<2x2xf32>) {
// CHECK-NEXT:    %p = mlc_tensor.constant dense<[2, 1]> : tensor<2xi64>
// CHECK-NEXT:    %pr = mlc_tensor.reshape %p : tensor<2xi64> -> tensor<2x1xi64>
// CHECK-NEXT:    %pb = mlc_tensor.broadcast %pr : tensor<2x1xi64> -> tensor<2x2xi64>
// CHECK-NEXT:    %c = mlc_tensor.iota dim 1 : tensor<2x2xi64>
// CHECK-NEXT:    %g = mlc_tensor.gather %w[%pb, %c] : tensor<3x2xf32>, (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xf32>
// CHECK-NEXT:    func.return %w, %g : tensor<3x2xf32>, tensor<2x2xf32>
// CHECK-NEXT:  }
func.func @embedding(%i: tensor<2xi64>, %w: tensor<3x2xf32> {mlc.frozen}) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %p = mlc_tensor.constant dense<[2, 1]> : tensor<2xi64>
  %pr = mlc_tensor.reshape %p : tensor<2xi64> -> tensor<2x1xi64>
  %pb = mlc_tensor.broadcast %pr : tensor<2x1xi64> -> tensor<2x2xi64>
  %c = mlc_tensor.iota dim 1 : tensor<2x2xi64>
  %g = mlc_tensor.gather %w[%pb, %c] : tensor<3x2xf32>, (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xf32>
  %ir = mlc_tensor.reshape %i : tensor<2xi64> -> tensor<2x1xi64>
  %ib = mlc_tensor.broadcast %ir : tensor<2x1xi64> -> tensor<2x2xi64>
  %h = mlc_tensor.gather %w[%ib, %c] : tensor<3x2xf32>, (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xf32>
  func.return %g, %h : tensor<2x2xf32>, tensor<2x2xf32>
}

// What has a size that no parameter tells is another in every call.
// CHECK-LABEL: func.func @sizes_of_inputs(%x: tensor<?xf16, ["M"]>, %e: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %m = mlc_tensor.size [M] : tensor<f32>
// CHECK-NEXT:    %c = mlc_tensor.constant 1.000000e+00 : tensor<?xf32, ["M"]>
// CHECK-NEXT:    %s = mlc_tensor.scatter add %e[], %c : tensor<f32>, (), tensor<?xf32, ["M"]>
// CHECK-NEXT:    %r = mlc_tensor.div %s, %m : tensor<f32>
// CHECK-NEXT:    func.return %r : tensor<f32>
// CHECK-NEXT:  }
func.func @sizes_of_inputs(%x: tensor<?xf16, ["M"]>, %w: tensor<f32> {mlc.frozen}) -> tensor<f32> {
  %m = mlc_tensor.size [M] : tensor<f32>
  %c = mlc_tensor.constant 1.000000e+00 : tensor<?xf32, ["M"]>
  %e = mlc_tensor.erf %w : tensor<f32>
  %s = mlc_tensor.scatter add %e[], %c : tensor<f32>, (), tensor<?xf32, ["M"]>
  %r = mlc_tensor.div %s, %m : tensor<f32>
  func.return %r : tensor<f32>
}
