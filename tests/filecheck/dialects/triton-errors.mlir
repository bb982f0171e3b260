// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: error: mlc_triton.kernel: a pointer is loaded behind a store to it: passes could not move its loads
mlc_triton.kernel @written_first(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %one = mlc_triton.full 1.0 : f32 : f32
  mlc_triton.store %x[0] = %one : (!mlc_triton.ptr<f32>, f32)
  %v = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %v : (!mlc_triton.ptr<f32>, f32)
}

// -----

// CHECK: error: mlc_triton.kernel: the arguments are the pointers, then one integer for each named size
mlc_triton.kernel @sizes(%x: !mlc_triton.ptr<f32>) grid [N] sizes ["N"] num_warps 4 {
}

// -----

// CHECK: error: mlc_triton.load: cannot load i32 through !mlc_triton.ptr<f32>
mlc_triton.kernel @load(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> i32
}

// -----

// CHECK: error: mlc_triton.store: cannot store i32 through !mlc_triton.ptr<f32>
mlc_triton.kernel @store(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1 : i32 : i32
  mlc_triton.store %x[0] = %v : (!mlc_triton.ptr<f32>, i32)
}

// -----

// CHECK: error: mlc_triton.cmp: no predicate "less": use one of eq, ne, lt, le, gt, ge
mlc_triton.kernel @predicate(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  %c = mlc_triton.cmp "less" %v, %v : f32, f32 -> i1
}

// -----

// CHECK: error: mlc_triton.cmp: cannot compare f32 with i32
mlc_triton.kernel @compared(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  %i = mlc_triton.full 1 : i32 : i32
  %c = mlc_triton.cmp "lt" %v, %i : f32, i32 -> i1
}

// -----

// CHECK: error: mlc_triton.reduce: no reduction "mean"
mlc_triton.kernel @kind(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %lanes = mlc_triton.arange : tensor<64xi32>
  %v = mlc_triton.reduce "mean" %lanes : (tensor<64xi32>) -> i32
}

// -----

// CHECK: error: mlc_triton.arange: sizes of a block must be powers of two, not tensor<48xi32>
mlc_triton.kernel @power(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %lanes = mlc_triton.arange : tensor<48xi32>
}

// -----

// CHECK: error: mlc_triton.broadcast: cannot broadcast tensor<4x1xf32> to tensor<8x8xf32>
mlc_triton.kernel @broadcast(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : tensor<4x1xf32>
  %b = mlc_triton.broadcast %v : tensor<4x1xf32> -> tensor<8x8xf32>
}

// -----

// CHECK: error: mlc_triton.where: needs a condition of type i1 and two values of one type, found i1, f32 and i1
mlc_triton.kernel @where(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : f32
  %i = mlc_triton.full true : i1
  %w = mlc_triton.where %i, %v, %i : i1, f32, i1 -> f32
}

// -----

// What the last program reads may be written before it, and nowhere else.
// CHECK-LABEL: mlc_triton.kernel @read_late(
mlc_triton.kernel @read_late(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>, %n: !mlc_triton.ptr<i32>) grid [4] sizes [] num_warps 4 {
  %one = mlc_triton.full 1.0 : f32 : f32
  mlc_triton.store %x[0] = %one : (!mlc_triton.ptr<f32>, f32)
  "mlc_triton.last_block"(%n) <{index = ["0"], count = 4 : i64}> ({
    %v = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
    mlc_triton.store %y[0] = %v : (!mlc_triton.ptr<f32>, f32)
  }) : (!mlc_triton.ptr<i32>) -> ()
}

// -----

// CHECK: error: mlc_triton.kernel: a pointer is loaded behind a store to it: passes could not move its loads
mlc_triton.kernel @written_late(%x: !mlc_triton.ptr<f32>, %n: !mlc_triton.ptr<i32>) grid [4] sizes [] num_warps 4 {
  "mlc_triton.last_block"(%n) <{index = ["0"], count = 4 : i64}> ({
    %one = mlc_triton.full 1.0 : f32 : f32
    mlc_triton.store %x[0] = %one : (!mlc_triton.ptr<f32>, f32)
    %v = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
    mlc_triton.store %x[1] = %v : (!mlc_triton.ptr<f32>, f32)
  }) : (!mlc_triton.ptr<i32>) -> ()
}

// -----

// CHECK: error: mlc_triton.last_block: the counter is a pointer to i32, not !mlc_triton.ptr<f32>
mlc_triton.kernel @count(%n: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 {
  "mlc_triton.last_block"(%n) <{index = ["0"], count = 4 : i64}> ({
    %one = mlc_triton.full 1.0 : f32 : f32
  }) : (!mlc_triton.ptr<f32>) -> ()
}

// -----

// CHECK: error: mlc_triton.kernel: an scf.if in a kernel must have no results; its branches store what they compute
mlc_triton.kernel @choice(%x: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %first = mlc_triton.mask %p < 4 : (i32) -> i1
  %v = scf.if %first -> (i32) {
    scf.yield %p : i32
  } else {
    scf.yield %p : i32
  }
}

// -----

// CHECK: error: mlc_triton.epoch: flags are words of i64, not !mlc_triton.ptr<i32>
mlc_triton.kernel @epoch(%n: !mlc_triton.ptr<i32>) grid [4] sizes [] num_warps 4 {
  %mark = mlc_triton.epoch %n of 4 : !mlc_triton.ptr<i32>
}

// -----

// CHECK: error: mlc_triton.signal: signals values of 32 or 64 bits, not f16
mlc_triton.kernel @publish(%told: !mlc_triton.ptr<i64>) grid [4] sizes [] num_warps 4 {
  %q = mlc_triton.program_id 0 : i32
  %mark = mlc_triton.epoch %told of 4 : !mlc_triton.ptr<i64>
  %t = mlc_triton.full 1.0 : f16 : f16
  mlc_triton.signal %told ["d0 + 1"] (%q) = %t epoch %mark : !mlc_triton.ptr<i64>, f16, i32
}

// -----

// CHECK: error: mlc_triton.signal: each index is a scalar, or a block of the shape of the value
mlc_triton.kernel @publish_rows(%told: !mlc_triton.ptr<i64>) grid [4] sizes [] num_warps 4 {
  %q = mlc_triton.program_id 0 : i32
  %mark = mlc_triton.epoch %told of 4 : !mlc_triton.ptr<i64>
  %i = mlc_triton.arange : tensor<4xi32>
  %t = mlc_triton.full 1.0 : f32 : f32
  mlc_triton.signal %told ["d0 + 1"] (%i) = %t epoch %mark : !mlc_triton.ptr<i64>, f32, tensor<4xi32>
}

// -----

// CHECK: error: mlc_triton.signal: the condition is of i1, of the shape of the value
mlc_triton.kernel @publish_some(%told: !mlc_triton.ptr<i64>) grid [4] sizes [] num_warps 4 {
  %q = mlc_triton.program_id 0 : i32
  %mark = mlc_triton.epoch %told of 4 : !mlc_triton.ptr<i64>
  %i = mlc_triton.arange : tensor<4xi32>
  %mask = mlc_triton.mask %i < %q : (tensor<4xi32>, i32) -> tensor<4xi1>
  %t = mlc_triton.full 1.0 : f32 : f32
  mlc_triton.signal %told ["d0 + 1"] (%q) = %t epoch %mark if %mask : tensor<4xi1> : !mlc_triton.ptr<i64>, f32, i32
}

// -----

// CHECK: error: mlc_triton.wait: the result is a block of values of 32 or 64 bits, of the shape of the mask
mlc_triton.kernel @await(%told: !mlc_triton.ptr<i64>) grid [4] sizes [] num_warps 4 {
  %q = mlc_triton.program_id 0 : i32
  %mark = mlc_triton.epoch %told of 4 : !mlc_triton.ptr<i64>
  %i = mlc_triton.arange : tensor<4xi32>
  %mask = mlc_triton.mask %i < %q : (tensor<4xi32>, i32) -> tensor<4xi1>
  %w = mlc_triton.wait %told ["d0 + 1"] (%i) mask %mask epoch %mark : !mlc_triton.ptr<i64>, tensor<4xi1>, tensor<4xi32> -> tensor<8xf32>
}

// -----

// CHECK: error: mlc_triton.dot: blocks do not fit: tensor<16x32xbf16>, tensor<16x16xbf16> and tensor<16x16xf32>
mlc_triton.kernel @misfit() grid [1] sizes [] num_warps 1 {
  %a = mlc_triton.full 1.0 : bf16 : tensor<16x32xbf16>
  %b = mlc_triton.full 1.0 : bf16 : tensor<16x16xbf16>
  %c = mlc_triton.full 0.0 : f32 : tensor<16x16xf32>
  %d = mlc_triton.dot "ieee" %a, %b, %c : tensor<16x32xbf16>, tensor<16x16xbf16>, tensor<16x16xf32> -> tensor<16x16xf32>
}

// -----

// CHECK: error: mlc_triton.dot: no precision "tf33": use one of ieee, tf32
mlc_triton.kernel @precision() grid [1] sizes [] num_warps 1 {
  %a = mlc_triton.full 1.0 : f32 : tensor<16x16xf32>
  %d = mlc_triton.dot "tf33" %a, %a, %a : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
}

// -----

// CHECK: error: mlc_triton.dot: tf32 rounds operands of f32: these are tensor<16x16xbf16>
mlc_triton.kernel @rounded() grid [1] sizes [] num_warps 1 {
  %a = mlc_triton.full 1.0 : bf16 : tensor<16x16xbf16>
  %c = mlc_triton.full 0.0 : f32 : tensor<16x16xf32>
  %d = mlc_triton.dot "tf32" %a, %a, %c : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32> -> tensor<16x16xf32>
}

// -----

// CHECK: error: mlc_triton.load: the index uses d0, but has 0 operand(s)
mlc_triton.kernel @place(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.load %x[d0] : (!mlc_triton.ptr<f32>) -> f32
}

// -----

// CHECK: error: mlc_triton.store: 2 expressions, where there is one place: give one
mlc_triton.kernel @places(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : f32
  mlc_triton.store %x[0, 1] = %v : (!mlc_triton.ptr<f32>, f32)
}

// -----

// CHECK: error: mlc_triton.mask: the index uses d7, but has 0 operand(s)
mlc_triton.kernel @bound(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %m = mlc_triton.mask %p < d7 : (i32) -> i1
}

// -----

// CHECK: error: mlc_triton.for: the index uses d0, but has 0 operand(s)
mlc_triton.kernel @extent(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  "mlc_triton.for"() <{extent = "d0", step = 4 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%i: i32):
    mlc_triton.yield
  }) : () -> ()
}

// -----

// CHECK: error: mlc_triton.kernel: the index uses d0, but has 0 operand(s)
mlc_triton.kernel @grid(%x: !mlc_triton.ptr<f32>) grid [d0] sizes [] num_warps 4 {
}

// -----

// CHECK: error: mlc_triton.quotient: cannot divide tensor<4x64xf32> by tensor<64x1xf32>
mlc_triton.kernel @divisor(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : tensor<4x64xf32>
  %d = mlc_triton.full 1.0 : f32 : tensor<64x1xf32>
  %q = mlc_triton.quotient %v by %d : tensor<4x64xf32>, tensor<64x1xf32>
}

// -----

// CHECK: error: mlc_triton.transpose: tensor<4x64xf32> is not the transpose of tensor<4x64xf32>
mlc_triton.kernel @turned(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : tensor<4x64xf32>
  %t = mlc_triton.transpose %v : tensor<4x64xf32> -> tensor<4x64xf32>
}

// -----

// CHECK: error: mlc_triton.by_column: tensor<64xf32> has no rows and columns
mlc_triton.kernel @no_columns(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : tensor<64xf32>
  %t = mlc_triton.by_column %v : tensor<64xf32>
}

// -----

// CHECK: error: mlc_triton.descriptor: !mlc_triton.ptr<f16> has no blocks of tensor<16x32xbf16>: give two sizes and its element type
mlc_triton.kernel @other_type(%x: !mlc_triton.ptr<f16>) grid [1] sizes [] num_warps 4 {
  %m = mlc_triton.descriptor %x at 0 : !mlc_triton.ptr<f16>, 30 by 40 step 40 -> !mlc_triton.descriptor_of<tensor<16x32xbf16>>
}

// -----

// CHECK: error: mlc_triton.descriptor: rows of 40 elements cannot be 32 apart
mlc_triton.kernel @overlapping(%x: !mlc_triton.ptr<f16>) grid [1] sizes [] num_warps 4 {
  %m = mlc_triton.descriptor %x at 0 : !mlc_triton.ptr<f16>, 30 by 40 step 32 -> !mlc_triton.descriptor_of<tensor<16x32xf16>>
}

// -----

// CHECK: error: mlc_triton.descriptor_load: !mlc_triton.descriptor_of<tensor<16x32xf16>> has no blocks of tensor<32x16xf16>
mlc_triton.kernel @other_block(%x: !mlc_triton.ptr<f16>) grid [1] sizes [] num_warps 4 {
  %m = mlc_triton.descriptor %x at 0 : !mlc_triton.ptr<f16>, 30 by 40 step 40 -> !mlc_triton.descriptor_of<tensor<16x32xf16>>
  %p = mlc_triton.program_id 0 : i32
  %b = mlc_triton.descriptor_load %m[%p, %p] : !mlc_triton.descriptor_of<tensor<16x32xf16>> -> tensor<32x16xf16>
}

// -----

// CHECK: error: mlc_triton.halves: tensor<8x64xf32> and tensor<4x32xf32> are not the halves of tensor<4x64xf32>
mlc_triton.kernel @no_halves(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : tensor<4x64xf32>
  %a, %b = mlc_triton.halves %v : tensor<4x64xf32> -> tensor<8x64xf32>, tensor<4x32xf32>
}

// -----

// CHECK: error: mlc_triton.repeat: tensor<4x96xf32> does not repeat elements of tensor<4x64xf32> along axis 1
mlc_triton.kernel @no_repeat() grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : tensor<4x64xf32>
  %a = mlc_triton.repeat %v axis 1 : i64 : tensor<4x64xf32> -> tensor<4x96xf32>
}

// -----

// CHECK: error: mlc_triton.interleave: tensor<4x64xf32> does not interleave two of tensor<4x64xf32> along axis 2
mlc_triton.kernel @no_interleave() grid [1] sizes [] num_warps 4 {
  %v = mlc_triton.full 1.0 : f32 : tensor<4x64xf32>
  %a = mlc_triton.interleave %v, %v axis 2 : i64 : tensor<4x64xf32> -> tensor<4x64xf32>
}

// -----

// CHECK: error: mlc_triton.kernel: a pointer is loaded behind a store to it: passes could not move its loads
mlc_triton.kernel @described_behind_a_store(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %m = mlc_triton.descriptor %x at 0 : !mlc_triton.ptr<f32>, 16 by 16 step 16 -> !mlc_triton.descriptor_of<tensor<16x16xf32>>
  %p = mlc_triton.program_id 0 : i32
  %o = mlc_triton.full 1.0 : f32 : f32
  mlc_triton.store %x[%p] = %o : (!mlc_triton.ptr<f32>, f32, i32)
  %a = mlc_triton.descriptor_load %m[%p, %p] : !mlc_triton.descriptor_of<tensor<16x16xf32>> -> tensor<16x16xf32>
}

// -----

// CHECK: error: mlc_triton.load: along 2: give a dimension of tensor<8x64xf32>
mlc_triton.kernel @along_no_dimension(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.arange : tensor<8x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %v = mlc_triton.load %x[%p + %r] along 2 : (!mlc_triton.ptr<f32>, tensor<8x1xi32>, tensor<1x64xi32>) -> tensor<8x64xf32>
}

// -----

// CHECK: error: mlc_triton.kernel: mlc_triton.gdc_wait is not the first op of the kernel: what is before it may be early
mlc_triton.kernel @waits_late(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  mlc_triton.gdc_wait
}
