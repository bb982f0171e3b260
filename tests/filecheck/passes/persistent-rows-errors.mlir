// RUN: not mlc-opt %s -p persistent-rows 2>&1 | filecheck %s

// CHECK: error: persistent-rows: mlc_loop.accumulate stands in no loop over columns
mlc_loop.kernel @acc(%x: memref<100xf32>, %y: memref<1xf32>) {
  mlc_loop.parallel %i = 0 to 100 {
    %a = mlc_loop.load %x[%i] : memref<100xf32>
    mlc_loop.accumulate add %a, %y[0] : memref<1xf32>
  }
}
func.func @f(%x: memref<100xf32>) -> memref<1xf32> {
  %y = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @acc(%x, %y) : memref<100xf32>, memref<1xf32>
  func.return %y : memref<1xf32>
}
