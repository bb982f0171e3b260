"""Scans on blocks: along the lanes of one block, and from block to block of a loop.

scanned[l] = combine(x[0], .., x[l])          the lanes of one block
result[l]  = combine(carry, scanned[l])       after all lanes of earlier blocks
carry'     = result[last lane]
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from lowering.loop_to_triton.block_builder import BlockBuilder
from lowering.loop_to_triton.reductions import Lanes, only
from mlc_dialects.common.reduction_kinds import identity
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.triton.scan import CombineOp, ScanOp
from mlc_dialects.triton.types import block_element, block_shape, block_type
from mlc_dialects.triton.values import ArangeOp, CompareOp, FullOp, ReduceOp, WhereOp


def scans_in(loop: mlc_loop.LoopOp) -> list[mlc_loop.ScanOp]:
    """The scans over the iterations of `loop`, in program order."""
    return [op for op in loop.body.block.ops if isinstance(op, mlc_loop.ScanOp)]


def empty_carry(build: BlockBuilder, scan: mlc_loop.ScanOp, shape: tuple[int, ...]) -> list[SSAValue]:
    """The carry before the first block: the identity, of `shape`, and for argmax and argmin any index."""
    kind, element = scan.kind.data, scan.input.type
    carry = [build.add(FullOp(identity(kind, element), block_type(shape, element)), "carry")]
    if kind.startswith("arg"):
        carry.append(build.full(0, block_type(shape, i64), "carry_index"))
    return carry


def scan_block(
    build: BlockBuilder, origin: mlc_loop.ScanOp, lanes: Lanes, carry: Sequence[SSAValue] | None
) -> tuple[list[SSAValue], list[SSAValue]]:
    """The scan of `lanes` after `carry`, and the carry after it: a value, or a value and its index."""
    kind, name, shape = origin.kind.data, origin.result.name_hint, block_shape(lanes.value.type)
    inputs = [only(build, lanes.value, lanes.mask, identity(kind, block_element(lanes.value.type)))]
    if kind.startswith("arg"):
        index = build.converted(lanes.column, i64)
        inputs.append(build.broadcast(index, shape))
    scanned = _added(build, ScanOp(kind, inputs), origin, name)
    if carry is None:
        return scanned, []
    before = [build.broadcast(v, shape) for v in carry]
    result = _added(build, CombineOp(kind, before, scanned), origin, name)
    return result, [_last_lane(build, v) for v in result]


def _added(build: BlockBuilder, op: Operation, origin: Operation, name: str | None) -> list[SSAValue]:
    build.add(op, name, origin)
    for result in op.results:
        result.name_hint = name
    return list(op.results)


def _last_lane(build: BlockBuilder, value: SSAValue) -> SSAValue:
    """The value of the last lane of each row: its sum with zeros, which is exact."""
    shape = block_shape(value.type)
    lane = build.broadcast(build.add(ArangeOp((*(1 for _ in shape[:-1]), shape[-1]), i32), "lane"), shape)
    last = build.broadcast(build.full(shape[-1] - 1, i32), shape)
    zero = build.full(0, value.type)
    picked = build.add(WhereOp(build.add(CompareOp("eq", lane, last)), value, zero))
    return build.add(ReduceOp("add", picked), "carry")
