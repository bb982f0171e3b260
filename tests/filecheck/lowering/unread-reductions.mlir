// RUN: mlc-opt %s -p fuse,tensor-to-loop --split-input-file | filecheck %s

// Nobody reads the sum, and it is not computed. But its group has a row of two columns, and so a place for the number.
// CHECK-LABEL: mlc_loop.kernel @mul(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 1 {
// CHECK-NEXT:      %c = arith.constant 1 : i32
// CHECK-NEXT:      mlc_loop.store %c, %c_out[0]
// CHECK-NEXT:      mlc_loop.parallel %j = 0 to 2 {
// CHECK-NOT:     mlc_loop.reduce
// CHECK:         func.func @unread(
func.func @unread(%x: tensor<2xi32>) -> (tensor<1xi32>, tensor<2xi32>) {
  %y = mlc_tensor.mul %x, %x : tensor<2xi32>
  %m = mlc_tensor.reduce add %y dims [0] : tensor<2xi32> -> tensor<1xi32>
  %c = mlc_tensor.constant 1 : tensor<1xi32>
  %d = mlc_tensor.mul %m, %c : tensor<1xi32>
  func.return %c, %y : tensor<1xi32>, tensor<2xi32>
}

// -----

// What is left of this group is one kernel anyhow: it has a row for each element.
// CHECK-LABEL: mlc_loop.kernel @mul(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 2 {
// CHECK-NOT:     mlc_loop.parallel
// CHECK:         func.func @keeps_elements(
func.func @keeps_elements(%x: tensor<2xi32>) -> tensor<2xi32> {
  %y = mlc_tensor.mul %x, %x : tensor<2xi32>
  %m = mlc_tensor.reduce add %y dims [0] : tensor<2xi32> -> tensor<1xi32>
  func.return %y : tensor<2xi32>
}
