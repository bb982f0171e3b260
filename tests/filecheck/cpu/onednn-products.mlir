// RUN: mlc-opt %s -p onednn-products --split-input-file | filecheck %s
// RUN: mlc-opt %s -p onednn-products --split-input-file --verify-semantics
// RUN: mlc-opt %s -p onednn-products{speed=1.07} --split-input-file | filecheck %s --check-prefix LITTLE

// The second operand is given as it is transposed: a view.
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:    %[[T:.*]] = mlc_loop.view %y offset ["0"] : memref<256x128xf32> -> memref<128x256xf32, strided<[1, 128]>>
// CHECK-NEXT:    %z = mlc_loop.call "mkldnn._linear_pointwise.default"(%x, %[[T]]) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, none, "none", [], ""] : (memref<128x256xf32>, memref<128x256xf32, strided<[1, 128]>>) -> memref<128x128xf32>
// CHECK-NEXT:    func.return %z
// LITTLE-LABEL: func.func @rows(
// LITTLE: mkldnn._linear_pointwise.default
func.func @rows(%x: memref<128x256xf32>, %y: memref<256x128xf32>) -> memref<128x128xf32> {
  %z = mlc_loop.call "aten.mm.default"(%x, %y) : (memref<128x256xf32>, memref<256x128xf32>) -> memref<128x128xf32>
  func.return %z : memref<128x128xf32>
}

// -----

// Transposed operands of a program, the weight among them. oneDNN copies the first, which takes what it is faster by.
// CHECK-LABEL: func.func @weights(
// CHECK-NEXT:    mlc_loop.view %w offset ["0"] : memref<256x128xf32, strided<[1, 256]>> -> memref<128x256xf32>
// CHECK-NEXT:    mlc_loop.call "mkldnn._linear_pointwise.default"
// LITTLE-LABEL: func.func @weights(
// LITTLE-NOT: mkldnn
func.func @weights(%x: memref<128x256xf32, strided<[1, 128]>>, %w: memref<256x128xf32, strided<[1, 256]>>) -> memref<128x128xf32> {
  %z = mlc_loop.call "aten.mm.default"(%x, %w) : (memref<128x256xf32, strided<[1, 128]>>, memref<256x128xf32, strided<[1, 256]>>) -> memref<128x128xf32>
  func.return %z : memref<128x128xf32>
}

// -----

// Small products, products of vectors, of float64, calls that name an operand twice, and
// matrices whose rows overlap stay with the BLAS.
// CHECK-NOT: mkldnn
func.func @others(%a: memref<64x64xf32>, %v: memref<4096x1024xf32>, %w: memref<1024x1xf32>, %d: memref<256x256xf64>, %o: memref<256x256xf32, strided<[0, 1]>>, %e: memref<256x256xf32>) -> (memref<64x64xf32>, memref<4096x1xf32>, memref<256x256xf64>, memref<256x256xf32>, memref<256x256xf32>) {
  %p = mlc_loop.call "aten.mm.default"(%a, %a) : (memref<64x64xf32>, memref<64x64xf32>) -> memref<64x64xf32>
  %q = mlc_loop.call "aten.mm.default"(%v, %w) : (memref<4096x1024xf32>, memref<1024x1xf32>) -> memref<4096x1xf32>
  %r = mlc_loop.call "aten.mm.default"(%d, %d) : (memref<256x256xf64>, memref<256x256xf64>) -> memref<256x256xf64>
  %s = mlc_loop.call "aten.mm.default"(%o, %o) : (memref<256x256xf32, strided<[0, 1]>>, memref<256x256xf32, strided<[0, 1]>>) -> memref<256x256xf32>
  %t = mlc_loop.call "aten.mm.default"(%e) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"0">] : (memref<256x256xf32>) -> memref<256x256xf32>
  func.return %p, %q, %r, %s, %t : memref<64x64xf32>, memref<4096x1xf32>, memref<256x256xf64>, memref<256x256xf32>, memref<256x256xf32>
}
