"""onednn-products: products of float32 matrices by oneDNN, where the BLAS that PyTorch calls is slower.

    call "aten.mm.default"(x [m, k], y [k, n])
 -> call "mkldnn._linear_pointwise.default"(x, y transposed), which is a view

oneDNN ships with PyTorch and runs on the same threads. It takes longer to start, so that small products stay with the
BLAS, and those of vectors. It copies a first factor whose columns are contiguous, as in gradients of weights: these are
its products only where it is much faster. The order of the sums is another one, as between any two libraries.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NoneAttr, StringAttr, f32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_strides, buffer_type
from mlc_dialects.loop.host import CallOp, ViewOp
from mlc_dialects.tensor.calls import OperandAttr
from mlc_support.index_expr import integer
from mlc_support.index_maps import assumed
from mlc_support.walks import walk

PRODUCT, LINEAR = "aten.mm.default", "mkldnn._linear_pointwise.default"
LEAST_OPERATIONS = 1 << 22
"""Of a product, a multiply-add being two: oneDNN takes ten microseconds longer to start. On a Zen 5 it overtakes MKL
at some 2 million, from 8 rows and columns on."""
LEAST_SIDE = 8
"""Rows and columns of the result, at least."""
COPIED = 0.8
"""The share of its speed that is left where oneDNN copies the first factor; 0.75 to 0.88 on a Zen 4."""


@dataclass(frozen=True)
class OneDnnProductsPass(ModulePass):
    """Calls oneDNN for large products of float32 matrices."""

    name = "onednn-products"
    speed: float = 2.2
    """How many times as fast as the BLAS oneDNN multiplies matrices whose rows are contiguous; 2.2 on a Zen 5."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for call in [c for c in walk(op) if isinstance(c, CallOp) and c.callee.data == PRODUCT]:
            if is_large(call) and all(map(is_dense, call.inputs)) and self._pays(call):
                _call_onednn(call)

    def _pays(self, call: CallOp) -> bool:
        right = buffer_strides(call.inputs[0].type)[1]
        return self.speed * (1 if right == integer(1) else COPIED) > 1


def is_large(call: CallOp) -> bool:
    """True if a product [m, k] @ [k, n] of float32 is worth the longer start."""
    if len(call.inputs) != 2 or buffer_element(call.inputs[0].type) != f32:  # one, of a call that repeats it
        return False
    lhs, rhs = call.inputs
    (m, k), (_, n) = (map(assumed, buffer_shape(v.type)) for v in (lhs, rhs))
    return 2 * m * k * n >= LEAST_OPERATIONS and min(m, n) >= LEAST_SIDE


def is_dense(matrix: SSAValue) -> bool:
    """True if rows or columns are contiguous in memory, and do not overlap."""
    (rows, columns), (down, right) = buffer_shape(matrix.type), buffer_strides(matrix.type)
    contiguous, other = (columns, down) if right == integer(1) else (rows, right)
    return integer(1) in (down, right) and assumed(other) >= assumed(contiguous)


def _call_onednn(call: CallOp) -> None:
    lhs, rhs = call.inputs
    turned = buffer_type(buffer_shape(rhs.type)[::-1], f32, buffer_strides(rhs.type)[::-1])
    view = ViewOp(rhs, integer(0), turned)
    operands = [OperandAttr(StringAttr(str(k))) for k in range(2)]
    plain = [NoneAttr(), StringAttr("none"), ArrayAttr([]), StringAttr("")]  # no bias, and nothing done to the result
    types = [result.type for result in call.outputs]
    linear = CallOp(LINEAR, [lhs, view.result], types, ArrayAttr([*operands, *plain]))
    linear.attributes |= call.attributes
    Rewriter.insert_op([view, linear], InsertPoint.before(call))
    for old, new in zip(call.outputs, linear.outputs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.erase_op(call)
