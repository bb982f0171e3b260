// RUN: mlc-opt %s -p schedule --split-input-file | filecheck %s

// Registers hold a part of 8192 columns. What all programs of a row read first each warp sums up for itself: it waits
// for no other before it asks for its columns.
// CHECK-LABEL: mlc_loop.kernel @held(
// CHECK-NEXT:    mlc_loop.parallel %q = 0 to 16 program 0 block 1 {
// CHECK-NEXT:      mlc_loop.reduce add %j = 0 to 256 block 32 unrolled
// CHECK:           mlc_loop.reduce add %k = 0 to 8192 block 8192 ->
// CHECK:           mlc_loop.reduce add %i = 0 to 4 block 4 ->
// CHECK:           mlc_loop.parallel %{{.*}} = 0 to 8192 block 8192 {
mlc_loop.kernel @held(%x: memref<4x32768xf32>, %out: memref<4x32768xf32>, %told: memref<17xi64>) {
  mlc_loop.parallel %q = 0 to 16 {
    %n = mlc_loop.reduce add %j = 0 to 256 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 4, %j] : memref<4x32768xf32>
      mlc_loop.yield %v : f32
    }
    %t = mlc_loop.reduce add %k = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 8192] : memref<4x32768xf32>
      %d = arith.subf %v, %n : f32
      mlc_loop.yield %d : f32
    }
    mlc_loop.signal %t in %told[%q + 1] : f32, memref<17xi64>
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %a = mlc_loop.wait %told[%i + (%q floordiv 4) * 4 + 1] : memref<17xi64> -> f32
      mlc_loop.yield %a : f32
    }
    mlc_loop.parallel %k = 0 to 8192 {
      %v = mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 8192] : memref<4x32768xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%q floordiv 4, %k + (%q mod 4) * 8192] : memref<4x32768xf32>
    }
  }
}

// -----

// Few columns are one block of a warp.
// CHECK-LABEL: mlc_loop.kernel @few(
// CHECK:           mlc_loop.reduce add %j = 0 to 16 block 16 ->
mlc_loop.kernel @few(%x: memref<4x32768xf32>, %out: memref<4x32768xf32>, %told: memref<17xi64>) {
  mlc_loop.parallel %q = 0 to 16 {
    %n = mlc_loop.reduce add %j = 0 to 16 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 4, %j] : memref<4x32768xf32>
      mlc_loop.yield %v : f32
    }
    %t = mlc_loop.reduce add %k = 0 to 8192 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 8192] : memref<4x32768xf32>
      %d = arith.subf %v, %n : f32
      mlc_loop.yield %d : f32
    }
    mlc_loop.signal %t in %told[%q + 1] : f32, memref<17xi64>
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %a = mlc_loop.wait %told[%i + (%q floordiv 4) * 4 + 1] : memref<17xi64> -> f32
      mlc_loop.yield %a : f32
    }
    mlc_loop.parallel %k = 0 to 8192 {
      %v = mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 8192] : memref<4x32768xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%q floordiv 4, %k + (%q mod 4) * 8192] : memref<4x32768xf32>
    }
  }
}

// -----

// A longer part is read block by block: warps share what they read first, and what they add up waits for nothing.
// CHECK-LABEL: mlc_loop.kernel @looped(
// CHECK:           mlc_loop.reduce add %j = 0 to 512 block 512 ->
// CHECK:           mlc_loop.reduce add %k = 0 to 16384 block 4096 unrolled
// CHECK:           mlc_loop.reduce add %i = 0 to 4 block 4 ->
// CHECK:           mlc_loop.parallel %{{.*}} = 0 to 16384 block 4096 backwards {
mlc_loop.kernel @looped(%x: memref<4x65536xf32>, %out: memref<4x65536xf32>, %told: memref<17xi64>) schedule <rows = 1, columns = 4096, warps = 4> {
  mlc_loop.parallel %q = 0 to 16 {
    %n = mlc_loop.reduce add %j = 0 to 512 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 4, %j] : memref<4x65536xf32>
      mlc_loop.yield %v : f32
    }
    %t = mlc_loop.reduce add %k = 0 to 16384 -> f32 {
      %v = mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 16384] : memref<4x65536xf32>
      %d = arith.subf %v, %n : f32
      mlc_loop.yield %d : f32
    }
    mlc_loop.signal %t in %told[%q + 1] : f32, memref<17xi64>
    %s = mlc_loop.reduce add %i = 0 to 4 -> f32 {
      %a = mlc_loop.wait %told[%i + (%q floordiv 4) * 4 + 1] : memref<17xi64> -> f32
      mlc_loop.yield %a : f32
    }
    mlc_loop.parallel %k = 0 to 16384 {
      %v = mlc_loop.load %x[%q floordiv 4, %k + (%q mod 4) * 16384] : memref<4x65536xf32>
      %d = arith.subf %v, %s : f32
      mlc_loop.store %d, %out[%q floordiv 4, %k + (%q mod 4) * 16384] : memref<4x65536xf32>
    }
  }
}
