"""What depends on frozen parameters alone: arguments marked `mlc.frozen`, and pure ops of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free

from mlc_dialects.common.annotations import FROZEN, argument_entries
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import Shape, shape_of
from mlc_dialects.tensor.calls import ExternOp, sizes_in
from mlc_dialects.tensor.ops import SizeOp
from mlc_dialects.tensor.views import RollOp, SliceOp
from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse


class Frozen:
    """Answers for one function; new ops may be asked about too."""

    def __init__(self, function: func.FuncOp):
        self._known: dict[SSAValue, bool] = {
            argument: FROZEN in entry
            for argument, entry in zip(function.body.block.args, argument_entries(function), strict=True)
        }
        self._sizes = _names(s for a, mark in self._known.items() if mark for s in _shape(a))
        self._read: dict[SSAValue, bool] = {argument: True for argument in function.body.block.args}

    def __call__(self, value: SSAValue) -> bool:
        """True if `value` is the same in every call; constants are, unless their size is not."""
        return _told(
            value,
            self._known,
            lambda op, of: all(of) and is_side_effect_free(op) and _sizes_read(op) <= self._sizes,
        )

    def reads_argument(self, value: SSAValue) -> bool:
        """True if `value` is computed from some argument: it is more than a constant."""
        return _told(value, self._read, lambda op, of: any(of))


def _sizes_read(op: Operation) -> set[str]:
    """The named sizes that `op` needs to know."""
    exprs = [size for result in op.results for size in _shape(result)]
    match op:
        case SliceOp() | RollOp():
            exprs += index_exprs(op.starts)
        case SizeOp():
            exprs.append(op.expr)
        case ExternOp():
            exprs += [parse(a.expression.data) for a in sizes_in(op.arguments, op.keywords)]
        case _:
            pass
    return _names(exprs)


def _shape(value: SSAValue) -> Shape:
    return shape_of(value.type) if isinstance(value.type, TensorType) else ()


def _names(exprs: Iterable[IndexExpr]) -> set[str]:
    return {v.name for expr in exprs for v in expr.variables()}


def _told(value: SSAValue, known: dict[SSAValue, bool], tell: Callable[[Operation, list[bool]], bool]) -> bool:
    """What `tell` says of the op that gives `value` and what is known of its operands; `known` grows."""
    stack = [value]
    while stack:
        top = stack[-1]
        if top in known:
            stack.pop()
            continue
        op = top.owner if isinstance(top, OpResult) else None
        operands = () if op is None else (*op.operands,)
        unknown = [v for v in operands if v not in known]
        if unknown:
            stack += unknown
        else:
            known[top] = op is not None and tell(op, [known[v] for v in operands])
    return known[value]
