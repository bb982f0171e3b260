"""Value numbering: what two loops over the same iterations both compute has the same number.

Source: Alpern, Wegman and Zadeck, "Detecting equality of variables in programs" (POPL 1988), in its simplest form: ops
are equal that have equal properties, operands and types of results.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from xdsl.ir import BlockArgument, Operation, SSAValue

from mlc_dialects.loop.dialect import LoadOp, LoopOp


def expression(op: Operation, numbers: Mapping[SSAValue, int]) -> tuple[object, ...]:
    """Equal for operations that compute the same for an iteration: loops of one extent have one index."""
    loop = op.parent_op()
    index = str(loop.size) if isinstance(loop, LoopOp) else ""
    operands = (
        index if isinstance(v, BlockArgument) and v.owner is op.parent else numbers.get(v, v) for v in op.operands
    )
    own = (item for item in op.properties.items() if item[0] != "evict")
    return op.name, *op.result_types, *own, *operands


class ValueNumbers:
    """Numbers of what loops of a kernel compute. What is loaded of `written` buffers is like nothing else."""

    def __init__(self, written: Collection[SSAValue]):
        self._written = written
        self._expressions: dict[tuple[object, ...], int] = {}

    def of(self, loop: LoopOp) -> dict[SSAValue, int]:
        """The number of each value that the body of `loop` computes."""
        found: dict[SSAValue, int] = {}
        for op in self._computed(loop):
            expressed = expression(op, found)
            found[op.results[0]] = self._expressions.setdefault(expressed, len(self._expressions))
        return found

    def _computed(self, loop: LoopOp) -> Iterator[Operation]:
        for op in loop.body.block.ops:
            changes = isinstance(op, LoadOp) and op.buffer in self._written
            if len(op.results) == 1 and not op.regions and not changes:
                yield op
