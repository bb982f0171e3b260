// RUN: mlc-opt %s -p split-loops,dce | filecheck %s

// Rows from %p * 64 on see keys up to their own: up to %middle all do, and the loop compares nothing there.
// CHECK-LABEL: mlc_triton.kernel @causal(
// CHECK:         %end = arith.minsi
// CHECK:         %[[END:.*]] = mlc_triton.index [%end] : (i32) -> i32
// CHECK:         mlc_triton.index [%p * 64 + 1] : (i32) -> i32
// CHECK:         %behind = arith.minsi
// CHECK:         %acc = "mlc_triton.for"(%zeros, %behind, %{{.*}}) <{extent = "d0", step = 32 : i64, stages = 2 : i64
// CHECK-NOT:       mlc_triton.where
// CHECK:         %acc_1 = "mlc_triton.for"(%acc, %[[END]], %behind) <{extent = "d0", step = 32 : i64, stages = 2 : i64
// CHECK:           mlc_triton.where %later
mlc_triton.kernel @causal(%x: !mlc_triton.ptr<f16>, %o: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<64x1xi32>
  %c = mlc_triton.arange : tensor<1x32xi32>
  %k = mlc_triton.arange : tensor<32x1xi32>
  %one = mlc_triton.full 1.0 : f16 : tensor<64x32xf16>
  %hidden = mlc_triton.full 0.0 : f32 : tensor<64x32xf32>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<64x32xf32>
  %all = mlc_triton.full 512 : i32 : i32
  %i = mlc_triton.index [%p * 64 + %r] : (i32, tensor<64x1xi32>) -> tensor<64x1xi32>
  %i_1 = mlc_triton.broadcast %i : tensor<64x1xi32> -> tensor<64x32xi32>
  %seen = mlc_triton.index [%p * 64 + 64] : (i32) -> i32
  %end = arith.minsi %seen, %all : i32
  %acc = "mlc_triton.for"(%zeros, %end) <{extent = "d0", step = 32 : i64, stages = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%start: i32, %sum: tensor<64x32xf32>):
    %j = mlc_triton.index [%start + %c] : (i32, tensor<1x32xi32>) -> tensor<1x32xi32>
    %j_1 = mlc_triton.broadcast %j : tensor<1x32xi32> -> tensor<64x32xi32>
    %later = mlc_triton.cmp "lt" %i_1, %j_1 : tensor<64x32xi32>, tensor<64x32xi32> -> tensor<64x32xi1>
    %block = mlc_triton.load %x[%start * 32 + %k * 32 + %c] : (!mlc_triton.ptr<f16>, i32, tensor<32x1xi32>, tensor<1x32xi32>) -> tensor<32x32xf16>
    %product = mlc_triton.dot "ieee" %one, %block, %zeros : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32> -> tensor<64x32xf32>
    %visible = mlc_triton.where %later, %hidden, %product : tensor<64x32xi1>, tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
    %more = arith.addf %sum, %visible : tensor<64x32xf32>
    mlc_triton.yield %more : tensor<64x32xf32>
  }) : (tensor<64x32xf32>, i32) -> tensor<64x32xf32>
  mlc_triton.store %o[%i * 32 + %c] = %acc : (!mlc_triton.ptr<f32>, tensor<64x32xf32>, tensor<64x1xi32>, tensor<1x32xi32>)
}

// A window has two ends, and another condition stays: three loops, of which the middle has that condition alone.
// CHECK-LABEL: mlc_triton.kernel @window(
// CHECK:         %middle = arith.minsi
// CHECK:         %behind = arith.minsi
// CHECK:         "mlc_triton.for"(%zeros, %middle
// CHECK:           arith.ori
// CHECK:         "mlc_triton.for"(%{{.*}}, %{{.*}}, %middle)
// CHECK-NOT:       arith.ori
// CHECK:           mlc_triton.where %drop
// CHECK:         "mlc_triton.for"(
// CHECK:           arith.ori
mlc_triton.kernel @window(%x: !mlc_triton.ptr<f16>, %y: !mlc_triton.ptr<i1>, %o: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<32x1xi32>
  %c = mlc_triton.arange : tensor<1x32xi32>
  %one = mlc_triton.full 1.0 : f16 : tensor<32x32xf16>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<32x32xf32>
  %none = mlc_triton.full 0 : i64 : tensor<32x32xi64>
  %long = mlc_triton.full 100 : i64 : tensor<32x32xi64>
  %i = mlc_triton.index [%p * 32 + %r] : (i32, tensor<32x1xi32>) -> tensor<32x1xi32>
  %i_1 = mlc_triton.cast %i : tensor<32x1xi32> -> tensor<32x1xi64>
  %i_2 = mlc_triton.broadcast %i_1 : tensor<32x1xi64> -> tensor<32x32xi64>
  %all = mlc_triton.full 512 : i32 : i32
  %acc = "mlc_triton.for"(%zeros, %all) <{extent = "d0", step = 32 : i64, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%start: i32, %sum: tensor<32x32xf32>):
    %j = mlc_triton.index [%start + %c] : (i32, tensor<1x32xi32>) -> tensor<1x32xi32>
    %j_1 = mlc_triton.cast %j : tensor<1x32xi32> -> tensor<1x32xi64>
    %j_2 = mlc_triton.broadcast %j_1 : tensor<1x32xi64> -> tensor<32x32xi64>
    %behind_0 = arith.subi %i_2, %j_2 : tensor<32x32xi64>
    %late = mlc_triton.cmp "lt" %behind_0, %none : tensor<32x32xi64>, tensor<32x32xi64> -> tensor<32x32xi1>
    %early = mlc_triton.cmp "ge" %behind_0, %long : tensor<32x32xi64>, tensor<32x32xi64> -> tensor<32x32xi1>
    %both = arith.ori %late, %early : tensor<32x32xi1>
    %drop = mlc_triton.load %y[%start + %c] : (!mlc_triton.ptr<i1>, i32, tensor<1x32xi32>) -> tensor<32x32xi1>
    %any = arith.ori %both, %drop : tensor<32x32xi1>
    %block = mlc_triton.load %x[%r * 32 + %j] : (!mlc_triton.ptr<f16>, tensor<32x1xi32>, tensor<1x32xi32>) -> tensor<32x32xf16>
    %product = mlc_triton.dot "ieee" %one, %block, %zeros : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32> -> tensor<32x32xf32>
    %visible = mlc_triton.where %any, %zeros, %product : tensor<32x32xi1>, tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %more = arith.addf %sum, %visible : tensor<32x32xf32>
    mlc_triton.yield %more : tensor<32x32xf32>
  }) : (tensor<32x32xf32>, i32) -> tensor<32x32xf32>
  mlc_triton.store %o[%i * 32 + %c] = %acc : (!mlc_triton.ptr<f32>, tensor<32x32xf32>, tensor<32x1xi32>, tensor<1x32xi32>)
}

// Not cut: a condition that selects between two computed values, one of numbers from memory, a loop without products.
// CHECK-LABEL: mlc_triton.kernel @whole(
// CHECK-COUNT-2: "mlc_triton.for"(
// CHECK-NOT:     "mlc_triton.for"(
mlc_triton.kernel @whole(%x: !mlc_triton.ptr<f16>, %y: !mlc_triton.ptr<i32>, %o: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<32x1xi32>
  %c = mlc_triton.arange : tensor<1x32xi32>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<32x32xf32>
  %i = mlc_triton.index [%p * 32 + %r] : (i32, tensor<32x1xi32>) -> tensor<32x1xi32>
  %i_1 = mlc_triton.broadcast %i : tensor<32x1xi32> -> tensor<32x32xi32>
  %length = mlc_triton.load %y[%i] : (!mlc_triton.ptr<i32>, tensor<32x1xi32>) -> tensor<32x1xi32>
  %length_1 = mlc_triton.broadcast %length : tensor<32x1xi32> -> tensor<32x32xi32>
  %all = mlc_triton.full 512 : i32 : i32
  %acc = "mlc_triton.for"(%zeros, %all) <{extent = "d0", step = 32 : i64, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%start: i32, %sum: tensor<32x32xf32>):
    %j = mlc_triton.index [%start + %c] : (i32, tensor<1x32xi32>) -> tensor<1x32xi32>
    %j_1 = mlc_triton.broadcast %j : tensor<1x32xi32> -> tensor<32x32xi32>
    %later = mlc_triton.cmp "lt" %i_1, %j_1 : tensor<32x32xi32>, tensor<32x32xi32> -> tensor<32x32xi1>
    %beyond = mlc_triton.cmp "le" %length_1, %j_1 : tensor<32x32xi32>, tensor<32x32xi32> -> tensor<32x32xi1>
    %block = mlc_triton.load %x[%r * 32 + %j] : (!mlc_triton.ptr<f16>, tensor<32x1xi32>, tensor<1x32xi32>) -> tensor<32x32xf16>
    %product = mlc_triton.dot "ieee" %block, %block, %zeros : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32> -> tensor<32x32xf32>
    %either = mlc_triton.where %later, %sum, %product : tensor<32x32xi1>, tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %visible = mlc_triton.where %beyond, %zeros, %either : tensor<32x32xi1>, tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %more = arith.addf %sum, %visible : tensor<32x32xf32>
    mlc_triton.yield %more : tensor<32x32xf32>
  }) : (tensor<32x32xf32>, i32) -> tensor<32x32xf32>
  %no_product = "mlc_triton.for"(%acc, %all) <{extent = "d0", step = 32 : i64, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%start: i32, %sum: tensor<32x32xf32>):
    %j = mlc_triton.index [%start + %c] : (i32, tensor<1x32xi32>) -> tensor<1x32xi32>
    %j_1 = mlc_triton.broadcast %j : tensor<1x32xi32> -> tensor<32x32xi32>
    %later = mlc_triton.cmp "lt" %i_1, %j_1 : tensor<32x32xi32>, tensor<32x32xi32> -> tensor<32x32xi1>
    %visible = mlc_triton.where %later, %zeros, %sum : tensor<32x32xi1>, tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    mlc_triton.yield %visible : tensor<32x32xf32>
  }) : (tensor<32x32xf32>, i32) -> tensor<32x32xf32>
  mlc_triton.store %o[%i * 32 + %c] = %no_product : (!mlc_triton.ptr<f32>, tensor<32x32xf32>, tensor<32x1xi32>, tensor<1x32xi32>)
}
