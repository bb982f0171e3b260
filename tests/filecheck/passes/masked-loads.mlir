// RUN: mlc-opt %s -p masked-loads,dce | filecheck %s

// What the select would give the lanes beyond the mask comes with the load; 0 does so anyway.
// CHECK-LABEL: mlc_triton.kernel @loads(
// CHECK:         %a = mlc_triton.load %x[%r] mask %m other 0xff80 : bf16 : (
// CHECK-NEXT:    %w = mlc_triton.cast %a
// CHECK-NEXT:    mlc_triton.reduce "max" %w
// CHECK:         %b = mlc_triton.load %y[%r] mask %m : (
// CHECK-NEXT:    mlc_triton.reduce "add" %b
// CHECK-NOT:     mlc_triton.where
mlc_triton.kernel @loads(%x: !mlc_triton.ptr<bf16>, %y: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<64xi32>
  %m = mlc_triton.mask %r < 50 : (tensor<64xi32>) -> tensor<64xi1>
  %least = mlc_triton.full 0xff800000 : f32 : tensor<64xf32>
  %zero = mlc_triton.full 0.0 : f32 : tensor<64xf32>
  %a = mlc_triton.load %x[%r] mask %m : (!mlc_triton.ptr<bf16>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xbf16>
  %w = mlc_triton.cast %a : tensor<64xbf16> -> tensor<64xf32>
  %s = mlc_triton.where %m, %w, %least : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  %max = mlc_triton.reduce "max" %s : (tensor<64xf32>) -> f32
  mlc_triton.store %out[0] = %max : (!mlc_triton.ptr<f32>, f32)
  %b = mlc_triton.load %y[%r] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
  %t = mlc_triton.where %m, %b, %zero : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  %sum = mlc_triton.reduce "add" %t : (tensor<64xf32>) -> f32
  mlc_triton.store %out[1] = %sum : (!mlc_triton.ptr<f32>, f32)
}

// Another mask; a load that something else reads too; a number that a cast may round; -0.0.
// CHECK-LABEL: mlc_triton.kernel @selects(
// CHECK-NOT:     other
// CHECK-COUNT-4: mlc_triton.where
mlc_triton.kernel @selects(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<64xi32>
  %m = mlc_triton.mask %r < 50 : (tensor<64xi32>) -> tensor<64xi1>
  %n = mlc_triton.mask %r < 40 : (tensor<64xi32>) -> tensor<64xi1>
  %least = mlc_triton.full 0xff800000 : f32 : tensor<64xf32>
  %tenth = mlc_triton.full 0.1 : f32 : tensor<64xf32>
  %minus = mlc_triton.full -0.0 : f32 : tensor<64xf32>
  %a = mlc_triton.load %x[%r] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
  %s = mlc_triton.where %n, %a, %least : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  mlc_triton.store %out[%r] = %s : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
  %b = mlc_triton.load %x[%r + 64] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
  %t = mlc_triton.where %m, %b, %least : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  %both = arith.addf %b, %t : tensor<64xf32>
  mlc_triton.store %out[%r + 64] = %both : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
  %c = mlc_triton.load %x[%r + 128] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
  %u = mlc_triton.where %m, %c, %tenth : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  mlc_triton.store %out[%r + 128] = %u : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
  %d = mlc_triton.load %x[%r + 192] mask %m : (!mlc_triton.ptr<f32>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xf32>
  %v = mlc_triton.where %m, %d, %minus : tensor<64xi1>, tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
  mlc_triton.store %out[%r + 192] = %v : (!mlc_triton.ptr<f32>, tensor<64xf32>, tensor<64xi32>)
}
