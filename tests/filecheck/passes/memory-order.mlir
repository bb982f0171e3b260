// RUN: mlc-opt %s -p memory-order --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'memory-order,linearize-axes,tile-transpose{tile=stored},schedule,loop-to-triton' --split-input-file | filecheck %s --check-prefix=TRITON

// Channels last in memory, read and written in the order of N, C, H, W: one axis, and no divisions.
// CHECK-LABEL: mlc_loop.kernel @channels_last(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 62208 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%i floordiv 31104, %i mod 384, (%i floordiv 3456) mod 9, (%i floordiv 384) mod 9]
// CHECK-NEXT:      %e = math.exp %v : f32
// CHECK-NEXT:      mlc_loop.store %e, %out[%i floordiv 31104, %i mod 384, (%i floordiv 3456) mod 9, (%i floordiv 384) mod 9]
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

// A number for each channel: images and places are one axis, channels another.
// CHECK-LABEL: mlc_loop.kernel @bias(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (100, 16) {
// CHECK-NEXT:      %v = mlc_loop.load %x[%i floordiv 25, %j, %i mod 25]
// CHECK-NEXT:      %w = mlc_loop.load %b[%j] : memref<16xf32>
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
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (4, 25, 16) {
// CHECK-NEXT:      mlc_loop.index [%i * 400 + %j + %k * 25] : i64
mlc_loop.kernel @numbers(%out: memref<4x16x25xi64, strided<[400, 1, 16]>>) {
  mlc_loop.parallel %p = 0 to 1600 {
    %i = mlc_loop.index [%p] : i64
    mlc_loop.store %i, %out[%p floordiv 400, (%p floordiv 25) mod 16, %p mod 25] : memref<4x16x25xi64, strided<[400, 1, 16]>>
  }
}

// -----

// In the order of memory already: an axis of channels, since the bias has them, and one of what lies inside.
// CHECK-LABEL: mlc_loop.kernel @in_order(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (2, 384, 81) {
// CHECK-NEXT:      %v = mlc_loop.load %x[%i, %j, %k floordiv 9, %k mod 9]
// CHECK-NEXT:      %w = mlc_loop.load %b[%j]
// CHECK-NEXT:      %s = arith.addf %v, %w : f32
// CHECK-NEXT:      mlc_loop.store %s, %out[%i, %j, %k floordiv 9, %k mod 9]
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
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (2, 64, 3136) {
// CHECK-NEXT:      mlc_loop.load %x[%i, %j, %k]
// TRITON-LABEL: mlc_triton.kernel @one_each(
// TRITON-SAME:    "tiles of {{[0-9]+ x [0-9]+}}"
mlc_loop.kernel @one_each(%x: memref<2x64x3136xf32, strided<[200704, 1, 64]>>, %out: memref<2x64x3136xf32>) {
  mlc_loop.parallel %p = 0 to 401408 {
    %v = mlc_loop.load %x[%p floordiv 200704, (%p floordiv 3136) mod 64, %p mod 3136] : memref<2x64x3136xf32, strided<[200704, 1, 64]>>
    mlc_loop.store %v, %out[%p floordiv 200704, (%p floordiv 3136) mod 64, %p mod 3136] : memref<2x64x3136xf32>
  }
}

// -----

// Channels last beside channels first, with a result that is channels last: tiles of channels and places.
// CHECK-LABEL: mlc_loop.kernel @both_orders(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (3136, 64) {
// TRITON-LABEL: mlc_triton.kernel @both_orders(
// TRITON-SAME:    "tiles of {{[0-9]+ x [0-9]+}}"
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
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 16 {
// CHECK-NEXT:      %s = mlc_loop.reduce add %j = 0 to 175 -> f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[(%j floordiv 7) mod 5, %i, %j floordiv 35, %j mod 7]
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
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (2, 4) {
// CHECK-NEXT:      %s = mlc_loop.reduce max (%k, %l) = 0 to (81, 16) -> f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%i, %j * 16 + %l, %k]
// CHECK:           mlc_loop.parallel (%k_1, %l_1) = 0 to (81, 16) {
// CHECK-NEXT:        %w = mlc_loop.load %x[%i, %j * 16 + %l_1, %k_1]
// CHECK:             mlc_loop.store %d, %out[%i, %j * 16 + %l_1, %k_1]
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
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (2, 9, 64) {
// CHECK:             mlc_loop.load %x[%i, %k, %l, %j]
// CHECK:           mlc_loop.store %s, %out[%i, %k, %j]
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
// CHECK:           mlc_loop.reduce argmax (%j, %k) = 0 to (64, 81) -> i64 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%i, %j, %k]
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
// CHECK:           %v = mlc_loop.load %x[%i, %j, %k]
// CHECK:           %w = mlc_loop.load %x[%i, %j_1, %k_1]
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
// CHECK:           %v = mlc_loop.load %x[%i floordiv 64, %i mod 64, %j]
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
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (100, 64) {
// CHECK-NEXT:      %n = mlc_loop.load %at[%i] : memref<100xi64>
// CHECK:           mlc_loop.load %t[%k, %j]
mlc_loop.kernel @table(%t: memref<1000x64xf32>, %at: memref<100xi64>, %out: memref<64x100xf32, strided<[1, 64]>>) {
  mlc_loop.parallel %p = 0 to 6400 {
    %n = mlc_loop.load %at[%p mod 100] : memref<100xi64>
    %k = mlc_loop.indirect_index %n below 1000 : i64
    %v = mlc_loop.load %t[%k, %p floordiv 100] : memref<1000x64xf32>
    mlc_loop.store %v, %out[%p floordiv 100, %p mod 100] : memref<64x100xf32, strided<[1, 64]>>
  }
}

// -----

// Cuts at 4 and at 6: what is between them belongs to no axis, and the loop stays as it is.
// CHECK-LABEL: mlc_loop.kernel @no_chain(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 24 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%i floordiv 4, %i mod 4]
mlc_loop.kernel @no_chain(%x: memref<6x4xf32, strided<[1, 6]>>, %out: memref<4x6xf32, strided<[1, 4]>>) {
  mlc_loop.parallel %p = 0 to 24 {
    %v = mlc_loop.load %x[%p floordiv 4, %p mod 4] : memref<6x4xf32, strided<[1, 6]>>
    mlc_loop.store %v, %out[%p floordiv 6, %p mod 6] : memref<4x6xf32, strided<[1, 4]>>
  }
}

// -----

// So does what is lowered over two axes, and has none that every address would keep apart.
// CHECK-LABEL: mlc_loop.kernel @no_chain_of_axes(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (4, 6) {
// CHECK-NEXT:      %v = mlc_loop.load %x[(%i * 6 + %j) floordiv 4, (%i * 6 + %j) mod 4]
// CHECK-NEXT:      mlc_loop.store %v, %out[%i, %j]
mlc_loop.kernel @no_chain_of_axes(%x: memref<6x4xf32, strided<[1, 6]>>, %out: memref<4x6xf32, strided<[1, 4]>>) {
  mlc_loop.parallel (%a, %b) = 0 to (4, 6) {
    %v = mlc_loop.load %x[(%a * 6 + %b) floordiv 4, (%a * 6 + %b) mod 4] : memref<6x4xf32, strided<[1, 6]>>
    mlc_loop.store %v, %out[%a, %b] : memref<4x6xf32, strided<[1, 4]>>
  }
}

// -----

// As it is lowered: an axis for each dimension. Neighbours in memory become one.
// CHECK-LABEL: mlc_loop.kernel @axes_of_dimensions(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 16 {
// CHECK-NEXT:      %s = mlc_loop.reduce add (%j, %k) = 0 to (5, 35) -> f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%j, %i, %k floordiv 7, %k mod 7]
// TRITON-LABEL: mlc_triton.kernel @axes_of_dimensions(
// TRITON:         mlc_triton.load %x[%p * 35 + (%r floordiv 35) * 560 + (%r mod 35)]
mlc_loop.kernel @axes_of_dimensions(%x: memref<5x16x5x7xf32>, %sum: memref<16xf32>) {
  mlc_loop.parallel %i = 0 to 16 {
    %s = mlc_loop.reduce add (%j, %k, %l) = 0 to (5, 5, 7) -> f32 {
      %v = mlc_loop.load %x[%j, %i, %k, %l] : memref<5x16x5x7xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %sum[%i] : memref<16xf32>
  }
}

// -----

// A product of matrices: each operand goes along an axis that the other does not have.
// CHECK-LABEL: mlc_loop.kernel @matmul(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (64, 48) {
// CHECK-NEXT:      %s = mlc_loop.reduce add %k = 0 to 40 -> f32 {
// CHECK-NEXT:        %x = mlc_loop.load %a[%i, %k] : memref<64x40xf32>
// CHECK-NEXT:        %y = mlc_loop.load %b[%k, %j] : memref<40x48xf32>
// TRITON-LABEL: mlc_triton.kernel @matmul(
mlc_loop.kernel @matmul(%a: memref<64x40xf32>, %b: memref<40x48xf32>, %c: memref<64x48xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (64, 48) {
    %s = mlc_loop.reduce add %k = 0 to 40 -> f32 {
      %x = mlc_loop.load %a[%i, %k] : memref<64x40xf32>
      %y = mlc_loop.load %b[%k, %j] : memref<40x48xf32>
      %z = arith.mulf %x, %y : f32
      mlc_loop.yield %z : f32
    }
    mlc_loop.store %s, %c[%i, %j] : memref<64x48xf32>
  }
}

// -----

// Named sizes: as many images as there are, and height and width by name.
// CHECK-LABEL: mlc_loop.kernel @named(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to H * N * W * 64 {
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
