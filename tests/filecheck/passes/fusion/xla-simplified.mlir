// RUN: mlc-opt %s -p 'fuse{policy=xla explain=true}' --split-input-file 2>&1 | filecheck %s

// A cast to fewer digits and back is none for XLA: the sum reads what has been narrowed, which one kernel writes, and
// the next narrows it as it adds.
// CHECK:      remark: narrowed: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (m, e)
// CHECK-NEXT: remark: xla: kernel input (c, b, r)
func.func @narrowed(%x: tensor<64x200x256xf32>, %y: tensor<64x200x256xf32>) -> (tensor<64x200x256xbf16>, tensor<64x1x256xf32>) {
  %m = mlc_tensor.pow %x, %y : tensor<64x200x256xf32>
  %e = mlc_tensor.pow %m, %y : tensor<64x200x256xf32>
  %c = mlc_tensor.cast %e : tensor<64x200x256xf32> -> tensor<64x200x256xbf16>
  %b = mlc_tensor.cast %c : tensor<64x200x256xbf16> -> tensor<64x200x256xf32>
  %r = mlc_tensor.reduce add %b dims [1] : tensor<64x200x256xf32> -> tensor<64x1x256xf32>
  func.return %c, %r : tensor<64x200x256xbf16>, tensor<64x1x256xf32>
}

// -----

// So behind a reshape, at the end: the reduction's kernel gives what the last cast would.
// CHECK:      remark: at_the_end: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel input (w, r, c, b)
func.func @at_the_end(%x: tensor<4x1024x32xbf16>) -> tensor<32xf32> {
  %w = mlc_tensor.cast %x : tensor<4x1024x32xbf16> -> tensor<4x1024x32xf32>
  %r = mlc_tensor.reduce add %w dims [0, 1] : tensor<4x1024x32xf32> -> tensor<1x1x32xf32>
  %c = mlc_tensor.cast %r : tensor<1x1x32xf32> -> tensor<1x1x32xbf16>
  %s = mlc_tensor.reshape %c : tensor<1x1x32xbf16> -> tensor<32xbf16>
  %b = mlc_tensor.cast %s : tensor<32xbf16> -> tensor<32xf32>
  func.return %b : tensor<32xf32>
}

// -----

// Of more digits than before nothing is undone.
// CHECK:      remark: widened: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel loop (c, e, b)
func.func @widened(%x: tensor<4096xbf16>) -> tensor<4096xbf16> {
  %c = mlc_tensor.cast %x : tensor<4096xbf16> -> tensor<4096xf32>
  %e = mlc_tensor.exp %c : tensor<4096xf32>
  %b = mlc_tensor.cast %e : tensor<4096xf32> -> tensor<4096xbf16>
  func.return %b : tensor<4096xbf16>
}

// -----

// A transpose that leaves the rows as they are goes into the kernel of what makes them.
// CHECK:      remark: windows: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel triton
func.func @windows(%x: tensor<32x56x56x64xf32>) -> tensor<100352x64xf32> {
  %m = mlc_tensor.reduce max %x dims [3] : tensor<32x56x56x64xf32> -> tensor<32x56x56x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<32x56x56x1xf32> -> tensor<32x56x56x64xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<32x56x56x64xf32>
  %s = mlc_tensor.reshape %d : tensor<32x56x56x64xf32> -> tensor<32x7x8x7x8x64xf32>
  %p = mlc_tensor.permute %s [0, 2, 4, 1, 3, 5] : tensor<32x7x8x7x8x64xf32> -> tensor<32x8x8x7x7x64xf32>
  %t = mlc_tensor.reshape %p : tensor<32x8x8x7x7x64xf32> -> tensor<100352x64xf32>
  %e = mlc_tensor.exp %t : tensor<100352x64xf32>
  func.return %e : tensor<100352x64xf32>
}

// -----

// What is small and broadcast is transposed first, by a kernel of its own.
// CHECK:      remark: weights: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (p)
// CHECK-NEXT: remark: xla: kernel loop (a)
func.func @weights(%w: tensor<192x196xf32>, %x: tensor<512x196x192xf32>) -> tensor<512x196x192xf32> {
  %p = mlc_tensor.permute %w [1, 0] : tensor<192x196xf32> -> tensor<196x192xf32>
  %b = mlc_tensor.broadcast %p : tensor<196x192xf32> -> tensor<512x196x192xf32>
  %a = mlc_tensor.add %x, %b : tensor<512x196x192xf32>
  func.return %a : tensor<512x196x192xf32>
}

// -----

// A concatenation that is a result takes what it is made of inside.
// CHECK:      remark: parts: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel loop (e, a, c)
func.func @parts(%x: tensor<4096x185xf32>, %y: tensor<4096x174xf32>) -> tensor<4096x185xf32> {
  %e = mlc_tensor.abs %x : tensor<4096x185xf32>
  %l = mlc_tensor.slice %e [0, 0] step [1, 1] : tensor<4096x185xf32> -> tensor<4096x174xf32>
  %a = mlc_tensor.add %l, %y : tensor<4096x174xf32>
  %r = mlc_tensor.slice %e [0, 174] step [1, 1] : tensor<4096x185xf32> -> tensor<4096x11xf32>
  %c = mlc_tensor.cat %a, %r dim 1 : (tensor<4096x174xf32>, tensor<4096x11xf32>) -> tensor<4096x185xf32>
  func.return %c : tensor<4096x185xf32>
}

// -----

// Of an embedding the rows are looked up inside of what reads them, and computed there as well.
// CHECK:      remark: embedded: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel loop (a, e)
func.func @embedded(%t: tensor<32000x768xf32>, %i: tensor<8192x1xi64>) -> tensor<8192x768xf32> {
  %a = mlc_tensor.abs %t : tensor<32000x768xf32>
  %rows = mlc_tensor.broadcast %i : tensor<8192x1xi64> -> tensor<8192x768xi64>
  %columns = mlc_tensor.iota dim 1 : tensor<8192x768xi64>
  %g = mlc_tensor.gather %a[%rows, %columns] : tensor<32000x768xf32>, (tensor<8192x768xi64>, tensor<8192x768xi64>) -> tensor<8192x768xf32>
  %e = mlc_tensor.exp %g : tensor<8192x768xf32>
  func.return %e : tensor<8192x768xf32>
}

// -----

// Where digits are dropped before a reshape and restored behind a broadcast, they are dropped.
// CHECK:      remark: dropped: xla: 3 kernels
// CHECK-NEXT: remark: xla: kernel loop (t, n)
// CHECK-NEXT: remark: xla: kernel loop (w)
// CHECK-NEXT: remark: xla: kernel input (c, m, r)
func.func @dropped(%x: tensor<32x56x56x256xf32>, %u: tensor<64x256xbf16>) -> tensor<100352x1x64xf32> {
  %t = mlc_tensor.tanh %x : tensor<32x56x56x256xf32>
  %n = mlc_tensor.cast %t : tensor<32x56x56x256xf32> -> tensor<32x56x56x256xbf16>
  %s = mlc_tensor.reshape %n : tensor<32x56x56x256xbf16> -> tensor<100352x256x1xbf16>
  %b = mlc_tensor.broadcast %s : tensor<100352x256x1xbf16> -> tensor<100352x256x64xbf16>
  %c = mlc_tensor.cast %b : tensor<100352x256x64xbf16> -> tensor<100352x256x64xf32>
  %p = mlc_tensor.permute %u [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
  %v = mlc_tensor.reshape %p : tensor<256x64xbf16> -> tensor<1x256x64xbf16>
  %vb = mlc_tensor.broadcast %v : tensor<1x256x64xbf16> -> tensor<100352x256x64xbf16>
  %w = mlc_tensor.cast %vb : tensor<100352x256x64xbf16> -> tensor<100352x256x64xf32>
  %m = mlc_tensor.mul %c, %w : tensor<100352x256x64xf32>
  %r = mlc_tensor.reduce add %m dims [1] : tensor<100352x256x64xf32> -> tensor<100352x1x64xf32>
  func.return %r : tensor<100352x1x64xf32>
}

// -----

// A reshape that only ops of it alone follow moves behind them, and then nothing is dropped.
// CHECK:      remark: kept: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (o, t)
// CHECK-NEXT: remark: xla: kernel input (n, c, w, m, r)
func.func @kept(%x: tensor<100352x256xbf16>, %u: tensor<64x256xbf16>) -> tensor<100352x1x64xf32> {
  %f = mlc_tensor.reshape %x : tensor<100352x256xbf16> -> tensor<32x3136x256xbf16>
  %o = mlc_tensor.cast %f : tensor<32x3136x256xbf16> -> tensor<32x3136x256xf32>
  %t = mlc_tensor.tanh %o : tensor<32x3136x256xf32>
  %n = mlc_tensor.cast %t : tensor<32x3136x256xf32> -> tensor<32x3136x256xbf16>
  %s = mlc_tensor.reshape %n : tensor<32x3136x256xbf16> -> tensor<100352x256x1xbf16>
  %b = mlc_tensor.broadcast %s : tensor<100352x256x1xbf16> -> tensor<100352x256x64xbf16>
  %c = mlc_tensor.cast %b : tensor<100352x256x64xbf16> -> tensor<100352x256x64xf32>
  %p = mlc_tensor.permute %u [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
  %v = mlc_tensor.reshape %p : tensor<256x64xbf16> -> tensor<1x256x64xbf16>
  %vb = mlc_tensor.broadcast %v : tensor<1x256x64xbf16> -> tensor<100352x256x64xbf16>
  %w = mlc_tensor.cast %vb : tensor<100352x256x64xbf16> -> tensor<100352x256x64xf32>
  %m = mlc_tensor.mul %c, %w : tensor<100352x256x64xf32>
  %r = mlc_tensor.reduce add %m dims [1] : tensor<100352x256x64xf32> -> tensor<100352x1x64xf32>
  func.return %r : tensor<100352x1x64xf32>
}

// -----

// A clamp reads both of its bounds, and what is divided by one of them a third number.
// CHECK:      remark: clamped: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (a, w, t, l, h, d, n)
// CHECK-NEXT: remark: xla: kernel loop (p)
func.func @clamped(%x: tensor<128x1x1x960xbf16>, %b: tensor<960xbf16>, %y: tensor<128x7x7x960xbf16>) -> tensor<128x7x7x960xbf16> {
  %bb = mlc_tensor.broadcast %b : tensor<960xbf16> -> tensor<128x1x1x960xbf16>
  %a = mlc_tensor.add %x, %bb : tensor<128x1x1x960xbf16>
  %w = mlc_tensor.cast %a : tensor<128x1x1x960xbf16> -> tensor<128x1x1x960xf32>
  %three = mlc_tensor.constant 3.000000e+00 : tensor<128x1x1x960xf32>
  %t = mlc_tensor.add %w, %three : tensor<128x1x1x960xf32>
  %zero = mlc_tensor.constant 0.000000e+00 : tensor<128x1x1x960xf32>
  %l = mlc_tensor.maximum %t, %zero : tensor<128x1x1x960xf32>
  %six = mlc_tensor.constant 6.000000e+00 : tensor<128x1x1x960xf32>
  %h = mlc_tensor.minimum %l, %six : tensor<128x1x1x960xf32>
  %d = mlc_tensor.div %h, %six : tensor<128x1x1x960xf32>
  %n = mlc_tensor.cast %d : tensor<128x1x1x960xf32> -> tensor<128x1x1x960xbf16>
  %nb = mlc_tensor.broadcast %n : tensor<128x1x1x960xbf16> -> tensor<128x7x7x960xbf16>
  %p = mlc_tensor.mul %y, %nb : tensor<128x7x7x960xbf16>
  func.return %p : tensor<128x7x7x960xbf16>
}

// -----

// So it does beside what is repeated in dimensions that the reshape leaves as they are.
// CHECK:      remark: kept_beside_repeated: xla: 2 kernels
// CHECK-NEXT: remark: xla: kernel loop (o, a, t)
// CHECK-NEXT: remark: xla: kernel input (n, c, w, m, r)
func.func @kept_beside_repeated(%x: tensor<100352x256xbf16>, %g: tensor<256xf32>, %u: tensor<64x256xbf16>) -> tensor<100352x1x64xf32> {
  %f = mlc_tensor.reshape %x : tensor<100352x256xbf16> -> tensor<32x3136x256xbf16>
  %o = mlc_tensor.cast %f : tensor<32x3136x256xbf16> -> tensor<32x3136x256xf32>
  %gb = mlc_tensor.broadcast %g : tensor<256xf32> -> tensor<32x3136x256xf32>
  %a = mlc_tensor.add %o, %gb : tensor<32x3136x256xf32>
  %t = mlc_tensor.tanh %a : tensor<32x3136x256xf32>
  %n = mlc_tensor.cast %t : tensor<32x3136x256xf32> -> tensor<32x3136x256xbf16>
  %s = mlc_tensor.reshape %n : tensor<32x3136x256xbf16> -> tensor<100352x256x1xbf16>
  %b = mlc_tensor.broadcast %s : tensor<100352x256x1xbf16> -> tensor<100352x256x64xbf16>
  %c = mlc_tensor.cast %b : tensor<100352x256x64xbf16> -> tensor<100352x256x64xf32>
  %p = mlc_tensor.permute %u [1, 0] : tensor<64x256xbf16> -> tensor<256x64xbf16>
  %v = mlc_tensor.reshape %p : tensor<256x64xbf16> -> tensor<1x256x64xbf16>
  %vb = mlc_tensor.broadcast %v : tensor<1x256x64xbf16> -> tensor<100352x256x64xbf16>
  %w = mlc_tensor.cast %vb : tensor<100352x256x64xbf16> -> tensor<100352x256x64xf32>
  %m = mlc_tensor.mul %c, %w : tensor<100352x256x64xf32>
  %r = mlc_tensor.reduce add %m dims [1] : tensor<100352x256x64xf32> -> tensor<100352x1x64xf32>
  func.return %r : tensor<100352x1x64xf32>
}

// -----

// A norm stays one where reshapes of it move behind it.
// CHECK:      remark: moved_out: xla: 1 kernels
// CHECK-NEXT: remark: xla: kernel triton (q, r, n, d)
func.func @moved_out(%x: tensor<3x64x20x196xf32>) -> tensor<64x20x196xf32> {
  %l = mlc_tensor.slice %x [1, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x64x20x196xf32> -> tensor<1x64x20x196xf32>
  %s = mlc_tensor.reshape %l : tensor<1x64x20x196xf32> -> tensor<64x20x196xf32>
  %q = mlc_tensor.mul %s, %s : tensor<64x20x196xf32>
  %r = mlc_tensor.reduce add %q dims [2] : tensor<64x20x196xf32> -> tensor<64x20x1xf32>
  %n = mlc_tensor.sqrt %r : tensor<64x20x1xf32>
  %nb = mlc_tensor.broadcast %n : tensor<64x20x1xf32> -> tensor<64x20x196xf32>
  %d = mlc_tensor.div %s, %nb : tensor<64x20x196xf32>
  func.return %d : tensor<64x20x196xf32>
}
