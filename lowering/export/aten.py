"""mlc_tensor -> a Python function over aten ops, for PyTorch: `mlc-opt -t aten`.

Op by op, without a call that is not aten's, so that a graph that never was PyTorch can be traced,
run by eager, or given to Inductor. Tensors are made on `device`, an argument of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.target import Target

from lowering.export.attention import drops
from lowering.export.formulas import open_region
from lowering.export.opened import is_pure
from lowering.export.program import Program, constant_value, element_of, roll_starts, slice_bounds
from lowering.export.python_lines import Lines, number_text, tuple_text
from lowering.export.row_major import row_major_values, wants_row_major
from lowering.host.call_text import argument_text
from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.common.philox import KEY_STEPS, LOW, MULTIPLIERS, ROUNDS
from mlc_dialects.common.types import BY_TYPE, is_bool
from mlc_dialects.semantics.numerics import scalar_value
from mlc_dialects.tensor.calls import ExternOp, channels_first, channels_last
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp

RESERVED = ("torch", "aten", "device", "main", "float")
HEADER = "import torch\n\naten = torch.ops.aten\n\n\n"
UNNAMED = {
    "add": "aten.add.Tensor({})",
    "sub": "aten.sub.Tensor({})",
    "mul": "aten.mul.Tensor({})",
    "div": "aten.div.Tensor({})",
    "floordiv": 'aten.div.Tensor_mode({}, rounding_mode="floor")',
    "truncdiv": 'aten.div.Tensor_mode({}, rounding_mode="trunc")',
    "pow": "aten.pow.Tensor_Tensor({})",
    "fma": "(lambda x, y, z: aten.addcmul.default(z, x, y))({})",
}
"""The functions whose aten overload the table does not name: the importer has rules of its own for them."""


class AtenTarget(Target):
    """`-t aten`: a function of `mlc_tensor` as PyTorch runs it."""

    name = "aten"
    level = "tensor"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(aten_source(module))


def aten_source(module: ModuleOp, attention_draws: bool = False) -> str:
    """The function of `module` as `main(x, ..., *, device)`. MlcError names the first op that has no export.

    With `attention_draws` attention with dropout has one: a call that is not pure.
    """
    program = Program(module, "aten", RESERVED, open_region)
    export = _Export(program, Lines({*program.names.values()}), attention_draws)
    lines = export.lines
    for argument in program.inputs:
        program.sizes(argument)
    for op in program.ops:
        rule = program.rule(RULES, op)
        for result in op.results:
            if isinstance(result.type, TensorType):
                program.sizes(result)
        if op.results:
            lines.start(program.names[op.results[0]])
        rule(export, op)
    arguments = "".join(f"{program.names[a]}, " for a in program.inputs)
    body = "".join(f"    {text}\n" for text in lines.texts)
    results = tuple_text([program.names[r] for r in program.results]) if program.results else "()"
    return f"{HEADER}def main({arguments}*, device):\n{body}    return {results}\n"


class _Export:
    """One function on its way to aten."""

    def __init__(self, program: Program, lines: Lines, attention_draws: bool):
        self.program, self.lines, self.let = program, lines, lines.let
        self.attention_draws = attention_draws
        self.row_major = row_major_values(program.function, program.ops)

    def name(self, value: SSAValue) -> str:
        return self.program.names[value]

    def sizes(self, value: SSAValue) -> list[int]:
        return self.program.sizes(value)


def _dtype(element: Attribute) -> str:
    return f"torch.{BY_TYPE[element].torch_name}"


def _elementwise(export: _Export, op: ElementwiseOp) -> None:
    function = op.FUNCTION
    names = ", ".join(export.name(v) for v in op.operands)
    pattern = UNNAMED.get(function.name) or f"aten.{function.aten[0]}({{}})"
    export.lines.finish(pattern.format(names))


def _cast(export: _Export, op: CastOp) -> None:
    export.lines.finish(f"aten._to_copy.default({export.name(op.input)}, dtype={_dtype(element_of(op.result))})")


def _constant(export: _Export, op: ConstantOp | SizeOp) -> None:
    sizes, element = export.sizes(op.result), element_of(op.result)
    made = f"dtype={_dtype(element)}, device=device)"
    if isinstance(op, ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr):
        numbers = constant_value(op).array.ravel().tolist()
        parts = [export.let(f"aten.full.default([1], {number_text(n)}, {made}") for n in numbers]
        export.lines.finish(f"aten.reshape.default(aten.cat.default([{', '.join(parts)}], 0), {sizes})")
        return
    number = constant_value(op).array.item()
    export.lines.finish(f"aten.full.default({sizes}, {number_text(number)}, {made}")


def _iota(export: _Export, op: IotaOp) -> None:
    sizes = export.sizes(op.result)
    dtype = _dtype(element_of(op.result))
    count = export.let(f"aten.arange.default({sizes[op.axis]}, dtype={dtype}, device=device)")
    column = [sizes[op.axis] if d == op.axis else 1 for d in range(len(sizes))]
    shaped = export.let(f"aten.reshape.default({count}, {column})")
    export.lines.finish(f"aten.expand.default({shaped}, {sizes})")


def _broadcast(export: _Export, op: BroadcastOp) -> None:
    export.lines.finish(f"aten.expand.default({export.name(op.input)}, {export.sizes(op.result)})")


def _reshape(export: _Export, op: ReshapeOp) -> None:
    export.lines.finish(f"aten.reshape.default({export.name(op.input)}, {export.sizes(op.result)})")


def _permute(export: _Export, op: PermuteOp) -> None:
    export.lines.finish(f"aten.permute.default({export.name(op.input)}, {list(op.order)})")


def _slice(export: _Export, op: SliceOp) -> None:
    """A negative step is a slice that is then flipped; whole dimensions are not mentioned."""
    text = export.name(op.input)
    source = export.sizes(op.input)
    starts, ends = slice_bounds(export.program, op)
    for dim, (start, end, step) in enumerate(zip(starts, ends, op.strides, strict=True)):
        if (start, end, abs(step)) != (0, source[dim], 1):
            text = f"aten.slice.Tensor({_bound(export, text)}, {dim}, {start}, {end}, {abs(step)})"
    backward = [d for d, step in enumerate(op.strides) if step < 0]
    if backward:
        text = f"aten.flip.default({_bound(export, text)}, {backward})"
    export.lines.finish(text)


def _bound(export: _Export, text: str) -> str:
    """A name for an expression."""
    return text if text.isidentifier() else export.let(text)


def _roll(export: _Export, op: RollOp) -> None:
    rolled = roll_starts(export.program, op)
    shifts, dims = [size - start for _, start, size in rolled], [dim for dim, _, _ in rolled]
    name = export.name(op.input)
    export.lines.finish(f"aten.roll.default({name}, {shifts}, {dims})" if dims else name)


def _pad(export: _Export, op: PadOp) -> None:
    source, target = export.sizes(op.input), export.sizes(op.result)
    widths = [n for s, t, low in reversed(list(zip(source, target, op.lows, strict=True))) for n in (low, t - s - low)]
    value: Any = op.value
    number = number_text(scalar_value(value, element_of(op.result)).array.item())
    export.lines.finish(f"aten.constant_pad_nd.default({export.name(op.input)}, {widths}, {number})")


def _cat(export: _Export, op: CatOp) -> None:
    export.lines.finish(f"aten.cat.default([{', '.join(export.name(v) for v in op.inputs)}], {op.axis})")


def _matmul(export: _Export, op: MatmulOp) -> None:
    """mm and bmm, to which PyTorch reduces every product; more batch dimensions are one for a while."""
    left, right = export.name(op.lhs), export.name(op.rhs)
    *batch, m, n = export.sizes(op.result)
    k = export.sizes(op.lhs)[-1]
    if len(batch) < 2:
        export.lines.finish(f"aten.{'bmm' if batch else 'mm'}.default({left}, {right})")
        return
    flat_left = export.let(f"aten.reshape.default({left}, [-1, {m}, {k}])")
    flat_right = export.let(f"aten.reshape.default({right}, [-1, {k}, {n}])")
    product = export.let(f"aten.bmm.default({flat_left}, {flat_right})")
    export.lines.finish(f"aten.reshape.default({product}, {[*batch, m, n]})")


def _reduce(export: _Export, op: ReduceOp) -> None:
    kind, name, dims = op.kind.data, export.name(op.input), list(op.reduced)
    element = element_of(op.input)
    if not dims:
        export.program.refuse(op, "it reduces no dimension")
    if kind == "mul":
        for dim in dims[:-1]:
            name = export.let(f"aten.prod.dim_int({name}, {dim}, True, dtype={_dtype(element)})")
        export.lines.finish(f"aten.prod.dim_int({name}, {dims[-1]}, True, dtype={_dtype(element)})")
    elif kind == "add":
        export.lines.finish(f"aten.sum.dim_IntList({name}, {dims}, True, dtype={_dtype(element)})")
    elif kind in ("max", "min"):
        export.lines.finish(f"aten.a{kind}.default({name}, {dims}, True)")
    elif kind in ("and", "or") and is_bool(element):
        export.lines.finish(f"aten.{'all' if kind == 'and' else 'any'}.dims({name}, {dims}, True)")
    elif kind.startswith("arg"):
        _arg_reduce(export, op, name)
    else:
        export.program.refuse(op, f"aten has no {kind} reduction of integers")


def _arg_reduce(export: _Export, op: ReduceOp, name: str) -> None:
    """Along one axis: several are moved to the end and made one."""
    kind, dims, sizes = op.kind.data, list(op.reduced), export.sizes(op.input)
    if len(dims) == 1:
        export.lines.finish(f"aten.{kind}.default({name}, {dims[0]}, True)")
        return
    kept = [d for d in range(len(sizes)) if d not in dims]
    moved = export.let(f"aten.permute.default({name}, {[*kept, *dims]})")
    flat = export.let(f"aten.reshape.default({moved}, {[*(sizes[d] for d in kept), _count(sizes, dims)]})")
    place = export.let(f"aten.{kind}.default({flat}, {len(kept)}, True)")
    export.lines.finish(f"aten.reshape.default({place}, {export.sizes(op.result)})")


def _count(sizes: Sequence[int], dims: Sequence[int]) -> int:
    total = 1
    for dim in dims:
        total *= sizes[dim]
    return total


SCANS = {
    "add": "aten.cumsum.default({name}, {axis}, dtype={dtype})",
    "mul": "aten.cumprod.default({name}, {axis}, dtype={dtype})",
    "logaddexp": "aten.logcumsumexp.default({name}, {axis})",
    "max": "aten.cummax.default({name}, {axis})[0]",
    "min": "aten.cummin.default({name}, {axis})[0]",
    "argmax": "aten.cummax.default({name}, {axis})[1]",
    "argmin": "aten.cummin.default({name}, {axis})[1]",
}
"""Kind of scan to the call; of those that give extremes and their positions, one result is asked for."""


def _scan(export: _Export, op: ScanOp) -> None:
    name, dtype = export.name(op.input), _dtype(element_of(op.result))
    call, asked, place = SCANS[op.kind.data].format(name=name, axis=op.axis, dtype=dtype).partition("[")
    export.lines.finish(f"{export.let(call)}[{place}" if asked else call)


def _gather(export: _Export, op: GatherOp) -> None:
    if not op.indices:
        export.lines.finish(f"aten.expand.default({export.name(op.input)}, {export.sizes(op.result)})")
        return
    export.lines.finish(f"aten.index.Tensor({export.name(op.input)}, [{_names(export, op.indices)}])")


def _scatter(export: _Export, op: ScatterOp) -> None:
    """One update for each point; extremes are taken in a flat tensor, and a single number is one of those."""
    kind, into, indices = op.kind.data, export.name(op.into), [export.name(i) for i in op.indices]
    if kind in ("set", "add") and indices:
        places = ", ".join(indices)
        export.lines.finish(f"aten.index_put.default({into}, [{places}], {export.name(op.updates)}, {kind == 'add'})")
        return
    sizes, points = export.sizes(op.into), export.sizes(op.updates)
    place = export.let(f"aten.full.default({points}, 0, dtype=torch.int64, device=device)")
    for index, size in zip(indices, sizes, strict=True):
        place = export.let(f"aten.add.Tensor({export.let(f'aten.mul.Scalar({place}, {size})')}, {index})")
    flat = [export.let(f"aten.reshape.default({name}, [-1])") for name in (into, place, export.name(op.updates))]
    call = REDUCED[kind].format(*flat)
    export.lines.finish(f"aten.reshape.default({export.let(call)}, {sizes})")


REDUCED = {
    "set": "aten.scatter.src({}, 0, {}, {})",
    "add": "aten.scatter_add.default({}, 0, {}, {})",
    "max": 'aten.scatter_reduce.two({}, 0, {}, {}, "amax")',
    "min": 'aten.scatter_reduce.two({}, 0, {}, {}, "amin")',
}
"""Kind of scatter to the call that scatters into a flat tensor."""


def _random(export: _Export, op: RandomOp) -> None:
    """The rounds of Philox 4x32-10 over each element's row-major position, in words of 64 bits."""
    let, sizes, index = export.let, export.sizes(op.result), op.index.value.data

    def low(x: str) -> str:
        return let(f"aten.bitwise_and.Scalar({x}, {LOW})")

    def high(x: str) -> str:
        return low(let(f"aten.bitwise_right_shift.Tensor_Scalar({x}, 32)"))

    count = let(f"aten.arange.default({_count(sizes, range(len(sizes)))}, dtype=torch.int64, device=device)")
    place = let(f"aten.reshape.default({count}, {sizes})")
    key = let(f"aten.select.int({export.name(op.seeds)}, 0, {index})")
    zero = let(f"aten.zeros_like.default({place})")
    words, keys = [low(place), high(place), zero, zero], [low(key), high(key)]
    for _ in range(ROUNDS):
        first, second = (let(f"aten.mul.Scalar({words[k]}, {m})") for m, k in zip(MULTIPLIERS, (0, 2), strict=True))
        pairs = ((high(second), words[1]), (high(first), words[3]))
        mixed = [let(f"aten.bitwise_xor.Tensor({a}, {b})") for a, b in pairs]
        mixed = [let(f"aten.bitwise_xor.Tensor({m}, {k})") for m, k in zip(mixed, keys, strict=True)]
        words = [mixed[0], low(second), mixed[1], low(first)]
        keys = [low(let(f"aten.add.Scalar({k}, {step})")) for k, step in zip(keys, KEY_STEPS, strict=True)]
    export.lines.finish(f"aten._to_copy.default({words[op.word.value.data]}, dtype=torch.int32)")


def _names(export: _Export, values: Sequence[SSAValue]) -> str:
    return ", ".join(export.name(v) for v in values)


def _extern(export: _Export, op: ExternOp) -> None:
    """A call of PyTorch as it stands."""
    if not is_pure(op) and not (export.attention_draws and drops(op)):
        export.program.refuse(op, "it writes memory or draws random numbers")
    takes, gives = (channels_first, channels_last) if CHANNELS_LAST in op.attributes else (None, None)
    operands = [_turned(export, export.name(v), v, takes) for v in op.inputs] if takes else _laid_out(export, op)
    texts = [argument_text(a, op, operands) for a in op.argument_list()]
    if op.keywords is not None:
        texts += [f"{key}={argument_text(a, op, operands)}" for key, a in op.keywords.data.items()]
    call = f"torch.ops.{op.callee.data}({', '.join(texts)})"
    if len(op.outputs) == 1:
        export.lines.finish(_turned(export, call, op.outputs[0], gives))
    elif op.outputs:
        several = export.let(call)
        for position, output in enumerate(op.outputs):
            export.lines.finish(_turned(export, f"{several}[{position}]", output, gives), export.name(output))


def _laid_out(export: _Export, op: ExternOp) -> list[str]:
    """The operands of a call, row-major where the program that was traced made them so: the call may rely on it."""
    names = [export.name(v) for v in op.inputs]
    for position, value in enumerate(op.inputs):
        if isinstance(value.type, TensorType) and value not in export.row_major and wants_row_major(op, position):
            names[position] = export.let(f"aten.contiguous.default({names[position]})")
    return names


def _turned(export: _Export, text: str, value: SSAValue, order: Callable[[int], list[int]] | None) -> str:
    """What a call that is channels-last takes and gives, in PyTorch's order of dimensions, or from there."""
    rank = len(export.sizes(value)) if isinstance(value.type, TensorType) else 0
    return f"aten.permute.default({_bound(export, text)}, {order(rank)})" if order and rank >= 4 else text


Rule = Callable[[_Export, Any], None]
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
    ScanOp: _scan,
    GatherOp: _gather,
    ScatterOp: _scatter,
    RandomOp: _random,
    ExternOp: _extern,
}
