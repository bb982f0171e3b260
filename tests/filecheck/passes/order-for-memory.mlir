// RUN: mlc-opt %s -p order-for-memory | filecheck %s

// What frees more than it takes comes first: the gradient of a weight is small, and the last to read an activation. The
// view that it looks through comes along.
// CHECK-LABEL: func.func @weight_gradient(
// CHECK-NEXT:    %t = mlc_tensor.permute %g
// CHECK-NEXT:    %dw = mlc_tensor.matmul %t, %h
// CHECK-NEXT:    %d = mlc_tensor.matmul %g, %w
// CHECK-NEXT:    %e = mlc_tensor.exp %d
// CHECK-NEXT:    func.return
func.func @weight_gradient(%g: tensor<512x8xf32>, %w: tensor<8x64xf32>, %h: tensor<512x64xf32> {mlc.donated}) -> (tensor<512x64xf32>, tensor<8x64xf32>) {
  %d = mlc_tensor.matmul %g, %w : tensor<512x8xf32>, tensor<8x64xf32> -> tensor<512x64xf32>
  %e = mlc_tensor.exp %d : tensor<512x64xf32>
  %t = mlc_tensor.permute %g [1, 0] : tensor<512x8xf32> -> tensor<8x512xf32>
  %dw = mlc_tensor.matmul %t, %h : tensor<8x512xf32>, tensor<512x64xf32> -> tensor<8x64xf32>
  func.return %e, %dw : tensor<512x64xf32>, tensor<8x64xf32>
}

// Not where others keep the activation: it is not donated, or it is a result, or something reads it later.
// CHECK-LABEL: func.func @keeps_borrowed(
// CHECK-NEXT:    %d = mlc_tensor.exp
// CHECK-NEXT:    %e = mlc_tensor.exp
// CHECK-NEXT:    %s = mlc_tensor.reduce
func.func @keeps_borrowed(%g: tensor<512x64xf32>, %h: tensor<512x64xf32>) -> (tensor<512x64xf32>, tensor<512x1xf32>) {
  %d = mlc_tensor.exp %g : tensor<512x64xf32>
  %e = mlc_tensor.exp %d : tensor<512x64xf32>
  %s = mlc_tensor.reduce add %h dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  func.return %e, %s : tensor<512x64xf32>, tensor<512x1xf32>
}
// CHECK-LABEL: func.func @keeps_results(
// CHECK-NEXT:    %h = mlc_tensor.tanh
// CHECK-NEXT:    %d = mlc_tensor.exp
// CHECK-NEXT:    %s = mlc_tensor.reduce
func.func @keeps_results(%g: tensor<512x64xf32>) -> (tensor<512x64xf32>, tensor<512x1xf32>, tensor<512x64xf32>) {
  %h = mlc_tensor.tanh %g : tensor<512x64xf32>
  %d = mlc_tensor.exp %g : tensor<512x64xf32>
  %s = mlc_tensor.reduce add %h dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  func.return %d, %s, %h : tensor<512x64xf32>, tensor<512x1xf32>, tensor<512x64xf32>
}
// CHECK-LABEL: func.func @keeps_read_later(
// CHECK-NEXT:    %d = mlc_tensor.exp
// CHECK-NEXT:    %s = mlc_tensor.reduce
// CHECK-NEXT:    %e = mlc_tensor.add
func.func @keeps_read_later(%g: tensor<512x64xf32>, %h: tensor<512x64xf32> {mlc.donated}) -> (tensor<512x64xf32>, tensor<512x1xf32>) {
  %d = mlc_tensor.exp %g : tensor<512x64xf32>
  %s = mlc_tensor.reduce add %h dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  %e = mlc_tensor.add %d, %h : tensor<512x64xf32>
  func.return %e, %s : tensor<512x64xf32>, tensor<512x1xf32>
}

// Behind the other reader of what it frees, as only then it is free.
// CHECK-LABEL: func.func @behind_another_reader(
// CHECK-NEXT:    %u = mlc_tensor.reduce max
// CHECK-NEXT:    %s = mlc_tensor.reduce add
// CHECK-NEXT:    %d = mlc_tensor.exp
// CHECK-NEXT:    %e = mlc_tensor.tanh
func.func @behind_another_reader(%g: tensor<512x64xf32>, %h: tensor<512x64xf32> {mlc.donated}) -> (tensor<512x64xf32>, tensor<512x1xf32>, tensor<512x1xf32>) {
  %u = mlc_tensor.reduce max %h dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  %d = mlc_tensor.exp %g : tensor<512x64xf32>
  %e = mlc_tensor.tanh %d : tensor<512x64xf32>
  %s = mlc_tensor.reduce add %h dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  func.return %e, %s, %u : tensor<512x64xf32>, tensor<512x1xf32>, tensor<512x1xf32>
}

// Not past a call that writes memory.
// CHECK-LABEL: func.func @keeps_behind_writes(
// CHECK-NEXT:    %w = mlc_tensor.extern "aten.add_.Tensor"
// CHECK-NEXT:    %s = mlc_tensor.reduce
// CHECK-NEXT:    %d = mlc_tensor.exp
// CHECK-NEXT:    %e = mlc_tensor.tanh
func.func @keeps_behind_writes(%g: tensor<512x64xf32>, %h: tensor<512x64xf32> {mlc.donated}, %o: tensor<8xf32>) -> (tensor<512x64xf32>, tensor<512x1xf32>) {
  %w = mlc_tensor.extern "aten.add_.Tensor"(%o, %o) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">] impure : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>)
  %d = mlc_tensor.exp %g : tensor<512x64xf32>
  %e = mlc_tensor.tanh %d : tensor<512x64xf32>
  %s = mlc_tensor.reduce add %h dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  func.return %e, %s : tensor<512x64xf32>, tensor<512x1xf32>
}

// All stays where the peak is elsewhere.
// CHECK-LABEL: func.func @keeps_where_it_does_not_help(
// CHECK-NEXT:    %d = mlc_tensor.exp %g
// CHECK-NEXT:    %s = mlc_tensor.reduce add %h
// CHECK-NEXT:    %a = mlc_tensor.exp %x
// CHECK-NEXT:    %b = mlc_tensor.tanh %a
func.func @keeps_where_it_does_not_help(%x: tensor<4096x64xf32> {mlc.donated}, %g: tensor<8xf32>, %h: tensor<8x4xf32> {mlc.donated}) -> (tensor<4096x64xf32>, tensor<8xf32>, tensor<8x1xf32>) {
  %d = mlc_tensor.exp %g : tensor<8xf32>
  %s = mlc_tensor.reduce add %h dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %a = mlc_tensor.exp %x : tensor<4096x64xf32>
  %b = mlc_tensor.tanh %a : tensor<4096x64xf32>
  func.return %b, %d, %s : tensor<4096x64xf32>, tensor<8xf32>, tensor<8x1xf32>
}
