"""Parts of rows of which the last is shorter: the programs of the others need no conditions.

    parallel %q { ... parallel %k = 0 to 4096 { load %x[%q * 4096 + %k] if %q * 4096 + %k - 10001 < 0 ... } }

All iterations of a part lie inside if its last one does: here where %q * 4096 + 4095 - 10001 < 0.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.last_block import LastBlockOp
from mlc_dialects.loop.loops import LoopOp, ParallelOp
from mlc_dialects.loop.memory import IndexOp
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.walks import walk

LESS = 2
"""The predicate of `arith.cmpi slt`."""
ROW = "d0"
"""What the result of `part_end` calls the index of the rows."""


def part_end(rows: ParallelOp) -> IndexExpr | None:
    """What is negative for the parts that are whole, as an expression of the index `d0` of `rows`.

    None where no loop has such a condition, or different ones, or where the last-arriving block needs what a row has.
    """
    last = [op for op in rows.body.block.ops if isinstance(op, LastBlockOp)]
    used = {v.owner for block in last for op in block.body.walk() for v in op.operands}
    found = {*_ends(rows).values()}
    return found.pop() if len(found) == 1 and used.isdisjoint(rows.body.block.ops) else None


def of_whole_parts(rows: ParallelOp) -> ParallelOp:
    """A copy of `rows`, for the parts that are whole: what their end is a condition of happens in any case."""
    copy = rows.clone()
    ends = _ends(copy)
    for op in list(walk(copy)):
        if getattr(op, "condition", None) in ends:
            Rewriter.replace_op(op, _unconditional(op))
    for condition in ends:
        compare = condition.owner
        assert isinstance(compare, arith.CmpiOp)
        for unused in (compare, compare.lhs.owner, compare.rhs.owner):
            if isinstance(unused, Operation) and not any(r.uses for r in unused.results):
                Rewriter.erase_op(unused)
    return copy


def _ends(rows: ParallelOp) -> dict[SSAValue, IndexExpr]:
    """The conditions that only the end of the last part fails, and what is negative where no iteration fails them."""
    ends: dict[SSAValue, IndexExpr] = {}
    for loop in rows.loops:
        for op in loop.body.block.ops:
            condition = getattr(op, "condition", None)
            if condition is not None and (end := end_of(rows, loop, condition)) is not None:
                ends[condition] = end
    return ends


def end_of(rows: LoopOp, loop: LoopOp, condition: SSAValue) -> IndexExpr | None:
    """What is negative where no iteration of `loop` fails `condition`; None if that is no end of the last part."""
    compare, last = condition.owner, loop.size - 1
    if not isinstance(compare, arith.CmpiOp) or compare.predicate.value.data != LESS or last.constant is None:
        return None
    index, bound = compare.lhs.owner, compare.rhs.owner
    if not isinstance(index, IndexOp) or not isinstance(bound, arith.ConstantOp):
        return None
    if {*index.indices} != {rows.index, loop.index} or not isinstance(bound.value, IntegerAttr):
        return None
    (place,) = index_exprs(index.index)
    names = {v: operand_name(k) for k, v in enumerate(index.indices)}
    column = variable(names[loop.index])
    if place.substitute({names[loop.index]: column + 1}) - place != integer(1):
        return None
    on = {names[loop.index]: last, names[rows.index]: variable(ROW)}
    return place.substitute(on) - bound.value.value.data


def _unconditional(op: Operation) -> Operation:
    """`op` without its condition."""
    condition = getattr(op, "condition", None)
    assert isinstance(op, IRDLOperation)
    properties = dict(op.properties)
    if isinstance(sizes := properties.get("operandSegmentSizes"), DenseArrayBase):
        place = [name for name, _ in op.get_irdl_definition().operands].index("condition")
        counts = [0 if k == place else n for k, n in enumerate(sizes.get_values())]
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, counts)
    given = [v for v in op.operands if v is not condition]
    new = type(op).create(operands=given, result_types=op.result_types, properties=properties)
    new.location = op.location
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
    return new
