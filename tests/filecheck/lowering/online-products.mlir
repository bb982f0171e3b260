// RUN: mlc-opt %s -p loop-to-triton,cse,dce -t triton | filecheck %s

// Scores are a product of blocks, their weights the factor of another. What is summed so far is rescaled where the
// maximum grows; while all scores are -inf, 0 stands for it. Keys beyond the end, and those that are hidden from all
// rows of a block, count nothing.
// CHECK-LABEL: def attention(
// CHECK:           b = tl.program_id(1)
// CHECK:           pid_1 = -pid + 3
// CHECK:           m = tl.full((16, 1), float("-inf"), tl.float32)
// CHECK-NEXT:      total = tl.full((16, 1), 0.0, tl.float32)
// CHECK-NEXT:      acc = tl.full((16, 32), 0.0, tl.float32)
// CHECK:           for j_start in tl.range(0, tl.minimum(pid_1 * 16 + 16, 50), 32, num_stages=2):
// CHECK:               c = tl.load({{.*}}, mask=mask, other=0)
// CHECK-NEXT:          x = tl.dot(a, c, tl.full((16, 32), 0.0, tl.float32))
// CHECK-NEXT:          hidden = row < j.to(tl.int64)
// CHECK-NEXT:          y = tl.where(hidden, float("-inf"), x)
// CHECK:               w = tl.load({{.*}}, mask=mask_1, other=0)
// CHECK-NEXT:          y_1 = tl.where(mask, y, float("-inf"))
// CHECK-NEXT:          t = tl.reduce(y_1, 1, lib.max_nan, keep_dims=True)
// CHECK-NEXT:          m_2 = tl.maximum(m_1, t, propagate_nan=tl.PropagateNan.ALL)
// CHECK-NEXT:          base = tl.where(m_2 == float("-inf"), 0.0, m_2)
// CHECK-NEXT:          weights = libdevice.exp(y_1 - base)
// CHECK-NEXT:          change = libdevice.exp(m_1 - base)
// CHECK-NEXT:          t_1 = tl.sum(weights, axis=1, keep_dims=True)
// CHECK-NEXT:          acc_3 = tl.dot(weights.to(tl.bfloat16), tl.where(mask_1, w, 0.0), acc_2 * change)
// CHECK-NEXT:          m_1, acc_1, acc_2 = m_2, (acc_1 * change) + t_1, acc_3
// CHECK-NEXT:      t_2 = m_1 == float("-inf")
// CHECK-NEXT:      z = tl.div_rn(tl.where(t_2, float("nan"), acc_2), tl.where(t_2, float("nan"), acc_1))
// CHECK:           tl.store(o_ptr + (b * {{.*}}
mlc_loop.kernel @attention(%q: memref<6x64x32xbf16>, %k: memref<6x50x32xbf16>, %v: memref<6x50x32xbf16>, %o: memref<6x64x32xbf16>) warps 4 index 32 {
  mlc_loop.parallel %b = 0 to 6 program 1 {
    mlc_loop.parallel %p = 0 to 64 program 0 block 16 backwards {
      mlc_loop.parallel %r = 0 to 32 block 32 {
        %least = arith.constant 0xff800000 : f32
        %row = mlc_loop.index [%p] : i64
        %m, %l, %s = mlc_loop.reduce softmax, weighted dot %j = 0 to 50 block 32 stages 2 visible [0, %p + 1] -> f32, f32, f32 {
          %x = mlc_loop.reduce add dot %d = 0 to 32 block 32 -> f32 {
            %a = mlc_loop.load %q[%b, %p, %d] : memref<6x64x32xbf16>
            %c = mlc_loop.load %k[%b, %j, %d] : memref<6x50x32xbf16>
            %af = arith.extf %a : bf16 to f32
            %cf = arith.extf %c : bf16 to f32
            %t = arith.mulf %af, %cf : f32
            mlc_loop.yield %t : f32
          }
          %key = mlc_loop.index [%j] : i64
          %hidden = arith.cmpi slt, %row, %key : i64
          %y = arith.select %hidden, %least, %x : f32
          %w = mlc_loop.load %v[%b, %j, %r] : memref<6x50x32xbf16>
          %wf = arith.extf %w : bf16 to f32
          mlc_loop.yield %y, %wf : f32, f32
        }
        %z = arith.divf %s, %l : f32
        %h = arith.truncf %z : f32 to bf16
        mlc_loop.store %h, %o[%b, %p, %r] : memref<6x64x32xbf16>
      }
    }
  }
}

// The maximum, the sum of exponentials by the hardware's ex2, and another sum, each one value a row; scores go in steps
// along what they sum.
// CHECK-LABEL: def statistics(
// CHECK:           for j_start in range(0, 128, 32):
// CHECK:               for k_start in tl.range(0, 512, 64, num_stages=3):
// CHECK:                   tl.dot(
// CHECK:               tl.sum(tl.exp2(tl.fma(t, {{.*}})), axis=1, keep_dims=True)
// CHECK-NEXT:          {{.*}} = tl.sum(t, axis=1, keep_dims=True)
// CHECK-NEXT:          x, acc, z = m_1, (acc * tl.exp2({{.*}})) + {{.*}}, z + {{.*}}
// CHECK:           tl.store(m_ptr
mlc_loop.kernel @statistics(%h: memref<64x512xf16>, %w: memref<128x512xf16>, %m: memref<64xf32>, %s: memref<64xf32>, %a: memref<64xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 64 {
    %x, %y, %z = mlc_loop.reduce softmax, add approx %j = 0 to 128 block 32 -> f32, f32, f32 {
      %t = mlc_loop.reduce add dot %d = 0 to 512 block 64 stages 3 -> f32 {
        %u = mlc_loop.load %h[%p, %d] : memref<64x512xf16>
        %v = mlc_loop.load %w[%j, %d] : memref<128x512xf16>
        %uf = arith.extf %u : f16 to f32
        %vf = arith.extf %v : f16 to f32
        %uv = arith.mulf %uf, %vf : f32
        mlc_loop.yield %uv : f32
      }
      mlc_loop.yield %t, %t : f32, f32
    }
    mlc_loop.store %x, %m[%p] : memref<64xf32>
    mlc_loop.store %y, %s[%p] : memref<64xf32>
    mlc_loop.store %z, %a[%p] : memref<64xf32>
  }
}

// Scores may as well come from memory.
// CHECK-LABEL: def stored_scores(
// CHECK:           for j_start in range(0, 64, 32):
// CHECK:               a = tl.load(x_ptr
// CHECK:               y = tl.load(v_ptr
// CHECK:               tl.dot(weights, y, acc_2 * change, input_precision="ieee")
mlc_loop.kernel @stored_scores(%x: memref<64x64xf32>, %v: memref<64x16xf32>, %out: memref<64x16xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 16 block 16 {
      %m, %s, %o = mlc_loop.reduce softmax, weighted dot %j = 0 to 64 block 32 -> f32, f32, f32 {
        %a = mlc_loop.load %x[%p, %j] : memref<64x64xf32>
        %y = mlc_loop.load %v[%j, %r] : memref<64x16xf32>
        mlc_loop.yield %a, %y : f32, f32
      }
      %q = arith.divf %o, %s : f32
      mlc_loop.store %q, %out[%p, %r] : memref<64x16xf32>
    }
  }
}

// Scores of a batch are added up: a block of them stays in registers, and each of the batch adds its own to it.
// CHECK-LABEL: def of_a_batch(
// CHECK:           b = tl.program_id(2)
// CHECK:           acc = tl.full((64, 32), 0.0, tl.float32)
// CHECK:           for a in tl.range(0, 4, 1, num_stages=3):
// CHECK:               x = tl.load(q_ptr + {{.*}}, mask=p < 100
// CHECK:               y = tl.load(k_ptr
// CHECK:               s = tl.dot(x, y,
// CHECK:               w = tl.exp(s)
// CHECK-NEXT:          t = t + w
// CHECK-NEXT:      tl.store(o_ptr + (b * 19200 + p * 192 + r), t, mask=p < 100)
mlc_loop.kernel @of_a_batch(%q: memref<4x2x100x32xf16>, %k: memref<4x2x192x32xf16>, %o: memref<2x100x192xf32>) warps 4 index 32 {
  mlc_loop.parallel %b = 0 to 2 program 2 {
    mlc_loop.parallel %p = 0 to 100 program 0 block 64 {
      mlc_loop.parallel %r = 0 to 192 program 1 block 32 {
        %t = mlc_loop.reduce add %a = 0 to 4 stages 3 -> f32 {
          %s = mlc_loop.reduce add dot %c = 0 to 32 block 32 -> f32 {
            %x = mlc_loop.load %q[%a, %b, %p, %c] : memref<4x2x100x32xf16>
            %y = mlc_loop.load %k[%a, %b, %r, %c] : memref<4x2x192x32xf16>
            %xw = arith.extf %x : f16 to f32
            %yw = arith.extf %y : f16 to f32
            %xy = arith.mulf %xw, %yw : f32
            mlc_loop.yield %xy : f32
          }
          %w = math.exp %s fastmath<afn> : f32
          mlc_loop.yield %w : f32
        }
        mlc_loop.store %t, %o[%b, %p, %r] : memref<2x100x192xf32>
      }
    }
  }
}
