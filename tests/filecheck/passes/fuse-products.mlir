// RUN: mlc-opt %s -p fuse-products --split-input-file | filecheck %s
// RUN: mlc-opt %s -p fuse-products,dce,tensor-to-loop,online-reduction --split-input-file | filecheck %s --check-prefix=LOOP

// Attention: one kernel, in float32 between the products. The weights are divided by their sum behind the product.
// CHECK-LABEL: func.func @attention(
// CHECK-NEXT:    mlc_tensor.fusion (%q_1 = %q : tensor<2x64x32xbf16>, %k_1 = %k : tensor<2x32x48xbf16>, %v_1 = %v : tensor<2x48x32xbf16>)
// CHECK-SAME:      -> (tensor<2x64x32xbf16>) kind "online" why "scores of 12.3 kB stay in registers, as 10 intermediates do: {{.*}} us predicted, {{.*}} us in parts"{{.*}} {
// CHECK:           %[[S:.*]] = mlc_tensor.reduce add %{{.*}} dims [2] : tensor<2x64x32x48xf32> -> tensor<2x64x1x48xf32>
// CHECK:           %[[M:.*]] = mlc_tensor.reduce max %{{.*}} dims [2] : tensor<2x64x48xf32> -> tensor<2x64x1xf32>
// CHECK:           %[[O:.*]] = mlc_tensor.reduce add %{{.*}} dims [2] : tensor<2x64x48x32xf32> -> tensor<2x64x1x32xf32>
// CHECK:           mlc_tensor.div %{{.*}} : tensor<2x64x32xf32>
// CHECK-NEXT:      mlc_tensor.cast %{{.*}} : tensor<2x64x32xf32> -> tensor<2x64x32xbf16>
// CHECK-NEXT:      mlc_tensor.yield
// CHECK-NOT:     mlc_tensor.matmul

// Loops inside loops, and one loop over the keys.
// LOOP-LABEL: mlc_loop.kernel @
// LOOP:         mlc_loop.parallel (%i, %j, %k_1) = 0 to (2, 64, 32) {
// LOOP-NEXT:      %{{.*}}, %{{.*}}, %{{.*}} = mlc_loop.reduce softmax, weighted %m = 0 to 48 -> f32, f32, f32 {
// LOOP-NEXT:        %{{.*}} = mlc_loop.reduce add %n = 0 to 32 -> f32 {
// LOOP-NOT:         mlc_loop.reduce
// LOOP:           arith.divf
// LOOP-NEXT:      arith.truncf
// LOOP-NEXT:      mlc_loop.store
func.func @attention(%q: tensor<2x64x32xbf16>, %k: tensor<2x32x48xbf16>, %v: tensor<2x48x32xbf16>) -> tensor<2x64x32xbf16> {
  %s = mlc_tensor.matmul %q, %k : tensor<2x64x32xbf16>, tensor<2x32x48xbf16> -> tensor<2x64x48xbf16>
  %x = mlc_tensor.cast %s : tensor<2x64x48xbf16> -> tensor<2x64x48xf32>
  %m = mlc_tensor.reduce max %x dims [2] : tensor<2x64x48xf32> -> tensor<2x64x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<2x64x1xf32> -> tensor<2x64x48xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<2x64x48xf32>
  %e = mlc_tensor.exp %d : tensor<2x64x48xf32>
  %l = mlc_tensor.reduce add %e dims [2] : tensor<2x64x48xf32> -> tensor<2x64x1xf32>
  %lb = mlc_tensor.broadcast %l : tensor<2x64x1xf32> -> tensor<2x64x48xf32>
  %p = mlc_tensor.div %e, %lb : tensor<2x64x48xf32>
  %w = mlc_tensor.cast %p : tensor<2x64x48xf32> -> tensor<2x64x48xbf16>
  %o = mlc_tensor.matmul %w, %v : tensor<2x64x48xbf16>, tensor<2x48x32xbf16> -> tensor<2x64x32xbf16>
  func.return %o : tensor<2x64x32xbf16>
}

// -----

// No softmax: nothing has to be rescaled, and what is between the products is pointwise.
// CHECK-LABEL: func.func @without_softmax(
// CHECK:         kind "online"
// CHECK-NOT:     mlc_tensor.matmul
// LOOP-LABEL: mlc_loop.kernel @
// LOOP:           mlc_loop.reduce add %k_1 = 0 to 48 -> f32 {
// LOOP-NEXT:        mlc_loop.reduce add %l = 0 to 32 -> f32 {
// LOOP:             arith.maximumf
func.func @without_softmax(%q: tensor<64x32xf16>, %k: tensor<32x48xf16>, %v: tensor<48x32xf16>) -> tensor<64x32xf16> {
  %s = mlc_tensor.matmul %q, %k : tensor<64x32xf16>, tensor<32x48xf16> -> tensor<64x48xf16>
  %zero = mlc_tensor.constant 0.0 : tensor<64x48xf16>
  %x = mlc_tensor.maximum %s, %zero : tensor<64x48xf16>
  %o = mlc_tensor.matmul %x, %v : tensor<64x48xf16>, tensor<48x32xf16> -> tensor<64x32xf16>
  func.return %o : tensor<64x32xf16>
}

// -----

// The number that is subtracted may be another than the maximum: exp(x - c) is exp(x - m) * exp(m - c). Sums of the
// exponentials are read by others beside the product. Where m is -inf they are 0, as each exp(x - c) is.
// CHECK-LABEL: func.func @sinks(
// CHECK:         kind "online"
// CHECK-NOT:     mlc_tensor.matmul
// LOOP-LABEL: mlc_loop.kernel @
// LOOP:           %[[M:.*]], %{{.*}}, %[[O:.*]] = mlc_loop.reduce softmax, weighted %{{.*}} = 0 to 48 -> f32, f32, f32 {
// LOOP-NEXT:        mlc_loop.reduce add
// LOOP-NOT:         mlc_loop.reduce
// LOOP:           %[[HIDDEN:.*]] = arith.cmpf oeq, %[[M]]
// LOOP:           arith.select %[[HIDDEN]], %{{.*}}, %[[O]] : f32
// LOOP:           math.exp
func.func @sinks(%q: tensor<64x32xf32>, %k: tensor<32x48xf32>, %v: tensor<48x32xf32>, %sink: tensor<64x1xf32>) -> tensor<64x32xf32> {
  %x = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  %m = mlc_tensor.reduce max %x dims [1] : tensor<64x48xf32> -> tensor<64x1xf32>
  %c = mlc_tensor.maximum %m, %sink : tensor<64x1xf32>
  %cb = mlc_tensor.broadcast %c : tensor<64x1xf32> -> tensor<64x48xf32>
  %d = mlc_tensor.sub %x, %cb : tensor<64x48xf32>
  %e = mlc_tensor.exp %d : tensor<64x48xf32>
  %l = mlc_tensor.reduce add %e dims [1] : tensor<64x48xf32> -> tensor<64x1xf32>
  %sd = mlc_tensor.sub %sink, %c : tensor<64x1xf32>
  %se = mlc_tensor.exp %sd : tensor<64x1xf32>
  %t = mlc_tensor.add %l, %se : tensor<64x1xf32>
  %tb = mlc_tensor.broadcast %t : tensor<64x1xf32> -> tensor<64x32xf32>
  %o = mlc_tensor.matmul %e, %v : tensor<64x48xf32>, tensor<48x32xf32> -> tensor<64x32xf32>
  %y = mlc_tensor.div %o, %tb : tensor<64x32xf32>
  func.return %y : tensor<64x32xf32>
}

// -----

// Weights that are returned are in memory anyway.
// CHECK-LABEL: func.func @read_elsewhere(
// CHECK-COUNT-2: mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.fusion
func.func @read_elsewhere(%q: tensor<64x32xf32>, %k: tensor<32x48xf32>, %v: tensor<48x32xf32>) -> (tensor<64x32xf32>, tensor<64x48xf32>) {
  %x = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  %e = mlc_tensor.exp %x : tensor<64x48xf32>
  %o = mlc_tensor.matmul %e, %v : tensor<64x48xf32>, tensor<48x32xf32> -> tensor<64x32xf32>
  func.return %o, %e : tensor<64x32xf32>, tensor<64x48xf32>
}

// -----

// A softmax over the rows: its sums are not known while one goes along the keys.
// CHECK-LABEL: func.func @other_axis(
// CHECK-COUNT-2: mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.fusion
func.func @other_axis(%q: tensor<64x32xf32>, %k: tensor<32x48xf32>, %v: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %x = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  %m = mlc_tensor.reduce max %x dims [0] : tensor<64x48xf32> -> tensor<1x48xf32>
  %mb = mlc_tensor.broadcast %m : tensor<1x48xf32> -> tensor<64x48xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<64x48xf32>
  %e = mlc_tensor.exp %d : tensor<64x48xf32>
  %o = mlc_tensor.matmul %e, %v : tensor<64x48xf32>, tensor<48x32xf32> -> tensor<64x32xf32>
  func.return %o : tensor<64x32xf32>
}

// -----

// A square of what is relative to the maximum is not rescaled by the same factor.
// CHECK-LABEL: func.func @not_linear(
// CHECK-COUNT-2: mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.fusion
func.func @not_linear(%q: tensor<64x32xf32>, %k: tensor<32x48xf32>, %v: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %x = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  %m = mlc_tensor.reduce max %x dims [1] : tensor<64x48xf32> -> tensor<64x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<64x1xf32> -> tensor<64x48xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<64x48xf32>
  %s = mlc_tensor.mul %d, %d : tensor<64x48xf32>
  %o = mlc_tensor.matmul %s, %v : tensor<64x48xf32>, tensor<48x32xf32> -> tensor<64x32xf32>
  func.return %o : tensor<64x32xf32>
}

// -----

// Both factors of the last product need the first one; fewer keys than a block has; more columns than a block holds, so
// that each block of them would compute the scores again.
// CHECK-LABEL: func.func @both_factors(
// CHECK-COUNT-2: mlc_tensor.matmul
// CHECK-LABEL: func.func @few_keys(
// CHECK-COUNT-2: mlc_tensor.matmul
// CHECK-LABEL: func.func @many_columns(
// CHECK-COUNT-2: mlc_tensor.matmul
// CHECK-NOT:     mlc_tensor.fusion
func.func @both_factors(%q: tensor<48x32xf32>, %k: tensor<32x48xf32>) -> tensor<48x48xf32> {
  %x = mlc_tensor.matmul %q, %k : tensor<48x32xf32>, tensor<32x48xf32> -> tensor<48x48xf32>
  %o = mlc_tensor.matmul %x, %x : tensor<48x48xf32>, tensor<48x48xf32> -> tensor<48x48xf32>
  func.return %o : tensor<48x48xf32>
}
func.func @few_keys(%q: tensor<64x32xf32>, %k: tensor<32x8xf32>, %v: tensor<8x32xf32>) -> tensor<64x32xf32> {
  %x = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x8xf32> -> tensor<64x8xf32>
  %o = mlc_tensor.matmul %x, %v : tensor<64x8xf32>, tensor<8x32xf32> -> tensor<64x32xf32>
  func.return %o : tensor<64x32xf32>
}
func.func @many_columns(%q: tensor<64x32xf32>, %k: tensor<32x64xf32>, %v: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %x = mlc_tensor.matmul %q, %k : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  %o = mlc_tensor.matmul %x, %v : tensor<64x64xf32>, tensor<64x512xf32> -> tensor<64x512xf32>
  func.return %o : tensor<64x512xf32>
}

// -----

// Cross entropy behind a product: logits are reduced where they are computed, and one of each row is picked by a sum.
// CHECK-LABEL: func.func @cross_entropy(
// CHECK:         %loss = mlc_tensor.fusion
// CHECK-SAME:      -> (tensor<128x1xf32>) kind "online"
// CHECK-NOT:     mlc_tensor.matmul
// CHECK:         func.return
// LOOP-LABEL: mlc_loop.kernel @
// LOOP:         mlc_loop.parallel %i = 0 to 128 {
// LOOP:           %{{.*}}, %{{.*}}, %{{.*}} = mlc_loop.reduce add, softmax %{{.*}} = 0 to 512 -> f32, f32, f32 {
// LOOP:             arith.cmpi eq
// LOOP-NEXT:        %[[X:.*]] = mlc_loop.reduce add %{{.*}} = 0 to 64 -> f32 {
// LOOP:             %[[P:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : f32
// LOOP-NEXT:        mlc_loop.yield %[[P]], %[[X]] : f32, f32
// LOOP-NOT:       mlc_loop.reduce
// LOOP:           math.log
// LOOP:           mlc_loop.store
func.func @cross_entropy(%h: tensor<128x64xbf16>, %w: tensor<64x512xbf16>, %t: tensor<128x1xi64>) -> tensor<128x1xf32> {
  %b = mlc_tensor.matmul %h, %w : tensor<128x64xbf16>, tensor<64x512xbf16> -> tensor<128x512xbf16>
  %x = mlc_tensor.cast %b : tensor<128x512xbf16> -> tensor<128x512xf32>
  %m = mlc_tensor.reduce max %x dims [1] : tensor<128x512xf32> -> tensor<128x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<128x1xf32> -> tensor<128x512xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<128x512xf32>
  %e = mlc_tensor.exp %d : tensor<128x512xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<128x512xf32> -> tensor<128x1xf32>
  %l = mlc_tensor.log %s : tensor<128x1xf32>
  %lb = mlc_tensor.broadcast %l : tensor<128x1xf32> -> tensor<128x512xf32>
  %p = mlc_tensor.sub %d, %lb : tensor<128x512xf32>
  %i = mlc_tensor.iota dim 0 : tensor<128x1xi64>
  %g = mlc_tensor.gather %p[%i, %t] : tensor<128x512xf32>, (tensor<128x1xi64>, tensor<128x1xi64>) -> tensor<128x1xf32>
  %loss = mlc_tensor.neg %g : tensor<128x1xf32>
  func.return %loss : tensor<128x1xf32>
}

// -----

// Sums over rows and over columns: no order of going along the scores serves both. A position is not computed either.
// CHECK-LABEL: func.func @both_ways(
// CHECK-NOT:     kind "online"
// CHECK-LABEL: func.func @position(
// CHECK-NOT:     kind "online"
func.func @both_ways(%h: tensor<128x64xf32>, %w: tensor<64x128xf32>) -> tensor<128x1xf32> {
  %x = mlc_tensor.matmul %h, %w : tensor<128x64xf32>, tensor<64x128xf32> -> tensor<128x128xf32>
  %r = mlc_tensor.reduce add %x dims [1] : tensor<128x128xf32> -> tensor<128x1xf32>
  %c = mlc_tensor.reduce add %x dims [0] : tensor<128x128xf32> -> tensor<1x128xf32>
  %cr = mlc_tensor.reshape %c : tensor<1x128xf32> -> tensor<128x1xf32>
  %s = mlc_tensor.add %r, %cr : tensor<128x1xf32>
  func.return %s : tensor<128x1xf32>
}
func.func @position(%h: tensor<128x64xf32>, %w: tensor<64x512xf32>) -> tensor<128x1xi64> {
  %x = mlc_tensor.matmul %h, %w : tensor<128x64xf32>, tensor<64x512xf32> -> tensor<128x512xf32>
  %m = mlc_tensor.reduce argmax %x dims [1] : tensor<128x512xf32> -> tensor<128x1xi64>
  func.return %m : tensor<128x1xi64>
}

// -----

// A slope for each head times the distance is computed for each score: memory never has that bias. The bias of `near`
// is as large as the scores, and is read.
// CHECK-LABEL: func.func @slopes(
// CHECK:         mlc_tensor.fusion (%q_1 = %q : tensor<16x64x32xbf16>, %k_1 = %k : tensor<16x32x64xbf16>, %slopes_1 = %slopes : tensor<16x1x1xf32>, %near_1 = %near : tensor<16x64x64xf32>, %v_1 = %v : tensor<16x64x32xbf16>)
func.func @slopes(%q: tensor<16x64x32xbf16>, %k: tensor<16x32x64xbf16>, %v: tensor<16x64x32xbf16>, %slopes: tensor<16x1x1xf32>, %near: tensor<16x64x64xf32>) -> tensor<16x64x32xbf16> {
  %i = mlc_tensor.iota dim 1 : tensor<16x64x64xi64>
  %j = mlc_tensor.iota dim 2 : tensor<16x64x64xi64>
  %behind = mlc_tensor.sub %i, %j : tensor<16x64x64xi64>
  %distance = mlc_tensor.cast %behind : tensor<16x64x64xi64> -> tensor<16x64x64xf32>
  %slope = mlc_tensor.broadcast %slopes : tensor<16x1x1xf32> -> tensor<16x64x64xf32>
  %bias = mlc_tensor.mul %slope, %distance : tensor<16x64x64xf32>
  %s = mlc_tensor.matmul %q, %k : tensor<16x64x32xbf16>, tensor<16x32x64xbf16> -> tensor<16x64x64xbf16>
  %x = mlc_tensor.cast %s : tensor<16x64x64xbf16> -> tensor<16x64x64xf32>
  %a = mlc_tensor.sub %x, %bias : tensor<16x64x64xf32>
  %b = mlc_tensor.add %a, %near : tensor<16x64x64xf32>
  %t = mlc_tensor.tanh %b : tensor<16x64x64xf32>
  %w = mlc_tensor.cast %t : tensor<16x64x64xf32> -> tensor<16x64x64xbf16>
  %o = mlc_tensor.matmul %w, %v : tensor<16x64x64xbf16>, tensor<16x64x32xbf16> -> tensor<16x64x32xbf16>
  func.return %o : tensor<16x64x32xbf16>
}

// -----

// Sizes that a call tells: the number of heads, of queries and of keys. Heads are one axis for the products, and two
// for what is between them. How deep the first product is decides what a block holds, and has to be known.
// CHECK-LABEL: func.func @named(
// CHECK:         kind "online"
// CHECK-NOT:     mlc_tensor.matmul
// CHECK-LABEL: func.func @depth(
// CHECK-NOT:     kind "online"
// A sum is divided by another one behind the product; where there are no keys it is 0, and not 0 / 0.
// CHECK-LABEL: func.func @divided(
// CHECK:         kind "online"
// CHECK:           mlc_tensor.div
// CHECK:           %[[SIZE:.*]] = mlc_tensor.size [M] : tensor<i64>
// CHECK:           mlc_tensor.eq %[[SIZE]], %{{.*}}
// CHECK:           mlc_tensor.select
func.func @named(%q: tensor<?x?x32xbf16, ["B * 4", "N", "32"]>, %k: tensor<?x32x?xbf16, ["B * 4", "32", "M"]>, %v: tensor<?x?x32xbf16, ["B * 4", "M", "32"]>) -> tensor<?x?x32xbf16, ["B * 4", "N", "32"]> {
  %s = mlc_tensor.matmul %q, %k : tensor<?x?x32xbf16, ["B * 4", "N", "32"]>, tensor<?x32x?xbf16, ["B * 4", "32", "M"]> -> tensor<?x?x?xbf16, ["B * 4", "N", "M"]>
  %a = mlc_tensor.reshape %s : tensor<?x?x?xbf16, ["B * 4", "N", "M"]> -> tensor<?x4x?x?xbf16, ["B", "4", "N", "M"]>
  %t = mlc_tensor.tanh %a : tensor<?x4x?x?xbf16, ["B", "4", "N", "M"]>
  %w = mlc_tensor.reshape %t : tensor<?x4x?x?xbf16, ["B", "4", "N", "M"]> -> tensor<?x?x?xbf16, ["B * 4", "N", "M"]>
  %o = mlc_tensor.matmul %w, %v : tensor<?x?x?xbf16, ["B * 4", "N", "M"]>, tensor<?x?x32xbf16, ["B * 4", "M", "32"]> -> tensor<?x?x32xbf16, ["B * 4", "N", "32"]>
  func.return %o : tensor<?x?x32xbf16, ["B * 4", "N", "32"]>
}
func.func @depth(%q: tensor<64x?xbf16, ["64", "D"]>, %k: tensor<?x64xbf16, ["D", "64"]>, %v: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  %s = mlc_tensor.matmul %q, %k : tensor<64x?xbf16, ["64", "D"]>, tensor<?x64xbf16, ["D", "64"]> -> tensor<64x64xbf16>
  %t = mlc_tensor.tanh %s : tensor<64x64xbf16>
  %o = mlc_tensor.matmul %t, %v : tensor<64x64xbf16>, tensor<64x32xbf16> -> tensor<64x32xbf16>
  func.return %o : tensor<64x32xbf16>
}
func.func @divided(%q: tensor<16x256x32xbf16>, %k: tensor<16x32x?xbf16, ["16", "32", "M"]>, %v: tensor<16x?x32xbf16, ["16", "M", "32"]>) -> tensor<16x256x32xbf16> {
  %s = mlc_tensor.matmul %q, %k : tensor<16x256x32xbf16>, tensor<16x32x?xbf16, ["16", "32", "M"]> -> tensor<16x256x?xbf16, ["16", "256", "M"]>
  %x = mlc_tensor.cast %s : tensor<16x256x?xbf16, ["16", "256", "M"]> -> tensor<16x256x?xf32, ["16", "256", "M"]>
  %e = mlc_tensor.exp %x : tensor<16x256x?xf32, ["16", "256", "M"]>
  %l = mlc_tensor.reduce add %e dims [2] : tensor<16x256x?xf32, ["16", "256", "M"]> -> tensor<16x256x1xf32>
  %lb = mlc_tensor.broadcast %l : tensor<16x256x1xf32> -> tensor<16x256x?xf32, ["16", "256", "M"]>
  %p = mlc_tensor.div %e, %lb : tensor<16x256x?xf32, ["16", "256", "M"]>
  %w = mlc_tensor.cast %p : tensor<16x256x?xf32, ["16", "256", "M"]> -> tensor<16x256x?xbf16, ["16", "256", "M"]>
  %o = mlc_tensor.matmul %w, %v : tensor<16x256x?xbf16, ["16", "256", "M"]>, tensor<16x?x32xbf16, ["16", "M", "32"]> -> tensor<16x256x32xbf16>
  func.return %o : tensor<16x256x32xbf16>
}
