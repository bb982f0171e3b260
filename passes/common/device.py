"""Every figure of hardware, as data: what passes and cost models must know of a GPU.

A pass derives from `DevicePass`, which has the option `device`, a name of DEVICES (`-p 'schedule{device=a100}'`). It
writes its limits as expressions of the device: two programs for each multiprocessor, four fifths of L2. A figure that
one device has and another has not stands here and nowhere else. `python -m benchmarks.calibrate` measures a GPU and
prints its entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from xdsl.passes import ModulePass

from mlc_dialects.triton.types import LANES, REGISTERS, REGISTERS_A_LANE
from mlc_support.cpu import CPU, FLOAT_BYTES
from mlc_support.errors import MlcError
from mlc_support.powers import power_of_two_up_to

SECTOR_BYTES = 32
"""What memory moves at once: half a sector takes as long as a whole one."""
LINE_BYTES = 128
"""A cache line: four sectors, which the caches keep track of together."""
BANKS, BANK_BYTES = 32, 4
"""Banks of L1 and of shared memory, and the bytes that each gives in a cycle."""
TAG_LOOKUPS = 4
"""Lines of L1 whose tags are looked up in a cycle."""
WIDEST_BYTES = 16
"""The most that one instruction of a lane loads or stores, from or to a multiple of it."""
ASYNC_COPY_BYTES = 4
"""The least that a lane can copy to shared memory asynchronously (cp.async); the most is WIDEST_BYTES."""
MOST_WARPS = 32
"""Warps of the largest block: 1024 threads."""

FEATURES = {
    "ptx": "runs inline PTX: an NVIDIA GPU",
    "cp.async": "copies from memory to shared memory asynchronously, for software pipelining (from sm_80 on)",
    "bf16x2-convert": "rounds two float32 to bfloat16 by one instruction, cvt.rn.bf16x2.f32 (from sm_80 on)",
    "fp8-convert": "converts to and from f8E4M3FN by one instruction (from sm_89 on)",
    "dependent-launch": "begins a launch while the one before it ends (from sm_90 on)",
    "tma": "copies whole tiles by the tensor memory accelerator (from sm_90 on)",
    "cudnn-attention": "attention by cuDNN: masks, groups of heads beside them, wider values (from sm_90 on)",
}
"""What a device may be able to do, by the name that passes ask for."""


@dataclass(frozen=True, kw_only=True)
class Processor:
    """What fusion must know of what runs kernels, a GPU or a CPU. Rates are those that programs reach."""

    name: str
    """As people call it."""
    multiprocessors: int
    """Streaming multiprocessors of a GPU; cores of a CPU."""
    l2_bytes: int
    """The cache before memory: L2 of a whole GPU, a core's share of what the cores of a CPU share, bytes."""
    bandwidth: float
    """Of a copy in memory, bytes a second read and written: what is reached, not the data sheet's."""
    l2_bandwidth: float
    """Of reading and writing what that cache holds, bytes a second."""
    launch_us: float
    """What one more kernel costs: on a GPU in a stream of kernels, without the host's time, microseconds."""
    flops: float
    """float32 operations a second; on a GPU a fused multiply-add is two, and tensor cores are left out."""
    registers_per_thread: int = REGISTERS_A_LANE
    """32-bit values that one thread may hold."""
    registers_per_multiprocessor: int = REGISTERS
    """32-bit values that one multiprocessor or core holds close by: in registers, or in a core's own cache."""
    provenance: str
    """Where these figures come from."""

    def traffic_us(self, traffic: int, size: int) -> float:
        """Microseconds that `traffic` bytes take, of a value of `size` bytes: half the cache holds what was written."""
        held = 2 * size <= self.l2_bytes
        return 1e6 * traffic / (self.l2_bandwidth if held else self.bandwidth)

    def arithmetic_us(self, flops: int) -> float:
        """Microseconds that so many float32 operations take."""
        return 1e6 * flops / self.flops

    @property
    def bytes_a_launch(self) -> int:
        """Bytes that memory moves in the time of a launch, rounded down to a power of two."""
        return power_of_two_up_to(int(1e-6 * self.launch_us * self.bandwidth))


@dataclass(frozen=True, kw_only=True)
class Device(Processor):
    """The sizes, limits and rates of one GPU. Rates are those that programs reach, unless called a peak."""

    capability: tuple[int, int]
    """CUDA compute capability, major and minor."""
    clock_ghz: float
    """Highest clock of the multiprocessors, 1e9 cycles a second."""
    memory_bytes: int
    """Device memory, bytes."""
    l1_bytes: int
    """L1 cache and shared memory of one multiprocessor together, bytes."""
    shared_per_multiprocessor: int
    """Shared memory of one multiprocessor, bytes, `shared_reserved` of each block included."""
    shared_per_block: int
    """The most shared memory that one block may ask for, bytes."""
    peak_bandwidth: float
    """Of device memory by the data sheet, bytes a second."""
    dram_latency_ns: float
    """From a load to its data, in device memory that is busy with others, nanoseconds."""
    float32_units: int
    """float32 operations that one multiprocessor begins in a cycle, a fused multiply-add being one."""
    special_rate: float
    """Special functions (ex2, lg2, rcp, rsqrt, sin, cos, tanh approximations) a second."""
    tensor_flops: Mapping[str, float] = field(hash=False)
    """Operations a second of dense products by tensor cores, a multiply-add being two, by operand: bf16, f16, tf32."""
    features: frozenset[str]
    """Names of FEATURES."""

    product_share: float = 0.75
    """Of `tensor_flops`, what products of large matrices reach by the library. Measured on an H200: 0.79."""
    convolution_share: float = 1.1
    """Of the rate of large products, what convolutions reach by the library where they fill its blocks (H200)."""
    unaligned_share: float = 0.33
    """Of that, what they reach where rows do not begin at multiples of 16 bytes, be it those of the result. Measured on
    an H200: 0.32 to 0.40."""
    odd_share: float = 0.16
    """The same where rows begin at odd elements of 16 bits. Measured on an H200: 0.13 to 0.19."""
    narrow_share: float = 0.32
    """Of their own rate, what kernels of ours reach that load such rows. Measured on an H200: 0.31 and 0.35."""
    lanes: int = LANES
    """Lanes of a warp."""
    warps_per_multiprocessor: int = 64
    """The most warps that a multiprocessor holds at once."""
    warps_per_block: int = MOST_WARPS
    """The most warps of one block."""
    blocks_per_multiprocessor: int = 32
    """The most blocks that a multiprocessor holds at once."""
    shared_reserved: int = 1 << 10
    """Shared memory that the system keeps of each block, bytes."""
    shared_static: int = 48 << 10
    """Shared memory that a block has without asking for more, bytes."""
    sector_bytes: int = SECTOR_BYTES
    """What memory moves at once, bytes."""
    line_bytes: int = LINE_BYTES
    """A cache line, bytes."""
    widest_bytes: int = WIDEST_BYTES
    """The most that one instruction of a lane moves, bytes."""
    grid_limits: tuple[int, int, int] = (2**31 - 1, 2**16 - 1, 2**16 - 1)
    """The most blocks along each axis of a grid."""

    @property
    def bytes_in_flight(self) -> float:
        """Bytes on their way that keep memory busy, for each multiprocessor: latency times bandwidth (Little's law)."""
        return self.dram_latency_ns * 1e-9 * self.bandwidth / self.multiprocessors

    @property
    def register_bytes(self) -> int:
        """Bytes of the registers of one multiprocessor."""
        return 4 * self.registers_per_multiprocessor

    @property
    def lanes_per_multiprocessor(self) -> int:
        """The most lanes that a multiprocessor holds at once."""
        return self.lanes * self.warps_per_multiprocessor

    def tensor_rate(self, element_bytes: int = 2, tf32: bool = False) -> float | None:
        """Operations a second of tensor cores on floats of so many bytes; None where they multiply none such.

        They multiply 16 bits, and float32 where programs let it be rounded to TF32.
        """
        names = {2: "bf16"} | ({4: "tf32"} if tf32 else {})
        return self.tensor_flops.get(names.get(element_bytes, ""))

    def product_flops(self, element_bytes: int = 2, tf32: bool = False) -> float:
        """Operations a second that large products reach: by tensor cores, or without."""
        rate = self.tensor_rate(element_bytes, tf32)
        return self.flops if rate is None else rate * self.product_share

    def resident(self, warps: int, registers: float, shared_bytes: int = 0) -> int:
        """Blocks that a multiprocessor runs at once: of so many warps, registers a lane and bytes of shared memory."""
        limits = (
            int(self.registers_per_multiprocessor / (registers * (self.lanes * warps))),
            self.warps_per_multiprocessor // warps,
            self.shared_per_multiprocessor // (shared_bytes + self.shared_reserved),
            self.blocks_per_multiprocessor,
        )
        return max(1, min(limits))

    def waves_us(self, blocks: int, resident: int, wave_us: Callable[[int], float]) -> float:
        """Microseconds of so many blocks, which run in waves of `resident` on each multiprocessor.

        `wave_us` gives those of a wave by the blocks of each multiprocessor: the last wave may have fewer.
        """
        full, rest = divmod(blocks, self.multiprocessors * resident)
        last = wave_us(-(-rest // self.multiprocessors)) if rest else 0.0
        return full * wave_us(resident) + last


AMPERE = frozenset({"ptx", "cp.async", "bf16x2-convert"})
ADA = AMPERE | {"fp8-convert"}
HOPPER = ADA | {"dependent-launch", "tma", "cudnn-attention"}

H200 = Device(
    name="NVIDIA H200",
    capability=(9, 0),
    multiprocessors=132,
    clock_ghz=1.98,
    memory_bytes=151397597184,
    l1_bytes=256 << 10,
    l2_bytes=50 << 20,
    shared_per_multiprocessor=228 << 10,
    shared_per_block=227 << 10,
    bandwidth=4.25e12,
    peak_bandwidth=4.8e12,
    l2_bandwidth=9.0e12,
    dram_latency_ns=750.0,
    launch_us=2.0,
    flops=60e12,
    float32_units=128,
    special_rate=4.1e12,
    tensor_flops={"bf16": 989e12, "f16": 989e12, "tf32": 494e12},
    features=HOPPER,
    provenance="copy bandwidth measured (benchmarks.micro); L2 bandwidth, latency, launch cost and float32 rate "
    "estimated; all else published (H200 data sheet, H100 white paper, CUDA programming guide)",
)
H100 = replace(
    H200,
    name="NVIDIA H100",
    memory_bytes=85520809984,
    bandwidth=2.95e12,
    peak_bandwidth=3.35e12,
    l2_bandwidth=8.0e12,
    provenance="of the SXM5 board: bandwidths, latency, launch cost and float32 rate estimated; all else published "
    "(H100 data sheet and white paper, CUDA programming guide)",
)
A100 = Device(
    name="NVIDIA A100",
    capability=(8, 0),
    multiprocessors=108,
    clock_ghz=1.41,
    memory_bytes=85094825984,
    l1_bytes=192 << 10,
    l2_bytes=40 << 20,
    shared_per_multiprocessor=164 << 10,
    shared_per_block=163 << 10,
    bandwidth=1.75e12,
    peak_bandwidth=2.039e12,
    l2_bandwidth=5.0e12,
    dram_latency_ns=650.0,
    launch_us=2.5,
    flops=19.5e12,
    float32_units=64,
    special_rate=2.4e12,
    tensor_flops={"bf16": 312e12, "f16": 312e12, "tf32": 156e12},
    features=AMPERE,
    provenance="of the SXM4 board with 80 GB: bandwidths, latency and launch cost estimated; all else published "
    "(A100 data sheet and white paper, CUDA programming guide)",
)
RTX4090 = Device(
    name="NVIDIA GeForce RTX 4090",
    capability=(8, 9),
    multiprocessors=128,
    clock_ghz=2.52,
    memory_bytes=24 << 30,
    l1_bytes=128 << 10,
    l2_bytes=72 << 20,
    shared_per_multiprocessor=100 << 10,
    shared_per_block=99 << 10,
    bandwidth=0.89e12,
    peak_bandwidth=1.008e12,
    l2_bandwidth=5.0e12,
    dram_latency_ns=600.0,
    launch_us=2.0,
    flops=82.6e12,
    float32_units=128,
    special_rate=5.1e12,
    tensor_flops={"bf16": 165e12, "f16": 165e12, "tf32": 82.6e12},
    features=ADA,
    provenance="published (Ada white paper, CUDA programming guide), nothing measured: copy bandwidth is the share of "
    "the peak that an H200 reaches; L2 bandwidth, latency and launch cost estimated",
    warps_per_multiprocessor=48,
    blocks_per_multiprocessor=24,
)
GENERIC = Device(
    name="a GPU",
    capability=(8, 6),
    multiprocessors=80,
    clock_ghz=1.5,
    memory_bytes=24 << 30,
    l1_bytes=128 << 10,
    l2_bytes=16 << 20,
    shared_per_multiprocessor=100 << 10,
    shared_per_block=99 << 10,
    bandwidth=1.0e12,
    peak_bandwidth=1.15e12,
    l2_bandwidth=3.0e12,
    dram_latency_ns=650.0,
    launch_us=3.0,
    flops=20e12,
    float32_units=128,
    special_rate=1.9e12,
    tensor_flops={"bf16": 120e12, "f16": 120e12, "tf32": 60e12},
    features=AMPERE,
    provenance="estimated: a GPU of the middle, with the limits of compute capability 8.6",
    warps_per_multiprocessor=48,
    blocks_per_multiprocessor=16,
)

SERVER = Processor(
    name=CPU.name,
    multiprocessors=CPU.cores,
    l2_bytes=CPU.shared_cache_bytes,
    bandwidth=CPU.bandwidth,
    l2_bandwidth=CPU.cache_bandwidth,
    launch_us=CPU.launch_us,
    flops=CPU.flops,
    registers_per_multiprocessor=CPU.kept_bytes // FLOAT_BYTES,
    provenance=CPU.provenance,
)
"""One core of a CPU: cores share kernels evenly, and bandwidth and arithmetic grow alike with their number."""
THE_CPU = "cpu"

DEVICES = {"h200": H200, "h100": H100, "a100": A100, "rtx4090": RTX4090, "generic": GENERIC}
DEFAULT_DEVICE = "h200"
"""The device that is compiled for where nothing says otherwise: then the answer is the same on every machine."""


def name_of(product: str) -> str:
    """The entry of DEVICES for a GPU as its driver calls it ("NVIDIA H100 80GB HBM3"); "generic" for one not known."""
    words = product.lower().replace("-", " ").replace("rtx ", "rtx").split()
    return next((name for name in DEVICES if name in words and "laptop" not in words), "generic")


def device_named(name: str) -> Device:
    """The device of that name. MlcError names those there are."""
    if name not in DEVICES:
        raise MlcError(f"no device {name!r}", hint=f"devices are {', '.join(DEVICES)}")
    return DEVICES[name]


def processor_named(name: str) -> Processor:
    """The device of that name, or the CPU. MlcError names those there are."""
    if name != THE_CPU and name not in DEVICES:
        raise MlcError(f"no device {name!r}", hint=f"devices are {', '.join((*DEVICES, THE_CPU))}")
    return SERVER if name == THE_CPU else DEVICES[name]


@dataclass(frozen=True)
class DevicePass(ModulePass):
    """A pass that asks for figures of the device that it compiles for, by its name in DEVICES."""

    device: str = field(default=DEFAULT_DEVICE, kw_only=True)
    """The device that figures are taken of."""

    @property
    def target(self) -> Device:
        """The device. MlcError names those there are."""
        return device_named(self.device)


@dataclass(frozen=True)
class ProcessorPass(ModulePass):
    """A pass that asks what it compiles for: a device by its name in DEVICES, or the CPU."""

    device: str = field(default=DEFAULT_DEVICE, kw_only=True)
    """What programs are compiled for: a GPU, or `cpu`."""

    @property
    def processor(self) -> Processor:
        """The device, or the CPU. MlcError names those there are."""
        return processor_named(self.device)
