// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s

// Scans, one step of a scan, and random bits, through both forms of the text.
// CHECK-LABEL: mlc_triton.kernel @scans(
// CHECK:         %s = mlc_triton.scan "add" %x : (tensor<128xf32>) -> tensor<128xf32>
// CHECK-NEXT:    %a, %b = mlc_triton.scan "argmax" %x, %i : (tensor<128xf32>, tensor<128xi64>) -> (tensor<128xf32>, tensor<128xi64>)
// CHECK-NEXT:    %c = mlc_triton.combine "add" %s, %x : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
// CHECK-NEXT:    %z = mlc_triton.random %seed, %i word 1 : i64, tensor<128xi64> -> tensor<128xi32>
mlc_triton.kernel @scans(%p: !mlc_triton.ptr<f32>, %q: !mlc_triton.ptr<i64>) grid [1] sizes [] num_warps 1 why "" {
  %r = mlc_triton.arange : tensor<128xi32>
  %x = mlc_triton.load %p[%r] : (!mlc_triton.ptr<f32>, tensor<128xi32>) -> tensor<128xf32>
  %i = mlc_triton.cast %r : tensor<128xi32> -> tensor<128xi64>
  %seed = mlc_triton.load %q[0] : (!mlc_triton.ptr<i64>) -> i64
  %s = mlc_triton.scan "add" %x : (tensor<128xf32>) -> tensor<128xf32>
  %a, %b = mlc_triton.scan "argmax" %x, %i : (tensor<128xf32>, tensor<128xi64>) -> (tensor<128xf32>, tensor<128xi64>)
  %c = mlc_triton.combine "add" %s, %x : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
  %z = mlc_triton.random %seed, %i word 1 : i64, tensor<128xi64> -> tensor<128xi32>
}
