// RUN: mlc-opt %s -p split-reduction --split-input-file | filecheck %s

// One row of a million columns: 800 programs reduce 1250 columns each, then one adds up what they found.
// What is computed from the sum moves to the second kernel.
// CHECK-LABEL: mlc_loop.kernel @mean_parts(
// CHECK-SAME:    %partial: memref<1x800xf32>
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 800 {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %k = 0 to 1250 -> f32 {
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%q * 1250 + %k]
// CHECK-NEXT:        mlc_loop.yield %[[V]] : f32
// CHECK:           mlc_loop.store %[[S]], %partial[0, %q]
// CHECK-LABEL: mlc_loop.kernel @mean(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1 {
// CHECK-NEXT:      mlc_loop.reduce add %i = 0 to 800 -> f32 {
// CHECK:           arith.divf
// CHECK-LABEL: @main
// CHECK:         mlc_loop.launch @mean_parts
// CHECK-NEXT:    mlc_loop.launch @mean
// CHECK-NEXT:    mlc_loop.free
mlc_loop.kernel @mean(%x: memref<1000000xf32>, %out: memref<1xf32>) schedule <part = 1250> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 1000000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 1.0e+06 : f32
    %m = arith.divf %s, %n : f32
    mlc_loop.store %m, %out[0] : memref<1xf32>
  }
}
func.func @main(%x: memref<1000000xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @mean(%x, %out) : memref<1000000xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}

// -----

// What it stores is contiguous along the rows, and what it loads along the columns: likewise, so that several rows of a
// block write whole sectors.
// CHECK-LABEL: mlc_loop.kernel @transposed_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 16384 overlap 256 {
// CHECK:           mlc_loop.load %x[%q mod 256, %k + (%q floordiv 256) * 1024]
// CHECK:           mlc_loop.store %{{.*}}, %y[%k + (%q floordiv 256) * 1024, %q mod 256]
mlc_loop.kernel @transposed(%x: memref<256x65536xf32>, %y: memref<65536x256xbf16>, %out: memref<256xf32>) schedule <part = 1024> {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %r = 0 to 65536 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<256x65536xf32>
      %t = arith.truncf %v : f32 to bf16
      mlc_loop.store %t, %y[%r, %p] : memref<65536x256xbf16>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<256xf32>
  }
}
func.func @main(%x: memref<256x65536xf32>) -> (memref<65536x256xbf16>, memref<256xf32>) {
  %y = mlc_loop.alloc : memref<65536x256xbf16>
  %out = mlc_loop.alloc : memref<256xf32>
  mlc_loop.launch @transposed(%x, %y, %out) : memref<256x65536xf32>, memref<65536x256xbf16>, memref<256xf32>
  func.return %y, %out : memref<65536x256xbf16>, memref<256xf32>
}

// -----

// Rows lie side by side in memory: neighbouring programs keep neighbouring rows of one part.
// CHECK-LABEL: mlc_loop.kernel @columns_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 16384 overlap 1024 {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add %k = 0 to 256 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%k + (%q floordiv 1024) * 256, %q mod 1024]
mlc_loop.kernel @columns(%x: memref<4096x1024xf32>, %out: memref<1024xf32>) schedule <part = 256> {
  mlc_loop.parallel %p = 0 to 1024 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1024xf32>
  }
}

// -----

// Rows that begin anywhere, of narrow elements: more programs. Parts of 384 columns, the last of 63 less.
// CHECK-LABEL: mlc_loop.kernel @odd_columns_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 110077 overlap 10007 {
// CHECK-NEXT:      mlc_loop.reduce add %k = 0 to 384 -> bf16 {
mlc_loop.kernel @odd_columns(%x: memref<4161x10007xbf16>, %out: memref<10007xbf16>) schedule <part = 384> {
  mlc_loop.parallel %p = 0 to 10007 {
    %s = mlc_loop.reduce add %r = 0 to 4161 -> bf16 {
      %v = mlc_loop.load %x[%r, %p] : memref<4161x10007xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<10007xbf16>
  }
}

// -----

// A prime number of columns: the last part is shorter, and the iterations past the end give nothing.
// CHECK-LABEL: mlc_loop.kernel @prime_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 489 {
// CHECK-NEXT:      mlc_loop.reduce add %k = 0 to 2048 -> f32 {
// CHECK-NEXT:        %[[BEYOND:.*]] = mlc_loop.index [%q * 2048 + %k - 1000003] : i64
// CHECK:             %[[INSIDE:.*]] = arith.cmpi slt, %[[BEYOND]]
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%q * 2048 + %k] if %[[INSIDE]]
// CHECK-NEXT:        mlc_loop.yield if %[[INSIDE]] %[[V]] : f32
mlc_loop.kernel @prime(%x: memref<1000003xf32>, %out: memref<1xf32>) schedule <part = 2048> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 1000003 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1000003xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}

// -----

// Every column needs the finished sum: each program of the second kernel combines the parts, then
// stores its own part of the columns. What there is one of a row is stored by the first of them.
// CHECK-LABEL: mlc_loop.kernel @normalise_parts(
// CHECK:           mlc_loop.store %{{.*}}, %partial[0, %q]
// CHECK-LABEL: mlc_loop.kernel @normalise(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 800 {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %i = 0 to 800 -> f32 {
// CHECK-NEXT:        mlc_loop.load %partial[0, %i]
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq
// CHECK-NEXT:      mlc_loop.parallel %k = 0 to 1250 {
// CHECK:             arith.divf %{{.*}}, %[[S]]
// CHECK-NEXT:        mlc_loop.store %{{.*}}, %out[%q * 1250 + %k]
// CHECK:           mlc_loop.store %[[S]], %sum[0] if %[[FIRST]]
mlc_loop.kernel @normalise(%x: memref<1000000xf32>, %out: memref<1000000xf32>, %sum: memref<1xf32>) schedule <part = 1250> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 1000000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1000000 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      %q = arith.divf %v, %s : f32
      mlc_loop.store %q, %out[%r] : memref<1000000xf32>
    }
    mlc_loop.store %s, %sum[0] : memref<1xf32>
  }
}

// -----

// A maximum and the sum of exponentials below it: joined, so that one stage gives the parts of both. A part
// counts for s_i * exp(m_i - m).
// CHECK-LABEL: mlc_loop.kernel @logsumexp_parts(
// CHECK:           mlc_loop.reduce softmax %k = 0 to 1024 -> f32, f32 {
// CHECK-LABEL: mlc_loop.kernel @logsumexp(
// CHECK:           %[[M:.*]] = mlc_loop.reduce max %i = 0 to 1024 -> f32 {
// CHECK:           mlc_loop.reduce add %i_1 = 0 to 1024 -> f32 {
// CHECK-NEXT:        %[[MI:.*]] = mlc_loop.load %partial[0, %i_1]
// CHECK-NEXT:        %[[SI:.*]] = mlc_loop.load %partial_1[0, %i_1]
// CHECK-NEXT:        %[[D:.*]] = arith.subf %[[MI]], %[[M]]
// CHECK-NEXT:        %[[E:.*]] = math.exp %[[D]]
// CHECK-NEXT:        arith.mulf %[[SI]], %[[E]]
mlc_loop.kernel @logsumexp(%x: memref<1048576xf32>, %out: memref<1xf32>) schedule <part = 1024> {
  mlc_loop.parallel %p = 0 to 1 {
    %m = mlc_loop.reduce max %r = 0 to 1048576 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1048576xf32>
      mlc_loop.yield %v : f32
    }
    %s = mlc_loop.reduce add %r = 0 to 1048576 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1048576xf32>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      mlc_loop.yield %e : f32
    }
    %l = math.log %s : f32
    mlc_loop.store %l, %out[0] : memref<1xf32>
  }
}

// -----

// Reductions that one pass cannot join: three stages.
// CHECK-LABEL: mlc_loop.kernel @deviation_parts(
// CHECK:           mlc_loop.reduce add %k = 0 to 1024
// CHECK-LABEL: mlc_loop.kernel @deviation_parts_2(
// CHECK:           mlc_loop.reduce add %i = 0 to 1024
// CHECK:           mlc_loop.reduce add %k = 0 to 1024
// CHECK:             math.absf
// CHECK-LABEL: mlc_loop.kernel @deviation(
// CHECK-NOT:       mlc_loop.load %x
// CHECK:           mlc_loop.reduce add %i = 0 to 1024
mlc_loop.kernel @deviation(%x: memref<1048576xf32>, %out: memref<1xf32>) schedule <part = 1024> {
  mlc_loop.parallel %p = 0 to 1 {
    %m = mlc_loop.reduce add %r = 0 to 1048576 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1048576xf32>
      mlc_loop.yield %v : f32
    }
    %s = mlc_loop.reduce add %r = 0 to 1048576 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1048576xf32>
      %d = arith.subf %v, %m : f32
      %e = math.absf %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}

// -----

// Too few channels: each in parts of whole images.
// CHECK-LABEL: mlc_loop.kernel @few_channels_parts(
// CHECK:         mlc_loop.reduce add %k = 0 to 12544
// CHECK-LABEL: mlc_loop.kernel @few_channels(
mlc_loop.kernel @few_channels(%x: memref<64x64x3136xf32>, %out: memref<64x64x3136xf32>) schedule <part = 12544> {
  mlc_loop.parallel %c = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 200704 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 3136, %c, %r mod 3136] : memref<64x64x3136xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 200704 {
      %v = mlc_loop.load %x[%r floordiv 3136, %c, %r mod 3136] : memref<64x64x3136xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%r floordiv 3136, %c, %r mod 3136] : memref<64x64x3136xf32>
    }
  }
}

// -----

// So many that a second turn would leave most of the device idle.
// CHECK-LABEL: mlc_loop.kernel @uneven_channels_parts(
mlc_loop.kernel @uneven_channels(%x: memref<64x300x3136xf32>, %out: memref<64x300x3136xf32>) schedule <part = 100352> {
  mlc_loop.parallel %c = 0 to 300 {
    %s = mlc_loop.reduce add %r = 0 to 200704 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 3136, %c, %r mod 3136] : memref<64x300x3136xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 200704 {
      %v = mlc_loop.load %x[%r floordiv 3136, %c, %r mod 3136] : memref<64x300x3136xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%r floordiv 3136, %c, %r mod 3136] : memref<64x300x3136xf32>
    }
  }
}

// -----

// Four times as much a program.
// CHECK-LABEL: mlc_loop.kernel @more_partial_sums_parts(
mlc_loop.kernel @more_partial_sums(%x: memref<2112x1000xf32>, %out: memref<1000xf32>) schedule <part = 264> {
  mlc_loop.parallel %p = 0 to 1000 {
    %s = mlc_loop.reduce add %r = 0 to 2112 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<2112x1000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1000xf32>
  }
}

// -----

// 8 programs are side by side. 50 even parts would be 400 programs, 4 for some multiprocessors and 3 for most: 49 of
// 1024 columns are 3 for nearly all.
// CHECK-LABEL: mlc_loop.kernel @balanced_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 49000 overlap 1000 {
// CHECK-NEXT:      mlc_loop.reduce add %k = 0 to 1024
mlc_loop.kernel @balanced(%x: memref<50000x1000xbf16>, %out: memref<1000xf32>) schedule <part = 1024> {
  mlc_loop.parallel %p = 0 to 1000 {
    %s = mlc_loop.reduce add %r = 0 to 50000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<50000x1000xbf16>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1000xf32>
  }
}
func.func @main(%x: memref<50000x1000xbf16>, %out: memref<1000xf32>) {
  mlc_loop.launch @balanced(%x, %out) : memref<50000x1000xbf16>, memref<1000xf32>
  func.return
}

// -----

// Of a variance each lane would count what an uneven part has: 50 even ones.
// CHECK-LABEL: mlc_loop.kernel @variance_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 50000 overlap 1000 {
// CHECK-NEXT:      mlc_loop.reduce welford %k = 0 to 1000
mlc_loop.kernel @variance(%x: memref<50000x1000xbf16>, %out: memref<1000xf32>) schedule <part = 1000> {
  mlc_loop.parallel %p = 0 to 1000 {
    %s, %q = mlc_loop.reduce welford %r = 0 to 50000 -> f32, f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<50000x1000xbf16>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %q, %out[%p] : memref<1000xf32>
  }
}
func.func @main(%x: memref<50000x1000xbf16>, %out: memref<1000xf32>) {
  mlc_loop.launch @variance(%x, %out) : memref<50000x1000xbf16>, memref<1000xf32>
  func.return
}

// -----

// A kernel that is there keeps its name.
// CHECK-LABEL: mlc_loop.kernel @mean_parts(%y
// CHECK-LABEL: mlc_loop.kernel @mean_parts_1(%x
// CHECK-LABEL: mlc_loop.kernel @mean(
// CHECK:         mlc_loop.launch @mean_parts_1
// CHECK-NEXT:    mlc_loop.launch @mean(
mlc_loop.kernel @mean_parts(%y: memref<4xf32>) {
  mlc_loop.parallel %p = 0 to 4 {
    %v = mlc_loop.load %y[%p] : memref<4xf32>
    mlc_loop.store %v, %y[%p] : memref<4xf32>
  }
}
mlc_loop.kernel @mean(%x: memref<1000000xf32>, %out: memref<1xf32>) schedule <part = 1250> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 1000000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<1000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}
func.func @main(%x: memref<1000000xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @mean(%x, %out) : memref<1000000xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}
