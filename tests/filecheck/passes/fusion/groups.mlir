// RUN: mlc-opt %s -p 'fuse{policy=mlc explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=MLC
// RUN: mlc-opt %s -p 'fuse{policy=xla explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=XLA
// RUN: mlc-opt %s -p 'fuse{policy=tvm explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=TVM
// RUN: mlc-opt %s -p 'fuse{policy=inductor explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=INDUCTOR
// RUN: mlc-opt %s -p 'fuse{policy=pointwise explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=POINTWISE
// RUN: mlc-opt %s -p 'fuse{policy=none explain=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=NONE

// What each strategy makes of the same small graphs. An op that stands in two kernels is computed in both,
// or begun in the first and finished in the second.

// Pointwise ops one after the other: one kernel for everyone.
// MLC:         remark: chain: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (a, b, c)
// XLA:         remark: chain: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel loop (a, b, c)
// TVM:         remark: chain: tvm: 1 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a, b, c)
// INDUCTOR:    remark: chain: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (a, b, c)
// POINTWISE:   remark: chain: pointwise: 1 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a, b, c)
// NONE:        remark: chain: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel pointwise (b)
// NONE-NEXT:   remark: none: kernel pointwise (c)
func.func @chain(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %a = mlc_tensor.sin %x : tensor<512x1024xf32>
  %b = mlc_tensor.exp %a : tensor<512x1024xf32>
  %c = mlc_tensor.abs %b : tensor<512x1024xf32>
  func.return %c : tensor<512x1024xf32>
}

// -----

// XLA and Inductor have softmax in one kernel; TVM ends a group at each reduction.
// MLC:         remark: softmax: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (m, d, e, s, q)
// XLA:         remark: softmax: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel triton (m, d, e, s, q)
// TVM:         remark: softmax: tvm: 4 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel comm_reduce (m)
// TVM-NEXT:    remark: tvm: kernel elemwise (d, e)
// TVM-NEXT:    remark: tvm: kernel comm_reduce (s)
// TVM-NEXT:    remark: tvm: kernel elemwise (q)
// INDUCTOR:    remark: softmax: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (m, d, e, s, q)
// POINTWISE:   remark: softmax: pointwise: 4 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel reduction (m)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (d, e)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (q)
// NONE:        remark: softmax: none: 5 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel reduction (m)
// NONE-NEXT:   remark: none: kernel pointwise (d)
// NONE-NEXT:   remark: none: kernel pointwise (e)
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel pointwise (q)
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

// -----

// So it is with a layer norm.
// MLC:         remark: layer_norm: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (s, m, d, d2, v, u, t, r, y, z, o)
// XLA:         remark: layer_norm: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel triton (s, m, d, d2, v, u, t, r, y, z, o)
// TVM:         remark: layer_norm: tvm: 4 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel comm_reduce (s)
// TVM-NEXT:    remark: tvm: kernel elemwise (m, d)
// TVM-NEXT:    remark: tvm: kernel comm_reduce (d2, v)
// TVM-NEXT:    remark: tvm: kernel elemwise (u, t, r, y, z, o)
// INDUCTOR:    remark: layer_norm: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (s, m, d, d2, v, u, t, r, y, z, o)
// POINTWISE:   remark: layer_norm: pointwise: 4 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (m, d, d2)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (v)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (u, t, r, y, z, o)
// NONE:        remark: layer_norm: none: 11 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel pointwise (m)
// NONE-NEXT:   remark: none: kernel pointwise (d)
// NONE-NEXT:   remark: none: kernel pointwise (d2)
// NONE-NEXT:   remark: none: kernel reduction (v)
// NONE-NEXT:   remark: none: kernel pointwise (u)
// NONE-NEXT:   remark: none: kernel pointwise (t)
// NONE-NEXT:   remark: none: kernel pointwise (r)
// NONE-NEXT:   remark: none: kernel pointwise (y)
// NONE-NEXT:   remark: none: kernel pointwise (z)
// NONE-NEXT:   remark: none: kernel pointwise (o)
func.func @layer_norm(%x: tensor<512x1024xf32>, %w: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<512x1024xf32> {
  %n = mlc_tensor.constant 0.0009765625 : tensor<512x1xf32>
  %s = mlc_tensor.reduce add %x dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %m = mlc_tensor.mul %s, %n : tensor<512x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<512x1xf32> -> tensor<512x1024xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<512x1024xf32>
  %d2 = mlc_tensor.mul %d, %d : tensor<512x1024xf32>
  %v = mlc_tensor.reduce add %d2 dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %u = mlc_tensor.mul %v, %n : tensor<512x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<512x1xf32>
  %t = mlc_tensor.add %u, %eps : tensor<512x1xf32>
  %r = mlc_tensor.rsqrt %t : tensor<512x1xf32>
  %rb = mlc_tensor.broadcast %r : tensor<512x1xf32> -> tensor<512x1024xf32>
  %y = mlc_tensor.mul %d, %rb : tensor<512x1024xf32>
  %wb = mlc_tensor.broadcast %w : tensor<1024xf32> -> tensor<512x1024xf32>
  %z = mlc_tensor.mul %y, %wb : tensor<512x1024xf32>
  %bb = mlc_tensor.broadcast %b : tensor<1024xf32> -> tensor<512x1024xf32>
  %o = mlc_tensor.add %z, %bb : tensor<512x1024xf32>
  func.return %o : tensor<512x1024xf32>
}

// -----

// A sum of everything takes XLA and Inductor two kernels; nobody can divide by it in the same one.
// MLC:         remark: sum_of_all: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (s, q)
// XLA:         remark: sum_of_all: xla: 3 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel input (s)
// XLA-NEXT:    remark: xla: kernel input (s)
// XLA-NEXT:    remark: xla: kernel loop (q)
// TVM:         remark: sum_of_all: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel comm_reduce (s)
// TVM-NEXT:    remark: tvm: kernel elemwise (q)
// INDUCTOR:    remark: sum_of_all: inductor: 3 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (s)
// INDUCTOR-NEXT: remark: inductor: kernel reduction (s)
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (q)
// POINTWISE:   remark: sum_of_all: pointwise: 2 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (q)
// NONE:        remark: sum_of_all: none: 2 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel pointwise (q)
func.func @sum_of_all(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %s = mlc_tensor.reduce add %x dims [0, 1] : tensor<512x1024xf32> -> tensor<1x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<1x1xf32> -> tensor<512x1024xf32>
  %q = mlc_tensor.div %x, %sb : tensor<512x1024xf32>
  func.return %q : tensor<512x1024xf32>
}

// -----

// Its prologue is fused; its epilogue by Inductor, not by XLA.
// MLC:         remark: mean_of_squares: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (d, p, s, q)
// XLA:         remark: mean_of_squares: xla: 3 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel input (d, p, s)
// XLA-NEXT:    remark: xla: kernel input (s)
// XLA-NEXT:    remark: xla: kernel loop (q)
// TVM:         remark: mean_of_squares: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel comm_reduce (d, p, s)
// TVM-NEXT:    remark: tvm: kernel elemwise (q)
// INDUCTOR:    remark: mean_of_squares: inductor: 2 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (d, p, s)
// INDUCTOR-NEXT: remark: inductor: kernel reduction (s, q)
// POINTWISE:   remark: mean_of_squares: pointwise: 3 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (d, p)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (q)
// NONE:        remark: mean_of_squares: none: 4 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (d)
// NONE-NEXT:   remark: none: kernel pointwise (p)
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel pointwise (q)
func.func @mean_of_squares(%x: tensor<512x1024xf32>, %t: tensor<512x1024xf32>) -> tensor<1x1xf32> {
  %d = mlc_tensor.sub %x, %t : tensor<512x1024xf32>
  %p = mlc_tensor.mul %d, %d : tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %p dims [0, 1] : tensor<512x1024xf32> -> tensor<1x1xf32>
  %n = mlc_tensor.constant 1.9073486328125e-06 : tensor<1x1xf32>
  %q = mlc_tensor.mul %s, %n : tensor<1x1xf32>
  func.return %q : tensor<1x1xf32>
}

// -----

// Single instructions that read one value stay apart in XLA and TVM.
// MLC:         remark: siblings: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (s, c)
// XLA:         remark: siblings: xla: 2 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel loop (s)
// XLA-NEXT:    remark: xla: kernel loop (c)
// TVM:         remark: siblings: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (s)
// TVM-NEXT:    remark: tvm: kernel elemwise (c)
// INDUCTOR:    remark: siblings: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (s, c)
// POINTWISE:   remark: siblings: pointwise: 1 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (s, c)
// NONE:        remark: siblings: none: 2 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (s)
// NONE-NEXT:   remark: none: kernel pointwise (c)
func.func @siblings(%x: tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %s = mlc_tensor.sin %x : tensor<512x1024xf32>
  %c = mlc_tensor.cos %x : tensor<512x1024xf32>
  func.return %s, %c : tensor<512x1024xf32>, tensor<512x1024xf32>
}

// -----

// XLA joins siblings once one of them is a fusion.
// MLC:         remark: sibling_fusions: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (s, t, c)
// XLA:         remark: sibling_fusions: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel loop (s, t, c)
// TVM:         remark: sibling_fusions: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (s, t)
// TVM-NEXT:    remark: tvm: kernel elemwise (c)
// INDUCTOR:    remark: sibling_fusions: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (s, t, c)
// POINTWISE:   remark: sibling_fusions: pointwise: 1 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (s, t, c)
// NONE:        remark: sibling_fusions: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (s)
// NONE-NEXT:   remark: none: kernel pointwise (t)
// NONE-NEXT:   remark: none: kernel pointwise (c)
func.func @sibling_fusions(%x: tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %s = mlc_tensor.sin %x : tensor<512x1024xf32>
  %t = mlc_tensor.abs %s : tensor<512x1024xf32>
  %c = mlc_tensor.cos %x : tensor<512x1024xf32>
  func.return %t, %c : tensor<512x1024xf32>, tensor<512x1024xf32>
}

// -----

// A product with its bias and what follows: one kernel in TVM; XLA takes in the bias alone.
// MLC:         remark: product: mlc: 2 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel matmul (m)
// MLC-NEXT:    remark: mlc: kernel pointwise (h, e, g)
// XLA:         remark: product: xla: 2 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel matmul (m, h)
// XLA-NEXT:    remark: xla: kernel loop (e, g)
// TVM:         remark: product: tvm: 1 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel out_ewise_fusable (m, h, e, g)
// INDUCTOR:    remark: product: inductor: 2 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel matmul (m)
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (h, e, g)
// POINTWISE:   remark: product: pointwise: 2 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel matmul (m)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (h, e, g)
// NONE:        remark: product: none: 4 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel matmul (m)
// NONE-NEXT:   remark: none: kernel pointwise (h)
// NONE-NEXT:   remark: none: kernel pointwise (e)
// NONE-NEXT:   remark: none: kernel pointwise (g)
func.func @product(%x: tensor<512x1024xf32>, %w: tensor<1024x2048xf32>, %b: tensor<2048xf32>) -> tensor<512x2048xf32> {
  %m = mlc_tensor.matmul %x, %w : tensor<512x1024xf32>, tensor<1024x2048xf32> -> tensor<512x2048xf32>
  %bb = mlc_tensor.broadcast %b : tensor<2048xf32> -> tensor<512x2048xf32>
  %h = mlc_tensor.add %m, %bb : tensor<512x2048xf32>
  %e = mlc_tensor.erf %h : tensor<512x2048xf32>
  %g = mlc_tensor.mul %h, %e : tensor<512x2048xf32>
  func.return %g : tensor<512x2048xf32>
}

// -----

// A pointwise op before a product goes into XLA's kernel, which is split along the inner size.
// MLC:         remark: product_prologue: mlc: 3 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (a)
// MLC-NEXT:    remark: mlc: kernel matmul (m)
// MLC-NEXT:    remark: mlc: kernel pointwise (e)
// XLA:         remark: product_prologue: xla: 2 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel matmul (a, m)
// XLA-NEXT:    remark: xla: kernel loop (m, e)
// TVM:         remark: product_prologue: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a)
// TVM-NEXT:    remark: tvm: kernel out_ewise_fusable (m, e)
// INDUCTOR:    remark: product_prologue: inductor: 3 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (a)
// INDUCTOR-NEXT: remark: inductor: kernel matmul (m)
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (e)
// POINTWISE:   remark: product_prologue: pointwise: 3 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a)
// POINTWISE-NEXT: remark: pointwise: kernel matmul (m)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (e)
// NONE:        remark: product_prologue: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel matmul (m)
// NONE-NEXT:   remark: none: kernel pointwise (e)
func.func @product_prologue(%x: tensor<512x1024xf32>, %w: tensor<1024x256xf32>) -> tensor<512x256xf32> {
  %a = mlc_tensor.abs %x : tensor<512x1024xf32>
  %m = mlc_tensor.matmul %a, %w : tensor<512x1024xf32>, tensor<1024x256xf32> -> tensor<512x256xf32>
  %e = mlc_tensor.exp %m : tensor<512x256xf32>
  func.return %e : tensor<512x256xf32>
}

// -----

// A cheap value that two kernels need is computed by both, but for TVM.
// MLC:         remark: duplicated: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (a, r, c)
// XLA:         remark: duplicated: xla: 2 kernels, 1 ops computed again
// XLA-NEXT:    remark: xla: kernel input (a, r)
// XLA-NEXT:    remark: xla: kernel input (a, c)
// TVM:         remark: duplicated: tvm: 3 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a)
// TVM-NEXT:    remark: tvm: kernel comm_reduce (r)
// TVM-NEXT:    remark: tvm: kernel comm_reduce (c)
// INDUCTOR:    remark: duplicated: inductor: 3 kernels, 1 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (a, r)
// INDUCTOR-NEXT: remark: inductor: kernel reduction (a, c)
// INDUCTOR-NEXT: remark: inductor: kernel reduction (c)
// POINTWISE:   remark: duplicated: pointwise: 3 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (r)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (c)
// NONE:        remark: duplicated: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel reduction (r)
// NONE-NEXT:   remark: none: kernel reduction (c)
func.func @duplicated(%x: tensor<512x1024xf32>) -> (tensor<512x1xf32>, tensor<1x1024xf32>) {
  %a = mlc_tensor.abs %x : tensor<512x1024xf32>
  %r = mlc_tensor.reduce add %a dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %c = mlc_tensor.reduce max %a dims [0] : tensor<512x1024xf32> -> tensor<1x1024xf32>
  func.return %r, %c : tensor<512x1xf32>, tensor<1x1024xf32>
}

// -----

// A result of the function that others read: XLA writes it beside what follows.
// MLC:         remark: result_with_readers: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (a, b, c)
// XLA:         remark: result_with_readers: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel loop (a, b, c)
// TVM:         remark: result_with_readers: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a)
// TVM-NEXT:    remark: tvm: kernel elemwise (b, c)
// INDUCTOR:    remark: result_with_readers: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (a, b, c)
// POINTWISE:   remark: result_with_readers: pointwise: 1 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a, b, c)
// NONE:        remark: result_with_readers: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel pointwise (b)
// NONE-NEXT:   remark: none: kernel pointwise (c)
func.func @result_with_readers(%x: tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %a = mlc_tensor.sin %x : tensor<512x1024xf32>
  %b = mlc_tensor.exp %a : tensor<512x1024xf32>
  %c = mlc_tensor.abs %b : tensor<512x1024xf32>
  func.return %a, %c : tensor<512x1024xf32>, tensor<512x1024xf32>
}

// -----

// Two ways from one value to one op: TVM joins all at the post-dominator.
// MLC:         remark: diamond: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (a, b, c, d)
// XLA:         remark: diamond: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel loop (a, b, c, d)
// TVM:         remark: diamond: tvm: 1 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a, b, c, d)
// INDUCTOR:    remark: diamond: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (a, b, c, d)
// POINTWISE:   remark: diamond: pointwise: 1 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a, b, c, d)
// NONE:        remark: diamond: none: 4 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel pointwise (b)
// NONE-NEXT:   remark: none: kernel pointwise (c)
// NONE-NEXT:   remark: none: kernel pointwise (d)
func.func @diamond(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %a = mlc_tensor.sin %x : tensor<512x1024xf32>
  %b = mlc_tensor.exp %a : tensor<512x1024xf32>
  %c = mlc_tensor.cos %a : tensor<512x1024xf32>
  %d = mlc_tensor.add %b, %c : tensor<512x1024xf32>
  func.return %d : tensor<512x1024xf32>
}

// -----

// A unary op on a reduction's result: fused, but for TVM.
// MLC:         remark: reduction_epilogue: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (s, e)
// XLA:         remark: reduction_epilogue: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel input (s, e)
// TVM:         remark: reduction_epilogue: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel comm_reduce (s)
// TVM-NEXT:    remark: tvm: kernel elemwise (e)
// INDUCTOR:    remark: reduction_epilogue: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (s, e)
// POINTWISE:   remark: reduction_epilogue: pointwise: 2 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (e)
// NONE:        remark: reduction_epilogue: none: 2 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel pointwise (e)
func.func @reduction_epilogue(%x: tensor<512x1024xf32>) -> tensor<512x1xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %e = mlc_tensor.exp %s : tensor<512x1xf32>
  func.return %e : tensor<512x1xf32>
}

// -----

// A binary op would change the emitter of XLA's reduction.
// MLC:         remark: reduction_epilogue_binary: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (s, e)
// XLA:         remark: reduction_epilogue_binary: xla: 2 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel input (s)
// XLA-NEXT:    remark: xla: kernel loop (e)
// TVM:         remark: reduction_epilogue_binary: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel comm_reduce (s)
// TVM-NEXT:    remark: tvm: kernel elemwise (e)
// INDUCTOR:    remark: reduction_epilogue_binary: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (s, e)
// POINTWISE:   remark: reduction_epilogue_binary: pointwise: 2 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (e)
// NONE:        remark: reduction_epilogue_binary: none: 2 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel pointwise (e)
func.func @reduction_epilogue_binary(%x: tensor<512x1024xf32>, %y: tensor<512x1xf32>) -> tensor<512x1xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %e = mlc_tensor.add %s, %y : tensor<512x1xf32>
  func.return %e : tensor<512x1xf32>
}

// -----

// Reductions over the same rows of one value.
// MLC:         remark: two_reductions: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (a, s, m)
// XLA:         remark: two_reductions: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel input (a, s, m)
// TVM:         remark: two_reductions: tvm: 3 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a)
// TVM-NEXT:    remark: tvm: kernel comm_reduce (s)
// TVM-NEXT:    remark: tvm: kernel comm_reduce (m)
// INDUCTOR:    remark: two_reductions: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (a, s, m)
// POINTWISE:   remark: two_reductions: pointwise: 3 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (m)
// NONE:        remark: two_reductions: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel reduction (m)
func.func @two_reductions(%x: tensor<512x1024xf32>) -> (tensor<512x1xf32>, tensor<512x1xf32>) {
  %a = mlc_tensor.exp %x : tensor<512x1024xf32>
  %s = mlc_tensor.reduce add %a dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %m = mlc_tensor.reduce max %a dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  func.return %s, %m : tensor<512x1xf32>, tensor<512x1xf32>
}

// -----

// XLA keeps a reduction of reductions apart.
// MLC:         remark: reduce_into_reduce: mlc: 2 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel reduction (s, e)
// MLC-NEXT:    remark: mlc: kernel reduction (t)
// XLA:         remark: reduce_into_reduce: xla: 2 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel input (s, e)
// XLA-NEXT:    remark: xla: kernel input (t)
// TVM:         remark: reduce_into_reduce: tvm: 2 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel comm_reduce (s)
// TVM-NEXT:    remark: tvm: kernel comm_reduce (e, t)
// INDUCTOR:    remark: reduce_into_reduce: inductor: 2 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel reduction (s)
// INDUCTOR-NEXT: remark: inductor: kernel reduction (e, t)
// POINTWISE:   remark: reduce_into_reduce: pointwise: 3 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel reduction (s)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (e)
// POINTWISE-NEXT: remark: pointwise: kernel reduction (t)
// NONE:        remark: reduce_into_reduce: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel reduction (s)
// NONE-NEXT:   remark: none: kernel pointwise (e)
// NONE-NEXT:   remark: none: kernel reduction (t)
func.func @reduce_into_reduce(%x: tensor<512x1024xf32>) -> tensor<1x1xf32> {
  %s = mlc_tensor.reduce max %x dims [1] : tensor<512x1024xf32> -> tensor<512x1xf32>
  %e = mlc_tensor.exp %s : tensor<512x1xf32>
  %t = mlc_tensor.reduce add %e dims [0] : tensor<512x1xf32> -> tensor<1x1xf32>
  func.return %t : tensor<1x1xf32>
}

// -----

// A transpose between pointwise ops.
// MLC:         remark: transposed: mlc: 1 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (a, b)
// XLA:         remark: transposed: xla: 1 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel loop (a, b)
// TVM:         remark: transposed: tvm: 1 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a, p, b)
// INDUCTOR:    remark: transposed: inductor: 1 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (a, b)
// POINTWISE:   remark: transposed: pointwise: 1 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a, b)
// NONE:        remark: transposed: none: 2 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel pointwise (b)
func.func @transposed(%x: tensor<512x1024xf32>) -> tensor<1024x512xf32> {
  %a = mlc_tensor.sin %x : tensor<512x1024xf32>
  %p = mlc_tensor.permute %a [1, 0] : tensor<512x1024xf32> -> tensor<1024x512xf32>
  %b = mlc_tensor.exp %p : tensor<1024x512xf32>
  func.return %b : tensor<1024x512xf32>
}

// -----

// A call of PyTorch ends every kernel.
// MLC:         remark: opaque: mlc: 3 kernels, 0 ops computed again
// MLC-NEXT:    remark: mlc: kernel pointwise (a)
// MLC-NEXT:    remark: mlc: kernel extern (c)
// MLC-NEXT:    remark: mlc: kernel pointwise (b)
// XLA:         remark: opaque: xla: 3 kernels, 0 ops computed again
// XLA-NEXT:    remark: xla: kernel loop (a)
// XLA-NEXT:    remark: xla: kernel extern (c)
// XLA-NEXT:    remark: xla: kernel loop (b)
// TVM:         remark: opaque: tvm: 3 kernels, 0 ops computed again
// TVM-NEXT:    remark: tvm: kernel elemwise (a)
// TVM-NEXT:    remark: tvm: kernel extern (c)
// TVM-NEXT:    remark: tvm: kernel elemwise (b)
// INDUCTOR:    remark: opaque: inductor: 3 kernels, 0 ops computed again
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (a)
// INDUCTOR-NEXT: remark: inductor: kernel extern (c)
// INDUCTOR-NEXT: remark: inductor: kernel pointwise (b)
// POINTWISE:   remark: opaque: pointwise: 3 kernels, 0 ops computed again
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (a)
// POINTWISE-NEXT: remark: pointwise: kernel extern (c)
// POINTWISE-NEXT: remark: pointwise: kernel pointwise (b)
// NONE:        remark: opaque: none: 3 kernels, 0 ops computed again
// NONE-NEXT:   remark: none: kernel pointwise (a)
// NONE-NEXT:   remark: none: kernel extern (c)
// NONE-NEXT:   remark: none: kernel pointwise (b)
func.func @opaque(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %a = mlc_tensor.sin %x : tensor<512x1024xf32>
  %c = mlc_tensor.extern "aten.cumsum.default"(%a) args [#mlc_tensor.operand<"0">, 0 : i64] : (tensor<512x1024xf32>) -> (tensor<512x1024xf32>)
  %b = mlc_tensor.exp %c : tensor<512x1024xf32>
  func.return %b : tensor<512x1024xf32>
}
