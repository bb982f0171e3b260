// RUN: mlc-opt %s -t stablehlo | filecheck %s --check-prefix=HLO
// RUN: mlc-opt %s -t aten | filecheck %s --check-prefix=ATEN
// RUN: mlc-opt %s -p fused,loop,triton -t triton | filecheck %s --check-prefix=KERNEL

// `convert` of StableHLO has NaN for what is beyond the largest f8E4M3FN, and not infinite.
// HLO:          %[[LEAST:.*]] = "stablehlo.constant"() <{value = dense<-448.0> : tensor<8xf32>}>
// HLO-NEXT:     %[[A:.*]] = "stablehlo.maximum"(%{{.*}}, %[[LEAST]])
// HLO:          %[[B:.*]] = "stablehlo.minimum"(%[[A]], %{{.*}})
// HLO-NEXT:     %{{.*}} = "stablehlo.convert"(%[[B]]) : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
// HLO:          value = dense<0xBC> : tensor<8xf8E4M3FN>
// HLO:          "stablehlo.convert"(%{{.*}}) : (tensor<8xbf16>) -> tensor<8xf8E5M2>

// ATEN:         torch.float8_e4m3fn
// ATEN:         torch.float8_e5m2

// Bytes are loaded, chosen and stored; the cast is one instruction.
// KERNEL:       c = tl.load(c_ptr + p)
// KERNEL:       q_1 = q.to(tl.float8e4nv).to(tl.int8, bitcast=True)
// KERNEL-NEXT:  tl.store(s_out_ptr + p, tl.where(c, q_1, -68))
// KERNEL-NOT:   float8
func.func @main(%x: tensor<8xbf16>, %c: tensor<8xi1>) -> (tensor<8xf8E4M3FN>, tensor<8xf8E5M2>) {
  %q = mlc_tensor.cast %x : tensor<8xbf16> -> tensor<8xf8E4M3FN>
  %k = mlc_tensor.constant -1.5 : tensor<8xf8E4M3FN>
  %s = mlc_tensor.select %c, %q, %k : tensor<8xf8E4M3FN>
  %r = mlc_tensor.cast %x : tensor<8xbf16> -> tensor<8xf8E5M2>
  func.return %s, %r : tensor<8xf8E4M3FN>, tensor<8xf8E5M2>
}
