// RUN: mlc-opt %s -p 'fuse{policy=xla explain=true}' --split-input-file 2>&1 | filecheck %s

// Views and constants are instructions of XLA, fused like others. What is repeated is computed first, here narrowed: the
// kernel that repeats it and transposes would narrow it 32 times.
// CHECK:      remark: repeated: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (c)
func.func @repeated(%x: tensor<4x1024x1x1x128xf32>) -> tensor<4x4x32x256x128xbf16> {
  %b = mlc_tensor.broadcast %x : tensor<4x1024x1x1x128xf32> -> tensor<4x1024x1x32x128xf32>
  %s = mlc_tensor.reshape %b : tensor<4x1024x1x32x128xf32> -> tensor<4x4x256x32x128xf32>
  %p = mlc_tensor.permute %s [0, 1, 3, 2, 4] : tensor<4x4x256x32x128xf32> -> tensor<4x4x32x256x128xf32>
  %c = mlc_tensor.cast %p : tensor<4x4x32x256x128xf32> -> tensor<4x4x32x256x128xbf16>
  func.return %c : tensor<4x4x32x256x128xbf16>
}

// -----

// Two operands that are repeated differently are not computed first.
// CHECK:      remark: repeated_differently: xla: 1 kernels
func.func @repeated_differently(%x: tensor<1024x1xf32>, %y: tensor<1024xf32>) -> tensor<1024x1024xf32> {
  %a = mlc_tensor.broadcast %x : tensor<1024x1xf32> -> tensor<1024x1024xf32>
  %b = mlc_tensor.broadcast %y : tensor<1024xf32> -> tensor<1024x1024xf32>
  %c = mlc_tensor.add %a, %b : tensor<1024x1024xf32>
  func.return %c : tensor<1024x1024xf32>
}

// -----

// A scatter computes its updates and its indices inside, but not what it writes into, nor what reads that as well.
// CHECK:      remark: written_into: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (l)
// CHECK-NEXT: remark: xla: kernel scatter (a, i, s)
func.func @written_into(%x: tensor<16384xi64>) -> tensor<16384xi64> {
  %z = mlc_tensor.constant 0 : tensor<16384xi64>
  %l = mlc_tensor.lt %x, %z : tensor<16384xi64>
  %n = mlc_tensor.constant 16384 : tensor<16384xi64>
  %a = mlc_tensor.add %x, %n : tensor<16384xi64>
  %i = mlc_tensor.select %l, %a, %x : tensor<16384xi64>
  %u = mlc_tensor.iota dim 0 : tensor<16384xi64>
  %s = mlc_tensor.scatter set %z[%i], %u : tensor<16384xi64>, (tensor<16384xi64>), tensor<16384xi64>
  func.return %s : tensor<16384xi64>
}

// -----

// A scan of up to 16 elements is a loop, that of more two.
// CHECK:      remark: scanned: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel loop (m, s)
func.func @scanned(%x: tensor<4x32x5x5xf32>, %y: tensor<4x32x5x5xf32>) -> tensor<4x32x5x5xf32> {
  %m = mlc_tensor.mul %x, %y : tensor<4x32x5x5xf32>
  %s = mlc_tensor.scan add %m dim 2 : tensor<4x32x5x5xf32> -> tensor<4x32x5x5xf32>
  func.return %s : tensor<4x32x5x5xf32>
}

// -----

// CHECK:      remark: scanned_longer: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (s)
// CHECK-NEXT: remark: xla: kernel loop (s)
func.func @scanned_longer(%x: tensor<4x32x4x256xf32>) -> tensor<4x32x4x256xf32> {
  %s = mlc_tensor.scan add %x dim 3 : tensor<4x32x4x256xf32> -> tensor<4x32x4x256xf32>
  func.return %s : tensor<4x32x4x256xf32>
}

// -----

// A sum over dimensions that are not neighbours is one over the longer and then one over the other.
// CHECK:      remark: of_groups: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel input (e, r)
// CHECK-NEXT: remark: xla: kernel input (r)
func.func @of_groups(%x: tensor<16x256x8x64xf32>) -> tensor<16x1x8x1xf32> {
  %e = mlc_tensor.abs %x : tensor<16x256x8x64xf32>
  %r = mlc_tensor.reduce add %e dims [1, 3] : tensor<16x256x8x64xf32> -> tensor<16x1x8x1xf32>
  func.return %r : tensor<16x1x8x1xf32>
}

// -----

// CHECK:      remark: of_rows: xla: 1 kernels
func.func @of_rows(%x: tensor<16x256x8x64xf32>) -> tensor<16x256x1x1xf32> {
  %e = mlc_tensor.abs %x : tensor<16x256x8x64xf32>
  %r = mlc_tensor.reduce add %e dims [2, 3] : tensor<16x256x8x64xf32> -> tensor<16x256x1x1xf32>
  func.return %r : tensor<16x256x1x1xf32>
}

// -----

// A sigmoid of 16 bits takes its quotient in float32: too much to repeat it for all that reads it.
// CHECK:      remark: gated: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (a, g)
// CHECK-NEXT: remark: xla: kernel loop (m)
func.func @gated(%x: tensor<32x1x1x512xbf16>, %y: tensor<512xbf16>, %z: tensor<32x28x28x512xbf16>) -> tensor<32x28x28x512xbf16> {
  %b = mlc_tensor.broadcast %y : tensor<512xbf16> -> tensor<32x1x1x512xbf16>
  %a = mlc_tensor.add %x, %b : tensor<32x1x1x512xbf16>
  %g = mlc_tensor.sigmoid %a : tensor<32x1x1x512xbf16>
  %w = mlc_tensor.broadcast %g : tensor<32x1x1x512xbf16> -> tensor<32x28x28x512xbf16>
  %m = mlc_tensor.mul %z, %w : tensor<32x28x28x512xbf16>
  func.return %m : tensor<32x28x28x512xbf16>
}

// -----

// CHECK:      remark: gated_by_one: xla: 1 kernels
func.func @gated_by_one(%x: tensor<32x28x28x512xbf16>, %z: tensor<32x28x28x512xbf16>) -> tensor<32x28x28x512xbf16> {
  %g = mlc_tensor.sigmoid %x : tensor<32x28x28x512xbf16>
  %m = mlc_tensor.mul %z, %g : tensor<32x28x28x512xbf16>
  func.return %m : tensor<32x28x28x512xbf16>
}

// -----

// A transpose is not read by a concatenation, whose reads would be scattered.
// CHECK:      remark: beside: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (p)
// CHECK-NEXT: remark: xla: kernel loop (c)
func.func @beside(%x: tensor<4x1024x2048xbf16>, %y: tensor<4x2304x1024xbf16>) -> tensor<4x1024x4352xbf16> {
  %p = mlc_tensor.permute %y [0, 2, 1] : tensor<4x2304x1024xbf16> -> tensor<4x1024x2304xbf16>
  %c = mlc_tensor.cat %x, %p dim 2 : (tensor<4x1024x2048xbf16>, tensor<4x1024x2304xbf16>) -> tensor<4x1024x4352xbf16>
  func.return %c : tensor<4x1024x4352xbf16>
}

// -----

// A maximum of rows and what reads it are one Triton kernel, with what the rows are made of. Where each row is a reshape
// of several dimensions, these are reduced, and nothing is met again.
// CHECK:      remark: rows: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel triton
func.func @rows(%x: tensor<32x2x28x28x196xf32>, %y: tensor<196xf32>) -> tensor<32x2x784x196xf32> {
  %w = mlc_tensor.broadcast %y : tensor<196xf32> -> tensor<32x2x28x28x196xf32>
  %a = mlc_tensor.add %x, %w : tensor<32x2x28x28x196xf32>
  %s = mlc_tensor.reshape %a : tensor<32x2x28x28x196xf32> -> tensor<32x2x784x196xf32>
  %m = mlc_tensor.reduce max %s dims [3] : tensor<32x2x784x196xf32> -> tensor<32x2x784x1xf32>
  %b = mlc_tensor.broadcast %m : tensor<32x2x784x1xf32> -> tensor<32x2x784x196xf32>
  %d = mlc_tensor.sub %s, %b : tensor<32x2x784x196xf32>
  func.return %d : tensor<32x2x784x196xf32>
}

// -----

// CHECK:      remark: merged_rows: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel input (a, m)
// CHECK-NEXT: remark: xla: kernel loop (a, d)
func.func @merged_rows(%x: tensor<32x2x784x14x14xf32>, %y: tensor<14x1xf32>) -> tensor<32x2x784x196xf32> {
  %w = mlc_tensor.broadcast %y : tensor<14x1xf32> -> tensor<32x2x784x14x14xf32>
  %a = mlc_tensor.add %x, %w : tensor<32x2x784x14x14xf32>
  %s = mlc_tensor.reshape %a : tensor<32x2x784x14x14xf32> -> tensor<32x2x784x196xf32>
  %m = mlc_tensor.reduce max %s dims [3] : tensor<32x2x784x196xf32> -> tensor<32x2x784x1xf32>
  %b = mlc_tensor.broadcast %m : tensor<32x2x784x1xf32> -> tensor<32x2x784x196xf32>
  %d = mlc_tensor.sub %s, %b : tensor<32x2x784x196xf32>
  func.return %d : tensor<32x2x784x196xf32>
}

// -----

// Rows that are looked up are kernels of their own, and what adds them goes into the Triton kernel of the norm.
// CHECK:      remark: looked_up: xla: 3 kernels
// CHECK-NEXT: remark: xla: kernel loop (g)
// CHECK-NEXT: remark: xla: kernel loop (h)
// CHECK-NEXT: remark: xla: kernel triton (a, c, m, s, q, r, d, n)
func.func @looked_up(%t: tensor<50265x768xbf16>, %i: tensor<16x512x1xi64>, %u: tensor<1026x768xbf16>, %j: tensor<16x512x1xi64>) -> tensor<16x512x768xbf16> {
  %column = mlc_tensor.iota dim 2 : tensor<16x512x768xi64>
  %ib = mlc_tensor.broadcast %i : tensor<16x512x1xi64> -> tensor<16x512x768xi64>
  %g = mlc_tensor.gather %t[%ib, %column] : tensor<50265x768xbf16>, (tensor<16x512x768xi64>, tensor<16x512x768xi64>) -> tensor<16x512x768xbf16>
  %jb = mlc_tensor.broadcast %j : tensor<16x512x1xi64> -> tensor<16x512x768xi64>
  %h = mlc_tensor.gather %u[%jb, %column] : tensor<1026x768xbf16>, (tensor<16x512x768xi64>, tensor<16x512x768xi64>) -> tensor<16x512x768xbf16>
  %a = mlc_tensor.add %g, %h : tensor<16x512x768xbf16>
  %c = mlc_tensor.cast %a : tensor<16x512x768xbf16> -> tensor<16x512x768xf32>
  %m = mlc_tensor.reduce add %c dims [2] : tensor<16x512x768xf32> -> tensor<16x512x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<16x512x1xf32> -> tensor<16x512x768xf32>
  %s = mlc_tensor.sub %c, %mb : tensor<16x512x768xf32>
  %q = mlc_tensor.mul %s, %s : tensor<16x512x768xf32>
  %r = mlc_tensor.reduce add %q dims [2] : tensor<16x512x768xf32> -> tensor<16x512x1xf32>
  %rb = mlc_tensor.broadcast %r : tensor<16x512x1xf32> -> tensor<16x512x768xf32>
  %d = mlc_tensor.div %s, %rb : tensor<16x512x768xf32>
  %n = mlc_tensor.cast %d : tensor<16x512x768xf32> -> tensor<16x512x768xbf16>
  func.return %n : tensor<16x512x768xbf16>
}

// -----

// Of one row for all, the elements are looked up one by one: the Triton kernel would take a transaction for each.
// CHECK:      remark: looked_up_one_by_one: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (a)
// CHECK-NEXT: remark: xla: kernel triton (c, m, s, q, r, d, n)
func.func @looked_up_one_by_one(%t: tensor<50265x768xbf16>, %i: tensor<16x512x1xi64>, %u: tensor<2x768xbf16>) -> tensor<16x512x768xbf16> {
  %column = mlc_tensor.iota dim 2 : tensor<16x512x768xi64>
  %ib = mlc_tensor.broadcast %i : tensor<16x512x1xi64> -> tensor<16x512x768xi64>
  %g = mlc_tensor.gather %t[%ib, %column] : tensor<50265x768xbf16>, (tensor<16x512x768xi64>, tensor<16x512x768xi64>) -> tensor<16x512x768xbf16>
  %zero = mlc_tensor.constant 0 : tensor<16x512x768xi64>
  %h = mlc_tensor.gather %u[%zero, %column] : tensor<2x768xbf16>, (tensor<16x512x768xi64>, tensor<16x512x768xi64>) -> tensor<16x512x768xbf16>
  %a = mlc_tensor.add %g, %h : tensor<16x512x768xbf16>
  %c = mlc_tensor.cast %a : tensor<16x512x768xbf16> -> tensor<16x512x768xf32>
  %m = mlc_tensor.reduce add %c dims [2] : tensor<16x512x768xf32> -> tensor<16x512x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<16x512x1xf32> -> tensor<16x512x768xf32>
  %s = mlc_tensor.sub %c, %mb : tensor<16x512x768xf32>
  %q = mlc_tensor.mul %s, %s : tensor<16x512x768xf32>
  %r = mlc_tensor.reduce add %q dims [2] : tensor<16x512x768xf32> -> tensor<16x512x1xf32>
  %rb = mlc_tensor.broadcast %r : tensor<16x512x1xf32> -> tensor<16x512x768xf32>
  %d = mlc_tensor.div %s, %rb : tensor<16x512x768xf32>
  %n = mlc_tensor.cast %d : tensor<16x512x768xf32> -> tensor<16x512x768xbf16>
  func.return %n : tensor<16x512x768xbf16>
}

// -----

// A block sums up 128 columns where something that it reads has 16 bits: too few blocks to read the vectors again.
// CHECK:      remark: columns: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (w, s, m, e, n, v)
// CHECK-NEXT: remark: xla: kernel input (q, r)
func.func @columns(%x: tensor<64x784x216xbf16>, %a: tensor<216xf32>, %b: tensor<216xf32>, %d: tensor<216xf32>) -> tensor<64x1x216xf32> {
  %w = mlc_tensor.cast %x : tensor<64x784x216xbf16> -> tensor<64x784x216xf32>
  %ab = mlc_tensor.broadcast %a : tensor<216xf32> -> tensor<64x784x216xf32>
  %s = mlc_tensor.sub %w, %ab : tensor<64x784x216xf32>
  %bb = mlc_tensor.broadcast %b : tensor<216xf32> -> tensor<64x784x216xf32>
  %m = mlc_tensor.mul %s, %bb : tensor<64x784x216xf32>
  %db = mlc_tensor.broadcast %d : tensor<216xf32> -> tensor<64x784x216xf32>
  %e = mlc_tensor.add %m, %db : tensor<64x784x216xf32>
  %n = mlc_tensor.cast %e : tensor<64x784x216xf32> -> tensor<64x784x216xbf16>
  %v = mlc_tensor.abs %n : tensor<64x784x216xbf16>
  %q = mlc_tensor.cast %v : tensor<64x784x216xbf16> -> tensor<64x784x216xf32>
  %r = mlc_tensor.reduce add %q dims [1] : tensor<64x784x216xf32> -> tensor<64x1x216xf32>
  func.return %r : tensor<64x1x216xf32>
}

// -----

// Of 32 bits it sums up 64.
// CHECK:      remark: wide_columns: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel input (s, m, e, r)
func.func @wide_columns(%x: tensor<64x784x216xf32>, %a: tensor<216xf32>, %b: tensor<216xf32>, %d: tensor<216xf32>) -> tensor<64x1x216xf32> {
  %ab = mlc_tensor.broadcast %a : tensor<216xf32> -> tensor<64x784x216xf32>
  %s = mlc_tensor.sub %x, %ab : tensor<64x784x216xf32>
  %bb = mlc_tensor.broadcast %b : tensor<216xf32> -> tensor<64x784x216xf32>
  %m = mlc_tensor.mul %s, %bb : tensor<64x784x216xf32>
  %db = mlc_tensor.broadcast %d : tensor<216xf32> -> tensor<64x784x216xf32>
  %e = mlc_tensor.add %m, %db : tensor<64x784x216xf32>
  %r = mlc_tensor.reduce add %e dims [1] : tensor<64x784x216xf32> -> tensor<64x1x216xf32>
  func.return %r : tensor<64x1x216xf32>
}

// -----

// A mask that all heads read is computed once for a tile of several heads: the Triton kernel computes it.
// CHECK:      remark: mask: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel triton
func.func @mask(%x: tensor<8x12x1024x1024xbf16>) -> tensor<8x12x1024x1024xf32> {
  %row = mlc_tensor.iota dim 2 : tensor<1x1x1024x1024xi64>
  %column = mlc_tensor.iota dim 3 : tensor<1x1x1024x1024xi64>
  %l = mlc_tensor.le %column, %row : tensor<1x1x1024x1024xi64>
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<1x1x1024x1024xbf16>
  %least = mlc_tensor.constant -3.389530e+38 : tensor<1x1x1024x1024xbf16>
  %k = mlc_tensor.select %l, %zero, %least : tensor<1x1x1024x1024xbf16>
  %kb = mlc_tensor.broadcast %k : tensor<1x1x1024x1024xbf16> -> tensor<8x12x1024x1024xbf16>
  %a = mlc_tensor.add %x, %kb : tensor<8x12x1024x1024xbf16>
  %c = mlc_tensor.cast %a : tensor<8x12x1024x1024xbf16> -> tensor<8x12x1024x1024xf32>
  %m = mlc_tensor.reduce max %c dims [3] : tensor<8x12x1024x1024xf32> -> tensor<8x12x1024x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<8x12x1024x1xf32> -> tensor<8x12x1024x1024xf32>
  %s = mlc_tensor.sub %c, %mb : tensor<8x12x1024x1024xf32>
  %e = mlc_tensor.exp %s : tensor<8x12x1024x1024xf32>
  %r = mlc_tensor.reduce add %e dims [3] : tensor<8x12x1024x1024xf32> -> tensor<8x12x1024x1xf32>
  %rb = mlc_tensor.broadcast %r : tensor<8x12x1024x1xf32> -> tensor<8x12x1024x1024xf32>
  %d = mlc_tensor.div %e, %rb : tensor<8x12x1024x1024xf32>
  func.return %d : tensor<8x12x1024x1024xf32>
}

// -----

// A long column is summed up in parts, which a Triton fusion writes where they are whole rows of what it computes,
// CHECK:      remark: parts_of_rows: xla: 3 kernels
// CHECK-NEXT: remark: xla: kernel triton (m, d, n)
// CHECK-NEXT: remark: xla: kernel triton (m, d, w, r)
// CHECK-NEXT: remark: xla: kernel input (w, r)
func.func @parts_of_rows(%x: tensor<64x96x64xf32>) -> (tensor<64x96x64xbf16>, tensor<1x64xf32>) {
  %m = mlc_tensor.reduce max %x dims [2] : tensor<64x96x64xf32> -> tensor<64x96x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<64x96x1xf32> -> tensor<64x96x64xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<64x96x64xf32>
  %n = mlc_tensor.cast %d : tensor<64x96x64xf32> -> tensor<64x96x64xbf16>
  %s = mlc_tensor.reshape %n : tensor<64x96x64xbf16> -> tensor<6144x64xbf16>
  %w = mlc_tensor.cast %s : tensor<6144x64xbf16> -> tensor<6144x64xf32>
  %r = mlc_tensor.reduce add %w dims [0] : tensor<6144x64xf32> -> tensor<1x64xf32>
  func.return %n, %r : tensor<64x96x64xbf16>, tensor<1x64xf32>
}

// -----

// not where they are others,
// CHECK:      remark: parts: xla: 4 kernels
// CHECK-NEXT: remark: xla: kernel triton (m, d)
// CHECK-NEXT: remark: xla: kernel loop (n)
// CHECK-NEXT: remark: xla: kernel input (w, r)
// CHECK-NEXT: remark: xla: kernel input (w, r)
func.func @parts(%x: tensor<32x192x64xf32>) -> (tensor<32x192x64xbf16>, tensor<1x64xf32>) {
  %m = mlc_tensor.reduce max %x dims [2] : tensor<32x192x64xf32> -> tensor<32x192x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<32x192x1xf32> -> tensor<32x192x64xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<32x192x64xf32>
  %n = mlc_tensor.cast %d : tensor<32x192x64xf32> -> tensor<32x192x64xbf16>
  %s = mlc_tensor.reshape %n : tensor<32x192x64xbf16> -> tensor<6144x64xbf16>
  %w = mlc_tensor.cast %s : tensor<6144x64xbf16> -> tensor<6144x64xf32>
  %r = mlc_tensor.reduce add %w dims [0] : tensor<6144x64xf32> -> tensor<1x64xf32>
  func.return %n, %r : tensor<32x192x64xbf16>, tensor<1x64xf32>
}

// -----

// nor where no tile holds one.
// CHECK:      remark: parts_too_large: xla: 4 kernels
// CHECK-NEXT: remark: xla: kernel triton (m, d)
func.func @parts_too_large(%x: tensor<128x128x768xf32>) -> (tensor<128x128x768xbf16>, tensor<1x768xf32>) {
  %m = mlc_tensor.reduce max %x dims [2] : tensor<128x128x768xf32> -> tensor<128x128x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<128x128x1xf32> -> tensor<128x128x768xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<128x128x768xf32>
  %n = mlc_tensor.cast %d : tensor<128x128x768xf32> -> tensor<128x128x768xbf16>
  %s = mlc_tensor.reshape %n : tensor<128x128x768xbf16> -> tensor<16384x768xbf16>
  %w = mlc_tensor.cast %s : tensor<16384x768xbf16> -> tensor<16384x768xf32>
  %r = mlc_tensor.reduce add %w dims [0] : tensor<16384x768xf32> -> tensor<1x768xf32>
  func.return %n, %r : tensor<128x128x768xbf16>, tensor<1x768xf32>
}

// -----

// A last dimension that only sizes of 1 follow stays where it is: its transpose is no kernel.
// CHECK:      remark: ones_aside: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel loop (a)
func.func @ones_aside(%x: tensor<64x784x196xbf16>, %u: tensor<28x1792x14xbf16>) -> tensor<32x2x28x28x14x14xbf16> {
  %s = mlc_tensor.reshape %u : tensor<28x1792x14xbf16> -> tensor<28x32x2x28x1x14xbf16>
  %p = mlc_tensor.permute %s [1, 2, 0, 3, 5, 4] : tensor<28x32x2x28x1x14xbf16> -> tensor<32x2x28x28x14x1xbf16>
  %xs = mlc_tensor.reshape %x : tensor<64x784x196xbf16> -> tensor<32x2x28x28x14x14xbf16>
  %b = mlc_tensor.broadcast %p : tensor<32x2x28x28x14x1xbf16> -> tensor<32x2x28x28x14x14xbf16>
  %a = mlc_tensor.add %xs, %b : tensor<32x2x28x28x14x14xbf16>
  func.return %a : tensor<32x2x28x28x14x14xbf16>
}

// -----

// What moves rows is not computed beside what reads them.
// CHECK:      remark: moved_rows: xla: 3 kernels
// CHECK-NEXT: remark: xla: kernel loop (e, p)
// CHECK-NEXT: remark: xla: kernel input (w, r)
// CHECK-NEXT: remark: xla: kernel input (r)
func.func @moved_rows(%x: tensor<4x12x2048x128xbf16>) -> (tensor<4x2048x12x128xbf16>, tensor<1x1x12x128xf32>) {
  %e = mlc_tensor.exp %x : tensor<4x12x2048x128xbf16>
  %p = mlc_tensor.permute %e [0, 2, 1, 3] : tensor<4x12x2048x128xbf16> -> tensor<4x2048x12x128xbf16>
  %w = mlc_tensor.cast %p : tensor<4x2048x12x128xbf16> -> tensor<4x2048x12x128xf32>
  %r = mlc_tensor.reduce add %w dims [0, 1] : tensor<4x2048x12x128xf32> -> tensor<1x1x12x128xf32>
  func.return %p, %r : tensor<4x2048x12x128xbf16>, tensor<1x1x12x128xf32>
}

// -----

// A lone concatenation is written beside what reads it, one with ops in it is not.
// CHECK:      remark: lone_cat: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel loop (w, a)
func.func @lone_cat(%x: tensor<32x25x25x96xbf16>, %y: tensor<32x25x25x96xbf16>) -> (tensor<32x25x25x192xbf16>, tensor<32x25x25x192xf32>) {
  %c = mlc_tensor.cat %x, %y dim 3 : (tensor<32x25x25x96xbf16>, tensor<32x25x25x96xbf16>) -> tensor<32x25x25x192xbf16>
  %w = mlc_tensor.cast %c : tensor<32x25x25x192xbf16> -> tensor<32x25x25x192xf32>
  %p = mlc_tensor.pad %w low [0, 1, 1, 0] value 0.000000e+00 : f32 : tensor<32x25x25x192xf32> -> tensor<32x27x27x192xf32>
  %l = mlc_tensor.slice %p [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<32x27x27x192xf32> -> tensor<32x25x25x192xf32>
  %a = mlc_tensor.add %w, %l : tensor<32x25x25x192xf32>
  func.return %c, %a : tensor<32x25x25x192xbf16>, tensor<32x25x25x192xf32>
}

// -----

// CHECK:      remark: fused_cat: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (m, c)
// CHECK-NEXT: remark: xla: kernel loop (w, a)
func.func @fused_cat(%x: tensor<32x25x25x96xbf16>, %y: tensor<32x25x25x96xbf16>) -> (tensor<32x25x25x192xbf16>, tensor<32x25x25x192xf32>) {
  %m = mlc_tensor.mul %x, %y : tensor<32x25x25x96xbf16>
  %c = mlc_tensor.cat %m, %y dim 3 : (tensor<32x25x25x96xbf16>, tensor<32x25x25x96xbf16>) -> tensor<32x25x25x192xbf16>
  %w = mlc_tensor.cast %c : tensor<32x25x25x192xbf16> -> tensor<32x25x25x192xf32>
  %p = mlc_tensor.pad %w low [0, 1, 1, 0] value 0.000000e+00 : f32 : tensor<32x25x25x192xf32> -> tensor<32x27x27x192xf32>
  %l = mlc_tensor.slice %p [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<32x27x27x192xf32> -> tensor<32x25x25x192xf32>
  %a = mlc_tensor.add %w, %l : tensor<32x25x25x192xf32>
  func.return %c, %a : tensor<32x25x25x192xbf16>, tensor<32x25x25x192xf32>
}

// -----

// What is written beside a result is written while the rest is computed.
// CHECK:      remark: written_meanwhile: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel input (t, e, r)
func.func @written_meanwhile(%x: tensor<4096x2048xf32>, %y: tensor<4096x2048xf32>) -> (tensor<4096x2048xf32>, tensor<4096x1xf32>) {
  %t = mlc_tensor.pow %x, %y : tensor<4096x2048xf32>
  %e = mlc_tensor.pow %t, %y : tensor<4096x2048xf32>
  %r = mlc_tensor.reduce add %e dims [1] : tensor<4096x2048xf32> -> tensor<4096x1xf32>
  func.return %t, %r : tensor<4096x2048xf32>, tensor<4096x1xf32>
}

// -----

// Rows are the same where a reshape merges what stands before them.
// CHECK:      remark: merged_before_rows: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel triton (m, d, n)
// CHECK-NEXT: remark: xla: kernel triton (m, d, w, a, c, q, r)
func.func @merged_before_rows(%x: tensor<32x28x28x64xf32>) -> (tensor<32x28x28x64xbf16>, tensor<32x784x1xf32>) {
  %m = mlc_tensor.reduce max %x dims [3] : tensor<32x28x28x64xf32> -> tensor<32x28x28x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<32x28x28x1xf32> -> tensor<32x28x28x64xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<32x28x28x64xf32>
  %n = mlc_tensor.cast %d : tensor<32x28x28x64xf32> -> tensor<32x28x28x64xbf16>
  %s = mlc_tensor.reshape %n : tensor<32x28x28x64xbf16> -> tensor<32x784x64xbf16>
  %w = mlc_tensor.cast %s : tensor<32x784x64xbf16> -> tensor<32x784x64xf32>
  %a = mlc_tensor.reduce add %w dims [2] : tensor<32x784x64xf32> -> tensor<32x784x1xf32>
  %ab = mlc_tensor.broadcast %a : tensor<32x784x1xf32> -> tensor<32x784x64xf32>
  %c = mlc_tensor.sub %w, %ab : tensor<32x784x64xf32>
  %q = mlc_tensor.mul %c, %c : tensor<32x784x64xf32>
  %r = mlc_tensor.reduce add %q dims [2] : tensor<32x784x64xf32> -> tensor<32x784x1xf32>
  func.return %n, %r : tensor<32x28x28x64xbf16>, tensor<32x784x1xf32>
}

// -----

// A tile has as many short rows as registers hold: computed again in three kernels, they cost little.
// CHECK:      remark: high_tiles: xla: 3 kernels
// CHECK-NEXT: remark: xla: kernel triton (o, w, m, d, q, v, i, n, gw, y, bw, z, c)
func.func @high_tiles(%x: tensor<16x16384x32xbf16>, %p: tensor<32xbf16>, %g: tensor<32xbf16>, %b: tensor<32xbf16>) -> (tensor<16x16384x32xbf16>, tensor<16x16384x1xf32>, tensor<16x16384x1xf32>) {
  %pb = mlc_tensor.broadcast %p : tensor<32xbf16> -> tensor<16x16384x32xbf16>
  %o = mlc_tensor.add %x, %pb : tensor<16x16384x32xbf16>
  %w = mlc_tensor.cast %o : tensor<16x16384x32xbf16> -> tensor<16x16384x32xf32>
  %m = mlc_tensor.reduce add %w dims [2] : tensor<16x16384x32xf32> -> tensor<16x16384x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<16x16384x1xf32> -> tensor<16x16384x32xf32>
  %d = mlc_tensor.sub %w, %mb : tensor<16x16384x32xf32>
  %q = mlc_tensor.mul %d, %d : tensor<16x16384x32xf32>
  %v = mlc_tensor.reduce add %q dims [2] : tensor<16x16384x32xf32> -> tensor<16x16384x1xf32>
  %i = mlc_tensor.rsqrt %v : tensor<16x16384x1xf32>
  %ib = mlc_tensor.broadcast %i : tensor<16x16384x1xf32> -> tensor<16x16384x32xf32>
  %n = mlc_tensor.mul %d, %ib : tensor<16x16384x32xf32>
  %gw = mlc_tensor.cast %g : tensor<32xbf16> -> tensor<32xf32>
  %gb = mlc_tensor.broadcast %gw : tensor<32xf32> -> tensor<16x16384x32xf32>
  %y = mlc_tensor.mul %n, %gb : tensor<16x16384x32xf32>
  %bw = mlc_tensor.cast %b : tensor<32xbf16> -> tensor<32xf32>
  %bb = mlc_tensor.broadcast %bw : tensor<32xf32> -> tensor<16x16384x32xf32>
  %z = mlc_tensor.add %y, %bb : tensor<16x16384x32xf32>
  %c = mlc_tensor.cast %z : tensor<16x16384x32xf32> -> tensor<16x16384x32xbf16>
  %u = mlc_tensor.reduce add %z dims [2] : tensor<16x16384x32xf32> -> tensor<16x16384x1xf32>
  %ub = mlc_tensor.broadcast %u : tensor<16x16384x1xf32> -> tensor<16x16384x32xf32>
  %e = mlc_tensor.sub %z, %ub : tensor<16x16384x32xf32>
  %f = mlc_tensor.mul %e, %e : tensor<16x16384x32xf32>
  %r = mlc_tensor.reduce add %f dims [2] : tensor<16x16384x32xf32> -> tensor<16x16384x1xf32>
  func.return %c, %u, %r : tensor<16x16384x32xbf16>, tensor<16x16384x1xf32>, tensor<16x16384x1xf32>
}
