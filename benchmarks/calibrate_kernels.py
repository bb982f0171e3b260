"""The Triton kernels of `benchmarks.calibrate`: each keeps one unit of a GPU busy and nothing else."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def nothing(target):
    """A kernel that does nothing: what remains is its launch."""


@triton.jit
def copy_again(source, target, blocks, repeats, BLOCK: tl.constexpr):
    """Copies `repeats` blocks, the program's own first and then those after it: from L2, if that holds all blocks.

    Loads go past L1 (.cg), which would otherwise keep a part.
    """
    lanes = tl.arange(0, BLOCK)
    block = tl.program_id(0)
    for _ in range(repeats):
        place = block * BLOCK + lanes
        tl.store(target + place, tl.load(source + place, cache_modifier=".cg"))
        block = tl.where(block + 1 == blocks, 0, block + 1)


@triton.jit
def chase(chain, end, steps):
    """Follows pointers: each load waits for the one before it."""
    place = tl.load(chain)
    for _ in range(steps):
        place = tl.load(chain + place)
    tl.store(end, place)


@triton.jit
def multiply_add(target, steps, UNROLLED: tl.constexpr, BLOCK: tl.constexpr):
    """x = x * a + b, `steps * UNROLLED` times for each element of a block: a fused multiply-add each."""
    lanes = tl.arange(0, BLOCK)
    x = lanes.to(tl.float32)
    for _ in range(steps):
        for _ in tl.static_range(UNROLLED):
            x = x * 0.999 + 0.5
    tl.store(target + tl.program_id(0) * BLOCK + lanes, x)


@triton.jit
def exponentiate(target, steps, UNROLLED: tl.constexpr, BLOCK: tl.constexpr):
    """x = 2 ** -x, `steps * UNROLLED` times for each element of a block: an ex2 each."""
    lanes = tl.arange(0, BLOCK)
    x = lanes.to(tl.float32) / BLOCK
    for _ in range(steps):
        for _ in tl.static_range(UNROLLED):
            x = tl.exp2(-x)
    tl.store(target + tl.program_id(0) * BLOCK + lanes, x)
