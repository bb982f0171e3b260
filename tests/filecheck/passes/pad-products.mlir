// RUN: mlc-opt %s -p pad-products{generated=false},dce | filecheck %s

// Products with rows that are not whole vectors of 16 bytes.

// The words of BERT: the weight is padded as it lies, the kernel that follows reads rows of 30528.
// CHECK-LABEL: func.func @frozen(
// CHECK-NEXT:    %0 = mlc_tensor.pad %w low [0, 0] value 0.000000e+00 : bf16 : tensor<30522x768xbf16> -> tensor<30528x768xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %0 [1, 0] : tensor<30528x768xbf16> -> tensor<768x30528xbf16>
// CHECK-NEXT:    %2 = mlc_tensor.matmul %x, %1 : tensor<8192x768xbf16>, tensor<768x30528xbf16> -> tensor<8192x30528xbf16>
// CHECK-NEXT:    %y = mlc_tensor.slice %2 [0, 0] step [1, 1] : tensor<8192x30528xbf16> -> tensor<8192x30522xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
// CHECK-NEXT:    func.return %r : tensor<8192x30522xbf16>
func.func @frozen(%x: tensor<8192x768xbf16>, %w: tensor<30522x768xbf16> {mlc.frozen}) -> tensor<8192x30522xbf16> {
  %p = mlc_tensor.permute %w [1, 0] : tensor<30522x768xbf16> -> tensor<768x30522xbf16>
  %y = mlc_tensor.matmul %x, %p : tensor<8192x768xbf16>, tensor<768x30522xbf16> -> tensor<8192x30522xbf16>
  %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
  func.return %r : tensor<8192x30522xbf16>
}

// A copy of the weight takes less than what it saves.
// CHECK-LABEL: func.func @not_frozen(
// CHECK-NEXT:    %0 = mlc_tensor.pad %w low [0, 0] value 0.000000e+00 : bf16 : tensor<768x30522xbf16> -> tensor<768x30528xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.matmul %x, %0 : tensor<8192x768xbf16>, tensor<768x30528xbf16> -> tensor<8192x30528xbf16>
// CHECK-NEXT:    %y = mlc_tensor.slice %1 [0, 0] step [1, 1] : tensor<8192x30528xbf16> -> tensor<8192x30522xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
// CHECK-NEXT:    func.return %r : tensor<8192x30522xbf16>
func.func @not_frozen(%x: tensor<8192x768xbf16>, %w: tensor<768x30522xbf16>) -> tensor<8192x30522xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x768xbf16>, tensor<768x30522xbf16> -> tensor<8192x30522xbf16>
  %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
  func.return %r : tensor<8192x30522xbf16>
}

// The caller wants rows of 30522: a copy of the result as well.
// CHECK-LABEL: func.func @returned(
// CHECK-NEXT:    %0 = mlc_tensor.pad %w low [0, 0] value 0.000000e+00 : bf16 : tensor<768x30522xbf16> -> tensor<768x30528xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.matmul %x, %0 : tensor<8192x768xbf16>, tensor<768x30528xbf16> -> tensor<8192x30528xbf16>
// CHECK-NEXT:    %y = mlc_tensor.slice %1 [0, 0] step [1, 1] : tensor<8192x30528xbf16> -> tensor<8192x30522xbf16>
// CHECK-NEXT:    func.return %y : tensor<8192x30522xbf16>
func.func @returned(%x: tensor<8192x768xbf16>, %w: tensor<768x30522xbf16> {mlc.frozen}) -> tensor<8192x30522xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x768xbf16>, tensor<768x30522xbf16> -> tensor<8192x30522xbf16>
  func.return %y : tensor<8192x30522xbf16>
}

// Of the summed dimension both operands grow. What two products read is padded once; the first 50257 rows of the other lie together.
// CHECK-LABEL: func.func @both_gradients(
// CHECK-NEXT:    %0 = mlc_tensor.pad %w low [0, 0] value 0.000000e+00 : bf16 : tensor<50257x768xbf16> -> tensor<50264x768xbf16>
// CHECK-NEXT:    %g = mlc_tensor.sigmoid %d : tensor<4096x50257xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.pad %g low [0, 0] value 0.000000e+00 : bf16 : tensor<4096x50257xbf16> -> tensor<4096x50264xbf16>
// CHECK-NEXT:    %2 = mlc_tensor.permute %1 [1, 0] : tensor<4096x50264xbf16> -> tensor<50264x4096xbf16>
// CHECK-NEXT:    %y = mlc_tensor.matmul %1, %0 : tensor<4096x50264xbf16>, tensor<50264x768xbf16> -> tensor<4096x768xbf16>
// CHECK-NEXT:    %3 = mlc_tensor.matmul %2, %x : tensor<50264x4096xbf16>, tensor<4096x768xbf16> -> tensor<50264x768xbf16>
// CHECK-NEXT:    %z = mlc_tensor.slice %3 [0, 0] step [1, 1] : tensor<50264x768xbf16> -> tensor<50257x768xbf16>
// CHECK-NEXT:    func.return %y, %z : tensor<4096x768xbf16>, tensor<50257x768xbf16>
func.func @both_gradients(%d: tensor<4096x50257xbf16>, %w: tensor<50257x768xbf16>, %x: tensor<4096x768xbf16>) -> (tensor<4096x768xbf16>, tensor<50257x768xbf16>) {
  %g = mlc_tensor.sigmoid %d : tensor<4096x50257xbf16>
  %y = mlc_tensor.matmul %g, %w : tensor<4096x50257xbf16>, tensor<50257x768xbf16> -> tensor<4096x768xbf16>
  %t = mlc_tensor.permute %g [1, 0] : tensor<4096x50257xbf16> -> tensor<50257x4096xbf16>
  %z = mlc_tensor.matmul %t, %x : tensor<50257x4096xbf16>, tensor<4096x768xbf16> -> tensor<50257x768xbf16>
  func.return %y, %z : tensor<4096x768xbf16>, tensor<50257x768xbf16>
}

// Without tensor cores rows may begin anywhere.
// CHECK-LABEL: func.func @float32(
// CHECK-NEXT:    %y = mlc_tensor.matmul %x, %w : tensor<8192x768xf32>, tensor<768x30522xf32> -> tensor<8192x30522xf32>
// CHECK-NEXT:    func.return %y : tensor<8192x30522xf32>
func.func @float32(%x: tensor<8192x768xf32>, %w: tensor<768x30522xf32>) -> tensor<8192x30522xf32> {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x768xf32>, tensor<768x30522xf32> -> tensor<8192x30522xf32>
  func.return %y : tensor<8192x30522xf32>
}

// Whole vectors.
// CHECK-LABEL: func.func @aligned(
// CHECK-NEXT:    %y = mlc_tensor.matmul %x, %w : tensor<8192x768xbf16>, tensor<768x30528xbf16> -> tensor<8192x30528xbf16>
// CHECK-NEXT:    func.return %y : tensor<8192x30528xbf16>
func.func @aligned(%x: tensor<8192x768xbf16>, %w: tensor<768x30528xbf16>) -> tensor<8192x30528xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x768xbf16>, tensor<768x30528xbf16> -> tensor<8192x30528xbf16>
  func.return %y : tensor<8192x30528xbf16>
}

// One row of the result: the weight is read, and nothing else takes time.
// CHECK-LABEL: func.func @one_row(
// CHECK-NEXT:    %y = mlc_tensor.matmul %x, %w : tensor<1x768xbf16>, tensor<768x30522xbf16> -> tensor<1x30522xbf16>
// CHECK-NEXT:    func.return %y : tensor<1x30522xbf16>
func.func @one_row(%x: tensor<1x768xbf16>, %w: tensor<768x30522xbf16>) -> tensor<1x30522xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<1x768xbf16>, tensor<768x30522xbf16> -> tensor<1x30522xbf16>
  func.return %y : tensor<1x30522xbf16>
}

// A launch takes longer.
// CHECK-LABEL: func.func @small(
// CHECK-NEXT:    %y = mlc_tensor.matmul %x, %w : tensor<64x100xbf16>, tensor<100x50xbf16> -> tensor<64x50xbf16>
// CHECK-NEXT:    func.return %y : tensor<64x50xbf16>
func.func @small(%x: tensor<64x100xbf16>, %w: tensor<100x50xbf16>) -> tensor<64x50xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<64x100xbf16>, tensor<100x50xbf16> -> tensor<64x50xbf16>
  func.return %y : tensor<64x50xbf16>
}

// Short sums: copies of the operands take longer.
// CHECK-LABEL: func.func @attention(
// CHECK-NEXT:    %y = mlc_tensor.matmul %s, %v : tensor<384x197x197xbf16>, tensor<384x197x64xbf16> -> tensor<384x197x64xbf16>
// CHECK-NEXT:    func.return %y : tensor<384x197x64xbf16>
func.func @attention(%s: tensor<384x197x197xbf16>, %v: tensor<384x197x64xbf16>) -> tensor<384x197x64xbf16> {
  %y = mlc_tensor.matmul %s, %v : tensor<384x197x197xbf16>, tensor<384x197x64xbf16> -> tensor<384x197x64xbf16>
  func.return %y : tensor<384x197x64xbf16>
}

// A part of a weight whose rows are aligned: the result is not, so the weight grows for it.
// CHECK-LABEL: func.func @part(
// CHECK-NEXT:    %0 = mlc_tensor.pad %w low [0, 0] value 0.000000e+00 : bf16 : tensor<768x30522xbf16> -> tensor<768x30528xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.matmul %x, %0 : tensor<8192x768xbf16>, tensor<768x30528xbf16> -> tensor<8192x30528xbf16>
// CHECK-NEXT:    %y = mlc_tensor.slice %1 [0, 0] step [1, 1] : tensor<8192x30528xbf16> -> tensor<8192x30522xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
// CHECK-NEXT:    func.return %r : tensor<8192x30522xbf16>
func.func @part(%x: tensor<8192x768xbf16>, %w: tensor<768x30522xbf16> {mlc.strides = ["30528", "1"]}) -> tensor<8192x30522xbf16> {
  %y = mlc_tensor.matmul %x, %w : tensor<8192x768xbf16>, tensor<768x30522xbf16> -> tensor<8192x30522xbf16>
  %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
  func.return %r : tensor<8192x30522xbf16>
}

// With a bias, which grows as well; the strides are those of the operands as they lie now.
// CHECK-LABEL: func.func @bias(
// CHECK-NEXT:    %0 = mlc_tensor.pad %b low [0] value 0.000000e+00 : bf16 : tensor<30522xbf16> -> tensor<30528xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.pad %w low [0, 0] value 0.000000e+00 : bf16 : tensor<30522x768xbf16> -> tensor<30528x768xbf16>
// CHECK-NEXT:    %2 = mlc_tensor.permute %1 [1, 0] : tensor<30528x768xbf16> -> tensor<768x30528xbf16>
// CHECK-NEXT:    %3 = mlc_tensor.extern "aten.addmm.default"(%0, %x, %2) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">] kwargs {alpha = 2.000000e+00 : f64} {mlc.operand_strides = {{\[\[}}"1"], ["768", "1"], ["1", "768"{{\]\]}}} : (tensor<30528xbf16>, tensor<8192x768xbf16>, tensor<768x30528xbf16>) -> (tensor<8192x30528xbf16>)
// CHECK-NEXT:    %y = mlc_tensor.slice %3 [0, 0] step [1, 1] : tensor<8192x30528xbf16> -> tensor<8192x30522xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
// CHECK-NEXT:    func.return %r : tensor<8192x30522xbf16>
func.func @bias(%b: tensor<30522xbf16>, %x: tensor<8192x768xbf16>, %w: tensor<30522x768xbf16> {mlc.frozen}) -> tensor<8192x30522xbf16> {
  %p = mlc_tensor.permute %w [1, 0] : tensor<30522x768xbf16> -> tensor<768x30522xbf16>
  %y = mlc_tensor.extern "aten.addmm.default"(%b, %x, %p) kwargs {alpha = 2.0 : f64} {mlc.operand_strides = [unit, unit, ["1", "768"]]} : (tensor<30522xbf16>, tensor<8192x768xbf16>, tensor<768x30522xbf16>) -> (tensor<8192x30522xbf16>)
  %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
  func.return %r : tensor<8192x30522xbf16>
}

// What is added to all alike does not grow.
// CHECK-LABEL: func.func @one_bias(
// CHECK-NEXT:    %0 = mlc_tensor.pad %w low [0, 0] value 0.000000e+00 : bf16 : tensor<30522x768xbf16> -> tensor<30528x768xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.permute %0 [1, 0] : tensor<30528x768xbf16> -> tensor<768x30528xbf16>
// CHECK-NEXT:    %2 = mlc_tensor.extern "aten.addmm.default"(%b, %x, %1) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">] kwargs {alpha = 2.000000e+00 : f64} {mlc.operand_strides = {{\[\[}}"1"], ["768", "1"], ["1", "768"{{\]\]}}} : (tensor<1xbf16>, tensor<8192x768xbf16>, tensor<768x30528xbf16>) -> (tensor<8192x30528xbf16>)
// CHECK-NEXT:    %y = mlc_tensor.slice %2 [0, 0] step [1, 1] : tensor<8192x30528xbf16> -> tensor<8192x30522xbf16>
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
// CHECK-NEXT:    func.return %r : tensor<8192x30522xbf16>
func.func @one_bias(%b: tensor<1xbf16>, %x: tensor<8192x768xbf16>, %w: tensor<30522x768xbf16> {mlc.frozen}) -> tensor<8192x30522xbf16> {
  %p = mlc_tensor.permute %w [1, 0] : tensor<30522x768xbf16> -> tensor<768x30522xbf16>
  %y = mlc_tensor.extern "aten.addmm.default"(%b, %x, %p) kwargs {alpha = 2.0 : f64} {mlc.operand_strides = [unit, unit, ["1", "768"]]} : (tensor<1xbf16>, tensor<8192x768xbf16>, tensor<768x30522xbf16>) -> (tensor<8192x30522xbf16>)
  %r = mlc_tensor.sigmoid %y : tensor<8192x30522xbf16>
  func.return %r : tensor<8192x30522xbf16>
}

// The same where the rows of the result have other strides: no product that this pass knows.
// CHECK-LABEL: func.func @strided_result(
// CHECK-NEXT:    %y = mlc_tensor.extern "aten.addmm.default"(%b, %x, %w) {mlc.strides = {{\[\[}}"1", "8192"{{\]\]}}} : (tensor<30522xbf16>, tensor<8192x768xbf16>, tensor<768x30522xbf16>) -> (tensor<8192x30522xbf16>)
// CHECK-NEXT:    func.return %y : tensor<8192x30522xbf16>
func.func @strided_result(%b: tensor<30522xbf16>, %x: tensor<8192x768xbf16>, %w: tensor<768x30522xbf16> {mlc.frozen}) -> tensor<8192x30522xbf16> {
  %y = mlc_tensor.extern "aten.addmm.default"(%b, %x, %w) {mlc.strides = [["1", "8192"]]} : (tensor<30522xbf16>, tensor<8192x768xbf16>, tensor<768x30522xbf16>) -> (tensor<8192x30522xbf16>)
  func.return %y : tensor<8192x30522xbf16>
}

// -----

// A number added to a product is broadcast, and stays.
// CHECK-LABEL: @number(
// CHECK:         mlc_tensor.pad %w
// CHECK:         mlc_tensor.extern "aten.addmm.default"(%b, %x, %{{.*}}) {{.*}} : (tensor<bf16>, tensor<8192x768xbf16>, tensor<768x30528xbf16>) -> (tensor<8192x30528xbf16>)
func.func @number(%b: tensor<bf16>, %x: tensor<8192x768xbf16>, %w: tensor<768x30522xbf16>) -> tensor<8192x30522xbf16> {
  %y = mlc_tensor.extern "aten.addmm.default"(%b, %x, %w) : (tensor<bf16>, tensor<8192x768xbf16>, tensor<768x30522xbf16>) -> (tensor<8192x30522xbf16>)
  func.return %y : tensor<8192x30522xbf16>
}

// -----

// A batch with what is added to each product.
// CHECK-LABEL: @batch(
// CHECK-NEXT:    %0 = mlc_tensor.pad %b low [0, 0, 0] value 0.000000e+00 : bf16 : tensor<96x1x1021xbf16> -> tensor<96x1x1024xbf16>
// CHECK-NEXT:    %1 = mlc_tensor.pad %w low [0, 0, 0] value 0.000000e+00 : bf16 : tensor<96x768x1021xbf16> -> tensor<96x768x1024xbf16>
// CHECK-NEXT:    %2 = mlc_tensor.extern "aten.baddbmm.default"(%0, %x, %1) {{.*}} : (tensor<96x1x1024xbf16>, tensor<96x512x768xbf16>, tensor<96x768x1024xbf16>) -> (tensor<96x512x1024xbf16>)
// CHECK-NEXT:    %y = mlc_tensor.slice %2 [0, 0, 0] step [1, 1, 1] : tensor<96x512x1024xbf16> -> tensor<96x512x1021xbf16>
func.func @batch(%b: tensor<96x1x1021xbf16>, %x: tensor<96x512x768xbf16>, %w: tensor<96x768x1021xbf16>) -> tensor<96x512x1021xbf16> {
  %y = mlc_tensor.extern "aten.baddbmm.default"(%b, %x, %w) : (tensor<96x1x1021xbf16>, tensor<96x512x768xbf16>, tensor<96x768x1021xbf16>) -> (tensor<96x512x1021xbf16>)
  func.return %y : tensor<96x512x1021xbf16>
}
