// RUN: mlc-opt %s -p schedule --split-input-file | filecheck %s

// How many rows there are is unknown, so that nothing is predicted: the usual tilings of long contiguous rows.

// Lanes meet at each block: few warps with long blocks.
// CHECK-LABEL: mlc_loop.kernel @two_blocks(
// CHECK-SAME:    warps 4 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce softmax %r = 0 to 32768 block 16384 -> f32, f32 {
mlc_loop.kernel @two_blocks(%x: memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>, %out: memref<?x32768xf32, {sizes = ["N", "32768"], strides = ["32768", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 32768 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 32768 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %d = arith.subf %f, %m : f32
      mlc_loop.store %d, %out[%p, %r] : memref<?x32768xf32, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
    }
  }
}

// -----

// Longer rows that are read again: fewer of them at a time, so that the cache keeps them.
// CHECK-LABEL: mlc_loop.kernel @four_blocks(
// CHECK-SAME:    warps 8 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce softmax %r = 0 to 65536 block 16384 -> f32, f32 {
mlc_loop.kernel @four_blocks(%x: memref<?x65536xbf16, {sizes = ["N", "65536"], strides = ["65536", "1"]}>, %out: memref<?x65536xf32, {sizes = ["N", "65536"], strides = ["65536", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 65536 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x65536xbf16, {sizes = ["N", "65536"], strides = ["65536", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 65536 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x65536xbf16, {sizes = ["N", "65536"], strides = ["65536", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %d = arith.subf %f, %m : f32
      mlc_loop.store %d, %out[%p, %r] : memref<?x65536xf32, {sizes = ["N", "65536"], strides = ["65536", "1"]}>
    }
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @eight_blocks(
// CHECK-SAME:    warps 16 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce softmax %r = 0 to 131072 block 16384 -> f32, f32 {
mlc_loop.kernel @eight_blocks(%x: memref<?x131072xbf16, {sizes = ["N", "131072"], strides = ["131072", "1"]}>, %out: memref<?x131072xf32, {sizes = ["N", "131072"], strides = ["131072", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 131072 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x131072xbf16, {sizes = ["N", "131072"], strides = ["131072", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 131072 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x131072xbf16, {sizes = ["N", "131072"], strides = ["131072", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %d = arith.subf %f, %m : f32
      mlc_loop.store %d, %out[%p, %r] : memref<?x131072xf32, {sizes = ["N", "131072"], strides = ["131072", "1"]}>
    }
  }
}

// -----

// The last of the long blocks would be half empty.
// CHECK-LABEL: mlc_loop.kernel @ends_within(
// CHECK-SAME:    warps 8 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce softmax %r = 0 to 24000 block 8192 -> f32, f32 {
mlc_loop.kernel @ends_within(%x: memref<?x24000xbf16, {sizes = ["N", "24000"], strides = ["24000", "1"]}>, %out: memref<?x24000xf32, {sizes = ["N", "24000"], strides = ["24000", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 24000 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x24000xbf16, {sizes = ["N", "24000"], strides = ["24000", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 24000 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x24000xbf16, {sizes = ["N", "24000"], strides = ["24000", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %d = arith.subf %f, %m : f32
      mlc_loop.store %d, %out[%p, %r] : memref<?x24000xf32, {sizes = ["N", "24000"], strides = ["24000", "1"]}>
    }
  }
}

// -----

// Nothing is stored: the next row waits for nobody.
// CHECK-LABEL: mlc_loop.kernel @only_read(
// CHECK-SAME:    warps 4 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce softmax %r = 0 to 128256 block 8192 -> f32, f32 {
mlc_loop.kernel @only_read(%x: memref<?x128256xbf16, {sizes = ["N", "128256"], strides = ["128256", "1"]}>, %out: memref<?xf32, {sizes = ["N"], strides = ["1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 128256 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x128256xbf16, {sizes = ["N", "128256"], strides = ["128256", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %s, %out[%p] : memref<?xf32, {sizes = ["N"], strides = ["1"]}>
  }
}

// -----

// Rows that start anywhere are read element by element: a lane has room for fewer.
// CHECK-LABEL: mlc_loop.kernel @odd(
// CHECK-SAME:    warps 4 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce softmax %r = 0 to 50257 block 4096 -> f32, f32 {
mlc_loop.kernel @odd(%x: memref<?x50257xbf16, {sizes = ["N", "50257"], strides = ["50257", "1"]}>, %out: memref<?xf32, {sizes = ["N"], strides = ["1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 50257 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x50257xbf16, {sizes = ["N", "50257"], strides = ["50257", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %s, %out[%p] : memref<?xf32, {sizes = ["N"], strides = ["1"]}>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @odd_stored(
// CHECK-SAME:    warps 8 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce softmax %r = 0 to 50257 block 8192 -> f32, f32 {
mlc_loop.kernel @odd_stored(%x: memref<?x50257xbf16, {sizes = ["N", "50257"], strides = ["50257", "1"]}>, %out: memref<?x50257xf32, {sizes = ["N", "50257"], strides = ["50257", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 50257 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x50257xbf16, {sizes = ["N", "50257"], strides = ["50257", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 50257 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x50257xbf16, {sizes = ["N", "50257"], strides = ["50257", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %d = arith.subf %f, %m : f32
      mlc_loop.store %d, %out[%p, %r] : memref<?x50257xf32, {sizes = ["N", "50257"], strides = ["50257", "1"]}>
    }
  }
}

// -----

// Lanes that gather for themselves, and read again.
// CHECK-LABEL: mlc_loop.kernel @gathers(
// CHECK-SAME:    warps 16 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 32768 block 8192 -> f32 {
mlc_loop.kernel @gathers(%x: memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>, %out: memref<?x32768xf32, {sizes = ["N", "32768"], strides = ["32768", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %s = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 32768 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %d = arith.mulf %f, %s : f32
      mlc_loop.store %d, %out[%p, %r] : memref<?x32768xf32, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
    }
  }
}

// -----

// Parts of rows that begin anywhere, of which nothing is read again: each element is a load, of which a lane has 8.
// CHECK-LABEL: mlc_loop.kernel @odd_once(
// CHECK-SAME:    warps 16 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 1024 block 1024 -> f32 {
// CHECK:             mlc_loop.parallel %r_1 = 0 to 16384 block 4096 {
mlc_loop.kernel @odd_once(%x: memref<3x20000003xf32>, %s: memref<3x1024xf32>, %out: memref<3x20000003xf32>) {
  mlc_loop.parallel %p = 0 to N {
    %t = mlc_loop.reduce add %r = 0 to 1024 -> f32 {
      %v = mlc_loop.load %s[%p floordiv 1221, %r] : memref<3x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 16384 {
      %v = mlc_loop.load %x[%p floordiv 1221, (%p mod 1221) * 16384 + %r] : memref<3x20000003xf32>
      %d = arith.mulf %v, %t : f32
      mlc_loop.store %d, %out[%p floordiv 1221, (%p mod 1221) * 16384 + %r] : memref<3x20000003xf32>
    }
  }
}

// -----

// A variance, and results of the same columns: the widest loads of what they are computed in.
// CHECK-LABEL: mlc_loop.kernel @normed(
// CHECK-SAME:    warps 16 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce welford %r = 0 to 12288 block 4096 -> f32, f32 {
// CHECK-LABEL: mlc_loop.kernel @long_normed(
// CHECK-SAME:    warps 32 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce welford %r = 0 to 32768 block 8192 -> f32, f32 {
mlc_loop.kernel @normed(%x: memref<?x12288xbf16, {sizes = ["N", "12288"], strides = ["12288", "1"]}>, %w: memref<12288xf32>, %b: memref<12288xf32>, %out: memref<?x12288xf32, {sizes = ["N", "12288"], strides = ["12288", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %t, %q = mlc_loop.reduce welford %r = 0 to 12288 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x12288xbf16, {sizes = ["N", "12288"], strides = ["12288", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 12288 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x12288xbf16, {sizes = ["N", "12288"], strides = ["12288", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %g = mlc_loop.load %w[%r] : memref<12288xf32>
      %c = mlc_loop.load %b[%r] : memref<12288xf32>
      %d = arith.mulf %f, %q : f32
      %e = arith.mulf %d, %g : f32
      %h = arith.addf %e, %c : f32
      mlc_loop.store %h, %out[%p, %r] : memref<?x12288xf32, {sizes = ["N", "12288"], strides = ["12288", "1"]}>
    }
  }
}
mlc_loop.kernel @long_normed(%x: memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>, %w: memref<32768xf32>, %b: memref<32768xf32>, %out: memref<?x32768xf32, {sizes = ["N", "32768"], strides = ["32768", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %t, %q = mlc_loop.reduce welford %r = 0 to 32768 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %r = 0 to 32768 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x32768xbf16, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
      %f = arith.extf %v : bf16 to f32
      %g = mlc_loop.load %w[%r] : memref<32768xf32>
      %c = mlc_loop.load %b[%r] : memref<32768xf32>
      %d = arith.mulf %f, %q : f32
      %e = arith.mulf %d, %g : f32
      %h = arith.addf %e, %c : f32
      mlc_loop.store %h, %out[%p, %r] : memref<?x32768xf32, {sizes = ["N", "32768"], strides = ["32768", "1"]}>
    }
  }
}

// -----

// Three inputs that are read again: registers do not hold so many rows of 16384.
// CHECK-LABEL: mlc_loop.kernel @three_rows(
// CHECK-SAME:    warps 32 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 16384 block 8192 -> f32 {
// CHECK-LABEL: mlc_loop.kernel @two_rows(
// CHECK-SAME:    warps 16 index {{..}} why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 16384 block 16384 -> f32 {
mlc_loop.kernel @three_rows(%x: memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>, %y: memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>, %z: memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>, %out: memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %t = mlc_loop.reduce add %r = 0 to 16384 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %w = mlc_loop.load %y[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %u = mlc_loop.load %z[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %d = arith.mulf %v, %w : f32
      %e = arith.addf %d, %u : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.parallel %r = 0 to 16384 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %w = mlc_loop.load %y[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %u = mlc_loop.load %z[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %d = arith.mulf %v, %w : f32
      %e = arith.addf %d, %u : f32
      %f = arith.mulf %e, %t : f32
      mlc_loop.store %f, %out[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
    }
  }
}
mlc_loop.kernel @two_rows(%x: memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>, %y: memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>, %out: memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %t = mlc_loop.reduce add %r = 0 to 16384 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %w = mlc_loop.load %y[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %d = arith.mulf %v, %w : f32
      mlc_loop.yield %d : f32
    }
    mlc_loop.parallel %r = 0 to 16384 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %w = mlc_loop.load %y[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
      %d = arith.mulf %v, %w : f32
      %f = arith.mulf %d, %t : f32
      mlc_loop.store %f, %out[%p, %r] : memref<?x16384xf32, {sizes = ["N", "16384"], strides = ["16384", "1"]}>
    }
  }
}
