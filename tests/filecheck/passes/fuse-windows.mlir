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

// -----

// Maxima over windows of three by three: the second kernel reads what the first one rounds, and widens it at each place.
// CHECK-LABEL: func.func @pooled(
// CHECK:         mlc_tensor.fusion
// CHECK:           mlc_tensor.yield {{.*}} : tensor<32x64x112x112xbf16>
// CHECK:         mlc_tensor.fusion
// CHECK-NOT:       mlc_tensor.sub
// CHECK:           mlc_tensor.cast {{.*}} : tensor<32x64x112x112xbf16> -> tensor<32x64x112x112xf32>
// CHECK-NOT:   mlc_tensor.fusion
func.func @pooled(%x: tensor<32x64x112x112xbf16>, %m: tensor<64x1x1xf32>, %v: tensor<64x1x1xf32>) -> tensor<32x64x56x56xbf16> {
  %_to_copy = mlc_tensor.cast %x : tensor<32x64x112x112xbf16> -> tensor<32x64x112x112xf32>
  %broadcast = mlc_tensor.broadcast %m : tensor<64x1x1xf32> -> tensor<32x64x112x112xf32>
  %sub = mlc_tensor.sub %_to_copy, %broadcast : tensor<32x64x112x112xf32>
  %broadcast_1 = mlc_tensor.broadcast %v : tensor<64x1x1xf32> -> tensor<32x64x112x112xf32>
  %mul = mlc_tensor.mul %sub, %broadcast_1 : tensor<32x64x112x112xf32>
  %constant = mlc_tensor.constant 0.000000e+00 : tensor<32x64x112x112xf32>
  %relu = mlc_tensor.maximum %mul, %constant : tensor<32x64x112x112xf32>
  %y = mlc_tensor.cast %relu : tensor<32x64x112x112xf32> -> tensor<32x64x112x112xbf16>
  %constant_1 = mlc_tensor.constant 0.000000e+00 : tensor<32x64x112x112xbf16>
  %relu_1 = mlc_tensor.maximum %y, %constant_1 : tensor<32x64x112x112xbf16>
  %_to_copy_1 = mlc_tensor.cast %relu_1 : tensor<32x64x112x112xbf16> -> tensor<32x64x112x112xf32>
  %constant_pad_nd = mlc_tensor.pad %_to_copy_1 low [0, 0, 1, 1] value 0xff800000 : f32 : tensor<32x64x112x112xf32> -> tensor<32x64x113x113xf32>
  %index = mlc_tensor.slice %constant_pad_nd [0, 0, 0, 0] step [1, 1, 2, 2] : tensor<32x64x113x113xf32> -> tensor<32x64x56x56xf32>
  %index_1 = mlc_tensor.slice %constant_pad_nd [0, 0, 0, 1] step [1, 1, 2, 2] : tensor<32x64x113x113xf32> -> tensor<32x64x56x56xf32>
  %gt = mlc_tensor.lt %index, %index_1 : tensor<32x64x56x56xf32>
  %ne = mlc_tensor.isnan %index_1 : tensor<32x64x56x56xf32>
  %bitwise_or = mlc_tensor.or %gt, %ne : tensor<32x64x56x56xi1>
  %where = mlc_tensor.select %bitwise_or, %index_1, %index : tensor<32x64x56x56xf32>
  %index_2 = mlc_tensor.slice %constant_pad_nd [0, 0, 0, 2] step [1, 1, 2, 2] : tensor<32x64x113x113xf32> -> tensor<32x64x56x56xf32>
  %gt_1 = mlc_tensor.lt %where, %index_2 : tensor<32x64x56x56xf32>
  %ne_1 = mlc_tensor.isnan %index_2 : tensor<32x64x56x56xf32>
  %bitwise_or_1 = mlc_tensor.or %gt_1, %ne_1 : tensor<32x64x56x56xi1>
  %where_1 = mlc_tensor.select %bitwise_or_1, %index_2, %where : tensor<32x64x56x56xf32>
  %index_3 = mlc_tensor.slice %constant_pad_nd [0, 0, 1, 0] step [1, 1, 2, 2] : tensor<32x64x113x113xf32> -> tensor<32x64x56x56xf32>
  %gt_2 = mlc_tensor.lt %where_1, %index_3 : tensor<32x64x56x56xf32>
  %ne_2 = mlc_tensor.isnan %index_3 : tensor<32x64x56x56xf32>
  %bitwise_or_2 = mlc_tensor.or %gt_2, %ne_2 : tensor<32x64x56x56xi1>
  %where_2 = mlc_tensor.select %bitwise_or_2, %index_3, %where_1 : tensor<32x64x56x56xf32>
  %index_4 = mlc_tensor.slice %_to_copy_1 [0, 0, 0, 0] step [1, 1, 2, 2] : tensor<32x64x112x112xf32> -> tensor<32x64x56x56xf32>
  %gt_3 = mlc_tensor.lt %where_2, %index_4 : tensor<32x64x56x56xf32>
  %ne_3 = mlc_tensor.isnan %index_4 : tensor<32x64x56x56xf32>
  %bitwise_or_3 = mlc_tensor.or %gt_3, %ne_3 : tensor<32x64x56x56xi1>
  %where_3 = mlc_tensor.select %bitwise_or_3, %index_4, %where_2 : tensor<32x64x56x56xf32>
  %index_5 = mlc_tensor.slice %_to_copy_1 [0, 0, 0, 1] step [1, 1, 2, 2] : tensor<32x64x112x112xf32> -> tensor<32x64x56x56xf32>
  %gt_4 = mlc_tensor.lt %where_3, %index_5 : tensor<32x64x56x56xf32>
  %ne_4 = mlc_tensor.isnan %index_5 : tensor<32x64x56x56xf32>
  %bitwise_or_4 = mlc_tensor.or %gt_4, %ne_4 : tensor<32x64x56x56xi1>
  %where_4 = mlc_tensor.select %bitwise_or_4, %index_5, %where_3 : tensor<32x64x56x56xf32>
  %index_6 = mlc_tensor.slice %constant_pad_nd [0, 0, 2, 0] step [1, 1, 2, 2] : tensor<32x64x113x113xf32> -> tensor<32x64x56x56xf32>
  %gt_5 = mlc_tensor.lt %where_4, %index_6 : tensor<32x64x56x56xf32>
  %ne_5 = mlc_tensor.isnan %index_6 : tensor<32x64x56x56xf32>
  %bitwise_or_5 = mlc_tensor.or %gt_5, %ne_5 : tensor<32x64x56x56xi1>
  %where_5 = mlc_tensor.select %bitwise_or_5, %index_6, %where_4 : tensor<32x64x56x56xf32>
  %index_7 = mlc_tensor.slice %_to_copy_1 [0, 0, 1, 0] step [1, 1, 2, 2] : tensor<32x64x112x112xf32> -> tensor<32x64x56x56xf32>
  %gt_6 = mlc_tensor.lt %where_5, %index_7 : tensor<32x64x56x56xf32>
  %ne_6 = mlc_tensor.isnan %index_7 : tensor<32x64x56x56xf32>
  %bitwise_or_6 = mlc_tensor.or %gt_6, %ne_6 : tensor<32x64x56x56xi1>
  %where_6 = mlc_tensor.select %bitwise_or_6, %index_7, %where_5 : tensor<32x64x56x56xf32>
  %index_8 = mlc_tensor.slice %_to_copy_1 [0, 0, 1, 1] step [1, 1, 2, 2] : tensor<32x64x112x112xf32> -> tensor<32x64x56x56xf32>
  %gt_7 = mlc_tensor.lt %where_6, %index_8 : tensor<32x64x56x56xf32>
  %ne_7 = mlc_tensor.isnan %index_8 : tensor<32x64x56x56xf32>
  %bitwise_or_7 = mlc_tensor.or %gt_7, %ne_7 : tensor<32x64x56x56xi1>
  %where_7 = mlc_tensor.select %bitwise_or_7, %index_8, %where_6 : tensor<32x64x56x56xf32>
  %_to_copy_2 = mlc_tensor.cast %where_7 : tensor<32x64x56x56xf32> -> tensor<32x64x56x56xbf16>
  func.return %_to_copy_2 : tensor<32x64x56x56xbf16>
}
