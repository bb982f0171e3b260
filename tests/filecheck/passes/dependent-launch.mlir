// RUN: mlc-opt %s -p dependent-launch | filecheck %s
// RUN: mlc-opt %s -p dependent-launch,dependent-launch | filecheck %s
// RUN: mlc-opt %s -p 'dependent-launch{device=a100}' | filecheck %s --check-prefix OLDER
// RUN: mlc-opt %s -p dependent-launch -t triton | filecheck %s --check-prefix SOURCE

// The second kernel follows the first: it waits before all else, once, and its launch may begin while the first ends.
// So may every other launch of it.
// CHECK-LABEL: mlc_triton.kernel @first(
// CHECK-NEXT:    %p = mlc_triton.arange
// CHECK-LABEL: mlc_triton.kernel @second(
// CHECK-NEXT:    mlc_triton.gdc_wait
// CHECK-NEXT:    %p = mlc_triton.arange
// CHECK-NOT:     gdc_wait
// CHECK-LABEL: mlc_triton.kernel @behind_a_call(
// CHECK-NEXT:    %p = mlc_triton.program_id

// GPUs before Hopper end one launch before they begin the next.
// OLDER-NOT: gdc_wait

// SOURCE-LABEL: def main(
// SOURCE:         first[(1,)](x, y, num_warps=4, enable_fp_fusion=False)
// SOURCE:         second[(1,)](y, z, num_warps=4, enable_fp_fusion=False, launch_pdl=True)
// SOURCE-LABEL: def alone(
// SOURCE:         second[(1,)](x, y, num_warps=4, enable_fp_fusion=False, launch_pdl=True)
// SOURCE-LABEL: def second(x_ptr, y_ptr):
// SOURCE-NEXT:      tl.extra.cuda.gdc_wait()
// SOURCE-NEXT:      p = tl.arange(0, 64)
mlc_triton.kernel @first(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.arange : tensor<64xi32>
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}
mlc_triton.kernel @second(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.arange : tensor<64xi32>
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}
mlc_triton.kernel @behind_a_call(%x: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
}
func.func @main(%x: memref<8x8xf32>) -> memref<8x8xf32> {
  %y = mlc_loop.alloc : memref<8x8xf32>
  mlc_loop.launch @first(%x, %y) : memref<8x8xf32>, memref<8x8xf32>
  %z = mlc_loop.alloc : memref<8x8xf32>
  mlc_loop.launch @second(%y, %z) : memref<8x8xf32>, memref<8x8xf32>
  mlc_loop.free %y : memref<8x8xf32>
  %w = mlc_loop.call "aten.mm.default"(%z, %z) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  mlc_loop.launch @behind_a_call(%w) : memref<8x8xf32>
  func.return %w : memref<8x8xf32>
}
func.func @alone(%x: memref<64xf32>) -> memref<64xf32> {
  %y = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @second(%x, %y) : memref<64xf32>, memref<64xf32>
  func.return %y : memref<64xf32>
}
