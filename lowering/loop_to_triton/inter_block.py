"""Lowers inter-block flags: a program signals its values, and waits for a whole block of flags at once.

    epoch = lib.epoch(flags, 8192)
    q = tl.program_id(0)                                        part q // 64 of row q % 64
    lib.publish(flags + (1 + q % 64 * 128 + q // 64), t, epoch)
    before = tl.sum(lib.awaited(flags + (1 + q % 64 * 128 + lanes), lanes < q // 64, ...))

If a row has more parts than a block has lanes, its parts form groups as large as a block. The last part of each group
signals the prefix up to it instead of its own total. A part waits for the prefix of the group before its own, and for
the totals of its own group.
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
    """Signals the inputs of program `number`, and returns their combination over the earlier parts of its row."""
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
        found.append(build.add(ReduceOp(kind.data, counted), "before"))
    if grouped:
        both = zip(op.kinds, found, inputs, strict=True)
        signal([build.add(combined(k.data, a, b), "so_far") for k, a, b in both], last)
    return found


def _is_there(build: BlockBuilder, index: SSAValue) -> SSAValue:
    """True except for the part before the first group."""
    zero = build.full(0, block_element(index.type))
    return build.add(CompareOp("ge", index, build.broadcast(zero, block_shape(index.type))))


def _places_in_group(build: BlockBuilder, part: SSAValue, group: int) -> tuple[SSAValue, SSAValue]:
    """Two scalars: true in all parts of a group except the last, and true in the last."""
    place = build.indices([part], variable("d0") % group, part.type, "place")
    last = build.full(group - 1, part.type)
    return build.add(CompareOp("ne", place, last), "other"), build.add(CompareOp("eq", place, last), "last")


def _places(op: ExclusivePrefixOp, part: IndexExpr) -> Iterator[ArrayAttr[StringAttr]]:
    """The index of each value's flag for a part, in the row of program d0: after the counter of programs, by rows."""
    parts, start = op.iterations // op.row_count, 1
    for value in op.inputs:
        words = words_per_value(value.type)
        yield index_attribute([(variable("d0") % op.row_count * parts + part) * words + start])
        start += op.iterations * words


def signal(build: BlockBuilder, op: mlc_loop.SignalOp, pointer: SSAValue, value: SSAValue, epoch: SSAValue) -> None:
    """Signals `value`, or that of each row of a block, to the programs that wait for it."""
    operands, place = build.place(op)
    build.put(SignalOp(pointer, operands, place, value, epoch, build.first_of_overlapping()), op)


def wait(build: BlockBuilder, op: mlc_loop.WaitOp, pointer: SSAValue, epoch: SSAValue) -> SSAValue:
    """A block of values that other programs signal."""
    operands, place = build.place(op)
    mask = build.lanes_inside(operands)
    type_ = block_type(block_shape(mask.type), op.result.type)
    return build.add(WaitOp(pointer, operands, place, mask, epoch, type_), op.result.name_hint, op)
