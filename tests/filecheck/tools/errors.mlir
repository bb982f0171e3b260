// RUN: not mlc-opt %S/inputs/unknown-op.mlir.in 2>&1 | filecheck %s --check-prefix=OP
// RUN: not mlc-opt %S/inputs/undefined.mlir.in 2>&1 | filecheck %s --check-prefix=UNDEFINED
// RUN: not mlc-opt %S/inputs/dominance.mlir.in 2>&1 | filecheck %s --check-prefix=DOMINANCE
// RUN: not mlc-opt %S/inputs/negative-size.mlir.in 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: not mlc-opt %s -p canonicalise 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not mlc-opt %s -p 'licm{depth=2}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not mlc-opt %s -p 'licm,,' 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: not mlc-opt %s -t tritn 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not mlc-opt %S/inputs/absent.mlir 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not mlc-opt %s --fast 2>&1 | filecheck %s --check-prefix=FLAG

// OP:      error: unknown operation `arith.adf` in dialect `arith`
// OP-NEXT:   --> {{.*}}unknown-op.mlir.in:2:8
// OP-NEXT:    |   %y = arith.adf %x, %x : f32
// OP-NEXT:    |        ^^^^^^^^^
// OP-NEXT:   did you mean `arith.addf`?

// UNDEFINED:      error: %z is used but never defined
// UNDEFINED-NEXT:   --> {{.*}}undefined.mlir.in:2:23

// DOMINANCE:      error: arith.addf: %z is used before its definition
// DOMINANCE-NEXT:   --> {{.*}}dominance.mlir.in:2:3  %y = arith.addf %x, %z : f32
// DOMINANCE-NEXT:   it is defined by arith.mulf at {{.*}}dominance.mlir.in:3:3

// SIZE:      error: negative dimension
// SIZE-NEXT:   --> {{.*}}negative-size.mlir.in:1:25

// PASS:      error: unknown pass `canonicalise`
// PASS-NEXT:   did you mean `canonicalize`?

// OPTION:      error: pass `licm` has no option `depth`

// PIPELINE:      error: expected pass name here
// PIPELINE-NEXT:   --> -p:6

// TARGET:      error: unknown target `tritn`
// TARGET-NEXT:   did you mean `triton`?

// FILE: error: no such file or directory: {{.*}}absent.mlir

// FLAG: error: unrecognized arguments: --fast

func.func @fine() {
  func.return
}
