"""mlc_tensor -> StableHLO text, for XLA: `mlc-opt -t stablehlo`.

One rule for each kind of op. An op of ours may take several of theirs: all carry its name as
their location, which XLA keeps through its passes as `op_name`. A sum is taken in the element
type, as XLA would be asked by any front end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f8E4M3FN, f32, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.target import Target

from lowering.export.formulas import opening
from lowering.export.program import Program, constant_value, element_of, roll_starts, slice_bounds
from lowering.export.stablehlo_calls import call
from lowering.export.stablehlo_functions import FUNCTIONS
from lowering.export.stablehlo_indexed import combiner, extreme_of_pairs, gather, random, scan, scatter
from lowering.export.stablehlo_writer import Val, Writer, array, literal
from mlc_dialects.common.byte_floats import BYTE_FLOATS
from mlc_dialects.common.types import tensor_type
from mlc_dialects.semantics.numerics import scalar_value
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp


class StableHloTarget(Target):
    """`-t stablehlo`: a function of `mlc_tensor` as XLA reads it."""

    name = "stablehlo"
    level = "tensor"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(stablehlo_text(module))


def stablehlo_text(module: ModuleOp) -> str:
    """The function of `module`, called `main`. MlcError names the first op that has no export."""
    program = Program(module, "StableHLO", opened=opening(FUNCTIONS))
    writer = Writer()
    values: dict[SSAValue, Val] = {}
    for argument in program.inputs:
        program.sizes(argument)
        values[argument] = Val(f"%{program.names[argument]}", _static(argument.type))
    header = ", ".join(f"{v.name}: {v.type}" for v in values.values())
    for op in program.ops:
        rule = program.rule(RULES, op)
        if not op.results:
            program.refuse(op, "it has no results")
        writer.source = program.source(op.results[0])
        for result in op.results:
            program.sizes(result)
        found = rule(program, writer, op, [values[program.actual(v)] for v in op.operands])
        values |= zip(op.results, found if isinstance(found, list) else [found], strict=True)
    results = [values[r] for r in program.results]
    types = ", ".join(str(r.type) for r in results)
    writer.lines.append(f'"func.return"({", ".join(r.name for r in results)}) : ({types}) -> ()')
    body = "\n".join(f"  {line}" for line in writer.lines)
    return f"func.func public @main({header}) -> ({types}) {{\n{body}\n}}\n"


Rule = Callable[[Program, Writer, Any, Sequence[Val]], Val | list[Val]]
"""What writes an op gives its result, or the list of them."""


def _static(type_: Attribute) -> TensorType[Any]:
    assert isinstance(type_, TensorType)
    return type_


def _result(op: Operation) -> TensorType[Any]:
    return _static(op.results[0].type)


def _elementwise(program: Program, writer: Writer, op: ElementwiseOp, operands: Sequence[Val]) -> Val:
    return program.entry(FUNCTIONS, op)(writer, *operands)


def _cast(program: Program, writer: Writer, op: CastOp, operands: Sequence[Val]) -> Val:
    """To i1: anything but zero is true. To f8E4M3FN: the largest number for all beyond, where `convert` has NaN."""
    (x,) = operands
    target = element_of(op.result)
    if target == i1 and x.element != i1:
        return writer.compare("NE", x, writer.splat(0, x.type))
    if target == f8E4M3FN:
        x = writer.op("convert", [x], writer.like(x, f32))
        largest = BYTE_FLOATS[target].bound
        for name, bound in (("maximum", -largest), ("minimum", largest)):
            x = writer.op(name, [x, writer.splat(bound, x.type)], x.type)
    return writer.op("convert", [x], writer.like(x, target))


def _constant(program: Program, writer: Writer, op: ConstantOp | SizeOp, operands: Sequence[Val]) -> Val:
    return writer.constant(literal(constant_value(op)), _result(op))


def _iota(program: Program, writer: Writer, op: IotaOp, operands: Sequence[Val]) -> Val:
    return writer.op("iota", [], _result(op), f"iota_dimension = {op.axis} : i64")


def _broadcast(program: Program, writer: Writer, op: BroadcastOp, operands: Sequence[Val]) -> Val:
    added = len(op.shape) - len(op.input_shape)
    dims = array(range(added, len(op.shape)))
    return writer.op("broadcast_in_dim", operands, _result(op), f"broadcast_dimensions = {dims}")


def _reshape(program: Program, writer: Writer, op: ReshapeOp, operands: Sequence[Val]) -> Val:
    return writer.op("reshape", operands, _result(op))


def _permute(program: Program, writer: Writer, op: PermuteOp, operands: Sequence[Val]) -> Val:
    return writer.op("transpose", operands, _result(op), f"permutation = {array(op.order)}")


def _slice(program: Program, writer: Writer, op: SliceOp, operands: Sequence[Val]) -> Val:
    """A negative step is a slice that is then reversed."""
    starts, ends = slice_bounds(program, op)
    steps = [abs(s) for s in op.strides]
    bounds = f"start_indices = {array(starts)}, limit_indices = {array(ends)}, strides = {array(steps)}"
    value = writer.op("slice", operands, _result(op), bounds)
    backward = [d for d, step in enumerate(op.strides) if step < 0]
    return writer.op("reverse", [value], _result(op), f"dimensions = {array(backward)}") if backward else value


def _roll(program: Program, writer: Writer, op: RollOp, operands: Sequence[Val]) -> Val:
    """Each dimension's elements from its start on, and those before."""
    value, sizes = operands[0], program.sizes(op.result)
    for dim, start, size in roll_starts(program, op):
        parts: list[Val] = []
        for begin, end in ((start, size), (0, start)):
            starts, ends = [0] * len(sizes), [*sizes]
            starts[dim], ends[dim] = begin, end
            shape = [e - s for s, e in zip(starts, ends, strict=True)]
            bounds = f"start_indices = {array(starts)}, limit_indices = {array(ends)}"
            steps = f"strides = {array([1] * len(sizes))}"
            parts.append(writer.op("slice", [value], tensor_type(shape, element_of(op.result)), f"{bounds}, {steps}"))
        value = writer.op("concatenate", parts, _result(op), f"dimension = {dim} : i64")
    return value


def _pad(program: Program, writer: Writer, op: PadOp, operands: Sequence[Val]) -> Val:
    element = element_of(op.result)
    value: Any = op.value
    fill = writer.constant(literal(scalar_value(value, element)), tensor_type([], element))
    source, target = program.sizes(op.input), program.sizes(op.result)
    high = [t - s - low for t, s, low in zip(target, source, op.lows, strict=True)]
    edges = f"edge_padding_low = {array(op.lows)}, edge_padding_high = {array(high)}"
    return writer.op("pad", [*operands, fill], _result(op), f"{edges}, interior_padding = {array([0] * len(source))}")


def _cat(program: Program, writer: Writer, op: CatOp, operands: Sequence[Val]) -> Val:
    return writer.op("concatenate", operands, _result(op), f"dimension = {op.axis} : i64")


def _matmul(program: Program, writer: Writer, op: MatmulOp, operands: Sequence[Val]) -> Val:
    batch = list(range(len(program.sizes(op.result)) - 2))
    rank = len(batch)
    numbers = f"lhs_contracting_dimensions = [{rank + 1}], rhs_contracting_dimensions = [{rank}]"
    if batch:
        numbers = f"lhs_batching_dimensions = {batch}, rhs_batching_dimensions = {batch}, {numbers}"
    return writer.op("dot_general", operands, _result(op), f"dot_dimension_numbers = #stablehlo.dot<{numbers}>")


def _reduce(program: Program, writer: Writer, op: ReduceOp, operands: Sequence[Val]) -> Val:
    """XLA drops the reduced dimensions: a reshape puts them back with size 1."""
    kind, (x,) = op.kind.data, operands
    sizes = program.sizes(op.input)
    kept = tensor_type([s for d, s in enumerate(sizes) if d not in op.reduced], x.element)
    if kind.startswith("arg"):
        return writer.op("reshape", [_arg_reduce(writer, op, x, sizes, kept)], _result(op))
    start, region = writer.identity(kind, x.element), combiner(kind, tensor_type([], x.element))
    value = writer.op("reduce", [x, start], kept, f"dimensions = {array(op.reduced)}", region)
    return writer.op("reshape", [value], _result(op))


def _arg_reduce(writer: Writer, op: ReduceOp, x: Val, sizes: Sequence[int], kept: TensorType[Any]) -> Val:
    """Pairs of an element and its position."""
    kind = op.kind.data
    places = writer.constant("0", tensor_type(sizes, i64))
    stride = 1
    for dim in reversed(op.reduced):
        along = writer.op("iota", [], tensor_type(sizes, i64), f"iota_dimension = {dim} : i64")
        places = writer.op(
            "add", [places, writer.op("multiply", [along, writer.splat(stride, along.type)], along.type)]
        )
        stride *= sizes[dim]
    body = extreme_of_pairs(tensor_type([], x.element), kind)
    starts = [writer.identity(kind, x.element), writer.constant("0", tensor_type([], i64))]
    dims = f"dimensions = {array(op.reduced)}"
    indices = tensor_type([s for d, s in enumerate(sizes) if d not in op.reduced], i64)
    return writer.several("reduce", [x, places, *starts], (kept, indices), dims, body)[1]


RULES: dict[type[Operation], Rule] = {
    ElementwiseOp: _elementwise,
    CastOp: _cast,
    ConstantOp: _constant,
    SizeOp: _constant,
    IotaOp: _iota,
    BroadcastOp: _broadcast,
    ReshapeOp: _reshape,
    PermuteOp: _permute,
    SliceOp: _slice,
    RollOp: _roll,
    PadOp: _pad,
    CatOp: _cat,
    MatmulOp: _matmul,
    ReduceOp: _reduce,
    GatherOp: gather,
    ScatterOp: scatter,
    ScanOp: scan,
    RandomOp: random,
    ExternOp: call,
}
