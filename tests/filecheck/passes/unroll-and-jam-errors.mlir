// RUN: not mlc-opt %s -p unroll-and-jam --split-input-file 2>&1 | filecheck %s

// CHECK: error: unroll-and-jam: the schedule of odd asks for it, but an axis of 9 is no multiple of 2
mlc_loop.kernel @odd(%x: memref<10x64xf32>, %out: memref<9x64xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel (%i, %j) = 0 to (9, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<10x64xf32>
    mlc_loop.store %a, %out[%i, %j] : memref<9x64xf32>
  }
}

// -----

// CHECK: error: unroll-and-jam: the schedule of flat asks for it, but nothing is contiguous along 0 of its axes only
mlc_loop.kernel @flat(%x: memref<65xf32>, %out: memref<64xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<65xf32>
    %b = mlc_loop.load %x[%i + 1] : memref<65xf32>
    %s = arith.addf %a, %b : f32
    mlc_loop.store %s, %out[%i] : memref<64xf32>
  }
}

// -----

// CHECK: error: unroll-and-jam: the schedule of one_axis asks for it, but nothing is contiguous along 1 of its axes only
mlc_loop.kernel @one_axis(%x: memref<8x64xf32>, %out: memref<8x64xf32>) schedule <unroll = 2 by 2> {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<8x64xf32>
    mlc_loop.store %a, %out[%i, %j] : memref<8x64xf32>
  }
}

// -----

// CHECK: error: unroll-and-jam: the schedule of sums asks for it, but its rows have loops inside
mlc_loop.kernel @sums(%x: memref<8x64x4xf32>, %out: memref<8x64xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %s = mlc_loop.reduce add %k = 0 to 4 -> f32 {
      %a = mlc_loop.load %x[%i, %j, %k] : memref<8x64x4xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %out[%i, %j] : memref<8x64xf32>
  }
}

// -----

// CHECK: error: unroll-and-jam: the schedule of updates asks for it, but mlc_loop.atomic has an order, or combines rows
mlc_loop.kernel @updates(%x: memref<8x64xf32>, %out: memref<64xf32>) schedule <unroll = 1 by 2> {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<8x64xf32>
    mlc_loop.atomic add %a, %out[%j] : memref<64xf32>
  }
}
