// RUN: mlc-opt %s -p simplify | filecheck %s

// x ** 2 == x * x: floats; the product is the power rounded to nearest
// CHECK-LABEL: func.func @power_of_two(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @power_of_two(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_power_of_two(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_power_of_two(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x ** -1 == 1 / x: floats; the quotient is the power rounded to nearest
// CHECK-LABEL: func.func @power_of_minus_one(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @power_of_minus_one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_power_of_minus_one(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_power_of_minus_one(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x ** 0 == 1: floats, NaN included, by IEEE 754
// CHECK-LABEL: func.func @power_of_zero(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @power_of_zero(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.pow %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Not here: only 0 will do.
// CHECK-LABEL: func.func @keeps_power_of_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e-30 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_power_of_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e-30 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// 1 ** x == 1: floats, NaN included, by IEEE 754
// CHECK-LABEL: func.func @power_of_one(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @power_of_one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.pow %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_power_of_one(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.pow %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_power_of_one(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.pow %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x / 2 ** k == x * 2 ** -k: floats, denormals included, where 2 ** -k is a normal number of the type
// CHECK-LABEL: func.func @divide_by_power_of_two(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.250000e-01 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant -4.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.mul %x, %2 : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.constant 6.10351562e-05 : tensor<8xf32>
// CHECK-NEXT:    %5 = mlc_tensor.mul %x, %4 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @divide_by_power_of_two(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 8.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant -2.500000e-01 : tensor<8xf32>
  %3 = mlc_tensor.div %x, %2 : tensor<8xf32>
  %4 = mlc_tensor.constant 1.638400e+04 : tensor<8xf32>
  %5 = mlc_tensor.div %x, %4 : tensor<8xf32>
  func.return %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @divide_by_power_of_two_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.024000e+03 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @divide_by_power_of_two_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.0009765625 : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_divide_by_power_of_two(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_divide_by_power_of_two(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// (x * 2 ** i) * 2 ** j == x * 2 ** (i + j), i, j >= 0: floats; a smaller factor might round a denormal
// CHECK-LABEL: func.func @join_growing_scales(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.200000e+01 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant -1.638400e+04 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.mul %x, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @join_growing_scales(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 4.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant -8.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.mul %1, %2 : tensor<8xf32>
  %4 = mlc_tensor.constant -1.280000e+02 : tensor<8xf32>
  %5 = mlc_tensor.mul %x, %4 : tensor<8xf32>
  %6 = mlc_tensor.constant 1.280000e+02 : tensor<8xf32>
  %7 = mlc_tensor.mul %5, %6 : tensor<8xf32>
  func.return %3, %7 : tensor<8xf32>, tensor<8xf32>
}

// Not here: the product overflows, or a factor shrinks, or is no power of two.
// CHECK-LABEL: func.func @keeps_join_growing_scales(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.2676506e+30 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 1.2676506e+30 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.mul %1, %2 : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %5 = mlc_tensor.mul %x, %4 : tensor<8xf32>
// CHECK-NEXT:    %6 = mlc_tensor.constant 4.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %7 = mlc_tensor.mul %5, %6 : tensor<8xf32>
// CHECK-NEXT:    %8 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %9 = mlc_tensor.mul %x, %8 : tensor<8xf32>
// CHECK-NEXT:    %10 = mlc_tensor.constant 4.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %11 = mlc_tensor.mul %9, %10 : tensor<8xf32>
// CHECK-NEXT:    func.return %3, %7, %11 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_join_growing_scales(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 1.2676506e+30 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 1.2676506e+30 : tensor<8xf32>
  %3 = mlc_tensor.mul %1, %2 : tensor<8xf32>
  %4 = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
  %5 = mlc_tensor.mul %x, %4 : tensor<8xf32>
  %6 = mlc_tensor.constant 4.000000e+00 : tensor<8xf32>
  %7 = mlc_tensor.mul %5, %6 : tensor<8xf32>
  %8 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %9 = mlc_tensor.mul %x, %8 : tensor<8xf32>
  %10 = mlc_tensor.constant 4.000000e+00 : tensor<8xf32>
  %11 = mlc_tensor.mul %9, %10 : tensor<8xf32>
  func.return %3, %7, %11 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// floor(ceil(x)) == ceil(x); trunc(sign(x)) == sign(x); round(float(i)) == float(i): floats with no fraction
// CHECK-LABEL: func.func @round_integral(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.ceil %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sign %x : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.trunc %x : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.floor %x : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.round %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @round_integral(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.ceil %x : tensor<8xf32>
  %1 = mlc_tensor.floor %0 : tensor<8xf32>
  %2 = mlc_tensor.sign %x : tensor<8xf32>
  %3 = mlc_tensor.trunc %2 : tensor<8xf32>
  %4 = mlc_tensor.trunc %x : tensor<8xf32>
  %5 = mlc_tensor.ceil %4 : tensor<8xf32>
  %6 = mlc_tensor.floor %x : tensor<8xf32>
  %7 = mlc_tensor.round %6 : tensor<8xf32>
  %8 = mlc_tensor.round %x : tensor<8xf32>
  %9 = mlc_tensor.trunc %8 : tensor<8xf32>
  func.return %1, %3, %5, %7, %9 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Not here: sqrt has fractions, and so has a cast from f16.
// CHECK-LABEL: func.func @keeps_round_integral(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.sqrt %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.floor %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.cast %x : tensor<8xf32> -> tensor<8xf16>
// CHECK-NEXT:    %3 = mlc_tensor.cast %2 : tensor<8xf16> -> tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.floor %3 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %4 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_round_integral(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.sqrt %x : tensor<8xf32>
  %1 = mlc_tensor.floor %0 : tensor<8xf32>
  %2 = mlc_tensor.cast %x : tensor<8xf32> -> tensor<8xf16>
  %3 = mlc_tensor.cast %2 : tensor<8xf16> -> tensor<8xf32>
  %4 = mlc_tensor.floor %3 : tensor<8xf32>
  func.return %1, %4 : tensor<8xf32>, tensor<8xf32>
}

// 1 / sqrt(x) == rsqrt(x): f32 and f64; 16-bit floats would round sqrt(x) in between
// CHECK-LABEL: func.func @reciprocal_of_root(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.rsqrt %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @reciprocal_of_root(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.sqrt %x : tensor<8xf32>
  %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_reciprocal_of_root(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sqrt %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_reciprocal_of_root(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sqrt %x : tensor<8xf32>
  %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// 1 / (1 + e ** -x) == sigmoid(x): f32 and f64; 16-bit floats would round in between
// CHECK-LABEL: func.func @recognise_sigmoid(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sigmoid %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @recognise_sigmoid(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.neg %x : tensor<8xf32>
  %2 = mlc_tensor.exp %1 : tensor<8xf32>
  %3 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %4 = mlc_tensor.add %2, %3 : tensor<8xf32>
  %5 = mlc_tensor.div %0, %4 : tensor<8xf32>
  func.return %5 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @recognise_sigmoid_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sigmoid %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @recognise_sigmoid_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.neg %x : tensor<8xf32>
  %3 = mlc_tensor.exp %2 : tensor<8xf32>
  %4 = mlc_tensor.add %1, %3 : tensor<8xf32>
  %5 = mlc_tensor.div %0, %4 : tensor<8xf32>
  func.return %5 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_recognise_sigmoid(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.exp %other : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.div %0, %3 : tensor<8xf32>
// CHECK-NEXT:    func.return %4 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_recognise_sigmoid(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.exp %other : tensor<8xf32>
  %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
  %4 = mlc_tensor.div %0, %3 : tensor<8xf32>
  func.return %4 : tensor<8xf32>
}

// fmod(x, -y) == fmod(x, |y|) == fmod(x, y): floats; the sign is x's
// CHECK-LABEL: func.func @modulus_sign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.fmod %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.fmod %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @modulus_sign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.neg %y : tensor<8xf32>
  %1 = mlc_tensor.fmod %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.abs %y : tensor<8xf32>
  %3 = mlc_tensor.fmod %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Not for i32.
// CHECK-LABEL: func.func @keeps_modulus_sign_of_i32(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.neg %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.fmod %x, %0 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.abs %y : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.fmod %x, %2 : tensor<8xi32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_modulus_sign_of_i32(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.neg %y : tensor<8xi32>
  %1 = mlc_tensor.fmod %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.abs %y : tensor<8xi32>
  %3 = mlc_tensor.fmod %x, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}
