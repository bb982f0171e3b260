// RUN: mlc-opt %s -p peel-alignment --split-input-file | filecheck %s

// Rows of 50257 elements of 2 bytes: the body of each begins and ends at multiples of 16 elements.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 {
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.reduce add %r = 0 to 50240 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%p, -%p * 50257 + %r + ((%p * 50257 + 15) floordiv 16) * 16]
// CHECK:           %[[E:.*]] = mlc_loop.reduce add %k = 0 to 17 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%p, %k + ((%k + ((%p * 50257 + 15) mod 16) + 17) floordiv 32) * 50240]
// CHECK:           %s = arith.addf %[[E]], %[[B]] : f32
// CHECK-NEXT:      mlc_loop.store %s, %out[%p]
mlc_loop.kernel @sum(%x: memref<4096x50257xbf16>, %out: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 50257 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50257xbf16>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// Each sum is scaled to the maximum of both, in the same exp; what is stored is cut in the same way, the body first.
// CHECK-LABEL: mlc_loop.kernel @log_softmax(
// CHECK:           %[[MB:.*]], %[[SB:.*]] = mlc_loop.reduce softmax approx %r = 0 to 50240
// CHECK:           %[[ME:.*]], %[[SE:.*]] = mlc_loop.reduce softmax approx %k = 0 to 17
// CHECK:           %m = arith.maximumf %[[ME]], %[[MB]] : f32
// CHECK-NEXT:      %[[D:.*]] = arith.subf %[[ME]], %m : f32
// CHECK-NEXT:      %[[X:.*]] = math.exp %[[D]] fastmath<afn> : f32
// CHECK-NEXT:      arith.mulf %[[SE]], %[[X]] : f32
// CHECK:           %s = arith.addf
// CHECK:           mlc_loop.parallel %{{.*}} = 0 to 50240 {
// CHECK:             mlc_loop.store %{{.*}}, %out[%p, -%p * 50257 +
// CHECK:           mlc_loop.parallel %{{.*}} = 0 to 17 {
mlc_loop.kernel @log_softmax(%x: memref<4096x50257xf32>, %out: memref<4096x50257xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %m, %s = mlc_loop.reduce softmax approx %r = 0 to 50257 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50257xf32>
      mlc_loop.yield %v : f32
    }
    %l = math.log %s : f32
    mlc_loop.parallel %r = 0 to 50257 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50257xf32>
      %d = arith.subf %v, %m : f32
      %y = arith.subf %d, %l : f32
      mlc_loop.store %y, %out[%p, %r] : memref<4096x50257xf32>
    }
  }
}

// -----

// Squares are about the mean of all 20001, of which the edge has 17.
// CHECK-LABEL: mlc_loop.kernel @moments(
// CHECK:           %[[TB:.*]], %[[QB:.*]] = mlc_loop.reduce welford %r = 0 to 19984
// CHECK:           %[[TE:.*]], %[[QE:.*]] = mlc_loop.reduce welford %k = 0 to 17
// CHECK:           %t = arith.addf %[[TE]], %[[TB]] : f32
// CHECK-NEXT:      arith.constant 1.700000e+01 : f32
// CHECK-NEXT:      arith.constant 1.998400e+04 : f32
// CHECK-NEXT:      arith.constant 2.000100e+04 : f32
// CHECK:           %q = arith.addf
mlc_loop.kernel @moments(%x: memref<4096x20001xf32>, %out: memref<2x4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %t, %q = mlc_loop.reduce welford %r = 0 to 20001 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x20001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %t, %out[0, %p] : memref<2x4096xf32>
    mlc_loop.store %q, %out[1, %p] : memref<2x4096xf32>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @others(
// CHECK:           %[[B:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = mlc_loop.reduce max, min, mul, or, and %r = 0 to 19984
// CHECK:           %[[E:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = mlc_loop.reduce max, min, mul, or, and %k = 0 to 17
// CHECK:           %a = arith.maximumf %[[E]], %[[B]] : f32
// CHECK-NEXT:      %b = arith.minsi
// CHECK-NEXT:      %c = arith.mulf
// CHECK-NEXT:      %d = arith.ori
// CHECK-NEXT:      %e = arith.andi
mlc_loop.kernel @others(%x: memref<4096x20001xf32>, %y: memref<4096x20001xi32>, %out: memref<4096xf32>, %any: memref<4096xi1>, %least: memref<4096xi32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %a, %b, %c, %d, %e = mlc_loop.reduce max, min, mul, or, and %r = 0 to 20001 -> f32, i32, f32, i1, i1 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x20001xf32>
      %i = mlc_loop.load %y[%p, %r] : memref<4096x20001xi32>
      %z = arith.constant 0.0 : f32
      %t = arith.cmpf olt, %v, %z : f32
      mlc_loop.yield %v, %i, %v, %t, %t : f32, i32, f32, i1, i1
    }
    %ac = arith.addf %a, %c : f32
    %de = arith.xori %d, %e : i1
    mlc_loop.store %ac, %out[%p] : memref<4096xf32>
    mlc_loop.store %de, %any[%p] : memref<4096xi1>
    mlc_loop.store %b, %least[%p] : memref<4096xi32>
  }
}

// -----

// Weights begin at 0 in every row: no shift aligns both. 4097 columns are a power of two and one more.
// CHECK-LABEL: mlc_loop.kernel @weights(
// CHECK:           %[[E:.*]] = mlc_loop.reduce add %k = 0 to 1 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%p, 4096]
// CHECK-NEXT:        mlc_loop.load %w[4096]
// CHECK:           %[[B:.*]] = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%p, %r]
// CHECK-NEXT:        mlc_loop.load %w[%r]
// CHECK:           %s = arith.addf %[[E]], %[[B]] : f32
mlc_loop.kernel @weights(%x: memref<4096x4097xbf16>, %w: memref<4097xbf16>, %out: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 4097 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4097xbf16>
      %u = mlc_loop.load %w[%r] : memref<4097xbf16>
      %f = arith.extf %v : bf16 to f32
      %g = arith.extf %u : bf16 to f32
      %y = arith.mulf %f, %g : f32
      mlc_loop.yield %y : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// 6001 columns are far from a power of two: the body begins where x is aligned, and weights are read where they are.
// CHECK-LABEL: mlc_loop.kernel @half_way(
// CHECK:           mlc_loop.reduce add %r = 0 to 5984 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%p, -%p * 6001 + %r + ((%p * 6001 + 15) floordiv 16) * 16]
// CHECK-NEXT:        mlc_loop.load %w[-%p * 6001 + %r + ((%p * 6001 + 15) floordiv 16) * 16]
mlc_loop.kernel @half_way(%x: memref<4096x6001xbf16>, %w: memref<6001xbf16>, %out: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 6001 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x6001xbf16>
      %u = mlc_loop.load %w[%r] : memref<6001xbf16>
      %f = arith.extf %v : bf16 to f32
      %g = arith.extf %u : bf16 to f32
      %y = arith.mulf %f, %g : f32
      mlc_loop.yield %y : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// What is looked up, or read under a condition, has no wide loads in a body either.
// CHECK-LABEL: mlc_loop.kernel @guarded(
// CHECK:           mlc_loop.reduce add %r = 0 to 6001
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @guarded(%x: memref<4096x6001xbf16>, %w: memref<6001xbf16>, %out: memref<4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 6001 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x6001xbf16>
      %z = arith.constant 0.0 : bf16
      %c = arith.cmpf ogt, %v, %z : bf16
      %u = mlc_loop.load %w[%r] if %c : memref<6001xbf16>
      %y = arith.mulf %v, %u : bf16
      mlc_loop.yield %y : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<4096xbf16>
  }
}

// -----

// What is accumulated over the rows is for the pass before persistent-rows.
// CHECK-LABEL: mlc_loop.kernel @accumulating(
// CHECK:           mlc_loop.parallel %r = 0 to 4097
// CHECK-NOT:       mlc_loop.parallel
mlc_loop.kernel @accumulating(%x: memref<4096x4097xf32>, %s: memref<4097xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 4097 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4097xf32>
      mlc_loop.accumulate add %v, %s[%r] : memref<4097xf32>
    }
  }
}

// -----

// Rows that begin alike but for whole vectors share a body; here x and y, of rows 16 apart.
// CHECK-LABEL: mlc_loop.kernel @alike(
// CHECK:           mlc_loop.reduce add %k = 0 to 17
// CHECK:           mlc_loop.reduce add %r = 0 to 4080
mlc_loop.kernel @alike(%x: memref<4096x4097xbf16>, %y: memref<4096x4113xbf16>, %out: memref<4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 4097 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4097xbf16>
      %u = mlc_loop.load %y[%p, %r] : memref<4096x4113xbf16>
      %f = arith.mulf %v, %u : bf16
      mlc_loop.yield %f : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<4096xbf16>
  }
}

// -----

// Aligned rows are whole vectors already.
// CHECK-LABEL: mlc_loop.kernel @aligned(
// CHECK:           mlc_loop.reduce add %r = 0 to 50264
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @aligned(%x: memref<4096x50264xbf16>, %out: memref<4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 50264 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50264xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<4096xbf16>
  }
}

// -----

// Every other element: an instruction has no use for 16 bytes in a row.
// CHECK-LABEL: mlc_loop.kernel @strided(
// CHECK:           mlc_loop.reduce add %r = 0 to 20001
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @strided(%x: memref<4096x20001xbf16, strided<[40003, 2]>>, %out: memref<4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 20001 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x20001xbf16, strided<[40003, 2]>>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<4096xbf16>
  }
}

// -----

// Short rows are not worth an edge.
// CHECK-LABEL: mlc_loop.kernel @short(
// CHECK:           mlc_loop.reduce add %r = 0 to 1001
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @short(%x: memref<4096x1001xbf16>, %out: memref<4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 1001 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x1001xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<4096xbf16>
  }
}

// -----

// Nor are few.
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK:           mlc_loop.reduce add %r = 0 to 50257
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @few(%x: memref<100x50257xbf16>, %out: memref<100xbf16>) {
  mlc_loop.parallel %p = 0 to 100 {
    %s = mlc_loop.reduce add %r = 0 to 50257 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<100x50257xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<100xbf16>
  }
}

// -----

// How many rows there are need not be known; how many columns, it must.
// CHECK-LABEL: mlc_loop.kernel @rows(
// CHECK:           mlc_loop.reduce add %r = 0 to 50240
// CHECK:           mlc_loop.reduce add %k = 0 to 17
mlc_loop.kernel @rows(%x: memref<?x50257xbf16, {sizes = ["N", "50257"], strides = ["50257", "1"]}>, %out: memref<?xbf16, {sizes = ["N"], strides = ["1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %s = mlc_loop.reduce add %r = 0 to 50257 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<?x50257xbf16, {sizes = ["N", "50257"], strides = ["50257", "1"]}>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<?xbf16, {sizes = ["N"], strides = ["1"]}>
  }
}

// -----

// The first of equals is the one of the lowest column, wherever it is.
// CHECK-LABEL: mlc_loop.kernel @argmax(
// CHECK:           mlc_loop.reduce argmax %r = 0 to 50257
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @argmax(%x: memref<4096x50257xf32>, %out: memref<4096xi64>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce argmax %r = 0 to 50257 -> i64 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50257xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xi64>
  }
}

// -----

// Rows of one alignment, stored to rows of another.
// CHECK-LABEL: mlc_loop.kernel @concatenates(
// CHECK:           mlc_loop.parallel %{{.*}} = 0 to 50257
// CHECK-NOT:       mlc_loop.parallel
mlc_loop.kernel @concatenates(%x: memref<4096x50257xbf16>, %out: memref<4096x60000xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 50257 -> bf16 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50257xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.parallel %r = 0 to 50257 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50257xbf16>
      %d = arith.divf %v, %s : bf16
      mlc_loop.store %d, %out[%p, %r] : memref<4096x60000xbf16>
    }
  }
}

// -----

// Loads that some columns leave out are not whole vectors.
// CHECK-LABEL: mlc_loop.kernel @conditional(
// CHECK:           mlc_loop.reduce add %r = 0 to 50257
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @conditional(%x: memref<4096x50257xbf16>, %out: memref<4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 50257 -> bf16 {
      %at = mlc_loop.index [%r - %p] : i64
      %z = arith.constant 0 : i64
      %in = arith.cmpi sge, %at, %z : i64
      %v = mlc_loop.load %x[%p, %r] if %in : memref<4096x50257xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<4096xbf16>
  }
}

// -----

// A kernel without a reduction is a tile.
// CHECK-LABEL: mlc_loop.kernel @tile(
// CHECK:           mlc_loop.parallel %{{.*}} = 0 to 50257
// CHECK-NOT:       mlc_loop.parallel
mlc_loop.kernel @tile(%x: memref<4096x50257xbf16>, %out: memref<4096x50257xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 50257 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x50257xbf16>
      mlc_loop.store %v, %out[%p, %r] : memref<4096x50257xbf16>
    }
  }
}

// -----

// Aligned rows without their first column: all have the same edge, which lies before the body.
// CHECK-LABEL: mlc_loop.kernel @from_column_1(
// CHECK:           mlc_loop.reduce add %k = 0 to 15
// CHECK-NEXT:        mlc_loop.load %x[%p, %k + 1]
// CHECK:           mlc_loop.reduce add %r = 0 to 4080
// CHECK-NEXT:        mlc_loop.load %x[%p, %r + 16]
mlc_loop.kernel @from_column_1(%x: memref<4096x4096xbf16>, %out: memref<4096xbf16>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 4095 -> bf16 {
      %v = mlc_loop.load %x[%p, %r + 1] : memref<4096x4096xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<4096xbf16>
  }
}
