// RUN: mlc-opt %s -p cse --split-input-file | filecheck %s

// Two ops that compute the same value are one.
// CHECK-LABEL: func.func @merges(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    func.return %a, %a : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @merges(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.exp %x : tensor<8xf32>
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// A chain goes in one walk: what uses merged values merges as well.
// CHECK-LABEL: func.func @merges_chains(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.neg %a : tensor<8xf32>
// CHECK-NEXT:    %e = mlc_tensor.sub %c, %c : tensor<8xf32>
// CHECK-NEXT:    func.return %e : tensor<8xf32>
// CHECK-NEXT:  }
func.func @merges_chains(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.exp %x : tensor<8xf32>
  %c = mlc_tensor.neg %a : tensor<8xf32>
  %d = mlc_tensor.neg %b : tensor<8xf32>
  %e = mlc_tensor.sub %c, %d : tensor<8xf32>
  func.return %e : tensor<8xf32>
}

// Operands of an op that commutes are one in any order.
// CHECK-LABEL: func.func @merges_commuted(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.add %x, %y : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.div %a, %a : tensor<8xf32>
// CHECK-NEXT:    func.return %c : tensor<8xf32>
// CHECK-NEXT:  }
func.func @merges_commuted(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.add %x, %y : tensor<8xf32>
  %b = mlc_tensor.add %y, %x : tensor<8xf32>
  %c = mlc_tensor.div %a, %b : tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// x - y is not y - x.
// CHECK-LABEL: func.func @keeps_other_order(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.sub %y, %x : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.div %a, %b : tensor<8xf32>
// CHECK-NEXT:    func.return %c : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_other_order(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.sub %x, %y : tensor<8xf32>
  %b = mlc_tensor.sub %y, %x : tensor<8xf32>
  %c = mlc_tensor.div %a, %b : tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// Properties and result types are part of what an op computes.
// CHECK-LABEL: func.func @keeps_other_properties(%x: tensor<8x8xf32>) -> (tensor<8x1xf32>, tensor<1x8xf32>, tensor<8x1xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.reduce add %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    %b = mlc_tensor.reduce add %x dims [0] : tensor<8x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    %c = mlc_tensor.reduce max %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    func.return %a, %b, %c : tensor<8x1xf32>, tensor<1x8xf32>, tensor<8x1xf32>
// CHECK-NEXT:  }
func.func @keeps_other_properties(%x: tensor<8x8xf32>) -> (tensor<8x1xf32>, tensor<1x8xf32>, tensor<8x1xf32>) {
  %a = mlc_tensor.reduce add %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %b = mlc_tensor.reduce add %x dims [0] : tensor<8x8xf32> -> tensor<1x8xf32>
  %c = mlc_tensor.reduce max %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  func.return %a, %b, %c : tensor<8x1xf32>, tensor<1x8xf32>, tensor<8x1xf32>
}

// CHECK-LABEL: func.func @keeps_other_types(%x: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    %b = mlc_tensor.reshape %x : tensor<8xf32> -> tensor<4x2xf32>
// CHECK-NEXT:    func.return %a, %b : tensor<2x4xf32>, tensor<4x2xf32>
// CHECK-NEXT:  }
func.func @keeps_other_types(%x: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {
  %a = mlc_tensor.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
  %b = mlc_tensor.reshape %x : tensor<8xf32> -> tensor<4x2xf32>
  func.return %a, %b : tensor<2x4xf32>, tensor<4x2xf32>
}

// 0.0 and -0.0 are equal numbers and different constants; a NaN is the same constant as itself.
// CHECK-LABEL: func.func @constants() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
// CHECK-NEXT:    %zero = mlc_tensor.constant 0.000000e+00 : tensor<2xf32>
// CHECK-NEXT:    %minus = mlc_tensor.constant -0.000000e+00 : tensor<2xf32>
// CHECK-NEXT:    %nan = mlc_tensor.constant 0x7fc00000 : tensor<2xf32>
// CHECK-NEXT:    func.return %zero, %minus, %nan, %nan : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
// CHECK-NEXT:  }
func.func @constants() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<2xf32>
  %minus = mlc_tensor.constant -0.000000e+00 : tensor<2xf32>
  %nan = mlc_tensor.constant 0x7fc00000 : tensor<2xf32>
  %again = mlc_tensor.constant 0x7fc00000 : tensor<2xf32>
  func.return %zero, %minus, %nan, %again : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Several results merge together.
// CHECK-LABEL: func.func @merges_calls(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>) {
// CHECK-NEXT:    %a, %b = mlc_tensor.extern "aten.sort.default"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
// CHECK-NEXT:    func.return %a, %b : tensor<8xf32>, tensor<8xi64>
// CHECK-NEXT:  }
func.func @merges_calls(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>) {
  %a, %b = mlc_tensor.extern "aten.sort.default"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  %c, %d = mlc_tensor.extern "aten.sort.default"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  func.return %a, %d : tensor<8xf32>, tensor<8xi64>
}

// An impure call is never the same twice.
// CHECK-LABEL: func.func @keeps_impure(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.extern "aten.rand_like.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    %b = mlc_tensor.extern "aten.rand_like.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return %a, %b : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_impure(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.extern "aten.rand_like.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
  %b = mlc_tensor.extern "aten.rand_like.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Equal regions make equal fusions, whatever their values are called.
// CHECK-LABEL: func.func @merges_fusions(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.fusion (%p = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
// CHECK-NEXT:      %e = mlc_tensor.exp %p : tensor<8xf32>
// CHECK-NEXT:      %n = mlc_tensor.neg %e : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %n : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %a, %a : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @merges_fusions(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.fusion (%p = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
    %e = mlc_tensor.exp %p : tensor<8xf32>
    %n = mlc_tensor.neg %e : tensor<8xf32>
    mlc_tensor.yield %n : tensor<8xf32>
  }
  %b = mlc_tensor.fusion (%q = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
    %f = mlc_tensor.exp %q : tensor<8xf32>
    %m = mlc_tensor.neg %f : tensor<8xf32>
    mlc_tensor.yield %m : tensor<8xf32>
  }
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @keeps_other_fusions(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.fusion (%p = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
// CHECK-NEXT:      %e = mlc_tensor.exp %p : tensor<8xf32>
// CHECK-NEXT:      %n = mlc_tensor.neg %e : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %n : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = mlc_tensor.fusion (%q = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
// CHECK-NEXT:      %f = mlc_tensor.exp %q : tensor<8xf32>
// CHECK-NEXT:      %m = mlc_tensor.neg %q : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %m : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %a, %b : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_other_fusions(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.fusion (%p = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
    %e = mlc_tensor.exp %p : tensor<8xf32>
    %n = mlc_tensor.neg %e : tensor<8xf32>
    mlc_tensor.yield %n : tensor<8xf32>
  }
  %b = mlc_tensor.fusion (%q = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
    %f = mlc_tensor.exp %q : tensor<8xf32>
    %m = mlc_tensor.neg %q : tensor<8xf32>
    mlc_tensor.yield %m : tensor<8xf32>
  }
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// A fusion is isolated: inside it ops merge, but not with those outside.
// CHECK-LABEL: func.func @stays_inside(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.fusion (%p = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
// CHECK-NEXT:      %e = mlc_tensor.exp %p : tensor<8xf32>
// CHECK-NEXT:      %s = mlc_tensor.add %e, %e : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %s : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %a, %b : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @stays_inside(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.fusion (%p = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
    %e = mlc_tensor.exp %p : tensor<8xf32>
    %f = mlc_tensor.exp %p : tensor<8xf32>
    %s = mlc_tensor.add %e, %f : tensor<8xf32>
    mlc_tensor.yield %s : tensor<8xf32>
  }
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Nothing merges across functions.
// CHECK-LABEL: func.func @one() -> tensor<8xi32> {
// CHECK-NEXT:    %a = mlc_tensor.iota dim 0 : tensor<8xi32>
// CHECK-NEXT:    func.return %a : tensor<8xi32>
// CHECK-NEXT:  }
func.func @one() -> tensor<8xi32> {
  %a = mlc_tensor.iota dim 0 : tensor<8xi32>
  func.return %a : tensor<8xi32>
}

// CHECK-LABEL: func.func @other() -> tensor<8xi32> {
// CHECK-NEXT:    %a = mlc_tensor.iota dim 0 : tensor<8xi32>
// CHECK-NEXT:    func.return %a : tensor<8xi32>
// CHECK-NEXT:  }
func.func @other() -> tensor<8xi32> {
  %a = mlc_tensor.iota dim 0 : tensor<8xi32>
  func.return %a : tensor<8xi32>
}

// In loops an inner op sees the outer ones, and not those of a loop beside it.
// Reads stay: a store may stand between them.
// CHECK-LABEL: mlc_loop.kernel @loops(%x: memref<8x8xf32>) {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 8 {
// CHECK-NEXT:      %two = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:      mlc_loop.parallel %j = 0 to 8 {
// CHECK-NEXT:        %a = mlc_loop.load %x[%i, %j] : memref<8x8xf32>
// CHECK-NEXT:        %b = arith.mulf %a, %two : f32
// CHECK-NEXT:        mlc_loop.store %b, %x[%i, %j] : memref<8x8xf32>
// CHECK-NEXT:        %c = mlc_loop.load %x[%i, %j] : memref<8x8xf32>
// CHECK-NEXT:        %p = mlc_loop.index [%i * 8 + %j] : i32
// CHECK-NEXT:        %f = arith.sitofp %p : i32 to f32
// CHECK-NEXT:        %d = arith.addf %c, %f : f32
// CHECK-NEXT:        %e = arith.addf %d, %f : f32
// CHECK-NEXT:        mlc_loop.store %e, %x[%i, %j] : memref<8x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      mlc_loop.parallel %k = 0 to 8 {
// CHECK-NEXT:        %p2 = mlc_loop.index [%i * 8 + %k] : i32
// CHECK-NEXT:        %h = arith.sitofp %p2 : i32 to f32
// CHECK-NEXT:        mlc_loop.store %h, %x[%i, %k] : memref<8x8xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
mlc_loop.kernel @loops(%x: memref<8x8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %two = arith.constant 2.000000e+00 : f32
    mlc_loop.parallel %j = 0 to 8 {
      %again = arith.constant 2.000000e+00 : f32
      %a = mlc_loop.load %x[%i, %j] : memref<8x8xf32>
      %b = arith.mulf %a, %again : f32
      mlc_loop.store %b, %x[%i, %j] : memref<8x8xf32>
      %c = mlc_loop.load %x[%i, %j] : memref<8x8xf32>
      %p = mlc_loop.index [%i * 8 + %j] : i32
      %q = mlc_loop.index [%i * 8 + %j] : i32
      %f = arith.sitofp %p : i32 to f32
      %g = arith.sitofp %q : i32 to f32
      %d = arith.addf %c, %f : f32
      %e = arith.addf %d, %g : f32
      mlc_loop.store %e, %x[%i, %j] : memref<8x8xf32>
    }
    mlc_loop.parallel %k = 0 to 8 {
      %p2 = mlc_loop.index [%i * 8 + %k] : i32
      %h = arith.sitofp %p2 : i32 to f32
      mlc_loop.store %h, %x[%i, %k] : memref<8x8xf32>
    }
  }
}

// The earlier op must stand before: a use of a later one is never rewritten to it.
// CHECK-LABEL: mlc_loop.kernel @no_hoisting(%x: memref<8xf32>) {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 8 {
// CHECK-NEXT:      %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      mlc_loop.store %one, %x[%i] : memref<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %outer = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    mlc_loop.store %outer, %x[0] : memref<8xf32>
// CHECK-NEXT:  }
mlc_loop.kernel @no_hoisting(%x: memref<8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %one = arith.constant 1.000000e+00 : f32
    mlc_loop.store %one, %x[%i] : memref<8xf32>
  }
  %outer = arith.constant 1.000000e+00 : f32
  mlc_loop.store %outer, %x[0] : memref<8xf32>
}
