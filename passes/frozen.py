"""What depends on frozen parameters alone: arguments marked `mlc.frozen`, and pure ops of them."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

FROZEN = "mlc.frozen"
"""Argument attribute: every call passes the same tensor, which nobody writes."""


class Frozen:
    """Answers for one function; new ops may be asked about too."""

    def __init__(self, function: func.FuncOp):
        attributes = function.arg_attrs
        entries = attributes.data if isinstance(attributes, ArrayAttr) else ()
        marked = [FROZEN in e.data for e in entries]
        pairs = zip(function.body.block.args, marked, strict=False)
        self._known: dict[SSAValue, bool] = {argument: mark for argument, mark in pairs}

    def __call__(self, value: SSAValue) -> bool:
        """True if `value` is the same in every call; constants are."""
        stack = [value]
        while stack:
            top = stack[-1]
            if top in self._known:
                stack.pop()
                continue
            op = top.owner
            if isinstance(op, Block) or not is_side_effect_free(op):
                self._known[top] = False
                continue
            unknown = [v for v in op.operands if v not in self._known]
            if unknown:
                stack += unknown
            else:
                self._known[top] = all(self._known[v] for v in op.operands)
        return self._known[value]


def reads_argument(value: SSAValue) -> bool:
    """True if `value` is computed from some argument: it is more than a constant."""
    seen: set[SSAValue] = set()
    stack = [value]
    while stack:
        top = stack.pop()
        if isinstance(top, BlockArgument):
            return True
        if top not in seen and isinstance(top.owner, Operation):
            seen.add(top)
            stack += top.owner.operands
    return False
