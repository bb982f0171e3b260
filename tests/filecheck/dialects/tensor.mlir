// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt - | filecheck %s

// The ops of mlc_tensor that are not elementwise.

// CHECK-LABEL: func.func @constants() {
// CHECK-NEXT:    %true = mlc_tensor.constant true : tensor<2xi1>
// CHECK-NEXT:    %byte = mlc_tensor.constant 255 : tensor<2xui8>
// CHECK-NEXT:    %least = mlc_tensor.constant -9223372036854775808 : tensor<i64>
// CHECK-NEXT:    %half = mlc_tensor.constant 5.000000e-01 : tensor<2x3xf16>
// CHECK-NEXT:    %wide = mlc_tensor.constant 1.000000e-01 : tensor<f64>
// CHECK-NEXT:    %list = mlc_tensor.constant dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    %bits = mlc_tensor.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT:    %bytes = mlc_tensor.constant dense<[0, 255]> : tensor<2xui8>
// CHECK-NEXT:    %named = mlc_tensor.constant 0 : tensor<?xi32, ["N"]>
// CHECK-NEXT:    %empty = mlc_tensor.constant 0.000000e+00 : tensor<0x4xf32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @constants() {
  %true = mlc_tensor.constant true : tensor<2xi1>
  %byte = mlc_tensor.constant 255 : tensor<2xui8>
  %least = mlc_tensor.constant -9223372036854775808 : tensor<i64>
  %half = mlc_tensor.constant 5.000000e-01 : tensor<2x3xf16>
  %wide = mlc_tensor.constant 1.000000e-01 : tensor<f64>
  %list = mlc_tensor.constant dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>
  %bits = mlc_tensor.constant dense<[true, false]> : tensor<2xi1>
  %bytes = mlc_tensor.constant dense<[0, 255]> : tensor<2xui8>
  %named = mlc_tensor.constant 0 : tensor<?xi32, ["N"]>
  %empty = mlc_tensor.constant 0.000000e+00 : tensor<0x4xf32>
  func.return
}

// Values that text loses easily: both zeros, infinities, NaN, denormals, 16777215.0.
// CHECK-LABEL: func.func @float_edges() {
// CHECK-NEXT:    %zero = mlc_tensor.constant 0.000000e+00 : tensor<2xf32>
// CHECK-NEXT:    %negative_zero = mlc_tensor.constant -0.000000e+00 : tensor<2xf32>
// CHECK-NEXT:    %inf = mlc_tensor.constant 0x7f800000 : tensor<2xf32>
// CHECK-NEXT:    %negative_inf = mlc_tensor.constant 0xff80 : tensor<2xbf16>
// CHECK-NEXT:    %nan = mlc_tensor.constant 0x7e00 : tensor<2xf16>
// CHECK-NEXT:    %wide_nan = mlc_tensor.constant 0x7ff8000000000000 : tensor<2xf64>
// CHECK-NEXT:    %denormal = mlc_tensor.constant 1.401300e-45 : tensor<2xf32>
// CHECK-NEXT:    %odd = mlc_tensor.constant 0x4B7FFFFF : tensor<2xf32>
// CHECK-NEXT:    %list = mlc_tensor.constant dense<[0xff800000, 0x7fc00000, -0.000000e+00, 0x4B7FFFFF]> : tensor<4xf32>
// CHECK-NEXT:    %short = mlc_tensor.constant dense<[0xff80, 0x7fc0, -0.000000e+00, 1.000000e+00]> : tensor<4xbf16>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @float_edges() {
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<2xf32>
  %negative_zero = mlc_tensor.constant -0.000000e+00 : tensor<2xf32>
  %inf = mlc_tensor.constant 0x7f800000 : tensor<2xf32>
  %negative_inf = mlc_tensor.constant 0xff80 : tensor<2xbf16>
  %nan = mlc_tensor.constant 0x7e00 : tensor<2xf16>
  %wide_nan = mlc_tensor.constant 0x7ff8000000000000 : tensor<2xf64>
  %denormal = mlc_tensor.constant 1.401300e-45 : tensor<2xf32>
  %odd = mlc_tensor.constant 0x4B7FFFFF : tensor<2xf32>
  %list = mlc_tensor.constant dense<[0xff800000, 0x7fc00000, -0.000000e+00, 0x4B7FFFFF]> : tensor<4xf32>
  %short = mlc_tensor.constant dense<[0xff80, 0x7fc0, -0.000000e+00, 1.000000e+00]> : tensor<4xbf16>
  func.return
}

// CHECK-LABEL: func.func @makers() {
// CHECK-NEXT:    %i = mlc_tensor.iota dim 1 : tensor<2x4xi64>
// CHECK-NEXT:    %f = mlc_tensor.iota dim 0 {note = "kept"} : tensor<?xf32, ["N"]>
// CHECK-NEXT:    %s = mlc_tensor.size [N * 4 + 1] : tensor<i64>
// CHECK-NEXT:    %t = mlc_tensor.size [(N + 1) floordiv 2] : tensor<i32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @makers() {
  %i = mlc_tensor.iota dim 1 : tensor<2x4xi64>
  %f = mlc_tensor.iota dim 0 {note = "kept"} : tensor<?xf32, ["N"]>
  %s = mlc_tensor.size [N * 4 + 1] : tensor<i64>
  %t = mlc_tensor.size [(N + 1) floordiv 2] : tensor<i32>
  func.return
}

// CHECK-LABEL: func.func @casts(%x: tensor<2x3xf32>) {
// CHECK-NEXT:    %h = mlc_tensor.cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
// CHECK-NEXT:    %i = mlc_tensor.cast %h : tensor<2x3xbf16> -> tensor<2x3xi64>
// CHECK-NEXT:    %u = mlc_tensor.cast %i : tensor<2x3xi64> -> tensor<2x3xui8>
// CHECK-NEXT:    %b = mlc_tensor.cast %u : tensor<2x3xui8> -> tensor<2x3xi1>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @casts(%x: tensor<2x3xf32>) {
  %h = mlc_tensor.cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
  %i = mlc_tensor.cast %h : tensor<2x3xbf16> -> tensor<2x3xi64>
  %u = mlc_tensor.cast %i : tensor<2x3xi64> -> tensor<2x3xui8>
  %b = mlc_tensor.cast %u : tensor<2x3xui8> -> tensor<2x3xi1>
  func.return
}

// CHECK-LABEL: func.func @reductions(%x: tensor<2x3x4xf32>, %i: tensor<2x3xi32>) {
// CHECK-NEXT:    %add = mlc_tensor.reduce add %x dims [0, 2] : tensor<2x3x4xf32> -> tensor<1x3x1xf32>
// CHECK-NEXT:    %mul = mlc_tensor.reduce mul %x dims [1] : tensor<2x3x4xf32> -> tensor<2x1x4xf32>
// CHECK-NEXT:    %max = mlc_tensor.reduce max %x dims [0, 1, 2] : tensor<2x3x4xf32> -> tensor<1x1x1xf32>
// CHECK-NEXT:    %min = mlc_tensor.reduce min %x dims [2] : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
// CHECK-NEXT:    %and = mlc_tensor.reduce and %i dims [1] : tensor<2x3xi32> -> tensor<2x1xi32>
// CHECK-NEXT:    %or = mlc_tensor.reduce or %i dims [0] : tensor<2x3xi32> -> tensor<1x3xi32>
// CHECK-NEXT:    %argmax = mlc_tensor.reduce argmax %x dims [1, 2] : tensor<2x3x4xf32> -> tensor<2x1x1xi64>
// CHECK-NEXT:    %argmin = mlc_tensor.reduce argmin %x dims [1] {note = "kept"} : tensor<2x3x4xf32> -> tensor<2x1x4xi64>
// CHECK-NEXT:    %rounded = mlc_tensor.reduce add tf32 %x dims [1] : tensor<2x3x4xf32> -> tensor<2x1x4xf32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @reductions(%x: tensor<2x3x4xf32>, %i: tensor<2x3xi32>) {
  %add = mlc_tensor.reduce add %x dims [0, 2] : tensor<2x3x4xf32> -> tensor<1x3x1xf32>
  %mul = mlc_tensor.reduce mul %x dims [1] : tensor<2x3x4xf32> -> tensor<2x1x4xf32>
  %max = mlc_tensor.reduce max %x dims [0, 1, 2] : tensor<2x3x4xf32> -> tensor<1x1x1xf32>
  %min = mlc_tensor.reduce min %x dims [2] : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
  %and = mlc_tensor.reduce and %i dims [1] : tensor<2x3xi32> -> tensor<2x1xi32>
  %or = mlc_tensor.reduce or %i dims [0] : tensor<2x3xi32> -> tensor<1x3xi32>
  %argmax = mlc_tensor.reduce argmax %x dims [1, 2] : tensor<2x3x4xf32> -> tensor<2x1x1xi64>
  %argmin = mlc_tensor.reduce argmin %x dims [1] {note = "kept"} : tensor<2x3x4xf32> -> tensor<2x1x4xi64>
  %rounded = mlc_tensor.reduce add tf32 %x dims [1] : tensor<2x3x4xf32> -> tensor<2x1x4xf32>
  func.return
}

// CHECK-LABEL: func.func @products(%a: tensor<5x2x3xf16>, %b: tensor<5x3x4xf16>) -> tensor<5x2x4xf16> {
// CHECK-NEXT:    %c = mlc_tensor.matmul %a, %b : tensor<5x2x3xf16>, tensor<5x3x4xf16> -> tensor<5x2x4xf16>
// CHECK-NEXT:    func.return %c : tensor<5x2x4xf16>
// CHECK-NEXT:  }
func.func @products(%a: tensor<5x2x3xf16>, %b: tensor<5x3x4xf16>) -> tensor<5x2x4xf16> {
  %c = mlc_tensor.matmul %a, %b : tensor<5x2x3xf16>, tensor<5x3x4xf16> -> tensor<5x2x4xf16>
  func.return %c : tensor<5x2x4xf16>
}

// CHECK-LABEL: func.func @views(%x: tensor<2x1x4xf32>) {
// CHECK-NEXT:    %broadcast = mlc_tensor.broadcast %x : tensor<2x1x4xf32> -> tensor<7x2x3x4xf32>
// CHECK-NEXT:    %reshape = mlc_tensor.reshape %x : tensor<2x1x4xf32> -> tensor<8xf32>
// CHECK-NEXT:    %permute = mlc_tensor.permute %x [2, 0, 1] : tensor<2x1x4xf32> -> tensor<4x2x1xf32>
// CHECK-NEXT:    %slice = mlc_tensor.slice %x [1, 0, 3] step [1, 1, -2] : tensor<2x1x4xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %roll = mlc_tensor.roll %x [1, 0, 3] : tensor<2x1x4xf32> -> tensor<2x1x4xf32>
// CHECK-NEXT:    %pad = mlc_tensor.pad %x low [0, 1, 2] value -0.000000e+00 : f32 : tensor<2x1x4xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT:    %filled = mlc_tensor.pad %x low [0, 0, 0] value 0xff800000 : f32 : tensor<2x1x4xf32> -> tensor<2x1x5xf32>
// CHECK-NEXT:    %cat = mlc_tensor.cat %x, %x, %x dim 1 : (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %scalar = mlc_tensor.reshape %x {note = "kept"} : tensor<2x1x4xf32> -> tensor<4x2xf32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @views(%x: tensor<2x1x4xf32>) {
  %broadcast = mlc_tensor.broadcast %x : tensor<2x1x4xf32> -> tensor<7x2x3x4xf32>
  %reshape = mlc_tensor.reshape %x : tensor<2x1x4xf32> -> tensor<8xf32>
  %permute = mlc_tensor.permute %x [2, 0, 1] : tensor<2x1x4xf32> -> tensor<4x2x1xf32>
  %slice = mlc_tensor.slice %x [1, 0, 3] step [1, 1, -2] : tensor<2x1x4xf32> -> tensor<1x1x2xf32>
  %roll = mlc_tensor.roll %x [1, 0, 3] : tensor<2x1x4xf32> -> tensor<2x1x4xf32>
  %pad = mlc_tensor.pad %x low [0, 1, 2] value -0.000000e+00 : f32 : tensor<2x1x4xf32> -> tensor<2x3x6xf32>
  %filled = mlc_tensor.pad %x low [0, 0, 0] value 0xff800000 : f32 : tensor<2x1x4xf32> -> tensor<2x1x5xf32>
  %cat = mlc_tensor.cat %x, %x, %x dim 1 : (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %scalar = mlc_tensor.reshape %x {note = "kept"} : tensor<2x1x4xf32> -> tensor<4x2xf32>
  func.return
}

// CHECK-LABEL: func.func @named_sizes(%x: tensor<?x8xf32, ["N", "8"]>, %s: tensor<f32>) {
// CHECK-NEXT:    %reshape = mlc_tensor.reshape %x : tensor<?x8xf32, ["N", "8"]> -> tensor<?xf32, ["N * 8"]>
// CHECK-NEXT:    %permute = mlc_tensor.permute %x [1, 0] : tensor<?x8xf32, ["N", "8"]> -> tensor<8x?xf32, ["8", "N"]>
// CHECK-NEXT:    %slice = mlc_tensor.slice %x [N - 1, 0] step [-1, 1] : tensor<?x8xf32, ["N", "8"]> -> tensor<?x8xf32, ["N", "8"]>
// CHECK-NEXT:    %roll = mlc_tensor.roll %x [N - 1, 7] : tensor<?x8xf32, ["N", "8"]> -> tensor<?x8xf32, ["N", "8"]>
// CHECK-NEXT:    %cat = mlc_tensor.cat %x, %x dim 0 : (tensor<?x8xf32, ["N", "8"]>, tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xf32, ["N * 2", "8"]>
// CHECK-NEXT:    %broadcast = mlc_tensor.broadcast %s : tensor<f32> -> tensor<?xf32, ["N floordiv 2"]>
// CHECK-NEXT:    %rank_zero = mlc_tensor.permute %s [] : tensor<f32> -> tensor<f32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @named_sizes(%x: tensor<?x8xf32, ["N", "8"]>, %s: tensor<f32>) {
  %reshape = mlc_tensor.reshape %x : tensor<?x8xf32, ["N", "8"]> -> tensor<?xf32, ["N * 8"]>
  %permute = mlc_tensor.permute %x [1, 0] : tensor<?x8xf32, ["N", "8"]> -> tensor<8x?xf32, ["8", "N"]>
  %slice = mlc_tensor.slice %x [N - 1, 0] step [-1, 1] : tensor<?x8xf32, ["N", "8"]> -> tensor<?x8xf32, ["N", "8"]>
  %roll = mlc_tensor.roll %x [N - 1, 7] : tensor<?x8xf32, ["N", "8"]> -> tensor<?x8xf32, ["N", "8"]>
  %cat = mlc_tensor.cat %x, %x dim 0 : (tensor<?x8xf32, ["N", "8"]>, tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xf32, ["N * 2", "8"]>
  %broadcast = mlc_tensor.broadcast %s : tensor<f32> -> tensor<?xf32, ["N floordiv 2"]>
  %rank_zero = mlc_tensor.permute %s [] : tensor<f32> -> tensor<f32>
  func.return
}

// CHECK-LABEL: func.func @calls(%x: tensor<4xf32>, %i: tensor<4xi64>) {
// CHECK-NEXT:    %plain = mlc_tensor.extern "aten.cumsum.default"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
// CHECK-NEXT:    %u, %v = mlc_tensor.extern "aten.sort.stable"(%x, %i) args [#mlc_tensor.operand<"0">, 1 : i64, -0.000000e+00 : f64, unit, [#mlc_tensor.operand<"1">], #mlc_tensor.size_of<"N * 4">] kwargs {dtype = #mlc_tensor.py<"torch.float32">} impure : (tensor<4xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>)
// CHECK-NEXT:    mlc_tensor.extern "aten.index_put_.default"(%x) impure : (tensor<4xf32>) -> ()
// CHECK-NEXT:    %complex = mlc_tensor.extern "aten.view_as_complex.default"(%x) : (tensor<4xf32>) -> (tensor<2xcomplex<f32>>)
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @calls(%x: tensor<4xf32>, %i: tensor<4xi64>) {
  %plain = mlc_tensor.extern "aten.cumsum.default"(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %u, %v = mlc_tensor.extern "aten.sort.stable"(%x, %i) args [#mlc_tensor.operand<"0">, 1 : i64, -0.000000e+00 : f64, unit, [#mlc_tensor.operand<"1">], #mlc_tensor.size_of<"N * 4">] kwargs {dtype = #mlc_tensor.py<"torch.float32">} impure : (tensor<4xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>)
  mlc_tensor.extern "aten.index_put_.default"(%x) impure : (tensor<4xf32>) -> ()
  %complex = mlc_tensor.extern "aten.view_as_complex.default"(%x) : (tensor<4xf32>) -> (tensor<2xcomplex<f32>>)
  func.return
}

// CHECK-LABEL: func.func @fusions(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
// CHECK-NEXT:    %r, %s = mlc_tensor.fusion (%a = %x : tensor<4x8xf32>, %b = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) kind "reduction" why "saves \22128\22 B" attributes {note = "kept"} {
// CHECK-NEXT:      %e = mlc_tensor.add %a, %b : tensor<4x8xf32>
// CHECK-NEXT:      %t = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      mlc_tensor.yield %e, %t : tensor<4x8xf32>, tensor<4x1xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r, %s : tensor<4x8xf32>, tensor<4x1xf32>
// CHECK-NEXT:  }
func.func @fusions(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %r, %s = mlc_tensor.fusion (%a = %x : tensor<4x8xf32>, %b = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) kind "reduction" why "saves \22128\22 B" attributes {note = "kept"} {
    %e = mlc_tensor.add %a, %b : tensor<4x8xf32>
    %t = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
    mlc_tensor.yield %e, %t : tensor<4x8xf32>, tensor<4x1xf32>
  }
  func.return %r, %s : tensor<4x8xf32>, tensor<4x1xf32>
}
