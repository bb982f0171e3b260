"""What the real compilers ask of a GPU, as data: none of them needs the device itself."""

from __future__ import annotations

from dataclasses import dataclass

from mlc_support.errors import MlcError


@dataclass(frozen=True)
class Gpu:
    """The numbers of a data sheet."""

    name: str
    capability: tuple[int, int]
    cores: int
    """Streaming multiprocessors."""
    lanes: int
    """float32 units of one."""
    clock_ghz: float
    bandwidth: int
    """Bytes a second."""
    memory: int
    l2_bytes: int
    shared_per_core: int
    shared_per_block: int
    """The most that one block may ask for."""


GPUS = {
    "h200": Gpu("NVIDIA H200", (9, 0), 132, 128, 1.98, 4_800_000_000_000, 151397597184, 52428800, 233472, 232448),
    "h100": Gpu("NVIDIA H100", (9, 0), 132, 128, 1.98, 3_350_000_000_000, 85520809984, 52428800, 233472, 232448),
    "a100": Gpu("NVIDIA A100", (8, 0), 108, 64, 1.41, 2_039_000_000_000, 85094825984, 41943040, 167936, 166912),
}


def gpu_named(name: str) -> Gpu:
    """The GPU of that name. MlcError names those there are."""
    if name not in GPUS:
        raise MlcError(f"the real compilers know no device {name!r}", hint=f"devices are {', '.join(GPUS)}")
    return GPUS[name]


def xla_target(gpu: Gpu) -> str:
    """The GPU as XLA's `GpuTargetConfigProto` in text, in fields that its plug-ins of 0.10 and later all read."""
    fields = {
        "threads_per_block_limit": 1024,
        "threads_per_warp": 32,
        "shared_memory_per_block": 49152,
        "shared_memory_per_core": gpu.shared_per_core,
        "threads_per_core_limit": 2048,
        "core_count": gpu.cores,
        "fpus_per_core": gpu.lanes,
        "block_dim_limit_x": 2147483647,
        "block_dim_limit_y": 65535,
        "block_dim_limit_z": 65535,
        "memory_bandwidth": gpu.bandwidth,
        "l2_cache_size": gpu.l2_bytes,
        "clock_rate_ghz": gpu.clock_ghz,
        "device_memory_size": gpu.memory,
        "shared_memory_per_block_optin": gpu.shared_per_block,
        "registers_per_core_limit": 65536,
        "registers_per_block_limit": 65536,
        "thread_dim_limit_x": 1024,
        "thread_dim_limit_y": 1024,
        "thread_dim_limit_z": 64,
    }
    major, minor = gpu.capability
    capability = f"major: {major}" + (f" minor: {minor}" if minor else "")
    lines = [*(f"  {key}: {value}" for key, value in fields.items()), f"  cuda_compute_capability {{ {capability} }}"]
    rest = 'platform_name: "CUDA"\ndnn_version_info { major: 9 minor: 10 patch: 0 }'
    return "gpu_device_info {\n" + "\n".join(lines) + f'\n}}\n{rest}\ndevice_description_str: "{gpu.name}"\n'


def torch_properties(gpu: Gpu) -> dict[str, object]:
    """The GPU as `torch.cuda.get_device_properties` would tell of it."""
    return {
        "name": gpu.name,
        "major": gpu.capability[0],
        "minor": gpu.capability[1],
        "multi_processor_count": gpu.cores,
        "total_memory": gpu.memory,
        "regs_per_multiprocessor": 65536,
        "max_threads_per_multi_processor": 2048,
        "max_threads_per_block": 1024,
        "warp_size": 32,
        "shared_memory_per_block": 49152,
        "shared_memory_per_block_optin": gpu.shared_per_block,
        "shared_memory_per_multiprocessor": gpu.shared_per_core,
        "L2_cache_size": gpu.l2_bytes,
        "gcnArchName": "",
        "clock_rate": int(gpu.clock_ghz * 1e6),
    }
