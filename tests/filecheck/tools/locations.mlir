// RUN: mlc-opt %s --print-debuginfo | filecheck %s

// An op keeps the place its text gives it, and gets its place in the text otherwise.
// CHECK-LABEL: @places
func.func @places(%x: f32) -> f32 {
  // CHECK: arith.addf %x, %x : f32 loc("y = x + x"("model.py":41:0))
  %y = arith.addf %x, %x : f32 loc("y = x + x"("model.py":41:0))
  // CHECK: arith.mulf %y, %y : f32 loc("{{.*}}locations.mlir":9:3)
  %z = arith.mulf %y, %y : f32
  func.return %z : f32
}
