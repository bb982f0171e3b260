// RUN: mlc-opt %s -p online-reduction --split-input-file | filecheck %s

// The maximum, and the sum of exponentials below it: one loop, which reads the row once.
// CHECK-LABEL: mlc_loop.kernel @softmax(
// CHECK:           %[[M:.*]], %[[S:.*]] = mlc_loop.reduce softmax %r = 0 to 32768 -> f32, f32 {
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %x[%p, %r]
// CHECK-NEXT:        mlc_loop.yield %[[V]] : f32
// CHECK-NOT:       mlc_loop.reduce
// CHECK:           arith.subf %{{.*}}, %[[M]]
// CHECK:           arith.divf %{{.*}}, %[[S]]
mlc_loop.kernel @softmax(%x: memref<512x32768xf32>, %out: memref<512x32768xf32>) schedule <online = true> {
  mlc_loop.parallel %p = 0 to 512 {
    %m = mlc_loop.reduce max %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      mlc_loop.yield %v : f32
    }
    %s = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.parallel %r = 0 to 32768 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      %q = arith.divf %e, %s : f32
      mlc_loop.store %q, %out[%p, %r] : memref<512x32768xf32>
    }
  }
}

// -----

// The mean and the squared distances from it. Another sum of the second loop stays where it is.
// CHECK-LABEL: mlc_loop.kernel @variance(
// CHECK:           %[[T:.*]], %[[Q:.*]] = mlc_loop.reduce welford %r = 0 to 32768 -> f32, f32 {
// CHECK:           %[[MEAN:.*]] = arith.divf %[[T]],
// CHECK:           %[[A:.*]] = mlc_loop.reduce add %r_1 = 0 to 32768 -> f32 {
// CHECK:             math.absf
// CHECK-DAG:       mlc_loop.store %[[Q]], %var[%p]
// CHECK-DAG:       mlc_loop.store %[[A]], %dev[%p]
mlc_loop.kernel @variance(%x: memref<512x32768xf32>, %var: memref<512xf32>, %dev: memref<512xf32>) schedule <online = true> {
  mlc_loop.parallel %p = 0 to 512 {
    %t = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 32768.0 : f32
    %mean = arith.divf %t, %n : f32
    %q, %a = mlc_loop.reduce add, add %r = 0 to 32768 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      %d = arith.subf %v, %mean : f32
      %e = arith.mulf %d, %d : f32
      %b = math.absf %d : f32
      mlc_loop.yield %e, %b : f32, f32
    }
    mlc_loop.store %q, %var[%p] : memref<512xf32>
    mlc_loop.store %a, %dev[%p] : memref<512xf32>
  }
}

// -----

// Distances from something else than the mean: 32767 is not the number of columns.
// CHECK-LABEL: mlc_loop.kernel @not_the_mean(
// CHECK-NOT:     welford
mlc_loop.kernel @not_the_mean(%x: memref<512x32768xf32>, %var: memref<512xf32>) schedule <online = true> {
  mlc_loop.parallel %p = 0 to 512 {
    %t = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 32767.0 : f32
    %mean = arith.divf %t, %n : f32
    %q = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      %d = arith.subf %v, %mean : f32
      %e = arith.mulf %d, %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %q, %var[%p] : memref<512xf32>
  }
}

// -----

// The maximum of one tensor, exponentials of another.
// CHECK-LABEL: mlc_loop.kernel @other_tensor(
// CHECK-NOT:     softmax
mlc_loop.kernel @other_tensor(%x: memref<512x32768xf32>, %y: memref<512x32768xf32>, %out: memref<512xf32>) schedule <online = true> {
  mlc_loop.parallel %p = 0 to 512 {
    %m = mlc_loop.reduce max %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      mlc_loop.yield %v : f32
    }
    %s = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %y[%p, %r] : memref<512x32768xf32>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %out[%p] : memref<512xf32>
  }
}

// -----

// What is left of the second loop, of which the first has taken one reduction, is joined with the third.
// CHECK-LABEL: mlc_loop.kernel @chain(
// CHECK:           %t, %q = mlc_loop.reduce welford %r = 0 to 32768 -> f32, f32 {
// CHECK:           %m, %s = mlc_loop.reduce softmax %{{.*}} = 0 to 32768 -> f32, f32 {
// CHECK-NOT:       mlc_loop.reduce
mlc_loop.kernel @chain(%x: memref<512x32768xf32>, %out: memref<4x512xf32>) schedule <online = true> {
  mlc_loop.parallel %p = 0 to 512 {
    %n = arith.constant 32768.0 : f32
    %t = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      mlc_loop.yield %v : f32
    }
    %mean = arith.divf %t, %n : f32
    %q, %m = mlc_loop.reduce add, max %r = 0 to 32768 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      %d = arith.subf %v, %mean : f32
      %e = arith.mulf %d, %d : f32
      mlc_loop.yield %e, %v : f32, f32
    }
    %s = mlc_loop.reduce add %r = 0 to 32768 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x32768xf32>
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %t, %out[0, %p] : memref<4x512xf32>
    mlc_loop.store %q, %out[1, %p] : memref<4x512xf32>
    mlc_loop.store %m, %out[2, %p] : memref<4x512xf32>
    mlc_loop.store %s, %out[3, %p] : memref<4x512xf32>
  }
}

// -----

// Of rows that are read again for results, variances are joined sooner: here from 8193 columns on.
// CHECK-LABEL: mlc_loop.kernel @normed(
// CHECK:         mlc_loop.reduce welford %r = 0 to 12288
mlc_loop.kernel @normed(%x: memref<8x12288xf32>, %out: memref<8x12288xf32>) schedule <online = true> {
  mlc_loop.parallel %p = 0 to 8 {
    %t = mlc_loop.reduce add %r = 0 to 12288 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x12288xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 12288.0 : f32
    %mean = arith.divf %t, %n : f32
    %q = mlc_loop.reduce add %r = 0 to 12288 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x12288xf32>
      %d = arith.subf %v, %mean : f32
      %s = arith.mulf %d, %d : f32
      mlc_loop.yield %s : f32
    }
    mlc_loop.parallel %r = 0 to 12288 {
      %v = mlc_loop.load %x[%p, %r] : memref<8x12288xf32>
      %d = arith.divf %v, %q : f32
      mlc_loop.store %d, %out[%p, %r] : memref<8x12288xf32>
    }
  }
}

// -----

// Loops with a loop inside: sums that are linear in the exponential join the softmax, and others that need none of its
// results do too. The sum of squares does not: it would change otherwise where the maximum grows.
// CHECK-LABEL: mlc_loop.kernel @attention(
// CHECK:           %m, %l, %n, %o = mlc_loop.reduce softmax, add, weighted %j = 0 to 48 -> f32, f32, f32, f32 {
// CHECK-NEXT:        %s = mlc_loop.reduce add %d = 0 to 32 -> f32 {
// CHECK:             %f = mlc_loop.load %w[%i, %j]
// CHECK-NEXT:        %y = mlc_loop.load %v[%j, %c]
// CHECK-NEXT:        %[[W:.*]] = arith.mulf %f, %y : f32
// CHECK-NEXT:        mlc_loop.yield %s, %f, %[[W]] : f32, f32, f32
// CHECK:           %q2 = mlc_loop.reduce add %j_1 = 0 to 48 -> f32 {
// CHECK:             mlc_loop.yield %z_1 : f32
// CHECK:           mlc_loop.store %o
mlc_loop.kernel @attention(%q: memref<64x32xf32>, %k: memref<48x32xf32>, %v: memref<48x16xf32>, %w: memref<64x48xf32>, %out: memref<64x16xf32>, %sum: memref<64x16xf32>, %more: memref<64x16xf32>, %square: memref<64x16xf32>) schedule <online = true> {
  mlc_loop.parallel (%i, %c) = 0 to (64, 16) {
    %m = mlc_loop.reduce max %j = 0 to 48 -> f32 {
      %s = mlc_loop.reduce add %d = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %d] : memref<64x32xf32>
        %b = mlc_loop.load %k[%j, %d] : memref<48x32xf32>
        %t = arith.mulf %a, %b : f32
        mlc_loop.yield %t : f32
      }
      mlc_loop.yield %s : f32
    }
    %l, %o = mlc_loop.reduce add, add %j = 0 to 48 -> f32, f32 {
      %s = mlc_loop.reduce add %d = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %d] : memref<64x32xf32>
        %b = mlc_loop.load %k[%j, %d] : memref<48x32xf32>
        %t = arith.mulf %a, %b : f32
        mlc_loop.yield %t : f32
      }
      %x = arith.subf %s, %m : f32
      %e = math.exp %x : f32
      %y = mlc_loop.load %v[%j, %c] : memref<48x16xf32>
      %f = mlc_loop.load %w[%i, %j] : memref<64x48xf32>
      %g = arith.mulf %e, %f : f32
      %z = arith.mulf %g, %y : f32
      mlc_loop.yield %e, %z : f32, f32
    }
    %n = mlc_loop.reduce add %j = 0 to 48 -> f32 {
      %f = mlc_loop.load %w[%i, %j] : memref<64x48xf32>
      mlc_loop.yield %f : f32
    }
    %q2 = mlc_loop.reduce add %j = 0 to 48 -> f32 {
      %s = mlc_loop.reduce add %d = 0 to 32 -> f32 {
        %a = mlc_loop.load %q[%i, %d] : memref<64x32xf32>
        %b = mlc_loop.load %k[%j, %d] : memref<48x32xf32>
        %t = arith.mulf %a, %b : f32
        mlc_loop.yield %t : f32
      }
      %x = arith.subf %s, %m : f32
      %z = arith.mulf %x, %x : f32
      mlc_loop.yield %z : f32
    }
    mlc_loop.store %o, %out[%i, %c] : memref<64x16xf32>
    mlc_loop.store %l, %sum[%i, %c] : memref<64x16xf32>
    mlc_loop.store %n, %more[%i, %c] : memref<64x16xf32>
    mlc_loop.store %q2, %square[%i, %c] : memref<64x16xf32>
  }
}
