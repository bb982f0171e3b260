// RUN: mlc-opt %s -p simplify | filecheck %s

// where(x < y, x, y) == min(x, y); where(x < y, y, x) == max(x, y): integers, since NaN compares false
// CHECK-LABEL: func.func @select_extreme(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @select_extreme(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.lt %x, %y : tensor<8xi32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @select_extreme_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %y, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @select_extreme_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.le %x, %y : tensor<8xi32>
  %1 = mlc_tensor.select %0, %y, %x : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @select_extreme_3(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @select_extreme_3(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.gt %x, %y : tensor<8xi32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_select_extreme_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_extreme_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_select_extreme(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.lt %other, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_select_extreme(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.lt %other, %y : tensor<8xi32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// where(x < 0, -x, x) == |x|: signed integers, the least included; -0.0 is not below 0
// CHECK-LABEL: func.func @select_magnitude(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @select_magnitude(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 0 : tensor<8xi32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.neg %x : tensor<8xi32>
  %3 = mlc_tensor.select %1, %2, %x : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @select_magnitude_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @select_magnitude_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 0 : tensor<8xi32>
  %1 = mlc_tensor.ge %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.neg %x : tensor<8xi32>
  %3 = mlc_tensor.select %1, %x, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_select_magnitude_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.select %1, %2, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_magnitude_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.neg %x : tensor<8xf32>
  %3 = mlc_tensor.select %1, %2, %x : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_select_magnitude(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %other, %0 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.neg %x : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.select %1, %2, %x : tensor<8xi32>
// CHECK-NEXT:    func.return %3 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_select_magnitude(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 0 : tensor<8xi32>
  %1 = mlc_tensor.lt %other, %0 : tensor<8xi32>
  %2 = mlc_tensor.neg %x : tensor<8xi32>
  %3 = mlc_tensor.select %1, %2, %x : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// where(x == y, x, y) == y; where(x != y, x, y) == x: integers and booleans, since 0.0 == -0.0
// CHECK-LABEL: func.func @select_equals(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %y : tensor<8xi32>
// CHECK-NEXT:  }
func.func @select_equals(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.eq %x, %y : tensor<8xi32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @select_equals_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %x : tensor<8xi32>
// CHECK-NEXT:  }
func.func @select_equals_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.ne %y, %x : tensor<8xi32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_select_equals_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.eq %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_equals_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.eq %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_select_equals(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.eq %other, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_select_equals(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.eq %other, %y : tensor<8xi32>
  %1 = mlc_tensor.select %0, %x, %y : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// where(c, where(d, x, y), y) == where(c & d, x, y): everything, when the inner select has no other use
// CHECK-LABEL: func.func @select_shared_else(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.and %p, %q : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @select_shared_else(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.select %q, %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %p, %0, %y : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_select_shared_else(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.select %q, %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %p, %0, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_shared_else(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.select %q, %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %p, %0, %y : tensor<8xf32>
  func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// where(c, x, where(d, x, y)) == where(c | d, x, y): everything, when the inner select has no other use
// CHECK-LABEL: func.func @select_shared_then(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.or %p, %q : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.select %0, %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @select_shared_then(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.select %q, %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %p, %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_select_shared_then(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.select %q, %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %p, %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_shared_then(%p: tensor<8xi1>, %q: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.select %q, %x, %y : tensor<8xf32>
  %1 = mlc_tensor.select %p, %x, %0 : tensor<8xf32>
  func.return %1, %0 : tensor<8xf32>, tensor<8xf32>
}

// where(c, x, false) == c & x; where(c, true, x) == c | x: booleans; c itself may stand for either constant
// CHECK-LABEL: func.func @select_to_logic(%p: tensor<8xi1>, %x: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.and %p, %x : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.or %p, %x : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @select_to_logic(%p: tensor<8xi1>, %x: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.constant false : tensor<8xi1>
  %1 = mlc_tensor.select %p, %x, %0 : tensor<8xi1>
  %2 = mlc_tensor.constant true : tensor<8xi1>
  %3 = mlc_tensor.select %p, %2, %x : tensor<8xi1>
  func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @select_to_logic_2(%p: tensor<8xi1>, %x: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.and %p, %x : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.or %p, %x : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @select_to_logic_2(%p: tensor<8xi1>, %x: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.select %p, %x, %p : tensor<8xi1>
  %1 = mlc_tensor.select %p, %p, %x : tensor<8xi1>
  func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_select_to_logic_of_f32(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %p, %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.select %p, %2, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_to_logic_of_f32(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.select %p, %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.select %p, %2, %x : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// where(c, false, x) == ~c & x; where(c, x, true) == ~c | x: booleans
// CHECK-LABEL: func.func @select_to_negated_logic(%p: tensor<8xi1>, %x: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.not %p : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.and %0, %x : tensor<8xi1>
// CHECK-NEXT:    %2 = mlc_tensor.not %p : tensor<8xi1>
// CHECK-NEXT:    %3 = mlc_tensor.or %2, %x : tensor<8xi1>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @select_to_negated_logic(%p: tensor<8xi1>, %x: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.constant false : tensor<8xi1>
  %1 = mlc_tensor.select %p, %0, %x : tensor<8xi1>
  %2 = mlc_tensor.constant true : tensor<8xi1>
  %3 = mlc_tensor.select %p, %x, %2 : tensor<8xi1>
  func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_select_to_negated_logic_of_f32(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %p, %0, %x : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.select %p, %x, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_to_negated_logic_of_f32(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.select %p, %0, %x : tensor<8xf32>
  %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.select %p, %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// where(c, 1, 0) == float(c); where(c, 0, 1) == float(~c): floats and integers
// CHECK-LABEL: func.func @select_number_of_truth(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.not %p : tensor<8xi1>
// CHECK-NEXT:    %2 = mlc_tensor.cast %1 : tensor<8xi1> -> tensor<8xf32>
// CHECK-NEXT:    func.return %0, %2 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @select_number_of_truth(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %4 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.select %p, %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xf32>, tensor<8xf32>
}

// Not here: 2 is no truth, and -0.0 no zero.
// CHECK-LABEL: func.func @keeps_select_number_of_truth(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %5 = mlc_tensor.select %p, %3, %4 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %5 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_select_number_of_truth(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %4 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.select %p, %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xf32>, tensor<8xf32>
}

// float(where(b, c, d)) == where(b, float(c), float(d)): everything, where the integer holds the constants
// CHECK-LABEL: func.func @cast_of_select(%p: tensor<8xi1>, %x: tensor<8xf32>) -> tensor<8xi8> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3 : tensor<8xi8>
// CHECK-NEXT:    %1 = mlc_tensor.constant 7 : tensor<8xi8>
// CHECK-NEXT:    %2 = mlc_tensor.select %p, %0, %1 : tensor<8xi8>
// CHECK-NEXT:    func.return %2 : tensor<8xi8>
// CHECK-NEXT:  }
func.func @cast_of_select(%p: tensor<8xi1>, %x: tensor<8xf32>) -> tensor<8xi8> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.constant 7.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.cast %2 : tensor<8xf32> -> tensor<8xi8>
  func.return %3 : tensor<8xi8>
}

// The same, in another form.
// CHECK-LABEL: func.func @cast_of_select_2(%p: tensor<8xi1>, %x: tensor<8xf32>) -> tensor<8xf16> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf16>
// CHECK-NEXT:    %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf16>
// CHECK-NEXT:    func.return %2 : tensor<8xf16>
// CHECK-NEXT:  }
func.func @cast_of_select_2(%p: tensor<8xi1>, %x: tensor<8xf32>) -> tensor<8xf16> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.cast %2 : tensor<8xf32> -> tensor<8xf16>
  func.return %3 : tensor<8xf16>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_cast_of_select(%p: tensor<8xi1>, %x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi8> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 7.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.select %p, %other, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.cast %1 : tensor<8xf32> -> tensor<8xi8>
// CHECK-NEXT:    func.return %2 : tensor<8xi8>
// CHECK-NEXT:  }
func.func @keeps_cast_of_select(%p: tensor<8xi1>, %x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi8> {
  %0 = mlc_tensor.constant 7.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.select %p, %other, %0 : tensor<8xf32>
  %2 = mlc_tensor.cast %1 : tensor<8xf32> -> tensor<8xi8>
  func.return %2 : tensor<8xi8>
}

// where(c, f(x), f(y)) == f(where(c, x, y)): everything, f of one operand, when neither has another use
// CHECK-LABEL: func.func @function_of_choice(%p: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.select %p, %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.exp %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @function_of_choice(%p: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.exp %y : tensor<8xf32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @function_of_choice_2(%p: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.select %p, %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @function_of_choice_2(%p: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.neg %y : tensor<8xf32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @function_of_choice_3(%p: tensor<8xi1>, %x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.select %p, %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @function_of_choice_3(%p: tensor<8xi1>, %x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_function_of_choice(%p: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.exp %y : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_function_of_choice(%p: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.exp %y : tensor<8xf32>
  %2 = mlc_tensor.select %p, %0, %1 : tensor<8xf32>
  func.return %2, %0 : tensor<8xf32>, tensor<8xf32>
}

// float(b) != 0 is b; float(b) < 0.5 is ~b; float(b) < 3 is true: every comparison with a constant
// CHECK-LABEL: func.func @compare_number_of_truth(%p: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.not %p : tensor<8xi1>
// CHECK-NEXT:    func.return %p, %0 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_number_of_truth(%p: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xi32>
  %1 = mlc_tensor.constant 0 : tensor<8xi32>
  %2 = mlc_tensor.ne %0, %1 : tensor<8xi32>
  %3 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf32>
  %4 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.eq %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @compare_number_of_truth_2(%p: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.not %p : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.constant true : tensor<8xi1>
// CHECK-NEXT:    %2 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1, %2 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_number_of_truth_2(%p: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf16>
  %1 = mlc_tensor.constant 5.000000e-01 : tensor<8xf16>
  %2 = mlc_tensor.lt %0, %1 : tensor<8xf16>
  %3 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xi8>
  %4 = mlc_tensor.constant -1 : tensor<8xi8>
  %5 = mlc_tensor.gt %3, %4 : tensor<8xi8>
  %6 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf32>
  %7 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %8 = mlc_tensor.le %6, %7 : tensor<8xf32>
  func.return %2, %5, %8 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// Not here: the number is no truth.
// CHECK-LABEL: func.func @keeps_compare_number_of_truth(%x: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.cast %x : tensor<8xi32> -> tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.ne %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_compare_number_of_truth(%x: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.cast %x : tensor<8xi32> -> tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.ne %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xi1>
}

// x * int(b) == where(b, x, 0): integers; NaN * 0.0 is NaN
// CHECK-LABEL: func.func @multiply_by_truth(%p: tensor<8xi1>, %x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.select %p, %x, %0 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.select %p, %x, %2 : tensor<8xi32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @multiply_by_truth(%p: tensor<8xi1>, %x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xi32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xi32>
  %3 = mlc_tensor.mul %2, %x : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_multiply_by_truth_of_f32(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.mul %2, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_multiply_by_truth_of_f32(%p: tensor<8xi1>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.cast %p : tensor<8xi1> -> tensor<8xf32>
  %3 = mlc_tensor.mul %2, %x : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
