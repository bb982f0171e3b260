// RUN: mlc-opt %s -p explicit-copies --split-input-file | filecheck %s

// The caller gets heads in row-major order, which no view of the sum is: each is copied, as casts that fuse.
// CHECK-LABEL: @heads(
// CHECK:         %[[P:.*]] = mlc_tensor.permute
// CHECK-NEXT:    %[[Q:.*]] = mlc_tensor.slice %[[P]] [0, 0, 0, 0]
// CHECK-NEXT:    %[[QC:.*]] = mlc_tensor.cast %[[Q]] : tensor<1x8x16x4xf32> -> tensor<1x8x16x4xf32>
// CHECK-NEXT:    %[[K:.*]] = mlc_tensor.slice %[[P]] [1, 0, 0, 0]
// CHECK-NEXT:    %[[KC:.*]] = mlc_tensor.cast %[[K]]
// CHECK-NEXT:    func.return %[[QC]], %[[KC]]
func.func @heads(%x: tensor<16x2x8x4xf32>) -> (tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>) {
  %a = mlc_tensor.exp %x : tensor<16x2x8x4xf32>
  %p = mlc_tensor.permute %a [1, 2, 0, 3] : tensor<16x2x8x4xf32> -> tensor<2x8x16x4xf32>
  %q = mlc_tensor.slice %p [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x8x16x4xf32> -> tensor<1x8x16x4xf32>
  %k = mlc_tensor.slice %p [1, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x8x16x4xf32> -> tensor<1x8x16x4xf32>
  func.return %q, %k : tensor<1x8x16x4xf32>, tensor<1x8x16x4xf32>
}

// -----

// The rows of a row-major tensor are a view: no copy.
// CHECK-LABEL: @rows(
// CHECK-NOT:     mlc_tensor.cast
func.func @rows(%x: tensor<16x8xf32>) -> tensor<4x2x8xf32> {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %s = mlc_tensor.slice %a [8, 0] step [1, 1] : tensor<16x8xf32> -> tensor<8x8xf32>
  %r = mlc_tensor.reshape %s : tensor<8x8xf32> -> tensor<4x2x8xf32>
  func.return %r : tensor<4x2x8xf32>
}

// -----

// Two results do not share memory: the second is a copy.
// CHECK-LABEL: @twice(
// CHECK:         %[[A:.*]] = mlc_tensor.exp
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.reshape %[[A]]
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[R]]
// CHECK-NEXT:    func.return %[[A]], %[[C]]
func.func @twice(%x: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<128xf32>) {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %r = mlc_tensor.reshape %a : tensor<16x8xf32> -> tensor<128xf32>
  func.return %a, %r : tensor<16x8xf32>, tensor<128xf32>
}

// -----

// Two results that cse found to be equal are two tensors nevertheless, and so are a view and what it is of.
// CHECK-LABEL: @equal(
// CHECK:         %[[A:.*]] = mlc_tensor.exp
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[A]]
// CHECK-NEXT:    func.return %[[A]], %[[C]]
func.func @equal(%x: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  func.return %a, %a : tensor<16x8xf32>, tensor<16x8xf32>
}

// CHECK-LABEL: @view_first(
// CHECK:         %[[A:.*]] = mlc_tensor.exp
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[A]]
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.reshape %[[A]]
// CHECK-NEXT:    func.return %[[R]], %[[C]]
func.func @view_first(%x: tensor<16x8xf32>) -> (tensor<128xf32>, tensor<16x8xf32>) {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %r = mlc_tensor.reshape %a : tensor<16x8xf32> -> tensor<128xf32>
  func.return %r, %a : tensor<128xf32>, tensor<16x8xf32>
}

// -----

// The caller was promised the transposed strides, or the very memory: no copy.
// CHECK-LABEL: @promised(
// CHECK-NOT:     mlc_tensor.cast
func.func @promised(%x: tensor<16x8xf32>) -> (tensor<8x16xf32> {mlc.strides = ["1", "8"]}) {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %t = mlc_tensor.permute %a [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  func.return %t : tensor<8x16xf32>
}

// -----

// A product reads transposed memory as it is; a reshape of it has no strides.
// CHECK-LABEL: @products(
// CHECK:         %[[T:.*]] = mlc_tensor.permute
// CHECK-NEXT:    mlc_tensor.matmul %[[T]]
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.reshape %[[T]]
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[R]]
// CHECK-NEXT:    mlc_tensor.matmul %[[C]]
func.func @products(%x: tensor<16x8xf32>, %w: tensor<16x4xf32>, %v: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<32x4xf32>) {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %t = mlc_tensor.permute %a [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %y = mlc_tensor.matmul %t, %w : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
  %r = mlc_tensor.reshape %t : tensor<8x16xf32> -> tensor<32x4xf32>
  %z = mlc_tensor.matmul %r, %v : tensor<32x4xf32>, tensor<4x4xf32> -> tensor<32x4xf32>
  func.return %y, %z : tensor<8x4xf32>, tensor<32x4xf32>
}

// -----

// Tensors joined end to end are written by a kernel; turned on the way to the caller, they are written turned.
// CHECK-LABEL: @joined(
// CHECK:         %[[J:.*]] = mlc_tensor.cat
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[J]]
// CHECK-NEXT:    %[[T:.*]] = mlc_tensor.permute %[[C]]
// CHECK-NEXT:    mlc_tensor.cast %[[T]]
func.func @joined(%x: tensor<16x8xf32>) -> tensor<8x32xf32> {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %j = mlc_tensor.cat %a, %x dim 0 : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<32x8xf32>
  %t = mlc_tensor.permute %j [1, 0] : tensor<32x8xf32> -> tensor<8x32xf32>
  func.return %t : tensor<8x32xf32>
}

// -----

// What a call may write to is left where it is, and so are views of arguments.
// CHECK-LABEL: @written(
// CHECK-NOT:     mlc_tensor.cast
func.func @written(%x: tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %t = mlc_tensor.permute %a [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %u = mlc_tensor.permute %x [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %o = mlc_tensor.extern "aten.zero_.default"(%a) impure : (tensor<16x8xf32>) -> (tensor<16x8xf32>)
  func.return %t, %u : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// A call channels last wants [N, H, W, C] in memory: a kernel copies, once for two calls. What lies so is taken as it is.
// CHECK-LABEL: @channels_last(
// CHECK:         %[[P:.*]] = mlc_tensor.permute %x [0, 2, 3, 1]
// CHECK-NEXT:    %[[L:.*]] = mlc_tensor.permute %last [0, 2, 3, 1]
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[P]] : tensor<2x5x6x4xf32> -> tensor<2x5x6x4xf32>
// CHECK-NEXT:    mlc_tensor.extern "aten._adaptive_avg_pool2d.default"(%[[C]])
// CHECK-NEXT:    mlc_tensor.extern "aten._adaptive_avg_pool2d.default"(%[[C]])
// CHECK-NEXT:    mlc_tensor.extern "aten._adaptive_avg_pool2d.default"(%[[L]])
func.func @channels_last(%x: tensor<2x4x5x6xf32>, %last: tensor<2x4x5x6xf32> {mlc.strides = ["120", "1", "24", "4"]}) -> (tensor<2x1x1x4xf32>, tensor<2x2x1x4xf32>, tensor<2x1x1x4xf32>) {
  %p = mlc_tensor.permute %x [0, 2, 3, 1] : tensor<2x4x5x6xf32> -> tensor<2x5x6x4xf32>
  %l = mlc_tensor.permute %last [0, 2, 3, 1] : tensor<2x4x5x6xf32> -> tensor<2x5x6x4xf32>
  %a = mlc_tensor.extern "aten._adaptive_avg_pool2d.default"(%p) args [#mlc_tensor.operand<"0">, [1 : i64, 1 : i64]] {mlc.channels_last = ""} : (tensor<2x5x6x4xf32>) -> (tensor<2x1x1x4xf32>)
  %b = mlc_tensor.extern "aten._adaptive_avg_pool2d.default"(%p) args [#mlc_tensor.operand<"0">, [2 : i64, 1 : i64]] {mlc.channels_last = ""} : (tensor<2x5x6x4xf32>) -> (tensor<2x2x1x4xf32>)
  %c = mlc_tensor.extern "aten._adaptive_avg_pool2d.default"(%l) args [#mlc_tensor.operand<"0">, [1 : i64, 1 : i64]] {mlc.channels_last = ""} : (tensor<2x5x6x4xf32>) -> (tensor<2x1x1x4xf32>)
  func.return %a, %b, %c : tensor<2x1x1x4xf32>, tensor<2x2x1x4xf32>, tensor<2x1x1x4xf32>
}

// -----

// A call wants the strides that eager gives it: row-major, or those it names. What a kernel computes it makes so (see
// free-strides); products, and calls that look at memory, take what lies there.
// CHECK-LABEL: @operands(
// CHECK:         %[[T:.*]] = mlc_tensor.permute %x
// CHECK-NEXT:    %[[E:.*]] = mlc_tensor.exp %x
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[T]]
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.extern "aten.cumsum.default"(%[[C]])
// CHECK-NEXT:    mlc_tensor.extern "aten.cumsum.default"(%[[T]])
// CHECK-NEXT:    mlc_tensor.extern "aten.cumsum.default"(%[[E]])
// CHECK-NEXT:    %[[D:.*]] = mlc_tensor.cast %[[S]]
// CHECK-NEXT:    mlc_tensor.extern "aten.cumsum.default"(%[[D]])
// CHECK-NEXT:    mlc_tensor.extern "aten.mm.default"(%[[T]], %x)
// CHECK-NEXT:    mlc_tensor.extern "aten.view_as_real.default"(%[[T]])
func.func @operands(%x: tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x16xf32>) {
  %t = mlc_tensor.permute %x [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %e = mlc_tensor.exp %x : tensor<16x8xf32>
  %a = mlc_tensor.extern "aten.cumsum.default"(%t) args [#mlc_tensor.operand<"0">, 0 : i64] : (tensor<8x16xf32>) -> (tensor<8x16xf32>)
  %b = mlc_tensor.extern "aten.cumsum.default"(%t) args [#mlc_tensor.operand<"0">, 0 : i64] {mlc.operand_strides = [["1", "8"]]} : (tensor<8x16xf32>) -> (tensor<8x16xf32>)
  %c = mlc_tensor.extern "aten.cumsum.default"(%e) args [#mlc_tensor.operand<"0">, 0 : i64] {mlc.operand_strides = [["1", "16"]]} : (tensor<16x8xf32>) -> (tensor<16x8xf32>)
  %d = mlc_tensor.extern "aten.cumsum.default"(%a) args [#mlc_tensor.operand<"0">, 0 : i64] {mlc.operand_strides = [["1", "8"]]} : (tensor<8x16xf32>) -> (tensor<8x16xf32>)
  %m = mlc_tensor.extern "aten.mm.default"(%t, %x) : (tensor<8x16xf32>, tensor<16x8xf32>) -> (tensor<8x8xf32>)
  %v = mlc_tensor.extern "aten.view_as_real.default"(%t) {mlc.view} : (tensor<8x16xf32>) -> (tensor<8x16xf32>)
  func.return %b, %c, %d, %m, %v : tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x16xf32>
}

// -----

// A caller that takes any layout gets permuted rows as they lie; a part of the sum with gaps is copied.
// CHECK-LABEL: @saved(
// CHECK:         %[[P:.*]] = mlc_tensor.permute
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.slice
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[S]]
// CHECK-NEXT:    func.return %[[P]], %[[C]]
func.func @saved(%x: tensor<16x8xf32>) -> (tensor<8x16xf32> {mlc.any_layout}, tensor<16x4xf32> {mlc.any_layout}) {
  %a = mlc_tensor.exp %x : tensor<16x8xf32>
  %b = mlc_tensor.sin %x : tensor<16x8xf32>
  %p = mlc_tensor.permute %a [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %s = mlc_tensor.slice %b [0, 2] step [1, 1] : tensor<16x8xf32> -> tensor<16x4xf32>
  func.return %p, %s : tensor<8x16xf32>, tensor<16x4xf32>
}

// -----

// Views of an argument that strides cannot express are copied once, behind the last of them, and fuse with what reads the
// argument. Those that they can express are given as they are.
// CHECK-LABEL: @turned_twice(
// CHECK:         %[[P:.*]] = mlc_tensor.permute %x
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.reshape %[[P]]
// CHECK-NEXT:    %[[Q:.*]] = mlc_tensor.permute %[[R]]
// CHECK-NEXT:    %[[S:.*]] = mlc_tensor.reshape %[[Q]]
// CHECK-NEXT:    %[[C:.*]] = mlc_tensor.cast %[[S]] : tensor<4x48xf32> -> tensor<4x48xf32>
// CHECK-NEXT:    func.return %[[C]], %[[P]], %x
func.func @turned_twice(%x: tensor<4x6x8xf32>) -> (tensor<4x48xf32>, tensor<4x8x6xf32>, tensor<4x6x8xf32>) {
  %p = mlc_tensor.permute %x [0, 2, 1] : tensor<4x6x8xf32> -> tensor<4x8x6xf32>
  %r = mlc_tensor.reshape %p : tensor<4x8x6xf32> -> tensor<16x12xf32>
  %q = mlc_tensor.permute %r [1, 0] : tensor<16x12xf32> -> tensor<12x16xf32>
  %s = mlc_tensor.reshape %q : tensor<12x16xf32> -> tensor<4x48xf32>
  func.return %s, %p, %x : tensor<4x48xf32>, tensor<4x8x6xf32>, tensor<4x6x8xf32>
}
