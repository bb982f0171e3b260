// RUN: mlc-opt %s -p 'split-reduction,last-block,schedule' --split-input-file | filecheck %s

// The last of 367 parts is shorter. Programs with whole parts have code without its conditions, so that they load and
// store vectors.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 367 program 0 block 1 peeled {
// CHECK:             mlc_loop.load %x[0, %q * 8192 + %k] if
// CHECK:           mlc_loop.last_block
mlc_loop.kernel @sum(%x: memref<1x3000001xf32>, %out: memref<1xf32>) schedule <part = 8192> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 3000001 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1x3000001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1xf32>
  }
}
func.func @launch_sum(%x: memref<1x3000001xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @sum(%x, %out) : memref<1x3000001xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}

// -----

// Parts of one length have no conditions.
// CHECK-LABEL: mlc_loop.kernel @even(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 367 program 0 block 1 {
mlc_loop.kernel @even(%x: memref<1x3006464xf32>, %out: memref<1xf32>) schedule <part = 8192> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 3006464 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1x3006464xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1xf32>
  }
}
func.func @launch_even(%x: memref<1x3006464xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @even(%x, %out) : memref<1x3006464xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}

// -----

// Rows of odd length begin anywhere: nothing is loaded by vectors in any case.
// CHECK-LABEL: mlc_loop.kernel @unaligned(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 735 program 0 block 1 {
mlc_loop.kernel @unaligned(%x: memref<3x1000001xf32>, %out: memref<3xf32>) schedule <part = 4096> {
  mlc_loop.parallel %p = 0 to 3 {
    %s = mlc_loop.reduce add %r = 0 to 1000001 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<3x1000001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<3xf32>
  }
}
func.func @launch_unaligned(%x: memref<3x1000001xf32>) -> memref<3xf32> {
  %out = mlc_loop.alloc : memref<3xf32>
  mlc_loop.launch @unaligned(%x, %out) : memref<3x1000001xf32>, memref<3xf32>
  func.return %out : memref<3xf32>
}

// -----

// Of whole vectors the condition says the same of all elements of each.
// CHECK-LABEL: mlc_loop.kernel @vectors(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 367 program 0 block 1 {
mlc_loop.kernel @vectors(%x: memref<1x3000016xf32>, %out: memref<1xf32>) schedule <part = 8192> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 3000016 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1x3000016xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1xf32>
  }
}
func.func @launch_vectors(%x: memref<1x3000016xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @vectors(%x, %out) : memref<1x3000016xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}

// -----

// A few programs are soon done: twice the code would not be.
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 37 program 0 block 1 {
mlc_loop.kernel @few(%x: memref<1x300001xf32>, %out: memref<1xf32>) schedule <part = 8192> {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 300001 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<1x300001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1xf32>
  }
}
func.func @launch_few(%x: memref<1x300001xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @few(%x, %out) : memref<1x300001xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}
