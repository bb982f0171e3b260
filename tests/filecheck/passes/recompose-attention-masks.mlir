// RUN: mlc-opt %s -p recompose | filecheck %s

// Attention as its parts, with each kind of mask, causal or not, its scores capped or not: bit for bit the
// reference. `hides` masks are True where a score does not count.

// CHECK-LABEL: @plain(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @plain(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_1 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_2 = mlc_tensor.reshape %r : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_3 = mlc_tensor.matmul %r_1, %r_2 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_4 = mlc_tensor.reshape %r_3 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_5 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.mul %r_4, %r_5 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.reduce max %r_6 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_8 = mlc_tensor.broadcast %r_7 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.sub %r_6, %r_8 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.exp %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.reduce add %r_10 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_12 = mlc_tensor.broadcast %r_11 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.div %r_10, %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.reshape %r_13 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_15 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_16 = mlc_tensor.matmul %r_14, %r_15 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_17 = mlc_tensor.reshape %r_16 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_17 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @plain_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @plain_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_1 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_2 = mlc_tensor.reshape %r : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_3 = mlc_tensor.matmul %r_1, %r_2 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_4 = mlc_tensor.reshape %r_3 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_5 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.mul %r_4, %r_5 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_8 = mlc_tensor.div %r_6, %r_7 : tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.tanh %r_8 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.mul %r_9, %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.reduce max %r_11 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_13 = mlc_tensor.broadcast %r_12 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.sub %r_11, %r_13 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.exp %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.reduce add %r_15 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_17 = mlc_tensor.broadcast %r_16 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.div %r_15, %r_17 : tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.reshape %r_18 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_20 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_21 = mlc_tensor.matmul %r_19, %r_20 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_22 = mlc_tensor.reshape %r_21 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_22 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @kept(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @kept(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_1 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_2 = mlc_tensor.reshape %r : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_3 = mlc_tensor.matmul %r_1, %r_2 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_4 = mlc_tensor.reshape %r_3 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_5 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.mul %r_4, %r_5 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_8 = mlc_tensor.select %m, %r_6, %r_7 : tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.reduce max %r_8 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_10 = mlc_tensor.broadcast %r_9 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.sub %r_8, %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.exp %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.reduce add %r_12 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_14 = mlc_tensor.broadcast %r_13 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.div %r_12, %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.reshape %r_15 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_17 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_18 = mlc_tensor.matmul %r_16, %r_17 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_19 = mlc_tensor.reshape %r_18 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_19 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @kept_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @kept_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_1 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_2 = mlc_tensor.reshape %r : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_3 = mlc_tensor.matmul %r_1, %r_2 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_4 = mlc_tensor.reshape %r_3 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_5 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.mul %r_4, %r_5 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_8 = mlc_tensor.div %r_6, %r_7 : tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.tanh %r_8 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.mul %r_9, %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.select %m, %r_11, %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.reduce max %r_13 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_15 = mlc_tensor.broadcast %r_14 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.sub %r_13, %r_15 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.exp %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.reduce add %r_17 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_19 = mlc_tensor.broadcast %r_18 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.div %r_17, %r_19 : tensor<2x3x4x4xf32>
  %r_21 = mlc_tensor.reshape %r_20 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_22 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_23 = mlc_tensor.matmul %r_21, %r_22 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_24 = mlc_tensor.reshape %r_23 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_24 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @hidden(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hides = 1 : i64, scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @hidden(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_1 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_2 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_3 = mlc_tensor.reshape %r_1 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_4 = mlc_tensor.matmul %r_2, %r_3 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_5 = mlc_tensor.reshape %r_4 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.mul %r_5, %r_6 : tensor<2x3x4x4xf32>
  %r_8 = mlc_tensor.select %m, %r, %r_7 : tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.reduce max %r_8 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_10 = mlc_tensor.broadcast %r_9 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.sub %r_8, %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.exp %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.reduce add %r_12 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_14 = mlc_tensor.broadcast %r_13 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.div %r_12, %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.reshape %r_15 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_17 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_18 = mlc_tensor.matmul %r_16, %r_17 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_19 = mlc_tensor.reshape %r_18 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_19 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @hidden_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hides = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @hidden_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_1 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_2 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_3 = mlc_tensor.reshape %r_1 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_4 = mlc_tensor.matmul %r_2, %r_3 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_5 = mlc_tensor.reshape %r_4 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.mul %r_5, %r_6 : tensor<2x3x4x4xf32>
  %r_8 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.div %r_7, %r_8 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.tanh %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.mul %r_10, %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.select %m, %r, %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.reduce max %r_13 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_15 = mlc_tensor.broadcast %r_14 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.sub %r_13, %r_15 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.exp %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.reduce add %r_17 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_19 = mlc_tensor.broadcast %r_18 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.div %r_17, %r_19 : tensor<2x3x4x4xf32>
  %r_21 = mlc_tensor.reshape %r_20 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_22 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_23 = mlc_tensor.matmul %r_21, %r_22 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_24 = mlc_tensor.reshape %r_23 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_24 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @added(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @added(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_1 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_2 = mlc_tensor.reshape %r : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_3 = mlc_tensor.matmul %r_1, %r_2 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_4 = mlc_tensor.reshape %r_3 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_5 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.mul %r_4, %r_5 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.add %r_6, %m : tensor<2x3x4x4xf32>
  %r_8 = mlc_tensor.reduce max %r_7 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_9 = mlc_tensor.broadcast %r_8 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.sub %r_7, %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.exp %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.reduce add %r_11 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_13 = mlc_tensor.broadcast %r_12 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.div %r_11, %r_13 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.reshape %r_14 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_16 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_17 = mlc_tensor.matmul %r_15, %r_16 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_18 = mlc_tensor.reshape %r_17 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_18 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @added_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @added_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_1 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_2 = mlc_tensor.reshape %r : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_3 = mlc_tensor.matmul %r_1, %r_2 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_4 = mlc_tensor.reshape %r_3 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_5 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_6 = mlc_tensor.mul %r_4, %r_5 : tensor<2x3x4x4xf32>
  %r_7 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_8 = mlc_tensor.div %r_6, %r_7 : tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.tanh %r_8 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.mul %r_9, %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.add %r_11, %m : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.reduce max %r_12 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_14 = mlc_tensor.broadcast %r_13 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.sub %r_12, %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.exp %r_15 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.reduce add %r_16 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_18 = mlc_tensor.broadcast %r_17 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.div %r_16, %r_18 : tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.reshape %r_19 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_21 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_22 = mlc_tensor.matmul %r_20, %r_21 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_23 = mlc_tensor.reshape %r_22 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_23 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @plain_causal(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {causal = 1 : i64, scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @plain_causal(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_2 = mlc_tensor.ge %r, %r_1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_4 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_5 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_6 = mlc_tensor.reshape %r_4 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_7 = mlc_tensor.matmul %r_5, %r_6 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_8 = mlc_tensor.reshape %r_7 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.mul %r_8, %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.select %r_3, %r_10, %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.reduce max %r_12 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_14 = mlc_tensor.broadcast %r_13 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.sub %r_12, %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.exp %r_15 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.reduce add %r_16 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_18 = mlc_tensor.broadcast %r_17 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.div %r_16, %r_18 : tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.reshape %r_19 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_21 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_22 = mlc_tensor.matmul %r_20, %r_21 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_23 = mlc_tensor.reshape %r_22 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_23 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @plain_causal_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {causal = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @plain_causal_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_2 = mlc_tensor.ge %r, %r_1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_4 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_5 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_6 = mlc_tensor.reshape %r_4 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_7 = mlc_tensor.matmul %r_5, %r_6 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_8 = mlc_tensor.reshape %r_7 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.mul %r_8, %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.div %r_10, %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.tanh %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.mul %r_13, %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.select %r_3, %r_15, %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.reduce max %r_17 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_19 = mlc_tensor.broadcast %r_18 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.sub %r_17, %r_19 : tensor<2x3x4x4xf32>
  %r_21 = mlc_tensor.exp %r_20 : tensor<2x3x4x4xf32>
  %r_22 = mlc_tensor.reduce add %r_21 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_23 = mlc_tensor.broadcast %r_22 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_24 = mlc_tensor.div %r_21, %r_23 : tensor<2x3x4x4xf32>
  %r_25 = mlc_tensor.reshape %r_24 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_26 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_27 = mlc_tensor.matmul %r_25, %r_26 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_28 = mlc_tensor.reshape %r_27 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_28 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @kept_causal(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {causal = 1 : i64, scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @kept_causal(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_2 = mlc_tensor.ge %r, %r_1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_4 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_5 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_6 = mlc_tensor.reshape %r_4 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_7 = mlc_tensor.matmul %r_5, %r_6 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_8 = mlc_tensor.reshape %r_7 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.mul %r_8, %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.select %r_3, %r_10, %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.select %m, %r_12, %r_13 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.reduce max %r_14 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_16 = mlc_tensor.broadcast %r_15 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.sub %r_14, %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.exp %r_17 : tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.reduce add %r_18 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_20 = mlc_tensor.broadcast %r_19 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_21 = mlc_tensor.div %r_18, %r_20 : tensor<2x3x4x4xf32>
  %r_22 = mlc_tensor.reshape %r_21 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_23 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_24 = mlc_tensor.matmul %r_22, %r_23 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_25 = mlc_tensor.reshape %r_24 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_25 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @kept_causal_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {causal = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @kept_causal_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_2 = mlc_tensor.ge %r, %r_1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_4 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_5 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_6 = mlc_tensor.reshape %r_4 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_7 = mlc_tensor.matmul %r_5, %r_6 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_8 = mlc_tensor.reshape %r_7 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.mul %r_8, %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.div %r_10, %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.tanh %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.mul %r_13, %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.select %r_3, %r_15, %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.select %m, %r_17, %r_18 : tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.reduce max %r_19 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_21 = mlc_tensor.broadcast %r_20 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_22 = mlc_tensor.sub %r_19, %r_21 : tensor<2x3x4x4xf32>
  %r_23 = mlc_tensor.exp %r_22 : tensor<2x3x4x4xf32>
  %r_24 = mlc_tensor.reduce add %r_23 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_25 = mlc_tensor.broadcast %r_24 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_26 = mlc_tensor.div %r_23, %r_25 : tensor<2x3x4x4xf32>
  %r_27 = mlc_tensor.reshape %r_26 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_28 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_29 = mlc_tensor.matmul %r_27, %r_28 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_30 = mlc_tensor.reshape %r_29 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_30 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @hidden_causal(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {causal = 1 : i64, hides = 1 : i64, scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @hidden_causal(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_1 = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_2 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.ge %r_1, %r_2 : tensor<4x4xi64>
  %r_4 = mlc_tensor.broadcast %r_3 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_5 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_6 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_7 = mlc_tensor.reshape %r_5 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_8 = mlc_tensor.matmul %r_6, %r_7 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_9 = mlc_tensor.reshape %r_8 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.mul %r_9, %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.select %r_4, %r_11, %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.select %m, %r, %r_13 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.reduce max %r_14 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_16 = mlc_tensor.broadcast %r_15 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.sub %r_14, %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.exp %r_17 : tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.reduce add %r_18 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_20 = mlc_tensor.broadcast %r_19 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_21 = mlc_tensor.div %r_18, %r_20 : tensor<2x3x4x4xf32>
  %r_22 = mlc_tensor.reshape %r_21 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_23 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_24 = mlc_tensor.matmul %r_22, %r_23 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_25 = mlc_tensor.reshape %r_24 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_25 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @hidden_causal_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {causal = 1 : i64, hides = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @hidden_causal_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xi1>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_1 = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_2 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.ge %r_1, %r_2 : tensor<4x4xi64>
  %r_4 = mlc_tensor.broadcast %r_3 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_5 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_6 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_7 = mlc_tensor.reshape %r_5 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_8 = mlc_tensor.matmul %r_6, %r_7 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_9 = mlc_tensor.reshape %r_8 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.mul %r_9, %r_10 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.div %r_11, %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.tanh %r_13 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.mul %r_14, %r_15 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.select %r_4, %r_16, %r_17 : tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.select %m, %r, %r_18 : tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.reduce max %r_19 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_21 = mlc_tensor.broadcast %r_20 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_22 = mlc_tensor.sub %r_19, %r_21 : tensor<2x3x4x4xf32>
  %r_23 = mlc_tensor.exp %r_22 : tensor<2x3x4x4xf32>
  %r_24 = mlc_tensor.reduce add %r_23 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_25 = mlc_tensor.broadcast %r_24 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_26 = mlc_tensor.div %r_23, %r_25 : tensor<2x3x4x4xf32>
  %r_27 = mlc_tensor.reshape %r_26 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_28 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_29 = mlc_tensor.matmul %r_27, %r_28 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_30 = mlc_tensor.reshape %r_29 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_30 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @added_causal(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {causal = 1 : i64, scale = 2.500000e-01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @added_causal(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_2 = mlc_tensor.ge %r, %r_1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_4 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_5 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_6 = mlc_tensor.reshape %r_4 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_7 = mlc_tensor.matmul %r_5, %r_6 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_8 = mlc_tensor.reshape %r_7 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.mul %r_8, %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.select %r_3, %r_10, %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.add %r_12, %m : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.reduce max %r_13 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_15 = mlc_tensor.broadcast %r_14 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.sub %r_13, %r_15 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.exp %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.reduce add %r_17 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_19 = mlc_tensor.broadcast %r_18 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_20 = mlc_tensor.div %r_17, %r_19 : tensor<2x3x4x4xf32>
  %r_21 = mlc_tensor.reshape %r_20 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_22 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_23 = mlc_tensor.matmul %r_21, %r_22 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_24 = mlc_tensor.reshape %r_23 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_24 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: @added_causal_capped(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {causal = 1 : i64, scale = 2.500000e-01 : f64, softcap = 3.000000e+01 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @added_causal_capped(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>, %m: tensor<2x3x4x4xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %r_1 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %r_2 = mlc_tensor.ge %r, %r_1 : tensor<4x4xi64>
  %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x4xi1> -> tensor<2x3x4x4xi1>
  %r_4 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %r_5 = mlc_tensor.reshape %q : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_6 = mlc_tensor.reshape %r_4 : tensor<2x3x16x4xf32> -> tensor<6x16x4xf32>
  %r_7 = mlc_tensor.matmul %r_5, %r_6 : tensor<6x4x16xf32>, tensor<6x16x4xf32> -> tensor<6x4x4xf32>
  %r_8 = mlc_tensor.reshape %r_7 : tensor<6x4x4xf32> -> tensor<2x3x4x4xf32>
  %r_9 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %r_10 = mlc_tensor.mul %r_8, %r_9 : tensor<2x3x4x4xf32>
  %r_11 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_12 = mlc_tensor.div %r_10, %r_11 : tensor<2x3x4x4xf32>
  %r_13 = mlc_tensor.tanh %r_12 : tensor<2x3x4x4xf32>
  %r_14 = mlc_tensor.constant 3.000000e+01 : tensor<2x3x4x4xf32>
  %r_15 = mlc_tensor.mul %r_13, %r_14 : tensor<2x3x4x4xf32>
  %r_16 = mlc_tensor.constant 0xff800000 : tensor<2x3x4x4xf32>
  %r_17 = mlc_tensor.select %r_3, %r_15, %r_16 : tensor<2x3x4x4xf32>
  %r_18 = mlc_tensor.add %r_17, %m : tensor<2x3x4x4xf32>
  %r_19 = mlc_tensor.reduce max %r_18 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_20 = mlc_tensor.broadcast %r_19 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_21 = mlc_tensor.sub %r_18, %r_20 : tensor<2x3x4x4xf32>
  %r_22 = mlc_tensor.exp %r_21 : tensor<2x3x4x4xf32>
  %r_23 = mlc_tensor.reduce add %r_22 dims [3] : tensor<2x3x4x4xf32> -> tensor<2x3x4x1xf32>
  %r_24 = mlc_tensor.broadcast %r_23 : tensor<2x3x4x1xf32> -> tensor<2x3x4x4xf32>
  %r_25 = mlc_tensor.div %r_22, %r_24 : tensor<2x3x4x4xf32>
  %r_26 = mlc_tensor.reshape %r_25 : tensor<2x3x4x4xf32> -> tensor<6x4x4xf32>
  %r_27 = mlc_tensor.reshape %v : tensor<2x3x4x16xf32> -> tensor<6x4x16xf32>
  %r_28 = mlc_tensor.matmul %r_26, %r_27 : tensor<6x4x4xf32>, tensor<6x4x16xf32> -> tensor<6x4x16xf32>
  %r_29 = mlc_tensor.reshape %r_28 : tensor<6x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %r_29 : tensor<2x3x4x16xf32>
}

// A causal mask that is added, 0 or -inf, differs by rounding: the program's own ops stay inside.
// CHECK-LABEL: @causal_by_sum(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {causal = 1 : i64, scale = 2.500000e-01 : f64} :
// CHECK:           mlc_tensor.add
// CHECK:           mlc_tensor.yield
// CHECK:         func.return %[[R]]
func.func @causal_by_sum(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x4x16xf32>, %v: tensor<2x3x4x16xf32>) -> tensor<2x3x4x16xf32> {
  %0 = mlc_tensor.permute %k [0, 1, 3, 2] : tensor<2x3x4x16xf32> -> tensor<2x3x16x4xf32>
  %1 = mlc_tensor.matmul %q, %0 : tensor<2x3x4x16xf32>, tensor<2x3x16x4xf32> -> tensor<2x3x4x4xf32>
  %2 = mlc_tensor.constant 2.500000e-01 : tensor<2x3x4x4xf32>
  %3 = mlc_tensor.mul %1, %2 : tensor<2x3x4x4xf32>
  %4 = mlc_tensor.iota dim 0 : tensor<4x4xi64>
  %5 = mlc_tensor.iota dim 1 : tensor<4x4xi64>
  %6 = mlc_tensor.ge %4, %5 : tensor<4x4xi64>
  %7 = mlc_tensor.constant 0.000000e+00 : tensor<4x4xf32>
  %8 = mlc_tensor.constant 0xff800000 : tensor<4x4xf32>
  %9 = mlc_tensor.select %6, %7, %8 : tensor<4x4xf32>
  %10 = mlc_tensor.broadcast %9 : tensor<4x4xf32> -> tensor<2x3x4x4xf32>
  %11 = mlc_tensor.add %3, %10 : tensor<2x3x4x4xf32>
  %12 = mlc_tensor.softmax(%11) {dim = 3 : i64} : (tensor<2x3x4x4xf32>) -> (tensor<2x3x4x4xf32>)
  %13 = mlc_tensor.matmul %12, %v : tensor<2x3x4x4xf32>, tensor<2x3x4x16xf32> -> tensor<2x3x4x16xf32>
  func.return %13 : tensor<2x3x4x16xf32>
}
