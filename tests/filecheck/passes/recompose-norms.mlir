// RUN: mlc-opt %s -p recompose | filecheck %s

// Layer norm and RMS norm.

// (x - mean) * rstd * weight + bias
// CHECK-LABEL: func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.layer_norm(%x, %w, %b) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>)
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
  %wb = mlc_tensor.broadcast %w : tensor<8xf32> -> tensor<4x8xf32>
  %yw = mlc_tensor.mul %y, %wb : tensor<4x8xf32>
  %bb = mlc_tensor.broadcast %b : tensor<8xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.add %yw, %bb : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// Neither weight nor bias.
// CHECK-LABEL: func.func @layer_norm_alone(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %y = mlc_tensor.layer_norm(%x) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
// CHECK-NEXT:    func.return %y : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @layer_norm_alone(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// (x - mean) / sqrt(variance + eps) rounds once less.
// CHECK-LABEL: func.func @layer_norm_by_root(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.layer_norm(%x, %w, %b) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>) spelled (%x_1 : tensor<4x8xf32>, %w_1 : tensor<8xf32>, %b_1 : tensor<8xf32>) {
// CHECK-NEXT:      %eps = mlc_tensor.constant 1.000000e-05 : tensor<4x1xf32>
// CHECK-NEXT:      %t = mlc_tensor.reduce add %x_1 dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      %m = mlc_tensor.constant 1.250000e-01 : tensor<4x1xf32>
// CHECK-NEXT:      %m_1 = mlc_tensor.mul %t, %m : tensor<4x1xf32>
// CHECK-NEXT:      %mb = mlc_tensor.broadcast %m_1 : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %d = mlc_tensor.sub %x_1, %mb : tensor<4x8xf32>
// CHECK-NEXT:      %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
// CHECK-NEXT:      %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      %v = mlc_tensor.constant 1.250000e-01 : tensor<4x1xf32>
// CHECK-NEXT:      %v_1 = mlc_tensor.mul %u, %v : tensor<4x1xf32>
// CHECK-NEXT:      %ve = mlc_tensor.add %v_1, %eps : tensor<4x1xf32>
// CHECK-NEXT:      %s = mlc_tensor.sqrt %ve : tensor<4x1xf32>
// CHECK-NEXT:      %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %y = mlc_tensor.div %d, %sb : tensor<4x8xf32>
// CHECK-NEXT:      %wb = mlc_tensor.broadcast %w_1 : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %yw = mlc_tensor.mul %y, %wb : tensor<4x8xf32>
// CHECK-NEXT:      %bb = mlc_tensor.broadcast %b_1 : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %r_1 = mlc_tensor.add %yw, %bb : tensor<4x8xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<4x8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @layer_norm_by_root(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.sqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.div %d, %sb : tensor<4x8xf32>
  %wb = mlc_tensor.broadcast %w : tensor<8xf32> -> tensor<4x8xf32>
  %yw = mlc_tensor.mul %y, %wb : tensor<4x8xf32>
  %bb = mlc_tensor.broadcast %b : tensor<8xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.add %yw, %bb : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// A backward pass reads mean and rstd, which the op gives.
// CHECK-LABEL: func.func @layer_norm_with_statistics(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
// CHECK-NEXT:    %r, %m, %s = mlc_tensor.layer_norm(%x, %w, %b) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
// CHECK-NEXT:    func.return %r, %m, %s : tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>
// CHECK-NEXT:  }
func.func @layer_norm_with_statistics(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
  %wb = mlc_tensor.broadcast %w : tensor<8xf32> -> tensor<4x8xf32>
  %yw = mlc_tensor.mul %y, %wb : tensor<4x8xf32>
  %bb = mlc_tensor.broadcast %b : tensor<8xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.add %yw, %bb : tensor<4x8xf32>
  func.return %r, %m, %s : tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// x - mean is a result too, so this is no layer norm: it is the RMS norm of x - mean.
// CHECK-LABEL: func.func @rms_norm_of_shared_difference(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
// CHECK-NEXT:    %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %m = mlc_tensor.constant 1.250000e-01 : tensor<4x1xf32>
// CHECK-NEXT:    %m_1 = mlc_tensor.mul %t, %m : tensor<4x1xf32>
// CHECK-NEXT:    %mb = mlc_tensor.broadcast %m_1 : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
// CHECK-NEXT:    %yw = mlc_tensor.rms_norm(%d, %w) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>)
// CHECK-NEXT:    %bb = mlc_tensor.broadcast %b : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.add %yw, %bb : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r, %d : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @rms_norm_of_shared_difference(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
  %wb = mlc_tensor.broadcast %w : tensor<8xf32> -> tensor<4x8xf32>
  %yw = mlc_tensor.mul %y, %wb : tensor<4x8xf32>
  %bb = mlc_tensor.broadcast %b : tensor<8xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.add %yw, %bb : tensor<4x8xf32>
  func.return %r, %d : tensor<4x8xf32>, tensor<4x8xf32>
}

// A gate of the size of x is no weight: the norm is found inside.
// CHECK-LABEL: func.func @layer_norm_and_gate(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %y = mlc_tensor.layer_norm(%x) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
// CHECK-NEXT:    %g = mlc_tensor.exp %x : tensor<4x8xf32>
// CHECK-NEXT:    %z = mlc_tensor.mul %y, %g : tensor<4x8xf32>
// CHECK-NEXT:    func.return %z : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @layer_norm_and_gate(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
  %g = mlc_tensor.exp %x : tensor<4x8xf32>
  %z = mlc_tensor.mul %y, %g : tensor<4x8xf32>
  func.return %z : tensor<4x8xf32>
}

// The squares are summed along the other dimension: an RMS norm of rows that were centered before.
// CHECK-LABEL: func.func @rms_norm_along_other_axis(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT:    %t = mlc_tensor.reduce add %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    %m = mlc_tensor.constant 1.250000e-01 : tensor<8x1xf32>
// CHECK-NEXT:    %m_1 = mlc_tensor.mul %t, %m : tensor<8x1xf32>
// CHECK-NEXT:    %mb = mlc_tensor.broadcast %m_1 : tensor<8x1xf32> -> tensor<8x8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %x, %mb : tensor<8x8xf32>
// CHECK-NEXT:    %y = mlc_tensor.rms_norm(%d) {dims = [0 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<8x8xf32>) -> (tensor<8x8xf32>)
// CHECK-NEXT:    func.return %y : tensor<8x8xf32>
// CHECK-NEXT:  }
func.func @rms_norm_along_other_axis(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %n = mlc_tensor.constant 8.0 : tensor<8x1xf32>
  %k = mlc_tensor.constant 8.0 : tensor<1x8xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<1x8xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<8x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<8x1xf32> -> tensor<8x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<8x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<8x8xf32>
  %u = mlc_tensor.reduce add %q dims [0] : tensor<8x8xf32> -> tensor<1x8xf32>
  %v = mlc_tensor.div %u, %k : tensor<1x8xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<1x8xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<1x8xf32>
  %sb = mlc_tensor.broadcast %s : tensor<1x8xf32> -> tensor<8x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}

// Divided by n - 1: not the variance that layer norm takes.
// CHECK-LABEL: func.func @keeps_unbiased(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %k = mlc_tensor.constant 7.000000e+00 : tensor<4x1xf32>
// CHECK-NEXT:    %eps = mlc_tensor.constant 1.000000e-05 : tensor<4x1xf32>
// CHECK-NEXT:    %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %m = mlc_tensor.constant 1.250000e-01 : tensor<4x1xf32>
// CHECK-NEXT:    %m_1 = mlc_tensor.mul %t, %m : tensor<4x1xf32>
// CHECK-NEXT:    %mb = mlc_tensor.broadcast %m_1 : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
// CHECK-NEXT:    %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
// CHECK-NEXT:    %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %v = mlc_tensor.div %u, %k : tensor<4x1xf32>
// CHECK-NEXT:    %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
// CHECK-NEXT:    %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
// CHECK-NEXT:    func.return %y : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @keeps_unbiased(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %k = mlc_tensor.constant 7.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.div %t, %n : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %k : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// x * rsqrt(mean of x * x + eps) * weight
// CHECK-LABEL: func.func @rms_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.rms_norm(%x, %w) {dims = [1 : i64], eps = 9.9999999747524271e-07 : f64} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>)
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @rms_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %n = mlc_tensor.constant 1.25e-01 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-06 : tensor<4x1xf32>
  %q = mlc_tensor.mul %x, %x : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.mul %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %x, %sb : tensor<4x8xf32>
  %wb = mlc_tensor.broadcast %w : tensor<8xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.mul %wb, %y : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// As language models write it: normalised in float32, rounded, then weighted in bfloat16.
// CHECK-LABEL: func.func @rms_norm_that_rounds(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
// CHECK-NEXT:    %r = mlc_tensor.rms_norm(%x, %w) {dims = [1 : i64], eps = 9.9999999747524271e-07 : f64} : (tensor<4x8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>) spelled (%x_1 : tensor<4x8xbf16>, %w_1 : tensor<8xbf16>) {
// CHECK-NEXT:      %eps = mlc_tensor.constant 1.000000e-06 : tensor<4x1xf32>
// CHECK-NEXT:      %f = mlc_tensor.cast %x_1 : tensor<4x8xbf16> -> tensor<4x8xf32>
// CHECK-NEXT:      %q = mlc_tensor.mul %f, %f : tensor<4x8xf32>
// CHECK-NEXT:      %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      %v = mlc_tensor.constant 1.250000e-01 : tensor<4x1xf32>
// CHECK-NEXT:      %v_1 = mlc_tensor.mul %u, %v : tensor<4x1xf32>
// CHECK-NEXT:      %ve = mlc_tensor.add %v_1, %eps : tensor<4x1xf32>
// CHECK-NEXT:      %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
// CHECK-NEXT:      %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %y = mlc_tensor.mul %f, %sb : tensor<4x8xf32>
// CHECK-NEXT:      %h = mlc_tensor.cast %y : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-NEXT:      %wb = mlc_tensor.broadcast %w_1 : tensor<8xbf16> -> tensor<4x8xbf16>
// CHECK-NEXT:      %r_1 = mlc_tensor.mul %wb, %h : tensor<4x8xbf16>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<4x8xbf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<4x8xbf16>
// CHECK-NEXT:  }
func.func @rms_norm_that_rounds(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %n = mlc_tensor.constant 8.0 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-06 : tensor<4x1xf32>
  %f = mlc_tensor.cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
  %q = mlc_tensor.mul %f, %f : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.div %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %f, %sb : tensor<4x8xf32>
  %h = mlc_tensor.cast %y : tensor<4x8xf32> -> tensor<4x8xbf16>
  %wb = mlc_tensor.broadcast %w : tensor<8xbf16> -> tensor<4x8xbf16>
  %r = mlc_tensor.mul %wb, %h : tensor<4x8xbf16>
  func.return %r : tensor<4x8xbf16>
}

// The sum of squares, not their mean: eps aside this is no RMS norm.
// CHECK-LABEL: func.func @keeps_sum_of_squares(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %eps = mlc_tensor.constant 1.000000e-06 : tensor<4x1xf32>
// CHECK-NEXT:    %q = mlc_tensor.mul %x, %x : tensor<4x8xf32>
// CHECK-NEXT:    %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %ve = mlc_tensor.add %u, %eps : tensor<4x1xf32>
// CHECK-NEXT:    %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %y = mlc_tensor.mul %x, %sb : tensor<4x8xf32>
// CHECK-NEXT:    func.return %y : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @keeps_sum_of_squares(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %eps = mlc_tensor.constant 1.0e-06 : tensor<4x1xf32>
  %q = mlc_tensor.mul %x, %x : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %ve = mlc_tensor.add %u, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %x, %sb : tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}

// Someone reads the mean before the weight is there: the op stands before both, and the weight comes after it.
// CHECK-LABEL: func.func @layer_norm_before_late_weight(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
// CHECK-NEXT:    %y, %m = mlc_tensor.layer_norm(%x) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>)
// CHECK-NEXT:    %e = mlc_tensor.exp %m : tensor<4x1xf32>
// CHECK-NEXT:    %late = mlc_tensor.exp %w : tensor<8xf32>
// CHECK-NEXT:    %wb = mlc_tensor.broadcast %late : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.mul %y, %wb : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r, %e : tensor<4x8xf32>, tensor<4x1xf32>
// CHECK-NEXT:  }
func.func @layer_norm_before_late_weight(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>) {
  %n = mlc_tensor.constant 1.25e-01 : tensor<4x1xf32>
  %eps = mlc_tensor.constant 1.0e-05 : tensor<4x1xf32>
  %t = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %m = mlc_tensor.mul %t, %n : tensor<4x1xf32>
  %e = mlc_tensor.exp %m : tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %q = mlc_tensor.mul %d, %d : tensor<4x8xf32>
  %u = mlc_tensor.reduce add %q dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %v = mlc_tensor.mul %u, %n : tensor<4x1xf32>
  %ve = mlc_tensor.add %v, %eps : tensor<4x1xf32>
  %s = mlc_tensor.rsqrt %ve : tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %y = mlc_tensor.mul %d, %sb : tensor<4x8xf32>
  %late = mlc_tensor.exp %w : tensor<8xf32>
  %wb = mlc_tensor.broadcast %late : tensor<8xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.mul %y, %wb : tensor<4x8xf32>
  func.return %r, %e : tensor<4x8xf32>, tensor<4x1xf32>
}

// A weight, and nothing is added.
// CHECK-LABEL: @layer_norm_without_bias(
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.layer_norm(%x, %w) {dims = [1 : i64], eps = 9.9999997473787516e-06 : f64} :
// CHECK-NEXT:    func.return %[[R]]
func.func @layer_norm_without_bias(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = mlc_tensor.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %r_1 = mlc_tensor.constant 8.000000e+00 : tensor<4x1xf32>
  %r_2 = mlc_tensor.div %r, %r_1 : tensor<4x1xf32>
  %r_3 = mlc_tensor.broadcast %r_2 : tensor<4x1xf32> -> tensor<4x8xf32>
  %r_4 = mlc_tensor.sub %x, %r_3 : tensor<4x8xf32>
  %r_5 = mlc_tensor.mul %r_4, %r_4 : tensor<4x8xf32>
  %r_6 = mlc_tensor.reduce add %r_5 dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %r_7 = mlc_tensor.constant 8.000000e+00 : tensor<4x1xf32>
  %r_8 = mlc_tensor.div %r_6, %r_7 : tensor<4x1xf32>
  %r_9 = mlc_tensor.constant 1.000000e-05 : tensor<4x1xf32>
  %r_10 = mlc_tensor.add %r_8, %r_9 : tensor<4x1xf32>
  %r_11 = mlc_tensor.rsqrt %r_10 : tensor<4x1xf32>
  %r_12 = mlc_tensor.broadcast %r_11 : tensor<4x1xf32> -> tensor<4x8xf32>
  %r_13 = mlc_tensor.mul %r_4, %r_12 : tensor<4x8xf32>
  %r_14 = mlc_tensor.broadcast %w : tensor<8xf32> -> tensor<4x8xf32>
  %r_15 = mlc_tensor.mul %r_13, %r_14 : tensor<4x8xf32>
  func.return %r_15 : tensor<4x8xf32>
}
