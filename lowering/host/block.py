"""The host program as it is written: its ops, the buffer of each value, and whose memory a buffer looks at."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from mlc_dialects.loop.host import FreeOp, ViewOp
from mlc_support.index_expr import IndexExpr


class HostBlock:
    """A block of buffers that grows op by op, for the values of a block of tensors."""

    def __init__(self):
        self.block = Block()
        self.buffers: dict[SSAValue, SSAValue] = {}
        """The buffer of each value so far; numbers of the host stand for themselves."""
        self._roots: dict[SSAValue, SSAValue] = {}

    def argument(self, value: BlockArgument, type_: Attribute) -> None:
        """One more argument of the program, the buffer of `value`."""
        new = self.block.insert_arg(type_, len(self.block.args))
        new.name_hint, new.location = value.name_hint, value.location
        self.buffers[value] = new

    def add(self, op: Operation, origin: Operation) -> SSAValue | None:
        """Adds an op where `origin` stood in the user's program; gives its first result."""
        op.location = origin.location
        self.block.add_op(op)
        return op.results[0] if op.results else None

    def define(self, value: SSAValue, buffer: SSAValue | None) -> None:
        """Says that `value` lies in `buffer`, which has its name."""
        assert buffer is not None
        buffer.name_hint = value.name_hint
        self.buffers[value] = buffer

    def view(self, buffer: SSAValue, offset: IndexExpr, type_: Attribute, origin: Operation) -> SSAValue:
        """A buffer of `type_` in the memory of `buffer`, `offset` elements behind its start."""
        view = ViewOp(buffer, offset, type_)
        self.add(view, origin)
        self.looks_at(view.result, buffer)
        return view.result

    def looks_at(self, view: SSAValue, buffer: SSAValue) -> None:
        """Says that `view` has no memory of its own, but that of `buffer`."""
        self._roots[view] = self.root(buffer)

    def root(self, buffer: SSAValue) -> SSAValue:
        """The buffer whose memory `buffer` looks at."""
        return self._roots.get(buffer, buffer)

    def add_frees(self) -> None:
        """Says after which op each buffer is read no more; views keep what they look at."""
        last: dict[SSAValue, Operation] = {}
        root: dict[SSAValue, SSAValue] = {}
        for op in self.block.ops:
            if isinstance(op, ViewOp):
                root[op.result] = root.get(op.input, op.input)
            for operand in op.operands:
                last[root.get(operand, operand)] = op
        for buffer, op in last.items():
            held = isinstance(buffer.owner, Operation) and isinstance(buffer.type, MemRefType)
            if held and not isinstance(op, func.ReturnOp):
                self.block.insert_op_after(FreeOp(buffer), op)
