// RUN: mlc-opt %s -p fuse,tensor-to-loop,schedule --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'fuse,tensor-to-loop,schedule{elements=64 persistent=256 looped=32}' --split-input-file | filecheck %s --check-prefix=SMALL

// Pointwise: one axis of programs.
// CHECK-LABEL: mlc_loop.kernel @exp(
// CHECK-SAME:    warps 4 index 32 schedule "1024 elements a program"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40960 program 0 block 1024 {
// SMALL:       schedule "64 elements a program"
// SMALL-NEXT:    program 0 block 64
func.func @pointwise(%x: tensor<1024x40xf32>) -> tensor<1024x40xf32> {
  %e = mlc_tensor.exp %x : tensor<1024x40xf32>
  func.return %e : tensor<1024x40xf32>
}

// -----

// A short row is held whole, several to a program, and a block is the next power of two.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    schedule "16 row(s) of 40 kept in registers"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 0 block 16 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 40 block 64 -> f32 {
// SMALL:       schedule "1 row(s) of 40 kept in registers"
func.func @rows(%x: tensor<1024x40xf32>) -> tensor<1024x1xf32> {
  %e = mlc_tensor.reduce add %x dims [1] : tensor<1024x40xf32> -> tensor<1024x1xf32>
  func.return %e : tensor<1024x1xf32>
}

// -----

// A long one is looped over.
// CHECK-LABEL: mlc_loop.kernel @max(
// CHECK-SAME:    schedule "a row of 20000, more than 16384: looped by 8192"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 20000 block 8192 -> f32 {
// SMALL:       looped by 32
func.func @looped(%x: tensor<1024x20000xf32>) -> tensor<1024x1xf32> {
  %e = mlc_tensor.reduce max %x dims [1] : tensor<1024x20000xf32> -> tensor<1024x1xf32>
  func.return %e : tensor<1024x1xf32>
}

// -----

// Many wide accumulators: fewer columns at once, so that they fit the registers.
// CHECK-LABEL: mlc_loop.kernel @sum_max_min_argmax(
// CHECK-SAME:    warps 8 {{.*}} looped by 1024"
func.func @accumulators(%x: tensor<1024x20000xi64>) -> (tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>) {
  %a = mlc_tensor.reduce add %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  %b = mlc_tensor.reduce max %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  %c = mlc_tensor.reduce min %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  %d = mlc_tensor.reduce argmax %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  func.return %a, %b, %c, %d : tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>
}

// -----

// Down the columns of memory neighbouring lanes take neighbouring rows.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    schedule "reduces down columns of memory: 64 of them side by side, 64 deep"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40000 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 1000 block 64 stages 3 -> f32 {
func.func @columns(%x: tensor<1000x40000xf32>) -> tensor<1x40000xf32> {
  %e = mlc_tensor.reduce add %x dims [0] : tensor<1000x40000xf32> -> tensor<1x40000xf32>
  func.return %e : tensor<1x40000xf32>
}

// -----

// Addresses past 2^31 take 64 bits.
// CHECK-LABEL: mlc_loop.kernel @exp(
// CHECK-SAME:    index 64
func.func @huge(%x: tensor<65536x65536xbf16>) -> tensor<65536x65536xbf16> {
  %e = mlc_tensor.exp %x : tensor<65536x65536xbf16>
  func.return %e : tensor<65536x65536xbf16>
}

// -----

// A small buffer read by a huge number of iterations counts those.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    index 64
func.func @huge_loop(%x: tensor<65536x1xf32>) -> tensor<1x1xf32> {
  %b = mlc_tensor.broadcast %x : tensor<65536x1xf32> -> tensor<65536x65536xf32>
  %e = mlc_tensor.reduce add %b dims [0, 1] : tensor<65536x65536xf32> -> tensor<1x1xf32>
  func.return %e : tensor<1x1xf32>
}

// -----

// Unknown sizes may be anything: 64 bits, and rows are looped over.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    index 64 schedule "a row of unknown length: looped by 8192"
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to M block 8192 -> f32 {
func.func @dynamic(%x: tensor<?x?xf32, ["N", "M"]>) -> tensor<?x1xf32, ["N", "1"]> {
  %e = mlc_tensor.reduce add %x dims [1] : tensor<?x?xf32, ["N", "M"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %e : tensor<?x1xf32, ["N", "1"]>
}

// -----

// A kernel that has a schedule keeps it.
// CHECK-LABEL: mlc_loop.kernel @mine(
// CHECK-SAME:    warps 8 index 32 schedule "by hand"
// CHECK-NEXT:    program 0 block 2
mlc_loop.kernel @mine(%x: memref<4xf32>, %out: memref<4xf32>) warps 8 index 32 schedule "by hand" {
  mlc_loop.parallel %p = 0 to 4 program 0 block 2 {
    %v = mlc_loop.load %x[%p] : memref<4xf32>
    mlc_loop.store %v, %out[%p] : memref<4xf32>
  }
}
