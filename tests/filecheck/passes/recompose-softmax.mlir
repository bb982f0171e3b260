// RUN: mlc-opt %s -p recompose | filecheck %s

// softmax and log-softmax.

// CHECK-LABEL: func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.softmax(%x) {dim = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %e = mlc_tensor.exp %d : tensor<4x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.div %e, %sb : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// Rows of bfloat16, over the first dimension of named size.
// CHECK-LABEL: func.func @softmax_of_bfloat16(%x: tensor<?x8xbf16, ["N", "8"]>) -> tensor<?x8xbf16, ["N", "8"]> {
// CHECK-NEXT:    %r = mlc_tensor.softmax(%x) {dim = 0 : i64} : (tensor<?x8xbf16, ["N", "8"]>) -> (tensor<?x8xbf16, ["N", "8"]>)
// CHECK-NEXT:    func.return %r : tensor<?x8xbf16, ["N", "8"]>
// CHECK-NEXT:  }
func.func @softmax_of_bfloat16(%x: tensor<?x8xbf16, ["N", "8"]>) -> tensor<?x8xbf16, ["N", "8"]> {
  %w = mlc_tensor.cast %x : tensor<?x8xbf16, ["N", "8"]> -> tensor<?x8xf32, ["N", "8"]>
  %m = mlc_tensor.reduce max %w dims [0] : tensor<?x8xf32, ["N", "8"]> -> tensor<1x8xf32>
  %mb = mlc_tensor.broadcast %m : tensor<1x8xf32> -> tensor<?x8xf32, ["N", "8"]>
  %d = mlc_tensor.sub %w, %mb : tensor<?x8xf32, ["N", "8"]>
  %e = mlc_tensor.exp %d : tensor<?x8xf32, ["N", "8"]>
  %s = mlc_tensor.reduce add %e dims [0] : tensor<?x8xf32, ["N", "8"]> -> tensor<1x8xf32>
  %sb = mlc_tensor.broadcast %s : tensor<1x8xf32> -> tensor<?x8xf32, ["N", "8"]>
  %q = mlc_tensor.div %e, %sb : tensor<?x8xf32, ["N", "8"]>
  %r = mlc_tensor.cast %q : tensor<?x8xf32, ["N", "8"]> -> tensor<?x8xbf16, ["N", "8"]>
  func.return %r : tensor<?x8xbf16, ["N", "8"]>
}

// e * (1 / sum) rounds twice.
// CHECK-LABEL: func.func @softmax_by_reciprocal(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.softmax(%x) {dim = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>) spelled (%x_1 : tensor<4x8xf32>) {
// CHECK-NEXT:      %one = mlc_tensor.constant 1.000000e+00 : tensor<4x1xf32>
// CHECK-NEXT:      %m = mlc_tensor.reduce max %x_1 dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %d = mlc_tensor.sub %x_1, %mb : tensor<4x8xf32>
// CHECK-NEXT:      %e = mlc_tensor.exp %d : tensor<4x8xf32>
// CHECK-NEXT:      %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      %i = mlc_tensor.div %one, %s : tensor<4x1xf32>
// CHECK-NEXT:      %ib = mlc_tensor.broadcast %i : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %r_1 = mlc_tensor.mul %ib, %e : tensor<4x8xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<4x8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @softmax_by_reciprocal(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = mlc_tensor.constant 1.0 : tensor<4x1xf32>
  %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %e = mlc_tensor.exp %d : tensor<4x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %i = mlc_tensor.div %one, %s : tensor<4x1xf32>
  %ib = mlc_tensor.broadcast %i : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.mul %ib, %e : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// The greatest of a column beside the sum of a row.
// CHECK-LABEL: func.func @keeps_wrong_axis(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT:    %m = mlc_tensor.reduce max %x dims [0] : tensor<8x8xf32> -> tensor<1x8xf32>
// CHECK-NEXT:    %mb = mlc_tensor.broadcast %m : tensor<1x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %x, %mb : tensor<8x8xf32>
// CHECK-NEXT:    %e = mlc_tensor.exp %d : tensor<8x8xf32>
// CHECK-NEXT:    %s = mlc_tensor.reduce add %e dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %s : tensor<8x1xf32> -> tensor<8x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.div %e, %sb : tensor<8x8xf32>
// CHECK-NEXT:    func.return %r : tensor<8x8xf32>
// CHECK-NEXT:  }
func.func @keeps_wrong_axis(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = mlc_tensor.reduce max %x dims [0] : tensor<8x8xf32> -> tensor<1x8xf32>
  %mb = mlc_tensor.broadcast %m : tensor<1x8xf32> -> tensor<8x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<8x8xf32>
  %e = mlc_tensor.exp %d : tensor<8x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<8x1xf32> -> tensor<8x8xf32>
  %r = mlc_tensor.div %e, %sb : tensor<8x8xf32>
  func.return %r : tensor<8x8xf32>
}

// Sums of rows, spread over columns.
// CHECK-LABEL: func.func @keeps_turned_sums(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
// CHECK-NEXT:    %m = mlc_tensor.reduce max %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    %mb = mlc_tensor.broadcast %m : tensor<8x1xf32> -> tensor<8x8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %x, %mb : tensor<8x8xf32>
// CHECK-NEXT:    %e = mlc_tensor.exp %d : tensor<8x8xf32>
// CHECK-NEXT:    %s = mlc_tensor.reduce add %e dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
// CHECK-NEXT:    %f = mlc_tensor.reshape %s : tensor<8x1xf32> -> tensor<8xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %f : tensor<8xf32> -> tensor<8x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.div %e, %sb : tensor<8x8xf32>
// CHECK-NEXT:    func.return %r : tensor<8x8xf32>
// CHECK-NEXT:  }
func.func @keeps_turned_sums(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<8x1xf32> -> tensor<8x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<8x8xf32>
  %e = mlc_tensor.exp %d : tensor<8x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %f = mlc_tensor.reshape %s : tensor<8x1xf32> -> tensor<8xf32>
  %sb = mlc_tensor.broadcast %f : tensor<8xf32> -> tensor<8x8xf32>
  %r = mlc_tensor.div %e, %sb : tensor<8x8xf32>
  func.return %r : tensor<8x8xf32>
}

// Without the greatest subtracted, large scores overflow: another function.
// CHECK-LABEL: func.func @keeps_unshifted(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %e = mlc_tensor.exp %x : tensor<4x8xf32>
// CHECK-NEXT:    %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.div %e, %sb : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @keeps_unshifted(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = mlc_tensor.exp %x : tensor<4x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.div %e, %sb : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// The powers are a result too.
// CHECK-LABEL: func.func @keeps_shared_powers(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
// CHECK-NEXT:    %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
// CHECK-NEXT:    %e = mlc_tensor.exp %d : tensor<4x8xf32>
// CHECK-NEXT:    %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.div %e, %sb : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r, %e : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @keeps_shared_powers(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %e = mlc_tensor.exp %d : tensor<4x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.div %e, %sb : tensor<4x8xf32>
  func.return %r, %e : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.log_softmax(%x) {dim = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %e = mlc_tensor.exp %d : tensor<4x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %l = mlc_tensor.log %s : tensor<4x1xf32>
  %lb = mlc_tensor.broadcast %l : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.sub %d, %lb : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// x - (max + log sum)
// CHECK-LABEL: func.func @log_softmax_grouped(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %r = mlc_tensor.log_softmax(%x) {dim = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>) spelled (%x_1 : tensor<4x8xf32>) {
// CHECK-NEXT:      %m = mlc_tensor.reduce max %x_1 dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %d = mlc_tensor.sub %x_1, %mb : tensor<4x8xf32>
// CHECK-NEXT:      %e = mlc_tensor.exp %d : tensor<4x8xf32>
// CHECK-NEXT:      %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:      %l = mlc_tensor.log %s : tensor<4x1xf32>
// CHECK-NEXT:      %n = mlc_tensor.add %m, %l : tensor<4x1xf32>
// CHECK-NEXT:      %nb = mlc_tensor.broadcast %n : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:      %r_1 = mlc_tensor.sub %x_1, %nb : tensor<4x8xf32>
// CHECK-NEXT:      mlc_tensor.yield %r_1 : tensor<4x8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @log_softmax_grouped(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %e = mlc_tensor.exp %d : tensor<4x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %l = mlc_tensor.log %s : tensor<4x1xf32>
  %n = mlc_tensor.add %m, %l : tensor<4x1xf32>
  %nb = mlc_tensor.broadcast %n : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.sub %x, %nb : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}

// x - (max - log sum)
// CHECK-LABEL: func.func @keeps_wrong_sign(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:    %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
// CHECK-NEXT:    %e = mlc_tensor.exp %d : tensor<4x8xf32>
// CHECK-NEXT:    %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %l = mlc_tensor.log %s : tensor<4x1xf32>
// CHECK-NEXT:    %n = mlc_tensor.sub %m, %l : tensor<4x1xf32>
// CHECK-NEXT:    %nb = mlc_tensor.broadcast %n : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    %r = mlc_tensor.sub %x, %nb : tensor<4x8xf32>
// CHECK-NEXT:    func.return %r : tensor<4x8xf32>
// CHECK-NEXT:  }
func.func @keeps_wrong_sign(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  %e = mlc_tensor.exp %d : tensor<4x8xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %l = mlc_tensor.log %s : tensor<4x1xf32>
  %n = mlc_tensor.sub %m, %l : tensor<4x1xf32>
  %nb = mlc_tensor.broadcast %n : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = mlc_tensor.sub %x, %nb : tensor<4x8xf32>
  func.return %r : tensor<4x8xf32>
}
