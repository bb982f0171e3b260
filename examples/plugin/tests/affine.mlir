// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s -p expand-affine | filecheck %s --check-prefix=EXPAND
// RUN: mlc-opt %s -p 'expand-affine{fma=true}' | filecheck %s --check-prefix=FMA
// RUN: mlc-opt %s -p 'simplify{extra-rules=affine}' | filecheck %s --check-prefix=EXACT
// RUN: mlc-opt %s -p 'simplify{extra-rules=affine fast-math=true}' | filecheck %s --check-prefix=FAST
// RUN: mlc-opt %s -p 'expand-affine,fuse{policy=pairs}' | filecheck %s --check-prefix=PAIRS
// RUN: mlc-opt %s -p 'expand-affine,triton{policy=pairs}' -t triton | filecheck %s --check-prefix=KERNELS
// RUN: mlc-opt %s -t dot | filecheck %s --check-prefix=DOT

// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %y = example.affine %x {scale = 2.000000e+00 : f32, shift = 1.000000e+00 : f32} : tensor<8xf32>

// EXPAND-LABEL: func.func @twice(
// EXPAND:         mlc_tensor.mul %x,
// EXPAND:         mlc_tensor.add
// EXPAND:         mlc_tensor.mul
// EXPAND:         mlc_tensor.add
// EXPAND-NOT:     example.

// FMA-LABEL: func.func @twice(
// FMA-COUNT-2: mlc_tensor.fma

// What rounds otherwise needs fast-math.
// EXACT-LABEL: func.func @twice(
// EXACT-COUNT-2: example.affine
// EXACT-LABEL: func.func @identity(
// EXACT-NEXT:    func.return %x
// EXACT-LABEL: func.func @no_identity(
// EXACT-NEXT:    example.affine

// FAST-LABEL: func.func @twice(
// FAST-NEXT:    example.affine %x {scale = 6.000000e+00 : f32, shift = 3.500000e+00 : f32}
// FAST-NEXT:    func.return

// PAIRS-LABEL: func.func @twice(
// PAIRS:         mlc_tensor.fusion
// PAIRS:           mlc_tensor.mul
// PAIRS:           mlc_tensor.add
// PAIRS-NEXT:      mlc_tensor.yield
// PAIRS:         mlc_tensor.fusion
// PAIRS:           mlc_tensor.mul
// PAIRS:           mlc_tensor.add
// PAIRS-NEXT:      mlc_tensor.yield
// PAIRS-NOT:     mlc_tensor.fusion
// PAIRS:         func.return

// KERNELS: @triton.jit

// DOT:      digraph "twice" {
// DOT-NEXT:   0 [label="example.affine"]
// DOT-NEXT:   1 [label="example.affine"]
// DOT-NEXT:   0 -> 1
// DOT-NEXT:   2 [label="func.return"]
// DOT-NEXT:   1 -> 2
// DOT-NEXT: }

func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = example.affine %x {scale = 2.0 : f32, shift = 1.0 : f32} : tensor<8xf32>
  %z = example.affine %y {scale = 3.0 : f32, shift = 0.5 : f32} : tensor<8xf32>
  func.return %z : tensor<8xf32>
}

func.func @identity(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = example.affine %x {scale = 1.0 : f32, shift = -0.0 : f32} : tensor<8xf32>
  func.return %y : tensor<8xf32>
}

func.func @no_identity(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = example.affine %x {scale = 1.0 : f32, shift = 0.0 : f32} : tensor<8xf32>
  func.return %y : tensor<8xf32>
}
