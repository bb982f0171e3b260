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

// A part of the load's mask, beyond all of which it gives what the select does: whatever else reads it.
// CHECK-LABEL: mlc_triton.kernel @parts(
// CHECK-NOT:     mlc_triton.where
// CHECK:         mlc_triton.store %out[%p + %r] = %a
// CHECK-NOT:     mlc_triton.where
// CHECK:         mlc_triton.store %out[%p + %r + 99] = %b
mlc_triton.kernel @parts(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>, %n: i32, %o: i32) grid [1] sizes ["N", "O"] num_warps 1 {
  %p = mlc_triton.arange : tensor<16x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %zero = mlc_triton.full 0.0 : f32 : tensor<16x64xf32>
  %m = mlc_triton.mask %p < 10, %r < 50 : (tensor<16x1xi32>, tensor<1x64xi32>) -> tensor<16x64xi1>
  %h = mlc_triton.mask %r < 50 : (tensor<1x64xi32>) -> tensor<1x64xi1>
  %hb = mlc_triton.broadcast %h : tensor<1x64xi1> -> tensor<16x64xi1>
  %a = mlc_triton.load %x[%p + %r] mask %m : (!mlc_triton.ptr<f32>, tensor<16x1xi32>, tensor<1x64xi32>, tensor<16x64xi1>) -> tensor<16x64xf32>
  %s = mlc_triton.where %hb, %a, %zero : tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  mlc_triton.store %out[%p + %r] = %s : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
  %d = mlc_triton.mask %p < %n, %r < %o : (tensor<16x1xi32>, tensor<1x64xi32>, i32, i32) -> tensor<16x64xi1>
  %g = mlc_triton.cmp "lt" %zero, %a : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xi1>
  %dg = arith.andi %d, %g : tensor<16x64xi1>
  %k = mlc_triton.mask %r < %o : (tensor<1x64xi32>, i32) -> tensor<1x64xi1>
  %kb = mlc_triton.broadcast %k : tensor<1x64xi1> -> tensor<16x64xi1>
  %b = mlc_triton.load %x[%p + %r + 99] mask %dg : (!mlc_triton.ptr<f32>, tensor<16x1xi32>, tensor<1x64xi32>, tensor<16x64xi1>) -> tensor<16x64xf32>
  %t = mlc_triton.where %kb, %b, %zero : tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  mlc_triton.store %out[%p + %r + 99] = %t : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
}

// Of a part, not what the load gives; another bound; a bound of another name; more than the mask.
// CHECK-LABEL: mlc_triton.kernel @other_parts(
// CHECK-NOT:     other
// CHECK-COUNT-4: mlc_triton.where
mlc_triton.kernel @other_parts(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>, %n: i32, %o: i32) grid [1] sizes ["N", "O"] num_warps 1 {
  %p = mlc_triton.arange : tensor<16x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %zero = mlc_triton.full 0.0 : f32 : tensor<16x64xf32>
  %least = mlc_triton.full 0xff800000 : f32 : tensor<16x64xf32>
  %m = mlc_triton.mask %p < %n, %r < %o : (tensor<16x1xi32>, tensor<1x64xi32>, i32, i32) -> tensor<16x64xi1>
  %a = mlc_triton.load %x[%p + %r] mask %m : (!mlc_triton.ptr<f32>, tensor<16x1xi32>, tensor<1x64xi32>, tensor<16x64xi1>) -> tensor<16x64xf32>
  %h = mlc_triton.mask %r < %o : (tensor<1x64xi32>, i32) -> tensor<1x64xi1>
  %hb = mlc_triton.broadcast %h : tensor<1x64xi1> -> tensor<16x64xi1>
  %s = mlc_triton.where %hb, %a, %least : tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  mlc_triton.store %out[%p + %r] = %s : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
  %i = mlc_triton.mask %r < 40 : (tensor<1x64xi32>) -> tensor<1x64xi1>
  %ib = mlc_triton.broadcast %i : tensor<1x64xi1> -> tensor<16x64xi1>
  %t = mlc_triton.where %ib, %a, %zero : tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  mlc_triton.store %out[%p + %r] = %t : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
  %j = mlc_triton.mask %r < %n : (tensor<1x64xi32>, i32) -> tensor<1x64xi1>
  %jb = mlc_triton.broadcast %j : tensor<1x64xi1> -> tensor<16x64xi1>
  %u = mlc_triton.where %jb, %a, %zero : tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  mlc_triton.store %out[%p + %r] = %u : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
  %b = mlc_triton.load %x[%p + %r + 99] mask %hb : (!mlc_triton.ptr<f32>, tensor<16x1xi32>, tensor<1x64xi32>, tensor<16x64xi1>) -> tensor<16x64xf32>
  %v = mlc_triton.where %m, %b, %zero : tensor<16x64xi1>, tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  mlc_triton.store %out[%p + %r] = %v : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
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

// Of one number for all lanes, as padding has it.
// CHECK-LABEL: mlc_triton.kernel @padding(
// CHECK:         mlc_triton.load %x[%r] mask %m other 0xff80 : bf16 : (
// CHECK-NOT:     mlc_triton.where
mlc_triton.kernel @padding(%x: !mlc_triton.ptr<bf16>, %out: !mlc_triton.ptr<bf16>) grid [1] sizes [] num_warps 1 {
  %r = mlc_triton.arange : tensor<64xi32>
  %m = mlc_triton.mask %r < 50 : (tensor<64xi32>) -> tensor<64xi1>
  %least = mlc_triton.full 0xff80 : bf16 : bf16
  %block = mlc_triton.broadcast %least : bf16 -> tensor<64xbf16>
  %a = mlc_triton.load %x[%r] mask %m : (!mlc_triton.ptr<bf16>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xbf16>
  %s = mlc_triton.where %m, %a, %block : tensor<64xi1>, tensor<64xbf16>, tensor<64xbf16> -> tensor<64xbf16>
  mlc_triton.store %out[%r] = %s : (!mlc_triton.ptr<bf16>, tensor<64xbf16>, tensor<64xi32>)
}
