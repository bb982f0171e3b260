// RUN: mlc-opt %s -p fuse,tensor-to-loop --split-input-file | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop,linearize-axes,schedule,loop-to-triton,cse,dce --split-input-file | filecheck %s --check-prefix=TRITON

// What a scan reads and what reads it are in its loop; a long row carries its last lane from block to block.
// CHECK-LABEL: mlc_loop.kernel @exp_cumsum_div(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 300 {
// CHECK-NEXT:      mlc_loop.parallel %j = 0 to 20000 {
// CHECK-NEXT:        mlc_loop.load %x[%i, %j]
// CHECK-NEXT:        math.exp
// CHECK-NEXT:        %s = mlc_loop.scan "add" %{{.*}} : f32 -> f32
// CHECK-NEXT:        mlc_loop.load %y[%i, %j]
// CHECK-NEXT:        arith.divf %s
// CHECK-NEXT:        mlc_loop.store
// TRITON-LABEL: mlc_triton.kernel @exp_cumsum_div(
// TRITON:         %carry = mlc_triton.full 0.000000e+00 : f32 : f32
// TRITON:         "mlc_triton.for"(%carry)
// TRITON:         %s = mlc_triton.scan "add" %{{.*}} : (tensor<[[B:[0-9]+]]xf32>) -> tensor<[[B]]xf32>
// TRITON:         mlc_triton.combine "add" %{{.*}}, %s
// TRITON:         %[[C:.*]] = mlc_triton.reduce "add"
// TRITON:         mlc_triton.yield %[[C]] : f32
func.func @long(%x: tensor<300x20000xf32>, %y: tensor<300x20000xf32>) -> tensor<300x20000xf32> {
  %e = mlc_tensor.exp %x : tensor<300x20000xf32>
  %s = mlc_tensor.scan add %e dim 1 : tensor<300x20000xf32> -> tensor<300x20000xf32>
  %r = mlc_tensor.div %s, %y : tensor<300x20000xf32>
  func.return %r : tensor<300x20000xf32>
}

// -----

// A row that fits is scanned at once; lanes past its end are the identity and come last.
// TRITON-LABEL: mlc_triton.kernel @cumargmax(
// TRITON:         %s, %s_1 = mlc_triton.scan "argmax" %{{.*}}, %{{.*}} : (tensor<{{.*}}128xf32>, tensor<{{.*}}128xi64>)
// TRITON-NOT:     mlc_triton.combine
// TRITON:         func.func
func.func @short(%x: tensor<300x100xf32>) -> tensor<300x100xi64> {
  %s = mlc_tensor.scan argmax %x dim 1 : tensor<300x100xf32> -> tensor<300x100xi64>
  func.return %s : tensor<300x100xi64>
}

// -----

// A scan and a reduction of one axis share a kernel.
// CHECK-LABEL: mlc_loop.kernel @sum_cumsum_div(
// CHECK:         mlc_loop.reduce add
// CHECK:         mlc_loop.scan "add"
// CHECK-NOT:     mlc_loop.kernel
// CHECK:         func.func
func.func @together(%x: tensor<300x100xf32>) -> tensor<300x100xf32> {
  %t = mlc_tensor.reduce add %x dims [1] : tensor<300x100xf32> -> tensor<300x1xf32>
  %s = mlc_tensor.scan add %x dim 1 : tensor<300x100xf32> -> tensor<300x100xf32>
  %b = mlc_tensor.broadcast %t : tensor<300x1xf32> -> tensor<300x100xf32>
  %r = mlc_tensor.div %s, %b : tensor<300x100xf32>
  func.return %r : tensor<300x100xf32>
}

// -----

// Where a scan is read off its own point, two kernels are needed.
// CHECK-LABEL: mlc_loop.kernel @cumsum(
// CHECK-LABEL: mlc_loop.kernel @neg(
func.func @shifted(%x: tensor<300x100xf32>) -> tensor<300x100xf32> {
  %s = mlc_tensor.scan add %x dim 1 : tensor<300x100xf32> -> tensor<300x100xf32>
  %f = mlc_tensor.slice %s [0, 99] step [1, -1] : tensor<300x100xf32> -> tensor<300x100xf32>
  %n = mlc_tensor.neg %f : tensor<300x100xf32>
  func.return %n : tensor<300x100xf32>
}

// -----

// Scans of two axes are two kernels.
// CHECK-LABEL: mlc_loop.kernel @cumsum(
// CHECK-LABEL: mlc_loop.kernel @cumsum_1(
func.func @axes(%x: tensor<30x100xf32>) -> tensor<30x100xf32> {
  %s = mlc_tensor.scan add %x dim 1 : tensor<30x100xf32> -> tensor<30x100xf32>
  %t = mlc_tensor.scan add %s dim 0 : tensor<30x100xf32> -> tensor<30x100xf32>
  func.return %t : tensor<30x100xf32>
}
