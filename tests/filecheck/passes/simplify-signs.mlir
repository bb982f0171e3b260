// RUN: mlc-opt %s -p simplify | filecheck %s

// x * -1 == -x; x / -1 == -x: floats and integers, NaN and zeros included
// CHECK-LABEL: func.func @negate_by_factor(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negate_by_factor(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negate_by_factor_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negate_by_factor_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negate_by_factor(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negate_by_factor(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// 0 - x == -x for integers, -0.0 - x == -x for floats; but 0.0 - 0.0 is 0.0
// CHECK-LABEL: func.func @negate_by_difference(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negate_by_difference(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negate_by_difference(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negate_by_difference(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x + -y == x - y: floats and integers
// CHECK-LABEL: func.func @add_negated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @add_negated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %y : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @add_negated_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @add_negated_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %y : tensor<8xf32>
  %1 = mlc_tensor.add %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_add_negated(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_add_negated(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x - -y == x + y: floats and integers
// CHECK-LABEL: func.func @subtract_negated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @subtract_negated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %y : tensor<8xf32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_subtract_negated(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_subtract_negated(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// -x * c == x * -c; -x / c == x / -c; c / -x == -c / x: floats and integers
// CHECK-LABEL: func.func @negation_into_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_into_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.mul %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negation_into_constant_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_into_constant_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negation_into_constant_3(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_into_constant_3(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.neg %x : tensor<8xf32>
  %2 = mlc_tensor.div %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negation_into_constant(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negation_into_constant(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// -x * y == -(x * y); x / -y == -(x / y), and -x * -y == x * y: floats and integers, y not constant
// CHECK-LABEL: func.func @negation_out_of_product(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_out_of_product(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.mul %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negation_out_of_product_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_out_of_product_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.neg %y : tensor<8xf32>
  %2 = mlc_tensor.mul %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negation_out_of_product_3(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.div %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_out_of_product_3(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %y : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negation_out_of_product(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %other, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negation_out_of_product(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %other, %y : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// -(x * c) == x * -c; -(x / c) == x / -c; -(c / x) == -c / x: floats and integers
// CHECK-LABEL: func.func @negate_scaled(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negate_scaled(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negate_scaled_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negate_scaled_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negate_scaled_3(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.div %0, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negate_scaled_3(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.div %0, %x : tensor<8xf32>
  %2 = mlc_tensor.neg %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_negate_scaled(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.neg %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negate_scaled(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %1 : tensor<8xf32>
  func.return %2, %1 : tensor<8xf32>, tensor<8xf32>
}

// |-x| == |x|: floats and signed integers, the least one included
// CHECK-LABEL: func.func @abs_of_negation(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @abs_of_negation(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.abs %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_abs_of_negation(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_abs_of_negation(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.abs %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// |copysign(x, y)| == |x|: floats
// CHECK-LABEL: func.func @abs_of_copysign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @abs_of_copysign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.copysign %x, %y : tensor<8xf32>
  %1 = mlc_tensor.abs %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_abs_of_copysign(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_abs_of_copysign(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.abs %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// |e ** x| == e ** x; |x * x| == x * x: floats, NaN included; but sqrt(-0.0) is -0.0
// CHECK-LABEL: func.func @abs_of_non_negative(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @abs_of_non_negative(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.abs %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @abs_of_non_negative_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @abs_of_non_negative_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %x : tensor<8xf32>
  %1 = mlc_tensor.abs %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @abs_of_non_negative_3(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.cosh %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @abs_of_non_negative_3(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.cosh %x : tensor<8xf32>
  %1 = mlc_tensor.abs %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not for i32.
// CHECK-LABEL: func.func @keeps_abs_of_non_negative_of_i32(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %x : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.abs %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_abs_of_non_negative_of_i32(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.mul %x, %x : tensor<8xi32>
  %1 = mlc_tensor.abs %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_abs_of_non_negative(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_abs_of_non_negative(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.abs %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// |x| == x: unsigned integers
// CHECK-LABEL: func.func @abs_of_unsigned(%x: tensor<8xui8>) -> tensor<8xui8> {
// CHECK-NEXT:    func.return %x : tensor<8xui8>
// CHECK-NEXT:  }
func.func @abs_of_unsigned(%x: tensor<8xui8>) -> tensor<8xui8> {
  %0 = mlc_tensor.abs %x : tensor<8xui8>
  func.return %0 : tensor<8xui8>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_abs_of_unsigned_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_abs_of_unsigned_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// |x| * |x| == x * x: floats and integers, which wrap
// CHECK-LABEL: func.func @square_of_abs(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @square_of_abs(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.mul %0, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_square_of_abs(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_square_of_abs(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.mul %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// sin(-x) == -sin(x); tanh(-x) == -tanh(x); round(-x) == -round(x): floats, odd functions
// CHECK-LABEL: func.func @negation_out_of_odd(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.trunc %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_out_of_odd(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.trunc %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negation_out_of_odd_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.round %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_out_of_odd_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.round %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @negation_out_of_odd_3(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sin %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_out_of_odd_3(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.sin %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negation_out_of_odd(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.trunc %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negation_out_of_odd(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.trunc %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// cos(-x) == cos(|x|) == cos(x); cosh likewise: floats
// CHECK-LABEL: func.func @negation_into_even(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.cos %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.cosh %x : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.cos %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @negation_into_even(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.cos %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %x : tensor<8xf32>
  %3 = mlc_tensor.cosh %2 : tensor<8xf32>
  %4 = mlc_tensor.abs %x : tensor<8xf32>
  %5 = mlc_tensor.cos %4 : tensor<8xf32>
  func.return %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Not here: sin is odd.
// CHECK-LABEL: func.func @keeps_negation_into_even(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sin %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negation_into_even(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.sin %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// -floor(-x) == ceil(x); -ceil(-x) == floor(x): floats, the sign of zero included
// CHECK-LABEL: func.func @mirror_rounding(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.ceil %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @mirror_rounding(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.floor %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @mirror_rounding_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.floor %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @mirror_rounding_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.ceil %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_mirror_rounding(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.floor %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_mirror_rounding(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.floor %other : tensor<8xf32>
  %1 = mlc_tensor.neg %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// copysign(-x, y) == copysign(|x|, y) == copysign(x, y): floats
// CHECK-LABEL: func.func @copysign_of_sign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.copysign %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.copysign %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @copysign_of_sign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.copysign %0, %y : tensor<8xf32>
  %2 = mlc_tensor.abs %x : tensor<8xf32>
  %3 = mlc_tensor.copysign %2, %y : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Not here: the sign of y counts.
// CHECK-LABEL: func.func @keeps_copysign_of_sign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.copysign %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_copysign_of_sign(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %y : tensor<8xf32>
  %1 = mlc_tensor.copysign %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// copysign(x, 1) == |x|; copysign(x, -1) == -|x|: floats, but not where the sign is a NaN's
// CHECK-LABEL: func.func @copysign_of_constant(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.neg %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %2 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @copysign_of_constant(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.copysign %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.copysign %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Not here: the sign of a NaN is nobody's promise.
// CHECK-LABEL: func.func @keeps_copysign_of_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.copysign %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_copysign_of_constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %1 = mlc_tensor.copysign %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
