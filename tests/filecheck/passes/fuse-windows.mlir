// RUN: mlc-opt %s -p fuse --split-input-file | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop --split-input-file | filecheck %s --check-prefix=LOOP

// A window of three: what it reads is converted at each place. Places inside for sure have no condition.
// CHECK-LABEL: func.func @window(
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:   mlc_tensor.fusion
// LOOP-LABEL:  mlc_loop.kernel
// LOOP:          arith.cmpi sge
// LOOP-NOT:      arith.cmpi sge
// LOOP:          arith.cmpi slt
// LOOP-NOT:      arith.cmpi slt
func.func @window(%x: tensor<1000x57xbf16>) -> tensor<1000x57xbf16> {
  %f = mlc_tensor.cast %x : tensor<1000x57xbf16> -> tensor<1000x57xf32>
  %p = mlc_tensor.pad %f low [0, 1] value 0.0 : f32 : tensor<1000x57xf32> -> tensor<1000x59xf32>
  %a = mlc_tensor.slice %p [0, 0] step [1, 1] : tensor<1000x59xf32> -> tensor<1000x57xf32>
  %b = mlc_tensor.slice %p [0, 1] step [1, 1] : tensor<1000x59xf32> -> tensor<1000x57xf32>
  %c = mlc_tensor.slice %p [0, 2] step [1, 1] : tensor<1000x59xf32> -> tensor<1000x57xf32>
  %d = mlc_tensor.add %a, %b : tensor<1000x57xf32>
  %e = mlc_tensor.add %d, %c : tensor<1000x57xf32>
  %y = mlc_tensor.cast %e : tensor<1000x57xf32> -> tensor<1000x57xbf16>
  func.return %y : tensor<1000x57xbf16>
}

// -----

// Nine places: a cast is done at each, an exponential is not.
// CHECK-LABEL: func.func @nine(
// CHECK:         mlc_tensor.fusion
// CHECK-NEXT:      mlc_tensor.exp
// CHECK:         mlc_tensor.fusion
// CHECK-NEXT:      mlc_tensor.cast
// CHECK-NOT:     mlc_tensor.fusion
func.func @nine(%x: tensor<1000x64xbf16>) -> tensor<1000x56xf32> {
  %h = mlc_tensor.exp %x : tensor<1000x64xbf16>
  %f = mlc_tensor.cast %h : tensor<1000x64xbf16> -> tensor<1000x64xf32>
  %a = mlc_tensor.slice %f [0, 0] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %b = mlc_tensor.slice %f [0, 1] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %c = mlc_tensor.slice %f [0, 2] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %d = mlc_tensor.slice %f [0, 3] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %e = mlc_tensor.slice %f [0, 4] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %g = mlc_tensor.slice %f [0, 5] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %i = mlc_tensor.slice %f [0, 6] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %j = mlc_tensor.slice %f [0, 7] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %k = mlc_tensor.slice %f [0, 8] step [1, 1] : tensor<1000x64xf32> -> tensor<1000x56xf32>
  %s1 = mlc_tensor.add %a, %b : tensor<1000x56xf32>
  %s2 = mlc_tensor.add %s1, %c : tensor<1000x56xf32>
  %s3 = mlc_tensor.add %s2, %d : tensor<1000x56xf32>
  %s4 = mlc_tensor.add %s3, %e : tensor<1000x56xf32>
  %s5 = mlc_tensor.add %s4, %g : tensor<1000x56xf32>
  %s6 = mlc_tensor.add %s5, %i : tensor<1000x56xf32>
  %s7 = mlc_tensor.add %s6, %j : tensor<1000x56xf32>
  %s8 = mlc_tensor.add %s7, %k : tensor<1000x56xf32>
  func.return %s8 : tensor<1000x56xf32>
}
