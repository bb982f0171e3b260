// RUN: mlc-opt %s -p dce --split-input-file | filecheck %s

// What nobody uses goes, and then what only it used.
// CHECK-LABEL: func.func @erases_chains(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    func.return %x : tensor<8xf32>
// CHECK-NEXT:  }
func.func @erases_chains(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.neg %a : tensor<8xf32>
  %c = mlc_tensor.constant 0x7fc00000 : tensor<8xf32>
  %d = mlc_tensor.add %b, %c : tensor<8xf32>
  func.return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func @keeps_what_is_used(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %a = mlc_tensor.exp %x : tensor<8xf32>
// CHECK-NEXT:    %b = mlc_tensor.add %a, %a : tensor<8xf32>
// CHECK-NEXT:    func.return %b : tensor<8xf32>
// CHECK-NEXT:  }
func.func @keeps_what_is_used(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = mlc_tensor.exp %x : tensor<8xf32>
  %b = mlc_tensor.add %a, %a : tensor<8xf32>
  %c = mlc_tensor.neg %a : tensor<8xf32>
  func.return %b : tensor<8xf32>
}

// A pure call goes; an impure one stays, its result used or not.
// CHECK-LABEL: func.func @calls(%x: tensor<8xf32>) {
// CHECK-NEXT:    %b = mlc_tensor.extern "aten.rand_like.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @calls(%x: tensor<8xf32>) {
  %a = mlc_tensor.extern "aten.cumsum.default"(%x) : (tensor<8xf32>) -> (tensor<8xf32>)
  %b = mlc_tensor.extern "aten.rand_like.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return
}

// One result of two is enough for a call to stay whole.
// CHECK-LABEL: func.func @keeps_half_used_calls(%x: tensor<8xf32>) -> tensor<8xi64> {
// CHECK-NEXT:    %a, %b = mlc_tensor.extern "aten.sort.default"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
// CHECK-NEXT:    func.return %b : tensor<8xi64>
// CHECK-NEXT:  }
func.func @keeps_half_used_calls(%x: tensor<8xf32>) -> tensor<8xi64> {
  %a, %b = mlc_tensor.extern "aten.sort.default"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  func.return %b : tensor<8xi64>
}

// A fusion loses unused results, what computes them, the arguments that only they used, and
// what computed those.
// CHECK-LABEL: func.func @trims_fusions(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %s = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" attributes {note = "kept"} {
// CHECK-NEXT:      %e = mlc_tensor.exp %a : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %e : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %s : tensor<8xf32>
// CHECK-NEXT:  }
func.func @trims_fusions(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %d = mlc_tensor.exp %y : tensor<8xf32>
  %r, %s = mlc_tensor.fusion (%a = %x : tensor<8xf32>, %b = %d : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) kind "pointwise" why "test" attributes {note = "kept"} {
    %e = mlc_tensor.exp %a : tensor<8xf32>
    %f = mlc_tensor.neg %b : tensor<8xf32>
    mlc_tensor.yield %f, %e : tensor<8xf32>, tensor<8xf32>
  }
  func.return %s : tensor<8xf32>
}

// From one fusion to the one before it.
// CHECK-LABEL: func.func @trims_through_fusions(%x: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %p = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "first" {
// CHECK-NEXT:      %e = mlc_tensor.exp %a : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %e : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = mlc_tensor.fusion (%b = %p : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "second" {
// CHECK-NEXT:      %g = mlc_tensor.abs %b : tensor<8xf32>
// CHECK-NEXT:      mlc_tensor.yield %g : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : tensor<8xf32>
// CHECK-NEXT:  }
func.func @trims_through_fusions(%x: tensor<8xf32>) -> tensor<8xf32> {
  %p, %q = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) kind "pointwise" why "first" {
    %e = mlc_tensor.exp %a : tensor<8xf32>
    %f = mlc_tensor.neg %a : tensor<8xf32>
    mlc_tensor.yield %e, %f : tensor<8xf32>, tensor<8xf32>
  }
  %r, %s = mlc_tensor.fusion (%b = %p : tensor<8xf32>, %c = %q : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) kind "pointwise" why "second" {
    %g = mlc_tensor.abs %b : tensor<8xf32>
    %h = mlc_tensor.abs %c : tensor<8xf32>
    mlc_tensor.yield %g, %h : tensor<8xf32>, tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @erases_fusions(%x: tensor<8xf32>) {
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @erases_fusions(%x: tensor<8xf32>) {
  %r = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "test" {
    %e = mlc_tensor.exp %a : tensor<8xf32>
    mlc_tensor.yield %e : tensor<8xf32>
  }
  func.return
}

// Loops that store stay; reads, reductions and loops that end in nothing go.
// CHECK-LABEL: mlc_loop.kernel @kernel(%x: memref<8xf32>) {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 8 {
// CHECK-NEXT:      %a = mlc_loop.load %x[%i] : memref<8xf32>
// CHECK-NEXT:      mlc_loop.store %a, %x[%i] : memref<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
mlc_loop.kernel @kernel(%x: memref<8xf32>, %y: memref<8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %a = mlc_loop.load %x[%i] : memref<8xf32>
    %b = mlc_loop.load %y[%i] : memref<8xf32>
    %c = math.exp %b : f32
    mlc_loop.store %a, %x[%i] : memref<8xf32>
  }
  %s = mlc_loop.reduce add %i = 0 to 8 -> f32 {
    %a = mlc_loop.load %y[%i] : memref<8xf32>
    mlc_loop.yield %a : f32
  }
  mlc_loop.parallel %i = 0 to 8 {
    %a = mlc_loop.load %y[%i] : memref<8xf32>
  }
}

// Launches and calls on buffers stay.
// CHECK-LABEL: func.func @host(%x: memref<8xf32>) {
// CHECK-NEXT:    mlc_loop.launch @kernel(%x) : memref<8xf32>
// CHECK-NEXT:    %z = mlc_loop.call "aten.foo"(%x) : (memref<8xf32>) -> memref<8xf32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @host(%x: memref<8xf32>) {
  mlc_loop.launch @kernel(%x, %x) : memref<8xf32>, memref<8xf32>
  %z = mlc_loop.call "aten.foo"(%x) : (memref<8xf32>) -> memref<8xf32>
  %v = mlc_loop.view %x offset ["0"] : memref<8xf32> -> memref<4xf32>
  func.return
}

// -----

// A kernel loses the arguments it does not use, its launches too, and then the buffer that only they had.
// CHECK-LABEL: mlc_loop.kernel @copy(
// CHECK-SAME:    %x: memref<8xf32>, %out: memref<8xf32>) {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%p]
// CHECK-NEXT:      mlc_loop.store %v, %out[%p]
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %out = mlc_loop.alloc : memref<8xf32>
// CHECK-NEXT:    mlc_loop.launch @copy(%x, %out) : memref<8xf32>, memref<8xf32>
// CHECK-NEXT:    func.return %out
mlc_loop.kernel @copy(%x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %w = mlc_loop.load %y[%p] : memref<8xf32>
    mlc_loop.store %v, %out[%p] : memref<8xf32>
  }
}
func.func @main(%x: memref<8xf32>) -> memref<8xf32> {
  %y = mlc_loop.alloc : memref<8xf32>
  %out = mlc_loop.alloc : memref<8xf32>
  mlc_loop.launch @copy(%x, %y, %out) : memref<8xf32>, memref<8xf32>, memref<8xf32>
  mlc_loop.free %y : memref<8xf32>
  func.return %out : memref<8xf32>
}

// -----

// A private function that only a dead one calls, and a kernel that nothing launches; a live one is called.
// CHECK-NOT:     @nobody
// CHECK-NOT:     @helper_of_nobody
// CHECK-NOT:     @idle
// CHECK:         func.func private @helper(
// CHECK:         func.func @main(
mlc_loop.kernel @idle(%x: memref<8xf32>) {
}
func.func private @helper_of_nobody(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func private @nobody(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = func.call @helper_of_nobody(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}
func.func private @helper(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = func.call @helper(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// -----

// Kernels alone: others launch them, with these arguments.
// CHECK-LABEL: mlc_loop.kernel @interface(
// CHECK-SAME:    %x: memref<8xf32>, %unused: memref<8xf32>)
mlc_loop.kernel @interface(%x: memref<8xf32>, %unused: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = arith.constant 1.0 : f32
    mlc_loop.store %v, %x[%p] : memref<8xf32>
  }
}
