// RUN: mlc-opt %s -p 'horizontal-fusion{most=6 most-large=4 arguments=8 small=4096}' --split-input-file | filecheck %s

// Programs 0 to 3 are the first kernel's, 4 to 9 the second's; what both read is one argument. Only allocations stand
// between the launches, and move before the one that is left.
// CHECK-LABEL: mlc_triton.kernel @a_and_b(
// CHECK-SAME:    %x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>, %y_1: !mlc_triton.ptr<f32>)
// CHECK-SAME:    grid [10] sizes [] num_warps 4 why "{{.+}}: as it comes" {
// CHECK-NEXT:    %[[PROGRAM:.*]] = mlc_triton.program_id 0 : i32
// CHECK-NEXT:    %[[FIRST:.*]] = mlc_triton.mask %[[PROGRAM]] < 4 : (i32) -> i1
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK-NEXT:      %[[R:.*]] = mlc_triton.arange
// CHECK-NEXT:      %[[A:.*]] = mlc_triton.load %x[%[[PROGRAM]] * 1024 + %[[R]]]
// CHECK-NEXT:      mlc_triton.store %y[%[[PROGRAM]] * 1024 + %[[R]]] = %[[A]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[P:.*]] = mlc_triton.index [%[[PROGRAM]] - 4] : (i32) -> i32
// CHECK-NEXT:      %[[S:.*]] = mlc_triton.arange
// CHECK-NEXT:      %[[B:.*]] = mlc_triton.load %x[%[[P]] * 1024 + %[[S]]]
// CHECK-NEXT:      mlc_triton.store %y_1[%[[P]] * 1024 + %[[S]]] = %[[B]]
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NOT:   mlc_triton.kernel
// CHECK-LABEL: func.func @shares_what_both_read(
// CHECK-NEXT:    %y = mlc_loop.alloc
// CHECK-NEXT:    %z = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @a_and_b(%x, %y, %z)
// CHECK-NEXT:    func.return %y, %z
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @b(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [6] sizes [] num_warps 4 why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
func.func @shares_what_both_read(%x: memref<6144xf32>) -> (memref<4096xf32>, memref<6144xf32>) {
  %y = mlc_loop.alloc : memref<4096xf32>
  mlc_loop.launch @a(%x, %y) : memref<6144xf32>, memref<4096xf32>
  %z = mlc_loop.alloc : memref<6144xf32>
  mlc_loop.launch @b(%x, %z) : memref<6144xf32>, memref<6144xf32>
  func.return %y, %z : memref<4096xf32>, memref<6144xf32>
}

// -----

// Four kernels: a tree of tests, two for each program. Grids of named sizes, of two axes, of 64 bits, and of one
// program; one kernel is launched twice.
// CHECK-LABEL: mlc_triton.kernel @named_and_3_more(
// CHECK-SAME:    %N: i64) grid [N + 13] sizes ["N"] num_warps 4
// CHECK-NEXT:    %[[P:.*]] = mlc_triton.program_id 0 : i64
// CHECK-NEXT:    %[[T:.*]] = mlc_triton.mask %[[P]] < %N + 6 : (i64, i64) -> i1
// CHECK-NEXT:    scf.if %[[T]] {
// CHECK-NEXT:      %[[U:.*]] = mlc_triton.mask %[[P]] < %N : (i64, i64) -> i1
// CHECK-NEXT:      scf.if %[[U]] {
// CHECK-NEXT:        mlc_triton.load %x[%[[P]]]
// CHECK:           } else {
// CHECK-NEXT:        %[[J64:.*]] = mlc_triton.index [(-%N + %[[P]]) floordiv 2] : (i64, i64) -> i64
// CHECK-NEXT:        %[[J:.*]] = mlc_triton.cast %[[J64]] : i64 -> i32
// CHECK-NEXT:        %[[I64:.*]] = mlc_triton.index [(-%N + %[[P]]) mod 2] : (i64, i64) -> i64
// CHECK-NEXT:        %[[I:.*]] = mlc_triton.cast %[[I64]] : i64 -> i32
// CHECK-NEXT:        mlc_triton.load %x_1[%[[J]] * 2 + %[[I]]]
// CHECK:         } else {
// CHECK-NEXT:      %[[V:.*]] = mlc_triton.mask %[[P]] < %N + 7 : (i64, i64) -> i1
// CHECK-NEXT:      scf.if %[[V]] {
// CHECK-NEXT:        mlc_triton.load %x_1[0]
// CHECK:           } else {
// CHECK-NEXT:        mlc_triton.index [(-%N + %[[P]] - 7) floordiv 2] : (i64, i64) -> i64
// CHECK-NOT:   mlc_triton.kernel @named(
// CHECK:       mlc_triton.kernel @tiles(
// CHECK-NOT:   mlc_triton.kernel
// CHECK-LABEL: func.func @four_kernels(
// CHECK:         mlc_loop.launch @named_and_3_more(
// CHECK-NEXT:    mlc_loop.call "aten.relu.default"
// CHECK:         mlc_loop.launch @tiles(
// CHECK-NEXT:    func.return
mlc_triton.kernel @named(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>, %N: i64) grid [N] sizes ["N"] num_warps 4 {
  %p = mlc_triton.program_id 0 : i64
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i64) -> f32
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, f32, i64)
}
mlc_triton.kernel @tiles(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [2, 3] sizes [] num_warps 4 {
  %j = mlc_triton.program_id 1 : i32
  %i = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%j * 2 + %i] : (!mlc_triton.ptr<f32>, i32, i32) -> f32
  mlc_triton.store %y[%j * 2 + %i] = %a : (!mlc_triton.ptr<f32>, f32, i32, i32)
}
mlc_triton.kernel @single(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @four_kernels(
    %n: memref<?xf32, {sizes = ["N"], strides = ["1"]}>, %m: memref<?xf32, {sizes = ["N"], strides = ["1"]}>, %x: memref<6xf32>
) -> (memref<6xf32>, memref<1xf32>, memref<6xf32>, memref<6xf32>) {
  mlc_loop.launch @named(%n, %m) : memref<?xf32, {sizes = ["N"], strides = ["1"]}>, memref<?xf32, {sizes = ["N"], strides = ["1"]}>
  %y = mlc_loop.alloc : memref<6xf32>
  mlc_loop.launch @tiles(%x, %y) : memref<6xf32>, memref<6xf32>
  %z = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @single(%x, %z) : memref<6xf32>, memref<1xf32>
  %w = mlc_loop.alloc : memref<6xf32>
  mlc_loop.launch @tiles(%x, %w) : memref<6xf32>, memref<6xf32>
  %c = mlc_loop.call "aten.relu.default"(%x) : (memref<6xf32>) -> memref<6xf32>
  %v = mlc_loop.alloc : memref<6xf32>
  mlc_loop.launch @tiles(%c, %v) : memref<6xf32>, memref<6xf32>
  func.return %y, %z, %w, %v : memref<6xf32>, memref<1xf32>, memref<6xf32>, memref<6xf32>
}

// -----

// The second reads what the first writes.
// CHECK-LABEL: func.func @reads_what_was_written(
// CHECK-NEXT:    mlc_loop.launch @a(%x, %y)
// CHECK-NEXT:    mlc_loop.launch @b(%y, %z)
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @b(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @reads_what_was_written(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>) {
  mlc_loop.launch @a(%x, %y) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @b(%y, %z) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// The second writes what the first reads, through a view of its memory.
// CHECK-LABEL: func.func @writes_what_was_read(
// CHECK-NEXT:    mlc_loop.launch @a(%x, %y)
// CHECK-NEXT:    mlc_loop.view
// CHECK-NEXT:    mlc_loop.launch @b(%z, %v)
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @b(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @writes_what_was_read(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>) {
  mlc_loop.launch @a(%x, %y) : memref<6xf32>, memref<6xf32>
  %v = mlc_loop.view %x offset ["0"] : memref<6xf32> -> memref<6xf32>
  mlc_loop.launch @b(%z, %v) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// Both write one buffer: the second has the last word.
// CHECK-LABEL: func.func @writes_again(
// CHECK-NEXT:    mlc_loop.launch @a(%x, %y)
// CHECK-NEXT:    mlc_loop.launch @b(%z, %y)
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @b(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @writes_again(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>) {
  mlc_loop.launch @a(%x, %y) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @b(%z, %y) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// A call may write what it is given, and give back what a kernel before it has read.
// CHECK-LABEL: func.func @calls(
// CHECK-NEXT:    mlc_loop.launch @a(%x, %y)
// CHECK-NEXT:    mlc_loop.call
// CHECK-NEXT:    mlc_loop.launch @b(%x, %z)
// CHECK-NEXT:    mlc_loop.launch @a(%z, %c)
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @b(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @calls(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>) {
  mlc_loop.launch @a(%x, %y) : memref<6xf32>, memref<6xf32>
  %c = mlc_loop.call "aten.view.default"(%x) : (memref<6xf32>) -> memref<6xf32>
  mlc_loop.launch @b(%x, %z) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%z, %c) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// Small kernels join launches before the last one, if they need nothing in between: @b needs @a, and so does the second
// @b; @c joins @a. What a launch takes moves before it, what is freed after the last use stays freed after it.
// CHECK-LABEL: func.func @joins_earlier(
// CHECK-NEXT:    %t = mlc_loop.alloc
// CHECK-NEXT:    %u = mlc_loop.alloc
// CHECK-NEXT:    %v = mlc_loop.view %u
// CHECK-NEXT:    mlc_loop.launch @a_and_c(%x, %t, %v)
// CHECK-NEXT:    mlc_loop.launch @b_and_b(%t, %y, %u, %z)
// CHECK-NEXT:    mlc_loop.free %t
// CHECK-NEXT:    mlc_loop.free %u
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @b(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @c(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @joins_earlier(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>) {
  %t = mlc_loop.alloc : memref<6xf32>
  mlc_loop.launch @a(%x, %t) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @b(%t, %y) : memref<6xf32>, memref<6xf32>
  mlc_loop.free %t : memref<6xf32>
  %u = mlc_loop.alloc : memref<6xf32>
  %v = mlc_loop.view %u offset ["0"] : memref<6xf32> -> memref<6xf32>
  mlc_loop.launch @c(%x, %v) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @b(%u, %z) : memref<6xf32>, memref<6xf32>
  mlc_loop.free %u : memref<6xf32>
  func.return
}

// -----

// A seventh kernel is one too many.
// CHECK-LABEL: func.func @seven(
// CHECK-NEXT:    mlc_loop.launch @a_and_5_more(%x, %a, %b, %c, %d, %e, %f)
// CHECK-NEXT:    mlc_loop.launch @a(%x, %g)
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @seven(%x: memref<6xf32>, %a: memref<6xf32>, %b: memref<6xf32>, %c: memref<6xf32>, %d: memref<6xf32>, %e: memref<6xf32>, %f: memref<6xf32>, %g: memref<6xf32>) {
  mlc_loop.launch @a(%x, %a) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%x, %b) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%x, %c) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%x, %d) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%x, %e) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%x, %f) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%x, %g) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// Where one takes longer than a launch, four are the limit.
// CHECK-LABEL: func.func @large_beside_small(
// CHECK-NEXT:    mlc_loop.launch @large_and_3_more(
// CHECK-NEXT:    mlc_loop.launch @a_and_a(
mlc_triton.kernel @large(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1024] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @large_beside_small(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %z: memref<6xf32>, %a: memref<6xf32>, %b: memref<6xf32>, %c: memref<6xf32>, %d: memref<6xf32>, %e: memref<6xf32>) {
  mlc_loop.launch @large(%x, %y) : memref<1048576xf32>, memref<1048576xf32>
  mlc_loop.launch @a(%z, %a) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%z, %b) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%z, %c) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%z, %d) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%z, %e) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// Ten buffers are too many: eight fit.
// CHECK-LABEL: func.func @many_buffers(
// CHECK-NEXT:    mlc_loop.launch @a_and_3_more(%a, %b, %c, %d, %e, %f, %g, %h)
// CHECK-NEXT:    mlc_loop.launch @a(%i, %j)
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @many_buffers(%a: memref<6xf32>, %b: memref<6xf32>, %c: memref<6xf32>, %d: memref<6xf32>, %e: memref<6xf32>, %f: memref<6xf32>, %g: memref<6xf32>, %h: memref<6xf32>, %i: memref<6xf32>, %j: memref<6xf32>) {
  mlc_loop.launch @a(%a, %b) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%c, %d) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%e, %f) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%g, %h) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @a(%i, %j) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// Kernels that take longer than a launch keep their warps, small ones get up to eight times theirs.
// CHECK-LABEL: mlc_triton.kernel @four_and_one(
// CHECK-SAME:    num_warps 4
// CHECK-LABEL: func.func @other_warps(
// CHECK-NEXT:    mlc_loop.launch @four_and_one(
// CHECK-NEXT:    mlc_loop.launch @eight(
// CHECK-NEXT:    mlc_loop.launch @one(
mlc_triton.kernel @four(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1024] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @eight(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1024] sizes [] num_warps 8 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @one(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @other_warps(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %z: memref<1048576xf32>, %s: memref<6xf32>, %t: memref<6xf32>, %u: memref<6xf32>) {
  mlc_loop.launch @four(%x, %y) : memref<1048576xf32>, memref<1048576xf32>
  mlc_loop.launch @one(%s, %t) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @eight(%x, %z) : memref<1048576xf32>, memref<1048576xf32>
  mlc_loop.launch @one(%y, %u) : memref<1048576xf32>, memref<6xf32>
  func.return
}

// -----

// A small kernel takes half of its warps as well, where a larger one has no more; no less than that.
// CHECK-LABEL: mlc_triton.kernel @four_and_eight(
// CHECK-SAME:    num_warps 4
// CHECK-LABEL: func.func @fewer_warps(
// CHECK-NEXT:    mlc_loop.launch @four_and_eight(
// CHECK-NEXT:    mlc_loop.launch @sixteen(
mlc_triton.kernel @four(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1024] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @eight(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 8 {
  %r = mlc_triton.arange : tensor<256xi32>
  %a = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<256xi32>) -> tensor<256xf32>
  mlc_triton.store %y[%r] = %a : (!mlc_triton.ptr<f32>, tensor<256xf32>, tensor<256xi32>)
}
mlc_triton.kernel @sixteen(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 16 {
  %r = mlc_triton.arange : tensor<512xi32>
  %a = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<512xi32>) -> tensor<512xf32>
  mlc_triton.store %y[%r] = %a : (!mlc_triton.ptr<f32>, tensor<512xf32>, tensor<512xi32>)
}
func.func @fewer_warps(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %s: memref<256xf32>, %t: memref<256xf32>, %u: memref<512xf32>, %v: memref<512xf32>) {
  mlc_loop.launch @four(%x, %y) : memref<1048576xf32>, memref<1048576xf32>
  mlc_loop.launch @eight(%s, %t) : memref<256xf32>, memref<256xf32>
  mlc_loop.launch @sixteen(%u, %v) : memref<512xf32>, memref<512xf32>
  func.return
}

// -----

// The programs of @heavy hold 512 bytes a lane: beside them half as many lanes would be at work for @light. A small
// kernel does not mind.
// CHECK-LABEL: func.func @other_registers(
// CHECK-NEXT:    mlc_loop.launch @light(
// CHECK-NEXT:    mlc_loop.view %y
// CHECK-NEXT:    mlc_loop.launch @heavy_and_small(
mlc_triton.kernel @light(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1024] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @heavy(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [64] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<16384xi32>
  %a = mlc_triton.load %x[%p * 16384 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<16384xi32>) -> tensor<16384xf32>
  mlc_triton.store %y[%p * 16384 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<16384xf32>, i32, tensor<16384xi32>)
}
mlc_triton.kernel @small(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<512xi32>
  %a = mlc_triton.load %x[%p * 512 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<512xi32>) -> tensor<512xf32>
  mlc_triton.store %y[%p * 512 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<512xf32>, i32, tensor<512xi32>)
}
func.func @other_registers(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %z: memref<1048576xf32>, %t: memref<512xf32>) {
  mlc_loop.launch @light(%x, %y) : memref<1048576xf32>, memref<1048576xf32>
  mlc_loop.launch @heavy(%x, %z) : memref<1048576xf32>, memref<1048576xf32>
  %v = mlc_loop.view %y offset ["0"] : memref<1048576xf32> -> memref<512xf32>
  mlc_loop.launch @small(%v, %t) : memref<512xf32>, memref<512xf32>
  func.return
}

// -----

// Few bytes may take long to compute with: @loops goes through its 6 numbers a million times, and keeps its warps.
// CHECK-LABEL: func.func @much_work(
// CHECK-NEXT:    mlc_loop.launch @loops(
// CHECK-NEXT:    mlc_loop.launch @wide(
mlc_triton.kernel @loops(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %z = mlc_triton.full 0.0 : f32 : f32
  %sum = "mlc_triton.for"(%z) <{extent = "1000000", step = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%p: i32, %acc: f32):
    %a = mlc_triton.load %x[%p mod 6] : (!mlc_triton.ptr<f32>, i32) -> f32
    %n = arith.addf %acc, %a : f32
    mlc_triton.yield %n : f32
  }) : (f32) -> f32
  mlc_triton.store %y[0] = %sum : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @wide(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @much_work(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>) {
  mlc_loop.launch @loops(%x, %y) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @wide(%x, %z) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// A sine wants registers for itself, which a copy beside it would have to leave free as well.
// CHECK-LABEL: func.func @takes_long(
// CHECK-NEXT:    mlc_loop.launch @copy(
// CHECK-NEXT:    mlc_loop.launch @sine_and_sine(
mlc_triton.kernel @copy(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1024] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @sine(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1024] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %s = math.sin %a : tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %s : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
func.func @takes_long(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %z: memref<1048576xf32>, %w: memref<1048576xf32>) {
  mlc_loop.launch @copy(%x, %y) : memref<1048576xf32>, memref<1048576xf32>
  mlc_loop.launch @sine(%x, %z) : memref<1048576xf32>, memref<1048576xf32>
  mlc_loop.launch @sine(%x, %w) : memref<1048576xf32>, memref<1048576xf32>
  func.return
}

// -----

// All counters are the same zeros, which two launches share one after the other; a kernel that does not count may join.
// CHECK-LABEL: func.func @counters(
// CHECK-NEXT:    %m = mlc_loop.counters
// CHECK-NEXT:    mlc_loop.launch @counts_and_plain(
// CHECK-NEXT:    %n = mlc_loop.counters
// CHECK-NEXT:    mlc_loop.launch @counts(
mlc_triton.kernel @counts(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>, %arrived: !mlc_triton.ptr<i32>) grid [3] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  "mlc_triton.last_block"(%arrived) <{count = 3 : i64, index = ["0"]}> ({
    %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
    mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
  }) : (!mlc_triton.ptr<i32>) -> ()
}
mlc_triton.kernel @plain(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @counters(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>, %w: memref<6xf32>) {
  %m = mlc_loop.counters : memref<1xi32>
  mlc_loop.launch @counts(%x, %y, %m) : memref<6xf32>, memref<6xf32>, memref<1xi32>
  %n = mlc_loop.counters : memref<1xi32>
  mlc_loop.launch @counts(%x, %z, %n) : memref<6xf32>, memref<6xf32>, memref<1xi32>
  mlc_loop.launch @plain(%x, %w) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// Atomics read and write: not beside what reads the sums, nor beside what has the zeros written.
// CHECK-LABEL: func.func @atomics(
// CHECK-NEXT:    mlc_loop.launch @plain_and_adds(%x, %y, %w)
// CHECK-NEXT:    mlc_loop.launch @adds(%x, %y)
// CHECK-NEXT:    mlc_loop.launch @plain(%y, %z)
mlc_triton.kernel @adds(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [3] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.atomic add %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @plain(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
func.func @atomics(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<6xf32>, %w: memref<6xf32>) {
  mlc_loop.launch @plain(%x, %y) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @adds(%x, %y) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @plain(%y, %z) : memref<6xf32>, memref<6xf32>
  mlc_loop.launch @adds(%x, %w) : memref<6xf32>, memref<6xf32>
  func.return
}

// -----

// No host program, no launches: a kernel is somebody's interface.
// CHECK-LABEL: mlc_triton.kernel @a(
// CHECK-LABEL: mlc_triton.kernel @b(
mlc_triton.kernel @a(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}
mlc_triton.kernel @b(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  mlc_triton.store %y[0] = %a : (!mlc_triton.ptr<f32>, f32)
}

// -----

// A kernel reads what it describes: another one, which writes it, does not share its launch.
// CHECK-LABEL: func.func @reads_what_it_describes(
// CHECK-NEXT:    mlc_loop.launch @described(%x, %y)
// CHECK-NEXT:    mlc_loop.launch @writes(%z, %x)
mlc_triton.kernel @described(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %m = mlc_triton.descriptor %x at 0 : !mlc_triton.ptr<f32>, 16 by 16 step 16 -> !mlc_triton.descriptor_of<tensor<16x16xf32>>
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.descriptor_load %m[%p, %p] : !mlc_triton.descriptor_of<tensor<16x16xf32>> -> tensor<16x16xf32>
  %b = mlc_triton.full 0.0 : f32 : tensor<16x16xf32>
  %d = mlc_triton.dot "ieee" %a, %a, %b : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %i = mlc_triton.arange : tensor<16x1xi32>
  %j = mlc_triton.arange : tensor<1x16xi32>
  mlc_triton.store %y[%i * 16 + %j] = %d : (!mlc_triton.ptr<f32>, tensor<16x16xf32>, tensor<16x1xi32>, tensor<1x16xi32>)
}
mlc_triton.kernel @writes(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %r = mlc_triton.arange : tensor<16xi32>
  %a = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<16xi32>) -> tensor<16xf32>
  mlc_triton.store %y[%r] = %a : (!mlc_triton.ptr<f32>, tensor<16xf32>, tensor<16xi32>)
}
func.func @reads_what_it_describes(%x: memref<256xf32>, %y: memref<256xf32>, %z: memref<16xf32>) {
  mlc_loop.launch @described(%x, %y) : memref<256xf32>, memref<256xf32>
  mlc_loop.launch @writes(%z, %x) : memref<16xf32>, memref<256xf32>
  func.return
}

// -----

// Joined, `back` and the second `front` would hold 16 MB at once, where each alone holds 8.
// CHECK-LABEL: func.func @holds_no_more_than_before(
// CHECK-NEXT:    %t = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @front(%x, %t)
// CHECK-NEXT:    %y = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @back(%t, %y)
// CHECK-NEXT:    mlc_loop.free %t
// CHECK-NEXT:    %u = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @front(%z, %u)
mlc_triton.kernel @front(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [2048] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
mlc_triton.kernel @back(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [2] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %a = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  mlc_triton.store %y[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}
func.func @holds_no_more_than_before(%x: memref<2097152xf32>, %z: memref<2097152xf32>) -> (memref<2048xf32>, memref<2048xf32>) {
  %t = mlc_loop.alloc : memref<2097152xf32>
  mlc_loop.launch @front(%x, %t) : memref<2097152xf32>, memref<2097152xf32>
  %y = mlc_loop.alloc : memref<2048xf32>
  mlc_loop.launch @back(%t, %y) : memref<2097152xf32>, memref<2048xf32>
  mlc_loop.free %t : memref<2097152xf32>
  %u = mlc_loop.alloc : memref<2097152xf32>
  mlc_loop.launch @front(%z, %u) : memref<2097152xf32>, memref<2097152xf32>
  %w = mlc_loop.alloc : memref<2048xf32>
  mlc_loop.launch @back(%u, %w) : memref<2097152xf32>, memref<2048xf32>
  mlc_loop.free %u : memref<2097152xf32>
  func.return %y, %w : memref<2048xf32>, memref<2048xf32>
}
// A few megabytes more are worth the launch.
// CHECK-LABEL: func.func @holds_a_little_more(
// CHECK:         %u = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @back_and_front(%t, %y, %z, %u)
func.func @holds_a_little_more(%x: memref<524288xf32>, %z: memref<524288xf32>) -> (memref<2048xf32>, memref<2048xf32>) {
  %t = mlc_loop.alloc : memref<524288xf32>
  mlc_loop.launch @front(%x, %t) : memref<524288xf32>, memref<524288xf32>
  %y = mlc_loop.alloc : memref<2048xf32>
  mlc_loop.launch @back(%t, %y) : memref<524288xf32>, memref<2048xf32>
  mlc_loop.free %t : memref<524288xf32>
  %u = mlc_loop.alloc : memref<524288xf32>
  mlc_loop.launch @front(%z, %u) : memref<524288xf32>, memref<524288xf32>
  %w = mlc_loop.alloc : memref<2048xf32>
  mlc_loop.launch @back(%u, %w) : memref<524288xf32>, memref<2048xf32>
  mlc_loop.free %u : memref<524288xf32>
  func.return %y, %w : memref<2048xf32>, memref<2048xf32>
}

// -----

// A multiprocessor runs as many programs at once as the kernel that wants the most registers asks for.
// CHECK-LABEL: mlc_triton.kernel @four_and_two(
// CHECK-SAME:    num_warps 4 resident 2 why
mlc_triton.kernel @four(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 resident 4 why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, f32, i32)
}
mlc_triton.kernel @two(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 resident 2 why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, f32, i32)
}
func.func @with_two(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %y = mlc_loop.alloc : memref<4xf32>
  mlc_loop.launch @four(%x, %y) : memref<4xf32>, memref<4xf32>
  %z = mlc_loop.alloc : memref<4xf32>
  mlc_loop.launch @two(%x, %z) : memref<4xf32>, memref<4xf32>
  func.return %y, %z : memref<4xf32>, memref<4xf32>
}

// -----

// CHECK-LABEL: mlc_triton.kernel @four_and_all(
// CHECK-SAME:    num_warps 4 uncapped why
mlc_triton.kernel @four(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 resident 4 why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, f32, i32)
}
mlc_triton.kernel @all(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 uncapped why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, f32, i32)
}
func.func @with_all(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %y = mlc_loop.alloc : memref<4xf32>
  mlc_loop.launch @four(%x, %y) : memref<4xf32>, memref<4xf32>
  %z = mlc_loop.alloc : memref<4xf32>
  mlc_loop.launch @all(%x, %z) : memref<4xf32>, memref<4xf32>
  func.return %y, %z : memref<4xf32>, memref<4xf32>
}

// -----

// One that does not say what it takes may take more than the others leave.
// CHECK-LABEL: mlc_triton.kernel @four_and_none(
// CHECK-SAME:    num_warps 4 why
mlc_triton.kernel @four(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 resident 4 why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, f32, i32)
}
mlc_triton.kernel @none(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>) grid [4] sizes [] num_warps 4 why "as it comes" {
  %p = mlc_triton.program_id 0 : i32
  %a = mlc_triton.load %x[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  mlc_triton.store %y[%p] = %a : (!mlc_triton.ptr<f32>, f32, i32)
}
func.func @with_none(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %y = mlc_loop.alloc : memref<4xf32>
  mlc_loop.launch @four(%x, %y) : memref<4xf32>, memref<4xf32>
  %z = mlc_loop.alloc : memref<4xf32>
  mlc_loop.launch @none(%x, %z) : memref<4xf32>, memref<4xf32>
  func.return %y, %z : memref<4xf32>, memref<4xf32>
}
