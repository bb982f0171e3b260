"""Software pipelining in registers: a loop asks for the blocks of its next iteration before it works on this one's.

    for %p = %i to 4096 step 528 {            %a0 = load %x[%i]
      %a = load %x[%p]                        for %p = %i to 4096 step 528, %a = %a0 {
      %s = sum %a                        ->     %more = mask %p + 528 < 4096
      store %y[%p] = %a / %s                    %next = load %x[%p + 528] mask %more
    }                                           %s = sum %a
                                                store %y[%p] = %a / %s
                                                yield %next
                                              }

Triton and ptxas leave loads behind the stores and barriers before them: without it each round of a persistent loop
begins with a wait for memory. Triton's own pipelining goes through shared memory, and leaves loads of fewer than four
bytes a lane as they are.

Loads whose addresses are themselves loaded stay in their iteration.

Source: Lam, "Software Pipelining: An Effective Scheduling Technique for VLIW Machines" (PLDI 1988).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, i1, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free, is_speculatable

from mlc_dialects.common.index_syntax import index_attribute, operand_name
from mlc_dialects.triton.dialect import BroadcastOp, ForOp, FullOp, IndexOp, LoadOp, MaskOp, YieldOp
from mlc_dialects.triton.types import block_shape
from mlc_dialects.triton.values import constant_of
from mlc_support.index_expr import integer, variable
from mlc_support.index_parse import parse


def prefetch_loads(loop: ForOp) -> None:
    """Loads for the next iteration of a loop that is marked `prefetched`; the mark goes."""
    loop.prefetched = None
    if loads := _loads_of_index_alone(loop.body.block):
        _pipeline(loop, loads)


def _loads_of_index_alone(block: Block) -> list[LoadOp]:
    """The loads of a loop whose addresses and masks are computed from its index and from what is before it."""
    loads, unknown = list[LoadOp](), set[SSAValue](block.args[1:])
    for op in block.ops:
        is_pure = is_side_effect_free(op) and is_speculatable(op) and not op.regions
        is_known = is_pure and unknown.isdisjoint(op.operands)
        if is_known and isinstance(op, LoadOp):
            loads.append(op)
        if not is_known or isinstance(op, LoadOp):
            unknown.update(op.results)
    return loads


def _pipeline(loop: ForOp, loads: Sequence[LoadOp]) -> None:
    """Carries what `loads` give into the next iteration, from loads of their own before the loop and in it."""
    ahead = InsertPoint.before(loop)
    index = loop.body.block.args[0]
    start = loop.start or _inserted(FullOp(IntegerAttr(0, index.type), index.type), ahead)  # pyright: ignore
    first = _loaded_at(start, loop, loads, ahead, within=None if _is_run(loop) else start)
    pipelined = ForOp(
        [*loop.initial, *first],
        loop.extent.data,
        loop.bounds,
        loop.step.value.data,
        index.type,
        loop.start,
        loop.stages,
    )
    pipelined.location = loop.location
    pipelined.body.detach_block(pipelined.body.block)
    loop.body.move_blocks(pipelined.body)
    block = pipelined.body.block
    work = InsertPoint.at_start(block)
    step = index_attribute([variable("d0") + loop.step.value.data])
    after = _inserted(IndexOp([index], step, index.type), work, "next")
    following = _loaded_at(after, loop, loads, work, within=after)
    end = block.last_op
    assert isinstance(end, YieldOp)
    Rewriter.replace_op(end, YieldOp([*end.values, *following]))
    for load in loads:
        carried = block.insert_arg(load.result.type, len(block.args))
        carried.name_hint = "ahead"
        Rewriter.replace_op(load, [], [carried])
    Rewriter.insert_op(pipelined, ahead)
    for old, new in zip(loop.outputs, pipelined.outputs, strict=False):
        new.name_hint = old.name_hint
    Rewriter.replace_op(loop, [], pipelined.outputs[: len(loop.outputs)])


def _is_run(loop: ForOp) -> bool:
    """True if a loop is known to have an iteration."""
    numbers = {operand_name(k): _number(bound) for k, bound in enumerate(loop.bounds)}
    known = {name: integer(number) for name, number in numbers.items() if number is not None}
    start, extent = _number(loop.start), parse(loop.extent.data).substitute(known).constant
    return start is not None and extent is not None and start < extent


def _number(value: SSAValue | None) -> int | None:
    """A constant integer; 0 where a loop has no start."""
    constant = IntegerAttr(0, i64) if value is None else constant_of(value)
    return constant.value.data if isinstance(constant, IntegerAttr) else None


def _loaded_at(
    place: SSAValue, loop: ForOp, loads: Sequence[LoadOp], point: InsertPoint, within: SSAValue | None
) -> list[SSAValue]:
    """What `loads` give in the iteration at `place`: nothing is read where `within` is behind the loop's end."""
    block = loads[0].parent
    assert block is not None
    copies: dict[SSAValue, SSAValue] = {block.args[0]: place}
    limits = ArrayAttr([loop.extent])
    more = None if within is None else _inserted(MaskOp([within], limits, loop.bounds, i1), point, "more")
    found: list[SSAValue] = []
    for op in _needed(block, loads):
        if not isinstance(op, LoadOp):
            new = op.clone(copies)
        else:
            mask = more if op.mask is None else _both(more, copies.get(op.mask, op.mask), point)
            new = op.with_mask(mask, [copies.get(v, v) for v in op.indices])
            found.append(new.result)
        Rewriter.insert_op(new, point)
        for old, result in zip(op.results, new.results, strict=True):
            copies[old], result.name_hint = result, old.name_hint
    return found


def _needed(block: Block, loads: Sequence[LoadOp]) -> list[Operation]:
    """`loads`, and what of the loop their addresses and masks are made of, in order."""
    needed: set[object] = set(loads)
    for op in reversed(block.ops):
        needed |= {v.owner for v in op.operands} if op in needed else set()
    return [op for op in block.ops if op in needed]


def _both(more: SSAValue | None, mask: SSAValue, point: InsertPoint) -> SSAValue:
    """True where `mask` is, of all lanes alike if there are `more` iterations."""
    if more is None:
        return mask
    if block_shape(mask.type):
        more = _inserted(BroadcastOp(more, mask.type), point)
    return _inserted(arith.AndIOp(more, mask), point)


def _inserted(op: Operation, point: InsertPoint, name: str | None = None) -> SSAValue:
    Rewriter.insert_op(op, point)
    (result,) = op.results
    result.name_hint = name
    return result
