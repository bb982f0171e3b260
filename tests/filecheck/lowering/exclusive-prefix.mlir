// RUN: mlc-opt %s -p schedule,loop-to-triton,cse,dce --split-input-file -t triton | filecheck %s
// RUN: mlc-opt %s -p schedule --split-input-file | filecheck %s --check-prefix=LOOP

// A program takes one part, though a row of 64 would leave room for others. It awaits what the parts before it
// tell, all at once.
// LOOP:        mlc_loop.parallel %q = 0 to 48 program 0 block 1 {
// CHECK-LABEL: def main(
// CHECK:         told = counters.kept("cumsum", 49, device)
// CHECK-NEXT:    cumsum[(48,)](x, out, told, num_warps=1
// CHECK-LABEL: def cumsum(
// CHECK-NEXT:    mark = lib.epoch(told_ptr, 48)
// CHECK-NEXT:    q = tl.program_id(0)
// CHECK:         x = tl.load(x_ptr +
// CHECK-NEXT:    t = tl.sum(x, axis=0)
// CHECK-NEXT:    lib.publish(told_ptr + ((q // 3) + (q % 3) * 16 + 1), t, mark)
// CHECK-NEXT:    lanes = tl.arange(0, 16)
// CHECK-NEXT:    mask = lanes < (q // 3)
// CHECK-NEXT:    told = lib.awaited(told_ptr + ((q % 3) * 16 + lanes + 1), mask, mark, tl.float32)
// CHECK-NEXT:    before = tl.sum(tl.where(mask, told, 0.0), axis=0)
// CHECK-NEXT:    s = tl.associative_scan(x, 0, lib.add)
// CHECK-NEXT:    s_1 = before + s
// CHECK-NEXT:    tl.store(out_ptr +
// CHECK-NEXT:    lib.done(told_ptr)
mlc_loop.kernel @cumsum(%x: memref<3x1024xf32>, %out: memref<3x1024xf32>, %told: memref<49xi64>) {
  mlc_loop.parallel %q = 0 to 48 {
    %t = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %x_1 = mlc_loop.load %x[%q mod 3, %k + (%q floordiv 3) * 64] : memref<3x1024xf32>
      mlc_loop.yield %x_1 : f32
    }
    %c = mlc_loop.exclusive_prefix add %t of 3 in %told : memref<49xi64> -> f32
    mlc_loop.parallel %k = 0 to 64 {
      %x_1 = mlc_loop.load %x[%q mod 3, %k + (%q floordiv 3) * 64] : memref<3x1024xf32>
      %s = mlc_loop.scan "add" %x_1 : f32 -> f32
      %s_1 = arith.addf %c, %s : f32
      mlc_loop.store %s_1, %out[%q mod 3, %k + (%q floordiv 3) * 64] : memref<3x1024xf32>
    }
  }
}
func.func @main(%x: memref<3x1024xf32>) -> memref<3x1024xf32> {
  %out = mlc_loop.alloc : memref<3x1024xf32>
  %told = mlc_loop.flags @cumsum : memref<49xi64>
  mlc_loop.launch @cumsum(%x, %out, %told) : memref<3x1024xf32>, memref<3x1024xf32>, memref<49xi64>
  func.return %out : memref<3x1024xf32>
}

// -----

// Two values, the second of 64 bits: its words, two of each part, stand behind those of the first. Addresses of 64 bits
// take the number of the program in 64 bits. 200 parts are more than the lanes of a warp: the last part of each 32 tells
// what all up to it come to, once it knows; the parts behind it await that and what those of their own group tell.
// CHECK-LABEL: def both(
// CHECK-NEXT:    mark = lib.epoch(told_ptr, 400)
// CHECK-NEXT:    q = tl.program_id(0).to(tl.int64)
// CHECK:         part = q // 2
// CHECK-NEXT:    place = part % 32
// CHECK-NEXT:    other = place != 31
// CHECK-NEXT:    last = place == 31
// CHECK-NEXT:    lib.publish(told_ptr + ((q // 2) + (q % 2) * 200 + 1), v, mark, other)
// CHECK-NEXT:    lib.publish(told_ptr + ((q // 2) * 2 + (q % 2) * 400 + 401), w, mark, other)
// CHECK-NEXT:    lanes = tl.arange(0, 32)
// CHECK-NEXT:    i = (part // 32) * 32 + lanes - 1
// CHECK-NEXT:    mask = (i < part) & (i >= 0)
// CHECK-NEXT:    told = lib.awaited(told_ptr + ((q % 2) * 200 + i + 1), mask, mark, tl.float32)
// CHECK-NEXT:    before = tl.reduce(tl.where(mask, told, float("-inf")), 0, lib.max_nan)
// CHECK-NEXT:    told_1 = lib.awaited(told_ptr + ((q % 2) * 400 + i * 2 + 401), mask, mark, tl.float64)
// CHECK-NEXT:    before_1 = tl.reduce(
// CHECK-NEXT:    lib.publish(told_ptr + ((q // 2) + (q % 2) * 200 + 1), tl.maximum(before, v, propagate_nan=tl.PropagateNan.ALL), mark, last)
// CHECK-NEXT:    lib.publish(told_ptr + ((q // 2) * 2 + (q % 2) * 400 + 401), before_1 * w, mark, last)
mlc_loop.kernel @both(%x: memref<4294967296xf32>, %out: memref<400xf32>, %far: memref<400xf64>, %told: memref<1201xi64>) {
  mlc_loop.parallel %q = 0 to 400 {
    %v = mlc_loop.reduce max %k = 0 to 64 -> f32 {
      %x_1 = mlc_loop.load %x[%q * 10000000 + %k] : memref<4294967296xf32>
      mlc_loop.yield %x_1 : f32
    }
    %w = arith.extf %v : f32 to f64
    %a, %b = mlc_loop.exclusive_prefix max, mul %v, %w of 2 in %told : memref<1201xi64> -> f32, f64
    mlc_loop.store %a, %out[%q] : memref<400xf32>
    mlc_loop.store %b, %far[%q] : memref<400xf64>
  }
}

// -----

// Two programs do a row together: each awaits what both tell. Blocks of the loop have code of their own.
// LOOP-LABEL:  mlc_loop.kernel @together(
// LOOP:          mlc_loop.parallel %q = 0 to 6 program 0 block 1 {
// LOOP:            mlc_loop.reduce add %k = 0 to 16384 block 4096 unrolled -> f32 {
// LOOP:            mlc_loop.reduce add %i = 0 to 2 block 2 -> f32 {
// LOOP:            mlc_loop.parallel %{{.*}} = 0 to 16384 block 4096 backwards {
// CHECK-LABEL: def together(
// CHECK-NEXT:    mark = lib.epoch(told_ptr, 6)
// CHECK-NEXT:    q = tl.program_id(0)
// CHECK:         for r_start in tl.static_range(0, 16384, 4096):
// CHECK-NEXT:      r_start = tl.full((), r_start, tl.int32)
// CHECK:         t = tl.sum(acc_1, axis=0)
// CHECK-NEXT:    lib.publish(told_ptr + (q + 1), t, mark)
// CHECK-NEXT:    r_1 = tl.arange(0, 2)
// CHECK-NEXT:    o = lib.awaited(told_ptr + ((q // 2) * 2 + r_1 + 1), r_1 < 2, mark, tl.float32)
// CHECK-NEXT:    s = tl.sum(o, axis=0)
// CHECK-NEXT:    for r_start_1 in range(0, 16384, 4096):
mlc_loop.kernel @together(%x: memref<3x32768xf32>, %out: memref<3x32768xf32>, %told: memref<7xi64>) schedule <rows = 1, columns = 4096, warps = 4> {
  mlc_loop.parallel %q = 0 to 6 {
    %t = mlc_loop.reduce add %k = 0 to 16384 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 2, (%q mod 2) * 16384 + %k] : memref<3x32768xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.signal %t in %told[%q + 1] : f32, memref<7xi64>
    %s = mlc_loop.reduce add %i = 0 to 2 -> f32 {
      %o = mlc_loop.wait %told[%q floordiv 2 * 2 + %i + 1] : memref<7xi64> -> f32
      mlc_loop.yield %o : f32
    }
    mlc_loop.parallel %k = 0 to 16384 {
      %v = mlc_loop.load %x[%q floordiv 2, (%q mod 2) * 16384 + %k] : memref<3x32768xf32>
      %y = arith.mulf %v, %s : f32
      mlc_loop.store %y, %out[%q floordiv 2, (%q mod 2) * 16384 + %k] : memref<3x32768xf32>
    }
  }
}
func.func @main(%x: memref<3x32768xf32>) -> memref<3x32768xf32> {
  %out = mlc_loop.alloc : memref<3x32768xf32>
  %told = mlc_loop.flags @together : memref<7xi64>
  mlc_loop.launch @together(%x, %out, %told) : memref<3x32768xf32>, memref<3x32768xf32>, memref<7xi64>
  func.return %out : memref<3x32768xf32>
}

// -----

// Consecutive programs take the four parts of 16 strided rows, then those of the next. The last 8 of the first block are
// the first 8 of the second, which waits for what the first block signals of them.
// LOOP-LABEL:  mlc_loop.kernel @strided(
// LOOP:          mlc_loop.parallel %q = 0 to 96 program 0 block 16 overlap 24 swizzle 4 by 2 {
// LOOP:            mlc_loop.reduce add %i = 0 to 4 block 8 -> f32 {
// CHECK-LABEL: def strided(
// CHECK-NEXT:    mark = lib.epoch(told_ptr, 8)
// CHECK-NEXT:    turn = tl.program_id(0)
// CHECK-NEXT:    pid = (turn // 4) + (turn % 4) * 2
// CHECK-NEXT:    start = (pid % 2) * 16
// CHECK:         p = tl.minimum(start, 8) + lanes
// CHECK-NEXT:    part = pid // 2
// CHECK:         t = tl.sum(v, axis=1, keep_dims=True)
// CHECK-NEXT:    lib.publish(told_ptr + (part + p * 4 + 1), t, mark, p >= start)
// CHECK-NEXT:    r_1 = tl.arange(0, 8)[None, :]
// CHECK-NEXT:    mask = r_1 < 4
// CHECK-NEXT:    o = lib.awaited(told_ptr + (r_1 + p * 4 + 1), mask, mark, tl.float32)
// CHECK-NEXT:    s = tl.sum(tl.where(mask, o, 0.0), axis=1, keep_dims=True)
mlc_loop.kernel @strided(%x: memref<256x24xf32>, %out: memref<256x24xf32>, %told: memref<97xi64>) schedule <rows = 16, columns = 64, warps = 4> {
  mlc_loop.parallel %q = 0 to 96 overlap 24 {
    %t = mlc_loop.reduce add %k = 0 to 64 -> f32 {
      %v = mlc_loop.load %x[%k + (%q floordiv 24) * 64, %q mod 24] : memref<256x24xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.signal %t in %told[(%q floordiv 24) + (%q mod 24) * 4 + 1] : f32, memref<97xi64>
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %o = mlc_loop.wait %told[%i + (%q mod 24) * 4 + 1] : memref<97xi64> -> f32
      mlc_loop.yield %o : f32
    }
    mlc_loop.parallel %k = 0 to 64 {
      %v = mlc_loop.load %x[%k + (%q floordiv 24) * 64, %q mod 24] : memref<256x24xf32>
      %y = arith.divf %v, %s : f32
      mlc_loop.store %y, %out[%k + (%q floordiv 24) * 64, %q mod 24] : memref<256x24xf32>
    }
  }
}
func.func @main(%x: memref<256x24xf32>) -> memref<256x24xf32> {
  %out = mlc_loop.alloc : memref<256x24xf32>
  %told = mlc_loop.flags @strided : memref<97xi64>
  mlc_loop.launch @strided(%x, %out, %told) : memref<256x24xf32>, memref<256x24xf32>, memref<97xi64>
  func.return %out : memref<256x24xf32>
}
