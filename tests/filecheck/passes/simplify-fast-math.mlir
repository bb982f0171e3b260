// RUN: mlc-opt %s -p simplify | filecheck %s
// RUN: mlc-opt %s -p simplify{fast-math=true} | filecheck %s --check-prefix=FAST

// x * 0 == 0: wrong for NaN, infinities and negative numbers
// CHECK-LABEL: func.func @fast_multiply_by_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_multiply_by_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_multiply_by_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_multiply_by_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_multiply_by_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_multiply_by_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x + 0.0 == x: wrong for -0.0
// CHECK-LABEL: func.func @fast_add_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_add_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_add_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_add_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_add_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_add_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// 0.0 - x == -x: wrong for 0.0
// CHECK-LABEL: func.func @fast_subtract_from_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_subtract_from_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_subtract_from_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_subtract_from_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_subtract_from_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_subtract_from_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x - x == 0: wrong for NaN and infinities
// CHECK-LABEL: func.func @fast_subtract_itself(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_subtract_itself(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_subtract_itself(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_subtract_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_subtract_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_subtract_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x / x == 1: wrong for NaN, infinities and zeros
// CHECK-LABEL: func.func @fast_divide_by_itself(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_divide_by_itself(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_divide_by_itself(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_divide_by_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_divide_by_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.div %other, %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_divide_by_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// 0 / x == 0: wrong for NaN, zeros and negative numbers
// CHECK-LABEL: func.func @fast_divide_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_divide_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_divide_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_divide_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_divide_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.div %other, %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_divide_zero(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// -(x - y) == y - x: wrong where x == y, -0.0 becoming 0.0
// CHECK-LABEL: func.func @fast_negate_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_negate_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sub %y, %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_negate_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.neg %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_negate_difference(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_negate_difference(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.neg %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_negate_difference(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// (x + c) + d == x + (c + d); (x * c) * d == x * (c * d): rounds once instead of twice
// CHECK-LABEL: func.func @fast_join_constants(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_join_constants(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_join_constants(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e-01 : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
  %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @fast_join_constants_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.mul %1, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_join_constants_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 0.210000008 : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_join_constants_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e-01 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
  %3 = mlc_tensor.mul %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_join_constants(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_join_constants(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
// FAST-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// FAST-NEXT:    func.return %2 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_join_constants(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xf32>
  %1 = mlc_tensor.constant 7.000000e-01 : tensor<8xf32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// x / c == x * (1 / c): rounds twice, and 1 / c may be infinite
// CHECK-LABEL: func.func @fast_divide_by_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_divide_by_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 0.333333343 : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_divide_by_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_divide_by_constant(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_divide_by_constant(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.div %x, %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_divide_by_constant(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x * z + y * z == (x + y) * z; differences likewise: rounds twice instead of three times
// CHECK-LABEL: func.func @fast_take_factor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %z : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %y, %z : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_take_factor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %0, %z : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_take_factor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %z : tensor<8xf32>
  %1 = mlc_tensor.mul %y, %z : tensor<8xf32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @fast_take_factor_out_2(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %z, %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %z, %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.sub %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_take_factor_out_2(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %0, %z : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_take_factor_out_2(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %z, %x : tensor<8xf32>
  %1 = mlc_tensor.mul %z, %y : tensor<8xf32>
  %2 = mlc_tensor.sub %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_fast_take_factor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %z : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %y, %z : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_take_factor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// FAST-NEXT:    %0 = mlc_tensor.mul %x, %z : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %y, %z : tensor<8xf32>
// FAST-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// FAST-NEXT:    func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_take_factor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.mul %x, %z : tensor<8xf32>
  %1 = mlc_tensor.mul %y, %z : tensor<8xf32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
  func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
}

// x / z + y / z == (x + y) / z; differences likewise: rounds twice instead of three times
// CHECK-LABEL: func.func @fast_take_divisor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %z : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %y, %z : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_take_divisor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %0, %z : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_take_divisor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %z : tensor<8xf32>
  %1 = mlc_tensor.div %y, %z : tensor<8xf32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_fast_take_divisor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %z : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %y, %z : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_take_divisor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// FAST-NEXT:    %0 = mlc_tensor.div %x, %z : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %y, %z : tensor<8xf32>
// FAST-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// FAST-NEXT:    func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_take_divisor_out(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.div %x, %z : tensor<8xf32>
  %1 = mlc_tensor.div %y, %z : tensor<8xf32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
  func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
}

// (x + y) - y == x: wrong where the sum rounds, and for NaN and infinities
// CHECK-LABEL: func.func @fast_cancel_sum(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_cancel_sum(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_cancel_sum(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %x, %y : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_cancel_sum(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_cancel_sum(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_cancel_sum(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// (x - y) + y == x: wrong where the difference rounds, and for NaN and infinities
// CHECK-LABEL: func.func @fast_cancel_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_cancel_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_cancel_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.add %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_cancel_difference(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_cancel_difference(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sub %x, %other : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.add %0, %y : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_cancel_difference(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %other : tensor<8xf32>
  %1 = mlc_tensor.add %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// (x * y) / y == x: wrong where the product rounds, and for NaN, infinities and zeros
// CHECK-LABEL: func.func @fast_cancel_factor(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_cancel_factor(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_cancel_factor(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %y : tensor<8xf32>
  %1 = mlc_tensor.div %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_cancel_factor(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_cancel_factor(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %0, %y : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_cancel_factor(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
  %1 = mlc_tensor.div %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// (x / y) * y == x: wrong where the quotient rounds, and for NaN, infinities and zeros
// CHECK-LABEL: func.func @fast_cancel_divisor(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_cancel_divisor(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_cancel_divisor(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %y : tensor<8xf32>
  %1 = mlc_tensor.mul %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_cancel_divisor(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_cancel_divisor(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.div %x, %other : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %0, %y : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_cancel_divisor(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %other : tensor<8xf32>
  %1 = mlc_tensor.mul %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// 1 / (y / z) == z / y: rounds once instead of twice
// CHECK-LABEL: func.func @fast_divide_by_quotient(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %x, %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_divide_by_quotient(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.div %y, %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_divide_by_quotient(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %x, %y : tensor<8xf32>
  %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_divide_by_quotient(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_divide_by_quotient(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_divide_by_quotient(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %y : tensor<8xf32>
  %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// (x / y) / z == x / (y * z): a product may overflow where the quotients do not
// CHECK-LABEL: func.func @fast_divide_twice(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %z : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_divide_twice(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.mul %y, %z : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_divide_twice(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.div %x, %y : tensor<8xf32>
  %1 = mlc_tensor.div %0, %z : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_fast_divide_twice(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %z : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_divide_twice(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// FAST-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %0, %z : tensor<8xf32>
// FAST-NEXT:    func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_divide_twice(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.div %x, %y : tensor<8xf32>
  %1 = mlc_tensor.div %0, %z : tensor<8xf32>
  func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// x * (1 / y) == x / y: rounds once instead of twice, when the reciprocal has no other use
// CHECK-LABEL: func.func @fast_multiply_by_reciprocal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.mul %x, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_multiply_by_reciprocal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_multiply_by_reciprocal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %0, %y : tensor<8xf32>
  %2 = mlc_tensor.mul %x, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_fast_multiply_by_reciprocal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.mul %x, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_multiply_by_reciprocal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// FAST-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %0, %y : tensor<8xf32>
// FAST-NEXT:    %2 = mlc_tensor.mul %x, %1 : tensor<8xf32>
// FAST-NEXT:    func.return %2, %1 : tensor<8xf32>, tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_multiply_by_reciprocal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %0, %y : tensor<8xf32>
  %2 = mlc_tensor.mul %x, %1 : tensor<8xf32>
  func.return %2, %1 : tensor<8xf32>, tensor<8xf32>
}

// e ** log(x) == x; log(e ** x) == x; exp2, log2, expm1 and log1p likewise: wrong outside the range
// CHECK-LABEL: func.func @fast_inverse_function(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.log %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.exp %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_inverse_function(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_inverse_function(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.log %x : tensor<8xf32>
  %1 = mlc_tensor.exp %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @fast_inverse_function_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.log %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_inverse_function_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_inverse_function_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.log %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @fast_inverse_function_3(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp2 %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.log2 %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_inverse_function_3(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_inverse_function_3(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp2 %x : tensor<8xf32>
  %1 = mlc_tensor.log2 %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_inverse_function(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_inverse_function(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.exp %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_inverse_function(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// sqrt(x) * sqrt(x) == x: wrong below zero, and rounds
// CHECK-LABEL: func.func @fast_square_of_root(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sqrt %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %0, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_square_of_root(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_square_of_root(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sqrt %x : tensor<8xf32>
  %1 = mlc_tensor.mul %0, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_square_of_root(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sqrt %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_square_of_root(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sqrt %x : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_square_of_root(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sqrt %x : tensor<8xf32>
  %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// sqrt(x * x) == |x|: wrong where the square overflows or vanishes
// CHECK-LABEL: func.func @fast_root_of_square(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sqrt %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_root_of_square(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_root_of_square(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %x : tensor<8xf32>
  %1 = mlc_tensor.sqrt %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_root_of_square(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %other, %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sqrt %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_root_of_square(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.mul %other, %x : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.sqrt %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_root_of_square(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %other, %x : tensor<8xf32>
  %1 = mlc_tensor.sqrt %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// x ** 0.5 == sqrt(x): wrong for -inf and -0.0
// CHECK-LABEL: func.func @fast_power_of_half(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_power_of_half(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sqrt %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_power_of_half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_power_of_half(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_power_of_half(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_power_of_half(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x ** -0.5 == rsqrt(x): wrong for -inf and -0.0
// CHECK-LABEL: func.func @fast_power_of_minus_half(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_power_of_minus_half(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.rsqrt %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_power_of_minus_half(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant -5.000000e-01 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_power_of_minus_half(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_power_of_minus_half(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_power_of_minus_half(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x ** 3 == x * x * x: rounds twice
// CHECK-LABEL: func.func @fast_power_of_three(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_power_of_three(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.mul %x, %x : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %0, %x : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_power_of_three(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_power_of_three(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_power_of_three(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_power_of_three(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x ** -2 == 1 / (x * x): rounds twice
// CHECK-LABEL: func.func @fast_power_of_minus_two(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -2.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_power_of_minus_two(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %x, %x : tensor<8xf32>
// FAST-NEXT:    %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
// FAST-NEXT:    func.return %2 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_power_of_minus_two(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant -2.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_power_of_minus_two(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_power_of_minus_two(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_power_of_minus_two(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.pow %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// 1 / sqrt(x) == rsqrt(x) for 16-bit floats too: rounds once instead of twice
// CHECK-LABEL: func.func @fast_reciprocal_of_root(%x: tensor<8xf16>) -> tensor<8xf16> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %1 = mlc_tensor.sqrt %x : tensor<8xf16>
// CHECK-NEXT:    %2 = mlc_tensor.div %0, %1 : tensor<8xf16>
// CHECK-NEXT:    func.return %2 : tensor<8xf16>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_reciprocal_of_root(%x: tensor<8xf16>) -> tensor<8xf16> {
// FAST-NEXT:    %0 = mlc_tensor.rsqrt %x : tensor<8xf16>
// FAST-NEXT:    func.return %0 : tensor<8xf16>
// FAST-NEXT:  }
func.func @fast_reciprocal_of_root(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
  %1 = mlc_tensor.sqrt %x : tensor<8xf16>
  %2 = mlc_tensor.div %0, %1 : tensor<8xf16>
  func.return %2 : tensor<8xf16>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_reciprocal_of_root(%x: tensor<8xf16>, %other: tensor<8xf16>) -> tensor<8xf16> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %other : tensor<8xf16>
// CHECK-NEXT:    func.return %1 : tensor<8xf16>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_reciprocal_of_root(%x: tensor<8xf16>, %other: tensor<8xf16>) -> tensor<8xf16> {
// FAST-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// FAST-NEXT:    %1 = mlc_tensor.div %0, %other : tensor<8xf16>
// FAST-NEXT:    func.return %1 : tensor<8xf16>
// FAST-NEXT:  }
func.func @keeps_fast_reciprocal_of_root(%x: tensor<8xf16>, %other: tensor<8xf16>) -> tensor<8xf16> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
  %1 = mlc_tensor.div %0, %other : tensor<8xf16>
  func.return %1 : tensor<8xf16>
}

// x / sqrt(y) == x * rsqrt(y): rounds otherwise
// CHECK-LABEL: func.func @fast_divide_by_root(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sqrt %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_divide_by_root(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.rsqrt %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_divide_by_root(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sqrt %y : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_fast_divide_by_root(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.sqrt %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_divide_by_root(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// FAST-NEXT:    %0 = mlc_tensor.sqrt %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_divide_by_root(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.sqrt %y : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// 1 / (1 + e ** -x) == sigmoid(x) for 16-bit floats too: rounds once instead of three times
// CHECK-LABEL: func.func @fast_sigmoid(%x: tensor<8xf16>) -> tensor<8xf16> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %1 = mlc_tensor.neg %x : tensor<8xf16>
// CHECK-NEXT:    %2 = mlc_tensor.exp %1 : tensor<8xf16>
// CHECK-NEXT:    %3 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %4 = mlc_tensor.add %2, %3 : tensor<8xf16>
// CHECK-NEXT:    %5 = mlc_tensor.div %0, %4 : tensor<8xf16>
// CHECK-NEXT:    func.return %5 : tensor<8xf16>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_sigmoid(%x: tensor<8xf16>) -> tensor<8xf16> {
// FAST-NEXT:    %0 = mlc_tensor.sigmoid %x : tensor<8xf16>
// FAST-NEXT:    func.return %0 : tensor<8xf16>
// FAST-NEXT:  }
func.func @fast_sigmoid(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
  %1 = mlc_tensor.neg %x : tensor<8xf16>
  %2 = mlc_tensor.exp %1 : tensor<8xf16>
  %3 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
  %4 = mlc_tensor.add %2, %3 : tensor<8xf16>
  %5 = mlc_tensor.div %0, %4 : tensor<8xf16>
  func.return %5 : tensor<8xf16>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_sigmoid(%x: tensor<8xf16>, %other: tensor<8xf16>) -> tensor<8xf16> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %1 = mlc_tensor.exp %other : tensor<8xf16>
// CHECK-NEXT:    %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %3 = mlc_tensor.add %1, %2 : tensor<8xf16>
// CHECK-NEXT:    %4 = mlc_tensor.div %0, %3 : tensor<8xf16>
// CHECK-NEXT:    func.return %4 : tensor<8xf16>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_sigmoid(%x: tensor<8xf16>, %other: tensor<8xf16>) -> tensor<8xf16> {
// FAST-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// FAST-NEXT:    %1 = mlc_tensor.exp %other : tensor<8xf16>
// FAST-NEXT:    %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
// FAST-NEXT:    %3 = mlc_tensor.add %1, %2 : tensor<8xf16>
// FAST-NEXT:    %4 = mlc_tensor.div %0, %3 : tensor<8xf16>
// FAST-NEXT:    func.return %4 : tensor<8xf16>
// FAST-NEXT:  }
func.func @keeps_fast_sigmoid(%x: tensor<8xf16>, %other: tensor<8xf16>) -> tensor<8xf16> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
  %1 = mlc_tensor.exp %other : tensor<8xf16>
  %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf16>
  %3 = mlc_tensor.add %1, %2 : tensor<8xf16>
  %4 = mlc_tensor.div %0, %3 : tensor<8xf16>
  func.return %4 : tensor<8xf16>
}

// e ** x - 1 == expm1(x), which is closer near 0
// CHECK-LABEL: func.func @fast_expm1(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_expm1(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.expm1 %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_expm1(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.sub %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @fast_expm1_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_expm1_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.expm1 %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_expm1_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_fast_expm1(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_expm1(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// FAST-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
// FAST-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// FAST-NEXT:    func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_expm1(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.sub %0, %1 : tensor<8xf32>
  func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
}

// log(x + 1) == log1p(x), which is closer near 0
// CHECK-LABEL: func.func @fast_log1p(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.log %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_log1p(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.log1p %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_log1p(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.log %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_log1p(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.log %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_log1p(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.log %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_log1p(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xf32>
  %1 = mlc_tensor.log %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// e ** x * e ** y == e ** (x + y): overflows elsewhere, and rounds otherwise
// CHECK-LABEL: func.func @fast_product_of_exponentials(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.exp %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.mul %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_product_of_exponentials(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.exp %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_product_of_exponentials(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.exp %y : tensor<8xf32>
  %2 = mlc_tensor.mul %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_product_of_exponentials(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_product_of_exponentials(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.exp %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_product_of_exponentials(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %y : tensor<8xf32>
  %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// 1 / e ** x == e ** -x: rounds once instead of twice
// CHECK-LABEL: func.func @fast_reciprocal_of_exponential(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_reciprocal_of_exponential(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.exp %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_reciprocal_of_exponential(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.exp %x : tensor<8xf32>
  %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_reciprocal_of_exponential(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_reciprocal_of_exponential(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_reciprocal_of_exponential(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.div %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// max(x, min(x, y)) == x: wrong where y is NaN
// CHECK-LABEL: func.func @fast_absorb_order(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_absorb_order(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %x : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_absorb_order(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.minimum %x, %y : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_absorb_order(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %other, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_absorb_order(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.minimum %other, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_absorb_order(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.minimum %other, %y : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// where(x < y, x, y) == min(x, y): wrong for NaN and for zeros of two signs
// CHECK-LABEL: func.func @fast_select_extreme(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_select_extreme(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.minimum %x, %y : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_select_extreme(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @fast_select_extreme_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.lt %y, %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_select_extreme_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.maximum %x, %y : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_select_extreme_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.gt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_select_extreme(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.lt %other, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_select_extreme(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.lt %other, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_select_extreme(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.lt %other, %y : tensor<8xf32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// where(x < 0, -x, x) == |x|: wrong for -0.0
// CHECK-LABEL: func.func @fast_select_magnitude(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.select %1, %2, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_select_magnitude(%x: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_select_magnitude(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %x : tensor<8xf32>
  %3 = mlc_tensor.select %1, %2, %x : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_select_magnitude(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %other, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.select %1, %2, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_select_magnitude(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.lt %other, %0 : tensor<8xf32>
// FAST-NEXT:    %2 = mlc_tensor.neg %x : tensor<8xf32>
// FAST-NEXT:    %3 = mlc_tensor.select %1, %2, %x : tensor<8xf32>
// FAST-NEXT:    func.return %3 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_select_magnitude(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.lt %other, %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %x : tensor<8xf32>
  %3 = mlc_tensor.select %1, %2, %x : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// where(x == y, x, y) == y: wrong for zeros of two signs
// CHECK-LABEL: func.func @fast_select_equals(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.eq %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_select_equals(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    func.return %y : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_select_equals(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.eq %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_select_equals(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.eq %other, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_select_equals(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.eq %other, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_select_equals(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.eq %other, %y : tensor<8xf32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// ~(x < y) == x >= y: wrong for NaN
// CHECK-LABEL: func.func @fast_negate_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi1>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_negate_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
// FAST-NEXT:    %0 = mlc_tensor.le %y, %x : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xi1>
// FAST-NEXT:  }
func.func @fast_negate_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.not %0 : tensor<8xi1>
  func.return %1 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @fast_negate_comparison_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.le %y, %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi1>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_negate_comparison_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
// FAST-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xi1>
// FAST-NEXT:  }
func.func @fast_negate_comparison_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.ge %x, %y : tensor<8xf32>
  %1 = mlc_tensor.not %0 : tensor<8xi1>
  func.return %1 : tensor<8xi1>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_fast_negate_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi1>
// CHECK-NEXT:    func.return %1, %0 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_negate_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// FAST-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi1>
// FAST-NEXT:    func.return %1, %0 : tensor<8xi1>, tensor<8xi1>
// FAST-NEXT:  }
func.func @keeps_fast_negate_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.not %0 : tensor<8xi1>
  func.return %1, %0 : tensor<8xi1>, tensor<8xi1>
}

// -x - y == -(x + y): wrong where the sum is zero, 0.0 becoming -0.0
// CHECK-LABEL: func.func @fast_sum_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @fast_sum_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// FAST-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// FAST-NEXT:    func.return %1 : tensor<8xf32>
// FAST-NEXT:  }
func.func @fast_sum_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_fast_sum_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
// FAST-LABEL: func.func @keeps_fast_sum_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// FAST-NEXT:    %0 = mlc_tensor.sub %other, %y : tensor<8xf32>
// FAST-NEXT:    func.return %0 : tensor<8xf32>
// FAST-NEXT:  }
func.func @keeps_fast_sum_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %other, %y : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
