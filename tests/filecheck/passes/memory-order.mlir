// RUN: mlc-opt %s -p memory-order --split-input-file | filecheck %s
// RUN: mlc-opt %s -p memory-order,tile-transpose,schedule,loop-to-triton --split-input-file | filecheck %s --check-prefix=TRITON

// Channels last in memory, read and written in the order of N, C, H, W: one axis, and no divisions.
// CHECK-LABEL: mlc_loop.kernel @channels_last(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 62208 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%p floordiv 31104, %p mod 384, (%p floordiv 3456) mod 9, (%p floordiv 384) mod 9]
// CHECK-NEXT:      %e = math.exp %v : f32
// CHECK-NEXT:      mlc_loop.store %e, %out[%p floordiv 31104, %p mod 384, (%p floordiv 3456) mod 9, (%p floordiv 384) mod 9]
// TRITON-LABEL: mlc_triton.kernel @channels_last(
// TRITON:         mlc_triton.load %x[%p]
// TRITON:         mlc_triton.store %out[%p] = %e
mlc_loop.kernel @channels_last(%x: memref<2x384x9x9xf32, strided<[31104, 1, 3456, 384]>>, %out: memref<2x384x9x9xf32, strided<[31104, 1, 3456, 384]>>) {
  mlc_loop.parallel %p = 0 to 62208 {
    %v = mlc_loop.load %x[%p floordiv 31104, (%p floordiv 81) mod 384, (%p floordiv 9) mod 9, %p mod 9] : memref<2x384x9x9xf32, strided<[31104, 1, 3456, 384]>>
    %e = math.exp %v : f32
    mlc_loop.store %e, %out[%p floordiv 31104, (%p floordiv 81) mod 384, (%p floordiv 9) mod 9, %p mod 9] : memref<2x384x9x9xf32, strided<[31104, 1, 3456, 384]>>
  }
}

// -----

// Five axes, channels last. The stride of an axis of one place says nothing.
// TRITON-LABEL: mlc_triton.kernel @channels_last_3d(
// TRITON:         mlc_triton.load %x[%p]
// TRITON:         mlc_triton.store %out[%p] = %v
mlc_loop.kernel @channels_last_3d(%x: memref<1x16x3x5x7xbf16, strided<[7, 1, 560, 112, 16]>>, %out: memref<1x16x3x5x7xbf16, strided<[1680, 1, 560, 112, 16]>>) {
  mlc_loop.parallel %p = 0 to 1680 {
    %v = mlc_loop.load %x[0, %p floordiv 105, (%p floordiv 35) mod 3, (%p floordiv 7) mod 5, %p mod 7] : memref<1x16x3x5x7xbf16, strided<[7, 1, 560, 112, 16]>>
    mlc_loop.store %v, %out[0, %p floordiv 105, (%p floordiv 35) mod 3, (%p floordiv 7) mod 5, %p mod 7] : memref<1x16x3x5x7xbf16, strided<[1680, 1, 560, 112, 16]>>
  }
}

// -----

// Rows before planes in memory: lines of 8 lie side by side in either order, but only one goes on from line to line.
// TRITON-LABEL: mlc_triton.kernel @swapped_outer_axes(
// TRITON:         mlc_triton.load %x[%p]
// TRITON:         mlc_triton.store %out[%p] = %v
mlc_loop.kernel @swapped_outer_axes(%x: memref<6x7x8xf32, strided<[8, 48, 1]>>, %out: memref<6x7x8xf32, strided<[8, 48, 1]>>) {
  mlc_loop.parallel %p = 0 to 336 {
    %v = mlc_loop.load %x[%p floordiv 56, (%p floordiv 8) mod 7, %p mod 8] : memref<6x7x8xf32, strided<[8, 48, 1]>>
    mlc_loop.store %v, %out[%p floordiv 56, (%p floordiv 8) mod 7, %p mod 8] : memref<6x7x8xf32, strided<[8, 48, 1]>>
  }
}

// -----

// A number for each channel.
// CHECK-LABEL: mlc_loop.kernel @bias(
// CHECK:           %w = mlc_loop.load %b[%p mod 16] : memref<16xf32>
// TRITON-LABEL: mlc_triton.kernel @bias(
// TRITON:         mlc_triton.load %x[%p]
// TRITON:         mlc_triton.store %out[%p] = %s
mlc_loop.kernel @bias(%x: memref<4x16x25xf32, strided<[400, 1, 16]>>, %b: memref<16xf32>, %out: memref<4x16x25xf32, strided<[400, 1, 16]>>) {
  mlc_loop.parallel %p = 0 to 1600 {
    %v = mlc_loop.load %x[%p floordiv 400, (%p floordiv 25) mod 16, %p mod 25] : memref<4x16x25xf32, strided<[400, 1, 16]>>
    %w = mlc_loop.load %b[(%p floordiv 25) mod 16] : memref<16xf32>
    %s = arith.addf %v, %w : f32
    mlc_loop.store %s, %out[%p floordiv 400, (%p floordiv 25) mod 16, %p mod 25] : memref<4x16x25xf32, strided<[400, 1, 16]>>
  }
}

// -----

// Without its border: lines of width and channels, and so many lines apart.
// TRITON-LABEL: mlc_triton.kernel @slice(
// TRITON:         mlc_triton.load %x[((%p floordiv 112) mod 5) * 144 + (%p floordiv 560) * 1008 + (%p mod 112) + 160]
// TRITON:         mlc_triton.store %out[%p] = %v
mlc_loop.kernel @slice(%x: memref<2x16x7x9xf32, strided<[1008, 1, 144, 16]>>, %out: memref<2x16x5x7xf32, strided<[560, 1, 112, 16]>>) {
  mlc_loop.parallel %p = 0 to 1120 {
    %v = mlc_loop.load %x[%p floordiv 560, (%p floordiv 35) mod 16, ((%p floordiv 7) mod 5) + 1, (%p mod 7) + 1] : memref<2x16x7x9xf32, strided<[1008, 1, 144, 16]>>
    mlc_loop.store %v, %out[%p floordiv 560, (%p floordiv 35) mod 16, (%p floordiv 7) mod 5, %p mod 7] : memref<2x16x5x7xf32, strided<[560, 1, 112, 16]>>
  }
}

// -----

// What counts is the element of the tensor, as before: the number of an element is computed, not where it lies.
// CHECK-LABEL: mlc_loop.kernel @numbers(
// CHECK:           mlc_loop.index [((%p floordiv 16) mod 25) + (%p floordiv 400) * 400 + (%p mod 16) * 25] : i64
mlc_loop.kernel @numbers(%out: memref<4x16x25xi64, strided<[400, 1, 16]>>) {
  mlc_loop.parallel %p = 0 to 1600 {
    %i = mlc_loop.index [%p] : i64
    mlc_loop.store %i, %out[%p floordiv 400, (%p floordiv 25) mod 16, %p mod 25] : memref<4x16x25xi64, strided<[400, 1, 16]>>
  }
}

// -----

// In the order of memory already: not a letter changes, not even of what is taken apart where one number would do.
// CHECK-LABEL: mlc_loop.kernel @in_order(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 62208 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%p floordiv 31104, (%p floordiv 81) mod 384, (%p floordiv 9) mod 9, %p mod 9]
// CHECK-NEXT:      %w = mlc_loop.load %b[(%p floordiv 81) mod 384]
// CHECK-NEXT:      %s = arith.addf %v, %w : f32
// CHECK-NEXT:      mlc_loop.store %s, %out[%p floordiv 31104, (%p floordiv 81) mod 384, (%p floordiv 9) mod 9, %p mod 9]
mlc_loop.kernel @in_order(%x: memref<2x384x9x9xf32>, %b: memref<384xf32>, %out: memref<2x384x9x9xf32>) {
  mlc_loop.parallel %p = 0 to 62208 {
    %v = mlc_loop.load %x[%p floordiv 31104, (%p floordiv 81) mod 384, (%p floordiv 9) mod 9, %p mod 9] : memref<2x384x9x9xf32>
    %w = mlc_loop.load %b[(%p floordiv 81) mod 384] : memref<384xf32>
    %s = arith.addf %v, %w : f32
    mlc_loop.store %s, %out[%p floordiv 31104, (%p floordiv 81) mod 384, (%p floordiv 9) mod 9, %p mod 9] : memref<2x384x9x9xf32>
  }
}

// -----

// One in, one out: as many bytes lie apart either way, and those written count more. Tiles do the rest.
// CHECK-LABEL: mlc_loop.kernel @one_each(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 401408 {
// CHECK-NEXT:      mlc_loop.load %x[%p floordiv 200704, (%p floordiv 3136) mod 64, %p mod 3136]
// TRITON-LABEL: mlc_triton.kernel @one_each(
// TRITON-SAME:    "tiles of 64 x 64: memory runs along both axes"
mlc_loop.kernel @one_each(%x: memref<2x64x3136xf32, strided<[200704, 1, 64]>>, %out: memref<2x64x3136xf32>) {
  mlc_loop.parallel %p = 0 to 401408 {
    %v = mlc_loop.load %x[%p floordiv 200704, (%p floordiv 3136) mod 64, %p mod 3136] : memref<2x64x3136xf32, strided<[200704, 1, 64]>>
    mlc_loop.store %v, %out[%p floordiv 200704, (%p floordiv 3136) mod 64, %p mod 3136] : memref<2x64x3136xf32>
  }
}

// -----

// Channels last beside channels first, with a result that is channels last: tiles of channels and places.
// TRITON-LABEL: mlc_triton.kernel @both_orders(
// TRITON-SAME:    "tiles of 64 x 64: memory runs along both axes"
// TRITON:         mlc_triton.load %x[%p + %r * 64]
// TRITON:         mlc_triton.load %y[%p * 3136 + %r]
// TRITON:         mlc_triton.store %out[%p + %r * 64]
mlc_loop.kernel @both_orders(%x: memref<1x64x3136xf32, strided<[200704, 1, 64]>>, %y: memref<1x64x3136xf32>, %out: memref<1x64x3136xf32, strided<[200704, 1, 64]>>) {
  mlc_loop.parallel %p = 0 to 200704 {
    %v = mlc_loop.load %x[0, %p floordiv 3136, %p mod 3136] : memref<1x64x3136xf32, strided<[200704, 1, 64]>>
    %w = mlc_loop.load %y[0, %p floordiv 3136, %p mod 3136] : memref<1x64x3136xf32>
    %s = arith.addf %v, %w : f32
    mlc_loop.store %s, %out[0, %p floordiv 3136, %p mod 3136] : memref<1x64x3136xf32, strided<[200704, 1, 64]>>
  }
}

// -----

// The statistics of a batch: rows are channels, and columns, in the order of memory, one axis.
// CHECK-LABEL: mlc_loop.kernel @statistics(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16 {
// CHECK-NEXT:      %s = mlc_loop.reduce add %r = 0 to 175 -> f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[(%r floordiv 7) mod 5, %p, %r floordiv 35, %r mod 7]
// TRITON-LABEL: mlc_triton.kernel @statistics(
// TRITON:         mlc_triton.load %x[%p + %r * 16]
mlc_loop.kernel @statistics(%x: memref<5x16x5x7xf32, strided<[112, 1, 560, 16]>>, %sum: memref<16xf32>) {
  mlc_loop.parallel %p = 0 to 16 {
    %s = mlc_loop.reduce add %r = 0 to 175 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 35, %p, (%r floordiv 7) mod 5, %r mod 7] : memref<5x16x5x7xf32, strided<[112, 1, 560, 16]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %sum[%p] : memref<16xf32>
  }
}

// -----

// Groups of channels: both loops over the columns have the channels of the group side by side.
// CHECK-LABEL: mlc_loop.kernel @groups(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8 {
// CHECK-NEXT:      %s = mlc_loop.reduce max %r = 0 to 1296 -> f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%p floordiv 4, (%p mod 4) * 16 + (%r mod 16), %r floordiv 16]
// CHECK:           mlc_loop.parallel %r_1 = 0 to 1296 {
// CHECK-NEXT:        %w = mlc_loop.load %x[%p floordiv 4, (%p mod 4) * 16 + (%r_1 mod 16), %r_1 floordiv 16]
// CHECK:             mlc_loop.store %d, %out[%p floordiv 4, (%p mod 4) * 16 + (%r_1 mod 16), %r_1 floordiv 16]
mlc_loop.kernel @groups(%x: memref<2x64x81xf32, strided<[5184, 1, 64]>>, %out: memref<2x64x81xf32, strided<[5184, 1, 64]>>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce max %r = 0 to 1296 -> f32 {
      %v = mlc_loop.load %x[%p floordiv 4, (%p mod 4) * 16 + (%r floordiv 81), %r mod 81] : memref<2x64x81xf32, strided<[5184, 1, 64]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1296 {
      %w = mlc_loop.load %x[%p floordiv 4, (%p mod 4) * 16 + (%r floordiv 81), %r mod 81] : memref<2x64x81xf32, strided<[5184, 1, 64]>>
      %d = arith.subf %w, %s : f32
      mlc_loop.store %d, %out[%p floordiv 4, (%p mod 4) * 16 + (%r floordiv 81), %r mod 81] : memref<2x64x81xf32, strided<[5184, 1, 64]>>
    }
  }
}

// -----

// A mean over height: neighbouring rows of the loop are channels, which lie side by side, though not in the result.
// CHECK-LABEL: mlc_loop.kernel @over_height(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1152 {
// CHECK:             mlc_loop.load %x[%p floordiv 576, %p mod 64, %r, (%p floordiv 64) mod 9]
// CHECK:           mlc_loop.store %s, %out[%p floordiv 576, %p mod 64, (%p floordiv 64) mod 9]
mlc_loop.kernel @over_height(%x: memref<2x64x9x9xf32, strided<[5184, 1, 576, 64]>>, %out: memref<2x64x9xf32>) {
  mlc_loop.parallel %p = 0 to 1152 {
    %s = mlc_loop.reduce add %r = 0 to 9 -> f32 {
      %v = mlc_loop.load %x[%p floordiv 576, (%p floordiv 9) mod 64, %r, %p mod 9] : memref<2x64x9x9xf32, strided<[5184, 1, 576, 64]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p floordiv 576, (%p floordiv 9) mod 64, %p mod 9] : memref<2x64x9xf32>
  }
}

// -----

// The first of the greatest: the order of the columns counts.
// CHECK-LABEL: mlc_loop.kernel @first_of_the_greatest(
// CHECK:           %v = mlc_loop.load %x[%p, %r floordiv 81, %r mod 81]
mlc_loop.kernel @first_of_the_greatest(%x: memref<2x64x81xf32, strided<[5184, 1, 64]>>, %out: memref<2xi64>) {
  mlc_loop.parallel %p = 0 to 2 {
    %i = mlc_loop.reduce argmax %r = 0 to 5184 -> i64 {
      %v = mlc_loop.load %x[%p, %r floordiv 81, %r mod 81] : memref<2x64x81xf32, strided<[5184, 1, 64]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %i, %out[%p] : memref<2xi64>
  }
}

// -----

// So it does to a scan, and to the loops that read the same columns.
// CHECK-LABEL: mlc_loop.kernel @scan(
// CHECK:           %v = mlc_loop.load %x[%p, %r floordiv 81, %r mod 81]
// CHECK:           %w = mlc_loop.load %x[%p, %r_1 floordiv 81, %r_1 mod 81]
mlc_loop.kernel @scan(%x: memref<2x64x81xf32, strided<[5184, 1, 64]>>, %out: memref<2x5184xf32>) {
  mlc_loop.parallel %p = 0 to 2 {
    %m = mlc_loop.reduce max %r = 0 to 5184 -> f32 {
      %v = mlc_loop.load %x[%p, %r floordiv 81, %r mod 81] : memref<2x64x81xf32, strided<[5184, 1, 64]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 5184 {
      %w = mlc_loop.load %x[%p, %r floordiv 81, %r mod 81] : memref<2x64x81xf32, strided<[5184, 1, 64]>>
      %d = arith.subf %w, %m : f32
      %s = mlc_loop.scan "add" %d : f32 -> f32
      mlc_loop.store %s, %out[%p, %r] : memref<2x5184xf32>
    }
  }
}

// -----

// The rows of a scan have no order.
// CHECK-LABEL: mlc_loop.kernel @rows_of_a_scan(
// CHECK:           %v = mlc_loop.load %x[%p floordiv 64, %p mod 64, %r]
mlc_loop.kernel @rows_of_a_scan(%x: memref<8x64x81xf32, strided<[64, 1, 512]>>, %out: memref<8x64x81xf32, strided<[64, 1, 512]>>) {
  mlc_loop.parallel %p = 0 to 512 {
    mlc_loop.parallel %r = 0 to 81 {
      %v = mlc_loop.load %x[%p mod 8, %p floordiv 8, %r] : memref<8x64x81xf32, strided<[64, 1, 512]>>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      mlc_loop.store %s, %out[%p mod 8, %p floordiv 8, %r] : memref<8x64x81xf32, strided<[64, 1, 512]>>
    }
  }
}

// -----

// Rows of a table, at places that are data: the columns of the table are what lies side by side.
// CHECK-LABEL: mlc_loop.kernel @table(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 6400 {
// CHECK-NEXT:      %n = mlc_loop.load %i[%p floordiv 64] : memref<100xi64>
// CHECK:           mlc_loop.load %t[%k, %p mod 64]
mlc_loop.kernel @table(%t: memref<1000x64xf32>, %i: memref<100xi64>, %out: memref<64x100xf32, strided<[1, 64]>>) {
  mlc_loop.parallel %p = 0 to 6400 {
    %n = mlc_loop.load %i[%p mod 100] : memref<100xi64>
    %k = mlc_loop.indirect_index %n below 1000 : i64
    %v = mlc_loop.load %t[%k, %p floordiv 100] : memref<1000x64xf32>
    mlc_loop.store %v, %out[%p floordiv 100, %p mod 100] : memref<64x100xf32, strided<[1, 64]>>
  }
}

// -----

// Cuts at 4 and at 6: what is between them belongs to no axis, and the loop stays as it is.
// CHECK-LABEL: mlc_loop.kernel @no_chain(
// CHECK:           %v = mlc_loop.load %x[%p floordiv 4, %p mod 4]
mlc_loop.kernel @no_chain(%x: memref<6x4xf32, strided<[1, 6]>>, %out: memref<4x6xf32, strided<[1, 4]>>) {
  mlc_loop.parallel %p = 0 to 24 {
    %v = mlc_loop.load %x[%p floordiv 4, %p mod 4] : memref<6x4xf32, strided<[1, 6]>>
    mlc_loop.store %v, %out[%p floordiv 6, %p mod 6] : memref<4x6xf32, strided<[1, 4]>>
  }
}

// -----

// Named sizes: as many images as there are, and height and width by name.
// CHECK-LABEL: mlc_loop.kernel @named(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to H * N * W * 64 {
// TRITON-LABEL: mlc_triton.kernel @named(
// TRITON:         mlc_triton.load %x[%p]
// TRITON:         mlc_triton.store %out[%p] = %v
mlc_loop.kernel @named(%x: memref<?x64x?xf32, strided<[?, 1, 64]>, {sizes = ["N", "64", "H * W"], strides = ["H * W * 64", "1", "64"]}>, %out: memref<?x64x?xf32, strided<[?, 1, 64]>, {sizes = ["N", "64", "H * W"], strides = ["H * W * 64", "1", "64"]}>) {
  mlc_loop.parallel %p = 0 to N * H * W * 64 {
    %v = mlc_loop.load %x[%p floordiv (H * W * 64), (%p floordiv (H * W)) mod 64, %p mod (H * W)] : memref<?x64x?xf32, strided<[?, 1, 64]>, {sizes = ["N", "64", "H * W"], strides = ["H * W * 64", "1", "64"]}>
    mlc_loop.store %v, %out[%p floordiv (H * W * 64), (%p floordiv (H * W)) mod 64, %p mod (H * W)] : memref<?x64x?xf32, strided<[?, 1, 64]>, {sizes = ["N", "64", "H * W"], strides = ["H * W * 64", "1", "64"]}>
  }
}

// -----

// Kernels that have a schedule are done.
// CHECK-LABEL: mlc_loop.kernel @scheduled(
// CHECK:           %v = mlc_loop.load %x[%p mod 8, %p floordiv 8]
mlc_loop.kernel @scheduled(%x: memref<8x64xf32>, %out: memref<8x64xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 512 program 0 block 128 {
    %v = mlc_loop.load %x[%p mod 8, %p floordiv 8] : memref<8x64xf32>
    mlc_loop.store %v, %out[%p mod 8, %p floordiv 8] : memref<8x64xf32>
  }
}
