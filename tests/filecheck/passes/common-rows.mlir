// RUN: mlc-opt %s -p persistent-rows --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'persistent-rows{programs=588 block=8}' --split-input-file | filecheck %s --check-prefix=ASKED

// A table of biases is looked up for each of 49 rows of 1,024 windows: the same rows of all windows are for one program,
// one after the other.
// ASKED-LABEL: mlc_loop.kernel @windows(
// ASKED:           mlc_loop.serial %p = %i to 301056 step 588 block 8 {
// ASKED-LABEL: mlc_loop.kernel @stored_again(
// ASKED-NOT:     serial
// CHECK-LABEL: mlc_loop.kernel @windows(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to [[N:[0-9]+]] {
// CHECK-NEXT:      mlc_loop.serial %p = %i to 301056 step [[N]] block {{[0-9]+}} {
mlc_loop.kernel @windows(%x: memref<301056x49xbf16>, %at: memref<49x49xi64>, %table: memref<169x6xf32>, %y: memref<301056x49xbf16>) {
  mlc_loop.parallel %p = 0 to 301056 {
    %s = mlc_loop.reduce add %r = 0 to 49 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<301056x49xbf16>
      %w = arith.extf %v : bf16 to f32
      %k = mlc_loop.load %at[%p mod 49, %r] : memref<49x49xi64>
      %g = mlc_loop.indirect_index %k below 169 : i64
      %b = mlc_loop.load %table[%g, (%p floordiv 49) mod 6] : memref<169x6xf32>
      %e = math.exp %b : f32
      %t = arith.mulf %w, %e : f32
      %u = math.exp %t : f32
      mlc_loop.yield %u : f32
    }
    mlc_loop.parallel %r = 0 to 49 {
      %v = mlc_loop.load %x[%p, %r] : memref<301056x49xbf16>
      %w = arith.extf %v : bf16 to f32
      %k = mlc_loop.load %at[%p mod 49, %r] : memref<49x49xi64>
      %g = mlc_loop.indirect_index %k below 169 : i64
      %b = mlc_loop.load %table[%g, (%p floordiv 49) mod 6] : memref<169x6xf32>
      %e = math.exp %b : f32
      %t = arith.mulf %w, %e : f32
      %u = math.exp %t : f32
      %d = arith.divf %u, %s : f32
      %n = arith.truncf %d : f32 to bf16
      mlc_loop.store %n, %y[%p, %r] : memref<301056x49xbf16>
    }
  }
}

// -----

// Without columns: what is computed of 65,536 places is stored 64 times.
// CHECK-LABEL: mlc_loop.kernel @stored_again(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to [[N:[0-9]+]] {
// CHECK-NEXT:      mlc_loop.serial %p = %i to 4194304 step [[N]] block [[B:[0-9]+]] {
mlc_loop.kernel @stored_again(%x: memref<65536xf32>, %y: memref<64x65536xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p mod 65536] : memref<65536xf32>
    %a = math.log %v : f32
    %b = math.sin %a : f32
    %c = math.log %b : f32
    %d = math.sin %c : f32
    mlc_loop.store %d, %y[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
  }
}

// -----

// Memory bounds this one: nothing is gained.
// CHECK-LABEL: mlc_loop.kernel @bound_by_memory(
// CHECK-NOT:     serial
mlc_loop.kernel @bound_by_memory(%x: memref<64x65536xf32>, %b: memref<65536xf32>, %y: memref<64x65536xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
    %w = mlc_loop.load %b[%p mod 65536] : memref<65536xf32>
    %c = arith.addf %v, %w : f32
    mlc_loop.store %c, %y[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
  }
}

// -----

// No two rows have anything in common.
// CHECK-LABEL: mlc_loop.kernel @each_its_own(
// CHECK-NOT:     serial
mlc_loop.kernel @each_its_own(%x: memref<64x65536xf32>, %y: memref<64x65536xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
    %a = math.log %v : f32
    %b = math.sin %a : f32
    %c = math.log %b : f32
    %d = math.sin %c : f32
    mlc_loop.store %d, %y[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
  }
}

// -----

// What rows have in common is little beside what each has of its own.
// CHECK-LABEL: mlc_loop.kernel @little_in_common(
// CHECK-NOT:     serial
mlc_loop.kernel @little_in_common(%x: memref<64x65536xf32>, %b: memref<65536xf32>, %y: memref<64x65536xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
    %w = mlc_loop.load %b[%p mod 65536] : memref<65536xf32>
    %a = arith.addf %v, %w : f32
    %c = math.sin %a : f32
    %d = math.log %c : f32
    %e = math.sin %d : f32
    mlc_loop.store %e, %y[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
  }
}

// -----

// Rows that add to each other's memory, and what the schedule has decided, stay as they are.
// CHECK-LABEL: mlc_loop.kernel @adds(
// CHECK-NOT:     serial
mlc_loop.kernel @adds(%x: memref<65536xf32>, %y: memref<64x65536xf32>) {
  mlc_loop.parallel %p = 0 to 4194304 {
    %v = mlc_loop.load %x[%p mod 65536] : memref<65536xf32>
    %a = math.log %v : f32
    %b = math.sin %a : f32
    %c = math.log %b : f32
    %d = math.sin %c : f32
    mlc_loop.atomic add %d, %y[%p floordiv 65536, %p mod 65536] : memref<64x65536xf32>
  }
}

// -----

// A number of rows that is not known stays as it is.
// CHECK-LABEL: mlc_loop.kernel @unknown(
// CHECK-NOT:     serial
mlc_loop.kernel @unknown(%x: memref<65536xf32>, %y: memref<?x65536xf32, strided<[65536, 1]>, {sizes = ["N", "65536"], strides = ["65536", "1"]}>) {
  mlc_loop.parallel %p = 0 to N * 65536 {
    %v = mlc_loop.load %x[%p mod 65536] : memref<65536xf32>
    %a = math.log %v : f32
    %b = math.sin %a : f32
    %c = math.log %b : f32
    %d = math.sin %c : f32
    mlc_loop.store %d, %y[%p floordiv 65536, %p mod 65536] : memref<?x65536xf32, strided<[65536, 1]>, {sizes = ["N", "65536"], strides = ["65536", "1"]}>
  }
}
