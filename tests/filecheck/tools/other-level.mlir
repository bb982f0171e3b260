// RUN: mlc-opt %s -p cse,loop-to-triton,memory-order,simplify 2>&1 | filecheck %s
// RUN: mlc-opt %s -p simplify,tensor-to-loop,memory-order 2>&1 | filecheck %s --check-prefix=SILENT
// RUN: mlc-opt %s -p triton 2>&1 | filecheck %s --check-prefix=SILENT

// A pass that a user names says so where there is nothing of its level. Passes of a stage do not.
// CHECK: note: loop-to-triton, memory-order found no ops of mlc_loop: tensor-to-loop makes them
// CHECK-NOT: note:

// SILENT-NOT: note:
// SILENT: builtin.module

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = mlc_tensor.sin %x : tensor<8xf32>
  func.return %s : tensor<8xf32>
}
