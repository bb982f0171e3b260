"""What the rules of the importer build with: ops of `mlc_tensor`, one after the other."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import UNKNOWN_LOC, DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, LocationAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.stablehlo_to_tensor.syntax import HloOp
from mlc_dialects.common.types import element_type, shape_of, tensor_type, ui8
from mlc_dialects.semantics import numerics
from mlc_dialects.semantics.tensor import evaluate
from mlc_dialects.tensor.elementwise import ELEMENTWISE
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp, SliceOp


class Outside(Exception):
    """A rule cannot say this op in `mlc_tensor`, and why."""


def shape(value: SSAValue) -> list[int]:
    """The sizes of a tensor."""
    return [s.constant or 0 for s in shape_of(value.type)]


def element(value: SSAValue) -> Attribute:
    """The element type of a tensor."""
    return element_type(value.type)


class Emitter:
    """Adds ops to a block, at the location of the op that is imported."""

    def __init__(self, block: Block):
        self.block = block
        self.location: LocationAttr = UNKNOWN_LOC

    def op(self, op: Operation) -> SSAValue:
        """Adds `op` and returns its result."""
        op.location = self.location
        self.block.add_op(op)
        op.results[0].name_hint = named(op.name.partition(".")[2])
        return op.results[0]

    def apply(self, name: str, *values: SSAValue) -> SSAValue:
        """The elementwise function `name`. Unsigned bytes are computed in i32 and wrapped."""
        bytes_in = element(values[-1]) == ui8
        if bytes_in:
            values = tuple(self.cast(v, i32) if element(v) == ui8 else v for v in values)
        result = self.op(ELEMENTWISE[name](*values))
        return self.cast(result, ui8) if bytes_in and element(result) == i32 else result

    def full(self, number: float, like: SSAValue) -> SSAValue:
        """`number` in the type of `like`."""
        return self.op(ConstantOp.splat(number, shape(like), element(like)))

    def constant(self, value: IntegerAttr | FloatAttr, sizes: Sequence[int], type_: Attribute) -> SSAValue:
        """The scalar `value` everywhere."""
        return self.op(ConstantOp(value, tensor_type(sizes, type_)))

    def iota(self, dim: int, sizes: Sequence[int], type_: Attribute = i64) -> SSAValue:
        """The index along `dim`."""
        return self.op(IotaOp(dim, tensor_type(sizes, type_)))

    def cast(self, value: SSAValue, to: Attribute) -> SSAValue:
        return value if element(value) == to else self.op(CastOp(value, to))

    def reshape(self, value: SSAValue, sizes: Sequence[int]) -> SSAValue:
        return value if shape(value) == [*sizes] else self.op(ReshapeOp(value, sizes))

    def broadcast(self, value: SSAValue, sizes: Sequence[int]) -> SSAValue:
        return value if shape(value) == [*sizes] else self.op(BroadcastOp(value, sizes))

    def permute(self, value: SSAValue, order: Sequence[int]) -> SSAValue:
        return value if [*order] == sorted(order) else self.op(PermuteOp(value, order))

    def slice(self, value: SSAValue, starts: Sequence[int], sizes: Sequence[int], steps: Sequence[int]) -> SSAValue:
        """`sizes` elements from `starts` on, every `steps`-th."""
        if shape(value) == [*sizes] and not any(starts) and all(s == 1 for s in steps):
            return value
        return self.op(SliceOp(value, starts, steps, sizes))

    def along(self, value: SSAValue, dims: Sequence[int], sizes: Sequence[int]) -> SSAValue:
        """`value`, whose dimensions are `dims` of the result in ascending order, repeated to `sizes`."""
        spread = [1] * len(sizes)
        for dim, size in zip(dims, shape(value), strict=True):
            spread[dim] = size
        return self.broadcast(self.reshape(value, spread[min(dims, default=len(sizes)) :]), sizes)


def named(name: str) -> str:
    """`name` as Python may write it: a host program names its variables after the values."""
    return f"{name}_" if keyword.iskeyword(name) else name


Rule = Callable[..., SSAValue | Sequence[SSAValue]]

RULES: dict[str, Rule] = {}
"""The name of an op of StableHLO to the rule that imports it: given the emitter, the op, and its operands."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Enters a function as the rule of the ops `names`, those without a dialect being of StableHLO."""

    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[name if "." in name else f"stablehlo.{name}"] = function
        return function

    return enter


def result_shape(op: HloOp, index: int = 0) -> list[int]:
    """The sizes that the text gives a result."""
    return shape(op.results[index])


MOST_FOLDED = 64
"""Ops that a number may take to compute, to count as known."""


def known(value: SSAValue, seen: dict[SSAValue, numerics.Value | None] | None = None) -> numerics.Value | None:
    """The number that `value` is for every input, a tensor of one element; None if inputs tell, or of a larger one."""
    seen = {} if seen is None else seen
    op = value.owner
    if value in seen or len(seen) == MOST_FOLDED:
        return seen.get(value)
    seen[value] = None
    if not isinstance(op, Operation) or any(size != 1 for size in shape(value)):
        return None
    operands = [known(v, seen) for v in op.operands]
    if any(v is None for v in operands):
        return None
    try:
        seen[value] = evaluate(op, operands, {})
    except NotImplementedError:
        return None
    return seen[value]


def known_scalar(value: SSAValue) -> IntegerAttr | FloatAttr | None:
    """`known` as an attribute; of a constant that is the same everywhere too."""
    op = value.owner
    if isinstance(op, ConstantOp) and not isinstance(op.value, DenseIntOrFPElementsAttr):
        return op.value
    if isinstance(op, BroadcastOp | ReshapeOp):
        return known_scalar(op.input)
    found = known(value)
    return None if found is None else numerics.splat_attribute(found)


def known_integer(value: SSAValue) -> int | None:
    """`known_scalar` of an integer."""
    found = known_scalar(value)
    return int(found.value.data) if isinstance(found, IntegerAttr) else None


def fields(op: HloOp, name: str) -> dict[str, Any]:
    """The lists of dimension numbers that `op` states; those it leaves out are empty."""
    stated = op.stated.get(name)
    if not isinstance(stated, dict):
        raise Outside(f"it states no {name}")
    return stated
