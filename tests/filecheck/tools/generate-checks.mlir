// RUN: mlc-opt %s -p simplify --split-input-file --generate-checks -o %t.mlir && cat %t.mlir | filecheck %s
// RUN: mlc-opt %t.mlir -p simplify --split-input-file | filecheck %t.mlir
// RUN: mlc-opt %t.mlir -p fuse --split-input-file > %t.fused && not filecheck %t.mlir --input-file %t.fused
// RUN: mlc-opt %t.mlir -p simplify --split-input-file --generate-checks | filecheck %s
// RUN: not mlc-opt %s --generate-checks -t triton 2>&1 | filecheck %s --check-prefix=TARGET

// The checks stand above each function and name its values, and other comments stay; done twice it gives the same.
// CHECK:      {{^}}// {{RUN}}: mlc-opt %s -p simplify --split-input-file | filecheck %s
// CHECK:      {{^}}// Twice something.
// CHECK-NEXT: {{^}}// CHECK-LABEL: func.func @f(
// CHECK-NEXT: {{^}}// CHECK-SAME:    %{{\[\[}}X:[A-Za-z0-9_]+{{\]\]}}: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: {{^}}// CHECK-NEXT:    %{{\[\[}}[[S:[A-Z0-9_]+]]:[A-Za-z0-9_]+{{\]\]}} = mlc_tensor.constant 2.000000e+00 : tensor<8xf32>
// CHECK-NEXT: {{^}}// CHECK-NEXT:    %{{\[\[}}[[P:[A-Z0-9_]+]]:[A-Za-z0-9_]+{{\]\]}} = mlc_tensor.mul %{{\[\[}}X{{\]\]}}, %{{\[\[}}[[S]]{{\]\]}} : tensor<8xf32>
// CHECK-NEXT: {{^}}// CHECK-NEXT:    func.return %{{\[\[}}[[P]]{{\]\]}} : tensor<8xf32>
// CHECK-NEXT: {{^}}// CHECK-NEXT:  }
// CHECK-NEXT: {{^}}func.func @f(
// CHECK-NOT:  COUNT
// CHECK:      {{^}}// -----
// CHECK:      {{^}}// CHECK-LABEL: func.func @g(

// TARGET: error: --generate-checks pins IR, not what the target triton makes of it

// Twice something.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %s = mlc_tensor.add %x, %x : tensor<8xf32>
  func.return %s : tensor<8xf32>
}

// -----

// CHECK-COUNT-1: func.func @g(
func.func @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  %n = mlc_tensor.neg %x : tensor<8xf32>
  func.return %n : tensor<8xf32>
}
