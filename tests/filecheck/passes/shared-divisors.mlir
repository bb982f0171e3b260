// RUN: mlc-opt %s -p shared-divisors | filecheck %s

// Of any divisor: scaled out of the reach of what is too small or too large, to the other sign than its own. One
// reciprocal, and five steps for every element.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_of_rows(
// CHECK:         %d = mlc_triton.load %s[%p]
// CHECK:         %[[SIZE:.*]] = math.absf %d : f32
// CHECK:         %[[SMALL:.*]] = mlc_triton.cmp "lt" %[[SIZE]], %{{.*}} : f32, f32 -> i1
// CHECK:         %[[POWER:.*]] = mlc_triton.where %[[SMALL]], %{{.*}}, %{{.*}} : i1, f32, f32 -> f32
// CHECK-NEXT:    %[[SAME:.*]] = math.copysign %[[POWER]], %d : f32
// CHECK-NEXT:    %[[C:.*]] = arith.negf %[[SAME]] : f32
// CHECK-NEXT:    %[[CB:.*]] = mlc_triton.broadcast %[[C]] : f32 -> tensor<1024xf32>
// CHECK-NEXT:    %[[Y:.*]] = arith.mulf %v, %[[CB]] : tensor<1024xf32>
// CHECK-NEXT:    %[[ONE:.*]] = mlc_triton.full 1.000000e+00 : f32 : f32
// CHECK-NEXT:    %[[T:.*]] = arith.mulf %d, %[[C]] : f32
// CHECK-NEXT:    %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[T]] : f32
// CHECK-NEXT:    %[[R:.*]] = mlc_triton.broadcast %[[INVERSE]] : f32 -> tensor<1024xf32>
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[Y]], %[[R]] : tensor<1024xf32>
// CHECK-NEXT:    %[[POSITIVE:.*]] = math.absf %[[T]] : f32
// CHECK-NEXT:    %[[TB:.*]] = mlc_triton.broadcast %[[POSITIVE]] : f32 -> tensor<1024xf32>
// CHECK-NEXT:    %[[E:.*]] = math.fma %[[P]], %[[TB]], %[[Y]] : tensor<1024xf32>
// CHECK:         %[[KNOWN:.*]] = mlc_triton.cmp "lt" %{{.*}}, %{{.*}} : tensor<1024xf32>, tensor<1024xf32> -> tensor<1024xi1>
// CHECK-NEXT:    %[[NEAR:.*]] = math.fma %[[E]], %[[R]], %[[P]] : tensor<1024xf32>
// CHECK-NEXT:    %[[Q:.*]] = mlc_triton.where %[[KNOWN]], %[[NEAR]], %[[P]]
// CHECK-NEXT:    math.roundeven %[[Q]] : tensor<1024xf32>
mlc_triton.kernel @whole_quotient_of_rows(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>)
}

// Of a divisor that is known to be positive, and neither small nor large, nothing is scaled.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_of_known_rows(
// CHECK:         %d = arith.divf %l, %c : f32
// CHECK-NOT:     math.copysign
// CHECK:         %[[Y:.*]] = arith.negf %v : tensor<1024xf32>
// CHECK:         %[[T:.*]] = arith.negf %d : f32
// CHECK-NEXT:    %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[T]] : f32
// CHECK-NOT:     arith.divf
mlc_triton.kernel @whole_quotient_of_known_rows(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %m = mlc_triton.reduce "max" %v : (tensor<1024xf32>) -> f32
  %least = mlc_triton.full 1.000000e-06 : f32 : f32
  %l = arith.maximumf %m, %least : f32
  %c = mlc_triton.full 1.270000e+02 : f32 : f32
  %d = arith.divf %l, %c : f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>)
}

// None of the row overflows if its divisor is made of the greatest: nothing is selected but what stands for infinity.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_of_covered_rows(
// CHECK:         %[[Y:.*]] = arith.negf %v : tensor<1024xf32>
// CHECK:         %[[T:.*]] = arith.negf %d : f32
// CHECK-NEXT:    %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[T]] : f32
// CHECK:         %[[POSITIVE:.*]] = math.absf %[[T]] : f32
// CHECK:         %[[NUMBER:.*]] = mlc_triton.cmp "lt" %[[POSITIVE]], %{{.*}} : f32, f32 -> i1
// CHECK:         %[[SIZE:.*]] = mlc_triton.where %[[NUMBER]], %[[POSITIVE]], %{{.*}} : i1, f32, f32 -> f32
// CHECK:         %[[E:.*]] = math.fma %{{.*}}, %{{.*}}, %[[Y]] : tensor<1024xf32>
// CHECK-NEXT:    %[[Q:.*]] = math.fma %[[E]], %{{.*}}, %{{.*}} : tensor<1024xf32>
// CHECK-NEXT:    math.roundeven %[[Q]] : tensor<1024xf32>
mlc_triton.kernel @whole_quotient_of_covered_rows(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %k = mlc_triton.mask %r < 1000 : (tensor<1024xi32>) -> tensor<1024xi1>
  %h = mlc_triton.load %x[%p * 1000 + %r] mask %k : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>, tensor<1024xi1>) -> tensor<1024xf32>
  %w = mlc_triton.load %s[%r] : (!mlc_triton.ptr<f32>, tensor<1024xi32>) -> tensor<1024xf32>
  %v = arith.mulf %w, %h : tensor<1024xf32>
  %a = math.absf %v : tensor<1024xf32>
  %none = mlc_triton.full 0xff800000 : f32 : tensor<1024xf32>
  %in = mlc_triton.where %k, %a, %none : tensor<1024xi1>, tensor<1024xf32>, tensor<1024xf32> -> tensor<1024xf32>
  %m = mlc_triton.reduce "max" %in : (tensor<1024xf32>) -> f32
  %least = mlc_triton.full 1.000000e-06 : f32 : f32
  %l = arith.maximumf %m, %least : f32
  %c = mlc_triton.full 1.270000e+02 : f32 : f32
  %d = arith.divf %l, %c : f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1000 + %r] = %i mask %k : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>, tensor<1024xi1>)
}

// Beyond the mask are numbers of any size; the greatest is that of something else; and nothing keeps it above 0.
// CHECK-LABEL: mlc_triton.kernel @whole_quotients_of_rows_not_covered(
// CHECK-COUNT-4: mlc_triton.where %{{.*}} : tensor<1024xi1>
mlc_triton.kernel @whole_quotients_of_rows_not_covered(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %k = mlc_triton.mask %r < 1000 : (tensor<1024xi32>) -> tensor<1024xi1>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %a = math.absf %v : tensor<1024xf32>
  %zero = mlc_triton.full 0.0 : f32 : tensor<1024xf32>
  %in = mlc_triton.where %k, %a, %zero : tensor<1024xi1>, tensor<1024xf32>, tensor<1024xf32> -> tensor<1024xf32>
  %m = mlc_triton.reduce "max" %in : (tensor<1024xf32>) -> f32
  %least = mlc_triton.full 1.000000e-06 : f32 : f32
  %l = arith.maximumf %m, %least : f32
  %lb = mlc_triton.broadcast %l : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %lb : tensor<1024xf32>
  %i = mlc_triton.cast %q : tensor<1024xf32> -> tensor<1024xi32>
  mlc_triton.store %out[%p * 2048 + %r] = %i : (!mlc_triton.ptr<i32>, tensor<1024xi32>, i32, tensor<1024xi32>)
  %o = mlc_triton.reduce "max" %v : (tensor<1024xf32>) -> f32
  %ol = arith.maximumf %o, %least : f32
  %ob = mlc_triton.broadcast %ol : f32 -> tensor<1024xf32>
  %oq = arith.divf %v, %ob : tensor<1024xf32>
  %oi = mlc_triton.cast %oq : tensor<1024xf32> -> tensor<1024xi32>
  mlc_triton.store %out[%p * 2048 + %r] = %oi : (!mlc_triton.ptr<i32>, tensor<1024xi32>, i32, tensor<1024xi32>)
  %e = mlc_triton.reduce "max" %a : (tensor<1024xf32>) -> f32
  %eb = mlc_triton.broadcast %e : f32 -> tensor<1024xf32>
  %eq = arith.divf %v, %eb : tensor<1024xf32>
  %ei = mlc_triton.cast %eq : tensor<1024xf32> -> tensor<1024xi32>
  mlc_triton.store %out[%p * 2048 + %r + 1024] = %ei : (!mlc_triton.ptr<i32>, tensor<1024xi32>, i32, tensor<1024xi32>)
}

// By a constant, truncated.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_of_constant(
// CHECK-NOT:     math.copysign
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.divf
mlc_triton.kernel @whole_quotient_of_constant(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.full 1.000000e-01 : f32 : f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %i = mlc_triton.cast %q : tensor<1024xf32> -> tensor<1024xi32>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i32>, tensor<1024xi32>, i32, tensor<1024xi32>)
}

// Between a least and a greatest number, a rounded quotient is what it would be: whatever reads it.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_between_numbers(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.divf
// CHECK:         math.roundeven
// CHECK:         arith.mulf %b, %db
mlc_triton.kernel @whole_quotient_between_numbers(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %lo = mlc_triton.full -128.0 : f32 : tensor<1024xf32>
  %hi = mlc_triton.full 127.0 : f32 : tensor<1024xf32>
  %a = arith.maximumf %n, %lo : tensor<1024xf32>
  %b = arith.minimumf %a, %hi : tensor<1024xf32>
  %f = arith.mulf %b, %db : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %f : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// Also where it is rounded last, or moved by an integer on its way.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_with_zero_point(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.divf
// CHECK:         arith.addf %n, %zb
mlc_triton.kernel @whole_quotient_with_zero_point(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %w = mlc_triton.cast %p : i32 -> f32
  %zb = mlc_triton.broadcast %w : f32 -> tensor<1024xf32>
  %z = arith.addf %n, %zb : tensor<1024xf32>
  %lo = mlc_triton.full -128.0 : f32 : tensor<1024xf32>
  %hi = mlc_triton.full 127.0 : f32 : tensor<1024xf32>
  %a = arith.maximumf %z, %lo : tensor<1024xf32>
  %b = arith.minimumf %a, %hi : tensor<1024xf32>
  %i = mlc_triton.cast %b : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>)
}

// CHECK-LABEL: mlc_triton.kernel @whole_quotient_rounded_last(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.divf
// CHECK:         math.roundeven
mlc_triton.kernel @whole_quotient_rounded_last(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %lo = mlc_triton.full -128.0 : f32 : tensor<1024xf32>
  %hi = mlc_triton.full 127.0 : f32 : tensor<1024xf32>
  %a = arith.maximumf %q, %lo : tensor<1024xf32>
  %b = arith.minimumf %a, %hi : tensor<1024xf32>
  %n = math.roundeven %b : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %n : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// Half, added, leaves no trace of numbers far below: it rounds as well.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_and_a_half(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.divf
// CHECK:         math.floor
mlc_triton.kernel @whole_quotient_and_a_half(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %h = mlc_triton.full 0.5 : f32 : tensor<1024xf32>
  %a = arith.addf %q, %h : tensor<1024xf32>
  %n = math.floor %a : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>)
}

// Multiplied, and rounded to bfloat16 in between: what is small stays so.
// CHECK-LABEL: mlc_triton.kernel @whole_quotient_multiplied(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK-NOT:     arith.divf
// CHECK:         mlc_triton.cast %{{.*}} : tensor<1024xf32> -> tensor<1024xbf16>
mlc_triton.kernel @whole_quotient_multiplied(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %f = mlc_triton.full 127.0 : f32 : tensor<1024xf32>
  %h = mlc_triton.cast %q : tensor<1024xf32> -> tensor<1024xbf16>
  %w = mlc_triton.cast %h : tensor<1024xbf16> -> tensor<1024xf32>
  %m = arith.mulf %w, %f : tensor<1024xf32>
  %n = math.trunc %m : tensor<1024xf32>
  %lo = mlc_triton.full -128.0 : f32 : tensor<1024xf32>
  %hi = mlc_triton.full 127.0 : f32 : tensor<1024xf32>
  %a = arith.maximumf %n, %lo : tensor<1024xf32>
  %b = arith.minimumf %a, %hi : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %b : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// A quotient that is stored as it is.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_of_rows(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_of_rows(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %q : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// Rounded, and stored without bounds: the greatest number is not infinity.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_that_has_no_bounds(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_that_has_no_bounds(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %n : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// The same with one bound.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_that_has_one_bound(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_that_has_one_bound(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %lo = mlc_triton.full -128.0 : f32 : tensor<1024xf32>
  %a = arith.maximumf %n, %lo : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// A bound that is no number may be infinite.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_of_unknown_bounds(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_of_unknown_bounds(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %a = arith.maximumf %n, %v : tensor<1024xf32>
  %b = arith.minimumf %a, %v : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %b : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// The least numbers move what is as small before it is rounded.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_of_sums_before_rounding(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_of_sums_before_rounding(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %h = mlc_triton.full 1.000000e-03 : f32 : tensor<1024xf32>
  %a = arith.addf %q, %h : tensor<1024xf32>
  %n = math.roundeven %a : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>)
}

// Rounded down, the least negative number is -1.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_of_floors(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_of_floors(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.floor %q : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>)
}

// Subtracted from a number, it has met a bound on its other side.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_that_is_turned_around(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_that_is_turned_around(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %lo = mlc_triton.full -128.0 : f32 : tensor<1024xf32>
  %a = arith.maximumf %n, %lo : tensor<1024xf32>
  %z = arith.subf %lo, %a : tensor<1024xf32>
  %b = arith.minimumf %z, %lo : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %b : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// Made large, what was small shows.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_that_is_made_large(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_that_is_made_large(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %f = mlc_triton.full 1.000000e+20 : f32 : tensor<1024xf32>
  %m = arith.mulf %q, %f : tensor<1024xf32>
  %n = math.roundeven %m : tensor<1024xf32>
  %lo = mlc_triton.full -128.0 : f32 : tensor<1024xf32>
  %hi = mlc_triton.full 127.0 : f32 : tensor<1024xf32>
  %a = arith.maximumf %n, %lo : tensor<1024xf32>
  %b = arith.minimumf %a, %hi : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %b : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// Made small, what was large shows.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_that_is_made_small(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_that_is_made_small(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %f = mlc_triton.full 1.000000e-20 : f32 : tensor<1024xf32>
  %a = arith.mulf %q, %f : tensor<1024xf32>
  %i = mlc_triton.cast %a : tensor<1024xf32> -> tensor<1024xi32>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i32>, tensor<1024xi32>, i32, tensor<1024xi32>)
}

// A truth value tells the least number from zero.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_of_truth(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_of_truth(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i1>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %i = mlc_triton.cast %q : tensor<1024xf32> -> tensor<1024xi1>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i1>, tensor<1024xi1>, i32, tensor<1024xi32>)
}

// One of two readers sees it all.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_that_another_reads(
// CHECK-NOT:     math.fma
// CHECK:         %q = mlc_triton.quotient %v by %d : tensor<1024xf32>, f32
mlc_triton.kernel @shared_quotient_that_another_reads(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi32>
  %w = mlc_triton.cast %i : tensor<1024xi32> -> tensor<1024xf32>
  %a = arith.addf %q, %w : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %a : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// Each element has a divisor of its own.
// CHECK-LABEL: mlc_triton.kernel @keeps_other_divisors(
// CHECK-NOT:     math.fma
// CHECK:         %q = arith.divf
mlc_triton.kernel @keeps_other_divisors(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %q = arith.divf %v, %d : tensor<1024xf32>
  %n = math.roundeven %q : tensor<1024xf32>
  %i = mlc_triton.cast %n : tensor<1024xf32> -> tensor<1024xi8>
  mlc_triton.store %out[%p * 1024 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<1024xi8>, i32, tensor<1024xi32>)
}

// 32 elements a lane are too many for the longer assembly.
// CHECK-LABEL: mlc_triton.kernel @keeps_long_blocks(
// CHECK:         %q = arith.divf
mlc_triton.kernel @keeps_long_blocks(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 1 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %v, %db : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %q : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// Of exponentials, which may be 0, they are not, as long as a lane has many of each row.
// CHECK-LABEL: mlc_triton.kernel @shared_quotient_of_exponentials(
// CHECK:         %q = mlc_triton.quotient %e by %d
mlc_triton.kernel @shared_quotient_of_exponentials(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 1 {
  %p = mlc_triton.program_id 0 : i32
  %r = mlc_triton.arange : tensor<1024xi32>
  %v = mlc_triton.load %x[%p * 1024 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<1024xi32>) -> tensor<1024xf32>
  %e = math.exp %v : tensor<1024xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, i32) -> f32
  %db = mlc_triton.broadcast %d : f32 -> tensor<1024xf32>
  %q = arith.divf %e, %db : tensor<1024xf32>
  mlc_triton.store %out[%p * 1024 + %r] = %q : (!mlc_triton.ptr<f32>, tensor<1024xf32>, i32, tensor<1024xi32>)
}

// CHECK-LABEL: mlc_triton.kernel @keeps_long_blocks_of_short_rows(
// CHECK:         %q = arith.divf
mlc_triton.kernel @keeps_long_blocks_of_short_rows(%x: !mlc_triton.ptr<f32>, %s: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<f32>) grid [8] sizes [] num_warps 1 {
  %p = mlc_triton.arange : tensor<16x1xi32>
  %r = mlc_triton.arange : tensor<1x64xi32>
  %v = mlc_triton.load %x[%p * 64 + %r] : (!mlc_triton.ptr<f32>, tensor<16x1xi32>, tensor<1x64xi32>) -> tensor<16x64xf32>
  %e = math.exp %v : tensor<16x64xf32>
  %d = mlc_triton.load %s[%p] : (!mlc_triton.ptr<f32>, tensor<16x1xi32>) -> tensor<16x1xf32>
  %db = mlc_triton.broadcast %d : tensor<16x1xf32> -> tensor<16x64xf32>
  %q = arith.divf %e, %db : tensor<16x64xf32>
  mlc_triton.store %out[%p * 64 + %r] = %q : (!mlc_triton.ptr<f32>, tensor<16x64xf32>, tensor<16x1xi32>, tensor<1x64xi32>)
}

// Eight elements to a divisor are too few.
// CHECK-LABEL: mlc_triton.kernel @keeps_short_rows(
// CHECK-NOT:     math.fma
// CHECK:         %q = arith.divf
mlc_triton.kernel @keeps_short_rows(%x: !mlc_triton.ptr<f32>, %out: !mlc_triton.ptr<i8>) grid [8] sizes [] num_warps 4 {
  %p = mlc_triton.program_id 0 : i32
  %j = mlc_triton.arange : tensor<64x1xi32>
  %r = mlc_triton.arange : tensor<1x8xi32>
  %v = mlc_triton.load %x[%p * 512 + %j * 8 + %r] : (!mlc_triton.ptr<f32>, i32, tensor<64x1xi32>, tensor<1x8xi32>) -> tensor<64x8xf32>
  %d = mlc_triton.reduce "max" %v : (tensor<64x8xf32>) -> tensor<64x1xf32>
  %db = mlc_triton.broadcast %d : tensor<64x1xf32> -> tensor<64x8xf32>
  %q = arith.divf %v, %db : tensor<64x8xf32>
  %n = math.roundeven %q : tensor<64x8xf32>
  %i = mlc_triton.cast %n : tensor<64x8xf32> -> tensor<64x8xi8>
  mlc_triton.store %out[%p * 512 + %j * 8 + %r] = %i : (!mlc_triton.ptr<i8>, tensor<64x8xi8>, i32, tensor<64x1xi32>, tensor<1x8xi32>)
}
