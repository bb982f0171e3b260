// RUN: mlc-opt %s -p 'const-fold{max-bytes=24}' | filecheck %s
// RUN: mlc-opt %s -p 'const-fold{max-bytes=0}' | filecheck %s --check-prefix=NONE

// CHECK-LABEL: @counts(
// CHECK-NEXT:    %x = mlc_tensor.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
// CHECK-NEXT:    %a = mlc_tensor.constant dense<[1, 2, 3]> : tensor<3xi64>
// CHECK-NEXT:    %b = mlc_tensor.slice %x [0] step [1] : tensor<4xi64> -> tensor<4xi64>
// CHECK-NEXT:    %d = mlc_tensor.constant 5 : tensor<4xi64>
// CHECK-NEXT:    func.return

// Splats need no room.
// NONE-LABEL: @counts(
// NONE-NEXT:    %x = mlc_tensor.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
// NONE-NEXT:    %a = mlc_tensor.slice %x [0] step [1] : tensor<4xi64> -> tensor<3xi64>
// NONE-NEXT:    %b = mlc_tensor.slice %x [0] step [1] : tensor<4xi64> -> tensor<4xi64>
// NONE-NEXT:    %d = mlc_tensor.constant 5 : tensor<4xi64>
// NONE-NEXT:    func.return
func.func @counts() -> (tensor<3xi64>, tensor<4xi64>, tensor<4xi64>) {
  %x = mlc_tensor.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %a = mlc_tensor.slice %x [0] step [1] : tensor<4xi64> -> tensor<3xi64>
  %b = mlc_tensor.slice %x [0] step [1] : tensor<4xi64> -> tensor<4xi64>
  %c = mlc_tensor.constant 4 : tensor<4xi64>
  %one = mlc_tensor.constant 1 : tensor<4xi64>
  %d = mlc_tensor.add %c, %one : tensor<4xi64>
  func.return %a, %b, %d : tensor<3xi64>, tensor<4xi64>, tensor<4xi64>
}
