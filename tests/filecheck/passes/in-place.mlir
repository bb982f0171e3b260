// RUN: mlc-opt %s -p in-place --split-input-file | filecheck %s

// A step of descent with momentum: both arguments are written by the kernel that reads them.
// CHECK-LABEL: mlc_loop.kernel @step(
// CHECK-SAME:    %p: memref<64xf32>, %g: memref<64xf32>, %m: memref<64xf32>)
// CHECK:           mlc_loop.store %{{.*}}, %m[%i]
// CHECK:           mlc_loop.store %{{.*}}, %p[%i]
// CHECK-NOT:     mlc_loop.kernel
// CHECK:         func.func @two(
// CHECK-NEXT:      mlc_loop.launch @step(%p, %g, %m) : memref<64xf32>, memref<64xf32>, memref<64xf32>
// CHECK-NEXT:      func.return
mlc_loop.kernel @step(%p: memref<64xf32>, %g: memref<64xf32>, %m: memref<64xf32>, %p_out: memref<64xf32>, %m_out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %g[%i] : memref<64xf32>
    %b = mlc_loop.load %m[%i] : memref<64xf32>
    %c = arith.addf %a, %b : f32
    mlc_loop.store %c, %m_out[%i] : memref<64xf32>
    %d = mlc_loop.load %p[%i] : memref<64xf32>
    %e = arith.subf %d, %c : f32
    mlc_loop.store %e, %p_out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy_1(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
func.func @two(%p: memref<64xf32>, %g: memref<64xf32>, %m: memref<64xf32>) {
  %s = mlc_loop.alloc : memref<64xf32>
  %t = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @step(%p, %g, %m, %s, %t) : memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>
  mlc_loop.launch @copy(%s, %p) : memref<64xf32>, memref<64xf32>
  mlc_loop.free %s : memref<64xf32>
  mlc_loop.launch @copy_1(%t, %m) : memref<64xf32>, memref<64xf32>
  mlc_loop.free %t : memref<64xf32>
  func.return
}

// -----

// What another kernel reads of the new value before it is copied, it reads of the argument.
// CHECK-LABEL: func.func @counted(
// CHECK-NEXT:    mlc_loop.launch @count(%n) : memref<1xf32>
// CHECK-NEXT:    mlc_loop.launch @use(%n, %y)
// CHECK-NEXT:    func.return
mlc_loop.kernel @count(%n: memref<1xf32>, %out: memref<1xf32>) {
  mlc_loop.parallel %i = 0 to 1 {
    %a = mlc_loop.load %n[0] : memref<1xf32>
    %b = arith.addf %a, %a : f32
    mlc_loop.store %b, %out[0] : memref<1xf32>
  }
}
mlc_loop.kernel @use(%n: memref<1xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %n[0] : memref<1xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy(%x: memref<1xf32>, %out: memref<1xf32>) {
  mlc_loop.parallel %i = 0 to 1 {
    %a = mlc_loop.load %x[0] : memref<1xf32>
    mlc_loop.store %a, %out[0] : memref<1xf32>
  }
}
func.func @counted(%n: memref<1xf32>, %y: memref<64xf32>) {
  %s = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @count(%n, %s) : memref<1xf32>, memref<1xf32>
  mlc_loop.launch @use(%s, %y) : memref<1xf32>, memref<64xf32>
  mlc_loop.launch @copy(%s, %n) : memref<1xf32>, memref<1xf32>
  mlc_loop.free %s : memref<1xf32>
  func.return
}

// -----

// An element is written while another iteration may still read it: the copy stays. So it does where one iteration reads
// after it has written.
// CHECK-LABEL: func.func @turned(
// CHECK:         mlc_loop.launch @flip(%x, %s)
// CHECK-NEXT:    mlc_loop.launch @copy(%s, %x)
// CHECK-LABEL: func.func @late(
// CHECK:         mlc_loop.launch @after(%x, %s, %y)
// CHECK-NEXT:    mlc_loop.launch @copy_1(%s, %x)
mlc_loop.kernel @flip(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[63 - %i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @after(%x: memref<64xf32>, %out: memref<64xf32>, %y: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %z = arith.constant 0.0 : f32
    mlc_loop.store %z, %out[%i] : memref<64xf32>
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %y[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy_1(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
func.func @turned(%x: memref<64xf32>) {
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @flip(%x, %s) : memref<64xf32>, memref<64xf32>
  mlc_loop.launch @copy(%s, %x) : memref<64xf32>, memref<64xf32>
  func.return
}
func.func @late(%x: memref<64xf32>, %y: memref<64xf32>) {
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @after(%x, %s, %y) : memref<64xf32>, memref<64xf32>, memref<64xf32>
  mlc_loop.launch @copy_1(%s, %x) : memref<64xf32>, memref<64xf32>
  func.return
}

// -----

// Somebody reads the old value before the copy, the new one is returned as well, or a call may hold on to the argument.
// CHECK-LABEL: func.func @read_between(
// CHECK:         mlc_loop.launch @copy(%s, %x)
// CHECK-LABEL: func.func @returned(
// CHECK:         mlc_loop.launch @copy_1(%s, %x)
// CHECK-LABEL: func.func @called(
// CHECK:         mlc_loop.launch @copy_2(%s, %x)
// CHECK-LABEL: func.func @read_as_a_view(
// CHECK:         mlc_loop.launch @copy_3(%s, %x)
mlc_loop.kernel @zero(%out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %z = arith.constant 0.0 : f32
    mlc_loop.store %z, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @zero_1(%out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %z = arith.constant 0.0 : f32
    mlc_loop.store %z, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @zero_2(%out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %z = arith.constant 0.0 : f32
    mlc_loop.store %z, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @first(%x: memref<1xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %z = mlc_loop.load %x[0] : memref<1xf32>
    mlc_loop.store %z, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @double(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    %b = arith.addf %a, %a : f32
    mlc_loop.store %b, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy_1(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy_2(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
mlc_loop.kernel @copy_3(%x: memref<64xf32>, %out: memref<64xf32>) {
  mlc_loop.parallel %i = 0 to 64 {
    %a = mlc_loop.load %x[%i] : memref<64xf32>
    mlc_loop.store %a, %out[%i] : memref<64xf32>
  }
}
func.func @read_between(%x: memref<64xf32>, %y: memref<64xf32>) {
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @zero(%s) : memref<64xf32>
  mlc_loop.launch @double(%x, %y) : memref<64xf32>, memref<64xf32>
  mlc_loop.launch @copy(%s, %x) : memref<64xf32>, memref<64xf32>
  func.return
}
func.func @returned(%x: memref<64xf32>) -> memref<64xf32> {
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @zero_1(%s) : memref<64xf32>
  mlc_loop.launch @copy_1(%s, %x) : memref<64xf32>, memref<64xf32>
  func.return %s : memref<64xf32>
}
func.func @called(%x: memref<64xf32>) -> memref<64xf32> {
  %v = mlc_loop.call "aten.view_as.default"(%x) : (memref<64xf32>) -> memref<64xf32>
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @zero_2(%s) : memref<64xf32>
  mlc_loop.launch @copy_2(%s, %x) : memref<64xf32>, memref<64xf32>
  func.return %v : memref<64xf32>
}
func.func @read_as_a_view(%x: memref<64xf32>) {
  %v = mlc_loop.view %x offset ["0"] : memref<64xf32> -> memref<1xf32>
  %s = mlc_loop.alloc : memref<64xf32>
  mlc_loop.launch @first(%v, %s) : memref<1xf32>, memref<64xf32>
  mlc_loop.launch @copy_3(%s, %x) : memref<64xf32>, memref<64xf32>
  func.return
}

// -----

// Over two axes: the same element is one at the same indices.
// CHECK-LABEL: mlc_loop.kernel @rows(
// CHECK-SAME:    %p: memref<8x4xf32>, %b: memref<4xf32>)
// CHECK:           mlc_loop.store %{{.*}}, %p[%i, %j]
// CHECK-NOT:     mlc_loop.kernel
mlc_loop.kernel @rows(%p: memref<8x4xf32>, %b: memref<4xf32>, %out: memref<8x4xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8, 4) {
    %v = mlc_loop.load %p[%i, %j] : memref<8x4xf32>
    %w = mlc_loop.load %b[%j] : memref<4xf32>
    %s = arith.addf %v, %w : f32
    mlc_loop.store %s, %out[%i, %j] : memref<8x4xf32>
  }
}
mlc_loop.kernel @copy(%x: memref<8x4xf32>, %out: memref<8x4xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8, 4) {
    %a = mlc_loop.load %x[%i, %j] : memref<8x4xf32>
    mlc_loop.store %a, %out[%i, %j] : memref<8x4xf32>
  }
}
func.func @bias(%p: memref<8x4xf32>, %b: memref<4xf32>) {
  %t = mlc_loop.alloc : memref<8x4xf32>
  mlc_loop.launch @rows(%p, %b, %t) : memref<8x4xf32>, memref<4xf32>, memref<8x4xf32>
  mlc_loop.launch @copy(%t, %p) : memref<8x4xf32>, memref<8x4xf32>
  mlc_loop.free %t : memref<8x4xf32>
  func.return
}

// -----

// The transpose is read: an iteration would find what another has written.
// CHECK-LABEL: mlc_loop.kernel @turned(
// CHECK-SAME:    %p: memref<4x4xf32>, %out: memref<4x4xf32>)
// CHECK:       mlc_loop.kernel @copy(
mlc_loop.kernel @turned(%p: memref<4x4xf32>, %out: memref<4x4xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (4, 4) {
    %v = mlc_loop.load %p[%j, %i] : memref<4x4xf32>
    %s = arith.addf %v, %v : f32
    mlc_loop.store %s, %out[%i, %j] : memref<4x4xf32>
  }
}
mlc_loop.kernel @copy(%x: memref<4x4xf32>, %out: memref<4x4xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (4, 4) {
    %a = mlc_loop.load %x[%i, %j] : memref<4x4xf32>
    mlc_loop.store %a, %out[%i, %j] : memref<4x4xf32>
  }
}
func.func @doubled(%p: memref<4x4xf32>) {
  %t = mlc_loop.alloc : memref<4x4xf32>
  mlc_loop.launch @turned(%p, %t) : memref<4x4xf32>, memref<4x4xf32>
  mlc_loop.launch @copy(%t, %p) : memref<4x4xf32>, memref<4x4xf32>
  mlc_loop.free %t : memref<4x4xf32>
  func.return
}

// -----

// What belongs to a row is written where it is computed, if nothing else depends on the old value, and what belongs to a
// column by the loop that reads it.
// CHECK-LABEL: mlc_loop.kernel @statistic(
// CHECK-SAME:    %x: memref<8x64xf32>, %m: memref<8xf32>, %w: memref<8x64xf32>)
// CHECK:           mlc_loop.store %{{.*}}, %m[%i]
// CHECK:           mlc_loop.store %{{.*}}, %w[%i, %j_1]
// CHECK:         func.func @updated(
// CHECK-NEXT:      mlc_loop.launch @statistic(%x, %m, %w)
// CHECK-NEXT:      func.return
mlc_loop.kernel @statistic(%x: memref<8x64xf32>, %m: memref<8xf32>, %w: memref<8x64xf32>, %m_out: memref<8xf32>, %w_out: memref<8x64xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %s = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<8x64xf32>
      mlc_loop.yield %a : f32
    }
    %b = mlc_loop.load %m[%i] : memref<8xf32>
    %c = arith.addf %b, %s : f32
    mlc_loop.store %c, %m_out[%i] : memref<8xf32>
    mlc_loop.parallel %j = 0 to 64 {
      %d = mlc_loop.load %w[%i, %j] : memref<8x64xf32>
      %e = arith.addf %d, %s : f32
      mlc_loop.store %e, %w_out[%i, %j] : memref<8x64xf32>
    }
  }
}
mlc_loop.kernel @copy(%x: memref<8xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %a = mlc_loop.load %x[%i] : memref<8xf32>
    mlc_loop.store %a, %out[%i] : memref<8xf32>
  }
}
mlc_loop.kernel @copy_1(%x: memref<8x64xf32>, %out: memref<8x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<8x64xf32>
    mlc_loop.store %a, %out[%i, %j] : memref<8x64xf32>
  }
}
func.func @updated(%x: memref<8x64xf32>, %m: memref<8xf32>, %w: memref<8x64xf32>) {
  %s = mlc_loop.alloc : memref<8xf32>
  %t = mlc_loop.alloc : memref<8x64xf32>
  mlc_loop.launch @statistic(%x, %m, %w, %s, %t) : memref<8x64xf32>, memref<8xf32>, memref<8x64xf32>, memref<8xf32>, memref<8x64xf32>
  mlc_loop.launch @copy(%s, %m) : memref<8xf32>, memref<8xf32>
  mlc_loop.launch @copy_1(%t, %w) : memref<8x64xf32>, memref<8x64xf32>
  func.return
}

// -----

// Two programs that share a row may both load what belongs to it; one stores it, and the other may find the new value. So
// the copy stays where more than the store depends on the old one. It stays where another loop of the row reads the old
// columns, which may be done again, and where a scan does. Where nothing is reduced, programs share the columns of a row,
// and each does what belongs to the row.
// CHECK-LABEL: func.func @tiled(
// CHECK:         mlc_loop.launch @copy_3(%s, %m)
// CHECK-LABEL: func.func @old_value(
// CHECK:         mlc_loop.launch @copy(%s, %m)
// CHECK-LABEL: func.func @two_loops(
// CHECK:         mlc_loop.launch @copy_1(%s, %w)
// CHECK-LABEL: func.func @scanned(
// CHECK:         mlc_loop.launch @copy_2(%s, %w)
mlc_loop.kernel @tile(%m: memref<8xf32>, %m_out: memref<8xf32>, %y: memref<8x64xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %b = mlc_loop.load %m[%i] : memref<8xf32>
    %c = arith.addf %b, %b : f32
    mlc_loop.store %c, %m_out[%i] : memref<8xf32>
    mlc_loop.parallel %j = 0 to 64 {
      %z = arith.constant 0.0 : f32
      mlc_loop.store %z, %y[%i, %j] : memref<8x64xf32>
    }
  }
}
mlc_loop.kernel @copy_3(%x: memref<8xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %a = mlc_loop.load %x[%i] : memref<8xf32>
    mlc_loop.store %a, %out[%i] : memref<8xf32>
  }
}
func.func @tiled(%m: memref<8xf32>, %y: memref<8x64xf32>) {
  %s = mlc_loop.alloc : memref<8xf32>
  mlc_loop.launch @tile(%m, %s, %y) : memref<8xf32>, memref<8xf32>, memref<8x64xf32>
  mlc_loop.launch @copy_3(%s, %m) : memref<8xf32>, memref<8xf32>
  func.return
}
mlc_loop.kernel @used(%x: memref<8x64xf32>, %m: memref<8xf32>, %m_out: memref<8xf32>, %y: memref<8x64xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %s = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %a = mlc_loop.load %x[%i, %j] : memref<8x64xf32>
      mlc_loop.yield %a : f32
    }
    %b = mlc_loop.load %m[%i] : memref<8xf32>
    %c = arith.addf %b, %s : f32
    mlc_loop.store %c, %m_out[%i] : memref<8xf32>
    mlc_loop.parallel %j = 0 to 64 {
      mlc_loop.store %c, %y[%i, %j] : memref<8x64xf32>
    }
  }
}
mlc_loop.kernel @normalize(%w: memref<8x64xf32>, %w_out: memref<8x64xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %s = mlc_loop.reduce add %j = 0 to 64 -> f32 {
      %a = mlc_loop.load %w[%i, %j] : memref<8x64xf32>
      mlc_loop.yield %a : f32
    }
    mlc_loop.parallel %j = 0 to 64 {
      %d = mlc_loop.load %w[%i, %j] : memref<8x64xf32>
      %e = arith.divf %d, %s : f32
      mlc_loop.store %e, %w_out[%i, %j] : memref<8x64xf32>
    }
  }
}
mlc_loop.kernel @scan(%w: memref<8x64xf32>, %w_out: memref<8x64xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    mlc_loop.parallel %j = 0 to 64 {
      %d = mlc_loop.load %w[%i, %j] : memref<8x64xf32>
      %e = mlc_loop.scan "add" %d : f32 -> f32
      mlc_loop.store %e, %w_out[%i, %j] : memref<8x64xf32>
    }
  }
}
mlc_loop.kernel @copy(%x: memref<8xf32>, %out: memref<8xf32>) {
  mlc_loop.parallel %i = 0 to 8 {
    %a = mlc_loop.load %x[%i] : memref<8xf32>
    mlc_loop.store %a, %out[%i] : memref<8xf32>
  }
}
mlc_loop.kernel @copy_1(%x: memref<8x64xf32>, %out: memref<8x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<8x64xf32>
    mlc_loop.store %a, %out[%i, %j] : memref<8x64xf32>
  }
}
mlc_loop.kernel @copy_2(%x: memref<8x64xf32>, %out: memref<8x64xf32>) {
  mlc_loop.parallel (%i, %j) = 0 to (8, 64) {
    %a = mlc_loop.load %x[%i, %j] : memref<8x64xf32>
    mlc_loop.store %a, %out[%i, %j] : memref<8x64xf32>
  }
}
func.func @old_value(%x: memref<8x64xf32>, %m: memref<8xf32>, %y: memref<8x64xf32>) {
  %s = mlc_loop.alloc : memref<8xf32>
  mlc_loop.launch @used(%x, %m, %s, %y) : memref<8x64xf32>, memref<8xf32>, memref<8xf32>, memref<8x64xf32>
  mlc_loop.launch @copy(%s, %m) : memref<8xf32>, memref<8xf32>
  func.return
}
func.func @two_loops(%w: memref<8x64xf32>) {
  %s = mlc_loop.alloc : memref<8x64xf32>
  mlc_loop.launch @normalize(%w, %s) : memref<8x64xf32>, memref<8x64xf32>
  mlc_loop.launch @copy_1(%s, %w) : memref<8x64xf32>, memref<8x64xf32>
  func.return
}
func.func @scanned(%w: memref<8x64xf32>) {
  %s = mlc_loop.alloc : memref<8x64xf32>
  mlc_loop.launch @scan(%w, %s) : memref<8x64xf32>, memref<8x64xf32>
  mlc_loop.launch @copy_2(%s, %w) : memref<8x64xf32>, memref<8x64xf32>
  func.return
}
