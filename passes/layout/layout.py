"""layout: convolutions, and what lies between them, channels last.

The conversions are explicit `mlc_tensor.permute` ops, and stand only where a component begins and
ends: every op inside is rewritten to [N, H, W, C]. A value [N, H, W, C] is in memory what PyTorch calls
channels_last, so calls take and give it without a copy. Whether it pays is judged for each
component; its convolutions say why, in `mlc.channels_last` or in `mlc.channels_first`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.index_syntax import index_exprs
from mlc_dialects.tensor_calls import CHANNELS_LAST, ExternOp, channels_first, channels_last
from mlc_dialects.tensor_ops import CastOp, ConstantOp, ReduceOp
from mlc_dialects.tensor_views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, SliceOp
from mlc_dialects.types import element_type, shape_of, with_shape
from passes.frozen import Frozen
from passes.layout.component import RANK, Component, components, is_picture

_LAST, _FIRST = channels_last(RANK), channels_first(RANK)
_STRIDES = ("mlc.strides", "mlc.operand_strides")


@dataclass(frozen=True)
class LayoutPass(ModulePass):
    """Bring convolutions and what lies between them to channels last, where that pays."""

    name = "layout"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Judge and rewrite each component of each function."""
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                frozen = Frozen(function)
                for component in components(function):
                    pays, why = component.verdict(frozen)
                    if pays:
                        _Conversion(component, why).run()
                    else:
                        for call in component.convolutions:
                            call.attributes["mlc.channels_first"] = StringAttr(why)


class _Conversion:
    """Rewrites one component."""

    def __init__(self, component: Component, why: str):
        self._component = component
        self._why = why
        self._last: dict[SSAValue, SSAValue] = {}

    def run(self) -> None:
        """Each op channels last, and conversions where values enter and leave."""
        leaving = {*self._component.leaving()}
        for op in self._component.ops:
            new = self._converted(op, [self._value(v, op) for v in op.operands])
            self._insert(new, op)
            for old, result in zip(op.results, new.results, strict=True):
                result.name_hint = old.name_hint
                self._last[old] = result
                outside = result if not is_picture(old) else None
                if old in leaving:
                    outside = self._insert(PermuteOp(result, _FIRST), op).results[0]
                if outside is not None:
                    old.replace_uses_with_if(outside, lambda use: use.operation not in self._component.ops)
        for op in reversed(self._component.ops):
            op.detach()
            op.erase()

    def _insert(self, new: Operation, old: Operation) -> Operation:
        assert old.parent is not None
        new.location = old.location
        old.parent.insert_op_before(new, old)
        return new

    def _value(self, value: SSAValue, reader: Operation) -> SSAValue:
        """A picture channels last; other values as they are."""
        if value not in self._last:
            self._last[value] = self._entering(value, reader) if is_picture(value) else value
        return self._last[value]

    def _entering(self, value: SSAValue, reader: Operation) -> SSAValue:
        made = value.owner
        if isinstance(made, ConstantOp) and made.splat_value is not None:
            return self._insert(ConstantOp(made.value, _moved(value.type)), reader).results[0]
        if isinstance(made, BroadcastOp):
            small = made.input
            if (missing := RANK - len(made.input_shape)) > 0:
                small = self._insert(ReshapeOp(small, [*[1] * missing, *made.input_shape]), reader).results[0]
            turned = self._insert(PermuteOp(small, _LAST), reader).results[0]
            return self._insert(BroadcastOp(turned, shape_of(_moved(value.type))), reader).results[0]
        return self._insert(PermuteOp(value, _LAST), reader).results[0]

    def _converted(self, op: Operation, operands: list[SSAValue]) -> Operation:
        """`op` on operands that are channels last."""
        match op:
            case ElementwiseOp():
                return type(op)(*operands)
            case CastOp():
                return CastOp(operands[0], element_type(op.result.type))
            case ReduceOp():
                return ReduceOp(op.kind.data, operands[0], sorted(_FIRST[d] for d in op.reduced))
            case CatOp():
                return CatOp(operands, _LAST.index(op.axis))
            case PadOp():
                shape = shape_of(_moved(op.result.type))
                return PadOp(operands[0], [op.lows[d] for d in _LAST], shape, op.value)
            case SliceOp():
                starts, shape = index_exprs(op.starts), shape_of(_moved(op.result.type))
                return SliceOp(operands[0], [starts[d] for d in _LAST], [op.strides[d] for d in _LAST], shape)
            case ExternOp():
                return self._call(op, operands)
            case _:
                raise AssertionError(f"{op.name} is in no component")

    def _call(self, op: ExternOp, operands: list[SSAValue]) -> ExternOp:
        types = [_moved(r.type) for r in op.outputs]
        keywords = dict(op.keywords.data) if op.keywords is not None else None
        new = ExternOp(op.callee.data, operands, types, op.argument_list(), keywords)
        new.attributes |= {k: v for k, v in op.attributes.items() if k not in _STRIDES}
        new.attributes[CHANNELS_LAST] = StringAttr(self._why)
        return new


def _moved(type_: Attribute) -> Attribute:
    """The type of a picture channels last; other types as they are."""
    if not isinstance(type_, TensorType) or len(shape := shape_of(type_)) != RANK:
        return type_
    return with_shape(type_, [shape[d] for d in _LAST])
