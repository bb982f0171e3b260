// RUN: mlc-opt %s -p 'cooperative-reduction{resident=16 few=64}' --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'cooperative-reduction{resident=64 few=64}' --split-input-file | filecheck %s --check-prefix=HELD

// Four programs of 24 columns tell each other plain sums: of distances from the mean of 16 columns of the row, 0 if
// that is near 0 or not finite, and of their squares. If registers hold 24 columns, each warp reads fewer for itself, and what is
// squared is computed again.
// CHECK-LABEL: mlc_loop.kernel @variance(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 12 {
// CHECK-NEXT:      %[[S:.*]], %[[SS:.*]] = mlc_loop.reduce add, add %j = 0 to 16 -> f32, f32 {
// CHECK-NEXT:        %[[X:.*]] = mlc_loop.load %x[%q floordiv 4, %j * 6]
// CHECK-NEXT:        %[[XX:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT:        mlc_loop.yield %[[X]], %[[XX]] : f32, f32
// CHECK:           %[[B:.*]] = arith.constant 6.250000e-02 : f32
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[S]], %[[B]]
// CHECK:           %[[O:.*]] = arith.mulf %[[M]],
// CHECK-NEXT:      %[[NEAR:.*]] = arith.cmpf olt, %[[O]], %[[SS]]
// CHECK-NEXT:      %[[FAR:.*]] = arith.select %[[NEAR]], %{{.*}}, %[[M]]
// CHECK-NEXT:      %[[A:.*]] = math.absf %[[M]]
// CHECK:           %[[F:.*]] = arith.cmpf olt, %[[A]],
// CHECK:           %pivot = arith.select %[[F]], %[[FAR]],
// CHECK-NEXT:      %[[D:.*]], %[[E:.*]], %[[G:.*]] = mlc_loop.reduce add, add, max %k = 0 to 24 -> f32, f32, f32 {
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 24]
// CHECK-NEXT:        %[[L:.*]] = arith.subf %[[V]], %pivot
// CHECK-NEXT:        %[[Q:.*]] = arith.mulf %[[L]], %[[L]]
// CHECK-NEXT:        mlc_loop.yield %[[L]], %[[Q]], %[[V]]
// CHECK:           mlc_loop.signal %[[D]] in %told[%q + 1]
// CHECK-NEXT:      mlc_loop.signal %[[E]] in %told[%q + 13]
// CHECK-NEXT:      mlc_loop.signal %[[G]] in %told[%q + 25]
// CHECK:           %[[N:.*]] = arith.constant 9.600000e+01 : f32
// CHECK:           %[[D:.*]], %[[E:.*]], %m = mlc_loop.reduce add, add, max %i = 0 to 4
// CHECK:           %t = math.fma %[[N]], %pivot, %[[D]]
// CHECK-NEXT:      %[[H:.*]] = arith.divf %[[D]], %[[N]]
// CHECK-NEXT:      %[[R:.*]] = arith.mulf %[[D]], %[[H]]
// CHECK-NEXT:      %[[U:.*]] = arith.subf %[[E]], %[[R]]
// CHECK-NEXT:      %s = arith.maximumf %[[U]],
// CHECK-NOT:       mlc_loop.reduce
// CHECK:           arith.subf %{{.*}}, %t
// CHECK-NEXT:      arith.mulf %{{.*}}, %s
// HELD-LABEL: mlc_loop.kernel @variance(
// HELD:           mlc_loop.reduce add, add %j = 0 to 16
// HELD:           mlc_loop.reduce add, add, max %k = 0 to 24
// HELD-NEXT:        %[[V:.*]] = mlc_loop.load
// HELD-NEXT:        %[[L:.*]] = arith.subf %[[V]], %pivot
// HELD-NEXT:        %[[N:.*]] = arith.subf %pivot, %[[V]]
// HELD-NEXT:        %[[Q:.*]] = arith.mulf %[[N]], %[[N]]
// HELD-NEXT:        mlc_loop.yield %[[L]], %[[Q]], %[[V]]
mlc_loop.kernel @variance(%x: memref<3x96xf32>, %out: memref<3x96xf32>) schedule <part = 24, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %t, %s, %m = mlc_loop.reduce welford, max %r = 0 to 96 -> f32, f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      mlc_loop.yield %v, %v : f32, f32
    }
    mlc_loop.parallel %r = 0 to 96 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %y = arith.subf %v, %t : f32
      %w = arith.mulf %y, %s : f32
      %z = arith.addf %w, %m : f32
      mlc_loop.store %z, %out[%p, %r] : memref<3x96xf32>
    }
  }
}
func.func @main(%x: memref<3x96xf32>) -> memref<3x96xf32> {
  %out = mlc_loop.alloc : memref<3x96xf32>
  mlc_loop.launch @variance(%x, %out) : memref<3x96xf32>, memref<3x96xf32>
  func.return %out : memref<3x96xf32>
}

// -----

// Two variances, each with a number of its own, which one loop gives.
// CHECK-LABEL: mlc_loop.kernel @two(
// CHECK:           %[[S:.*]], %{{.*}}, %[[T:.*]], %{{.*}} = mlc_loop.reduce add, add, add, add %j = 0 to 16
// CHECK:           %pivot = arith.select %{{.*}}, %[[M:.*]],
// CHECK:           arith.mulf %[[T]],
// CHECK:           %pivot_1 = arith.select
// CHECK-NEXT:      mlc_loop.reduce add, add, add, add %k = 0 to 24
// CHECK:             arith.subf %{{.*}}, %pivot :
// CHECK:             arith.subf %{{.*}}, %pivot_1 :
// CHECK-COUNT-4:   mlc_loop.signal
// CHECK:           mlc_loop.reduce add, add, add, add %i = 0 to 4
// CHECK:           %a = math.fma %{{.*}}, %pivot_1, 
// CHECK:           %b = arith.maximumf
// CHECK:           %t = math.fma %{{.*}}, %pivot, 
// CHECK:           %s = arith.maximumf
mlc_loop.kernel @two(%x: memref<3x96xf32>, %out: memref<3x96xf32>) schedule <part = 24, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %t, %s, %a, %b = mlc_loop.reduce welford, welford %r = 0 to 96 -> f32, f32, f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %u = math.exp %v : f32
      mlc_loop.yield %v, %u : f32, f32
    }
    mlc_loop.parallel %r = 0 to 96 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %y = arith.subf %v, %t : f32
      %w = arith.mulf %y, %s : f32
      %c = arith.subf %w, %a : f32
      %z = arith.mulf %c, %b : f32
      mlc_loop.store %z, %out[%p, %r] : memref<3x96xf32>
    }
  }
}
func.func @main(%x: memref<3x96xf32>) -> memref<3x96xf32> {
  %out = mlc_loop.alloc : memref<3x96xf32>
  mlc_loop.launch @two(%x, %out) : memref<3x96xf32>, memref<3x96xf32>
  func.return %out : memref<3x96xf32>
}

// -----

// Parts of 32 columns, the last of which ends early, of a row that has 188, and one number for all of them.
// CHECK-LABEL: mlc_loop.kernel @uneven(
// CHECK:           mlc_loop.reduce add, add %j = 0 to 32
// HELD-LABEL: mlc_loop.kernel @uneven(
// HELD:           mlc_loop.reduce add, add %j = 0 to 16
// CHECK:           mlc_loop.reduce add, add %k = 0 to 32
// CHECK:             mlc_loop.yield if %
// CHECK:           arith.constant 1.880000e+02
mlc_loop.kernel @uneven(%x: memref<3x188xf32>, %out: memref<3x188xf32>) schedule <part = 32, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %t, %s = mlc_loop.reduce welford %r = 0 to 188 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x188xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 188 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x188xf32>
      %y = arith.subf %v, %t : f32
      %z = arith.mulf %y, %s : f32
      mlc_loop.store %z, %out[%p, %r] : memref<3x188xf32>
    }
  }
}
func.func @main(%x: memref<3x188xf32>) -> memref<3x188xf32> {
  %out = mlc_loop.alloc : memref<3x188xf32>
  mlc_loop.launch @uneven(%x, %out) : memref<3x188xf32>, memref<3x188xf32>
  func.return %out : memref<3x188xf32>
}

// -----

// Planes of 20 columns, of which two are a part: the number is the mean of two columns from the middle of each.
// CHECK-LABEL: mlc_loop.kernel @planes(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 16 {
// CHECK-NEXT:      mlc_loop.reduce add, add %j = 0 to 32 -> f32, f32
// CHECK-NEXT:        mlc_loop.load %x[%j floordiv 2, %q floordiv 8, (%j mod 2) + 10]
// CHECK:           mlc_loop.reduce add, add %k = 0 to 40
// HELD-LABEL: mlc_loop.kernel @planes(
// HELD-NOT:       arith.subf %pivot
// HELD:         func.func
mlc_loop.kernel @planes(%x: memref<16x2x20xf32>, %out: memref<16x2x20xf32>) schedule <part = 40, exchange = flags> {
  mlc_loop.parallel %p = 0 to 2 {
    %t, %s = mlc_loop.reduce welford %r = 0 to 320 -> f32, f32 {
      %v = mlc_loop.load %x[%r floordiv 20, %p, %r mod 20] : memref<16x2x20xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 320 {
      %v = mlc_loop.load %x[%r floordiv 20, %p, %r mod 20] : memref<16x2x20xf32>
      %y = arith.subf %v, %t : f32
      %z = arith.mulf %y, %s : f32
      mlc_loop.store %z, %out[%r floordiv 20, %p, %r mod 20] : memref<16x2x20xf32>
    }
  }
}
func.func @main(%x: memref<16x2x20xf32>) -> memref<16x2x20xf32> {
  %out = mlc_loop.alloc : memref<16x2x20xf32>
  mlc_loop.launch @planes(%x, %out) : memref<16x2x20xf32>, memref<16x2x20xf32>
  func.return %out : memref<16x2x20xf32>
}

// -----

// Of what an earlier reduction of the row gives: what is near the mean is known when that is.
// CHECK-LABEL: mlc_loop.kernel @later(
// CHECK:           mlc_loop.signal
// CHECK:           %m = mlc_loop.reduce max %i = 0 to 4
// CHECK:           mlc_loop.reduce add, add %j = 0 to 16
// CHECK:             arith.divf %{{.*}}, %m
// CHECK:           mlc_loop.reduce add, add %{{.*}} = 0 to 24
// CHECK:             arith.divf %{{.*}}, %m
// CHECK:             arith.subf %{{.*}}, %pivot
mlc_loop.kernel @later(%x: memref<3x96xf32>, %out: memref<3x96xf32>) schedule <part = 24, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %m = mlc_loop.reduce max %r = 0 to 96 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      mlc_loop.yield %v : f32
    }
    %t, %s = mlc_loop.reduce welford %r = 0 to 96 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %d = arith.divf %v, %m : f32
      mlc_loop.yield %d : f32
    }
    mlc_loop.parallel %r = 0 to 96 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %y = arith.subf %v, %t : f32
      %z = arith.mulf %y, %s : f32
      mlc_loop.store %z, %out[%p, %r] : memref<3x96xf32>
    }
  }
}
func.func @main(%x: memref<3x96xf32>) -> memref<3x96xf32> {
  %out = mlc_loop.alloc : memref<3x96xf32>
  mlc_loop.launch @later(%x, %out) : memref<3x96xf32>, memref<3x96xf32>
  func.return %out : memref<3x96xf32>
}

// -----

// What a loop stores beside what it sums up is stored once.
// CHECK-LABEL: mlc_loop.kernel @stores(
// CHECK:           mlc_loop.reduce add, add %j = 0 to 16
// CHECK-NEXT:        mlc_loop.load
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        mlc_loop.yield
// CHECK:           mlc_loop.reduce add, add %k = 0 to 24
// CHECK:             mlc_loop.store %{{.*}}, %out[%q floordiv 4, %k + (%q mod 4) * 24]
mlc_loop.kernel @stores(%x: memref<3x96xf32>, %out: memref<3x96xf32>) schedule <part = 24, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %t, %s = mlc_loop.reduce welford %r = 0 to 96 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %d = arith.mulf %v, %v : f32
      mlc_loop.store %d, %out[%p, %r] : memref<3x96xf32>
      mlc_loop.yield %d : f32
    }
    mlc_loop.parallel %r = 0 to 96 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %y = arith.subf %v, %t : f32
      %z = arith.mulf %y, %s : f32
      mlc_loop.store %z, %out[%p, %r] : memref<3x96xf32>
    }
  }
}
func.func @main(%x: memref<3x96xf32>) -> memref<3x96xf32> {
  %out = mlc_loop.alloc : memref<3x96xf32>
  mlc_loop.launch @stores(%x, %out) : memref<3x96xf32>, memref<3x96xf32>
  func.return %out : memref<3x96xf32>
}

// -----

// A condition leaves columns out, so that their number is not known.
// CHECK-LABEL: mlc_loop.kernel @some(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 12 {
// CHECK-NEXT:      mlc_loop.reduce welford %k = 0 to 24
mlc_loop.kernel @some(%x: memref<3x96xf32>, %out: memref<3x96xf32>) schedule <part = 24, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %t, %s = mlc_loop.reduce welford %r = 0 to 96 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf ogt, %v, %zero : f32
      mlc_loop.yield if %c %v : f32
    }
    mlc_loop.parallel %r = 0 to 96 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x96xf32>
      %y = arith.subf %v, %t : f32
      %z = arith.mulf %y, %s : f32
      mlc_loop.store %z, %out[%p, %r] : memref<3x96xf32>
    }
  }
}
func.func @main(%x: memref<3x96xf32>) -> memref<3x96xf32> {
  %out = mlc_loop.alloc : memref<3x96xf32>
  mlc_loop.launch @some(%x, %out) : memref<3x96xf32>, memref<3x96xf32>
  func.return %out : memref<3x96xf32>
}
