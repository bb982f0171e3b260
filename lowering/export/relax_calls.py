"""Relax of calls of PyTorch's library: convolutions and sorting."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from lowering.export.convolution import CONVOLUTION, Convolution
from lowering.export.program import Program
from lowering.export.python_lines import Lines
from lowering.export.sorting import Sorting
from mlc_dialects.tensor.calls import ExternOp, channels_first, channels_last

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
    layouts = (f"N{form}C", f"O{form}I") if last else (f"NC{form}", f"OI{form}")
    stated = f"strides={list(found.stride)}, padding={list(found.padding)}, dilation={list(found.dilation)}"
    stated += f", groups={found.groups}"
    if found.transposed:
        stated += f", output_padding={list(found.more)}, data_layout={layouts[0]!r}, kernel_layout='IO{form}'"
        product = f"R.nn.conv{rank}d_transpose({x}, {weight}, {stated})"
    else:
        stated += f", data_layout={layouts[0]!r}, kernel_layout={layouts[1]!r}"
        product = f"R.nn.conv{rank}d({x}, {weight}, {stated})"
    if turns:
        product = _permuted(lines.let(product), channels_last(rank + 2))
    return _biased(program, lines, op.inputs[2], found, product) if bias else product


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
    both = lines.let(f"R.topk({name}, {stated})")
    return [f"{both}[0]", f"{both}[1]"]


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
        program.refuse(op)
    return CALLS[callee](program, lines, op)
