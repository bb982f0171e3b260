// RUN: mlc-opt %s -p schedule,cache-hints --split-input-file | filecheck %s

// The launch before has read x, and nothing reads it behind this one: each element leaves first. The sums are small.
// CHECK-LABEL: mlc_loop.kernel @sums(
// CHECK-NOT:     evict
// CHECK-LABEL: mlc_loop.kernel @scaled(
// CHECK-SAME:    why "{{.+}}; what it reads leaves the cache first"
// CHECK:         mlc_loop.load %x[%p floordiv 2048, %p mod 2048] evict "first"
// CHECK-NOT:     evict
mlc_loop.kernel @sums(%x: memref<2048x2048xf32>, %y: memref<2048xf32>) {
  mlc_loop.parallel %p = 0 to 2048 {
    %m = mlc_loop.reduce add %r = 0 to 2048 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<2048x2048xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %y[%p] : memref<2048xf32>
  }
}
mlc_loop.kernel @scaled(%x: memref<2048x2048xf32>, %y: memref<2048xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p floordiv 2048, %p mod 2048] : memref<2048x2048xf32>
    %w = mlc_loop.load %y[%p floordiv 2048] : memref<2048xf32>
    %d = arith.divf %v, %w : f32
    mlc_loop.store %d, %o[%p] : memref<4194304xf32>
  }
}
func.func @main(%x: memref<2048x2048xf32>) -> memref<4194304xf32> {
  %y = mlc_loop.alloc : memref<2048xf32>
  %o = mlc_loop.alloc : memref<4194304xf32>
  mlc_loop.launch @sums(%x, %y) : memref<2048x2048xf32>, memref<2048xf32>
  mlc_loop.launch @scaled(%x, %y, %o) : memref<2048x2048xf32>, memref<2048xf32>, memref<4194304xf32>
  mlc_loop.free %y : memref<2048xf32>
  func.return %o : memref<4194304xf32>
}

// -----

// Whoever is given x reads it; so does the call, under another shape; behind a call L2 has something else; and of two
// launches of a kernel both count.
// CHECK-NOT:     evict
mlc_loop.kernel @first(%x: memref<4194304xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p] : memref<4194304xf32>
    mlc_loop.store %v, %o[%p] : memref<4194304xf32>
  }
}
mlc_loop.kernel @returned(%x: memref<4194304xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p] : memref<4194304xf32>
    mlc_loop.store %v, %o[%p] : memref<4194304xf32>
  }
}
mlc_loop.kernel @before_a_call(%x: memref<4194304xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p] : memref<4194304xf32>
    mlc_loop.store %v, %o[%p] : memref<4194304xf32>
  }
}
mlc_loop.kernel @behind_a_call(%x: memref<4194304xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p] : memref<4194304xf32>
    mlc_loop.store %v, %o[%p] : memref<4194304xf32>
  }
}
mlc_loop.kernel @twice(%x: memref<4194304xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p] : memref<4194304xf32>
    mlc_loop.store %v, %o[%p] : memref<4194304xf32>
  }
}
func.func @main(%x: memref<4194304xf32>, %y: memref<2048x2048xf32>) -> memref<4194304xf32> {
  %a = mlc_loop.alloc : memref<4194304xf32>
  %b = mlc_loop.alloc : memref<4194304xf32>
  mlc_loop.launch @first(%x, %a) : memref<4194304xf32>, memref<4194304xf32>
  mlc_loop.launch @returned(%x, %b) : memref<4194304xf32>, memref<4194304xf32>
  %v = mlc_loop.view %y offset ["0"] : memref<2048x2048xf32> -> memref<4194304xf32>
  mlc_loop.launch @first(%v, %a) : memref<4194304xf32>, memref<4194304xf32>
  mlc_loop.launch @before_a_call(%v, %b) : memref<4194304xf32>, memref<4194304xf32>
  %z = mlc_loop.call "aten.mm.default"(%y, %y) : (memref<2048x2048xf32>, memref<2048x2048xf32>) -> memref<2048x2048xf32>
  mlc_loop.launch @behind_a_call(%v, %a) : memref<4194304xf32>, memref<4194304xf32>
  %c = mlc_loop.alloc : memref<4194304xf32>
  mlc_loop.launch @first(%c, %a) : memref<4194304xf32>, memref<4194304xf32>
  mlc_loop.launch @twice(%c, %b) : memref<4194304xf32>, memref<4194304xf32>
  %d = mlc_loop.alloc : memref<4194304xf32>
  mlc_loop.launch @twice(%d, %b) : memref<4194304xf32>, memref<4194304xf32>
  func.return %x : memref<4194304xf32>
}

// -----

// The first launch of all has none before it, and counts as well.
// CHECK-NOT:     evict
mlc_loop.kernel @copied(%x: memref<4194304xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p] : memref<4194304xf32>
    mlc_loop.store %v, %o[%p] : memref<4194304xf32>
  }
}
mlc_loop.kernel @other(%x: memref<4194304xf32>, %o: memref<4194304xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p] : memref<4194304xf32>
    mlc_loop.store %v, %o[%p] : memref<4194304xf32>
  }
}
func.func @main(%x: memref<4194304xf32>, %y: memref<4194304xf32>) -> memref<4194304xf32> {
  %a = mlc_loop.alloc : memref<4194304xf32>
  %b = mlc_loop.alloc : memref<4194304xf32>
  %c = mlc_loop.alloc : memref<4194304xf32>
  mlc_loop.launch @copied(%y, %a) : memref<4194304xf32>, memref<4194304xf32>
  mlc_loop.launch @other(%x, %b) : memref<4194304xf32>, memref<4194304xf32>
  mlc_loop.launch @copied(%x, %c) : memref<4194304xf32>, memref<4194304xf32>
  func.return %c : memref<4194304xf32>
}

// -----

// A row that is read in steps, twice, is read again in the same kernel.
// CHECK-LABEL: mlc_loop.kernel @looped(
// CHECK-NOT:     evict "first"
// CHECK:       func.func
mlc_loop.kernel @sums(%x: memref<64x131072xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %m = mlc_loop.reduce add %r = 0 to 131072 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x131072xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %y[%p] : memref<64xf32>
  }
}
mlc_loop.kernel @looped(%x: memref<64x131072xf32>, %o: memref<64xf32>) schedule <rows = 1, columns = 1024, warps = 8> {
  mlc_loop.parallel %p = 0 to 64 {
    %m = mlc_loop.reduce max %r = 0 to 131072 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x131072xf32>
      mlc_loop.yield %v : f32
    }
    %n = mlc_loop.reduce add %r = 0 to 131072 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x131072xf32>
      %e = arith.subf %v, %m : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %n, %o[%p] : memref<64xf32>
  }
}
func.func @main(%x: memref<64x131072xf32>) -> memref<64xf32> {
  %y = mlc_loop.alloc : memref<64xf32>
  %o = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @sums(%x, %y) : memref<64x131072xf32>, memref<64xf32>
  mlc_loop.launch @looped(%x, %o) : memref<64x131072xf32>, memref<64xf32>
  func.return %o : memref<64xf32>
}
