// RUN: mlc-opt %s -p merge-kernels --split-input-file | filecheck %s

// Names and the reasons of schedules do not matter; what a launch takes is its own.
// CHECK-LABEL: mlc_loop.kernel @exp(%x: memref<8xf32>, %y: memref<8xf32>) why "first" {
// CHECK-NOT:   mlc_loop.kernel
// CHECK:       func.func @main(
// CHECK:         mlc_loop.launch @exp(%a, %b) : memref<8xf32>, memref<8xf32>
// CHECK-NEXT:    mlc_loop.launch @exp(%b, %a) : memref<8xf32>, memref<8xf32>
// CHECK-NEXT:    mlc_loop.launch @exp(%a, %c) : memref<8xf32>, memref<8xf32>
mlc_loop.kernel @exp(%x: memref<8xf32>, %y: memref<8xf32>) why "first" {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %e = math.exp %v : f32
    mlc_loop.store %e, %y[%p] : memref<8xf32>
  }
}
mlc_loop.kernel @exp_1(%in: memref<8xf32>, %out: memref<8xf32>) why "second" {
  mlc_loop.parallel %i = 0 to 8 {
    %w = mlc_loop.load %in[%i] : memref<8xf32>
    %f = math.exp %w : f32
    mlc_loop.store %f, %out[%i] : memref<8xf32>
  }
}
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  mlc_loop.launch @exp(%a, %b) : memref<8xf32>, memref<8xf32>
  mlc_loop.launch @exp_1(%b, %a) : memref<8xf32>, memref<8xf32>
  mlc_loop.launch @exp_1(%a, %c) : memref<8xf32>, memref<8xf32>
  func.return
}

// -----

// What they compute, the order of what they read and write, their sizes and how they are launched do.
// CHECK-LABEL: mlc_loop.kernel @first(
// CHECK:       mlc_loop.kernel @swapped(
// CHECK:       mlc_loop.kernel @backwards(
// CHECK:       mlc_loop.kernel @longer(
// CHECK:       mlc_loop.kernel @warps(
mlc_loop.kernel @first(%x: memref<8xf32>, %y: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    mlc_loop.store %v, %y[%p] : memref<8xf32>
  }
}
mlc_loop.kernel @swapped(%y: memref<8xf32>, %x: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    mlc_loop.store %v, %y[%p] : memref<8xf32>
  }
}
mlc_loop.kernel @backwards(%x: memref<8xf32>, %y: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 backwards {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    mlc_loop.store %v, %y[%p] : memref<8xf32>
  }
}
mlc_loop.kernel @longer(%x: memref<16xf32>, %y: memref<16xf32>) {
  mlc_loop.parallel %p = 0 to 16 {
    %v = mlc_loop.load %x[%p] : memref<16xf32>
    mlc_loop.store %v, %y[%p] : memref<16xf32>
  }
}
mlc_loop.kernel @warps(%x: memref<8xf32>, %y: memref<8xf32>) warps 4 {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    mlc_loop.store %v, %y[%p] : memref<8xf32>
  }
}
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<16xf32>, %d: memref<16xf32>) {
  mlc_loop.launch @first(%a, %b) : memref<8xf32>, memref<8xf32>
  mlc_loop.launch @swapped(%a, %b) : memref<8xf32>, memref<8xf32>
  mlc_loop.launch @backwards(%a, %b) : memref<8xf32>, memref<8xf32>
  mlc_loop.launch @longer(%c, %d) : memref<16xf32>, memref<16xf32>
  mlc_loop.launch @warps(%a, %b) : memref<8xf32>, memref<8xf32>
  func.return
}

// -----

// The flags of a kernel are known by its name. Two launches share them, one after another.
// CHECK-LABEL: mlc_loop.kernel @signal(
// CHECK-NOT:   mlc_loop.kernel
// CHECK:         %s = mlc_loop.flags @signal : memref<8xi64>
// CHECK-NEXT:    mlc_loop.launch @signal(%s) : memref<8xi64>
// CHECK-NEXT:    %t = mlc_loop.flags @signal : memref<8xi64>
// CHECK-NEXT:    mlc_loop.launch @signal(%t) : memref<8xi64>
mlc_loop.kernel @signal(%flags: memref<8xi64>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %flags[%p] : memref<8xi64>
    mlc_loop.store %v, %flags[%p] : memref<8xi64>
  }
}
mlc_loop.kernel @signal_1(%flags: memref<8xi64>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %flags[%p] : memref<8xi64>
    mlc_loop.store %v, %flags[%p] : memref<8xi64>
  }
}
func.func @main() {
  %s = mlc_loop.flags @signal : memref<8xi64>
  mlc_loop.launch @signal(%s) : memref<8xi64>
  %t = mlc_loop.flags @signal_1 : memref<8xi64>
  mlc_loop.launch @signal_1(%t) : memref<8xi64>
  func.return
}

// -----

// Nobody here launches them: each is somebody's interface.
// CHECK-LABEL: mlc_loop.kernel @one(
// CHECK:       mlc_loop.kernel @two(
mlc_loop.kernel @one(%x: memref<8xf32>, %y: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    mlc_loop.store %v, %y[%p] : memref<8xf32>
  }
}
mlc_loop.kernel @two(%x: memref<8xf32>, %y: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    mlc_loop.store %v, %y[%p] : memref<8xf32>
  }
}
