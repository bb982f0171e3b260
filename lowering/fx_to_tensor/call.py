"""One call of the graph while it is imported: what rules see, and how they emit ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes
from xdsl.dialects.builtin import f8E4M3FN, f32, i32
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.fx_to_tensor.sizes import DTYPE_OF, Sizes, element_of
from mlc_dialects.common.byte_floats import BEYOND
from mlc_dialects.common.types import Shape, element_type, is_byte_float, is_half, shape_of, ui8, with_shape
from mlc_dialects.tensor.elementwise import ELEMENTWISE
from mlc_dialects.tensor.ops import CastOp, ConstantOp, SizeOp
from mlc_dialects.tensor.views import BroadcastOp, ReshapeOp
from mlc_support.index_expr import IndexExpr, product

Number = bool | int | float
Scalar = Number | IndexExpr
Operand = SSAValue | Scalar


SATURATES = not torch.tensor(float("inf")).to(torch.float8_e4m3fn).isnan().item()
"""Whether PyTorch casts numbers beyond the largest f8E4M3FN to that, as `cast` does. Before 2.13 they were NaN."""


class NotNative(Exception):
    """A rule cannot say this call in native ops: it becomes an extern call."""


class Call:
    """A call whose operands and results have native types.

    `out` is its result as FX's metadata has it: a fake tensor, or a list of them. Ops go
    to `operations`, which the graph importer inserts if the rule succeeds.
    """

    def __init__(self, out: Any, sizes: Sizes, fakes: Mapping[SSAValue, torch.Tensor]):
        self.out = out
        self.sizes = sizes
        self.operations: list[Operation] = []
        self._fakes = fakes

    @property
    def outs(self) -> Sequence[torch.Tensor]:
        return [self.out] if isinstance(self.out, torch.Tensor) else self.out

    @property
    def shape(self) -> Shape:
        """The shape of the (first) result."""
        return self.sizes.shape(self.outs[0])

    @property
    def element(self) -> Attribute:
        """The element type of the (first) result."""
        return element_of(self.outs[0].dtype)

    def op(self, operation: Operation) -> SSAValue:
        """Emits `operation` and returns its first result."""
        self.operations.append(operation)
        return operation.results[0]

    def cast(self, value: SSAValue, element: Attribute) -> SSAValue:
        if element_type(value.type) == element:
            return value
        if element == f8E4M3FN and not SATURATES:
            value = self._nan_beyond(self.cast(value, f32), BEYOND)
        return self.op(CastOp(value, element))

    def _nan_beyond(self, x: SSAValue, limit: float) -> SSAValue:
        """float32 x, or NaN where |x| > limit: what older PyTorch has for numbers that round beyond the largest."""
        shape = shape_of(x.type)
        beyond = self.apply("gt", self.apply("abs", x, element=f32, shape=shape), limit, element=f32, shape=shape)
        return self.op(ELEMENTWISE["select"](beyond, self.full(float("nan"), shape, f32), x))

    def broadcast(self, value: SSAValue, shape: Sequence[IndexExpr | int]) -> SSAValue:
        return value if with_shape(value.type, shape) == value.type else self.op(BroadcastOp(value, shape))

    def reshape(self, value: SSAValue, shape: Sequence[IndexExpr | int]) -> SSAValue:
        """The same elements in `shape`. NotNative where equal counts cannot be shown."""
        target = with_shape(value.type, shape)
        if target == value.type:
            return value
        if product(shape_of(value.type)) != product(shape_of(target)):
            raise NotNative("the sizes do not show that the element counts agree")
        return self.op(ReshapeOp(value, shape))

    def full(self, value: Scalar, shape: Sequence[IndexExpr | int], element: Attribute) -> SSAValue:
        """`value` in every place of `shape`."""
        if isinstance(value, IndexExpr):
            if value.constant is None:
                return self.broadcast(self.cast(self.op(SizeOp(value)), element), shape)
            value = value.constant
        if element == ui8 or is_half(element) or is_byte_float(element):
            value = torch.tensor(value).to(DTYPE_OF[element]).item()
        return self.op(ConstantOp.splat(value, shape, element))

    def operand(self, value: Operand, element: Attribute, shape: Shape) -> SSAValue:
        """A tensor or a number as a tensor of `element` and `shape`."""
        if isinstance(value, SSAValue):
            return self.broadcast(self.cast(value, element), shape)
        return self.full(value, shape, element)

    def apply(
        self, name: str, *operands: Operand, element: Attribute | None = None, shape: Shape | None = None
    ) -> SSAValue:
        """The elementwise function `name` of operands brought to `element` and `shape`.

        By default those of the result. Unsigned bytes are computed in i32 and wrapped.
        """
        element, shape = element or self.element, self.shape if shape is None else shape
        compute = i32 if element == ui8 else element
        typed = [self.cast(v, element) if isinstance(v, SSAValue) else v for v in operands]  # wraps what is negative
        values = [self.operand(v, compute, shape) for v in typed]
        result = self.op(ELEMENTWISE[name](*values))
        return result if element_type(result.type) != compute else self.cast(result, element)

    def promoted(self, *operands: Any) -> Attribute:
        """The element type that torch promotes the operands to."""
        known = [self._fakes[v] if isinstance(v, SSAValue) else 0 if isinstance(v, IndexExpr) else v for v in operands]
        _, dtype = elementwise_dtypes(*known, type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT)
        return element_of(dtype)

    def fake(self, value: SSAValue) -> torch.Tensor:
        """What FX knows of an operand of the call."""
        return self._fakes[value]


def wide(element: Attribute) -> Attribute:
    """The type that sums and long formulas of `element` are computed in: float32 for halves."""
    return f32 if is_half(element) else i32 if element == ui8 else element


def normalized(dim: int, rank: int) -> int:
    """A dimension counted from the front; rank 0 has one dimension to name."""
    return dim % max(rank, 1)


Rule = Callable[..., SSAValue | Sequence[SSAValue | None] | None]

RULES: dict[str, Rule] = {}
"""Overload name (`aten.add.Tensor`) to the rule that imports it, filled by the rule modules.

A rule gets the `Call` and the arguments in the order of the op's schema, defaults filled
in: tensors as SSA values, sizes as `int` or `IndexExpr`.
"""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Enters a function as the rule of the overloads `names`, `aten.` left out."""

    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[name if name.startswith(("prims.", "mlc.")) else f"aten.{name}"] = function
        return function

    return enter
