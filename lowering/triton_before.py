"""What earlier programs have come to: told word by word, and combined block by block.

q, mark = lib.ticket(told, 8192)                          part q // 64 of row q % 64
lib.publish(told + (1 + q % 64 * 128 + q // 64), t, mark)
for i in range(0, q // 64, 128):                          the parts before this one
    before = before + tl.sum(lib.awaited(told + (1 + q % 64 * 128 + i + lanes), ...))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, i1
from xdsl.ir import SSAValue

from lowering.block_builder import BlockBuilder
from lowering.triton_reduce import combined, only
from mlc_dialects.index_syntax import index_attribute
from mlc_dialects.loop_before import BeforeOp, words_of
from mlc_dialects.mlc_triton import ForOp, YieldOp
from mlc_dialects.reductions import identity
from mlc_dialects.triton_before import AwaitOp, PublishOp
from mlc_dialects.triton_memory import MaskOp
from mlc_dialects.triton_types import block_type
from mlc_dialects.triton_values import ArangeOp, FullOp, ReduceOp
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.powers import power_of_two

LANES = 32
WORDS = 4
"""How many words a lane reads at once: registers hold the scanned row as well."""


def tell_before(
    build: BlockBuilder,
    op: BeforeOp,
    pointer: SSAValue,
    inputs: Sequence[SSAValue],
    number: SSAValue,
    mark: SSAValue,
    warps: int,
) -> list[SSAValue]:
    """Publishes the inputs of program `number`, and gives what those of the parts before come to."""
    d0, d1, rows = variable("d0"), variable("d1"), op.row_count
    part = build.indices([number], d0 // rows, number.type, "part")
    for value, place in zip(inputs, _places(op, d0 // rows), strict=True):
        build.put(PublishOp(pointer, [number], place, value, mark), op)
    kinds = [kind.data for kind in op.kinds]
    starts = [FullOp(identity(kind, v.type), v.type) for kind, v in zip(kinds, inputs, strict=True)]
    block = min(power_of_two(op.iterations // rows), WORDS * LANES * warps)
    over = ForOp([build.add(start, "before") for start in starts], "d0", [part], block, number.type)
    build.put(over, op)
    with build.inside(over.body.block):
        first, *held = over.body.block.args
        first.name_hint = "first"
        for value in held:
            value.name_hint = "before"
        lanes = build.add(ArangeOp((block,), number.type), "lanes")
        index = build.indices([first, lanes], d0 + d1, lanes.type, "i")
        mask = build.add(MaskOp([index], index_attribute([d0]), [part], block_type((block,), i1)), "mask")
        found: list[SSAValue] = []
        for kind, own, place in zip(kinds, held, _places(op, d1), strict=True):
            told = AwaitOp(pointer, [number, index], place, mask, mark, block_type((block,), own.type))
            counted = only(build, build.add(told, "told", op), mask, identity(kind, own.type))
            total = build.add(ReduceOp(kind, [counted]), "total")
            found.append(build.add(combined(kind, own, total), "before"))
        build.put(YieldOp(found))
    return list(over.outputs)


def _places(op: BeforeOp, part: IndexExpr) -> Iterator[ArrayAttr[StringAttr]]:
    """The word of each value of a part, in the row of program d0: behind that of tickets, row after row."""
    parts, start = op.iterations // op.row_count, 1
    for value in op.inputs:
        words = words_of(value.type)
        yield index_attribute([(variable("d0") % op.row_count * parts + part) * words + start])
        start += op.iterations * words
