// RUN: mlc-opt %s -p fuse,tensor-to-loop,linearize-axes,schedule --split-input-file | filecheck %s

// Places fit 32 bits; a place and the start of the rotation together, too.
// CHECK: mlc_loop.kernel @{{.*}} index 32
func.func @rolled(%x: tensor<536870912xi8>) -> tensor<536870912xi8> {
  %r = mlc_tensor.roll %x [536870911] : tensor<536870912xi8> -> tensor<536870912xi8>
  %n = mlc_tensor.neg %r : tensor<536870912xi8>
  func.return %n : tensor<536870912xi8>
}

// -----

// Together they do not fit.
// CHECK: mlc_loop.kernel @{{.*}} index 64
func.func @rolled_far(%x: tensor<1610612736xi8>) -> tensor<1610612736xi8> {
  %r = mlc_tensor.roll %x [1610612735] : tensor<1610612736xi8> -> tensor<1610612736xi8>
  %n = mlc_tensor.neg %r : tensor<1610612736xi8>
  func.return %n : tensor<1610612736xi8>
}
