// RUN: mlc-opt %s -p split-loops,dce | filecheck %s

// A loop that is marked asks for the rows of its next round before it works on those of this one. No round is behind the
// last: nothing is read there. %s is loaded where data says, %w before the loop: both stay.
// CHECK-LABEL: mlc_triton.kernel @rows(
// CHECK:         %[[SOME:.*]] = mlc_triton.mask %first < 4096 : (i32) -> i1
// CHECK-NEXT:    %[[AT:.*]] = mlc_triton.index [%first + %lanes] : (i32, tensor<8x1xi32>) -> tensor<8x1xi32>
// CHECK-NEXT:    %[[ROWS:.*]] = mlc_triton.broadcast %[[SOME]] : i1 -> tensor<1x128xi1>
// CHECK-NEXT:    %[[BOTH:.*]] = arith.andi %[[ROWS]], %mask : tensor<1x128xi1>
// CHECK-NEXT:    %[[X:.*]] = mlc_triton.load %x[%[[AT]] * 96 + %c] mask %[[BOTH]] evict "first"
// CHECK-NEXT:    %[[K:.*]] = mlc_triton.load %k[%[[AT]]] mask %[[SOME]]
// CHECK-NEXT:    %{{.*}}, %{{.*}}, %{{.*}} = "mlc_triton.for"(%zeros, %[[X]], %[[K]], %first) <{extent = "4096", step = 528 : i64
// CHECK-SAME:    ({
// CHECK-NEXT:    ^{{.*}}(%p: i32, %sum: tensor<8x128xf32>, %[[X1:.*]]: tensor<8x128xf32>, %[[K1:.*]]: tensor<8x1xi32>):
// CHECK-NEXT:      %next = mlc_triton.index [%p + 528] : (i32) -> i32
// CHECK-NEXT:      %[[MORE:.*]] = mlc_triton.mask %next < 4096 : (i32) -> i1
// CHECK-NEXT:      %[[THEN:.*]] = mlc_triton.index [%next + %lanes]
// CHECK:           %[[X2:.*]] = mlc_triton.load %x[%[[THEN]] * 96 + %c] mask %{{.*}} evict "first"
// CHECK-NEXT:      %[[K2:.*]] = mlc_triton.load %k[%[[THEN]]] mask %[[MORE]]
// CHECK-NEXT:      mlc_triton.index [%p + %lanes]
// CHECK-NEXT:      mlc_triton.load %s[%[[K1]]]
// CHECK:           arith.mulf %[[X1]],
// CHECK:           mlc_triton.store %o
// CHECK:           mlc_triton.yield %{{.*}}, %[[X2]], %[[K2]]
mlc_triton.kernel @rows(%x: !mlc_triton.ptr<f32>, %k: !mlc_triton.ptr<i32>, %s: !mlc_triton.ptr<f32>, %o: !mlc_triton.ptr<f32>, %t: !mlc_triton.ptr<f32>) grid [66] sizes [] num_warps 4 {
  %i = mlc_triton.program_id 0 : i32
  %first = mlc_triton.index [%i * 8] : (i32) -> i32
  %lanes = mlc_triton.arange : tensor<8x1xi32>
  %c = mlc_triton.arange : tensor<1x128xi32>
  %mask = mlc_triton.mask %c < 96 : (tensor<1x128xi32>) -> tensor<1x128xi1>
  %every = mlc_triton.broadcast %mask : tensor<1x128xi1> -> tensor<8x128xi1>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<8x128xf32>
  %w = mlc_triton.load %s[%c] mask %mask : (!mlc_triton.ptr<f32>, tensor<1x128xi32>, tensor<1x128xi1>) -> tensor<1x128xf32>
  %w_1 = mlc_triton.broadcast %w : tensor<1x128xf32> -> tensor<8x128xf32>
  %all = "mlc_triton.for"(%zeros, %first) <{extent = "4096", step = 528 : i64, prefetched, operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%p: i32, %sum: tensor<8x128xf32>):
    %q = mlc_triton.index [%p + %lanes] : (i32, tensor<8x1xi32>) -> tensor<8x1xi32>
    %a = mlc_triton.load %x[%q * 96 + %c] mask %mask evict "first" : (!mlc_triton.ptr<f32>, tensor<8x1xi32>, tensor<1x128xi32>, tensor<1x128xi1>) -> tensor<8x128xf32>
    %b = mlc_triton.load %k[%q] : (!mlc_triton.ptr<i32>, tensor<8x1xi32>) -> tensor<8x1xi32>
    %d = mlc_triton.load %s[%b] : (!mlc_triton.ptr<f32>, tensor<8x1xi32>) -> tensor<8x1xf32>
    %e = mlc_triton.broadcast %d : tensor<8x1xf32> -> tensor<8x128xf32>
    %f = arith.mulf %a, %e : tensor<8x128xf32>
    %g = arith.mulf %f, %w_1 : tensor<8x128xf32>
    mlc_triton.store %o[%q * 96 + %c] = %g mask %every : (!mlc_triton.ptr<f32>, tensor<8x128xf32>, tensor<8x1xi32>, tensor<1x128xi32>, tensor<8x128xi1>)
    %h = arith.addf %sum, %a : tensor<8x128xf32>
    mlc_triton.yield %h : tensor<8x128xf32>
  }) : (tensor<8x128xf32>, i32) -> tensor<8x128xf32>
  %j = mlc_triton.reduce "add" axis 0 : i64 %all : (tensor<8x128xf32>) -> tensor<1x128xf32>
  mlc_triton.store %t[%i * 96 + %c] = %j mask %mask : (!mlc_triton.ptr<f32>, tensor<1x128xf32>, i32, tensor<1x128xi32>, tensor<1x128xi1>)
}

// A counted loop has a first round: its loads need no condition. One that loads nothing stays.
// CHECK-LABEL: mlc_triton.kernel @counted(
// CHECK:         %[[ZERO:.*]] = mlc_triton.full 0 : i32 : i32
// CHECK-NEXT:    %[[FIRST:.*]] = mlc_triton.load %x[%[[ZERO]] * 128 + %c] : (!mlc_triton.ptr<f32>, i32, tensor<128xi32>) -> tensor<128xf32>
// CHECK-NEXT:    "mlc_triton.for"(%[[FIRST]]) <{extent = "8", step = 1 : i64
// CHECK:           mlc_triton.mask %next < 8 : (i32) -> i1
// CHECK:         "mlc_triton.for"() <{extent = "8", step = 1 : i64
// CHECK-NEXT:    ^{{.*}}(%turn_1: i32):
// CHECK-NEXT:      mlc_triton.store
mlc_triton.kernel @counted(%x: !mlc_triton.ptr<f32>, %o: !mlc_triton.ptr<f32>, %u: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 4 {
  %c = mlc_triton.arange : tensor<128xi32>
  %one = mlc_triton.full 1.0 : f32 : tensor<128xf32>
  "mlc_triton.for"() <{extent = "8", step = 1 : i64, prefetched, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%turn: i32):
    %a = mlc_triton.load %x[%turn * 128 + %c] : (!mlc_triton.ptr<f32>, i32, tensor<128xi32>) -> tensor<128xf32>
    mlc_triton.store %o[%turn * 128 + %c] = %a : (!mlc_triton.ptr<f32>, tensor<128xf32>, i32, tensor<128xi32>)
    mlc_triton.yield
  }) : () -> ()
  "mlc_triton.for"() <{extent = "8", step = 1 : i64, prefetched, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0(%turn_1: i32):
    mlc_triton.store %u[%turn_1 * 128 + %c] = %one : (!mlc_triton.ptr<f32>, tensor<128xf32>, i32, tensor<128xi32>)
    mlc_triton.yield
  }) : () -> ()
}

// The step that is not whole stays behind the others, which alone load ahead; the first is known to be run.
// CHECK-LABEL: mlc_triton.kernel @columns(
// CHECK:         %[[START:.*]] = mlc_triton.full 0 : i32 : i32
// CHECK:         mlc_triton.load %x[{{.*}}] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
// CHECK-NEXT:    "mlc_triton.for"(%zeros, %{{.*}}, %{{.*}}, %[[START]])
// CHECK:           %[[MORE:.*]] = mlc_triton.mask %next < %{{.*}} : (i32, i32) -> i1
// CHECK:           mlc_triton.load %x[{{.*}}] mask %[[MORE]]
// CHECK:           mlc_triton.store %y[{{.*}}] = %{{[^ ]*}} : (
// CHECK:         "mlc_triton.for"
// CHECK:           mlc_triton.load %x[{{.*}}] mask %mask
// CHECK:           mlc_triton.store %y[{{.*}}] = %{{[^ ]*}} mask %mask
mlc_triton.kernel @columns(%x: !mlc_triton.ptr<f32>, %y: !mlc_triton.ptr<f32>, %o: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %lanes = mlc_triton.arange : tensor<64xi32>
  %zeros = mlc_triton.full 0.0 : f32 : tensor<64xf32>
  %all = "mlc_triton.for"(%zeros) <{extent = "1000", step = 64 : i64, prefetched, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%r: i32, %sum: tensor<64xf32>):
    %q = mlc_triton.index [%r + %lanes] : (i32, tensor<64xi32>) -> tensor<64xi32>
    %mask = mlc_triton.mask %q < 1000 : (tensor<64xi32>) -> tensor<64xi1>
    %a = mlc_triton.load %x[%q] mask %mask : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
    mlc_triton.store %y[%q] = %a mask %mask : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>, tensor<64xi1>)
    %h = arith.addf %sum, %a : tensor<64xf32>
    mlc_triton.yield %h : tensor<64xf32>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  mlc_triton.store %o[%lanes] = %all : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}
