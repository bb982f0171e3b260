"""split-edges: the edges of a picture apart, so that inside loads need no condition.

    for (i, j) < (64, 32): y[i, j] = max(x[i, j], x[i, j - 1] if j >= 1)
 -> for i < 64:
        for j < 1:  y[i, j] = max(x[i, j], x[i, j - 1] if j >= 1)
        for j < 31: y[i, j + 1] = max(x[i, j + 1], x[i, j])

LLVM makes no vectors of loads that may not happen. Split is the last axis of a kernel without loops inside; where that
is short, as of the two pixels that an upsampled one becomes, the axis before it. Conditions on other axes stay: they
are the same for a whole row. Compilers call this index-set splitting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.loop.dialect import IndexOp, KernelOp, LoadOp, ParallelOp
from mlc_support.index_expr import integer, variable

SHORT, LONGEST = 8, 1 << 16
"""Points of axes that count as short together; the longest axis that is looked at, point by point."""
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater,
    "sge": np.greater_equal,
}  # fmt: skip

Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class SplitEdgesPass(ModulePass):
    """Splits an axis where the conditions of loads begin and end to hold."""

    name = "split-edges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp)]:
            split = Split.of(kernel)
            if split is not None:
                split.carry_out()


@dataclass(frozen=True)
class Split:
    """The axis of a kernel's rows that is split, and the points [begin, end) of it at which every `known` one holds."""

    rows: ParallelOp
    axis: int
    begin: int
    end: int
    known: frozenset[Operation]
    """Comparisons that depend on this axis and those behind it alone."""

    @staticmethod
    def of(kernel: KernelOp) -> Split | None:
        """How a kernel is split; None where nothing is gained."""
        rows = kernel.rows
        axis = _axis_of(rows) if not rows.loops else None
        if axis is None or not rows.properties.keys().isdisjoint(("lanes", "tile", "backwards")):
            return None
        truths = _truths(rows, axis)
        size = rows.sizes[axis].constant or 0
        begin, end = _longest_run(np.logical_and.reduce([np.ones(size, np.bool_), *truths.values()]))
        gains = 2 * (end - begin) >= size and end - begin < size
        return Split(rows, axis, begin, end, frozenset(truths)) if gains else None

    def carry_out(self) -> None:
        """Rewrites the kernel."""
        size = self.rows.sizes[self.axis].constant or 0
        old = self.rows.body.block
        new = ParallelOp([*self.rows.sizes[: self.axis]])
        for begin, end in ((0, self.begin), (self.begin, self.end), (self.end, size)):
            if begin < end:
                new.body.block.add_op(self._part(new, old, begin, end))
        for index, argument in zip(old.args, new.body.block.args, strict=False):
            argument.name_hint = index.name_hint
        new.location = self.rows.location
        Rewriter.replace_op(self.rows, new, [])

    def _part(self, outer: ParallelOp, old: Block, begin: int, end: int) -> ParallelOp:
        """The points [begin, end) of the axis."""
        part = ParallelOp([integer(end - begin), *self.rows.sizes[self.axis + 1 :]])
        indices = [*outer.indices[: self.axis], *part.indices]
        values: dict[SSAValue, SSAValue] = dict(zip(old.args, indices, strict=True))
        inner, inside = part.body.block, (begin, end) == (self.begin, self.end)
        for index, argument in zip(old.args[self.axis :], part.indices, strict=True):
            argument.name_hint = index.name_hint
        for op in old.ops:
            holds = inside and op in self.known
            new = arith.ConstantOp(IntegerAttr(1, i1)) if holds else op.clone(values)
            new.location = op.location
            values |= dict(zip(op.results, new.results, strict=True))
            inner.add_op(new)
            _shift(new, part.indices[0], begin)
        if inside:
            _simplify(inner)
        part.location = self.rows.location
        return part


def _axis_of(rows: ParallelOp) -> int | None:
    """The last axis, or the one before those that are short.

    None where a size is not known or too long to look at, and for the first axis, which threads share.
    """
    axis, short = len(rows.sizes) - 1, 1
    while axis > 0 and short * (rows.sizes[axis].constant or LONGEST) <= SHORT:
        short *= rows.sizes[axis].constant or 1
        axis -= 1
    sizes = [size.constant for size in rows.sizes[axis:]]
    return None if axis == 0 or None in sizes or (sizes[0] or 0) > LONGEST else axis


def _truths(rows: ParallelOp, axis: int) -> dict[Operation, Truth]:
    """Where the comparisons hold that loads need, those that depend on no other axes."""
    conditions = [op.condition for op in rows.body.block.ops if isinstance(op, LoadOp)]
    compared = [op for condition in conditions for op in _compared(condition)]
    return {op: truth for op in compared if (truth := _truth(op, rows, axis)) is not None}


def _compared(condition: SSAValue | None) -> Iterator[arith.CmpiOp]:
    """The comparisons that have to hold for a condition to hold."""
    op = None if condition is None else condition.owner
    if isinstance(op, arith.AndIOp):
        yield from _compared(op.lhs)
        yield from _compared(op.rhs)
    elif isinstance(op, arith.CmpiOp):
        yield op


def _truth(op: arith.CmpiOp, rows: ParallelOp, axis: int) -> Truth | None:
    """At which points of the axis a comparison holds for all points of the axes behind it; None where others count."""
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    sizes = [size.constant or 0 for size in rows.sizes[axis:]]
    grid: Any = np.indices(sizes, np.int64)
    known: dict[SSAValue, Any] = dict(zip(rows.indices[axis:], grid, strict=True))
    sides = [_number(value, known) for value in op.operands]
    if predicate not in _COMPARED or any(side is None for side in sides):
        return None
    holds: Any = np.broadcast_to(_COMPARED[predicate](*sides), grid.shape[1:])
    return holds.reshape(sizes[0], -1).all(1)


def _number(value: SSAValue, known: dict[SSAValue, Any]) -> Any:
    """An integer at the points of the `known` indices, or an array of them; None where it depends on others."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case IndexOp() as op if all(index in known for index in op.indices):
            (expr,) = index_exprs(op.index)
            names = {operand_name(k): known[index] for k, index in enumerate(op.indices)}
            return None if any(v.name not in names for v in expr.variables()) else expr.evaluate(names)
        case _:
            return None


def _longest_run(truth: Truth) -> tuple[int, int]:
    """The longest [begin, end) that is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], truth, [False]])))
    runs = [(int(b), int(e)) for b, e in zip(edges[::2], edges[1::2], strict=True)]
    return max(runs, key=lambda run: run[1] - run[0], default=(0, 0))


def _shift(op: Operation, index: SSAValue, start: int) -> None:
    """Lets an access or an index begin at `start`."""
    attribute, operands = op.properties.get("index"), getattr(op, "indices", ())
    if start and attribute is not None and index in operands:
        moved = {operand_name(k): variable(operand_name(k)) + start for k, v in enumerate(operands) if v is index}
        op.properties["index"] = index_attribute([e.substitute(moved) for e in index_exprs(attribute)])  # pyright: ignore[reportArgumentType]


def _simplify(block: Block) -> None:
    """Takes conditions away that always hold, and what nobody uses then."""
    for op in list(block.ops):
        if (value := _simpler(op)) is not None:
            op.results[0].replace_all_uses_with(value)
            Rewriter.erase_op(op)
    for op in reversed(list(block.ops)):
        if op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


def _simpler(op: Operation) -> SSAValue | None:
    """What `op` gives where its condition always holds; None where nothing is known of that."""
    match op:
        case arith.AndIOp() if _is_true(op.lhs):
            return op.rhs
        case arith.AndIOp() if _is_true(op.rhs):
            return op.lhs
        case arith.SelectOp() if _is_true(op.cond):
            return op.lhs
        case LoadOp(condition=SSAValue() as condition) if _is_true(condition):
            new = LoadOp(op.buffer, op.indices, op.index)
            new.location, new.result.name_hint = op.location, op.result.name_hint
            Rewriter.insert_op(new, InsertPoint.before(op))
            return new.result
        case _:
            return None


def _is_true(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, arith.ConstantOp) and op.value == IntegerAttr(1, i1)
