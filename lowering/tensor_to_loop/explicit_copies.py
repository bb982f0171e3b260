"""explicit-copies: makes the copies that tensor-to-loop would need explicit casts, before fusion.

A view is free if strides can express it. But a reshape of a transposed tensor has no strides, and a result must have
the strides promised to the caller: tensor-to-loop would launch a kernel that copies. A cast to the same type is such a
copy that fusion sees, and joins with the kernel that computes the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.host.layout import Place, same_layout, view_of
from mlc_dialects.common.annotations import ALIAS, promised_strides, result_annotations
from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.iteration.iterate import is_compute, is_free
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.ops import CastOp, MatmulOp
from mlc_dialects.tensor.views import PadOp, ViewOp
from mlc_support.index_expr import integer
from mlc_support.index_maps import row_major_strides


@dataclass(frozen=True)
class ExplicitCopiesPass(ModulePass):
    """Inserts a cast for each view of a computed value that strides cannot express."""

    name = "explicit-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                Copies(function).insert()


class Copies:
    """The copies of one function."""

    def __init__(self, function: func.FuncOp):
        self._function = function
        self._places: dict[SSAValue, tuple[SSAValue, Place] | None] = {}
        """Values to what they are views of, and where in its memory they lie; None where that is not known."""

    def insert(self) -> None:
        """Inserts each copy directly after what it copies."""
        ops = list(self._function.body.block.ops)
        self._leave_alone(v for op in ops if isinstance(op, ExternOp) and op.impure is not None for v in op.operands)
        for op in ops:
            if isinstance(op, MatmulOp | ExternOp):
                for value in op.operands:
                    self._place(value)
            elif isinstance(op, func.ReturnOp):
                self._return(op)

    def _leave_alone(self, values: Iterable[SSAValue]) -> None:
        """Forgets values, and their views, that a call may overwrite."""
        work = list(values)
        while work:
            value = work.pop()
            if value not in self._places:
                self._places[value] = None
                if isinstance(value.owner, Operation) and is_free(value.owner):
                    work += value.owner.operands

    def _return(self, op: func.ReturnOp) -> None:
        """Copies results that lack the promised strides, or share another result's memory."""
        given: set[SSAValue] = set()
        for position in range(len(op.operands)):
            found = self._place(op.operands[position])
            if found is None or ALIAS in (promised := result_annotations(self._function, position)):
                continue
            base, place = found
            wanted = promised_strides(promised) or row_major_strides(place.shape)
            value = op.operands[position]
            if base not in given and (value is base or same_layout(place.strides, wanted, place.shape)):
                given.add(base)
            else:
                op.operands[position] = _copy(value).result

    def _place(self, value: SSAValue) -> tuple[SSAValue, Place] | None:
        """Where `value` lies in memory; copies what strides cannot express."""
        if value not in self._places:
            self._places[value] = self._find(value)
        return self._places[value]

    def _find(self, value: SSAValue) -> tuple[SSAValue, Place] | None:
        op = value.owner
        if not isinstance(op, Operation) or not isinstance(value.type, TensorType):
            return None
        if is_compute(op) or isinstance(op, MatmulOp):
            return value, _whole(value)
        if not is_free(op) or not op.operands:
            return None
        if isinstance(op, ViewOp) and not isinstance(op, PadOp):
            source = self._place(op.input)
            if source is None:
                return None
            place = view_of(op, source[1])
            if place is not None:
                return source[0], place
        elif not any(isinstance(use.operation, ViewOp) for use in value.uses):
            return value, _whole(value)  # a kernel of its own already
        copy = _copy(value)
        value.replace_uses_with_if(copy.result, lambda use: use.operation is not copy)
        return copy.result, _whole(value)


def _copy(value: SSAValue) -> CastOp:
    """A cast to the same type, after the op that computes `value`."""
    assert isinstance(value.owner, Operation) and value.owner.parent is not None
    copy = CastOp(value, element_type(value.type))
    copy.location, copy.result.name_hint = value.owner.location, value.name_hint
    value.owner.parent.insert_op_after(copy, value.owner)
    return copy


def _whole(value: SSAValue) -> Place:
    shape = shape_of(value.type)
    return Place(shape, row_major_strides(shape), integer(0))
