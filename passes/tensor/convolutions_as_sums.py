"""convolutions-as-sums: convolutions that a kernel of ours computes become sums of products.

    convolution(x [N, H, W, C], w [O, p, q, C], stride s, padding e)[n, i, j, o]
        == reduce add over a, b, c of x[n, i * s + a - e, j * s + b - e, c] * w[o, a, b, c]

Fusion then sees a reduction like any other: bias, norm, activation and residual join it. `tile-products` gives it to
tensor cores, as it does with products of matrices: rows are the places of the result, and the summed axis goes through
the channels of one place of the window after the other (implicit GEMM). Where each channel is a group of its own no
matrices are multiplied: the sum over the places of the window is straight code, and `unroll-and-jam` lets neighbouring
results share what they load.

    depthwise(x [N, H, W, C], w [C, p, q, 1])[.., c] == fma(x[.., i + a, j + b, c], w[c, a, b], ...) for each a, b

All other convolutions are calls of PyTorch's library. Of those that are channels last and not transposed, of 16 bits if
they are products of matrices, `choose` says which are ours:

- `vectors`: none.
- `quicker`: those that take less time than the library, and the kernel behind it that would read the result.
- `all`: all.

Terms are multiplied and added in float32, and rounded once, as the library does.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import Shape, element_type, is_half, shape_of, tensor_type
from mlc_dialects.semantics.numerics import accumulator
from mlc_dialects.tensor.arguments import Arguments
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.composites import cast
from mlc_dialects.tensor.convolution import CONVOLUTION, NAMES, Convolution
from mlc_dialects.tensor.elementwise import AddOp, MulOp
from mlc_dialects.tensor.elementwise_special import FmaOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, product
from mlc_support.rewriting import Rule, RulePass
from passes.common.device import DevicePass
from passes.tensor.convolution_costs import convolution_sizes, is_quicker_convolution, is_quicker_depthwise
from passes.tensor.products_as_sums import CHOICES
from passes.tensor.strides import strides_of

MOST_PLACES = 32
"""Of a window in straight code, which takes longer to compile the more there are."""


def convolution_as_sum(op: ExternOp) -> SSAValue:
    """convolution(x, w, bias) == reduce add over places and channels of windows(x) * w, plus the bias"""
    given, found = Arguments(op, NAMES[CONVOLUTION]), Convolution.of(op)
    x, weight, result = op.inputs[0], op.inputs[1], op.results[0]
    (outputs, *taps, channels), (batch, *places, _) = shape_of(weight.type), shape_of(result.type)
    groups, kept, summed = integer(found.groups), (batch, *places), (*taps, channels)
    begin, end = len(kept), len(kept) + len(taps)
    seen = ReshapeOp(windows(x, found, kept, (*taps, channels * groups)), [*kept, *taps, groups, channels]).result
    left = PermuteOp(seen, [*range(begin), end, *range(begin, end), end + 1]).result
    by_group = ReshapeOp(_along_channels(weight), [groups, outputs // groups, *summed]).result
    right = PermuteOp(by_group, [0, *range(2, len(summed) + 2), 1]).result
    terms = (*kept, groups, *summed, outputs // groups)
    left = ReshapeOp(left, [*kept, groups, *summed, integer(1)]).result
    right = ReshapeOp(right, [*[integer(1)] * len(kept), groups, *summed, outputs // groups]).result
    wide = accumulator(element_type(result.type))
    terms_ = MulOp(*(cast(BroadcastOp(side, terms).result, wide) for side in (left, right))).result
    total = ReduceOp("add", terms_, range(begin + 1, end + 2)).result
    return _finished(ReshapeOp(total, [*kept, outputs]).result, given.value("bias"), result)


def depthwise_as_sum(op: ExternOp) -> SSAValue:
    """depthwise(x, w, bias) == the sum over places of x at that place of the window, times w, plus the bias"""
    given, found = Arguments(op, NAMES[CONVOLUTION]), Convolution.of(op)
    x, weight, result = op.inputs[0], op.inputs[1], op.results[0]
    shape, (channels, *taps, _) = shape_of(result.type), shape_of(weight.type)
    kept = shape[:-1]
    wide = accumulator(element_type(result.type))
    padded = _padded(x, found, kept[1:], taps)
    by_place = PermuteOp(ReshapeOp(weight, [channels, *taps]).result, [*range(1, len(taps) + 1), 0]).result
    by_place = by_place if element_type(weight.type) != wide else _along_channels(by_place)
    columns, total = cast(by_place, wide), None
    for place in itertools.product(*(range(tap.constant or 0) for tap in taps)):
        starts = [0, *(at * apart for at, apart in zip(place, found.dilation, strict=True)), 0]
        pictures = cast(SliceOp(padded, starts, [1, *found.stride, 1], shape).result, wide)
        column = SliceOp(columns, [*place, 0], [1] * (len(taps) + 1), [*[1] * len(taps), channels]).result
        weights = BroadcastOp(ReshapeOp(column, [*[1] * len(kept), channels]).result, shape).result
        total = MulOp(pictures, weights).result if total is None else FmaOp(pictures, weights, total).result
    assert total is not None
    return _finished(total, given.value("bias"), result)


def windows(x: SSAValue, found: Convolution, kept: Shape, summed: Shape) -> SSAValue:
    """x [N, H, W, C] as [N, i, j, a, b, C]: what is at place (a, b) of window (i, j), 0 beyond the edge."""
    shape = shape_of(x.type)
    (_, *places), (*taps, _) = kept, summed
    if all(tap.constant == 1 for tap in taps) and tuple(shape[1:-1]) == tuple(places):
        return ReshapeOp(x, [*kept, *summed]).result
    target = (*kept, *summed)
    steps = enumerate(zip(found.stride, found.dilation, strict=True))
    at = [_place(1 + d, len(kept) + d, target, step, apart) for d, (step, apart) in steps]
    first, last = (IotaOp(d, tensor_type(target, i64)).result for d in (0, len(target) - 1))
    return GatherOp(_padded(x, found, places, taps), [first, *at, last], target).result


def _padded(x: SSAValue, found: Convolution, places: Sequence[IndexExpr], taps: Sequence[IndexExpr]) -> SSAValue:
    """x with zeros around it, so that each place of each window exists."""
    batch, *sides, channels = shape_of(x.type)
    numbers = zip(places, taps, found.stride, found.dilation, strict=True)
    read = [(place - 1) * step + (tap - 1) * apart + 1 for place, tap, step, apart in numbers]
    sizes = [_larger(size + edge, most) for size, edge, most in zip(sides, found.padding, read, strict=True)]
    if sizes == sides:
        return x
    zero = scalar_attribute(0.0, element_type(x.type))
    return PadOp(x, [0, *found.padding, 0], [batch, *sizes, channels], zero).result


def _finished(total: SSAValue, bias: SSAValue | None, result: SSAValue) -> SSAValue:
    """The sum, with the bias, rounded once."""
    if bias is not None:
        wide = cast(bias, element_type(total.type))
        total = AddOp(total, BroadcastOp(wide, shape_of(total.type)).result).result
    return cast(total, element_type(result.type))


def _place(window: int, tap: int, shape: Shape, step: int, apart: int) -> SSAValue:
    """step * i + apart * a, where i and a count along two dimensions of `shape`."""
    counts = [_times(IotaOp(d, tensor_type(shape, i64)).result, by) for d, by in ((window, step), (tap, apart))]
    return AddOp(*counts).result


def _times(count: SSAValue, by: int) -> SSAValue:
    return count if by == 1 else MulOp(count, ConstantOp.splat(by, shape_of(count.type), i64).result).result


def _larger(a: IndexExpr, b: IndexExpr) -> IndexExpr:
    """The larger of two sizes that are numbers."""
    return a if (b - a).constant is not None and ((b - a).constant or 0) <= 0 else b


def _along_channels(weight: SSAValue) -> SSAValue:
    """The weights with channels of one place next to each other: a copy where they are not."""
    is_contiguous = strides_of(weight)[-1].constant == 1 or shape_of(weight.type)[-1].constant == 1
    return weight if is_contiguous else CastOp(weight, element_type(weight.type)).result


def _is_product(op: ExternOp, found: Convolution) -> bool:
    """True for a convolution of pictures that a kernel of ours computes as a product of matrices."""
    x, weight = op.inputs[0], op.inputs[1]
    taken, inner = shape_of(x.type)[-1], shape_of(weight.type)[-1]
    plain = not found.transposed and taken == inner * integer(found.groups)
    return plain and is_half(element_type(x.type)) and strides_of(x)[-1].constant == 1


def _is_depthwise(op: ExternOp, found: Convolution) -> bool:
    """True for one that filters each channel by itself, with a window of few places."""
    x, (channels, *taps, inner) = op.inputs[0], shape_of(op.inputs[1].type)
    alone = found.groups == channels.constant == shape_of(x.type)[-1].constant and inner.constant == 1
    count = product(taps).constant
    few = count is not None and count <= MOST_PLACES
    floats = element_type(x.type) == f32 or is_half(element_type(x.type))
    known = all(size.constant for size in (*shape_of(x.type)[1:], *shape_of(op.results[0].type)[1:]))
    return alone and few and floats and known and not found.transposed and strides_of(x)[-1].constant == 1


@dataclass(frozen=True)
class ConvolutionsAsSumsPass(DevicePass, RulePass):
    """Convolutions as sums, which kernels compute with what surrounds them."""

    name = "convolutions-as-sums"

    choose: str = "quicker"
    """Which convolutions: `vectors`, `quicker` or `all`."""

    def __post_init__(self) -> None:
        if self.choose not in CHOICES:
            raise MlcError(f"convolutions-as-sums: no choice {self.choose!r}", hint=f"choices are {', '.join(CHOICES)}")

    def rules(self) -> tuple[Rule, ...]:
        """One for products of matrices and one for single channels, unless all are left to the library."""
        if self.choose == "vectors":
            return ()
        taken = ((convolution_as_sum, self._product), (depthwise_as_sum, self._depthwise))
        return tuple(Rule(f.__name__, inspect.getdoc(f) or "", (ExternOp,), chosen) for f, chosen in taken)

    def _product(self, op: ExternOp) -> SSAValue | None:
        if not _is_last(op) or not _is_product(op, Convolution.of(op)):
            return None
        sizes = convolution_sizes(op, self.target)
        if sizes is None or (self.choose == "quicker" and not is_quicker_convolution(op, sizes, self.target)):
            return None
        return convolution_as_sum(op)

    def _depthwise(self, op: ExternOp) -> SSAValue | None:
        if not _is_last(op) or not _is_depthwise(op, Convolution.of(op)):
            return None
        return depthwise_as_sum(op) if self.choose == "all" or is_quicker_depthwise(op, self.target) else None


def _is_last(op: ExternOp) -> bool:
    """True for a convolution channels last."""
    return op.callee.data == CONVOLUTION and CHANNELS_LAST in op.attributes and op.keywords is None
