// RUN: mlc-opt %s -p persistent-rows --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'persistent-rows{programs=4 block=32}' --split-input-file | filecheck %s --check-prefix=ASKED

// Sums over the rows beside what is stored for each row: programs walk the rows, some at once, and add up in registers;
// the kernel that reads the sums adds up the parts. Of so few rows each program takes a block.
// ASKED-LABEL: mlc_loop.kernel @rows(
// ASKED-NEXT:    mlc_loop.parallel %i = 0 to 4 {
// ASKED:           mlc_loop.serial %p = %i to 512 step 4 block 32 {
// CHECK-LABEL: mlc_loop.kernel @rows(
// CHECK-SAME:    %t_out: memref<64x1x128xf32>
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 64 {
// CHECK-NEXT:      %[[T:.*]] = mlc_loop.local add : memref<128xf32>
// CHECK-NEXT:      mlc_loop.serial %p = %i to 512 step 64 block 8 {
// CHECK-NEXT:        %[[S:.*]] = mlc_loop.reduce add %r = 0 to 128
// CHECK:             mlc_loop.store %{{.*}}, %y[%p, %r_1]
// CHECK-NEXT:        mlc_loop.accumulate add %{{.*}}, %[[T]][%r_1] : memref<128xf32>
// CHECK:           mlc_loop.parallel %r_2 = 0 to 128 {
// CHECK-NEXT:        %[[V:.*]] = mlc_loop.load %[[T]][%r_2]
// CHECK-NEXT:        mlc_loop.store %[[V]], %t_out[%i, 0, %r_2]
// CHECK-LABEL: mlc_loop.kernel @finish(
// CHECK:           mlc_loop.reduce add %i = 0 to 64 -> f32 {
// CHECK-NEXT:        mlc_loop.load %t[%i, 0, %p] : memref<64x1x128xf32>
// CHECK:           math.exp
// CHECK-LABEL: @main
// CHECK:         mlc_loop.alloc : memref<64x1x128xf32>
mlc_loop.kernel @rows(%x: memref<512x128xf32>, %y: memref<512x128xf32>, %t_out: memref<1x128xf32>) {
  mlc_loop.parallel %p = 0 to 512 {
    %s = mlc_loop.reduce add %r = 0 to 128 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x128xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 128 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x128xf32>
      %m = arith.mulf %v, %s : f32
      mlc_loop.store %m, %y[%p, %r] : memref<512x128xf32>
      mlc_loop.accumulate add %m, %t_out[0, %r] : memref<1x128xf32>
    }
  }
}
mlc_loop.kernel @finish(%t: memref<1x128xf32>, %e: memref<1x128xf32>) {
  mlc_loop.parallel %p = 0 to 128 {
    %v = mlc_loop.load %t[0, %p] : memref<1x128xf32>
    %w = math.exp %v : f32
    mlc_loop.store %w, %e[0, %p] : memref<1x128xf32>
  }
}
func.func @main(%x: memref<512x128xf32>, %y: memref<512x128xf32>, %e: memref<1x128xf32>) {
  %t = mlc_loop.alloc : memref<1x128xf32>
  mlc_loop.launch @rows(%x, %y, %t) : memref<512x128xf32>, memref<512x128xf32>, memref<1x128xf32>
  mlc_loop.launch @finish(%t, %e) : memref<1x128xf32>, memref<1x128xf32>
  func.return
}

// -----

// Without sums over the rows nothing changes.
// CHECK-LABEL: mlc_loop.kernel @plain(
// CHECK-NOT:     serial
mlc_loop.kernel @plain(%x: memref<512x128xf32>, %y: memref<512xf32>) {
  mlc_loop.parallel %p = 0 to 512 {
    %s = mlc_loop.reduce add %r = 0 to 128 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<512x128xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %y[%p] : memref<512xf32>
  }
}

// -----

// Rows that share sectors of memory in what is written: several at once.
// CHECK-LABEL: mlc_loop.kernel @written_across(
// CHECK:         mlc_loop.serial %p = %i to 16384 step 528 block 8 {
mlc_loop.kernel @written_across(%x: memref<16384x1024xf32>, %y: memref<1024x16384xf32>, %t_out: memref<1x1024xf32>) {
  mlc_loop.parallel %p = 0 to 16384 {
    %s = mlc_loop.reduce add %r = 0 to 1024 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1024 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x1024xf32>
      %m = arith.mulf %v, %s : f32
      mlc_loop.store %m, %y[%r, %p] : memref<1024x16384xf32>
      mlc_loop.accumulate add %m, %t_out[0, %r] : memref<1x1024xf32>
    }
  }
}
func.func @main(%x: memref<16384x1024xf32>, %y: memref<1024x16384xf32>) {
  %t = mlc_loop.alloc : memref<1x1024xf32>
  mlc_loop.launch @written_across(%x, %y, %t) : memref<16384x1024xf32>, memref<1024x16384xf32>, memref<1x1024xf32>
  func.return
}

// -----

// Functions that take long: more programs, of which some compute while others wait.
// CHECK-LABEL: mlc_loop.kernel @takes_long(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 528 {
// CHECK:           mlc_loop.serial %p = %i to 16384 step 528 block 2 {
mlc_loop.kernel @takes_long(%x: memref<16384x1024xf32>, %y: memref<16384x1024xf32>, %t_out: memref<1x1024xf32>) {
  mlc_loop.parallel %p = 0 to 16384 {
    %s = mlc_loop.reduce add %r = 0 to 1024 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 1024 {
      %v = mlc_loop.load %x[%p, %r] : memref<16384x1024xf32>
      %a = math.sin %v : f32
      %b = math.tanh %a : f32
      %c = math.cos %b : f32
      %m = arith.mulf %c, %s : f32
      mlc_loop.store %m, %y[%p, %r] : memref<16384x1024xf32>
      mlc_loop.accumulate add %m, %t_out[0, %r] : memref<1x1024xf32>
    }
  }
}
func.func @main(%x: memref<16384x1024xf32>, %y: memref<16384x1024xf32>) {
  %t = mlc_loop.alloc : memref<1x1024xf32>
  mlc_loop.launch @takes_long(%x, %y, %t) : memref<16384x1024xf32>, memref<16384x1024xf32>, memref<1x1024xf32>
  func.return
}
