"""Every figure of hardware of CPUs, as data: what passes, the lowering and the runtime must know of one.

Limits are expressions of the entry: a quarter of L2, two huge pages. There is one entry for all CPUs, so that kernels,
and with them the bits of a sum, are the same on each; how wide vectors of a CPU are, LLVM asks that CPU.
`passes.common.device` has the entries of GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass

FLOAT_BYTES = 4
"""Bytes of a float32, by which points are counted."""


@dataclass(frozen=True, kw_only=True)
class Cpu:
    """The sizes and rates of one CPU."""

    name: str
    """As people call it."""
    cores: int
    """The most cores that work of one kernel is cut for."""
    vector_bytes: int
    """A vector register, bytes."""
    vectors_in_flight: int
    """Additions of vectors that run at once: their latency times those begun in a cycle."""
    l2_bytes: int
    """L2 cache of one core, bytes."""
    shared_cache_bytes: int
    """What one core finds in the cache that cores share, bytes."""
    huge_page_bytes: int
    """A huge page of memory, bytes."""
    bandwidth: float
    """Of one core's copy in memory, bytes a second read and written."""
    cache_bandwidth: float
    """Of one core's copy of what the shared cache holds, bytes a second read and written."""
    flops: float
    """float32 operations of one core a second, in vectors: a fused multiply-add is one."""
    launch_us: float
    """What one more kernel costs: the host's call of it, microseconds."""
    wake_bytes: int
    """What one core moves in the time after which one more thread is worth waking, some microseconds, bytes."""
    provenance: str
    """Where these figures come from."""

    @property
    def vector_lanes(self) -> int:
        """The float32 of a vector: the side of squares that are transposed in registers."""
        return self.vector_bytes // FLOAT_BYTES

    @property
    def lanes(self) -> int:
        """Neighbours that are computed together: so many vectors that additions need not wait for each other."""
        return self.vectors_in_flight * self.vector_lanes

    @property
    def points_a_thread(self) -> int:
        """The fewest points of a kernel for each thread: float32 that a core moves in the time of waking it."""
        return self.wake_bytes // FLOAT_BYTES

    @property
    def points_a_part(self) -> int:
        """The fewest columns of a part of a row: eight parts keep a thread busy."""
        return self.points_a_thread // 8

    @property
    def kept_bytes(self) -> int:
        """The most bytes that a row keeps between its loops: a quarter of L2, and of a thread's stack on any system."""
        return self.l2_bytes // 4

    @property
    def paged_bytes(self) -> int:
        """Bytes from which on a tensor asks for huge pages: it holds one whole, wherever it begins."""
        return 2 * self.huge_page_bytes


CPU = Cpu(
    name="a server's CPU",
    cores=64,
    vector_bytes=64,
    vectors_in_flight=4,
    l2_bytes=1 << 20,
    shared_cache_bytes=4 << 20,
    huge_page_bytes=2 << 20,
    bandwidth=18e9,
    cache_bandwidth=55e9,
    flops=40e9,
    launch_us=1.0,
    wake_bytes=128 << 10,
    provenance="vectors of AVX-512, L2 and huge pages of an AMD EPYC (Zen 5) by its manual; one core's bandwidths "
    "measured on a Zen 3, by copies; the rest estimated",
)
