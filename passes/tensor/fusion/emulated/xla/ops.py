"""What XLA's model knows of one op: its sizes, its operations, and what simplification makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.elementwise import AddOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_support.index_maps import assumed
from passes.common.device import H200
from passes.tensor.canonicalize.algebra import is_splat_of

RACE_FREE = 16384
"""A row longer than this is reduced in two steps: 1024 threads of 16 elements."""
FLOPS = {
    "div": 21, "pow": 510, "exp": 82, "exp2": 82, "expm1": 190, "log": 166, "log2": 166, "log10": 166, "log1p": 229,
    "sqrt": 77, "rsqrt": 77, "sin": 958, "cos": 978, "tanh": 467, "atan": 434, "atan2": 434, "sigmoid": 110,
}  # fmt: skip
"""Of one element, as the model counts them on this device."""
OTHER_FLOPS = 5
SIGNIFICANT = 16
"""A reduction of fewer elements is emitted like any pointwise op."""
TILE = int(0.4 * H200.registers_per_multiprocessor)
"""Elements of a tile that the registers of a Triton program hold."""


def flops_of(op: Operation) -> float:
    """Of the whole op."""
    if isinstance(op, ReduceOp):
        return float(OTHER_FLOPS * (prod(sizes(op.input)) - prod(sizes(op.results[0]))))
    each = FLOPS.get(op.FUNCTION.name, OTHER_FLOPS) if isinstance(op, ElementwiseOp) else OTHER_FLOPS
    return float(each * prod(sizes(op.results[0])))


def simplified_operands(op: Operation) -> list[SSAValue]:
    """What an op reads once XLA has simplified it, where others still read what it no longer does.

    (a / b) / c == a / (b * c), 1 / (1 + e) being the sigmoid; (x * constant) * broadcast == x * (constant * broadcast)
    """
    operands = list(op.operands)
    inner = operands[0].owner if operands else None
    if not isinstance(op, ElementwiseOp) or not isinstance(inner, ElementwiseOp) or len(readers(inner)) < 2:
        return operands
    names = op.FUNCTION.name, inner.FUNCTION.name
    if names == ("div", "div"):
        return [*inner.operands, *operands[1:]]
    scaled = names == ("mul", "mul") and isinstance(operands[1].owner, BroadcastOp) and not is_splat(operands[1])
    kept = [v for v in inner.operands if not is_splat(v)]
    return [*kept, *operands[1:]] if scaled and len(kept) == 1 else operands


def adds_nothing(op: Operation) -> bool:
    """True for x + 0, which XLA takes for x."""
    return isinstance(op, AddOp) and any(is_splat_of(value, 0) for value in op.operands)


def readers(op: Operation) -> set[Operation]:
    """The ops that read its results, views included."""
    return {use.operation for result in op.results for use in result.uses}


def sizes(value: SSAValue) -> tuple[int, ...]:
    """The shape in numbers."""
    return type_sizes(value.type)


@lru_cache(maxsize=4096)
def type_sizes(type_: Attribute) -> tuple[int, ...]:
    """The shape of a tensor type in numbers; none for a number that a call gives."""
    return tuple(assumed(s) for s in shape_of(type_)) if isinstance(type_, TensorType) else ()


def reduced_size(op: ReduceOp) -> int:
    """How many elements make one."""
    shape = sizes(op.input)
    return prod(shape[d] for d in op.reduced)


def is_row_reduction(op: ReduceOp) -> bool:
    """True if the last dimension alone is reduced."""
    return op.reduced == (len(sizes(op.input)) - 1,)


def is_split(op: ReduceOp) -> bool:
    """True for a reduction that the tree reduction rewriter cuts in two."""
    inner = len(sizes(op.input)) - 1 in op.reduced
    return reduced_size(op) > (RACE_FREE if inner else 4096)


def is_splat(value: SSAValue) -> bool:
    """True for a constant, broadcast or not."""
    owner = value.owner
    while isinstance(owner, BroadcastOp | ReshapeOp | PermuteOp):
        owner = owner.input.owner
    return isinstance(owner, ConstantOp)


def fits_a_tile(shape: Iterable[int]) -> bool:
    """True if one program can hold all of a value: rows are reduced whole, and here columns too."""
    return prod(padded(size) for size in shape) <= TILE


def padded(size: int) -> int:
    """The power of two that a tile of that size has."""
    return 1 << (size - 1).bit_length()
