"""The time that XLA's GPU performance model gives an instruction.

Memory at full bandwidth, arithmetic by cycles measured for each function, the shorter of the two nearly
hidden behind the longer. Follows gpu_performance_model_base.cc; the figures are those of the H200.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from xdsl.ir import Operation, SSAValue

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.tensor_ops import ReduceOp
from passes.fusion.decision import value_bytes
from passes.fusion.xla_graph import Instruction, XlaGraph, sizes

LAUNCH_US = 1.0
BYTES_A_US = 4.8e6
FLOPS_A_US = 1.98e3 * 2 * 128 * 132
CORES = 132
HIDDEN = 0.95
"""How much of the shorter of arithmetic and memory time the longer one hides."""
OPS_A_BLOCK = 512
"""Elements that one block of a loop fusion computes."""
FLOPS = {
    "div": 21, "pow": 510, "exp": 82, "exp2": 82, "expm1": 190, "log": 166, "log2": 166, "log10": 166, "log1p": 229,
    "sqrt": 77, "rsqrt": 77, "sin": 958, "cos": 978, "tanh": 467, "atan": 434, "atan2": 434, "sigmoid": 110,
}  # fmt: skip
"""Of one element, as the model counts them on this device; what is not here counts as 5."""


def flops_of(op: Operation) -> int:
    """Of the whole op."""
    if isinstance(op, ReduceOp):
        return 5 * prod(sizes(op.input))
    each = FLOPS.get(op.FUNCTION.name, 5) if isinstance(op, ElementwiseOp) else 5
    return each * prod(sizes(op.results[0]))


def exec_us(instruction: Instruction, more: Instruction | None = None) -> float:
    """Microseconds that the instruction runs, with the ops of `more`, one of its producers, inside."""
    reads = instruction.reads
    ops: Iterable[Operation] = instruction.ops
    if more is not None:
        made = {r for op in more.roots for r in op.results}
        reads = {v: None for v in (*more.reads, *reads) if v not in made}
        ops = (*ops, *more.ops)
    written = [r for op in instruction.roots for r in op.results]
    memory = (_bytes(reads) + _bytes(written)) / BYTES_A_US
    arithmetic = sum(flops_of(op) for op in ops) / (FLOPS_A_US * min(1.0, _blocks(instruction, more) / CORES))
    return memory + arithmetic - HIDDEN * min(memory, arithmetic)


def saved_us(graph: XlaGraph, producer: Instruction) -> float:
    """Microseconds unfused less fused, if the producer goes into all of its users."""
    users = graph.users_of(producer)
    apart = LAUNCH_US + exec_us(producer) + sum(exec_us(u) for u in users)
    return apart - sum(exec_us(u, producer) for u in users)


def _bytes(values: Iterable[SSAValue]) -> int:
    return sum(value_bytes(v) for v in values)


def _blocks(instruction: Instruction, more: Instruction | None) -> int:
    """How many blocks the kernel has: a row each for Triton, or elements by the hundreds; one for no elements."""
    both = [i for i in (instruction, more) if i is not None]
    results = [sizes(r) for i in both for op in i.roots for r in op.results]
    if any(i.kind == "triton" for i in both):
        return max(1, *(prod(shape[:-1]) for shape in results))
    reduced = [prod(sizes(op.input)) for i in both for op in i.ops if isinstance(op, ReduceOp)]
    return -(-max([1, *(prod(shape) for shape in results), *reduced]) // OPS_A_BLOCK)
