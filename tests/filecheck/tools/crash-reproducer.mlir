// RUN: not mlc-opt %s -p 'canonicalize{} , tensor-to-loop,loop-to-triton,cse' --crash-reproducer %t.mlir 2>&1 | filecheck %s --check-prefix=NOTE
// RUN: cat %t.mlir | filecheck %s
// RUN: not mlc-opt %t.mlir -p canonicalize,tensor-to-loop,loop-to-triton 2>&1 | filecheck %s --check-prefix=REPLAYED
// RUN: mlc-opt %s -p canonicalize --crash-reproducer %t.none
// RUN: not cat %t.none

// NOTE:      note: {{.*}}.mlir replays the failure of loop-to-triton
// NOTE-NEXT: error: loop-to-triton: kernel

// The file has what failed, the versions, the command that replays it, and the module before the first pass.
// CHECK:      // pass `loop-to-triton` fails
// CHECK-NEXT: // error: loop-to-triton: kernel [[KERNEL:[a-z_0-9]+]] has no schedule
// CHECK:      // with mlc {{.*}}, xdsl {{.*}}, Python 3
// CHECK:      // replay:
// CHECK-NEXT: // mlc-opt {{.*}}.mlir -p canonicalize,tensor-to-loop,loop-to-triton
// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(
// CHECK-NEXT:     mlc_tensor.neg
// CHECK-NEXT:     mlc_tensor.neg

// REPLAYED: error: loop-to-triton: kernel {{.*}} has no schedule

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %n = mlc_tensor.neg %x : tensor<8xf32>
  %m = mlc_tensor.neg %n : tensor<8xf32>
  %s = mlc_tensor.sin %m : tensor<8xf32>
  func.return %s : tensor<8xf32>
}
