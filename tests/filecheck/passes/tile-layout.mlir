// RUN: mlc-opt %s -p schedule,tile-layout --split-input-file | filecheck %s
// RUN: mlc-opt %s -p schedule,tile-layout,tile-layout --split-input-file --print-op-generic | mlc-opt --split-input-file | filecheck %s

// Eight rows of 256 elements by eight warps: each lane has 8 neighbours of a row, which a vector of 256 weights does not
// give it. They are loaded for each row, in the loop that reduces and in the one that stores. One number a row is not.
// CHECK-LABEL: mlc_loop.kernel @norm(
// CHECK:           mlc_loop.load %x[%p, %r] : memref<1024x256xbf16>
// CHECK-NEXT:      mlc_loop.load %b[%r] each_row : memref<256xbf16>
// CHECK:           mlc_loop.load %x[%p, %{{.*}}] : memref<1024x256xbf16>
// CHECK-NEXT:      mlc_loop.load %w[%{{.*}}] each_row : memref<256xbf16>
// CHECK-NEXT:      mlc_loop.load %d[%p] : memref<1024xf32>
mlc_loop.kernel @norm(%x: memref<1024x256xbf16>, %b: memref<256xbf16>, %w: memref<256xbf16>, %d: memref<1024xf32>, %y: memref<1024x256xf32>) schedule <rows = 8, columns = 256, warps = 8> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xbf16>
      %c = mlc_loop.load %b[%r] : memref<256xbf16>
      %s = arith.mulf %v, %c : bf16
      %f = arith.extf %s : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xbf16>
      %g = mlc_loop.load %w[%r] : memref<256xbf16>
      %o = mlc_loop.load %d[%p] : memref<1024xf32>
      %s = arith.mulf %v, %g : bf16
      %f = arith.extf %s : bf16 to f32
      %q = arith.mulf %f, %o : f32
      %e = arith.divf %q, %m : f32
      mlc_loop.store %e, %y[%p, %r] : memref<1024x256xf32>
    }
  }
}

// -----

// One warp holds 256 elements as a row of the tile lies; so nothing changes its layout.
// CHECK-LABEL: mlc_loop.kernel @one_warp(
// CHECK-NOT:     each_row
mlc_loop.kernel @one_warp(%x: memref<1024x256xbf16>, %w: memref<256xbf16>, %y: memref<1024xf32>) schedule <rows = 4, columns = 256, warps = 1> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xbf16>
      %c = mlc_loop.load %w[%r] : memref<256xbf16>
      %s = arith.mulf %v, %c : bf16
      %f = arith.extf %s : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %m, %y[%p] : memref<1024xf32>
  }
}

// -----

// One row a program; 64 lanes of 128 have an element, so that all have it at once; 16 rows for each lane are too many.
// CHECK-LABEL: mlc_loop.kernel @one_row(
// CHECK-NOT:     each_row
mlc_loop.kernel @one_row(%x: memref<1024x256xbf16>, %w: memref<256xbf16>, %y: memref<1024x256xbf16>) schedule <rows = 1, columns = 256, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xbf16>
      %c = mlc_loop.load %w[%r] : memref<256xbf16>
      %s = arith.mulf %v, %c : bf16
      mlc_loop.store %s, %y[%p, %r] : memref<1024x256xbf16>
    }
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @few_columns(
// CHECK-NOT:     each_row
mlc_loop.kernel @few_columns(%x: memref<1024x64xbf16>, %w: memref<64xbf16>, %y: memref<1024xf32>) schedule <rows = 8, columns = 64, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x64xbf16>
      %c = mlc_loop.load %w[%r] : memref<64xbf16>
      %s = arith.mulf %v, %c : bf16
      %f = arith.extf %s : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %m, %y[%p] : memref<1024xf32>
  }
}

// -----

// Each lane has 64 / 4 rows of the tile: a vector for each would be loaded as often.
// CHECK-LABEL: mlc_loop.kernel @many_rows(
// CHECK:         mlc_loop.load %w[%r] as_vector : memref<256xbf16>
mlc_loop.kernel @many_rows(%x: memref<1024x256xbf16>, %w: memref<256xbf16>, %y: memref<1024xf32>) schedule <rows = 64, columns = 256, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xbf16>
      %c = mlc_loop.load %w[%r] : memref<256xbf16>
      %s = arith.mulf %v, %c : bf16
      %f = arith.extf %s : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %m, %y[%p] : memref<1024xf32>
  }
}

// -----

// A tile that is contiguous across its rows would take over the layout of a vector with an element for each lane.
// CHECK-LABEL: mlc_loop.kernel @across_rows(
// CHECK:           mlc_loop.load %x[%p, %r] : memref<1024x256xbf16, strided<[1, 1024]>>
// CHECK-NEXT:      mlc_loop.load %w[%r] as_vector : memref<256xbf16>
mlc_loop.kernel @across_rows(%x: memref<1024x256xbf16, strided<[1, 1024]>>, %w: memref<256xbf16>, %y: memref<1024xf32>) schedule <rows = 32, columns = 256, warps = 8> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xbf16, strided<[1, 1024]>>
      %c = mlc_loop.load %w[%r] : memref<256xbf16>
      %s = arith.mulf %v, %c : bf16
      %f = arith.extf %s : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %m, %y[%p] : memref<1024xf32>
  }
}

// -----

// One number is the same for all rows and columns.
// CHECK-LABEL: mlc_loop.kernel @one_number(
// CHECK:           mlc_loop.load %w[%{{.*}}] each_row : memref<256xbf16>
// CHECK-NEXT:      mlc_loop.load %n[0] : memref<1xbf16>
mlc_loop.kernel @one_number(%x: memref<1024x256xbf16>, %w: memref<256xbf16>, %n: memref<1xbf16>, %y: memref<1024x256xbf16>) schedule <rows = 8, columns = 256, warps = 8> {
  mlc_loop.parallel %p = 0 to 1024 {
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xbf16>
      %g = mlc_loop.load %w[%r] : memref<256xbf16>
      %o = mlc_loop.load %n[0] : memref<1xbf16>
      %s = arith.mulf %v, %g : bf16
      %e = arith.mulf %s, %o : bf16
      mlc_loop.store %e, %y[%p, %r] : memref<1024x256xbf16>
    }
  }
}

// -----

// 64 columns are fewer than 128 lanes, which all have them at once.
// CHECK-LABEL: mlc_loop.kernel @few_columns_across_rows(
// CHECK-NOT:     as_vector
mlc_loop.kernel @few_columns_across_rows(%x: memref<1024x64xbf16, strided<[1, 1024]>>, %w: memref<64xbf16>, %y: memref<1024xf32>) schedule <rows = 64, columns = 64, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x64xbf16, strided<[1, 1024]>>
      %c = mlc_loop.load %w[%r] : memref<64xbf16>
      %s = arith.mulf %v, %c : bf16
      %f = arith.extf %s : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %m, %y[%p] : memref<1024xf32>
  }
}

// -----

// What tensor cores multiply keeps its layout: a scale of each column of the weights. What is added to the result may
// take the tile's.
// CHECK-LABEL: mlc_loop.kernel @scaled(
// CHECK:           mlc_loop.load %s[%r] : memref<256xf32>
// CHECK:           mlc_loop.load %b[%r] each_row : memref<256xf32>
mlc_loop.kernel @scaled(%x: memref<16x64xf32>, %w: memref<64x256xf32>, %s: memref<256xf32>, %b: memref<256xf32>, %y: memref<16x256xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 16 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 256 program 1 block 128 {
      %scale = mlc_loop.load %s[%r] : memref<256xf32>
      %sum = mlc_loop.reduce add dot %k = 0 to 64 block 64 -> f32 {
        %a = mlc_loop.load %x[%p, %k] : memref<16x64xf32>
        %c = mlc_loop.load %w[%k, %r] : memref<64x256xf32>
        %d = arith.mulf %c, %scale : f32
        %e = arith.mulf %a, %d : f32
        mlc_loop.yield %e : f32
      }
      %bias = mlc_loop.load %b[%r] : memref<256xf32>
      %z = arith.addf %sum, %bias : f32
      mlc_loop.store %z, %y[%p, %r] : memref<16x256xf32>
    }
  }
}

// -----

// 16 rows at once of a persistent loop, of which each of 8 warps has two: the warps bring what they have added up for
// 256 columns to lanes that have all rows of a column. A second pass of the same changes nothing.
// CHECK-LABEL: mlc_loop.kernel @sums(
// CHECK:           mlc_loop.load %s[%{{.*}}] by_column : memref<256xf32>
mlc_loop.kernel @sums(%x: memref<6400x256xbf16>, %out: memref<400x256xf32>) schedule <rows = 1, columns = 256, warps = 8> {
  mlc_loop.parallel %i = 0 to 400 {
    %s = mlc_loop.local add : memref<256xf32>
    mlc_loop.serial %p = %i to 6400 step 400 block 16 {
      mlc_loop.parallel %r = 0 to 256 {
        %v = mlc_loop.load %x[%p, %r] : memref<6400x256xbf16>
        %f = arith.extf %v : bf16 to f32
        mlc_loop.accumulate add %f, %s[%r] : memref<256xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 256 {
      %t = mlc_loop.load %s[%r] : memref<256xf32>
      mlc_loop.store %t, %out[%i, %r] : memref<400x256xf32>
    }
  }
}

// -----

// One warp has all rows; and where a row takes all eight warps, each lane has both rows of its columns.
// CHECK-LABEL: mlc_loop.kernel @sums_of_one_warp(
// CHECK-NOT:     by_column
mlc_loop.kernel @sums_of_one_warp(%x: memref<6400x256xbf16>, %out: memref<400x256xf32>) schedule <rows = 1, columns = 256, warps = 1> {
  mlc_loop.parallel %i = 0 to 400 {
    %s = mlc_loop.local add : memref<256xf32>
    mlc_loop.serial %p = %i to 6400 step 400 block 16 {
      mlc_loop.parallel %r = 0 to 256 {
        %v = mlc_loop.load %x[%p, %r] : memref<6400x256xbf16>
        %f = arith.extf %v : bf16 to f32
        mlc_loop.accumulate add %f, %s[%r] : memref<256xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 256 {
      %t = mlc_loop.load %s[%r] : memref<256xf32>
      mlc_loop.store %t, %out[%i, %r] : memref<400x256xf32>
    }
  }
}
mlc_loop.kernel @sums_of_long_rows(%x: memref<6400x2048xbf16>, %out: memref<400x2048xf32>) schedule <rows = 1, columns = 2048, warps = 8> {
  mlc_loop.parallel %i = 0 to 400 {
    %s = mlc_loop.local add : memref<2048xf32>
    mlc_loop.serial %p = %i to 6400 step 400 block 2 {
      mlc_loop.parallel %r = 0 to 2048 {
        %v = mlc_loop.load %x[%p, %r] : memref<6400x2048xbf16>
        %f = arith.extf %v : bf16 to f32
        mlc_loop.accumulate add %f, %s[%r] : memref<2048xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 2048 {
      %t = mlc_loop.load %s[%r] : memref<2048xf32>
      mlc_loop.store %t, %out[%i, %r] : memref<400x2048xf32>
    }
  }
}

// -----

// What is stored lies across the rows, what is loaded along them. Both loops hold their 256 columns at once and load the
// same weights: for each row in either, so that the product is one.
// CHECK-LABEL: mlc_loop.kernel @stored_across(
// CHECK:           mlc_loop.load %w[%r] each_row : memref<256xf32>
// CHECK:         mlc_loop.parallel
// CHECK:           mlc_loop.load %w[%{{.*}}] each_row : memref<256xf32>
mlc_loop.kernel @stored_across(%x: memref<1024x256xf32>, %w: memref<256xf32>, %y: memref<1024x256xf32, strided<[1, 1024]>>) schedule <rows = 8, columns = 256, warps = 8> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xf32>
      %c = mlc_loop.load %w[%r] : memref<256xf32>
      %s = arith.mulf %v, %c : f32
      mlc_loop.yield %s : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xf32>
      %c = mlc_loop.load %w[%r] : memref<256xf32>
      %s = arith.mulf %v, %c : f32
      %e = arith.subf %s, %m : f32
      mlc_loop.store %e, %y[%p, %r] : memref<1024x256xf32, strided<[1, 1024]>>
    }
  }
}

// -----

// In steps of 64 columns each loop loads for itself, as its own block lies.
// CHECK-LABEL: mlc_loop.kernel @in_steps(
// CHECK:           mlc_loop.load %w[%r] evict "last" each_row : memref<256xf32>
// CHECK:         mlc_loop.parallel
// CHECK:           mlc_loop.load %w[%{{.*}}] evict "first" as_vector : memref<256xf32>
mlc_loop.kernel @in_steps(%x: memref<1024x256xf32>, %w: memref<256xf32>, %y: memref<1024x256xf32, strided<[1, 1024]>>) schedule <rows = 8, columns = 64, warps = 2> {
  mlc_loop.parallel %p = 0 to 1024 {
    %m = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xf32>
      %c = mlc_loop.load %w[%r] : memref<256xf32>
      %s = arith.mulf %v, %c : f32
      mlc_loop.yield %s : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<1024x256xf32>
      %c = mlc_loop.load %w[%r] : memref<256xf32>
      %s = arith.mulf %v, %c : f32
      %e = arith.subf %s, %m : f32
      mlc_loop.store %e, %y[%p, %r] : memref<1024x256xf32, strided<[1, 1024]>>
    }
  }
}
