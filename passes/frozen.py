"""What depends on frozen parameters alone: arguments marked `mlc.frozen`, and pure ops of them."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import func
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free

from mlc_dialects.annotations import FROZEN, argument_entries


class Frozen:
    """Answers for one function; new ops may be asked about too."""

    def __init__(self, function: func.FuncOp):
        self._known: dict[SSAValue, bool] = {
            argument: FROZEN in entry
            for argument, entry in zip(function.body.block.args, argument_entries(function), strict=True)
        }
        self._read: dict[SSAValue, bool] = {argument: True for argument in function.body.block.args}

    def __call__(self, value: SSAValue) -> bool:
        """True if `value` is the same in every call; constants are."""
        return _told(value, self._known, lambda op, of: all(of) and is_side_effect_free(op))

    def reads_argument(self, value: SSAValue) -> bool:
        """True if `value` is computed from some argument: it is more than a constant."""
        return _told(value, self._read, lambda op, of: any(of))


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
