// RUN: mlc-opt %s -p simplify | filecheck %s

// x & ~x == 0; x | ~x == -1; x ^ ~x == -1: integers and booleans
// CHECK-LABEL: func.func @meet_complement(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @meet_complement(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @meet_complement_2(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -1 : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @meet_complement_2(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.or %0, %x : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @meet_complement_3(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -1 : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @meet_complement_3(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.xor %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_meet_complement(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.not %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_meet_complement(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %other : tensor<8xi32>
  %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// x & (x | y) == x; x | (x & y) == x: integers and booleans
// CHECK-LABEL: func.func @absorb_bits(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %x : tensor<8xi32>
// CHECK-NEXT:  }
func.func @absorb_bits(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.or %y, %x : tensor<8xi32>
  %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @absorb_bits_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %x : tensor<8xi32>
// CHECK-NEXT:  }
func.func @absorb_bits_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.and %x, %y : tensor<8xi32>
  %1 = mlc_tensor.or %0, %x : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_absorb_bits(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.or %y, %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_absorb_bits(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.or %y, %other : tensor<8xi32>
  %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// x & (~x | y) == x & y; x | (~x & y) == x | y: integers and booleans
// CHECK-LABEL: func.func @absorb_complement(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.and %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @absorb_complement(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.or %0, %y : tensor<8xi32>
  %2 = mlc_tensor.and %x, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @absorb_complement_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.or %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @absorb_complement_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.and %y, %0 : tensor<8xi32>
  %2 = mlc_tensor.or %1, %x : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_absorb_complement(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.not %other : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.or %0, %y : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.and %x, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_absorb_complement(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %other : tensor<8xi32>
  %1 = mlc_tensor.or %0, %y : tensor<8xi32>
  %2 = mlc_tensor.and %x, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// x & (x & y) == x & y; | likewise; max(x, max(x, y)) == max(x, y), min likewise: everything, NaN included
// CHECK-LABEL: func.func @drop_repeated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %x, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @drop_repeated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.maximum %x, %y : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @drop_repeated_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.minimum %y, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %0 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @drop_repeated_2(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.minimum %y, %x : tensor<8xf32>
  %1 = mlc_tensor.minimum %0, %x : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @drop_repeated_3(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.and %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @drop_repeated_3(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.and %x, %y : tensor<8xi32>
  %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_drop_repeated(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %other, %y : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_drop_repeated(%x: tensor<8xf32>, %y: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.maximum %other, %y : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// (x & c) & d == x & (c & d); |, ^, max and min likewise: everything, NaN included
// CHECK-LABEL: func.func @join_bit_constants(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @join_bit_constants(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.maximum %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.maximum %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @join_bit_constants_2(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.minimum %x, %0 : tensor<8xf32>
// CHECK-NEXT:    func.return %1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @join_bit_constants_2(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %1 = mlc_tensor.minimum %x, %0 : tensor<8xf32>
  %2 = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %3 = mlc_tensor.minimum %1, %2 : tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// The same, in another form.
// CHECK-LABEL: func.func @join_bit_constants_3(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.constant 5 : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_bit_constants_3(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant 7 : tensor<8xi32>
  %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
  %2 = mlc_tensor.constant 13 : tensor<8xi32>
  %3 = mlc_tensor.and %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_join_bit_constants(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = mlc_tensor.maximum %x, %other : tensor<8xf32>
// CHECK-NEXT:    %1 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
// CHECK-NEXT:    func.return %2 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_join_bit_constants(%x: tensor<8xf32>, %other: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mlc_tensor.maximum %x, %other : tensor<8xf32>
  %1 = mlc_tensor.constant 5.000000e+00 : tensor<8xf32>
  %2 = mlc_tensor.maximum %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// ~x & ~y == ~(x | y); ~x | ~y == ~(x & y): integers and booleans
// CHECK-LABEL: func.func @join_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.or %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.and %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @join_complements_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.and %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_complements_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.or %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_join_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.not %x : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %y : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.and %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2, %0 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_join_complements(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.and %0, %1 : tensor<8xi32>
  func.return %2, %0 : tensor<8xi32>, tensor<8xi32>
}

// x ^ -1 == ~x: integers and booleans
// CHECK-LABEL: func.func @flip_bits(%x: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.not %x : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @flip_bits(%x: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.constant -1 : tensor<8xi32>
  %1 = mlc_tensor.xor %x, %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_flip_bits(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.xor %x, %other : tensor<8xi32>
// CHECK-NEXT:    func.return %0 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_flip_bits(%x: tensor<8xi32>, %other: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.xor %x, %other : tensor<8xi32>
  func.return %0 : tensor<8xi32>
}

// (x ^ y) ^ y == x: integers and booleans
// CHECK-LABEL: func.func @cancel_xor(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    func.return %x, %y : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @cancel_xor(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.xor %x, %y : tensor<8xi32>
  %1 = mlc_tensor.xor %0, %y : tensor<8xi32>
  %2 = mlc_tensor.xor %x, %y : tensor<8xi32>
  %3 = mlc_tensor.xor %x, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not here: z is not y.
// CHECK-LABEL: func.func @keeps_cancel_xor(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.xor %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.xor %0, %z : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_cancel_xor(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.xor %x, %y : tensor<8xi32>
  %1 = mlc_tensor.xor %0, %z : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// ~x ^ y == ~(x ^ y): integers and booleans
// CHECK-LABEL: func.func @complement_out_of_xor(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.xor %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.xor %y, %x : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.not %2 : tensor<8xi32>
// CHECK-NEXT:    func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @complement_out_of_xor(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.not %x : tensor<8xi32>
  %1 = mlc_tensor.xor %0, %y : tensor<8xi32>
  %2 = mlc_tensor.not %y : tensor<8xi32>
  %3 = mlc_tensor.xor %x, %2 : tensor<8xi32>
  func.return %1, %3 : tensor<8xi32>, tensor<8xi32>
}

// Not here: a complement of the whole stays outside.
// CHECK-LABEL: func.func @keeps_complement_out_of_xor(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.xor %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_complement_out_of_xor(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.xor %x, %y : tensor<8xi32>
  %1 = mlc_tensor.not %0 : tensor<8xi32>
  func.return %1 : tensor<8xi32>
}

// (x & y) | (x & ~y) == x; (x | y) & (x | ~y) == x: integers and booleans
// CHECK-LABEL: func.func @join_cases(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.and %x, %y : tensor<8xi32>
// CHECK-NEXT:    func.return %x, %0 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_cases(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.and %x, %y : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.and %x, %1 : tensor<8xi32>
  %3 = mlc_tensor.or %0, %2 : tensor<8xi32>
  func.return %3, %0 : tensor<8xi32>, tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @join_cases_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %x : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_cases_2(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.and %x, %y : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.and %x, %1 : tensor<8xi32>
  %3 = mlc_tensor.or %0, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @join_cases_3(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    func.return %x : tensor<8xi32>
// CHECK-NEXT:  }
func.func @join_cases_3(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.not %y : tensor<8xi32>
  %1 = mlc_tensor.or %0, %x : tensor<8xi32>
  %2 = mlc_tensor.or %x, %y : tensor<8xi32>
  %3 = mlc_tensor.and %1, %2 : tensor<8xi32>
  func.return %3 : tensor<8xi32>
}

// Not with another operand.
// CHECK-LABEL: func.func @keeps_join_cases(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.and %other, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.not %y : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.and %x, %1 : tensor<8xi32>
// CHECK-NEXT:    %3 = mlc_tensor.or %0, %2 : tensor<8xi32>
// CHECK-NEXT:    func.return %3, %0 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_join_cases(%x: tensor<8xi32>, %y: tensor<8xi32>, %other: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.and %other, %y : tensor<8xi32>
  %1 = mlc_tensor.not %y : tensor<8xi32>
  %2 = mlc_tensor.and %x, %1 : tensor<8xi32>
  %3 = mlc_tensor.or %0, %2 : tensor<8xi32>
  func.return %3, %0 : tensor<8xi32>, tensor<8xi32>
}

// (x & y) | (x & z) == x & (y | z); (x | y) & (x | z) == x | (y & z): integers and booleans
// CHECK-LABEL: func.func @take_common_bits_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.or %y, %z : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.and %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @take_common_bits_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.and %x, %y : tensor<8xi32>
  %1 = mlc_tensor.and %z, %x : tensor<8xi32>
  %2 = mlc_tensor.or %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The same, in another form.
// CHECK-LABEL: func.func @take_common_bits_out_2(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
// CHECK-NEXT:    %0 = mlc_tensor.and %y, %z : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.or %x, %0 : tensor<8xi32>
// CHECK-NEXT:    func.return %1 : tensor<8xi32>
// CHECK-NEXT:  }
func.func @take_common_bits_out_2(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> tensor<8xi32> {
  %0 = mlc_tensor.or %x, %y : tensor<8xi32>
  %1 = mlc_tensor.or %x, %z : tensor<8xi32>
  %2 = mlc_tensor.and %0, %1 : tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// Not with another use.
// CHECK-LABEL: func.func @keeps_take_common_bits_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
// CHECK-NEXT:    %0 = mlc_tensor.and %x, %y : tensor<8xi32>
// CHECK-NEXT:    %1 = mlc_tensor.and %z, %x : tensor<8xi32>
// CHECK-NEXT:    %2 = mlc_tensor.or %0, %1 : tensor<8xi32>
// CHECK-NEXT:    func.return %2, %0 : tensor<8xi32>, tensor<8xi32>
// CHECK-NEXT:  }
func.func @keeps_take_common_bits_out(%x: tensor<8xi32>, %y: tensor<8xi32>, %z: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = mlc_tensor.and %x, %y : tensor<8xi32>
  %1 = mlc_tensor.and %z, %x : tensor<8xi32>
  %2 = mlc_tensor.or %0, %1 : tensor<8xi32>
  func.return %2, %0 : tensor<8xi32>, tensor<8xi32>
}
