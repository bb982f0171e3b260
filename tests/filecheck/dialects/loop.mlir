// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt - | filecheck %s

// A kernel: loops over buffers, scalars are arith and math.
// CHECK-LABEL: mlc_loop.kernel @softmax(%x: memref<64x40xbf16>, %out: memref<64x40xbf16>) {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 64 {
// CHECK-NEXT:      %m = mlc_loop.reduce max %j = 0 to 40 -> f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%i, %j] : memref<64x40xbf16>
// CHECK-NEXT:        %f = arith.extf %v : bf16 to f32
// CHECK-NEXT:        mlc_loop.yield %f : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      mlc_loop.parallel %k = 0 to 40 {
// CHECK-NEXT:        %w = mlc_loop.load %x[%i, %k] : memref<64x40xbf16>
// CHECK-NEXT:        %g = arith.extf %w : bf16 to f32
// CHECK-NEXT:        %d = arith.subf %g, %m : f32
// CHECK-NEXT:        %e = math.exp %d : f32
// CHECK-NEXT:        %h = arith.truncf %e : f32 to bf16
// CHECK-NEXT:        mlc_loop.store %h, %out[%i, %k] : memref<64x40xbf16>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
mlc_loop.kernel @softmax(%x: memref<64x40xbf16>, %out: memref<64x40xbf16>) {
  mlc_loop.parallel %i = 0 to 64 {
    %m = mlc_loop.reduce max %j = 0 to 40 -> f32 {
      %v = mlc_loop.load %x[%i, %j] : memref<64x40xbf16>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.parallel %k = 0 to 40 {
      %w = mlc_loop.load %x[%i, %k] : memref<64x40xbf16>
      %g = arith.extf %w : bf16 to f32
      %d = arith.subf %g, %m : f32
      %e = math.exp %d : f32
      %h = arith.truncf %e : f32 to bf16
      mlc_loop.store %h, %out[%i, %k] : memref<64x40xbf16>
    }
  }
}

// A loop over several axes: one index and one extent each. The statistics of a batch, as they are lowered.
// CHECK-LABEL: mlc_loop.kernel @several_axes(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 256 {
// CHECK-NEXT:      %s, %m = mlc_loop.reduce add, max (%j, %k, %l) = 0 to (64, 56, H * 2) -> f32, f32 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%j, %i, %k, %l]
// CHECK-NEXT:        mlc_loop.yield %v, %v : f32, f32
// CHECK-NEXT:      }
// CHECK-NEXT:      mlc_loop.parallel (%j_1, %k_1, %l_1) = 0 to (64, 56, H * 2) {
mlc_loop.kernel @several_axes(%x: memref<64x256x56x?xf32, {sizes = ["64", "256", "56", "H * 2"], strides = ["H * 28672", "H * 112", "H * 2", "1"]}>, %out: memref<256xf32>) {
  mlc_loop.parallel (%i) = 0 to (256) {
    %s, %m = mlc_loop.reduce add, max (%j, %k, %l) = 0 to (64, 56, H * 2) -> f32, f32 {
      %v = mlc_loop.load %x[%j, %i, %k, %l] : memref<64x256x56x?xf32, {sizes = ["64", "256", "56", "H * 2"], strides = ["H * 28672", "H * 112", "H * 2", "1"]}>
      mlc_loop.yield %v, %v : f32, f32
    }
    mlc_loop.parallel (%j, %k, %l) = 0 to (64, 56, H * 2) {
      mlc_loop.store %s, %x[%j, %i, %k, %l] : memref<64x256x56x?xf32, {sizes = ["64", "256", "56", "H * 2"], strides = ["H * 28672", "H * 112", "H * 2", "1"]}>
    }
  }
}

// A contraction: parallel, parallel, reduced, and no flat index anywhere.
// CHECK-LABEL: mlc_loop.kernel @matmul(
// CHECK-NEXT:    mlc_loop.parallel (%i, %j) = 0 to (6, 5) {
// CHECK-NEXT:      %s = mlc_loop.reduce add %k = 0 to 7 -> f32 {
// CHECK-NEXT:        %x = mlc_loop.load %a[%i, %k] : memref<6x7xf32>
// CHECK-NEXT:        %y = mlc_loop.load %b[%k, %j] : memref<7x5xf32>
// CHECK:           mlc_loop.store %s, %c[%i, %j] : memref<6x5xf32>
mlc_loop.kernel @matmul(%a: memref<6x7xf32>, %b: memref<7x5xf32>, %c: memref<6x5xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (6, 5) {
    %s = mlc_loop.reduce add %k = 0 to 7 -> f32 {
      %x = mlc_loop.load %a[%i, %k] : memref<6x7xf32>
      %y = mlc_loop.load %b[%k, %j] : memref<7x5xf32>
      %z = arith.mulf %x, %y : f32
      mlc_loop.yield %z : f32
    }
    mlc_loop.store %s, %c[%i, %j] : memref<6x5xf32>
  }
}

// Launch options and the reason for the schedule; a schedule maps loops to programs and blocks.
// CHECK-LABEL: mlc_loop.kernel @scheduled(%x: memref<64x40xf32>) warps 4 index 32 why "one row a program" {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 64 program 0 block 4 {
// CHECK-NEXT:      mlc_loop.parallel %j = 0 to 40 block 16 stages 3 {
// CHECK-NEXT:        %v = mlc_loop.load %x[%i, %j] : memref<64x40xf32>
// CHECK-NEXT:        %e = mlc_loop.libdevice "erfc" %v : f32 -> f32
// CHECK-NEXT:        mlc_loop.store %e, %x[%i, %j] : memref<64x40xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
mlc_loop.kernel @scheduled(%x: memref<64x40xf32>) warps 4 index 32 why "one row a program" {
  mlc_loop.parallel %i = 0 to 64 program 0 block 4 {
    mlc_loop.parallel %j = 0 to 40 block 16 stages 3 {
      %v = mlc_loop.load %x[%i, %j] : memref<64x40xf32>
      %e = mlc_loop.libdevice "erfc" %v : f32 -> f32
      mlc_loop.store %e, %x[%i, %j] : memref<64x40xf32>
    }
  }
}

// Programs take block 0 of each of 2 runs of 4 blocks, then block 1 of each, and so on; then the same of the next 8.
// CHECK-LABEL: mlc_loop.kernel @in_turns(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 64 program 0 block 4 swizzle 2 by 4 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%i] evict "last" : memref<64xf32>
// CHECK-NEXT:      mlc_loop.store %v, %x[%i] evict "first" : memref<64xf32>
mlc_loop.kernel @in_turns(%x: memref<64xf32>) warps 4 index 32 {
  mlc_loop.parallel %i = 0 to 64 program 0 block 4 swizzle 2 by 4 {
    %v = mlc_loop.load %x[%i] evict "last" : memref<64xf32>
    mlc_loop.store %v, %x[%i] evict "first" : memref<64xf32>
  }
}

// Blocks of 16 lie within each 24 iterations: they begin at 0, 8, 24 and 32, the last of them first.
// CHECK-LABEL: mlc_loop.kernel @within(
// CHECK-SAME:    warps 4 index 32 uncapped {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 48 program 0 block 16 overlap 24 backwards {
mlc_loop.kernel @within(%x: memref<48xf32>) warps 4 index 32 uncapped {
  mlc_loop.parallel %i = 0 to 48 program 0 block 16 overlap 24 backwards {
    %v = mlc_loop.load %x[%i] : memref<48xf32>
    mlc_loop.store %v, %x[%i] : memref<48xf32>
  }
}

// The last block, of one iteration, has code of its own.
// CHECK-LABEL: mlc_loop.kernel @peeled(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 33 program 0 block 16 peeled {
mlc_loop.kernel @peeled(%x: memref<33xf32>) warps 4 index 32 {
  mlc_loop.parallel %i = 0 to 33 program 0 block 16 peeled {
    %v = mlc_loop.load %x[%i] : memref<33xf32>
    mlc_loop.store %v, %x[%i] : memref<33xf32>
  }
}

// Index expressions name the loop indices and the sizes; a false condition reads nothing.
// CHECK-LABEL: mlc_loop.kernel @indices(%x: memref<?x8xf32, strided<[?, 1]>, {sizes = ["N", "8"], strides = ["16", "1"]}>, %o: memref<64xf32>) {
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to N * 8 {
// CHECK-NEXT:      %b = mlc_loop.index [%i mod 8] : i32
// CHECK-NEXT:      %limit = arith.constant 4 : i32
// CHECK-NEXT:      %c = arith.cmpi slt, %b, %limit : i32
// CHECK-NEXT:      %v = mlc_loop.load %x[%i floordiv 8, %i mod 8] if %c : memref<?x8xf32, strided<[?, 1]>, {sizes = ["N", "8"], strides = ["16", "1"]}>
// CHECK-NEXT:      mlc_loop.store %v, %o[%i] : memref<64xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:  }
mlc_loop.kernel @indices(%x: memref<?x8xf32, strided<[?, 1]>, {sizes = ["N", "8"], strides = ["16", "1"]}>, %o: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to N * 8 {
    %b = mlc_loop.index [%i mod 8] : i32
    %limit = arith.constant 4 : i32
    %c = arith.cmpi slt, %b, %limit : i32
    %v = mlc_loop.load %x[%i floordiv 8, %i mod 8] if %c : memref<?x8xf32, strided<[?, 1]>, {sizes = ["N", "8"], strides = ["16", "1"]}>
    mlc_loop.store %v, %o[%i] : memref<64xf32>
  }
}

// Two reductions in one loop; argmax gives a position.
// CHECK-LABEL: mlc_loop.kernel @reductions(%x: memref<64xf32>, %s: memref<1xf32>, %p: memref<1xi64>) {
// CHECK-NEXT:    %sum, %at = mlc_loop.reduce add, argmax %i = 0 to 64 block 64 -> f32, i64 {
// CHECK-NEXT:      %v = mlc_loop.load %x[%i] : memref<64xf32>
// CHECK-NEXT:      mlc_loop.yield %v, %v : f32, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    mlc_loop.store %sum, %s[0] : memref<1xf32>
// CHECK-NEXT:    mlc_loop.store %at, %p[0] : memref<1xi64>
// CHECK-NEXT:  }
mlc_loop.kernel @reductions(%x: memref<64xf32>, %s: memref<1xf32>, %p: memref<1xi64>) {
  %sum, %at = mlc_loop.reduce add, argmax %i = 0 to 64 block 64 -> f32, i64 {
    %v = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.yield %v, %v : f32, f32
  }
  mlc_loop.store %sum, %s[0] : memref<1xf32>
  mlc_loop.store %at, %p[0] : memref<1xi64>
}

// The host program.
// CHECK-LABEL: func.func @host(%x: memref<64x40xbf16>) -> memref<40xbf16> {
// CHECK-NEXT:    %c = mlc_loop.constant dense<[1.000000e+00, 0x7fc0]> : tensor<2xbf16> : memref<2xbf16>
// CHECK-NEXT:    %o = mlc_loop.alloc : memref<64x40xbf16>
// CHECK-NEXT:    mlc_loop.launch @softmax(%x, %o) : memref<64x40xbf16>, memref<64x40xbf16>
// CHECK-NEXT:    %v = mlc_loop.view %o offset ["40"] : memref<64x40xbf16> -> memref<40xbf16>
// CHECK-NEXT:    %z, %w = mlc_loop.call "aten.sort.stable"(%v) args [#mlc_tensor.operand<"0">, 1 : i64] kwargs {stable = true} : (memref<40xbf16>) -> (memref<40xbf16>, memref<40xi64>)
// CHECK-NEXT:    mlc_loop.free %w : memref<40xi64>
// CHECK-NEXT:    func.return %z : memref<40xbf16>
// CHECK-NEXT:  }
func.func @host(%x: memref<64x40xbf16>) -> memref<40xbf16> {
  %c = mlc_loop.constant dense<[1.000000e+00, 0x7fc0]> : tensor<2xbf16> : memref<2xbf16>
  %o = mlc_loop.alloc : memref<64x40xbf16>
  mlc_loop.launch @softmax(%x, %o) : memref<64x40xbf16>, memref<64x40xbf16>
  %v = mlc_loop.view %o offset ["40"] : memref<64x40xbf16> -> memref<40xbf16>
  %z, %w = mlc_loop.call "aten.sort.stable"(%v) args [#mlc_tensor.operand<"0">, 1 : i64] kwargs {stable = true} : (memref<40xbf16>) -> (memref<40xbf16>, memref<40xi64>)
  mlc_loop.free %w : memref<40xi64>
  func.return %z : memref<40xbf16>
}

// Programs that walk rows, with registers of their own; advice to the cache; iterations that give nothing.
// CHECK-LABEL: mlc_loop.kernel @walk(
// CHECK-NEXT:    mlc_loop.parallel %i = 0 to 8 {
// CHECK-NEXT:      %t = mlc_loop.local add : memref<64xf32>
// CHECK-NEXT:      mlc_loop.serial %p = %i to 512 step 8 block 4 {
// CHECK-NEXT:        %m, %s = mlc_loop.reduce softmax approx %r = 0 to 64 -> f32, f32 {
// CHECK-NEXT:          %v = mlc_loop.load %x[%p, %r] evict "last" : memref<512x64xf32>
// CHECK:               mlc_loop.yield if %{{.*}} %v : f32
// CHECK:             mlc_loop.parallel %r_1 = 0 to 64 {
// CHECK-NEXT:          mlc_loop.accumulate add %m, %t[%r_1] : memref<64xf32>
mlc_loop.kernel @walk(%x: memref<512x64xf32>, %out: memref<8x64xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %t = mlc_loop.local add : memref<64xf32>
    mlc_loop.serial %p = %i to 512 step 8 block 4 {
      %m, %s = mlc_loop.reduce softmax approx %r = 0 to 64 -> f32, f32 {
        %v = mlc_loop.load %x[%p, %r] evict "last" : memref<512x64xf32>
        %k = mlc_loop.index [%r - 50] : i64
        %zero = arith.constant 0 : i64
        %inside = arith.cmpi slt, %k, %zero : i64
        mlc_loop.yield if %inside %v : f32
      }
      mlc_loop.parallel %r = 0 to 64 {
        mlc_loop.accumulate add %m, %t[%r] : memref<64xf32>
      }
    }
    mlc_loop.parallel %r = 0 to 64 {
      %w = mlc_loop.load %t[%r] : memref<64xf32>
      mlc_loop.store %w, %out[%i, %r] : memref<8x64xf32>
    }
  }
}

// Random bits of a position.
// CHECK-LABEL: mlc_loop.kernel @random(
// CHECK:           %b = mlc_loop.random %s, %k word 0
mlc_loop.kernel @random(%seeds: memref<1xi64>, %out: memref<8xi32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %s = mlc_loop.load %seeds[0] : memref<1xi64>
    %k = mlc_loop.index [%p] : i64
    %b = mlc_loop.random %s, %k word 0
    mlc_loop.store %b, %out[%p] : memref<8xi32>
  }
}

// What the last of the programs that meet does; the host program gives them zeros to count in.
// CHECK-LABEL: mlc_loop.kernel @last(
// CHECK:           mlc_loop.last_block %arrived[%q mod 4] of 2 : memref<4xi32> {
// CHECK-NEXT:        %w = mlc_loop.load %part[%q mod 4, 1] : memref<4x2xf32>
// CHECK-NEXT:        mlc_loop.store %w, %out[%q mod 4] : memref<4xf32>
// CHECK-NEXT:      }
// CHECK:         %arrived = mlc_loop.counters : memref<4xi32>
mlc_loop.kernel @last(%x: memref<8xf32>, %part: memref<4x2xf32>, %out: memref<4xf32>, %arrived: memref<4xi32>) {
  mlc_loop.parallel %q = 0 to 8 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    mlc_loop.store %v, %part[%q mod 4, %q floordiv 4] : memref<4x2xf32>
    mlc_loop.last_block %arrived[%q mod 4] of 2 : memref<4xi32> {
      %w = mlc_loop.load %part[%q mod 4, 1] : memref<4x2xf32>
      mlc_loop.store %w, %out[%q mod 4] : memref<4xf32>
    }
  }
}
func.func @counts(%x: memref<8xf32>) -> memref<4xf32> {
  %part = mlc_loop.alloc : memref<4x2xf32>
  %out = mlc_loop.alloc : memref<4xf32>
  %arrived = mlc_loop.counters : memref<4xi32>
  mlc_loop.launch @last(%x, %part, %out, %arrived) : memref<8xf32>, memref<4x2xf32>, memref<4xf32>, memref<4xi32>
  func.return %out : memref<4xf32>
}

// What the parts of a row before this one come to, two values of each; the host program keeps the words they tell in.
// CHECK-LABEL: mlc_loop.kernel @before(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 8 program 0 block 1 {
// CHECK:           %a, %b = mlc_loop.exclusive_prefix add, max %v, %w of 4 in %told : memref<25xi64> -> f32, f64
// CHECK:         %told = mlc_loop.flags @before : memref<25xi64>
mlc_loop.kernel @before(%x: memref<8xf32>, %out: memref<8xf64>, %told: memref<25xi64>) {
  mlc_loop.parallel %q = 0 to 8 program 0 block 1 {
    %v = mlc_loop.load %x[%q] : memref<8xf32>
    %w = arith.extf %v : f32 to f64
    %a, %b = mlc_loop.exclusive_prefix add, max %v, %w of 4 in %told : memref<25xi64> -> f32, f64
    mlc_loop.store %b, %out[%q] : memref<8xf64>
  }
}
func.func @keeps(%x: memref<8xf32>) -> memref<8xf64> {
  %out = mlc_loop.alloc : memref<8xf64>
  %told = mlc_loop.flags @before : memref<25xi64>
  mlc_loop.launch @before(%x, %out, %told) : memref<8xf32>, memref<8xf64>, memref<25xi64>
  func.return %out : memref<8xf64>
}

// -----

// Two parts of each of four rows tell what they come to, a double in two words, and await both. Blocks of the first loop
// have code of their own.
// CHECK-LABEL: mlc_loop.kernel @publish(
// CHECK:           mlc_loop.reduce add %k = 0 to 4 block 2 unrolled -> f64 {
// CHECK:           mlc_loop.signal %t in %told[%q * 2 + 1] : f64, memref<17xi64>
// CHECK:             %o = mlc_loop.wait %told[%i * 2 + (%q floordiv 2) * 4 + 1] : memref<17xi64> -> f64
mlc_loop.kernel @publish(%x: memref<4x8xf64>, %out: memref<4xf64>, %told: memref<17xi64>) {
  mlc_loop.parallel %q = 0 to 8 {
    %t = mlc_loop.reduce add %k = 0 to 4 block 2 unrolled -> f64 {
      %v = mlc_loop.load %x[%q floordiv 2, (%q mod 2) * 4 + %k] : memref<4x8xf64>
      mlc_loop.yield %v : f64
    }
    mlc_loop.signal %t in %told[%q * 2 + 1] : f64, memref<17xi64>
    %s = mlc_loop.reduce add %i = 0 to 2 -> f64 {
      %o = mlc_loop.wait %told[%i * 2 + %q floordiv 2 * 4 + 1] : memref<17xi64> -> f64
      mlc_loop.yield %o : f64
    }
    mlc_loop.store %s, %out[%q floordiv 2] : memref<4xf64>
  }
}

// What is decided of a schedule, and not carried out yet.
// CHECK-LABEL: mlc_loop.kernel @decided(%x: memref<64x40xf32>) schedule <online = true, part = 20, exchange = flags, warps = 4, tail = mask, swizzle = 8 by 100, cache = first> {
mlc_loop.kernel @decided(%x: memref<64x40xf32>) schedule <cache = first, swizzle = 8 by 100, part = 20, exchange = flags, online = true, warps = 4, tail = mask> {
  mlc_loop.parallel %p = 0 to 64 {
  }
}

// Memory of one iteration, on a CPU: what a first loop stores, a second one loads.
// CHECK-LABEL: mlc_loop.kernel @keeps_squares(
// CHECK:           %e = mlc_loop.scratch : memref<40xf32>
mlc_loop.kernel @keeps_squares(%x: memref<64x40xf32>, %y: memref<64x40xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %e = mlc_loop.scratch : memref<40xf32>
    %s = mlc_loop.reduce add %j = 0 to 40 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<64x40xf32>
      %v = arith.mulf %a, %a : f32
      mlc_loop.store %v, %e[%j] : memref<40xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %j = 0 to 40 {
      %v = mlc_loop.load %e[%j] : memref<40xf32>
      %w = arith.divf %v, %s : f32
      mlc_loop.store %w, %y[%i, %j] : memref<64x40xf32>
    }
  }
}

// A softmax, sums with its weights by tensor cores, and iterations outside of which it is given -inf, or which it leaves to others.
// CHECK-LABEL: mlc_loop.kernel @weighted(
// CHECK:             %m, %s, %o = mlc_loop.reduce softmax, weighted approx tf32 dot %j = 0 to 64 block 32 visible [%p - 8, %p + 1] span [0, 32] -> f32, f32, f32 {
// CHECK:               mlc_loop.yield %x, %y : f32, f32
mlc_loop.kernel @weighted(%a: memref<64x64xf32>, %v: memref<64x16xf32>, %out: memref<64x16xf32>) {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 16 block 16 {
      %m, %s, %o = mlc_loop.reduce softmax, weighted approx tf32 dot %j = 0 to 64 block 32 visible [%p - 8, %p + 1] span [0, 32] -> f32, f32, f32 {
        %x = mlc_loop.load %a[%p, %j] : memref<64x64xf32>
        %y = mlc_loop.load %v[%j, %r] : memref<64x16xf32>
        mlc_loop.yield %x, %y : f32, f32
      }
      mlc_loop.store %o, %out[%p, %r] : memref<64x16xf32>
    }
  }
}

// What a loop has stored of the row, the next one loads behind a barrier.
// CHECK-LABEL: mlc_loop.kernel @behind_a_barrier(
// CHECK:         mlc_loop.barrier
// CHECK-NEXT:    mlc_loop.parallel %k
mlc_loop.kernel @behind_a_barrier(%x: memref<64x40xf32>, %y: memref<64x40xf32>, %z: memref<64x40xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %s = mlc_loop.reduce add %j = 0 to 40 -> f32 {
      %v = mlc_loop.load %x[%i, %j] : memref<64x40xf32>
      %e = math.exp %v : f32
      mlc_loop.store %e, %y[%i, %j] : memref<64x40xf32>
      mlc_loop.yield %e : f32
    }
    mlc_loop.barrier
    mlc_loop.parallel %k = 0 to 40 {
      %w = mlc_loop.load %y[%i, %k] : memref<64x40xf32>
      %d = arith.divf %w, %s : f32
      mlc_loop.store %d, %z[%i, %k] : memref<64x40xf32>
    }
  }
}
