// RUN: mlc-opt %s -p 'fuse,tensor-to-loop,linearize-axes,schedule,loop-to-triton,cse,dce' --split-input-file | filecheck %s

// Blocks that divide the size need no mask.
// CHECK-LABEL: mlc_triton.kernel @exp(
// CHECK-SAME:    grid [16] sizes []
// CHECK-NOT:     mlc_triton.mask
// CHECK:         func.func @whole(
func.func @whole(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = mlc_tensor.exp %x : tensor<4096xf32>
  func.return %e : tensor<4096xf32>
}

// -----

// Others mask loads and stores alike.
// CHECK-LABEL: mlc_triton.kernel @exp(
// CHECK-SAME:    grid [17] sizes []
// CHECK:         %mask = mlc_triton.mask %p < 4097
// CHECK-NEXT:    mlc_triton.load %x[%p] mask %mask
// CHECK:         mlc_triton.store %e_out[%p] = %e mask %mask
func.func @masked(%x: tensor<4097xf32>) -> tensor<4097xf32> {
  %e = mlc_tensor.exp %x : tensor<4097xf32>
  func.return %e : tensor<4097xf32>
}

// -----

// The last block of rows begins early, where the rows end, and no lane needs a mask; it may come first.
// CHECK-LABEL: mlc_triton.kernel @sum(
// CHECK-SAME:    grid [626] sizes [] num_warps 8 resident 5 why
// CHECK:         %[[FIRST:.*]] = mlc_triton.full 39937 : i32 : i32
// CHECK-NEXT:    %[[START:.*]] = arith.minsi %{{.*}}, %[[FIRST]] : i32
// CHECK:         %p = mlc_triton.index [%[[START]] + %lanes]
// CHECK-NOT:     mask
func.func @begins_early(%x: tensor<1024x40001xf32>) -> tensor<1x40001xf32> {
  %s = mlc_tensor.reduce add %x dims [0] : tensor<1024x40001xf32> -> tensor<1x40001xf32>
  func.return %s : tensor<1x40001xf32>
}

// -----

// CHECK-LABEL: mlc_triton.kernel @backwards(
// CHECK-SAME:    grid [6]
// CHECK:         %[[PROGRAM:.*]] = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %[[BACK:.*]] = mlc_triton.index [-%[[PROGRAM]] + 5] : (i32) -> i32
// CHECK-NEXT:    mlc_triton.index [(%[[BACK]] mod 3) * 16] : (i32) -> i32
// CHECK:         mlc_triton.index [%[[BACK]] floordiv 3] : (i32) -> i32
mlc_loop.kernel @backwards(%x: memref<80x64xf32>, %out: memref<80xf32>) warps 1 index 32 {
  mlc_loop.parallel %q = 0 to 80 program 0 block 16 overlap 40 backwards {
    %s = mlc_loop.reduce add %k = 0 to 64 block 64 -> f32 {
      %v = mlc_loop.load %x[%q, %k] : memref<80x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%q] : memref<80xf32>
  }
}

// -----

// A row that is held whole: lanes past its end give the reduction's identity, and both loops load it once.
// CHECK-LABEL: mlc_triton.kernel @max_sub(
// CHECK:         %mask = mlc_triton.mask %r < 40
// CHECK-COUNT-1: mlc_triton.load
// CHECK:         mlc_triton.full 0xff800000 : f32
// CHECK:         mlc_triton.where
// CHECK:         mlc_triton.reduce "max"
// CHECK-NOT:     mlc_triton.load
// CHECK:         mlc_triton.store
func.func @held(%x: tensor<64x40xf32>) -> tensor<64x40xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<64x40xf32> -> tensor<64x1xf32>
  %b = mlc_tensor.broadcast %m : tensor<64x1xf32> -> tensor<64x40xf32>
  %d = mlc_tensor.sub %x, %b : tensor<64x40xf32>
  func.return %d : tensor<64x40xf32>
}

// -----

// argmax is the greatest value, and then the lowest index that has it, or a NaN. An index is as wide as addresses are
// until it is stored.
// CHECK-LABEL: mlc_triton.kernel @argmax(
// CHECK:         %[[M:.*]] = mlc_triton.reduce "max" %[[X:.*]] : (tensor<2x64xf32>) -> tensor<2x1xf32>
// CHECK:         %[[HAS:.*]] = mlc_triton.cmp "eq" %[[X]], %{{.*}} : tensor<2x64xf32>
// CHECK-NEXT:    %[[NAN:.*]] = mlc_triton.cmp "ne" %[[X]], %[[X]] : tensor<2x64xf32>
// CHECK-NEXT:    %[[EITHER:.*]] = arith.ori %[[HAS]], %[[NAN]]
// CHECK:         %[[AT:.*]] = mlc_triton.where %[[EITHER]],
// CHECK:         %[[I:.*]] = mlc_triton.reduce "min" %[[AT]] : (tensor<2x64xi32>) -> tensor<2x1xi32>
// CHECK-NEXT:    %[[W:.*]] = mlc_triton.cast %[[I]] : tensor<2x1xi32> -> tensor<2x1xi64>
// CHECK-NEXT:    mlc_triton.store %{{.*}}[%p] = %[[W]]
func.func @best(%x: tensor<4x40xf32>) -> tensor<4x1xi64> {
  %m = mlc_tensor.reduce argmax %x dims [1] : tensor<4x40xf32> -> tensor<4x1xi64>
  func.return %m : tensor<4x1xi64>
}

// -----

// Lanes that meet their columns in order have the lower of equals already: nothing is compared but values.
// CHECK-LABEL: mlc_triton.kernel @argmax(
// CHECK:         %[[R:.*]] = mlc_triton.arange : tensor<{{[0-9]+}}xi32>
// CHECK:         "mlc_triton.for"(%{{.*}}, %[[R]])
// CHECK:           mlc_triton.cmp "gt"
// CHECK-NEXT:      mlc_triton.cmp "ne"
// CHECK-NEXT:      mlc_triton.cmp "eq"
// CHECK-NEXT:      arith.andi
// CHECK-NEXT:      arith.ori
// CHECK-NEXT:      mlc_triton.where
// CHECK-NEXT:      mlc_triton.where
// CHECK-NEXT:      mlc_triton.yield
func.func @best_of_many(%x: tensor<400x32768xf32>) -> tensor<400x1xi64> {
  %m = mlc_tensor.reduce argmax %x dims [1] : tensor<400x32768xf32> -> tensor<400x1xi64>
  func.return %m : tensor<400x1xi64>
}

// -----

// The last block has code of its own where its mask would make loads and stores narrow: here of odd many elements.
// CHECK-LABEL: mlc_triton.kernel @exp(
// CHECK-SAME:    grid [782]
// CHECK:         %[[WHOLE:.*]] = mlc_triton.mask %pid < 781 : (i32) -> i1
// CHECK-NEXT:    scf.if %[[WHOLE]] {
// CHECK-NEXT:      mlc_triton.load %x[%p] :
// CHECK:           mlc_triton.store %{{.*}}[%p] = %{{[a-z0-9_]*}} :
// CHECK:         } else {
// CHECK-NEXT:      %mask = mlc_triton.mask %p < 800001
// CHECK-NEXT:      mlc_triton.load %x[%p] mask %mask
// CHECK:           mlc_triton.store %{{.*}}[%p] = %{{.*}} mask %mask
func.func @peeled(%x: tensor<800001xf32>) -> tensor<800001xf32> {
  %e = mlc_tensor.exp %x : tensor<800001xf32>
  func.return %e : tensor<800001xf32>
}

// -----

// A long row: lanes accumulate in a loop, and are combined after it.
// CHECK-LABEL: mlc_triton.kernel @sum(
// CHECK:         %[[ZERO:.*]] = mlc_triton.full 0.000000e+00 : f32 : tensor<4096xf32>
// CHECK:         %[[ACC:.*]] = "mlc_triton.for"(%[[ZERO]])
// CHECK-SAME:      extent = "20000", step = 4096
// CHECK:           mlc_triton.mask %{{.*}} < 20000
// CHECK:           arith.addf
// CHECK-NEXT:      mlc_triton.yield
// CHECK:         mlc_triton.reduce "add" %[[ACC]] : (tensor<4096xf32>) -> f32
func.func @looped(%x: tensor<400x20000xf32>) -> tensor<400x1xf32> {
  %m = mlc_tensor.reduce add %x dims [1] : tensor<400x20000xf32> -> tensor<400x1xf32>
  func.return %m : tensor<400x1xf32>
}

// -----

// One row of one column: no block at all.
// CHECK-LABEL: mlc_triton.kernel @exp(
// CHECK-NEXT:    mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
// CHECK-NEXT:    math.exp %{{.*}} : f32
// CHECK-NEXT:    mlc_triton.store
func.func @rank_0(%x: tensor<f32>) -> tensor<f32> {
  %e = mlc_tensor.exp %x : tensor<f32>
  func.return %e : tensor<f32>
}

// -----

// An address that all lanes share is spread over them where their guards differ.
// CHECK-LABEL: mlc_triton.kernel @pad_slice_broadcast(
// CHECK:         %zeros = mlc_triton.full 0 : i32 : tensor<4xi32>
// CHECK:         mlc_triton.load %x[%zeros] mask %{{.*}} : (!mlc_triton.ptr<f32>, tensor<4xi32>, tensor<4xi1>) -> tensor<4xf32>
func.func @spread(%x: tensor<1xf32>) -> tensor<4xf32> {
  %p = mlc_tensor.pad %x low [1] value 0.0 : f32 : tensor<1xf32> -> tensor<2xf32>
  %s = mlc_tensor.slice %p [1] step [1] : tensor<2xf32> -> tensor<1xf32>
  %b = mlc_tensor.broadcast %s : tensor<1xf32> -> tensor<2xf32>
  %q = mlc_tensor.pad %b low [1] value 0.0 : f32 : tensor<2xf32> -> tensor<4xf32>
  func.return %q : tensor<4xf32>
}

// -----

// A named size is an argument of the kernel, and addresses have 64 bits.
// CHECK-LABEL: mlc_triton.kernel @exp(%x: !mlc_triton.ptr<f32>, %e_out: !mlc_triton.ptr<f32>, %N: i64)
// CHECK-SAME:    grid [(N * 8 + 1023) floordiv 1024] sizes ["N"]
// CHECK-NEXT:    mlc_triton.program_id 0 : i64
// CHECK:         mlc_triton.mask %p < %N * 8
func.func @dynamic(%x: tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xf32, ["N", "8"]> {
  %e = mlc_tensor.exp %x : tensor<?x8xf32, ["N", "8"]>
  func.return %e : tensor<?x8xf32, ["N", "8"]>
}

// -----

// Down columns of memory each lane keeps a max and a sum until the loop ends: an exp a step, of how far a value is from
// the max so far, which scales the sum if the value is greater, and is added to it if not.
// CHECK-LABEL: mlc_triton.kernel @apart(
// CHECK:         mlc_triton.for
// CHECK-NEXT:    ^bb0(%{{.*}}: i32, %[[OLD:.*]]: tensor<16x8xf32>, %[[SUM:.*]]: tensor<16x8xf32>):
// CHECK-NOT:       mlc_triton.reduce
// CHECK:           %[[NEW:.*]] = arith.maximumf %[[OLD]], %[[V:.*]] :
// CHECK:           %[[FAR:.*]] = arith.subf %[[V]], %[[OLD]]
// CHECK:           %[[ABS:.*]] = math.absf %[[FAR]]
// CHECK:           %[[NEG:.*]] = arith.negf %[[ABS]]
// CHECK:           %[[MIN:.*]] = arith.minnumf %[[NEG]]
// CHECK:           %[[EXP:.*]] = math.exp %[[MIN]]
// CHECK:           %[[MORE:.*]] = mlc_triton.cmp "gt" %[[FAR]]
// CHECK:           %[[SCALED:.*]] = mlc_triton.where %[[MORE]], %[[SUM]],
// CHECK:           %[[ADDED:.*]] = mlc_triton.where %[[MORE]], %{{.*}}, %[[SUM]]
// CHECK:           %[[TOTAL:.*]] = math.fma %[[EXP]], %[[SCALED]], %[[ADDED]]
// CHECK-NOT:       math.exp
// CHECK:           mlc_triton.yield %[[NEW]], %[[TOTAL]] : tensor<16x8xf32>, tensor<16x8xf32>
// CHECK:         %[[M:.*]] = mlc_triton.reduce "max" %{{.*}} : (tensor<16x8xf32>) -> tensor<16x1xf32>
// CHECK:         mlc_triton.reduce "add" %{{.*}} : (tensor<16x8xf32>) -> tensor<16x1xf32>
// CHECK:         mlc_triton.store %m_out[%p] = %[[M]]
mlc_loop.kernel @apart(%x: memref<64x32xf32>, %m_out: memref<32xf32>, %s_out: memref<32xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 32 program 0 block 16 {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 64 block 8 -> f32, f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<64x32xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %m_out[%p] : memref<32xf32>
    mlc_loop.store %s, %s_out[%p] : memref<32xf32>
  }
}

// -----

// Of one row lanes wait for each other at each block: one max and one sum.
// CHECK-LABEL: mlc_triton.kernel @together(
// CHECK:         mlc_triton.for
// CHECK:           mlc_triton.reduce "max"
// CHECK:           mlc_triton.yield %{{.*}}, %{{.*}} : f32, f32
mlc_loop.kernel @together(%x: memref<32x64xf32>, %m_out: memref<32xf32>, %s_out: memref<32xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 32 program 0 block 1 {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 64 block 8 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<32x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %m_out[%p] : memref<32xf32>
    mlc_loop.store %s, %s_out[%p] : memref<32xf32>
  }
}

// -----

// What a block shares is computed once for it, and what is left of an index for each lane; where nothing is shared
// the index stays in one piece.
// CHECK-LABEL: mlc_triton.kernel @shared(
// CHECK:         mlc_triton.load %x[((%pid * 1024 + %lanes + 3) mod 8192) + ((%pid floordiv 8) mod 64) * 8192]
// CHECK:         mlc_triton.load %x[(%p + 5) mod 4194304]
mlc_loop.kernel @shared(%x: memref<4194304xf32>, %a: memref<4194304xf32>, %b: memref<4194304xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 4194304 program 0 block 1024 {
    %v = mlc_loop.load %x[((%p floordiv 8192) mod 64) * 8192 + (%p + 3) mod 8192] : memref<4194304xf32>
    mlc_loop.store %v, %a[%p] : memref<4194304xf32>
    %w = mlc_loop.load %x[(%p + 5) mod 4194304] : memref<4194304xf32>
    mlc_loop.store %w, %b[%p] : memref<4194304xf32>
  }
}

// -----

// In turns among 4 runs of 16 blocks: only the program's number changes.
// CHECK-LABEL: mlc_triton.kernel @in_turns(
// CHECK-SAME:    grid [64] sizes []
// CHECK-NEXT:    %turn = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %pid = mlc_triton.index [(%turn floordiv 4) + (%turn mod 4) * 16] : (i32) -> i32
// CHECK-NEXT:    %lanes = mlc_triton.arange : tensor<64xi32>
// CHECK:         mlc_triton.load %b[%lanes + (%pid mod 16) * 64] : (!mlc_triton.ptr<f32>, i32, tensor<64xi32>)
// CHECK-NOT:     mask
mlc_loop.kernel @in_turns(%b: memref<1024xf32>, %out: memref<4096xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 4096 program 0 block 64 swizzle 4 by 16 {
    %v = mlc_loop.load %b[%p mod 1024] : memref<1024xf32>
    mlc_loop.store %v, %out[%p] : memref<4096xf32>
  }
}

// -----

// Of each 16 blocks in turns among 2 runs of 8, and one row a block.
// CHECK-LABEL: mlc_triton.kernel @in_turns_within(
// CHECK-NEXT:    %turn = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %p = mlc_triton.index [((%turn floordiv 2) mod 8) + (%turn floordiv 16) * 16 + (%turn mod 2) * 8] : (i32) -> i32
mlc_loop.kernel @in_turns_within(%b: memref<64xf32>, %out: memref<64xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 swizzle 2 by 8 {
    %v = mlc_loop.load %b[%p] : memref<64xf32>
    mlc_loop.store %v, %out[%p] : memref<64xf32>
  }
}

// -----

// The grid's first axis is that of the loop that says so.
// CHECK-LABEL: mlc_triton.kernel @second_axis_first(
// CHECK-SAME:    grid [3, 2] sizes []
// CHECK-NEXT:    %pid = mlc_triton.program_id 1 : i32
// CHECK:         %pid_r = mlc_triton.program_id 0 : i32
mlc_loop.kernel @second_axis_first(%x: memref<32x96xf32>, %out: memref<96x32xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 32 program 1 block 16 {
    mlc_loop.parallel %r = 0 to 96 program 0 block 32 {
      %v = mlc_loop.load %x[%p, %r] : memref<32x96xf32>
      mlc_loop.store %v, %out[%r, %p] : memref<96x32xf32>
    }
  }
}

// -----

// Backwards: the last program's block of rows first, and the last block of columns, which is the one with a mask. Of a
// named size the last block is known when the kernel runs.
// CHECK-LABEL: mlc_triton.kernel @backwards(
// CHECK:         %pid = mlc_triton.program_id 0 : i64
// CHECK-NEXT:    %[[PID:.*]] = mlc_triton.index [-%pid + ((%N + 15) floordiv 16) - 1]
// CHECK:         mlc_triton.index [%[[PID]] * 16 + %lanes]
// CHECK:         ^bb0(%r_start: i64):
// CHECK-NEXT:      %[[START:.*]] = mlc_triton.index [-%r_start + 16]
// CHECK-NEXT:      mlc_triton.index [%[[START]] + %r]
mlc_loop.kernel @backwards(%x: memref<?x20xf32, strided<[20, 1]>>, %y: memref<?x20xf32, strided<[20, 1]>>) warps 1 index 64 {
  mlc_loop.parallel %p = 0 to N program 0 block 16 backwards {
    mlc_loop.parallel %r = 0 to 20 block 8 backwards {
      %v = mlc_loop.load %x[%p, %r] : memref<?x20xf32, strided<[20, 1]>>
      mlc_loop.store %v, %y[%p, %r] : memref<?x20xf32, strided<[20, 1]>>
    }
  }
}

// -----

// Backwards, the last turn comes first.
// CHECK-LABEL: mlc_triton.kernel @in_turns_backwards(
// CHECK-NEXT:    %[[ID:.*]] = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %[[TURN:.*]] = mlc_triton.index [-%[[ID]] + 63] : (i32) -> i32
// CHECK-NEXT:    mlc_triton.index [(%[[TURN]] floordiv 4) + (%[[TURN]] mod 4) * 16] : (i32) -> i32
mlc_loop.kernel @in_turns_backwards(%b: memref<64xf32>, %out: memref<64xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 swizzle 4 by 16 backwards {
    %v = mlc_loop.load %b[%p] : memref<64xf32>
    mlc_loop.store %v, %out[%p] : memref<64xf32>
  }
}

// -----

// The parts of an address that all lanes share are added up once, for the load and the store; one part is no sum, and
// what divides a lane is no part by itself. Lanes that load the same element load it once, and repeat it.
// CHECK-LABEL: mlc_triton.kernel @shared(
// CHECK:         %base = mlc_triton.index [(%q floordiv 4) * 64 + (%q mod 4) * 4096] : (i32) -> i32
// CHECK-NEXT:    mlc_triton.load %x[%base + %{{.*}} + 3]
// CHECK-NOT:     %base_1
// CHECK:         mlc_triton.load %y[%{{.*}} + (%q mod 4) * 64]
// CHECK:         mlc_triton.store %out[%base + %{{.*}}] =
// CHECK-LABEL: mlc_triton.kernel @divided(
// CHECK-NOT:     %base
// CHECK:         %v = mlc_triton.load %x[((%{{.*}} + (%q floordiv 4) * 16) floordiv 25) * 7 + (%q mod 4) * 4096] : {{.*}} -> tensor<16xf32>
// CHECK-NEXT:    mlc_triton.repeat %v axis 0 : i64 : tensor<16xf32> -> tensor<64xf32>
mlc_loop.kernel @shared(%x: memref<16384xf32>, %y: memref<256xf32>, %out: memref<16384xf32>) warps 1 index 32 {
  mlc_loop.parallel %q = 0 to 252 program 0 block 1 {
    mlc_loop.parallel %k = 0 to 64 block 64 {
      %v = mlc_loop.load %x[(%q floordiv 4) * 64 + (%q mod 4) * 4096 + %k + 3] : memref<16384xf32>
      %w = mlc_loop.load %y[(%q mod 4) * 64 + %k] : memref<256xf32>
      %s = arith.addf %v, %w : f32
      mlc_loop.store %s, %out[(%q floordiv 4) * 64 + (%q mod 4) * 4096 + %k] : memref<16384xf32>
    }
  }
}
mlc_loop.kernel @divided(%x: memref<32768xf32>, %out: memref<252xf32>) warps 1 index 32 {
  mlc_loop.parallel %q = 0 to 252 program 0 block 1 {
    %m = mlc_loop.reduce add %k = 0 to 64 block 64 -> f32 {
      %v = mlc_loop.load %x[(((%q floordiv 4) * 64 + %k) floordiv 100) * 7 + (%q mod 4) * 4096] : memref<32768xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %out[%q] : memref<252xf32>
  }
}

// -----

// Rows 24 to 31 of each 40 are done by two blocks: what they change in place the first one stores, what they give both.
// CHECK-LABEL: mlc_triton.kernel @changed_once(
// CHECK:         %[[FIRST:.*]] = mlc_triton.index [(%{{.*}} mod 3) * 16] : (i32) -> i32
// CHECK:         %[[START:.*]] = arith.minsi %[[FIRST]], %{{.*}} : i32
// CHECK:         %[[ROW:.*]] = mlc_triton.index [%[[START]] + %{{.*}}]
// CHECK:         %[[LIMIT:.*]] = mlc_triton.broadcast %[[FIRST]]
// CHECK:         %[[MASK:.*]] = mlc_triton.cmp "ge" %[[ROW]], %[[LIMIT]]
// CHECK:         mlc_triton.store %m[%{{.*}}] = %{{.*}} mask %[[MASK]]
// CHECK:         mlc_triton.store %out[%{{.*}}] = %s : (
mlc_loop.kernel @changed_once(%x: memref<80x64xf32>, %m: memref<80xf32>, %out: memref<80xf32>) warps 1 index 32 {
  mlc_loop.parallel %q = 0 to 80 program 0 block 16 overlap 40 {
    %s = mlc_loop.reduce add %k = 0 to 64 block 64 -> f32 {
      %v = mlc_loop.load %x[%q, %k] : memref<80x64xf32>
      mlc_loop.yield %v : f32
    }
    %a = mlc_loop.load %m[%q] : memref<80xf32>
    %b = arith.addf %a, %s : f32
    mlc_loop.store %b, %m[%q] : memref<80xf32>
    mlc_loop.store %s, %out[%q] : memref<80xf32>
  }
}

// -----

// 8 divides a step of 32: lanes are divided without what a step changes, and what is read by their remainder alone is
// invariant. 24 does not divide 32: that index stays in one piece.
// CHECK-LABEL: mlc_triton.kernel @divided_in_steps(
// CHECK:           %base = mlc_triton.index [%q * 16384 + (%r_start floordiv 32) * 4096] : (i32, i32) -> i32
// CHECK-NEXT:      mlc_triton.load %x[%base + (%r floordiv 8) * 1024 + (%r mod 8)]
// CHECK-NEXT:      mlc_triton.load %w[%r mod 8]
// CHECK-NEXT:      mlc_triton.load %w[%r_1 mod 24]
mlc_loop.kernel @divided_in_steps(%x: memref<65536xf32>, %w: memref<24xf32>, %out: memref<4xf32>) warps 1 index 32 {
  mlc_loop.parallel %q = 0 to 4 program 0 block 1 {
    %s = mlc_loop.reduce add %r = 0 to 128 block 32 -> f32 {
      %a = mlc_loop.load %x[%q * 16384 + (%r floordiv 8) * 1024 + %r mod 8] : memref<65536xf32>
      %b = mlc_loop.load %w[%r mod 8] : memref<24xf32>
      %c = mlc_loop.load %w[%r mod 24] : memref<24xf32>
      %m = arith.mulf %a, %b : f32
      %n = arith.mulf %m, %c : f32
      mlc_loop.yield %n : f32
    }
    mlc_loop.store %s, %out[%q] : memref<4xf32>
  }
}

// -----

// Four neighbours read one row, and each of them a place of its own there: lanes stay as they are.
// CHECK-LABEL: mlc_triton.kernel @looked_up(
// CHECK-NOT:     mlc_triton.repeat
// CHECK:         mlc_triton.load %x[%{{[a-z_0-9]+}} + (%p floordiv 4) * 16] : {{.*}} -> tensor<64xf32>
mlc_loop.kernel @looked_up(%x: memref<16x16xf32>, %q: memref<64xi64>, %out: memref<64xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 64 {
    %i = mlc_loop.load %q[%p] : memref<64xi64>
    %g = mlc_loop.indirect_index %i below 16 : i64
    %v = mlc_loop.load %x[%p floordiv 4, %g] : memref<16x16xf32>
    mlc_loop.store %v, %out[%p] : memref<64xf32>
  }
}
