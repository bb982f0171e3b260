// RUN: mlc-opt %s -p 'builtin.module( simplify , fuse{ policy=none } )' | filecheck %s
// RUN: mlc-opt %s -p 'simplify ,fuse{policy=none}' | filecheck %s
// RUN: mlc-opt %s -p simplified | filecheck %s --check-prefix=SIMPLIFIED
// RUN: mlc-opt %s -p fused | filecheck %s --check-prefix=FUSED
// RUN: mlc-opt %s -p simplified,fused | filecheck %s --check-prefix=FUSED
// RUN: mlc-opt %s -p 'fused{policy=none}' | filecheck %s --check-prefix=ALONE
// RUN: mlc-opt %s -p loop | filecheck %s --check-prefix=LOOP
// RUN: mlc-opt %s -p triton -t triton | filecheck %s --check-prefix=SOURCE
// RUN: not mlc-opt %s -p fused,simplified 2>&1 | filecheck %s --check-prefix=BACK
// RUN: not mlc-opt %s -p 'loop{policies=none}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not mlc-opt %s -p 'builtin.module(func.func(cse))' 2>&1 | filecheck %s --check-prefix=NESTED

// RUN: not mlc-opt %s -p 'fuse{policy=none max-depth=deep}' 2>&1 | filecheck %s --check-prefix=VALUE
// RUN: not mlc-opt %s -p 'fuse{max-dept=1}' 2>&1 | filecheck %s --check-prefix=NEAREST

// VALUE:      error: pass `fuse`: `max-depth` is of type int, found deep
// VALUE-NEXT:   options: policy (str), {{.*}}, max-depth (int)

// NEAREST:      error: pass `fuse` has no option `max-dept`
// NEAREST-NEXT:   did you mean `max-depth`?

// Blanks and MLIR's `builtin.module(...)` are read.
// CHECK-LABEL: func.func @twice(
// CHECK:         mlc_tensor.fusion {{.*}} why "a single op"
// CHECK-NOT:     mlc_tensor.neg
// CHECK:         func.return

// A stage of the compiler stands for its passes, and those of the stages before it.
// SIMPLIFIED-LABEL: func.func @twice(
// SIMPLIFIED-NOT:     mlc_tensor.neg
// SIMPLIFIED-NOT:     mlc_tensor.fusion
// SIMPLIFIED:         func.return

// FUSED-LABEL: func.func @twice(
// FUSED-NEXT:    mlc_tensor.fusion {{.*}} kind "pointwise" why "saves
// FUSED-NOT:     mlc_tensor.fusion
// FUSED:         func.return

// ALONE-COUNT-2: mlc_tensor.fusion

// LOOP: mlc_loop.kernel @{{.*}} warps {{[0-9]+}}

// SOURCE:      @triton.jit
// SOURCE-NEXT: def

// BACK:      error: stage `simplified` comes again, or too late
// BACK-NEXT:   it is the first

// OPTION:      error: stage `loop` has no option `policies`
// OPTION-NEXT:   did you mean `policy`?

// NESTED:      error: nested pipeline in -p: func.func(cse)
// NESTED-NEXT:   passes run on the whole module: builtin.module(a,b)

func.func @twice(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = mlc_tensor.exp %x : tensor<64x128xf32>
  %n = mlc_tensor.neg %e : tensor<64x128xf32>
  %m = mlc_tensor.neg %n : tensor<64x128xf32>
  %s = mlc_tensor.sin %m : tensor<64x128xf32>
  func.return %s : tensor<64x128xf32>
}
