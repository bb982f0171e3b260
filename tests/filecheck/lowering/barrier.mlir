// RUN: mlc-opt %s -p schedule,reload-stored,loop-to-triton,cse,lane-order,dce -t triton | filecheck %s

// The second loop loads what the first has stored; along the columns, of whose places by 7 Triton knows nothing.
// CHECK:         for r_start in range(0, 448, 64):
// CHECK:             tl.store(sum_ptr + tl.max_contiguous(tl.multiple_of({{.*}} // 7{{.*}} % 7{{.*}}, [1, 1]), [1, 2]), v)
// CHECK:         tl.debug_barrier()
// CHECK:         for r_start_1 in range(0, 448, 64):
// CHECK:             = tl.load(sum_ptr + tl.max_contiguous(tl.multiple_of({{.*}} // 7{{.*}} % 7{{.*}}, [1, 1]), [1, 2]))
mlc_loop.kernel @sums(%x: memref<64x448xf32>, %y: memref<64x448xf32>, %sum: memref<64x64x7xf32, strided<[7, 448, 1]>>, %out: memref<64x448xf32>) schedule <rows = 4, columns = 64, warps = 1> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 448 -> f32 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x448xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<64x448xf32>
      %v = arith.addf %a, %b : f32
      mlc_loop.store %v, %sum[%p, %r floordiv 7, %r mod 7] : memref<64x64x7xf32, strided<[7, 448, 1]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 448 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x448xf32>
      %b = mlc_loop.load %y[%p, %r] : memref<64x448xf32>
      %v = arith.addf %a, %b : f32
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%p, %r] : memref<64x448xf32>
    }
  }
}
func.func @main(%x: memref<64x448xf32>, %y: memref<64x448xf32>, %sum: memref<64x64x7xf32, strided<[7, 448, 1]>>, %out: memref<64x448xf32>) {
  mlc_loop.launch @sums(%x, %y, %sum, %out) : memref<64x448xf32>, memref<64x448xf32>, memref<64x64x7xf32, strided<[7, 448, 1]>>, memref<64x448xf32>
  func.return
}
