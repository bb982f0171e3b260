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

// -----

// A rotation is what it begins with before the rest, in each dimension; PyTorch has a name for it.
// HLO-LABEL: func.func public @main(
// HLO-NEXT:    %r = "stablehlo.slice"(%x) <{start_indices = array<i64: 3, 0>, limit_indices = array<i64: 4, 6>, strides = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<1x6xf32> loc("r")
// HLO-NEXT:    %r.1 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 3, 6>, strides = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<3x6xf32> loc("r")
// HLO-NEXT:    %r.2 = "stablehlo.concatenate"(%r, %r.1) <{dimension = 0 : i64}> : (tensor<1x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32> loc("r")
// HLO-NEXT:    %r.3 = "stablehlo.slice"(%r.2) <{start_indices = array<i64: 0, 2>, limit_indices = array<i64: 4, 6>, strides = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<4x4xf32> loc("r")
// HLO-NEXT:    %r.4 = "stablehlo.slice"(%r.2) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 4, 2>, strides = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<4x2xf32> loc("r")
// HLO-NEXT:    %r.5 = "stablehlo.concatenate"(%r.3, %r.4) <{dimension = 1 : i64}> : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x6xf32> loc("r")

// RELAX:                 r__1 = R.strided_slice(x, axes=[0], begin=[3], end=[4])
// RELAX-NEXT:            r__2 = R.strided_slice(x, axes=[0], begin=[0], end=[3])
// RELAX-NEXT:            r__3 = R.concat((r__1, r__2), axis=0)
// RELAX-NEXT:            r__4 = R.strided_slice(r__3, axes=[1], begin=[2], end=[6])
// RELAX-NEXT:            r__5 = R.strided_slice(r__3, axes=[1], begin=[0], end=[2])
// RELAX-NEXT:            r = R.concat((r__4, r__5), axis=1)

// ATEN:          r = aten.roll.default(x, [1, 4], [0, 1])
func.func @rotation(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = mlc_tensor.roll %x [3, 2] : tensor<4x6xf32> -> tensor<4x6xf32>
  func.return %r : tensor<4x6xf32>
}
