"""The call of PyTorch's attention, which picks a fused kernel by what it is given."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, StringAttr, UnitAttr, f64, i1
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.annotations import STRIDES
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.types import element_type, is_half, shape_of
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.views import BroadcastOp, ReshapeOp
from mlc_support.index_expr import IndexExpr, integer

CALLEE = "aten.scaled_dot_product_attention.default"
WIDEST_HEAD, HEAD_STEP = 256, 8
"""Elements of a head: fused kernels take multiples of 8 up to 256."""


def attention_call(
    operands: Sequence[SSAValue], result: Attribute, scale: Attribute, *, causal: bool = False
) -> ExternOp:
    """softmax(scale * query @ key.T + mask) @ value of [batch, heads, rows, columns]; there may be no mask.

    `scale` is a number, or unit for the usual one; `causal` hides keys after the query. Keys and values may have fewer
    heads, each for several of the queries'. Where they are repeated for that they are given once, if fused kernels
    take it so: 16-bit, without a mask.
    """
    query, *repeated = operands
    single = [_once(v) for v in repeated]
    once = [v for v in single if v is not None]
    alike = len(once) == 2 and shape_of(once[0].type)[1] == shape_of(once[1].type)[1]
    operands = [query, *once] if len(operands) == 3 and alike and _has_fused_head(query) else operands
    grouped = shape_of(query.type)[1] != shape_of(operands[1].type)[1]
    places: list[Attribute] = [OperandAttr(StringAttr(str(i))) for i in range(len(operands))]
    mask = places[3] if len(places) == 4 else UnitAttr()
    arguments = [*places[:3], mask, FloatAttr(0.0, f64), IntegerAttr(int(causal), i1)]
    keywords = {} if isinstance(scale, UnitAttr) else {"scale": scale}
    keywords |= {"enable_gqa": IntegerAttr(1, i1)} if grouped else {}
    call = ExternOp(CALLEE, operands, [result], arguments, keywords)
    _, heads, rows, columns = shape_of(result)
    # A row of all heads is one piece of memory: the layout that fused kernels write.
    strides = index_attribute([rows * heads * columns, columns, heads * columns, integer(1)])
    call.attributes[STRIDES] = ArrayAttr([strides])
    return call


def fits_head(size: IndexExpr) -> bool:
    """True for the elements of a head that fused kernels take."""
    return size.constant is not None and size.constant % HEAD_STEP == 0 and size.constant <= WIDEST_HEAD


def _has_fused_head(query: SSAValue) -> bool:
    return is_half(element_type(query.type)) and fits_head(shape_of(query.type)[-1])


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
