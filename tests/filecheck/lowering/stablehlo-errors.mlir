// RUN: not mlc-translate %s --from stablehlo 2>&1 | filecheck %s

// What is outside is named with its line, and with what is supported.
// CHECK:      error: stablehlo.rng cannot be imported
// CHECK-NEXT:   --> {{.*}}stablehlo-errors.mlir:14:8
// CHECK-NEXT:    |   %1 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM
// CHECK-NEXT:    |        ^^^^^^^^^^^^^
// CHECK-NEXT:   of stablehlo supported are abs, add, and, {{.*}}; of chlo supported are acos, {{.*}}
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %low = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %high = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %shape = stablehlo.constant dense<4> : tensor<1xi64>
  // Random numbers are to be inputs.
  %1 = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
