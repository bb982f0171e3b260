// RUN: mlc-opt %s -p program-swizzle --split-input-file | filecheck %s

// 100 MB pass before an element of %b, of 33 MB, is read for the next batch: now the batches come first.
// CHECK-LABEL: mlc_loop.kernel @shared_by_batches(
// CHECK-SAME:    why "as it was; {{.+}}" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 134217728 program 0 block 1024 swizzle 8 by 16384 {
// CHECK-NEXT:      mlc_loop.load %s[%p floordiv 16777216, %p mod 16777216]
mlc_loop.kernel @shared_by_batches(%s: memref<8x16777216xbf16>, %b: memref<16777216xbf16>, %out: memref<8x16777216xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 134217728 program 0 block 1024 {
    %v = mlc_loop.load %s[%p floordiv 16777216, %p mod 16777216] : memref<8x16777216xbf16>
    %w = mlc_loop.load %b[%p mod 16777216] : memref<16777216xbf16>
    %y = arith.addf %v, %w : bf16
    mlc_loop.store %y, %out[%p floordiv 16777216, %p mod 16777216] : memref<8x16777216xbf16>
  }
}

// -----

// The cache keeps a bias of 8 KB, and all that comes between two uses of it.
// CHECK-LABEL: mlc_loop.kernel @shared_and_small(
// CHECK-SAME:    why "as it was" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 134217728 program 0 block 1024 {
mlc_loop.kernel @shared_and_small(%s: memref<32768x4096xbf16>, %b: memref<4096xbf16>, %out: memref<32768x4096xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 134217728 program 0 block 1024 {
    %v = mlc_loop.load %s[%p floordiv 4096, %p mod 4096] : memref<32768x4096xbf16>
    %w = mlc_loop.load %b[%p mod 4096] : memref<4096xbf16>
    %y = arith.addf %v, %w : bf16
    mlc_loop.store %y, %out[%p floordiv 4096, %p mod 4096] : memref<32768x4096xbf16>
  }
}

// -----

// Nothing is read twice.
// CHECK-LABEL: mlc_loop.kernel @not_shared(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 134217728 program 0 block 1024 {
mlc_loop.kernel @not_shared(%s: memref<8x16777216xbf16>, %b: memref<8x16777216xbf16>, %out: memref<8x16777216xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 134217728 program 0 block 1024 {
    %v = mlc_loop.load %s[%p floordiv 16777216, %p mod 16777216] : memref<8x16777216xbf16>
    %w = mlc_loop.load %b[%p floordiv 16777216, %p mod 16777216] : memref<8x16777216xbf16>
    %y = arith.addf %v, %w : bf16
    mlc_loop.store %y, %out[%p floordiv 16777216, %p mod 16777216] : memref<8x16777216xbf16>
  }
}

// -----

// The heads of one batch share a mask of 33 MB: turns are taken within a batch.
// CHECK-LABEL: mlc_loop.kernel @shared_by_heads(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 268435456 program 0 block 1024 swizzle 4 by 16384 {
mlc_loop.kernel @shared_by_heads(%s: memref<4x4x16777216xbf16>, %b: memref<4x16777216xbf16>, %out: memref<4x4x16777216xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 268435456 program 0 block 1024 {
    %v = mlc_loop.load %s[%p floordiv 67108864, (%p floordiv 16777216) mod 4, %p mod 16777216] : memref<4x4x16777216xbf16>
    %w = mlc_loop.load %b[%p floordiv 67108864, %p mod 16777216] : memref<4x16777216xbf16>
    %y = arith.addf %v, %w : bf16
    mlc_loop.store %y, %out[%p floordiv 67108864, (%p floordiv 16777216) mod 4, %p mod 16777216] : memref<4x4x16777216xbf16>
  }
}

// -----

// The cache keeps what is shared the other way, a row of 2 KB for each batch, in turns as well.
// CHECK-LABEL: mlc_loop.kernel @shared_both_ways(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 268435456 program 0 block 1024 swizzle 16 by 16384 {
mlc_loop.kernel @shared_both_ways(%a: memref<16777216xbf16>, %s: memref<16x1024xbf16>, %out: memref<16x16777216xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 268435456 program 0 block 1024 {
    %v = mlc_loop.load %a[%p mod 16777216] : memref<16777216xbf16>
    %w = mlc_loop.load %s[%p floordiv 16777216, %p mod 1024] : memref<16x1024xbf16>
    %y = arith.addf %v, %w : bf16
    mlc_loop.store %y, %out[%p floordiv 16777216, %p mod 16777216] : memref<16x16777216xbf16>
  }
}

// -----

// Rows that are kept in registers are programs like any others.
// CHECK-LABEL: mlc_loop.kernel @shared_rows(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 131072 program 0 block 2 swizzle 8 by 8192 {
mlc_loop.kernel @shared_rows(%s: memref<131072x1024xbf16>, %b: memref<16384x1024xbf16>, %out: memref<131072xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 131072 program 0 block 2 {
    %m = mlc_loop.reduce max %r = 0 to 1024 block 1024 -> bf16 {
      %v = mlc_loop.load %s[%p, %r] : memref<131072x1024xbf16>
      %w = mlc_loop.load %b[%p mod 16384, %r] : memref<16384x1024xbf16>
      %y = arith.addf %v, %w : bf16
      mlc_loop.yield %y : bf16
    }
    mlc_loop.store %m, %out[%p] : memref<131072xbf16>
  }
}

// -----

// Blocks do not end where the batches do: the plain order stays.
// CHECK-LABEL: mlc_loop.kernel @no_whole_blocks(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 134217800 program 0 block 1024 {
mlc_loop.kernel @no_whole_blocks(%s: memref<8x16777225xbf16>, %b: memref<16777225xbf16>, %out: memref<8x16777225xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 134217800 program 0 block 1024 {
    %v = mlc_loop.load %s[%p floordiv 16777225, %p mod 16777225] : memref<8x16777225xbf16>
    %w = mlc_loop.load %b[%p mod 16777225] : memref<16777225xbf16>
    %y = arith.addf %v, %w : bf16
    mlc_loop.store %y, %out[%p floordiv 16777225, %p mod 16777225] : memref<8x16777225xbf16>
  }
}

// -----

// A table of 64 MB, each row of which is looked up four times: all tokens read 128 columns, 8 MB, before the next.
// CHECK-LABEL: mlc_loop.kernel @embedding(
// CHECK-SAME:    why "{{.+}}" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 1 block 128 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 131072 program 0 block 32 {
mlc_loop.kernel @embedding(%i: memref<131072xi64>, %t: memref<32000x1024xbf16>, %out: memref<131072x1024xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 1024 program 0 block 64 {
    mlc_loop.parallel %r = 0 to 131072 program 1 block 64 {
      %k = mlc_loop.load %i[%r] : memref<131072xi64>
      %g = mlc_loop.indirect_index %k below 32000 : i64
      %v = mlc_loop.load %t[%g, %p] : memref<32000x1024xbf16>
      mlc_loop.store %v, %out[%r, %p] : memref<131072x1024xbf16>
    }
  }
}

// -----

// A permutation reads each row once: neighbouring programs go on writing neighbouring lines.
// CHECK-LABEL: mlc_loop.kernel @permutation(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 131072 program 1 block 64 {
mlc_loop.kernel @permutation(%i: memref<131072xi64>, %t: memref<131072x1024xbf16>, %out: memref<131072x1024xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 1024 program 0 block 64 {
    mlc_loop.parallel %r = 0 to 131072 program 1 block 64 {
      %k = mlc_loop.load %i[%r] : memref<131072xi64>
      %g = mlc_loop.indirect_index %k below 131072 : i64
      %v = mlc_loop.load %t[%g, %p] : memref<131072x1024xbf16>
      mlc_loop.store %v, %out[%r, %p] : memref<131072x1024xbf16>
    }
  }
}

// -----

// The cache keeps a small table whatever the order.
// CHECK-LABEL: mlc_loop.kernel @small_table(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 131072 program 1 block 64 {
mlc_loop.kernel @small_table(%i: memref<131072xi64>, %t: memref<1000x1024xbf16>, %out: memref<131072x1024xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 1024 program 0 block 64 {
    mlc_loop.parallel %r = 0 to 131072 program 1 block 64 {
      %k = mlc_loop.load %i[%r] : memref<131072xi64>
      %g = mlc_loop.indirect_index %k below 1000 : i64
      %v = mlc_loop.load %t[%g, %p] : memref<1000x1024xbf16>
      mlc_loop.store %v, %out[%r, %p] : memref<131072x1024xbf16>
    }
  }
}

// -----

// A named size could be anything.
// CHECK-LABEL: mlc_loop.kernel @dynamic(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N * 16777216 program 0 block 1024 {
mlc_loop.kernel @dynamic(%x: memref<?x16777216xf32, {sizes = ["N", "16777216"], strides = ["16777216", "1"]}>, %b: memref<16777216xf32>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to N * 16777216 program 0 block 1024 {
    %v = mlc_loop.load %b[%p mod 16777216] : memref<16777216xf32>
    mlc_loop.store %v, %x[%p floordiv 16777216, %p mod 16777216] : memref<?x16777216xf32, {sizes = ["N", "16777216"], strides = ["16777216", "1"]}>
  }
}

// -----

// Programs that walk the rows are few, and each has rows all over memory.
// CHECK-LABEL: mlc_loop.kernel @walks(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 264 program 0 {
mlc_loop.kernel @walks(%s: memref<131072x1024xbf16>, %b: memref<16384x1024xbf16>, %out: memref<264x1024xbf16>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %i = 0 to 264 program 0 {
    %t = mlc_loop.local max : memref<1024xbf16>
    mlc_loop.serial %p = %i to 131072 step 264 {
      mlc_loop.parallel %r = 0 to 1024 block 1024 {
        %v = mlc_loop.load %s[%p, %r] : memref<131072x1024xbf16>
        %w = mlc_loop.load %b[%p mod 16384, %r] : memref<16384x1024xbf16>
        %y = arith.addf %v, %w : bf16
        mlc_loop.accumulate max %y, %t[%r] : memref<1024xbf16>
      }
    }
    mlc_loop.parallel %r = 0 to 1024 block 1024 {
      %v = mlc_loop.load %t[%r] : memref<1024xbf16>
      mlc_loop.store %v, %out[%i, %r] : memref<264x1024xbf16>
    }
  }
}

// -----

// Before blocks are known there is nothing to order.
// CHECK-LABEL: mlc_loop.kernel @without_schedule(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 134217728 {
mlc_loop.kernel @without_schedule(%b: memref<16777216xbf16>, %out: memref<8x16777216xbf16>) {
  mlc_loop.parallel %p = 0 to 134217728 {
    %w = mlc_loop.load %b[%p mod 16777216] : memref<16777216xbf16>
    mlc_loop.store %w, %out[%p floordiv 16777216, %p mod 16777216] : memref<8x16777216xbf16>
  }
}

// -----

// Rows are looked up whole: no order of programs helps, but the table stays longer where results leave the cache first.
// CHECK-LABEL: mlc_loop.kernel @rows_looked_up(
// CHECK-SAME:    why "as it was; {{.+}}" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 131072 program 0 {
// CHECK:           mlc_loop.store %w, %out[%p, %s] evict "first" : memref<131072x1024xbf16>
// CHECK:         mlc_loop.store %m, %small[%p] : memref<131072xbf16>
mlc_loop.kernel @rows_looked_up(%i: memref<131072xi64>, %t: memref<32000x1024xbf16>, %out: memref<131072x1024xbf16>, %small: memref<131072xbf16>) warps 1 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 131072 program 0 {
    %k = mlc_loop.load %i[%p] : memref<131072xi64>
    %g = mlc_loop.indirect_index %k below 32000 : i64
    %m = mlc_loop.reduce max %r = 0 to 1024 block 1024 -> bf16 {
      %v = mlc_loop.load %t[%g, %r] : memref<32000x1024xbf16>
      mlc_loop.yield %v : bf16
    }
    mlc_loop.parallel %s = 0 to 1024 block 1024 {
      %v = mlc_loop.load %t[%g, %s] : memref<32000x1024xbf16>
      %w = arith.subf %v, %m : bf16
      mlc_loop.store %w, %out[%p, %s] : memref<131072x1024xbf16>
    }
    mlc_loop.store %m, %small[%p] : memref<131072xbf16>
  }
}

// -----

// The cache keeps the table whatever results do.
// CHECK-LABEL: mlc_loop.kernel @rows_of_a_small_table(
// CHECK-SAME:    why "as it was" {
// CHECK-NOT:     evict
mlc_loop.kernel @rows_of_a_small_table(%i: memref<131072xi64>, %t: memref<1000x1024xbf16>, %out: memref<131072x1024xbf16>) warps 1 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 131072 program 0 {
    %k = mlc_loop.load %i[%p] : memref<131072xi64>
    %g = mlc_loop.indirect_index %k below 1000 : i64
    mlc_loop.parallel %s = 0 to 1024 block 1024 {
      %v = mlc_loop.load %t[%g, %s] : memref<1000x1024xbf16>
      mlc_loop.store %v, %out[%p, %s] : memref<131072x1024xbf16>
    }
  }
}

// -----

// As the first, but programs await what those before them tell.
// CHECK-LABEL: mlc_loop.kernel @tells(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 131072 program 0 block 1 {
mlc_loop.kernel @tells(%s: memref<8x16777216xbf16>, %b: memref<16777216xbf16>, %out: memref<8x16777216xbf16>, %told: memref<131073xi64>) warps 4 index 32 why "as it was" {
  mlc_loop.parallel %q = 0 to 131072 program 0 block 1 {
    %f = arith.constant 1.0 : f32
    %c = mlc_loop.exclusive_prefix add %f of 1 in %told : memref<131073xi64> -> f32
    %h = arith.truncf %c : f32 to bf16
    mlc_loop.parallel %k = 0 to 1024 block 1024 {
      %v = mlc_loop.load %s[%q floordiv 16384, (%q mod 16384) * 1024 + %k] : memref<8x16777216xbf16>
      %w = mlc_loop.load %b[(%q mod 16384) * 1024 + %k] : memref<16777216xbf16>
      %y = arith.addf %v, %w : bf16
      %z = arith.addf %y, %h : bf16
      mlc_loop.store %z, %out[%q floordiv 16384, (%q mod 16384) * 1024 + %k] : memref<8x16777216xbf16>
    }
  }
}

// -----

// A persistent loop gives its blocks an order. Without it, column tiles would go first.
// CHECK-LABEL: mlc_loop.kernel @persistent(
// CHECK-SAME:    why "as it was" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8192 program 0 block 128 persistent 132 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 1024 program 1 block 256 {
// CHECK-LABEL: mlc_loop.kernel @grid(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8192 program 1 block 128 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 1024 program 0 block 256 {
mlc_loop.kernel @persistent(%x: memref<8192x4096xbf16>, %w: memref<4096x1024xbf16>, %out: memref<8192x1024xf32>) warps 8 index 32 why "as it was" {
  mlc_loop.parallel %p = 0 to 8192 program 0 block 128 persistent 132 {
    mlc_loop.parallel %r = 0 to 1024 program 1 block 256 {
      %y = mlc_loop.reduce add dot %k = 0 to 4096 block 64 stages 3 -> f32 {
        %a = mlc_loop.load %x[%p, %k] described : memref<8192x4096xbf16>
        %b = mlc_loop.load %w[%k, %r] described : memref<4096x1024xbf16>
        %c = arith.extf %a : bf16 to f32
        %d = arith.extf %b : bf16 to f32
        %m = arith.mulf %c, %d : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %y, %out[%p, %r] : memref<8192x1024xf32>
    }
  }
}
mlc_loop.kernel @grid(%x: memref<8192x4096xbf16>, %w: memref<4096x1024xbf16>, %out: memref<8192x1024xf32>) warps 8 index 32 {
  mlc_loop.parallel %p = 0 to 8192 program 0 block 128 {
    mlc_loop.parallel %r = 0 to 1024 program 1 block 256 {
      %y = mlc_loop.reduce add dot %k = 0 to 4096 block 64 stages 3 -> f32 {
        %a = mlc_loop.load %x[%p, %k] : memref<8192x4096xbf16>
        %b = mlc_loop.load %w[%k, %r] : memref<4096x1024xbf16>
        %c = arith.extf %a : bf16 to f32
        %d = arith.extf %b : bf16 to f32
        %m = arith.mulf %c, %d : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %y, %out[%p, %r] : memref<8192x1024xf32>
    }
  }
}
