// RUN: mlc-opt %s -p narrow-integers --split-input-file | filecheck %s

// A causal mask with slopes: the difference of positions is compared, and becomes a float.
// CHECK-LABEL: mlc_loop.kernel @sloped(
// CHECK-NEXT:    mlc_loop.parallel (%p, %r) = 0 to (4096, 4096) {
// CHECK-NEXT:      %{{.*}} = mlc_loop.load %x[%p, %r] : memref<4096x4096xf32>
// CHECK-NEXT:      %[[A:.*]] = mlc_loop.index [%p] : i32
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.index [%r] : i32
// CHECK-NEXT:      %[[D:.*]] = arith.subi %[[A]], %[[B]] : i32
// CHECK-NEXT:      %{{.*}} = arith.sitofp %[[D]] : i32 to f32
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT:      %{{.*}} = arith.cmpi slt, %[[D]], %[[ZERO]] : i32
// CHECK-NOT:       i64
mlc_loop.kernel @sloped(%x: memref<4096x4096xf32>, %y: memref<4096x4096xf32>) {
  mlc_loop.parallel (%p, %r) = 0 to (4096, 4096) {
    %v = mlc_loop.load %x[%p, %r] : memref<4096x4096xf32>
    %a = mlc_loop.index [%p] : i64
    %b = mlc_loop.index [%r] : i64
    %d = arith.subi %a, %b : i64
    %f = arith.sitofp %d : i64 to f32
    %zero = arith.constant 0 : i64
    %hidden = arith.cmpi slt, %d, %zero : i64
    %s = arith.addf %v, %f : f32
    %least = arith.constant 0xff800000 : f32
    %t = arith.select %hidden, %least, %s : f32
    mlc_loop.store %t, %y[%p, %r] : memref<4096x4096xf32>
  }
}

// -----

// Buckets of distances: the magnitude, the quotient rounded down, the least of two, bits; and an index of a table.
// CHECK-LABEL: mlc_loop.kernel @buckets(
// CHECK:           %[[M:.*]] = math.absi %{{.*}} : i32
// CHECK:           %[[Q:.*]] = arith.divsi %[[M]], %{{.*}} : i32
// CHECK:           %[[C:.*]] = arith.minsi %[[Q]], %{{.*}} : i32
// CHECK:           %[[LATE:.*]] = arith.extui %{{.*}} : i1 to i32
// CHECK:           %[[S:.*]] = arith.shli %[[LATE]], %{{.*}} : i32
// CHECK-NEXT:      %[[O:.*]] = arith.ori %[[C]], %[[S]] : i32
// CHECK-NEXT:      %[[G:.*]] = mlc_loop.indirect_index %[[O]] below 32 : i32
// CHECK-NEXT:      %{{.*}} = mlc_loop.load %w[%[[G]]] : memref<32xf32>
mlc_loop.kernel @buckets(%w: memref<32xf32>, %y: memref<512x512xf32>) {
  mlc_loop.parallel (%p, %r) = 0 to (512, 512) {
    %d = mlc_loop.index [%p - %r] : i64
    %m = math.absi %d : i64
    %eight = arith.constant 8 : i64
    %q = arith.divsi %m, %eight : i64
    %most = arith.constant 15 : i64
    %c = arith.minsi %q, %most : i64
    %zero = arith.constant 0 : i64
    %is_late = arith.cmpi sgt, %d, %zero : i64
    %late = arith.extui %is_late : i1 to i64
    %four = arith.constant 4 : i64
    %s = arith.shli %late, %four : i64
    %o = arith.ori %c, %s : i64
    %g = mlc_loop.indirect_index %o below 32 : i64
    %v = mlc_loop.load %w[%g] : memref<32xf32>
    mlc_loop.store %v, %y[%p, %r] : memref<512x512xf32>
  }
}

// -----

// A number that is loaded may be anything: what compares with it does so in 64 bits. Once it is clamped, its low half
// says all.
// CHECK-LABEL: mlc_loop.kernel @loaded(
// CHECK:           %[[I:.*]] = mlc_loop.index [%p] : i64
// CHECK:           arith.cmpi slt, %[[I]], %{{.*}} : i64
// CHECK:           %[[C:.*]] = arith.minsi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:      %[[L:.*]] = arith.trunci %[[C]] : i64 to i32
// CHECK-NEXT:      arith.sitofp %[[L]] : i32 to f32
// CHECK-NEXT:      arith.sitofp %{{.*}} : i64 to f32
mlc_loop.kernel @loaded(%l: memref<64xi64>, %x: memref<64xi1>, %y: memref<64xf32>, %z: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %n = mlc_loop.load %l[%p] : memref<64xi64>
    %i = mlc_loop.index [%p] : i64
    %inside = arith.cmpi slt, %i, %n : i64
    %zero = arith.constant 0 : i64
    %nine = arith.constant 9 : i64
    %b = arith.maxsi %n, %zero : i64
    %c = arith.minsi %b, %nine : i64
    %f = arith.sitofp %c : i64 to f32
    %g = arith.sitofp %n : i64 to f32
    mlc_loop.store %inside, %x[%p] : memref<64xi1>
    mlc_loop.store %f, %y[%p] : memref<64xf32>
    mlc_loop.store %g, %z[%p] : memref<64xf32>
  }
}

// -----

// 46340 * 46340 fits, 46341 * 46341 does not. What is computed of the larger one stays in 64 bits, though it fits.
// CHECK-LABEL: mlc_loop.kernel @products(
// CHECK:           %[[A:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:      arith.sitofp %[[A]] : i32 to f32
// CHECK:           %[[B:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:      arith.sitofp %[[B]] : i64 to f32
// CHECK:           %[[C:.*]] = arith.divsi %[[B]], %{{.*}} : i64
// CHECK-NEXT:      %[[D:.*]] = arith.trunci %[[C]] : i64 to i32
// CHECK-NEXT:      arith.sitofp %[[D]] : i32 to f32
mlc_loop.kernel @products(%x: memref<46341xf32>, %y: memref<46342xf32>, %z: memref<46342xf32>) {
  mlc_loop.parallel %p = 0 to 46341 {
    %i = mlc_loop.index [%p] : i64
    %s = arith.muli %i, %i : i64
    %f = arith.sitofp %s : i64 to f32
    mlc_loop.store %f, %x[%p] : memref<46341xf32>
  }
  mlc_loop.parallel %p = 0 to 46342 {
    %i = mlc_loop.index [%p] : i64
    %s = arith.muli %i, %i : i64
    %f = arith.sitofp %s : i64 to f32
    %two = arith.constant 2 : i64
    %h = arith.divsi %s, %two : i64
    %g = arith.sitofp %h : i64 to f32
    mlc_loop.store %f, %y[%p] : memref<46342xf32>
    mlc_loop.store %g, %z[%p] : memref<46342xf32>
  }
}

// -----

// What is stored in 64 bits is computed in 64 bits, once; who reads it narrow reads its low half.
// CHECK-LABEL: mlc_loop.kernel @stored(
// CHECK-NEXT:    mlc_loop.parallel (%p, %r) = 0 to (64, 64) {
// CHECK-NEXT:      %[[A:.*]] = mlc_loop.index [%p] : i64
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.index [%r] : i64
// CHECK-NEXT:      %[[D:.*]] = arith.subi %[[A]], %[[B]] : i64
// CHECK-NEXT:      %[[L:.*]] = arith.trunci %[[D]] : i64 to i32
// CHECK-NEXT:      mlc_loop.store %[[D]], %x[%p, %r] : memref<64x64xi64>
// CHECK-NEXT:      %{{.*}} = arith.sitofp %[[L]] : i32 to f32
mlc_loop.kernel @stored(%x: memref<64x64xi64>, %y: memref<64x64xf32>) {
  mlc_loop.parallel (%p, %r) = 0 to (64, 64) {
    %a = mlc_loop.index [%p] : i64
    %b = mlc_loop.index [%r] : i64
    %d = arith.subi %a, %b : i64
    mlc_loop.store %d, %x[%p, %r] : memref<64x64xi64>
    %f = arith.sitofp %d : i64 to f32
    mlc_loop.store %f, %y[%p, %r] : memref<64x64xf32>
  }
}

// -----

// An index that is read both wide and narrow is there in both: neither costs anything.
// CHECK-LABEL: mlc_loop.kernel @both(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 {
// CHECK-NEXT:      %[[A:.*]] = mlc_loop.index [%p] : i64
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.index [%p] : i32
// CHECK-NEXT:      mlc_loop.store %[[A]], %x[%p] : memref<64xi64>
// CHECK-NEXT:      %{{.*}} = arith.sitofp %[[B]] : i32 to f32
mlc_loop.kernel @both(%x: memref<64xi64>, %y: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %a = mlc_loop.index [%p] : i64
    mlc_loop.store %a, %x[%p] : memref<64xi64>
    %f = arith.sitofp %a : i64 to f32
    mlc_loop.store %f, %y[%p] : memref<64xf32>
  }
}

// -----

// Extents near 2 ** 31: positions fit, and so does their negation; one more does not.
// CHECK-LABEL: mlc_loop.kernel @long(
// CHECK:           mlc_loop.index [%p] : i32
// CHECK:           mlc_loop.index [-%p - 1] : i32
// CHECK:           mlc_loop.index [%p + 1] : i64
// CHECK:           mlc_loop.index [-%p - 2] : i64
mlc_loop.kernel @long(%x: memref<2147483648xf32>) {
  mlc_loop.parallel %p = 0 to 2147483648 {
    %a = mlc_loop.index [%p] : i64
    %b = mlc_loop.index [0 - %p - 1] : i64
    %c = mlc_loop.index [%p + 1] : i64
    %d = mlc_loop.index [0 - %p - 2] : i64
    %e = arith.sitofp %a : i64 to f32
    %f = arith.sitofp %b : i64 to f32
    %g = arith.sitofp %c : i64 to f32
    %h = arith.sitofp %d : i64 to f32
    %s = arith.addf %e, %f : f32
    %t = arith.addf %g, %h : f32
    %u = arith.addf %s, %t : f32
    mlc_loop.store %u, %x[%p] : memref<2147483648xf32>
  }
}

// -----

// Nothing bounds a size that is not known, save what divides by it or takes a remainder of a constant.
// CHECK-LABEL: mlc_loop.kernel @sizes(
// CHECK:           mlc_loop.index [%p] : i64
// CHECK:           mlc_loop.index [%p mod 128] : i32
mlc_loop.kernel @sizes(%x: memref<?xf32, {sizes = ["N"], strides = ["1"]}>) {
  mlc_loop.parallel %p = 0 to N {
    %a = mlc_loop.index [%p] : i64
    %b = mlc_loop.index [%p mod 128] : i64
    %c = arith.sitofp %a : i64 to f32
    %d = arith.sitofp %b : i64 to f32
    %s = arith.addf %c, %d : f32
    mlc_loop.store %s, %x[%p] : memref<?xf32, {sizes = ["N"], strides = ["1"]}>
  }
}

// -----

// Integers in 32 bits or fewer may be extended and narrowed again. Without a sign, one of 32 bits does not fit.
// CHECK-LABEL: mlc_loop.kernel @extended(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 {
// CHECK-NEXT:      %[[N:.*]] = mlc_loop.load %x[%p] : memref<64xi32>
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.load %y[%p] : memref<64xi8>
// CHECK-NEXT:      %{{.*}} = arith.sitofp %[[N]] : i32 to f32
// CHECK-NEXT:      %[[U:.*]] = arith.extui %[[N]] : i32 to i64
// CHECK-NEXT:      %{{.*}} = arith.sitofp %[[U]] : i64 to f32
// CHECK-NEXT:      %[[V:.*]] = arith.extui %[[B]] : i8 to i32
// CHECK-NEXT:      %{{.*}} = arith.uitofp %[[V]] : i32 to f32
mlc_loop.kernel @extended(%x: memref<64xi32>, %y: memref<64xi8>, %z: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %n = mlc_loop.load %x[%p] : memref<64xi32>
    %b = mlc_loop.load %y[%p] : memref<64xi8>
    %s = arith.extsi %n : i32 to i64
    %d = arith.sitofp %s : i64 to f32
    %u = arith.extui %n : i32 to i64
    %e = arith.sitofp %u : i64 to f32
    %v = arith.extui %b : i8 to i64
    %f = arith.uitofp %v : i64 to f32
    %g = arith.addf %d, %e : f32
    %h = arith.addf %g, %f : f32
    mlc_loop.store %h, %z[%p] : memref<64xf32>
  }
}

// -----

// A negative number is a large one without its sign. A truncation reads narrow, and may be nothing then.
// CHECK-LABEL: mlc_loop.kernel @signs(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 64 {
// CHECK-NEXT:      %[[A:.*]] = mlc_loop.index [%p - 5] : i64
// CHECK-NEXT:      %[[B:.*]] = mlc_loop.index [%p - 5] : i32
// CHECK-NEXT:      arith.uitofp %[[A]] : i64 to f32
// CHECK-NEXT:      arith.trunci %[[B]] : i32 to i8
// CHECK-NEXT:      mlc_loop.store %[[B]], %x[%p] : memref<64xi32>
mlc_loop.kernel @signs(%x: memref<64xi32>, %y: memref<64xi8>, %z: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %a = mlc_loop.index [%p - 5] : i64
    %f = arith.uitofp %a : i64 to f32
    %n = arith.trunci %a : i64 to i32
    %b = arith.trunci %a : i64 to i8
    mlc_loop.store %n, %x[%p] : memref<64xi32>
    mlc_loop.store %b, %y[%p] : memref<64xi8>
    mlc_loop.store %f, %z[%p] : memref<64xf32>
  }
}

// -----

// A sum of positions, and a shift that 32 bits do not have.
// CHECK-LABEL: mlc_loop.kernel @wide(
// CHECK:           %[[A:.*]] = mlc_loop.index [%r] : i64
// CHECK-NEXT:      mlc_loop.yield %[[A]] : i64
// CHECK:         %[[S:.*]] = arith.shrsi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    arith.sitofp %[[S]] : i64 to f32
mlc_loop.kernel @wide(%x: memref<64xi64>, %y: memref<64xf32>) {
  mlc_loop.parallel %p = 0 to 64 {
    %sum = mlc_loop.reduce add %r = 0 to 64 -> i64 {
      %a = mlc_loop.index [%r] : i64
      mlc_loop.yield %a : i64
    }
    mlc_loop.store %sum, %x[%p] : memref<64xi64>
    %b = mlc_loop.index [%p] : i64
    %c = arith.constant 40 : i64
    %s = arith.shrsi %b, %c : i64
    %f = arith.sitofp %s : i64 to f32
    mlc_loop.store %f, %y[%p] : memref<64xf32>
  }
}
