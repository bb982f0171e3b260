// RUN: mlc-opt %s -p fuse-products --split-input-file | filecheck %s
// RUN: mlc-opt %s -p fuse-products,dce,tensor-to-loop,online-reduction,tile-products --split-input-file | filecheck %s --check-prefix=LOOP

// Gradients of attention without a softmax: each product sums the same scores, along their columns or their rows. Those
// along rows are one kernel; it computes the scores of its own, as the other does.
// CHECK-LABEL: func.func @gradients(
// CHECK:         %[[DQ:.*]] = mlc_tensor.fusion
// CHECK-SAME:      -> (tensor<2x64x32xbf16>) kind "online" why "scores of 32.8 kB stay in registers, {{.*}} us predicted for one of 2 kernels, {{.*}} us in parts"{{.*}} {
// CHECK-COUNT-3:   mlc_tensor.reduce add
// CHECK-NOT:       mlc_tensor.reduce
// CHECK:         %[[DV:.*]], %[[DK:.*]] = mlc_tensor.fusion
// CHECK-SAME:      -> (tensor<2x64x32xbf16>, tensor<2x64x32xbf16>) kind "online"
// CHECK:           mlc_tensor.yield
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         func.return

// LOOP-LABEL: mlc_loop.kernel @
// LOOP:               mlc_loop.reduce add dot %{{.*}} = 0 to 64 block {{.*}} -> f32 {
// LOOP-COUNT-2:         mlc_loop.reduce add dot
// LOOP-NOT:           mlc_loop.reduce
// LOOP-LABEL: mlc_loop.kernel @
// LOOP:               %{{.*}}, %{{.*}} = mlc_loop.reduce add, add dot %{{.*}} = 0 to 64 block {{.*}} -> f32, f32 {
// LOOP-COUNT-2:         mlc_loop.reduce add dot
// LOOP-NOT:           mlc_loop.reduce
// LOOP:               mlc_loop.store
// LOOP:               mlc_loop.store
func.func @gradients(%q: tensor<2x64x32xbf16>, %k: tensor<2x64x32xbf16>, %v: tensor<2x64x32xbf16>, %do: tensor<2x64x32xbf16>) -> (tensor<2x64x32xbf16>, tensor<2x64x32xbf16>, tensor<2x64x32xbf16>) {
  %kt = mlc_tensor.permute %k [0, 2, 1] : tensor<2x64x32xbf16> -> tensor<2x32x64xbf16>
  %vt = mlc_tensor.permute %v [0, 2, 1] : tensor<2x64x32xbf16> -> tensor<2x32x64xbf16>
  %s = mlc_tensor.matmul %q, %kt : tensor<2x64x32xbf16>, tensor<2x32x64xbf16> -> tensor<2x64x64xbf16>
  %p = mlc_tensor.tanh %s : tensor<2x64x64xbf16>
  %dp = mlc_tensor.matmul %do, %vt : tensor<2x64x32xbf16>, tensor<2x32x64xbf16> -> tensor<2x64x64xbf16>
  %ds = mlc_tensor.mul %dp, %p : tensor<2x64x64xbf16>
  %dq = mlc_tensor.matmul %ds, %k : tensor<2x64x64xbf16>, tensor<2x64x32xbf16> -> tensor<2x64x32xbf16>
  %dst = mlc_tensor.permute %ds [0, 2, 1] : tensor<2x64x64xbf16> -> tensor<2x64x64xbf16>
  %dk = mlc_tensor.matmul %dst, %q : tensor<2x64x64xbf16>, tensor<2x64x32xbf16> -> tensor<2x64x32xbf16>
  %pt = mlc_tensor.permute %p [0, 2, 1] : tensor<2x64x64xbf16> -> tensor<2x64x64xbf16>
  %dv = mlc_tensor.matmul %pt, %do : tensor<2x64x64xbf16>, tensor<2x64x32xbf16> -> tensor<2x64x32xbf16>
  func.return %dq, %dk, %dv : tensor<2x64x32xbf16>, tensor<2x64x32xbf16>, tensor<2x64x32xbf16>
}

// -----

// The maximum and the sum of each row are results too, whatever their shape: stored once for all columns.
// CHECK-LABEL: func.func @numbers_of_rows(
// CHECK:         mlc_tensor.fusion
// CHECK-SAME:      -> (tensor<64x1xf32>, tensor<64x32xbf16>, tensor<64x1xf32>) kind "online"
// CHECK-NOT:     mlc_tensor.matmul
// LOOP-LABEL: mlc_loop.kernel @
// LOOP:               %[[M:.*]], %[[L:.*]], %[[O:.*]] = mlc_loop.reduce softmax, weighted dot
// LOOP:               mlc_loop.store %[[L]], %{{.*}}[%[[P:.*]], 0] : memref<64x1xf32>
// LOOP:               mlc_loop.store %{{.*}}, %{{.*}}[%[[P]], %{{.*}}] : memref<64x32xbf16>
// LOOP:               mlc_loop.store %[[M]], %{{.*}}[%[[P]], 0] : memref<64x1xf32>
func.func @numbers_of_rows(%q: tensor<64x32xbf16>, %k: tensor<32x48xbf16>, %v: tensor<48x32xbf16>) -> (tensor<64xf32>, tensor<64x1xf32>, tensor<64x32xbf16>) {
  %s = mlc_tensor.matmul %q, %k : tensor<64x32xbf16>, tensor<32x48xbf16> -> tensor<64x48xbf16>
  %x = mlc_tensor.cast %s : tensor<64x48xbf16> -> tensor<64x48xf32>
  %m = mlc_tensor.reduce max %x dims [1] : tensor<64x48xf32> -> tensor<64x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<64x1xf32> -> tensor<64x48xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<64x48xf32>
  %e = mlc_tensor.exp %d : tensor<64x48xf32>
  %l = mlc_tensor.reduce add %e dims [1] : tensor<64x48xf32> -> tensor<64x1xf32>
  %lb = mlc_tensor.broadcast %l : tensor<64x1xf32> -> tensor<64x48xf32>
  %p = mlc_tensor.div %e, %lb : tensor<64x48xf32>
  %w = mlc_tensor.cast %p : tensor<64x48xf32> -> tensor<64x48xbf16>
  %o = mlc_tensor.matmul %w, %v : tensor<64x48xbf16>, tensor<48x32xbf16> -> tensor<64x32xbf16>
  %flat = mlc_tensor.reshape %m : tensor<64x1xf32> -> tensor<64xf32>
  func.return %flat, %l, %o : tensor<64xf32>, tensor<64x1xf32>, tensor<64x32xbf16>
}

// -----

// Weights on the right, and on the left, of products that are one kernel: the first result is turned back outside.
// CHECK-LABEL: func.func @turned(
// CHECK:         %[[A:.*]], %[[B:.*]] = mlc_tensor.fusion
// CHECK-SAME:      -> (tensor<64x32xf16>, tensor<64x32xf16>) kind "online"
// CHECK:         %[[T:.*]] = mlc_tensor.permute %[[A]] [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
// CHECK-NEXT:    func.return %[[T]], %[[B]]
func.func @turned(%q: tensor<64x32xf16>, %k: tensor<32x48xf16>, %v: tensor<32x48xf16>, %w: tensor<48x32xf16>) -> (tensor<32x64xf16>, tensor<64x32xf16>) {
  %s = mlc_tensor.matmul %q, %k : tensor<64x32xf16>, tensor<32x48xf16> -> tensor<64x48xf16>
  %x = mlc_tensor.sin %s : tensor<64x48xf16>
  %t = mlc_tensor.permute %x [1, 0] : tensor<64x48xf16> -> tensor<48x64xf16>
  %a = mlc_tensor.matmul %v, %t : tensor<32x48xf16>, tensor<48x64xf16> -> tensor<32x64xf16>
  %b = mlc_tensor.matmul %x, %w : tensor<64x48xf16>, tensor<48x32xf16> -> tensor<64x32xf16>
  func.return %a, %b : tensor<32x64xf16>, tensor<64x32xf16>
}

// -----

// One of the products that read the scores has no online form: none is fused, for the scores are in memory anyway.
// CHECK-LABEL: func.func @one_without_a_form(
// CHECK-NOT:     mlc_tensor.fusion
// CHECK-COUNT-3: mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.fusion
func.func @one_without_a_form(%q: tensor<64x32xf16>, %k: tensor<32x48xf16>, %v: tensor<48x32xf16>, %w: tensor<48x32xf16>) -> (tensor<64x32xf16>, tensor<64x32xf16>) {
  %s = mlc_tensor.matmul %q, %k : tensor<64x32xf16>, tensor<32x48xf16> -> tensor<64x48xf16>
  %x = mlc_tensor.sin %s : tensor<64x48xf16>
  %a = mlc_tensor.matmul %x, %v : tensor<64x48xf16>, tensor<48x32xf16> -> tensor<64x32xf16>
  %m = mlc_tensor.reduce max %x dims [1] : tensor<64x48xf16> -> tensor<64x1xf16>
  %mb = mlc_tensor.broadcast %m : tensor<64x1xf16> -> tensor<64x48xf16>
  %y = mlc_tensor.sub %x, %mb : tensor<64x48xf16>
  %z = mlc_tensor.sin %y : tensor<64x48xf16>
  %b = mlc_tensor.matmul %z, %w : tensor<64x48xf16>, tensor<48x32xf16> -> tensor<64x32xf16>
  func.return %a, %b : tensor<64x32xf16>, tensor<64x32xf16>
}

// -----

// A call that changes the values between the two products: what is summed behind it would be another.
// CHECK-LABEL: func.func @changed_in_between(
// CHECK-NOT:     mlc_tensor.fusion
// CHECK:         return
func.func @changed_in_between(%q: tensor<64x32xf16>, %k: tensor<32x48xf16>, %v: tensor<48x32xf16>) -> tensor<64x32xf16> {
  %s = mlc_tensor.matmul %q, %k : tensor<64x32xf16>, tensor<32x48xf16> -> tensor<64x48xf16>
  %x = mlc_tensor.sin %s : tensor<64x48xf16>
  mlc_tensor.extern "aten.zero_.default"(%k) impure : (tensor<32x48xf16>) -> ()
  %o = mlc_tensor.matmul %x, %v : tensor<64x48xf16>, tensor<48x32xf16> -> tensor<64x32xf16>
  func.return %o : tensor<64x32xf16>
}

// -----

// What scores need of the maximum and the sum of a row is computed before the kernel, where the program rounds scores.
// CHECK-LABEL: func.func @numbers_of_rows(
// CHECK:         %[[C:.*]] = mlc_tensor.constant 1.442695
// CHECK-NEXT:    %[[M:.*]] = mlc_tensor.mul %m, %[[C]] : tensor<2x64x1xf32>
// CHECK-NEXT:    %[[ONE:.*]] = mlc_tensor.constant 1.000000e+00
// CHECK-NEXT:    %[[L:.*]] = mlc_tensor.div %[[ONE]], %l : tensor<2x64x1xf32>
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:       mlc_tensor.div
// CHECK:           mlc_tensor.exp2
// CHECK-NOT:       mlc_tensor.div

// The same for products of float32, which are exact: as the program has it.
// CHECK-LABEL: func.func @exact(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.exp %
// CHECK:           mlc_tensor.div
func.func @numbers_of_rows(%q: tensor<2x64x32xbf16>, %k: tensor<2x32x64xbf16>, %m: tensor<2x64x1xf32>, %l: tensor<2x64x1xf32>, %v: tensor<2x64x32xbf16>) -> tensor<2x64x32xbf16> {
  %s = mlc_tensor.matmul %q, %k : tensor<2x64x32xbf16>, tensor<2x32x64xbf16> -> tensor<2x64x64xbf16>
  %x = mlc_tensor.cast %s : tensor<2x64x64xbf16> -> tensor<2x64x64xf32>
  %mb = mlc_tensor.broadcast %m : tensor<2x64x1xf32> -> tensor<2x64x64xf32>
  %lb = mlc_tensor.broadcast %l : tensor<2x64x1xf32> -> tensor<2x64x64xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<2x64x64xf32>
  %e = mlc_tensor.exp %d : tensor<2x64x64xf32>
  %p = mlc_tensor.div %e, %lb : tensor<2x64x64xf32>
  %t = mlc_tensor.tanh %p : tensor<2x64x64xf32>
  %w = mlc_tensor.cast %t : tensor<2x64x64xf32> -> tensor<2x64x64xbf16>
  %o = mlc_tensor.matmul %w, %v : tensor<2x64x64xbf16>, tensor<2x64x32xbf16> -> tensor<2x64x32xbf16>
  func.return %o : tensor<2x64x32xbf16>
}

func.func @exact(%q: tensor<2x64x32xf32>, %k: tensor<2x32x64xf32>, %m: tensor<2x64x1xf32>, %l: tensor<2x64x1xf32>, %v: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %s = mlc_tensor.matmul %q, %k : tensor<2x64x32xf32>, tensor<2x32x64xf32> -> tensor<2x64x64xf32>
  %mb = mlc_tensor.broadcast %m : tensor<2x64x1xf32> -> tensor<2x64x64xf32>
  %lb = mlc_tensor.broadcast %l : tensor<2x64x1xf32> -> tensor<2x64x64xf32>
  %d = mlc_tensor.sub %s, %mb : tensor<2x64x64xf32>
  %e = mlc_tensor.exp %d : tensor<2x64x64xf32>
  %p = mlc_tensor.div %e, %lb : tensor<2x64x64xf32>
  %t = mlc_tensor.tanh %p : tensor<2x64x64xf32>
  %o = mlc_tensor.matmul %t, %v : tensor<2x64x64xf32>, tensor<2x64x32xf32> -> tensor<2x64x32xf32>
  func.return %o : tensor<2x64x32xf32>
}

// -----

// The gradient of what a batch has in common adds up scores of all of it: it is a kernel of its own, which computes them
// as the others do.
// CHECK-LABEL: func.func @shared_by_a_batch(
// CHECK:         %[[DB:.*]] = mlc_tensor.fusion
// CHECK-SAME:      -> (tensor<1x2x64x64xbf16>) kind "online" why "scores of {{.*}} us predicted for one of 2 kernels, {{.*}} us in parts"{{.*}} {
// CHECK-COUNT-2:   mlc_tensor.reduce add %{{.*}} dims [2]
// CHECK:           mlc_tensor.reduce add %{{.*}} dims [0] : tensor<4x2x64x64xf32> -> tensor<1x2x64x64xf32>
// CHECK:         mlc_tensor.fusion
// CHECK-SAME:      -> (tensor<8x64x32xbf16>) kind "online"
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         func.return

// LOOP-LABEL: mlc_loop.kernel @
// LOOP:         mlc_loop.parallel %b = 0 to 2 program 2 {
// LOOP:               mlc_loop.reduce add %{{[a-z]+}} = 0 to 4 stages {{.*}} -> f32 {
// LOOP-COUNT-2:         mlc_loop.reduce add dot
func.func @shared_by_a_batch(%q: tensor<8x64x32xbf16>, %k: tensor<8x32x64xbf16>, %v: tensor<8x32x64xbf16>, %do: tensor<8x64x32xbf16>, %w: tensor<8x64x32xbf16>) -> (tensor<1x2x64x64xbf16>, tensor<8x64x32xbf16>) {
  %s = mlc_tensor.matmul %q, %k : tensor<8x64x32xbf16>, tensor<8x32x64xbf16> -> tensor<8x64x64xbf16>
  %p = mlc_tensor.tanh %s : tensor<8x64x64xbf16>
  %dp = mlc_tensor.matmul %do, %v : tensor<8x64x32xbf16>, tensor<8x32x64xbf16> -> tensor<8x64x64xbf16>
  %ds = mlc_tensor.mul %dp, %p : tensor<8x64x64xbf16>
  %each = mlc_tensor.reshape %ds : tensor<8x64x64xbf16> -> tensor<4x2x64x64xbf16>
  %wide = mlc_tensor.cast %each : tensor<4x2x64x64xbf16> -> tensor<4x2x64x64xf32>
  %sum = mlc_tensor.reduce add %wide dims [0] : tensor<4x2x64x64xf32> -> tensor<1x2x64x64xf32>
  %db = mlc_tensor.cast %sum : tensor<1x2x64x64xf32> -> tensor<1x2x64x64xbf16>
  %dq = mlc_tensor.matmul %ds, %w : tensor<8x64x64xbf16>, tensor<8x64x32xbf16> -> tensor<8x64x32xbf16>
  func.return %db, %dq : tensor<1x2x64x64xbf16>, tensor<8x64x32xbf16>
}

// -----

// A sum over heads as well is one over two axes, which no loop adds up: the scores stay in memory.
// CHECK-LABEL: func.func @shared_by_all(
// CHECK-NOT:     kind "online"
// CHECK:         func.return
func.func @shared_by_all(%q: tensor<8x64x32xbf16>, %k: tensor<8x32x64xbf16>, %w: tensor<8x64x32xbf16>) -> (tensor<1x1x64x64xf32>, tensor<8x64x32xbf16>) {
  %s = mlc_tensor.matmul %q, %k : tensor<8x64x32xbf16>, tensor<8x32x64xbf16> -> tensor<8x64x64xbf16>
  %p = mlc_tensor.tanh %s : tensor<8x64x64xbf16>
  %each = mlc_tensor.reshape %p : tensor<8x64x64xbf16> -> tensor<4x2x64x64xbf16>
  %wide = mlc_tensor.cast %each : tensor<4x2x64x64xbf16> -> tensor<4x2x64x64xf32>
  %sum = mlc_tensor.reduce add %wide dims [0, 1] : tensor<4x2x64x64xf32> -> tensor<1x1x64x64xf32>
  %dq = mlc_tensor.matmul %p, %w : tensor<8x64x64xbf16>, tensor<8x64x32xbf16> -> tensor<8x64x32xbf16>
  func.return %sum, %dq : tensor<1x1x64x64xf32>, tensor<8x64x32xbf16>
}
