// RUN: mlc-opt %s -p schedule,loop-to-triton,cse,dce --split-input-file -t triton | filecheck %s
// RUN: mlc-opt %s -p schedule --split-input-file | filecheck %s --check-prefix=LOOP

// Blocks of 16 rows meet as one: four programs at every 16th counter. The last of them has the rows in its lanes.
// LOOP:        mlc_loop.parallel %q = 0 to 1024 program 0 block 16
// LOOP:          mlc_loop.reduce add %i = 0 to 4 block 4
// CHECK-LABEL: def columns(
// CHECK:         tl.store(partial_ptr + {{.*}}, t)
// CHECK-NEXT:    if lib.is_last(arrived_ptr + ((pid % 16) * 16), 4):
// CHECK-NEXT:        r_1 = tl.arange(0, 4)[None, :]
// CHECK-NEXT:        t_1 = tl.load(partial_ptr + {{.*}})
// CHECK-NEXT:        s = tl.sum(t_1, axis=1, keep_dims=True)
// CHECK-NEXT:        tl.store(out_ptr + {{.*}}, s)
mlc_loop.kernel @columns(%x: memref<1024x256xf32>, %partial: memref<256x4xf32>, %out: memref<256xf32>, %arrived: memref<256xi32>) {
  mlc_loop.parallel %q = 0 to 1024 {
    %t = mlc_loop.reduce add %k = 0 to 256 -> f32 {
      %x_1 = mlc_loop.load %x[%k + (%q floordiv 256) * 256, %q mod 256] : memref<1024x256xf32>
      mlc_loop.yield %x_1 : f32
    }
    mlc_loop.store %t, %partial[%q mod 256, %q floordiv 256] : memref<256x4xf32>
    mlc_loop.last_block %arrived[%q mod 256] of 4 : memref<256xi32> {
      %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
        %t_1 = mlc_loop.load %partial[%q mod 256, %i] : memref<256x4xf32>
        mlc_loop.yield %t_1 : f32
      }
      mlc_loop.store %s, %out[%q mod 256] : memref<256xf32>
    }
  }
}

// -----

// The last of the blocks within the 10001 rows of each part begins early, and meets at its own first row.
// LOOP-LABEL:  @columns_within(
// LOOP:          mlc_loop.parallel %q = 0 to 20002 program 0 block 64 overlap 10001 {
// CHECK-LABEL: def columns_within(
// CHECK-NEXT:    pid = tl.program_id(0)
// CHECK-NEXT:    start = tl.minimum((pid % 157) * 64, 9937)
// CHECK-NEXT:    lanes = tl.arange(0, 64)[:, None]
// CHECK-NEXT:    p = start + lanes
// CHECK-NEXT:    part = pid // 157
// CHECK:         tl.load(x_ptr + (part * 10241024 + {{.*}} * 10001 + p))
// CHECK:         tl.store(partial_ptr + (part + p * 2), t)
// CHECK-NEXT:    if lib.is_last(arrived_ptr + start, 2):
mlc_loop.kernel @columns_within(%x: memref<2048x10001xf32>, %partial: memref<10001x2xf32>, %out: memref<10001xf32>, %arrived: memref<10001xi32>) {
  mlc_loop.parallel %q = 0 to 20002 overlap 10001 {
    %t = mlc_loop.reduce add %k = 0 to 1024 -> f32 {
      %x_1 = mlc_loop.load %x[%k + (%q floordiv 10001) * 1024, %q mod 10001] : memref<2048x10001xf32>
      mlc_loop.yield %x_1 : f32
    }
    mlc_loop.store %t, %partial[%q mod 10001, %q floordiv 10001] : memref<10001x2xf32>
    mlc_loop.last_block %arrived[%q mod 10001] of 2 : memref<10001xi32> {
      %s = mlc_loop.reduce add %i = 0 to 2 -> f32 {
        %t_1 = mlc_loop.load %partial[%q mod 10001, %i] : memref<10001x2xf32>
        mlc_loop.yield %t_1 : f32
      }
      mlc_loop.store %s, %out[%q mod 10001] : memref<10001xf32>
    }
  }
}

// -----

// 100 rows in blocks of 32 are 4 programs; what the last of them adds up has no rows.
// CHECK-LABEL: def mean(
// CHECK:         tl.store(row_ptr + {{.*}}, t, mask={{.*}})
// CHECK-NEXT:    if lib.is_last(arrived_ptr, 4):
// CHECK-NEXT:        r_1 = tl.arange(0, 128)
// CHECK:             s = tl.sum({{.*}}, axis=0)
// CHECK-NEXT:        tl.store(out_ptr, s)
mlc_loop.kernel @mean(%x: memref<100x32xf32>, %row: memref<100xf32>, %out: memref<1xf32>, %arrived: memref<1xi32>) schedule <rows = 32, columns = 32, warps = 1> {
  mlc_loop.parallel %q = 0 to 100 {
    %t = mlc_loop.reduce max %k = 0 to 32 -> f32 {
      %x_1 = mlc_loop.load %x[%q, %k] : memref<100x32xf32>
      mlc_loop.yield %x_1 : f32
    }
    mlc_loop.store %t, %row[%q] : memref<100xf32>
    mlc_loop.last_block %arrived[0] of 100 : memref<1xi32> {
      %s = mlc_loop.reduce add %i = 0 to 100 -> f32 {
        %t_1 = mlc_loop.load %row[%i] : memref<100xf32>
        mlc_loop.yield %t_1 : f32
      }
      mlc_loop.store %s, %out[0] : memref<1xf32>
    }
  }
}

// -----

// Rows one after the other meet four by four: a program takes one at once.
// LOOP-LABEL:  @long_rows(
// LOOP-NEXT:     mlc_loop.parallel %q = 0 to 64 program 0 block 1 {
// CHECK-LABEL: def long_rows(
// CHECK:         if lib.is_last(arrived_ptr + (q // 4), 4):
mlc_loop.kernel @long_rows(%x: memref<64x32xf32>, %partial: memref<16x4xf32>, %out: memref<16xf32>, %arrived: memref<16xi32>) {
  mlc_loop.parallel %q = 0 to 64 {
    %t = mlc_loop.reduce add %k = 0 to 32 -> f32 {
      %x_1 = mlc_loop.load %x[%q, %k] : memref<64x32xf32>
      mlc_loop.yield %x_1 : f32
    }
    mlc_loop.store %t, %partial[%q floordiv 4, %q mod 4] : memref<16x4xf32>
    mlc_loop.last_block %arrived[%q floordiv 4] of 4 : memref<16xi32> {
      %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
        %t_1 = mlc_loop.load %partial[%q floordiv 4, %i] : memref<16x4xf32>
        mlc_loop.yield %t_1 : f32
      }
      mlc_loop.store %s, %out[%q floordiv 4] : memref<16xf32>
    }
  }
}
