// RUN: mlc-opt %s --split-input-file --verify-diagnostics -p cse,tensor-to-loop
// RUN: not mlc-opt %S/inputs/diagnostics.mlir.in --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// Errors are where comments expect them, with that text: of the parser, of a verifier, of a pass without a place.

func.func @parsed(%x: f32) -> f32 {
  // expected-error@+1 {{unknown operation `arith.adf`}}
  %y = arith.adf %x, %x : f32
  func.return %y : f32
}

// -----

func.func @verified(%x: f64) -> f32 {
  func.return %x : f64 // expected-error {{expected [f32], got [f64]}}
}

// -----

func.func @after_a_pass() -> f32 {
  %c = arith.constant 1.0 : f32
  // expected-error@above {{tensor-to-loop: no lowering for arith.constant}}
  func.return %c : f32
}

// -----

// expected-error@unknown {{one kernel cannot compute this group}}
func.func @from_a_model(%x: tensor<8x4xf32>) -> (tensor<8x1xf32>, tensor<1x1xf32>) {
  %s, %t = mlc_tensor.fusion (%a = %x : tensor<8x4xf32>) -> (tensor<8x1xf32>, tensor<1x1xf32>) kind "mine" why "wrong" {
    %u = mlc_tensor.reduce add %a dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
    %v = mlc_tensor.reduce add %a dims [0, 1] : tensor<8x4xf32> -> tensor<1x1xf32>
    mlc_tensor.yield %u, %v : tensor<8x1xf32>, tensor<1x1xf32>
  } loc("model.py":7:1)
  func.return %s, %t : tensor<8x1xf32>, tensor<1x1xf32>
}

// What is not so is an error: another text, another line, no comment, no error. What is well stands in between.
// CHECK:      error: unexpected error: func.return
// CHECK-NEXT:   --> {{.*}}diagnostics.mlir.in:2:3
// CHECK-NEXT: error: expected error was not reported: got [f16]
// CHECK-NEXT:   --> {{.*}}diagnostics.mlir.in:2:27
// CHECK:      error: unexpected error: func.return
// CHECK-NEXT:   --> {{.*}}diagnostics.mlir.in:9:3
// CHECK-NEXT: error: expected error was not reported: got [f64]
// CHECK:      error: unexpected error: func.return
// CHECK-NEXT:   --> {{.*}}diagnostics.mlir.in:15:3
// CHECK:      @well
// CHECK:      error: expected error was not reported: anything

// A comment that asks in another way would be met by anything, and is an error.
// CHECK:      error: this comment expects nothing
// CHECK-NEXT:   --> {{.*}}diagnostics.mlir.in:31:4
// CHECK-NEXT:    | // {{expected}}-remark {{[{][{]}}anything}}
// CHECK-NEXT:    |    ^^^^^^^^^^^^^^^
// CHECK-NEXT:   it reads: // {{expected}}-error@+1 {{[{][{]}}part of the message}}
