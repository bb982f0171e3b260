"""explicit-copies: makes the copies that tensor-to-loop would need explicit casts, before fusion.

A view is free if strides can express it. But a reshape of a transposed tensor has no strides, and a result must have
the strides promised to the caller: tensor-to-loop would launch a kernel that copies. PyTorch's calls want operands with
the strides that eager gives them, or channels last. A cast to the same type is such a copy that fusion sees, and joins
with the kernel that computes the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from lowering.host.layout import Place, same_layout, view_of
from lowering.host.source import ANY_STRIDES
from lowering.tensor_to_loop.free_strides import fits_result, is_dense
from mlc_dialects.common.annotations import (
    ALIAS,
    CHANNELS_LAST,
    KERNEL,
    OPERAND_STRIDES,
    STRIDES,
    VIEW,
    argument_annotations,
    listed_strides,
    promised_strides,
    result_annotations,
)
from mlc_dialects.common.types import Shape, element_type, is_native, shape_of
from mlc_dialects.iteration.iterate import is_compute, is_free
from mlc_dialects.tensor.calls import ExternOp, is_impure
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp
from mlc_dialects.tensor.views import PadOp, ViewOp
from mlc_support.index_expr import integer
from mlc_support.index_maps import row_major_strides


@dataclass(frozen=True)
class ExplicitCopiesPass(ModulePass):
    """Inserts a cast for each view of a computed value that strides cannot express, and where strides must change."""

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
        self._turned: dict[tuple[SSAValue, Shape], SSAValue] = {}
        """Values to copies of them with other strides."""

    def insert(self) -> None:
        """Inserts each copy directly after what it copies."""
        ops = list(self._function.body.block.ops)
        self._leave_alone(v for op in filter(is_impure, ops) for v in op.operands)
        self._overwritten = frozenset(self._places)
        for op in ops:
            if isinstance(op, MatmulOp | ExternOp):
                for value in op.operands:
                    self._place(value)
                if isinstance(op, ExternOp) and not _takes_as_it_lies(op):
                    self._turn_operands(op)
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

    def _turn_operands(self, call: ExternOp) -> None:
        """Copies operands that lie in memory otherwise than the call wants them."""
        for position, value in enumerate(call.operands):
            place = None if _is_made_as_wanted(value) else self._lies(value)
            if place is None:
                continue
            wanted = _wanted_strides(call, position, place.shape)
            if not same_layout(place.strides, wanted, place.shape) and is_dense(wanted, place.shape):
                if (value, wanted) not in self._turned:  # the first call that wants it so comes first
                    self._turned[value, wanted] = _copy(value, before=call).result
                call.operands[position] = self._turned[value, wanted]

    def _lies(self, value: SSAValue) -> Place | None:
        """Where a value lies in the memory of a kernel's or call's result, or of an argument; None if not known."""
        op = value.owner
        if value in self._overwritten:
            return None
        if isinstance(op, ViewOp) and not isinstance(op, PadOp):
            source = self._lies(op.input)
            return None if source is None else view_of(op, source)
        strides = None
        if isinstance(value, BlockArgument):
            strides = promised_strides(argument_annotations(self._function, value.index))
        elif isinstance(op, ExternOp) and isinstance(value, OpResult):
            strides = listed_strides(op, STRIDES, value.index)
        return Place(shape := shape_of(value.type), strides or row_major_strides(shape), integer(0))

    def _return(self, op: func.ReturnOp) -> None:
        """Copies results that lack the promised strides, or share another result's memory."""
        given: set[SSAValue] = set()
        for position in range(len(op.operands)):
            found = self._place(op.operands[position])
            if ALIAS in (promised := result_annotations(self._function, position)):
                continue
            value = op.operands[position]
            if found is None:
                if self._is_turned(value):
                    op.operands[position] = _copy(value).result
                continue
            base, place = found
            if base not in given and (value is base or fits_result(place.strides, place.shape, promised)):
                given.add(base)
            else:
                op.operands[position] = _copy(value).result

    def _is_turned(self, value: SSAValue) -> bool:
        """True for views of an argument that strides cannot express: one copy behind all of them is enough."""
        root = value
        while isinstance(root.owner, ViewOp) and not isinstance(root.owner, PadOp):
            root = root.owner.input
        turned = isinstance(root, BlockArgument) and root is not value and is_native(element_type(value.type))
        return turned and value not in self._overwritten and self._lies(value) is None

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


def _takes_as_it_lies(call: ExternOp) -> bool:
    """True for a call that reads any strides, or whose result shares memory with what it is given."""
    return (
        call.callee.data in ANY_STRIDES
        or call.impure is not None
        or not call.attributes.keys().isdisjoint((KERNEL, VIEW))
    )


def _is_made_as_wanted(value: SSAValue) -> bool:
    """True for what a kernel computes, with the strides that its readers want, and for what no kernel can load."""
    if not isinstance(value.type, TensorType) or not is_native(element_type(value.type)):
        return True
    op = value.owner
    lies = isinstance(op, MatmulOp | ExternOp | ConstantOp) or (isinstance(op, ViewOp) and not isinstance(op, PadOp))
    return isinstance(op, Operation) and not lies


def _wanted_strides(call: ExternOp, position: int, shape: Shape) -> Shape:
    """The strides that a call wants an operand to have; channels last it is row-major as [N, H, W, C]."""
    wanted = None if CHANNELS_LAST in call.attributes else listed_strides(call, OPERAND_STRIDES, position)
    return wanted or row_major_strides(shape)


def _copy(value: SSAValue, before: Operation | None = None) -> CastOp:
    """A cast to the same type, before an op or after the one that computes `value`."""
    copy = CastOp(value, element_type(value.type))
    copy.result.name_hint = value.name_hint
    if before is not None:
        copy.location = before.location
        Rewriter.insert_op(copy, InsertPoint.before(before))
    else:
        assert isinstance(value.owner, Operation)
        copy.location = value.owner.location
        Rewriter.insert_op(copy, InsertPoint.after(value.owner))
    return copy


def _whole(value: SSAValue) -> Place:
    shape = shape_of(value.type)
    return Place(shape, row_major_strides(shape), integer(0))
