"""What programs tell each other: word by word, and awaited a block of words at once.

    q, mark = lib.ticket(told, 8192)                          part q // 64 of row q % 64
    lib.publish(told + (1 + q % 64 * 128 + q // 64), t, mark)
    before = tl.sum(lib.awaited(told + (1 + q % 64 * 128 + lanes), lanes < q // 64, ...))

A row of more parts than a block has lanes goes in groups as large as a block. The last part of each tells what all up
to it come to, in place of its own total: the parts of the next group await that, and what their own group tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.arith import AndIOp
from xdsl.dialects.builtin import ArrayAttr, StringAttr, i1
from xdsl.ir import SSAValue

from lowering.loop_to_triton.block_builder import BlockBuilder
from lowering.loop_to_triton.reductions import only
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.reduction_kinds import combined, identity
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.loop.exclusive_prefix import ExclusivePrefixOp
from mlc_dialects.loop.inter_block import words_per_value
from mlc_dialects.triton.inter_block import SignalOp, WaitOp
from mlc_dialects.triton.memory import MaskOp
from mlc_dialects.triton.types import LANES, block_element, block_shape, block_type
from mlc_dialects.triton.values import ArangeOp, CompareOp, ReduceOp
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.powers import power_of_two


def exclusive_prefix(
    build: BlockBuilder,
    op: ExclusivePrefixOp,
    pointer: SSAValue,
    inputs: Sequence[SSAValue],
    number: SSAValue,
    epoch: SSAValue,
    warps: int,
) -> list[SSAValue]:
    """Publishes the inputs of program `number`, and gives what those of the parts before come to."""
    d0, d1, parts = variable("d0"), variable("d1"), op.iterations // op.row_count
    block = min(power_of_two(parts), LANES * warps)
    part = build.indices([number], d0 // op.row_count, number.type, "part")
    grouped = parts > block
    other, last = _places_in_group(build, part, block) if grouped else (None, None)

    def signal(values: Sequence[SSAValue], condition: SSAValue | None) -> None:
        for value, place in zip(values, _places(op, d0 // op.row_count), strict=True):
            build.put(SignalOp(pointer, [number], place, value, epoch, condition), op)

    signal(inputs, other)
    index = build.add(ArangeOp((block,), number.type), "lanes")
    if grouped:
        index = build.indices([part, index], d0 // block * block - 1 + d1, index.type, "i")
    mask = build.add(MaskOp([index], index_attribute([d0]), [part], block_type((block,), i1)), "mask")
    if grouped:
        mask = build.add(AndIOp(mask, _is_there(build, index)), "mask")
    found: list[SSAValue] = []
    for kind, value, place in zip(op.kinds, inputs, _places(op, d1), strict=True):
        flags = WaitOp(pointer, [number, index], place, mask, epoch, block_type((block,), value.type))
        counted = only(build, build.add(flags, "told", op), mask, identity(kind.data, value.type))
        found.append(build.add(ReduceOp(kind.data, [counted]), "before"))
    if grouped:
        both = zip(op.kinds, found, inputs, strict=True)
        signal([build.add(combined(k.data, a, b), "so_far") for k, a, b in both], last)
    return found


def _is_there(build: BlockBuilder, index: SSAValue) -> SSAValue:
    """True but for what would be the part before the first group."""
    zero = build.full(0, block_element(index.type))
    return build.add(CompareOp("ge", index, build.broadcast(zero, block_shape(index.type))))


def _places_in_group(build: BlockBuilder, part: SSAValue, group: int) -> tuple[SSAValue, SSAValue]:
    """True in all parts of each group but the last, and true in that."""
    place = build.indices([part], variable("d0") % group, part.type, "place")
    last = build.full(group - 1, part.type)
    return build.add(CompareOp("ne", place, last), "other"), build.add(CompareOp("eq", place, last), "last")


def _places(op: ExclusivePrefixOp, part: IndexExpr) -> Iterator[ArrayAttr[StringAttr]]:
    """The word of each value of a part, in the row of program d0: behind that of tickets, row after row."""
    parts, start = op.iterations // op.row_count, 1
    for value in op.inputs:
        words = words_per_value(value.type)
        yield index_attribute([(variable("d0") % op.row_count * parts + part) * words + start])
        start += op.iterations * words


def signal(build: BlockBuilder, op: mlc_loop.SignalOp, pointer: SSAValue, value: SSAValue, epoch: SSAValue) -> None:
    """Tells `value` to the programs that await it."""
    operands, place = build.place(op)
    build.put(SignalOp(pointer, operands, place, value, epoch), op)


def wait(build: BlockBuilder, op: mlc_loop.WaitOp, pointer: SSAValue, epoch: SSAValue) -> SSAValue:
    """A block of what other programs publish."""
    operands, place = build.place(op)
    mask = build.lanes_inside(operands)
    type_ = block_type(block_shape(mask.type), op.result.type)
    return build.add(WaitOp(pointer, operands, place, mask, epoch, type_), op.result.name_hint, op)
