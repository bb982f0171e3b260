// RUN: mlc-opt %s -p loop-to-triton,cse,masked-loads,dce | filecheck %s
// RUN: mlc-opt %s -p loop-to-triton,cse,masked-loads,dce -t triton | filecheck %s --check-prefix=SOURCE

// Blocks of either factor have the summed axis along another dimension. 0 beyond the end of it.
// CHECK-LABEL: mlc_triton.kernel @product(
// CHECK-SAME:    grid [8, 13]
// CHECK:         %turn = mlc_triton.index
// CHECK:         %pid = mlc_triton.index [(%turn floordiv 52) * 4 + (%turn mod 4)]
// CHECK:         %pid_r = mlc_triton.index [(%turn floordiv 4) mod 13]
// CHECK:         mlc_triton.load %x{{.*}} -> tensor<64x64xbf16>
// CHECK:         mlc_triton.load %w{{.*}} -> tensor<64x32xbf16>
// CHECK-NEXT:    %acc_1 = mlc_triton.dot "ieee" %a, %c, %{{.*}} : tensor<64x64xbf16>, tensor<64x32xbf16>, tensor<64x32xf32> -> tensor<64x32xf32>
// SOURCE:      for k_start in tl.range(0, 300, 64, num_stages=3):
// SOURCE:          a = tl.load({{.*}}, mask=(p < 500) & (k_1 < 300), other=0)
// SOURCE:          c = tl.load({{.*}}, mask=(k_2 < 300) & (r < 390), other=0)
// SOURCE:          acc_1 = tl.dot(a, c, s)
// SOURCE:          s = acc_1
mlc_loop.kernel @product(%x: memref<500x300xbf16>, %w: memref<300x390xbf16>, %o: memref<500x390xf32>) warps 4 index 32 why "by hand" {
  mlc_loop.parallel %p = 0 to 500 program 0 block 64 group 4 {
    mlc_loop.parallel %r = 0 to 390 program 1 block 32 {
      %s = mlc_loop.reduce add dot %k = 0 to 300 block 64 stages 3 -> f32 {
        %a = mlc_loop.load %x[%p, %k] : memref<500x300xbf16>
        %c = mlc_loop.load %w[%k, %r] : memref<300x390xbf16>
        %d = arith.extf %a : bf16 to f32
        %e = arith.extf %c : bf16 to f32
        %m = arith.mulf %d, %e : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %s, %o[%p, %r] : memref<500x390xf32>
    }
  }
}

// Factors in float32 are multiplied as such, or as TF32 where the loop allows it.
// CHECK-LABEL: mlc_triton.kernel @float32(
// CHECK:         mlc_triton.dot "ieee" {{.*}} : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
// SOURCE:      tl.dot(a, c, s, input_precision="ieee")
mlc_loop.kernel @float32(%x: memref<32x32xf32>, %w: memref<32x32xf32>, %o: memref<32x32xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 32 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 32 program 1 block 16 {
      %s = mlc_loop.reduce add dot %k = 0 to 32 block 16 -> f32 {
        %a = mlc_loop.load %x[%p, %k] : memref<32x32xf32>
        %c = mlc_loop.load %w[%k, %r] : memref<32x32xf32>
        %m = arith.mulf %a, %c : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %s, %o[%p, %r] : memref<32x32xf32>
    }
  }
}
// CHECK-LABEL: mlc_triton.kernel @tf32(
// CHECK:         mlc_triton.dot "tf32" {{.*}} : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
// SOURCE:      tl.dot(a, c, s, input_precision="tf32")
mlc_loop.kernel @tf32(%x: memref<32x32xf32>, %w: memref<32x32xf32>, %o: memref<32x32xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 32 program 0 block 16 {
    mlc_loop.parallel %r = 0 to 32 program 1 block 16 {
      %s = mlc_loop.reduce add tf32 dot %k = 0 to 32 block 16 -> f32 {
        %a = mlc_loop.load %x[%p, %k] : memref<32x32xf32>
        %c = mlc_loop.load %w[%k, %r] : memref<32x32xf32>
        %m = arith.mulf %a, %c : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %s, %o[%p, %r] : memref<32x32xf32>
    }
  }
}

// Tensor descriptors, in a persistent loop: 10 programs take 16 x 7 blocks in turns. Rows of the first factor are what is
// summed; of the second they are the columns, whose blocks are turned. Beyond the ends of both axes there is 0: no masks.
// The columns are stored in two slices.
// CHECK-LABEL: mlc_triton.kernel @described(
// CHECK-SAME:    grid [10]
// CHECK:         %program = mlc_triton.program_id 0 : i32
// CHECK:         "mlc_triton.for"(%program) <{extent = "112", step = 10 : i64, {{.*}}flattened{{.*}}
// CHECK:         ^bb0(%turn: i32):
// CHECK:           %pid = mlc_triton.index [(%turn floordiv 28) * 4 + (%turn mod 4)]
// CHECK:           %a_blocks = mlc_triton.descriptor %x at 8 : !mlc_triton.ptr<bf16>, 300 by 1000 step 1008 -> !mlc_triton.descriptor_of<tensor<32x64xbf16>>
// CHECK:           %a = mlc_triton.descriptor_load %a_blocks[%k_start, %first] : !mlc_triton.descriptor_of<tensor<32x64xbf16>> -> tensor<32x64xbf16>
// CHECK-NEXT:      %a_1 = mlc_triton.transpose %a : tensor<32x64xbf16> -> tensor<64x32xbf16>
// CHECK:           mlc_triton.descriptor %w at 0 : !mlc_triton.ptr<bf16>, 390 by 300 step 304 -> !mlc_triton.descriptor_of<tensor<64x32xbf16>>
// CHECK:           mlc_triton.dot
// CHECK:           %s_1, %s_2 = mlc_triton.halves %s : tensor<64x64xf32> -> tensor<64x32xf32>, tensor<64x32xf32>
// CHECK:           mlc_triton.store %o{{.*}} = %s_1
// CHECK:           mlc_triton.store %o{{.*}} = %s_2
// SOURCE-LABEL: def described(
// SOURCE:        for turn in tl.range(program, 112, 10, flatten=True):
// SOURCE:            for k_start in tl.range(0, 300, 32, num_stages=3):
// SOURCE:                a_blocks = tl.make_tensor_descriptor(x_ptr + 8, [300, 1000], [1008, 1], [32, 64])
// SOURCE:                a = a_blocks.load([k_start, pid * 64])
// SOURCE:                acc_1 = tl.dot(tl.trans(a), tl.trans(c), s)
// SOURCE:            s_1, s_2 = lib.halves(s)
mlc_loop.kernel @described(%x: memref<300x1008xbf16>, %w: memref<390x304xbf16>, %o: memref<1000x390xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 1000 program 0 block 64 group 4 persistent 10 {
    mlc_loop.parallel %r = 0 to 390 program 1 block 64 slices 2 {
      %s = mlc_loop.reduce add dot %k = 0 to 300 block 32 stages 3 -> f32 {
        %a = mlc_loop.load %x[%k, %p + 8] described : memref<300x1008xbf16>
        %c = mlc_loop.load %w[%r, %k] described : memref<390x304xbf16>
        %d = arith.extf %a : bf16 to f32
        %e = arith.extf %c : bf16 to f32
        %m = arith.mulf %d, %e : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %s, %o[%p, %r] : memref<1000x390xf32>
    }
  }
}

// Weights of 4 bits lie along the summed axis: their blocks have it as rows of memory have it, and are turned behind the
// arithmetic. Two lanes have one byte; the scale of 128 of them is loaded once a row, in a layout of its own.
// CHECK-LABEL: mlc_triton.kernel @packed(
// CHECK:         %w_1 = mlc_triton.load %w[{{.*}}] : {{.*}} -> tensor<64x32xi8>
// CHECK:         mlc_triton.repeat %w_1 axis 1 : i64 : tensor<64x32xi8> -> tensor<64x64xi8>
// CHECK:         %t = mlc_triton.load %s[%{{.*}} * 2 + (%k_start floordiv 128)] as_vector : {{.*}} -> tensor<64x1xbf16>
// CHECK:         %[[TURNED:.*]] = mlc_triton.transpose %{{.*}} : tensor<64x64xbf16> -> tensor<64x64xbf16>
// CHECK:         mlc_triton.dot "ieee" %a, %[[TURNED]], 
mlc_loop.kernel @packed(%x: memref<64x256xbf16>, %w: memref<128x128xi8>, %s: memref<128x2xbf16>, %o: memref<64x128xf32>) warps 4 index 32 {
  mlc_loop.parallel %p = 0 to 64 program 0 block 64 {
    mlc_loop.parallel %r = 0 to 128 program 1 block 64 {
      %sum = mlc_loop.reduce add dot %k = 0 to 256 block 64 stages 3 -> f32 {
        %a = mlc_loop.load %x[%p, %k] : memref<64x256xbf16>
        %w_1 = mlc_loop.load %w[%r, %k floordiv 2] : memref<128x128xi8>
        %c = mlc_loop.index [(%k mod 2) * 4] : i8
        %h = arith.shrsi %w_1, %c : i8
        %f = arith.sitofp %h : i8 to bf16
        %t = mlc_loop.load %s[%r, %k floordiv 128] : memref<128x2xbf16>
        %b = arith.mulf %f, %t : bf16
        %d = arith.extf %a : bf16 to f32
        %e = arith.extf %b : bf16 to f32
        %m = arith.mulf %d, %e : f32
        mlc_loop.yield %m : f32
      }
      mlc_loop.store %sum, %o[%p, %r] : memref<64x128xf32>
    }
  }
}
