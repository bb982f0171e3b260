// RUN: mlc-opt %s -p 'fuse,tensor-to-loop,linearize-axes,schedule' --split-input-file | filecheck %s
// RUN: mlc-opt %s -p 'fuse,tensor-to-loop,linearize-axes,schedule{rows=1 columns=32 warps=1 stages=3}' --split-input-file | filecheck %s --check-prefix=SMALL

// Pointwise: one axis of programs. The reason is for people: other tests leave it out.
// CHECK-LABEL: mlc_loop.kernel @exp(
// CHECK-SAME:    warps 8 index 32 why "{{.+}}" {
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40960 program 0 block 256 {
// SMALL-LABEL: mlc_loop.kernel @exp(
// SMALL-SAME:    warps 1 index 32 why
// SMALL-NEXT:    mlc_loop.parallel %p = 0 to 40960 program 0 block 1 {
func.func @pointwise(%x: tensor<1024x40xf32>) -> tensor<1024x40xf32> {
  %e = mlc_tensor.exp %x : tensor<1024x40xf32>
  func.return %e : tensor<1024x40xf32>
}

// -----

// A short row is held whole, several to a program, and a block is the next power of two.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    warps 1 index 32 resident 4 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 0 block 2 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 40 block 64 -> f32 {
// SMALL-LABEL: mlc_loop.kernel @sum(
// SMALL-SAME:    warps 1 index 32 resident 8 why
// SMALL-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 0 block 1 {
// SMALL-NEXT:      mlc_loop.reduce add %r = 0 to 40 block 32 -> f32 {
func.func @rows(%x: tensor<1024x40xf32>) -> tensor<1024x1xf32> {
  %e = mlc_tensor.reduce add %x dims [1] : tensor<1024x40xf32> -> tensor<1024x1xf32>
  func.return %e : tensor<1024x1xf32>
}

// -----

// A long one is looped over.
// CHECK-LABEL: mlc_loop.kernel @max(
// CHECK-SAME:    warps 8 index 64 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 20000 block 8192 -> f32 {
// SMALL-LABEL: mlc_loop.kernel @max(
// SMALL-SAME:    warps 1 index 64 why
// SMALL-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// SMALL-NEXT:      mlc_loop.reduce max %r = 0 to 20000 block 32 stages 3 -> f32 {
func.func @looped(%x: tensor<?x20000xf32, ["N", "20000"]>) -> tensor<?x1xf32, ["N", "1"]> {
  %e = mlc_tensor.reduce max %x dims [1] : tensor<?x20000xf32, ["N", "20000"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %e : tensor<?x1xf32, ["N", "1"]>
}

// -----

// Many wide accumulators: fewer columns at once, so that they fit the registers.
// CHECK-LABEL: mlc_loop.kernel @sum_max_min_argmax(
// CHECK-SAME:    warps 8 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 1024 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add, max, min, argmax %r = 0 to 20000 block 1024 stages 3 -> i64, i64, i64, i64 {
func.func @accumulators(%x: tensor<1024x20000xi64>) -> (tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>) {
  %a = mlc_tensor.reduce add %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  %b = mlc_tensor.reduce max %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  %c = mlc_tensor.reduce min %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  %d = mlc_tensor.reduce argmax %x dims [1] : tensor<1024x20000xi64> -> tensor<1024x1xi64>
  func.return %a, %b, %c, %d : tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>, tensor<1024x1xi64>
}

// -----

// Down the columns of memory neighbouring lanes take neighbouring rows.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    warps 8 index 32 resident 5 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40000 program 0 block 64 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 1000 block 32 -> f32 {
func.func @columns(%x: tensor<1000x40000xf32>) -> tensor<1x40000xf32> {
  %e = mlc_tensor.reduce add %x dims [0] : tensor<1000x40000xf32> -> tensor<1x40000xf32>
  func.return %e : tensor<1x40000xf32>
}

// -----

// Rows of memory that begin anywhere: each lane asks for each element by itself. The last block of rows begins early.
// Five programs run at once. ptxas may use what they leave of the registers: to save some leaves few loads on their way.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    warps 8 index 32 resident 5 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40001 program 0 block 64 overlap 40001 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 1000 block 32 -> f32 {
func.func @columns_off_vectors(%x: tensor<1000x40001xf32>) -> tensor<1x40001xf32> {
  %e = mlc_tensor.reduce add %x dims [0] : tensor<1000x40001xf32> -> tensor<1x40001xf32>
  func.return %e : tensor<1x40001xf32>
}

// -----

// What is read may have been written by the block that did the row before: then no row is done twice.
// CHECK-LABEL: mlc_loop.kernel @in_place(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40001 program 0 block 64 {
mlc_loop.kernel @in_place(%x: memref<1000x40001xf32>) schedule <rows = 64, columns = 64, warps = 8> {
  mlc_loop.parallel %p = 0 to 40001 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x40001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %x[0, %p] : memref<1000x40001xf32>
  }
}

// -----

// Nor where what a row gives is added to memory.
// CHECK-LABEL: mlc_loop.kernel @added(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 40001 program 0 block 64 {
mlc_loop.kernel @added(%x: memref<1000x40001xf32>, %out: memref<1xf32>) schedule <rows = 64, columns = 64, warps = 8> {
  mlc_loop.parallel %p = 0 to 40001 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[%r, %p] : memref<1000x40001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.atomic add %s, %out[0] : memref<1xf32>
  }
}

// -----

// The rows of each of 4 parts; those of parts that are shorter than a block are in no block of their own.
// CHECK-LABEL: mlc_loop.kernel @parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 40004 program 0 block 64 overlap 10001 {
// CHECK:       mlc_loop.kernel @short_parts(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 40960 program 0 block 64 {
mlc_loop.kernel @parts(%x: memref<4000x10001xf32>, %out: memref<4x10001xf32>) schedule <rows = 64, columns = 64, warps = 8> {
  mlc_loop.parallel %q = 0 to 40004 overlap 10001 {
    %s = mlc_loop.reduce add %r = 0 to 1000 -> f32 {
      %v = mlc_loop.load %x[(%q floordiv 10001) * 1000 + %r, %q mod 10001] : memref<4000x10001xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%q floordiv 10001, %q mod 10001] : memref<4x10001xf32>
  }
}
mlc_loop.kernel @short_parts(%x: memref<1000000x40xf32>, %out: memref<1024x40xf32>) schedule <rows = 64, columns = 64, warps = 8> {
  mlc_loop.parallel %q = 0 to 40960 overlap 40 {
    %s = mlc_loop.reduce add %r = 0 to 900 -> f32 {
      %v = mlc_loop.load %x[(%q floordiv 40) * 900 + %r, %q mod 40] : memref<1000000x40xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%q floordiv 40, %q mod 40] : memref<1024x40xf32>
  }
}

// -----

// Addresses past 2^31 take 64 bits.
// CHECK-LABEL: mlc_loop.kernel @exp(
// CHECK-SAME:    index 64
func.func @huge(%x: tensor<65536x65536xbf16>) -> tensor<65536x65536xbf16> {
  %e = mlc_tensor.exp %x : tensor<65536x65536xbf16>
  func.return %e : tensor<65536x65536xbf16>
}

// -----

// A small buffer read by a huge number of iterations counts those.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    index 64
func.func @huge_loop(%x: tensor<65536x1xf32>) -> tensor<1x1xf32> {
  %b = mlc_tensor.broadcast %x : tensor<65536x1xf32> -> tensor<65536x65536xf32>
  %e = mlc_tensor.reduce add %b dims [0, 1] : tensor<65536x65536xf32> -> tensor<1x1xf32>
  func.return %e : tensor<1x1xf32>
}

// -----

// Unknown sizes may be anything: 64 bits, and rows are looped over.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    warps 8 index 64 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to M block 8192 -> f32 {
func.func @dynamic(%x: tensor<?x?xf32, ["N", "M"]>) -> tensor<?x1xf32, ["N", "1"]> {
  %e = mlc_tensor.reduce add %x dims [1] : tensor<?x?xf32, ["N", "M"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %e : tensor<?x1xf32, ["N", "1"]>
}

// -----

// A kernel that has a schedule keeps it.
// CHECK-LABEL: mlc_loop.kernel @mine(
// CHECK-SAME:    warps 8 index 32 why "by hand"
// CHECK-NEXT:    program 0 block 2
mlc_loop.kernel @mine(%x: memref<4xf32>, %out: memref<4xf32>) warps 8 index 32 why "by hand" {
  mlc_loop.parallel %p = 0 to 4 program 0 block 2 {
    %v = mlc_loop.load %x[%p] : memref<4xf32>
    mlc_loop.store %v, %out[%p] : memref<4xf32>
  }
}

// -----

// Two inputs: half as many columns at once, so that what is loaded leaves registers to a second program.
// CHECK-LABEL: mlc_loop.kernel @mul_sum(
// CHECK-SAME:    warps 8 index 64 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 20000 block 4096 -> f32 {
func.func @two_inputs(%x: tensor<?x20000xf32, ["N", "20000"]>, %y: tensor<?x20000xf32, ["N", "20000"]>) -> tensor<?x1xf32, ["N", "1"]> {
  %m = mlc_tensor.mul %x, %y : tensor<?x20000xf32, ["N", "20000"]>
  %e = mlc_tensor.reduce add %m dims [1] : tensor<?x20000xf32, ["N", "20000"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %e : tensor<?x1xf32, ["N", "1"]>
}

// -----

// Short rows: a program has several.
// CHECK-LABEL: mlc_loop.kernel @max(
// CHECK-SAME:    warps 2 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 50000 program 0 block 4 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 1000 block 1024 -> bf16 {
func.func @narrow_rows(%x: tensor<50000x1000xbf16>) -> tensor<50000x1xbf16> {
  %e = mlc_tensor.reduce max %x dims [1] : tensor<50000x1000xbf16> -> tensor<50000x1xbf16>
  func.return %e : tensor<50000x1xbf16>
}

// -----

// Planes smaller than a block of 16 bytes a lane: a block has several.
// CHECK-LABEL: mlc_loop.kernel @planes(
// CHECK-SAME:    warps 8 index 32 resident 4 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 512 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 65536 block 4096 -> f16 {
mlc_loop.kernel @planes(%x: memref<64x512x1024xf16>, %out: memref<512xf16>) {
  mlc_loop.parallel %p = 0 to 512 {
    %s = mlc_loop.reduce max %r = 0 to 65536 -> f16 {
      %v = mlc_loop.load %x[%r floordiv 1024, %p, %r mod 1024] : memref<64x512x1024xf16>
      mlc_loop.yield %v : f16
    }
    mlc_loop.store %s, %out[%p] : memref<512xf16>
  }
}

// -----

// Deeper ones come from memory twice: whole lines, and much on its way.
// CHECK-LABEL: mlc_loop.kernel @deep_columns(
// CHECK-SAME:    warps 8 index 32 resident 4 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 65536 program 0 block 128 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 4096 block 32 -> f16 {
mlc_loop.kernel @deep_columns(%x: memref<4096x65536xf16>, %out: memref<4096x65536xf16>) {
  mlc_loop.parallel %p = 0 to 65536 {
    %m = mlc_loop.reduce max %r = 0 to 4096 -> f16 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x65536xf16>
      mlc_loop.yield %v : f16
    }
    mlc_loop.parallel %r = 0 to 4096 {
      %v = mlc_loop.load %x[%r, %p] : memref<4096x65536xf16>
      %d = arith.subf %v, %m : f16
      mlc_loop.store %d, %out[%r, %p] : memref<4096x65536xf16>
    }
  }
}

// -----

// What is read lies along the rows, what is written along the columns: blocks with whole sectors of both.
// CHECK-LABEL: mlc_loop.kernel @strided_input(
// CHECK-SAME:    warps 8 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 32768 program 0 block 16 {
// CHECK-NEXT:      mlc_loop.reduce max %r = 0 to 256 block 256 -> f32 {
mlc_loop.kernel @strided_input(%x: memref<32768x256xf32, strided<[1, 32768]>>, %out: memref<32768x256xf32>) {
  mlc_loop.parallel %p = 0 to 32768 {
    %m = mlc_loop.reduce max %r = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<32768x256xf32, strided<[1, 32768]>>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 256 {
      %v = mlc_loop.load %x[%p, %r] : memref<32768x256xf32, strided<[1, 32768]>>
      %d = arith.subf %v, %m : f32
      mlc_loop.store %d, %out[%p, %r] : memref<32768x256xf32>
    }
  }
}

// -----

// Planes of 3136: 64 columns, the most that divides one, are too few for loads of 16 bytes of all lanes.
// CHECK-LABEL: mlc_loop.kernel @planes(
// CHECK:         mlc_loop.reduce add %r = 0 to 50176 block 8192
mlc_loop.kernel @planes(%x: memref<16x256x3136xbf16>, %out: memref<256xf32>) {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %r = 0 to 50176 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 3136, %p, %r mod 3136] : memref<16x256x3136xbf16>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %s, %out[%p] : memref<256xf32>
  }
}

// -----

// Planes of 12288 are three times 4096.
// CHECK-LABEL: mlc_loop.kernel @even_planes(
// CHECK:         mlc_loop.reduce add %r = 0 to 49152 block 4096
mlc_loop.kernel @even_planes(%x: memref<4x256x12288xbf16>, %out: memref<256xf32>) {
  mlc_loop.parallel %p = 0 to 256 {
    %s = mlc_loop.reduce add %r = 0 to 49152 -> f32 {
      %v = mlc_loop.load %x[%r floordiv 12288, %p, %r mod 12288] : memref<4x256x12288xbf16>
      %f = arith.extf %v : bf16 to f32
      mlc_loop.yield %f : f32
    }
    mlc_loop.store %s, %out[%p] : memref<256xf32>
  }
}

// -----

// Elements that are looked up: a lane waits for many places at once, then for what is there.
// CHECK-LABEL: mlc_loop.kernel @elements_looked_up(
// CHECK-SAME:    warps 4 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 65536 program 0 block 128 {
// CHECK-LABEL: mlc_loop.kernel @elements_put_somewhere(
// CHECK-SAME:    warps 4 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 65536 program 0 block 128 {
mlc_loop.kernel @elements_looked_up(%i: memref<65536xi64>, %t: memref<900xf32>, %out: memref<65536xf32>) {
  mlc_loop.parallel %p = 0 to 65536 {
    %k = mlc_loop.load %i[%p] : memref<65536xi64>
    %g = mlc_loop.indirect_index %k below 900 : i64
    %v = mlc_loop.load %t[%g] : memref<900xf32>
    mlc_loop.store %v, %out[%p] : memref<65536xf32>
  }
}
mlc_loop.kernel @elements_put_somewhere(%i: memref<65536xi64>, %x: memref<65536xf32>, %out: memref<900xf32>) {
  mlc_loop.parallel %p = 0 to 65536 {
    %k = mlc_loop.load %i[%p] : memref<65536xi64>
    %g = mlc_loop.indirect_index %k below 900 : i64
    %v = mlc_loop.load %x[%p] : memref<65536xf32>
    mlc_loop.atomic add %v, %out[%g] : memref<900xf32>
  }
}

// -----

// A row that is looked up waits for its place first: a program waits for two at once.
// CHECK-LABEL: mlc_loop.kernel @rows_looked_up(
// CHECK-SAME:    warps 1 index 32 resident 16 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 4096 program 0 block 2 {
// CHECK:           mlc_loop.reduce max %r = 0 to 1024 block 1024 -> f32 {
mlc_loop.kernel @rows_looked_up(%i: memref<4096xi64>, %t: memref<900x1024xf32>, %out: memref<4096xf32>, %whole: memref<4096x1024xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    %k = mlc_loop.load %i[%p] : memref<4096xi64>
    %g = mlc_loop.indirect_index %k below 900 : i64
    %m = mlc_loop.reduce max %r = 0 to 1024 -> f32 {
      %v = mlc_loop.load %t[%g, %r] : memref<900x1024xf32>
      mlc_loop.store %v, %whole[%p, %r] : memref<4096x1024xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %m, %out[%p] : memref<4096xf32>
  }
}

// -----

// A row that is only read, once: 32 bytes a lane, so that many lanes have some on their way.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    warps 16 index 64 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 4096 block 4096 -> f32 {
func.func @only_read(%x: tensor<?x4096xf32, ["N", "4096"]>) -> tensor<?x1xf32, ["N", "1"]> {
  %e = mlc_tensor.reduce add %x dims [1] : tensor<?x4096xf32, ["N", "4096"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %e : tensor<?x1xf32, ["N", "1"]>
}

// -----

// Twice: lanes have the row while they wait, so that there are fewer of them.
// CHECK-LABEL: mlc_loop.kernel @sum_sub_max(
// CHECK-SAME:    warps 8 index 64 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to N program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 4096 block 4096 -> f32 {
func.func @read_twice(%x: tensor<?x4096xf32, ["N", "4096"]>) -> tensor<?x1xf32, ["N", "1"]> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<?x4096xf32, ["N", "4096"]> -> tensor<?x1xf32, ["N", "1"]>
  %b = mlc_tensor.broadcast %s : tensor<?x1xf32, ["N", "1"]> -> tensor<?x4096xf32, ["N", "4096"]>
  %d = mlc_tensor.sub %x, %b : tensor<?x4096xf32, ["N", "4096"]>
  %m = mlc_tensor.reduce max %d dims [1] : tensor<?x4096xf32, ["N", "4096"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %m : tensor<?x1xf32, ["N", "1"]>
}

// -----

// For a place, where lanes that meet have more to do: fewer still.
// CHECK-LABEL: mlc_loop.kernel @argmax(
// CHECK-SAME:    warps 4 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16384 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce argmax %r = 0 to 4096 block 4096 -> i64 {
func.func @places(%x: tensor<16384x4096xf32>) -> tensor<16384x1xi64> {
  %e = mlc_tensor.reduce argmax %x dims [1] : tensor<16384x4096xf32> -> tensor<16384x1xi64>
  func.return %e : tensor<16384x1xi64>
}

// -----

// Off a multiple of 16 bytes each element is a load, of which a lane has enough with 4096 / 128.
// CHECK-LABEL: mlc_loop.kernel @sum(
// CHECK-SAME:    warps 4 index 32 why
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 16384 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %r = 0 to 4095 block 4096 -> f32 {
func.func @odd_rows(%x: tensor<16384x4095xf32>) -> tensor<16384x1xf32> {
  %e = mlc_tensor.reduce add %x dims [1] : tensor<16384x4095xf32> -> tensor<16384x1xf32>
  func.return %e : tensor<16384x1xf32>
}

// -----

// Scans down columns: pipelined blocks.
// CHECK-LABEL: mlc_loop.kernel @cumsum(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8192 program 0 block 16 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 8192 block {{[0-9]+}} stages 3 {
func.func @scanned_columns(%x: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {
  %cumsum = mlc_tensor.scan add %x dim 0 : tensor<8192x8192xf32> -> tensor<8192x8192xf32>
  func.return %cumsum : tensor<8192x8192xf32>
}

// -----

// Elements of eight bytes take two registers each: no blocks wait in shared memory beside them.
// CHECK-LABEL: mlc_loop.kernel @cumsum(
// CHECK-NEXT:    mlc_loop.parallel %p = 0 to 8192 program 0 block 16 {
// CHECK-NEXT:      mlc_loop.parallel %r = 0 to 8192 block {{[0-9]+}} stages 3 {
func.func @scanned_wide_columns(%x: tensor<8192x8192xi64>) -> tensor<8192x8192xi64> {
  %cumsum = mlc_tensor.scan add %x dim 0 : tensor<8192x8192xi64> -> tensor<8192x8192xi64>
  func.return %cumsum : tensor<8192x8192xi64>
}
