"""What XLA's model knows of one op: its sizes, its operations, and what simplification makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import isqrt, prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_float, is_half, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import ConstantOp, IotaOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp, ViewOp
from mlc_dialects.tensor.windows import windows
from mlc_support.index_maps import assumed
from passes.common.device import H200

RACE_FREE = 16384
"""A row longer than this is reduced in two steps: 1024 threads of 16 elements."""
RACE_FREE_COLUMN = 4096
"""A column longer than this is: 32 threads of 128 elements."""
FLOPS = {
    "add": 7, "sub": 7, "mul": 3, "div": 19, "pow": 510, "exp": 79, "exp2": 82, "expm1": 190, "log": 166, "log2": 169,
    "log10": 169, "log1p": 229, "sqrt": 75, "rsqrt": 75, "sin": 958, "cos": 978, "tanh": 467, "atan": 431, "atan2": 431,
    "sigmoid": 108,
}  # fmt: skip
"""Of one element of float32, as the model counts them on this device: cycles of hlo_op_profiles_data.h."""
INTEGER_FLOPS = {"mul": 11}
"""Of one element of int64."""
OTHER_FLOPS = 3
"""Those of ops and types that XLA has no profile of."""
HALF_FUNCTIONS = {"add", "sub", "mul", "exp", "log"}
"""What the device computes in 16 bits; other functions are cast to float32 and back."""
JOINED_FLOPS, UNALIGNED_FLOPS = 6, 400
"""Of each element of a concatenation, as the indices of several dimensions are one; and where a part ends in a warp."""
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
    if isinstance(op, ScanOp):
        return float(FLOPS["add"] * sizes(op.input)[op.axis] * prod(sizes(op.result)))
    if isinstance(op, CatOp):
        unaligned = op.axis > 0 and sizes(op.operands[0])[op.axis] % 32
        return float((UNALIGNED_FLOPS if unaligned else JOINED_FLOPS) * prod(sizes(op.result)))
    if isinstance(op, ViewOp | IotaOp | ConstantOp):
        return 0.0
    return float(_flops_of_one(op) * prod(sizes(op.results[0])))


def _flops_of_one(op: Operation) -> int:
    """Of one element of a pointwise op."""
    if not isinstance(op, ElementwiseOp):
        return OTHER_FLOPS
    element, name = element_type(op.results[0].type), op.FUNCTION.name
    if is_half(element):
        return FLOPS[name] + 2 * OTHER_FLOPS if name in FLOPS.keys() - HALF_FUNCTIONS else OTHER_FLOPS
    return (FLOPS if is_float(element) else INTEGER_FLOPS).get(name, OTHER_FLOPS)


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
    return reduced_size(op) > _race_free(_reduces_last(op))


def split_size(op: ReduceOp) -> tuple[int, int]:
    """How many parts the first step of such a reduction makes, and of how many elements each."""
    return _split_size(reduced_size(op), _reduces_last(op))


@lru_cache(maxsize=4096)
def _split_size(size: int, inner: bool) -> tuple[int, int]:
    """Of the numbers that need the least padding the power of two, else the greatest: tree_reduction_rewriter.cc."""
    most = min(isqrt(size), _race_free(inner))
    each = min(range(most, most // 2, -1), key=lambda k: (-size % k, k.bit_count() > 1, -k))
    parts = -(-size // each)
    return (each, parts) if _is_swapped(parts, each, size, inner) else (parts, each)


def _is_swapped(parts: int, each: int, size: int, inner: bool) -> bool:
    """True if there are fewer parts than elements in each: always of columns, of rows where lanes read pairs."""
    if parts > _race_free(inner):
        return False
    if not inner:
        return True
    if each % 2 == 0 and size % 2 == 0:
        return each * 2 < parts or parts % 2 == 0
    return size % 2 == 0 or parts % 2 != 0


def _reduces_last(op: ReduceOp) -> bool:
    return len(sizes(op.input)) - 1 in op.reduced


def _race_free(inner: bool) -> int:
    """Elements of a row or a column that one step reduces."""
    return RACE_FREE if inner else RACE_FREE_COLUMN


def is_splat(value: SSAValue) -> bool:
    """True for a constant, broadcast or not."""
    return isinstance(broadcast_from(value), ConstantOp)


def is_number(value: SSAValue) -> bool:
    """True for one constant everywhere."""
    owner = broadcast_from(value)
    return isinstance(owner, ConstantOp) and owner.splat_value is not None


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


def regrouped(source: tuple[int, ...], target: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """How many dimensions become how many, from the front; sizes of 1 do not count."""
    sides = [[size for size in shape if size != 1] for shape in (source, target)]
    while sides[0] and sides[1]:
        counts, products = [0, 0], [1, 1]
        while not counts[0] or products[0] != products[1]:
            side = int(products[1] < products[0]) if counts[0] else 0
            if not sides[side]:
                return
            products[side] *= sides[side].pop(0)
            counts[side] += 1
        yield counts[0], max(1, counts[1])


def mixes(source: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """True if a reshape makes several dimensions of several others."""
    return any(min(group) > 1 for group in regrouped(source, target))


def merges_rows(source: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """True if a reshape makes the last dimension of several."""
    groups = list(regrouped(source, target))
    return bool(groups) and groups[-1][0] > 1 and target[-1] != 1
