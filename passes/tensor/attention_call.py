"""The call of PyTorch's attention, which picks a fused kernel by what it is given."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, StringAttr, UnitAttr, f64, i1
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.annotations import STRIDES
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.types import Shape, element_type, is_half, shape_of
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.views import BroadcastOp, ReshapeOp
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.index_maps import assumed, row_major_strides
from passes.common.device import Device, Processor
from passes.tensor.strides import strides_of

CALLEE = "aten.scaled_dot_product_attention.default"
WIDEST_HEAD, HEAD_STEP = 256, 8
"""Elements of a head: fused kernels take multiples of 8 up to 256."""


def attention_call(
    operands: Sequence[SSAValue],
    result: Attribute,
    scale: Attribute,
    processor: Processor,
    *,
    causal: bool = False,
    dropout: float = 0.0,
) -> ExternOp:
    """softmax(scale * query @ key.T + mask) @ value of [batch, heads, rows, columns]; there may be no mask.

    `scale` is a number, or unit for the usual one; `causal` hides keys after the query. `dropout` is the probability
    that a weight is dropped: a call that draws random numbers is impure. Keys and values may have fewer heads, each
    for several of the queries'. Where they are repeated for that they are given once, if a kernel for `processor` takes
    it so.
    """
    query, key, value, *mask = operands
    fused = takes_as_given(query, value, bool(mask), processor)
    once = [v for v in (_once(key), _once(value)) if v is not None]
    if fused and len(once) == 2 and shape_of(once[0].type)[1] == shape_of(once[1].type)[1]:
        key, value = once
    operands = [query, key, value, *mask]
    grouped = shape_of(query.type)[1] != shape_of(key.type)[1]
    places: list[Attribute] = [OperandAttr(StringAttr(str(i))) for i in range(len(operands))]
    arguments = [*places[:3], places[3] if mask else UnitAttr(), FloatAttr(dropout, f64), IntegerAttr(int(causal), i1)]
    keywords = {} if isinstance(scale, UnitAttr) else {"scale": scale}
    keywords |= {"enable_gqa": IntegerAttr(1, i1)} if grouped else {}
    call = ExternOp(CALLEE, operands, [result], arguments, keywords, impure=dropout > 0)
    ordered = fused or not isinstance(processor, Device)
    call.attributes[STRIDES] = ArrayAttr([index_attribute(_strides(result, query if ordered else None))])
    return call


def takes_as_given(query: SSAValue, value: SSAValue, masked: bool, processor: Processor) -> bool:
    """True where flash or cuDNN attention takes groups of heads, and values of their width, without a copy.

    On a GPU that is 16-bit. All else there is the memory-efficient kernel's, which has neither.
    """
    widths = [shape_of(v.type)[-1] for v in (query, value)]
    if not isinstance(processor, Device):
        return is_half(element_type(query.type)) and widths[0] == widths[1]
    plain = not masked and widths[0] == widths[1]
    fits = is_half(element_type(query.type)) and all(map(fits_head, widths))
    return fits and (plain or "cudnn-attention" in processor.features)


def _strides(result: Attribute, query: SSAValue | None) -> Shape:
    """Of the result in memory, without gaps: its dimensions are in the order of those of `query`, as flash and cuDNN
    attention have it, and so have CPUs; without one in that of the memory-efficient kernel, [batch, rows, heads, ...].
    """
    shape, order = shape_of(result), [0, 2, 1, 3]
    if query is not None:
        steps = [assumed(stride) for stride in strides_of(query)]
        order = sorted(range(len(steps)), key=lambda d: -steps[d])
    strides = row_major_strides([shape[d] for d in order])
    return tuple(strides[order.index(d)] for d in range(len(order)))


def fits_head(size: IndexExpr) -> bool:
    """True for the elements of a head that fused kernels take."""
    return size.constant is not None and size.constant % HEAD_STEP == 0 and size.constant <= WIDEST_HEAD


def _once(value: SSAValue) -> SSAValue | None:
    """[batch, heads, rows, columns], where `value` has each head several times in turn; None where it has not."""
    join = value.owner
    repeat = join.input.owner if isinstance(join, ReshapeOp) else None
    apart = repeat.input.owner if isinstance(repeat, BroadcastOp) else None
    if not isinstance(repeat, BroadcastOp) or not isinstance(apart, ReshapeOp):
        return None
    batch, *_, rows, columns = shape_of(value.type)
    inner = apart.input_shape
    if len(inner) != 4 or (inner[0], *inner[2:]) != (batch, rows, columns) or inner[1] == shape_of(value.type)[1]:
        return None
    ways = (batch, inner[1], integer(1), rows, columns), (*inner[:2], *repeat.shape[2:3], rows, columns)
    return apart.input if (apart.shape, repeat.shape) == ways else None
