// RUN: mlc-opt %s -p products-as-sums{choose=vectors} --split-input-file | filecheck %s
// RUN: mlc-opt %s -p products-as-sums --split-input-file | filecheck %s --check-prefix=QUICKER

// A row times a matrix: terms in float32, one sum for each column, rounded once.
// CHECK-LABEL: func.func @row(
// CHECK-NEXT:    %y = mlc_tensor.permute %x [1, 0] : tensor<1x64xbf16> -> tensor<64x1xbf16>
// CHECK-NEXT:    %y_1 = mlc_tensor.broadcast %y : tensor<64x1xbf16> -> tensor<64x96xbf16>
// CHECK-NEXT:    %y_2 = mlc_tensor.cast %y_1 : tensor<64x96xbf16> -> tensor<64x96xf32>
// CHECK-NEXT:    %y_3 = mlc_tensor.cast %w : tensor<64x96xbf16> -> tensor<64x96xf32>
// CHECK-NEXT:    %y_4 = mlc_tensor.mul %y_2, %y_3 : tensor<64x96xf32>
// CHECK-NEXT:    %y_5 = mlc_tensor.reduce add %y_4 dims [0] : tensor<64x96xf32> -> tensor<1x96xf32>
// CHECK-NEXT:    %y_6 = mlc_tensor.cast %y_5 : tensor<1x96xf32> -> tensor<1x96xbf16>
// CHECK-NEXT:    func.return %y_6 : tensor<1x96xbf16>
// Its sums run across the rows of memory, which the library does quicker.
// QUICKER-LABEL: func.func @row(
// QUICKER-NEXT:    %y = mlc_tensor.matmul
func.func @row(%x: tensor<1x64xbf16>, %w: tensor<64x96xbf16>) -> tensor<1x96xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<1x64xbf16>, tensor<64x96xbf16> -> tensor<1x96xbf16>
  func.return %y : tensor<1x96xbf16>
}

// -----

// Matrices times columns, in a batch.
// CHECK-LABEL: func.func @columns(
// CHECK-NEXT:    %y = mlc_tensor.permute %x [0, 2, 1] : tensor<8x64x1xf32> -> tensor<8x1x64xf32>
// CHECK-NEXT:    %y_1 = mlc_tensor.broadcast %y : tensor<8x1x64xf32> -> tensor<8x96x64xf32>
// CHECK-NEXT:    %y_2 = mlc_tensor.mul %y_1, %w : tensor<8x96x64xf32>
// CHECK-NEXT:    %y_3 = mlc_tensor.reduce add %y_2 dims [2] : tensor<8x96x64xf32> -> tensor<8x96x1xf32>
// CHECK-NEXT:    func.return %y_3 : tensor<8x96x1xf32>
// QUICKER-LABEL: func.func @columns(
// QUICKER:         mlc_tensor.reduce add
func.func @columns(%w: tensor<8x96x64xf32>, %x: tensor<8x64x1xf32>) -> tensor<8x96x1xf32> {
  %y = mlc_tensor.matmul %w, %x : tensor<8x96x64xf32>, tensor<8x64x1xf32> -> tensor<8x96x1xf32>
  func.return %y : tensor<8x96x1xf32>
}

// -----

// The addend of a library call joins the sum before it is rounded.
// CHECK-LABEL: func.func @linear(
// CHECK-NOT:     mlc_tensor.extern
// CHECK:         %[[SUM:.*]] = mlc_tensor.reduce add {{.*}} dims [0] : tensor<64x96xf32> -> tensor<1x96xf32>
// CHECK-NEXT:    %[[B:.*]] = mlc_tensor.broadcast %b : tensor<96xbf16> -> tensor<1x96xbf16>
// CHECK-NEXT:    %[[WIDE:.*]] = mlc_tensor.cast %[[B]] : tensor<1x96xbf16> -> tensor<1x96xf32>
// CHECK-NEXT:    %[[ALL:.*]] = mlc_tensor.add %[[SUM]], %[[WIDE]] : tensor<1x96xf32>
// CHECK-NEXT:    %{{.*}} = mlc_tensor.cast %[[ALL]] : tensor<1x96xf32> -> tensor<1x96xbf16>
func.func @linear(%x: tensor<1x64xbf16>, %w: tensor<64x96xbf16>, %b: tensor<96xbf16>) -> tensor<1x96xbf16> {
  %y = mlc_tensor.extern "aten.addmm.default"(%b, %x, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">] : (tensor<96xbf16>, tensor<1x64xbf16>, tensor<64x96xbf16>) -> (tensor<1x96xbf16>)
  func.return %y : tensor<1x96xbf16>
}

// -----

// Two rows use each element twice; a size without a number may be any; integers are not summed in float32; a factor
// belongs to the call.
// CHECK-LABEL: func.func @keeps_library(
// CHECK-NEXT:    %y = mlc_tensor.matmul %x, %w : tensor<2x64xbf16>, tensor<64x96xbf16> -> tensor<2x96xbf16>
// CHECK-NEXT:    %z = mlc_tensor.matmul %u, %w : tensor<?x64xbf16, ["N", "64"]>, tensor<64x96xbf16> -> tensor<?x96xbf16, ["N", "96"]>
// CHECK-NEXT:    %i = mlc_tensor.matmul %v, %k : tensor<1x64xi32>, tensor<64x96xi32> -> tensor<1x96xi32>
// CHECK-NEXT:    %j = mlc_tensor.extern "aten.addmm.default"
func.func @keeps_library(%x: tensor<2x64xbf16>, %w: tensor<64x96xbf16>, %u: tensor<?x64xbf16, ["N", "64"]>, %v: tensor<1x64xi32>, %k: tensor<64x96xi32>, %r: tensor<1x64xbf16>, %b: tensor<96xbf16>) -> (tensor<2x96xbf16>, tensor<?x96xbf16, ["N", "96"]>, tensor<1x96xi32>, tensor<1x96xbf16>) {
  %y = mlc_tensor.matmul %x, %w : tensor<2x64xbf16>, tensor<64x96xbf16> -> tensor<2x96xbf16>
  %z = mlc_tensor.matmul %u, %w : tensor<?x64xbf16, ["N", "64"]>, tensor<64x96xbf16> -> tensor<?x96xbf16, ["N", "96"]>
  %i = mlc_tensor.matmul %v, %k : tensor<1x64xi32>, tensor<64x96xi32> -> tensor<1x96xi32>
  %j = mlc_tensor.extern "aten.addmm.default"(%b, %r, %w) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">] kwargs {alpha = 2.0 : f64} : (tensor<96xbf16>, tensor<1x64xbf16>, tensor<64x96xbf16>) -> (tensor<1x96xbf16>)
  func.return %y, %z, %i, %j : tensor<2x96xbf16>, tensor<?x96xbf16, ["N", "96"]>, tensor<1x96xi32>, tensor<1x96xbf16>
}

// -----

// Alone they are for the library, where it reads and writes vectors: few rows take as long as the weights take to read
// in either. An odd number of columns are no vectors.
// QUICKER-LABEL: func.func @matrices(
// QUICKER:         mlc_tensor.matmul %x, %w : tensor<16x4096xbf16>, tensor<4096x14336xbf16> -> tensor<16x14336xbf16>
// QUICKER:         mlc_tensor.matmul %m, %w : tensor<4096x4096xbf16>, tensor<4096x14336xbf16> -> tensor<4096x14336xbf16>
// QUICKER:         mlc_tensor.reduce add {{.*}} dims [1] : tensor<4096x4096x14337xf32> -> tensor<4096x1x14337xf32>
// CHECK-LABEL:   func.func @matrices(
// CHECK-COUNT-3:   mlc_tensor.matmul
func.func @matrices(%x: tensor<16x4096xbf16>, %m: tensor<4096x4096xbf16>, %w: tensor<4096x14336xbf16>, %o: tensor<4096x14337xbf16>) -> (tensor<16x14336xbf16>, tensor<4096x14336xbf16>, tensor<4096x14337xbf16>) {
  %y = mlc_tensor.matmul %x, %w : tensor<16x4096xbf16>, tensor<4096x14336xbf16> -> tensor<16x14336xbf16>
  %z = mlc_tensor.matmul %m, %w : tensor<4096x4096xbf16>, tensor<4096x14336xbf16> -> tensor<4096x14336xbf16>
  %u = mlc_tensor.matmul %m, %o : tensor<4096x4096xbf16>, tensor<4096x14337xbf16> -> tensor<4096x14337xbf16>
  func.return %y, %z, %u : tensor<16x14336xbf16>, tensor<4096x14336xbf16>, tensor<4096x14337xbf16>
}

// -----

// What follows is computed where the product is, as long as that does not take longer than the library with a kernel
// behind it: it does with a random number for each element.
// QUICKER-LABEL: func.func @what_follows(
// QUICKER-NOT:     mlc_tensor.matmul
// QUICKER:         mlc_tensor.reduce add
// QUICKER-LABEL: func.func @dropped(
// QUICKER:         mlc_tensor.matmul
func.func @what_follows(%x: tensor<8192x4096xbf16>, %w: tensor<4096x1024xbf16>, %r: tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x4096xbf16>, tensor<4096x1024xbf16> -> tensor<8192x1024xbf16>
  %z = mlc_tensor.add %y, %r : tensor<8192x1024xbf16>
  func.return %z : tensor<8192x1024xbf16>
}
func.func @dropped(%x: tensor<8192x4096xbf16>, %w: tensor<4096x1024xbf16>, %r: tensor<8192x1024xbf16>, %seeds: tensor<1xi64>) -> tensor<8192x1024xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x4096xbf16>, tensor<4096x1024xbf16> -> tensor<8192x1024xbf16>
  %n = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<8192x1024xi32>
  %m = mlc_tensor.cast %n : tensor<8192x1024xi32> -> tensor<8192x1024xbf16>
  %d = mlc_tensor.mul %y, %m : tensor<8192x1024xbf16>
  %z = mlc_tensor.add %d, %r : tensor<8192x1024xbf16>
  func.return %z : tensor<8192x1024xbf16>
}

// -----

// Rotary positions: a kernel behind reads elements of other columns, and these again. Nothing is spared.
// QUICKER-LABEL: func.func @turned(
// QUICKER:         mlc_tensor.matmul
// QUICKER-NOT:     mlc_tensor.reduce
func.func @turned(%x: tensor<8192x2048xbf16>, %w: tensor<2048x2048xbf16>, %c: tensor<8192x2048xbf16>, %s: tensor<8192x2048xbf16>) -> tensor<8192x2048xbf16> {
  %q = mlc_tensor.matmul %x, %w : tensor<8192x2048xbf16>, tensor<2048x2048xbf16> -> tensor<8192x2048xbf16>
  %m = mlc_tensor.mul %q, %c : tensor<8192x2048xbf16>
  %a = mlc_tensor.slice %q [0, 0] step [1, 1] : tensor<8192x2048xbf16> -> tensor<8192x1024xbf16>
  %b = mlc_tensor.slice %q [0, 1024] step [1, 1] : tensor<8192x2048xbf16> -> tensor<8192x1024xbf16>
  %n = mlc_tensor.neg %b : tensor<8192x1024xbf16>
  %t = mlc_tensor.cat %n, %a dim 1 : (tensor<8192x1024xbf16>, tensor<8192x1024xbf16>) -> tensor<8192x2048xbf16>
  %u = mlc_tensor.mul %t, %s : tensor<8192x2048xbf16>
  %z = mlc_tensor.add %m, %u : tensor<8192x2048xbf16>
  func.return %z : tensor<8192x2048xbf16>
}

// -----

// Two products that are added: one kernel for both reads twice the factors a step, so that one product is the library's.
// QUICKER-LABEL: func.func @added(
// QUICKER-COUNT-1: mlc_tensor.reduce add
// QUICKER:         mlc_tensor.matmul
// QUICKER-NOT:     mlc_tensor.reduce
// QUICKER:         mlc_tensor.add
func.func @added(%x: tensor<4096x4096xbf16>, %w: tensor<4096x2048xbf16>, %y: tensor<4096x4096xbf16>, %v: tensor<4096x2048xbf16>) -> tensor<4096x2048xbf16> {
  %p = mlc_tensor.matmul %x, %w : tensor<4096x4096xbf16>, tensor<4096x2048xbf16> -> tensor<4096x2048xbf16>
  %q = mlc_tensor.matmul %y, %v : tensor<4096x4096xbf16>, tensor<4096x2048xbf16> -> tensor<4096x2048xbf16>
  %z = mlc_tensor.add %p, %q : tensor<4096x2048xbf16>
  func.return %z : tensor<4096x2048xbf16>
}

// -----

// For few rows weights are read but once: both products of a gated unit are one kernel.
// QUICKER-LABEL: func.func @gated(
// QUICKER-COUNT-2: mlc_tensor.reduce add
// QUICKER-NOT:     mlc_tensor.matmul
// QUICKER:         func.return
func.func @gated(%x: tensor<16x4096xbf16>, %w: tensor<4096x14336xbf16>, %v: tensor<4096x14336xbf16>) -> tensor<16x14336xbf16> {
  %p = mlc_tensor.matmul %x, %w : tensor<16x4096xbf16>, tensor<4096x14336xbf16> -> tensor<16x14336xbf16>
  %q = mlc_tensor.matmul %x, %v : tensor<16x4096xbf16>, tensor<4096x14336xbf16> -> tensor<16x14336xbf16>
  %s = mlc_tensor.sigmoid %p : tensor<16x14336xbf16>
  %g = mlc_tensor.mul %p, %s : tensor<16x14336xbf16>
  %z = mlc_tensor.mul %g, %q : tensor<16x14336xbf16>
  func.return %z : tensor<16x14336xbf16>
}

// -----

// What a gradient computes besides is work on the kernel's way, which the library's does not have: its kernel behind
// does it while it waits for memory.
// QUICKER-LABEL: func.func @computed_beside(
// QUICKER:         mlc_tensor.matmul
// QUICKER-NOT:     mlc_tensor.reduce
// QUICKER:         func.return
func.func @computed_beside(%x: tensor<8192x2048xbf16>, %w: tensor<2048x8192xbf16>, %a: tensor<8192x8192xbf16>, %b: tensor<8192x8192xbf16>) -> (tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x2048xbf16>, tensor<2048x8192xbf16> -> tensor<8192x8192xbf16>
  %s = mlc_tensor.sigmoid %a : tensor<8192x8192xbf16>
  %t = mlc_tensor.mul %a, %s : tensor<8192x8192xbf16>
  %u = mlc_tensor.mul %y, %t : tensor<8192x8192xbf16>
  %c = mlc_tensor.mul %y, %b : tensor<8192x8192xbf16>
  %d = mlc_tensor.mul %c, %s : tensor<8192x8192xbf16>
  func.return %u, %d : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>
}
