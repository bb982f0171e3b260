// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt - | filecheck %s

// Hexadecimal floats are bits, in every form an attribute has.
// CHECK-LABEL: "scalar"
// CHECK-SAME: a = 0xff800000 : f32
// CHECK-SAME: b = 0x7fc0 : bf16
"test.op"() {a0 = "scalar", a = 0xFF800000 : f32, b = 0x7FC0 : bf16} : () -> ()

// CHECK-LABEL: "dense"
// CHECK-SAME: list = dense<[0xff800000, 1.000000e+00]> : tensor<2xf32>
// CHECK-SAME: splat = dense<0x7c00> : tensor<4xf16>
// CHECK-SAME: wide = dense<[0xfff0000000000000, 0x7ff8000000000000]> : tensor<2xf64>
"test.op"() {
  a0 = "dense",
  list = dense<[0xFF800000, 1.0]> : tensor<2xf32>,
  splat = dense<0x7C00> : tensor<4xf16>,
  wide = dense<[0xFFF0000000000000, 0x7FF8000000000000]> : tensor<2xf64>
} : () -> ()

// 16777215.0 has no short decimal form with a point in it: xDSL prints its bits.
// CHECK-LABEL: "finite"
// CHECK-SAME: a = dense<0x4B7FFFFF> : tensor<2xf32>
"test.op"() {a0 = "finite", a = dense<16777215.0> : tensor<2xf32>} : () -> ()

// CHECK-LABEL: "array"
// CHECK-SAME: a = array<f32: 0x7f800000, 1.000000e+00>
"test.op"() {a0 = "array", a = array<f32: 0x7F800000, 1.0>} : () -> ()

// An integer in hexadecimal stays one.
// CHECK-LABEL: "integer"
// CHECK-SAME: a = dense<255> : tensor<2xi32>
"test.op"() {a0 = "integer", a = dense<0xFF> : tensor<2xi32>} : () -> ()
