// RUN: not mlc-opt %s -p cooperative-reduction 2>&1 | filecheck %s --check-prefix=HAND
// RUN: mlc-opt %s -p 'partition-rows{part=256 exchange=flags}' | filecheck %s --check-prefix=KEPT
// RUN: sed 's/ schedule <.*>//' %s | mlc-opt -p 'partition-rows{part=256 exchange=flags}' | filecheck %s --check-prefix=OPTION

// Programs that await each other must all run at once.
// HAND: error: cooperative-reduction: the schedule of scaled asks for it, but 4096 programs would share a row, of which 132 surely run at once
// KEPT: schedule <part = 256, exchange = flags>
// OPTION: schedule <part = 32768, exchange = flags>
mlc_loop.kernel @scaled(%x: memref<3x1048576xf32>, %out: memref<3x1048576xf32>) schedule <part = 256, exchange = flags> {
  mlc_loop.parallel %p = 0 to 3 {
    %s = mlc_loop.reduce add %r = 0 to 1048576 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1048576xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1048576 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1048576xf32>
      %y = arith.mulf %v, %s : f32
      mlc_loop.store %y, %out[%p, %r] : memref<3x1048576xf32>
    }
  }
}
func.func @main(%x: memref<3x1048576xf32>) -> memref<3x1048576xf32> {
  %out = mlc_loop.alloc : memref<3x1048576xf32>
  mlc_loop.launch @scaled(%x, %out) : memref<3x1048576xf32>, memref<3x1048576xf32>
  func.return %out : memref<3x1048576xf32>
}
