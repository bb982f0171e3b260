// RUN: mlc-opt %s -p loop-fission --split-input-file | filecheck %s

// Channels-last: the sums of a channel, and behind them one pointwise kernel in the order of memory. What depends on
// the sum is stored for each row; the weight is loaded again.
// CHECK-LABEL: mlc_loop.kernel @norm_rows(
// CHECK-SAME:    %m: memref<64xf32>) schedule <part = 512>
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%r, %p]
// CHECK:           %[[M:.*]] = arith.divf %[[S]]
// CHECK-NEXT:      mlc_loop.store %[[M]], %mean[%p]
// CHECK-NEXT:      mlc_loop.store %[[M]], %m[%p]
// CHECK-LABEL: mlc_loop.kernel @norm(
// CHECK-NOT:     schedule
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 262144 {
// CHECK-NEXT:      %[[MEAN:.*]] = mlc_loop.load %m[%p mod 64]
// CHECK-NEXT:      %[[W:.*]] = mlc_loop.load %w[%p mod 64]
// CHECK-NEXT:      %[[V:.*]] = mlc_loop.load %x[%p floordiv 64, %p mod 64]
// CHECK-NEXT:      %[[D:.*]] = arith.subf %[[V]], %[[MEAN]]
// CHECK-NEXT:      %[[N:.*]] = arith.mulf %[[D]], %[[W]]
// CHECK-NEXT:      mlc_loop.store %[[N]], %out[%p floordiv 64, %p mod 64]
// CHECK-LABEL: func.func @main
// CHECK:         %[[ROWS:.*]] = mlc_loop.alloc : memref<64xf32>
// CHECK-NEXT:    mlc_loop.launch @norm_rows(%x, %mean, %[[ROWS]])
// CHECK-NEXT:    mlc_loop.launch @norm(%x, %w, %out, %[[ROWS]])
// CHECK-NEXT:    mlc_loop.free %[[ROWS]]
mlc_loop.kernel @norm(%x: memref<4096x64xf32>, %w: memref<64xf32>, %mean: memref<64xf32>, %out: memref<4096x64xf32>) schedule <fission = behind, part = 512> {
  mlc_loop.parallel %p = 0 to 64 {
    %weight = mlc_loop.load %w[%p] : memref<64xf32>
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x64xf32>
      mlc_loop.yield %v : f32
    }
    %n = arith.constant 4.096e+03 : f32
    %m = arith.divf %s, %n : f32
    mlc_loop.store %m, %mean[%p] : memref<64xf32>
    mlc_loop.parallel %r = 0 to 4096 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x64xf32>
      %d = arith.subf %v, %m : f32
      %y = arith.mulf %d, %weight : f32
      mlc_loop.store %y, %out[%r, %p] : memref<4096x64xf32>
    }
  }
}
func.func @main(%x: memref<4096x64xf32>, %w: memref<64xf32>, %mean: memref<64xf32>, %out: memref<4096x64xf32>) {
  mlc_loop.launch @norm(%x, %w, %mean, %out) : memref<4096x64xf32>, memref<64xf32>, memref<64xf32>, memref<4096x64xf32>
  func.return
}

// -----

// What the reductions store for each element is loaded behind them, where that spares two loads. What spares one alone is
// computed again.
// CHECK-LABEL: mlc_loop.kernel @residual_rows(
// CHECK:           mlc_loop.store %{{.*}}, %sum[%r, %p]
// CHECK:           mlc_loop.store %{{.*}}, %twice[%r, %p]
// CHECK-LABEL: mlc_loop.kernel @residual(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 262144 {
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.load %s[%p mod 64]
// CHECK-NEXT:      %[[C:.*]] = mlc_loop.load %z[%p floordiv 64, %p mod 64]
// CHECK-NEXT:      %[[V:.*]] = mlc_loop.load %sum[%p floordiv 64, %p mod 64]
// CHECK-NEXT:      %[[D:.*]] = arith.addf %[[C]], %[[C]]
// CHECK-NEXT:      %[[E:.*]] = arith.subf %[[V]], %[[S]]
// CHECK-NEXT:      %[[F:.*]] = arith.mulf %[[E]], %[[D]]
// CHECK-NEXT:      mlc_loop.store %[[F]], %out[%p floordiv 64, %p mod 64]
mlc_loop.kernel @residual(%x: memref<4096x64xf32>, %y: memref<4096x64xf32>, %z: memref<4096x64xf32>, %sum: memref<4096x64xf32>, %twice: memref<4096x64xf32>, %out: memref<4096x64xf32>) schedule <fission = behind> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%r, %p] : memref<4096x64xf32>
      %b = mlc_loop.load %y[%r, %p] : memref<4096x64xf32>
      %c = mlc_loop.load %z[%r, %p] : memref<4096x64xf32>
      %v = arith.addf %a, %b : f32
      %d = arith.addf %c, %c : f32
      mlc_loop.store %v, %sum[%r, %p] : memref<4096x64xf32>
      mlc_loop.store %d, %twice[%r, %p] : memref<4096x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %a = mlc_loop.load %x[%r, %p] : memref<4096x64xf32>
      %b = mlc_loop.load %y[%r, %p] : memref<4096x64xf32>
      %c = mlc_loop.load %z[%r, %p] : memref<4096x64xf32>
      %v = arith.addf %a, %b : f32
      %d = arith.addf %c, %c : f32
      %e = arith.subf %v, %s : f32
      %f = arith.mulf %e, %d : f32
      mlc_loop.store %f, %out[%r, %p] : memref<4096x64xf32>
    }
  }
}
func.func @main(%x: memref<4096x64xf32>, %y: memref<4096x64xf32>, %z: memref<4096x64xf32>, %sum: memref<4096x64xf32>, %twice: memref<4096x64xf32>, %out: memref<4096x64xf32>) {
  mlc_loop.launch @residual(%x, %y, %z, %sum, %twice, %out) : memref<4096x64xf32>, memref<4096x64xf32>, memref<4096x64xf32>, memref<4096x64xf32>, memref<4096x64xf32>, memref<4096x64xf32>
  func.return
}

// -----

// What is stored is contiguous along another axis than what is loaded: the second kernel has tiles.
// CHECK-LABEL: mlc_loop.kernel @turned_rows(
// CHECK-LABEL: mlc_loop.kernel @turned(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 64 {
// CHECK:             mlc_loop.load %x[%p, %r]
// CHECK:             mlc_loop.store %{{.*}}, %out[%r, %p]
mlc_loop.kernel @turned(%x: memref<4096x64xf32>, %out: memref<64x4096xf32>) schedule <fission = behind> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce max %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x64xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%p, %r] : memref<64x4096xf32>
    }
  }
}

// -----

// In place: rows are read by the first kernel, and each element by the second before it is written.
// CHECK-LABEL: mlc_loop.kernel @in_place_rows(
// CHECK-LABEL: mlc_loop.kernel @in_place(
// CHECK:           mlc_loop.load %x[%p floordiv 4096, %p mod 4096]
// CHECK:           mlc_loop.store %{{.*}}, %x[%p floordiv 4096, %p mod 4096]
mlc_loop.kernel @in_place(%x: memref<64x4096xf32>) schedule <fission = behind> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %v = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %x[%p, %r] : memref<64x4096xf32>
    }
  }
}

// -----

// Ahead of the sum: what its loop stores for each element, in tiles. The sum loads that, in parts if the schedule says so.
// CHECK-LABEL: mlc_loop.kernel @gradient_elements(
// CHECK-SAME:    %x: memref<64x4096xf32>, %y: memref<4096x64xf32>, %w: memref<64xf32>, %out: memref<4096x64xf32>)
// CHECK-NOT:     schedule
// CHECK:         mlc_loop.load %x
// CHECK:         arith.mulf
// CHECK:         mlc_loop.store %{{.*}}, %out
// CHECK-LABEL: mlc_loop.kernel @gradient(
// CHECK-SAME:    %out: memref<4096x64xf32>, %sum: memref<64xf32>) schedule <part = 512> {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 {
// CHECK-NEXT:      %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
// CHECK-NEXT:        %b = mlc_loop.load %out[%r, %p]
// CHECK-NEXT:        %c = arith.mulf %b, %b
// CHECK-NEXT:        mlc_loop.yield %c
mlc_loop.kernel @gradient(%x: memref<64x4096xf32>, %y: memref<4096x64xf32>, %w: memref<64xf32>, %out: memref<4096x64xf32>, %sum: memref<64xf32>) schedule <fission = ahead, part = 512> {
  mlc_loop.parallel %p = 0 to 64 {
    %v = mlc_loop.load %w[%p] : memref<64xf32>
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      %d = mlc_loop.load %y[%r, %p] : memref<4096x64xf32>
      %e = arith.addf %a, %d : f32
      %b = arith.mulf %e, %v : f32
      mlc_loop.store %b, %out[%r, %p] : memref<4096x64xf32>
      %c = arith.mulf %b, %b : f32
      mlc_loop.yield %c : f32
    }
    mlc_loop.store %s, %sum[%p] : memref<64xf32>
  }
}

// -----

// What later loops compute again of each element they load as well; what is like it but for an operand, they do not.
// CHECK-LABEL: mlc_loop.kernel @scaled_elements(
// CHECK:         arith.mulf
// CHECK:         mlc_loop.store %{{.*}}, %out
// CHECK-LABEL: mlc_loop.kernel @scaled(
// CHECK:           %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
// CHECK-NEXT:        %b = mlc_loop.load %out[%r, %p]
// CHECK-NEXT:        mlc_loop.yield %b
// CHECK:           mlc_loop.parallel %r_1 = 0 to 4096 {
// CHECK-NEXT:        %[[B:.*]] = mlc_loop.load %out[%r_1, %p]
// CHECK-NEXT:        %[[C:.*]] = arith.divf %[[B]], %s
// CHECK-NEXT:        mlc_loop.store %[[C]], %z
// CHECK:           mlc_loop.parallel %r_2 = 0 to 4096 {
// CHECK-NEXT:        mlc_loop.load %x[%p, %r_2]
// CHECK-NEXT:        mlc_loop.load %y[%r_2, %p]
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        arith.addf
// CHECK-NEXT:        arith.divf
mlc_loop.kernel @scaled(%x: memref<64x4096xf32>, %y: memref<4096x64xf32>, %out: memref<4096x64xf32>, %z: memref<4096x64xf32>, %u: memref<4096x64xf32>) schedule <fission = ahead> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      %d = mlc_loop.load %y[%r, %p] : memref<4096x64xf32>
      %b = arith.mulf %a, %d : f32
      mlc_loop.store %b, %out[%r, %p] : memref<4096x64xf32>
      mlc_loop.yield %b : f32
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      %d = mlc_loop.load %y[%r, %p] : memref<4096x64xf32>
      %b = arith.mulf %a, %d : f32
      %c = arith.divf %b, %s : f32
      mlc_loop.store %c, %z[%r, %p] : memref<4096x64xf32>
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      %d = mlc_loop.load %y[%r, %p] : memref<4096x64xf32>
      %b = arith.mulf %d, %d : f32
      %e = arith.addf %a, %b : f32
      %c = arith.divf %e, %s : f32
      mlc_loop.store %c, %u[%r, %p] : memref<4096x64xf32>
    }
  }
}

// -----

// Rounded to another type it is another value.
// CHECK-LABEL: mlc_loop.kernel @rounded_elements(
// CHECK-LABEL: mlc_loop.kernel @rounded(
// CHECK:           mlc_loop.parallel %r_1 = 0 to 4096 {
// CHECK-NEXT:        mlc_loop.load %x[%p, %r_1]
// CHECK-NEXT:        arith.truncf %{{.*}} : f32 to f16
mlc_loop.kernel @rounded(%x: memref<64x4096xf32>, %out: memref<4096x64xbf16>, %z: memref<4096x64xf16>, %sum: memref<64xbf16>) schedule <fission = ahead> {
  mlc_loop.parallel %p = 0 to 64 {
    %s = mlc_loop.reduce add %r = 0 to 4096 -> bf16 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      %b = arith.truncf %a : f32 to bf16
      mlc_loop.store %b, %out[%r, %p] : memref<4096x64xbf16>
      mlc_loop.yield %b : bf16
    }
    mlc_loop.store %s, %sum[%p] : memref<64xbf16>
    mlc_loop.parallel %r = 0 to 4096 {
      %a = mlc_loop.load %x[%p, %r] : memref<64x4096xf32>
      %b = arith.truncf %a : f32 to f16
      mlc_loop.store %b, %z[%r, %p] : memref<4096x64xf16>
    }
  }
}

// -----

// What all rows know is stored ahead as well, and is not loaded behind: the constant stands outside of the loop.
// CHECK-LABEL: mlc_loop.kernel @filled_elements(
// CHECK:         mlc_loop.store %{{.*}}, %zeros[
// CHECK-LABEL: mlc_loop.kernel @filled(
// CHECK-NOT:     %zeros
// CHECK:         mlc_loop.reduce add
// CHECK-NOT:     mlc_loop.load %zeros
mlc_loop.kernel @filled(%x: memref<40x64xf32>, %zeros: memref<40x64xf32>, %double: memref<40x64xf32>, %out: memref<64xf32>) schedule <fission = ahead> {
  mlc_loop.parallel %p = 0 to 64 {
    %zero = arith.constant 0.0 : f32
    %s = mlc_loop.reduce add %r = 0 to 40 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<40x64xf32>
      mlc_loop.store %zero, %zeros[%r, %p] : memref<40x64xf32>
      %w = arith.maximumf %v, %zero : f32
      mlc_loop.store %w, %double[%r, %p] : memref<40x64xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<64xf32>
  }
}
func.func @main(%x: memref<40x64xf32>, %zeros: memref<40x64xf32>, %double: memref<40x64xf32>, %out: memref<64xf32>) {
  mlc_loop.launch @filled(%x, %zeros, %double, %out) : memref<40x64xf32>, memref<40x64xf32>, memref<40x64xf32>, memref<64xf32>
  func.return
}
