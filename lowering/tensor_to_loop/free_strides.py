"""The strides of intermediate values, which no caller sees: those that readers want, else those of the inputs.

A PyTorch call reads the strides that eager would give it, and would copy others. Kernels read any strides, so between
kernels a value has the strides of most of its input bytes: a chain of kernels does not transpose back and forth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue, Use

from lowering.host.layout import same_layout
from mlc_dialects.common.annotations import (
    ANY_LAYOUT,
    CHANNELS_LAST,
    KERNEL,
    OPERAND_STRIDES,
    listed_strides,
    promised_strides,
    result_annotations,
)
from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_strides
from mlc_dialects.common.types import Shape, byte_size, shape_of
from mlc_dialects.tensor.calls import ExternOp, FusionOp
from mlc_support.index_maps import assumed, row_major_strides


def free_strides(value: SSAValue, inputs: Iterable[Attribute]) -> Shape | None:
    """The strides of a `value` that a kernel computes from buffers of the types `inputs`; None for row-major."""
    shape = shape_of(value.type)
    wanted = [listed_strides(use.operation, OPERAND_STRIDES, use.index) for use in value.uses if _is_call(use)]
    if not wanted and all(map(_takes_any, value.uses)):
        wanted = [_most_common(shape, inputs)]
    return next((s for s in wanted if s is not None and is_dense(s, shape)), None)


def _is_call(use: Use) -> bool:
    op = use.operation
    return isinstance(op, ExternOp) and KERNEL not in op.attributes and CHANNELS_LAST not in op.attributes


def _takes_any(use: Use) -> bool:
    """True for a reader that takes any strides: a kernel, or a caller who says so."""
    op = use.operation
    if isinstance(op, func.ReturnOp):
        function = op.parent_op()
        return isinstance(function, func.FuncOp) and ANY_LAYOUT in result_annotations(function, use.index)
    return isinstance(op, FusionOp) or (isinstance(op, ExternOp) and KERNEL in op.attributes)


def _most_common(shape: Shape, inputs: Iterable[Attribute]) -> Shape | None:
    """The strides that most bytes of `inputs` of this shape have; None for row-major, which wins ties."""
    plain = row_major_strides(shape)
    weights: Counter[Shape] = Counter({plain: 0})
    for type_ in inputs:
        if isinstance(type_, MemRefType) and buffer_shape(type_) == shape:
            strides = buffer_strides(type_)
            weights[plain if same_layout(strides, plain, shape) else strides] += byte_size(buffer_element(type_))
    strides, _ = weights.most_common(1)[0]
    return None if strides == plain else strides


def result_strides(shape: Shape, annotations: Mapping[str, Attribute]) -> Shape:
    """The strides promised of a result; row-major where nothing is."""
    return promised_strides(annotations) or row_major_strides(shape)


def fits_result(strides: Shape, shape: Shape, annotations: Mapping[str, Attribute]) -> bool:
    """True if a result may have these strides: those promised, or any without gaps where its caller takes them."""
    promised = result_strides(shape, annotations)
    return same_layout(strides, promised, shape) or (ANY_LAYOUT in annotations and is_dense(strides, shape))


def is_dense(strides: Shape, shape: Shape) -> bool:
    """True if the elements occupy distinct addresses without gaps."""
    order = sorted(range(len(shape)), key=lambda d: -assumed(strides[d]))
    sizes = tuple(shape[d] for d in order)
    return same_layout(tuple(strides[d] for d in order), row_major_strides(sizes), sizes)
