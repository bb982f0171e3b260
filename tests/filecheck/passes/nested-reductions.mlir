// RUN: mlc-opt %s -p nested-reductions --split-input-file | filecheck %s

// The sum of everything is made of rows whose maximum it needs: rows first, then one number a row.
// CHECK-LABEL: @rows_first(
// CHECK:         %[[E:.*]] = mlc_tensor.exp
// CHECK-NEXT:    %[[R:.*]] = mlc_tensor.reduce add %[[E]] dims [1] : tensor<1024x64xf32> -> tensor<1024x1xf32>
// CHECK-NEXT:    %[[T:.*]] = mlc_tensor.reduce add %[[R]] dims [0, 1] : tensor<1024x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT:    func.return %[[T]]
func.func @rows_first(%x: tensor<1024x64xf32>) -> tensor<1x1xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<1024x64xf32> -> tensor<1024x1xf32>
  %b = mlc_tensor.broadcast %m : tensor<1024x1xf32> -> tensor<1024x64xf32>
  %d = mlc_tensor.sub %x, %b : tensor<1024x64xf32>
  %e = mlc_tensor.exp %d : tensor<1024x64xf32>
  %t = mlc_tensor.reduce add %e dims [0, 1] : tensor<1024x64xf32> -> tensor<1x1xf32>
  func.return %t : tensor<1x1xf32>
}

// -----

// No reduction over rows is behind it: the parts of one long row are quicker.
// CHECK-LABEL: @keeps_nothing_behind(
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [0, 1] : tensor<1024x64xf32>
func.func @keeps_nothing_behind(%x: tensor<1024x64xf32>) -> tensor<1x1xf32> {
  %e = mlc_tensor.exp %x : tensor<1024x64xf32>
  %t = mlc_tensor.reduce add %e dims [0, 1] : tensor<1024x64xf32> -> tensor<1x1xf32>
  func.return %t : tensor<1x1xf32>
}

// -----

// Few rows do not fill a device.
// CHECK-LABEL: @keeps_few_rows(
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [0, 1] : tensor<16x64xf32>
func.func @keeps_few_rows(%x: tensor<16x64xf32>) -> tensor<1x1xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<16x64xf32> -> tensor<16x1xf32>
  %b = mlc_tensor.broadcast %m : tensor<16x1xf32> -> tensor<16x64xf32>
  %d = mlc_tensor.sub %x, %b : tensor<16x64xf32>
  %t = mlc_tensor.reduce add %d dims [0, 1] : tensor<16x64xf32> -> tensor<1x1xf32>
  func.return %t : tensor<1x1xf32>
}

// -----

// A 16-bit sum of rows would be rounded on the way, and a position is not made of positions.
// CHECK-LABEL: @keeps_rounded(
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [0, 1] : tensor<1024x64xbf16>
// CHECK-NEXT:    mlc_tensor.reduce argmax %{{.*}} dims [0, 1] : tensor<1024x64xbf16>
func.func @keeps_rounded(%x: tensor<1024x64xbf16>) -> (tensor<1x1xbf16>, tensor<1x1xi64>) {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<1024x64xbf16> -> tensor<1024x1xbf16>
  %b = mlc_tensor.broadcast %m : tensor<1024x1xbf16> -> tensor<1024x64xbf16>
  %d = mlc_tensor.sub %x, %b : tensor<1024x64xbf16>
  %t = mlc_tensor.reduce add %d dims [0, 1] : tensor<1024x64xbf16> -> tensor<1x1xbf16>
  %p = mlc_tensor.reduce argmax %d dims [0, 1] : tensor<1024x64xbf16> -> tensor<1x1xi64>
  func.return %t, %p : tensor<1x1xbf16>, tensor<1x1xi64>
}

// -----

// The reduction behind it is over rows of other points, read through a transpose.
// CHECK-LABEL: @keeps_other_points(
// CHECK:         mlc_tensor.reduce add %{{.*}} dims [0, 1] : tensor<1024x1024xf32>
func.func @keeps_other_points(%x: tensor<1024x1024xf32>) -> tensor<1x1xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<1024x1024xf32> -> tensor<1024x1xf32>
  %t = mlc_tensor.permute %m [1, 0] : tensor<1024x1xf32> -> tensor<1x1024xf32>
  %b = mlc_tensor.broadcast %t : tensor<1x1024xf32> -> tensor<1024x1024xf32>
  %d = mlc_tensor.sub %x, %b : tensor<1024x1024xf32>
  %s = mlc_tensor.reduce add %d dims [0, 1] : tensor<1024x1024xf32> -> tensor<1x1xf32>
  func.return %s : tensor<1x1xf32>
}
