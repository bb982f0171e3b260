// RUN: mlc-opt %s -p cooperative-reduction --split-input-file | filecheck %s

// Four programs a row: each tells its sum, and awaits those of the three others. What there is one of a row is stored by
// the first.
// CHECK-LABEL: mlc_loop.kernel @norm(
// CHECK-SAME:    %told: memref<13xi64>
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 12 {
// CHECK-NEXT:      %w_1 = mlc_loop.load %w[%q floordiv 4]
// CHECK-NEXT:      %[[T:.*]] = mlc_loop.reduce add %k = 0 to 64 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 64]
// CHECK:           mlc_loop.signal %[[T]] in %told[%q + 1] : f32, memref<13xi64>
// CHECK-NEXT:      %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
// CHECK-NEXT:        %[[O:.*]] = mlc_loop.wait %told[%i + (%q floordiv 4) * 4 + 1] : memref<13xi64> -> f32
// CHECK-NEXT:        mlc_loop.yield %[[O]] : f32
// CHECK:           %[[I:.*]] = mlc_loop.index [%q mod 4]
// CHECK:           %[[F:.*]] = arith.cmpi eq, %[[I]]
// CHECK-NEXT:      %u = arith.mulf %s, %w_1
// CHECK-NEXT:      mlc_loop.store %s, %total[%q floordiv 4] if %[[F]]
// CHECK-NEXT:      mlc_loop.parallel %[[K:.*]] = 0 to 64 {
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%q floordiv 4, %[[K]] + (%q mod 4) * 64]
// CHECK-NEXT:        %y = arith.divf %[[V]], %u
// CHECK-NEXT:        mlc_loop.store %y, %out[%q floordiv 4, %[[K]] + (%q mod 4) * 64]
// CHECK-LABEL: func.func @main(
// CHECK:         %told = mlc_loop.flags @norm : memref<13xi64>
// CHECK-NEXT:    mlc_loop.launch @norm(%x, %w, %out, %total, %told)
mlc_loop.kernel @norm(%x: memref<3x256xf32>, %w: memref<3xf32>, %out: memref<3x256xf32>, %total: memref<3xf32>) schedule <part = 64, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %w_1 = mlc_loop.load %w[%p] : memref<3xf32>
    %s = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x256xf32>
      mlc_loop.yield %v : f32
    }
    %u = arith.mulf %s, %w_1 : f32
    mlc_loop.store %s, %total[%p] : memref<3xf32>
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x256xf32>
      %y = arith.divf %v, %u : f32
      mlc_loop.store %y, %out[%p, %r] : memref<3x256xf32>
    }
  }
}
func.func @main(%x: memref<3x256xf32>, %w: memref<3xf32>) -> (memref<3x256xf32>, memref<3xf32>) {
  %out = mlc_loop.alloc : memref<3x256xf32>
  %total = mlc_loop.alloc : memref<3xf32>
  mlc_loop.launch @norm(%x, %w, %out, %total) : memref<3x256xf32>, memref<3xf32>, memref<3x256xf32>, memref<3xf32>
  func.return %out, %total : memref<3x256xf32>, memref<3xf32>
}

// -----

// A max and a sum of doubles, in two words each: the sum is rescaled by what the max of all parts is.
// CHECK-LABEL: mlc_loop.kernel @softmax(
// CHECK-SAME:    %told: memref<33xi64>
// CHECK:           %[[M:.*]], %[[S:.*]] = mlc_loop.reduce softmax %k = 0 to 64 -> f64, f64 {
// CHECK:           mlc_loop.signal %[[M]] in %told[%q * 2 + 1] : f64, memref<33xi64>
// CHECK-NEXT:      mlc_loop.signal %[[S]] in %told[%q * 2 + 17] : f64, memref<33xi64>
// CHECK-NEXT:      %m = mlc_loop.reduce max %i = 0 to 4 -> f64 {
// CHECK-NEXT:        mlc_loop.wait %told[%i * 2 + (%q floordiv 4) * 8 + 1]
// CHECK:           %s = mlc_loop.reduce add %[[I:.*]] = 0 to 4 -> f64 {
// CHECK-NEXT:        %[[A:.*]] = mlc_loop.wait %told[%[[I]] * 2 + (%q floordiv 4) * 8 + 1]
// CHECK-NEXT:        %[[B:.*]] = mlc_loop.wait %told[%[[I]] * 2 + (%q floordiv 4) * 8 + 17]
// CHECK-NEXT:        %[[D:.*]] = arith.subf %[[A]], %m
mlc_loop.kernel @softmax(%x: memref<2x256xf64>, %out: memref<2x256xf64>) schedule <part = 64, exchange = flags> {
  mlc_loop.parallel %p = 0 to 2 {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 256 -> f64, f64 {
      %v = mlc_loop.load %x[%p, %r] : memref<2x256xf64>
      mlc_loop.yield %v : f64
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<2x256xf64>
      %d = arith.subf %v, %m : f64
      %e = math.exp %d : f64
      %y = arith.divf %e, %s : f64
      mlc_loop.store %y, %out[%p, %r] : memref<2x256xf64>
    }
  }
}
func.func @main(%x: memref<2x256xf64>) -> memref<2x256xf64> {
  %out = mlc_loop.alloc : memref<2x256xf64>
  mlc_loop.launch @softmax(%x, %out) : memref<2x256xf64>, memref<2x256xf64>
  func.return %out : memref<2x256xf64>
}

// -----

// The second reduction needs the first: programs tell twice.
// CHECK-LABEL: mlc_loop.kernel @twice(
// CHECK:           %[[A:.*]] = mlc_loop.reduce max %k = 0 to 64
// CHECK:           mlc_loop.signal %[[A]] in %told[%q + 1]
// CHECK-NEXT:      %m = mlc_loop.reduce max %i = 0 to 4
// CHECK:           %[[B:.*]] = mlc_loop.reduce add %{{.*}} = 0 to 64
// CHECK:             arith.divf %{{.*}}, %m
// CHECK:           mlc_loop.signal %[[B]] in %told[%q + 9]
// CHECK-NEXT:      %s = mlc_loop.reduce add %{{.*}} = 0 to 4
// CHECK-NOT:       mlc_loop.signal
// CHECK:           mlc_loop.store %s, %total[%q floordiv 4] if
// CHECK:           arith.divf %{{.*}}, %m
mlc_loop.kernel @twice(%x: memref<2x256xf32>, %out: memref<2x256xf32>, %total: memref<2xf32>) schedule <part = 64, exchange = flags> {
  mlc_loop.parallel %p = 0 to 2 {
    %m = mlc_loop.reduce max %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<2x256xf32>
      mlc_loop.yield %v : f32
    }
    %s = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<2x256xf32>
      %y = arith.divf %v, %m : f32
      mlc_loop.yield %y : f32
    }
    mlc_loop.store %s, %total[%p] : memref<2xf32>
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<2x256xf32>
      %y = arith.divf %v, %m : f32
      %z = arith.divf %y, %s : f32
      mlc_loop.store %z, %out[%p, %r] : memref<2x256xf32>
    }
  }
}
func.func @main(%x: memref<2x256xf32>) -> (memref<2x256xf32>, memref<2xf32>) {
  %out = mlc_loop.alloc : memref<2x256xf32>
  %total = mlc_loop.alloc : memref<2xf32>
  mlc_loop.launch @twice(%x, %out, %total) : memref<2x256xf32>, memref<2x256xf32>, memref<2xf32>
  func.return %out, %total : memref<2x256xf32>, memref<2xf32>
}

// -----

// Strided rows: blocks of them, which may overlap, signal and wait. Four parts of 24 rows each.
// CHECK-LABEL: mlc_loop.kernel @strided(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 96 overlap 24 {
// CHECK-NEXT:      %[[T:.*]] = mlc_loop.reduce add %k = 0 to 64 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%k + (%q floordiv 24) * 64, %q mod 24]
// CHECK:           mlc_loop.signal %[[T]] in %told[(%q floordiv 24) + (%q mod 24) * 4 + 1]
// CHECK-NEXT:      %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
// CHECK-NEXT:        mlc_loop.wait %told[%i + (%q mod 24) * 4 + 1]
// CHECK:           mlc_loop.parallel %[[K:.*]] = 0 to 64 {
// CHECK-NEXT:        mlc_loop.load %x[%[[K]] + (%q floordiv 24) * 64, %q mod 24]
mlc_loop.kernel @strided(%x: memref<256x24xf32>, %out: memref<256x24xf32>) schedule <part = 64, exchange = flags> {
  mlc_loop.parallel %p = 0 to 24 {
    %s = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<256x24xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%r, %p] : memref<256x24xf32>
      %y = arith.divf %v, %s : f32
      mlc_loop.store %y, %out[%r, %p] : memref<256x24xf32>
    }
  }
}
func.func @main(%x: memref<256x24xf32>) -> memref<256x24xf32> {
  %out = mlc_loop.alloc : memref<256x24xf32>
  mlc_loop.launch @strided(%x, %out) : memref<256x24xf32>, memref<256x24xf32>
  func.return %out : memref<256x24xf32>
}

// -----

// Little of what is stored is contiguous along the rows: programs of one row stay neighbours, so that those that await
// each other begin together.
// CHECK-LABEL: mlc_loop.kernel @stored_across(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 256 {
// CHECK:           mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 64]
mlc_loop.kernel @stored_across(%x: memref<64x256xf32>, %z: memref<64x256xf32>, %out: memref<256x64xbf16>) schedule <part = 64, exchange = flags> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x256xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x256xf32>
      %z_1 = mlc_loop.load %z[%p, %r] : memref<64x256xf32>
      %y = arith.divf %v, %s : f32
      %w = arith.addf %y, %z_1 : f32
      %t = arith.truncf %w : f32 to bf16
      mlc_loop.store %t, %out[%r, %p] : memref<256x64xbf16>
    }
  }
}
func.func @main(%x: memref<64x256xf32>, %z: memref<64x256xf32>) -> memref<256x64xbf16> {
  %out = mlc_loop.alloc : memref<256x64xbf16>
  mlc_loop.launch @stored_across(%x, %z, %out) : memref<64x256xf32>, memref<64x256xf32>, memref<256x64xbf16>
  func.return %out : memref<256x64xbf16>
}
