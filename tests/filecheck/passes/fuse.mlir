// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s

// A chain of pointwise ops is one kernel; constants and broadcasts come along for free.
// CHECK-LABEL: @chain(
// CHECK-NEXT:    mlc_tensor.fusion (%{{.*}} = %x : tensor<8x4xf32>, %{{.*}} = %b : tensor<4xf32>) -> (tensor<8x4xf32>) kind "pointwise" why "saves 512 B: 2 intermediates, each written and read, stay in registers" {
// CHECK-NEXT:      mlc_tensor.constant 2.000000e+00
// CHECK-NEXT:      mlc_tensor.mul
// CHECK-NEXT:      mlc_tensor.broadcast
// CHECK-NEXT:      mlc_tensor.add
// CHECK-NEXT:      mlc_tensor.exp
// CHECK-NEXT:      mlc_tensor.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @chain(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %c = mlc_tensor.constant 2.0 : tensor<8x4xf32>
  %m = mlc_tensor.mul %x, %c : tensor<8x4xf32>
  %bb = mlc_tensor.broadcast %b : tensor<4xf32> -> tensor<8x4xf32>
  %s = mlc_tensor.add %m, %bb : tensor<8x4xf32>
  %e = mlc_tensor.exp %s : tensor<8x4xf32>
  func.return %e : tensor<8x4xf32>
}

// -----

// What is computed for a reduction is computed inside of it.
// CHECK-LABEL: @prologue(
// CHECK-NEXT:    mlc_tensor.fusion {{.*}} kind "reduction"
// CHECK-NEXT:      mlc_tensor.exp
// CHECK-NEXT:      mlc_tensor.reduce add
// CHECK-NOT:     mlc_tensor.fusion
func.func @prologue(%x: tensor<8x4xf32>) -> tensor<8x1xf32> {
  %e = mlc_tensor.exp %x : tensor<8x4xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  func.return %s : tensor<8x1xf32>
}

// -----

// Softmax is one kernel.
// CHECK-LABEL: @softmax(
// CHECK-COUNT-1: mlc_tensor.fusion (%{{.*}} = %x : tensor<8x4xf32>) -> (tensor<8x4xf32>) kind "reduction" why "saves
// CHECK-NOT:     mlc_tensor.fusion
// CHECK-NOT:     mlc.refused
func.func @softmax(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<8x1xf32> -> tensor<8x4xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<8x4xf32>
  %e = mlc_tensor.exp %d : tensor<8x4xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<8x1xf32> -> tensor<8x4xf32>
  %q = mlc_tensor.div %e, %sb : tensor<8x4xf32>
  func.return %q : tensor<8x4xf32>
}

// -----

// So is the heart of a layer norm: mean, then variance, then both applied.
// CHECK-LABEL: @layer_norm(
// CHECK-COUNT-1: mlc_tensor.fusion {{.*}} kind "reduction"
// CHECK-NOT:     mlc_tensor.fusion
func.func @layer_norm(%x: tensor<8x4xf32>, %w: tensor<4xf32>) -> tensor<8x4xf32> {
  %n = mlc_tensor.constant 4.0 : tensor<8x1xf32>
  %s = mlc_tensor.reduce add %x dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %m = mlc_tensor.div %s, %n : tensor<8x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<8x1xf32> -> tensor<8x4xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<8x4xf32>
  %d2 = mlc_tensor.mul %d, %d : tensor<8x4xf32>
  %v = mlc_tensor.reduce add %d2 dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %r = mlc_tensor.rsqrt %v : tensor<8x1xf32>
  %rb = mlc_tensor.broadcast %r : tensor<8x1xf32> -> tensor<8x4xf32>
  %y = mlc_tensor.mul %d, %rb : tensor<8x4xf32>
  %wb = mlc_tensor.broadcast %w : tensor<4xf32> -> tensor<8x4xf32>
  %z = mlc_tensor.mul %y, %wb : tensor<8x4xf32>
  func.return %z : tensor<8x4xf32>
}

// -----

// Two readers of one input, neither feeding the other, read it once.
// CHECK-LABEL: @siblings(
// CHECK-NEXT:    mlc_tensor.fusion (%{{.*}} = %x : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) kind "pointwise" why "{{.*}}1 sibling(s) read their input once"
// CHECK-NEXT:      mlc_tensor.sin
// CHECK-NEXT:      mlc_tensor.cos
// CHECK-NOT:     mlc_tensor.fusion
func.func @siblings(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = mlc_tensor.sin %x : tensor<8xf32>
  %c = mlc_tensor.cos %x : tensor<8xf32>
  func.return %s, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

// A value that is read inside and outside is computed once, and is a result too.
// CHECK-LABEL: @multi_use(
// CHECK-NEXT:    %[[R:.*]], %[[E:.*]] = mlc_tensor.fusion {{.*}} -> (tensor<8xf32>, tensor<8xf32>)
// CHECK:         mlc_tensor.extern "aten.cumsum.default"(%[[R]])
func.func @multi_use(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.sin %a : tensor<8xf32>
  %c = mlc_tensor.extern "aten.cumsum.default"(%a) args [#mlc_tensor.operand<"0">, 0 : i64] : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %b, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

// A view of a fused value stands behind the fusion, also where the fusion grew past it.
// CHECK-LABEL: @view_of_a_fused_value(
// CHECK-NEXT:    %[[A:.*]], %[[B:.*]] = mlc_tensor.fusion
// CHECK:         }
// CHECK-NEXT:    %[[V:.*]] = mlc_tensor.permute %[[A]] [1, 0]
// CHECK-NEXT:    %[[M:.*]] = mlc_tensor.matmul %[[V]], %w
// CHECK-NEXT:    func.return %[[M]], %[[B]]
func.func @view_of_a_fused_value(%x: tensor<8x4xf32>, %w: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<8x4xf32>) {
  %a = mlc_tensor.exp %x : tensor<8x4xf32>
  %v = mlc_tensor.permute %a [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %b = mlc_tensor.sin %a : tensor<8x4xf32>
  %m = mlc_tensor.matmul %v, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  func.return %m, %b : tensor<4x2xf32>, tensor<8x4xf32>
}

// -----

// A call between the two, which reads one and feeds the other, cannot run inside.
// CHECK-LABEL: @cycle_through_a_call(
// CHECK:         mlc_tensor.fusion {{.*}} kind "pointwise" why "a single op" {
// CHECK:         mlc_tensor.extern "aten.cumsum.default"
// CHECK:         mlc_tensor.fusion {{.*}} kind "pointwise" why "a single op" attributes {mlc.refused = ["with a: another kernel must run between the two"]}
func.func @cycle_through_a_call(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %c = mlc_tensor.extern "aten.cumsum.default"(%a) args [#mlc_tensor.operand<"0">, 0 : i64] : (tensor<8xf32>) -> (tensor<8xf32>)
  %b = mlc_tensor.add %a, %c : tensor<8xf32>
  func.return %b : tensor<8xf32>
}

// -----

// A sum over everything is not at hand for every element.
// CHECK-LABEL: @refused_by_index(
// CHECK:         mlc_tensor.fusion {{.*}} kind "reduction"
// CHECK:         mlc_tensor.fusion {{.*}} kind "pointwise" {{.*}}mlc.refused = ["with {{.*}}: reads the reduction at
func.func @refused_by_index(%x: tensor<8x16xf32>) -> tensor<16x8xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<8x16xf32> -> tensor<8x1xf32>
  %f = mlc_tensor.slice %s [7, 0] step [-1, 1] : tensor<8x1xf32> -> tensor<8x1xf32>
  %e = mlc_tensor.exp %f : tensor<8x1xf32>
  %b = mlc_tensor.broadcast %e : tensor<8x1xf32> -> tensor<8x16xf32>
  %t = mlc_tensor.permute %b [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %r = mlc_tensor.sin %t : tensor<16x8xf32>
  func.return %r : tensor<16x8xf32>
}

// -----

// Reductions of other rows are another kernel, and the reason counts them.
// CHECK-LABEL: @refused_by_rows(
// CHECK:         mlc.refused = ["with {{.*}}: reductions differ: 8 rows of 4 beside 1 rows of 32"
func.func @refused_by_rows(%x: tensor<8x4xf32>) -> (tensor<8x1xf32>, tensor<1x1xf32>) {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<8x4xf32> -> tensor<8x1xf32>
  %t = mlc_tensor.reduce add %x dims [0, 1] : tensor<8x4xf32> -> tensor<1x1xf32>
  func.return %s, %t : tensor<8x1xf32>, tensor<1x1xf32>
}

// -----

// Sums over the rows beside results of each row read the input once: one group, with what is computed
// from the sums alone.
// CHECK-LABEL: @rows_and_columns(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.reduce add %{{.*}} dims [1]
// CHECK:           mlc_tensor.reduce add %{{.*}} dims [0]
// CHECK:           mlc_tensor.exp
// CHECK-NOT:     mlc_tensor.fusion
func.func @rows_and_columns(%x: tensor<512x64xf32>) -> (tensor<512x64xf32>, tensor<1x64xf32>) {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<512x1xf32> -> tensor<512x64xf32>
  %d = mlc_tensor.div %x, %b : tensor<512x64xf32>
  %t = mlc_tensor.reduce add %x dims [0] : tensor<512x64xf32> -> tensor<1x64xf32>
  %e = mlc_tensor.exp %t : tensor<1x64xf32>
  func.return %d, %e : tensor<512x64xf32>, tensor<1x64xf32>
}

// -----

// What every row needs of the sums over all rows must wait for another kernel.
// CHECK-LABEL: @columns_back_to_rows(
// CHECK:         mlc_tensor.fusion
// CHECK:         mlc_tensor.fusion {{.*}}mlc.refused = ["with {{.*}}needs a sum over all rows
func.func @columns_back_to_rows(%x: tensor<512x64xf32>) -> (tensor<512x1xf32>, tensor<512x64xf32>) {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<512x64xf32> -> tensor<512x1xf32>
  %t = mlc_tensor.reduce add %x dims [0] : tensor<512x64xf32> -> tensor<1x64xf32>
  %b = mlc_tensor.broadcast %t : tensor<1x64xf32> -> tensor<512x64xf32>
  %d = mlc_tensor.div %x, %b : tensor<512x64xf32>
  func.return %s, %d : tensor<512x1xf32>, tensor<512x64xf32>
}

// -----

// Rows too long to keep such sums in registers beside them.
// CHECK-LABEL: @rows_too_long(
// CHECK:         mlc.refused = ["with {{.*}}: the registers do not hold 1 row(s) of sums beside a row of 65536"]
func.func @rows_too_long(%x: tensor<512x65536xf32>) -> (tensor<512x1xf32>, tensor<1x65536xf32>) {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<512x65536xf32> -> tensor<512x1xf32>
  %t = mlc_tensor.reduce add %x dims [0] : tensor<512x65536xf32> -> tensor<1x65536xf32>
  func.return %s, %t : tensor<512x1xf32>, tensor<1x65536xf32>
}

// -----

// Few long rows of known size are cut into parts later: one group.
// CHECK-LABEL: @few_long_rows(
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
func.func @few_long_rows(%x: tensor<2x8192xf32>) -> tensor<2x8192xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<2x8192xf32> -> tensor<2x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<2x1xf32> -> tensor<2x8192xf32>
  %q = mlc_tensor.div %x, %b : tensor<2x8192xf32>
  func.return %q : tensor<2x8192xf32>
}

// -----

// Where parts cannot be, few long rows keep their parallelism: count first, subtract with many programs.
// CHECK-LABEL: @refused_by_policy(
// CHECK:         mlc.refused = ["with {{.*}}: loses parallelism: 2 rows of 8192 would run as 2 programs"]
func.func @refused_by_policy(%x: tensor<2x8192xi64>) -> tensor<2x8192xi64> {
  %s = mlc_tensor.reduce argmax %x dims [1] : tensor<2x8192xi64> -> tensor<2x1xi64>
  %b = mlc_tensor.broadcast %s : tensor<2x1xi64> -> tensor<2x8192xi64>
  %q = mlc_tensor.sub %x, %b : tensor<2x8192xi64>
  func.return %q : tensor<2x8192xi64>
}

// -----

// Calls that change memory keep their order, with readers of the same memory on their own side.
// CHECK-LABEL: @impure(
// CHECK:         mlc_tensor.exp
// CHECK:         mlc_tensor.extern "aten.copy_.default"
// CHECK-NEXT:    mlc_tensor.extern "aten.rand.default"
// CHECK:         mlc_tensor.sin
func.func @impure(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %w = mlc_tensor.extern "aten.copy_.default"(%x, %y) impure : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>)
  %r = mlc_tensor.extern "aten.rand.default"() args [[8 : i64]] impure : () -> (tensor<8xf32>)
  %b = mlc_tensor.sin %x : tensor<8xf32>
  func.return %a, %b, %r : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A function that is fused already stays as it is.
// CHECK-LABEL: @fused_before(
// CHECK-NEXT:    mlc_tensor.exp
// CHECK-NEXT:    mlc_tensor.fusion {{.*}} kind "mine" why "I say so"
func.func @fused_before(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.fusion (%i = %a : tensor<8xf32>) -> (tensor<8xf32>) kind "mine" why "I say so" {
    %s = mlc_tensor.sin %i : tensor<8xf32>
    mlc_tensor.yield %s : tensor<8xf32>
  }
  func.return %b : tensor<8xf32>
}

// -----

// Joined and padded tensors that only a call reads need a kernel of their own; views do not.
// CHECK-LABEL: @made_for_a_call(
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.fusion {{.*}} -> (tensor<16xf32>) kind "pointwise"
// CHECK-NEXT:      mlc_tensor.cat
// CHECK:         mlc_tensor.extern "aten.sort.default"(%[[C]])
func.func @made_for_a_call(%x: tensor<8xf32>) -> (tensor<16xf32>, tensor<16xi64>) {
  %c = mlc_tensor.cat %x, %x dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %v, %i = mlc_tensor.extern "aten.sort.default"(%c) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xi64>)
  func.return %v, %i : tensor<16xf32>, tensor<16xi64>
}

// -----

// Rows are normalised in the order in which the result has them: each is read once and written once.
// CHECK-LABEL: @rows_in_another_order(
// CHECK-COUNT-1: mlc_tensor.fusion {{.*}} kind "reduction"
// CHECK:           mlc_tensor.reduce max
// CHECK:           mlc_tensor.roll
// CHECK:           mlc_tensor.permute
// CHECK-NOT:     mlc_tensor.fusion
// CHECK-NOT:     mlc.refused
func.func @rows_in_another_order(%x: tensor<6x4x16xf32>) -> tensor<4x6x16xf32> {
  %m = mlc_tensor.reduce max %x dims [2] : tensor<6x4x16xf32> -> tensor<6x4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<6x4x1xf32> -> tensor<6x4x16xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<6x4x16xf32>
  %r = mlc_tensor.roll %d [2, 0, 0] : tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %p = mlc_tensor.permute %r [1, 0, 2] : tensor<6x4x16xf32> -> tensor<4x6x16xf32>
  %e = mlc_tensor.exp %p : tensor<4x6x16xf32>
  func.return %e : tensor<4x6x16xf32>
}

// -----

// In two orders at once they would be computed twice.
// CHECK-LABEL: @rows_in_two_orders(
// CHECK:         mlc_tensor.fusion {{.*}} kind "reduction"
// CHECK:         mlc_tensor.fusion {{.*}} kind "pointwise" {{.*}}mlc.refused = ["with {{.*}}: reads the reduction at
func.func @rows_in_two_orders(%x: tensor<6x16xf32>) -> (tensor<6x16xf32>, tensor<6x16xf32>) {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<6x16xf32> -> tensor<6x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<6x1xf32> -> tensor<6x16xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<6x16xf32>
  %r = mlc_tensor.roll %d [2, 0] : tensor<6x16xf32> -> tensor<6x16xf32>
  %e = mlc_tensor.exp %r : tensor<6x16xf32>
  %s = mlc_tensor.roll %d [3, 0] : tensor<6x16xf32> -> tensor<6x16xf32>
  %f = mlc_tensor.exp2 %s : tensor<6x16xf32>
  func.return %e, %f : tensor<6x16xf32>, tensor<6x16xf32>
}

// -----

// Rows of two elements, picked from everywhere, would move sixteen times as much.
// CHECK-LABEL: @short_rows_stay_in_order(
// CHECK:         mlc_tensor.fusion {{.*}} kind "reduction"
// CHECK:         mlc_tensor.fusion {{.*}} kind "pointwise" {{.*}}mlc.refused = ["with {{.*}}: rows of 8 bytes, read in another order: memory moves 32 at once
func.func @short_rows_stay_in_order(%x: tensor<64x64x2xf32>) -> tensor<64x64x1xf32> {
  %m = mlc_tensor.reduce max %x dims [2] : tensor<64x64x2xf32> -> tensor<64x64x1xf32>
  %p = mlc_tensor.permute %m [1, 0, 2] : tensor<64x64x1xf32> -> tensor<64x64x1xf32>
  %e = mlc_tensor.exp %p : tensor<64x64x1xf32>
  func.return %e : tensor<64x64x1xf32>
}

// -----

// Rows that lie side by side in memory are read side by side.
// CHECK-LABEL: @sums_of_columns_stay_in_order(
// CHECK:         mlc_tensor.fusion {{.*}} kind "reduction"
// CHECK:         mlc_tensor.fusion {{.*}} kind "pointwise" {{.*}}mlc.refused = ["with {{.*}}: reads the reduction at
func.func @sums_of_columns_stay_in_order(%x: tensor<64x8x16xf32>) -> tensor<1x16x8xf32> {
  %m = mlc_tensor.reduce max %x dims [0] : tensor<64x8x16xf32> -> tensor<1x8x16xf32>
  %p = mlc_tensor.permute %m [0, 2, 1] : tensor<1x8x16xf32> -> tensor<1x16x8xf32>
  %e = mlc_tensor.exp %p : tensor<1x16x8xf32>
  func.return %e : tensor<1x16x8xf32>
}

// -----

// A sum of all: parts of the one row that there is are added up by as many programs. Written transposed by these, each
// element would be in a sector of memory of its own: a kernel of tiles does that.
// CHECK-LABEL: @a_sum_of_all_and_transposed(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.reduce add
// CHECK:         mlc_tensor.fusion
// CHECK-NEXT:      mlc_tensor.broadcast
// CHECK:           mlc_tensor.permute
func.func @a_sum_of_all_and_transposed(%x: tensor<8192x2048xf32>) -> tensor<2048x8192xf32> {
  %s = mlc_tensor.reduce add %x dims [0, 1] : tensor<8192x2048xf32> -> tensor<1x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<1x1xf32> -> tensor<8192x2048xf32>
  %d = mlc_tensor.mul %x, %b : tensor<8192x2048xf32>
  %t = mlc_tensor.permute %d [1, 0] : tensor<8192x2048xf32> -> tensor<2048x8192xf32>
  %e = mlc_tensor.exp %t : tensor<2048x8192xf32>
  func.return %e : tensor<2048x8192xf32>
}

// -----

// A small one is soon written, and a launch is spared.
// CHECK-LABEL: @a_small_sum_of_all_and_transposed(
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
func.func @a_small_sum_of_all_and_transposed(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  %s = mlc_tensor.reduce add %x dims [0, 1] : tensor<64x128xf32> -> tensor<1x1xf32>
  %b = mlc_tensor.broadcast %s : tensor<1x1xf32> -> tensor<64x128xf32>
  %d = mlc_tensor.mul %x, %b : tensor<64x128xf32>
  %t = mlc_tensor.permute %d [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
  %e = mlc_tensor.exp %t : tensor<128x64xf32>
  func.return %e : tensor<128x64xf32>
}

// -----

// What a sum of columns is needed for would read the rows again when all programs are done, as a kernel by itself. It
// joins that of the rows' maxima, which has read them; the sum computes for itself what it sums.
// CHECK-LABEL: @a_sum_of_columns_beside_rows(
// CHECK-NEXT:    mlc_tensor.fusion (%{{.*}}) -> (tensor<1x1024xf32>)
// CHECK-NEXT:      mlc_tensor.abs
// CHECK-NEXT:      mlc_tensor.reduce add
// CHECK-NEXT:      mlc_tensor.yield
// CHECK:         mlc_tensor.fusion (%{{.*}}) -> (tensor<16384x1024xf32>, tensor<16384x1024xf32>)
// CHECK-NOT:     mlc_tensor.fusion
func.func @a_sum_of_columns_beside_rows(%x: tensor<16384x1024xf32>) -> (tensor<16384x1024xf32>, tensor<16384x1024xf32>) {
  %e = mlc_tensor.abs %x : tensor<16384x1024xf32>
  %m = mlc_tensor.reduce max %e dims [1] : tensor<16384x1024xf32> -> tensor<16384x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<16384x1xf32> -> tensor<16384x1024xf32>
  %d = mlc_tensor.sub %e, %mb : tensor<16384x1024xf32>
  %s = mlc_tensor.reduce add %e dims [0] : tensor<16384x1024xf32> -> tensor<1x1024xf32>
  %sb = mlc_tensor.broadcast %s : tensor<1x1024xf32> -> tensor<16384x1024xf32>
  %t = mlc_tensor.tanh %x : tensor<16384x1024xf32>
  %q = mlc_tensor.mul %t, %sb : tensor<16384x1024xf32>
  %o = mlc_tensor.add %q, %e : tensor<16384x1024xf32>
  func.return %d, %o : tensor<16384x1024xf32>, tensor<16384x1024xf32>
}
