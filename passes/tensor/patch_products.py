"""patch-products: convolutions of patches that do not overlap are products of matrices.

    convolution(x [N, C, H, W], w [O, C, p, q], strides [p, q])
        == (x as rows of patches [N * H/p * W/q, C * p * q]) @ (w as [O, C * p * q])^T

So pictures enter vision transformers. A copy brings the elements of each patch together, of the same bytes as the copy
that would bring the picture to channels last; the weights are read as they lie, and no workspace of the library is
alive beside them. Left alone are pictures that lie channels last, or that other convolutions compute: the library reads
these as they are. Of the types those of 16 bits are taken: convolutions of float32 may be in TF32, products are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from xdsl.ir import BlockArgument, SSAValue

from mlc_dialects.common.types import Shape, byte_size, element_type, is_half, shape_of
from mlc_dialects.tensor.calls import ExternOp, channels_first
from mlc_dialects.tensor.convolution import CONVOLUTION, Convolution
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, MatmulOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp
from mlc_support.index_expr import product
from mlc_support.index_maps import row_major_strides
from mlc_support.rewriting import Rule, RulePass, rule
from passes.common.device import WIDEST_BYTES
from passes.tensor.layout.component import is_made_again
from passes.tensor.strides import strides_of


@rule
def patches_as_rows(op: ExternOp) -> SSAValue | None:
    """convolution(x, w) == patches(x) @ w^T, where the patches of x cover it without overlap"""
    if op.callee.data != CONVOLUTION or op.keywords is not None or not _pays(op) or not _covers(op):
        return None
    x, weight = op.inputs
    (pictures, *_), (filters, *inner), (_, _, *places) = map(shape_of, (x.type, weight.type, op.results[0].type))
    channels, *sides = inner
    count = len(sides)
    cut = ReshapeOp(x, [pictures, channels, *chain.from_iterable(zip(places, sides, strict=True))]).result
    steps = range(2, 2 + 2 * count, 2)
    patches = PermuteOp(cut, [0, *steps, 1, *(s + 1 for s in steps)]).result
    rows = ReshapeOp(patches, [product((pictures, *places)), product(inner)]).result
    columns = PermuteOp(ReshapeOp(weight, [filters, product(inner)]).result, [1, 0]).result
    result = ReshapeOp(MatmulOp(rows, columns).result, [pictures, *places, filters]).result
    return PermuteOp(result, channels_first(2 + count)).result


def _pays(op: ExternOp) -> bool:
    """True if `op` has operands of 16 bits, a picture that would be converted, and rows that the library reads well."""
    x, weight, *bias = op.inputs
    element, patch = element_type(x.type), product(shape_of(weight.type)[1:]).constant
    if bias or not is_half(element) or patch is None or not (_is_row_major(x) and _is_row_major(weight)):
        return False
    is_aligned = patch * byte_size(element) % WIDEST_BYTES == 0
    return is_aligned and any(s.constant != 1 for s in shape_of(weight.type)[2:]) and _is_taken(x)


def _covers(op: ExternOp) -> bool:
    """True if each element of the picture is in one patch."""
    found = Convolution.of(op)
    (_, channels, *sizes), (_, inner, *sides) = (shape_of(v.type) for v in op.inputs)
    _, _, *places = shape_of(op.results[0].type)
    return (
        not found.transposed
        and channels == inner
        and found.groups == 1
        and list(found.stride) == [s.constant for s in sides]
        and set(found.padding) == {0}
        and set(found.dilation) == {1}
        and sizes == [place * side for place, side in zip(places, sides, strict=True)]
    )


def _is_row_major(value: SSAValue) -> bool:
    shape: Shape = shape_of(value.type)
    return strides_of(value) == row_major_strides(shape)


def _is_taken(value: SSAValue) -> bool:
    """True for an argument, or what kernels compute of one argument elementwise."""
    while isinstance(value.owner, CastOp | ElementwiseOp | ReshapeOp):
        tensors = [v for v in dict.fromkeys(value.owner.operands) if not is_made_again(v)]
        if len(tensors) != 1:
            return False
        (value,) = tensors
    return isinstance(value, BlockArgument)


@dataclass(frozen=True)
class PatchProductsPass(RulePass):
    """Compute convolutions of patches that do not overlap as products of matrices."""

    name = "patch-products"

    def rules(self) -> tuple[Rule, ...]:
        """The one."""
        return (patches_as_rows,)
