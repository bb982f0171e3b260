// RUN: mlc-opt %s -p 'fuse{explain=true}' 2>&1 | filecheck %s --check-prefix=MLC
// RUN: mlc-opt %s -p 'fuse{policy=xla explain=true}' 2>&1 | filecheck %s --check-prefix=XLA
// RUN: mlc-opt %s -p 'fuse{policy=xla skip=diamonds explain=true}' 2>&1 | filecheck %s --check-prefix=APART
// RUN: mlc-opt %s -p 'fuse{policy=tvm max-depth=1 explain=true}' 2>&1 | filecheck %s --check-prefix=SHALLOW
// RUN: mlc-opt %s -p 'fuse{policy=tvm}' | filecheck %s --check-prefix=BUILT
// RUN: mlc-opt %s -p 'fuse{policy=inductor max-fusion-size=1 explain=true}' 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not mlc-opt %s -p 'fuse{policy=xla skip=diamond}' 2>&1 | filecheck %s --check-prefix=PHASE
// RUN: not mlc-opt %s -p 'fuse{device=b3}' 2>&1 | filecheck %s --check-prefix=DEVICE

// MLC:      remark: softmax: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT: remark: mlc: kernel reduction (m, d, e, s, q): saves
// MLC-NEXT: explain.mlir:{{[0-9]+}}: remark: mlc: fuses m with d: keeps 1 intermediate(s) of 2.0 kB in registers ({{.*}} us saved)
// MLC:      explain.mlir:{{[0-9]+}}: remark: mlc: fuses e with q: other ops of the two brought their groups together

// XLA:      remark: softmax: xla: 1 kernels
// XLA:      explain.mlir:{{[0-9]+}}: remark: xla: fuses s with q: triton-softmax: a normalisation diamond

// APART:      remark: softmax: xla: 3 kernels
// APART:      remark: xla: keeps m and d apart: priority-fusion: both the producer and the consumer contain a reduce

// SHALLOW:      remark: softmax: tvm: 5 kernels
// SHALLOW:      remark: tvm: keeps d and e apart: more than max-depth = 1 ops

// An emulated plan is built too.
// BUILT-LABEL: @softmax(
// BUILT:         mlc_tensor.fusion {{.*}} kind "reduction" why "a single op"
// BUILT:         mlc_tensor.fusion {{.*}} kind "pointwise" why "saves
// BUILT-SAME:    mlc.refused = ["with m: tvm computes the two in different kernels"]

// SMALL:      remark: softmax: inductor: 3 kernels
// SMALL:      remark: inductor: keeps s and q apart: scheduler: exceeds max-fusion-size = 1

// PHASE:       error: fuse: policy xla has no phase 'diamond'
// DEVICE:      error: no device
// DEVICE-NEXT:   devices are h200, h100, a100, rtx4090, generic

func.func @softmax(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<512x1xf32> -> tensor<512x1024xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<512x1024xf32>
  %e = mlc_tensor.exp %d : tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<512x1xf32> -> tensor<512x1024xf32>
  %q = mlc_tensor.div %e, %sb : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}
