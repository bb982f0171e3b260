// RUN: mlc-opt %s -p sink-repeats,dce --split-input-file | filecheck %s

// Weights of 4 bits: each byte is unpacked once, and its two numbers stand in turns. The steps of the loop are even, so
// that places of the block tell which is which.
// CHECK-LABEL: mlc_triton.kernel @four_bits(
// CHECK:         %w = mlc_triton.load
// CHECK-NEXT:    %c = mlc_triton.cast unsigned %w : tensor<8x32xi8> -> tensor<8x32xi32>
// CHECK:         %[[LOW:.*]] = arith.andi %c, %{{.*}} : tensor<8x32xi32>
// CHECK:         %[[HIGH:.*]] = arith.shrsi %c, %{{.*}} : tensor<8x32xi32>
// CHECK:         %n = mlc_triton.interleave %[[LOW]], %[[HIGH]] axis 1 : i64 : tensor<8x32xi32> -> tensor<8x64xi32>
// CHECK-NOT:     mlc_triton.where
mlc_triton.kernel @four_bits(%x: !mlc_triton.ptr<i8>, %o: !mlc_triton.ptr<i32>) grid [1] sizes [] num_warps 4 {
  %r = mlc_triton.arange : tensor<8x1xi32>
  %k = mlc_triton.arange : tensor<1x64xi32>
  %half = mlc_triton.arange : tensor<1x32xi32>
  %mask = mlc_triton.full 15 : i32 : tensor<8x64xi32>
  %four = mlc_triton.full 4 : i32 : tensor<8x64xi32>
  %one = mlc_triton.full 1 : i32 : tensor<1x64xi32>
  "mlc_triton.for"() <{extent = "4096", step = 64 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%start: i32):
    %w = mlc_triton.load %x[%r * 2048 + (%start floordiv 64) * 32 + %half] : (!mlc_triton.ptr<i8>, tensor<8x1xi32>, i32, tensor<1x32xi32>) -> tensor<8x32xi8>
    %b = mlc_triton.repeat %w axis 1 : i64 : tensor<8x32xi8> -> tensor<8x64xi8>
    %c = mlc_triton.cast unsigned %b : tensor<8x64xi8> -> tensor<8x64xi32>
    %low = arith.andi %c, %mask : tensor<8x64xi32>
    %high = arith.shrsi %c, %four : tensor<8x64xi32>
    %place = mlc_triton.index [(%start + %k) mod 2] : (i32, tensor<1x64xi32>) -> tensor<1x64xi32>
    %even = mlc_triton.cmp "lt" %place, %one : tensor<1x64xi32>, tensor<1x64xi32> -> tensor<1x64xi1>
    %each = mlc_triton.broadcast %even : tensor<1x64xi1> -> tensor<8x64xi1>
    %n = mlc_triton.where %each, %low, %high : tensor<8x64xi1>, tensor<8x64xi32>, tensor<8x64xi32> -> tensor<8x64xi32>
    mlc_triton.store %o[%r * 4096 + %start + %k] = %n : (!mlc_triton.ptr<i32>, tensor<8x64xi32>, tensor<8x1xi32>, i32, tensor<1x64xi32>)
    mlc_triton.yield
  }) : () -> ()
}

// -----

// The other way round, in a block of one dimension, where odd places come first; and a scale that all share.
// CHECK-LABEL: mlc_triton.kernel @odd_first(
// CHECK:         %[[S:.*]] = arith.mulf %w, %{{.*}} : tensor<32xf32>
// CHECK:         %n = mlc_triton.interleave %v, %[[S]] axis 0 : i64 : tensor<32xf32> -> tensor<64xf32>
mlc_triton.kernel @odd_first(%x: !mlc_triton.ptr<f32>, %o: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %k = mlc_triton.arange : tensor<64xi32>
  %half = mlc_triton.arange : tensor<32xi32>
  %zero = mlc_triton.full 0 : i32 : tensor<64xi32>
  %w = mlc_triton.load %x[%half] : (!mlc_triton.ptr<f32>, tensor<32xi32>) -> tensor<32xf32>
  %v = mlc_triton.load %x[%half + 32] : (!mlc_triton.ptr<f32>, tensor<32xi32>) -> tensor<32xf32>
  %p = mlc_triton.program_id 0 : i32
  %f = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %b = mlc_triton.repeat %w axis 0 : i64 : tensor<32xf32> -> tensor<64xf32>
  %c = mlc_triton.repeat %v axis 0 : i64 : tensor<32xf32> -> tensor<64xf32>
  %g = mlc_triton.broadcast %f : f32 -> tensor<64xf32>
  %s = arith.mulf %b, %g : tensor<64xf32>
  %place = mlc_triton.index [%k mod 2] : (tensor<64xi32>) -> tensor<64xi32>
  %odd = mlc_triton.cmp "ne" %place, %zero : tensor<64xi32>, tensor<64xi32> -> tensor<64xi1>
  %n = mlc_triton.where %odd, %s, %c : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  mlc_triton.store %o[%k] = %n : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}

// -----

// It stays where operands are repeated otherwise, or differ between lanes; where a loop may begin at an odd place; where
// each stands four times; and where places do not decide.
// CHECK-LABEL: mlc_triton.kernel @keeps(
// CHECK:         %sum = arith.addi %b, %d : tensor<64xi32>
// CHECK:         %other = arith.addi %b, %k : tensor<64xi32>
// CHECK:         %n = mlc_triton.where %even, %b, %b
// CHECK:         %m = mlc_triton.where %first, %d, %d
// CHECK:         %u = mlc_triton.where %low, %b, %b
mlc_triton.kernel @keeps(%x: !mlc_triton.ptr<i32>, %o: !mlc_triton.ptr<i32>) grid [1] sizes [] num_warps 4 {
  %k = mlc_triton.arange : tensor<64xi32>
  %half = mlc_triton.arange : tensor<32xi32>
  %few = mlc_triton.arange : tensor<16xi32>
  %start = mlc_triton.program_id 0 : i32
  %zero = mlc_triton.full 0 : i32 : tensor<64xi32>
  %ten = mlc_triton.full 10 : i32 : tensor<64xi32>
  %w = mlc_triton.load %x[%half] : (!mlc_triton.ptr<i32>, tensor<32xi32>) -> tensor<32xi32>
  %v = mlc_triton.load %x[%few] : (!mlc_triton.ptr<i32>, tensor<16xi32>) -> tensor<16xi32>
  %b = mlc_triton.repeat %w axis 0 : i64 : tensor<32xi32> -> tensor<64xi32>
  %d = mlc_triton.repeat %v axis 0 : i64 : tensor<16xi32> -> tensor<64xi32>
  %sum = arith.addi %b, %d : tensor<64xi32>
  mlc_triton.store %o[%k] = %sum : (!mlc_triton.ptr<i32>, tensor<64xi32>, tensor<64xi32>)
  %other = arith.addi %b, %k : tensor<64xi32>
  mlc_triton.store %o[%k + 64] = %other : (!mlc_triton.ptr<i32>, tensor<64xi32>, tensor<64xi32>)
  %moved = mlc_triton.index [(%start + %k) mod 2] : (i32, tensor<64xi32>) -> tensor<64xi32>
  %even = mlc_triton.cmp "eq" %moved, %zero : tensor<64xi32>, tensor<64xi32> -> tensor<64xi1>
  %n = mlc_triton.where %even, %b, %b : tensor<64xi1>, tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  mlc_triton.store %o[%k + 128] = %n : (!mlc_triton.ptr<i32>, tensor<64xi32>, tensor<64xi32>)
  %place = mlc_triton.index [%k mod 2] : (tensor<64xi32>) -> tensor<64xi32>
  %first = mlc_triton.cmp "eq" %place, %zero : tensor<64xi32>, tensor<64xi32> -> tensor<64xi1>
  %m = mlc_triton.where %first, %d, %d : tensor<64xi1>, tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  mlc_triton.store %o[%k + 192] = %m : (!mlc_triton.ptr<i32>, tensor<64xi32>, tensor<64xi32>)
  %low = mlc_triton.cmp "lt" %k, %ten : tensor<64xi32>, tensor<64xi32> -> tensor<64xi1>
  %u = mlc_triton.where %low, %b, %b : tensor<64xi1>, tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  mlc_triton.store %o[%k + 256] = %u : (!mlc_triton.ptr<i32>, tensor<64xi32>, tensor<64xi32>)
}
