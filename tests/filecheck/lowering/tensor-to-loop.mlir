// RUN: mlc-opt %s -p fuse,tensor-to-loop --split-input-file | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop,tensor-to-loop --split-input-file | filecheck %s
// RUN: mlc-opt %s -p fuse,tensor-to-loop --split-input-file --print-op-generic | mlc-opt --split-input-file | filecheck %s

// A reduction and what needs it: a loop that yields, then a loop that stores.
// CHECK-LABEL: mlc_loop.kernel @sum_div(%x: memref<4x40xbf16>, %o_out: memref<4x40xbf16>) {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 4 {
// CHECK-NEXT:      %m = mlc_loop.reduce add %j = 0 to 40 -> f32 {
// CHECK-NEXT:        %{{.*}} = mlc_loop.load %x[%i, %j] : memref<4x40xbf16>
// CHECK-NEXT:        %{{.*}} = arith.extf %{{.*}} : bf16 to f32
// CHECK-NEXT:        mlc_loop.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      mlc_loop.parallel %{{.*}} = 0 to 40 {
// CHECK-NEXT:        mlc_loop.load
// CHECK-NEXT:        arith.extf
// CHECK-NEXT:        arith.divf %{{.*}}, %m : f32
// CHECK-NEXT:        arith.truncf
// CHECK-NEXT:        mlc_loop.store
// CHECK:         func.func @normalize(%x: memref<4x40xbf16>) -> memref<4x40xbf16> {
// CHECK-NEXT:      %o = mlc_loop.alloc : memref<4x40xbf16>
// CHECK-NEXT:      mlc_loop.launch @sum_div(%x, %o)
// CHECK-NEXT:      func.return %o
func.func @normalize(%x: tensor<4x40xbf16>) -> tensor<4x40xbf16> {
  %f = mlc_tensor.cast %x : tensor<4x40xbf16> -> tensor<4x40xf32>
  %m = mlc_tensor.reduce add %f dims [1] : tensor<4x40xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<4x1xf32> -> tensor<4x40xf32>
  %q = mlc_tensor.div %f, %mb : tensor<4x40xf32>
  %o = mlc_tensor.cast %q : tensor<4x40xf32> -> tensor<4x40xbf16>
  func.return %o : tensor<4x40xbf16>
}

// -----

// Views are views of buffers where strides can say it; a result has the strides it promises, and may be
// a view of an argument only where the program says so.
// CHECK-LABEL: mlc_loop.kernel @slice(
// CHECK:           mlc_loop.load %t[-%i + 5, -%j + 3] : memref<6x4xf32, strided<[1, 6]>>
// CHECK-LABEL: func.func @views(
// CHECK-NEXT:    %t = mlc_loop.view %x offset ["0"] : memref<4x6xf32> -> memref<6x4xf32, strided<[1, 6]>>
// CHECK-NEXT:    %s = mlc_loop.view %x offset ["6"] : memref<4x6xf32> -> memref<2x3xf32, strided<[12, 2]>>
// CHECK-NEXT:    %f = mlc_loop.view %x offset ["0"] : memref<4x6xf32> -> memref<24xf32>
// CHECK-NEXT:    %b = mlc_loop.alloc : memref<6x4xf32>
// CHECK-NEXT:    mlc_loop.launch @slice(%t, %b)
// CHECK-NEXT:    func.return %t, %s, %f, %b
func.func @views(%x: tensor<4x6xf32>) -> (tensor<6x4xf32> {mlc.alias, mlc.strides = ["1", "6"]}, tensor<2x3xf32> {mlc.alias, mlc.strides = ["12", "2"]}, tensor<24xf32> {mlc.alias}, tensor<6x4xf32>) {
  %t = mlc_tensor.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %s = mlc_tensor.slice %x [1, 0] step [2, 2] : tensor<4x6xf32> -> tensor<2x3xf32>
  %f = mlc_tensor.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %b = mlc_tensor.slice %t [5, 3] step [-1, -1] : tensor<6x4xf32> -> tensor<6x4xf32>
  func.return %t, %s, %f, %b : tensor<6x4xf32>, tensor<2x3xf32>, tensor<24xf32>, tensor<6x4xf32>
}

// -----

// A result that the program does not call an alias gets memory of its own.
// CHECK-LABEL: func.func @owns(
// CHECK-NEXT:    %f = mlc_loop.view %x
// CHECK-NEXT:    %[[OWN:.*]] = mlc_loop.alloc : memref<24xf32>
// CHECK-NEXT:    mlc_loop.launch @copy(%f, %[[OWN]])
// CHECK-NEXT:    func.return %[[OWN]]
func.func @owns(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %f = mlc_tensor.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  func.return %f : tensor<24xf32>
}

// -----

// A view that promised to be row-major is copied.
// CHECK-LABEL: func.func @copied(
// CHECK-NEXT:    %t = mlc_loop.view
// CHECK-NEXT:    %[[C:.*]] = mlc_loop.alloc : memref<6x4xf32>
// CHECK-NEXT:    mlc_loop.launch @copy(%t, %[[C]])
// CHECK-NEXT:    func.return %[[C]]
func.func @copied(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %t = mlc_tensor.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  func.return %t : tensor<6x4xf32>
}

// -----

// Padding and joining read each input only where it is, and select.
// CHECK-LABEL: mlc_loop.kernel @exp(%x: memref<4xf32>, %y: memref<3xf32>, %r_out: memref<9xf32>) {
// CHECK:           mlc_loop.load %y[%i - 6] if %{{.*}} : memref<3xf32>
// CHECK:           mlc_loop.load %x[%i - 1] if %{{.*}} : memref<4xf32>
// CHECK:           arith.select
// CHECK:           arith.select
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      mlc_loop.store %{{.*}}, %r_out[%i] : memref<9xf32>
func.func @pad_cat(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<9xf32> {
  %p = mlc_tensor.pad %x low [1] value 0.0 : f32 : tensor<4xf32> -> tensor<6xf32>
  %c = mlc_tensor.cat %p, %y dim 0 : (tensor<6xf32>, tensor<3xf32>) -> tensor<9xf32>
  %r = mlc_tensor.exp %c : tensor<9xf32>
  func.return %r : tensor<9xf32>
}

// -----

// The heads of one slice of three biases side by side: all of its elements are of the second one. Of another slice, which
// begins inside of the second, the last two are asked for. The first is no argument of the kernel.
// CHECK-LABEL: mlc_loop.kernel @exp_log(%b: memref<8xf32>, %c: memref<8xf32>, %r_out: memref<2x4xf32>, %r2_out: memref<8xf32>) {
// CHECK-NEXT:    mlc_loop.parallel
// CHECK-NEXT:      mlc_loop.load %b[%i * 4 + %j] : memref<8xf32>
// CHECK-NEXT:      math.exp
// CHECK:           mlc_loop.load %c[%i * 4 + %j - 4] if
// CHECK-NEXT:      mlc_loop.load %b[%i * 4 + %j + 4] if
// CHECK-NEXT:      arith.select
// CHECK-NEXT:      math.log
func.func @part_of_cat(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<8xf32>) {
  %all = mlc_tensor.cat %a, %b, %c dim 0 : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<24xf32>
  %s = mlc_tensor.slice %all [8] step [1] : tensor<24xf32> -> tensor<8xf32>
  %h = mlc_tensor.reshape %s : tensor<8xf32> -> tensor<2x4xf32>
  %r = mlc_tensor.exp %h : tensor<2x4xf32>
  %t = mlc_tensor.slice %all [12] step [1] : tensor<24xf32> -> tensor<8xf32>
  %r2 = mlc_tensor.log %t : tensor<8xf32>
  func.return %r, %r2 : tensor<2x4xf32>, tensor<8xf32>
}

// -----

// So are the tensors of a stack.
// CHECK-LABEL: mlc_loop.kernel @exp(%x: memref<1x128xf32>, %y: memref<1x128xf32>, %r_out: memref<2x128xf32>) {
// CHECK:           mlc_loop.load %y[0, %{{.*}}] if %{{.*}} : memref<1x128xf32>
// CHECK:           mlc_loop.load %x[0, %{{.*}}] if %{{.*}} : memref<1x128xf32>
// CHECK:           arith.select
func.func @stack(%x: tensor<1x128xf32>, %y: tensor<1x128xf32>) -> tensor<2x128xf32> {
  %c = mlc_tensor.cat %x, %y dim 0 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<2x128xf32>
  %r = mlc_tensor.exp %c : tensor<2x128xf32>
  func.return %r : tensor<2x128xf32>
}

// -----

// A stack of one tensor's parts reads all of them, and selects: the tensor is read once.
// CHECK-LABEL: mlc_loop.kernel @exp(%x: memref<2x128xf32>, %r_out: memref<2x128xf32>) {
// CHECK-NOT:       if %
// CHECK:           arith.select
func.func @stack_of_one(%x: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %a = mlc_tensor.slice %x [0, 0] step [1, 1] : tensor<2x128xf32> -> tensor<1x128xf32>
  %b = mlc_tensor.slice %x [1, 0] step [1, 1] : tensor<2x128xf32> -> tensor<1x128xf32>
  %c = mlc_tensor.cat %b, %a dim 0 : (tensor<1x128xf32>, tensor<1x128xf32>) -> tensor<2x128xf32>
  %r = mlc_tensor.exp %c : tensor<2x128xf32>
  func.return %r : tensor<2x128xf32>
}

// -----

// Along the last dimension neighbours come from different tensors: a condition would differ from lane to lane.
// CHECK-LABEL: mlc_loop.kernel @exp(%x: memref<128x1xf32>, %y: memref<128x1xf32>, %r_out: memref<128x2xf32>) {
// CHECK-NOT:       if %
// CHECK:           arith.select
func.func @interleaved(%x: tensor<128x1xf32>, %y: tensor<128x1xf32>) -> tensor<128x2xf32> {
  %c = mlc_tensor.cat %x, %y dim 1 : (tensor<128x1xf32>, tensor<128x1xf32>) -> tensor<128x2xf32>
  %r = mlc_tensor.exp %c : tensor<128x2xf32>
  func.return %r : tensor<128x2xf32>
}

// -----

// Inputs come back as they are, dense constants are buffers, empty results need no kernel, rank 0 has one element.
// CHECK-LABEL: mlc_loop.kernel @constant(%c_out: memref<f32>) {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 1 {
// CHECK-NEXT:      %c = arith.constant 7.000000e+00 : f32
// CHECK-NEXT:      mlc_loop.store %c, %c_out[] : memref<f32>
// CHECK-LABEL: func.func @results(
// CHECK-NEXT:    %d = mlc_loop.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK-NEXT:    %z = mlc_loop.alloc : memref<2x0xf32>
// CHECK-NEXT:    %c = mlc_loop.alloc : memref<f32>
// CHECK-NEXT:    mlc_loop.launch @constant(%c)
// CHECK-NEXT:    func.return %x, %z, %d, %c
func.func @results(%x: tensor<3xf32>, %i: tensor<2x0xf32>) -> (tensor<3xf32> {mlc.alias}, tensor<2x0xf32>, tensor<3xf32>, tensor<f32>) {
  %d = mlc_tensor.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %z = mlc_tensor.exp %i : tensor<2x0xf32>
  %c = mlc_tensor.constant 7.0 : tensor<f32>
  func.return %x, %z, %d, %c : tensor<3xf32>, tensor<2x0xf32>, tensor<3xf32>, tensor<f32>
}

// -----

// Positions and named sizes are index expressions.
// CHECK-LABEL: mlc_loop.kernel @size(
// CHECK:           mlc_loop.index [N * 2] : i64
// CHECK-LABEL: mlc_loop.kernel @add(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to N {
// CHECK:           mlc_loop.index [%i] : i64
// CHECK:         func.func @numbers(
func.func @numbers(%x: tensor<?xi64, ["N"]>) -> (tensor<?xi64, ["N"]>, tensor<i64>) {
  %i = mlc_tensor.iota dim 0 : tensor<?xi64, ["N"]>
  %s = mlc_tensor.size [N * 2] : tensor<i64>
  %r = mlc_tensor.add %x, %i : tensor<?xi64, ["N"]>
  func.return %r, %s : tensor<?xi64, ["N"]>, tensor<i64>
}

// -----

// Products and calls are PyTorch's; buffers are freed after their last reader.
// CHECK-LABEL: func.func @calls(
// CHECK-NEXT:    %m = mlc_loop.call "aten.mm.default"(%x, %w)
// CHECK-NEXT:    %c = mlc_loop.call "aten.cumsum.default"(%m) args [#mlc_tensor.operand<"0">, 0 : i64]
// CHECK-NEXT:    mlc_loop.free %m
// CHECK-NEXT:    %e = mlc_loop.alloc : memref<4x2xbf16, strided<[1, 4]>>
// CHECK-NEXT:    mlc_loop.launch @exp(%c, %e)
// CHECK-NEXT:    mlc_loop.free %c
// CHECK-NEXT:    func.return %e
func.func @calls(%x: tensor<4x3xbf16>, %w: tensor<3x2xbf16>) -> (tensor<4x2xbf16> {mlc.strides = ["1", "4"]}) {
  %m = mlc_tensor.matmul %x, %w : tensor<4x3xbf16>, tensor<3x2xbf16> -> tensor<4x2xbf16>
  %c = mlc_tensor.extern "aten.cumsum.default"(%m) args [#mlc_tensor.operand<"0">, 0 : i64] : (tensor<4x2xbf16>) -> (tensor<4x2xbf16>)
  %e = mlc_tensor.exp %c : tensor<4x2xbf16>
  func.return %e : tensor<4x2xbf16>
}

// -----

// Kernels have names that Python can define.
// CHECK-LABEL: mlc_loop.kernel @not_1(
// CHECK:         mlc_loop.launch @not_1
func.func @keyword(%x: tensor<4xi1>) -> tensor<4xi1> {
  %n = mlc_tensor.not %x : tensor<4xi1>
  func.return %n : tensor<4xi1>
}

// -----

// An axis for each dimension that has more places than one: parallel ones outside, reduced ones inside.
// CHECK-LABEL: mlc_loop.kernel @sum_sub(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 16 {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add (%j, %k, %l) = 0 to (8, 6, 7) -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%j, %i, %k, 0, %l] : memref<8x16x6x1x7xf32>
// CHECK:           mlc_loop.parallel (%[[J:.*]], %[[K:.*]], %[[L:.*]]) = 0 to (8, 6, 7) {
// CHECK:             mlc_loop.store %{{.*}}, %d_out[%[[J]], %i, %[[K]], 0, %[[L]]] : memref<8x16x6x1x7xf32>
func.func @statistics(%x: tensor<8x16x6x1x7xf32>) -> tensor<8x16x6x1x7xf32> {
  %m = mlc_tensor.reduce add %x dims [0, 2, 3, 4] : tensor<8x16x6x1x7xf32> -> tensor<1x16x1x1x1xf32>
  %b = mlc_tensor.broadcast %m : tensor<1x16x1x1x1xf32> -> tensor<8x16x6x1x7xf32>
  %d = mlc_tensor.sub %x, %b : tensor<8x16x6x1x7xf32>
  func.return %d : tensor<8x16x6x1x7xf32>
}

// -----

// Rows in another order go along the axes of the result.
// CHECK-LABEL: mlc_loop.kernel @sum_exp(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (4, 6) {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add %k = 0 to 9 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%j, %i, %k] : memref<6x4x9xf32>
// CHECK:           mlc_loop.store %{{.*}}, %e_out[%i, %j] : memref<4x6xf32>
func.func @transposed_rows(%x: tensor<6x4x9xf32>) -> tensor<4x6xf32> {
  %s = mlc_tensor.reduce add %x dims [2] : tensor<6x4x9xf32> -> tensor<6x4x1xf32>
  %r = mlc_tensor.reshape %s : tensor<6x4x1xf32> -> tensor<6x4xf32>
  %t = mlc_tensor.permute %r [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %e = mlc_tensor.exp %t : tensor<4x6xf32>
  func.return %e : tensor<4x6xf32>
}

// -----

// Reductions over the rows beside those over the columns accumulate for each column.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (6, 4) {
// CHECK-NEXT:      %{{.*}} = mlc_loop.reduce add %k = 0 to 64 -> f32 {
// CHECK:           mlc_loop.parallel %[[K:.*]] = 0 to 64 {
// CHECK:             mlc_loop.accumulate add %{{.*}}, %c_out[0, 0, %[[K]]] : memref<1x1x64xf32>
func.func @both_ways(%x: tensor<6x4x64xf32>) -> (tensor<6x4x1xf32>, tensor<1x1x64xf32>) {
  %r = mlc_tensor.reduce add %x dims [2] : tensor<6x4x64xf32> -> tensor<6x4x1xf32>
  %c = mlc_tensor.reduce add %x dims [0, 1] : tensor<6x4x64xf32> -> tensor<1x1x64xf32>
  func.return %r, %c : tensor<6x4x1xf32>, tensor<1x1x64xf32>
}

// -----

// Two results that hold the same values in different orders: each is computed once, and stored at two places.
// CHECK-LABEL: mlc_loop.kernel @mul(%x: memref<2x3x5xf32>, %s: memref<3xf32>, %m_out: memref<2x3x5xf32>, %t_out: memref<2x5x3xf32>) {
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k) = 0 to (2, 3, 5) {
// CHECK-NEXT:      mlc_loop.load %x[%i, %j, %k] : memref<2x3x5xf32>
// CHECK-NEXT:      mlc_loop.load %s[%j] : memref<3xf32>
// CHECK-NEXT:      %[[M:.*]] = arith.mulf
// CHECK-NEXT:      mlc_loop.store %[[M]], %m_out[%i, %j, %k] : memref<2x3x5xf32>
// CHECK-NEXT:      mlc_loop.store %[[M]], %t_out[%i, %k, %j] : memref<2x5x3xf32>
// CHECK-NEXT:    }
func.func @both_orders(%x: tensor<2x3x5xf32>, %s: tensor<3xf32>) -> (tensor<2x3x5xf32>, tensor<2x5x3xf32>) {
  %r = mlc_tensor.reshape %s : tensor<3xf32> -> tensor<1x3x1xf32>
  %b = mlc_tensor.broadcast %r : tensor<1x3x1xf32> -> tensor<2x3x5xf32>
  %m = mlc_tensor.mul %x, %b : tensor<2x3x5xf32>
  %p = mlc_tensor.permute %m [0, 2, 1] : tensor<2x3x5xf32> -> tensor<2x5x3xf32>
  %t = mlc_tensor.cast %p : tensor<2x5x3xf32> -> tensor<2x5x3xf32>
  func.return %m, %t : tensor<2x3x5xf32>, tensor<2x5x3xf32>
}

// -----

// A value that one result needs at two places is read twice, wherever the other result is stored.
// CHECK-LABEL: mlc_loop.kernel @add_mul(
// CHECK-DAG:       mlc_loop.load %x[%i, %j]
// CHECK-DAG:       mlc_loop.load %x[%j, %i]
// CHECK-DAG:       mlc_loop.store %{{.*}}, %a_out[%i, %j]
// CHECK-DAG:       mlc_loop.store %{{.*}}, %m_out[%i, %j]
func.func @itself_transposed(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %t = mlc_tensor.permute %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %a = mlc_tensor.add %x, %t : tensor<4x4xf32>
  %m = mlc_tensor.mul %x, %x : tensor<4x4xf32>
  func.return %a, %m : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Windows of a tensor and of the same in another order: each element is loaded once, and both results lie where it does.
// CHECK-LABEL: mlc_loop.kernel @add_mul_maximum(%x: memref<2x6x8x5xf32>, %s: memref<5xf32>, %a_out: memref<2x3x4x5xf32>, %m_out: memref<2x5x3x4xf32>) {
// CHECK-NEXT:    mlc_loop.parallel (%i, %j, %k, %l) = 0 to (2, 3, 4, 5) {
// CHECK-NEXT:      mlc_loop.load %x[%i, %j * 2, %k * 2, %l] : memref<2x6x8x5xf32>
// CHECK-NEXT:      mlc_loop.load %x[%i, %j * 2 + 1, %k * 2 + 1, %l] : memref<2x6x8x5xf32>
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      mlc_loop.store %{{.*}}, %a_out[%i, %j, %k, %l] : memref<2x3x4x5xf32>
// CHECK-NEXT:      mlc_loop.load %s[%l] : memref<5xf32>
// CHECK-NOT:       mlc_loop.load
// CHECK:           mlc_loop.store %{{.*}}, %m_out[%i, %l, %j, %k] : memref<2x5x3x4xf32>
func.func @windows_in_both_orders(%x: tensor<2x6x8x5xf32>, %s: tensor<5xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x5x3x4xf32>) {
  %x0 = mlc_tensor.slice %x [0, 0, 0, 0] step [1, 2, 2, 1] : tensor<2x6x8x5xf32> -> tensor<2x3x4x5xf32>
  %x1 = mlc_tensor.slice %x [0, 1, 1, 0] step [1, 2, 2, 1] : tensor<2x6x8x5xf32> -> tensor<2x3x4x5xf32>
  %a = mlc_tensor.add %x0, %x1 : tensor<2x3x4x5xf32>
  %b = mlc_tensor.broadcast %s : tensor<5xf32> -> tensor<2x6x8x5xf32>
  %c = mlc_tensor.mul %x, %b : tensor<2x6x8x5xf32>
  %p = mlc_tensor.permute %c [0, 3, 1, 2] : tensor<2x6x8x5xf32> -> tensor<2x5x6x8xf32>
  %p0 = mlc_tensor.slice %p [0, 0, 0, 0] step [1, 1, 2, 2] : tensor<2x5x6x8xf32> -> tensor<2x5x3x4xf32>
  %p1 = mlc_tensor.slice %p [0, 0, 1, 1] step [1, 1, 2, 2] : tensor<2x5x6x8xf32> -> tensor<2x5x3x4xf32>
  %m = mlc_tensor.maximum %p0, %p1 : tensor<2x5x3x4xf32>
  func.return %a, %m : tensor<2x3x4x5xf32>, tensor<2x5x3x4xf32>
}

// -----

// The even rows beside the odd ones, in another order: no element is in both, and each result has a kernel of its own.
// CHECK-LABEL: mlc_loop.kernel @exp(
// CHECK:           mlc_loop.load %x[%i * 2, %j]
// CHECK:           mlc_loop.store %{{.*}}, %a_out[%i, %j] : memref<4x8xf32>
// CHECK-LABEL: mlc_loop.kernel @neg(
// CHECK:           mlc_loop.load %x[%j * 2 + 1, %i]
// CHECK:           mlc_loop.store %{{.*}}, %m_out[%i, %j] : memref<8x4xf32>
func.func @even_and_odd(%x: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %rows = mlc_tensor.slice %x [0, 0] step [2, 1] : tensor<8x8xf32> -> tensor<4x8xf32>
  %a = mlc_tensor.exp %rows : tensor<4x8xf32>
  %t = mlc_tensor.permute %x [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %columns = mlc_tensor.slice %t [0, 1] step [1, 2] : tensor<8x8xf32> -> tensor<8x4xf32>
  %m = mlc_tensor.neg %columns : tensor<8x4xf32>
  func.return %a, %m : tensor<4x8xf32>, tensor<8x4xf32>
}
