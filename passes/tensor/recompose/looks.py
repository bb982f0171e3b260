"""What one look at two ops tells: whether their types, shapes and kinds go together, and in which orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float64Type
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import Commutative

from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, ViewOp
from passes.tensor.recompose.nodes import Node, type_of

NodeT = TypeVar("NodeT", bound=Node)
ROOTS = (ew.SqrtOp, ew.RsqrtOp, ew.PowOp)


def part(anchor: Operation) -> SSAValue:
    """What is looked for of an op that gives a composite away: which root of what is told by the rest of it."""
    return anchor.operands[0] if isinstance(anchor, ROOTS) else anchor.results[0]


def same_type(p: SSAValue, s: SSAValue) -> bool:
    return p.type is s.type or p.type == s.type


def before_broadcast(value: SSAValue) -> SSAValue:
    """What was repeated to `value`: a composite whose meaning repeats it again takes that."""
    return before_broadcast(value.owner.input) if isinstance(value.owner, BroadcastOp) else value


def orders(op: Operation, operands: Sequence[NodeT]) -> Iterator[Sequence[NodeT]]:
    yield operands
    if isinstance(op, ElementwiseOp) and op.has_trait(Commutative):
        yield operands[::-1]


def agree(wanted: Operation, found: Operation, operands: Sequence[Node]) -> bool:
    """Reductions and views go between the same shapes; products of matrices round in the same type."""
    pairs = list(zip(wanted.operands, operands, strict=True))
    if isinstance(wanted, MatmulOp):
        return all(element_type(a.type) == element_type(type_of(b)) for a, b in pairs)
    if isinstance(wanted, ReduceOp):
        return all(shape_of(a.type) == shape_of(type_of(b)) for a, b in pairs)
    if isinstance(wanted, ViewOp | CatOp | IotaOp | SizeOp):
        return shape_of(wanted.results[0].type) == shape_of(found.results[0].type)
    return True


def is_spelled(op: Operation) -> bool:
    return isinstance(op, CompositeOp) and bool(op.spelling.blocks)


def last_place(element: Attribute) -> float:
    """The distance from 1 to the next number of the type."""
    digits: dict[type[Attribute], int] = {BFloat16Type: 7, Float16Type: 10, Float64Type: 52}
    return 2.0 ** -digits.get(type(element), 23)
