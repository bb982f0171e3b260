// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s

// Nobody reads the scan. What it needs stays in its kernel, although another kernel computes that again: a kernel does
// not come to need one that stands behind it.
// CHECK-LABEL: func.func @main(
// CHECK:         mlc_tensor.fusion
// CHECK-NEXT:      mlc_tensor.sign
// CHECK:           mlc_tensor.scan add
// CHECK:         mlc_tensor.fusion
// CHECK-NEXT:      mlc_tensor.sign
// CHECK:         func.return
  func.func @main(%0: tensor<i32>, %1: tensor<1xi32>, %2: tensor<i32>) -> (tensor<2xi32>, tensor<i32>, tensor<1x1xi32>) {
    %3 = mlc_tensor.sign %1 : tensor<1xi32>
    %4 = mlc_tensor.cat %3, %1 dim 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %8 = mlc_tensor.sign %3 : tensor<1xi32>
    %9 = mlc_tensor.broadcast %8 : tensor<1xi32> -> tensor<1x1xi32>
    %10 = mlc_tensor.constant 1 : tensor<1x1xi32>
    %11 = mlc_tensor.shl %9, %10 : tensor<1x1xi32>
    %12 = mlc_tensor.constant 1 : tensor<1x1xi32>
    %13 = mlc_tensor.shl %11, %12 : tensor<1x1xi32>
    %14 = mlc_tensor.constant 1 : tensor<1x1xi32>
    %15 = mlc_tensor.shl %13, %14 : tensor<1x1xi32>
    %16 = mlc_tensor.constant 1 : tensor<1x1xi32>
    %17 = mlc_tensor.shl %15, %16 : tensor<1x1xi32>
    %18 = mlc_tensor.constant 1 : tensor<1x1xi32>
    %19 = mlc_tensor.shl %17, %18 : tensor<1x1xi32>
    %20 = mlc_tensor.shl %19, %9 : tensor<1x1xi32>
    %21 = mlc_tensor.constant 1 : tensor<1x1xi32>
    %22 = mlc_tensor.shl %20, %21 : tensor<1x1xi32>
    %23 = mlc_tensor.scan add %22 dim 0 : tensor<1x1xi32> -> tensor<1x1xi32>
    %25 = mlc_tensor.cat %4 dim 0 : (tensor<2xi32>) -> tensor<2xi32>
    func.return %25, %0, %16 : tensor<2xi32>, tensor<i32>, tensor<1x1xi32>
}

// -----

// A kernel that stores nothing computes nothing again.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT:    %{{.*}} = mlc_tensor.fusion
// CHECK:         func.return
func.func @nothing(%0: tensor<4x1x1xi32>) -> tensor<4x1x1xi32> {
  %1 = mlc_tensor.not %0 : tensor<4x1x1xi32>
  %2 = mlc_tensor.not %0 : tensor<4x1x1xi32>
  %3 = mlc_tensor.not %2 : tensor<4x1x1xi32>
  %4 = mlc_tensor.slice %3 [2, 0, 0] step [1, 1, 1] : tensor<4x1x1xi32> -> tensor<2x1x1xi32>
  %5 = mlc_tensor.slice %3 [0, 0, 0] step [1, 1, 1] : tensor<4x1x1xi32> -> tensor<2x1x1xi32>
  %6 = mlc_tensor.cat %4, %5 dim 0 : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<4x1x1xi32>
  %7 = mlc_tensor.cat %6 dim 0 : (tensor<4x1x1xi32>) -> tensor<4x1x1xi32>
  %8 = mlc_tensor.shl %4, %4 : tensor<2x1x1xi32>
  %9 = mlc_tensor.constant 1 : tensor<2x1x1xi32>
  %10 = mlc_tensor.shl %8, %9 : tensor<2x1x1xi32>
  %12 = mlc_tensor.shl %5, %9 : tensor<2x1x1xi32>
  %14 = mlc_tensor.shl %12, %9 : tensor<2x1x1xi32>
  %15 = mlc_tensor.constant 1 : tensor<4x1x1xi32>
  %16 = mlc_tensor.shl %1, %15 : tensor<4x1x1xi32>
  func.return %16 : tensor<4x1x1xi32>
}

// -----

// The second kernel could compute %b itself, and leave the first with nothing but what nobody reads.
// CHECK-LABEL: func.func @unread_before_scattered(
// CHECK:         mlc_tensor.fusion
// CHECK:           %unread = mlc_tensor.not
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.scatter set
func.func @unread_before_scattered(%x: tensor<4096xi1>, %at: tensor<i64>) -> tensor<4096xi32> {
  %a = mlc_tensor.not %x : tensor<4096xi1>
  %unread = mlc_tensor.not %a : tensor<4096xi1>
  %b = mlc_tensor.and %a, %x : tensor<4096xi1>
  %one = mlc_tensor.constant true : tensor<i1>
  %c = mlc_tensor.scatter set %b[%at], %one : tensor<4096xi1>, (tensor<i64>), tensor<i1>
  %d = mlc_tensor.cast %c : tensor<4096xi1> -> tensor<4096xi32>
  func.return %d : tensor<4096xi32>
}
