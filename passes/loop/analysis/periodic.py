"""What is the same for a row and for the row so many behind it: a persistent loop loads and computes it once.

    for p in 0 .. 64 * 49: { x[p, r] + bias[p mod 49, r] }

Here the bias of row p is that of row p + 49.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from operator import mul

from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from mlc_dialects.common.buffers import buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import IndexOp, KernelOp, LoadOp, LocalOp, LoopOp
from mlc_support.index_expr import integer, variable
from mlc_support.index_maps import constants
from mlc_support.walks import walk
from passes.loop.analysis.axes import axes_of


def periods(kernel: KernelOp) -> Iterator[int]:
    """The numbers of rows after which an axis of the rows begins anew, the smallest first."""
    axes = axes_of(kernel, (kernel.rows,))
    sizes = None if axes is None else constants(axes.sizes)
    if sizes:
        yield from (n for n in accumulate(reversed(sizes[1:]), mul) if n > 1)


def unchanged(rows: LoopOp, period: int) -> set[Operation]:
    """The ops in `rows`, however deep, that give the same for a row and for the row `period` behind it."""
    moved: set[SSAValue] = {rows.index}
    found: set[Operation] = set()
    for op in [op for op in walk(rows) if op is not rows]:
        if _is_pure(op) and not any(v in moved for v in _values(op, rows.index)) and not _moves(op, rows.index, period):
            found.add(op)
        else:
            moved.update(op.results)
    return found


def _is_pure(op: Operation) -> bool:
    """True for what gives a value and does nothing else; a load of what a persistent loop adds up changes."""
    if isinstance(op, LoadOp):
        return not isinstance(op.buffer.owner, LocalOp)
    return bool(op.results) and not op.regions and is_side_effect_free(op)


def _values(op: Operation, row: SSAValue) -> list[SSAValue]:
    """The operands of `op`, but for the row of an address or index: `_moves` says what that does."""
    return [v for v in op.operands if v is not row or not isinstance(op, LoadOp | IndexOp)]


def _moves(op: Operation, row: SSAValue, period: int) -> bool:
    """True if the index that `op` computes of `row` may be another one `period` rows later."""
    if not isinstance(op, LoadOp | IndexOp) or row not in op.operands:
        return False
    exprs = index_exprs(op.index)
    exprs = [buffer_offset(op.buffer.type, exprs)] if isinstance(op, LoadOp) else exprs
    names = [operand_name(k) for k, value in enumerate(op.indices) if value is row]
    later = variable("turn") * period + variable("place", integer(period))
    return any("turn" in {v.name for v in e.substitute(dict.fromkeys(names, later)).variables()} for e in exprs)
