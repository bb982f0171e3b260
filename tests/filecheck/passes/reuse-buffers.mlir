// RUN: mlc-opt %s -p reuse-buffers --split-input-file | filecheck %s

// The product dies in the kernel that reads it, which writes its result there. The kernel stays as it is.
// CHECK-LABEL: mlc_loop.kernel @gelu(%x: memref<64xf32>, %b: memref<64xf32>, %out: memref<64xf32>)
// CHECK:       func.func @after_a_product(
// CHECK-NEXT:    %a = mlc_loop.call "aten.mm.default"(%x, %w)
// CHECK-NEXT:    %v = mlc_loop.view %a offset ["0"]
// CHECK-NEXT:    mlc_loop.launch @gelu(%v, %b, %v)
// CHECK-NEXT:    func.return %v : memref<64xf32>
mlc_loop.kernel @gelu(%x: memref<64xf32>, %b: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %c = mlc_loop.load %b[%i] : memref<64xf32>
    %d = arith.addf %a, %c : f32
    mlc_loop.store %d, %out[%i] : memref<64xf32>
  }
}
func.func @after_a_product(%x: memref<8x8xf32>, %w: memref<8x8xf32>, %b: memref<64xf32>) -> memref<64xf32> {
  %a = mlc_loop.call "aten.mm.default"(%x, %w) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  %v = mlc_loop.view %a offset ["0"] : memref<8x8xf32> -> memref<64xf32>
  %r = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @gelu(%v, %b, %r) : memref<64xf32>, memref<64xf32>, memref<64xf32>
  mlc_loop.free %a : memref<8x8xf32>
  func.return %r : memref<64xf32>
}

// -----

// A chain of kernels has one buffer; its memory is freed once, behind the last of them, and one of another shape is a view.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    %s = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @double(%x, %s)
// CHECK-NEXT:    mlc_loop.launch @double(%s, %s)
// CHECK-NEXT:    %u = mlc_loop.view %s offset ["0"] : memref<64xf32> -> memref<8x8xf32>
// CHECK-NEXT:    mlc_loop.launch @by_rows(%s, %u)
// CHECK-NEXT:    %r = mlc_loop.call "aten.mm.default"(%u, %u)
// CHECK-NEXT:    mlc_loop.free %s : memref<64xf32>
// CHECK-NEXT:    func.return %r
mlc_loop.kernel @double(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 program 0 block 16 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %b = arith.addf %a, %a : f32
    mlc_loop.store %b, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @by_rows(%x: memref<64xf32>, %out: memref<8x8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    mlc_loop.parallel %j = 0 to 8 {
      %a = mlc_loop.load %x[%i * 8 + %j] : memref<64xf32>
      %b = arith.addf %a, %a : f32
      mlc_loop.store %b, %out[%i, %j] : memref<8x8xf32>
    }
  }
}
func.func @chain(%x: memref<64xf32>) -> memref<8x8xf32> {
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @double(%x, %s) : memref<64xf32>, memref<64xf32>
  %t = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @double(%s, %t) : memref<64xf32>, memref<64xf32>
  mlc_loop.free %s : memref<64xf32>
  %u = mlc_loop.alloc : memref<8x8xf32>
  mlc_loop.launch @by_rows(%t, %u) : memref<64xf32>, memref<8x8xf32>
  mlc_loop.free %t : memref<64xf32>
  %r = mlc_loop.call "aten.mm.default"(%u, %u) : (memref<8x8xf32>, memref<8x8xf32>) -> memref<8x8xf32>
  mlc_loop.free %u : memref<8x8xf32>
  func.return %r : memref<8x8xf32>
}

// -----

// A row is read by the reductions of its own program before it is overwritten.
// CHECK-LABEL: func.func @row_by_row(
// CHECK-NEXT:    mlc_loop.launch @normalize(%x, %x)
// CHECK-NEXT:    func.return %x
mlc_loop.kernel @normalize(%x: memref<32x16xf32>, %out: memref<32x16xf32>) {
  mlc_loop.parallel %i = 0 to 32 program 0 block 4 {
    %s = mlc_loop.reduce add %j = 0 to 16 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<32x16xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.parallel %j = 0 to 16 {
      %a = mlc_loop.load %x[%i, %j] : memref<32x16xf32>
      %b = arith.divf %a, %s : f32
      mlc_loop.store %b, %out[%i, %j] : memref<32x16xf32>
    }
  }
}
func.func @row_by_row(%x: memref<32x16xf32> {mlc.donated}) -> memref<32x16xf32> {
  %r = mlc_loop.alloc : memref<32x16xf32>
  mlc_loop.launch @normalize(%x, %r) : memref<32x16xf32>, memref<32x16xf32>
  func.return %r : memref<32x16xf32>
}

// -----

// So are the rows of a persistent loop, each of which one program takes.
// CHECK-LABEL: func.func @persistent(
// CHECK-NEXT:    mlc_loop.launch @scale(%x, %x)
mlc_loop.kernel @scale(%x: memref<32x16xf32>, %out: memref<32x16xf32>) {
  mlc_loop.parallel %g = 0 to 4 program 0 {
    mlc_loop.serial %i = %g to 32 step 4 block 2 {
      %s = mlc_loop.reduce add %j = 0 to 16 -> f32 {
        %a = mlc_loop.load %x[%i, %j] : memref<32x16xf32>
        mlc_loop.yield %a : f32
      }
      mlc_loop.parallel %j = 0 to 16 {
        %a = mlc_loop.load %x[%i, %j] : memref<32x16xf32>
        %b = arith.divf %a, %s : f32
        mlc_loop.store %b, %out[%i, %j] : memref<32x16xf32>
      }
    }
  }
}
func.func @persistent(%x: memref<32x16xf32> {mlc.donated}) -> memref<32x16xf32> {
  %r = mlc_loop.alloc : memref<32x16xf32>
  mlc_loop.launch @scale(%x, %r) : memref<32x16xf32>, memref<32x16xf32>
  func.return %r : memref<32x16xf32>
}

// -----

// Not memory that others see: of an argument, a constant, or the result of a call that may be its argument; nor what is
// read again, returned, or has another element type or size.
// CHECK-LABEL: func.func @not_ours(
// CHECK-NEXT:    %r = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @double(%x, %r)
// CHECK-NEXT:    %c = mlc_loop.call
// CHECK-NEXT:    %s = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @double(%c, %s)
// CHECK-NEXT:    mlc_loop.free %c
// CHECK-NEXT:    %t = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @double(%s, %t)
// CHECK-NEXT:    %u = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @double(%t, %u)
// CHECK-NEXT:    %n = mlc_loop.call
// CHECK-NEXT:    %k = mlc_loop.alloc
// CHECK-NEXT:    mlc_loop.launch @double(%u, %k)
// CHECK-NEXT:    mlc_loop.free %u
// CHECK-NEXT:    %h = mlc_loop.alloc : memref<64xi32>
// CHECK-NEXT:    mlc_loop.launch @bits(%k, %h)
mlc_loop.kernel @double(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %b = arith.addf %a, %a : f32
    mlc_loop.store %b, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @bits(%x: memref<64xf32>, %out: memref<64xi32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %b = arith.bitcast %a : f32 to i32
    mlc_loop.store %b, %out[%i] : memref<64xi32>
  }
}
func.func @not_ours(%x: memref<64xf32>) -> (memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xi32>) {
  %r = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @double(%x, %r) : memref<64xf32>, memref<64xf32>
  %c = mlc_loop.call "library.maybe_itself.default"(%x) : (memref<64xf32>) -> memref<64xf32>
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @double(%c, %s) : memref<64xf32>, memref<64xf32>
  mlc_loop.free %c : memref<64xf32>
  %t = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @double(%s, %t) : memref<64xf32>, memref<64xf32>
  %u = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @double(%t, %u) : memref<64xf32>, memref<64xf32>
  %n = mlc_loop.call "library.keeps_it.default"(%u) : (memref<64xf32>) -> memref<64xf32>
  %k = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @double(%u, %k) : memref<64xf32>, memref<64xf32>
  mlc_loop.free %u : memref<64xf32>
  %h = mlc_loop.alloc : memref<64xi32>
  mlc_loop.launch @bits(%k, %h) : memref<64xf32>, memref<64xi32>
  mlc_loop.free %k : memref<64xf32>
  func.return %s, %t, %n, %h : memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xi32>
}

// -----

// Not where another iteration reads what one overwrites, or the launch reads the memory twice.
// CHECK-LABEL: func.func @read_elsewhere(
// CHECK-COUNT-5: mlc_loop.alloc
mlc_loop.kernel @flip(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[63 - %i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @add(%x: memref<64xf32>, %y: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %b = mlc_loop.load %y[63 - %i] : memref<64xf32>
    %c = arith.addf %a, %b : f32
    mlc_loop.store %c, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @and_sum(%x: memref<64xf32>, %out: memref<64xf32>, %sum: memref<1xf32>) {
  mlc_loop.parallel %o = 0 to 1 {
    mlc_loop.parallel %i = 0 to 64 {
      %a = mlc_loop.load %x[%i] : memref<64xf32>
      mlc_loop.store %a, %out[%i] : memref<64xf32>
    }
    %s = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%j] : memref<64xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.store %s, %sum[%o] : memref<1xf32>
  }
}
func.func @read_elsewhere(%x: memref<64xf32> {mlc.donated}) -> (memref<64xf32>, memref<1xf32>) {
  %r = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @flip(%x, %r) : memref<64xf32>, memref<64xf32>
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @add(%r, %r, %s) : memref<64xf32>, memref<64xf32>, memref<64xf32>
  mlc_loop.free %r : memref<64xf32>
  %t = mlc_loop.alloc : memref<64xf32>
  %n = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @and_sum(%s, %t, %n) : memref<64xf32>, memref<64xf32>, memref<1xf32>
  mlc_loop.free %s : memref<64xf32>
  %u = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @flip(%t, %u) : memref<64xf32>, memref<64xf32>
  mlc_loop.free %t : memref<64xf32>
  func.return %u, %n : memref<64xf32>, memref<1xf32>
}

// -----

// Not where rows are done twice, or by several programs, or where the stored value does not wait for the load.
// CHECK-LABEL: func.func @at_once(
// CHECK-COUNT-4: mlc_loop.alloc
mlc_loop.kernel @overlapping(%x: memref<40x16xf32>, %out: memref<40x16xf32>) {
  mlc_loop.parallel %i = 0 to 40 program 0 block 16 overlap 40 {
    mlc_loop.parallel %j = 0 to 16 {
      %a = mlc_loop.load %x[%i, %j] : memref<40x16xf32>
      %b = arith.addf %a, %a : f32
      mlc_loop.store %b, %out[%i, %j] : memref<40x16xf32>
    }
  }
}
mlc_loop.kernel @mean(%x: memref<40xf32>, %out: memref<40xf32>, %y: memref<40x16xf32>, %z: memref<40x16xf32>) {
  mlc_loop.parallel %i = 0 to 40 program 0 {
    mlc_loop.parallel %j = 0 to 16 program 1 {
      %b = mlc_loop.load %y[%i, %j] : memref<40x16xf32>
      mlc_loop.store %b, %z[%i, %j] : memref<40x16xf32>
    }
    %a = mlc_loop.load %x[%i] : memref<40xf32>
    %c = arith.addf %a, %a : f32
    mlc_loop.store %c, %out[%i] : memref<40xf32>
  }
}
mlc_loop.kernel @beside(%x: memref<40xf32>, %y: memref<40xf32>, %out: memref<40xf32>, %n: memref<40xi1>) {
  mlc_loop.parallel %i = 0 to 40 {
    %a = mlc_loop.load %x[%i] : memref<40xf32>
    %b = mlc_loop.load %y[%i] : memref<40xf32>
    %c = arith.cmpf olt, %a, %b : f32
    mlc_loop.store %c, %n[%i] : memref<40xi1>
    mlc_loop.store %b, %out[%i] : memref<40xf32>
  }
}
func.func @at_once(%x: memref<40x16xf32> {mlc.donated}, %m: memref<40xf32> {mlc.donated}, %k: memref<40x16xf32>, %q: memref<40xf32>, %n: memref<40xi1>, %d: memref<40x16xf32>) -> (memref<40x16xf32>, memref<40xf32>) {
  %r = mlc_loop.alloc : memref<40x16xf32>
  mlc_loop.launch @overlapping(%x, %r) : memref<40x16xf32>, memref<40x16xf32>
  %s = mlc_loop.alloc : memref<40xf32>
  mlc_loop.launch @mean(%m, %s, %k, %d) : memref<40xf32>, memref<40xf32>, memref<40x16xf32>, memref<40x16xf32>
  %t = mlc_loop.alloc : memref<40xf32>
  mlc_loop.launch @beside(%s, %q, %t, %n) : memref<40xf32>, memref<40xf32>, memref<40xf32>, memref<40xi1>
  mlc_loop.free %s : memref<40xf32>
  %u = mlc_loop.alloc : memref<40x16xf32>
  mlc_loop.launch @overlapping(%r, %u) : memref<40x16xf32>, memref<40x16xf32>
  mlc_loop.free %r : memref<40x16xf32>
  func.return %u, %t : memref<40x16xf32>, memref<40xf32>
}

// -----

// Small kernels need not wait for each other, so that they can share a launch; those on much memory do.
// CHECK-LABEL: func.func @two_readers(
// CHECK:         mlc_loop.launch @small(%s, %u)
// CHECK:         mlc_loop.launch @large(%x, %x)
mlc_loop.kernel @small(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @large(%x: memref<8388608xf32>, %out: memref<8388608xf32>) {
  mlc_loop.parallel %i = 0 to 8388608 {
    %a = mlc_loop.load %x[%i] : memref<8388608xf32>
    mlc_loop.store %a, %out[%i] : memref<8388608xf32>
  }
}
func.func @two_readers(%s: memref<64xf32> {mlc.donated}, %x: memref<8388608xf32> {mlc.donated}) -> (memref<64xf32>, memref<64xf32>, memref<8388608xf32>, memref<8388608xf32>) {
  %t = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @small(%s, %t) : memref<64xf32>, memref<64xf32>
  %u = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @small(%s, %u) : memref<64xf32>, memref<64xf32>
  %y = mlc_loop.alloc : memref<8388608xf32>
  mlc_loop.launch @large(%x, %y) : memref<8388608xf32>, memref<8388608xf32>
  %z = mlc_loop.alloc : memref<8388608xf32>
  mlc_loop.launch @large(%x, %z) : memref<8388608xf32>, memref<8388608xf32>
  func.return %t, %u, %y, %z : memref<64xf32>, memref<64xf32>, memref<8388608xf32>, memref<8388608xf32>
}

// -----

// Also where the loop that stores the result sums it, and some of its rows are no rows: the index tells who stores.
// CHECK-LABEL: func.func @summed(
// CHECK:         mlc_loop.launch @and_sum_columns(%x, %x, %s)
mlc_loop.kernel @and_sum_columns(%x: memref<30x64xf32>, %out: memref<30x64xf32>, %sum: memref<64x4xf32>) warps 4 {
  mlc_loop.parallel %q = 0 to 256 program 0 block 32 {
    %s = mlc_loop.reduce add %k = 0 to 8 block 8 -> f32 {
      %row = mlc_loop.index [%k + (%q floordiv 64) * 8 - 30] : i32
      %zero = arith.constant 0 : i32
      %inside = arith.cmpi slt, %row, %zero : i32
      %a = mlc_loop.load %x[%k + (%q floordiv 64) * 8, %q mod 64] if %inside : memref<30x64xf32>
      %b = arith.mulf %a, %a : f32
      mlc_loop.store %b, %out[%k + (%q floordiv 64) * 8, %q mod 64] if %inside : memref<30x64xf32>
      mlc_loop.yield if %inside %b : f32
    }
    mlc_loop.store %s, %sum[%q mod 64, %q floordiv 64] : memref<64x4xf32>
  }
}
func.func @summed(%x: memref<30x64xf32> {mlc.donated}) -> (memref<30x64xf32>, memref<64x4xf32>) {
  %r = mlc_loop.alloc : memref<30x64xf32>
  %s = mlc_loop.alloc : memref<64x4xf32>
  mlc_loop.launch @and_sum_columns(%x, %r, %s) : memref<30x64xf32>, memref<30x64xf32>, memref<64x4xf32>
  func.return %r, %s : memref<30x64xf32>, memref<64x4xf32>
}

// -----

// Not where a program has more threads than elements: those that repeat others would sum what those have stored. Nor
// where two iterations store the same element.
// CHECK-LABEL: func.func @keeps_apart(
// CHECK:         mlc_loop.launch @few(%x, %r, %s)
// CHECK:         mlc_loop.launch @twice(%y, %t, %u)
mlc_loop.kernel @few(%x: memref<32x64xf32>, %out: memref<32x64xf32>, %sum: memref<64xf32>) warps 4 {
  mlc_loop.parallel %q = 0 to 64 program 0 block 8 {
    %s = mlc_loop.reduce add %k = 0 to 32 block 8 -> f32 {
      %a = mlc_loop.load %x[%k, %q] : memref<32x64xf32>
      %b = arith.mulf %a, %a : f32
      mlc_loop.store %b, %out[%k, %q] : memref<32x64xf32>
      mlc_loop.yield %b : f32
    }
    mlc_loop.store %s, %sum[%q] : memref<64xf32>
  }
}
mlc_loop.kernel @twice(%x: memref<30x64xf32>, %out: memref<30x64xf32>, %sum: memref<64x4xf32>) warps 4 {
  mlc_loop.parallel %q = 0 to 256 program 0 block 32 {
    %s = mlc_loop.reduce add %k = 0 to 9 block 16 -> f32 {
      %a = mlc_loop.load %x[%k + (%q floordiv 64) * 7, %q mod 64] : memref<30x64xf32>
      %b = arith.mulf %a, %a : f32
      mlc_loop.store %b, %out[%k + (%q floordiv 64) * 7, %q mod 64] : memref<30x64xf32>
      mlc_loop.yield %b : f32
    }
    mlc_loop.store %s, %sum[%q mod 64, %q floordiv 64] : memref<64x4xf32>
  }
}
func.func @keeps_apart(%x: memref<32x64xf32> {mlc.donated}, %y: memref<30x64xf32> {mlc.donated}) -> (memref<32x64xf32>, memref<64xf32>, memref<30x64xf32>, memref<64x4xf32>) {
  %r = mlc_loop.alloc : memref<32x64xf32>
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @few(%x, %r, %s) : memref<32x64xf32>, memref<32x64xf32>, memref<64xf32>
  %t = mlc_loop.alloc : memref<30x64xf32>
  %u = mlc_loop.alloc : memref<64x4xf32>
  mlc_loop.launch @twice(%y, %t, %u) : memref<30x64xf32>, memref<30x64xf32>, memref<64x4xf32>
  func.return %r, %s, %t, %u : memref<32x64xf32>, memref<64xf32>, memref<30x64xf32>, memref<64x4xf32>
}
