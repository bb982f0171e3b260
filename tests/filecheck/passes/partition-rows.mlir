// RUN: mlc-opt %s -p partition-rows --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'partition-rows{running=4}' --split-input-file | filecheck %s --check-prefix=FEW

// One row of many columns: in parts, for more programs.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    schedule <part = {{[0-9]+}}> {
mlc_loop.kernel @sum(%x: memref<10000000xf32>, %out: memref<1xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 10000000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<10000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}

// -----

// What it stores is contiguous along the rows that it sums, which lie apart: blocks of several rows write whole sectors,
// and need shorter parts for as many programs.
// CHECK-LABEL: mlc_loop.kernel @sums_and_transposes(
// CHECK-SAME:    schedule <part = {{[0-9][0-9][0-9][0-9]}}> {
mlc_loop.kernel @sums_and_transposes(%x: memref<256x65536xf32>, %y: memref<65536x256xbf16>, %out: memref<256xf32>) {
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

// -----

// Rows enough.
// CHECK-LABEL: mlc_loop.kernel @many_rows(
// CHECK-NOT:     schedule
// CHECK-NEXT:    mlc_loop.parallel
mlc_loop.kernel @many_rows(%x: memref<65536x4096xf32>, %out: memref<65536xf32>) {
  mlc_loop.parallel %p = 0 to 65536 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<65536x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<65536xf32>
  }
}

// -----

// So little that another step would take longer than it saves: a part is a whole row.
// CHECK-LABEL: mlc_loop.kernel @little(
// CHECK-SAME:    schedule <part = 512> {
mlc_loop.kernel @little(%x: memref<4x512xf32>, %out: memref<4xf32>) {
  mlc_loop.parallel %p = 0 to 4 {
    %s = mlc_loop.reduce add %r = 0 to 512 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4x512xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4xf32>
  }
}

// -----

// A row that is read again, of many: programs share it, so that few rows are in flight and the cache holds them. Not
// where fewer programs than that are sure to run at once.
// CHECK-LABEL: mlc_loop.kernel @softmax(
// CHECK-SAME:    schedule <part = {{[0-9]+}}, exchange = flags> {
// FEW-LABEL: mlc_loop.kernel @softmax(
// FEW-NOT:     flags
// FEW:         mlc_loop.parallel
mlc_loop.kernel @softmax(%x: memref<2048x131072xbf16>, %out: memref<2048x131072xbf16>) {
  mlc_loop.parallel %p = 0 to 2048 {
    %m = mlc_loop.reduce max %r = 0 to 131072 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<2048x131072xbf16>
      %w = arith.extf %v : bf16 to f32
      mlc_loop.yield %w : f32
    }
    %s = mlc_loop.reduce add %r = 0 to 131072 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<2048x131072xbf16>
      %w = arith.extf %v : bf16 to f32
      %d = arith.subf %w, %m : f32
      %e = math.exp %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.parallel %r = 0 to 131072 {
      %v = mlc_loop.load %x[%p, %r] : memref<2048x131072xbf16>
      %w = arith.extf %v : bf16 to f32
      %d = arith.subf %w, %m : f32
      %e = math.exp %d : f32
      %q = arith.divf %e, %s : f32
      %n = arith.truncf %q : f32 to bf16
      mlc_loop.store %n, %out[%p, %r] : memref<2048x131072xbf16>
    }
  }
}

// -----

// A scan of few rows. An argmax too, which then takes two passes.
// CHECK-LABEL: mlc_loop.kernel @cumsum(
// CHECK-SAME:    schedule <part = {{[0-9]+}}> {
// CHECK-LABEL: mlc_loop.kernel @argmax(
// CHECK-SAME:    schedule <part = {{[0-9]+}}> {
mlc_loop.kernel @cumsum(%x: memref<3x1000000xf32>, %out: memref<3x1000000xf32>) {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 1000000 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000000xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      mlc_loop.store %s, %out[%p, %r] : memref<3x1000000xf32>
    }
  }
}
mlc_loop.kernel @argmax(%x: memref<3x1000000xf32>, %out: memref<3xi64>) {
  mlc_loop.parallel %p = 0 to 3 {
    %at = mlc_loop.reduce argmax %r = 0 to 1000000 -> i64 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %at, %out[%p] : memref<3xi64>
  }
}

// -----

// What is asked for by hand stays; so does a kernel of unknown size, or one with a scan of a scan.
// CHECK-LABEL: mlc_loop.kernel @by_hand(
// CHECK-SAME:    schedule <part = 500> {
// CHECK-LABEL: mlc_loop.kernel @unknown(
// CHECK-NOT:     schedule
// CHECK-LABEL: mlc_loop.kernel @twice(
// CHECK-NOT:     schedule
// CHECK:         mlc_loop.parallel
mlc_loop.kernel @by_hand(%x: memref<10000000xf32>, %out: memref<1xf32>) schedule <part = 500> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 10000000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<10000000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}
mlc_loop.kernel @unknown(%x: memref<?xf32, {sizes = ["N"], strides = ["1"]}>, %out: memref<1xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to N -> f32 {
      %v = mlc_loop.load %x[%r] : memref<?xf32, {sizes = ["N"], strides = ["1"]}>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}
mlc_loop.kernel @twice(%x: memref<3x1000000xf32>, %out: memref<3x1000000xf32>) {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 1000000 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000000xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      %t = mlc_loop.scan "max" %s : f32 -> f32
      mlc_loop.store %t, %out[%p, %r] : memref<3x1000000xf32>
    }
  }
}
