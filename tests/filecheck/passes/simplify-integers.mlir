// RUN: mlc-opt %s -p simplify | filecheck %s

// (x + y) - y == x: integers
// CHECK-LABEL: func.func @subtract_part_of_sum(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    func.return %x, %y : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @subtract_part_of_sum(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.add %x, %y : tensor<8xi32>
  %1 = mlc_tensor.sub %0, %y : tensor<8xi32>
  %2 = mlc_tensor.add %x, %y : tensor<8xi32>
  %3 = mlc_tensor.sub %2, %x : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_subtract_part_of_sum_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %x, %y : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.sub %2, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_subtract_part_of_sum_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.add %x, %y : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
  %2 = mlc_tensor.add %x, %y : tensor<8xf32>
  %3 = mlc_tensor.sub %2, %x : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// (x - y) + y == x: integers
// CHECK-LABEL: func.func @add_what_was_subtracted(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    func.return %x, %x : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @add_what_was_subtracted(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %1 = mlc_tensor.add %0, %y : tensor<8xi32>
  %2 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %3 = mlc_tensor.add %y, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_add_what_was_subtracted_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %0, %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.add %y, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_add_what_was_subtracted_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.add %0, %y : tensor<8xf32>
  %2 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %3 = mlc_tensor.add %y, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// x - (x - y) == y: integers
// CHECK-LABEL: func.func @subtract_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %y : tensor<8xi32>
// CHECK-NEXT:  }
func.func @subtract_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_subtract_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_subtract_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_subtract_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_subtract_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %other, %y : tensor<8xi32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// x - (x + y) == -y: integers
// CHECK-LABEL: func.func @subtract_sum_from_part(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.neg %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @subtract_sum_from_part(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.add %x, %y : tensor<8xi32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.add %y, %x : tensor<8xi32>
  %3 = mlc_tensor.sub %x, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_subtract_sum_from_part_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %y, %x : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.sub %x, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_subtract_sum_from_part_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.add %x, %y : tensor<8xf32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.add %y, %x : tensor<8xf32>
  %3 = mlc_tensor.sub %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// (x - y) - x == -y: integers
// CHECK-LABEL: func.func @subtract_start_of_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @subtract_start_of_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_subtract_start_of_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_subtract_start_of_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_subtract_start_of_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_subtract_start_of_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %other, %y : tensor<8xi32>
  %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// x - c == x + -c: integers
// CHECK-LABEL: func.func @subtract_constant(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @subtract_constant(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_subtract_constant_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_subtract_constant_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_subtract_constant(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %other : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_subtract_constant(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %x, %other : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// (x + c) + d == x + (c + d); (x * c) * d == x * (c * d): integers
// CHECK-LABEL: func.func @join_constants(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 8 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_constants(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 5 : tensor<8xi32>
  %3 = mlc_tensor.add %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @join_constants_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 15 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_constants_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 5 : tensor<8xi32>
  %3 = mlc_tensor.mul %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_join_constants_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_join_constants_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_join_constants(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 5 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_join_constants(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xi32>
  %1 = mlc_tensor.constant 5 : tensor<8xi32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// c - (x + d) == (c - d) - x: integers
// CHECK-LABEL: func.func @constant_minus_sum(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -2 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @constant_minus_sum(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.constant 5 : tensor<8xi32>
  %2 = mlc_tensor.add %x, %1 : tensor<8xi32>
  %3 = mlc_tensor.sub %0, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_constant_minus_sum_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %x, %1 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.sub %0, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_constant_minus_sum_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.add %x, %1 : tensor<8xf32>
  %3 = mlc_tensor.sub %0, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_constant_minus_sum(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %other : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.sub %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_constant_minus_sum(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.add %x, %other : tensor<8xi32>
  %2 = mlc_tensor.sub %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// c - (d - x) == x + (c - d): integers
// CHECK-LABEL: func.func @constant_minus_difference(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -2 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @constant_minus_difference(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.constant 5 : tensor<8xi32>
  %2 = mlc_tensor.sub %1, %x : tensor<8xi32>
  %3 = mlc_tensor.sub %0, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_constant_minus_difference_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.sub %1, %x : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.sub %0, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_constant_minus_difference_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.sub %1, %x : tensor<8xf32>
  %3 = mlc_tensor.sub %0, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_constant_minus_difference(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %other, %x : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.sub %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_constant_minus_difference(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.sub %other, %x : tensor<8xi32>
  %2 = mlc_tensor.sub %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// (c - x) + d == (c + d) - x: integers
// CHECK-LABEL: func.func @difference_plus_constant(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 8 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @difference_plus_constant(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
  %2 = mlc_tensor.constant 5 : tensor<8xi32>
  %3 = mlc_tensor.add %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_difference_plus_constant_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_difference_plus_constant_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %x : tensor<8xf32>
  %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.add %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_difference_plus_constant(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %x : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 5 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_difference_plus_constant(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %other, %x : tensor<8xi32>
  %1 = mlc_tensor.constant 5 : tensor<8xi32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// x + x == x * 2: floats and integers
// CHECK-LABEL: func.func @double(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @double(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %x, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_double(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_double(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.add %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// x * c + x * d == x * (c + d); x * c - x == x * (c - 1): integers
// CHECK-LABEL: func.func @add_multiples(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 8 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @add_multiples(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 5 : tensor<8xi32>
  %3 = mlc_tensor.mul %x, %2 : tensor<8xi32>
  %4 = mlc_tensor.add %1, %3 : tensor<8xi32>
  func.return %4 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @add_multiples_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 2 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @add_multiples_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.sub %1, %x : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @add_multiples_3(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -2 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @add_multiples_3(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.sub %x, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_add_multiples_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.mul %x, %2 : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.add %1, %3 : tensor<8xf32>
// CHECK-NEXT:    func.return %4 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_add_multiples_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.mul %x, %2 : tensor<8xf32>
  %4 = mlc_tensor.add %1, %3 : tensor<8xf32>
  func.return %4 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_add_multiples(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %other, %0 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 5 : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.mul %x, %2 : tensor<8xi32>
// CHECK-NEXT:    %4 = mlc_tensor.add %1, %3 : tensor<8xi32>
// CHECK-NEXT:    func.return %4 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_add_multiples(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.mul %other, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 5 : tensor<8xi32>
  %3 = mlc_tensor.mul %x, %2 : tensor<8xi32>
  %4 = mlc_tensor.add %1, %3 : tensor<8xi32>
  func.return %4 : tensor<8xi32>
}

// x * z + y * z == (x + y) * z; differences likewise: integers
// CHECK-LABEL: func.func @take_factor_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %0, %z : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @take_factor_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.mul %x, %z : tensor<8xi32>
  %1 = mlc_tensor.mul %y, %z : tensor<8xi32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @take_factor_out_2(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %0, %z : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @take_factor_out_2(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.mul %z, %x : tensor<8xi32>
  %1 = mlc_tensor.mul %y, %z : tensor<8xi32>
  %2 = mlc_tensor.sub %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_take_factor_out_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %z : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %y, %z : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_take_factor_out_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.mul %x, %z : tensor<8xf32>
  %1 = mlc_tensor.mul %y, %z : tensor<8xf32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_take_factor_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.mul %x, %z : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %y, %z : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2, %0 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_take_factor_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.mul %x, %z : tensor<8xi32>
  %1 = mlc_tensor.mul %y, %z : tensor<8xi32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
  func.return %2, %0 : tensor<8xi32>, tensor<8xi32>
}

// -(x - y) == y - x: integers; x - x would be -0.0 for floats
// CHECK-LABEL: func.func @negate_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %y, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @negate_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %1 = mlc_tensor.neg %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_negate_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negate_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.neg %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negate_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %other : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_negate_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.neg %other : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// -(x + c) == -c - x: integers
// CHECK-LABEL: func.func @negate_sum_with_constant(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @negate_sum_with_constant(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.neg %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_negate_sum_with_constant_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.neg %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_negate_sum_with_constant_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negate_sum_with_constant(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_negate_sum_with_constant(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xi32>
  %1 = mlc_tensor.neg %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// -x - y == -(x + y): integers
// CHECK-LABEL: func.func @subtract_from_negated(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @subtract_from_negated(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.neg %x : tensor<8xi32>
  %1 = mlc_tensor.sub %0, %y : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_subtract_from_negated_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_subtract_from_negated_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.sub %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_subtract_from_negated(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %other, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_subtract_from_negated(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.sub %other, %y : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// ~x + 1 == -x: integers
// CHECK-LABEL: func.func @complement_plus_one(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @complement_plus_one(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.constant 1 : tensor<8xi32>
  %2 = mlc_tensor.add %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_complement_plus_one(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %other, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_complement_plus_one(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 1 : tensor<8xi32>
  %1 = mlc_tensor.add %other, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// -(~x) == x + 1: integers
// CHECK-LABEL: func.func @negate_complement(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @negate_complement(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.neg %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_negate_complement(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %other : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_negate_complement(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.neg %other : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// ~(-x) == x - 1, spelled x + -1: integers
// CHECK-LABEL: func.func @complement_of_negation(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -1 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @complement_of_negation(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.neg %x : tensor<8xi32>
  %1 = mlc_tensor.not %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_complement_of_negation(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.not %other : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_complement_of_negation(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %other : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// ~(x + c) == ~c - x: integers
// CHECK-LABEL: func.func @complement_of_sum(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -4 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.sub %0, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @complement_of_sum(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.not %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_complement_of_sum(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_complement_of_sum(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.add %x, %other : tensor<8xi32>
  %1 = mlc_tensor.not %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// x + ~x == -1: integers
// CHECK-LABEL: func.func @add_complement(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant -1 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant -1 : tensor<8xi32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @add_complement(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.not %x : tensor<8xi32>
  %3 = mlc_tensor.add %2, %x : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not here: y is not x.
// CHECK-LABEL: func.func @keeps_add_complement(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.not %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_add_complement(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %y : tensor<8xi32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// x % 1 == 0: integers
// CHECK-LABEL: func.func @remainder_of_one(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @remainder_of_one(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.constant 1 : tensor<8xi32>
  %1 = mlc_tensor.remainder %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 1 : tensor<8xi32>
  %3 = mlc_tensor.fmod %x, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_remainder_of_one_of_f32(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.remainder %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.fmod %x, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_remainder_of_one_of_f32(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.remainder %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.fmod %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// x % 2 ** k == x & (2 ** k - 1): integers, negative ones included, since the sign is the divisor's
// CHECK-LABEL: func.func @remainder_by_power_of_two(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 7 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @remainder_by_power_of_two(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 8 : tensor<8xi32>
  %1 = mlc_tensor.remainder %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @remainder_by_power_of_two_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 63 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @remainder_by_power_of_two_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 64 : tensor<8xi32>
  %1 = mlc_tensor.remainder %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_remainder_by_power_of_two_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 8.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.remainder %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_remainder_by_power_of_two_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 8.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.remainder %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_remainder_by_power_of_two(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.remainder %x, %other : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_remainder_by_power_of_two(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.remainder %x, %other : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// (x % y) % y == x % y: integers, and floats with fmod's sign
// CHECK-LABEL: func.func @repeated_remainder(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 7 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.remainder %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @repeated_remainder(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 7 : tensor<8xi32>
  %1 = mlc_tensor.remainder %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.remainder %1, %0 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @repeated_remainder_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -7 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.remainder %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @repeated_remainder_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant -7 : tensor<8xi32>
  %1 = mlc_tensor.remainder %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.remainder %1, %0 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @repeated_remainder_3(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 7 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.fmod %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @repeated_remainder_3(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 7 : tensor<8xi32>
  %1 = mlc_tensor.fmod %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.fmod %1, %0 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_repeated_remainder(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 7 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.remainder %x, %other : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.remainder %1, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_repeated_remainder(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 7 : tensor<8xi32>
  %1 = mlc_tensor.remainder %x, %other : tensor<8xi32>
  %2 = mlc_tensor.remainder %1, %0 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// x // c // d == x // (c * d): integers, c and d above 0 and their product within the type
// CHECK-LABEL: func.func @join_floor_divisions(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 15 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.floordiv %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_floor_divisions(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.floordiv %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 5 : tensor<8xi32>
  %3 = mlc_tensor.floordiv %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_join_floor_divisions_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.floordiv %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.floordiv %1, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_join_floor_divisions_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.floordiv %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.floordiv %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_join_floor_divisions(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.floordiv %x, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 5 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.floordiv %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_join_floor_divisions(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.floordiv %x, %other : tensor<8xi32>
  %1 = mlc_tensor.constant 5 : tensor<8xi32>
  %2 = mlc_tensor.floordiv %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}
