// RUN: mlc-opt %s -p const-fold,dce --split-input-file | filecheck %s

// Positions 0, 1, 2, ... never jump, so no sequence starts anew: the mask of packed sequences hides nothing.
// CHECK-LABEL: func.func @one_sequence(
// CHECK-NEXT:    %same = mlc_tensor.constant true : tensor<2x5x5xi1>
// CHECK-NEXT:    func.return %same
func.func @one_sequence() -> tensor<2x5x5xi1> {
  %count = mlc_tensor.iota dim 0 : tensor<5xi64>
  %p = mlc_tensor.broadcast %count : tensor<5xi64> -> tensor<2x5xi64>
  %first = mlc_tensor.slice %p [0, 0] step [1, 1] : tensor<2x5xi64> -> tensor<2x1xi64>
  %minus = mlc_tensor.constant -1 : tensor<2x1xi64>
  %before = mlc_tensor.add %first, %minus : tensor<2x1xi64>
  %longer = mlc_tensor.cat %before, %p dim 1 : (tensor<2x1xi64>, tensor<2x5xi64>) -> tensor<2x6xi64>
  %last = mlc_tensor.slice %longer [0, 0] step [1, 1] : tensor<2x6xi64> -> tensor<2x5xi64>
  %step = mlc_tensor.sub %p, %last : tensor<2x5xi64>
  %one = mlc_tensor.constant 1 : tensor<2x5xi64>
  %jumps = mlc_tensor.ne %step, %one : tensor<2x5xi64>
  %jump = mlc_tensor.cast %jumps : tensor<2x5xi1> -> tensor<2x5xi64>
  %sequence = mlc_tensor.scan add %jump dim 1 : tensor<2x5xi64> -> tensor<2x5xi64>
  %rows = mlc_tensor.reshape %sequence : tensor<2x5xi64> -> tensor<2x5x1xi64>
  %r = mlc_tensor.broadcast %rows : tensor<2x5x1xi64> -> tensor<2x5x5xi64>
  %columns = mlc_tensor.reshape %sequence : tensor<2x5xi64> -> tensor<2x1x5xi64>
  %c = mlc_tensor.broadcast %columns : tensor<2x1x5xi64> -> tensor<2x5x5xi64>
  %same = mlc_tensor.eq %r, %c : tensor<2x5x5xi64>
  func.return %same : tensor<2x5x5xi1>
}

// -----

// A comparison that is not the same everywhere stays.
// CHECK-LABEL: func.func @half(
// CHECK:         mlc_tensor.lt
func.func @half() -> tensor<600xi1> {
  %count = mlc_tensor.iota dim 0 : tensor<600xi64>
  %middle = mlc_tensor.constant 300 : tensor<600xi64>
  %r = mlc_tensor.lt %count, %middle : tensor<600xi64>
  func.return %r : tensor<600xi1>
}

// -----

// So does one with what the caller gives, one of a named size, and one of more places than are looked at.
// CHECK-LABEL: func.func @given(
// CHECK:         mlc_tensor.ge
func.func @given(%x: tensor<600xi64>) -> tensor<600xi1> {
  %count = mlc_tensor.iota dim 0 : tensor<600xi64>
  %sum = mlc_tensor.add %count, %x : tensor<600xi64>
  %zero = mlc_tensor.constant 0 : tensor<600xi64>
  %r = mlc_tensor.ge %sum, %zero : tensor<600xi64>
  func.return %r : tensor<600xi1>
}

// -----

// CHECK-LABEL: func.func @named(
// CHECK:         mlc_tensor.ge
func.func @named(%x: tensor<?xf32, ["N"]>) -> tensor<?xi1, ["N"]> {
  %count = mlc_tensor.iota dim 0 : tensor<?xi64, ["N"]>
  %zero = mlc_tensor.constant 0 : tensor<?xi64, ["N"]>
  %r = mlc_tensor.ge %count, %zero : tensor<?xi64, ["N"]>
  func.return %r : tensor<?xi1, ["N"]>
}

// -----

// CHECK-LABEL: func.func @many(
// CHECK:         mlc_tensor.ge
func.func @many() -> tensor<600000xi1> {
  %count = mlc_tensor.iota dim 0 : tensor<600000xi64>
  %zero = mlc_tensor.constant 0 : tensor<600000xi64>
  %r = mlc_tensor.ge %count, %zero : tensor<600000xi64>
  func.return %r : tensor<600000xi1>
}
