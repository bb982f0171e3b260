// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// Every op, through its own syntax and the generic one.
// CHECK-LABEL: mlc_triton.kernel @all(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>, %N: i32) grid [(N + 63) floordiv 64] sizes ["N"] num_warps 4 uncapped why "why" {
// CHECK-NEXT:    %pid = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %lanes = mlc_triton.arange : tensor<64xi32>
// CHECK-NEXT:    %p = mlc_triton.index [%pid * 64 + %lanes] : (i32, tensor<64xi32>) -> tensor<64xi32>
// CHECK-NEXT:    %mask = mlc_triton.mask %p < %N * 2 : (tensor<64xi32>, i32) -> tensor<64xi1>
// CHECK-NEXT:    %v = mlc_triton.load %x[%p] mask %mask evict "first" : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
// CHECK-NEXT:    %one = mlc_triton.full 1.000000e+00 : f32 : f32
// CHECK-NEXT:    %ones = mlc_triton.broadcast %one : f32 -> tensor<64xf32>
// CHECK-NEXT:    %lt = mlc_triton.cmp "lt" %v, %ones : tensor<64xf32>, tensor<64xf32> -> tensor<64xi1>
// CHECK-NEXT:    %w = mlc_triton.where %lt, %v, %ones : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
// CHECK-NEXT:    %h = mlc_triton.cast %w : tensor<64xf32> -> tensor<64xf16>
// CHECK-NEXT:    %rounded = mlc_triton.rounded %w : tensor<64xf32>
// CHECK-NEXT:    %quotient = mlc_triton.quotient %w by %one : tensor<64xf32>, f32
// CHECK-NEXT:    %u = mlc_triton.cast unsigned %p : tensor<64xi32> -> tensor<64xf32>
// CHECK-NEXT:    %g = mlc_triton.libdevice "lgamma" %u : tensor<64xf32> -> tensor<64xf32>
// CHECK-NEXT:    %s = mlc_triton.reduce "add" %g : (tensor<64xf32>) -> f32
// CHECK-NEXT:    %best = mlc_triton.reduce "max" %g : (tensor<64xf32>) -> f32
// CHECK-NEXT:    %square = mlc_triton.full 1.000000e+00 : f16 : tensor<16x16xf16>
// CHECK-NEXT:    %zeros = mlc_triton.full 0.000000e+00 : f32 : tensor<16x16xf32>
// CHECK-NEXT:    %columns = mlc_triton.by_column %zeros : tensor<16x16xf32>
// CHECK-NEXT:    %turned = mlc_triton.transpose %square : tensor<16x16xf16> -> tensor<16x16xf16>
// CHECK-NEXT:    %product = mlc_triton.dot "ieee" %square, %turned, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32> -> tensor<16x16xf32>
// CHECK:           "mlc_triton.for"(%ones, %N)
// CHECK-SAME:      extent = "d0 * 4", step = 64 : i64
// CHECK:           mlc_triton.yield
// CHECK:         mlc_triton.store %out[%p] = %{{.*}} mask %mask evict "last" : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi1>)
mlc_triton.kernel @all(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>, %N: i32) grid [(N + 63) floordiv 64] sizes ["N"] num_warps 4 uncapped why "why" {
  %pid = mlc_triton.program_id 0 : i32
  %lanes = mlc_triton.arange : tensor<64xi32>
  %p = mlc_triton.index [%pid * 64 + %lanes] : (i32, tensor<64xi32>) -> tensor<64xi32>
  %mask = mlc_triton.mask %p < %N * 2 : (tensor<64xi32>, i32) -> tensor<64xi1>
  %v = mlc_triton.load %x[%p] mask %mask evict "first" : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
  %one = mlc_triton.full 1.0 : f32 : f32
  %ones = mlc_triton.broadcast %one : f32 -> tensor<64xf32>
  %lt = mlc_triton.cmp "lt" %v, %ones : tensor<64xf32>, tensor<64xf32> -> tensor<64xi1>
  %w = mlc_triton.where %lt, %v, %ones : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  %h = mlc_triton.cast %w : tensor<64xf32> -> tensor<64xf16>
  %rounded = mlc_triton.rounded %w : tensor<64xf32>
  %quotient = mlc_triton.quotient %w by %one : tensor<64xf32>, f32
  %u = mlc_triton.cast unsigned %p : tensor<64xi32> -> tensor<64xf32>
  %g = mlc_triton.libdevice "lgamma" %u : tensor<64xf32> -> tensor<64xf32>
  %s = mlc_triton.reduce "add" %g : (tensor<64xf32>) -> f32
  %best = mlc_triton.reduce "max" %g : (tensor<64xf32>) -> f32
  %square = mlc_triton.full 1.0 : f16 : tensor<16x16xf16>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<16x16xf32>
  %columns = mlc_triton.by_column %zeros : tensor<16x16xf32>
  %turned = mlc_triton.transpose %square : tensor<16x16xf16> -> tensor<16x16xf16>
  %product = mlc_triton.dot "ieee" %square, %turned, %zeros : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32> -> tensor<16x16xf32>
  %acc = "mlc_triton.for"(%ones, %N) <{extent = "d0 * 4", step = 64 : i64, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%i: i32, %a: tensor<64xf32>):
    %b = arith.addf %a, %w : tensor<64xf32>
    mlc_triton.yield %b : tensor<64xf32>
  }) : (tensor<64xf32>, i32) -> tensor<64xf32>
  mlc_triton.store %out[%p] = %acc mask %mask evict "last" : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi1>)
}

// What some programs do and others do not.
// CHECK-LABEL: mlc_triton.kernel @choice(
// CHECK-NEXT:    %p = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %first = mlc_triton.mask %p < 4 : (i32) -> i1
// CHECK-NEXT:    scf.if %first {
// CHECK-NEXT:      %v = mlc_triton.load %x[%p]
// CHECK-NEXT:      mlc_triton.store %out[%p] = %v
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %w = mlc_triton.load %x[%p - 4]
// CHECK-NEXT:      mlc_triton.store %out[%p] = %w
// CHECK-NEXT:    }
mlc_triton.kernel @choice(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %first = mlc_triton.mask %p < 4 : (i32) -> i1
  scf.if %first {
    %v = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
    mlc_triton.store %out[%p] = %v : (!mlc_triton.ptr<f32>, f32, i32)
  } else {
    %w = mlc_triton.load %x[%p - 4] : (!mlc_triton.ptr<f32>, i32) -> f32
    mlc_triton.store %out[%p] = %w : (!mlc_triton.ptr<f32>, f32, i32)
  }
}

// Programs tell each other numbers, and count those that are done.
// CHECK-LABEL: mlc_triton.kernel @tell(
// CHECK-NEXT:    %q = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %mark = mlc_triton.epoch %told of 4 : !mlc_triton.ptr<i64>
// CHECK-NEXT:    %t = mlc_triton.full 1.000000e+00 : f32 : f32
// CHECK-NEXT:    %c = mlc_triton.cmp "ne" %q, %q : i32, i32 -> i1
// CHECK-NEXT:    mlc_triton.signal %told ["d0 + 1"](%q) = %t epoch %mark if %c : i1 : !mlc_triton.ptr<i64>, f32, i32
// CHECK-NEXT:    %i = mlc_triton.arange : tensor<4xi32>
// CHECK-NEXT:    %mask = mlc_triton.mask %i < %q : (tensor<4xi32>, i32) -> tensor<4xi1>
// CHECK-NEXT:    %w = mlc_triton.wait %told ["d0 + 1"](%i) mask %mask epoch %mark : !mlc_triton.ptr<i64>, tensor<4xi1>, tensor<4xi32> -> tensor<4xf32>
// CHECK-NEXT:    mlc_triton.done %told : !mlc_triton.ptr<i64>
mlc_triton.kernel @tell(%told: !mlc_triton.ptr<i64>) grid [4] sizes [] num_warps 4 {
  %q = mlc_triton.program_id 0 : i32
  %mark = mlc_triton.epoch %told of 4 : !mlc_triton.ptr<i64>
  %t = mlc_triton.full 1.0 : f32 : f32
  %c = mlc_triton.cmp "ne" %q, %q : i32, i32 -> i1
  mlc_triton.signal %told ["d0 + 1"] (%q) = %t epoch %mark if %c : i1 : !mlc_triton.ptr<i64>, f32, i32
  %i = mlc_triton.arange : tensor<4xi32>
  %mask = mlc_triton.mask %i < %q : (tensor<4xi32>, i32) -> tensor<4xi1>
  %w = mlc_triton.wait %told ["d0 + 1"] (%i) mask %mask epoch %mark : !mlc_triton.ptr<i64>, tensor<4xi1>, tensor<4xi32> -> tensor<4xf32>
  mlc_triton.done %told : !mlc_triton.ptr<i64>
}

// Lanes follow the columns where they are told to. Behind a barrier they load what any of them has stored.
// CHECK-LABEL: mlc_triton.kernel @behind_a_barrier(
// CHECK:         mlc_triton.store %x[%p + (%r mod 7)] = %o along 1 : (!mlc_triton.ptr<f32>, tensor<8x64xf32>, tensor<8x1xi32>, tensor<1x64xi32>)
// CHECK-NEXT:    mlc_triton.barrier
// CHECK-NEXT:    mlc_triton.load %x[%p + (%r mod 7)] evict "first" along 1 : (!mlc_triton.ptr<f32>, tensor<8x1xi32>, tensor<1x64xi32>) -> tensor<8x64xf32>
mlc_triton.kernel @behind_a_barrier(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.arange : tensor<8x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %o = mlc_triton.full 1.0 : f32 : tensor<8x64xf32>
  mlc_triton.store %x[%p + (%r mod 7)] = %o along 1 : (!mlc_triton.ptr<f32>, tensor<8x64xf32>, tensor<8x1xi32>, tensor<1x64xi32>)
  mlc_triton.barrier
  %v = mlc_triton.load %x[%p + (%r mod 7)] evict "first" along 1 : (!mlc_triton.ptr<f32>, tensor<8x1xi32>, tensor<1x64xi32>) -> tensor<8x64xf32>
}

// What waits for the launches before it does so first.
// CHECK-LABEL: mlc_triton.kernel @behind_other_launches(
// CHECK-NEXT:    mlc_triton.gdc_wait
// CHECK-NEXT:    %p = mlc_triton.arange
mlc_triton.kernel @behind_other_launches(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  mlc_triton.gdc_wait
  %p = mlc_triton.arange : tensor<64xi32>
  %v = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
}

// A matrix of which blocks are loaded, beyond its ends 0; and the halves of a block.
// CHECK-LABEL: mlc_triton.kernel @matrix(
// CHECK-NEXT:    %m = mlc_triton.descriptor %x at 8 : !mlc_triton.ptr<f16>, 30 by 40 step 48 -> !mlc_triton.descriptor_of<tensor<16x32xf16>>
// CHECK-NEXT:    %p = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %b = mlc_triton.descriptor_load %m[%p, %p] : !mlc_triton.descriptor_of<tensor<16x32xf16>> -> tensor<16x32xf16>
// CHECK-NEXT:    %u, %v = mlc_triton.halves %b : tensor<16x32xf16> -> tensor<16x16xf16>, tensor<16x16xf16>
mlc_triton.kernel @matrix(%x: !mlc_triton.ptr<f16>) grid [4] sizes [] num_warps 4 {
  %m = mlc_triton.descriptor %x at 8 : !mlc_triton.ptr<f16>, 30 by 40 step 48 -> !mlc_triton.descriptor_of<tensor<16x32xf16>>
  %p = mlc_triton.program_id 0 : i32
  %b = mlc_triton.descriptor_load %m[%p, %p] : !mlc_triton.descriptor_of<tensor<16x32xf16>> -> tensor<16x32xf16>
  %u, %v = mlc_triton.halves %b : tensor<16x32xf16> -> tensor<16x16xf16>, tensor<16x16xf16>
}

// Each element four times in a row, and those of two blocks in turns.
// CHECK-LABEL: mlc_triton.kernel @packed(
// CHECK-NEXT:    %v = mlc_triton.arange : tensor<1x16xi32>
// CHECK-NEXT:    %r = mlc_triton.repeat %v axis 1 : i64 : tensor<1x16xi32> -> tensor<1x64xi32>
// CHECK-NEXT:    %t = mlc_triton.interleave %r, %r axis 0 : i64 : tensor<1x64xi32> -> tensor<2x64xi32>
mlc_triton.kernel @packed() grid [4] sizes [] num_warps 4 {
  %v = mlc_triton.arange : tensor<1x16xi32>
  %r = mlc_triton.repeat %v axis 1 : i64 : tensor<1x16xi32> -> tensor<1x64xi32>
  %t = mlc_triton.interleave %r, %r axis 0 : i64 : tensor<1x64xi32> -> tensor<2x64xi32>
}
