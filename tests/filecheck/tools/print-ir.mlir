// RUN: mlc-opt %s -p canonicalize,dce,simplify --print-ir-before=dce --print-ir-after=simplify 2>&1 | filecheck %s
// RUN: mlc-opt %s -p canonicalize,dce --print-ir-before 2>&1 | filecheck %s --check-prefix=EACH
// RUN: mlc-opt %s -p canonicalize,dce,simplify --print-ir-after-change 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: mlc-opt %s -p canonicalize --print-ir-after-change | filecheck %s --check-prefix=OUT
// RUN: not mlc-opt %s -p canonicalize --print-ir-after=dce 2>&1 | filecheck %s --check-prefix=ABSENT
// RUN: not mlc-opt %s -p cse,loop-to-triton,tensor-to-loop,loop-to-triton --print-ir-after-failure 2>&1 \
// RUN:   | filecheck %s --check-prefix=FAILURE

// Those that are named, and no others.
// CHECK-NOT:  IR before canonicalize
// CHECK-NOT:  IR after canonicalize
// CHECK:      // -----// IR before dce //----- //
// CHECK-NEXT: builtin.module {
// CHECK-NOT:  IR after dce
// CHECK:      // -----// IR after simplify //----- //
// CHECK:      builtin.module {
// CHECK:      builtin.module {

// EACH: IR before canonicalize
// EACH: IR before dce

// A pass that changes nothing says nothing, and a pipe has no colours.
// CHANGE:      {{^}}// -----// IR changed by canonicalize //----- //
// CHANGE-NEXT: {{^}}@@ -1,8 +1,6 @@
// CHANGE:      {{^}}-    %n = mlc_tensor.neg %x : tensor<8xf32>
// CHANGE-NEXT: {{^}}-    %m = mlc_tensor.neg %n : tensor<8xf32>
// CHANGE-NEXT: {{^}}-    %s = mlc_tensor.sin %m : tensor<8xf32>
// CHANGE-NEXT: {{^}}+    %s = mlc_tensor.sin %x : tensor<8xf32>
// CHANGE-NEXT: {{^}}     func.return %s : tensor<8xf32>
// CHANGE-NOT:  IR changed by dce
// CHANGE-NOT:  IR changed by simplify
// CHANGE:      builtin.module {

// Stdout holds the result alone.
// OUT-NOT: IR changed
// OUT:     builtin.module {
// OUT-NOT: IR changed

// ABSENT:      error: --print-ir-after=dce: no such pass in this pipeline
// ABSENT-NEXT:   it names passes of -p

// FAILURE-NOT: IR after cse
// FAILURE:     // -----// IR after loop-to-triton failed //----- //
// FAILURE:       mlc_loop.kernel @
// FAILURE:     error: loop-to-triton: kernel {{.*}} has no schedule

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %n = mlc_tensor.neg %x : tensor<8xf32>
  %m = mlc_tensor.neg %n : tensor<8xf32>
  %s = mlc_tensor.sin %m : tensor<8xf32>
  func.return %s : tensor<8xf32>
}
