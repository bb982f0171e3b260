// RUN: mlc-opt %s -p lane-order | filecheck %s
// RUN: mlc-opt %s -p lane-order,lane-order --print-op-generic | mlc-opt | filecheck %s

// Of a remainder by 49 Triton knows no neighbours: it is told that those of columns lie side by side. Of what is loaded,
// whose rows are neighbours, it knows. A remainder by 48 keeps pairs together.
// CHECK-LABEL: mlc_triton.kernel @remainders(
// CHECK:         mlc_triton.load %x[%p + %r * 384] : (
// CHECK:         mlc_triton.store %out[%p * 49 + (%r floordiv 49) * 18816 + (%r mod 49)] = %v along 1 : (
// CHECK-NEXT:    mlc_triton.store %out[%p * 48 + (%r floordiv 48) * 18816 + (%r mod 48)] = %v : (
mlc_triton.kernel @remainders(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [12, 25] sizes [] num_warps 4 {
  %i = mlc_triton.program_id 0 : i32
  %l = mlc_triton.arange : tensor<32x1xi32>
  %p = mlc_triton.index [%i * 32 + %l] : (i32, tensor<32x1xi32>) -> tensor<32x1xi32>
  %j = mlc_triton.program_id 1 : i32
  %k = mlc_triton.arange : tensor<1x64xi32>
  %r = mlc_triton.index [%j * 64 + %k] : (i32, tensor<1x64xi32>) -> tensor<1x64xi32>
  %v = mlc_triton.load %x[%p + %r * 384] : (!mlc_triton.ptr<f32>, tensor<32x1xi32>, tensor<1x64xi32>) -> tensor<32x64xf32>
  mlc_triton.store %out[%p * 49 + (%r floordiv 49) * 18816 + (%r mod 49)] = %v : (!mlc_triton.ptr<f32>, tensor<32x64xf32>, tensor<32x1xi32>, tensor<1x64xi32>)
  mlc_triton.store %out[%p * 48 + (%r floordiv 48) * 18816 + (%r mod 48)] = %v : (!mlc_triton.ptr<f32>, tensor<32x64xf32>, tensor<32x1xi32>, tensor<1x64xi32>)
}

// Windows of 3 x 24 channels: 24 neighbours have one place in the window, whatever it is divided by.
// CHECK-LABEL: mlc_triton.kernel @windows(
// CHECK:         mlc_triton.load %x[%p * 72 + ((%r floordiv 24) mod 3) * 640 + (%r mod 24)] : (
mlc_triton.kernel @windows(%x: !mlc_triton.ptr<bf16>, %out: !mlc_triton.ptr<bf16>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.arange : tensor<64x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %v = mlc_triton.load %x[%p * 72 + ((%r floordiv 24) mod 3) * 640 + (%r mod 24)] : (!mlc_triton.ptr<bf16>, tensor<64x1xi32>, tensor<1x64xi32>) -> tensor<64x64xbf16>
  mlc_triton.store %out[%p * 64 + %r] = %v : (!mlc_triton.ptr<bf16>, tensor<64x64xbf16>, tensor<64x1xi32>, tensor<1x64xi32>)
}

// What begins at an odd place, and divisors that are not known, tell Triton nothing either. Rows may be the nearer ones.
// CHECK-LABEL: mlc_triton.kernel @untold(
// CHECK:         mlc_triton.load %x[%p * 96 + ((%r + 1) mod 48)] along 1 : (
// CHECK-NEXT:    mlc_triton.load %x[%r * 96 + (%p mod %n)] along 0 : (
mlc_triton.kernel @untold(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>, %n: i32) grid [1] sizes ["N"] num_warps 4 {
  %p = mlc_triton.arange : tensor<64x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %v = mlc_triton.load %x[%p * 96 + ((%r + 1) mod 48)] : (!mlc_triton.ptr<f32>, tensor<64x1xi32>, tensor<1x64xi32>) -> tensor<64x64xf32>
  %w = mlc_triton.load %x[%r * 96 + (%p mod %n)] : (!mlc_triton.ptr<f32>, tensor<1x64xi32>, tensor<64x1xi32>, i32) -> tensor<64x64xf32>
  %s = arith.addf %v, %w : tensor<64x64xf32>
  mlc_triton.store %out[%p * 64 + %r] = %s : (!mlc_triton.ptr<f32>, tensor<64x64xf32>, tensor<64x1xi32>, tensor<1x64xi32>)
}

// Neighbours two elements apart share sectors as well. Eight float32 apart they do not, and neither dimension is better
// than the other where both are alike. A vector has one dimension, and an index of another op is left as it is.
// CHECK-LABEL: mlc_triton.kernel @steps(
// CHECK:         mlc_triton.load %x[%p * 1000 + %r * 2] along 1 : (
// CHECK-NEXT:    mlc_triton.load %x[%p * 1000 + %r * 8] : (
// CHECK-NEXT:    mlc_triton.load %x[%p * 2 + %r * 2] : (
// CHECK-NEXT:    mlc_triton.load %x[%r mod 7] : (
// CHECK-NEXT:    mlc_triton.load %x[%q] : (
mlc_triton.kernel @steps(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.arange : tensor<64x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %q = mlc_triton.index [%p * 1000 + %r * 2] : (tensor<64x1xi32>, tensor<1x64xi32>) -> tensor<64x64xi32>
  %a = mlc_triton.load %x[%p * 1000 + %r * 2] : (!mlc_triton.ptr<f32>, tensor<64x1xi32>, tensor<1x64xi32>) -> tensor<64x64xf32>
  %b = mlc_triton.load %x[%p * 1000 + %r * 8] : (!mlc_triton.ptr<f32>, tensor<64x1xi32>, tensor<1x64xi32>) -> tensor<64x64xf32>
  %c = mlc_triton.load %x[%p * 2 + %r * 2] : (!mlc_triton.ptr<f32>, tensor<64x1xi32>, tensor<1x64xi32>) -> tensor<64x64xf32>
  %d = mlc_triton.load %x[%r mod 7] : (!mlc_triton.ptr<f32>, tensor<1x64xi32>) -> tensor<1x64xf32>
  %e = mlc_triton.load %x[%q] : (!mlc_triton.ptr<f32>, tensor<64x64xi32>) -> tensor<64x64xf32>
  mlc_triton.store %out[%p * 64 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<64x64xf32>, tensor<64x1xi32>, tensor<1x64xi32>)
}
