// RUN: mlc-opt %s -p peel-alignment{accumulating=true},persistent-rows,schedule,loop-to-triton,cse,dce --split-input-file | filecheck %s

// Body and edge have registers of their own: 4096 and 1 wide, not 8192. A lane asks for 16 elements of 4 bytes each.
// CHECK-LABEL: mlc_triton.kernel @sums(
// CHECK-SAME:    grid [264] sizes [] num_warps 4 uncapped why
// CHECK-DAG:     mlc_triton.full 0.000000e+00 : f32 : tensor<1xf32>
// CHECK-DAG:     mlc_triton.full 0.000000e+00 : f32 : tensor<4096xf32>
// CHECK:         mlc_triton.for
// CHECK:           mlc_triton.load %x[%p * 4097 + 4096]
// CHECK:           mlc_triton.load %x[%p * 4097 + %r]
// CHECK-NOT:       mask
// CHECK:           mlc_triton.store %row_out[%p]
// CHECK:         mlc_triton.store %s_out[%i * 4097 + %r_1]
// CHECK:         mlc_triton.store %s_out[%i * 4097 + %{{.*}} + 4096]
mlc_loop.kernel @sums(%x: memref<16000x4097xf32>, %row_out: memref<16000xf32>, %s_out: memref<4097xf32>) {
  mlc_loop.parallel %p = 0 to 16000 {
    %row = mlc_loop.reduce add %r = 0 to 4097 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<16000x4097xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %row, %row_out[%p] : memref<16000xf32>
    mlc_loop.parallel %r = 0 to 4097 {
      %v = mlc_loop.load %x[%p, %r] : memref<16000x4097xf32>
      mlc_loop.accumulate add %v, %s_out[%r] : memref<4097xf32>
    }
  }
}
func.func @main(%x: memref<16000x4097xf32>) {
  %row = mlc_loop.alloc : memref<16000xf32>
  %s = mlc_loop.alloc : memref<4097xf32>
  mlc_loop.launch @sums(%x, %row, %s) : memref<16000x4097xf32>, memref<16000xf32>, memref<4097xf32>
  func.return
}

// -----

// A body that begins where rows are aligned would accumulate into another column in each row: 6001 columns stay whole.
// CHECK-LABEL: mlc_triton.kernel @half_way(
// CHECK:         mlc_triton.full 0.000000e+00 : f32 : tensor<8192xf32>
// CHECK:         mlc_triton.for
// CHECK:           mlc_triton.load %x[%p * 6001 + %r] mask
mlc_loop.kernel @half_way(%x: memref<16000x6001xf32>, %s_out: memref<6001xf32>) {
  mlc_loop.parallel %p = 0 to 16000 {
    mlc_loop.parallel %r = 0 to 6001 {
      %v = mlc_loop.load %x[%p, %r] : memref<16000x6001xf32>
      mlc_loop.accumulate add %v, %s_out[%r] : memref<6001xf32>
    }
  }
}
func.func @main(%x: memref<16000x6001xf32>) {
  %s = mlc_loop.alloc : memref<6001xf32>
  mlc_loop.launch @half_way(%x, %s) : memref<16000x6001xf32>, memref<6001xf32>
  func.return
}
