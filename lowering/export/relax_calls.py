"""Relax of calls of PyTorch's library: convolutions and sorting."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from lowering.export.attention import refusal
from lowering.export.program import Program, element_of
from lowering.export.python_lines import Lines
from lowering.export.sorting import Sorting
from mlc_dialects.common.types import is_bool
from mlc_dialects.tensor.calls import ExternOp, channels_first, channels_last
from mlc_dialects.tensor.convolution import CONVOLUTION, Convolution

Call = Callable[[Program, Lines, ExternOp], str | list[str]]
SPATIAL = ("W", "HW", "DHW")
"""The dimensions of a picture by their number, as Relax calls them."""


def convolution(program: Program, lines: Lines, op: ExternOp) -> str:
    """A convolution; the bias is added to its result. A transposed one has its channels first: TVM has no other."""
    found, (x, weight, *bias) = Convolution.of(op), (program.names[v] for v in op.inputs)
    rank = len(found.stride)
    if rank > len(SPATIAL):
        program.refuse(op, f"Relax has convolutions of up to three dimensions, and this has {rank}")
    turns = found.transposed and found.channels_last
    if turns:
        x, weight = (lines.let(_permuted(v, channels_first(rank + 2))) for v in (x, weight))
    form, last = SPATIAL[rank - 1], found.channels_last and not turns
    if found.transposed:
        product = _transposed(lines, x, weight, found, form)
    else:
        layouts = (f"N{form}C", f"O{form}I") if last else (f"NC{form}", f"OI{form}")
        product = _convolved("", x, weight, found, [*found.padding], *layouts)
    if turns:
        product = _permuted(lines.let(product), channels_last(rank + 2))
    return _biased(program, lines, op.inputs[2], found, product) if bias else product


def _transposed(lines: Lines, x: str, weight: str, found: Convolution, form: str) -> str:
    """A transposed one, channels first. What it adds at the end was padding, or is 0: TVM adds less than a stride."""
    pairs = list(zip(found.padding, found.more, strict=True))
    padding = [*found.padding, *(max(0, low - more) for low, more in pairs)]
    product = _convolved("_transpose", x, weight, found, padding, f"NC{form}", f"IO{form}")
    beyond = [max(0, more - low) for low, more in pairs]
    if not any(beyond):
        return product
    widths = [0] * 4 + [n for more in beyond for n in (0, more)]
    return f"R.nn.pad({lines.let(product)}, pad_width={widths}, pad_value=0.0)"


def _convolved(kind: str, x: str, weight: str, found: Convolution, padding: list[int], data: str, kernel: str) -> str:
    stated = f"strides={list(found.stride)}, padding={padding}, dilation={list(found.dilation)}, groups={found.groups}"
    layouts = f"data_layout={data!r}, kernel_layout={kernel!r}"
    return f"R.nn.conv{len(found.stride)}d{kind}({x}, {weight}, {stated}, {layouts})"


def _biased(program: Program, lines: Lines, bias: SSAValue, found: Convolution, product: str) -> str:
    """What a convolution gives, with a number for each channel added."""
    shape = [1] * (len(found.stride) + 2)
    (shape[found.channels],) = program.sizes(bias)
    column = lines.let(f"R.reshape({program.names[bias]}, R.shape({shape}))")
    return f"R.add({lines.let(product)}, {column})"


def _permuted(name: str, order: list[int]) -> str:
    return f"R.permute_dims({name}, axes={order})"


def sort(program: Program, lines: Lines, op: ExternOp) -> str | list[str]:
    """The elements along a dimension in order, and where each stood, as many as are asked for."""
    found, name, sizes = Sorting.of(op), program.names[op.inputs[0]], program.sizes(op.inputs[0])
    if not sizes:
        return [name, 'R.zeros(R.shape([]), dtype="int64")']
    count = sizes[found.dim] if found.count is None else found.count
    stated = f'k={count}, axis={found.dim}, ret_type="both", largest={found.descending}, dtype="int64"'
    truth = is_bool(element_of(op.inputs[0]))
    if truth:
        name = lines.let(f'R.astype({name}, "int8")')  # TVM sorts no booleans
    both = lines.let(f"R.topk({name}, {stated})")
    ordered = lines.let(f"{both}[0]")
    return [f'R.astype({ordered}, "bool")' if truth else ordered, f"{both}[1]"]


CALLS: dict[str, Call] = {
    CONVOLUTION: convolution,
    "aten.sort.default": sort,
    "aten.sort.stable": sort,
    "aten.topk.default": sort,
}
"""The callee of a call of PyTorch to the expressions that compute its results."""


def call(program: Program, lines: Lines, op: ExternOp) -> str | list[str]:
    """A call by its callee. MlcError names one that has no export."""
    callee = op.callee.data
    if callee not in CALLS:
        program.refuse(op, refusal(op))
    return CALLS[callee](program, lines, op)
