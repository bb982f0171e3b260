// RUN: mlc-opt %s -p const-fold --split-input-file | filecheck %s

// A function of splats is a splat, however large: nothing is spelled out.
// CHECK-LABEL: func.func @splats() -> tensor<65536x4096xf32> {
// CHECK-NEXT:    %d = mlc_tensor.constant -6.000000e+00 : tensor<65536x4096xf32>
// CHECK-NEXT:    func.return %d : tensor<65536x4096xf32>
// CHECK-NEXT:  }
func.func @splats() -> tensor<65536x4096xf32> {
  %a = mlc_tensor.constant 2.000000e+00 : tensor<65536x4096xf32>
  %b = mlc_tensor.constant 3.000000e+00 : tensor<65536x4096xf32>
  %c = mlc_tensor.mul %a, %b : tensor<65536x4096xf32>
  %d = mlc_tensor.neg %c : tensor<65536x4096xf32>
  func.return %d : tensor<65536x4096xf32>
}

// Named sizes do not matter to a splat.
// CHECK-LABEL: func.func @named_sizes() -> tensor<?xi1, ["N"]> {
// CHECK-NEXT:    %c = mlc_tensor.constant true : tensor<?xi1, ["N"]>
// CHECK-NEXT:    func.return %c : tensor<?xi1, ["N"]>
// CHECK-NEXT:  }
func.func @named_sizes() -> tensor<?xi1, ["N"]> {
  %a = mlc_tensor.constant 2 : tensor<?xi32, ["N"]>
  %b = mlc_tensor.constant 3 : tensor<?xi32, ["N"]>
  %c = mlc_tensor.lt %a, %b : tensor<?xi32, ["N"]>
  func.return %c : tensor<?xi1, ["N"]>
}

// One operand that is not constant, and nothing is known: x * 0 is NaN where x is.
// CHECK-LABEL: func.func @keeps_variables(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %a = mlc_tensor.constant 0.000000e+00 : tensor<4xf32>
// CHECK-NEXT:    %b = mlc_tensor.mul %x, %a : tensor<4xf32>
// CHECK-NEXT:    func.return %b : tensor<4xf32>
// CHECK-NEXT:  }
func.func @keeps_variables(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = mlc_tensor.constant 0.000000e+00 : tensor<4xf32>
  %b = mlc_tensor.mul %x, %a : tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// Several uses of one constant all fold.
// CHECK-LABEL: func.func @multi_use() -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.constant 4.000000e+00 : tensor<4xf32>
// CHECK-NEXT:    %c = mlc_tensor.constant 8.000000e+00 : tensor<4xf32>
// CHECK-NEXT:    func.return %b, %c : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:  }
func.func @multi_use() -> (tensor<4xf32>, tensor<4xf32>) {
  %a = mlc_tensor.constant 2.000000e+00 : tensor<4xf32>
  %b = mlc_tensor.add %a, %a : tensor<4xf32>
  %c = mlc_tensor.mul %b, %a : tensor<4xf32>
  func.return %b, %c : tensor<4xf32>, tensor<4xf32>
}

// Each op rounds to its type. f16: 60000 + 60000 is inf. bf16: 1 + 2 ** -8 is 1, a tie to even,
// and 1 + 3 * 2 ** -8 is 1 + 2 ** -6. f32: 2 ** 24 + 1 is 2 ** 24.
// CHECK-LABEL: func.func @rounding() -> (tensor<f16>, tensor<bf16>, tensor<bf16>, tensor<f32>) {
// CHECK-NEXT:    %b = mlc_tensor.constant 0x7c00 : tensor<f16>
// CHECK-NEXT:    %c = mlc_tensor.constant 1.000000e+00 : tensor<bf16>
// CHECK-NEXT:    %d = mlc_tensor.constant 1.015620e+00 : tensor<bf16>
// CHECK-NEXT:    %e = mlc_tensor.constant 0x4B800000 : tensor<f32>
// CHECK-NEXT:    func.return %b, %c, %d, %e : tensor<f16>, tensor<bf16>, tensor<bf16>, tensor<f32>
// CHECK-NEXT:  }
func.func @rounding() -> (tensor<f16>, tensor<bf16>, tensor<bf16>, tensor<f32>) {
  %a = mlc_tensor.constant 6.000000e+04 : tensor<f16>
  %b = mlc_tensor.add %a, %a : tensor<f16>
  %one = mlc_tensor.constant 1.000000e+00 : tensor<bf16>
  %small = mlc_tensor.constant 3.906250e-03 : tensor<bf16>
  %c = mlc_tensor.add %one, %small : tensor<bf16>
  %three = mlc_tensor.constant 1.171880e-02 : tensor<bf16>
  %d = mlc_tensor.add %one, %three : tensor<bf16>
  %large = mlc_tensor.constant 0x4B800000 : tensor<f32>
  %unit = mlc_tensor.constant 1.000000e+00 : tensor<f32>
  %e = mlc_tensor.add %large, %unit : tensor<f32>
  func.return %b, %c, %d, %e : tensor<f16>, tensor<bf16>, tensor<bf16>, tensor<f32>
}

// NaN, infinities and zeros: inf - inf is NaN, 1 / -0.0 is -inf, 0.0 + -0.0 is 0.0, -(0.0) is -0.0.
// CHECK-LABEL: func.func @float_edges() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) {
// CHECK-NEXT:    %nan = mlc_tensor.constant 0x7fc00000 : tensor<f32>
// CHECK-NEXT:    %a = mlc_tensor.constant 0xff800000 : tensor<f32>
// CHECK-NEXT:    %b = mlc_tensor.constant 0.000000e+00 : tensor<f32>
// CHECK-NEXT:    %c = mlc_tensor.constant -0.000000e+00 : tensor<f32>
// CHECK-NEXT:    %d = mlc_tensor.constant false : tensor<i1>
// CHECK-NEXT:    func.return %nan, %a, %b, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>
// CHECK-NEXT:  }
func.func @float_edges() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) {
  %inf = mlc_tensor.constant 0x7F800000 : tensor<f32>
  %one = mlc_tensor.constant 1.000000e+00 : tensor<f32>
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<f32>
  %minus = mlc_tensor.constant -0.000000e+00 : tensor<f32>
  %nan = mlc_tensor.sub %inf, %inf : tensor<f32>
  %a = mlc_tensor.div %one, %minus : tensor<f32>
  %b = mlc_tensor.add %zero, %minus : tensor<f32>
  %c = mlc_tensor.neg %zero : tensor<f32>
  %d = mlc_tensor.eq %nan, %nan : tensor<f32>
  func.return %nan, %a, %b, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>
}

// Integers wrap around, unsigned ones at 256.
// CHECK-LABEL: func.func @wrapping() -> (tensor<i32>, tensor<ui8>) {
// CHECK-NEXT:    %a = mlc_tensor.constant -2147483648 : tensor<i32>
// CHECK-NEXT:    %b = mlc_tensor.constant 144 : tensor<ui8>
// CHECK-NEXT:    func.return %a, %b : tensor<i32>, tensor<ui8>
// CHECK-NEXT:  }
func.func @wrapping() -> (tensor<i32>, tensor<ui8>) {
  %most = mlc_tensor.constant 2147483647 : tensor<i32>
  %one = mlc_tensor.constant 1 : tensor<i32>
  %a = mlc_tensor.add %most, %one : tensor<i32>
  %byte = mlc_tensor.constant 200 : tensor<ui8>
  %b = mlc_tensor.add %byte, %byte : tensor<ui8>
  func.return %a, %b : tensor<i32>, tensor<ui8>
}

// Division rounds down or towards zero. By zero, or of the least integer by -1, it stays.
// CHECK-LABEL: func.func @divisions() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) {
// CHECK-NEXT:    %x = mlc_tensor.constant -7 : tensor<i32>
// CHECK-NEXT:    %zero = mlc_tensor.constant 0 : tensor<i32>
// CHECK-NEXT:    %least = mlc_tensor.constant -2147483648 : tensor<i32>
// CHECK-NEXT:    %minus = mlc_tensor.constant -1 : tensor<i32>
// CHECK-NEXT:    %a = mlc_tensor.constant -4 : tensor<i32>
// CHECK-NEXT:    %b = mlc_tensor.constant -3 : tensor<i32>
// CHECK-NEXT:    %c = mlc_tensor.remainder %x, %zero : tensor<i32>
// CHECK-NEXT:    %d = mlc_tensor.truncdiv %least, %minus : tensor<i32>
// CHECK-NEXT:    %e = mlc_tensor.constant 0x7fc00000 : tensor<f32>
// CHECK-NEXT:    func.return %a, %b, %c, %d, %e : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>
// CHECK-NEXT:  }
func.func @divisions() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>) {
  %x = mlc_tensor.constant -7 : tensor<i32>
  %two = mlc_tensor.constant 2 : tensor<i32>
  %zero = mlc_tensor.constant 0 : tensor<i32>
  %least = mlc_tensor.constant -2147483648 : tensor<i32>
  %minus = mlc_tensor.constant -1 : tensor<i32>
  %fzero = mlc_tensor.constant 0.000000e+00 : tensor<f32>
  %a = mlc_tensor.floordiv %x, %two : tensor<i32>
  %b = mlc_tensor.truncdiv %x, %two : tensor<i32>
  %c = mlc_tensor.remainder %x, %zero : tensor<i32>
  %d = mlc_tensor.truncdiv %least, %minus : tensor<i32>
  %e = mlc_tensor.div %fzero, %fzero : tensor<f32>
  func.return %a, %b, %c, %d, %e : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>
}

// Casts round, truncate and wrap; a float that the integer cannot hold stays.
// CHECK-LABEL: func.func @casts() -> (tensor<bf16>, tensor<i32>, tensor<i8>, tensor<i1>, tensor<i8>, tensor<i32>) {
// CHECK-NEXT:    %nan = mlc_tensor.constant 0x7fc00000 : tensor<f32>
// CHECK-NEXT:    %large = mlc_tensor.constant 3.000000e+02 : tensor<f32>
// CHECK-NEXT:    %a = mlc_tensor.constant 1.000980e-01 : tensor<bf16>
// CHECK-NEXT:    %b = mlc_tensor.constant -3 : tensor<i32>
// CHECK-NEXT:    %c = mlc_tensor.constant 44 : tensor<i8>
// CHECK-NEXT:    %d = mlc_tensor.constant true : tensor<i1>
// CHECK-NEXT:    %e = mlc_tensor.cast %large : tensor<f32> -> tensor<i8>
// CHECK-NEXT:    %f = mlc_tensor.cast %nan : tensor<f32> -> tensor<i32>
// CHECK-NEXT:    func.return %a, %b, %c, %d, %e, %f : tensor<bf16>, tensor<i32>, tensor<i8>, tensor<i1>, tensor<i8>, tensor<i32>
// CHECK-NEXT:  }
func.func @casts() -> (tensor<bf16>, tensor<i32>, tensor<i8>, tensor<i1>, tensor<i8>, tensor<i32>) {
  %x = mlc_tensor.constant 1.000000e-01 : tensor<f32>
  %y = mlc_tensor.constant -3.900000e+00 : tensor<f32>
  %z = mlc_tensor.constant 300 : tensor<i32>
  %nan = mlc_tensor.constant 0x7FC00000 : tensor<f32>
  %large = mlc_tensor.constant 3.000000e+02 : tensor<f32>
  %a = mlc_tensor.cast %x : tensor<f32> -> tensor<bf16>
  %b = mlc_tensor.cast %y : tensor<f32> -> tensor<i32>
  %c = mlc_tensor.cast %z : tensor<i32> -> tensor<i8>
  %d = mlc_tensor.cast %nan : tensor<f32> -> tensor<i1>
  %e = mlc_tensor.cast %large : tensor<f32> -> tensor<i8>
  %f = mlc_tensor.cast %nan : tensor<f32> -> tensor<i32>
  func.return %a, %b, %c, %d, %e, %f : tensor<bf16>, tensor<i32>, tensor<i8>, tensor<i1>, tensor<i8>, tensor<i32>
}

// Small dense constants, element by element.
// CHECK-LABEL: func.func @dense() -> (tensor<4xf32>, tensor<4xi1>) {
// CHECK-NEXT:    %c = mlc_tensor.constant dense<[2.000000e+00, -0.000000e+00, 0xff800000, 0x7fc00000]> : tensor<4xf32>
// CHECK-NEXT:    %d = mlc_tensor.constant dense<[true, true, true, false]> : tensor<4xi1>
// CHECK-NEXT:    func.return %c, %d : tensor<4xf32>, tensor<4xi1>
// CHECK-NEXT:  }
func.func @dense() -> (tensor<4xf32>, tensor<4xi1>) {
  %a = mlc_tensor.constant dense<[1.000000e+00, -0.000000e+00, 0xff800000, 0x7fc00000]> : tensor<4xf32>
  %b = mlc_tensor.constant 2.000000e+00 : tensor<4xf32>
  %c = mlc_tensor.mul %a, %b : tensor<4xf32>
  %d = mlc_tensor.lt %a, %b : tensor<4xf32>
  func.return %c, %d : tensor<4xf32>, tensor<4xi1>
}

// What moves elements of small constants; equal elements make a splat again.
// CHECK-LABEL: func.func @dense_views() -> (tensor<2x2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {
// CHECK-NEXT:    %p = mlc_tensor.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi32>
// CHECK-NEXT:    %s = mlc_tensor.constant dense<[4, 2]> : tensor<2xi32>
// CHECK-NEXT:    %q = mlc_tensor.constant dense<[9, 4, 2, 9]> : tensor<4xi32>
// CHECK-NEXT:    %c = mlc_tensor.constant dense<[4, 2, 4, 2]> : tensor<4xi32>
// CHECK-NEXT:    %d = mlc_tensor.constant 0 : tensor<2xi32>
// CHECK-NEXT:    func.return %p, %s, %q, %c, %d : tensor<2x2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>
// CHECK-NEXT:  }
func.func @dense_views() -> (tensor<2x2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>) {
  %a = mlc_tensor.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %p = mlc_tensor.permute %a [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  %f = mlc_tensor.reshape %a : tensor<2x2xi32> -> tensor<4xi32>
  %s = mlc_tensor.slice %f [3] step [-2] : tensor<4xi32> -> tensor<2xi32>
  %q = mlc_tensor.pad %s low [1] value 9 : i32 : tensor<2xi32> -> tensor<4xi32>
  %c = mlc_tensor.cat %s, %s dim 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  %d = mlc_tensor.sub %s, %s : tensor<2xi32>
  func.return %p, %s, %q, %c, %d : tensor<2x2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>
}

// A result of more than max-bytes stays an op: 512 bytes are 64 elements of i64 and 128 of i32.
// CHECK-LABEL: func.func @keeps_large() -> (tensor<65xi64>, tensor<128xi32>) {
// CHECK-NEXT:    %a = mlc_tensor.iota dim 0 : tensor<65xi64>
// CHECK-NEXT:    %e = mlc_tensor.constant dense<"0x0100000002000000
// CHECK-NEXT:    func.return %a, %e : tensor<65xi64>, tensor<128xi32>
// CHECK-NEXT:  }
func.func @keeps_large() -> (tensor<65xi64>, tensor<128xi32>) {
  %a = mlc_tensor.iota dim 0 : tensor<65xi64>
  %b = mlc_tensor.constant dense<[1, 2]> : tensor<2xi32>
  %c = mlc_tensor.reshape %b : tensor<2xi32> -> tensor<1x2xi32>
  %d = mlc_tensor.broadcast %c : tensor<1x2xi32> -> tensor<64x2xi32>
  %e = mlc_tensor.reshape %d : tensor<64x2xi32> -> tensor<128xi32>
  func.return %a, %e : tensor<65xi64>, tensor<128xi32>
}

// Counting to one is 0; other counts are made where they are needed.
// CHECK-LABEL: func.func @counts() -> (tensor<4xi64>, tensor<2x1xbf16>, tensor<i64>) {
// CHECK-NEXT:    %a = mlc_tensor.iota dim 0 : tensor<4xi64>
// CHECK-NEXT:    %b = mlc_tensor.constant 0.000000e+00 : tensor<2x1xbf16>
// CHECK-NEXT:    %c = mlc_tensor.constant 12 : tensor<i64>
// CHECK-NEXT:    func.return %a, %b, %c : tensor<4xi64>, tensor<2x1xbf16>, tensor<i64>
// CHECK-NEXT:  }
func.func @counts() -> (tensor<4xi64>, tensor<2x1xbf16>, tensor<i64>) {
  %a = mlc_tensor.iota dim 0 : tensor<4xi64>
  %b = mlc_tensor.iota dim 1 : tensor<2x1xbf16>
  %c = mlc_tensor.size [12] : tensor<i64>
  func.return %a, %b, %c : tensor<4xi64>, tensor<2x1xbf16>, tensor<i64>
}

// CHECK-LABEL: func.func @keeps_sizes() -> tensor<i64> {
// CHECK-NEXT:    %c = mlc_tensor.size [N * 2] : tensor<i64>
// CHECK-NEXT:    func.return %c : tensor<i64>
// CHECK-NEXT:  }
func.func @keeps_sizes() -> tensor<i64> {
  %c = mlc_tensor.size [N * 2] : tensor<i64>
  func.return %c : tensor<i64>
}

// Moving equal elements.
// CHECK-LABEL: func.func @splat_views(%x: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>, tensor<2xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.constant -0.000000e+00 : tensor<4x8xf32>
// CHECK-NEXT:    %c = mlc_tensor.constant -0.000000e+00 : tensor<32xf32>
// CHECK-NEXT:    %d = mlc_tensor.constant -0.000000e+00 : tensor<8x4xf32>
// CHECK-NEXT:    %e = mlc_tensor.constant -0.000000e+00 : tensor<2xf32>
// CHECK-NEXT:    func.return %b, %c, %d, %e : tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>, tensor<2xf32>
// CHECK-NEXT:  }
func.func @splat_views(%x: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>, tensor<2xf32>) {
  %a = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %b = mlc_tensor.broadcast %a : tensor<8xf32> -> tensor<4x8xf32>
  %c = mlc_tensor.reshape %b : tensor<4x8xf32> -> tensor<32xf32>
  %d = mlc_tensor.permute %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %e = mlc_tensor.slice %c [4] step [3] : tensor<32xf32> -> tensor<2xf32>
  func.return %b, %c, %d, %e : tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>, tensor<2xf32>
}

// Reductions of a splat, where the order cannot show: max and min, and sums and products of integers.
// CHECK-LABEL: func.func @splat_reductions() -> (tensor<1x1xf32>, tensor<1x4096xi32>, tensor<1x1xi8>, tensor<1x4096xi64>) {
// CHECK-NEXT:    %d = mlc_tensor.constant 0x7fc00000 : tensor<1x1xf32>
// CHECK-NEXT:    %e = mlc_tensor.constant 12288 : tensor<1x4096xi32>
// CHECK-NEXT:    %f = mlc_tensor.constant 113 : tensor<1x1xi8>
// CHECK-NEXT:    %g = mlc_tensor.constant 0 : tensor<1x4096xi64>
// CHECK-NEXT:    func.return %d, %e, %f, %g : tensor<1x1xf32>, tensor<1x4096xi32>, tensor<1x1xi8>, tensor<1x4096xi64>
// CHECK-NEXT:  }
func.func @splat_reductions() -> (tensor<1x1xf32>, tensor<1x4096xi32>, tensor<1x1xi8>, tensor<1x4096xi64>) {
  %a = mlc_tensor.constant 0x7FC00000 : tensor<4096x4096xf32>
  %b = mlc_tensor.constant 3 : tensor<4096x4096xi32>
  %c = mlc_tensor.constant 3 : tensor<300x1xi8>
  %d = mlc_tensor.reduce max %a dims [0, 1] : tensor<4096x4096xf32> -> tensor<1x1xf32>
  %e = mlc_tensor.reduce add %b dims [0] : tensor<4096x4096xi32> -> tensor<1x4096xi32>
  %f = mlc_tensor.reduce mul %c dims [0] : tensor<300x1xi8> -> tensor<1x1xi8>
  %g = mlc_tensor.reduce argmax %a dims [0] : tensor<4096x4096xf32> -> tensor<1x4096xi64>
  func.return %d, %e, %f, %g : tensor<1x1xf32>, tensor<1x4096xi32>, tensor<1x1xi8>, tensor<1x4096xi64>
}

// Sums of floats, where no part of the sum rounds whatever the order: of equal elements and of others, to bf16 too.
// CHECK-LABEL: func.func @exact_sums() -> (tensor<1xf32>, tensor<1x1xbf16>, tensor<2x1xf64>) {
// CHECK-NEXT:    %b = mlc_tensor.constant 2.048000e+03 : tensor<1xf32>
// CHECK-NEXT:    %d = mlc_tensor.constant 2.560000e+02 : tensor<1x1xbf16>
// CHECK-NEXT:    %f = mlc_tensor.constant dense<{{\[\[}}1.250000e+00], [-3.500000e+00]]> : tensor<2x1xf64>
// CHECK-NEXT:    func.return
func.func @exact_sums() -> (tensor<1xf32>, tensor<1x1xbf16>, tensor<2x1xf64>) {
  %a = mlc_tensor.constant 0.5 : tensor<4096xf32>
  %b = mlc_tensor.reduce add %a dims [0] : tensor<4096xf32> -> tensor<1xf32>
  %c = mlc_tensor.constant 1.0 : tensor<16x16xbf16>
  %d = mlc_tensor.reduce add %c dims [0, 1] : tensor<16x16xbf16> -> tensor<1x1xbf16>
  %e = mlc_tensor.constant dense<[[1.0, 0.5, -0.25], [-4.0, 0.5, 0.0]]> : tensor<2x3xf64>
  %f = mlc_tensor.reduce add %e dims [1] : tensor<2x3xf64> -> tensor<2x1xf64>
  func.return %b, %d, %f : tensor<1xf32>, tensor<1x1xbf16>, tensor<2x1xf64>
}

// 257 has nine digits, and bf16 eight; 1e30 swallows 1; a product may round as well.
// CHECK-LABEL: func.func @keeps_rounding_sums() ->
// CHECK-COUNT-3: mlc_tensor.reduce
func.func @keeps_rounding_sums() -> (tensor<1xbf16>, tensor<1xf32>, tensor<1xf32>) {
  %a = mlc_tensor.constant 1.0 : tensor<257xbf16>
  %b = mlc_tensor.reduce add %a dims [0] : tensor<257xbf16> -> tensor<1xbf16>
  %c = mlc_tensor.constant dense<[1.0e+30, 1.0, -1.0e+30]> : tensor<3xf32>
  %d = mlc_tensor.reduce add %c dims [0] : tensor<3xf32> -> tensor<1xf32>
  %e = mlc_tensor.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %f = mlc_tensor.reduce mul %e dims [0] : tensor<2xf32> -> tensor<1xf32>
  func.return %b, %d, %f : tensor<1xbf16>, tensor<1xf32>, tensor<1xf32>
}

// A float sum rounds in some order, and a sum over a named size is not known.
// CHECK-LABEL: func.func @keeps_sums() -> (tensor<1xf32>, tensor<1xi32>) {
// CHECK-NEXT:    %a = mlc_tensor.constant 1.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.constant 3 : tensor<?xi32, ["N"]>
// CHECK-NEXT:    %c = mlc_tensor.reduce add %a dims [0] : tensor<8xf32> -> tensor<1xf32>
// CHECK-NEXT:    %d = mlc_tensor.reduce add %b dims [0] : tensor<?xi32, ["N"]> -> tensor<1xi32>
// CHECK-NEXT:    func.return %c, %d : tensor<1xf32>, tensor<1xi32>
// CHECK-NEXT:  }
func.func @keeps_sums() -> (tensor<1xf32>, tensor<1xi32>) {
  %a = mlc_tensor.constant 1.000000e-01 : tensor<8xf32>
  %b = mlc_tensor.constant 3 : tensor<?xi32, ["N"]>
  %c = mlc_tensor.reduce add %a dims [0] : tensor<8xf32> -> tensor<1xf32>
  %d = mlc_tensor.reduce add %b dims [0] : tensor<?xi32, ["N"]> -> tensor<1xi32>
  func.return %c, %d : tensor<1xf32>, tensor<1xi32>
}

// A tensor without elements is a constant whatever makes it; an empty reduction is its identity.
// CHECK-LABEL: func.func @empty(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.constant 0.000000e+00 : tensor<0x4xf32>
// CHECK-NEXT:    %b = mlc_tensor.constant 0xff800000 : tensor<1x4xf32>
// CHECK-NEXT:    %c = mlc_tensor.constant 1.000000e+00 : tensor<1x4xf32>
// CHECK-NEXT:    func.return %a, %b, %c : tensor<0x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
// CHECK-NEXT:  }
func.func @empty(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) {
  %a = mlc_tensor.exp %x : tensor<0x4xf32>
  %b = mlc_tensor.reduce max %a dims [0] : tensor<0x4xf32> -> tensor<1x4xf32>
  %c = mlc_tensor.reduce mul %a dims [0] : tensor<0x4xf32> -> tensor<1x4xf32>
  func.return %a, %b, %c : tensor<0x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>
}

// Complex numbers only pass through.
// CHECK-LABEL: func.func @keeps_foreign() -> tensor<0xcomplex<f32>> {
// CHECK-NEXT:    %a = mlc_tensor.extern "aten.foo.default"() : () -> (tensor<1x0xcomplex<f32>>)
// CHECK-NEXT:    %b = mlc_tensor.reshape %a : tensor<1x0xcomplex<f32>> -> tensor<0xcomplex<f32>>
// CHECK-NEXT:    func.return %b : tensor<0xcomplex<f32>>
// CHECK-NEXT:  }
func.func @keeps_foreign() -> tensor<0xcomplex<f32>> {
  %a = mlc_tensor.extern "aten.foo.default"() : () -> (tensor<1x0xcomplex<f32>>)
  %b = mlc_tensor.reshape %a : tensor<1x0xcomplex<f32>> -> tensor<0xcomplex<f32>>
  func.return %b : tensor<0xcomplex<f32>>
}

// -----

// A named number of rows without columns has no elements, and still a size that is not known.
// CHECK-LABEL: @keeps_sum_of_named_nothing(
// CHECK:         mlc_tensor.reduce add
func.func @keeps_sum_of_named_nothing(%x: tensor<?xf32, ["M"]>) -> tensor<1x1xi64> {
  %c = mlc_tensor.constant 1 : tensor<?x0xi64, ["M", "0"]>
  %s = mlc_tensor.reduce add %c dims [0, 1] : tensor<?x0xi64, ["M", "0"]> -> tensor<1x1xi64>
  func.return %s : tensor<1x1xi64>
}
