// RUN: mlc-opt %s -p 'library-calls{fast-math=true},dce' | filecheck %s
// RUN: mlc-opt %s -p 'library-calls{fast-math=true device=a100},dce' | filecheck %s --check-prefix=A100
// RUN: mlc-opt %s -p 'library-calls{fast-math=true device=cpu},dce' | filecheck %s --check-prefix=CPU

// Which kernel of PyTorch's computes attention, and so what it takes and how its result lies, is the device's.

// Flash and cuDNN attention order the dimensions as the query's are, and so does the CPU.
// CHECK-LABEL: func.func @heads_inside_rows(
// CHECK:         mlc.strides = {{\[\[}}"192", "16", "48", "1"{{\]\]}}
// A100-LABEL: func.func @heads_inside_rows(
// A100:         mlc.strides = {{\[\[}}"192", "16", "48", "1"{{\]\]}}
// CPU-LABEL: func.func @heads_inside_rows(
// CPU:         mlc.strides = {{\[\[}}"192", "16", "48", "1"{{\]\]}}
func.func @heads_inside_rows(%x: tensor<2x4x48xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %h = mlc_tensor.reshape %x : tensor<2x4x48xbf16> -> tensor<2x4x3x16xbf16>
  %q = mlc_tensor.permute %h [0, 2, 1, 3] : tensor<2x4x3x16xbf16> -> tensor<2x3x4x16xbf16>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// One of three in a projection of all: a view with gaps, the result has none.
// CHECK-LABEL: func.func @part_of_a_projection(
// CHECK:         mlc.strides = {{\[\[}}"192", "16", "48", "1"{{\]\]}}
func.func @part_of_a_projection(%x: tensor<2x4x144xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>) -> tensor<2x3x4x16xbf16> {
  %h = mlc_tensor.reshape %x : tensor<2x4x144xbf16> -> tensor<2x4x3x3x16xbf16>
  %p = mlc_tensor.permute %h [2, 0, 3, 1, 4] : tensor<2x4x3x3x16xbf16> -> tensor<3x2x3x4x16xbf16>
  %s = mlc_tensor.slice %p [0, 0, 0, 0, 0] step [1, 1, 1, 1, 1] : tensor<3x2x3x4x16xbf16> -> tensor<1x2x3x4x16xbf16>
  %q = mlc_tensor.reshape %s : tensor<1x2x3x4x16xbf16> -> tensor<2x3x4x16xbf16>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Rows outside, as multi-head attention has them; sizes with names. The first product has one batch for all heads.
// CHECK-LABEL: func.func @rows_first(
// CHECK:         mlc.strides = {{\[\[}}"48", "16", "B * 48", "1"{{\]\]}}
func.func @rows_first(%x: tensor<?x?x16xbf16, ["L", "B * 3", "16"]>, %k: tensor<?x3x6x16xbf16, ["B", "3", "6", "16"]>, %v: tensor<?x3x6x16xbf16, ["B", "3", "6", "16"]>) -> tensor<?x3x?x16xbf16, ["B", "3", "L", "16"]> {
  %h = mlc_tensor.permute %x [1, 0, 2] : tensor<?x?x16xbf16, ["L", "B * 3", "16"]> -> tensor<?x?x16xbf16, ["B * 3", "L", "16"]>
  %q = mlc_tensor.reshape %h : tensor<?x?x16xbf16, ["B * 3", "L", "16"]> -> tensor<?x3x?x16xbf16, ["B", "3", "L", "16"]>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<?x3x?x16xbf16, ["B", "3", "L", "16"]>, tensor<?x3x6x16xbf16, ["B", "3", "6", "16"]>, tensor<?x3x6x16xbf16, ["B", "3", "6", "16"]>) -> (tensor<?x3x?x16xbf16, ["B", "3", "L", "16"]>)
  func.return %r : tensor<?x3x?x16xbf16, ["B", "3", "L", "16"]>
}

// float32 is computed by the memory-efficient kernel, save on a CPU.
// CHECK-LABEL: func.func @float32(
// CHECK:         mlc.strides = {{\[\[}}"192", "16", "48", "1"{{\]\]}}
// CPU-LABEL: func.func @float32(
// CPU:         mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}
func.func @float32(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x16xf32>) -> tensor<2x3x4x16xf32> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x16xf32>) -> (tensor<2x3x4x16xf32>)
  func.return %r : tensor<2x3x4x16xf32>
}

// So are masks where there is no cuDNN attention.
// CHECK-LABEL: func.func @masked(
// CHECK:         mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}
// A100-LABEL: func.func @masked(
// A100:         mlc.strides = {{\[\[}}"192", "16", "48", "1"{{\]\]}}
// CPU-LABEL: func.func @masked(
// CPU:         mlc.strides = {{\[\[}}"192", "64", "16", "1"{{\]\]}}
func.func @masked(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x16xbf16>, %m: tensor<4x6xi1>) -> tensor<2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {hides = 1, scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x16xbf16>, tensor<4x6xi1>) -> (tensor<2x3x4x16xbf16>)
  func.return %r : tensor<2x3x4x16xbf16>
}

// Groups of heads beside a mask: only cuDNN and the CPU take the keys once.
// CHECK-LABEL: func.func @grouped_and_masked(
// CHECK:         "aten.scaled_dot_product_attention.default"(%q, %k0, %v0, %{{.*}}enable_gqa = true
// A100-LABEL: func.func @grouped_and_masked(
// A100:         "aten.scaled_dot_product_attention.default"(%q, %k, %v, %
// A100-NOT:     enable_gqa
// CPU-LABEL: func.func @grouped_and_masked(
// CPU:         "aten.scaled_dot_product_attention.default"(%q, %k0, %v0, %{{.*}}enable_gqa = true
func.func @grouped_and_masked(%q: tensor<2x4x8x16xbf16>, %k0: tensor<2x2x8x16xbf16>, %v0: tensor<2x2x8x16xbf16>, %m: tensor<2x1x1x8xi1>) -> tensor<2x4x8x16xbf16> {
  %k1 = mlc_tensor.reshape %k0 : tensor<2x2x8x16xbf16> -> tensor<2x2x1x8x16xbf16>
  %k2 = mlc_tensor.broadcast %k1 : tensor<2x2x1x8x16xbf16> -> tensor<2x2x2x8x16xbf16>
  %k = mlc_tensor.reshape %k2 : tensor<2x2x2x8x16xbf16> -> tensor<2x4x8x16xbf16>
  %v1 = mlc_tensor.reshape %v0 : tensor<2x2x8x16xbf16> -> tensor<2x2x1x8x16xbf16>
  %v2 = mlc_tensor.broadcast %v1 : tensor<2x2x1x8x16xbf16> -> tensor<2x2x2x8x16xbf16>
  %v = mlc_tensor.reshape %v2 : tensor<2x2x2x8x16xbf16> -> tensor<2x4x8x16xbf16>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>, tensor<2x1x1x8xi1>) -> (tensor<2x4x8x16xbf16>)
  func.return %r : tensor<2x4x8x16xbf16>
}

// Values of another width are cuDNN's alone; the result is as wide.
// CHECK-LABEL: func.func @wider_values(
// CHECK:         "aten.scaled_dot_product_attention.default"(%q, %k, %v){{.*}}mlc.strides = {{\[\[}}"384", "32", "96", "1"{{\]\]}}
// A100-LABEL: func.func @wider_values(
// A100:         mlc_tensor.scaled_dot_product_attention(%q, %k, %v)
// CPU-LABEL: func.func @wider_values(
// CPU:         mlc_tensor.scaled_dot_product_attention(%q, %k, %v)
func.func @wider_values(%x: tensor<2x4x3x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x32xbf16>) -> tensor<2x3x4x32xbf16> {
  %q = mlc_tensor.permute %x [0, 2, 1, 3] : tensor<2x4x3x16xbf16> -> tensor<2x3x4x16xbf16>
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x32xbf16>) -> (tensor<2x3x4x32xbf16>)
  func.return %r : tensor<2x3x4x32xbf16>
}

// Not in float32, and not where one is too wide.
// CHECK-LABEL: func.func @keeps_wider_values_of_float32(
// CHECK:         mlc_tensor.scaled_dot_product_attention(%q, %k, %v)
func.func @keeps_wider_values_of_float32(%q: tensor<2x3x4x16xf32>, %k: tensor<2x3x6x16xf32>, %v: tensor<2x3x6x32xf32>) -> tensor<2x3x4x32xf32> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xf32>, tensor<2x3x6x16xf32>, tensor<2x3x6x32xf32>) -> (tensor<2x3x4x32xf32>)
  func.return %r : tensor<2x3x4x32xf32>
}

// CHECK-LABEL: func.func @keeps_widest_values(
// CHECK:         mlc_tensor.scaled_dot_product_attention(%q, %k, %v)
func.func @keeps_widest_values(%q: tensor<2x3x4x16xbf16>, %k: tensor<2x3x6x16xbf16>, %v: tensor<2x3x6x264xbf16>) -> tensor<2x3x4x264xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v) {scale = 0.25 : f64} : (tensor<2x3x4x16xbf16>, tensor<2x3x6x16xbf16>, tensor<2x3x6x264xbf16>) -> (tensor<2x3x4x264xbf16>)
  func.return %r : tensor<2x3x4x264xbf16>
}

// A mask of five dimensions does not fit operands of four.
// CHECK-LABEL: func.func @keeps_five_dimensions(
// CHECK:         mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m)
func.func @keeps_five_dimensions(%q: tensor<2x2x3x4x16xbf16>, %k: tensor<2x2x3x6x16xbf16>, %v: tensor<2x2x3x6x16xbf16>, %m: tensor<2x1x1x4x6xi1>) -> tensor<2x2x3x4x16xbf16> {
  %r = mlc_tensor.scaled_dot_product_attention(%q, %k, %v, %m) {scale = 0.25 : f64} : (tensor<2x2x3x4x16xbf16>, tensor<2x2x3x6x16xbf16>, tensor<2x2x3x6x16xbf16>, tensor<2x1x1x4x6xi1>) -> (tensor<2x2x3x4x16xbf16>)
  func.return %r : tensor<2x2x3x4x16xbf16>
}
