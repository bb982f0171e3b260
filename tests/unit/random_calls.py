"""Random calls of PyTorch's library that the interpreter can run: the makers that `random_graphs` adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_float, shape_of, tensor_type
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.views import ReshapeOp

if TYPE_CHECKING:
    from tests.unit.random_graphs import Builder


def convolution(builder: Builder, source: SSAValue) -> Operation | None:
    """Of `source` as pictures, by filters that are a value or a constant; with a bias or without, in groups or one."""
    sizes, element = builder.numbers(source), element_type(source.type)
    named = any(s.constant is None for s in shape_of(source.type))
    if not is_float(element) or 0 in sizes or len(sizes) > 4 or named:
        return None
    missing = 4 - len(sizes)
    before = builder.draw(st.integers(0, missing))
    picture = builder.add(ReshapeOp(source, [*[1] * before, *sizes, *[1] * (missing - before)]))
    count, channels, *space = builder.numbers(picture)
    groups = channels if builder.chance() else 1
    outputs = groups * builder.draw(st.integers(1, 3))
    stride, padding, dilation = ([builder.draw(st.integers(a, 2)) for _ in space] for a in (1, 0, 1))
    kernel = [builder.draw(st.integers(1, 3)) for _ in space]
    reach = [size + 2 * p - d * (k - 1) for size, p, d, k in zip(space, padding, dilation, kernel, strict=True)]
    if min(reach) < 1:
        return None
    weight = builder.partner(tensor_type([outputs, channels // groups, *kernel], element))
    bias = [builder.partner(tensor_type([outputs], element))] if builder.chance() else []
    operands = [picture, weight, *bias]
    result = [count, outputs, *((r - 1) // s + 1 for r, s in zip(reach, stride, strict=True))]
    return call_of(operands, (stride, padding, dilation), groups, result)


def call_of(
    operands: Sequence[SSAValue], windows: Sequence[Sequence[int]], groups: int, shape: Sequence[int]
) -> ExternOp:
    """A convolution that gives `shape`; `windows` are stride, padding and dilation."""
    places: list[Attribute] = [OperandAttr(StringAttr(str(i))) for i in range(len(operands))]
    lists = [ArrayAttr([IntegerAttr(n, i64) for n in numbers]) for numbers in (*windows, [0, 0])]
    forwards = [*lists[:3], IntegerAttr(0, i1), lists[3], IntegerAttr(groups, i64)]
    arguments = [*places, *[UnitAttr()] * (3 - len(places)), *forwards]
    type_ = tensor_type(shape, element_type(operands[0].type))
    return ExternOp("aten.convolution.default", operands, [type_], arguments)


MAKERS = (convolution,)
