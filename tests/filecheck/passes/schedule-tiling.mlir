// RUN: mlc-opt %s -p schedule --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'schedule{predict=true}' --split-input-file | filecheck %s --check-prefix=MODEL

// A tiling written by hand is carried out as it stands.
// CHECK-LABEL: mlc_loop.kernel @by_hand(
// CHECK-SAME:    warps 8 index 32 why "as asked for"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 4096 block 512 -> f32 {
// MODEL-LABEL: @by_hand(
// MODEL-SAME:    why "as asked for"
mlc_loop.kernel @by_hand(%x: memref<4096x4096xf32>, %out: memref<4096xf32>) schedule <rows = 1, columns = 512, warps = 8, stages = 1> {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// Several rows, and loads two blocks ahead.
// CHECK-LABEL: mlc_loop.kernel @columns(
// CHECK-SAME:    warps 4
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 4096 block 16 stages 3 -> f32 {
mlc_loop.kernel @columns(%x: memref<4096x4096xf32>, %out: memref<4096xf32>) schedule <rows = 64, columns = 16, warps = 4, stages = 3> {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// Without one the pass chooses; the model of time says what it expects, and what it would take, where it is asked.
// CHECK-LABEL: mlc_loop.kernel @chosen(
// CHECK-NOT:     predicted
// MODEL-LABEL: mlc_loop.kernel @chosen(
// MODEL-SAME:    us predicted, bound by memory; {{[0-9.]+}} us with {{[0-9]+}} rows, 1 columns, {{[0-9]+}} warps
mlc_loop.kernel @chosen(%x: memref<33554432xf32>, %out: memref<33554432xf32>) {
  mlc_loop.parallel %p = 0 to 33554432 {
    %v = mlc_loop.load %x[%p] : memref<33554432xf32>
    %w = arith.addf %v, %v : f32
    mlc_loop.store %w, %out[%p] : memref<33554432xf32>
  }
}

// -----

// Few columns: many rows fill a block.
// CHECK-LABEL: mlc_loop.kernel @few_columns(
// CHECK-SAME:    why "{{128|256|512}} row(s) looped by 8 columns"
// MODEL-LABEL: mlc_loop.kernel @few_columns(
// MODEL-SAME:    us predicted, bound by memory;
mlc_loop.kernel @few_columns(%x: memref<12544x2048xbf16>, %out: memref<256x2048xf32>) {
  mlc_loop.parallel %p = 0 to 524288 {
    %s = mlc_loop.reduce add %r = 0 to 49 -> f32 {
      %v = mlc_loop.load %x[%p floordiv 2048 * 49 + %r, %p mod 2048] : memref<12544x2048xbf16>
      %w = arith.extf %v : bf16 to f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %s, %out[%p floordiv 2048, %p mod 2048] : memref<256x2048xf32>
  }
}

// -----

// What is not asked for is chosen among the tilings that suit the rest.
// CHECK-LABEL: mlc_loop.kernel @in_part(
// CHECK-SAME:    ) warps 16 index 32 why "as asked for" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 1 {
mlc_loop.kernel @in_part(%x: memref<4096x4096xf32>, %out: memref<4096xf32>) schedule <rows = 1, warps = 16> {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// The last block of 1001 rows: masked, beginning early, or peeled.
// CHECK-LABEL: mlc_loop.kernel @masked(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1001 program 0 block 64 {
mlc_loop.kernel @masked(%x: memref<64x1001xf32>, %out: memref<1001xf32>) schedule <rows = 64, columns = 64, warps = 4, tail = mask> {
  mlc_loop.parallel %p = 0 to 1001 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<64x1001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1001xf32>
  }
}

// -----

// The tiling is open, the tail is not.
// CHECK-LABEL: mlc_loop.kernel @masked_by_rules(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1001 program 0 block {{[0-9]+}} {
mlc_loop.kernel @masked_by_rules(%x: memref<64x1001xf32>, %out: memref<1001xf32>) schedule <tail = mask> {
  mlc_loop.parallel %p = 0 to 1001 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<64x1001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1001xf32>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @overlapping(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1001 program 0 block 64 overlap 1001 {
mlc_loop.kernel @overlapping(%x: memref<64x1001xf32>, %out: memref<1001xf32>) schedule <rows = 64, columns = 64, warps = 4, tail = overlap> {
  mlc_loop.parallel %p = 0 to 1001 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<64x1001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1001xf32>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @peeled(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1001 program 0 block 128 peeled {
mlc_loop.kernel @peeled(%x: memref<1001xf32>, %out: memref<1001xf32>) schedule <rows = 128, columns = 1, warps = 4, tail = peel> {
  mlc_loop.parallel %p = 0 to 1001 {
    %v = mlc_loop.load %x[%p] : memref<1001xf32>
    mlc_loop.store %v, %out[%p] : memref<1001xf32>
  }
}

// -----

// Eight rows of 4096 are more than registers hold beside anything else: more rows, and the columns in blocks.
// CHECK-LABEL: mlc_loop.kernel @long_rows_across(
// MODEL-LABEL: mlc_loop.kernel @long_rows_across(
// MODEL-SAME:    us predicted, bound by memory;
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16384 program 0 block {{8|16|32}} {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 4096 block {{[0-9]+}} -> f32 {
mlc_loop.kernel @long_rows_across(%x: memref<16384x4096xf32>, %z: memref<16384x4096xf32>, %w: memref<16384x4096xf32>, %y: memref<4096x16384xf32>) {
  mlc_loop.parallel %p = 0 to 16384 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x4096xf32>
      %g = mlc_loop.load %z[%p, %r] : memref<16384x4096xf32>
      %d = arith.subf %v, %s : f32
      %e = arith.addf %d, %g : f32
      mlc_loop.store %d, %w[%p, %r] : memref<16384x4096xf32>
      mlc_loop.store %d, %z[%p, %r] : memref<16384x4096xf32>
      mlc_loop.store %e, %y[%r, %p] : memref<4096x16384xf32>
    }
  }
}

// -----

// Columns of memory that are read twice: the model has registers hold them. ptxas decides how many: with all that it can
// have, it would take so many that fewer programs run at once.
// CHECK-LABEL: mlc_loop.kernel @columns_in_registers(
// CHECK-SAME:    warps 16 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 65536 program 0 block 32 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 512 block 512 -> f32 {
mlc_loop.kernel @columns_in_registers(%x: memref<512x65536xf32>, %out: memref<512x65536xf32>) {
  mlc_loop.parallel %p = 0 to 65536 {
    %m = mlc_loop.reduce max %r = 0 to 512 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<512x65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 512 {
      %v = mlc_loop.load %x[%r, %p] : memref<512x65536xf32>
      %d = arith.subf %v, %m : f32
      mlc_loop.store %d, %out[%r, %p] : memref<512x65536xf32>
    }
  }
}

// -----

// A hundredth of what is moved lies along the rows: a program holds a row, whose columns are contiguous in runs of 49, by as
// many warps as suit it.
// CHECK-LABEL: mlc_loop.kernel @a_factor_across(
// CHECK-SAME:    warps 8 index 32 resident 6 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 768 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 1568 block 2048 -> f32 {
mlc_loop.kernel @a_factor_across(%x: memref<32x768x49xf32>, %s: memref<32x768xf32>, %y: memref<32x768x49xf32>) {
  mlc_loop.parallel %p = 0 to 768 {
    %m = mlc_loop.reduce add %r = 0 to 1568 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 49, %p, %r mod 49] : memref<32x768x49xf32>
      %f = mlc_loop.load %s[%r floordiv 49, %p] : memref<32x768xf32>
      %t = arith.mulf %v, %f : f32
      mlc_loop.yield %t : f32
    }
    mlc_loop.parallel %r = 0 to 1568 {
      %v = mlc_loop.load %x[%r floordiv 49, %p, %r mod 49] : memref<32x768x49xf32>
      %d = arith.subf %v, %m : f32
      mlc_loop.store %d, %y[%r floordiv 49, %p, %r mod 49] : memref<32x768x49xf32>
    }
  }
}

// -----

// Little of what is moved is written along the rows: one row at once would write an eighth of a sector of memory for each
// column. The model takes 16, which write whole sectors.
// CHECK-LABEL: mlc_loop.kernel @a_result_across(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16384 program 0 block 16 {
mlc_loop.kernel @a_result_across(%x: memref<16384x1024xf32>, %z: memref<16384x1024xf32>, %w: memref<16384x1024xf32>, %y: memref<1024x16384xf32>) {
  mlc_loop.parallel %p = 0 to 16384 {
    %s = mlc_loop.reduce add %r = 0 to 1024 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1024 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x1024xf32>
      %g = mlc_loop.load %z[%p, %r] : memref<16384x1024xf32>
      %d = arith.subf %v, %s : f32
      %e = arith.addf %d, %g : f32
      mlc_loop.store %d, %w[%p, %r] : memref<16384x1024xf32>
      mlc_loop.store %d, %z[%p, %r] : memref<16384x1024xf32>
      mlc_loop.store %e, %y[%r, %p] : memref<1024x16384xf32>
    }
  }
}

// -----

// A short sum of 16 rows in front of a longer loop takes 8 columns, of which 4 are masked. Of 64 elements Triton would
// give a lane whole rows, and broadcast the result along the 256 columns before lanes exchange it.
// CHECK-LABEL: mlc_loop.kernel @short_before_long(
// CHECK:         mlc_loop.reduce add %r = 0 to 4 block 8 -> f32 {
// CHECK:         mlc_loop.parallel %{{.*}} = 0 to 256 block 256 {
mlc_loop.kernel @short_before_long(%t: memref<1536x4xf32>, %x: memref<256x1536xf32>, %y: memref<256x1536xf32>) schedule <rows = 16, columns = 256, warps = 8> {
  mlc_loop.parallel %p = 0 to 1536 {
    %s = mlc_loop.reduce add %r = 0 to 4 -> f32 {
      %v = mlc_loop.load %t[%p, %r] : memref<1536x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%r, %p] : memref<256x1536xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %y[%r, %p] : memref<256x1536xf32>
    }
  }
}

// -----

// One row: all lanes have its sum.
// CHECK-LABEL: mlc_loop.kernel @short_of_one_row(
// CHECK:         mlc_loop.reduce add %r = 0 to 4 block 4 -> f32 {
mlc_loop.kernel @short_of_one_row(%t: memref<1536x4xf32>, %x: memref<1536x256xf32>, %y: memref<1536x256xf32>) schedule <rows = 1, columns = 256, warps = 2> {
  mlc_loop.parallel %p = 0 to 1536 {
    %s = mlc_loop.reduce add %r = 0 to 4 -> f32 {
      %v = mlc_loop.load %t[%p, %r] : memref<1536x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<1536x256xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %y[%p, %r] : memref<1536x256xf32>
    }
  }
}
