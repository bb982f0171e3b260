// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt - | filecheck %s

// Every op of the elementwise table, with each kind of element it takes.

// CHECK-LABEL: func.func @floats(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>, %c: tensor<4x8xi1>) {
// CHECK-NEXT:    %add = mlc_tensor.add %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %sub = mlc_tensor.sub %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %mul = mlc_tensor.mul %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %div = mlc_tensor.div %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %floordiv = mlc_tensor.floordiv %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %fmod = mlc_tensor.fmod %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %remainder = mlc_tensor.remainder %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %pow = mlc_tensor.pow %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %atan2 = mlc_tensor.atan2 %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %maximum = mlc_tensor.maximum %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %minimum = mlc_tensor.minimum %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %copysign = mlc_tensor.copysign %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %neg = mlc_tensor.neg %x : tensor<4x8xbf16>
// CHECK-NEXT:    %abs = mlc_tensor.abs %x : tensor<4x8xbf16>
// CHECK-NEXT:    %sign = mlc_tensor.sign %x : tensor<4x8xbf16>
// CHECK-NEXT:    %eq = mlc_tensor.eq %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %ne = mlc_tensor.ne %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %lt = mlc_tensor.lt %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %le = mlc_tensor.le %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %gt = mlc_tensor.gt %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %ge = mlc_tensor.ge %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %isnan = mlc_tensor.isnan %x : tensor<4x8xbf16>
// CHECK-NEXT:    %isinf = mlc_tensor.isinf %x : tensor<4x8xbf16>
// CHECK-NEXT:    %select = mlc_tensor.select %c, %x, %y : tensor<4x8xbf16>
// CHECK-NEXT:    %floor = mlc_tensor.floor %x : tensor<4x8xbf16>
// CHECK-NEXT:    %ceil = mlc_tensor.ceil %x : tensor<4x8xbf16>
// CHECK-NEXT:    %trunc = mlc_tensor.trunc %x : tensor<4x8xbf16>
// CHECK-NEXT:    %round = mlc_tensor.round %x : tensor<4x8xbf16>
// CHECK-NEXT:    %sigmoid = mlc_tensor.sigmoid %x : tensor<4x8xbf16>
// CHECK-NEXT:    %exp = mlc_tensor.exp %x : tensor<4x8xbf16>
// CHECK-NEXT:    %exp2 = mlc_tensor.exp2 %x : tensor<4x8xbf16>
// CHECK-NEXT:    %expm1 = mlc_tensor.expm1 %x : tensor<4x8xbf16>
// CHECK-NEXT:    %log = mlc_tensor.log %x : tensor<4x8xbf16>
// CHECK-NEXT:    %log2 = mlc_tensor.log2 %x : tensor<4x8xbf16>
// CHECK-NEXT:    %log10 = mlc_tensor.log10 %x : tensor<4x8xbf16>
// CHECK-NEXT:    %log1p = mlc_tensor.log1p %x : tensor<4x8xbf16>
// CHECK-NEXT:    %sqrt = mlc_tensor.sqrt %x : tensor<4x8xbf16>
// CHECK-NEXT:    %rsqrt = mlc_tensor.rsqrt %x : tensor<4x8xbf16>
// CHECK-NEXT:    %sin = mlc_tensor.sin %x : tensor<4x8xbf16>
// CHECK-NEXT:    %cos = mlc_tensor.cos %x : tensor<4x8xbf16>
// CHECK-NEXT:    %tan = mlc_tensor.tan %x : tensor<4x8xbf16>
// CHECK-NEXT:    %asin = mlc_tensor.asin %x : tensor<4x8xbf16>
// CHECK-NEXT:    %acos = mlc_tensor.acos %x : tensor<4x8xbf16>
// CHECK-NEXT:    %atan = mlc_tensor.atan %x : tensor<4x8xbf16>
// CHECK-NEXT:    %sinh = mlc_tensor.sinh %x : tensor<4x8xbf16>
// CHECK-NEXT:    %cosh = mlc_tensor.cosh %x : tensor<4x8xbf16>
// CHECK-NEXT:    %tanh = mlc_tensor.tanh %x : tensor<4x8xbf16>
// CHECK-NEXT:    %asinh = mlc_tensor.asinh %x : tensor<4x8xbf16>
// CHECK-NEXT:    %acosh = mlc_tensor.acosh %x : tensor<4x8xbf16>
// CHECK-NEXT:    %atanh = mlc_tensor.atanh %x : tensor<4x8xbf16>
// CHECK-NEXT:    %erf = mlc_tensor.erf %x : tensor<4x8xbf16>
// CHECK-NEXT:    %erfc = mlc_tensor.erfc %x : tensor<4x8xbf16>
// CHECK-NEXT:    %lgamma = mlc_tensor.lgamma %x : tensor<4x8xbf16>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @floats(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>, %c: tensor<4x8xi1>) {
  %add = mlc_tensor.add %x, %y : tensor<4x8xbf16>
  %sub = mlc_tensor.sub %x, %y : tensor<4x8xbf16>
  %mul = mlc_tensor.mul %x, %y : tensor<4x8xbf16>
  %div = mlc_tensor.div %x, %y : tensor<4x8xbf16>
  %floordiv = mlc_tensor.floordiv %x, %y : tensor<4x8xbf16>
  %fmod = mlc_tensor.fmod %x, %y : tensor<4x8xbf16>
  %remainder = mlc_tensor.remainder %x, %y : tensor<4x8xbf16>
  %pow = mlc_tensor.pow %x, %y : tensor<4x8xbf16>
  %atan2 = mlc_tensor.atan2 %x, %y : tensor<4x8xbf16>
  %maximum = mlc_tensor.maximum %x, %y : tensor<4x8xbf16>
  %minimum = mlc_tensor.minimum %x, %y : tensor<4x8xbf16>
  %copysign = mlc_tensor.copysign %x, %y : tensor<4x8xbf16>
  %neg = mlc_tensor.neg %x : tensor<4x8xbf16>
  %abs = mlc_tensor.abs %x : tensor<4x8xbf16>
  %sign = mlc_tensor.sign %x : tensor<4x8xbf16>
  %eq = mlc_tensor.eq %x, %y : tensor<4x8xbf16>
  %ne = mlc_tensor.ne %x, %y : tensor<4x8xbf16>
  %lt = mlc_tensor.lt %x, %y : tensor<4x8xbf16>
  %le = mlc_tensor.le %x, %y : tensor<4x8xbf16>
  %gt = mlc_tensor.gt %x, %y : tensor<4x8xbf16>
  %ge = mlc_tensor.ge %x, %y : tensor<4x8xbf16>
  %isnan = mlc_tensor.isnan %x : tensor<4x8xbf16>
  %isinf = mlc_tensor.isinf %x : tensor<4x8xbf16>
  %select = mlc_tensor.select %c, %x, %y : tensor<4x8xbf16>
  %floor = mlc_tensor.floor %x : tensor<4x8xbf16>
  %ceil = mlc_tensor.ceil %x : tensor<4x8xbf16>
  %trunc = mlc_tensor.trunc %x : tensor<4x8xbf16>
  %round = mlc_tensor.round %x : tensor<4x8xbf16>
  %sigmoid = mlc_tensor.sigmoid %x : tensor<4x8xbf16>
  %exp = mlc_tensor.exp %x : tensor<4x8xbf16>
  %exp2 = mlc_tensor.exp2 %x : tensor<4x8xbf16>
  %expm1 = mlc_tensor.expm1 %x : tensor<4x8xbf16>
  %log = mlc_tensor.log %x : tensor<4x8xbf16>
  %log2 = mlc_tensor.log2 %x : tensor<4x8xbf16>
  %log10 = mlc_tensor.log10 %x : tensor<4x8xbf16>
  %log1p = mlc_tensor.log1p %x : tensor<4x8xbf16>
  %sqrt = mlc_tensor.sqrt %x : tensor<4x8xbf16>
  %rsqrt = mlc_tensor.rsqrt %x : tensor<4x8xbf16>
  %sin = mlc_tensor.sin %x : tensor<4x8xbf16>
  %cos = mlc_tensor.cos %x : tensor<4x8xbf16>
  %tan = mlc_tensor.tan %x : tensor<4x8xbf16>
  %asin = mlc_tensor.asin %x : tensor<4x8xbf16>
  %acos = mlc_tensor.acos %x : tensor<4x8xbf16>
  %atan = mlc_tensor.atan %x : tensor<4x8xbf16>
  %sinh = mlc_tensor.sinh %x : tensor<4x8xbf16>
  %cosh = mlc_tensor.cosh %x : tensor<4x8xbf16>
  %tanh = mlc_tensor.tanh %x : tensor<4x8xbf16>
  %asinh = mlc_tensor.asinh %x : tensor<4x8xbf16>
  %acosh = mlc_tensor.acosh %x : tensor<4x8xbf16>
  %atanh = mlc_tensor.atanh %x : tensor<4x8xbf16>
  %erf = mlc_tensor.erf %x : tensor<4x8xbf16>
  %erfc = mlc_tensor.erfc %x : tensor<4x8xbf16>
  %lgamma = mlc_tensor.lgamma %x : tensor<4x8xbf16>
  func.return
}

// CHECK-LABEL: func.func @integers(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>, %c: tensor<4x8xi1>) {
// CHECK-NEXT:    %add = mlc_tensor.add %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %sub = mlc_tensor.sub %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %mul = mlc_tensor.mul %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %floordiv = mlc_tensor.floordiv %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %truncdiv = mlc_tensor.truncdiv %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %fmod = mlc_tensor.fmod %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %remainder = mlc_tensor.remainder %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %maximum = mlc_tensor.maximum %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %minimum = mlc_tensor.minimum %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %neg = mlc_tensor.neg %x : tensor<4x8xi32>
// CHECK-NEXT:    %abs = mlc_tensor.abs %x : tensor<4x8xi32>
// CHECK-NEXT:    %sign = mlc_tensor.sign %x : tensor<4x8xi32>
// CHECK-NEXT:    %and = mlc_tensor.and %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %or = mlc_tensor.or %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %xor = mlc_tensor.xor %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %not = mlc_tensor.not %x : tensor<4x8xi32>
// CHECK-NEXT:    %eq = mlc_tensor.eq %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %ne = mlc_tensor.ne %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %lt = mlc_tensor.lt %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %le = mlc_tensor.le %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %gt = mlc_tensor.gt %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %ge = mlc_tensor.ge %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    %select = mlc_tensor.select %c, %x, %y : tensor<4x8xi32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @integers(%x: tensor<4x8xi32>, %y: tensor<4x8xi32>, %c: tensor<4x8xi1>) {
  %add = mlc_tensor.add %x, %y : tensor<4x8xi32>
  %sub = mlc_tensor.sub %x, %y : tensor<4x8xi32>
  %mul = mlc_tensor.mul %x, %y : tensor<4x8xi32>
  %floordiv = mlc_tensor.floordiv %x, %y : tensor<4x8xi32>
  %truncdiv = mlc_tensor.truncdiv %x, %y : tensor<4x8xi32>
  %fmod = mlc_tensor.fmod %x, %y : tensor<4x8xi32>
  %remainder = mlc_tensor.remainder %x, %y : tensor<4x8xi32>
  %maximum = mlc_tensor.maximum %x, %y : tensor<4x8xi32>
  %minimum = mlc_tensor.minimum %x, %y : tensor<4x8xi32>
  %neg = mlc_tensor.neg %x : tensor<4x8xi32>
  %abs = mlc_tensor.abs %x : tensor<4x8xi32>
  %sign = mlc_tensor.sign %x : tensor<4x8xi32>
  %and = mlc_tensor.and %x, %y : tensor<4x8xi32>
  %or = mlc_tensor.or %x, %y : tensor<4x8xi32>
  %xor = mlc_tensor.xor %x, %y : tensor<4x8xi32>
  %not = mlc_tensor.not %x : tensor<4x8xi32>
  %eq = mlc_tensor.eq %x, %y : tensor<4x8xi32>
  %ne = mlc_tensor.ne %x, %y : tensor<4x8xi32>
  %lt = mlc_tensor.lt %x, %y : tensor<4x8xi32>
  %le = mlc_tensor.le %x, %y : tensor<4x8xi32>
  %gt = mlc_tensor.gt %x, %y : tensor<4x8xi32>
  %ge = mlc_tensor.ge %x, %y : tensor<4x8xi32>
  %select = mlc_tensor.select %c, %x, %y : tensor<4x8xi32>
  func.return
}

// CHECK-LABEL: func.func @booleans(%x: tensor<4x8xi1>, %y: tensor<4x8xi1>, %c: tensor<4x8xi1>) {
// CHECK-NEXT:    %and = mlc_tensor.and %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %or = mlc_tensor.or %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %xor = mlc_tensor.xor %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %not = mlc_tensor.not %x : tensor<4x8xi1>
// CHECK-NEXT:    %eq = mlc_tensor.eq %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %ne = mlc_tensor.ne %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %lt = mlc_tensor.lt %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %le = mlc_tensor.le %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %gt = mlc_tensor.gt %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %ge = mlc_tensor.ge %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    %select = mlc_tensor.select %c, %x, %y : tensor<4x8xi1>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @booleans(%x: tensor<4x8xi1>, %y: tensor<4x8xi1>, %c: tensor<4x8xi1>) {
  %and = mlc_tensor.and %x, %y : tensor<4x8xi1>
  %or = mlc_tensor.or %x, %y : tensor<4x8xi1>
  %xor = mlc_tensor.xor %x, %y : tensor<4x8xi1>
  %not = mlc_tensor.not %x : tensor<4x8xi1>
  %eq = mlc_tensor.eq %x, %y : tensor<4x8xi1>
  %ne = mlc_tensor.ne %x, %y : tensor<4x8xi1>
  %lt = mlc_tensor.lt %x, %y : tensor<4x8xi1>
  %le = mlc_tensor.le %x, %y : tensor<4x8xi1>
  %gt = mlc_tensor.gt %x, %y : tensor<4x8xi1>
  %ge = mlc_tensor.ge %x, %y : tensor<4x8xi1>
  %select = mlc_tensor.select %c, %x, %y : tensor<4x8xi1>
  func.return
}

// Attributes stand before the colon; named sizes in the type.
// CHECK-LABEL: func.func @attributes(%x: tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xi1, ["N", "8"]> {
// CHECK-NEXT:    %a = mlc_tensor.exp %x {note = "kept"} : tensor<?x8xf32, ["N", "8"]>
// CHECK-NEXT:    %b = mlc_tensor.isnan %a : tensor<?x8xf32, ["N", "8"]>
// CHECK-NEXT:    func.return %b : tensor<?x8xi1, ["N", "8"]>
// CHECK-NEXT:  }
func.func @attributes(%x: tensor<?x8xf32, ["N", "8"]>) -> tensor<?x8xi1, ["N", "8"]> {
  %a = mlc_tensor.exp %x {note = "kept"} : tensor<?x8xf32, ["N", "8"]>
  %b = mlc_tensor.isnan %a : tensor<?x8xf32, ["N", "8"]>
  func.return %b : tensor<?x8xi1, ["N", "8"]>
}

// CHECK-LABEL: func.func @special(
// CHECK-NEXT:    %a = mlc_tensor.erfcx %x : tensor<4xf32>
// CHECK-NEXT:    %b = mlc_tensor.erfinv %x : tensor<4xf32>
// CHECK-NEXT:    %c = mlc_tensor.ndtri %x : tensor<4xf32>
// CHECK-NEXT:    %d = mlc_tensor.hypot %x, %y : tensor<4xf32>
// CHECK-NEXT:    %e = mlc_tensor.fmax %x, %y : tensor<4xf32>
// CHECK-NEXT:    %f = mlc_tensor.fmin %x, %y : tensor<4xf32>
// CHECK-NEXT:    %g = mlc_tensor.shl %i, %j : tensor<4xi32>
// CHECK-NEXT:    %h = mlc_tensor.shr %i, %j : tensor<4xi32>
// CHECK-NEXT:    %k = mlc_tensor.fma %x, %y, %x : tensor<4xf32>
func.func @special(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>) {
  %a = mlc_tensor.erfcx %x : tensor<4xf32>
  %b = mlc_tensor.erfinv %x : tensor<4xf32>
  %c = mlc_tensor.ndtri %x : tensor<4xf32>
  %d = mlc_tensor.hypot %x, %y : tensor<4xf32>
  %e = mlc_tensor.fmax %x, %y : tensor<4xf32>
  %f = mlc_tensor.fmin %x, %y : tensor<4xf32>
  %g = mlc_tensor.shl %i, %j : tensor<4xi32>
  %h = mlc_tensor.shr %i, %j : tensor<4xi32>
  %k = mlc_tensor.fma %x, %y, %x : tensor<4xf32>
  func.return
}
