// RUN: mlc-opt %s -p canonicalize --split-input-file | filecheck %s

// c + x == x + c
// CHECK-LABEL: func.func @constant_right(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %c = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.add %x, %c : tensor<8xf32>
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @constant_right(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
  %r = mlc_tensor.add %c, %x : tensor<8xf32>
  func.return %r : tensor<8xf32>
}

// c - x does not commute, and two constants stay in their order.
// CHECK-LABEL: func.func @keeps_constant_left(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %c = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.sub %c, %x : tensor<8xf32>
// CHECK-NEXT:    %s = mlc_tensor.add %c, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %r, %s : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_constant_left(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
  %d = mlc_tensor.constant 3.000000e+00 : tensor<8xf32>
  %r = mlc_tensor.sub %c, %x : tensor<8xf32>
  %s = mlc_tensor.add %c, %d : tensor<8xf32>
  func.return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// c < x == x > c
// CHECK-LABEL: func.func @mirror_comparison(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %c = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %r = mlc_tensor.gt %x, %c : tensor<8xf32>
// CHECK-NEXT:    %s = mlc_tensor.le %x, %c : tensor<8xf32>
// CHECK-NEXT:    func.return %r, %s : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @mirror_comparison(%x: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %c = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
  %r = mlc_tensor.lt %c, %x : tensor<8xf32>
  %s = mlc_tensor.ge %c, %x : tensor<8xf32>
  func.return %r, %s : tensor<8xi1>, tensor<8xi1>
}

// What changes nothing, bit for bit: x * 1, x / 1, x - 0.0, x + -0.0, x ** 1.
// CHECK-LABEL: func.func @float_units(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    func.return %x : tensor<8xf32>
// CHECK-NEXT:  }
func.func @float_units(%x: tensor<8xf32>) -> tensor<8xf32> {
  %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %minus = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %a = mlc_tensor.mul %one, %x : tensor<8xf32>
  %b = mlc_tensor.div %a, %one : tensor<8xf32>
  %c = mlc_tensor.sub %b, %zero : tensor<8xf32>
  %d = mlc_tensor.add %c, %minus : tensor<8xf32>
  %e = mlc_tensor.pow %d, %one : tensor<8xf32>
  func.return %e : tensor<8xf32>
}

// x + 0.0 and x - -0.0 make 0.0 of -0.0; 1 / x and 0.0 - x are other functions.
// CHECK-LABEL: func.func @keeps_inexact_units(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %zero = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %a = mlc_tensor.add %x, %zero : tensor<8xf32>
// CHECK-NEXT:    %[[ZERO:.*]] = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.add %x, %[[ZERO]] : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.div %one, %x : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %zero, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %a, %[[B]], %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_inexact_units(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %minus = mlc_tensor.constant -0.000000e+00 : tensor<8xf32>
  %a = mlc_tensor.add %x, %zero : tensor<8xf32>
  %b = mlc_tensor.sub %x, %minus : tensor<8xf32>
  %c = mlc_tensor.div %one, %x : tensor<8xf32>
  %d = mlc_tensor.sub %zero, %x : tensor<8xf32>
  func.return %a, %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Integers and booleans have units: x + 0, x * 1, x & -1, x | 0, x ^ 0, x // 1.
// CHECK-LABEL: func.func @integer_units(%x: tensor<8xi32>, %b: tensor<8xi1>) -> (tensor<8xi32>, tensor<8xi1>) {
// CHECK-NEXT:    func.return %x, %b : tensor<8xi32>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @integer_units(%x: tensor<8xi32>, %b: tensor<8xi1>) -> (tensor<8xi32>, tensor<8xi1>) {
  %zero = mlc_tensor.constant 0 : tensor<8xi32>
  %one = mlc_tensor.constant 1 : tensor<8xi32>
  %all = mlc_tensor.constant -1 : tensor<8xi32>
  %true = mlc_tensor.constant true : tensor<8xi1>
  %false = mlc_tensor.constant false : tensor<8xi1>
  %c = mlc_tensor.add %x, %zero : tensor<8xi32>
  %d = mlc_tensor.mul %c, %one : tensor<8xi32>
  %e = mlc_tensor.and %d, %all : tensor<8xi32>
  %f = mlc_tensor.or %e, %zero : tensor<8xi32>
  %g = mlc_tensor.xor %f, %zero : tensor<8xi32>
  %h = mlc_tensor.floordiv %g, %one : tensor<8xi32>
  %i = mlc_tensor.and %b, %true : tensor<8xi1>
  %j = mlc_tensor.or %i, %false : tensor<8xi1>
  func.return %h, %j : tensor<8xi32>, tensor<8xi1>
}

// And absorbers: x * 0, x & 0, x | -1.
// CHECK-LABEL: func.func @absorb(%x: tensor<8xi32>, %b: tensor<8xi1>) -> (tensor<8xi32>, tensor<8xi1>) {
// CHECK-NEXT:    %zero = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %true = mlc_tensor.constant true : tensor<8xi1>
// CHECK-NEXT:    func.return %zero, %true : tensor<8xi32>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @absorb(%x: tensor<8xi32>, %b: tensor<8xi1>) -> (tensor<8xi32>, tensor<8xi1>) {
  %zero = mlc_tensor.constant 0 : tensor<8xi32>
  %true = mlc_tensor.constant true : tensor<8xi1>
  %a = mlc_tensor.mul %x, %zero : tensor<8xi32>
  %c = mlc_tensor.or %b, %true : tensor<8xi1>
  func.return %a, %c : tensor<8xi32>, tensor<8xi1>
}

// Floats have none: NaN * 0.0 is NaN, and -1.0 * 0.0 is -0.0.
// CHECK-LABEL: func.func @keeps_float_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %zero = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %a = mlc_tensor.mul %x, %zero : tensor<8xf32>
// CHECK-NEXT:    func.return %a : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_float_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<8xf32>
  %a = mlc_tensor.mul %x, %zero : tensor<8xf32>
  func.return %a : tensor<8xf32>
}

// max(x, x) == x; |(|x|)| == |x|
// CHECK-LABEL: func.func @drop_idempotent(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %b = mlc_tensor.abs %x : tensor<8xf32>
// CHECK-NEXT:    func.return %b : tensor<8xf32>
// CHECK-NEXT:  }
func.func @drop_idempotent(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.maximum %x, %x : tensor<8xf32>
  %b = mlc_tensor.abs %a : tensor<8xf32>
  %c = mlc_tensor.abs %b : tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// Not every function that is done twice is done once: e ** (e ** x), and max(x, y) of another y.
// CHECK-LABEL: func.func @keeps_repeated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.exp %a : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.maximum %b, %y : tensor<8xf32>
// CHECK-NEXT:    func.return %c : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_repeated(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.exp %a : tensor<8xf32>
  %c = mlc_tensor.maximum %b, %y : tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// -(-x) == x; the first negation stays where something else uses it.
// CHECK-LABEL: func.func @cancel_involution(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    func.return %a, %x : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @cancel_involution(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.neg %x : tensor<8xf32>
  %b = mlc_tensor.neg %a : tensor<8xf32>
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @keeps_separated_negations(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.exp %a : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.neg %b : tensor<8xf32>
// CHECK-NEXT:    func.return %c : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_separated_negations(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.neg %x : tensor<8xf32>
  %b = mlc_tensor.exp %a : tensor<8xf32>
  %c = mlc_tensor.neg %b : tensor<8xf32>
  func.return %c : tensor<8xf32>
}

// Integers: x - x == 0, x ^ x == 0, x == x, not x < x.
// CHECK-LABEL: func.func @with_itself(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %a = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %b = mlc_tensor.constant 0 : tensor<8xi32>
// CHECK-NEXT:    %c = mlc_tensor.constant true : tensor<8xi1>
// CHECK-NEXT:    %d = mlc_tensor.constant false : tensor<8xi1>
// CHECK-NEXT:    func.return %a, %b, %c, %d : tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @with_itself(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi1>) {
  %a = mlc_tensor.sub %x, %x : tensor<8xi32>
  %b = mlc_tensor.xor %x, %x : tensor<8xi32>
  %c = mlc_tensor.eq %x, %x : tensor<8xi32>
  %d = mlc_tensor.lt %x, %x : tensor<8xi32>
  func.return %a, %b, %c, %d : tensor<8xi32>, tensor<8xi32>, tensor<8xi1>, tensor<8xi1>
}

// Floats: inf - inf is NaN, which differs from itself.
// CHECK-LABEL: func.func @keeps_float_with_itself(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.sub %x, %x : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.eq %x, %x : tensor<8xf32>
// CHECK-NEXT:    %c = mlc_tensor.div %x, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %a, %b, %c : tensor<8xf32>, tensor<8xi1>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_float_with_itself(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi1>, tensor<8xf32>) {
  %a = mlc_tensor.sub %x, %x : tensor<8xf32>
  %b = mlc_tensor.eq %x, %x : tensor<8xf32>
  %c = mlc_tensor.div %x, %x : tensor<8xf32>
  func.return %a, %b, %c : tensor<8xf32>, tensor<8xi1>, tensor<8xf32>
}

// ~(x < y) == (x >= y) of integers; ~(x == y) == (x != y) of all.
// CHECK-LABEL: func.func @negate_comparison(%x: tensor<8xi32>, %y: tensor<8xi32>, %f: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %b = mlc_tensor.le %y, %x : tensor<8xi32>
// CHECK-NEXT:    %d = mlc_tensor.ne %f, %f : tensor<8xf32>
// CHECK-NEXT:    func.return %b, %d : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @negate_comparison(%x: tensor<8xi32>, %y: tensor<8xi32>, %f: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %a = mlc_tensor.lt %x, %y : tensor<8xi32>
  %b = mlc_tensor.not %a : tensor<8xi1>
  %c = mlc_tensor.eq %f, %f : tensor<8xf32>
  %d = mlc_tensor.not %c : tensor<8xi1>
  func.return %b, %d : tensor<8xi1>, tensor<8xi1>
}

// NaN < y and NaN >= y are both false; and a comparison with another use would be done twice.
// CHECK-LABEL: func.func @keeps_negated_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %a = mlc_tensor.lt %x, %y : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.not %a : tensor<8xi1>
// CHECK-NEXT:    %c = mlc_tensor.eq %x, %y : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.not %c : tensor<8xi1>
// CHECK-NEXT:    func.return %b, %c, %d : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @keeps_negated_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>, tensor<8xi1>) {
  %a = mlc_tensor.lt %x, %y : tensor<8xf32>
  %b = mlc_tensor.not %a : tensor<8xi1>
  %c = mlc_tensor.eq %x, %y : tensor<8xf32>
  %d = mlc_tensor.not %c : tensor<8xi1>
  func.return %b, %c, %d : tensor<8xi1>, tensor<8xi1>, tensor<8xi1>
}

// (b == true) == b; (b != true) == ~b
// CHECK-LABEL: func.func @compare_with_truth(%b: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %d = mlc_tensor.not %b : tensor<8xi1>
// CHECK-NEXT:    func.return %b, %d : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @compare_with_truth(%b: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %true = mlc_tensor.constant true : tensor<8xi1>
  %c = mlc_tensor.eq %true, %b : tensor<8xi1>
  %d = mlc_tensor.ne %b, %true : tensor<8xi1>
  func.return %c, %d : tensor<8xi1>, tensor<8xi1>
}

// where(true, x, y) == x; where(false, x, y) == y; where(c, x, x) == x
// CHECK-LABEL: func.func @select_known(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    func.return %x, %y, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @select_known(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %true = mlc_tensor.constant true : tensor<8xi1>
  %false = mlc_tensor.constant false : tensor<8xi1>
  %a = mlc_tensor.select %true, %x, %y : tensor<8xf32>
  %b = mlc_tensor.select %false, %x, %y : tensor<8xf32>
  %d = mlc_tensor.select %c, %x, %x : tensor<8xf32>
  func.return %a, %b, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @keeps_select_of_mixed_condition(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:    %c = mlc_tensor.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT:    %a = mlc_tensor.select %c, %x, %y : tensor<2xf32>
// CHECK-NEXT:    func.return %a : tensor<2xf32>
// CHECK-NEXT:  }
func.func @keeps_select_of_mixed_condition(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %c = mlc_tensor.constant dense<[true, false]> : tensor<2xi1>
  %a = mlc_tensor.select %c, %x, %y : tensor<2xf32>
  func.return %a : tensor<2xf32>
}

// where(~c, x, y) == where(c, y, x)
// CHECK-LABEL: func.func @select_negated(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.select %c, %y, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %a : tensor<8xf32>
// CHECK-NEXT:  }
func.func @select_negated(%c: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %n = mlc_tensor.not %c : tensor<8xi1>
  %a = mlc_tensor.select %n, %x, %y : tensor<8xf32>
  func.return %a : tensor<8xf32>
}

// where(c, true, false) == c; where(c, false, true) == ~c
// CHECK-LABEL: func.func @select_truth(%c: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
// CHECK-NEXT:    %b = mlc_tensor.not %c : tensor<8xi1>
// CHECK-NEXT:    func.return %c, %b : tensor<8xi1>, tensor<8xi1>
// CHECK-NEXT:  }
func.func @select_truth(%c: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %true = mlc_tensor.constant true : tensor<8xi1>
  %false = mlc_tensor.constant false : tensor<8xi1>
  %a = mlc_tensor.select %c, %true, %false : tensor<8xi1>
  %b = mlc_tensor.select %c, %false, %true : tensor<8xi1>
  func.return %a, %b : tensor<8xi1>, tensor<8xi1>
}

// where(c, where(c, x, y), z) == where(c, x, z); another condition decides otherwise.
// CHECK-LABEL: func.func @select_same_condition(%c: tensor<8xi1>, %d: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
// CHECK-NEXT:    %a = mlc_tensor.select %c, %x, %y : tensor<8xf32>
// CHECK-NEXT:    %z = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.select %c, %x, %z : tensor<8xf32>
// CHECK-NEXT:    %e = mlc_tensor.select %d, %z, %a : tensor<8xf32>
// CHECK-NEXT:    func.return %b, %e : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:  }
func.func @select_same_condition(%c: tensor<8xi1>, %d: tensor<8xi1>, %x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.select %c, %x, %y : tensor<8xf32>
  %z = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.select %c, %a, %z : tensor<8xf32>
  %e = mlc_tensor.select %d, %z, %a : tensor<8xf32>
  func.return %b, %e : tensor<8xf32>, tensor<8xf32>
}

// Inside a fusion as well.
// CHECK-LABEL: func.func @inside_fusions(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
// CHECK-NEXT:      mlc_tensor.yield %a : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @inside_fusions(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
    %b = mlc_tensor.mul %a, %one : tensor<8xf32>
    mlc_tensor.yield %b : tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}

// -----

// x > y == y < x, for floats and integers, so that both spellings are one.
// CHECK-LABEL: @order_comparison(
// CHECK-NEXT:    %[[A:.*]] = mlc_tensor.lt %y, %x : tensor<8xf32>
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.le %y, %x : tensor<8xf32>
// CHECK-NEXT:    func.return %[[A]], %[[B]]
func.func @order_comparison(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %a = mlc_tensor.gt %x, %y : tensor<8xf32>
  %b = mlc_tensor.ge %x, %y : tensor<8xf32>
  func.return %a, %b : tensor<8xi1>, tensor<8xi1>
}

// -----

// A constant stays on the right.
// CHECK-LABEL: @keeps_greater_than_constant(
// CHECK:         mlc_tensor.gt %x, %c
func.func @keeps_greater_than_constant(%x: tensor<8xf32>) -> tensor<8xi1> {
  %c = mlc_tensor.constant 2.0 : tensor<8xf32>
  %a = mlc_tensor.gt %x, %c : tensor<8xf32>
  func.return %a : tensor<8xi1>
}

// -----

// x - c == x + -c, for floats and for integers, the least one included.
// CHECK-LABEL: @subtract_constant(
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.constant -2.500000e+00 : tensor<8xf32>
// CHECK-NEXT:    mlc_tensor.add %x, %[[C]] : tensor<8xf32>
// CHECK-NEXT:    %[[D:.*]] = mlc_tensor.constant -128 : tensor<8xi8>
// CHECK-NEXT:    mlc_tensor.add %i, %[[D]] : tensor<8xi8>
func.func @subtract_constant(%x: tensor<8xf32>, %i: tensor<8xi8>) -> (tensor<8xf32>, tensor<8xi8>) {
  %c = mlc_tensor.constant 2.5 : tensor<8xf32>
  %a = mlc_tensor.sub %x, %c : tensor<8xf32>
  %d = mlc_tensor.constant -128 : tensor<8xi8>
  %b = mlc_tensor.sub %i, %d : tensor<8xi8>
  func.return %a, %b : tensor<8xf32>, tensor<8xi8>
}

// -----

// Not c - x, nor a difference of values.
// CHECK-LABEL: @keeps_differences(
// CHECK:         mlc_tensor.sub %c, %x
// CHECK-NEXT:    mlc_tensor.sub %x, %y
func.func @keeps_differences(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = mlc_tensor.constant 2.5 : tensor<8xf32>
  %a = mlc_tensor.sub %c, %x : tensor<8xf32>
  %b = mlc_tensor.sub %x, %y : tensor<8xf32>
  func.return %a, %b : tensor<8xf32>, tensor<8xf32>
}
