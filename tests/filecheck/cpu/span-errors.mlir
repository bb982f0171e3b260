// RUN: not mlc-opt %s -t llvm 2>&1 | filecheck %s

// Programs that share the iterations of a loop are a matter of GPUs.
// CHECK: error: llvm: cannot lower mlc_loop.reduce of a span
mlc_loop.kernel @part(%x: memref<8x16x4xf32>, %o: memref<8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %s = mlc_loop.reduce add %j = 0 to 16 span [0, 8] -> f32 {
      %t = mlc_loop.reduce max %k = 0 to 4 -> f32 {
        %a = mlc_loop.load %x[%i, %j, %k] : memref<8x16x4xf32>
        mlc_loop.yield %a : f32
      }
      mlc_loop.yield %t : f32
    }
    mlc_loop.store %s, %o[%i] : memref<8xf32>
  }
}
