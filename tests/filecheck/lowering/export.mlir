// RUN: mlc-opt %s -t stablehlo --split-input-file | filecheck %s --check-prefix=HLO
// RUN: mlc-opt %s -t relax --split-input-file | filecheck %s --check-prefix=RELAX
// RUN: mlc-opt %s -t aten --split-input-file | filecheck %s --check-prefix=ATEN

// Every line says which op it comes from; Relax broadcasts where it reads.
// HLO-LABEL: func.func public @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>) {
// HLO-NEXT:    %max = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32> loc("max")
// HLO-NEXT:    %max.1 = "stablehlo.reduce"(%x, %max) <{dimensions = array<i64: 1>}> ({
// HLO-NEXT:      ^bb0(%$a: tensor<f32>, %$b: tensor<f32>):
// HLO-NEXT:        %$c = "stablehlo.maximum"(%$a, %$b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
// HLO-NEXT:        "stablehlo.return"(%$c) : (tensor<f32>) -> ()
// HLO-NEXT:    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32> loc("max")
// HLO-NEXT:    %max.2 = "stablehlo.reshape"(%max.1) : (tensor<4xf32>) -> tensor<4x1xf32> loc("max")
// HLO-NEXT:    %mb = "stablehlo.broadcast_in_dim"(%max.2) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x8xf32> loc("mb")
// HLO-NEXT:    %d = "stablehlo.subtract"(%x, %mb) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("d")
// HLO-NEXT:    "func.return"(%d) : (tensor<4x8xf32>) -> ()

// RELAX:         def main(x: R.Tensor((4, 8), dtype="float32")):
// RELAX-NEXT:        with R.dataflow():
// RELAX-NEXT:            max = R.max(x, axis=[1], keepdims=True)
// RELAX-NEXT:            d = R.subtract(x, max)
// RELAX-NEXT:            R.output(d)
// RELAX-NEXT:        return d

// ATEN:      def main(x, *, device):
// ATEN-NEXT:     max = aten.amax.default(x, [1], True)
// ATEN-NEXT:     mb = aten.expand.default(max, [4, 8])
// ATEN-NEXT:     d = aten.sub.Tensor(x, mb)
// ATEN-NEXT:     return (d,)
func.func @rows(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %max = mlc_tensor.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %mb = mlc_tensor.broadcast %max : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<4x8xf32>
  func.return %d : tensor<4x8xf32>
}

// -----

// What their language lacks takes several ops, all with one name. A name that Python keeps gets an underscore.
// HLO-LABEL: func.func public @main(
// HLO-NEXT:    %_lambda = "stablehlo.constant"() <{value = dense<0.6931471805599453> : tensor<8xf32>}> : () -> tensor<8xf32> loc("_lambda")
// HLO-NEXT:    %_lambda.1 = "stablehlo.multiply"(%x, %_lambda) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("_lambda")
// HLO-NEXT:    %_lambda.2 = "stablehlo.exponential"(%_lambda.1) : (tensor<8xf32>) -> tensor<8xf32> loc("_lambda")

// RELAX:                 _lambda__1 = R.multiply(x, R.const(0.6931471805599453, "float32"))
// RELAX-NEXT:            _lambda = R.exp(_lambda__1)

// ATEN:          _lambda = aten.exp2.default(x)
func.func @composed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %lambda = mlc_tensor.exp2 %x : tensor<8xf32>
  func.return %lambda : tensor<8xf32>
}
