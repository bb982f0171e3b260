// RUN: not mlc-opt %s --split-input-file 2>&1 | filecheck %s

// Elementwise ops neither broadcast nor cast.
// CHECK: error: mlc_tensor.add: operand 0 is tensor<4xf32> and must be tensor<1xf32>: broadcast or cast it first, elementwise ops do neither
func.func @f(%x: tensor<4xf32>, %y: tensor<1xf32>) {
  "mlc_tensor.add"(%x, %y) : (tensor<4xf32>, tensor<1xf32>) -> tensor<1xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.add: operand 0 is tensor<4xf32> and must be tensor<4xf16>: broadcast or cast it first, elementwise ops do neither
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  "mlc_tensor.add"(%x, %y) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf16>
  func.return
}

// -----

// The number of operands is the table's.
// CHECK: error: mlc_tensor.add: takes 2 operands, found 1
func.func @f(%x: tensor<4xf32>) {
  "mlc_tensor.add"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.add takes 2 operands
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.add %x : tensor<4xf32>
  func.return
}

// -----

// A function has kinds of elements: division is of floats, `and` of integers and booleans.
// CHECK: error: mlc_tensor.div: has no meaning for elements of type i32: cast the operands first
func.func @f(%x: tensor<4xi32>) {
  %y = mlc_tensor.div %x, %x : tensor<4xi32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.and: has no meaning for elements of type f32: cast the operands first
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.and %x, %x : tensor<4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.add: has no meaning for elements of type complex<f32>: cast the operands first
func.func @f(%x: tensor<4xcomplex<f32>>) {
  %y = mlc_tensor.add %x, %x : tensor<4xcomplex<f32>>
  func.return
}

// -----

// A predicate gives booleans.
// CHECK: error: mlc_tensor.lt: result is tensor<4xf32> and must be tensor<4xi1>
func.func @f(%x: tensor<4xf32>) {
  %y = "mlc_tensor.lt"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// The condition of a select is a boolean.
// CHECK: error: mlc_tensor.select: operand 0 is tensor<4xf32> and must be tensor<4xi1>: broadcast or cast it first, elementwise ops do neither
func.func @f(%x: tensor<4xf32>) {
  %y = "mlc_tensor.select"(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// Scalars are tensors of rank 0.
// CHECK: error: mlc_tensor.exp works on tensors
func.func @f(%x: f32) {
  %y = mlc_tensor.exp %x : f32
  func.return
}

// -----

// Every dynamic size has a name, and the name is spelled one way.
// CHECK: error: mlc_tensor.reshape: a dynamic dimension of tensor<?xf32> has no name: write tensor<?xf32, ["N"]>
func.func @f(%x: tensor<?xf32>) {
  %y = mlc_tensor.reshape %x : tensor<?xf32> -> tensor<?xf32>
  func.return
}

// -----

// The hint is a type that can be written, one name for each dimension.
// CHECK: error: mlc_tensor.exp: a dynamic dimension of tensor<?x1xf32> has no name: write tensor<?x1xf32, ["N", "1"]>
func.func @f(%x: tensor<?x1xf32>) {
  %y = mlc_tensor.exp %x : tensor<?x1xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.exp: a dynamic dimension of tensor<?x4x?xf32> has no name: write tensor<?x4x?xf32, ["N0", "4", "N2"]>
func.func @f(%x: tensor<?x4x?xf32>) {
  %y = mlc_tensor.exp %x : tensor<?x4x?xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.exp: tensor<?x1xf32, ["N"]> names 1 sizes and has 2 dimensions
func.func @f(%x: tensor<?x1xf32, ["N"]>) {
  %y = mlc_tensor.exp %x : tensor<?x1xf32, ["N"]>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reshape: the named sizes of tensor<?x8xf32, ["N", "9"]> disagree with its dimensions
func.func @f(%x: tensor<?x8xf32, ["N", "9"]>) {
  %y = mlc_tensor.reshape %x : tensor<?x8xf32, ["N", "9"]> -> tensor<?x8xf32, ["N", "9"]>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reshape: types are compared as text: spell the size '4*N' of tensor<?xf32, ["4*N"]> 'N * 4'
func.func @f(%x: tensor<?xf32, ["4*N"]>) {
  %y = mlc_tensor.reshape %x : tensor<?xf32, ["4*N"]> -> tensor<?xf32, ["N * 4"]>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reshape: tensor<?x8xf32, ["N"]> names 1 sizes and has 2 dimensions
func.func @f(%x: tensor<?x8xf32, ["N"]>) {
  %y = mlc_tensor.reshape %x : tensor<?x8xf32, ["N"]> -> tensor<?x8xf32, ["N"]>
  func.return
}

// -----

// A constant has the type of its elements.
// CHECK: error: mlc_tensor.constant: the value has type f64 and the elements f32
func.func @f() {
  %y = "mlc_tensor.constant"() <{value = 1.0 : f64}> : () -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: a value of type f32 needs a decimal point: 1.0
func.func @f() {
  %y = mlc_tensor.constant 1 : tensor<4xf32>
  func.return
}

// -----

// CHECK: error: 1.5 is no value of type i32
func.func @f() {
  %y = mlc_tensor.constant 1.5 : tensor<4xi32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.constant: the dense value has type tensor<2xf32> and the result tensor<4xf32>
func.func @f() {
  %y = "mlc_tensor.constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: expected a tensor type
func.func @f() {
  %y = mlc_tensor.constant 1.0 : f32
  func.return
}

// -----

// Iota counts along one of its dimensions, and not in booleans.
// CHECK: error: mlc_tensor.iota: dimension 2 is not one of tensor<4x4xi32>
func.func @f() {
  %y = mlc_tensor.iota dim 2 : tensor<4x4xi32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.iota: counts in integers or floats
func.func @f() {
  %y = mlc_tensor.iota dim 0 : tensor<4xi1>
  func.return
}

// -----

// A size is a tensor of rank 0.
// CHECK: error: mlc_tensor.size: gives a tensor of rank 0, not tensor<1xi64>
func.func @f() {
  %y = "mlc_tensor.size"() <{expression = "N"}> : () -> tensor<1xi64>
  func.return
}

// -----

// A cast keeps the shape, and knows its types.
// CHECK: error: mlc_tensor.cast: changes the shape: tensor<4xf32> to tensor<2xf16>
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.cast %x : tensor<4xf32> -> tensor<2xf16>
  func.return
}

// -----

// CHECK: error: mlc_tensor.cast: does not know elements of type complex<f32>
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.cast %x : tensor<4xf32> -> tensor<4xcomplex<f32>>
  func.return
}

// -----

// Reductions: a known kind, ascending dimensions, elements that it takes, sizes of 1.
// CHECK: error: mlc_tensor.reduce: 'mean' is not a reduction: one of add, mul, max, min, and, or, argmax, argmin
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.reduce mean %x dims [0] : tensor<4x2xf32> -> tensor<1x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: reduces nothing: give the dimensions, of size 1 if need be, or leave the op out
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.reduce add %x dims [] : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: dims [1, 0] must ascend and be dimensions of tensor<4x2xf32>
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.reduce add %x dims [1, 0] : tensor<4x2xf32> -> tensor<1x1xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: dims [2] must ascend and be dimensions of tensor<4x2xf32>
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.reduce add %x dims [2] : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: add has no meaning for elements of type i1
func.func @f(%x: tensor<4x2xi1>) {
  %y = mlc_tensor.reduce add %x dims [0] : tensor<4x2xi1> -> tensor<1x2xi1>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: tf32 rounds the factors of sums of f32: this is max of f32
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.reduce max tf32 %x dims [0] : tensor<4x2xf32> -> tensor<1x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: tf32 rounds the factors of sums of f32: this is add of f64
func.func @f(%x: tensor<4x2xf64>) {
  %y = mlc_tensor.reduce add tf32 %x dims [0] : tensor<4x2xf64> -> tensor<1x2xf64>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: result is tensor<2xf32> and must be tensor<1x2xf32>
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.reduce add %x dims [0] : tensor<4x2xf32> -> tensor<2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: result is tensor<1x2xi32> and must be tensor<1x2xi64>
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.reduce argmax %x dims [0] : tensor<4x2xf32> -> tensor<1x2xi32>
  func.return
}

// -----

// Products.
// CHECK: error: mlc_tensor.matmul: inner sizes differ: lhs is tensor<4x2xf32>, rhs is tensor<3x4xf32>; transpose one of them?
func.func @f(%x: tensor<4x2xf32>, %y: tensor<3x4xf32>) {
  %z = mlc_tensor.matmul %x, %y : tensor<4x2xf32>, tensor<3x4xf32> -> tensor<4x4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.matmul: needs equal batch dimensions: tensor<5x4x2xf32> and tensor<2x4xf32>
func.func @f(%x: tensor<5x4x2xf32>, %y: tensor<2x4xf32>) {
  %z = mlc_tensor.matmul %x, %y : tensor<5x4x2xf32>, tensor<2x4xf32> -> tensor<5x4x4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.matmul: result is tensor<4x2xf32> and must have shape 4x4
func.func @f(%x: tensor<4x2xf32>, %y: tensor<2x4xf32>) {
  %z = mlc_tensor.matmul %x, %y : tensor<4x2xf32>, tensor<2x4xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.matmul: element types differ: tensor<4x2xf32>, tensor<2x4xf16>, tensor<4x4xf32>
func.func @f(%x: tensor<4x2xf32>, %y: tensor<2x4xf16>) {
  %z = mlc_tensor.matmul %x, %y : tensor<4x2xf32>, tensor<2x4xf16> -> tensor<4x4xf32>
  func.return
}

// -----

// Views.
// CHECK: error: mlc_tensor.broadcast: cannot broadcast tensor<4xf32> to tensor<4x2xf32>: sizes must agree from the right, or be 1 in the operand
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.broadcast %x : tensor<4xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.broadcast: cannot broadcast tensor<4xf32> to tensor<f32>: sizes must agree from the right, or be 1 in the operand
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.broadcast %x : tensor<4xf32> -> tensor<f32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reshape: tensor<4xf32> has 4 elements and tensor<3xf32> has 3
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.reshape %x : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reshape: changes the element type: tensor<4xf32> to tensor<4xf16>
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.reshape %x : tensor<4xf32> -> tensor<4xf16>
  func.return
}

// -----

// CHECK: error: mlc_tensor.permute: [0, 0] does not order the 2 dimensions of the input
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.permute %x [0, 0] : tensor<4x2xf32> -> tensor<4x4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.permute: permuting tensor<4x2xf32> by [1, 0] does not give tensor<4x2xf32>
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.permute %x [1, 0] : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.slice: dimension 0: 3 elements from 2 by 1 leave the size 4
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.slice %x [2] step [1] : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.slice: dimension 0: 3 elements from 1 by -1 leave the size 4
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.slice %x [1] step [-1] : tensor<4xf32> -> tensor<3xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.slice: dimension 0: 1 elements from 0 by 0 leave the size 4
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.slice %x [0] step [0] : tensor<4xf32> -> tensor<1xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.slice: needs one start, one step and one size a dimension
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.slice %x [0] step [1] : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.slice: dimension 0: 1 elements from N by 1 leave the size N
func.func @f(%x: tensor<?xf32, ["N"]>) {
  %y = mlc_tensor.slice %x [N] step [1] : tensor<?xf32, ["N"]> -> tensor<1xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.roll: dimension 1: the start 2 is outside the size 2
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.roll %x [3, 2] : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.roll: dimension 0: the start -1 is outside the size N
func.func @f(%x: tensor<?xf32, ["N"]>) {
  %y = mlc_tensor.roll %x [-1] : tensor<?xf32, ["N"]> -> tensor<?xf32, ["N"]>
  func.return
}

// -----

// CHECK: error: mlc_tensor.roll: needs one start a dimension and keeps the shape
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.roll %x [1] : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.roll: needs one start a dimension and keeps the shape
func.func @f(%x: tensor<4x2xf32>) {
  %y = mlc_tensor.roll %x [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.pad: dimension 0: padding is negative (-1 before, 1 after); use slice
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.pad %x low [-1] value 0.0 : f32 : tensor<4xf32> -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.pad: dimension 0: padding is negative (2 before, -1 after); use slice
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.pad %x low [2] value 0.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.pad: fills f32 with 0 : i32
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.pad %x low [1] value 0 : i32 : tensor<4xf32> -> tensor<5xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.cat: the inputs fill 8 of 9 along dimension 0
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.cat %x, %x dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<9xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.cat: needs an input and a dimension of it
func.func @f(%x: tensor<4xf32>) {
  %y = mlc_tensor.cat %x dim 1 : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.cat: tensor<4x3xf32> does not fit tensor<8x2xf32> outside dimension 0
func.func @f(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  %z = mlc_tensor.cat %x, %y dim 0 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.cat: tensor<4xf16> and tensor<8xf32> differ in element type
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  %z = mlc_tensor.cat %x, %y dim 0 : (tensor<4xf32>, tensor<4xf16>) -> tensor<8xf32>
  func.return
}

// -----

// Calls name operands that they have.
// CHECK: error: mlc_tensor.extern: argument list names operand 1 of 1
func.func @f(%x: tensor<4xf32>) {
  %z = mlc_tensor.extern "aten.foo"(%x) args [[#mlc_tensor.operand<"1">]] : (tensor<4xf32>) -> (tensor<4xf32>)
  func.return
}

// -----

// Fusions: arguments and results of the region are those of the op; a kernel holds native types.
// CHECK: error: mlc_tensor.fusion: the region must yield values of the result types
func.func @f(%x: tensor<4xf32>) {
  %z = mlc_tensor.fusion (%a = %x : tensor<4xf32>) -> (tensor<2xf32>) kind "k" why "w" {
    mlc_tensor.yield %a : tensor<4xf32>
  }
  func.return
}

// -----

// CHECK: error: mlc_tensor.fusion: the region's arguments must have the types of the operands
func.func @f(%x: tensor<4xf32>) {
  %z = "mlc_tensor.fusion"(%x) <{kind = "k", why = "w"}> ({
  ^bb0(%a: tensor<2xf32>):
    mlc_tensor.yield %a : tensor<2xf32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.fusion: a kernel cannot hold tensor<4xcomplex<f32>>
func.func @f(%x: tensor<4xcomplex<f32>>) {
  %z = mlc_tensor.fusion (%a = %x : tensor<4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>) kind "k" why "w" {
    mlc_tensor.yield %a : tensor<4xcomplex<f32>>
  }
  func.return
}

// -----

// A region sees nothing from outside.
// CHECK: error: mlc_tensor.fusion: Operation using value defined out of its IsolatedFromAbove parent: YieldOp(mlc_tensor.yield %x : tensor<4xf32>)
func.func @f(%x: tensor<4xf32>) {
  %z = mlc_tensor.fusion () -> (tensor<4xf32>) kind "k" why "w" {
    mlc_tensor.yield %x : tensor<4xf32>
  }
  func.return
}

// -----

// CHECK: error: mlc_tensor.slice: the index uses d0, but has 0 operand(s)
func.func @f(%x: tensor<4xf32>) {
  %z = mlc_tensor.slice %x [d0] step [1] : tensor<4xf32> -> tensor<2xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.roll: the index uses d1, but has 0 operand(s)
func.func @f(%x: tensor<4xf32>) {
  %z = mlc_tensor.roll %x [d1] : tensor<4xf32> -> tensor<4xf32>
  func.return
}

// -----

// CHECK: error: mlc_tensor.size: not an index expression: 'N +'
func.func @f() {
  %z = "mlc_tensor.size"() <{expression = "N +"}> : () -> tensor<i64>
  func.return
}

// -----

// Nothing computes with 8-bit floats.
// CHECK: error: mlc_tensor.add: has no meaning for elements of type f8E4M3FN: cast the operands first
func.func @f(%x: tensor<4xf8E4M3FN>) {
  %z = mlc_tensor.add %x, %x : tensor<4xf8E4M3FN>
  func.return
}

// -----

// CHECK: error: mlc_tensor.reduce: max has no meaning for elements of type f8E5M2
func.func @f(%x: tensor<4xf8E5M2>) {
  %z = mlc_tensor.reduce max %x dims [0] : tensor<4xf8E5M2> -> tensor<1xf8E5M2>
  func.return
}

// -----

// CHECK: error: mlc_tensor.matmul: has no meaning for elements of type f8E4M3FN: cast the operands first
func.func @f(%x: tensor<4x4xf8E4M3FN>) {
  %z = mlc_tensor.matmul %x, %x : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN> -> tensor<4x4xf8E4M3FN>
  func.return
}

// -----

// CHECK: error: mlc_tensor.iota: counts in integers or floats
func.func @f() {
  %z = mlc_tensor.iota dim 0 : tensor<4xf8E5M2>
  func.return
}

// -----

// CHECK: error: mlc_tensor.cast: does not know elements of type f8E8M0FNU
func.func @f(%x: tensor<4xf8E8M0FNU>) {
  %z = mlc_tensor.cast %x : tensor<4xf8E8M0FNU> -> tensor<4xf32>
  func.return
}
