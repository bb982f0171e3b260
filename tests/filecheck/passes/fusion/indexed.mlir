// RUN: mlc-opt %s -p 'fuse{policy=tvm explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=TVM
// RUN: mlc-opt %s -p 'fuse{policy=inductor explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=INDUCTOR
// RUN: mlc-opt %s -p 'fuse{policy=xla explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=XLA

// What reads or writes where data say, what is computed from constants alone, and sums of rows beside sums of columns.

// TVM's gather_nd has no pattern: it stays alone, behind a kernel that puts its indices together. Inductor inlines it.
// TVM:         remark: looked_up: tvm: 3 kernels
// TVM-NEXT:    remark: tvm: kernel injective (b, g)
// TVM-NEXT:    remark: tvm: kernel opaque (g)
// TVM-NEXT:    remark: tvm: kernel elemwise (e)
// INDUCTOR:    remark: looked_up: inductor: 1 kernels
func.func @looked_up(%t: tensor<500x64xf32>, %i: tensor<128x1xi64>) -> tensor<128x64xf32> {
  %b = mlc_tensor.broadcast %i : tensor<128x1xi64> -> tensor<128x64xi64>
  %c = mlc_tensor.iota dim 1 : tensor<128x64xi64>
  %g = mlc_tensor.gather %t[%b, %c] : tensor<500x64xf32>, (tensor<128x64xi64>, tensor<128x64xi64>) -> tensor<128x64xf32>
  %e = mlc_tensor.exp %g : tensor<128x64xf32>
  func.return %e : tensor<128x64xf32>
}

// -----

// Known indices are folded, by TVM too, so that nothing puts them together.
// TVM:         remark: reversed: tvm: 2 kernels
// TVM-NEXT:    remark: tvm: kernel opaque (g)
// TVM-NEXT:    remark: tvm: kernel elemwise (e)
// INDUCTOR:    remark: reversed: inductor: 1 kernels
func.func @reversed(%x: tensor<128xf32>) -> tensor<128xf32> {
  %i = mlc_tensor.iota dim 0 : tensor<128xi64>
  %n = mlc_tensor.constant 127 : tensor<128xi64>
  %k = mlc_tensor.sub %n, %i : tensor<128xi64>
  %g = mlc_tensor.gather %x[%k] : tensor<128xf32>, (tensor<128xi64>) -> tensor<128xf32>
  %e = mlc_tensor.exp %g : tensor<128xf32>
  func.return %e : tensor<128xf32>
}

// -----

// Inductor copies what is scattered into, and computes the updates where it stores them.
// INDUCTOR:      remark: scattered: inductor: 2 kernels
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (z): in memory: a scatter
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (e, s): in memory: a scatter
func.func @scattered(%i: tensor<64xi64>, %x: tensor<64xf32>) -> tensor<500xf32> {
  %z = mlc_tensor.constant 0.0 : tensor<500xf32>
  %e = mlc_tensor.exp %x : tensor<64xf32>
  %s = mlc_tensor.scatter add %z[%i], %e : tensor<500xf32>, (tensor<64xi64>), tensor<64xf32>
  func.return %s : tensor<500xf32>
}

// -----

// The pieces of a concatenation are read at differences that Inductor leaves as they are: it is no reader of the kernel
// that writes one of them.
// INDUCTOR:      remark: pieces: inductor: 2 kernels
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (e)
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (c, a)
func.func @pieces(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = mlc_tensor.exp %x : tensor<64x64xf32>
  %l = mlc_tensor.slice %e [0, 0] step [1, 1] : tensor<64x64xf32> -> tensor<64x32xf32>
  %r = mlc_tensor.slice %y [0, 0] step [1, 1] : tensor<64x64xf32> -> tensor<64x32xf32>
  %c = mlc_tensor.cat %l, %r dim 1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %a = mlc_tensor.abs %c : tensor<64x64xf32>
  func.return %e, %a : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Sums of rows and of columns of one large tensor: Inductor reads it once, and finishes the sums of columns by themselves.
// INDUCTOR:      remark: both_ways: inductor: 2 kernels
// INDUCTOR-NEXT: remark: inductor: kernel reduction (e, r, c)
// INDUCTOR-NEXT: remark: inductor: kernel reduction (c)
func.func @both_ways(%x: tensor<8192x1024xf32>) -> (tensor<8192x1xf32>, tensor<1x1024xf32>) {
  %e = mlc_tensor.exp %x : tensor<8192x1024xf32>
  %r = mlc_tensor.reduce add %e dims [1] : tensor<8192x1024xf32> -> tensor<8192x1xf32>
  %c = mlc_tensor.reduce add %e dims [0] : tensor<8192x1024xf32> -> tensor<1x1024xf32>
  func.return %r, %c : tensor<8192x1xf32>, tensor<1x1024xf32>
}

// -----

// Not of a small one, which the cache keeps.
// INDUCTOR:      remark: both_ways_of_few: inductor: 3 kernels
func.func @both_ways_of_few(%x: tensor<4096x1024xf32>) -> (tensor<4096x1xf32>, tensor<1x1024xf32>) {
  %e = mlc_tensor.exp %x : tensor<4096x1024xf32>
  %r = mlc_tensor.reduce add %e dims [1] : tensor<4096x1024xf32> -> tensor<4096x1xf32>
  %c = mlc_tensor.reduce add %e dims [0] : tensor<4096x1024xf32> -> tensor<1x1024xf32>
  func.return %r, %c : tensor<4096x1xf32>, tensor<1x1024xf32>
}

// -----

// XLA computes inside of a gather what it looks up; the zero that is added is gone before.
// XLA:         remark: computed_table: xla: 1 kernels
// XLA-NEXT:    remark: xla: kernel loop (t, a, e)
func.func @computed_table(%x: tensor<5000xf32>, %i: tensor<128xi64>) -> tensor<128xf32> {
  %t = mlc_tensor.sin %x : tensor<5000xf32>
  %g = mlc_tensor.gather %t[%i] : tensor<5000xf32>, (tensor<128xi64>) -> tensor<128xf32>
  %z = mlc_tensor.constant 0.0 : tensor<128xf32>
  %a = mlc_tensor.add %g, %z : tensor<128xf32>
  %e = mlc_tensor.exp %a : tensor<128xf32>
  func.return %e : tensor<128xf32>
}

// -----

// Fusions with concatenations are not joined because they read the same, as the tables of rotary embeddings.
// XLA:         remark: rotary: xla: 2 kernels
// XLA-NEXT:    remark: xla: kernel loop (m, s, h)
// XLA-NEXT:    remark: xla: kernel loop (m, c, k)
func.func @rotary(%x: tensor<2048x64xf32>, %f: tensor<2048x64xf32>) -> (tensor<2048x128xbf16>, tensor<2048x128xbf16>) {
  %m = mlc_tensor.mul %x, %f : tensor<2048x64xf32>
  %p = mlc_tensor.cat %m, %m dim 1 : (tensor<2048x64xf32>, tensor<2048x64xf32>) -> tensor<2048x128xf32>
  %s = mlc_tensor.sin %p : tensor<2048x128xf32>
  %c = mlc_tensor.cos %p : tensor<2048x128xf32>
  %h = mlc_tensor.cast %s : tensor<2048x128xf32> -> tensor<2048x128xbf16>
  %k = mlc_tensor.cast %c : tensor<2048x128xf32> -> tensor<2048x128xbf16>
  func.return %h, %k : tensor<2048x128xbf16>, tensor<2048x128xbf16>
}
