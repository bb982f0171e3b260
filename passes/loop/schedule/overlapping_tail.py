"""Blocks of rows that lie within the rows: the last begins early, where it ends with them, and no lane is beyond.

    rows 0 to 10007 in blocks of 64      blocks at 0, 64, ..., 9920, 9943: rows 9943 to 9983 are done twice

Masks go, and what is loaded begins at a number plus a lane also in parts of columns, which have rows of their own. Only
what a row changes in place is masked: its first block stores it (`lowering/loop_to_triton`).
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64

from mlc_dialects.common.buffers import buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import KernelOp, LoadOp, ParallelOp, ReduceOp, StoreOp
from mlc_dialects.loop.exclusive_prefix import flags_of
from mlc_dialects.loop.memory import divisors
from mlc_support.index_expr import variable
from mlc_support.index_maps import divided_names
from mlc_support.powers import holds_little_more
from mlc_support.walks import walk
from passes.loop.analysis.legality import last_blocks_of, repeat_refusal

LITTLE = 8
"""One part in so many of the rows may be done twice for blocks to lie within lines."""


def allow_overlapping_tail(kernel: KernelOp) -> None:
    """Lets blocks of rows that are reduced lie within the rows, or those of a part, if some of these may be done twice.

    Then no lane is beyond them, and no load in a loop needs a mask: of loads with one mask, ptxas lets few be on their
    way at once. Where the kernel's schedule asks for another `tail`, nothing changes.
    """
    outer = kernel.rows
    if kernel.decided("tail") not in (None, "overlap") and flags_of(outer) is None:
        return
    whole = None if last_blocks_of(outer) else outer.size.constant
    each = whole if outer.overlap is None else outer.overlap.value.data
    reduces = any(isinstance(loop, ReduceOp) for loop in outer.loops)
    outer.overlap = IntegerAttr(each, i64) if each and reduces and repeat_refusal(outer) is None else None


def settle_overlapping_tail(outer: ParallelOp) -> None:
    """Says what blocks lie within, when their size is known.

    Blocks that make up the rows lie within them anyway; larger ones run over the rows of several parts. Where rows run
    over lines of memory blocks lie within these: then neighbours are neighbours in memory, as Triton can tell.
    """
    if outer.overlap is None:
        return
    each, line = outer.overlap.value.data, _line(outer)
    if line is not None:
        outer.overlap = IntegerAttr(line, i64)
    elif each % outer.block_size == 0 or each < outer.block_size:
        outer.overlap = None


def _line(outer: ParallelOp) -> int | None:
    """The shortest line of memory that rows run over, if blocks that lie within lines do little twice; else None."""
    block = outer.block_size
    for line in sorted(divisors(outer)) if not last_blocks_of(outer) and flags_of(outer) is None else ():
        little = line >= block and line % block and holds_little_more(line, block, LITTLE)
        if little and (outer.size % line).constant == 0 and _is_line(outer, line):
            return line
    return None


def _is_line(outer: ParallelOp, line: int) -> bool:
    """True if no address divides the place of a row in its line."""
    place = variable("line") * line + variable("place", line)
    for op in walk(outer):
        if isinstance(op, LoadOp | StoreOp):
            rows = {operand_name(k): place for k, index in enumerate(op.indices) if index is outer.index}
            offset = buffer_offset(op.buffer.type, index_exprs(op.index))
            if "place" in divided_names(offset.substitute(rows)):
                return False
    return True


def most_arriving_rows(outer: ParallelOp, most: int) -> int:
    """How many rows, up to `most`, a program may take so that all of them arrive at the last block as one."""
    return min((op.coalesced_rows(most) for op in last_blocks_of(outer) if op.group.constant is None), default=most)
