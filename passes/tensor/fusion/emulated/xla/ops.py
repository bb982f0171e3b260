"""What XLA's model knows of one op: its sizes, its operations, and what simplification makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_half, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import ConstantOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_dialects.tensor.windows import windows
from mlc_support.index_maps import assumed
from passes.common.device import H200

RACE_FREE = 16384
"""A row longer than this is reduced in two steps: 1024 threads of 16 elements."""
FLOPS = {
    "add": 5, "sub": 5, "mul": 5, "div": 21, "pow": 510, "exp": 82, "exp2": 82, "expm1": 190, "log": 166, "log2": 166,
    "log10": 166, "log1p": 229, "sqrt": 77, "rsqrt": 77, "sin": 958, "cos": 978, "tanh": 467, "atan": 434, "atan2": 434,
    "sigmoid": 110,
}  # fmt: skip
"""Of one element of float32 or float64, as the model counts them on this device."""
OTHER_FLOPS = 3
"""Those of ops and types that XLA has no profile of."""
JOINED_FLOPS = 6
"""Of each element of a concatenation, as the indices of several dimensions are one."""
SIGNIFICANT = 16
"""A reduction of fewer elements is emitted like any pointwise op."""
TILE = int(0.4 * H200.registers_per_multiprocessor)
"""Elements of a tile that the registers of a Triton program hold."""


def flops_of(op: Operation) -> float:
    """Of the whole op."""
    if isinstance(op, GatherOp):
        found = windows(op)
        joined = len(found.indexed) if len(found.indexed) > 1 else 0
        return float(JOINED_FLOPS * joined * prod(sizes(op.result)[d] for d in found.points))
    if isinstance(op, ReduceOp):
        return float(FLOPS["add"] * (prod(sizes(op.input)) - prod(sizes(op.results[0]))))
    each = OTHER_FLOPS
    if isinstance(op, ElementwiseOp) and not is_half(element_type(op.results[0].type)):
        each = FLOPS.get(op.FUNCTION.name, OTHER_FLOPS)
    return float(each * prod(sizes(op.results[0])))


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
    return isinstance(broadcast_from(value), ConstantOp)


def broadcast_from(value: SSAValue) -> Operation | Block:
    """What gives the value, broadcasts, reshapes and transposes looked through."""
    owner = value.owner
    while isinstance(owner, BroadcastOp | ReshapeOp | PermuteOp):
        owner = owner.input.owner
    return owner


def fits_a_tile(shape: Iterable[int]) -> bool:
    """True if one program can hold all of a value: rows are reduced whole, and here columns too."""
    return prod(padded(size) for size in shape) <= TILE


def padded(size: int) -> int:
    """The power of two that a tile of that size has."""
    return 1 << (size - 1).bit_length()
