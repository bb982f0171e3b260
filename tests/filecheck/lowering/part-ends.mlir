// RUN: mlc-opt %s -p 'loop-to-triton' | filecheck %s

// 16 programs have whole parts of 256 elements, without masks; the last has 5. What the last-arriving program does comes
// after both code paths.
// CHECK-LABEL: mlc_triton.kernel @parts(
// CHECK:         %q = mlc_triton.program_id
// CHECK-NEXT:    %end = mlc_triton.index [%q * 256 - 3846]
// CHECK-NEXT:    %whole = mlc_triton.mask %end < 0
// CHECK-NEXT:    scf.if %whole {
// CHECK-NOT:       mask
// CHECK:           mlc_triton.load %x[%q * 256 + %{{.*}}] :
// CHECK-NOT:       mask
// CHECK:         } else {
// CHECK:           mlc_triton.load %x[%q * 256 + %{{.*}}] mask
// CHECK:         }
// CHECK:         mlc_triton.last_block
// CHECK-NOT:     scf.if
mlc_loop.kernel @parts(%x: memref<4101xf32>, %part: memref<17xf32>, %out: memref<f32>, %arrived: memref<1xi32>) warps 4 index 32 {
  mlc_loop.parallel %q = 0 to 17 program 0 block 1 peeled {
    %s = mlc_loop.reduce add %k = 0 to 256 block 64 -> f32 {
      %i = mlc_loop.index [%q * 256 + %k - 4101] : i64
      %zero = arith.constant 0 : i64
      %inside = arith.cmpi slt, %i, %zero : i64
      %v = mlc_loop.load %x[%q * 256 + %k] if %inside : memref<4101xf32>
      mlc_loop.yield if %inside %v : f32
    }
    mlc_loop.store %s, %part[%q] : memref<17xf32>
    mlc_loop.last_block %arrived[0] of 17 : memref<1xi32> {
      %t = mlc_loop.reduce add %i = 0 to 17 block 32 -> f32 {
        %v = mlc_loop.load %part[%i] : memref<17xf32>
        mlc_loop.yield %v : f32
      }
      mlc_loop.store %t, %out[] : memref<f32>
    }
  }
}
