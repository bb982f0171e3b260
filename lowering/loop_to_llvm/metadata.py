"""What LLVM is told of loops: that iterations of a parallel one do not depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir


class _Distinct(ir.MDValue):
    """A node unlike all others, though it has no operands.

    llvmlite takes nodes for equal whose operands are, and makes one of equal nodes.
    """

    def descr(self, buf: list[str]) -> None:
        buf.append("distinct !{}\n")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


class LoopMetadata:
    """Marks parallel loops, and accesses as those of all parallel loops around them.

    So a loop around one that LLVM unrolls is known to be parallel. See `llvm.loop.parallel_accesses` and
    `llvm.access.group` in the language reference of LLVM.
    """

    def __init__(self, module: ir.Module):
        self._module = module
        self._groups: list[ir.MDValue] = []

    @property
    def depth(self) -> int:
        """How many parallel loops are around."""
        return len(self._groups)

    @contextmanager
    def loop(self, parallel: bool, unrolled: bool = True) -> Generator[Callable[[Any], None]]:
        """The inside of a loop; gives what marks the branch back to its head.

        A short loop that is not `unrolled` is vectorised; else the loop around it would be. And where a loop around
        others is not, memory is read in its order.
        """
        around = self._groups
        own = [_Distinct(self._module, [], self._name())] if parallel else []
        self._groups = [*around, *own]

        def mark(branch: Any) -> None:
            said: list[ir.MDValue] = []
            if own:
                text = ir.MetaDataString(self._module, "llvm.loop.parallel_accesses")
                said.append(self._module.add_metadata([text, *own]))
            if not unrolled:
                said.append(self._module.add_metadata([ir.MetaDataString(self._module, "llvm.loop.unroll.disable")]))
            if not said:
                return
            node = ir.MDValue(self._module, [], self._name())
            node.operands = (node, *said)
            branch.set_metadata("llvm.loop", node)

        yield mark
        self._groups = around

    def access(self, instruction: Any, outermost: int = 0) -> Any:
        """A load or a store in the parallel loops around, but for the `outermost` ones, which share its memory."""
        groups = self._groups[outermost:]
        if groups:
            group = groups[0] if len(groups) == 1 else self._module.add_metadata(groups)
            instruction.set_metadata("llvm.access.group", group)
        return instruction

    def _name(self) -> str:
        return str(len(self._module.metadata))
