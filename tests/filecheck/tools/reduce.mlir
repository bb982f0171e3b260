// RUN: mlc-opt %s --reduce '! grep -q mlc_tensor.exp %%s' -o %t.mlir 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: cat %t.mlir | filecheck %s
// RUN: mlc-opt %s --reduce '! grep -q mlc_tensor.exp' 2>&1 | filecheck %s
// RUN: not mlc-opt %s --reduce 'grep -q mlc_tensor.exp' 2>&1 | filecheck %s --check-prefix=WELL
// RUN: not mlc-opt %s --reduce 'no-such-command-at-all' 2>&1 | filecheck %s --check-prefix=COMMAND
// RUN: not mlc-opt %s -p cse --reduce 'true' 2>&1 | filecheck %s --check-prefix=PASSES

// What is left is one function with one op. Its file is what replaces %%s, or the last argument.
// COUNT: reduce: 9 ops -> 3 ops in {{[0-9]+}} runs

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @{{[fg]}}(%[[X:[a-z]+]]: tensor<8xf32>) {
// CHECK-NEXT:     %{{.*}} = mlc_tensor.exp %[[X]] : tensor<8xf32>
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// WELL:      error: the command succeeds on the input: grep -q mlc_tensor.exp
// WELL-NEXT:   there is nothing to reduce

// COMMAND: error: the command cannot be run: no-such-command-at-all

// PASSES:      error: --reduce runs no passes itself
// PASSES-NEXT:   give them to its command

func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = mlc_tensor.neg %x : tensor<8xf32>
  %m = mlc_tensor.exp %y : tensor<8xf32>
  %s = mlc_tensor.add %m, %n : tensor<8xf32>
  func.return %s, %n : tensor<8xf32>, tensor<8xf32>
}

func.func @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  %n = mlc_tensor.neg %x : tensor<8xf32>
  %m = mlc_tensor.exp %n : tensor<8xf32>
  func.return %m : tensor<8xf32>
}
