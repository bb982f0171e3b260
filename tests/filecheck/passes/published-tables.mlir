// RUN: mlc-opt %s -p 'dce,canonicalize,const-fold,simplify,cse,simplify{fast-math=true},canonicalize,fuse,cse' --pass-statistics 2>&1 | filecheck %s --check-prefix=COUNT
// RUN: mlc-opt %s -p 'dce,canonicalize,const-fold,simplify,cse,simplify{fast-math=true},canonicalize,fuse,cse' | filecheck %s
// RUN: mlc-opt %s -p 'dce,canonicalize,const-fold,simplify,cse,fuse,tensor-to-loop,linearize-axes,schedule' --verify-semantics

// The optimisations that textbooks list, all in one model, and how many ops each pass leaves of it
// (the function and its return count). Constants, dead code, equal ops, identities, strength, inverses,
// a double transpose: every pass takes what is its own, and no op that is left can go.

// COUNT:      dce: 28 ops -> 27 ops, 0 rewrites
// COUNT-NEXT: canonicalize: 27 ops -> 20 ops, 5 rewrites
// COUNT-NEXT: canonicalize:      1 cancel_involution
// COUNT-NEXT: canonicalize:      1 cancel_through_elementwise
// COUNT-NEXT: canonicalize:      1 constant_right
// COUNT-NEXT: canonicalize:      1 drop_idempotent
// COUNT-NEXT: canonicalize:      1 drop_unit
// COUNT-NEXT: const-fold: 20 ops -> 18 ops, 1 rewrites
// COUNT-NEXT: const-fold:      1 fold_splat_elementwise
// COUNT-NEXT: simplify: 18 ops -> 18 ops, 1 rewrites
// COUNT-NEXT: simplify:      1 divide_by_power_of_two
// COUNT-NEXT: cse: 18 ops -> 17 ops, 0 rewrites
// COUNT-NEXT: simplify: 17 ops -> 8 ops, 8 rewrites
// COUNT-NEXT: simplify:      2 drop_unit
// COUNT-NEXT: simplify:      1 double
// COUNT-NEXT: simplify:      1 fast_add_zero
// COUNT-NEXT: simplify:      1 fast_divide_by_itself
// COUNT-NEXT: simplify:      1 fast_inverse_function
// COUNT-NEXT: simplify:      1 fast_join_constants
// COUNT-NEXT: simplify:      1 fast_multiply_by_zero
// COUNT-NEXT: canonicalize: 8 ops -> 8 ops, 0 rewrites
// COUNT-NEXT: fuse: 8 ops -> 10 ops, 0 rewrites
// COUNT-NEXT: cse: 10 ops -> 10 ops, 0 rewrites

// One kernel of four functions: 6 * relu(x) + |w|.
// CHECK-LABEL: @model(
// CHECK-NEXT:    %[[F:.*]] = mlc_tensor.fusion (%[[X:.*]] = %x : tensor<64x32xf32>, %[[W:.*]] = %w : tensor<64x32xf32>)
// CHECK-NEXT:      %[[SIX:.*]] = mlc_tensor.constant 6.000000e+00
// CHECK-NEXT:      %[[ZERO:.*]] = mlc_tensor.constant 0.000000e+00
// CHECK-NEXT:      %[[R:.*]] = mlc_tensor.maximum %[[X]], %[[ZERO]]
// CHECK-NEXT:      %[[A:.*]] = mlc_tensor.abs %[[W]]
// CHECK-NEXT:      %[[P:.*]] = mlc_tensor.mul %[[R]], %[[SIX]]
// CHECK-NEXT:      %[[V:.*]] = mlc_tensor.add %[[P]], %[[A]]
// CHECK-NEXT:      mlc_tensor.yield %[[V]]
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %[[F]]
func.func @model(%x: tensor<64x32xf32>, %w: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // Constant folding: scale = 2.0 * 3.0.
  %two = mlc_tensor.constant 2.0 : tensor<64x32xf32>
  %three = mlc_tensor.constant 3.0 : tensor<64x32xf32>
  %scale = mlc_tensor.mul %two, %three : tensor<64x32xf32>
  // Common subexpressions: two equal relus, one with its operands the other way round.
  %zero = mlc_tensor.constant 0.0 : tensor<64x32xf32>
  %relu = mlc_tensor.maximum %x, %zero : tensor<64x32xf32>
  %again = mlc_tensor.maximum %zero, %x : tensor<64x32xf32>
  %sum = mlc_tensor.add %relu, %again : tensor<64x32xf32>
  // Identity: a * 1.0.
  %one = mlc_tensor.constant 1.0 : tensor<64x32xf32>
  %a = mlc_tensor.mul %sum, %one : tensor<64x32xf32>
  // Dead code: nobody reads the exp.
  %dead = mlc_tensor.exp %a : tensor<64x32xf32>
  // Double transpose, with arithmetic in between.
  %t = mlc_tensor.permute %a [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %half = mlc_tensor.constant 2.0 : tensor<32x64xf32>
  // Strength reduction: a division by a power of two.
  %h = mlc_tensor.div %t, %half : tensor<32x64xf32>
  %u = mlc_tensor.permute %h [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  // Idempotence: |(|w|)|, and an involution: -(-w).
  %n = mlc_tensor.neg %w : tensor<64x32xf32>
  %m = mlc_tensor.neg %n : tensor<64x32xf32>
  %b = mlc_tensor.abs %m : tensor<64x32xf32>
  %c = mlc_tensor.abs %b : tensor<64x32xf32>
  // Inverse functions, self-division and the zero product: wrong for NaN, so with fast-math alone.
  %e = mlc_tensor.exp %c : tensor<64x32xf32>
  %l = mlc_tensor.log %e : tensor<64x32xf32>
  %s = mlc_tensor.div %l, %l : tensor<64x32xf32>
  %z = mlc_tensor.mul %c, %zero : tensor<64x32xf32>
  // The chain that is left: one kernel.
  %p = mlc_tensor.mul %u, %scale : tensor<64x32xf32>
  %q = mlc_tensor.mul %p, %s : tensor<64x32xf32>
  %r = mlc_tensor.add %q, %z : tensor<64x32xf32>
  %v = mlc_tensor.add %r, %l : tensor<64x32xf32>
  func.return %v : tensor<64x32xf32>
}
