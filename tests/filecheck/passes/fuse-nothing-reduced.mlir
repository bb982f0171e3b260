// RUN: mlc-opt %s -p fuse | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop --verify-semantics

// A reduction over nothing has rows of its own, and is no loop with a scan over the columns of one row.
// CHECK-LABEL: func.func @beside_a_scan(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.scan
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.reduce add
func.func @beside_a_scan(%x: tensor<?xf32, ["M"]>) -> tensor<?xf32, ["M"]> {
  %s = mlc_tensor.scan add %x dim 0 : tensor<?xf32, ["M"]> -> tensor<?xf32, ["M"]>
  %h = mlc_tensor.hypot %s, %x : tensor<?xf32, ["M"]>
  %r = mlc_tensor.reduce add %h dims [] : tensor<?xf32, ["M"]> -> tensor<?xf32, ["M"]>
  func.return %r : tensor<?xf32, ["M"]>
}
