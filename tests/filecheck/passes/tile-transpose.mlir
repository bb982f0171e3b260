// RUN: mlc-opt %s -p 'tile-transpose{tile=stored}' --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'tile-transpose{tile=batched}' --split-input-file | filecheck %s --check-prefix=BATCHED
// RUN: mlc-opt %s -p 'tile-transpose{tile=loaded}' --split-input-file | filecheck %s --check-prefix=LOADED
// RUN: mlc-opt %s -p tile-transpose --split-input-file | filecheck %s --check-prefix=QUICKEST

// x runs along its rows, which are columns of the result: both get whole lines out of a tile. So little is predicted to
// be as quick in one loop, which would have to be quicker.
// LOADED-LABEL: mlc_loop.kernel @transpose(
// LOADED-NEXT:    mlc_loop.parallel %p = 0 to 80 {
// LOADED-NEXT:      mlc_loop.parallel %r = 0 to 96 {
// LOADED-NEXT:        %v = mlc_loop.load %x[%r, %p] : memref<96x80xf32>
// LOADED-NEXT:        mlc_loop.store %v, %out[%p, %r] : memref<80x96xf32>
// QUICKEST-LABEL: mlc_loop.kernel @transpose(
// QUICKEST-NEXT:    mlc_loop.parallel %p = 0 to 96 {
// QUICKEST-NEXT:      mlc_loop.parallel %r = 0 to 80 {
// CHECK-LABEL: mlc_loop.kernel @transpose(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 96 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 80 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%p, %r] : memref<96x80xf32>
// CHECK-NEXT:        mlc_loop.store %v, %out[%r, %p] : memref<80x96xf32>
mlc_loop.kernel @transpose(%x: memref<96x80xf32>, %out: memref<80x96xf32>) {
  mlc_loop.parallel %p = 0 to 7680 {
    %v = mlc_loop.load %x[%p mod 96, %p floordiv 96] : memref<96x80xf32>
    mlc_loop.store %v, %out[%p floordiv 96, %p mod 96] : memref<80x96xf32>
  }
}

// -----

// Lines that each program would use a part of are read once out of tiles.
// QUICKEST-LABEL: mlc_loop.kernel @large(
// QUICKEST-NEXT:    mlc_loop.parallel %p = 0 to 8192 {
// QUICKEST-NEXT:      mlc_loop.parallel %r = 0 to 4096 {
mlc_loop.kernel @large(%x: memref<8192x4096xf32>, %out: memref<4096x8192xf32>) {
  mlc_loop.parallel %p = 0 to 33554432 {
    %v = mlc_loop.load %x[%p mod 8192, %p floordiv 8192] : memref<8192x4096xf32>
    mlc_loop.store %v, %out[%p floordiv 8192, %p mod 8192] : memref<4096x8192xf32>
  }
}

// -----

// Both run along the last axis: the flat loop stays.
// CHECK-LABEL: mlc_loop.kernel @same_lines(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 7680 {
mlc_loop.kernel @same_lines(%x: memref<96x80xf32>, %out: memref<96x80xf32>) {
  mlc_loop.parallel %p = 0 to 7680 {
    %v = mlc_loop.load %x[%p floordiv 80, %p mod 80] : memref<96x80xf32>
    mlc_loop.store %v, %out[%p floordiv 80, %p mod 80] : memref<96x80xf32>
  }
}

// -----

// A short axis of 8 fills a sector.
// QUICKEST-LABEL: mlc_loop.kernel @short_axis(
// QUICKEST-NEXT:    mlc_loop.parallel %p = 0 to 96 {
// QUICKEST-NEXT:      mlc_loop.parallel %r = 0 to 8 {
// CHECK-LABEL: mlc_loop.kernel @short_axis(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 96 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 8 {
mlc_loop.kernel @short_axis(%x: memref<96x8xf32>, %out: memref<8x96xf32>) {
  mlc_loop.parallel %p = 0 to 768 {
    %v = mlc_loop.load %x[%p mod 96, %p floordiv 96] : memref<96x8xf32>
    mlc_loop.store %v, %out[%p floordiv 96, %p mod 96] : memref<8x96xf32>
  }
}

// -----

// The result's last two axes, of 10 and 6, are one line of 60; the batch goes before the columns, so that
// neighbouring programs write neighbouring lines, or before the rows.
// BATCHED-LABEL: mlc_loop.kernel @short_last_axes(
// BATCHED-NEXT:    mlc_loop.parallel %p = 0 to 480 {
// BATCHED-NEXT:      mlc_loop.parallel %r = 0 to 64 {
// CHECK-LABEL: mlc_loop.kernel @short_last_axes(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 60 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 512 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%r floordiv 64, %p mod 6, %p floordiv 6, %r mod 64] : memref<8x6x10x64xf32>
// CHECK-NEXT:        mlc_loop.store %v, %out[%r floordiv 64, %r mod 64, %p floordiv 6, %p mod 6] : memref<8x64x10x6xf32>
mlc_loop.kernel @short_last_axes(%x: memref<8x6x10x64xf32>, %out: memref<8x64x10x6xf32>) {
  mlc_loop.parallel %p = 0 to 30720 {
    %v = mlc_loop.load %x[%p floordiv 3840, %p mod 6, (%p floordiv 6) mod 10, (%p floordiv 60) mod 64] : memref<8x6x10x64xf32>
    mlc_loop.store %v, %out[%p floordiv 3840, (%p floordiv 60) mod 64, (%p floordiv 6) mod 10, %p mod 6] : memref<8x64x10x6xf32>
  }
}

// -----

// A grid has few programs along its second axis: the longer one goes first, or there are no tiles.
// CHECK-LABEL: mlc_loop.kernel @long_and_thin(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64000016 {
// CHECK-NEXT:      mlc_loop.load
// LOADED-LABEL: mlc_loop.kernel @long_and_thin(
// LOADED-NEXT:    mlc_loop.parallel %p = 0 to 4000001 {
// LOADED-NEXT:      mlc_loop.parallel %r = 0 to 16 {
mlc_loop.kernel @long_and_thin(%x: memref<16x4000001xf32>, %out: memref<4000001x16xf32>) {
  mlc_loop.parallel %p = 0 to 64000016 {
    %v = mlc_loop.load %x[%p mod 16, %p floordiv 16] : memref<16x4000001xf32>
    mlc_loop.store %v, %out[%p floordiv 16, %p mod 16] : memref<4000001x16xf32>
  }
}

// -----

// Height and width lie next to each other in both: one axis of 3136, which 64 divides.
// CHECK-LABEL: mlc_loop.kernel @channels_last(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 256 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 25088 {
mlc_loop.kernel @channels_last(%x: memref<8x256x56x56xf32>, %out: memref<8x56x56x256xf32>) {
  mlc_loop.parallel %p = 0 to 6422528 {
    %v = mlc_loop.load %x[%p floordiv 802816, %p mod 256, (%p floordiv 14336) mod 56, (%p floordiv 256) mod 56] : memref<8x256x56x56xf32>
    mlc_loop.store %v, %out[%p floordiv 802816, (%p floordiv 14336) mod 56, (%p floordiv 256) mod 56, %p mod 256] : memref<8x56x56x256xf32>
  }
}

// -----

// A number for each channel is the same along the lines of the result: nothing is read across the grain.
// CHECK-LABEL: mlc_loop.kernel @channel_scale(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 802816 {
// CHECK-NOT:       mlc_loop.parallel
mlc_loop.kernel @channel_scale(%x: memref<1x256x3136xf32>, %s: memref<256xf32>, %out: memref<1x256x3136xf32>) {
  mlc_loop.parallel %p = 0 to 802816 {
    %v = mlc_loop.load %x[0, %p floordiv 3136, %p mod 3136] : memref<1x256x3136xf32>
    %w = mlc_loop.load %s[%p floordiv 3136] : memref<256xf32>
    %y = arith.mulf %v, %w : f32
    mlc_loop.store %y, %out[0, %p floordiv 3136, %p mod 3136] : memref<1x256x3136xf32>
  }
}

// -----

// A named size could be anything: left alone.
// CHECK-LABEL: mlc_loop.kernel @dynamic(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N * 96 {
mlc_loop.kernel @dynamic(%x: memref<?x96xf32, {sizes = ["N", "96"], strides = ["96", "1"]}>, %out: memref<96x?xf32, {sizes = ["96", "N"], strides = ["N", "1"]}>) {
  mlc_loop.parallel %p = 0 to N * 96 {
    %v = mlc_loop.load %x[%p mod N, %p floordiv N] : memref<?x96xf32, {sizes = ["N", "96"], strides = ["96", "1"]}>
    mlc_loop.store %v, %out[%p floordiv N, %p mod N] : memref<96x?xf32, {sizes = ["96", "N"], strides = ["N", "1"]}>
  }
}

// -----

// Programs that count their arrivals are told apart by the index of the one loop.
// CHECK-LABEL: mlc_loop.kernel @counted(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 8 {
mlc_loop.kernel @counted(%x: memref<8xf32>, %part: memref<4x2xf32>, %out: memref<4xf32>, %arrived: memref<4xi32>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    mlc_loop.store %v, %part[%q mod 4, %q floordiv 4] : memref<4x2xf32>
    mlc_loop.last_block %arrived[%q mod 4] of 2 : memref<4xi32> {
      %w = mlc_loop.load %part[%q mod 4, 1] : memref<4x2xf32>
      mlc_loop.store %w, %out[%q mod 4] : memref<4xf32>
    }
  }
}

// -----

// Windows of a pooling: neighbours along the width are two elements apart, and share sectors. Heights are not one line
// with that.
// CHECK-LABEL: mlc_loop.kernel @pooled(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 192 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 784 {
// LOADED-LABEL: mlc_loop.kernel @pooled(
// LOADED-NEXT:    mlc_loop.parallel %p = 0 to 784 {
// LOADED-NEXT:      mlc_loop.parallel %r = 0 to 192 {
// QUICKEST-LABEL: mlc_loop.kernel @pooled(
// QUICKEST-NEXT:    mlc_loop.parallel %p = 0 to {{[0-9]+}} {
// QUICKEST-NEXT:      mlc_loop.parallel %r = 0 to {{[0-9]+}} {
mlc_loop.kernel @pooled(%x: memref<4x192x28x28xf32>, %out: memref<4x14x14x192xf32>) {
  mlc_loop.parallel %p = 0 to 150528 {
    %v = mlc_loop.load %x[%p floordiv 37632, %p mod 192, ((%p floordiv 2688) mod 14) * 2, ((%p floordiv 192) mod 14) * 2] : memref<4x192x28x28xf32>
    %w = mlc_loop.load %x[%p floordiv 37632, %p mod 192, ((%p floordiv 2688) mod 14) * 2, ((%p floordiv 192) mod 14) * 2 + 1] : memref<4x192x28x28xf32>
    %y = arith.addf %v, %w : f32
    mlc_loop.store %y, %out[%p floordiv 37632, (%p floordiv 2688) mod 14, (%p floordiv 192) mod 14, %p mod 192] : memref<4x14x14x192xf32>
  }
}

// -----

// Every other element, along the axis of the result: nothing is turned.
// CHECK-LABEL: mlc_loop.kernel @every_other(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 3840 {
// CHECK-NEXT:      mlc_loop.load
mlc_loop.kernel @every_other(%x: memref<96x80xf32>, %out: memref<96x40xf32>) {
  mlc_loop.parallel %p = 0 to 3840 {
    %v = mlc_loop.load %x[%p floordiv 40, (%p mod 40) * 2] : memref<96x80xf32>
    mlc_loop.store %v, %out[%p floordiv 40, %p mod 40] : memref<96x40xf32>
  }
}

// -----

// Neighbours eight apart share no sector: a tile would read as much as the flat loop.
// CHECK-LABEL: mlc_loop.kernel @sparse(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 9600 {
// CHECK-NEXT:      mlc_loop.load
mlc_loop.kernel @sparse(%x: memref<96x800xf32>, %out: memref<100x96xf32>) {
  mlc_loop.parallel %p = 0 to 9600 {
    %v = mlc_loop.load %x[%p mod 96, (%p floordiv 96) * 8] : memref<96x800xf32>
    mlc_loop.store %v, %out[%p floordiv 96, %p mod 96] : memref<100x96xf32>
  }
}
