"""The H200 as XLA's GPU performance model sees it, and what reading and computing take there.

Follows gpu_performance_model_base.cc: memory at full bandwidth, less where few blocks read; an element that
is read again comes from a cache; the shorter of memory and arithmetic is nearly hidden behind the longer.
"""

from __future__ import annotations

from passes.common.device import H200
from passes.tensor.fusion.decision import value_bytes
from passes.tensor.fusion.emulated.xla.instruction import Instruction

LAUNCH_US = 1.0
BYTES_A_US = H200.peak_bandwidth / 1e6
CYCLES_A_US = 1e3 * H200.clock_ghz
BLOCK_BYTES_A_US = CYCLES_A_US * 32
"""What one block can read: 32 bytes a cycle."""
L2_BYTES, L2_SPEED = H200.l2_bytes, 2.5
CORES, LANES = H200.multiprocessors, H200.float32_units
L1_BYTES, L1_SPEED = 2048 * CORES, 8.0
"""Up to these sizes a value is read again from a cache, so many times faster."""
FLOPS_A_US = CYCLES_A_US * 2
"""Of one lane."""
HIDDEN = 0.95
"""How much of the shorter of arithmetic and memory time the longer one hides."""


def combined(memory: float, arithmetic: float) -> float:
    """The time of both at once."""
    return memory + arithmetic - HIDDEN * min(memory, arithmetic)


def compute_us(flops: float, blocks: int, lanes: int = LANES) -> float:
    """Arithmetic on as many cores as there are blocks."""
    return flops / (FLOPS_A_US * min(lanes, LANES) * min(blocks, CORES))


def written_bytes(instruction: Instruction) -> int:
    """What an instruction writes."""
    return sum(value_bytes(r) for op in instruction.roots for r in op.results)


def one_read_us(size: int, wanted: float, blocks: int, useful: float = 1.0) -> float:
    """The time to read so many bytes of a value of that size; of the traffic, a share is of use."""
    most = blocks * BLOCK_BYTES_A_US
    first = min(size, wanted)
    again = BYTES_A_US * useful
    if size < L2_BYTES:
        again = BYTES_A_US * L2_SPEED * (L1_SPEED if size < L1_BYTES else 1.0)
    return first / min(BYTES_A_US * useful, most) + (wanted - first) / min(again, most)
