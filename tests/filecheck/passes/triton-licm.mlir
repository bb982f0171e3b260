// RUN: mlc-opt %s -p triton-licm | filecheck %s

// Indices, reads of memory and what is computed from them move in front of the loop, in order, if no step changes them.
// CHECK-LABEL: mlc_triton.kernel @walk(
// CHECK:         %t = mlc_triton.full
// CHECK-NEXT:    %r = mlc_triton.arange
// CHECK-NEXT:    %w = mlc_triton.load %weight[%r]
// CHECK-NEXT:    %s = arith.addf %w, %w
// CHECK-NEXT:    "mlc_triton.for"
// CHECK-NEXT:    ^bb0(%p: i32, %acc: tensor<64xf32>):
// CHECK-NEXT:      %a = mlc_triton.load %x[%p * 64 + %r]
// CHECK-NEXT:      %m = arith.mulf %a, %s
// CHECK-NEXT:      %n = arith.addf %acc, %m
mlc_triton.kernel @walk(%x: !mlc_triton.ptr<f32>, %weight: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %t = mlc_triton.full 0.0 : f32 : tensor<64xf32>
  %sum = "mlc_triton.for"(%t) <{extent = "8", step = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%p: i32, %acc: tensor<64xf32>):
    %r = mlc_triton.arange : tensor<64xi32>
    %a = mlc_triton.load %x[%p * 64 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<64xi32>) -> tensor<64xf32>
    %w = mlc_triton.load %weight[%r] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
    %s = arith.addf %w, %w : tensor<64xf32>
    %m = arith.mulf %a, %s : tensor<64xf32>
    %n = arith.addf %acc, %m : tensor<64xf32>
    mlc_triton.yield %n : tensor<64xf32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %r_1 = mlc_triton.arange : tensor<64xi32>
  mlc_triton.store %out[%r_1] = %sum : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}

// Out of both loops what neither changes, out of one what the other does. Writes stay.
// CHECK-LABEL: mlc_triton.kernel @nested(
// CHECK-NEXT:    %r = mlc_triton.arange
// CHECK-NEXT:    %w = mlc_triton.load %weight[%r]
// CHECK-NEXT:    "mlc_triton.for"
// CHECK-NEXT:    ^bb0(%p: i32):
// CHECK-NEXT:      %a = mlc_triton.load %x[%p * 64 + %r]
// CHECK-NEXT:      "mlc_triton.for"
// CHECK-NEXT:      ^bb0(%q: i32):
// CHECK-NEXT:        %b = mlc_triton.load %x[%p * 64 + %q + %r]
// CHECK-NEXT:        mlc_triton.store %out[%r] = %w
mlc_triton.kernel @nested(%x: !mlc_triton.ptr<f32>, %weight: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  "mlc_triton.for"() <{extent = "8", step = 1 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%p: i32):
    "mlc_triton.for"() <{extent = "8", step = 1 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    ^bb0(%q: i32):
      %r = mlc_triton.arange : tensor<64xi32>
      %w = mlc_triton.load %weight[%r] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
      %a = mlc_triton.load %x[%p * 64 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<64xi32>) -> tensor<64xf32>
      %b = mlc_triton.load %x[%p * 64 + %q + %r] : (!mlc_triton.ptr<f32>, i32, i32, tensor<64xi32>) -> tensor<64xf32>
      mlc_triton.store %out[%r] = %w : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
      mlc_triton.yield
    }) : () -> ()
    mlc_triton.yield
  }) : () -> ()
}

// A number that is read behind a loop is asked for before it, through the number that says where, and so is a block of
// an element a lane; not what the loop gives, nor a larger block, nor what is read where the loop says.
// CHECK-LABEL: mlc_triton.kernel @behind(
// CHECK:         %at = mlc_triton.load %where[0]
// CHECK-NEXT:    %place = mlc_triton.checked %at below 8
// CHECK-NEXT:    %one = mlc_triton.load %x[%place]
// CHECK-NEXT:    %lanes = mlc_triton.arange
// CHECK-NEXT:    %inside = mlc_triton.mask
// CHECK-NEXT:    %few = mlc_triton.load %x[%lanes] mask %inside
// CHECK-NEXT:    "mlc_triton.for"
// CHECK:         %many = mlc_triton.load %x[%r]
// CHECK-NEXT:    %twice = arith.addi %few, %few
// CHECK-NEXT:    mlc_triton.store %out[%lanes] = %twice
// CHECK-NEXT:    %there = mlc_triton.load %x[%last]
mlc_triton.kernel @behind(%x: !mlc_triton.ptr<i32>, %where: !mlc_triton.ptr<i32>, %out: !mlc_triton.ptr<i32>) grid [1] sizes [] num_warps 1 {
  %t = mlc_triton.full 0 : i32 : i32
  %r = mlc_triton.arange : tensor<64xi32>
  %last = "mlc_triton.for"(%t) <{extent = "8", step = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%p: i32, %acc: i32):
    %n = arith.addi %acc, %p : i32
    mlc_triton.yield %n : i32
  }) : (i32) -> i32
  %many = mlc_triton.load %x[%r] : (!mlc_triton.ptr<i32>, tensor<64xi32>) -> tensor<64xi32>
  %at = mlc_triton.load %where[0] : (!mlc_triton.ptr<i32>) -> i32
  %place = mlc_triton.checked %at below 8 : (i32)
  %one = mlc_triton.load %x[%place] : (!mlc_triton.ptr<i32>, i32) -> i32
  %lanes = mlc_triton.arange : tensor<32xi32>
  %inside = mlc_triton.mask %lanes < 17 : (tensor<32xi32>) -> tensor<32xi1>
  %few = mlc_triton.load %x[%lanes] mask %inside : (!mlc_triton.ptr<i32>, tensor<32xi32>, tensor<32xi1>) -> tensor<32xi32>
  %twice = arith.addi %few, %few : tensor<32xi32>
  mlc_triton.store %out[%lanes] = %twice mask %inside : (!mlc_triton.ptr<i32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi1>)
  %there = mlc_triton.load %x[%last] : (!mlc_triton.ptr<i32>, i32) -> i32
  %sum = arith.addi %one, %there : i32
  mlc_triton.store %out[%r] = %many : (!mlc_triton.ptr<i32>, tensor<64xi32>, tensor<64xi32>)
  mlc_triton.store %out[64] = %sum : (!mlc_triton.ptr<i32>, i32)
}

// A persistent loop of products keeps what is read behind these, but for where: it would wait in registers.
// CHECK-LABEL: mlc_triton.kernel @keeps_columns(
// CHECK:         %r = mlc_triton.arange
// CHECK-NEXT:    "mlc_triton.for"
// CHECK-NEXT:    ^bb0(%p: i32):
// CHECK-NEXT:      %bias = mlc_triton.load %b[%r]
// CHECK-NEXT:      %acc = "mlc_triton.for"
mlc_triton.kernel @keeps_columns(%x: !mlc_triton.ptr<bf16>, %b: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %zero = mlc_triton.full 0.000000e+00 : f32 : tensor<16x16xf32>
  "mlc_triton.for"() <{extent = "8", step = 1 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%p: i32):
    %i = mlc_triton.arange : tensor<16x1xi32>
    %r = mlc_triton.arange : tensor<1x16xi32>
    %acc = "mlc_triton.for"(%zero) <{extent = "4", step = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
    ^bb1(%k: i32, %before: tensor<16x16xf32>):
      %a = mlc_triton.load %x[%p * 1024 + %k * 256 + %i * 16 + %r] : (!mlc_triton.ptr<bf16>, i32, i32, tensor<16x1xi32>, tensor<1x16xi32>) -> tensor<16x16xbf16>
      %after = mlc_triton.dot "ieee" %a, %a, %before : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32> -> tensor<16x16xf32>
      mlc_triton.yield %after : tensor<16x16xf32>
    }) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %bias = mlc_triton.load %b[%r] : (!mlc_triton.ptr<f32>, tensor<1x16xi32>) -> tensor<1x16xf32>
    %many = mlc_triton.broadcast %bias : tensor<1x16xf32> -> tensor<16x16xf32>
    %sum = arith.addf %acc, %many : tensor<16x16xf32>
    mlc_triton.store %out[%p * 256 + %i * 16 + %r] = %sum : (!mlc_triton.ptr<f32>, tensor<16x16xf32>, i32, tensor<16x1xi32>, tensor<1x16xi32>)
    mlc_triton.yield
  }) : () -> ()
}
