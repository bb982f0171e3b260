"""mlc_tensor -> Relax, as TVMScript, for TVM: `mlc-opt -t relax`.

Op by op, so that TVM's passes see the graph as we see it. Relax broadcasts operands by itself: a
broadcast or a constant that only feeds elementwise ops is written where it is read, not as an op.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import isfinite
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.target import Target

from lowering.export.formulas import opening
from lowering.export.opened import is_seeds
from lowering.export.program import Program, constant_value, element_of, roll_starts, slice_bounds
from lowering.export.python_lines import Lines, number_text, tuple_text
from lowering.export.relax_calls import call
from lowering.export.relax_functions import FUNCTIONS
from lowering.export.relax_indexed import gather, random, read_by_gather, scan, scatter
from mlc_dialects.common.types import BY_TYPE, is_bool
from mlc_dialects.semantics.numerics import scalar_value
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp

RESERVED = ("I", "R", "Module", "main")
HEADER = """\
# The names that tvm.script.from_source knows: I is tvm.script.ir, R tvm.script.relax.

@I.ir_module
class Module:
    @R.function
"""
REDUCE = {"add": "sum", "mul": "prod", "max": "max", "min": "min", "argmax": "argmax", "argmin": "argmin"}

DIVISIONS = ("div", "floordiv", "truncdiv", "fmod", "remainder")
TRUTHS = {"and": "min", "or": "max"}
"""Of booleans counted as 0 and 1."""


class RelaxTarget(Target):
    """`-t relax`: a function of `mlc_tensor` as TVM reads it."""

    name = "relax"
    level = "tensor"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(relax_source(module))


def relax_source(module: ModuleOp) -> str:
    """The function of `module` as a TVMScript module. MlcError names the first op that has no export."""
    export = _Export(Program(module, "Relax", RESERVED, opening(FUNCTIONS)))
    program, lines = export.program, export.lines
    for op in program.ops:
        if not export.is_inline(op):
            export.write(op, program.rule(RULES, op))
    results = [export.result(r, k) for k, r in enumerate(program.results)]
    names = list(dict.fromkeys(results))
    arguments = ", ".join(f"{program.names[a]}: {_annotation(program, a)}" for a in program.inputs)
    body = "\n".join(f"            {text}" for text in lines.texts)
    output = f"            R.output({', '.join(names)})\n"
    returned = results[0] if len(results) == 1 else f"({', '.join(results)})"
    return (
        f"{HEADER}    def main({arguments}):\n        with R.dataflow():\n{body}\n{output}        return {returned}\n"
    )


class _Export:
    """One function on its way to Relax."""

    def __init__(self, program: Program):
        self.program = program
        self.lines = Lines({*program.names.values()})

    def write(self, op: Operation, rule: Rule) -> None:
        """The statements of an op, one for each result behind those of its parts."""
        if not op.results:
            self.program.refuse(op, "it has no results")
        for result in op.results:
            self.program.sizes(result)
        self.lines.start(self.program.names[op.results[0]])
        found = rule(self, op)
        for result, text in zip(op.results, [found] if isinstance(found, str) else found, strict=True):
            self.lines.finish(text, self.program.names[result])

    def is_inline(self, op: Operation) -> bool:
        """True for a broadcast, a splat or an iota that each of its readers writes for itself."""
        if not (isinstance(op, BroadcastOp | IotaOp) or _is_splat(op)):
            return False
        uses = list(op.results[0].uses)
        return all(op.results[0] in self._written_by(u.operation) for u in uses)

    def _written_by(self, reader: Operation) -> Collection[SSAValue]:
        """The operands that their reader writes as it needs them."""
        return read_by_gather(reader) if isinstance(reader, GatherOp) else self._broadcast_by_reader(reader)

    def _broadcast_by_reader(self, reader: Operation) -> list[SSAValue]:
        """The operands that an elementwise op broadcasts itself: another one has its whole shape."""
        if not isinstance(reader, ElementwiseOp):
            return []
        made = [v for v in reader.operands if isinstance(v.owner, BroadcastOp) or _is_splat(v.owner)]
        made = [v for v in made if not _divides_by_zero(reader, v)]
        return made if len(made) < len(reader.operands) else []

    def operand(self, value: SSAValue, reader: Operation) -> str:
        """`value` where `reader` reads it."""
        owner = value.owner
        if isinstance(owner, Operation) and value in self._broadcast_by_reader(reader):
            if isinstance(owner, BroadcastOp):
                source = owner.input
                return scalar(source.owner) if _is_splat(source.owner) else self.program.names[source]
            return scalar(owner)
        return self.program.names[value]

    def operands(self, op: Operation) -> list[str]:
        return [self.operand(v, op) for v in op.operands]

    def result(self, value: SSAValue, position: int) -> str:
        """The name under which `value` leaves the function: arguments and seeds get a name of their own."""
        if isinstance(value.owner, Operation) and not is_seeds(value.owner):
            return self.program.names[value]
        self.lines.texts.append(f"result_{position} = {self.program.names[value]}")
        return f"result_{position}"


Rule = Callable[[_Export, Any], str | list[str]]
"""The expression that computes an op, or one for each of its results."""


def _is_splat(op: object) -> bool:
    return isinstance(op, SizeOp) or (isinstance(op, ConstantOp) and op.splat_value is not None)


def _divides_by_zero(op: ElementwiseOp, value: SSAValue) -> bool:
    """True for a divisor that TVM would see to be 0: it folds quotients, and stops there."""
    if op.FUNCTION.name not in DIVISIONS or value is not op.operands[1]:
        return False
    made = value.owner.input.owner if isinstance(value.owner, BroadcastOp) else value.owner
    return isinstance(made, ConstantOp | SizeOp) and _is_splat(made) and constant_value(made).array.item() == 0


def scalar(op: object) -> str:
    """A splat as a constant of rank 0."""
    assert isinstance(op, ConstantOp | SizeOp)
    value = constant_value(op)
    return f'R.const({number_text(value.array.item())}, "{_dtype(value.element)}")'


def _dtype(element: Attribute) -> str:
    return BY_TYPE[element].torch_name


def _annotation(program: Program, value: SSAValue) -> str:
    return f'R.Tensor({tuple_text(program.sizes(value))}, dtype="{_dtype(element_of(value))}")'


def _elementwise(export: _Export, op: ElementwiseOp) -> str:
    function = export.program.entry(FUNCTIONS, op)
    return function(export.lines, _dtype(element_of(op.operands[-1])), *export.operands(op))


def _cast(export: _Export, op: CastOp) -> str:
    (x,) = export.operands(op)
    if is_bool(element_of(op.result)):
        return f'R.not_equal({x}, R.const(0, "{_dtype(element_of(op.input))}"))'
    return f'R.astype({x}, "{_dtype(element_of(op.result))}")'


def _constant(export: _Export, op: ConstantOp | SizeOp) -> str:
    sizes, element, value = export.program.sizes(op.result), element_of(op.result), constant_value(op)
    if not (isinstance(op, ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr)):
        return _full(export, sizes, value.array.item(), element)
    parts = [export.lines.let(_full(export, [1], number, element)) for number in value.array.ravel().tolist()]
    joined = export.lines.let(f"R.concat({tuple_text(parts)}, axis=0)") if len(parts) > 1 else parts[0]
    return f"R.reshape({joined}, R.shape({sizes}))"


def _full(export: _Export, sizes: Sequence[int], number: float, element: Attribute) -> str:
    """`number` everywhere. TVM cannot legalize an infinite fill: it is added to zeros."""
    dtype, finite = _dtype(element), isfinite(number)
    start = number_text(number if finite else 0.0)
    filled = f'R.full(R.shape({list(sizes)}), R.const({start}, "{dtype}"), dtype="{dtype}")'
    return filled if finite else f'R.add({export.lines.let(filled)}, R.const({number_text(number)}, "{dtype}"))'


def _iota(export: _Export, op: IotaOp) -> str:
    sizes, dtype = export.program.sizes(op.result), _dtype(element_of(op.result))
    count = export.lines.let(f"R.arange(0, {sizes[op.axis]}, 1, dtype={dtype!r})")
    column = [sizes[op.axis] if d == op.axis else 1 for d in range(len(sizes))]
    shaped = export.lines.let(f"R.reshape({count}, R.shape({column}))")
    return f"R.broadcast_to({shaped}, R.shape({sizes}))"


def _broadcast(export: _Export, op: BroadcastOp) -> str:
    return f"R.broadcast_to({export.program.names[op.input]}, R.shape({export.program.sizes(op.result)}))"


def _reshape(export: _Export, op: ReshapeOp) -> str:
    return f"R.reshape({export.program.names[op.input]}, R.shape({export.program.sizes(op.result)}))"


def _permute(export: _Export, op: PermuteOp) -> str:
    return f"R.permute_dims({export.program.names[op.input]}, axes={list(op.order)})"


def _slice(export: _Export, op: SliceOp) -> str:
    """A negative step is a slice that is then flipped."""
    name = export.program.names[op.input]
    starts, ends = slice_bounds(export.program, op)
    steps = [abs(s) for s in op.strides]
    axes = list(range(len(steps)))
    text = f"R.strided_slice({name}, axes={axes}, begin={starts}, end={ends}, strides={steps})"
    for dim, step in enumerate(op.strides):
        if step < 0:
            text = f"R.flip({export.lines.let(text)}, axis={dim})"
    return text


def _roll(export: _Export, op: RollOp) -> str:
    """Each dimension's elements from its start on, and those before."""
    text = export.program.names[op.input]
    for dim, start, size in roll_starts(export.program, op):
        name = text if text.isidentifier() else export.lines.let(text)
        parts = [
            export.lines.let(f"R.strided_slice({name}, axes=[{dim}], begin=[{begin}], end=[{end}])")
            for begin, end in ((start, size), (0, start))
        ]
        text = f"R.concat({tuple_text(parts)}, axis={dim})"
    return text


def _pad(export: _Export, op: PadOp) -> str:
    source, target = export.program.sizes(op.input), export.program.sizes(op.result)
    widths = [n for s, t, low in zip(source, target, op.lows, strict=True) for n in (low, t - s - low)]
    value: Any = op.value
    number = number_text(scalar_value(value, element_of(op.result)).array.item())
    return f"R.nn.pad({export.program.names[op.input]}, pad_width={widths}, pad_value={number})"


def _cat(export: _Export, op: CatOp) -> str:
    return f"R.concat({tuple_text([export.program.names[v] for v in op.inputs])}, axis={op.axis})"


def _matmul(export: _Export, op: MatmulOp) -> str:
    return f"R.matmul({', '.join(export.operands(op))})"


def _reduce(export: _Export, op: ReduceOp) -> str:
    """The reduced dimensions stay, with size 1; a place is counted along one axis, or over a flat tensor."""
    kind, name, rank = op.kind.data, export.program.names[op.input], len(export.program.sizes(op.input))
    if kind in TRUTHS and is_bool(element_of(op.input)):
        counted = export.lines.let(f'R.astype({name}, "int32")')
        reduced = export.lines.let(f"R.{TRUTHS[kind]}({counted}, axis={list(op.reduced)}, keepdims=True)")
        return f'R.not_equal({reduced}, R.const(0, "int32"))'
    if kind not in REDUCE:
        export.program.refuse(op, f"Relax has no {kind} reduction")
    if not kind.startswith("arg"):
        return f"R.{REDUCE[kind]}({name}, axis={list(op.reduced)}, keepdims=True)"
    if len(op.reduced) == 1:
        return f"R.{kind}({name}, axis={op.reduced[0]}, keepdims=True)"
    if len(op.reduced) < rank:
        export.program.refuse(op, f"Relax has {kind} along one axis, or all")
    place = export.lines.let(f"R.{kind}({name}, keepdims=True)")
    return f"R.reshape({place}, R.shape({[1] * rank}))"


def _from(write: Callable[[Program, Lines, Any], str | list[str]]) -> Rule:
    """The rule that only needs the program and the lines so far."""
    return lambda export, op: write(export.program, export.lines, op)


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
    GatherOp: _from(gather),
    ScatterOp: _from(scatter),
    ScanOp: _from(scan),
    RandomOp: _from(random),
    ExternOp: _from(call),
}
