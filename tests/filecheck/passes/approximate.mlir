// RUN: mlc-opt %s -p approximate | filecheck %s

// All of the row's exp ends in bfloat16: both through the sum and through the product.
// CHECK-LABEL: @rounds_to_bfloat16(
// CHECK:         math.exp {{%.*}} fastmath<afn> : f32
// CHECK:         math.exp {{%.*}} fastmath<afn> : f32
mlc_loop.kernel @rounds_to_bfloat16(%x: memref<8x64xf32>, %out: memref<8x64xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      %q = arith.divf %e, %s : f32
      %h = arith.truncf %q : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
    }
  }
}

// The sum is stored in float32 as well: its exp stays exact, the other one need not.
// CHECK-LABEL: @stores_the_sum_too(
// CHECK:         math.exp {{%[^ ]*}} : f32
// CHECK:         math.exp {{%.*}} fastmath<afn> : f32
mlc_loop.kernel @stores_the_sum_too(%x: memref<8x64xf32>, %out: memref<8x64xbf16>, %sum: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %sum[%p] : memref<8xf32>
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      %q = arith.divf %e, %s : f32
      %h = arith.truncf %q : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
    }
  }
}

// A comparison could turn a small difference into another answer.
// CHECK-LABEL: @decides_by_the_value(
// CHECK:         math.exp {{%[^ ]*}} : f32
mlc_loop.kernel @decides_by_the_value(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %e = math.exp %v : f32
    %one = arith.constant 1.0 : f32
    %c = arith.cmpf olt, %e, %one : f32
    %m = arith.select %c, %e, %one : f32
    %h = arith.truncf %m : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}

// The sum is stored in float32, and only its logarithm is: an error of the terms is an absolute one of the result.
// CHECK-LABEL: @takes_the_logarithm_of_the_sum(
// CHECK:         math.exp {{%.*}} fastmath<afn> : f32
mlc_loop.kernel @takes_the_logarithm_of_the_sum(%x: memref<8x64xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    %l = math.log %s : f32
    mlc_loop.store %l, %out[%p] : memref<8xf32>
  }
}

// The greatest term shows its own error.
// CHECK-LABEL: @takes_the_logarithm_of_the_maximum(
// CHECK:         math.exp {{%[^ ]*}} : f32
mlc_loop.kernel @takes_the_logarithm_of_the_maximum(%x: memref<8x64xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce max %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    %l = math.log %s : f32
    mlc_loop.store %l, %out[%p] : memref<8xf32>
  }
}

// The sum goes elsewhere as well.
// CHECK-LABEL: @stores_the_sum_and_its_logarithm(
// CHECK:         math.exp {{%[^ ]*}} : f32
mlc_loop.kernel @stores_the_sum_and_its_logarithm(%x: memref<8x64xf32>, %out: memref<8xf32>, %sum: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    %l = math.log %s : f32
    mlc_loop.store %l, %out[%p] : memref<8xf32>
    mlc_loop.store %s, %sum[%p] : memref<8xf32>
  }
}

// 1 + erf(x) == erfc(-x): a polynomial of |x| in the exponent.
// CHECK-LABEL: @adds_one_to_erf(
// CHECK-NOT:     math.erf
// CHECK:         %[[A:.*]] = arith.minimumf
// CHECK-COUNT-7: math.fma
// CHECK:         %[[Q:.*]] = math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK:         %[[R:.*]] = arith.subf %{{.*}}, %[[Q]] : f32
// CHECK:         arith.select %{{.*}}, %[[Q]], %[[R]] : f32
mlc_loop.kernel @adds_one_to_erf(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %e = math.erf %v : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %one, %e : f32
    %h = arith.truncf %s : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}

// A sum may cancel: there the polynomial is longer.
// CHECK-LABEL: @adds_to_one_plus_erf(
// CHECK-COUNT-10: math.fma
// CHECK:         arith.select
// CHECK-NEXT:    arith.addf
mlc_loop.kernel @adds_to_one_plus_erf(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %e = math.erf %v : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %one, %e : f32
    %t = arith.addf %s, %v : f32
    %h = arith.truncf %t : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}

// The error function itself is small near 0, where the polynomial would show; 2 is not 1.
// CHECK-LABEL: @needs_erf_itself(
// CHECK-COUNT-3: math.erf
// CHECK-NOT:     math.exp2
mlc_loop.kernel @needs_erf_itself(%x: memref<8xf32>, %a: memref<8xbf16>, %b: memref<8xbf16>, %c: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %e = math.erf %v : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %e, %one : f32
    %h = arith.truncf %s : f32 to bf16
    mlc_loop.store %h, %a[%p] : memref<8xbf16>
    %g = arith.truncf %e : f32 to bf16
    mlc_loop.store %g, %b[%p] : memref<8xbf16>
    %f = math.erf %s : f32
    %two = arith.constant 2.0 : f32
    %t = arith.addf %f, %two : f32
    %i = arith.truncf %t : f32 to bf16
    mlc_loop.store %i, %a[%p] : memref<8xbf16>
    %d = math.erf %t : f32
    %u = arith.addf %d, %one : f32
    mlc_loop.store %u, %c[%p] : memref<8xf32>
  }
}

// 1 + tanh(x) == 2 / (1 + e ** (-2 * x))
// CHECK-LABEL: @adds_one_to_tanh(
// CHECK-NOT:     math.tanh
// CHECK:         %[[E:.*]] = math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK:         %[[S:.*]] = arith.addf %{{.*}}, %[[E]] : f32
// CHECK:         arith.divf %{{.*}}, %[[S]] fastmath<arcp> : f32
mlc_loop.kernel @adds_one_to_tanh(%x: memref<8xf32>, %out: memref<8xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %e = math.tanh %v : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %e, %one : f32
    %h = arith.truncf %s : f32 to bf16
    mlc_loop.store %h, %out[%p] : memref<8xbf16>
  }
}

// In a gradient, with 1 - tanh(x) ** 2 == p * (2 - p), p = 1 + tanh(x). Its sums are rounded as well.
// CHECK-LABEL: @gradient_of_gelu(
// CHECK-NOT:     math.tanh
// CHECK:         %[[E:.*]] = math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK:         %[[S:.*]] = arith.addf %{{.*}}, %[[E]] : f32
// CHECK:         %[[P:.*]] = arith.divf %{{.*}}, %[[S]] fastmath<arcp> : f32
// CHECK:         %[[REST:.*]] = arith.subf %{{.*}}, %[[P]] : f32
// CHECK-NEXT:    %[[SLOPE:.*]] = arith.mulf %[[P]], %[[REST]] : f32
// CHECK:         %[[D:.*]] = arith.mulf %v, %[[SLOPE]] : f32
// CHECK-NEXT:    arith.addf %[[P]], %[[D]] : f32
mlc_loop.kernel @gradient_of_gelu(%x: memref<8xf32>, %out: memref<8xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %t = math.tanh %v : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %one, %t : f32
    %q = arith.mulf %t, %t : f32
    %d = arith.subf %one, %q : f32
    %e = arith.mulf %v, %d : f32
    %g = arith.addf %s, %e : f32
    %h = arith.truncf %g : f32 to bf16
    mlc_loop.store %h, %out[%p] : memref<8xbf16>
  }
}

// The slope alone is that of -|x|, where p is small, and precise.
// CHECK-LABEL: @slope_of_tanh(
// CHECK:         %[[A:.*]] = math.absf %v : f32
// CHECK-NEXT:    arith.negf %[[A]] : f32
// CHECK:         arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : f32
mlc_loop.kernel @slope_of_tanh(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %t = math.tanh %v : f32
    %one = arith.constant 1.0 : f32
    %q = arith.mulf %t, %t : f32
    %d = arith.subf %one, %q : f32
    %h = arith.truncf %d : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}

// A square of something else, another number than 1, a slope in float32, the square less 1, and a slope that is rounded
// where 1 + tanh(x) is made as well: tanh itself.
// CHECK-LABEL: @keeps_tanh(
// CHECK-COUNT-5: math.tanh
// CHECK-NOT:     fastmath
mlc_loop.kernel @keeps_tanh(%x: memref<8xf32>, %out: memref<6x8xf16>, %slope: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %t = math.tanh %v : f32
    %s = arith.addf %t, %one : f32
    %q = arith.mulf %t, %v : f32
    %d = arith.addf %s, %q : f32
    %h = arith.truncf %d : f32 to f16
    mlc_loop.store %h, %out[0, %p] : memref<6x8xf16>
    %t2 = math.tanh %v : f32
    %s2 = arith.addf %t2, %two : f32
    %h2 = arith.truncf %s2 : f32 to f16
    mlc_loop.store %h2, %out[1, %p] : memref<6x8xf16>
    %t3 = math.tanh %v : f32
    %q3 = arith.mulf %t3, %t3 : f32
    %d3 = arith.subf %one, %q3 : f32
    mlc_loop.store %d3, %slope[%p] : memref<8xf32>
    %t4 = math.tanh %v : f32
    %q4 = arith.mulf %t4, %t4 : f32
    %d4 = arith.subf %q4, %one : f32
    %h4 = arith.truncf %d4 : f32 to f16
    mlc_loop.store %h4, %out[3, %p] : memref<6x8xf16>
    %t5 = math.tanh %v : f32
    %s5 = arith.addf %t5, %one : f32
    %h5 = arith.truncf %s5 : f32 to f16
    mlc_loop.store %h5, %out[4, %p] : memref<6x8xf16>
    %q5 = arith.mulf %t5, %t5 : f32
    %d5 = arith.subf %one, %q5 : f32
    %h6 = arith.truncf %d5 : f32 to f16
    mlc_loop.store %h6, %out[5, %p] : memref<6x8xf16>
  }
}

// What looks like p - 1, but is none of ours, is no tanh.
// CHECK-LABEL: @no_tanh(
// CHECK:         arith.subf
// CHECK-NEXT:    arith.addf
mlc_loop.kernel @no_tanh(%x: memref<8xf32>, %out: memref<8xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %q = arith.divf %two, %v : f32
    %t = arith.subf %q, %one : f32
    %s = arith.addf %t, %one : f32
    %h = arith.truncf %s : f32 to bf16
    mlc_loop.store %h, %out[%p] : memref<8xbf16>
  }
}

// Stored in float32: both stay.
// CHECK-LABEL: @stores_float32(
// CHECK:         math.tanh
// CHECK-NOT:     fastmath
mlc_loop.kernel @stores_float32(%x: memref<8xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %t = math.tanh %v : f32
    %one = arith.constant 1.0 : f32
    %s = arith.addf %t, %one : f32
    mlc_loop.store %s, %out[%p] : memref<8xf32>
  }
}

// A divisor that all columns share is inverted once a row, scaled so that its inverse is finite.
// CHECK-LABEL: @divides_by_row(
// CHECK:         mlc_loop.parallel %r
// CHECK-NEXT:      %[[V:.*]] = mlc_loop.load
// CHECK-NEXT:      %[[A:.*]] = math.absf %{{.*}} : f32
// CHECK:           %[[SMALL:.*]] = arith.cmpf olt, %[[A]], %{{.*}} : f32
// CHECK:           %[[SCALE:.*]] = arith.select %[[SMALL]], %{{.*}}, %{{.*}} : f32
// CHECK:           %[[WIDE:.*]] = arith.mulf %[[V]], %[[SCALE]] : f32
// CHECK:           %[[DIVISOR:.*]] = arith.mulf %{{.*}}, %[[SCALE]] : f32
// CHECK:           %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[DIVISOR]] : f32
// CHECK:           arith.mulf %[[WIDE]], %[[INVERSE]] : f32
mlc_loop.kernel @divides_by_row(%x: memref<8x64xf32>, %out: memref<8x64xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %q = arith.divf %v, %s : f32
      %h = arith.truncf %q : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
    }
  }
}

// A quotient that is stored as it is keeps its rounding, and so does one by a divisor of its own column.
// CHECK-LABEL: @keeps_other_quotients(
// CHECK-NOT:     math.absf
// CHECK:         arith.divf %{{.*}}, %s : f32
// CHECK:         arith.divf %{{.*}}, %d : f32
mlc_loop.kernel @keeps_other_quotients(%x: memref<8x64xf32>, %out: memref<8x64xf32>, %half: memref<8x64xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %d = arith.addf %v, %v : f32
      %q = arith.divf %v, %s : f32
      mlc_loop.store %q, %out[%p, %r] : memref<8x64xf32>
      %t = arith.divf %v, %d : f32
      %h = arith.truncf %t : f32 to bf16
      mlc_loop.store %h, %half[%p, %r] : memref<8x64xbf16>
    }
  }
}

// Nor is what is rounded to a whole number coarse: near a half the last bit decides between two of them.
// CHECK-LABEL: @keeps_what_is_rounded(
// CHECK-NOT:     math.absf
// CHECK:         arith.divf %{{.*}}, %s : f32
// CHECK:         math.exp %{{[^ ]*}} : f32
mlc_loop.kernel @keeps_what_is_rounded(%x: memref<8x64xf32>, %out: memref<8x64xbf16>, %half: memref<8x64xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %q = arith.divf %v, %s : f32
      %n = math.roundeven %q : f32
      %h = arith.truncf %n : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
      %e = math.exp %v : f32
      %f = math.floor %e : f32
      %g = arith.truncf %f : f32 to bf16
      mlc_loop.store %g, %half[%p, %r] : memref<8x64xbf16>
    }
  }
}

// What is stored in 32 bits, or summed and stored so, shows every bit of its exp.
// CHECK-LABEL: @keeps_wide_results(
// CHECK-COUNT-2: math.exp %{{[^ ]*}} : f32
mlc_loop.kernel @keeps_wide_results(%x: memref<8x64xf32>, %out: memref<8x64xf32>, %sum: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %sum[%p] : memref<8xf32>
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.store %e, %out[%p, %r] : memref<8x64xf32>
    }
  }
}

// A sigmoid that is a factor becomes a quotient by itself: it may be too small to be a normal number.
// CHECK-LABEL: @silu(
// CHECK-NOT:     math.exp 
// CHECK:         %[[X:.*]] = mlc_loop.load
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[X]], {{%.*}} : f32
// CHECK:         %[[POWER:.*]] = math.fma %[[X]], {{%.*}}, {{%.*}} : f32
// CHECK:         %[[DECAY:.*]] = math.exp2 %[[POWER]] fastmath<afn> : f32
// CHECK:         %[[SUM:.*]] = arith.addf {{%.*}}, %[[DECAY]] : f32
// CHECK:         arith.divf %[[SCALED]], %[[SUM]] fastmath<arcp> : f32
mlc_loop.kernel @silu(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %d = arith.addf %one, %e : f32
    %s = arith.divf %one, %d : f32
    %m = arith.mulf %v, %s : f32
    %h = arith.truncf %m : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}

// A sigmoid by itself, the sum the other way round.
// CHECK-LABEL: @sigmoid(
// CHECK:         arith.constant 2.500000e-01 : f32
// CHECK:         arith.divf {{%.*}}, {{%.*}} fastmath<arcp> : f32
mlc_loop.kernel @sigmoid(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %one, %d : f32
    %h = arith.truncf %s : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}

// In a gradient: 1 - s is as precise as that of a rounded sigmoid.
// CHECK-LABEL: @gradient_of_silu(
// CHECK:         %[[S:.*]] = arith.divf {{%.*}}, {{%.*}} fastmath<arcp> : f32
// CHECK:         arith.subf %{{.*}}, %[[S]] : f32
mlc_loop.kernel @gradient_of_silu(%x: memref<8xf32>, %out: memref<8xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %s = arith.divf %one, %d : f32
    %r = arith.subf %one, %s : f32
    %a = arith.mulf %v, %r : f32
    %b = arith.addf %a, %one : f32
    %g = arith.mulf %s, %b : f32
    %h = arith.truncf %g : f32 to bf16
    mlc_loop.store %h, %out[%p] : memref<8xbf16>
  }
}

// A number below 1, a difference of which more than 16 bits are kept, and one that is rounded before it is added to.
// CHECK-LABEL: @keeps_sigmoid_beside(
// CHECK-NOT:     fastmath<arcp>
mlc_loop.kernel @keeps_sigmoid_beside(%x: memref<8xf32>, %out: memref<8xf32>, %half: memref<2x8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %less = arith.constant 0.5 : f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %d = arith.addf %one, %e : f32
    %s = arith.divf %one, %d : f32
    %a = arith.subf %s, %less : f32
    %h = arith.truncf %a : f32 to f16
    mlc_loop.store %h, %half[0, %p] : memref<2x8xf16>
    %s2 = arith.divf %one, %d : f32
    %b = arith.subf %one, %s2 : f32
    mlc_loop.store %b, %out[%p] : memref<8xf32>
    %s3 = arith.divf %one, %d : f32
    %c = arith.subf %one, %s3 : f32
    %m = arith.mulf %s3, %c : f32
    %k = arith.truncf %m : f32 to f16
    mlc_loop.store %k, %half[1, %p] : memref<2x8xf16>
  }
}

// Stored in float32, a quotient of something else, or added to: a sum could cancel.
// CHECK-LABEL: @keeps_sigmoid(
// CHECK-NOT:     fastmath<arcp>
mlc_loop.kernel @keeps_sigmoid(%x: memref<8xf32>, %out: memref<8xf32>, %half: memref<8xf16>, %sum: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %d = arith.addf %one, %e : f32
    %s = arith.divf %one, %d : f32
    mlc_loop.store %s, %out[%p] : memref<8xf32>
    %d2 = arith.addf %two, %e : f32
    %s2 = arith.divf %one, %d2 : f32
    %h2 = arith.truncf %s2 : f32 to f16
    mlc_loop.store %h2, %half[%p] : memref<8xf16>
    %s3 = arith.divf %one, %d : f32
    %s4 = arith.addf %s3, %v : f32
    %h4 = arith.truncf %s4 : f32 to f16
    mlc_loop.store %h4, %sum[%p] : memref<8xf16>
  }
}

// CHECK-LABEL: @mish(
// CHECK-NOT:     math.tanh
// CHECK:         %[[X:.*]] = mlc_loop.load
// CHECK:         %[[W:.*]] = math.exp2 {{%.*}} fastmath<afn> : f32
// CHECK:         %[[XW:.*]] = arith.mulf %[[X]], %[[W]] : f32
// CHECK:         %[[RATIO:.*]] = arith.divf {{%.*}}, {{%.*}} fastmath<arcp> : f32
// CHECK:         %[[BELOW:.*]] = arith.mulf %[[XW]], %[[RATIO]] : f32
// CHECK:         arith.select {{%.*}}, %[[X]], %[[BELOW]] : f32
mlc_loop.kernel @mish(%x: memref<8xf32>, %out: memref<8xf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %limit = arith.constant 20.0 : f32
    %beyond = arith.cmpf ogt, %v, %limit : f32
    %e = math.exp %v : f32
    %l = math.log1p %e : f32
    %s = arith.select %beyond, %v, %l : f32
    %t = math.tanh %s : f32
    %m = arith.mulf %v, %t : f32
    %h = arith.truncf %m : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
  }
}

// Another factor, another limit, a result in float32.
// CHECK-LABEL: @keeps_mish(
// CHECK-COUNT-2: math.tanh
mlc_loop.kernel @keeps_mish(%x: memref<8xf32>, %y: memref<8xf32>, %out: memref<8xf16>, %wide: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %w = mlc_loop.load %y[%p] : memref<8xf32>
    %limit = arith.constant 20.0 : f32
    %other = arith.constant 10.0 : f32
    %beyond = arith.cmpf ogt, %v, %limit : f32
    %e = math.exp %v : f32
    %l = math.log1p %e : f32
    %s = arith.select %beyond, %v, %l : f32
    %t = math.tanh %s : f32
    %m = arith.mulf %w, %t : f32
    %h = arith.truncf %m : f32 to f16
    mlc_loop.store %h, %out[%p] : memref<8xf16>
    %m2 = arith.mulf %v, %t : f32
    mlc_loop.store %m2, %wide[%p] : memref<8xf32>
    %beyond2 = arith.cmpf ogt, %v, %other : f32
    %s2 = arith.select %beyond2, %v, %l : f32
    %t2 = math.tanh %s2 : f32
    %m3 = arith.mulf %v, %t2 : f32
    %h3 = arith.truncf %m3 : f32 to f16
    mlc_loop.store %h3, %out[%p] : memref<8xf16>
  }
}

// Loops over several axes: the sum over images and places ends in bfloat16.
// CHECK-LABEL: @several_axes(
// CHECK:         mlc_loop.reduce add (%j, %k) = 0 to (3, 64) -> f32 {
// CHECK:           math.exp {{%.*}} fastmath<afn> : f32
mlc_loop.kernel @several_axes(%x: memref<3x8x64xf32>, %out: memref<8xbf16>) {
  mlc_loop.parallel %i = 0 to 8 {
    %s = mlc_loop.reduce add (%j, %k) = 0 to (3, 64) -> f32 {
      %v = mlc_loop.load %x[%j, %i, %k] : memref<3x8x64xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    %h = arith.truncf %s : f32 to bf16
    mlc_loop.store %h, %out[%i] : memref<8xbf16>
  }
}

// x / c == x * (1 / c), and factors join.
// CHECK-LABEL: @divides_by_constants(
// CHECK:         %[[C:.*]] = arith.constant 0.0303030312 : f32
// CHECK-NEXT:    arith.mulf %v, %[[C]] : f32
mlc_loop.kernel @divides_by_constants(%x: memref<8xf32>, %out: memref<8xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %a = arith.constant 11.0 : f32
    %b = arith.constant 3.0 : f32
    %q = arith.divf %v, %a : f32
    %t = arith.divf %q, %b : f32
    %h = arith.truncf %t : f32 to bf16
    mlc_loop.store %h, %out[%p] : memref<8xbf16>
  }
}

// A quotient of 16 bits by a constant of 16 bits, which decides something once it is rounded.
// CHECK-LABEL: @divides_halves(
// CHECK:         %[[C:.*]] = arith.constant 0.0204081628 : f32
// CHECK-NEXT:    %[[Q:.*]] = arith.mulf %w, %[[C]] : f32
// CHECK-NEXT:    arith.truncf %[[Q]] : f32 to bf16
mlc_loop.kernel @divides_halves(%x: memref<8xbf16>, %out: memref<8xi1>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xbf16>
    %w = arith.extf %v : bf16 to f32
    %c = arith.constant 49.0 : bf16
    %d = arith.extf %c : bf16 to f32
    %q = arith.divf %w, %d : f32
    %h = arith.truncf %q : f32 to bf16
    %i = arith.extf %h : bf16 to f32
    %b = arith.cmpf olt, %i, %w : f32
    mlc_loop.store %b, %out[%p] : memref<8xi1>
  }
}

// What float32 shows stays, and so do divisors whose inverse is no normal number, and factors between which a product
// may become infinite.
// CHECK-LABEL: @keeps_other_constants(
// CHECK:         arith.divf %v, %a : f32
// CHECK:         arith.divf %v, %huge : f32
// CHECK:         %[[W:.*]] = arith.mulf %v, %a : f32
// CHECK:         arith.mulf %[[W]], %small : f32
mlc_loop.kernel @keeps_other_constants(%x: memref<8xf32>, %wide: memref<8xf32>, %out: memref<8xbf16>, %b: memref<8xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %x[%p] : memref<8xf32>
    %a = arith.constant 11.0 : f32
    %huge = arith.constant 2.0e+38 : f32
    %small = arith.constant 0.125 : f32
    %q = arith.divf %v, %a : f32
    mlc_loop.store %q, %wide[%p] : memref<8xf32>
    %t = arith.divf %v, %huge : f32
    %h = arith.truncf %t : f32 to bf16
    mlc_loop.store %h, %out[%p] : memref<8xbf16>
    %m = arith.mulf %v, %a : f32
    %n = arith.mulf %m, %small : f32
    %i = arith.truncf %n : f32 to bf16
    mlc_loop.store %i, %b[%p] : memref<8xbf16>
  }
}

// Scores that are capped: their greatest is subtracted, and what exp makes of the rest is rounded to 16 bits.
// CHECK-LABEL: @caps_scores(
// CHECK-NOT:     math.tanh
// CHECK:         %[[E:.*]] = math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK:         %[[S:.*]] = arith.addf %{{.*}}, %[[E]] : f32
// CHECK:         arith.divf %{{.*}}, %[[S]] fastmath<arcp> : f32
// CHECK-NOT:     math.tanh
mlc_loop.kernel @caps_scores(%x: memref<8x64xf32>, %out: memref<8x64xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %cap = arith.constant 30.0 : f32
    %m = mlc_loop.reduce max %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %t = math.tanh %v : f32
      %s = arith.mulf %t, %cap : f32
      mlc_loop.yield %s : f32
    }
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %t = math.tanh %v : f32
      %s = arith.mulf %t, %cap : f32
      %d = arith.subf %s, %m : f32
      %e = math.exp %d : f32
      %h = arith.truncf %e : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
    }
  }
}

// A larger cap, a sum, float32 powers, and what is read beside the power need tanh itself.
// CHECK-LABEL: @keeps_other_caps(
// CHECK-COUNT-3: math.tanh
mlc_loop.kernel @keeps_other_caps(%x: memref<8x64xf32>, %out: memref<8x64xbf16>, %wide: memref<8x64xf32>, %sum: memref<8xbf16>) {
  mlc_loop.parallel %p = 0 to 8 {
    %cap = arith.constant 65.0 : f32
    %m = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %t = math.tanh %v : f32
      mlc_loop.yield %t : f32
    }
    %g = math.exp %m : f32
    %i = arith.truncf %g : f32 to bf16
    mlc_loop.store %i, %sum[%p] : memref<8xbf16>
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %t = math.tanh %v : f32
      %s = arith.mulf %t, %cap : f32
      %e = math.exp %s : f32
      %h = arith.truncf %e : f32 to bf16
      mlc_loop.store %h, %out[%p, %r] : memref<8x64xbf16>
    }
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %t = math.tanh %v : f32
      %e = math.exp %t : f32
      mlc_loop.store %e, %wide[%p, %r] : memref<8x64xf32>
    }
  }
}

// The program rounds the scores that these are computed from: a float32 of a row shows that more than coarse functions,
// and so does a cap under a power of 2, also in the gradient of the cap.
// CHECK-LABEL: @of_rounded_scores(
// CHECK-NOT:     math.tanh
// CHECK:         math.exp2 %{{.*}} fastmath<afn> : f32
// CHECK:         math.fma
// CHECK:         math.exp2 %{{.*}} fastmath<afn> : f32
mlc_loop.kernel @of_rounded_scores(%x: memref<8x64xf32>, %sum: memref<8xf32>, %out: memref<8x64xbf16>) attributes {"mlc.rounded"} {
  mlc_loop.parallel %p = 0 to 8 {
    %s, %g = mlc_loop.reduce add, add %r = 0 to 64 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %one = arith.constant 1.0 : f32
      %c = arith.constant 60.0 : f32
      %t = math.tanh %v : f32
      %capped = arith.mulf %t, %c : f32
      %e = math.exp2 %capped : f32
      %square = arith.mulf %t, %t : f32
      %rest = arith.subf %one, %square : f32
      %d = arith.mulf %e, %rest : f32
      mlc_loop.yield %e, %d : f32, f32
    }
    %b = arith.addf %s, %g : f32
    mlc_loop.store %b, %sum[%p] : memref<8xf32>
  }
}

// Elsewhere a float32 of a row is exact, and so is what of a tanh is no power.
// CHECK-LABEL: @keeps_exact_scores(
// CHECK:         math.tanh
// CHECK:         math.exp2 %{{[a-z_0-9]+}} : f32
mlc_loop.kernel @keeps_exact_scores(%x: memref<8x64xf32>, %sum: memref<8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x64xf32>
      %t = math.tanh %v : f32
      %e = math.exp2 %t : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %sum[%p] : memref<8xf32>
  }
}
