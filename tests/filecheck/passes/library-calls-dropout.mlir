// RUN: mlc-opt %s -p 'library-calls,cse,dce' | filecheck %s
// RUN: mlc-opt %s -p 'library-calls{fast-math=true},dce' | filecheck %s
// RUN: mlc-opt %s -p 'library-calls{device=cpu},dce' | filecheck %s --check-prefix=CPU

// Dropout of attention's weights by PyTorch's kernels, which draw the numbers themselves.

// The seeds that were drawn for it are not drawn any more, and the call is not moved: it draws random numbers.
// CHECK-LABEL: func.func @drops(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 1.000000e-01 : f64, false] kwargs {scale = 2.500000e-01 : f64} impure
// CHECK-NEXT:    func.return
// CPU-LABEL: func.func @drops(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @drops(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// With the causal mask.
// CHECK-LABEL: func.func @causal(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 1.000000e-01 : f64, true] kwargs {scale = 2.500000e-01 : f64} impure
// CHECK-NEXT:    func.return
// CPU-LABEL: func.func @causal(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @causal(%q: tensor<2x3x4x16xf16>, %k: tensor<2x3x6x16xf16>, %v: tensor<2x3x6x16xf16>) -> tensor<2x3x4x16xf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, causal = 1, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xf16>, tensor<2x3x6x16xf16>, tensor<2x3x6x16xf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xf16>)
  func.return %r : tensor<2x3x4x16xf16>
}

// Any rate that 8 bits can tell.
// CHECK-LABEL: func.func @half(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 5.000000e-01 : f64, false] kwargs {scale = 2.500000e-01 : f64} impure
// CHECK-NEXT:    func.return
// CPU-LABEL: func.func @half(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @half(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 8388608 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 2.0 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Numbers that were drawn in another shape.
// CHECK-LABEL: func.func @view(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 1.000000e-01 : f64, false] kwargs {scale = 2.500000e-01 : f64} impure
// CHECK-NEXT:    func.return
// CPU-LABEL: func.func @view(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @view(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<6x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<6x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<6x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<6x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<6x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<6x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<6x4x6xi32>
  %shown = mlc_tensor.reshape %kept : tensor<6x4x6xi1> -> tensor<2x3x4x6xi1>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %shown) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Another seed of the same call.
// CHECK-LABEL: func.func @other_seed(
// CHECK-NEXT:    %seeds = mlc_tensor.extern "mlc.seeds.default"() args [2 : i64
// CHECK-NEXT:    %other = mlc_tensor.random %seeds[0]
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v) args [#mlc_tensor.operand<"0">, #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">, unit, 1.000000e-01 : f64, false] kwargs {scale = 2.500000e-01 : f64} impure
// CPU-LABEL: func.func @other_seed(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @other_seed(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>, tensor<4xi32>) {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [2 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<2xi64>)
  %bits = mlc_tensor.random %seeds[1] word 0 : tensor<2xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %other = mlc_tensor.random %seeds[0] word 0 : tensor<2xi64> -> tensor<4xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r, %other : tensor<2x3x4x16xbf16>, tensor<4xi32>
}

// The seed has another reader.
// CHECK-LABEL: func.func @same_seed(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @same_seed(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @same_seed(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>, tensor<4xi32>) {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %other = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<4xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r, %other : tensor<2x3x4x16xbf16>, tensor<4xi32>
}

// A backward pass draws the numbers again.
// CHECK-LABEL: func.func @kept_for_gradients(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @kept_for_gradients(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @kept_for_gradients(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>, tensor<1xi64>) {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r, %seeds : tensor<2x3x4x16xbf16>, tensor<1xi64>
}

// It is a backward pass, say, and others have drawn these numbers.
// CHECK-LABEL: func.func @given(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @given(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @given(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %seeds: tensor<1xi64>) -> tensor<2x3x4x16xbf16> {
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// What is kept has another reader.
// CHECK-LABEL: func.func @read_twice(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @read_twice(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @read_twice(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>, tensor<2x3x4x6xi1>) {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r, %kept : tensor<2x3x4x16xbf16>, tensor<2x3x4x6xi1>
}

// So has what it shows.
// CHECK-LABEL: func.func @shown_twice(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @shown_twice(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @shown_twice(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>, tensor<6x4x6xi1>) {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<6x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<6x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<6x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<6x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<6x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<6x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<6x4x6xi32>
  %shown = mlc_tensor.reshape %kept : tensor<6x4x6xi1> -> tensor<2x3x4x6xi1>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %shown) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r, %kept : tensor<2x3x4x16xbf16>, tensor<6x4x6xi1>
}

// A mask rules out flash attention.
// CHECK-LABEL: func.func @masked(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @masked(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @masked(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<4x6xi1>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xi1>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Library kernels may split float32 products into shorter ones.
// CHECK-LABEL: func.func @float32(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @float32(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @float32(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xf32>)
  func.return %r : tensor<2x3x4x16xf32>
}

// Whole rows of weights are dropped.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @rows(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @rows(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x1xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x1xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x1xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x1xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x1xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x1xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x1xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x1xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Weights that are kept are not scaled for the rate.
// CHECK-LABEL: func.func @other_scale(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @other_scale(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @other_scale(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.5 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// A rate that 8 bits do not tell: one weight in 1000.
// CHECK-LABEL: func.func @rare(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @rare(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @rare(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 16760439 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.0010010004043579 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Numbers of other bits than those below 2^24.
// CHECK-LABEL: func.func @other_digits(
// CHECK-NOT:     extern "aten.
// CHECK:         mlc_tensor.scaled_dot_product_attention(
// CPU-LABEL: func.func @other_digits(
// CPU-NOT:     extern "aten.
// CPU:         mlc_tensor.scaled_dot_product_attention(
func.func @other_digits(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [1 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<1xi64>)
  %bits = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> tensor<2x3x4x6xi32>
  %eight = mlc_tensor.constant 7 : tensor<2x3x4x6xi32>
  %high = mlc_tensor.shr %bits, %eight : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %whole = mlc_tensor.and %high, %digits : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %kept = mlc_tensor.lt %whole, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Two layers of the same operands draw two times.
// CHECK-LABEL: func.func @twice(
// CHECK-NEXT:    %r = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v)
// CHECK-NEXT:    %s = mlc_tensor.extern "aten.scaled_dot_product_attention.default"(%q, %k, %v)
// CHECK-NEXT:    func.return %r, %s
func.func @twice(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>, tensor<2x3x4x16xbf16>) {
  %seeds = mlc_tensor.extern "mlc.seeds.default"() args [2 : i64, #mlc_tensor.py<"torch.device(type='cpu')">] impure : () -> (tensor<2xi64>)
  %eight = mlc_tensor.constant 8 : tensor<2x3x4x6xi32>
  %digits = mlc_tensor.constant 16777215 : tensor<2x3x4x6xi32>
  %limit = mlc_tensor.constant 15099494 : tensor<2x3x4x6xi32>
  %bits0 = mlc_tensor.random %seeds[0] word 0 : tensor<2xi64> -> tensor<2x3x4x6xi32>
  %high0 = mlc_tensor.shr %bits0, %eight : tensor<2x3x4x6xi32>
  %whole0 = mlc_tensor.and %high0, %digits : tensor<2x3x4x6xi32>
  %kept0 = mlc_tensor.lt %whole0, %limit : tensor<2x3x4x6xi32>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept0) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  %bits1 = mlc_tensor.random %seeds[1] word 0 : tensor<2xi64> -> tensor<2x3x4x6xi32>
  %high1 = mlc_tensor.shr %bits1, %eight : tensor<2x3x4x6xi32>
  %whole1 = mlc_tensor.and %high1, %digits : tensor<2x3x4x6xi32>
  %kept1 = mlc_tensor.lt %whole1, %limit : tensor<2x3x4x6xi32>
  %s = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %kept1) {scale = 0.25 : f64, dropout = 1.1111111640930176 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r, %s : tensor<2x3x4x16xbf16>, tensor<2x3x4x16xbf16>
}
