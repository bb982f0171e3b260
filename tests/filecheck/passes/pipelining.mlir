// RUN: mlc-opt %s -p 'schedule' --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'schedule{stages=1}' --split-input-file | filecheck %s --check-prefix=WAITS

// The loads of a loop over blocks are on their way two blocks ahead.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK:         mlc_loop.reduce add %r = 0 to 100000 block 8192 stages 3 -> f32 {
// WAITS:         mlc_loop.reduce add %r = 0 to 100000 block {{[0-9]+}} -> f32 {
mlc_loop.kernel @sum(%x: memref<4096x100000xbf16>, %out: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 100000 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x100000xbf16>
      %w = arith.extf %v : bf16 to f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// Not at all where two blocks ahead do not fit shared memory beside those of the programs that it has to hold: one is
// worse than none.
// CHECK-LABEL: mlc_loop.kernel @wide(
// CHECK:         mlc_loop.reduce add %r = 0 to 100000 block 4096 stages 3 -> f32 {
// CHECK:         mlc_loop.reduce add %r_1 = 0 to 100000 block 4096 -> f32 {
mlc_loop.kernel @wide(%x: memref<4096x100000xf32>, %y: memref<4096x100000xf32>, %z: memref<4096x100000xf32>, %out: memref<4096xf32>) schedule <rows = 1, columns = 4096, warps = 8, stages = 3> {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 100000 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x100000xf32>
      mlc_loop.yield %v : f32
    }
    %t = mlc_loop.reduce add %r = 0 to 100000 -> f32 {
      %v = mlc_loop.load %y[%p, %r] : memref<4096x100000xf32>
      %w = mlc_loop.load %z[%p, %r] : memref<4096x100000xf32>
      %m = arith.mulf %v, %w : f32
      mlc_loop.yield %m : f32
    }
    %both = arith.addf %s, %t : f32
    mlc_loop.store %both, %out[%p] : memref<4096xf32>
  }
}

// -----

// Fewer programs than multiprocessors: each has all of the shared memory.
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK:         mlc_loop.reduce add %r = 0 to 100000 block 8192 stages 3 -> f32 {
mlc_loop.kernel @few(%x: memref<40x100000xf32>, %out: memref<40xf32>) schedule <rows = 1, columns = 8192, warps = 8, stages = 3> {
  mlc_loop.parallel %p = 0 to 40 {
    %s = mlc_loop.reduce add %r = 0 to 100000 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<40x100000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<40xf32>
  }
}

// -----

// What a later loop reads again keeps its hints to the cache, and that loop begins where the first one ended. A row that
// is held whole has no loop. What it stores does not push out what it is about to read.
// CHECK-LABEL: mlc_loop.kernel @again(
// CHECK:         mlc_loop.reduce max %r = 0 to 100000 block 8192 -> f32 {
// CHECK:           mlc_loop.load %x[%p, %r] evict "last"
// CHECK:         mlc_loop.parallel %{{.*}} = 0 to 100000 block 8192 backwards {
// CHECK:           mlc_loop.load %x[%p, %{{.*}}] evict "first"
// CHECK:           mlc_loop.store %{{.*}}, %out[%p, %{{.*}}] evict "first"
mlc_loop.kernel @again(%x: memref<4096x100000xbf16>, %out: memref<4096x100000xf32>) schedule <rows = 1, columns = 8192, warps = 16> {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce max %r = 0 to 100000 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x100000xbf16>
      %w = arith.extf %v : bf16 to f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.parallel %r = 0 to 100000 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x100000xbf16>
      %w = arith.extf %v : bf16 to f32
      %d = arith.subf %w, %s : f32
      mlc_loop.store %d, %out[%p, %r] : memref<4096x100000xf32>
    }
  }
}

// -----

// Lanes that compare at each step wait for each other anyway.
// CHECK-LABEL: mlc_loop.kernel @running_maximum(
// CHECK:         mlc_loop.reduce softmax %r = 0 to 100000 block {{[0-9]+}} -> f32, f32 {
mlc_loop.kernel @running_maximum(%x: memref<4096x100000xbf16>, %out: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %m, %s = mlc_loop.reduce softmax %r = 0 to 100000 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x100000xbf16>
      %w = arith.extf %v : bf16 to f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// CHECK-LABEL: mlc_loop.kernel @whole(
// CHECK:         mlc_loop.reduce add %r = 0 to 1000 block 1024 -> f32 {
mlc_loop.kernel @whole(%x: memref<4096x1000xf32>, %out: memref<4096xf32>) schedule <rows = 1, columns = 1024, warps = 4> {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x1000xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// Programs that walk the rows ask for the next rows while they work on one. %w is the same for all of them: it takes no
// part. Two rows are too few to be ahead of.
// CHECK-LABEL: mlc_loop.kernel @walk(
// CHECK:         mlc_loop.serial %p = %i to 16384 step 264 stages 3 {
// A number for each of several rows is narrow: the next rows wait in registers, if lanes combine what they have of each
// row, and thus all wait for its loads.
// CHECK-LABEL: mlc_loop.kernel @several(
// CHECK:         mlc_loop.serial %p = %i to 16384 step 264 block 4 stages 2 {
// CHECK-LABEL: mlc_loop.kernel @apart(
// CHECK:         mlc_loop.serial %p = %i to 16384 step 264 block 4 {
// CHECK-LABEL: mlc_loop.kernel @short(
// CHECK:         mlc_loop.serial %p = %i to 528 step 264 {
mlc_loop.kernel @walk(%x: memref<16384x4096xbf16>, %w: memref<4096xbf16>, %out: memref<264x4096xf32>) {
  mlc_loop.parallel %i = 0 to 264 {
    %t = mlc_loop.local add : memref<4096xf32>
    mlc_loop.serial %p = %i to 16384 step 264 {
      mlc_loop.parallel %r = 0 to 4096 {
        %a = mlc_loop.load %x[%p, %r] : memref<16384x4096xbf16>
        %b = mlc_loop.load %w[%r] : memref<4096xbf16>
        %c = arith.mulf %a, %b : bf16
        %d = arith.extf %c : bf16 to f32
        mlc_loop.accumulate add %d, %t[%r] : memref<4096xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %s = mlc_loop.load %t[%r] : memref<4096xf32>
      mlc_loop.store %s, %out[%i, %r] : memref<264x4096xf32>
    }
  }
}
mlc_loop.kernel @several(%x: memref<16384x512xf32>, %z: memref<16384xf32>, %y: memref<16384xf32>, %out: memref<264x512xf32>) {
  mlc_loop.parallel %i = 0 to 264 {
    %t = mlc_loop.local add : memref<512xf32>
    mlc_loop.serial %p = %i to 16384 step 264 block 4 {
      %c = mlc_loop.load %z[%p] : memref<16384xf32>
      %m = mlc_loop.reduce max %r = 0 to 512 -> f32 {
        %a = mlc_loop.load %x[%p, %r] : memref<16384x512xf32>
        %b = arith.mulf %a, %c : f32
        mlc_loop.yield %b : f32
      }
      mlc_loop.store %m, %y[%p] : memref<16384xf32>
      mlc_loop.parallel %r = 0 to 512 {
        %a = mlc_loop.load %x[%p, %r] : memref<16384x512xf32>
        %d = arith.subf %a, %m : f32
        mlc_loop.accumulate add %d, %t[%r] : memref<512xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 512 {
      %s = mlc_loop.load %t[%r] : memref<512xf32>
      mlc_loop.store %s, %out[%i, %r] : memref<264x512xf32>
    }
  }
}
mlc_loop.kernel @apart(%x: memref<16384x512xf32>, %z: memref<16384xf32>, %out: memref<264x512xf32>) {
  mlc_loop.parallel %i = 0 to 264 {
    %t = mlc_loop.local add : memref<512xf32>
    mlc_loop.serial %p = %i to 16384 step 264 block 4 {
      %c = mlc_loop.load %z[%p] : memref<16384xf32>
      mlc_loop.parallel %r = 0 to 512 {
        %a = mlc_loop.load %x[%p, %r] : memref<16384x512xf32>
        %b = arith.mulf %a, %c : f32
        mlc_loop.accumulate add %b, %t[%r] : memref<512xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 512 {
      %s = mlc_loop.load %t[%r] : memref<512xf32>
      mlc_loop.store %s, %out[%i, %r] : memref<264x512xf32>
    }
  }
}
mlc_loop.kernel @short(%x: memref<528x4096xf32>, %out: memref<264x4096xf32>) {
  mlc_loop.parallel %i = 0 to 264 {
    %t = mlc_loop.local add : memref<4096xf32>
    mlc_loop.serial %p = %i to 528 step 264 {
      mlc_loop.parallel %r = 0 to 4096 {
        %a = mlc_loop.load %x[%p, %r] : memref<528x4096xf32>
        mlc_loop.accumulate add %a, %t[%r] : memref<4096xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %s = mlc_loop.load %t[%r] : memref<4096xf32>
      mlc_loop.store %s, %out[%i, %r] : memref<264x4096xf32>
    }
  }
}

// -----

// Rows of 100001 elements begin anywhere, and so may those of an unknown length; a single one ends anywhere: their
// loads are narrow.
// CHECK-LABEL: mlc_loop.kernel @odd(
// CHECK:         mlc_loop.reduce add %r = 0 to 100001 block 2048 -> f32 {
// CHECK-LABEL: mlc_loop.kernel @single(
// CHECK:         mlc_loop.reduce add %r = 0 to 100001 block 16384 -> f32 {
// CHECK-LABEL: mlc_loop.kernel @unknown(
// CHECK:         mlc_loop.reduce add %r = 0 to N block 8192 -> f32 {
mlc_loop.kernel @odd(%x: memref<4096x100001xf32>, %out: memref<4096xf32>) schedule <rows = 1, columns = 2048, warps = 8> {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 100001 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x100001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}
mlc_loop.kernel @single(%x: memref<100001xf32>, %out: memref<1xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 100001 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<100001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<1xf32>
  }
}
mlc_loop.kernel @unknown(%x: memref<4096x?xf32, {sizes = ["4096", "N"], strides = ["N", "1"]}>, %out: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to N -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x?xf32, {sizes = ["4096", "N"], strides = ["N", "1"]}>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<4096xf32>
  }
}

// -----

// Planes of 57 x 57, padded to 4096: an instruction copies an element of 4 bytes, and few programs are at work.
// CHECK-LABEL: mlc_loop.kernel @planes(
// CHECK:         mlc_loop.reduce add %r = 0 to 262144 block 4096 stages 5 -> f32 {
mlc_loop.kernel @planes(%x: memref<64x256x3249xf32>, %out: memref<256xf32>) schedule <rows = 1, columns = 4096, warps = 8, stages = 5> {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %r = 0 to 262144 -> f32 {
      %i = mlc_loop.index [%r mod 4096 - 3249] : i64
      %zero = arith.constant 0 : i64
      %inside = arith.cmpi slt, %i, %zero : i64
      %v = mlc_loop.load %x[%r floordiv 4096, %p, %r mod 4096] if %inside : memref<64x256x3249xf32>
      mlc_loop.yield if %inside %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<256xf32>
  }
}

// -----

// No instruction copies an element of 2 bytes.
// CHECK-LABEL: mlc_loop.kernel @planes_of_halves(
// CHECK-NOT:     stages
mlc_loop.kernel @planes_of_halves(%x: memref<64x256x3249xbf16>, %out: memref<256xbf16>) {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %r = 0 to 262144 -> bf16 {
      %i = mlc_loop.index [%r mod 4096 - 3249] : i64
      %zero = arith.constant 0 : i64
      %inside = arith.cmpi slt, %i, %zero : i64
      %v = mlc_loop.load %x[%r floordiv 4096, %p, %r mod 4096] if %inside : memref<64x256x3249xbf16>
      mlc_loop.yield if %inside %v : bf16
    }
    mlc_loop.store %s, %out[%p] : memref<256xbf16>
  }
}

// -----

// Nor do many rows that lie side by side wait for elements, whatever their columns run over.
// CHECK-LABEL: mlc_loop.kernel @beside(
// CHECK-NOT:     stages
mlc_loop.kernel @beside(%x: memref<9x55x945xf32, strided<[675675, 945, 1]>>, %out: memref<945xf32>) {
  mlc_loop.parallel %p = 0 to 945 {
    %s = mlc_loop.reduce add %r = 0 to 495 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 55, %r mod 55, %p] : memref<9x55x945xf32, strided<[675675, 945, 1]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%p] : memref<945xf32>
  }
}

// -----

// Steps that store blocks of several rows go through shared memory anyway: no stages.
// CHECK-LABEL: mlc_loop.kernel @stores_rows(
// CHECK:         mlc_loop.parallel %p = 0 to 4096 program 0 block {{[0-9]+}} {
// CHECK:           mlc_loop.parallel %r_1 = 0 to 65536 block {{[0-9]+}} {
mlc_loop.kernel @stores_rows(%x: memref<65536x4096xf32>, %m: memref<4096xf32>, %out: memref<65536x4096xf32>, %sum: memref<4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %s = mlc_loop.reduce add %r = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<65536x4096xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 65536 {
      %v = mlc_loop.load %x[%r, %p] : memref<65536x4096xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%r, %p] : memref<65536x4096xf32>
    }
    mlc_loop.store %s, %sum[%p] : memref<4096xf32>
  }
}

// -----

// Loads stay behind the stores of the step before them, unless they are ahead of the work. Without such stores they need
// not be told; nor where a person says how many are ahead.
// CHECK-LABEL: mlc_loop.kernel @sums_and_stores(
// CHECK:         mlc_loop.reduce add %k = 0 to 8192 block {{[0-9]+}} stages 2 -> f32 {
// WAITS-LABEL: mlc_loop.kernel @sums_and_stores(
// WAITS:         mlc_loop.reduce add %k = 0 to 8192 block {{[0-9]+}} -> f32 {
// CHECK-LABEL: mlc_loop.kernel @keeps_plain_sums(
// CHECK:         mlc_loop.reduce add %k = 0 to 8192 block {{[0-9]+}} -> f32 {
mlc_loop.kernel @sums_and_stores(%x: memref<65536x256xf32>, %y: memref<65536x256xf32>, %partial: memref<256x8xf32>, %out: memref<256xf32>, %arrived: memref<256xi32>) {
  mlc_loop.parallel %q = 0 to 2048 overlap 256 {
    %0 = mlc_loop.reduce add %k = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%k + (%q floordiv 256) * 8192, %q mod 256] : memref<65536x256xf32>
      %w = arith.mulf %v, %v : f32
      mlc_loop.store %w, %y[%k + (%q floordiv 256) * 8192, %q mod 256] : memref<65536x256xf32>
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %0, %partial[%q mod 256, %q floordiv 256] : memref<256x8xf32>
    mlc_loop.last_block %arrived[%q mod 256] of 8 : memref<256xi32> {
      %s = mlc_loop.reduce add %i = 0 to 8 -> f32 {
        %1 = mlc_loop.load %partial[%q mod 256, %i] : memref<256x8xf32>
        mlc_loop.yield %1 : f32
      }
      mlc_loop.store %s, %out[%q mod 256] : memref<256xf32>
    }
  }
}
mlc_loop.kernel @keeps_plain_sums(%x: memref<65536x256xf32>, %partial: memref<256x8xf32>, %out: memref<256xf32>, %arrived: memref<256xi32>) {
  mlc_loop.parallel %q = 0 to 2048 overlap 256 {
    %0 = mlc_loop.reduce add %k = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%k + (%q floordiv 256) * 8192, %q mod 256] : memref<65536x256xf32>
      %w = arith.mulf %v, %v : f32
      mlc_loop.yield %w : f32
    }
    mlc_loop.store %0, %partial[%q mod 256, %q floordiv 256] : memref<256x8xf32>
    mlc_loop.last_block %arrived[%q mod 256] of 8 : memref<256xi32> {
      %s = mlc_loop.reduce add %i = 0 to 8 -> f32 {
        %1 = mlc_loop.load %partial[%q mod 256, %i] : memref<256x8xf32>
        mlc_loop.yield %1 : f32
      }
      mlc_loop.store %s, %out[%q mod 256] : memref<256xf32>
    }
  }
}
