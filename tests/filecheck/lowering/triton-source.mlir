// RUN: mlc-opt %s -p fuse,cse,tensor-to-loop,linearize-axes,schedule,loop-to-triton,cse,dce -t triton --split-input-file | filecheck %s

// Names are the user's, and each line says where it comes from.
// CHECK-LABEL: def relu(arguments):
// CHECK-NEXT:      x, b = arguments
// CHECK-NEXT:      arguments.clear()
// CHECK-NEXT:      device = x.device
// CHECK-NEXT:      allocate = allocator(device)
// CHECK-NEXT:      x = expect(x, (256, 64), (64, 1), torch.float32, device)
// CHECK-NEXT:      b = expect(b, (64,), (1,), torch.float32, device)
// CHECK-NEXT:      y = allocate((256, 64), (64, 1), torch.float32)
// CHECK-NEXT:      mul_add_maximum[(64,)](x, b, y, num_warps=8, enable_fp_fusion=False)
// CHECK-NEXT:      return (y,)
// CHECK:       @triton.jit
// CHECK-NEXT:  def mul_add_maximum(x_ptr, b_ptr, y_out_ptr):  # {{.+}}
// CHECK-NEXT:      pid = tl.program_id(0)
// CHECK-NEXT:      lanes = tl.arange(0, 256)
// CHECK-NEXT:      p = pid * 256 + lanes
// CHECK-NEXT:      x = tl.load(x_ptr + p)
// CHECK-NEXT:      m = x * 2.0  # triton-source.mlir:{{[0-9]+}}
// CHECK-NEXT:      b = tl.load(b_ptr + (p % 64))
// CHECK-NEXT:      s = m + b
// CHECK-NEXT:      tl.store(y_out_ptr + p, tl.maximum(s, 0.0, propagate_nan=tl.PropagateNan.ALL))
func.func @relu(%x: tensor<256x64xf32>, %b: tensor<64xf32>) -> tensor<256x64xf32> {
  %c = mlc_tensor.constant 2.0 : tensor<256x64xf32>
  %z = mlc_tensor.constant 0.0 : tensor<256x64xf32>
  %bb = mlc_tensor.broadcast %b : tensor<64xf32> -> tensor<256x64xf32>
  %m = mlc_tensor.mul %x, %c : tensor<256x64xf32>
  %s = mlc_tensor.add %m, %bb : tensor<256x64xf32>
  %y = mlc_tensor.maximum %s, %z : tensor<256x64xf32>
  func.return %y : tensor<256x64xf32>
}

// -----

// The caller has made sure of an argument that is guarded. One that kernels read no more is let go.
// CHECK-LABEL: def twice(arguments):
// CHECK-NEXT:      x, w = arguments
// CHECK-NEXT:      arguments.clear()
// CHECK-NEXT:      device = x.device
// CHECK-NEXT:      allocate = allocator(device)
// CHECK-NEXT:      w = with_layout(w, (64, 64), (64, 1))
// CHECK-NEXT:      y = allocate((64, 64), (64, 1), torch.float32)
// CHECK-NEXT:      exp[(16,)](x, y, num_warps=8, enable_fp_fusion=False)
// CHECK-NEXT:      del x
// CHECK-NEXT:      m = torch.mm(y, w)
// CHECK-NOT:       del w
// CHECK:           return (m,)
func.func @twice(%x: tensor<64x64xf32> {mlc.guarded}, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = mlc_tensor.exp %x : tensor<64x64xf32>
  %m = mlc_tensor.extern "aten.mm.default"(%y, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> (tensor<64x64xf32>)
  func.return %m : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: def max_sub_exp_sum_div(x_ptr, q_out_ptr):
// CHECK-NEXT:      p = tl.program_id(0)
// CHECK-NEXT:      r = tl.arange(0, 4096)
// CHECK-NEXT:      x = tl.load(x_ptr + (p * 4096 + r))
// CHECK-NEXT:      m = tl.reduce(x, 0, lib.max_nan)
// CHECK-NEXT:      d = x - m
// CHECK-NEXT:      e = libdevice.exp(d)
// CHECK-NEXT:      s = tl.sum(e, axis=0)
// CHECK-NEXT:      tl.store(q_out_ptr + (p * 4096 + r), tl.div_rn(e, s))
func.func @softmax(%x: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<512x4096xf32> -> tensor<512x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<512x1xf32> -> tensor<512x4096xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<512x4096xf32>
  %e = mlc_tensor.exp %d : tensor<512x4096xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<512x4096xf32> -> tensor<512x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<512x1xf32> -> tensor<512x4096xf32>
  %q = mlc_tensor.div %e, %sb : tensor<512x4096xf32>
  func.return %q : tensor<512x4096xf32>
}

// -----

// All the registers that there are for its 256 lanes.
// CHECK-LABEL: def columns(arguments):
// CHECK:           sum[(626,)](x, s, num_warps=8, enable_fp_fusion=False, maxnreg=48)
func.func @columns(%x: tensor<1024x40001xf32>) -> tensor<1x40001xf32> {
  %s = mlc_tensor.reduce add %x dims [0] : tensor<1024x40001xf32> -> tensor<1x40001xf32>
  func.return %s : tensor<1x40001xf32>
}

// -----

// Sizes of a call: taken from its tensors, given to the grid and the kernel.
// CHECK-LABEL: def total(arguments):
// CHECK:           N = x.shape[0]
// CHECK-NEXT:      M = x.shape[1]
// CHECK:           s = allocate((N, 1), (1, 1), torch.float32)
// CHECK-NEXT:      sum[(N,)](x, s, M, N, num_warps=8
// CHECK-LABEL: def sum(x_ptr, s_out_ptr, M: tl.int64, N: tl.int64):
// CHECK-NEXT:      p = tl.program_id(0).to(tl.int64)
// CHECK:           for r_start in range(0, M, 8192):
// CHECK:             mask = {{.*}} < M
// CHECK-NEXT:        x = tl.load(x_ptr + (p * M + {{.*}}), mask=mask, other=0)
func.func @total(%x: tensor<?x?xf32, ["N", "M"]>) -> tensor<?x1xf32, ["N", "1"]> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<?x?xf32, ["N", "M"]> -> tensor<?x1xf32, ["N", "1"]>
  func.return %s : tensor<?x1xf32, ["N", "1"]>
}

// -----

// A function, an argument and a size may have any name.
// CHECK-LABEL: def torch_(arguments):
// CHECK-NEXT:      N_1, device_1 = arguments
// CHECK:           device = N_1.device
// CHECK:           N = N_1.shape[0]
func.func @torch(%N: tensor<?xf32, ["N"]>, %device: tensor<f32>) -> tensor<?xf32, ["N"]> {
  %e = mlc_tensor.exp %N : tensor<?xf32, ["N"]>
  func.return %e : tensor<?xf32, ["N"]>
}

// -----

// Division of float64 is an operator: a sum that it divides by keeps its parentheses.
// CHECK-LABEL: def add_div(x_ptr, y_ptr, q_out_ptr):
// CHECK:           tl.store(q_out_ptr + p, x / (x + y))
func.func @quotient(%x: tensor<64xf64>, %y: tensor<64xf64>) -> tensor<64xf64> {
  %s = mlc_tensor.add %x, %y : tensor<64xf64>  %q = mlc_tensor.div %x, %s : tensor<64xf64>
  func.return %q : tensor<64xf64>
}

// -----

// The function itself tells the device that its arguments do not.
// CHECK-LABEL: def nothing(arguments):
// CHECK-NEXT:      device = named_device("cuda:1")
func.func @nothing() -> tensor<8xi64> attributes {mlc.device = "cuda:1"} {
  %i = mlc_tensor.iota dim 0 : tensor<8xi64>
  func.return %i : tensor<8xi64>
}

// -----

// Turns and advice to the cache are a line and an argument.
// CHECK-LABEL: def in_turns(x_ptr, y_ptr):  # by hand
// CHECK-NEXT:      turn = tl.program_id(0)
// CHECK-NEXT:      lanes = tl.arange(0, 16)
// CHECK-NEXT:      p = ((turn // 2) + (turn % 2) * 3) * 16 + lanes
// CHECK-NEXT:      v = tl.load(x_ptr + p, eviction_policy="evict_last")
// CHECK-NEXT:      tl.store(y_ptr + p, v, eviction_policy="evict_first")
mlc_loop.kernel @in_turns(%x: memref<96xf32>, %y: memref<96xf32>) warps 1 index 32 why "by hand" {
  mlc_loop.parallel %p = 0 to 96 program 0 block 16 swizzle 2 by 3 {
    %v = mlc_loop.load %x[%p] evict "last" : memref<96xf32>
    mlc_loop.store %v, %y[%p] evict "first" : memref<96xf32>
  }
}

// -----

// Columns known as a multiple of the block need no mask, and the host program checks that they are one.
// CHECK-LABEL: def whole_blocks(arguments):
// CHECK:           M = x.shape[0]
// CHECK-NEXT:      N = parts(x.shape[1], 8192)
// CHECK-NEXT:      x = expect(x, (M, N * 8192), (N * 8192, 1), torch.float32, device)
// CHECK:           for r_start in range(0, N * 8192, 8192):
// CHECK-NOT:       mask
// CHECK:           tl.store(s_out_ptr + p, s)
func.func @whole_blocks(%x: tensor<?x?xf32, ["M", "N * 8192"]>) -> tensor<?x1xf32, ["M", "1"]> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<?x?xf32, ["M", "N * 8192"]> -> tensor<?x1xf32, ["M", "1"]>
  func.return %s : tensor<?x1xf32, ["M", "1"]>
}

// -----

// A multiple of less leaves the last block with lanes past the end.
// CHECK-LABEL: def parts_of_blocks(arguments):
// CHECK:           N = parts(x.shape[1], 16)
// CHECK:           for r_start in range(0, N * 16, 8192):
// CHECK:             mask = r_1 < N * 16
func.func @parts_of_blocks(%x: tensor<?x?xf32, ["M", "N * 16"]>) -> tensor<?x1xf32, ["M", "1"]> {
  %s = mlc_tensor.reduce add %x dims [1] : tensor<?x?xf32, ["M", "N * 16"]> -> tensor<?x1xf32, ["M", "1"]>
  func.return %s : tensor<?x1xf32, ["M", "1"]>
}

// -----

// A name alone tells it sooner than a multiple, and an argument that is a number may be either.
// CHECK-LABEL: def names(arguments):
// CHECK-NEXT:      n, x, y = arguments
// CHECK:           N = y.shape[0]
// CHECK-NEXT:      M = parts(n - 1, 4)
func.func @names(%n: index {mlc.symbol = "M * 4 + 1"}, %x: tensor<?xf32, ["N * 4"]>, %y: tensor<?xf32, ["N"]>) -> (tensor<?xf32, ["N"]>, tensor<?xf32, ["M"]>) {
  %s = mlc_tensor.exp %y : tensor<?xf32, ["N"]>
  %c = mlc_tensor.constant 1.0 : tensor<?xf32, ["M"]>
  func.return %s, %c : tensor<?xf32, ["N"]>, tensor<?xf32, ["M"]>
}

// -----

// A variance of one column, as an edge of rows may have: what is computed of it alone is spread before it is reduced.
// CHECK-LABEL: def one_column(
// CHECK:           tl.sum(tl.broadcast_to(v, (1,)), axis=0)
// CHECK:           tl.sum(tl.broadcast_to({{.+ \* .+}}, (1,)), axis=0)
mlc_loop.kernel @one_column(%x: memref<96xf32>, %t_out: memref<96xf32>, %q_out: memref<96xf32>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 96 program 0 block 1 {
    %t, %q = mlc_loop.reduce welford %r = 0 to 1 block 1 -> f32, f32 {
      %v = mlc_loop.load %x[%p] : memref<96xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %t, %t_out[%p] : memref<96xf32>
    mlc_loop.store %q, %q_out[%p] : memref<96xf32>
  }
}

// -----

// Triton reads six decimals of a bfloat16: a smaller number is cast. One that they say exactly is written as it is.
// CHECK-LABEL: def small(
// CHECK:           tl.where({{.*}}, tl.full((), 1.0018652574217413e-12, tl.float32).to(tl.bfloat16), x)
// CHECK:           tl.where({{.*}}, 0.5, x)
mlc_loop.kernel @small(%x: memref<96xbf16>, %y: memref<96xbf16>, %z: memref<96xbf16>, %c: memref<96xi1>) warps 1 index 32 {
  mlc_loop.parallel %p = 0 to 96 program 0 block 32 {
    %x_1 = mlc_loop.load %x[%p] : memref<96xbf16>
    %d = mlc_loop.load %c[%p] : memref<96xi1>
    %least = arith.constant 1.001870e-12 : bf16
    %half = arith.constant 0.5 : bf16
    %a = arith.select %d, %least, %x_1 : bf16
    mlc_loop.store %a, %y[%p] : memref<96xbf16>
    %b = arith.select %d, %half, %x_1 : bf16
    mlc_loop.store %b, %z[%p] : memref<96xbf16>
  }
}
