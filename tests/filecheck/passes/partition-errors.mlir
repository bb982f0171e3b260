// RUN: not mlc-opt %s -p split-reduction 2>&1 | filecheck %s --check-prefix=SPLIT
// RUN: not mlc-opt %s -p cooperative-reduction 2>&1 | filecheck %s --check-prefix=SHARE
// RUN: not mlc-opt %s -p split-scan 2>&1 | filecheck %s --check-prefix=SCAN

// A schedule by hand that is not legal says why.
// SPLIT: error: split-reduction: the schedule of last asks for it, but it reduces nothing
// SHARE: error: cooperative-reduction: the schedule of sum asks for it, but nothing that follows its reductions has columns
// SCAN: error: split-scan: the schedule of twice asks for it, but a scan needs another scan's result
mlc_loop.kernel @sum(%x: memref<3x1024xf32>, %out: memref<3xf32>) schedule <part = 256, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %s = mlc_loop.reduce add %r = 0 to 1024 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<3xf32>
  }
}
mlc_loop.kernel @twice(%x: memref<3x1000xf32>, %out: memref<3x1000xf32>) schedule <part = 100> {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      %t = mlc_loop.scan "max" %s : f32 -> f32
      mlc_loop.store %t, %out[%p, %r] : memref<3x1000xf32>
    }
  }
}
mlc_loop.kernel @last(%x: memref<3x1000xf32>, %out: memref<3x1000xf32>) schedule <part = 100> {
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000xf32>
      mlc_loop.store %v, %out[%p, %r] : memref<3x1000xf32>
    }
  }
}
