// RUN: mlc-opt %s --split-input-file | filecheck %s
// RUN: mlc-opt %s --split-input-file --verify-diagnostics | filecheck %s
// RUN: not mlc-opt %S/inputs/second-chunk-fails.mlir.in --split-input-file -o %t.out 2>&1 | filecheck %s --check-prefix=BAD
// RUN: not cat %t.out
// RUN: not mlc-opt %S/inputs/second-chunk-fails.mlir.in --split-input-file 2>&1 | filecheck %s --check-prefix=ALL

// CHECK-LABEL: @one
func.func @one() {
  func.return
}

// -----

// CHECK: // -----
// CHECK-LABEL: @two
func.func @two() {
  func.return
}

// Lines are counted over the whole file, and no file is written if any chunk fails.
// BAD-NOT:  @one
// BAD:      error: func.return: {{.*}}expected [f32], got [f64]
// BAD-NEXT:   --> {{.*}}second-chunk-fails.mlir.in:8:3  func.return %x : f64

// A bad chunk stops no other.
// ALL:      @one
// ALL:      // -----
// ALL-NEXT: error: func.return
// ALL:      // -----
// ALL:      @three
