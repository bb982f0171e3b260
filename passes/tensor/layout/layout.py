"""layout: convolutions, and what lies between them, channels last.

The conversions are explicit `mlc_tensor.permute` ops, and stand only where a component begins and
ends: every op inside is rewritten to [N, H, W, C], or to what a reshape that keeps channels together
makes of it. A value [N, H, W, C] is in memory what PyTorch calls channels_last, so calls take and give
it without a copy. Whether it pays is judged for each component; its convolutions say why, in
`mlc.channels_last` or in `mlc.channels_first`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, bf16, f16, f32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.annotations import CHANNELS_FIRST, CHANNELS_LAST, OPERAND_STRIDES, STRIDES
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import Shape, element_type, shape_of, with_shape
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp
from mlc_support.rewriting import apply_rules
from passes.common.device import DevicePass
from passes.tensor.frozen import Frozen
from passes.tensor.layout.channels import first, is_call_of_convolution, is_quicker_first
from passes.tensor.layout.component import Component, components
from passes.tensor.layout.one_row import one_row

_GROUPED = "the library takes less time with such groups of channels channels first"


@dataclass(frozen=True)
class LayoutPass(DevicePass):
    """Bring convolutions and what lies between them to channels last, where that pays."""

    name = "layout"

    tf32: bool = False
    """The library may compute convolutions of float32 in TF32 (`torch.backends.cudnn.conv.fp32_precision`)."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Judge and rewrite each component of each function."""
        apply_rules(op, (one_row,))
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                self._rewrite(function)

    def _rewrite(self, function: func.FuncOp) -> None:
        frozen = Frozen(function)
        for component in components(function, self._tensor_types()):
            pays, why = component.verdict(frozen)
            if pays:
                _Conversion(component, why).run()
            else:
                for call in component.convolutions:
                    call.attributes[CHANNELS_FIRST] = StringAttr(why)
        for call in function.body.block.ops:
            if is_call_of_convolution(call) and is_quicker_first(call):
                call.attributes[CHANNELS_FIRST] = StringAttr(_GROUPED)

    def _tensor_types(self) -> list[Attribute]:
        """The element types of convolutions that tensor cores compute."""
        known: list[tuple[str, Attribute]] = [("bf16", bf16), ("f16", f16), *([("tf32", f32)] if self.tf32 else [])]
        return [element for name, element in known if name in self.target.tensor_flops]


class _Conversion:
    """Rewrites one component."""

    def __init__(self, component: Component, why: str):
        self._component = component
        self._why = why
        self._last: dict[SSAValue, SSAValue] = {}

    def run(self) -> None:
        """Each op channels last, and conversions where values enter and leave."""
        component = self._component
        leaving = {*component.leaving()}
        for op in component.ops:
            new = self._converted(op, [self._value(v, op) for v in op.operands])
            self._insert(new, op)
            for old, result in zip(op.results, new.results, strict=True):
                result.name_hint = old.name_hint
                self._last[old] = result
                if old in leaving:
                    rank = len(shape_of(old.type))
                    result = self._insert(PermuteOp(result, first(component.channels[old], rank)), op).results[0]
                old.replace_uses_with_if(result, lambda use: use.operation not in component.ops)
        for op in reversed(component.ops):
            op.detach()
            op.erase()

    def _insert(self, new: Operation, old: Operation) -> Operation:
        assert old.parent is not None
        new.location = old.location
        old.parent.insert_op_before(new, old)
        return new

    def _value(self, value: SSAValue, reader: Operation) -> SSAValue:
        """What changes channels last; other values as they are."""
        if value not in self._last:
            self._last[value] = self._entering(value, reader) if value in self._component.channels else value
        return self._last[value]

    def _entering(self, value: SSAValue, reader: Operation) -> SSAValue:
        """The value channels last: permuted, or made so from the start."""
        order, made = self._component.order(value), value.owner
        match made:
            case ConstantOp() if made.splat_value is not None:
                return self._insert(ConstantOp(made.value, self._moved(value)), reader).results[0]
            case IotaOp():
                return self._insert(IotaOp(order.index(made.axis), self._moved(value)), reader).results[0]
            case BroadcastOp():
                small, rank = made.input, len(order)
                if (missing := rank - len(made.input_shape)) > 0:
                    small = self._insert(ReshapeOp(small, [*[1] * missing, *made.input_shape]), reader).results[0]
                turned = self._insert(PermuteOp(small, order), reader).results[0]
                return self._insert(BroadcastOp(turned, self._shape(value)), reader).results[0]
            case _:
                return self._insert(PermuteOp(value, order), reader).results[0]

    def _converted(self, op: Operation, operands: list[SSAValue]) -> Operation:
        """`op` on operands that are channels last."""
        if isinstance(op, ExternOp):
            return self._call(op, operands)
        order = self._component.order(op.results[0])
        match op:
            case ElementwiseOp():
                return type(op)(*operands)
            case CastOp():
                return CastOp(operands[0], element_type(op.result.type))
            case ReduceOp():
                return ReduceOp(op.kind.data, operands[0], sorted(order.index(d) for d in op.reduced))
            case ScanOp():
                return ScanOp(op.kind.data, operands[0], order.index(op.axis))
            case CatOp():
                return CatOp(operands, order.index(op.axis))
            case _:
                return self._converted_view(op, operands)

    def _converted_view(self, op: Operation, operands: list[SSAValue]) -> Operation:
        """The view or gather `op` on operands that are channels last."""
        order, shape = self._component.order(op.results[0]), self._shape(op.results[0])
        match op:
            case BroadcastOp() | ReshapeOp():
                return type(op)(operands[0], shape)
            case PadOp():
                return PadOp(operands[0], [op.lows[d] for d in order], shape, op.value)
            case SliceOp():
                starts = index_exprs(op.starts)
                return SliceOp(operands[0], [starts[d] for d in order], [op.strides[d] for d in order], shape)
            case RollOp():
                starts = index_exprs(op.starts)
                return RollOp(operands[0], [starts[d] for d in order])
            case GatherOp():
                source, *places = operands
                return GatherOp(source, [places[d] for d in self._component.order(op.input)], shape)
            case _:
                raise AssertionError(f"{op.name} is in no component")

    def _call(self, op: ExternOp, operands: list[SSAValue]) -> ExternOp:
        types = [self._moved(r) for r in op.outputs]
        keywords = dict(op.keywords.data) if op.keywords is not None else None
        new = ExternOp(op.callee.data, operands, types, op.argument_list(), keywords)
        new.attributes |= {k: v for k, v in op.attributes.items() if k not in (STRIDES, OPERAND_STRIDES)}
        new.attributes[CHANNELS_LAST] = StringAttr(self._why)
        return new

    def _shape(self, value: SSAValue) -> Shape:
        """The shape of `value` channels last."""
        shape = shape_of(value.type)
        return tuple(shape[d] for d in self._component.order(value))

    def _moved(self, value: SSAValue) -> Attribute:
        """The type of `value` channels last; that of other values as it is."""
        changes = value in self._component.channels and isinstance(value.type, TensorType)
        return with_shape(value.type, self._shape(value)) if changes else value.type
