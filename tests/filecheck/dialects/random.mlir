// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s
// RUN: not mlc-opt %s -p cse --split-input-file 2>&1 | filecheck %s --check-prefix=CSE
// RUN: not mlc-opt %s -p fuse,tensor-to-loop --split-input-file 2>&1 | filecheck %s --check-prefix=LOOP

// Equal seeds, words and shapes are equal numbers; another seed or word is another draw.
// CHECK-LABEL: func.func @draws(
// CHECK-NEXT:    %a = mlc_tensor.random %seeds[0] word 0 : tensor<2xi64> -> tensor<4x8xi32>
// CSE-LABEL:   func.func @draws(
// CSE-COUNT-3:   mlc_tensor.random
// CSE-NOT:       mlc_tensor.random
// CSE:           func.return
// LOOP-LABEL:  mlc_loop.kernel @xor(
// LOOP-DAG:      mlc_loop.load %seeds[0]
// LOOP-DAG:      mlc_loop.load %seeds[1]
// LOOP:          mlc_loop.random %{{.*}}, %{{.*}} word 0
// LOOP-NOT:      mlc_loop.kernel
// LOOP:          func.func
func.func @draws(%seeds: tensor<2xi64>) -> tensor<4x8xi32> {
  %a = mlc_tensor.random %seeds[0] word 0 : tensor<2xi64> -> tensor<4x8xi32>
  %b = mlc_tensor.random %seeds[0] word 0 : tensor<2xi64> -> tensor<4x8xi32>
  %c = mlc_tensor.random %seeds[0] word 1 : tensor<2xi64> -> tensor<4x8xi32>
  %d = mlc_tensor.random %seeds[1] word 0 : tensor<2xi64> -> tensor<4x8xi32>
  %x = mlc_tensor.xor %a, %b : tensor<4x8xi32>
  %y = mlc_tensor.xor %x, %c : tensor<4x8xi32>
  %z = mlc_tensor.xor %y, %d : tensor<4x8xi32>
  func.return %z : tensor<4x8xi32>
}

// -----

// A view of random numbers is the numbers of the places it looks at.
// LOOP-LABEL: mlc_loop.kernel @neg(
// LOOP:         %[[P:.*]] = mlc_loop.index [%i + %j * 8] : i64
// LOOP-NEXT:    mlc_loop.random %{{.*}}, %[[P]] word 0
func.func @turned(%seeds: tensor<1xi64>) -> tensor<8x4xi32> {
  %a = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<4x8xi32>
  %t = mlc_tensor.permute %a [1, 0] : tensor<4x8xi32> -> tensor<8x4xi32>
  %n = mlc_tensor.neg %t : tensor<8x4xi32>
  func.return %n : tensor<8x4xi32>
}

// -----

// CHECK: mlc_tensor.random: names seed 2 of 2
func.func @f(%seeds: tensor<2xi64>) {
  %a = mlc_tensor.random %seeds[2] word 0 : tensor<2xi64> -> tensor<4xi32>
  func.return
}

// -----

// CHECK: mlc_tensor.random: a place has 4 words; there is no word 4
func.func @f(%seeds: tensor<2xi64>) {
  %a = mlc_tensor.random %seeds[0] word 4 : tensor<2xi64> -> tensor<4xi32>
  func.return
}

// -----

// CHECK: mlc_tensor.random: gives i32, not tensor<4xf32>: distributions are formulas of the bits
func.func @f(%seeds: tensor<2xi64>) {
  %a = mlc_tensor.random %seeds[0] word 0 : tensor<2xi64> -> tensor<4xf32>
  func.return
}

// -----

// CHECK: mlc_tensor.random: takes a vector of i64 seeds, not tensor<2xi32>
func.func @f(%seeds: tensor<2xi32>) {
  %a = mlc_tensor.random %seeds[0] word 0 : tensor<2xi32> -> tensor<4xi32>
  func.return
}
