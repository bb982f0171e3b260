// RUN: not mlc-opt %s -p 'schedule,persistent-rows' 2>&1 | filecheck %s

// A schedule says which programs have which rows: it comes behind.
// CHECK:      error: persistent-rows: the loops of @acc are mapped to programs already
// CHECK:      run it in front of schedule
mlc_loop.kernel @acc(%x: memref<4096x512xf32>, %y: memref<512xf32>) {
  mlc_loop.parallel %i = 0 to 4096 {
    mlc_loop.parallel %j = 0 to 512 {
      %a = mlc_loop.load %x[%i, %j] : memref<4096x512xf32>
      mlc_loop.accumulate add %a, %y[%j] : memref<512xf32>
    }
  }
}
func.func @f(%x: memref<4096x512xf32>) -> memref<512xf32> {
  %y = mlc_loop.alloc : memref<512xf32>
  mlc_loop.launch @acc(%x, %y) : memref<4096x512xf32>, memref<512xf32>
  func.return %y : memref<512xf32>
}
