// RUN: mlc-opt %s -p 'schedule,reload-stored' --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'schedule,reload-stored' --split-input-file --print-op-generic | mlc-opt --split-input-file | filecheck %s

// Rows of which registers hold a part at a time: the second loop loads the sum of two that the first has stored.
// CHECK-LABEL: mlc_loop.kernel @in_steps(
// CHECK:           %s = mlc_loop.reduce add
// CHECK:             mlc_loop.store %v, %sum[%p, %r]
// CHECK:           }
// CHECK-NEXT:      mlc_loop.barrier
// CHECK-NEXT:      mlc_loop.parallel
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %sum[%p, %{{.*}}] : memref<1024x4096xf32>
// CHECK-NEXT:        arith.subf %[[V]], %s
mlc_loop.kernel @in_steps(%x: memref<1024x4096xf32>, %y: memref<1024x4096xf32>, %sum: memref<1024x4096xf32>, %out: memref<1024x4096xf32>) schedule <rows = 1, columns = 1024, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%p, %r] : memref<1024x4096xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<1024x4096xf32>
      %v = arith.addf %a, %b : f32
      mlc_loop.store %v, %sum[%p, %r] : memref<1024x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %a = mlc_loop.load %x[%p, %r] : memref<1024x4096xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<1024x4096xf32>
      %v = arith.addf %a, %b : f32
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%p, %r] : memref<1024x4096xf32>
    }
  }
}

// -----

// By the condition of the store. One barrier is enough for two loops.
// CHECK-LABEL: mlc_loop.kernel @conditional(
// CHECK:           mlc_loop.barrier
// CHECK-NEXT:      mlc_loop.reduce
// CHECK:             %[[C:.*]] = arith.cmpi slt
// CHECK:             mlc_loop.load %sum[%p, %{{.*}}] if %[[C]]
// CHECK-NOT:       mlc_loop.barrier
// CHECK:           mlc_loop.parallel
// CHECK:             %[[D:.*]] = arith.cmpi slt
// CHECK:             mlc_loop.load %sum[%p, %{{.*}}] if %[[D]]
mlc_loop.kernel @conditional(%x: memref<1024x4096xf32>, %y: memref<1024x4096xf32>, %sum: memref<1024x4096xf32>, %out: memref<1024x4096xf32>) schedule <rows = 1, columns = 1024, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %i = mlc_loop.index [%r + %p - 4000] : i64
      %z = arith.constant 0 : i64
      %c = arith.cmpi slt, %i, %z : i64
      %a = mlc_loop.load %x[%p, %r] if %c : memref<1024x4096xf32>
      %b = mlc_loop.load %y[%p, %r] if %c : memref<1024x4096xf32>
      %v = arith.addf %a, %b : f32
      mlc_loop.store %v, %sum[%p, %r] if %c : memref<1024x4096xf32>
      mlc_loop.yield if %c %v : f32
    }
    %t = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %i = mlc_loop.index [%r + %p - 4000] : i64
      %z = arith.constant 0 : i64
      %c = arith.cmpi slt, %i, %z : i64
      %a = mlc_loop.load %x[%p, %r] if %c : memref<1024x4096xf32>
      %b = mlc_loop.load %y[%p, %r] if %c : memref<1024x4096xf32>
      %v = arith.addf %a, %b : f32
      %d = arith.subf %v, %s : f32
      mlc_loop.yield if %c %d : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %i = mlc_loop.index [%r + %p - 4000] : i64
      %z = arith.constant 0 : i64
      %c = arith.cmpi slt, %i, %z : i64
      %a = mlc_loop.load %x[%p, %r] if %c : memref<1024x4096xf32>
      %b = mlc_loop.load %y[%p, %r] if %c : memref<1024x4096xf32>
      %v = arith.addf %a, %b : f32
      %d = arith.subf %v, %t : f32
      mlc_loop.store %d, %out[%p, %r] if %c : memref<1024x4096xf32>
    }
  }
}

// -----

// Registers hold the rows; and one load in place of one, or of what is loaded anyhow, is no gain.
// CHECK-LABEL: mlc_loop.kernel @keeps_rows_in_registers(
// CHECK-NOT:     mlc_loop.barrier
mlc_loop.kernel @keeps_rows_in_registers(%x: memref<1024x512xf32>, %y: memref<1024x512xf32>, %sum: memref<1024x512xf32>, %out: memref<1024x512xf32>) schedule <rows = 1, columns = 512, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    %s = mlc_loop.reduce add %r = 0 to 512 -> f32 {
      %a = mlc_loop.load %x[%p, %r] : memref<1024x512xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<1024x512xf32>
      %v = arith.addf %a, %b : f32
      mlc_loop.store %v, %sum[%p, %r] : memref<1024x512xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 512 {
      %a = mlc_loop.load %x[%p, %r] : memref<1024x512xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<1024x512xf32>
      %v = arith.addf %a, %b : f32
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%p, %r] : memref<1024x512xf32>
    }
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @keeps_what_is_no_less(
// CHECK-NOT:     mlc_loop.barrier
mlc_loop.kernel @keeps_what_is_no_less(%x: memref<1024x4096xf32>, %y: memref<1024x4096xf32>, %sum: memref<1024x4096xf32>, %twice: memref<1024x4096xf32>, %out: memref<1024x4096xf32>) schedule <rows = 1, columns = 1024, warps = 4> {
  mlc_loop.parallel %p = 0 to 1024 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%p, %r] : memref<1024x4096xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<1024x4096xf32>
      %v = arith.addf %a, %b : f32
      %w = arith.addf %a, %a : f32
      mlc_loop.store %v, %sum[%p, %r] : memref<1024x4096xf32>
      mlc_loop.store %w, %twice[%p, %r] : memref<1024x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %a = mlc_loop.load %x[%p, %r] : memref<1024x4096xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<1024x4096xf32>
      %v = arith.addf %a, %b : f32
      %w = arith.addf %a, %a : f32
      %e = arith.mulf %a, %v : f32
      %f = arith.mulf %e, %w : f32
      %d = arith.subf %f, %s : f32
      mlc_loop.store %d, %out[%p, %r] : memref<1024x4096xf32>
    }
  }
}
