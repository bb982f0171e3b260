// RUN: mlc-opt %s -p simplify | filecheck %s

// max(x, min(x, y)) == x; min(x, max(x, y)) == x: integers, since y may be NaN
// CHECK-LABEL: func.func @absorb_order(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %x : tensor<8xi32>
// CHECK-NEXT:  }
func.func @absorb_order(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.minimum %y, %x : tensor<8xi32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @absorb_order_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %x : tensor<8xi32>
// CHECK-NEXT:  }
func.func @absorb_order_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.maximum %x, %y : tensor<8xi32>
  %1 = mlc_tensor.minimum %0, %x : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_absorb_order_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %y, %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_absorb_order_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.minimum %y, %x : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_absorb_order(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %y, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_absorb_order(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.minimum %y, %other : tensor<8xi32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// max(x, least) == x; min(x, greatest) == x: integers, and floats with infinities, NaN included
// CHECK-LABEL: func.func @drop_weakest_bound(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    func.return %x : tensor<8xf32>
// CHECK-NEXT:  }
func.func @drop_weakest_bound(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0xff800000 : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @drop_weakest_bound_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    func.return %x : tensor<8xf32>
// CHECK-NEXT:  }
func.func @drop_weakest_bound_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0x7f800000 : tensor<8xf32>
  %1 = mlc_tensor.minimum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_drop_weakest_bound(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %x, %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_drop_weakest_bound(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.maximum %x, %other : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// max(x, greatest) == greatest; min(x, least) == least: integers
// CHECK-LABEL: func.func @strongest_bound(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 2147483647 : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @strongest_bound(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 2147483647 : tensor<8xi32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @strongest_bound_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -2147483648 : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @strongest_bound_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant -2147483648 : tensor<8xi32>
  %1 = mlc_tensor.minimum %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_strongest_bound_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0x7f800000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_strongest_bound_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0x7f800000 : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_strongest_bound(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %x, %other : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_strongest_bound(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.maximum %x, %other : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// min(max(x, a), b) == b, where a >= b; max(min(x, b), a) == a, where a > b: integers
// CHECK-LABEL: func.func @empty_clamp(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3 : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @empty_clamp(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 5 : tensor<8xi32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 3 : tensor<8xi32>
  %3 = mlc_tensor.minimum %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @empty_clamp_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 5 : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @empty_clamp_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.minimum %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 5 : tensor<8xi32>
  %3 = mlc_tensor.maximum %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_empty_clamp_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.minimum %1, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_empty_clamp_of_f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.minimum %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_empty_clamp(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %x, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 3 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.minimum %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_empty_clamp(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.maximum %x, %other : tensor<8xi32>
  %1 = mlc_tensor.constant 3 : tensor<8xi32>
  %2 = mlc_tensor.minimum %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// max(min(x, b), a) == min(max(x, a), b), where a <= b: everything, NaN included
// CHECK-LABEL: func.func @clamp_low_first(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.maximum %x, %1 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.minimum %2, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @clamp_low_first(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.minimum %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.maximum %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @clamp_low_first_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.maximum %x, %1 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.minimum %2, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @clamp_low_first_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.minimum %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.maximum %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_clamp_low_first(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_clamp_low_first(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.minimum %x, %other : tensor<8xf32>
  %1 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// max(-x, -y) == -min(x, y); min(-x, -y) == -max(x, y): floats, zeros included; the least integer stays
// CHECK-LABEL: func.func @extreme_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @extreme_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.neg %y : tensor<8xf32>
  %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @extreme_of_negations_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @extreme_of_negations_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.neg %y : tensor<8xf32>
  %2 = mlc_tensor.minimum %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Not for i32.
// CHECK-LABEL: func.func @keeps_extreme_of_negations_of_i32(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %x : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %y : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.maximum %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_extreme_of_negations_of_i32(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.neg %x : tensor<8xi32>
  %1 = mlc_tensor.neg %y : tensor<8xi32>
  %2 = mlc_tensor.maximum %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_extreme_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_extreme_of_negations(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %y : tensor<8xf32>
  %1 = mlc_tensor.maximum %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// max(x, -x) == |x|; min(x, -x) == -|x|: floats and signed integers
// CHECK-LABEL: func.func @extreme_of_opposites(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @extreme_of_opposites(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @extreme_of_opposites_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.neg %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @extreme_of_opposites_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.minimum %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_extreme_of_opposites(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.neg %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_extreme_of_opposites(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.neg %other : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// max(e ** x, c) == e ** x, where c <= 0: floats whose function has no negative value; NaN stays
// CHECK-LABEL: func.func @bound_below_range(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @bound_below_range(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.abs %x : tensor<8xf32>
  %4 = mlc_tensor.constant -2.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.maximum %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xf32>, tensor<8xf32>
}

// Not here: a bound above 0 counts; so does sqrt(-0.0).
// CHECK-LABEL: func.func @keeps_bound_below_range(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.sqrt %x : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %5 = mlc_tensor.maximum %3, %4 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %5 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_bound_below_range(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.exp %x : tensor<8xf32>
  %1 = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
  %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.sqrt %x : tensor<8xf32>
  %4 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.maximum %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xf32>, tensor<8xf32>
}

// x + NaN == NaN; -, *, /, max, min, fmod and atan2 likewise: floats
// CHECK-LABEL: func.func @absorb_nan(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @absorb_nan(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %3 = mlc_tensor.add %2, %x : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @absorb_nan_2(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @absorb_nan_2(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %1 = mlc_tensor.sub %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %3 = mlc_tensor.sub %2, %x : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @absorb_nan_3(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @absorb_nan_3(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %1 = mlc_tensor.mul %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %3 = mlc_tensor.mul %2, %x : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Not here: 1 ** NaN is 1, and infinity is no NaN.
// CHECK-LABEL: func.func @keeps_absorb_nan(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 0x7f800000 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.add %x, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_absorb_nan(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %1 = mlc_tensor.pow %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 0x7f800000 : tensor<8xf32>
  %3 = mlc_tensor.add %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// x < NaN is false, and x != NaN true: floats
// CHECK-LABEL: func.func @compare_with_nan(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.constant true : tensor<8xi1>
// CHECK-NEXT:    %2 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1, %2 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_with_nan(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %3 = mlc_tensor.ne %x, %2 : tensor<8xf32>
  %4 = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %5 = mlc_tensor.ge %4, %x : tensor<8xf32>
  func.return %1, %3, %5 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// Not here: infinity is no NaN.
// CHECK-LABEL: func.func @keeps_compare_with_nan(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0x7f800000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_compare_with_nan(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.constant 0x7f800000 : tensor<8xf32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// x < least is false, x >= least true; x > greatest is false, x <= greatest true: integers
// CHECK-LABEL: func.func @compare_with_limit(%x: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.constant true : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_with_limit(%x: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.constant -2147483648 : tensor<8xi32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant -2147483648 : tensor<8xi32>
  %3 = mlc_tensor.ge %x, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @compare_with_limit_2(%x: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.constant true : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_with_limit_2(%x: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.constant 2147483647 : tensor<8xi32>
  %1 = mlc_tensor.gt %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 2147483647 : tensor<8xi32>
  %3 = mlc_tensor.le %x, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_compare_with_limit_of_f32(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0xff800000 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 0xff800000 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.ge %x, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_compare_with_limit_of_f32(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.constant 0xff800000 : tensor<8xf32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 0xff800000 : tensor<8xf32>
  %3 = mlc_tensor.ge %x, %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
}

// -x < -y == x > y; -x < c == x > -c: floats; for integers == and != alone, since -least is least
// CHECK-LABEL: func.func @compare_negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.lt %y, %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.le %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_negations(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.neg %y : tensor<8xf32>
  %2 = mlc_tensor.lt %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.neg %x : tensor<8xf32>
  %4 = mlc_tensor.neg %y : tensor<8xf32>
  %5 = mlc_tensor.ge %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @compare_negations_2(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.ge %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_negations_2(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.le %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @compare_negations_3(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.eq %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant -3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.ne %x, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %2 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_negations_3(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.neg %y : tensor<8xf32>
  %2 = mlc_tensor.eq %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.neg %x : tensor<8xf32>
  %4 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.ne %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_compare_negations(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.le %other, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_compare_negations(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.le %other, %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// ~x < ~y == x > y; ~x < c == x > ~c: integers and booleans
// CHECK-LABEL: func.func @compare_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.lt %y, %x : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant -2 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.ge %x, %1 : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.constant -2 : tensor<8xi32>
// CHECK-NEXT:    %4 = mlc_tensor.eq %x, %3 : tensor<8xi32>
// CHECK-NEXT:    func.return %0, %2, %4 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.lt %0, %1 : tensor<8xi32>
  %3 = mlc_tensor.not %x : tensor<8xi32>
  %4 = mlc_tensor.constant 1 : tensor<8xi32>
  %5 = mlc_tensor.le %3, %4 : tensor<8xi32>
  %6 = mlc_tensor.not %x : tensor<8xi32>
  %7 = mlc_tensor.constant 1 : tensor<8xi32>
  %8 = mlc_tensor.eq %6, %7 : tensor<8xi32>
  func.return %2, %5, %8 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// Not here: y has no complement.
// CHECK-LABEL: func.func @keeps_compare_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.not %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_compare_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.not %y : tensor<8xi32>
  %1 = mlc_tensor.lt %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi1>
}

// x - y < 0 == x < y; x - y > 0 == x > y: floats; not <=, since inf - inf is NaN, nor integers, which wrap
// CHECK-LABEL: func.func @compare_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %y, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_difference(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.lt %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %4 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.gt %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// Not for i32.
// CHECK-LABEL: func.func @keeps_compare_difference_of_i32(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.lt %0, %1 : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.sub %x, %y : tensor<8xi32>
// CHECK-NEXT:    %4 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %5 = mlc_tensor.gt %3, %4 : tensor<8xi32>
// CHECK-NEXT:    func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_compare_difference_of_i32(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %1 = mlc_tensor.constant 0 : tensor<8xi32>
  %2 = mlc_tensor.lt %0, %1 : tensor<8xi32>
  %3 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %4 = mlc_tensor.constant 0 : tensor<8xi32>
  %5 = mlc_tensor.gt %3, %4 : tensor<8xi32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// x - y == 0 is x == y; x ^ y == 0 is x == y: integers and booleans
// CHECK-LABEL: func.func @equal_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.eq %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @equal_difference(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xi32>
  %1 = mlc_tensor.constant 0 : tensor<8xi32>
  %2 = mlc_tensor.eq %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @equal_difference_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.ne %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @equal_difference_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.xor %x, %y : tensor<8xi32>
  %1 = mlc_tensor.constant 0 : tensor<8xi32>
  %2 = mlc_tensor.ne %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi1>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_equal_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.eq %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_equal_difference_of_f32(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.sub %x, %y : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.eq %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xi1>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_equal_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.eq %other, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_equal_difference(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.constant 0 : tensor<8xi32>
  %1 = mlc_tensor.eq %other, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi1>
}

// x + c == d is x == d - c; x ^ c == d is x == d ^ c: integers and booleans
// CHECK-LABEL: func.func @equal_shifted(%x: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -2 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.eq %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @equal_shifted(%x: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.constant 3 : tensor<8xi32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 1 : tensor<8xi32>
  %3 = mlc_tensor.eq %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @equal_shifted_2(%x: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.ne %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @equal_shifted_2(%x: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.constant 1 : tensor<8xi32>
  %1 = mlc_tensor.xor %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 1 : tensor<8xi32>
  %3 = mlc_tensor.ne %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi1>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_equal_shifted_of_f32(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.eq %1, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %3 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_equal_shifted_of_f32(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.add %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.eq %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xi1>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_equal_shifted(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.add %x, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 1 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.eq %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_equal_shifted(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi1> {
  %0 = mlc_tensor.add %x, %other : tensor<8xi32>
  %1 = mlc_tensor.constant 1 : tensor<8xi32>
  %2 = mlc_tensor.eq %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi1>
}

// |x| == 0 is x == 0; |x| != 0 likewise: floats and integers
// CHECK-LABEL: func.func @abs_is_zero(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.eq %x, %0 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.ne %x, %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @abs_is_zero(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.eq %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.abs %x : tensor<8xf32>
  %4 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.ne %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// Not here: 1 has two signs.
// CHECK-LABEL: func.func @keeps_abs_is_zero(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.eq %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_abs_is_zero(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.eq %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xi1>
}

// |x| < c is false, where c <= 0: floats and functions that are never negative; |least| is negative
// CHECK-LABEL: func.func @compare_below_range(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_below_range(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.lt %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.exp %x : tensor<8xf32>
  %4 = mlc_tensor.constant -1.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.lt %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// Not here: NaN is not at or above 0 either, and |x| may be below 1.
// CHECK-LABEL: func.func @keeps_compare_below_range(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.ge %0, %1 : tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %5 = mlc_tensor.lt %3, %4 : tensor<8xf32>
// CHECK-NEXT:    func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_compare_below_range(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.ge %0, %1 : tensor<8xf32>
  %3 = mlc_tensor.abs %x : tensor<8xf32>
  %4 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %5 = mlc_tensor.lt %3, %4 : tensor<8xf32>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// x != x is isnan(x): floats
// CHECK-LABEL: func.func @differs_from_itself(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isnan %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @differs_from_itself(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.ne %x, %x : tensor<8xf32>
  func.return %0 : tensor<8xi1>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_differs_from_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.ne %other, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_differs_from_itself(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.ne %other, %x : tensor<8xf32>
  func.return %0 : tensor<8xi1>
}

// isnan(-x) == isnan(e ** x) == isnan(x): floats, functions that have a value everywhere
// CHECK-LABEL: func.func @nan_of_function(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isnan %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @nan_of_function(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.isnan %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @nan_of_function_2(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isnan %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @nan_of_function_2(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.isnan %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @nan_of_function_3(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isnan %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @nan_of_function_3(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.floor %x : tensor<8xf32>
  %1 = mlc_tensor.isnan %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_nan_of_function(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isnan %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_nan_of_function(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.isnan %other : tensor<8xf32>
  func.return %0 : tensor<8xi1>
}

// isinf(-x) == isinf(|x|) == isinf(floor(x)) == isinf(x): floats
// CHECK-LABEL: func.func @infinity_of_function(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isinf %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @infinity_of_function(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.neg %x : tensor<8xf32>
  %1 = mlc_tensor.isinf %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @infinity_of_function_2(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isinf %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @infinity_of_function_2(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.abs %x : tensor<8xf32>
  %1 = mlc_tensor.isinf %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @infinity_of_function_3(%x: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isinf %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @infinity_of_function_3(%x: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.floor %x : tensor<8xf32>
  %1 = mlc_tensor.isinf %0 : tensor<8xf32>
  func.return %1 : tensor<8xi1>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_infinity_of_function(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.isinf %other : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_infinity_of_function(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.isinf %other : tensor<8xf32>
  func.return %0 : tensor<8xi1>
}

// isnan(float(i)) is false: integers and booleans cast to floats; they may still be infinite in f16
// CHECK-LABEL: func.func @nan_of_integer(%x: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    %1 = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @nan_of_integer(%x: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.cast %x : tensor<8xi32> -> tensor<8xf16>
  %1 = mlc_tensor.isnan %0 : tensor<8xf16>
  %2 = mlc_tensor.cast %x : tensor<8xi32> -> tensor<8xf32>
  %3 = mlc_tensor.isnan %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
}

// Not for f32.
// CHECK-LABEL: func.func @keeps_nan_of_integer_of_f32(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.cast %x : tensor<8xf32> -> tensor<8xf16>
// CHECK-NEXT:    %1 = mlc_tensor.isnan %0 : tensor<8xf16>
// CHECK-NEXT:    %2 = mlc_tensor.cast %x : tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT:    %3 = mlc_tensor.isnan %2 : tensor<8xf32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_nan_of_integer_of_f32(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.cast %x : tensor<8xf32> -> tensor<8xf16>
  %1 = mlc_tensor.isnan %0 : tensor<8xf16>
  %2 = mlc_tensor.cast %x : tensor<8xf32> -> tensor<8xf32>
  %3 = mlc_tensor.isnan %2 : tensor<8xf32>
  func.return %1, %3 : tensor<8xi1>, tensor<8xi1>
}

// x < y | x == y is x <= y; x <= y & x >= y is x == y; x <= y & x != y is x < y: everything, NaN included
// CHECK-LABEL: func.func @join_comparisons(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.le %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.le %y, %x : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.eq %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1, %2 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @join_comparisons(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.eq %x, %y : tensor<8xf32>
  %2 = mlc_tensor.or %0, %1 : tensor<8xi1>
  %3 = mlc_tensor.eq %x, %y : tensor<8xf32>
  %4 = mlc_tensor.gt %x, %y : tensor<8xf32>
  %5 = mlc_tensor.or %3, %4 : tensor<8xi1>
  %6 = mlc_tensor.le %x, %y : tensor<8xf32>
  %7 = mlc_tensor.ge %x, %y : tensor<8xf32>
  %8 = mlc_tensor.and %6, %7 : tensor<8xi1>
  func.return %2, %5, %8 : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// The same, in another form.
// CHECK-LABEL: func.func @join_comparisons_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.lt %y, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0, %1 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @join_comparisons_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.le %x, %y : tensor<8xf32>
  %1 = mlc_tensor.ne %x, %y : tensor<8xf32>
  %2 = mlc_tensor.and %0, %1 : tensor<8xi1>
  %3 = mlc_tensor.ne %x, %y : tensor<8xf32>
  %4 = mlc_tensor.ge %x, %y : tensor<8xf32>
  %5 = mlc_tensor.and %3, %4 : tensor<8xi1>
  func.return %2, %5 : tensor<8xi1>, tensor<8xi1>
}

// The operands may change places.
// CHECK-LABEL: func.func @join_comparisons_swapped(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
// CHECK-NEXT:    %0 = mlc_tensor.le %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xi1>
// CHECK-NEXT:  }
func.func @join_comparisons_swapped(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xi1> {
  %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.eq %y, %x : tensor<8xf32>
  %2 = mlc_tensor.or %0, %1 : tensor<8xi1>
  func.return %2 : tensor<8xi1>
}

// Not here: both compare other values, or leave something out.
// CHECK-LABEL: func.func @keeps_join_comparisons(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.eq %y, %z : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.or %0, %1 : tensor<8xi1>
// CHECK-NEXT:    %3 = mlc_tensor.lt %y, %x : tensor<8xf32>
// CHECK-NEXT:    %4 = mlc_tensor.and %0, %3 : tensor<8xi1>
// CHECK-NEXT:    func.return %2, %4 : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_join_comparisons(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = mlc_tensor.lt %x, %y : tensor<8xf32>
  %1 = mlc_tensor.eq %y, %z : tensor<8xf32>
  %2 = mlc_tensor.or %0, %1 : tensor<8xi1>
  %3 = mlc_tensor.lt %y, %x : tensor<8xf32>
  %4 = mlc_tensor.and %0, %3 : tensor<8xi1>
  func.return %2, %4 : tensor<8xi1>, tensor<8xi1>
}
