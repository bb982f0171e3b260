// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s

// Arithmetic on counted numbers is done again in each kernel that needs it.
// CHECK-LABEL: func.func @counted(
// CHECK-NEXT:    %s = mlc_tensor.fusion (%x_1 = %x : tensor<8x8xf32>) -> (tensor<8x1xf32>)
// CHECK:           mlc_tensor.iota
// CHECK:           mlc_tensor.lt
// CHECK:         mlc_tensor.extern
// CHECK-NEXT:    %r = mlc_tensor.fusion (%e_1 = %e : tensor<8x8xf32>) -> (tensor<8x8xf32>)
// CHECK:           mlc_tensor.iota
// CHECK:           mlc_tensor.lt
// CHECK-NOT:     mlc_tensor.iota
func.func @counted(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x1xf32>) {
  %i = mlc_tensor.iota dim 0 : tensor<8x8xi64>
  %j = mlc_tensor.iota dim 1 : tensor<8x8xi64>
  %m = mlc_tensor.lt %i, %j : tensor<8x8xi64>
  %z = mlc_tensor.constant 0.0 : tensor<8x8xf32>
  %a = mlc_tensor.select %m, %x, %z : tensor<8x8xf32>
  %s = mlc_tensor.reduce add %a dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %e = mlc_tensor.extern "aten.cumsum.default"(%x) : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
  %r = mlc_tensor.select %m, %e, %z : tensor<8x8xf32>
  func.return %r, %s : tensor<8x8xf32>, tensor<8x1xf32>
}

// -----

// Nothing that reads what is scattered joins the kernel, also where both visit the same points.
// CHECK-LABEL: func.func @read_after(
// CHECK:         %g = mlc_tensor.fusion
// CHECK:         %e = mlc_tensor.fusion
func.func @read_after(%t: tensor<50xf32>, %i: tensor<50xi64>, %u: tensor<50xf32>) -> tensor<50xf32> {
  %g = mlc_tensor.scatter add %t[%i], %u : tensor<50xf32>, (tensor<50xi64>), tensor<50xf32>
  %e = mlc_tensor.exp %g : tensor<50xf32>
  func.return %e : tensor<50xf32>
}

// -----

// Nor does what computes the tensor that is scattered into.
// CHECK-LABEL: func.func @written_before(
// CHECK:         %e = mlc_tensor.fusion
// CHECK:         %g = mlc_tensor.fusion
func.func @written_before(%t: tensor<50xf32>, %i: tensor<50xi64>, %u: tensor<50xf32>) -> tensor<50xf32> {
  %e = mlc_tensor.exp %t : tensor<50xf32>
  %n = mlc_tensor.neg %u : tensor<50xf32>
  %g = mlc_tensor.scatter add %e[%i], %n : tensor<50xf32>, (tensor<50xi64>), tensor<50xf32>
  func.return %g : tensor<50xf32>
}

// -----

// A reduction that is read at a looked-up row is not recomputed for it.
// CHECK-LABEL: func.func @looked_up_rows(
// CHECK:         mlc_tensor.fusion
// CHECK:         mlc.refused = ["with s: reads the reduction at [g0, 0], not at its own [%i, 0]"]
func.func @looked_up_rows(%x: tensor<50x8xf32>, %i: tensor<50xi64>) -> tensor<50xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<50x8xf32> -> tensor<50x1xf32>
  %r = mlc_tensor.reshape %s : tensor<50x1xf32> -> tensor<50xf32>
  %g = mlc_tensor.gather %r[%i] : tensor<50xf32>, (tensor<50xi64>) -> tensor<50xf32>
  %e = mlc_tensor.exp %g : tensor<50xf32>
  func.return %e : tensor<50xf32>
}

// -----

// One update goes into many elements, all of which are read: the places are data, and nothing joins the scatter.
// CHECK-LABEL: func.func @reads_what_one_update_changed(
// CHECK-COUNT-3: mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
func.func @reads_what_one_update_changed(%x: tensor<?xi32, ["N"]>, %at: tensor<i64>) -> tensor<?xi32, ["N"]> {
  %one = mlc_tensor.constant 1 : tensor<?xi32, ["N"]>
  %y = mlc_tensor.shl %x, %one : tensor<?xi32, ["N"]>
  %update = mlc_tensor.constant 1 : tensor<i32>
  %s = mlc_tensor.scatter add %y[%at], %update : tensor<?xi32, ["N"]>, (tensor<i64>), tensor<i32>
  %z = mlc_tensor.shl %s, %one : tensor<?xi32, ["N"]>
  func.return %z : tensor<?xi32, ["N"]>
}

// -----

// All elements in one sum: what lies channels last is read in the order of memory, whatever the order of its dimensions.
// CHECK-LABEL: func.func @strided_sum(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.mul
// CHECK-NEXT:      mlc_tensor.reduce add
// CHECK-NOT:     mlc_tensor.fusion
func.func @strided_sum(%x: tensor<32x256x56x56xf32> {mlc.strides = ["802816", "1", "14336", "256"]}, %y: tensor<32x56x56x256xf32>) -> tensor<1x1x1x1xf32> {
  %p = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<32x256x56x56xf32> -> tensor<32x56x56x256xf32>
  %m = mlc_tensor.mul %p, %y : tensor<32x56x56x256xf32>
  %s = mlc_tensor.reduce add %m dims [0, 1, 2, 3] : tensor<32x56x56x256xf32> -> tensor<1x1x1x1xf32>
  func.return %s : tensor<1x1x1x1xf32>
}

// -----

// Read across memory, each element of the one row moves a sector of its own.
// CHECK-LABEL: func.func @transposed_sum(
// CHECK:         mlc_tensor.fusion
// CHECK:         mlc_tensor.fusion {{.*}}parts of the one row would write each element in 32 bytes of its own
func.func @transposed_sum(%x: tensor<32x256x56x56xf32>, %y: tensor<32x56x56x256xf32>) -> tensor<1x1x1x1xf32> {
  %p = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<32x256x56x56xf32> -> tensor<32x56x56x256xf32>
  %m = mlc_tensor.mul %p, %y : tensor<32x56x56x256xf32>
  %s = mlc_tensor.reduce add %m dims [0, 1, 2, 3] : tensor<32x56x56x256xf32> -> tensor<1x1x1x1xf32>
  func.return %s : tensor<1x1x1x1xf32>
}

// -----

// Keys and values are two halves of one tensor. The keys are transposed, in tiles, and the values are not: one kernel
// would have no tiles. Both halves in one order are one kernel, and so is what reads the same elements twice.
// CHECK-LABEL: func.func @halves(
// CHECK:         mlc_tensor.fusion
// CHECK:         mlc_tensor.fusion {{.*}}would read x across memory beside another part of it, which is not
func.func @halves(%x: tensor<4x64x2x64xf32>) -> (tensor<4x64x64xf32>, tensor<4x64x64xf32>) {
  %k = mlc_tensor.slice %x [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<4x64x2x64xf32> -> tensor<4x64x1x64xf32>
  %v = mlc_tensor.slice %x [0, 0, 1, 0] step [1, 1, 1, 1] : tensor<4x64x2x64xf32> -> tensor<4x64x1x64xf32>
  %a = mlc_tensor.reshape %k : tensor<4x64x1x64xf32> -> tensor<4x64x64xf32>
  %b = mlc_tensor.reshape %v : tensor<4x64x1x64xf32> -> tensor<4x64x64xf32>
  %t = mlc_tensor.permute %a [0, 2, 1] : tensor<4x64x64xf32> -> tensor<4x64x64xf32>
  %e = mlc_tensor.exp %t : tensor<4x64x64xf32>
  %f = mlc_tensor.exp %b : tensor<4x64x64xf32>
  func.return %e, %f : tensor<4x64x64xf32>, tensor<4x64x64xf32>
}

// CHECK-LABEL: func.func @halves_alike(
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
func.func @halves_alike(%x: tensor<4x64x2x64xf32>) -> (tensor<4x64x64xf32>, tensor<4x64x64xf32>) {
  %k = mlc_tensor.slice %x [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<4x64x2x64xf32> -> tensor<4x64x1x64xf32>
  %v = mlc_tensor.slice %x [0, 0, 1, 0] step [1, 1, 1, 1] : tensor<4x64x2x64xf32> -> tensor<4x64x1x64xf32>
  %a = mlc_tensor.reshape %k : tensor<4x64x1x64xf32> -> tensor<4x64x64xf32>
  %b = mlc_tensor.reshape %v : tensor<4x64x1x64xf32> -> tensor<4x64x64xf32>
  %e = mlc_tensor.exp %a : tensor<4x64x64xf32>
  %f = mlc_tensor.exp %b : tensor<4x64x64xf32>
  func.return %e, %f : tensor<4x64x64xf32>, tensor<4x64x64xf32>
}

// CHECK-LABEL: func.func @same_elements(
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:     mlc_tensor.fusion
func.func @same_elements(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %t = mlc_tensor.permute %x [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %e = mlc_tensor.exp %t : tensor<64x64xf32>
  %f = mlc_tensor.exp %x : tensor<64x64xf32>
  func.return %e, %f : tensor<64x64xf32>, tensor<64x64xf32>
}
