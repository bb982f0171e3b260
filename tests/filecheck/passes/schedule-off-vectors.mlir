// RUN: mlc-opt %s -p 'schedule' --split-input-file | filecheck %s

// Of odd many elements the last block has code of its own, so that all others are loaded and stored by vectors.
// CHECK-LABEL: mlc_loop.kernel @odd(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 800001 program 0 block 1024 peeled {
mlc_loop.kernel @odd(%x: memref<800001xbf16>, %out: memref<800001xbf16>) schedule <rows = 1024, columns = 1, warps = 4> {
  mlc_loop.parallel %p = 0 to 800001 {
    %v = mlc_loop.load %x[%p] : memref<800001xbf16>
    mlc_loop.store %v, %out[%p] : memref<800001xbf16>
  }
}

// -----

// Of whole vectors the mask says the same of all elements of each.
// CHECK-LABEL: mlc_loop.kernel @even(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 800016 program 0 block 1024 {
mlc_loop.kernel @even(%x: memref<800016xbf16>, %out: memref<800016xbf16>) schedule <rows = 1024, columns = 1, warps = 4> {
  mlc_loop.parallel %p = 0 to 800016 {
    %v = mlc_loop.load %x[%p] : memref<800016xbf16>
    mlc_loop.store %v, %out[%p] : memref<800016xbf16>
  }
}

// -----

// A few programs are soon done: twice the code would not be.
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 80001 program 0 block 1024 {
mlc_loop.kernel @few(%x: memref<80001xbf16>, %out: memref<80001xbf16>) schedule <rows = 1024, columns = 1, warps = 4> {
  mlc_loop.parallel %p = 0 to 80001 {
    %v = mlc_loop.load %x[%p] : memref<80001xbf16>
    mlc_loop.store %v, %out[%p] : memref<80001xbf16>
  }
}

// -----

// What its last programs do behind the elements would stand there twice.
// CHECK-LABEL: mlc_loop.kernel @adds_up(
// CHECK-NOT:     peeled
mlc_loop.kernel @adds_up(%x: memref<800001xf32>, %part: memref<3x266667xf32>, %out: memref<266667xf32>, %arrived: memref<266667xi32>) schedule <rows = 1024, columns = 1, warps = 4> {
  mlc_loop.parallel %p = 0 to 800001 {
    %v = mlc_loop.load %x[%p] : memref<800001xf32>
    mlc_loop.store %v, %part[%p floordiv 266667, %p mod 266667] : memref<3x266667xf32>
    mlc_loop.last_block %arrived[%p mod 266667] of 3 : memref<266667xi32> {
      %w = mlc_loop.load %part[1, %p mod 266667] : memref<3x266667xf32>
      mlc_loop.store %w, %out[%p mod 266667] : memref<266667xf32>
    }
  }
}

// -----

// Rows of a table that begin anywhere stay flat.
// CHECK-LABEL: mlc_loop.kernel @rows_of_a_table(
// CHECK-SAME:    warps 8 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4004000 program 0 block 1024 {
mlc_loop.kernel @rows_of_a_table(%t: memref<500x1001xbf16>, %at: memref<4000xi64>, %out: memref<4000x1001xbf16>) {
  mlc_loop.parallel %p = 0 to 4004000 {
    %i = mlc_loop.load %at[%p floordiv 1001] : memref<4000xi64>
    %j = mlc_loop.indirect_index %i below 500 : i64
    %v = mlc_loop.load %t[%j, %p mod 1001] : memref<500x1001xbf16>
    mlc_loop.store %v, %out[%p floordiv 1001, %p mod 1001] : memref<4000x1001xbf16>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @elements_of_a_table(
// CHECK-SAME:    warps 8 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4004000 program 0 block 1024 {
mlc_loop.kernel @elements_of_a_table(%t: memref<500xbf16>, %at: memref<4004000xi64>, %out: memref<4004000xbf16>) {
  mlc_loop.parallel %p = 0 to 4004000 {
    %i = mlc_loop.load %at[%p] : memref<4004000xi64>
    %j = mlc_loop.indirect_index %i below 500 : i64
    %v = mlc_loop.load %t[%j] : memref<500xbf16>
    mlc_loop.store %v, %out[%p] : memref<4004000xbf16>
  }
}

// -----

// Scans of rows that begin anywhere: short blocks of few lanes, which wait for each other for each element of a lane.
// CHECK-LABEL: mlc_loop.kernel @scan(
// CHECK-SAME:    warps 1 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 4097 block 512 {
mlc_loop.kernel @scan(%x: memref<4096x4097xbf16>, %out: memref<4096x4097xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 4097 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4097xbf16>
      %s = mlc_loop.scan "add" %v : bf16 -> bf16
      mlc_loop.store %s, %out[%p, %r] : memref<4096x4097xbf16>
    }
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @aligned_scan(
// CHECK-SAME:    warps 8 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 4096 block 4096 {
mlc_loop.kernel @aligned_scan(%x: memref<4096x4096xbf16>, %out: memref<4096x4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 4096 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4096xbf16>
      %s = mlc_loop.scan "add" %v : bf16 -> bf16
      mlc_loop.store %s, %out[%p, %r] : memref<4096x4096xbf16>
    }
  }
}

// -----

// Columns three elements apart share sectors of memory, where neighbours down a column do not.
// CHECK-LABEL: mlc_loop.kernel @every_third(
// CHECK-SAME:    warps 4 index 32 resident 5 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40000 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 1000 block 8 -> f32 {
mlc_loop.kernel @every_third(%x: memref<1000x40000xf32, strided<[120000, 3]>>, %out: memref<40000xf32>) {
  mlc_loop.parallel %p = 0 to 40000 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x40000xf32, strided<[120000, 3]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<40000xf32>
  }
}

// -----

// Columns of whole sectors each do not: whole rows are held, a few at once.
// CHECK-LABEL: mlc_loop.kernel @every_eighth(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40000 program 0 block {{[124]}} {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 1000 block 1024 -> f32 {
mlc_loop.kernel @every_eighth(%x: memref<1000x40000xf32, strided<[320000, 8]>>, %out: memref<40000xf32>) {
  mlc_loop.parallel %p = 0 to 40000 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x40000xf32, strided<[320000, 8]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<40000xf32>
  }
}

// -----

// Of 16-bit columns that begin anywhere each register holds one element: variances want as many as there are.
// CHECK-LABEL: mlc_loop.kernel @halves(
// CHECK-SAME:    warps 4 index 32 uncapped why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 400001 program 0 block 64 overlap 400001 {
// CHECK-NEXT:      mlc_loop.reduce welford %r = 0 to 1000 block 32 -> f32, f32 {
mlc_loop.kernel @halves(%x: memref<1000x400001xbf16>, %out: memref<2x400001xf32>) schedule <rows = 64, columns = 32, warps = 4> {
  mlc_loop.parallel %p = 0 to 400001 {
    %s, %q = mlc_loop.reduce welford %r = 0 to 1000 -> f32, f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x400001xbf16>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %s, %out[0, %p] : memref<2x400001xf32>
    mlc_loop.store %q, %out[1, %p] : memref<2x400001xf32>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @floats(
// CHECK-NOT:     uncapped
mlc_loop.kernel @floats(%x: memref<1000x400001xf32>, %out: memref<2x400001xf32>) schedule <rows = 64, columns = 32, warps = 4> {
  mlc_loop.parallel %p = 0 to 400001 {
    %s, %q = mlc_loop.reduce welford %r = 0 to 1000 -> f32, f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x400001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0, %p] : memref<2x400001xf32>
    mlc_loop.store %q, %out[1, %p] : memref<2x400001xf32>
  }
}

// -----

// Rows with a variance that are read again, beside weights that begin elsewhere: few columns at once.
// CHECK-LABEL: mlc_loop.kernel @weighted(
// CHECK-SAME:    warps 8 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce welford %r = 0 to 50240 block 2048 -> f32, f32 {
mlc_loop.kernel @weighted(%x: memref<4096x50240xf32>, %w: memref<50257xf32>, %out: memref<4096x50240xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s, %q = mlc_loop.reduce welford %r = 0 to 50240 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50240xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 50240 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50240xf32>
      %u = mlc_loop.load %w[-%p * 50257 + %r + ((%p * 50257 + 15) floordiv 16) * 16] : memref<50257xf32>
      %y = arith.mulf %v, %u : f32
      %z = arith.addf %y, %q : f32
      mlc_loop.store %z, %out[%p, %r] : memref<4096x50240xf32>
    }
  }
}

// -----

// Rows run over lines of 13 x 945 elements: blocks of 64 lie within these, and neighbours are neighbours in memory.
// CHECK-LABEL: mlc_loop.kernel @lines(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 85995 program 0 block 64 overlap 12285 {
mlc_loop.kernel @lines(%x: memref<7x55x13x945xf32>, %out: memref<7x13x945xf32>) schedule <rows = 64, columns = 64, warps = 8> {
  mlc_loop.parallel %p = 0 to 85995 {
    %s = mlc_loop.reduce add %r = 0 to 55 -> f32 {
      %v = mlc_loop.load %x[%p floordiv 12285, %r, (%p floordiv 945) mod 13, %p mod 945] : memref<7x55x13x945xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p floordiv 12285, (%p floordiv 945) mod 13, %p mod 945] : memref<7x13x945xf32>
  }
}

// -----

// Of lines of 65 a block more would be nearly all done twice.
// CHECK-LABEL: mlc_loop.kernel @short_lines(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 65000 program 0 block 64 overlap 65000 {
mlc_loop.kernel @short_lines(%x: memref<1000x55x65xf32>, %out: memref<1000x65xf32>) schedule <rows = 64, columns = 64, warps = 8> {
  mlc_loop.parallel %p = 0 to 65000 {
    %s = mlc_loop.reduce add %r = 0 to 55 -> f32 {
      %v = mlc_loop.load %x[%p floordiv 65, %r, %p mod 65] : memref<1000x55x65xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p floordiv 65, %p mod 65] : memref<1000x65xf32>
  }
}

// -----

// 77 columns are 3 blocks of 32, not 2 of 64.
// CHECK-LABEL: mlc_loop.kernel @narrow(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 7700 program 0 block 32 overlap 77 {
mlc_loop.kernel @narrow(%x: memref<100x3000x77xf32>, %out: memref<7700xf32>) schedule <rows = 32, columns = 64, warps = 8> {
  mlc_loop.parallel %q = 0 to 7700 overlap 77 {
    %s = mlc_loop.reduce add %r = 0 to 3000 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 77, %r, %q mod 77] : memref<100x3000x77xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%q] : memref<7700xf32>
  }
}

// -----

// Where lanes compare there is much to do for each column: few of them a lane, and many programs.
// CHECK-LABEL: mlc_loop.kernel @search(
// CHECK-SAME:    warps 8 index 32 resident 5 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 10007 program 0 block 16 overlap 10007 {
// CHECK-NEXT:      mlc_loop.reduce argmax %r = 0 to 4097 block 128 -> i64 {
mlc_loop.kernel @search(%x: memref<4097x10007xf32>, %out: memref<10007xi64>) {
  mlc_loop.parallel %p = 0 to 10007 {
    %s = mlc_loop.reduce argmax %r = 0 to 4097 -> i64 {
      %v = mlc_loop.load %x[%r, %p] : memref<4097x10007xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<10007xi64>
  }
}
