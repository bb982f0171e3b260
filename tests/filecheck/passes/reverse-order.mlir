// RUN: mlc-opt %s -p reverse-order --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'reverse-order{smallest=64}' --split-input-file | filecheck %s --check-prefix=SMALL

// What the first read is larger than the cache: the second comes back, the third goes forth again.
// CHECK-LABEL: mlc_loop.kernel @a(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16777216 {
// CHECK-LABEL: mlc_loop.kernel @b(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16777216 backwards {
// CHECK-LABEL: mlc_loop.kernel @c(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16777216 {
mlc_loop.kernel @a(%x: memref<16777216xf32>, %y: memref<16777216xf32>) {
  mlc_loop.parallel %p = 0 to 16777216 {
    %v = mlc_loop.load %x[%p] : memref<16777216xf32>
    mlc_loop.store %v, %y[%p] : memref<16777216xf32>
  }
}
mlc_loop.kernel @b(%x: memref<16777216xf32>, %z: memref<16777216xf32>) {
  mlc_loop.parallel %p = 0 to 16777216 {
    %v = mlc_loop.load %x[%p] : memref<16777216xf32>
    mlc_loop.store %v, %z[%p] : memref<16777216xf32>
  }
}
mlc_loop.kernel @c(%z: memref<16777216xf32>, %w: memref<16777216xf32>) {
  mlc_loop.parallel %p = 0 to 16777216 {
    %v = mlc_loop.load %z[%p] : memref<16777216xf32>
    mlc_loop.store %v, %w[%p] : memref<16777216xf32>
  }
}
func.func @main(%x: memref<16777216xf32>) -> (memref<16777216xf32>, memref<16777216xf32>) {
  %y = mlc_loop.alloc : memref<16777216xf32>
  %z = mlc_loop.alloc : memref<16777216xf32>
  %w = mlc_loop.alloc : memref<16777216xf32>
  mlc_loop.launch @a(%x, %y) : memref<16777216xf32>, memref<16777216xf32>
  mlc_loop.launch @b(%x, %z) : memref<16777216xf32>, memref<16777216xf32>
  mlc_loop.launch @c(%z, %w) : memref<16777216xf32>, memref<16777216xf32>
  func.return %y, %w : memref<16777216xf32>, memref<16777216xf32>
}

// -----

// The cache keeps all of it; unless `smallest` says that it does not.
// CHECK-LABEL: mlc_loop.kernel @small(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 {
// SMALL-LABEL: mlc_loop.kernel @small(
// SMALL-NEXT:    mlc_loop.parallel %p = 0 to 64 backwards {
mlc_loop.kernel @before(%x: memref<64xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %v = mlc_loop.load %x[%p] : memref<64xf32>
    mlc_loop.store %v, %y[%p] : memref<64xf32>
  }
}
mlc_loop.kernel @small(%x: memref<64xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %v = mlc_loop.load %x[%p] : memref<64xf32>
    mlc_loop.store %v, %y[%p] : memref<64xf32>
  }
}
func.func @main(%x: memref<64xf32>) -> (memref<64xf32>, memref<64xf32>) {
  %y = mlc_loop.alloc : memref<64xf32>
  %z = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @before(%x, %y) : memref<64xf32>, memref<64xf32>
  mlc_loop.launch @small(%x, %z) : memref<64xf32>, memref<64xf32>
  func.return %y, %z : memref<64xf32>, memref<64xf32>
}

// -----

// Nothing shared; a kernel launched twice, whose direction suits one place at the most; programs with rows all over x.
// CHECK-LABEL: mlc_loop.kernel @other(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16777216 {
// CHECK-LABEL: mlc_loop.kernel @twice(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16777216 {
// CHECK-LABEL: mlc_loop.kernel @walks(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 264 {
mlc_loop.kernel @other(%y: memref<16777216xf32>) {
  mlc_loop.parallel %p = 0 to 16777216 {
    %v = arith.constant 1.0 : f32
    mlc_loop.store %v, %y[%p] : memref<16777216xf32>
  }
}
mlc_loop.kernel @twice(%x: memref<16777216xf32>, %y: memref<16777216xf32>) {
  mlc_loop.parallel %p = 0 to 16777216 {
    %v = mlc_loop.load %x[%p] : memref<16777216xf32>
    mlc_loop.store %v, %y[%p] : memref<16777216xf32>
  }
}
mlc_loop.kernel @walks(%x: memref<16777216xf32>, %out: memref<16777216xf32>) {
  mlc_loop.parallel %i = 0 to 264 {
    mlc_loop.serial %p = %i to 16777216 step 264 {
      %v = mlc_loop.load %x[%p] : memref<16777216xf32>
      mlc_loop.store %v, %out[%p] : memref<16777216xf32>
    }
  }
}
func.func @main(%x: memref<16777216xf32>, %y: memref<16777216xf32>) -> (memref<16777216xf32>, memref<16777216xf32>, memref<16777216xf32>) {
  %a = mlc_loop.alloc : memref<16777216xf32>
  %b = mlc_loop.alloc : memref<16777216xf32>
  %c = mlc_loop.alloc : memref<16777216xf32>
  mlc_loop.launch @other(%a) : memref<16777216xf32>
  mlc_loop.launch @twice(%x, %b) : memref<16777216xf32>, memref<16777216xf32>
  mlc_loop.launch @twice(%x, %c) : memref<16777216xf32>, memref<16777216xf32>
  mlc_loop.launch @walks(%x, %y) : memref<16777216xf32>, memref<16777216xf32>
  func.return %a, %b, %c : memref<16777216xf32>, memref<16777216xf32>, memref<16777216xf32>
}

// -----

// Programs that await what those before them tell start with the first.
// CHECK-LABEL: mlc_loop.kernel @tells(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16777216 {
mlc_loop.kernel @reads(%x: memref<16777216xf32>, %y: memref<16777216xf32>) {
  mlc_loop.parallel %p = 0 to 16777216 {
    %v = mlc_loop.load %x[%p] : memref<16777216xf32>
    mlc_loop.store %v, %y[%p] : memref<16777216xf32>
  }
}
mlc_loop.kernel @tells(%x: memref<16777216xf32>, %z: memref<16777216xf32>, %told: memref<16777217xi64>) {
  mlc_loop.parallel %p = 0 to 16777216 {
    %v = mlc_loop.load %x[%p] : memref<16777216xf32>
    %w = mlc_loop.exclusive_prefix add %v of 1 in %told : memref<16777217xi64> -> f32
    mlc_loop.store %w, %z[%p] : memref<16777216xf32>
  }
}
func.func @main(%x: memref<16777216xf32>) -> (memref<16777216xf32>, memref<16777216xf32>) {
  %y = mlc_loop.alloc : memref<16777216xf32>
  %z = mlc_loop.alloc : memref<16777216xf32>
  %told = mlc_loop.flags @tells : memref<16777217xi64>
  mlc_loop.launch @reads(%x, %y) : memref<16777216xf32>, memref<16777216xf32>
  mlc_loop.launch @tells(%x, %z, %told) : memref<16777216xf32>, memref<16777216xf32>, memref<16777217xi64>
  func.return %y, %z : memref<16777216xf32>, memref<16777216xf32>
}

// -----

// Programs that take blocks of rows and columns in groups begin with the first group.
// CHECK-LABEL: mlc_loop.kernel @in_groups(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8192 program 0 block 128 group 8 {
mlc_loop.kernel @reads(%x: memref<8192x4096xf32>, %y: memref<8192x4096xf32>) {
  mlc_loop.parallel %p = 0 to 8192 {
    mlc_loop.parallel %q = 0 to 4096 {
      %v = mlc_loop.load %x[%p, %q] : memref<8192x4096xf32>
      mlc_loop.store %v, %y[%p, %q] : memref<8192x4096xf32>
    }
  }
}
mlc_loop.kernel @in_groups(%x: memref<8192x4096xf32>, %z: memref<8192x4096xf32>) {
  mlc_loop.parallel %p = 0 to 8192 program 0 block 128 group 8 {
    mlc_loop.parallel %q = 0 to 4096 program 1 block 128 {
      %v = mlc_loop.load %x[%p, %q] : memref<8192x4096xf32>
      mlc_loop.store %v, %z[%p, %q] : memref<8192x4096xf32>
    }
  }
}
func.func @main(%x: memref<8192x4096xf32>) -> (memref<8192x4096xf32>, memref<8192x4096xf32>) {
  %y = mlc_loop.alloc : memref<8192x4096xf32>
  %z = mlc_loop.alloc : memref<8192x4096xf32>
  mlc_loop.launch @reads(%x, %y) : memref<8192x4096xf32>, memref<8192x4096xf32>
  mlc_loop.launch @in_groups(%x, %z) : memref<8192x4096xf32>, memref<8192x4096xf32>
  func.return %y, %z : memref<8192x4096xf32>, memref<8192x4096xf32>
}
