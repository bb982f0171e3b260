// RUN: mlc-opt %s -p persistent-rows,partition-rows,two-pass-argmax,online-reduction,cooperative-reduction,split-reduction,split-scan,schedule,program-swizzle,cache-hints --split-input-file | filecheck %s

// A schedule by hand decides all of it; each pass carries out its fields.
// CHECK-LABEL: mlc_loop.kernel @shared_rows(
// CHECK-SAME:    %told: memref<{{[0-9]+}}xi64>) warps 4 index 32 resident 8 why "as asked for" {
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 1024 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %k = 0 to 2048 block 512{{.*}} -> f32 {
// CHECK:           mlc_loop.signal
// CHECK:           mlc_loop.parallel %k_1 = 0 to 2048 block 512 {{.*}}{
mlc_loop.kernel @shared_rows(%x: memref<256x8192xf32>, %out: memref<256x8192xf32>) schedule <part = 2048, exchange = flags, rows = 1, columns = 512, warps = 4> {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %r = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<256x8192xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%p, %r] : memref<256x8192xf32>
      %y = arith.divf %v, %s : f32
      mlc_loop.store %y, %out[%p, %r] : memref<256x8192xf32>
    }
  }
}
func.func @main(%x: memref<256x8192xf32>) -> memref<256x8192xf32> {
  %out = mlc_loop.alloc : memref<256x8192xf32>
  mlc_loop.launch @shared_rows(%x, %out) : memref<256x8192xf32>, memref<256x8192xf32>
  func.return %out : memref<256x8192xf32>
}

// -----

// The order of programs, the tail and the hint of a pointwise kernel.
// CHECK-LABEL: mlc_loop.kernel @swizzled(
// CHECK-SAME:    ) warps 2 index 32 why "as asked for; what it reads leaves the cache first" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 64 swizzle 8 by 4 {
// CHECK-NEXT:      mlc_loop.load %x[%p] evict "first"
mlc_loop.kernel @swizzled(%x: memref<4096xf32>, %out: memref<4096xf32>) schedule <rows = 64, columns = 1, warps = 2, tail = mask, swizzle = 8 by 4, cache = first> {
  mlc_loop.parallel %p = 0 to 4096 {
    %v = mlc_loop.load %x[%p] : memref<4096xf32>
    mlc_loop.store %v, %out[%p] : memref<4096xf32>
  }
}

// -----

// The programs of a persistent loop, and the rows that each takes at once.
// CHECK-LABEL: mlc_loop.kernel @persistent(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 16 program 0 block 1 {
// CHECK:           mlc_loop.serial %p = %i to 512 step 16 block 8 {{.*}}{
mlc_loop.kernel @persistent(%x: memref<512x128xf32>, %y: memref<512xf32>, %t_out: memref<1x128xf32>) schedule <programs = 16, block = 8> {
  mlc_loop.parallel %p = 0 to 512 {
    %s = mlc_loop.reduce add %r = 0 to 128 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x128xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%p] : memref<512xf32>
    mlc_loop.parallel %r = 0 to 128 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x128xf32>
      mlc_loop.accumulate add %v, %t_out[0, %r] : memref<1x128xf32>
    }
  }
}
mlc_loop.kernel @finish(%t: memref<1x128xf32>, %e: memref<1x128xf32>) {
  mlc_loop.parallel %p = 0 to 128 {
    %v = mlc_loop.load %t[0, %p] : memref<1x128xf32>
    mlc_loop.store %v, %e[0, %p] : memref<1x128xf32>
  }
}
func.func @main(%x: memref<512x128xf32>) -> (memref<512xf32>, memref<1x128xf32>) {
  %y = mlc_loop.alloc : memref<512xf32>
  %t = mlc_loop.alloc : memref<1x128xf32>
  %e = mlc_loop.alloc : memref<1x128xf32>
  mlc_loop.launch @persistent(%x, %y, %t) : memref<512x128xf32>, memref<512xf32>, memref<1x128xf32>
  mlc_loop.launch @finish(%t, %e) : memref<1x128xf32>, memref<1x128xf32>
  func.return %y, %e : memref<512xf32>, memref<1x128xf32>
}
