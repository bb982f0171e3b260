"""Straight code without what it computes twice: equal loads are one, and so is all that is made of them.

    %c = cmpi sge, index [%k * 4 + 2], 0        true for every %k: what it guards is unconditional
    %a = load %x[%k * 4 + 2] if %c         ->   %a = load %x[%k * 4 + 2]
    %b = load %x[%k * 4 + 2]                    one with %a

Loads of a buffer that the code stores to stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from mlc_dialects.loop.dialect import AtomicOp, KernelOp, LoadOp, StoreOp
from mlc_support.locations import merged
from passes.common.cse import op_key
from passes.loop.analysis.value_ranges import Range, value_ranges

_ALWAYS: Mapping[int, Callable[[Range, Range], bool]] = {
    2: lambda a, b: a.high < b.low,
    3: lambda a, b: a.high <= b.low,
    4: lambda a, b: a.low > b.high,
    5: lambda a, b: a.low >= b.high,
}
"""Signed comparisons, by the number of the predicate, and when they surely hold."""
_OPPOSITE = {2: 5, 3: 4, 4: 3, 5: 2}


def merge_common(kernel: KernelOp) -> None:
    """Merges what the rows of a kernel without loops compute twice, in place, and drops what is dead."""
    block = kernel.rows.body.block
    written = {op.buffer for op in block.ops if isinstance(op, StoreOp | AtomicOp)}
    merge = _Merge(value_ranges(kernel), written)
    for op in list(block.ops):
        merge.meet(op)
    for op in reversed(list(block.ops)):
        if op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


@dataclass
class _Merge:
    """What is known of the ops so far."""

    ranges: Mapping[SSAValue, Range]
    written: set[SSAValue]
    truth: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])
    """Conditions that are always true, or never."""
    known: dict[Hashable, Operation] = field(default_factory=dict[Hashable, Operation])

    def meet(self, op: Operation) -> None:
        """Decides, drops or merges the next op."""
        same = self._simpler(op)
        if same is not None:
            op.results[0].replace_all_uses_with(same)
            Rewriter.erase_op(op)
            return
        op = self._unconditional(op)
        if not self._may_merge(op):
            return
        earlier = self.known.setdefault(op_key(op, {}), op)
        if earlier is not op:
            earlier.location = merged((earlier.location, op.location))
            for old, new in zip(op.results, earlier.results, strict=True):
                old.replace_all_uses_with(new)
            Rewriter.erase_op(op)

    def _may_merge(self, op: Operation) -> bool:
        if isinstance(op, LoadOp):
            return op.buffer not in self.written
        return bool(op.results) and not op.regions and is_side_effect_free(op)

    def _simpler(self, op: Operation) -> SSAValue | None:
        """The value that `op` gives in any case. What always holds, or never, is noted."""
        match op:
            case arith.CmpiOp():
                self._note(op.result, self._compared(op))
            case arith.AndIOp() | arith.OrIOp():
                return self._joined(op, isinstance(op, arith.OrIOp))
            case arith.SelectOp() if op.cond in self.truth:
                return op.lhs if self.truth[op.cond] else op.rhs
            case _:
                pass
        return None

    def _joined(self, op: arith.AndIOp | arith.OrIOp, deciding: bool) -> SSAValue | None:
        """Of two conditions, of which one that is `deciding` decides alone, the one that counts."""
        for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if one in self.truth:
                return one if self.truth[one] is deciding else other
        return op.lhs if op.lhs is op.rhs else None

    def _compared(self, op: arith.CmpiOp) -> bool | None:
        """What a comparison gives in any case; None if that depends."""
        predicate, lhs, rhs = op.predicate.value.data, self.ranges.get(op.lhs), self.ranges.get(op.rhs)
        if lhs is None or rhs is None or predicate not in _ALWAYS:
            return None
        if _ALWAYS[predicate](lhs, rhs):
            return True
        return False if _ALWAYS[_OPPOSITE[predicate]](lhs, rhs) else None

    def _note(self, condition: SSAValue, truth: bool | None) -> None:
        if truth is not None:
            self.truth[condition] = truth

    def _unconditional(self, op: Operation) -> Operation:
        """The op without a condition that always holds, in its place."""
        if not isinstance(op, LoadOp | StoreOp) or op.condition is None or not self.truth.get(op.condition):
            return op
        plain = (
            LoadOp(op.buffer, op.indices, op.index)
            if isinstance(op, LoadOp)
            else StoreOp(op.value, op.buffer, op.indices, op.index)
        )
        plain.evict, plain.location = op.evict, op.location
        names = [result.name_hint for result in op.results]
        Rewriter.replace_op(op, plain)
        for result, name in zip(plain.results, names, strict=True):
            result.name_hint = name
        return plain
