// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// A block is a power of two, as Triton needs.
// CHECK: error: mlc_loop.parallel: block 6 is not a power of two, which Triton requires
mlc_loop.kernel @k(%x: memref<6xf32>) {
  mlc_loop.parallel %i = 0 to 6 block 6 {
  }
}

// -----

// CHECK: error: a loop begins at 0: shorten the extent, and add the start where the index is used
mlc_loop.kernel @k(%x: memref<6xf32>) {
  mlc_loop.parallel %i = 1 to 6 {
  }
}

// -----

// Whole matrices of blocks.
// CHECK: error: mlc_loop.parallel: swizzle: 12 blocks are not a multiple of 8
mlc_loop.kernel @k(%x: memref<48xf32>) {
  mlc_loop.parallel %i = 0 to 48 program 0 block 4 swizzle 2 by 4 {
  }
}

// -----

// CHECK: error: expected 'by'
mlc_loop.kernel @k(%x: memref<48xf32>) {
  mlc_loop.parallel %i = 0 to 48 program 0 block 4 swizzle 2 {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: `swizzle ROWS by COLUMNS` needs both numbers, and `program`
mlc_loop.kernel @k(%x: memref<48xf32>) {
  mlc_loop.parallel %i = 0 to 48 block 4 swizzle 2 by 6 {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: overlap 20 must be at least the block of 16 and divide the 48 iterations
mlc_loop.kernel @k(%x: memref<48xf32>) {
  mlc_loop.parallel %i = 0 to 48 program 0 block 16 overlap 20 {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: overlap 12 must be at least the block of 16 and divide the 48 iterations
mlc_loop.kernel @k(%x: memref<48xf32>) {
  mlc_loop.parallel %i = 0 to 48 program 0 block 16 overlap 12 {
  }
}

// -----

// A sum would count some twice.
// CHECK: error: mlc_loop.reduce: only a parallel loop may have `overlap`
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %s = mlc_loop.reduce add %i = 0 to 6 block 2 overlap 6 -> f32 {
    %v = mlc_loop.load %x[%i] : memref<6xf32>
    mlc_loop.yield %v : f32
  }
}

// -----

// A reduction adds up from its first block on.
// CHECK: error: mlc_loop.reduce: only a parallel loop may run backwards
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %s = mlc_loop.reduce add %i = 0 to 6 block 2 backwards -> f32 {
    %v = mlc_loop.load %x[%i] : memref<6xf32>
    mlc_loop.yield %v : f32
  }
}

// -----

// A reduction: known kinds, one for each result, types that follow from what is yielded.
// CHECK: error: mlc_loop.reduce: no reduction mean: use add, mul, max, min, and, or, argmax, argmin, softmax, welford
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %s = mlc_loop.reduce mean %i = 0 to 6 -> f32 {
    %v = mlc_loop.load %x[%i] : memref<6xf32>
    mlc_loop.yield %v : f32
  }
}

// -----

// CHECK: error: mlc_loop.reduce: results must be f32
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %s = mlc_loop.reduce add %i = 0 to 6 -> f64 {
    %v = mlc_loop.load %x[%i] : memref<6xf32>
    mlc_loop.yield %v : f32
  }
}

// -----

// CHECK: error: mlc_loop.reduce: results must be i64
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %s = mlc_loop.reduce argmax %i = 0 to 6 -> f32 {
    %v = mlc_loop.load %x[%i] : memref<6xf32>
    mlc_loop.yield %v : f32
  }
}

// -----

// CHECK: error: mlc_loop.reduce: 1 kinds for 2 yielded values: give one kind for each value
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %s = mlc_loop.reduce add %i = 0 to 6 -> f32 {
    %v = mlc_loop.load %x[%i] : memref<6xf32>
    mlc_loop.yield %v, %v : f32, f32
  }
}

// -----

// CHECK: error: mlc_loop.reduce: the body must end in mlc_loop.yield
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %s = mlc_loop.reduce add %i = 0 to 6 -> f32 {
    %v = mlc_loop.load %x[%i] : memref<6xf32>
  }
}

// -----

// Accesses have an index a dimension, and the type of the buffer.
// CHECK: error: mlc_loop.load: 1 indices for memref<6x2xf32>: give one for each dimension
mlc_loop.kernel @k(%x: memref<6x2xf32>) {
  %v = mlc_loop.load %x[0] : memref<6x2xf32>
}

// -----

// CHECK: error: mlc_loop.load: the index uses d0, but has 0 operand(s)
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %v = "mlc_loop.load"(%x) <{index = ["d0"], operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<6xf32>) -> f32
}

// -----

// CHECK: error: mlc_loop.load: cannot load f64 from memref<6xf32>
mlc_loop.kernel @k(%x: memref<6xf32>) {
  %v = "mlc_loop.load"(%x) <{index = ["0"], operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<6xf32>) -> f64
}

// -----

// CHECK: error: mlc_loop.store: cannot store f32 to memref<6xf16>
mlc_loop.kernel @k(%x: memref<6xf32>, %y: memref<6xf16>) {
  %v = mlc_loop.load %x[0] : memref<6xf32>
  "mlc_loop.store"(%v, %y) <{index = ["0"], operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (f32, memref<6xf16>) -> ()
}

// -----

// CHECK: error: expected a memref, found tensor<6xf32>
mlc_loop.kernel @k(%x: tensor<6xf32>) {
  %v = mlc_loop.load %x[0] : tensor<6xf32>
}

// -----

// CHECK: error: mlc_loop.last_block: counters are a one-dimensional memref of i32, not memref<1xf32>
mlc_loop.kernel @k(%x: memref<1xf32>) {
  mlc_loop.parallel %p = 0 to 4 {
    mlc_loop.last_block %x[0] of 4 : memref<1xf32> {
      %one = arith.constant 1 : i32
    }
  }
}

// -----

// CHECK: error: mlc_loop.last_block: at least one iteration arrives at a counter
mlc_loop.kernel @k(%x: memref<1xi32>) {
  mlc_loop.parallel %p = 0 to 4 {
    mlc_loop.last_block %x[0] of 0 : memref<1xi32> {
      %one = arith.constant 1 : i32
    }
  }
}

// -----

// CHECK: error: mlc_loop.last_block: must be in a parallel loop, and its counter indexed by that loop alone
mlc_loop.kernel @k(%x: memref<4xi32>) {
  mlc_loop.parallel %p = 0 to 4 {
    mlc_loop.parallel %r = 0 to 4 {
      mlc_loop.last_block %x[%p] of 4 : memref<4xi32> {
        %one = arith.constant 1 : i32
      }
    }
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: must be in the outer parallel loop of a kernel, directly
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %p = 0 to 2 {
    mlc_loop.parallel %q = 0 to 8 {
      %v = mlc_loop.load %x[%q] : memref<8xf32>
      %a = mlc_loop.exclusive_prefix add %v of 4 in %told : memref<9xi64> -> f32
    }
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: needs one iteration a program, in ascending order (no block or swizzle): else programs deadlock
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 program 0 block 2 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.exclusive_prefix add %v of 4 in %told : memref<9xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: needs programs in ascending order (not backwards): else they deadlock
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 program 0 backwards {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.exclusive_prefix add %v of 4 in %told : memref<9xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: needs one iteration a program, in ascending order (no block or swizzle): else programs deadlock
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 program 0 swizzle 2 by 4 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.exclusive_prefix add %v of 4 in %told : memref<9xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: a loop has at most one exclusive prefix: give all values to one op
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.exclusive_prefix add %v of 4 in %told : memref<9xi64> -> f32
    %b = mlc_loop.exclusive_prefix add %v of 4 in %told : memref<9xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: 8 iterations are not a multiple of 3 rows
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.exclusive_prefix add %v of 3 in %told : memref<9xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: needs one kind for each value, of add, mul, max, min
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.exclusive_prefix argmax %v of 4 in %told : memref<9xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: each result has the type of its input, of 32 or 64 bits
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %h = arith.truncf %v : f32 to f16
    %a = mlc_loop.exclusive_prefix add %h of 4 in %told : memref<9xi64> -> f16
  }
}

// -----

// CHECK: error: mlc_loop.exclusive_prefix: needs flags of type memref<9xi64>, not memref<8xi64>
mlc_loop.kernel @k(%x: memref<8xf32>, %told: memref<8xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.exclusive_prefix add %v of 4 in %told : memref<8xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.signal: needs programs in ascending order (not backwards): else they deadlock
mlc_loop.kernel @publish_backwards(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 backwards {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    mlc_loop.signal %v in %told[%q + 1] : f32, memref<9xi64>
  }
}

// -----

// CHECK: error: mlc_loop.signal: signals values of 32 or 64 bits, not f16
mlc_loop.kernel @publish_half(%x: memref<8xf16>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf16>
    mlc_loop.signal %v in %told[%q + 1] : f16, memref<9xi64>
  }
}

// -----

// CHECK: error: mlc_loop.signal: flags are a one-dimensional memref of i64, not memref<9xf32>
mlc_loop.kernel @publish_floats(%x: memref<8xf32>, %told: memref<9xf32>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    mlc_loop.signal %v in %told[%q + 1] : f32, memref<9xf32>
  }
}

// -----

// CHECK: error: mlc_loop.wait: waits for values of 32 or 64 bits, not f16
mlc_loop.kernel @await_half(%x: memref<8xf16>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf16>
    %a = mlc_loop.wait %told[%q + 1] : memref<9xi64> -> f16
  }
}

// -----

// CHECK: error: mlc_loop.wait: 2 indices for memref<9xi64>: give one for each dimension
mlc_loop.kernel @await_rank(%x: memref<8xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %a = mlc_loop.wait %told[%q, %q] : memref<9xi64> -> f32
  }
}

// -----

// CHECK: error: mlc_loop.signal: must be in the outer parallel loop of a kernel, directly
mlc_loop.kernel @publish_inside(%x: memref<8x4xf32>, %told: memref<9xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    mlc_loop.parallel %r = 0 to 4 {
      %v = mlc_loop.load %x[%q, %r] : memref<8x4xf32>
      mlc_loop.signal %v in %told[%q + 1] : f32, memref<9xi64>
    }
  }
}

// -----

// CHECK: error: mlc_loop.reduce: only a loop of known size is unrolled
mlc_loop.kernel @unrolled(%x: memref<?xf32, strided<[1]>>, %out: memref<1xf32>) {
  mlc_loop.parallel %q = 0 to 1 {
    %t = mlc_loop.reduce add %k = 0 to N block 2 unrolled -> f32 {
      %v = mlc_loop.load %x[%k] : memref<?xf32, strided<[1]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %t, %out[%q] : memref<1xf32>
  }
}

// -----

// CHECK: error: mlc_loop.parallel: a loop in blocks that has loops inside cannot be peeled
mlc_loop.kernel @k(%x: memref<33x64xf32>) {
  mlc_loop.parallel %i = 0 to 33 program 0 block 16 peeled {
    mlc_loop.parallel %j = 0 to 64 {
      %v = mlc_loop.load %x[%i, %j] : memref<33x64xf32>
      mlc_loop.store %v, %x[%i, %j] : memref<33x64xf32>
    }
  }
}

// -----

// CHECK: error: mlc_loop.parallel: only a loop that is mapped to programs and has no `overlap` is peeled
mlc_loop.kernel @k(%x: memref<33xf32>) {
  mlc_loop.parallel %i = 0 to 33 block 16 peeled {
    %v = mlc_loop.load %x[%i] : memref<33xf32>
    mlc_loop.store %v, %x[%i] : memref<33xf32>
  }
}

// -----

// An extent for each axis, and an index for each extent.
// CHECK: error: the indices are 2 and the extents 3: give an extent for each
mlc_loop.kernel @k(%x: memref<2x3xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (2, 3, 4) {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: the body has an argument of type index for each extent, and there is at least one
mlc_loop.kernel @k(%x: memref<2x3xf32>) {
  "mlc_loop.parallel"() <{extents = ["2", "3"]}> ({
  ^bb0(%i : index):
  }) : () -> ()
}

// -----

// CHECK: error: mlc_loop.parallel: the body has an argument of type index for each extent, and there is at least one
mlc_loop.kernel @k(%x: memref<2x3xf32>) {
  "mlc_loop.parallel"() <{extents = []}> ({
  ^bb0:
  }) : () -> ()
}

// -----

// A schedule maps loops over one axis.
// CHECK: error: mlc_loop.parallel: only a loop over one axis is mapped to the GPU; linearize-axes makes one of several
mlc_loop.kernel @k(%x: memref<2x3xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (2, 3) program 0 block 2 {
  }
}

// -----

// CHECK: error: mlc_loop.reduce: only a loop over one axis is mapped to the GPU; linearize-axes makes one of several
mlc_loop.kernel @k(%x: memref<2x3xf32>) {
  %s = mlc_loop.reduce add (%i, %j) = 0 to (2, 3) stages 2 -> f32 {
    %v = mlc_loop.load %x[%i, %j] : memref<2x3xf32>
    mlc_loop.yield %v : f32
  }
}

// -----

// CHECK: one of unroll, tile, online, fission, part, exchange, programs, block, rows, columns, depth, group, descriptors, warps, stages, tail, swizzle, cache expected
mlc_loop.kernel @k(%x: memref<33xf32>) schedule <lanes = 4> {
  mlc_loop.parallel %i = 0 to 33 {
  }
}

// -----

// CHECK: schedule: columns is 48 and must be a power of two
mlc_loop.kernel @k(%x: memref<33xf32>) schedule <columns = 48> {
  mlc_loop.parallel %i = 0 to 33 {
  }
}

// -----

// CHECK: error: mlc_loop.reduce: `dot` adds products: each yielded value is an arith.mulf and each kind is add, or a kind is weighted
mlc_loop.kernel @no_product(%x: memref<16xf32>, %o: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 {
    %s = mlc_loop.reduce add dot %k = 0 to 16 -> f32 {
      %a = mlc_loop.load %x[%k] : memref<16xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %o[%i] : memref<16xf32>
  }
}

// -----

// CHECK: error: mlc_loop.reduce: `tf32` rounds the factors of sums: one kind is add or weighted
mlc_loop.kernel @rounded_maximum(%x: memref<16xf32>, %o: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 {
    %s = mlc_loop.reduce max tf32 %k = 0 to 16 -> f32 {
      %a = mlc_loop.load %x[%k] : memref<16xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %o[%i] : memref<16xf32>
  }
}

// -----

// CHECK: error: mlc_loop.parallel: group 3 must divide the 4 blocks
mlc_loop.kernel @group(%o: memref<64x64xf32>) {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 group 3 {
  }
}

// -----

// CHECK: error: mlc_loop.reduce: weighted sums with the weights of a softmax before it: give that kind first
mlc_loop.kernel @no_weights(%x: memref<16xf32>, %o: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 {
    %s = mlc_loop.reduce weighted %k = 0 to 16 -> f32 {
      %a = mlc_loop.load %x[%k] : memref<16xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %o[%i] : memref<16xf32>
  }
}

// -----

// CHECK: error: mlc_loop.reduce: `visible` has two bounds, where all kinds are softmax or weighted, or all are add
mlc_loop.kernel @hidden_maximum(%x: memref<16xf32>, %o: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 {
    %s = mlc_loop.reduce max %k = 0 to 16 visible [0, %i + 1] -> f32 {
      %a = mlc_loop.load %x[%k] : memref<16xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %o[%i] : memref<16xf32>
  }
}

// -----

// Sizes are no values: the operands d0, d1, ... belong to indices.
// CHECK: error: %n is a value: a size is written with numbers and names, such as N * 4
mlc_loop.kernel @k(%x: memref<6xf32>) {
  mlc_loop.parallel %i = 0 to %n {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: the index uses d0, but has 0 operand(s)
mlc_loop.kernel @k(%x: memref<6xf32>) {
  mlc_loop.parallel %i = 0 to d0 {
  }
}

// -----

// CHECK: error: mlc_loop.reduce: the index uses d1, but has 1 operand(s)
mlc_loop.kernel @k(%x: memref<6x6xf32>) {
  mlc_loop.parallel %i = 0 to 6 {
    %m, %s = mlc_loop.reduce softmax %j = 0 to 6 visible [%i, d1] -> f32, f32 {
      %v = mlc_loop.load %x[%i, %j] : memref<6x6xf32>
      mlc_loop.yield %v : f32
    }
  }
}

// -----

// CHECK: error: mlc_loop.index: 2 expressions, where there is one place: give one
mlc_loop.kernel @k(%x: memref<6xf32>) {
  mlc_loop.parallel %i = 0 to 6 {
    %v = mlc_loop.index [%i, 1] : i64
  }
}

// -----

// CHECK: error: mlc_loop.indirect_index: the index uses d0, but has 0 operand(s)
mlc_loop.kernel @k(%x: memref<6xi64>) {
  mlc_loop.parallel %i = 0 to 6 {
    %v = mlc_loop.load %x[%i] : memref<6xi64>
    %g = mlc_loop.indirect_index %v below d0 : i64
  }
}

// -----

// CHECK: error: mlc_loop.parallel: `shares` is at least 1, and not given beside `tile` or `lanes`
mlc_loop.kernel @both(%x: memref<33xf32>) {
  mlc_loop.parallel %i = 0 to 33 lanes 4 shares 4 {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: `shares` is at least 1, and not given beside `tile` or `lanes`
mlc_loop.kernel @none(%x: memref<33xf32>) {
  mlc_loop.parallel %i = 0 to 33 shares 0 {
  }
}

// -----

// CHECK: error: mlc_loop.reduce: `span` has two bounds, of a loop with weighted sums or loops inside
mlc_loop.kernel @plain_span(%x: memref<16xf32>, %o: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 {
    %s = mlc_loop.reduce max %k = 0 to 16 span [0, %i + 1] -> f32 {
      %a = mlc_loop.load %x[%k] : memref<16xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %o[%i] : memref<16xf32>
  }
}

// -----

// CHECK: error: mlc_loop.parallel: `persistent PROGRAMS` is at least 1, and needs `program`
mlc_loop.kernel @no_programs(%x: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 block 4 persistent 2 {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: `slices COUNT` is 2, 4 or 8
mlc_loop.kernel @three_slices(%x: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 program 0 block 4 slices 3 {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: `persistent` needs one loop inside that is mapped to programs as well
mlc_loop.kernel @no_columns(%x: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 program 0 block 4 persistent 2 {
  }
}

// -----

// CHECK: error: mlc_loop.parallel: `slices` needs one sum of products inside, with `dot`
mlc_loop.kernel @no_products(%x: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 program 0 block 4 slices 2 {
  }
}
