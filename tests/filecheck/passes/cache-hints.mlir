// RUN: mlc-opt %s -p schedule,cache-hints --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'schedule,cache-hints{streamed=1000}' --split-input-file | filecheck %s --check-prefix=NEVER

// NEVER-NOT: evict

// As much is written as is read: what is read stays. Both loops hold the same row, and say the same of it. All rows
// share the weights.
// CHECK-LABEL: mlc_loop.kernel @norm(
// CHECK-SAME:    warps 8 index 32 why "{{.+}}; {{.+}}" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8192 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 8192 block 8192 -> f32 {
// CHECK:           mlc_loop.load %x[%p, %r] evict "last" : memref<8192x8192xf32>
// CHECK:           mlc_loop.load %x[%p, %{{.*}}] evict "last" : memref<8192x8192xf32>
// CHECK-NEXT:      mlc_loop.load %w[%{{.*}}] : memref<8192xf32>
// CHECK:           mlc_loop.store %{{.*}}, %y[%p, %{{.*}}] : memref<8192x8192xf32>
mlc_loop.kernel @norm(%x: memref<8192x8192xf32>, %w: memref<8192xf32>, %y: memref<8192x8192xf32>) schedule <rows = 1, columns = 8192, warps = 8> {
  mlc_loop.parallel %p = 0 to 8192 {
    %m = mlc_loop.reduce max %r = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      %g = mlc_loop.load %w[%r] : memref<8192xf32>
      %d = arith.divf %v, %m : f32
      %e = arith.mulf %d, %g : f32
      mlc_loop.store %e, %y[%p, %r] : memref<8192x8192xf32>
    }
  }
}

// -----

// Little is written: what is read goes.
// CHECK-LABEL: mlc_loop.kernel @only_read(
// CHECK-SAME:    warps 32 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8192 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 8192 block 8192 -> f32 {
// CHECK:           mlc_loop.load %x[%p, %r] evict "first" : memref<8192x8192xf32>
mlc_loop.kernel @only_read(%x: memref<8192x8192xf32>, %y: memref<8192xf32>) schedule <rows = 1, columns = 8192, warps = 32> {
  mlc_loop.parallel %p = 0 to 8192 {
    %m = mlc_loop.reduce max %r = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %y[%p] : memref<8192xf32>
  }
}

// -----

// Neither little nor much.
// CHECK-LABEL: mlc_loop.kernel @some_written(
// CHECK-NOT:     evict
mlc_loop.kernel @some_written(%x: memref<8192x8192xf32>, %y: memref<8192x8192xi8>) {
  mlc_loop.parallel %p = 0 to 8192 {
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      %c = arith.fptosi %v : f32 to i8
      mlc_loop.store %c, %y[%p, %r] : memref<8192x8192xi8>
    }
  }
}

// -----

// What is not twice what the cache keeps may be there in part when it is needed again.
// CHECK-LABEL: mlc_loop.kernel @small(
// CHECK-NOT:     evict
mlc_loop.kernel @small(%x: memref<8192x2048xf32>, %y: memref<8192xf32>) schedule <rows = 1, columns = 2048, warps = 8> {
  mlc_loop.parallel %p = 0 to 8192 {
    %m = mlc_loop.reduce max %r = 0 to 2048 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x2048xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %y[%p] : memref<8192xf32>
  }
}

// -----

// Nobody knows how much it is.
// CHECK-LABEL: mlc_loop.kernel @unknown(
// CHECK-NOT:     evict
mlc_loop.kernel @unknown(%x: memref<?x8192xf32, strided<[?, 1]>, {sizes = ["N", "8192"], strides = ["8192", "1"]}>, %y: memref<?xf32, strided<[1]>, {sizes = ["N"], strides = ["1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %m = mlc_loop.reduce max %r = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x8192xf32, strided<[?, 1]>, {sizes = ["N", "8192"], strides = ["8192", "1"]}>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %y[%p] : memref<?xf32, strided<[1]>, {sizes = ["N"], strides = ["1"]}>
  }
}

// -----

// Block by block.
// CHECK-LABEL: mlc_loop.kernel @looped(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 65536 block 8192 -> f32 {
// CHECK-NOT:     evict
mlc_loop.kernel @looped(%x: memref<4096x65536xf32>, %y: memref<4096xf32>) schedule <rows = 1, columns = 8192, warps = 8> {
  mlc_loop.parallel %p = 0 to 4096 {
    %m = mlc_loop.reduce add %r = 0 to 65536 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x65536xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %y[%p] : memref<4096xf32>
  }
}

// -----

// Eight rows read the same bias, which the cache had better keep.
// CHECK-LABEL: mlc_loop.kernel @bias(
// CHECK-NOT:     evict
mlc_loop.kernel @bias(%x: memref<8x1024x8192xf32>, %b: memref<1024x8192xf32>, %y: memref<8x1024x8192xf32>) {
  mlc_loop.parallel %p = 0 to 67108864 {
    %v = mlc_loop.load %x[%p floordiv 8388608, %p floordiv 8192 mod 1024, %p mod 8192] : memref<8x1024x8192xf32>
    %w = mlc_loop.load %b[%p floordiv 8192 mod 1024, %p mod 8192] : memref<1024x8192xf32>
    %z = arith.addf %v, %w : f32
    mlc_loop.store %z, %y[%p floordiv 8388608, %p floordiv 8192 mod 1024, %p mod 8192] : memref<8x1024x8192xf32>
  }
}

// -----

// Two places, one element: a row of `x` is read twice.
// CHECK-LABEL: mlc_loop.kernel @flip(
// CHECK-NOT:     evict
mlc_loop.kernel @flip(%x: memref<8192x8192xf32>, %y: memref<8192x8192xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      %w = mlc_loop.load %x[%p, 8191 - %r] : memref<8192x8192xf32>
      %z = arith.addf %v, %w : f32
      mlc_loop.store %z, %y[%p, %r] : memref<8192x8192xf32>
    }
  }
}

// -----

// One element under many indices.
// CHECK-LABEL: mlc_loop.kernel @expanded(
// CHECK-NOT:     evict
mlc_loop.kernel @expanded(%x: memref<8192x8192xf32, strided<[0, 1]>>, %y: memref<8192x8192xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32, strided<[0, 1]>>
      mlc_loop.store %v, %y[%p, %r] : memref<8192x8192xf32>
    }
  }
}

// -----

// What is looked up may be looked up again.
// CHECK-LABEL: mlc_loop.kernel @lookup(
// CHECK-NOT:     evict
mlc_loop.kernel @lookup(%i: memref<8192xi64>, %x: memref<8192x8192xf32>, %z: memref<8192x8192xf32>, %y: memref<8192x8192xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    %k = mlc_loop.load %i[%p] : memref<8192xi64>
    %g = mlc_loop.indirect_index %k below 8192 : i64
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%g, %r] : memref<8192x8192xf32>
      %w = mlc_loop.load %z[%p, %r] : memref<8192x8192xf32>
      %s = arith.addf %v, %w : f32
      mlc_loop.store %s, %y[%p, %r] : memref<8192x8192xf32>
    }
  }
}

// -----

// So may be what is added to.
// CHECK-LABEL: mlc_loop.kernel @atomic(
// CHECK-NOT:     evict
mlc_loop.kernel @atomic(%x: memref<8192x8192xf32>, %y: memref<8192xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      mlc_loop.atomic add %v, %y[%r] : memref<8192xf32>
    }
  }
}

// -----

// What is written over what was read is the same line.
// CHECK-LABEL: mlc_loop.kernel @in_place(
// CHECK-NOT:     evict
mlc_loop.kernel @in_place(%x: memref<8192x8192xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    mlc_loop.parallel %r = 0 to 8192 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      %d = arith.addf %v, %v : f32
      mlc_loop.store %d, %x[%p, %r] : memref<8192x8192xf32>
    }
  }
}

// -----

// Elements, of two halves, each under its condition.
// CHECK-LABEL: mlc_loop.kernel @concatenate(
// CHECK-SAME:    warps 8 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 134217728 program 0 block 2048 {
// CHECK:           mlc_loop.load %x[%p floordiv 16384, %p mod 16384] if %c evict "last"
// CHECK:           mlc_loop.load %z[%p floordiv 16384, (%p mod 16384) - 8192] if %d evict "last"
mlc_loop.kernel @concatenate(%x: memref<8192x8192xf32>, %z: memref<8192x8192xf32>, %y: memref<8192x16384xf32>) {
  mlc_loop.parallel %p = 0 to 134217728 {
    %k = mlc_loop.index [%p mod 16384] : i32
    %half = arith.constant 8192 : i32
    %c = arith.cmpi slt, %k, %half : i32
    %d = arith.cmpi sge, %k, %half : i32
    %v = mlc_loop.load %x[%p floordiv 16384, %p mod 16384] if %c : memref<8192x8192xf32>
    %w = mlc_loop.load %z[%p floordiv 16384, %p mod 16384 - 8192] if %d : memref<8192x8192xf32>
    %s = arith.addf %v, %w : f32
    mlc_loop.store %s, %y[%p floordiv 16384, %p mod 16384] : memref<8192x16384xf32>
  }
}

// -----

// A condition does not make the weights another's.
// CHECK-LABEL: mlc_loop.kernel @weights(
// CHECK-NOT:     evict
mlc_loop.kernel @weights(%x: memref<67108864xf32>, %y: memref<8192x67108864xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    mlc_loop.parallel %r = 0 to 67108864 {
      %k = mlc_loop.index [%r] : i32
      %one = arith.constant 1 : i32
      %c = arith.cmpi sge, %k, %one : i32
      %v = mlc_loop.load %x[%r] if %c : memref<67108864xf32>
      mlc_loop.store %v, %y[%p, %r] : memref<8192x67108864xf32>
    }
  }
}

// -----

// A later launch reads it again, be it under another shape: no hint. The last has nobody behind it.
// CHECK-LABEL: mlc_loop.kernel @sums(
// CHECK-NOT:     evict
// CHECK-LABEL: mlc_loop.kernel @between(
// CHECK-NOT:     evict
// CHECK-LABEL: mlc_loop.kernel @scaled(
// CHECK:         evict "last"
mlc_loop.kernel @sums(%x: memref<8192x8192xf32>, %y: memref<8192xf32>) schedule <rows = 1, columns = 8192, warps = 32> {
  mlc_loop.parallel %p = 0 to 8192 {
    %m = mlc_loop.reduce add %r = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8192x8192xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %y[%p] : memref<8192xf32>
  }
}
mlc_loop.kernel @between(%y: memref<8192xf32>, %z: memref<8192xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    %v = mlc_loop.load %y[%p] : memref<8192xf32>
    mlc_loop.store %v, %z[%p] : memref<8192xf32>
  }
}
mlc_loop.kernel @scaled(%x: memref<67108864xf32>, %z: memref<8192xf32>, %o: memref<67108864xf32>) {
  mlc_loop.parallel %p = 0 to 67108864 {
    %v = mlc_loop.load %x[%p] : memref<67108864xf32>
    %w = mlc_loop.load %z[%p floordiv 8192] : memref<8192xf32>
    %d = arith.divf %v, %w : f32
    mlc_loop.store %d, %o[%p] : memref<67108864xf32>
  }
}
func.func @main(%x: memref<8192x8192xf32>) -> memref<67108864xf32> {
  %y = mlc_loop.alloc : memref<8192xf32>
  %z = mlc_loop.alloc : memref<8192xf32>
  %o = mlc_loop.alloc : memref<67108864xf32>
  mlc_loop.launch @sums(%x, %y) : memref<8192x8192xf32>, memref<8192xf32>
  mlc_loop.launch @between(%y, %z) : memref<8192xf32>, memref<8192xf32>
  %f = mlc_loop.view %x offset ["0"] : memref<8192x8192xf32> -> memref<67108864xf32>
  mlc_loop.launch @scaled(%f, %z, %o) : memref<67108864xf32>, memref<8192xf32>, memref<67108864xf32>
  func.return %o : memref<67108864xf32>
}
