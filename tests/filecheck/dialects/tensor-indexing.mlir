// RUN: mlc-opt %s --split-input-file | filecheck %s
// RUN: mlc-opt %s --split-input-file --print-op-generic | mlc-opt --split-input-file | filecheck %s

// Ops whose indices are data, at every level.

// CHECK-LABEL: func.func @gathers(
// CHECK-NEXT:    %k = mlc_tensor.iota dim 1 : tensor<3x8xi64>
// CHECK-NEXT:    %g = mlc_tensor.gather %t[%i, %k] : tensor<50x8xf32>, (tensor<3x8xi32>, tensor<3x8xi64>) -> tensor<3x8xf32>
// CHECK-NEXT:    %one = mlc_tensor.gather %z[] {why = 1 : i64} : tensor<bf16>, () -> tensor<5xbf16>
func.func @gathers(%t: tensor<50x8xf32>, %i: tensor<3x8xi32>, %z: tensor<bf16>) {
  %k = mlc_tensor.iota dim 1 : tensor<3x8xi64>
  %g = mlc_tensor.gather %t[%i, %k] : tensor<50x8xf32>, (tensor<3x8xi32>, tensor<3x8xi64>) -> tensor<3x8xf32>
  %one = mlc_tensor.gather %z[] {why = 1} : tensor<bf16>, () -> tensor<5xbf16>
  func.return
}

// -----

// CHECK-LABEL: func.func @scatters(
// CHECK-NEXT:    %a = mlc_tensor.scatter add %t[%i], %u : tensor<?xf32, ["N"]>, (tensor<3xi64>), tensor<3xf32>
// CHECK-NEXT:    %b = mlc_tensor.scatter set %t[%i], %u : tensor<?xf32, ["N"]>, (tensor<3xi64>), tensor<3xf32>
// CHECK-NEXT:    %c = mlc_tensor.scatter max %n[%i], %i {why = 1 : i64} : tensor<9xi64>, (tensor<3xi64>), tensor<3xi64>
func.func @scatters(%t: tensor<?xf32, ["N"]>, %i: tensor<3xi64>, %u: tensor<3xf32>, %n: tensor<9xi64>) {
  %a = mlc_tensor.scatter add %t[%i], %u : tensor<?xf32, ["N"]>, (tensor<3xi64>), tensor<3xf32>
  %b = mlc_tensor.scatter set %t[%i], %u : tensor<?xf32, ["N"]>, (tensor<3xi64>), tensor<3xf32>
  %c = mlc_tensor.scatter max %n[%i], %i {why = 1} : tensor<9xi64>, (tensor<3xi64>), tensor<3xi64>
  func.return
}

// -----

// CHECK-LABEL: mlc_loop.kernel @loops(
// CHECK:           %g = mlc_loop.indirect_index %n below 50 : i64
// CHECK-NEXT:      %h = mlc_loop.indirect_index %n below N * 2 if %c : i64
// CHECK-NEXT:      %v = mlc_loop.load %t[%g] : memref<50xf32>
// CHECK-NEXT:      mlc_loop.atomic add %v, %o[%h + %p] : memref<60xf32>
// CHECK-NEXT:      mlc_loop.atomic add %v, %o[%h] if %c : memref<60xf32>
mlc_loop.kernel @loops(%i: memref<40xi64>, %t: memref<50xf32>, %o: memref<60xf32>) {
  mlc_loop.parallel %p = 0 to 40 {
    %n = mlc_loop.load %i[%p] : memref<40xi64>
    %c = arith.cmpi eq, %n, %n : i64
    %g = mlc_loop.indirect_index %n below 50 : i64
    %h = mlc_loop.indirect_index %n below N * 2 if %c : i64
    %v = mlc_loop.load %t[%g] : memref<50xf32>
    mlc_loop.atomic add %v, %o[%h + %p] : memref<60xf32>
    mlc_loop.atomic add %v, %o[%h] if %c : memref<60xf32>
  }
}

// -----

// CHECK-LABEL: mlc_triton.kernel @blocks(
// CHECK:           %g = mlc_triton.checked %j below %N * 2 mask %m : (tensor<32xi32>, i32, tensor<32xi1>)
// CHECK-NEXT:      %h = mlc_triton.checked %j below 50 : (tensor<32xi32>)
// CHECK-NEXT:      mlc_triton.atomic max %x[%h] = %j mask %m : (!mlc_triton.ptr<i32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi1>)
// CHECK-NEXT:      mlc_triton.atomic add %x[%g] = %j : (!mlc_triton.ptr<i32>, tensor<32xi32>, tensor<32xi32>)
mlc_triton.kernel @blocks(%x: !mlc_triton.ptr<i32>, %N: i32) grid [1] sizes ["N"] num_warps 1 {
  %j = mlc_triton.arange : tensor<32xi32>
  %m = mlc_triton.mask %j < 24 : (tensor<32xi32>) -> tensor<32xi1>
  %g = mlc_triton.checked %j below %N * 2 mask %m : (tensor<32xi32>, i32, tensor<32xi1>)
  %h = mlc_triton.checked %j below 50 : (tensor<32xi32>)
  mlc_triton.atomic max %x[%h] = %j mask %m : (!mlc_triton.ptr<i32>, tensor<32xi32>, tensor<32xi32>, tensor<32xi1>)
  mlc_triton.atomic add %x[%g] = %j : (!mlc_triton.ptr<i32>, tensor<32xi32>, tensor<32xi32>)
}
