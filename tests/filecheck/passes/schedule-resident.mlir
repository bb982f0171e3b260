// RUN: mlc-opt %s -p schedule --split-input-file | filecheck %s

// Four programs for each of 132 multiprocessors run in one wave: ptxas gets the registers that four leave each lane.
// CHECK-LABEL: mlc_loop.kernel @one_wave(
// CHECK-SAME:    warps 8 index 32 resident 4 why "as asked for"
mlc_loop.kernel @one_wave(%x: memref<1000x33792xf32>, %out: memref<33792xf32>) schedule <rows = 64, columns = 32, warps = 8> {
  mlc_loop.parallel %p = 0 to 33792 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x33792xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<33792xf32>
  }
}

// -----

// One more, and a multiprocessor has five.
// CHECK-LABEL: mlc_loop.kernel @one_more(
// CHECK-SAME:    warps 8 index 32 resident 5 why "as asked for"
mlc_loop.kernel @one_more(%x: memref<1000x33856xf32>, %out: memref<33856xf32>) schedule <rows = 64, columns = 32, warps = 8> {
  mlc_loop.parallel %p = 0 to 33856 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x33856xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<33856xf32>
  }
}

// -----

// Of many waves ptxas decides what pays; a later loop keeps it from taking all.
// CHECK-LABEL: mlc_loop.kernel @many_waves(
// CHECK-SAME:    warps 8 index 32 why "as asked for"
mlc_loop.kernel @many_waves(%x: memref<1000x640000xf32>, %out: memref<1000x640000xf32>) schedule <rows = 64, columns = 32, warps = 8> {
  mlc_loop.parallel %p = 0 to 640000 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x640000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1000 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x640000xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%r, %p] : memref<1000x640000xf32>
    }
  }
}

// -----

// A lane holds 128 elements: two programs fit, but not the four that each multiprocessor has.
// CHECK-LABEL: mlc_loop.kernel @too_much(
// CHECK-SAME:    warps 8 index 32 why "as asked for"
mlc_loop.kernel @too_much(%x: memref<512x33792xf32>, %out: memref<512x33792xf32>) schedule <rows = 64, columns = 512, warps = 8> {
  mlc_loop.parallel %p = 0 to 33792 {
    %s = mlc_loop.reduce add %r = 0 to 512 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<512x33792xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 512 {
      %v = mlc_loop.load %x[%r, %p] : memref<512x33792xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%r, %p] : memref<512x33792xf32>
    }
  }
}

// -----

// Pointwise kernels, and rows of a length that is not known, are ptxas's.
// CHECK-LABEL: mlc_loop.kernel @pointwise(
// CHECK-NOT:     resident
mlc_loop.kernel @pointwise(%x: memref<33792xf32>, %out: memref<33792xf32>) {
  mlc_loop.parallel %p = 0 to 33792 {
    %v = mlc_loop.load %x[%p] : memref<33792xf32>
    mlc_loop.store %v, %out[%p] : memref<33792xf32>
  }
}
