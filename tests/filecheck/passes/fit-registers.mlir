// RUN: mlc-opt %s -p 'fit-registers{most=64 beside_long=32 many=2}' | filecheck %s

// 64 x 4 bytes of each of three blocks at once for 32 lanes: 24 bytes a lane fit; a loop keeps what it reads every time.
// CHECK-LABEL: mlc_triton.kernel @fits(
// CHECK-SAME:    num_warps 1
mlc_triton.kernel @fits(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<64xi32>
  %a = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  %b = mlc_triton.load %x[%r + 64] : (!mlc_triton.ptr<f32>, tensor<64xi32>) -> tensor<64xf32>
  %c = arith.addf %a, %b : tensor<64xf32>
  mlc_triton.store %out[%r] = %c : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}

// 512 x 4 bytes of two blocks at once: 128 bytes a lane of one warp, 64 of two.
// CHECK-LABEL: mlc_triton.kernel @grows(
// CHECK-SAME:    num_warps 2
mlc_triton.kernel @grows(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<512xi32>
  %a = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<512xi32>) -> tensor<512xf32>
  %c = arith.negf %a : tensor<512xf32>
  mlc_triton.store %out[%r] = %c : (!mlc_triton.ptr<f32>, tensor<512xf32>, tensor<512xi32>)
}

// The same with two sines, which want registers for themselves.
// CHECK-LABEL: mlc_triton.kernel @takes_long(
// CHECK-SAME:    num_warps 4
mlc_triton.kernel @takes_long(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<512xi32>
  %a = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<512xi32>) -> tensor<512xf32>
  %c = math.sin %a : tensor<512xf32>
  %d = math.sin %c : tensor<512xf32>
  mlc_triton.store %out[%r] = %d : (!mlc_triton.ptr<f32>, tensor<512xf32>, tensor<512xi32>)
}

// What a loop reads stays alive until its end, beside what it carries and loads.
// CHECK-LABEL: mlc_triton.kernel @loop(
// CHECK-SAME:    num_warps 4
mlc_triton.kernel @loop(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<512xi32>
  %t = mlc_triton.full 0.0 : f32 : tensor<512xf32>
  %w = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<512xi32>) -> tensor<512xf32>
  %sum = "mlc_triton.for"(%t) <{extent = "8", step = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
  ^bb0(%p: i32, %acc: tensor<512xf32>):
    %a = mlc_triton.load %x[%p * 512 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<512xi32>) -> tensor<512xf32>
    %m = arith.mulf %a, %w : tensor<512xf32>
    %n = arith.addf %acc, %m : tensor<512xf32>
    mlc_triton.yield %n : tensor<512xf32>
  }) : (tensor<512xf32>) -> tensor<512xf32>
  mlc_triton.store %out[%r] = %sum : (!mlc_triton.ptr<f32>, tensor<512xf32>, tensor<512xi32>)
}

// Single numbers do not count.
// CHECK-LABEL: mlc_triton.kernel @numbers(
// CHECK-SAME:    num_warps 1
mlc_triton.kernel @numbers(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %a = mlc_triton.load %x[0] : (!mlc_triton.ptr<f32>) -> f32
  %c = math.sin %a : f32
  mlc_triton.store %out[0] = %c : (!mlc_triton.ptr<f32>, f32)
}

// One sine of 512 elements beside what else is held: at sixteen elements a lane there are too many bytes, at eight it stays.
// CHECK-LABEL: mlc_triton.kernel @one_takes_long(
// CHECK-SAME:    num_warps 2
mlc_triton.kernel @one_takes_long(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<512xi32>
  %a = mlc_triton.load %x[%r] : (!mlc_triton.ptr<f32>, tensor<512xi32>) -> tensor<512xf32>
  %c = math.sin %a : tensor<512xf32>
  mlc_triton.store %out[%r] = %c : (!mlc_triton.ptr<f32>, tensor<512xf32>, tensor<512xi32>)
}
