// RUN: mlc-opt %s -p fuse,tensor-to-loop --split-input-file | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop,linearize-axes,schedule,loop-to-triton,cse,dce --split-input-file | filecheck %s --check-prefix=TRITON
// RUN: mlc-opt %s -p fuse,tensor-to-loop,linearize-axes,schedule,loop-to-triton,cse,dce -t triton --split-input-file | filecheck %s --check-prefix=SOURCE

// Rows of a table: what is looked up becomes an index, the iota stays one, and the table's exp moves to where it is read.
// CHECK-LABEL: mlc_loop.kernel @exp_add(%t: memref<50x8xf32>, %i: memref<3xi64>, %s_out: memref<3x8xf32>) {
// CHECK-NEXT:    mlc_loop.parallel (%[[ROW:i.*]], %j) = 0 to (3, 8) {
// CHECK-NEXT:      %[[I:i.*]] = mlc_loop.load %i[%[[ROW]]] : memref<3xi64>
// CHECK-NEXT:      %[[G:.*]] = mlc_loop.indirect_index %[[I]] below 50 : i64
// CHECK-NEXT:      %[[T:.*]] = mlc_loop.load %t[%[[G]], %j] : memref<50x8xf32>
// CHECK-NEXT:      %e = math.exp %[[T]] : f32
// CHECK-NEXT:      %s = arith.addf %e, %e : f32
// CHECK-NEXT:      mlc_loop.store %s, %s_out[%[[ROW]], %j]
// TRITON-LABEL: mlc_triton.kernel @exp_add(
// TRITON:         %mask = mlc_triton.mask %p < 24
// TRITON:         %[[I:i.*]] = mlc_triton.load %i[%p floordiv 8] mask %mask
// TRITON-NEXT:    %[[G:.*]] = mlc_triton.checked %[[I]] below 50 mask %mask : (tensor<32xi64>, tensor<32xi1>)
// TRITON-NEXT:    %[[N:.*]] = mlc_triton.cast %[[G]] : tensor<32xi64> -> tensor<32xi32>
// TRITON-NEXT:    mlc_triton.load %t[%[[N]] * 8 + (%p mod 8)] mask %mask
// SOURCE-LABEL: def rows(arguments):
// SOURCE:         exp_add[(1,)](t, i, s, num_warps=1, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
// SOURCE:         i_1 = lib.checked(i, 50, 'index out of range: indexing.mlir:{{.*}}', mask)
// SOURCE-NEXT:    t = tl.load(t_ptr + (i_1.to(tl.int32) * 8 + (p % 8)), mask=mask, other=0)
func.func @rows(%t: tensor<50x8xf32>, %i: tensor<3xi64>) -> tensor<3x8xf32> {
  %r = mlc_tensor.reshape %i : tensor<3xi64> -> tensor<3x1xi64>
  %b = mlc_tensor.broadcast %r : tensor<3x1xi64> -> tensor<3x8xi64>
  %k = mlc_tensor.iota dim 1 : tensor<3x8xi64>
  %e = mlc_tensor.exp %t : tensor<50x8xf32>
  %g = mlc_tensor.gather %e[%b, %k] : tensor<50x8xf32>, (tensor<3x8xi64>, tensor<3x8xi64>) -> tensor<3x8xf32>
  %s = mlc_tensor.add %g, %g : tensor<3x8xf32>
  func.return %s : tensor<3x8xf32>
}

// -----

// A sum over looked-up rows: the lookup stands outside of the loop over columns.
// CHECK-LABEL: mlc_loop.kernel @sum(%t: memref<50x8xf32>, %i: memref<3xi64>
// CHECK-NEXT:    mlc_loop.parallel %[[ROW:i.*]] = 0 to 3 {
// CHECK-NEXT:      %[[I:i.*]] = mlc_loop.load %i[%[[ROW]]]
// CHECK-NEXT:      %[[G:.*]] = mlc_loop.indirect_index
// CHECK-NEXT:      %s = mlc_loop.reduce add %j = 0 to 8 -> f32 {
// CHECK-NEXT:        mlc_loop.load %t[%[[G]], %j]
func.func @row_sums(%t: tensor<50x8xf32>, %i: tensor<3xi64>) -> tensor<3x1xf32> {
  %r = mlc_tensor.reshape %i : tensor<3xi64> -> tensor<3x1xi64>
  %b = mlc_tensor.broadcast %r : tensor<3x1xi64> -> tensor<3x8xi64>
  %k = mlc_tensor.iota dim 1 : tensor<3x8xi64>
  %g = mlc_tensor.gather %t[%b, %k] : tensor<50x8xf32>, (tensor<3x8xi64>, tensor<3x8xi64>) -> tensor<3x8xf32>
  %s = mlc_tensor.reduce add %g dims [1] : tensor<3x8xf32> -> tensor<3x1xf32>
  func.return %s : tensor<3x1xf32>
}

// -----

// A reduction that is read at a looked-up row has to be in memory.
// CHECK-LABEL: func.func @refused(
// CHECK:         mlc_loop.launch @sum(
// CHECK:         mlc_loop.launch @{{.*}}gather(
func.func @refused(%x: tensor<50x8xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<50x8xf32> -> tensor<50x1xf32>
  %r = mlc_tensor.reshape %s : tensor<50x1xf32> -> tensor<50xf32>
  %g = mlc_tensor.gather %r[%i] : tensor<50xf32>, (tensor<3xi64>) -> tensor<3xf32>
  func.return %g : tensor<3xf32>
}

// -----

// Past a pad's edge the index is any number: there it is not checked.
// CHECK-LABEL: mlc_loop.kernel @gather
// CHECK:         %[[I:.*]] = mlc_loop.load %i[%{{i.*}} - 1] if %[[C:.*]] : memref<3xi64>
// CHECK-NEXT:    %[[G:.*]] = mlc_loop.indirect_index %[[I]] below 9 if %[[C]] : i64
// CHECK-NEXT:    mlc_loop.load %t[%[[G]]] if %[[C]] : memref<9xf32>
func.func @guarded(%t: tensor<9xf32>, %i: tensor<3xi64>) -> tensor<5xf32> {
  %g = mlc_tensor.gather %t[%i] : tensor<9xf32>, (tensor<3xi64>) -> tensor<3xf32>
  %p = mlc_tensor.pad %g low [1] value 0.0 : f32 : tensor<3xf32> -> tensor<5xf32>
  func.return %p : tensor<5xf32>
}

// -----

// What is scattered into is copied first; the updates' producers join the kernel that scatters.
// CHECK-LABEL: mlc_loop.kernel @exp_scatter(%u: memref<3x8xf32>, %i: memref<3x8xi64>, %g_out: memref<50x8xf32>) {
// CHECK:         %e = math.exp
// CHECK:         %[[G:.*]] = mlc_loop.indirect_index %{{.*}} below 50 : i64
// CHECK-NEXT:    mlc_loop.atomic add %e, %g_out[%[[G]], %j] : memref<50x8xf32>
// CHECK-LABEL: func.func @adds(
// CHECK-NEXT:    %g = mlc_loop.alloc : memref<50x8xf32>
// CHECK-NEXT:    mlc_loop.launch @copy(%t, %g)
// CHECK-NEXT:    mlc_loop.launch @exp_scatter(%u, %i, %g)
// TRITON:        mlc_triton.atomic add %g_out[%{{.*}} * 8 + (%p mod 8)] = %e mask %mask
// SOURCE:        tl.atomic_add(g_out_ptr + (i_1.to(tl.int32) * 8 + (p % 8)), e, mask=mask, sem="relaxed")
func.func @adds(%t: tensor<50x8xf32>, %i: tensor<3x8xi64>, %u: tensor<3x8xf32>) -> tensor<50x8xf32> {
  %k = mlc_tensor.iota dim 1 : tensor<3x8xi64>
  %e = mlc_tensor.exp %u : tensor<3x8xf32>
  %g = mlc_tensor.scatter add %t[%i, %k], %e : tensor<50x8xf32>, (tensor<3x8xi64>, tensor<3x8xi64>), tensor<3x8xf32>
  func.return %g : tensor<50x8xf32>
}

// -----

// A buffer that a kernel made for nothing else is scattered into as it is. Replacing needs no atomic.
// CHECK-LABEL: mlc_loop.kernel @scatter(
// CHECK:         mlc_loop.store %{{.*}}, %g_out[%{{.*}}] : memref<50xf32>
// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT:    %g = mlc_loop.alloc : memref<50xf32>
// CHECK-NEXT:    mlc_loop.launch @exp(%t, %g)
// CHECK-NEXT:    mlc_loop.launch @scatter(%i, %u, %g)
// CHECK-NEXT:    func.return %g
func.func @in_place(%t: tensor<50xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<50xf32> {
  %e = mlc_tensor.exp %t : tensor<50xf32>
  %g = mlc_tensor.scatter set %e[%i], %u : tensor<50xf32>, (tensor<3xi64>), tensor<3xf32>
  func.return %g : tensor<50xf32>
}

// -----

// What reads the scattered tensor waits for the whole of it.
// CHECK-LABEL: func.func @after(
// CHECK:         mlc_loop.launch @copy(
// CHECK-NEXT:    mlc_loop.launch @scatter(
// CHECK:         mlc_loop.launch @exp(
func.func @after(%t: tensor<50xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<50xf32> {
  %g = mlc_tensor.scatter add %t[%i], %u : tensor<50xf32>, (tensor<3xi64>), tensor<3xf32>
  %e = mlc_tensor.exp %g : tensor<50xf32>
  func.return %e : tensor<50xf32>
}

// -----

// Behind an offset a count is the joined index less that: where it is not, nothing is read, and it needs no check.
// CHECK-LABEL: mlc_loop.kernel @{{.*}}gather(%y: memref<4x8xf32>, %x: memref<6x8xf32>, %at: memref<8xi64>
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (10, 8) {
// CHECK:           %[[I:at.*]] = mlc_loop.load %at[%j] if %[[HERE:.*]] : memref<8xi64>
// CHECK-NEXT:      %[[G:.*]] = mlc_loop.indirect_index %[[I]] below 8 if %[[HERE]] : i64
// CHECK-NEXT:      mlc_loop.load %x[%i - 4, %[[G]]] if %[[HERE]] : memref<6x8xf32>
func.func @joined(%y: tensor<4x8xf32>, %x: tensor<6x8xf32>, %at: tensor<8xi64>) -> tensor<10x8xf32> {
  %k = mlc_tensor.iota dim 0 : tensor<6x8xi64>
  %b = mlc_tensor.broadcast %at : tensor<8xi64> -> tensor<6x8xi64>
  %g = mlc_tensor.gather %x[%k, %b] : tensor<6x8xf32>, (tensor<6x8xi64>, tensor<6x8xi64>) -> tensor<6x8xf32>
  %c = mlc_tensor.cat %y, %g dim 0 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<10x8xf32>
  func.return %c : tensor<10x8xf32>
}
