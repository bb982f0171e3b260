// RUN: mlc-opt %s -p tensor-to-loop --split-input-file | filecheck %s

// Between two kernels a value lies as what it is made of does.
// CHECK-LABEL: func.func @between_kernels(
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<2x3x4xf32, strided<[12, 1, 3]>>
// CHECK-NEXT:    mlc_loop.launch @exp
func.func @between_kernels(%x: tensor<2x3x4xf32> {mlc.strides = ["12", "1", "3"]}) -> tensor<2x3x4xf32> {
  %e = mlc_tensor.fusion (%a = %x : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.exp %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  %n = mlc_tensor.fusion (%a = %e : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.neg %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  func.return %n : tensor<2x3x4xf32>
}

// -----

// Of two orders the one with more bytes.
// CHECK-LABEL: func.func @most_bytes(
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<2x3x4xf32, strided<[12, 1, 3]>>
func.func @most_bytes(%x: tensor<2x3x4xf32> {mlc.strides = ["12", "1", "3"]}, %y: tensor<2x3x4xbf16>) -> tensor<2x3x4xf32> {
  %e = mlc_tensor.fusion (%a = %x : tensor<2x3x4xf32>, %b = %y : tensor<2x3x4xbf16>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %c = mlc_tensor.cast %b : tensor<2x3x4xbf16> -> tensor<2x3x4xf32>
    %d = mlc_tensor.add %a, %c : tensor<2x3x4xf32>
    mlc_tensor.yield %d : tensor<2x3x4xf32>
  }
  %n = mlc_tensor.fusion (%a = %e : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.neg %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  func.return %n : tensor<2x3x4xf32>
}

// -----

// Of as many bytes in two orders: row-major.
// CHECK-LABEL: func.func @as_many(
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<2x3x4xf32>
func.func @as_many(%x: tensor<2x3x4xf32> {mlc.strides = ["12", "1", "3"]}, %y: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = mlc_tensor.fusion (%a = %x : tensor<2x3x4xf32>, %b = %y : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %d = mlc_tensor.add %a, %b : tensor<2x3x4xf32>
    mlc_tensor.yield %d : tensor<2x3x4xf32>
  }
  %n = mlc_tensor.fusion (%a = %e : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.neg %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  func.return %n : tensor<2x3x4xf32>
}

// -----

// A call gets what eager would give it, so that nothing is copied on the way.
// CHECK-LABEL: func.func @into_a_call(
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<2x3x4xf32, strided<[12, 1, 3]>>
// CHECK:         mlc_loop.call "aten.cumsum.default"(%e)
func.func @into_a_call(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = mlc_tensor.fusion (%a = %x : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.exp %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  %c = mlc_tensor.extern "aten.cumsum.default"(%e) args [#mlc_tensor.operand<"0">, 0 : i64] {mlc.operand_strides = [["12", "1", "3"]]} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  func.return %c : tensor<2x3x4xf32>
}

// -----

// Where eager gives a call row-major numbers, so do kernels, whatever they read.
// CHECK-LABEL: func.func @into_a_plain_call(
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<2x3x4xf32>
func.func @into_a_plain_call(%x: tensor<2x3x4xf32> {mlc.strides = ["12", "1", "3"]}) -> tensor<2x3x4xf32> {
  %e = mlc_tensor.fusion (%a = %x : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.exp %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  %c = mlc_tensor.extern "aten.cumsum.default"(%e) args [#mlc_tensor.operand<"0">, 0 : i64] : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  func.return %c : tensor<2x3x4xf32>
}

// -----

// Eager's operand has gaps, as a slice of another: a buffer of its own has none.
// CHECK-LABEL: func.func @gaps(
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<2x3x4xf32>
func.func @gaps(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = mlc_tensor.fusion (%a = %x : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.exp %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  %c = mlc_tensor.extern "aten.cumsum.default"(%e) args [#mlc_tensor.operand<"0">, 0 : i64] {mlc.operand_strides = [["24", "1", "3"]]} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>)
  func.return %c : tensor<2x3x4xf32>
}

// -----

// A view, which may be of what lies side by side only: row-major.
// CHECK-LABEL: func.func @viewed(
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<2x3x4xf32>
// CHECK-NEXT:    mlc_loop.launch @exp
// CHECK-NEXT:    mlc_loop.view %e
func.func @viewed(%x: tensor<2x3x4xf32> {mlc.strides = ["12", "1", "3"]}) -> tensor<2x12xf32> {
  %e = mlc_tensor.fusion (%a = %x : tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>) kind "pointwise" why "a test" {
    %b = mlc_tensor.exp %a : tensor<2x3x4xf32>
    mlc_tensor.yield %b : tensor<2x3x4xf32>
  }
  %v = mlc_tensor.reshape %e : tensor<2x3x4xf32> -> tensor<2x12xf32>
  func.return %v : tensor<2x12xf32>
}
