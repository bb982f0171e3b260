"""The time that XLA's GPU performance model gives an instruction, and what a fusion saves.

Every element that is computed or read repeatedly counts as often. Follows gpu_performance_model.cc and
gpu_hlo_cost_analysis.cc; how many blocks a kernel has, the emitters in xla/backends/gpu/codegen/emitters.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from mlc_dialects.common.types import byte_size, element_type
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ReduceOp
from passes.tensor.fusion.decision import value_bytes
from passes.tensor.fusion.emulated.xla.graph import XlaGraph
from passes.tensor.fusion.emulated.xla.instruction import Instruction, Reads, inlined
from passes.tensor.fusion.emulated.xla.ops import reduced_size, sizes, split_size
from passes.tensor.fusion.emulated.xla.speed import (
    BYTES_A_US,
    CORES,
    LANES,
    LAUNCH_US,
    combined,
    compute_us,
    one_read_us,
    written_bytes,
)
from passes.tensor.fusion.emulated.xla.tiles import triton_us

THREADS, UNROLLED = 128, 4
MANY = 2048 * CORES
"""Elements from which on a thread of a loop computes UNROLLED of them."""
TRANSPOSED = 1024
"""Elements of the tile that one block transposes."""
ROW_THREADS, ROW_ELEMENTS = 256, 16
"""Threads of a block that reduces rows, and the elements of a row that one takes."""
WARP = 32
"""Lanes that reduce columns side by side."""


def saved_us(graph: XlaGraph, producer: Instruction) -> float:
    """Microseconds unfused less fused, if the producer goes into all of its users; for a bitcast it runs again."""
    users, bitcasts = graph.readers_of(producer)
    apart = LAUNCH_US + (1 - bitcasts) * exec_us(graph, producer) + sum(exec_us(graph, u) for u in users)
    return apart - sum(exec_us(graph, u, producer) for u in users)


def saved_beside_us(graph: XlaGraph, producer: Instruction, user: Instruction) -> float:
    """Microseconds unfused less fused, if one user computes the producer's result too and writes both."""
    apart = LAUNCH_US + exec_us(graph, producer) + exec_us(graph, user)
    return apart - _exec_us(graph, user, producer, written_bytes(producer))


def exec_us(graph: XlaGraph, instruction: Instruction, more: Instruction | None = None) -> float:
    """Microseconds that the instruction runs, with the ops of `more`, one of its producers, inside."""
    if more is not None:
        return _exec_us(graph, instruction, more, 0)
    if instruction not in graph.times:
        graph.times[instruction] = _exec_us(graph, instruction, None, 0)
    return graph.times[instruction]


def _exec_us(graph: XlaGraph, instruction: Instruction, more: Instruction | None, beside: int) -> float:
    """Microseconds of the two, which write so many bytes beside the instruction's results."""
    if "triton" in (instruction.kind, more.kind if more else ""):
        return triton_us(graph, instruction, more)
    reads, flops = instruction.reads, instruction.flops
    twice = _read_twice(graph, instruction)
    if more is not None:
        value = graph.value(more)
        flops += more.flops * sum(reads.get(value, {}).values()) * (2 if value is twice else 1)
        reads = inlined(more, value, instruction)
    blocks = max(1, _blocks(graph, instruction, more, reads))  # none for no elements
    wanted = ((value_bytes(v), sum(places.values())) for v, places in reads.items())
    read = sum(one_read_us(size, size * times, blocks) for size, times in wanted)
    if more is None and twice is not None:
        read += one_read_us(value_bytes(twice), value_bytes(twice), blocks)
    written = (written_bytes(instruction) + beside) / BYTES_A_US
    return combined(read + written, compute_us(flops, blocks, _lanes(instruction)))


def _lanes(instruction: Instruction) -> int:
    """Threads of a block; a loop has no more than elements."""
    if instruction.kind != "loop":
        return LANES
    return max(1, min(THREADS, max(prod(sizes(r)) for op in instruction.roots for r in op.results)))


def _read_twice(graph: XlaGraph, instruction: Instruction) -> SSAValue | None:
    """What x * x reads, and has a producer compute, twice, as long as it is no fusion."""
    op = instruction.root
    if len(instruction.ops) > 1 or not isinstance(op, ElementwiseOp) or len(op.operands) != 2:
        return None
    return next(iter(graph.reads_of(op)), None) if op.operands[0] is op.operands[1] else None


def _blocks(graph: XlaGraph, instruction: Instruction, more: Instruction | None, reads: Reads) -> int:
    """How many blocks the kernel has: reductions and transposes go by tiles."""
    both = [i for i in (instruction, more) if i is not None]
    reduced = [(op, op in i.begins) for i in both if i.kind == "input" for op in i.reductions]
    if reduced:
        return min(_reduction_blocks(graph, op, begun, _narrowest(reads)) for op, begun in reduced)
    elements = max(prod(sizes(r)) for op in instruction.roots for r in op.results)
    if any(i.traits.moves for i in both):
        return -(-elements // TRANSPOSED)
    return -(-elements // (THREADS * UNROLLED if elements >= MANY else THREADS))


def _narrowest(reads: Reads) -> int:
    """Bytes of the smallest elements that are read."""
    return min((byte_size(element_type(v.type)) for v in reads), default=4)


def _reduction_blocks(graph: XlaGraph, op: ReduceOp, begun: bool, narrowest: int) -> int:
    """A warp or more for each row, or a block for some columns; as many parts, where it is split, as each has."""
    kept, length = prod(sizes(op.results[0])), reduced_size(op)
    parts, length = split_size(op) if begun else (1, length)
    last = len(sizes(op.input)) - 1 in op.reduced
    if last == graph.is_column_major(op.input):
        columns = kept if last else prod(sizes(op.input)[max(op.reduced) + 1 :])
        return kept // max(1, columns) * -(-columns * parts // (WARP * _vector(columns * parts, narrowest)))
    threads = min(1024, WARP * max(1, -(-length // (WARP * ROW_ELEMENTS))))
    return -(-kept * parts // max(1, ROW_THREADS // threads))


def _vector(columns: int, narrowest: int) -> int:
    """Columns that one lane reduces: two, or four of inputs of 16 bits, as long as every lane has as many."""
    if columns % 2 or columns < 2 * WARP:
        return 1
    return 4 if narrowest < 4 and columns % 4 == 0 and columns >= 4 * WARP else 2
