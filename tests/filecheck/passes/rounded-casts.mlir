// RUN: mlc-opt %s -p rounded-casts | filecheck %s

// To bfloat16 and back is one op, also where what was rounded is stored as well.
// CHECK-LABEL: mlc_triton.kernel @rounds(
// CHECK:         %x = mlc_triton.load
// CHECK-NEXT:    %w = mlc_triton.rounded %x : tensor<64xf32>
// CHECK-NEXT:    %n = mlc_triton.cast %w : tensor<64xf32> -> tensor<64xbf16>
// CHECK-NEXT:    %v = mlc_triton.rounded %w : tensor<64xf32>
// CHECK-NEXT:    mlc_triton.store %out[%r] = %n
// CHECK-NEXT:    mlc_triton.store %wide[%r] = %v
mlc_triton.kernel @rounds(%in: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<bf16>, %wide: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<64xi32>
  %x = mlc_triton.load %in[%r] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  %a = mlc_triton.cast %x : tensor<64xf32> -> tensor<64xbf16>
  %w = mlc_triton.cast %a : tensor<64xbf16> -> tensor<64xf32>
  %n = mlc_triton.cast %w : tensor<64xf32> -> tensor<64xbf16>
  %v = mlc_triton.cast %n : tensor<64xbf16> -> tensor<64xf32>
  mlc_triton.store %out[%r] = %n : (!mlc_triton.ptr<bf16>, tensor<64xbf16>, tensor<64xi32>)
  mlc_triton.store %wide[%r] = %v : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}

// float16, float64, one number, and what was loaded as bfloat16 stay.
// CHECK-LABEL: mlc_triton.kernel @stays(
// CHECK-NOT:     mlc_triton.rounded
mlc_triton.kernel @stays(%in: !mlc_triton.ptr<f32>, %half: !mlc_triton.ptr<bf16>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<64xi32>
  %x = mlc_triton.load %in[%r] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  %a = mlc_triton.cast %x : tensor<64xf32> -> tensor<64xf16>
  %b = mlc_triton.cast %a : tensor<64xf16> -> tensor<64xf32>
  mlc_triton.store %out[%r] = %b : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
  %d = mlc_triton.cast %x : tensor<64xf32> -> tensor<64xf64>
  %e = mlc_triton.cast %d : tensor<64xf64> -> tensor<64xbf16>
  %f = mlc_triton.cast %e : tensor<64xbf16> -> tensor<64xf32>
  mlc_triton.store %out[%r] = %f : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
  %s = mlc_triton.reduce "add" %x : (tensor<64xf32>) -> f32
  %t = mlc_triton.cast %s : f32 -> bf16
  %u = mlc_triton.cast %t : bf16 -> f32
  mlc_triton.store %out[0] = %u : (!mlc_triton.ptr<f32>, f32)
  %h = mlc_triton.load %half[%r] : (!mlc_triton.ptr<bf16>, tensor<64xi32>) -> tensor<64xbf16>
  %g = mlc_triton.cast %h : tensor<64xbf16> -> tensor<64xf32>
  mlc_triton.store %out[%r] = %g : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}

// Sums and products of two bfloat16s that are rounded again are the device's own: the casts around them stay, also with
// a number that eight digits hold. A quotient is not, nor a product with float32: they read what was rounded.
// CHECK-LABEL: mlc_triton.kernel @pairs(
// CHECK:         %w = mlc_triton.cast %h
// CHECK-NEXT:    %d = arith.mulf %w, %two
// CHECK-NEXT:    %n = mlc_triton.cast %d
// CHECK-NEXT:    %v = mlc_triton.cast %n
// CHECK-NEXT:    %a = arith.addf %v, %w
// CHECK-NEXT:    %m = mlc_triton.cast %a
// CHECK-NEXT:    mlc_triton.store %out[%r] = %m
// CHECK-NEXT:    %q = arith.divf %v, %w
// CHECK-NEXT:    %[[Q:.*]] = mlc_triton.rounded %q
// CHECK-NEXT:    %x = arith.mulf %[[Q]], %tenth
mlc_triton.kernel @pairs(%half: !mlc_triton.ptr<bf16>, %out: !mlc_triton.ptr<bf16>, %wide: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<64xi32>
  %two = mlc_triton.full 2.0 : f32 : tensor<64xf32>
  %tenth = mlc_triton.full 0.1 : f32 : tensor<64xf32>
  %h = mlc_triton.load %half[%r] : (!mlc_triton.ptr<bf16>, tensor<64xi32>) -> tensor<64xbf16>
  %w = mlc_triton.cast %h : tensor<64xbf16> -> tensor<64xf32>
  %d = arith.mulf %w, %two : tensor<64xf32>
  %n = mlc_triton.cast %d : tensor<64xf32> -> tensor<64xbf16>
  %v = mlc_triton.cast %n : tensor<64xbf16> -> tensor<64xf32>
  %a = arith.addf %v, %w : tensor<64xf32>
  %m = mlc_triton.cast %a : tensor<64xf32> -> tensor<64xbf16>
  mlc_triton.store %out[%r] = %m : (!mlc_triton.ptr<bf16>, tensor<64xbf16>, tensor<64xi32>)
  %q = arith.divf %v, %w : tensor<64xf32>
  %k = mlc_triton.cast %q : tensor<64xf32> -> tensor<64xbf16>
  %e = mlc_triton.cast %k : tensor<64xbf16> -> tensor<64xf32>
  %x = arith.mulf %e, %tenth : tensor<64xf32>
  mlc_triton.store %wide[%r] = %x : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}
