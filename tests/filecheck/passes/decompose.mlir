// RUN: mlc-opt %s -p decompose | filecheck %s

// Composites open to what they mean, or to how the program spelled them.

// CHECK-LABEL: func.func @gelu(%x: tensor<8xbf16>) -> tensor<8xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.cast %x : tensor<8xbf16> -> tensor<8xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.mul %r, %r_1 : tensor<8xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.constant 0.707106769 : tensor<8xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.mul %r, %r_3 : tensor<8xf32>
// CHECK-NEXT:    %r_5 = mlc_tensor.erf %r_4 : tensor<8xf32>
// CHECK-NEXT:    %r_6 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %r_7 = mlc_tensor.add %r_5, %r_6 : tensor<8xf32>
// CHECK-NEXT:    %r_8 = mlc_tensor.mul %r_2, %r_7 : tensor<8xf32>
// CHECK-NEXT:    %r_9 = mlc_tensor.cast %r_8 : tensor<8xf32> -> tensor<8xbf16>
// CHECK-NEXT:    func.return %r_9 : tensor<8xbf16>
// CHECK-NEXT:  }
func.func @gelu(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %r = mlc_tensor.gelu(%x) {approximate = "none"} : (tensor<8xbf16>) -> (tensor<8xbf16>)
  func.return %r : tensor<8xbf16>
}

// CHECK-LABEL: func.func @gelu_tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.constant 5.000000e-01 : tensor<8xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.mul %x, %r : tensor<8xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.mul %x, %x : tensor<8xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.mul %r_2, %x : tensor<8xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.constant 4.471500e-02 : tensor<8xf32>
// CHECK-NEXT:    %r_5 = mlc_tensor.mul %r_3, %r_4 : tensor<8xf32>
// CHECK-NEXT:    %r_6 = mlc_tensor.add %x, %r_5 : tensor<8xf32>
// CHECK-NEXT:    %r_7 = mlc_tensor.constant 0.797884583 : tensor<8xf32>
// CHECK-NEXT:    %r_8 = mlc_tensor.mul %r_6, %r_7 : tensor<8xf32>
// CHECK-NEXT:    %r_9 = mlc_tensor.tanh %r_8 : tensor<8xf32>
// CHECK-NEXT:    %r_10 = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %r_11 = mlc_tensor.add %r_9, %r_10 : tensor<8xf32>
// CHECK-NEXT:    %r_12 = mlc_tensor.mul %r_1, %r_11 : tensor<8xf32>
// CHECK-NEXT:    func.return %r_12 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @gelu_tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.gelu(%x) {approximate = "tanh"} : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @silu(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.sigmoid %x : tensor<8xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.mul %x, %r : tensor<8xf32>
// CHECK-NEXT:    func.return %r_1 : tensor<8xf32>
// CHECK-NEXT:  }
func.func @silu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %r : tensor<8xf32>
}

// The region, where there is one, decides.
// CHECK-LABEL: func.func @spelled(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %n = mlc_tensor.neg %x : tensor<8xf32>
// CHECK-NEXT:    %e = mlc_tensor.exp %n : tensor<8xf32>
// CHECK-NEXT:    %one = mlc_tensor.constant 1.000000e+00 : tensor<8xf32>
// CHECK-NEXT:    %d = mlc_tensor.add %e, %one : tensor<8xf32>
// CHECK-NEXT:    %q = mlc_tensor.div %x, %d : tensor<8xf32>
// CHECK-NEXT:    func.return %q : tensor<8xf32>
// CHECK-NEXT:  }
func.func @spelled(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.silu(%x) : (tensor<8xf32>) -> (tensor<8xf32>) spelled (%a : tensor<8xf32>) {
    %one = mlc_tensor.constant 1.0 : tensor<8xf32>
    %n = mlc_tensor.neg %a : tensor<8xf32>
    %e = mlc_tensor.exp %n : tensor<8xf32>
    %d = mlc_tensor.add %e, %one : tensor<8xf32>
    %q = mlc_tensor.div %a, %d : tensor<8xf32>
    mlc_tensor.yield %q : tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.broadcast %r : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.sub %x, %r_1 : tensor<4x8xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.exp %r_2 : tensor<4x8xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.reduce add %r_3 dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %r_5 = mlc_tensor.broadcast %r_4 : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r_6 = mlc_tensor.div %r_3, %r_5 : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r_6 : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = mlc_tensor.softmax(%x) {dim = 1} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  func.return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.reduce max %x dims [0] : tensor<4x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.broadcast %r : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.sub %x, %r_1 : tensor<4x8xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.exp %r_2 : tensor<4x8xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.reduce add %r_3 dims [0] : tensor<4x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    %r_5 = mlc_tensor.log %r_4 : tensor<1x8xf32>
// CHECK-NEXT:    %r_6 = mlc_tensor.broadcast %r_5 : tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r_7 = mlc_tensor.sub %r_2, %r_6 : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r_7 : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = mlc_tensor.log_softmax(%x) {dim = 0} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  func.return %r : tensor<4x8xf32>
}

// Over a dimension of named size, the mean divides by that size.
// CHECK-LABEL: func.func @layer_norm(%x: tensor<4x?xf32, ["4", "N"]>, %w: tensor<?xf32, ["N"]>, %b: tensor<?xf32, ["N"]>) -> (tensor<4x?xf32, ["4", "N"]>, tensor<4x1xf32>) {
// CHECK-NEXT:    %0 = mlc_tensor.reduce add %x dims [1] : tensor<4x?xf32, ["4", "N"]> -> tensor<4x1xf32>
// CHECK-NEXT:    %1 = mlc_tensor.size [N] : tensor<i64>
// CHECK-NEXT:    %2 = mlc_tensor.cast %1 : tensor<i64> -> tensor<f32>
// CHECK-NEXT:    %3 = mlc_tensor.broadcast %2 : tensor<f32> -> tensor<4x1xf32>
// CHECK-NEXT:    %m = mlc_tensor.div %0, %3 : tensor<4x1xf32>
// CHECK-NEXT:    %4 = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %5 = mlc_tensor.sub %x, %4 : tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %6 = mlc_tensor.mul %5, %5 : tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %7 = mlc_tensor.reduce add %6 dims [1] : tensor<4x?xf32, ["4", "N"]> -> tensor<4x1xf32>
// CHECK-NEXT:    %8 = mlc_tensor.size [N] : tensor<i64>
// CHECK-NEXT:    %9 = mlc_tensor.cast %8 : tensor<i64> -> tensor<f32>
// CHECK-NEXT:    %10 = mlc_tensor.broadcast %9 : tensor<f32> -> tensor<4x1xf32>
// CHECK-NEXT:    %11 = mlc_tensor.div %7, %10 : tensor<4x1xf32>
// CHECK-NEXT:    %12 = mlc_tensor.constant 1.000000e-05 : tensor<4x1xf32>
// CHECK-NEXT:    %13 = mlc_tensor.add %11, %12 : tensor<4x1xf32>
// CHECK-NEXT:    %14 = mlc_tensor.rsqrt %13 : tensor<4x1xf32>
// CHECK-NEXT:    %15 = mlc_tensor.broadcast %14 : tensor<4x1xf32> -> tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %16 = mlc_tensor.mul %5, %15 : tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %17 = mlc_tensor.broadcast %w : tensor<?xf32, ["N"]> -> tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %18 = mlc_tensor.mul %16, %17 : tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %19 = mlc_tensor.broadcast %b : tensor<?xf32, ["N"]> -> tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    %r = mlc_tensor.add %18, %19 : tensor<4x?xf32, ["4", "N"]>
// CHECK-NEXT:    func.return %r, %m : tensor<4x?xf32, ["4", "N"]>, tensor<4x1xf32>
// CHECK-NEXT:  }
func.func @layer_norm(%x: tensor<4x?xf32, ["4", "N"]>, %w: tensor<?xf32, ["N"]>, %b: tensor<?xf32, ["N"]>) -> (tensor<4x?xf32, ["4", "N"]>, tensor<4x1xf32>) {
  %r, %m = mlc_tensor.layer_norm(%x, %w, %b) {dims = [1], eps = 1.0e-05 : f64} : (tensor<4x?xf32, ["4", "N"]>, tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>) -> (tensor<4x?xf32, ["4", "N"]>, tensor<4x1xf32>)
  func.return %r, %m : tensor<4x?xf32, ["4", "N"]>, tensor<4x1xf32>
}

// CHECK-LABEL: func.func @rms_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.mul %x, %x : tensor<4x8xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.reduce add %r dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.constant 8.000000e+00 : tensor<4x1xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.div %r_1, %r_2 : tensor<4x1xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.constant 1.000000e-06 : tensor<4x1xf32>
// CHECK-NEXT:    %r_5 = mlc_tensor.add %r_3, %r_4 : tensor<4x1xf32>
// CHECK-NEXT:    %r_6 = mlc_tensor.rsqrt %r_5 : tensor<4x1xf32>
// CHECK-NEXT:    %r_7 = mlc_tensor.broadcast %r_6 : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r_8 = mlc_tensor.mul %x, %r_7 : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r_8 : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @rms_norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = mlc_tensor.rms_norm(%x) {dims = [1], eps = 1.0e-06 : f64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  func.return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @rotary_embedding(%x: tensor<4x8xf32>, %c: tensor<8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.broadcast %c : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r_1 = mlc_tensor.mul %x, %r : tensor<4x8xf32>
// CHECK-NEXT:    %r_2 = mlc_tensor.slice %x [0, 4] step [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT:    %r_3 = mlc_tensor.neg %r_2 : tensor<4x4xf32>
// CHECK-NEXT:    %r_4 = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT:    %r_5 = mlc_tensor.cat %r_3, %r_4 dim 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:    %r_6 = mlc_tensor.broadcast %s : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r_7 = mlc_tensor.mul %r_5, %r_6 : tensor<4x8xf32>
// CHECK-NEXT:    %r_8 = mlc_tensor.add %r_1, %r_7 : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r_8 : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @rotary_embedding(%x: tensor<4x8xf32>, %c: tensor<8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = mlc_tensor.rotary_embedding(%x, %c, %s) : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>)
  func.return %r : tensor<4x8xf32>
}

// The softmax in it opens too; two batch dimensions are one for the products.
// CHECK-LABEL: func.func @attention(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x4x16xbf16>, %v: tensor<2x3x4x16xbf16>) -> tensor<2x3x4x16xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.iota dim 0 : tensor<4x4xi64>
// CHECK-NEXT:    %r_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
// CHECK-NEXT:    %r_2 = mlc_tensor.ge %r, %r_1 : tensor<4x4xi64>
// CHECK-NEXT:    %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
// CHECK-NEXT:    %r_4 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xbf16> -> tensor<2x3x16x4xbf16>
// CHECK-NEXT:    %r_5 = mlc_tensor.reshape %q : tensor<2x3x4x16xbf16> -> tensor<6x4x16xbf16>
// CHECK-NEXT:    %r_6 = mlc_tensor.reshape %r_4 : tensor<2x3x16x4xbf16> -> tensor<6x16x4xbf16>
// CHECK-NEXT:    %r_7 = mlc_tensor.matmul %r_5, %r_6 : tensor<6x4x16xbf16>, tensor<6x16x4xbf16> -> tensor<6x4x4xbf16>
// CHECK-NEXT:    %r_8 = mlc_tensor.reshape %r_7 : tensor<6x4x4xbf16> -> tensor<2x3x4x4xbf16>
// CHECK-NEXT:    %r_9 = mlc_tensor.cast %r_8 : tensor<2x3x4x4xbf16> -> tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_10 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_11 = mlc_tensor.mul %r_9, %r_10 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_12 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_13 = mlc_tensor.div %r_11, %r_12 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_14 = mlc_tensor.tanh %r_13 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_15 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_16 = mlc_tensor.mul %r_14, %r_15 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_17 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_18 = mlc_tensor.select %r_3, %r_16, %r_17 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_19 = mlc_tensor.reduce max %r_18 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
// CHECK-NEXT:    %r_20 = mlc_tensor.broadcast %r_19 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_21 = mlc_tensor.sub %r_18, %r_20 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_22 = mlc_tensor.exp %r_21 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_23 = mlc_tensor.reduce add %r_22 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
// CHECK-NEXT:    %r_24 = mlc_tensor.broadcast %r_23 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_25 = mlc_tensor.div %r_22, %r_24 : tensor<2x3x4x4xf32>
// CHECK-NEXT:    %r_26 = mlc_tensor.cast %r_25 : tensor<2x3x4x4xf32> -> tensor<2x3x4x4xbf16>
// CHECK-NEXT:    %r_27 = mlc_tensor.reshape %r_26 : tensor<2x3x4x4xbf16> -> tensor<6x4x4xbf16>
// CHECK-NEXT:    %r_28 = mlc_tensor.reshape %v : tensor<2x3x4x16xbf16> -> tensor<6x4x16xbf16>
// CHECK-NEXT:    %r_29 = mlc_tensor.matmul %r_27, %r_28 : tensor<6x4x4xbf16>, tensor<6x4x16xbf16> -> tensor<6x4x16xbf16>
// CHECK-NEXT:    %r_30 = mlc_tensor.reshape %r_29 : tensor<6x4x16xbf16> -> tensor<2x3x4x16xbf16>
// CHECK-NEXT:    func.return %r_30 : tensor<2x3x4x16xbf16>
// CHECK-NEXT:  }
func.func @attention(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x4x16xbf16>, %v: tensor<2x3x4x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64, causal = 1, softcap = 3.0e+01 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x4x16xbf16>, tensor<2x3x4x16xbf16>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// A product with one batch dimension is in the form that libraries take.
// CHECK-LABEL: func.func @keeps_one_batch(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.matmul %x, %y
// CHECK-NEXT:    func.return %[[R]]
func.func @keeps_one_batch(%x: tensor<6x4x8xf32>, %y: tensor<6x8x4xf32>) -> tensor<6x4x4xf32> {
  %r = mlc_tensor.matmul %x, %y : tensor<6x4x8xf32>, tensor<6x8x4xf32> -> tensor<6x4x4xf32>
  func.return %r : tensor<6x4x4xf32>
}
