// RUN: mlc-opt %s -p last-block --split-input-file | filecheck %s

// The second stage of a split sum: all 800 programs meet at one counter.
// CHECK-LABEL: mlc_loop.kernel @mean(
// CHECK-SAME:    %partial: memref<1x800xf32>, %out: memref<1xf32>, %arrived: memref<1xi32>)
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 800 {
// CHECK:           mlc_loop.store %{{.*}}, %partial[0, %q]
// CHECK-NEXT:      mlc_loop.last_block %arrived[0] of 800 : memref<1xi32> {
// CHECK-NEXT:        %[[S:.*]] = mlc_loop.reduce add %i = 0 to 800 -> f32 {
// CHECK-NEXT:          mlc_loop.load %partial[0, %i]
// CHECK:             %[[M:.*]] = arith.divf %[[S]],
// CHECK-NEXT:        mlc_loop.store %[[M]], %out[0]
// CHECK-NOT:   mlc_loop.kernel
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %partial = mlc_loop.alloc
// CHECK-NEXT:    %out = mlc_loop.alloc
// CHECK-NEXT:    %arrived = mlc_loop.counters : memref<1xi32>
// CHECK-NEXT:    mlc_loop.launch @mean(%x, %partial, %out, %arrived)
// CHECK-NEXT:    mlc_loop.free %partial
// CHECK-NEXT:    func.return %out
mlc_loop.kernel @mean_parts(%x: memref<1000000xf32>, %partial: memref<1x800xf32>) {
  mlc_loop.parallel %q = 0 to 800 {
    %s = mlc_loop.reduce add %k = 0 to 1250 -> f32 {
      %v = mlc_loop.load %x[%q * 1250 + %k] : memref<1000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[0, %q] : memref<1x800xf32>
  }
}
mlc_loop.kernel @mean(%out: memref<1xf32>, %partial: memref<1x800xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %i = 0 to 800 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<1x800xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 1.0e+06 : f32
    %m = arith.divf %s, %n : f32
    mlc_loop.store %m, %out[0] : memref<1xf32>
  }
}
func.func @main(%x: memref<1000000xf32>) -> memref<1xf32> {
  %partial = mlc_loop.alloc : memref<1x800xf32>
  mlc_loop.launch @mean_parts(%x, %partial) : memref<1000000xf32>, memref<1x800xf32>
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @mean(%out, %partial) : memref<1xf32>, memref<1x800xf32>
  mlc_loop.free %partial : memref<1x800xf32>
  func.return %out : memref<1xf32>
}

// -----

// Rows that lie side by side: the programs of the four parts of one row meet.
// CHECK-LABEL: mlc_loop.kernel @columns(
// CHECK:           mlc_loop.store %{{.*}}, %partial[%q mod 256, %q floordiv 256]
// CHECK-NEXT:      mlc_loop.last_block %arrived[%q mod 256] of 4 : memref<256xi32> {
// CHECK:             mlc_loop.load %partial[%q mod 256, %i]
// CHECK:             mlc_loop.store %{{.*}}, %out[%q mod 256]
mlc_loop.kernel @columns_parts(%x: memref<65536xf32>, %partial: memref<256x4xf32>) {
  mlc_loop.parallel %q = 0 to 1024 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[%q mod 256, %q floordiv 256] : memref<256x4xf32>
  }
}
mlc_loop.kernel @columns(%out: memref<256xf32>, %partial: memref<256x4xf32>) {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<256x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<256xf32>
  }
}
func.func @main(%x: memref<65536xf32>) -> memref<256xf32> {
  %partial = mlc_loop.alloc : memref<256x4xf32>
  %out = mlc_loop.alloc : memref<256xf32>
  mlc_loop.launch @columns_parts(%x, %partial) : memref<65536xf32>, memref<256x4xf32>
  mlc_loop.launch @columns(%out, %partial) : memref<256xf32>, memref<256x4xf32>
  mlc_loop.free %partial : memref<256x4xf32>
  func.return %out : memref<256xf32>
}

// -----

// Rows one after the other.
// CHECK-LABEL: mlc_loop.kernel @long_rows(
// CHECK:           mlc_loop.last_block %arrived[%q floordiv 4] of 4 : memref<256xi32> {
// CHECK:             mlc_loop.store %{{.*}}, %out[%q floordiv 4]
mlc_loop.kernel @long_rows_parts(%x: memref<65536xf32>, %partial: memref<256x4xf32>) {
  mlc_loop.parallel %q = 0 to 1024 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[%q floordiv 4, %q mod 4] : memref<256x4xf32>
  }
}
mlc_loop.kernel @long_rows(%out: memref<256xf32>, %partial: memref<256x4xf32>) {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<256x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<256xf32>
  }
}
func.func @main(%x: memref<65536xf32>) -> memref<256xf32> {
  %partial = mlc_loop.alloc : memref<256x4xf32>
  %out = mlc_loop.alloc : memref<256xf32>
  mlc_loop.launch @long_rows_parts(%x, %partial) : memref<65536xf32>, memref<256x4xf32>
  mlc_loop.launch @long_rows(%out, %partial) : memref<256xf32>, memref<256x4xf32>
  mlc_loop.free %partial : memref<256x4xf32>
  func.return %out : memref<256xf32>
}

// -----

// Blocks that lie within the 100 rows of each part meet as one.
// CHECK-LABEL: mlc_loop.kernel @columns_within(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 400 overlap 100 {
// CHECK:           mlc_loop.last_block %arrived[%q mod 100] of 4 : memref<100xi32> {
mlc_loop.kernel @columns_within_parts(%x: memref<65536xf32>, %partial: memref<100x4xf32>) {
  mlc_loop.parallel %q = 0 to 400 overlap 100 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[%q mod 100, %q floordiv 100] : memref<100x4xf32>
  }
}
mlc_loop.kernel @columns_within(%out: memref<100xf32>, %partial: memref<100x4xf32>) {
  mlc_loop.parallel %p = 0 to 100 {
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<100x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<100xf32>
  }
}
func.func @main(%x: memref<65536xf32>) -> memref<100xf32> {
  %partial = mlc_loop.alloc : memref<100x4xf32>
  %out = mlc_loop.alloc : memref<100xf32>
  mlc_loop.launch @columns_within_parts(%x, %partial) : memref<65536xf32>, memref<100x4xf32>
  mlc_loop.launch @columns_within(%out, %partial) : memref<100xf32>, memref<100x4xf32>
  mlc_loop.free %partial : memref<100x4xf32>
  func.return %out : memref<100xf32>
}

// -----

// Blocks of 64 rows side by side would not meet as one: 100 rows stay with a kernel of their own.
// CHECK-LABEL: mlc_loop.kernel @odd_columns_parts(
// CHECK-NOT:     mlc_loop.last_block
// CHECK-LABEL: mlc_loop.kernel @odd_columns(
// CHECK-NOT:     mlc_loop.last_block
mlc_loop.kernel @odd_columns_parts(%x: memref<65536xf32>, %partial: memref<100x4xf32>) {
  mlc_loop.parallel %q = 0 to 400 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[%q mod 100, %q floordiv 100] : memref<100x4xf32>
  }
}
mlc_loop.kernel @odd_columns(%out: memref<100xf32>, %partial: memref<100x4xf32>) {
  mlc_loop.parallel %p = 0 to 100 {
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<100x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<100xf32>
  }
}
func.func @main(%x: memref<65536xf32>) -> memref<100xf32> {
  %partial = mlc_loop.alloc : memref<100x4xf32>
  %out = mlc_loop.alloc : memref<100xf32>
  mlc_loop.launch @odd_columns_parts(%x, %partial) : memref<65536xf32>, memref<100x4xf32>
  mlc_loop.launch @odd_columns(%out, %partial) : memref<100xf32>, memref<100x4xf32>
  mlc_loop.free %partial : memref<100x4xf32>
  func.return %out : memref<100xf32>
}

// -----

// Each row reads what another group of rows wrote.
// CHECK-LABEL: mlc_loop.kernel @other_rows_parts(
// CHECK-NOT:     mlc_loop.last_block
// CHECK-LABEL: mlc_loop.kernel @other_rows(
mlc_loop.kernel @other_rows_parts(%x: memref<65536xf32>, %partial: memref<256x4xf32>) {
  mlc_loop.parallel %q = 0 to 1024 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[%q floordiv 4, %q mod 4] : memref<256x4xf32>
  }
}
mlc_loop.kernel @other_rows(%out: memref<256xf32>, %partial: memref<256x4xf32>) {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %v = mlc_loop.load %partial[255 - %p, %i] : memref<256x4xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<256xf32>
  }
}
func.func @main(%x: memref<65536xf32>) -> memref<256xf32> {
  %partial = mlc_loop.alloc : memref<256x4xf32>
  %out = mlc_loop.alloc : memref<256xf32>
  mlc_loop.launch @other_rows_parts(%x, %partial) : memref<65536xf32>, memref<256x4xf32>
  mlc_loop.launch @other_rows(%out, %partial) : memref<256xf32>, memref<256x4xf32>
  mlc_loop.free %partial : memref<256x4xf32>
  func.return %out : memref<256xf32>
}

// -----

// The last program would be alone with 32768 sums.
// CHECK-LABEL: mlc_loop.kernel @much_parts(
// CHECK-NOT:     mlc_loop.last_block
// CHECK-LABEL: mlc_loop.kernel @much(
mlc_loop.kernel @much_parts(%x: memref<65536xf32>, %partial: memref<1x32768xf32>) {
  mlc_loop.parallel %q = 0 to 32768 {
    %s = mlc_loop.reduce add %k = 0 to 2 -> f32 {
      %v = mlc_loop.load %x[%q * 2 + %k] : memref<65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[0, %q] : memref<1x32768xf32>
  }
}
mlc_loop.kernel @much(%out: memref<1xf32>, %partial: memref<1x32768xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %i = 0 to 32768 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<1x32768xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1xf32>
  }
}
func.func @main(%x: memref<65536xf32>) -> memref<1xf32> {
  %partial = mlc_loop.alloc : memref<1x32768xf32>
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @much_parts(%x, %partial) : memref<65536xf32>, memref<1x32768xf32>
  mlc_loop.launch @much(%out, %partial) : memref<1xf32>, memref<1x32768xf32>
  mlc_loop.free %partial : memref<1x32768xf32>
  func.return %out : memref<1xf32>
}

// -----

// Another kernel stands between.
// CHECK-LABEL: mlc_loop.kernel @between_parts(
// CHECK-NOT:     mlc_loop.last_block
// CHECK-LABEL: mlc_loop.kernel @between(
mlc_loop.kernel @between_parts(%x: memref<65536xf32>, %partial: memref<1x1024xf32>) {
  mlc_loop.parallel %q = 0 to 1024 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[0, %q] : memref<1x1024xf32>
  }
}
mlc_loop.kernel @between(%out: memref<1xf32>, %partial: memref<1x1024xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %i = 0 to 1024 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<1x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1xf32>
  }
}
func.func @main(%x: memref<65536xf32>) -> memref<1xf32> {
  %partial = mlc_loop.alloc : memref<1x1024xf32>
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @between_parts(%x, %partial) : memref<65536xf32>, memref<1x1024xf32>
  %y = mlc_loop.call "aten.sin.default"(%x) : (memref<65536xf32>) -> memref<65536xf32>
  mlc_loop.launch @between(%out, %partial) : memref<1xf32>, memref<1x1024xf32>
  mlc_loop.free %partial : memref<1x1024xf32>
  func.return %out : memref<1xf32>
}

// -----

// The second kernel overwrites what the first one reads.
// CHECK-LABEL: mlc_loop.kernel @overwrites_parts(
// CHECK-NOT:     mlc_loop.last_block
mlc_loop.kernel @overwrites_parts(%x: memref<4096xf32>, %partial: memref<1x64xf32>) {
  mlc_loop.parallel %q = 0 to 64 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %partial[0, %q] : memref<1x64xf32>
  }
}
mlc_loop.kernel @overwrites(%partial: memref<1x64xf32>, %x: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %i = 0 to 64 -> f32 {
      %v = mlc_loop.load %partial[%p, %i] : memref<1x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %x[0] : memref<4096xf32>
  }
}
func.func @main(%x: memref<4096xf32>) -> memref<4096xf32> {
  %partial = mlc_loop.alloc : memref<1x64xf32>
  mlc_loop.launch @overwrites_parts(%x, %partial) : memref<4096xf32>, memref<1x64xf32>
  mlc_loop.launch @overwrites(%partial, %x) : memref<1x64xf32>, memref<4096xf32>
  func.return %x : memref<4096xf32>
}

// -----

// Programs await each other: their kernel is neither the first of two nor the second.
// CHECK-LABEL: mlc_loop.kernel @awaited(
// CHECK-NOT:     mlc_loop.last_block
// CHECK-LABEL: mlc_loop.kernel @awaiting(
// CHECK-NOT:     mlc_loop.last_block
// CHECK-LABEL: mlc_loop.kernel @total(
// CHECK-NOT:     mlc_loop.last_block
mlc_loop.kernel @awaited(%x: memref<4096xf32>, %sums: memref<64xf32>) {
  mlc_loop.parallel %q = 0 to 64 {
    %s = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%q * 64 + %k] : memref<4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %sums[%q] : memref<64xf32>
  }
}
mlc_loop.kernel @awaiting(%sums: memref<64xf32>, %told: memref<9xi64>, %parts: memref<8xf32>) {
  mlc_loop.parallel %q = 0 to 8 {
    %t = mlc_loop.reduce add %k = 0 to 8 -> f32 {
      %v = mlc_loop.load %sums[%q * 8 + %k] : memref<64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.signal %t in %told[%q + 1] : f32, memref<9xi64>
    %s = mlc_loop.reduce add %i = 0 to 8 -> f32 {
      %o = mlc_loop.wait %told[%i + 1] : memref<9xi64> -> f32
      mlc_loop.yield %o : f32
    }
    %u = arith.divf %t, %s : f32
    mlc_loop.store %u, %parts[%q] : memref<8xf32>
  }
}
mlc_loop.kernel @total(%parts: memref<8xf32>, %out: memref<1xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %i = 0 to 8 -> f32 {
      %v = mlc_loop.load %parts[%i] : memref<8xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}
func.func @main(%x: memref<4096xf32>) -> memref<1xf32> {
  %sums = mlc_loop.alloc : memref<64xf32>
  %parts = mlc_loop.alloc : memref<8xf32>
  %out = mlc_loop.alloc : memref<1xf32>
  %told = mlc_loop.flags @awaiting : memref<9xi64>
  mlc_loop.launch @awaited(%x, %sums) : memref<4096xf32>, memref<64xf32>
  mlc_loop.launch @awaiting(%sums, %told, %parts) : memref<64xf32>, memref<9xi64>, memref<8xf32>
  mlc_loop.launch @total(%parts, %out) : memref<8xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}
