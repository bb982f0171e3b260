// RUN: mlc-opt %s -p transposed-loads | filecheck %s

// Keys are a factor of the scores, and of what is summed with them: one load, in the order that came first.
// CHECK-LABEL: mlc_triton.kernel @keys_and_their_transpose(
// CHECK:         %keys = mlc_triton.load %k[%j * 64 + %d]
// CHECK-NEXT:    %scores = mlc_triton.dot "ieee" %q, %keys, %zeros
// CHECK-NEXT:    %again = mlc_triton.transpose %keys : tensor<64x32xbf16> -> tensor<32x64xbf16>
// CHECK-NEXT:    %weights = mlc_triton.cast %scores
// CHECK-NEXT:    %sum = mlc_triton.dot "ieee" %weights, %again, %wide
mlc_triton.kernel @keys_and_their_transpose(%k: !mlc_triton.ptr<bf16>, %query: !mlc_triton.ptr<bf16>, %o: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %start = mlc_triton.program_id 0 : i32
  %i = mlc_triton.arange : tensor<16x1xi32>
  %c = mlc_triton.arange : tensor<1x64xi32>
  %d = mlc_triton.arange : tensor<64x1xi32>
  %lanes = mlc_triton.arange : tensor<1x32xi32>
  %lanes_1 = mlc_triton.arange : tensor<32x1xi32>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<16x32xf32>
  %wide = mlc_triton.full 0.0 : f32 : tensor<16x64xf32>
  %q = mlc_triton.load %query[%i * 64 + %c] : (!mlc_triton.ptr<bf16>, tensor<16x1xi32>, tensor<1x64xi32>) -> tensor<16x64xbf16>
  %j = mlc_triton.index [%start * 32 + %lanes] : (i32, tensor<1x32xi32>) -> tensor<1x32xi32>
  %j_1 = mlc_triton.index [%start * 32 + %lanes_1] : (i32, tensor<32x1xi32>) -> tensor<32x1xi32>
  %keys = mlc_triton.load %k[%j * 64 + %d] : (!mlc_triton.ptr<bf16>, tensor<1x32xi32>, tensor<64x1xi32>) -> tensor<64x32xbf16>
  %scores = mlc_triton.dot "ieee" %q, %keys, %zeros : tensor<16x64xbf16>, tensor<64x32xbf16>, tensor<16x32xf32> -> tensor<16x32xf32>
  %again = mlc_triton.load %k[%c + %j_1 * 64] : (!mlc_triton.ptr<bf16>, tensor<1x64xi32>, tensor<32x1xi32>) -> tensor<32x64xbf16>
  %weights = mlc_triton.cast %scores : tensor<16x32xf32> -> tensor<16x32xbf16>
  %sum = mlc_triton.dot "ieee" %weights, %again, %wide : tensor<16x32xbf16>, tensor<32x64xbf16>, tensor<16x64xf32> -> tensor<16x64xf32>
  mlc_triton.store %o[%i * 64 + %c] = %sum : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
}

// The same with masks, which are each other's transposes too. A block of as many rows as columns tells them apart.
// CHECK-LABEL: mlc_triton.kernel @masked(
// CHECK:         %[[A:.*]] = mlc_triton.load %x[%c * 40 + %r] mask %m
// CHECK:         mlc_triton.transpose %[[A]] : tensor<32x32xf16> -> tensor<32x32xf16>
// CHECK-NOT:     mlc_triton.load
mlc_triton.kernel @masked(%x: !mlc_triton.ptr<f16>, %o: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %r = mlc_triton.arange : tensor<32x1xi32>
  %c = mlc_triton.arange : tensor<1x32xi32>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<32x32xf32>
  %m_0 = mlc_triton.mask %r < 30 : (tensor<32x1xi32>) -> tensor<32x1xi1>
  %n_0 = mlc_triton.mask %c < 30 : (tensor<1x32xi32>) -> tensor<1x32xi1>
  %m = mlc_triton.broadcast %m_0 : tensor<32x1xi1> -> tensor<32x32xi1>
  %n = mlc_triton.broadcast %n_0 : tensor<1x32xi1> -> tensor<32x32xi1>
  %a = mlc_triton.load %x[%c * 40 + %r] mask %m : (!mlc_triton.ptr<f16>, tensor<1x32xi32>, tensor<32x1xi32>, tensor<32x32xi1>) -> tensor<32x32xf16>
  %b = mlc_triton.load %x[%r * 40 + %c] mask %n : (!mlc_triton.ptr<f16>, tensor<32x1xi32>, tensor<1x32xi32>, tensor<32x32xi1>) -> tensor<32x32xf16>
  %p = mlc_triton.dot "ieee" %a, %b, %zeros : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32> -> tensor<32x32xf32>
  mlc_triton.store %o[%r * 32 + %c] = %p : (!mlc_triton.ptr<f32>, tensor<32x32xf32>, tensor<32x1xi32>, tensor<1x32xi32>)
}

// Another mask, another place, another tensor, and a block that more than products read: each has its own load.
// CHECK-LABEL: mlc_triton.kernel @different(
// CHECK-NOT:     mlc_triton.transpose
mlc_triton.kernel @different(%x: !mlc_triton.ptr<f16>, %y: !mlc_triton.ptr<f16>, %o: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %r = mlc_triton.arange : tensor<32x1xi32>
  %c = mlc_triton.arange : tensor<1x32xi32>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<32x32xf32>
  %m_0 = mlc_triton.mask %r < 30 : (tensor<32x1xi32>) -> tensor<32x1xi1>
  %m = mlc_triton.broadcast %m_0 : tensor<32x1xi1> -> tensor<32x32xi1>
  %a = mlc_triton.load %x[%c * 40 + %r] : (!mlc_triton.ptr<f16>, tensor<1x32xi32>, tensor<32x1xi32>) -> tensor<32x32xf16>
  %b = mlc_triton.load %x[%r * 40 + %c] mask %m : (!mlc_triton.ptr<f16>, tensor<32x1xi32>, tensor<1x32xi32>, tensor<32x32xi1>) -> tensor<32x32xf16>
  %d = mlc_triton.load %x[%r * 40 + %c + 1] : (!mlc_triton.ptr<f16>, tensor<32x1xi32>, tensor<1x32xi32>) -> tensor<32x32xf16>
  %e = mlc_triton.load %y[%r * 40 + %c] : (!mlc_triton.ptr<f16>, tensor<32x1xi32>, tensor<1x32xi32>) -> tensor<32x32xf16>
  %f = mlc_triton.load %x[%r * 40 + %c] : (!mlc_triton.ptr<f16>, tensor<32x1xi32>, tensor<1x32xi32>) -> tensor<32x32xf16>
  %p = mlc_triton.dot "ieee" %a, %b, %zeros : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32> -> tensor<32x32xf32>
  %q = mlc_triton.dot "ieee" %d, %e, %p : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32> -> tensor<32x32xf32>
  %s = mlc_triton.dot "ieee" %f, %f, %q : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32> -> tensor<32x32xf32>
  %w = mlc_triton.cast %f : tensor<32x32xf16> -> tensor<32x32xf32>
  %t = arith.addf %s, %w : tensor<32x32xf32>
  mlc_triton.store %o[%r * 32 + %c] = %t : (!mlc_triton.ptr<f32>, tensor<32x32xf32>, tensor<32x1xi32>, tensor<1x32xi32>)
}
