// RUN: mlc-opt %s -p reuse-buffers --split-input-file | filecheck %s

// A gradient dies where it is sent: it is reduced where it lies. The kernel that makes it stays as it is.
// CHECK-LABEL: func.func @sends(
// CHECK-NEXT:    %g = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @half(%x, %g)
// CHECK-NEXT:    %a = mlc_loop.call "_c10d_functional.all_reduce_.default"(%g)
// CHECK-NEXT:    mlc_loop.free %g
// CHECK-NEXT:    %w = mlc_loop.call "_c10d_functional.wait_tensor.default"(%a)
func.func @sends(%x: memref<64xf32>) -> memref<64xf32> {
  %g = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @half(%x, %g) : memref<64xf32>, memref<64xf32>
  %a = mlc_loop.call "_c10d_functional.all_reduce.default"(%g) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<64xf32>) -> memref<64xf32>
  mlc_loop.free %g : memref<64xf32>
  %w = mlc_loop.call "_c10d_functional.wait_tensor.default"(%a) : (memref<64xf32>) -> memref<64xf32>
  func.return %w : memref<64xf32>
}

// -----

// So it is for a product of the library, for a part of a buffer that dies, and for a broadcast.
// CHECK-LABEL: func.func @products(
// CHECK:         mlc_loop.call "_c10d_functional.all_reduce_.default"(%v)
// CHECK:         mlc_loop.call "_c10d_functional.broadcast_.default"(%n)
func.func @products(%x: memref<8x8xf32>) -> (memref<64xf32>, memref<8x8xf32>) {
  %m = mlc_loop.call "aten.mm.default"(%x, %x) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  %v = mlc_loop.view %m offset ["0"] : memref<8x8xf32> -> memref<64xf32>
  %a = mlc_loop.call "_c10d_functional.all_reduce.default"(%v) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<64xf32>) -> memref<64xf32>
  %n = mlc_loop.call "aten.mm.default"(%x, %x) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  %b = mlc_loop.call "_c10d_functional.broadcast.default"(%n) args [#mlc_tensor.operand<"0">, 0, "0"] : (memref<8x8xf32>) -> memref<8x8xf32>
  func.return %a, %b : memref<64xf32>, memref<8x8xf32>
}

// -----

// An argument is another's. It may be overwritten where it is donated.
// CHECK-LABEL: func.func @arguments(
// CHECK-NEXT:    %a = mlc_loop.call "_c10d_functional.all_reduce.default"(%x)
// CHECK-NEXT:    %b = mlc_loop.call "_c10d_functional.all_reduce_.default"(%y)
func.func @arguments(%x: memref<64xf32>, %y: memref<64xf32> {mlc.donated}) -> (memref<64xf32>, memref<64xf32>) {
  %a = mlc_loop.call "_c10d_functional.all_reduce.default"(%x) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<64xf32>) -> memref<64xf32>
  %b = mlc_loop.call "_c10d_functional.all_reduce.default"(%y) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<64xf32>) -> memref<64xf32>
  func.return %a, %b : memref<64xf32>, memref<64xf32>
}

// -----

// What is read later, or returned, keeps its values; so does that of which another part is.
// CHECK-LABEL: func.func @read_later(
// CHECK-COUNT-3: mlc_loop.call "_c10d_functional.all_reduce.default"
// CHECK-NOT:     all_reduce_
func.func @read_later(%x: memref<8x8xf32>) -> (memref<8x8xf32>, memref<8x8xf32>, memref<32xf32>, memref<8x8xf32>) {
  %m = mlc_loop.call "aten.mm.default"(%x, %x) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  %a = mlc_loop.call "_c10d_functional.all_reduce.default"(%m) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<8x8xf32>) -> memref<8x8xf32>
  %n = mlc_loop.call "aten.mm.default"(%x, %m) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  %b = mlc_loop.call "_c10d_functional.all_reduce.default"(%n) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<8x8xf32>) -> memref<8x8xf32>
  %o = mlc_loop.call "aten.mm.default"(%x, %x) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  %v = mlc_loop.view %o offset ["0"] : memref<8x8xf32> -> memref<32xf32>
  %u = mlc_loop.view %o offset ["32"] : memref<8x8xf32> -> memref<32xf32>
  %c = mlc_loop.call "_c10d_functional.all_reduce.default"(%v) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<32xf32>) -> memref<32xf32>
  %p = mlc_loop.alloc : memref<8x8xf32>
  mlc_loop.launch @half(%u, %p) : memref<32xf32>, memref<8x8xf32>
  func.return %b, %n, %c, %p : memref<8x8xf32>, memref<8x8xf32>, memref<32xf32>, memref<8x8xf32>
}

// -----

// What a call before may have kept keeps its values. What is not contiguous is copied, and what has a larger result.
// CHECK-LABEL: func.func @kept(
// CHECK:         mlc_loop.call "_c10d_functional.all_reduce.default"(%g)
// CHECK:         mlc_loop.call "_c10d_functional.all_reduce.default"(%t)
// CHECK:         mlc_loop.call "_c10d_functional.all_gather_into_tensor.default"(%s)
func.func @kept(%x: memref<8x8xf32>) -> (memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32, strided<[1, 8]>>, memref<16x8xf32>) {
  %g = mlc_loop.alloc : memref<8x8xf32>
  mlc_loop.launch @half(%x, %g) : memref<8x8xf32>, memref<8x8xf32>
  %k = mlc_loop.call "aten.relu_.default"(%g) : (memref<8x8xf32>) -> memref<8x8xf32>
  %a = mlc_loop.call "_c10d_functional.all_reduce.default"(%g) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<8x8xf32>) -> memref<8x8xf32>
  %t = mlc_loop.alloc : memref<8x8xf32, strided<[1, 8]>>
  mlc_loop.launch @half(%x, %t) : memref<8x8xf32>, memref<8x8xf32, strided<[1, 8]>>
  %b = mlc_loop.call "_c10d_functional.all_reduce.default"(%t) args [#mlc_tensor.operand<"0">, "sum", "0"] : (memref<8x8xf32, strided<[1, 8]>>) -> memref<8x8xf32, strided<[1, 8]>>
  %s = mlc_loop.alloc : memref<8x8xf32>
  mlc_loop.launch @half(%x, %s) : memref<8x8xf32>, memref<8x8xf32>
  %c = mlc_loop.call "_c10d_functional.all_gather_into_tensor.default"(%s) args [#mlc_tensor.operand<"0">, 2, "0"] : (memref<8x8xf32>) -> memref<16x8xf32>
  func.return %k, %a, %b, %c : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32, strided<[1, 8]>>, memref<16x8xf32>
}
