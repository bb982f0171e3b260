// RUN: mlc-opt %s -p split-scan --split-input-file | filecheck %s

// Three rows of 1000 in parts of 64, the last of which is shorter. Part i of all rows comes before part i + 1.
// CHECK-LABEL: mlc_loop.kernel @cumsum(
// CHECK-SAME:    %told: memref<49xi64>
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 48 {
// CHECK-NEXT:      %[[T:.*]] = mlc_loop.reduce add %k = 0 to 64 -> f32 {
// CHECK:             mlc_loop.load %x[%q mod 3, %k + (%q floordiv 3) * 64] if
// CHECK:             mlc_loop.yield if %{{.*}} %{{.*}} : f32
// CHECK:           %[[B:.*]] = mlc_loop.exclusive_prefix add %[[T]] of 3 in %told : memref<49xi64> -> f32
// CHECK-NEXT:      mlc_loop.parallel %[[K:.*]] = 0 to 64 {
// CHECK:             mlc_loop.load %x[%q mod 3, %[[K]] + (%q floordiv 3) * 64] if
// CHECK-NEXT:        %[[S:.*]] = mlc_loop.scan "add"
// CHECK-NEXT:        %[[A:.*]] = arith.addf %[[B]], %[[S]] : f32
// CHECK-NEXT:        %[[E:.*]] = math.exp %[[A]]
// CHECK-NEXT:        mlc_loop.store %[[E]], %out[%q mod 3, %[[K]] + (%q floordiv 3) * 64] if
// CHECK-LABEL: func.func @main(
// CHECK:         %told = mlc_loop.flags @cumsum : memref<49xi64>
// CHECK-NEXT:    mlc_loop.launch @cumsum(%x, %out, %told)
// CHECK-NEXT:    func.return
mlc_loop.kernel @cumsum(%x: memref<3x1000xf32>, %out: memref<3x1000xf32>) schedule <part = 64> {
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

// Two scans of doubles: parts of a quarter of the length. What is stored once a row is stored by its first part.
// CHECK-LABEL: mlc_loop.kernel @both(
// CHECK-SAME:    %told: memref<897xi64>
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 224 {
// CHECK-NEXT:      %[[W:.*]] = mlc_loop.load %w[%q mod 7]
// CHECK-NEXT:      %[[T:.*]], %[[U:.*]] = mlc_loop.reduce add, max %k = 0 to 16 -> f64, f64 {
// CHECK-NOT:         mlc_loop.store
// CHECK:           %[[B:.*]], %[[C:.*]] = mlc_loop.exclusive_prefix add, max %[[T]], %[[U]] of 7 in %told : memref<897xi64> -> f64, f64
// CHECK:             arith.addf %[[B]],
// CHECK:             arith.maximumf %[[C]],
// CHECK:           %[[I:.*]] = mlc_loop.index [%q floordiv 7]
// CHECK:           %[[F:.*]] = arith.cmpi eq, %[[I]]
// CHECK-NEXT:      mlc_loop.store %[[W]], %once[%q mod 7] if %[[F]]
mlc_loop.kernel @both(%x: memref<7x512xf64>, %w: memref<7xf64>, %a: memref<7x512xf64>, %b: memref<7x512xf64>, %once: memref<7xf64>) schedule <part = 16> {
  mlc_loop.parallel %p = 0 to 7 {
    %s = mlc_loop.load %w[%p] : memref<7xf64>
    mlc_loop.parallel %r = 0 to 512 {
      %v = mlc_loop.load %x[%p, %r] : memref<7x512xf64>
      %u = arith.mulf %v, %s : f64
      %c = mlc_loop.scan "add" %u : f64 -> f64
      %m = mlc_loop.scan "max" %v : f64 -> f64
      mlc_loop.store %c, %a[%p, %r] : memref<7x512xf64>
      mlc_loop.store %m, %b[%p, %r] : memref<7x512xf64>
    }
    mlc_loop.store %s, %once[%p] : memref<7xf64>
  }
}
