// RUN: mlc-opt %s -p split-scan{length=64} --split-input-file | filecheck %s

// Three rows of 1000 in parts of 64, the last of which is shorter: their totals, then each part after those before it.
// CHECK-LABEL: mlc_loop.kernel @cumsum_parts(
// CHECK-SAME:    %partial: memref<3x16xf32>
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 48 {
// CHECK-NEXT:      %[[T:.*]] = mlc_loop.reduce add %k = 0 to 64 -> f32 {
// CHECK:             mlc_loop.load %x[%q floordiv 16, %k + (%q mod 16) * 64] if
// CHECK:             mlc_loop.yield if %{{.*}} %{{.*}} : f32
// CHECK:           mlc_loop.store %[[T]], %partial[%q floordiv 16, %q mod 16]
// CHECK-LABEL: mlc_loop.kernel @cumsum(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 48 {
// CHECK-NEXT:      %[[C:.*]] = mlc_loop.reduce add %i = 0 to 16 -> f32 {
// CHECK-NEXT:        %[[P:.*]] = mlc_loop.load %partial[%q floordiv 16, %i]
// CHECK-NEXT:        mlc_loop.index [%i - (%q mod 16)]
// CHECK:             %[[B:.*]] = arith.cmpi slt
// CHECK-NEXT:        mlc_loop.yield if %[[B]] %[[P]] : f32
// CHECK:           mlc_loop.parallel %k = 0 to 64 {
// CHECK:             %[[S:.*]] = mlc_loop.scan "add"
// CHECK-NEXT:        %[[A:.*]] = arith.addf %[[C]], %[[S]] : f32
// CHECK-NEXT:        %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT:        mlc_loop.store %[[E]], %out[%q floordiv 16, %k + (%q mod 16) * 64] if
// CHECK-LABEL: func.func @main(
// CHECK:         mlc_loop.launch @cumsum_parts(%x, %partial)
// CHECK-NEXT:    mlc_loop.launch @cumsum(%x, %out, %partial)
// CHECK-NEXT:    mlc_loop.free %partial
mlc_loop.kernel @cumsum(%x: memref<3x1000xf32>, %out: memref<3x1000xf32>) {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      %e = math.exp %s : f32
      mlc_loop.store %e, %out[%p, %r] : memref<3x1000xf32>
    }
  }
}
func.func @main(%x: memref<3x1000xf32>) -> memref<3x1000xf32> {
  %out = mlc_loop.alloc : memref<3x1000xf32>
  mlc_loop.launch @cumsum(%x, %out) : memref<3x1000xf32>, memref<3x1000xf32>
  func.return %out : memref<3x1000xf32>
}

// -----

// Rows enough; a row too short; a position beside the extreme; a scan of a scan; rows side by side.
// CHECK-NOT: _parts
mlc_loop.kernel @many(%x: memref<128x1000xf32>, %out: memref<128x1000xf32>) {
  mlc_loop.parallel %p = 0 to 128 {
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%p, %r] : memref<128x1000xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      mlc_loop.store %s, %out[%p, %r] : memref<128x1000xf32>
    }
  }
}
mlc_loop.kernel @short(%x: memref<3x255xf32>, %out: memref<3x255xf32>) {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 255 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x255xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      mlc_loop.store %s, %out[%p, %r] : memref<3x255xf32>
    }
  }
}
mlc_loop.kernel @position(%x: memref<3x1000xf32>, %out: memref<3x1000xi64>) {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000xf32>
      %s = mlc_loop.scan "argmax" %v : f32 -> i64
      mlc_loop.store %s, %out[%p, %r] : memref<3x1000xi64>
    }
  }
}
mlc_loop.kernel @twice(%x: memref<3x1000xf32>, %out: memref<3x1000xf32>) {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      %t = mlc_loop.scan "max" %s : f32 -> f32
      mlc_loop.store %t, %out[%p, %r] : memref<3x1000xf32>
    }
  }
}
mlc_loop.kernel @down(%x: memref<1000x64xf32>, %out: memref<1000x64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x64xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      mlc_loop.store %s, %out[%r, %p] : memref<1000x64xf32>
    }
  }
}
