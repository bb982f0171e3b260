// RUN: mlc-opt %s -p overlap-collectives | filecheck %s
// RUN: mlc-opt %s -p 'overlap-collectives{in_flight=1}' | filecheck %s --check-prefix=ONE

// Collectives begin behind what computes their operands; waits stand before what reads them; kernels stay in order.

// Views come along, up with the collective and down with the wait.
// CHECK-LABEL: func.func @meanwhile(
// CHECK-NEXT:    %g = mlc_tensor.exp %x
// CHECK-NEXT:    %v = mlc_tensor.reshape %g
// CHECK-NEXT:    %a = mlc_tensor.extern "_c10d_functional.all_reduce.default"(%v)
// CHECK-NEXT:    %k = mlc_tensor.tanh %y
// CHECK-NEXT:    %l = mlc_tensor.exp %k
// CHECK-NEXT:    %w = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%a)
// CHECK-NEXT:    %u = mlc_tensor.reshape %w
// CHECK-NEXT:    %s = mlc_tensor.add %u, %l
// CHECK-NEXT:    func.return
func.func @meanwhile(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %g = mlc_tensor.exp %x : tensor<4x2xf32>
  %k = mlc_tensor.tanh %y : tensor<4x2xf32>
  %v = mlc_tensor.reshape %g : tensor<4x2xf32> -> tensor<8xf32>
  %a = mlc_tensor.extern "_c10d_functional.all_reduce.default"(%v) args [#mlc_tensor.operand<"0">, "sum", "0"] impure : (tensor<8xf32>) -> (tensor<8xf32>)
  %w = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%a) : (tensor<8xf32>) -> (tensor<8xf32>)
  %u = mlc_tensor.reshape %w : tensor<8xf32> -> tensor<4x2xf32>
  %l = mlc_tensor.exp %k : tensor<4x2xf32>
  %s = mlc_tensor.add %u, %l : tensor<4x2xf32>
  func.return %s : tensor<4x2xf32>
}

// Two that could begin in either order keep theirs. With one in flight, the second begins when the first has ended.
// CHECK-LABEL: func.func @in_order(
// CHECK-NEXT:    %g = mlc_tensor.exp %x
// CHECK-NEXT:    %a = mlc_tensor.extern "_c10d_functional.all_reduce.default"(%g)
// CHECK-NEXT:    %b = mlc_tensor.extern "_c10d_functional.all_gather_into_tensor.default"(%y)
// CHECK-NEXT:    %k = mlc_tensor.tanh %x
// CHECK-NEXT:    %w = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%a)
// CHECK-NEXT:    %r = mlc_tensor.add %w, %k
// CHECK-NEXT:    %z = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%b)
// CHECK-NEXT:    func.return
// ONE-LABEL: func.func @in_order(
// ONE-NEXT:    %g = mlc_tensor.exp %x
// ONE-NEXT:    %a = mlc_tensor.extern "_c10d_functional.all_reduce.default"(%g)
// ONE-NEXT:    %k = mlc_tensor.tanh %x
// ONE-NEXT:    %w = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%a)
// ONE-NEXT:    %b = mlc_tensor.extern "_c10d_functional.all_gather_into_tensor.default"(%y)
// ONE-NEXT:    %r = mlc_tensor.add %w, %k
// ONE-NEXT:    %z = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%b)
func.func @in_order(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %g = mlc_tensor.exp %x : tensor<8xf32>
  %k = mlc_tensor.tanh %x : tensor<8xf32>
  %a = mlc_tensor.extern "_c10d_functional.all_reduce.default"(%g) args [#mlc_tensor.operand<"0">, "sum", "0"] impure : (tensor<8xf32>) -> (tensor<8xf32>)
  %w = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%a) : (tensor<8xf32>) -> (tensor<8xf32>)
  %r = mlc_tensor.add %w, %k : tensor<8xf32>
  %b = mlc_tensor.extern "_c10d_functional.all_gather_into_tensor.default"(%y) args [#mlc_tensor.operand<"0">, 2, "0"] impure : (tensor<4xf32>) -> (tensor<8xf32>)
  %z = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%b) : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %r, %z : tensor<8xf32>, tensor<8xf32>
}

// Neither passes a call that writes memory: what is sent may be written there, or what was received be read.
// CHECK-LABEL: func.func @a_write_between(
// CHECK-NEXT:    %k = mlc_tensor.tanh %x
// CHECK-NEXT:    %c = mlc_tensor.extern "aten.copy_.default"(%y, %k)
// CHECK-NEXT:    %a = mlc_tensor.extern "_c10d_functional.all_reduce.default"(%y)
// CHECK-NEXT:    %w = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%a)
// CHECK-NEXT:    %d = mlc_tensor.extern "aten.copy_.default"(%y, %x)
// CHECK-NEXT:    %l = mlc_tensor.exp %k
// CHECK-NEXT:    %r = mlc_tensor.add %w, %l
// ONE-LABEL: func.func @a_write_between(
func.func @a_write_between(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %k = mlc_tensor.tanh %x : tensor<8xf32>
  %c = mlc_tensor.extern "aten.copy_.default"(%y, %k) impure : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>)
  %a = mlc_tensor.extern "_c10d_functional.all_reduce.default"(%y) args [#mlc_tensor.operand<"0">, "sum", "0"] impure : (tensor<8xf32>) -> (tensor<8xf32>)
  %w = mlc_tensor.extern "_c10d_functional.wait_tensor.default"(%a) : (tensor<8xf32>) -> (tensor<8xf32>)
  %d = mlc_tensor.extern "aten.copy_.default"(%y, %x) impure : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>)
  %l = mlc_tensor.exp %k : tensor<8xf32>
  %r = mlc_tensor.add %w, %l : tensor<8xf32>
  func.return %r : tensor<8xf32>
}
