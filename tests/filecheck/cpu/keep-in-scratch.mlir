// RUN: mlc-opt %s -p keep-in-scratch --split-input-file | filecheck %s

// The exponential is computed once, and all that it alone needs.
// CHECK-LABEL: @softmax(
// CHECK:           %[[E:.*]] = mlc_loop.scratch : memref<1024xf32>
// CHECK-NEXT:      %[[S:.*]] = mlc_loop.reduce add %[[J:.*]] = 0 to 1024 -> f32 {
// CHECK-NEXT:        mlc_loop.load %x[%i, %[[J]]]
// CHECK-NEXT:        arith.subf
// CHECK-NEXT:        %[[V:.*]] = math.exp
// CHECK-NEXT:        mlc_loop.store %[[V]], %[[E]][%[[J]]] : memref<1024xf32>
// CHECK-NEXT:        mlc_loop.yield %[[V]]
// CHECK:           mlc_loop.parallel %[[K:.*]] = 0 to 1024 {
// CHECK-NEXT:        %[[W:.*]] = mlc_loop.load %[[E]][%[[K]]] : memref<1024xf32>
// CHECK-NEXT:        %[[Y:.*]] = arith.divf %[[W]], %[[S]]
// CHECK-NEXT:        mlc_loop.store %[[Y]], %y[%i, %[[K]]]
mlc_loop.kernel @softmax(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %m = mlc_loop.reduce max %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      mlc_loop.yield %a : f32
    }
    %s = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.parallel %j = 0 to 1024 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      %q = arith.divf %e, %s : f32
      mlc_loop.store %q, %y[%i, %j] : memref<64x1024xf32>
    }
  }
}

// -----

// Of a chain its end is kept, and of what it is made of only what else needs it.
// CHECK-LABEL: @chain(
// CHECK-COUNT-2:   mlc_loop.scratch : memref<1024xf32>
// CHECK-NOT:       mlc_loop.scratch
// CHECK:           mlc_loop.parallel %{{.*}} = 0 to 1024 {
// CHECK-NEXT:        mlc_loop.load
// CHECK-NEXT:        mlc_loop.load
// CHECK-NEXT:        arith.mulf
// CHECK-NEXT:        mlc_loop.store
mlc_loop.kernel @chain(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>, %z: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.erf %a : f32
      %d = arith.addf %e, %a : f32
      %f = arith.mulf %d, %d : f32
      %g = arith.subf %f, %a : f32
      mlc_loop.yield %g : f32
    }
    mlc_loop.store %s, %z[%i] : memref<64xf32>
    mlc_loop.parallel %j = 0 to 1024 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.erf %a : f32
      %d = arith.addf %e, %a : f32
      %f = arith.mulf %d, %d : f32
      %g = arith.subf %f, %a : f32
      %q = arith.mulf %g, %e : f32
      mlc_loop.store %q, %y[%i, %j] : memref<64x1024xf32>
    }
  }
}

// -----

// What the first loop stores over, what depends on more than the first loop has, other points, cheap arithmetic and
// rows too long for a cache are computed again.
// CHECK-NOT: mlc_loop.scratch
mlc_loop.kernel @overwritten(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    mlc_loop.parallel %j = 0 to 1024 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      mlc_loop.store %e, %x[%i, %j] : memref<64x1024xf32>
    }
    %s = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %y[%i] : memref<64xf32>
  }
}

mlc_loop.kernel @others(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      mlc_loop.yield %e : f32
    }
    %t = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %b = arith.subf %a, %s : f32
      %e = math.exp %b : f32
      mlc_loop.yield %e : f32
    }
    %u = mlc_loop.reduce add %j = 0 to 512 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      mlc_loop.yield %e : f32
    }
    %v = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, 1023 - %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      mlc_loop.yield %e : f32
    }
    %b = arith.addf %t, %u : f32
    %c = arith.addf %v, %b : f32
    mlc_loop.store %c, %y[%i] : memref<64xf32>
  }
}

mlc_loop.kernel @cheap(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = arith.mulf %a, %a : f32
      mlc_loop.yield %e : f32
    }
    %t = mlc_loop.reduce max %j = 0 to 1024 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = arith.mulf %a, %a : f32
      mlc_loop.yield %e : f32
    }
    %c = arith.addf %s, %t : f32
    mlc_loop.store %c, %y[%i] : memref<64xf32>
  }
}

mlc_loop.kernel @long(%x: memref<64x100000xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %j = 0 to 100000 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x100000xf32>
      %e = math.exp %a : f32
      mlc_loop.yield %e : f32
    }
    %t = mlc_loop.reduce max %j = 0 to 100000 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x100000xf32>
      %e = math.exp %a : f32
      mlc_loop.yield %e : f32
    }
    %c = arith.addf %s, %t : f32
    mlc_loop.store %c, %y[%i] : memref<64xf32>
  }
}

// -----

// A cast to another type is another value: what is cast is kept, and cast again.
// CHECK-LABEL: @two_halves(
// CHECK:           %[[E:.*]] = mlc_loop.scratch : memref<1024xf32>
// CHECK-NOT:       mlc_loop.scratch
// CHECK:           arith.truncf %{{.*}} : f32 to f16
// CHECK:           %[[W:.*]] = mlc_loop.load %[[E]]
// CHECK-NEXT:      %[[B:.*]] = arith.truncf %[[W]] : f32 to bf16
// CHECK-NEXT:      mlc_loop.store %[[B]]
mlc_loop.kernel @two_halves(%x: memref<64x1024xf32>, %s: memref<64x1024xf16>, %y: memref<64x1024xbf16>) {
  mlc_loop.parallel %i = 0 to 64 {
    mlc_loop.parallel %j = 0 to 1024 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      %h = arith.truncf %e : f32 to f16
      mlc_loop.store %h, %s[%i, %j] : memref<64x1024xf16>
    }
    mlc_loop.parallel %j = 0 to 1024 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x1024xf32>
      %e = math.exp %a : f32
      %b = arith.truncf %e : f32 to bf16
      mlc_loop.store %b, %y[%i, %j] : memref<64x1024xbf16>
    }
  }
}
