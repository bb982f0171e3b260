// RUN: not mlc-opt %s -p loop-to-triton --split-input-file 2>&1 | filecheck %s

// CHECK: error: loop-to-triton: this mlc_loop.reduce must be in a loop over a block of columns in a loop over a block of rows
// CHECK: the pass `tile-products` makes such loops
mlc_loop.kernel @product_without_columns(%a: memref<64x64xf32>, %v: memref<64xf32>, %out: memref<64xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    %o = mlc_loop.reduce add dot %j = 0 to 64 block 32 -> f32 {
      %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
      %y = mlc_loop.load %v[%j] : memref<64xf32>
      %z = arith.mulf %x, %y : f32
      mlc_loop.yield %z : f32
    }
    mlc_loop.store %o, %out[%p] : memref<64xf32>
  }
}

// -----

// CHECK: error: loop-to-triton: this mlc_loop.reduce must be in a loop over a block of columns in a loop over a block of rows, {{.*}} no condition
mlc_loop.kernel @product_with_a_condition(%a: memref<64x64xf32>, %v: memref<64x16xf32>, %out: memref<64x16xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 16 block 16 {
      %o = mlc_loop.reduce add dot %j = 0 to 64 block 32 -> f32 {
        %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
        %y = mlc_loop.load %v[%j, %r] : memref<64x16xf32>
        %c = arith.cmpf ogt, %x, %y : f32
        %z = arith.mulf %x, %y : f32
        mlc_loop.yield if %c %z : f32
      }
      mlc_loop.store %o, %out[%p, %r] : memref<64x16xf32>
    }
  }
}

// -----

// CHECK: error: loop-to-triton: this mlc_loop.reduce must be in a loop over a block of rows
mlc_loop.kernel @online_without_a_block(%a: memref<64x64xf32>, %v: memref<64xf32>, %out: memref<64xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 {
    %m, %s, %o = mlc_loop.reduce softmax, weighted %j = 0 to 64 block 32 -> f32, f32, f32 {
      %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
      %y = mlc_loop.load %v[%j] : memref<64xf32>
      mlc_loop.yield %x, %y : f32, f32
    }
    mlc_loop.store %o, %out[%p] : memref<64xf32>
  }
}

// -----

// CHECK: error: loop-to-triton: weighted is no sum of products of blocks here: exactly one factor must depend on the columns, and not on the rows
mlc_loop.kernel @weighted_without_dot(%a: memref<64x64xf32>, %v: memref<64xf32>, %out: memref<64xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    %m, %s, %o = mlc_loop.reduce softmax, weighted %j = 0 to 64 block 32 -> f32, f32, f32 {
      %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
      %y = mlc_loop.load %v[%j] : memref<64xf32>
      mlc_loop.yield %x, %y : f32, f32
    }
    mlc_loop.store %o, %out[%p] : memref<64xf32>
  }
}

// -----

// CHECK: error: loop-to-triton: weighted is no sum of products of blocks here: exactly one factor must depend on the columns, and not on the rows
mlc_loop.kernel @weighted_of_rows_and_columns(%a: memref<64x64xf32>, %v: memref<64x16xf32>, %out: memref<64x16xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 16 block 16 {
      %m, %s, %o = mlc_loop.reduce softmax, weighted dot %j = 0 to 64 block 32 -> f32, f32, f32 {
        %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
        %y = mlc_loop.load %v[%p, %r] : memref<64x16xf32>
        mlc_loop.yield %x, %y : f32, f32
      }
      mlc_loop.store %o, %out[%p, %r] : memref<64x16xf32>
    }
  }
}

// -----

// A maximum of products is none of sums.
// CHECK: error: loop-to-triton: max is no sum of products of blocks here
mlc_loop.kernel @maximum_of_columns(%a: memref<64x64xf32>, %v: memref<64x16xf32>, %out: memref<64x16xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 16 block 16 {
      %m, %s, %o, %t = mlc_loop.reduce softmax, weighted, max dot %j = 0 to 64 block 32 -> f32, f32, f32, f32 {
        %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
        %y = mlc_loop.load %v[%j, %r] : memref<64x16xf32>
        mlc_loop.yield %x, %y, %y : f32, f32, f32
      }
      mlc_loop.store %t, %out[%p, %r] : memref<64x16xf32>
    }
  }
}

// -----

// CHECK: error: loop-to-triton: argmax cannot be computed beside products, block by block
// CHECK: only softmax, weighted, add, mul, max, min, and, or can: reduce argmax in a loop of its own
mlc_loop.kernel @place_beside_products(%a: memref<64x64xf32>, %v: memref<64x16xf32>, %out: memref<64xi64>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 16 block 16 {
      %m, %s, %o, %i = mlc_loop.reduce softmax, weighted, argmax dot %j = 0 to 64 block 32 -> f32, f32, f32, i64 {
        %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
        %y = mlc_loop.load %v[%j, %r] : memref<64x16xf32>
        mlc_loop.yield %x, %y, %x : f32, f32, f32
      }
      mlc_loop.store %i, %out[%p] : memref<64xi64>
    }
  }
}

// -----

// CHECK: error: loop-to-triton: a `described` load reads no matrix of rows or columns and of what is summed
// CHECK: leave `described` out: the pass `tile-products` gives it to loads of aligned matrices
mlc_loop.kernel @odd_rows(%x: memref<64x65xbf16>, %w: memref<64x64xbf16>, %o: memref<64x64xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 persistent 4 {
    mlc_loop.parallel %r = 0 to 64 program 1 block 64 {
      %s = mlc_loop.reduce add dot %k = 0 to 64 block 32 -> f32 {
        %a = mlc_loop.load %x[%p, %k] described : memref<64x65xbf16>
        %c = mlc_loop.load %w[%k, %r] described : memref<64x64xbf16>
        %d = arith.extf %a : bf16 to f32
        %e = arith.extf %c : bf16 to f32
        %m = arith.mulf %d, %e : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %s, %o[%p, %r] : memref<64x64xf32>
    }
  }
}

// -----

// A descriptor has sizes that are numbers.
// CHECK: error: loop-to-triton: a `described` load reads no matrix of rows or columns and of what is summed
mlc_loop.kernel @named_rows(%x: memref<?x64xbf16, ["N", "64"]>, %w: memref<64x64xbf16>, %o: memref<?x64xf32, ["N", "64"]>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to N program 0 block 16 persistent 4 {
    mlc_loop.parallel %r = 0 to 64 program 1 block 64 {
      %s = mlc_loop.reduce add dot %k = 0 to 64 block 32 -> f32 {
        %a = mlc_loop.load %x[%p, %k] described : memref<?x64xbf16, ["N", "64"]>
        %c = mlc_loop.load %w[%k, %r] described : memref<64x64xbf16>
        %d = arith.extf %a : bf16 to f32
        %e = arith.extf %c : bf16 to f32
        %m = arith.mulf %d, %e : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %s, %o[%p, %r] : memref<?x64xf32, ["N", "64"]>
    }
  }
}
